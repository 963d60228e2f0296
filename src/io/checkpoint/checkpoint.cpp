#include "io/checkpoint/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <tuple>
#include <type_traits>

#include "base/hash.h"
#include "integrate/rigid_body.h"
#include "io/case/case_hash.h"
#include "io/case/read_changes.h"
#include "io/results/build_info.h"
#include "io/results/checkpoint_frame.h"
#include "io/results/frame_parts.h"
#include "io/results/hdf5_file.h"
#include "io/text/files.h"
#include "sim/row_order.h"
#include "sim/spread.h"

namespace scree::io {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kKept = 2;  ///< the last two, so that one survives a crash while the other is written

/// PlaneFeature as numbers: kind, a, b, va, vb.
using FeatureRow = std::array<std::uint16_t, 5>;

FeatureRow packed(const PlaneFeature& f) { return {static_cast<std::uint16_t>(f.kind), f.a, f.b, f.va, f.vb}; }

/// A struct of columns as numbers; it has no padding.
template <class T>
using Numbers = std::array<double, sizeof(T) / sizeof(double)>;

/// Pairs name ids, and what they have contacts of follows each other in their order: no row is saved.
std::string saved_as(const std::string& name, HeldRows rows) {
  const std::size_t field = name.find('/') + 1;
  return "state/" + name.substr(0, field) +
         (rows.walls && rows.to == RefersTo::partners ? "wall" : "id_" + name.substr(field));
}

struct Save {
  hdf5::Writer& w;
  const std::vector<std::uint32_t>& ids;  ///< of the particles, in the order of the columns
  const std::vector<Wall>& walls;

  void operator()(const std::string& name, const std::vector<std::uint32_t>& column) {
    const HeldRows rows = rows_held_by(name);
    if (rows.to == RefersTo::nothing) return w.write("state/" + name, column);
    if (rows.to != RefersTo::particles && rows.to != RefersTo::partners) return;
    const bool of_walls = rows.walls && rows.to == RefersTo::partners;
    std::vector<std::uint32_t> named(column.size());
    std::transform(column.begin(), column.end(), named.begin(),
                   [&](std::uint32_t row) { return of_walls ? walls[row].id : ids[row]; });
    w.write(saved_as(name, rows), named);
  }
  void operator()(const std::string& name, const bool& value) {
    w.write("state/" + name, std::vector<std::uint8_t>{value});
  }
  template <class T>
  void operator()(const std::string& name, const std::vector<T>& column) {
    w.write("state/" + name, column);
  }
  void operator()(const std::string& name, const std::vector<PlaneFeature>& column) {
    std::vector<FeatureRow> rows(column.size());
    std::transform(column.begin(), column.end(), rows.begin(), packed);
    w.write("state/" + name, rows);
  }
  void operator()(const std::string& name, const std::vector<narrow::PaperPair>& column) { save_numbers(name, column); }
  void operator()(const std::string& name, const std::vector<narrow::SolvedGap>& column) { save_numbers(name, column); }
  template <class T>
  void save_numbers(const std::string& name, const std::vector<T>& column) {
    std::vector<Numbers<T>> rows(column.size());
    std::transform(column.begin(), column.end(), rows.begin(),
                   [](const T& row) { return std::bit_cast<Numbers<T>>(row); });
    w.write("state/" + name, rows);
  }
  template <class T>
  void operator()(const std::string& name, const T& value) {
    (*this)(name, std::vector<T>{value});
  }
};

bool is_unit(const Quat& q) { return std::abs(norm2(q) - 1) < 1e-9; }

/// A state has none: comparisons with it would hide contacts.
template <class T>
bool has_nan(const std::vector<T>& rows) {
  if constexpr (hdf5::layout_of<T>().scalar == hdf5::Scalar::f64) {
    const auto* const numbers = reinterpret_cast<const double*>(rows.data());
    return std::any_of(numbers, numbers + rows.size() * hdf5::layout_of<T>().columns,
                       [](double x) { return std::isnan(x); });
  }
  return false;
}

/// Columns of one table ("pairs/a", "pairs/b") must have one length; the first one read sets it. Columns of rows hold
/// ids, or nothing, until rows_from_ids.
struct Load {
  hdf5::Reader& r;
  std::map<std::string, std::size_t> rows_of = {};

