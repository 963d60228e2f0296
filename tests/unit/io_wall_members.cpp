// Members of walls: what wall_fields.def makes of its rows.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <concepts>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <string>

#include "io/checkpoint/checkpoint.h"
#include "scenes/meshes.h"
#include "scenes/scenes.h"
#include "sim/drives.h"

namespace scree {
namespace {

using Drive = boundary::Motion::Drive;

/// Spheres in a box, pressed by servos and a free wall against a belt, on a mesh that turns.
Case world() {
  Case c = scenes::empty_case();
  const double d = 0.02, side = 3.2 * d;
  scenes::add_open_box(c, "box", {0, 0, 0}, {side, side, side});
  scenes::add_plane(c, "box.z_max", {side, side, side}, {0, 0, -1});
  for (Case::Wall& w : c.walls) {
    Drive press;
    const bool keeps_stress = w.name == "box.y_max" || w.name == "box.z_max";
    if (keeps_stress) press.kind = Drive::Kind::servo, press.stress = 2e3, press.max_velocity = 0.05;
    if (w.name == "box.x_max") press.mass = 1, press.force = 3;
    if (keeps_stress || w.name == "box.x_max") w.motion.drive = press;
    if (w.name == "box.y_min") w.motion.surface_velocity = {0.1, 0, 0}, w.outline = Outline{};
  }
  boundary::Motion turns;
  turns.rotation = {{0, 0, 1}, {side / 2, side / 2, 0}, 5, 0, 0};
  Case::Wall& plate = scenes::add_mesh(c, "plate", scenes::sheet({0, 0, 0.001}, {side, 0, 0}, {0, side, 0}, 4, 4));
  plate.motion = turns, plate.front_only = true;
  for (int k = 0; k < 27; ++k)
    scenes::add_grain(c, "sphere", d,
                      {(1.06 * (k % 3) + 0.55) * d, (1.06 * (k / 3 % 3) + 0.55) * d, (1.06 * (k / 9) + 0.6) * d});
  Case::Stage press;
  press.name = "press", press.duration = 10;
  c.stages = {press};
  return c;
}

Simulation at_work(const Case& c) {
  Simulation s = scenes::build(c);
  const auto is_touched = [&] {
    return std::all_of(s.walls.begin(), s.walls.end(),
                       [](const Wall& w) { return w.name == "box.z_min" || w.force != Vec3{}; });
  };
  for (int k = 0; k < 20000 && !is_touched() && !s.fault; ++k) step(s);
  EXPECT_FALSE(s.fault) << s.fault->message;
  EXPECT_TRUE(is_touched()) << "plate and all sides but the floor beneath it";
  return s;
}

/// Another value, each time.
struct Change {
  double next = 0;
  void operator()(double& v) { v = ++next; }
  void operator()(Vec3& v) { v = {++next, ++next, ++next}; }
  void operator()(Quat& v) { v = axis_angle({0, 0, 1}, 0.01 * ++next); }
  void operator()(std::optional<Outline>& v) {
    v.emplace();
    for (Vec3& corner : *v) (*this)(corner);
  }
  void operator()(std::string& v) { v += "x"; }
  template <std::integral T>
  void operator()(T& v) {
    v = static_cast<T>(!v);
  }
  void operator()(auto&) { ADD_FAILURE() << "no other value of this type is known"; }
};

template <class T>
void expect_same(std::string_view wall, std::string_view name, const T& a, const T& b) {
  if constexpr (std::equality_comparable<T>) {
    EXPECT_TRUE(a == b) << wall << ": " << name;
  }
}

TEST(WallMembers, AreInTheHashWhereTheirRowSaysSo) {
  const Simulation s = at_work(world());
  std::set<std::string_view> seen;
  for (std::size_t k = 0; k < s.walls.size(); ++k) {
    Simulation other = s;
    Wall& w = other.walls[k];
    Wall::with_members(
        [&](const WallMember& m, auto& value, const auto& was) {
          if (m.life == WallLife::given) return;
          Change()(value);
          if (w.has_hashed(m.hashed)) seen.insert(m.name);
          EXPECT_EQ(state_hash(other) != state_hash(s), w.has_hashed(m.hashed)) << w.name << ": " << m.name;
          value = was;
        },
        w, s.walls[k]);
  }
  Wall::with_members([&](const WallMember& m) { EXPECT_EQ(seen.contains(m.name), m.hashed != WallHashed::never); });
}

/// Numbers of which `spoils(wall, row)` become none.
template <class F>
Simulation spoiled(Simulation s, F&& spoils) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (Wall& w : s.walls)
    Wall::with_members(
        [&]<class T>(const WallMember& m, T& value) {
          if (m.role == WallRole::definition || !spoils(w, m)) return;
          if constexpr (std::same_as<T, double>) value = kNan;
          if constexpr (std::same_as<T, Vec3>) value = {kNan, kNan, kNan};
        },
        w);
  return s;
}

TEST(WallMembers, ThatADriveReadsAreInTheHash) {
  Simulation s = at_work(world()),
             other =
                 spoiled(s, [](const Wall&w, const WallMember&m) { return w.motion.drive && !w.has_hashed(m.hashed); });
  step(s), step(other);
  for (std::size_t k = 0; k < s.walls.size(); ++k) {
    const Wall &a = s.walls[k], &b = other.walls[k];
    EXPECT_EQ(a.driven, b.driven) << a.name;
    EXPECT_EQ(a.point, b.point) << a.name;
    EXPECT_EQ(a.missed, b.missed) << a.name;
    EXPECT_EQ(a.missed_squared, b.missed_squared) << a.name;
  }
}

TEST(WallMembers, ThatAreDerivedAreMadeByEveryStep) {
  Simulation s = at_work(world()), other = spoiled(s, [](const Wall&w, const WallMember&m) {
                                     const bool means_something = m.role != WallRole::drive || w.motion.drive;
                                     return m.life == WallLife::derived && means_something;
                                   });
  step(s), step(other);
  for (std::size_t k = 0; k < s.walls.size(); ++k)
    Wall::with_members(
        [&](const WallMember& m, const auto& a, const auto& b) { expect_same(s.walls[k].name, m.name, a, b); },
        s.walls[k], other.walls[k]);
  EXPECT_EQ(state_hash(s), state_hash(other));
}

TEST(WallMembers, AreAllThereWhenARunIsResumed) {
  const Case c = world();
  Simulation s = at_work(c);
  Change change;
  for (Wall& w : s.walls)
    Wall::with_members(
        [&]<class T>(const WallMember& m, T& value) {
          constexpr bool kRefers = std::same_as<T, std::string> || std::integral<T>;  // to what is there
          if (m.life == WallLife::saved && !kRefers) change(value);
        },
        w);
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("scree_io_wall_members_" + std::to_string(::getpid()));
  const auto file = io::write_checkpoint(folder, s, {}, c);
  ASSERT_TRUE(file) << file.error().message;
  const Result<io::Resumed> r = io::read_checkpoint(*file, c, scenes::library());
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(r) << r.error().message;
  ASSERT_EQ(r->state.walls.size(), s.walls.size());
  for (std::size_t k = 0; k < s.walls.size(); ++k) {
    const Wall &was = s.walls[k], &is = r->state.walls[k];
    Wall::with_members(
        [&](const WallMember& m, const auto& a, const auto& b) {
          const bool of_a_step = m.life == WallLife::derived && m.role != WallRole::definition;
          if (!of_a_step) expect_same(was.name, m.name, a, b);
        },
        was, is);
    EXPECT_EQ(is.motion.surface_velocity, was.motion.surface_velocity) << was.name;
    EXPECT_EQ(is.motion.drive.has_value(), was.motion.drive.has_value()) << was.name;
    EXPECT_EQ(is.motion.rotation.has_value(), was.motion.rotation.has_value()) << was.name;
  }
}

TEST(SidesOfABox, AreKnownByNumbersThatFollowWhatStagesDo) {
  Case c = world();
  scenes::add_open_box(c, "bed", {-1, -1, -1}, {1, 2, 3});
  scenes::add_plane(c, "lid.left", {5, 0, 0}, {-1, 0, 0});
  Case::Wall nearer;
  for (const Case::Wall& w : c.walls)
    if (w.name == "box.x_min") nearer = w;
  nearer.point.x = -1;
  Case::Stage none, again;
  none.name = "none", none.remove = {"box.x_min"};
  again.name = "again", again.add = {nearer}, again.remove = {"box.y_min"};
  c.stages = {c.stages[0], none, again};
  Simulation s = scenes::build(c);
  const auto named = [&](const std::string& name) {
    return *std::find_if(s.walls.begin(), s.walls.end(), [&](const Wall& w) { return w.name == name; });
  };
  const double side = 3.2 * 0.02;
  const auto expect_numbers = [&] {
    const std::string sides[] = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};
    std::set<std::uint32_t> boxes;
    for (const Wall& w : s.walls) {
      const std::size_t dot = w.name.find('.');
      if (w.mesh || w.name == "lid.left") {
        EXPECT_EQ(w.box, 0u) << w.name;
        continue;
      }
      EXPECT_NE(w.box, 0u) << w.name;
      EXPECT_EQ(sides[w.side], w.name.substr(dot + 1));
      EXPECT_EQ(w.box, named(w.name.substr(0, dot) + ".z_min").box) << w.name;
      boxes.insert(w.box);
    }
    EXPECT_EQ(boxes.size(), 2u);
  };
  expect_numbers();
  EXPECT_NEAR(area_of_side(s, named("box.z_max")), side * side, 1e-12);
  EXPECT_NEAR(area_of_side(s, named("bed.z_min")), 2 * 3, 1e-12);
  EXPECT_EQ(area_of_side(s, named("bed.x_min")), 0) << "it is open above";
  EXPECT_EQ(area_of_side(s, named("lid.left")), 0);
  EXPECT_EQ(area_of_side(s, named("plate")), 0);
  (void)begin_next_stage(s, c, scenes::library());
  expect_numbers();
  EXPECT_EQ(area_of_side(s, named("box.z_max")), 0);
  EXPECT_NEAR(area_of_side(s, named("box.x_max")), side * side, 1e-12);
  (void)begin_next_stage(s, c, scenes::library());
  expect_numbers();
  EXPECT_NEAR(area_of_side(s, named("box.y_max")), (1 + side) * side, 1e-12);
  EXPECT_EQ(area_of_side(s, named("box.z_max")), 0);
}

}  // namespace
}  // namespace scree
