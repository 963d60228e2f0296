// LIBS: scree_io
// `scree export` and `scree render`: the texts hold the frame to the last bit, the pictures are of the frames that were
// asked for; what is in the way, damaged or out of range is told.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "io/grains/grain_file.h"
#include "io/results/frame.h"
#include "io/text/units.h"
#include "text_of.h"

namespace {

namespace fs = std::filesystem;
using namespace scree;

constexpr const char* kCase = R"(
periodic: {x: [-8 cm, 8 cm]}
materials: {stone: {density: 2650 kg/m^3}, steel: {density: 7800 kg/m^3}}
contacts: [{between: [any, any], law: linear, kn: 20 kN/m, friction: 0.5, restitution: 0.5}]
walls: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: steel}}
particles:
  - {count: 16, shapes: [cube, sphere, grain14, dumbbell], size: {uniform: [2 cm, 3 cm]}, material: stone, angular_velocity: [1, 2, 3],
     place: {random: {inside: {box: {min: [-8 cm, -8 cm, 0], max: [8 cm, 8 cm, 16 cm]}}}}}
  - {count: 1, shapes: sphere, size: 2 cm, material: steel, place: {at: [[7.9 cm, 0, 1 cm]]}, overlap: allow}
stages: [{duration: 50 ms}]
output: {every: 10 ms}
)";

/// One run for all tests, which leave its folder as it was.
class Export : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::string pattern = (fs::temp_directory_path() / "scree_export_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    std::ofstream(folder_ / "case.yaml") << kCase;
    ASSERT_EQ(run("run case.yaml --out results --no-report --quiet"), 0) << err_;
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }

  static int run(const std::string& arguments, const std::string& before = "") {
    const std::string line =
        "cd '" + folder_.string() + "' && " + before + " '" SCREE_BINARY "' " + arguments + " >stdout 2>stderr";
    const int status = std::system(line.c_str());
    out_ = text_of(folder_ / "stdout"), err_ = text_of(folder_ / "stderr");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  static io::Frame frame(int k) {
    const auto f = io::read_frame(io::numbered(folder_ / "results" / "frames", "frame", static_cast<std::uint64_t>(k)));
    EXPECT_TRUE(f);
    return f ? *f : io::Frame{};
  }
  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }
  static std::vector<std::string> words_of(const std::string& line) {
    std::vector<std::string> words;
    std::istringstream in(line);
    for (std::string w; in >> w;) words.push_back(w);
    return words;
  }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
  /// Words k, k + 1, k + 2 as a vector.
  static Vec3 vec(const std::vector<std::string>& w, std::size_t k) {
    return {std::stod(w[k]), std::stod(w[k + 1]), std::stod(w[k + 2])};
  }

  static inline fs::path folder_;
  static inline std::string out_, err_;
};

TEST_F(Export, XyzHoldsEveryGrainToTheLastBitAndThePeriodicCell) {
  ASSERT_EQ(run("export results --format xyz --at '30 ms' -o one.xyz"), 0) << err_;
  EXPECT_EQ(out_, "one.xyz\n");
  EXPECT_EQ(err_, "");
  const io::Frame f = frame(3);
  const auto lines = lines_of(text_of(folder_ / "one.xyz"));
  ASSERT_EQ(lines.size(), f.id.size() + 2);
  EXPECT_EQ(lines[0], std::to_string(f.id.size()));
  EXPECT_TRUE(has(lines[1], "Lattice=\"0.16 0 0 0 ")) << lines[1];
  EXPECT_TRUE(has(lines[1], "Origin=\"-0.08 ")) << lines[1];
  EXPECT_TRUE(has(lines[1], "pbc=\"T F F\"")) << lines[1];
  EXPECT_TRUE(has(lines[1],
                  "Properties=species:S:1:id:I:1:pos:R:3:radius:R:1:mass:R:1:velo:R:3:angular_velocity:R:3:"
                  "orientation:R:4:shape:I:1:size:R:1 "));
  for (std::size_t i = 0; i < f.id.size(); ++i) {
    const auto w = words_of(lines[i + 2]);
    ASSERT_EQ(w.size(), 19u);
    EXPECT_EQ(w[0], f.material[i] == 1 ? "steel" : "stone");
    EXPECT_EQ(w[1], std::to_string(f.id[i]));
    EXPECT_EQ(vec(w, 2), f.position[i]);
    EXPECT_EQ(std::stod(w[6]), f.mass[i]);
    EXPECT_EQ(vec(w, 7), f.velocity[i]);
    EXPECT_EQ(vec(w, 10), f.angular_velocity[i]);
    const Quat q{std::stod(w[16]), std::stod(w[13]), std::stod(w[14]), std::stod(w[15])};  // OVITO has w last
    EXPECT_EQ(q, f.orientation[i]);
    // Around a sphere, half its size; around a cube, half its diagonal.
    const std::string& shape = f.shapes[f.shape[i]].name;
    const double around = shape == "sphere" ? 0.5 : shape == "cube" ? std::sqrt(0.75) : std::stod(w[5]) / f.size[i];
    EXPECT_NEAR(std::stod(w[5]) / f.size[i], around, 1e-12) << shape;
  }
}

