#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "geometry/region.h"
#include "narrow/bodies.h"
#include "sim/simulation.h"

namespace scree {

/// Bounding spheres in grids, one for each power of two of the radius: tells which of them a new one may touch.
class Occupancy {
 public:
  explicit Occupancy(const Domain& domain) : domain_(domain) {}

  void add(std::uint32_t row, Vec3 x, double r) {
    x = wrapped(domain_, x);
    const int exponent = std::ilogb(r);
    Level& level = levels_[exponent];
    std::uint32_t& head = level.head.try_emplace(key(cell(x, level_width(exponent))), kNone).first->second;
    entries_.push_back({x, r, row, head});
    head = static_cast<std::uint32_t>(entries_.size() - 1);
    level.all.push_back(head);
  }

  /// Whether touches(row) is true of a sphere nearer than `gap` to the sphere of radius r at x.
  template <class F>
  bool any_near(Vec3 x, double r, double gap, F&& touches) const {
    if (!domain_.any()) return any_image_near(x, r, gap, touches);
    bool any = false;
    x = wrapped(domain_, x);
    each_image(domain_, [&](Vec3 shift) { any = any || any_image_near(x + shift, r, gap, touches); });
    return any;
  }

 private:
  template <class F>
  bool any_image_near(Vec3 x, double r, double gap, F& touches) const {
    const auto meets = [&](std::uint32_t e) {
      const Entry& o = entries_[e];
      const double reach = o.r + r + gap;
      return norm2(o.x - x) < reach * reach && touches(o.row);
    };
    for (const auto& [exponent, level] : levels_) {
      const double width = level_width(exponent), reach = r + width / 2 + gap;
      const Cell low = cell(x - Vec3{reach, reach, reach}, width), high = cell(x + Vec3{reach, reach, reach}, width);
      const double cells = double(high.i - low.i + 1) * double(high.j - low.j + 1) * double(high.k - low.k + 1);
      if (cells > static_cast<double>(level.all.size())) {
        if (std::any_of(level.all.begin(), level.all.end(), meets)) return true;
        continue;
      }
      for (std::int64_t i = low.i; i <= high.i; ++i)
        for (std::int64_t j = low.j; j <= high.j; ++j)
          for (std::int64_t k = low.k; k <= high.k; ++k) {
            const auto at = level.head.find(key({i, j, k}));
            if (at == level.head.end()) continue;
            for (std::uint32_t e = at->second; e != kNone; e = entries_[e].next)
              if (meets(e)) return true;
          }
    }
    return false;
  }

  static constexpr std::uint32_t kNone = 0xffffffffu;
  struct Entry {
    Vec3 x;
    double r;
    std::uint32_t row, next;
  };
  struct Level {
    std::unordered_map<std::uint64_t, std::uint32_t> head;
    std::vector<std::uint32_t> all;
  };
  struct Cell {
    std::int64_t i, j, k;
  };
  /// The largest diameter of the level.
  static double level_width(int exponent) { return std::ldexp(1.0, exponent + 2); }
  static Cell cell(Vec3 x, double width) {
    const auto number = [width](double v) {
      return static_cast<std::int64_t>(std::clamp(std::floor(v / width), -1e15, 1e15));
    };
    return {number(x.x), number(x.y), number(x.z)};
  }
  /// Cells that share a key share a list; what is too far is passed over anyway.
  static std::uint64_t key(Cell c) {
    const auto u = [](std::int64_t v) { return static_cast<std::uint64_t>(v); };
    std::uint64_t h = u(c.i) * 0x9e3779b97f4a7c15ULL;
    h = (h ^ h >> 29 ^ u(c.j)) * 0xbf58476d1ce4e5b9ULL;
    h = (h ^ h >> 32 ^ u(c.k)) * 0x94d049bb133111ebULL;
    return h ^ h >> 31;
  }

  Domain domain_;
  std::vector<Entry> entries_;
  std::map<int, Level> levels_;
};

/// Of a place for grains that no sphere of this radius (m) fits.
Error region_is_narrow(double radius);

/// Whether every grain that inlets of the case will pour, in any stage, has room in its region; the shapes are there.
/// Draws each grain where the largest possible one does not fit. Errors: the group, and the radius.
Status check_inlets(const Simulation& s, const Case& c);

/// Is the grain of row i, posed in `bodies`, wholly on the right side of every wall?
bool clears_walls(const Simulation& s, const narrow::Bodies& bodies, std::size_t i);

/// Tries places for the grain of row i within the region, at most `tries`, until one keeps `gap` to all that is in
/// `taken` and clears the walls; the row stands there then, and in `taken`. False: it found none.
bool place_at_random(Simulation& s, narrow::Bodies& bodies, std::size_t i, const Region& region, double gap,
                     Random& draw, int tries, Occupancy& taken);

}  // namespace scree
