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
  resize_all(n, pair, key, point, normal, depth, penetration, gyration, energy_depth, shear, torsion, stored, force,
             moment, energy, sliding);
  if (keeps_patches) resize_all(n, area, area_moment);
  if (keeps_rolling) resize_lean(rolling, n);
  if (keeps_parts) resize_lean(part, n);
  if (keeps_anchors) resize_all(n, axis, anchor);
  if (keeps_shares) resize_lean(share, n);
}
void ContactTable::copy_row(std::size_t to, const ContactTable& from, std::size_t row) {
  pair[to] = from.pair[row], key[to] = from.key[row], point[to] = from.point[row], normal[to] = from.normal[row];
  depth[to] = from.depth[row], penetration[to] = from.penetration[row], gyration[to] = from.gyration[row];
  energy_depth[to] = from.energy_depth[row];
  shear[to] = from.shear[row], torsion[to] = from.torsion[row], stored[to] = from.stored[row];
  force[to] = from.force[row], moment[to] = from.moment[row], energy[to] = from.energy[row],
  sliding[to] = from.sliding[row];
  if (keeps_patches) area[to] = from.area[row], area_moment[to] = from.area_moment[row];
  if (keeps_rolling) rolling[to] = from.rolling[row];
  if (keeps_parts) part[to] = from.part[row];
  if (keeps_anchors) axis[to] = from.axis[row], anchor[to] = from.anchor[row];
  if (keeps_shares) share[to] = from.share[row];
}
std::size_t ContactTable::bytes() const {
  return bytes_of(pair, key, point, normal, depth, penetration, gyration, energy_depth, shear, torsion, stored, force,
                  moment, energy, sliding, area, area_moment, rolling, part, axis, anchor, share);
}

}  // namespace scree
