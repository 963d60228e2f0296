// From posed bodies and candidate pairs to contact points.
#include "narrow/find_contacts.h"

#include <algorithm>
#include <cmath>

#include "base/timer.h"
#include "exec/parallel.h"
#include "sim/contact_memory.h"
#include "sim/pair_geometry.h"
#include "sim/scratch.h"

namespace scree {

namespace {

std::size_t chunks_of(std::size_t pairs) { return (pairs + kPairGrain - 1) / kPairGrain; }

narrow::ContactGeometry geometry_of(const Simulation& s) {
  if (s.detection.contact_geometry == Case::ContactGeometry::overlap) return narrow::ContactGeometry::overlap;
  return s.contacts.keeps_shares ? narrow::ContactGeometry::shared_zone : narrow::ContactGeometry::contact_zone;
}

void count(Simulation& s, const std::vector<narrow::FoundPoints>& chunks) {
  for (const narrow::FoundPoints& c : chunks) {
    s.counters.planes_skipped += c.counters.skipped, s.counters.planes_cached += c.counters.cached;
    s.counters.planes_solved += c.counters.solved, s.counters.planes_cold += c.counters.cold;
    s.counters.planes_searched += c.counters.searched;
    s.counters.iterations += c.counters.iterations, s.counters.evaluations += c.counters.evaluations;
    s.counters.iterations_max = std::max(s.counters.iterations_max, c.counters.iterations_max);
  }
}

/// Wall clock of the loop over both lists of chunks, shared out in the proportion of what each part took of the
/// threads.
void share_time(double seconds, const Scratch& scratch, Counters& counters) {
  double planes = 0, points = 0;
  for (const auto* chunks : {&scratch.chunks, &scratch.wall_chunks})
    for (const narrow::FoundPoints& c : *chunks) planes += c.seconds_planes, points += c.seconds_points;
  const double of_planes = planes > 0 ? planes / (planes + points) : 0;
  counters.seconds_planes += of_planes * seconds, counters.seconds_points += (1 - of_planes) * seconds;
}

/// The walls as they stand, and the facets of meshes near each body.
void view_walls(const Simulation& s, Scratch& scratch) {
  scratch.wall_views.clear();
  bool any_mesh = false;
  for (const Wall& w : s.walls) {
    scratch.wall_views.push_back({w.point, w.normal, w.travel, w.mesh.get(), rotation_matrix(w.orientation),
                                  w.front_only, w.round ? &*w.round : nullptr, w.velocity, w.spin, w.centre});
    any_mesh = any_mesh || w.mesh != nullptr;
  }
  scratch.near_facets.resize(chunks_of(s.wall_pairs.size()));
  if (!any_mesh || scratch.near_facets_known) return;
  // No body moves by more than the skin from where it was at the rebuild; made later than that, the list may have to
  // last for the way there and beyond.
  const double motion = (s.skin_tuning.made_at == s.step ? 1 : 2) * s.skin;
  exec::parallel_chunks(s.wall_pairs.size(), kPairGrain, [&](std::size_t begin, std::size_t end) {
    narrow::list_near_facets(s.particles, scratch.wall_views, s.wall_pairs, begin, end, motion, s.skin,
                             scratch.near_facets[begin / kPairGrain]);
  });
  scratch.near_facets_known = true;
}

/// Of clumps nothing is known of the parts of pairs that were made anew.
void forget_parts(const Simulation& s, Scratch& scratch) {
  if (!s.contacts.keeps_parts || scratch.near_parts_known) return;
  const auto forget = [](std::vector<narrow::NearParts>& chunks, std::size_t pairs) {
    chunks.resize(chunks_of(pairs));
    exec::parallel_for(chunks.size(), 4, [&](std::size_t c) {
      chunks[c].reset(c * kPairGrain, std::min(kPairGrain, pairs - c * kPairGrain));
    });
  };
  forget(scratch.near_parts, s.pairs.size()), forget(scratch.near_parts_of_walls, s.wall_pairs.size());
  scratch.near_parts_known = true;
}

bool points_come_with_forces(const Simulation& s, const Scratch& scratch) {
  return scratch.bodies.mix() == narrow::BodyMix::round && scratch.all_by_lanes && !s.contacts.keeps_patches;
}

void gather_balls(const Particles& p, AlignedVector<narrow::Ball>& out) {
  out.resize(p.size_rows() + 1);
  exec::parallel_for(p.size_rows(), 1024, [&](std::size_t i) { out[i] = {p.position[i], p.radius[i]}; });
}

/// Takes out the points of bodies that are apart and do not adhere, or have come farther apart than their contact
/// bears.
template <bool kWalls>
void drop_parted(const Simulation& s, const Scratch& scratch, const PairTable& pairs, narrow::FoundPoints& out) {
  const Particles& p = s.particles;
  std::erase_if(out.points, [&](const narrow::FoundPoint& f) {
    if (f.depth > 0) return false;
    const std::uint32_t i = pairs.a[f.pair], j = pairs.b[f.pair];
    const std::uint32_t material = kWalls ? s.walls[j].material : p.material[j];
    const double ri = radius_of(p, scratch, i, 0), effective = kWalls ? ri : in_series(ri, radius_of(p, scratch, j, 0));
    return f.depth <= parting_depth(s.laws[p.material[i] * s.materials.size() + material], effective);
  });
}

/// What adheres and has come farther apart than its contact bears does not touch.
void drop_parted(Simulation& s, const Scratch& scratch, std::vector<narrow::TouchingPair>& touching) {
  const Particles& p = s.particles;
  std::erase_if(touching, [&](const narrow::TouchingPair& t) {
    const std::uint32_t i = s.pairs.a[t.row], j = s.pairs.b[t.row];
    const double depth = p.radius[i] + p.radius[j] - std::sqrt(norm2(p.from_to(i, j)));
    if (depth > 0) return false;
    const double effective = in_series(radius_of(p, scratch, i, 0), radius_of(p, scratch, j, 0));
    const bool gone = depth <= parting_depth(s.laws[p.material[i] * s.materials.size() + p.material[j]], effective);
    if (gone) s.pairs.count[t.row] = 0;
    return gone;
  });
}

/// Into the scratch's chunks.
void find_points(Simulation& s, Scratch& scratch) {
  const narrow::ContactGeometry geometry = geometry_of(s);
  scratch.points_with_forces = points_come_with_forces(s, scratch);
  scratch.chunks.resize(scratch.points_with_forces ? 0 : chunks_of(s.pairs.size()));
  scratch.touching.resize(scratch.points_with_forces ? chunks_of(s.pairs.size()) : 0);
  scratch.wall_chunks.resize(chunks_of(s.wall_pairs.size()));
  const auto with = [&](std::vector<narrow::FoundPoints>& chunks, auto&& find) {
    return [&s, &scratch, &chunks, find](std::size_t begin, std::size_t end) {
      narrow::FoundPoints& out = chunks[begin / kPairGrain];
      out.clear();
      out.wants_patches = s.contacts.keeps_areas, out.wants_parts = s.contacts.keeps_parts;
      out.wants_tracked = &chunks == &scratch.chunks && s.contacts.keeps_tracked;
      out.adhesive_reach = scratch.adhesive_reach;
      find(begin, end, out);
    };
  };
  const auto parts_of = [&](std::vector<narrow::NearParts>& chunks, std::size_t begin) {
    return s.contacts.keeps_parts ? &chunks[begin / kPairGrain] : nullptr;
  };
  const auto bodies_meet = [&](std::size_t begin, std::size_t end, narrow::FoundPoints& out) {
    narrow::find_body_contacts(s.particles, scratch.bodies, s.pairs, begin, end, s.detection.common_plane, geometry,
                               out, parts_of(scratch.near_parts, begin), &s.contacts);
    if (scratch.adhesive_reach > 0) drop_parted<false>(s, scratch, s.pairs, out);
  };
  const auto walls_are_met = [&](std::size_t begin, std::size_t end, narrow::FoundPoints& out) {
    narrow::find_wall_contacts(s.particles, scratch.bodies, scratch.wall_views, s.wall_pairs, begin, end, geometry,
                               scratch.near_facets[begin / kPairGrain], out,
                               parts_of(scratch.near_parts_of_walls, begin), &s.wall_contacts);
    if (scratch.adhesive_reach > 0) drop_parted<true>(s, scratch, s.wall_pairs, out);
  };
  const auto on_walls = with(scratch.wall_chunks, walls_are_met);
  if (!scratch.points_with_forces)
    return exec::parallel_both(s.pairs.size(), s.wall_pairs.size(), kPairGrain, with(scratch.chunks, bodies_meet),
                               on_walls);
  gather_balls(s.particles, scratch.balls);
  const auto balls_meet = [&](std::size_t begin, std::size_t end) {
    std::vector<narrow::TouchingPair>& out = scratch.touching[begin / kPairGrain];
    out.clear();
    narrow::find_touching(scratch.balls, s.particles.domain, s.pairs, begin, end, scratch.adhesive_reach, out);
    if (scratch.adhesive_reach > 0) drop_parted(s, scratch, out);
  };
  exec::parallel_both(s.pairs.size(), s.wall_pairs.size(), kPairGrain, balls_meet, on_walls);
}

}  // namespace

void find_contacts(Simulation& s) {
  Scratch& scratch = scratch_of(s);
  view_walls(s, scratch);
  forget_parts(s, scratch);
  double seconds = 0;
  {
    const Timer timer(seconds);
    find_points(s, scratch);
  }
  share_time(seconds, scratch, s.counters);
  count(s, scratch.chunks), count(s, scratch.wall_chunks);
  const Timer timer(s.counters.seconds_points);
  assemble_contacts(s, scratch);
}

}  // namespace scree
