#include "io/results/machine.h"

#include <sys/utsname.h>

#include <fstream>
#include <string>
#include <thread>

namespace scree::io {

namespace {

/// Value of the first line "key : value" of a system file; empty when there is none.
std::string value_in(const char* file, const std::string& key, char separator) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t at = line.find(separator);
    if (at == std::string::npos) continue;
    std::string value =
        line.substr(line.find_first_not_of(" \t", at + 1) == std::string::npos ? line.size()
                                                                               : line.find_first_not_of(" \t", at + 1));
    if (value.size() > 1 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    return value;
  }
  return {};
}

}  // namespace

nlohmann::ordered_json machine_json() {
  nlohmann::ordered_json m;
  m["cpu"] = value_in("/proc/cpuinfo", "model name", ':');
  m["cores"] = std::thread::hardware_concurrency();
  utsname name{};
  const bool known = ::uname(&name) == 0;
  m["system"] = value_in("/etc/os-release", "PRETTY_NAME", '=');
  m["kernel"] = known ? std::string(name.sysname) + " " + name.release : std::string();
  m["architecture"] = known ? name.machine : "";
  return m;
}

}  // namespace scree::io
