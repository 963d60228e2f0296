// Per-target code; see simd-inl.h.
#if defined(SCREE_NARROW_SHARED_ZONE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_SHARED_ZONE_INL_H
#undef SCREE_NARROW_SHARED_ZONE_INL_H
#else
#define SCREE_NARROW_SHARED_ZONE_INL_H
#endif

#include "narrow/boundary-inl.h"
#include "narrow/common_plane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

/// A contact zone whose points share one contact: the corners of the common part of the two faces that look at each
/// other, seen along the plane's normal, each with the thickness of the overlap there and its part of the area. As
/// printed the zone is made of what lies within half of the overlap of the plane; its points then come and go with
/// their springs at full length, and a stack never comes to rest.
class SharedZone {
 public:
  static constexpr std::size_t kMax = 2 * kMaxFaceVertices + 1;
  struct Corner {
    double u, v, depth, share, gyration;  ///< gyration: m, of a square of its part of the area
    std::uint32_t key;
  };
  std::size_t n = 0;
  Corner corner[kMax];
  Vec3 middle, e1, e2;  ///< a corner stands at middle + u e1 + v e2
  Vec3 normal;          ///< along the vector area of A's surface inside B

  inline void Find(const Query& q, const Plane& plane) {
    middle = 0.5 * (q.a.vertex(plane.va) + q.d + q.b.vertex(plane.vb));
    const Frame f = FrameAbout(plane.n, middle);
    e1 = f.u, e2 = f.v;
    const std::size_t face_a = FaceAlong(q.a, plane.va, plane.n), face_b = FaceAlong(q.b, plane.vb, -plane.n);
    Loop* now = &loop_[0];
    Loop* next = &loop_[1];
    now->n = 0;
    const auto of_a = q.a.shape->body->loop(face_a);
    for (std::size_t i = 0; i < of_a.size(); ++i) {
      const Vec3 p = f.in(q.a.vertex(of_a[i]) - middle);
      now->Add(p.x, p.y, true, EdgeOf(of_a, i));
    }
    const auto of_b = q.b.shape->body->loop(face_b);
    const double eps = 1e-9 * q.scale;
    for (std::size_t j = 0; j < of_b.size() && now->n > 2; ++j) {
      // B's loop runs clockwise seen from where the normal points.
      const Vec3 p = f.in(q.d + q.b.vertex(of_b[j]) - middle),
                 r = f.in(q.d + q.b.vertex(of_b[j + 1 < of_b.size() ? j + 1 : 0]) - middle);
      const double du = r.x - p.x, dv = r.y - p.y, length = std::sqrt(du * du + dv * dv);
      if (!(length > eps)) continue;
      Cut(*now, -dv / length, du / length, (-dv * p.x + du * p.y) / length, eps, EdgeOf(of_b, j), next);
      std::swap(now, next);
    }
    // Height of a face's plane over the common plane.
    const auto plane_of = [&](const BodyView& body, std::size_t face, Vec3 centroid) {
      const Vec3 m = f.in(body.face_normal(face)), at = f.in(centroid - middle);
      const double per = 1 / m.z;
      return Vec3{-m.x * per, -m.y * per, (body.face_offset(face) + dot(m, at)) * per};
    };
    const Vec3 top = plane_of(q.a, face_a, {}), bottom = plane_of(q.b, face_b, q.d), thick = top - bottom;
    // Only what is thick counts: the normal of what lies beyond would be that of two faces which do not touch there,
    // and the parts would hang on which of a corner's faces is looked at.
    const double steep = std::hypot(thick.x, thick.y);
    if (steep > 0 && now->n > 2) {
      Cut(*now, -thick.x / steep, -thick.y / steep, thick.z / steep, 0, kRim, next);
      std::swap(now, next);
    }
    normal = plane.n;
    if (now->n > 2) Look(*now, top, bottom, f);
    Lay(*now, thick, eps);
    ShareOut();
    // What looks past each other, or touches in edges alone: one point at the middle of the link.
    bool any = false;
    for (std::size_t i = 0; i < n; ++i) any = any || corner[i].depth > 0;
    if (!any) n = 1, corner[0] = {0, 0, -plane.gap, kOfOneCorner, 0, 0};
  }

 private:
  /// Side i runs from corner i to the next, along an edge of A or of B.
  struct Loop {
    std::size_t n;
    double u[kMax], v[kMax];
    std::uint32_t edge[kMax];
    bool of_a[kMax];
    bool shared[kMax];  ///< along an edge of either, or where the thickness ends
    // Convex: a corner more per cut at the most; rounding could add to that, and nothing is lost without.
    HWY_INLINE void Add(double x, double y, bool a, std::uint32_t e, bool both = false) {
      if (n < kMax) u[n] = x, v[n] = y, of_a[n] = a, edge[n] = e, shared[n] = both, ++n;
    }
  };

  /// In place of an edge: where the two planes meet.
  static constexpr std::uint32_t kRim = ~0u;
  /// The part of one corner that is thick: the mean of a thickness that falls linearly to the rim of a triangle.
  static constexpr double kOfOneCorner = 1.0 / 3;

  static HWY_INLINE std::uint32_t EdgeOf(std::span<const std::uint16_t> loop, std::size_t i) {
    return edge_key(loop[i], loop[i + 1 < loop.size() ? i + 1 : 0]);
  }

