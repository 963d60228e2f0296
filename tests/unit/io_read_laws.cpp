// LIBS: scree_io
// Contact laws in case files: what arrives, and what is said of parameters that are missing or of another law.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "io/case/read_case.h"
#include "oracle/law_names.h"

namespace scree::io {
namespace {

namespace fs = std::filesystem;

class LawsInCaseFile : public testing::Test {
 protected:
  LawsInCaseFile() {
    std::string pattern = (fs::temp_directory_path() / "scree_read_laws_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~LawsInCaseFile() override { fs::remove_all(folder_); }

  /// A case whose contact of stone and stone reads as given; `stone`: more keys of the material.
  ReadCase read(const std::string& contact, const std::string& stone = "") {
    std::ofstream(folder_ / "case.yaml") << "materials: {stone: {density: 2500" << stone << "}}\n"
                                         << "contacts:\n"
                                         << "  - {between: [stone, stone], friction: 0.5, " << contact << "}\n"
                                         << "particles: [{shapes: cube, size: 1, place: {at: [[0, 0, 0]]}, material: "
                                            "stone}]\nstages: [{duration: 1}]\n";
    return read_case((folder_ / "case.yaml").string());
  }
  std::string said(const std::string& contact, const std::string& stone = "") {
    std::string all;
    for (Diagnostic d : read(contact, stone).diagnostics) {
      d.file = "";
      all += (all.empty() ? "" : "\n") + format(d).substr(1);
    }
    return all;
  }
  template <class L>
  L law(const std::string& contact, const std::string& stone = "") {
    const ReadCase r = read(contact, stone);
    EXPECT_TRUE(r.diagnostics.empty()) << format(r.diagnostics[0]);
    return std::get<L>(r.value.contacts.at(0).law);
  }
  fs::path folder_;
};

const char* const kElastic = ", young_modulus: 70 GPa, poisson_ratio: 0.3";

TEST_F(LawsInCaseFile, Linear) {
  const auto by_e = law<contact::Linear>("law: linear, kn: 50 kN/m, restitution: 0.6");
  EXPECT_EQ(by_e.kn, 50e3);
  EXPECT_NEAR(by_e.kt, 2.0 / 7 * 50e3, 1e-9);
  EXPECT_EQ(by_e.tension, contact::Tension::cut);
  EXPECT_NEAR(contact::restitution_of(by_e.damping_ratio, contact::Tension::cut), 0.6, 1e-14);
  EXPECT_NEAR(std::tan(by_e.friction_angle), 0.5, 1e-15);
  const auto by_ratio = law<contact::Linear>("law: linear, kn: 1e4, kt: 3 kN/m, damping_ratio: 0.1, tension: allowed");
  EXPECT_EQ(by_ratio.kt, 3e3);
  EXPECT_EQ(by_ratio.damping_ratio, 0.1);
  EXPECT_EQ(by_ratio.tension, contact::Tension::allowed);
  EXPECT_EQ(law<contact::Linear>("law: linear, kn: 1e4, kt_over_kn: 0.5, restitution: 1").kt, 5e3);
}

TEST_F(LawsInCaseFile, JkrBelongsToHertzMindlin) {
  const std::string jkr = ", restitution: 1, cohesion: {model: jkr, work_of_adhesion: 50 mJ/m^2}";
  const ReadCase r = read("law: hertz_mindlin" + jkr, kElastic);
  ASSERT_TRUE(r.diagnostics.empty()) << format(r.diagnostics[0]);
  EXPECT_NEAR(std::get<contact::HertzMindlin>(r.value.contacts.at(0).law).work_of_adhesion, 0.05, 1e-15);
  EXPECT_EQ(r.value.contacts.at(0).beside.pull.work_of_adhesion, 0);
  const std::string refused = said("law: linear, kn: 1e4" + jkr);
  EXPECT_NE(refused.find("contacts[0].cohesion.model: jkr follows from the elasticity"), std::string::npos) << refused;
}

TEST_F(LawsInCaseFile, HertzMindlin) {
  const auto given = law<contact::HertzMindlin>("law: hertz_mindlin, restitution: 0.5", kElastic);
  EXPECT_NEAR(given.young, 70e9 / (2 * 0.91), 1);
  EXPECT_NEAR(given.shear, 70e9 / (2 * 1.7 * 2 * 1.3), 1);
  EXPECT_NEAR(contact::restitution_of(given.damping_ratio, contact::Tension::cut), 0.5, 1e-14);
  const auto mixed = law<contact::HertzMindlin>("law: hertz_mindlin", std::string(kElastic) + ", restitution: 0.8");
  EXPECT_NEAR(contact::restitution_of(mixed.damping_ratio, contact::Tension::cut), 0.8, 1e-14);
}

TEST_F(LawsInCaseFile, EnergyRollingAndCohesion) {
  const auto energy = law<contact::EnergyPolyhedral>("law: energy, pressure: 2 MPa, kt: 1 kN/m");
  EXPECT_EQ(energy.pressure, 2e6);
  EXPECT_EQ(energy.exponent, 2);
  EXPECT_EQ(energy.damping_ratio, 0);
  const ReadCase r = read(
      "law: linear, kn: 1e4, restitution: 1, rolling: {model: spring, friction: 0.1, twisting: 0.2}, "
      "cohesion: {model: dmt, work_of_adhesion: 50 mJ/m^2}");
  ASSERT_TRUE(r.diagnostics.empty()) << format(r.diagnostics[0]);
  const contact::Beside& beside = r.value.contacts[0].beside;
  EXPECT_EQ(beside.rolling.model, contact::Rolling::Model::spring);
  EXPECT_EQ(beside.rolling.friction, 0.1);
  EXPECT_EQ(beside.rolling.twisting, 0.2);
  EXPECT_EQ(beside.rolling.damping_ratio, 0.3);
  EXPECT_NEAR(beside.pull.work_of_adhesion, 0.05, 1e-15);
}

TEST_F(LawsInCaseFile, MistakesNameKeyAndRemedy) {
  EXPECT_EQ(said("law: linear, restitution: 0.5"), "3:5: contacts[0].kn: missing; expected a stiffness from 0 up");
  EXPECT_EQ(
      said("law: linear, kn: 1e4"),
      "3:5: contacts[0].restitution: missing; expected restitution or damping_ratio (restitution: 1 does not damp)");
  EXPECT_EQ(
      said("law: hertz_mindlin", kElastic),
      "3:5: contacts[0].restitution: missing; expected restitution or damping_ratio (restitution: 1 does not damp)")
      << "the material does not say it either";
  EXPECT_EQ(said("law: linear, kn: 1e4, restitution: 0.5, damping_ratio: 0.1"),
            "3:101: contacts[0].damping_ratio: expected only one of restitution, damping_ratio");
  EXPECT_EQ(said("law: linear, kn: 1e4, restitution: 1.2"),
            "3:81: contacts[0].restitution: expected a number above 0 to 1, got 1.2");
  EXPECT_EQ(said("law: linear, kn: 1e4, restitution: 0"),
            "3:81: contacts[0].restitution: expected a number above 0 to 1, got 0");
  EXPECT_EQ(said("law: linear, kn: 1e4, restitution: 1, ks: 1e4"),
            "3:84: contacts[0].ks: no parameter of law: linear, but of bloks3d; linear takes kn, kt, kt_over_kn, "
            "tension, restitution, damping_ratio");
  EXPECT_EQ(said("law: linear, kn: 1e4, restitution: 1, kt: 1, kt_over_kn: 1"),
            "3:103: contacts[0].kt_over_kn: expected only one of kt, kt_over_kn");
  EXPECT_EQ(said("law: bloks3d, kn: 1e4, ks: 1e4, restitution: 0.5"),
            "3:78: contacts[0].restitution: no parameter of law: bloks3d, but of " + oracle::law_names("restitution") +
                "; bloks3d takes kn, knn, exponent, ks, damping");
  EXPECT_EQ(said("law: linear, kn: 0, restitution: 1"),
            "3:63: contacts[0].kn: law: linear expects a stiffness above 0, got 0");
  EXPECT_EQ(said("law: bloks3d, kn: 0, ks: 1e4"), "3:5: contacts[0]: kn: 0 needs knn above 0 beside it");
  EXPECT_EQ(said("law: bloks3d, kn: 0, ks: 1e4, knn: 0 kN/m^2, exponent: 2"),
            "3:5: contacts[0]: kn: 0 needs knn above 0 beside it");
  EXPECT_EQ(said("law: bloks3d, kn: 0, ks: 1e4, knn: 2 kN/m^2, exponent: 3").find("needs knn"), std::string::npos);
  EXPECT_EQ(law<contact::Bloks3d>("law: bloks3d, kn: 0, ks: 1e4, knn: 2e9, exponent: 3").knn, 2e9);
  // 1e30 N/m at 1 mm are 1e36 N/m^3, and grains of a tenth of a millimetre may well ask for 1e41 N/m^10.
  EXPECT_EQ(said("law: bloks3d, kn: 0, ks: 1e4, knn: 2e36, exponent: 3"),
            "3:81: contacts[0].knn: expected a stiffness from 0 up in N/m^3 (exponent 3), got 2e36 (above 1e30 in SI "
            "units at an overlap of 1 mm, where products overflow)");
  EXPECT_EQ(law<contact::Bloks3d>("law: bloks3d, kn: 0, ks: 1e4, knn: 9e35, exponent: 3").knn, 9e35);
  EXPECT_EQ(law<contact::Bloks3d>("law: bloks3d, kn: 0, ks: 1e4, knn: 1e41, exponent: 10").knn, 1e41);
  EXPECT_EQ(said("law: bloks3d, kn: 1e4, ks: 1e4, exponent: 3"), "3:88: contacts[0].exponent: has no use without knn");
  EXPECT_EQ(said("law: hertz_mindlin, restitution: 0.5"),
            "3:51: contacts[0].law: hertz_mindlin needs young_modulus and poisson_ratio of both materials; add them to "
            "materials.stone");
  EXPECT_EQ(said("law: hertz_mindlin, restitution: 0.5", ", young_modulus: 3 kN/m, poisson_ratio: 0.6"),
            "1:51: materials.stone.young_modulus: expected a pressure, got 3 kN/m (stiffness)\n"
            "1:74: materials.stone.poisson_ratio: expected a number above -1 to 0.5, got 0.6");
  EXPECT_EQ(said("law: energy, pressure: 1 MPa"), "3:5: contacts[0].kt: missing; expected a stiffness from 0 up");
  EXPECT_EQ(said("law: energy, pressure: 1 MPa, kt: 0, exponent: 5"),
            "3:93: contacts[0].exponent: expected a number from 1 to 4, got 5");
  EXPECT_EQ(said("law: linear, kn: 1e4, restitution: 1, rolling: {friction: 0.1}"),
            "3:93: contacts[0].rolling.model: missing; expected one of constant, spring");
  EXPECT_EQ(said("law: linear, kn: 1e4, restitution: 1, cohesion: {model: dmt, work_of_adhesion: 5 N}"),
            "3:125: contacts[0].cohesion.work_of_adhesion: expected a surface energy, got 5 N (force)");
}

}  // namespace
}  // namespace scree::io
