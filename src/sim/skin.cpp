// The Verlet skin: when it is used up, and how thick it should be.
//
// A step costs each pair of the list a look; a thick skin has more pairs. A rebuild costs so much a particle and a
// pair; a thin skin has more of them. With u, the skin that a step uses up, a list lasts skin / u steps, and
//   cost(skin) = look * P(skin) + u / skin * (body * N + pair * P(skin)),
// where P is counted for the skins that are thinner than that of the list and grows as the volume, in the plane the
// area, of the reach beyond.
#include "sim/skin.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "exec/parallel.h"
#include "sim/scratch.h"
#include "sim/spread.h"

namespace scree {

namespace {

constexpr std::size_t kSkinGrain = 2048;
// The skin stays between these shares of the median diameter, and changes by no more than these factors at
// once: what a thicker one finds is guessed, and with 2 for both it swung between two values in a gas.
constexpr double kThinnest = 1e-3, kThickest = 1, kThinner = 2, kThicker = 1.25;
// A list this old (steps) is looked at, and again whenever its age has doubled.
constexpr std::uint64_t kYoungest = 64;
constexpr double kJump = 2;     // more of the skin than this, used up by one list, is not believed
constexpr double kReserve = 2;  // a thinner skin leaves room for this many times the way that was used so far

/// Skins that are tried, as shares of the diameter: 80 from the thinnest to the thickest.
constexpr std::size_t kTried = 80;
using Counts = std::array<std::int64_t, kTried + 1>;

struct Model {
  double diameter, particles;
  std::array<double, kTried> skin{};   ///< m, ascending
  std::array<double, kTried> pairs{};  ///< of a list with that skin

  explicit Model(const Simulation& s)
      : diameter(s.skin_tuning.diameter), particles(static_cast<double>(s.census.grains)) {
    for (std::size_t k = 0; k < kTried; ++k) {
      const double share = static_cast<double>(k) / (kTried - 1);
      skin[k] = diameter * kThinnest * std::pow(kThickest / kThinnest, share);
    }
    const Counts nearer = count(s);
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < kTried; ++k) {
      sum += nearer[k];
      const double r = (diameter + skin[k]) / (diameter + s.skin);
      pairs[k] = skin[k] <= s.skin ? static_cast<double>(sum)
                                   : static_cast<double>(s.census.pairs) * std::pow(r, s.dimensions);
    }
  }

  /// Pairs of the list, as it was made, by the thinnest of the skins that has them.
  Counts count(const Simulation& s) const {
    const std::vector<Vec3>& x = s.particles.listed_at;
    const std::vector<double>& r = s.particles.radius;
    Counts counts = exec::parallel_reduce(
        own_pairs(s), kSkinGrain, Counts{},
        [&](std::size_t begin, std::size_t end) {
          Counts c{};
          for (std::size_t k = begin; k < end; ++k) {
            const std::uint32_t a = s.pairs.a[k], b = s.pairs.b[k];
            const double gap = norm(nearest_image(s.particles.domain, x[b] - x[a])) - (r[a] + r[b]);
            ++c[static_cast<std::size_t>(std::upper_bound(skin.begin(), skin.end(), gap) - skin.begin())];
          }
          return c;
        },
        [](Counts c, const Counts& d) {
          for (std::size_t k = 0; k <= kTried; ++k) c[k] += d[k];
          return c;
        });
    if (s.spread.ranks != nullptr) s.spread.ranks->sum(counts);
    return counts;
  }
  double rebuild(std::size_t k) const { return kRebuildBody * particles + kRebuildPair * pairs[k]; }
  double cost(std::size_t k, double speed) const { return pairs[k] + speed / skin[k] * rebuild(k); }
  /// Of the skins between low and high; the thickest below high where none is between.
  std::size_t best(double speed, double low, double high) const {
    std::size_t best = kTried;
    for (std::size_t k = 0; k < kTried; ++k) {
      if (skin[k] < low || skin[k] > high) continue;
      if (best == kTried || cost(k, speed) < cost(best, speed)) best = k;
    }
    return best;
  }
};

}  // namespace

