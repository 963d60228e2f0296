#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <new>
#include <numeric>
#include <unordered_set>

#include "base/exact_sum.h"
#include "base/text.h"
#include "boundary/drive.h"
#include "narrow/round_contacts.h"
#include "sim/about_key.h"
#include "sim/drives.h"
#include "sim/placement.h"
#include "sim/row_order.h"
#include "sim/scratch.h"
#include "sim/skin.h"
#include "sim/spread.h"

namespace scree {

namespace {

// Verlet skin that tuning begins with, as a share of the median bounding diameter.
constexpr double kSkinShare = 0.1;
// Overlaps deeper than this at the start would burst; shallower ones are the user's business.
constexpr double kInitialOverlap = 0.05;

std::string place(Vec3 x) { return "x = (" + number(x.x) + ", " + number(x.y) + ", " + number(x.z) + ") m"; }

void begin_motion(Wall& w, const boundary::Motion& motion, double time) {
  const bool goes_on = w.motion.drive && motion.drive && w.motion.drive->along == motion.drive->along;
  if (!goes_on) w.driven = 0;
  w.acceleration = {};
  w.motion = motion, w.motion_started = time;
  w.centre = motion.rotation ? motion.rotation->through : w.point;
  w.reach = 0;
  if (w.mesh && motion.rotation) {
    const Mat3 r = rotation_matrix(w.orientation);
    w.reach = w.mesh->reach_about(transpose_times(r, w.centre - w.point), transpose_times(r, motion.rotation->axis));
  }
  boundary::set_velocity(w, 0);
}

void add_wall(Simulation& s, const Case::Wall& given) {
  Wall w;
  w.id = s.next_wall_id++;
  w.take(given, false);
  begin_motion(w, given.motion, s.time);
  s.walls.push_back(std::move(w));
  if (s.spread.ranks != nullptr) s.spread.on_standing_walls.resize(s.walls.size());
}

bool is_part_of(const std::string& wall, const std::string& name) {
  return wall == name || (wall.size() > name.size() && wall.compare(0, name.size() + 1, name + ".") == 0);
}

/// Whether its contacts may be more than points.
bool makes_patches(const Shape& shape) {
  if (shape.kind != ShapeKind::clump) return !is_round(shape.kind);
  return std::any_of(shape.parts.begin(), shape.parts.end(),
                     [](const auto& part) { return makes_patches(*part.shape); });
}

std::vector<std::uint32_t> identity_rows(std::size_t n) {
  std::vector<std::uint32_t> rows(n);
  std::iota(rows.begin(), rows.end(), 0u);
  return rows;
}

void remove_walls(Simulation& s, const std::vector<std::string>& names) {
  std::vector<std::uint32_t> rows(s.walls.size());
  std::vector<Wall> kept;
  std::vector<OnWall> parts;
  for (std::size_t w = 0; w < s.walls.size(); ++w) {
    const bool gone =
        std::any_of(names.begin(), names.end(), [&](const std::string& n) { return is_part_of(s.walls[w].name, n); });
    rows[w] = gone ? kGone : static_cast<std::uint32_t>(kept.size());
    if (gone) s.ledger.work += s.walls[w].work;
    if (gone) continue;
    kept.push_back(s.walls[w]);
    if (s.spread.ranks != nullptr) parts.push_back(s.spread.on_standing_walls[w]);
  }
  renumber(s, identity_rows(s.particles.size_rows()), rows);
  s.walls = std::move(kept), s.spread.on_standing_walls = std::move(parts);
}

/// Removes the particles whose centroid lies above a height along -gravity (z where there is no gravity). How many they
/// were.
std::size_t cut_above(Simulation& s, double height) {
  const Vec3 up = norm2(s.gravity) > 0 ? -1.0 * normalized(s.gravity) : Vec3{0, 0, 1};
  const std::size_t before = s.particles.own_rows();
  std::vector<char> keep(s.particles.size_rows());
  for (std::size_t i = 0; i < keep.size(); ++i) keep[i] = dot(up, s.particles.place(i)) <= height ? 1 : 0;
  remove_particles(s, keep);
  return sum_over_ranks(s, before - s.particles.own_rows());
}

void change_friction(Simulation& s, const std::vector<Case::FrictionChange>& changes) {
  for (const Case::FrictionChange& f : changes) {
    for (Case::Contact& c : s.contacts_given) {
      const bool same = (c.material_a == f.material_a && c.material_b == f.material_b) ||
                        (c.material_a == f.material_b && c.material_b == f.material_a);
      if (same) std::visit([&](auto& law) { law.friction_angle = f.friction_angle; }, c.law);
    }
  }
}

/// Is every period long enough for the grains, and does no mesh end where they pass a seam?
Status check_seams(const Simulation& s) {
  constexpr double kRoom = 0.05;  // of the largest radius: the thinnest skin that makes sense
  const SeamRoom room = room_at_seams(s);
  if (!(room.skin < std::numeric_limits<double>::infinity())) return ok();
  const double r = s.census.widest, least = kRoom * r;
  const std::string axis(1, "xyz"[room.axis]);
  const double skin = s.detection.skin.value_or(0);
  if (room.skin >= std::max(least, skin)) return ok();
  const std::string adheres =
      room.adhesive > 0 ? ", which adhere over up to " + number(room.adhesive) + " m," : std::string();
  const std::string why = skin > least ? " with a skin of " + number(skin) + " m (detection.skin)" : "";
  if (room.wall == nullptr)
    return about("periodic." + axis,
                 "the period, " + number(s.particles.domain.period(room.axis)) +
                     " m, is too short for bounding spheres of diameter " + number(2 * r) + " m" + adheres + why +
                     ": they could meet two images of one another; it has to be longer than " +
                     number((1 + 1e-3) * 2 * (2 * r + room.adhesive + std::max(least, skin))) + " m");
  return about(
      "periodic." + axis,
      "the wall '" + room.wall->name +
          "' ends at the seam; it has to go on beyond both ends of the period, or to stay away from both, by " +
          number((1 + 1e-3) * (r + 2 * std::max(least, skin))) + " m (" + number(r) +
          " m is the radius of the largest bounding sphere)" + why);
}

/// What suits the grains that are there and those that come; the census is of both.
Status settle_parameters_of_all(Simulation& s, const Case& c, const Particles& come) {
  const bool has_none = s.census.grains == 0;
  if (Status fits = check_seams(s); !fits) return fits;
  if (Status prepared = prepare_laws(s, s.flows.lightest, come); !prepared) return prepared;
  if (!s.list_is_valid) {  // a list that stands keeps the skin that it was made with
    s.skin_tuning = {2 * s.census.median, 0, s.step};
    s.skin = c.detection.skin.value_or(kSkinShare * s.skin_tuning.diameter);
  }
  const double critical = critical_time_step(s, come);
  if (c.time_step.fixed) {
    s.dt = *c.time_step.fixed;
    if (critical > 0 && s.dt > critical) {
      return about("time_step", number(s.dt) + " s is above the critical time step, " + number(critical) +
                                    " s, of the lightest grains on the stiffest contact; give a smaller one or 'auto'");
    }
  } else {
    if (critical > 0)
      s.dt = auto_time_step(s, c.time_step.fraction, come);  // without grains, after a stage, the step stays
    if (!(s.dt > 0) && has_none)
      return about("time_step", "auto needs grains, and none is there when the first stage begins; give a time step");
    if (!(s.dt > 0)) return about("time_step", "auto needs a contact with a stiffness; give a time step instead");
  }
  s.braked = dashpots_are_slow(s, come) ? 0 : 1;
  return ok();
}

/// After the set of particles has changed: skin, laws, time step, all of which suit what inlets will pour too.
Status settle_parameters(Simulation& s, const Case& c) {
  const Particles come = grains_to_come(s);
  take_census(s, come);
  s.flows.lightest = s.census.lightest;
  const Status settled = settle_parameters_of_all(s, c, come);
  take_census(s);
  s.scratch.reset();
  return settled;
}

/// Grains that come or have come since, by groups.
struct Newcomers {
  struct Group {
    std::uint32_t from = 0, to = 0;  ///< ids from, to below
    std::string name;
    bool may_overlap = false;
  };
  std::uint32_t first = 0;         ///< id; this one and all after it
  std::vector<Group> groups = {};  ///< in the order of their ids

