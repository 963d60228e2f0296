// LIBS: scree_io
// The table of keys: what it says of each key holds of the documentation and of the members.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/random.h"
#include "io/case/given.h"
#include "io/case/read_case.h"
#include "io/case/schema.h"
#include "io/grains/grain_file.h"
#include "oracle/case_values.h"

namespace scree::io {
namespace {

using oracle::bound_form;
using oracle::OneValue;
using oracle::Sample;
using oracle::sample;
using oracle::units;
using oracle::yaml;

TEST(CaseKeys, EachIsInTheDocumentationAndNoOther) {
  std::ifstream in(SCREE_SOURCE_DIR "/docs/case-file.md");
  std::set<std::string> documented, keys;
  bool in_table = false;
  for (std::string line; std::getline(in, line);) {
    in_table = line.starts_with("| key | value | default |") || (in_table && line.starts_with("|"));
    if (in_table && line.starts_with("| `")) documented.insert(line.substr(3, line.find('`', 3) - 3));
  }
  for (const Key& k : case_keys()) EXPECT_TRUE(keys.insert(k.path).second) << k.path << " twice";
  EXPECT_EQ(documented, keys);
}

TEST(CaseKeys, EachRoundTrips) {
  std::size_t values = 0;
  Random r(1, 2);
  for (const Key& key : case_keys())
    for (const Member& m : key.members)
      for (int k = 0; k < 20; ++k) {
        const Form* form = bound_form(key, r);
        if (!form) continue;
        Sample s;
        sample(*form, r, s);
        OneValue one;
        const std::string text = yaml(s.given, form->kind == Form::Kind::list);
        ASSERT_EQ(one.take(key, m, text), "") << key.path << ": " << text;
        std::vector<std::string> told = m.text(one.owner.get());
        // Directions have another length, angles come back through their tangents.
        if (told.size() == 3 && key.path.find_last_of('.') != std::string::npos &&
            (key.name() == "normal" || key.name() == "axis" || key.name() == "along")) {
          double given = 0, kept = 0;
          for (int a = 0; a < 3; ++a)
            given += std::pow(std::stod(s.told[a]), 2), kept += std::pow(std::stod(told[a]), 2);
          EXPECT_NEAR(kept, 1, 1e-12) << key.path;
          for (int a = 0; a < 3; ++a)
            EXPECT_NEAR(std::stod(told[a]) * std::sqrt(given), std::stod(s.told[a]), 1e-9) << key.path;
        } else if (key.name().ends_with("_step") && key.name() != "time_step") {
          EXPECT_NEAR(std::stod(told[0]), std::stod(s.told[0]), 1e-12) << key.path;
        } else {
          EXPECT_EQ(told, s.told) << key.path << ": " << text;
        }
        ++values;
      }
  EXPECT_GT(values, 3000u);
}

TEST(CaseKeys, DefaultsThatAreToldAreThoseOfTheMembers) {
  std::size_t defaults = 0;
  for (const Key& key : case_keys()) {
    if (key.absent != kOfMember || key.forms[0].kind == Form::Kind::power_stiffness) continue;
    ASSERT_FALSE(key.members.empty()) << key.path;
    const Member& m = key.members[0];
    std::string text = default_of(key, units());
    text = text.substr(0, text.find(';'));
    OneValue one;
    if (key.path != "thickness" && !text.empty()) {
      ASSERT_EQ(one.take(key, m, text), "") << key.path << ": " << text;
    }
    const std::vector<std::string> read = m.text(one.owner ? one.owner.get() : m.make().get()),
                                   made = m.text(m.make().get());
    ASSERT_EQ(read.size(), made.size()) << key.path << ": " << text;
    for (std::size_t k = 0; k < read.size(); ++k) {
      char* end = nullptr;
      const double v = std::strtod(made[k].c_str(), &end);
      if (end == made[k].c_str()) {
        EXPECT_EQ(read[k], made[k]) << key.path;
      } else {
        EXPECT_NEAR(std::stod(read[k]), v, 1e-6 * std::abs(v)) << key.path << ": " << text;
      }
    }
    ++defaults;
  }
  EXPECT_GT(defaults, 50u);
}

/// A stretch of a struct's bytes.
struct Bytes {
  std::size_t offset, size;
};
template <class T, class M>
Bytes bytes_of(M T::*member) {
  static const T sample{};
  return {static_cast<std::size_t>(reinterpret_cast<const char*>(&(sample.*member)) -
                                   reinterpret_cast<const char*>(&sample)),
          sizeof(M)};
}

/// Each member of T has a key, or is one of `others`, which come another way: between the bytes of them there is room
/// for no other member of the same alignment.
template <class T>
void expect_all_bound(const char* name, std::vector<Bytes> others = {}) {
  for (const Bound& b : bound_to(typeid(T))) others.push_back({b.member->offset, b.member->size});
  std::sort(others.begin(), others.end(), [](const Bytes& a, const Bytes& b) { return a.offset < b.offset; });
  std::size_t end = 0;
  for (const Bytes& b : others) {
    EXPECT_LT(b.offset - std::min(b.offset, end), 8u) << name << ": a member before byte " << b.offset << " has no key";
    end = std::max(end, b.offset + b.size);
  }
  EXPECT_LT(sizeof(T) - end, 8u) << name << ": its last member has no key";
}

TEST(CaseKeys, NoMemberIsForgotten) {
#define EXPECT_ALL_BOUND(T, ...) expect_all_bound<T>(#T, {__VA_ARGS__})
  using Motion = boundary::Motion;
  using Bond = bond::ParallelBond;
  EXPECT_ALL_BOUND(Case::Material, bytes_of(&Case::Material::name));
  EXPECT_ALL_BOUND(Case::Detection, bytes_of(&Case::Detection::two_level), bytes_of(&Case::Detection::common_plane));
  EXPECT_ALL_BOUND(neighbour::TwoLevelSettings);
  EXPECT_ALL_BOUND(narrow::PlaneSettings, bytes_of(&narrow::PlaneSettings::cundall),
                   bytes_of(&narrow::PlaneSettings::fast), bytes_of(&narrow::PlaneSettings::shortest_link));
  EXPECT_ALL_BOUND(narrow::CundallSettings, bytes_of(&narrow::CundallSettings::most_sweeps));
  EXPECT_ALL_BOUND(narrow::FastSettings, bytes_of(&narrow::FastSettings::path_length));
  EXPECT_ALL_BOUND(narrow::ShortestLinkSettings);
  EXPECT_ALL_BOUND(Case::TimeStep);
  EXPECT_ALL_BOUND(Case::Output, bytes_of(&Case::Output::plots));
  EXPECT_ALL_BOUND(Bond, bytes_of(&Bond::given));
  EXPECT_ALL_BOUND(Motion::Oscillation);
  EXPECT_ALL_BOUND(Motion::Rotation);
  EXPECT_ALL_BOUND(Motion::Drive, bytes_of(&Motion::Drive::kind));
  EXPECT_ALL_BOUND(Motion, bytes_of(&Motion::drive), bytes_of(&Motion::oscillation), bytes_of(&Motion::rotation),
                   bytes_of(&Motion::table));
  EXPECT_ALL_BOUND(Case::Pour, bytes_of(&Case::Pour::region));
  EXPECT_ALL_BOUND(Case::AtRandom, bytes_of(&Case::AtRandom::region));
  EXPECT_ALL_BOUND(Case::Lattice, bytes_of(&Case::Lattice::box), bytes_of(&Case::Lattice::region));
  EXPECT_ALL_BOUND(Case::Outlet, bytes_of(&Case::Outlet::name), bytes_of(&Case::Outlet::region));
  EXPECT_ALL_BOUND(Case::CutAbove);
  using Group = Case::Group;
  EXPECT_ALL_BOUND(Group, bytes_of(&Group::name), bytes_of(&Group::shapes), bytes_of(&Group::cluster),
                   bytes_of(&Group::size), bytes_of(&Group::orientation), bytes_of(&Group::place),
                   bytes_of(&Group::material), bytes_of(&Group::key));
  using Stage = Case::Stage;
  EXPECT_ALL_BOUND(Stage, bytes_of(&Stage::name), bytes_of(&Stage::damping), bytes_of(&Stage::remove),
                   bytes_of(&Stage::add), bytes_of(&Stage::friction), bytes_of(&Stage::move),
                   bytes_of(&Stage::cut_above), bytes_of(&Stage::insert), bytes_of(&Stage::open),
                   bytes_of(&Stage::close), bytes_of(&Stage::measure));
  using Measure = Case::Measure;
  EXPECT_ALL_BOUND(Measure, bytes_of(&Measure::kind), bytes_of(&Measure::name), bytes_of(&Measure::inside),
                   bytes_of(&Measure::material));
  EXPECT_ALL_BOUND(Case::Damping);
  EXPECT_ALL_BOUND(Case::Plot, bytes_of(&Case::Plot::of));
  EXPECT_ALL_BOUND(Case, bytes_of(&Case::damping), bytes_of(&Case::periodic), bytes_of(&Case::materials),
                   bytes_of(&Case::contacts), bytes_of(&Case::clusters), bytes_of(&Case::walls), bytes_of(&Case::boxes),
                   bytes_of(&Case::particles), bytes_of(&Case::outlets), bytes_of(&Case::measures),
                   bytes_of(&Case::stages), bytes_of(&Case::detection), bytes_of(&Case::time_step),
                   bytes_of(&Case::output), bytes_of(&Case::source_path), bytes_of(&Case::source_text));
  EXPECT_ALL_BOUND(given::Friction);
  EXPECT_ALL_BOUND(given::Rolling);
  EXPECT_ALL_BOUND(given::Cohesion);
  EXPECT_ALL_BOUND(given::PackedSphere);
  EXPECT_ALL_BOUND(given::Cube);
  EXPECT_ALL_BOUND(given::Tablet);
  EXPECT_ALL_BOUND(given::Filling);
  EXPECT_ALL_BOUND(given::FilledMesh);
  EXPECT_ALL_BOUND(given::SphereFile);
  EXPECT_ALL_BOUND(given::Cluster);
  EXPECT_ALL_BOUND(given::Corners);
  EXPECT_ALL_BOUND(given::Plane);
  EXPECT_ALL_BOUND(given::Cylinder);
  EXPECT_ALL_BOUND(given::Cone);
  EXPECT_ALL_BOUND(given::Mesh);
  EXPECT_ALL_BOUND(given::Turn);
  EXPECT_ALL_BOUND(given::Normal);
  EXPECT_ALL_BOUND(given::LogNormal);
  EXPECT_ALL_BOUND(given::Weibull);
  EXPECT_ALL_BOUND(given::Sieve);
  EXPECT_ALL_BOUND(given::Values);
  EXPECT_ALL_BOUND(given::Box);
  EXPECT_ALL_BOUND(given::Tube);
  EXPECT_ALL_BOUND(given::Periods);
#undef EXPECT_ALL_BOUND
}

/// What a case file may give a law's parameter: a number well within its bounds.
template <class L>
double value_of(const contact::Parameter<L>& p) {
  const double low = p.bounds.low, high = std::min(p.bounds.high, low + 3);
  return low + 0.3 * (high - low);
}

/// Each parameter of each law comes to its place, and those that are left out are as the documentation tells them.
TEST(CaseKeys, LawsTakeTheirParameters) {
  std::size_t parameters = 0;
  Laws::for_each([&]<class L>() {
    using contact::Unit;
    const auto read = [](const std::vector<const contact::Parameter<L>*>& given) {
      std::string entry = "{between: [stone, stone], law: " + std::string(L::kName), damping;
      for (const contact::Parameter<L>* p : given) {
        const std::string key(p->key),
            text = p->unit == Unit::word ? std::string(p->words.back()) : exact(value_of(*p));
        if (p->unit == Unit::map) continue;
        if (const std::size_t dot = key.find('.'); dot != std::string::npos)
          damping += (damping.empty() ? ", " + key.substr(0, dot) + ": {" : ", ") + key.substr(dot + 1) + ": " + text;
        else
          entry += ", " + key + ": " + text;
      }
      const ReadCase c =
          read_case_text("materials: {stone: {density: 2500, young_modulus: 1 MPa, poisson_ratio: 0.2}}\ncontacts: [" +
                             entry + (damping.empty() ? "" : damping + "}") +
                             "}]\nparticles: [{material: stone, shapes: sphere, size: 1, place: {at: [[0, 0, 0]]}}]\n"
                             "stages: [{duration: 1}]\n",
                         "x.yaml");
      EXPECT_FALSE(has_errors(c.diagnostics)) << entry << format(c.diagnostics[0]);
      return std::get<L>(c.value.contacts.at(0).law);
    };
    std::vector<const contact::Parameter<L>*> all, needed;
    for (const auto& p : L::parameters()) {
      if (p.instead_of.empty()) all.push_back(&p);
      const bool in_map = p.key.find('.') != std::string_view::npos;
      if ((p.fallback == contact::kRequired && !in_map) || p.key == "friction_angle" || p.key == "restitution")
        needed.push_back(&p);
    }
    const L given = read(all), least = read(needed), made{};
    for (const auto* p : all) {
      if (p->member == nullptr) continue;
      EXPECT_DOUBLE_EQ(given.*(p->member), value_of(*p)) << L::kName << ' ' << p->key;
      const bool is_needed = std::find(needed.begin(), needed.end(), p) != needed.end();
      if (!is_needed && p->fallback.empty()) {
        EXPECT_EQ(least.*(p->member), made.*(p->member)) << L::kName << ' ' << p->key;
      }
      ++parameters;
    }
  });
  EXPECT_GT(parameters, 15u);
}

/// What laws with a key in common say of it beyond words and defaults, for it is one row of the table.
struct SharedKey {
  contact::Unit unit;
  std::string needs;
  std::vector<std::string> words;
  bool above, below;
  double low, high;
};

TEST(CaseKeys, LawsThatShareAKeyAgreeOnIt) {
  std::map<std::string, SharedKey> known;
  std::size_t shared = 0;
  Laws::for_each([&]<class L>() {
    for (const auto& p : L::parameters()) {
      const SharedKey own{p.unit,         std::string(p.needs), {p.words.begin(), p.words.end()},
                          p.bounds.above, p.bounds.below,       p.bounds.low,
                          p.bounds.high};
      const auto [at, fresh] = known.emplace(p.key, own);
      if (fresh) continue;
      const SharedKey& first = at->second;
      EXPECT_EQ(own.unit, first.unit) << L::kName << ' ' << p.key;
      EXPECT_EQ(own.needs, first.needs) << L::kName << ' ' << p.key;
      EXPECT_EQ(own.words, first.words) << L::kName << ' ' << p.key;
      // Of plain numbers and of stiffnesses alone does the reader look at each law's own bounds.
      if (p.unit != contact::Unit::one && p.unit != contact::Unit::stiffness) {
        EXPECT_EQ(own.above, first.above) << L::kName << ' ' << p.key;
      }
      EXPECT_EQ(own.below, first.below) << L::kName << ' ' << p.key;
      if (p.unit != contact::Unit::one) {
        EXPECT_EQ(std::pair(own.low, own.high), std::pair(first.low, first.high)) << L::kName << ' ' << p.key;
      }
      ++shared;
    }
  });
  EXPECT_GT(shared, 10u);
}

/// A law for `any` hangs on the materials of the pairs that need it, not on those of others.
TEST(CaseKeys, ElasticLawsForAnyAskTheMaterialsThatMeet) {
  std::size_t laws = 0;
  Laws::for_each([&]<class L>() {
    if (!L::kTraits.elastic) return;
    std::string entry = "{between: [any, glass], law: " + std::string(L::kName) + ", friction: 0.3, restitution: 0.5";
    for (const auto& p : L::parameters())
      if (p.fallback == contact::kRequired) entry += ", " + std::string(p.key) + ": " + exact(value_of(p));
    const ReadCase c = read_case_text(
        "materials: {soft: {density: 1000}, glass: {density: 2500, young_modulus: 1 MPa, poisson_ratio: 0.2}}\n"
        "contacts: [" +
            entry +
            "}]\n"
            "particles: [{material: glass, shapes: sphere, size: 1, place: {at: [[0, 0, 0]]}}]\nstages: [{duration: "
            "1}]\n",
        "x.yaml");
    EXPECT_FALSE(has_errors(c.diagnostics)) << entry << ' ' << format(c.diagnostics[0]);
    ++laws;
  });
  EXPECT_GE(laws, 2u);
}

}  // namespace
}  // namespace scree::io
