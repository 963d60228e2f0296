#include "geometry/clump.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "geometry/moments.h"
#include "geometry/principal_frame.h"

namespace scree {

namespace {

constexpr double kTouch = kCoplanarTolerance;  // of the extent: parts this near touch, this deep do not overlap yet

// ---- how parts lie to each other

double extent_along(const Polyhedron& p, Vec3 n) {
  double top = -std::numeric_limits<double>::infinity();
  for (const Vec3& v : p.vertices) top = std::max(top, dot(n, v));
  return top;
}

/// Largest gap along the normals that can separate two convex bodies; negative: how deep they are in each other.
double gap_between(const Polyhedron& a, const Polyhedron& b) {
  double gap = -std::numeric_limits<double>::infinity();
  const auto try_axis = [&](Vec3 n) { gap = std::max(gap, -extent_along(b, -n) - extent_along(a, n)); };
  for (const Vec3& n : a.face_normals) try_axis(n);
  for (const Vec3& n : b.face_normals) try_axis(-n);
  for (const Polyhedron::Edge& e : a.edges) {
    for (const Polyhedron::Edge& f : b.edges) {
      const Vec3 u = normalized(a.vertices[e.v1] - a.vertices[e.v0]);
      const Vec3 n = cross(u, normalized(b.vertices[f.v1] - b.vertices[f.v0]));
      if (norm(n) < 1e-6) continue;
      try_axis(normalized(n)), try_axis(-normalized(n));
    }
  }
  return gap;
}

double gap_between(const DrawnPart& a, const DrawnPart& b) {
  if (const Ball* ball = std::get_if<Ball>(&a)) {
    const Ball& other = std::get<Ball>(b);
    return norm(ball->centre - other.centre) - ball->radius - other.radius;
  }
  return gap_between(std::get<Polyhedron>(a), std::get<Polyhedron>(b));
}

double extent_of(const std::vector<DrawnPart>& parts) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  Vec3 low{inf, inf, inf}, high = -1.0 * low;
  const auto take = [&](Vec3 x, double r) {
    for (std::size_t k = 0; k < 3; ++k) low[k] = std::min(low[k], x[k] - r), high[k] = std::max(high[k], x[k] + r);
  };
  for (const DrawnPart& part : parts) {
    if (const Ball* ball = std::get_if<Ball>(&part)) {
      take(ball->centre, ball->radius);
    } else {
      for (const Vec3& v : std::get<Polyhedron>(part).vertices) take(v, 0);
    }
  }
  return norm(high - low);
}

std::string numbered(std::size_t k) { return "part " + std::to_string(k); }
constexpr char kGive[] = "; or give volume, centroid and inertia of the whole";

/// Whether the mass properties of the union follow from the parts.
Status check_parts(const std::vector<DrawnPart>& parts) {
  const double near = kTouch * extent_of(parts);
  std::vector<std::size_t> piece(parts.size());
  std::iota(piece.begin(), piece.end(), std::size_t{0});
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].index() != parts[0].index())
      return Error{numbered(i) +
                   " is of another kind than part 0: what spheres and polyhedra have in common is not "
                   "computed; take one kind" +
                   kGive};
    for (std::size_t j = 0; j < i; ++j) {
      const double gap = gap_between(parts[j], parts[i]);
      const bool both_round = std::holds_alternative<Ball>(parts[i]);
      if (!both_round && gap < -near)
        return Error{numbered(j) + " and " + numbered(i) +
                     " overlap: polyhedra of a clump may share faces, not space, which would count twice; cut them "
                     "apart" +
                     kGive};
      const std::size_t one = piece[i], other = piece[j];
      if (gap <= near && one != other) std::replace(piece.begin(), piece.end(), one, other);
    }
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (piece[i] != piece[0])
      return Error{numbered(i) +
                   " hangs together with part 0 neither directly nor through others: nothing says what "
                   "holds it; move it nearer" +
                   kGive};
  }
  return ok();
}

Status check_given(const MassProperties& m, const std::vector<DrawnPart>& parts) {
  if (!(m.volume > 0) || !std::isfinite(m.volume)) return Error{"the volume has to be above 0"};
  const double extent = extent_of(parts);
  if (!is_finite(m.centroid)) return Error{"the centroid has to be finite"};
  const Vec3 i = principal_frame(m.inertia).moments(m.inertia);
  const double largest = std::max({i.x, i.y, i.z}), least = std::min({i.x, i.y, i.z});
  if (!(least > 0) || !std::isfinite(largest)) return Error{"every principal moment of inertia has to be above 0"};
  if (largest > (i.x + i.y + i.z - largest) * (1 + 1e-9))
    return Error{"no body has this inertia: its largest principal moment is above the sum of the two others"};
  if (largest > 4 * m.volume * extent * extent)
    return Error{
        "the inertia is larger than that of the volume at twice the distance of any part; is it at density 1, "
        "about the centroid, in the unit of the parts?"};
  return ok();
}

