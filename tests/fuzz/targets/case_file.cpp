// LIBS: scree_io GTest::gtest
// Case files. Lines before the first "%%" line are their overrides, as --set has them.
#include <algorithm>
#include <sstream>

#include "fuzz/fuzz.h"
#include "io/case/case_hash.h"
#include "io/case/read_case.h"
#include "io/text/yaml_tree.h"
#include "oracle/holds_together.h"

namespace scree::fuzz {
namespace {

constexpr std::string_view kRule = "%%\n";

bool is_same(const io::Node& a, const io::Node& b) {
  return a.kind == b.kind && a.text == b.text && a.items.size() == b.items.size() && a.keys.size() == b.keys.size() &&
         std::equal(a.keys.begin(), a.keys.end(), b.keys.begin(),
                    [](const auto& x, const auto& y) { return x.name == y.name; }) &&
         std::equal(a.items.begin(), a.items.end(), b.items.begin(), is_same);
}

/// What is written of a tree reads back to the same tree.
void keeps_its_tree(std::string text) {
  std::vector<Diagnostic> ignored, none;
  io::Node first, second;
  if (!io::normalise_text(text, "a", ignored) || !io::parse_yaml(text, "a", first, ignored) || first.items.empty())
    return;
  SCREE_KEEPS(io::parse_yaml(io::to_yaml(first), "b", second, none) && none.empty());
  SCREE_KEEPS(is_same(first, second));
}

}  // namespace

std::vector<std::string> seeds() {
  std::vector<std::string> all = texts_of(SCREE_SOURCE_DIR "/examples", ".yaml");
  const std::string box = text_of(SCREE_SOURCE_DIR "/examples/box_fill.yaml");
  for (const char* set : {"particles[0].count=5", "walls.box.box.max[1]=0.4", "output.every=5 ms", "gravity[0]=1",
                          "stages[0].until={kinetic_energy_below: 1e-6 J}", "materials.stone.density=3 t/m^3"})
    all.push_back(std::string(set) + "\n" + std::string(kRule) + box);
  return all;
}

bool take(std::string_view input) {
  GTEST_FLAG_SET(throw_on_failure, true);
  std::vector<std::string> overrides;
  if (const std::size_t rule = input.find(kRule);
      rule != std::string_view::npos && (rule == 0 || input[rule - 1] == '\n')) {
    std::istringstream lines{std::string(input.substr(0, rule))};
    for (std::string line; std::getline(lines, line) && overrides.size() < 8;) overrides.push_back(line);
    input.remove_prefix(rule + kRule.size());
  }
  const std::string text(input);
  const io::ReadCase read = io::read_case_text(text, SCREE_SOURCE_DIR "/examples/of_chance.yaml", overrides);
  const auto lines = 1 + std::count(text.begin(), text.end(), '\n') + std::count(text.begin(), text.end(), '\r');
  for (const Diagnostic& d : read.diagnostics) {
    keeps_legible(format(d));
    SCREE_KEEPS(!d.message.empty() && format(d).size() < 2000);
    SCREE_KEEPS(d.line <= lines);
  }
  keeps_its_tree(text);
  if (has_errors(read.diagnostics)) return false;
  io::expect_holds_together(read.value);
  for (std::uint64_t stage = 0; stage < read.value.stages.size(); ++stage)
    SCREE_KEEPS(!io::case_parts(read.value, stage).empty());
  return true;
}

}  // namespace scree::fuzz
