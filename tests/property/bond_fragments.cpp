// LIBS: scree_bond scree_integrate
// Fragments followed through breakage against a graph search from nothing.
#include <gtest/gtest.h>

#include <queue>
#include <set>

#include "oracle/bonded_world.h"

namespace scree {
namespace {

using oracle::BondedWorld;

/// Lowest id that each row can reach over bonds that are alive; the slow way.
std::vector<std::uint32_t> searched(const BondedWorld& w) {
  const std::size_t n = w.p.size_rows();
  std::vector<std::uint32_t> name(n);
  for (std::size_t start = 0; start < n; ++start) {
    std::vector<char> seen(n, 0);
    std::queue<std::size_t> queue;
    queue.push(start), seen[start] = 1;
    name[start] = w.p.id[start];
    while (!queue.empty()) {
      const std::size_t i = queue.front();
      queue.pop();
      name[start] = std::min(name[start], w.p.id[i]);
      for (std::size_t r = 0; r < w.bonds.size(); ++r) {
        if (!w.bonds.alive[r]) continue;
        std::size_t j = n;
        if (w.bonds.row_a[r] == i) j = w.bonds.row_b[r];
        if (w.bonds.row_b[r] == i) j = w.bonds.row_a[r];
        if (j < n && !seen[j]) seen[j] = 1, queue.push(j);
      }
    }
  }
  return name;
}

/// Random graph: `edges` bonds between n spheres whose ids are in no order of the rows.
BondedWorld random_graph(Random& draw, std::size_t n, std::size_t edges, bool tree_like) {
  BondedWorld w;
  for (std::size_t i = 0; i < n; ++i) w.add_sphere({draw.uniform(), draw.uniform(), draw.uniform()}, 1e-3, 1000);
  for (std::size_t i = n; i > 1; --i) std::swap(w.p.id[i - 1], w.p.id[draw.below(i)]);
  std::set<std::pair<std::size_t, std::size_t>> have;
  for (std::size_t k = 0; k < edges; ++k) {
    std::size_t i = draw.below(n), j = draw.below(n);
    if (tree_like) i = 1 + k % (n - 1), j = draw.below(i);
    if (i == j || !have.insert({std::min(i, j), std::max(i, j)}).second) continue;
    bond::ParallelBond law;
    law.kn = law.ks = 1;
    bond::add_bond(w.bonds, w.p, i, j, law, 0, 1);
  }
  w.adjacency.build(w.bonds, n);
  return w;
}

TEST(Fragments, EqualAGraphSearchAfterEveryBreakage) {
  Random draw(21);
  std::size_t splits = 0, kept = 0;
  for (int graph = 0; graph < 120; ++graph) {
    const std::size_t n = 2 + draw.below(30);
    BondedWorld w = random_graph(draw, n, draw.below(3 * n + 1), graph % 2 == 0);
    bond::Fragments fragments;
    fragments.build(w.p, w.bonds, w.adjacency);
    ASSERT_EQ(fragments.names(), searched(w));
    std::vector<std::uint32_t> order(w.bonds.size());
    for (std::uint32_t r = 0; r < order.size(); ++r) order[r] = r;
    for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[draw.below(k)]);
    for (const std::uint32_t r : order) {
      w.bonds.alive[r] = 0;
      const bool fell = fragments.split(w.p, w.bonds, w.adjacency, r);
      ++(fell ? splits : kept);
      const std::vector<std::uint32_t> names = searched(w);
      ASSERT_EQ(fragments.names(), names);
      ASSERT_EQ(fragments.count(), std::set<std::uint32_t>(names.begin(), names.end()).size());
      ASSERT_EQ(fell, names[w.bonds.row_a[r]] != names[w.bonds.row_b[r]]);
    }
    EXPECT_EQ(fragments.count(), n);
  }
  EXPECT_GT(splits, 500u);
  EXPECT_GT(kept, 500u);
}

TEST(Fragments, FollowFromTheBondsAlone) {
  // What a restart or a new order of the rows computes from nothing is what was followed.
  Random draw(22);
  for (int graph = 0; graph < 50; ++graph) {
    const std::size_t n = 5 + draw.below(40);
    BondedWorld w = random_graph(draw, n, 2 * n, false);
    bond::Fragments followed, again;
    followed.build(w.p, w.bonds, w.adjacency);
    for (std::uint32_t r = 0; r < w.bonds.size(); ++r) {
      if (draw.uniform() < 0.6) w.bonds.alive[r] = 0, followed.split(w.p, w.bonds, w.adjacency, r);
    }
    std::vector<char> keep(w.bonds.alive.begin(), w.bonds.alive.end());
    w.bonds.compact(keep);
    bond::find_rows(w.bonds, w.p);
    w.adjacency.build(w.bonds, n);
    again.build(w.p, w.bonds, w.adjacency);
    ASSERT_EQ(again.names(), followed.names());
    ASSERT_EQ(again.count(), followed.count());
  }
}

TEST(Fragments, BondsOfRemovedParticlesGo) {
  BondedWorld w;
  w.add_cluster(*bond::cube(2, 1e-3), {}, 1.05);
  ASSERT_EQ(w.bonds.size(), 12u);
  std::vector<char> keep(8, 1);
  keep[3] = 0;
  w.p.compact(keep);
  bond::find_rows(w.bonds, w.p);
  EXPECT_EQ(w.bonds.size(), 9u);
  for (std::size_t r = 0; r < w.bonds.size(); ++r) {
    EXPECT_EQ(w.p.id[w.bonds.row_a[r]], w.bonds.id_a[r]);
    EXPECT_EQ(w.p.id[w.bonds.row_b[r]], w.bonds.id_b[r]);
  }
}

}  // namespace
}  // namespace scree
