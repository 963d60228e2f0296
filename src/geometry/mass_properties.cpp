#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "geometry/polyhedron.h"
#include "geometry/principal_frame.h"

namespace scree {
namespace {

/// Volume, first and second moments about the reference corner.
struct MomentsAbout {
  double volume = 0;
  Vec3 first;
  Mat3 second{};
};

MomentsAbout moments_about(const Polyhedron& p, Vec3 corner) {
  MomentsAbout m;
  for (std::size_t f = 0; f + 1 < p.face_start.size(); ++f) {
    const auto loop = p.loop(f);
    const Vec3 a = p.vertices[loop[0]] - corner;
    for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
      const Vec3 b = p.vertices[loop[i]] - corner, c = p.vertices[loop[i + 1]] - corner;
      const double det = dot(a, cross(b, c));
      const Vec3 sum = a + b + c;
      m.volume += det / 6;
      m.first += det / 24 * sum;
      for (std::size_t k = 0; k < 3; ++k) {
        m.second.row[k] += det / 120 * (sum[k] * sum + a[k] * a + b[k] * b + c[k] * c);
      }
    }
  }
  return m;
}

/// Moments that differ by less, relative to the largest, are equal: a drawing in floats gives no more digits.
constexpr double kEqualMoments = 1e-6;

double trace(const Mat3& m) { return m(0, 0) + m(1, 1) + m(2, 2); }

/// The two equal axes i and j turned within their plane until the frame is as near to the drawn one as it can be
/// (largest trace); `sign` is that of the third axis.
Mat3 nearest_with_pair(Mat3 axes, std::size_t i, std::size_t j, std::size_t third, double sign) {
  axes.row[third] *= sign;
  if (determinant(axes) < 0) axes.row[j] *= -1;
  const Vec3 u = axes.row[i], w = axes.row[j];
  const double y = w[i] - u[j], x = u[i] + w[j];
  const double length = std::hypot(x, y);
  if (length > 1e-9) {
    axes.row[i] = (x * u + y * w) / length;
    axes.row[j] = (x * w - y * u) / length;
  }
  return axes;
}

/// Distinct moments leave four proper frames; the one nearest to the drawn axes.
Mat3 nearest_by_sign(const Mat3& axes) {
  Mat3 best = axes;
  double best_trace = -std::numeric_limits<double>::infinity();
  for (unsigned s = 0; s < 8; ++s) {
    Mat3 m = axes;
    for (std::size_t k = 0; k < 3; ++k) {
      if (((s >> k) & 1U) != 0) m.row[k] *= -1;
    }
    // Ties (an axis square to its drawn one) must not hang on rounding: later candidates have to win clearly.
    if (determinant(m) > 0 && trace(m) > best_trace + 1e-9) best = m, best_trace = trace(m);
  }
  return best;
}

/// Eigenvectors come with any sign; the first component that counts is made positive so that ties break the same way
/// always.
void fix_signs(Mat3& axes) {
  for (Vec3& a : axes.row) {
    for (std::size_t k = 0; k < 3; ++k) {
      if (std::abs(a[k]) < 1e-6) continue;
      if (a[k] < 0) a *= -1;
      break;
    }
  }
}

/// Axes that are the drawn ones but for rounding become exactly those, so that drawn coordinates stay as they are.
void snap(Mat3& axes) {
  Mat3 m = axes;
  for (Vec3& a : m.row) {
    for (std::size_t k = 0; k < 3; ++k) {
      const double r = std::round(a[k]);
      if (std::abs(a[k] - r) > 1e-12) return;
      a[k] = r + 0.0;
    }
  }
  axes = m;
}

}  // namespace

