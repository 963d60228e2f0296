#include "narrow/clump_contacts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "base/timer.h"

namespace scree::narrow {

namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

/// A part against a part of another whole, or against a wall.
struct Meeting {
  std::uint32_t row;  ///< of the wholes' pair
  std::uint32_t one, other;
  std::uint32_t code;  ///< see ContactTable::part
  bool searched;       ///< not by the formulas of spheres alone
};

/// One thread's. All parts that may meet are searched in one call: contacts are found by the vector.
struct Buffers {
  PairTable pairs;
  FoundPoints found;
  NearFacets near;
  std::vector<Meeting> meetings;
  std::vector<std::uint32_t> of_a, of_b;  ///< parts within reach of the other whole
  std::vector<std::uint32_t> rows;  ///< a copy: the searches for parts sort rows into the lists the caller's stand in
};
Buffers& thread_buffers() {
  thread_local const std::unique_ptr<Buffers> buffers = std::make_unique<Buffers>();
  return *buffers;
}

/// A table of the meetings to be searched, of which nothing is known but whether the wholes touched. Returns its
/// length.
std::size_t lay_out(Buffers& b, const PairTable& wholes, bool tracks, const FoundPoints& out) {
  PairTable& t = b.pairs;
  t.keeps_tracked = tracks;
  t.resize(b.meetings.size());
  std::size_t n = 0;
  for (const Meeting& m : b.meetings) {
    if (!m.searched) continue;
    t.a[n] = m.one, t.b[n] = m.other;
    t.feature[n] = {}, t.clear_until[n] = t.gap_bound[n] = 0;
    t.first[n] = 0, t.count[n] = wholes.count[m.row];
    if (tracks) t.tracked[n] = {};
    ++n;
  }
  b.found.clear();
  b.found.wants_patches = out.wants_patches;
  return n;
}

/// Hands on what was found, meeting by meeting.
class Found {
 public:
  explicit Found(const Buffers& b) : b_(b) {}
  /// The next searched one's points become the wholes'. Returns how far the parts are apart at least; 0: they touch, or
  /// may.
  double take(const Meeting& m, Vec3 arm, FoundPoints& out) {
    const FoundPoints& found = b_.found;
    for (; next_ < found.points.size() && found.points[next_].pair == row_; ++next_) {
      FoundPoint f = found.points[next_];
      f.pair = m.row, f.point += arm;
      out.points.push_back(f);
      if (out.wants_parts) out.parts.push_back(m.code);
      if (found.patches.size() == found.points.size()) out.patches.push_back(found.patches[next_]);
    }
    return b_.pairs.clear_until[row_++];
  }

 private:
  const Buffers& b_;
  std::size_t next_ = 0;
  std::uint32_t row_ = 0;
};

void append_point(const Meeting& m, Vec3 point, Vec3 normal, double depth, FoundPoints& out) {
  out.points.push_back({m.row, 0, point, normal, depth, depth, 0, depth});
  if (out.wants_parts) out.parts.push_back(m.code);
}

bool is_near(const Parts& parts, std::uint32_t r, Vec3 centre, double radius) {
  const double reach = parts.rows.radius[r] + radius;
  return norm2(parts.rows.position[r] - centre) < reach * reach;
}

/// Parts of `whole` whose bounding sphere reaches that of the other, about `centre`.
void list_near(const Parts& parts, std::uint32_t whole, Vec3 centre, double radius, std::vector<std::uint32_t>& list) {
  list.clear();
  for (std::uint32_t r = parts.start[whole]; r < parts.start[whole + 1]; ++r)
    if (is_near(parts, r, centre, radius)) list.push_back(r);
}

bool may_meet(const Particles& all, std::uint32_t q, std::uint32_t r) {
  const double reach = all.radius[q] + all.radius[r];
  return norm2(all.from_to(q, r)) < reach * reach;
}

/// How far those parts are apart at least that were no meetings: by their bounding spheres, or by that of one part and
/// that of the other whole, beyond which a part's own may reach.
double least_gap(const Parts& parts, const Particles& p, std::uint32_t i, std::uint32_t j) {
  const Particles& all = parts.rows;
  const Vec3 way = p.from_to(i, j), at_j = p.position[i] + way, at_i = p.position[j] - way;
  double least = kFar;
  for (std::uint32_t q = parts.start[i]; q < parts.start[i + 1]; ++q) {
    const double to_whole = norm(at_j - all.position[q]) - all.radius[q] - p.radius[j];
    const bool near_whole = is_near(parts, q, at_j, p.radius[j]);
    for (std::uint32_t r = parts.start[j]; r < parts.start[j + 1]; ++r) {
      if (near_whole && is_near(parts, r, at_i, p.radius[i]) && may_meet(all, q, r)) continue;
      const double gap = std::max({norm(all.from_to(q, r)) - all.radius[q] - all.radius[r], to_whole,
                                   norm(at_i - all.position[r]) - all.radius[r] - p.radius[i]});
      least = std::min(least, std::max(0.0, gap));
    }
  }
  return least;
}

}  // namespace

