// scree export: frames for other programs.
#include "io/results/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/estimate.h"
#include "io/results/frame.h"
#include "io/text/files.h"
#include "io/text/nearest.h"
#include "io/text/short_text.h"
#include "io/text/units.h"

namespace scree::app {

namespace {

namespace fs = std::filesystem;

struct Options {
  std::string results, format, at, out;
  std::optional<std::int64_t> every;
  bool at_given = false, out_given = false, all = false, force = false;
};

struct Format {
  const char* name;
  const char* ending;
  std::string (*text)(const io::Frame&);
};
constexpr Format kFormats[] = {{"vtu", ".vtu", io::vtu_text},
                               {"xyz", ".xyz", io::xyz_text},
                               {"lammps", ".dump", io::lammps_text},
                               {"csv", ".csv", io::csv_text}};

void say(const std::string& message) { fmt::print(stderr, "scree export: {}\n", message); }

int refuse(const std::string& message) {
  say(message);
  return kBadInput;
}

int fail(const std::string& message) {
  say(message);
  return kRunFailed;
}

const Format* format_of(const std::string& name) {
  const auto f =
      std::find_if(std::begin(kFormats), std::end(kFormats), [&](const Format& k) { return name == k.name; });
  return f == std::end(kFormats) ? nullptr : f;
}

/// A results folder's frames, or the one frame that was named.
Result<std::vector<fs::path>> frames_of(const fs::path& results) {
  std::error_code e;
  if (fs::is_regular_file(results, e)) return std::vector<fs::path>{results};
  if (!fs::is_directory(results, e))
    return Error{"there is no results folder " + results.string() + "; `scree run CASE.yaml --out DIR` makes one"};
  std::vector<fs::path> files = io::frame_files(results);
  if (files.empty()) return Error{results.string() + " holds no frames (frames/*.vtkhdf)"};
  return files;
}

/// Of each frame (s): as it is listed, else as the frame says.
Result<std::vector<double>> times_of(const fs::path& results, const std::vector<fs::path>& files) {
  std::map<std::string, double> listed;
  for (const io::SeriesEntry& entry : io::read_file_series(results / "frames.hdf.series"))
    listed[fs::path(entry.file).filename().string()] = entry.time;
  std::vector<double> times;
  for (const fs::path& file : files) {
    if (const auto entry = listed.find(file.filename().string()); entry != listed.end()) {
      times.push_back(entry->second);
      continue;
    }
    const Result<io::Frame> frame = io::read_frame(file);
    if (!frame) return frame.error();
    times.push_back(frame->time);
  }
  return times;
}

/// The frame nearest to --at.
Result<fs::path> frame_at(const Options& o, const std::vector<fs::path>& files) {
  const Result<io::Units> units = io::Units::load();
  if (!units) return units.error();
  const Result<double> at = units->to_si(o.at, io::dimension::time);
  if (!at) return Error{"--at: expected a time, got " + (o.at.empty() ? "nothing" : at.error().message)};
  const Result<std::vector<double>> times = times_of(o.results, files);
  if (!times) return times.error();
  const auto [first, last] = std::minmax_element(times->begin(), times->end());
  // Frames are at the steps nearest to their instants, so that "1 s" may lie behind the last of them.
  const double step = files.size() > 1 ? (*last - *first) / static_cast<double>(files.size() - 1) : 0;
  if (!(*at >= *first - 0.5 * step && *at <= *last + 0.5 * step))
    return Error{fmt::format("--at: {} lies outside of the frames' times, {} to {}", io::short_text(o.at),
                             metric(*first, "s"), metric(*last, "s"))};
  const auto nearest = std::min_element(times->begin(), times->end(),
                                        [&](double a, double b) { return std::abs(a - *at) < std::abs(b - *at); });
  return files[static_cast<std::size_t>(nearest - times->begin())];
}

/// --at, --every or --all; else the last frame.
Result<std::vector<fs::path>> chosen(const Options& o, const std::vector<fs::path>& files) {
  if (o.at_given) {
    const Result<fs::path> file = frame_at(o, files);
    if (!file) return file.error();
    return std::vector<fs::path>{*file};
  }
  if (o.every && *o.every < 1) return Error{fmt::format("--every: expected at least 1, got {}", *o.every)};
  if (!o.every && !o.all) return std::vector<fs::path>{files.back()};
  std::vector<fs::path> some;
  for (std::size_t k = 0; k < files.size(); k += static_cast<std::size_t>(o.every.value_or(1)))
    some.push_back(files[k]);
  return some;
}

/// What is written of one frame: the grains, and for VTK the contacts beside them.
struct Target {
  fs::path frame, grains, contacts;
};

struct Plan {
  std::vector<Target> targets;
  fs::path folder;               ///< to be made; empty: there is one file, in a folder that is there
  fs::path list, contacts_list;  ///< for ParaView; empty: none
};

Result<Plan> plan_of(const Options& o, const Format& format, const std::vector<fs::path>& frames) {
  std::error_code e;
  Plan plan;
  const bool vtu = format.text == io::vtu_text;
  const auto add = [&](const fs::path& frame, const fs::path& base) {
    plan.targets.push_back(
        {frame, base.string() + format.ending, fs::path(vtu ? base.string() + "_contacts.vtu" : "")});
  };
  const fs::path out(o.out);
  if (o.out_given && out.extension() == format.ending && !fs::is_directory(out, e)) {
    if (frames.size() > 1)
      return Error{
          fmt::format("--out: {} is one file, and there are {} frames to write; name a folder", o.out, frames.size())};
    add(frames.front(), fs::path(out).replace_extension());
    return plan;
  }
  if (o.out_given && o.out.empty()) return Error{"--out: expected a folder or a file, got nothing"};
  plan.folder = o.out_given                      ? out
                : fs::is_directory(o.results, e) ? fs::path(o.results) / "export"
                                                 : fs::path("export");
  for (const fs::path& frame : frames) add(frame, plan.folder / frame.stem());
  if (vtu && frames.size() > 1) {
    plan.list = plan.folder / "frames.pvd";
    plan.contacts_list = plan.folder / "contacts.pvd";
  }
  return plan;
}

/// The first file of the plan that is there; empty: none.
fs::path in_the_way(const Plan& plan) {
  std::error_code e;
  const auto there = [&](const fs::path& file) { return !file.empty() && fs::exists(fs::symlink_status(file, e)); };
  for (const Target& t : plan.targets) {
    if (there(t.grains)) return t.grains;
    if (there(t.contacts)) return t.contacts;
  }
  return there(plan.list) ? plan.list : there(plan.contacts_list) ? plan.contacts_list : fs::path();
}

/// One frame at a time is in memory. A damaged one is told and left out.
int write(const Plan& plan, const Format& format) {
  int code = kDone;
  std::vector<io::SeriesEntry> grains, contacts;
  for (const Target& t : plan.targets) {
    const Result<io::Frame> frame = io::read_frame(t.frame);
    if (!frame) {
      code = fail(frame.error().message + (plan.targets.size() > 1 ? "; this frame is left out" : ""));
      continue;
    }
    if (const Status s = io::write_file(t.grains, format.text(*frame), io::Durability::buffered); !s)
      return fail(s.error().message);
    grains.push_back({t.grains.filename().string(), frame->time});
    if (t.contacts.empty()) continue;
    if (const Status s = io::write_file(t.contacts, io::vtu_contacts_text(*frame), io::Durability::buffered); !s)
      return fail(s.error().message);
    contacts.push_back({t.contacts.filename().string(), frame->time});
  }
  if (grains.empty()) return code;
  for (const auto& [list, entries] : {std::pair(plan.list, grains), std::pair(plan.contacts_list, contacts)}) {
    if (list.empty()) continue;
    if (const Status s = io::write_file(list, io::pvd_text(entries), io::Durability::buffered); !s)
      return fail(s.error().message);
  }
  const fs::path& made = plan.targets.size() == 1 ? plan.targets.front().grains
                         : plan.list.empty()      ? plan.folder
                                                  : plan.list;
  fmt::print("{}\n", made.string());
  return code;
}

int run_export(const Options& o) {
  const Format* format = format_of(o.format);
  if (format == nullptr) {
    std::vector<std::string> names;
    for (const Format& f : kFormats) names.emplace_back(f.name);
    return refuse(fmt::format("--format: expected vtu, xyz, lammps or csv, got {}{}",
                              o.format.empty() ? "nothing" : io::short_text(o.format),
                              io::did_you_mean(o.format, names)));
  }
  const Result<std::vector<fs::path>> files = frames_of(o.results);
  if (!files) return refuse(files.error().message);
  const Result<std::vector<fs::path>> frames = chosen(o, *files);
  if (!frames) return refuse(frames.error().message);
  const Result<Plan> plan = plan_of(o, *format, *frames);
  if (!plan) return refuse(plan.error().message);
  if (const fs::path file = in_the_way(*plan); !file.empty() && !o.force)
    return refuse(file.string() + " is there already; --force replaces it, --out DIR writes elsewhere");
  if (!plan->folder.empty()) {
    if (const Status made = io::make_folder(plan->folder); !made) return fail(made.error().message);
  }
  if (files->size() > 1 && !o.at_given && !o.every && !o.all)
    say(fmt::format("the last of {} frames; --all, --every N and --at TIME choose others", files->size()));
  return write(*plan, *format);
}

}  // namespace

void add_export(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand("export", "Write a run's frames for other programs: VTU, extended XYZ, LAMMPS, CSV");
  c->add_option("RESULTS", o->results, "Results folder of a run, or one of its frames (.vtkhdf)")
      ->required()
      ->type_name("FILE");
  c->add_option("--format", o->format,
                "vtu: ParaView, PyVista (contacts beside the grains); xyz: OVITO, ASE; lammps: a dump, for OVITO and "
                "read_dump; csv: a table")
      ->required();
  CLI::Option* at = c->add_option("--at", o->at, "The frame nearest to this time, as in \"0.3 s\"");
  CLI::Option* every = c->add_option("--every", o->every, "Every N-th frame, from the first");
  CLI::Option* all = c->add_flag("--all", o->all, "Every frame; the last one unless given");
  at->excludes(every)->excludes(all);
  every->excludes(all);
  CLI::Option* out =
      c->add_option("-o,--out", o->out, "Folder for a file per frame (RESULTS/export), or the file of a single frame")
          ->type_name("FILE");
  c->add_flag("--force", o->force, "Replace files that are there already");
  c->footer(
      "Examples:\n  scree export results/box_fill --format vtu --all\n"
      "  scree export results/box_fill --format csv --at \"0.3 s\" -o bed.csv\n"
      "Exit code: 0 done, 1 a frame is damaged or a file cannot be written, 2 the input is wrong.");
  c->callback([o, at, out, &exit_code] {
    o->at_given = at->count() > 0, o->out_given = out->count() > 0;
    exit_code = run_export(*o);
  });
}

}  // namespace scree::app
