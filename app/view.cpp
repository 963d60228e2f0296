#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "app/commands.h"
#include "io/results/report.h"

namespace scree::app {

namespace {

int view(const std::string& folder, const std::string& to) {
  std::error_code e;
  const std::filesystem::path results(folder);
  if (!std::filesystem::is_directory(results, e)) {
    std::cerr << "scree view: there is no results folder " << folder << "; `scree run CASE.yaml --out DIR` makes one\n";
    return kBadInput;
  }
  if (!std::filesystem::is_directory(results / "frames", e) && !std::filesystem::exists(results / "series.csv", e)) {
    std::cerr << "scree view: " << folder << " holds neither frames nor series.csv: it is no results folder of a run\n";
    return kBadInput;
  }
  const auto page = io::write_report(results, to);
  if (!page) {
    std::cerr << "scree view: " << page.error().message << "\n";
    return kRunFailed;
  }
  for (const std::string& sentence : page->missing) std::cerr << "scree view: " << sentence << "\n";
  std::cout << page->file.string() << "\n";
  return kDone;
}

}  // namespace

void add_view(CLI::App& app, int& exit_code) {
  auto folder = std::make_shared<std::string>();
  CLI::App* c = app.add_subcommand("view", "Make the report page of a results folder and print its path");
  c->add_option("DIR", *folder, "Results folder of a run, finished or not")->required();
  auto to = std::make_shared<std::string>();
  c->add_option("--out", *to, "The page to write (DIR/report.html)")->type_name("FILE");
  c->footer("Example:\n  scree view results/box_fill");
  c->callback([folder, to, &exit_code] { exit_code = view(*folder, *to); });
}

}  // namespace scree::app
