#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/describe.h"
#include "app/estimate.h"

namespace scree::app {

namespace {

template <class L>
std::string restitution(const L& law) {
  if (const std::optional<double> e = law.restitution())
    return fmt::format("restitution {:.4g} ({:.3g} of critical damping)", *e, law.damping_ratio);
  const std::string open = "restitution not fixed by the law";
  std::vector<std::string> caps;
  for (const contact::Parameter<L>& p : L::parameters()) {
    constexpr std::string_view kMap = "damping.";
    if (p.member != nullptr && p.key.starts_with(kMap))
      caps.push_back(fmt::format("{} {:.3g}", p.key.substr(kMap.size()), law.*p.member));
  }
  if (caps.empty()) return fmt::format("{} ({:.3g} of critical damping)", open, law.damping_ratio);
  return law.damping_ratio > 0 ? fmt::format("{} (damping: {})", open, fmt::join(caps, ", ")) : open + " (no damping)";
}

/// What stands beside the law.
std::string beside(const contact::Beside& b) {
  std::string text;
  if (b.rolling.acts()) {
    const bool constant = b.rolling.model == contact::Rolling::Model::constant;
    text += fmt::format("; rolling friction {:.3g} ({}, {:.3g} of critical damping)", b.rolling.friction,
                        constant ? "constant torque" : "spring", b.rolling.damping_ratio);
    if (b.rolling.twisting > 0) text += fmt::format(", twisting {:.3g}", b.rolling.twisting);
  }
  if (b.pull.work_of_adhesion > 0) text += "; dmt: " + metric(b.pull.work_of_adhesion, "J/m^2");
  return text;
}

/// Duration of an undamped impact that reaches `depth` (s): 2 int dx/v(x), the speed at x from the spring's energy.
/// x = depth (1 - u^2) takes the root out of the integrand.
template <class L>
double impact_time(const L& law, double depth, double radius, double mass) {
  const auto energy = [&](double x) { return law.normal_energy(contact::reference_contact(x, radius, mass)); };
  constexpr int kPoints = 400;
  const double whole = energy(depth);
  double sum = 0;
  for (int k = 0; k < kPoints; ++k) {
    const double u = (k + 0.5) / kPoints;
    sum += 4 * depth * u / std::sqrt(2 * (whole - energy(depth * (1 - u * u))) / mass) / kPoints;
  }
  return sum;
}

/// E* (Pa), and E and nu of like materials whose kt/kn = 2 (1 - nu)/(2 - nu) (Mindlin 1949) this is; none has less than
/// 2/3 or more than 4/3.
std::string as_materials(double young, double ratio) {
  const std::string pair = fmt::format("E* {}", metric(young, "Pa"));
  const double nu = (2 - 2 * ratio) / (2 - ratio);
  constexpr double kRounding = 1e-9;
  if (ratio == 0) return pair;  // no shear spring
  if (!(ratio > 2.0 / 3 - kRounding && ratio < 4.0 / 3 + kRounding))
    return fmt::format("{} (kt/kn {:.3g}: as no isotropic material, 0.667 to 1.33)", pair, ratio);
  return fmt::format("{}: of like materials E {}, nu {:.3g}", pair, metric(2 * (1 - nu * nu) * young, "Pa"), nu);
}

}  // namespace

void print_laws(const Simulation& s, const Particles& come) {
  const auto least_of = [](const Particles& p) {
    return p.size_rows() == 0 ? INFINITY : *std::ranges::min_element(p.size);
  };
  const Particles& p = least_of(come) < least_of(s.particles) ? come : s.particles;
  if (p.size_rows() == 0) return;
  const auto least = std::ranges::min_element(p.size);
  const auto row = static_cast<std::size_t>(least - p.size.begin());
  // Two of the smallest grains, pressed into each other by 1 % of their size.
  const double depth = 0.01 * *least, radius = equivalent_radius(s, p, row) / 2, mass = p.mass[row] / 2;
  // Pairs with the same law stand together.
  std::vector<std::pair<std::string, std::vector<std::string>>> laws;
  for (const Case::Contact& c : s.contacts_given) {
    const auto named = [&](int m) { return s.materials[static_cast<std::size_t>(m)].name; };
    std::visit(
        [&](auto law) {
          law.prepare(p.mass[row]);
          std::string adhesion;
          if constexpr (contact::AdhesiveLaw<decltype(law)>) {
            if (const double parts_at = law.parting_depth(radius); parts_at < 0)
              adhesion = fmt::format("; {}: pull-off {}, parts at a gap of {}", law.kTraits.adhesion,
                                     metric(law.pull_off(radius), "N"), metric(-parts_at, "m"));
            law.work_of_adhesion = 0;  // the numbers below are those of the springs alone
          }
          const contact::Geometry g = contact::reference_contact(depth, radius, mass);
          const double force = law.elastic_normal_force(g);
          const double kn = law.normal_stiffness(g), kt = law.shear_stiffness(g);
          const std::string text = fmt::format(
              "{}, friction {:.4g}, {}\n  {:<14} at 1 % of the smallest grain: kn {}, {}impact of {}; as Hertz' law {}",
              law.kName, law.mu, restitution(law) + adhesion + beside(c.beside), "", metric(kn, "N/m"),
              kt > 0 ? "kt " + metric(kt, "N/m") + ", " : std::string(),
              metric(impact_time(law, depth, radius, mass), "s"),
              as_materials(0.75 * force / std::sqrt(radius * depth) / depth, kt / kn));
          auto at = std::find_if(laws.begin(), laws.end(), [&](const auto& l) { return l.first == text; });
          if (at == laws.end()) at = laws.insert(laws.end(), {text, {}});
          at->second.push_back(named(c.material_a) + " - " + named(c.material_b));
        },
        c.law);
  }
  for (const auto& [text, pairs] : laws) fmt::print("  {:<14} {}: {}\n", "contact", fmt::join(pairs, ", "), text);
}

}  // namespace scree::app
