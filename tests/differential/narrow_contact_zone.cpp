// The contact zone held to the same, done slowly; the same points with the same keys wherever no corner lies on an edge
// to rounding.
#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <string_view>

#include "base/random.h"
#include "oracle/contact_zone.h"
#include "oracle/degenerate_pairs.h"
#include "oracle/vector_widths.h"

namespace scree {
namespace {

using oracle::PosedPair;

struct Seen {
  int pairs = 0, points = 0, faces = 0;
};

/// `strict`: keys too; else a corner that lies on an edge may be told as either.
void compare(const PosedPair& p, const narrow::Plane& plane, bool strict, Seen* seen) {
  std::vector<narrow::FoundPoint> found;
  narrow::contact_zone(p.a(), p.b(), p.d(), plane, found);
  const std::vector<narrow::FoundPoint> wanted = oracle::zone::contact_zone(p.a(), p.b(), p.d(), plane);
  const double near = strict ? 1e-13 * p.scale() : 4e-9 * p.scale();
  ++seen->pairs, seen->points += static_cast<int>(found.size()), seen->faces += found.size() > 2 ? 1 : 0;
  const auto has = [&](const std::vector<narrow::FoundPoint>& all, const narrow::FoundPoint& x) {
    for (const narrow::FoundPoint& y : all) {
      if (strict && y.key != x.key) continue;
      if (norm(x.point - y.point) <= near * (strict ? 100 : 1) && std::abs(x.depth - y.depth) <= near) return true;
    }
    return false;
  };
  const auto told = [&](const auto& all, const auto& in) {
    for (const narrow::FoundPoint& x : all) {
      // A point on the zone's border may be left out on one side.
      if (x.depth > near) {
        ASSERT_TRUE(has(in, x)) << std::hex << x.key;
      }
    }
  };
  told(found, wanted), told(wanted, found);
}

TEST(ContactZone, EqualsTheSlowOne) {
  Random u(1);
  Seen seen;
  const auto& names = oracle::all_shapes();
  for (int i = 0; i < 20000; ++i) {
    const auto a = oracle::shape(names[u.below(names.size())]), b = oracle::shape(names[u.below(names.size())]);
    const Vec3 z{0, 0, 1};
    const bool flat = u.below(3) > 0;
    const auto face_of = [&](const Shape& s) { return s.body.face_normals[u.below(s.body.face_normals.size())]; };
    const double size = std::pow(10, u.uniform(-1, 1));
    // No deeper than the bodies are thick: corners that lie behind one another are told apart by rounding alone.
    const double thick = std::min(a->inner_radius(), size * b->inner_radius());
    const double depth = 0.2 * thick * std::pow(10, u.uniform(-5, 0));
    const Quat whole = u.rotation();
    const Quat qa = whole * (flat ? oracle::degenerate::turn(face_of(*a), z) : u.rotation());
    const Quat lean = axis_angle(u.direction(), u.below(2) == 0 ? 0 : depth * u.uniform());
    const Quat qb = whole * lean * axis_angle(z, u.uniform(0, 2 * M_PI)) *
                    (flat ? oracle::degenerate::turn(face_of(*b), -z) : u.rotation());
    PosedPair p(a, b, {1, qa, {}}, {size, qb, {}});
    const double gap = narrow::evaluate_plane(p.a(), p.b(), {}, rotate(whole, z)).gap;
    p.move({1, qa, {}}, {size, qb, rotate(whole, {0.4 * u.uniform(-1, 1), 0.4 * u.uniform(-1, 1), -gap - depth})});
    const narrow::Plane plane = p.plane();
    if (!(plane.gap < 0)) continue;
    compare(p, plane, true, &seen);
    if (HasFailure()) {
      ADD_FAILURE() << i << ": " << a->name << " and " << b->name;
      return;
    }
  }
  std::printf("%d pairs, %d points, %d with more than two\n", seen.pairs, seen.points, seen.faces);
  EXPECT_GT(seen.faces, 5000);
}

TEST(ContactZone, HasTheSameBitsForAnyVectorWidth) {
  const auto& names = oracle::all_shapes();
  const auto bits_of_all = [&] {
    std::vector<std::uint64_t> bits;
    std::vector<narrow::FoundPoint> found;
    const auto note = [&](const PosedPair& p) {
      const narrow::Plane plane = p.plane();
      if (!(plane.gap < 0)) return;
      narrow::contact_zone(p.a(), p.b(), p.d(), plane, found);
      bits.push_back(found.size());
      for (const narrow::FoundPoint& x : found) {
        bits.push_back(x.key);
        for (const double y : {x.point.x, x.point.y, x.point.z, x.depth})
          bits.push_back(std::bit_cast<std::uint64_t>(y));
      }
    };
    Random u(3);
    for (int i = 0; i < 1000; ++i) {
      const auto a = oracle::shape(names[u.below(names.size())]), b = oracle::shape(names[u.below(names.size())]);
      const Quat whole = u.rotation();
      const auto facing = [&](const Shape& s, Vec3 z) {
        return whole * axis_angle(z, u.uniform(0, 2 * M_PI)) *
               oracle::degenerate::turn(s.body.face_normals[u.below(s.body.face_normals.size())], z);
      };
      const Quat qa = facing(*a, {0, 0, 1}), qb = facing(*b, {0, 0, -1});
      PosedPair p(a, b, {1, qa, {}}, {1, qb, {}});
      const double gap = narrow::evaluate_plane(p.a(), p.b(), {}, rotate(whole, {0, 0, 1})).gap;
      p.move({1, qa, {}}, {1, qb, rotate(whole, {0.1 * u.uniform(), 0.1 * u.uniform(), -gap - 1e-3})});
      note(p);
    }
    for (const auto& [name, cases] : oracle::degenerate::all()) {
      for (const oracle::degenerate::Case& c : cases()) note(c.pair());
    }
    return bits;
  };
  EXPECT_GT(bits_of_all().size(), 10000u);
  oracle::expect_same_for_any_vector_width(bits_of_all);
}

TEST(ContactZone, OfDegeneratePairsEqualsTheSlowOne) {
  Seen seen;
  for (const auto& [name, cases] : oracle::degenerate::all()) {
    // Where nearly parallel edges cross is rounding alone.
    if (std::string_view(name) == "edges crossed, small angles") continue;
    for (const oracle::degenerate::Case& c : cases()) {
      const PosedPair p = c.pair();
      const narrow::Plane plane = p.plane();
      if (!(plane.gap < 0) || -plane.gap > 0.1 * p.scale()) continue;
      compare(p, plane, false, &seen);
      if (HasFailure()) {
        ADD_FAILURE() << name << ": " << c.what;
        return;
      }
    }
  }
  EXPECT_GT(seen.pairs, 300);
}

// With shared points the zone is the overlap told in several points: the same force where one corner or one crossing of
// edges is all there is, nearly the same elsewhere.
TEST(SharedZone, HasTheForceOfTheOverlap) {
  Random u(5);
  const auto& names = oracle::compact_shapes();
  int pairs = 0, single = 0, off = 0;
  double worst_share = 0, sum = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto a = oracle::shape(names[u.below(names.size())]), b = oracle::shape(names[u.below(names.size())]);
    const Quat qa = u.rotation(), qb = u.rotation();
    PosedPair p(a, b, {1, qa, {}}, {1, qb, {}});
    const Vec3 way = u.direction();
    // Along the way until they touch by a thousandth.
    double apart = 2, inside = 0;
    for (int k = 0; k < 40; ++k) {
      const double at = 0.5 * (apart + inside);
      p.move({1, qa, {}}, {1, qb, at * way});
      (p.plane().gap > -1e-3 ? apart : inside) = at;
    }
    const std::vector<narrow::FoundPoint> zone = p.points(narrow::ContactGeometry::shared_zone),
                                          whole = p.points(narrow::ContactGeometry::overlap);
    ASSERT_FALSE(zone.empty());
    ASSERT_EQ(whole.size(), 1u);
    Vec3 force;
    double shares = 0;
    for (const narrow::FoundPoint& x : zone) {
      ASSERT_GT(x.depth, 0);
      ASSERT_LT(x.depth, 1.01 * x.penetration);
      shares += x.share, force += x.share * x.depth * x.normal;
    }
    worst_share = std::max(worst_share, shares);
    const double differ = norm(force - whole[0].depth * whole[0].normal) / whole[0].depth;
    ++pairs, sum += differ;
    if (zone.size() == 1) ++single, off += differ > 1e-4 ? 1 : 0;
  }
  std::printf("%d pairs, %d with one point, %d of these not the overlap's; on the mean off by %.1e\n", pairs, single,
              off, sum / pairs);
  EXPECT_GT(single, 15000);
  EXPECT_LT(off, single / 200) << "sharp edges that turn back over themselves";
  EXPECT_LT(sum / pairs, 5e-3);
  EXPECT_LE(worst_share, 1 + 1e-12);
}

}  // namespace
}  // namespace scree
