// In a step, planes whose features are known are made anew several at a time: held to what each pair finds alone, bit
// for bit, and to the plane that its feature has by a plain formula.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "oracle/degenerate_pairs.h"
#include "oracle/found_bits.h"
#include "oracle/larger.h"
#include "oracle/long_double.h"
#include "oracle/plane_cases.h"
#include "oracle/vector_widths.h"

namespace scree {
namespace {

using narrow::ContactGeometry;

constexpr std::size_t kPairs = 1500;
constexpr double kTurn = 2e-5;  ///< rad a step; the way is as long on the surface

/// Pairs in touch, almost, or just apart: rows 2 k and 2 k + 1.
class Crowd {
 public:
  Crowd() {
    for (const std::string& name : oracle::all_shapes()) shapes_.push_back(oracle::shape(name));
    // One has more corners than are compared at once.
    shapes_.push_back(oracle::boulder("many", 70, {1, 1, 1}, 5)),
        shapes_.push_back(oracle::boulder("some", 24, {1, 1, 1}, 6));
    bodies_.set_shapes(shapes_);
    particles_.resize(2 * kPairs);
    for (std::size_t k = 0; k < kPairs; ++k) place(k);
    pose();
  }
  /// Every second body turns and slides a little; most of them slowly enough for their plane to stay certain.
  /// `times`: as much. `aligned`: some stand as the others do, so that edges are exactly parallel.
  void move(double times = 1, bool aligned = false) {
    for (std::size_t k = 0; k < kPairs; ++k) {
      Random u(5, k);
      const std::size_t i = 2 * k + 1;
      const double much = times * (k % 7 == 0 ? 300 : 1), r = particles_.radius[i];
      particles_.orientation[i] = normalized(axis_angle(u.direction(), much * kTurn) * particles_.orientation[i]);
      particles_.position[i] += much * kTurn * r * u.direction();
      particles_.travel[i] += 2 * much * kTurn * r;
      if (aligned && k % 3 == 0) {
        particles_.orientation[i] = particles_.orientation[i - 1];
        particles_.travel[i] += 2 * r;
      }
    }
    pose();
  }
  /// Every second body turns by the angle (rad), each about a direction of its own.
  void turn(double angle) {
    for (std::size_t k = 0; k < kPairs; ++k) {
      const std::size_t i = 2 * k + 1;
      particles_.orientation[i] = normalized(axis_angle(Random(6, k).direction(), angle) * particles_.orientation[i]);
      particles_.travel[i] += angle * particles_.radius[i];
    }
    pose();
  }
  /// Both of each pair go and turn as one, far; a third turn their quaternions over, which are the same orientations.
  void carry(std::uint64_t step) {
    for (std::size_t k = 0; k < kPairs; ++k) {
      Random u(7 + step, k);
      const Quat turn = u.rotation();
      const Vec3 way = 3 * u.direction(), d = rotate(turn, particles_.from_to(2 * k, 2 * k + 1));
      particles_.position[2 * k] = rotate(turn, particles_.position[2 * k]) + way;
      particles_.position[2 * k + 1] = particles_.position[2 * k] + d;
      for (const std::size_t i : {2 * k, 2 * k + 1}) {
        const double sign = u.below(3) == 0 ? -1 : 1;
        const Quat q = normalized(turn * particles_.orientation[i]);
        particles_.orientation[i] = {sign * q.w, sign * q.x, sign * q.y, sign * q.z};
        particles_.travel[i] += 50;
      }
    }
    pose();
  }
  narrow::SearchCounters step(PairTable* t, ContactGeometry geometry, std::vector<narrow::FoundPoint>* points,
                              const narrow::PlaneSettings& planes = {}) const {
    narrow::FoundPoints out;
    narrow::find_body_contacts(particles_, bodies_, *t, 0, t->size(), planes, geometry, out);
    std::fill(t->count.begin(), t->count.end(), 0);
    for (const narrow::FoundPoint& p : out.points) ++t->count[p.pair];
    *points = out.points;
    return out.counters;
  }
  const narrow::BodyView& body(std::size_t i) const { return bodies_.view(i); }
  Vec3 d(std::size_t k) const { return particles_.from_to(2 * k, 2 * k + 1); }
  double travel(std::size_t k) const { return particles_.travel[2 * k] + particles_.travel[2 * k + 1]; }
  double scale(std::size_t k) const { return particles_.radius[2 * k] + particles_.radius[2 * k + 1]; }

