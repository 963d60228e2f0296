// A whole is dealt to ranks, and put together again.
#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

#include "ranks/parcels.h"
#include "sim/pack_pair.h"
#include "sim/row_order.h"
#include "sim/spread.h"

namespace scree {

using ranks::Reader, ranks::Writer;

void pack_pair(const Particles& p, const PairTable& pairs, const ContactTable& contacts, std::size_t k,
               std::uint32_t id_b, Writer& to) {
  to.add(p.id[pairs.a[k]]), to.add(id_b);
  columns::pack_row(pairs, k, to.bytes);
  for (std::uint32_t c = 0; c < pairs.count[k]; ++c) columns::pack_row(contacts, pairs.first[k] + c, to.bytes);
}

namespace {

/// Pairs of a table with their contacts. id(b): what names partner b everywhere.
template <class Id>
void pack_pairs(const Simulation& s, const PairTable& pairs, const ContactTable& contacts,
                const std::vector<std::uint32_t>& rows, Id&& id, Writer& to) {
  to.add(rows.size());
  for (const std::uint32_t k : rows) pack_pair(s.particles, pairs, contacts, k, id(pairs.b[k]), to);
}

/// Rows of each table.
void pack_rows(const Simulation& s, const std::vector<std::uint32_t>& grains, const std::vector<std::uint32_t>& pairs,
               const std::vector<std::uint32_t>& wall_pairs, const std::vector<std::uint32_t>& bonds, Writer& to) {
  const Particles& p = s.particles;
  const auto with_contacts = [](const PairTable& of, const ContactTable& contacts,
                                const std::vector<std::uint32_t>& rows) {
    std::size_t points = 0;
    for (const std::uint32_t k : rows) points += of.count[k];
    return rows.size() * (2 * sizeof(std::uint32_t) + columns::row_bytes(of)) + points * columns::row_bytes(contacts);
  };
  constexpr std::size_t kCounts = 4 * sizeof(std::size_t);
  to.bytes.reserve(kCounts + grains.size() * columns::row_bytes(p) + with_contacts(s.pairs, s.contacts, pairs) +
                   with_contacts(s.wall_pairs, s.wall_contacts, wall_pairs) +
                   bonds.size() * columns::row_bytes(s.bonds));
  to.add(grains.size());
  for (const std::uint32_t i : grains) columns::pack_row(p, i, to.bytes);
  pack_pairs(
      s, s.pairs, s.contacts, pairs, [&](std::uint32_t b) { return p.id[b]; }, to);
  pack_pairs(
      s, s.wall_pairs, s.wall_contacts, wall_pairs, [](std::uint32_t w) { return w; }, to);
  to.add(bonds.size());
  for (const std::uint32_t r : bonds) columns::pack_row(s.bonds, r, to.bytes);
}

/// Tables from the pairs that all ranks have packed; what is in them is gone. row(id): of a particle; partner(id): the
/// row of a partner.
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

/// Fills `rows` with those that all ranks have packed, in the order of key(table, row).
template <class Table, class Key>
void unpack_rows(std::vector<Reader>& from, Table& rows, Key&& key) {
  Table one;
  if constexpr (requires { one.keep_as(rows); }) one.keep_as(rows);
  one.resize(1);
  struct Packed {
    decltype(key(one, 0)) place;
    const std::byte* bytes;
  };
  std::vector<Packed> packed;
  for (Reader& r : from) {
    for (auto n = r.take<std::size_t>(); n > 0; --n) {
      const std::byte* const at = r.at;
      r.at = columns::unpack_row(one, 0, at);
      packed.push_back({key(one, 0), at});
    }
  }
  std::ranges::sort(packed, {}, &Packed::place);
  rows.resize(packed.size());
  for (std::size_t k = 0; k < packed.size(); ++k) columns::unpack_row(rows, k, packed[k].bytes);
}

/// All that counts here.
ranks::Parcel packed(const Simulation& s) {
  const auto first = [](std::size_t n) {
    std::vector<std::uint32_t> rows(n);
    std::iota(rows.begin(), rows.end(), 0u);
    return rows;
  };
  Writer mine;
  std::vector<std::uint32_t> bonds;
  for (std::uint32_t r = 0; r < s.bonds.size(); ++r)
    if (is_own_bond(s, r)) bonds.push_back(r);
  pack_rows(s, first(s.particles.own_rows()), first(own_pairs(s)), first(s.wall_pairs.size()), bonds, mine);
  return std::move(mine.bytes);
}

/// The tables become what has been packed, in the order of the ids; what was in them is gone.
void unpack(Simulation& s, const ranks::Parcels& all) {
  Particles& p = s.particles;
  s.spread.fragments.reset();
  p.copies = 0;
  std::vector<Reader> from;
  for (const auto parcel : all)
    if (!parcel.empty()) from.emplace_back(parcel);  // a share comes from the first rank alone
  unpack_rows(from, p, [](const Particles& t, std::size_t i) { return t.id[i]; });
  const auto row = [&p](std::uint32_t id) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(p.id, id) - p.id.begin());
  };
  unpack_pairs(from, s.pairs, s.contacts, row, row);
  unpack_pairs(from, s.wall_pairs, s.wall_contacts, row, [](std::uint32_t w) { return w; });
  unpack_rows(from, s.bonds,
              [](const bond::Bonds& b, std::size_t r) { return std::tuple(b.cluster[r], b.id_a[r], b.id_b[r]); });
  bond::find_rows(s.bonds, p);
  s.scratch.reset();
}