  void operator()(const std::string& name, std::vector<std::uint32_t>& column) {
    const HeldRows rows = rows_held_by(name);
    column.clear();
    if (rows.to == RefersTo::pairs || rows.to == RefersTo::contacts) return;
    r.read(rows.to == RefersTo::nothing ? "state/" + name : saved_as(name, rows), column);
    check_length(name, column.size());
  }
  void operator()(const std::string& name, bool& value) {
    std::uint8_t flag = 0;
    (*this)(name, flag);
    if (flag > 1) return r.fail("'state/" + name + "' is neither yes nor no");
    value = flag != 0;
  }
  template <class T>
  void operator()(const std::string& name, std::vector<T>& column) {
    r.read("state/" + name, column);
    if (has_nan(column)) r.fail("'state/" + name + "' holds what is no number");
    check_length(name, column.size());
  }
  void check_length(const std::string& name, std::size_t rows) {
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos) return;
    const auto [table, is_first] = rows_of.try_emplace(name.substr(0, slash), rows);
    if (!is_first && table->second != rows)
      r.fail("'state/" + name + "' has another length than the columns before it");
  }
  void operator()(const std::string& name, std::vector<PlaneFeature>& column) {
    std::vector<FeatureRow> rows;
    r.read("state/" + name, rows);
    column.clear();
    for (const FeatureRow& f : rows) {
      if (f[0] > static_cast<std::uint16_t>(PlaneFeature::Kind::edge_b))
        return r.fail("'state/" + name + "' holds an unknown kind");
      column.push_back({static_cast<PlaneFeature::Kind>(f[0]), f[1], f[2], f[3], f[4]});
    }
    check_length(name, column.size());
  }
  void operator()(const std::string& name, std::vector<narrow::PaperPair>& column) {
    load_numbers(name, column);
    if (std::any_of(column.begin(), column.end(), [](const narrow::PaperPair& t) {
          return t.status > narrow::PaperPair::Status::touching || t.feature.kind > PlaneFeature::Kind::edge_b;
        }))
      r.fail("'state/" + name + "' holds an unknown kind");
  }
  void operator()(const std::string& name, std::vector<narrow::SolvedGap>& column) { load_numbers(name, column); }
  template <class T>
  void load_numbers(const std::string& name, std::vector<T>& column) {
    // Of a PaperPair what is behind the numbers is none.
    constexpr std::size_t kNumbers = std::is_same_v<T, narrow::PaperPair> ? 27 : sizeof(T) / sizeof(double);
    std::vector<Numbers<T>> rows;
    r.read("state/" + name, rows);
    for (const Numbers<T>& row : rows)
      if (std::any_of(row.begin(), row.begin() + kNumbers, [](double x) { return std::isnan(x); }))
        return r.fail("'state/" + name + "' holds what is no number");
    column.resize(rows.size());
    std::transform(rows.begin(), rows.end(), column.begin(),
                   [](const Numbers<T>& row) { return std::bit_cast<T>(row); });
    check_length(name, column.size());
  }
  template <class T>
  void operator()(const std::string& name, T& value) {
    std::vector<T> rows;
    r.read("state/" + name, rows);
    if (r.failure()) return;
    if (rows.size() != 1 || has_nan(rows)) return r.fail("'state/" + name + "' is no single value");
    value = rows[0];
  }
};

