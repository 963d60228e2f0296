#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

/// Man pages and shell completions, made from the table that reads the command line, so that they know what it knows.
namespace scree::app {

/// A command with the words that lead to it, as in {"scree", "shape", "import"}.
struct Command {
  std::vector<std::string> words;
  const CLI::App* app;
};

std::string joined(const std::vector<std::string>& words, std::string_view between);

/// The program itself, then its commands and theirs, in the order of --help; hidden ones left out.
std::vector<Command> all_commands(const CLI::App& program);

/// What an option or an argument may be followed by, or may be.
struct Values {
  enum class Kind { none, any, word, file, folder } kind;
  std::vector<std::string> words;  ///< Kind::word
};
Values values_of(const CLI::Option& option);

/// A page of section 1 in roff.
std::string man_page(const Command& command, const std::string& version);

std::string bash_completion(const CLI::App& program);
std::string zsh_completion(const CLI::App& program);
std::string fish_completion(const CLI::App& program);

}  // namespace scree::app
