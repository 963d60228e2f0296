#include "narrow/clump_contacts.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>

namespace scree::narrow {

namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// One thread's buffers: a table of one pair of parts, as the searches for other bodies want it.
struct Buffers {
  PairTable pair;
  FoundPoints found;
  NearFacets near;
  std::vector<std::uint32_t> of_a, of_b;  ///< parts within reach of the other whole
  std::vector<std::uint32_t> rows;  ///< a copy: the searches for parts sort rows into the lists the caller's stand in
  Buffers() { pair.resize(1); }
};
Buffers& thread_buffers() {
  thread_local const std::unique_ptr<Buffers> buffers = std::make_unique<Buffers>();
  return *buffers;
}

void set_pair(Buffers& b, std::uint32_t one, std::uint32_t other, std::uint32_t touched, const FoundPoints& out) {
  b.pair.a[0] = one, b.pair.b[0] = other;
  b.pair.feature[0] = {}, b.pair.clear_until[0] = b.pair.gap_bound[0] = 0;
  b.pair.first[0] = 0, b.pair.count[0] = touched;
  b.found.clear();
  b.found.wants_patches = out.wants_patches;
}

/// What was found of the pair of parts becomes the wholes'. Returns how far the parts are apart at least; 0: they
/// touch, or may.
double take_found(Buffers& b, std::uint32_t pair, std::uint32_t code, Vec3 arm, FoundPoints& out) {
  for (FoundPoint& f : b.found.points) {
    f.pair = pair, f.point += arm;
    out.points.push_back(f);
    if (out.wants_parts) out.parts.push_back(code);
  }
  out.patches.insert(out.patches.end(), b.found.patches.begin(), b.found.patches.end());
  out.counters.add(b.found.counters);
  return b.pair.clear_until[0];
}

void append_point(std::uint32_t pair, std::uint32_t code, Vec3 point, Vec3 normal, double depth, FoundPoints& out) {
  out.points.push_back({pair, 0, point, normal, depth, depth, 0, depth});
  if (out.wants_parts) out.parts.push_back(code);
}

/// Parts of `whole` whose bounding sphere reaches that of the other, about `centre`.
void list_near(const Parts& parts, std::uint32_t whole, Vec3 centre, double radius, std::vector<std::uint32_t>& list) {
  list.clear();
  for (std::uint32_t r = parts.start[whole]; r < parts.start[whole + 1]; ++r) {
    const double reach = parts.rows.radius[r] + radius;
    if (norm2(parts.rows.position[r] - centre) < reach * reach) list.push_back(r);
  }
}

/// Of the bounding spheres of all parts that are apart.
double least_gap(const Parts& parts, std::uint32_t i, std::uint32_t j) {
  double gap = kFar;
  for (std::uint32_t q = parts.start[i]; q < parts.start[i + 1]; ++q) {
    for (std::uint32_t r = parts.start[j]; r < parts.start[j + 1]; ++r) {
      const double apart = norm(parts.rows.from_to(q, r));
      const double between = apart - parts.rows.radius[q] - parts.rows.radius[r];
      if (between > 0) gap = std::min(gap, between);
    }
  }
  return gap;
}

}  // namespace