TEST_F(Export, LammpsDumpHoldsEveryGrainToTheLastBitInItsBox) {
  ASSERT_EQ(run("export results --format lammps -o dump --force"), 0) << err_;
  EXPECT_EQ(out_, "dump/frame_000005.dump\n");
  EXPECT_TRUE(has(err_, "the last of 6 frames; --all, --every N and --at TIME choose others")) << err_;
  const io::Frame f = frame(5);
  const auto lines = lines_of(text_of(folder_ / "dump/frame_000005.dump"));
  const std::size_t head = 13;
  ASSERT_EQ(lines.size(), f.id.size() + head);
  EXPECT_EQ(lines[0], "ITEM: UNITS");
  EXPECT_EQ(std::stod(lines[3]), f.time);
  EXPECT_EQ(lines[5], std::to_string(f.step));
  EXPECT_EQ(lines[7], std::to_string(f.id.size()));
  EXPECT_EQ(lines[8], "ITEM: BOX BOUNDS pp ff ff");
  EXPECT_EQ(lines[9], "-0.08 0.08");
  EXPECT_EQ(lines[12],
            "ITEM: ATOMS id type x y z vx vy vz omegax omegay omegaz radius mass quatw quati quatj quatk shape size");
  const auto y = words_of(lines[10]);
  for (std::size_t i = 0; i < f.id.size(); ++i) {
    const auto w = words_of(lines[head + i]);
    ASSERT_EQ(w.size(), 19u);
    EXPECT_EQ(w[0], std::to_string(f.id[i] + 1));
    EXPECT_EQ(w[1], std::to_string(f.material[i] + 1));
    EXPECT_EQ(vec(w, 2), f.position[i]);
    EXPECT_EQ(vec(w, 5), f.velocity[i]);
    EXPECT_EQ(vec(w, 8), f.angular_velocity[i]);
    const Quat q{std::stod(w[13]), std::stod(w[14]), std::stod(w[15]), std::stod(w[16])};
    EXPECT_EQ(q, f.orientation[i]);
    EXPECT_GE(std::stod(w[3]), std::stod(y[0]));
    EXPECT_LE(std::stod(w[3]), std::stod(y[1]));
  }
}

/// The table is one that a case can begin with, too.
TEST_F(Export, CsvHoldsEveryGrainToTheLastBitAndPlacesGrains) {
  ASSERT_EQ(run("export results/frames/frame_000002.vtkhdf --format csv -o bed.csv"), 0) << err_;
  const io::Frame f = frame(2);
  const Result<io::Units> units = io::Units::load();
  ASSERT_TRUE(units);
  io::GrainFileAs as;
  as.columns = {"-",  "shape", "-",  "size", "-",  "x",  "y",  "z",  "vx",
                "vy", "vz",    "wx", "wy",   "wz", "qw", "qx", "qy", "qz"};
  const io::ReadGrains read = io::read_grains(folder_ / "bed.csv", as, *units);
  ASSERT_TRUE(read.diagnostics.empty()) << format(read.diagnostics.front());
  EXPECT_EQ(read.value.position, f.position);
  EXPECT_EQ(read.value.velocity, f.velocity);
  EXPECT_EQ(read.value.angular_velocity, f.angular_velocity);
  EXPECT_EQ(read.value.size, f.size);
  for (std::size_t i = 0; i < f.id.size(); ++i) EXPECT_EQ(read.value.shape[i], f.shapes[f.shape[i]].name);
  const auto lines = lines_of(text_of(folder_ / "bed.csv"));
  ASSERT_EQ(lines.size(), f.id.size() + 1);
  EXPECT_TRUE(lines[0].starts_with("id,shape,material,size [m],mass [kg],x [m],")) << lines[0];
  EXPECT_TRUE(has(lines.back(), ",sphere,steel,0.02,")) << lines.back();
}

