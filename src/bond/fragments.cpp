#include "bond/fragments.h"

#include <algorithm>

namespace scree::bond {

void Fragments::build(const Particles& p, const Bonds& bonds, const Adjacency& adjacency) {
  const std::size_t rows = p.size_rows();
  name_.assign(rows, 0), mark_.assign(rows, 0);
  marks_ = 1, count_ = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    if (mark_[i] != 0) continue;
    a_.reached.assign(1, static_cast<std::uint32_t>(i));
    a_.next = 0, a_.mark = 1, mark_[i] = 1;
    while (a_.next < a_.reached.size()) advance(a_, bonds, adjacency, 0);
    rename(p, a_);
    ++count_;
  }
}

bool Fragments::advance(Front& front, const Bonds& bonds, const Adjacency& adjacency, std::uint32_t other) {
  const std::uint32_t i = front.reached[front.next++];
  for (std::uint32_t k = adjacency.start[i]; k < adjacency.start[i + 1]; ++k) {
    const std::uint32_t r = adjacency.entry[k] >> 1;
    if (!bonds.alive[r]) continue;
    const std::uint32_t j = (adjacency.entry[k] & 1) ? bonds.row_a[r] : bonds.row_b[r];
    if (mark_[j] == front.mark) continue;
    if (other != 0 && mark_[j] == other) return true;
    mark_[j] = front.mark;
    front.reached.push_back(j);
  }
  return false;
}

void Fragments::rename(const Particles& p, const Front& front) {
  std::uint32_t lowest = p.id[front.reached[0]];
  for (const std::uint32_t i : front.reached) lowest = std::min(lowest, p.id[i]);
  for (const std::uint32_t i : front.reached) name_[i] = lowest;
}

bool Fragments::split(const Particles& p, const Bonds& bonds, const Adjacency& adjacency, std::uint32_t row) {
  if (marks_ >= 0xfffffff0u) std::fill(mark_.begin(), mark_.end(), 0u), marks_ = 0;
  a_.reached.assign(1, bonds.row_a[row]), b_.reached.assign(1, bonds.row_b[row]);
  a_.next = b_.next = 0;
  a_.mark = ++marks_, b_.mark = ++marks_;
  mark_[bonds.row_a[row]] = a_.mark, mark_[bonds.row_b[row]] = b_.mark;
  while (a_.next < a_.reached.size() && b_.next < b_.reached.size()) {
    if (advance(a_, bonds, adjacency, b_.mark) || advance(b_, bonds, adjacency, a_.mark)) return false;
  }
  const bool a_done = a_.next == a_.reached.size();
  Front &whole = a_done ? a_ : b_, &rest = a_done ? b_ : a_;
  const std::uint32_t before = name_[bonds.row_a[row]];
  ++count_;
  const auto named_by = [&](std::uint32_t i) { return p.id[i] == before; };
  if (std::none_of(whole.reached.begin(), whole.reached.end(), named_by)) {
    rename(p, whole);
    return true;
  }
  while (rest.next < rest.reached.size()) advance(rest, bonds, adjacency, 0);
  rename(p, rest);
  return true;
}

std::size_t Fragments::bytes() const {
  return (name_.capacity() + mark_.capacity() + a_.reached.capacity() + b_.reached.capacity()) * sizeof(std::uint32_t);
}

}  // namespace scree::bond