/// Members of walls as columns; what is optional has a column beside it that says where it is there.
struct SaveWalls {
  hdf5::Writer& w;
  template <class T>
  void operator()(const std::string& name, const std::vector<T>& column) {
    w.write("walls/" + name, column);
  }
  void operator()(const std::string& name, const std::vector<std::string>& column) {
    w.write_strings("walls/" + name, column);
  }
  template <class T>
  void operator()(const std::string& name, const std::vector<std::optional<T>>& column) {
    std::vector<std::uint8_t> has;
    std::vector<T> values;
    for (const auto& v : column) has.push_back(v.has_value()), values.push_back(v.value_or(T{}));
    w.write("walls/has_" + name, has), w.write("walls/" + name, values);
  }
};

struct LoadWalls {
  hdf5::Reader& r;
  template <class T>
  void operator()(const std::string& name, std::vector<T>& column) {
    r.read("walls/" + name, column);
    if (has_nan(column)) r.fail("'walls/" + name + "' holds what is no number");
  }
  void operator()(const std::string& name, std::vector<std::string>& column) {
    r.read_strings("walls/" + name, column);
  }
  template <class T>
  void operator()(const std::string& name, std::vector<std::optional<T>>& column) {
    std::vector<std::uint8_t> has;
    std::vector<T> values;
    r.read("walls/has_" + name, has), r.read("walls/" + name, values);
    if (has.size() != values.size()) return r.fail("the walls' columns differ in length");
    if (has_nan(values)) return r.fail("'walls/" + name + "' holds what is no number");
    for (std::size_t k = 0; k < has.size(); ++k) column.push_back(has[k] ? std::optional<T>(values[k]) : std::nullopt);
  }
};

void save_walls(hdf5::Writer& w, const Simulation& s) {
  Wall::with_saved([&](const std::string& name, auto member) {
    std::vector<std::remove_cvref_t<decltype(s.walls[0].*member)>> column;
    for (const Wall& p : s.walls) column.push_back(p.*member);
    if (name != "steered" || std::ranges::any_of(s.walls, [](const Wall& p) { return !p.steered.empty(); }))
      SaveWalls{w}(name, column);
  });
}

void load_walls(hdf5::Reader& r, Simulation& s) {
  s.walls.clear();
  bool is_first = true;
  Wall::with_saved([&](const std::string& name, auto member) {
    if (name == "steered" && !r.has("walls/" + name)) return;  // no wall was, or it is older than that
    std::vector<std::remove_cvref_t<decltype(s.walls[0].*member)>> column;
    LoadWalls{r}(name, column);
    if (is_first) s.walls.resize(column.size());
    is_first = false;
    if (column.size() != s.walls.size()) return r.fail("the walls' columns differ in length");
    for (std::size_t k = 0; k < column.size(); ++k) s.walls[k].*member = std::move(column[k]);
  });
  for (const Wall& w : s.walls)
    if (!is_unit(w.orientation) || !(w.reach >= 0)) r.fail("a wall's pose makes no sense");
}

/// Of grains that came from outside.
std::vector<std::string> shapes_beyond(const Simulation& s, const Case& c) {
  const std::set<std::string> of_case = c.shape_names();
  std::vector<std::string> names;
  for (const auto& shape : s.shapes)
    if (!of_case.contains(shape->name)) names.push_back(shape->name);
  return names;
}

/// What --resume takes from the case and a case that places the grains needs: frame_of_checkpoint.
void save_names(hdf5::Writer& w, const Simulation& s, const Case& c) {
  std::vector<ShapeRow> shapes;
  std::vector<std::string> materials;
  for (const auto& shape : s.shapes) shapes.push_back(shape_row(*shape));
  for (const Case::Material& m : s.materials) materials.push_back(m.name);
  write_shapes(w, "names/shapes", shapes);
  w.write_strings("names/materials", materials);
  if (const auto came = shapes_beyond(s, c); !came.empty()) w.write_strings("names/shapes_from_outside", came);
  w.write("names/dimensions", std::vector<std::int32_t>{s.dimensions});
  write_domain(w, "names/domain", s.particles.domain);
}

