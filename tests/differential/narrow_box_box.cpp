// Two boxes take a path of their own through the separating axis: held to the oracle that tries every candidate over
// all features in long double, above all where axes are nearly parallel, and one is as good as the other. In a step
// they take it a vector at a time: held to what each pair finds alone, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "base/random.h"
#include "oracle/long_double.h"
#include "oracle/plane_cases.h"
#include "oracle/vector_widths.h"

namespace scree {
namespace {

using oracle::PosedPair;

std::vector<std::shared_ptr<const Shape>> boxes() {
  return {oracle::shape("cube"), oracle::box("brick", {0.5, 1, 1.5}), oracle::box("slab", {1, 1, 0.01}),
          oracle::box("rod", {0.01, 0.01, 1})};
}

/// Rotations that are one another's to within 10^-16 ... 1, also about one axis alone or by right angles.
Quat near(Random& u, Quat q) {
  static const Vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const double angle = std::pow(10, u.uniform(-16, 0));
  Quat turn = axis_angle(u.below(2) == 0 ? u.direction() : axes[u.below(3)], angle);
  for (std::uint64_t k = u.below(3); k > 0; --k) turn = axis_angle(axes[u.below(3)], M_PI / 2) * turn;
  return q * turn;
}

void expect_best(const PosedPair& p, int i) {
  const oracle::Gap oracle = oracle::largest_gap(oracle::solid(p.a(), {}), oracle::solid(p.b(), p.d()));
  const auto exact = static_cast<double>(oracle.gap);
  const double rounding = 4e-15 * p.scale();
  narrow::SearchCounters counters;
  const narrow::Plane cold = p.plane();
  const narrow::Plane again = narrow::separating_axis(p.a(), p.b(), p.d(), &cold, counters);
  for (const narrow::Plane& plane : {cold, again}) {
    ASSERT_NEAR(norm(plane.n), 1, 1e-14);
    ASSERT_EQ(plane.gap, narrow::evaluate_plane(p.a(), p.b(), p.d(), plane.n).gap);
    ASSERT_NE(plane.feature.kind, PlaneFeature::Kind::none);
    ASSERT_LE(plane.gap, exact + rounding) << i;
    ASSERT_EQ(plane.gap > rounding, exact > rounding) << i << ": " << plane.gap << " " << exact;
    ASSERT_GE(plane.gap, exact < 0 ? exact - rounding : -rounding) << i << ": " << static_cast<int>(plane.feature.kind);
    // The feature must say the same normal when it is posed anew; where the centroids lie across it, either way round.
    // A plain cross product, as here, loses digits with the angle between the edges.
    const PlaneFeature f = plane.feature;
    const Vec3 n = oracle::normal_of(p, f), ea = normalized(p.a().edge(f.a % 12)),
               eb = normalized(p.b().edge(f.b % 12));
    const bool across = std::abs(dot(n, p.d())) < rounding && dot(n, plane.n) < 0;
    const double digits = f.kind == PlaneFeature::Kind::edge_edge ? 1e-15 / norm(cross(ea, eb)) : 0;
    ASSERT_LT(norm((across ? -n : n) - plane.n), 1e-14 + digits) << i << ": " << static_cast<int>(f.kind);
  }
}

TEST(TwoBoxes, AreKnownForBoxes) {
  for (const auto& shape : boxes()) EXPECT_TRUE(narrow::box_frame(shape->body)) << shape->name;
  for (const char* other : {"octahedron", "pyramid", "grain14", "dodecahedron"})
    EXPECT_FALSE(narrow::box_frame(oracle::shape(other)->body)) << other;
  // Six faces, eight corners and no box: sheared; cut to a wedge; off its centre.
  for (const Vec3 shift : {Vec3{0.1, 0, 0}, Vec3{1e-3, 0, 0}, Vec3{1e-9, 0, 0}}) {
    std::vector<Vec3> corners;
    for (int k = 0; k < 8; ++k) {
      const Vec3 c{k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0};
      corners.push_back(k & 4 ? c + shift : c);
    }
    const Result<Polyhedron> sheared = convex_hull(corners);
    ASSERT_TRUE(sheared);
    EXPECT_FALSE(narrow::box_frame(*sheared)) << shift.x;
    for (Vec3& c : corners) c = {c.z > 0 ? (1 - shift.x) * c.x : c.x, c.y, c.z};
    const Result<Polyhedron> wedge = convex_hull(corners);
    ASSERT_TRUE(wedge);
    EXPECT_FALSE(narrow::box_frame(*wedge)) << shift.x;
  }
  std::vector<Vec3> off;
  for (int k = 0; k < 8; ++k) off.push_back({k & 1 ? 1.1 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0});
  const Result<Polyhedron> moved = convex_hull(off);
  ASSERT_TRUE(moved);
  EXPECT_FALSE(narrow::box_frame(*moved));
}

TEST(TwoBoxes, NoPlaneIsWrong) {
  Random u(31);
  const auto shapes = boxes();
  for (int i = 0; i < 6000; ++i) {
    const auto a = shapes[u.below(shapes.size())], b = shapes[u.below(shapes.size())];
    const Quat qa = u.below(2) == 0 ? Quat{} : u.rotation(), qb = i % 3 == 0 ? u.rotation() : near(u, qa);
    const double size = std::pow(10, u.uniform(-2, 2));
    PosedPair p(a, b, {1, qa, {}}, {size, qb, {}});
    const Vec3 dir = u.below(3) == 0 ? p.a().face_normal(u.below(6)) : u.direction();
    const double touching = -narrow::evaluate_plane(p.a(), p.b(), {}, dir).gap;
    // From coincident centroids over grazing contact to far apart.
    const double at[] = {0, u.uniform(), 1 - std::pow(10, u.uniform(-15, -1)), 1 + std::pow(10, u.uniform(-15, 0.5))};
    p.move({1, qa, {}}, {size, qb, at[u.below(4)] * touching * dir});
    expect_best(p, i);
    if (HasFatalFailure()) return;
  }
}

/// Pairs of boxes, rows 2 k and 2 k + 1; every eighth has a grain among them that is no box.
class Crowd {
 public:
  explicit Crowd(std::size_t pairs) {
    shapes_ = boxes();
    shapes_.push_back(oracle::box("plank", {0.1, 1, 0.3})), shapes_.push_back(oracle::shape("grain14"));
    bodies_.set_shapes(shapes_);
    particles_.resize(2 * pairs);
    for (std::size_t k = 0; k < pairs; ++k) place(k);
    bodies_.lay_out(particles_);
    for (std::size_t i = 0; i < 2 * pairs; ++i) bodies_.pose(particles_, i);
  }
  std::size_t size() const { return particles_.size_rows() / 2; }
  bool are_boxes(std::size_t k) const { return a(k).shape->box && b(k).shape->box; }
  const narrow::BodyView& a(std::size_t k) const { return bodies_.view(2 * k); }
  const narrow::BodyView& b(std::size_t k) const { return bodies_.view(2 * k + 1); }
  Vec3 d(std::size_t k) const { return particles_.from_to(2 * k, 2 * k + 1); }

