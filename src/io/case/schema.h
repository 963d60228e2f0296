#pragma once
#include <limits>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "io/text/units.h"
#include "io/text/yaml_tree.h"

namespace scree::io {

/// Allowed numbers, in SI units.
struct Range {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  bool above = false;  ///< low itself is refused
  bool below = false;  ///< high itself is refused
  bool holds(double v) const { return (above ? v > low : v >= low) && (below ? v < high : v <= high); }
};

/// One of the forms that a value may have.
struct Form {
  enum class Kind {
    text,             ///< any text
    name,             ///< a text that names something of the case or of the shape library
    flag,             ///< true or false
    words,            ///< one of `words`
    integer,          ///< within range
    number,           ///< plain, within range
    quantity,         ///< of `dimension`, within range
    power_stiffness,  ///< N/m^exponent, exponent from its sibling key; read by the second pass
    list,             ///< of `item`, least to most
    map,              ///< with the keys below this one in the table
    names,            ///< map with names that the user chooses, each holding the keys below this one
  };
  Kind kind = Kind::text;
  Dimension dimension = {};
  Range range = {};
  std::vector<std::string> words = {};
  std::vector<Form> item = {};
  std::size_t least = 0, most = kMaxNodes;
  bool references = false;  ///< names: they refer to things that are there (dots allowed), they make no new ones
};

/// One key of the case file. The table of these rows is all that the reader, `scree schema`, the docs' table and
/// did-you-mean know.
struct Row {
  std::string path;  ///< "particles[].size": [] for the items of a list, * for names that the user chooses
  std::vector<Form> forms;
  std::string
      fallback;      ///< "required", "one of these" (exactly one key of a run of such siblings), or the default as text
  std::string what;  ///< one sentence
  std::string same_as = {};  ///< path of the row whose keys this one takes over
  std::string needs = {};    ///< sibling that has to be given along with this one
  /// Words of the sibling `law` with which the key may stand, and is required where its fallback says so; empty: any.
  std::vector<std::string> laws = {};
};
const std::vector<Row>& case_table();

/// The table as a tree.
struct Entry {
  const Row* row = nullptr;
  std::string name;
  std::vector<Entry> keys;
  bool required() const { return row && row->fallback == "required"; }
  /// Whether the key goes with this law; an empty one stands for a law that is not known.
  bool goes_with(const std::string& law) const;
  bool one_of() const { return row && row->fallback == "one of these"; }
};
const Entry& case_root();

/// "a length above 0 or auto"
std::string expected(const Entry& entry, const std::vector<Form>& forms, bool with_ranges = true);

/// Names that users choose.
inline constexpr const char* kNamePattern = "^[A-Za-z_][A-Za-z0-9_-]{0,63}$";

/// Holds the tree against the table: unknown and missing keys, forms, ranges, dimensions. Sets Node::valid, form, si
/// and integer. `files[k]` is what diagnostics call source k.
void check(Node& root, const Units& units, const std::vector<std::string>& files, std::vector<Diagnostic>& diagnostics);

/// The key table of docs/case-file.md (Markdown).
std::string case_key_table();

}  // namespace scree::io
