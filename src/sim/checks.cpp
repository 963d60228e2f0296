// The flight recorder: a run that has gone wrong stops and names the particles, the time, the place and what to change.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "exec/parallel.h"
#include "sim/row_order.h"
#include "sim/scratch.h"

namespace scree {

namespace {

constexpr double kDeepest = 0.5;  // of the smaller particle's size

std::string number(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", v);
  return text;
}

std::string when_and_where(const Simulation& s, Vec3 place) {
  return " at t = " + number(s.time) + " s (step " + std::to_string(s.step) + "), x = (" + number(place.x) + ", " +
         number(place.y) + ", " + number(place.z) + ") m";
}

constexpr char kAdvice[] =
    "; a smaller time step (time_step: {fraction: ...}), stiffer contacts (kn) or a gentler start may help";

void report_not_finite(Simulation& s, std::uint32_t i) {
  Fault f;
  f.kind = Fault::Kind::not_finite;
  f.ids = {s.particles.id[i]};
  f.place = is_finite(s.particles.position[i]) ? s.particles.position[i] : Vec3{};
  f.message = "the motion of particle " + std::to_string(f.ids[0]) + " is no longer a number" +
              when_and_where(s, f.place) + kAdvice;
  s.fault = std::move(f);
}

/// First row, in the order of the ids, deeper than allowed; the number of rows when there is none.
template <class SmallerSize>
std::size_t first_too_deep(const Simulation& s, const ContactTable& c, std::vector<std::uint32_t> RowOrder::*rows,
                           SmallerSize&& size) {
  const auto is_too_deep = [&](std::size_t r) { return !(c.penetration[r] <= kDeepest * size(c.pair[r])); };
  const std::size_t any = exec::parallel_reduce(
      c.size(), 4096, c.size(),
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = begin; r < end; ++r) {
          if (is_too_deep(r)) return r;
        }
        return c.size();
      },
      [](std::size_t a, std::size_t b) { return std::min(a, b); });
  if (any == c.size()) return any;
  const RowOrder ids = id_order(s);
  for (std::size_t place = 0;; ++place) {
    const std::size_t r = ids.row(ids.*rows, place);
    if (is_too_deep(r)) return r;
  }
}

void report_too_deep(Simulation& s, const PairTable& pairs, const ContactTable& c, std::size_t row, double size,
                     bool wall) {
  const Particles& p = s.particles;
  const std::uint32_t k = c.pair[row], i = pairs.a[k], j = pairs.b[k];
  Fault f;
  f.kind = Fault::Kind::overlap_too_deep;
  f.place = p.position[i] + c.point[row];
  f.ids = {p.id[i]};
  if (!wall) f.ids.push_back(p.id[j]);
  f.message = (wall ? "particle " + std::to_string(p.id[i]) + " and wall '" + s.walls[j].name + "'"
                    : "particles " + std::to_string(p.id[i]) + " and " + std::to_string(p.id[j])) +
              " overlap by " + number(100 * c.penetration[row] / size) +
              " % of the smaller one's size, more than half of it," + when_and_where(s, f.place) + kAdvice;
  s.fault = std::move(f);
}

}  // namespace

void check_and_report(Simulation& s) {
  const Particles& p = s.particles;
  const std::size_t n = p.size_rows();
  // Of several, the one of lowest id.
  const auto lower = [&](std::size_t a, std::size_t b) { return b == n || (a < n && p.id[a] < p.id[b]) ? a : b; };
  const std::size_t bad = exec::parallel_reduce(
      n, 4096, n,
      [&](std::size_t begin, std::size_t end) {
        std::size_t worst = n;
        for (std::size_t i = begin; i < end; ++i) {
          // One sum catches a NaN or an infinity in any part.
          const Vec3 sum = p.position[i] + p.velocity[i] + p.force[i] + p.angular_momentum[i] + p.torque[i];
          if (!is_finite(sum)) worst = lower(worst, i);
        }
        return worst;
      },
      lower);
  if (bad < n) return report_not_finite(s, static_cast<std::uint32_t>(bad));
  const auto body_size = [&](std::uint32_t k) { return std::min(p.size[s.pairs.a[k]], p.size[s.pairs.b[k]]); };
  const auto wall_size = [&](std::uint32_t k) { return p.size[s.wall_pairs.a[k]]; };
  if (const std::size_t r = first_too_deep(s, s.contacts, &RowOrder::contact, body_size); r < s.contacts.size()) {
    return report_too_deep(s, s.pairs, s.contacts, r, body_size(s.contacts.pair[r]), false);
  }
  if (const std::size_t r = first_too_deep(s, s.wall_contacts, &RowOrder::wall_contact, wall_size);
      r < s.wall_contacts.size()) {
    return report_too_deep(s, s.wall_pairs, s.wall_contacts, r, wall_size(s.wall_contacts.pair[r]), true);
  }
}

}  // namespace scree
