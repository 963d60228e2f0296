#pragma once
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/results/report_pack.h"
#include "io/results/report_texts.h"

namespace scree::io {

/// A page that asks for what is new in a results folder, with no data of its own. Errors: a binary without the page.
Result<std::string> live_page(const std::filesystem::path& results);

/// What such a page is answered: a results folder as it grows, each frame read and packed once however many pages ask.
///
/// An *edition* is a sequence of parts, each the blocks of some frames as a page from disk has them (viewer/README.md).
/// New frames come in new parts. A new edition takes the place of the old one where its frames are no longer those of
/// the folder (a run that starts anew or is resumed), and where it has grown to twice its size or beyond what a page
/// may hold: then every second frame is left out, as in the page from disk. So a run of n frames is packed in time
/// proportional to n.
class LiveReport {
 public:
  explicit LiveReport(std::filesystem::path results, ReportBudget budget = {});

  /// What a page has; numbers of another server mean nothing here.
  struct Known {
    std::uint64_t edition = 0, parts = 0;  ///< of that edition
    std::uint64_t series = 0, rows = 0;    ///< of that version of the series
    std::uint64_t about = 0;
  };
  /// Looks into the folder. JSON: viewer/README.md.
  std::string news(const Known& known);
  /// What is wrong with the folder, a sentence; empty: nothing.
  const std::string& problem() const { return problem_; }

 private:
  /// By what a file is known again.
  struct Mark {
    dev_t device;
    ino_t inode;
    off_t size;
    std::int64_t time;  ///< ns since the epoch, of its last change
    friend bool operator==(const Mark&, const Mark&) = default;
  };
  struct Seen {
    std::filesystem::path file;
    std::optional<Mark> mark;
  };
  static std::optional<Mark> mark_of(const std::filesystem::path& file);
  static bool is_as_seen(const Seen& s) { return mark_of(s.file) == s.mark; }

  void look();
  void look_at_frames();
  void look_at_series();
  void look_at_texts();
  bool is_over() const;

  void begin_edition();
  /// The next files by their numbers, a few missing ones passed over.
  std::vector<std::filesystem::path> new_files() const;
  /// Of the files behind those that were seen.
  void read(const std::vector<std::filesystem::path>& files);
  /// false: cannot be read now, and there is none behind it.
  bool read_one(const std::filesystem::path& file, bool is_last, bool is_wanted);
  std::size_t kept_of(std::size_t files) const { return (files + every_ - 1) / every_; }
  void add_part();
  void forget_series();
  void take_line(std::string line);

  std::filesystem::path results_;
  ReportBudget budget_;
  std::string problem_;

  std::uint64_t edition_;
  std::vector<std::string> parts_;  ///< JSON
  ReportPack pack_{0};
  FrameFiles files_;
  std::size_t next_ = 0;         ///< number of the next file
  std::size_t every_ = 1;        ///< which files are kept
  std::size_t least_every_ = 1;  ///< what their bytes allow
  std::size_t planned_ = 0;      ///< frames that this edition takes
  std::size_t bytes_ = 0, poses_ = 0;
  std::size_t largest_ = 0;  ///< number of particles of any frame of the run
  std::optional<Seen> first_, last_;
  std::optional<Seen> bad_;  ///< the last file, which cannot be read; its reason
  std::string bad_reason_;
  bool last_is_kept_ = true;

  std::uint64_t series_;
  std::string header_, newest_line_;
  std::vector<std::string> lines_;  ///< every series_every_-th
  std::size_t rows_ = 0, series_every_ = 1;
  bool last_row_is_kept_ = true;
  std::optional<Mark> series_mark_;
  off_t series_read_ = 0;  ///< bytes

  std::uint64_t about_version_;
  std::string about_;
  bool has_looked_ = false;
  std::optional<Mark> run_mark_, case_mark_;
  ReportTexts texts_;
  std::vector<std::string> text_notes_;
  std::string status_;  ///< of the verdict in run.json
};

}  // namespace scree::io
