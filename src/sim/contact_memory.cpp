#include "sim/contact_memory.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "exec/parallel.h"
#include "sim/contact_memory-inl.h"

namespace scree {

namespace {

/// Contact rows anew, so many for each chunk; the memory of those before moves to `old`. Returns their number.
template <class Chunk, class Size>
std::size_t make_rows(const std::vector<Chunk>& chunks, Size&& size, LastContacts& old, ContactTable& contacts,
                      std::vector<std::uint32_t>& start) {
  start.assign(chunks.size() + 1, 0);
  for (std::size_t c = 0; c < chunks.size(); ++c) start[c + 1] = start[c] + static_cast<std::uint32_t>(size(chunks[c]));
  old.take(contacts);
  contacts.resize(start.back());
  return start.back();
}

/// Found points, chunk by chunk, become the contact table; each pair learns its rows.
struct Assembly {
  const std::vector<narrow::FoundPoints>& chunks;
  PairTable& pairs;
  ContactTable& contacts;
  LastContacts& old;
  std::vector<Vec3>& memory_normals;
  std::vector<std::uint32_t>& start;  ///< row of each chunk's first point, and the end

  void make_room() const {
    memory_normals.resize(make_rows(
        chunks, [](const auto& c) { return c.points.size(); }, old, contacts, start));
  }
  void operator()(std::size_t begin, std::size_t end) const {
    for (std::size_t c = begin; c < end; ++c) take(c);
  }

 private:
  /// What the point `next` of a chunk, contact row r, has of the parts of clumps.
  void take_part(std::size_t c, std::size_t next, std::size_t r) const {
    const bool is_of_parts = next < chunks[c].parts.size();
    const narrow::FoundPart part = is_of_parts ? chunks[c].parts[next] : narrow::FoundPart{};
    contacts.part[r] = part.code;
    if (contacts.keeps_planes) contacts.plane[r] = part.plane, contacts.plane_bound[r] = part.bound;
    if (contacts.keeps_gaps) contacts.plane_solved[r] = part.solved;
    if (contacts.keeps_tracked)
      contacts.tracked[r] = next < chunks[c].tracked.size() ? chunks[c].tracked[next] : narrow::PaperPair{};
  }
  void take(std::size_t c) const {
    const std::vector<narrow::FoundPoint>& points = chunks[c].points;
    for (std::size_t next = 0; next < points.size();) {
      const std::size_t row = start[c] + next, k = points[next].pair;
      std::size_t count = 0;
      for (; next < points.size() && points[next].pair == k; ++next, ++count) {
        const narrow::FoundPoint& p = points[next];
        const std::size_t r = row + count;
        contacts.pair[r] = p.pair, contacts.key[r] = p.key, contacts.point[r] = p.point, contacts.normal[r] = p.normal;
        contacts.depth[r] = p.depth;
        if (contacts.keeps_patches)
          contacts.penetration[r] = p.penetration, contacts.gyration[r] = p.gyration,
          contacts.energy_depth[r] = p.energy_depth;
        if (contacts.keeps_anchors) contacts.axis[r] = p.axis;
        if (contacts.keeps_shares) contacts.share[r] = p.share;
        if (contacts.keeps_areas && chunks[c].patches.size() == points.size())
          contacts.area[r] = chunks[c].patches[next].area,
          contacts.area_moment[r] = chunks[c].patches[next].area_moment;
        if (contacts.keeps_parts) take_part(c, next, r);
      }
      if (contacts.keeps_parts && old.part.size() == old.key.size())
        merge_parts(old, pairs.first[k], pairs.count[k], contacts, memory_normals, row, count);
      else
        merge_memory(old, pairs.first[k], pairs.count[k], contacts, memory_normals, row, count);
    }
    // Which pairs have points is hard to foretell: counted without a branch.
    const std::size_t begin = c * kPairGrain, end = std::min(begin + kPairGrain, pairs.size());
    for (std::size_t k = begin; k < end; ++k) pairs.count[k] = 0;
    for (std::size_t r = start[c]; r < start[c + 1]; ++r) ++pairs.count[contacts.pair[r]];
    std::uint32_t row = start[c];
    for (std::size_t k = begin; k < end; ++k) pairs.first[k] = row, row += pairs.count[k];
  }
};

/// The rows of contacts whose points come with the forces: identities only.
struct LaidOut {
  const std::vector<std::vector<narrow::TouchingPair>>& chunks;
  PairTable& pairs;
  ContactTable& contacts;
  LastContacts& old;
  std::vector<std::uint32_t>& last_row;
  std::vector<std::uint32_t>& start;

  void make_room() const {
    last_row.resize(make_rows(
        chunks, [](const auto& c) { return c.size(); }, old, contacts, start));
  }
  void operator()(std::size_t begin, std::size_t end) const {
    for (std::size_t c = begin; c < end; ++c) {
      std::uint32_t row = start[c];
      for (const narrow::TouchingPair& t : chunks[c]) {
        contacts.pair[row] = t.row, contacts.key[row] = 0, last_row[row] = t.last;
        if (contacts.keeps_parts) contacts.part[row] = 0;  // clumps that are not here, or no more
        ++row;
      }
      row = start[c];
      const std::size_t last = std::min((c + 1) * kPairGrain, pairs.size());
      for (std::size_t k = c * kPairGrain; k < last; ++k) pairs.first[k] = row, row += pairs.count[k];
    }
  }
};

template <class Bodies>
void assemble(Simulation& s, Scratch& scratch, const Bodies& bodies) {
  const Assembly walls{
      scratch.wall_chunks,     s.wall_pairs, s.wall_contacts, scratch.old_wall_contacts, scratch.wall_memory_normal,
      scratch.wall_chunk_start};
  bodies.make_room(), walls.make_room();
  exec::parallel_both(bodies.chunks.size(), walls.chunks.size(), 4, bodies, walls);
}

}  // namespace

void assemble_contacts(Simulation& s, Scratch& scratch) {
  if (scratch.points_with_forces)
    assemble(
        s, scratch,
        LaidOut{scratch.touching, s.pairs, s.contacts, scratch.old_contacts, scratch.last_row, scratch.chunk_start});
  else
    assemble(s, scratch,
             Assembly{scratch.chunks, s.pairs, s.contacts, scratch.old_contacts, scratch.memory_normal,
                      scratch.chunk_start});
}

}  // namespace scree