void clump_contacts(const Particles& p, const Bodies& bodies, PairTable& pairs, std::span<const std::uint32_t> rows,
                    const PlaneSettings& planes, ContactGeometry geometry, FoundPoints& out) {
  Buffers& b = thread_buffers();
  const Parts& parts = *bodies.parts();
  const Particles& all = parts.rows;
  b.rows.assign(rows.begin(), rows.end());
  b.pair.tracks = pairs.tracks;
  b.pair.resize(1);
  const double begun = seconds();
  for (const std::uint32_t k : b.rows) {
    const std::uint32_t i = pairs.a[k], j = pairs.b[k];
    const double travel = p.travel[i] + p.travel[j];
    if (travel < pairs.clear_until[k]) {
      ++out.counters.skipped;
      continue;
    }
    const Vec3 way = p.from_to(i, j);
    const double apart = norm(way) - p.radius[i] - p.radius[j], images = p.gap_of_images(i, j, way);
    if (apart > 0) {
      keep_clear(std::min(apart, images), travel, &pairs.clear_until[k]);
      continue;
    }
    list_near(parts, i, p.position[i] + way, p.radius[j], b.of_a);
    list_near(parts, j, p.position[j] - way, p.radius[i], b.of_b);
    double clear = kFar;  // of parts whose bounding spheres overlap: how far they are apart
    for (const std::uint32_t q : b.of_a) {
      for (const std::uint32_t r : b.of_b) {
        const Vec3 d = all.from_to(q, r);
        const double reach = all.radius[q] + all.radius[r], d2 = norm2(d);
        if (d2 >= reach * reach) continue;
        const std::uint32_t code = (q - parts.start[i]) << 16 | (r - parts.start[j]);
        if (!is_round(parts.bodies.kind(q)) || !is_round(parts.bodies.kind(r))) {
          set_pair(b, q, r, pairs.count[k], out);
          if (b.pair.tracks) b.pair.tracked[0] = {};
          find_body_contacts(all, parts.bodies, b.pair, 0, 1, planes, geometry, b.found);
          clear = std::min(clear, take_found(b, k, code, parts.arm[q], out));
          continue;
        }
        const double distance = std::sqrt(d2), depth = reach - distance;
        clear = 0;
        if (!(depth > 0)) continue;
        const Vec3 n = distance > 0 ? d / distance : Vec3{1, 0, 0};
        append_point(k, code, parts.arm[q] + (all.radius[q] - 0.5 * depth) * n, n, depth, out);
      }
    }
    keep_clear(clear > 0 ? std::min({clear, least_gap(parts, i, j), images}) : 0, travel, &pairs.clear_until[k]);
  }
  out.seconds_points += seconds() - begun;
}

void clump_wall_contacts(const Particles& p, const Bodies& bodies, std::span<const WallView> walls, PairTable& pairs,
                         std::span<const std::uint32_t> rows, ContactGeometry geometry, const NearFacets& near,
                         FoundPoints& out) {
  Buffers& b = thread_buffers();
  const Parts& parts = *bodies.parts();
  b.rows.assign(rows.begin(), rows.end());
  b.pair.tracks = false;
  b.pair.resize(1);
  const double begun = seconds();
  for (const std::uint32_t k : b.rows) {
    const std::uint32_t i = pairs.a[k], w = pairs.b[k];
    const WallView& wall = walls[w];
    const double travel = p.travel[i] + wall.travel;
    if (travel < pairs.clear_until[k]) {
      ++out.counters.skipped;
      continue;
    }
    if (wall.mesh != nullptr) {
      const auto facets = near.of(k);
      b.near.first_pair = 0, b.near.limit = near.limit;
      b.near.facets.assign(facets.begin(), facets.end());
      b.near.start.assign({0, static_cast<std::uint32_t>(facets.size())});
    }
    double gap = kFar;
    for (std::uint32_t r = parts.start[i]; r < parts.start[i + 1]; ++r) {
      const std::uint32_t code = (r - parts.start[i]) << 16;
      if (wall.mesh == nullptr) {
        const double height = dot(wall.normal, parts.rows.position[r] - wall.point), radius = parts.rows.radius[r];
        if (height >= radius) {
          gap = std::min(gap, height - radius);
          continue;
        }
        if (is_round(parts.bodies.kind(r))) {
          const double depth = radius - height;
          gap = 0;
          append_point(k, code, parts.arm[r] + (0.5 * depth - radius) * wall.normal, -wall.normal, depth, out);
          continue;
        }
      }
      set_pair(b, r, w, pairs.count[k], out);
      b.near.clear_until.assign(b.near.facets.size(), 0);  // each part has its own way to go
      find_wall_contacts(parts.rows, parts.bodies, walls, b.pair, 0, 1, geometry, b.near, b.found);
      // The travel of parts is 0, that of the wall is not.
      gap = std::min(gap, std::max(0.0, take_found(b, k, code, parts.arm[r], out) - wall.travel));
    }
    keep_clear(gap, travel, &pairs.clear_until[k]);
  }
  out.seconds_points += seconds() - begun;
}

}  // namespace scree::narrow
