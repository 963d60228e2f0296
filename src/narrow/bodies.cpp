#include "narrow/bodies.h"

#include <algorithm>
#include <cmath>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "narrow/bodies.cpp"
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// out = m (scale v) for padded columns of n entries; every product and sum rounded on its own, so that the bits do
/// not depend on the vector width.
void Turn(const double* in, const Mat3& m, double scale, std::size_t n, double* out) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto s = hn::Set(d, scale);
  for (std::size_t i = 0; i < n; i += lanes) {
    const auto x = hn::Mul(s, hn::LoadU(d, in + i));
    const auto y = hn::Mul(s, hn::LoadU(d, in + n + i));
    const auto z = hn::Mul(s, hn::LoadU(d, in + 2 * n + i));
    for (std::size_t r = 0; r < 3; ++r) {
      const auto xy = hn::Add(hn::Mul(hn::Set(d, m.row[r].x), x), hn::Mul(hn::Set(d, m.row[r].y), y));
      hn::StoreU(hn::Add(xy, hn::Mul(hn::Set(d, m.row[r].z), z)), d, out + r * n + i);
    }
  }
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scree::narrow {

HWY_EXPORT(Turn);

Bodies::Bodies() = default;
Bodies::Bodies(Bodies&&) noexcept = default;
Bodies::Bodies(const Bodies& o)
    : shapes_(o.shapes_),
      mix_(o.mix_),
      has_views_(o.has_views_),
      start_(o.start_),
      shape_(o.shape_),
      views_(o.views_),
      columns_(o.columns_),
      planar_(o.planar_),
      parts_(o.parts_ ? std::make_unique<Parts>(*o.parts_) : nullptr) {
  point_views();
}
Bodies& Bodies::operator=(const Bodies& o) {
  if (this != &o) *this = Bodies(o);
  return *this;
}
Bodies& Bodies::operator=(Bodies&&) noexcept = default;
Bodies::~Bodies() = default;

/// Into this object's own columns.
void Bodies::point_views() {
  for (std::size_t i = 0; i < views_.size(); ++i) {
    const HotShape& s = shapes_->hot[shape_[i]];
    BodyView& v = views_[i];
    v.shape = &s;
    if (s.padded == 0) continue;
    v.x = columns_.data() + start_[i], v.y = v.x + s.padded, v.z = v.y + s.padded;
  }
}

void Bodies::set_shapes(std::shared_ptr<const ShapeTables> shapes) {
  shapes_ = std::move(shapes);
  views_.clear(), shape_.clear(), start_.clear();  // until lay_out
  parts_.reset();
  if (!shapes_->parts) return;
  parts_ = std::make_unique<Parts>();
  parts_->bodies.set_shapes(shapes_->parts);
}

void Bodies::lay_out_parts(const Particles& p) {
  Parts& parts = *parts_;
  parts.start.assign(1, 0);
  for (std::size_t i = 0; i < p.size_rows(); ++i) {
    const Shape& whole = *shapes_->shapes[p.shape[i]];
    parts.start.push_back(parts.start.back() +
                          static_cast<std::uint32_t>(std::max<std::size_t>(1, whole.parts.size())));
  }
  Particles& r = parts.rows;
  r.domain = p.domain;
  const std::size_t n = parts.start.back();
  r.id.resize(n), r.shape.resize(n), r.size.resize(n), r.radius.resize(n), r.position.resize(n), r.velocity.resize(n);
  r.angular_velocity.resize(n);
  r.orientation.resize(n), r.travel.resize(n), parts.arm.resize(n);
  for (std::size_t i = 0; i < p.size_rows(); ++i) {
    const Shape& whole = *shapes_->shapes[p.shape[i]];
    const std::uint32_t first = parts.start[i], shape = shapes_->first_part[p.shape[i]];
    r.shape[first] = shape, r.size[first] = p.size[i], r.radius[first] = p.radius[i];
    for (std::uint32_t k = 0; k < whole.parts.size(); ++k) {
      const Shape::Part& part = whole.parts[k];
      const double size = p.size[i] * part.size;
      r.shape[first + k] = shape + k, r.size[first + k] = size;
      r.radius[first + k] = size * part.shape->outer_radius();
    }
  }
  parts.bodies.lay_out(r);
}

void Bodies::pose_parts(const Particles& p, std::size_t i) {
  Parts& parts = *parts_;
  const std::vector<Shape::Part>& of_shape = shapes_->shapes[p.shape[i]]->parts;
  // The column of the wholes is set after they are posed.
  const Vec3 l = transpose_times(views_[i].rotation, p.angular_momentum[i]), inertia = p.inertia[i];
  const Vec3 spin = views_[i].rotation * Vec3{l.x / inertia.x, l.y / inertia.y, l.z / inertia.z};
  for (std::uint32_t r = parts.start[i]; r < parts.start[i + 1]; ++r) {
    const Vec3 centre = of_shape.empty() ? Vec3{} : of_shape[r - parts.start[i]].centre;
    parts.arm[r] = views_[i].rotation * (views_[i].size * centre);
    parts.rows.position[r] = p.position[i] + parts.arm[r];
    parts.rows.velocity[r] = p.velocity[i], parts.rows.angular_velocity[r] = spin;
    parts.rows.orientation[r] = p.orientation[i], parts.rows.travel[r] = p.travel[i];
    parts.bodies.pose(parts.rows, r);
  }
}

void Bodies::lay_out(const Particles& p) {
  const std::size_t n = p.size_rows();
  std::size_t round = 0, spheres = 0, polyhedra = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const ShapeKind kind = shapes_->kinds[p.shape[i]];
    round += is_round(kind) ? 1 : 0, spheres += kind == ShapeKind::sphere ? 1 : 0;
    polyhedra += kind == ShapeKind::polyhedron ? 1 : 0;
  }
  mix_ = polyhedra == n ? BodyMix::polyhedra : (round == n ? BodyMix::round : BodyMix::mixed);
  has_views_ = spheres < n || parts_;
  shape_ = p.shape, start_.resize(has_views_ ? n : 0), views_.resize(has_views_ ? n : 0);
  std::size_t at = 0, at_planar = 0;
  for (std::size_t i = 0; i < views_.size(); ++i) {
    const ShapeKind kind = shapes_->kinds[p.shape[i]];
    start_[i] = kind == ShapeKind::polygon ? at_planar : at;
    views_[i].size = p.size[i], views_[i].radius = p.radius[i];
    at += 3 * shapes_->hot[p.shape[i]].padded, at_planar += 2 * shapes_->shapes[p.shape[i]]->outline.size();
  }
  columns_.resize(at), planar_.resize(at_planar);
  point_views();
  if (parts_) lay_out_parts(p);
}

