// The hash of a state: what is single in a stream, the rows of tables as a sum of their hashes, so that neither their
// order nor which of several holders adds which row can show.
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "base/hash.h"
#include "exec/parallel.h"
#include "sim/simulation.h"

namespace scree {

namespace {

constexpr std::size_t kHashGrain = 2048;

/// The bytes of one row, put together.
class Row {
 public:
  void clear() { size_ = 0; }
  template <class T>
  void add(const T& v) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (size_ + sizeof v > sizeof bytes_) std::abort();  // a table of so many columns needs more room
    std::memcpy(bytes_ + size_, &v, sizeof v), size_ += sizeof v;
  }
  std::uint64_t hash() const { return hash_of(bytes_, size_); }

 private:
  unsigned char bytes_[1024];
  std::size_t size_ = 0;
};

/// f(row, r) puts row r together.
template <class F>
void add_table(Hash64& h, const char* name, std::size_t rows, F&& f) {
  const std::uint64_t sum = exec::parallel_reduce(
      rows, kHashGrain, std::uint64_t{0},
      [&](std::size_t begin, std::size_t end) {
        std::uint64_t part = 0;
        Row row;
        for (std::size_t r = begin; r < end; ++r) row.clear(), f(row, r), part += row.hash();
        return part;
      },
      [](std::uint64_t a, std::uint64_t b) { return a + b; });
  h.bytes(name, std::strlen(name)), h.value(std::uint64_t{rows}), h.value(sum);
}

/// The columns of a row that are saved, but for those named, which hold rows.
template <class Table, class... Left>
void add_columns(Row& row, std::size_t r, const Table& table, const Left&... left) {
  Table::with_columns(
      [&](auto, auto, auto role, const auto& column) {
        const bool holds_rows = ((static_cast<const void*>(&left) == &column) || ...);
        if (role != decltype(role)::derived && !holds_rows) row.add(column[r]);
      },
      table);
}

/// `other(b)`: the id of partner row b.
template <class Other>
void add_pairs(Hash64& h, const std::string& name, const Particles& p, const PairTable& pairs, const ContactTable& c,
               Other&& other) {
  const auto add_ids = [&](Row& row, std::size_t k) { row.add(p.id[pairs.a[k]]), row.add(other(pairs.b[k])); };
  add_table(h, (name + "pairs").c_str(), pairs.size(), [&](Row& row, std::size_t k) {
    add_ids(row, k), add_columns(row, k, pairs, pairs.a, pairs.b, pairs.first);
  });
  add_table(h, (name + "contacts").c_str(), c.size(), [&](Row& row, std::size_t r) {
    const std::uint32_t k = c.pair[r];
    add_ids(row, k), row.add(static_cast<std::uint32_t>(r) - pairs.first[k]), add_columns(row, r, c, c.pair);
  });
}

void add_wall(Hash64& h, const Wall& w) {
  const auto add = [&](const WallMember& member, const auto& value) {
    using T = std::remove_cvref_t<decltype(value)>;
    if (!w.has_hashed(member.hashed)) return;
    if constexpr (std::is_same_v<T, std::string>) {
      h.bytes(value.data(), value.size());
    } else if constexpr (std::has_unique_object_representations_v<T> || std::is_same_v<T, double> ||
                         std::is_same_v<T, Vec3> || std::is_same_v<T, Quat>) {
      h.value(value);
    } else {
      std::abort();  // a member of this type cannot be hashed
    }
  };
  Wall::with_members(add, w);
}

}  // namespace

std::uint64_t state_hash(const Simulation& s) {
  Hash64 h;
  // Nothing is written: visit_state hands out references for reading and writing alike.
  visit_scalars(const_cast<Simulation&>(s), [&h](const std::string& name, const auto& value) {
    h.bytes(name.data(), name.size());
    if constexpr (requires { value.data(); }) {
      h.bytes(value.data(), value.size() * sizeof(value[0]));
    } else {
      h.value(value);
    }
  });
  for (const Wall& w : s.walls) add_wall(h, w);
  const Particles& p = s.particles;
  add_table(h, "particles", p.own_rows(), [&](Row& row, std::size_t i) { add_columns(row, i, p); });
  add_pairs(h, "", p, s.pairs, s.contacts, [&](std::uint32_t b) { return p.id[b]; });
  add_pairs(h, "wall_", p, s.wall_pairs, s.wall_contacts, [&](std::uint32_t w) { return s.walls[w].id; });
  if (s.has_clusters)
    add_table(h, "bonds", s.bonds.size(), [&](Row& row, std::size_t r) { add_columns(row, r, s.bonds); });
  return h.digest();
}

}  // namespace scree
