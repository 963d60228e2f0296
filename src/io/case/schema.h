#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "io/case/key.h"
#include "io/text/units.h"
#include "io/text/yaml_tree.h"

namespace scree::io {

/// "a length above 0 or auto"
std::string expected(const Entry& entry, const std::vector<Form>& forms, bool with_ranges = true);

/// What is wrong with a number that no grain is made of; empty: nothing. Products of ten numbers within 1e-30 and 1e30
/// are still numbers. `where`: at which the number is taken, as in " at an overlap of 1 mm".
std::string untamed(double si, const std::string& text, std::string_view where = "");

/// Names that users choose.
inline constexpr const char* kNamePattern = "^[A-Za-z_][A-Za-z0-9_-]{0,63}$";

/// Holds the tree against the table: unknown and missing keys, forms, ranges, dimensions. Sets Node::valid, form, si
/// and integer. `files[k]` is what diagnostics call source k.
void check(Node& root, const Units& units, const std::vector<std::string>& files, std::vector<Diagnostic>& diagnostics);

/// The same for what stands at one of the keys of a case's root.
void check_part(Node& value, const std::string& key, const Units& units, const std::vector<std::string>& files,
                std::vector<Diagnostic>& diagnostics);

/// The same for one value of a key that holds no map: what is wrong with it; empty: nothing.
std::string check_value(Node& value, const Key& key, const Units& units);

/// The key table of docs/case-file.md (Markdown).
std::string case_key_table(const Units& units);

/// JSON schema of case files.
std::string case_schema(const Units& units);

}  // namespace scree::io
