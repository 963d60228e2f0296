// LIBS: scree_io
// A quantity with its unit, as case files and --set have them. The first byte says of what dimension, the second of
// what exponent a stiffness.
#include "io/text/units.h"

#include <cmath>

#include "fuzz/fuzz.h"

namespace scree::fuzz {

std::vector<std::string> seeds() {
  std::vector<std::string> all;
  char which = 0;
  for (const char* text : {"30 cm", "-9.81 m/s^2", "2650 kg/m^3", "1.4e6 kN/m^3", "30 deg", "45 rpm", "5 ms",
                           "0.05 J/m^2", "3 t/h", "1 GPa", "20 kN", "12", "1e-3 m2", "2 rev", "1 µm", "4 MN/m^1.5"}) {
    all.push_back(std::string{which, which} + text);
    ++which;
  }
  return all;
}

bool take(std::string_view input) {
  namespace d = io::dimension;
  static const io::Units units = *io::Units::load();
  static const io::Dimension* const all[] = {&d::length,
                                             &d::velocity,
                                             &d::acceleration,
                                             &d::density,
                                             &d::stiffness,
                                             &d::pressure,
                                             &d::stiffness_per_area,
                                             &d::energy,
                                             &d::angle,
                                             &d::angular_velocity,
                                             &d::time,
                                             &d::surface_energy,
                                             &d::mass_flow,
                                             &d::frequency,
                                             &d::force,
                                             &d::mass,
                                             &d::area};
  Front in(input);
  const io::Dimension& of = *all[in.take<std::uint8_t>() % std::size(all)];
  const double exponent = 1 + in.take<std::uint8_t>() % 9 / 8.;
  const std::string_view text = in.rest();
  bool is_taken = false;
  const auto look = [&](const Result<double>& r) {
    if (r) {
      SCREE_KEEPS(std::isfinite(*r));
      is_taken = true;
    } else {
      keeps_legible(r.error().message);
      SCREE_KEEPS(r.error().message.size() < 400);
    }
  };
  const Result<double> value = units.to_si(text, of);
  look(value);
  look(units.power_stiffness_to_si(text, exponent));
  const io::NumberPrefix number = io::number_prefix(text);
  SCREE_KEEPS(number.length <= text.size());
  // A number alone is SI already.
  if (value && number.length == text.size()) SCREE_KEEPS(*value == number.value);
  return is_taken;
}

}  // namespace scree::fuzz
