#include <fmt/format.h>

#include <cmath>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/commands.h"
#include "app/progress.h"
#include "app/run_session.h"
#include "base/diagnostic.h"
#include "exec/parallel.h"
#include "io/case/read_case.h"
#include "io/case/set_up_mistake.h"
#include "io/checkpoint/checkpoint.h"
#include "io/library/library.h"
#include "io/results/folder_lock.h"
#include "io/results/report.h"
#include "io/text/files.h"
#include "io/text/units.h"

namespace scree::app {

namespace fs = std::filesystem;

namespace {

struct Options {
  std::string case_file, out, until;
  std::vector<std::string> set;
  int threads = 0;  ///< 0: all cores
  bool threads_given = false, until_given = false, resume = false, force = false, no_report = false, quiet = false;
};

/// What a run writes; --force removes this and nothing else.
constexpr const char* kOwnFiles[] = {"frames",      "contacts",          "checkpoint",         "fault",
                                     "series.csv",  "bonds.csv",         "run.json",           "case.yaml",
                                     "report.html", "frames.hdf.series", "contacts.hdf.series"};

int refuse(const std::string& message) {
  std::cerr << "scree run: " << message << "\n";
  return kBadInput;
}

int fail(const std::string& message) {
  std::cerr << "scree run: " << message << "\n";
  return kRunFailed;
}

/// A word as a POSIX shell reads it back.
std::string quoted(const std::string& word) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

fs::path results_folder(const Options& o) {
  if (!o.out.empty()) return o.out;
  return fs::path("results") / fs::path(o.case_file).stem();
}

std::string command_to_go_on(const Options& o) {
  std::string line = "scree run " + quoted(o.case_file) + " --out " + quoted(results_folder(o).string()) + " --resume";
  for (const std::string& s : o.set) line += " --set " + quoted(s);
  if (o.threads_given) line += fmt::format(" --threads {}", o.threads);
  if (o.no_report) line += " --no-report";
  if (o.quiet) line += " --quiet";
  return line;
}

bool holds_results(const fs::path& folder) {
  std::error_code e;
  for (const char* name : {"run.json", "series.csv", "frames", "checkpoint"}) {
    if (fs::exists(fs::symlink_status(folder / name, e))) return true;
  }
  return false;
}

/// A run that was killed before its first checkpoint has nothing to go on from, and nothing to lose. To be asked before
/// the folder is locked: a run that was killed while it was being set up has left a lock and no more.
bool was_killed_at_once(const fs::path& folder) {
  std::error_code e;
  if (!holds_results(folder) && !fs::exists(folder / io::FolderLock::kFile, e)) return false;
  if (!io::list_checkpoints(folder / "checkpoint").empty()) return false;
  return fs::is_empty(folder / "frames", e) || !fs::exists(folder / "frames", e);
}

Result<std::optional<double>> until_of(const Options& o) {
  if (!o.until_given) return std::optional<double>();
  Result<io::Units> units = io::Units::load();
  if (!units) return units.error();
  Result<double> t = units->to_si(o.until, io::dimension::time);
  if (!t) return Error{"--until: expected a time, got " + (o.until.empty() ? "nothing" : t.error().message)};
  if (!(*t >= 0) || !std::isfinite(*t)) return Error{"--until: expected a time that is not negative, got " + o.until};
  return std::optional<double>(*t);
}

int end_with_report(const Options& o, const fs::path& folder, Progress& progress, const Ending& ending) {
  int code = ending.exit_code;
  if (ending.verdict == io::RunRecord::Verdict::interrupted) return code;
  if (o.no_report) {
    std::cout << folder.string() << std::endl;
    return code;
  }
  const auto page = io::write_report(folder);
  if (!page) {
    progress.say("scree run: " + page.error().message);
    return code == 0 ? kRunFailed : code;
  }
  for (const std::string& sentence : page->missing) progress.say("report: " + sentence);
  std::cout << page->file.string() << std::endl;
  return code;
}

int begin_fresh(const Options& o, const fs::path& folder, const Case& c, const ShapeSource& shapes, bool in_place,
                RunSession& session, Progress& progress) {
  Result<Simulation> s = set_up(c, shapes);
  if (!s) {
    std::cerr << format(io::set_up_mistake(c, o.set, s.error())) << "\n";
    return kBadInput;
  }
  if (in_place) {
    for (const char* name : kOwnFiles) {
      if (Status removed = io::remove_all(folder / name); !removed) return fail(removed.error().message);
    }
  }
  progress.remark(fmt::format("{}{} particles, time step {:.4g} s, results in {}",
                              c.title.empty() ? "" : c.title + ": ", s->particles.size_rows(), s->dt, folder.string()));
  if (Status started = session.start(std::move(*s)); !started) return fail(started.error().message);
  return kDone;
}

int begin_resumed(const fs::path& folder, const Case& c, const ShapeSource& shapes, RunSession& session,
                  Progress& progress) {
  Result<io::Resumed> from = io::resume_from(folder / "checkpoint", c, shapes);
  if (!from) return refuse(from.error().message);
  for (const std::string& remark : from->remarks) progress.say("scree run: passed over: " + remark);
  progress.remark(fmt::format("going on at t = {:.6g} s, step {}, from {}", from->state.time, from->state.step,
                              from->file.string()));
  if (Status resumed = session.resume(std::move(*from)); !resumed) return fail(resumed.error().message);
  return kDone;
}

int run(const Options& o) {
  watch_signals();
  if (o.threads_given && o.threads < 1) return refuse(fmt::format("--threads: expected at least 1, got {}", o.threads));
  const Result<std::optional<double>> until = until_of(o);
  if (!until) return refuse(until.error().message);
  const io::ReadCase read = io::read_case(o.case_file, o.set);
  for (const Diagnostic& d : read.diagnostics) std::cerr << format(d) << "\n";
  if (has_errors(read.diagnostics)) return kBadInput;

  const fs::path folder = results_folder(o);
  if (!o.resume && !o.force && holds_results(folder)) {
    return refuse(fmt::format(
        "{} holds the results of a run already; --resume goes on with it, --force starts anew in its place, "
        "--out DIR writes elsewhere",
        folder.string()));
  }
  if (std::error_code e; o.resume && fs::exists(folder / "fault.json", e))
    return refuse(folder.string() + " shows the last steps of a run that has failed; to go on from there, copy its " +
                  "checkpoint folder into a folder of its own");
  if (!o.resume) {
    if (Status made = io::make_folder(folder); !made) return fail(made.error().message);
  }
  const bool anew = o.resume && was_killed_at_once(folder);
  std::optional<io::FolderLock> lock;
  if (std::error_code e; fs::is_directory(folder, e)) {
    Result<io::FolderLock> taken = io::FolderLock::take(folder);
    if (!taken) return refuse(taken.error().message);
    lock.emplace(std::move(*taken));
  }
  exec::set_threads(o.threads);
  Progress progress(o.quiet);
  const ShapeSource shapes = [](const std::string& name) { return io::load_shape(name); };
  RunSession session({folder, *until, command_to_go_on(o), exec::threads()}, read.value, shapes, progress);
  if (anew) progress.say("scree run: " + folder.string() + " has no checkpoint yet: the run starts anew");
  const int begun = o.resume && !anew ? begin_resumed(folder, read.value, shapes, session, progress)
                                      : begin_fresh(o, folder, read.value, shapes, o.force || anew, session, progress);
  if (begun != kDone) return begun;
  return end_with_report(o, folder, progress, session.go());
}

/// Nothing is thrown on purpose; what the libraries throw (memory used up, above all) must still end in a sentence.
int run_safely(const Options& o) {
  try {
    return run(o);
  } catch (const std::bad_alloc&) {
    return fail("out of memory; the last checkpoint, if there is one, is kept");
  } catch (const std::exception& e) {
    return fail(std::string("stopped by an unexpected error: ") + e.what());
  }
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand("run", "Run a case: from its file to a results folder with a report");
  c->add_option("CASE", o->case_file, "Case file (YAML)")->required()->type_name("FILE");
  c->add_option("-o,--out", o->out, "Results folder; results/NAME of the case file when left out")->type_name("DIR");
  CLI::Option* threads =
      c->add_option("--threads", o->threads, "Number of threads; all cores when left out. Results do not depend on it");
  CLI::Option* until =
      c->add_option("--until", o->until, "Stop at this time, as in \"0.05 s\"; --resume goes on from there");
  c->add_option("--set", o->set, "Change a key of the case, as in \"output.every=5 ms\"; can be given again")
      ->allow_extra_args(false);
  c->add_flag("--resume", o->resume, "Go on from the last checkpoint in the results folder, with the same bits");
  c->add_flag("--force", o->force, "Start anew where the folder holds results already")->excludes("--resume");
  c->add_flag("--no-report", o->no_report, "Do not write report.html at the end");
  c->add_flag("--quiet", o->quiet, "No progress; errors are shown all the same");
  c->footer(
      "Examples:\n  scree run examples/box_fill.yaml\n"
      "  scree run box.yaml --out results/stiff --threads 2 --set \"contacts[0].kn=1 MN/m\" --until \"0.05 s\"\n"
      "  scree run box.yaml --out results/stiff --resume\n"
      "Ctrl-C writes a checkpoint and says how to go on; a second one ends at once.\n"
      "Exit code: 0 done, 1 the run failed (physics, disk), 2 the input is wrong, 130 interrupted.");
  c->callback([o, threads, until, &exit_code] {
    o->threads_given = threads->count() > 0, o->until_given = until->count() > 0;
    exit_code = run_safely(*o);
  });
}

}  // namespace scree::app
