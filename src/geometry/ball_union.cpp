#include "geometry/ball_union.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "geometry/moments.h"

// On the unit sphere of one ball, every other ball that it meets covers a cap. What no cap covers, the patches, is
// known by the arcs of the caps' rims that no other cap covers; which these are is decided once for a pair of caps, and
// where two rims cross is computed once, so that the arcs close to loops whatever rounding says: an error in where they
// cross moves the boundary along itself.

namespace scree {

namespace {

using std::numbers::pi;
constexpr double kRim = 1e-6;      // of the smaller radius: two spheres that meet in a smaller circle only touch
constexpr double kWithin = 1e-11;  // of the smaller radius: a ball that reaches out no farther lies within
constexpr double kAlong = 1e-12;   // of the radius: rims that cross no deeper only touch

/// Where two spheres meet, seen from one of them.
struct Cap {
  Vec3 axis;            ///< unit, to the other's centre
  double cosine, sine;  ///< of its angular radius
  Vec3 right, up;       ///< right x up = axis
};

using Interval = std::pair<double, double>;

/// Moments of the directions n of the patches of one unit sphere.
struct PatchMoments {
  double area = 0;
  Vec3 first;     ///< of n
  Mat3 second{};  ///< of n n
  Mat3 third{};   ///< of n n (n.d)
};

Mat3 outer(Vec3 a, Vec3 b) { return {{a.x * b, a.y * b, a.z * b}}; }
Mat3 both(Vec3 a, Vec3 b) {
  Mat3 m = outer(a, b);
  const Mat3 o = outer(b, a);
  for (std::size_t k = 0; k < 3; ++k) m.row[k] += o.row[k];
  return m;
}
void accumulate(Mat3& sum, double factor, const Mat3& m) {
  for (std::size_t k = 0; k < 3; ++k) sum.row[k] += factor * m.row[k];
}

/// Integrals over an angle t of products of c = cos t and s = sin t.
struct Trig {
  double one, c, s, cc, cs, ss, ccc, ccs, css, sss;
};
Trig trig(double from, double to) {
  const auto upto = [](double t) {
    const double c = std::cos(t), s = std::sin(t);
    return std::array<double, 9>{s,
                                 -c,
                                 0.5 * (t + s * c),
                                 0.5 * s * s,
                                 0.5 * (t - s * c),
                                 s - s * s * s / 3,
                                 -c * c * c / 3,
                                 s * s * s / 3,
                                 -c + c * c * c / 3};
  };
  const std::array<double, 9> a = upto(from), b = upto(to);
  return {to - from,   b[0] - a[0], b[1] - a[1], b[2] - a[2], b[3] - a[3],
          b[4] - a[4], b[5] - a[5], b[6] - a[6], b[7] - a[7], b[8] - a[8]};
}

/// Sums over the bare arcs of the rims. On the rim of a cap with axis q, n = c q + s u with u going round q, and the
/// patch's outward conormal is s q - c u. Moments of n of odd and even order come from those of the harmonics Y of
/// order l: the integral of Y over a patch is that of its slope along the conormal over the boundary times
/// -1 / (l (l + 1)). The area, which is no such thing, is the integral of the one-form (n x dn . p) / (1 - n . p), with
/// p a direction that is covered.
class ArcSum {
 public:
  ArcSum(Vec3 pole, Vec3 d) : pole_(pole), d_(d) {}