TEST_F(Export, FramesAreChosenByNumberAndByTime) {
  const auto names = [&] {
    std::set<std::string> all;
    for (const auto& file : fs::directory_iterator(folder_ / "chosen")) all.insert(file.path().filename().string());
    fs::remove_all(folder_ / "chosen");
    return all;
  };
  ASSERT_EQ(run("export results --format csv --every 2 -o chosen"), 0) << err_;
  EXPECT_EQ(out_, "chosen\n");
  EXPECT_EQ(names(), (std::set<std::string>{"frame_000000.csv", "frame_000002.csv", "frame_000004.csv"}));
  ASSERT_EQ(run("export results --format xyz --all -o chosen"), 0) << err_;
  EXPECT_EQ(names().size(), 6u);
  ASSERT_EQ(run("export results --format vtu --every 3 -o chosen"), 0) << err_;
  EXPECT_EQ(out_, "chosen/frames.pvd\n");
  EXPECT_EQ(names(), (std::set<std::string>{"frame_000000.vtu", "frame_000000_contacts.vtu", "frame_000003.vtu",
                                            "frame_000003_contacts.vtu", "frames.pvd", "contacts.pvd"}));
  ASSERT_EQ(run("export results --format csv --at '0.0141 s' -o chosen"), 0) << err_;
  EXPECT_EQ(names(), (std::set<std::string>{"frame_000001.csv"}));
  // Without the list of times the frames themselves say.
  fs::rename(folder_ / "results/frames.hdf.series", folder_ / "results/aside");
  EXPECT_EQ(run("export results --format csv --at '0.0141 s' -o chosen"), 0) << err_;
  fs::rename(folder_ / "results/aside", folder_ / "results/frames.hdf.series");
  EXPECT_EQ(names(), (std::set<std::string>{"frame_000001.csv"}));
}

TEST_F(Export, BadInputIsToldAndWritesNothing) {
  const auto refused = [&](const std::string& arguments, const std::string& said) {
    EXPECT_EQ(run("export " + arguments), 2) << arguments;
    EXPECT_TRUE(has(err_, said)) << err_;
    EXPECT_EQ(out_, "");
  };
  refused("results --format vtk", "--format: expected vtu, xyz, lammps or csv, got vtk; did you mean vtu?");
  refused("results", "--format is required");
  refused("absent --format csv", "there is no results folder absent");
  refused("absent.vtkhdf --format csv", "there is no frame absent.vtkhdf");
  fs::create_directories(folder_ / "empty/frames");
  refused("empty --format csv", "empty holds no frames");
  refused("results --format csv --at '1 s'", "--at: 1 s lies outside of the frames' times, 0 s to 50 ms");
  refused("results --format csv --at '-1 s'", "lies outside");
  refused("results --format csv --at '3 kg'", "--at: expected a time, got 3 kg (mass)");
  refused("results --format csv --at ''", "--at: expected a time, got nothing");
  refused("results --format csv --at nan", "--at: ");
  refused("results --format csv --every 0", "--every: expected at least 1, got 0");
  refused("results --format csv --every -1", "--every: expected at least 1, got -1");
  refused("results --format csv --every 2.5", "--every");
  refused("results --format csv --every 2 --all", "--all");
  refused("results --format csv --all -o all.csv", "all.csv is one file, and there are 6 frames to write");
  refused("results --format csv --every 2 -o all.CSV", "all.CSV is one file, and there are 3 frames to write");
  refused("results --format csv -o ''", "--out: expected a folder or a file");
  refused("results --format csv -o bed.txt",
          "--out: bed.txt ends in .txt; name a file that ends in .csv, or a folder, as bed.txt/");
  EXPECT_FALSE(fs::exists(folder_ / "bed.txt"));
  EXPECT_FALSE(fs::exists(folder_ / "results/export"));
}

