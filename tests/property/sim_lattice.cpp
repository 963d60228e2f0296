// Lattices: every grain in a cell of its own, off its centre and clear of all others; and beds that do not stand in
// columns.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "bond/cluster.h"
#include "exec/parallel.h"
#include "scenes/scenes.h"

namespace scree {
namespace {

/// The cells as the documentation has them: as many over the footprint as the spacing allows.
struct Cells {
  Vec3 low, width;
  std::uint64_t nx = 1, ny = 1;
  bool planar = false;

  Cells(const Case& c, double spacing) : planar(c.dimensions == 2) {
    const auto& l = std::get<Case::Lattice>(c.particles[0].place);
    const Vec3 side = l.region->max - l.region->min;
    nx = static_cast<std::uint64_t>(side.x / spacing), ny = planar ? 1 : static_cast<std::uint64_t>(side.y / spacing);
    width = {side.x / static_cast<double>(nx), planar ? spacing : side.y / static_cast<double>(ny), spacing};
    low = l.region->min;
    (planar ? low.y : low.z) += l.from;
  }
  /// Of the cell that holds x, in the order in which cells are filled.
  std::uint64_t number(Vec3 x) const {
    const auto along = [&](std::size_t a) { return static_cast<std::uint64_t>((x[a] - low[a]) / width[a]); };
    return planar ? along(1) * nx + along(0) : (along(2) * ny + along(1)) * nx + along(0);
  }
  Vec3 centre(std::uint64_t k) const {
    const double i = static_cast<double>(k % nx) + 0.5, j = static_cast<double>(k / nx % ny) + 0.5,
                 layer = static_cast<double>(k / nx / ny) + 0.5;
    return low + (planar ? Vec3{i * width.x, layer * width.y, 0} : Vec3{i * width.x, j * width.y, layer * width.z});
  }
};

double smallest_gap(const Particles& p) {
  double gap = INFINITY;
  for (std::size_t i = 0; i < p.size_rows(); ++i)
    for (std::size_t j = 0; j < i; ++j) gap = std::min(gap, norm(p.from_to(i, j)) - p.radius[i] - p.radius[j]);
  return gap;
}
double widest(const Particles& p) { return 2 * *std::max_element(p.radius.begin(), p.radius.end()); }

/// Grains of sizes 1:3 over a region anywhere, some of whose axes are periods.
Case any_case(Random& draw, int dimensions) {
  Case c = scenes::empty_case();
  c.dimensions = dimensions, c.gravity = {}, c.seed = draw.bits();
  Case::Group g;
  g.name = "grains", g.count = 1 + draw.below(150);
  g.shapes = dimensions == 2 ? std::vector<std::string>{"disc", "square"} : std::vector<std::string>{"sphere", "cube"};
  if (draw.below(2) == 0) g.shapes.resize(1);
  g.size = {Case::Size::Kind::uniform, 0.01, 0.03};
  Case::Lattice l;
  const Vec3 low{draw.uniform(-1, 1), draw.uniform(-1, 1), dimensions == 2 ? 0 : draw.uniform(-1, 1)};
  l.region = Region{low, low + Vec3{draw.uniform(0.2, 0.5), dimensions == 2 ? 20 : draw.uniform(0.2, 0.5),
                                    dimensions == 2 ? 0 : 20.0}};
  l.from = draw.below(2) == 0 ? 0 : draw.uniform(0, 0.1);
  if (draw.below(4) > 0) l.jitter = draw.uniform(0, 0.5);
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions); ++axis)
    if (draw.below(2) == 0)
      c.periodic.periodic[axis] = true, c.periodic.low[axis] = l.region->min[axis],
      c.periodic.high[axis] = l.region->max[axis];
  g.place = l;
  c.particles = {g};
  return c;
}

