#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace scree::io {

/// What a quantity measures: the word that messages use and the SI unit that bare numbers have.
/// Angles count as a dimension of their own, so that 10 Hz is no angular velocity.
struct Dimension {
  std::string name;     ///< "length"; with its article it reads "a length"
  std::string unit;     ///< SI, in UDUNITS-2 syntax
  std::string example;  ///< "30 cm"
};

namespace dimension {
extern const Dimension length, velocity, acceleration, density, stiffness, pressure, stiffness_per_area, energy, angle,
    angular_velocity, time, surface_energy, mass_flow, frequency, force, mass, area;
}

/// "a length", "an angle".
std::string with_article(const std::string& noun);

/// A decimal number at the start of the text: C syntax without hexadecimal, nan and inf.
struct NumberPrefix {
  double value = 0;
  std::size_t length = 0;  ///< characters taken; 0: the text does not begin with a number
  bool finite = true;      ///< false: beyond the range of a double
};
NumberPrefix number_prefix(std::string_view text);

/// The unit database (UDUNITS-2, with deg and rev added).
class Units {
 public:
  /// Read from the disk once in a process. Errors: the database is not installed.
  static Result<Units> load();

  /// "30 cm" -> 0.3. A number without a unit is SI. Errors are what was found, as the second half of
  /// "expected a length, got ...": "3 GPa (pressure)", "3 metrs (unknown unit metrs; did you mean metres?)", "abc (no
  /// number)".
  Result<double> to_si(std::string_view text, const Dimension& dimension) const;

  /// "1.4e6 kN/m^3" -> N/m^exponent; non-integer exponents, which UDUNITS-2 has no syntax for, as "FORCE/LENGTH^1.5".
  Result<double> power_stiffness_to_si(std::string_view text, double exponent) const;

 private:
  struct Database;
  explicit Units(std::shared_ptr<const Database> d) : database_(std::move(d)) {}
  std::shared_ptr<const Database> database_;
};

}  // namespace scree::io
