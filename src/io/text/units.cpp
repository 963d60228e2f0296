#include "io/text/units.h"

#include <fmt/format.h>
#include <udunits2.h>

#include <array>
#include <charconv>
#include <cmath>
#include <mutex>
#include <vector>

#include "io/text/nearest.h"
#include "io/text/short_text.h"

namespace scree::io {

namespace dimension {
const Dimension length{"length", "m", "30 cm"};
const Dimension velocity{"velocity", "m/s", "2 m/s"};
const Dimension acceleration{"acceleration", "m/s^2", "-9.81 m/s^2"};
const Dimension density{"density", "kg/m^3", "2650 kg/m^3"};
const Dimension stiffness{"stiffness", "N/m", "130 kN/m"};
const Dimension pressure{"pressure", "Pa", "3 MPa"};
const Dimension stiffness_per_area{"stiffness per area", "N/m^3", "500 GPa/m"};
const Dimension energy{"energy", "J", "1e-9 J"};
const Dimension angle{"angle", "rad", "35 degree"};
const Dimension angular_velocity{"angular velocity", "rad/s", "10 rev/min"};
const Dimension time{"time", "s", "10 ms"};
const Dimension surface_energy{"surface energy", "J/m^2", "50 mJ/m^2"};
const Dimension mass_flow{"mass flow rate", "kg/s", "2 kg/s"};
const Dimension frequency{"frequency", "1/s", "500 1/s"};
const Dimension force{"force", "N", "-1 kN"};
const Dimension mass{"mass", "kg", "5 kg"};
const Dimension area{"area", "m^2", "0.04 m^2"};
}  // namespace dimension

std::string with_article(const std::string& noun) {
  return (std::string_view("aeiou").find(noun.empty() ? ' ' : noun[0]) != std::string_view::npos ? "an " : "a ") + noun;
}

namespace {

// Names for "got 3 GPa (pressure)"; the first that fits is taken.
constexpr std::array<std::array<const char*, 2>, 27> kKnown{{
    {"length", "m"},
    {"mass", "kg"},
    {"time", "s"},
    {"angle", "rad"},
    {"velocity", "m/s"},
    {"acceleration", "m/s^2"},
    {"density", "kg/m^3"},
    {"force", "N"},
    {"stiffness", "N/m"},
    {"pressure", "Pa"},
    {"energy", "J"},
    {"power", "W"},
    {"frequency", "1/s"},
    {"angular velocity", "rad/s"},
    {"area", "m^2"},
    {"volume", "m^3"},
    {"momentum", "kg m/s"},
    {"stiffness per area", "N/m^3"},
    {"mass per area", "kg/m^2"},
    {"moment of inertia", "kg m^2"},
    {"viscosity", "Pa s"},
    {"flow rate", "m^3/s"},
    {"mass flow rate", "kg/s"},
    {"temperature", "K"},
    {"electric current", "A"},
    {"electric potential", "V"},
    {"angular acceleration", "rad/s^2"},
}};

const std::vector<std::string> kCommonUnits{
    "m",          "cm",          "mm",     "km",      "um",      "metre",   "metres",     "meter",       "meters",
    "centimetre", "millimetre",  "inch",   "foot",    "kg",      "g",       "mg",         "tonne",       "s",
    "ms",         "us",          "min",    "h",       "second",  "seconds", "minute",     "minutes",     "hour",
    "hours",      "millisecond", "N",      "kN",      "MN",      "newton",  "newtons",    "Pa",          "kPa",
    "MPa",        "GPa",         "pascal", "J",       "mJ",      "kJ",      "joule",      "joules",      "deg",
    "degree",     "degrees",     "rad",    "radian",  "radians", "rev",     "revolution", "revolutions", "rpm",
    "Hz",         "W",           "gram",   "kilogram"};

struct UnitDeleter {
  void operator()(ut_unit* u) const { ut_free(u); }
};
using Unit = std::unique_ptr<ut_unit, UnitDeleter>;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0 || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t'; }

std::string_view trim(std::string_view s) {
  while (!s.empty() && is_space(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_space(s.back())) s.remove_suffix(1);
  return s;
}

std::vector<std::string> words(std::string_view unit) {
  std::vector<std::string> w;
  for (std::size_t i = 0; i < unit.size();) {
    if (!is_letter(unit[i]) && unit[i] != '%') {
      ++i;
      continue;
    }
    std::size_t e = i;
    while (e < unit.size() && is_letter(unit[e])) ++e;
    if (e == i) ++e;
    w.emplace_back(unit.substr(i, e - i));
    i = e;
  }
  return w;
}

/// UDUNITS-2 reads far more than units: numbers as factors (so that N/m^1.5 is N/m times .5), offsets, dates,
/// logarithms. Here a number is a whole exponent of at most two digits, or the 1 of "1/s"; nothing of the rest passes.
std::string forbidden(std::string_view unit) {
  if (unit.size() > 80) return "a unit of more than 80 characters";
  for (char c : unit)
    if (!is_letter(c) && !is_digit(c) && std::string_view(" \t^*/.-()%").find(c) == std::string_view::npos)
      return fmt::format("no unit has the character {}", short_text({&c, 1}));
  for (std::size_t i = 0; i < unit.size();) {
    if (!is_digit(unit[i])) {
      ++i;
      continue;
    }
    std::size_t e = i;
    while (e < unit.size() && is_digit(unit[e])) ++e;
    const char before = i > 0 ? unit[i - 1] : '(';
    const bool exponent = is_letter(before) || before == '^' || before == '*' || (before == '-' && i > 1);
    const bool one_over =
        e == i + 1 && unit[i] == '1' && (before == '(' || before == ' ') && trim(unit.substr(e)).starts_with("/");
    const bool fraction = e + 1 < unit.size() && unit[e] == '.' && is_digit(unit[e + 1]);
    if (fraction) return "exponents are whole numbers";
    if ((!exponent && !one_over) || e - i > 2) return "a number inside the unit";
    i = e;
  }
  for (const std::string& w : words(unit))
    for (const char* bad : {"from", "since", "after", "ref", "lg", "ln", "lb_re", "re", "per", "PER", "Per"})
      if (w == bad) return w == "per" ? "write / for per" : fmt::format("unknown unit {}", w);
  return {};
}

}  // namespace

namespace {

/// UDUNITS-2 keeps the state of its parsers in globals.
std::recursive_mutex& udunits() {
  static std::recursive_mutex m;
  return m;
}

}  // namespace

struct Units::Database {
  ut_system* system = nullptr;
  ~Database() {
    const std::lock_guard lock(udunits());
    if (system) ut_free_system(system);
  }
  Unit parse(std::string_view text) const { return Unit(ut_parse(system, std::string(trim(text)).c_str(), UT_UTF8)); }
  /// Definition in base units, as in "1000 m-1.kg.s-2"; empty: cannot be written.
  static std::string definition(const ut_unit* u) {
    char text[256];
    const int n = ut_format(u, text, sizeof text - 1, UT_ASCII | UT_DEFINITION);
    return n > 0 && n < static_cast<int>(sizeof text) ? std::string(text, static_cast<std::size_t>(n)) : std::string();
  }
  /// "rad", "rad2", ... as it stands in the definition: UDUNITS-2 itself holds angles for plain numbers.
  static std::string angle_part(const ut_unit* u) {
    const std::string d = definition(u);
    const std::size_t at = d.find("rad");
    return at == std::string::npos ? std::string() : d.substr(at, d.find_first_of(". ", at) - at);
  }
  /// Same dimension, angles included. ut_are_convertible() would also take seconds for hertz.
  static bool same_dimension(const ut_unit* a, const ut_unit* b) {
    const Unit ratio(ut_divide(a, b));
    return ratio && ut_is_dimensionless(ratio.get()) && angle_part(a) == angle_part(b);
  }
  std::string name_of(const ut_unit* u) const {
    for (const auto& [name, unit] : kKnown)
      if (const Unit known = parse(unit); known && same_dimension(u, known.get())) return name;
    if (ut_is_dimensionless(u)) return "a plain number";
    return readable(definition(u));
  }
  /// "1000 m-2.kg" -> "kg/m^2"
  static std::string readable(std::string d) {
    if (const std::size_t at = d.find(' '); at != std::string::npos && (is_digit(d[0]) || d[0] == '.'))
      d.erase(0, at + 1);
    std::string above, below;
    for (std::size_t at = 0; at < d.size();) {
      const std::size_t end = std::min(d.find('.', at), d.size());
      std::string part = d.substr(at, end - at);
      at = end + 1;
      const std::size_t power = part.find_first_of("-0123456789");
      const bool inverse = power != std::string::npos && part[power] == '-';
      std::string exponent = power == std::string::npos ? "" : part.substr(power + (inverse ? 1 : 0));
      part = part.substr(0, power) + (exponent.empty() || exponent == "1" ? "" : "^" + exponent);
      (inverse ? below : above) += (inverse ? "/" : above.empty() ? "" : " ") + part;
    }
    return d.empty() ? "another dimension" : (above.empty() ? "1" : above) + below;
  }
  std::string why_unknown(std::string_view unit) const {
    for (const std::string& w : words(unit))
      if (!parse(w)) return fmt::format("unknown unit {}{}", short_text(w), did_you_mean(w, kCommonUnits));
    return fmt::format("{} is no unit", short_text(unit));
  }
  /// Factor from `unit` to `target`, which has the same dimension.
  static double factor(ut_unit* unit, ut_unit* target) {
    cv_converter* c = ut_get_converter(unit, target);
    if (!c) return NAN;
    const double one = cv_convert_double(c, 1);
    cv_free(c);
    return one;
  }
};

NumberPrefix number_prefix(std::string_view text) {
  const std::size_t plus = text.starts_with('+') && !text.starts_with("+-") ? 1 : 0;
  const std::string_view t = text.substr(plus);
  const std::size_t sign = t.starts_with('-') ? 1 : 0;
  if (t.size() <= sign || (!is_digit(t[sign]) && t[sign] != '.')) return {};  // from_chars would take nan and inf
  NumberPrefix n;
  const auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), n.value);
  if (error == std::errc::invalid_argument) return {};
  n.finite = error == std::errc();
  n.length = plus + static_cast<std::size_t>(end - t.data());
  return n;
}

