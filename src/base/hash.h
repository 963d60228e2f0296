#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

namespace scree {

/// 64-bit hash of a byte stream, for comparing states and checking files; not cryptographic.
/// Words of eight bytes are mixed with the finaliser constants of SplitMix64 (Steele et al. 2014).
class Hash64 {
 public:
  void bytes(const void* data, std::size_t n) {
    const auto* p = static_cast<const unsigned char*>(data);
    for (; n >= 8; n -= 8, p += 8) {
      std::uint64_t w;
      std::memcpy(&w, p, 8);
      mix(w);
    }
    if (n > 0) {
      std::uint64_t tail = n;
      std::memcpy(&tail, p, n);
      mix(tail);
    }
    mix(0x9e3779b97f4a7c15ULL ^ n);
  }
  template <class T>
  void value(const T& v) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    bytes(&v, sizeof v);
  }
  std::uint64_t digest() const { return h_; }

 private:
  void mix(std::uint64_t w) {
    std::uint64_t z = (h_ ^ w) + 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    h_ = z ^ (z >> 31);
  }
  std::uint64_t h_ = 0x243f6a8885a308d3ULL;
};

/// Sixteen lower-case hexadecimal digits.
std::string to_hex(std::uint64_t v);

}  // namespace scree
