#pragma once
#include <algorithm>
#include <array>
#include <fstream>

#include "cli/bench_command.h"

namespace scree::testing_cli {

/// The command that a line of a page shows, indented by four, without prompt and comment; empty: it shows none.
inline std::string command_in(const std::string& line) {
  if (!line.starts_with("    ")) return {};
  std::string text = line.substr(std::min(line.find_first_not_of(' '), line.size()));
  if (text.starts_with("$ ")) text.erase(0, 2);
  if (const std::size_t comment = text.find(" #"); comment != std::string::npos) text.erase(comment);
  text.erase(text.find_last_not_of(' ') + 1);
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string program = text.substr(0, end), next = text.substr(end, text.find(' ', end + 1) - end);
  static constexpr std::array kPrograms{"scree",  "cmake", "ctest", "sudo", "apt",     "podman", "docker",
                                        "mpirun", "srun",  "ssh",   "git",  "python3", "pip",    "ffmpeg"};
  static constexpr std::array kFolders{"build/release/", "bench/", "script/", ".ci/", "./", "PYTHONPATH="};
  const bool is_said_by_it = program == "scree" && next.ends_with(':');  // "scree run: particles 0 and 1 ..."
  const bool is_command = std::ranges::find(kPrograms, program) != kPrograms.end() ||
                          std::ranges::any_of(kFolders, [&](const char* f) { return program.starts_with(f); });
  return is_command && !is_said_by_it ? text : std::string();
}

/// Commands as a page of the documentation has them, in their quick form: benches with --quick, runs for a few steps.
/// They run in a folder with the examples and the validation cases in it.
struct PageCommands : BenchCommand {
  void SetUp() override {
    BenchCommand::SetUp();
    for (const char* folder : {"examples", "validation"})
      fs::create_directory_symlink(fs::path(SCREE_SOURCE_DIR) / folder, home / folder);
    // Films are tests/cli/export.cpp's.
    fs::create_directory(home / "bin");
    std::ofstream(home / "bin" / "ffmpeg") << "#!/bin/sh\nfor last; do :; done\necho film > \"$last\"\n";
    fs::permissions(home / "bin" / "ffmpeg", fs::perms::owner_all);
  }
  /// "scree run CASE ...", with build/release/ before it or not, or a program of bench/.
  int run_line(const std::string& line) {
    const std::size_t end = std::min(line.find(' '), line.size());
    std::string program = line.substr(0, end);
    const std::string arguments = line.substr(std::min(end + 1, line.size()));
    if (program == "build/release/scree") program = "scree";
    return shell("cd '" + home.string() + "' && PATH='" + (home / "bin").string() + "':\"$PATH\" XDG_DATA_HOME='" +
                 (home / "data").string() + "' '" +
                 (program == "scree" ? SCREE_BINARY : SCREE_SOURCE_DIR "/" + program) + "' " + quick_form(arguments));
  }

 private:
  std::string quick_form(std::string command) {
    if (command.starts_with("bench ") && !has(command, " --quick")) command += " --quick";
    if (const std::size_t at = command.find(" --at \""); at != std::string::npos)  // where there are frames
      command.replace(at, command.find('"', at + 7) + 1 - at, " --at 0");
    if (command.starts_with("validate ")) command += " --out page.html";
    if (command.starts_with("run ")) {
      if (const std::size_t at = command.find(" --until "); at != std::string::npos) {
        const std::size_t from = command[at + 9] == '"' ? command.find('"', at + 10) : at + 9;
        command.erase(at, command.find(' ', from) - at);
      }
      // Later than the run before it, so that --resume has something to do.
      command += " --until '" + std::to_string(20 * ++runs_) + " us' --no-report --quiet";
      if (!has(command, " --resume")) command += " --force";
    }
    if (has(command, "jet.yaml")) command += " --set 'particles[0].count=2000'";  // of half a million discs
    return command;
  }
  int runs_ = 0;
};

}  // namespace scree::testing_cli
