#include "io/results/report.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

#include "io/results/frame.h"
#include "io/results/report_encode.h"
#include "io/results/report_pack.h"
#include "io/results/report_template.h"
#include "io/results/report_texts.h"
#include "io/text/files.h"

namespace scree::io {

namespace fs = std::filesystem;

namespace {

/// Keeps every k-th line behind the header, and the last one.
std::string thin_series(const std::string& text, std::vector<std::string>& notes) {
  std::vector<std::size_t> begins{0};
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == '\n') begins.push_back(i + 1);
  }
  if (begins.size() <= kMostSeriesRows) return text;
  const auto line = [&](std::size_t k) {
    return text.substr(begins[k], (k + 1 < begins.size() ? begins[k + 1] : text.size()) - begins[k]);
  };
  std::string out = line(0);
  for (const std::size_t r : thin(begins.size() - 1, kMostSeriesRows)) out += line(r + 1);
  note_series(begins.size() - 1, kMostSeriesRows, notes);
  return out;
}

struct Collected {
  ReportPack pack;
  std::size_t unreadable = 0;
  std::string reason;  ///< of the first that could not be read
};

/// Reads the frames that the budget allows. A frame that cannot be read is left out.
Collected collect(const std::vector<fs::path>& files, const ReportBudget& budget) {
  std::size_t largest = 0;
  if (!files.empty()) {
    for (const fs::path& f : {files.front(), files.back()}) {
      if (const auto frame = read_frame(f)) largest = std::max(largest, frame->id.size());
    }
  }
  const std::size_t kept = budget.frames_kept(files.size(), largest);
  Collected c{ReportPack(budget.contacts_kept(kept), budget.bonds_kept(kept)), 0, {}};
  for (const std::size_t r : thin(files.size(), kept)) {
    const auto frame = read_frame(files[r]);
    if (frame) {
      c.pack.add(*frame);
    } else if (c.unreadable++ == 0) {
      c.reason = frame.error().message;
    }
  }
  return c;
}

/// Numbers between the first frame and the last that no file has.
std::size_t gaps(const std::vector<fs::path>& files) {
  std::size_t last = 0;
  for (const fs::path& file : files) last = std::max(last, number_of(file) + 1);
  return last > files.size() ? last - files.size() : 0;
}

/// Packs, and thins further as long as the blocks are larger than the budget.
Result<ReportPack::Blocks> fit(ReportPack& pack, const ReportBudget& budget) {
  for (;;) {
    auto blocks = pack.blocks();
    if (!blocks || blocks->bytes() <= budget.bytes || pack.frames() <= 2) return blocks;
    const double share = 0.95 * static_cast<double>(budget.bytes) / static_cast<double>(blocks->bytes());
    const auto fewer = static_cast<std::size_t>(share * static_cast<double>(pack.frames()));
    pack.keep(thin(pack.frames(), std::clamp<std::size_t>(fewer, 2, pack.frames() - 1)));
  }
}

void append_block(std::string& page, const std::string& id, const std::string& base64_text) {
  page += "<script type=\"application/octet-stream\" id=\"" + id + "\">" + base64_text + "</script>\n";
}

/// The template with the title and the data blocks in their places. Everything of the user's is base64 but for the
/// escaped title.
Result<std::string> page_of(const std::string& title, const ReportTexts& t, const ReportPack::Blocks& blocks) {
  const auto about_block = deflate_base64(t.about(title));
  const auto header_block = deflate_base64(blocks.header);
  if (!about_block) return about_block.error();
  if (!header_block) return header_block.error();
  const std::string_view page = report_template();
  const std::size_t at_title = page.find(kReportTitle), at_data = page.find(kReportData);
  if (at_title == page.npos || at_data == page.npos || at_data < at_title)
    return Error{"the report page of this binary is damaged"};
  std::string out;
  out.reserve(page.size() + about_block->size() + header_block->size() + blocks.bytes() + 100 * blocks.frames.size());
  out += page.substr(0, at_title);
  out += escape_html(title);
  out += page.substr(at_title + kReportTitle.size(), at_data - at_title - kReportTitle.size());
  append_block(out, "scree-about", *about_block);
  append_block(out, "scree-header", *header_block);
  append_block(out, "scree-particles", blocks.particles);
  for (std::size_t k = 0; k < blocks.frames.size(); ++k)
    append_block(out, "scree-frame-" + std::to_string(k), blocks.frames[k]);
  out += page.substr(at_data + kReportData.size());
  return out;
}

}  // namespace

Result<ReportPage> write_report(const fs::path& results, const fs::path& to) {
  std::error_code e;
  if (!fs::is_directory(results, e)) return Error{"there is no results folder " + results.string()};
  const std::vector<fs::path> files = frame_files(results);
  if (files.empty() && !fs::exists(results / "series.csv", e)) {
    return Error{results.string() + " holds neither frames/*.vtkhdf nor series.csv: it is no results folder of a run"};
  }
  if (report_template().empty()) return Error{std::string(kNoReportPage)};
  ReportTexts texts;
  texts.run = read_report_text(results / "run.json", texts.notes);
  texts.series = read_report_text(results / "series.csv", texts.notes);
  texts.case_text = read_report_text(results / "case.yaml", texts.notes);
  std::vector<std::string> missing = texts.notes;
  if (texts.series) texts.series = thin_series(*texts.series, texts.notes);

  const ReportBudget budget;
  Collected frames = collect(files, budget);
  const auto blocks = fit(frames.pack, budget);
  if (!blocks) return blocks.error();
  const FrameFiles became{files.size(), gaps(files), frames.pack.frames(), frames.unreadable, frames.reason};
  const std::size_t before = texts.notes.size();
  if (files.empty()) texts.notes.push_back("The results folder holds no frames: there is nothing to play.");
  note_missing_frames(became, texts.notes);
  missing.insert(missing.end(), texts.notes.begin() + static_cast<std::ptrdiff_t>(before), texts.notes.end());
  note_frames(became, frames.pack, texts.notes);
  const auto page = page_of(report_title(texts.run, results), texts, *blocks);
  if (!page) return page.error();
  const fs::path file = to.empty() ? results / "report.html" : to;
  if (const Status s = write_file(file, *page); !s) return s.error();
  return ReportPage{file, std::move(missing)};
}

}  // namespace scree::io