/// All rows, and the memory that they took.
void drop_rows(Simulation& s) {
  const auto drop = [](auto& table) { table.resize(0), columns::shrink(table); };
  s.particles.copies = 0;
  drop(s.particles), drop(s.pairs), drop(s.wall_pairs), drop(s.contacts), drop(s.wall_contacts), drop(s.bonds);
  s.scratch.reset();
}

/// What grains do to walls that stand was not summed in the steps; empty where none is spread. Collective.
std::vector<OnWall> on_standing_walls(const Simulation& s) {
  std::vector<OnWall> parts = s.spread.on_standing_walls;
  if (parts.empty()) return parts;
  std::vector<ExactSum*> sums;
  for (OnWall& part : parts) each_sum(part, [&sums](ExactSum& sum) { sums.push_back(&sum); });
  s.spread.ranks->sum(sums);
  return parts;
}

/// What the ranks have counted of pairs, copies of other ranks' grains among them, becomes the first one's. Collective.
Counters counted_by_all(const Simulation& s) {
  Counters c = s.counters;
  const std::array all{&c.planes_skipped,  &c.planes_cached, &c.planes_solved, &c.planes_cold,
                       &c.planes_searched, &c.iterations,    &c.evaluations,   &c.search_bytes};
  std::array<std::int64_t, all.size()> sums{};
  for (std::size_t k = 0; k < all.size(); ++k) sums[k] = static_cast<std::int64_t>(*all[k]);
  s.spread.ranks->sum(sums);
  for (std::size_t k = 0; k < all.size(); ++k)
    *all[k] = s.spread.ranks->is_first() ? static_cast<std::uint64_t>(sums[k]) : 0;
  c.iterations_max = static_cast<std::uint64_t>(s.spread.ranks->max_of(static_cast<double>(c.iterations_max)));
  return c;
}