void clump_contacts(const Particles& p, const Bodies& bodies, PairTable& pairs, std::span<const std::uint32_t> rows,
                    const PlaneSettings& planes, ContactGeometry geometry, FoundPoints& out) {
  Buffers& b = thread_buffers();
  const Parts& parts = *bodies.parts();
  const Particles& all = parts.rows;
  b.rows.clear(), b.meetings.clear();
  const Timer timer(out.seconds_points);
  for (const std::uint32_t k : rows) {
    const std::uint32_t i = pairs.a[k], j = pairs.b[k];
    const double travel = p.travel[i] + p.travel[j];
    if (travel < pairs.clear_until[k]) {
      ++out.counters.skipped;
      continue;
    }
    const Vec3 way = p.from_to(i, j);
    const double apart = norm(way) - p.radius[i] - p.radius[j];
    if (apart > 0) {
      keep_clear(std::min(apart, p.gap_of_images(i, j, way)), travel, &pairs.clear_until[k]);
      continue;
    }
    b.rows.push_back(k);
    list_near(parts, i, p.position[i] + way, p.radius[j], b.of_a);
    list_near(parts, j, p.position[j] - way, p.radius[i], b.of_b);
    for (const std::uint32_t q : b.of_a) {
      for (const std::uint32_t r : b.of_b) {
        if (!may_meet(all, q, r)) continue;
        const bool round = is_round(parts.bodies.kind(q)) && is_round(parts.bodies.kind(r));
        b.meetings.push_back({k, q, r, (q - parts.start[i]) << 16 | (r - parts.start[j]), !round});
      }
    }
  }
  const std::size_t searched = lay_out(b, pairs, pairs.keeps_tracked, out);
  if (searched > 0) find_body_contacts(all, parts.bodies, b.pairs, 0, searched, planes, geometry, b.found);
  Found found(b);
  auto m = b.meetings.begin();
  for (const std::uint32_t k : b.rows) {
    double clear = kFar;  // of parts whose bounding spheres overlap: how far they are apart
    for (; m != b.meetings.end() && m->row == k; ++m) {
      const std::uint32_t q = m->one, r = m->other;
      if (m->searched) {
        clear = std::min(clear, found.take(*m, parts.arm[q], out));
        continue;
      }
      const Vec3 d = all.from_to(q, r);
      const double distance = norm(d), depth = all.radius[q] + all.radius[r] - distance;
      clear = 0;
      if (!(depth > 0)) continue;
      const Vec3 n = distance > 0 ? d / distance : Vec3{1, 0, 0};
      append_point(*m, parts.arm[q] + (all.radius[q] - 0.5 * depth) * n, n, depth, out);
    }
    const std::uint32_t i = pairs.a[k], j = pairs.b[k];
    const double images = p.gap_of_images(i, j, p.from_to(i, j));
    keep_clear(clear > 0 ? std::min({clear, least_gap(parts, p, i, j), images}) : 0, p.travel[i] + p.travel[j],
               &pairs.clear_until[k]);
  }
  out.counters.add(b.found.counters);
}

void clump_wall_contacts(const Particles& p, const Bodies& bodies, std::span<const WallView> walls, PairTable& pairs,
                         std::span<const std::uint32_t> rows, ContactGeometry geometry, const NearFacets& near,
                         FoundPoints& out) {
  Buffers& b = thread_buffers();
  const Parts& parts = *bodies.parts();
  b.rows.clear(), b.meetings.clear();
  b.near.first_pair = 0, b.near.limit = near.limit;
  b.near.facets.clear(), b.near.start.assign(1, 0);
  const Timer timer(out.seconds_points);
  const auto height_over = [&](const WallView& wall, std::uint32_t r) {
    return dot(wall.normal, parts.rows.position[r] - wall.point);
  };
  for (const std::uint32_t k : rows) {
    const std::uint32_t i = pairs.a[k], w = pairs.b[k];
    const WallView& wall = walls[w];
    if (p.travel[i] + wall.travel < pairs.clear_until[k]) {
      ++out.counters.skipped;
      continue;
    }
    b.rows.push_back(k);
    for (std::uint32_t r = parts.start[i]; r < parts.start[i + 1]; ++r) {
      const bool far = wall.mesh == nullptr && height_over(wall, r) >= parts.rows.radius[r];
      const bool searched = !far && (wall.mesh != nullptr || !is_round(parts.bodies.kind(r)));
      b.meetings.push_back({k, r, w, (r - parts.start[i]) << 16, searched});
      if (!searched) continue;
      if (wall.mesh != nullptr) {
        const auto facets = near.of(k);
        b.near.facets.insert(b.near.facets.end(), facets.begin(), facets.end());
      }
      b.near.start.push_back(static_cast<std::uint32_t>(b.near.facets.size()));
    }
  }
  b.near.clear_until.assign(b.near.facets.size(), 0);  // each part has its own way to go
  const std::size_t searched = lay_out(b, pairs, false, out);
  if (searched > 0) {
    const Particles& all = parts.rows;
    find_wall_contacts(all, parts.bodies, walls, b.pairs, 0, searched, geometry, b.near, b.found);
  }
  Found found(b);
  auto m = b.meetings.begin();
  for (const std::uint32_t k : b.rows) {
    const WallView& wall = walls[pairs.b[k]];
    double gap = kFar;
    for (; m != b.meetings.end() && m->row == k; ++m) {
      const std::uint32_t r = m->one;
      if (m->searched) {
        // The travel of parts is 0, that of the wall is not.
        gap = std::min(gap, std::max(0.0, found.take(*m, parts.arm[r], out) - wall.travel));
        continue;
      }
      const double height = height_over(wall, r), radius = parts.rows.radius[r];
      gap = std::min(gap, std::max(0.0, height - radius));
      if (!(height < radius)) continue;
      const double depth = radius - height;
      append_point(*m, parts.arm[r] + (0.5 * depth - radius) * wall.normal, -wall.normal, depth, out);
    }
    keep_clear(gap, p.travel[pairs.a[k]] + wall.travel, &pairs.clear_until[k]);
  }
  out.counters.add(b.found.counters);
}

}  // namespace scree::narrow
