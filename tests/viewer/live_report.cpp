// LIBS: scree_io
// What a live page is answered by a folder that grows beyond what a page may hold.
#include "io/results/live_report.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/results/frame.h"

namespace fs = std::filesystem;
using namespace scree;
using nlohmann::json;

namespace {

/// A page that asks again and again. The blocks are looked into by tests/cli/live_view.py; here frames are counted.
struct Page {
  io::LiveReport::Known known{};
  std::size_t frames = 0, sent = 0, editions = 0;
  json ask(io::LiveReport& report) {
    json news = json::parse(report.news(known));
    if (news["edition"] != known.edition) frames = 0, ++editions;
    known.edition = news["edition"], known.parts = news["first"].get<std::size_t>() + news["parts"].size();
    if (!news["series"].is_null()) known.series = news["series"]["version"], known.rows = news["series"]["rows"];
    for (const json& part : news["parts"]) frames += part["frames"].size(), sent += part["frames"].size();
    return news;
  }
};

struct LiveFolder : testing::Test {
  fs::path folder = fs::temp_directory_path() / ("scree_live_" + std::to_string(::getpid()));
  void SetUp() override { fs::create_directories(folder / "frames"); }
  void TearDown() override { fs::remove_all(folder); }

  /// Spheres whose places no difference between frames makes small.
  void write(std::size_t k, std::size_t grains = 3) const {
    io::Frame f;
    f.time = 0.1 * static_cast<double>(k), f.step = k;
    f.shapes = {io::Frame::ShapeRow{"sphere", {}, {}, .5}};
    for (std::size_t i = 0; i < grains; ++i) {
      const auto at = [&](double a) { return std::fmod(a * static_cast<double>((k + 1) * (i + 1)), 1.0); };
      f.id.push_back(static_cast<std::uint32_t>(i)), f.shape.push_back(0), f.material.push_back(0);
      f.size.push_back(.01), f.mass.push_back(1), f.velocity.push_back({}), f.angular_velocity.push_back({});
      f.position.push_back({at(0.6180339), at(0.7548776), at(0.5698402)}), f.orientation.push_back({});
    }
    ASSERT_TRUE(io::write_frame(io::numbered(folder / "frames", "frame", k), f));
  }
  void finish() const { std::ofstream(folder / "run.json") << R"({"verdict": {"status": "finished"}})"; }
};

}  // namespace

TEST_F(LiveFolder, KeepsEverySecondFrameOfTwiceAsMany) {
  io::ReportBudget budget;
  budget.frames = 20;
  io::LiveReport report(folder, budget);
  Page page;
  std::size_t most = 0;
  constexpr std::size_t kFrames = 335;
  for (std::size_t k = 0; k < kFrames; ++k) {
    write(k);
    page.ask(report);
    ASSERT_LE(page.frames, 20u) << "after frame " << k;
    ASSERT_GE(page.frames, std::min<std::size_t>(k, 10)) << "after frame " << k;
    most = std::max(most, page.frames);
  }
  EXPECT_EQ(most, 20u) << "no fewer than there is room for";
  EXPECT_LE(page.editions, 6u) << "one for each time that the run became twice as long";
  EXPECT_LE(page.sent, 130u) << "no more work than so many times the frames that are kept";
  // 335 frames, every 32nd of which is kept: the last one is none of them.
  const std::size_t before = page.frames;
  EXPECT_EQ(before, 11u);
  finish();
  page.ask(report);
  EXPECT_EQ(page.frames, before + 1) << "a run that is over shows its end";
  const std::size_t editions = page.editions;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(page.ask(report)["parts"].empty()) << "once";
  EXPECT_EQ(page.editions, editions);
  // Who comes later is sent the same.
  Page late;
  late.ask(report);
  EXPECT_EQ(late.frames, page.frames);
}

TEST_F(LiveFolder, KeepsToItsBytesAndItsGrains) {
  for (const bool by_bytes : {true, false}) {
    fs::remove_all(folder / "frames");
    fs::create_directories(folder / "frames");
    io::ReportBudget budget;
    (by_bytes ? budget.bytes : budget.particle_frames) = by_bytes ? 120'000 : 3000;
    io::LiveReport report(folder, budget);
    Page page;
    std::size_t bytes = 0;
    for (std::size_t k = 0; k < 90; ++k) {
      write(k, by_bytes ? 200 : 2 * k);  // grains that come while it goes on
      const json news = page.ask(report);
      if (news["first"] == 0 && !news["parts"].empty()) bytes = 0;
      for (const json& part : news["parts"]) bytes += part.dump().size();
      ASSERT_LE(bytes, 150'000u) << "after frame " << k;
    }
    EXPECT_GE(page.frames, 8u);
    EXPECT_LE(page.frames, 46u);
    EXPECT_LE(page.sent, 400u);
  }
}

TEST_F(LiveFolder, FollowsARunThatIsResumedFromEarlier) {
  io::LiveReport report(folder);
  Page page;
  for (std::size_t k = 0; k < 6; ++k) write(k);
  page.ask(report);
  EXPECT_EQ(page.frames, 6u);
  for (std::size_t k = 3; k < 6; ++k) fs::remove(io::numbered(folder / "frames", "frame", k));
  page.ask(report);
  EXPECT_EQ(page.frames, 3u);
  write(3), write(4);
  page.ask(report);
  EXPECT_EQ(page.frames, 5u);
  // Cut and written again between two questions.
  fs::remove(io::numbered(folder / "frames", "frame", 4));
  write(4, 5), write(5, 5);
  page.ask(report);
  EXPECT_EQ(page.frames, 6u);
  EXPECT_EQ(page.editions, 3u);
}

TEST_F(LiveFolder, PassesOverFramesThatAreMissing) {
  io::LiveReport report(folder);
  Page page;
  write(0), write(2);
  page.ask(report);
  write(5);
  page.ask(report);
  EXPECT_EQ(page.frames, 3u);
  EXPECT_EQ(page.editions, 1u);
}

TEST_F(LiveFolder, ThinsRowsAndNoticesOthers) {
  io::LiveReport report(folder);
  Page page;
  const fs::path file = folder / "series.csv";
  std::ofstream(file) << "time [s],contacts\n";
  constexpr std::size_t kRows = 90'001;
  std::size_t written = 0;
  for (const std::size_t upto : {std::size_t{10}, std::size_t{20'000}, std::size_t{20'001}, kRows}) {
    std::ofstream out(file, std::ios::app);
    for (; written < upto; ++written) out << written << "," << written % 7 << "\n";
    out.close();
    page.ask(report);
    EXPECT_LE(page.known.rows, 20'000u);
    EXPECT_GE(page.known.rows, std::min<std::size_t>(upto, 10'000u));
  }
  const std::size_t rows = page.known.rows;
  std::ofstream(file, std::ios::app) << "90001,1\n";
  finish();
  const json news = page.ask(report);
  EXPECT_EQ(page.known.rows, rows + 1) << "a run that is over shows its end";
  EXPECT_EQ(news["series"]["first"], rows);
  // Rows in the place of others, in the same file and no shorter.
  std::fstream(file, std::ios::in | std::ios::out) << "time [s],contacts\n5,5\n";
  fs::resize_file(file, 24);
  EXPECT_EQ(page.ask(report)["series"]["rows"], 1);
  std::ofstream(file) << "time [s],contacts\n6,6\n7,7\n";
  const json other = page.ask(report);
  EXPECT_EQ(other["series"]["rows"], 2);
  EXPECT_EQ(other["series"]["first"], 0);
}
