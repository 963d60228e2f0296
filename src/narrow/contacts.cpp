#include "narrow/contacts.h"

namespace scree {

namespace {
template <class... Columns>
std::size_t bytes_of(const Columns&... columns) {
  return (0 + ... + (columns.capacity() * sizeof(columns[0])));
}
/// Grows with an eighth to spare, not to the double: these columns are most of a run's memory and vary little from step
/// to step.
template <class Column>
void resize_lean(Column& column, std::size_t n) {
  if (n > column.capacity()) column.reserve(n + n / 8);
  column.resize(n);
}
template <class... Columns>
void resize_all(std::size_t n, Columns&... columns) {
  (resize_lean(columns, n), ...);
}
}  // namespace

void PairTable::resize(std::size_t n) {
  resize_all(n, a, b, feature, clear_until, gap_bound, first, count);
  if (tracks) resize_lean(tracked, n);
}
std::size_t PairTable::bytes() const { return bytes_of(a, b, feature, clear_until, gap_bound, first, count, tracked); }

void ContactTable::resize(std::size_t n) {
  resize_all(n, pair, key, point, normal, depth, penetration, gyration, energy_depth, shear, torsion, force, moment,
             energy, sliding);
  if (keeps_patches) resize_all(n, area, area_moment);
  if (keeps_rolling) resize_lean(rolling, n);
  if (keeps_parts) resize_lean(part, n);
}
void ContactTable::copy_row(std::size_t to, const ContactTable& from, std::size_t row) {
  pair[to] = from.pair[row], key[to] = from.key[row], point[to] = from.point[row], normal[to] = from.normal[row];
  depth[to] = from.depth[row], penetration[to] = from.penetration[row], gyration[to] = from.gyration[row];
  energy_depth[to] = from.energy_depth[row];
  shear[to] = from.shear[row], torsion[to] = from.torsion[row];
  force[to] = from.force[row], moment[to] = from.moment[row], energy[to] = from.energy[row],
  sliding[to] = from.sliding[row];
  if (keeps_patches) area[to] = from.area[row], area_moment[to] = from.area_moment[row];
  if (keeps_rolling) rolling[to] = from.rolling[row];
  if (keeps_parts) part[to] = from.part[row];
}
std::size_t ContactTable::bytes() const {
  return bytes_of(pair, key, point, normal, depth, penetration, gyration, energy_depth, shear, torsion, force, moment,
                  energy, sliding, area, area_moment, rolling, part);
}

}  // namespace scree