 private:
  void pose() {
    bodies_.lay_out(particles_);
    for (std::size_t i = 0; i < 2 * kPairs; ++i) bodies_.pose(particles_, i);
  }
  void place(std::size_t k) {
    Random u(4, k);
    const std::size_t sort = u.below(4);
    const auto draw = [&] { return sort == 0 ? 2 : u.below(shapes_.size()); };  // a quarter are cubes
    const std::size_t shape[2] = {draw(), draw()};
    const double size[2] = {0.02, 0.02 * std::pow(10, u.uniform(-0.5, 0.5))};
    oracle::Pose a{size[0], u.rotation(), {}}, b{size[1], u.rotation(), {}};
    Vec3 way = u.direction();
    const double angle = std::pow(10, k % 4 == 0 ? u.uniform(-4, -1) : u.uniform(-13, -1));
    double deepest = 1;
    if (sort == 0 && k % 2 == 0) {  // edge on edge, nearly parallel; deeper ones part sideways
      const Vec3 edge = normalized(Vec3{0, 1, 1});
      const Quat upright = a.orientation;
      deepest = 0.3 * angle;
      a.orientation = normalized(upright * oracle::degenerate::turn(edge, oracle::degenerate::kZ)),
      way = rotate(upright, oracle::degenerate::kZ);
      b.orientation = normalized(upright * axis_angle(oracle::degenerate::kZ, angle) *
                                 oracle::degenerate::turn(edge, -oracle::degenerate::kZ));
    } else if (sort == 1) {
      b.orientation = normalized(a.orientation * axis_angle(u.direction(), angle));
    }
    oracle::PosedPair p(shapes_[shape[0]], shapes_[shape[1]], a, b);
    b.position = -narrow::evaluate_plane(p.a(), p.b(), {}, way).gap * way;
    p.move(a, b);
    const narrow::Plane plane = p.plane();
    const double deep = std::min(deepest, std::pow(10, u.uniform(-5, -2)));
    b.position -= (plane.gap + 0.02 * deep * (u.below(5) == 0 ? -1 : 1)) * plane.n;
    const Vec3 far = u.below(4) == 0 ? 20 * u.direction() : Vec3{};
    for (std::size_t s = 0; s < 2; ++s) {
      const std::size_t i = 2 * k + s;
      particles_.id[i] = static_cast<std::uint32_t>(i), particles_.shape[i] = static_cast<std::uint32_t>(shape[s]);
      particles_.size[i] = size[s], particles_.radius[i] = size[s] * shapes_[shape[s]]->outer_radius();
      particles_.orientation[i] = (s == 0 ? a : b).orientation;
      particles_.position[i] = far + (s == 0 ? a : b).position;
    }
  }

