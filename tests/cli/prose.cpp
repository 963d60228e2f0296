// LIBS: nlohmann_json::nlohmann_json
// Commands within sentences of the site, in comments of cases and at the end of --help: the program has every command
// and option that they name, a case has every key that they set, and those that are whole run in their quick form
// (page_commands.h). pages.cpp, tutorials.cpp and papers.cpp run those that stand by themselves.
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <vector>

#include "cli/page_commands.h"

namespace scree {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = SCREE_SOURCE_DIR;

struct Word {
  std::string text;
  bool is_quoted = false;
};
using Words = std::vector<Word>;

/// Code that a file shows.
struct Mention {
  std::string file, text;
  bool is_prose = true;  ///< else it is a command that stands by itself
};

std::string trimmed(const std::string& text) {
  const std::size_t from = text.find_first_not_of(' ');
  return from == std::string::npos ? "" : text.substr(from, text.find_last_not_of(' ') + 1 - from);
}

/// As of a shell, as far as the first command goes; brackets of a synopsis fall away.
Words words_of(const std::string& command) {
  static const std::regex word(R"re((?:[^\s"']|"[^"]*"|'[^']*')+)re");
  static const std::set<std::string> ends{">", "|", "&&", "||", "$(test"};
  Words words;
  for (std::sregex_iterator i(command.begin(), command.end(), word), end; i != end && !ends.contains(i->str()); ++i) {
    std::string text = i->str();
    const bool is_quoted = text.find_first_of("\"'") != std::string::npos;
    std::erase_if(text, [](char c) { return c == '"' || c == '\''; });
    if (!is_quoted && text.starts_with('[')) text.erase(0, 1);
    if (!is_quoted && text.ends_with(']') && text.find('[') == std::string::npos) text.pop_back();
    if (!text.empty()) words.push_back({text, is_quoted});
  }
  return words;
}

/// CASE, N, KEY=VALUE, ...: what the reader fills in.
bool is_placeholder(const Word& w) {
  static const std::regex open("[A-Z][A-Z_]*(=.*)?|.*(\\.\\.\\.|…).*");
  return !w.is_quoted && std::regex_match(w.text, open);
}

bool is_option(const Word& w) {
  static const std::regex option("-[A-Za-z]|--[a-z][-a-z]*(=.*)?");
  return !w.is_quoted && std::regex_match(w.text, option);
}

std::string name_of(const Word& option) { return option.text.substr(0, option.text.find('=')); }

/// Reads a file line by line; what stands between backticks is a mention, across the lines of a paragraph.
class Reader {
 public:
  explicit Reader(std::vector<Mention>& all) : all_(all) {}

  void read(const std::string& file) {
    std::ifstream in(kSource / file);
    file_ = file;
    bool is_fenced = false;
    for (std::string line, next; std::getline(in, line);) {
      while (line.ends_with('\\') && std::getline(in, next)) line.back() = ' ', line += next;
      if (!file.ends_with(".md")) {
        add_comment(line);
      } else if (line.starts_with("```") || is_fenced) {
        is_fenced ^= line.starts_with("```");
        end_paragraph();
      } else if (const std::string command = testing_cli::command_in(line); !command.empty()) {
        all_.push_back({file, command, false});
      } else {
        add_line(trimmed(line));
      }
    }
    end_paragraph();
  }

 private:
  void add_comment(const std::string& line) {
    // "# Run it:  scree run FILE     (remarks)"
    static const std::regex command(R"(#(?:\s+|.*\s\s)(scree .*?)(?:\s\s.*)?$)");
    if (std::smatch m; file_.ends_with(".yaml") && std::regex_match(line, m, command)) all_.push_back({file_, m[1]});
    const std::size_t comment = file_.ends_with(".yaml") ? std::min(line.find('#'), line.size()) : 0;
    const std::size_t from = std::min(line.find_first_not_of("#/ ", comment), line.size());
    add_line(trimmed(line.substr(from)));
  }
  void add_line(const std::string& line) {
    if (line.empty()) return end_paragraph();
    paragraph_ += " " + line;
  }
  void end_paragraph() {
    static const std::regex quoted("`([^`]+)`");
    for (std::sregex_iterator i(paragraph_.begin(), paragraph_.end(), quoted), end; i != end; ++i)
      all_.push_back({file_, trimmed((*i)[1])});
    paragraph_.clear();
  }

