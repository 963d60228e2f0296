#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "base/exact_sum.h"
#include "base/text.h"
#include "exec/parallel.h"
#include "integrate/rigid_body.h"
#include "sim/scratch.h"
#include "sim/spread.h"

namespace scree {

namespace {

constexpr std::size_t kSumGrain = 8192;  // a chunk's sums take 8 kB

/// Sums over grains, in any order of them and in any parts.
struct BodySums {
  ExactSum kinetic_translation, kinetic_rotation, unrest, potential, work_of_gravity;
  ExactVec lost, momentum, angular_momentum;
  double max_speed = 0;
};

BodySums sum_bodies(const Simulation& s, std::size_t begin, std::size_t end) {
  const Particles& p = s.particles;
  // A fall along a periodic axis never ends: there is no potential.
  Vec3 falls = s.gravity;
  for (std::size_t a = 0; a < 3; ++a)
    if (p.domain.periodic[a]) falls[a] = 0;
  const Vec3 falls_on = s.gravity - falls;
  BodySums t;
  for (std::size_t i = begin; i < end; ++i) {
    const double v2 = norm2(p.velocity[i]);
    t.kinetic_translation += 0.5 * p.mass[i] * v2;
    const double spin = integrate::rotational_energy(p.orientation[i], p.angular_momentum[i], p.inertia[i]);
    t.kinetic_rotation += spin;
    t.unrest += 0.5 * p.mass[i] * v2 + (s.shapes[p.shape[i]]->kind == ShapeKind::sphere ? 0 : spin);
    t.potential += -(p.mass[i] * dot(falls, p.position[i]));
    t.work_of_gravity += p.mass[i] * dot(falls_on, p.position[i]);
    t.lost += p.lost[i];
    t.momentum += p.mass[i] * p.velocity[i];
    t.angular_momentum += p.mass[i] * cross(p.position[i], p.velocity[i]) + p.angular_momentum[i];
    t.max_speed = std::max(t.max_speed, std::sqrt(v2));
  }
  return t;
}

BodySums add(BodySums a, const BodySums& b) {
  a.kinetic_translation += b.kinetic_translation, a.kinetic_rotation += b.kinetic_rotation;
  a.unrest += b.unrest, a.potential += b.potential, a.work_of_gravity += b.work_of_gravity;
  a.lost += b.lost, a.momentum += b.momentum, a.angular_momentum += b.angular_momentum;
  a.max_speed = std::max(a.max_speed, b.max_speed);
  return a;
}

void sum_bodies_over_ranks(const Simulation& s, BodySums& b, ExactSum& elastic) {
  sum_over_ranks(s, std::array{&b.kinetic_translation, &b.kinetic_rotation, &b.unrest, &b.potential, &b.work_of_gravity,
                               &b.lost.x, &b.lost.y, &b.lost.z, &b.momentum.x, &b.momentum.y, &b.momentum.z,
                               &b.angular_momentum.x, &b.angular_momentum.y, &b.angular_momentum.z, &elastic});
}

struct ContactSums {
  ExactSum elastic;
  std::size_t contacts = 0, sliding = 0;
  double max_overlap = 0;
};

/// Of the first n contacts. size(pair): what an overlap is compared with.
template <class SmallerSize>
ContactSums sum_contacts(const PairTable& pairs, const ContactTable& contacts, std::size_t n, SmallerSize&& size) {
  return exec::parallel_reduce(
      n, kSumGrain, ContactSums{},
      [&](std::size_t begin, std::size_t end) {
        ContactSums t;
        for (std::size_t r = begin; r < end; ++r) {
          const std::uint32_t k = contacts.pair[r];
          t.elastic += contacts.energy[r];
          t.contacts += pairs.first[k] == r ? 1 : 0;
          t.sliding += contacts.sliding[r] ? 1 : 0;
          t.max_overlap = std::max(t.max_overlap, contacts.penetration_of(r) / size(k));
        }
        return t;
      },
      [](ContactSums a, const ContactSums& b) {
        a.elastic += b.elastic, a.contacts += b.contacts, a.sliding += b.sliding;
        a.max_overlap = std::max(a.max_overlap, b.max_overlap);
        return a;
      });
}

void sum_bonds(const Simulation& s, Totals& t) {
  if (!s.has_clusters) return;
  ExactSum elastic, lost;
  for (std::size_t r = 0; r < s.bonds.size(); ++r)
    if (is_own_bond(s, r)) elastic += s.bonds.energy[r], t.bonds += s.bonds.alive[r], lost += s.bonds.lost[r];
  sum_over_ranks(s, std::array{&elastic, &lost});
  t.bonds_elastic = elastic.value(), t.lost_bonds = lost.value(), t.bonds = sum_over_ranks(s, t.bonds);
  if (s.spread.ranks != nullptr) {
    t.fragments = count_fragments(s);
    return;
  }
  if (const Scratch* scratch = s.scratch.get()) {
    t.fragments = scratch->fragments.count();
    return;
  }
  bond::Adjacency bonds_of;
  bond::Fragments fragments;
  bonds_of.build(s.bonds, s.particles.size_rows());
  fragments.build(s.particles, s.bonds, bonds_of);
  t.fragments = fragments.count();
}

/// Constant while nothing comes from nothing.
double sum_of_ledger(const Totals& t) {
  return t.lively() + t.potential + t.lost() - t.work_of_walls - t.work_of_gravity - t.work_of_outside - t.exchanged;
}

/// What has gone, and the walls.
void sum_ledger(const Simulation& s, Totals& t) {
  const Ledger& l = s.ledger;
  t.lost_normal += l.lost.x, t.lost_tangential += l.lost.y, t.lost_friction += l.lost.z, t.lost_bonds += l.lost_bonds;
  t.lost_global = l.lost_global, t.work_of_outside = l.outside, t.work_of_walls = l.work;
  for (const Wall& w : s.walls) t.work_of_walls += w.work;
  t.work_of_gravity += l.fallen, t.exchanged = l.exchanged;
  t.unclosed = sum_of_ledger(t) - l.start;
}

}  // namespace

namespace {

// A gain counts above both: of what was lost, of the most that ever moved and was stored. A single hard contact is off
// by its leapfrog for as long as it lasts, hence the several instants.
constexpr double kGain = 0.01;
constexpr int kInstants = 3;
// Of the two together: with a stable step only what bonds leave behind as they break comes near it (docs/energy.md).
constexpr double kBurst = 0.5;

/// Some broke, and some are such that they exclude the contact of their two.
bool bonds_may_leave_overlaps(const Simulation& s) {
  const bool excludes = std::ranges::any_of(s.bonds.excludes, [](std::uint8_t e) { return e != 0; });
  return sum_over_ranks(s, excludes ? 1 : 0) > 0 && s.bonds_broken > 0;
}

/// Where the energy most likely comes from, else `otherwise`.
std::string source(const Simulation& s, const std::string& otherwise) {
  if (s.detection.contact_geometry == Case::ContactGeometry::contact_zone &&
      s.detection.points == Case::ZonePoints::paper) {
    return "the points of contact_zone as printed (detection: {points: paper}) come and go with their springs at full "
           "length; points: shared gains far less (docs/contact-geometry.md)";
  }
  if (bonds_may_leave_overlaps(s)) {
    return "bonds of clusters with contact: excluded that break under compression leave an overlap that pushes their "
           "spheres apart; contact: kept has none of that (docs/laws/bond.md); " +
           otherwise;
  }
  return otherwise;
}

/// J: what rounding of positions is worth as motion, of all grains, with room.
double rounding_of(const Simulation& s) {
  const Particles& p = s.particles;
  constexpr double kRounding = 1e-15;
  ExactSum all = exec::parallel_reduce(
      p.own_rows(), kSumGrain, ExactSum(),
      [&](std::size_t begin, std::size_t end) {
        ExactSum sum;
        for (std::size_t i = begin; i < end; ++i) {
          const double v = kRounding * (norm(p.position[i]) + p.radius[i]) / s.dt;
          sum += p.mass[i] * v * v;
        }
        return sum;
      },
      [](ExactSum a, const ExactSum& b) { return a += b; });
  sum_over_ranks(s, std::array{&all});
  return all.value();
}

}  // namespace

std::optional<std::string> LedgerWatch::look(Simulation& s, const Totals& t) {
  largest_ = std::max(largest_, t.lively());
  const double noticed = std::max(largest_, rounding_of(s));
  const auto count = [&](bool again, int& instants) { return (instants = again ? instants + 1 : 0) >= kInstants; };
  const bool gains = count(t.unclosed > kGain * t.lost() && t.unclosed > kGain * noticed, gains_);
  const std::string so_much =
      "energy from nothing: at t = " + number(s.time) + " s the ledger has " + number(t.unclosed) + " J too much, ";
  if (count(t.unclosed > kBurst * (t.lost() + noticed), bursts_) && !s.fault) {
    s.fault = Fault{Fault::Kind::energy,
                    so_much + number(100 * t.unclosed / (t.lost() + largest_)) +
                        " % of all that was lost, moved and was stored; " +
                        source(s, "the contacts are not stable: take a smaller time step (time_step: {fraction: ...})"),
                    {},
                    {}};
    return {};
  }
  if (has_said_ || !gains) return {};
  has_said_ = true;
  return so_much +
         (t.lost() > 0 ? number(100 * t.unclosed / t.lost()) + " % of what was lost; " : "and nothing was lost; ") +
         source(s, "a smaller time step (time_step: {fraction: ...}) shows whether it is the step's");
}

std::string LedgerWatch::verdict(const Totals& t) const {
  const double scale = std::max({t.lost(), t.lively(), largest_});
  if (!(scale > 0)) return "nothing has moved";
  const double off = t.unclosed / scale;
  return number(t.unclosed) + " J " + (off > 0 ? "too much" : "missing") + ", " + number(100 * std::abs(off)) +
         " % of " +
         (scale == t.lost() ? "the " + number(t.lost()) + " J that were lost"
                            : "the most that moved and was stored, " + number(scale) + " J");
}

void begin_ledger(Simulation& s) {
  s.ledger = {};
  for (Vec3& lost : s.particles.lost) lost = {};
  for (double& lost : s.bonds.lost) lost = 0;
  for (Wall& w : s.walls) w.work = 0;
  s.ledger.fallen = -totals(s).work_of_gravity;
  s.ledger.start = sum_of_ledger(totals(s));
}

void book_exchange(Simulation& s, const Totals& before) {
  s.ledger.fallen += before.work_of_gravity - totals(s).work_of_gravity;
  s.ledger.exchanged += sum_of_ledger(totals(s)) - sum_of_ledger(before);
}

Totals totals(const Simulation& s) {
  BodySums bodies = exec::parallel_reduce(
      s.particles.own_rows(), kSumGrain, BodySums{},
      [&](std::size_t begin, std::size_t end) { return sum_bodies(s, begin, end); }, add);
  ContactSums contacts = sum_contacts(s.pairs, s.contacts, own_contacts(s), [&](std::uint32_t k) {
    return std::min(overlap_length(s, s.pairs.a[k]), overlap_length(s, s.pairs.b[k]));
  });
  const ContactSums on_walls = sum_contacts(s.wall_pairs, s.wall_contacts, s.wall_contacts.size(),
                                            [&](std::uint32_t k) { return overlap_length(s, s.wall_pairs.a[k]); });
  contacts.elastic += on_walls.elastic;
  sum_bodies_over_ranks(s, bodies, contacts.elastic);
  Totals t;
  t.kinetic_translation = bodies.kinetic_translation.value(), t.kinetic_rotation = bodies.kinetic_rotation.value();
  t.unrest = bodies.unrest.value(), t.potential = bodies.potential.value();
  t.work_of_gravity = bodies.work_of_gravity.value();
  const Vec3 lost = bodies.lost.value();
  t.lost_normal = lost.x, t.lost_tangential = lost.y, t.lost_friction = lost.z;
  t.momentum = bodies.momentum.value(), t.angular_momentum = bodies.angular_momentum.value();
  t.max_speed = max_over_ranks(s, bodies.max_speed), t.elastic = contacts.elastic.value();
  t.contacts = sum_over_ranks(s, contacts.contacts + on_walls.contacts);
  t.sliding = sum_over_ranks(s, contacts.sliding + on_walls.sliding);
  t.max_overlap = max_over_ranks(s, std::max(contacts.max_overlap, on_walls.max_overlap));
  t.candidate_pairs = sum_over_ranks(s, own_pairs(s) + s.wall_pairs.size());
  t.contact_points = sum_over_ranks(s, own_contacts(s) + s.wall_contacts.size());
  sum_bonds(s, t);
  sum_ledger(s, t);
  return t;
}

std::size_t Simulation::bytes() const {
  std::size_t b =
      particles.bytes() + pairs.bytes() + wall_pairs.bytes() + contacts.bytes() + wall_contacts.bytes() + bonds.bytes();
  for (const Wall& w : walls) b += w.mesh ? w.mesh->bytes() : 0;
  if (const Scratch* c = scratch.get()) {
    b += c->bodies.bytes() + c->old_pairs.bytes() + c->old_wall_pairs.bytes() + c->old_contacts.bytes() +
         c->old_wall_contacts.bytes();
    for (const auto& n : c->near_facets) b += n.bytes();
    for (const auto* chunks : {&c->near_parts, &c->near_parts_of_walls})
      for (const auto& n : *chunks) b += n.bytes();
    b += (c->as_b_start.capacity() + c->as_b.capacity() + c->as_a_start.capacity() + c->wall_start.capacity() +
          c->old_start.capacity() + c->found_order.capacity()) *
         sizeof(std::uint32_t);
    b += (c->memory_normal.capacity() + c->wall_memory_normal.capacity() + c->torque_b.capacity()) * sizeof(Vec3);
    b += (c->on_a.capacity() + c->on_a_by_walls.capacity()) * sizeof(OnA);
    b += c->balls.capacity() * sizeof(narrow::Ball) + c->last_row.capacity() * sizeof(std::uint32_t);
    for (const auto& t : c->touching) b += t.capacity() * sizeof(narrow::TouchingPair);
    b += c->motion.capacity() * sizeof(BodyMotion) + c->body_size.capacity() * sizeof(BodySize);
    b += (c->dashpots.capacity() + c->wall_dashpots.capacity() + c->rate_a.capacity() + c->rate_b.capacity() +
          c->wall_rate.capacity()) *
         sizeof(double);
    b += c->on_walls.capacity() * sizeof(OnWall) + c->wall_answers.capacity() * sizeof(WallAnswer) +
         c->wall_taken.capacity() * sizeof(ExactSum);
    b += c->bonds_of.bytes() + c->fragments.bytes() + c->units.bytes();
    b += c->search.bytes() + c->found_pairs.capacity() * sizeof(neighbour::Pair);
    for (const auto* chunks : {&c->chunks, &c->wall_chunks})
      for (const auto& f : *chunks) b += f.bytes();
  }
  return b;
}

}  // namespace scree
