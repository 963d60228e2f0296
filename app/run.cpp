#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/arithmetic_probe.h"
#include "app/commands.h"
#include "app/estimate.h"
#include "app/progress.h"
#include "app/reading.h"
#include "app/run_session.h"
#include "app/shell_word.h"
#include "base/diagnostic.h"
#include "base/hash.h"
#include "exec/parallel.h"
#include "io/case/case_hash.h"
#include "io/case/set_up_mistake.h"
#include "io/checkpoint/checkpoint.h"
#include "io/library/library.h"
#include "io/results/folder_lock.h"
#include "io/results/report.h"
#include "io/text/files.h"
#include "io/text/units.h"
#include "mpi/launch.h"
#include "ranks/parcels.h"
#include "ranks/wait_watch.h"

namespace scree::app {

namespace fs = std::filesystem;

namespace {

struct RunOptions {
  std::string case_file, out, until;
  std::vector<std::string> set;
  int threads = 0;  ///< 0: all cores
  bool threads_given = false, until_given = false, resume = false, force = false, no_report = false, quiet = false;
};

/// What a run writes; --force removes this and nothing else.
constexpr const char* kOwnFiles[] = {"frames",      "contacts",          "checkpoint",         "fault",
                                     "series.csv",  "bonds.csv",         "run.json",           "case.yaml",
                                     "report.html", "frames.hdf.series", "contacts.hdf.series"};

fs::path results_folder(const RunOptions& o) {
  if (!o.out.empty()) return o.out;
  return fs::path("results") / fs::path(o.case_file).stem();
}

std::string command_to_go_on(const RunOptions& o, int ranks) {
  std::string line = ranks > 1 ? fmt::format("mpirun -n {} ", ranks) : "";
  line += "scree run " + quoted(o.case_file) + " --out " + quoted(results_folder(o).string()) + " --resume";
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

Result<std::optional<double>> until_of(const RunOptions& o) {
  if (!o.until_given) return std::optional<double>();
  Result<io::Units> units = io::Units::load();
  if (!units) return units.error();
  Result<double> t = units->to_si(o.until, io::dimension::time);
  if (!t) return Error{"--until: expected a time, got " + (o.until.empty() ? "nothing" : t.error().message)};
  if (!(*t >= 0) || !std::isfinite(*t)) return Error{"--until: expected a time that is not negative, got " + o.until};
  return std::optional<double>(*t);
}

int end_with_report(const RunOptions& o, const fs::path& folder, Progress& progress, const Ending& ending) {
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

/// What came of a part of the work that every rank does by itself: an exit code, kDone as a rule, and what to say.
struct Outcome {
  int code = kDone;
  std::string said;
};

/// The outcome of the first rank that has not done it; by all ranks. It tells the user.
int agree(ranks::Ranks& ranks, const Outcome& mine) {
  Outcome worst = mine;
  if (ranks.size() > 1) {
    const auto n = static_cast<std::uint64_t>(ranks.size());
    const std::uint64_t who = ranks.min_of(mine.code == kDone ? n : static_cast<std::uint64_t>(ranks.rank()));
    if (who == n) {
      worst.code = kDone;
    } else {
      worst.code = std::stoi(ranks.tell(static_cast<int>(who), std::to_string(mine.code)));
      worst.said = ranks.tell(static_cast<int>(who), mine.said);
      if (who > 0) worst.said = ranks::name_of(ranks, static_cast<int>(who)) + ": " + worst.said;
    }
  }
  if (worst.code != kDone && ranks.is_first()) std::cerr << worst.said << "\n";
  return worst.code;
}

Outcome refused(const std::string& message) { return {kBadInput, "scree run: " + message}; }
Outcome failed(const std::string& message) { return {kRunFailed, "scree run: " + message}; }

/// The folder as the run needs it, for the first rank alone.
struct Place {
  std::optional<io::FolderLock> lock;
  bool anew = false;  ///< the run that was begun there has nothing to go on from
};
Outcome take_folder(const RunOptions& o, const fs::path& folder, Place& place) {
  if (!o.resume && !o.force && holds_results(folder)) {
    return refused(fmt::format(
        "{} holds the results of a run already; --resume goes on with it, --force starts anew in its place, "
        "--out DIR writes elsewhere",
        folder.string()));
  }
  if (std::error_code e; o.resume && fs::exists(folder / "fault.json", e))
    return refused(folder.string() + " shows the last steps of a run that has failed; to go on from there, copy its " +
                   "checkpoint folder into a folder of its own");
  if (!o.resume) {
    if (Status made = io::make_folder(folder); !made) return failed(made.error().message);
  }
  place.anew = o.resume && was_killed_at_once(folder);
  if (std::error_code e; fs::is_directory(folder, e)) {
    Result<io::FolderLock> taken = io::FolderLock::take(folder);
    if (!taken) return refused(taken.error().message);
    place.lock.emplace(std::move(*taken));
  }
  return {};
}

Outcome empty_folder(const fs::path& folder) {
  for (const char* name : kOwnFiles) {
    if (Status removed = io::remove_all(folder / name); !removed) return failed(removed.error().message);
  }
  return {};
}

/// What each rank has been given, as all of them must have it. Collective.
struct Unlike {
  std::vector<int> ranks;  ///< those that have it otherwise than the first
  std::string what;        ///< of the first of them
};
Unlike compare(ranks::Ranks& ranks, const std::vector<io::CasePart>& mine) {
  if (ranks.size() == 1) return {};
  ranks::Writer w;
  for (const io::CasePart& part : mine) w.add_text(part.name), w.add(part.hash);
  std::vector<std::vector<io::CasePart>> all;
  for (const auto parcel : ranks.gather(w.bytes)) {
    all.emplace_back();
    for (ranks::Reader r(parcel); !r.is_done();) {
      io::CasePart& part = all.back().emplace_back();
      part.name = r.take_text(), part.hash = r.take<std::uint64_t>();
    }
  }
  Unlike unlike;
  for (std::size_t r = 1; r < all.size(); ++r) {
    if (all[r] == all[0]) continue;
    if (unlike.ranks.empty()) unlike.what = io::differences(all[0], all[r]);
    unlike.ranks.push_back(static_cast<int>(r));
  }
  return unlike;
}

/// All must have read the same, or the bits of their copies part.
Outcome compare_cases(ranks::Ranks& ranks, const Case& c, const ShapeSource& shapes) {
  const Unlike unlike = compare(ranks, ranks.size() > 1 ? io::all_parts(c, shapes) : std::vector<io::CasePart>());
  if (unlike.ranks.empty()) return {};
  return refused(
      fmt::format("{} has read another case than the first, in what differs: {}; the case, its meshes, its tables and "
                  "its shapes must be the same on every machine",
                  ranks::names_of(ranks, unlike.ranks), unlike.what));
}

/// Those that decide what all do together; threads may be any.
Outcome compare_options(ranks::Ranks& ranks, const RunOptions& o, const std::optional<double>& until) {
  const auto hash = [](const auto& value) {
    Hash64 h;
    h.value(value);
    return h.digest();
  };
  const std::string out = results_folder(o).string();
  const Unlike unlike = compare(ranks, {{"--until", hash(until.value_or(INFINITY))},
                                        {"--resume", hash(o.resume)},
                                        {"--force", hash(o.force)},
                                        {"--out", hash_of(out.data(), out.size())}});
  if (unlike.ranks.empty()) return {};
  return refused(fmt::format("{} was started with other options than the first ({}); all need the same",
                             ranks::names_of(ranks, unlike.ranks), unlike.what));
}

int begin_fresh(const RunOptions& o, const fs::path& folder, const Case& c, const ShapeSource& shapes, bool in_place,
                ranks::Ranks& ranks, RunSession& session, Progress& progress) {
  if (const std::string notice = set_up_notice(c, shapes); !notice.empty()) progress.remark(notice);
  const auto told = [&](const Error& e) { return Outcome{kBadInput, format(io::set_up_mistake(c, o.set, e))}; };
  Result<Simulation> s = place_grains(c, shapes, ranks.is_first());
  if (const int code = agree(ranks, s ? Outcome() : told(s.error())); code != kDone) return code;
  const Status begun = begin_first_stage(*s, c, shapes, &ranks);
  if (const int code = agree(ranks, begun ? Outcome() : told(begun.error())); code != kDone) return code;
  if (in_place) {
    if (const int code = agree(ranks, ranks.is_first() ? empty_folder(folder) : Outcome()); code != kDone) return code;
  }
  std::string together;
  if (ranks.size() > 1)
    together = fmt::format(", {} ranks of {} thread{}", ranks.size(), exec::threads(), exec::threads() == 1 ? "" : "s");
  if (const std::set<std::string> of(ranks.machines().begin(), ranks.machines().end()); of.size() > 1)
    together += fmt::format(" on {} machines", of.size());
  progress.remark(fmt::format("{}{} particles, time step {:.4g} s{}, results in {}",
                              c.title.empty() ? "" : c.title + ": ", s->census.grains, s->dt, together,
                              folder.string()));
  const Status started = session.start(std::move(*s));
  return agree(ranks, started ? Outcome() : failed(started.error().message));
}

/// The first rank reads it, and tells the others all but its rows, which go to where they belong.
int begin_resumed(const fs::path& folder, const Case& c, const ShapeSource& shapes, ranks::Ranks& ranks,
                  RunSession& session, Progress& progress) {
  const auto outcome = [](const auto& done) { return done ? Outcome() : refused(done.error().message); };
  std::optional<Result<io::Resumed>> from;
  if (ranks.is_first()) from.emplace(io::resume_from(folder / "checkpoint", c, shapes));
  if (const int code = agree(ranks, from ? outcome(*from) : Outcome()); code != kDone) return code;
  if (ranks.size() > 1) {
    Result<std::vector<std::byte>> world = std::vector<std::byte>();
    if (ranks.is_first()) world = io::world_of(**from, c);
    if (const int code = agree(ranks, outcome(world)); code != kDone) return code;
    std::vector<std::byte> told = ranks.tell(0, *world);
    if (!ranks.is_first()) from.emplace(io::read_world(std::move(told), c, shapes));
    if (const int code = agree(ranks, outcome(*from)); code != kDone) return code;
  }
  io::Resumed& run = **from;
  for (const std::string& remark : run.remarks) progress.say("scree run: passed over: " + remark);
  progress.remark(
      fmt::format("going on at t = {:.6g} s, step {}, from {}", run.state.time, run.state.step, run.file.string()));
  const Status resumed = session.resume(std::move(run));
  return agree(ranks, resumed ? Outcome() : failed(resumed.error().message));
}

/// Ranks go on from equal bits, each with its own arithmetic: programs and processors that make others of them are
/// found here, and not by what has parted later.
Outcome compare_arithmetic(ranks::Ranks& ranks) {
  if (ranks.size() == 1) return {};
  const std::vector<int> unlike = ranks.unlike_first(arithmetic_probe());
  if (unlike.empty()) return {};
  return refused(fmt::format(
      "the arithmetic of {} gives other bits than that of {}: the same program is needed on every machine, on "
      "processors and with a C library that round alike",
      ranks::names_of(ranks, unlike), ranks::name_of(ranks, 0)));
}

std::string texts_of(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics) text += (text.empty() ? "" : "\n") + format(d);
  return text;
}

/// Of the first rank, which tells the user: the others wait while it writes.
void tell_of_waiting(double seconds, bool is_over) {
  if (is_over)
    say("run", fmt::format("the other ranks go on, after {:.0f} s", seconds));
  else
    say("run", fmt::format("waits for the other ranks, for {:.0f} s by now: one of them is slow, or its machine or the "
                           "network has stopped; what ends the run leaves its last checkpoint to go on from",
                           seconds));
}

int run_case(const RunOptions& o, ranks::Ranks& ranks) {
  watch_signals(&ranks);
  constexpr double kPatience = 60;  // s
  std::optional<ranks::WaitWatch> watch;
  if (ranks.size() > 1 && ranks.is_first()) watch.emplace(ranks, kPatience, tell_of_waiting);
  const bool no_threads = o.threads_given && o.threads < 1;
  const Outcome threads =
      no_threads ? refused(fmt::format("--threads: expected at least 1, got {}", o.threads)) : Outcome();
  if (const int code = agree(ranks, threads); code != kDone) return code;
  const Result<std::optional<double>> until = until_of(o);
  if (const int code = agree(ranks, until ? Outcome() : refused(until.error().message)); code != kDone) return code;
  const int here = ranks.on_this_machine();
  exec::set_threads(o.threads == 0 && here > 1 ? std::max(1, exec::cores() / here) : o.threads);
  const io::ReadCase read = read_case("run", o.case_file, o.set, o.quiet || !ranks.is_first());
  const std::string said = texts_of(read.diagnostics);
  const bool is_wrong = has_errors(read.diagnostics);
  if (const int code = agree(ranks, is_wrong ? Outcome{kBadInput, said} : Outcome()); code != kDone) return code;
  if (!said.empty() && ranks.is_first()) std::cerr << said << "\n";
  const ShapeSource shapes = [](const std::string& name) { return io::load_shape(name); };
  if (const int code = agree(ranks, compare_options(ranks, o, *until)); code != kDone) return code;
  if (const int code = agree(ranks, compare_cases(ranks, read.value, shapes)); code != kDone) return code;
  if (const int code = agree(ranks, compare_arithmetic(ranks)); code != kDone) return code;

  const fs::path folder = results_folder(o);
  Place place;
  if (const int code = agree(ranks, ranks.is_first() ? take_folder(o, folder, place) : Outcome()); code != kDone)
    return code;
  const bool anew = ranks.sum_of(place.anew ? 1 : 0) > 0;
  Progress progress(o.quiet, !ranks.is_first());
  RunSession session({folder, *until, command_to_go_on(o, ranks.size()), exec::threads(), &ranks}, read.value, shapes,
                     progress);
  if (anew) progress.say("scree run: " + folder.string() + " has no checkpoint yet: the run starts anew");
  const int begun = o.resume && !anew
                        ? begin_resumed(folder, read.value, shapes, ranks, session, progress)
                        : begin_fresh(o, folder, read.value, shapes, o.force || anew, ranks, session, progress);
  if (begun != kDone) return begun;
  const Ending ending = session.go();
  return ranks.is_first() ? end_with_report(o, folder, progress, ending) : ending.exit_code;
}

/// Nothing is thrown on purpose; what the libraries throw (memory used up, above all) must still end in a sentence.
int run_safely(const RunOptions& o) {
  const auto joined = mpi::join();
  if (!joined) return refuse("run", joined.error().message);
  ranks::Ranks& ranks = **joined;
  const auto end_all = [&](const std::string& why) {
    const int code = fail("run", ranks.size() > 1 ? ranks::name_of(ranks, ranks.rank()) + ": " + why : why);
    ranks.end_all(code);  // the others would wait for this one
    return code;
  };
  try {
    return run_case(o, ranks);
  } catch (const std::bad_alloc&) {
    return end_all("out of memory; the last checkpoint, if there is one, is kept");
  } catch (const std::exception& e) {
    return end_all(std::string("stopped by an unexpected error: ") + e.what());
  }
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<RunOptions>();
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