void save_position(hdf5::Writer& w, const OutputPosition& at) {
  w.group("output");
  w.attribute("output", "origin", at.origin);
  w.attribute("output", "every", at.every);
  w.attribute("output", "next_instant", at.next_instant);
  w.attribute("output", "frames", at.frames);
  w.attribute("output", "rows", at.rows);
  w.attribute("output", "last_output_step", at.last_output_step);
}

void load_position(hdf5::Reader& r, OutputPosition& at) {
  r.attribute("output", "origin", at.origin);
  r.attribute("output", "every", at.every);
  r.attribute("output", "next_instant", at.next_instant);
  r.attribute("output", "frames", at.frames);
  r.attribute("output", "rows", at.rows);
  r.attribute("output", "last_output_step", at.last_output_step);
}

constexpr std::size_t kNoRow = ~std::size_t{0};

/// Of the ascending ids.
std::size_t row_of(const std::vector<std::uint32_t>& ids, std::uint32_t id) {
  const auto at = std::lower_bound(ids.begin(), ids.end(), id);
  return at != ids.end() && *at == id ? static_cast<std::size_t>(at - ids.begin()) : kNoRow;
}
std::size_t row_of(const std::vector<Wall>& walls, std::uint32_t id) {
  const auto at = std::find_if(walls.begin(), walls.end(), [id](const Wall& w) { return w.id == id; });
  return at != walls.end() ? static_cast<std::size_t>(at - walls.begin()) : kNoRow;
}

// ---- whether rows fit each other; the state hash guards against accidents, these against files made by hand

const char* spoiled_particles(const Simulation& s) {
  const Particles& p = s.particles;
  for (std::size_t i = 0; i < p.id.size(); ++i) {
    if (p.id[i] >= s.next_id || (i > 0 && p.id[i] <= p.id[i - 1])) return "the particles' ids are not in order";
    if (!(p.size[i] > 0) || !(p.mass[i] > 0) || !(p.radius[i] > 0)) return "a particle has no size or mass";
    if (!is_unit(p.orientation[i])) return "a particle's orientation makes no sense";
    if (!is_finite(p.listed_at[i])) return "it is not known where a particle was when the pairs were found";
  }
  if (!std::isfinite(s.time) || !(s.dt > 0) || !std::isfinite(s.dt) || !(s.skin >= 0) ||
      !(s.skin_tuning.diameter >= 0) || !(s.skin_tuning.speed >= 0) || s.skin_tuning.made_at > s.step)
    return "time, time step or skin make no sense";
  return nullptr;
}

const char* spoiled_bonds(const Simulation& s) {
  const bond::Bonds& b = s.bonds;
  const std::vector<std::uint32_t>& ids = s.particles.id;  // in ascending order, as spoiled_particles has seen
  const auto is_there = [&](std::uint32_t id) { return std::binary_search(ids.begin(), ids.end(), id); };
  const auto key = [&b](std::size_t r) { return std::tuple(b.cluster[r], b.id_a[r], b.id_b[r]); };
  for (std::size_t r = 0; r < b.id_a.size(); ++r) {
    if (r > 0 && !(key(r - 1) < key(r))) return "the bonds are not in order";
    if (b.id_a[r] >= b.id_b[r] || !is_there(b.id_a[r]) || !is_there(b.id_b[r]))
      return "a bond names a particle that is not there";
    if (b.alive[r] > 1 || !is_unit(b.frame_a[r]) || !is_unit(b.frame_b[r])) return "a bond's frame makes no sense";
    if (!(b.length[r] > 0) || !(b.radius[r] > 0) || !(b.axial[r] > 0) || !(b.shear[r] >= 0) || !(b.twist[r] >= 0) ||
        !(b.bend[r] >= 0) || !(b.normal_strength[r] > 0) || !(b.shear_strength[r] > 0))
      return "a bond has no size, stiffness or strength";
  }
  return nullptr;
}

