#include "scenes/bonded_drum.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace scree::scenes {

namespace {

constexpr double kSingleRadius = 0.010;         // m, Table 6
constexpr double kRest = 0.60, kMotion = 0.30;  // solid fraction
constexpr double kSink = 0.96;  // of a cluster's radius: as deep as clusters reach into each other at first
constexpr double kLeft = 0.99;  // of a reach: what pushing leaves, so that contacts are contacts

/// Area of a circle of radius 1 below the height h in [-1, 1].
double segment(double h) { return M_PI / 2 + h * std::sqrt(std::max(0.0, 1 - h * h)) + std::asin(h); }

struct Object {
  Vec3 x;
  double r;         // m, of the sphere that stands for it
  double mobility;  // 1/volume, relative
};

struct Drum {
  double radius, length;
  /// Moves an object inside.
  void confine(Object& o) const {
    o.x.x = std::clamp(o.x.x, o.r - length / 2, length / 2 - o.r);
    const double d = std::hypot(o.x.y, o.x.z), most = radius - o.r;
    if (d > most) o.x.y *= most / d, o.x.z *= most / d;
  }
};

void push(Object& a, Object& b, Vec3 from_a_to_b, double reach) {
  const double d = norm(from_a_to_b), deep = kLeft * reach - d;
  if (!(deep > 0) || !(d > 0)) return;
  const Vec3 move = (deep / (d * (a.mobility + b.mobility))) * from_a_to_b;
  a.x -= a.mobility * move, b.x += b.mobility * move;
}

void push_spheres(std::vector<Object>& all, const Drum& drum, int rounds, double sink) {
  neighbour::Search search;
  std::vector<neighbour::Pair> pairs;
  std::vector<Vec3> x(all.size());
  std::vector<double> r(all.size());
  for (int round = 0; round < rounds; ++round) {
    if (round % 8 == 0) {
      for (std::size_t k = 0; k < all.size(); ++k) x[k] = all[k].x, r[k] = all[k].r;
      static_cast<void>(search.find(neighbour::Method::automatic, {x, r, 0.2 * kSingleRadius}, pairs));
    }
    for (Object& o : all) o.x.z -= sink * (1 - static_cast<double>(round) / rounds);
    for (const auto& [a, b] : pairs) push(all[a], all[b], all[b].x - all[a].x, all[a].r + all[b].r);
    for (Object& o : all) drum.confine(o);
  }
}

/// The same with the clusters' spheres; clusters do not turn.
void push_clusters(std::vector<Object>& all, const Drum& drum, BondedSpheres& s, int rounds, double sink) {
  const neighbour::Units units = *neighbour::Units::make(s.bodies(), s.unit);
  neighbour::ClusterSearch search;
  std::vector<neighbour::Pair> pairs;
  std::vector<Vec3> offset(s.x.size());
  for (std::size_t i = 0; i < s.x.size(); ++i) offset[i] = s.x[i] - all[s.unit[i]].x;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < s.x.size(); ++i) s.x[i] = all[s.unit[i]].x + offset[i];
    if (round % 8 == 0) {
      neighbour::Clusters clusters{s.bodies(), &units};
      clusters.spheres.margin = 0.1 * kSingleRadius;
      static_cast<void>(search.find(neighbour::ClusterMethod::parts, clusters, pairs));
    }
    for (Object& o : all) o.x.z -= sink * (1 - static_cast<double>(round) / rounds);
    for (const auto& [a, b] : pairs) {
      Object &u = all[s.unit[a]], &v = all[s.unit[b]];
      push(u, v, v.x + offset[b] - (u.x + offset[a]), s.r[a] + s.r[b]);
    }
    for (Object& o : all) drum.confine(o);
  }
  for (std::size_t i = 0; i < s.x.size(); ++i) s.x[i] = all[s.unit[i]].x + offset[i];
}

}  // namespace

