#pragma once
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace scree {

/// All of a file; empty where there is none.
inline std::string text_of(const std::filesystem::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

}  // namespace scree
