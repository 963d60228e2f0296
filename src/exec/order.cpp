#include "exec/order.h"

#include <array>
#include <cassert>

namespace scree::exec {

namespace {

constexpr std::size_t kGrain = 16384, kBits = 8, kDigits = std::size_t{1} << kBits;

}  // namespace

// By digits, the lowest first (radix sort): a chunk counts its digits, a scan over digits and then chunks gives each
// chunk its places.
void sort_by_key(std::vector<std::uint64_t>& keys, std::vector<std::uint32_t>& items) {
  assert(keys.size() == items.size());
  const std::size_t n = keys.size(), chunks = (n + kGrain - 1) / kGrain;
  const std::uint64_t differ = parallel_reduce(
      n, kGrain, std::uint64_t{0},
      [&](std::size_t b, std::size_t e) {
        std::uint64_t bits = 0;
        for (std::size_t i = b; i < e; ++i) bits |= keys[i] ^ keys[0];
        return bits;
      },
      [](std::uint64_t a, std::uint64_t b) { return a | b; });
  std::vector<std::uint64_t> sorted_keys(n);
  std::vector<std::uint32_t> sorted_items(n);
  std::vector<std::array<std::size_t, kDigits>> place(chunks);
  for (std::size_t shift = 0; shift < 64; shift += kBits) {
    const auto digit = [shift](std::uint64_t key) { return key >> shift & (kDigits - 1); };
    if (digit(differ) == 0) continue;
    parallel_chunks(n, kGrain, [&](std::size_t b, std::size_t e) {
      place[b / kGrain].fill(0);
      for (std::size_t i = b; i < e; ++i) ++place[b / kGrain][digit(keys[i])];
    });
    std::size_t next = 0;
    for (std::size_t d = 0; d < kDigits; ++d) {
      for (auto& of_chunk : place) {
        const std::size_t count = of_chunk[d];
        of_chunk[d] = next, next += count;
      }
    }
    parallel_chunks(n, kGrain, [&](std::size_t b, std::size_t e) {
      for (std::size_t i = b; i < e; ++i) {
        const std::size_t to = place[b / kGrain][digit(keys[i])]++;
        sorted_keys[to] = keys[i], sorted_items[to] = items[i];
      }
    });
    keys.swap(sorted_keys), items.swap(sorted_items);
  }
}

}  // namespace scree::exec
