// LIBS: scree_validation nlohmann_json::nlohmann_json
// scree validate: the quick published cases hold, and what does not hold is said.
#include <cmath>
#include <set>
#include <sstream>

#include "cli/bench_command.h"
#include "validation/validation.h"

namespace scree {
namespace {

using testing_cli::content;
using testing_cli::has;
namespace fs = std::filesystem;

struct ValidateCommand : testing_cli::BenchCommand {
  int validate(const std::string& arguments) { return run("validate " + arguments); }
};

TEST_F(ValidateCommand, QuickCasesHoldAndStandOnThePage) {
  const fs::path page = home / "page.html";
  EXPECT_EQ(validate("--quick --out '" + page.string() + "'"), 0) << out << err;
  const std::string text = content(page);
  std::size_t quick = 0;
  for (const validation::PublishedCase& c : validation::cases()) {
    if (!c.quick) continue;
    ++quick;
    EXPECT_TRUE(has(text, "<section id=\"" + c.name + "\">")) << c.name;
    for (const std::string& f : c.files) EXPECT_TRUE(has(text, f + ".yaml")) << f;
  }
  EXPECT_GE(quick, 19u);
  EXPECT_TRUE(has(out, std::to_string(quick) + " of " + std::to_string(quick) + " cases hold")) << out;
  EXPECT_FALSE(has(text, "http://") || has(text, "https://") || has(text, "<script")) << "the page needs no network";
  EXPECT_FALSE(has(text, "nan") && has(text, "d=\"Mnan"));
}

TEST_F(ValidateCommand, CasesAreNamedAndChosen) {
  EXPECT_EQ(validate("--list"), 0);
  EXPECT_TRUE(has(out, "slide") && has(out, "bounce")) << out;
  EXPECT_EQ(validate("roll bounce --out '" + (home / "two.html").string() + "'"), 0) << out << err;
  EXPECT_TRUE(has(out, "2 of 2 cases hold")) << out;
}

TEST_F(ValidateCommand, UnknownCaseAndUnwritablePageAreRefused) {
  EXPECT_EQ(validate("bounse"), 2);
  EXPECT_TRUE(has(err, "bounse") && has(err, "bounce")) << err;
  EXPECT_EQ(validate("roll --out /nowhere/at/all.html"), 1);
  EXPECT_TRUE(has(err, "/nowhere/at/all.html")) << err;
}

// The block that topples is a user's cube here, a quarter too high.
TEST_F(ValidateCommand, ACaseThatFailsIsToldAndEndsWithOne) {
  std::ofstream(home / "cube.yaml") << "name: cube\ndescription: no cube\nvertices: [[-0.5, -0.5, -0.5], [0.5, -0.5, "
                                       "-0.5], [-0.5, 0.5, -0.5], [0.5, 0.5, -0.5], [-0.5, -0.5, 0.75], [0.5, -0.5, "
                                       "0.75], [-0.5, 0.5, 0.75], [0.5, 0.5, 0.75]]\n";
  const fs::path page = home / "failed.html";
  ::setenv("SCREE_SHAPES", home.c_str(), 1);
  const int code = validate("spinning-cube roll --out '" + page.string() + "'");
  ::unsetenv("SCREE_SHAPES");
  EXPECT_EQ(code, 1) << out << err;
  EXPECT_TRUE(has(out, "FAILS spinning-cube") && has(out, "holds roll") && has(out, "1 of 2 cases hold")) << out;
  EXPECT_TRUE(has(content(page), "<section id=\"spinning-cube\">"));
}

TEST(ValidationCheck, HoldsWithinItsToleranceAndNeverForNaN) {
  using validation::Check;
  EXPECT_TRUE((Check{"", "", 1.0009, 1, 1e-3}.passes()));
  EXPECT_FALSE((Check{"", "", 1.0011, 1, 1e-3}.passes()));
  EXPECT_FALSE((Check{"", "", -1, 1, 1e-3}.passes()));
  EXPECT_TRUE((Check{"", "", 1e-7, 0, 1e-6, 0.5}.passes()));
  EXPECT_FALSE((Check{"", "", 1e-6, 0, 1e-6, 0.5}.passes()));
  for (const Check::Kind kind : {Check::Kind::equal, Check::Kind::at_most, Check::Kind::at_least}) {
    EXPECT_FALSE((Check{"", "", NAN, 1, 1e-3, 0, kind}.passes()));
  }
  EXPECT_FALSE((Check{"", "", 2, 1, 0, 0, Check::Kind::at_most}.passes()));
  EXPECT_FALSE((Check{"", "", 0.5, 1, 0, 0, Check::Kind::at_least}.passes()));
  EXPECT_TRUE((Check{"", "", 2, 1, 0, 0, Check::Kind::reported}.passes()));
  EXPECT_FALSE((Check{"", "", NAN, 1, 0, 0, Check::Kind::reported}.passes()));
}

TEST(ValidationOutcome, AFaultOrNoCheckIsNoPass) {
  validation::Outcome o;
  EXPECT_FALSE(o.passes());
  o.checks.push_back({"", "", 1, 2, 0, 0, validation::Check::Kind::reported});
  EXPECT_FALSE(o.passes()) << "what is only reported is held to nothing";
  o.checks.push_back({"", "", 1, 1, 1e-3});
  EXPECT_TRUE(o.passes());
  o.fault = "stopped";
  EXPECT_FALSE(o.passes());
  const validation::PublishedCase broken{"x",  "", "",
                                         true, {}, []() -> validation::Outcome { throw std::runtime_error("no law"); }};
  EXPECT_EQ(validation::run(broken).fault, "no law");
}

TEST(ValidationCases, HaveNamesOfTheirOwnAndFilesThatAreThere) {
  std::set<std::string> names;
  for (const validation::PublishedCase& c : validation::cases()) {
    EXPECT_TRUE(names.insert(c.name).second) << c.name;
    for (const std::string& f : c.files) EXPECT_FALSE(validation::case_text(f).empty()) << f;
  }
}

/// The few values that a check lists of its samples.
std::vector<double> samples_in(const std::string& quantity) {
  const auto begin = quantity.find("(samples: ");
  std::vector<double> v;
  std::istringstream in(begin == std::string::npos ? "" : quantity.substr(begin + 10));
  for (double x = 0; in >> x; in.ignore(1)) v.push_back(x);
  return v;
}

// A few grains, sheared ten times as fast: what they do is no matter, but means are judged and samples shown.
TEST(DirectShear, JudgesMeansOverSamples) {
  const validation::Outcome o = validation::detail::direct_shear(
      {2,
       {"particles[0].count=40"},
       {"stages[0].duration=1 s", "stages[1].duration=0.1 s", "stages[2].duration=2.5 s", "stages[3].duration=1.4 s",
        "stages[2].add.cap.free={mass: 1000 kg, force: 30 N, damping: 2500 kg/s}",
        "stages[3].move.cap.free={mass: 1000 kg, force: 30 N, damping: 2500 kg/s}",
        "stages[3].move.upper.velocity=[10 mm/s, 0, 0]", "stages[3].move.cap.velocity=[10 mm/s, 0, 0]"}});
  ASSERT_FALSE(o.checks.empty());
  bool scatters = false;
  for (const validation::Check& c : o.checks) {
    const std::vector<double> each = samples_in(c.quantity);
    ASSERT_EQ(each.size(), 2u) << c.quantity;
    const double size = std::abs(each[0]) + std::abs(each[1]);
    EXPECT_NEAR(c.computed, (each[0] + each[1]) / 2, 0.006 * size) << c.quantity;
    scatters |= each[0] != each[1];
  }
  EXPECT_TRUE(scatters) << "both samples are one";
  ASSERT_EQ(o.plots.size(), 2u);
  EXPECT_EQ(o.plots[0].curves.size(), 4u);
}

}  // namespace
}  // namespace scree