Result<Units> Units::load() {
  const std::lock_guard lock(udunits());
  // One for all: it never changes, and UDUNITS-2 frees not all of what it has read. Never destroyed, for a thread may
  // outlive main().
  static auto& kept = *new std::shared_ptr<const Database>;
  if (kept) return Units(kept);
  ut_set_error_message_handler(ut_ignore);
  auto d = std::make_shared<Database>();
  d->system = ut_read_xml(nullptr);
  if (!d->system) return Error{"the unit database of UDUNITS-2 is not installed (Debian: libudunits2-data)"};
  for (const auto& [name, definition] : {std::pair{"deg", "degree"}, std::pair{"rev", "revolution"}})
    if (!d->parse(name))
      if (const Unit u = d->parse(definition)) ut_map_name_to_unit(name, UT_ASCII, u.get());
  kept = std::move(d);
  return Units(kept);
}

namespace {

/// The number in front, checked; the rest is the unit.
Result<NumberPrefix> leading_number(std::string_view text) {
  const NumberPrefix n = number_prefix(text);
  if (text.empty()) return Error{"an empty text"};
  if (n.length == 0) {
    std::string low(text.substr(text[0] == '-' || text[0] == '+' || text[0] == '.' ? 1 : 0, 3));
    for (char& c : low) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (low.starts_with("nan") || low.starts_with("inf")) return Error{short_text(text) + " (not a finite number)"};
    return Error{short_text(text) + " (no number)"};
  }
  if (!n.finite) return Error{short_text(text) + " (beyond the range of numbers)"};
  return n;
}

}  // namespace

