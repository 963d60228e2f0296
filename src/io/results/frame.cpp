#include "io/results/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "integrate/rigid_body.h"
#include "io/results/hdf5_file.h"
#include "io/results/vtk_grid.h"
#include "io/text/files.h"
#include "sim/row_order.h"

namespace scree::io {

namespace fs = std::filesystem;

namespace {

void add_bonds(Frame& f, const Simulation& s, const RowOrder& ids) {
  if (!s.has_clusters) return;
  f.fragment = by_id(fragments_of(s), ids);
  // By id, as the particles of a frame are.
  const auto row = [&f](std::uint32_t id) {
    return static_cast<std::uint32_t>(std::lower_bound(f.id.begin(), f.id.end(), id) - f.id.begin());
  };
  for (std::size_t r = 0; r < s.bonds.size(); ++r) {
    if (!s.bonds.alive[r]) continue;
    f.bond_rows.push_back({row(s.bonds.id_a[r]), row(s.bonds.id_b[r])});
    f.bond_damage.push_back(s.bonds.damage[r]);
  }
}

/// row(place): the contacts in the order of the ids.
template <class Row>
void add_contacts(Frame& f, const Simulation& s, const PairTable& pairs, const ContactTable& contacts, Row&& row,
                  bool with_walls) {
  for (std::size_t place = 0; place < contacts.size(); ++place) {
    const std::size_t k = row(place);
    const std::uint32_t pair = contacts.pair[k], a = pairs.a[pair], b = pairs.b[pair];
    f.contact_point.push_back(wrapped(s.particles.domain, s.particles.position[a] + contacts.point[k]));
    f.contact_force.push_back(contacts.force[k]);
    f.contact_normal.push_back(contacts.normal[k]);
    f.contact_depth.push_back(contacts.depth[k]);
    const std::int64_t other = with_walls ? -1 - std::int64_t{s.walls[b].id} : std::int64_t{s.particles.id[b]};
    f.contact_ids.push_back({std::int64_t{s.particles.id[a]}, other});
  }
}

// ---- what VTK reads

void write_grid(hdf5::Writer& w, const VtkGrid& g) {
  w.group("VTKHDF");
  w.attribute("VTKHDF", "Version", std::array<std::int64_t, 2>{1, 0});
  w.attribute("VTKHDF", "Type", "UnstructuredGrid");
  w.write("VTKHDF/NumberOfPoints", std::vector<std::int64_t>{static_cast<std::int64_t>(g.points.size())});
  w.write("VTKHDF/NumberOfCells", std::vector<std::int64_t>{static_cast<std::int64_t>(g.types.size())});
  w.write("VTKHDF/NumberOfConnectivityIds",
          std::vector<std::int64_t>{static_cast<std::int64_t>(g.connectivity.size())});
  w.write("VTKHDF/Points", g.points);
  w.write("VTKHDF/Types", g.types);
  w.write("VTKHDF/Connectivity", g.connectivity);
  w.write("VTKHDF/Offsets", g.offsets);
  if (!g.radius.empty()) w.write("VTKHDF/PointData/radius", g.radius);
}

void write_time(hdf5::Writer& w, const Frame& f) {
  w.write("VTKHDF/FieldData/TimeValue", std::vector<double>{f.time});
  w.hard_link("VTKHDF/FieldData/TimeValue", "VTKHDF/FieldData/time");
  w.write("VTKHDF/FieldData/step", std::vector<std::uint64_t>{f.step});
}

// ---- the frame itself

void write_walls(hdf5::Writer& w, const std::vector<Frame::WallRow>& walls) {
  std::vector<std::string> names;
  std::vector<std::uint32_t> id;
  std::vector<Vec3> point, normal, force;
  std::vector<std::uint8_t> has_outline;
  std::vector<std::array<Vec3, 4>> outline;
  for (const Frame::WallRow& r : walls) {
    names.push_back(r.name);
    id.push_back(r.id), point.push_back(r.point), normal.push_back(r.normal), force.push_back(r.force);
    has_outline.push_back(r.outline.has_value());
    outline.push_back(r.outline.value_or(std::array<Vec3, 4>{}));
  }
  w.write_strings("scree/walls/name", names);
  w.write("scree/walls/id", id);
  w.write("scree/walls/point", point);
  w.write("scree/walls/normal", normal);
  w.write("scree/walls/force", force);
  w.write("scree/walls/has_outline", has_outline);
  w.write("scree/walls/outline", outline);
  if (std::all_of(walls.begin(), walls.end(), [](const Frame::WallRow& r) { return r.triangles.empty(); })) return;
  std::vector<std::uint32_t> vertex_start{0}, triangle_start{0};
  std::vector<Vec3> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::vector<Quat> orientation;
  for (const Frame::WallRow& r : walls) {
    vertices.insert(vertices.end(), r.vertices.begin(), r.vertices.end());
    triangles.insert(triangles.end(), r.triangles.begin(), r.triangles.end());
    vertex_start.push_back(static_cast<std::uint32_t>(vertices.size()));
    triangle_start.push_back(static_cast<std::uint32_t>(triangles.size()));
    orientation.push_back(r.orientation);
  }
  w.write("scree/walls/vertices", vertices), w.write("scree/walls/vertex_start", vertex_start);
  w.write("scree/walls/triangles", triangles), w.write("scree/walls/triangle_start", triangle_start);
  w.write("scree/walls/orientation", orientation);
}

/// The columns of particles and contacts, for writing and reading alike: f(path, column).
template <class F, class Visit>
void particle_columns(F& f, Visit&& visit) {
  visit("id", f.id), visit("shape", f.shape), visit("material", f.material), visit("size", f.size),
      visit("mass", f.mass);
  visit("position", f.position), visit("velocity", f.velocity), visit("angular_velocity", f.angular_velocity);
  visit("orientation", f.orientation);
}
template <class F, class Visit>
void contact_columns(F& f, Visit&& visit) {
  visit("contact_point", f.contact_point), visit("contact_force", f.contact_force);
  visit("contact_normal", f.contact_normal), visit("contact_depth", f.contact_depth),
      visit("contact_ids", f.contact_ids);
}

/// Whether all columns have the length of the first one.
bool equal_lengths(const Frame& f) {
  bool equal = f.bond_damage.size() == f.bond_rows.size() && (f.fragment.empty() || f.fragment.size() == f.id.size());
  particle_columns(f, [&](const char*, const auto& column) { equal = equal && column.size() == f.id.size(); });
  contact_columns(f,
                  [&](const char*, const auto& column) { equal = equal && column.size() == f.contact_point.size(); });
  return equal;
}

void read_meshes(hdf5::Reader& r, std::vector<Frame::WallRow>& walls) {
  std::vector<std::uint32_t> vertex_start, triangle_start;
  std::vector<Vec3> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::vector<Quat> orientation;
  r.read("scree/walls/vertices", vertices), r.read("scree/walls/vertex_start", vertex_start);
  r.read("scree/walls/triangles", triangles), r.read("scree/walls/triangle_start", triangle_start);
  r.read("scree/walls/orientation", orientation);
  if (r.failure()) return;
  const std::size_t n = walls.size();
  if (orientation.size() != n || !are_starts(vertex_start, n, vertices.size()) ||
      !are_starts(triangle_start, n, triangles.size()))
    return r.fail("the walls' meshes contradict each other");
  for (std::size_t k = 0; k < n; ++k) {
    Frame::WallRow& w = walls[k];
    w.orientation = orientation[k];
    w.vertices.assign(vertices.begin() + vertex_start[k], vertices.begin() + vertex_start[k + 1]);
    w.triangles.assign(triangles.begin() + triangle_start[k], triangles.begin() + triangle_start[k + 1]);
    for (const auto& t : w.triangles) {
      if (std::any_of(t.begin(), t.end(), [&](std::uint32_t v) { return v >= w.vertices.size(); }))
        return r.fail("a wall's triangle names a corner that is not there");
    }
  }
}

void read_walls(hdf5::Reader& r, std::vector<Frame::WallRow>& walls) {
  std::vector<std::string> names;
  std::vector<std::uint32_t> id;
  std::vector<Vec3> point, normal, force;
  std::vector<std::uint8_t> has_outline;
  std::vector<std::array<Vec3, 4>> outline;
  r.read_strings("scree/walls/name", names);
  r.read("scree/walls/id", id);
  r.read("scree/walls/point", point);
  r.read("scree/walls/normal", normal);
  r.read("scree/walls/force", force);
  r.read("scree/walls/has_outline", has_outline);
  r.read("scree/walls/outline", outline);
  if (r.failure()) return;
  const std::size_t n = names.size();
  if (id.size() != n || point.size() != n || normal.size() != n || force.size() != n || has_outline.size() != n ||
      outline.size() != n) {
    return r.fail("the walls' columns differ in length");
  }
  for (std::size_t k = 0; k < n; ++k) {
    walls.push_back({names[k], id[k], point[k], normal[k], force[k], {}, {}, {}});
    if (has_outline[k]) walls.back().outline = outline[k];
  }
  if (r.has("scree/walls/triangles")) read_meshes(r, walls);
}

}  // namespace

const char* contradiction(const Frame& f) {
  if (!equal_lengths(f)) return "columns differ in length";
  if (const char* why = contradiction(f.shapes)) return why;
  if (std::any_of(f.shape.begin(), f.shape.end(), [&](std::uint32_t s) { return s >= f.shapes.size(); })) {
    return "a particle names a shape that is not there";
  }
  if (!f.materials.empty() &&
      std::any_of(f.material.begin(), f.material.end(), [&](std::uint32_t m) { return m >= f.materials.size(); })) {
    return "a particle names a material that is not there";
  }
  for (const auto& [a, b] : f.bond_rows) {
    if (a >= f.id.size() || b >= f.id.size()) return "a bond names a particle that is not there";
  }
  return nullptr;
}

Frame make_frame(const Simulation& s, bool with_contacts) {
  Frame f;
  f.time = s.time, f.step = s.step, f.dimensions = s.dimensions;
  const Particles& p = s.particles;
  const RowOrder ids = id_order(s);
  f.id = by_id(p.id, ids), f.shape = by_id(p.shape, ids), f.material = by_id(p.material, ids);
  f.size = by_id(p.size, ids), f.mass = by_id(p.mass, ids), f.position = by_id(p.position, ids);
  f.velocity = by_id(p.velocity, ids), f.orientation = by_id(p.orientation, ids);
  // The column of that name is half a kick behind.
  const std::vector<Vec3> momentum = by_id(p.angular_momentum, ids), inertia = by_id(p.inertia, ids);
  for (std::size_t i = 0; i < f.id.size(); ++i)
    f.angular_velocity.push_back(integrate::angular_velocity(f.orientation[i], momentum[i], inertia[i]));
  f.domain = p.domain;
  for (Vec3& x : f.position) x = wrapped(f.domain, x);
  for (const auto& shape : s.shapes) f.shapes.push_back(shape_row(*shape));
  for (const Case::Material& m : s.materials) f.materials.push_back(m.name);
  if (with_contacts) {
    add_contacts(
        f, s, s.pairs, s.contacts, [&](std::size_t i) { return ids.row(ids.contact, i); }, false);
    add_contacts(
        f, s, s.wall_pairs, s.wall_contacts, [&](std::size_t i) { return ids.row(ids.wall_contact, i); }, true);
  }
  add_bonds(f, s, ids);
  for (const Wall& w : s.walls) {
    f.walls.push_back({w.name, w.id, w.point, w.normal, w.force, w.outline, {}, {}});
    if (!w.mesh) continue;
    f.walls.back().vertices = w.mesh->surface().vertices, f.walls.back().triangles = w.mesh->surface().triangles;
    f.walls.back().orientation = w.orientation;
  }
  return f;
}

Frame part_of(const Frame& f, const std::vector<char>& keep) {
  Frame part;
  part.time = f.time, part.step = f.step, part.dimensions = f.dimensions, part.domain = f.domain,
  part.shapes = f.shapes, part.walls = f.walls, part.materials = f.materials;
  std::vector<std::int64_t> kept;
  std::vector<std::uint32_t> row(f.id.size());
  for (std::size_t i = 0; i < f.id.size(); ++i) {
    if (!keep[i]) continue;
    kept.push_back(f.id[i]);
    row[i] = static_cast<std::uint32_t>(part.id.size());
    if (!f.fragment.empty()) part.fragment.push_back(f.fragment[i]);
    part.id.push_back(f.id[i]), part.shape.push_back(f.shape[i]), part.material.push_back(f.material[i]);
    part.size.push_back(f.size[i]), part.mass.push_back(f.mass[i]), part.position.push_back(f.position[i]);
    part.velocity.push_back(f.velocity[i]), part.angular_velocity.push_back(f.angular_velocity[i]);
    part.orientation.push_back(f.orientation[i]);
  }
  for (std::size_t k = 0; k < f.bond_rows.size(); ++k) {
    const auto [a, b] = f.bond_rows[k];
    if (!keep[a] || !keep[b]) continue;
    part.bond_rows.push_back({row[a], row[b]}), part.bond_damage.push_back(f.bond_damage[k]);
  }
  std::sort(kept.begin(), kept.end());
  auto is_in = [&](std::int64_t id) { return id < 0 || std::binary_search(kept.begin(), kept.end(), id); };
  for (std::size_t k = 0; k < f.contact_ids.size(); ++k) {
    if (!is_in(f.contact_ids[k][0]) || !is_in(f.contact_ids[k][1])) continue;
    part.contact_ids.push_back(f.contact_ids[k]), part.contact_point.push_back(f.contact_point[k]);
    part.contact_force.push_back(f.contact_force[k]), part.contact_normal.push_back(f.contact_normal[k]);
    part.contact_depth.push_back(f.contact_depth[k]);
  }
  return part;
}

Status write_frame(const fs::path& file, const Frame& f) {
  if (const char* why = contradiction(f)) return Error{"cannot write " + file.string() + ": " + why};
  hdf5::Writer w;
  const VtkGrid grid = grid_of_particles(f);
  write_grid(w, grid);
  w.attribute("/", "scree_frame", std::uint32_t{1});
  w.group("scree");
  w.attribute("scree", "time", f.time);
  w.attribute("scree", "step", f.step);
  w.write("scree/dimensions", std::vector<std::int32_t>{f.dimensions});
  if (f.domain.any()) write_domain(w, "scree/domain", f.domain);
  // One data set under two names: what VTK shows is what read_frame returns. Where a particle has several cells, VTK
  // gets columns of its own.
  const auto show = [&](const std::string& name, const auto& column) {
    if (grid.rows.empty()) return w.hard_link("scree/" + name, "VTKHDF/CellData/" + name);
    w.write("VTKHDF/CellData/" + name, gathered(column, grid.rows));
  };
  particle_columns(f, [&](const std::string& name, const auto& column) { w.write("scree/" + name, column); });
  contact_columns(f, [&](const std::string& name, const auto& column) { w.write("scree/" + name, column); });
  if (!f.fragment.empty()) {
    w.write("scree/fragment", f.fragment);
    w.write("scree/bond_rows", f.bond_rows), w.write("scree/bond_damage", f.bond_damage);
    show("fragment", f.fragment);
  }
  write_shapes(w, "scree/shapes", f.shapes);
  if (!f.materials.empty()) w.write_strings("scree/materials/name", f.materials);
  write_walls(w, f.walls);
  particle_columns(f, [&](const std::string& name, const auto& column) {
    if (name != "position") show(name, column);
  });
  const std::vector<double> speed = lengths(f.velocity);
  w.write("VTKHDF/CellData/speed", grid.rows.empty() ? speed : gathered(speed, grid.rows));
  write_time(w, f);
  if (!f.contact_point.empty()) {
    contact_columns(
        f, [&](const std::string& name, const auto&) { w.hard_link("scree/" + name, "VTKHDF/FieldData/" + name); });
  }
  Result<std::vector<std::byte>> bytes = w.finish();
  if (!bytes) return Error{"cannot write " + file.string() + ": " + bytes.error().message};
  return write_file(file, *bytes, Durability::buffered);
}

Result<Frame> read_frame(const fs::path& file) {
  Result<hdf5::Reader> r = hdf5::Reader::open(file);
  if (!r) return r.error();
  return read_frame(*r, file.string());
}

Result<Frame> read_frame(hdf5::Reader& r, const std::string& name) {
  Frame f;
  std::uint32_t version = 0;
  r.attribute("/", "scree_frame", version);
  if (r.failure() || version != 1) return Error{name + " is no frame that this version of scree can read"};
  r.attribute("scree", "time", f.time);
  r.attribute("scree", "step", f.step);
  particle_columns(f, [&](const std::string& column, auto& rows) { r.read("scree/" + column, rows); });
  contact_columns(f, [&](const std::string& column, auto& rows) { r.read("scree/" + column, rows); });
  if (r.has("scree/dimensions")) {  // frames of earlier versions have three
    std::vector<std::int32_t> dimensions;
    r.read("scree/dimensions", dimensions);
    if (dimensions.size() != 1 || (dimensions[0] != 2 && dimensions[0] != 3)) r.fail("dimensions must be 2 or 3");
    if (!r.failure()) f.dimensions = dimensions[0];
  }
  if (r.has("scree/domain/periodic")) read_domain(r, "scree/domain", f.domain);
  if (r.has("scree/fragment")) {
    r.read("scree/fragment", f.fragment);
    r.read("scree/bond_rows", f.bond_rows), r.read("scree/bond_damage", f.bond_damage);
  }
  read_shapes(r, "scree/shapes", f.shapes);
  if (r.has("scree/materials/name")) r.read_strings("scree/materials/name", f.materials);
  read_walls(r, f.walls);
  if (r.failure()) return *r.failure();
  if (const char* why = contradiction(f)) return Error{name + ": " + why};
  return f;
}

Status write_contacts(const fs::path& file, const Frame& f) {
  const VtkContacts c = grid_of_contacts(f);
  hdf5::Writer w;
  write_grid(w, c.grid);
  w.write("VTKHDF/CellData/force", c.force);
  w.write("VTKHDF/CellData/force_magnitude", lengths(c.force));
  w.write("VTKHDF/CellData/normal", c.normal);
  w.write("VTKHDF/CellData/depth", c.depth);
  w.write("VTKHDF/CellData/ids", c.ids);
  w.write("VTKHDF/CellData/is_wall", c.is_wall);
  if (!f.fragment.empty()) w.write("VTKHDF/CellData/is_bond", c.is_bond), w.write("VTKHDF/CellData/damage", c.damage);
  write_time(w, f);
  Result<std::vector<std::byte>> bytes = w.finish();
  if (!bytes) return Error{"cannot write " + file.string() + ": " + bytes.error().message};
  return write_file(file, *bytes, Durability::buffered);
}

fs::path numbered(const fs::path& folder, const std::string& prefix, std::uint64_t index) {
  return folder / fmt::format("{}_{:06}.vtkhdf", prefix, index);
}

std::vector<fs::path> frame_files(const fs::path& results) {
  std::vector<fs::path> files;
  std::error_code e;
  for (fs::directory_iterator i(results / "frames", e), end; !e && i != end; i.increment(e)) {
    if (i->path().extension() == ".vtkhdf") files.push_back(i->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Status write_file_series(const fs::path& list, const std::vector<SeriesEntry>& files) {
  nlohmann::ordered_json j;
  j["file-series-version"] = "1.0";
  j["files"] = nlohmann::ordered_json::array();
  for (const SeriesEntry& e : files) j["files"].push_back({{"name", e.file}, {"time", e.time}});
  return write_file(list, j.dump(1) + "\n", Durability::buffered);
}

std::vector<SeriesEntry> read_file_series(const fs::path& list) {
  std::vector<SeriesEntry> entries;
  const auto bytes = read_file(list, std::size_t{1} << 28);
  if (!bytes) return entries;
  const auto j = nlohmann::json::parse(reinterpret_cast<const char*>(bytes->data()),
                                       reinterpret_cast<const char*>(bytes->data()) + bytes->size(), nullptr, false);
  if (!j.is_object() || !j.contains("files") || !j["files"].is_array()) return entries;
  for (const auto& e : j["files"]) {
    if (!e.is_object() || !e.contains("name") || !e["name"].is_string() || !e.contains("time") ||
        !e["time"].is_number())
      return {};
    entries.push_back({e["name"].get<std::string>(), e["time"].get<double>()});
  }
  return entries;
}

}  // namespace scree::io
