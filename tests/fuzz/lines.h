#pragma once
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

/// Inputs in a text file, one a line in quotation marks, bytes that are not plain as \xNN: the form that libFuzzer's
/// dictionaries have.
namespace scree::fuzz {

inline std::string as_line(std::string_view bytes) {
  std::string line = "\"";
  for (const char c : bytes) {
    if (c == '"' || c == '\\') {
      line += {'\\', c};
    } else if (c >= ' ' && c < 127) {
      line += c;
    } else {
      const auto u = static_cast<unsigned char>(c);
      line += {'\\', 'x', "0123456789abcdef"[u / 16], "0123456789abcdef"[u % 16]};
    }
  }
  return line + '"';
}

/// Nothing: not of that form.
inline std::optional<std::string> from_line(std::string_view line) {
  if (line.size() < 2 || line.front() != '"' || line.back() != '"') return std::nullopt;
  line = line.substr(1, line.size() - 2);
  std::string bytes;
  for (std::size_t k = 0; k < line.size(); ++k) {
    if (line[k] != '\\') {
      bytes += line[k];
    } else if (k + 1 < line.size() && (line[k + 1] == '"' || line[k + 1] == '\\')) {
      bytes += line[++k];
    } else if (k + 3 < line.size() && line[k + 1] == 'x') {
      const std::string hex(line.substr(k + 2, 2));
      char* end = nullptr;
      bytes += static_cast<char>(std::strtol(hex.c_str(), &end, 16));
      if (end != hex.c_str() + 2) return std::nullopt;
      k += 3;
    } else {
      return std::nullopt;
    }
  }
  return bytes;
}

/// Lines that are empty or begin with # do not count. Nothing: not there, or a line of another form.
inline std::optional<std::vector<std::string>> read_lines(const std::string& file) {
  std::ifstream in(file);
  if (!in) return std::nullopt;
  std::vector<std::string> inputs;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::optional<std::string> input = from_line(line);
    if (!input) return std::nullopt;
    inputs.push_back(*input);
  }
  return inputs;
}

}  // namespace scree::fuzz