MassProperties properties_of_parts(const std::vector<DrawnPart>& parts) {
  std::vector<Ball> balls;
  Moments sum{};
  const Vec3 origin = std::holds_alternative<Ball>(parts[0]) ? std::get<Ball>(parts[0]).centre
                                                             : mass_properties(std::get<Polyhedron>(parts[0])).centroid;
  for (const DrawnPart& part : parts) {
    if (const Ball* ball = std::get_if<Ball>(&part)) {
      balls.push_back(*ball);
      continue;
    }
    const MassProperties m = mass_properties(std::get<Polyhedron>(part));
    const Vec3 c = m.centroid - origin;
    const Mat3& i = m.inertia;
    const double v = m.volume, half = 0.5 * (i(0, 0) + i(1, 1) + i(2, 2));
    const Moments own = {v,
                         v * c.x,
                         v * c.y,
                         v * c.z,
                         half - i(0, 0) + v * c.x * c.x,
                         half - i(1, 1) + v * c.y * c.y,
                         half - i(2, 2) + v * c.z * c.z,
                         -i(0, 1) + v * c.x * c.y,
                         -i(0, 2) + v * c.x * c.z,
                         -i(1, 2) + v * c.y * c.z};
    add(sum, own);
  }
  return balls.empty() ? properties_of(sum, origin) : mass_properties(balls);
}

/// The part in the frame of the clump.
Result<Shape::Part> placed(const DrawnPart& part, const PrincipalFrame& frame, Vec3 centroid, double extent) {
  // A centre that is the centroid but for rounding is the origin, so that one ball alone is that ball.
  const auto place = [&](Vec3 x) {
    for (std::size_t k = 0; k < 3; ++k) x[k] = std::abs(x[k] - centroid[k]) > 1e-14 * extent ? x[k] - centroid[k] : 0;
    return frame.axes * x;
  };
  if (const Ball* ball = std::get_if<Ball>(&part)) {
    static const auto sphere = std::make_shared<const Shape>(make_sphere("sphere"));
    return Shape::Part{place(ball->centre), 2 * ball->radius, sphere};
  }
  const Polyhedron& drawn = std::get<Polyhedron>(part);
  const MassProperties own = mass_properties(drawn);
  std::vector<Vec3> vertices;
  for (const Vec3& v : drawn.vertices) vertices.push_back(frame.axes * (v - own.centroid));
  std::vector<std::vector<std::uint16_t>> loops;
  for (std::size_t f = 0; f < drawn.face_normals.size(); ++f) {
    const auto loop = drawn.loop(f);
    loops.emplace_back(loop.begin(), loop.end());
  }
  Result<Polyhedron> body = assemble(std::move(vertices), loops);
  if (!body) return body.error();
  Shape s;
  s.name = "part", s.body = std::move(*body), s.volume = own.volume;
  return Shape::Part{place(own.centroid), 1, std::make_shared<const Shape>(std::move(s))};
}

}  // namespace

Result<Shape> make_clump(std::string name, const std::vector<DrawnPart>& parts,
                         const std::optional<MassProperties>& given, std::string description) {
  if (parts.empty()) return Error{"a clump needs a part"};
  if (parts.size() > kMaxParts)
    return Error{std::to_string(parts.size()) + " parts; the limit is " + std::to_string(kMaxParts)};
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const Ball* ball = std::get_if<Ball>(&parts[k]);
    if (ball && (!is_finite(ball->centre) || !(ball->radius > 0) || !std::isfinite(ball->radius)))
      return Error{numbered(k) + ": the radius has to be above 0, the centre finite"};
  }
  const double extent = extent_of(parts);
  if (!std::isfinite(extent * extent * extent) || !(extent * extent * extent > 0))
    return Error{"the parts are too large or too small for a volume"};
  if (Status fits = given ? check_given(*given, parts) : check_parts(parts); !fits) return fits.error();
  const MassProperties m = given ? *given : properties_of_parts(parts);
  const PrincipalFrame frame = principal_frame(m.inertia);
  Shape s;
  s.name = std::move(name), s.description = std::move(description), s.kind = ShapeKind::clump;
  s.volume = m.volume, s.inertia = frame.moments(m.inertia);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    Result<Shape::Part> part = placed(parts[k], frame, m.centroid, extent);
    if (!part) return Error{numbered(k) + ": " + part.error().message};
    s.parts.push_back(std::move(*part));
  }
  return s;
}

}  // namespace scree
