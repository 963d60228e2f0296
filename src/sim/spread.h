#pragma once
#include <algorithm>
#include <concepts>
#include <cstring>
#include <optional>
#include <span>

#include "sim/scratch.h"
#include "sim/simulation.h"

/// One run on several ranks (docs/many-machines.md). A grain counts at the rank in whose region it was when the pairs
/// were made, its owner; the ranks that own what it may touch, or what it is bonded to, have a copy of its row. Copies
/// come behind the own rows and are stepped like them, since equal inputs give equal bits. A pair or a bond whose two
/// have different owners is computed by both, with the same bits; it counts at the owner of its A. What a rank cannot
/// know is what pushes its copies: that alone is sent in every step. Memory moves only with a grain that gets another
/// owner, at the end of a list.
namespace scree {

/// Makes this rank's part of the whole that the first rank has; what rows the others' `s` has go. It needs all that is
/// no state (shapes, laws, walls of the case). Collective.
void deal(Simulation& s, ranks::Ranks& ranks);
/// The inverse: the whole at the first rank, no rows at the others; it is no part any more. Collective.
void make_whole(Simulation& s);
/// A copy of all but the rows, which are out of `s` meanwhile.
Simulation without_rows(Simulation& s);
/// The whole of which `s` is a part, at the first rank; nothing at the others. Collective.
std::optional<Simulation> whole_at_first(const Simulation& s);

/// At the end of a list, once periodic space has its grains where they belong. Collective.
namespace home {

/// How the pairs of before stand when their grains have set out.
struct Memory {
  std::size_t pairs = 0, wall_pairs = 0;  ///< that were here: their ends are rows of before; those behind have ids
  std::vector<std::uint32_t> ids;         ///< of the rows of before
};
/// Grains that lie in other regions go there, with all that is known of them, and every rank gets copies of those that
/// may be listed with its own: their bounding spheres are no more than `margin` (m) apart. Pairs and contacts are out
/// of order until settle().
Memory go(Simulation& s, Scratch& scratch, double margin);
/// Copies that are in none of the pairs found, and in no bond, go; the pairs of before get the rows as they are now.
void settle(Simulation& s, Scratch& scratch, const Memory& memory, std::vector<neighbour::Pair>& found);

}  // namespace home

/// Takes note of the pairs that there are. Collective.
void count_pairs(Simulation& s);

/// Rows from `first` on are new grains, which all ranks have: each goes to one.
void take_in(Simulation& s, std::size_t first);

/// The pairs, and the contacts, that count here: the first ones.
std::size_t own_pairs(const Simulation& s);
std::size_t own_contacts(const Simulation& s);
/// Whether bond r counts here.
inline bool is_own_bond(const Simulation& s, std::size_t r) { return s.bonds.row_a[r] < s.particles.own_rows(); }

/// How a whole is shared out: of all ranks.
struct Shares {
  struct OfRanks {
    std::uint64_t least = 0, most = 0;
    double mean = 0;
  };
  OfRanks grains, copies, pairs;
  double twice = 0;             ///< share of the pairs that two ranks compute
  std::uint64_t divisions = 0;  ///< of space, after the first
  double imbalance = 1;         ///< own work of the busiest rank, of the mean, since the last division
};
/// Collective, of a part.
Shares shares_of(const Simulation& s);

/// Over all ranks, of what counts at one of them. Collective.
void sum_over_ranks(const Simulation& s, std::span<ExactSum* const> sums);
template <std::integral Integer>
Integer sum_over_ranks(const Simulation& s, Integer value) {
  return s.spread.ranks == nullptr ? value
                                   : static_cast<Integer>(s.spread.ranks->sum_of(static_cast<std::int64_t>(value)));
}
double max_over_ranks(const Simulation& s, double value);
std::uint64_t min_over_ranks(const Simulation& s, std::uint64_t value);
/// What the first rank of those with `mine` says; there is one. Collective.
std::string told_by(const Simulation& s, bool mine, const std::string& text);

/// s, of this rank's own work in steps: waiting for others does not count.
double busy(const Simulation& s);
/// Where this rank's own rows have their work in a step, of `of_all` together: all of them, or about `most` that stand
/// for them, as many where as there is work. A grain with more pairs than one of these stands for is among them for all
/// its own, however many others there are.
std::vector<ranks::Regions::Sample> places_of_work(const Simulation& s, std::size_t most, double of_all);

/// Which rows are sent and come in a step: in Scratch, made where rows or pairs are laid out. Both sides of a pair know
/// of it, so that nothing has to be said.
void lay_out_copies(const Simulation& s, Scratch& scratch);
/// Every copy gets its owner's value: get(row) of own rows, put(row, value) of copies. Collective.
template <class T, class Get, class Put>
void update_copies(const Simulation& s, Scratch& scratch, Get&& get, Put&& put) {
  static_assert(std::is_trivially_copyable_v<T>);
  Copies& at = scratch.copies;
  const auto in_bytes = [](const std::vector<std::size_t>& starts, std::vector<std::size_t>& bytes) {
    bytes.resize(starts.size());
    for (std::size_t r = 0; r < starts.size(); ++r) bytes[r] = starts[r] * sizeof(T);
  };
  in_bytes(at.out_starts, at.out_bytes), in_bytes(at.in_starts, at.in_bytes);
  at.sent.resize(at.out.size() * sizeof(T)), at.came.resize(at.in.size() * sizeof(T));
  for (std::size_t k = 0; k < at.out.size(); ++k) {
    const T value = get(at.out[k]);
    std::memcpy(at.sent.data() + k * sizeof(T), &value, sizeof(T));
  }
  s.spread.ranks->swap(at.sent, at.out_bytes, at.came, at.in_bytes);
  for (std::size_t k = 0; k < at.in.size(); ++k) {
    T value;
    std::memcpy(&value, at.came.data() + k * sizeof(T), sizeof(T));
    put(at.in[k], value);
  }
}
/// Forces and torques. On one rank nothing.
void send_forces(Simulation& s);

/// Bonds that broke in the step: the events of all ranks, in the order of the bonds. Collective where there are
/// clusters.
void share_broken(Simulation& s, std::uint64_t& broken, bool& frees_pairs);
/// How many fragments all the bonds that hold leave. Collective.
std::uint64_t count_fragments(const Simulation& s);

/// The end of a step: the fault that a serial run would have told, of those that the ranks have, becomes everyone's;
/// so does how far grains will have come, for what this rank's own ones will. Collective.
void agree(Simulation& s, const TwoLargest& foreseen);

}  // namespace scree
