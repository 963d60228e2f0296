#include "io/results/report_texts.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <system_error>

#include "io/text/files.h"

namespace scree::io {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

json text_or_null(const std::optional<std::string>& t) { return t ? json(*t) : json(nullptr); }

std::string counted(std::size_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

}  // namespace

std::string ReportTexts::about(const std::string& title) const {
  const json about{{"format", 1},
                   {"title", title},
                   {"run", text_or_null(run)},
                   {"series", text_or_null(series)},
                   {"case", text_or_null(case_text)},
                   {"notes", notes}};
  return about.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<std::string> read_report_text(const fs::path& file, std::vector<std::string>& notes) {
  std::error_code e;
  if (!fs::exists(file, e)) {
    notes.push_back("There is no " + file.filename().string() + " in the results folder.");
    return {};
  }
  const auto bytes = read_file(file, kMostReportText);
  if (!bytes) {
    notes.push_back(bytes.error().message);
    return {};
  }
  return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

std::string report_title(const std::optional<std::string>& text, const fs::path& results) {
  if (text) {
    const json run = json::parse(*text, nullptr, false);
    if (run.is_object() && run.contains("title") && run["title"].is_string() &&
        !run["title"].get<std::string>().empty()) {
      return run["title"].get<std::string>();
    }
  }
  std::error_code e;
  const fs::path folder = fs::absolute(results, e).lexically_normal();
  return (folder.has_filename() ? folder : folder.parent_path()).filename().string();
}

void note_missing_frames(const FrameFiles& f, std::vector<std::string>& notes) {
  if (f.missing > 0)
    notes.push_back(counted(f.missing, "frame") + (f.missing == 1 ? " is" : " are") + " missing in frames/.");
  if (f.unreadable > 0) notes.push_back(counted(f.unreadable, "frame") + " could not be read: " + f.reason + ".");
}

void note_frames(const FrameFiles& f, const ReportPack& pack, std::vector<std::string>& notes) {
  if (f.played + f.unreadable < f.files) {
    notes.push_back("The page plays " + std::to_string(f.played) + " of the run's " + std::to_string(f.files) +
                    " frames, evenly taken, to stay of a reasonable size; frames/ holds all of them.");
  }
  if (pack.not_finite() > 0) {
    notes.push_back(counted(pack.not_finite(), "pose") + " of particles, no finite numbers, could not be drawn.");
  }
  if (pack.contacts_left_out() > 0) {
    notes.push_back("Of the contact forces the strongest of each frame are drawn; up to " +
                    std::to_string(pack.contacts_left_out()) + " weaker ones per frame are left out.");
  }
  if (pack.bonds_left_out() > 0) {
    notes.push_back("Frames with too many bonds, up to " + std::to_string(pack.bonds_left_out()) +
                    ", do not show them; frames/ holds all.");
  }
}

void note_series(std::size_t rows, std::size_t drawn, std::vector<std::string>& notes) {
  if (drawn < rows)
    notes.push_back("The plots show " + std::to_string(drawn) + " of the " + std::to_string(rows) +
                    " rows of series.csv, evenly taken.");
}

std::size_t number_of(const fs::path& file) {
  const std::string name = file.stem().string();
  const std::size_t at = name.find_last_not_of("0123456789") + 1;
  std::size_t number = 0;
  std::from_chars(name.data() + at, name.data() + name.size(), number);
  return number;
}

}  // namespace scree::io
