#include "sim/spread.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "ranks/parcels.h"
#include "sim/pack_pair.h"
#include "sim/row_order.h"

namespace scree {

using ranks::Reader, ranks::Writer;

void pack_pair(const Particles& p, const PairTable& pairs, const ContactTable& contacts, std::size_t k,
               std::uint32_t id_b, Writer& to) {
  to.add(p.id[pairs.a[k]]), to.add(id_b);
  columns::pack_row(pairs, k, to.bytes);
  for (std::uint32_t c = 0; c < pairs.count[k]; ++c) columns::pack_row(contacts, pairs.first[k] + c, to.bytes);
}

namespace {

/// The first n pairs of a table with their contacts. id(b): what names partner b everywhere.
template <class Id>
void pack_pairs(const Simulation& s, const PairTable& pairs, const ContactTable& contacts, std::size_t n, Id&& id,
                Writer& to) {
  to.add(n);
  for (std::size_t k = 0; k < n; ++k) pack_pair(s.particles, pairs, contacts, k, id(pairs.b[k]), to);
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

/// Fills `rows` with those that all ranks have packed, in the order that less(row, row) gives.
template <class Table, class Less>
void unpack_rows(std::vector<Reader>& from, Table& rows, Less&& less) {
  std::size_t all = 0, next = 0;
  std::vector<std::size_t> counts;
  for (Reader& r : from) all += counts.emplace_back(r.take<std::size_t>());
  Table as_they_come;
  if constexpr (requires { as_they_come.keep_as(rows); }) as_they_come.keep_as(rows);
  as_they_come.resize(all);
  for (std::size_t k = 0; k < from.size(); ++k)
    for (std::size_t n = counts[k]; n > 0; --n) from[k].at = columns::unpack_row(as_they_come, next++, from[k].at);
  std::vector<std::uint32_t> order(all);
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, [&](std::uint32_t i, std::uint32_t j) { return less(as_they_come, i, j); });
  rows.resize(all);
  for (std::size_t k = 0; k < all; ++k) columns::copy_row(rows, k, as_they_come, order[k]);
}

/// All that counts here.
ranks::Parcel packed(const Simulation& s) {
  Writer mine;
  const Particles& p = s.particles;
  mine.bytes.reserve(s.bytes());  // more than enough: growing would take twice the room
  mine.add(p.own_rows());
  for (std::size_t i = 0; i < p.own_rows(); ++i) columns::pack_row(p, i, mine.bytes);
  pack_pairs(
      s, s.pairs, s.contacts, own_pairs(s), [&](std::uint32_t b) { return p.id[b]; }, mine);
  pack_pairs(
      s, s.wall_pairs, s.wall_contacts, s.wall_pairs.size(), [](std::uint32_t w) { return w; }, mine);
  std::vector<std::size_t> bonds;
  for (std::size_t r = 0; r < s.bonds.size(); ++r)
    if (is_own_bond(s, r)) bonds.push_back(r);
  mine.add(bonds.size());
  for (const std::size_t r : bonds) columns::pack_row(s.bonds, r, mine.bytes);
  return std::move(mine.bytes);
}

/// `s`, a part, becomes the whole of what the ranks have packed.
void unpack_whole(Simulation& s, const std::vector<ranks::Parcel>& all) {
  Particles& p = s.particles;
  s.spread.ranks = nullptr, s.spread.foreseen.reset();
  p.copies = 0;
  std::vector<Reader> from(all.begin(), all.end());
  unpack_rows(from, p, [](const Particles& t, std::uint32_t i, std::uint32_t j) { return t.id[i] < t.id[j]; });
  std::ranges::fill(p.owner, 0u);
  const auto row = [&p](std::uint32_t id) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(p.id, id) - p.id.begin());
  };
  unpack_pairs(from, s.pairs, s.contacts, row, row);
  unpack_pairs(from, s.wall_pairs, s.wall_contacts, row, [](std::uint32_t w) { return w; });
  unpack_rows(from, s.bonds, [](const bond::Bonds& b, std::uint32_t i, std::uint32_t j) {
    return std::tuple(b.cluster[i], b.id_a[i], b.id_b[i]) < std::tuple(b.cluster[j], b.id_a[j], b.id_b[j]);
  });
  bond::find_rows(s.bonds, p);
  s.census.pairs = s.pairs.size();
  s.scratch.reset();
}

