#include "sim/spread.h"

#include <array>
#include <tuple>
#include <unordered_map>

#include "ranks/parcels.h"

namespace scree {

using ranks::Reader, ranks::Writer;

namespace {

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

void count_pairs(Simulation& s) { s.census.pairs = sum_over_ranks(s, own_pairs(s)); }

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
  const ranks::Parcels all = s.spread.ranks->gather(std::as_bytes(std::span(s.broken)));
  s.broken.clear();
  for (const auto parcel : all) {
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
  const ranks::Parcels all = s.spread.ranks->gather_at_first(std::as_bytes(std::span(held)));
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
  for (const auto parcel : all) {
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
  const ranks::Parcels all = ranks->gather(w.bytes);
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
