#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/result.h"
#include "io/results/frame.h"
#include "io/results/row_file.h"
#include "io/results/series.h"
#include "sim/simulation.h"

namespace scree::io {

/// What a run writes while it goes on: frames, contacts, series.csv, and bonds.csv where the case has clusters.
class ResultsFolder {
 public:
  /// A fresh one, with case.yaml. The case must outlive it. Errors: those of the disk.
  static Result<ResultsFolder> create(const std::filesystem::path& folder, const Case& c);
  /// Goes on behind so many frames and rows of series.csv, and `broken` bonds of the run; what the folder has beyond
  /// them goes.
  /// Errors: those of the disk; a folder that has less.
  static Result<ResultsFolder> resume(const std::filesystem::path& folder, const Case& c, std::uint64_t frames,
                                      std::uint64_t rows, std::uint64_t broken);

  /// The files of instant k, `t`: totals of this state. One that failed half-way is written again.
  Status write_instant(const Simulation& s, const Totals& t, std::uint64_t k);
  /// Bonds that broke in a step.
  Status write_broken(const std::vector<bond::Event>& broken);
  std::uint64_t rows() const { return series_.rows(); }  ///< of series.csv

 private:
  ResultsFolder(std::filesystem::path folder, const Case& c, Series series)
      : folder_(std::move(folder)), case_(&c), series_(std::move(series)) {}
  Status open_bonds(Result<RowFile> opened);

  std::filesystem::path folder_;
  const Case* case_;
  Series series_;
  std::optional<RowFile> bonds_;
  std::vector<SeriesEntry> frames_, contacts_;
};

}  // namespace scree::io
