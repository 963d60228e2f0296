#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/domain.h"
#include "base/vec.h"
#include "geometry/polyhedron.h"
#include "io/results/hdf5_file.h"

/// What frames and checkpoints write alike, so that grains of either can be placed in another case.
namespace scree::io {

/// A prototype as it is drawn.
struct ShapeRow {
  std::string name;
  std::vector<Vec3> vertices;                     ///< at size 1, body frame
  std::vector<std::vector<std::uint16_t>> faces;  ///< loops, counter-clockwise from outside; a polygon has one
  double radius = 0;                              ///< at size 1, of a sphere or disc, which has no vertices
  Vec3 centre = {};                               ///< at size 1, of a clump's part in the clump's frame
  std::vector<ShapeRow> parts = {};               ///< of a clump, which has nothing of its own
  friend bool operator==(const ShapeRow&, const ShapeRow&) = default;
};
ShapeRow shape_row(const Shape& shape);

/// What makes the rows unfit to be drawn; nullptr: nothing does.
const char* contradiction(const std::vector<ShapeRow>& shapes);

/// Columns in `group`. Reading: rows that contradict each other are failures of the reader.
void write_shapes(hdf5::Writer& w, const std::string& group, const std::vector<ShapeRow>& shapes);
void read_shapes(hdf5::Reader& r, const std::string& group, std::vector<ShapeRow>& shapes);
void write_domain(hdf5::Writer& w, const std::string& group, const Domain& d);
void read_domain(hdf5::Reader& r, const std::string& group, Domain& d);

/// Whether starts are 0 = s[0] <= s[1] <= ... = end, of n + 1 entries.
bool are_starts(const std::vector<std::uint32_t>& s, std::size_t n, std::size_t end);

}  // namespace scree::io
