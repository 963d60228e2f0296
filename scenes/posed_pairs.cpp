#include "scenes/posed_pairs.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/random.h"
#include "narrow/plane_method.h"

namespace scree::scenes {

namespace {

/// A rotation that takes the unit vector u to the unit vector v.
Quat turn_to(Vec3 u, Vec3 v) {
  const Vec3 axis = cross(u, v);
  const double sine = norm(axis), cosine = dot(u, v);
  const Vec3 about = sine > 1e-9 ? axis / sine : any_perpendicular(u);
  return axis_angle(about, std::atan2(sine, cosine));
}

struct Face {
  Vec3 normal, centre;
};
Face largest_face(const Polyhedron& p) {
  Face best;
  double most = 0;
  for (std::size_t f = 0; f < p.face_normals.size(); ++f) {
    const auto loop = p.loop(f);
    Vec3 area, sum;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const Vec3 x = p.vertices[loop[i]], y = p.vertices[loop[(i + 1) % loop.size()]];
      area += 0.5 * cross(x, y), sum += x;
    }
    // Faces of equal area differ by rounding; the first one stands for them.
    if (!(norm(area) > most * (1 + 1e-9))) continue;
    most = norm(area);
    best = {p.face_normals[f], sum / static_cast<double>(loop.size())};
  }
  return best;
}

}  // namespace

PosedPairs::PosedPairs(std::shared_ptr<const Shape> a, std::shared_ptr<const Shape> b, std::size_t n)
    : shapes_{std::move(a), std::move(b)} {
  bodies_.set_shapes(shapes_);
  particles_.resize(2 * n);
  for (std::size_t i = 0; i < 2 * n; ++i) {
    particles_.id[i] = static_cast<std::uint32_t>(i);
    particles_.shape[i] = i % 2;
    particles_.size[i] = 1, particles_.radius[i] = shapes_[i % 2]->body.outer_radius;
  }
  bodies_.lay_out(particles_);
}

void PosedPairs::pose(std::size_t k, Quat a, Quat b, Vec3 d) {
  particles_.orientation[2 * k] = a, particles_.orientation[2 * k + 1] = b;
  particles_.position[2 * k] = {}, particles_.position[2 * k + 1] = d;
  bodies_.pose(particles_, 2 * k), bodies_.pose(particles_, 2 * k + 1);
}

bool PosedPairs::bring_to(std::size_t k, double gap) {
  narrow::SearchCounters counters;
  // Inwards another plane may be the best one afterwards; the gap then falls towards the one asked for from above.
  for (int i = 0; i < 64; ++i) {
    const narrow::Plane p = narrow::exact_plane(a(k), b(k), d(k), nullptr, counters);
    if (std::abs(p.gap - gap) < 1e-12) return true;
    particles_.position[2 * k + 1] += (gap - p.gap) * p.n;
  }
  return false;
}

PairTable PosedPairs::table(std::size_t times, bool tracks) const {
  PairTable t;
  t.keeps_tracked = tracks;
  t.resize(times * size());
  for (std::size_t row = 0; row < t.size(); ++row) {
    const auto k = static_cast<std::uint32_t>(row % size());
    t.a[row] = 2 * k, t.b[row] = 2 * k + 1;
    t.feature[row] = {}, t.clear_until[row] = 0, t.first[row] = t.count[row] = 0;
  }
  return t;
}

PosedPairs random_pairs(const std::shared_ptr<const Shape>& shape, std::size_t n, double gap, std::uint64_t seed) {
  PosedPairs pairs(shape, shape, n);
  for (std::size_t k = 0; k < n; ++k) {
    Random u(seed, k);
    bool reached = false;
    while (!reached) {
      pairs.pose(k, u.rotation(), u.rotation(), 2 * shape->body.outer_radius * u.direction());
      reached = pairs.bring_to(k, gap);
    }
  }
  return pairs;
}

PosedPairs step_later(const PosedPairs& before, double motion, double gap, std::uint64_t seed) {
  PosedPairs after = before;
  for (std::size_t k = 0; k < before.size(); ++k) {
    Random u(seed, k);
    const Quat turn_a = axis_angle(u.direction(), motion), turn_b = axis_angle(u.direction(), motion);
    after.pose(k, normalized(turn_a * before.orientation_a(k)), normalized(turn_b * before.orientation_b(k)),
               before.d(k) + motion * u.direction());
    after.bring_to(k, gap);
  }
  return after;
}

PosedPairs face_to_face(const std::shared_ptr<const Shape>& shape, std::size_t n, double depth, std::uint64_t seed) {
  const Face face = largest_face(shape->body);
  PosedPairs pairs(shape, shape, n);
  for (std::size_t k = 0; k < n; ++k) {
    Random u(seed, k);
    const Quat a = u.rotation();
    const Vec3 normal = rotate(a, face.normal), side = any_perpendicular(normal);
    const Quat b = normalized(axis_angle(normal, u.uniform(0, 2 * M_PI)) * turn_to(face.normal, -normal));
    const double about = u.uniform(0, 2 * M_PI);
    const Vec3 aside = 0.1 * (std::cos(about) * side + std::sin(about) * cross(normal, side));
    pairs.pose(k, a, b, rotate(a, face.centre) - rotate(b, face.centre) - depth * normal + aside);
  }
  return pairs;
}

std::shared_ptr<const Shape> boulder32() {
  static const std::shared_ptr<const Shape> made = [] {
    Random u(32);
    std::vector<Vec3> corners;
    for (int i = 0; i < 32; ++i) corners.push_back(0.5 * u.direction());
    const Result<Polyhedron> hull = convex_hull(corners);
    const Result<Shape> shape = hull ? make_shape("boulder32", *hull) : Result<Shape>(hull.error());
    if (!shape) std::fprintf(stderr, "scene: %s\n", shape.error().message.c_str()), std::abort();
    return std::make_shared<const Shape>(*shape);
  }();
  return made;
}

}  // namespace scree::scenes
