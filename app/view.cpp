#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "app/commands.h"
#include "app/live_server.h"
#include "io/results/report.h"

namespace scree::app {

namespace {

struct ViewOptions {
  std::string folder, to;
  bool is_live = false;
  std::optional<int> port;
};

int view(const ViewOptions& o) {
  const auto& [folder, to, is_live, port] = o;
  std::error_code e;
  const std::filesystem::path results(folder);
  if (is_live && !to.empty())
    return refuse("view", "--live serves the page and --out writes it into a file; give one of them");
  if (!is_live && port) return refuse("view", "--port is that of the page's server: give --live too");
  if (port && (*port < 1 || *port > 65535))
    return refuse("view", "--port: expected a number from 1 to 65535, got " + std::to_string(*port));
  if (!std::filesystem::is_directory(results, e))
    return refuse("view", "there is no results folder " + folder + "; `scree run CASE.yaml --out DIR` makes one");
  if (is_live) return serve_live(results, port);
  if (!std::filesystem::is_directory(results / "frames", e) && !std::filesystem::exists(results / "series.csv", e))
    return refuse("view", folder + " holds neither frames nor series.csv: it is no results folder of a run");
  const auto page = io::write_report(results, to);
  if (!page) return fail("view", page.error().message);
  for (const std::string& sentence : page->missing) say("view", sentence);
  std::cout << page->file.string() << "\n";
  return kDone;
}

}  // namespace

void add_view(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<ViewOptions>();
  CLI::App* c = app.add_subcommand(
      "view", "Make the report page of a results folder and print its path, or serve it while the run goes on");
  c->add_option("DIR", o->folder, "Results folder of a run, finished or not")->required();
  c->add_option("--out", o->to, "The page to write (DIR/report.html)")->type_name("FILE");
  c->add_flag("--live", o->is_live,
              "Serve the page to this machine's browsers, print its address, and show there what the run writes, as "
              "it comes; Ctrl-C ends it");
  c->add_option("--port", o->port, "Of the served page; a free one when left out");
  c->footer("Examples:\n  scree view results/box_fill\n  scree view --live results/box_fill");
  c->callback([o, &exit_code] { exit_code = view(*o); });
}

}  // namespace scree::app