  const Group* group_of(std::uint32_t id) const {
    const auto after =
        std::upper_bound(groups.begin(), groups.end(), id, [](std::uint32_t i, const Group& g) { return i < g.from; });
    return after == groups.begin() || id >= std::prev(after)->to ? nullptr : &*std::prev(after);
  }
  bool may_overlap(std::uint32_t id) const {
    const Group* g = group_of(id);
    return g != nullptr && g->may_overlap;
  }
  /// " of 'gravel'"; nothing for those that were there before.
  std::string owner(std::uint32_t id) const {
    const Group* g = group_of(id);
    return g == nullptr ? "" : " of '" + g->name + "'";
  }
  std::string name(std::uint32_t id) const { return std::to_string(id) + owner(id); }
};

bool pours(const Case::Group& g) { return std::holds_alternative<Case::Pour>(g.place); }

/// Of groups that are to be placed, in this order.
Newcomers newcomers(const Case& c, const std::vector<Case::Group>& groups, std::uint32_t next_id) {
  Newcomers fresh;
  fresh.first = next_id;
  for (const Case::Group& g : groups) {
    const std::uint32_t from = next_id;
    if (!pours(g)) next_id += static_cast<std::uint32_t>(c.particles_of(g));
    fresh.groups.push_back({from, next_id, g.name, g.may_overlap});
  }
  return fresh;
}

/// `stream`: of the first one's random draws. `places`: whether this rank has all grains, so that it can place more;
/// inlets are begun by every one.
Status insert_groups(Simulation& s, const Case& c, const std::vector<Case::Group>& groups, std::uint64_t stream,
                     const ShapeSource& shapes, bool places) {
  for (const Case::Group& g : groups) {
    const bool acts = places || pours(g);
    if (const Status inserted = acts ? insert_group(s, c, g, stream, shapes) : ok(); !inserted)
      return about(g, inserted.error());
    ++stream;
  }
  return ok();
}

/// The first rank's. Collective.
Status of_first(ranks::Ranks& ranks, const Status& mine) {
  const auto told = [&](const std::string& text) { return ranks.tell(0, text); };
  if (ranks.sum_of(ranks.is_first() && !mine ? 1 : 0) == 0) return ok();
  const Error why = mine ? Error{""} : mine.error();
  return Error{told(why.message), told(why.key)};
}

/// Grains that are placed among others ask for all of them: the first rank has them meanwhile. Collective.
Status insert_among(Simulation& s, const Case& c, const std::vector<Case::Group>& groups, std::uint64_t stream,
                    const ShapeSource& shapes) {
  ranks::Ranks* const ranks = s.spread.ranks;
  if (ranks == nullptr || std::ranges::all_of(groups, pours)) return insert_groups(s, c, groups, stream, shapes, true);
  make_whole(s);  // what walls bear is of the motions before this stage's, until forces are found
  const Status inserted = of_first(*ranks, insert_groups(s, c, groups, stream, shapes, ranks->is_first()));
  if (inserted) deal(s, *ranks);
  return inserted;
}

struct Deepest {
  std::size_t count = 0, row = 0;  ///< of those deeper than allowed; the deepest one's row
  double share = 0;                ///< of the smaller one's size
  static std::string place_of(Vec3 centre, Vec3 point, double size) {
    Vec3 x = centre + point;
    for (std::size_t k = 0; k < 3; ++k)
      if (std::abs(x[k]) < 1e-9 * size) x[k] = 0;  // rounding
    return place(x);
  }
  void take(std::size_t r, double depth_share) {
    if (!(depth_share > kInitialOverlap)) return;
    ++count;
    if (depth_share > share) share = depth_share, row = r;
  }
  /// Counts over all ranks; whether the deepest is here. ids(row): which of equal ones comes first. Collective.
  template <class F>
  bool is_deepest_of(const Simulation& s, F&& ids) {
    const double deepest = max_over_ranks(s, share);
    const std::uint64_t mine = count > 0 && share == deepest ? ids(row) : ~std::uint64_t{0};
    count = sum_over_ranks(s, count);
    return min_over_ranks(s, mine) == mine;
  }
  /// `at`: where they touch.
  std::string text(double depth, const std::string& at) const {
    return number(100 * share) + " % of the smaller one's size (" + number(depth) + " m) at " + at +
           ", the deepest of " + std::to_string(count);
  }
};

std::string when(const Simulation& s) {
  if (s.time > s.stage_started) return " now";
  return s.stage == 0 ? " at the start" : " when the stage begins";
}

constexpr char kApart[] = "; place them apart, or let them with `overlap: allow`";

Status check_initial_overlaps(const Simulation& s, const Newcomers& fresh) {
  const Particles& p = s.particles;
  const RowOrder ids = id_order(s);
  const std::size_t own = own_contacts(s);
  const auto counts = [&](std::uint32_t id) { return id >= fresh.first && !fresh.may_overlap(id); };
  Deepest pair, wall;
  for (std::size_t place = 0; place < s.contacts.size(); ++place) {
    const std::size_t r = ids.row(ids.contact, place);
    if (r >= own) continue;
    const std::uint32_t i = s.pairs.a[s.contacts.pair[r]], j = s.pairs.b[s.contacts.pair[r]];
    // Of a pair, an old one has no say.
    if (fresh.may_overlap(p.id[i]) || fresh.may_overlap(p.id[j]) || !(counts(p.id[i]) || counts(p.id[j]))) continue;
    pair.take(r, s.contacts.penetration_of(r) / std::min(overlap_length(s, i), overlap_length(s, j)));
  }
  for (std::size_t place = 0; place < s.wall_contacts.size(); ++place) {
    const std::size_t r = ids.row(ids.wall_contact, place);
    const std::uint32_t i = s.wall_pairs.a[s.wall_contacts.pair[r]];
    if (counts(p.id[i])) wall.take(r, s.wall_contacts.penetration_of(r) / overlap_length(s, i));
  }
  const auto text_of_pair = [&] {
    const std::uint32_t k = s.contacts.pair[pair.row], i = s.pairs.a[k], a = p.id[i], b = p.id[s.pairs.b[k]];
    const std::string both = fresh.group_of(a) == fresh.group_of(b) ? std::to_string(a) + " and " + fresh.name(b)
                                                                    : fresh.name(a) + " and " + fresh.name(b);
    return "particles " + both + " overlap" + when(s) + " by " +
           pair.text(s.contacts.penetration_of(pair.row),
                     Deepest::place_of(p.position[i], s.contacts.point[pair.row], p.size[i])) +
           " pairs that do by more than " + number(100 * kInitialOverlap) + " %" + kApart;
  };
  const auto text_of_wall = [&] {
    const std::uint32_t k = s.wall_contacts.pair[wall.row], i = s.wall_pairs.a[k];
    return "particle " + fresh.name(p.id[i]) + " reaches beyond wall '" + s.walls[s.wall_pairs.b[k]].name + "'" +
           when(s) + " by " +
           wall.text(s.wall_contacts.penetration_of(wall.row),
                     Deepest::place_of(p.position[i], s.wall_contacts.point[wall.row], p.size[i])) +
           " that do by more than " + number(100 * kInitialOverlap) + " %" + kApart;
  };
  const auto ids_of = [&p](std::uint32_t a, std::uint32_t b) { return std::uint64_t{p.id[a]} << 32 | b; };
  const bool pair_is_here = pair.is_deepest_of(s, [&](std::size_t r) {
    const std::uint32_t k = s.contacts.pair[r];
    return ids_of(s.pairs.a[k], p.id[s.pairs.b[k]]);
  });
  if (pair.count > 0) return Error{told_by(s, pair_is_here, pair_is_here ? text_of_pair() : "")};
  const bool wall_is_here = wall.is_deepest_of(s, [&](std::size_t r) {
    const std::uint32_t k = s.wall_contacts.pair[r];
    return ids_of(s.wall_pairs.a[k], s.wall_pairs.b[k]);
  });
  if (wall.count > 0) return Error{told_by(s, wall_is_here, wall_is_here ? text_of_wall() : "")};
  if (s.fault && s.fault->kind == Fault::Kind::overlap_too_deep)
    return Error{s.fault->text()};  // `overlap: allow` or not
  return ok();
}

/// A plane holds back what stands before it: what lies behind it would burst out, and a polyhedron, whose overlap has
/// no direction there, would fall for ever. `is_fresh(wall)`: grains that were there before are looked at too.
template <class F>
Status check_before_planes(Simulation& s, const Newcomers& fresh, F&& is_fresh) {
  const Particles& p = s.particles;
  const narrow::Bodies& bodies = scratch_of(s).bodies;
  std::size_t count = 0, row = 0;
  double farthest = 0;
  const Wall* wall = nullptr;
  bool is_whole = false;
  for (std::size_t i = 0; i < p.own_rows(); ++i) {
    for (const Wall& w : s.walls) {
      const double height = w.mesh ? 1 : dot(w.normal, p.position[i] - w.point);
      if (!(height < 0) || !(p.id[i] >= fresh.first || is_fresh(w))) continue;
      const double lowest = height + narrow::lowest_point(p, bodies, i, w.normal),
                   highest = height - narrow::lowest_point(p, bodies, i, -1.0 * w.normal);
      if (highest > 0 && -lowest <= 0.5 * overlap_length(s, i)) continue;
      ++count;
      if (wall != nullptr && std::pair(height, p.id[i]) >= std::pair(farthest, p.id[row])) continue;
      farthest = height, row = i, wall = &w, is_whole = highest <= 0;
    }
  }
  count = sum_over_ranks(s, count);
  if (count == 0) return ok();
  const bool is_farthest = max_over_ranks(s, -farthest) == -farthest && wall != nullptr;
  const std::uint64_t mine = is_farthest ? p.id[row] : ~std::uint64_t{0};
  if (min_over_ranks(s, mine) != mine) return Error{told_by(s, false, "")};
  return Error{told_by(
      s, true,
      "particle " + fresh.name(p.id[row]) + " lies " + (is_whole ? "wholly" : "mostly") + " behind the plane '" +
          wall->name + "'" + when(s) + ", its centre by " + number(-farthest) + " m, at " + place(p.position[row]) +
          ", the farthest of " + std::to_string(count) +
          "; grains belong on the side that the normal points to: move them there, turn the normal, or leave the "
          "wall out")};
}

/// What is yet to come is no part of the state: later stages may be edited before a run is resumed.
void damp_by(Simulation& s, const Case::Damping& d) {
  s.damping = d.global;
  if (d.global > 0) s.has_damping = true;
}

void begin_motions(Simulation& s, const std::vector<Case::Move>& moves) {
  for (const Case::Move& m : moves) {
    for (Wall& w : s.walls) {
      if (is_part_of(w.name, m.wall)) begin_motion(w, m.motion, s.time), w.steered = m.words;
    }
  }
}

/// Motions that ask the contacts for nothing, and nothing else: the forces that stand stay as they are. Torques are
/// about the axis, and a belt's power is that of its speed.
bool moves_only(const Simulation& s, const Case::Stage& changes) {
  const bool more = !changes.remove.empty() || !changes.add.empty() || changes.gravity || changes.damping ||
                    !changes.friction.empty() || changes.cut_above || !changes.insert.empty() ||
                    !changes.open.empty() || !changes.close.empty();
  const auto is_plain = [](const boundary::Motion& m) {
    return !m.drive && !m.rotation && m.surface_velocity == Vec3{};
  };
  return !more && std::ranges::all_of(changes.move, [&](const Case::Move& m) {
    return is_plain(m.motion) && std::ranges::all_of(s.walls, [&](const Wall& w) {
             return !is_part_of(w.name, m.wall) || is_plain(w.motion);
           });
  });
}

/// What a stage changes when it begins. `placed`: groups inserted so far, which numbers the streams of random draws.
Status make_changes(Simulation& s, const Case& c, const Case::Stage& stage, std::uint64_t placed,
                    const ShapeSource& shapes, Newcomers fresh) {
  std::ranges::move(newcomers(c, stage.insert, s.next_id).groups, std::back_inserter(fresh.groups));
  if (!stage.remove.empty()) remove_walls(s, stage.remove);
  if (!stage.add.empty()) {
    for (const Case::Wall& w : stage.add) add_wall(s, w);
    s.list_is_valid = false;
  }
  boundary::number_sides(s.walls);
  if (stage.gravity) s.gravity = *stage.gravity;
  if (stage.damping) damp_by(s, *stage.damping);
  change_friction(s, stage.friction);
  begin_motions(s, stage.move);
  const std::size_t cut = stage.cut_above ? cut_above(s, stage.cut_above->height) : 0;
  open_and_close(s, stage);
  if (Status inserted = insert_among(s, c, stage.insert, placed, shapes); !inserted) return inserted;
  const bool has_none = cut > 0 && sum_over_ranks(s, s.particles.own_rows()) == 0 && s.flows.inlets.empty();
  if (has_none && s.dt == 0 && !c.time_step.fixed)
    return about("stages[0].cut_above", "all grains (" + std::to_string(cut) + ") lie above " +
                                            number(stage.cut_above->height) +
                                            " m when the stage begins and are taken away; none is left");
  if (Status settled = settle_parameters(s, c); !settled) return settled;
  refresh_forces(s);
  if (s.fault && s.fault->kind == Fault::Kind::neighbours) return about("detection.neighbours", s.fault->text());
  const auto is_added = [&](const Wall& w) {
    return std::any_of(stage.add.begin(), stage.add.end(), [&](const Case::Wall& a) { return a.name == w.name; });
  };
  if (Status before = check_before_planes(s, fresh, is_added); !before) return before;
  return stage.insert.empty() && s.step > 0 ? ok() : check_initial_overlaps(s, fresh);
}

Status begin_stage(Simulation& s, const Case& c, const Case::Stage& stage, std::uint64_t placed,
                   const ShapeSource& shapes, Newcomers fresh) {
  s.stage_started = s.time;
  return make_changes(s, c, stage, placed, shapes, std::move(fresh));
}

std::uint64_t groups_before(const Case& c, std::uint64_t stage) {
  std::uint64_t n = c.particles.size();
  for (std::uint64_t k = 0; k < stage && k < c.stages.size(); ++k) n += c.stages[k].insert.size();
  return n;
}

/// Every shape that the case will ever need, in the order of the file: rows never change while a run lasts.
Status load_shapes(Simulation& s, const Case& c, const ShapeSource& source, const std::vector<std::string>& came = {}) {
  s.dimensions = c.dimensions, s.thickness = c.thickness, s.has_clusters = !c.clusters.empty();
  const auto load_all = [&](const std::vector<std::string>& names) -> Status {
    for (const std::string& name : names) {
      if (std::any_of(s.shapes.begin(), s.shapes.end(), [&](const auto& shape) { return shape->name == name; }))
        continue;
      Result<std::shared_ptr<const Shape>> shape = source(name);
      if (!shape) return shape.error();
      if (is_planar((*shape)->kind) != (c.dimensions == 2)) {
        return Error{"shape '" + name + "' is for simulations in " +
                     (c.dimensions == 2 ? "three dimensions; this one has two" : "two dimensions; this one has three")};
      }
      s.shapes.push_back(*shape);
    }
    return ok();
  };
  Status loaded = ok();
  c.for_each_group([&](const Case::Group& g) {
    if (loaded) loaded = load_all(g.shapes);
  });
  return loaded ? load_all(came) : loaded;
}

}  // namespace

void remove_particles(Simulation& s, const std::vector<char>& keep) {
  renumber(s, rows_of_kept(keep), identity_rows(s.walls.size()));
  ExactVec lost;
  ExactSum lost_bonds;
  for (std::size_t i = 0; i < s.particles.own_rows(); ++i)
    if (!keep[i]) lost += s.particles.lost[i];
  for (std::size_t r = 0; r < s.bonds.size(); ++r)  // of what has gone they go too
    if (is_own_bond(s, r) && !(keep[s.bonds.row_a[r]] && keep[s.bonds.row_b[r]])) lost_bonds += s.bonds.lost[r];
  sum_over_ranks(s, std::array{&lost.x, &lost.y, &lost.z, &lost_bonds});
  s.ledger.lost += lost.value(), s.ledger.lost_bonds += lost_bonds.value();
  s.particles.compact(keep);
  s.spread.fragments.reset();
  take_census(s);
  count_pairs(s);
  bond::find_rows(s.bonds, s.particles);
}

namespace {

/// Adhesion within a law is that of two spheres, or of a sphere and a plane.
Status check_adhesion(const Simulation& s) {
  for (const Case::Contact& c : s.contacts_given) {
    if (!(parting_depth(c.law, 1) < 0)) continue;
    const std::string cohesion = "cohesion: " + std::string(traits_of(c.law).adhesion);
    for (const auto& shape : s.shapes) {
      if (shape->kind != ShapeKind::sphere)
        return about("contacts",
                     cohesion + " is for runs of spheres alone, whose curvature it needs; the case has the shape '" +
                         shape->name + "' (cohesion: dmt takes any shape)");
    }
    for (const Wall& w : s.walls) {
      const auto m = static_cast<int>(w.material);
      if (w.mesh && (c.material_a == m || c.material_b == m))
        return about("contacts", cohesion + " knows spheres and planes; the wall '" + w.name +
                                     "' is a mesh, a cylinder or a cone (cohesion: dmt takes any wall)");
    }
  }
  return ok();
}

}  // namespace

Status prepare_laws(Simulation& s, double smallest, const Particles& come) {
  const std::size_t n = s.materials.size();
  std::vector<char> known(n * n, 0);
  s.laws.assign(n * n, Law{});
  for (const Case::Contact& c : s.contacts_given) {
    Law law = c.law;
    std::visit([&](auto& l) { l.prepare(smallest); }, law);
    const auto a = static_cast<std::size_t>(c.material_a), b = static_cast<std::size_t>(c.material_b);
    s.laws[a * n + b] = s.laws[b * n + a] = law;
    known[a * n + b] = known[b * n + a] = 1;
  }
  std::vector<std::int64_t> grains(n, 0);
  std::vector<std::size_t> of_walls(n, 0);
  for (std::size_t i = 0; i < s.particles.own_rows(); ++i) ++grains[s.particles.material[i]];
  if (s.spread.ranks != nullptr) s.spread.ranks->sum(grains);
  for (const std::uint32_t m : come.material) ++grains[m];
  for (const Wall& w : s.walls) of_walls[w.material] = 1;
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      // One grain does not meet itself; what inlets may bring is not counted.
      const bool grains_meet = a != b ? grains[b] > 0 : grains[a] > 1 || s.flows.has_any;
      if (grains[a] > 0 && (grains_meet || of_walls[b] > 0) && !known[a * n + b]) {
        return about("contacts",
                     "no law between '" + s.materials[a].name + "' and '" + s.materials[b].name + "', which can meet");
      }
    }
  }
  const bool certifies = s.detection.common_plane.method == narrow::PlaneMethod::automatic;
  for (ContactTable* t : {&s.contacts, &s.wall_contacts}) {
    t->keeps_rolling = t->keeps_areas = false;
    t->keeps_parts = std::any_of(s.shapes.begin(), s.shapes.end(),
                                 [](const auto& shape) { return shape->kind == ShapeKind::clump; });
    t->keeps_patches =
        std::any_of(s.shapes.begin(), s.shapes.end(), [](const auto& shape) { return makes_patches(*shape); });
    const bool overlaps = s.detection.contact_geometry == Case::ContactGeometry::overlap;
    t->keeps_shares = t->keeps_patches && !overlaps && s.detection.points == Case::ZonePoints::shared;
    t->keeps_anchors = t->keeps_shares || (t->keeps_patches && overlaps);
    for (const Case::Contact& c : s.contacts_given) {
      t->keeps_rolling |= c.beside.rolling.acts();
      t->keeps_areas |= traits_of(c.law).patch;
    }
    t->keeps_moments = t->keeps_patches || t->keeps_rolling;
    t->keeps_planes = t == &s.contacts && t->keeps_parts && t->keeps_patches;
    t->keeps_tracked = t->keeps_planes && s.pairs.keeps_tracked;
    t->keeps_gaps = t->keeps_planes && certifies;
    t->resize(t->size());
  }
  s.pairs.keeps_planes =
      !std::all_of(s.shapes.begin(), s.shapes.end(), [](const auto& shape) { return is_round(shape->kind); });
  s.pairs.keeps_gaps = certifies && std::any_of(s.shapes.begin(), s.shapes.end(),
                                                [](const auto& shape) { return shape->kind == ShapeKind::polyhedron; });
  s.pairs.resize(s.pairs.size());
  const auto of_patches = std::find_if(s.contacts_given.begin(), s.contacts_given.end(),
                                       [](const Case::Contact& c) { return traits_of(c.law).patch; });
  const std::string law = "law: " + std::string(s.contacts.keeps_areas ? name_of(of_patches->law) : "");
  if (s.contacts.keeps_areas && s.detection.contact_geometry != Case::ContactGeometry::overlap)
    return about("contacts", law + " acts on the overlap's volume; it needs detection.contact_geometry: overlap");
  for (const auto& shape : s.shapes) {
    const bool flat_faced = shape->kind == ShapeKind::polyhedron ||
                            (shape->kind == ShapeKind::clump &&
                             std::none_of(shape->parts.begin(), shape->parts.end(),
                                          [](const Shape::Part& part) { return is_round(part.shape->kind); }));
    if (s.contacts.keeps_areas && !flat_faced)
      return about("contacts", law + " is for runs of polyhedra, or clumps of them, alone; the case has the shape '" +
                                   shape->name + "'");
  }
  s.scratch.reset();
  return check_adhesion(s);
}

