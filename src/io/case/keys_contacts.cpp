// Keys of a case: contact laws. A table in one function: a row for each key.
#include <numbers>

#include "io/case/given.h"
#include "io/case/keys.h"
#include "io/case/law_words.h"
#include "sim/case.h"

namespace scree::io {

std::vector<Key> contacts_keys() {
  using namespace dimension;
  using namespace forms;
  static const Range share{0, 1, true, false};
  static const Range right_angle{0, std::numbers::pi / 2, false, true};
  static const Form power_stiffness{.kind = Form::Kind::power_stiffness, .range = kFromZero};
  return {
      Key{"contacts",
          {list_of(map(), 0, kMaxMaps)},
          "[]",
          "How two materials act on each other: one entry for each pair that "
          "can meet."},
      Key{"contacts[].between",
          {list_of(name(), 2, 2)},
          kRequired,
          "The two materials, in any order; `any` stands for all of them."},
      Key{"contacts[].law",
          {words(law_words())},
          kRequired,
          "Contact law; see docs/laws/. A mark such as (linear) before a key's "
          "meaning says which laws take it."},
      Key{"contacts[].kn", {quantity(stiffness, kAboveZero)}, kRequired, "Linear normal stiffness: force per overlap."}
          .to(&contact::Bloks3d::kn)
          .to(&contact::Linear::kn)
          .of({"bloks3d", "linear"}),
      Key{"contacts[].knn",
          {power_stiffness},
          kOfMember,
          "Stiffness of the power term knn D^exponent; for exponent 3 a kN/m^3 "
          "means kN per cubic metre of overlap."}
          .beside("exponent")
          .to(&contact::Bloks3d::knn)
          .of({"bloks3d"}),
      Key{"contacts[].exponent",
          {number({1, 10})},
          kOfMember,
          "Exponent of the power term; energy: that of the overlap volume in "
          "the potential, at most 4."}
          .to(&contact::Bloks3d::exponent)
          .to(&contact::EnergyPolyhedral::exponent)
          .of({"bloks3d", "energy"}),
      Key{"contacts[].ks", {quantity(stiffness, kFromZero)}, kRequired, "Shear stiffness."}
          .to(&contact::Bloks3d::ks)
          .of({"bloks3d"}),
      Key{"contacts[].pressure",
          {quantity(pressure, kAboveZero)},
          kRequired,
          "Pressure on the patch where the overlap's volume is R*^3."}
          .to(&contact::EnergyPolyhedral::pressure)
          .of({"energy"}),
      Key{"contacts[].kt", {quantity(stiffness, kFromZero)}, "kt_over_kn times kn", "Shear stiffness."}
          .required_with({"energy"})
          .to(&given::LinearShear::kt)
          .to(&contact::EnergyPolyhedral::kt)
          .of({"linear", "energy"}),
      Key{"contacts[].kt_over_kn", {number(kFromZero)}, kOfMember, "Shear stiffness over kn, instead of kt."}
          .to(&given::LinearShear::kt_over_kn)
          .of({"linear"}),
      Key{"contacts[].restitution",
          {number(share)},
          "or damping_ratio; hertz_mindlin: mixed from the materials",
          "Speed after over speed before a normal impact: what comes out."}
          .to(&given::Damping::restitution)
          .of({"linear", "hertz_mindlin"}),
      Key{"contacts[].damping_ratio",
          {number(kFromZero)},
          "or restitution",
          "Dashpots as a share of critical damping of the pair."}
          .to(&given::Damping::ratio)
          .to(&contact::EnergyPolyhedral::damping_ratio)
          .of({"linear", "hertz_mindlin", "energy"}),
      Key{"contacts[].tension",
          {},
          kOfMember,
          "Whether the dashpot may pull while bodies part; the restitution "
          "comes out either way."}
          .choice(&contact::Linear::tension, {{"cut", contact::Tension::cut}, {"allowed", contact::Tension::allowed}})
          .choice(&contact::HertzMindlin::tension,
                  {{"cut", contact::Tension::cut}, {"allowed", contact::Tension::allowed}})
          .of({"linear", "hertz_mindlin"}),
      Key{"contacts[].friction_angle",
          {quantity(angle, right_angle)},
          kOneOf,
          "Angle of friction between the surfaces."}
          .to(&given::Friction::angle),
      Key{"contacts[].friction",
          {number(kFromZero)},
          kOneOf,
          "Coefficient of friction, the tangent of the friction angle."}
          .to(&given::Friction::coefficient),
      Key{"contacts[].damping", {map()}, "no damping", "Dashpots beside the springs."}.of({"bloks3d"}),
      Key{"contacts[].damping.ratio",
          {number(kFromZero)},
          kRequired,
          "Damping as a fraction of critical damping of the fastest contact."}
          .to(&given::Bloks3dDamping::ratio),
      Key{"contacts[].damping.sliding",
          {number(kFromZero)},
          kOfMember,
          "Cap on the dashpot's force over the spring's, for sliding contacts."}
          .to(&given::Bloks3dDamping::sliding),
      Key{"contacts[].damping.sticking", {number(kFromZero)}, kOfMember, "The same cap for sticking contacts."}.to(
          &given::Bloks3dDamping::sticking),
      Key{"contacts[].rolling",
          {map()},
          "none",
          "Resistance to rolling and twisting, beside any law; "
          "docs/laws/rolling.md."},
      Key{"contacts[].rolling.model",
          {},
          kRequired,
          "constant: the limit while the pair rolls; spring: elastic-plastic "
          "spring and dashpot (Ai et al. 2011)."}
          .choice(&given::Rolling::model,
                  {{"constant", contact::Rolling::Model::constant}, {"spring", contact::Rolling::Model::spring}}),
      Key{"contacts[].rolling.friction",
          {number(kFromZero)},
          kRequired,
          "Coefficient of rolling friction: limit of the moment over R* times "
          "the pressing force."}
          .to(&given::Rolling::friction),
      Key{"contacts[].rolling.twisting", {number(kFromZero)}, kOfMember, "The same about the normal."}.to(
          &given::Rolling::twisting),
      Key{"contacts[].rolling.damping_ratio",
          {number(kFromZero)},
          kOfMember,
          "Share of critical damping below the limit."}
          .to(&given::Rolling::damping_ratio),
      Key{"contacts[].cohesion",
          {map()},
          "none",
          "Attraction of touching bodies, beside any law; "
          "docs/laws/cohesion.md."},
      Key{"contacts[].cohesion.model",
          {},
          kRequired,
          "dmt: a constant pull 2 pi w R*; jkr: Johnson, Kendall and Roberts, "
          "spheres with law: hertz_mindlin."}
          .choice(&given::Cohesion::is_jkr, {{"dmt", false}, {"jkr", true}}),
      Key{"contacts[].cohesion.work_of_adhesion",
          {quantity(surface_energy, kAboveZero)},
          kRequired,
          "Energy w that it takes to part a unit of area."}
          .to(&given::Cohesion::work_of_adhesion),
  };
}

}  // namespace scree::io
