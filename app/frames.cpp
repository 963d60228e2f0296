#include "app/frames.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "app/estimate.h"
#include "io/results/frame.h"
#include "io/text/short_text.h"
#include "io/text/units.h"

namespace scree::app {

namespace fs = std::filesystem;

namespace {

/// A results folder's frames, or the one frame that was named.
Result<std::vector<fs::path>> all_frames(const fs::path& results) {
  std::error_code e;
  if (fs::is_regular_file(results, e)) return std::vector<fs::path>{results};
  if (results.extension() == ".vtkhdf" && !fs::exists(results, e))
    return Error{"there is no frame " + results.string()};
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
Result<fs::path> frame_at(const FrameChoice& choice, const std::vector<fs::path>& files) {
  const Result<io::Units> units = io::Units::load();
  if (!units) return units.error();
  const Result<double> at = units->to_si(*choice.at, io::dimension::time);
  if (!at) return Error{"--at: expected a time, got " + (choice.at->empty() ? "nothing" : at.error().message)};
  const Result<std::vector<double>> times = times_of(choice.results, files);
  if (!times) return times.error();
  const auto [first, last] = std::minmax_element(times->begin(), times->end());
  // Frames are at the steps nearest to their instants, so that "1 s" may lie behind the last of them.
  const double step = files.size() > 1 ? (*last - *first) / static_cast<double>(files.size() - 1) : 0;
  if (!(*at >= *first - 0.5 * step && *at <= *last + 0.5 * step))
    return Error{fmt::format("--at: {} lies outside of the frames' times, {} to {}", io::short_text(*choice.at),
                             metric(*first, "s"), metric(*last, "s"))};
  const auto nearest = std::min_element(times->begin(), times->end(),
                                        [&](double a, double b) { return std::abs(a - *at) < std::abs(b - *at); });
  return files[static_cast<std::size_t>(nearest - times->begin())];
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

void add_frame_choice(CLI::App& command, FrameChoice& choice) {
  command.add_option("RESULTS", choice.results, "Results folder of a run, or one of its frames (.vtkhdf)")
      ->required()
      ->type_name("FILE");
  // Not as an optional text, which the parser leaves out where it is empty.
  CLI::Option* at = command.add_option_function<std::string>(
      "--at", [&choice](const std::string& time) { choice.at = time; },
      "The frame nearest to this time, as in \"0.3 s\"");
  CLI::Option* every = command.add_option("--every", choice.every, "Every N-th frame, from the first");
  CLI::Option* all = command.add_flag("--all", choice.all, "Every frame; the last one unless given");
  at->excludes(every)->excludes(all);
  every->excludes(all);
}

Result<ChosenFrames> frames_of(const FrameChoice& choice) {
  const Result<std::vector<fs::path>> files = all_frames(choice.results);
  if (!files) return files.error();
  ChosenFrames chosen{{}, files->size()};
  if (choice.at) {
    const Result<fs::path> file = frame_at(choice, *files);
    if (!file) return file.error();
    chosen.files.push_back(*file);
    return chosen;
  }
  if (choice.every && *choice.every < 1)
    return Error{fmt::format("--every: expected at least 1, got {}", *choice.every)};
  if (!choice.every && !choice.all) {
    chosen.files.push_back(files->back());
    return chosen;
  }
  for (std::size_t k = 0; k < files->size(); k += static_cast<std::size_t>(choice.every.value_or(1)))
    chosen.files.push_back((*files)[k]);
  return chosen;
}

void add_out(CLI::App& command, std::optional<std::string>& out, const std::string& name) {
  command
      .add_option_function<std::string>(
          "-o,--out", [&out](const std::string& file) { out = file; },
          "Folder for a file per frame (RESULTS/" + name + "), or the file of a single frame")
      ->type_name("FILE");
}

Result<Targets> targets_of(const FrameChoice& choice, const ChosenFrames& frames, const std::optional<std::string>& out,
                           const std::string& ending, const std::string& name) {
  std::error_code e;
  const std::string extension = out && !fs::is_directory(*out, e) ? fs::path(*out).extension().string() : "";
  if (lower(extension) == ending) {
    if (frames.files.size() > 1)
      return Error{fmt::format("--out: {} is one file, and there are {} frames to write; name a folder", *out,
                               frames.files.size())};
    return Targets{{*out}, {}};
  }
  if (out && out->empty()) return Error{"--out: expected a folder or a file, got nothing"};
  if (!extension.empty() && !choice.all && !choice.every)
    return Error{fmt::format("--out: {} ends in {}; name a file that ends in {}, or a folder, as {}/",
                             io::short_text(*out), io::short_text(extension), ending, io::short_text(*out))};
  Targets targets;
  targets.folder = out                                   ? fs::path(*out)
                   : fs::is_directory(choice.results, e) ? fs::path(choice.results) / name
                                                         : fs::path(name);
  for (const fs::path& frame : frames.files) targets.files.push_back(targets.folder / (frame.stem().string() + ending));
  return targets;
}

std::string said_of(const FrameChoice& choice, const ChosenFrames& frames) {
  if (frames.of < 2 || choice.at || choice.every || choice.all) return {};
  return fmt::format("the last of {} frames; --all, --every N and --at TIME choose others", frames.of);
}

}  // namespace scree::app