Result<Simulation> place_grains(const Case& c, const ShapeSource& shapes, bool places) {
  Simulation s;
  s.pairs.keeps_tracked = narrow::keeps_track(c.detection.common_plane, c.dimensions == 2);
  s.materials = c.materials, s.contacts_given = c.contacts, s.detection = c.detection, s.gravity = c.gravity;
  damp_by(s, c.damping);
  s.particles.domain = c.periodic;
  if (Status loaded = load_shapes(s, c, shapes); !loaded) return loaded.error();
  for (const Case::Wall& w : c.walls) add_wall(s, w);
  if (Status set = set_up_flows(s, c); !set) return set.error();
  if (Status fits = check_inlets(s, c); !fits) return fits.error();
  if (Status inserted = insert_groups(s, c, c.particles, 0, shapes, places); !inserted) return inserted.error();
  return s;
}

Status begin_first_stage(Simulation& s, const Case& c, const ShapeSource& shapes, ranks::Ranks* ranks) {
  const Case::Stage nothing;
  const Case::Stage& stage = c.stages.empty() ? nothing : c.stages[0];
  if (ranks != nullptr && ranks->size() > 1) deal(s, *ranks);
  const Newcomers fresh = newcomers(c, c.particles, 0);
  if (Status begun = begin_stage(s, c, stage, c.particles.size(), shapes, fresh); !begun) return begun;
  begin_ledger(s);
  return ok();
}

