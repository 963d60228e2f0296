#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <new>

namespace scree {

namespace {

template <class Bytes>
auto* state_in(Bytes& bytes) {
  static_assert(sizeof(bytes) == sizeof(XXH3_state_t) && alignof(XXH3_state_t) <= 64);
  return reinterpret_cast<std::conditional_t<std::is_const_v<Bytes>, const XXH3_state_t, XXH3_state_t>*>(bytes.data());
}

}  // namespace

Hash64::Hash64() {
  new (state_.data()) XXH3_state_t;
  XXH3_INITSTATE(state_in(state_));
  XXH3_64bits_reset(state_in(state_));
}

void Hash64::bytes(const void* data, std::size_t n) {
  const std::uint64_t length = n;
  if (n > 0) XXH3_64bits_update(state_in(state_), data, n);
  XXH3_64bits_update(state_in(state_), &length, sizeof length);
}

std::uint64_t Hash64::digest() const { return XXH3_64bits_digest(state_in(state_)); }

std::uint64_t hash_of(const void* data, std::size_t n) { return XXH3_64bits(data, n); }

std::string to_hex(std::uint64_t v) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string s(16, '0');
  for (std::size_t i = 0; i < 16; ++i) s[15 - i] = digits[(v >> (4 * i)) & 15];
  return s;
}

}  // namespace scree
