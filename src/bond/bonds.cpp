#include "bond/bonds.h"

#include <algorithm>
#include <unordered_map>

#include "bond/bond_kernels.h"
#include "exec/parallel.h"

namespace scree::bond {

namespace {

constexpr std::size_t kGrain = 256;

Quat times_unit(Quat a, Quat b) { return normalized(a * b); }

double least(Vec3 v) { return std::min({v.x, v.y, v.z}); }

/// Of bond r between rows i and j, seen from i.
Wrench elastic_part(const Bonds& b, std::size_t r, const Particles& p, std::size_t i, std::size_t j) {
  return elastic({{}, p.orientation[i] * b.frame_a[r]}, {p.from_to(i, j), p.orientation[j] * b.frame_b[r]}, b.length[r],
                 {b.axial[r], b.shear[r], b.twist[r], b.bend[r]});
}

/// Viscous part of one bond: relative velocity at its middle, relative spin.
struct Viscous {
  Vec3 force, moment;  // on b
  double power = 0;    // W, taken up
};

Viscous viscous(const Bonds& b, std::size_t r, const Particles& p, double dt, std::size_t i, std::size_t j) {
  const Vec3 d = p.from_to(i, j), half = 0.5 * d, e = (1 / norm(d)) * d;
  const Vec3 va = velocity_ahead(p, i, dt), vb = velocity_ahead(p, j, dt);
  const Vec3 wa = spin_ahead(p, i, dt), wb = spin_ahead(p, j, dt);
  const Vec3 spin = wb - wa, v = vb - cross(wb, half) - va - cross(wa, half);
  const Vec3 vn = dot(v, e) * e, wn = dot(spin, e) * e;
  const Vec3 force = -b.axial_damping[r] * vn - b.shear_damping[r] * (v - vn),
             moment = -b.twist_damping[r] * wn - b.bend_damping[r] * (spin - wn);
  return {force, moment, dot(force, v) + dot(moment, spin)};
}

}  // namespace

void Adjacency::build(const Bonds& bonds, std::size_t rows) {
  start.assign(rows + 1, 0);
  for (std::size_t r = 0; r < bonds.size(); ++r) ++start[bonds.row_a[r] + 1], ++start[bonds.row_b[r] + 1];
  for (std::size_t i = 0; i < rows; ++i) start[i + 1] += start[i];
  entry.resize(2 * bonds.size());
  for (std::size_t r = 0; r < bonds.size(); ++r) {
    entry[start[bonds.row_a[r]]++] = static_cast<std::uint32_t>(2 * r);
    entry[start[bonds.row_b[r]]++] = static_cast<std::uint32_t>(2 * r + 1);
  }
  for (std::size_t i = rows; i > 0; --i) start[i] = start[i - 1];
  start[0] = 0;
}

void add_bond(Bonds& bonds, const Particles& p, std::size_t i, std::size_t j, const ParallelBond& law,
              std::uint32_t cluster, std::uint64_t scatter_seed) {
  if (p.id[i] > p.id[j]) std::swap(i, j);
  const std::size_t r = bonds.size();
  bonds.resize(r + 1);
  const Vec3 d = p.from_to(i, j);
  const double length = norm(d), radius = law.radius_factor * std::min(p.radius[i], p.radius[j]);
  const Vec3 e = d / length, f = any_perpendicular(e), g = cross(e, f);
  const Quat frame = quaternion_of({{{e.x, f.x, g.x}, {e.y, f.y, g.y}, {e.z, f.z, g.z}}});
  const Stiffness k = stiffness_of(law, length, radius);
  const double factor = strength_factor(law, scatter_seed, p.id[i], p.id[j]);
  bonds.id_a[r] = p.id[i], bonds.id_b[r] = p.id[j], bonds.cluster[r] = cluster, bonds.alive[r] = 1;
  bonds.excludes[r] = law.keeps_contact ? 0 : 1;
  bonds.row_a[r] = static_cast<std::uint32_t>(i), bonds.row_b[r] = static_cast<std::uint32_t>(j);
  bonds.frame_a[r] = times_unit(conjugate(p.orientation[i]), frame);
  bonds.frame_b[r] = times_unit(conjugate(p.orientation[j]), frame);
  bonds.length[r] = length, bonds.radius[r] = radius;
  bonds.axial[r] = k.axial, bonds.shear[r] = k.shear, bonds.twist[r] = k.twist, bonds.bend[r] = k.bend;
  bonds.normal_strength[r] = factor * law.normal_strength, bonds.shear_strength[r] = factor * law.shear_strength;
  bonds.damage[r] = 0;

  const double push = 1 / p.mass[i] + 1 / p.mass[j], turn = 1 / least(p.inertia[i]) + 1 / least(p.inertia[j]);
  const auto damping = [&](double stiffness, double mobility) {
    return 2 * law.damping * std::sqrt(stiffness / mobility);
  };
  bonds.axial_damping[r] = damping(k.axial, push);
  bonds.shear_damping[r] = damping(k.shear, push + length * length / 4 * turn);
  bonds.twist_damping[r] = damping(k.twist, turn), bonds.bend_damping[r] = damping(k.bend, turn);
}

void find_rows(Bonds& bonds, const Particles& p) {
  if (bonds.size() == 0) return;
  std::unordered_map<std::uint32_t, std::uint32_t> row;
  row.reserve(p.size_rows());
  for (std::size_t i = 0; i < p.size_rows(); ++i) row.emplace(p.id[i], static_cast<std::uint32_t>(i));
  std::vector<char> keep(bonds.size(), 1);
  bool all = true;
  for (std::size_t r = 0; r < bonds.size(); ++r) {
    const auto a = row.find(bonds.id_a[r]), b = row.find(bonds.id_b[r]);
    if (a == row.end() || b == row.end()) {
      keep[r] = 0, all = false;
      continue;
    }
    bonds.row_a[r] = a->second, bonds.row_b[r] = b->second;
  }
  if (!all) bonds.compact(keep);
}

void force_of(Bonds& b, const Particles& p, std::size_t r, double dt) {
  if (!b.alive[r]) {
    b.force[r] = b.torque_a[r] = b.torque_b[r] = {};
    b.normal_stress[r] = b.shear_stress[r] = b.energy[r] = b.lost[r] = 0;
    return;
  }
  const std::size_t i = b.row_a[r], j = b.row_b[r];
  const Wrench w = elastic_part(b, r, p, i, j);
  // Potyondy & Cundall 2004, Eqs. 15-16, with tension positive: F/A + M R/I, F/A + M R/J with I = A R^2/4, J = 2 I.
  const double over_r = 1 / b.radius[r], over_area = kOverPi * over_r * over_r;
  b.normal_stress[r] = over_area * (w.tension + 4 * w.bend * over_r);
  b.shear_stress[r] = over_area * (w.shear + 2 * w.twist * over_r);
  b.energy[r] = w.energy;
  b.force[r] = w.force, b.torque_a[r] = w.torque_a, b.torque_b[r] = w.torque_b;
  if (b.axial_damping[r] == 0) return;
  const Viscous d = viscous(b, r, p, dt, i, j);
  const Vec3 lever = cross(0.5 * p.from_to(i, j), d.force);
  b.lost[r] = b.lost[r] - dt * d.power;
  b.force[r] += d.force;
  b.torque_a[r] -= d.moment + lever, b.torque_b[r] += d.moment - lever;
}

void compute_forces(Bonds& b, const Particles& p, double dt) {
  exec::parallel_chunks(b.size(), kGrain, [&](std::size_t begin, std::size_t end) { forces_of(b, p, begin, end, dt); });
}

void add_forces(const Bonds& bonds, const Adjacency& adjacency, Particles& p) {
  exec::parallel_for(p.size_rows(), kGrain, [&](std::size_t i) {
    Vec3 force{}, torque{};
    for (std::uint32_t k = adjacency.start[i]; k < adjacency.start[i + 1]; ++k) {
      const std::size_t r = adjacency.entry[k] >> 1;
      if (adjacency.entry[k] & 1) {
        force += bonds.force[r], torque += bonds.torque_b[r];
      } else {
        force -= bonds.force[r], torque += bonds.torque_a[r];
      }
    }
    p.force[i] += force, p.torque[i] += torque;
  });
}

namespace {
// A bond's share in its sphere's mass and inertia, by stiffness.
double push_weight(const Bonds& b, std::size_t r) { return b.axial[r] + b.shear[r]; }
double turn_weight(const Bonds& b, std::size_t r) {
  return b.twist[r] + b.bend[r] + b.shear[r] * b.length[r] * b.length[r] / 4;
}
}  // namespace

std::vector<Weight> weights(const Bonds& b, const Adjacency& adjacency) {
  const std::size_t rows = adjacency.start.size() - 1;
  std::vector<Weight> total(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::uint32_t k = adjacency.start[i]; k < adjacency.start[i + 1]; ++k) {
      const std::size_t r = adjacency.entry[k] >> 1;
      if (b.alive[r]) total[i].push += push_weight(b, r), total[i].turn += turn_weight(b, r);
    }
  }
  return total;
}

