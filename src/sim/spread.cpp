#include "sim/spread.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "base/timer.h"
#include "sim/row_order.h"

namespace scree {

namespace {

constexpr double kDecay = 1.1;  // of the pairs of the busiest rank, against those when they were dealt

/// Halves of the grains for halves of the ranks, along the longest side of what holds them. Whatever order the rows
/// have, a grain gets the same owner.
class Bisection {
 public:
  Bisection(const Particles& p, std::uint32_t ranks) : owner_(p.size_rows()) {
    grains_.reserve(p.size_rows());
    for (std::size_t i = 0; i < p.size_rows(); ++i) {
      Vec3 x = p.place(i);
      for (std::size_t a = 0; a < 3; ++a)
        if (!std::isfinite(x[a])) x[a] = 0;
      grains_.push_back({x, p.id[i], static_cast<std::uint32_t>(i)});
    }
    divide(0, grains_.size(), 0, ranks);
  }
  std::vector<std::uint32_t> owners() && { return std::move(owner_); }

 private:
  struct Grain {
    Vec3 x;
    std::uint32_t id, row;
  };

  void divide(std::size_t begin, std::size_t end, std::uint32_t first, std::uint32_t ranks) {
    if (ranks == 1) {
      for (std::size_t k = begin; k < end; ++k) owner_[grains_[k].row] = first;
      return;
    }
    const std::size_t axis = longest_side(begin, end);
    const std::uint32_t left = ranks / 2;
    const std::size_t middle = begin + (end - begin) * left / ranks;
    const auto at = [this](std::size_t k) { return grains_.begin() + static_cast<std::ptrdiff_t>(k); };
    std::nth_element(at(begin), at(middle), at(end), [axis](const Grain& a, const Grain& b) {
      return a.x[axis] != b.x[axis] ? a.x[axis] < b.x[axis] : a.id < b.id;
    });
    divide(begin, middle, first, left);
    divide(middle, end, first + left, ranks - left);
  }
  std::size_t longest_side(std::size_t begin, std::size_t end) const {
    constexpr double kFar = std::numeric_limits<double>::infinity();
    Vec3 low{kFar, kFar, kFar}, high{-kFar, -kFar, -kFar};
    for (std::size_t k = begin; k < end; ++k) {
      for (std::size_t a = 0; a < 3; ++a)
        low[a] = std::min(low[a], grains_[k].x[a]), high[a] = std::max(high[a], grains_[k].x[a]);
    }
    std::size_t axis = 0;
    for (std::size_t a = 1; a < 3; ++a)
      if (high[a] - low[a] > high[axis] - low[axis]) axis = a;
    return axis;
  }

  std::vector<Grain> grains_;
  std::vector<std::uint32_t> owner_;
};

/// Puts own rows first; within both parts the order stays.
void put_own_first(Simulation& s) {
  Particles& p = s.particles;
  const auto me = static_cast<std::uint32_t>(s.spread.ranks->rank());
  std::vector<std::uint32_t> rows(p.size_rows());
  std::iota(rows.begin(), rows.end(), 0u);
  const auto others =
      std::stable_partition(rows.begin(), rows.end(), [&](std::uint32_t i) { return p.owner[i] == me; });
  const auto copies = static_cast<std::size_t>(rows.end() - others);
  if (!std::is_sorted(rows.begin(), rows.end())) put_rows(s, rows_in(s, std::move(rows)));
  p.copies = copies;
  bond::find_rows(s.bonds, p);
}

/// Bytes, one after the other.
class Writer {
 public:
  template <class T>
  void add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* from = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), from, from + sizeof value);
  }
  void add_text(const std::string& text) {
    add(text.size());
    for (const char c : text) add(c);
  }
  ranks::Parcel bytes;
};
class Reader {
 public:
  explicit Reader(const ranks::Parcel& parcel) : at(parcel.data()) {}
  template <class T>
  T take() {
    T value;
    std::memcpy(&value, at, sizeof value), at += sizeof value;
    return value;
  }
  std::string take_text() {
    std::string text(take<std::size_t>(), ' ');
    for (char& c : text) c = take<char>();
    return text;
  }
  const std::byte* at;
};

/// The first n pairs of a table with their contacts. id(b): what names partner b everywhere.
template <class Id>
void pack_pairs(const Simulation& s, const PairTable& pairs, const ContactTable& contacts, std::size_t n, Id&& id,
                Writer& to) {
  to.add(n);
  for (std::size_t k = 0; k < n; ++k) {
    to.add(s.particles.id[pairs.a[k]]), to.add(id(pairs.b[k]));
    columns::pack_row(pairs, k, to.bytes);
    for (std::uint32_t c = 0; c < pairs.count[k]; ++c) columns::pack_row(contacts, pairs.first[k] + c, to.bytes);
  }
}

