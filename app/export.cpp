// scree export: frames for other programs.
#include "io/results/export.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/frames.h"
#include "io/results/frame.h"
#include "io/text/files.h"
#include "io/text/nearest.h"
#include "io/text/short_text.h"

namespace scree::app {

namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  FrameChoice frames;
  std::string format;
  std::optional<std::string> out;
  bool force = false;
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

const Format* format_of(const std::string& name) {
  const auto f =
      std::find_if(std::begin(kFormats), std::end(kFormats), [&](const Format& k) { return name == k.name; });
  return f == std::end(kFormats) ? nullptr : f;
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

Result<Plan> plan_of(const ExportOptions& o, const Format& format, const ChosenFrames& frames) {
  const Result<Targets> files = targets_of(o.frames, frames, o.out, format.ending, "export");
  if (!files) return files.error();
  Plan plan;
  plan.folder = files->folder;
  const bool vtu = format.text == io::vtu_text;
  for (std::size_t k = 0; k < frames.files.size(); ++k) {
    const fs::path& grains = files->files[k];
    const fs::path base = fs::path(grains).replace_extension();
    plan.targets.push_back({frames.files[k], grains, fs::path(vtu ? base.string() + "_contacts.vtu" : "")});
  }
  if (vtu && plan.targets.size() > 1) {
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
int write_exported(const Plan& plan, const Format& format) {
  int code = kDone;
  std::vector<io::SeriesEntry> grains, contacts;
  for (const Target& t : plan.targets) {
    const Result<io::Frame> frame = io::read_frame(t.frame);
    if (!frame) {
      code = fail("export", frame.error().message + (plan.targets.size() > 1 ? "; this frame is left out" : ""));
      continue;
    }
    if (const Status s = io::write_file(t.grains, format.text(*frame), io::Durability::buffered); !s)
      return fail("export", s.error().message);
    grains.push_back({t.grains.filename().string(), frame->time});
    if (t.contacts.empty()) continue;
    if (const Status s = io::write_file(t.contacts, io::vtu_contacts_text(*frame), io::Durability::buffered); !s)
      return fail("export", s.error().message);
    contacts.push_back({t.contacts.filename().string(), frame->time});
  }
  if (grains.empty()) return code;
  for (const auto& [list, entries] : {std::pair(plan.list, grains), std::pair(plan.contacts_list, contacts)}) {
    if (list.empty()) continue;
    if (const Status s = io::write_file(list, io::pvd_text(entries), io::Durability::buffered); !s)
      return fail("export", s.error().message);
  }
  const fs::path& made = plan.targets.size() == 1 ? plan.targets.front().grains
                         : plan.list.empty()      ? plan.folder
                                                  : plan.list;
  fmt::print("{}\n", made.string());
  return code;
}

int run_export(const ExportOptions& o) {
  const Format* format = format_of(o.format);
  if (format == nullptr) {
    std::vector<std::string> names;
    for (const Format& f : kFormats) names.emplace_back(f.name);
    return refuse("export", fmt::format("--format: expected vtu, xyz, lammps or csv, got {}{}",
                                        o.format.empty() ? "nothing" : io::short_text(o.format),
                                        io::did_you_mean(o.format, names)));
  }
  const Result<ChosenFrames> frames = frames_of(o.frames);
  if (!frames) return refuse("export", frames.error().message);
  const Result<Plan> plan = plan_of(o, *format, *frames);
  if (!plan) return refuse("export", plan.error().message);
  if (const fs::path file = in_the_way(*plan); !file.empty() && !o.force)
    return refuse("export", file.string() + " is there already; --force replaces it, --out DIR writes elsewhere");
  if (!plan->folder.empty()) {
    if (const Status made = io::make_folder(plan->folder); !made) return fail("export", made.error().message);
  }
  if (const std::string said = said_of(o.frames, *frames); !said.empty()) say("export", said);
  return write_exported(*plan, *format);
}

}  // namespace

void add_export(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<ExportOptions>();
  CLI::App* c = app.add_subcommand("export", "Write a run's frames for other programs: VTU, extended XYZ, LAMMPS, CSV");
  add_frame_choice(*c, o->frames);
  c->add_option("--format", o->format,
                "vtu: ParaView, PyVista (contacts beside the grains); xyz: OVITO, ASE; lammps: a dump, for OVITO and "
                "read_dump; csv: a table")
      ->required();
  add_out(*c, o->out, "export");
  c->add_flag("--force", o->force, "Replace files that are there already");
  c->footer(
      "Examples:\n  scree export results/box_fill --format vtu --all\n"
      "  scree export results/box_fill --format csv --at \"0.3 s\" -o bed.csv\n"
      "Exit code: 0 done, 1 a frame is damaged or a file cannot be written, 2 the input is wrong.");
  c->callback([o, &exit_code] { exit_code = run_export(*o); });
}

}  // namespace scree::app
