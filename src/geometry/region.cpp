#include "geometry/region.h"

#include <array>
#include <numbers>
#include <vector>

namespace scree {

namespace {

constexpr std::size_t kNodes = 24;
struct Rule {
  std::array<double, kNodes> x{}, w{};  ///< on [-1, 1]
};

/// Gauss-Legendre, by Newton's method on the polynomial.
Rule make_rule() {
  Rule rule;
  for (std::size_t i = 0; i < kNodes; ++i) {
    double x = std::cos(M_PI * (static_cast<double>(i) + 0.75) / (kNodes + 0.5)), slope = 1;
    for (int k = 0; k < 50; ++k) {
      double p0 = 1, p1 = x;
      for (std::size_t n = 2; n <= kNodes; ++n) {
        const auto m = static_cast<double>(n);
        const double p2 = ((2 * m - 1) * x * p1 - (m - 1) * p0) / m;
        p0 = p1, p1 = p2;
      }
      slope = kNodes * (x * p1 - p0) / (x * x - 1);
      const double by = p1 / slope;
      x -= by;
      if (std::abs(by) < 1e-16) break;
    }
    rule.x[i] = x, rule.w[i] = 2 / ((1 - x * x) * slope * slope);
  }
  return rule;
}

/// Integral over [a, b] of f, which may have roots of any order at the ends: 3 t^2 - 2 t^3 takes them away.
template <class F>
double integral(double a, double b, F&& f) {
  static const Rule rule = make_rule();
  double sum = 0;
  for (std::size_t i = 0; i < kNodes; ++i) {
    const double t = 0.5 * (rule.x[i] + 1);
    sum += rule.w[i] * 3 * t * (1 - t) * f(a + (b - a) * t * t * (3 - 2 * t));
  }
  return (b - a) * sum;
}

/// Part of the disc of radius r about the origin with x <= X and y <= Y.
double quadrant(double r, double X, double Y) {
  if (X <= -r || Y <= -r || r <= 0) return 0;
  X = std::min(X, r), Y = std::min(Y, r);
  const auto half = [r](double x) {  // integral of sqrt(r^2 - x^2)
    const double c = std::clamp(x / r, -1.0, 1.0);
    return 0.5 * r * r * (c * std::sqrt(1 - c * c) + std::asin(c));
  };
  const double h = std::sqrt(std::max(0.0, r * r - Y * Y));
  if (Y < 0) {
    const double to = std::min(X, h);
    return to <= -h ? 0 : Y * (to + h) + half(to) - half(-h);
  }
  double area = 2 * (half(X) - half(-r));
  if (X > -h) {
    const double to = std::min(X, h);
    area -= half(to) - half(-h) - Y * (to + h);
  }
  return area;
}

double disc_in_rectangle(double r, double x0, double x1, double y0, double y1) {
  return std::max(0.0, quadrant(r, x1, y1) - quadrant(r, x0, y1) - quadrant(r, x1, y0) + quadrant(r, x0, y0));
}

/// Common part of discs of radii r and big whose centres are d apart.
double lens(double r, double big, double d) {
  if (d >= r + big || r <= 0 || big <= 0) return 0;
  if (d <= std::abs(big - r)) return M_PI * std::min(r, big) * std::min(r, big);
  const double a = std::clamp((d * d + r * r - big * big) / (2 * d * r), -1.0, 1.0),
               b = std::clamp((d * d + big * big - r * r) / (2 * d * big), -1.0, 1.0);
  const double k = (-d + r + big) * (d + r - big) * (d - r + big) * (d + r + big);
  return r * r * std::acos(a) + big * big * std::acos(b) - 0.5 * std::sqrt(std::max(0.0, k));
}

/// Integral of section(radius) over heights from low to high above the centre of the sphere, between the heights at
/// which the section's radius passes one of `radii`.
template <class Section>
double over_sections(double r, double low, double high, const std::vector<double>& radii, Section&& section) {
  low = std::max(low, -r), high = std::min(high, r);
  if (!(low < high)) return 0;
  std::vector<double> ends{std::asin(std::clamp(low / r, -1.0, 1.0)), std::asin(std::clamp(high / r, -1.0, 1.0))};
  for (const double rho : radii) {
    if (!(rho < r)) continue;
    const double angle = std::acos(rho / r);
    for (const double at : {-angle, angle})
      if (at > ends[0] && at < ends[1]) ends.push_back(at);
  }
  std::sort(ends.begin(), ends.end());
  double volume = 0;
  for (std::size_t k = 0; k + 1 < ends.size(); ++k)
    volume += integral(ends[k], ends[k + 1], [&](double angle) {
      const double rho = r * std::cos(angle);
      return rho * section(rho);
    });
  return volume;
}

}  // namespace

std::pair<double, double> Region::inside_of(Vec3 p, Vec3 q) const {
  double from = 0, to = 1;
  // low <= at + t by <= high
  const auto between = [&](double at, double by, double low, double high) {
    if (by == 0) {
      if (at < low || at > high) to = -1;
      return;
    }
    const double a = (low - at) / by, b = (high - at) / by;
    from = std::max(from, std::min(a, b)), to = std::min(to, std::max(a, b));
  };
  const Vec3 d = q - p;
  if (kind == Kind::box) {
    for (std::size_t k = 0; k < 3; ++k) between(p[k], d[k], min[k], max[k]);
    return {from, to};
  }
  const Vec3 axis = normalized(max - min), e = p - min;
  between(dot(e, axis), dot(d, axis), 0, norm(max - min));
  const Vec3 across = d - dot(d, axis) * axis, start = e - dot(e, axis) * axis;
  const double a = norm2(across), b = dot(start, across), c = norm2(start) - radius * radius;
  if (a == 0) return {from, c > 0 ? -1 : to};
  const double root = b * b - a * c;
  if (root <= 0) return {from, -1};
  return {std::max(from, (-b - std::sqrt(root)) / a), std::min(to, (-b + std::sqrt(root)) / a)};
}

double Region::sphere_inside(Vec3 centre, double r) const {
  const double whole = 4.0 / 3 * M_PI * r * r * r;
  const Region in = inset(r);
  if (!in.is_empty() && in.contains(centre)) return whole;
  if (kind == Kind::box) {
    const Vec3 low = min - centre, high = max - centre;
    for (std::size_t k = 0; k < 3; ++k)
      if (low[k] >= r || high[k] <= -r) return 0;
    std::vector<double> radii;
    for (const double x : {low.x, high.x}) {
      radii.push_back(std::abs(x));
      for (const double y : {low.y, high.y}) radii.push_back(std::hypot(x, y));
    }
    for (const double y : {low.y, high.y}) radii.push_back(std::abs(y));
    return over_sections(r, low.z, high.z, radii,
                         [&](double rho) { return disc_in_rectangle(rho, low.x, high.x, low.y, high.y); });
  }
  const Vec3 axis = normalized(max - min), e = centre - min;
  const double at = dot(e, axis), off = norm(e - at * axis), length = norm(max - min);
  if (off >= radius + r || at <= -r || at >= length + r) return 0;
  return over_sections(r, -at, length - at, {std::abs(radius - off), radius + off},
                       [&](double rho) { return lens(rho, radius, off); });
}

double Region::disc_inside(Vec3 centre, double r) const {
  return disc_in_rectangle(r, min.x - centre.x, max.x - centre.x, min.y - centre.y, max.y - centre.y);
}

}  // namespace scree
