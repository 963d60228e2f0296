#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "app/manual.h"
#include "io/text/short_text.h"

namespace scree::app {

namespace {

/// One word of any of the three shells.
std::string shell_word(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string command_line(const Command& c) { return joined(c.words, " "); }

/// -o and --out as they are typed.
std::vector<std::string> spellings(const CLI::Option& o) {
  std::vector<std::string> names;
  for (const std::string& n : o.get_snames()) names.push_back("-" + n);
  for (const std::string& n : o.get_lnames()) names.push_back("--" + n);
  return names;
}

std::vector<const CLI::Option*> options_of(const CLI::App& app, bool positional) {
  return app.get_options(
      [=](const CLI::Option* o) { return !o->get_group().empty() && o->get_positional() == positional; });
}

std::vector<Command> commands_below(const Command& c) {
  std::vector<Command> below = all_commands(*c.app);
  std::erase_if(below, [](const Command& b) { return b.words.size() != 2; });
  return below;
}

/// 'scree run'|'scree check'|...: what the loop over the words of a line may become.
std::string pattern_of_commands(const std::vector<Command>& commands) {
  std::vector<std::string> patterns;
  for (const Command& c : commands) {
    if (c.words.size() > 1) patterns.push_back(shell_word(command_line(c)));
  }
  return joined(patterns, "|");
}

std::string bash_values(const Values& v) {
  switch (v.kind) {
    case Values::Kind::file:
      return "_scree_reply -f";
    case Values::Kind::folder:
      return "_scree_reply -d";
    case Values::Kind::word:
      return "_scree_reply -W " + shell_word(joined(v.words, " "));
    default:
      return ":";
  }
}

/// `name[explanation]` and `:message:action` of zsh's _arguments.
std::string zsh_text(const std::string& text, std::string_view special) {
  std::string out;
  for (const char c : io::first_line(text))
    out += special.find(c) == special.npos ? std::string(1, c) : std::string("\\") + c;
  return out;
}

std::string zsh_action(const Values& v) {
  switch (v.kind) {
    case Values::Kind::file:
      return "_files";
    case Values::Kind::folder:
      return "_files -/";
    case Values::Kind::word:
      return "(" + joined(v.words, " ") + ")";
    default:
      return "";
  }
}

bool takes_many(const CLI::Option& o) { return o.get_expected_max() > 1; }

std::string zsh_option(const CLI::Option& o) {
  const std::vector<std::string> names = spellings(o);
  const Values v = values_of(o);
  const bool again = takes_many(o);
  std::string spec = "[" + zsh_text(o.get_description(), "[]\\") + "]";
  if (v.kind != Values::Kind::none) spec += ":value:" + zsh_action(v);
  std::string out;
  for (const std::string& name : names)
    out += " " + shell_word((again ? "*" : "(" + joined(names, " ") + ")") + name + spec);
  return out;
}

std::string fish_values(const Values& v) {
  switch (v.kind) {
    case Values::Kind::none:
      return "";
    case Values::Kind::file:
      return " -r -F";
    case Values::Kind::folder:
      return " -x -a '(__fish_complete_directories)'";
    case Values::Kind::word:
      return " -x -a " + shell_word(joined(v.words, " "));
    default:
      return " -x";
  }
}

}  // namespace

std::string bash_completion(const CLI::App& program) {
  const std::vector<Command> commands = all_commands(program);
  std::string values, rows;
  for (const Command& c : commands) {
    std::vector<std::string> options, words;
    std::string files;
    for (const CLI::Option* o : options_of(*c.app, false)) {
      const std::vector<std::string> names = spellings(*o);
      options.insert(options.end(), names.begin(), names.end());
      if (const Values v = values_of(*o); v.kind != Values::Kind::none) {
        std::vector<std::string> patterns;
        for (const std::string& n : names) patterns.push_back(shell_word(command_line(c) + " " + n));
        values += fmt::format("    {}) {}; return ;;\n", joined(patterns, "|"), bash_values(v));
      }
    }
    std::string arguments = ":";
    for (const CLI::Option* o : options_of(*c.app, true)) {
      if (const Values v = values_of(*o); v.kind != Values::Kind::any) arguments = bash_values(v);
    }
    for (const Command& b : commands_below(c)) words.push_back(b.words.back());
    if (!words.empty()) arguments = "_scree_reply -W " + shell_word(joined(words, " "));
    rows += fmt::format("    {}) options={}; [[ $cur == -* ]] || {} ;;\n", shell_word(command_line(c)),
                        shell_word(joined(options, " ")), arguments);
  }
  return R"(# bash completion of scree, written by `scree manual`
_scree_reply() {
  if [[ $1 != -W ]]; then compopt -o filenames 2>/dev/null; fi
  mapfile -t COMPREPLY < <(compgen "$@" -- "$cur")
}

_scree() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=scree options word
  if [[ $cur == = ]]; then cur=''; elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command $word" in
      )" +
         pattern_of_commands(commands) +
         R"() command+=" $word" ;;
    esac
  done
  COMPREPLY=()
  case "$command $prev" in
)" + values +
         R"(  esac
  case $command in
)" + rows +
         R"(  esac
  if [[ $cur == -* ]]; then _scree_reply -W "$options"; fi
}
complete -F _scree scree
)";
}

