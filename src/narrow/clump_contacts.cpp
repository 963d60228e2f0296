#include "narrow/clump_contacts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/timer.h"

namespace scree::narrow {

namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

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

/// Of the centre of a part over a plane.
double height_over(const WallView& wall, const Parts& parts, std::uint32_t r) {
  return dot(wall.normal, parts.rows.position[r] - wall.point);
}

}  // namespace

/// Hands on what was found, meeting by meeting.
class PartPairs::Found {
 public:
  explicit Found(const PartPairs& of) : of_(of) {}
  /// The next searched one's points become the wholes'. Returns how far the parts are apart at least; 0: they touch, or
  /// may.
  double take(const Meeting& m, Vec3 arm, FoundPoints& out) {
    const FoundPoints& points = of_.found;
    for (; next_ < points.points.size() && points.points[next_].pair == row_; ++next_) {
      FoundPoint f = points.points[next_];
      f.pair = m.row, f.point += arm;
      out.points.push_back(f);
      if (out.wants_parts) out.parts.push_back(m.code);
      if (points.patches.size() == points.points.size()) out.patches.push_back(points.patches[next_]);
    }
    return of_.table.clear_until[row_++];
  }

 private:
  const PartPairs& of_;
  std::size_t next_ = 0;
  std::uint32_t row_ = 0;
};

/// A table of the meetings to be searched, of which nothing is known but whether the wholes touched.
void PartPairs::lay_out(const PairTable& wholes, bool tracks, const FoundPoints& out) {
  table.keeps_tracked = tracks;
  std::size_t n = 0;
  for (const Meeting& m : meetings_) n += m.searched ? 1 : 0;
  table.resize(n);
  n = 0;
  for (const Meeting& m : meetings_) {
    if (!m.searched) continue;
    table.a[n] = m.one, table.b[n] = m.other;
    table.feature[n] = {}, table.clear_until[n] = table.gap_bound[n] = 0;
    table.first[n] = 0, table.count[n] = wholes.count[m.row];
    if (tracks) table.tracked[n] = {};
    ++n;
  }
  found.clear();
  found.wants_patches = out.wants_patches;
}

void PartPairs::append_point(const Meeting& m, Vec3 point, Vec3 normal, double depth, FoundPoints& out) {
  out.points.push_back({m.row, 0, point, normal, depth, depth, 0, depth});
  if (out.wants_parts) out.parts.push_back(m.code);
}

void PartPairs::expand(const Particles& p, const Parts& parts, PairTable& wholes, std::span<const std::uint32_t> rows,
                       FoundPoints& out) {
  const Particles& all = parts.rows;
  rows_.clear(), meetings_.clear();
  const Timer timer(out.seconds_points);
  for (const std::uint32_t k : rows) {
    const std::uint32_t i = wholes.a[k], j = wholes.b[k];
    const double travel = p.travel[i] + p.travel[j];
    if (travel < wholes.clear_until[k]) {
      ++out.counters.skipped;
      continue;
    }
    const Vec3 way = p.from_to(i, j);
    const double apart = norm(way) - p.radius[i] - p.radius[j];
    if (apart > 0) {
      keep_clear(std::min(apart, p.gap_of_images(i, j, way)), travel, &wholes.clear_until[k]);
      continue;
    }
    rows_.push_back(k);
    list_near(parts, i, p.position[i] + way, p.radius[j], of_a_);
    list_near(parts, j, p.position[j] - way, p.radius[i], of_b_);
    for (const std::uint32_t q : of_a_) {
      for (const std::uint32_t r : of_b_) {
        if (!may_meet(all, q, r)) continue;
        const bool round = is_round(parts.bodies.kind(q)) && is_round(parts.bodies.kind(r));
        meetings_.push_back({k, q, r, (q - parts.start[i]) << 16 | (r - parts.start[j]), !round});
      }
    }
  }
  lay_out(wholes, wholes.keeps_tracked, out);
}

