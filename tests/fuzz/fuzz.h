#pragma once
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

/// What each program of targets/ has: it takes any bytes whatever. Two mains go with it: drive.cpp for every build,
/// libfuzzer.cpp for clang's, which is led by coverage.
namespace scree::fuzz {

/// Whether the input was accepted, rather than refused with a reason. Aborts where a promise is broken.
bool take(std::string_view input);

/// Inputs to begin with.
std::vector<std::string> seeds();

#define SCREE_KEEPS(condition)                                                          \
  do {                                                                                  \
    if (!(condition)) {                                                                 \
      std::cerr << __FILE__ << ':' << __LINE__ << ": not kept: " << #condition << '\n'; \
      std::abort();                                                                     \
    }                                                                                   \
  } while (false)

inline std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// The texts of a folder's files with that ending, by name.
inline std::vector<std::string> texts_of(const std::filesystem::path& folder, std::string_view ending) {
  std::vector<std::filesystem::path> files;
  for (const auto& e : std::filesystem::directory_iterator(folder))
    if (e.path().extension() == ending) files.push_back(e.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const auto& f : files) texts.push_back(text_of(f));
  return texts;
}

/// A folder of this process, gone at its end.
inline const std::filesystem::path& scratch() {
  static const struct Folder {
    std::filesystem::path path = std::filesystem::temp_directory_path() / ("scree_fuzz_" + std::to_string(::getpid()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  } folder;
  return folder.path;
}

/// Takes values off the front of an input; zeros beyond its end.
class Front {
 public:
  explicit Front(std::string_view bytes) : left_(bytes) {}
  template <class T>
  T take() {
    T value{};
    const std::size_t n = std::min(sizeof value, left_.size());
    std::memcpy(&value, left_.data(), n);
    left_.remove_prefix(n);
    return value;
  }
  std::string_view rest() const { return left_; }
  bool is_over() const { return left_.empty(); }

 private:
  std::string_view left_;
};

/// What a person can be shown: not empty, not endless, nothing that a terminal takes for an order.
inline void keeps_legible(const std::string& message) {
  SCREE_KEEPS(!message.empty());
  SCREE_KEEPS(message.size() < 20'000);
  for (std::size_t k = 0; k < message.size(); ++k) {
    const auto c = static_cast<unsigned char>(message[k]),
               before = static_cast<unsigned char>(k > 0 ? message[k - 1] : 0);
    SCREE_KEEPS((c >= 0x20 && c != 0x7F) || c == '\n');
    SCREE_KEEPS(before != 0xC2 || c < 0x80 || c > 0x9F);  // U+0080 to U+009F are orders as well
  }
}

}  // namespace scree::fuzz
