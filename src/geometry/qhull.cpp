#include "geometry/qhull.h"

extern "C" {
#include <libqhull_r/libqhull_r.h>
}

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

namespace scree::qhull {
namespace {

/// One run of Qhull: keeps its messages out of the terminal and gives its memory back.
class Run {
 public:
  Run(std::span<const Vec3> points, std::string command) {
    coordinates_.reserve(3 * points.size());
    for (const Vec3& p : points) coordinates_.insert(coordinates_.end(), {p.x, p.y, p.z});
    messages_ = open_memstream(&text_, &length_);
    qh_zero(&qh_, messages_);
    // Qhull copies the command, but asks for a writable string.
    code_ = messages_ == nullptr ? -1
                                 : qh_new_qhull(&qh_, 3, static_cast<int>(points.size()), coordinates_.data(), False,
                                                command.data(), nullptr, messages_);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() {
    if (messages_ == nullptr) return;
    qh_freeqhull(&qh_, !qh_ALL);
    int blocks = 0, bytes = 0;
    qh_memfreeshort(&qh_, &blocks, &bytes);
    std::fclose(messages_);
    std::free(text_);  // NOLINT: open_memstream hands out malloc's memory
  }
  qhT* qh() { return &qh_; }
  Status status() {
    if (code_ == 0) return ok();
    if (messages_ == nullptr) return Error{"out of memory"};
    std::fflush(messages_);
    const std::string first = std::string(text_, length_).substr(0, std::string(text_, length_).find('\n'));
    return Error{"Qhull found no convex hull (code " + std::to_string(code_) + (first.empty() ? ")" : "): " + first)};
  }

 private:
  std::vector<coordT> coordinates_;
  qhT qh_{};
  FILE* messages_ = nullptr;
  char* text_ = nullptr;
  std::size_t length_ = 0;
  int code_ = 0;
};

std::size_t index_of(qhT* qh, const vertexT* v) { return static_cast<std::size_t>(qh_pointid(qh, v->point)); }

}  // namespace

Result<std::vector<std::size_t>> extreme_points(std::span<const Vec3> points, double within) {
  char command[64];
  std::snprintf(command, sizeof command, "qhull C-0 W%.17g", within);
  Run run(points, command);
  if (Status s = run.status(); !s) return s.error();
  std::vector<std::size_t> result;
  for (const vertexT* v = run.qh()->vertex_list; v != nullptr && v->next != nullptr; v = v->next) {
    result.push_back(index_of(run.qh(), v));
  }
  std::sort(result.begin(), result.end());
  return result;
}

Result<std::vector<std::array<std::size_t, 3>>> triangulated_hull(std::span<const Vec3> points) {
  Run run(points, "qhull QJ");
  if (Status s = run.status(); !s) return s.error();
  std::vector<std::array<std::size_t, 3>> triangles;
  for (facetT* f = run.qh()->facet_list; f != nullptr && f->next != nullptr; f = f->next) {
    if (!f->simplicial || qh_setsize(run.qh(), f->vertices) != 3)
      return Error{"Qhull left a facet that is no triangle"};
    std::array<std::size_t, 3> t{};
    for (int i = 0; i < 3; ++i) t[static_cast<std::size_t>(i)] = index_of(run.qh(), SETelemt_(f->vertices, i, vertexT));
    if (static_cast<bool>(f->toporient) == static_cast<bool>(qh_ORIENTclock)) std::swap(t[0], t[1]);
    triangles.push_back(t);
  }
  double volume = 0;  // Which way round Qhull counts is a matter of its build options.
  const Vec3 o = points[0];
  for (const auto& t : triangles) volume += dot(points[t[0]] - o, cross(points[t[1]] - o, points[t[2]] - o));
  if (volume < 0) {
    for (auto& t : triangles) std::swap(t[0], t[1]);
  }
  return triangles;
}

}  // namespace scree::qhull
