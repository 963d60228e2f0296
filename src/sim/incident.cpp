#include "sim/incident.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "sim/pair_geometry.h"
#include "sim/scratch.h"

namespace scree {

namespace {

constexpr std::uint32_t kNoRow = 0xffffffffu;
// Shares of the smaller one's size: an overlap that advice aims at; one that grains are not put into the world with.
constexpr double kHarmless = 0.05, kNoticeable = 0.02;
// Of the energy that has come: what has come from nothing.
constexpr double kFromNothing = 0.25;

std::uint32_t row_of(const std::vector<std::uint32_t>& ids, std::uint32_t id) {
  const auto at = std::find(ids.begin(), ids.end(), id);
  return at == ids.end() ? kNoRow : static_cast<std::uint32_t>(at - ids.begin());
}
std::uint32_t wall_row(const Simulation& s, std::uint32_t id) {
  const auto at = std::find_if(s.walls.begin(), s.walls.end(), [id](const Wall& w) { return w.id == id; });
  return at == s.walls.end() ? kNoRow : static_cast<std::uint32_t>(at - s.walls.begin());
}

/// Two bodies, or a body and a wall, as rows.
struct Two {
  std::uint32_t a = kNoRow, b = kNoRow;
  bool wall = false;
  double share = 0;  ///< overlap over the smaller one's size
};

double size_of(const Simulation& s, std::uint32_t a, std::uint32_t b, bool wall) {
  return wall ? overlap_length(s, a) : std::min(overlap_length(s, a), overlap_length(s, b));
}

/// What row i overlaps most.
Two deepest_of(const Simulation& s, std::uint32_t i) {
  Two two{i, kNoRow, false, 0};
  const auto look = [&](const PairTable& pairs, const ContactTable& contacts, bool wall) {
    for (std::size_t r = 0; r < contacts.size(); ++r) {
      const std::uint32_t a = pairs.a[contacts.pair[r]], b = pairs.b[contacts.pair[r]];
      if (a != i && (wall || b != i)) continue;
      const double share = contacts.penetration_of(r) / size_of(s, a, b, wall);
      if (share > two.share) two = {a, b, wall, share};
    }
  };
  look(s.pairs, s.contacts, false), look(s.wall_pairs, s.wall_contacts, true);
  return two;
}

Two named_by(const Simulation& s, const Fault& fault) {
  if (fault.ids.empty()) return {};
  const std::uint32_t first = row_of(s.particles.id, fault.ids[0]);
  if (first == kNoRow) return {};
  if (fault.wall) return {first, wall_row(s, *fault.wall), true, 0};
  if (fault.ids.size() > 1) return {first, row_of(s.particles.id, fault.ids[1]), false, 0};
  return deepest_of(s, first);
}

/// Velocity of the material point at `arm` from the centroid.
Vec3 velocity_at(const Particles& p, std::uint32_t i, Vec3 arm) {
  return p.velocity[i] + cross(p.angular_velocity[i], arm);
}

/// Fills what a row says of two that are both there. `arm`: of the point from A's centroid; `n`: from A to B.
void take_motion(const Simulation& s, const Two& two, Vec3 arm, Vec3 n, IncidentRow& row) {
  const Particles& p = s.particles;
  Vec3 of_b;
  if (two.wall) {
    const Wall& w = s.walls[two.b];
    of_b = w.velocity_at(p.position[two.a] + arm);
    row.wall_approach = 0.0 - dot(of_b, n);  // never -0
  } else {
    of_b = velocity_at(p, two.b, arm - p.from_to(two.a, two.b));
  }
  row.approach = dot(velocity_at(p, two.a, arm) - of_b, n);
}

const Law& law_of(const Simulation& s, const Two& two) {
  const std::uint32_t b = two.wall ? s.walls[two.b].material : s.particles.material[two.b];
  return s.laws[s.particles.material[two.a] * s.materials.size() + b];
}

/// IncidentRow::power of a contact: that of the force and one more, as the two say at its depth.
double power_of(const Simulation& s, const Two& two, const ContactTable& contacts, std::size_t r) {
  const Scratch* const scratch = s.scratch.get();
  contact::Geometry g = geometry_of(contacts, r);
  if (scratch == nullptr || !(g.depth > 0)) return 0;
  const std::uint32_t parts = contacts.keeps_parts ? contacts.part[r] : 0;
  two.wall ? add_pair(s.particles, *scratch, two.a, parts, g) : add_pair(s.particles, *scratch, two.a, two.b, parts, g);
  return std::visit(
      [&g](const auto& law) {
        const double energy = law.normal_energy(g);
        return energy > 0 ? std::clamp(law.elastic_normal_force(g) * g.depth / energy, 1.5, 4.0) : 0.0;
      },
      law_of(s, two));
}

/// The key of what makes the contacts of a law stiff.
std::string stiffness_key(const Law& law) {
  return std::visit(
      []<class L>(const L& l) -> std::string {
        if constexpr (contact::ElasticLaw<L>) return "young_modulus";
        using enum contact::Unit;
        for (const auto& p : L::parameters()) {  // the first of those in use
          const bool stiffens = p.unit == stiffness || p.unit == power_stiffness || p.unit == pressure;
          if (stiffens && (p.member == nullptr || l.*p.member > 0)) return std::string(p.key);
        }
        return std::string(L::parameters().front().key);
      },
      law);
}

/// The deepest of their contacts; false: they do not touch.
bool take_contact(const Simulation& s, const Two& two, IncidentRow& row) {
  const PairTable& pairs = two.wall ? s.wall_pairs : s.pairs;
  const ContactTable& contacts = two.wall ? s.wall_contacts : s.contacts;
  Vec3 force{};
  std::size_t deepest = contacts.size();
  double depth = 0;
  for (std::size_t r = 0; r < contacts.size(); ++r) {
    const std::uint32_t a = pairs.a[contacts.pair[r]], b = pairs.b[contacts.pair[r]];
    if (!(a == two.a && b == two.b) && (two.wall || !(a == two.b && b == two.a))) continue;
    force += contacts.force[r], row.energy += contacts.energy[r];
    if (contacts.penetration_of(r) > depth) depth = contacts.penetration_of(r), deepest = r;
  }
  if (deepest == contacts.size()) return false;
  const std::uint32_t k = contacts.pair[deepest];
  row.power = power_of(s, {pairs.a[k], pairs.b[k], two.wall, 0}, contacts, deepest);
  row.overlap = depth / size_of(s, pairs.a[k], pairs.b[k], two.wall), row.force = norm(force);
  take_motion(s, {pairs.a[k], pairs.b[k], two.wall, 0}, contacts.point[deepest], contacts.normal[deepest], row);
  return true;
}

std::string percent(double share) { return number(100 * share) + " %"; }

/// "12 steps (0.003 s)"; "about" where rows are more than a step apart.
std::string span(const IncidentRow& from, const IncidentRow& to, bool exact) {
  const std::uint64_t steps = to.step - from.step;
  return (exact ? "" : "about ") + std::to_string(steps) + (steps == 1 ? " step (" : " steps (") +
         number(to.time - from.time) + " s)";
}

/// "They", or what they are.
std::string the_two(const Simulation& s, const Fault& f) {
  if (f.ids.empty()) return "They";
  const std::string first = std::to_string(f.ids[0]);
  if (f.wall) {
    const std::uint32_t w = wall_row(s, *f.wall);
    return "Grain " + first + " and wall '" + (w == kNoRow ? std::string("?") : s.walls[w].name) + "'";
  }
  if (f.ids.size() > 1) return "Grains " + first + " and " + std::to_string(f.ids[1]);
  return "Grain " + first + " and what it overlaps most";
}

/// "about 110": a factor of two digits.
std::string about_factor(double factor) {
  const double unit = std::pow(10, std::floor(std::log10(std::max(factor, 1.0))) - 1);
  return "about " + number(std::max(1.1, std::ceil(factor / unit) * unit));
}

/// The row before the first whose fastest grain is more than ten times as fast as any before, by energy from nothing.
std::optional<std::size_t> burst(const std::vector<IncidentRow>& rows) {
  double fastest = 0;
  for (std::size_t k = 0; k + 1 < rows.size(); ++k) {
    const IncidentRow &before = rows[k], &after = rows[k + 1];
    fastest = std::max(fastest, before.max_speed);
    if (after.max_speed > 10 * fastest &&
        after.unclosed - before.unclosed > kFromNothing * std::abs(after.lively - before.lively))
      return k;
  }
  return {};
}

/// The last time that the two began to touch, as far as the rows tell.
struct Meeting {
  const IncidentRow& first;  ///< the first in touch
  const IncidentRow* apart;  ///< the one before; nullptr: they were in touch, or not both there
  bool exact;                ///< whether these two are a step apart
  bool came_touching;        ///< they were put there like that
};
Meeting meeting_of(const std::vector<IncidentRow>& rows) {
  std::size_t k = rows.size() - 1;
  while (k > 0 && rows[k - 1].both_are_there && rows[k - 1].overlap > 0) --k;
  const IncidentRow* const before = k > 0 ? &rows[k - 1] : nullptr;
  const bool exact = before == nullptr || before->step + 1 == rows[k].step;
  const bool came = before == nullptr ? rows[k].step == 0 : exact && !before->both_are_there;
  return {rows[k], before != nullptr && before->both_are_there ? before : nullptr, exact, came};
}

/// What is told of the contact of the two, in the words of their law.
struct Stiffer {
  double power = 2, target = kHarmless;
  std::string key;

