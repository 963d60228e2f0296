#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace scree {

struct Surface;

/// What lies at the edges of a surface, found by their corners: rows lie by first corner, then second, then row.
/// Linear in time as long as few edges meet in a corner.
class EdgeTable {
 public:
  struct Row {
    std::uint32_t a, b;  ///< corners of the edge
    std::uint32_t row;   ///< what lies there: a triangle, a facet
    bool along;          ///< it runs from the lower corner to the higher
  };
  /// `corners`: more than any row names.
  EdgeTable(const std::vector<Row>& rows, std::size_t corners);

  std::span<const Row> rows() const { return rows_; }
  std::span<const Row> at(std::uint32_t a, std::uint32_t b) const;

 private:
  std::vector<std::uint32_t> start_;  // by first corner
  std::vector<Row> rows_;
};

/// Triangles at every edge, under its lower corner.
EdgeTable triangles_at_edges(const Surface& s);

/// Calls f(rows) for each edge.
template <class F>
void for_each_edge(const EdgeTable& edges, F&& f) {
  const std::span<const EdgeTable::Row> rows = edges.rows();
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t j = i + 1;
    while (j < rows.size() && rows[j].a == rows[i].a && rows[j].b == rows[i].b) ++j;
    f(rows.subspan(i, j - i));
    i = j;
  }
}

}  // namespace scree
