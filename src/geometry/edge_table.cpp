#include "geometry/edge_table.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "geometry/surface.h"

namespace scree {

EdgeTable::EdgeTable(const std::vector<Row>& rows, std::size_t corners) : start_(corners + 1, 0), rows_(rows.size()) {
  for (const Row& r : rows) ++start_[r.a + 1];
  std::partial_sum(start_.begin(), start_.end(), start_.begin());
  std::vector<std::uint32_t> next(start_.begin(), start_.end() - 1);
  for (const Row& r : rows) rows_[next[r.a]++] = r;
  for (std::size_t a = 0; a < corners; ++a)
    std::sort(rows_.begin() + start_[a], rows_.begin() + start_[a + 1],
              [](const Row& x, const Row& y) { return std::tie(x.b, x.row) < std::tie(y.b, y.row); });
}

std::span<const EdgeTable::Row> EdgeTable::at(std::uint32_t a, std::uint32_t b) const {
  const auto first = rows_.begin() + start_[a], last = rows_.begin() + start_[a + 1];
  return {std::ranges::lower_bound(first, last, b, {}, &Row::b), std::ranges::upper_bound(first, last, b, {}, &Row::b)};
}

EdgeTable triangles_at_edges(const Surface& s) {
  std::vector<EdgeTable::Row> rows;
  rows.reserve(3 * s.triangles.size());
  for (std::uint32_t t = 0; t < s.triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = s.triangles[t][k], b = s.triangles[t][(k + 1) % 3];
      rows.push_back({std::min(a, b), std::max(a, b), t, a < b});
    }
  }
  return {rows, s.vertices.size()};
}

}  // namespace scree
