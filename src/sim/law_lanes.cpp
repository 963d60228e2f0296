// Laws with a text over vector lanes on the rows of a contact table, as many at a time as a vector holds.
#include <algorithm>
#include <array>

#include "sim/contact_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/law_lanes.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

#include "contact/lane_laws-inl.h"
#include "contact/rolling-inl.h"
#include "sim/pair_geometry.h"
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

/// What the lanes have of parameters that stand in `rows`; kept from one vector to the next, for most have the same.
/// `OfLanes` is made by its From().
template <class OfLanes, class Row>
struct ParametersOfLanes {
  OfLanes now{};
  std::size_t last = ~std::size_t{0};  ///< row that all lanes have

  HWY_INLINE const OfLanes& Find(const std::vector<Row>& rows, const std::size_t* of) {
    bool same = true;
    for (std::size_t k = 1; k < kWidth; ++k) same = same && of[k] == of[0];
    if (same && of[0] == last) return now;
    last = same ? of[0] : ~std::size_t{0};
    now = OfLanes::From([&](auto p) HWY_ATTR {
      HWY_ALIGN LaneRow x;
      for (std::size_t k = 0; k < kWidth; ++k) x[k] = static_cast<double>(std::invoke(p, rows[of[k]]));
      return hn::Load(Lanes(), x);
    });
    return now;
  }
};

/// in_series() and rolling_inertia() of the lanes.
HWY_INLINE Reals InSeries(Reals a, Reals b) { return a * b / (a + b); }
HWY_INLINE Reals RollingInertia(Reals mass, Reals radius) { return 1.4 * mass * radius * radius; }

/// Of the two bodies, for laws that read them.
template <class Partner>
HWY_INLINE void AddPair(const ContactRows<Partner>& table, const RowsOfLanes& at,
                        contact::HWY_NAMESPACE::GeometryOfLanes& g) {
  HWY_ALIGN LaneRow radius, mass;
  const std::uint32_t* parts = table.contacts.keeps_parts ? table.contacts.part.data() : nullptr;
  const auto fill = [&](auto&& body, auto&& part) {
    for (std::size_t k = 0; k < kWidth; ++k) {
      const std::size_t i = body(at.row[k]);
      const BodySize& size = table.scratch.body_size[i];
      mass[k] = size.mass;
      radius[k] = parts == nullptr ? size.radius : radius_of(table.particles, table.scratch, i, part(parts[at.row[k]]));
    }
  };
  fill([&](std::size_t r) { return table.a(r); }, [](std::uint32_t both) { return both >> 16; });
  const Reals radius_a = hn::Load(Lanes(), radius), mass_a = hn::Load(Lanes(), mass);
  g.radius = radius_a, g.mass = mass_a, g.rolling_inertia = RollingInertia(mass_a, radius_a);
  if constexpr (std::is_same_v<Partner, BodyPartner>) {
    fill([&](std::size_t r) { return table.b(r); }, [](std::uint32_t both) { return both & 0xffffu; });
    const Reals radius_b = hn::Load(Lanes(), radius), mass_b = hn::Load(Lanes(), mass);
    g.radius = InSeries(radius_a, radius_b), g.mass = InSeries(mass_a, mass_b);
    g.rolling_inertia = InSeries(g.rolling_inertia, RollingInertia(mass_b, radius_b));
  }
}

/// The two lines of a body's motion, which the vector after the next will read.
template <class Partner>
HWY_INLINE void FetchAhead(const ContactRows<Partner>& table, const std::uint32_t* rows, std::size_t begin,
                           std::size_t end) {
  for (std::size_t m = begin; m < std::min(begin + kWidth, end); ++m) {
    const std::size_t r = rows == nullptr ? m : rows[m];
    const auto fetch = [&](std::uint32_t i) {
      const char* line = reinterpret_cast<const char*>(&table.scratch.motion[i]);
      hwy::Prefetch(line), hwy::Prefetch(line + 64);
      hwy::Prefetch(&table.scratch.body_size[i]);
    };
    if constexpr (std::is_same_v<Partner, BodyPartner>) fetch(table.b(r));
    fetch(table.a(r));
  }
}

