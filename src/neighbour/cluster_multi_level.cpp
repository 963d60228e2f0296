#include "neighbour/cluster_multi_level.h"

#include <algorithm>
#include <cmath>

namespace scree::neighbour {

namespace {

constexpr std::uint32_t kNone = ~0u;
constexpr double kRounding = 1 + 1e-14;  // of a sum of a few lengths

void keep(const Clusters& s, std::uint32_t a, std::uint32_t b, std::vector<Pair>& out) {
  if (meets(s.spheres, a, b)) out.push_back(std::minmax(a, b));
}

/// Cells of a secondary grid, over places relative to one of its spheres.
struct Secondary {
  Vec3 low{}, inverse{};
  std::array<int, 3> cells{};

  Secondary(Vec3 low_, Vec3 high, double width, double most) : low(low_) {
    double total = 0;
    do {
      total = 1;
      for (std::size_t q = 0; q < 3; ++q) {
        const double span = high[q] - low[q], fit = std::min(std::floor(span / width), 1e6);
        cells[q] = static_cast<int>(fit) + 1;
        inverse[q] = std::min(1 / width, 1e6 / span);
        total *= cells[q];
      }
      width *= 1.26;
    } while (total > most);
  }
  std::size_t size() const {
    return static_cast<std::size_t>(cells[0]) * static_cast<std::size_t>(cells[1] * cells[2]);
  }
  /// Clamped: what lies beyond the box belongs to the cells at its border.
  int index(double x, std::size_t q) const {
    const double c = (x - low[q]) * inverse[q];
    return c > 0 ? (c < cells[q] ? static_cast<int>(c) : cells[q] - 1) : 0;
  }
  std::size_t cell(int i, int j, int k) const {
    return (static_cast<std::size_t>(k * cells[1] + j)) * static_cast<std::size_t>(cells[0]) +
           static_cast<std::size_t>(i);
  }
};

}  // namespace

void ClusterMultiLevel::sort(const Clusters& s) {
  bounds_.find(s);
  slack_ = seam_slack(s.spheres.domain);
  if (bounds_.radius.empty()) return;
  const double largest = *std::max_element(bounds_.radius.begin(), bounds_.radius.end());
  primary_.lay_out(s.spheres.domain, bounds_.centre,
                   std::max(s.spheres.cell, 1.0) * (2 * largest + s.spheres.margin) * kRounding,
                   64 * bounds_.radius.size() + 4096);
  primary_.sort(bounds_.centre);
}

/// Whether a sphere may reach into the bounding sphere of the unit; said the other way round, so that no overflow parts
/// them.
bool ClusterMultiLevel::near(const Clusters& s, Vec3 x, double r, std::size_t unit) const {
  const double reach = (r + bounds_.radius[unit] + s.spheres.margin) * kRounding + slack_;
  return !(norm2(nearest_image(s.spheres.domain, bounds_.centre[unit] - x)) > reach * reach);
}

void ClusterMultiLevel::reach_into(const Clusters& s, std::size_t unit, std::size_t other,
                                   std::vector<std::uint32_t>& out) const {
  out.clear();
  for (const std::uint32_t i : s.units->members(unit)) {
    if (near(s, s.spheres.x[i], s.spheres.r[i], other)) out.push_back(i);
  }
}

void ClusterMultiLevel::two_units(const Clusters& s, std::uint32_t p, std::uint32_t q, std::vector<Pair>& out) {
  if (!near(s, bounds_.centre[p], bounds_.radius[p], q)) return;
  const Members one = s.units->members(p), two = s.units->members(q);
  if (one.size() == 1 || two.size() == 1) {
    for (const std::uint32_t a : one) {
      for (const std::uint32_t b : two) keep(s, a, b, out);
    }
    return;
  }
  reach_into(s, p, q, one_);
  if (one_.empty()) return;
  reach_into(s, q, p, two_);
  if (!two_.empty()) secondary(s, one_, two_, out);
}

// The second set is put into the cells, the first one asks.
void ClusterMultiLevel::secondary(const Clusters& s, Members a, Members b, std::vector<Pair>& out) {
  const Bodies& d = s.spheres;
  const Vec3 origin = d.x[b[0]];
  const auto place = [&](std::uint32_t i) { return nearest_image(d.domain, d.x[i] - origin); };
  Vec3 low{}, high{};
  double smallest = d.r[b[0]], largest = smallest, extent = 0;
  for (const std::uint32_t i : b) {
    const Vec3 x = place(i);
    for (std::size_t q = 0; q < 3; ++q) low[q] = std::min(low[q], x[q]), high[q] = std::max(high[q], x[q]);
    smallest = std::min(smallest, d.r[i]), largest = std::max(largest, d.r[i]);
  }
  for (std::size_t q = 0; q < 3; ++q) extent = std::max(extent, high[q] - low[q]);
  bool across = !std::isfinite(extent);
  for (const std::uint32_t i : a) {
    const Vec3 x = place(i);
    smallest = std::min(smallest, d.r[i]);
    for (std::size_t q = 0; q < 3; ++q) {
      extent = std::max({extent, high[q] - x[q], x[q] - low[q]});
      // Places so far apart that another image is nearer: there is no box for them.
      if (d.domain.periodic[q] && !(extent + slack_ < 0.5 * (d.domain.high[q] - d.domain.low[q]))) across = true;
    }
  }
  if (across || !std::isfinite(extent)) {
    for (const std::uint32_t i : a) {
      for (const std::uint32_t j : b) {
        if (i != j && (&a[0] != &b[0] || i < j)) keep(s, i, j, out);
      }
    }
    return;
  }
  const Secondary grid(low, high, std::max(d.cell, 0.25) * 2 * smallest / std::sqrt(3.0),
                       512 + 16 * static_cast<double>(b.size()));
  head_.assign(grid.size(), kNone);
  next_.resize(b.size());
  for (std::uint32_t k = 0; k < b.size(); ++k) {
    const Vec3 x = place(b[k]);
    std::uint32_t& head = head_[grid.cell(grid.index(x.x, 0), grid.index(x.y, 1), grid.index(x.z, 2))];
    next_[k] = std::exchange(head, k);
  }
  const bool same = a.data() == b.data();
  for (const std::uint32_t i : a) {
    const Vec3 x = place(i);
    const double half = (d.r[i] + largest + d.margin) * kRounding + slack_ + 1e-15 * extent;
    const std::array<int, 3> from{grid.index(x.x - half, 0), grid.index(x.y - half, 1), grid.index(x.z - half, 2)},
        to{grid.index(x.x + half, 0), grid.index(x.y + half, 1), grid.index(x.z + half, 2)};
    for (int w = from[2]; w <= to[2]; ++w) {
      for (int v = from[1]; v <= to[1]; ++v) {
        for (int u = from[0]; u <= to[0]; ++u) {
          for (std::uint32_t k = head_[grid.cell(u, v, w)]; k != kNone; k = next_[k]) {
            if (!same || i < b[k]) keep(s, i, b[k], out);
          }
        }
      }
    }
  }
}

void ClusterMultiLevel::resolve(const Clusters& s, std::vector<Pair>& pairs) {
  pairs.clear();
  if (bounds_.radius.empty()) return;
  found_.reset(1);
  std::vector<Pair>& out = found_.chunk(0);
  for (std::size_t c = 0; c < primary_.cells(); ++c) {
    const Members here = primary_.in(c);
    for (std::size_t k = 0; k < here.size(); ++k) {
      for (std::size_t l = k + 1; l < here.size(); ++l) two_units(s, here[k], here[l], out);
    }
    if (here.empty()) continue;
    primary_.half_around(c, [&](std::size_t other) {
      for (const std::uint32_t p : here) {
        for (const std::uint32_t q : primary_.in(other)) two_units(s, p, q, out);
      }
    });
  }
  for (std::size_t u = 0; s.within && u < s.units->size(); ++u) {
    const Members all = s.units->members(u);
    if (all.size() > 1) secondary(s, all, all, out);
  }
  found_.join(s.spheres.x.size(), pairs);
}

std::size_t ClusterMultiLevel::bytes() const {
  return primary_.bytes() + found_.bytes() + bounds_.centre.capacity() * sizeof(Vec3) +
         bounds_.radius.capacity() * sizeof(double) +
         (one_.capacity() + two_.capacity() + head_.capacity() + next_.capacity()) * sizeof(one_[0]);
}

}  // namespace scree::neighbour
