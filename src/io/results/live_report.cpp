#include "io/results/live_report.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "io/results/folder_lock.h"
#include "io/results/frame.h"
#include "io/results/report_encode.h"
#include "io/results/report_template.h"

namespace scree::io {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// Of a first edition, so that a short run has one.
constexpr std::size_t kFirstFrames = 128;
/// Files that may be missing between two frames.
constexpr std::size_t kGap = 16;

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string json_text(const std::string& s) { return json(s).dump(-1, ' ', false, json::error_handler_t::replace); }

/// Bytes [from, to) of an open file; fewer where it has become shorter.
std::string read_range(int descriptor, off_t from, off_t to) {
  std::string text(static_cast<std::size_t>(std::max<off_t>(0, to - from)), '\0');
  std::size_t n = 0;
  while (n < text.size()) {
    const ssize_t got = ::pread(descriptor, text.data() + n, text.size() - n, from + static_cast<off_t>(n));
    if (got <= 0) break;
    n += static_cast<std::size_t>(got);
  }
  text.resize(n);
  return text;
}

/// The status in run.json; empty: none.
std::string status_of(const std::optional<std::string>& text) {
  const json run = text ? json::parse(*text, nullptr, false) : json();
  if (!run.is_object() || !run.contains("verdict") || !run["verdict"].is_object()) return {};
  const json& v = run["verdict"];
  return v.contains("status") && v["status"].is_string() ? v["status"].get<std::string>() : std::string();
}

}  // namespace

Result<std::string> live_page(const fs::path& results) {
  std::string page(report_template());
  if (page.empty()) return Error{std::string(kNoReportPage)};
  const auto put = [&](std::string_view mark, const std::string& text) {
    const std::size_t at = page.find(mark);
    if (at == page.npos) return false;
    page.replace(at, mark.size(), text);
    return true;
  };
  // From the last to the first: none of them is looked for in what another was replaced by.
  const bool whole = put(kReportData, "<script type=\"application/octet-stream\" id=\"scree-live\"></script>\n") &&
                     put(kReportTitle, escape_html(report_title({}, results))) &&
                     put(kReportConnect, "connect-src 'self'");
  if (!whole) return Error{"the report page of this binary is damaged"};
  return page;
}

LiveReport::LiveReport(fs::path results, ReportBudget budget)
    : results_(std::move(results)),
      budget_(budget),
      // Numbers that a server before this one has not given.
      edition_(static_cast<std::uint64_t>(now() / 1'000'000)),
      series_(edition_),
      about_version_(edition_) {}

