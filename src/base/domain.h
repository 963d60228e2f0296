#pragma once
#include <algorithm>
#include <array>
#include <cmath>

#include "base/vec.h"

namespace scree {

/// Space repeats along the periodic axes with period high - low (m); along the others low and high say nothing.
struct Domain {
  Vec3 low{}, high{};
  std::array<bool, 3> periodic{};

  bool any() const { return periodic[0] || periodic[1] || periodic[2]; }
  double period(std::size_t axis) const { return high[axis] - low[axis]; }
  friend bool operator==(const Domain&, const Domain&) = default;
};

/// Image of `d` (m) that is nearest to the origin, for d of less than 3/2 periods. Odd in d, bit for bit, so that a
/// pair's distance has no direction.
inline Vec3 nearest_image(const Domain& domain, Vec3 d) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!domain.periodic[axis]) continue;
    const double period = domain.period(axis), half = 0.5 * period;
    if (d[axis] > half) {
      d[axis] -= period;
    } else if (d[axis] < -half) {
      d[axis] += period;
    }
  }
  return d;
}

/// Image of the place x (m) between low and high; x itself, bit for bit, where it lies there.
inline Vec3 wrapped(const Domain& domain, Vec3 x) {
  for (std::size_t a = 0; a < 3; ++a) {
    if (!domain.periodic[a] || (x[a] >= domain.low[a] && x[a] <= domain.high[a])) continue;
    const double period = domain.period(a);
    x[a] -= period * std::floor((x[a] - domain.low[a]) / period);
    x[a] = std::clamp(x[a], domain.low[a], domain.high[a]);
  }
  return x;
}

/// f(shift) for a place and its images next to it: by a period to and fro along each periodic axis (m).
template <class F>
void each_image(const Domain& domain, F&& f) {
  std::array<int, 3> by{};
  for (by[0] = domain.periodic[0] ? -1 : 0; by[0] <= (domain.periodic[0] ? 1 : 0); ++by[0])
    for (by[1] = domain.periodic[1] ? -1 : 0; by[1] <= (domain.periodic[1] ? 1 : 0); ++by[1])
      for (by[2] = domain.periodic[2] ? -1 : 0; by[2] <= (domain.periodic[2] ? 1 : 0); ++by[2]) {
        Vec3 shift{};
        for (std::size_t a = 0; a < 3; ++a)
          if (by[a] != 0) shift[a] = by[a] * domain.period(a);
        f(shift);
      }
}

}  // namespace scree
