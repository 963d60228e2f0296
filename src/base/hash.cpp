#include "base/hash.h"

namespace scree {

std::string to_hex(std::uint64_t v) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string s(16, '0');
  for (std::size_t i = 0; i < 16; ++i) s[15 - i] = digits[(v >> (4 * i)) & 15];
  return s;
}

}  // namespace scree
