// Two faces that look at each other, two edges that cross and a corner over a face have a short way to their exact
// overlap: held to the long one, which knows only edges, wherever it says anything.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>

#include "base/random.h"
#include "oracle/degenerate_pairs.h"
#include "oracle/found_bits.h"
#include "oracle/larger.h"
#include "oracle/plane_cases.h"
#include "oracle/vector_widths.h"

namespace scree {
namespace {

using oracle::bits_of;
using oracle::Pose;
using oracle::PosedPair;

/// Largest differences seen, in units of what rounding costs: planes are known to 1e-16 of the pair's size, and the
/// long way's sums run from the middle of the link, which may lie far from a small patch.
struct Worst {
  double volume = 0, area = 0, centroid = 0, centre = 0, energy = 0, gyration = 0, moment = 0;
  int pairs = 0, tried = 0, on_b = 0;
  int by_edges = 0;           ///< faces on each other whose plane is that of two edges
  std::array<int, 4> form{};  ///< how often each OverlapForm was said
  void print(const std::string& what) const {
    std::printf(
        "%-26s %5d of %5d; volume %.1f area %.1f centroid %.1f moment %.1f gyration %.1f centre %.1f energy %.1f\n",
        what.c_str(), pairs, tried, volume, area, centroid, moment, gyration, centre, energy);
  }
  /// All but what is counted by form.
  void include(const Worst& o) {
    for (double Worst::*off : {&Worst::volume, &Worst::area, &Worst::centroid, &Worst::centre, &Worst::energy,
                               &Worst::gyration, &Worst::moment})
      this->*off = oracle::larger(this->*off, o.*off);
    pairs += o.pairs, tried += o.tried;
  }
  void expect_rounding() const {
    for (const double off : {volume, area, centroid, moment, gyration, centre, energy}) EXPECT_LT(off, 10);
  }
};

void compare(const PosedPair& p, narrow::Plane seed, Worst* worst) {
  ++worst->tried;
  narrow::Overlap o;
  const narrow::OverlapForm form = narrow::simple_overlap(p.a(), p.b(), p.d(), seed, o);
  ++worst->form[static_cast<std::size_t>(form)];
  if (form == narrow::OverlapForm::any) return;
  worst->on_b += seed.feature.kind == PlaneFeature::Kind::face_b;
  worst->by_edges += form == narrow::OverlapForm::faces && seed.feature.kind == PlaneFeature::Kind::edge_edge;
  EXPECT_EQ(o.volume, narrow::exact_overlap(p.a(), p.b(), p.d(), seed).volume) << "the short way is taken";
  seed.feature.kind = PlaneFeature::Kind::none;
  const narrow::Overlap e = narrow::exact_overlap(p.a(), p.b(), p.d(), seed);
  if (!(e.volume > 0)) {
    EXPECT_LT(-seed.gap, 1e-13 * p.scale()) << "only rounding may hide an overlap from either";
    return;
  }
  const double area = norm(e.area), width = std::sqrt(area), thickness = e.volume / area;
  const Vec3 link = 0.5 * (p.a().vertex(seed.va) + p.d() + p.b().vertex(seed.vb));
  const double lever = 1 + (norm(link - e.centroid) + e.gyration) / width;
  const double unit = 1e-16 * p.scale() / std::min(thickness, width) * lever * lever;
  const auto note = [](double* most, double off) { *most = oracle::larger(*most, off); };
  note(&worst->volume, std::abs(o.volume / e.volume - 1) / unit);
  note(&worst->area, norm(o.area - e.area) / area / unit);
  note(&worst->centroid, norm(o.centroid - e.centroid) / width / unit);
  note(&worst->moment, norm(o.area_moment - e.area_moment) / (area * width) / unit);
  note(&worst->gyration, std::abs(o.gyration - e.gyration) / width / unit);
  // These weigh with the second moments.
  const double second = unit * lever * lever;
  note(&worst->centre, norm(o.centre - e.centre) / width / second);
  note(&worst->energy, std::abs(o.energy_depth / e.energy_depth - 1) / second);
  ++worst->pairs;
}

/// A face of `a`, which looks up, under a face of `b`, turned, aside, `depth` deep and leaning.
PosedPair face_on_face(Random& u, const std::shared_ptr<const Shape>& a, const std::shared_ptr<const Shape>& b,
                       double size, double depth, double lean, double aside) {
  const Vec3 z{0, 0, 1};
  const Vec3 na = a->body.face_normals[u.below(a->body.face_normals.size())];
  const Vec3 nb = b->body.face_normals[u.below(b->body.face_normals.size())];
  const Quat whole = u.rotation(), qa = whole * oracle::degenerate::turn(na, z);
  const Quat qb = whole * axis_angle(u.direction(), lean) * axis_angle(z, u.uniform(0, 2 * M_PI)) *
                  oracle::degenerate::turn(nb, -z);
  PosedPair p(a, b, {1, qa, {}}, {size, qb, {}});
  const double gap = narrow::evaluate_plane(p.a(), p.b(), {}, rotate(whole, z)).gap;
  const Vec3 d = rotate(whole, {aside * u.uniform(-1, 1), aside * u.uniform(-1, 1), -gap - depth});
  p.move({1, qa, {}}, {size, qb, d});
  return p;
}

/// Turned at random, and moved along the line of centroids until they are about `depth` deep.
PosedPair any_contact(Random& u, const std::shared_ptr<const Shape>& a, const std::shared_ptr<const Shape>& b,
                      double size, double depth) {
  const Pose pa{1, u.rotation(), {}};
  Pose pb{size, u.rotation(), 3 * (1 + size) * u.direction()};
  PosedPair p(a, b, pa, pb);
  const double step = norm(pb.position);
  for (int k = 0; k < 30; ++k) {
    const narrow::Plane plane = p.plane();
    if (std::abs(plane.gap + depth) < 1e-3 * depth) break;
    const Vec3 line = (1 / norm(pb.position)) * pb.position;
    pb.position -= std::clamp((plane.gap + depth) / std::max(0.1, dot(plane.n, line)), -step, step) * line;
    p.move(pa, pb);
  }
  return p;
}

/// A pyramid's lower part, flat to slender, whose sides the hull may break into triangles.
std::shared_ptr<const Shape> frustum(Random& u, std::uint64_t sides) {
  const double height = std::pow(10, u.uniform(-1, 0.7)), top = u.uniform(0.3, 1), aside = u.uniform(-0.3, 0.3);
  std::vector<Vec3> corners;
  for (std::uint64_t k = 0; k < sides; ++k) {
    const double t = 2 * M_PI * static_cast<double>(k) / static_cast<double>(sides) + u.uniform(-0.2, 0.2);
    corners.push_back({std::cos(t), std::sin(t), 0});
    corners.push_back({top * std::cos(t) + aside, top * std::sin(t), height});
  }
  return oracle::hull_shape("frustum", corners);
}

// Slender bodies deeper in each other than their patch is wide: faces beside the two turn back over themselves, and
// what these carry of the patch may be more than the whole. Where they cancel, both faces carry it to the last digits
// and yet tell different depths: how much each counts is known from those digits alone, and so is the centre.
TEST(SimpleOverlap, OfFrustaDeepInEachOtherEqualsTheOverlapFromAllEdges) {
  Random u(22);  // of 200 000 pairs of other seeds one has a volume 13 units off, one a centre 1e10 off
  std::vector<std::shared_ptr<const Shape>> shapes;
  for (int i = 0; i < 1000; ++i) shapes.push_back(frustum(u, 3 + u.below(5)));
  Worst worst;
  int tosses = 0;
  for (int i = 0; i < 120000; ++i) {
    const auto &a = shapes[u.below(shapes.size())], &b = shapes[u.below(shapes.size())];
    const double size = std::pow(10, u.uniform(-0.7, 0.7)), lean = 0.6 * std::pow(10, u.uniform(-4, 0));
    const PosedPair p = face_on_face(u, a, b, size, std::pow(10, u.uniform(-3, -0.3)), lean, u.uniform(0, 1.2));
    const narrow::Plane seed = p.plane();
    if (!(seed.gap < 0)) continue;
    Worst own;
    compare(p, seed, &own);
    if (HasFailure()) return;
    if (own.centre > 10) {
      EXPECT_LT(own.centre, 1e4);
      own.centre = 0, ++tosses;
    }
    worst.include(own);
  }
  worst.print("frusta");
  std::printf("of %d the centre hangs on the last digits\n", tosses);
  worst.expect_rounding();
  EXPECT_LT(tosses, worst.pairs / 5000);
}

// Random contacts: corners and crossings, the shallower the more often.
TEST(SimpleOverlap, OfAnyContactEqualsTheOverlapFromAllEdges) {
  Random u(5);
  const std::vector<std::string> names = {"tetrahedron", "cube",    "octahedron", "dodecahedron",
                                          "icosahedron", "grain14", "grain16",    "plate"};
  Worst all;
  for (const std::string& name : names) {
    Worst worst;
    for (int i = 0; i < 4000; ++i) {
      const double size = std::pow(i % 2 == 0 ? 2 : 100, u.uniform(-1, 1)), least = std::min(1.0, size);
      const PosedPair p = any_contact(u, oracle::shape(name), oracle::shape(names[u.below(names.size())]), size,
                                      least * std::pow(10, u.uniform(-9, -0.5)));
      const narrow::Plane seed = p.plane();
      if (seed.gap < 0) compare(p, seed, &worst);
      if (HasFailure()) return;
    }
    worst.print(name);
    worst.expect_rounding();
    for (std::size_t k = 0; k < all.form.size(); ++k) all.form[k] += worst.form[k];
    EXPECT_GT(worst.form[static_cast<std::size_t>(narrow::OverlapForm::crossing)], 500) << name;
    EXPECT_GT(worst.form[static_cast<std::size_t>(narrow::OverlapForm::corner)], 500) << name;
  }
  std::printf("any %d, crossing %d, corner %d, faces %d\n", all.form[0], all.form[1], all.form[2], all.form[3]);
}

/// Is the point, relative to A's centroid, inside the body at `at`?
bool is_inside(const narrow::BodyView& body, Vec3 at, Vec3 point) {
  for (std::size_t f = 0; f < body.shape->faces; ++f) {
    if (dot(body.face_normal(f), point - at) > body.face_offset(f)) return false;
  }
  return true;
}

// Of crossing edges the mean depth D is a third of the depth of the lines, so the force K D has the potential 3/2 K D^2
// and its wrench must be the gradient of that: also at sharp edges, where the crossing lies beside the stretch of an
// edge and the surface of A, of B or of both has turned back over itself.
// The loops of such faces are not kept, and what would be read from them is nothing.
TEST(SimpleOverlap, OfFacesOfManyCornersEqualsTheOverlapFromAllEdges) {
  Random u(31);
  Worst worst;
  for (int i = 0; i < 4000; ++i) {
    const auto many = frustum(u, 9 + u.below(6)), other = oracle::shape(i % 4 < 2 ? "tetrahedron" : "cube");
    const double size = std::pow(10, u.uniform(-1, 0)), depth = size * std::pow(10, u.uniform(-3, -1));
    const PosedPair p =
        i % 2 == 0 ? any_contact(u, many, other, size, depth) : face_on_face(u, many, other, size, depth, 0.3, 1);
    if (const narrow::Plane seed = p.plane(); seed.gap < 0) compare(p, seed, &worst);
  }
  worst.print("faces of many corners");
  worst.expect_rounding();
  EXPECT_GT(worst.pairs, 1000);
}

TEST(SimpleOverlap, OfCrossingEdgesPushesAlongAPotential) {
  Random u(6);
  double worst = 0;
  int plain = 0, beside_a = 0, beside_b = 0, beside_both = 0;
  for (int i = 0; i < 6000; ++i) {
    const double size = u.uniform(0.5, 2), h = 1e-6;
    PosedPair p = any_contact(u, oracle::shape(i % 2 == 0 ? "tetrahedron" : "pyramid"), oracle::shape("tetrahedron"),
                              size, std::pow(10, u.uniform(-4, -2)));
    const narrow::Plane seed = p.plane();
    narrow::Overlap o;
    if (!(seed.gap < 0) || narrow::simple_overlap(p.a(), p.b(), p.d(), seed, o) != narrow::OverlapForm::crossing)
      continue;
    const Vec3 n = normalized(o.area), half = 1.5 * (o.volume / norm(o.area)) * n;
    const bool on_a = is_inside(p.b(), p.d(), o.centre + half), on_b = is_inside(p.a(), {}, o.centre - half);
    ++(on_a ? on_b ? plain : beside_b : on_b ? beside_a : beside_both);
    const Pose pa = p.pose(0), pb = p.pose(1);
    const auto energy = [&](const Pose& moved) {
      p.move(moved, pb);
      narrow::Plane from = seed;
      from.feature.kind = PlaneFeature::Kind::none;  // the long way round
      const narrow::Overlap x = narrow::exact_overlap(p.a(), p.b(), p.d(), from);
      const double mean = x.volume / norm(x.area);
      return 1.5 * mean * mean;
    };
    const double depth = o.volume / norm(o.area);
    for (const Vec3 axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) {
      const auto derivative = [&](auto&& moved) {
        return (energy(moved(h * depth)) - energy(moved(-h * depth))) / (2 * h * depth);
      };
      const double force = derivative([&](double by) {
        return Pose{pa.size, pa.orientation, pa.position + by * axis};
      });
      const double moment = derivative([&](double by) {
        return Pose{pa.size, axis_angle(axis, by) * pa.orientation, pa.position};
      });
      worst = oracle::larger(worst, std::abs(force - depth * dot(n, axis)) / depth);
      worst = oracle::larger(worst, std::abs(moment - depth * dot(cross(o.centre, n), axis)) / depth);
    }
  }
  std::printf("on both stretches %d, beside A's %d, B's %d, both %d; off by %.1e of the force\n", plain, beside_a,
              beside_b, beside_both, worst);
  EXPECT_LT(worst, 1e-4);
  for (const int cases : {plain, beside_a, beside_b}) EXPECT_GT(cases, 50);
}

TEST(SimpleOverlap, OfFacesEqualsTheOverlapFromAllEdges) {
  Random u(1);
  const std::vector<std::string> names = {"tetrahedron", "cube",    "dodecahedron", "grain14",
                                          "plate",       "pyramid", "grain16"};
  for (const std::string& name : names) {
    Worst worst;
    for (int i = 0; i < 4000; ++i) {
      const double size = std::pow(i % 2 == 0 ? 2 : 30, u.uniform(-1, 1)), least = std::min(1.0, size);
      const double depth = least * std::pow(10, u.uniform(-9, -1));
      const double lean = i % 3 == 0 ? 0 : depth / least * std::pow(10, u.uniform(-3, 1));
      const PosedPair p = face_on_face(u, oracle::shape(name), oracle::shape(names[u.below(names.size())]), size, depth,
                                       lean, 0.4 * std::max(1.0, size));
      const narrow::Plane seed = p.plane();
      if (seed.gap < 0) compare(p, seed, &worst);
      if (HasFailure()) return;
    }
    worst.print(name);
    worst.expect_rounding();
    // A pyramid has one face with three edges at every corner, and grain16 faces of more than 8 corners.
    EXPECT_GT(worst.pairs, name == "pyramid" ? 100 : 500) << name;
    EXPECT_GT(worst.on_b, 50) << name;
  }
}

// What the benches time, and what rests in a bin: never the long way.
TEST(SimpleOverlap, IsTakenWhereAFaceLiesOnAFace) {
  Random u(2);
  for (const char* name : {"cube", "grain14", "tetrahedron", "dodecahedron"}) {
    Worst worst;
    for (int i = 0; i < 1000; ++i) {
      const PosedPair p = face_on_face(u, oracle::shape(name), oracle::shape("cube"), 3, 1e-3, 1e-4, 0.1);
      compare(p, p.plane(), &worst);
    }
    worst.print(name);
    worst.expect_rounding();
    EXPECT_GT(worst.pairs, 900) << name;
  }
}

// Rims that cross: what is left of a leaning face's patch is a strip, a corner, or the tetrahedron of two edges, whose
// force has a rule of its own also where a face carries nearly all of it.
TEST(SimpleOverlap, OfFacesThatMeetAtTheirRims) {
  Random u(8);
  const auto cube = oracle::shape("cube");
  Worst worst;
  for (int i = 0; i < 20000; ++i) {
    const double depth = std::pow(10, u.uniform(-5, -2));
    const PosedPair p = face_on_face(u, cube, cube, 1, depth, u.uniform(0.01, 0.2), 1);
    const narrow::Plane best = p.plane();
    if (!(best.gap < 0)) continue;
    compare(p, best, &worst);
    // In a run the plane may be one that was followed: here that of A's face.
    std::uint16_t face = 0;
    for (std::uint16_t f = 1; f < cube->body.face_normals.size(); ++f)
      face = dot(p.a().face_normal(f), best.n) > dot(p.a().face_normal(face), best.n) ? f : face;
    narrow::Plane seed = narrow::evaluate_plane(p.a(), p.b(), p.d(), p.a().face_normal(face));
    seed.feature = {PlaneFeature::Kind::face_a, face, 0, 0, 0};
    compare(p, seed, &worst);
  }
  worst.print("at their rims");
  worst.expect_rounding();
  EXPECT_GT(worst.form[static_cast<std::size_t>(narrow::OverlapForm::faces)], 500);
  EXPECT_GT(worst.by_edges, 100);
}

// The two planes cross within the patch: a cube that rocks.
TEST(SimpleOverlap, OfAFaceThatIsPartlyLifted) {
  Random u(3);
  const auto cube = oracle::shape("cube"), grain = oracle::shape("grain14");
  Worst worst;
  for (int i = 0; i < 4000; ++i) {
    const double depth = std::pow(10, u.uniform(-6, -2));
    const PosedPair p =
        face_on_face(u, u.below(2) == 0 ? cube : grain, cube, u.uniform(0.5, 2), depth, depth * u.uniform(1, 4), 0.3);
    const narrow::Plane seed = p.plane();
    if (seed.gap < 0) compare(p, seed, &worst);
  }
  worst.print("partly lifted");
  worst.expect_rounding();
  EXPECT_GT(worst.pairs, 2500);
  EXPECT_GT(worst.by_edges, 500);
}

TEST(SimpleOverlap, HasTheSameBitsForAnyVectorWidth) {
  const auto bits_of_all = [] {
    std::vector<std::uint64_t> bits;
    Random u(4);
    const auto note = [&](double x) { bits.push_back(std::bit_cast<std::uint64_t>(x)); };
    for (int i = 0; i < 300; ++i) {
      const char* name = i % 2 == 0 ? "cube" : "grain14";
      const PosedPair p = i % 3 == 0
                              ? any_contact(u, oracle::shape(name), oracle::shape("cube"), 1.3, 1e-3)
                              : face_on_face(u, oracle::shape(name), oracle::shape("cube"), 1.3, 1e-3, 2e-3, 0.3);
      narrow::Overlap o;
      note(static_cast<double>(narrow::simple_overlap(p.a(), p.b(), p.d(), p.plane(), o)));
      for (const double x : {o.volume, o.energy_depth, o.gyration}) note(x);
      for (const Vec3 v : {o.area, o.area_moment, o.centroid, o.centre}) note(v.x), note(v.y), note(v.z);
    }
    return bits;
  };
  EXPECT_GT(bits_of_all().size(), 100u * 15);
  oracle::expect_same_for_any_vector_width(bits_of_all);
}

/// Pairs of bodies of all shapes, face towards face: in the plane, leaning a little, or at any angle.
struct Crowd {
  std::vector<std::shared_ptr<const Shape>> shapes;
  Particles particles;
  narrow::Bodies bodies;

