#include <algorithm>
#include <array>
#include <cmath>

#include "sim/scratch.h"
#include "sim/spread.h"

namespace scree {

namespace {

/// Time that a Rayleigh wave needs to cross a sphere's surface (s).
double rayleigh_time(const Case::Material& m, double radius) {
  const double shear = m.young_modulus / (2 * (1 + m.poisson_ratio));
  return M_PI * radius * std::sqrt(m.density / shear) / (0.1631 * m.poisson_ratio + 0.8766);
}

}  // namespace

double equivalent_radius(const Simulation& s, const Particles& p, std::size_t row) {
  return p.size[row] * equivalent_radius(*s.shapes[p.shape[row]]);
}

namespace {

/// How many points with all of the pair's springs a contact may have: of a zone as printed the corners of two faces.
/// Shared, the parts may add up to a little more than one, where the face of a wall meets vertices of wide faces.
struct Points {
  bool zone = false, shared = false;
  double most = 0;  ///< corners of any face of the run

  explicit Points(const Simulation& s)
      : zone(s.detection.contact_geometry == Case::ContactGeometry::contact_zone),
        shared(s.detection.points == Case::ZonePoints::shared) {
    if (!zone) return;
    for (const auto& shape : s.shapes) most = std::max(most, corners(*shape));
  }
  static double corners(const Shape& shape) {
    std::size_t n = 1;
    for (std::size_t f = 0; f < shape.body.face_normals.size(); ++f) n = std::max(n, shape.body.loop(f).size());
    for (const Shape::Part& part : shape.parts) n = std::max(n, static_cast<std::size_t>(corners(*part.shape)));
    return static_cast<double>(n);
  }
  static double shares(const Shape& shape) {
    double most = 1;
    const std::vector<double> share = vertex_shares(shape.body);
    for (std::size_t f = 0; f < shape.body.face_normals.size(); ++f) {
      double sum = 0;
      for (const std::uint16_t v : shape.body.loop(f)) sum += share[v];
      most = std::max(most, sum);
    }
    for (const Shape::Part& part : shape.parts) most = std::max(most, shares(*part.shape));
    return most;
  }
  double of(const Shape& shape) const {
    if (!zone || is_round(shape.kind)) return 1;
    return shared ? shares(shape) : corners(shape) + most;
  }
};

/// omega^2 of the fastest contact, and the longest steps.
struct Fastest {
  double springs2 = 0, rolling = 0, dashpots = 0;  ///< dashpots: all of them, 1/s; rolling: those of rolling
  double step = INFINITY;                          ///< s, with the dashpots of rolling, which are explicit
  double explicit_step = INFINITY;                 ///< s, were all dashpots explicit
  double wave = INFINITY;                          ///< s