TEST(Lattice, EveryGrainStaysWithinACellOfItsOwn) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Random draw(seed);
    Case c = any_case(draw, seed % 2 == 0 ? 2 : 3);
    auto& l = std::get<Case::Lattice>(c.particles[0].place);
    const double diameter = widest(scenes::build(c).particles);
    double spacing = diameter * (1 + 1e-6) * (1 + 2 * l.jitter);
    if (draw.below(2) == 0) l.spacing = spacing = diameter * draw.uniform(1, 1.6);
    const Simulation s = scenes::build(c);
    const Particles& p = s.particles;
    const Cells cells(c, spacing);
    const double reach = l.jitter * spacing * (1 + 1e-9);
    std::set<std::uint64_t> taken;
    for (std::size_t i = 0; i < p.size_rows(); ++i) {
      const std::uint64_t cell = cells.number(p.position[i]);
      taken.insert(cell);
      const Vec3 off = p.position[i] - cells.centre(cell);
      for (std::size_t a = 0; a < static_cast<std::size_t>(c.dimensions); ++a) {
        EXPECT_LE(std::abs(off[a]), reach);
        EXPECT_LE(std::abs(off[a]) + p.radius[i], cells.width[a] / 2);
      }
      EXPECT_TRUE(!cells.planar || p.position[i].z == 0);
    }
    EXPECT_EQ(taken.size(), p.size_rows());
    EXPECT_EQ(*taken.rbegin() + 1, p.size_rows()) << "filled from below";
    EXPECT_GE(smallest_gap(p), 0);
    EXPECT_EQ(s.contacts.size(), 0u);
  }
}

TEST(Lattice, WithoutJitterGrainsStandInTheCentresOfTheCells) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Random draw(seed);
    Case c = any_case(draw, seed % 2 == 0 ? 2 : 3);
    std::get<Case::Lattice>(c.particles[0].place).jitter = 0;
    const Simulation s = scenes::build(c);
    const Cells cells(c, widest(s.particles) * (1 + 1e-6));
    for (const Vec3& x : s.particles.position) EXPECT_EQ(x, cells.centre(cells.number(x)));
  }
}

TEST(Lattice, GrainsStandOffByAnythingUpToTheJitterAlongEachAxis) {
  Random draw(1);
  Case c = any_case(draw, 3);
  c.particles[0].count = 3000, c.particles[0].shapes = {"sphere"};
  auto& l = std::get<Case::Lattice>(c.particles[0].place);
  l.spacing = 0.05, l.jitter = 0.2;  // a fifth of the spacing is just what the widest has room for
  const Simulation s = scenes::build(c);
  const Cells cells(c, 0.05);
  Vec3 mean, squares;
  const double n = 3000;
  for (const Vec3& x : s.particles.position) {
    const Vec3 off = (x - cells.centre(cells.number(x))) / 0.01;  // in [-1, 1], mean 0, mean square 1/3
    mean += off / n, squares += Vec3{off.x * off.x, off.y * off.y, off.z * off.z} / n;
  }
  for (std::size_t a = 0; a < 3; ++a) {
    EXPECT_NEAR(mean[a], 0, 5 / std::sqrt(3 * n));
    EXPECT_NEAR(squares[a], 1.0 / 3, 5 * std::sqrt(4.0 / 45 / n));
  }
}

TEST(Lattice, SamePlacesOnAnyThreadsOthersWithAnotherSeed) {
  Random draw(5);
  Case c = any_case(draw, 3);
  std::set<std::uint64_t> hashes;
  for (const int threads : {1, 2, 3}) {
    exec::set_threads(threads);
    hashes.insert(state_hash(scenes::build(c)));
  }
  exec::set_threads(0);
  EXPECT_EQ(hashes.size(), 1u);
  ++c.seed;
  EXPECT_FALSE(hashes.contains(state_hash(scenes::build(c))));
}

// Those that clear each other in the centres do so off them, so that no lattice is refused for the jitter's sake.
TEST(Lattice, GrainsWiderThanTheirCellsStayInTheMiddleAndFindPlacesAsWithoutJitter) {
  int wide = 0, off_the_centre = 0, refused = 0, refused_without = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    Random draw(seed);
    Case c = any_case(draw, seed % 2 == 0 ? 2 : 3);
    auto& g = c.particles[0];
    g.shapes.resize(1), g.size = {Case::Size::Kind::uniform, 0.01, 0.021};
    auto& l = std::get<Case::Lattice>(g.place);
    l.spacing = 0.02;
    const auto built = set_up(c, scenes::library());
    const double jitter = std::exchange(l.jitter, 0);
    refused += !built, refused_without += !set_up(c, scenes::library());
    if (!built) continue;
    const Particles& p = built->particles;
    const Cells cells(c, 0.02);
    for (std::size_t i = 0; i < p.size_rows(); ++i) {
      const Vec3 off = p.position[i] - cells.centre(cells.number(p.position[i]));
      for (std::size_t a = 0; a < static_cast<std::size_t>(c.dimensions); ++a) {
        const double room = cells.width[a] / 2 - p.radius[i];
        EXPECT_LE(std::abs(off[a]), std::max(0.0, std::min(jitter * 0.02, room)) + 1e-15);
        wide += room<0, off_the_centre += std::abs(off[a])> 1e-4;
      }
    }
    EXPECT_GE(smallest_gap(p), 0);
  }
  EXPECT_GT(wide, 100);
  EXPECT_GT(off_the_centre, 1000);
  EXPECT_LE(refused, refused_without);
}

