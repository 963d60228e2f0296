#pragma once
#include <cmath>
#include <concepts>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "contact/contact.h"
#include "contact/restitution.h"

/// What a contact law is: one file in contact/laws/, one name in contact/laws.h, one page in docs/laws/. Whatever
/// reads, checks, describes, hashes, tests or applies laws does so by what stands here, and knows none by name.
namespace scree::contact {

/// What a law needs, and what it can do.
struct Traits {
  bool pair = false;    ///< reads Geometry::radius and mass
  bool patch = false;   ///< reads Geometry::area and area_moment: for flat-faced bodies and exact overlaps alone
  bool history = true;  ///< a spring along the plane is kept in Memory
  bool lanes = false;   ///< its text in NAME-inl.h also takes as many contacts as a vector holds, with the same bits
  bool limits_dashpots = true;  ///< Coulomb's limit holds for springs and dashpots together
  bool elastic = false;  ///< made of the elastic constants of the two materials, whose Rayleigh waves bound the step
  std::string_view adhesion = {};  ///< word of `cohesion.model` that the law takes as its own; empty: none
};

/// What a parameter measures, in SI units.
enum class Unit {
  one,
  stiffness,        ///< N/m
  power_stiffness,  ///< N/m^b; b is the parameter `exponent` of the same law
  pressure,         ///< Pa
  angle,            ///< rad
  speed,            ///< m/s
  word,             ///< the number of one of Parameter::words
  map,              ///< no number: parameters stand below it, "damping" before "damping.ratio"
};

/// Powers of kg, m and s.
struct Powers {
  double mass = 0, length = 0, time = 0;
};
constexpr Powers powers_of(Unit unit, double exponent) {
  if (unit == Unit::stiffness) return {1, 0, -2};
  if (unit == Unit::power_stiffness) return {1, 1 - exponent, -2};
  if (unit == Unit::pressure) return {1, -1, -2};
  if (unit == Unit::speed) return {0, 1, -1};
  return {};
}

/// Allowed numbers.
struct Bounds {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  bool above = false, below = false;  ///< low itself, high itself is refused
  bool holds(double v) const { return (above ? v > low : v >= low) && (below ? v < high : v <= high); }
};
inline constexpr Bounds kAboveZero{0, std::numeric_limits<double>::infinity(), true, false};
inline constexpr Bounds kFromZero{0, std::numeric_limits<double>::infinity(), false, false};

/// Something that a user gives law L. Where two can stand for each other, like an angle and its tangent, the list has
/// both, one behind the other, and the second names the first: only one is given.
template <class L>
struct Parameter {
  std::string_view key;  ///< in case files, below the entry of `contacts`
  Unit unit = Unit::one;
  Bounds bounds = {};
  std::string_view fallback;    ///< kRequired, kOneOf, in words what holds without it; empty: the law's initialiser
  std::string_view what;        ///< one sentence
  double L::*member = nullptr;  ///< where the number goes,
  void (*set)(L&, double) = nullptr;  ///< or what it does; in the order of the list
  std::string_view instead_of = {};   ///< key of the parameter that this one stands for
  std::string_view needs = {};        ///< key that must be given along with this one
  std::span<const std::string_view> words = {};