  std::vector<std::shared_ptr<const Shape>> shapes_;
  Particles particles_;
  narrow::Bodies bodies_;
};

/// A table of these pairs.
PairTable table(std::size_t first, std::size_t count) {
  PairTable t;
  t.keeps_gaps = true;
  t.resize(count);
  for (std::size_t row = 0; row < count; ++row) {
    t.a[row] = static_cast<std::uint32_t>(2 * (first + row)), t.b[row] = t.a[row] + 1;
  }
  return t;
}

using Bits = std::vector<std::uint64_t>;
/// All that a step leaves of a row.
Bits bits_of(const PairTable& t, std::size_t row, const std::vector<narrow::FoundPoint>& points) {
  const PlaneFeature& f = t.feature[row];
  Bits bits{static_cast<std::uint64_t>(f.kind),
            f.a,
            f.b,
            f.va,
            f.vb,
            std::bit_cast<std::uint64_t>(t.clear_until[row]),
            std::bit_cast<std::uint64_t>(t.gap_bound[row])};
  const auto solved = std::bit_cast<std::array<std::uint64_t, 8>>(t.solved[row]);
  bits.insert(bits.end(), solved.begin(), solved.end());
  for (narrow::FoundPoint p : points) {
    if (p.pair != row) continue;
    p.pair = 0;
    const Bits more = oracle::bits_of(p);
    bits.insert(bits.end(), more.begin(), more.end());
  }
  return bits;
}

TEST(KnownPlanes, AreTheSameAsAlone) {
  for (const ContactGeometry geometry : {ContactGeometry::overlap, ContactGeometry::contact_zone}) {
    oracle::expect_same_for_any_vector_width([&] {
      Crowd crowd;
      PairTable all = table(0, kPairs);
      std::vector<PairTable> alone;
      for (std::size_t k = 0; k < kPairs; ++k) alone.push_back(table(k, 1));
      Bits bits;
      narrow::SearchCounters together, single;
      std::size_t by_kind[7] = {}, parted = 0;
      for (int step = 0; step < 6; ++step) {
        if (step > 0) crowd.move(1, step == 4);
        std::vector<narrow::FoundPoint> points, own;
        together.add(crowd.step(&all, geometry, &points));
        std::size_t at = 0;
        for (std::size_t k = 0; k < kPairs; ++k) {
          single.add(crowd.step(&alone[k], geometry, &own));
          std::vector<narrow::FoundPoint> here;
          for (; at < points.size() && points[at].pair == k; ++at) here.push_back(points[at]);
          for (narrow::FoundPoint& p : here) p.pair = static_cast<std::uint32_t>(k);
          const Bits mine = bits_of(all, k, here);
          EXPECT_EQ(mine, bits_of(alone[k], 0, own)) << "pair " << k << ", step " << step;
          if (testing::Test::HasFailure()) return bits;
          bits.insert(bits.end(), mine.begin(), mine.end());
          ++by_kind[static_cast<std::size_t>(all.feature[k].kind)], parted += here.empty() ? 1 : 0;
        }
        EXPECT_EQ(at, points.size());
      }
      EXPECT_EQ(together.cached, single.cached);
      EXPECT_EQ(together.solved, single.solved);
      EXPECT_EQ(together.cold, single.cold);
      EXPECT_EQ(together.skipped, single.skipped);
      EXPECT_GT(together.cached, geometry == ContactGeometry::overlap ? 3 * kPairs : kPairs / 3);
      EXPECT_GT(together.solved, kPairs / 4);
      using Kind = PlaneFeature::Kind;
      for (const Kind kind : {Kind::face_a, Kind::face_b, Kind::edge_edge})
        EXPECT_GT(by_kind[static_cast<std::size_t>(kind)], kPairs / 2);
      EXPECT_GT(parted, kPairs / 4);
      return bits;
    });
  }
}

/// The normal of a feature by plain formulas, which are good to the last digit for faces, and for edges that are far
/// from parallel; zero for all others.
Vec3 plain_normal(const narrow::BodyView& a, const narrow::BodyView& b, Vec3 d, const PlaneFeature& f) {
  if (f.kind == PlaneFeature::Kind::face_a) return a.face_normal(f.a);
  if (f.kind == PlaneFeature::Kind::face_b) return -b.face_normal(f.b);
  if (f.kind != PlaneFeature::Kind::edge_edge) return {};
  const Vec3 e = a.edge(f.a), g = b.edge(f.b), c = cross(e, g);
  if (!(norm2(c) > 0.01 * (norm2(e) * norm2(g)))) return {};
  const Vec3 n = (1 / std::sqrt(norm2(c))) * c;
  return dot(n, d) < 0 ? -n : n;
}

// To the last bit what one pair has by plain formulas, be it in contact or apart.
TEST(KnownPlanes, HaveTheBitsOfPlainFormulas) {
  Crowd crowd;
  PairTable t = table(0, kPairs);
  std::vector<narrow::FoundPoint> points;
  crowd.step(&t, ContactGeometry::overlap, &points);
  std::size_t touching = 0, apart = 0, gone = 0;
  for (int step = 0; step < 7; ++step) {
    crowd.move(step < 4 ? 1 : 500);  // at last so much that most features change
    const PairTable before = t;
    crowd.step(&t, ContactGeometry::overlap, &points);
    for (std::size_t k = 0, at = 0; k < kPairs; ++k) {
      const double travel = crowd.travel(k);
      const bool due = !(travel < before.clear_until[k]), has_point = at < points.size() && points[at].pair == k;
      const Vec3 n = plain_normal(crowd.body(2 * k), crowd.body(2 * k + 1), crowd.d(k), t.feature[k]);
      if (due && !(n == Vec3{})) {
        const double gap = narrow::evaluate_plane(crowd.body(2 * k), crowd.body(2 * k + 1), crowd.d(k), n).gap;
        double clear = 0;
        narrow::keep_clear(gap, travel, &clear);
        ASSERT_EQ(t.clear_until[k], clear) << "pair " << k << ", step " << step;
        ASSERT_TRUE(!has_point || points[at].penetration == -gap) << "pair " << k << ", step " << step;
        touching += has_point ? 1 : 0, apart += gap > 0 ? 1 : 0;
        gone += gap > 0 && before.clear_until[k] == 0 ? 1 : 0;
      }
      while (at < points.size() && points[at].pair == k) ++at;
    }
  }
  EXPECT_GT(touching, 2 * kPairs);
  EXPECT_GT(apart, 100u);
  EXPECT_GT(gone, 50u);
}

// Also where edges are nearly parallel, the gap of a followed plane is that of its feature's normal over all vertices
// of both bodies.
TEST(KnownPlanes, AreThoseOfTheirFeatures) {
  Crowd crowd;
  PairTable t = table(0, kPairs);
  std::vector<narrow::FoundPoint> points;
  crowd.step(&t, ContactGeometry::overlap, &points);
  double worst = 0;
  std::size_t checked = 0, near_parallel = 0;
  for (int step = 0; step < 3; ++step) {
    crowd.move();
    crowd.step(&t, ContactGeometry::overlap, &points);
    for (const narrow::FoundPoint& p : points) {
      const PlaneFeature f = t.feature[p.pair];
      const narrow::BodyView &a = crowd.body(t.a[p.pair]), &b = crowd.body(t.b[p.pair]);
      oracle::V3 n = f.kind == PlaneFeature::Kind::face_a   ? oracle::wide(a.face_normal(f.a))
                     : f.kind == PlaneFeature::Kind::face_b ? oracle::wide(-b.face_normal(f.b))
                                                            : oracle::V3{};
      if (f.kind == PlaneFeature::Kind::edge_edge) {
        const oracle::V3 e = oracle::wide(a.edge(f.a)), g = oracle::wide(b.edge(f.b)), c = cross(e, g);
        const oracle::Real sine = norm(c) / (norm(e) * norm(g));
        if (sine < 1e-5L) continue;  // what is left of the digits is too few
        n = ((dot(c, oracle::wide(crowd.d(p.pair))) < 0 ? -1 : 1) / norm(c)) * c, near_parallel += sine < 1e-3L ? 1 : 0;
      }
      // Each contact here has a feature, and its plane does not lose it on the way.
      ASSERT_NE(f.kind, PlaneFeature::Kind::none) << "pair " << p.pair << ", step " << step;
      if (!(norm(n) > 0)) continue;
      const oracle::Solid sa = oracle::solid(a, {}), sb = oracle::solid(b, crowd.d(p.pair));
      oracle::Real low = 1e300L, high = -1e300L;
      for (const oracle::V3& v : sa.vertex) high = std::max(high, dot(n, v));
      for (const oracle::V3& v : sb.vertex) low = std::min(low, dot(n, v));
      worst = oracle::larger(worst, std::abs(static_cast<double>(low - high) + p.penetration) / crowd.scale(p.pair));
      ++checked;
    }
  }
  EXPECT_LT(worst, 1e-13);
  EXPECT_GT(checked, 3 * kPairs / 2);
  EXPECT_GT(near_parallel, 20u);
}

/// A touching pair's kept plane is as near to the best as it is held to be: `slack` of its size, and rounding. Returns
/// how many touch.
std::size_t expect_near_best(const Crowd& crowd, ContactGeometry geometry, double slack,
                             const std::vector<narrow::FoundPoint>& points) {
  narrow::PlaneSettings exact;
  exact.method = narrow::PlaneMethod::separating_axis;
  PairTable fresh = table(0, kPairs);
  std::vector<narrow::FoundPoint> best;
  crowd.step(&fresh, geometry, &best, exact);
  const auto depths = [](const std::vector<narrow::FoundPoint>& of) {
    std::vector<double> depth(kPairs);
    for (const narrow::FoundPoint& p : of) depth[p.pair] = p.penetration;
    return depth;
  };
  const std::vector<double> kept = depths(points), least = depths(best);
  std::size_t touching = 0;
  for (std::size_t k = 0; k < kPairs; ++k) {
    const double scale = crowd.scale(k);
    EXPECT_GE(kept[k], least[k] - 1e-11 * scale) << "pair " << k;  // 0: no contact
    EXPECT_LE(kept[k], least[k] + (slack + 1e-11) * scale) << "pair " << k;
    touching += least[k] > 0 ? 1 : 0;
  }
  return touching;
}

// What goes and turns together keeps its plane however far it goes.
TEST(KnownPlanes, AreKeptByWhatMovesTogether) {
  for (const auto& [geometry, slack] :
       {std::pair{ContactGeometry::overlap, 1e-3}, std::pair{ContactGeometry::contact_zone, 1e-8}}) {
    Crowd crowd;
    PairTable t = table(0, kPairs), forgetful = t;
    forgetful.keeps_gaps = false;
    std::vector<narrow::FoundPoint> points, others;
    crowd.step(&t, geometry, &points), crowd.step(&forgetful, geometry, &others);
    const auto touching = static_cast<double>(points.size());
    narrow::SearchCounters kept, again;
    for (std::uint64_t step = 0; step < 4; ++step) {
      crowd.carry(step);
      kept.add(crowd.step(&t, geometry, &points)), again.add(crowd.step(&forgetful, geometry, &others));
      EXPECT_NEAR(static_cast<double>(points.size()), touching, 2) << "one or two touch to rounding only";
      expect_near_best(crowd, geometry, slack, points);
    }
    // Planes of nearly parallel edges turn with the last digits: not all of them stay that near to the best.
    EXPECT_LT(kept.solved + kept.cold, kPairs / 20);
    EXPECT_GT(again.solved + again.cold, 2 * kPairs);
  }
}

// What moves against each other, on the way that both go, is solved again before its plane is too far from the best.
TEST(KnownPlanes, AreSolvedAgainByWhatMovesApart) {
  for (const auto& [geometry, slack] :
       {std::pair{ContactGeometry::overlap, 1e-3}, std::pair{ContactGeometry::contact_zone, 1e-8}}) {
    Crowd crowd;
    PairTable t = table(0, kPairs);
    std::vector<narrow::FoundPoint> points;
    crowd.step(&t, geometry, &points);
    std::size_t touching = 0;
    narrow::SearchCounters counters;
    for (std::uint64_t step = 0; step < 50; ++step) {
      crowd.carry(step);
      if (step < 40)
        crowd.turn(1.5 * slack);
      else
        crowd.move(slack / 1e-4);
      counters.add(crowd.step(&t, geometry, &points));
      touching += expect_near_best(crowd, geometry, slack, points);
    }
    EXPECT_GT(touching, 6 * kPairs);
    EXPECT_GT(counters.solved, kPairs);
    EXPECT_GT(counters.cached, kPairs);
  }
}

// Two tetrahedra whose faces look at each other across a gap, and whose tips almost meet on the other side of the
// period: the gap between the faces must not keep the tips from being looked at.
TEST(KnownPlanes, DoNotHideTheOtherImage) {
  using Method = narrow::PlaneMethod;
  for (const Method method : {Method::automatic, Method::fast, Method::separating_axis}) {
    const auto shape = oracle::shape("tetrahedron");
    const double r = shape->outer_radius();
    Vec3 tip;
    for (const Vec3 v : shape->body.vertices) tip = norm(v) > norm(tip) ? v : tip;
    Particles p;
    p.resize(2);
    p.domain.periodic[0] = true, p.domain.low = {}, p.domain.high = {4.002 * r, 1, 1};
    p.id = {0, 1}, p.size = {1, 1}, p.radius = {r, r};
    p.orientation = {oracle::degenerate::turn(normalized(tip), {-1, 0, 0}),
                     oracle::degenerate::turn(normalized(tip), {1, 0, 0})};
    p.position[0] = {0.1 * r, 0, 0}, p.position[1] = {2.0 * r, 1e-3 * r, 1e-3 * r};
    narrow::Bodies bodies;
    bodies.set_shapes({shape});
    narrow::PlaneSettings planes;
    planes.method = method;
    const auto step = [&](PairTable* t) {
      narrow::FoundPoints out;
      narrow::find_body_contacts(p, bodies, *t, 0, 1, planes, ContactGeometry::overlap, out);
      return out.points.size();
    };
    PairTable t = table(0, 1);
    int touching = 0;
    for (int k = 0; k < 60; ++k) {
      p.position[1].x += 0.005 * r, p.travel[1] += 0.005 * r;
      bodies.lay_out(p);
      for (std::size_t i = 0; i < 2; ++i) bodies.pose(p, i);
      PairTable fresh = table(0, 1);
      const std::size_t expected = step(&fresh);
      ASSERT_EQ(step(&t), expected) << static_cast<int>(method) << ", step " << k;
      touching += expected > 0 ? 1 : 0;
    }
    EXPECT_GT(touching, 10);
    EXPECT_LT(touching, 50);
  }
}

}  // namespace
}  // namespace scree