/// All that the ranks have, at the first one: of a part whose rows were packed, and may be gone. Collective.
struct Gathered {
  std::vector<OnWall> on_walls;
  Counters counters;
  ranks::Parcels rows;
  explicit Gathered(const Simulation& s)
      : on_walls(on_standing_walls(s)), counters(counted_by_all(s)), rows(s.spread.ranks->gather_at_first(packed(s))) {}
  void put_into(Simulation& s) const {
    for (std::size_t w = 0; w < on_walls.size(); ++w)
      if (s.walls[w].stands()) take_sums(s.walls[w], on_walls[w]);
    s.counters = counters;
    s.spread.ranks = nullptr, s.spread.foreseen.reset();
    drop_rows(s);
    if (rows.size() == 0) return;  // not the first
    unpack(s, rows);
    std::ranges::fill(s.particles.owner, 0u);
    s.census.pairs = s.pairs.size();
  }
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

/// Regions of the whole that the first rank has, by what the pairs of each grain ask for. Collective.
ranks::Regions regions_of_whole(const Simulation& s, ranks::Ranks& ranks) {
  constexpr std::size_t kMost = std::size_t{1} << 18;
  Writer w;
  if (ranks.is_first())
    for (const ranks::Regions::Sample& place : places_of_work(s, kMost, 1)) w.add(place);
  const ranks::Parcel told = ranks.tell(0, w.bytes);
  std::vector<ranks::Regions::Sample> samples;
  for (Reader r(told); !r.is_done();) samples.push_back(r.take<ranks::Regions::Sample>());
  return {std::move(samples), ranks.size()};
}

/// The state beside the tables, and what was counted of all, from the first rank. Collective.
void tell_scalars(Simulation& s, ranks::Ranks& ranks) {
  Writer w;
  visit_scalars(s, [&w]<class T>(const std::string&, const T& value) {
    if constexpr (requires { typename T::allocator_type; }) {
      w.add(value.size());
      for (const auto& v : value) w.add(v);
    } else {
      w.add(value);
    }
  });
  w.add(s.census);
  const ranks::Parcel told = ranks.tell(0, w.bytes);
  Reader r(told);
  visit_scalars(s, [&r]<class T>(const std::string&, T& value) {
    if constexpr (requires { typename T::allocator_type; }) {
      value.resize(r.take<std::size_t>());
      for (auto& v : value) v = r.take<typename T::value_type>();
    } else {
      value = r.take<T>();
    }
  });
  s.census = r.take<Census>();
}

/// What each rank gets of a whole whose rows have owners and stand in the order of the ids: in that order too.
struct Dealt {
  using OfRanks = std::vector<std::vector<std::uint32_t>>;
  OfRanks rows, pairs, wall_pairs, bonds;
  Dealt(const Simulation& s, std::size_t ranks) : rows(ranks), pairs(ranks), wall_pairs(ranks), bonds(ranks) {
    const std::vector<std::uint32_t>& owner = s.particles.owner;
    const auto give = [&](std::uint32_t k, std::uint32_t a, std::uint32_t b, OfRanks& of) {
      of[owner[a]].push_back(k);
      if (owner[a] == owner[b]) return;
      of[owner[b]].push_back(k);
      rows[owner[a]].push_back(b), rows[owner[b]].push_back(a);
    };
    for (std::uint32_t i = 0; i < owner.size(); ++i) rows[owner[i]].push_back(i);
    for (std::uint32_t k = 0; k < s.pairs.size(); ++k) give(k, s.pairs.a[k], s.pairs.b[k], pairs);
    for (std::uint32_t k = 0; k < s.wall_pairs.size(); ++k) wall_pairs[owner[s.wall_pairs.a[k]]].push_back(k);
    for (std::uint32_t r = 0; r < s.bonds.size(); ++r) give(r, s.bonds.row_a[r], s.bonds.row_b[r], bonds);
    for (std::vector<std::uint32_t>& mine : rows) {  // copies came behind
      std::ranges::sort(mine);
      mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
    }
  }
};

/// This rank's rows of the whole that the first one has. Collective.
ranks::Parcels own_share(const Simulation& s, ranks::Ranks& ranks) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 28;  // bytes on their way, so that there is no second whole
  const auto n = static_cast<std::size_t>(ranks.size());
  const Dealt dealt = ranks.is_first() ? Dealt(s, n) : Dealt({}, n);
  ranks::Parcels mine;
  for (std::size_t next = 0; next < n;) {
    std::vector<ranks::Parcel> out(n);
    for (std::size_t bytes = 0; ranks.is_first() && next < n && bytes < kAtOnce; ++next) {
      const std::size_t q = (next + 1) % n;  // its own last: it stays
      Writer w;
      pack_rows(s, dealt.rows[q], dealt.pairs[q], dealt.wall_pairs[q], dealt.bonds[q], w);
      bytes += w.bytes.size(), out[q] = std::move(w.bytes);
    }
    ranks::Parcels in = ranks.exchange(std::move(out));
    if (!in[0].empty()) mine = std::move(in);  // the first one gives, nobody else
    next = static_cast<std::size_t>(ranks.sum_of(ranks.is_first() ? static_cast<std::int64_t>(next) : 0));
  }
  return mine;
}

}  // namespace