double worst_overlap(const ClusterShape& shape, const std::vector<Vec3>& centres) {
  double nearest = 2 * shape.radius;
  for (std::size_t i = 0; i < centres.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) nearest = std::min(nearest, norm(centres[k] - centres[i]));
  }
  return 1 - nearest / (2 * shape.radius);
}

std::vector<Vec3> packed_cluster(const ClusterShape& shape) {
  const double room = kClusterRadius - shape.radius, reach = 2 * shape.radius;
  std::vector<Vec3> best;
  for (std::uint64_t attempt = 0; attempt < 8; ++attempt) {
    Random u(attempt, shape.spheres);
    std::vector<Vec3> c(shape.spheres);
    for (Vec3& p : c) p = (room * std::cbrt(u.uniform())) * u.direction();
    for (int round = 0; round < 400; ++round) {
      for (std::size_t i = 0; i < c.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
          const Vec3 d = c[i] - c[k];
          const double l = norm(d), deep = reach - l;
          if (!(deep > 0) || !(l > 0)) continue;
          c[i] += (0.3 * deep / l) * d, c[k] -= (0.3 * deep / l) * d;
        }
      }
      for (Vec3& p : c) {
        const double l = norm(p);
        if (l > room) p *= room / l;
      }
    }
    if (best.empty() || worst_overlap(shape, c) < worst_overlap(shape, best)) best = c;
  }
  return best;
}

DrumFill drum_fill(int distribution, double share) {
  const bool few = distribution <= 2;
  const auto part = [&](double n) { return static_cast<std::uint32_t>(std::lround(share * n)); };
  return {part(few ? 10000 : 5500), part(few ? 1000 : 5500), distribution % 2 == 1, std::cbrt(share), std::cbrt(share)};
}

BondedSpheres bonded_drum(const DrumFill& fill, const ClusterShape& shape, std::uint64_t seed) {
  Random u(seed);
  const Drum drum{fill.diameter / 2, fill.length};
  const double single = std::pow(kSingleRadius, 3), cluster = std::pow(kClusterRadius, 3),
               volume = 4 * M_PI / 3 * (fill.singles * single + fill.clusters * cluster),
               area = volume / (fill.at_rest ? kRest : kMotion) / drum.length / (drum.radius * drum.radius);
  // Height, over the drum's radius, below which there is room for all; a full drum is as dense as it gets.
  double low = -1, high = 1;
  for (int k = 0; k < 60; ++k) (segment((low + high) / 2) < area ? low : high) = (low + high) / 2;
  const double level = high * drum.radius;

  std::vector<Object> all;
  std::vector<bool> is_cluster;
  std::uint32_t clusters = fill.clusters, objects = fill.singles + fill.clusters;
  for (; objects > 0; --objects) {
    const bool one = u.below(objects) < clusters;
    clusters -= one ? 1 : 0;
    const double r = one ? kSink * kClusterRadius : kSingleRadius;
    Vec3 x;
    do {
      x = {u.uniform(-0.5, 0.5) * drum.length, u.uniform(-1, 1) * drum.radius, u.uniform(-drum.radius, level)};
    } while (std::hypot(x.y, x.z) > drum.radius);
    all.push_back({x, r, one ? single / cluster : 1});
    is_cluster.push_back(one);
  }
  push_spheres(all, drum, 400, fill.at_rest ? 0.05 * kSingleRadius : 0);

  const std::vector<Vec3> places = packed_cluster(shape);
  BondedSpheres s;
  for (std::uint32_t o = 0; o < all.size(); ++o) {
    if (!is_cluster[o]) {
      s.x.push_back(all[o].x), s.r.push_back(all[o].r), s.unit.push_back(o);
      continue;
    }
    all[o].r = kClusterRadius;
    drum.confine(all[o]);
    const Mat3 turned = rotation_matrix(u.rotation());
    for (const Vec3& p : places) {
      s.x.push_back(all[o].x + turned * p), s.r.push_back(shape.radius), s.unit.push_back(o);
    }
  }
  push_clusters(all, drum, s, 120, fill.at_rest ? 0.01 * kSingleRadius : 0);
  return s;
}

}  // namespace scree::scenes
