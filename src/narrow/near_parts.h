#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "narrow/contacts.h"

/// Which parts of the two of a pair may touch, and from when on, while the list of pairs lasts.
namespace scree::narrow {

/// Of a range of pairs. Not a part of the state: what is left out cannot touch, so that a run has the same bits with
/// one that knows nothing.
class NearParts {
 public:
  /// Two parts, or a part and a wall.
  struct Entry {
    std::uint32_t one, other;
    double clear_until = 0;  ///< m: no contact while the travel of the two wholes stays below
    PlaneFeature parting;    ///< of a plane that has parted them
  };

  /// Knows nothing of the pairs [first, first + n).
  void reset(std::size_t first, std::size_t n) {
    first_pair_ = first;
    rows_.assign(n, Row{}), entries_.clear(), listed_ = 0;
  }
  bool is_listed(std::size_t pair, double travel) const { return travel < row(pair).listed_until; }
  /// No part of these two touches.
  bool is_quiet(std::size_t pair, double travel) const { return travel < row(pair).quiet_until; }

  /// What add() takes from now on is of this pair, in place of what was known of it.
  void begin(std::size_t pair) {
    Row& r = rows_[pair - first_pair_];
    listed_ -= r.count;
    if (entries_.size() > 2 * listed_ + kSpare) close_ranks(r);
    r = {.begin = static_cast<std::uint32_t>(entries_.size())};
  }
  void add(const Entry& e) { entries_.push_back(e); }
  /// All others are apart until the wholes have travelled so far (m).
  void end(std::size_t pair, double listed_until) {
    Row& r = rows_[pair - first_pair_];
    r.count = static_cast<std::uint32_t>(entries_.size() - r.begin), r.listed_until = listed_until;
    listed_ += r.count;
  }
  std::span<Entry> of(std::size_t pair) { return std::span(entries_).subspan(row(pair).begin, row(pair).count); }
  /// Once all of the pair's entries have been looked at.
  void settle(std::size_t pair) {
    Row& r = rows_[pair - first_pair_];
    r.quiet_until = r.listed_until;
    for (const Entry& e : of(pair)) r.quiet_until = std::min(r.quiet_until, e.clear_until);
  }
  std::size_t bytes() const {
    return rows_.capacity() * sizeof(Row) + (entries_.capacity() + kept_.capacity()) * sizeof(Entry);
  }

 private:
  struct Row {
    double listed_until = -std::numeric_limits<double>::infinity(), quiet_until = listed_until;
    std::uint32_t begin = 0, count = 0;
  };
  static constexpr std::size_t kSpare = 1024;

  const Row& row(std::size_t pair) const { return rows_[pair - first_pair_]; }
  /// Drops entries that belong to no pair, and those of `gone`.
  void close_ranks(Row& gone) {
    gone.count = 0;
    kept_.clear();
    for (Row& r : rows_) {
      const auto from = entries_.begin() + r.begin;
      r.begin = static_cast<std::uint32_t>(kept_.size());
      kept_.insert(kept_.end(), from, from + r.count);
    }
    std::swap(kept_, entries_);
  }

  std::size_t first_pair_ = 0, listed_ = 0;
  std::vector<Row> rows_;
  std::vector<Entry> entries_, kept_;
};

}  // namespace scree::narrow
