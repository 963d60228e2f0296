// LIBS: scree_io
// What decides the future of a run is in the hash of its part of the case, what may be edited is not, as the table of
// keys says of each.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "io/case/case_hash.h"
#include "io/case/read_case.h"
#include "oracle/case_values.h"

namespace scree::io {
namespace {

using oracle::bound_form;
using oracle::OneValue;
using oracle::Sample;
using oracle::sample;
using oracle::yaml;

const char* const kBase = R"(
materials: {stone: {density: 2500, young_modulus: 1 MPa, poisson_ratio: 0.2, restitution: 0.5}}
contacts: [{between: [stone, stone], law: linear, kn: 1 kN/m, kt_over_kn: 0.3, restitution: 0.5, friction: 0.5}]
detection: {contact_geometry: contact_zone}
walls:
  box: {box: {min: [0, 0, 0], max: [1, 1, 1]}, material: stone}
particles:
  - {shapes: cube, size: 1 cm, count: 3, material: stone, place: {random: {inside: {box: {min: [0, 0, 0], max: [1, 1, 1]}}}}}
outlets: {gate: {beyond: {point: [0, 0, -1], normal: [0, 0, -1]}}}
measure: {f: {flow: {point: [0, 0, 0.5], normal: [0, 0, 1]}}, s: {stress: {inside: {box: {min: [0, 0, 0], max: [1, 1, 1]}}}}}
stages: [{duration: 1 s, until: {kinetic_energy_below: 1 mJ}}, {duration: 1 s}]
)";

/// The searches whose settings may stand beside them alone.
std::vector<std::string> needed_by(const std::string& path) {
  if (path.starts_with("detection.two_level")) return {"detection.neighbours=two_level"};
  if (path.starts_with("detection.cundall")) return {"detection.common_plane=common_plane"};
  if (path.starts_with("detection.fast")) return {"detection.common_plane=fast", "detection.fast.mode=paper"};
  if (path.starts_with("detection.shortest_link")) return {"detection.common_plane=shortest_link"};
  return {};
}

/// Parts of the case that are other ones after the override of the key, at the first and at the last stage.
std::pair<std::string, std::string> changed_by(const std::string& path, const std::string& override) {
  std::vector<std::string> overrides = needed_by(path);
  const ReadCase before = read_case_text(kBase, "x.yaml", overrides);
  overrides.push_back(override);
  const ReadCase after = read_case_text(kBase, "x.yaml", overrides);
  EXPECT_TRUE(before.diagnostics.empty()) << format(before.diagnostics[0]);
  EXPECT_FALSE(has_errors(after.diagnostics)) << override << ": " << format(after.diagnostics[0]);
  std::pair<std::string, std::string> changed;
  for (const bool last : {false, true}) {
    const auto a = case_parts(before.value, last ? 1 : 0), b = case_parts(after.value, last ? 1 : 0);
    for (const CasePart& p : b)
      if (std::find(a.begin(), a.end(), p) == a.end()) (last ? changed.second : changed.first) += p.name + " ";
  }
  return changed;
}

TEST(CaseHash, RulesHold) {
  const std::pair<const char*, const char*> overrides[] = {
      {"title", "title=other"},
      {"seed", "seed=5"},
      {"gravity", "gravity=[0, 0, -1]"},
      {"materials.*.from", "materials.stone.from=steel"},  // all its values are given
      {"materials.*.density", "materials.stone.density=2000"},
      {"materials.*.restitution", "materials.stone.restitution=0.4"},
      {"contacts[].kn", "contacts[0].kn=2 kN/m"},
      {"contacts[].kt_over_kn", "contacts[0].kt_over_kn=0.4"},
      {"contacts[].friction", "contacts[0].friction=0.4"},
      {"contacts[].tension", "contacts[0].tension=allowed"},
      {"contacts[].rolling.twisting", "contacts[0].rolling={model: spring, friction: 0.1, twisting: 0.1}"},
      {"detection.neighbours", "detection.neighbours=nbs"},
      {"detection.two_level.box", "detection.two_level.box=2"},
      {"detection.common_plane", "detection.common_plane=gjk"},
      {"detection.cundall.shrink", "detection.cundall.shrink=0.4"},
      {"detection.cundall.tolerance", "detection.cundall.tolerance=0.4"},
      {"detection.fast.pad", "detection.fast.pad=0.4"},
      {"detection.shortest_link.mode", "detection.shortest_link.mode=literal"},
      {"detection.shortest_link.tolerance", "detection.shortest_link.tolerance=0.4"},
      {"detection.points", "detection.points=paper"},
      {"detection.memory_order", "detection.memory_order=id"},
      {"detection.skin", "detection.skin=1 mm"},
      {"detection.deepest_overlap", "detection.deepest_overlap=0.4"},
      {"walls.*.velocity", "walls.box.velocity=[0, 0, 1]"},
      {"walls.*.oscillation.phase", "walls.box.oscillation={amplitude: [0, 0, 1], frequency: 1, phase: 1}"},
      {"particles[].count", "particles[0].count=4"},
      {"particles[].size", "particles[0].size=2 cm"},
      {"particles[].velocity", "particles[0].velocity=[0, 0, 1]"},
      {"particles[].overlap", "particles[0].overlap=allow"},
      {"particles[].place.random.gap", "particles[0].place.random.gap=1 mm"},
      {"outlets.*.open", "outlets.gate.open=false"},
      {"measure.*.flow.normal", "measure.f.flow.normal=[1, 0, 0]"},
      {"measure.*.stress.inside", "measure.s.stress.inside={box: {min: [0, 0, 0], max: [2, 2, 2]}}"},
      {"stages[].name", "stages[0].name=other"},
      {"stages[].duration", "stages[0].duration=2 s"},
      {"stages[].until.kinetic_energy_below", "stages[0].until.kinetic_energy_below=2 mJ"},
      {"stages[].gravity", "stages[0].gravity=[0, 0, -1]"},
      {"stages[].output.every", "stages[0].output.every=1 ms"},
      {"time_step", "time_step=1 us"},
      {"time_step.fraction", "time_step.fraction=0.1"},
      {"output.every", "output.every=1 ms"},
      {"output.checkpoint", "output.checkpoint=1 ms"},
      {"output.contacts", "output.contacts=false"},
      {"output.plots", "output.plots=[{of: contacts, over: sliding, title: some}]"},
  };
  for (const auto& [of, override] : overrides) {
    const std::string& path = of;
    const auto key = std::find_if(case_keys().begin(), case_keys().end(), [&](const Key& k) { return k.path == path; });
    ASSERT_NE(key, case_keys().end()) << path;
    const auto [at_first, at_last] = changed_by(path, override);
    EXPECT_EQ(!at_first.empty(), key->hash == HashRule::decides || key->hash == HashRule::if_given)
        << path << " changes " << at_first;
    EXPECT_EQ(!at_last.empty(), key->hash != HashRule::free) << path << " changes " << at_last;
  }
}

/// Whether two cases differ for a checkpoint written at the stage.
bool differ(const Case& a, const Case& b, std::uint64_t stage) { return case_parts(a, stage) != case_parts(b, stage); }

/// Holds `with`, which puts a T where a case has it, to the rules of the keys of T; `others` change what has no key.
template <class T, class With>
void expect_hashed(const char* name, const With& with, std::vector<void (*)(T&)> others = {}) {
  Random r(3, 4);
  const Case before = with(T{});
  for (const Bound& b : bound_to(typeid(T))) {
    const Form* form = bound_form(*b.key, r);
    if (!form) continue;
    OneValue one;
    const std::vector<std::string> otherwise = b.member->text(b.member->make().get());
    do {
      Sample s;
      sample(*form, r, s);
      ASSERT_EQ(one.take(*b.key, *b.member, yaml(s.given, form->kind == Form::Kind::list)), "") << b.key->path;
    } while (b.member->text(one.owner.get()) == otherwise);
    const Case after = with(*static_cast<const T*>(one.owner.get()));
    const HashRule rule = b.key->hash;
    EXPECT_EQ(differ(before, after, 0), rule == HashRule::decides || rule == HashRule::if_given) << b.key->path;
    EXPECT_EQ(differ(before, after, 1), rule != HashRule::free) << b.key->path;
  }
  for (std::size_t k = 0; k < others.size(); ++k) {
    T t{};
    others[k](t);
    EXPECT_TRUE(differ(before, with(t), 0)) << name << ": the member without a key that change " << k << " is of";
  }
}

/// A case of two stages with `value` in the first place of the list.
template <class T, class L>
Case with_one(L Case::*list, const T& value) {
  Case c;
  c.stages.resize(2);
  (c.*list).resize(std::max<std::size_t>((c.*list).size(), 1)), (c.*list)[0] = value;
  return c;
}
Case with_motion(const boundary::Motion& m) {
  Case::Wall w;
  w.motion = m;
  return with_one(&Case::walls, w);
}
Case with_place(const decltype(Case::Group::place)& place) {
  Case::Group g;
  g.place = place;
  return with_one(&Case::particles, g);
}
Case with_law(const bond::ParallelBond& law) {
  Case::Cluster cluster;
  cluster.law = law;
  return with_one(&Case::clusters, cluster);
}
Case with_detection(const Case::Detection& d) {
  Case c = with_one(&Case::stages, Case::Stage{});
  c.detection = d;
  return c;
}

TEST(CaseHash, EveryMemberThatDecidesIsHashed) {
  using boundary::Motion;
  expect_hashed<Case::Material>("material", [](const auto& t) { return with_one(&Case::materials, t); },
                                {[](auto& m) { m.name = "other"; }});
  expect_hashed<Motion::Drive>("drive",
                               [](const auto& t) {
                                 return with_motion({{}, t, {}, {}, {}, {}});
                               },
                               {[](auto& d) { d.kind = Motion::Drive::Kind::servo; }});
  expect_hashed<Motion::Oscillation>("oscillation", [](const auto& t) { return with_motion({{}, {}, t, {}, {}, {}}); });
  expect_hashed<Motion::Rotation>("rotation", [](const auto& t) { return with_motion({{}, {}, {}, t, {}, {}}); });
  expect_hashed<Motion>("motion", with_motion, {[](auto& m) { m.table = {{1, {}, 0}}; }});
  expect_hashed<bond::ParallelBond>("bond", with_law, {[](auto& l) { l.given = bond::ParallelBond::Stiffness::beam; }});
  const auto with_region = [](auto& place) { place.region.max = {1, 1, 1}; };
  expect_hashed<Case::Lattice>("lattice", with_place,
                               {[](auto& l) { l.box = 1; },
                                [](auto& l) {
                                  l.region = Region{{}, {1, 1, 1}};
                                }});
  expect_hashed<Case::AtRandom>("random", with_place, {with_region});
  expect_hashed<Case::Pour>("pour", with_place, {with_region});
  expect_hashed<Case::Outlet>("outlet", [](const auto& t) { return with_one(&Case::outlets, t); },
                              {[](auto& o) { o.name = "other"; }, [](auto& o) { o.region.emplace(); }});
  expect_hashed<Case::Measure>("flow",
                               [](Case::Measure m) {
                                 m.kind = Case::Measure::Kind::flow;
                                 return with_one(&Case::measures, m);
                               },
                               {[](auto& m) { m.name = "other"; }});
  expect_hashed<Case::Group>(
      "group", [](const auto& t) { return with_one(&Case::particles, t); },
      {[](auto& g) { g.name = "other"; }, [](auto& g) { g.shapes = {"cube"}; }, [](auto& g) { g.cluster = 0; },
       [](auto& g) { g.size.a = 1; }, [](auto& g) { g.orientation.random = false; },
       [](auto& g) { g.place = Case::Lattice{}; }, [](auto& g) { g.material = 1; }});
  expect_hashed<Case::CutAbove>("cut", [](const auto& t) {
    Case::Stage s;
    s.cut_above = t;
    Case c = with_one(&Case::stages, s);
    c.stages.resize(2);
    return c;
  });
  expect_hashed<Case::Stage>("stage",
                             [](const auto& t) {
                               Case c = with_one(&Case::stages, t);
                               c.stages.resize(2);
                               return c;
                             },
                             {[](auto& s) { s.remove = {"wall"}; }, [](auto& s) { s.add.emplace_back(); },
                              [](auto& s) { s.damping = Case::Damping{3}; }, [](auto& s) { s.friction.emplace_back(); },
                              [](auto& s) { s.move.emplace_back(); }, [](auto& s) { s.cut_above = Case::CutAbove{}; },
                              [](auto& s) { s.insert.emplace_back(); }, [](auto& s) { s.open = {"gate"}; },
                              [](auto& s) { s.close = {"gate"}; }});
}

TEST(CaseHash, EveryMemberThatDecidesIsHashedOfSingleSections) {
  using Detection = Case::Detection;
  expect_hashed<Detection>("detection", with_detection);
  expect_hashed<narrow::PlaneSettings>("planes", [](const auto& t) {
    Detection d;
    d.common_plane = t;
    return with_detection(d);
  });
  const auto with_planes = [](auto member) {
    return [member](const auto& t) {
      Detection d;
      d.common_plane.*member = t;
      return with_detection(d);
    };
  };
  expect_hashed<narrow::CundallSettings>("Cundall", with_planes(&narrow::PlaneSettings::cundall));
  expect_hashed<narrow::FastSettings>("fast", with_planes(&narrow::PlaneSettings::fast));
  expect_hashed<narrow::ShortestLinkSettings>("shortest link", with_planes(&narrow::PlaneSettings::shortest_link));
  expect_hashed<Case::Damping>("damping", [](const auto& t) {
    Case c = with_one(&Case::stages, Case::Stage{});
    c.damping = t;
    return c;
  });
  expect_hashed<Case::TimeStep>("time step", [](const auto& t) {
    Case c = with_one(&Case::stages, Case::Stage{});
    c.time_step = t;
    return c;
  });
  expect_hashed<Case::Output>("output", [](const auto& t) {
    Case c = with_one(&Case::stages, Case::Stage{});
    c.output = t;
    return c;
  });
  expect_hashed<Case>("case",
                      [](Case c) {
                        c.dimensions = c.dimensions == 3 ? 2 : 3;  // in two dimensions the thickness counts
                        c.stages.resize(2);
                        return c;
                      },
                      {[](auto& c) { c.periodic.periodic[0] = true; }, [](auto& c) { c.materials.emplace_back(); },
                       [](auto& c) { c.contacts.emplace_back(); }, [](auto& c) { c.clusters.emplace_back(); },
                       [](auto& c) { c.walls.emplace_back(); }, [](auto& c) { c.boxes.emplace_back(); },
                       [](auto& c) { c.particles.emplace_back(); }, [](auto& c) { c.outlets.emplace_back(); }});
}

}  // namespace
}  // namespace scree::io
