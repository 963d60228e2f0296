#pragma once
#include "cli/bench_command.h"

namespace scree::testing_cli {

/// Commands as a page of the documentation has them, in their quick form: benches with --quick, runs for a few steps.
/// They run in a folder with the examples and the validation cases in it.
struct PageCommands : BenchCommand {
  void SetUp() override {
    BenchCommand::SetUp();
    for (const char* folder : {"examples", "validation"})
      fs::create_directory_symlink(fs::path(SCREE_SOURCE_DIR) / folder, home / folder);
  }
  /// "scree run CASE ...", or a program of bench/.
  int run_line(const std::string& line) {
    const std::string program = line.substr(0, line.find(' ')), arguments = line.substr(program.size() + 1);
    return shell("cd '" + home.string() + "' && XDG_DATA_HOME='" + (home / "data").string() + "' '" +
                 (program == "scree" ? SCREE_BINARY : SCREE_SOURCE_DIR "/" + program) + "' " + quick_form(arguments));
  }

 private:
  std::string quick_form(std::string command) {
    if (command.starts_with("bench ")) command += " --quick";
    if (command.starts_with("validate ")) command += " --out page.html";
    if (command.starts_with("run ")) {
      if (const std::size_t at = command.find(" --until \""); at != std::string::npos)
        command.erase(at, command.find('"', at + 10) + 1 - at);
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