void deal(Simulation& s, ranks::Ranks& ranks) {
  const Spread before = s.spread;  // of the last part, where a stage has changed
  s.spread = {};
  s.spread.ranks = &ranks;
  s.spread.waited_in_forces = before.waited_in_forces, s.spread.busy_when_divided = busy(s);
  s.spread.divisions = before.divisions, s.spread.last_division = ranks.max_of(before.last_division);
  if (ranks.is_first()) {
    put_rows(s, id_order(s));
    bond::find_rows(s.bonds, s.particles);
  } else {
    drop_rows(s);
  }
  tell_scalars(s, ranks);
  s.spread.regions = std::make_shared<const ranks::Regions>(regions_of_whole(s, ranks));
  Particles& p = s.particles;
  for (std::size_t i = 0; i < p.size_rows(); ++i)
    p.owner[i] = static_cast<std::uint32_t>(s.spread.regions->owner(p.place(i)));
  const ranks::Parcels mine = own_share(s, ranks);
  drop_rows(s);
  unpack(s, mine);
  put_own_first(s);
  if (ranks.is_first()) {  // as they were: what stands is not summed before the next step
    s.spread.on_standing_walls.resize(s.walls.size());
    for (std::size_t w = 0; w < s.walls.size(); ++w) s.spread.on_standing_walls[w] = sums_of(s.walls[w]);
  } else {
    s.spread.on_standing_walls.assign(s.walls.size(), OnWall{});
  }
}

void make_whole(Simulation& s) {
  if (s.spread.ranks == nullptr) return;
  const Gathered gathered(s);
  gathered.put_into(s);
}

Simulation without_rows(Simulation& s) {
  const auto tables = [](Simulation& of) {
    return std::tie(of.particles, of.pairs, of.wall_pairs, of.contacts, of.wall_contacts, of.bonds);
  };
  auto rows = std::apply([](auto&... table) { return std::tuple(std::move(table)...); }, tables(s));
  Simulation world = s;  // what is beside the columns is in both
  tables(s) = std::move(rows);
  return world;
}

std::optional<Simulation> whole_at_first(const Simulation& s) {
  if (s.spread.ranks == nullptr) return s;
  const Gathered gathered(s);
  if (!s.spread.ranks->is_first()) return {};
  Simulation whole = s;
  gathered.put_into(whole);
  return whole;
}

void take_in(Simulation& s, std::size_t first) {
  if (s.spread.ranks == nullptr) return;
  Particles& p = s.particles;
  const auto me = static_cast<std::uint32_t>(s.spread.ranks->rank());
  std::vector<char> keep(p.size_rows(), 1);
  for (std::size_t i = first; i < p.size_rows(); ++i) {
    p.owner[i] = static_cast<std::uint32_t>(s.spread.regions->owner(p.place(i)));
    keep[i] = p.owner[i] == me ? 1 : 0;
  }
  p.compact(keep);  // nothing refers to a new row yet
  s.spread.fragments.reset();
  put_own_first(s);
}

}  // namespace scree
