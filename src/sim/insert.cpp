// Particles of a group: shapes, sizes, orientations, places. Every draw depends on the seed, the group and the particle
// alone.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <numeric>

#include "base/bijection.h"
#include "integrate/rigid_body.h"
#include "narrow/round_contacts.h"
#include "particles/streams.h"
#include "sim/measure.h"
#include "sim/placement.h"
#include "sim/scratch.h"

namespace scree {

namespace {

constexpr int kTurnTries = 200;         // orientations tried before another grain is put in the place
constexpr int kSwaps = 50;              // grains tried in a cell before a lattice is called too narrow
constexpr double kLeastSpacing = 1e-9;  // of the particle's size, kept between neighbours
constexpr int kPlaces = 30000;          // random places tried before a region is called full

struct Site {
  int i, j, k;
};

/// Where and how the lattice's cells lie over the footprint, numbered from below. In two dimensions there is one row
/// across, and layers are piled along y.
struct LatticePlan {
  Vec3 low;
  double step_x = 0, step_y = 0, step_z = 0;
  int nx = 0, ny = 0;
  bool planar = false;
  bool ring_x = false, ring_y = false;  ///< it reaches from end to end of a period: the last cell is next to the first
  double jitter = 0, widest = 0;        ///< m; of the grains that come

  /// A layer can have more cells than an int counts.
  std::uint64_t layer() const { return static_cast<std::uint64_t>(nx) * static_cast<std::uint64_t>(ny); }
  Site site(std::uint64_t k) const {
    const auto row = static_cast<std::uint64_t>(nx);
    return {static_cast<int>(k % row), static_cast<int>(k % layer() / row), static_cast<int>(k / layer())};
  }
  Vec3 centre(std::uint64_t k) const {
    const Site s = site(k);
    if (planar) return low + Vec3{(s.i + 0.5) * step_x, (s.k + 0.5) * step_z, 0};
    return low + Vec3{(s.i + 0.5) * step_x, (s.j + 0.5) * step_y, (s.k + 0.5) * step_z};
  }
  /// Where in cell k a grain is put. It does not leave the cell, so that it meets neither others, nor walls, nor images
  /// of theirs. Where the widest reach into the cells beside theirs it does not come there either: those that clear
  /// each other in the middle of their cells do so here.
  Vec3 place(std::uint64_t k, double diameter, Random& draw) const {
    const auto off = [&](double width) {
      const double room = (width - diameter) / 2 - std::max(0.0, widest - width) / 2 - kLeastSpacing * diameter;
      return std::max(0.0, std::min(jitter, room)) * draw.uniform(-1, 1);
    };
    return centre(k) + (planar ? Vec3{off(step_x), off(step_z), 0} : Vec3{off(step_x), off(step_y), off(step_z)});
  }
};

Quat draw_orientation(const Simulation& s, Random& draw) {
  return s.dimensions == 2 ? axis_angle({0, 0, 1}, draw.uniform(0, 2 * std::numbers::pi)) : draw.rotation();
}

std::string describe(double metres) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g m", metres);
  return text;
}

Result<LatticePlan> plan_lattice(const Case& c, const Case::Lattice& lattice, double widest, std::size_t count) {
  const Case::Box* box = lattice.region ? nullptr : &c.boxes[static_cast<std::size_t>(lattice.box)];
  const Vec3 low = box != nullptr ? box->min : lattice.region->min,
             high = box != nullptr ? box->max : lattice.region->max;
  const std::string name = box != nullptr ? "the box '" + box->name + "'" : "the region";
  LatticePlan plan;
  plan.planar = c.dimensions == 2;
  const double spacing = lattice.spacing.value_or(widest * (1 + 1e-6) * (1 + 2 * lattice.jitter));
  const Vec3 side = high - low;
  const double narrowest = plan.planar ? side.x : std::min(side.x, side.y);
  if (narrowest < spacing) {
    return Error{"the lattice's spacing, " + describe(spacing) + ", does not fit " + name + ", " + describe(narrowest) +
                 " wide"};
  }
  const auto fit = [spacing](double length) { return std::min(1e6, std::floor(length / spacing * (1 + 1e-12))); };
  plan.nx = static_cast<int>(fit(side.x)), plan.ny = plan.planar ? 1 : static_cast<int>(fit(side.y));
  plan.low = low + (plan.planar ? Vec3{0, lattice.from, 0} : Vec3{0, 0, lattice.from});
  plan.step_x = side.x / plan.nx, plan.step_y = plan.planar ? spacing : side.y / plan.ny, plan.step_z = spacing;
  plan.jitter = lattice.jitter * spacing, plan.widest = widest;
  const auto is_ring = [&](std::size_t axis, int sites, double step) {
    return c.periodic.periodic[axis] && sites > 1 && sites * step > (1 - 1e-9) * c.periodic.period(axis);
  };
  plan.ring_x = is_ring(0, plan.nx, plan.step_x), plan.ring_y = !plan.planar && is_ring(1, plan.ny, plan.step_y);
  if (lattice.region) {
    const double layers = fit((plan.planar ? side.y : side.z) - lattice.from);
    const double room = layers * plan.nx * plan.ny;
    if (room < static_cast<double>(count)) {
      return Error{"the region holds " + std::to_string(static_cast<std::uint64_t>(std::max(0.0, room))) +
                   " grains at a spacing of " + describe(spacing) + ", not " + std::to_string(count)};
    }
  }
  return plan;
}

/// Does row i overlap one of the rows given, or reach beyond a wall?
bool is_free(const Simulation& s, const narrow::Bodies& bodies, std::size_t i, const std::vector<std::size_t>& others) {
  const Particles& p = s.particles;
  const double least = kLeastSpacing * p.size[i];
  return clears_walls(s, bodies, i) && std::none_of(others.begin(), others.end(), [&](std::size_t j) {
           const double reach = p.radius[i] + p.radius[j] + least;
           return norm2(p.from_to(i, j)) <= reach * reach && narrow::gap_between(p, bodies, i, j) <= least;
         });
}

std::string share(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", v);
  return text;
}

/// Large ones first: they need the most room.
std::vector<std::size_t> by_falling_radius(const std::vector<double>& radius, std::size_t first) {
  std::vector<std::size_t> order(radius.size() - first);
  std::iota(order.begin(), order.end(), first);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return radius[i] > radius[j]; });
  return order;
}

