// Laws with a text over vector lanes on the rows of a contact table, as many at a time as a vector holds.
#include <algorithm>
#include <array>

#include "sim/contact_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/law_lanes.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

#include "base/domain-inl.h"
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
  /// `base`: the row that the column begins with.
  HWY_INLINE void Store(const Reals3& v, std::vector<Vec3>& column, std::size_t base = 0) const {
    if (in_line) return Store3(v, &column[row[0] - base]);
    HWY_ALIGN LaneRow x, y, z;
    hn::Store(v.x, Lanes(), x), hn::Store(v.y, Lanes(), y), hn::Store(v.z, Lanes(), z);
    for (std::size_t k = 0; k < count; ++k) column[row[k] - base] = {x[k], y[k], z[k]};
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

/// `arm` of a body is from its centre to that of A, until the point is known.
struct PartnerOfLanes {
  Reals3 arm, velocity, spin, gain, spin_gain;
};

HWY_INLINE PartnerOfLanes PartnerOf(const ContactRows<BodyPartner>& table, const RowsOfLanes& lanes,
                                    const BodyMotionOfLanes& a) {
  const double* rows[kWidth];
  for (std::size_t k = 0; k < kWidth; ++k) rows[k] = &table.scratch.motion[table.b(lanes.row[k])].position.x;
  const BodyMotionOfLanes b(rows);
  Reals3 d = b.place - a.place;
  if (const Domain& domain = table.partner.domain; domain.any()) d = NearestImage(domain, d);
  return {-d, b.velocity, b.spin, b.gain, b.spin_gain};
}

HWY_INLINE PartnerOfLanes PartnerOf(const ContactRows<WallPartner>& table, const RowsOfLanes& lanes,
                                    const BodyMotionOfLanes&) {
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

/// Also the rows of the two bodies.
template <class Partner>
HWY_INLINE BodyMotionOfLanes MotionOfA(const ContactRows<Partner>& table, const RowsOfLanes& lanes,
                                       std::uint32_t* row_a, std::uint32_t* row_b) {
  const double* rows[kWidth];
  for (std::size_t k = 0; k < kWidth; ++k) {
    row_a[k] = table.a(lanes.row[k]), row_b[k] = table.b(lanes.row[k]);
    rows[k] = &table.scratch.motion[row_a[k]].position.x;
  }
  return BodyMotionOfLanes(rows);
}

/// Rows of the laws at the lanes.
struct LawRows {
  std::size_t row[kWidth] = {};

  template <class Partner>
  HWY_INLINE LawRows(const ContactRows<Partner>& table, const RowsOfLanes& at) {
    if (table.materials > 1)
      for (std::size_t k = 0; k < kWidth; ++k) row[k] = table.law(at.row[k]);
  }
};

template <class Partner>
HWY_INLINE Reals BrakingOf(const ContactRows<Partner>& table, const RowsOfLanes& at) {
  HWY_ALIGN LaneRow braking;
  for (std::size_t k = 0; k < kWidth; ++k) braking[k] = table.braking(at.row[k]);
  return hn::Load(Lanes(), braking);
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

struct SizesOfLanes {
  Reals radius, mass, rolling, least;
};
/// Of the bodies at the lanes; of clumps the parts, which `part` takes from ContactTable::part.
template <class Partner, class Part>
HWY_INLINE SizesOfLanes SizesOf(const ContactRows<Partner>& table, const RowsOfLanes& at, const std::uint32_t* body,
                                Part&& part) {
  const double* rows[kWidth];
  for (std::size_t k = 0; k < kWidth; ++k) rows[k] = &table.scratch.body_size[body[k]].radius;
  Reals c[std::max<std::size_t>(4, kWidth)];
  for (std::size_t first = 0; first < 4; first += kWidth) Transpose(rows, first, c + first);
  if (!table.contacts.keeps_parts) return {c[0], c[1], c[2], c[3]};
  HWY_ALIGN LaneRow radius;
  for (std::size_t k = 0; k < kWidth; ++k)
    radius[k] = radius_of(table.particles, table.scratch, body[k], part(table.contacts.part[at.row[k]]));
  const Reals r = hn::Load(Lanes(), radius);
  return {r, c[1], RollingInertia(c[1], r), c[3]};
}

/// Of both bodies; a wall has none.
struct BothSizes {
  SizesOfLanes a, b;
};
template <class Partner>
HWY_INLINE BothSizes SizesOfBoth(const ContactRows<Partner>& table, const RowsOfLanes& at, const std::uint32_t* row_a,
                                 const std::uint32_t* row_b) {
  BothSizes size{};
  size.a = SizesOf(table, at, row_a, [](std::uint32_t both) { return both >> 16; });
  if constexpr (std::is_same_v<Partner, BodyPartner>)
    size.b = SizesOf(table, at, row_b, [](std::uint32_t both) { return both & 0xffffu; });
  return size;
}
template <class Partner>
HWY_INLINE void AddPair(const BothSizes& size, bool rolling, contact::HWY_NAMESPACE::GeometryOfLanes& g) {
  g.radius = size.a.radius, g.mass = size.a.mass, g.rolling_inertia = size.a.rolling;
  if constexpr (std::is_same_v<Partner, BodyPartner>) {
    g.radius = InSeries(size.a.radius, size.b.radius), g.mass = InSeries(size.a.mass, size.b.mass);
    if (rolling) g.rolling_inertia = InSeries(size.a.rolling, size.b.rolling);
  }
}

/// The point of two round bodies, as round_contacts (narrow/round_contacts.h) has it. `to_a`: from B's centre to A's.
HWY_INLINE Reals3 MakePoint(const Reals3& to_a, Reals radius_a, Reals radius_b, const RowsOfLanes& at,
                            ContactTable& contacts, contact::HWY_NAMESPACE::GeometryOfLanes& g) {
  const Reals3 d = -to_a;
  const Reals distance = Sqrt(norm2(d));
  g.depth = g.energy_depth = radius_a + radius_b - distance;
  g.normal = Select(distance > 0, (All(1) / distance) * d, Reals3{All(1), All(0), All(0)});
  const Reals3 point = (radius_a - 0.5 * g.depth) * g.normal;
  at.Store(point, contacts.point), at.Store(g.normal, contacts.normal), at.Store(g.depth, contacts.depth);
  return point;
}

/// The last step's memory of rows that are only laid out; zeros where they are new.
struct LastRowsOfLanes {
  std::array<std::uint32_t, kWidth> row;
  bool in_line;

  HWY_INLINE LastRowsOfLanes(const std::vector<std::uint32_t>& last_row, const RowsOfLanes& at) {
    in_line = true;
    for (std::size_t k = 0; k < kWidth; ++k) {
      row[k] = last_row[at.row[k]];
      in_line = in_line && row[k] == row[0] + k && row[k] != narrow::TouchingPair::kNew;
    }
  }
  HWY_INLINE Reals Load(const std::vector<double>& column) const {
    if (in_line) return hn::LoadU(Lanes(), &column[row[0]]);
    HWY_ALIGN LaneRow x;
    for (std::size_t k = 0; k < kWidth; ++k) x[k] = row[k] == narrow::TouchingPair::kNew ? 0 : column[row[k]];
    return hn::Load(Lanes(), x);
  }
  HWY_INLINE Reals3 Load(const std::vector<Vec3>& column) const {
    if (in_line) return Load3(&column[row[0]]);
    HWY_ALIGN LaneRow x, y, z;
    for (std::size_t k = 0; k < kWidth; ++k) {
      const Vec3 v = row[k] == narrow::TouchingPair::kNew ? Vec3{} : column[row[k]];
      x[k] = v.x, y[k] = v.y, z[k] = v.z;
    }
    return {hn::Load(Lanes(), x), hn::Load(Lanes(), y), hn::Load(Lanes(), z)};
  }
  /// As merge_memory() carries a spring: from nothing.
  HWY_INLINE auto Carry(const auto& column) const { return Zero(Load(column)); }

 private:
  static HWY_INLINE Reals Zero(Reals v) { return All(0) + v; }
  static HWY_INLINE Reals3 Zero(const Reals3& v) { return {Zero(v.x), Zero(v.y), Zero(v.z)}; }
};

template <class Partner>
HWY_INLINE contact::HWY_NAMESPACE::MemoryOfLanes LastMemory(const ContactRows<Partner>& table, const RowsOfLanes& at) {
  const LastRowsOfLanes row(table.scratch.last_row, at);
  const LastContacts& last = *table.last;
  contact::HWY_NAMESPACE::MemoryOfLanes memory{};
  memory.shear = row.Carry(last.shear), memory.normal = row.Load(last.normal);
  memory.stored = row.Carry(last.stored), memory.damping = row.Carry(last.damping);
  memory.rolling = {All(0), All(0), All(0)};
  if (table.contacts.keeps_rolling && last.rolling.size() == last.key.size()) memory.rolling = row.Carry(last.rolling);
  return memory;
}

/// What the vector after the next will read of its bodies, but of A, whose rows are in order; and what a later one will
/// of the last step: so many columns at once are more than the processor foresees.
template <class Partner>
HWY_INLINE void FetchAhead(const ContactRows<Partner>& table, const std::uint32_t* rows, std::size_t begin,
                           std::size_t end) {
  if constexpr (std::is_same_v<Partner, BodyPartner>) {
    for (std::size_t m = begin; m < std::min(begin + kWidth, end); ++m) {
      const std::uint32_t j = table.b(rows == nullptr ? m : rows[m]);
      const char* line = reinterpret_cast<const char*>(&table.scratch.motion[j]);
      hwy::Prefetch(line), hwy::Prefetch(line + 64);
      hwy::Prefetch(&table.scratch.body_size[j]);
    }
    if (const std::size_t m = begin + 2 * kWidth; table.last != nullptr && m < end) {
      const std::uint32_t last = table.scratch.last_row[rows == nullptr ? m : rows[m]];
      if (last == narrow::TouchingPair::kNew) return;
      for (const std::vector<Vec3>* column : {&table.last->normal, &table.last->shear, &table.last->damping}) {
        const char* line = reinterpret_cast<const char*>(&(*column)[last]);
        hwy::Prefetch(line), hwy::Prefetch(line + 64);
      }
    }
  }
}

/// `kPatch` false: all contacts are points.
template <bool kPatch, class Partner, class L>
void ApplyAll(const ContactRows<Partner>& table, const std::vector<L>& laws, const std::uint32_t* rows,
              std::size_t begin, std::size_t n, RowsOnA& on_a) {
  namespace lanes_of = contact::HWY_NAMESPACE;
  ContactTable& contacts = table.contacts;
  const Reals dt = All(table.dt);
  const bool beside = !table.scratch.beside.empty();
  const bool makes = !kPatch && table.last != nullptr;
  ParametersOfLanes<lanes_of::LawOf<L, Reals>, L> law_of;
  ParametersOfLanes<lanes_of::BesideOf<Reals>, contact::Beside> beside_of;
  for (std::size_t done = 0; done < n; done += kWidth) {
    const RowsOfLanes at(rows, begin + done, n - done);
    FetchAhead(table, rows, begin + done + 2 * kWidth, begin + n);
    std::uint32_t row_a[kWidth], row_b[kWidth];
    const BodyMotionOfLanes a = MotionOfA(table, at, row_a, row_b);
    const LawRows of(table, at);
    const auto& law = law_of.Find(laws, of.row);

    PartnerOfLanes b = PartnerOf(table, at, a);
    lanes_of::GeometryOfLanes g{};
    lanes_of::MemoryOfLanes memory{};
    BothSizes size{};
    if (L::kTraits.pair || beside || makes) size = SizesOfBoth(table, at, row_a, row_b);
    Reals3 arm;
    if (makes) {
      arm = MakePoint(b.arm, size.a.radius, size.b.radius, at, contacts, g);
    } else {
      arm = at.Load(contacts.point);
      g.normal = at.Load(contacts.normal), g.depth = g.energy_depth = at.Load(contacts.depth);
    }
    if constexpr (std::is_same_v<Partner, BodyPartner>) b.arm = arm + b.arm;
    const auto seen = RelativeMotion<lanes_of::MotionOfLanes>(a, arm, b, dt);
    auto motion = seen;
    // A zone's point is its part of a contact: the law sees what the whole would have stored.
    const bool shares = kPatch && contacts.keeps_shares;
    const Reals share = shares ? at.Load(contacts.share) : All(1), whole = shares ? All(1) / share : All(1);
    const auto whole_of = [&](const auto& column)
                              HWY_ATTR { return shares ? whole * at.Load(column) : at.Load(column); };
    const auto part_of = [&](const auto& v) HWY_ATTR { return shares ? share * v : v; };
    if (makes) {
      memory = LastMemory(table, at);
    } else {
      memory.shear = whole_of(contacts.shear), memory.normal = at.Load(table.memory_normals);
      if (kPatch && contacts.keeps_patches) memory.torsion = whole_of(contacts.torsion);
      memory.stored = whole_of(contacts.stored), memory.damping = whole_of(contacts.damping);
      if (contacts.keeps_rolling) memory.rolling = whole_of(contacts.rolling);
    }
    const Reals3 last_normal = memory.normal;
    if (kPatch && contacts.keeps_anchors) memory.damping_moment = whole_of(contacts.damping_moment);
    if (!table.scratch.dashpots.empty()) Brake(motion, BrakingOf(table, at));
    if (kPatch && contacts.keeps_patches)
      g.gyration = at.Load(contacts.gyration), g.energy_depth = at.Load(contacts.energy_depth);
    if (kPatch && contacts.keeps_anchors) {
      memory.grip = CarriedGrip(at.Load(contacts.anchor), arm, a.spin, seen), g.axis = at.Load(contacts.axis);
    }
    if (L::kTraits.pair || beside) AddPair<Partner>(size, beside, g);
    auto w = lanes_of::ApplyLaw<kPatch, lanes_of::WrenchOfLanes>(law, g, motion, memory);
    BookDashpots(g.normal, seen, memory, w);
    at.Store(part_of(w.damping), contacts.damping);
    if (kPatch && contacts.keeps_anchors) at.Store(part_of(w.damping_moment), contacts.damping_moment);
    if (beside) {
      const auto& added = beside_of.Find(table.scratch.beside, of.row);
      if (contacts.keeps_rolling) {
        lanes_of::AddRolling(added, g, seen, lanes_of::NormalStiffness(law, g), lanes_of::ShearStiffness(law, g),
                             last_normal, memory, w);
        at.Store(part_of(memory.rolling), contacts.rolling);
      }
      lanes_of::AddPull(added.work_of_adhesion, g, w);
    }
    w.force = part_of(w.force), w.moment = part_of(w.moment);
    at.Store(part_of(memory.shear), contacts.shear);
    if (kPatch && contacts.keeps_patches) at.Store(part_of(memory.torsion), contacts.torsion);
    at.Store(part_of(memory.stored), contacts.stored), at.Store(part_of(w.lost), on_a.lost, on_a.base);
    if (kPatch && contacts.keeps_anchors) at.Store(arm + memory.grip, contacts.anchor);
    at.Store(w.force, contacts.force);
    if (contacts.keeps_moments) at.Store(w.moment, contacts.moment);
    at.Store(part_of(w.energy), contacts.energy), at.Store(w.sliding, contacts.sliding);
    at.Store(-TorqueOn(arm, w), on_a.torque, on_a.base);
    if constexpr (std::is_same_v<Partner, BodyPartner>) at.Store(TorqueOn(b.arm, w), table.partner.torque);
  }
}

void MakePoints(const ContactRows<BodyPartner>& table, std::size_t begin, std::size_t end) {
  for (std::size_t r = begin; r < end; r += kWidth) {
    const RowsOfLanes at(nullptr, r, end - r);
    std::uint32_t row_a[kWidth], row_b[kWidth];
    const BodyMotionOfLanes a = MotionOfA(table, at, row_a, row_b);
    const auto none = [](std::uint32_t) { return 0u; };
    contact::HWY_NAMESPACE::GeometryOfLanes g{};
    MakePoint(PartnerOf(table, at, a).arm, SizesOf(table, at, row_a, none).radius,
              SizesOf(table, at, row_b, none).radius, at, table.contacts, g);
  }
}

template <class Partner, class L>
void RatesOfAll(const ContactRows<Partner>& table, const std::vector<L>& laws, const std::uint32_t* rows,
                std::size_t begin, std::size_t n, std::vector<double>& of_a, std::vector<double>& of_b) {
  namespace lanes_of = contact::HWY_NAMESPACE;
  const ContactTable& contacts = table.contacts;
  ParametersOfLanes<lanes_of::LawOf<L, Reals>, L> law_of;
  for (std::size_t done = 0; done < n; done += kWidth) {
    const RowsOfLanes at(rows, begin + done, n - done);
    FetchAhead(table, rows, begin + done + 2 * kWidth, begin + n);
    std::uint32_t row_a[kWidth], row_b[kWidth];
    const BodyMotionOfLanes a = MotionOfA(table, at, row_a, row_b);
    const LawRows of(table, at);
    const BothSizes size = SizesOfBoth(table, at, row_a, row_b);
    lanes_of::GeometryOfLanes g{};
    g.normal = at.Load(contacts.normal), g.depth = at.Load(contacts.depth);
    if (contacts.keeps_patches) g.gyration = at.Load(contacts.gyration);
    AddPair<Partner>(size, false, g);
    auto c = lanes_of::DashpotsAt(law_of.Find(laws, of.row), g);
    if (contacts.keeps_shares) {
      const Reals share = at.Load(contacts.share);
      c.normal = share * c.normal, c.shear = share * c.shear;
    }
    const Reals3 arm = at.Load(contacts.point);
    at.Store(RateOfDashpots(c, g.normal, g.gyration, arm, size.a.mass, size.a.least), of_a);
    if constexpr (std::is_same_v<Partner, BodyPartner>) {
      const Reals3 of_other = arm + PartnerOf(table, at, a).arm;
      at.Store(RateOfDashpots(c, g.normal, g.gyration, of_other, size.b.mass, size.b.least), of_b);
    }
  }
}

/// f(laws) of the alternative `kind` of Law.
template <class F>
HWY_INLINE void OfKind(const LawColumns& laws, std::size_t kind, F&& f) {
  const auto one = [&]<class L>(std::size_t place, const std::vector<L>& column) HWY_ATTR {
    if constexpr (L::kTraits.lanes) {
      if (place == kind) f(column);
    }
  };
  std::apply(
      [&](const auto&... column) HWY_ATTR {
        std::size_t place = 0;
        (one(place++, column), ...);
      },
      laws);
}

void RatesOfBodies(const ContactRows<BodyPartner>& table, const LawColumns& laws, std::size_t kind,
                   const std::uint32_t* rows, std::size_t begin, std::size_t n, std::vector<double>& of_a,
                   std::vector<double>& of_b) {
  OfKind(laws, kind, [&](const auto& column) HWY_ATTR { RatesOfAll(table, column, rows, begin, n, of_a, of_b); });
}
void RatesOnWalls(const ContactRows<WallPartner>& table, const LawColumns& laws, std::size_t kind,
                  const std::uint32_t* rows, std::size_t begin, std::size_t n, std::vector<double>& of_a,
                  std::vector<double>& none) {
  OfKind(laws, kind, [&](const auto& column) HWY_ATTR { RatesOfAll(table, column, rows, begin, n, of_a, none); });
}

template <class Partner>
HWY_INLINE void ApplyKind(const ContactRows<Partner>& table, const LawColumns& laws, std::size_t kind,
                          const std::uint32_t* rows, std::size_t begin, std::size_t n, RowsOnA& on_a) {
  OfKind(laws, kind, [&](const auto& column) HWY_ATTR {
    // Contacts with walls are few: one text does.
    if constexpr (std::is_same_v<Partner, BodyPartner>) {
      if (!table.contacts.keeps_patches) return ApplyAll<false>(table, column, rows, begin, n, on_a);
    }
    ApplyAll<true>(table, column, rows, begin, n, on_a);
  });
}

void ApplyToBodies(const ContactRows<BodyPartner>& table, const LawColumns& laws, std::size_t kind,
                   const std::uint32_t* rows, std::size_t begin, std::size_t n, RowsOnA& on_a) {
  ApplyKind(table, laws, kind, rows, begin, n, on_a);
}
void ApplyToWalls(const ContactRows<WallPartner>& table, const LawColumns& laws, std::size_t kind,
                  const std::uint32_t* rows, std::size_t begin, std::size_t n, RowsOnA& on_a) {
  ApplyKind(table, laws, kind, rows, begin, n, on_a);
}

}  // namespace scree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scree {

HWY_EXPORT(MakePoints);
HWY_EXPORT(RatesOfBodies);
HWY_EXPORT(RatesOnWalls);
HWY_EXPORT(ApplyToBodies);
HWY_EXPORT(ApplyToWalls);

void dashpots_by_lanes(const ContactRows<BodyPartner>& table, const LawColumns& laws, std::size_t kind,
                       const std::uint32_t* rows, std::size_t begin, std::size_t n, std::vector<double>& of_a,
                       std::vector<double>& of_b) {
  HWY_DYNAMIC_DISPATCH(RatesOfBodies)(table, laws, kind, rows, begin, n, of_a, of_b);
}
void dashpots_by_lanes(const ContactRows<WallPartner>& table, const LawColumns& laws, std::size_t kind,
                       const std::uint32_t* rows, std::size_t begin, std::size_t n, std::vector<double>& of_a,
                       std::vector<double>& none) {
  HWY_DYNAMIC_DISPATCH(RatesOnWalls)(table, laws, kind, rows, begin, n, of_a, none);
}
void make_points(const ContactRows<BodyPartner>& table, std::size_t begin, std::size_t end) {
  HWY_DYNAMIC_DISPATCH(MakePoints)(table, begin, end);
}
void apply_by_lanes(const ContactRows<BodyPartner>& table, const LawColumns& laws, std::size_t kind,
                    const std::uint32_t* rows, std::size_t begin, std::size_t n, RowsOnA& on_a) {
  HWY_DYNAMIC_DISPATCH(ApplyToBodies)(table, laws, kind, rows, begin, n, on_a);
}
void apply_by_lanes(const ContactRows<WallPartner>& table, const LawColumns& laws, std::size_t kind,
                    const std::uint32_t* rows, std::size_t begin, std::size_t n, RowsOnA& on_a) {
  HWY_DYNAMIC_DISPATCH(ApplyToWalls)(table, laws, kind, rows, begin, n, on_a);
}

}  // namespace scree
#endif
