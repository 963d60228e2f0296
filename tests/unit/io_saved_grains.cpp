// LIBS: scree_io
// Grains of a frame or a checkpoint placed in another case: the same grains, the same accelerations; and what is
// refused.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "integrate/rigid_body.h"
#include "io/case/read_case.h"
#include "io/checkpoint/checkpoint.h"
#include "io/library/library.h"
#include "io/results/checkpoint_frame.h"
#include "io/results/frame.h"
#include "io/results/hdf5_file.h"
#include "io/text/files.h"
#include "oracle/larger.h"
#include "sim/row_order.h"

namespace scree::io {
namespace {

namespace fs = std::filesystem;

const std::string kElastic =
    "materials: {red: {density: 2650}, blue: {density: 7800}, wall: {density: 1000}}\n"
    "contacts:\n"
    "  - {between: [red, red], law: linear, kn: 1e5, friction: 0, restitution: 1}\n"
    "  - {between: [red, blue], law: linear, kn: 1e5, friction: 0, restitution: 1}\n"
    "  - {between: [blue, blue], law: linear, kn: 1e5, friction: 0, restitution: 1}\n"
    "  - {between: [red, wall], law: linear, kn: 1e5, friction: 0, restitution: 1}\n"
    "  - {between: [blue, wall], law: linear, kn: 1e5, friction: 0, restitution: 1}\n";
const std::string kBox = "walls: {box: {box: {min: [0, 0, 0], max: [6 cm, 6 cm, 20 cm]}, material: wall}}\n";
const std::string kEnd = "stages: [{duration: 1}]\n";
/// Polyhedra, spheres and a clump, turning, on their way into a heap.
const std::string kMixed =
    "particles:\n"
    "  - {name: a, material: red, shapes: [cube, sphere], count: 40, size: {uniform: [6 mm, 9 mm]},\n"
    "     velocity: [0.1, 0.2, -1], angular_velocity: [30, 10, 5], place: {lattice: {above: box}}}\n"
    "  - {name: b, material: blue, shapes: [tetrahedron, ring], count: 20, size: 8 mm, velocity: [0, 0, -1],\n"
    "     place: {lattice: {above: box, from: 8 cm}}}\n";
/// Two groups on one file, each with its own material: all as it was.
const std::string kAgain =
    "particles:\n"
    "  - {material: red, overlap: allow, place: {file: {path: bed.h5, of_material: red}}}\n"
    "  - {material: blue, overlap: allow, place: {file: {path: bed.vtkhdf, of_material: blue}}}\n";

class SavedGrains : public testing::Test {
 protected:
  SavedGrains() {
    std::string pattern = (fs::temp_directory_path() / "scree_saved_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    fs::create_directories(folder_ / "shapes");
    write("shapes/ring.yaml",
          "name: ring\ndescription: three balls\nparts:\n  - {centre: [0, 0, 0], radius: 0.3}\n"
          "  - {centre: [0.4, 0, 0], radius: 0.3}\n  - {centre: [0.2, 0.3, 0], radius: 0.2}\n");
    ::setenv("SCREE_SHAPES", (folder_ / "shapes").c_str(), 1);
  }
  ~SavedGrains() override {
    ::unsetenv("SCREE_SHAPES");
    fs::remove_all(folder_);
  }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  ReadCase read(const std::string& text) {
    write("case.yaml", text);
    return read_case((folder_ / "case.yaml").string());
  }
  Simulation build(const std::string& text, Case* as_read = nullptr) {
    const ReadCase r = read(text);
    for (const Diagnostic& d : r.diagnostics) ADD_FAILURE() << format(d);
    Result<Simulation> s = set_up(r.value, load_shape);
    if (!s) return ADD_FAILURE() << s.error().message, Simulation();
    if (as_read) *as_read = r.value;
    return std::move(*s);
  }
  /// Runs the case, and leaves bed.vtkhdf and bed.h5.
  Simulation prepare(const std::string& text, int steps) {
    Case c;
    Simulation s = build(text, &c);
    for (int k = 0; k < steps && !s.fault; ++k) step(s);
    EXPECT_FALSE(s.fault) << s.fault->message;
    save(s, c);
    return s;
  }
  /// The same grains in touch: settled with damping, then gone on with in an elastic case.
  Simulation settle() {
    std::string damped = kElastic;
    for (std::size_t at = 0; (at = damped.find("restitution: 1", at)) != std::string::npos; ++at)
      damped.replace(at, 14, "restitution: 0.2");
    prepare(damped + kBox + kMixed + kEnd, 60000);
    return prepare(kElastic + kBox + kAgain + kEnd, 100);
  }
  void save(const Simulation& s, const Case& c) {
    EXPECT_TRUE(write_frame(folder_ / "bed.vtkhdf", make_frame(s, true)));
    const Result<fs::path> file = write_checkpoint(folder_, s, {}, c);
    ASSERT_TRUE(file) << file.error().message;
    fs::rename(*file, folder_ / "bed.h5");
  }
  /// All mistakes, one a line, without folders.
  std::string mistakes(const std::string& group, const std::string& more = {}) {
    std::string all;
    for (const Diagnostic& d :
         read(kElastic + more + "particles:\n  - {material: red, " + group + "}\n" + kEnd).diagnostics)
      all +=
          (all.empty() ? "" : "\n") + (d.key.empty() ? fs::path(d.file).filename().string() : d.key) + ": " + d.message;
    return all;
  }
  /// Without the line that points to the file.
  std::string mistake_of(const std::string& file) {
    const std::string all = mistakes("place: {file: " + file + "}");
    const std::string head =
        "particles[0].place.file: the file cannot be used: its mistakes are listed under its name\n";
    EXPECT_TRUE(all.starts_with(head)) << all;
    return all.starts_with(head) ? all.substr(head.size()) : all;
  }
  fs::path folder_;
};

/// In the order of the ids.
void expect_same_grains(const Simulation& then, const Simulation& now) {
  const Frame a = make_frame(then, false), b = make_frame(now, false);
  ASSERT_EQ(a.id.size(), b.id.size());
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_EQ(a.orientation, b.orientation);
  EXPECT_EQ(a.size, b.size);
  for (std::size_t i = 0; i < a.id.size(); ++i) {
    EXPECT_EQ(a.shapes[a.shape[i]], b.shapes[b.shape[i]]);
    // To rounding: the state holds angular momenta.
    EXPECT_NEAR(norm(a.angular_velocity[i] - b.angular_velocity[i]), 0, 1e-14 * (1 + norm(a.angular_velocity[i])));
  }
}

TEST_F(SavedGrains, AFrameAndACheckpointGiveTheSameGrains) {
  const Simulation then = prepare(kElastic + kBox + kMixed + kEnd, 4000);
  double spin = 0;
  for (const Vec3& w : make_frame(then, false).angular_velocity) spin = oracle::larger(spin, norm(w));
  ASSERT_GT(spin, 10);
  for (const char* file : {"bed.vtkhdf", "bed.h5"}) {
    SCOPED_TRACE(file);
    Case c;
    const Simulation now = build(
        kElastic + kBox + "particles: [{material: red, overlap: allow, place: {file: " + file + "}}]\n" + kEnd, &c);
    expect_same_grains(then, now);
    EXPECT_EQ(c.particles[0].shapes, (std::vector<std::string>{"cube", "sphere", "tetrahedron", "ring"}));
    EXPECT_EQ(now.time, 0);
  }
  Case a, b;
  build(kElastic + kBox + "particles: [{material: red, overlap: allow, place: {file: bed.vtkhdf}}]\n" + kEnd, &a);
  build(kElastic + kBox + "particles: [{material: red, overlap: allow, place: {file: bed.h5}}]\n" + kEnd, &b);
  EXPECT_EQ(case_parts(a, 0)[5].hash, case_parts(b, 0)[5].hash) << "the two files give other bits";
}

TEST_F(SavedGrains, WithoutMemoryTheAccelerationsGoOn) {
  const Simulation then = settle(), now = build(kElastic + kBox + kAgain + kEnd);
  ASSERT_GT(then.contacts.size(), 6u);
  ASSERT_GT(then.wall_contacts.size(), 10u);
  expect_same_grains(then, now);
  const RowOrder a = id_order(then), b = id_order(now);
  const auto force = by_id(then.particles.force, a), again = by_id(now.particles.force, b);
  const auto torque = by_id(then.particles.torque, a), turned = by_id(now.particles.torque, b);
  EXPECT_EQ(by_id(then.particles.mass, a), by_id(now.particles.mass, b));
  EXPECT_EQ(then.contacts.size(), now.contacts.size());
  double largest = 0;
  for (const Vec3& f : force) largest = oracle::larger(largest, norm(f));
  for (std::size_t i = 0; i < force.size(); ++i) {
    EXPECT_NEAR(norm(force[i] - again[i]), 0, 1e-9 * largest) << i;
    EXPECT_NEAR(norm(torque[i] - turned[i]), 0, 1e-9 * largest * 0.01) << i;
  }
}

TEST_F(SavedGrains, AngularVelocitiesAreThoseOfTheInstant) {
  // A sphere on a rough floor, from sliding to rolling: the torque is large, half a kick shows.
  const Simulation s = prepare(
      "materials: {red: {density: 2650}}\n"
      "contacts: [{between: [red, red], law: linear, kn: 1e5, friction: 0.5, restitution: 0.5}]\n"
      "walls: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: red}}\n"
      "particles: [{material: red, shapes: sphere, size: 1 cm, velocity: [1, 0, 0], place: {at: [[0, 0, 5 mm]]}}]\n" +
          kEnd,
      300);
  const Particles& p = s.particles;
  const Vec3 w = integrate::angular_velocity(p.orientation[0], p.angular_momentum[0], p.inertia[0]);
  ASSERT_GT(norm(w - p.angular_velocity[0]), 1e-6 * norm(w));
  EXPECT_EQ(read_frame(folder_ / "bed.vtkhdf")->angular_velocity[0], w);
  for (const char* file : {"bed.vtkhdf", "bed.h5"}) {
    const ReadCase r =
        read(kElastic + "particles: [{material: red, place: {file: " + std::string(file) + "}}]\n" + kEnd);
    EXPECT_EQ(std::get<Case::AtPoints>(r.value.particles[0].place).angular_velocity[0], w);
  }
}

TEST_F(SavedGrains, TwoDimensionsAndPeriodsAreKept) {
  const std::string flat = "dimensions: 2\nthickness: 1 cm\nperiodic: {x: [0, 10 cm]}\n" + kElastic +
                           "walls: {floor: {plane: {point: [0, 0, 0], normal: [0, 1, 0]}, material: wall}}\n";
  // A place that the run has not put back yet is put back in both: all run to the right, so that soon one is beyond.
  // So thin that a contact is shallow at any speed that they reach.
  Case c;
  Simulation then =
      build(flat +
                "particles: [{material: red, shapes: [disc, square], count: 60, size: 8 mm, velocity: [2, "
                "-1, 0], place: {lattice: {inside: {min: [0, 0, 0], max: [10 cm, 20 cm, 0]}}}}]\n" +
                kEnd,
            &c);
  const auto is_beyond = [&] {
    const auto& x = then.particles.position;
    return std::any_of(x.begin(), x.end(), [](const Vec3& place) { return place.x > 0.1; });
  };
  for (int k = 0; k < 10000 && !then.fault && (k < 3000 || !is_beyond()); ++k) step(then);
  ASSERT_FALSE(then.fault) << then.fault->message;
  ASSERT_TRUE(is_beyond()) << then.step;
  save(then, c);
  const auto points = [&](const std::string& file) {
    const ReadCase r = read(flat + "particles: [{material: red, place: {file: " + file + "}}]\n" + kEnd);
    return std::get<Case::AtPoints>(r.value.particles.at(0).place).points;
  };
  EXPECT_EQ(points("bed.vtkhdf"), points("bed.h5"));
  for (const char* file : {"bed.vtkhdf", "bed.h5"}) {
    SCOPED_TRACE(file);
    expect_same_grains(
        then, build(flat + "particles: [{material: red, overlap: allow, place: {file: " + file + "}}]\n" + kEnd));
    const std::string in_three = mistakes(std::string("place: {file: ") + file + "}");
    EXPECT_EQ(in_three.substr(0, 67), "particles[0].place.file: the shape disc is for two dimensions; add ");
  }
}

TEST_F(SavedGrains, ColumnsChooseWhatIsTaken) {
  const Simulation then = prepare(kElastic + kBox + kMixed + kEnd, 100);
  const auto of = [&](const std::string& group) {
    const ReadCase r = read(kElastic + "particles:\n  - {material: red, " + group + "}\n" + kEnd);
    for (const Diagnostic& d : r.diagnostics) ADD_FAILURE() << format(d);
    return r.value.particles.at(0);
  };
  const Case::Group rest =
      of("velocity: [1, 2, 3], place: {file: {path: bed.vtkhdf, columns: [x, y, z, size, shape, qw, qx, qy, qz]}}");
  const auto& at = std::get<Case::AtPoints>(rest.place);
  EXPECT_TRUE(at.velocity.empty() && at.angular_velocity.empty());
  EXPECT_EQ(at.orientation.size(), 60u);
  EXPECT_EQ(rest.velocity, (Vec3{1, 2, 3}));
  const Case::Group down = of("shapes: sphere, place: {file: {path: bed.h5, columns: [X, y, z, d, vz]}}");
  const auto& falling = std::get<Case::AtPoints>(down.place);
  EXPECT_EQ(falling.velocity[0], (Vec3{0, 0, make_frame(then, false).velocity[0].z}));
  EXPECT_TRUE(falling.shape.empty());
  EXPECT_EQ(of("shapes: cube, size: 3 mm, place: {file: {path: bed.h5, columns: [x, y, z]}}").size.a, 3e-3);
  const Case::Group sizes = of("shapes: cube, count: 1, size: {file: bed.h5}, place: {at: [[0, 0, 0]]}");
  EXPECT_EQ(sizes.size.size, make_frame(then, false).size);

  const std::string path = "particles[0].place.file: ";
  EXPECT_EQ(mistakes("size: 1 mm, place: {file: bed.h5}"),
            path +
                "it has the sizes of the grains; leave `size` of the group out, or leave that column out (`columns` "
                "names those that are taken)");
  EXPECT_EQ(mistakes("velocity: [0, 0, 0], place: {file: bed.h5}"),
            path +
                "it has the velocity of each grain; leave `velocity` of the group out, or leave that column out "
                "(`columns` names those that are taken)");
  EXPECT_EQ(mistakes("shapes: [cube, sphere], place: {file: bed.h5}"),
            path + "it has grains of the shape tetrahedron, which is none of the group's `shapes`");
  EXPECT_EQ(mistakes("place: {file: {path: bed.h5, columns: [x, y, z, size]}}"),
            path + "it does not say which shapes its grains have; give the group its `shapes`");
  EXPECT_EQ(mistakes("place: {file: {path: bed.h5, unit: mm}}"),
            path.substr(0, path.size() - 2) +
                ".unit: is for text tables; the file is a run's output, whose columns are known");
  const auto of_file = [&](const std::string& keys) {
    const std::string all = mistakes("place: {file: {path: bed.h5, " + keys + "}}");
    return all.substr(all.find('\n') + 1);
  };
  EXPECT_EQ(of_file("columns: [x, y, z, sise]"), "bed.h5: no column is called sise; did you mean size?");
  EXPECT_EQ(of_file("columns: [x, y, z, qw]"), "bed.h5: an orientation needs all of qw qx qy qz");
  EXPECT_EQ(of_file("columns: [x, x]"), "bed.h5: the column x is there twice");
  EXPECT_EQ(of_file("columns: [x, y, '-']"),
            "bed.h5: `columns` names what is taken of it; there is nothing to pass over with -");
  EXPECT_EQ(of_file("of_material: blu"),
            "bed.h5: it has no material blu; did you mean blue?; there is red, blue, wall");
  EXPECT_EQ(of_file("of_material: wall"), "bed.h5: there are no grains in it of this material");
}

TEST_F(SavedGrains, TextTablesCanNameTheShapesToo) {
  write("mix.csv", "shape,x,y,z,size\ncube,0,0,0,1\nsphere,3,0,0,1\ncube,6,0,0,1\n");
  const ReadCase r = read(kElastic + "particles: [{material: red, place: {file: mix.csv}}]\n" + kEnd);
  EXPECT_TRUE(r.diagnostics.empty()) << format(r.diagnostics[0]);
  EXPECT_EQ(r.value.particles[0].shapes, (std::vector<std::string>{"cube", "sphere"}));
  EXPECT_EQ(std::get<Case::AtPoints>(r.value.particles[0].place).shape, (std::vector<std::uint32_t>{0, 1, 0}));
  write("bad.csv", "shape,x,y,z,size\ncubes,0,0,0,1\n");
  EXPECT_EQ(mistakes("place: {file: bad.csv}"), "particles[0].place.file: no shape cubes; did you mean cube?");
  write("bare.csv", "x,y,z,size\n0,0,0,1\n");
  EXPECT_EQ(mistakes("place: {file: bare.csv}"),
            "particles[0].place.file: it does not say which shapes its grains have; give the group its `shapes`");
  EXPECT_EQ(mistakes("place: {file: {path: mix.csv, of_material: red}}").substr(89),
            "mix.csv: a text table does not say which material its grains are of");
  EXPECT_EQ(mistakes("place: {at: [[0, 0, 0]]}, size: 1"), "particles[0]: missing; expected one of shapes, cluster");
}

TEST_F(SavedGrains, OtherFilesAreRefused) {
  const Simulation s = prepare(kElastic + kBox + kMixed + kEnd, 10);
  const std::string readable =
      "; what can be read is a frame of a run (frames/*.vtkhdf), a checkpoint (checkpoint/*.h5) or a text table";
  const std::string damaged =
      "the file is damaged, cut short, or no file that scree wrote (its checksum does not fit)" + readable;
  const auto bytes = read_file(folder_ / "bed.vtkhdf");
  const std::string whole(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  for (const std::size_t length : {std::size_t{8}, std::size_t{100}, whole.size() / 2, whole.size() - 1}) {
    write("cut.vtkhdf", whole.substr(0, length));
    EXPECT_EQ(mistake_of("cut.vtkhdf"), "cut.vtkhdf: " + damaged) << length;
  }
  std::string flipped = whole;
  flipped[whole.size() / 3] = static_cast<char>(flipped[whole.size() / 3] ^ 1);
  write("flipped.vtkhdf", flipped);
  EXPECT_EQ(mistake_of("flipped.vtkhdf"), "flipped.vtkhdf: " + damaged);
  const std::string no_hdf = "this is no file of HDF5 and no text table" + readable;
  write("text.vtkhdf", "0 0 0 1\n"), write("text.h5", "0 0 0 1\n"), write("empty.h5", ""), write("cut.h5", "\x89HDF");
  write("a.vtu", "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\">\n"),
      write("b.vtk", "# vtk DataFile Version 3.0\n");
  for (const char* name : {"text.vtkhdf", "text.h5", "empty.h5", "cut.h5", "a.vtu", "b.vtk"})
    EXPECT_EQ(mistake_of(name), std::string(name) + ": " + no_hdf);
  EXPECT_TRUE(mistake_of("gone.vtkhdf").ends_with("gone.vtkhdf: no such file or directory"))
      << mistake_of("gone.vtkhdf");
  fs::create_directories(folder_ / "out.h5");
  EXPECT_TRUE(mistake_of("out.h5").ends_with("out.h5: it is a folder"));
  // Of scree, but without grains; of another version; of a version that did not name the shapes.
  ASSERT_TRUE(write_contacts(folder_ / "contacts.vtkhdf", make_frame(s, true)));
  EXPECT_EQ(mistake_of("contacts.vtkhdf"), "contacts.vtkhdf: the file is neither a frame nor a checkpoint" + readable);
  const auto sealed = [&](const std::string& name, const char* what, std::uint32_t version) {
    hdf5::Writer w;
    w.attribute("/", what, version);
    ASSERT_TRUE(write_file(folder_ / name, *w.finish()));
  };
  sealed("new.h5", "scree_checkpoint", 77), sealed("old.h5", "scree_checkpoint", kCheckpointVersion),
      sealed("new.vtkhdf", "scree_frame", 9);
  EXPECT_EQ(mistake_of("new.h5"), "new.h5: the file is a checkpoint of version 77, which this program, of version " +
                                      std::to_string(kCheckpointVersion) +
                                      ", cannot read; go on with the program that wrote it, or start anew");
  EXPECT_EQ(mistake_of("new.vtkhdf"), "new.vtkhdf: the file is no frame that this version of scree can read");
  EXPECT_EQ(
      mistake_of("old.h5"),
      "old.h5: the file is of an earlier version of scree, whose checkpoints do not name the shapes; take a frame "
      "of that run");
}

TEST_F(SavedGrains, ValuesThatNoGrainHasAreRefused) {
  const Simulation s = prepare(kElastic + kBox + kMixed + kEnd, 10);
  const Frame good = make_frame(s, false);
  const auto of = [&](auto&& spoil) {
    Frame f = good;
    spoil(f);
    EXPECT_TRUE(write_frame(folder_ / "bad.vtkhdf", f));
    return mistake_of("bad.vtkhdf");
  };
  EXPECT_EQ(of([](Frame& f) { f.position[3].x = NAN; }), "bad.vtkhdf: a position is no finite number (grain 3)");
  EXPECT_EQ(of([](Frame& f) { f.velocity[4].y = INFINITY; }), "bad.vtkhdf: a velocity is no finite number (grain 4)");
  EXPECT_EQ(of([](Frame& f) { f.angular_velocity[4].y = NAN; }),
            "bad.vtkhdf: a velocity is no finite number (grain 4)");
  EXPECT_EQ(of([](Frame& f) { f.size[0] = 0; }), "bad.vtkhdf: a size is not above 0 (grain 0)");
  EXPECT_EQ(of([](Frame& f) { f.orientation[0] = {}, f.orientation[0].w = 2; }),
            "bad.vtkhdf: an orientation is no unit quaternion (grain 0)");
  EXPECT_EQ(of([](Frame& f) { f = part_of(f, std::vector<char>(f.id.size(), 0)); }),
            "bad.vtkhdf: there are no grains in it");
  EXPECT_EQ(of([](Frame& f) { f.shapes[0].name = "cubic"; }).substr(0, 84),
            "bad.vtkhdf: it has grains of the shape cubic, which cannot be had from the library: ");
  EXPECT_EQ(of([](Frame& f) { f.shapes[0].name = "../cube"; }), "bad.vtkhdf: it names a shape ../cube");
}

TEST_F(SavedGrains, TheShapesHaveToBeThoseOfTheLibrary) {
  const Simulation s = prepare(kElastic + kBox + kMixed + kEnd, 10);
  const std::string what =
      "bed.h5: its shape {} is not the one that the library has now ({}); give the library the earlier one, or a case "
      "other shapes by leaving `shape` out of `columns`";
  const auto text = [&](const std::string& shape, const std::string& why) {
    std::string t = what;
    t.replace(t.find("{}"), 2, shape);
    return t.replace(t.find("{}"), 2, why);
  };
  write("shapes/ring.yaml",
        "name: ring\nparts:\n  - {centre: [0, 0, 0], radius: 0.3}\n  - {centre: [0.4, 0, 0], radius: 0.3}\n");
  EXPECT_EQ(mistake_of("bed.h5"), text("ring", "corners or parts differ in number"));
  // Rounding is no other shape; a thousandth is.
  Frame f = make_frame(s, false);
  f = part_of(f, [&] {
    std::vector<char> keep;
    for (const std::uint32_t shape : f.shape) keep.push_back(f.shapes[shape].name == "cube" ? 1 : 0);
    return keep;
  }());
  f.shapes[0].vertices[2].x *= 1 + 1e-13;
  ASSERT_TRUE(write_frame(folder_ / "bed.h5", f));
  EXPECT_EQ(mistakes("place: {file: bed.h5}"), "");
  f.shapes[0].vertices[2].x *= 1 + 1e-3;
  ASSERT_TRUE(write_frame(folder_ / "bed.h5", f));
  EXPECT_EQ(mistake_of("bed.h5"), text("cube", "corners lie 0.00058 of its radius apart"));
  EXPECT_EQ(mistakes("shapes: cube, place: {file: {path: bed.h5, columns: [x, y, z, size]}}"), "");
}

TEST_F(SavedGrains, BondsAreNotTakenOver) {
  const std::string lump =
      "bonds: {glue: {modulus: 1e7, poisson: 0.25, normal_strength: 1e9, shear_strength: 1e9}}\n"
      "clusters: {lump: {cube: {sphere_radius: 3 mm}, bonds: glue}}\n";
  const Simulation s =
      prepare(kElastic + lump +
                  "particles:\n  - {cluster: lump, count: 1, material: red, place: {at: [[0, 0, 0]]}}\n"
                  "  - {shapes: sphere, size: 1 cm, material: blue, place: {at: [[1, 0, 0]]}}\n" +
                  kEnd,
              5);
  ASSERT_GT(s.bonds.size(), 5u);
  for (const std::string file : {"bed.vtkhdf", "bed.h5"}) {
    EXPECT_EQ(mistake_of(file), file + ": " + std::to_string(s.bonds.size()) +
                                    " bonds hold its grains together, and a case cannot take bonds over; the same run "
                                    "goes on with --resume");
    EXPECT_EQ(mistakes("place: {file: {path: " + file + ", of_material: blue}}"), "");
    EXPECT_EQ(mistakes("cluster: lump, place: {file: {path: " + file + ", of_material: blue}}", lump),
              "particles[0].place.file: a run's output has grains, not the centres of clusters; place `shapes`, or "
              "clusters by a text table");
  }
}

}  // namespace
}  // namespace scree::io