  void add_arc(const Cap& cap, double from, double to) {
    const Trig g = trig(from, to);
    const Vec3 e = cap.right, f = cap.up, q = cap.axis;
    const double c = cap.cosine, s = cap.sine, s2 = s * s, c2 = c * c;
    const Vec3 u = g.c * e + g.s * f;
    conormal_ += s * (s * g.one * q - c * u);
    Mat3 w{};
    accumulate(w, g.cc, outer(e, e)), accumulate(w, g.cs, both(e, f)), accumulate(w, g.ss, outer(f, f));
    const Mat3 qq = outer(q, q), qu = both(q, u);
    accumulate(slope2_, 2 * s2 * c * g.one, qq), accumulate(slope2_, -2 * s2 * c, w);
    accumulate(slope2_, s * (s2 - c2), qu);
    // Third order, contracted with d.
    const double along = dot(d_, q), de = dot(d_, e), df = dot(d_, f);
    const double k1 = 3 * s * c2, k2 = 2 * s2 * c - c2 * c, k3 = s2 * s - 2 * s * c2, k4 = -3 * s2 * c;
    accumulate(slope3_, s * (k1 * along * g.one + k2 * dot(d_, u)), qq);
    accumulate(slope3_, s * k3 * along, w);
    accumulate(slope3_, s * k4 * (g.ccc * de + g.ccs * df), outer(e, e));
    accumulate(slope3_, s * k4 * (g.ccs * de + g.css * df), both(e, f));
    accumulate(slope3_, s * k4 * (g.css * de + g.sss * df), outer(f, f));
    accumulate(slope3_, s * k2 * along, qu);
    accumulate(slope3_, s * k3, both(q, w * d_));
    area_ += area_under(cap, from, to);
    starts_.push_back(c * q + s * (std::cos(from) * e + std::sin(from) * f));
    ends_.push_back(c * q + s * (std::cos(to) * e + std::sin(to) * f));
  }

  /// From where an arc ends to where the nearest other begins. Where several rims touch each other in one point, pairs
  /// of them can be taken to cross or not to such that up to kRim of an arc is missing or too many.
  void close_gaps() {
    for (const Vec3& end : ends_) {
      const auto nearest = std::min_element(starts_.begin(), starts_.end(), [&](const Vec3& a, const Vec3& b) {
        return norm2(a - end) < norm2(b - end);
      });
      const Vec3 gap = *nearest - end;
      if (norm2(gap) > 0) add_step(normalized(end + 0.5 * gap), gap);
      *nearest = starts_.back(), starts_.pop_back();
    }
    ends_.clear();
  }

  PatchMoments moments() const {
    PatchMoments m;
    m.area = area_;
    m.first = -0.5 * conormal_;
    accumulate(m.second, area_ / 3, Mat3::identity()), accumulate(m.second, -1.0 / 6, slope2_);
    accumulate(m.third, -1.0 / 12, slope3_), accumulate(m.third, dot(m.first, d_) / 6, Mat3::identity());
    accumulate(m.third, 1.0 / 6, both(m.first, d_));
    return m;
  }

 private:
  /// A short step along the boundary at n.
  void add_step(Vec3 n, Vec3 step) {
    const Vec3 conormal = cross(n, step);
    conormal_ += conormal;
    accumulate(slope2_, 1, both(conormal, n));
    accumulate(slope3_, dot(n, d_), both(conormal, n)), accumulate(slope3_, dot(conormal, d_), outer(n, n));
    area_ += dot(conormal, pole_) / (1 - dot(n, pole_));
  }

  /// The one-form along the arc: c dt + sign 2 dpsi with tan psi = sin((a + b) / 2) / |sin((a - b) / 2)| tan(t / 2), a
  /// and b the angular radius of the cap and the angle from its axis to p, t counted from the point nearest to p.
  double area_under(const Cap& cap, double from, double to) const {
    const double x = dot(pole_, cap.right), y = dot(pole_, cap.up), z = dot(pole_, cap.axis);
    const double zero = std::atan2(y, x), b = std::atan2(std::hypot(x, y), z), a = std::atan2(cap.sine, cap.cosine);
    const double one = std::sin(0.5 * (a + b)), other = std::abs(std::sin(0.5 * (a - b)));
    const auto psi = [&](double t) {
      const double turns = std::floor((t - zero) / (2 * pi)), half = 0.5 * (t - zero) - pi * turns;
      return pi * turns + std::atan2(one * std::max(0.0, std::sin(half)), other * std::cos(half));
    };
    return cap.cosine * (to - from) + (b < a ? 2 : -2) * (psi(to) - psi(from));
  }

  Vec3 pole_;
  Vec3 d_;
  double area_ = 0;
  Vec3 conormal_;
  Mat3 slope2_{}, slope3_{};
  std::vector<Vec3> starts_, ends_;  ///< of the arcs
};

class Union {
 public:
  explicit Union(std::vector<Ball> balls) : balls_(std::move(balls)) {}