  /// A table of these pairs as rows.
  PairTable table(const std::vector<std::uint32_t>& order) const {
    PairTable t;
    t.resize(order.size());
    for (std::size_t row = 0; row < order.size(); ++row) t.a[row] = 2 * order[row], t.b[row] = 2 * order[row] + 1;
    return t;
  }
  narrow::FoundPoints step(PairTable* table, narrow::PlaneMethod method, narrow::ContactGeometry geometry) const {
    narrow::PlaneSettings planes;
    planes.method = method;
    narrow::FoundPoints out;
    narrow::find_body_contacts(particles_, bodies_, *table, 0, table->size(), planes, geometry, out);
    return out;
  }

 private:
  void place(std::size_t k) {
    Random u(77, k);
    // Cubes seen along a diagonal of both: three pairs of edges, or of faces, are as good as each other.
    const bool diagonal = u.below(4) == 0, afar = u.below(5) == 0;
    const std::size_t a = diagonal ? 0 : u.below(5), b = k % 8 == 7 ? 5 : diagonal ? 0 : u.below(5);
    const double size = std::pow(10, u.uniform(-1.5, 1.5)),
                 other = u.below(3) == 0 ? size : std::pow(10, u.uniform(-1.5, 1.5));
    Quat qa = u.below(2) == 0 ? Quat{} : u.rotation(), qb = u.below(3) == 0 ? u.rotation() : near(u, qa);
    Vec3 along = Vec3{1, 1, 1} / std::sqrt(3.0);
    if (diagonal) qb = qa * axis_angle(along, u.uniform(0, M_PI)), along = rotate(qa, along);
    PosedPair p(shapes_[a], shapes_[b], {size, qa, {}}, {other, qb, {}});
    const Vec3 dir = diagonal ? along : u.below(2) == 0 ? p.a().face_normal(u.below(6)) : u.direction();
    const double touching = -narrow::evaluate_plane(p.a(), p.b(), {}, dir).gap;
    const double at[] = {0,
                         u.uniform(),
                         1 - std::pow(10, u.uniform(-15, -1)),
                         1 - std::pow(10, u.uniform(-4, -2)),
                         1 + std::pow(10, u.uniform(-15, 2)),
                         std::pow(10, u.uniform(1, 4))};
    const double aside = u.below(2) == 0 ? 0 : u.uniform(0, 0.3) * p.scale();
    const Vec3 far = u.below(4) == 0 ? 1e4 * size * u.direction() : Vec3{};
    const Quat turned[] = {qa, qb};
    const double sizes[] = {size, other};
    const std::size_t shape[] = {a, b};
    for (std::size_t s = 0; s < 2; ++s) {
      const std::size_t i = 2 * k + s;
      particles_.id[i] = static_cast<std::uint32_t>(i), particles_.shape[i] = static_cast<std::uint32_t>(shape[s]);
      particles_.size[i] = sizes[s], particles_.radius[i] = sizes[s] * shapes_[shape[s]]->outer_radius();
      particles_.orientation[i] = turned[s], particles_.position[i] = far;
    }
    particles_.position[2 * k + 1] += at[afar ? 5 : u.below(5)] * touching * dir + aside * any_perpendicular(dir);
  }

