// LIBS: scree_io
// Data files of materials.
#include "io/library/materials.h"

#include <cmath>

#include "fuzz/fuzz.h"

namespace scree::fuzz {

std::vector<std::string> seeds() { return texts_of(SCREE_SOURCE_DIR "/materials", ".yaml"); }

bool take(std::string_view input) {
  static const io::Units units = *io::Units::load();
  const Result<io::LibraryMaterial> m = io::parse_material(std::string(input), "of_chance.yaml", units);
  if (!m) return keeps_legible(m.error().message), false;
  SCREE_KEEPS(m->density.si > 0 && !m->name.empty() && !m->sources.empty());
  for (const auto& [key, value] : m->values()) SCREE_KEEPS(value == nullptr || std::isfinite(value->si));
  return true;
}

}  // namespace scree::fuzz
