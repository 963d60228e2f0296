// The flight recorder: a run that has gone wrong stops and names the particles, the time, the place and what to change.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "exec/parallel.h"
#include "sim/drives.h"
#include "sim/kick.h"
#include "sim/row_order.h"
#include "sim/scratch.h"
#include "sim/spread.h"

namespace scree {

namespace {

// Of the inner radius: how deep a particle may be in a mesh, and how far it may move against it in a step. Its centroid
// is then always on the side from which it came.
constexpr double kDeepestInMesh = 0.5, kFarthestInStep = 0.5;

std::string when_and_where(const Simulation& s, Vec3 place) {
  return " at t = " + number(s.time) + " s (step " + std::to_string(s.step) + "), x = (" + number(place.x) + ", " +
         number(place.y) + ", " + number(place.z) + ") m";
}

constexpr char kAdvice[] =
    "a smaller time step (time_step: {fraction: ...}), stiffer contacts or a gentler start may help";

void report_not_finite(Simulation& s, std::uint32_t i) {
  Fault f;
  f.kind = Fault::Kind::not_finite;
  f.ids = {s.particles.id[i]};
  f.place = is_finite(s.particles.position[i]) ? s.particles.position[i] : Vec3{};
  f.message =
      "the motion of particle " + std::to_string(f.ids[0]) + " is no longer a number" + when_and_where(s, f.place);
  f.advice = kAdvice;
  s.fault = std::move(f);
}

/// First of the first n rows, in the order of the ids, that is deeper than allowed; n when there is none.
template <class Allowed>
std::size_t first_too_deep(const Simulation& s, const ContactTable& c, std::size_t n,
                           std::vector<std::uint32_t> RowOrder::*rows, Allowed&& allowed) {
  const auto is_too_deep = [&](std::size_t r) { return !(c.penetration_of(r) <= allowed(c.pair[r])); };
  const std::size_t any = exec::parallel_reduce(
      n, 4096, n,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = begin; r < end; ++r) {
          if (is_too_deep(r)) return r;
        }
        return n;
      },
      [](std::size_t a, std::size_t b) { return std::min(a, b); });
  if (any == n) return any;
  const RowOrder ids = id_order(s);
  for (std::size_t place = 0;; ++place) {
    const std::size_t r = ids.row(ids.*rows, place);
    if (r < n && is_too_deep(r)) return r;
  }
}

double inner_radius(const Simulation& s, const Scratch& scratch, std::uint32_t i) {
  return s.particles.size[i] * scratch.shapes->unit_inner[s.particles.shape[i]];
}

/// How far particle i moves against a point of the wall in a step, at most (m).
double motion_in_step(const Simulation& s, std::uint32_t i, const Wall& w) {
  const Vec3 v = w.velocity_at(s.particles.position[i]);
  return s.dt * (norm(s.particles.velocity[i] - v) + norm(w.spin) * s.particles.radius[i]);
}

void report_too_fast(Simulation& s, std::uint32_t i, const Wall& w, double motion) {
  Fault f;
  f.kind = Fault::Kind::too_fast;
  f.ids = {s.particles.id[i]}, f.wall = w.id, f.place = s.particles.position[i];
  f.message = "particle " + std::to_string(f.ids[0]) + " moves by " + number(motion) + " m a step against the mesh '" +
              w.name + "', more than half of its inner radius: it could pass through," + when_and_where(s, f.place);
  f.advice = "a smaller time step (time_step: {fraction: ...}) or a slower start helps";
  s.fault = std::move(f);
}

/// Where a particle could pass through a mesh unseen: of several, the one of lowest id.
void check_meshes(Simulation& s) {
  Scratch& scratch = scratch_of(s);
  const Particles& p = s.particles;
  const std::size_t n = p.own_rows();
  if (scratch.law_kind.empty()) return;  // before there are laws nothing moves
  for (const Wall& w : s.walls) {
    if (!w.mesh) continue;
    const auto is_too_fast = [&](std::size_t row) {
      const auto i = static_cast<std::uint32_t>(row);
      const double motion = motion_in_step(s, i, w);
      if (!(motion > kFarthestInStep * inner_radius(s, scratch, i))) return false;
      const Vec3 x = transpose_times(rotation_matrix(w.orientation), p.position[i] - w.point);
      return w.mesh->is_near(x, p.radius[i] + motion);
    };
    const auto lower = [&](std::size_t a, std::size_t b) { return b == n || (a < n && p.id[a] < p.id[b]) ? a : b; };
    const std::size_t bad = exec::parallel_reduce(
        n, 4096, n,
        [&](std::size_t begin, std::size_t end) {
          std::size_t worst = n;
          for (std::size_t i = begin; i < end; ++i) {
            if (is_too_fast(i)) worst = lower(worst, i);
          }
          return worst;
        },
        lower);
    if (bad == n) continue;
    const auto i = static_cast<std::uint32_t>(bad);
    return report_too_fast(s, i, w, motion_in_step(s, i, w));
  }
}

/// Walls that a drive moves: those that the time step cannot follow, and those that have lost what they press on.
void check_drives(Simulation& s) {
  for (const Wall& w : s.walls) {
    if (!w.motion.drive) continue;
    const boundary::Motion::Drive& d = *w.motion.drive;
    Fault f;
    f.kind = Fault::Kind::wall, f.place = w.point, f.wall = w.id;
    // As the shortest period of the wall on its contacts; grains behind them only make it longer.
    const double lightest = 0.25 * w.stiffness * s.dt * s.dt;
    if (d.kind == boundary::Motion::Drive::Kind::free && d.mass < lightest) {
      f.message = "the free wall '" + w.name + "' of " + number(d.mass) + " kg is too light for its contacts and the " +
                  "time step," + when_and_where(s, f.place) + "; with this step it needs more than " +
                  number(lightest) + " kg";
    } else if (d.stress != 0 && d.area == 0 && area_of_side(s, w) == 0) {
      f.message = "the stress on wall '" + w.name + "' has no area: a wall beside it is gone," +
                  when_and_where(s, f.place) + "; give the drive an area";
    } else {
      continue;
    }
    s.fault = std::move(f);
    return;
  }
}

