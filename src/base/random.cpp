#include "base/random.h"

#include <Random123/threefry.h>

namespace scree {

std::array<std::uint64_t, 2> Random::block(const Key& key, std::uint64_t low, std::uint64_t high) {
  const r123::Threefry2x64::ctr_type is = r123::Threefry2x64()({{low, high}}, {{key[0], key[1]}});
  return {is[0], is[1]};
}

}  // namespace scree
