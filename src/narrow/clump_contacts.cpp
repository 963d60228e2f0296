#include "narrow/clump_contacts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/timer.h"

namespace scree::narrow {

namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

/// How far beyond touching parts are listed, as a share of the two wholes' radii: the farther, the longer a list lasts
/// and the more it holds.
constexpr double kAhead = 0.1;
/// What is kept back of a motion bound, as a share of the parts' sizes.
constexpr double kRounding = 1e-12;

/// Parts of the size `scale` (m) together are `gap` (m) apart. Short of it by more than rounding, so that a search that
/// knew nothing would find nothing either.
void keep_gap(double gap, double scale, double travel, NearParts::Entry& entry) {
  keep_clear(gap - kRounding * scale, travel, &entry.clear_until);
}

/// Parts of `whole` that come within `reach` (m) of a point, in any image.
void list_near(const Parts& parts, std::uint32_t whole, Vec3 centre, double reach, std::vector<std::uint32_t>& list) {
  const Particles& all = parts.rows;
  list.clear();
  for (std::uint32_t r = parts.start[whole]; r < parts.start[whole + 1]; ++r) {
    const double far = all.radius[r] + reach;
    if (norm2(nearest_image(all.domain, centre - all.position[r])) < far * far) list.push_back(r);
  }
}

/// Of the centre of a body over a plane.
double height_over(const WallView& wall, Vec3 centre) { return dot(wall.normal, centre - wall.point); }

}  // namespace

/// Hands on what was found, meeting by meeting.
class PartPairs::Found {
 public:
  explicit Found(const PartPairs& of) : of_(of) {}
  /// The next searched one's points become the wholes'. Into `entry`: how far these may travel before the parts, of the
  /// size `scale` (m) together, can touch, and what parts them; 0: they do touch, or may.
  void take(const Meeting& m, Vec3 arm, double scale, FoundPoints& out, NearParts::Entry& entry) {
    const FoundPoints& points = of_.found;
    for (; next_ < points.points.size() && points.points[next_].pair == row_; ++next_) {
      FoundPoint f = points.points[next_];
      f.pair = m.row, f.point += arm;
      out.points.push_back(f);
      if (out.wants_parts)
        out.parts.push_back({m.code, of_.table.feature[row_], of_.table.gap_bound[row_],
                             of_.table.keeps_gaps ? of_.table.solved[row_] : SolvedGap{}});
      if (out.wants_tracked) out.tracked.push_back(of_.table.tracked[row_]);
      if (points.patches.size() == points.points.size()) out.patches.push_back(points.patches[next_]);
    }
    const double clear_until = of_.table.clear_until[row_];
    const bool apart = of_.sure_ && clear_until > 0;
    entry.clear_until = apart ? clear_until - kRounding * scale : 0;  // as keep_gap
    entry.parting = apart ? of_.table.feature[row_] : PlaneFeature{};
    ++row_;
  }

 private:
  const PartPairs& of_;
  std::size_t next_ = 0;
  std::uint32_t row_ = 0;
};

/// A table of the meetings to be searched. What is known of parts that touched stands with their contacts.
void PartPairs::lay_out(const PairTable& wholes, const ContactTable* last, bool tracks, const FoundPoints& out) {
  const bool keeps_planes = last != nullptr && last->keeps_planes;
  table.keeps_tracked = tracks, table.keeps_gaps = last != nullptr && last->keeps_gaps;
  std::size_t n = 0;
  for (const Meeting& m : meetings_) n += m.searched ? 1 : 0;
  table.resize(n);
  n = 0;
  std::uint32_t row = ~0u;  // of the wholes; `c` goes through its contacts, whose codes ascend like the meetings'
  std::size_t c = 0, end = 0;
  for (const Meeting& m : meetings_) {
    if (!m.searched) continue;
    table.a[n] = m.one, table.b[n] = m.other;
    table.feature[n] = m.guess, table.gap_bound[n] = m.guess.kind == PlaneFeature::Kind::none ? 0 : kGuess;
    table.clear_until[n] = 0;
    table.first[n] = 0, table.count[n] = last != nullptr ? 0 : wholes.count[m.row];
    if (tracks) table.tracked[n] = {};
    if (table.keeps_gaps) table.solved[n] = {};
    if (last != nullptr) {
      if (m.row != row) row = m.row, c = wholes.first[row], end = c + wholes.count[row];
      while (c < end && last->part[c] < m.code) ++c;
      if (c < end && last->part[c] == m.code) {
        table.count[n] = 1;
        if (keeps_planes) table.feature[n] = last->plane[c], table.gap_bound[n] = last->plane_bound[c];
        if (tracks) table.tracked[n] = last->tracked[c];
        if (table.keeps_gaps) table.solved[n] = last->plane_solved[c];
      }
    }
    ++n;
  }
  found.clear();
  found.wants_patches = out.wants_patches;
}