/// From what Load has left in the columns of rows. `partner(id)`: its row; npos of either: there is none.
template <class Partner>
const char* rows_from_ids(const std::vector<std::uint32_t>& ids, PairTable& t, ContactTable& c, Partner&& partner) {
  std::uint64_t next = 0;
  const std::size_t rows = c.key.size();
  t.resize(t.a.size()), c.resize(rows);
  for (std::size_t k = 0; k < t.size(); ++k) {
    const std::size_t a = row_of(ids, t.a[k]), b = partner(t.b[k]);
    if (a == kNoRow || b == kNoRow) return "a pair names a particle or wall that is not there";
    t.a[k] = static_cast<std::uint32_t>(a), t.b[k] = static_cast<std::uint32_t>(b);
    t.first[k] = static_cast<std::uint32_t>(next);
    if (t.count[k] > rows - next) return "a pair names contacts that are not there";
    for (std::uint32_t n = 0; n < t.count[k]; ++n) c.pair[next++] = static_cast<std::uint32_t>(k);
  }
  return next == rows ? nullptr : "there are contacts of no pair";
}

const char* spoiled_pairs(const PairTable& t, bool among_themselves) {
  for (std::size_t k = 0; k < t.size(); ++k) {
    if (among_themselves && t.a[k] >= t.b[k]) return "a pair has not the lower id first";
    if (k > 0 && std::pair(t.a[k - 1], t.b[k - 1]) >= std::pair(t.a[k], t.b[k])) return "the pairs are not in order";
  }
  return nullptr;
}

bool feature_fits(const PlaneFeature& f, const Shape& of_a, const Shape& of_b) {
  using Kind = PlaneFeature::Kind;
  if (f == PlaneFeature{}) return true;  // never set; all that pairs with a round body have
  if (of_a.kind == ShapeKind::polygon && of_b.kind == ShapeKind::polygon) {
    const std::size_t na = of_a.outline.size(), nb = of_b.outline.size();  // edges and corners
    return f.va < na && f.vb < nb && f.a < na && f.b < nb &&
           (f.kind == Kind::none || f.kind == Kind::face_a || f.kind == Kind::face_b || f.kind == Kind::vertex_vertex);
  }
  const Polyhedron &a = of_a.body, &b = of_b.body;
  if (f.va >= a.vertices.size() || f.vb >= b.vertices.size()) return false;
  switch (f.kind) {
    case Kind::none:
      return true;
    case Kind::face_a:
      return f.a < a.face_normals.size();
    case Kind::face_b:
      return f.b < b.face_normals.size();
    case Kind::edge_edge:
      return f.a < a.edges.size() && f.b < b.edges.size();
    case Kind::vertex_vertex:
      return f.a < a.vertices.size() && f.b < b.vertices.size();
    case Kind::edge_a:
      return f.a < a.edges.size() && f.b < b.vertices.size();
    case Kind::edge_b:
      return f.a < a.vertices.size() && f.b < b.edges.size();
  }
  return false;
}

/// The part of a clump, or the shape itself where it has none; nullptr: it is not there.
const Shape* part_of(const Shape& whole, std::uint32_t part) {
  if (whole.parts.empty()) return part == 0 ? &whole : nullptr;
  return part < whole.parts.size() ? whole.parts[part].shape.get() : nullptr;
}

/// Contacts of pair k, of what has the shape `a` with what has `b`; nullptr: with a wall.
const char* spoiled_parts(const PairTable& pairs, std::size_t k, const ContactTable& c, const Shape& a,
                          const Shape* b) {
  if (!c.keeps_parts) return nullptr;
  for (std::uint32_t r = pairs.first[k]; r < pairs.first[k] + pairs.count[k]; ++r) {
    const std::uint32_t code = c.part[r];
    const Shape* const of_a = part_of(a, code >> 16);
    const Shape* const of_b = b != nullptr ? part_of(*b, code & 0xffff) : nullptr;
    if (of_a == nullptr || (b != nullptr ? of_b == nullptr : (code & 0xffff) != 0))
      return "a contact names a part that its shape has not";
    if (b != nullptr && ((c.keeps_planes && !feature_fits(c.plane[r], *of_a, *of_b)) ||
                         (c.keeps_tracked && !feature_fits(c.tracked[r].feature, *of_a, *of_b))))
      return "a contact names a feature that its parts have not";
  }
  return nullptr;
}