TEST_F(Export, NothingIsOverwrittenUnlessForced) {
  fs::create_directories(folder_ / "there");
  std::ofstream(folder_ / "there/frame_000004.xyz") << "mine";
  EXPECT_EQ(run("export results --format xyz --all -o there"), 2);
  EXPECT_TRUE(has(err_, "there/frame_000004.xyz is there already; --force replaces it")) << err_;
  EXPECT_EQ(text_of(folder_ / "there/frame_000004.xyz"), "mine");
  EXPECT_FALSE(fs::exists(folder_ / "there/frame_000000.xyz"));
  EXPECT_EQ(run("export results --format xyz --all -o there --force"), 0) << err_;
  EXPECT_TRUE(text_of(folder_ / "there/frame_000004.xyz").starts_with("17\n"));
}

TEST_F(Export, PicturesAreOfTheFramesThatWereAskedFor) {
  ASSERT_EQ(run("render results --all --size 90x60 -o pictures"), 0) << err_;
  EXPECT_TRUE(out_.starts_with("pictures\n6 pictures. A film of them: ffmpeg ")) << out_;
  ASSERT_EQ(run("render results --at '30 ms' --size 90x60 -o one.png"), 0) << err_;
  EXPECT_EQ(out_, "one.png\n");
  ASSERT_EQ(run("render results/frames/frame_000003.vtkhdf --size 90x60 -o same.png"), 0) << err_;
  EXPECT_EQ(text_of(folder_ / "one.png"), text_of(folder_ / "same.png"));
  std::set<std::string> all;
  for (int k = 0; k < 6; ++k) {
    const std::string png = text_of(folder_ / "pictures" / ("frame_00000" + std::to_string(k) + ".png"));
    EXPECT_EQ(png.substr(16, 8), std::string("\0\0\0\x5a\0\0\0\x3c", 8));
    all.insert(png);
  }
  EXPECT_EQ(all.size(), 6u) << "the grains move";
  for (const char* other : {"--from 1,0,0", "--colour shape", "--colour size", "--colour material"}) {
    ASSERT_EQ(run(std::string("render results --at '30 ms' --size 90x60 -o other.png --force ") + other), 0) << err_;
    EXPECT_NE(text_of(folder_ / "other.png"), text_of(folder_ / "one.png")) << other;
  }
}

TEST_F(Export, AFileIsToldFromAFolderByItsEndingInAnyCase) {
  ASSERT_EQ(run("render results --size 90x60 -o last.PNG"), 0) << err_;
  EXPECT_TRUE(fs::is_regular_file(folder_ / "last.PNG"));
  ASSERT_EQ(run("render results --size 90x60 -o v1.0/"), 0) << err_;
  EXPECT_EQ(text_of(folder_ / "v1.0/frame_000005.png"), text_of(folder_ / "last.PNG"));
  ASSERT_EQ(run("render results --size 90x60 --at 0 -o v1.0"), 0) << err_;
  EXPECT_TRUE(fs::exists(folder_ / "v1.0/frame_000000.png"));
  ASSERT_EQ(run("render results --size 90x60 --every 5 -o v1.1"), 0) << err_;
  EXPECT_TRUE(fs::exists(folder_ / "v1.1/frame_000005.png"));
}

TEST_F(Export, TheLineForAFilmStandsForWhatWasWritten) {
  const std::string film = "A film of them: ffmpeg -framerate 25 -pattern_type glob -i ";
  ASSERT_EQ(run("render results --every 5 --size 90x60 -o film"), 0) << err_;
  EXPECT_EQ(out_, "film\n2 pictures. " + film + "'film/*.png' -pix_fmt yuv420p film.mp4\n");
  for (const char* odd : {"91x60", "90x61", "91x61"}) {
    ASSERT_EQ(run(std::string("render results --every 5 --force -o film --size ") + odd), 0) << err_;
    EXPECT_TRUE(has(out_, film + "'film/*.png' -vf 'pad=ceil(iw/2)*2:ceil(ih/2)*2' -pix_fmt yuv420p film.mp4\n"))
        << out_;
  }
  ASSERT_EQ(run("render results --every 5 --size 90x60 -o \"it's [1]\""), 0) << err_;
  EXPECT_TRUE(has(out_, film + "'it'\\''s \\[1\\]/*.png' -pix_fmt")) << out_;
  for (const char* other : {"film/a.jpg", "film/.hidden.png"}) std::ofstream(folder_ / other) << "x";
  ASSERT_EQ(run("render results --every 5 --size 90x60 -o film --force"), 0) << err_;
  EXPECT_TRUE(has(out_, film)) << "neither is of the pattern: " << out_;
  ASSERT_EQ(run("render results --every 4 --size 90x60 -o film --force"), 0) << err_;
  EXPECT_TRUE(has(out_, "2 pictures. A film of them, and of 1 more that is in that folder: ffmpeg ")) << out_;
  std::ofstream(folder_ / "film/a.png") << "x";
  ASSERT_EQ(run("render results --every 4 --size 90x60 -o film --force"), 0) << err_;
  EXPECT_TRUE(has(out_, "2 pictures. A film of them, and of 2 more that are in that folder: ffmpeg ")) << out_;
}

