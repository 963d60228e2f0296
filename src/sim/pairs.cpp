// Candidate pairs: when they are made anew, and what they carry over.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include "base/exact_sum.h"
#include "base/timer.h"
#include "exec/order.h"
#include "sim/row_order.h"
#include "sim/scratch.h"
#include "sim/skin.h"
#include "sim/spread.h"

namespace scree {

namespace {

constexpr std::size_t kListGrain = 2048;
// Shares of the pairs that are far in memory: what an order may have beyond this many times what it had when new. A
// bed of spheres in Morton order has about a fifth.
constexpr double kDecay = 1.5, kFarAllowed = 0.1;

/// start[k] ... start[k + 1]: the items of bucket k, of items 0 ... n - 1 with key(item); within a bucket by `less`,
/// which must tell any two apart, so that no order of the threads shows.
template <class Key, class Less>
void sort_into_buckets(std::size_t n, std::size_t buckets, Key&& key, Less&& less, std::vector<std::uint32_t>& start,
                       std::vector<std::uint32_t>& items) {
  const bool shared = exec::threads() > 1;
  const auto next = [shared](std::uint32_t& count) {
    return shared ? std::atomic_ref(count).fetch_add(1, std::memory_order_relaxed) : count++;
  };
  start.assign(buckets + 2, 0);
  exec::parallel_for(n, kListGrain, [&](std::size_t k) { next(start[key(k) + 2u]); });
  exec::running_sum(start);
  items.resize(n);
  exec::parallel_for(n, kListGrain,
                     [&](std::size_t k) { items[next(start[key(k) + 1u])] = static_cast<std::uint32_t>(k); });
  start.pop_back();
  exec::parallel_for(buckets, kListGrain,
                     [&](std::size_t b) { std::sort(items.begin() + start[b], items.begin() + start[b + 1], less); });
}

/// start[i] ... start[i + 1]: where the ascending column `a` holds i.
void find_ranges(const std::vector<std::uint32_t>& a, std::size_t n, std::vector<std::uint32_t>& start) {
  start.resize(n + 1);
  exec::parallel_for(a.size() + 1, kListGrain, [&](std::size_t k) {
    const std::size_t from = k == 0 ? 0 : a[k - 1] + 1u, to = k == a.size() ? n : a[k];
    for (std::size_t i = from; i <= to; ++i) start[i] = static_cast<std::uint32_t>(k);
  });
}

void index_pairs(const Simulation& s, Scratch& scratch) {
  const std::size_t n = s.particles.size_rows();
  const std::vector<std::uint32_t>&id = s.particles.id, &a = s.pairs.a, &b = s.pairs.b;
  find_ranges(a, n, scratch.as_a_start);
  find_ranges(s.wall_pairs.a, n, scratch.wall_start);
  sort_into_buckets(
      b.size(), n, [&b](std::size_t k) { return b[k]; },
      [&](std::uint32_t k, std::uint32_t l) { return id[a[k]] < id[a[l]]; }, scratch.as_b_start, scratch.as_b);
}

/// Fills `fresh` with what `old` knew about the same pairs and follows their contacts: one merge per row of A, whose
/// partners stand in the order of key(b). The starts are those of find_ranges.
template <class Key>
void carry_over(const PairTable& old, const std::vector<std::uint32_t>& old_start, PairTable& fresh,
                const std::vector<std::uint32_t>& start, ContactTable& contacts, Key&& key) {
  exec::parallel_for(start.size() - 1, kListGrain, [&](std::size_t i) {
    std::uint32_t o = old_start[i];
    for (std::uint32_t k = start[i]; k < start[i + 1]; ++k) {
      while (o < old_start[i + 1] && key(old.b[o]) < key(fresh.b[k])) ++o;
      const bool known = o < old_start[i + 1] && old.b[o] == fresh.b[k];
      fresh.carry(k, old, known ? o : 0, known);
      for (std::uint32_t c = 0; c < fresh.count[k]; ++c) contacts.pair[fresh.first[k] + c] = k;
    }
  });
}

/// What rounding may take away from a distance of this length, in the list and in the displacements, with a reserve.
double rounding(double length) { return 1e-14 * length; }

/// The pairs that the search has found, oriented and sorted as pairs must be.
void fill_pairs(const std::vector<neighbour::Pair>& found, const Particles& p, Scratch& scratch, PairTable& pairs) {
  pairs.resize(found.size());
  const std::vector<std::uint32_t>& id = p.id;
  if (std::is_sorted(id.begin(), id.end())) {
    exec::parallel_for(found.size(), kListGrain,
                       [&](std::size_t k) { pairs.a[k] = found[k].first, pairs.b[k] = found[k].second; });
    return find_ranges(pairs.a, p.size_rows(), scratch.as_a_start);
  }
  const auto a = [&](std::size_t k) {
    return id[found[k].first] < id[found[k].second] ? found[k].first : found[k].second;
  };
  const auto b = [&](std::size_t k) {
    return id[found[k].first] < id[found[k].second] ? found[k].second : found[k].first;
  };
  sort_into_buckets(
      found.size(), p.size_rows(), a, [&](std::uint32_t k, std::uint32_t l) { return id[b(k)] < id[b(l)]; },
      scratch.as_a_start, scratch.found_order);
  exec::parallel_for(found.size(), kListGrain, [&](std::size_t k) {
    pairs.a[k] = a(scratch.found_order[k]), pairs.b[k] = b(scratch.found_order[k]);
  });
}

void find_body_pairs(Simulation& s, Scratch& scratch) {
  const Particles& p = s.particles;
  const double margin = s.skin + scratch.adhesive_reach + rounding(2 * s.census.widest + s.skin);
  tidy_bonds(s, scratch);
  home::Memory memory;
  if (s.spread.ranks != nullptr) memory = home::go(s, scratch, margin);
  neighbour::Bodies bodies{
      .x = p.position, .r = p.radius, .margin = margin, .domain = p.domain, .dimensions = s.dimensions};
  const neighbour::Method method = s.detection.neighbours;
  if (method == neighbour::Method::two_level)
    bodies.cell = s.detection.two_level.box / neighbour::TwoLevelSettings{}.box;
  if (neighbour::goes_by_units(method) || (method == neighbour::Method::automatic && s.bonds.size() > 0))
    bodies.units = &units_of(s, scratch);
  // Set-up has checked the bodies, and no fault lets a position that is not finite come this far.
  const Status found = scratch.search.find(method, bodies, scratch.found_pairs);
  if (!found) s.fault = Fault{Fault::Kind::neighbours, "neighbour search: " + found.error().message, {}, {}};
  if (sum_over_ranks(s, found ? 0 : 1) > 0) scratch.found_pairs.clear();  // who sends what to whom follows from them
  drop_bonded_pairs(s, scratch, scratch.found_pairs);
  if (s.spread.ranks != nullptr) home::settle(s, scratch, memory, scratch.found_pairs);
  s.counters.search = scratch.search.choice(), s.counters.search_bytes = scratch.search.bytes();
  std::swap(s.pairs, scratch.old_pairs), std::swap(scratch.as_a_start, scratch.old_start);
  s.pairs.keep_as(scratch.old_pairs);
  fill_pairs(scratch.found_pairs, p, scratch, s.pairs);
  carry_over(scratch.old_pairs, scratch.old_start, s.pairs, scratch.as_a_start, s.contacts,
             [&p](std::uint32_t b) { return p.id[b]; });
  count_pairs(s);
}

/// In two passes over the same chunks: how many, then which.
void find_wall_pairs(Simulation& s, Scratch& scratch) {
  const Particles& p = s.particles;
  const std::size_t n = p.own_rows();
  std::swap(s.wall_pairs, scratch.old_wall_pairs), std::swap(scratch.wall_start, scratch.old_start);
  std::vector<Mat3> turned;
  for (const Wall& w : s.walls) turned.push_back(rotation_matrix(w.orientation));
  const auto each = [&](std::size_t begin, std::size_t end, auto&& near) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::uint32_t w = 0; w < s.walls.size(); ++w) {
        const Wall& wall = s.walls[w];
        const Vec3 d = p.position[i] - wall.point;
        if (wall.mesh) {
          const double reach = p.radius[i] + s.skin + rounding(norm(d) + p.radius[i] + wall.mesh->extent()) +
                               (wall.round ? wall.round->deviation() : 0);
          if (wall.mesh->is_near(transpose_times(turned[w], d), reach)) near(i, w);
          continue;
        }
        if (dot(wall.normal, d) < p.radius[i] + s.skin + scratch.adhesive_reach + rounding(norm(d) + p.radius[i]))
          near(i, w);
      }
    }
  };
  std::vector<std::uint32_t>& start = scratch.chunk_start;
  start.assign((n + kListGrain - 1) / kListGrain + 1, 0);
  exec::parallel_chunks(n, kListGrain, [&](std::size_t begin, std::size_t end) {
    each(begin, end, [&](std::size_t, std::uint32_t) { ++start[begin / kListGrain + 1]; });
  });
  exec::running_sum(start);
  s.wall_pairs.resize(start.back());
  exec::parallel_chunks(n, kListGrain, [&](std::size_t begin, std::size_t end) {
    std::uint32_t k = start[begin / kListGrain];
    each(begin, end, [&](std::size_t i, std::uint32_t w) {
      s.wall_pairs.a[k] = static_cast<std::uint32_t>(i), s.wall_pairs.b[k] = w, ++k;
    });
  });
  find_ranges(s.wall_pairs.a, p.size_rows(), scratch.wall_start);
  carry_over(scratch.old_wall_pairs, scratch.old_start, s.wall_pairs, scratch.wall_start, s.wall_contacts,
             [](std::uint32_t w) { return w; });
}

