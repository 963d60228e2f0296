#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/results/report_pack.h"

namespace scree::io {

constexpr std::size_t kMostReportText = std::size_t{64} << 20;  ///< bytes
constexpr std::size_t kMostSeriesRows = 20'000;                 ///< that the plots draw

/// What the page is told besides the frames. `notes` are sentences for its reader: what is missing, thinned or left
/// out.
struct ReportTexts {
  std::optional<std::string> run, series, case_text;
  std::vector<std::string> notes;

  /// The block scree-about.
  std::string about(const std::string& title) const;
};

/// Nothing, and a note why, where it is missing or cannot be read.
std::optional<std::string> read_report_text(const std::filesystem::path& file, std::vector<std::string>& notes);

/// That of run.json, or else the folder's name.
std::string report_title(const std::optional<std::string>& run, const std::filesystem::path& results);

/// What became of the frames' files.
struct FrameFiles {
  std::size_t files = 0;
  std::size_t missing = 0;  ///< numbers between the first and the last that no file has
  std::size_t played = 0;
  std::size_t unreadable = 0;
  std::string reason;  ///< of the first that could not be read
};
/// What is missing or could not be read.
void note_missing_frames(const FrameFiles& f, std::vector<std::string>& notes);
/// What the page does not show of the frames, and why.
void note_frames(const FrameFiles& f, const ReportPack& pack, std::vector<std::string>& notes);
void note_series(std::size_t rows, std::size_t drawn, std::vector<std::string>& notes);

/// The number in a file's name, as 12 of frame_000012.vtkhdf.
std::size_t number_of(const std::filesystem::path& file);

}  // namespace scree::io
