#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "bond/bonds.h"
#include "boundary/wall.h"
#include "contact/laws.h"
#include "geometry/polyhedron.h"
#include "narrow/contacts.h"
#include "particles/particles.h"
#include "ranks/ranks.h"
#include "ranks/regions.h"
#include "sim/case.h"
#include "sim/on_wall.h"

namespace scree {

/// Why a run stopped by itself; never a matter of input.
struct Fault {
  enum class Kind { not_finite, overlap_too_deep, neighbours, too_fast, wall, energy, parted } kind = Kind::not_finite;
  std::string message;                     ///< a sentence: which particles, when, where
  std::vector<std::uint32_t> ids;          ///< the particles it names
  Vec3 place;                              ///< m
  std::optional<std::uint32_t> wall = {};  ///< id of the wall it names
  std::string advice = {};                 ///< what may help, a clause; empty: the message has it

  std::string text() const { return message + (advice.empty() ? "" : "; " + advice); }
};

/// Sums over the whole system at one instant.
struct Totals {
  double kinetic_translation = 0, kinetic_rotation = 0, potential = 0,
         elastic = 0;        ///< J; potential relative to the origin, of gravity across periodic axes
  double unrest = 0;         ///< J, kinetic energy without the spin of spheres: what rest is told by
  Vec3 momentum;             ///< kg m/s
  Vec3 angular_momentum;     ///< kg m^2/s about the origin; jumps where a grain crosses a seam
  double bonds_elastic = 0;  ///< J
  // The ledger (docs/energy.md), J since the start: to dashpots along the normals, to those along and about the planes,
  // to friction; to dashpots and breakage of bonds; what walls have done, gravity along periodic axes, forces from
  // outside; what came and went with grains and stages; what does not close, > 0: from nothing.
  double lost_normal = 0, lost_tangential = 0, lost_friction = 0, lost_bonds = 0, lost_global = 0;
  double work_of_walls = 0, work_of_gravity = 0, work_of_outside = 0, exchanged = 0, unclosed = 0;
  std::uint64_t bonds = 0, fragments = 0;  ///< bonds that hold; fragments, single grains among them
  double max_speed = 0;                    ///< m/s
  double max_overlap = 0;                  ///< deepest penetration over the smaller particle's size, dimensionless
  std::uint64_t candidate_pairs = 0, contacts = 0, contact_points = 0, sliding = 0;

