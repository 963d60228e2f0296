#pragma once
#include <cmath>
#include <cstddef>

namespace scree {

// Always inlined: the contact code is so large that the compiler would call some of these, and without vectors.

/// Three components in a right-handed Cartesian frame. Unit: that of the quantity held.
struct Vec3 {
  double x = 0, y = 0, z = 0;

  constexpr double& operator[](std::size_t i) { return i == 0 ? x : (i == 1 ? y : z); }
  constexpr double operator[](std::size_t i) const { return i == 0 ? x : (i == 1 ? y : z); }
  [[gnu::always_inline]] constexpr Vec3& operator+=(Vec3 b) {
    x += b.x, y += b.y, z += b.z;
    return *this;
  }
  [[gnu::always_inline]] constexpr Vec3& operator-=(Vec3 b) {
    x -= b.x, y -= b.y, z -= b.z;
    return *this;
  }
  [[gnu::always_inline]] constexpr Vec3& operator*=(double s) {
    x *= s, y *= s, z *= s;
    return *this;
  }
  friend constexpr bool operator==(const Vec3&, const Vec3&) = default;
};

[[gnu::always_inline]] constexpr Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
[[gnu::always_inline]] constexpr Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
[[gnu::always_inline]] constexpr Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }
[[gnu::always_inline]] constexpr Vec3 operator*(double s, Vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
[[gnu::always_inline]] constexpr Vec3 operator*(Vec3 a, double s) { return s * a; }
[[gnu::always_inline]] constexpr Vec3 operator/(Vec3 a, double s) { return {a.x / s, a.y / s, a.z / s}; }
[[gnu::always_inline]] constexpr double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
[[gnu::always_inline]] constexpr Vec3 cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
[[gnu::always_inline]] constexpr double norm2(Vec3 a) { return dot(a, a); }
[[gnu::always_inline]] inline double norm(Vec3 a) { return std::sqrt(norm2(a)); }
/// a/|a|; the zero vector stays zero.
inline Vec3 normalized(Vec3 a) {
  const double n = norm(a);
  return n > 0 ? a / n : a;
}
inline bool is_finite(Vec3 a) { return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z); }
/// Any unit vector perpendicular to the unit vector n; branch on the smallest component keeps it well conditioned.
inline Vec3 any_perpendicular(Vec3 n) {
  const double ax = std::abs(n.x), ay = std::abs(n.y), az = std::abs(n.z);
  const Vec3 e = ax <= ay && ax <= az ? Vec3{1, 0, 0} : (ay <= az ? Vec3{0, 1, 0} : Vec3{0, 0, 1});
  return normalized(cross(n, e));
}

/// 3x3 matrix, stored by rows.
struct Mat3 {
  Vec3 row[3];
  static constexpr Mat3 identity() { return {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}; }
  constexpr double& operator()(std::size_t i, std::size_t j) { return row[i][j]; }
  constexpr double operator()(std::size_t i, std::size_t j) const { return row[i][j]; }
  friend constexpr bool operator==(const Mat3&, const Mat3&) = default;
};

[[gnu::always_inline]] constexpr Vec3 operator*(const Mat3& m, Vec3 v) {
  return {dot(m.row[0], v), dot(m.row[1], v), dot(m.row[2], v)};
}
constexpr Mat3 transpose(const Mat3& m) {
  return {{{m.row[0].x, m.row[1].x, m.row[2].x},
           {m.row[0].y, m.row[1].y, m.row[2].y},
           {m.row[0].z, m.row[1].z, m.row[2].z}}};
}
/// m^T v without forming the transpose.
[[gnu::always_inline]] constexpr Vec3 transpose_times(const Mat3& m, Vec3 v) {
  return v.x * m.row[0] + v.y * m.row[1] + v.z * m.row[2];
}
constexpr Mat3 operator*(const Mat3& a, const Mat3& b) {
  const Mat3 t = transpose(b);
  Mat3 c{};
  for (std::size_t i = 0; i < 3; ++i)
    c.row[i] = {dot(a.row[i], t.row[0]), dot(a.row[i], t.row[1]), dot(a.row[i], t.row[2])};
  return c;
}
constexpr double determinant(const Mat3& m) { return dot(m.row[0], cross(m.row[1], m.row[2])); }

/// Unit quaternion w + xi + yj + zk; as an orientation it turns body-frame vectors into space-frame ones.
struct Quat {
  double w = 1, x = 0, y = 0, z = 0;
  friend constexpr bool operator==(const Quat&, const Quat&) = default;
};

constexpr Quat operator*(Quat a, Quat b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
constexpr Quat conjugate(Quat q) { return {q.w, -q.x, -q.y, -q.z}; }
constexpr double norm2(Quat q) { return q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z; }
inline Quat normalized(Quat q) {
  const double s = 1 / std::sqrt(norm2(q));
  return {q.w * s, q.x * s, q.y * s, q.z * s};
}
/// Rotation matrix of a unit quaternion: body -> space.
constexpr Mat3 rotation_matrix(Quat q) {
  const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  const double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return {{{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)},
           {2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)},
           {2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}}};
}
constexpr Vec3 rotate(Quat q, Vec3 v) { return rotation_matrix(q) * v; }
/// Rotation by `angle` (rad) about the unit vector `axis`.
inline Quat axis_angle(Vec3 axis, double angle) {
  const double s = std::sin(angle / 2);
  return {std::cos(angle / 2), s * axis.x, s * axis.y, s * axis.z};
}
/// Unit quaternion of a proper rotation matrix (Shepperd's method).
inline Quat quaternion_of(const Mat3& m) {
  const double t = m(0, 0) + m(1, 1) + m(2, 2);
  Quat q;
  if (t > m(0, 0) && t > m(1, 1) && t > m(2, 2)) {
    q = {1 + t, m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1)};
  } else if (m(0, 0) >= m(1, 1) && m(0, 0) >= m(2, 2)) {
    q = {m(2, 1) - m(1, 2), 1 + m(0, 0) - m(1, 1) - m(2, 2), m(0, 1) + m(1, 0), m(0, 2) + m(2, 0)};
  } else if (m(1, 1) >= m(2, 2)) {
    q = {m(0, 2) - m(2, 0), m(0, 1) + m(1, 0), 1 - m(0, 0) + m(1, 1) - m(2, 2), m(1, 2) + m(2, 1)};
  } else {
    q = {m(1, 0) - m(0, 1), m(0, 2) + m(2, 0), m(1, 2) + m(2, 1), 1 - m(0, 0) - m(1, 1) + m(2, 2)};
  }
  return normalized(q);
}

}  // namespace scree
