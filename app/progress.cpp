#include "app/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "io/text/duration_text.h"

namespace scree::app {

namespace {

constexpr double kRedraw = 0.2;   ///< s, on a terminal
constexpr double kNewLine = 5.0;  ///< s, elsewhere
constexpr std::size_t kBar = 24;  ///< cells

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

double seconds_between(std::chrono::steady_clock::time_point a, std::chrono::steady_clock::time_point b) {
  return std::max(0.0, std::chrono::duration<double>(b - a).count());
}

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

std::string bar(double share) {
  const auto full = static_cast<std::size_t>(std::lround(share * static_cast<double>(kBar)));
  return "[" + std::string(full, '#') + std::string(kBar - full, '.') + "] ";
}

}  // namespace

std::string count_text(double n) {
  if (n >= 1e15) return fmt::format("{:.3g}", n);
  if (n >= 1e9) return fmt::format("{:.2f} G", n / 1e9);
  if (n >= 1e6) return fmt::format("{:.2f} M", n / 1e6);
  if (n >= 1e3) return fmt::format("{:.1f} k", n / 1e3);
  return fmt::format("{:.0f}", n);
}

Progress::Progress(bool quiet, bool mute)
    : quiet_(quiet || mute), mute_(mute), terminal_(::isatty(STDERR_FILENO) == 1) {
  const char *no_colour = std::getenv("NO_COLOR"), *term = std::getenv("TERM");
  colour_ = terminal_ && !(no_colour && *no_colour) && !(term && std::string(term) == "dumb");
}

Progress::~Progress() { clear(); }

void Progress::begin(const Simulation& s, std::optional<double> end) {
  end_ = end;
  began_ = last_drawn_ = Clock::now();
  began_at_ = s.time;
}

void Progress::stepped(const Simulation& s) {
  particle_steps_ += static_cast<double>(s.census.grains);
  if (s.spread.ranks == nullptr && is_time_to_draw()) draw(s, totals(s));
}

bool Progress::is_time_to_draw() const {
  return !quiet_ && seconds_between(last_drawn_, Clock::now()) >= (terminal_ ? kRedraw : kNewLine);
}

void Progress::end(const Simulation& s) {
  if (quiet_) return;
  draw(s, totals(s));
  if (terminal_) print("\n");
  drawn_ = false;
}

void Progress::draw(const Simulation& s, const Totals& t) {
  if (quiet_) return;
  const auto now = Clock::now();
  const double interval = std::max(seconds_between(last_drawn_, now), 1e-3);
  const double rate = (particle_steps_ - steps_at_last_) / interval;
  last_drawn_ = now, steps_at_last_ = particle_steps_;
  std::string head, line = fmt::format("t {:.4g}", s.time);
  if (end_) {
    const double share = *end_ > 0 ? std::clamp((s.time + s.dt / 2) / *end_, 0.0, 1.0) : 1;
    const double left = s.time >= *end_      ? 0
                        : s.time > began_at_ ? seconds_between(began_, now) * (*end_ - s.time) / (s.time - began_at_)
                                             : INFINITY;
    head = fmt::format("{:3.0f} % ", std::floor(100 * share));
    line += fmt::format("/{:.4g} s, ETA {}", *end_, io::duration_text(left));
    if (terminal_ && terminal_width() > 110) head += bar(share);
  } else {
    line += " s";
  }
  line = head + line +
         fmt::format(", {} particle-steps/s, {} contacts, overlap {:.2g} %, Ekin {:.3g} J", count_text(rate),
                     t.contacts, 100 * t.max_overlap, t.kinetic_translation + t.kinetic_rotation);
  if (!terminal_) return print(line + "\n");
  line.resize(std::min(line.size(), terminal_width() - 1));
  print(colour_ ? "\r\033[36m" + line + "\033[0m\033[K"
                : "\r" + line + std::string(terminal_width() - 1 - line.size(), ' '));
  drawn_ = true;
}

void Progress::clear() {
  if (!drawn_) return;
  print("\r" + std::string(terminal_width() - 1, ' ') + "\r");
  drawn_ = false;
}

void Progress::say(const std::string& message) {
  if (mute_) return;
  clear();
  print(message + "\n");
}

void Progress::remark(const std::string& message) {
  if (!quiet_) say(message);
}

}  // namespace scree::app
