#include "app/film.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "app/shell_word.h"
#include "io/text/files.h"

namespace scree::app {

namespace fs = std::filesystem;

namespace {

/// What ffmpeg takes for the pictures of the folder alone.
std::string pattern_of(const fs::path& folder) {
  std::string text;
  for (const char c : folder.string()) {
    if (std::string_view("*?[]{}\\").find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return text + "/*.png";
}

std::vector<std::string> from_pictures(const fs::path& pictures, bool has_odd_side) {
  std::vector<std::string> words{"-framerate", "25", "-pattern_type", "glob", "-i", pattern_of(pictures)};
  if (has_odd_side) words.insert(words.end(), {"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2"});
  words.insert(words.end(), {"-pix_fmt", "yuv420p"});
  return words;
}

/// Its exit code, or 128 and the signal that ended it. Errors: it cannot be started.
Result<int> run_program(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::pid_t child = 0;
  if (const int wrong = ::posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ); wrong != 0)
    return Error{wrong == ENOENT ? words[0] + " is not installed (Debian's package ffmpeg)"
                                 : fmt::format("{} cannot be started: {}", words[0], io::reason_of(wrong))};
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return Error{words[0] + ": " + io::reason_of(errno)};
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

std::string Film::line() const {
  std::string text = "ffmpeg";
  for (const std::string& word : from_pictures(pictures, has_odd_side)) text += " " + quoted(word);
  return text + " " + quoted(file.string());
}

Status Film::make() const {
  std::error_code e;
  // From the root: ffmpeg takes what stands before a colon for a protocol, and a dash for an option.
  const fs::path whole = fs::absolute(file, e), from = e ? fs::path() : fs::absolute(pictures, e);
  if (e) return Error{file.string() + ": " + e.message()};
  const fs::path part = whole.parent_path() / ("." + whole.stem().string() + ".part.mp4");
  std::vector<std::string> words{"ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y"};
  for (std::string& word : from_pictures(from, has_odd_side)) words.push_back(std::move(word));
  words.push_back(part.string());
  const Result<int> code = run_program(std::move(words));
  if (code && *code == 0 && fs::is_regular_file(part, e)) {
    fs::rename(part, whole, e);
    return e ? Status(Error{file.string() + ": " + e.message()}) : ok();
  }
  fs::remove(part, e);
  if (!code) return code.error();
  return Error{*code == 0 ? "ffmpeg wrote no film" : fmt::format("ffmpeg failed, with exit code {}", *code)};
}

}  // namespace scree::app
