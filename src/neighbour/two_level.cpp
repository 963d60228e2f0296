#include "neighbour/two_level.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "exec/parallel.h"

namespace scree::neighbour {

namespace {

constexpr std::size_t kBodies = 4096, kEntries = 65536;  // of a chunk

std::uint32_t bucket_of(const std::array<std::int32_t, 3>& box, std::uint32_t mask) {
  std::uint64_t h = static_cast<std::uint32_t>(box[0]) * 0x9e3779b97f4a7c15ULL;
  h = (h ^ (h >> 32) ^ static_cast<std::uint32_t>(box[1])) * 0xbf58476d1ce4e5b9ULL;
  h = (h ^ (h >> 32) ^ static_cast<std::uint32_t>(box[2])) * 0x94d049bb133111ebULL;
  return static_cast<std::uint32_t>(h >> 32) & mask;
}

/// Boxes that all bounding cubes together would touch, at most; a double, for it can be astronomic.
double boxes_touched(const Bodies& s, double box) {
  return exec::parallel_reduce(
      s.r.size(), kEntries, 0.0,
      [&](std::size_t begin, std::size_t end) {
        double n = 0;
        for (std::size_t p = begin; p < end; ++p) {
          const double side = (2 * s.r[p] + s.margin) / box + 2;
          n += s.dimensions == 2 ? side * side : side * side * side;
        }
        return n;
      },
      [](double a, double b) { return a + b; });
}

}  // namespace

double two_level_box(std::span<const double> r) {
  if (r.empty()) return 0;
  std::vector<double> sorted(r.begin(), r.end());
  std::sort(sorted.begin(), sorted.end());
  const double most = sorted.back();
  const auto volume = [&](double x) { return (x / most) * (x / most) * (x / most); };  // whatever the unit
  const double total =
      std::accumulate(sorted.begin(), sorted.end(), 0.0, [&](double s, double x) { return s + volume(x); });
  double below = 0;
  for (const double x : sorted) {
    below += volume(x);
    if (below >= total / 2) return TwoLevelSettings{}.box * 2 * x;
  }
  return TwoLevelSettings{}.box * 2 * most;
}

void TwoLevel::set_axes(const Bodies& s) {
  Vec3 low = s.x[0], high = s.x[0];
  for (const Vec3& p : s.x) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  for (std::size_t k = 0; k < 3; ++k) {
    if (s.domain.periodic[k]) low[k] = s.domain.low[k], high[k] = s.domain.high[k];
  }
  const double span = std::max({high.x - low.x, high.y - low.y, high.z - low.z}),
               widest = *std::max_element(s.r.begin(), s.r.end());
  // Boxes are counted with 64 bits; ones so small that they overflow, or that cubes fill boxes without end, are
  // enlarged.
  box_ = std::max(s.cell * two_level_box(s.r), (span + 4 * (widest + s.margin)) * 1e-15);
  const double most = std::min(64.0 * static_cast<double>(s.x.size()) + 4096, 4e9);
  while (boxes_touched(s, box_) > most) box_ *= 1.5;
  for (std::size_t k = 0; k < 3; ++k) {
    const double length = high[k] - low[k];
    axis_[k] = {low[k], 1 / box_, 0, std::numeric_limits<double>::max(), length / 2, 0};
    if (!s.domain.periodic[k]) continue;
    axis_[k].boxes = std::max<std::int64_t>(1, static_cast<std::int64_t>(length / box_));
    axis_[k].per_length = static_cast<double>(axis_[k].boxes) / length;
    // Images are a period apart in numbers of boxes, exactly; in metres they are so but for rounding.
    axis_[k].slack = 2e-15 * (std::max(std::abs(low[k]), std::abs(high[k])) + length);
    axis_[k].longest = length;
  }
}

void TwoLevel::list_boxes(const Bodies& s) {
  const std::size_t n = s.x.size();
  const auto axes = static_cast<std::size_t>(s.dimensions);
  ranges_.resize(n);
  first_of_chunk_.assign((n + kBodies - 1) / kBodies + 1, 0);
  exec::parallel_chunks(n, kBodies, [&](std::size_t begin, std::size_t end) {
    std::uint64_t entries = 0;
    for (std::size_t p = begin; p < end; ++p) {
      Range range{{}, {1, 1, 1}};
      std::uint64_t boxes = 1;
      for (std::size_t k = 0; k < axes; ++k) {
        const Axis& a = axis_[k];
        const double half = std::min(half_cube(s, p) + a.slack, a.longest);
        const auto box = [&](double x) { return static_cast<std::int64_t>(std::floor((x - a.low) * a.per_length)); };
        range.first[k] = box(s.x[p][k] - half);
        std::int64_t count = box(s.x[p][k] + half) - range.first[k] + 1;
        if (a.boxes != 0) count = std::min(count, a.boxes);  // a cube as long as the period touches each box once
        range.count[k] = static_cast<std::int32_t>(count);
        boxes *= static_cast<std::uint64_t>(count);
      }
      ranges_[p] = range;
      entries += boxes;
    }
    first_of_chunk_[begin / kBodies + 1] = entries;
  });
  std::partial_sum(first_of_chunk_.begin(), first_of_chunk_.end(), first_of_chunk_.begin());
  entries_.resize(first_of_chunk_.back());
  exec::parallel_chunks(n, kBodies, [&](std::size_t begin, std::size_t end) {
    Entry* out = entries_.data() + first_of_chunk_[begin / kBodies];
    for (std::size_t p = begin; p < end; ++p) {
      const Range& r = ranges_[p];
      for (std::int32_t i = 0; i < r.count[0]; ++i) {
        for (std::int32_t j = 0; j < r.count[1]; ++j) {
          for (std::int32_t k = 0; k < r.count[2]; ++k) {
            *out++ = {
                static_cast<std::uint32_t>(p),
                {axis_[0].number(r.first[0] + i), axis_[1].number(r.first[1] + j), axis_[2].number(r.first[2] + k)}};
          }
        }
      }
    }
  });
}

// Counting sort in two steps, each parallel: by groups of neighbouring buckets, then by bucket within a group. Entries
// of a bucket keep the order of the bodies.
void TwoLevel::sort_by_box() {
  const std::size_t n = entries_.size(), buckets = std::bit_ceil(std::max<std::size_t>(n, 1));
  mask_ = static_cast<std::uint32_t>(buckets - 1);
  group_bits_ = std::max(0, std::countr_zero(buckets) - 8);
  const std::size_t groups = buckets >> group_bits_, chunks = (n + kEntries - 1) / kEntries;
  const auto group_of = [&](const Entry& e) {
    return static_cast<std::size_t>(bucket_of(e.box, mask_)) >> group_bits_;
  };
  counts_.assign(groups * chunks + 1, 0);
  exec::parallel_chunks(n, kEntries, [&](std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e) ++counts_[group_of(entries_[e]) * chunks + begin / kEntries + 1];
  });
  std::partial_sum(counts_.begin(), counts_.end(), counts_.begin());
  scattered_.resize(n);
  exec::parallel_chunks(n, kEntries, [&](std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e) {
      scattered_[counts_[group_of(entries_[e]) * chunks + begin / kEntries]++] = entries_[e];
    }
  });
  // counts_ now holds where each chunk of each group ends.
  end_.resize(buckets);
  exec::parallel_for(groups, 1, [&](std::size_t g) {
    sort_group(g, g == 0 ? 0 : counts_[g * chunks - 1], counts_[(g + 1) * chunks - 1]);
  });
}

