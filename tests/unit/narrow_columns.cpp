// Tables of columns: what their lists of fields make of them.
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

#include "bond/bonds.h"
#include "narrow/contacts.h"
#include "particles/particles.h"

namespace scree {
namespace {

/// Fills every byte of every column with something of its own.
template <class Table>
void fill(Table& t) {
  unsigned char next = 1;
  Table::with_columns(
      [&next](auto, auto, auto, auto& c) {
        for (auto& value : c) {
          unsigned char bytes[sizeof value];
          for (unsigned char& b : bytes) b = next = static_cast<unsigned char>(next * 37 + 11);
          std::memcpy(&value, bytes, sizeof value);
        }
      },
      t);
}

template <class Table>
bool same_row(const Table& a, std::size_t i, const Table& b, std::size_t j) {
  bool same = true;
  Table::with_columns(
      [&](auto, auto, auto, const auto& x, const auto& y) { same &= std::memcmp(&x[i], &y[j], sizeof(x[i])) == 0; }, a,
      b);
  return same;
}

template <class Table>
std::set<std::string> names(const Table& t) {
  std::set<std::string> all;
  Table::with_columns([&](auto name, auto, auto, const auto&) { EXPECT_TRUE(all.emplace(name).second) << name; }, t);
  return all;
}

template <class Table>
void expect_rows_travel(Table from) {
  from.resize(5);
  fill(from);
  Table to = from;
  to.resize(0), to.resize(5);
  std::vector<std::byte> packed;
  for (const std::size_t row : {3u, 0u, 4u}) columns::pack_row(from, row, packed);
  EXPECT_EQ(packed.size(), 3 * columns::row_bytes(from));
  const std::byte* at = packed.data();
  for (const std::size_t row : {1u, 2u, 3u}) at = columns::unpack_row(to, row, at);
  EXPECT_EQ(at, packed.data() + packed.size());
  EXPECT_TRUE(same_row(to, 1, from, 3) && same_row(to, 2, from, 0) && same_row(to, 3, from, 4));
  EXPECT_FALSE(same_row(to, 1, from, 2));
  columns::copy_row(to, 0, from, 2);
  EXPECT_TRUE(same_row(to, 0, from, 2));
  columns::compact(to, {0, 1, 0, 1, 0});
  EXPECT_TRUE(same_row(to, 0, from, 3) && same_row(to, 1, from, 4));
  EXPECT_GE(columns::bytes(to), 2 * columns::row_bytes(to));
}

ContactTable with_everything() {
  ContactTable t;
  t.for_each_optional([](auto, bool& keeps) { keeps = true; });
  t.keeps_areas = true;
  return t;
}

TEST(Columns, RowsTravelAsBytesAndComeBack) {
  expect_rows_travel(Particles{});
  expect_rows_travel(bond::Bonds{});
  expect_rows_travel(ContactTable{});
  expect_rows_travel(with_everything());
  PairTable tracking;
  tracking.keeps_tracked = tracking.keeps_gaps = true;
  expect_rows_travel(PairTable{}), expect_rows_travel(tracking);
}

TEST(Columns, PairsOfRoundBodiesKeepNothingOfPlanes) {
  PairTable t;
  t.keeps_planes = false;
  EXPECT_EQ(names(t), (std::set<std::string>{"a", "b", "first", "count"}));
  t.resize(7);
  EXPECT_EQ(t.bytes() / t.a.capacity(), 16u);
  expect_rows_travel(t);
  PairTable other;
  other.keep_as(t), other.resize(7);
  EXPECT_EQ(names(other), names(t));
  other.carry(3, t, 2, true);
  EXPECT_TRUE(other.feature.empty());
}

TEST(Columns, AreThereWhereTheyAreNeeded) {
  ContactTable t;
  const std::set<std::string> always = names(t);
  EXPECT_TRUE(always.contains("shear") && !always.contains("rolling") && !always.contains("area"));
  t.keeps_rolling = true;
  EXPECT_EQ(names(t).size(), always.size() + 1);
  t.keeps_patches = t.keeps_moments = false;
  EXPECT_EQ(names(t).size(), always.size() - 4) << "round bodies have points";
  EXPECT_TRUE(names(t).contains("rolling"));
  t.resize(7);
  EXPECT_EQ(t.rolling.size(), 7u);
  EXPECT_EQ(t.anchor.size(), 0u);
  std::set<std::string> optional;
  t.for_each_optional([&](auto name, bool&) { optional.emplace(name); });
  EXPECT_EQ(optional, (std::set<std::string>{"penetration", "gyration", "energy_depth", "torsion", "moment", "rolling",
                                             "part", "plane", "plane_bound", "plane_solved", "tracked", "axis",
                                             "anchor", "share", "damping_moment"}))
      << "a checkpoint tells by these what a run kept";
}

TEST(Columns, ThatHoldRowsSayOfWhichTable) {
  EXPECT_EQ(PairTable::refers_to("a"), RefersTo::particles);
  EXPECT_EQ(PairTable::refers_to("b"), RefersTo::partners);
  EXPECT_EQ(PairTable::refers_to("first"), RefersTo::contacts);
  EXPECT_EQ(ContactTable::refers_to("pair"), RefersTo::pairs);
  EXPECT_EQ(ContactTable::refers_to("key"), RefersTo::nothing);
  EXPECT_EQ(ContactTable::refers_to("no such column"), RefersTo::nothing);
}

TEST(Columns, OfTheLastStepAreThoseThatAreNotMadeAnew) {
  ContactTable t = with_everything();
  t.resize(3);
  fill(t);
  const ContactTable before = t;
  LastContacts last;
  last.take(t);
  EXPECT_EQ(last.shear.size(), 3u);
  EXPECT_EQ(std::memcmp(last.shear.data(), before.shear.data(), 3 * sizeof(Vec3)), 0);
  EXPECT_EQ(std::memcmp(last.anchor.data(), before.anchor.data(), 3 * sizeof(Vec3)), 0);
  EXPECT_EQ(last.part, before.part);
  EXPECT_TRUE(t.shear.empty() && t.stored.empty() && t.key.empty());
  EXPECT_EQ(t.pair.size(), 3u);
  EXPECT_EQ(last.bytes(), 3 * (2 * sizeof(std::uint32_t) + 6 * sizeof(Vec3) + 2 * sizeof(double)));
}

TEST(Columns, OfPairsGoOnOrBeginFromNothing) {
  PairTable old, fresh;
  old.keeps_tracked = fresh.keeps_tracked = true;
  old.resize(2), fresh.resize(2);
  fill(old), fill(fresh);
  const PairTable was = fresh;
  fresh.carry(0, old, 1, true), fresh.carry(1, old, 0, false);
  EXPECT_EQ(fresh.a, was.a);
  EXPECT_EQ(fresh.b, was.b);
  EXPECT_EQ(std::memcmp(&fresh.tracked[0], &old.tracked[1], sizeof old.tracked[1]), 0);
  EXPECT_EQ(fresh.count[0], old.count[1]);
  EXPECT_EQ(fresh.feature[1], PlaneFeature{});
  EXPECT_EQ(fresh.count[1], 0u);
  EXPECT_EQ(fresh.gap_bound[1], 0);
}

}  // namespace
}  // namespace scree