void PartPairs::append_point(const Meeting& m, Vec3 point, Vec3 normal, double depth, FoundPoints& out) {
  out.points.push_back({m.row, 0, point, normal, depth, depth, 0, depth});
  if (out.wants_parts) out.parts.push_back({m.code, {}, 0, {}});
  if (out.wants_tracked) out.tracked.emplace_back();
}

/// The pairs of parts of row k that may touch before the wholes have travelled by kAhead.
void PartPairs::list(const Particles& p, const Parts& parts, const PairTable& wholes, std::uint32_t k, double travel,
                     NearParts& near_parts) {
  const Particles& all = parts.rows;
  const std::uint32_t i = wholes.a[k], j = wholes.b[k];
  const double ahead = kAhead * (p.radius[i] + p.radius[j]);
  list_near(parts, i, p.position[j], p.radius[j] + ahead, of_a_);
  list_near(parts, j, p.position[i], p.radius[i] + ahead, of_b_);
  near_parts.begin(k);
  for (const std::uint32_t q : of_a_) {
    for (const std::uint32_t r : of_b_) {
      const double touch = all.radius[q] + all.radius[r], far = touch + ahead;
      const double distance2 = norm2(all.from_to(q, r));
      if (!(distance2 < far * far)) continue;
      NearParts::Entry entry{.one = q, .other = r, .clear_until = 0, .parting = {}};
      keep_gap(std::sqrt(distance2) - touch, touch, travel, entry);
      near_parts.add(entry);
    }
  }
  double until = 0;
  keep_clear(ahead - kRounding * (p.radius[i] + p.radius[j]), travel, &until);
  near_parts.end(k, until);
}

void PartPairs::expand(const Particles& p, const Parts& parts, PairTable& wholes, std::span<const std::uint32_t> rows,
                       const ContactTable* last, const PlaneSettings& planes, ContactGeometry geometry,
                       NearParts& near_parts, FoundPoints& out) {
  rows_.clear(), meetings_.clear();
  const Timer timer(out.seconds_points);
  // A cold search that may miss a gap must not meet one that was seen before.
  sure_ = geometry == ContactGeometry::overlap || planes.method == PlaneMethod::automatic ||
          planes.method == PlaneMethod::separating_axis;
  const bool guesses = planes.method == PlaneMethod::automatic;
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
    // The state says nothing of parts that are apart: it must not hang on what near_parts happens to know.
    wholes.clear_until[k] = 0;
    if (near_parts.is_quiet(k, travel)) {
      ++out.counters.skipped;
      continue;
    }
    if (!near_parts.is_listed(k, travel)) list(p, parts, wholes, k, travel, near_parts);
    rows_.push_back(k);
    std::uint32_t at = 0;
    for (const NearParts::Entry& e : near_parts.of(k)) {
      const std::uint32_t number = at++;
      if (travel < e.clear_until) continue;
      const bool round = is_round(parts.bodies.kind(e.one)) && is_round(parts.bodies.kind(e.other));
      const std::uint32_t code = (e.one - parts.start[i]) << 16 | (e.other - parts.start[j]);
      meetings_.push_back({k, number, e.one, e.other, code, guesses ? e.parting : PlaneFeature{}, !round});
    }
  }
  lay_out(wholes, last, wholes.keeps_tracked, out);
}

void PartPairs::gather(const Particles& p, const Parts& parts, const PairTable& wholes, NearParts& near_parts,
                       FoundPoints& out) {
  const Timer timer(out.seconds_points);
  const Particles& all = parts.rows;
  Found of_parts(*this);
  auto m = meetings_.begin();
  for (const std::uint32_t k : rows_) {
    const std::span<NearParts::Entry> entries = near_parts.of(k);
    const double travel = p.travel[wholes.a[k]] + p.travel[wholes.b[k]];
    for (; m != meetings_.end() && m->row == k; ++m) {
      const std::uint32_t q = m->one, r = m->other;
      NearParts::Entry& entry = entries[m->entry];
      if (m->searched) {
        of_parts.take(*m, parts.arm[q], all.radius[q] + all.radius[r], out, entry);
        continue;
      }
      const Vec3 d = all.from_to(q, r);
      const double distance = norm(d), depth = all.radius[q] + all.radius[r] - distance;
      keep_gap(std::min(-depth, all.gap_of_images(q, r, d)), all.radius[q] + all.radius[r], travel, entry);
      if (!(depth > 0)) continue;
      const Vec3 n = distance > 0 ? d / distance : Vec3{1, 0, 0};
      append_point(*m, parts.arm[q] + (all.radius[q] - 0.5 * depth) * n, n, depth, out);
    }
    near_parts.settle(k);
  }
  out.counters.add(found.counters);
  out.seconds_planes += found.seconds_planes, out.seconds_points += found.seconds_points;
}

