#include "app/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "app/memory_model.h"
#include "narrow/round_contacts.h"

namespace scree::app {

namespace {

// Microseconds of one core for a step of a grain in a packed bed (docs/measured/speed.md#what-check-foresees): of a
// sphere or disc, of a polygon, of a convex polyhedron of few faces, times what more faces or parts add. Sparse beds
// are faster.
constexpr double kRound = 0.26, kPolygon = 0.7, kAngular = 1.1;
constexpr double kPerFace2 = 2e-4;                             // all faces and edges may be searched
constexpr double kPerRoundPart = 0.23, kPerAngularPart = 0.3;  // of clumps, in steps of a single sphere or polyhedron
constexpr double kSolidFraction = 0.6;
constexpr double kDeepImpact = 0.2;    // share of the size; the run stops at one half
constexpr double kNearCritical = 0.5;  // of the critical time step

/// The x > 0 with f(x) = target, f rising from 0; 0 where it is not above `least`: of many that costs one f each.
template <class F>
double inverse(F&& f, double target, double least) {
  if (!(target > 0) || (least > 0 && !(f(least) < target))) return 0;
  double low = 0, high = 1e-12;
  while (f(high) < target && high < 1e12) low = high, high *= 4;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (f(middle) < target ? low : high) = middle;
  }
  return high;
}

/// The grains as they are turned at the start.
narrow::Bodies posed(const Simulation& s) {
  narrow::Bodies bodies;
  bodies.set_shapes(s.shapes);
  bodies.lay_out(s.particles);
  for (std::size_t i = 0; i < s.particles.size_rows(); ++i) bodies.pose(s.particles, i);
  return bodies;
}

/// Way of a grain's lowest point along the wall's normal to the wall (m); below 0: it is there already.
double height_over(const Simulation& s, const narrow::Bodies& bodies, std::size_t i, const Wall& w) {
  return dot(w.normal, s.particles.position[i] - w.point) + narrow::lowest_point(s.particles, bodies, i, w.normal);
}

/// Way of a grain along gravity until it meets a wall below it; nothing: there is none.
std::optional<double> fall(const Simulation& s, const narrow::Bodies& bodies, std::size_t i) {
  const Vec3 down = normalized(s.gravity);
  std::optional<double> shortest;
  for (const Wall& w : s.walls) {
    const double slope = -dot(w.normal, down);
    if (slope < 0.1) continue;  // a side wall
    const double way = std::max(0.0, height_over(s, bodies, i, w) / slope);
    if (!shortest || way < *shortest) shortest = way;
  }
  return shortest;
}

/// The least global damping that there is at any time (1/s).
double least_damping(const Simulation& s, const Case& c) {
  double least = s.damping;
  for (const Case::Stage& stage : c.stages)
    if (stage.damping) least = std::min(least, stage.damping->global);
  return least;
}

/// Square of the speed at which grain i has fallen so far (m^2/s^2), at most: global damping bounds what gravity gives.
double speed2_after_fall(const Simulation& s, std::size_t i, double way, double damping) {
  const double v2 = norm2(s.particles.velocity[i]), free = v2 + 2 * norm(s.gravity) * way;
  return damping > 0 ? std::min(free, std::max(v2, norm2(s.gravity) / (damping * damping))) : free;
}

/// Largest footprint of the boxes (m^2); 0: there is none.
double footprint(const Case& c) {
  double largest = 0;
  for (const Case::Box& b : c.boxes) {
    const double across = c.dimensions == 2 ? c.thickness : b.max.y - b.min.y;
    largest = std::max(largest, (b.max.x - b.min.x) * across);
  }
  return largest;
}

/// Height of the bed that the grains will form in the widest box (m); 0: there is no box.
double bed_height(const Simulation& s, const Case& c) {
  double volume = 0;
  for (std::size_t i = 0; i < s.particles.size_rows(); ++i)
    volume += s.particles.mass[i] / s.materials[s.particles.material[i]].density;
  return footprint(c) > 0 ? volume / (kSolidFraction * footprint(c)) : 0;
}

/// Most that any of a wall's points moves at in a run (m/s), of a plane along its normal.
struct MovingWall {
  const Wall* wall;
  double speed;
};

/// Bound on the speed of the wall's points under a motion of its own; a free wall's drive is not known beforehand.
double greatest_speed(const Wall& w, const boundary::Motion& m) {
  const auto along = [&](Vec3 v) { return w.mesh ? norm(v) : std::abs(dot(v, w.normal)); };
  double speed = along(m.velocity), rate = 0;
  if (m.oscillation) speed += 2 * M_PI * m.oscillation->frequency * along(m.oscillation->amplitude);
  if (m.drive) speed += m.drive->max_velocity * (m.drive->along == Vec3{} ? 1 : along(m.drive->along));
  double on_table = 0, turn_on_table = 0;
  for (std::size_t k = 1; k < m.table.size(); ++k) {
    const boundary::Motion::Row &a = m.table[k - 1], &b = m.table[k];
    on_table = std::max(on_table, along(b.shift - a.shift) / (b.time - a.time));
    turn_on_table = std::max(turn_on_table, std::abs(b.angle - a.angle) / (b.time - a.time));
  }
  if (!w.mesh || !m.rotation) return speed + on_table;  // a plane turns about its normal
  const boundary::Motion::Rotation& r = *m.rotation;
  rate = std::abs(r.rate) + std::abs(2 * M_PI * r.swing_frequency * r.swing) + turn_on_table;
  const Mat3 q = rotation_matrix(w.orientation);
  return speed + on_table +
         rate * w.mesh->reach_about(transpose_times(q, r.through - w.point), transpose_times(q, r.axis));
}

/// The walls that move at the start or in a stage. Where a stage moves one anew, it stands as it stood at the start.
std::vector<MovingWall> moving_walls(const Simulation& s, const Case& c) {
  std::vector<MovingWall> moving;
  for (const Wall& w : s.walls) {
    double speed = greatest_speed(w, w.motion);
    for (const Case::Stage& stage : c.stages)
      for (const Case::Move& m : stage.move)
        if (w.name == m.wall || w.name.starts_with(m.wall + ".")) speed = std::max(speed, greatest_speed(w, m.motion));
    if (speed > 0) moving.push_back({&w, speed});
  }
  return moving;
}

/// A contact that is pressed to `share` of the grain's size over what the time step reckons with.
double stiffening(const Simulation& s, std::size_t i, const Law& law, double share) {
  const auto at = [&](double part) {
    const contact::Geometry g =
        contact::reference_contact(part * s.particles.size[i], equivalent_radius(s, i), s.particles.mass[i]);
    return std::visit([&](const auto& l) { return std::max(l.normal_stiffness(g), l.shear_stiffness(g)); }, law);
  };
  return at(share) / at(kReferenceDepth);
}

/// A grain that meets the wall at v (m/s).
void take_impact(const Simulation& s, std::size_t i, std::uint32_t material, double v, const std::string& wall,
                 Estimate& e) {
  const Law& law = s.laws[s.particles.material[i] * s.materials.size() + material];
  const double mass = s.particles.mass[i], size = s.particles.size[i];
  const double share =
      depth_under_energy(law, equivalent_radius(s, i), mass, mass * v * v / 2, e.overlap_at_impact * size) / size;
  if (!(share > e.overlap_at_impact)) return;
  e.overlap_at_impact = share, e.impact_speed = v, e.impact_wall = wall, e.stiffening = stiffening(s, i, law, share);
}

/// Walls that come at grains as they are at the start, or that grains fall onto.
void estimate_moving_walls(const Simulation& s, const Case& c, const narrow::Bodies& bodies, Estimate& e) {
  constexpr double kFarthestInMesh = 0.5;  // of the inner radius a step; beyond it the run stops
  if (s.laws.empty()) return;
  const double g = norm(s.gravity), bed = bed_height(s, c), damping = least_damping(s, c);
  for (const MovingWall& m : moving_walls(s, c)) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < s.particles.size_rows(); ++i) {
      const double slope = g > 0 ? -dot(m.wall->normal, s.gravity) / g : 0;
      const double height = slope < 0.1 ? 0 : height_over(s, bodies, i, *m.wall) / slope;
      const double way = bed > 0 && height > bed ? 0 : std::max(0.0, height);
      const double own = std::sqrt(speed2_after_fall(s, i, way, damping));
      take_impact(s, i, m.wall->material, own + m.speed, m.wall->name, e);
      least = std::min(least, s.particles.size[i] * s.shapes[s.particles.shape[i]]->inner_radius());
    }
    if (m.wall->mesh && s.dt * m.speed > kFarthestInMesh * least)
      e.warnings.push_back(
          fmt::format("the mesh '{}' moves at up to {}, by {} a step; a grain that meets it at more than half of its "
                      "inner radius a "
                      "step stops the run: a time step below {} lets it meet the smallest at rest",
                      m.wall->name, metric(m.speed, "m/s"), metric(s.dt * m.speed, "m"),
                      metric(kFarthestInMesh * least / m.speed, "s")));
  }
}

