#pragma once
#include <cstdint>
#include <vector>

#include "narrow/contacts.h"

/// How the points of a pair get the memory of its last step. What a column of narrow/contact_fields.def keeps is said
/// there; where the shear spring holds on (`anchor`) is the one that needs more than its list.
namespace scree {

// NOLINTBEGIN(bugprone-macro-parentheses): types and names are no expressions
#define SCREE_MERGE_summed(...) __VA_ARGS__
#define SCREE_MERGE_anew(...)
#define SCREE_MERGE_kept(...)

#define SCREE_COUNT_anew 0
#define SCREE_COUNT_summed 0
#define SCREE_COUNT_kept 1
#define FIELD(type, name, unit, role, life, need, refers_to, what) +SCREE_COUNT_##life
inline constexpr int kKeptColumns = 0
#include "narrow/contact_fields.def"
    ;
#undef FIELD
#undef SCREE_COUNT_anew
#undef SCREE_COUNT_summed
#undef SCREE_COUNT_kept
static_assert(kKeptColumns == 4, "merge_memory carries key, normal, part and anchor by hand: a new kept column too");

/// Which columns both steps have: a case that goes on may have begun without some of them.
struct BothHave {
  static constexpr bool always = true;
  bool patches, rolling, anchors;
  BothHave(const LastContacts& old, const ContactTable& now)
      : patches(now.keeps_patches && old.torsion.size() == old.key.size()),
        rolling(now.keeps_rolling && old.rolling.size() == old.key.size()),
        anchors(now.keeps_anchors && old.anchor.size() == old.key.size()) {}
};

/// Gives the points of one pair the memory of its last step. A point keeps what the point of the same key had. What was
/// stored by points that are gone is shared out among the new ones - among all, where none is new - so that none is
/// lost or doubled. `memory_normals`: of each point, the normal that its memory belongs to; zero: it has none.
inline void merge_memory(const LastContacts& old, std::uint32_t old_first, std::uint32_t old_count, ContactTable& now,
                         std::vector<Vec3>& memory_normals, std::size_t first, std::size_t count) {
  const BothHave has(old, now);
  if (count == 1 && old_count == 1) {  // mostly; the bits are those of what follows, the same point or another
#define FIELD(type, name, unit, role, life, need, refers_to, what) \
  SCREE_MERGE_##life(if (now.keeps_##need) now.name[first] = has.need ? type{} + old.name[old_first] : type{};)
#include "narrow/contact_fields.def"
#undef FIELD
    if (now.keeps_anchors) now.anchor[first] = has.anchors ? old.anchor[old_first] : now.point[first];
    memory_normals[first] = old.normal[old_first];
    return;
  }
  for (std::size_t r = first; r < first + count; ++r) {
#define FIELD(type, name, unit, role, life, need, refers_to, what) \
  SCREE_MERGE_##life(if (now.keeps_##need) now.name[r] = type{};)
#include "narrow/contact_fields.def"
#undef FIELD
    if (now.keeps_anchors) now.anchor[r] = now.point[r];
    memory_normals[r] = {};
  }
  struct {
#define FIELD(type, name, unit, role, life, need, refers_to, what) SCREE_MERGE_##life(type name{};)
#include "narrow/contact_fields.def"
#undef FIELD
  } orphaned;
  std::size_t fresh = count, orphans = 0;
  Vec3 held{}, orphaned_moment{};  // held: the sum of the anchors
  for (std::uint32_t o = old_first; o < old_first + old_count; ++o) {
    std::size_t r = first;
    while (r < first + count && now.key[r] != old.key[o]) ++r;
    if (r == first + count) {
#define FIELD(type, name, unit, role, life, need, refers_to, what) \
  SCREE_MERGE_##life(if (has.need) orphaned.name += old.name[o];)
#include "narrow/contact_fields.def"
#undef FIELD
      if (has.anchors) held += old.anchor[o], orphaned_moment += cross(old.anchor[o], old.shear[o]);
      ++orphans;
      continue;
    }
#define FIELD(type, name, unit, role, life, need, refers_to, what) \
  SCREE_MERGE_##life(if (has.need) now.name[r] = old.name[o];)
#include "narrow/contact_fields.def"
#undef FIELD
    if (has.anchors) now.anchor[r] = old.anchor[o];
    memory_normals[r] = old.normal[o];
    --fresh;
  }
  if (orphans == 0 || count == 0) return;  // a new point that follows none has no memory
  const bool share_with_all = fresh == 0;
  const double part = 1.0 / static_cast<double>(share_with_all ? count : fresh);
  for (std::size_t r = first; r < first + count; ++r) {
    const bool is_fresh = memory_normals[r] == Vec3{};
    if (!is_fresh && !share_with_all) continue;
#define FIELD(type, name, unit, role, life, need, refers_to, what) \
  SCREE_MERGE_##life(if (has.need) now.name[r] += part * orphaned.name;)
#include "narrow/contact_fields.def"
#undef FIELD
    if (is_fresh) memory_normals[r] = old.normal[old_first];
    if (!has.anchors) continue;
    // The springs of several go on as one; what it holds turns the bodies as much as before.
    if (is_fresh) now.anchor[r] = (1.0 / static_cast<double>(orphans)) * held;
    now.torsion[r] += part * dot(memory_normals[r], orphaned_moment - cross(now.anchor[r], orphaned.shear));
  }
}

// NOLINTEND(bugprone-macro-parentheses)
#undef SCREE_MERGE_summed
#undef SCREE_MERGE_anew
#undef SCREE_MERGE_kept

/// The same where the two may touch with several parts each: every part has its own memory. Rows are sorted by part.
inline void merge_parts(const LastContacts& old, std::uint32_t old_first, std::uint32_t old_count, ContactTable& now,
                        std::vector<Vec3>& memory_normals, std::size_t first, std::size_t count) {
  std::uint32_t o = old_first, old_end = old_first + old_count;
  for (std::size_t r = first; r < first + count;) {
    std::size_t end = r + 1;
    while (end < first + count && now.part[end] == now.part[r]) ++end;
    while (o < old_end && old.part[o] < now.part[r]) ++o;
    std::uint32_t same = o;
    while (same < old_end && old.part[same] == now.part[r]) ++same;
    merge_memory(old, o, same - o, now, memory_normals, r, end - r);
    o = same, r = end;
  }
}

}  // namespace scree
