// Particles of a group: shapes, sizes, orientations, places. Every draw depends on the seed, the group and the particle
// alone.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <unordered_map>

#include "base/random.h"
#include "integrate/rigid_body.h"
#include "sim/scratch.h"

namespace scree {

namespace {

constexpr int kTries = 200;             // orientations tried before another grain is put in the place
constexpr int kSwaps = 50;              // grains tried before a lattice is called too narrow
constexpr double kLeastSpacing = 1e-9;  // of the particle's size, kept between neighbours of a lattice

struct Site {
  int i, j, k;
};

/// Where and how the lattice's sites lie over the box's footprint.
struct LatticePlan {
  Vec3 low;
  double step_x = 0, step_y = 0, step_z = 0;
  int nx = 0, ny = 0;

  Vec3 place(Site s) const { return low + Vec3{(s.i + 0.5) * step_x, (s.j + 0.5) * step_y, (s.k + 0.5) * step_z}; }
};

std::string describe(double metres) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g m", metres);
  return text;
}

Result<LatticePlan> plan_lattice(const Case::Box& box, const Case::Lattice& lattice, double widest) {
  LatticePlan plan;
  const double spacing = lattice.spacing.value_or(widest * (1 + 1e-6));
  const Vec3 side = box.max - box.min;
  const double across = std::min(side.x, side.y) / spacing;
  if (across < 1) {
    return Error{"the lattice's spacing, " + describe(spacing) + ", does not fit the box '" + box.name + "', " +
                 describe(std::min(side.x, side.y)) + " wide"};
  }
  plan.nx = static_cast<int>(std::min(1e6, std::floor(side.x / spacing * (1 + 1e-12))));
  plan.ny = static_cast<int>(std::min(1e6, std::floor(side.y / spacing * (1 + 1e-12))));
  plan.low = box.min + Vec3{0, 0, lattice.from};
  plan.step_x = side.x / plan.nx, plan.step_y = side.y / plan.ny, plan.step_z = spacing;
  return plan;
}

/// Does row i overlap one of the rows given, or reach beyond a wall?
bool is_free(const Simulation& s, const narrow::Bodies& bodies, std::size_t i, const std::vector<std::size_t>& others) {
  const Particles& p = s.particles;
  const narrow::BodyView a = bodies.view(i);
  for (const PlaneWall& w : s.walls) {
    const double height = dot(w.normal, p.position[i] - w.point);
    if (height > p.radius[i]) continue;
    double lowest = 0;
    for (std::size_t v = 0; v < a.shape->vertices; ++v) lowest = std::min(lowest, dot(w.normal, a.vertex(v)));
    if (height + lowest <= kLeastSpacing * p.size[i]) return false;
  }
  for (const std::size_t j : others) {
    const Vec3 d = p.position[j] - p.position[i];
    const double reach = p.radius[i] + p.radius[j];
    if (norm2(d) > reach * reach) continue;
    const narrow::BodyView b = bodies.view(j);
    narrow::SearchCounters counters;
    if (narrow::fast_common_plane(a, b, d, nullptr, counters).gap > kLeastSpacing * p.size[i]) continue;
    if (narrow::separating_axis(a, b, d).gap <= kLeastSpacing * p.size[i]) return false;
  }
  return true;
}

Status place_on_lattice(Simulation& s, const Case& c, const Case::Group& g, const Case::Lattice& lattice,
                        std::size_t first, Random& draw, std::uint64_t stream) {
  Particles& p = s.particles;
  const double widest = 2 * *std::max_element(p.radius.begin() + static_cast<std::ptrdiff_t>(first), p.radius.end());
  const Result<LatticePlan> planned = plan_lattice(c.boxes[static_cast<std::size_t>(lattice.box)], lattice, widest);
  if (!planned) return planned.error();
  const LatticePlan& plan = *planned;
  const std::size_t n = p.size_rows() - first,
                    layer = static_cast<std::size_t>(plan.nx) * static_cast<std::size_t>(plan.ny);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t k = n; k > 1; --k) std::swap(order[k - 1], order[draw.below(k)]);