/// Grains from below the bed's height hit the wall; those from above hit grains like themselves, which give way, so
/// that half of the energy stays in the common motion.
void estimate_impact(const Simulation& s, const Case& c, const narrow::Bodies& bodies, Estimate& e) {
  const double g = norm(s.gravity), bed = bed_height(s, c), damping = least_damping(s, c);
  for (std::size_t i = 0; i < s.particles.size_rows(); ++i) {
    const auto way = g > 0 ? fall(s, bodies, i) : std::nullopt;
    const double height = way.value_or(0);
    const bool on_grains = bed > 0 && height > bed;
    const double v2 = speed2_after_fall(s, i, height - (on_grains ? bed : 0), damping);
    if (v2 == 0 || s.laws.empty()) continue;
    const std::size_t m = s.particles.material[i];
    const Law& law = s.laws[m * s.materials.size() + (s.walls.empty() || on_grains ? m : s.walls.front().material)];
    const double energy = s.particles.mass[i] * v2 / 2 * (on_grains ? 0.5 : 1.0);
    const double size = s.particles.size[i];
    const double share =
        depth_under_energy(law, equivalent_radius(s, i), s.particles.mass[i], energy, e.overlap_at_impact * size) /
        size;
    if (share > e.overlap_at_impact)
      e.overlap_at_impact = share, e.impact_speed = std::sqrt(v2), e.stiffening = stiffening(s, i, law, share);
  }
}

