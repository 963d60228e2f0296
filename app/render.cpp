// scree render: frames as pictures.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/commands.h"
#include "app/film.h"
#include "app/frames.h"
#include "io/results/picture.h"
#include "io/text/files.h"
#include "io/text/nearest.h"
#include "io/text/short_text.h"

namespace scree::app {

namespace {

namespace fs = std::filesystem;
using Colour = io::PictureSettings::Colour;

constexpr int kLongest = 8192,
              kMost = 8192 * 4096;  // pixels along a side, and in all: drawing takes 100 bytes for each

struct RenderOptions {
  FrameChoice frames;
  std::string size = "1280x960", colour = "speed";
  std::optional<std::string> from, out;
  bool force = false, film = false;
};

/// Numbers with `between` between them, and nothing else.
template <class T>
std::optional<std::vector<T>> numbers(std::string_view text, char between) {
  std::vector<T> all;
  for (;;) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    T value{};
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (wrong != std::errc()) return std::nullopt;
    all.push_back(value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) return all;
    if (text.front() != between) return std::nullopt;
    text.remove_prefix(1);
  }
}

std::string got(const std::string& text) { return text.empty() ? "nothing" : io::short_text(text); }

Result<io::PictureSettings> settings_of(const RenderOptions& o) {
  io::PictureSettings s;
  const auto size = numbers<int>(o.size, 'x');
  const auto is_side = [](int n) { return n >= 1 && n <= kLongest; };
  if (!size || size->size() != 2 || !std::ranges::all_of(*size, is_side) || (*size)[0] * (*size)[1] > kMost)
    return Error{
        fmt::format("--size: expected WIDTHxHEIGHT of 1 to {} pixels, {} million in all, as in 1280x960, got {}",
                    kLongest, kMost / 1'000'000, got(o.size))};
  s.width = (*size)[0], s.height = (*size)[1];
  if (o.from) {
    const auto from = numbers<double>(*o.from, ',');
    if (from && from->size() == 3) s.from = {(*from)[0], (*from)[1], (*from)[2]};
    if (!from || from->size() != 3 || !(norm(s.from) > 0) || !(norm(s.from) < 1e100))
      return Error{"--from: expected a direction x,y,z, as in 0.5,-1,0.4, got " + got(*o.from)};
  }
  static constexpr Colour kColours[] = {Colour::speed, Colour::size, Colour::material, Colour::shape};
  static const std::vector<std::string> kNames{"speed", "size", "material", "shape"};
  const auto name = std::ranges::find(kNames, o.colour);
  if (name == kNames.end())
    return Error{fmt::format("--colour: expected speed, size, material or shape, got {}{}", got(o.colour),
                             io::did_you_mean(o.colour, kNames))};
  s.colour = kColours[name - kNames.begin()];
  return s;
}

/// How many pictures of the pattern are none of these.
std::size_t others_in(const fs::path& folder, const std::set<fs::path>& names) {
  std::size_t n = 0;
  std::error_code e;
  for (fs::directory_iterator i(folder, e), end; !e && i != end; i.increment(e)) {
    const fs::path name = i->path().filename();
    n += name.extension() == ".png" && !name.string().starts_with('.') && !names.contains(name);
  }
  return n;
}

/// Of the pictures of a folder.
Film film_of(const fs::path& folder, const fs::path& file, const io::PictureSettings& s) {
  return {folder, file, s.width % 2 + s.height % 2 > 0};
}

/// The line for a film of the pictures.
std::string film_text(const fs::path& folder, const std::set<fs::path>& names, const io::PictureSettings& s) {
  const std::size_t others = others_in(folder, names);
  return fmt::format(
      "A film of them{}: {}",
      others > 0 ? fmt::format(", and of {} more that {} in that folder", others, others == 1 ? "is" : "are") : "",
      film_of(folder, "film.mp4", s).line());
}

/// The film is made, or it is told how.
int make_film(const Film& film, std::size_t pictures, int code) {
  if (const Status made = film.make(); !made)
    return fail("render", fmt::format("no film: {}. The {} pictures for it are in {}; by hand it is made by\n  {}",
                                      made.error().message, pictures, film.pictures.string(), film.line()));
  fmt::print("{}\n{} pictures, in {}\n", film.file.string(), pictures, film.pictures.string());
  return code;
}

/// One frame at a time is in memory. A damaged one is told and left out. `film`: that is to be made; none: empty.
int draw_frames(const ChosenFrames& frames, const Targets& targets, const fs::path& film,
                io::PictureSettings settings) {
  int code = kDone;
  std::vector<std::size_t> good;
  // All pictures show the same place, in the same colours.
  for (std::size_t k = 0; k < frames.files.size(); ++k) {
    const Result<io::Frame> frame = io::read_frame(frames.files[k]);
    if (!frame) {
      code = fail("render", frame.error().message + (frames.files.size() > 1 ? "; this frame is left out" : ""));
      continue;
    }
    good.push_back(k);
    settings.extent.add(*frame), settings.top_speed = std::max(settings.top_speed, io::typical_speed(*frame));
  }
  if (good.empty()) return code;
  if (settings.extent.is_empty())
    return fail("render", "there is nothing to draw: no grains with a place, and no walls with bounds");
  std::set<fs::path> names;
  for (const std::size_t k : good) {
    const Result<io::Frame> frame = io::read_frame(frames.files[k]);
    if (!frame) return fail("render", frame.error().message);
    const std::string png = io::png_text(io::draw(*frame, settings));
    if (png.empty()) return fail("render", "a picture could not be packed: not enough memory");
    if (const Status s = io::write_file(targets.files[k], png, io::Durability::buffered); !s)
      return fail("render", s.error().message);
    names.insert(targets.files[k].filename());
  }
  if (!film.empty()) return make_film(film_of(targets.folder, film, settings), good.size(), code);
  fmt::print("{}\n", (good.size() == 1 ? targets.files[good[0]] : targets.folder).string());
  if (good.size() > 1) fmt::print("{} pictures. {}\n", good.size(), film_text(targets.folder, names, settings));
  return code;
}

/// Of a film, whose pictures go into the folder of its name beside it.
Result<Targets> targets_of_film(const ChosenFrames& frames, const fs::path& film) {
  if (film.extension() != ".mp4") return Error{"--out: expected a film's file, which ends in .mp4, got " + got(film)};
  Targets targets{{}, fs::path(film).replace_extension()};
  std::set<fs::path> names;
  for (const fs::path& frame : frames.files) {
    targets.files.push_back(targets.folder / (frame.stem().string() + ".png"));
    names.insert(targets.files.back().filename());
  }
  if (const std::size_t others = others_in(targets.folder, names); others > 0)
    return Error{
        fmt::format("{} holds {} picture{} that would be in the film too; remove {}, or give the film another "
                    "name by --out",
                    targets.folder.string(), others, others == 1 ? "" : "s", others == 1 ? "it" : "them")};
  return targets;
}

/// Where it goes; empty: none is asked for.
fs::path film_file(const RenderOptions& o) {
  if (!o.film) return {};
  return o.out ? fs::path(*o.out) : fs::path(o.frames.results) / "film.mp4";
}

int run_render(RenderOptions o) {
  o.frames.all = o.frames.all || (o.film && !o.frames.every);
  const Result<io::PictureSettings> settings = settings_of(o);
  if (!settings) return refuse("render", settings.error().message);
  const Result<ChosenFrames> frames = frames_of(o.frames);
  if (!frames) return refuse("render", frames.error().message);
  if (std::error_code e; o.film && !fs::is_directory(o.frames.results, e))
    return refuse("render", "--film: expected a results folder, got the frame " + o.frames.results);
  const fs::path film = film_file(o);
  Result<Targets> targets =
      o.film ? targets_of_film(*frames, film) : targets_of(o.frames, *frames, o.out, ".png", "pictures");
  if (!targets) return refuse("render", targets.error().message);
  std::error_code e;
  std::vector<fs::path> written = targets->files;
  if (o.film) written.push_back(film);
  for (const fs::path& file : written)
    if (!o.force && fs::exists(fs::symlink_status(file, e)))
      return refuse("render", file.string() + " is there already; --force replaces it, --out DIR writes elsewhere");
  if (!targets->folder.empty()) {
    if (const Status made = io::make_folder(targets->folder); !made) return fail("render", made.error().message);
  }
  if (const std::string said = said_of(o.frames, *frames); !said.empty()) say("render", said);
  return draw_frames(*frames, *targets, film, *settings);
}

}  // namespace