/// A folder with an ffmpeg that does `what`, as the PATH of a command.
std::string path_with(const fs::path& folder, const std::string& what) {
  fs::create_directories(folder);
  if (!what.empty()) {
    std::ofstream(folder / "ffmpeg") << "#!/bin/sh\n" << what << "\n";
    fs::permissions(folder / "ffmpeg", fs::perms::owner_all);
  }
  return "PATH='" + folder.string() + "'";
}

TEST_F(Export, AFilmIsMadeByFfmpegOfAllPictures) {
  const std::string path = path_with(
      folder_ / "records", "for word; do echo \"$word\" >> said; last=$word; done; echo film > \"$last\"; exit 0");
  ASSERT_EQ(run("render results --film --size 90x61 -o \"it's: [1].mp4\"", path), 0) << err_;
  EXPECT_EQ(out_, "it's: [1].mp4\n6 pictures, in it's: [1]\n");
  EXPECT_EQ(text_of(folder_ / "it's: [1].mp4"), "film\n");
  const std::string here = fs::canonical(folder_).string();
  EXPECT_EQ(lines_of(text_of(folder_ / "said")),
            (std::vector<std::string>{"-nostdin", "-hide_banner", "-loglevel", "error", "-y", "-framerate", "25",
                                      "-pattern_type", "glob", "-i", here + "/it's: \\[1\\]/*.png", "-vf",
                                      "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p",
                                      here + "/.it's: [1].part.mp4"}));
  EXPECT_EQ(run("render results --film --size 90x60 -o \"it's: [1].mp4\"", path), 2);
  EXPECT_TRUE(has(err_, "it's: [1]/frame_000000.png is there already; --force replaces it")) << err_;
  ASSERT_EQ(run("render results --film --every 2 --size 90x60", path), 0) << err_;
  EXPECT_EQ(out_, "results/film.mp4\n3 pictures, in results/film\n");
  EXPECT_EQ(run("render results --film --every 5 --size 90x60 --force", path), 2);
  EXPECT_TRUE(has(err_, "results/film holds 2 pictures that would be in the film too; remove them, or give")) << err_;
  fs::remove_all(folder_ / "results/film");
  EXPECT_EQ(run("render results --film --every 2 --size 90x60", path), 2);
  EXPECT_TRUE(has(err_, "results/film.mp4 is there already")) << err_;
  EXPECT_FALSE(fs::exists(folder_ / "results/film"));
  fs::remove(folder_ / "results/film.mp4");
}

TEST_F(Export, AFilmThatIsNotMadeIsToldAndItsPicturesStay) {
  const std::string line =
      "ffmpeg -framerate 25 -pattern_type glob -i 'made by hand/*.png' -pix_fmt yuv420p 'made by hand.mp4'\n";
  const auto not_made = [&](const std::string& path, const std::string& why) {
    EXPECT_EQ(run("render results --film --every 5 --force --size 90x60 -o 'made by hand.mp4'", path), 1);
    EXPECT_EQ(out_, "");
    EXPECT_EQ(err_, why + ". The 2 pictures for it are in made by hand; by hand it is made by\n  " + line);
    EXPECT_TRUE(fs::exists(folder_ / "made by hand/frame_000005.png"));
    EXPECT_FALSE(fs::exists(folder_ / "made by hand.mp4"));
    EXPECT_FALSE(fs::exists(folder_ / ".made by hand.part.mp4"));
  };
  not_made(path_with(folder_ / "none", ""), "scree render: no film: ffmpeg is not installed (Debian's package ffmpeg)");
  not_made(
      path_with(folder_ / "fails", "for last; do :; done; echo half > \"$last\"; echo Unknown encoder >&2; exit 8"),
      "Unknown encoder\nscree render: no film: ffmpeg failed, with exit code 8");
  not_made(path_with(folder_ / "killed", "kill -9 $$"), "scree render: no film: ffmpeg failed, with exit code 137");
  not_made(path_with(folder_ / "idle", "exit 0"), "scree render: no film: ffmpeg wrote no film");
  const std::string no_program = path_with(folder_ / "no_program", "exit 0");
  fs::permissions(folder_ / "no_program/ffmpeg", fs::perms::owner_read);
  not_made(no_program, "scree render: no film: ffmpeg cannot be started: permission denied");
}