/// Pressure at the bottom of the bed, carried by one contact per grain across its own width.
void estimate_rest(const Simulation& s, const Case& c, Estimate& e) {
  const double g = norm(s.gravity);
  if (s.walls.empty() || s.particles.size_rows() == 0 || s.laws.empty()) return;
  double weight = 0;
  const double area = footprint(c);
  for (const double m : s.particles.mass) weight += m * g;
  for (std::size_t i = 0; i < s.particles.size_rows(); ++i) {
    const double own = s.particles.mass[i] * g, width = s.particles.size[i];
    const double load =
        area > 0 ? std::max(own, std::min(weight, weight / area * width * (c.dimensions == 2 ? c.thickness : width)))
                 : own;
    const std::size_t m = s.particles.material[i];
    const Law& law = s.laws[m * s.materials.size() + s.walls.front().material];
    const double depth =
        depth_under_force(law, equivalent_radius(s, i), s.particles.mass[i], load, e.overlap_at_rest * width);
    e.overlap_at_rest = std::max(e.overlap_at_rest, depth / width);
  }
}

/// Microseconds of a step of one grain.
double cost_of(const Shape& shape) {
  if (shape.kind == ShapeKind::clump) {
    double cost = 0;
    for (const Shape::Part& part : shape.parts)
      cost += (is_round(part.shape->kind) ? kPerRoundPart : kPerAngularPart) * cost_of(*part.shape);
    return cost + (is_round(shape.parts[0].shape->kind) ? kRound : kAngular);
  }
  if (is_round(shape.kind)) return kRound;
  if (shape.kind == ShapeKind::polygon) return kPolygon;
  const auto faces = static_cast<double>(shape.body.face_normals.size());
  return kAngular * (1 + kPerFace2 * faces * faces);
}

