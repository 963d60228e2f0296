#include "neighbour/pair_list.h"

#include <algorithm>

#include "exec/parallel.h"

namespace scree::neighbour {

void PairList::reset(std::size_t chunks) {
  found_.resize(chunks);
  for (std::vector<Pair>& f : found_) f.clear();
}

void PairList::join(std::size_t bodies, std::vector<Pair>& pairs) {
  std::size_t total = 0;
  for (const auto& f : found_) total += f.size();
  // About as many buckets of neighbouring bodies as there are pairs, where most bodies have none.
  int shift = 0;
  while ((bodies >> shift) > 2 * total + 1024) ++shift;
  const std::size_t buckets = ((bodies - (bodies > 0 ? 1 : 0)) >> shift) + 1;
  start_.assign(buckets + 1, 0);
  for (const auto& f : found_) {
    for (const Pair& p : f) ++start_[(p.first >> shift) + 1u];
  }
  for (std::size_t p = 1; p < start_.size(); ++p) start_[p] += start_[p - 1];
  pairs.resize(total);
  for (const auto& f : found_) {
    for (const Pair& p : f) pairs[start_[p.first >> shift]++] = p;
  }
  // start_[p] is now the end of bucket p's pairs.
  exec::parallel_chunks(buckets, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      std::sort(pairs.begin() + static_cast<std::ptrdiff_t>(p == 0 ? 0 : start_[p - 1]),
                pairs.begin() + static_cast<std::ptrdiff_t>(start_[p]));
    }
  });
}

void PairList::concatenate(std::vector<Pair>& pairs) {
  start_.assign(found_.size() + 1, 0);
  for (std::size_t c = 0; c < found_.size(); ++c) start_[c + 1] = start_[c] + found_[c].size();
  pairs.resize(start_.back());
  exec::parallel_for(found_.size(), 16, [&](std::size_t c) {
    std::copy(found_[c].begin(), found_[c].end(), pairs.begin() + static_cast<std::ptrdiff_t>(start_[c]));
  });
}

std::size_t PairList::bytes() const {
  std::size_t b = start_.capacity() * sizeof(start_[0]) + found_.capacity() * sizeof(std::vector<Pair>);
  for (const auto& f : found_) b += f.capacity() * sizeof(Pair);
  return b;
}

}  // namespace scree::neighbour
