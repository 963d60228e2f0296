#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "exec/parallel.h"
#include "sim/simulation.h"

/// Rows may stand in memory in any order of the particles: by place, so that what touches lies near, or by id. What
/// must hold: A of a pair is the particle of lower id; pairs are sorted by (row of A, id of B), wall pairs by (row,
/// wall), contacts by pair. Everything that leaves the step (checkpoint, frames) goes through the order of the ids,
/// and hash and sums need none, so that they have the same bits whatever the order in memory.
namespace scree {

/// An order of all rows that follows from one of the particles: the present row that comes to each place.
struct RowOrder {
  bool is_present = true;  ///< the order that the rows have already; the columns are empty then
  std::vector<std::uint32_t> particle, pair, wall_pair, contact, wall_contact;

  /// The row at place i of one of the columns above.
  std::size_t row(const std::vector<std::uint32_t>& order, std::size_t i) const { return is_present ? i : order[i]; }
};

/// What a column of visit_state holds rows of; of walls where its table is theirs.
struct HeldRows {
  RefersTo to = RefersTo::nothing;
  bool walls = false;
};
HeldRows rows_held_by(std::string_view column);

/// The order of the ids. O(particles) where it is the present one.
RowOrder id_order(const Simulation& s);

template <class T>
std::vector<T> gathered(const std::vector<T>& column, const std::vector<std::uint32_t>& order) {
  std::vector<T> out(order.size());
  exec::parallel_for(order.size(), 4096, [&](std::size_t i) { out[i] = column[order[i]]; });
  return out;
}

/// A column of the particles, for those outside: by id.
template <class T>
std::vector<T> by_id(const std::vector<T>& column, const RowOrder& ids) {
  return ids.is_present ? column : gathered(column, ids.particle);
}

/// visit_state of the simulation that `s` would be with its rows in that order: f(name, value), one column at a time.
template <class F>
void visit_state_in(const RowOrder& order, const Simulation& s, F&& f);

/// Puts the rows of `s` into that order. Scratch that depends on rows has to be made anew by the caller.
void put_rows(Simulation& s, const RowOrder& order);

/// Of all rows, where the particles' stand so.
RowOrder rows_in(const Simulation& s, std::vector<std::uint32_t> particle);

/// The order along a Morton curve through cells of about a particle's size; among equals by id.
RowOrder spatial_order(const Simulation& s);

/// Pairs whose particles lie so far from each other in memory that they do not share a cache.
std::size_t far_pairs(const PairTable& pairs);

namespace detail {
/// How the columns that visit_state names look in an order.
class NewRows {
 public:
  NewRows(const RowOrder& order, const Simulation& s);
  /// The rows of the column, nullptr: it has no rows of these.
  const std::vector<std::uint32_t>* rows_of(const std::string& name) const;
  template <class T>
  std::vector<T> column(const std::string& name, const std::vector<T>& present) const {
    std::vector<T> c = gathered(present, *rows_of(name));
    if constexpr (std::is_same_v<T, std::uint32_t>) renumber(name, c);
    return c;
  }

 private:
  /// Columns that hold rows.
  void renumber(const std::string& name, std::vector<std::uint32_t>& column) const;

  const RowOrder& order_;
  std::vector<std::uint32_t> particle_, pair_, wall_pair_;  // places of the present rows
  std::vector<std::uint32_t> first_, wall_first_;           // of the pairs, in the new order
};
}  // namespace detail

template <class F>
void visit_state_in(const RowOrder& order, const Simulation& s, F&& f) {
  // visit_state hands out references for reading and writing alike; nothing is written here.
  Simulation& readable = const_cast<Simulation&>(s);
  if (order.is_present) {
    return visit_state(readable, [&f](const std::string& name, const auto& value) { f(name, value); });
  }
  const detail::NewRows rows(order, s);
  visit_state(readable, [&](const std::string& name, const auto& value) {
    if constexpr (requires { value.data(); }) {
      if (rows.rows_of(name) != nullptr) {
        const auto column = rows.column(name, value);
        return f(name, column);
      }
    }
    f(name, value);
  });
}

}  // namespace scree
