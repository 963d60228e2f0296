// The end of a list where the state is spread over ranks: grains go to who owns the place where they lie, and every
// rank gets copies of the grains near its own.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "base/timer.h"
#include "exec/parallel.h"
#include "ranks/parcels.h"
#include "sim/pack_pair.h"
#include "sim/spread.h"

namespace scree {

using ranks::Parcel, ranks::Reader, ranks::Writer;

std::vector<ranks::Regions::Sample> places_of_work(const Simulation& s, std::size_t most, double of_all) {
  constexpr double kOfRow = 8;  // pairs that a row without any is worth
  const std::size_t own = s.particles.own_rows();
  std::vector<double> work(s.particles.size_rows(), kOfRow);
  for (std::size_t k = 0; k < s.pairs.size(); ++k) ++work[s.pairs.a[k]], ++work[s.pairs.b[k]];
  const double all = std::accumulate(work.begin(), work.begin() + static_cast<std::ptrdiff_t>(own), 0.0);
  const double each =
      all / static_cast<double>(most);  // of the places that a row stands for, if not all rows are taken
  std::vector<ranks::Regions::Sample> places;
  double passed = 0, next = each / 2;
  for (std::size_t i = 0; i < own; ++i) {
    double weight = own <= most ? work[i] : 0;
    passed += work[i];
    while (own > most && next < passed) next += each, weight += each;
    if (weight > 0) places.push_back({s.particles.place(i), weight / all * of_all});
  }
  return places;
}

double busy(const Simulation& s) {
  const Counters& c = s.counters;
  return c.seconds_planes + c.seconds_points + c.seconds_forces + c.seconds_integrate - s.spread.waited_in_forces;
}

namespace home {

namespace {

constexpr std::size_t kGrain = 2048;

/// Of a value of each rank (s), the largest and the mean. Collective.
struct Spans {
  double most = 0, mean = 0;
};
Spans over_ranks(ranks::Ranks& ranks, double seconds) {
  constexpr double kTicks = 1e9;
  return {ranks.max_of(seconds), static_cast<double>(ranks.sum_of(static_cast<std::int64_t>(kTicks * seconds))) /
                                     kTicks / static_cast<double>(ranks.size())};
}

/// Divides space anew where the busiest rank has lost more time against the others than a division takes. A clock
/// decides, and no bit depends on it: a region says who computes a pair, never what comes out.
void divide_again_if_due(Simulation& s) {
  constexpr double kUneven = 1.05, kWorth = 2, kLeast = 1e-9;
  constexpr std::size_t kSamples = std::size_t{1} << 18, kLeastOfRank = 256;
  Spread& spread = s.spread;
  ranks::Ranks& ranks = *spread.ranks;
  const double mine = busy(s) - spread.busy_when_divided;
  const auto [most, mean] = over_ranks(ranks, mine);
  if (!(most > kUneven * mean) || !(most - mean > kWorth * spread.last_division)) return;
  const Stopwatch took;
  Writer w;
  for (const ranks::Regions::Sample& place : places_of_work(
           s, std::max(kSamples / static_cast<std::size_t>(ranks.size()), kLeastOfRank), std::max(mine, kLeast)))
    w.add(place);
  std::vector<ranks::Regions::Sample> samples;
  for (const auto parcel : ranks.gather(w.bytes))
    for (Reader r(parcel); !r.is_done();) samples.push_back(r.take<ranks::Regions::Sample>());
  spread.regions = std::make_shared<const ranks::Regions>(std::move(samples), ranks.size());
  spread.busy_when_divided = busy(s), ++spread.divisions;
  spread.last_division = ranks.max_of(took.seconds());
}

/// Owners of the two of each bond.
using Owners = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// What own row i takes with it.
void pack_grain(const Simulation& s, const Scratch& scratch, const Owners& owners, std::uint32_t i, Writer& to) {
  const Particles& p = s.particles;
  columns::pack_row(p, i, to.bytes);
  to.add(scratch.as_b_start[i + 1] - scratch.as_b_start[i] + scratch.as_a_start[i + 1] - scratch.as_a_start[i]);
  for (std::uint32_t e = scratch.as_b_start[i]; e < scratch.as_b_start[i + 1]; ++e)
    pack_pair(p, s.pairs, s.contacts, scratch.as_b[e], p.id[i], to);
  for (std::uint32_t k = scratch.as_a_start[i]; k < scratch.as_a_start[i + 1]; ++k)
    pack_pair(p, s.pairs, s.contacts, k, p.id[s.pairs.b[k]], to);
  to.add(scratch.wall_start[i + 1] - scratch.wall_start[i]);
  for (std::uint32_t k = scratch.wall_start[i]; k < scratch.wall_start[i + 1]; ++k)
    pack_pair(p, s.wall_pairs, s.wall_contacts, k, s.wall_pairs.b[k], to);
  const std::vector<std::uint32_t>& start = scratch.bonds_of.start;
  const std::uint32_t bonds = s.has_clusters ? start[i + 1] - start[i] : 0;
  to.add(bonds);
  for (std::uint32_t e = 0; e < bonds; ++e) {
    const std::uint32_t r = scratch.bonds_of.entry[start[i] + e] >> 1;
    columns::pack_row(s.bonds, r, to.bytes);
    to.add(owners[r].first), to.add(owners[r].second);
  }
}

/// Puts pairs and their contacts behind those that are there: rows of pairs, whose ends are ids.
void take_pairs(Reader& r, PairTable& pairs, ContactTable& contacts) {
  for (auto n = r.take<std::uint32_t>(); n > 0; --n) {
    const auto a = r.take<std::uint32_t>(), b = r.take<std::uint32_t>();
    const std::size_t k = pairs.size();
    columns::resize_lean(pairs, k + 1);
    r.at = columns::unpack_row(pairs, k, r.at);
    pairs.a[k] = a, pairs.b[k] = b, pairs.first[k] = static_cast<std::uint32_t>(contacts.size());
    for (std::uint32_t c = 0; c < pairs.count[k]; ++c) {
      const std::size_t row = contacts.size();
      columns::resize_lean(contacts, row + 1);
      r.at = columns::unpack_row(contacts, row, r.at);
    }
  }
}

template <class Table>
void take_row(Reader& r, Table& t) {
  const std::size_t row = t.size();
  columns::resize_lean(t, row + 1);
  r.at = columns::unpack_row(t, row, r.at);
}
void take_row(Reader& r, Particles& p) {
  const std::size_t row = p.size_rows();
  columns::resize_lean(p, row + 1);
  r.at = columns::unpack_row(p, row, r.at);
}

/// Bonds in their order, each once, with the owners of its two.
void put_in_order(bond::Bonds& bonds, Owners& owners) {
  const auto key = [&](std::size_t r) { return std::tuple(bonds.cluster[r], bonds.id_a[r], bonds.id_b[r]); };
  std::vector<std::uint32_t> order(bonds.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, key);
  const auto same = [&](std::uint32_t x, std::uint32_t y) { return key(x) == key(y); };
  order.erase(std::unique(order.begin(), order.end(), same), order.end());
  bond::Bonds sorted;
  Owners owners_sorted;
  sorted.resize(order.size());
  for (std::size_t r = 0; r < order.size(); ++r) {
    columns::copy_row(sorted, r, bonds, order[r]);
    owners_sorted.push_back(owners[order[r]]);
  }
  bonds = std::move(sorted), owners = std::move(owners_sorted);
}

/// Own grains of about one size: where they are, and how wide the widest is.
struct Group {
  Vec3 low, high;
  double widest = 0;
};
std::vector<Group> groups_of(const Particles& p) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  std::map<int, Group> by_size;
  for (std::size_t i = 0; i < p.own_rows(); ++i) {
    int octave = 0;
    std::frexp(p.radius[i], &octave);
    Group& g = by_size.try_emplace(octave, Group{{kFar, kFar, kFar}, {-kFar, -kFar, -kFar}}).first->second;
    for (std::size_t a = 0; a < 3; ++a)
      g.low[a] = std::min(g.low[a], p.position[i][a]), g.high[a] = std::max(g.high[a], p.position[i][a]);
    g.widest = std::max(g.widest, p.radius[i]);
  }
  std::vector<Group> groups;
  for (const auto& [octave, g] : by_size) groups.push_back(g);
  return groups;
}

/// Square of the distance between two boxes, or a box and a point, over all images (m^2).
double distance2(const Domain& domain, Vec3 low, Vec3 high, const Group& g) {
  Vec3 d;
  for (std::size_t a = 0; a < 3; ++a) {
    const auto apart = [&](double shift) {
      return std::max({0.0, g.low[a] - (high[a] + shift), low[a] + shift - g.high[a]});
    };
    d[a] = apart(0);
    if (domain.periodic[a]) d[a] = std::min({d[a], apart(domain.period(a)), apart(-domain.period(a))});
  }
  return norm2(d);
}

/// When the rows have changed.
void find_bonds(Simulation& s, Scratch& scratch) {
  scratch.knows_units = false;
  if (!s.has_clusters) return;
  bond::find_rows(s.bonds, s.particles);
  lay_out_bonds(s, scratch);
}

/// Rows of particles by their ids.
class RowOf {
 public:
  explicit RowOf(const Particles& p) {
    for (std::uint32_t i = 0; i < p.size_rows(); ++i) rows_.emplace_back(p.id[i], i);
    std::ranges::sort(rows_);
  }
  std::uint32_t operator()(std::uint32_t id) const {
    const auto at = std::ranges::lower_bound(rows_, std::pair(id, 0u));
    return at != rows_.end() && at->first == id ? at->second : kGone;
  }