TEST_F(Export, WhatNoFilmCanBeMadeOfIsToldAtOnce) {
  const auto refused = [&](const std::string& arguments, const std::string& said) {
    EXPECT_EQ(run("render " + arguments), 2) << arguments;
    EXPECT_TRUE(has(err_, said)) << err_;
  };
  refused("results --film --at '30 ms'", "--at excludes --film");
  refused("results/frames/frame_000003.vtkhdf --film",
          "--film: expected a results folder, got the frame results/frames");
  for (const char* out : {"film.webm", "films/", "''", ".mp4"})
    refused(std::string("results --film -o ") + out, "--out: expected a film's file, which ends in .mp4, got ");
  EXPECT_FALSE(fs::exists(folder_ / "results/film"));
}

TEST_F(Export, AFilmHasEveryFrameAndTheSizeThatWasAskedFor) {
  if (std::system("command -v ffmpeg ffprobe >/dev/null") != 0)
    GTEST_SKIP() << "NO FILM WAS MADE: ffmpeg and ffprobe are not installed (Debian's package ffmpeg)";
  ASSERT_EQ(run("render results --film --size 91x60 -o 50%.mp4"), 0) << err_;
  EXPECT_EQ(err_, "");
  const std::string probe = "cd '" + folder_.string() +
                            "' && ffprobe -v error -count_frames -show_entries "
                            "stream=codec_type,width,height,nb_read_frames,r_frame_rate -of csv 50%.mp4 >probed";
  ASSERT_EQ(std::system(probe.c_str()), 0);
  EXPECT_EQ(text_of(folder_ / "probed"), "stream,video,92,60,25/1,6\n");
}

TEST_F(Export, WhatNoPictureCanBeMadeOfIsTold) {
  const auto refused = [&](const std::string& arguments, const std::string& said) {
    EXPECT_EQ(run("render " + arguments), 2) << arguments;
    EXPECT_TRUE(has(err_, "scree render: " + said)) << err_;
    EXPECT_EQ(out_, "");
  };
  refused("absent", "there is no results folder absent");
  refused("results/frames/frame_000009.vtkhdf", "there is no frame results/frames/frame_000009.vtkhdf\n");
  refused("results --at '1 s'", "--at: 1 s lies outside of the frames' times");
  for (const char* size :
       {"''", "90", "90x", "x60", "0x60", "90x-1", "90x60x3", "'90 x 60 mm'", "20000x10", "8192x8192", "1e3x10"})
    refused(std::string("results --size ") + size,
            "--size: expected WIDTHxHEIGHT of 1 to 8192 pixels, 33 million in all, as in 1280x960");
  for (const char* from : {"''", "0,0,0", "1,2", "1,2,3,4", "1,2,z", "nan,1,1", "inf,1,1", "1e300,0,0"})
    refused(std::string("results --from ") + from, "--from: expected a direction x,y,z, as in 0.5,-1,0.4");
  refused("results --from ''", "--from: expected a direction x,y,z, as in 0.5,-1,0.4, got nothing\n");
  refused("results --colour ''", "--colour: expected speed, size, material or shape, got nothing\n");
  refused("results --colour speeds",
          "--colour: expected speed, size, material or shape, got speeds; did you mean speed?");
  refused("results --all -o all.png", "--out: all.png is one file, and there are 6 frames to write");
  refused("results --all -o all.Png", "--out: all.Png is one file, and there are 6 frames to write");
  refused("results -o bed.jpg", "--out: bed.jpg ends in .jpg; name a file that ends in .png, or a folder, as bed.jpg/");
  EXPECT_FALSE(fs::exists(folder_ / "bed.jpg"));
  EXPECT_FALSE(fs::exists(folder_ / "results/pictures"));
  std::ofstream(folder_ / "kept.png") << "kept";
  refused("results -o kept.png", "kept.png is there already; --force replaces it");
  EXPECT_EQ(text_of(folder_ / "kept.png"), "kept");
  const std::string whole = text_of(folder_ / "results/frames/frame_000002.vtkhdf");
  std::ofstream(folder_ / "cut.vtkhdf", std::ios::binary) << whole.substr(0, whole.size() / 2);
  EXPECT_EQ(run("render cut.vtkhdf -o cut.png"), 1);
  EXPECT_TRUE(has(err_, "cut.vtkhdf")) << err_;
  EXPECT_FALSE(fs::exists(folder_ / "cut.png"));
  io::Frame nowhere = frame(2);
  for (Vec3& x : nowhere.position) x.z = std::nan("");
  ASSERT_TRUE(io::write_frame(folder_ / "nowhere.vtkhdf", nowhere));
  EXPECT_EQ(run("render nowhere.vtkhdf -o nowhere.png"), 1);
  EXPECT_EQ(err_, "scree render: there is nothing to draw: no grains with a place, and no walls with bounds\n");
  EXPECT_FALSE(fs::exists(folder_ / "nowhere.png"));
}