/// `kPatch` false: all contacts are points.
template <bool kPatch, class Partner, class L>
void ApplyAll(const ContactRows<Partner>& table, const std::vector<L>& laws, const std::uint32_t* rows,
              std::size_t begin, std::size_t n) {
  namespace lanes_of = contact::HWY_NAMESPACE;
  ContactTable& contacts = table.contacts;
  const Reals dt = All(table.dt);
  const bool beside = !table.scratch.beside.empty();
  ParametersOfLanes<lanes_of::LawOf<L, Reals>, L> law_of;
  ParametersOfLanes<lanes_of::BesideOf<Reals>, contact::Beside> beside_of;
  for (std::size_t done = 0; done < n; done += kWidth) {
    const RowsOfLanes at(rows, begin + done, n - done);
    FetchAhead(table, rows, begin + done + 2 * kWidth, begin + n);
    const double* bodies[kWidth];
    for (std::size_t k = 0; k < kWidth; ++k) bodies[k] = &table.scratch.motion[table.a(at.row[k])].position.x;
    std::size_t of[kWidth] = {};
    if (table.materials > 1)
      for (std::size_t k = 0; k < kWidth; ++k) of[k] = table.law(at.row[k]);
    const auto& law = law_of.Find(laws, of);

    const BodyMotionOfLanes a(bodies);
    const Reals3 arm = at.Load(contacts.point);
    const PartnerOfLanes b = PartnerOf(table, at, a, arm);
    const auto seen = RelativeMotion<lanes_of::MotionOfLanes>(a, arm, b, dt);
    auto motion = seen;
    // A zone's point is its part of a contact: the law sees what the whole would have stored.
    const bool shares = kPatch && contacts.keeps_shares;
    const Reals share = shares ? at.Load(contacts.share) : All(1), whole = shares ? All(1) / share : All(1);
    const auto whole_of = [&](const auto& column)
                              HWY_ATTR { return shares ? whole * at.Load(column) : at.Load(column); };
    const auto part_of = [&](const auto& v) HWY_ATTR { return shares ? share * v : v; };
    lanes_of::MemoryOfLanes memory{};
    memory.shear = whole_of(contacts.shear), memory.normal = at.Load(table.memory_normals);
    if constexpr (kPatch) memory.torsion = whole_of(contacts.torsion);
    memory.stored = whole_of(contacts.stored), memory.damping = whole_of(contacts.damping);
    if (kPatch && contacts.keeps_anchors) memory.damping_moment = whole_of(contacts.damping_moment);
    if (!table.scratch.dashpots.empty()) {
      HWY_ALIGN LaneRow braking;
      for (std::size_t k = 0; k < kWidth; ++k) braking[k] = table.braking(at.row[k]);
      Brake(motion, hn::Load(Lanes(), braking));
    }
    lanes_of::GeometryOfLanes g{};
    g.normal = at.Load(contacts.normal), g.depth = g.energy_depth = at.Load(contacts.depth);
    if constexpr (kPatch) g.gyration = at.Load(contacts.gyration), g.energy_depth = at.Load(contacts.energy_depth);
    if (kPatch && contacts.keeps_anchors) {
      memory.grip = CarriedGrip(at.Load(contacts.anchor), arm, a.spin, seen), g.axis = at.Load(contacts.axis);
    }
    if (L::kTraits.pair || beside) AddPair(table, at, g);
    auto w = lanes_of::ApplyLaw<kPatch, lanes_of::WrenchOfLanes>(law, g, motion, memory);
    BookDashpots(g.normal, seen, memory, w);
    at.Store(part_of(w.damping), contacts.damping);
    if (kPatch && contacts.keeps_anchors) at.Store(part_of(w.damping_moment), contacts.damping_moment);
    if (beside) {
      const auto& added = beside_of.Find(table.scratch.beside, of);
      if (contacts.keeps_rolling) {
        memory.rolling = whole_of(contacts.rolling);
        lanes_of::AddRolling(added, g, seen, lanes_of::NormalStiffness(law, g), lanes_of::ShearStiffness(law, g),
                             at.Load(table.memory_normals), memory, w);
        at.Store(part_of(memory.rolling), contacts.rolling);
      }
      lanes_of::AddPull(added.work_of_adhesion, g, w);
    }
    w.force = part_of(w.force), w.moment = part_of(w.moment);
    at.Store(part_of(memory.shear), contacts.shear), at.Store(part_of(memory.torsion), contacts.torsion);
    at.Store(part_of(memory.stored), contacts.stored), at.Store(part_of(w.lost), table.lost);
    if (kPatch && contacts.keeps_anchors) at.Store(arm + memory.grip, contacts.anchor);
    at.Store(w.force, contacts.force), at.Store(w.moment, contacts.moment);
    at.Store(part_of(w.energy), contacts.energy), at.Store(w.sliding, contacts.sliding);
    at.Store(-TorqueOn(arm, w), table.torque_a);
    if constexpr (std::is_same_v<Partner, BodyPartner>) at.Store(TorqueOn(b.arm, w), table.partner.torque);
  }
}

template <class Partner>
HWY_INLINE void ApplyKind(const ContactRows<Partner>& table, const LawColumns& laws, std::size_t kind,
                          const std::uint32_t* rows, std::size_t begin, std::size_t n) {
  const auto apply = [&]<class L>(std::size_t place, const std::vector<L>& column) HWY_ATTR {
    if constexpr (L::kTraits.lanes) {
      if (place != kind) return;
      // Contacts with walls are few: one text does.
      if constexpr (std::is_same_v<Partner, BodyPartner>) {
        if (!table.contacts.has_patches) return ApplyAll<false>(table, column, rows, begin, n);
      }
      ApplyAll<true>(table, column, rows, begin, n);
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
