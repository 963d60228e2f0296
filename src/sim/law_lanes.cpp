// Laws with a text over vector lanes on the rows of a contact table, as many at a time as a vector holds.
#include <algorithm>
#include <array>

#include "sim/contact_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/law_lanes.cpp"
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

#include "contact/lane_laws-inl.h"
#include "sim/relative_motion-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::HWY_NAMESPACE {

constexpr std::size_t kWidth = hn::MaxLanes(Lanes());

/// The rows of a table at the lanes. Where there are fewer, the last one fills what is left over; its numbers are read
/// and not written.
struct RowsOfLanes {
  std::array<std::size_t, kWidth> row;
  std::size_t count;
  bool in_line;  ///< all lanes filled, from rows that follow each other

  HWY_INLINE RowsOfLanes(const std::uint32_t* rows, std::size_t begin, std::size_t left)
      : count(std::min(left, kWidth)) {
    for (std::size_t k = 0; k < kWidth; ++k) {
      const std::size_t at = begin + std::min(k, count - 1);
      row[k] = rows == nullptr ? at : rows[at];
    }
    in_line = count == kWidth && row[kWidth - 1] - row[0] == kWidth - 1;
  }

  HWY_INLINE Reals Load(const std::vector<double>& column) const {
    if (in_line) return hn::LoadU(Lanes(), &column[row[0]]);
    HWY_ALIGN LaneRow x;
    for (std::size_t k = 0; k < kWidth; ++k) x[k] = column[row[k]];
    return hn::Load(Lanes(), x);
  }
  HWY_INLINE Reals3 Load(const std::vector<Vec3>& column) const {
    if (in_line) return Load3(&column[row[0]]);
    HWY_ALIGN LaneRow x, y, z;
    for (std::size_t k = 0; k < kWidth; ++k) x[k] = column[row[k]].x, y[k] = column[row[k]].y, z[k] = column[row[k]].z;
    return {hn::Load(Lanes(), x), hn::Load(Lanes(), y), hn::Load(Lanes(), z)};
  }
  HWY_INLINE void Store(Reals v, std::vector<double>& column) const {
    if (in_line) return hn::StoreU(v, Lanes(), &column[row[0]]);
    HWY_ALIGN LaneRow x;
    hn::Store(v, Lanes(), x);
    for (std::size_t k = 0; k < count; ++k) column[row[k]] = x[k];
  }
  HWY_INLINE void Store(const Reals3& v, std::vector<Vec3>& column) const {
    if (in_line) return Store3(v, &column[row[0]]);
    HWY_ALIGN LaneRow x, y, z;
    hn::Store(v.x, Lanes(), x), hn::Store(v.y, Lanes(), y), hn::Store(v.z, Lanes(), z);
    for (std::size_t k = 0; k < count; ++k) column[row[k]] = {x[k], y[k], z[k]};
  }
  HWY_INLINE void Store(Truths t, std::vector<char>& column) const {
    std::uint8_t bytes[8];
    hn::StoreMaskBits(Lanes(), t, bytes);
    for (std::size_t k = 0; k < count; ++k) column[row[k]] = static_cast<char>(bytes[0] >> k & 1);
  }
};

/// BodyMotion or PartnerMotion of the lanes; `place` is the first of its vectors.
struct BodyMotionOfLanes {
  Reals3 place, velocity, spin, gain, spin_gain;

  /// From rows of sixteen numbers, the last of which says nothing.
  explicit HWY_INLINE BodyMotionOfLanes(const double* const* rows) {
    Reals c[16];
    for (std::size_t at = 0; at < 16; at += kWidth) Transpose(rows, at, c + at);
    place = {c[0], c[1], c[2]}, velocity = {c[3], c[4], c[5]}, spin = {c[6], c[7], c[8]};
    gain = {c[9], c[10], c[11]}, spin_gain = {c[12], c[13], c[14]};
  }
};
static_assert(sizeof(BodyMotion) == 16 * sizeof(double) && sizeof(PartnerMotion) == 15 * sizeof(double));

struct PartnerOfLanes {
  Reals3 arm, velocity, spin, gain, spin_gain;
};

