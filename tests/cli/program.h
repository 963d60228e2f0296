#pragma once
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

/// Commands as a user gives them.
namespace scree::testing_cli {

namespace fs = std::filesystem;

struct Output {
  int code = -1;
  std::string out, err;
};

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What the shell's command says and ends with; `home`: where files `out` and `err` are written.
inline Output output_of(const std::string& command, const fs::path& home) {
  const int status =
      std::system((command + " >'" + (home / "out").string() + "' 2>'" + (home / "err").string() + "'").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(home / "out"), content(home / "err")};
}

}  // namespace scree::testing_cli
