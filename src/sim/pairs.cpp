// Candidate pairs: when they are made anew, and what they carry over.
#include <algorithm>
#include <chrono>

#include "exec/parallel.h"
#include "sim/scratch.h"

namespace scree {

namespace {

constexpr std::size_t kGrain = 2048;

void index_pairs(const Simulation& s, Scratch& scratch) {
  const std::size_t n = s.particles.size_rows();
  const auto ranges = [n](const PairTable& pairs, std::vector<std::uint32_t>& start) {
    start.assign(n + 1, 0);
    for (const std::uint32_t a : pairs.a) ++start[a + 1];
    for (std::size_t i = 0; i < n; ++i) start[i + 1] += start[i];
  };
  ranges(s.pairs, scratch.as_a_start);
  ranges(s.wall_pairs, scratch.wall_start);
  std::vector<std::uint32_t>& start = scratch.as_b_start;
  start.assign(n + 1, 0);
  for (const std::uint32_t b : s.pairs.b) ++start[b + 1];
  for (std::size_t i = 0; i < n; ++i) start[i + 1] += start[i];
  scratch.as_b.resize(s.pairs.size());
  // Pairs are sorted by a, so a stable scatter leaves each list in the order of the partner.
  for (std::uint32_t k = 0; k < s.pairs.size(); ++k) scratch.as_b[start[s.pairs.b[k]]++] = k;
  for (std::size_t i = n; i > 0; --i) start[i] = start[i - 1];
  start[0] = 0;
}

/// Fills `fresh` (a, b sorted) with what `old` knew about the same pairs: one merge.
void carry_over(const PairTable& old, PairTable& fresh) {
  std::size_t o = 0;
  for (std::size_t k = 0; k < fresh.size(); ++k) {
    const auto key = std::pair(fresh.a[k], fresh.b[k]);
    while (o < old.size() && std::pair(old.a[o], old.b[o]) < key) ++o;
    const bool known = o < old.size() && std::pair(old.a[o], old.b[o]) == key;
    fresh.feature[k] = known ? old.feature[o] : PlaneFeature{};
    fresh.clear_until[k] = known ? old.clear_until[o] : 0;
    fresh.gap_bound[k] = known ? old.gap_bound[o] : 0;
    fresh.first[k] = known ? old.first[o] : 0;
    fresh.count[k] = known ? old.count[o] : 0;
    if (fresh.tracks) fresh.tracked[k] = known ? old.tracked[o] : narrow::PaperPair{};
  }
}

/// Contact rows name their pair by row: follow the pairs to their new rows.
void repoint(const PairTable& pairs, ContactTable& contacts) {
  for (std::uint32_t k = 0; k < pairs.size(); ++k) {
    for (std::uint32_t c = 0; c < pairs.count[k]; ++c) contacts.pair[pairs.first[k] + c] = k;
  }
}

bool pairs_are_valid(const Simulation& s) {
  const Particles& p = s.particles;
  if (s.position_at_rebuild.size() != p.size_rows()) return false;
  const double moved2 = exec::parallel_reduce(
      p.size_rows(), kGrain, 0.0,
      [&](std::size_t begin, std::size_t end) {
        double m = 0;
        for (std::size_t i = begin; i < end; ++i) m = std::max(m, norm2(p.position[i] - s.position_at_rebuild[i]));
        return m;
      },
      [](double x, double y) { return std::max(x, y); });
  double wall = 0;
  for (const PlaneWall& w : s.walls) wall = std::max(wall, w.travel - w.travel_at_rebuild);
  const double moved = std::sqrt(moved2);
  return moved + std::max(moved, wall) < s.skin;
}

void find_body_pairs(Simulation& s, Scratch& scratch) {
  const Particles& p = s.particles;
  // Set-up has checked the bodies, and no fault lets a position that is not finite come this far.
  if (Status found = scratch.search.find(s.detection.neighbours, {p.position, p.radius, s.skin}, scratch.found_pairs);
      !found) {
    s.fault = Fault{Fault::Kind::neighbours, "neighbour search: " + found.error().message, {}, {}};
  }
  s.counters.search = scratch.search.choice(), s.counters.search_bytes = scratch.search.bytes();
  std::swap(s.pairs, scratch.old_pairs);
  s.pairs.tracks = scratch.old_pairs.tracks;
  s.pairs.resize(scratch.found_pairs.size());
  for (std::size_t k = 0; k < scratch.found_pairs.size(); ++k) {
    s.pairs.a[k] = scratch.found_pairs[k].first, s.pairs.b[k] = scratch.found_pairs[k].second;
  }
  carry_over(scratch.old_pairs, s.pairs);
  repoint(s.pairs, s.contacts);
}

void find_wall_pairs(Simulation& s, Scratch& scratch) {
  const Particles& p = s.particles;
  std::swap(s.wall_pairs, scratch.old_wall_pairs);
  s.wall_pairs.resize(0);
  for (std::uint32_t i = 0; i < p.size_rows(); ++i) {
    for (std::uint32_t w = 0; w < s.walls.size(); ++w) {
      if (dot(s.walls[w].normal, p.position[i] - s.walls[w].point) >= p.radius[i] + s.skin) continue;
      s.wall_pairs.a.push_back(i), s.wall_pairs.b.push_back(w);
    }
  }
  s.wall_pairs.resize(s.wall_pairs.a.size());
  carry_over(scratch.old_wall_pairs, s.wall_pairs);
  repoint(s.wall_pairs, s.wall_contacts);
}

void renumber_table(PairTable& pairs, ContactTable& contacts, const std::vector<std::uint32_t>& rows_a,
                    const std::vector<std::uint32_t>& rows_b) {
  PairTable kept;
  kept.tracks = pairs.tracks;
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
    kept.a[to] = a, kept.b[to] = b, kept.feature[to] = pairs.feature[k], kept.clear_until[to] = pairs.clear_until[k];
    kept.gap_bound[to] = pairs.gap_bound[k];
    kept.first[to] = first, kept.count[to] = pairs.count[k];
    if (kept.tracks) kept.tracked[to] = pairs.tracked[k];
  }
  pairs = std::move(kept);
}

}  // namespace