void PartPairs::gather(const Particles& p, const Parts& parts, PairTable& wholes, FoundPoints& out) {
  const Timer timer(out.seconds_points);
  const Particles& all = parts.rows;
  Found of_parts(*this);
  auto m = meetings_.begin();
  for (const std::uint32_t k : rows_) {
    double clear = kFar;  // of parts whose bounding spheres overlap: how far they are apart
    for (; m != meetings_.end() && m->row == k; ++m) {
      const std::uint32_t q = m->one, r = m->other;
      if (m->searched) {
        clear = std::min(clear, of_parts.take(*m, parts.arm[q], out));
        continue;
      }
      const Vec3 d = all.from_to(q, r);
      const double distance = norm(d), depth = all.radius[q] + all.radius[r] - distance;
      clear = 0;
      if (!(depth > 0)) continue;
      const Vec3 n = distance > 0 ? d / distance : Vec3{1, 0, 0};
      append_point(*m, parts.arm[q] + (all.radius[q] - 0.5 * depth) * n, n, depth, out);
    }
    const std::uint32_t i = wholes.a[k], j = wholes.b[k];
    const double images = p.gap_of_images(i, j, p.from_to(i, j));
    keep_clear(clear > 0 ? std::min({clear, least_gap(parts, p, i, j), images}) : 0, p.travel[i] + p.travel[j],
               &wholes.clear_until[k]);
  }
  out.counters.add(found.counters);
  out.seconds_planes += found.seconds_planes, out.seconds_points += found.seconds_points;
}

void PartPairs::expand(const Particles& p, const Parts& parts, std::span<const WallView> walls, PairTable& wholes,
                       std::span<const std::uint32_t> rows, const NearFacets& near_wholes, FoundPoints& out) {
  rows_.clear(), meetings_.clear();
  near.first_pair = 0, near.limit = near_wholes.limit;
  near.facets.clear(), near.start.assign(1, 0);
  const Timer timer(out.seconds_points);
  for (const std::uint32_t k : rows) {
    const std::uint32_t i = wholes.a[k], w = wholes.b[k];
    const WallView& wall = walls[w];
    if (p.travel[i] + wall.travel < wholes.clear_until[k]) {
      ++out.counters.skipped;
      continue;
    }
    rows_.push_back(k);
    for (std::uint32_t r = parts.start[i]; r < parts.start[i + 1]; ++r) {
      const bool far = wall.mesh == nullptr && height_over(wall, parts, r) >= parts.rows.radius[r];
      const bool searched = !far && (wall.mesh != nullptr || !is_round(parts.bodies.kind(r)));
      meetings_.push_back({k, r, w, (r - parts.start[i]) << 16, searched});
      if (!searched) continue;
      if (wall.mesh != nullptr) {
        const auto facets = near_wholes.of(k);
        near.facets.insert(near.facets.end(), facets.begin(), facets.end());
      }
      near.start.push_back(static_cast<std::uint32_t>(near.facets.size()));
    }
  }
  near.clear_until.assign(near.facets.size(), 0);  // each part has its own way to go
  lay_out(wholes, false, out);
}

void PartPairs::gather(const Particles& p, const Parts& parts, std::span<const WallView> walls, PairTable& wholes,
                       FoundPoints& out) {
  const Timer timer(out.seconds_points);
  Found of_parts(*this);
  auto m = meetings_.begin();
  for (const std::uint32_t k : rows_) {
    const WallView& wall = walls[wholes.b[k]];
    double gap = kFar;
    for (; m != meetings_.end() && m->row == k; ++m) {
      const std::uint32_t r = m->one;
      if (m->searched) {
        // The travel of parts is 0, that of the wall is not.
        gap = std::min(gap, std::max(0.0, of_parts.take(*m, parts.arm[r], out) - wall.travel));
        continue;
      }
      const double height = height_over(wall, parts, r), radius = parts.rows.radius[r];
      gap = std::min(gap, std::max(0.0, height - radius));
      if (!(height < radius)) continue;
      const double depth = radius - height;
      append_point(*m, parts.arm[r] + (0.5 * depth - radius) * wall.normal, -wall.normal, depth, out);
    }
    keep_clear(gap, p.travel[wholes.a[k]] + wall.travel, &wholes.clear_until[k]);
  }
  out.counters.add(found.counters);
  out.seconds_planes += found.seconds_planes, out.seconds_points += found.seconds_points;
}

}  // namespace scree::narrow