/// Tables from the pairs that all ranks have packed; what is in them is gone. row(id): of a particle; `key(b)`, by
/// which the pairs of one A stand in order; partner(id): the row of a partner.
template <class Row, class Partner>
void unpack_pairs(std::vector<Reader>& from, PairTable& pairs, ContactTable& contacts, Row&& row, Partner&& partner) {
  struct Packed {
    std::uint32_t a, b;  ///< rows, which ascend with the ids
    const std::byte* bytes;
  };
  PairTable one;
  one.keep_as(pairs);
  one.resize(1);
  const std::size_t bytes_of_contact = columns::row_bytes(contacts);
  std::vector<Packed> packed;
  std::size_t points = 0;
  for (Reader& r : from) {
    for (auto n = r.take<std::size_t>(); n > 0; --n) {
      const std::uint32_t a = row(r.take<std::uint32_t>()), b = partner(r.take<std::uint32_t>());
      packed.push_back({a, b, r.at});
      r.at = columns::unpack_row(one, 0, r.at) + one.count[0] * bytes_of_contact;
      points += one.count[0];
    }
  }
  std::ranges::sort(packed, [](const Packed& x, const Packed& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
  pairs.resize(packed.size()), contacts.resize(points);
  std::uint32_t next = 0;
  for (std::size_t k = 0; k < packed.size(); ++k) {
    const std::byte* at = columns::unpack_row(pairs, k, packed[k].bytes);
    pairs.a[k] = packed[k].a, pairs.b[k] = packed[k].b, pairs.first[k] = next;
    for (std::uint32_t c = 0; c < pairs.count[k]; ++c, ++next) {
      at = columns::unpack_row(contacts, next, at);
      contacts.pair[next] = static_cast<std::uint32_t>(k);
    }
  }
}

/// Where a fault stands among those that one step can have: the order in which a step looks for them, of several the
/// one of lowest id. Those of walls alone are the same on every rank.
std::uint64_t order_of(const Simulation& s, const Fault& f) {
  using enum Fault::Kind;
  const std::uint64_t id = f.ids.empty() ? 0 : f.ids[0];
  const auto of_wall = [&] {
    const auto w = std::ranges::find_if(s.walls, [&](const Wall& wall) { return wall.id == f.wall; });
    return static_cast<std::uint64_t>(w - s.walls.begin());
  };
  const auto key = [](std::uint64_t check, std::uint64_t wall, std::uint64_t grain) {
    return check << 60 | wall << 32 | grain;
  };
  switch (f.kind) {
    case not_finite:
      return key(1, 0, id);
    case overlap_too_deep:
      return key(f.wall ? 3 : 2, 0, id);
    case wall:
      return key(4, 0, 0);
    case too_fast:
      return key(5, of_wall(), id);
    case neighbours:
    case energy:
      break;
  }
  return key(6, 0, 0);
}

}  // namespace

void deal(Simulation& s, ranks::Ranks& ranks) {
  s.spread = {&ranks};
  Particles& p = s.particles;
  put_rows(s, id_order(s));
  p.owner = Bisection(p, static_cast<std::uint32_t>(ranks.size())).owners();
  put_own_first(s);
  keep_own_pairs(s);
  s.scratch.reset();
}

void make_whole(Simulation& s) {
  if (s.spread.ranks == nullptr) return;
  Writer mine;
  Particles& p = s.particles;
  mine.add(p.own_rows());
  for (std::size_t i = 0; i < p.own_rows(); ++i) mine.add(p.id[i]), mine.add(p.lost[i]);
  pack_pairs(
      s, s.pairs, s.contacts, own_pairs(s), [&](std::uint32_t b) { return p.id[b]; }, mine);
  pack_pairs(
      s, s.wall_pairs, s.wall_contacts, s.wall_pairs.size(), [](std::uint32_t w) { return w; }, mine);
  const std::vector<ranks::Parcel> all = s.spread.ranks->gather(mine.bytes);
  s.spread = {};
  p.copies = 0;
  s.pairs.resize(0), s.contacts.resize(0), s.wall_pairs.resize(0), s.wall_contacts.resize(0);
  put_rows(s, id_order(s));
  std::ranges::fill(p.owner, 0u);
  bond::find_rows(s.bonds, p);
  const auto row = [&p](std::uint32_t id) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(p.id, id) - p.id.begin());
  };
  std::vector<Reader> from(all.begin(), all.end());
  for (Reader& r : from)
    for (auto n = r.take<std::size_t>(); n > 0; --n) {
      const std::uint32_t i = row(r.take<std::uint32_t>());
      p.lost[i] = r.take<Vec3>();
    }
  unpack_pairs(from, s.pairs, s.contacts, row, row);
  unpack_pairs(from, s.wall_pairs, s.wall_contacts, row, [](std::uint32_t w) { return w; });
  s.census.pairs = s.pairs.size();
  s.scratch.reset();
}

