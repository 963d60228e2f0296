#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/text/units.h"

namespace scree::io {

/// A value of a library material, and as its file has it.
struct MaterialValue {
  double si = 0;
  std::string text;  ///< "70 GPa"
};

/// The material library: data files NAME.yaml, looked for as shapes are (library.h), in folders of $SCREE_MATERIALS
/// and in materials/ where those are in shapes/.
struct LibraryMaterial {
  std::string name, description;
  std::string varies;                ///< how far its values differ from sample to sample; may be empty
  std::vector<std::string> sources;  ///< publications, with what each gives
  std::string origin;                ///< path of the file, or "built in"
  std::string problem;               ///< empty: it can be used
  MaterialValue density;             ///< kg/m^3
  std::optional<MaterialValue> young_modulus, poisson_ratio, restitution;  ///< Pa; 1; 1

  struct Named {
    const char* key;
    const MaterialValue* value;  ///< null: none is known
  };
  /// All values, by the keys that case files have for them.
  std::array<Named, 4> values() const;
};

/// Sorted by name; a file that is no material is listed with its problem.
std::vector<LibraryMaterial> list_materials(const Units& units);
std::vector<std::string> material_names();

/// Errors name the folders searched and the nearest name, or every mistake of the file.
Result<LibraryMaterial> load_material(const std::string& name, const Units& units);

/// The material of a data file; `file` is what messages call it. Errors: every mistake, one per line as
/// file:line:column: what.
Result<LibraryMaterial> parse_material(const std::string& text, const std::string& file, const Units& units);

}  // namespace scree::io
