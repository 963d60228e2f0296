#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sim/incident.h"

/// What the folder fault/ of a run holds beside a results folder's own files.
namespace scree::io {

/// The particles that a fault names and those around its place.
struct Neighbourhood {
  std::filesystem::path file;
  std::vector<std::uint32_t> ids;  ///< ascending
};
/// In the format of frames: FOLDER/neighbourhood.vtkhdf. A particle whose pose is not finite any more is drawn where it
/// was last known. `fault`: that of s, or what of it is looked at. Errors: those of the disk.
Result<Neighbourhood> write_neighbourhood(const std::filesystem::path& folder, const Simulation& s, const Fault& fault);

/// FOLDER/history.csv: a line per row. Errors: those of the disk.
Status write_history(const std::filesystem::path& folder, const std::vector<IncidentRow>& rows);

/// FOLDER/fault.json: what failed, and why as far as is known.
struct IncidentRecord {
  std::string message;  ///< Fault::message
  std::uint64_t step = 0;
  double time = 0;                  ///< s
  std::string cause, text, advice;  ///< name_of(Cause::Kind), Cause::text, Cause::advice
  std::string looked_back;          ///< a sentence: from where on the run was made again, or why it was not
  std::string checkpoint;           ///< file of the last state before the steps that are shown, relative; empty: none
};
Status write_incident_record(const std::filesystem::path& folder, const IncidentRecord& r);
/// Errors: not there, damaged.
Result<IncidentRecord> read_incident_record(const std::filesystem::path& folder);

}  // namespace scree::io
