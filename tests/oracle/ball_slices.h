#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "geometry/ball_union.h"
#include "geometry/moments.h"

// Slow reference for the mass properties of a union of balls: slices, areas and moments in closed form over the arcs
// that bound each, and adaptive Gauss quadrature across them.
namespace scree::oracle {

/// Integrals of 1, x, y, xx, yy, xy over a plane figure.
using PlaneMoments = std::array<double, 6>;

struct Disc {
  double x, y, r;
};

/// Green's theorem along the arc from angle a to b > a.
inline void add_arc(const Disc& d, double a, double b, PlaneMoments& m) {
  const auto powers = [](double t) {
    const double s = std::sin(t), c = std::cos(t), s2 = std::sin(2 * t), s4 = std::sin(4 * t);
    // Integrals of c, c^2, c^3, c^4, s, s^2, s^3, s^4, sc, sc^2, sc^3.
    return std::array<double, 11>{s,         t / 2 + s2 / 4, s - s * s * s / 3,  3 * t / 8 + s2 / 4 + s4 / 32,
                                  -c,        t / 2 - s2 / 4, -c + c * c * c / 3, 3 * t / 8 - s2 / 4 + s4 / 32,
                                  s * s / 2, -c * c * c / 3, -c * c * c * c / 4};
  };
  std::array<double, 11> p = powers(b);
  const std::array<double, 11> low = powers(a);
  for (std::size_t k = 0; k < p.size(); ++k) p[k] -= low[k];
  const auto [c1, c2, c3, c4, s1, s2, s3, s4, sc, sc2, sc3] = p;
  const double x = d.x, y = d.y, r = d.r;
  m[0] += 0.5 * r * (x * c1 + y * s1 + r * (b - a));
  m[1] += 0.5 * r * (x * x * c1 + 2 * x * r * c2 + r * r * c3);
  m[2] += 0.5 * r * (y * y * s1 + 2 * y * r * s2 + r * r * s3);
  m[3] += r / 3 * (x * x * x * c1 + 3 * x * x * r * c2 + 3 * x * r * r * c3 + r * r * r * c4);
  m[4] += r / 3 * (y * y * y * s1 + 3 * y * y * r * s2 + 3 * y * r * r * s3 + r * r * r * s4);
  m[5] +=
      0.5 * r *
      (x * x * y * c1 + 2 * x * y * r * c2 + y * r * r * c3 + x * x * r * sc + 2 * x * r * r * sc2 + r * r * r * sc3);
}

using Interval = std::pair<double, double>;

/// The union of the discs, through the arcs of each that no other covers.
inline PlaneMoments moments_of_union(const std::vector<Disc>& discs, std::vector<Interval>& covered) {
  PlaneMoments m{};
  for (std::size_t i = 0; i < discs.size(); ++i) {
    const Disc& d = discs[i];
    covered.clear();
    bool swallowed = false;
    for (std::size_t j = 0; j < discs.size() && !swallowed; ++j) {
      const Disc& o = discs[j];
      const double dx = o.x - d.x, dy = o.y - d.y, apart2 = dx * dx + dy * dy;
      if (i == j || apart2 >= (d.r + o.r) * (d.r + o.r)) continue;
      if (apart2 <= (o.r - d.r) * (o.r - d.r)) {
        swallowed = o.r > d.r || (o.r == d.r && j < i);
        continue;
      }
      const double apart = std::sqrt(apart2);
      const double half = std::acos(std::clamp((apart2 + d.r * d.r - o.r * o.r) / (2 * apart * d.r), -1.0, 1.0));
      double from = std::atan2(dy, dx) - half, to = from + 2 * half;
      if (from < -M_PI) from += 2 * M_PI, to += 2 * M_PI;
      covered.emplace_back(from, std::min(to, M_PI));
      if (to > M_PI) covered.emplace_back(-M_PI, to - 2 * M_PI);
    }
    if (swallowed) continue;
    std::sort(covered.begin(), covered.end());
    double at = -M_PI;
    for (const auto& [from, to] : covered) {
      if (from > at) add_arc(d, at, from, m);
      at = std::max(at, to);
    }
    if (at < M_PI) add_arc(d, at, M_PI, m);
  }
  return m;
}

/// Slices of balls across z.
class BallSlices {
 public:
  explicit BallSlices(std::vector<Ball> balls) : balls_(std::move(balls)) {
    Vec3 low = balls_[0].centre, high = low;
    for (const Ball& b : balls_) {
      for (std::size_t k = 0; k < 3; ++k)
        low[k] = std::min(low[k], b.centre[k] - b.radius), high[k] = std::max(high[k], b.centre[k] + b.radius);
    }
    extent_ = norm(high - low);
  }

