// LIBS: scree_io
// The keys of `detection` beside the searches for neighbours: what each is read to, and which values are refused.
#include <gtest/gtest.h>

#include <cmath>

#include "io/case/case_hash.h"
#include "io/case/read_case.h"

namespace scree::io {
namespace {

constexpr const char* kCase =
    "materials: {stone: {density: 2650}}\n"
    "contacts: [{between: [stone, stone], law: linear, kn: 1e5, friction: 0.5, restitution: 0.8}]\n"
    "particles: [{shapes: cube, size: 1 cm, place: {at: [[0, 0, 0]]}, material: stone}]\nstages: [{duration: 1}]\n";

Case good(const std::string& detection) {
  const ReadCase r = read_case_text(kCase, "case.yaml", {"detection={" + detection + "}"});
  for (const Diagnostic& d : r.diagnostics) ADD_FAILURE() << format(d);
  return r.value;
}
narrow::PlaneSettings planes(const std::string& detection) { return good(detection).detection.common_plane; }
std::string said(const std::string& detection) {
  std::string all;
  for (const Diagnostic& d : read_case_text(kCase, "case.yaml", {"detection={" + detection + "}"}).diagnostics)
    all += (all.empty() ? "" : "\n") + d.key + ": " + d.message;
  return all;
}

constexpr const char* kCundall = "common_plane: common_plane, cundall: ";
constexpr const char* kFast = "common_plane: fast, fast: ";
constexpr const char* kLink = "common_plane: shortest_link, shortest_link: ";

/// `wrong`: "key: value" of that map of `detection`.
void expect_refused(const std::string& map, const std::string& wrong) {
  const std::string method = map == "cundall" ? "common_plane" : map, key = wrong.substr(0, wrong.find(':')),
                    message = said("common_plane: " + method + ", " + map + ": {" + wrong + "}");
  EXPECT_TRUE(message.starts_with("detection." + map + "." + key + ": expected ")) << wrong << "\n" << message;
}

TEST(CommonPlane, EveryWordNamesItsMethod) {
  using enum narrow::PlaneMethod;
  EXPECT_EQ(planes("common_plane: auto").method, automatic);
  EXPECT_EQ(planes("common_plane: fast").method, fast);
  EXPECT_EQ(planes("common_plane: separating_axis").method, separating_axis);
  EXPECT_EQ(planes("common_plane: gjk").method, gjk);
  EXPECT_EQ(planes("common_plane: shortest_link").method, shortest_link);
  EXPECT_EQ(planes("common_plane: common_plane").method, common_plane);
  EXPECT_EQ(good("skin: auto").detection.common_plane.method, automatic);
  EXPECT_EQ(
      said("common_plane: gjkk"),
      "detection.common_plane: expected one of auto, fast, separating_axis, gjk, shortest_link, common_plane, got "
      "gjkk; did you mean gjk?");
}

TEST(CommonPlane, EveryKeyOfCundallsSearchIsRead) {
  const narrow::CundallSettings c = planes(
                                        "common_plane: common_plane, "
                                        "cundall: {largest_step: 10 degree, smallest_step: 0.5 degree, shrink: 0.75, "
                                        "axes: random, tolerance: 0.25}")
                                        .cundall;
  EXPECT_NEAR(c.largest, std::tan(M_PI / 18), 1e-15);
  EXPECT_NEAR(c.smallest, std::tan(M_PI / 360), 1e-15);
  EXPECT_EQ(c.shrink, 0.75);
  EXPECT_TRUE(c.random_axes);
  EXPECT_EQ(c.tolerance, 0.25);
  const narrow::CundallSettings none = planes("skin: auto").cundall,
                                by_word = planes(kCundall + std::string("{axes: fixed}")).cundall;
  EXPECT_FALSE(by_word.random_axes);
  EXPECT_NEAR(none.largest, std::tan(M_PI / 36), 1e-12);
  EXPECT_NEAR(none.smallest, std::tan(M_PI / 18000), 1e-12);
  EXPECT_EQ(none.tolerance, narrow::CundallSettings{}.tolerance);

  EXPECT_EQ(said(kCundall + std::string("{largest_step: 1 degree, smallest_step: 2 degree}")),
            "detection.cundall.smallest_step: must not be above largest_step");
  EXPECT_EQ(said(kCundall + std::string("{smallest_step: 6 degree}")),
            "detection.cundall.smallest_step: must not be above largest_step");
  EXPECT_EQ(said(kCundall + std::string("{largest_step: 0.005 degree}")),
            "detection.cundall.smallest_step: must not be above largest_step");
  EXPECT_EQ(said(kCundall + std::string("{largest_step: 1 degree, smallest_step: 1 degree}")), "");
  for (const char* wrong : {"largest_step: 0", "largest_step: 46 degree", "smallest_step: 0", "shrink: 0", "shrink: 1",
                            "axes: free", "tolerance: 0"}) {
    expect_refused("cundall", wrong);
  }
}

TEST(CommonPlane, EveryKeyOfTheFastSearchIsRead) {
  const narrow::FastSettings f =
      planes(kFast + std::string("{mode: paper, approximation: off, tolerance: 0.02, pad: 0.03}")).fast;
  EXPECT_TRUE(f.paper);
  EXPECT_FALSE(f.approximation);
  EXPECT_EQ(f.tolerance, 0.02);
  EXPECT_EQ(f.pad, 0.03);
  const narrow::FastSettings other = planes(kFast + std::string("{mode: direct}")).fast;
  EXPECT_FALSE(other.paper);
  EXPECT_TRUE(planes(kFast + std::string("{mode: paper, approximation: on}")).fast.approximation);
  for (const char* wrong :
       {"mode: papers", "approximation: maybe", "tolerance: 0", "tolerance: 1.5", "pad: 0", "pad: 2"}) {
    expect_refused("fast", wrong);
  }
}

TEST(CommonPlane, EveryKeyOfTheShortestLinkIsRead) {
  const narrow::ShortestLinkSettings l = planes(kLink + std::string("{mode: literal, tolerance: 0.04}")).shortest_link;
  EXPECT_TRUE(l.literal);
  EXPECT_EQ(l.tolerance, 0.04);
  EXPECT_FALSE(planes(kLink + std::string("{mode: robust}")).shortest_link.literal);
  for (const char* wrong : {"mode: strict", "tolerance: 0", "tolerance: 1.5"}) {
    expect_refused("shortest_link", wrong);
  }
}

TEST(CommonPlane, SettingsOfASearchThatIsNotTakenAreMistakes) {
  const auto lone = [](const char* map, const char* method) {
    return std::string("detection.") + map + ": has no use without common_plane: " + method;
  };
  EXPECT_EQ(said("cundall: {shrink: 0.4}"), lone("cundall", "common_plane"));
  EXPECT_EQ(said("common_plane: fast, cundall: {}"), lone("cundall", "common_plane"));
  EXPECT_EQ(said("fast: {mode: paper}"), lone("fast", "fast"));
  EXPECT_EQ(said("common_plane: gjk, shortest_link: {mode: literal}"), lone("shortest_link", "shortest_link"));
  EXPECT_EQ(said("common_plane: fast, fast: {pad: 0.5, approximation: on}"),
            "detection.fast.approximation: has no use without mode: paper\n"
            "detection.fast.pad: has no use without mode: paper");
  EXPECT_EQ(said("common_plane: fast, fast: {mode: direct, tolerance: 0.5}"),
            "detection.fast.tolerance: has no use without mode: paper");
  // What is wrong itself says nothing of what stands beside it.
  EXPECT_TRUE(said("common_plane: fsat, fast: {mode: paper}").starts_with("detection.common_plane: expected one of"));
  EXPECT_EQ(said("common_plane: fsat, fast: {mode: paper}").find("no use"), std::string::npos);
}

TEST(CommonPlane, EverySettingIsPartOfTheCaseThatACheckpointKnows) {
  const auto digest = [](const std::string& detection) {
    for (const CasePart& p : case_parts(good(detection), 0))
      if (p.name == std::string("detection")) return p.hash;
    return std::uint64_t{0};
  };
  std::vector<std::uint64_t> seen{digest("skin: auto")};
  const std::string cundall = kCundall, fast = kFast, link = kLink;
  for (const std::string& change :
       {std::string("common_plane: gjk"), std::string("common_plane: common_plane"), std::string("common_plane: fast"),
        std::string("common_plane: shortest_link"), cundall + "{largest_step: 6 degree}",
        cundall + "{smallest_step: 0.02 degree}", cundall + "{shrink: 0.6}", cundall + "{axes: random}",
        cundall + "{tolerance: 0.5}", fast + "{mode: paper}", fast + "{mode: paper, approximation: off}",
        fast + "{mode: paper, tolerance: 0.5}", fast + "{mode: paper, pad: 0.5}", link + "{mode: literal}",
        link + "{tolerance: 0.5}", std::string("contact_geometry: contact_zone"), std::string("skin: 1 mm")}) {
    const std::uint64_t d = digest(change);
    EXPECT_EQ(std::count(seen.begin(), seen.end(), d), 0) << change;
    seen.push_back(d);
  }
  EXPECT_EQ(digest(cundall + "{axes: fixed}"), digest("common_plane: common_plane")) << "said or not, it is the same";
  // What no motion depends on may change when a run is resumed.
  for (const char* free : {"memory_order: id", "deepest_overlap: 0.9"}) EXPECT_EQ(digest(free), seen[0]) << free;
}

TEST(TwoLevel, TakesTheSizeOfItsBoxes) {
  EXPECT_EQ(good("neighbours: two_level").detection.two_level.box, 1.5);
  EXPECT_EQ(good("neighbours: two_level, two_level: {box: 2.5}").detection.two_level.box, 2.5);
  EXPECT_EQ(said("two_level: {box: 2}"), "detection.two_level: has no use without neighbours: two_level");
  EXPECT_EQ(said("neighbours: nbs, two_level: {box: 2}"),
            "detection.two_level: has no use without neighbours: two_level");
  EXPECT_TRUE(
      said("neighbours: two_level, two_level: {box: 0}").starts_with("detection.two_level.box: expected a number"));
}

// What only faces know of is warned of where no grain has any, clumps of spheres among them.
TEST(Unused, SearchesBetweenFacesOfRoundGrains) {
  const auto of = [](const std::string& shape, const std::string& detection) {
    std::string all;
    const ReadCase r =
        read_case_text(kCase, "case.yaml", {"detection={" + detection + "}", "particles[0].shapes=" + shape});
    EXPECT_FALSE(has_errors(r.diagnostics)) << format(r.diagnostics[0]);
    for (const Diagnostic& d : r.diagnostics) all += d.key + ": " + d.message + "\n";
    return all;
  };
  const std::string plane = "detection.common_plane: changes nothing: no grain of the case has faces\n",
                    zone = "detection.contact_geometry: changes nothing: no grain of the case has faces\n";
  EXPECT_EQ(of("sphere", "common_plane: gjk, contact_geometry: contact_zone"), plane + zone);
  EXPECT_EQ(of("dumbbell", "common_plane: gjk"), plane);
  EXPECT_EQ(of("sphere", "common_plane: auto, contact_geometry: overlap"), "") << "as without it";
  EXPECT_EQ(of("[sphere, cube]", "common_plane: gjk, contact_geometry: contact_zone"), "");
}

}  // namespace
}  // namespace scree::io
