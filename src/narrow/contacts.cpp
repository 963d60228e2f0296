#include "narrow/contacts.h"

namespace scree {

namespace {
template <class... Columns>
std::size_t bytes_of(const Columns&... columns) {
  return (0 + ... + (columns.capacity() * sizeof(columns[0])));
}
template <class... Columns>
void resize_all(std::size_t n, Columns&... columns) {
  (columns.resize(n), ...);
}
}  // namespace

void PairTable::resize(std::size_t n) { resize_all(n, a, b, feature, clear_until, first, count); }
std::size_t PairTable::bytes() const { return bytes_of(a, b, feature, clear_until, first, count); }

void ContactTable::resize(std::size_t n) {
  resize_all(n, pair, key, point, normal, depth, gyration, shear, torsion, force, moment, energy, sliding);
}
std::size_t ContactTable::bytes() const {
  return bytes_of(pair, key, point, normal, depth, gyration, shear, torsion, force, moment, energy, sliding);
}

}  // namespace scree