double overhang(const Wall& w, const Domain& domain, std::size_t axis) {
  const Mat3 turned = rotation_matrix(w.orientation);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Vec3& v : w.mesh->surface().vertices) {
    const double x = w.point[axis] + dot(turned.row[axis], v);
    low = std::min(low, x), high = std::max(high, x);
  }
  return std::max(std::min(domain.low[axis] - low, high - domain.high[axis]),
                  std::min(low - domain.low[axis], domain.high[axis] - high));
}

SeamRoom room_at_seams(const Simulation& s) {
  const Domain& domain = s.particles.domain;
  SeamRoom room;
  if (!domain.any() || s.census.grains == 0) return room;
  const double widest = s.census.widest;
  room.adhesive = adhesive_reach(s);
  const auto take = [&](double skin, std::size_t axis, const Wall* wall) {
    if (skin < room.skin) room.skin = skin, room.axis = axis, room.wall = wall;
  };
  for (std::size_t a = 0; a < 3; ++a) {
    if (!domain.periodic[a]) continue;
    take((1 - 1e-9) * (domain.period(a) / 2 - 2 * widest - room.adhesive), a, nullptr);
    for (const Wall& w : s.walls)
      if (w.mesh) take((overhang(w, domain, a) - widest) / 2, a, &w);
  }
  return room;
}

namespace {

Moved moved_since_listed(const Simulation& s) {
  const Particles& p = s.particles;
  return exec::parallel_reduce(
      p.own_rows(), kSkinGrain, Moved{},
      [&](std::size_t begin, std::size_t end) {
        Moved m;
        for (std::size_t i = begin; i < end; ++i) m.take(norm2(p.position[i] - p.listed_at[i]));
        return m;
      },
      [](Moved x, const Moved& y) {
        x.take(y);
        return x;
      });
}

}  // namespace

double skin_used(const Simulation& s) {
  if (!s.list_is_valid) return std::numeric_limits<double>::infinity();
  Moved squared;
  const Scratch* scratch = s.scratch.get();
  if (s.spread.foreseen) {
    squared = *s.spread.foreseen;
    assert(moved_since_listed(s).first <= squared.first);
  } else if (scratch != nullptr && scratch->moved_is_known) {
    for (const Moved& m : scratch->moved) squared.take(m);
  } else {
    squared = moved_since_listed(s);
  }
  if (s.spread.ranks != nullptr && !s.spread.foreseen) {
    ranks::Extremes of_all{squared, 0};
    s.spread.ranks->extremes(of_all);
    squared = of_all.largest;
  }
  double wall = 0;
  for (const Wall& w : s.walls) wall = std::max(wall, w.travel - w.travel_at_rebuild);
  return std::sqrt(squared.first) + std::max(std::sqrt(squared.second), wall);
}

bool tune_skin(Simulation& s, double used) {
  const bool must = !(used <= s.skin);
  SkinTuning& t = s.skin_tuning;
  const std::uint64_t age = s.step - t.made_at;
  if (s.detection.skin || !(t.diameter > 0) || age == 0 || !std::isfinite(used)) return must;
  if (must) {
    // What jumps (a wall that is put elsewhere) says little of the steps to come.
    const double speed = std::min(used, kJump * s.skin) / static_cast<double>(age);
    t.speed = t.speed > 0 ? 0.5 * (t.speed + speed) : speed;
    const Model m(s);
    const std::size_t k = m.best(t.speed, s.skin / kThinner, s.skin * kThicker);
    if (k < kTried) s.skin = m.skin[k];
    return true;
  }
  if (age < kYoungest || !std::has_single_bit(age)) return false;
  // What moves to and fro uses up the same again; what flows, less than the reserve.
  const double speed = used / static_cast<double>(age), thinnest = std::max(kReserve * used, s.skin / kThinner);
  if (thinnest >= s.skin) return false;
  const Model m(s);
  const std::size_t k = m.best(speed, thinnest, s.skin);
  const double saved = k < kTried ? static_cast<double>(s.census.pairs) - m.pairs[k] : 0;
  if (!(saved * static_cast<double>(age) > m.rebuild(std::min(k, kTried - 1)))) return false;
  t.speed = speed, s.skin = m.skin[k];
  return true;
}

}  // namespace scree
