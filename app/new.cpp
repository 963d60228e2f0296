// scree new: a case to start from.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/case_templates.h"
#include "app/commands.h"
#include "io/text/files.h"
#include "io/text/nearest.h"
#include "io/text/short_text.h"

namespace scree::app {

namespace {

namespace fs = std::filesystem;

int list_kinds() {
  for (const CaseTemplate& t : case_templates()) {
    const std::string_view first = t.text.substr(0, t.text.find('\n'));
    fmt::print("{:<10} {}\n", t.kind, first.substr(std::min(first.size(), first.find_first_not_of("# "))));
  }
  return kDone;
}

int make_case(const std::string& kind, const std::optional<std::string>& to) {
  std::vector<std::string> kinds;
  for (const CaseTemplate& t : case_templates()) kinds.emplace_back(t.kind);
  if (kind.empty()) return refuse("new", fmt::format("no kind given; there are {}", fmt::join(kinds, ", ")));
  const auto t = std::find(kinds.begin(), kinds.end(), kind);
  if (t == kinds.end()) {
    return refuse("new", fmt::format("there is no kind {}{}; --list names them all", io::short_text(kind),
                                     io::did_you_mean(kind, kinds)));
  }
  const std::string_view text = case_templates()[static_cast<std::size_t>(t - kinds.begin())].text;
  if (!to) {
    fmt::print("{}", text);
    return kDone;
  }
  if (to->empty()) return refuse("new", "--out: expected the name of a file, got nothing");
  std::error_code e;
  if (fs::exists(fs::symlink_status(*to, e)))
    return refuse("new", *to + " is there already and stays as it is; name another file");
  if (const Status written = io::write_file(*to, text); !written) return fail("new", written.error().message);
  fmt::print("{0}\n`scree check {0}` says what it takes, `scree run {0}` runs it\n", *to);
  return kDone;
}

}  // namespace

void add_new(CLI::App& app, int& exit_code) {
  struct Options {
    std::string kind, out;
    bool list = false;
  };
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand("new", "Make a case to start from: short, commented, ready to run");
  c->add_option("KIND", o->kind, "What happens in it: --list names every kind");
  c->add_flag("--list", o->list, "Name the kinds, with a line on each, and stop");
  CLI::Option* out =
      c->add_option("-o,--out", o->out, "The file to write, which must not be there yet; else the terminal")
          ->type_name("FILE");
  c->footer("Example:\n  scree new hopper -o my_hopper.yaml && scree run my_hopper.yaml");
  c->callback([o, out, &exit_code] {
    exit_code = o->list ? list_kinds() : make_case(o->kind, out->count() > 0 ? std::optional(o->out) : std::nullopt);
  });
}

}  // namespace scree::app
