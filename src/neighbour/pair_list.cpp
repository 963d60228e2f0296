#include "neighbour/pair_list.h"

#include <algorithm>

#include "exec/parallel.h"

namespace scree::neighbour {

void PairList::reset(std::size_t chunks) {
  found_.resize(chunks);
  for (std::vector<Pair>& f : found_) f.clear();
}

void PairList::join(std::size_t bodies, std::vector<Pair>& pairs) {
  start_.assign(bodies + 1, 0);
  std::size_t total = 0;
  for (const auto& f : found_) {
    total += f.size();
    for (const Pair& p : f) ++start_[p.first + 1u];
  }
  for (std::size_t p = 1; p < start_.size(); ++p) start_[p] += start_[p - 1];
  pairs.resize(total);
  for (const auto& f : found_) {
    for (const Pair& p : f) pairs[start_[p.first]++] = p;
  }
  // start_[p] is now the end of p's pairs.
  exec::parallel_chunks(bodies, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      std::sort(pairs.begin() + static_cast<std::ptrdiff_t>(p == 0 ? 0 : start_[p - 1]),
                pairs.begin() + static_cast<std::ptrdiff_t>(start_[p]));
    }
  });
}

std::size_t PairList::bytes() const {
  std::size_t b = start_.capacity() * sizeof(start_[0]) + found_.capacity() * sizeof(found_[0]);
  for (const auto& f : found_) b += f.capacity() * sizeof(Pair);
  return b;
}

}  // namespace scree::neighbour