std::string zsh_completion(const CLI::App& program) {
  const std::vector<Command> commands = all_commands(program);
  std::string rows;
  for (const Command& c : commands) {
    rows += fmt::format("    ({}) _arguments", shell_word(command_line(c)));
    for (const CLI::Option* o : options_of(*c.app, false)) rows += zsh_option(*o);
    for (const CLI::Option* o : options_of(*c.app, true)) {
      rows +=
          " " + shell_word((takes_many(*o) ? "*:" : ":") + o->get_name(true, false) + ":" + zsh_action(values_of(*o)));
    }
    std::string below;
    for (const Command& b : commands_below(c)) {
      below += (below.empty() ? "" : " ") + b.words.back() +
               "\\:" + fmt::format("\"{}\"", zsh_text(b.app->get_description(), ":()\"\\"));
    }
    if (!below.empty()) rows += " " + shell_word(":command:((" + below + "))");
    rows += " ;;\n";
  }
  return R"(#compdef scree
# zsh completion of scree, written by `scree manual`
_scree() {
  local command=scree
  integer k last=1
  for (( k = 2; k < CURRENT; ++k )); do
    case "$command $words[k]" in
      ()" +
         pattern_of_commands(commands) +
         R"() command+=" $words[k]"; last=k ;;
    esac
  done
  shift $(( last - 1 )) words
  (( CURRENT -= last - 1 ))
  case $command in
)" + rows +
         R"(  esac
}
_scree "$@"
)";
}

std::string fish_completion(const CLI::App& program) {
  const std::vector<Command> commands = all_commands(program);
  std::string names;
  for (const Command& c : commands) {
    if (c.words.size() > 1) names += " " + shell_word(command_line(c));
  }
  std::string out = R"(# fish completion of scree, written by `scree manual`
function __scree_at
  set -l command scree
  for word in (commandline -opc)[2..-1]
    if contains -- "$command $word")" +
                    names + R"(
      set command "$command $word"
    end
  end
  test "$command" = "$argv"
end
complete -c scree -f
)";
  for (const Command& c : commands) {
    const std::string here = "complete -c scree -n " + shell_word("__scree_at " + command_line(c));
    for (const CLI::Option* o : options_of(*c.app, false)) {
      out += here;
      for (const std::string& n : o->get_snames()) out += " -s " + n;
      for (const std::string& n : o->get_lnames()) out += " -l " + n;
      out += fish_values(values_of(*o)) + " -d " + shell_word(io::first_line(o->get_description())) + "\n";
    }
    for (const CLI::Option* o : options_of(*c.app, true)) {
      const Values v = values_of(*o);
      if (v.kind == Values::Kind::file || v.kind == Values::Kind::folder) out += here + " -F\n";
      if (v.kind == Values::Kind::word) out += here + " -a " + shell_word(joined(v.words, " ")) + "\n";
    }
    for (const Command& b : commands_below(c))
      out += here + " -a " + b.words.back() + " -d " + shell_word(io::first_line(b.app->get_description())) + "\n";
  }
  return out;
}

}  // namespace scree::app
