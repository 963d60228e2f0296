#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "narrow/contacts.h"

/// The contacts that a body takes part in, in a fixed order.
namespace scree {

struct RowRange {
  std::uint32_t begin, end;
};
/// Contact rows of the pairs [begin, end), which follow each other.
inline RowRange rows_of(const PairTable& pairs, std::uint32_t begin, std::uint32_t end) {
  if (begin == end) return {0, 0};
  return {pairs.first[begin], pairs.first[end - 1] + pairs.count[end - 1]};
}

/// The contacts whose B is one of the particles [begin, end), by particle, in the order of the partners.
class ContactsAsB {
 public:
  /// Particles at a time, whose contacts, two lines each, stay near.
  static constexpr std::size_t kTogether = 32;

  /// `start`, `as_b`: Scratch::as_b_start, as_b; rows: of the contact table. Pairs and rows stand anywhere: the next
  /// particles' pairs are asked for ahead, and fetch(row) may ask for what is to be read of a row.
  template <class Fetch>
  void list(const PairTable& pairs, std::size_t rows, const std::vector<std::uint32_t>& start,
            const std::vector<std::uint32_t>& as_b, std::size_t begin, std::size_t end, Fetch&& fetch) {
    const std::uint32_t* first = pairs.first.data();
    const std::size_t beyond = std::min(end + kTogether, start.size() - 1);
    for (std::uint32_t e = start[end]; e < start[beyond]; ++e) __builtin_prefetch(&first[as_b[e]]);
    end_.clear();
    std::size_t n = 0;
    for (std::size_t i = begin; i < end; ++i) {
      for (std::uint32_t e = start[i]; e < start[i + 1]; ++e) {
        // Rows follow each other without gaps. Which pairs touch is hard to foretell: the first row needs no branch.
        const std::uint32_t k = as_b[e], from = first[k];
        const std::size_t to = k + 1 < pairs.size() ? first[k + 1] : rows;
        if (n + (to - from) + 1 > rows_.size()) rows_.resize(2 * (n + (to - from) + 1));
        rows_[n] = from, n += to > from ? 1 : 0;
        for (std::size_t r = from + 1; r < to; ++r) rows_[n++] = static_cast<std::uint32_t>(r);
      }
      end_.push_back(n);
    }
    for (std::size_t r = 0; r < n; ++r) fetch(rows_[r]);
  }
  /// Of particle begin + k.
  std::span<const std::uint32_t> of(std::size_t k) const {
    const std::size_t first = k == 0 ? 0 : end_[k - 1];
    return std::span(rows_).subspan(first, end_[k] - first);
  }

 private:
  std::vector<std::uint32_t> rows_;
  std::vector<std::size_t> end_;
};

}  // namespace scree