/// `age`: steps that the list before has lasted.
void count_rebuild(Simulation& s, std::uint64_t age) {
  Counters& c = s.counters;
  ++c.rebuilds, c.listed_steps += age;
  constexpr double kSame = 0.1;
  constexpr std::size_t kKept = 256;  // when full, every second one goes
  if (!c.skins.empty() && std::abs(s.skin - c.skins.back().skin) <= kSame * c.skins.back().skin) return;
  if (c.skins.size() == kKept) {
    for (std::size_t k = 0; k < kKept / 2; ++k) c.skins[k] = c.skins[2 * k];
    c.skins.resize(kKept / 2);
  }
  c.skins.push_back({s.step, s.skin, s.census.pairs});
}

/// The work of gravity on those that a period of which it points along has brought back to where they were.
void note_falls(Simulation& s) {
  const Particles& p = s.particles;
  Vec3 falls_on{};
  for (std::size_t a = 0; a < 3; ++a)
    if (p.domain.periodic[a]) falls_on[a] = s.gravity[a];
  if (falls_on == Vec3{}) return;
  ExactSum fallen;
  for (std::size_t i = 0; i < p.own_rows(); ++i) {
    const Vec3 x = wrapped(p.domain, p.position[i]);
    if (x != p.position[i]) fallen += p.mass[i] * dot(falls_on, p.position[i] - x);
  }
  sum_over_ranks(s, std::array{&fallen});
  s.ledger.fallen += fallen.value();
}

