#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "exec/parallel.h"

/// Scans and sorts of whole numbers, which have one result whatever the threads.
namespace scree::exec {

/// Each becomes the sum of itself and of all before it.
template <class T>
void running_sum(std::vector<T>& v) {
  constexpr std::size_t grain = 16384;
  std::vector<T> before((v.size() + grain - 1) / grain + 1, T{0});
  parallel_chunks(v.size(), grain, [&](std::size_t b, std::size_t e) {
    T sum{0};
    for (std::size_t i = b; i < e; ++i) sum += v[i];
    before[b / grain + 1] = sum;
  });
  for (std::size_t c = 1; c < before.size(); ++c) before[c] += before[c - 1];
  parallel_chunks(v.size(), grain, [&](std::size_t b, std::size_t e) {
    T sum = before[b / grain];
    for (std::size_t i = b; i < e; ++i) v[i] = sum += v[i];
  });
}

/// Sorts items by their keys, ascending; those of one key stay in their order. Both columns move.
void sort_by_key(std::vector<std::uint64_t>& keys, std::vector<std::uint32_t>& items);

}  // namespace scree::exec