void Bodies::pose_polygon(std::size_t i) {
  const ConvexPolygon& p = shapes_->shapes[shape_[i]]->outline;
  // The plane's rotation: the orientation turns about z alone.
  const BodyView& view = views_[i];
  const double c = view.rotation.row[0].x, s = view.rotation.row[1].x;
  Vec2* out = planar_.data() + start_[i];
  for (const Vec2 v : p.vertices) *out++ = turned(view.size * v, c, s);
  for (const Vec2 n : p.edge_normals) *out++ = turned(n, c, s);
}

void Bodies::pose(const Particles& p, std::size_t i) {
  if (!has_views_) return;
  const HotShape& s = shapes_->hot[shape_[i]];
  BodyView& view = views_[i];
  view.rotation = rotation_matrix(p.orientation[i]);
  if (kind(i) == ShapeKind::polygon) return pose_polygon(i);
  if (parts_) pose_parts(p, i);
  if (s.padded == 0) return;
  HWY_DYNAMIC_DISPATCH(Turn)(s.columns.data(), view.rotation, view.size, s.padded, columns_.data() + start_[i]);
}

std::size_t Bodies::bytes() const {
  return start_.capacity() * sizeof(std::size_t) + shape_.capacity() * sizeof(std::uint32_t) +
         columns_.capacity() * sizeof(double) + planar_.capacity() * sizeof(Vec2) +
         views_.capacity() * sizeof(BodyView) +
         (parts_ ? parts_->rows.bytes() + parts_->bodies.bytes() + parts_->arm.capacity() * sizeof(Vec3) : 0);
}

}  // namespace scree::narrow
#endif