std::optional<LiveReport::Mark> LiveReport::mark_of(const fs::path& file) {
  struct stat s {};
  if (::stat(file.c_str(), &s) != 0) return {};
  return Mark{s.st_dev, s.st_ino, s.st_size, std::int64_t{s.st_mtim.tv_sec} * 1'000'000'000 + s.st_mtim.tv_nsec};
}

void LiveReport::look() {
  std::error_code e;
  if (!fs::is_directory(results_, e)) {
    problem_ = "the results folder " + results_.string() + " is gone";
    return;
  }
  problem_.clear();
  look_at_texts();
  look_at_series();
  look_at_frames();
}

bool LiveReport::is_over() const { return !status_.empty() && status_ != "running"; }

void LiveReport::look_at_frames() {
  if (first_ && !is_as_seen(*first_)) largest_ = 0, least_every_ = 1;  // another run's
  if (planned_ == 0 || (first_ && !is_as_seen(*first_)) || (last_ && !is_as_seen(*last_))) return begin_edition();
  const std::vector<fs::path> files = new_files();
  if (kept_of(files_.files + files.size()) > planned_) return begin_edition();
  read(files);
  const bool too_much = bytes_ > budget_.bytes || poses_ > budget_.particle_frames;
  if (too_much && files_.played > 2 && !files.empty()) begin_edition();
}

std::vector<fs::path> LiveReport::new_files() const {
  std::vector<fs::path> files;
  for (std::size_t number = next_, end = next_ + kGap; number < end; ++number) {
    fs::path file = numbered(results_ / "frames", "frame", number);
    if (!mark_of(file)) continue;
    files.push_back(std::move(file));
    end = number + 1 + kGap;
  }
  return files;
}

void LiveReport::begin_edition() {
  const std::vector<fs::path> files = frame_files(results_);
  ++edition_;
  parts_.clear();
  files_ = {};
  first_.reset(), last_.reset(), bad_.reset();
  next_ = 0, bytes_ = poses_ = 0, last_is_kept_ = true;
  for (const std::size_t k : {std::size_t{0}, files.size() - 1}) {
    if (k >= files.size()) continue;
    if (const auto frame = read_frame(files[k])) largest_ = std::max(largest_, frame->id.size());
  }
  const std::size_t most = budget_.frames_kept(std::numeric_limits<std::size_t>::max(), largest_);
  every_ = least_every_;
  while (kept_of(files.size()) > most) every_ *= 2;
  planned_ = std::min(most, std::max(kFirstFrames, std::bit_ceil(2 * files.size() / every_)));
  pack_ = ReportPack(budget_.contacts_kept(planned_), budget_.bonds_kept(planned_));
  read(files);
}

void LiveReport::read(const std::vector<fs::path>& files) {
  for (std::size_t k = 0; k < files.size(); ++k) {
    const bool is_last = k + 1 == files.size();
    if (!read_one(files[k], is_last, files_.files % every_ == 0)) break;
  }
  // The end of a run is shown.
  if (is_over() && !last_is_kept_ && last_) {
    if (const auto frame = read_frame(last_->file)) pack_.add(*frame), ++files_.played;
    last_is_kept_ = true;
  }
  if (pack_.frames() > 0) add_part();
}

bool LiveReport::read_one(const fs::path& file, bool is_last, bool is_wanted) {
  const Seen seen{file, mark_of(file)};
  if (is_wanted || is_last) {
    // One that is being copied here may be cut short now and whole later.
    if (is_last && bad_ && bad_->file == file && bad_->mark == seen.mark) return false;
    const auto frame = read_frame(file);
    if (!frame) {
      if (is_last) {
        bad_ = seen, bad_reason_ = frame.error().message;
        return false;
      }
      if (files_.unreadable++ == 0) files_.reason = frame.error().message;
    } else if (is_wanted) {
      const std::size_t before = pack_.frames();
      pack_.add(*frame);
      largest_ = std::max(largest_, frame->id.size());
      files_.played += pack_.frames() - before;
    }
    if (is_wanted && frame) last_is_kept_ = true;
  }
  if (!is_wanted) last_is_kept_ = false;
  bad_.reset();
  const std::size_t number = number_of(file);
  files_.missing += number - std::min(number, next_);
  next_ = number + 1;
  ++files_.files;
  if (!first_) first_ = seen;
  last_ = seen;
  return true;
}

void LiveReport::add_part() {
  auto blocks = pack_.blocks();
  // A run of differences is small, single frames are not: room for some.
  while (blocks && parts_.empty() && 4 * blocks->bytes() > 3 * budget_.bytes && pack_.frames() > 2) {
    std::vector<std::size_t> rows;
    for (std::size_t k = 0; k < pack_.frames(); k += 2) rows.push_back(k);
    pack_.keep(rows);
    every_ *= 2, least_every_ = every_;
    files_.played = pack_.frames();
    last_is_kept_ = last_is_kept_ && files_.files % every_ == 1;
    blocks = pack_.blocks();
  }
  if (!blocks) {
    problem_ = blocks.error().message;
    return;
  }
  const auto header = deflate_base64(blocks->header);
  if (!header) {
    problem_ = header.error().message;
    return;
  }
  std::string part = "{\"header\":\"" + *header + "\",\"particles\":\"" + blocks->particles + "\",\"frames\":[";
  for (std::size_t k = 0; k < blocks->frames.size(); ++k) part += (k > 0 ? ",\"" : "\"") + blocks->frames[k] + "\"";
  part += "]}";
  bytes_ += part.size(), poses_ += pack_.poses();
  parts_.push_back(std::move(part));
  pack_.told();
}

void LiveReport::forget_series() {
  ++series_;
  header_.clear(), newest_line_.clear(), lines_.clear();
  rows_ = 0, series_every_ = 1, last_row_is_kept_ = true;
  series_mark_.reset(), series_read_ = 0;
}

void LiveReport::look_at_series() {
  const int descriptor = ::open((results_ / "series.csv").c_str(), O_RDONLY | O_CLOEXEC);
  struct stat s {};
  if (descriptor < 0 || ::fstat(descriptor, &s) != 0 || !S_ISREG(s.st_mode)) {
    if (descriptor >= 0) ::close(descriptor);
    if (series_mark_) forget_series();
    return;
  }
  const Mark mark{s.st_dev, s.st_ino, s.st_size, std::int64_t{s.st_mtim.tv_sec} * 1'000'000'000 + s.st_mtim.tv_nsec};
  if (series_mark_ != mark) {
    // Rows only come behind those that were read, but where a run starts anew or is resumed.
    const auto length = static_cast<off_t>(newest_line_.size());
    const bool is_other = series_mark_ && (series_mark_->inode != mark.inode || series_mark_->device != mark.device ||
                                           mark.size < series_read_ ||
                                           read_range(descriptor, series_read_ - length, series_read_) != newest_line_);
    if (is_other) forget_series();
    series_mark_ = mark;
    constexpr off_t kAtOnce = off_t{16} << 20;
    std::string rest;  // of a line that is not whole yet
    for (off_t from = series_read_; from < mark.size;) {
      const std::string text = read_range(descriptor, from, std::min(mark.size, from + kAtOnce));
      if (text.empty()) break;
      from += static_cast<off_t>(text.size());
      std::size_t begin = 0;
      for (std::size_t end; (end = text.find('\n', begin)) != text.npos; begin = end + 1) {
        take_line(std::exchange(rest, {}) + text.substr(begin, end + 1 - begin));
      }
      rest += text.substr(begin);
    }
  }
  ::close(descriptor);
  if (is_over() && !last_row_is_kept_) lines_.push_back(newest_line_), last_row_is_kept_ = true;
}

void LiveReport::take_line(std::string line) {
  series_read_ += static_cast<off_t>(line.size());
  newest_line_ = line;
  if (header_.empty()) {
    header_ = std::move(line);
    return;
  }
  last_row_is_kept_ = rows_++ % series_every_ == 0;
  if (!last_row_is_kept_) return;
  lines_.push_back(std::move(line));
  if (lines_.size() <= kMostSeriesRows) return;
  series_every_ *= 2, ++series_;
  std::size_t kept = 0;
  for (std::size_t k = 0; k < lines_.size(); k += 2) lines_[kept++] = std::move(lines_[k]);
  last_row_is_kept_ = lines_.size() % 2 == 1;
  lines_.resize(kept);
}

void LiveReport::look_at_texts() {
  const auto run = mark_of(results_ / "run.json"), the_case = mark_of(results_ / "case.yaml");
  if (std::exchange(has_looked_, true) && run == run_mark_ && the_case == case_mark_) return;
  run_mark_ = run, case_mark_ = the_case;
  text_notes_.clear();
  texts_.run = read_report_text(results_ / "run.json", text_notes_);
  texts_.case_text = read_report_text(results_ / "case.yaml", text_notes_);
  status_ = status_of(texts_.run);
}

std::string LiveReport::news(const Known& known) {
  // First, for a run that has ended since has written all that is looked at then.
  const bool is_written = !FolderLock::taken_by(results_).empty();
  look();
  ReportTexts t = texts_;
  FrameFiles files = files_;
  if (files.files > 0 || rows_ > 0) t.notes = text_notes_;
  if (bad_) {
    ++files.files;
    if (files.unreadable++ == 0) files.reason = bad_reason_;
  }
  note_missing_frames(files, t.notes);
  note_frames(files, pack_, t.notes);
  note_series(rows_, lines_.size(), t.notes);
  std::string about = t.about(report_title(t.run, results_));
  if (about != about_) about_ = std::move(about), ++about_version_;

  // What numbers of another edition or version would be of is not known: all of it, then.
  const std::size_t parts = known.edition == edition_ ? std::min<std::size_t>(known.parts, parts_.size()) : 0;
  const std::size_t rows = known.series == series_ ? std::min<std::size_t>(known.rows, lines_.size()) : 0;
  std::string out = fmt::format("{{\"edition\":{},\"first\":{},\"parts\":[", edition_, parts);
  for (std::size_t k = parts; k < parts_.size(); ++k) out += (k > parts ? "," : "") + parts_[k];
  out += "],\"series\":";
  std::string text;
  if (rows == 0) text = header_;
  for (std::size_t r = rows; r < lines_.size(); ++r) text += lines_[r];
  const bool is_same_series = known.series == series_ && known.rows == lines_.size();
  const auto packed = is_same_series ? Result<std::string>(std::string()) : deflate_base64(text);
  const auto packed_about = known.about == about_version_ ? Result<std::string>(std::string()) : deflate_base64(about_);
  if (is_same_series || !packed) {
    out += "null";
  } else {
    out += fmt::format("{{\"version\":{},\"first\":{},\"rows\":{},\"text\":\"{}\"}}", series_, rows, lines_.size(),
                       *packed);
  }
  out += ",\"about\":";
  if (known.about == about_version_ || !packed_about) {
    out += "null";
  } else {
    out += fmt::format("{{\"version\":{},\"text\":\"{}\"}}", about_version_, *packed_about);
  }
  std::int64_t newest = 0;
  if (last_ && last_->mark) newest = last_->mark->time;
  if (series_mark_ && rows_ > 0) newest = std::max(newest, series_mark_->time);
  const double age = std::max(0.0, static_cast<double>(now() - newest) * 1e-9);
  out += fmt::format(",\"state\":{{\"problem\":{},\"writes\":{},\"age\":{},\"frames\":{}}}}}",
                     problem_.empty() ? std::string("null") : json_text(problem_), is_written,
                     newest > 0 ? fmt::format("{:.3f}", age) : "null", files.files);
  return out;
}

}  // namespace scree::io
