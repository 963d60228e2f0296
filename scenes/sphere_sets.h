#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "neighbour/neighbour.h"

/// Bounding spheres for tests and benches of the neighbour search: beds as they lie in a run, without running one. All
/// sets are the same bits everywhere.
namespace scree::scenes {

struct Spheres {
  std::string name;
  std::vector<Vec3> x;    ///< m
  std::vector<double> r;  ///< m
  double margin = 0;      ///< m
  int dimensions = 3;

  /// Views this set, which must outlive it.
  neighbour::Bodies bodies(double cell = 1) const;
};

/// Spheres of the given radii pushed apart in a periodic cube until they hardly overlap: a random packing of that
/// solid fraction.
struct Block {
  double edge = 0;  ///< m
  std::vector<Vec3> x;
  std::vector<double> r;
};
Block random_packing(const std::vector<double>& radii, double solid_fraction, std::uint64_t seed);

/// The block repeated in a box with a square base of `width`: its `n` lowest spheres that lie wholly between the walls,
/// in rows of boxes of two mean diameters, as an engine keeps them in memory.
Spheres bed(const Block& block, std::size_t n, double width);

/// Radii 1 mm, margin (skin) 0.2 mm, solid fraction .583, base 60 diameters wide for 100 000 and in proportion for
/// others: `mono100k` of the peers' inputs.
Spheres equal_bed(std::size_t n);
/// The same spheres, numbered at random.
Spheres shuffled(Spheres s);
/// 24 spheres of 6 mm among 21 322 of 0.5 mm, on a base of 40 mm; margin 0.2 mm: `bi12` of the peers' inputs.
Spheres one_to_twelve();
/// Dense balls of 1000 equal spheres, far from each other: 10^-5 of the space is filled.
Spheres clusters(std::size_t n);
/// Equal spheres at random places, 1/1000 of the space filled.
Spheres loose(std::size_t n);

/// Grading curve (share of the volume in smaller grains) that is a straight line over the diameter, or over its
/// logarithm: as much volume in each millimetre, or in each decade.
enum class Grading : std::uint8_t { linear, logarithmic };
/// Radii of `n` spheres with diameters from 1 mm to `ratio` mm, numbered at random.
std::vector<double> graded_radii(std::size_t n, double ratio, Grading grading, std::uint64_t seed);
/// Their random packing at solid fraction .6.
Block graded_block(double ratio, std::size_t n = 3000, Grading grading = Grading::linear);

/// Grains at rest in a box: `n` spheres of the block, which have the grains' volumes, each then given the bounding
/// sphere of its grain. `bounding` is the bounding radius over the radius of the sphere of equal volume, one for all
/// grains or several to draw from.
Spheres grains_in_box(const Block& block, std::size_t n, const std::vector<double>& bounding);
/// The same with a surface that falls at 35 degrees, as before a loader's bucket.
Spheres heap(const Block& block, std::size_t n, const std::vector<double>& bounding);

/// Discs of Munjiza and Andrews (1998), section 7, of diameter 1 in square arrangement, numbered row by row.
/// Touching counts there: the margin is 1e-9.
enum class Packing : std::uint8_t { a, b, c, d };
/// a: spacing 1 along x, 2 along y (`spacing` says nothing); b: `spacing` and 2; c: `spacing` both ways; d: 1 and
/// `spacing` in turns along x, 2 along y.
Spheres discs(Packing packing, std::size_t n, double spacing = 1);
/// Pairs of discs of that packing that touch, counted by formula.
std::size_t touching(Packing packing, std::size_t n, double spacing = 1);

}  // namespace scree::scenes