double critical_time_step(const Bonds& b, const std::vector<Weight>& total, const Particles& p) {
  double step = std::numeric_limits<double>::infinity();
  for (std::size_t r = 0; r < b.size(); ++r) {
    if (!b.alive[r]) continue;
    const std::size_t i = b.row_a[r], j = b.row_b[r];
    const double wp = push_weight(b, r), wt = turn_weight(b, r), half = b.length[r] / 2;
    const double push = total[i].push / (wp * p.mass[i]) + total[j].push / (wp * p.mass[j]);
    const double turn_a = wt > 0 ? total[i].turn / (wt * least(p.inertia[i])) : 0;
    const double turn_b = wt > 0 ? total[j].turn / (wt * least(p.inertia[j])) : 0, turn = turn_a + turn_b;
    // Largest eigenvalue of an isolated bond: along it, about it, and the coupled shear and bending.
    const auto fastest = [&](double axial, double shear, double twist, double bend) {
      const double s = shear * (push + half * half * turn), m = bend * turn;
      const double coupled = half * (turn_b - turn_a) * std::sqrt(shear * bend);
      const double plane = 0.5 * (s + m) + std::sqrt(0.25 * (s - m) * (s - m) + coupled * coupled);
      return std::max({axial * push, twist * turn, plane});
    };
    const double elastic = fastest(b.axial[r], b.shear[r], b.twist[r], b.bend[r]);
    const double damping = fastest(b.axial_damping[r], b.shear_damping[r], b.twist_damping[r], b.bend_damping[r]);
    // Stable while dt^2 elastic / 4 + dt damping <= 1: what is foreseen of the damping's velocity is a step old.
    const double root = std::sqrt(damping * damping + elastic);
    step = std::min(step, 2 / (root + damping));
  }
  return step;
}