  double lost() const { return lost_normal + lost_tangential + lost_friction + lost_bonds + lost_global; }
  /// What moves, with what is stored.
  double lively() const { return kinetic_translation + kinetic_rotation + elastic + bonds_elastic; }
};

/// Counters since the start of the run; not part of the state.
struct Counters {
  std::uint64_t rebuilds = 0;
  std::uint64_t listed_steps = 0;  ///< sum of the ages of the lists that rebuilds ended
  struct Skin {
    std::uint64_t step = 0;
    double skin = 0;  ///< m
    std::uint64_t pairs = 0;
  };
  std::vector<Skin> skins;            ///< the lists whose skin was another than the one before
  std::uint64_t spatial_sorts = 0;    ///< how often the particles were put into spatial order in memory
  std::uint64_t planes_skipped = 0;   ///< pairs settled by the motion bound alone
  std::uint64_t planes_cached = 0;    ///< answered by the cached feature
  std::uint64_t planes_solved = 0;    ///< full searches that started from a cached plane
  std::uint64_t planes_cold = 0;      ///< full searches without one
  std::uint64_t planes_searched = 0;  ///< searches that their first plane did not end: the pair was near
  std::uint64_t iterations = 0;       ///< of those
  std::uint64_t iterations_max = 0;
  std::uint64_t evaluations = 0;   ///< gap(n) with true support, in full searches
  neighbour::Choice search;        ///< of the last rebuild; no reason: there was none
  std::uint64_t search_bytes = 0;  ///< memory of the search's buffers
  double seconds_neighbours = 0, seconds_planes = 0, seconds_points = 0, seconds_forces = 0, seconds_integrate = 0;
};

/// Sizes of the whole. Set by take_census where the set of grains changes, `pairs` where the list is made; not saved.
struct Census {
  std::uint64_t grains = 0, pairs = 0;  ///< pairs: candidates among grains
  double widest = 0, median = 0;        ///< m, of the radii of the bounding spheres
  double lightest = 0;                  ///< kg
  friend bool operator==(const Census&, const Census&) = default;
};

/// What the tuning of the skin goes by (sim/skin.h).
struct SkinTuning {
  double diameter = 0;        ///< m, median of the bounding spheres
  double speed = 0;           ///< m, skin used up by a step, lately; 0: nothing known
  std::uint64_t made_at = 0;  ///< step of the last rebuild
};

/// Inlets that have begun, in the order in which they did, outlets in the order of the case, and planes through which
/// grains are counted.
struct Flows {
  bool has_any = false;  ///< whether the case has any of them: only then are they part of the state
  double lightest = 0;   ///< kg, what the laws were prepared for: the smallest grain that was there or can come
  // Of each inlet
  std::vector<std::uint8_t> pours;                   ///< 0: closed
  std::vector<std::uint64_t> poured, poured_before;  ///< in all; until it opened last
  std::vector<double> mass, mass_before;             ///< kg, the same
  std::vector<double> opened;                        ///< s
  // Of each outlet
  std::vector<std::uint8_t> open;
  std::vector<std::uint64_t> removed;
  std::vector<double> removed_mass;  ///< kg
  // Of each plane; which side a grain is on: Particles::sides
  std::vector<std::int64_t> crossed;  ///< along the normal, less those that came back
  std::vector<double> crossed_mass;   ///< kg, the same
  // From the case, not saved
  struct Inlet {
    Case::Group group;
    std::vector<std::uint32_t> shapes;  ///< rows
    std::uint64_t stream = 0;           ///< of random draws
    bool has_warned = false;
  };
  std::vector<Inlet> inlets;
  std::vector<Case::Outlet> outlets;
  std::vector<Case::Measure> planes;
  std::uint64_t seed = 0;
};

/// What of the energy ledger is not told by the grains, walls and bonds that are there (docs/energy.md). J.
struct Ledger {
  Vec3 lost;               ///< of grains that have gone: Particles::lost
  double lost_bonds = 0;   ///< of bonds that have broken or gone
  double lost_global = 0;  ///< to global damping
  double work = 0;         ///< of walls that have gone
  double outside = 0;      ///< done by forces from outside
  double fallen = 0;       ///< work of gravity along periodic axes, less what the present positions tell
  double exchanged = 0;    ///< brought by inlets and stages, less what outlets and stages took
  double start = 0;        ///< the sum when the run began
};

/// Of a simulation that is this rank's part of a whole (sim/spread.h).
struct Spread {
  ranks::Ranks* ranks = nullptr;                    ///< with whom; null: all of it is here
  std::shared_ptr<const ranks::Regions> regions;    ///< whose the grains are
  std::vector<OnWall> on_standing_walls;            ///< this rank's part, of each wall; nobody asks in a step
  double busy_when_divided = 0, last_division = 0;  ///< s: of this rank's own work; that the last division took
  std::uint64_t divisions = 0;
  /// Of all ranks, since the list was made: squares of how far grains will have come after the next drift (m^2).
  std::optional<TwoLargest> foreseen;
  double waited_in_forces = 0;                     ///< s: that Counters::seconds_forces has of waiting for others
  mutable std::optional<std::uint64_t> fragments;  ///< counted when asked for, until a bond breaks or grains go
};

struct Scratch;

/// Owns what a step can always compute again. Copies come out empty, so that two copies never share buffers.
class ScratchHandle {
 public:
  ScratchHandle() = default;
  ScratchHandle(const ScratchHandle&) {}
  ScratchHandle(ScratchHandle&&) noexcept = default;
  ScratchHandle& operator=(const ScratchHandle& o) {
    if (this != &o) held_.reset();
    return *this;
  }
  ScratchHandle& operator=(ScratchHandle&&) noexcept = default;
  ~ScratchHandle() = default;
  Scratch* get() const { return held_.get(); }
  void set(std::shared_ptr<Scratch> s) { held_ = std::move(s); }
  void reset() { held_.reset(); }

