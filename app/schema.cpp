#include "io/case/schema.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "app/commands.h"

namespace scree::app {

void add_schema(CLI::App& app, int& exit_code) {
  CLI::App* c = app.add_subcommand("schema", "Print the JSON schema of case files, for editors' completion");
  auto table = std::make_shared<bool>(false);
  c->add_flag("--table", *table, "Print the keys as a Markdown table instead");
  c->footer(
      "Example:\n  scree schema > case.schema.json\n"
      "and as the first line of a case, for editors with the YAML language server:\n"
      "  # yaml-language-server: $schema=case.schema.json");
  c->callback([table, &exit_code] {
    const Result<io::Units> units = io::Units::load();
    if (!units) {
      std::fprintf(stderr, "%s\n", units.error().message.c_str());
      exit_code = kRunFailed;
      return;
    }
    std::fputs((*table ? io::case_key_table(*units) : io::case_schema(*units)).c_str(), stdout);
    exit_code = kDone;
  });
}

}  // namespace scree::app
