#include "narrow/contacts.h"

namespace scree {

void PairTable::carry(std::size_t k, const PairTable& old, std::size_t o, bool known) {
// NOLINTBEGIN(bugprone-macro-parentheses): types and names are no expressions
#define SCREE_CARRY_anew(...)
#define SCREE_CARRY_kept(...) __VA_ARGS__
#define FIELD(type, name, unit, role, life, need, refers_to, what) \
  SCREE_CARRY_##life(if (keeps_##need) name[k] = known ? old.name[o] : type{};)
#include "narrow/pair_fields.def"
#undef FIELD
#undef SCREE_CARRY_anew
#undef SCREE_CARRY_kept
  // NOLINTEND(bugprone-macro-parentheses)
}

}  // namespace scree
