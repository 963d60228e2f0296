#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/scratch.h"

namespace scree {

/// Contacts or bodies per chunk. Larger ones leave threads waiting for the last chunk of a small bed; smaller ones cost
/// one thread more.
inline constexpr std::size_t kRowGrain = 256;

/// What a contact reads of its B: a body, or a wall's surface.
struct PartnerMotion {
  Vec3 arm, velocity, spin;  ///< arm: m, from B's centre to the contact point; in the order of BodyMotion
  Vec3 gain, spin_gain;      ///< m/s, rad/s, as of BodyMotion
};

/// The bodies as B of the contacts.
struct BodyPartner {
  const Domain& domain;
  const Scratch& scratch;
  std::vector<Vec3>& torque;

  std::uint32_t material(std::uint32_t j) const { return scratch.motion[j].material; }
  double dashpots(std::uint32_t j) const { return scratch.dashpots[j]; }
  PartnerMotion operator()(std::uint32_t j, const BodyMotion& a, Vec3 arm, Vec3) const {
    const BodyMotion& b = scratch.motion[j];
    const Vec3 d = b.position - a.position;
    return {arm - (domain.any() ? nearest_image(domain, d) : d), b.velocity, b.spin, b.gain, b.spin_gain};
  }
  void set_torque(std::size_t r, Vec3 t) const { torque[r] = t; }
};

/// The walls as B of the contacts.
struct WallPartner {
  double dt;
  const std::vector<Wall>& walls;
  const std::vector<double>& taken;  ///< Scratch::wall_dashpots

  std::uint32_t material(std::uint32_t w) const { return walls[w].material; }
  double dashpots(std::uint32_t w) const { return taken[w]; }
  PartnerMotion operator()(std::uint32_t w, const BodyMotion& a, Vec3 arm, Vec3 normal) const {
    const Wall& wall = walls[w];
    if (wall.motion.is_plain()) return {{}, wall.velocity, {}, {}, {}};
    return {a.position + arm - wall.centre,
            wall.velocity + wall.surface_velocity(normal),
            wall.spin,
            0.5 * dt * wall.acceleration,
            {}};
  }
  void set_torque(std::size_t, Vec3) const {}
};

/// One contact table with what its laws need. `Partner` tells what B does.
template <class Partner>
struct ContactRows {
  const Particles& particles;
  std::size_t materials;  ///< laws have materials x materials rows
  double dt;
  const Scratch& scratch;
  const PairTable& pairs;
  ContactTable& contacts;
  const std::vector<Vec3>& memory_normals;  ///< that the memory of each row belongs to
  std::vector<Vec3>& torque_a;
  std::vector<Vec3>& lost;
  Partner partner;

  std::uint32_t a(std::size_t r) const { return pairs.a[contacts.pair[r]]; }
  std::uint32_t b(std::size_t r) const { return pairs.b[contacts.pair[r]]; }
  /// contact::Motion::braking. While all dashpots of the two take less than half of a velocity within a step, they may
  /// be explicit (docs/time-step.md).
  double braking(std::size_t r) const {
    if (scratch.dashpots.empty()) return 0;
    const double taken = scratch.dashpots[a(r)] + partner.dashpots(b(r));
    return taken > 0.5 ? 0.5 * (taken - 0.5) : 0;
  }
  /// Row of the laws.
  std::size_t law(std::size_t r) const { return scratch.motion[a(r)].material * materials + partner.material(b(r)); }
};

/// The laws of the kind that is the alternative `kind` of Law, which has Traits::lanes, on rows[0..n), in ascending
/// order, or, where `rows` is null, on begin to begin + n: as many at a time as a vector holds, with the bits of one at
/// a time.
void apply_by_lanes(const ContactRows<BodyPartner>& table, const LawColumns& laws, std::size_t kind,
                    const std::uint32_t* rows, std::size_t begin, std::size_t n);
void apply_by_lanes(const ContactRows<WallPartner>& table, const LawColumns& laws, std::size_t kind,
                    const std::uint32_t* rows, std::size_t begin, std::size_t n);

}  // namespace scree
