// Walls that the grains push back: what their contacts answer with, and whether a servo keeps its force.
#include "sim/drives.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "base/text.h"
#include "boundary/drive.h"
#include "sim/pair_geometry.h"
#include "sim/scratch.h"

namespace scree {

namespace {

constexpr double kOff = 0.02;           // of the force: a mean that is news
constexpr double kSwing = 0.1;          // likewise, a root mean square about it
constexpr double kThere = 0.5;          // likewise, a mean at which the grains are pressed together
constexpr double kPatience = 50000;     // steps after which a servo that only swings is named while the stage goes on
constexpr double kShareOfDepth = 1e-4;  // how far two bodies approach a step when a law is asked for its dashpot

/// Of a contact along its normal: N/m, N s/m. The dashpot is asked of the law itself, by a slow approach: one that caps
/// it does not cap that. `share`: of a zone's point.
template <class L>
void add_answer(const L& law, const contact::Geometry& g, double share, double dt, WallAnswer& sum) {
  sum.stiffness += share * law.normal_stiffness(g);
  const double rate = kShareOfDepth * std::abs(g.depth) / dt;
  contact::Motion approach;
  approach.velocity = -rate * g.normal;
  contact::Memory none;
  none.normal = g.normal;
  const double gain = law(g, approach, none).normal_force - law.elastic_normal_force(g);
  if (rate > 0 && gain > 0) sum.dashpot += share * gain / rate;
}

contact::Geometry geometry_of(const Simulation& s, const Scratch& scratch, std::size_t r) {
  const ContactTable& c = s.wall_contacts;
  const Particles& p = s.particles;
  const std::uint32_t i = s.wall_pairs.a[c.pair[r]], part = c.keeps_parts ? c.part[r] >> 16 : 0;
  contact::Geometry g = geometry_of(c, r);
  g.radius = radius_of(p, scratch, i, part), g.mass = p.mass[i];
  return g;
}

double steps_driven(const Simulation& s, const Wall& w) {
  return std::max(0.0, std::round((s.time - w.motion_started) / s.dt));
}

/// After kPatience steps, twice, four times ... as many: nothing has to be remembered.
bool is_time_to_look(double steps) {
  int power = 0;
  return steps >= kPatience && std::frexp(steps / kPatience, &power) == 0.5;
}

bool only_swings(const Wall& w, double asked) {
  return boundary::swing(w) > kSwing * std::abs(asked) && std::abs(w.missed) <= kThere * std::abs(asked);
}

std::string not_kept(const Simulation& s, const Wall& w, double asked) {
  const double most = w.motion.drive->max_velocity;
  std::string text = "the servo of wall '" + w.name + "' does not keep its force: over the last " +
                     number(std::min(steps_driven(s, w), boundary::kServoMemory)) +
                     " steps before t = " + number(s.time) + " s " + number(asked - w.missed) +
                     " N on average, with a scatter of " + number(boundary::swing(w)) + " N, where " + number(asked) +
                     " N are asked for; ";
  if (w.stiffness == 0) return text + "it touches nothing";
  if (!only_swings(w, asked) && std::abs(w.driven) >= most)
    return text + "it moves as fast as it may (max_velocity), " + number(most) + " m/s";
  return text + "the grains are not at rest";
}

void note_missed(Simulation& s, Wall& w, double net, double asked) {
  const double steps = steps_driven(s, w);
  boundary::note_missed(w, net, steps);
  if (is_time_to_look(steps) && w.stiffness > 0 && only_swings(w, asked)) s.remarks.push_back(not_kept(s, w, asked));
}

boundary::Space space_of(const Simulation& s) { return {s.particles.domain, s.dimensions, s.thickness}; }

}  // namespace

void measure_drives(Simulation& s) {
  const auto is_driven = [](const Wall& w) { return w.motion.drive.has_value(); };
  if (std::ranges::none_of(s.walls, is_driven)) return;
  Scratch& scratch = scratch_of(s);
  for (Wall& w : s.walls) w.stiffness = w.dashpot = 0;
  if (scratch.law_kind.empty() || !(s.dt > 0)) return;  // set-up finds contacts before there are laws
  const auto add = [&](const Wall& w, std::size_t r, WallAnswer& sum) {
    if (!is_driven(w)) return;
    const contact::Geometry g = geometry_of(s, scratch, r);
    if (!(g.depth > 0)) return;
    const std::uint32_t i = s.wall_pairs.a[s.wall_contacts.pair[r]];
    const double share = s.wall_contacts.keeps_shares ? s.wall_contacts.share[r] : 1;
    std::visit([&](const auto& law) { add_answer(law, g, share, s.dt, sum); },
               s.laws[s.particles.material[i] * s.materials.size() + w.material]);
  };
  sum_by_wall(s, scratch.wall_answers, add, is_driven);
  for (std::size_t w = 0; w < s.walls.size(); ++w)
    s.walls[w].stiffness = scratch.wall_answers[w].stiffness.value(),
    s.walls[w].dashpot = scratch.wall_answers[w].dashpot.value();
}

double force_asked(const Simulation& s, const Wall& w) { return boundary::force_asked(s.walls, w, space_of(s)); }

double area_of_side(const Simulation& s, const Wall& w) { return boundary::area_of_side(s.walls, w, space_of(s)); }

void kick_walls(Simulation& s, bool step_begins) {
  for (Wall& w : s.walls) {
    if (!w.motion.drive) continue;
    const boundary::Motion::Drive& d = *w.motion.drive;
    const bool is_free = d.kind == boundary::Motion::Drive::Kind::free;
    if (!is_free && !step_begins) continue;
    const double asked = force_asked(s, w);
    const double net = asked + dot(w.force + d.mass * s.gravity, w.drive_direction());
    if (!is_free) note_missed(s, w, net, asked);
    boundary::kick(w, net, is_free ? s.dt / 2 : s.dt);
  }
}

std::vector<std::string> servos_that_fail(const Simulation& s) {
  std::vector<std::string> said;
  for (const Wall& w : s.walls) {
    if (!w.motion.drive || w.motion.drive->kind != boundary::Motion::Drive::Kind::servo) continue;
    const double asked = force_asked(s, w);
    if (asked == 0) continue;
    if (std::abs(w.missed) > kOff * std::abs(asked) || boundary::swing(w) > kSwing * std::abs(asked))
      said.push_back(not_kept(s, w, asked));
  }
  return said;
}

}  // namespace scree
