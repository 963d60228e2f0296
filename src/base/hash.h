#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace scree {

/// 64-bit hash of a byte stream, for comparing states and checking files; not cryptographic. XXH3 of Collet's xxHash,
/// of each piece and its length.
class Hash64 {
 public:
  Hash64();
  void bytes(const void* data, std::size_t n);
  template <class T>
  void value(const T& v) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    bytes(&v, sizeof v);
  }
  std::uint64_t digest() const;

 private:
  alignas(64) std::array<std::byte, 576> state_;  ///< XXH3_state_t
};

/// XXH3 of some bytes.
std::uint64_t hash_of(const void* data, std::size_t n);

/// Sixteen lower-case hexadecimal digits.
std::string to_hex(std::uint64_t v);

}  // namespace scree
