// LIBS: nlohmann_json::nlohmann_json
// README.md, CONTRIBUTING.md and docs/: every command that a page shows runs, in the order of the page and in its quick
// form (page_commands.h), or stands below with the reason why it doesn't. docs/tutorials/ and the table of
// docs/papers.md have tests of their own, and programs in Python too (tests/python/test_docs.py).
#include <fstream>
#include <map>
#include <set>
#include <vector>

#include "cli/page_commands.h"

namespace scree {
namespace {

namespace fs = std::filesystem;

/// What isn't run here, by how it begins.
struct Left {
  const char *page, *command, *why;
};
constexpr const char *kRoot = "needs root", *kCi = "builds or tests the project: .ci/run does it",
                     *kHours = "takes minutes to hours", *kServes = "serves until Ctrl-C: tests/cli/live_view.py",
                     *kSynopsis = "says which options there are", *kCtest = "ctest runs it",
                     *kBench = "tests/cli/bench.cpp runs this bench", *kPeers = "needs another program or checkout",
                     *kPackages = "of the packages: script/package-test";
constexpr Left kLeft[] = {
    {"README.md", "sudo apt install ", kRoot},
    {"README.md", "scree run /usr/share/scree/examples/box_fill.yaml", kPackages},
    {"README.md", "script/demo", kCi},
    {"README.md", "script/test", kCi},
    {"README.md", "build/release/scree view --live ", kServes},
    {"README.md", "build/release/scree check my_case.yaml", "shows mistakes of a file"},
    {"README.md", "build/release/scree validate --quick", "tests/cli/validate.cpp runs it"},
    {"CONTRIBUTING.md", "script/", kCi},
    {"CONTRIBUTING.md", ".ci/run", kCi},
    {"docs/clumps.md", "bench/former-program ", kPeers},
    {"docs/contact-command.md", "scree contact SHAPE_A SHAPE_B [", kSynopsis},
    {"docs/contact-geometry.md", "cmake --build build/release --target ", kCi},
    {"docs/contact-geometry.md", "build/release/tests/", kCtest},
    {"docs/install.md", "sudo ", kRoot},
    {"docs/install.md", "scree run /usr/share/scree/examples/box_fill.yaml", kPackages},
    {"docs/install.md", "podman ", "needs a container"},
    {"docs/many-machines.md", "mpirun -n 4 scree run case.yaml --threads 2", "needs MPI: tests/cli/run_ranks.cpp"},
    {"docs/many-machines.md", "srun ", "needs a cluster"},
    {"docs/measured/many-machines.md", "mpirun -n 4 --oversubscribe TIME", "a million grains"},
    {"docs/measured/many-machines.md", "mpirun -n 4 --oversubscribe scree run wide.yaml", "minutes; needs MPI"},
    {"docs/measured/clusters.md", "scree bench ", kBench},
    {"docs/measured/clusters.md", "scree run examples/hopper_lift.yaml --out results/hopper && ", kHours},
    {"docs/measured/common-plane.md", "bench/column-windows ", kHours},
    {"docs/measured/common-plane.md", "build/release/scree bench common-plane ", kBench},
    {"docs/measured/common-plane.md", "build/release/scree bench nezami-fig1", "tests/cli/papers.cpp runs this bench"},
    {"docs/measured/neighbours.md", "scree bench zhao-fig6 --positions ", "needs a frame of 37 minutes"},
    {"docs/measured/neighbours.md", "bench/neighbours-page", kHours},
    {"docs/measured/neighbours.md", "bench/plots", "draws into docs/"},
    {"docs/measured/neighbours.md", "bench/peers-neighbours", kPeers},
    {"docs/measured/neighbours.md", "build/release/scree bench ", "tests/cli/bench_neighbours.cpp runs this bench"},
    {"docs/measured/speed.md", "scree bench case --case CASE.yaml [", kSynopsis},
    {"docs/measured/speed.md", "scree bench polyhedra ", kBench},
    {"docs/measured/speed.md", "scree bench bonded ", kBench},
    {"docs/measured/speed.md", "scree bench clumps", kBench},
    {"docs/measured/speed.md", "bench/former-program ", kPeers},
    {"docs/measured/speed.md", "bench/foreseen ", kHours},
    {"docs/measured/speed.md", "bench/peers-spheres ", kPeers},
    {"docs/measured/speed.md", "scree bench neighbours --positions build/peers/", kPeers},
    {"docs/python.md", "cmake --build build/release", kCi},
    {"docs/python.md", "scree run examples/box_fill.yaml --out results/tilted --resume", "tests/python/test_record.py"},
    {"docs/python.md", "PYTHONPATH=build/release/python python3", "tests/python are run so"},
    {"docs/results.md", "scree view --live ", kServes},
    {"docs/results.md", "ssh ", "needs another machine"},
    {"docs/testing.md", "script/", kCi},
    {"docs/testing.md", "build/release/tests/fuzz/", kCi},
    {"docs/testing.md", "bench/mutants ", kHours},
    {"docs/validation.md", "build/release/scree validate --quick", "tests/cli/validate.cpp runs it"},
    {"docs/validation.md", "script/validate", kHours},
};

struct Page {
  std::vector<std::string> commands;
  std::set<std::string> languages;           ///< of fenced code
  std::map<std::string, std::string> files;  ///< by name: the block that begins with OFF behind "`NAME.off` is"
};

Page read(const std::string& name) {
  Page page;
  std::ifstream in(fs::path(SCREE_SOURCE_DIR) / name);
  bool is_fenced = false;
  std::string file;
  for (std::string line, next; std::getline(in, line);) {
    while (line.ends_with('\\') && std::getline(in, next)) line.back() = ' ', line += next;
    if (const std::size_t end = line.find(".off` is"); line.starts_with('`') && end != std::string::npos)
      file = line.substr(1, end + 3);
    if (!file.empty() && line.starts_with("    "))
      page.files[file] += line.substr(4) + "\n";
    else if (!file.empty() && page.files.contains(file))
      file.clear();
    if (line.starts_with("```")) {
      is_fenced = !is_fenced;
      if (is_fenced) page.languages.insert(line.substr(3));
      continue;
    }
    const std::string command = testing_cli::command_in(line);
    if (!is_fenced && !command.empty()) page.commands.push_back(command);
  }
  return page;
}

std::vector<std::string> pages() {
  std::vector<std::string> names{"README.md", "CONTRIBUTING.md"};
  for (const fs::directory_entry& file : fs::recursive_directory_iterator(SCREE_SOURCE_DIR "/docs"))
    if (file.path().extension() == ".md" && file.path().parent_path().filename() != "tutorials")
      names.push_back(file.path().lexically_relative(SCREE_SOURCE_DIR).string());
  std::ranges::sort(names);
  return names;
}

const Left* left_out(const std::string& page, const std::string& command) {
  const auto* at = std::ranges::find_if(
      kLeft, [&](const Left& left) { return page == left.page && command.starts_with(left.command); });
  return at == std::end(kLeft) ? nullptr : at;
}

std::vector<std::string> pages_with_commands() {
  std::vector<std::string> names;
  for (const std::string& page : pages())
    for (const std::string& command : read(page).commands)
      if (left_out(page, command) == nullptr && (names.empty() || names.back() != page)) names.push_back(page);
  return names;
}

TEST(PagesOfTheSite, ShowNoCommandsWhereNoTestLooks) {
  std::set<const Left*> used;
  for (const std::string& page : pages()) {
    const Page p = read(page);
    for (const std::string& language : p.languages)
      EXPECT_TRUE(language == "python" || language == "cpp" || language == "cmake" || language == "mermaid")
          << page << ": fenced code of '" << language << "'; commands are indented by four";
    for (const std::string& command : p.commands) {
      if (const Left* left = left_out(page, command)) used.insert(left);
    }
  }
  for (const Left& left : kLeft)
    EXPECT_TRUE(used.contains(&left)) << left.page << " has no command '" << left.command << "' any more";
}

TEST(PagesOfTheSite, NameProgramsOfTheProjectThatAreThere) {
  for (const std::string& page : pages())
    for (const std::string& command : read(page).commands) {
      std::string program = command.substr(0, command.find(' '));
      if (program.starts_with("bench/") || program.starts_with("script/") || program.starts_with(".ci/")) {
        EXPECT_TRUE(fs::exists(fs::path(SCREE_SOURCE_DIR) / program)) << page << ": " << command;
      }
      const std::string tests = "build/release/tests/";
      if (!program.starts_with(tests) || program.find('/', tests.size()) != std::string::npos) continue;
      program = program.substr(tests.size());
      program[program.find('_')] = '/';
      EXPECT_TRUE(fs::exists(fs::path(SCREE_SOURCE_DIR) / "tests" / (program + ".cpp"))) << page << ": " << command;
    }
}

/// What a page's commands find in place of files of the reader's own.
struct Pages : testing_cli::PageCommands, testing::WithParamInterface<std::string> {
  void SetUp() override {
    PageCommands::SetUp();
    for (const auto& [name, text] : read(GetParam()).files) std::ofstream(home / name) << text;
    const std::vector<std::vector<int>> angle{{0, 5, 4, 3, 2, 1}, {6, 7, 8, 9, 10, 11}, {0, 1, 7, 6},   {1, 2, 8, 7},
                                              {2, 3, 9, 8},       {3, 4, 10, 9},        {4, 5, 11, 10}, {5, 0, 6, 11}};
    constexpr const char* corners[] = {"0 0 0", "3 0 0", "3 1 0", "1 1 0", "1 2 0", "0 2 0",
                                       "0 0 1", "3 0 1", "3 1 1", "1 1 1", "1 2 1", "0 2 1"};
    write_stl("hook.stl", angle, corners);
    constexpr const char* tetrahedron[] = {"0 0 0", "30 0 0", "0 20 0", "0 0 25"};
    write_stl("stone.stl", {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}, tetrahedron);
    fs::copy_file(SCREE_SOURCE_DIR "/examples/meshes/ten_spheres.csv", home / "stone.csv");
    std::ofstream(home / "bed.xyzr") << "0 0 0 0.5\n0.9 0 0 0.5\n0 0.9 0 0.5\n";
    if (GetParam() == "docs/results.md") {
      ASSERT_EQ(run_line("scree run examples/box_fill.yaml"), 0) << err;
    }
  }

