#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "app/commands.h"
#include "io/results/build_info.h"
#include "io/text/nearest.h"

namespace {

using namespace scree;

constexpr const char* kFooter = R"(Examples:
  scree new box -o box.yaml                               # a case to start from
  scree check examples/box_fill.yaml                      # is the case right, and what will it take?
  scree run examples/box_fill.yaml --out results/box_fill # run it; ends by naming report.html
  scree run CASE.yaml --set "output.every=5 ms"           # the same with another value
  scree shape list                                        # the shapes that grains can have
  scree materials                                         # densities and moduli, with their sources

Exit codes: 0 done, 1 the run failed, 2 the input is wrong, 130 interrupted after a checkpoint.)";

/// The (sub)command that was being parsed: the deepest one named on the line.
const CLI::App& deepest(const CLI::App& app) {
  const auto given = app.get_subcommands();
  return given.empty() ? app : deepest(*given.front());
}

/// "scree shape import".
std::string whole_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? "scree" : whole_name(*app.get_parent()) + " " + app.get_name();
}

/// Names that may stand where an unknown word stood.
std::vector<std::string> names_of(const CLI::App& app, bool options) {
  std::vector<std::string> names;
  if (options) {
    for (const CLI::Option* o : app.get_options())
      for (const std::string& n : o->get_lnames()) names.push_back("--" + n);
  } else {
    for (const CLI::App* s : app.get_subcommands([](const CLI::App* a) { return !a->get_group().empty(); }))
      names.push_back(s->get_name());
  }
  return names;
}

/// The error is about the value of an option that is known.
bool from_value(const CLI::ParseError& e) {
  return dynamic_cast<const CLI::ExtrasError*>(&e) == nullptr && dynamic_cast<const CLI::RequiredError*>(&e) == nullptr;
}

/// One sentence for a line that cannot be parsed, with the nearest word that could.
std::string parse_error(const CLI::App& app, const CLI::ParseError& e) {
  const CLI::App& at = deepest(app);
  const std::string name = whole_name(at);
  std::string message = e.what();
  if (const std::vector<std::string> extras = app.remaining(true); !extras.empty() && !from_value(e)) {
    const std::string& word = extras.front();
    const bool option = word.starts_with("-");
    const auto names = names_of(at, option);
    const bool command = !option && !names.empty();
    message = (option ? "unknown option " : command ? "unknown command " : "unexpected argument ") + word;
    if (option || command) message += io::did_you_mean(word, names);
  } else if (dynamic_cast<const CLI::RequiredError*>(&e) && !names_of(at, false).empty()) {
    message = "no command given";
  }
  return name + ": " + message + "\nTry " + name + " --help";
}

int run(int argc, char** argv) {
  CLI::App app{"Scree moves angular grains: a discrete element engine for convex polyhedra."};
  app.name("scree");
  app.set_version_flag("--version", std::string("scree ") + io::kBuildInfo.version, "Print the version and stop");
  app.set_help_flag("-h,--help", "Print this help and stop");
  app.require_subcommand(1);
  app.footer(kFooter);
  int exit_code = app::kDone;
  app::add_new(app, exit_code);
  app::add_run(app, exit_code);
  app::add_check(app, exit_code);
  app::add_info(app, exit_code);
  app::add_view(app, exit_code);
  app::add_export(app, exit_code);
  app::add_render(app, exit_code);
  app::add_validate(app, exit_code);
  app::add_shape(app, exit_code);
  app::add_materials(app, exit_code);
  app::add_contact(app, exit_code);
  app::add_schema(app, exit_code);
  app::add_manual(app, exit_code);
#if SCREE_BENCH
  app::add_bench(app, exit_code);
#endif
  if (argc <= 1) {
    std::fputs(app.help().c_str(), stderr);
    return app::kBadInput;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {  // --help, --version
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    std::fprintf(stderr, "%s\n", parse_error(app, e).c_str());
    return app::kBadInput;
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    std::fputs("scree: the output could not be written\n", stderr);
    return exit_code == app::kDone ? app::kRunFailed : exit_code;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("scree: the memory is not enough for this; fewer grains or a machine with more memory will do\n",
               stderr);
  } catch (const std::exception& e) {
    std::fprintf(
        stderr,
        "scree: stopped by a fault in the program itself (%s); please report it with the command that you gave\n",
        e.what());
  }
  return app::kRunFailed;
}
