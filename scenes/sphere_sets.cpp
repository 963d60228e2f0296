#include "scenes/sphere_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "base/random.h"

namespace scree::scenes {

namespace {

constexpr double kSolid = 0.6;      ///< of beds of grains
constexpr double kSettled = 0.583;  ///< as LAMMPS leaves the peers' bed of equal spheres, friction .5

double volume(double r) { return 4 * M_PI / 3 * r * r * r; }

double volume(const std::vector<double>& r) {
  return std::accumulate(r.begin(), r.end(), 0.0, [](double sum, double x) { return sum + volume(x); });
}

void wrap(Vec3& p, double edge) {
  for (std::size_t axis = 0; axis < 3; ++axis) p[axis] -= edge * std::floor(p[axis] / edge);
  // floor(p / edge) may round up to 1 just below the edge.
  for (std::size_t axis = 0; axis < 3; ++axis) p[axis] = std::clamp(p[axis], 0.0, edge);
}

void keep(Spheres& s, const std::vector<std::uint32_t>& order) {
  std::vector<Vec3> x;
  std::vector<double> r;
  x.reserve(order.size()), r.reserve(order.size());
  for (const std::uint32_t i : order) x.push_back(s.x[i]), r.push_back(s.r[i]);
  s.x = std::move(x), s.r = std::move(r);
}

/// Numbered by boxes of that size, row by row and layer by layer.
void in_rows(Spheres& s, double box) {
  struct Place {
    std::int32_t k, j, i;
    std::uint32_t body;
    auto operator<=>(const Place&) const = default;
  };
  std::vector<Place> place(s.x.size());
  const auto cell = [box](double v) { return static_cast<std::int32_t>(std::floor(v / box)); };
  for (std::uint32_t b = 0; b < place.size(); ++b) place[b] = {cell(s.x[b].z), cell(s.x[b].y), cell(s.x[b].x), b};
  std::sort(place.begin(), place.end());
  std::vector<std::uint32_t> order(place.size());
  std::transform(place.begin(), place.end(), order.begin(), [](const Place& p) { return p.body; });
  keep(s, order);
}

std::vector<std::uint32_t> random_order(std::size_t n, std::uint64_t seed) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  Random random(seed);
  for (std::size_t k = n; k > 1; --k) std::swap(order[k - 1], order[random.below(k)]);
  return order;
}

/// Copies of the block in [0, width]^2 x [0, ...), the `n` lowest for which inside(x, r) holds.
template <class Inside>
Spheres pile(const Block& block, std::size_t n, double width, Inside inside) {
  Spheres s;
  std::vector<std::uint32_t> order;
  const auto across = static_cast<int>(std::ceil(width / block.edge));
  // A layer of copies more than are needed, so that all of the n lowest are among them.
  for (int layer = 0, spare = 2; spare > 0; ++layer) {
    const std::size_t before = s.x.size();
    for (int j = 0; j < across; ++j) {
      for (int i = 0; i < across; ++i) {
        const Vec3 shift = block.edge * Vec3{double(i), double(j), double(layer)};
        for (std::size_t b = 0; b < block.x.size(); ++b) {
          const Vec3 p = block.x[b] + shift;
          const double r = block.r[b];
          if (p.x < r || p.y < r || p.z < r || p.x > width - r || p.y > width - r || !inside(p, r)) continue;
          s.x.push_back(p), s.r.push_back(r);
        }
      }
    }
    if (s.x.size() >= n) {
      --spare;
    } else if (s.x.size() == before) {
      fmt::print(stderr, "a pile of {} spheres: there is room for {} only\n", n, before);
      std::abort();
    }
  }
  order.resize(s.x.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto lower = [&](std::uint32_t a, std::uint32_t b) { return std::pair(s.x[a].z, a) < std::pair(s.x[b].z, b); };
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n - 1), order.end(), lower);
  order.resize(n);
  keep(s, order);
  return s;
}

Block equal_block(double radius) { return random_packing(std::vector<double>(1000, radius), kSettled, 11); }

/// Width of a square base on which n spheres of those radii lie `aspect` times as high as wide.
double base(const Block& b, std::size_t n, double aspect) {
  return std::cbrt(volume(b.r) / static_cast<double>(b.r.size()) * static_cast<double>(n) / kSolid / aspect);
}