void PartPairs::expand(const Particles& p, const Parts& parts, std::span<const WallView> walls, PairTable& wholes,
                       std::span<const std::uint32_t> rows, const ContactTable* last, const NearFacets& near_wholes,
                       NearParts& near_parts, FoundPoints& out) {
  rows_.clear(), meetings_.clear();
  near.clear(0, near_wholes.limit), near.arms = parts.arm.data();
  sure_ = true;
  const Timer timer(out.seconds_points);
  for (const std::uint32_t k : rows) {
    const std::uint32_t i = wholes.a[k], w = wholes.b[k];
    const WallView& wall = walls[w];
    const double travel = p.travel[i] + wall.travel;
    if (travel < wholes.clear_until[k]) {
      ++out.counters.skipped;
      continue;
    }
    // Of the wholes' spheres alone: see expand() of bodies.
    keep_clear(wall.mesh == nullptr ? height_over(wall, p.position[i]) - p.radius[i] : 0, travel,
               &wholes.clear_until[k]);
    if (wholes.clear_until[k] > 0) continue;
    if (near_parts.is_quiet(k, travel)) {
      ++out.counters.skipped;
      continue;
    }
    if (!near_parts.is_listed(k, travel)) {
      near_parts.begin(k);
      for (std::uint32_t r = parts.start[i]; r < parts.start[i + 1]; ++r)
        near_parts.add({.one = r, .other = w, .clear_until = 0, .parting = {}});
      near_parts.end(k, kFar);
    }
    rows_.push_back(k);
    std::uint32_t at = 0;
    for (const NearParts::Entry& e : near_parts.of(k)) {
      const std::uint32_t number = at++, r = e.one;
      if (travel < e.clear_until) continue;
      const bool far = wall.mesh == nullptr && height_over(wall, parts.rows.position[r]) >= parts.rows.radius[r];
      const bool searched = !far && (wall.mesh != nullptr || !is_round(parts.bodies.kind(r)));
      meetings_.push_back({k, number, r, w, (r - parts.start[i]) << 16, {}, searched});
      if (!searched) continue;
      if (wall.mesh != nullptr) {
        const auto facets = near_wholes.of(k);
        near.facets.insert(near.facets.end(), facets.begin(), facets.end());
      }
      near.end_pair(wall.mesh != nullptr && near_wholes.known_of(k).at_rim);  // what else is known is of the whole
    }
  }
  lay_out(wholes, last, false, out);
}

void PartPairs::gather(const Particles& p, const Parts& parts, std::span<const WallView> walls, const PairTable& wholes,
                       NearParts& near_parts, FoundPoints& out) {
  const Timer timer(out.seconds_points);
  Found of_parts(*this);
  auto m = meetings_.begin();
  for (const std::uint32_t k : rows_) {
    const WallView& wall = walls[wholes.b[k]];
    const std::span<NearParts::Entry> entries = near_parts.of(k);
    for (; m != meetings_.end() && m->row == k; ++m) {
      const std::uint32_t r = m->one;
      NearParts::Entry& entry = entries[m->entry];
      const double radius = parts.rows.radius[r];
      if (m->searched) {
        of_parts.take(*m, parts.arm[r], radius, out, entry);
        continue;
      }
      const double depth = radius - height_over(wall, parts.rows.position[r]);
      keep_gap(-depth, radius, p.travel[wholes.a[k]] + wall.travel, entry);
      if (depth > 0) append_point(*m, parts.arm[r] + (0.5 * depth - radius) * wall.normal, -wall.normal, depth, out);
    }
    near_parts.settle(k);
  }
  out.counters.add(found.counters);
  out.seconds_planes += found.seconds_planes, out.seconds_points += found.seconds_points;
}

}  // namespace scree::narrow
