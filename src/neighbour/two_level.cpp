#include "neighbour/two_level.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "exec/parallel.h"

namespace scree::neighbour {

namespace {

std::uint32_t bucket_of(std::int32_t i, std::int32_t j, std::int32_t k, std::uint32_t mask) {
  std::uint64_t h = static_cast<std::uint32_t>(i) * 0x9e3779b97f4a7c15ULL;
  h = (h ^ (h >> 32) ^ static_cast<std::uint32_t>(j)) * 0xbf58476d1ce4e5b9ULL;
  h = (h ^ (h >> 32) ^ static_cast<std::uint32_t>(k)) * 0x94d049bb133111ebULL;
  return static_cast<std::uint32_t>(h >> 32) & mask;
}

struct Grid {
  Vec3 low;
  double box;
  std::int32_t cell(double x, double origin) const { return static_cast<std::int32_t>(std::floor((x - origin) / box)); }
};

/// Boxes that all bounding cubes together would touch, at most; a double, for it can be astronomic.
double boxes_touched(std::span<const double> r, double margin, double box) {
  double n = 0;
  for (const double radius : r) n += std::pow((2 * radius + margin) / box + 2, 3);
  return n;
}

}  // namespace

double two_level_box(std::span<const double> r) {
  if (r.empty()) return 0;
  std::vector<double> sorted(r.begin(), r.end());
  std::sort(sorted.begin(), sorted.end());
  const double total =
      std::accumulate(sorted.begin(), sorted.end(), 0.0, [](double s, double x) { return s + x * x * x; });
  double below = 0;
  for (const double x : sorted) {
    below += x * x * x;
    if (below >= total / 2) return 1.5 * 2 * x;
  }
  return 1.5 * 2 * sorted.back();
}

void TwoLevel::find(const Bodies& bodies, std::vector<Pair>& pairs) {
  pairs.clear();
  const std::span<const Vec3> x = bodies.x;
  const std::span<const double> r = bodies.r;
  const double margin = bodies.margin;
  if (x.size() < 2) return;
  Vec3 low = x[0], high = x[0];
  for (const Vec3& p : x) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  const double span = std::max({high.x - low.x, high.y - low.y, high.z - low.z}),
               widest = *std::max_element(r.begin(), r.end());
  // Cells are 32-bit; a box so small that they overflow, or that cubes fill boxes without end, is enlarged.
  double box = std::max(bodies.cell * two_level_box(r), (span + 4 * (widest + margin)) / 1e9);
  if (!(box > 0)) box = 1;
  while (boxes_touched(r, margin, box) > 64.0 * static_cast<double>(x.size()) + 4096) box *= 1.5;
  const Grid grid{low, box};
  // Half a cube reaches a little farther than half of the rounded reach of any of its pairs, so that no border can lie
  // between.
  const auto half = [&](std::size_t p) { return (r[p] + margin / 2) * (1 + 2e-15); };
  const auto range = [&](std::size_t p, double c, double origin) {
    return std::pair(grid.cell(c - half(p), origin), grid.cell(c + half(p), origin));
  };

  entries_.clear();
  for (std::uint32_t p = 0; p < x.size(); ++p) {
    const auto [i0, i1] = range(p, x[p].x, low.x);
    const auto [j0, j1] = range(p, x[p].y, low.y);
    const auto [k0, k1] = range(p, x[p].z, low.z);
    for (std::int32_t i = i0; i <= i1; ++i) {
      for (std::int32_t j = j0; j <= j1; ++j) {
        for (std::int32_t k = k0; k <= k1; ++k) entries_.push_back({p, i, j, k});
      }
    }
  }
  // Counting sort by hashed box; within a bucket entries keep the order of the particles.
  const auto mask = static_cast<std::uint32_t>(std::bit_ceil(entries_.size()) - 1);
  start_.assign(mask + 2ull, 0);
  for (const Entry& e : entries_) ++start_[bucket_of(e.i, e.j, e.k, mask) + 1u];
  for (std::size_t b = 1; b < start_.size(); ++b) start_[b] += start_[b - 1];
  sorted_.resize(entries_.size());
  for (const Entry& e : entries_) sorted_[start_[bucket_of(e.i, e.j, e.k, mask)]++] = e;
  // start_[b] is now the end of bucket b.

  const std::size_t grain = 4096, buckets = mask + 1ull;
  found_.reset((buckets + grain - 1) / grain);
  exec::parallel_chunks(buckets, grain, [&](std::size_t begin, std::size_t end) {
    std::vector<Pair>& out = found_.chunk(begin / grain);
    for (std::size_t b = begin; b < end; ++b) {
      for (std::uint32_t u = b == 0 ? 0 : start_[b - 1]; u < start_[b]; ++u) {
        for (std::uint32_t v = u + 1; v < start_[b]; ++v) {
          const Entry &s = sorted_[u], &t = sorted_[v];
          if (s.i != t.i || s.j != t.j || s.k != t.k) continue;
          const std::uint32_t p = s.particle, q = t.particle;
          const double hp = half(p), hq = half(q);
          if (grid.cell(std::max(x[p].x - hp, x[q].x - hq), low.x) != s.i) continue;
          if (grid.cell(std::max(x[p].y - hp, x[q].y - hq), low.y) != s.j) continue;
          if (grid.cell(std::max(x[p].z - hp, x[q].z - hq), low.z) != s.k) continue;
          if (meets(bodies, p, q)) out.emplace_back(p, q);
        }
      }
    }
  });
  found_.join(x.size(), pairs);
}

std::size_t TwoLevel::bytes() const {
  return (entries_.capacity() + sorted_.capacity()) * sizeof(Entry) + start_.capacity() * sizeof(start_[0]) +
         found_.bytes();
}

}  // namespace scree::neighbour
