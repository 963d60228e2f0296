#include <algorithm>
#include <cmath>

#include "sim/scratch.h"

namespace scree {

namespace {
// Depth at which a stiffening law is judged: its stiffness at this share of the particle's size.
constexpr double kReferenceDepth = 0.01;

/// Time that a Rayleigh wave needs to cross a sphere's surface (s).
double rayleigh_time(const Case::Material& m, double radius) {
  const double shear = m.young_modulus / (2 * (1 + m.poisson_ratio));
  return M_PI * radius * std::sqrt(m.density / shear) / (0.1631 * m.poisson_ratio + 0.8766);
}
}  // namespace

double equivalent_radius(const Shape& shape) {
  if (is_round(shape.kind)) return shape.outer_radius();
  return is_planar(shape.kind) ? std::sqrt(shape.volume / M_PI) : std::cbrt(3 * shape.volume / (4 * M_PI));
}

double equivalent_radius(const Simulation& s, std::size_t row) {
  return s.particles.size[row] * equivalent_radius(*s.shapes[s.particles.shape[row]]);
}

double critical_time_step(const Simulation& s) {
  const Particles& p = s.particles;
  double fastest = 0;  // omega^2
  double wave = INFINITY;
  for (std::size_t i = 0; i < p.size_rows(); ++i) {
    double stiffness = 0, turning = 0;
    const Shape& shape = *s.shapes[p.shape[i]];
    contact::Geometry g = contact::reference_contact(kReferenceDepth * p.size[i], equivalent_radius(s, i), p.mass[i]);
    double smallest_radius = g.radius;
    if (shape.kind == ShapeKind::clump) {
      // Of all parts the stiffest contact, which the largest makes, and the shortest way for a wave.
      smallest_radius = INFINITY;
      double largest = 0;
      for (const Shape::Part& part : shape.parts) {
        const double r = p.size[i] * part.size * equivalent_radius(*part.shape);
        smallest_radius = std::min(smallest_radius, r), largest = std::max(largest, r);
      }
      g = contact::reference_contact(kReferenceDepth * 2 * largest, largest, p.mass[i]);
    }
    for (const Case::Contact& c : s.contacts_given) {
      const auto m = static_cast<int>(p.material[i]);
      if (c.material_a != m && c.material_b != m) continue;
      stiffness = std::visit(
          [&](const auto& law) {
            return std::max({stiffness, law.normal_stiffness(g), law.shear_stiffness(g)});
          },
          c.law);
      const Case::Material& material = s.materials[p.material[i]];
      if (std::holds_alternative<contact::HertzMindlin>(c.law) && material.young_modulus > 0)
        wave = std::min(wave, rayleigh_time(material, smallest_radius));
      if (c.beside.rolling.acts()) turning = std::max(turning, c.beside.rolling.stiffness(stiffness, g.radius));
    }
    const double smallest =
        s.dimensions == 2 ? p.inertia[i].z : std::min({p.inertia[i].x, p.inertia[i].y, p.inertia[i].z});
    // Both sides of a contact move: twice one particle's share.
    fastest = std::max(fastest,
                       2 * stiffness * (1 / p.mass[i] + p.radius[i] * p.radius[i] / smallest) + 2 * turning / smallest);
  }
  if (s.bonds.size() == 0) return fastest > 0 ? std::min(2 / std::sqrt(fastest), wave) : 0;
  // Both kinds of springs act on the same spheres: the squares of their frequencies add up at most.
  bond::Adjacency bonds_of;
  bonds_of.build(s.bonds, p.size_rows());
  const double of_bonds = bond::critical_time_step(s.bonds, bonds_of, p);
  return std::min(2 / std::sqrt(fastest + 4 / (of_bonds * of_bonds)), wave);
}

}  // namespace scree