void add_render(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<RenderOptions>();
  CLI::App* c = app.add_subcommand("render", "Draw a run's frames as pictures (PNG), without browser or display");
  add_frame_choice(*c, o->frames);
  add_out(*c, o->out, "pictures");
  c->add_option("--size", o->size, "Pixels, WIDTHxHEIGHT (default 1280x960)");
  // Not as an optional text, which the parser leaves out where it is empty.
  c->add_option_function<std::string>(
       "--from", [o](const std::string& direction) { o->from = direction; },
       "Where it is seen from, a direction x,y,z (default 0.48,-1,0.42); not in two dimensions")
      ->type_name("x,y,z");
  c->add_option("--colour", o->colour, "Grains by speed, size, material or shape (default speed)");
  c->add_flag("--film", o->film,
              "A film (MP4) of every frame, or of every N-th, by ffmpeg: RESULTS/film.mp4, or where --out says")
      ->excludes("--at");
  c->add_flag("--force", o->force, "Replace files that are there already");
  c->footer(
      "Examples:\n  scree render results/box_fill --at \"0.3 s\" -o bed.png\n"
      "  scree render results/box_fill --all --size 1920x1080 --colour size\n"
      "  scree render results/box_fill --film -o box.mp4\n"
      "Exit code: 0 done, 1 a frame is damaged, a file cannot be written or no film was made, 2 the input is wrong.");
  c->callback([o, &exit_code] { exit_code = run_render(*o); });
}

}  // namespace scree::app