  std::vector<std::shared_ptr<const Shape>> shapes_;
  Particles particles_;
  narrow::Bodies bodies_;
};

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }
using Bits = std::vector<std::uint64_t>;
void append(Bits* out, Vec3 v) { out->insert(out->end(), {bits(v.x), bits(v.y), bits(v.z)}); }

/// The best plane of the k-th pair on its own.
narrow::Plane alone(const Crowd& crowd, std::size_t k, narrow::SearchCounters* counters) {
  return narrow::separating_axis(crowd.a(k), crowd.b(k), crowd.d(k), nullptr, *counters);
}

/// Is this what a step has found of the pair in a row? `at`: its first point, moved on behind its last.
void expect_plane(const narrow::Plane& plane, const PairTable& pairs, std::uint32_t row,
                  const std::vector<narrow::FoundPoint>& points, std::size_t* at, bool zone) {
  ASSERT_EQ(pairs.feature[row], plane.feature) << row;
  double clear = 0;
  narrow::keep_clear(plane.gap, 0, &clear);
  ASSERT_EQ(bits(pairs.clear_until[row]), bits(clear)) << row;
  ASSERT_TRUE(*at == points.size() || points[*at].pair >= row);
  for (; *at < points.size() && points[*at].pair == row; ++*at) {
    ASSERT_EQ(bits(points[*at].penetration), bits(-plane.gap)) << row;
    if (!zone) continue;
    Bits n, m;
    append(&n, points[*at].normal), append(&m, plane.n);
    ASSERT_EQ(n, m) << row;
  }
}

constexpr std::size_t kCrowd = 3000;
const Crowd& crowd() {
  static const Crowd made(kCrowd);
  return made;
}
std::vector<std::vector<std::uint32_t>> orders() {
  std::vector<std::uint32_t> all(kCrowd), some;
  for (std::uint32_t k = 0; k < kCrowd; ++k) all[k] = k;
  std::vector<std::uint32_t> mixed = all;
  Random u(8);
  for (std::size_t k = kCrowd - 1; k > 0; --k) std::swap(mixed[k], mixed[u.below(k + 1)]);
  return {all, mixed, {mixed.begin(), mixed.begin() + 1}, {mixed.begin(), mixed.begin() + 21}};
}

TEST(BoxesInAStep, AreTheSameAsAlone) {
  using narrow::ContactGeometry;
  for (const ContactGeometry geometry : {ContactGeometry::overlap, ContactGeometry::contact_zone}) {
    oracle::expect_same_for_any_vector_width([&] {
      Bits all;
      for (const auto& order : orders()) {
        PairTable pairs = crowd().table(order);
        const narrow::FoundPoints found = crowd().step(&pairs, narrow::PlaneMethod::separating_axis, geometry);
        std::size_t at = 0, of_boxes = 0;
        narrow::SearchCounters counters;
        for (std::uint32_t row = 0; row < order.size(); ++row) {
          const narrow::Plane plane = alone(crowd(), order[row], &counters);
          expect_plane(plane, pairs, row, found.points, &at, geometry == ContactGeometry::contact_zone);
          if (testing::Test::HasFatalFailure()) return all;
          append(&all, plane.n), all.push_back(bits(plane.gap));
          of_boxes += crowd().are_boxes(order[row]) ? 1 : 0;
        }
        EXPECT_EQ(at, found.points.size());
        EXPECT_EQ(found.counters.cold, order.size());
        // A swallowed body has its plane found once more for its overlap.
        if (geometry == ContactGeometry::contact_zone) {
          EXPECT_EQ(found.counters.evaluations, counters.evaluations);
        }
        EXPECT_LE(found.counters.batched, of_boxes);
        if (order.size() == kCrowd) {
          EXPECT_GT(found.counters.batched, 6 * of_boxes / 10);
        }
      }
      return all;
    });
  }
}

/// Where it pays: hardly any pair of a bed is left to the lone search.
TEST(BoxesInAStep, AreHardlyEverLeftAlone) {
  const auto share = [](const auto& pose) {
    constexpr std::size_t kPairs = 2000;
    std::size_t batched = 0;
    Random u(4);
    for (std::size_t k = 0; k < kPairs; ++k) {
      const auto [a, b, d] = pose(u);
      PosedPair p(oracle::shape("cube"), oracle::shape("cube"), {1, a, {}}, {1, b, d});
      PairTable pairs;
      pairs.resize(1);
      pairs.a[0] = 0, pairs.b[0] = 1;
      narrow::PlaneSettings planes;
      planes.method = narrow::PlaneMethod::separating_axis;
      batched += p.step(pairs, 0, narrow::ContactGeometry::contact_zone, planes).counters.batched;
    }
    return static_cast<double>(batched) / kPairs;
  };
  struct Poses {
    Quat a, b;
    Vec3 d;
  };
  const auto random = [](Random& u) { return Poses{u.rotation(), u.rotation(), 0.9 * u.direction()}; };
  const auto stacked = [](double tilt) {
    return [tilt](Random& u) {
      const Quat a = axis_angle(u.direction(), tilt), b = axis_angle(u.direction(), tilt);
      return Poses{a, b, {u.uniform(-0.5, 0.5), u.uniform(-0.5, 0.5), 1 - u.uniform(0, 1e-3)}};
    };
  };
  EXPECT_GT(share(random), 0.95) << share(random);
  for (const double tilt : {1e-1, 1e-2, 1e-3, 1e-6, 1e-9, 1e-15, 0.0})
    EXPECT_GT(share(stacked(tilt)), 0.95) << tilt << " " << share(stacked(tilt));
  // The gap of edges this near to parallel is known to a thousandth of the size only.
  EXPECT_GT(share(stacked(1e-12)), 0.4);
}

}  // namespace
}  // namespace scree
