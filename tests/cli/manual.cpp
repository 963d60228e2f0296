// Man pages and completions of shells are made from the command line's own table, and know every option of --help.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

using Words = std::set<std::string>;

struct Manual : testing::Test {
  fs::path folder = fs::path(testing::TempDir()) / ("scree_manual_" + std::to_string(::getpid()));
  void SetUp() override {
    ASSERT_EQ(lines_of("'" SCREE_BINARY "' manual '" + folder.string() + "'"), "");
    find_commands("scree");
    ASSERT_GE(commands.size(), 12U);
  }
  void TearDown() override { fs::remove_all(folder); }

  /// What a command printed; its errors count as printed.
  static std::string lines_of(const std::string& command) {
    FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
    std::string text;
    for (int c = 0; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
    if (const int status = ::pclose(pipe); status != 0) text += "status " + std::to_string(status) + "\n";
    return text;
  }

  static std::string help(const std::string& command) {
    return lines_of("'" SCREE_BINARY "' " + command.substr(5) + " --help");
  }

  void find_commands(const std::string& command) {
    commands.push_back(command);
    const std::string text = help(command);
    const std::size_t at = text.find("\nSubcommands:\n");
    if (at == std::string::npos) return;
    std::istringstream in(text.substr(at + 14));
    for (std::string line; std::getline(in, line) && line.starts_with("  ");) {
      if (line[2] != ' ') find_commands(command + " " + line.substr(2, line.find(' ', 2) - 2));
    }
  }

  /// --out of "  -o,--out DIR".
  static Words options_in(const std::string& help) {
    static const std::regex option(R"((?:^|\n)  (?:-\w,)?(--[a-z-]+))");
    Words found;
    for (std::sregex_iterator i(help.begin(), help.end(), option), end; i != end; ++i) found.insert((*i)[1]);
    return found;
  }

  std::string content(const std::string& file) const {
    std::ifstream in(folder / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  /// What bash offers for the last of these words.
  Words completed(const std::string& words) const {
    std::ofstream(folder / "try.sh") << "source '" << (folder / "bash/scree").string() << "'\n"
                                     << "[[ $(complete -p scree) == *'-F _scree '* ]] || echo unregistered\n"
                                     << "COMP_WORDS=(" << words << ")\nCOMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))\n"
                                     << "_scree\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
    std::istringstream in(lines_of("bash --norc '" + (folder / "try.sh").string() + "'"));
    return {std::istream_iterator<std::string>(in), {}};
  }

  std::vector<std::string> commands;
};

TEST_F(Manual, EveryCommandHasAPageWithEveryOption) {
  for (const std::string& command : commands) {
    const std::string page = content("man/" + std::regex_replace(command, std::regex(" "), "-") + ".1");
    const Words options = options_in(help(command));
    EXPECT_TRUE(options.contains("--help")) << command;
    for (const std::string& o : options) {
      const std::string in_roff = std::regex_replace(o, std::regex("-"), "\\-") + "\\fR";
      EXPECT_NE(page.find(in_roff), page.npos) << command << " " << o;
    }
  }
}

TEST_F(Manual, BashCompletesEveryCommandAndOption) {
  for (const std::string& command : commands) {
    EXPECT_EQ(completed(command + " --"), options_in(help(command))) << command;
    if (const auto at = command.rfind(' '); at != std::string::npos) {
      EXPECT_TRUE(completed(command.substr(0, at + 1) + "''").contains(command.substr(at + 1))) << command;
    }
  }
  EXPECT_FALSE(completed("scree ''").contains("manual"));
}

TEST_F(Manual, BashCompletesValues) {
  EXPECT_EQ(completed("scree shape import stone.stl --unit ''"), (Words{"m", "cm", "mm", "um", "in"}));
  EXPECT_EQ(completed("scree shape import stone.stl --unit = c"), (Words{"cm"}));
  EXPECT_EQ(completed("scree run --until ''"), Words{});
  const std::string here = folder.string() + "/";
  EXPECT_EQ(completed("scree run " + here + "tr"), (Words{here + "try.sh"}));
  EXPECT_EQ(completed("scree run --out " + here), (Words{here + "bash", here + "fish", here + "man", here + "zsh"}));
}

TEST_F(Manual, PagesAreReadWithoutAWarning) {
  if (std::system("command -v man >/dev/null") != 0) GTEST_SKIP() << "needs man-db";
  for (const auto& page : fs::directory_iterator(folder / "man"))
    EXPECT_EQ(lines_of("(man --warnings -E UTF-8 -l -Tutf8 -Z '" + page.path().string() + "' 2>&1 >/dev/null)"), "");
}

TEST_F(Manual, FishCompletesEveryOption) {
  if (std::system("command -v fish >/dev/null") != 0) GTEST_SKIP() << "needs fish";
  for (const std::string& command : commands) {
    std::istringstream in(lines_of("fish --no-config -c \"source '" + (folder / "fish/scree.fish").string() +
                                   "'; complete -C '" + command + " --'\""));
    Words found;
    for (std::string line; std::getline(in, line);) found.insert(line.substr(0, line.find('\t')));
    EXPECT_EQ(found, options_in(help(command))) << command;
  }
}

TEST_F(Manual, ZshReadsItsCompletion) {
  if (std::system("command -v zsh >/dev/null") != 0) GTEST_SKIP() << "needs zsh";
  EXPECT_EQ(lines_of("zsh -f -n '" + (folder / "zsh/_scree").string() + "'"), "");
}

}  // namespace