Result<Simulation> set_up(const Case& c, const ShapeSource& shapes) {
  Result<Simulation> s = place_grains(c, shapes);
  if (!s) return s;
  if (Status begun = begin_first_stage(*s, c, shapes); !begun) return begun.error();
  return s;
}

Result<bool> begin_next_stage(Simulation& s, const Case& c, const ShapeSource& shapes) {
  if (s.stage + 1 >= c.stages.size()) return false;
  // A stage that ran its time ends at that time, not at the nearest step: ends do not drift away from output instants.
  const double end = s.stage_started + c.stages[s.stage].duration.value_or(INFINITY), dt = s.dt;
  const Case::Stage& stage = c.stages[s.stage + 1];
  const Totals before = totals(s);
  ++s.stage;
  if (Status begun = begin_stage(s, c, stage, groups_before(c, s.stage), shapes, {s.next_id, {}}); !begun) {
    return Error{"stage '" + stage.name + "': " + begun.error().message, begun.error().key};
  }
  book_exchange(s, before);
  if (std::abs(s.time - end) <= 0.5 * dt) s.stage_started = end;
  return true;
}

Status change(Simulation& s, const Case& c, const Case::Stage& changes, std::span<const std::uint32_t> gone,
              const ShapeSource& shapes) {
  // Streams of random draws above those of the case's groups, below 2^29: ids are never given again, and a group takes
  // one at least.
  constexpr std::uint64_t kFromOutside = std::uint64_t{1} << 28, kMostGroups = std::uint64_t{1} << 20;
  const std::uint64_t stream = kFromOutside + s.next_id % (kFromOutside - kMostGroups);
  if (gone.empty() && moves_only(s, changes)) {  // a control loop asks for these again and again
    begin_motions(s, changes.move);
    return ok();
  }
  const Totals sums = totals(s);
  Simulation as_it_was = s;
  const auto make = [&]() -> Status {
    if (!gone.empty()) {
      const std::unordered_set<std::uint32_t> ids(gone.begin(), gone.end());
      std::vector<char> keep(s.particles.size_rows());
      for (std::size_t i = 0; i < keep.size(); ++i) keep[i] = ids.contains(s.particles.id[i]) ? 0 : 1;
      const auto found = static_cast<std::size_t>(std::count(keep.begin(), keep.end(), 0));
      if (found < ids.size()) {
        const std::unordered_set<std::uint32_t> there(s.particles.id.begin(), s.particles.id.end());
        const auto missing =
            std::find_if(gone.begin(), gone.end(), [&](std::uint32_t id) { return !there.contains(id); });
        return Error{"there is no grain with the id " + std::to_string(*missing) + " to be taken away"};
      }
      remove_particles(s, keep);
    }
    return make_changes(s, c, changes, stream, shapes, {s.next_id, {}});
  };
  Status made = ok();
  try {
    made = make();
  } catch (const std::bad_alloc&) {
    made = Error{"there is not enough memory for the grains that come"};
  }
  if (!made) {
    s = std::move(as_it_was);
    return made;
  }
  if (s.fault) {
    const Error why{s.fault->text()};
    s = std::move(as_it_was);
    return why;
  }
  book_exchange(s, sums);
  return ok();
}

