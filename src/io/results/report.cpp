#include "io/results/report.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "io/results/frame.h"
#include "io/results/report_encode.h"
#include "io/results/report_pack.h"
#include "io/results/report_template.h"
#include "io/text/files.h"

namespace scree::io {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr std::size_t kMostText = std::size_t{64} << 20;
constexpr std::size_t kMostSeriesRows = 20'000;

/// What the page is told besides the frames. `notes` are sentences for its reader: what is missing, thinned or left
/// out.
struct Texts {
  std::optional<std::string> run, series, case_text;
  std::vector<std::string> notes;
};

std::optional<std::string> read_text(const fs::path& file, std::vector<std::string>& notes) {
  std::error_code e;
  if (!fs::exists(file, e)) {
    notes.push_back("There is no " + file.filename().string() + " in the results folder.");
    return {};
  }
  const auto bytes = read_file(file, kMostText);
  if (!bytes) {
    notes.push_back(bytes.error().message);
    return {};
  }
  return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

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
  notes.push_back("The plots show " + std::to_string(kMostSeriesRows) + " of the " + std::to_string(begins.size() - 1) +
                  " rows of series.csv, evenly taken.");
  return out;
}

std::string counted(std::size_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
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
  for (const fs::path& file : files) {
    const std::string name = file.stem().string();
    const std::size_t at = name.find_last_not_of("0123456789") + 1;
    std::size_t number = 0;
    std::from_chars(name.data() + at, name.data() + name.size(), number);
    last = std::max(last, number + 1);
  }
  return last > files.size() ? last - files.size() : 0;
}

void note_missing_frames(const Collected& c, const std::vector<fs::path>& files, std::vector<std::string>& notes) {
  if (files.empty()) notes.push_back("The results folder holds no frames: there is nothing to play.");
  if (const std::size_t n = gaps(files); n > 0)
    notes.push_back(counted(n, "frame") + (n == 1 ? " is" : " are") + " missing in frames/.");
  if (c.unreadable > 0) {
    notes.push_back(counted(c.unreadable, "frame") + " could not be read: " + c.reason + ".");
  }
}

/// What the page does not show of the frames, and why.
void note_frames(const Collected& c, std::size_t files, std::vector<std::string>& notes) {
  if (c.pack.frames() + c.unreadable < files) {
    notes.push_back("The page plays " + std::to_string(c.pack.frames()) + " of the run's " + std::to_string(files) +
                    " frames, evenly taken, to stay of a reasonable size; frames/ holds all of them.");
  }
  if (c.pack.not_finite() > 0) {
    notes.push_back(counted(c.pack.not_finite(), "pose") + " of particles, no finite numbers, could not be drawn.");
  }
  if (c.pack.contacts_left_out() > 0) {
    notes.push_back("Of the contact forces the strongest of each frame are drawn; up to " +
                    std::to_string(c.pack.contacts_left_out()) + " weaker ones per frame are left out.");
  }
  if (c.pack.bonds_left_out() > 0) {
    notes.push_back("Frames with too many bonds, up to " + std::to_string(c.pack.bonds_left_out()) +
                    ", do not show them; frames/ holds all.");
  }
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

std::string title_of(const Texts& t, const fs::path& results) {
  if (t.run) {
    const json run = json::parse(*t.run, nullptr, false);
    if (run.is_object() && run.contains("title") && run["title"].is_string() &&
        !run["title"].get<std::string>().empty()) {
      return run["title"].get<std::string>();
    }
  }
  std::error_code e;
  return fs::absolute(results, e).lexically_normal().filename().string();
}

json text_or_null(const std::optional<std::string>& t) { return t ? json(*t) : json(nullptr); }

void append_block(std::string& page, const std::string& id, const std::string& base64_text) {
  page += "<script type=\"application/octet-stream\" id=\"" + id + "\">" + base64_text + "</script>\n";
}

/// The template with the title and the data blocks in their places. Everything of the user's is base64 but for the
/// escaped title.
Result<std::string> page_of(const std::string& title, const Texts& t, const ReportPack::Blocks& blocks) {
  json about{{"format", 1},
             {"title", title},
             {"run", text_or_null(t.run)},
             {"series", text_or_null(t.series)},
             {"case", text_or_null(t.case_text)},
             {"notes", t.notes}};
  const auto about_block = deflate_base64(about.dump(-1, ' ', false, json::error_handler_t::replace));
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
  if (report_template().empty()) {
    return Error{
        "this binary was built without the report page (SCREE_VIEWER=OFF): configure it with npm at hand and "
        "-DSCREE_VIEWER=ON"};
  }
  Texts texts;
  texts.run = read_text(results / "run.json", texts.notes);
  texts.series = read_text(results / "series.csv", texts.notes);
  texts.case_text = read_text(results / "case.yaml", texts.notes);
  std::vector<std::string> missing = texts.notes;
  if (texts.series) texts.series = thin_series(*texts.series, texts.notes);

  const ReportBudget budget;
  Collected frames = collect(files, budget);
  const auto blocks = fit(frames.pack, budget);
  if (!blocks) return blocks.error();
  const std::size_t before = texts.notes.size();
  note_missing_frames(frames, files, texts.notes);
  missing.insert(missing.end(), texts.notes.begin() + static_cast<std::ptrdiff_t>(before), texts.notes.end());
  note_frames(frames, files.size(), texts.notes);
  const auto page = page_of(title_of(texts, results), texts, *blocks);
  if (!page) return page.error();
  const fs::path file = to.empty() ? results / "report.html" : to;
  if (const Status s = write_file(file, *page); !s) return s.error();
  return ReportPage{file, std::move(missing)};
}

}  // namespace scree::io