TEST(Lattice, ClustersStandOffAsBodies) {
  for (const double jitter : {0.0, 0.1}) {
    Random draw(2);
    Case c = any_case(draw, 3);
    Case::Cluster pair;
    pair.name = "pair";
    pair.spheres.position = {{-0.01, 0, 0}, {0.01, 0, 0}}, pair.spheres.radius = {0.01, 0.01};
    c.clusters = {pair};
    auto& g = c.particles[0];
    g.count = 60, g.cluster = 0, g.shapes = {"sphere"};
    std::get<Case::Lattice>(g.place).jitter = jitter;
    c.periodic = {};
    const Simulation s = scenes::build(c);
    const Cells cells(c, 0.04 * (1 + 1e-6) * (1 + 2 * jitter));
    double most = 0;
    for (std::size_t k = 0; k < 60; ++k) {
      const Vec3 x = 0.5 * (s.particles.position[2 * k] + s.particles.position[2 * k + 1]);
      EXPECT_EQ(cells.number(x), k);
      const Vec3 off = x - cells.centre(k);
      for (std::size_t a = 0; a < 3; ++a) {
        EXPECT_LE(std::abs(off[a]) + 0.02, cells.width[a] / 2 + 1e-15);
        most = std::max(most, std::abs(off[a]));
      }
    }
    EXPECT_NEAR(most, jitter * 0.044, 0.1 * jitter * 0.044 + 1e-15);
    EXPECT_GE(smallest_gap(s.particles), -1e-15);  // of the two of a pair
  }
}

struct Bed {
  double solid_fraction = 0, contacts = 0;  ///< below twice the mean height; of a grain
};

/// 600 equal spheres from a lattice as it is by default, 0.4 s after they were let go.
Bed settled(double jitter, double rolling_friction) {
  constexpr double diameter = 0.01, side = 0.089;
  Case c = scenes::empty_case();
  c.gravity = {0, 0, -9.81};
  contact::HertzMindlin law;
  const contact::ElasticPair pair = contact::elastic_pair(1e6, 0.3, 1e6, 0.3);
  law.young = pair.young, law.shear = pair.shear, law.friction_angle = std::atan(0.5);
  law.damping_ratio = contact::damping_ratio_for(0.5, law.tension);
  c.contacts[0].law = law;
  if (rolling_friction > 0) {
    auto& rolling = c.contacts[0].beside.rolling;
    rolling.model = contact::Rolling::Model::spring, rolling.friction = rolling_friction;
  }
  scenes::add_open_box(c, "box", {0, 0, 0}, {side, side, 0.3});
  Case::Group g;
  g.name = "spheres", g.count = 600, g.shapes = {"sphere"}, g.size.a = diameter;
  Case::Lattice l;
  l.jitter = jitter;
  g.place = l;
  c.particles = {g};
  c.time_step.fraction = 0.4;
  Simulation s = scenes::build(c);
  scenes::run_for(s, 0.4);
  EXPECT_FALSE(s.fault) << s.fault->message;
  double height = 0;
  for (const Vec3& x : s.particles.position) height += x.z / 600;
  Bed bed;
  bed.solid_fraction = 600 * M_PI / 6 * diameter * diameter * diameter / (side * side * 2 * height);
  bed.contacts = 2.0 * static_cast<double>(s.contacts.size()) / 600;
  return bed;
}

TEST(Lattice, SpheresDoNotStandInColumns) {
  for (const double rolling : {0.0, 0.1}) {
    const Bed bed = settled(Case::Lattice{}.jitter, rolling), columns = settled(0, rolling);
    EXPECT_GT(bed.solid_fraction, 0.5) << rolling;
    EXPECT_GT(bed.contacts, 3.5) << rolling;
    EXPECT_LT(columns.solid_fraction, 0.45) << rolling;
    EXPECT_LT(columns.contacts, 2) << rolling;
  }
}

}  // namespace
}  // namespace scree