HWY_INLINE PartnerOfLanes PartnerOf(const ContactRows<BodyPartner>& table, const RowsOfLanes& lanes,
                                    const BodyMotionOfLanes& a, const Reals3& arm) {
  const double* rows[kWidth];
  for (std::size_t k = 0; k < kWidth; ++k) rows[k] = &table.scratch.motion[table.b(lanes.row[k])].position.x;
  const BodyMotionOfLanes b(rows);
  Reals3 d = b.place - a.place;
  if (const Domain& domain = table.partner.domain; domain.any()) {
    HWY_ALIGN LaneRow x, y, z;
    hn::Store(d.x, Lanes(), x), hn::Store(d.y, Lanes(), y), hn::Store(d.z, Lanes(), z);
    for (std::size_t k = 0; k < kWidth; ++k) {
      const Vec3 image = nearest_image(domain, {x[k], y[k], z[k]});
      x[k] = image.x, y[k] = image.y, z[k] = image.z;
    }
    d = {hn::Load(Lanes(), x), hn::Load(Lanes(), y), hn::Load(Lanes(), z)};
  }
  return {arm - d, b.velocity, b.spin, b.gain, b.spin_gain};
}

HWY_INLINE PartnerOfLanes PartnerOf(const ContactRows<WallPartner>& table, const RowsOfLanes& lanes,
                                    const BodyMotionOfLanes&, const Reals3&) {
  struct Padded : PartnerMotion {
    double none = 0;
  } surface[kWidth];
  const double* rows[kWidth];
  for (std::size_t k = 0; k < kWidth; ++k) {
    const std::size_t r = lanes.row[k];
    static_cast<PartnerMotion&>(surface[k]) =
        table.partner(table.b(r), table.scratch.motion[table.a(r)], table.contacts.point[r], table.contacts.normal[r]);
    rows[k] = &surface[k].arm.x;
  }
  const BodyMotionOfLanes b(rows);
  return {b.place, b.velocity, b.spin, b.gain, b.spin_gain};
}

/// The laws of the lanes; `last` is kept from one vector to the next, for most have the same.
template <class L>
struct LawsOfLanes {
  using OfLanes = contact::HWY_NAMESPACE::LawOfLanes<L>;
  OfLanes law{};
  std::size_t last = ~std::size_t{0};  ///< row of the law that all lanes have

  HWY_INLINE void Find(const std::vector<L>& laws, const std::size_t* of) {
    bool same = true;
    for (std::size_t k = 1; k < kWidth; ++k) same = same && of[k] == of[0];
    if (same && of[0] == last) return;
    last = same ? of[0] : ~std::size_t{0};
    if (same) {
      law = OfLanes::From([&](double L::*p) HWY_ATTR { return All(laws[of[0]].*p); });
      return;
    }
    law = OfLanes::From([&](double L::*p) HWY_ATTR {
      HWY_ALIGN LaneRow x;
      for (std::size_t k = 0; k < kWidth; ++k) x[k] = laws[of[k]].*p;
      return hn::Load(Lanes(), x);
    });
  }
};

