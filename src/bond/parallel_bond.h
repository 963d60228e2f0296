#pragma once
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/vec.h"

namespace scree::bond {

/// Cylinder of cement between two spheres (Potyondy & Cundall 2004, Int. J. Rock Mech. Min. Sci. 41:1329-1364; Huang et
/// al. 2020, Eqs. 1-7), in a total form: an elastic energy of the two poses, whose derivatives are the forces
/// (docs/laws/bond.md).
struct ParallelBond {
  /// per_area: kn, ks. modulus: kn = E/L, ks = kn/ratio. beam: kn = E/L, twist by G = E/(2 (1 + nu)), shear that of a
  /// Timoshenko beam between the centres.
  enum class Stiffness : std::uint8_t { per_area, modulus, beam } given = Stiffness::per_area;
  double kn = 0, ks = 0;       ///< Pa/m
  double modulus = 0;          ///< Pa
  double ratio = 1;            ///< kn/ks
  double poisson = 0;          ///< nu
  double radius_factor = 1;    ///< bond radius over the smaller sphere's
  double damping = 0;          ///< fraction of critical of each of a bond's own four vibrations
  bool keeps_contact = false;  ///< whether the two also touch by the contact law
  double weibull_modulus = 0;  ///< scatter of the strengths; 0: none
  double normal_strength = std::numeric_limits<double>::infinity();  ///< Pa, mean
  double shear_strength = std::numeric_limits<double>::infinity();   ///< Pa, mean
};

struct Stiffness {
  double axial = 0, shear = 0;  ///< N/m
  double twist = 0, bend = 0;   ///< N m/rad
};

inline constexpr double kOverPi = 1 / M_PI;

inline double area(double radius) { return M_PI * radius * radius; }
/// Second moment of area (m^4); the polar one is twice as large.
inline double second_moment(double radius) { return M_PI / 4 * radius * radius * radius * radius; }

/// Of a bond of this length and radius (m).
Stiffness stiffness_of(const ParallelBond& law, double length, double radius);

/// Factor on both strengths of a bond, of mean 1: (-ln(1 - u))^(1/m) / Gamma(1 + 1/m), u drawn from (seed, id_a, id_b)
/// alone, id_a < id_b. 1 without scatter.
double strength_factor(const ParallelBond& law, std::uint64_t seed, std::uint32_t id_a, std::uint32_t id_b);

struct Pose {
  Vec3 position;     ///< m
  Quat orientation;  ///< of the bond's frame as the body carries it
};

/// What an elastic bond does to its two ends.
struct Wrench {
  Vec3 force;               ///< N, on b; a has the opposite
  Vec3 torque_a, torque_b;  ///< N m, about the centres
  double tension = 0;       ///< N, < 0: compression
  double shear = 0;         ///< N
  double twist = 0;         ///< N m, magnitude
  double bend = 0;          ///< N m, magnitude, at the middle
  double energy = 0;        ///< J
};

/// Exact derivatives of one energy that depends on the relative pose only: no force after any rigid motion, forces and
/// torques that balance, no net work around a closed path.
inline Wrench elastic(const Pose& a, const Pose& b, double length, const Stiffness& k) {
  const Vec3 d = b.position - a.position;
  const double l = norm(d), over = 1 / l;
  const Vec3 e = over * d;
  const Mat3 frame = rotation_matrix(a.orientation);
  const Vec3 ta{frame.row[0].x, frame.row[1].x, frame.row[2].x};
  const Quat& q = b.orientation;
  const Vec3 tb{1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y + q.w * q.z), 2 * (q.x * q.z - q.w * q.y)};

  Wrench w;
  const double stretch = l - length;
  w.tension = k.axial * stretch;
  // Shear: what the two carried directions have in common across the line of the centres.
  const Vec3 sum = ta + tb;
  const double along = dot(e, sum), turn = k.shear * length * length / 4;
  const Vec3 across = sum - along * e;
  const Vec3 shear = (turn * along * over) * across;
  w.force = shear - w.tension * e;
  w.shear = norm(shear);
  // Twist and bending: the turn between the two carried frames; quaternion (c, v), |v| the sine of half the angle.
  const Quat r = conjugate(a.orientation) * q;
  const Vec3 v{r.x, r.y, r.z}, dv{k.twist * r.x, k.bend * r.y, k.bend * r.z};
  const Vec3 inner = 2 * (r.w * dv + cross(v, dv)), moment = frame * inner;
  w.torque_a = moment - turn * cross(ta, across);
  w.torque_b = -moment - turn * cross(tb, across);
  w.twist = std::abs(inner.x), w.bend = std::sqrt(inner.y * inner.y + inner.z * inner.z);
  w.energy = 0.5 * (w.tension * stretch + turn * norm2(across)) + 2 * dot(v, dv);
  return w;
}

}  // namespace scree::bond
