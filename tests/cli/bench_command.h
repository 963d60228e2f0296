#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "cli/program.h"

namespace scree::testing_cli {

using nlohmann::json;

/// `scree bench` itself, on small scenes: what it writes is looked at, not what it measures.
struct BenchCommand : testing::Test {
  fs::path home = fs::path(testing::TempDir()) / ("scree_cli_bench_" + std::to_string(::getpid()));
  std::string out, err;
  void SetUp() override { fs::create_directories(home); }
  void TearDown() override { fs::remove_all(home); }
  int scree(const std::string& arguments) { return run("bench " + arguments); }
  int run(const std::string& arguments) { return shell("'" SCREE_BINARY "' " + arguments); }
  int shell(const std::string& command) {
    Output said = output_of(command, home);
    out = std::move(said.out), err = std::move(said.err);
    return said.code;
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
