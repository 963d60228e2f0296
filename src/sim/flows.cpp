// Inlets, outlets and counting planes: looked at every kEvery steps, so that the list of pairs is not made anew at
// every grain that comes or goes.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "base/exact_sum.h"
#include "base/text.h"
#include "integrate/rigid_body.h"
#include "particles/streams.h"
#include "ranks/parcels.h"
#include "sim/about_key.h"
#include "sim/placement.h"
#include "sim/row_order.h"
#include "sim/scratch.h"
#include "sim/spread.h"

namespace scree {

namespace {

constexpr std::uint64_t kEvery = 50;     // steps
constexpr std::size_t kMostPlanes = 32;  // that Particles::sides has bits for
constexpr int kPlaceTries = 200;         // places for one grain at one instant, before the inlet counts as blocked
constexpr std::uint64_t kMostAtOnce = 100'000;
// An inlet is told to be late when this share of what was due is missing, and as many grains.
constexpr double kLate = 0.1, kLateGrains = 5;

const Case::Pour& pour_of(const Flows::Inlet& inlet) { return std::get<Case::Pour>(inlet.group.place); }

/// f(group) for every group that is poured, of those that have begun in that stage, in the order of their streams.
template <class F>
void each_inlet(const Case& c, std::uint64_t stage, F&& f) {
  std::uint64_t stream = 0;
  const auto look = [&](const Case::Group& g) {
    if (std::holds_alternative<Case::Pour>(g.place)) f(g, stream);
    ++stream;
  };
  c.for_each_group(look, stage);
}

Flows::Inlet inlet_of(const Simulation& s, const Case::Group& g, std::uint64_t stream) {
  Flows::Inlet inlet{g, {}, stream};
  for (const std::string& name : g.shapes)
    for (std::size_t k = 0; k < s.shapes.size(); ++k)
      if (s.shapes[k]->name == name) inlet.shapes.push_back(static_cast<std::uint32_t>(k));
  return inlet;
}

bool any_flows(const Case& c) {
  bool any = !c.outlets.empty();
  for (const Case::Measure& m : c.measures) any |= m.kind == Case::Measure::Kind::flow;
  each_inlet(c, c.stages.size(), [&](const Case::Group&, std::uint64_t) { any = true; });
  return any;
}

void take_definitions(Simulation& s, const Case& c) {
  s.flows.has_any = any_flows(c);
  s.flows.seed = c.seed, s.flows.outlets = c.outlets;
  for (const Case::Measure& m : c.measures)
    if (m.kind == Case::Measure::Kind::flow) s.flows.planes.push_back(m);
}

/// What grain k of an inlet is, but for its place.
struct Grain {
  std::uint32_t shape = 0;
  double size = 0, mass = 0, radius = 0;
  Quat orientation;
};
Grain draw_grain(const Simulation& s, const Flows::Inlet& inlet, std::uint64_t k) {
  const Case::Group& g = inlet.group;
  Random own = draws(s.flows.seed, Stream::grain, inlet.stream, k);
  Grain grain;
  grain.shape = inlet.shapes[k % inlet.shapes.size()];
  grain.size = g.size.kind == Case::Size::Kind::fixed ? g.size.a : g.size.quantile(own.uniform());
  if (!g.orientation.random) {
    grain.orientation = g.orientation.fixed;
  } else if (s.dimensions == 2) {
    grain.orientation = axis_angle({0, 0, 1}, own.uniform(0, 2 * std::numbers::pi));
  } else {
    grain.orientation = own.rotation();
  }
  const Shape& shape = *s.shapes[grain.shape];
  grain.mass = shape.mass(grain.size, s.materials[static_cast<std::size_t>(g.material)].density, s.thickness);
  grain.radius = grain.size * shape.outer_radius();
  return grain;
}

/// Behind the rows of p.
void add_grain(const Simulation& s, const Case::Group& g, const Grain& grain, std::uint32_t id, Vec3 x, Particles& p) {
  const std::size_t i = p.size_rows();
  p.resize(i + 1);
  p.id[i] = id, p.shape[i] = grain.shape, p.material[i] = static_cast<std::uint32_t>(g.material);
  p.size[i] = grain.size, p.mass[i] = grain.mass, p.radius[i] = grain.radius;
  p.inertia[i] = s.shapes[grain.shape]->moments(grain.size, s.materials[p.material[i]].density, s.thickness);
  p.position[i] = x, p.orientation[i] = grain.orientation;
  p.velocity[i] = g.velocity, p.angular_velocity[i] = g.angular_velocity;
  p.angular_momentum[i] = integrate::angular_momentum(grain.orientation, g.angular_velocity, p.inertia[i]);
  p.force[i] = grain.mass * s.gravity, p.torque[i] = {}, p.travel[i] = 0;
}

/// Spheres that can be in the way of grains in the region: of all ranks; from row `fresh` on all have the same.
Occupancy taken_near(const Simulation& s, std::size_t fresh, const Region& region, double gap) {
  struct Sphere {
    Vec3 x;
    double radius;
  };
  std::vector<Sphere> near;
  const auto bounds = region.bounds();
  Vec3 low = bounds.first, high = bounds.second;
  for (std::size_t a = 0; a < 3; ++a)
    if (s.particles.domain.periodic[a]) low[a] = -INFINITY, high[a] = INFINITY;
  const auto look = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vec3 x = s.particles.position[i];
      const double r = s.particles.radius[i] + gap;
      if (x.x + r < low.x || x.y + r < low.y || x.z + r < low.z || x.x - r > high.x || x.y - r > high.y ||
          x.z - r > high.z)
        continue;
      near.push_back({x, s.particles.radius[i]});
    }
  };
  look(0, fresh - s.particles.copies);
  Occupancy taken(s.particles.domain);
  const auto take = [&taken](const Sphere& one) { taken.add(0, one.x, one.radius); };
  if (s.spread.ranks != nullptr) {
    for (const auto parcel : s.spread.ranks->gather(std::as_bytes(std::span(near))))
      for (ranks::Reader r(parcel); !r.is_done();) take(r.take<Sphere>());
    near.clear();
  }
  look(fresh, s.particles.size_rows());
  std::ranges::for_each(near, take);
  return taken;
}

