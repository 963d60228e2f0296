// Bonds of a step: forces, breakage, fragments, and which pairs they keep from touching.
#include <algorithm>
#include <array>
#include <numeric>

#include "base/exact_sum.h"
#include "base/timer.h"
#include "exec/parallel.h"
#include "sim/scratch.h"
#include "sim/spread.h"

namespace scree {

void lay_out_bonds(const Simulation& s, Scratch& scratch) {
  if (!s.has_clusters) return;
  scratch.bonds_of.build(s.bonds, s.particles.size_rows());
  scratch.fragments.build(s.particles, s.bonds, scratch.bonds_of);
}

std::vector<std::uint32_t> fragments_of(const Simulation& s) {
  if (const Scratch* scratch = s.scratch.get(); scratch && s.has_clusters) return scratch->fragments.names();
  bond::Adjacency bonds_of;
  bond::Fragments fragments;
  bonds_of.build(s.bonds, s.particles.size_rows());
  fragments.build(s.particles, s.bonds, bonds_of);
  return fragments.names();
}

const neighbour::Units& units_of(const Simulation& s, Scratch& scratch) {
  if (scratch.knows_units) return scratch.units;
  const Particles& p = s.particles;
  const std::size_t n = p.size_rows();
  std::vector<std::uint32_t> unit(n);
  std::iota(unit.begin(), unit.end(), 0u);
  if (s.has_clusters) {
    // A fragment's number is the row of the sphere that it is named by; ids may leave gaps and have any order.
    const std::vector<std::uint32_t>& name = scratch.fragments.names();
    std::vector<std::pair<std::uint32_t, std::uint32_t>> named;
    for (std::uint32_t i = 0; i < n; ++i) {
      if (name[i] == p.id[i]) named.emplace_back(p.id[i], i);
    }
    if (!std::is_sorted(named.begin(), named.end())) std::sort(named.begin(), named.end());
    exec::parallel_for(n, 4096, [&](std::size_t i) {
      if (name[i] != p.id[i]) unit[i] = std::lower_bound(named.begin(), named.end(), std::pair(name[i], 0u))->second;
    });
  }
  scratch.units = *neighbour::Units::make({.x = p.position, .r = p.radius}, unit);
  scratch.knows_units = true;
  return scratch.units;
}

void tidy_bonds(Simulation& s, Scratch& scratch) {
  const std::vector<std::uint8_t>& alive = s.bonds.alive;
  if (std::all_of(alive.begin(), alive.end(), [](std::uint8_t a) { return a != 0; })) return;
  s.bonds.compact(std::vector<char>(alive.begin(), alive.end()));
  lay_out_bonds(s, scratch);
}

void drop_bonded_pairs(const Simulation& s, const Scratch& scratch, std::vector<neighbour::Pair>& pairs) {
  if (s.bonds.size() == 0) return;
  const bond::Bonds& b = s.bonds;
  const std::vector<std::uint32_t>&start = scratch.bonds_of.start, &entry = scratch.bonds_of.entry;
  std::erase_if(pairs, [&](const neighbour::Pair& pair) {
    const std::uint32_t i = pair.first, j = pair.second;
    for (std::uint32_t k = start[i]; k < start[i + 1]; ++k) {
      const std::uint32_t r = entry[k] >> 1;
      const std::uint32_t partner = (entry[k] & 1) ? b.row_a[r] : b.row_b[r];
      if (partner == j && b.alive[r] && b.excludes[r]) return true;
    }
    return false;
  });
}

void compute_bond_forces(Simulation& s, double dt) {
  if (s.bonds.size() == 0) return;
  const Timer timer(s.counters.seconds_forces);
  bond::compute_forces(s.bonds, s.particles, dt);
}

void break_bonds(Simulation& s) {
  s.broken.clear();
  if (!s.has_clusters) return;
  Scratch& scratch = scratch_of(s);
  bond::find_broken(s.bonds, scratch.broken_rows);
  ExactSum lost;
  std::uint64_t broken = 0;
  bool frees_pairs = false;  // the two are candidates from now on
  for (const std::uint32_t r : scratch.broken_rows) {
    if (is_own_bond(s, r)) {
      s.broken.push_back(bond::event_of(s.bonds, s.particles, r, s.time + s.dt)), ++broken;
      lost += s.bonds.energy[r] + s.bonds.lost[r];
    }
    s.bonds.alive[r] = 0;
    s.bonds.energy[r] = s.bonds.lost[r] = 0;
    if (scratch.fragments.split(s.particles, s.bonds, scratch.bonds_of, r)) scratch.knows_units = false;
    frees_pairs |= s.bonds.excludes[r] != 0;
  }
  share_broken(s, broken, frees_pairs);
  if (broken == 0) return;
  sum_over_ranks(s, std::array{&lost});
  if (frees_pairs) s.list_is_valid = false;
  s.ledger.lost_bonds += lost.value();
  s.bonds_broken += broken, s.spread.fragments.reset();
}

}  // namespace scree
