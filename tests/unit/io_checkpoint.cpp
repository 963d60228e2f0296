// LIBS: scree_io
#include <gtest/gtest.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "geometry/clump.h"
#include "geometry/polyhedron.h"
#include "io/checkpoint/checkpoint.h"
#include "io/results/hdf5_file.h"
#include "io/text/files.h"
#include "oracle/hdf5_edits.h"
#include "sim/row_order.h"

namespace scree::io {
namespace {

namespace fs = std::filesystem;

Result<std::shared_ptr<const Shape>> shape_named(const std::string& name) {
  const std::vector<Vec3> cube{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  const std::vector<Vec3> tetrahedron{{0, 0, 0}, {1, 0, 0}, {0.2, 1, 0}, {0.3, 0.3, 0.9}};
  const auto hull = convex_hull(name == "cube" ? cube : tetrahedron);
  return std::shared_ptr<const Shape>(std::make_shared<Shape>(*make_shape(name, *hull)));
}

/// Six grains that fall upon each other into a corner, with a second stage that opens it.
Case heap() {
  Case c;
  c.materials = {{"stone", 2650}};
  contact::Bloks3d law;
  law.kn = 1e5, law.ks = 8e4, law.friction_angle = 0.6, law.damping_ratio = 0.1, law.damping_sliding = 0.1,
  law.damping_sticking = 0.9;
  c.contacts = {{0, 0, law}};
  auto wall = [](const std::string& name, Vec3 normal) {
    Case::Wall p;
    p.name = name, p.normal = normal;
    return p;
  };
  c.walls = {wall("floor", {0, 0, 1}), wall("side", {1, 0, 0})};
  c.walls[1].motion.velocity = {0.01, 0, 0};
  c.walls[0].outline = {Vec3{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  Case::Group g;
  g.name = "grains", g.count = 6, g.shapes = {"tetrahedron", "cube"}, g.size.a = g.size.b = 0.02;
  Case::AtPoints at;
  for (int k = 0; k < 6; ++k) at.points.push_back({0.013 + 0.003 * (k % 2), 0.002 * k, 0.015 + 0.024 * k});
  g.place = at;
  c.particles = {g};
  Case::Stage fill, open;
  fill.name = "fill", fill.duration = 0.12;
  open.name = "open", open.duration = 0.05, open.remove = {"side"};
  c.stages = {fill, open};
  c.source_text = "title: heap\n";
  return c;
}

void advance(Simulation& s, const Case& c, int steps) {
  for (int k = 0; k < steps; ++k) {
    if (stage_is_over(s, c, nullptr)) {
      ASSERT_TRUE(begin_next_stage(s, c, shape_named));
    }
    step(s);
    ASSERT_FALSE(s.fault) << s.fault->message;
  }
}

/// Every part of the state as bytes, by name.
std::map<std::string, std::string> bytes_of(Simulation& s) {
  std::map<std::string, std::string> all;
  visit_state(s, [&](const std::string& name, auto& value) {
    if constexpr (requires { value.data(); }) {
      all[name] = std::string(reinterpret_cast<const char*>(value.data()), value.size() * sizeof(value[0]));
    } else {
      all[name] = std::string(reinterpret_cast<const char*>(&value), sizeof value);
    }
  });
  return all;
}

struct Checkpoints : testing::Test {
  fs::path folder = fs::path(testing::TempDir()) / ("scree_io_checkpoint_" + std::to_string(::getpid()));
  Case c = heap();
  Simulation s;
  OutputPosition at{0.1, 0.01, 7, 8, 9, 10};

  void SetUp() override {
    Result<Simulation> made = set_up(c, shape_named);
    ASSERT_TRUE(made) << made.error().message;
    s = std::move(*made);
  }
  void TearDown() override { fs::remove_all(folder); }
  fs::path written(const Simulation& state) {
    Result<fs::path> file = write_checkpoint(folder, state, at, c);
    EXPECT_TRUE(file) << file.error().message;
    return *file;
  }
  std::string why_not(const fs::path& file) {
    const Result<Resumed> r = read_checkpoint(file, c, shape_named);
    return r ? std::string() : r.error().message;
  }
};

TEST_F(Checkpoints, RestoreEveryBitAndGoOnAlike) {
  while (std::min(s.contacts.size(), s.wall_contacts.size()) == 0 && s.time < 0.11) advance(s, c, 10);
  ASSERT_GT(std::min(s.contacts.size(), s.wall_contacts.size()), 0u) << "a state with memory";
  Result<Resumed> r = read_checkpoint(written(s), c, shape_named);
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_EQ(bytes_of(s), bytes_of(r->state));
  EXPECT_EQ(r->at, at);
  ASSERT_EQ(r->state.walls.size(), 2u);
  EXPECT_EQ(r->state.walls[0].name, "floor");
  EXPECT_EQ(r->state.walls[0].force, s.walls[0].force);
  EXPECT_NEAR(r->state.walls[1].point.x, 0.01 * s.time, 1e-9) << "a moving wall is where it had come to";
  EXPECT_EQ(r->state.walls[1].travel, s.walls[1].travel);
  EXPECT_EQ(r->state.walls[1].travel_at_rebuild, s.walls[1].travel_at_rebuild);
  EXPECT_EQ(r->state.walls[0].outline, s.walls[0].outline);
  EXPECT_EQ(r->state.next_wall_id, s.next_wall_id);
  // Over the end of the stage, where a wall goes.
  const int more = static_cast<int>((0.15 - s.time) / s.dt);
  advance(s, c, more);
  advance(r->state, c, more);
  EXPECT_EQ(s.stage, 1u) << "at t = " << s.time;
  EXPECT_EQ(state_hash(s), state_hash(r->state));
  EXPECT_EQ(bytes_of(s), bytes_of(r->state));
}

// Where a stage begins, forces are found before any step: nothing may come from what the file does not hold.
TEST_F(Checkpoints, BeginAStageAlike) {
  for (int k = 0; k < 10000 && (s.contacts.size() == 0 || s.wall_contacts.size() == 0); ++k) advance(s, c, 1);
  ASSERT_GT(std::min(s.contacts.size(), s.wall_contacts.size()), 0u);
  Result<Resumed> r = read_checkpoint(written(s), c, shape_named);
  ASSERT_TRUE(r) << r.error().message;
  ASSERT_EQ(s.stage, 0u);
  for (Simulation* of : {&s, &r->state}) {
    const Result<bool> begun = begin_next_stage(*of, c, shape_named);
    ASSERT_TRUE(begun && *begun);
  }
  ASSERT_GT(s.contacts.size(), 0u);
  EXPECT_EQ(bytes_of(s), bytes_of(r->state));
  EXPECT_EQ(s.particles.angular_velocity, r->state.particles.angular_velocity);
}

TEST_F(Checkpoints, HoldTheNextWallsIdOnce) {
  Result<hdf5::Reader> r = hdf5::Reader::open(written(s));
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_TRUE(r->has("state/next_wall_id"));
  EXPECT_FALSE(r->has_attribute("walls", "next_id"));
}

TEST_F(Checkpoints, KeepWhatAServoGoesBy) {
  boundary::Motion::Drive press;
  press.kind = boundary::Motion::Drive::Kind::servo, press.force = 3, press.max_velocity = 0.5;
  Case::Wall lid;
  lid.name = "lid", lid.normal = {0, 0, -1}, lid.point = {0, 0, 0.18}, lid.motion.drive = press;
  c.walls.push_back(lid);
  c.stages[0].duration = 10;
  Result<Simulation> made = set_up(c, shape_named);
  ASSERT_TRUE(made) << made.error().message;
  s = std::move(*made);
  while (!(s.walls[2].dashpot > 0) && s.time < 2) advance(s, c, 10);
  ASSERT_GT(s.walls[2].dashpot, 0);
  ASSERT_NE(s.walls[2].missed, 0);
  Result<Resumed> r = read_checkpoint(written(s), c, shape_named);
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_EQ(state_hash(s), state_hash(r->state));
  advance(s, c, 500);
  advance(r->state, c, 500);
  EXPECT_EQ(state_hash(s), state_hash(r->state));
}

TEST_F(Checkpoints, KeepInletsOutletsAndCountingPlanes) {
  Case::Group feed = c.particles[0];
  feed.name = "feed", feed.count = 40;
  Case::Pour pour;
  pour.region = {{0.05, 0, 0.1}, {0.15, 0.1, 0.2}}, pour.number_rate = 400;
  feed.place = pour;
  c.particles.push_back(feed);
  c.outlets = {{"top", {}, {0, 0, 0.08}, {0, 0, 1}, false}, {"low", Region{{-1, -1, -1}, {1, 1, 0.03}}, {}, {}, true}};
  Case::Measure plane;
  plane.kind = Case::Measure::Kind::flow, plane.name = "middle", plane.point = {0, 0, 0.1}, plane.normal = {0, 0, -1};
  c.measures = {plane};
  Result<Simulation> made = set_up(c, shape_named);
  ASSERT_TRUE(made) << made.error().message;
  s = std::move(*made);
  while ((s.flows.removed[1] < 3 || s.flows.crossed[0] < 3) && s.time < 0.11) advance(s, c, 10);
  ASSERT_GE(s.flows.removed[1], 3u);
  ASSERT_GE(s.flows.crossed[0], 3);
  const fs::path file = written(s);
  Result<Resumed> r = read_checkpoint(file, c, shape_named);
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_EQ(bytes_of(s), bytes_of(r->state));
  const std::uint64_t poured = s.flows.poured[0];
  advance(s, c, 2000), advance(r->state, c, 2000);
  EXPECT_GT(s.flows.poured[0], poured);
  EXPECT_EQ(state_hash(s), state_hash(r->state));

  const Case as_it_was = c;
  c.outlets[1].region->max.z = 0.04;
  EXPECT_NE(why_not(file).find("these parts have changed: outlets;"), std::string::npos) << why_not(file);
  c = as_it_was, c.measures[0].point.z = 0.2;
  EXPECT_NE(why_not(file).find("these parts have changed: measure (flow);"), std::string::npos) << why_not(file);
  c = as_it_was;
  Simulation bad = r->state;
  for (const std::uint64_t no_side : {3, 4}) {  // on both; of a second plane
    bad = r->state, bad.particles.sides[0] = no_side;
    EXPECT_NE(why_not(written(bad)).find("not those of the case"), std::string::npos);
  }
  bad = r->state, bad.flows.open.push_back(1), bad.flows.removed.push_back(0), bad.flows.removed_mass.push_back(0);
  EXPECT_NE(why_not(written(bad)).find("not those of the case"), std::string::npos);
}

TEST_F(Checkpoints, EqualStatesAreEqualFiles) {
  advance(s, c, 50);
  const auto first = read_file(written(s));
  const auto second = read_file(written(s));
  EXPECT_EQ(*first, *second);
}

TEST_F(Checkpoints, TheLastTwoAreKeptAndTheNewestGoodOneIsUsed) {
  std::vector<fs::path> files;
  for (int k = 0; k < 3; ++k) {
    advance(s, c, 5);
    files.push_back(written(s));
  }
  EXPECT_EQ(list_checkpoints(folder), (std::vector<fs::path>{files[2], files[1]}));
  Result<Resumed> r = resume_from(folder, c, shape_named);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->state.step, 15u);
  EXPECT_TRUE(r->remarks.empty());

  fs::resize_file(files[2], fs::file_size(files[2]) - 1);
  r = resume_from(folder, c, shape_named);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->state.step, 10u);
  ASSERT_EQ(r->remarks.size(), 1u);
  EXPECT_NE(r->remarks[0].find("checkpoint_0000000015.h5 is damaged"), std::string::npos) << r->remarks[0];

  fs::remove(files[1]);
  EXPECT_FALSE(resume_from(folder, c, shape_named));
  fs::remove(files[2]);
  const Result<Resumed> none = resume_from(folder, c, shape_named);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("there is no checkpoint in"), std::string::npos);
}

TEST_F(Checkpoints, DamagedFilesAreRefusedWhereverTheDamage) {
  advance(s, c, 30);
  const std::vector<std::byte> good = *read_file(written(s));
  const fs::path bad = folder / "bad.h5";
  for (std::size_t k = 0; k < good.size(); k += 1 + good.size() / 400) {
    ASSERT_TRUE(write_file(bad, std::span(good).first(k), Durability::buffered));
    EXPECT_NE(why_not(bad), "") << "cut at " << k;
    EXPECT_FALSE(checkpoint_info(bad));
    std::vector<std::byte> flipped = good;
    flipped[k] ^= std::byte{1};
    ASSERT_TRUE(write_file(bad, flipped, Durability::buffered));
    EXPECT_NE(why_not(bad), "") << "flipped at " << k;
  }
}

// Files with a fitting checksum and state hash that no run could have written.
TEST_F(Checkpoints, StatesThatContradictThemselvesAreRefused) {
  advance(s, c, static_cast<int>(0.09 / s.dt));
  for (int k = 0; k < 10000 && s.wall_contacts.size() == 0; ++k) advance(s, c, 1);  // grains bounce
  ASSERT_GT(s.pairs.size(), 0u);
  ASSERT_GT(s.wall_contacts.size(), 0u);
  const std::vector<std::pair<std::string, std::function<void(Simulation&)>>> spoils{
      {"pair with itself", [](Simulation& x) { x.pairs.b[0] = x.pairs.a[0]; }},
      {"contacts beyond the table", [](Simulation& x) { x.wall_pairs.count[0] = 4000000000u; }},
      {"feature beyond the shape",
       [](Simulation& x) {
         x.pairs.feature[0] = {PlaneFeature::Kind::edge_edge, 500, 0, 0, 0};
       }},
      {"vertex beyond the shape", [](Simulation& x) { x.pairs.feature[0].vb = 60000; }},
      {"shape that is not there", [](Simulation& x) { x.particles.shape[1] = 9; }},
      {"material that is not there", [](Simulation& x) { x.particles.material[1] = 9; }},
      {"wall's material", [](Simulation& x) { x.walls[0].material = 9; }},
      {"ids twice", [](Simulation& x) { x.particles.id[1] = x.particles.id[0]; }},
      {"id from the future", [](Simulation& x) { x.particles.id.back() = x.next_id; }},
      {"no size", [](Simulation& x) { x.particles.size[0] = 0; }},
      {"mass that is no number", [](Simulation& x) { x.particles.mass[0] = NAN; }},
      {"place of the list that is no number", [](Simulation& x) { x.particles.listed_at[1].y = NAN; }},
      {"gap that is no number", [](Simulation& x) { x.pairs.solved[0].gap = NAN; }},
      {"turn that is none", [](Simulation& x) { x.particles.orientation[1].w += 0.1; }},
      {"way since the list was made that is no number", [](Simulation& x) { x.particles.travel[1] = NAN; }},
      {"wall's place that is no number", [](Simulation& x) { x.walls[1].point.x = NAN; }},
      {"wall's outline that is no number", [](Simulation& x) { (*x.walls[0].outline)[2].y = NAN; }},
      {"time step", [](Simulation& x) { x.dt = 0; }},
      {"time", [](Simulation& x) { x.time = INFINITY; }},
      {"skin", [](Simulation& x) { x.skin = NAN; }},
      {"stage", [](Simulation& x) { x.stage = 3; }},
  };
  EXPECT_EQ(why_not(written(s)), "");
  for (const auto& [what, spoil] : spoils) {
    Simulation bad = s;
    spoil(bad);
    EXPECT_NE(why_not(written(bad)), "") << what;
  }
}

/// The file with a column of its state changed. `more`: rows.
void edit(const fs::path& file, const std::string& name, int more,
          const std::function<void(std::uint32_t*, std::size_t)>& change) {
  oracle::edit(file, [&](hid_t f) {
    oracle::edit_rows(f, "/state/" + name, more, [&](std::vector<char>& data, std::size_t rows) {
      if (change) change(reinterpret_cast<std::uint32_t*>(data.data()), rows);
    });
  });
}

/// The file as a former version wrote it, which had no such column of the state.
void leave_out(const fs::path& file, const std::string& name) {
  oracle::edit(file, [&](hid_t f) { ASSERT_GE(H5Ldelete(f, ("/state/" + name).c_str(), H5P_DEFAULT), 0); });
}

TEST_F(Checkpoints, OfAFormerVersionAreRefusedAsSuch) {
  advance(s, c, 20);
  ASSERT_TRUE(s.pairs.keeps_gaps);
  const fs::path file = written(s);
  leave_out(file, "pairs/solved");
  EXPECT_NE(why_not(file).find("written by a version that kept less"), std::string::npos) << why_not(file);
}

// What no state in memory can be, by the sentence, since the state's hash would tell of all of them.
TEST_F(Checkpoints, ColumnsThatContradictEachOtherAreRefused) {
  advance(s, c, static_cast<int>(0.09 / s.dt));
  for (int k = 0; k < 10000 && s.wall_contacts.size() == 0; ++k) advance(s, c, 1);
  ASSERT_GT(s.pairs.size(), 1u);
  ASSERT_GT(s.wall_contacts.size(), 0u);
  ASSERT_NE(s.wall_pairs.a.front(), s.wall_pairs.a.back());
  const auto set_last = [](std::uint32_t to) { return [to](std::uint32_t* v, std::size_t n) { v[n - 1] = to; }; };
  const auto each = [](std::uint32_t to) { return [to](std::uint32_t* v, std::size_t n) { std::fill_n(v, n, to); }; };
  struct Spoil {
    const char* column;
    int more;
    std::function<void(std::uint32_t*, std::size_t)> change;
    const char* why;
  };
  const std::vector<Spoil> spoils = {
      {"pairs/id_b", 0, set_last(1000000), "a pair names a particle or wall that is not there"},
      {"pairs/id_a", 0, set_last(1000000), "a pair names a particle or wall that is not there"},
      {"wall_pairs/wall", 0, set_last(2), "a pair names a particle or wall that is not there"},
      {"wall_pairs/id_a", 0, set_last(6), "a pair names a particle or wall that is not there"},
      {"pairs/id_b", 0, each(0), "a pair has not the lower id first"},
      {"wall_pairs/id_a", 0, [](std::uint32_t* v, std::size_t n) { std::reverse(v, v + n); },
       "the pairs are not in order"},
      {"wall_pairs/count", 0, each(0), "there are contacts of no pair"},
      {"wall_pairs/count", 0, each(4000000000u), "a pair names contacts that are not there"},
      {"contacts/key", 1, {}, "has another length than the columns before it"},
      {"particles/velocity", -1, {}, "has another length than the columns before it"},
      {"particles/listed_at", -1, {}, "has another length than the columns before it"},
      {"pairs/clear_until", -1, {}, "has another length than the columns before it"},
      {"pairs/count", 1, {}, "has another length than the columns before it"},
      {"list_is_valid", 1, {}, "is no single value"},
  };
  for (const Spoil& spoil : spoils) {
    const fs::path file = written(s);
    ASSERT_EQ(why_not(file), "");
    edit(file, spoil.column, spoil.more, spoil.change);
    EXPECT_NE(why_not(file).find(spoil.why), std::string::npos) << spoil.column << ": " << why_not(file);
    EXPECT_FALSE(checkpoint_info(file)) << spoil.column;
  }
}

// The same of clumps: what their contacts say of parts.
TEST_F(Checkpoints, ContactsOfPartsThatAreNotThereAreRefused) {
  const ShapeSource halves = [](const std::string& name) -> Result<std::shared_ptr<const Shape>> {
    const auto half = [](double x) {
      std::vector<Vec3> v;
      for (int k = 0; k < 8; ++k) v.push_back({x + (k & 1 ? 0.3 : 0), k & 2 ? 0.6 : 0, k & 4 ? 0.6 : 0});
      return *convex_hull(v);
    };
    return std::make_shared<const Shape>(*make_clump(name, {half(0), half(0.3)}));
  };
  Result<Simulation> made = set_up(c, halves);
  ASSERT_TRUE(made) << made.error().message;
  s = std::move(*made);
  for (int k = 0; k < 20000 && std::min(s.contacts.size(), s.wall_contacts.size()) == 0; ++k) step(s);
  ASSERT_FALSE(s.fault) << s.fault->message;
  ASSERT_GT(std::min(s.contacts.size(), s.wall_contacts.size()), 0u);
  const auto last = [](std::uint32_t to) { return [to](std::uint32_t* v, std::size_t n) { v[n - 1] = to; }; };
  const auto feature = [](std::uint16_t kind, std::uint16_t a) {
    return [kind, a](std::uint32_t* v, std::size_t n) {
      const std::uint16_t row[5] = {kind, a, a, 0, 0};
      std::memcpy(reinterpret_cast<std::uint16_t*>(v) + 5 * (n - 1), row, sizeof row);
    };
  };
  const auto face = static_cast<std::uint16_t>(PlaneFeature::Kind::face_a);
  const char *part = "a contact names a part that its shape has not", *plane = "a feature that its parts have not";
  const std::vector<std::tuple<const char*, std::function<void(std::uint32_t*, std::size_t)>, const char*>> spoils{
      {"contacts/part", last(1u << 16 | 1), ""},  {"contacts/part", last(2u << 16), part},
      {"contacts/part", last(2), part},           {"wall_contacts/part", last(2u << 16), part},
      {"wall_contacts/part", last(1), part},      {"contacts/plane", feature(face, 5), ""},
      {"contacts/plane", feature(face, 6), plane}};
  for (const auto& [column, change, why] : spoils) {
    const fs::path file = written(s);
    edit(file, column, 0, change);
    const Result<Resumed> r = read_checkpoint(file, c, halves);
    const std::string told = r ? "" : r.error().message;
    if (*why == '\0')  // which may be what stood there, or is another state
      EXPECT_TRUE(r || told.find("does not have the hash") != std::string::npos) << column << ": " << told;
    else
      EXPECT_NE(told.find(why), std::string::npos) << column << ": " << told;
  }
}

// A file says nothing of the order in memory.
TEST_F(Checkpoints, OfAnyOrderInMemoryAreTheSameFile) {
  advance(s, c, static_cast<int>(0.09 / s.dt));
  for (int k = 0; k < 10000 && s.wall_contacts.size() == 0; ++k) advance(s, c, 1);
  const fs::path file = written(s);
  const auto bytes = *read_file(file);
  Simulation turned = s;
  RowOrder order = spatial_order(s);
  std::reverse(order.particle.begin(), order.particle.end());
  put_rows(turned, rows_in(s, order.particle));
  turned.scratch.reset();
  ASSERT_NE(turned.particles.id, s.particles.id);
  EXPECT_EQ(state_hash(turned), state_hash(s));
  EXPECT_EQ(*read_file(written(turned)), bytes);
  Result<Resumed> again = read_checkpoint(file, c, shape_named);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->state.particles.id, by_id(s.particles.id, id_order(s)));
  advance(again->state, c, 300), advance(turned, c, 300), advance(s, c, 300);
  EXPECT_EQ(state_hash(again->state), state_hash(s));
  EXPECT_EQ(state_hash(turned), state_hash(s));
}

TEST_F(Checkpoints, OfAnotherCaseAreRefusedWithWhatChanged) {
  const fs::path file = written(s);
  c.seed = 99;
  EXPECT_NE(why_not(file).find("changed: seed;"), std::string::npos) << why_not(file);
  c = heap();
  c.materials[0].density = 2000, c.walls[1].point.x = 1;
  EXPECT_NE(why_not(file).find("changed: materials, walls;"), std::string::npos) << why_not(file);
  c = heap();
  std::get<contact::Bloks3d>(c.contacts[0].law).kn *= 2;
  EXPECT_NE(why_not(file).find("changed: contacts;"), std::string::npos) << why_not(file);
  c = heap();
  c.stages[0].gravity = Vec3{1, 0, 0};
  EXPECT_NE(why_not(file).find("stages begun so far"), std::string::npos) << why_not(file);
}

TEST_F(Checkpoints, ForgiveChangesThatCannotMatterAnyMoreOrYet) {
  const fs::path file = written(s);
  c.title = "new", c.output.every = 1, c.output.contacts = false, c.source_text = "other";
  c.stages[0].duration = 3, c.stages[0].output_every = 0.5;
  c.stages[1].duration = 4, c.stages[1].remove = {"floor"};
  EXPECT_EQ(why_not(file), "");
}

// What is yet to come is no part of the state; what has gone from the case is named.
TEST_F(Checkpoints, KnowOfDampingOnceThereIsAny) {
  advance(s, c, 20);
  fs::path file = written(s);
  c.stages[1].damping = Case::Damping{3};
  ASSERT_TRUE(read_checkpoint(file, c, shape_named)) << why_not(file);
  c.damping.global = 5;
  EXPECT_NE(why_not(file).find("changed: damping;"), std::string::npos) << why_not(file);

  s = *set_up(c, shape_named);
  advance(s, c, 20);
  EXPECT_GT(s.ledger.lost_global, 0);
  file = written(s);
  const Result<Resumed> back = read_checkpoint(file, c, shape_named);
  ASSERT_TRUE(back) << why_not(file);
  EXPECT_EQ(back->state.damping, 5);
  EXPECT_EQ(back->state.ledger.lost_global, s.ledger.lost_global);
  c.stages[1].damping.reset();
  EXPECT_TRUE(read_checkpoint(file, c, shape_named)) << why_not(file);
  c.damping.global = 0;
  EXPECT_NE(why_not(file).find("changed: damping;"), std::string::npos) << why_not(file);
}

TEST_F(Checkpoints, OfACaseThatHasLostASectionAreRefused) {
  c.periodic = {{0, -1, 0}, {0, 1, 0}, {false, true, false}};
  s = *set_up(c, shape_named);
  const fs::path file = written(s);
  ASSERT_TRUE(read_checkpoint(file, c, shape_named)) << why_not(file);
  c.periodic = {};
  EXPECT_NE(why_not(file).find("changed: periodic;"), std::string::npos) << why_not(file);
}

TEST_F(Checkpoints, WithOtherShapesAreRefused) {
  const fs::path file = written(s);
  // A prototype of the same name, drawn anew.
  const Result<Resumed> r = read_checkpoint(file, c, [](const std::string& name) {
    Result<std::shared_ptr<const Shape>> shape = shape_named(name == "cube" ? "tetrahedron" : "cube");
    auto renamed = std::make_shared<Shape>(**shape);
    renamed->name = name;
    return Result<std::shared_ptr<const Shape>>(std::shared_ptr<const Shape>(renamed));
  });
  ASSERT_FALSE(r);
  EXPECT_NE(r.error().message.find("the particle library has changed"), std::string::npos) << r.error().message;
}

// A checksum that fits, on a state that is not the one whose hash was saved.
TEST_F(Checkpoints, WithAnotherStateThanTheySayAreRefused) {
  advance(s, c, 30);
  const fs::path file = written(s);
  std::vector<std::byte> bytes = *read_file(file);
  bytes.resize(bytes.size() - 24);
  const auto* wanted = reinterpret_cast<const std::byte*>(&s.particles.velocity[2].z);
  const auto at_velocity = std::search(bytes.begin(), bytes.end(), wanted, wanted + 8);
  ASSERT_NE(at_velocity, bytes.end());
  *at_velocity ^= std::byte{1};  // the last bit of one velocity
  ASSERT_TRUE(write_file(file, oracle::sealed(bytes)));
  EXPECT_NE(why_not(file).find("does not have the hash"), std::string::npos) << why_not(file);
}

TEST_F(Checkpoints, SayWhatIsInThem) {
  advance(s, c, 7);
  const Result<CheckpointInfo> info = checkpoint_info(written(s));
  ASSERT_TRUE(info);
  EXPECT_EQ(info->step, 7u);
  EXPECT_EQ(info->particles, 6u);
  EXPECT_EQ(info->hash, state_hash(s));
  EXPECT_FALSE(checkpoint_info(folder / "none.h5"));
  EXPECT_FALSE(checkpoint_info(folder));
}

// ---- files that other hands have made, with a seal of their own

std::vector<std::byte> sealed_file(const std::function<void(hid_t)>& fill) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_core(access, 1 << 16, false);
  const hid_t file = H5Fcreate("/dev/null/test", H5F_ACC_TRUNC, H5P_DEFAULT, access);
  fill(file);
  H5Fflush(file, H5F_SCOPE_GLOBAL);
  std::vector<std::byte> bytes(static_cast<std::size_t>(H5Fget_file_image(file, nullptr, 0)));
  H5Fget_file_image(file, bytes.data(), bytes.size());
  H5Fclose(file);
  H5Pclose(access);
  return oracle::sealed(std::move(bytes));
}

