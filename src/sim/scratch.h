#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "bond/fragments.h"
#include "narrow/bodies.h"
#include "narrow/find_contacts.h"
#include "narrow/touching_balls.h"
#include "neighbour/neighbour.h"
#include "neighbour/units.h"
#include "sim/run_shapes.h"
#include "sim/simulation.h"
#include "sim/wall_sums.h"

namespace scree {

/// What the contacts of a body read of it: together, since they meet bodies in no order. Stale for a body without
/// pairs.
struct alignas(64) BodyMotion {
  Vec3 position, velocity, spin;
  Vec3 gain, spin_gain;  ///< m/s, rad/s: from the middle of the step to its end, if forces stay (Motion::gain)
  std::uint32_t material = 0;
};

/// What laws read of a body that never changes.
struct alignas(32) BodySize {
  double radius, mass;  ///< m, of the sphere of its volume; kg
  double rolling = 0;   ///< kg m^2, rolling_inertia()
  double least = 0;     ///< kg m^2, least moment of inertia about an axis that it can turn about
};

/// Of the contacts of one table on the A of their pairs.
struct OnA {
  Vec3 force, torque;  ///< N, N m; force: on B, A gets the opposite
  Vec3 lost;           ///< J, contact::Wrench::lost
};

/// Displacements, squared (m^2).
using Moved = TwoLargest;

/// Where the state is spread over ranks: rows that others have copies of, and copies, by rank and in ascending order of
/// ids; rank r has out_starts[r] ... out_starts[r + 1]. Behind them buffers.
struct Copies {
  std::vector<std::uint32_t> out, in;
  std::vector<std::size_t> out_starts, in_starts, out_bytes, in_bytes;
  std::vector<std::byte> sent, came;
};

/// What a step can always compute again from the state; buffers kept so that once warm no pair
/// and no particle costs an allocation (a reduction still makes one short vector, of a value per chunk).
struct Scratch {
  std::shared_ptr<const RunShapes> shapes;  ///< that of the simulation
  narrow::Bodies bodies;
  std::vector<narrow::WallView> wall_views;
  std::vector<narrow::NearFacets> near_facets;  ///< by chunk of the wall pairs
  bool near_facets_known = false;
  std::vector<narrow::NearParts> near_parts, near_parts_of_walls;  ///< of clumps, by chunk of the pairs
  bool near_parts_known = false;
  neighbour::Search search;
  std::vector<neighbour::Pair> found_pairs;
  PairTable old_pairs, old_wall_pairs;
  // Which rows of the pair tables a particle takes part in, partners in ascending order: as b (listed), then as a (a
  // range).
  std::vector<std::uint32_t> as_b_start, as_b, as_a_start, wall_start;
  std::vector<std::uint32_t> old_start, found_order;
  std::vector<Moved> moved;     ///< since the list was made, by chunk of the drift
  bool moved_is_known = false;  ///< whether the last drift led to the state as it stands
  double far_when_sorted = 0;   ///< share of pairs far from each other in memory when the rows were last sorted
  bool is_order_known = false;  ///< whether the order of the rows has been looked at
  bond::Adjacency bonds_of;     ///< of every particle row
  bond::Fragments fragments;
  neighbour::Units units;    ///< the fragments, for the neighbour search
  bool knows_units = false;  ///< whether they are those of the present rows and bonds
  std::vector<std::uint32_t> broken_rows;
  std::vector<narrow::FoundPoints> chunks, wall_chunks;
  std::vector<std::uint32_t> chunk_start, wall_chunk_start;
  // Where all bodies are round and all laws go by lanes, the rows of contacts between bodies are only laid out before
  // the forces: their points are made, and their memory is fetched, in the loop of the laws.
  bool points_with_forces = false;
  AlignedVector<narrow::Ball> balls;                        ///< per particle row, and one more
  std::vector<std::vector<narrow::TouchingPair>> touching;  ///< by chunk of pairs
  std::vector<std::uint32_t> last_row;                      ///< per contact row: in old_contacts; kNew
  LastContacts old_contacts, old_wall_contacts;
  // Per contact row: the normal that its memory belongs to; zero where it has none yet.
  std::vector<Vec3> memory_normal, wall_memory_normal;
  LawColumns laws;                      ///< each materials x materials, prepared; only kinds in use have rows
  std::vector<std::uint8_t> law_kind;   ///< materials x materials: alternative of Law; empty before there are laws
  std::uint64_t kinds_used = 0;         ///< bit k: some pair of materials has alternative k
  bool all_by_lanes = false;            ///< all kinds in use have Traits::lanes
  std::vector<contact::Beside> beside;  ///< materials x materials; empty: nothing acts beside the laws
  double adhesive_reach = 0;            ///< m: as the function of that name says
  std::vector<BodyMotion> motion;       ///< per particle row
  AlignedVector<BodySize> body_size;    ///< per particle row, and one more
  // What all dashpots together take of a velocity within a step, at most: per particle row, per wall. Empty where the
  // step resolves them.
  std::vector<double> dashpots, wall_dashpots;
  // What those of each contact take of the velocity of its A and of its B: 1/s.
  std::vector<double> rate_a, rate_b, wall_rate;
  std::vector<Vec3> torque_b;      ///< N m, per contact row: on B about its centroid
  std::vector<OnA> on_a;           ///< per particle row; stale where it is A of no contact
  std::vector<OnA> on_a_by_walls;  ///< per row of the contacts with walls, at the first of each A
  Copies copies;
  // Buffers of sum_by_wall.
  std::vector<OnWall> on_walls;
  std::vector<WallAnswer> wall_answers;
  std::vector<ExactSum> wall_taken;
};

/// Counts and measures the grains that are there, and those of `come`, for Simulation::census.
void take_census(Simulation& s, const Particles& come = {});

/// The scratch of s, made on first use.
Scratch& scratch_of(Simulation& s);

// The phases of step(), also used by set-up and stages.
void pose_bodies(Simulation& s);
void find_candidate_pairs(Simulation& s);
void find_contacts(Simulation& s);
/// `dt` 0: forces of the state as it stands; memory is carried but does not grow.
void compute_contact_forces(Simulation& s, double dt);
void compute_bond_forces(Simulation& s, double dt);
void sum_forces(Simulation& s);
/// Ends the bonds whose stress has reached their strength: events, fragments; the pairs are free to touch from now on.
void break_bonds(Simulation& s);
void check_and_report(Simulation& s);
/// Forces of the present state, without advancing it.
void refresh_forces(Simulation& s);

/// Bodies as they lie, and which pairs each has as A, for the rows as they are; the pairs must be in order.
void lay_out_rows(const Simulation& s, Scratch& scratch);
/// Bonds of every row and fragments, from the bonds; the bonds' own rows must be right.
void lay_out_bonds(const Simulation& s, Scratch& scratch);
/// Drops the rows of broken bonds. Only where the pairs are made anew: that moment is the same on every machine.
void tidy_bonds(Simulation& s, Scratch& scratch);
/// Fragments and single grains as the neighbour search wants them; made again only after a fragment fell apart or the
/// rows have changed.
const neighbour::Units& units_of(const Simulation& s, Scratch& scratch);
/// Takes the pairs out whose contact is excluded by a bond.
void drop_bonded_pairs(const Simulation& s, const Scratch& scratch, std::vector<neighbour::Pair>& pairs);

/// Drops the pairs and contacts of removed particles and walls and renumbers the rest; kGone marks what is removed.
inline constexpr std::uint32_t kGone = 0xffffffffu;
void renumber(Simulation& s, const std::vector<std::uint32_t>& particle_rows,
              const std::vector<std::uint32_t>& wall_rows);
/// New row of each of those with keep[i] != 0; kGone of the others.
std::vector<std::uint32_t> rows_of_kept(const std::vector<char>& keep);

/// What overlaps of particle i are compared with (m): its size, of a clump the diameter of its smallest part.
inline double overlap_length(const Simulation& s, std::size_t i) {
  const Particles& p = s.particles;
  return s.contacts.keeps_parts ? p.size[i] * s.shapes[p.shape[i]]->overlap_length() : p.size[i];
}

/// Laws of every pair of materials that the grains, those of `come` and the walls have, prepared for the smallest
/// particle (kg).
Status prepare_laws(Simulation& s, double smallest, const Particles& come = {});
/// Sorts the prepared laws by kind, for the loop over contacts.
void lay_out_laws(const Simulation& s, Scratch& scratch);
/// How far apart grains may be that adhere (m); 0: nothing does.
double adhesive_reach(const Simulation& s);

/// Takes away the rows with keep[i] == 0, with their pairs, contacts and bonds. Collective where the state is spread
/// over ranks.
void remove_particles(Simulation& s, const std::vector<char>& keep);

/// Inlets and outlets (sim/flows.cpp).
void begin_inlet(Simulation& s, const Case::Group& g, std::uint64_t stream, std::vector<std::uint32_t> shapes);
/// Outlets and planes of the case, all counts at 0. Errors: more planes than a grain remembers the side of.
Status set_up_flows(Simulation& s, const Case& c);
/// What is not saved of inlets and outlets. Errors: the counts are not those of this case.
Status resume_flows(Simulation& s, const Case& c);
void open_and_close(Simulation& s, const Case::Stage& stage);
/// At the end of a step: what has left goes, what is due comes.
void insert_and_remove(Simulation& s);

/// Places the particles of a group behind the present ones.
Status insert_group(Simulation& s, const Case& c, const Case::Group& group, std::uint64_t stream,
                    const ShapeSource& shapes);

}  // namespace scree
