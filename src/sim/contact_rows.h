#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "sim/scratch.h"

namespace scree {

/// Contacts or bodies per chunk, but that contacts of one A stay together. Larger ones leave threads waiting for the
/// last chunk of a small bed; smaller ones cost one thread more.
inline constexpr std::size_t kRowGrain = 256;

/// What a contact reads of its B: a body, or a wall's surface.
struct PartnerMotion {
  Vec3 arm, velocity, spin;  ///< arm: m, from B's centre to the contact point; in the order of BodyMotion
  Vec3 gain, spin_gain;      ///< m/s, rad/s, as of BodyMotion
};

/// What the contacts from row `base` on do to their A: torque about its centroid (N m), contact::Wrench::lost (J).
struct RowsOnA {
  std::size_t base = 0;
  std::vector<Vec3> torque, lost;
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
  /// Of the sum over the contacts of row i, the first of which is row r: where it stands.
  static std::size_t place_of_sum(std::uint32_t i, std::size_t) { return i; }
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
  static std::size_t place_of_sum(std::uint32_t, std::size_t r) { return r; }  // few bodies touch a wall
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
  /// Not null: the rows are only laid out (Scratch::points_with_forces), and this is the memory of the last step.
  const LastContacts* last;
  std::vector<OnA>& on_a;  ///< at Partner::place_of_sum
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

/// f(kind, laws, rows, first, n) of every kind of law that is in use, for rows[0..n) of the table, of [begin, end);
/// where `rows` is null, for first to first + n.
template <class Partner, class F>
void law_by_law(const ContactRows<Partner>& table, std::size_t begin, std::size_t end, F&& f) {
  const std::uint64_t used = table.scratch.kinds_used;
  const auto of_kind = [&](std::size_t kind, const auto& laws) {
    if ((used >> kind & 1) == 0) return;
    if (std::has_single_bit(used)) return f(kind, laws, nullptr, begin, end - begin);
    thread_local std::vector<std::uint32_t> rows;
    rows.resize(end - begin);
    std::size_t n = 0;
    for (std::size_t r = begin; r < end; ++r) {
      rows[n] = static_cast<std::uint32_t>(r);
      n += table.scratch.law_kind[table.law(r)] == kind ? 1 : 0;
    }
    f(kind, laws, rows.data(), 0, n);
  };
  std::apply(
      [&](const auto&... laws) {
        std::size_t kind = 0;
        (of_kind(kind++, laws), ...);
      },
      table.scratch.laws);
}

/// The points of rows that are only laid out, for whoever asks before the laws make them.
void make_points(const ContactRows<BodyPartner>& table, std::size_t begin, std::size_t end);

/// The laws of the kind that is the alternative `kind` of Law, which has Traits::lanes, on rows[0..n), in ascending
/// order, or, where `rows` is null, on begin to begin + n: as many at a time as a vector holds, with the bits of one at
/// a time. `on_a`: of rows that hold these.
void apply_by_lanes(const ContactRows<BodyPartner>& table, const LawColumns& laws, std::size_t kind,
                    const std::uint32_t* rows, std::size_t begin, std::size_t n, RowsOnA& on_a);
void apply_by_lanes(const ContactRows<WallPartner>& table, const LawColumns& laws, std::size_t kind,
                    const std::uint32_t* rows, std::size_t begin, std::size_t n, RowsOnA& on_a);

/// As of apply_by_lanes, what the dashpots take of each body (1/s): columns of all rows; of walls nothing.
void dashpots_by_lanes(const ContactRows<BodyPartner>& table, const LawColumns& laws, std::size_t kind,
                       const std::uint32_t* rows, std::size_t begin, std::size_t n, std::vector<double>& of_a,
                       std::vector<double>& of_b);
void dashpots_by_lanes(const ContactRows<WallPartner>& table, const LawColumns& laws, std::size_t kind,
                       const std::uint32_t* rows, std::size_t begin, std::size_t n, std::vector<double>& of_a,
                       std::vector<double>& none);

}  // namespace scree
