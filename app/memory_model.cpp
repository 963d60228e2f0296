#include "app/memory_model.h"

#include <algorithm>
#include <cmath>

#include "narrow/shape_tables.h"
#include "sim/scratch.h"

namespace scree::app {

namespace {

// Fitted to settled beds (docs/measured/speed.md#what-check-foresees); all else is counted from the columns.
constexpr double kPairsOfSphere = 3.8, kPairsOfDisc = 2.6;  // candidates a grain, each pair once
constexpr double kContacts = 2.4, kContactsInPlane = 1.6;   // a grain, walls too
constexpr double kSearch = 110;                             // bytes of a grain: cells, ranges, dashpots
constexpr double kIndex = 26;                               // of a pair: as found, and where each of its two has it
constexpr double kNearParts = 100;                          // of a pair of clumps: which parts are near
constexpr double kContactColumns = 2.5;                     // times a contact's columns: its own, the last step's, sums
constexpr double kFound = 2;                                // times a contact of faces or parts as found
constexpr double kCheckpoint = 1.1;                         // times what is saved: packed, and copied
constexpr double kFrame = 300, kFrameVertex = 100;          // of a grain, and of a vertex that is drawn

bool has_faces(const Shape& s) {
  return s.kind == ShapeKind::clump ? std::ranges::any_of(s.parts, [](const auto& p) { return has_faces(*p.shape); })
                                    : !is_round(s.kind);
}

/// Points that a frame draws of it.
double vertices_of(const Shape& s) {
  if (s.kind != ShapeKind::clump)
    return is_round(s.kind) ? 1 : static_cast<double>(s.body.vertices.size() + s.outline.size());
  double n = 0;
  for (const Shape::Part& p : s.parts) n += vertices_of(*p.shape);
  return n;
}

/// Radius of the bounding sphere over that of the sphere (the disc) of the same volume (area). Candidates are grains
/// whose bounding spheres are near: as many as its cube would say if slender grains packed as densely as spheres do;
/// they do not, and a power of 2.4 is closer, in the plane itself.
double slenderness(const Shape& s) {
  return s.outer_radius() / (is_planar(s.kind) ? std::sqrt(s.volume / M_PI) : std::cbrt(3 * s.volume / (4 * M_PI)));
}

/// narrow::Bodies of one.
double bytes_posed(const Shape& s) {
  double b = sizeof(std::uint32_t);
  if (s.kind == ShapeKind::sphere) return b;
  b += sizeof(std::size_t) + sizeof(narrow::BodyView) + 2 * sizeof(Vec2) * static_cast<double>(s.outline.size());
  const std::size_t padded = (s.body.vertices.size() + narrow::kPad - 1) / narrow::kPad * narrow::kPad;
  b += 3 * sizeof(double) * static_cast<double>(padded);
  constexpr double kPart = 4 * sizeof(Vec3) + sizeof(Quat) + 3 * sizeof(double) + 2 * sizeof(std::uint32_t);
  for (const Shape::Part& part : s.parts) b += kPart + bytes_posed(*part.shape);
  return b;
}

}  // namespace

Simulation tables_for(const std::vector<std::shared_ptr<const Shape>>& shapes) {
  const auto any = [&](auto&& is) { return std::ranges::any_of(shapes, [&](const auto& s) { return is(*s); }); };
  Simulation s;
  s.shapes = shapes;
  s.dimensions = std::ranges::any_of(shapes, [](const auto& x) { return is_planar(x->kind); }) ? 2 : 3;
  s.pairs.keeps_planes = any([](const Shape& x) { return !is_round(x.kind); });
  s.pairs.keeps_gaps = any([](const Shape& x) { return x.kind == ShapeKind::polyhedron; });
  ContactTable& c = s.contacts;
  c.keeps_patches = c.keeps_moments = c.keeps_anchors = any(has_faces);
  c.keeps_parts = any([](const Shape& x) { return x.kind == ShapeKind::clump; });
  c.keeps_planes = c.keeps_gaps = c.keeps_parts && c.keeps_patches;
  return s;
}

double candidates_for_sizes(const Simulation& s) {
  double r1 = 0, r2 = 0, r3 = 0;
  for (const double r : s.particles.radius) r1 += r, r2 += r * r, r3 += r * r * r;
  const auto n = static_cast<double>(s.particles.radius.size());
  // <(r + r')^3> / 8<r^3> and <(r + r')^2> / 4<r^2>
  if (n == 0) return 1;
  return s.dimensions == 2 ? (1 + r1 * r1 / (n * r2)) / 2 : (1 + 3 * r1 * r2 / (n * r3)) / 4;
}

GrainMemory memory_of_grain(const Shape& shape, const Simulation& tables, double candidates_for_sizes) {
  const bool flat = tables.dimensions == 2;
  const double wide = slenderness(shape);
  const double pairs = candidates_for_sizes * (flat ? kPairsOfDisc * wide : kPairsOfSphere * std::pow(wide, 2.4));
  const double contacts = flat ? kContactsInPlane : kContacts;
  const auto row = [](const auto& table) { return static_cast<double>(columns::row_bytes(table)); };
  const double of_row = row(tables.particles), of_pair = row(tables.pairs), of_contact = row(tables.contacts);
  const double found = is_round(shape.kind) ? 0 : kFound * sizeof(narrow::FoundPoint);
  const double by_pair = 2 * of_pair + kIndex + (shape.kind == ShapeKind::clump ? kNearParts : 0);
  return {.state = of_row + sizeof(BodyMotion) + sizeof(BodySize) + sizeof(OnA) + kSearch + bytes_posed(shape) +
                   pairs * by_pair + contacts * (kContactColumns * of_contact + found),
          .writing = kCheckpoint * (of_row + pairs * of_pair + contacts * of_contact) + kFrame +
                     kFrameVertex * vertices_of(shape)};
}

}  // namespace scree::app