  // Sites are filled one after the other; a grain wider than its cell is turned until it clears the grains before it.
  s.scratch.reset();
  narrow::Bodies& bodies = scratch_of(s).bodies;
  for (std::size_t r = 0; r < first; ++r) bodies.pose(p, r);
  std::unordered_map<std::size_t, std::size_t> row_of_site;
  const bool roomy = widest <= std::min({plan.step_x, plan.step_y, plan.step_z}) && first == 0;
  for (std::size_t site = 0; site < n; ++site) {
    std::size_t i = first + order[site];
    const Site at{static_cast<int>(site % static_cast<std::size_t>(plan.nx)),
                  static_cast<int>(site / static_cast<std::size_t>(plan.nx) % static_cast<std::size_t>(plan.ny)),
                  static_cast<int>(site / layer)};
    p.position[i] = plan.place(at);
    bodies.pose(p, i);
    row_of_site[site] = i;
    if (roomy) continue;
    std::vector<std::size_t> others;
    for (std::size_t r = 0; r < first; ++r) others.push_back(r);
    for (int dk = -2; dk <= 0; ++dk) {
      for (int dj = -2; dj <= 2; ++dj) {
        for (int di = -2; di <= 2; ++di) {
          const int i2 = at.i + di, j2 = at.j + dj, k2 = at.k + dk;
          if (i2 < 0 || j2 < 0 || k2 < 0 || i2 >= plan.nx || j2 >= plan.ny) continue;
          const std::size_t other = static_cast<std::size_t>(k2) * layer +
                                    static_cast<std::size_t>(j2) * static_cast<std::size_t>(plan.nx) +
                                    static_cast<std::size_t>(i2);
          if (other < site) others.push_back(row_of_site.at(other));
        }
      }
    }
    Random turn(c.seed, (stream << 32) + 0x80000000u + order[site]);
    int tries = 0, swaps = 0;
    while (!is_free(s, bodies, i, others)) {
      if ((!g.orientation.random || ++tries > kTries) && site + 1 < n && ++swaps <= kSwaps) {
        std::swap(order[site], order[site + 1 + draw.below(n - site - 1)]);
        i = first + order[site];
        p.position[i] = plan.place(at);
        bodies.pose(p, i);
        row_of_site[site] = i;
        turn = Random(c.seed, (stream << 32) + 0x80000000u + order[site]);
        tries = 0;
        continue;
      }
      if (!g.orientation.random || tries > kTries) {
        return Error{"particle " + std::to_string(order[site]) +
                     " of the group does not fit its place on the lattice without overlap: the spacing, " +
                     describe(plan.step_z) + ", must be wider (" + describe(widest) + " fits always)"};
      }
      p.orientation[i] = turn.rotation();
      bodies.pose(p, i);
    }
  }
  return ok();
}

}  // namespace

Status insert_group(Simulation& s, const Case& c, const Case::Group& g, std::uint64_t stream,
                    const ShapeSource& source) {
  Particles& p = s.particles;
  const std::size_t first = p.size_rows(), n = g.count;
  std::vector<std::uint32_t> rows;
  for (const std::string& name : g.shapes) {
    const auto known =
        std::find_if(s.shapes.begin(), s.shapes.end(), [&](const auto& shape) { return shape->name == name; });
    if (known == s.shapes.end()) {
      Result<std::shared_ptr<const Shape>> shape = source(name);
      if (!shape) return shape.error();
      rows.push_back(static_cast<std::uint32_t>(s.shapes.size()));
      s.shapes.push_back(*shape);
    } else {
      rows.push_back(static_cast<std::uint32_t>(known - s.shapes.begin()));
    }
  }
  if (n == 0) return ok();
  if (n > 0xfffffff0ull - s.next_id) return Error{"more particles than 32-bit ids can name"};
  p.resize(first + n);
  Random draw(c.seed, stream << 32);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = first + k;
    Random own(c.seed, (stream << 32) + 1 + k);
    const Shape& shape = *s.shapes[rows[k % rows.size()]];
    const double size = g.size.kind == Case::Size::Kind::fixed ? g.size.a : own.uniform(g.size.a, g.size.b);
    const double density = s.materials[static_cast<std::size_t>(g.material)].density;
    p.id[i] = s.next_id++;
    p.shape[i] = rows[k % rows.size()], p.material[i] = static_cast<std::uint32_t>(g.material), p.size[i] = size;
    p.mass[i] = density * shape.volume * size * size * size;
    p.inertia[i] = (density * size * size * size * size * size) * shape.inertia;
    p.radius[i] = size * shape.body.outer_radius;
    p.orientation[i] = g.orientation.random ? own.rotation() : g.orientation.fixed;
    p.velocity[i] = g.velocity;
    p.travel[i] = 0;
    p.position[i] = p.force[i] = p.torque[i] = {};
  }
  if (const auto* at = std::get_if<Case::AtPoints>(&g.place)) {
    std::copy(at->points.begin(), at->points.end(), p.position.begin() + static_cast<std::ptrdiff_t>(first));
  } else {
    const Status placed = place_on_lattice(s, c, g, std::get<Case::Lattice>(g.place), first, draw, stream);
    if (!placed) return placed;
  }
  for (std::size_t i = first; i < first + n; ++i) {
    p.angular_velocity[i] = g.angular_velocity;
    p.angular_momentum[i] = integrate::angular_momentum(p.orientation[i], g.angular_velocity, p.inertia[i]);
  }
  s.position_at_rebuild.clear();
  s.scratch.reset();
  return ok();
}

}  // namespace scree