 private:
  std::shared_ptr<Scratch> held_;
};

struct RunShapes;

/// Everything that a run is made of. A value: it can be copied, hashed and saved.
struct Simulation {
  // What it is made of
  int dimensions = 3;                                ///< 2: all motion is in the plane z = 0
  double thickness = 1;                              ///< m, of planar shapes
  std::vector<std::shared_ptr<const Shape>> shapes;  ///< rows of Particles::shape
  std::shared_ptr<const RunShapes> run_shapes;       ///< made of `shapes` when needed, and again when they change
  std::vector<Case::Material> materials;
  std::vector<Case::Contact> contacts_given;  ///< laws as the user gave them, changed by stages
  std::vector<Law> laws;                      ///< materials x materials, prepared
  Case::Detection detection;
  double skin = 0;  ///< m, Verlet skin of the present list
  SkinTuning skin_tuning;
  // State
  Particles particles;
  std::vector<Wall> walls;
  Vec3 gravity;
  bool has_damping = false;  ///< whether there has been global damping: only then is it part of the state
  double damping = 0;        ///< 1/s, Case::Damping::global
  double time = 0;           ///< s
  double dt = 0;             ///< s
  std::uint32_t braked = 0;  ///< 1: some dashpots may be too strong for the step to be explicit
  std::uint64_t step = 0;
  std::uint32_t next_id = 0, next_wall_id = 0;
  PairTable pairs, wall_pairs;
  ContactTable contacts, wall_contacts;
  bool has_clusters = false;  ///< whether the case has any: only then are the bonds part of the state
  bond::Bonds bonds;
  std::uint64_t bonds_broken = 0;
  std::uint32_t next_cluster = 0;
  Ledger ledger;
  bool list_is_valid = false;  ///< whether the pairs are those of Particles::listed_at
  Flows flows;
  // Stages
  std::uint64_t stage = 0;   ///< row of the case's stages that is running
  double stage_started = 0;  ///< s
  // Of this step, not saved
  ScratchHandle scratch;  ///< posed vertices, adjacency, buffers; made again when missing
  Counters counters;
  Census census;
  Spread spread;
  std::vector<bond::Event> broken;   ///< bonds that broke in the last step, in the order of the bonds
  std::vector<std::string> remarks;  ///< of the last step: what the user should know, in sentences
  std::optional<Fault> fault;        ///< set by step(); a faulted simulation must not be stepped further

