#pragma once
#include <cstddef>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <vector>

/// What all tables of columns have in common. A table is a struct whose columns come from a list of fields (a .def
/// file): `with_columns(f, tables...)` calls f(name, unit, role, column of each table...) for every column that the
/// first table keeps, in the order of the list.
namespace scree::columns {

template <class Table, class... Others>
constexpr Table& first_of(Table& first, Others&...) {
  return first;
}

template <class Table>
std::size_t bytes(const Table& t) {
  std::size_t b = 0;
  Table::with_columns([&b](auto, auto, auto, const auto& c) { b += c.capacity() * sizeof(c[0]); }, t);
  return b;
}

template <class Table>
void resize(Table& t, std::size_t n) {
  Table::with_columns([n](auto, auto, auto, auto& c) { c.resize(n); }, t);
}

template <class Table>
void reserve(Table& t, std::size_t n) {
  Table::with_columns([n](auto, auto, auto, auto& c) { c.reserve(n); }, t);
}

/// Grows with an eighth to spare, not to the double.
template <class Table>
void resize_lean(Table& t, std::size_t n) {
  Table::with_columns(
      [n](auto, auto, auto, auto& c) {
        if (n > c.capacity()) c.reserve(n + n / 8);
        c.resize(n);
      },
      t);
}

/// Gives back what the columns hold beyond their rows.
template <class Table>
void shrink(Table& t) {
  Table::with_columns([](auto, auto, auto, auto& c) { c.shrink_to_fit(); }, t);
}

/// Keeps the rows with keep[r] != 0, in order.
template <class Table>
void compact(Table& t, const std::vector<char>& keep) {
  Table::with_columns(
      [&keep](auto, auto, auto, auto& c) {
        std::size_t to = 0;
        for (std::size_t r = 0; r < c.size(); ++r) {
          if (keep[r]) c[to++] = c[r];
        }
        c.resize(to);
      },
      t);
}

/// The two keep the same columns.
template <class Table>
void copy_row(Table& t, std::size_t to, const Table& from, std::size_t row) {
  Table::with_columns([to, row](auto, auto, auto, auto& c, const auto& f) { c[to] = f[row]; }, t, from);
}

/// Bytes of a packed row.
template <class Table>
std::size_t row_bytes(const Table& t) {
  std::size_t b = 0;
  Table::with_columns([&b](auto, auto, auto, const auto& c) { b += sizeof(c[0]); }, t);
  return b;
}

/// Appends all of a row: what unpack_row on a table with the same columns reads back, bit for bit.
template <class Table>
void pack_row(const Table& t, std::size_t row, std::vector<std::byte>& out) {
  std::size_t at = out.size();
  out.resize(at + row_bytes(t));
  Table::with_columns(
      [&](auto, auto, auto, const auto& c) {
        static_assert(std::is_trivially_copyable_v<std::remove_cvref_t<decltype(c[0])>>);
        std::memcpy(out.data() + at, &c[row], sizeof(c[0])), at += sizeof(c[0]);
      },
      t);
}

/// Fills the row from the packed one at `from`; returns where it ends.
template <class Table>
const std::byte* unpack_row(Table& t, std::size_t row, const std::byte* from) {
  Table::with_columns(
      [&](auto, auto, auto, auto& c) { std::memcpy(&c[row], from, sizeof(c[0])), from += sizeof(c[0]); }, t);
  return from;
}

}  // namespace scree::columns
