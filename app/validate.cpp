// scree validate: the published cases, against their references.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/commands.h"
#include "exec/parallel.h"
#include "io/text/files.h"
#include "io/text/nearest.h"
#include "validation/validation.h"

namespace scree::app {

namespace {

using validation::PublishedCase;

const char* limit_word(validation::Check::Kind kind) {
  if (kind == validation::Check::Kind::at_most) return "at most ";
  return kind == validation::Check::Kind::at_least ? "at least " : "";
}

int list_cases() {
  for (const PublishedCase& c : validation::cases()) {
    fmt::print("{:<22} {:<6} {} [{}]\n", c.name, c.quick ? "quick" : "long", c.title, c.reference);
  }
  return kDone;
}

int validate(const std::vector<std::string>& names, bool quick, const std::string& out) {
  std::vector<const PublishedCase*> chosen;
  std::vector<std::string> known;
  for (const PublishedCase& c : validation::cases()) known.push_back(c.name);
  for (const std::string& name : names) {
    bool found = false;
    for (const PublishedCase& c : validation::cases()) {
      if (name != "all" && name != c.name) continue;
      found = true;
      if (quick && !c.quick) {
        if (name != "all") fmt::print(stderr, "scree validate: {} is a long case; --quick leaves it out\n", name);
        continue;
      }
      if (std::find(chosen.begin(), chosen.end(), &c) == chosen.end()) chosen.push_back(&c);
    }
    if (found) continue;
    fmt::print(stderr, "scree validate: there is no case {}{}; --list names them all\n", name,
               io::did_you_mean(name, known));
    return kBadInput;
  }
  std::vector<std::pair<const PublishedCase*, validation::Outcome>> outcomes;
  std::size_t failed = 0;
  for (const PublishedCase* c : chosen) {
    validation::Outcome o = validation::run(*c);
    failed += !o.passes();
    fmt::print("{} {} ({:.1f} s)\n", o.passes() ? "holds" : "FAILS", c->name, o.seconds);
    if (!o.fault.empty()) fmt::print("  {}\n", o.fault);
    for (const validation::Check& k : o.checks) {
      if (k.passes()) continue;
      fmt::print("  {}: {:.6g} {}, reference {}{:.6g}\n", k.quantity, k.computed, k.unit, limit_word(k.kind),
                 k.reference);
    }
    std::fflush(stdout);
    outcomes.emplace_back(c, std::move(o));
  }
  const Status written = io::write_file(out, validation::page(outcomes));
  if (!written) {
    fmt::print(stderr, "{}\n", written.error().message);
    return kRunFailed;
  }
  fmt::print("{} of {} cases hold: {}\n", outcomes.size() - failed, outcomes.size(), out);
  return failed == 0 && !outcomes.empty() ? kDone : kRunFailed;
}

}  // namespace

void add_validate(CLI::App& app, int& exit_code) {
  struct Options {
    std::vector<std::string> names{"all"};
    std::string out = "validation.html";
    bool quick = false, list = false;
    int threads = 0;
  };
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand("validate", "Run published cases and hold them to their references");
  c->add_option("NAME", o->names, "Cases to run, or all (the default)");
  c->add_flag("--quick", o->quick, "Leave out the long cases");
  c->add_flag("--list", o->list, "Name the cases and stop");
  c->add_option("-o,--out", o->out, "The page to write (validation.html)")->type_name("FILE");
  c->add_option("--threads", o->threads, "Number of threads; all cores unless given")->check(CLI::Range(1, 1024));
  c->footer(
      "Writes one page with curves, references, tolerances and verdicts; exits 1 if a case fails.\nExample:\n  scree "
      "validate slide bounce");
  c->callback([o, &exit_code] {
    exec::set_threads(o->threads);
    exit_code = o->list ? list_cases() : validate(o->names, o->quick, o->out);
  });
}

}  // namespace scree::app