/// The mean of of(shape) over the particles; where none is there yet, over the shapes.
template <class F>
double mean(const Simulation& s, F&& of) {
  std::vector<double> of_shape;
  for (const auto& shape : s.shapes) of_shape.push_back(of(*shape));
  double sum = 0;
  for (const std::uint32_t shape : s.particles.shape) sum += of_shape[shape];
  if (s.particles.size_rows() > 0) return sum / static_cast<double>(s.particles.size_rows());
  return std::accumulate(of_shape.begin(), of_shape.end(), 0.0) / std::max(1.0, static_cast<double>(of_shape.size()));
}

/// Of the grains that are there, else of those that inlets bring (m); 0: there are neither.
double mean_size(const Simulation& s) {
  double sum = 0;
  for (const double d : s.particles.size) sum += d;
  if (sum > 0) return sum / static_cast<double>(s.particles.size_rows());
  for (const Flows::Inlet& inlet : s.flows.inlets) sum += inlet.group.size.quantile(0.5);
  return s.flows.inlets.empty() ? 0 : sum / static_cast<double>(s.flows.inlets.size());
}

/// Polyhedra that rest on meshes: each facet under one is cut out of it.
void estimate_meshes(const Simulation& s, const Case& c, Estimate& e) {
  // Microseconds of one core for each facet under a grain; what a grain rests on, of its size squared; grains that rest
  // on a mesh, of those that find room on it or lie at the outside of a bed (docs/walls.md#what-a-mesh-costs).
  constexpr double kPerFacet = 1.2, kUnder = 0.8, kResting = 0.6, kOutside = 6, kMany = 10, kDear = 2;
  const double angular = 1 - mean(s, [](const Shape& shape) { return is_round(shape.kind) ? 1.0 : 0.0; });
  const double size = mean_size(s);
  if (!(size > 0 && angular > 0 && e.seconds > 0) || c.dimensions == 2) return;
  const double before = e.seconds;
  for (const Case::Wall& w : c.walls) {
    if (!w.mesh) continue;
    double area = 0;
    const Surface& drawn = w.mesh->surface();
    for (const auto& t : drawn.triangles)
      area += norm(cross(drawn.vertices[t[1]] - drawn.vertices[t[0]], drawn.vertices[t[2]] - drawn.vertices[t[0]])) / 2;
    const double facets = std::min(1.0, kUnder * size * size / area) * static_cast<double>(w.mesh->size());
    const double outside = kOutside * std::cbrt(e.grains * e.grains);
    const double resting = kResting * angular * std::min({e.grains, outside, area / (size * size)});
    const double more = 1e-6 * kPerFacet * e.steps * resting * facets;
    e.seconds += more;
    if (w.round || facets < kMany || more < kDear * before) continue;
    const std::string key = fmt::format("walls.{}.mesh.simplify", w.name);
    e.warnings.push_back(fmt::format(
        "the mesh '{}' has about {:.0f} facets under a grain of {}, which makes the run about {:.2g} times as long: {}",
        w.name, facets, metric(size, "m"), 1 + more / before,
        w.drawn_triangles > drawn.triangles.size()
            ? fmt::format("a larger {} leaves fewer", key)
            : fmt::format("{}: {} draws it with fewer, none of its corners farther away than that", key,
                          metric(size / 100, "m"))));
  }
}

/// Share of spheres and discs among the particles.
double share_round(const Simulation& s) {
  std::size_t round = 0;
  for (const std::uint32_t shape : s.particles.shape) round += is_round(s.shapes[shape]->kind) ? 1 : 0;
  return s.particles.size_rows() == 0 ? 0 : static_cast<double>(round) / static_cast<double>(s.particles.size_rows());
}

bool is_poured(const Case::Group& g) { return std::holds_alternative<Case::Pour>(g.place); }

// Solid fraction of a region that random places keep filling.
constexpr double kPoured = 0.25;

