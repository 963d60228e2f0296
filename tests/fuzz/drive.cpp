// Runs a target over its seeds and its corpus, then for some seconds over inputs made of them by chance:
//   fuzz_TARGET CORPUS WORDS [SECONDS [SEED]]
// Which input is the next one hangs on the seed alone, so that a failure comes again. 0: all promises were kept.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "base/random.h"
#include "fuzz/fuzz.h"
#include "fuzz/lines.h"

namespace scree::fuzz {
namespace {

constexpr std::size_t kLongest = 1 << 16;
constexpr unsigned kPatience = 120;  // s; an input that takes longer hangs

/// What is being taken, for the handlers.
std::string present;

void tell() {
  const std::string line = "\nthe input was " + as_line(present) + "\n";
  [[maybe_unused]] const auto n = ::write(2, line.data(), line.size());
}

void on_signal(int number) {
  tell();
  ::signal(number, SIG_DFL);
  ::raise(number);
}

std::string changed(std::string text, const std::vector<std::string>& all, const std::vector<std::string>& words,
                    Random& r) {
  const std::uint64_t changes = 1 + r.below(4);
  for (std::uint64_t c = 0; c < changes; ++c) {
    const std::size_t at = r.below(text.size() + 1), length = std::min<std::size_t>(text.size() - at, 1 + r.below(12));
    switch (r.below(9)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(r.below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      case 3:
        text.insert(at, words[r.below(words.size())]);
        break;
      case 4:
        text.replace(at, length, words[r.below(words.size())]);
        break;
      case 5: {  // a value is replaced whole
        const std::size_t colon = text.find(": ", at),
                          end = colon == std::string::npos ? colon : text.find_first_of(",}\n", colon);
        if (end != std::string::npos) text.replace(colon + 2, end - colon - 2, words[r.below(words.size())]);
        break;
      }
      case 6: {  // a line is dropped, or comes again elsewhere
        const std::size_t begin = text.rfind('\n', at), end = text.find('\n', at);
        if (begin == std::string::npos || end == std::string::npos) break;
        const std::string line = text.substr(begin, end - begin);
        text.erase(begin, end - begin);
        if (r.below(2) == 0) text.insert(std::min(text.size(), text.find('\n', r.below(text.size() + 1))), line);
        break;
      }
      case 7:
        for (std::size_t k = at; k < at + length; ++k) text[k] = static_cast<char>(r.below(256));
        break;
      default: {  // a piece of another one
        const std::string& other = all[r.below(all.size())];
        text.insert(at, other.substr(r.below(other.size() + 1), r.below(200)));
      }
    }
  }
  text.resize(std::min(text.size(), kLongest));
  return text;
}

int fail(const std::string& why) {
  std::cerr << why << '\n';
  return 1;
}

int drive(const std::vector<std::string>& words_of_command) {
  if (words_of_command.size() < 2) return fail("which corpus and which words?");
  const auto corpus = read_lines(words_of_command[0]), words = read_lines(words_of_command[1]);
  if (!corpus) return fail(words_of_command[0] + ": no corpus");
  if (!words || words->empty()) return fail(words_of_command[1] + ": no words");
  const double seconds = words_of_command.size() > 2 ? std::atof(words_of_command[2].c_str()) : 0;
  const std::uint64_t seed = words_of_command.size() > 3 ? std::strtoull(words_of_command[3].c_str(), nullptr, 10) : 1;

  std::vector<std::string> all = seeds();
  if (all.empty()) return fail("no seeds");
  all.insert(all.end(), corpus->begin(), corpus->end());
  std::uint64_t accepted = 0, refused = 0;
  const auto one = [&](std::string input) {
    present = std::move(input);
    ::alarm(kPatience);
    take(present) ? ++accepted : ++refused;
    ::alarm(0);
  };
  for (const std::string& input : all) one(input);
  const std::uint64_t first = all.size();
  const auto began = std::chrono::steady_clock::now();
  std::uint64_t round = 0;
  for (; std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() < seconds; ++round) {
    Random r(seed, round);
    one(changed(all[r.below(all.size())], all, *words, r));
  }
  std::cout << first << " of the corpus, " << round << " made by chance: " << accepted << " accepted, " << refused
            << " refused\n";
  // Neither all harmless nor all fatal, or this would test nothing.
  if (accepted == 0 || refused == 0) return fail("one kind never came");
  return 0;
}

}  // namespace
}  // namespace scree::fuzz

/// Of the sanitizers, which end a program without a signal; nullptr: there are none.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*)());

int main(int argc, char** argv) {
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(scree::fuzz::tell);
  for (const int number : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGILL, SIGALRM}) ::signal(number, scree::fuzz::on_signal);
  return scree::fuzz::drive({argv + 1, argv + argc});
}