Result<double> Units::to_si(std::string_view text, const Dimension& dimension) const {
  text = trim(text);
  const Result<NumberPrefix> number = leading_number(text);
  if (!number) return number.error();
  const std::string_view unit = trim(text.substr(number->length));
  if (unit.empty()) return number->value;
  auto wrong = [&](std::string_view why) { return Error{fmt::format("{} ({})", short_text(text), why)}; };
  if (unit[0] == ',') return wrong("write the decimal point as .");
  if (const std::string why = forbidden(unit); !why.empty()) return wrong(why);
  const std::lock_guard lock(udunits());
  const Unit u = database_->parse(unit);
  if (!u) return wrong(database_->why_unknown(unit));
  const Unit target = database_->parse(dimension.unit);
  if (!target || !Database::same_dimension(u.get(), target.get())) return wrong(database_->name_of(u.get()));
  const double si = number->value * Database::factor(u.get(), target.get());
  if (!std::isfinite(si)) return wrong("beyond the range of numbers");
  return si;
}

Result<double> Units::power_stiffness_to_si(std::string_view text, double exponent) const {
  const std::string target = exponent == 0 ? "N" : fmt::format("N/m^{}", exponent);
  const Dimension d{fmt::format("stiffness in {}", target), target, {}};
  text = trim(text);
  const std::size_t caret = text.rfind('^'), slash = text.rfind('/', caret);
  const bool whole = exponent == std::floor(exponent) && std::abs(exponent) < 100;
  if (whole || caret == std::string_view::npos || slash == std::string_view::npos) {
    if (whole) return to_si(text, d);
    const Result<double> bare = to_si(text, Dimension{d.name, "1", {}});
    return bare || number_prefix(text).length == 0 ? bare
                                                   : Error{fmt::format("{} (not in {})", short_text(text), target)};
  }
  const NumberPrefix power = number_prefix(trim(text.substr(caret + 1)));
  const Result<double> force = to_si(text.substr(0, slash), Dimension{"force", "N", {}});
  const Result<double> length =
      to_si(fmt::format("1 {}", trim(text.substr(slash + 1, caret - slash - 1))), dimension::length);
  if (!force || !length || power.length != trim(text.substr(caret + 1)).size() || power.value != exponent)
    return Error{fmt::format("{} (not in {})", short_text(text), target)};
  return *force / std::pow(*length, exponent);
}

}  // namespace scree::io