/// Inlets whose region grains leave too slowly for the rate asked for.
void estimate_inlets(const Simulation& s, const Case& c, Estimate& e) {
  for (std::size_t k = 0; k < s.flows.inlets.size(); ++k) {
    const Flows::Inlet& inlet = s.flows.inlets[k];
    const Case::Pour& pour = std::get<Case::Pour>(inlet.group.place);
    const Vec3 v = inlet.group.velocity, way = norm2(v) > 0 ? normalized(v) : normalized(c.gravity);
    const auto [low, high] = pour.region.bounds();
    const double length =
        std::abs(way.x) * (high.x - low.x) + std::abs(way.y) * (high.y - low.y) + std::abs(way.z) * (high.z - low.z);
    const double speed = norm(v), g = std::max(0.0, dot(c.gravity, way));
    // length = speed t + g t^2 / 2
    const double stay = g > 0 ? (std::sqrt(speed * speed + 2 * g * length) - speed) / g : length / speed;
    const double density = s.materials[static_cast<std::size_t>(inlet.group.material)].density,
                 depth = c.dimensions == 2 ? c.thickness : 1;
    const double most = kPoured * density * depth * pour.region.volume(c.dimensions == 2) / stay;
    double asked = pour.mass_rate;
    if (asked == 0) {
      double mass = 0;  // a mean over sizes and shapes
      for (const std::uint32_t shape : inlet.shapes)
        for (int q = 0; q < 64; ++q)
          mass += s.shapes[shape]->mass(inlet.group.size.quantile((q + 0.5) / 64), density, c.thickness) /
                  (64.0 * static_cast<double>(inlet.shapes.size()));
      asked = pour.number_rate * mass;
    }
    if (asked > most)
      e.warnings.push_back(
          fmt::format("inlet {} asks for {:.3g} kg/s; grains leave its region within {}, so that about {:.3g} kg/s can "
                      "come: a larger "
                      "region or a higher velocity keeps the rate",
                      inlet.group.name, asked, std::isfinite(stay) ? metric(stay, "s") : std::string("never"), most));
  }
}

void estimate_run(const Simulation& s, const Case& c, Estimate& e) {
  double n = static_cast<double>(s.particles.size_rows()), most = n, work = 0, total = 0;
  bool timed = true;
  for (const Case::Group& g : c.particles) n += is_poured(g) ? static_cast<double>(g.count) : 0;
  for (const Case::Stage& stage : c.stages) {
    for (const Case::Group& g : stage.insert)  // the first one's are there already, but for those that are poured
      if (&stage != &c.stages.front() || is_poured(g)) n += static_cast<double>(c.particles_of(g));
    most = std::max(most, n);
    e.may_end_earlier |= stage.kinetic_energy_below.has_value();
    timed &= stage.duration.has_value();
    const double d = stage.duration.value_or(0);
    total += d;
    work += d / s.dt * n;
    e.frames += d / stage.output_every.value_or(c.output.every);
  }
  if (timed || total > 0) e.duration = total;
  e.steps = total / s.dt;
  const double round = share_round(s);
  e.grains = most, e.share_round = round;
  e.seconds = 1e-6 * work * mean(s, cost_of);
  const double for_sizes = candidates_for_sizes(s);
  const auto memory = [&](double GrainMemory::*of) {
    return most * mean(s, [&](const Shape& shape) { return memory_of_grain(shape, s, for_sizes).*of; });
  };
  e.bytes_of_state = std::max(static_cast<double>(s.bytes()), memory(&GrainMemory::state));
  e.bytes = kBytesOfProgram + e.bytes_of_state + memory(&GrainMemory::writing);
  if (!timed)
    e.warnings.emplace_back("a stage without a duration lasts until its grains are at rest, which may be never");
}

}  // namespace

double depth_under_force(const Law& law, double radius, double mass, double force, double least) {
  const auto at = [&](double depth) {
    return std::visit(
        [&](const auto& l) { return l.elastic_normal_force(contact::reference_contact(depth, radius, mass)); }, law);
  };
  return inverse(at, force, least);
}

double depth_under_energy(const Law& law, double radius, double mass, double energy, double least) {
  const auto at = [&](double depth) {
    return std::visit([&](const auto& l) { return l.normal_energy(contact::reference_contact(depth, radius, mass)); },
                      law);
  };
  return inverse(at, energy, least);
}

