#include "io/results/results_folder.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

#include "io/results/bond_events.h"
#include "io/text/files.h"

namespace scree::io {

namespace fs = std::filesystem;

namespace {

/// The first `count` entries of a list of files; made anew from the frames where the list was lost.
std::vector<SeriesEntry> restored_list(const fs::path& folder, const std::string& sub, const std::string& prefix,
                                       std::uint64_t count) {
  std::vector<SeriesEntry> list = read_file_series(folder / (sub + ".hdf.series"));
  if (list.size() >= count) {
    list.resize(count);
    return list;
  }
  list.clear();
  for (std::uint64_t k = 0; k < count; ++k) {
    const Result<Frame> frame = read_frame(numbered(folder / "frames", "frame", k));
    if (frame) list.push_back({numbered(sub, prefix, k).string(), frame->time});
  }
  return list;
}

/// An instant that failed half-way is written again, and listed once.
void list_file(std::vector<SeriesEntry>& list, const fs::path& folder, const fs::path& file, double time) {
  const std::string name = file.lexically_relative(folder).string();
  if (!list.empty() && list.back().file == name) list.pop_back();
  list.push_back({name, time});
}

/// Bonds that had broken before: a record may begin in the middle of a run, and its first row says so.
std::uint64_t broken_before(const fs::path& series, const Case& c) {
  const std::vector<std::string> columns = series_columns(c);
  const auto at = std::ranges::find(columns, "bonds_broken") - columns.begin();
  std::ifstream in(series);
  std::string header, row, cell;
  std::getline(in, header), std::getline(in, row);
  std::istringstream cells(row);
  for (std::ptrdiff_t k = 0; k <= at; ++k) std::getline(cells, cell, ',');
  std::uint64_t broken = 0;
  std::from_chars(cell.data(), cell.data() + cell.size(), broken);
  return broken;
}

}  // namespace

Status ResultsFolder::open_bonds(Result<RowFile> opened) {
  if (!opened) return opened.error();
  bonds_.emplace(std::move(*opened));
  return ok();
}

Result<ResultsFolder> ResultsFolder::create(const fs::path& folder, const Case& c) {
  for (const char* sub : {"frames", "checkpoint"}) {
    if (Status made = make_folder(folder / sub); !made) return made.error();
  }
  if (c.output.contacts) {
    if (Status made = make_folder(folder / "contacts"); !made) return made.error();
  }
  if (Status written = write_file(folder / "case.yaml", c.source_text); !written) return written.error();
  Result<Series> series = Series::create(folder / "series.csv", c);
  if (!series) return series.error();
  ResultsFolder made(folder, c, std::move(*series));
  if (!c.clusters.empty()) {
    if (Status opened = made.open_bonds(RowFile::create(folder / "bonds.csv", bond_event_header())); !opened)
      return opened.error();
  }
  return made;
}

Result<ResultsFolder> ResultsFolder::resume(const fs::path& folder, const Case& c, std::uint64_t frames,
                                            std::uint64_t rows, std::uint64_t broken) {
  Result<Series> series = Series::resume(folder / "series.csv", c, rows);
  if (!series) return series.error();
  ResultsFolder made(folder, c, std::move(*series));
  if (!c.clusters.empty()) {
    const std::uint64_t before = std::min(broken, broken_before(folder / "series.csv", c));
    Result<RowFile> rows_of_bonds = RowFile::resume(folder / "bonds.csv", bond_event_header(), broken - before);
    if (Status opened = made.open_bonds(std::move(rows_of_bonds)); !opened) return opened.error();
  }
  made.frames_ = restored_list(folder, "frames", "frame", frames);
  if (c.output.contacts) made.contacts_ = restored_list(folder, "contacts", "contacts", frames);
  std::error_code e;
  for (std::uint64_t k = frames; fs::remove(numbered(folder / "frames", "frame", k), e) && !e; ++k) {
    fs::remove(numbered(folder / "contacts", "contacts", k), e);
  }
  return made;
}

Status ResultsFolder::write_instant(const Simulation& s, const Totals& t, std::uint64_t k) {
  const Frame frame = make_frame(s, case_->output.contacts);
  const fs::path file = numbered(folder_ / "frames", "frame", k);
  if (Status written = write_frame(file, frame); !written) return written;
  list_file(frames_, folder_, file, s.time);
  if (Status written = write_file_series(folder_ / "frames.hdf.series", frames_); !written) return written;
  if (case_->output.contacts) {
    const fs::path contacts = numbered(folder_ / "contacts", "contacts", k);
    if (Status written = write_contacts(contacts, frame); !written) return written;
    list_file(contacts_, folder_, contacts, s.time);
    if (Status written = write_file_series(folder_ / "contacts.hdf.series", contacts_); !written) return written;
  }
  return series_.append(s, t);
}

Status ResultsFolder::write_broken(const std::vector<bond::Event>& broken) {
  return broken.empty() ? ok() : bonds_->append(bond_event_rows(broken), broken.size());
}

}  // namespace scree::io