/// Bounding spheres in the place of spheres of equal volume.
void bound(Spheres& s, const std::vector<double>& bounding) {
  Random random(23);
  for (double& r : s.r) r *= bounding[random.below(bounding.size())];
}

/// Two mean diameters.
double row_box(const Block& b) { return 4 * std::cbrt(volume(b.r) / static_cast<double>(b.r.size()) / volume(1)); }

std::size_t columns(std::size_t n) { return static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(n)))); }

}  // namespace

neighbour::Bodies Spheres::bodies(double cell) const { return {x, r, margin, {}, dimensions, cell}; }

Block random_packing(const std::vector<double>& radii, double solid_fraction, std::uint64_t seed) {
  constexpr int kSweeps = 240, kSettling = 24, kFresh = 8;
  Block block{std::cbrt(volume(radii) / solid_fraction), {}, radii};
  Random random(seed);
  for (std::size_t i = 0; i < radii.size(); ++i) {
    const double u = random.uniform(), v = random.uniform(), w = random.uniform();
    block.x.push_back(block.edge * Vec3{u, v, w});
  }
  neighbour::Bodies view{block.x,
                         block.r,
                         0.4 * *std::min_element(radii.begin(), radii.end()),
                         {{}, {block.edge, block.edge, block.edge}, {true, true, true}}};
  neighbour::Search search;
  std::vector<neighbour::Pair> pairs;
  std::vector<Vec3> move(radii.size());
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    if (sweep < kSettling || sweep % kFresh == 0) {
      if (const Status found = search.find(neighbour::Method::multi_level_grid, view, pairs); !found) {
        fmt::print(stderr, "random packing: {}\n", found.error().message);
        std::abort();
      }
    }
    std::fill(move.begin(), move.end(), Vec3{});
    for (const auto& [a, b] : pairs) {
      const Vec3 d = neighbour::nearest_image(view.domain, block.x[b] - block.x[a]);
      const double reach = radii[a] + radii[b], apart = norm(d), overlap = reach - apart;
      if (overlap <= 0) continue;
      // Two spheres in one place part along x. The smaller gives way.
      const Vec3 push = overlap * (apart > 0 ? d / apart : Vec3{1, 0, 0});
      move[a] -= radii[b] / reach * push, move[b] += radii[a] / reach * push;
    }
    for (std::size_t i = 0; i < radii.size(); ++i) {
      block.x[i] += 0.6 * move[i];
      wrap(block.x[i], block.edge);
    }
  }
  return block;
}

Spheres bed(const Block& block, std::size_t n, double width) {
  Spheres s = pile(block, n, width, [](Vec3, double) { return true; });
  in_rows(s, row_box(block));
  return s;
}

Spheres equal_bed(std::size_t n) {
  constexpr double kRadius = 1e-3;
  Spheres s = bed(equal_block(kRadius), n, 0.12 * std::cbrt(static_cast<double>(n) / 100000));
  s.name = "equal", s.margin = 0.2e-3;
  return s;
}

Spheres shuffled(Spheres s) {
  keep(s, random_order(s.x.size(), 5));
  s.name += ", shuffled";
  return s;
}

Spheres one_to_twelve() {
  constexpr double kWidth = 0.04, kLarge = 6e-3, kSmall = 0.5e-3, kStep = kWidth / 3;
  constexpr std::size_t kFew = 24, kMany = 21322;
  std::vector<Vec3> large;
  for (std::size_t k = 0; k < kFew; ++k) {
    const std::size_t layer = k / 9, row = k % 9 / 3, column = k % 3;
    large.push_back(kStep * Vec3{double(column) + 0.5, double(row) + 0.5, double(layer) + 0.52});
  }
  Spheres s = pile(equal_block(kSmall), kMany, kWidth, [&](Vec3 p, double r) {
    return std::all_of(large.begin(), large.end(), [&](Vec3 c) { return norm(p - c) > kLarge + r; });
  });
  for (const Vec3 c : large) s.x.push_back(c), s.r.push_back(kLarge);
  in_rows(s, 4 * kSmall);
  s.name = "1:12", s.margin = 0.2e-3;
  return s;
}