void TwoLevel::sort_group(std::size_t group, std::size_t begin, std::size_t end) {
  const std::size_t first = group << group_bits_, last = (group + 1) << group_bits_;
  std::fill(end_.begin() + static_cast<std::ptrdiff_t>(first), end_.begin() + static_cast<std::ptrdiff_t>(last), 0u);
  for (std::size_t e = begin; e < end; ++e) ++end_[bucket_of(scattered_[e].box, mask_)];
  auto at = static_cast<std::uint32_t>(begin);
  for (std::size_t b = first; b < last; ++b) at += std::exchange(end_[b], at);
  for (std::size_t e = begin; e < end; ++e) entries_[end_[bucket_of(scattered_[e].box, mask_)]++] = scattered_[e];
}

/// Whether the entry's box holds the lower corner of the intersection of the two cubes, at nearest images.
bool TwoLevel::lower_corner(const Bodies& s, std::uint32_t p, std::uint32_t q, const Entry& entry) const {
  for (std::size_t k = 0; k < 3; ++k) {
    const Axis& a = axis_[k];
    std::int64_t of_q = ranges_[q].first[k];
    if (a.boxes != 0) {
      const double d = s.x[q][k] - s.x[p][k];
      if (d > a.half_period) of_q -= a.boxes;
      if (d < -a.half_period) of_q += a.boxes;
    }
    if (a.number(std::max(ranges_[p].first[k], of_q)) != entry.box[k]) return false;
  }
  return true;
}

void TwoLevel::search_buckets(const Bodies& s, std::size_t begin, std::size_t end, std::vector<Pair>& out) const {
  for (std::size_t b = begin; b < end; ++b) {
    for (std::size_t u = b == 0 ? 0 : end_[b - 1]; u < end_[b]; ++u) {
      const Entry& e = entries_[u];
      for (std::size_t v = u + 1; v < end_[b]; ++v) {
        const Entry& f = entries_[v];
        if (e.box == f.box && lower_corner(s, e.body, f.body, e) && meets(s, e.body, f.body)) {
          out.emplace_back(e.body, f.body);
        }
      }
    }
  }
}

Status TwoLevel::find(const Bodies& bodies, std::vector<Pair>& pairs) {
  pairs.clear();
  box_ = mean_boxes_ = 0;
  const std::size_t n = bodies.x.size();
  if (n == 0) return ok();
  if (n > (1u << 28)) return Error{"two_level lists the boxes of at most 2^28 bodies: choose another method"};
  set_axes(bodies);
  list_boxes(bodies);
  mean_boxes_ = static_cast<double>(entries_.size()) / static_cast<double>(n);
  sort_by_box();
  const std::size_t buckets = end_.size(), grain = std::size_t{1} << group_bits_;
  found_.reset((buckets + grain - 1) / grain);
  exec::parallel_chunks(buckets, grain, [&](std::size_t begin, std::size_t end) {
    search_buckets(bodies, begin, end, found_.chunk(begin / grain));
  });
  found_.join(n, pairs);
  return ok();
}

std::size_t TwoLevel::bytes() const {
  return (entries_.capacity() + scattered_.capacity()) * sizeof(Entry) + ranges_.capacity() * sizeof(Range) +
         (end_.capacity() + counts_.capacity()) * sizeof(std::uint32_t) +
         first_of_chunk_.capacity() * sizeof(std::uint64_t) + found_.bytes();
}

}  // namespace scree::neighbour
