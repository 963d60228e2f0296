#include "io/mesh/off_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "geometry/extent.h"
#include "io/mesh/mesh.h"
#include "io/text/short_text.h"
#include "io/text/table.h"

namespace scree::io {

namespace {

/// The lines that hold something, without their comments, and the words on them.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}

  /// False: the text has ended.
  bool next() {
    while (from_ < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', from_), text_.size());
      const std::string_view line = text_.substr(from_, end - from_);
      words_.split(line.substr(0, line.find('#')), {.blanks = " \t\r\f\v"});
      from_ = end + 1, at_ = 0, ++number_;
      if (!words_.empty()) return true;
    }
    words_.split({}, {}), at_ = 0;
    return false;
  }
  /// Empty: the line has ended.
  std::string_view word() { return words_[at_++]; }
  /// Of the last word, as name:line:column.
  std::string place(const std::string& name) const {
    return fmt::format("{}:{}:{}", name, number_, words_.column(at_ > 0 ? at_ - 1 : 0));
  }

 private:
  std::string_view text_;
  Words words_;
  std::size_t from_ = 0, at_ = 0, number_ = 0;
};

std::string told(std::string_view word) { return word.empty() ? "the end of the line" : short_text(word); }

}  // namespace

Result<Surface> read_off(std::string_view text, const std::string& name) {
  const auto whole = [&](const std::string& message) { return Error{name + ": " + message}; };
  Lines lines(text);
  const auto take = [](std::string_view word, std::size_t& n) {
    const std::optional<std::size_t> read = table_integer(word);
    n = read.value_or(0);
    return read.has_value();
  };
  const auto here = [&](const std::string& message) { return Error{lines.place(name) + ": " + message}; };
  if (!lines.next()) return whole("empty");
  if (const auto w = lines.word(); w != "OFF" && w != "COFF" && w != "NOFF" && w != "CNOFF")
    return whole("not OFF: it does not begin with OFF");
  std::string_view first = lines.word();
  if (first.empty() && lines.next()) first = lines.word();
  if (first == "BINARY") return whole("OFF in binary form; save it as text");
  std::size_t vertices = 0, faces = 0;
  if (!first.empty() && !(take(first, vertices) && take(lines.word(), faces)))
    return here("expected the numbers of vertices and faces");
  if (vertices == 0 || faces == 0) return whole("empty: there are no faces");
  if (vertices > text.size() || faces > text.size())
    return whole(
        fmt::format("cut short: {} vertices and {} faces are announced in {} bytes", vertices, faces, text.size()));

  Surface s;
  s.vertices.resize(vertices);
  for (std::size_t v = 0; v < vertices; ++v) {
    if (!lines.next()) return whole(fmt::format("cut short: {} vertices are announced, {} are there", vertices, v));
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string_view w = lines.word();
      const TableNumber n = table_number(w);
      const double x = s.vertices[v][k] = n.value;
      if (n.problem == TableNumber::Problem::text) return here("expected a coordinate, got " + told(w));
      if (n.problem == TableNumber::Problem::not_finite) return here("a coordinate is not a finite number: " + told(w));
      if (!(std::abs(x) < kMostExtent))
        return here("the coordinate " + told(w) + " is too large: the extent of a mesh lies within 1e-50 to 1e50");
    }
  }
  for (std::size_t f = 0; f < faces; ++f) {
    if (!lines.next()) return whole(fmt::format("cut short: {} faces are announced, {} are there", faces, f));
    std::size_t corners = 0;
    if (const auto w = lines.word(); !take(w, corners))
      return here("expected the number of a face's corners, got " + told(w));
    std::uint32_t origin = 0, before = 0;
    for (std::size_t k = 0; k < corners; ++k) {
      const std::string_view w = lines.word();
      std::size_t i = 0;
      if (!take(w, i) || i >= vertices)
        return here(fmt::format("face {} names a vertex that is not there: expected one of 0 to {}, got {}", f,
                                vertices - 1, told(w)));
      const auto corner = static_cast<std::uint32_t>(i);
      if (k == 0) origin = corner;
      if (k > 1) s.triangles.push_back({origin, before, corner});
      before = corner;
    }
    if (s.triangles.size() > kMaxTriangles) return whole(fmt::format("more than {} triangles", kMaxTriangles));
  }
  if (s.triangles.empty()) return whole("empty: there are no faces");
  return s;
}

}  // namespace scree::io