  void apply(L& law, double value) const {
    if (member != nullptr)
      law.*member = value;
    else
      set(law, value);
  }
};
inline constexpr std::string_view kRequired = "required";
inline constexpr std::string_view kOneOf = "one of these";  ///< of those that stand for each other exactly one is given

/// Of an isotropic material. restitution: 0 where none is given.
struct ElasticMaterial {
  double young = 0, poisson = 0, restitution = 0;
};

/// Plain parameters of 64 bits each, without padding, so that their bytes can be hashed; one call operator. No
/// particle, no world, no virtual call.
template <class L>
concept ContactLaw = std::is_trivially_copyable_v<L> && sizeof(L) % sizeof(double) == 0 &&
                     requires(L& law, const L& given, const Geometry& g, const Motion& m, Memory& memory, double x) {
  { L::kName } -> std::convertible_to<std::string_view>;
  { L::kTraits } -> std::convertible_to<Traits>;
  { L::parameters() } -> std::convertible_to<std::span<const Parameter<L>>>;
  /// Before the law is used: for the smallest mass of the run (kg; 0: nothing to damp).
  law.prepare(x);
  /// Wrench on B, with the memory of the last step, which becomes that of this one.
  { given(g, m, memory) } -> std::same_as<Wrench>;
  { given.mu } -> std::convertible_to<double>;  ///< coefficient of friction, set by prepare()
  /// N: of the normal spring alone. N/m: no less than its derivative, and equal to it where the law reads no patch.
  { given.elastic_normal_force(g) } -> std::same_as<double>;
  { given.normal_stiffness(g) } -> std::same_as<double>;
  { given.shear_stiffness(g) } -> std::same_as<double>;
  { given.normal_energy(g) } -> std::same_as<double>;  ///< J, stored in the normal spring
  { given.dashpots(g) } -> std::same_as<Dashpots>;
  /// m, <= 0: the depth at which a contact gives way between spheres of the effective radius x; below 0: the law
  /// adheres.
  { given.parting_depth(x) } -> std::same_as<double>;
  /// Whether a dashpot may pull bodies together while they part.
  { given.tension_allowed() } -> std::same_as<bool>;
  /// Of a normal impact; nothing: the law does not fix it.
  { given.restitution() } -> std::same_as<std::optional<double>>;
};

/// A law whose parameters can be wrong together: then `fault()` says how, and is empty otherwise.
template <class L>
concept CheckedLaw = ContactLaw<L> && requires(const L& law) {
  { law.fault() } -> std::same_as<std::string_view>;
};

/// A law made of the elastic constants of the two materials.
template <class L>
concept ElasticLaw = ContactLaw<L> && requires(L& law, const ElasticMaterial& a, const ElasticMaterial& b) {
  law.set_materials(a, b);
};

/// A law that can adhere: Traits::adhesion. work_of_adhesion (J/m^2) > 0: it does.
template <class L>
concept AdhesiveLaw = ContactLaw<L> && !L::kTraits.adhesion.empty() && requires(L & law, double radius) {
  law.work_of_adhesion = 1.0;
  { law.pull_off(radius) } -> std::same_as<double>;  ///< N, of spheres of the effective radius
};

/// Friction, which every law has.
template <class L>
constexpr Parameter<L> friction_angle_of() {
  return {"friction_angle",
          Unit::angle,
          {0, std::numbers::pi / 2, false, true},
          kOneOf,
          "Angle of friction between the surfaces.",
          &L::friction_angle};
}
template <class L>
constexpr Parameter<L> friction_of() {
  return {.key = "friction",
          .bounds = kFromZero,
          .fallback = kOneOf,
          .what = "Coefficient of friction, the tangent of the friction angle.",
          .set = [](L& law, double mu) { law.friction_angle = std::atan(mu); },
          .instead_of = "friction_angle"};
}

/// Of laws whose dashpot is the pair's share of critical damping (contact/restitution.h): `tension` before
/// `restitution`, which depends on it.
inline constexpr std::string_view kTensionWords[] = {"cut", "allowed"};
template <class L>
constexpr Parameter<L> tension_of() {
  return {.key = "tension",
          .unit = Unit::word,
          .fallback = "cut",
          .what = "Whether the dashpot may pull while bodies part; the restitution comes out either way.",
          .set = [](L& law, double word) { law.tension = word > 0 ? Tension::allowed : Tension::cut; },
          .words = kTensionWords};
}
template <class L>
constexpr Parameter<L> restitution_of_impact(std::string_view fallback) {
  return {.key = "restitution",
          .bounds = {0, 1, true, false},
          .fallback = fallback,
          .what = "Speed after over speed before a normal impact: what comes out.",
          .set = [](L& law, double e) { law.damping_ratio = damping_ratio_for(e, law.tension); }};
}
template <class L>
constexpr Parameter<L> damping_ratio_of(std::string_view fallback, std::string_view instead_of = {}) {
  return {.key = "damping_ratio",
          .bounds = kFromZero,
          .fallback = fallback,
          .what = "Dashpots as a share of critical damping of the pair.",
          .member = &L::damping_ratio,
          .instead_of = instead_of};
}

}  // namespace scree::contact