/// Only here: whatever is kept from step to step may rely on positions without jumps.
void put_back(Simulation& s, narrow::Bodies& bodies) {
  Particles& p = s.particles;
  if (!p.domain.any()) return;
  note_falls(s);
  exec::parallel_for(p.size_rows(), kListGrain, [&](std::size_t i) {
    const Vec3 x = wrapped(p.domain, p.position[i]);
    if (x == p.position[i]) return;
    p.position[i] = x;
    bodies.pose(p, i);  // parts of clumps stand in space
  });
}

/// Everything in the scratch that depends on which row is which.
void lay_out(const Simulation& s, Scratch& scratch) {
  lay_out_rows(s, scratch);
  index_pairs(s, scratch);
  lay_out_copies(s, scratch);
}

/// Puts the particles into spatial order where few pairs are near in memory, and it was not so when they were last put
/// there. No result depends on it.
void keep_order(Simulation& s, Scratch& scratch) {
  if (s.detection.memory_order == Case::MemoryOrder::id) return;
  const auto share = [&s] {
    return static_cast<double>(far_pairs(s.pairs)) / std::max(1.0, static_cast<double>(s.pairs.size()));
  };
  if (share() <= kDecay * scratch.far_when_sorted + kFarAllowed) return;
  put_rows(s, spatial_order(s));
  scratch.near_facets_known = scratch.near_parts_known = false;
  scratch.far_when_sorted = share();
  bond::find_rows(s.bonds, s.particles);
  lay_out(s, scratch);
  lay_out_bonds(s, scratch);
  scratch.knows_units = false;
  ++s.counters.spatial_sorts;
}