/// What must fit the case before resume_set_up looks at it.
const char* spoiled_materials(const Simulation& s, const Case& c) {
  for (const std::uint32_t m : s.particles.material) {
    if (m >= c.materials.size()) return "a particle names a material that is not there";
  }
  for (const Wall& w : s.walls) {
    if (w.material >= c.materials.size() || w.id >= s.next_wall_id) return "a wall names a material that is not there";
  }
  return nullptr;
}

/// What can be known only when the shapes are there.
const char* spoiled_references(const Simulation& s) {
  const Particles& p = s.particles;
  for (const std::uint32_t shape : p.shape) {
    if (shape >= s.shapes.size()) return "a particle names a shape that is not there";
  }
  for (std::size_t k = 0; k < s.pairs.size(); ++k) {
    const Shape &a = *s.shapes[p.shape[s.pairs.a[k]]], &b = *s.shapes[p.shape[s.pairs.b[k]]];
    if ((s.pairs.keeps_planes && !feature_fits(s.pairs.feature[k], a, b)) ||
        (s.pairs.keeps_tracked && !feature_fits(s.pairs.tracked[k].feature, a, b)))
      return "a pair names a feature that its shapes have not";
    if (const char* why = spoiled_parts(s.pairs, k, s.contacts, a, &b)) return why;
  }
  for (std::size_t k = 0; k < s.wall_pairs.size(); ++k)
    if (const char* why =
            spoiled_parts(s.wall_pairs, k, s.wall_contacts, *s.shapes[p.shape[s.wall_pairs.a[k]]], nullptr))
      return why;
  return nullptr;
}

Result<hdf5::Reader> open_checkpoint(const fs::path& file) {
  Result<hdf5::Reader> r = hdf5::Reader::open(file);
  if (!r) return r;
  if (Status readable = is_checkpoint(*r, file.string()); !readable) return readable.error();
  return r;
}

/// State and walls, with what can be checked of them alone.
Status load_state(hdf5::Reader& r, Simulation& s, OutputPosition& at) {
  s.has_clusters = r.has("state/bonds/id_a");
  s.has_damping = r.has("state/damping");
  s.flows.has_any = r.has("state/lightest");
  s.particles.keeps_outer = r.has("state/particles/outer_force");
  const auto see_columns = [&r](const std::string& in, auto& table) {
    table.for_each_optional([&](auto name, bool& keeps) { keeps = r.has("state/" + in + "/" + std::string(name)); });
  };
  see_columns("pairs", s.pairs);  // those of walls are never tracked
  see_columns("contacts", s.contacts), see_columns("wall_contacts", s.wall_contacts);
  visit_state(s, Load{r});
  load_walls(r, s);
  load_position(r, at);
  if (r.failure()) return *r.failure();
  // What visit_state leaves out is made again, but has to have its rows.
  s.particles.resize(s.particles.id.size());
  const std::vector<std::uint32_t>& ids = s.particles.id;
  const char* why = spoiled_particles(s);
  if (!why) why = rows_from_ids(ids, s.pairs, s.contacts, [&ids](std::uint32_t id) { return row_of(ids, id); });
  if (!why)
    why = rows_from_ids(ids, s.wall_pairs, s.wall_contacts, [&s](std::uint32_t id) { return row_of(s.walls, id); });
  if (!why) why = spoiled_pairs(s.pairs, true);
  if (!why) why = spoiled_pairs(s.wall_pairs, false);
  if (!why) why = spoiled_bonds(s);
  if (why) r.fail(why);
  if (r.failure()) return *r.failure();
  return ok();
}

