// LIBS: scree_io
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numbers>
#include <thread>
#include <vector>

#include "io/text/nearest.h"
#include "io/text/short_text.h"
#include "io/text/units.h"

namespace scree::io {
namespace {

using namespace dimension;

const Units& units() {
  static const Units u = *Units::load();
  return u;
}

/// UDUNITS-2 itself is not made for threads; programs that read several cases at once are.
TEST(Units, AreReadAndUsedByManyThreadsAtOnce) {
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&right] {
      for (int k = 0; k < 5; ++k) {
        const Result<Units> own = Units::load();
        for (int i = 0; i < 20; ++i) right += own && *own->to_si("3 kN/m", stiffness) == 3000 ? 1 : 0;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(right, 400);
}

struct Good {
  const char* text;
  const Dimension* dimension;
  double si;
};
class GoodQuantity : public testing::TestWithParam<Good> {};

TEST_P(GoodQuantity, IsReadInSi) {
  const Good& g = GetParam();
  const Result<double> v = units().to_si(g.text, *g.dimension);
  ASSERT_TRUE(v) << g.text << ": " << v.error().message;
  EXPECT_NEAR(*v, g.si, 1e-12 * std::abs(g.si)) << g.text;
}

constexpr double kPi = std::numbers::pi;

INSTANTIATE_TEST_SUITE_P(
    Rows, GoodQuantity,
    testing::Values(Good{"30 cm", &length, 0.3}, Good{"30cm", &length, 0.3}, Good{"0.3", &length, 0.3},
                    Good{" 2.5e-1 m ", &length, 0.25}, Good{"+5 mm", &length, 5e-3}, Good{".5 m", &length, 0.5},
                    Good{"5. m", &length, 5}, Good{"3 µm", &length, 3e-6}, Good{"3 um", &length, 3e-6},
                    Good{"-9.81 m/s^2", &acceleration, -9.81}, Good{"1 m/s²", &acceleration, 1},
                    Good{"1 m s-2", &acceleration, 1}, Good{"2 m/s/s", &acceleration, 2},
                    Good{"2650 kg/m^3", &density, 2650}, Good{"2.65 g/cm3", &density, 2650},
                    Good{"130 kN/m", &stiffness, 130e3}, Good{"35 degree", &angle, 35 * kPi / 180},
                    Good{"35 deg", &angle, 35 * kPi / 180}, Good{"35 degrees", &angle, 35 * kPi / 180},
                    Good{"1 rad", &angle, 1}, Good{"10 rev/min", &angular_velocity, 20 * kPi / 60},
                    Good{"10 rpm", &angular_velocity, 20 * kPi / 60}, Good{"1 deg/s", &angular_velocity, kPi / 180},
                    Good{"0.5 s", &time, 0.5}, Good{"10 ms", &time, 0.01}, Good{"2 min", &time, 120},
                    Good{"1e-9 J", &energy, 1e-9}, Good{"3 N m", &energy, 3}));

struct Bad {
  const char* text;
  const Dimension* dimension;
  const char* got;
};
class BadQuantity : public testing::TestWithParam<Bad> {};

TEST_P(BadQuantity, SaysWhatItFound) {
  const Bad& b = GetParam();
  const Result<double> v = units().to_si(b.text, *b.dimension);
  ASSERT_FALSE(v) << b.text << " was read as " << *v;
  EXPECT_EQ(v.error().message, b.got);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BadQuantity,
    testing::Values(Bad{"3 GPa", &length, "3 GPa (pressure)"}, Bad{"3 kg", &time, "3 kg (mass)"},
                    Bad{"3 metrs", &length, "3 metrs (unknown unit metrs; did you mean metre?)"},
                    Bad{"3 xyzzy", &length, "3 xyzzy (unknown unit xyzzy)"}, Bad{"abc", &length, "abc (no number)"},
                    Bad{"", &length, "an empty text"}, Bad{"m", &length, "m (no number)"},
                    Bad{"nan", &length, "nan (not a finite number)"},
                    Bad{"-inf m", &length, "-inf m (not a finite number)"},
                    Bad{".inf", &length, ".inf (not a finite number)"},
                    Bad{"1e999 m", &length, "1e999 m (beyond the range of numbers)"},
                    Bad{"1e308 km", &length, "1e308 km (beyond the range of numbers)"},
                    Bad{"1,5 m", &length, "1,5 m (write the decimal point as .)"},
                    // UDUNITS-2 itself would take every one of these
                    Bad{"3 N/m^1.5", &stiffness, "3 N/m^1.5 (exponents are whole numbers)"},
                    Bad{"3 4 m", &length, "3 4 m (a number inside the unit)"},
                    Bad{"0x10 m", &length, "0x10 m (unknown unit x)"}, Bad{"3 Hz", &time, "3 Hz (frequency)"},
                    Bad{"3 Hz", &angular_velocity, "3 Hz (frequency)"}, Bad{"3 rad", &length, "3 rad (angle)"},
                    Bad{"3 kg/m^2", &density, "3 kg/m^2 (mass per area)"}, Bad{"3 m^7/s", &density, "3 m^7/s (m^7/s)"},
                    Bad{"3 m @ 5", &length, "3 m @ 5 (no unit has the character @)"},
                    Bad{"3 s since 1970-01-01", &time, "3 s since 1970-01-01 (a number inside the unit)"}));

TEST(Units, PowerStiffnessFollowsTheExponent) {
  EXPECT_DOUBLE_EQ(*units().power_stiffness_to_si("1.4e6 kN/m^3", 3), 1.4e9);
  EXPECT_DOUBLE_EQ(*units().power_stiffness_to_si("2 kN/cm", 1), 2e5);
  EXPECT_DOUBLE_EQ(*units().power_stiffness_to_si("5", 3), 5);
  EXPECT_NEAR(*units().power_stiffness_to_si("2 kN/m^1.5", 1.5), 2e3, 1e-9);
  EXPECT_NEAR(*units().power_stiffness_to_si("2 N/cm^1.5", 1.5), 2e3, 1e-9);
  EXPECT_DOUBLE_EQ(*units().power_stiffness_to_si("7", 1.5), 7);
  EXPECT_EQ(units().power_stiffness_to_si("1.4e6 kN/m^2", 3).error().message, "1.4e6 kN/m^2 (pressure)");
  EXPECT_EQ(units().power_stiffness_to_si("2 kN/m^2.5", 1.5).error().message, "2 kN/m^2.5 (not in N/m^1.5)");
  EXPECT_FALSE(units().power_stiffness_to_si("2 kN/m^2", 1.5));
  EXPECT_FALSE(units().power_stiffness_to_si("2 kN", 1.5));
}

TEST(Units, LongAndWildTextsEndInAMessage) {
  for (const std::string& text :
       {std::string(100000, 'm'), "1 " + std::string(100000, 'm'), "1 " + std::string(70, '('), std::string("1 m^99"),
        std::string("1 m^-99/s^99"), std::string("1 \xff\xfe"), std::string("1 /"), std::string("1 m/"),
        std::string("1 ()"), std::string("1 dBm"), std::string("1 lg(re 1 mW)"), std::string("20 celsius")}) {
    const Result<double> v = units().to_si(text, length);
    ASSERT_FALSE(v) << text.substr(0, 50);
    EXPECT_LT(v.error().message.size(), 250u);
  }
}

TEST(ShortText, GivesNoOrdersToTerminalsAndCutsNoLetter) {
  EXPECT_EQ(short_text("red \x1b[31m, \x7f, \t"), "red ?[31m, ?, ?");
  EXPECT_EQ(short_text("\xc2\x9b"
                       "31m, 5 \xc2\xb5m"),
            "??31m, 5 \xc2\xb5m")
      << "CSI beyond ASCII; micro stays";
  EXPECT_EQ(short_text(std::string(56, 'a') + "\xc3\xa9\xc3\xa9\xc3\xa9"), std::string(56, 'a') + "...");
  EXPECT_EQ(short_text("abcdef", 5), "ab...");
  for (const char* text : {"2(\x1b[31m",
                           "5 \xc2\x9b"
                           "31m",
                           "5 m\x07"})
    EXPECT_EQ(units().to_si(text, length).error().message.find_first_of("\x1b\x9b\x07"), std::string::npos) << text;
}

TEST(Nearest, CountsSwapsAndIgnoresCase) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("gravty", "gravity"), 1u);
  EXPECT_EQ(edit_distance("grvaity", "gravity"), 1u);
  EXPECT_EQ(edit_distance("GRAVITY", "gravity"), 0u);
  const std::vector<std::string> names{"seed", "size", "shapes"};
  EXPECT_EQ(nearest("sede", names), "seed");
  EXPECT_EQ(nearest("shape", names), "shapes");
  EXPECT_EQ(nearest("orientation", names), "");
  EXPECT_EQ(nearest("", names), "");
}

}  // namespace
}  // namespace scree::io
