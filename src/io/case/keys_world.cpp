// Keys of a case: the world and what it is made of. A table in one function: a row for each key.
#include <fmt/ranges.h>

#include "io/case/given.h"
#include "io/case/keys.h"
#include "io/case/law_words.h"
#include "sim/case.h"

namespace scree::io {

std::vector<Key> world_keys() {
  using namespace dimension;
  using namespace forms;
  static const Range share{0, 1, true, false};
  const std::string elastic = fmt::format("{}", fmt::join(law_words(true), ", "));
  return {
      Key{"title", {text()}, "none", "What the case shows; stands on the report."}
          .to(&Case::title)
          .hashed(HashRule::free),
      Key{"seed",
          {integer(kFromZero)},
          kOfMember,
          "Start of all random draws: sizes, orientations, places. The same seed gives the same bits."}
          .to(&Case::seed),
      Key{"dimensions",
          {integer({2, 3})},
          kOfMember,
          "2 keeps all motion in the plane z = 0, with discs and polygons for grains; every z of the case must be 0."}
          .to(&Case::dimensions),
      Key{"thickness",
          {quantity(length, kAboveZero)},
          kOfMember,
          "Of the discs and polygons of two dimensions; it scales their masses."}
          .to(&Case::thickness),
      Key{"gravity",
          {vector(acceleration)},
          kOfMember,
          "Acceleration of gravity; in two dimensions the default is along y."}
          .to(&Case::gravity, kPlaced),
      Key{"damping", {map()}, "none", "Of all motion of grains, whatever they touch."},
      Key{"damping.global",
          {quantity(frequency, kFromZero)},
          kRequired,
          "alpha_d of Zhao et al. (2006): forces -alpha_d m v and moments -alpha_d I w on every grain."}
          .to(&Case::Damping::global),
      Key{"periodic", {map()}, "none", "Axes along which space repeats: what leaves at one end comes in at the other."},
      Key{"periodic.x",
          {list_of(quantity(length), 2, 2)},
          "none",
          "Lower and upper end along x; the period lies between."}
          .to(&given::Periods::x),
      Key{"periodic.y", {list_of(quantity(length), 2, 2)}, "none", "The same along y."}.to(&given::Periods::y),
      Key{"periodic.z", {list_of(quantity(length), 2, 2)}, "none", "The same along z; in three dimensions."}.to(
          &given::Periods::z),
      Key{"materials", {names(1)}, kRequired, "What grains and walls are made of, by names that you choose."},
      Key{"materials.*.from",
          {name()},
          "none",
          "A material of the library, whose values hold where none is given beside it; `scree materials` lists them."}
          .to(&Case::Material::from)
          .hashed(HashRule::free),  // the values that it brings are hashed
      Key{"materials.*.density", {quantity(density, kAboveZero)}, kRequired, "Density of the solid."}
          .to(&Case::Material::density)
          .or_by("from"),
      Key{"materials.*.young_modulus", {quantity(pressure, kAboveZero)}, "none", "Needed by law: " + elastic + "."}.to(
          &Case::Material::young_modulus),
      Key{"materials.*.poisson_ratio", {number({-1, 0.5, true, false})}, "none", "Needed by law: " + elastic + "."}.to(
          &Case::Material::poisson_ratio),
      Key{"materials.*.restitution",
          {number(share)},
          "none",
          "Share of its speed that a body of this material would keep: mixed for pairs of law: " + elastic +
              " that give none."}
          .to(&Case::Material::restitution),
  };
}

}  // namespace scree::io
