#include "neighbour/dess.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "exec/parallel.h"

namespace scree::neighbour {

namespace {

constexpr std::size_t kSweepGrain = 1024;

/// What rounding can shift between images along a periodic axis (m).
double slack(const Domain& d, std::size_t axis) {
  if (!d.periodic[axis]) return 0;
  return 4e-15 * (std::max(std::abs(d.low[axis]), std::abs(d.high[axis])) + (d.high[axis] - d.low[axis]));
}

/// Insertion sort; gives up, with the list still a permutation, once that takes more than a few moves per body.
template <class Ends>
bool insertion_sort(Ends& ends) {
  const std::size_t most = 16 * ends.size();
  std::size_t moves = 0;
  for (std::size_t i = 1; i < ends.size(); ++i) {
    const auto end = ends[i];
    std::size_t j = i;
    for (; j > 0 && end.at < ends[j - 1].at; --j) ends[j] = ends[j - 1];
    ends[j] = end;
    moves += i - j;
    if (moves > most) return false;
  }
  return true;
}

}  // namespace

bool Dess::sort_ends(const Bodies& s, std::size_t axis, bool high) {
  std::vector<End>& ends = ends_[axis][high ? 1 : 0];
  const std::size_t n = s.x.size();
  if (ends.size() != n) {
    ends.resize(n);
    for (std::uint32_t p = 0; p < n; ++p) ends[p].body = p;
  }
  const double more = slack(s.domain, axis);
  for (End& e : ends) {
    const double half = half_cube(s, e.body) + more;
    e.at = s.x[e.body][axis] + (high ? half : -half);
  }
  if (insertion_sort(ends)) return false;
  std::sort(ends.begin(), ends.end(), [](const End& a, const End& b) { return a.at < b.at; });
  return true;
}

/// Pairs of intervals that overlap along the axis, without those across a periodic border.
std::uint64_t Dess::overlaps(std::size_t axis) const {
  const std::vector<End>&low = ends_[axis][0], &high = ends_[axis][1];
  std::uint64_t count = 0;
  std::size_t begun = 0;
  for (std::size_t ended = 0; ended < high.size(); ++ended) {
    while (begun < low.size() && low[begun].at <= high[ended].at) ++begun;
    count += begun - ended - 1;  // those that have begun and not ended when this one ends
  }
  return count;
}

void Dess::lay_out(const Bodies& s) {
  constexpr double endless = std::numeric_limits<double>::infinity();
  cubes_.resize(s.x.size());
  exec::parallel_for(s.x.size(), kSweepGrain, [&](std::size_t place) {
    const End& e = ends_[axis_][0][place];
    Cube cube{{}, {}, e.body};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t k = (axis_ + i) % 3;
      const double half = i > 0 && s.domain.periodic[k] ? endless : half_cube(s, e.body) + slack(s.domain, k);
      cube.low[i] = s.x[e.body][k] - half, cube.high[i] = s.x[e.body][k] + half;
    }
    cubes_[place] = cube;
  });
}

/// Bodies whose interval begins inside that of the i-th, in the same image of space.
void Dess::sweep(const Bodies& s, std::size_t begin, std::size_t end, std::vector<Pair>& out) const {
  const std::size_t k = axis_;
  const bool periodic = s.domain.periodic[k];
  const double half_period = (s.domain.high[k] - s.domain.low[k]) / 2;
  for (std::size_t i = begin; i < end; ++i) {
    const Cube& a = cubes_[i];
    for (std::size_t j = i + 1; j < cubes_.size() && cubes_[j].low[0] <= a.high[0]; ++j) {
      const Cube& b = cubes_[j];
      if (b.low[1] > a.high[1] || a.low[1] > b.high[1] || b.low[2] > a.high[2] || a.low[2] > b.high[2]) continue;
      if (periodic && std::abs(s.x[b.body][k] - s.x[a.body][k]) > half_period) continue;  // nearer in another image
      if (meets(s, a.body, b.body)) out.emplace_back(std::min(a.body, b.body), std::max(a.body, b.body));
    }
  }
}

/// Bodies whose image a period up begins inside the interval of the i-th.
void Dess::sweep_border(const Bodies& s, std::size_t begin, std::size_t end, std::vector<Pair>& out) const {
  const std::size_t k = axis_;
  const double period = s.domain.high[k] - s.domain.low[k];
  for (std::size_t i = begin; i < end; ++i) {
    const Cube& a = cubes_[i];
    for (std::size_t j = 0; j < cubes_.size() && cubes_[j].low[0] + period <= a.high[0]; ++j) {
      const Cube& b = cubes_[j];
      if (!(s.x[b.body][k] - s.x[a.body][k] < -period / 2)) continue;  // nearer as it stands
      if (meets(s, a.body, b.body)) out.emplace_back(std::min(a.body, b.body), std::max(a.body, b.body));
    }
  }
}

void Dess::find(const Bodies& s, std::vector<Pair>& pairs) {
  pairs.clear();
  const std::size_t n = s.x.size(), axes = static_cast<std::size_t>(s.dimensions);
  std::array<bool, 6> afresh{};
  std::array<std::uint64_t, 3> counted{};
  exec::parallel_for(2 * axes, 1, [&](std::size_t list) { afresh[list] = sort_ends(s, list / 2, list % 2 != 0); });
  exec::parallel_for(axes, 1, [&](std::size_t axis) { counted[axis] = overlaps(axis); });
  sorted_afresh_ = static_cast<std::size_t>(std::count(afresh.begin(), afresh.end(), true));
  const auto fewest = std::min_element(counted.begin(), counted.begin() + static_cast<std::ptrdiff_t>(axes));
  axis_ = static_cast<std::size_t>(fewest - counted.begin());
  checked_ = *fewest;
  lay_out(s);
  found_.reset((n + kSweepGrain - 1) / kSweepGrain);
  exec::parallel_chunks(n, kSweepGrain, [&](std::size_t begin, std::size_t end) {
    sweep(s, begin, end, found_.chunk(begin / kSweepGrain));
    if (s.domain.periodic[axis_]) sweep_border(s, begin, end, found_.chunk(begin / kSweepGrain));
  });
  found_.join(n, pairs);
}

std::size_t Dess::bytes() const {
  std::size_t b = cubes_.capacity() * sizeof(Cube) + found_.bytes();
  for (const auto& axis : ends_) {
    for (const std::vector<End>& ends : axis) b += ends.capacity() * sizeof(End);
  }
  return b;
}

}  // namespace scree::neighbour
