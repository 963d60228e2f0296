// LIBS: scree_base
// docs/architecture.md prints the step as the source has it.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace scree {
namespace {

/// From the step's first line to the brace that ends it.
std::string step_in(const std::string& file) {
  std::stringstream text;
  text << std::ifstream(std::string(SCREE_SOURCE_DIR "/") + file).rdbuf();
  const std::string all = text.str(), head = "template <class Done>\nvoid step(Simulation& s, Done&& done) {\n";
  const std::size_t from = all.find(head);
  if (from == std::string::npos) return file + " has no step";
  EXPECT_EQ(all.find(head, from + 1), std::string::npos) << file << " has more than one";
  return all.substr(from, all.find("\n}\n", from) + 3 - from);
}

TEST(PrintedStep, IsThatOfTheSource) {
  const std::string source = step_in("src/sim/step.cpp");
  EXPECT_EQ(step_in("docs/architecture.md"), source);
  EXPECT_NE(source.find("find_contacts(s)"), std::string::npos) << source;
}

}  // namespace
}  // namespace scree