  std::vector<Mention>& all_;
  std::string file_, paragraph_;
};

/// Of the pages, of the docstrings and comments that the site is made of as well, and of what cases say of themselves.
std::vector<Mention> mentions() {
  static constexpr std::array<std::array<const char*, 2>, 5> folders{{{"docs", ".md"},
                                                                      {"python/scree", ".py"},
                                                                      {"examples", ".yaml"},
                                                                      {"app/new", ".yaml"},
                                                                      {"validation/cases", ".yaml"}}};
  std::vector<std::string> files{"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "include/scree/scree.h"};
  for (const auto& [folder, ending] : folders)
    for (const fs::directory_entry& file : fs::recursive_directory_iterator(kSource / folder))
      if (file.path().extension() == ending) files.push_back(file.path().lexically_relative(kSource).string());
  std::ranges::sort(files);
  std::vector<Mention> all;
  for (const std::string& file : files) Reader(all).read(file);
  return all;
}

using Names = std::set<std::string>;

Names names_in(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

/// "particles[0].count": particles, count.
std::vector<std::string> parts_of(const std::string& key) {
  std::istringstream in(key);
  std::vector<std::string> parts;
  for (std::string part; std::getline(in, part, '.');) parts.push_back(part.substr(0, part.find('[')));
  return parts;
}

/// What the program says of its command line, by the completion that it writes, and of the keys of a case.
struct Prose : testing_cli::PageCommands {
  std::map<std::string, Names> options;  ///< by command, "scree shape import"
  std::map<std::string, Names> values;   ///< by command, or command and option: the words that follow; empty: any
  Names manual_pages;
  std::set<std::vector<std::string>> keys;
  std::vector<Mention> all = mentions();

  void SetUp() override {
    PageCommands::SetUp();
    ASSERT_EQ(run("manual '" + (home / "manual").string() + "'"), 0) << err;
    for (const fs::directory_entry& page : fs::directory_iterator(home / "manual" / "man"))
      manual_pages.insert(page.path().stem().string());
    read_completion();
    ASSERT_EQ(options.size(), manual_pages.size());
    ASSERT_GT(values.size(), 50u);
    ASSERT_EQ(run("validate --list"), 0) << err;
    std::istringstream list(out);
    for (std::string line; std::getline(list, line);) values["scree validate"].insert(line.substr(0, line.find(' ')));
    ASSERT_EQ(run("schema --table"), 0) << err;
    std::istringstream schema(out);
    for (std::string line; std::getline(schema, line);)
      if (line.starts_with("| `")) keys.insert(parts_of(line.substr(3, line.find('`', 3) - 3)));
    ASSERT_GT(keys.size(), 200u);
    for (const auto& [command, of_it] : options) add_examples(command);
  }

  void read_completion() {
    static const std::regex of_command(R"(    '(scree[^']*)'\) options='([^']*)'; \[\[[^|]*\|\| (.*) ;;)"),
        of_option(R"(    ('scree[^)]*)\) (.*); return ;;)"), quoted("'([^']*)'"), reply("_scree_reply -W '([^']*)'");
    std::istringstream completion(testing_cli::content(home / "manual" / "bash" / "scree"));
    std::smatch m, words;
    for (std::string line; std::getline(completion, line);) {
      if (std::regex_match(line, m, of_command)) {
        options[m[1]] = names_in(m[2]);
        if (const std::string text = m[3]; std::regex_match(text, words, reply)) values[m[1]] = names_in(words[1]);
      } else if (std::regex_match(line, m, of_option)) {
        const std::string patterns = m[1], text = m[2];
        const Names allowed = std::regex_match(text, words, reply) ? names_in(words[1]) : Names();
        for (std::sregex_iterator i(patterns.begin(), patterns.end(), quoted), end; i != end; ++i)
          values[(*i)[1]] = allowed;
      }
    }
  }

  /// Those at the end of --help, which the manual has too.
  void add_examples(const std::string& command) {
    ASSERT_EQ(run(command.substr(5) + " --help"), 0) << err;
    std::istringstream help(out.substr(std::min(out.find("Example"), out.size())));
    for (std::string line; std::getline(help, line);) {
      const std::string text = line.starts_with("  ") ? testing_cli::command_in("  " + line) : "";
      if (!text.empty()) all.push_back({command + " --help", text, false});
    }
  }

  /// What of the words is a command line of the program, from "scree" on; also `run CASE.yaml --until 0` and `bench
  /// clumps` of a sentence.
  Words line_in(const Mention& m) const {
    const Words words = words_of(m.text);
    for (std::size_t k = 0; k < words.size(); ++k)
      if (words[k].text == "scree" || words[k].text == "build/release/scree") {
        const bool is_another = words[0].text == "man" || words[0].text == "podman";
        return is_another ? Words() : Words(words.begin() + static_cast<std::ptrdiff_t>(k), words.end());
      }
    if (!m.is_prose || words.size() < 2 || !options.contains("scree " + words[0].text)) return {};
    const auto known = values.find("scree " + words[0].text);
    const bool has_option = std::ranges::any_of(words, [](const Word& w) { return w.text.starts_with("--"); });
    if (!has_option && (known == values.end() || !known->second.contains(words[1].text))) return {};
    Words line{{"scree"}};
    line.insert(line.end(), words.begin(), words.end());
    return line;
  }

  /// "scree shape import", and how many words that is.
  std::pair<std::string, std::size_t> command_of(const Words& line) const {
    std::string command = "scree";
    std::size_t k = 1;
    for (; k < line.size() && options.contains(command + " " + line[k].text); ++k) command += " " + line[k].text;
    return {command, k};
  }

  /// "particles[0].count=100", or what begins so: "walls.tray={...}".
  bool can_set(const Word& assignment) const {
    const std::vector<std::string> given = parts_of(assignment.text.substr(0, assignment.text.find('=')));
    const auto fits = [](const std::string& a, const std::string& known) { return known == "*" || a == known; };
    return is_placeholder(assignment) || std::ranges::any_of(keys, [&](const std::vector<std::string>& known) {
             return given.size() <= known.size() && std::equal(given.begin(), given.end(), known.begin(), fits);
           });
  }

  /// Empty: the program has all that the line names.
  std::string mistake_in(const Words& line) const {
    auto [command, k] = command_of(line);
    const auto known = values.find(command);
    for (; k < line.size() && !is_option(line[k]); ++k)
      if (known != values.end() && !is_placeholder(line[k]) && !known->second.contains(line[k].text))
        return command + " does not know " + line[k].text;
    for (; k < line.size(); ++k) {
      if (!is_option(line[k])) continue;
      const std::string option = name_of(line[k]);
      if (!options.at(command).contains(option)) return command + " has no option " + option;
      const auto allowed = values.find(command + " " + option);
      if (allowed == values.end() || k + 1 == line.size()) continue;
      const Word& value = line[k + 1];
      std::istringstream alternatives(value.text);
      for (std::string one; !is_placeholder(value) && std::getline(alternatives, one, '|');)
        if (!allowed->second.empty() && !allowed->second.contains(one)) return option + " does not take " + one;
      if (option == "--set" && !can_set(value)) return "a case has no key " + value.text;
    }
    return {};
  }

  bool is_any_option(const std::string& name) const {
    return std::ranges::any_of(options, [&](const auto& of_command) { return of_command.second.contains(name); });
  }

  /// The lines that can be run, with files and folders of the test in place of the reader's, one for each alternative
  /// of `vtu|xyz`; none: it is a part of one.
  std::vector<std::string> runnable(const Words& line) const {
    static const std::map<std::string, std::string> meant{{"CASE.yaml", "examples/box_fill.yaml"},
                                                          {"case.yaml", "examples/box_fill.yaml"},
                                                          {"RESULTS", "results/box_fill"},
                                                          {"KIND", "box"},
                                                          {"NAME", "grain14"}};
    if (line.empty()) return {};
    const auto [command, k] = command_of(line);
    if (k == line.size()) return {};  // the name of a command alone
    if (is_option(line.back()) && values.contains(command + " " + line.back().text)) return {};
    std::vector<std::string> lines{command};
    for (std::size_t i = k; i < line.size(); ++i) {
      const auto value = meant.find(line[i].text);
      if (value == meant.end() && is_placeholder(line[i])) return {};
      std::istringstream alternatives(value == meant.end() ? line[i].text : value->second);
      std::vector<std::string> longer;
      for (std::string word; std::getline(alternatives, word, line[i].is_quoted ? '\n' : '|');)
        for (const std::string& text : lines)
          longer.push_back(text + (line[i].is_quoted ? " \"" + word + "\"" : " " + word));
      lines = longer;
    }
    return lines;
  }
};

TEST_F(Prose, NamesCommandsOptionsAndKeysThatThereAre) {
  std::size_t count = 0;
  for (const Mention& m : all) {
    if (const Words line = line_in(m); !line.empty()) {
      ++count;
      EXPECT_EQ(mistake_in(line), "") << m.file << ": " << m.text;
    }
    if (const Words words = words_of(m.text); words.size() > 1 && words[0].text == "man") {
      EXPECT_TRUE(manual_pages.contains(words[1].text)) << m.file << ": " << m.text;
    }
  }
  EXPECT_GT(count, 300u);
}

/// Options of other programs.
const Names kOfOthers{"--oversubscribe", "--allow-run-as-root", "--mpi", "--prefix"};

/// A program of script/ or bench/, which has its options in it; else empty.
fs::path script_of(const Word& w) {
  static const std::regex ours(R"((script|bench|\.ci)/.*)");
  return std::regex_match(w.text, ours) && fs::is_regular_file(kSource / w.text) ? kSource / w.text : fs::path();
}

bool has_option(const fs::path& script, const std::string& option) {
  return std::regex_search(testing_cli::content(script), std::regex("[^-a-z]" + option + "[^-a-z]"));
}

TEST_F(Prose, NamesOptionsOfScriptsThatThereAre) {
  std::map<std::string, std::set<fs::path>> scripts;  // by page
  for (const Mention& m : all)
    for (const Word& w : words_of(m.text))
      if (const fs::path file = script_of(w); !file.empty()) scripts[m.file].insert(file);
  for (const Mention& m : all) {
    const Words words = words_of(m.text);
    const fs::path script = words.empty() ? fs::path() : script_of(words[0]);
    for (std::size_t k = 0; k < words.size(); ++k)
      if (!script.empty() && is_option(words[k])) {
        EXPECT_TRUE(has_option(script, name_of(words[k]))) << m.file << ": " << m.text;
      }
  }
  for (const Mention& m : all) {
    const Words words = words_of(m.text);
    if (!m.is_prose || words.empty() || !words[0].text.starts_with("--") || !is_option(words[0])) continue;
    const std::string name = name_of(words[0]);
    EXPECT_TRUE(is_any_option(name) || kOfOthers.contains(name) ||
                std::ranges::any_of(scripts[m.file], [&](const fs::path& s) { return has_option(s, name); }))
        << m.file << ": " << m.text << ": neither the program nor a script of the page has it";
    if (name == "--set" && words.size() > 1) {
      EXPECT_TRUE(can_set(words[1])) << m.file << ": " << m.text;
    }
  }
}

TEST_F(Prose, NamesFilesThatThereAre) {
  static const std::regex ours(
      R"((script|bench|\.ci|tests|examples|validation|materials|scenes|app|src|docs|include)/.*)"),
      open(R"(.*[*{…].*|.*[A-Z]{2,}.*)");
  for (const Mention& m : all) {
    const Words words = words_of(m.text);
    if (m.file == "CHANGELOG.md" || words.empty() || !std::regex_match(words[0].text, ours)) continue;
    EXPECT_TRUE(std::regex_match(words[0].text, open) || fs::exists(kSource / words[0].text))
        << m.file << ": " << m.text;
  }
}

/// What isn't run here, by how it begins.
struct Left {
  const char *command, *why;
};
constexpr Left kLeft[] = {
    {"scree bench ", "tests/cli/bench.cpp, bench_neighbours.cpp and papers.cpp run benches"},
    {"scree validate ", "tests/cli/validate.cpp"},
    {"scree info DIR/fault", "tests/cli/run_incident.cpp"},
    {"scree run build/former/rings.yaml", "needs another checkout"},
    {"scree run examples/bucket.yaml", "a bed of 18 494 grains: tests/golden/sim_state_hashes.cpp"},
};

TEST_F(Prose, ShowsCommandsThatRun) {
  for (const char* command : {"scree run examples/box_fill.yaml", "scree new drum -o drum.yaml"})
    ASSERT_EQ(run_line(command), 0) << err;
  std::set<std::string> done;
  std::set<const Left*> used;
  for (const Mention& m : all) {
    // Programs of before are the changelog's.
    if (!m.is_prose || m.file == "docs/papers.md" || m.file == "CHANGELOG.md") continue;
    for (const std::string& command : runnable(line_in(m))) {
      const auto* left = std::ranges::find_if(kLeft, [&](const Left& l) { return command.starts_with(l.command); });
      if (left != std::end(kLeft)) used.insert(left);
      if (left != std::end(kLeft) || !done.insert(command).second) continue;
      const int code = run_line(command);
      const bool is_part = code == 2 && testing_cli::has(err, " is required");  // `scree view --live`
      EXPECT_TRUE(code == 0 || is_part) << m.file << ": " << command << "\n" << err;
    }
  }
  EXPECT_GT(done.size(), 20u);
  for (const Left& l : kLeft) EXPECT_TRUE(used.contains(&l)) << "no page has '" << l.command << "' any more";
}

}  // namespace
}  // namespace scree
