// LIBS: nlohmann_json::nlohmann_json
// docs/tutorials/: every command of a page runs, in the order of the page and in its quick form (page_commands.h). A
// block of code that begins with "# NAME.yaml" is that file.
#include <algorithm>
#include <fstream>
#include <map>
#include <vector>

#include "cli/page_commands.h"

namespace scree {
namespace {

namespace fs = std::filesystem;

struct Page {
  std::vector<std::string> commands;
  std::map<std::string, std::string> files;
};

Page read(const fs::path& path) {
  Page page;
  std::ifstream in(path);
  std::string file;
  for (std::string line; std::getline(in, line);) {
    const bool is_code = line.starts_with("    ");
    if (!is_code && !line.empty()) file.clear();
    const std::string code = is_code ? line.substr(4) : "";
    if (file.empty() && code.starts_with("# ") && code.ends_with(".yaml")) file = code.substr(2);
    if (!file.empty()) {
      page.files[file] += code + "\n";
    } else if (is_code) {
      if (const std::string command = testing_cli::command_in(line); !command.empty()) page.commands.push_back(command);
    }
  }
  return page;
}

std::vector<std::string> pages() {
  std::vector<std::string> names;
  for (const fs::directory_entry& file : fs::directory_iterator(SCREE_SOURCE_DIR "/docs/tutorials"))
    if (!read(file.path()).commands.empty()) names.push_back(file.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

struct Tutorials : testing_cli::PageCommands, testing::WithParamInterface<std::string> {};

TEST_P(Tutorials, EveryCommandOfThePageRuns) {
  const Page page = read(SCREE_SOURCE_DIR "/docs/tutorials/" + GetParam() + ".md");
  for (const auto& [name, text] : page.files) std::ofstream(home / name) << text;
  for (const std::string& command : page.commands) EXPECT_EQ(run_line(command), 0) << command << "\n" << err;
}

INSTANTIATE_TEST_SUITE_P(Pages, Tutorials, testing::ValuesIn(pages()), [](const auto& page) {
  std::string name = page.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace scree