/// A place where the grain's bounding sphere touches nothing.
std::optional<Vec3> find_place(const Simulation& s, const Case::Pour& pour, double radius, Random& draw,
                               const Occupancy& taken) {
  const Region inset = pour.region.inset(radius, s.dimensions == 2);
  if (inset.is_empty()) return {};
  for (int t = 0; t < kPlaceTries; ++t) {
    const Vec3 x = inset.sample(draw);
    const bool clear =
        std::all_of(s.walls.begin(), s.walls.end(), [&](const Wall& w) { return w.is_clear(x, radius); });
    if (clear && !taken.any_near(x, radius, std::max(pour.gap, 1e-9 * radius), [](std::uint32_t) { return true; }))
      return x;
  }
  return {};
}

void warn_if_late(Simulation& s, Flows::Inlet& inlet, std::size_t k, double due, double come, double grain) {
  const double missing = due - come;
  if (inlet.has_warned || missing < kLate * due || missing < kLateGrains * grain) return;
  inlet.has_warned = true;
  const bool by_mass = pour_of(inlet).mass_rate > 0;
  const std::string unit = by_mass ? " kg" : " grains";
  s.remarks.push_back("inlet '" + inlet.group.name + "' cannot keep its rate: at t = " + number(s.time) + " s it has " +
                      "poured " + number(come) + unit + " of the " + number(due) + unit + " due (" +
                      std::to_string(s.flows.poured[k]) +
                      " grains in all); its region is full: make it larger, let grains leave it faster (velocity), or "
                      "lower the rate");
}

/// What a grain that touches nothing brings into the ledger.
void book_newcomer(Simulation& s, std::size_t i) {
  const Particles& p = s.particles;
  Vec3 falls = s.gravity, falls_on{};
  for (std::size_t a = 0; a < 3; ++a)
    if (p.domain.periodic[a]) std::swap(falls[a], falls_on[a]);
  s.ledger.fallen -= p.mass[i] * dot(falls_on, p.position[i]);
  s.ledger.exchanged += 0.5 * p.mass[i] * norm2(p.velocity[i]) +
                        integrate::rotational_energy(p.orientation[i], p.angular_momentum[i], p.inertia[i]) -
                        p.mass[i] * dot(falls, p.position[i]);
}

