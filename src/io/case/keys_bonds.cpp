// Keys of a case: bonds and clusters. A table in one function: a row for each key.
#include "bond/parallel_bond.h"
#include "io/case/given.h"
#include "io/case/keys.h"

namespace scree::io {

std::vector<Key> bonds_keys() {
  using namespace dimension;
  using namespace forms;
  return {
      Key{"bonds",
          {names()},
          "none",
          "Laws of the bonds within clusters, by names that you choose; docs/laws/bond.md."},
      Key{"bonds.*.kn",
          {quantity(stiffness_per_area, kAboveZero)},
          kOneOf,
          "Normal stiffness per area of the bond's cross-section."}
          .to(&bond::ParallelBond::kn),
      Key{"bonds.*.modulus", {quantity(pressure, kAboveZero)}, kOneOf, "Young's modulus of the bond."}.to(
          &bond::ParallelBond::modulus),
      Key{"bonds.*.ks", {quantity(stiffness_per_area, kAboveZero)}, "required with kn", "Shear stiffness per area."}
          .to(&bond::ParallelBond::ks)
          .beside("kn"),
      Key{"bonds.*.kn_over_ks", {number(kAboveZero)}, "with modulus this or poisson", "Normal over shear stiffness."}
          .to(&bond::ParallelBond::ratio)
          .beside("modulus"),
      Key{"bonds.*.poisson",
          {number({0, 0.5})},
          "with modulus this or kn_over_ks",
          "Poisson's ratio; the bond is then a Timoshenko beam between the centres."}
          .to(&bond::ParallelBond::poisson)
          .beside("modulus"),
      Key{"bonds.*.radius_factor",
          {number(kAboveZero)},
          kOfMember,
          "Radius of the bond over that of the smaller sphere."}
          .to(&bond::ParallelBond::radius_factor),
      Key{"bonds.*.normal_strength",
          {quantity(pressure, kAboveZero)},
          "does not break this way",
          "Tension, with the part of bending, at which the bond breaks; with scatter its mean."}
          .to(&bond::ParallelBond::normal_strength),
      Key{"bonds.*.shear_strength",
          {quantity(pressure, kAboveZero)},
          "does not break this way",
          "Shear stress, with the part of torsion, at which the bond breaks; with scatter its mean."}
          .to(&bond::ParallelBond::shear_strength),
      Key{"bonds.*.scatter", {number({0.1, 1000})}, "none", "Weibull modulus of the strengths; small: much scatter."}
          .to(&bond::ParallelBond::weibull_modulus),
      Key{"bonds.*.damping", {number(kFromZero)}, kOfMember, "Fraction of critical damping of a bond's own vibrations."}
          .to(&bond::ParallelBond::damping),
      Key{"bonds.*.contact", {}, kOfMember, "Whether two spheres touch by their contact law too while they are bonded."}
          .choice(&bond::ParallelBond::keeps_contact, {{"excluded", false}, {"kept", true}}),
      Key{"clusters",
          {names()},
          "none",
          "Templates of bonded spheres, by names that you choose, for particles[].cluster."},
      Key{"clusters.*.packed_sphere", {map()}, kOneOf, "Close packing inside a sphere."},
      Key{"clusters.*.packed_sphere.radius", {quantity(length, kAboveZero)}, kRequired, "Of the cluster."}.to(
          &given::PackedSphere::radius),
      Key{"clusters.*.packed_sphere.sphere_radius", {quantity(length, kAboveZero)}, kRequired, "Of each sphere."}.to(
          &given::PackedSphere::sphere_radius),
      Key{"clusters.*.cube", {map()}, kOneOf, "Spheres on a cubic lattice."},
      Key{"clusters.*.cube.edge", {integer({1, 100})}, kOfMember, "Spheres along an edge; 3 makes the cube of 27."}.to(
          &given::Cube::edge),
      Key{"clusters.*.cube.sphere_radius", {quantity(length, kAboveZero)}, kRequired, "Of each sphere."}.to(
          &given::Cube::sphere_radius),
      Key{"clusters.*.tablet", {map()}, kOneOf, "Close packing inside a cylinder along z."},
      Key{"clusters.*.tablet.radius", {quantity(length, kAboveZero)}, kRequired, "Of the tablet."}.to(
          &given::Tablet::radius),
      Key{"clusters.*.tablet.thickness", {quantity(length, kAboveZero)}, kRequired, "Of the tablet."}.to(
          &given::Tablet::thickness),
      Key{"clusters.*.tablet.sphere_radius", {quantity(length, kAboveZero)}, kRequired, "Of each sphere."}.to(
          &given::Tablet::sphere_radius),
      Key{"clusters.*.filling", {map()}, kOneOf, "Close packing inside a polyhedron of the library."},
      Key{"clusters.*.filling.shape", {name()}, kRequired, "The polyhedron; `scree shape import` adds a mesh."}.to(
          &given::Filling::shape),
      Key{"clusters.*.filling.size", {quantity(length, kAboveZero)}, kRequired, "Factor on its coordinates."}.to(
          &given::Filling::size),
      Key{"clusters.*.filling.sphere_radius", {quantity(length, kAboveZero)}, kRequired, "Of each sphere."}.to(
          &given::Filling::sphere_radius),
      Key{"clusters.*.mesh",
          {map()},
          kOneOf,
          "Close packing inside a closed surface of a file, dented or hollow as it is."},
      Key{"clusters.*.mesh.file", {text()}, kRequired, "STL, OBJ, PLY or OFF, from the folder of the case."}.to(
          &given::FilledMesh::file),
      Key{"clusters.*.mesh.scale",
          {quantity(length, kAboveZero)},
          kRequired,
          "Length of one unit of the file: 1 mm for a drawing in millimetres."}
          .to(&given::FilledMesh::scale),
      Key{"clusters.*.mesh.sphere_radius", {quantity(length, kAboveZero)}, kRequired, "Of each sphere."}.to(
          &given::FilledMesh::sphere_radius),
      Key{"clusters.*.csv", {map()}, kOneOf, "Spheres from a file with lines x, y, z, r."},
      Key{"clusters.*.csv.file", {text()}, kRequired, "The file, from the folder of the case."}.to(
          &given::SphereFile::file),
      Key{"clusters.*.csv.scale", {number(kAboveZero)}, kOfMember, "Factor that makes metres of its numbers."}.to(
          &given::SphereFile::scale),
      Key{"clusters.*.bonds", {name()}, kRequired, "One of the bonds."},
      Key{"clusters.*.distance",
          {number({1, 4})},
          kOfMember,
          "Spheres whose centres are no farther apart than this times the sum of their radii are bonded."}
          .to(&given::Cluster::distance),
  };
}

}  // namespace scree::io