Estimate estimate(const Simulation& s, const Case& c) {
  Estimate e;
  e.critical_time_step = critical_time_step(s, grains_to_come(s));
  const narrow::Bodies bodies = posed(s);
  estimate_impact(s, c, bodies, e);
  estimate_moving_walls(s, c, bodies, e);
  estimate_rest(s, c, e);
  estimate_run(s, c, e);
  estimate_meshes(s, c, e);
  estimate_inlets(s, c, e);
  if (s.dt > kNearCritical * e.critical_time_step && e.critical_time_step > 0)
    e.warnings.push_back(fmt::format("time_step: {} is {:.2g} of the critical one; a tenth to a fifth keeps the energy",
                                     metric(s.dt, "s"), s.dt / e.critical_time_step));
  const double hardened = e.critical_time_step / std::sqrt(e.stiffening);
  if (e.stiffening > 1 && s.dt > hardened)
    e.warnings.push_back(fmt::format(
        "time_step: at the hardest impact contacts are {:.2g} times as stiff as at 1 % of a grain's size, where the "
        "step is judged; the critical one is then {}, and {} may be too long: stiffer contacts, a shorter fall or a "
        "time step below {} help",
        e.stiffening, metric(hardened, "s"), metric(s.dt, "s"), metric(hardened / 5, "s")));
  if (e.overlap_at_impact > kDeepImpact)
    e.warnings.push_back(fmt::format(
        "grains that {} {} may overlap by {:.0f} % of their size; a stiffer contact or a {} makes them harder",
        e.impact_wall.empty() ? "arrive at" : fmt::format("meet the moving wall '{}' at", e.impact_wall),
        metric(e.impact_speed, "m/s"), 100 * e.overlap_at_impact,
        e.impact_wall.empty() ? "shorter fall" : "slower wall"));
  if (c.output.every < s.dt) e.warnings.emplace_back("output.every: shorter than the time step; every step is written");
  if (e.frames > 1e5) e.warnings.push_back(fmt::format("output.every: {:.3g} frames will be written", e.frames));
  return e;
}

std::string set_up_notice(const Case& c, const ShapeSource& shapes) {
  constexpr double kSoon = 5e5;
  std::vector<const Case::Group*> groups;
  double grains = 0;
  const auto take = [&](const Case::Group& g) {
    if (!is_poured(g)) groups.push_back(&g), grains += static_cast<double>(c.particles_of(g));
  };
  std::ranges::for_each(c.particles, take);
  if (!c.stages.empty()) std::ranges::for_each(c.stages[0].insert, take);
  if (grains < kSoon) return {};
  std::map<std::string, std::shared_ptr<const Shape>> known;
  std::vector<std::shared_ptr<const Shape>> all;
  for (const Case::Group* g : groups) {
    for (const std::string& name : g->shapes) {
      if (known.contains(name)) continue;
      const auto shape = shapes(name);
      if (!shape) return {};  // set-up says why
      known.emplace(name, *shape), all.push_back(*shape);
    }
  }
  const Simulation tables = tables_for(all);
  double bytes = kBytesOfProgram;
  for (const Case::Group* g : groups) {
    for (const std::string& name : g->shapes) {
      const GrainMemory m = memory_of_grain(*known[name], tables);
      bytes += static_cast<double>(c.particles_of(*g)) / static_cast<double>(g->shapes.size()) * (m.state + m.writing);
    }
  }
  return fmt::format("setting up {:.0f} grains, which take about {} once they are packed ...", grains,
                     metric(bytes, "B"));
}

std::string metric(double value, const std::string& unit) {
  if (value == 0 || !std::isfinite(value)) return fmt::format("{:g} {}", value, unit);
  constexpr const char* prefixes[] = {"p", "n", "u", "m", "", "k", "M", "G", "T"};
  const int steps = std::clamp(static_cast<int>(std::floor(std::log10(std::abs(value)) / 3)), -4, 4);
  return fmt::format("{:.4g} {}{}", value / std::pow(1000.0, steps), prefixes[steps + 4], unit);
}

}  // namespace scree::app