  Moments moments() {
    drop_those_within();
    Moments sum{};
    for (std::size_t i = 0; i < balls_.size(); ++i) add(sum, of_patches(i));
    return sum;
  }

 private:
  /// Of two that are the same the earlier stays.
  void drop_those_within() {
    std::vector<std::size_t> order(balls_.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::stable_sort(order.begin(), order.end(),
                     [this](std::size_t a, std::size_t b) { return balls_[a].radius > balls_[b].radius; });
    std::vector<std::size_t> kept;
    for (const std::size_t k : order) {
      const Ball& small = balls_[k];
      const bool within = std::any_of(kept.begin(), kept.end(), [&](std::size_t l) {
        const Ball& big = balls_[l];
        const double apart = norm(small.centre - big.centre), out = apart + small.radius - big.radius;
        return out <= kWithin * small.radius ||
               (out < small.radius && rim_radius(big, small, apart) <= kRim * small.radius);
      });
      if (!within) kept.push_back(k);
    }
    std::sort(kept.begin(), kept.end());
    for (std::size_t k = 0; k < kept.size(); ++k) balls_[k] = balls_[kept[k]];
    balls_.resize(kept.size());
  }

  /// From the centre of the larger ball, of the plane of the circle in which they meet.
  static double plane_of(const Ball& large, const Ball& small, double apart) {
    return 0.5 * (apart + (large.radius - small.radius) * ((large.radius + small.radius) / apart));
  }
  static double rim_radius(const Ball& large, const Ball& small, double apart) {
    // The small ball's own distance from the plane keeps digits where the large one is much larger.
    const double h = apart - plane_of(large, small, apart);
    return std::sqrt(std::max(0.0, (small.radius - h) * (small.radius + h)));
  }

  void find_caps(std::size_t i) {
    caps_.clear();
    for (std::size_t j = 0; j < balls_.size(); ++j) {
      if (i == j) continue;
      const Vec3 d = balls_[j].centre - balls_[i].centre;
      const double reach = balls_[i].radius + balls_[j].radius, apart2 = norm2(d);
      if (apart2 >= reach * reach) continue;
      const double apart = std::sqrt(apart2);
      // One circle for both of them, computed from the same side.
      const bool first = balls_[i].radius > balls_[j].radius || (balls_[i].radius == balls_[j].radius && i < j);
      const Ball &large = balls_[first ? i : j], &small = balls_[first ? j : i];
      const double rim = rim_radius(large, small, apart);
      if (!(rim > kRim * small.radius)) continue;
      const double plane = plane_of(large, small, apart), h = first ? plane : apart - plane;
      const double scale = 1 / std::hypot(h, rim);
      caps_.push_back({d / apart, h * scale, rim * scale, {}, {}});
    }
    std::stable_sort(caps_.begin(), caps_.end(), [](const Cap& a, const Cap& b) { return a.cosine < b.cosine; });
  }

  enum class Relation { apart, within, whole, cross };

  /// Of a cap and one no larger than it.
  static Relation relation(const Cap& large, const Cap& small) {
    // Chords in place of angles: of the axes, and of the difference and the sum of the angular radii.
    if (norm(large.axis - small.axis) <= std::hypot(large.cosine - small.cosine, large.sine - small.sine) + kAlong)
      return Relation::within;
    if (norm(large.axis + small.axis) <= std::hypot(large.cosine + small.cosine, large.sine - small.sine) + kAlong)
      return large.cosine + small.cosine > 0 ? Relation::apart : Relation::whole;
    return Relation::cross;
  }

  /// Where the rims cross, leaving and entering the second cap in the sense of the first's rim.
  static std::array<Vec3, 2> crossings(const Cap& a, const Cap& b) {
    const Vec3 sum = a.axis + b.axis, difference = b.axis - a.axis;
    const double s = norm(sum), d = norm(difference);
    // Perpendicular to each other up to rounding; the shorter one is made so.
    Vec3 along = normalized(sum), across = normalized(difference);
    if (s < d) {
      along = normalized(along - dot(along, across) * across);
    } else {
      across = normalized(across - dot(along, across) * along);
    }
    const double x = (a.cosine + b.cosine) / s, y = (b.cosine - a.cosine) / d;
    const double z = std::sqrt(std::max(0.0, 1 - x * x - y * y));
    const Vec3 foot = x * along + y * across, up = z * cross(along, across);
    return {foot + up, foot - up};
  }

  static void cover(std::vector<Interval>& covered, const Cap& cap, Vec3 enters, Vec3 leaves) {
    const double from = std::atan2(dot(enters, cap.up), dot(enters, cap.right));
    const double to = std::atan2(dot(leaves, cap.up), dot(leaves, cap.right));
    if (from <= to) return covered.emplace_back(from, to), void();
    covered.emplace_back(from, pi), covered.emplace_back(-pi, to);
  }

  Moments of_patches(std::size_t i) {
    const Ball& ball = balls_[i];
    find_caps(i);
    if (caps_.empty()) return moments_of(ball);
    std::size_t n = 0;
    for (std::size_t k = 0; k < caps_.size(); ++k) {
      bool within = false;
      for (std::size_t l = 0; l < n && !within; ++l) {
        const Relation r = relation(caps_[l], caps_[k]);
        if (r == Relation::whole) return {};
        within = r == Relation::within;
      }
      if (!within) caps_[n++] = caps_[k];
    }
    caps_.resize(n);
    if (covered_.size() < n) covered_.resize(n);
    for (std::size_t k = 0; k < n; ++k) {
      Cap& cap = caps_[k];
      cap.right = any_perpendicular(cap.axis), cap.up = cross(cap.axis, cap.right);
      covered_[k].clear();
    }
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t l = 0; l < k; ++l) {
        if (relation(caps_[l], caps_[k]) != Relation::cross) continue;
        const auto [out, in] = crossings(caps_[l], caps_[k]);
        cover(covered_[l], caps_[l], in, out);
        cover(covered_[k], caps_[k], out, in);
      }
    }
    ArcSum sum(caps_[0].axis, ball.centre);
    for (std::size_t k = 0; k < n; ++k) {
      std::sort(covered_[k].begin(), covered_[k].end());
      double at = -pi;
      for (const auto& [from, to] : covered_[k]) {
        if (from > at) sum.add_arc(caps_[k], at, from);
        at = std::max(at, to);
      }
      if (at < pi) sum.add_arc(caps_[k], at, pi);
    }
    sum.close_gaps();
    return through(ball, sum.moments());
  }