template <class Partner, class L>
HWY_INLINE void ApplyAll(const ContactRows<Partner>& table, const std::vector<L>& laws, const std::uint32_t* rows,
                         std::size_t begin, std::size_t n) {
  namespace lanes_of = contact::HWY_NAMESPACE;
  ContactTable& contacts = table.contacts;
  const Reals dt = All(table.dt);
  LawsOfLanes<L> of_lanes;
  for (std::size_t done = 0; done < n; done += kWidth) {
    const RowsOfLanes at(rows, begin + done, n - done);
    const double* bodies[kWidth];
    for (std::size_t k = 0; k < kWidth; ++k) bodies[k] = &table.scratch.motion[table.a(at.row[k])].position.x;
    std::size_t law[kWidth] = {};
    if (table.materials > 1)
      for (std::size_t k = 0; k < kWidth; ++k) law[k] = table.law(at.row[k]);
    of_lanes.Find(laws, law);

    const BodyMotionOfLanes a(bodies);
    const Reals3 arm = at.Load(contacts.point);
    const PartnerOfLanes b = PartnerOf(table, at, a, arm);
    auto motion = RelativeMotion<lanes_of::MotionOfLanes>(a, arm, b, dt);
    const Reals share = contacts.keeps_shares ? at.Load(contacts.share) : All(1), whole = All(1) / share;
    lanes_of::MemoryOfLanes memory{whole * at.Load(contacts.shear),
                                   whole * at.Load(contacts.torsion),
                                   at.Load(table.memory_normals),
                                   {},
                                   whole * at.Load(contacts.stored),
                                   {},
                                   {}};
    memory.damping = whole * at.Load(contacts.damping);
    if (contacts.keeps_anchors) memory.damping_moment = whole * at.Load(contacts.damping_moment);
    if (!table.scratch.dashpots.empty()) {
      HWY_ALIGN LaneRow braking;
      for (std::size_t k = 0; k < kWidth; ++k) braking[k] = table.braking(at.row[k]);
      Brake(motion, hn::Load(Lanes(), braking));
    }
    Reals3 axis{};
    if (contacts.keeps_anchors) {
      memory.grip = CarriedGrip(at.Load(contacts.anchor), arm, a.spin, motion), axis = at.Load(contacts.axis);
    }
    const lanes_of::GeometryOfLanes g{at.Load(contacts.normal), at.Load(contacts.depth), at.Load(contacts.gyration),
                                      at.Load(contacts.energy_depth), axis};
    auto w = lanes_of::ApplyLaw<lanes_of::WrenchOfLanes>(of_lanes.law, g, motion, memory);
    BookDashpots(g.normal, motion, memory, w);
    at.Store(share * w.damping, contacts.damping);
    if (contacts.keeps_anchors) at.Store(share * w.damping_moment, contacts.damping_moment);
    w.force = share * w.force, w.moment = share * w.moment, w.energy = share * w.energy;
    w.lost = share * w.lost;
    at.Store(share * memory.shear, contacts.shear), at.Store(share * memory.torsion, contacts.torsion);
    at.Store(share * memory.stored, contacts.stored), at.Store(w.lost, table.lost);
    if (contacts.keeps_anchors) at.Store(arm + memory.grip, contacts.anchor);
    at.Store(w.force, contacts.force), at.Store(w.moment, contacts.moment);
    at.Store(w.energy, contacts.energy), at.Store(w.sliding, contacts.sliding);
    at.Store(-TorqueOn(arm, w), table.torque_a);
    if constexpr (std::is_same_v<Partner, BodyPartner>) at.Store(TorqueOn(b.arm, w), table.partner.torque);
  }
}

template <class Partner>
HWY_INLINE void ApplyKind(const ContactRows<Partner>& table, const LawColumns& laws, std::size_t kind,
                          const std::uint32_t* rows, std::size_t begin, std::size_t n) {
  const auto apply = [&]<class L>(std::size_t place, const std::vector<L>& column) HWY_ATTR {
    if constexpr (L::kTraits.lanes) {
      if (place == kind) ApplyAll(table, column, rows, begin, n);
    }
  };
  std::apply(
      [&](const auto&... column) HWY_ATTR {
        std::size_t place = 0;
        (apply(place++, column), ...);
      },
      laws);
}

void ApplyToBodies(const ContactRows<BodyPartner>& table, const LawColumns& laws, std::size_t kind,
                   const std::uint32_t* rows, std::size_t begin, std::size_t n) {
  ApplyKind(table, laws, kind, rows, begin, n);
}
void ApplyToWalls(const ContactRows<WallPartner>& table, const LawColumns& laws, std::size_t kind,
                  const std::uint32_t* rows, std::size_t begin, std::size_t n) {
  ApplyKind(table, laws, kind, rows, begin, n);
}

}  // namespace scree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scree {

HWY_EXPORT(ApplyToBodies);
HWY_EXPORT(ApplyToWalls);

void apply_by_lanes(const ContactRows<BodyPartner>& table, const LawColumns& laws, std::size_t kind,
                    const std::uint32_t* rows, std::size_t begin, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(ApplyToBodies)(table, laws, kind, rows, begin, n);
}
void apply_by_lanes(const ContactRows<WallPartner>& table, const LawColumns& laws, std::size_t kind,
                    const std::uint32_t* rows, std::size_t begin, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(ApplyToWalls)(table, laws, kind, rows, begin, n);
}

}  // namespace scree
#endif