Error region_is_full(std::size_t placed, std::size_t all, double reached, double asked) {
  return {"only " + std::to_string(placed) + " of " + std::to_string(all) +
          " found a place without overlap: a solid fraction of " + share(reached) + " was reached, " + share(asked) +
          " is asked for; take a larger region or fewer of them (random places of equal spheres end near 0.33), and "
          "let gravity or a moving wall pack them"};
}

Status place_all_at_random(Simulation& s, const Case& c, const Case::AtRandom& at, std::size_t first,
                           std::uint64_t stream) {
  Particles& p = s.particles;
  s.scratch.reset();
  narrow::Bodies& bodies = scratch_of(s).bodies;
  Occupancy taken(s.particles.domain);
  for (std::size_t r = 0; r < first; ++r)
    bodies.pose(p, r), taken.add(static_cast<std::uint32_t>(r), p.position[r], p.radius[r]);
  double reached = 0, asked = 0;
  for (std::size_t i = first; i < p.size_rows(); ++i) asked += solid_volume(s, i);
  const double room = at.region.volume(s.dimensions == 2);
  std::size_t placed = 0;
  for (const std::size_t i : by_falling_radius(p.radius, first)) {
    if (at.region.inset(p.radius[i], s.dimensions == 2).is_empty()) return region_is_narrow(p.radius[i]);
    Random draw = draws(c.seed, Stream::place, stream, i - first);
    if (!place_at_random(s, bodies, i, at.region, at.gap, draw, kPlaces, taken))
      return region_is_full(placed, p.size_rows() - first, reached / room, asked / room);
    reached += solid_volume(s, i), ++placed;
  }
  return ok();
}

/// Cells before cell k, in the order in which they are filled, that are at most two away from it.
std::vector<std::uint64_t> cells_before(const LatticePlan& plan, std::uint64_t k) {
  const Site at = plan.site(k);
  std::vector<std::uint64_t> before;
  for (int dk = -2; dk <= 0; ++dk) {
    for (int dj = -2; dj <= 2; ++dj) {
      for (int di = -2; di <= 2; ++di) {
        const int i = plan.ring_x ? (at.i + di + plan.nx) % plan.nx : at.i + di,
                  j = plan.ring_y ? (at.j + dj + plan.ny) % plan.ny : at.j + dj, layer = at.k + dk;
        if (i < 0 || j < 0 || layer < 0 || i >= plan.nx || j >= plan.ny) continue;
        const std::uint64_t other = static_cast<std::uint64_t>(layer) * plan.layer() +
                                    static_cast<std::uint64_t>(j) * static_cast<std::uint64_t>(plan.nx) +
                                    static_cast<std::uint64_t>(i);
        if (other < k) before.push_back(other);
      }
    }
  }
  return before;
}

