#pragma once
#include <cmath>
#include <cstddef>

namespace scree {

/// Two components in a right-handed Cartesian plane. Unit: that of the quantity held.
struct Vec2 {
  double x = 0, y = 0;

  constexpr Vec2& operator+=(Vec2 b) {
    x += b.x, y += b.y;
    return *this;
  }
  constexpr Vec2& operator-=(Vec2 b) {
    x -= b.x, y -= b.y;
    return *this;
  }
  friend constexpr bool operator==(const Vec2&, const Vec2&) = default;
};

constexpr Vec2 operator+(Vec2 a, Vec2 b) { return {a.x + b.x, a.y + b.y}; }
constexpr Vec2 operator-(Vec2 a, Vec2 b) { return {a.x - b.x, a.y - b.y}; }
constexpr Vec2 operator-(Vec2 a) { return {-a.x, -a.y}; }
constexpr Vec2 operator*(double s, Vec2 a) { return {s * a.x, s * a.y}; }
constexpr double dot(Vec2 a, Vec2 b) { return a.x * b.x + a.y * b.y; }
/// Component out of the plane of the vector product; positive where b lies to the left of a.
constexpr double cross(Vec2 a, Vec2 b) { return a.x * b.y - a.y * b.x; }
/// Turned by +90 degree.
constexpr Vec2 left_of(Vec2 a) { return {-a.y, a.x}; }
constexpr double norm2(Vec2 a) { return dot(a, a); }
inline double norm(Vec2 a) { return std::sqrt(norm2(a)); }
inline bool is_finite(Vec2 a) { return std::isfinite(a.x) && std::isfinite(a.y); }
/// a/|a| for any finite a, also where |a|^2 would overflow or vanish; the zero vector stays zero.
inline Vec2 normalized(Vec2 a) {
  double n2 = norm2(a);
  if (!(n2 > 1e-280 && n2 < 1e280)) {
    const double largest = std::fmax(std::abs(a.x), std::abs(a.y));
    if (!(largest > 0)) return {};
    // By a power of two: subnormal digits survive.
    a = largest < 1e-280 ? Vec2{a.x * 0x1p600, a.y * 0x1p600} : Vec2{a.x / largest, a.y / largest};
    n2 = norm2(a);
  }
  const double n = std::sqrt(n2);
  return {a.x / n, a.y / n};
}
/// Turned by the angle whose cosine and sine are given.
constexpr Vec2 turned(Vec2 a, double cosine, double sine) {
  return {cosine * a.x - sine * a.y, sine * a.x + cosine * a.y};
}

}  // namespace scree