  static Moments moments_of(const Ball& b) {
    const Vec3 c = b.centre;
    const double v = 4 * pi / 3 * b.radius * b.radius * b.radius, own = v * b.radius * b.radius / 5;
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

  /// Volume under the patches, seen from the origin: integrals of f (x.n) / (3 + order of f) over x = c + r n.
  static Moments through(const Ball& ball, const PatchMoments& p) {
    const Vec3 c = ball.centre;
    const double r = ball.radius, r2 = r * r, flux = dot(c, p.first) + r * p.area;
    const Vec3 second_c = p.second * c;
    const Vec3 x = r2 / 4 * (flux * c + r * second_c + r2 * p.first);
    Mat3 xx{};
    accumulate(xx, flux, outer(c, c)), accumulate(xx, r, both(c, second_c)), accumulate(xx, r2, both(c, p.first));
    accumulate(xx, r2, p.third), accumulate(xx, r2 * r, p.second);
    const double f = r2 / 5;
    return {r2 / 3 * flux, x.x,          x.y,          x.z,          f * xx(0, 0),
            f * xx(1, 1),  f * xx(2, 2), f * xx(0, 1), f * xx(0, 2), f * xx(1, 2)};
  }

  std::vector<Ball> balls_;
  std::vector<Cap> caps_;  ///< of one ball, of falling radius
  std::vector<std::vector<Interval>> covered_;
};

}  // namespace

MassProperties mass_properties(std::span<const Ball> balls) {
  if (balls.empty()) return {};
  const Vec3 origin = balls[0].centre;
  std::vector<Ball> near(balls.begin(), balls.end());
  for (Ball& b : near) b.centre -= origin;
  return properties_of(Union(std::move(near)).moments(), origin);
}

}  // namespace scree