namespace {

/// What the walls have from the case: the last of their name that came, and the last motion that it got.
Status find_walls_in_case(Simulation& s, const Case& c) {
  for (Wall& w : s.walls) {
    const Case::Wall* given = nullptr;
    const boundary::Motion* motion = nullptr;
    const auto look = [&](const std::vector<Case::Wall>& walls) {
      for (const Case::Wall& g : walls)
        if (g.name == w.name) given = &g, motion = &g.motion;
    };
    look(c.walls);
    for (std::uint64_t k = 0; k <= s.stage && k < c.stages.size(); ++k) {
      look(c.stages[k].add);
      for (const Case::Move& m : c.stages[k].move)
        if (is_part_of(w.name, m.wall)) motion = &m.motion;
    }
    if (given == nullptr || motion == nullptr)
      return Error{"the checkpoint names a wall '" + w.name + "' that the case does not have"};
    w.take(*given, true);
    w.motion = *motion;
  }
  boundary::number_sides(s.walls);
  return ok();
}

/// As when they were prepared last.
Status prepare_laws_again(Simulation& s) {
  return prepare_laws(s, s.flows.has_any ? s.flows.lightest : s.census.lightest);
}

}  // namespace

Status resume_set_up(Simulation& s, const Case& c, const ShapeSource& shapes, const std::vector<std::string>& came) {
  s.materials = c.materials, s.contacts_given = c.contacts, s.detection = c.detection;
  s.particles.domain = c.periodic;
  s.shapes.clear();
  if (Status loaded = load_shapes(s, c, shapes, came); !loaded) return loaded;
  if (Status found = find_walls_in_case(s, c); !found) return found;
  for (std::uint64_t k = 0; k <= s.stage && k < c.stages.size(); ++k) change_friction(s, c.stages[k].friction);
  // Columns that are computed again within a step are not in a checkpoint; only their length is needed here.
  s.particles.resize(s.particles.size_rows());
  s.contacts.resize(s.contacts.size()), s.wall_contacts.resize(s.wall_contacts.size());
  s.bonds.resize(s.bonds.size());
  bond::find_rows(s.bonds, s.particles);
  bond::compute_forces(s.bonds, s.particles);  // their energies are not in a checkpoint
  for (const std::uint32_t shape : s.particles.shape) {
    if (shape >= s.shapes.size()) return Error{"the checkpoint names a shape that the case does not have"};
  }
  for (const std::uint32_t m : s.particles.material) {
    if (m >= s.materials.size()) return Error{"the checkpoint names a material that the case does not have"};
  }
  if (Status resumed = resume_flows(s, c); !resumed) return resumed;
  take_census(s);
  s.census.pairs = s.pairs.size();
  return prepare_laws_again(s);
}