TEST_F(Export, ADamagedFrameIsNamedAndTheOthersAreWritten) {
  fs::copy(folder_ / "results", folder_ / "damaged", fs::copy_options::recursive);
  fs::resize_file(folder_ / "damaged/frames/frame_000002.vtkhdf", 900);
  EXPECT_EQ(run("export damaged --format vtu --all"), 1);
  EXPECT_TRUE(has(err_, "frame_000002.vtkhdf")) << err_;
  EXPECT_TRUE(has(err_, "this frame is left out")) << err_;
  EXPECT_TRUE(fs::exists(folder_ / "damaged/export/frame_000003.vtu"));
  EXPECT_FALSE(fs::exists(folder_ / "damaged/export/frame_000002.vtu"));
  EXPECT_FALSE(has(text_of(folder_ / "damaged/export/frames.pvd"), "frame_000002")) << "the series has what there is";
  EXPECT_EQ(run("render damaged --all --size 90x60"), 1);
  EXPECT_TRUE(has(err_, "frame_000002.vtkhdf")) << err_;
  EXPECT_TRUE(has(err_, "this frame is left out")) << err_;
  EXPECT_TRUE(out_.starts_with("damaged/pictures\n5 pictures. ")) << out_;
  for (int k = 0; k < 6; ++k)
    EXPECT_EQ(fs::exists(folder_ / ("damaged/pictures/frame_00000" + std::to_string(k) + ".png")), k != 2) << k;
  EXPECT_EQ(run("export damaged --format csv --at '20 ms' -o x.csv"), 1);
  EXPECT_TRUE(has(err_, "frame_000002.vtkhdf")) << err_;
  EXPECT_FALSE(fs::exists(folder_ / "x.csv"));
}

TEST_F(Export, AFolderThatCannotBeMadeOrADiskThatIsFullIsTold) {
  std::ofstream(folder_ / "file") << "x";
  EXPECT_EQ(run("export results --format csv -o file/sub"), 1);
  EXPECT_TRUE(has(err_, "scree export: cannot make the folder file/sub: ")) << err_;
  EXPECT_EQ(run("export results --format csv -o no/where.csv"), 1);
  EXPECT_TRUE(has(err_, "cannot write no/where.csv: ")) << err_;
  // A limit on the size of files stands for a disk without room.
  EXPECT_EQ(run("export results --format vtu --all -o full", "ulimit -f 8; trap '' XFSZ;"), 1);
  EXPECT_TRUE(has(err_, "cannot write full/frame_000000.vtu: ")) << err_;
  EXPECT_FALSE(fs::exists(folder_ / "full/frame_000000.vtu"));
  EXPECT_FALSE(fs::exists(folder_ / "full/frame_000000.vtu.part"));
}

}  // namespace
