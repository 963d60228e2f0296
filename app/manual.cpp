#include "app/manual.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <sstream>
#include <string_view>

#include "app/commands.h"
#include "io/results/build_info.h"
#include "io/text/files.h"

namespace scree::app {

namespace {

/// Text that roff prints as it stands: a dash is one that can be copied, and no line is a request.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

/// Lists of words without spaces, as in {a,b,c}, may be broken at a comma.
std::string breakable(std::string text) {
  for (std::size_t at = 0; (at = text.find(',', at)) != std::string::npos; at += 3) text.replace(at, 1, ",\\:");
  return text;
}

/// Each line of the text stays one.
std::string lines(std::string_view text) {
  std::string out = roff(text);
  for (std::size_t at = 0; (at = out.find('\n', at)) != std::string::npos; at += 5) out.replace(at, 1, "\n.br\n");
  return out + "\n";
}

/// What --help says beside the name of an option: its value, bounds, default, what it needs and excludes.
std::string remarks(const CLI::App& app, const CLI::Option& o) {
  const auto formatter = std::dynamic_pointer_cast<CLI::Formatter>(app.get_formatter());
  return formatter ? formatter->make_option_opts(&o) : std::string();
}

std::string option_rows(const CLI::App& app, bool positional) {
  std::string out;
  for (const CLI::Option* o : app.get_options()) {
    if (o->get_group().empty() || o->get_positional() != positional) continue;
    out += ".TP\n\\fB" + roff(o->get_name(positional, !positional)) + "\\fR" + breakable(roff(remarks(app, *o))) +
           "\n" + lines(o->get_description());
  }
  return out;
}

/// The footer of --help: `Example:` with indented lines, sentences, and one on exit codes.
std::string footer_sections(const std::string& footer) {
  std::string out;
  std::istringstream in(footer);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("Example")) {
      out += ".SH EXAMPLES\n";
      line.erase(0, line.find(':') + 1);
    }
    if (line.starts_with("Exit code")) {
      out += ".SH EXIT STATUS\n" + roff(line) + "\n";
    } else if (line.starts_with(" ")) {
      out += ".nf\n" + roff(line.substr(line.find_first_not_of(' '))) + "\n.fi\n";
    } else if (!line.empty()) {
      out += (out.empty() ? ".SH NOTES\n" : ".PP\n") + roff(line) + "\n";
    }
  }
  return out;
}

std::string usage(const Command& command) {
  const auto formatter = std::dynamic_pointer_cast<CLI::Formatter>(command.app->get_formatter());
  std::string text = formatter ? formatter->make_usage(command.app, joined(command.words, " ")) : std::string();
  text.erase(0, text.find(':') + 2);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

int write_manual(const CLI::App& program, const std::string& folder) {
  const std::filesystem::path root = folder;
  std::vector<std::pair<std::filesystem::path, std::string>> files{
      {root / "bash/scree", bash_completion(program)},
      {root / "zsh/_scree", zsh_completion(program)},
      {root / "fish/scree.fish", fish_completion(program)}};
  for (const Command& c : all_commands(program))
    files.emplace_back(root / "man" / (joined(c.words, "-") + ".1"), man_page(c, io::kBuildInfo.version));
  for (const auto& [file, text] : files) {
    Status done = io::make_folder(file.parent_path());
    if (done) done = io::write_file(file, text, io::Durability::buffered);
    if (!done) {
      std::cerr << "scree manual: " << done.error().message << "\n";
      return kRunFailed;
    }
  }
  return kDone;
}

}  // namespace

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  return fmt::format("{}", fmt::join(words, between));
}

std::vector<Command> all_commands(const CLI::App& program) {
  std::vector<Command> found{{{program.get_name()}, &program}};
  for (std::size_t k = 0; k < found.size(); ++k) {
    std::vector<Command> below;
    for (const CLI::App* s : found[k].app->get_subcommands([](const CLI::App* a) { return !a->get_group().empty(); })) {
      below.push_back({found[k].words, s});
      below.back().words.push_back(s->get_name());
    }
    found.insert(found.begin() + static_cast<std::ptrdiff_t>(k + 1), below.begin(), below.end());
  }
  return found;
}

Values values_of(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return {Values::Kind::none, {}};
  const std::string type = option.get_type_name(), argument = option.get_name(true, false);
  if (type == "FILE" || argument == "FILE") return {Values::Kind::file, {}};
  if (type == "DIR" || argument == "DIR") return {Values::Kind::folder, {}};
  // IsMember describes itself as {a,b,c}.
  const std::size_t begin = type.find('{'), end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) return {Values::Kind::any, {}};
  return {Values::Kind::word, CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',')};
}

std::string man_page(const Command& command, const std::string& version) {
  const CLI::App& app = *command.app;
  const std::string name = joined(command.words, "-");
  std::string out =
      fmt::format(".TH {} 1 \"\" \"scree {}\" \"User Commands\"\n.nh\n.ad l\n", roff(name), roff(version));
  out += ".SH NAME\n" + roff(name) + " \\- " + roff(app.get_description()) + "\n";
  out += ".SH SYNOPSIS\n.B " + roff(usage(command)) + "\n";
  if (const std::string rows = option_rows(app, true); !rows.empty()) out += ".SH ARGUMENTS\n" + rows;
  out += ".SH OPTIONS\n" + option_rows(app, false);
  std::string commands, see_also = command.words.size() > 1 ? ".BR scree (1)" : "";
  for (const Command& c : all_commands(app)) {
    if (c.words.size() != 2) continue;
    commands += ".TP\n\\fB" + roff(c.words.back()) + "\\fR\n" + lines(c.app->get_description());
    see_also += (see_also.empty() ? "" : ",\n") + (".BR " + roff(name + "-" + c.words.back()) + " (1)");
  }
  if (!commands.empty()) out += ".SH COMMANDS\n" + commands;
  return out + footer_sections(app.get_footer()) + ".SH SEE ALSO\n" + see_also + "\n";
}

void add_manual(CLI::App& app, int& exit_code) {
  auto folder = std::make_shared<std::string>();
  CLI::App* c = app.add_subcommand("manual", "Write the man pages and the completions of shells into a folder");
  c->group("");
  c->add_option("DIR", *folder, "Where to: man/, bash/, zsh/ and fish/ in it")->required();
  c->callback([&app, folder, &exit_code] { exit_code = write_manual(app, *folder); });
}

}  // namespace scree::app
