#pragma once
#include <algorithm>
#include <concepts>
#include <cstring>
#include <span>

#include "sim/scratch.h"
#include "sim/simulation.h"

/// One run on several ranks (docs/many-machines.md). Every rank has the rows of all grains and steps them all, since
/// equal inputs give equal bits; it looks for the contacts of its own grains alone, whose rows come first. A pair whose
/// two have different owners is computed by both, with the same bits; it counts at the owner of its A. What a rank
/// cannot know is what pushes the others' grains: that is shared in every step.
namespace scree {

/// Makes this rank's part of a whole simulation: collective, by all ranks with the same one.
void deal(Simulation& s, ranks::Ranks& ranks);
/// The inverse: the whole simulation on every rank, which is no part any more. Collective.
void make_whole(Simulation& s);
/// A copy that is whole; of one that is no part, a copy. Collective.
Simulation whole_of(const Simulation& s);

/// Deals anew, where the pairs that the busiest rank has are many more than when they were dealt. At the end of a list.
/// Collective.
void deal_again_if_due(Simulation& s);
/// Takes note of the pairs that there are: Census::pairs, Spread. Collective.
void count_pairs(Simulation& s);

/// Rows from `first` on are new grains: gives each to a rank.
void take_in(Simulation& s, std::size_t first);

/// The pairs, and the contacts, that count here: the first ones.
std::size_t own_pairs(const Simulation& s);
std::size_t own_contacts(const Simulation& s);

/// Over all ranks, of what counts at one of them. Collective.
void sum_over_ranks(const Simulation& s, std::span<ExactSum* const> sums);
template <std::integral Integer>
Integer sum_over_ranks(const Simulation& s, Integer value) {
  return s.spread.ranks == nullptr ? value
                                   : static_cast<Integer>(s.spread.ranks->sum_of(static_cast<std::int64_t>(value)));
}
double max_over_ranks(const Simulation& s, double value);

/// Which row has which place where rows are shared: in Scratch, made where rows are laid out.
void lay_out_places(const Simulation& s, Scratch& scratch);
/// Every row gets its owner's value: get(row) of own ones, put(row, value) of the others. Collective.
template <class T, class Get, class Put>
void share_rows(const Simulation& s, Scratch& scratch, Get&& get, Put&& put) {
  static_assert(std::is_trivially_copyable_v<T>);
  const Places& at = scratch.places;
  const auto me = static_cast<std::size_t>(s.spread.ranks->rank());
  scratch.shared.resize(at.row.size() * sizeof(T));
  scratch.shared_starts.resize(at.starts.size());
  for (std::size_t r = 0; r < at.starts.size(); ++r) scratch.shared_starts[r] = at.starts[r] * sizeof(T);
  for (std::size_t k = at.starts[me]; k < at.starts[me + 1]; ++k) {
    const T value = get(at.row[k]);
    std::memcpy(scratch.shared.data() + k * sizeof(T), &value, sizeof(T));
  }
  s.spread.ranks->share(scratch.shared, scratch.shared_starts);
  const auto take = [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      T value;
      std::memcpy(&value, scratch.shared.data() + k * sizeof(T), sizeof(T));
      put(at.row[k], value);
    }
  };
  take(0, at.starts[me]), take(at.starts[me + 1], at.row.size());
}
/// Forces and torques. On one rank nothing.
void share_forces(Simulation& s);

/// The fault that a serial run would have told, of those that the ranks have, becomes everyone's. Collective.
void agree_on_fault(Simulation& s);

}  // namespace scree