/// Pours what is due, behind row `fresh`, from which on grains have just come.
void pour(Simulation& s, std::size_t k, std::size_t fresh) {
  Flows& w = s.flows;
  Flows::Inlet& inlet = w.inlets[k];
  const Case::Pour& how = pour_of(inlet);
  const double open = std::min(s.time - w.opened[k], how.duration.value_or(INFINITY));
  const double due = open * (how.mass_rate > 0 ? how.mass_rate : how.number_rate);
  const auto come = [&] {
    return how.mass_rate > 0 ? w.mass[k] - w.mass_before[k] : static_cast<double>(w.poured[k] - w.poured_before[k]);
  };
  std::optional<Occupancy> taken;
  for (std::uint64_t n = 0; n < kMostAtOnce && w.poured[k] < inlet.group.count && s.next_id < 0xfffffff0u; ++n) {
    const Grain grain = draw_grain(s, inlet, w.poured[k]);
    const double counts = how.mass_rate > 0 ? grain.mass : 1;
    if (come() + counts / 2 > due) break;  // nearest to what is due
    if (!taken) taken = taken_near(s, fresh, how.region, how.gap);
    // Anew at every step: what found no place is tried elsewhere.
    Random draw = draws(w.seed, Stream::place, inlet.stream, w.poured[k], s.step);
    const std::optional<Vec3> x = find_place(s, how, grain.radius, draw, *taken);
    if (!x) {
      warn_if_late(s, inlet, k, due, come(), counts);
      break;
    }
    taken->add(0, *x, grain.radius);
    add_grain(s, inlet.group, grain, s.next_id++, *x, s.particles);
    book_newcomer(s, s.particles.size_rows() - 1);
    ++w.poured[k], w.mass[k] += grain.mass;
  }
}

bool leaves_by(const Case::Outlet& o, Vec3 x) {
  return o.region ? o.region->contains(x) : dot(o.normal, x - o.point) > 0;
}

void remove_at_outlets(Simulation& s) {
  Flows& w = s.flows;
  const Particles& p = s.particles;
  if (std::ranges::none_of(w.open, [](std::uint8_t open) { return open != 0; })) return;
  std::vector<char> keep(p.size_rows(), 1);
  bool any = false;
  for (std::size_t k = 0; k < w.outlets.size(); ++k) {
    if (!w.open[k]) continue;
    ExactSum mass;
    std::uint64_t leave = 0;
    for (std::size_t i = 0; i < p.size_rows(); ++i) {
      if (!keep[i] || !leaves_by(w.outlets[k], p.place(i))) continue;
      keep[i] = 0;
      if (i < p.own_rows()) ++leave, mass += p.mass[i];
    }
    leave = sum_over_ranks(s, leave);
    if (leave == 0) continue;
    any = true;
    sum_over_ranks(s, std::array{&mass});
    w.removed[k] += leave, w.removed_mass[k] += mass.value();
  }
  if (!any) return;
  const Totals before = totals(s);
  remove_particles(s, keep);
  book_exchange(s, before);
}

/// Whether a change of side happened at the plane and not half a period away from it, where the nearest image changes.
bool is_near_plane(const Domain& domain, Vec3 d, Vec3 normal) {
  for (std::size_t a = 0; a < 3; ++a)
    if (domain.periodic[a] && normal[a] != 0 && !(std::abs(d[a]) < domain.period(a) / 4)) return false;
  return true;
}

void count_crossings(Simulation& s) {
  Flows& w = s.flows;
  Particles& p = s.particles;
  for (std::size_t k = 0; k < w.planes.size(); ++k) {
    ExactSum mass;
    std::int64_t cross = 0;
    for (std::size_t i = 0; i < p.size_rows(); ++i) {
      const std::uint64_t side = p.sides[i] >> (2 * k) & 3;
      const Vec3 d = nearest_image(p.domain, p.place(i) - w.planes[k].point);
      const bool before = side == 1, beyond = dot(w.planes[k].normal, d) > 0;
      const bool crosses = side != 0 && before == beyond && is_near_plane(p.domain, d, w.planes[k].normal);
      p.sides[i] ^= (side ^ (beyond ? 2u : 1u)) << (2 * k);
      if (crosses && i < p.own_rows()) cross += beyond ? 1 : -1, mass += beyond ? p.mass[i] : -p.mass[i];
    }
    sum_over_ranks(s, std::array{&mass});
    w.crossed[k] += sum_over_ranks(s, cross), w.crossed_mass[k] += mass.value();
  }
}

}  // namespace

Status set_up_flows(Simulation& s, const Case& c) {
  s.flows = {};
  take_definitions(s, c);
  Flows& w = s.flows;
  if (w.planes.size() > kMostPlanes)
    return about("measure", std::to_string(w.planes.size()) +
                                " planes count a flow; a grain remembers its side of no more than " +
                                std::to_string(kMostPlanes));
  for (const Case::Outlet& o : w.outlets) w.open.push_back(o.open ? 1 : 0);
  w.removed.resize(w.outlets.size()), w.removed_mass.resize(w.outlets.size());
  w.crossed.resize(w.planes.size()), w.crossed_mass.resize(w.planes.size());
  return ok();
}

