// Overlaps with a plane, which a step finds for many bodies at once, against those with a large cube under the plane,
// found from all edges.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "oracle/degenerate_pairs.h"
#include "oracle/found_bits.h"
#include "oracle/vector_widths.h"

namespace scree {
namespace {

using narrow::FoundPoint;
using narrow::FoundPoints;
using oracle::bits_of;
using oracle::Pose;
using oracle::PosedPair;

/// Bodies of one shape near the plane n.x = 0, outside of any simulation.
struct Heap {
  std::vector<std::shared_ptr<const Shape>> shapes;
  Particles particles;
  narrow::Bodies bodies;
  Vec3 n;

  Heap(std::shared_ptr<const Shape> shape, Vec3 normal, const std::vector<Pose>& poses)
      : shapes{std::move(shape)}, n(normal) {
    bodies.set_shapes(shapes);
    particles.resize(poses.size());
    for (std::size_t i = 0; i < poses.size(); ++i) {
      particles.size[i] = poses[i].size, particles.radius[i] = poses[i].size * shapes[0]->outer_radius();
      particles.orientation[i] = poses[i].orientation, particles.position[i] = poses[i].position;
    }
    bodies.lay_out(particles);
    for (std::size_t i = 0; i < poses.size(); ++i) bodies.pose(particles, i);
  }
  /// As a step finds them, the rows [begin, end) in one call.
  FoundPoints points(std::size_t begin, std::size_t end) const {
    PairTable pairs;
    pairs.resize(particles.size_rows());
    for (std::uint32_t i = 0; i < particles.size_rows(); ++i) pairs.a[i] = i, pairs.b[i] = 0;
    const std::vector<narrow::WallView> walls{{{}, n, 0}};
    FoundPoints out;
    out.wants_patches = true;
    narrow::NearFacets near;
    narrow::find_wall_contacts(particles, bodies, walls, pairs, begin, end, narrow::ContactGeometry::overlap, near,
                               out);
    return out;
  }
};

/// A face of the shape down on the plane, leaning by up to `lean`, `depth` deep.
Pose on_face(Random& u, const Shape& shape, Vec3 n, double lean, double depth) {
  const Vec3 down = shape.body.face_normals[u.below(shape.body.face_normals.size())];
  Pose p;
  p.orientation = axis_angle(u.direction(), lean * u.uniform(0, 1)) * axis_angle(n, u.uniform(0, 6)) *
                  oracle::degenerate::turn(down, -n);
  double lowest = 1e300;
  for (const Vec3 v : shape.body.vertices) lowest = std::min(lowest, dot(n, rotate(p.orientation, v)));
  p.position = (-lowest - depth) * n + cross(n, u.direction());
  return p;
}

std::vector<FoundPoint> same_as_cube(const Heap& heap, const std::vector<Pose>& poses, int* tight) {
  const FoundPoints found = heap.points(0, poses.size());
  const auto cube = oracle::shape("cube");
  constexpr double kSize = 4;
  EXPECT_EQ(found.points.size(), poses.size());
  EXPECT_EQ(found.patches.size(), found.points.size());
  for (std::size_t k = 0; k < found.points.size(); ++k) {
    const FoundPoint& x = found.points[k];
    const Pose& pose = poses[x.pair];
    const Vec3 under = pose.position - dot(heap.n, pose.position) * heap.n - 0.5 * kSize * heap.n;
    const PosedPair p(heap.shapes[0], cube, pose, {kSize, oracle::degenerate::turn({0, 0, 1}, heap.n), under});
    narrow::Plane seed = p.plane();
    seed.feature.kind = PlaneFeature::Kind::none;
    const narrow::Overlap e = narrow::exact_overlap(p.a(), p.b(), p.d(), seed);
    const double area = norm(e.area), width = std::sqrt(area);
    // Planes are known to 1e-16 of the large cube, and the long way's sums run from the middle of the link, which may
    // lie far from a small patch.
    const Vec3 link = 0.5 * (p.a().vertex(seed.va) + p.d() + p.b().vertex(seed.vb));
    const double lever = 1 + (norm(link - e.centroid) + e.gyration) / width;
    const double unit = 1e-15 * p.scale() / std::min(e.volume / area, width) * lever * lever,
                 second = unit * lever * lever;
    if (second > 1e-3) continue;  // the long way knows nothing of so small a patch so far from its link
    ++*tight;
    EXPECT_LT(std::abs(found.patches[k].area / area - 1), unit);
    EXPECT_LT(std::abs(x.depth / (e.volume / area) - 1), unit);
    EXPECT_LT(norm(x.normal + heap.n), 1e-13);
    EXPECT_LT(std::abs(x.gyration - e.gyration) / width, unit);
    EXPECT_LT(std::abs(x.energy_depth / e.energy_depth - 1), second);
    EXPECT_LT(norm(x.point - e.centre) / width, second);
    const Vec3 moment = e.area_moment + cross(e.centroid - e.centre, e.area);
    EXPECT_LT(norm(found.patches[k].area_moment - moment) / (area * width), second);
  }
  return found.points;
}

// Corners, edges and faces behind the plane; every row alone gives the bits that it gives among the others, with any
// vector width.
TEST(WallOverlap, IsThatWithALargeCubeAndTheSameAmongOthersAndAlone) {
  oracle::expect_same_for_any_vector_width([] {
    Random u(20261123);
    std::vector<std::uint64_t> bits;
    int tight = 0;
    for (const std::string name : {"tetrahedron", "cube", "dodecahedron", "grain14", "octahedron", "plate"}) {
      for (const auto& [depth, lean] : {std::pair(0.004, 0.0),
                                        {0.004, 1e-6},
                                        {0.004, 0.01},
                                        {0.004, 0.1},
                                        {0.004, 1.0},
                                        {1e-5, 1e-8},
                                        {1e-5, 2e-5},
                                        {1e-5, 3e-4}}) {
        SCOPED_TRACE(name + ", leaning by up to " + std::to_string(lean) + " at a depth of " + std::to_string(depth));
        const auto shape = oracle::shape(name);
        const Vec3 n = u.direction();
        std::vector<Pose> poses;
        for (int i = 0; i < 37; ++i) poses.push_back(on_face(u, *shape, n, lean, depth));
        const Heap heap(shape, n, poses);
        const std::vector<FoundPoint> all = same_as_cube(heap, poses, &tight);
        for (std::size_t k = 0; k < all.size(); ++k) {
          const FoundPoints alone = heap.points(k, k + 1);
          EXPECT_EQ(alone.points.size(), 1u);
          if (alone.points.size() != 1) continue;
          EXPECT_EQ(bits_of(alone.points[0]), bits_of(all[k]));
          for (const std::uint64_t b : bits_of(all[k])) bits.push_back(b);
        }
      }
    }
    EXPECT_GT(tight, 6 * 8 * 37 * 8 / 10);
    return bits;
  });
}

}  // namespace
}  // namespace scree