  std::size_t bytes() const;  ///< memory held by state and scratch
};

/// f(name, value) for every part of the state that decides the future and is no table of rows, in a fixed order; value
/// is a trivially copyable scalar or a short std::vector of such.
template <class F>
void visit_scalars(Simulation& s, F&& f) {
  f("time", s.time);
  f("dt", s.dt);
  f("braked", s.braked);
  f("step", s.step);
  f("next_id", s.next_id);
  f("next_wall_id", s.next_wall_id);
  f("stage", s.stage);
  f("stage_started", s.stage_started);
  f("gravity", s.gravity);
  f("skin", s.skin);
  f("skin_diameter", s.skin_tuning.diameter), f("skin_speed", s.skin_tuning.speed);
  f("skin_made_at", s.skin_tuning.made_at);
  f("list_is_valid", s.list_is_valid);
  if (s.has_damping) f("damping", s.damping), f("ledger_lost_global", s.ledger.lost_global);
  if (s.particles.keeps_outer) f("ledger_outside", s.ledger.outside);
  if (s.has_clusters) f("bonds_broken", s.bonds_broken), f("next_cluster", s.next_cluster);
  if (s.flows.has_any) {
    Flows& w = s.flows;
    f("lightest", w.lightest);
    f("inlets/pours", w.pours), f("inlets/poured", w.poured), f("inlets/poured_before", w.poured_before);
    f("inlets/mass", w.mass), f("inlets/mass_before", w.mass_before), f("inlets/opened", w.opened);
    f("outlets/open", w.open), f("outlets/removed", w.removed), f("outlets/removed_mass", w.removed_mass);
    f("planes/crossed", w.crossed), f("planes/crossed_mass", w.crossed_mass);
  }
  f("ledger_lost", s.ledger.lost), f("ledger_lost_bonds", s.ledger.lost_bonds), f("ledger_work", s.ledger.work);
  f("ledger_fallen", s.ledger.fallen), f("ledger_exchanged", s.ledger.exchanged), f("ledger_start", s.ledger.start);
}

/// f(name, value) for every part of the state that decides the future, in a fixed order: visit_scalars, then the
/// columns of the tables. The checkpoint and the copy test are generated from it. Shapes, materials, laws and walls'
/// names come from the case.
template <class F>
void visit_state(Simulation& s, F&& f) {
  visit_scalars(s, f);
  s.particles.for_each_column([&](auto name, auto, FieldRole role, auto& column) {
    if (role != FieldRole::derived) f("particles/" + std::string(name), column);
  });
  // Of pairs and of contacts.
  const auto table = [&](const std::string& at, auto& t) {
    t.with_columns(
        [&](auto name, auto, ContactRole role, auto& column) {
          if (role != ContactRole::derived) f(at + "/" + std::string(name), column);
        },
        t);
  };
  table("pairs", s.pairs), table("wall_pairs", s.wall_pairs);
  table("contacts", s.contacts), table("wall_contacts", s.wall_contacts);
  if (s.has_clusters) {
    s.bonds.for_each_column([&](auto name, auto, FieldRole role, auto& column) {
      if (role != FieldRole::derived) f("bonds/" + std::string(name), column);
    });
  }
}

/// Hash of visit_state and of the walls: equal bits, equal hash, whatever the order of the rows in memory.
std::uint64_t state_hash(const Simulation& s);

/// Advances by one step of s.dt (src/sim/step.cpp). Sets s.fault instead of going on when the physics has failed.
void step(Simulation& s);

/// Sums of the state as it stands. O(particles + contacts). Collective where the state is spread over ranks.
Totals totals(const Simulation& s);

/// Begins the ledger at the state as it stands.
void begin_ledger(Simulation& s);
/// Books what has changed since the totals `before` as brought or taken from outside.
void book_exchange(Simulation& s, const Totals& before);

/// What a run says of its ledger. Told the totals of the output instants.
class LedgerWatch {
 public:
  /// A warning, once, where energy has come from nothing at several instants on end; `s.fault` where that is half of
  /// all there was.
  std::optional<std::string> look(Simulation& s, const Totals& t);
  /// Of the totals at the end: whether the ledger closes.
  std::string verdict(const Totals& t) const;