  Moments integrate() {
    std::vector<double> stops = breaks();
    Moments sum{};
    for (std::size_t k = 0; k + 1 < stops.size(); ++k) {
      if (!(stops[k + 1] - stops[k] > 1e-14 * extent_)) continue;
      add(sum, refine(stops[k], stops[k + 1], gauss(stops[k], stops[k + 1]), 0));
    }
    return sum;
  }

 private:
  /// Heights at which a ball or the circle in which two of them meet begins or ends: in between, and away from where
  /// three surfaces meet, the slices change smoothly.
  std::vector<double> breaks() const {
    std::vector<double> z;
    for (std::size_t i = 0; i < balls_.size(); ++i) {
      const Ball& a = balls_[i];
      z.push_back(a.centre.z - a.radius), z.push_back(a.centre.z + a.radius);
      for (std::size_t j = 0; j < i; ++j) {
        const Ball& b = balls_[j];
        const Vec3 d = b.centre - a.centre;
        const double apart = norm(d);
        if (apart >= a.radius + b.radius || apart <= std::abs(a.radius - b.radius)) continue;
        const double along = (apart * apart + a.radius * a.radius - b.radius * b.radius) / (2 * apart);
        const double circle = std::sqrt(std::max(0.0, a.radius * a.radius - along * along));
        const double rise = d.z / apart, height = a.centre.z + along * rise;
        const double reach = circle * std::sqrt(std::max(0.0, 1 - rise * rise));
        z.push_back(height - reach), z.push_back(height + reach);
      }
    }
    std::sort(z.begin(), z.end());
    return z;
  }

  Moments slice(double z) {
    discs_.clear();
    for (const Ball& b : balls_) {
      const double h = z - b.centre.z, r2 = b.radius * b.radius - h * h;
      if (r2 > 0) discs_.push_back({b.centre.x, b.centre.y, std::sqrt(r2)});
    }
    const PlaneMoments m = moments_of_union(discs_, covered_);
    return {m[0], m[1], m[2], z * m[0], m[3], m[4], z * z * m[0], m[5], z * m[1], z * m[2]};
  }

  /// Eight points of Gauss; z goes as a cubic whose ends are level, which takes the root out of how slices grow there.
  Moments gauss(double low, double high) {
    constexpr std::array<double, 4> node = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                            0.9602898564975363};
    constexpr std::array<double, 4> weight = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                              0.1012285362903763};
    Moments sum{};
    for (std::size_t k = 0; k < node.size(); ++k) {
      for (const double x : {-node[k], node[k]}) {
        const double u = 0.5 * (1 + x), length = high - low;
        const Moments m = slice(low + length * u * u * (3 - 2 * u));
        const double w = 0.5 * weight[k] * length * 6 * u * (1 - u);
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += w * m[i];
      }
    }
    return sum;
  }

  Moments refine(double low, double high, const Moments& whole, int depth) {
    const double middle = 0.5 * (low + high);
    const Moments lower = gauss(low, middle), upper = gauss(middle, high);
    Moments both = lower;
    add(both, upper);
    double error = 0;
    for (std::size_t i = 0; i < both.size(); ++i) {
      const double scale = i == 0 ? 1 : (i < 4 ? extent_ : extent_ * extent_);
      error = std::max(error, std::abs(both[i] - whole[i]) / scale);
    }
    const double volume = extent_ * extent_ * extent_;
    if (depth >= kDeepest || error <= kAccuracy * volume * std::max(1e-3, (high - low) / extent_)) return both;
    Moments sum = refine(low, middle, lower, depth + 1);
    add(sum, refine(middle, high, upper, depth + 1));
    return sum;
  }

  static constexpr double kAccuracy = 1e-12;  ///< of the volume of the whole's cube, asked of each interval
  static constexpr int kDeepest = 24;         ///< halvings of an interval

  std::vector<Ball> balls_;
  double extent_ = 0;
  std::vector<Disc> discs_;
  std::vector<Interval> covered_;
};

inline MassProperties sliced_mass_properties(std::span<const Ball> balls) {
  const Vec3 origin = balls[0].centre;
  std::vector<Ball> near(balls.begin(), balls.end());
  for (Ball& b : near) b.centre -= origin;
  return properties_of(BallSlices(std::move(near)).integrate(), origin);
}

}  // namespace scree::oracle
