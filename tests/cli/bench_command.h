#pragma once
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

namespace scree::testing_cli {

namespace fs = std::filesystem;
using nlohmann::json;

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// `scree bench` itself, on small scenes: what it writes is looked at, not what it measures.
struct BenchCommand : testing::Test {
  fs::path home = fs::path(testing::TempDir()) / ("scree_cli_bench_" + std::to_string(::getpid()));
  std::string out, err;
  void SetUp() override { fs::create_directories(home); }
  void TearDown() override { fs::remove_all(home); }
  int scree(const std::string& arguments) { return run("bench " + arguments); }
  int run(const std::string& arguments) { return shell("'" SCREE_BINARY "' " + arguments); }
  int shell(const std::string& command) {
    const int status =
        std::system((command + " >'" + (home / "out").string() + "' 2>'" + (home / "err").string() + "'").c_str());
    out = content(home / "out"), err = content(home / "err");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  json all_of(const std::string& name, const std::string& arguments) {
    const fs::path file = home / (name + ".json");
    EXPECT_EQ(scree(name + " " + arguments + " --json '" + file.string() + "'"), 0) << err;
    json all = json::parse(content(file), nullptr, false);
    EXPECT_TRUE(all.is_object() && all.contains("rows")) << content(file);
    if (!all.is_object() || !all.contains("rows")) return {{"rows", json::array()}};
    EXPECT_EQ(all["bench"], name);
    EXPECT_TRUE(all["machine"].contains("cpu"));
    return all;
  }
  json rows_of(const std::string& name, const std::string& arguments = "--quick") {
    return all_of(name, arguments)["rows"];
  }
};

}  // namespace scree::testing_cli