/// Where grains are wider than their cells, or others are there already: cell after cell is filled, and a grain that
/// does not clear those before it is put in the middle, turned, and in the end left for a later cell. `order`: which
/// grain each cell has.
Status place_tightly(Simulation& s, const Case& c, const Case::Group& g, const LatticePlan& plan,
                     std::vector<std::uint64_t> order, Random& draw, std::uint64_t stream) {
  Particles& p = s.particles;
  const std::size_t n = order.size(), first = p.size_rows() - n;
  s.scratch.reset();
  narrow::Bodies& bodies = scratch_of(s).bodies;
  for (std::size_t r = 0; r < first; ++r) bodies.pose(p, r);
  for (std::size_t cell = 0; cell < n; ++cell) {
    std::vector<std::size_t> others(first);
    std::iota(others.begin(), others.end(), std::size_t{0});
    for (const std::uint64_t k : cells_before(plan, cell)) others.push_back(first + order[k]);
    const auto is_free_at = [&](std::size_t i, Vec3 x) {
      p.position[i] = x;
      bodies.pose(p, i);
      return is_free(s, bodies, i, others);
    };
    for (int swaps = 0;; ++swaps) {
      const std::size_t i = first + order[cell];
      Random own = draws(c.seed, Stream::place, stream, order[cell]);
      bool fits = is_free_at(i, plan.place(cell, 2 * p.radius[i], own)) || is_free_at(i, plan.centre(cell));
      for (int tries = 0; !fits && g.orientation.random && tries < kTurnTries; ++tries) {
        p.orientation[i] = draw_orientation(s, own);
        fits = is_free_at(i, plan.centre(cell));
      }
      if (fits) break;
      if (cell + 1 == n || swaps == kSwaps) {
        const double widest =
            2 * *std::max_element(p.radius.begin() + static_cast<std::ptrdiff_t>(first), p.radius.end());
        return Error{"particle " + std::to_string(order[cell]) +
                     " of the group does not fit its place on the lattice without overlap: the spacing, " +
                     describe(plan.step_z) + ", must be wider (" + describe(widest) + " fits always)"};
      }
      std::swap(order[cell], order[cell + 1 + draw.below(n - cell - 1)]);
    }
  }
  return ok();
}

Status place_on_lattice(Simulation& s, const Case& c, const Case::Group& g, const Case::Lattice& lattice,
                        std::size_t first, std::uint64_t stream) {
  Particles& p = s.particles;
  const double widest = 2 * *std::max_element(p.radius.begin() + static_cast<std::ptrdiff_t>(first), p.radius.end());
  const std::size_t n = p.size_rows() - first;
  const Result<LatticePlan> plan = plan_lattice(c, lattice, widest, n);
  if (!plan) return plan.error();
  Random draw = draws(c.seed, Stream::group, stream);
  const Bijection deal(n, draw);
  if (first > 0 || widest > std::min({plan->step_x, plan->step_y, plan->step_z})) {
    std::vector<std::uint64_t> order(n);
    for (std::uint64_t cell = 0; cell < n; ++cell) order[cell] = deal.at(cell);
    return place_tightly(s, c, g, *plan, std::move(order), draw, stream);
  }
  for (std::uint64_t k = 0; k < n; ++k) {
    Random own = draws(c.seed, Stream::place, stream, k);
    p.position[first + k] = plan->place(deal.where(k), 2 * p.radius[first + k], own);
  }
  return ok();
}

/// Bounding spheres of clusters anywhere in a region, clear of each other, of grains and of walls.
Result<std::vector<Vec3>> random_places(const Simulation& s, const Case& c, const Case::Group& g,
                                        const Case::AtRandom& at, double reach, std::uint64_t stream) {
  const Particles& p = s.particles;
  const Region inset = at.region.inset(reach);
  if (inset.is_empty()) return region_is_narrow(reach);
  Occupancy taken(s.particles.domain);
  for (std::size_t r = 0; r < p.size_rows(); ++r) taken.add(static_cast<std::uint32_t>(r), p.position[r], p.radius[r]);
  const auto clears = [&](Vec3 x) {
    return std::all_of(s.walls.begin(), s.walls.end(), [&](const Wall& w) { return w.is_clear(x, reach); });
  };
  std::vector<Vec3> places;
  for (std::uint64_t k = 0; k < g.count; ++k) {
    Random draw = draws(c.seed, Stream::place, stream, k);
    bool found = false;
    for (int t = 0; t < kPlaces && !found; ++t) {
      const Vec3 x = inset.sample(draw);
      found = clears(x) && !taken.any_near(x, reach, at.gap, [](std::uint32_t) { return true; });
      if (found) places.push_back(x), taken.add(0, x, reach);
    }
    const double each = 4.0 / 3 * M_PI * reach * reach * reach / at.region.volume();
    if (!found)
      return region_is_full(places.size(), g.count, static_cast<double>(places.size()) * each,
                            static_cast<double>(g.count) * each);
  }
  return places;
}