PrincipalFrame principal_frame(const Mat3& inertia) {
  Eigen::Matrix3d e;
  const double scale = trace(inertia);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) e(i, j) = inertia(static_cast<std::size_t>(i), static_cast<std::size_t>(j)) / scale;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(e);
  const Eigen::Vector3d w = solver.eigenvalues();
  PrincipalFrame f;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto v = solver.eigenvectors().col(static_cast<Eigen::Index>(k));
    f.axes.row[k] = {v(0), v(1), v(2)};
  }
  fix_signs(f.axes);
  const double tolerance = kEqualMoments * w(2);
  if (w(2) - w(0) <= tolerance) {
    f.axes = Mat3::identity();
    f.equal = {true, true};
  } else if (w(1) - w(0) <= tolerance || w(2) - w(1) <= tolerance) {
    const bool low = w(1) - w(0) <= w(2) - w(1);
    const std::size_t i = low ? 0 : 1, third = low ? 2 : 0;
    const Mat3 plus = nearest_with_pair(f.axes, i, i + 1, third, 1);
    const Mat3 minus = nearest_with_pair(f.axes, i, i + 1, third, -1);
    f.axes = trace(minus) > trace(plus) + 1e-9 ? minus : plus;
    f.equal = {low, !low};
  } else {
    f.axes = nearest_by_sign(f.axes);
  }
  snap(f.axes);
  return f;
}

Vec3 PrincipalFrame::moments(const Mat3& inertia) const {
  std::array<double, 3> i{};
  for (std::size_t k = 0; k < 3; ++k) i[k] = dot(axes.row[k], inertia * axes.row[k]);
  if (equal[0] && equal[1]) {
    i.fill((i[0] + i[1] + i[2]) / 3);
  } else if (equal[0]) {
    i[0] = i[1] = 0.5 * (i[0] + i[1]);
  } else if (equal[1]) {
    i[1] = i[2] = 0.5 * (i[1] + i[2]);
  }
  return {i[0], i[1], i[2]};
}

MassProperties mass_properties(const Polyhedron& p) {
  MassProperties result;
  if (p.vertices.empty()) return result;
  const MomentsAbout m = moments_about(p, p.vertices[0]);
  if (!(m.volume != 0)) return result;
  const Vec3 c = m.first / m.volume;
  result.volume = m.volume;
  result.centroid = p.vertices[0] + c;
  Mat3 central = m.second;
  for (std::size_t k = 0; k < 3; ++k) central.row[k] -= m.volume * c[k] * c;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      result.inertia(i, j) = (i == j ? trace(central) : 0) - 0.5 * (central(i, j) + central(j, i));
    }
  }
  return result;
}

Result<Shape> make_shape(std::string name, const Polyhedron& drawn, std::string description) {
  const MassProperties m = mass_properties(drawn);
  const double extent = std::cbrt(m.volume);
  if (!(m.volume > 0) || !std::isfinite(m.volume)) return Error{"shape '" + name + "' has no volume"};
  const PrincipalFrame frame = principal_frame(m.inertia);
  std::vector<Vec3> vertices;
  vertices.reserve(drawn.vertices.size());
  for (const Vec3& v : drawn.vertices) {
    // A centroid that is zero but for rounding is zero: drawn coordinates keep their digits.
    Vec3 r = v;
    for (std::size_t k = 0; k < 3; ++k) {
      if (std::abs(m.centroid[k]) > 1e-14 * extent) r[k] -= m.centroid[k];
    }
    vertices.push_back(frame.axes * r);
  }
  std::vector<std::vector<std::uint16_t>> loops;
  for (std::size_t f = 0; f + 1 < drawn.face_start.size(); ++f) {
    const auto loop = drawn.loop(f);
    loops.emplace_back(loop.begin(), loop.end());
  }
  Result<Polyhedron> body = assemble(std::move(vertices), loops);
  if (!body) return Error{"shape '" + name + "': " + body.error().message};
  Shape s;
  s.name = std::move(name);
  s.description = std::move(description);
  s.body = std::move(*body);
  const MassProperties own = mass_properties(s.body);
  s.volume = own.volume;
  s.inertia = PrincipalFrame{Mat3::identity(), frame.equal}.moments(own.inertia);
  return s;
}

}  // namespace scree