 private:
  template <std::size_t N>
  void write_stl(const char* name, const std::vector<std::vector<int>>& faces, const char* const (&corners)[N]) {
    std::ofstream stl(home / name);
    stl << "solid s\n";
    for (const std::vector<int>& face : faces)
      for (std::size_t k = 2; k < face.size(); ++k)
        stl << "facet normal 0 0 0\nouter loop\nvertex " << corners[face[0]] << "\nvertex " << corners[face[k - 1]]
            << "\nvertex " << corners[face[k]] << "\nendloop\nendfacet\n";
    stl << "endsolid s\n";
  }
};

TEST_P(Pages, EveryCommandRuns) {
  const std::map<std::string, std::string> meant{{"CASE.yaml", "examples/box_fill.yaml"},
                                                 {"RESULTS", "results/box_fill"}};
  for (std::string command : read(GetParam()).commands) {
    if (left_out(GetParam(), command) != nullptr) continue;
    for (const auto& [word, value] : meant)
      if (const std::size_t at = command.find(word); at != std::string::npos) command.replace(at, word.size(), value);
    EXPECT_EQ(run_line(command), 0) << command << "\n" << err;
  }
}

INSTANTIATE_TEST_SUITE_P(Site, Pages, testing::ValuesIn(pages_with_commands()), [](const auto& page) {
  std::string name = page.param;
  std::ranges::replace_if(
      name, [](char c) { return c == '-' || c == '/' || c == '.'; }, '_');
  return name;
});

}  // namespace
}  // namespace scree
