// LIBS: scree_io scree_narrow
// The fast common plane as printed: what must hold however the bodies move, and what the paper's variants cost.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <new>

#include "base/random.h"
#include "narrow/paper_fcp.h"
#include "oracle/larger.h"
#include "oracle/long_double.h"
#include "oracle/posed_pair.h"

namespace scree {
namespace {

using narrow::FastSettings;
using narrow::PaperPair;
using narrow::Plane;
using narrow::SearchCounters;
using oracle::Pose;
using oracle::PosedPair;
using Kind = PlaneFeature::Kind;

double exact_gap(const PosedPair& p) {
  return static_cast<double>(oracle::largest_gap(oracle::solid(p.a(), {}), oracle::solid(p.b(), p.d())).gap);
}

FastSettings fast(bool paper, bool approximation, double pad, bool path_length = false) {
  FastSettings s;
  s.paper = paper, s.approximation = approximation, s.pad = pad, s.path_length = path_length;
  return s;
}

/// A pair that is moved and tracked; knows how far its vertices went.
struct Tracked {
  PosedPair pair;
  std::vector<Vec3> at[2];
  Tracked(const std::string& a, const std::string& b, Pose pa, Pose pb)
      : pair(oracle::shape(a), oracle::shape(b), pa, pb) {
    motion();
  }
  /// Largest displacement of a vertex of A and of B since the last call.
  std::array<double, 2> motion() {
    std::array<double, 2> most{0, 0};
    for (std::size_t k = 0; k < 2; ++k) {
      const narrow::BodyView view = k == 0 ? pair.a() : pair.b();
      const Vec3 centre = pair.particles().position[k];
      at[k].resize(view.shape->vertices);
      for (std::size_t v = 0; v < at[k].size(); ++v) {
        most[k] = oracle::larger(most[k], norm(centre + view.vertex(v) - at[k][v]));
        at[k][v] = centre + view.vertex(v);
      }
    }
    return most;
  }
  void move(Pose pa, Pose pb) { pair.move(pa, pb); }
};

Plane step(const FastSettings& s, const PosedPair& p, std::array<double, 2> motion, PaperPair& state,
           SearchCounters& c) {
  return narrow::paper_fast_common_plane(s, p.a(), p.b(), p.d(), motion[0], motion[1], state, c);
}
Plane step(const FastSettings& s, const PosedPair& p, PaperPair& state, SearchCounters& c) {
  return step(s, p, {0, 0}, state, c);
}

struct Variant {
  const char* name;
  FastSettings settings;
  int touching = 0, wrong = 0, coarse = 0, made_up = 0, missed = 0, steps = 0;
  double worst = 0;  ///< of the smaller size
  SearchCounters counters = {};
  double wrong_share() const { return static_cast<double>(wrong) / touching; }
  void add(double exact, double found, double smaller, double rounding) {
    ++steps;
    ASSERT_LE(found, exact + rounding) << name;
    if (exact > rounding) {
      made_up += found <= 0;
    } else if (exact < -rounding) {
      const double share = (exact - found) / smaller;
      ++touching, wrong += share > 1e-6, coarse += share > 1e-3, missed += found > 0;
      worst = oracle::larger(worst, share);
    }
  }
  void print() const {
    const double n = steps;
    const SearchCounters& c = counters;
    std::printf(
        "%-32s %d steps in contact: %5.2f %% wrong by > 1e-6 sizes, %5.2f %% by > 1e-3, worst %.0e; contacts "
        "missed %d, made up %d; of a step %.2f skipped, %.2f followed, %.3f solved (%.2f iterations, at most %d)\n",
        name, touching, 100 * wrong_share(), 100.0 * coarse / touching, worst, missed, made_up,
        static_cast<double>(c.skipped) / n, static_cast<double>(c.cached) / n, static_cast<double>(c.solved) / n,
        static_cast<double>(c.iterations) / static_cast<double>(c.searched), static_cast<int>(c.iterations_max));
  }
};

/// Two bodies slide and turn into each other and apart again, by a few 1e-4 of a size each step.
template <class Each>
void along_paths(int paths, int steps, std::uint64_t seed, const Each& each) {
  Random u(seed);
  const auto& names = oracle::compact_shapes();
  for (int k = 0; k < paths; ++k) {
    const std::string &a = names[u.below(names.size())], &b = names[u.below(names.size())];
    Pose pa{1, u.rotation(), {}}, pb{u.uniform(0.5, 2), u.rotation(), {}};
    Tracked t(a, b, pa, pb);
    const Vec3 line = u.direction(), turn_a = u.direction(), turn_b = u.direction();
    pb.position = -narrow::evaluate_plane(t.pair.a(), t.pair.b(), {}, line).gap * line;
    t.move(pa, pb);
    const auto g = oracle::largest_gap(oracle::solid(t.pair.a(), {}), oracle::solid(t.pair.b(), t.pair.d()));
    const Vec3 n = oracle::narrowed(g.n), side = normalized(cross(n, u.direction()));
    const Vec3 touching = pb.position - static_cast<double>(g.gap) * n;
    const double deepest = std::pow(10, u.uniform(-3, -1));
    for (int i = 0; i < steps; ++i) {
      const double x = i / (steps - 1.0);
      pb.position = touching + (0.01 - (0.01 + deepest) * std::sin(M_PI * x)) * n + 0.1 * (x - 0.5) * side;
      pa.orientation = normalized(axis_angle(turn_a, 0.25 / steps) * pa.orientation);
      pb.orientation = normalized(axis_angle(turn_b, -0.25 / steps) * pb.orientation);
      t.move(pa, pb);
      each(k, i, t, t.motion());
    }
  }
}

TEST(PaperFcp, TrackedThroughContactAndApart) {
  std::vector<Variant> variants = {{"as they lie, full solves", fast(false, false, 1e-3)},
                                   {"as they lie, followed, PAD 1e-3", fast(false, true, 1e-3)},
                                   {"as they lie, followed, PAD 1e-2", fast(false, true, 1e-2)},
                                   {"as they lie, followed, PAD 0.1", fast(false, true, 0.1)},
                                   {"drawn apart, full solves", fast(true, false, 1e-3)},
                                   {"drawn apart, followed, PAD 1e-3", fast(true, true, 1e-3)},
                                   {"the same, path length", fast(true, true, 1e-3, true)}};
  std::vector<PaperPair> states;
  along_paths(60, 1000, 7, [&](int, int i, const Tracked& t, std::array<double, 2> motion) {
    if (i == 0) states.assign(variants.size(), {});
    const PosedPair& p = t.pair;
    // Exact for overlap and for its sign, itself held to the oracle; where apart, the oracle now and then.
    double exact = p.plane().gap;
    const bool apart = exact > 0;
    if (apart && i % 20 == 0) exact = exact_gap(p);
    if (apart && i % 20 != 0) exact = 1e300;
    for (std::size_t v = 0; v < variants.size(); ++v) {
      const Plane plane = step(variants[v].settings, p, motion, states[v], variants[v].counters);
      variants[v].add(exact, plane.gap, std::min(p.a().size, p.b().size), 1e-14 * p.scale());
    }
  });
  for (const Variant& v : variants) {
    v.print();
    EXPECT_EQ(v.missed, 0) << v.name;
    EXPECT_GT(v.touching, 20000);
    EXPECT_LE(v.counters.iterations_max, 6u);
    EXPECT_LT(v.counters.cold, 2u * 60);
  }
  EXPECT_LT(variants[0].wrong_share(), 0.01);
  EXPECT_LT(variants[1].wrong_share(), variants[0].wrong_share() + 0.01);
  EXPECT_LT(variants[2].wrong_share(), 0.03);
  EXPECT_GT(variants[4].wrong_share(), 0.02) << "drawing apart harms";
  EXPECT_LT(variants[4].wrong_share(), 0.15);
  EXPECT_LT(variants[1].counters.solved, variants[0].counters.solved / 2);
  EXPECT_LT(variants[2].counters.solved, variants[1].counters.solved / 2);
  EXPECT_GT(variants[6].counters.solved, variants[5].counters.solved);
}

// A followed plane falls behind the best one by no more than a few times the motion since the full check, so PAD bounds
// the error as long as the full checks are right.
TEST(PaperFcp, FollowedPlanesFallBehindByNoMoreThanTheMotion) {
  Random u(15);
  const auto& names = oracle::compact_shapes();
  double worst = 0;
  for (int k = 0; k < 2000; ++k) {
    const double pad = std::pow(10, u.uniform(-4, -1));
    const FastSettings s = fast(false, true, pad);
    Pose pa{1, u.rotation(), {}}, pb{u.uniform(0.5, 2), u.rotation(), {}};
    PosedPair p(oracle::shape(names[u.below(names.size())]), oracle::shape(names[u.below(names.size())]), pa, pb);
    const Vec3 line = u.direction();
    pb.position = -u.uniform(0.85, 1) * narrow::evaluate_plane(p.a(), p.b(), {}, line).gap * line;
    p.move(pa, pb);
    if (p.plane().gap > 0) continue;
    PaperPair state;
    SearchCounters c;
    step(s, p, state, c);
    const Vec3 turn_a = u.direction(), turn_b = u.direction(), way = u.direction();
    for (int i = 0; i < 20; ++i) {
      pb.position += 0.02 * pad * way;
      pa.orientation = normalized(axis_angle(turn_a, 0.01 * pad) * pa.orientation);
      pb.orientation = normalized(axis_angle(turn_b, 0.01 * pad) * pb.orientation);
      p.move(pa, pb);
      const double solves = static_cast<double>(c.solved), found = step(s, p, state, c).gap, exact = p.plane().gap;
      if (exact > 0) break;
      ASSERT_LE(exact - found, 2 * pad * 0.5 * (pa.size + pb.size));
      // The error since the first, exact, solve; a later one may end on a local optimum.
      if (static_cast<double>(c.solved) > solves) break;
      worst = oracle::larger(worst, (exact - found) / (pad * 0.5 * (pa.size + pb.size)));
    }
  }
  std::printf("followed planes: behind the best one by up to %.2f PAD\n", worst);
  EXPECT_GT(worst, 0.05) << "nothing was followed for long";
  EXPECT_LT(worst, 1);
}

// One pair for each type of plane: it is followed by its features, and stays the best.
TEST(PaperFcp, FollowsTheFeatureOfEachType) {
  const double q = M_PI / 4, r = std::sqrt(0.5);
  const Quat x = axis_angle({1, 0, 0}, q), y = axis_angle({0, 1, 0}, q), lean = axis_angle({0, 1, 0}, 0.05);
  struct Case {
    const char *a, *b;
    Quat qa, qb;
    Vec3 at;  ///< of B, where they touch
    Kind kind;
    bool overlap;  ///< can this type be the best of overlapping bodies?
  };
  const Case cases[] = {
      {"cube", "octahedron", {}, lean, {0.05, 0.03, 0.5 + 0.5 * std::cos(0.05)}, Kind::face_a, true},
      {"cube", "cube", {}, {}, {0, 0, 1}, Kind::face_a, true},  // the line of centroids is the best plane
      {"octahedron", "cube", lean, {}, {0.05, 0.03, 0.5 + 0.5 * std::cos(0.05)}, Kind::face_b, true},
      {"cube", "cube", x, y, {0.05, 0.03, 2 * r}, Kind::edge_edge, true},
      {"octahedron", "octahedron", {}, {}, {1e-4, 2e-4, 1}, Kind::vertex_vertex, false},
      {"cube", "octahedron", x, {}, {0.05, 1e-4, r + 0.5}, Kind::edge_a, false},
      {"octahedron", "cube", {}, x, {0.05, 1e-4, r + 0.5}, Kind::edge_b, false},
  };
  for (const Case& c : cases) {
    for (const bool paper : {false, true}) {
      for (const double gap : {5e-4, -1e-3}) {
        if (gap < 0 && !c.overlap) continue;
        const FastSettings s = fast(paper, true, 1e-2);
        Pose pa{1, c.qa, {}}, pb{1, c.qb, c.at + Vec3{0, 0, gap}};
        PosedPair p(oracle::shape(c.a), oracle::shape(c.b), pa, pb);
        PaperPair state;
        SearchCounters first;
        step(s, p, state, first);
        ASSERT_EQ(first.cold, 1u);
        ASSERT_EQ(state.feature.kind, c.kind) << c.a << " " << c.b << " " << gap;
        SearchCounters later;
        for (int i = 0; i < 10; ++i) {
          pa.orientation = normalized(axis_angle({0, 1, 0}, 1e-5) * pa.orientation);
          pb.orientation = normalized(axis_angle({1, 0, 0}, 1e-5) * pb.orientation);
          pb.position += {1e-6, 2e-6, -1e-6};
          p.move(pa, pb);
          // Of aligned faces the other one may become the better by the square of the turn; a link of 5e-4 from the end
          // of an edge 1 long knows its direction to 1e-13.
          ASSERT_NEAR(step(s, p, state, later).gap, exact_gap(p), c.at.x == 0 ? 1e-8 : 1e-12)
              << c.a << " " << c.b << " " << gap;
        }
        EXPECT_EQ(later.cached, 10u) << c.a << " " << c.b << " " << gap << paper;
        EXPECT_EQ(later.solved + later.cold + later.iterations, 0u);
        EXPECT_EQ(state.feature.kind, c.kind);
      }
    }
  }
}

// What ends the following: other vertices come closest, contact begins, the motion is used up.
TEST(PaperFcp, FullSolveWhenOneIsDue) {
  const auto cube = oracle::shape("cube"), octahedron = oracle::shape("octahedron");
  for (const bool paper : {false, true}) {
    const FastSettings s = fast(paper, true, 0.05);
    const auto solves_after = [&](Pose pb, Pose moved, PaperPair* state) {
      PosedPair p(cube, octahedron, {}, pb);
      SearchCounters first, c;
      step(s, p, *state, first);
      p.move({}, moved);
      const double gap = step(s, p, *state, c).gap;
      EXPECT_NEAR(gap, exact_gap(p), 1e-14);
      EXPECT_EQ(c.solved + c.cached, 1u);
      return c.solved;
    };
    const Quat lean = axis_angle({0, 1, 0}, 0.01);
    const double height = 0.5 + 0.5 * std::cos(0.01);
    const Vec3 above{0.1, 0.1, height};
    PaperPair a, b, c, d;
    EXPECT_EQ(solves_after({1, lean, above + Vec3{0, 0, -0.01}}, {1, lean, above + Vec3{0, 0, -0.0101}}, &a), 0u);
    EXPECT_EQ(solves_after({1, lean, above + Vec3{0, 0, 1e-4}}, {1, lean, above + Vec3{0, 0, -1e-4}}, &b), 1u);
    EXPECT_EQ(b.status, PaperPair::Status::touching);
    EXPECT_EQ(solves_after({1, lean, above + Vec3{0, 0, -0.01}}, {1, lean, above + Vec3{0.06, 0, -0.01}}, &c), 1u);
    // The octahedron rolls on from one face corner to the next.
    const Quat flat = axis_angle(normalized(Vec3{1, -1, 0}), std::acos(1 / std::sqrt(3.0)));
    const Quat before = axis_angle({1, 0, 0}, 1e-3) * flat, after = axis_angle({1, 0, 0}, -1e-3) * flat;
    const Vec3 on_face{0, 0, 0.5 + 0.5 / std::sqrt(3.0) - 0.01};
    EXPECT_EQ(solves_after({1, normalized(before), on_face}, {1, normalized(after), on_face}, &d), 1u);
  }
}

// A tip that is turned towards a small body, by little more than the gap between them: whatever it turns about, its way
// has to count in full.
TEST(PaperFcp, SkipsNothingThatATurnBringsIntoTouch) {
  Random u(23);
  int touched = 0;
  for (int k = 0; k < 300; ++k) {
    const FastSettings s = fast(k % 2 == 0, k % 4 < 2, 1e-3);
    const auto long_one = oracle::shape("tetrahedron"), small_one = oracle::shape("octahedron");
    Pose pa{1, {}, {}}, pb{0.05, {}, {}};
    PosedPair p(long_one, small_one, pa, pb);
    Vec3 tip = p.a().vertex(0);
    // The axis is one of space's, and the tip lies across it.
    const Vec3 axis{k % 3 == 0 ? 1.0 : 0.0, k % 3 == 1 ? 1.0 : 0.0, k % 3 == 2 ? 1.0 : 0.0};
    const Vec3 arm = normalized(cross(axis, u.direction())), from = normalized(tip);
    pa.orientation = axis_angle(normalized(cross(from, arm)), std::acos(dot(from, arm)));
    tip = norm(tip) * arm;
    const Vec3 way = cross(axis, arm);
    pb.position = tip + 0.5 * way;
    p.move(pa, pb);
    const double gap = std::pow(10, u.uniform(-3, -2));
    for (int i = 0; i < 8; ++i) pb.position -= (exact_gap(p) - gap) * way, p.move(pa, pb);
    ASSERT_NEAR(exact_gap(p), gap, 0.02 * gap);
    PaperPair state;
    SearchCounters c;
    step(s, p, state, c);
    if (state.status != PaperPair::Status::far) continue;
    pa.orientation = axis_angle(axis, 1.25 * gap / norm(tip)) * pa.orientation;
    p.move(pa, pb);
    if (!(exact_gap(p) < 0)) continue;
    ++touched;
    EXPECT_LE(step(s, p, state, c).gap, 0) << k;
  }
  EXPECT_GT(touched, 100);
}

// A path length grows by vibrating on the spot; the change of pose does not.
TEST(PaperFcp, VibrationInPlace) {
  Random u(11);
  for (const double gap : {2e-3, -2e-3}) {
    for (const bool path_length : {false, true}) {
      const FastSettings s = fast(false, true, 1e-3, path_length);
      Pose pa{1, u.rotation(), {}}, pb{1, u.rotation(), {}};
      Tracked t("cube", "grain14", pa, pb);
      const Vec3 line = u.direction();
      pb.position = -narrow::evaluate_plane(t.pair.a(), t.pair.b(), {}, line).gap * line;
      t.move(pa, pb);
      const auto g = oracle::largest_gap(oracle::solid(t.pair.a(), {}), oracle::solid(t.pair.b(), t.pair.d()));
      pb.position += (gap - static_cast<double>(g.gap)) * oracle::narrowed(g.n);
      const Vec3 rest = pb.position;
      const Quat posture = pb.orientation;
      PaperPair state;
      SearchCounters c;
      for (int i = 0; i < 1000; ++i) {
        pb.position = rest + (i % 2 == 0 ? 1e-4 : -1e-4) * line;
        pb.orientation = normalized(axis_angle(line, i % 2 == 0 ? 1e-4 : -1e-4) * posture);
        t.move(pa, pb);
        const auto motion = t.motion();
        const Plane plane = step(s, t.pair, i == 0 ? std::array<double, 2>{0, 0} : motion, state, c);
        ASSERT_EQ(plane.gap > 0, gap > 0);
      }
      if (path_length)
        EXPECT_TRUE(c.solved > 100 && c.solved < 500) << c.solved << " at 0.2 of PAD a step";
      else
        EXPECT_EQ(c.solved, 0u);
      EXPECT_EQ(c.cold, 1u);
      std::printf("vibration of 0.1 PAD, %s, by %s: %d full checks in 1000 steps\n", gap > 0 ? "apart" : "in contact",
                  path_length ? "path length" : "change of pose", static_cast<int>(c.solved));
    }
  }
}

// A rattles beside B, and B creeps towards C. As printed, a check of A and B resets B's motion, so that B and C are
// never checked: they meet unseen. Motion kept per pair cannot be reset by others.
TEST(PaperFcp, MotionChain) {
  const double tol = FastSettings{}.tolerance;
  enum class Rule { as_printed, path_per_pair, change_of_pose };
  for (const Rule rule : {Rule::as_printed, Rule::path_per_pair, Rule::change_of_pose}) {
    const FastSettings s = fast(false, true, 1e-3, rule != Rule::change_of_pose);
    Pose a{1, {}, {0, 0, 0}}, b{1, {}, {1.1, 0, 0}}, c{1, {}, {2.1 + 5 * tol, 0, 0}};
    const auto cube = oracle::shape("cube");
    PosedPair ab(cube, cube, a, b), bc(cube, cube, b, c);
    PaperPair of_ab, of_bc;
    int missed = 0;
    for (int i = 0; i < 100; ++i) {
      const double rattle = i == 0 ? 0 : 0.7 * tol, creep = i == 0 ? 0 : 0.4 * tol;
      a.position.y += i % 2 == 0 ? rattle : -rattle;
      b.position.x += creep;
      ab.move(a, b), bc.move(b, c);
      SearchCounters of_step, rest;
      step(s, ab, {rattle, creep}, of_ab, of_step);
      if (rule == Rule::as_printed && of_step.solved + of_step.cold > 0)
        of_bc.path_a = -creep;  // set to zero this step
      const double gap = step(s, bc, {creep, 0}, of_bc, rest).gap;
      ASSERT_TRUE(rule == Rule::as_printed || (gap <= 0) == (of_bc.status == PaperPair::Status::touching));
      missed += gap > 0 && bc.plane().gap < -1e-12;
    }
    std::printf("chain A-B-C, %s: %d of 100 steps with an unseen contact\n",
                rule == Rule::as_printed      ? "neighbours' counters reset (as printed)"
                : rule == Rule::path_per_pair ? "path length per pair"
                                              : "change of pose per pair",
                missed);
    if (rule == Rule::as_printed)
      EXPECT_GT(missed, 50);
    else
      EXPECT_EQ(missed, 0);
  }
}

// No plane to go on from: the first step in deep contact, and contact from farther than TOL within one step, are exact.
TEST(PaperFcp, FirstContactsAreExact) {
  Random u(12);
  int leaps = 0;
  for (int i = 0; i < 400; ++i) {
    const auto& names = oracle::all_shapes();
    Pose pa{1, u.rotation(), {}}, pb{u.uniform(0.2, 2), u.rotation(), {}};
    PosedPair p(oracle::shape(names[u.below(names.size())]), oracle::shape(names[u.below(names.size())]), pa, pb);
    const Vec3 line = u.direction();
    const double touching = -narrow::evaluate_plane(p.a(), p.b(), {}, line).gap;
    for (const bool paper : {false, true}) {
      const FastSettings s = fast(paper, true, 1e-3);
      const Vec3 inside = u.uniform(0, 0.95) * touching * line;
      PaperPair inserted, arrived;
      SearchCounters c, d;
      pb.position = inside;
      p.move(pa, pb);
      const double exact = exact_gap(p), rounding = 1e-14 * p.scale();
      if (exact > -rounding) continue;
      ASSERT_NEAR(step(s, p, inserted, c).gap, exact, rounding);
      ASSERT_EQ(c.cold, 1u);
      pb.position = -inside;
      p.move(pa, pb);
      const double mirrored = exact_gap(p);
      if (mirrored < -rounding && 2 * norm(inside) > p.scale()) {
        ASSERT_NEAR(step(s, p, inserted, c).gap, mirrored, rounding) << "a leap to the other side";
        ++leaps;
      }
      pb.position = (1 + std::pow(10, u.uniform(-2, 0))) * touching * line;
      p.move(pa, pb);
      ASSERT_GT(step(s, p, arrived, d).gap, 0);
      if (arrived.status != PaperPair::Status::far) continue;
      pb.position = inside;
      p.move(pa, pb);
      ASSERT_NEAR(step(s, p, arrived, d).gap, exact, rounding) << "approach faster than TOL";
      ASSERT_EQ(arrived.status, PaperPair::Status::touching);
    }
  }
  EXPECT_GT(leaps, 50);
}

// The tip of a needle comes down as fast as its turn allows: nothing of the motion is given away, and hardly any check.
TEST(PaperFcp, SkippedUntilMotionMayHaveUsedUpTheGap) {
  const auto needle = oracle::shape("needle")->body;
  Vec3 tip;
  for (const Vec3& v : needle.vertices) tip = norm(v) > norm(tip) ? v : tip;
  for (const bool needle_is_b : {true, false}) {
    for (const double gap : {0.002, 0.02, 0.1}) {
      const double size = 0.45 / needle.outer_radius;
      // The needle's longest diagonal lies along x, over the middle of the cube's face.
      const Vec3 axis = cross(normalized(tip), Vec3{1, 0, 0});
      const Quat level = norm(axis) < 1e-12 ? (tip.x > 0 ? Quat{} : axis_angle({0, 0, 1}, M_PI))
                                            : axis_angle(normalized(axis), std::acos(normalized(tip).x));
      Pose cube, turning{size, level, {}};
      const auto posed = [&] {
        return needle_is_b ? PosedPair(oracle::shape("cube"), oracle::shape("needle"), cube, turning)
                           : PosedPair(oracle::shape("needle"), oracle::shape("cube"), turning, cube);
      };
      turning.position = {0, 0, 1};
      turning.position.z -= exact_gap(posed()) - gap;
      PosedPair p = posed();
      PaperPair state;
      SearchCounters c;
      int steps = 0;
      for (double angle = 0; angle < 0.5; angle += gap / 200, ++steps) {
        turning.orientation = normalized(axis_angle({0, 1, 0}, angle) * level);
        needle_is_b ? p.move(cube, turning) : p.move(turning, cube);
        const double found = step(fast(false, true, 1e-3), p, state, c).gap, exact = p.plane().gap;
        ASSERT_LE(found, exact_gap(p) + 1e-14);
        if (exact < 0) break;
      }
      EXPECT_EQ(state.status, PaperPair::Status::touching) << gap;
      EXPECT_LT(static_cast<double>(c.solved + c.cached), 0.15 * steps + 1e-3 / (gap / 200) / 0.4) << gap;
    }
  }
}

// Two cubes overlap by 0.03 along z; one slides off until the overlap along x is 0.01. Drawn apart along z they keep
// the plane across z, though the one across x is three times as near.
TEST(PaperFcp, DrawnApartBodiesKeepTheirPlane) {
  const auto cube = oracle::shape("cube");
  PaperPair apart, lying;
  SearchCounters c;
  double kept = 0, found = 0;
  for (int i = 0; i <= 100; ++i) {
    const PosedPair p(cube, cube, {}, {1, {}, {0.5 + 0.0049 * i, 0.1, 0.97}});
    kept = step(fast(true, false, 1e-3), p, apart, c).gap, found = step(fast(false, false, 1e-3), p, lying, c).gap;
  }
  EXPECT_NEAR(found, -0.01, 1e-14);
  EXPECT_NEAR(kept, -0.03, 1e-14);
}

// Any motion at all: jumps, rests, coincident centroids, far corners of space. Every gap is a bound of the exact one.
TEST(PaperFcp, NeverMissesAContactHoweverBodiesMove) {
  Random u(13);
  for (int k = 0; k < 150; ++k) {
    FastSettings s = fast(u.below(2) == 0, u.below(4) != 0, std::pow(10, u.uniform(-5, 0)), u.below(3) == 0);
    s.tolerance = u.below(8) == 0 ? 0 : std::pow(10, u.uniform(-6, -1));
    const auto& names = oracle::all_shapes();
    const double unit = std::pow(10, u.uniform(-6, 6));
    const double far = u.below(3) == 0 ? 1e6 * unit : 0;
    Pose pa{unit, u.rotation(), {far, -far, far}}, pb{unit * std::pow(10, u.uniform(-1, 1)), u.rotation(), {}};
    Tracked t(names[u.below(names.size())], names[u.below(names.size())], pa, pb);
    pb.position = pa.position + 0.9 * t.pair.scale() * u.direction();
    PaperPair state;
    for (int i = 0; i < 60; ++i) {
      const double pace = u.below(4) == 0 ? 0 : std::pow(10, u.uniform(-5, u.below(10) == 0 ? 1 : -2));
      pb.position += pace * t.pair.scale() * (u.direction() - 0.3 * normalized(pb.position - pa.position));
      pa.orientation = normalized(axis_angle(u.direction(), pace * u.uniform()) * pa.orientation);
      pb.orientation = normalized(axis_angle(u.direction(), pace * u.uniform()) * pb.orientation);
      if (u.below(40) == 0) pb.position = pa.position;
      if (u.below(40) == 0) pb.orientation = pa.orientation;
      if (u.below(200) == 0) pb.position += 1e200 * u.direction();
      if (norm(pb.position - pa.position) > 10 * t.pair.scale() && u.below(3) == 0)
        pb.position = pa.position + 0.8 * t.pair.scale() * u.direction();
      t.move(pa, pb);
      SearchCounters c;
      const auto motion = t.motion();
      const Plane p = step(s, t.pair, motion, state, c);
      ASSERT_TRUE(std::isfinite(p.gap) && is_finite(p.n));
      ASSERT_NEAR(norm(p.n), 1, 1e-13);
      ASSERT_LE(c.iterations, 200u);
      if (norm(t.pair.d()) > 100 * t.pair.scale()) {
        ASSERT_GT(p.gap, 0);
        continue;
      }
      const double exact = t.pair.plane().gap, rounding = 1e-13 * t.pair.scale();
      if (exact < -rounding) {
        ASSERT_LE(p.gap, exact + rounding);
      } else if (i % 5 == 0) {
        ASSERT_LE(p.gap, exact_gap(t.pair) + rounding);
      }
    }
  }
}

// A state saved in the middle and read back goes on with the same bits; no byte of it is padding.
TEST(PaperFcp, StateIsPlainData) {
  const FastSettings s = fast(true, true, 1e-3);
  alignas(PaperPair) std::byte one[sizeof(PaperPair)], two[sizeof(PaperPair)];
  std::memset(one, 0xaa, sizeof one), std::memset(two, 0x55, sizeof two);
  PaperPair &a = *new (one) PaperPair{}, &b = *new (two) PaperPair{};
  int compared = 0;
  along_paths(4, 400, 14, [&](int, int i, const Tracked& t, std::array<double, 2> motion) {
    if (i == 0) a = PaperPair{}, b = PaperPair{};
    SearchCounters c, d;
    const Plane p = step(s, t.pair, motion, a, c), q = step(s, t.pair, motion, b, d);
    if (i % 7 == 3) {
      std::byte saved[sizeof(PaperPair)];
      std::memcpy(saved, &b, sizeof b);
      b = PaperPair{};
      std::memcpy(static_cast<void*>(&b), saved, sizeof b);
    }
    ASSERT_EQ(std::memcmp(&a, &b, sizeof a), 0);
    ASSERT_EQ(p.gap, q.gap);
    ++compared;
  });
  EXPECT_EQ(compared, 1600);
}

}  // namespace
}  // namespace scree