 private:
  std::vector<std::pair<std::uint32_t, std::uint32_t>> rows_;
};

/// What a rank makes of a copy of another's grain by stepping it.
struct Stepped {
  std::uint32_t id, owner;
  Vec3 x, v, l;
  Quat q;
  bool is_as(const Particles& p, std::size_t i) const {
    const auto same = []<class T>(const T& a, const T& b) {
      using Bits = std::array<std::uint64_t, sizeof(T) / sizeof(double)>;
      return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
    };
    return same(x, p.position[i]) && same(q, p.orientation[i]) && same(v, p.velocity[i]) &&
           same(l, p.angular_momentum[i]);
  }
};
std::vector<Stepped> copies_of(const Particles& p) {
  std::vector<Stepped> copies;
  copies.reserve(p.copies);
  for (std::size_t i = p.own_rows(); i < p.size_rows(); ++i)
    copies.push_back({p.id[i], p.owner[i], p.position[i], p.velocity[i], p.angular_momentum[i], p.orientation[i]});
  std::ranges::sort(copies, {}, &Stepped::id);
  return copies;
}

/// Equal inputs give equal bits: where a copy has come to others than its owner's, one of the two has computed wrongly.
/// Rows from `came` on were copies here, or were not here at all.
void compare_copies(Simulation& s, const std::vector<Stepped>& copies, std::size_t came) {
  const Particles& p = s.particles;
  const Stepped* first = nullptr;
  for (std::size_t i = came; i < p.size_rows(); ++i) {
    const auto copy = std::ranges::lower_bound(copies, p.id[i], {}, &Stepped::id);
    if (copy == copies.end() || copy->id != p.id[i] || copy->is_as(p, i)) continue;
    if (first == nullptr || copy->id < first->id) first = &*copy;
  }
  if (first == nullptr) return;
  s.fault = Fault{Fault::Kind::parted,
                  "particle " + std::to_string(first->id) + " is not the same for " +
                      name_of(*s.spread.ranks, s.spread.ranks->rank()) + " and for " +
                      name_of(*s.spread.ranks, static_cast<int>(first->owner)) + ", which both compute it, at step " +
                      std::to_string(s.step),
                  {first->id},
                  first->x,
                  {},
                  "broken memory, or processors that compute with other bits than each other; the run can go on from "
                  "its last checkpoint on other machines"};
}

/// For each rank the own rows that it gets copies of.
std::vector<std::vector<char>> rows_for_others(const Simulation& s, const Owners& owners, double margin) {
  const Particles& p = s.particles;
  ranks::Ranks& ranks = *s.spread.ranks;
  const auto reach_of = [&](double a, double b, Vec3 place) {
    // Beyond what rounding takes away, of the reach and of the places, images of them too.
    constexpr double kOfReach = 1e-9, kOfPlace = 1e-14;
    double far = std::max({std::abs(place.x), std::abs(place.y), std::abs(place.z)});
    for (std::size_t k = 0; k < 3; ++k)
      if (p.domain.periodic[k]) far = std::max({far, std::abs(p.domain.low[k]), std::abs(p.domain.high[k])});
    return (1 + kOfReach) * (a + b + margin) + kOfPlace * far;
  };
  const auto n = static_cast<std::size_t>(ranks.size()), me = static_cast<std::size_t>(ranks.rank());
  const std::vector<Group> mine = groups_of(p);
  const ranks::Parcels all = ranks.gather(std::as_bytes(std::span(mine)));
  std::vector<std::vector<char>> wanted(n);
  for (std::size_t q = 0; q < n; ++q) {
    if (q == me) continue;
    std::vector<Group> near;
    for (Reader r(all[q]); !r.is_done();) {
      const Group other = r.take<Group>();
      const bool meets = std::ranges::any_of(mine, [&](const Group& g) {
        const double reach =
            std::max(reach_of(g.widest, other.widest, g.low), reach_of(g.widest, other.widest, g.high));
        return distance2(p.domain, g.low, g.high, other) < reach * reach;
      });
      if (meets) near.push_back(other);
    }
    if (near.empty()) continue;
    wanted[q].assign(p.own_rows(), 0);
    exec::parallel_for(p.own_rows(), kGrain, [&](std::size_t i) {
      for (const Group& g : near) {
        const double reach = reach_of(p.radius[i], g.widest, p.position[i]);
        if (distance2(p.domain, p.position[i], p.position[i], g) < reach * reach) wanted[q][i] = 1;
      }
    });
  }
  if (owners.empty()) return wanted;
  const RowOf row_of(p);
  const auto want = [&](std::uint32_t id, std::uint32_t owner, std::uint32_t other) {
    if (owner != me || other == me) return;
    wanted[other].resize(p.own_rows(), 0);
    wanted[other][row_of(id)] = 1;
  };
  for (std::size_t r = 0; r < owners.size(); ++r) {
    const auto [a, b] = owners[r];
    want(s.bonds.id_a[r], a, b), want(s.bonds.id_b[r], b, a);
  }
  return wanted;
}

}  // namespace

Memory go(Simulation& s, Scratch& scratch, double margin) {
  divide_again_if_due(s);
  Particles& p = s.particles;
  ranks::Ranks& ranks = *s.spread.ranks;
  const auto n = static_cast<std::size_t>(ranks.size());
  const auto me = static_cast<std::uint32_t>(ranks.rank());
  const std::vector<Stepped> stepped = copies_of(p);
  exec::parallel_for(p.size_rows(), kGrain, [&](std::size_t i) {
    p.owner[i] = static_cast<std::uint32_t>(s.spread.regions->owner(p.place(i)));
  });
  Owners owners(s.bonds.size());
  for (std::size_t r = 0; r < owners.size(); ++r) owners[r] = {p.owner[s.bonds.row_a[r]], p.owner[s.bonds.row_b[r]]};

  std::vector<Writer> away(n);
  std::vector<char> stays(p.size_rows(), 0);
  for (std::uint32_t i = 0; i < p.own_rows(); ++i) {
    stays[i] = p.owner[i] == me ? 1 : 0;
    if (!stays[i]) pack_grain(s, scratch, owners, i, away[p.owner[i]]);
  }
  const auto exchange = [&](std::vector<Writer>& out) {
    std::vector<Parcel> parcels;
    for (Writer& w : out) parcels.push_back(std::move(w.bytes));
    return ranks.exchange(std::move(parcels));
  };
  const ranks::Parcels arrived = exchange(away);

  const Memory memory{s.pairs.size(), s.wall_pairs.size(), p.id};
  p.compact(stays);
  std::vector<char> holds(s.bonds.size());
  for (std::size_t r = 0; r < holds.size(); ++r) holds[r] = owners[r].first == me || owners[r].second == me ? 1 : 0;
  s.bonds.compact(holds);
  std::erase_if(owners, [me](const auto& of) { return of.first != me && of.second != me; });
  const std::size_t came = p.size_rows();
  for (const auto parcel : arrived) {
    for (Reader r(parcel); !r.is_done();) {
      take_row(r, p);
      take_pairs(r, s.pairs, s.contacts), take_pairs(r, s.wall_pairs, s.wall_contacts);
      for (auto bonds = r.take<std::uint32_t>(); bonds > 0; --bonds) {
        take_row(r, s.bonds);
        const auto a = r.take<std::uint32_t>(), b = r.take<std::uint32_t>();
        owners.emplace_back(a, b);
      }
    }
  }
  if (s.has_clusters) put_in_order(s.bonds, owners);

  const std::vector<std::vector<char>> wanted = rows_for_others(s, owners, margin);
  std::vector<Writer> copies(n);
  for (std::size_t q = 0; q < n; ++q)
    for (std::size_t i = 0; i < wanted[q].size(); ++i)
      if (wanted[q][i]) columns::pack_row(p, i, copies[q].bytes);
  const std::size_t own = p.size_rows();
  for (const auto parcel : exchange(copies))
    for (Reader r(parcel); !r.is_done();) take_row(r, p);
  p.copies = p.size_rows() - own;
  compare_copies(s, stepped, came);
  find_bonds(s, scratch);
  return memory;
}

namespace {

/// Copies that take part in nothing go; the pairs found get the rows of those that are left.
void drop_idle_copies(Simulation& s, Scratch& scratch, std::vector<neighbour::Pair>& found) {
  Particles& p = s.particles;
  std::vector<char> keep(p.size_rows(), 0);
  std::fill_n(keep.begin(), p.own_rows(), char{1});
  for (const auto& [a, b] : found) keep[a] = keep[b] = 1;
  for (std::size_t r = 0; r < s.bonds.size(); ++r) keep[s.bonds.row_a[r]] = keep[s.bonds.row_b[r]] = 1;
  const std::vector<std::uint32_t> rows = rows_of_kept(keep);
  exec::parallel_for(found.size(), kGrain, [&](std::size_t k) {
    found[k] = {rows[found[k].first], rows[found[k].second]};
  });
  p.compact(keep);
  find_bonds(s, scratch);
}

/// The pairs of before among rows that are here, one of them own, in order and each once. a(k), b(k): rows, of walls as
/// they are; kGone: not here. `id` of the partners; nullptr: they are walls.
template <class A, class B>
void put_in_order(PairTable& pairs, std::size_t own, A&& a, B&& b, const std::vector<std::uint32_t>* id) {
  struct Old {
    std::uint32_t a, key, b, row;
    bool operator<(const Old& o) const { return std::tuple(a, key, row) < std::tuple(o.a, o.key, o.row); }
  };
  std::vector<Old> old;
  old.reserve(pairs.size());
  for (std::uint32_t k = 0; k < pairs.size(); ++k) {
    const std::uint32_t i = a(k), j = b(k);
    if (i == kGone || j == kGone || (i >= own && (id == nullptr || j >= own))) continue;
    old.push_back({i, id == nullptr ? j : (*id)[j], j, k});
  }
  if (!std::is_sorted(old.begin(), old.end())) std::sort(old.begin(), old.end());
  const auto same = [](const Old& x, const Old& y) { return x.a == y.a && x.key == y.key; };
  old.erase(std::unique(old.begin(), old.end(), same), old.end());
  PairTable sorted;
  sorted.keep_as(pairs);
  sorted.resize(old.size());
  exec::parallel_for(old.size(), kGrain, [&](std::size_t k) {
    columns::copy_row(sorted, k, pairs, old[k].row);
    sorted.a[k] = old[k].a, sorted.b[k] = old[k].b;
  });
  pairs = std::move(sorted);
}

}  // namespace

void settle(Simulation& s, Scratch& scratch, const Memory& memory, std::vector<neighbour::Pair>& found) {
  Particles& p = s.particles;
  const std::size_t own = p.own_rows();
  std::erase_if(found, [own](const neighbour::Pair& pair) { return pair.first >= own && pair.second >= own; });
  drop_idle_copies(s, scratch, found);
  const RowOf row_of(p);
  std::vector<std::uint32_t> rows(memory.ids.size());
  exec::parallel_for(rows.size(), kGrain, [&](std::size_t i) { rows[i] = row_of(memory.ids[i]); });

  const auto row_in = [&](const std::vector<std::uint32_t>& ends, std::size_t here) {
    return [&ends, &rows, &row_of, here](std::uint32_t k) { return k < here ? rows[ends[k]] : row_of(ends[k]); };
  };
  put_in_order(s.pairs, own, row_in(s.pairs.a, memory.pairs), row_in(s.pairs.b, memory.pairs), &p.id);
  put_in_order(
      s.wall_pairs, own, row_in(s.wall_pairs.a, memory.wall_pairs), [&s](std::uint32_t k) { return s.wall_pairs.b[k]; },
      nullptr);
  lay_out_rows(s, scratch);
}

}  // namespace home

Shares shares_of(const Simulation& s) {
  ranks::Ranks& ranks = *s.spread.ranks;
  const auto of = [&ranks](std::size_t here) {
    const auto all = static_cast<double>(ranks.sum_of(static_cast<std::int64_t>(here)));
    return Shares::OfRanks{ranks.min_of(here), static_cast<std::uint64_t>(ranks.max_of(static_cast<double>(here))),
                           all / static_cast<double>(ranks.size())};
  };
  Shares t{of(s.particles.own_rows()), of(s.particles.copies), of(s.pairs.size()), 0, s.spread.divisions, 1};
  const auto counted = static_cast<double>(sum_over_ranks(s, own_pairs(s)));
  if (counted > 0) t.twice = t.pairs.mean * static_cast<double>(ranks.size()) / counted - 1;
  const auto [most, mean] = home::over_ranks(ranks, busy(s) - s.spread.busy_when_divided);
  if (mean > 0) t.imbalance = most / mean;
  return t;
}

}  // namespace scree