  /// Leapfrog whose dashpots see the velocity of the step's end as foretold is stable while
  /// omega^2 dt^2/4 + rate dt <= 1 (docs/time-step.md).
  void add(double omega2, double of_rolling, double of_all) {
    springs2 = std::max(springs2, omega2), rolling = std::max(rolling, of_rolling),
    dashpots = std::max(dashpots, of_all);
    if (!(omega2 > 0)) return;
    step = std::min(step, 2 / (of_rolling + std::sqrt(of_rolling * of_rolling + omega2)));
    explicit_step = std::min(explicit_step, 2 / (of_all + std::sqrt(of_all * of_all + omega2)));
  }
};

/// The contacts of the first n rows of p.
void add_contacts(const Simulation& s, const Particles& p, std::size_t n, Fastest& fastest) {
  const Points points(s);
  std::vector<double> points_of;
  for (const auto& shape : s.shapes) points_of.push_back(points.of(*shape));
  for (std::size_t i = 0; i < n; ++i) {
    double stiffness = 0, turning = 0, turning_dashpot = 0;
    contact::Dashpots dashpots;
    const Shape& shape = *s.shapes[p.shape[i]];
    contact::Geometry g =
        contact::reference_contact(kReferenceDepth * p.size[i], equivalent_radius(s, p, i), p.mass[i]);
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
    contact::Geometry between_equals = g;
    between_equals.mass = 0.5 * g.mass;
    for (const Case::Contact& c : s.contacts_given) {
      const auto m = static_cast<int>(p.material[i]);
      if (c.material_a != m && c.material_b != m) continue;
      const std::size_t row =
          static_cast<std::size_t>(c.material_a) * s.materials.size() + static_cast<std::size_t>(c.material_b);
      std::visit(
          [&](const auto& law) {
            stiffness = std::max({stiffness, law.normal_stiffness(g), law.shear_stiffness(g)});
            const contact::Dashpots d = law.dashpots(between_equals);
            dashpots = {std::max(dashpots.normal, d.normal), std::max(dashpots.shear, d.shear)};
          },
          s.laws[row]);
      const Case::Material& material = s.materials[p.material[i]];
      if (traits_of(c.law).elastic && material.young_modulus > 0)
        fastest.wave = std::min(fastest.wave, rayleigh_time(material, smallest_radius));
      if (!c.beside.rolling.acts()) continue;
      turning = std::max(turning, c.beside.rolling.stiffness(stiffness, g.radius));
      const double inertia = 0.7 * g.mass * g.radius * g.radius;  // of two equal ones about the point between them
      turning_dashpot = std::max(turning_dashpot, 2 * c.beside.rolling.damping_ratio * std::sqrt(inertia * turning));
    }
    const double smallest =
        s.dimensions == 2 ? p.inertia[i].z : std::min({p.inertia[i].x, p.inertia[i].y, p.inertia[i].z});
    // Both sides of a contact move: twice one particle's share.
    const double moves = 2 * points_of[p.shape[i]] / p.mass[i],
                 gives = moves + 2 * points_of[p.shape[i]] * p.radius[i] * p.radius[i] / smallest;
    // The normal of a round body has no lever.
    const double along = (is_round(shape.kind) ? moves : gives) * dashpots.normal;
    const double rolls = 2 * turning_dashpot / smallest;
    fastest.add(gives * stiffness + 2 * turning / smallest, rolls, std::max(along, gives * dashpots.shear) + rolls);
  }
}

/// That of the bonds of all ranks (s); infinite without any.
double step_of_bonds(const Simulation& s) {
  bond::Adjacency bonds_of;
  bonds_of.build(s.bonds, s.particles.size_rows());
  std::vector<bond::Weight> weights = bond::weights(s.bonds, bonds_of);
  if (s.spread.ranks != nullptr) {  // a copy's other bonds may be elsewhere
    const auto get = [&](std::uint32_t i) { return weights[i]; };
    const auto put = [&](std::uint32_t i, bond::Weight w) { weights[i] = w; };
    Scratch of_copies;
    lay_out_copies(s, of_copies);
    update_copies<bond::Weight>(s, of_copies, get, put);
  }
  return -max_over_ranks(s, -bond::critical_time_step(s.bonds, weights, s.particles));
}

/// Of all ranks, and of grains to come.
Fastest fastest_of(const Simulation& s, const Particles& come) {
  Fastest fastest;
  add_contacts(s, s.particles, s.particles.own_rows(), fastest);
  add_contacts(s, come, come.size_rows(), fastest);
  if (s.spread.ranks != nullptr) {
    std::array all{fastest.springs2, fastest.rolling,        fastest.dashpots,
                   -fastest.step,    -fastest.explicit_step, -fastest.wave};
    s.spread.ranks->max(all);
    fastest = {all[0], all[1], all[2], -all[3], -all[4], -all[5]};
  }
  if (!s.has_clusters) return fastest;
  const double of_bonds = step_of_bonds(s);
  if (of_bonds == INFINITY) return fastest;
  // Both kinds of springs act on the same spheres: the squares of their frequencies add up at most.
  fastest.add(fastest.springs2 + 4 / (of_bonds * of_bonds), fastest.rolling, fastest.dashpots);
  return fastest;
}

// The dashpots of a grain's contacts add up.
constexpr double kOfDamped = 1.0 / 3;
// Of the springs' step what is stable with any dashpots (docs/time-step.md).
constexpr double kOfSprings = 0.5;

/// s, stable.
double longest_step(const Fastest& f) {
  const double springs = kOfSprings * 2 / std::sqrt(f.springs2);
  return std::min({std::max(springs, f.explicit_step), f.step, f.wave});
}

}  // namespace

double critical_time_step(const Simulation& s, const Particles& come) {
  const Fastest f = fastest_of(s, come);
  return f.springs2 > 0 ? longest_step(f) : 0;
}

bool dashpots_are_slow(const Simulation& s, const Particles& come) {
  const Fastest f = fastest_of(s, come);
  return f.dashpots == 0 || s.dt <= kOfDamped * f.explicit_step;
}

double auto_time_step(const Simulation& s, double fraction, const Particles& come) {
  const Fastest f = fastest_of(s, come);
  if (!(f.springs2 > 0)) return 0;
  const double springs = std::min(2 / std::sqrt(f.springs2), f.wave), damped = std::min(f.step, f.wave);
  return std::min({fraction * springs, std::max(fraction, kOfDamped) * damped, longest_step(f)});
}

}  // namespace scree