Simulation whole_of(const Simulation& s) {
  Simulation whole = s;
  make_whole(whole);
  return whole;
}

void deal_again_if_due(Simulation& s) {
  const Spread at = s.spread;
  if (at.ranks == nullptr || static_cast<double>(at.most_pairs) <= kDecay * static_cast<double>(at.most_when_dealt))
    return;
  const Census census = s.census;
  make_whole(s);
  deal(s, *at.ranks);
  s.census = census;
}

void count_pairs(Simulation& s) {
  s.census.pairs = sum_over_ranks(s, own_pairs(s));
  Spread& spread = s.spread;
  if (spread.ranks == nullptr) return;
  spread.most_pairs = static_cast<std::uint64_t>(max_over_ranks(s, static_cast<double>(s.pairs.size())));
  if (spread.most_when_dealt == 0) spread.most_when_dealt = spread.most_pairs;
}

void take_in(Simulation& s, std::size_t first) {
  if (s.spread.ranks == nullptr) return;
  Particles& p = s.particles;
  for (std::size_t i = first; i < p.size_rows(); ++i)
    p.owner[i] = p.id[i] % static_cast<std::uint32_t>(s.spread.ranks->size());
  put_own_first(s);
}

std::size_t own_pairs(const Simulation& s) {
  if (s.particles.copies == 0) return s.pairs.size();
  return static_cast<std::size_t>(std::ranges::lower_bound(s.pairs.a, s.particles.own_rows()) - s.pairs.a.begin());
}

std::size_t own_contacts(const Simulation& s) {
  if (s.particles.copies == 0) return s.contacts.size();
  const std::size_t pairs = own_pairs(s);
  return static_cast<std::size_t>(std::ranges::lower_bound(s.contacts.pair, pairs) - s.contacts.pair.begin());
}

void sum_over_ranks(const Simulation& s, std::span<ExactSum* const> sums) {
  if (s.spread.ranks != nullptr) s.spread.ranks->sum(sums);
}

double max_over_ranks(const Simulation& s, double value) {
  return s.spread.ranks == nullptr ? value : s.spread.ranks->max_of(value);
}

void lay_out_places(const Simulation& s, Scratch& scratch) {
  if (s.spread.ranks == nullptr) return;
  const Particles& p = s.particles;
  Places& at = scratch.places;
  at.starts.assign(static_cast<std::size_t>(s.spread.ranks->size()) + 1, 0);
  for (const std::uint32_t owner : p.owner) ++at.starts[owner + 1u];
  for (std::size_t r = 1; r < at.starts.size(); ++r) at.starts[r] += at.starts[r - 1];
  at.row.resize(p.size_rows());
  std::iota(at.row.begin(), at.row.end(), 0u);
  std::ranges::sort(at.row, [&p](std::uint32_t i, std::uint32_t j) {
    return p.owner[i] != p.owner[j] ? p.owner[i] < p.owner[j] : p.id[i] < p.id[j];
  });
}

void share_forces(Simulation& s) {
  if (s.spread.ranks == nullptr) return;
  struct OnGrain {
    Vec3 force, torque;
  };
  Particles& p = s.particles;
  share_rows<OnGrain>(
      s, scratch_of(s),
      [&p](std::uint32_t i) {
        return OnGrain{p.force[i], p.torque[i]};
      },
      [&p](std::uint32_t i, const OnGrain& on) { p.force[i] = on.force, p.torque[i] = on.torque; });
}

void agree_on_fault(Simulation& s) {
  ranks::Ranks* const ranks = s.spread.ranks;
  if (ranks == nullptr) return;
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  const std::uint64_t mine = s.fault ? order_of(s, *s.fault) : kNone, least = ranks->min_of(mine);
  if (least == kNone) return;
  const auto who = ranks->min_of(mine == least ? static_cast<std::uint64_t>(ranks->rank()) : kNone);
  Writer w;
  if (mine == least) {
    const Fault& f = *s.fault;
    w.add(f.kind), w.add(f.place), w.add(f.wall.has_value()), w.add(f.wall.value_or(0));
    w.add(f.ids.size());
    for (const std::uint32_t id : f.ids) w.add(id);
    w.add_text(f.message), w.add_text(f.advice);
  }
  const std::vector<ranks::Parcel> all = ranks->gather(w.bytes);
  Reader r(all[who]);
  Fault f;
  f.kind = r.take<Fault::Kind>(), f.place = r.take<Vec3>();
  const auto has_wall = r.take<bool>();
  const auto wall = r.take<std::uint32_t>();
  if (has_wall) f.wall = wall;
  f.ids.resize(r.take<std::size_t>());
  for (std::uint32_t& id : f.ids) id = r.take<std::uint32_t>();
  f.message = r.take_text(), f.advice = r.take_text();
  s.fault = std::move(f);
}

}  // namespace scree