Spheres clusters(std::size_t n) {
  constexpr double kRadius = 1e-3;
  const Block block = equal_block(kRadius);
  // A ball of 1000 and a space that it fills by 10^-5.
  const double ball = std::cbrt(1000 / kSettled) * kRadius;
  const std::size_t balls = (n + 999) / 1000;
  const double space = std::cbrt(1e5 * static_cast<double>(balls) * 1000 * volume(kRadius));
  Spheres s;
  s.name = "clusters", s.margin = 0.2e-3;
  Random random(17);
  while (s.x.size() < n) {
    const double u = random.uniform(), v = random.uniform(), w = random.uniform();
    const Vec3 centre = space * Vec3{u, v, w};
    const auto cells = static_cast<int>(std::ceil(ball / block.edge));
    for (int c = 0; c < 8 * cells * cells * cells; ++c) {
      const int side = 2 * cells;
      const Vec3 shift =
          block.edge * Vec3{double(c % side - cells), double(c / side % side - cells), double(c / side / side - cells)};
      for (const Vec3 p : block.x) {
        if (norm(p + shift) < ball && s.x.size() < n) s.x.push_back(centre + p + shift), s.r.push_back(kRadius);
      }
    }
  }
  return s;
}

Spheres loose(std::size_t n) {
  constexpr double kRadius = 1e-3, kFraction = 1e-3;
  const double space = std::cbrt(static_cast<double>(n) * volume(kRadius) / kFraction);
  Spheres s;
  s.name = "loose", s.margin = 0.2e-3;
  Random random(19);
  for (std::size_t i = 0; i < n; ++i) {
    const double u = random.uniform(), v = random.uniform(), w = random.uniform();
    s.x.push_back(space * Vec3{u, v, w}), s.r.push_back(kRadius);
  }
  in_rows(s, 4 * kRadius);
  return s;
}

std::vector<double> graded_radii(std::size_t n, double ratio, Grading grading, std::uint64_t seed) {
  // Volume uniform over the diameter D: numbers go as D^-3, their distribution function as 1 - D^-2. Uniform over its
  // logarithm: one power more. Evenly spaced quantiles, so that a small set has its share of large ones too.
  const double power = grading == Grading::linear ? 2 : 3;
  std::vector<double> r(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(n);
    r[i] = 0.5e-3 * std::pow(1 - share * (1 - std::pow(ratio, -power)), -1 / power);
  }
  std::vector<double> mixed;
  for (const std::uint32_t i : random_order(n, seed)) mixed.push_back(r[i]);
  return mixed;
}

Block graded_block(double ratio, std::size_t n, Grading grading) {
  return random_packing(graded_radii(n, ratio, grading, 3), kSolid, 29);
}

Spheres grains_in_box(const Block& block, std::size_t n, const std::vector<double>& bounding) {
  Spheres s = bed(block, n, base(block, n, 1));
  bound(s, bounding);
  return s;
}

Spheres heap(const Block& block, std::size_t n, const std::vector<double>& bounding) {
  const double width = 1.5 * base(block, n, 1), slope = std::tan(35 * M_PI / 180);
  Spheres s = pile(block, n, width, [&](Vec3 p, double r) { return p.z + r < slope * (width - p.x) + 0.05 * width; });
  in_rows(s, row_box(block));
  bound(s, bounding);
  return s;
}

Spheres discs(Packing packing, std::size_t n, double spacing) {
  Spheres s;
  s.dimensions = 2, s.margin = 1e-9;
  const std::size_t across = columns(n);
  const double dy = packing == Packing::c ? spacing : 2;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = k % across, j = k / across;
    double x = static_cast<double>(i);
    if (packing == Packing::b || packing == Packing::c) x *= spacing;
    if (packing == Packing::d) x = static_cast<double>(i / 2) * (1 + spacing) + static_cast<double>(i % 2);
    s.x.push_back({x, static_cast<double>(j) * dy, 0}), s.r.push_back(0.5);
  }
  return s;
}

std::size_t touching(Packing packing, std::size_t n, double spacing) {
  const std::size_t across = columns(n), rows = n / across, rest = n % across;
  const auto links = [](std::size_t m) { return m == 0 ? 0 : m - 1; };
  const std::size_t along = rows * links(across) + links(rest);
  switch (packing) {
    case Packing::a:
      return along;
    case Packing::b:
      return spacing == 1 ? along : 0;
    case Packing::c:
      return spacing == 1 ? along + (n - across) : 0;
    case Packing::d:
      break;
  }
  return spacing == 1 ? along : rows * (across / 2) + rest / 2;
}

}  // namespace scree::scenes
