#include "io/grains/cluster_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "io/text/table.h"

namespace scree::io {

namespace {

class ClusterReader : public TextLines {
 public:
  ClusterReader(const std::string& file, double scale) : TextLines(file), scale_(scale) {}

  /// False: a mistake, or no use in reading on.
  bool line(std::string_view as_read) {
    const std::optional<std::string_view> text = next(as_read);
    if (!text) return false;
    words_.split(*text, {.blanks = " \t\r,;"});
    if (words_.empty()) return true;
    const bool may_be_header = !std::exchange(has_begun_, true);
    if (may_be_header && std::none_of(words_.begin(), words_.end(), [](auto w) { return bool(table_number(w)); }))
      return true;
    std::array<double, 4> row{};
    for (std::size_t k = 0; k < words_.size(); ++k) {
      const TableNumber n = table_number(words_[k]);
      if (k < row.size()) row[k] = n.value;
      if (n || n.problem == TableNumber::Problem::not_finite) continue;
      return complain(words_.column(k), "expected x, y, z, r as numbers, got " + shown(words_[k])), false;
    }
    if (words_.size() != 4) return give_up(fmt::format("expected four numbers x, y, z, r, found {}", words_.size()));
    const Vec3 x = scale_ * Vec3{row[0], row[1], row[2]};
    const double r = scale_ * row[3];
    if (!is_finite(x) || !(r > 0) || !std::isfinite(r))
      return give_up("a sphere needs finite coordinates and a radius above 0");
    if (cluster.size() == bond::kMaxSpheres) return give_up("more than a million spheres");
    cluster.position.push_back(x), cluster.radius.push_back(r);
    return true;
  }

  bond::Cluster cluster;

 private:
  Words words_;
  double scale_;
  bool has_begun_ = false;
};

}  // namespace

Result<bond::Cluster> read_cluster(std::string_view text, double scale, const std::string& file) {
  ClusterReader reader(file, scale);
  for_each_line(text, [&](std::string_view line) { return reader.line(line); });
  if (const std::vector<Diagnostic> mistakes = reader.take(); !mistakes.empty()) return Error{format(mistakes[0])};
  if (reader.cluster.size() == 0) return Error{file + ": no sphere in it"};
  bond::centre(reader.cluster);
  return std::move(reader.cluster);
}

}  // namespace scree::io
