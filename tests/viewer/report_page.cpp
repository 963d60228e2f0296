// LIBS: scree_io
// The page's C++ half, and the folders that tests/viewer/page.mjs opens in a browser (SCREE_FIXTURES names where they
// go).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <sstream>

#include "base/random.h"
#include "geometry/polyhedron.h"
#include "io/results/frame.h"
#include "io/results/report.h"
#include "io/results/report_encode.h"
#include "io/results/report_pack.h"
#include "io/results/report_template.h"

namespace fs = std::filesystem;
using namespace scree;

namespace {

std::vector<io::Frame::ShapeRow> shapes() {
  const std::vector<std::pair<std::string, std::vector<Vec3>>> drawn = {
      {"tetrahedron", {{1, 1, 1}, {-1, -1, 1}, {-1, 1, -1}, {1, -1, -1}}},
      {"pyramid", {{1, 0, -.4}, {0, 1, -.4}, {-1, 0, -.4}, {0, -1, -.4}, {0, 0, 1.1}}},
      {"cube", {{1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {1, -1, -1}, {-1, 1, 1}, {-1, 1, -1}, {-1, -1, 1}, {-1, -1, -1}}},
      {"grain",
       {{.9, .1, .2},
        {.5, .8, .1},
        {-.3, .9, .2},
        {-.9, .2, .1},
        {-.6, -.7, .2},
        {.2, -.9, .1},
        {.7, -.6, .1},
        {.4, .3, .8},
        {-.4, .4, .8},
        {-.2, -.5, .8},
        {.5, -.2, .7},
        {.3, .4, -.7},
        {-.5, .2, -.7},
        {.1, -.5, -.7}}}};
  std::vector<io::Frame::ShapeRow> rows;
  for (const auto& [name, points] : drawn) {
    const auto hull = convex_hull(points);
    const auto shape = make_shape(name, *hull);
    // Half the diameter of the bounding sphere is 1: sizes are diameters of 2 in these units.
    const double scale = .5 / shape->body.outer_radius;
    io::Frame::ShapeRow row{name, {}, {}};
    for (const Vec3& v : shape->body.vertices) row.vertices.push_back(scale * v);
    for (std::size_t f = 0; f < shape->body.face_normals.size(); ++f) {
      const auto loop = shape->body.loop(f);
      row.faces.emplace_back(loop.begin(), loop.end());
    }
    rows.push_back(row);
  }
  return rows;
}

/// Grains that drop onto their places in a bed, layer after layer, and slide off to +x once the right wall is gone.
struct Scene {
  std::size_t grains = 400;
  int frames = 31;
  double end = 1, release = .5;
  double width = .3;  ///< m
  bool contacts = true, bonds = false;
  bool spheres = false;
  bool planar = false;  ///< discs, and a box whose sides are lines
  bool moving = false;  ///< other walls: a box that servos press, a free lid, meshes that turn

  io::Frame frame(int k) const {
    static const auto kShapes = shapes();
    io::Frame f;
    f.time = end * k / (frames - 1);
    f.step = static_cast<std::uint64_t>(k) * 1000;
    f.shapes = kShapes;
    if (spheres) f.shapes = {io::Frame::ShapeRow{"sphere", {}, {}, .5}};
    const double pitch = .031;
    const auto row = static_cast<std::size_t>(width / pitch);
    for (std::size_t i = 0; i < grains; ++i) {
      Random r(7, i);
      const double size = r.uniform(.024, .036);
      const Quat start = r.rotation();
      const Vec3 axis = r.direction();
      const double spin = r.uniform(2, 12);
      const std::size_t layer = i / (row * row);
      const Vec3 rest{pitch * (.5 + static_cast<double>(i % row)) + r.uniform(-.003, .003),
                      pitch * (.5 + static_cast<double>(i / row % row)) + r.uniform(-.003, .003),
                      .026 * (.55 + static_cast<double>(layer))};
      // Every seventh grain of the last tenth comes with the release; the first ten leave with it.
      const bool late = i * 10 > grains * 9 && i % 7 == 0, leaves = i < 10;
      if ((late && f.time < release) || (leaves && f.time >= release)) continue;
      const double drop = .12 + .05 * static_cast<double>(layer), landed = std::sqrt(2 * drop / 9.81);
      const double t = std::min(f.time, landed);
      Vec3 x = rest + Vec3{0, 0, drop - 4.905 * t * t}, v{0, 0, f.time < landed ? -9.81 * t : 0};
      const double flow = std::max(0., f.time - release) * (rest.x / width) * std::min(4., 1 + 20 * rest.z);
      x.x += flow * flow * .8,
          v.x += f.time > release ? 1.6 * flow * (rest.x / width) * std::min(4., 1 + 20 * rest.z) : 0;
      x.z = std::max(.4 * size, x.z - flow * flow * .5);
      f.id.push_back(static_cast<std::uint32_t>(i));
      f.shape.push_back(spheres ? 0 : static_cast<std::uint32_t>(i % 4));
      f.material.push_back(static_cast<std::uint32_t>(i % 3 == 0));
      f.size.push_back(size), f.mass.push_back(2650 * size * size * size / 4);
      f.position.push_back(x), f.velocity.push_back(v), f.angular_velocity.push_back(spin * axis);
      f.orientation.push_back(normalized(axis_angle(axis, spin * t + 4 * flow) * start));
    }
    planar ? make_planar(f) : moving ? add_moving_walls(f) : add_walls(f);
    if (contacts) add_contacts(f);
    if (bonds) add_bonds(f, k);
    return f;
  }

  /// Chains of five by id; link i breaks at frame i % 29 or never, damage grows until then.
  static void add_bonds(io::Frame& f, int k) {
    f.fragment.resize(f.id.size());
    for (std::size_t i = 0; i < f.id.size(); ++i) {
      const int end = static_cast<int>(f.id[i] % 29) * 2;
      const bool holds = i > 0 && f.id[i - 1] + 1 == f.id[i] && f.id[i] % 5 != 0 && k < end;
      f.fragment[i] = holds ? f.fragment[i - 1] : f.id[i];
      if (!holds) continue;
      f.bond_rows.push_back({static_cast<std::uint32_t>(i - 1), static_cast<std::uint32_t>(i)});
      f.bond_damage.push_back(static_cast<double>(k) / end);
    }
  }

  void add_walls(io::Frame& f) const {
    const double w = width, h = 2 * width;
    const auto wall = [&](const char* name, std::uint32_t id, Vec3 p, Vec3 n, Vec3 a, Vec3 b, Vec3 c, Vec3 d) {
      f.walls.push_back({name, id, p, n, 100.0 * n, std::array<Vec3, 4>{a, b, c, d}});
    };
    wall("box.x_min", 0, {0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {0, w, 0}, {0, w, h}, {0, 0, h});
    if (f.time < release) wall("box.x_max", 1, {w, 0, 0}, {-1, 0, 0}, {w, 0, 0}, {w, w, 0}, {w, w, h}, {w, 0, h});
    wall("box.y_min", 2, {0, 0, 0}, {0, 1, 0}, {0, 0, 0}, {w, 0, 0}, {w, 0, h}, {0, 0, h});
    wall("box.y_max", 3, {0, w, 0}, {0, -1, 0}, {0, w, 0}, {w, w, 0}, {w, w, h}, {0, w, h});
    wall("box.z_min", 4, {0, 0, 0}, {0, 0, 1}, {0, 0, 0}, {w, 0, 0}, {w, w, 0}, {0, w, 0});
  }

  /// x_max comes in by a third.
  void make_planar(io::Frame& f) const {
    f.dimensions = 2;
    for (Vec3& x : f.position) x.z = 0;
    for (Quat& q : f.orientation) q = {};
    const double w = width, x = w * (1 - f.time / end / 3);
    const auto side = [&](const char* name, std::uint32_t id, Vec3 n, Vec3 a, Vec3 b) {
      f.walls.push_back({name, id, a, n, {}, std::array<Vec3, 4>{a, b, b, a}});
    };
    side("box.x_min", 0, {1, 0, 0}, {0, 0, 0}, {0, w, 0});
    side("box.x_max", 1, {-1, 0, 0}, {x, 0, 0}, {x, w, 0});
    side("box.y_min", 2, {0, 1, 0}, {0, 0, 0}, {w, 0, 0});
  }

  /// x_max comes in by a third, y_max goes out by a fifth, the lid (no side of the box) comes down. The round
  /// wall and the cube turn by 2 rad about the axes through their middles.
  void add_moving_walls(io::Frame& f) const {
    const double w = width, u = f.time / end, x = w * (1 - u / 3), y = w * (1 + u / 5), h = 2 * w;
    const auto side = [&](const char* name, std::uint32_t id, Vec3 p, Vec3 n, std::array<Vec3, 4> outline) {
      f.walls.push_back({name, id, p, n, {}, outline});
    };
    side("box.x_min", 0, {0, 0, 0}, {1, 0, 0}, {{{0, 0, 0}, {0, w, 0}, {0, w, h}, {0, 0, h}}});
    side("box.x_max", 1, {x, w, h}, {-1, 0, 0}, {{{x, 0, 0}, {x, w, 0}, {x, w, h}, {x, 0, h}}});
    side("box.y_min", 2, {0, 0, 0}, {0, 1, 0}, {{{0, 0, 0}, {w, 0, 0}, {w, 0, h}, {0, 0, h}}});
    side("box.y_max", 3, {w, y, h}, {0, -1, 0}, {{{0, y, 0}, {w, y, 0}, {w, y, h}, {0, y, h}}});
    side("box.z_min", 4, {0, 0, 0}, {0, 0, 1}, {{{0, 0, 0}, {w, 0, 0}, {w, w, 0}, {0, w, 0}}});
    f.walls.push_back({"lid", 5, {0, 0, h * (.8 - .3 * u)}, {0, 0, -1}, {}, std::nullopt});
    const int corners = 48;
    io::Frame::WallRow drum{"drum", 6, {.5 * w, .5 * w, w}, {}, {}, std::nullopt}, cube = drum;
    for (int i = 0; i < corners; ++i) {
      const double angle = 2 * std::numbers::pi * i / corners;
      const auto a = static_cast<std::uint32_t>(2 * i), b = static_cast<std::uint32_t>(2 * ((i + 1) % corners));
      for (const double z : {-w, w}) drum.vertices.push_back({w * std::cos(angle), w * std::sin(angle), z});
      drum.triangles.push_back({a, b, b + 1}), drum.triangles.push_back({a, b + 1, a + 1});
    }
    drum.orientation = axis_angle({0, 0, 1}, 2 * u);
    cube.name = "cube", cube.id = 7, cube.orientation = drum.orientation;
    for (const double z : {-.1, .1})
      for (const double v : {-.1, .1})
        for (const double c : {-.1, .1}) cube.vertices.push_back({w * c, w * v, w * z});
    cube.triangles = {{0, 1, 2}, {1, 2, 3}, {4, 5, 6}, {5, 6, 7}, {0, 1, 4}, {1, 4, 5}};
    f.walls.push_back(drum), f.walls.push_back(cube);
  }

  void add_contacts(io::Frame& f) const {
    for (std::size_t i = 0; i < f.id.size(); ++i) {
      const double load = 2 + 40 * std::exp(-20 * f.position[i].z) * Random(3, i).uniform();
      if (f.position[i].z < .02) add_contact(f, f.id[i], -1 - 4, f.position[i] + Vec3{0, 0, -.012}, {0, 0, -load});
      for (std::size_t j = i + 1; j < std::min(i + 12, f.id.size()); ++j) {
        const Vec3 d = f.position[j] - f.position[i];
        if (norm(d) > .036) continue;
        for (const double side : {-.004, .004}) {  // two points of one pair
          add_contact(f, f.id[i], f.id[j], f.position[i] + .5 * d + Vec3{0, 0, side}, load / 2 * normalized(d));
        }
      }
    }
  }

  static void add_contact(io::Frame& f, std::int64_t a, std::int64_t b, Vec3 point, Vec3 force) {
    f.contact_ids.push_back({a, b});
    f.contact_point.push_back(point), f.contact_force.push_back(force);
    f.contact_normal.push_back(normalized(force)), f.contact_depth.push_back(1e-5);
  }

  void write(const fs::path& folder) const {
    fs::remove_all(folder);
    fs::create_directories(folder / "frames");
    for (int k = 0; k < frames; ++k) {
      const auto done =
          io::write_frame(io::numbered(folder / "frames", "frame", static_cast<std::uint64_t>(k)), frame(k));
      ASSERT_TRUE(done) << done.error().message;
    }
  }
};

const char* kEvil = "</script><script>window.pwned=1</script><img src=x onerror=window.pwned=1>&amp;\"'";

void write_texts(const fs::path& folder, const std::string& title, const std::string& status, const std::string& reason,
                 double end) {
  nlohmann::ordered_json run{
      {"title", title},
      {"version", "0.1.0"},
      {"case_file", "small.yaml"},
      {"case_hash", "0011223344556677"},
      {"machine", {{"cpu", "test"}, {"cores", 2}}},
      {"threads", 2},
      {"started", "2026-01-31T12:34:56Z"},
      {"time", end},
      {"steps", 50000},
      {"dt", 2e-5},
      {"particles", 400},
      {"seconds", 61.5},
      {"particle_steps_per_second", 412345.6},
      {"peak_memory_bytes", 123456789},
      {"state_hash", "8899aabbccddeeff"},
      {"verdict", {{"status", status}, {"reason", reason}}},
      {"stages",
       {{{"name", "fill"},
         {"begin", 0},
         {"end", end / 2},
         {"ended", {{"by", "rest"}, {"text", "rest: kinetic energy below 1e-09 J at t = 0.5 s"}}},
         {"measured",
          {{{"column", "max_speed [m/s]"},
            {"instants", 50},
            {"mean", 0.75},
            {"smallest", 0.125},
            {"largest", 2.375},
            {"last", 0.25}},
           {{"column", "bed void_ratio [1]"}, {"instants", 0}}}}},
        {{"name", "release"}, {"begin", end / 2}, {"end", nullptr}}}},
      {"sessions",
       {{{"started", "2026-01-31T12:34:56Z"},
         {"from_step", 0},
         {"to_step", 20000},
         {"threads", 2},
         {"seconds", 21.5},
         {"stepping_seconds", 20},
         {"particle_steps", 8e6}},
        {{"started", "2026-02-01T08:00:00Z"}, {"from_step", 20000}, {"threads", 1}}}},
      {"detection", {{"iterations_mean", 4.2}, {"iterations_max", 31}, {"share_cached", .93}}}};
  if (title == kEvil)
    run["plots"] = {{{"title", kEvil}, {"over", "bed strain"}, {"of", {"bed stress_zz"}}},
                    {{"title", ""}, {"over", "max_speed"}, {"of", {"contacts", "sliding", "gone"}}},
                    {{"title", "gone"}, {"over", "time"}, {"of", {"gone"}}},
                    "no plot"};
  std::ofstream(folder / "run.json") << run.dump(2);
  std::ofstream series(folder / "series.csv");
  series
      << "time [s],step,particles,kinetic_translation [J],kinetic_rotation [J],potential [J],elastic [J],momentum_x "
         "[kg m/s],"
         "max_speed [m/s],max_overlap [1],candidate_pairs,contacts,contact_points,sliding,lost_friction [J],unclosed "
         "[J],force box.z_min z [N],bed strain [1],bed stress_zz [Pa],bed void_ratio [1]\n";
  for (int k = 0; k <= 100; ++k) {
    const double t = end * k / 100, u = t / end;
    series << t << ',' << k * 500 << ",400," << 30 * u * std::exp(-9 * u) * 4 << ',' << 3 * u * std::exp(-9 * u) << ','
           << 40 - 15 * std::min(1., 2 * u) << ',' << 1e-17 + .02 * std::min(1., 2 * u) << ',' << .1 * std::sin(9 * u)
           << ',' << 2.4 * std::exp(-6 * u) << ',' << .004 * std::min(1., 2 * u) << ',' << 3000 << ','
           << static_cast<int>(1400 * std::min(1., 2 * u)) << ',' << static_cast<int>(3100 * std::min(1., 2 * u)) << ','
           << static_cast<int>(200 * std::exp(-3 * u)) << ',' << 15 * std::min(1., 2 * u) << ',' << .01 * u << ','
           << 60 * u << ',';
    // Pressed and let go: the strain comes back, along another way.
    if (k % 10 != 9)
      series << .2 * std::sin(std::numbers::pi * u) << ',' << 5e4 * (u < .5 ? u : .5 - .9 * (u - .5));
    else
      series << ',';
    series << ",0.8\n";
  }
  std::ofstream(folder / "case.yaml")
      << "# " << kEvil << "\ntitle: \"" << (title == kEvil ? "evil" : title)
      << "\"\ngravity: [0, 0, -9.81 m/s^2]  # down\n"
      << "materials:\n  stone: {density: 2650 kg/m^3}\n  brick: {density: 1900 kg/m^3}\n"
      << "walls:\n  box: {box: {min: [0, 0, 0], max: [30 cm, 30 cm, 60 cm], open: [z_max]}, material: stone}\n"
      << "measure:\n  bed: {stress: {}}\n";
}

/// What the page must decode from some frames: poses, speeds, and the sum of the forces of every pair.
void write_expected(const fs::path& folder, const Scene& scene) {
  nlohmann::json frames = nlohmann::json::array();
  for (const int k : {0, 5, 13, 14, 15, 16, 27}) {
    const io::Frame f = scene.frame(k);
    nlohmann::json grains = nlohmann::json::array(), contacts = nlohmann::json::array();
    for (std::size_t i = 0; i < f.id.size(); ++i) {
      const Vec3 x = f.position[i];
      const Quat q = f.orientation[i];
      grains.push_back(
          {f.id[i], f.shape[i], f.material[i], f.size[i], x.x, x.y, x.z, q.x, q.y, q.z, q.w, norm(f.velocity[i])});
    }
    std::map<std::array<std::int64_t, 2>, std::pair<Vec3, Vec3>> pairs;  // force, mean point
    for (std::size_t i = 0; i < f.contact_ids.size(); ++i) {
      auto& [force, point] = pairs[f.contact_ids[i]];
      force += f.contact_force[i];
      point += (f.contact_ids[i][1] < 0 ? 1 : .5) * f.contact_point[i];
    }
    for (const auto& [ids, sum] : pairs) {
      const auto& [force, point] = sum;
      contacts.push_back({ids[0], ids[1], force.x, force.y, force.z, point.x, point.y, point.z});
    }
    nlohmann::json bonds = nlohmann::json::array(), fragments = nlohmann::json::array();
    for (std::size_t b = 0; b < f.bond_rows.size(); ++b)
      bonds.push_back({f.id[f.bond_rows[b][0]], f.id[f.bond_rows[b][1]], f.bond_damage[b]});
    for (std::size_t i = 0; i < f.fragment.size(); ++i) fragments.push_back({f.id[i], f.fragment[i]});
    frames.push_back({{"frame", k},
                      {"time", f.time},
                      {"grains", grains},
                      {"contacts", contacts},
                      {"bonds", bonds},
                      {"fragments", fragments}});
  }
  std::ofstream(folder / "expected.json") << frames;
}

std::string slurp(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Folder {
  fs::path path =
      fs::temp_directory_path() / ("scree_report_" + std::to_string(::getpid()) + "_" + std::to_string(counter++));
  static inline int counter = 0;
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
};

#define SKIP_WITHOUT_PAGE() \
  if (io::report_template().empty()) GTEST_SKIP() << "built with SCREE_VIEWER=OFF"

}  // namespace

TEST(ReportEncode, Base64OfTheRfcExamples) {
  const std::pair<const char*, const char*> rows[] = {{"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
                                                      {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, coded] : rows) EXPECT_EQ(io::base64(plain), coded);
  EXPECT_EQ(io::base64("\xff\xfe"), "//4=");
}

TEST(ReportEncode, HtmlIsEscaped) {
  EXPECT_EQ(io::escape_html("<a b=\"c\" d='e'>&"), "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;");
}

TEST(ReportPack, ThinningKeepsBothEndsAndIsEven) {
  for (const std::size_t n : {2, 3, 10, 101, 5000}) {
    for (const std::size_t k : {2, 3, 7, 100}) {
      const auto rows = io::thin(n, k);
      ASSERT_EQ(rows.size(), std::min(n, k));
      EXPECT_EQ(rows.front(), 0u);
      EXPECT_EQ(rows.back(), n - 1);
      const double even = static_cast<double>(n - 1) / static_cast<double>(rows.size() - 1);
      for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_NEAR(static_cast<double>(rows[i] - rows[i - 1]), even, 1.0);
    }
  }
}

TEST(ReportPack, BudgetHoldsThirtyThousandGrainsForAHundredFrames) {
  const io::ReportBudget budget;
  EXPECT_EQ(budget.frames_kept(100, 30'000), 100u);
  EXPECT_LE(budget.frames_kept(10'000, 30'000), 120u);
  EXPECT_EQ(budget.frames_kept(50, 5'000'000), 2u);
  EXPECT_EQ(budget.frames_kept(1, 10), 1u);
  EXPECT_GE(budget.contacts_kept(100), 10'000u);
}

TEST(ReportPack, TheStrongestContactsAreKept) {
  Scene scene;
  scene.frames = 2;
  const io::Frame f = scene.frame(1);
  io::ReportPack all(1'000'000), some(50);
  all.add(f), some.add(f);
  const auto of = [](const io::ReportPack& p) { return nlohmann::json::parse(p.blocks()->header); };
  const auto a = of(all), b = of(some);
  EXPECT_LE(b["frames"][0]["contacts"], 50);
  EXPECT_GT(b["frames"][0]["contacts"], 30);
  EXPECT_EQ(b["force"], a["force"]);
  EXPECT_EQ(b["frames"][0]["contacts_total"], a["frames"][0]["contacts"]);
  EXPECT_GT(some.contacts_left_out(), 100u);
}

TEST(ReportPack, TooManyBondsAreLeftOutAndCounted) {
  Scene scene;
  scene.bonds = true;
  const io::Frame f = scene.frame(1);
  ASSERT_GT(f.bond_rows.size(), 200u);
  io::ReportPack all(100), none(100, 200);
  all.add(f), none.add(f);
  const auto of = [](const io::ReportPack& p) { return nlohmann::json::parse(p.blocks()->header)["frames"][0]; };
  EXPECT_EQ(of(all)["bonds"], f.bond_rows.size());
  EXPECT_EQ(all.bonds_left_out(), 0u);
  EXPECT_EQ(of(none)["bonds"], 0);
  EXPECT_EQ(of(none)["fragments"], true);
  EXPECT_EQ(none.bonds_left_out(), f.bond_rows.size());
}

TEST(ReportPack, PosesThatAreNoNumbersAreLeftOut) {
  Scene scene;
  io::Frame f = scene.frame(0);
  f.position[3].y = std::nan(""), f.orientation[5] = {0, 0, 0, 0};
  io::ReportPack pack(100);
  pack.add(f);
  EXPECT_EQ(pack.not_finite(), 2u);
  const auto header = nlohmann::json::parse(pack.blocks()->header);
  EXPECT_EQ(header["frames"][0]["n"], f.id.size() - 2);
  for (int k = 0; k < 3; ++k) EXPECT_TRUE(header["step"][k].is_number());
}

TEST(ReportPack, PositionsTakeThreeBytesWhenAGrainFliesFar) {
  Scene scene;
  io::Frame f = scene.frame(0);
  io::ReportPack near(100);
  near.add(f);
  f.position[0].x = 5;
  io::ReportPack far(100);
  far.add(f);
  EXPECT_EQ(nlohmann::json::parse(near.blocks()->header)["position_bytes"], 2);
  const auto header = nlohmann::json::parse(far.blocks()->header);
  EXPECT_EQ(header["position_bytes"], 3);
  EXPECT_LT(header["step"][0].get<double>(), 1e-6);
}

TEST(Report, WhatIsMissingIsSaidOrRefused) {
  SKIP_WITHOUT_PAGE();
  Folder d;
  const auto nothing = io::write_report(d.path / "absent");
  ASSERT_FALSE(nothing);
  EXPECT_NE(nothing.error().message.find("absent"), std::string::npos);
  const auto empty = io::write_report(d.path);
  ASSERT_FALSE(empty);
  EXPECT_NE(empty.error().message.find("neither frames"), std::string::npos);
  std::ofstream(d.path / "series.csv") << "time [s],contacts\n0,1\n";
  const auto page = io::write_report(d.path);
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(page->file, d.path / "report.html");
  ASSERT_EQ(page->missing.size(), 3u);
  EXPECT_NE(page->missing[0].find("run.json"), std::string::npos);
  EXPECT_NE(page->missing[1].find("case.yaml"), std::string::npos);
  EXPECT_NE(page->missing[2].find("no frames"), std::string::npos);
  // Half a frame, as after a crash, and one that has gone.
  fs::create_directories(d.path / "frames");
  for (const char* name : {"frame_000000.vtkhdf", "frame_000002.vtkhdf"})
    std::ofstream(d.path / "frames" / name) << "nonsense";
  const auto damaged = io::write_report(d.path, d.path / "elsewhere.html");
  ASSERT_TRUE(damaged);
  EXPECT_TRUE(fs::exists(d.path / "elsewhere.html"));
  ASSERT_EQ(damaged->missing.size(), 4u);
  EXPECT_EQ(damaged->missing[2], "1 frame is missing in frames/.");
  EXPECT_NE(damaged->missing[3].find("2 frames could not be read"), std::string::npos);
}

TEST(Report, UserTextStaysOutOfTheMarkup) {
  SKIP_WITHOUT_PAGE();
  Folder d;
  Scene scene;
  scene.grains = 20, scene.frames = 2;
  scene.write(d.path);
  write_texts(d.path, kEvil, "failed", kEvil, 1);
  ASSERT_TRUE(io::write_report(d.path));
  const std::string page = slurp(d.path / "report.html");
  EXPECT_EQ(page.find("pwned=1</script>"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;window.pwned=1"), std::string::npos);
  EXPECT_FALSE(fs::exists(d.path / "report.html.part"));
}

TEST(Report, ThatCannotBeWrittenSaysWhy) {
  SKIP_WITHOUT_PAGE();
  Folder d;
  std::ofstream(d.path / "series.csv") << "time [s],contacts\n0,1\n";
  fs::create_directories(d.path / "report.html");  // a folder in the way; permissions mean nothing to root
  const auto page = io::write_report(d.path);
  ASSERT_FALSE(page);
  EXPECT_NE(page.error().message.find("report.html"), std::string::npos);
}

// What tests/viewer/page.mjs opens.
TEST(ReportFixture, Write) {
  SKIP_WITHOUT_PAGE();
  const Folder own;
  const char* where = std::getenv("SCREE_FIXTURES");
  const fs::path root = where ? fs::path(where) : own.path;
  const auto measured = [&](const Scene& scene, const std::string& name) {
    scene.write(root / name);
    write_texts(root / name, std::to_string(scene.grains) + " grains", "finished", "", 1);
    const auto page = io::write_report(root / name);
    ASSERT_TRUE(page) << page.error().message;
    std::cout << name << ": " << static_cast<double>(fs::file_size(page->file)) / 1e6 << " MB\n";
  };
  if (const char* frames = std::getenv("SCREE_FIXTURE_FRAMES")) {
    Scene large;
    large.grains = 30'000, large.frames = std::atoi(frames), large.width = .8;
    return measured(large, "large");
  }
  if (const char* grains = std::getenv("SCREE_FIXTURE_SPHERES")) {
    Scene many;
    many.spheres = true, many.contacts = false, many.frames = 6, many.width = 1.5;
    many.grains = static_cast<std::size_t>(std::atoll(grains));
    return measured(many, "spheres");
  }
  Scene small;
  small.write(root / "small");
  write_texts(root / "small", "Angular grains fill a box", "finished", "", 1);
  write_expected(root / "small", small);
  ASSERT_TRUE(io::write_report(root / "small"));
  Scene bonded;
  bonded.bonds = true;
  bonded.write(root / "bonded");
  write_texts(root / "bonded", "Chains of grains break", "finished", "", 1);
  write_expected(root / "bonded", bonded);
  ASSERT_TRUE(io::write_report(root / "bonded"));
  Scene moving;
  moving.moving = moving.spheres = true, moving.grains = 100, moving.frames = 5;
  moving.write(root / "moving");
  write_texts(root / "moving", "Servos press a box", "finished", "", 1);
  ASSERT_TRUE(io::write_report(root / "moving"));
  Scene planar;
  planar.planar = planar.spheres = true, planar.contacts = false, planar.grains = 40, planar.frames = 5;
  planar.write(root / "planar");
  write_texts(root / "planar", "Discs in a box", "finished", "", 1);
  ASSERT_TRUE(io::write_report(root / "planar"));
  Scene crowd;
  crowd.spheres = true, crowd.contacts = false, crowd.grains = 21'000, crowd.frames = 2, crowd.width = .8;
  crowd.write(root / "crowd");
  write_texts(root / "crowd", "Many spheres", "finished", "", 1);
  ASSERT_TRUE(io::write_report(root / "crowd"));
  Scene evil;
  evil.grains = 40, evil.frames = 3;
  evil.write(root / "evil");
  write_texts(root / "evil", kEvil, "failed", std::string("grains 3 and 7 overlap by 61 % at t = 0.25 s ") + kEvil, 1);
  ASSERT_TRUE(io::write_report(root / "evil"));
  fs::remove_all(root / "bare");
  fs::create_directories(root / "bare");
  write_texts(root / "bare", "Nothing to play", "interrupted", "stopped by Ctrl-C", 1);
  ASSERT_TRUE(io::write_report(root / "bare"));
}