Status check_inlets(const Simulation& s, const Case& c) {
  Status fits = ok();
  each_inlet(c, c.stages.size(), [&](const Case::Group& g, std::uint64_t stream) {
    if (!fits) return;
    const Flows::Inlet inlet = inlet_of(s, g, stream);
    const auto has_room = [&](double radius) {
      return !pour_of(inlet).region.inset(radius, s.dimensions == 2).is_empty();
    };
    double outer = 0;
    for (const std::uint32_t shape : inlet.shapes) outer = std::max(outer, s.shapes[shape]->outer_radius());
    if (has_room(g.size.largest() * outer)) return;
    double largest = 0;
    for (std::uint64_t k = 0; k < g.count; ++k) largest = std::max(largest, draw_grain(s, inlet, k).radius);
    if (!has_room(largest)) fits = about(g, region_is_narrow(largest));
  });
  return fits;
}

Status resume_flows(Simulation& s, const Case& c) {
  Flows& w = s.flows;
  const bool had = w.has_any;
  take_definitions(s, c);
  each_inlet(c, s.stage,
             [&](const Case::Group& g, std::uint64_t stream) { w.inlets.push_back(inlet_of(s, g, stream)); });
  if (!had && !w.has_any) return ok();
  const auto is_no_side = [&w](std::uint64_t sides) {
    const std::size_t bits = 2 * w.planes.size();
    return (bits < 64 && sides >> bits != 0) || (sides & sides >> 1 & 0x5555555555555555u) != 0;
  };
  const bool fits = w.pours.size() == w.inlets.size() && w.open.size() == w.outlets.size() &&
                    w.crossed.size() == w.planes.size() && w.planes.size() <= kMostPlanes &&
                    std::none_of(s.particles.sides.begin(), s.particles.sides.end(), is_no_side);
  if (had == w.has_any && fits) return ok();
  return Error{"the checkpoint's inlets, outlets or counting planes are not those of the case"};
}

void begin_inlet(Simulation& s, const Case::Group& g, std::uint64_t stream, std::vector<std::uint32_t> shapes) {
  Flows& w = s.flows;
  w.inlets.push_back({g, std::move(shapes), stream});
  w.pours.push_back(1), w.poured.push_back(0), w.poured_before.push_back(0);
  w.mass.push_back(0), w.mass_before.push_back(0), w.opened.push_back(s.time);
}

void open_and_close(Simulation& s, const Case::Stage& stage) {
  Flows& w = s.flows;
  const auto turn = [&](const std::string& name, bool open) {
    for (std::size_t k = 0; k < w.outlets.size(); ++k)
      if (w.outlets[k].name == name) w.open[k] = open ? 1 : 0;
    for (std::size_t k = 0; k < w.inlets.size(); ++k) {
      if (w.inlets[k].group.name != name) continue;
      if (open && !w.pours[k]) w.opened[k] = s.time, w.poured_before[k] = w.poured[k], w.mass_before[k] = w.mass[k];
      w.pours[k] = open ? 1 : 0;
    }
  };
  for (const std::string& name : stage.close) turn(name, false);
  for (const std::string& name : stage.open) turn(name, true);
}

Particles grains_to_come(const Simulation& s) {
  Particles come;
  for (std::size_t k = 0; k < s.flows.inlets.size(); ++k) {
    const Flows::Inlet& inlet = s.flows.inlets[k];
    if (s.flows.poured[k] >= inlet.group.count) continue;
    for (const std::uint32_t shape : inlet.shapes) {
      for (const double size : {inlet.group.size.smallest(), inlet.group.size.largest()}) {
        Grain g;
        g.shape = shape, g.size = size, g.radius = size * s.shapes[shape]->outer_radius();
        g.mass = s.shapes[shape]->mass(size, s.materials[static_cast<std::size_t>(inlet.group.material)].density,
                                       s.thickness);
        add_grain(s, inlet.group, g, 0, {}, come);
      }
    }
  }
  return come;
}

void insert_and_remove(Simulation& s) {
  Flows& w = s.flows;
  if (!w.has_any || s.step % kEvery != 0) return;
  if (!w.planes.empty()) count_crossings(s);
  remove_at_outlets(s);
  const std::size_t before = s.particles.size_rows();
  for (std::size_t k = 0; k < w.inlets.size(); ++k)
    if (w.pours[k] && w.poured[k] < w.inlets[k].group.count) pour(s, k, before);
  if (s.particles.size_rows() == before) return;
  take_in(s, before);
  take_census(s);
  s.list_is_valid = false;
  s.scratch.reset();
}

}  // namespace scree