  explicit Crowd(std::size_t pairs) {
    Random u(99);
    for (const std::string& name : oracle::all_shapes()) shapes.push_back(oracle::shape(name));
    for (const int n : {3, 6, 7, 8, 9}) shapes.push_back(oracle::degenerate::prism(n, 0.5, 0.4));
    bodies.set_shapes(shapes);
    particles.resize(2 * pairs);
    for (std::size_t k = 0; k < pairs; ++k) {
      const auto a = static_cast<std::uint32_t>(u.below(shapes.size())),
                 b = static_cast<std::uint32_t>(u.below(shapes.size()));
      const Polyhedron &of_a = shapes[a]->body, &of_b = shapes[b]->body;
      const Quat qa = u.rotation();
      const Vec3 n = rotate(qa, of_a.face_normals[u.below(of_a.face_normals.size())]);
      const double lean = u.below(3) == 0 ? 1 : std::pow(10, -u.uniform(0.5, 7));
      const Quat qb = axis_angle(u.direction(), lean) * axis_angle(n, u.uniform(0, 6)) *
                      oracle::degenerate::turn(of_b.face_normals[u.below(of_b.face_normals.size())], -n);
      double top = -1e300, low = 1e300;
      for (const Vec3 v : of_a.vertices) top = oracle::larger(top, dot(n, rotate(qa, v)));
      for (const Vec3 v : of_b.vertices) low = std::min(low, dot(n, rotate(qb, v)));
      put(2 * k, a, qa, {});
      put(2 * k + 1, b, qb,
          (top - low - std::pow(10, -u.uniform(1, 6))) * n + u.uniform(0, 0.4) * cross(n, u.direction()));
    }
    bodies.lay_out(particles);
    for (std::size_t i = 0; i < 2 * pairs; ++i) bodies.pose(particles, i);
  }
  void put(std::size_t i, std::uint32_t shape, Quat q, Vec3 x) {
    particles.shape[i] = shape, particles.size[i] = 1, particles.radius[i] = shapes[shape]->outer_radius();
    particles.orientation[i] = q, particles.position[i] = x;
  }
  /// What a step finds of these pairs, which touch for the first time.
  std::vector<narrow::FoundPoint> points(const std::vector<std::uint32_t>& pairs) const {
    PairTable table;
    table.resize(pairs.size());
    for (std::size_t k = 0; k < pairs.size(); ++k) table.a[k] = 2 * pairs[k], table.b[k] = 2 * pairs[k] + 1;
    narrow::FoundPoints out;
    narrow::find_body_contacts(particles, bodies, table, 0, pairs.size(), {}, narrow::ContactGeometry::overlap, out);
    return out.points;
  }
};

// A step finds faces on each other by the vector: a pair's bits are the same whoever is beside it - other forms,
// numbers of corners, planes that cross - in any order and alone, and with any vector width.
TEST(SimpleOverlap, IsTheSameAmongOthersAndAlone) {
  constexpr std::uint32_t kPairs = 1500;
  const Crowd crowd(kPairs);
  std::vector<std::uint32_t> order(kPairs);
  for (std::uint32_t k = 0; k < kPairs; ++k) order[k] = k;
  oracle::expect_same_for_any_vector_width([&] {
    const std::vector<narrow::FoundPoint> all = crowd.points(order);
    EXPECT_GT(all.size(), kPairs / 2);
    std::vector<std::uint32_t> backwards(order.rbegin(), order.rend());
    std::vector<narrow::FoundPoint> turned = crowd.points(backwards);
    std::reverse(turned.begin(), turned.end());
    std::vector<std::vector<std::uint64_t>> bits;
    for (std::size_t k = 0; k < all.size(); ++k) {
      bits.push_back(bits_of(all[k]));
      if (k < turned.size()) turned[k].pair = kPairs - 1 - turned[k].pair;
      EXPECT_TRUE(k < turned.size() && bits_of(turned[k]) == bits.back()) << "pair " << all[k].pair;
      std::vector<narrow::FoundPoint> alone = crowd.points({all[k].pair});
      EXPECT_EQ(alone.size(), 1u);
      if (alone.size() != 1) continue;
      alone[0].pair = all[k].pair;
      EXPECT_EQ(bits_of(alone[0]), bits.back()) << "pair " << all[k].pair;
    }
    return bits;
  });
  std::array<int, 4> forms{};
  int by_edges = 0;
  for (std::uint32_t k = 0; k < kPairs; ++k) {
    const narrow::BodyView &a = crowd.bodies.view(2 * k), &b = crowd.bodies.view(2 * k + 1);
    const Vec3 d = crowd.particles.from_to(2 * k, 2 * k + 1);
    const narrow::Plane seed = narrow::separating_axis(a, b, d);
    narrow::Overlap o;
    if (!(seed.gap < 0)) continue;
    const narrow::OverlapForm form = narrow::simple_overlap(a, b, d, seed, o);
    ++forms[static_cast<std::size_t>(form)];
    by_edges += form == narrow::OverlapForm::faces && seed.feature.kind == PlaneFeature::Kind::edge_edge;
  }
  for (const int count : forms) EXPECT_GT(count, 20);
  EXPECT_GT(by_edges, 20);
}

// A side of each body, the base's plane and the other face's meet in one point, at both ends of the edge between the
// two faces: none of the cuts notes that edge, and without it the surface would be open.
TEST(SimpleOverlap, OfThreePlanesThatMeetOnASide) {
  const auto cube = oracle::shape("cube");
  Worst worst;
  for (int i = 0; i < 8 * 8 * 7 * 7; ++i) {
    const double k = 0.125 * (1 + i % 8), s = 0.03125 * (1 + i / 8 % 8);
    const double y0 = -0.0625 * (1 + i / 64 % 7), y1 = 0.0625 * (1 + i / 448 % 7);
    if (0.5 - k * y1 < 0.05) continue;
    std::vector<Vec3> corners;
    for (const double y : {y0, y1}) {
      for (const double x : {k * y - 0.5, 0.5 - k * y})
        corners.push_back({x, y, 0.5 + s * y}), corners.push_back({x, y, 1.5});
    }
    const PosedPair p(cube, oracle::degenerate::as_drawn(convex_hull(corners)), {}, {});
    const narrow::Plane seed = p.plane();
    if (seed.gap < 0) compare(p, seed, &worst);
  }
  worst.print("three planes in a point");
  worst.expect_rounding();
  EXPECT_GT(worst.tried, 1000);
}

TEST(SimpleOverlap, OfDegeneratePairs) {
  for (const auto& [name, cases] : oracle::degenerate::all()) {
    Worst worst;
    for (const oracle::degenerate::Case& c : cases()) {
      const PosedPair p = c.pair();
      const narrow::Plane seed = p.plane();
      if (!(seed.gap < 0)) continue;
      compare(p, seed, &worst);
      if (HasFailure()) {
        ADD_FAILURE() << name << ": " << c.what;
        return;
      }
    }
    worst.print(name);
    worst.expect_rounding();
  }
}

}  // namespace
}  // namespace scree