neighbour::Choice search_choice(const Simulation& s) {
  if (!s.counters.search.why.empty()) return s.counters.search;
  if (s.detection.neighbours != neighbour::Method::automatic) return {s.detection.neighbours, "as the case asks"};
  return neighbour::choose({s.particles.position, s.particles.radius, s.skin});
}

Scratch& scratch_of(Simulation& s) {
  if (!s.scratch.get()) {
    auto made = std::make_shared<Scratch>();
    made->bodies.set_shapes(s.shapes);
    made->bodies.lay_out(s.particles);
    for (std::size_t i = 0; i < s.particles.size_rows(); ++i) made->bodies.pose(s.particles, i);
    index_pairs(s, *made);
    lay_out_laws(s, *made);
    s.scratch.set(std::move(made));
  }
  return *s.scratch.get();
}

void find_candidate_pairs(Simulation& s) {
  const auto start = std::chrono::steady_clock::now();
  if (!pairs_are_valid(s)) {
    Scratch& scratch = scratch_of(s);
    find_body_pairs(s, scratch);
    find_wall_pairs(s, scratch);
    index_pairs(s, scratch);
    s.position_at_rebuild = s.particles.position;
    for (PlaneWall& w : s.walls) w.travel_at_rebuild = w.travel;
    ++s.counters.rebuilds;
  }
  s.counters.seconds_neighbours += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void renumber(Simulation& s, const std::vector<std::uint32_t>& particle_rows,
              const std::vector<std::uint32_t>& wall_rows) {
  renumber_table(s.pairs, s.contacts, particle_rows, particle_rows);
  renumber_table(s.wall_pairs, s.wall_contacts, particle_rows, wall_rows);
  s.position_at_rebuild.clear();
  s.scratch.reset();
}

}  // namespace scree