void report_too_deep(Simulation& s, const PairTable& pairs, const ContactTable& c, std::size_t row, double size,
                     double allowed, bool wall) {
  const Particles& p = s.particles;
  const std::uint32_t k = c.pair[row], i = pairs.a[k], j = pairs.b[k];
  Fault f;
  f.kind = Fault::Kind::overlap_too_deep;
  f.place = p.position[i] + c.point[row];
  f.ids = {p.id[i]};
  wall ? void(f.wall = s.walls[j].id) : f.ids.push_back(p.id[j]);
  const bool in_mesh = wall && s.walls[j].mesh != nullptr;
  const Vec3 speed = p.velocity[i] - (wall ? s.walls[j].velocity_at(f.place) : p.velocity[j]);
  f.message = (wall ? "particle " + std::to_string(p.id[i]) + " and wall '" + s.walls[j].name + "'"
                    : "particles " + std::to_string(p.id[i]) + " and " + std::to_string(p.id[j])) +
              " overlap by " + number(100 * c.penetration_of(row) / size) +
              " % of the smaller one's size, more than the " + number(100 * allowed / size) +
              " % allowed, and move at " + number(norm(speed)) + " m/s against each other," +
              when_and_where(s, f.place);
  f.advice =
      kAdvice + std::string(in_mesh ? "" : "; where so soft contacts are meant, a larger detection.deepest_overlap");
  s.fault = std::move(f);
}

/// On ranks also foresees how far the grains will have come after the next drift: the rows are at hand.
void check(Simulation& s, Moved& foreseen) {
  const Particles& p = s.particles;
  const std::size_t n = p.own_rows();
  const double keeps = kept_by_damping(s);
  const bool foresees = s.spread.ranks != nullptr && s.list_is_valid;
  struct Seen {
    std::size_t bad;
    Moved moved;
  };
  // Of several, the one of lowest id.
  const auto lower = [&](std::size_t a, std::size_t b) { return b == n || (a < n && p.id[a] < p.id[b]) ? a : b; };
  const Seen seen = exec::parallel_reduce(
      n, 4096, Seen{n, {}},
      [&](std::size_t begin, std::size_t end) {
        Seen of{n, {}};
        for (std::size_t i = begin; i < end; ++i) {
          // One sum catches a NaN or an infinity in any part.
          const Vec3 sum = p.position[i] + p.velocity[i] + p.force[i] + p.angular_momentum[i] + p.torque[i];
          if (!is_finite(sum)) of.bad = lower(of.bad, i);
          if (foresees) of.moved.take(norm2(next_position(p, i, s.dt, keeps) - p.listed_at[i]));
        }
        return of;
      },
      [&](Seen a, const Seen& b) {
        a.bad = lower(a.bad, b.bad), a.moved.take(b.moved);
        return a;
      });
  foreseen = seen.moved;
  if (s.fault && s.fault->kind == Fault::Kind::parted) return;  // what follows of a wrong copy would hide it
  if (seen.bad < n) return report_not_finite(s, static_cast<std::uint32_t>(seen.bad));
  const Scratch& scratch = scratch_of(s);
  const auto length = [&](std::uint32_t i) { return p.size[i] * scratch.shapes->unit_overlap[p.shape[i]]; };
  const auto body_size = [&](std::uint32_t k) { return std::min(length(s.pairs.a[k]), length(s.pairs.b[k])); };
  const auto wall_size = [&](std::uint32_t k) { return length(s.wall_pairs.a[k]); };
  const auto body_limit = [&](std::uint32_t k) { return s.detection.deepest_overlap * body_size(k); };
  const auto wall_limit = [&](std::uint32_t k) {
    if (!s.walls[s.wall_pairs.b[k]].mesh || scratch.law_kind.empty()) return s.detection.deepest_overlap * wall_size(k);
    return kDeepestInMesh * inner_radius(s, scratch, s.wall_pairs.a[k]);
  };
  const std::size_t own = own_contacts(s), of_walls = s.wall_contacts.size();
  if (const std::size_t r = first_too_deep(s, s.contacts, own, &RowOrder::contact, body_limit); r < own) {
    const std::uint32_t k = s.contacts.pair[r];
    return report_too_deep(s, s.pairs, s.contacts, r, body_size(k), body_limit(k), false);
  }
  if (const std::size_t r = first_too_deep(s, s.wall_contacts, of_walls, &RowOrder::wall_contact, wall_limit);
      r < of_walls) {
    const std::uint32_t k = s.wall_contacts.pair[r];
    return report_too_deep(s, s.wall_pairs, s.wall_contacts, r, wall_size(k), wall_limit(k), true);
  }
  check_drives(s);
  if (std::any_of(s.walls.begin(), s.walls.end(), [](const Wall& w) { return w.mesh != nullptr; })) check_meshes(s);
}

}  // namespace

void check_and_report(Simulation& s) {
  (void)scratch_of(s);  // to make it all ranks meet, whatever one of them finds
  Moved foreseen;
  check(s, foreseen);
  agree(s, foreseen);
}

}  // namespace scree