/// What grains do to walls that stand was not summed in the steps. Collective.
void sum_on_standing_walls(Simulation& s) {
  std::vector<OnWall>& parts = s.spread.on_standing_walls;
  if (parts.empty()) return;
  std::vector<ExactSum*> sums;
  for (OnWall& part : parts) each_sum(part, [&sums](ExactSum& sum) { sums.push_back(&sum); });
  s.spread.ranks->sum(sums);
  for (std::size_t w = 0; w < s.walls.size(); ++w)
    if (s.walls[w].stands()) take_sums(s.walls[w], parts[w]);
}

/// What the ranks have counted of pairs, copies of other ranks' grains among them, becomes the first one's. Collective.
void count_at_first(Simulation& s) {
  Counters& c = s.counters;
  const std::array all{&c.planes_skipped,  &c.planes_cached, &c.planes_solved, &c.planes_cold,
                       &c.planes_searched, &c.iterations,    &c.evaluations,   &c.search_bytes};
  std::array<std::int64_t, all.size()> sums{};
  for (std::size_t k = 0; k < all.size(); ++k) sums[k] = static_cast<std::int64_t>(*all[k]);
  s.spread.ranks->sum(sums);
  for (std::size_t k = 0; k < all.size(); ++k)
    *all[k] = s.spread.ranks->is_first() ? static_cast<std::uint64_t>(sums[k]) : 0;
  c.iterations_max = static_cast<std::uint64_t>(s.spread.ranks->max_of(static_cast<double>(c.iterations_max)));
}

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

/// Regions of a whole, by what the pairs of each grain ask for; the rows stand in the order of the ids.
ranks::Regions regions_of(const Simulation& s, int ranks) {
  constexpr std::size_t kMost = std::size_t{1} << 18;
  const Particles& p = s.particles;
  const std::vector<double> work = work_of_rows(s);
  const std::size_t every = p.size_rows() / kMost + 1;
  std::vector<ranks::Regions::Sample> samples;
  for (std::size_t i = 0; i < p.size_rows(); i += every) samples.push_back({p.place(i), work[i]});
  return {std::move(samples), ranks};
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
    case parted:
      return key(0, 0, id);
    case not_finite:
      return key(1, 0, id);
    case overlap_too_deep:
      return key(f.wall ? 3 : 2, 0, id);
    case wall:
      return key(5, 0, 0);
    case too_fast:
      return key(4, of_wall(), id);  // comes after the drives, and tells its own fault in place of theirs
    case neighbours:
    case energy:
      break;
  }
  return key(6, 0, 0);
}

}  // namespace

