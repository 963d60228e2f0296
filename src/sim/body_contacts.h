#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

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

/// f(row) for the contacts of the pairs listed, in the order of the list. Which of them touch is hard to foretell:
/// those are picked out without a branch first.
template <class F>
void each_contact(const PairTable& pairs, const std::uint32_t* begin, const std::uint32_t* end, F&& f) {
  std::array<std::uint32_t, 64> touching;
  while (begin != end) {
    const std::uint32_t* stop = begin + std::min<std::ptrdiff_t>(end - begin, touching.size());
    std::size_t n = 0;
    for (; begin != stop; ++begin) touching[n] = *begin, n += pairs.count[*begin] > 0 ? 1 : 0;
    for (std::size_t t = 0; t < n; ++t) {
      const std::uint32_t first = pairs.first[touching[t]];
      for (std::uint32_t r = first; r < first + pairs.count[touching[t]]; ++r) f(r);
    }
  }
}

}  // namespace scree