  /// Keeps what is below mu u + mv v = at (Sutherland & Hodgman 1974).
  static HWY_INLINE void Cut(const Loop& in, double mu, double mv, double at, double eps, std::uint32_t edge,
                             Loop* out) {
    out->n = 0;
    std::size_t last = in.n - 1;
    const auto height = [&](std::size_t i) { return mu * in.u[i] + mv * in.v[i] - at; };
    double before = height(last);
    for (std::size_t i = 0; i < in.n; ++i) {
      const double h = height(i);
      if ((h > eps) != (before > eps)) {
        const double t = before / (before - h), x = in.u[last] + t * (in.u[i] - in.u[last]),
                     y = in.v[last] + t * (in.v[i] - in.v[last]);
        if (h > eps)
          out->Add(x, y, false, edge, edge == kRim);
        else
          out->Add(x, y, in.of_a[last], in.edge[last], in.shared[last]);
      }
      const auto on_line = [&](double x) { return std::abs(x) <= eps; };
      const bool along = in.shared[i] || (on_line(h) && on_line(height(i + 1 < in.n ? i + 1 : 0)));
      if (!(h > eps)) out->Add(in.u[i], in.v[i], in.of_a[i], in.edge[i], along);
      last = i, before = h;
    }
  }

  /// The vertex between two edges of one face.
  static HWY_INLINE std::uint32_t Between(std::uint32_t e, std::uint32_t f) {
    const std::uint32_t low = e >> 7, high = e & 127u;
    return low == f >> 7 || low == (f & 127u) ? low : high;
  }

  /// The vector area from its rim, which runs below the sides that A's edges make and above those of B's. A block that
  /// is tilted on another is then pushed as much aside as its shift would tilt it: else the two feed each other.
  HWY_INLINE void Look(const Loop& in, Vec3 top, Vec3 bottom, const Frame& f) {
    const auto rim = [&](std::size_t i, std::size_t side) {
      const auto at = [&](Vec3 x) { return x.x * in.u[i] + x.y * in.v[i] + x.z; };
      const double a = at(top), b = at(bottom);
      return Vec3{in.u[i], in.v[i], a > b && !in.shared[side] ? (in.of_a[side] ? b : a) : 0.5 * (a + b)};
    };
    Vec3 twice, from = rim(0, in.n - 1);
    for (std::size_t i = 0; i < in.n; ++i) {
      const Vec3 start = rim(i, i), end = rim(i + 1 < in.n ? i + 1 : 0, i);
      twice += cross(from, start) + cross(start, end), from = end;
    }
    const double size = norm(twice);
    if (twice.z > 0.5 * size) normal = f.out((1 / size) * twice);
  }

  HWY_INLINE void Lay(const Loop& in, Vec3 thick, double eps) {
    n = 0;
    for (std::size_t i = 0; i < in.n; ++i) {
      const std::size_t before = i > 0 ? i - 1 : in.n - 1;
      const double u = in.u[i], v = in.v[i];
      if (n > 0 && std::abs(corner[n - 1].u - u) + std::abs(corner[n - 1].v - v) <= eps) continue;
      if (n > 0 && i + 1 == in.n && std::abs(corner[0].u - u) + std::abs(corner[0].v - v) <= eps) continue;
      std::uint32_t key = 0;
      if (in.edge[before] == kRim || in.edge[i] == kRim) {
        corner[n++] = {u, v, 0, 0, 0, 0};
        continue;
      }
      if (in.of_a[before] == in.of_a[i])
        key = (in.of_a[i] ? 1u : 2u) << 28 | Between(in.edge[before], in.edge[i]);
      else
        key =
            3u << 28 | (in.of_a[i] ? in.edge[i] : in.edge[before]) << 14 | (in.of_a[i] ? in.edge[before] : in.edge[i]);
      corner[n++] = {u, v, thick.x * u + thick.y * v + thick.z, 0, 0, key};
    }
  }

  /// Half of the two triangles that a corner spans with its neighbours and the centroid, over the whole: a corner that
  /// splits in two changes nothing.
  HWY_INLINE void ShareOut() {
    double u = 0, v = 0, twice = 0;
    for (std::size_t i = 2; i < n; ++i) {
      const Corner &a = corner[0], &b = corner[i - 1], &c = corner[i];
      const double t = (b.u - a.u) * (c.v - a.v) - (b.v - a.v) * (c.u - a.u);
      u += t * (b.u + c.u - 2 * a.u), v += t * (b.v + c.v - 2 * a.v), twice += t;
    }
    if (n > 0 && twice > 0) u = corner[0].u + u / (3 * twice), v = corner[0].v + v / (3 * twice);
    double whole = 0, triangle[kMax];
    for (std::size_t i = 0; i < n; ++i) {
      const Corner &a = corner[i], &b = corner[i + 1 < n ? i + 1 : 0];
      triangle[i] = std::max(0.0, (a.u - u) * (b.v - v) - (a.v - v) * (b.u - u));
      whole += triangle[i];
    }
    // None is left without a spring: it keeps the memory of its shear.
    constexpr double kLeast = 1e-6;
    const double even = 1 / static_cast<double>(n), part = whole > 0 ? 0.5 * (1 - kLeast) / whole : 0;
    for (std::size_t i = 0; i < n; ++i) {
      Corner& c = corner[i];
      c.share = whole > 0 ? kLeast * even + part * (triangle[i] + triangle[i > 0 ? i - 1 : n - 1]) : even;
      c.gyration = std::sqrt(c.share * whole / 12);
    }
  }

  Loop loop_[2];
};

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
