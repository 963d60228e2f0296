#include "geometry/clump.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "geometry/principal_frame.h"

namespace scree {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kTouch = kCoplanarTolerance;  // of the extent: parts this near touch, this deep do not overlap yet
constexpr double kAccuracy = 1e-12;            // of the ball of the whole, asked of each interval of the quadrature
constexpr int kDeepest = 24;                   // halvings of an interval

// ---- mass properties of a union of balls

/// Integrals of 1, x, y, z, xx, yy, zz, xy, xz, yz.
using Moments = std::array<double, 10>;

/// Integrals of 1, x, y, xx, yy, xy over a plane figure.
using PlaneMoments = std::array<double, 6>;

struct Disc {
  double x, y, r;
};

/// Green's theorem along the arc from angle a to b > a.
void add_arc(const Disc& d, double a, double b, PlaneMoments& m) {
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
PlaneMoments moments_of_union(const std::vector<Disc>& discs, std::vector<Interval>& covered) {
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
      if (from < -kPi) from += 2 * kPi, to += 2 * kPi;
      covered.emplace_back(from, std::min(to, kPi));
      if (to > kPi) covered.emplace_back(-kPi, to - 2 * kPi);
    }
    if (swallowed) continue;
    std::sort(covered.begin(), covered.end());
    double at = -kPi;
    for (const auto& [from, to] : covered) {
      if (from > at) add_arc(d, at, from, m);
      at = std::max(at, to);
    }
    if (at < kPi) add_arc(d, at, kPi, m);
  }
  return m;
}

/// Slices of balls across z.
class Slices {
 public:
  explicit Slices(std::vector<Ball> balls) : balls_(std::move(balls)) {
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

  static void add(Moments& a, const Moments& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  }

  std::vector<Ball> balls_;
  double extent_ = 0;
  std::vector<Disc> discs_;
  std::vector<Interval> covered_;
};

Moments moments_of(const Ball& b) {
  const Vec3 c = b.centre;
  const double v = 4 * kPi / 3 * b.radius * b.radius * b.radius, own = v * b.radius * b.radius / 5;
  return {v,
          v * c.x,
          v * c.y,
          v * c.z,
          own + v * c.x * c.x,
          own + v * c.y * c.y,
          own + v * c.z * c.z,
          v * c.x * c.y,
          v * c.x * c.z,
          v * c.y * c.z};
}

/// Balls that overlap, directly or through others, have one number.
std::vector<std::size_t> groups_of(std::span<const Ball> balls) {
  std::vector<std::size_t> group(balls.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  for (std::size_t i = 0; i < balls.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const std::size_t one = group[i], other = group[j];
      const bool overlap = norm(balls[i].centre - balls[j].centre) < balls[i].radius + balls[j].radius;
      if (overlap && one != other) std::replace(group.begin(), group.end(), one, other);
    }
  }
  return group;
}

/// About `origin`.
MassProperties properties_of(const Moments& m, Vec3 origin) {
  MassProperties p;
  p.volume = m[0];
  const Vec3 c = Vec3{m[1], m[2], m[3]} / m[0];
  p.centroid = origin + c;
  const double xx = m[4] - m[0] * c.x * c.x, yy = m[5] - m[0] * c.y * c.y, zz = m[6] - m[0] * c.z * c.z;
  const double xy = m[7] - m[0] * c.x * c.y, xz = m[8] - m[0] * c.x * c.z, yz = m[9] - m[0] * c.y * c.z;
  p.inertia = {{Vec3{yy + zz, -xy, -xz}, Vec3{-xy, xx + zz, -yz}, Vec3{-xz, -yz, xx + yy}}};
  return p;
}

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

MassProperties properties_of(const std::vector<DrawnPart>& parts) {
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
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += own[k];
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

MassProperties mass_properties(std::span<const Ball> balls) {
  if (balls.empty()) return {};
  const Vec3 origin = balls[0].centre;
  std::vector<Ball> near(balls.begin(), balls.end());
  for (Ball& b : near) b.centre -= origin;
  const std::vector<std::size_t> group = groups_of(near);
  Moments sum{};
  for (std::size_t g = 0; g < near.size(); ++g) {
    std::vector<Ball> members;
    for (std::size_t k = 0; k < near.size(); ++k)
      if (group[k] == g) members.push_back(near[k]);
    if (members.empty()) continue;
    const Moments own = members.size() == 1 ? moments_of(members[0]) : Slices(std::move(members)).integrate();
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += own[k];
  }
  return properties_of(sum, origin);
}

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
  const MassProperties m = given ? *given : properties_of(parts);
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