Status resume_on(ranks::Ranks& ranks, Simulation& s) {
  deal(s, ranks);
  return prepare_laws_again(s);
}

bool stage_is_over(const Simulation& s, const Case& c, const Totals* energies) {
  if (s.stage >= c.stages.size()) return true;
  const Case::Stage& stage = c.stages[s.stage];
  if (stage.duration && s.time >= s.stage_started + *stage.duration - 0.5 * s.dt) return true;
  // At the instant that begins it, what the stage is to move has not moved yet.
  if (s.time < s.stage_started + 0.5 * s.dt) return false;
  if (!stage.kinetic_energy_below || energies == nullptr || s.census.grains == 0) return false;
  return energies->unrest / static_cast<double>(s.census.grains) < *stage.kinetic_energy_below;
}

StageEnd stage_end(const Simulation& s, const Case& c, const Totals& t) {
  StageEnd end;
  end.text = "duration", end.warnings = servos_that_fail(s);
  if (s.stage >= c.stages.size()) return end;
  const Case::Stage& stage = c.stages[s.stage];
  const std::string of_stage = "stage '" + stage.name + "': ";
  for (std::string& w : end.warnings) w = of_stage + w;
  const auto grains = static_cast<double>(s.census.grains);
  if (grains == 0) return end;
  const double all = t.kinetic_translation + t.kinetic_rotation;
  end.energy = t.unrest / grains, end.rotation = std::max(0.0, t.unrest - t.kinetic_translation) / grains;
  end.sphere_spin = std::max(0.0, all - t.unrest) / grains;
  if (!stage.kinetic_energy_below) return end;
  end.by_rest = end.energy < *stage.kinetic_energy_below;
  if (end.by_rest) {
    end.text =
        "rest: kinetic energy below " + number(*stage.kinetic_energy_below) + " J at t = " + number(s.time) + " s";
    return end;
  }
  std::string text = of_stage + "rest was not reached, the stage ended by its duration: a grain has " +
                     number(end.energy) + " J of kinetic energy on average, " +
                     number(100 * end.rotation / end.energy) + " % of it rotation, where until wants less than " +
                     number(*stage.kinetic_energy_below) + " J";
  if (end.sphere_spin > 0) text += "; the spin of spheres, " + number(end.sphere_spin) + " J, is not counted";
  end.warnings.push_back(std::move(text));
  return end;
}

}  // namespace scree
