#pragma once
#include "sim/contact_rows.h"

/// What laws take of the two bodies of a contact (contact::Geometry).
namespace scree {

/// Half of the harmonic mean, as springs in a row have it.
inline double in_series(double a, double b) { return a * b / (a + b); }
/// Moment of inertia of a sphere about a point of its surface.
inline double rolling_inertia(double mass, double radius) { return 1.4 * mass * radius * radius; }

/// Of a particle's part.
inline double radius_of(const Particles& p, const Scratch& scratch, std::size_t i, std::uint32_t part) {
  const RunShapes& of = *scratch.shapes;
  return p.size[i] * of.unit_radius[of.first_part[p.shape[i]] + part];
}

/// Of contact r what its table holds.
inline contact::Geometry geometry_of(const ContactTable& c, std::size_t r) {
  contact::Geometry g{.normal = c.normal[r], .depth = c.depth[r], .energy_depth = c.depth[r]};
  if (c.keeps_patches) g.gyration = c.gyration[r], g.energy_depth = c.energy_depth[r];
  if (c.keeps_areas) g.area = c.area[r], g.area_moment = c.area_moment[r];
  if (c.keeps_anchors) g.axis = c.axis[r];
  return g;
}

/// Effective radius, mass and rolling inertia (contact.h) of particles i and j, touching with the parts said.
inline void add_pair(const Particles& p, const Scratch& scratch, std::size_t i, std::size_t j, std::uint32_t parts,
                     contact::Geometry& g) {
  const double ri = radius_of(p, scratch, i, parts >> 16), rj = radius_of(p, scratch, j, parts & 0xffffu);
  g.radius = in_series(ri, rj), g.mass = in_series(p.mass[i], p.mass[j]);
  g.rolling_inertia = in_series(rolling_inertia(p.mass[i], ri), rolling_inertia(p.mass[j], rj));
}
/// The same of particle i on a wall.
inline void add_pair(const Particles& p, const Scratch& scratch, std::size_t i, std::uint32_t parts,
                     contact::Geometry& g) {
  g.radius = radius_of(p, scratch, i, parts >> 16), g.mass = p.mass[i];
  g.rolling_inertia = rolling_inertia(g.mass, g.radius);
}

inline void add_pair(const ContactRows<BodyPartner>& table, std::size_t r, contact::Geometry& g) {
  add_pair(table.particles, table.scratch, table.a(r), table.b(r),
           table.contacts.keeps_parts ? table.contacts.part[r] : 0, g);
}
inline void add_pair(const ContactRows<WallPartner>& table, std::size_t r, contact::Geometry& g) {
  add_pair(table.particles, table.scratch, table.a(r), table.contacts.keeps_parts ? table.contacts.part[r] : 0, g);
}

}  // namespace scree