/// Where the centres of a group's clusters are at the start.
Result<std::vector<Vec3>> cluster_places(const Simulation& s, const Case& c, const Case::Group& g,
                                         const bond::Cluster& spheres, std::uint64_t stream) {
  if (const auto* at = std::get_if<Case::AtPoints>(&g.place)) return at->points;
  double reach = 0;
  for (std::size_t k = 0; k < spheres.size(); ++k)
    reach = std::max(reach, norm(spheres.position[k]) + spheres.radius[k]);
  if (const auto* at = std::get_if<Case::AtRandom>(&g.place)) return random_places(s, c, g, *at, reach, stream);
  const Case::Lattice& lattice = std::get<Case::Lattice>(g.place);
  const Result<LatticePlan> plan = plan_lattice(c, lattice, 2 * reach, g.count);
  if (!plan) return plan.error();
  std::vector<Vec3> places;
  for (std::uint64_t k = 0; k < g.count; ++k) {
    Random own = draws(c.seed, Stream::place, stream, k);
    places.push_back(plan->place(k, 2 * reach, own));
  }
  return places;
}

/// What a file says of particle or cluster k goes before what the group says.
Quat orientation_of(const Case::Group& g, std::size_t k, Quat otherwise) {
  const auto* at = std::get_if<Case::AtPoints>(&g.place);
  return at && !at->orientation.empty() ? at->orientation[k] : otherwise;
}
struct Velocities {
  Vec3 velocity, angular_velocity;
};
Velocities moving_as(const Case::Group& g, std::size_t k) {
  const auto* at = std::get_if<Case::AtPoints>(&g.place);
  return {at && !at->velocity.empty() ? at->velocity[k] : g.velocity,
          at && !at->angular_velocity.empty() ? at->angular_velocity[k] : g.angular_velocity};
}

/// The spheres of one cluster from row `first` on, turned as a body, and their bonds.
void insert_cluster(Simulation& s, const Case& c, const Case::Group& g, Velocities moving, std::size_t first,
                    Vec3 centre, Quat turn, std::uint32_t shape) {
  Particles& p = s.particles;
  const Case::Cluster& made = c.clusters[static_cast<std::size_t>(g.cluster)];
  const double density = s.materials[static_cast<std::size_t>(g.material)].density;
  const Shape& sphere = *s.shapes[shape];
  const Mat3 rotation = rotation_matrix(turn);
  for (std::size_t k = 0; k < made.spheres.size(); ++k) {
    const std::size_t i = first + k;
    const Vec3 arm = rotation * made.spheres.position[k];
    const double size = 2 * made.spheres.radius[k];
    p.id[i] = s.next_id++;
    p.shape[i] = shape, p.material[i] = static_cast<std::uint32_t>(g.material), p.size[i] = size;
    p.mass[i] = sphere.mass(size, density, s.thickness), p.inertia[i] = sphere.moments(size, density, s.thickness);
    p.radius[i] = made.spheres.radius[k], p.orientation[i] = turn, p.position[i] = centre + arm;
    p.velocity[i] = moving.velocity + cross(moving.angular_velocity, arm);
    p.angular_velocity[i] = moving.angular_velocity;
    p.angular_momentum[i] = integrate::angular_momentum(turn, moving.angular_velocity, p.inertia[i]);
    p.travel[i] = 0, p.force[i] = p.torque[i] = {};
  }
  for (const auto& [a, b] : made.bonds)
    bond::add_bond(s.bonds, p, first + a, first + b, made.law, s.next_cluster, c.seed);
  ++s.next_cluster;
}

Status insert_clusters(Simulation& s, const Case& c, const Case::Group& g, std::uint64_t stream, std::uint32_t shape) {
  const Case::Cluster& made = c.clusters[static_cast<std::size_t>(g.cluster)];
  const std::size_t first = s.particles.size_rows(), each = made.spheres.size();
  const Result<std::vector<Vec3>> places = cluster_places(s, c, g, made.spheres, stream);
  if (!places) return places.error();
  s.particles.resize(first + g.count * each);
  s.bonds.reserve(s.bonds.size() + g.count * made.bonds.size());
  for (std::size_t k = 0; k < g.count; ++k) {
    Random own = draws(c.seed, Stream::grain, stream, k);
    const Quat drawn = g.orientation.random ? own.rotation() : g.orientation.fixed;
    insert_cluster(s, c, g, moving_as(g, k), first + k * each, (*places)[k], orientation_of(g, k, drawn), shape);
  }
  s.list_is_valid = false;
  s.scratch.reset();
  return ok();
}

}  // namespace

