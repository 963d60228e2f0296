#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace CLI {
class App;
}

/// Which frames of a run a command is about.
namespace scree::app {

struct FrameChoice {
  std::string results;            ///< folder of a run, or one frame
  std::optional<std::string> at;  ///< a time; the nearest frame
  std::optional<std::int64_t> every;
  bool all = false;
};

/// Adds RESULTS and --at, --every, --all, of which one may be given.
void add_frame_choice(CLI::App& command, FrameChoice& choice);

struct ChosenFrames {
  std::vector<std::filesystem::path> files;
  std::size_t of = 0;  ///< frames that there are
};
/// Without a choice the last one. Errors: no folder, no frames, a time that is none or lies outside of theirs, N below
/// 1, a frame without a listed time that is damaged.
Result<ChosenFrames> frames_of(const FrameChoice& choice);

/// Adds -o,--out, of targets_of.
void add_out(CLI::App& command, std::optional<std::string>& out, const std::string& name);

/// Where the file for each of the frames goes.
struct Targets {
  std::vector<std::filesystem::path> files;
  std::filesystem::path folder;  ///< to be made; empty: there is one file, in a folder that is there
};
/// `out` is the file for a single frame, by its ending in any case, or a folder; without it RESULTS/name. Errors:
/// several frames for one file, an empty name, for one frame another ending that no folder there has.
Result<Targets> targets_of(const FrameChoice& choice, const ChosenFrames& frames, const std::optional<std::string>& out,
                           const std::string& ending, const std::string& name);

/// What is said where the last one was taken for want of a choice; empty: nothing.
std::string said_of(const FrameChoice& choice, const ChosenFrames& frames);

}  // namespace scree::app