/// New rows of the two of each pair; kGone for either takes it away, with its contacts.
void renumber_table(PairTable& pairs, ContactTable& contacts, const std::vector<std::uint32_t>& rows_a,
                    const std::vector<std::uint32_t>& rows_b) {
  PairTable kept;
  kept.keep_as(pairs);
  ContactTable old = contacts;
  contacts.resize(0);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const std::uint32_t a = rows_a[pairs.a[k]], b = rows_b[pairs.b[k]];
    if (a == kGone || b == kGone) continue;
    const auto first = static_cast<std::uint32_t>(contacts.size());
    for (std::uint32_t c = 0; c < pairs.count[k]; ++c) {
      const std::size_t r = pairs.first[k] + c, to = contacts.size();
      contacts.resize(to + 1);
      contacts.copy_row(to, old, r);
      contacts.pair[to] = static_cast<std::uint32_t>(kept.size());
    }
    const std::size_t to = kept.size();
    kept.resize(to + 1);
    kept.carry(to, pairs, k, true);
    kept.a[to] = a, kept.b[to] = b, kept.first[to] = first;
  }
  pairs = std::move(kept);
}

}  // namespace

void lay_out_rows(const Simulation& s, Scratch& scratch) {
  scratch.bodies.lay_out(s.particles);
  exec::parallel_for(s.particles.size_rows(), kListGrain, [&](std::size_t i) { scratch.bodies.pose(s.particles, i); });
  find_ranges(s.pairs.a, s.particles.size_rows(), scratch.as_a_start);
  find_ranges(s.wall_pairs.a, s.particles.size_rows(), scratch.wall_start);
}

neighbour::Choice search_choice(const Simulation& s) {
  if (!s.counters.search.why.empty()) return s.counters.search;
  if (s.detection.neighbours != neighbour::Method::automatic) return {s.detection.neighbours, "as the case asks"};
  return neighbour::choose({.x = s.particles.position,
                            .r = s.particles.radius,
                            .margin = s.skin,
                            .domain = s.particles.domain,
                            .dimensions = s.dimensions});
}

Scratch& scratch_of(Simulation& s) {
  if (!s.scratch.get()) {
    auto made = std::make_shared<Scratch>();
    take_census(s);
    if (!s.run_shapes || s.run_shapes->tables->shapes != s.shapes)
      s.run_shapes = std::make_shared<const RunShapes>(s.shapes);
    made->shapes = s.run_shapes;
    made->bodies.set_shapes(s.run_shapes->tables);
    lay_out(s, *made);
    lay_out_bonds(s, *made);
    lay_out_laws(s, *made);
    s.scratch.set(std::move(made));
  }
  return *s.scratch.get();
}

void find_candidate_pairs(Simulation& s) {
  const Timer timer(s.counters.seconds_neighbours);
  const std::uint64_t age = s.step - s.skin_tuning.made_at;
  const bool rebuild = tune_skin(s, skin_used(s));
  Scratch& scratch = scratch_of(s);
  scratch.moved_is_known = false, s.spread.foreseen.reset();
  if (rebuild) {
    put_back(s, scratch.bodies);
    s.skin = std::min(s.skin, room_at_seams(s).skin);
    find_body_pairs(s, scratch);
    find_wall_pairs(s, scratch);
    scratch.near_facets_known = scratch.near_parts_known = false;
    index_pairs(s, scratch);
    lay_out_copies(s, scratch);
    s.particles.listed_at = s.particles.position, s.list_is_valid = true;
    for (Wall& w : s.walls) w.travel_at_rebuild = w.travel;
    s.skin_tuning.made_at = s.step;
    count_rebuild(s, age);
  }
  if (rebuild || !scratch.is_order_known) keep_order(s, scratch), scratch.is_order_known = true;
}

std::vector<std::uint32_t> rows_of_kept(const std::vector<char>& keep) {
  std::vector<std::uint32_t> rows(keep.size());
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < keep.size(); ++i) rows[i] = keep[i] ? next++ : kGone;
  return rows;
}

void renumber(Simulation& s, const std::vector<std::uint32_t>& particle_rows,
              const std::vector<std::uint32_t>& wall_rows) {
  renumber_table(s.pairs, s.contacts, particle_rows, particle_rows);
  renumber_table(s.wall_pairs, s.wall_contacts, particle_rows, wall_rows);
  s.list_is_valid = false;
  s.scratch.reset();
}

}  // namespace scree