  Stiffer(const Simulation& s, const Two& two, const IncidentRow& last)
      : power(last.power > 0 ? last.power : 2), target(std::min(kHarmless, 0.5 * last.overlap)) {
    if (two.a != kNoRow && two.b != kNoRow) key = stiffness_key(law_of(s, two));
  }
  /// What the contact comes to that takes up `brought` (J).
  double deepest(const IncidentRow& row, double brought) const {
    return row.energy > 0 ? row.overlap * std::pow(std::max(1.0, brought / row.energy), 1 / power) : row.overlap;
  }
  /// `by`: 0 where energy has to be borne, 1 where it is a force.
  std::string advice(double deepest, double by) const {
    return "contacts " + about_factor(std::pow(deepest / target, power - by)) + " times as stiff (" + key +
           "), which bear that near " + percent(target);
  }
};

}  // namespace

const char* name_of(Cause::Kind k) {
  switch (k) {
    case Cause::Kind::unknown:
      return "unknown";
    case Cause::Kind::put_into_each_other:
      return "put into each other";
    case Cause::Kind::wall_speed:
      return "wall speed";
    case Cause::Kind::impact:
      return "impact";
    case Cause::Kind::load:
      return "load";
    case Cause::Kind::unstable:
      return "unstable";
    case Cause::Kind::free_flight:
      return "free flight";
  }
  return "unknown";
}

Fault in_view(const Simulation& s) {
  Fault f = *s.fault;
  if (!f.ids.empty() || s.particles.own_rows() == 0) return f;
  const Particles& p = s.particles;
  std::uint32_t chosen = 0;
  if (f.wall) {
    const std::uint32_t w = wall_row(s, *f.wall);
    double depth = 0;
    for (std::size_t r = 0; r < s.wall_contacts.size(); ++r) {
      const std::uint32_t k = s.wall_contacts.pair[r];
      if (s.wall_pairs.b[k] != w || !(s.wall_contacts.penetration_of(r) > depth)) continue;
      depth = s.wall_contacts.penetration_of(r), chosen = s.wall_pairs.a[k];
    }
    if (depth == 0) return f;
  } else {
    for (std::uint32_t i = 1; i < p.own_rows(); ++i)
      if (norm2(p.velocity[i]) > norm2(p.velocity[chosen])) chosen = i;
  }
  f.ids = {p.id[chosen]}, f.place = p.position[chosen];
  return f;
}

IncidentRow incident_row(const Simulation& s, const Totals& t, const Fault& fault) {
  IncidentRow row;
  row.step = s.step, row.time = s.time;
  row.lively = t.lively(), row.unclosed = t.unclosed, row.max_speed = t.max_speed, row.max_overlap = t.max_overlap;
  const Two two = named_by(s, fault);
  if (two.a == kNoRow || two.b == kNoRow) return row;
  const Particles& p = s.particles;
  row.both_are_there = true;
  row.mass = two.wall ? p.mass[two.a] : p.mass[two.a] * p.mass[two.b] / (p.mass[two.a] + p.mass[two.b]);
  if (take_contact(s, two, row)) return row;
  if (!two.wall) {
    const Vec3 d = p.from_to(two.a, two.b);
    const double distance = norm(d);
    if (distance > 0) take_motion(s, two, p.radius[two.a] / distance * d, (1 / distance) * d, row);
  } else if (!s.walls[two.b].mesh) {
    const Vec3 n = s.walls[two.b].normal;
    take_motion(s, two, -p.radius[two.a] * n, -n, row);
  } else {  // where the mesh will be met is not known: along the way to it
    const Vec3 of_wall = s.walls[two.b].velocity_at(p.position[two.a]), v = p.velocity[two.a] - of_wall;
    row.approach = norm(v), row.wall_approach = row.approach > 0 ? 0.0 - dot(of_wall, v) / row.approach : 0;
  }
  return row;
}

Cause likely_cause(const Simulation& failed, const std::vector<IncidentRow>& rows) {
  Cause cause;
  if (!failed.fault || rows.size() < 2) return cause;
  const Fault& fault = *failed.fault;
  if (fault.kind == Fault::Kind::wall || fault.kind == Fault::Kind::neighbours) return cause;  // the message says it
  const IncidentRow& last = rows.back();
  const std::string two = the_two(failed, fault);
  const double critical = critical_time_step(failed), fraction = critical > 0 ? failed.dt / critical : 0;
  const std::string smaller_step = "a smaller time step (time_step: {fraction: " + number(0.25 * fraction) + "})";
  const Meeting met = meeting_of(rows);
  const double came = met.apart != nullptr ? met.apart->approach : met.first.approach;
  const double wall_came = met.apart != nullptr ? met.apart->wall_approach : met.first.wall_approach;
  const double brought = met.apart != nullptr && came > 0 ? 0.5 * last.mass * came * came : 0;
  const bool by_impact = brought > 0.5 * last.energy;

  const std::optional<std::size_t> k = burst(rows);
  const IncidentRow& start = met.apart != nullptr ? *met.apart : met.first;
  const bool from_nothing = !by_impact && last.unclosed - start.unclosed > kFromNothing * last.lively;
  if (fault.kind == Fault::Kind::energy || from_nothing || (k && rows[*k + 1].step < met.first.step)) {
    cause.kind = Cause::Kind::unstable;
    if (k) {
      const IncidentRow &before = rows[*k], &after = rows[*k + 1];
      cause.text = "The fastest grain went from " + number(before.max_speed) + " to " + number(after.max_speed) +
                   " m/s between the steps " + std::to_string(before.step) + " and " + std::to_string(after.step) +
                   ", " + span(after, last, true) + " before, where overlaps were up to " +
                   percent(before.max_overlap) + "; ";
    } else {
      cause.text = "Energy has come from nothing: " + number(last.unclosed - rows.front().unclosed) + " J since step " +
                   std::to_string(rows.front().step) + ", of " + number(last.lively) + " J that move or are stored; ";
    }
    cause.text += "the time step is " + percent(fraction) + " of the critical one of a single contact.";
    cause.advice = smaller_step + " shows whether the step is to blame; if it is not, look at where it began";
    return cause;
  }
  if (fault.kind == Fault::Kind::too_fast) {
    cause.kind = Cause::Kind::free_flight;
    cause.text = two + " come at each other with " + number(last.approach) + " m/s, of which the wall has " +
                 number(last.wall_approach) + "; " + span(rows.front(), last, true) + " before it was " +
                 number(rows.front().approach) + " m/s.";
    cause.advice = "a slower wall or start, or " + smaller_step;
    return cause;
  }
  if (!last.both_are_there || !(last.overlap > 0)) return cause;

  const Stiffer stiffer(failed, named_by(failed, fault), last);
  if (met.came_touching && met.first.overlap > std::max(kNoticeable, 0.5 * last.overlap)) {
    cause.kind = Cause::Kind::put_into_each_other;
    cause.text = two + " overlapped by " + percent(met.first.overlap) + " of the smaller one's size when they came, " +
                 span(met.first, last, true) + " before.";
    cause.advice = "more room for them where they are put (spacing, gap), and no overlap that is allowed there";
    return cause;
  }
  const std::string at = two + " met " + span(met.first, last, met.exact) + " before at " +
                         (met.exact ? "" : "about ") + number(came) + " m/s";
  if (by_impact && fault.wall && wall_came > 0.5 * came) {
    cause.kind = Cause::Kind::wall_speed;
    cause.text = at + ", of which the wall has " + number(wall_came) + " m/s.";
    cause.advice = "a slower wall, or " + stiffer.advice(stiffer.deepest(last, brought), 0);
    return cause;
  }
  if (by_impact) {
    cause.kind = Cause::Kind::impact;
    const double deepest = stiffer.deepest(last, brought);
    cause.text = at + ". What they brought, " + number(brought) + " J, presses their contact to " +
                 (deepest < 1 ? "about " + percent(deepest) : std::string("more than all")) +
                 " of the smaller one's size.";
    cause.advice = stiffer.advice(deepest, 0) + ", or a slower start";
    return cause;
  }
  if (!(last.force > 0)) return cause;
  cause.kind = Cause::Kind::load;
  cause.text = two + " are pressed together: in touch for " + (met.apart == nullptr ? "at least " : "") +
               span(met.first, last, met.apart == nullptr || met.exact) + ", they bear " + number(last.force) +
               " N at an overlap of " + percent(last.overlap) + ".";
  cause.advice =
      stiffer.advice(last.overlap, 1) + ", or less load" +
      (fault.wall && last.wall_approach > 0 ? "; the wall goes on whatever resists it, a servo would not" : "");
  return cause;
}

}  // namespace scree