void deal(Simulation& s, ranks::Ranks& ranks) {
  const Spread before = s.spread;  // of the last part, where a stage has changed
  s.spread = {};
  s.spread.ranks = &ranks;
  s.spread.waited_in_forces = before.waited_in_forces, s.spread.divisions = before.divisions;
  s.spread.last_division = before.last_division, s.spread.busy_when_divided = busy(s);
  put_rows(s, id_order(s));
  bond::find_rows(s.bonds, s.particles);
  Particles& p = s.particles;
  s.spread.regions = std::make_shared<const ranks::Regions>(regions_of(s, ranks.size()));
  const auto me = static_cast<std::uint32_t>(ranks.rank());
  std::vector<char> keep(p.size_rows());
  for (std::size_t i = 0; i < p.size_rows(); ++i) {
    p.owner[i] = static_cast<std::uint32_t>(s.spread.regions->owner(p.place(i)));
    keep[i] = p.owner[i] == me ? 1 : 0;
  }
  const std::vector<char> own = keep;
  const auto keep_partners = [&](std::uint32_t a, std::uint32_t b) {
    if (own[a] || own[b]) keep[a] = keep[b] = 1;
  };
  for (std::size_t k = 0; k < s.pairs.size(); ++k) keep_partners(s.pairs.a[k], s.pairs.b[k]);
  std::vector<char> bonds(s.bonds.size());
  for (std::size_t r = 0; r < bonds.size(); ++r) {
    const std::uint32_t a = s.bonds.row_a[r], b = s.bonds.row_b[r];
    keep_partners(a, b), bonds[r] = own[a] || own[b];
  }
  s.bonds.compact(bonds);
  keep_own_pairs(s, own, keep);
  p.compact(keep);
  columns::shrink(p);
  put_own_first(s);
  if (ranks.is_first()) {  // as they were: what stands is not summed before the next step
    s.spread.on_standing_walls.resize(s.walls.size());
    for (std::size_t w = 0; w < s.walls.size(); ++w) s.spread.on_standing_walls[w] = sums_of(s.walls[w]);
  } else {
    s.spread.on_standing_walls.assign(s.walls.size(), OnWall{});
  }
  s.scratch.reset();
}

void make_whole(Simulation& s) {
  if (s.spread.ranks == nullptr) return;
  sum_on_standing_walls(s), count_at_first(s);
  unpack_whole(s, s.spread.ranks->gather(packed(s)));
}

std::optional<Simulation> whole_at_first(const Simulation& s) {
  if (s.spread.ranks == nullptr) return s;
  Simulation whole = s;
  sum_on_standing_walls(whole), count_at_first(whole);
  const std::vector<ranks::Parcel> all = s.spread.ranks->gather_at_first(packed(s));
  if (!s.spread.ranks->is_first()) return {};
  unpack_whole(whole, all);
  return whole;
}

void count_pairs(Simulation& s) { s.census.pairs = sum_over_ranks(s, own_pairs(s)); }

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

std::uint64_t min_over_ranks(const Simulation& s, std::uint64_t value) {
  return s.spread.ranks == nullptr ? value : s.spread.ranks->min_of(value);
}

std::string told_by(const Simulation& s, bool mine, const std::string& text) {
  ranks::Ranks* const ranks = s.spread.ranks;
  if (ranks == nullptr) return text;
  const auto me = static_cast<std::uint64_t>(ranks->rank());
  return ranks->tell(static_cast<int>(ranks->min_of(mine ? me : ~std::uint64_t{0})), text);
}

void lay_out_copies(const Simulation& s, Scratch& scratch) {
  if (s.spread.ranks == nullptr) return;
  const Particles& p = s.particles;
  struct Sent {
    std::uint32_t rank, id, row;
    auto key() const { return std::tuple(rank, id); }
  };
  std::vector<Sent> out, in;
  const std::size_t own = p.own_rows();
  const auto look = [&](std::uint32_t a, std::uint32_t b) {
    if ((a < own) == (b < own)) return;
    const std::uint32_t mine = a < own ? a : b, copy = a < own ? b : a;
    out.push_back({p.owner[copy], p.id[mine], mine}), in.push_back({p.owner[copy], p.id[copy], copy});
  };
  for (std::size_t k = 0; k < s.pairs.size(); ++k) look(s.pairs.a[k], s.pairs.b[k]);
  for (std::size_t r = 0; r < s.bonds.size(); ++r) look(s.bonds.row_a[r], s.bonds.row_b[r]);
  const auto ranks = static_cast<std::size_t>(s.spread.ranks->size());
  const auto lay_out = [ranks](std::vector<Sent>& all, std::vector<std::uint32_t>& rows,
                               std::vector<std::size_t>& starts) {
    std::ranges::sort(all, {}, &Sent::key);
    const auto same = [](const Sent& x, const Sent& y) { return x.key() == y.key(); };
    all.erase(std::unique(all.begin(), all.end(), same), all.end());
    rows.clear(), starts.assign(ranks + 1, 0);
    for (const Sent& one : all) rows.push_back(one.row), ++starts[one.rank + 1u];
    for (std::size_t r = 0; r < ranks; ++r) starts[r + 1] += starts[r];
  };
  lay_out(out, scratch.copies.out, scratch.copies.out_starts), lay_out(in, scratch.copies.in, scratch.copies.in_starts);
}

