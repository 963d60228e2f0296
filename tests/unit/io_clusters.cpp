// Bonds and clusters in case files: what is read, and what is refused with which words.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "io/case/read_case.h"

namespace scree {
namespace {

namespace fs = std::filesystem;

struct Written {
  fs::path folder = fs::temp_directory_path() / ("scree_io_clusters_" + std::to_string(::getpid()));
  Written() {
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  ~Written() { fs::remove_all(folder); }
  void file(const std::string& name, const std::string& text) const { std::ofstream(folder / name) << text; }
};

const char* const kBond = "{modulus: 1 GPa, kn_over_ks: 2.5, normal_strength: 3 MPa, shear_strength: 2 MPa}";

io::ReadCase read(const std::string& cluster, const std::string& bond = kBond,
                  const std::string& group = "cluster: lump, count: 2, place: {at: [[0, 0, 1], [0, 0, 2]]}") {
  const Written w;
  w.file("two.csv", "x,y,z,r\n0,0,0,1\n2,0,0,1\n");
  w.file("apart.csv", "0,0,0,1\n2,0,0,1\n9,0,0,1\n");
  w.file("same.csv", "0,0,0,1\n2,0,0,1\n2,0,0,1\n");
  w.file("case.yaml",
         "materials: {m: {density: 2000}}\n"
         "contacts: [{between: [m, m], law: bloks3d, kn: 1e5, ks: 1e5, friction: 0.3}]\n"
         "bonds:\n  cement: " +
             bond + "\nclusters:\n  lump: " + cluster + "\nparticles: [{" + group +
             ", material: m}]\nstages: [{duration: 1 ms}]\n");
  return io::read_case((w.folder / "case.yaml").string(), {});
}

std::string told(const io::ReadCase& r) {
  std::string all;
  for (const Diagnostic& d : r.diagnostics) all += format(d) + "\n";
  return all;
}

void expect_told(const io::ReadCase& r, const std::string& key, const std::string& part) {
  const std::string all = told(r);
  EXPECT_TRUE(has_errors(r.diagnostics)) << part;
  EXPECT_NE(all.find(key + ": "), std::string::npos) << all;
  EXPECT_NE(all.find(part), std::string::npos) << all;
}

TEST(ClusterCase, EveryTemplateIsRead) {
  const std::pair<const char*, std::size_t> ways[] = {
      {"{cube: {sphere_radius: 3.3 mm}, bonds: cement}", 27},
      {"{cube: {edge: 2, sphere_radius: 3.3 mm}, bonds: cement}", 8},
      {"{packed_sphere: {radius: 3 mm, sphere_radius: 1 mm}, bonds: cement}", 13},
      {"{tablet: {radius: 3 mm, thickness: 2 mm, sphere_radius: 1 mm}, bonds: cement}", 7},
      {"{csv: {file: two.csv, scale: 1e-3}, bonds: cement, distance: 1.01}", 2},
  };
  for (const auto& [text, spheres] : ways) {
    const io::ReadCase r = read(text);
    ASSERT_FALSE(has_errors(r.diagnostics)) << text << "\n" << told(r);
    ASSERT_EQ(r.value.clusters.size(), 1u);
    const Case::Cluster& c = r.value.clusters[0];
    EXPECT_EQ(c.spheres.size(), spheres) << text;
    EXPECT_GE(c.bonds.size(), spheres - 1);
    EXPECT_EQ(c.law.modulus, 1e9);
    EXPECT_EQ(c.law.shear_strength, 2e6);
    EXPECT_EQ(r.value.particles_of(r.value.particles[0]), 2 * spheres);
  }
  const io::ReadCase filled = read("{filling: {shape: cube, size: 2 cm, sphere_radius: 1 mm}, bonds: cement}");
  ASSERT_FALSE(has_errors(filled.diagnostics)) << told(filled);
  EXPECT_GT(filled.value.clusters[0].spheres.size(), 500u);
}

TEST(ClusterCase, FillsAMeshOfAFile) {
  const char* const tetrahedron = "OFF\n4 4 0\n0 0 0\n10 0 0\n0 10 0\n0 0 10\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";
  const std::string open = std::string(tetrahedron).replace(4, 5, "4 3 0");
  const fs::path folder = fs::temp_directory_path() / ("scree_io_filled_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "whole.off") << tetrahedron;
  std::ofstream(folder / "open.off") << open;
  const auto mesh = [&](const std::string& name, const std::string& radius) {
    return read("{mesh: {file: '" + (folder / name).string() + "', scale: 1 mm, sphere_radius: " + radius +
                "}, bonds: cement}");
  };
  const io::ReadCase whole = mesh("whole.off", "0.3 mm");
  ASSERT_FALSE(has_errors(whole.diagnostics)) << told(whole);
  EXPECT_GT(whole.value.clusters[0].spheres.size(), 300u);
  expect_told(mesh("open.off", "0.3 mm"), "clusters.lump.mesh.file", "the mesh is open: 3 edges");
  expect_told(mesh("nothing.off", "0.3 mm"), "clusters.lump.mesh.file", "nothing.off");
  expect_told(mesh("whole.off", "5 mm"), "clusters.lump.mesh.file", "no sphere of radius 0.005 m fits into the mesh");
  expect_told(mesh("whole.off", "1 nm"), "clusters.lump.mesh.file", "too small for the mesh: more than a million");
  fs::remove_all(folder);
}

TEST(ClusterCase, BondsAreGivenInOneOfThreeWays) {
  const char* const lump = "{cube: {sphere_radius: 3.3 mm}, bonds: cement}";
  using Given = bond::ParallelBond::Stiffness;
  EXPECT_EQ(read(lump, "{kn: 1e12, ks: 4e11}").value.clusters[0].law.given, Given::per_area);
  EXPECT_EQ(read(lump, "{modulus: 1 GPa, kn_over_ks: 2}").value.clusters[0].law.given, Given::modulus);
  EXPECT_EQ(read(lump, "{modulus: 1 GPa, poisson: 0.25}").value.clusters[0].law.given, Given::beam);
  expect_told(read(lump, "{kn: 1e12}"), "bonds.cement.ks", "missing");
  expect_told(read(lump, "{modulus: 1 GPa}"), "bonds.cement", "exactly one of kn_over_ks, poisson");
  expect_told(read(lump, "{modulus: 1 GPa, poisson: 0.2, kn_over_ks: 2}"), "bonds.cement", "exactly one");
  expect_told(read(lump, "{modulus: 1 GPa, poisson: 0.2, normal_strength: 0}"), "bonds.cement.normal_strength",
              "above 0");
  expect_told(read(lump, "{modulus: 1 GPa, poisson: 0.2, shear_strength: 3 mm}"), "bonds.cement.shear_strength",
              "length");
  expect_told(read(lump, "{modulus: 1 GPa, poisson: 0.2, scatter: 5}"), "bonds.cement.scatter", "without a strength");
  expect_told(read(lump, "{modulus: 1 GPa, poison: 0.2}"), "bonds.cement.poison", "poisson");
}

TEST(ClusterCase, ClustersThatCannotBeAreRefusedWithTheReason) {
  expect_told(read("{csv: {file: apart.csv}, bonds: cement}"), "clusters.lump", "to sphere 2");
  expect_told(read("{csv: {file: same.csv}, bonds: cement}"), "clusters.lump", "spheres 1 and 2");
  expect_told(read("{csv: {file: none.csv}, bonds: cement}"), "clusters.lump.csv.file", "none.csv");
  expect_told(read("{tablet: {radius: 1 mm, thickness: 1 mm, sphere_radius: 1 mm}, bonds: cement}"), "clusters.lump",
              "no sphere");
  expect_told(read("{packed_sphere: {radius: 1 m, sphere_radius: 1 um}, bonds: cement}"), "clusters.lump", "a million");
  expect_told(read("{cube: {sphere_radius: 1 mm}, bonds: cemment}"), "clusters.lump.bonds", "cement");
  expect_told(read("{filling: {shape: sphere, size: 1 cm, sphere_radius: 1 mm}, bonds: cement}"),
              "clusters.lump.filling.shape", "polyhedron");
}

TEST(ClusterCase, GroupsHaveShapesOrACluster) {
  const char* const lump = "{cube: {sphere_radius: 3.3 mm}, bonds: cement}";
  expect_told(read(lump, kBond, "cluster: lumps, count: 1, place: {at: [[0, 0, 1]]}"), "particles[0].cluster", "lump");
  expect_told(read(lump, kBond, "cluster: lump, size: 1 mm, place: {at: [[0, 0, 1]]}"), "particles[0].size",
              "no use with a cluster");
  expect_told(read(lump, kBond, "shapes: cube, place: {at: [[0, 0, 1]]}"), "particles[0].size", "missing");
  EXPECT_TRUE(
      has_errors(read(lump, kBond, "shapes: cube, cluster: lump, size: 1, place: {at: [[0, 0, 1]]}").diagnostics));
}

TEST(ClusterCase, WhatNobodyUsesIsWarnedOf) {
  const std::string cube = "{cube: {sphere_radius: 3.3 mm}, bonds: cement}";
  EXPECT_EQ(told(read(cube)), "");
  const std::string other = told(read(cube + "\n  other: " + cube, std::string(kBond) + "\n  spare: " + kBond));
  EXPECT_NE(other.find("clusters.other: no group of particles is made of it"), std::string::npos) << other;
  EXPECT_NE(other.find("bonds.spare: no cluster is held by it"), std::string::npos) << other;
  EXPECT_EQ(other.find("clusters.lump"), std::string::npos) << other;
  EXPECT_EQ(other.find("error"), std::string::npos) << other;
}

}  // namespace
}  // namespace scree