Error region_is_narrow(double radius) {
  return {"the region is too narrow for a sphere of radius " + describe(radius) + ", which holds the largest of them"};
}

bool clears_walls(const Simulation& s, const narrow::Bodies& bodies, std::size_t i) {
  const Particles& p = s.particles;
  const double least = kLeastSpacing * p.size[i];
  return std::none_of(s.walls.begin(), s.walls.end(), [&](const Wall& w) {
    // Of a mesh the bounding sphere has to be clear.
    if (w.mesh) return !w.is_clear(p.position[i], p.radius[i]);
    const double height = dot(w.normal, p.position[i] - w.point);
    return height <= p.radius[i] && height + narrow::lowest_point(p, bodies, i, w.normal) <= least;
  });
}

bool place_at_random(Simulation& s, narrow::Bodies& bodies, std::size_t i, const Region& region, double gap,
                     Random& draw, int tries, Occupancy& taken) {
  Particles& p = s.particles;
  const Region inset = region.inset(p.radius[i], s.dimensions == 2);
  if (inset.is_empty()) return false;
  const double least = std::max(gap, kLeastSpacing * p.size[i]);
  const auto is_round_row = [&](std::size_t r) { return is_round(s.shapes[p.shape[r]]->kind); };
  for (int t = 0; t < tries; ++t) {
    p.position[i] = inset.sample(draw);
    bodies.pose(p, i);
    const bool meets = taken.any_near(p.position[i], p.radius[i], least, [&](std::uint32_t j) {
      return (is_round_row(i) && is_round_row(j)) || narrow::gap_between(p, bodies, i, j) <= least;
    });
    if (meets || !clears_walls(s, bodies, i)) continue;
    taken.add(static_cast<std::uint32_t>(i), p.position[i], p.radius[i]);
    return true;
  }
  return false;
}

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
  if (std::holds_alternative<Case::Pour>(g.place)) return begin_inlet(s, g, stream, std::move(rows)), ok();
  if (c.particles_of(g) > 0xfffffff0ull - s.next_id) return Error{"more particles than 32-bit ids can name"};
  if (g.cluster >= 0) return insert_clusters(s, c, g, stream, rows[0]);
  p.resize(first + n);
  const auto* at = std::get_if<Case::AtPoints>(&g.place);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = first + k;
    Random own = draws(c.seed, Stream::grain, stream, k);
    const std::uint32_t row = rows[at && !at->shape.empty() ? at->shape[k] : k % rows.size()];
    const Shape& shape = *s.shapes[row];
    const double size = at && !at->size.empty()                  ? at->size[k]
                        : g.size.kind == Case::Size::Kind::fixed ? g.size.a
                                                                 : g.size.quantile(own.uniform());
    const double density = s.materials[static_cast<std::size_t>(g.material)].density;
    p.id[i] = s.next_id++;
    p.shape[i] = row, p.material[i] = static_cast<std::uint32_t>(g.material), p.size[i] = size;
    p.mass[i] = shape.mass(size, density, s.thickness), p.inertia[i] = shape.moments(size, density, s.thickness);
    p.radius[i] = size * shape.outer_radius();
    p.orientation[i] = orientation_of(g, k, g.orientation.random ? draw_orientation(s, own) : g.orientation.fixed);
    p.velocity[i] = moving_as(g, k).velocity;
    p.travel[i] = 0;
    p.position[i] = p.force[i] = p.torque[i] = {};
  }
  Status placed = ok();
  if (at) {
    std::copy(at->points.begin(), at->points.end(), p.position.begin() + static_cast<std::ptrdiff_t>(first));
  } else if (const auto* random = std::get_if<Case::AtRandom>(&g.place)) {
    placed = place_all_at_random(s, c, *random, first, stream);
  } else {
    placed = place_on_lattice(s, c, g, std::get<Case::Lattice>(g.place), first, stream);
  }
  if (!placed) return placed;
  for (std::size_t i = first; i < first + n; ++i) {
    p.angular_velocity[i] = moving_as(g, i - first).angular_velocity;
    p.angular_momentum[i] = integrate::angular_momentum(p.orientation[i], p.angular_velocity[i], p.inertia[i]);
  }
  s.list_is_valid = false;
  s.scratch.reset();
  return ok();
}

}  // namespace scree