Status check_case(hdf5::Reader& r, const fs::path& file, const Case& c, std::uint64_t stage) {
  std::vector<std::string> names;
  std::vector<std::uint64_t> hashes;
  r.read_strings("case/part", names);
  r.read("case/hash", hashes);
  if (!r.failure() && names.size() != hashes.size()) r.fail("the case's parts differ in length");
  if (r.failure()) return *r.failure();
  if (stage > c.stages.size()) return Error{file.string() + " stands in a stage that the case has not (any more)"};
  std::vector<CasePart> then;
  for (std::size_t k = 0; k < names.size(); ++k) then.push_back({names[k], hashes[k]});
  const std::string list = differences(case_parts(c, stage), then);
  if (!list.empty()) {
    return Error{file.string() + " is of another case: these parts have changed: " + list +
                 "; undo the changes to go on, or start anew with --force or another --out"};
  }
  return ok();
}

/// Leaves the one just written and the one before it. What has a later step is of another run, or of this one before it
/// went back: it would be taken for the newest.
void keep_last(const fs::path& folder, const fs::path& written) {
  const std::vector<fs::path> all = list_checkpoints(folder);
  const auto at = std::find(all.begin(), all.end(), written);
  for (auto file = all.begin(); file != all.end(); ++file) {
    if (at == all.end() || (file >= at && file < at + kKept)) continue;
    std::error_code ignored;  // an old checkpoint that cannot be removed harms nobody
    fs::remove(*file, ignored);
  }
}

Result<std::vector<std::byte>> checkpoint_of(const Simulation& s, const OutputPosition& at, const Case& c) {
  hdf5::Writer w;
  w.attribute("/", "scree_checkpoint", kCheckpointVersion);
  w.attribute("/", "version", std::string_view(kBuildInfo.version));
  w.attribute("/", "state_hash", state_hash(s));
  w.attribute("/", "shapes_hash", shapes_hash(s.shapes));
  const RowOrder order = id_order(s);
  const std::vector<std::uint32_t> ids = by_id(s.particles.id, order);
  visit_state_in(order, s, Save{w, ids, s.walls});
  w.group("walls");
  save_walls(w, s);
  save_names(w, s, c);
  save_position(w, at);
  std::vector<std::string> names;
  std::vector<std::uint64_t> hashes;
  for (const CasePart& part : case_parts(c, s.stage)) names.push_back(part.name), hashes.push_back(part.hash);
  w.write_strings("case/part", names);
  w.write("case/hash", hashes);
  return w.finish();
}

Result<Resumed> resumed_from(hdf5::Reader& r, const fs::path& file, const Case& c, const ShapeSource& shapes) {
  Resumed run;
  run.file = file;
  Simulation& s = run.state;
  if (Status loaded = load_state(r, s, run.at); !loaded) return loaded.error();
  if (Status same = check_case(r, file, c, s.stage); !same) return same.error();
  if (const char* why = spoiled_materials(s, c)) return Error{file.string() + ": " + why};
  const auto kept = [&s] { return std::array{s.contacts.keeps_planes, s.contacts.keeps_gaps, s.pairs.keeps_gaps}; };
  const auto has = kept();
  std::vector<std::string> came;
  if (r.has("names/shapes_from_outside")) r.read_strings("names/shapes_from_outside", came);
  if (r.failure()) return *r.failure();
  if (Status set = resume_set_up(s, c, shapes, came); !set) return Error{file.string() + ": " + set.error().message};
  if (Status steered = steer_again(s, c); !steered) return Error{file.string() + ": " + steered.error().message};
  std::uint64_t hash = 0, shapes_then = 0;
  r.attribute("/", "state_hash", hash);
  r.attribute("/", "shapes_hash", shapes_then);
  if (r.failure()) return *r.failure();
  if (shapes_then != shapes_hash(s.shapes)) {
    return Error{file.string() +
                 " was made with other shapes: the particle library has changed since; restore it, or start anew"};
  }
  if (has != kept()) {
    return Error{file.string() +
                 " was written by a version that kept less of contacts of grains with faces; go on with that one, or "
                 "start anew"};
  }
  if (const char* why = spoiled_references(s)) return Error{file.string() + ": " + why};
  if (hash != state_hash(s)) return Error{file.string() + ": the state does not have the hash it was saved with"};
  return run;
}

}  // namespace