void make_set(hid_t file, const char* name, hid_t type, std::vector<hsize_t> dims, bool chunked = false) {
  const hid_t space = H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr);
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  if (chunked) {
    std::vector<hsize_t> chunk(dims.size(), 1);
    H5Pset_chunk(properties, static_cast<int>(dims.size()), chunk.data());
  }
  const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  H5Dclose(set), H5Pclose(properties), H5Sclose(space);
}

template <class T>
std::string reading(const std::function<void(hid_t)>& fill) {
  Result<hdf5::Reader> r = hdf5::Reader::open(sealed_file(fill), "hostile");
  if (!r) return r.error().message;
  std::vector<T> rows;
  r->read("x", rows);
  EXPECT_TRUE(rows.empty() || !r->failure());
  return r->failure() ? r->failure()->message : "read";
}

TEST(HostileHdf5, SetsOfWrongTypeOrSizeAreErrors) {
  using V = Vec3;
  EXPECT_EQ(reading<V>([](hid_t f) { make_set(f, "x", H5T_NATIVE_DOUBLE, {2, 3}); }), "read");
  EXPECT_EQ(reading<V>([](hid_t) {}), "hostile: 'x' is missing");
  EXPECT_EQ(reading<V>([](hid_t f) { make_set(f, "x", H5T_NATIVE_FLOAT, {2, 3}); }), "hostile: 'x' has the wrong type");
  EXPECT_EQ(reading<V>([](hid_t f) {
              make_set(f, "x", H5T_NATIVE_DOUBLE, {2, 4});
            }),
            "hostile: 'x' has the wrong dimensions");
  EXPECT_EQ(reading<V>([](hid_t f) { make_set(f, "x", H5T_NATIVE_DOUBLE, {6}); }),
            "hostile: 'x' has the wrong dimensions");
  EXPECT_EQ(reading<V>([](hid_t f) {
              make_set(f, "x", H5T_NATIVE_DOUBLE, {1, 2, 3});
            }),
            "hostile: 'x' has the wrong dimensions");
  EXPECT_EQ(reading<double>([](hid_t f) { make_set(f, "x", H5T_C_S1, {3}); }), "hostile: 'x' has the wrong type");
  EXPECT_EQ(reading<double>([](hid_t f) { H5Gclose(H5Gcreate2(f, "x", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)); }),
            "hostile: 'x' is missing");
}

TEST(HostileHdf5, SetsThatClaimMoreThanTheFileCanHoldTakeNoMemory) {
  const std::string why =
      reading<double>([](hid_t f) { make_set(f, "x", H5T_NATIVE_DOUBLE, {hsize_t{1} << 50}, true); });
  EXPECT_EQ(why, "hostile: 'x' claims more rows than the file can hold");
}

TEST(HostileHdf5, LinksToOtherFilesAreNotFollowed) {
  const std::string why =
      reading<double>([](hid_t f) { H5Lcreate_external("/etc/hostname", "/x", f, "x", H5P_DEFAULT, H5P_DEFAULT); });
  EXPECT_EQ(why, "hostile: 'x' is missing");
}

TEST(HostileHdf5, NoiseUnderAFittingSealIsAnError) {
  const std::vector<std::byte> noise = oracle::sealed(std::vector<std::byte>(1000, std::byte{0x5a}));
  const Result<hdf5::Reader> r = hdf5::Reader::open(noise, "noise");
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().message, "noise is no HDF5 file");
}

}  // namespace
}  // namespace scree::io