 private:
  double largest_ = 0;          ///< J, of all looks: what moved and was stored
  int gains_ = 0, bursts_ = 0;  ///< instants on end
  bool has_said_ = false;
};

/// Of each particle row the lowest id in its fragment: what bonds hold together.
std::vector<std::uint32_t> fragments_of(const Simulation& s);

/// The neighbour search that the last rebuild used, or that the next one will use, and why.
neighbour::Choice search_choice(const Simulation& s);

/// Radius of the sphere of the particle's volume, in two dimensions of the circle of its area (m): what laws take for
/// its curvature.
double equivalent_radius(const Simulation& s, const Particles& p, std::size_t row);
inline double equivalent_radius(const Simulation& s, std::size_t row) { return equivalent_radius(s, s.particles, row); }

/// The smallest and the largest grain of each shape that inlets will pour, so that laws, skin and time step suit them.
Particles grains_to_come(const Simulation& s);

// Of the grains that are there and of `come`. Collective where the state is spread over ranks.

/// Critical time step of the stiffest contact that the particles can have, with the dashpots of rolling (s)
/// (docs/time-step.md).
double critical_time_step(const Simulation& s, const Particles& come = {});
/// Depth at which the time step judges a law whose stiffness grows: this share of the grain's size.
inline constexpr double kReferenceDepth = 0.01;
/// That of `auto` (s): a fraction of what the springs alone would allow, and no more than a third of what they allow
/// with the dashpots of rolling. 0: nothing has a stiffness.
double auto_time_step(const Simulation& s, double fraction, const Particles& come = {});
/// Whether the step resolves the dashpots of contacts, so that they may be explicit.
bool dashpots_are_slow(const Simulation& s, const Particles& come = {});

/// Where shapes come from: io/ reads the library's files and hands them over.
using ShapeSource = std::function<Result<std::shared_ptr<const Shape>>(const std::string& name)>;

/// Builds the world of a case at time 0, with the first stage begun. Errors: a shape that is not there, initial
/// overlaps, a given time step above the critical one, a law missing for a pair of materials that can meet.
Result<Simulation> set_up(const Case& c, const ShapeSource& shapes);

// The two halves of set_up, between which a run on ranks is shared out: no rank ever lists the pairs of the whole.

/// The world with its grains where they begin; `places` false: without them, where another rank has them. Errors: as
/// set_up's.
Result<Simulation> place_grains(const Case& c, const ShapeSource& shapes, bool places = true);
/// Begins the first stage, on those ranks where there are several, with the grains of the first. Collective then.
/// Errors: as set_up's, everyone's.
Status begin_first_stage(Simulation& s, const Case& c, const ShapeSource& shapes, ranks::Ranks* ranks = nullptr);

/// Restores what visit_state does not hold (shapes, laws, walls up to the running stage) for a checkpoint of the same
/// case. Call after the state was read into `s`. `came`: shapes beyond the case's, that grains from outside have.
Status resume_set_up(Simulation& s, const Case& c, const ShapeSource& shapes,
                     const std::vector<std::string>& came = {});

/// Shares out a run that goes on: the first rank has resumed all of it, the others the same world without its rows.
/// Collective.
Status resume_on(ranks::Ranks& ranks, Simulation& s);

/// Ends the running stage and begins the next one (removes walls, changes gravity, inserts ...). False: there is none.
/// Collective where the state is spread over ranks, and whole at the first in between where grains are placed.
Result<bool> begin_next_stage(Simulation& s, const Case& c, const ShapeSource& shapes);

/// What a stage can change is changed now, from outside, while the stage goes on: walls that move otherwise or go,
/// gravity, damping, grains that come, height above which they go; first of all go the grains `gone` (ids). The ledger
/// has it as brought or taken. What walls come, and friction, are the case's: a run would not find them again when it
/// is resumed. Errors, which change nothing: those of a stage, an id that is not there. Not of a state that is spread.
Status change(Simulation& s, const Case& c, const Case::Stage& changes, std::span<const std::uint32_t> gone,
              const ShapeSource& shapes);

/// True when the running stage's own end (duration, rest) is reached. `energies_known`: totals were just computed.
bool stage_is_over(const Simulation& s, const Case& c, const Totals* energies_known);

/// How a stage ended. Energies: means per grain at its end.
struct StageEnd {
  bool by_rest = false;               ///< otherwise by its duration
  double energy = 0;                  ///< J, as rest counts it: without the spin of spheres
  double rotation = 0;                ///< J, what of it is rotation
  double sphere_spin = 0;             ///< J, the spin of spheres
  std::string text;                   ///< "rest: ..." or "duration"
  std::vector<std::string> warnings;  ///< sentences: a rest that was not reached, servos that do not keep their force
};
/// Of the running stage, which is over. `t`: of this state.
StageEnd stage_end(const Simulation& s, const Case& c, const Totals& t);

}  // namespace scree