Result<fs::path> write_checkpoint(const fs::path& folder, const Simulation& s, const OutputPosition& at,
                                  const Case& c) {
  if (Status made = make_folder(folder); !made) return made.error();
  const fs::path file = folder / fmt::format("checkpoint_{:010}.h5", s.step);
  Result<std::vector<std::byte>> bytes = checkpoint_of(s, at, c);
  if (!bytes) return Error{"cannot write " + file.string() + ": " + bytes.error().message};
  if (Status written = write_file(file, *bytes); !written) return written.error();
  keep_last(folder, file);
  return file;
}

Result<Resumed> read_checkpoint(const fs::path& file, const Case& c, const ShapeSource& shapes) try {
  Result<hdf5::Reader> r = open_checkpoint(file);
  if (!r) return r.error();
  return resumed_from(*r, file, c, shapes);
} catch (const std::bad_alloc&) {
  return Error{"cannot read " + file.string() + ": out of memory"};
}

Result<std::vector<std::byte>> world_of(Resumed& run, const Case& c) {
  return checkpoint_of(without_rows(run.state), run.at, c);
}

Result<Resumed> read_world(std::vector<std::byte> world, const Case& c, const ShapeSource& shapes) {
  const std::string name = "the world of the first rank";
  Result<hdf5::Reader> r = hdf5::Reader::open(std::move(world), name);
  if (!r) return r.error();
  return resumed_from(*r, name, c, shapes);
}

Result<Resumed> resume_from(const fs::path& folder, const Case& c, const ShapeSource& shapes) {
  const std::vector<fs::path> files = list_checkpoints(folder);
  if (files.empty())
    return Error{"there is no checkpoint in " + folder.string() + " to go on from; leave --resume out to start anew"};
  std::vector<std::string> remarks;
  for (const fs::path& file : files) {
    Result<Resumed> run = read_checkpoint(file, c, shapes);
    if (run) {
      run->remarks = std::move(remarks);
      return run;
    }
    remarks.push_back(run.error().message);
  }
  std::string all = remarks[0];
  for (std::size_t k = 1; k < remarks.size(); ++k) all += "\n" + remarks[k];
  return Error{all};
}

Result<CheckpointInfo> checkpoint_info(const fs::path& file) try {
  Result<hdf5::Reader> r = open_checkpoint(file);
  if (!r) return r.error();
  Simulation s;
  OutputPosition at;
  if (Status loaded = load_state(*r, s, at); !loaded) return loaded.error();
  CheckpointInfo info{
      s.time, s.step, s.stage, s.particles.id.size(), s.walls.size(), s.contacts.size() + s.wall_contacts.size(), 0};
  r->attribute("/", "state_hash", info.hash);
  if (r->failure()) return *r->failure();
  return info;
} catch (const std::bad_alloc&) {
  return Error{"cannot read " + file.string() + ": out of memory"};
}

std::vector<fs::path> list_checkpoints(const fs::path& folder) {
  std::vector<std::pair<std::uint64_t, fs::path>> found;
  std::error_code e;
  for (fs::directory_iterator it(folder, e), end; !e && it != end; it.increment(e)) {
    const std::string name = it->path().filename().string();
    constexpr std::string_view head = "checkpoint_", tail = ".h5";
    if (!name.starts_with(head) || !name.ends_with(tail)) continue;
    const std::string digits = name.substr(head.size(), name.size() - head.size() - tail.size());
    if (digits.empty() || digits.size() > 18 || digits.find_first_not_of("0123456789") != std::string::npos) continue;
    found.emplace_back(std::stoull(digits), it->path());
  }
  std::sort(found.rbegin(), found.rend());
  std::vector<fs::path> files;
  for (auto& [step, path] : found) files.push_back(std::move(path));
  return files;
}

}  // namespace scree::io
