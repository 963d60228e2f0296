#include "app/bench/record.h"

#include <fmt/format.h>

#include <cstdio>
#include <ctime>

#include "app/bench/vectors.h"
#include "app/commands.h"
#include "io/results/build_info.h"
#include "io/results/machine.h"
#include "io/text/files.h"

namespace scree::app {

nlohmann::ordered_json json_head(const std::string& bench, bool quick) {
  return {{"bench", bench},
          {"machine", io::machine_json()},
          {"version", io::kBuildInfo.version},
          {"commit", io::kBuildInfo.commit},
          {"vectors", vectors_in_use()},
          {"quick", quick},
          {"rows", nlohmann::ordered_json::array()}};
}

int write_record(const std::string& file, const nlohmann::ordered_json& record) {
  std::fflush(stdout);
  if (file.empty()) return kDone;
  std::string text = "{";
  for (const auto& [key, value] : record.items()) {
    text += fmt::format("{}\n {}: ", text.size() > 1 ? "," : "", nlohmann::json(key).dump());
    if (!value.is_array() || value.empty() || !value[0].is_object()) {
      text += value.dump();
      continue;
    }
    const char* before = "[";
    for (const auto& row : value) text += before + ("\n  " + row.dump()), before = ",";
    text += "\n ]";
  }
  const Status written = io::write_file(file, text + "\n}\n");
  if (!written) fmt::print(stderr, "{}\n", written.error().message);
  return written ? kDone : kRunFailed;
}

double cpu_seconds() {
  std::timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace scree::app
