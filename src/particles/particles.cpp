#include "particles/particles.h"

namespace scree {

void Particles::resize(std::size_t n) {
  for_each_column([n](auto, auto, auto, auto& column) { column.resize(n); });
}

void Particles::reserve(std::size_t n) {
  for_each_column([n](auto, auto, auto, auto& column) { column.reserve(n); });
}

void Particles::compact(const std::vector<char>& keep) {
  for_each_column([&keep](auto, auto, auto, auto& column) {
    std::size_t to = 0;
    for (std::size_t i = 0; i < column.size(); ++i) {
      if (keep[i]) column[to++] = column[i];
    }
    column.resize(to);
  });
}

std::size_t Particles::bytes() const {
  std::size_t b = 0;
  for_each_column([&b](auto, auto, auto, const auto& column) { b += column.capacity() * sizeof(column[0]); });
  return b;
}

}  // namespace scree
