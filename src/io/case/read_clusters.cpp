// Bonds and clusters of spheres.
#include "io/case/read_clusters.h"

#include <fmt/format.h>

#include "bond/filling.h"
#include "io/case/given.h"
#include "io/grains/cluster_file.h"
#include "io/mesh/wall_mesh.h"
#include "io/text/files.h"
#include "io/text/short_text.h"

namespace scree::io {

namespace {

constexpr std::size_t kMaxClusterBytes = std::size_t{1} << 28;

bond::ParallelBond bond_law(const Node& n, const std::string& path, Reading& in) {
  using Given = bond::ParallelBond::Stiffness;
  bond::ParallelBond law;
  in.take(n, path, law);
  if (n.find("kn") && !n.find("ks")) in.report(n, path + ".ks", "missing; kn needs ks beside it");
  if (n.find("modulus") && (n.find("kn_over_ks") != nullptr) == (n.find("poisson") != nullptr))
    in.report(n, path, "modulus needs exactly one of kn_over_ks, poisson beside it");
  if (n.find("modulus")) law.given = n.find("poisson") ? Given::beam : Given::modulus;
  if (n.find("scatter") && !n.find("normal_strength") && !n.find("shear_strength"))
    in.report(*n.find("scatter"), path + ".scatter", "has no use without a strength");
  return law;
}

/// Nothing: told already, or the value does not fit its form.
Result<bond::Cluster> filling(const given::Filling& g, const Node& name, const std::string& path, Reading& in) {
  if (!in.check_shape(name, path, g.shape)) return Error{};
  const Result<std::shared_ptr<const Shape>> shape = load_shape(g.shape);
  if (!shape) return shape.error();
  if ((*shape)->kind != ShapeKind::polyhedron) {
    in.report(name, path, "expected a polyhedron, got " + short_text(g.shape));
    return Error{};
  }
  return bond::filling((*shape)->body, g.size, g.sphere_radius);
}

Result<bond::Cluster> filled_mesh(const given::FilledMesh& g, const Node& file, const std::string& path, Reading& in) {
  const Result<WallMesh> mesh = read_wall_mesh(in.beside_case(g.file), g.scale, false);
  Result<bond::Cluster> filled = mesh ? bond::filling(*mesh->facets, g.sphere_radius) : mesh.error();
  if (filled) return filled;
  in.report(file, path, filled.error().message);
  return Error{};
}

Result<bond::Cluster> spheres_from(const given::SphereFile& g, const Node& file, const std::string& path, Reading& in) {
  const std::filesystem::path at = in.beside_case(g.file);
  const Result<std::vector<std::byte>> bytes = read_file(at, kMaxClusterBytes);
  if (!bytes) {
    in.report(file, path, bytes.error().message);
    return Error{};
  }
  return read_cluster({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, g.scale, at.string());
}

/// An empty message: told already, or the value does not fit its form.
Result<bond::Cluster> spheres(const Node& n, const std::string& path, Reading& in) {
  if (const Node* m = map_at(n, "cube"))
    if (const auto g = in.taken<given::Cube>(*m, path + ".cube")) return bond::cube(g->edge, g->sphere_radius);
  if (const Node* m = map_at(n, "packed_sphere"))
    if (const auto g = in.taken<given::PackedSphere>(*m, path + ".packed_sphere"))
      return bond::packed_sphere(g->radius, g->sphere_radius);
  if (const Node* m = map_at(n, "tablet"))
    if (const auto g = in.taken<given::Tablet>(*m, path + ".tablet"))
      return bond::tablet(g->radius, g->thickness, g->sphere_radius);
  if (const Node* m = map_at(n, "filling"))
    if (const auto g = in.taken<given::Filling>(*m, path + ".filling"))
      return filling(*g, *m->find("shape"), path + ".filling.shape", in);
  if (const Node* m = map_at(n, "mesh"))
    if (const auto g = in.taken<given::FilledMesh>(*m, path + ".mesh"))
      return filled_mesh(*g, *m->find("file"), path + ".mesh.file", in);
  if (const Node* m = map_at(n, "csv"))
    if (const auto g = in.taken<given::SphereFile>(*m, path + ".csv"))
      return spheres_from(*g, *m->find("file"), path + ".csv.file", in);
  return Error{};
}

void cluster(const Node& n, const std::string& path, const Bonds& bonds, Reading& in, Case::Cluster& c) {
  if (const Node* v = get(n, "bonds"))
    if (const int row = in.resolve(*v, path + ".bonds", bonds.names, "bond"); row >= 0)
      c.law = bonds.laws[static_cast<std::size_t>(row)];
  Result<bond::Cluster> made = spheres(n, path, in);
  if (!made) {
    if (!made.error().message.empty()) in.report(n, path, made.error().message);
    return;
  }
  if (Status placed = bond::check_places(*made); !placed) return in.report(n, path, placed.error().message);
  given::Cluster given;
  in.take(n, path, given);
  Result<bond::Pairs> pairs = bond::bonds_by_distance(*made, given.distance);
  if (!pairs) return in.report(n, path, pairs.error().message);
  if (Status held = bond::check_holds(*made, *pairs); !held) return in.report(n, path, held.error().message);
  c.spheres = std::move(*made), c.bonds = std::move(*pairs);
}

}  // namespace

Bonds read_bonds(Reading& in) {
  Bonds bonds;
  const Node* n = map_at(in.root, "bonds");
  for (std::size_t i = 0; n && i < n->items.size(); ++i) {
    bonds.names.push_back(n->keys[i].name);
    bonds.laws.push_back(n->items[i].kind == Node::Kind::map ? bond_law(n->items[i], "bonds." + n->keys[i].name, in)
                                                             : bond::ParallelBond{});
  }
  return bonds;
}

std::vector<std::string> read_clusters(const Bonds& bonds, Reading& in) {
  std::vector<std::string> names;
  const Node* list = map_at(in.root, "clusters");
  if (!list) return names;
  if (in.c.dimensions == 2)
    in.report(*list, "clusters", "are made of spheres, which are for three dimensions; this case has two");
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const Node& n = list->items[i];
    Case::Cluster c;
    c.name = list->keys[i].name;
    names.push_back(c.name);
    if (n.kind == Node::Kind::map) cluster(n, "clusters." + c.name, bonds, in, c);
    if (c.spheres.size() == 0) c.spheres = {{{}}, {1}};  // its mistake has been told
    in.c.clusters.push_back(std::move(c));
  }
  return names;
}

}  // namespace scree::io