void send_forces(Simulation& s) {
  if (s.spread.ranks == nullptr) return;
  struct OnGrain {
    Vec3 force, torque;
  };
  Particles& p = s.particles;
  update_copies<OnGrain>(
      s, scratch_of(s),
      [&p](std::uint32_t i) {
        return OnGrain{p.force[i], p.torque[i]};
      },
      [&p](std::uint32_t i, const OnGrain& on) { p.force[i] = on.force, p.torque[i] = on.torque; });
}

void share_broken(Simulation& s, std::uint64_t& broken, bool& frees_pairs) {
  if (s.spread.ranks == nullptr) return;
  std::array<std::int64_t, 2> of_all{static_cast<std::int64_t>(broken), std::int64_t{frees_pairs}};
  s.spread.ranks->sum(of_all);
  broken = static_cast<std::uint64_t>(of_all[0]), frees_pairs = of_all[1] > 0;
  if (broken == 0) return;
  const std::vector<ranks::Parcel> all = s.spread.ranks->gather(std::as_bytes(std::span(s.broken)));
  s.broken.clear();
  for (const ranks::Parcel& parcel : all) {
    for (std::size_t at = 0; at < parcel.size(); at += sizeof(bond::Event))
      std::memcpy(static_cast<void*>(&s.broken.emplace_back()), parcel.data() + at, sizeof(bond::Event));
  }
  std::ranges::sort(s.broken, {}, [](const bond::Event& e) { return std::tuple(e.cluster, e.id_a, e.id_b); });
}

std::uint64_t count_fragments(const Simulation& s) {
  if (s.spread.fragments) return *s.spread.fragments;
  struct Held {
    std::uint32_t a, b;
  };
  std::vector<Held> held;
  for (std::size_t r = 0; r < s.bonds.size(); ++r)
    if (s.bonds.alive[r] && is_own_bond(s, r)) held.push_back({s.bonds.id_a[r], s.bonds.id_b[r]});
  const std::vector<ranks::Parcel> all = s.spread.ranks->gather_at_first(std::as_bytes(std::span(held)));
  // Every bond that joins two fragments leaves one fewer.
  std::uint64_t joined = 0;
  std::unordered_map<std::uint32_t, std::uint32_t> towards;
  const auto root = [&towards](std::uint32_t id) {
    for (auto at = towards.find(id); at != towards.end(); at = towards.find(id)) {
      if (const auto next = towards.find(at->second); next != towards.end()) at->second = next->second;
      id = at->second;
    }
    return id;
  };
  for (const ranks::Parcel& parcel : all) {
    for (std::size_t at = 0; at < parcel.size(); at += sizeof(Held)) {
      Held h;
      std::memcpy(&h, parcel.data() + at, sizeof h);
      const std::uint32_t a = root(h.a), b = root(h.b);
      if (a != b) towards[std::max(a, b)] = std::min(a, b), ++joined;
    }
  }
  s.spread.fragments = s.census.grains - sum_over_ranks(s, joined);
  return *s.spread.fragments;
}

void agree(Simulation& s, const TwoLargest& foreseen) {
  ranks::Ranks* const ranks = s.spread.ranks;
  if (ranks == nullptr) return;
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  const std::uint64_t mine = s.fault ? order_of(s, *s.fault) : kNone;
  ranks::Extremes of_all{foreseen, mine};
  ranks->extremes(of_all);
  if (s.list_is_valid) s.spread.foreseen = of_all.largest;
  const std::uint64_t least = of_all.least;
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
