#pragma once
#include <string_view>

namespace CLI {
class App;
}

namespace scree::app {

/// Exit codes of every command.
inline constexpr int kDone = 0, kRunFailed = 1, kBadInput = 2, kInterrupted = 130;

/// "scree COMMAND: message" on stderr. `refuse` returns kBadInput, `fail` kRunFailed.
void say(std::string_view command, std::string_view message);
int refuse(std::string_view command, std::string_view message);
int fail(std::string_view command, std::string_view message);

/// Each command adds its subcommand with options and a callback that sets `exit_code`; one source file per command.
void add_new(CLI::App& app, int& exit_code);
void add_run(CLI::App& app, int& exit_code);
void add_check(CLI::App& app, int& exit_code);
void add_info(CLI::App& app, int& exit_code);
void add_view(CLI::App& app, int& exit_code);
void add_export(CLI::App& app, int& exit_code);
void add_render(CLI::App& app, int& exit_code);
void add_validate(CLI::App& app, int& exit_code);
void add_shape(CLI::App& app, int& exit_code);
void add_materials(CLI::App& app, int& exit_code);
void add_contact(CLI::App& app, int& exit_code);
void add_schema(CLI::App& app, int& exit_code);
/// Hidden: what the build calls to write the man pages and completions.
void add_manual(CLI::App& app, int& exit_code);
void add_bench(CLI::App& app, int& exit_code);

}  // namespace scree::app
