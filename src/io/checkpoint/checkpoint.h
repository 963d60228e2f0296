#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/case/case_hash.h"
#include "sim/simulation.h"

namespace scree::io {

/// s of wall clock between checkpoints, where the case names no interval.
inline constexpr double kCheckpointEvery = 300;

/// Where the output of a run stands: kept with the state, so that a resumed run writes what an uninterrupted one would
/// have.
struct OutputPosition {
  double origin = 0;               ///< s: instants are origin + k * every
  double every = 0;                ///< s; an edited case may have another one when the run is resumed
  std::uint64_t next_instant = 0;  ///< k of the next one
  std::uint64_t frames = 0;        ///< written so far
  std::uint64_t rows = 0;          ///< of series.csv so far
  std::uint64_t last_output_step = ~std::uint64_t{0};
  friend bool operator==(const OutputPosition&, const OutputPosition&) = default;
};

/// What a checkpoint file says without a case at hand.
struct CheckpointInfo {
  double time = 0;
  std::uint64_t step = 0, stage = 0, particles = 0, walls = 0, contacts = 0, hash = 0;
};

/// FOLDER/checkpoint_STEP.h5, written aside and renamed; all but this one and the one before it are removed then, those
/// of later steps too. Returns its path.
/// Errors: full disk, missing folder, lost permission; older checkpoints stay.
Result<std::filesystem::path> write_checkpoint(const std::filesystem::path& folder, const Simulation& s,
                                               const OutputPosition& at, const Case& c);

/// A run as a checkpoint holds it, ready to be stepped.
struct Resumed {
  Simulation state;
  OutputPosition at;
  std::filesystem::path file;
  std::vector<std::string> remarks;  ///< newer checkpoints that had to be passed over, and why
};

/// Reads one checkpoint. Errors: not there, damaged (checksum, state hash), of another case (says which parts differ),
/// rows that contradict each other. Whatever the file holds, what is returned can be stepped.
Result<Resumed> read_checkpoint(const std::filesystem::path& file, const Case& c, const ShapeSource& shapes);

/// The newest good checkpoint of a folder.
Result<Resumed> resume_from(const std::filesystem::path& folder, const Case& c, const ShapeSource& shapes);

/// A checkpoint without rows, for the other ranks of a run that the first one has resumed (resume_on), and what comes
/// of it there. Errors: as read_checkpoint's.
Result<std::vector<std::byte>> world_of(Resumed& run, const Case& c);
Result<Resumed> read_world(std::vector<std::byte> world, const Case& c, const ShapeSource& shapes);

/// For `scree info`. Errors: not there, damaged, no checkpoint.
Result<CheckpointInfo> checkpoint_info(const std::filesystem::path& file);

/// Checkpoints of a folder, newest first; empty when there are none.
std::vector<std::filesystem::path> list_checkpoints(const std::filesystem::path& folder);

}  // namespace scree::io