std::string_view name(Mode mode) {
  switch (mode) {
    case Mode::tension:
      return "tension";
    case Mode::bending:
      return "bending";
    case Mode::shear:
      return "shear";
    case Mode::torsion:
      return "torsion";
  }
  return "";
}

void find_broken(Bonds& b, std::vector<std::uint32_t>& rows) {
  rows.clear();
  const std::size_t broken = exec::parallel_reduce(
      b.size(), 8 * kGrain, std::size_t{0},
      [&](std::size_t begin, std::size_t end) { return take_damage(b, begin, end); },
      [](std::size_t x, std::size_t y) { return x + y; });
  for (std::size_t r = 0; r < b.size() && rows.size() < broken; ++r) {
    // No bond that has once been stressed beyond its strength is left alive.
    if (b.alive[r] && b.damage[r] >= 1) rows.push_back(static_cast<std::uint32_t>(r));
  }
}

Event event_of(const Bonds& b, const Particles& p, std::uint32_t r, double time) {
  const std::size_t i = b.row_a[r], j = b.row_b[r];
  const Wrench w = elastic_part(b, r, p, i, j);
  const double a = area(b.radius[r]), second = second_moment(b.radius[r]);
  Event e;
  e.time = time, e.id_a = b.id_a[r], e.id_b = b.id_b[r], e.cluster = b.cluster[r];
  e.place = wrapped(p.domain, p.position[i] + 0.5 * p.from_to(i, j));
  const bool normal = b.normal_stress[r] / b.normal_strength[r] >= b.shear_stress[r] / b.shear_strength[r];
  e.stress = normal ? b.normal_stress[r] : b.shear_stress[r];
  e.strength = normal ? b.normal_strength[r] : b.shear_strength[r];
  const double bending = w.bend * b.radius[r] / second, torsion = w.twist * b.radius[r] / (2 * second);
  e.mode = normal ? (w.tension / a >= bending ? Mode::tension : Mode::bending)
                  : (w.shear / a >= torsion ? Mode::shear : Mode::torsion);
  return e;
}

}  // namespace scree::bond
