#include "sim/measure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <span>

#include "base/exact_sum.h"

namespace scree {

double solid_volume(const Simulation& s, std::size_t i) {
  const double v = s.particles.mass[i] / s.materials[s.particles.material[i]].density;
  return s.dimensions == 2 ? v / s.thickness : v;
}

namespace {

using Kind = Case::Measure::Kind;
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr int kSamples = 24;  // along each side of a polyhedron's bounding cube
// Mean grains across a ring and a sector: with one, a tenth of the sectors held no grain and the slope came out a tenth
// too low.
constexpr double kRing = 2;
constexpr std::array<double, 3> kShares{0.1, 0.5, 0.9};  // of the mass: d10, d50, d90
constexpr double kShareRounding = 1e-12;
constexpr double kFoot = 0.2, kTop = 0.8;  // of a heap's height: where its slope is taken

using Tensor = std::array<ExactSum, 6>;  // xx yy zz xy xz yz

void add_outer(Tensor& t, Vec3 a, Vec3 b, double factor) {
  t[0] += factor * a.x * b.x, t[1] += factor * a.y * b.y, t[2] += factor * a.z * b.z;
  t[3] += factor * 0.5 * (a.x * b.y + a.y * b.x), t[4] += factor * 0.5 * (a.x * b.z + a.z * b.x);
  t[5] += factor * 0.5 * (a.y * b.z + a.z * b.y);
}

bool is_in(const Case::Measure& m, Vec3 x) { return !m.inside || m.inside->contains(x); }

bool holds(const Shape& shape, Vec3 x) {
  if (shape.kind == ShapeKind::polygon) {
    const std::size_t n = shape.outline.vertices.size();
    for (std::size_t k = 0; k < n; ++k) {
      const Vec2 a = shape.outline.vertices[k], b = shape.outline.vertices[(k + 1) % n];
      if ((b.x - a.x) * (x.y - a.y) - (b.y - a.y) * (x.x - a.x) < 0) return false;
    }
    return true;
  }
  if (shape.kind == ShapeKind::clump)
    return std::any_of(shape.parts.begin(), shape.parts.end(),
                       [x](const Shape::Part& part) { return holds(*part.shape, (x - part.centre) / part.size); });
  if (shape.kind == ShapeKind::sphere) return norm2(x) <= 0.25;
  for (std::size_t f = 0; f < shape.body.face_normals.size(); ++f)
    if (dot(shape.body.face_normals[f], x) > shape.body.face_offsets[f]) return false;
  return true;
}

/// Of a polyhedron, polygon or clump that the region's surface may cut: the share of a lattice of points in it.
double sampled_share(const Simulation& s, std::size_t i, Vec3 centre, const Region& region) {
  const Particles& p = s.particles;
  const Shape& shape = *s.shapes[p.shape[i]];
  const Mat3 turn = rotation_matrix(p.orientation[i]);
  const double reach = shape.outer_radius(), step = 2 * reach / kSamples;
  const int layers = s.dimensions == 2 ? 1 : kSamples;
  std::size_t in = 0, all = 0;
  for (int a = 0; a < kSamples; ++a)
    for (int b = 0; b < kSamples; ++b)
      for (int c = 0; c < layers; ++c) {
        const Vec3 x{-reach + (a + 0.5) * step, -reach + (b + 0.5) * step, layers == 1 ? 0 : -reach + (c + 0.5) * step};
        if (!holds(shape, x)) continue;
        ++all, in += region.contains(centre + turn * (p.size[i] * x)) ? 1 : 0;
      }
  return all == 0 ? (region.contains(centre) ? 1 : 0) : static_cast<double>(in) / static_cast<double>(all);
}

/// Of grain i, its centroid at x.
double volume_inside(const Simulation& s, std::size_t i, Vec3 x, const Region& region) {
  const Particles& p = s.particles;
  const double r = p.radius[i];
  const auto [low, high] = region.bounds();
  const bool flat = s.dimensions == 2;
  if (x.x + r <= low.x || x.x - r >= high.x || x.y + r <= low.y || x.y - r >= high.y ||
      (!flat && (x.z + r <= low.z || x.z - r >= high.z)))
    return 0;
  const ShapeKind kind = s.shapes[p.shape[i]]->kind;
  if (kind == ShapeKind::sphere) return region.sphere_inside(x, r);
  if (kind == ShapeKind::disc) return region.disc_inside(x, r);
  const Region inset = region.inset(r, flat);
  const double whole = solid_volume(s, i);
  return !inset.is_empty() && inset.contains(x) ? whole : whole * sampled_share(s, i, x, region);
}

std::vector<double> solid_fraction(const Simulation& s, const Case::Measure& m) {
  ExactSum solid;
  for (std::size_t i = 0; i < s.particles.own_rows(); ++i) {
    const Vec3 x = s.particles.place(i);
    each_image(s.particles.domain, [&](Vec3 shift) { solid += volume_inside(s, i, x + shift, *m.inside); });
  }
  const double phi = solid.value() / m.inside->volume(s.dimensions == 2);
  return {phi, phi > 0 ? (1 - phi) / phi : kNothing};
}

/// Love-Weber: each contact's force on its second body times the way from the first body's centroid over the contact
/// point to the second's, as far as that way lies inside.
std::vector<double> stress(const Simulation& s, const Case::Measure& m) {
  const Particles& p = s.particles;
  Tensor t;
  const auto leg = [&](Vec3 force, Vec3 from, Vec3 to) {
    each_image(p.domain, [&](Vec3 shift) {
      const auto [a, b] = m.inside->inside_of(from + shift, to + shift);
      if (b > a) add_outer(t, force, to - from, b - a);
    });
  };
  for (std::size_t r = 0; r < s.contacts.size(); ++r) {
    const std::uint32_t i = s.pairs.a[s.contacts.pair[r]], j = s.pairs.b[s.contacts.pair[r]];
    const Vec3 x = p.place(i), point = x + s.contacts.point[r];
    leg(s.contacts.force[r], x, point), leg(s.contacts.force[r], point, x + p.from_to(i, j));
  }
  for (std::size_t r = 0; r < s.wall_contacts.size(); ++r) {
    const Vec3 x = p.place(s.wall_pairs.a[s.wall_contacts.pair[r]]);
    leg(s.wall_contacts.force[r], x, x + s.wall_contacts.point[r]);
  }
  for (std::size_t b = 0; b < s.bonds.size(); ++b) {
    const Vec3 x = p.place(s.bonds.row_a[b]);
    if (s.bonds.alive[b]) leg(s.bonds.force[b], x, x + p.from_to(s.bonds.row_a[b], s.bonds.row_b[b]));
  }
  const bool flat = s.dimensions == 2;
  const double volume = m.inside->volume(flat) * (flat ? s.thickness : 1);
  std::vector<double> v;
  for (const ExactSum& c : t) v.push_back(c.value() / volume);
  v.push_back((v[0] + v[1] + (flat ? 0 : v[2])) / s.dimensions);
  if (flat) return {v[0], v[1], v[3], v[6]};
  return v;
}

std::vector<double> coordination(const Simulation& s, const Case::Measure& m) {
  const Particles& p = s.particles;
  const std::size_t n = p.size_rows();
  std::vector<std::vector<std::uint32_t>> partners(n);
  std::vector<std::uint32_t> held(n, 0);  // contacts with grains and walls that hold the grain
  for (std::size_t k = 0; k < s.pairs.size(); ++k) {
    if (s.pairs.count[k] == 0) continue;
    const std::uint32_t i = s.pairs.a[k], j = s.pairs.b[k];
    partners[i].push_back(j), partners[j].push_back(i), ++held[i], ++held[j];
  }
  for (std::size_t k = 0; k < s.wall_pairs.size(); ++k)
    if (s.wall_pairs.count[k] > 0) ++held[s.wall_pairs.a[k]];
  const auto mean = [&](const std::vector<char>& counts) {
    std::uint64_t contacts = 0, grains = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (!counts[i] || !is_in(m, p.place(i))) continue;
      ++grains;
      for (const std::uint32_t j : partners[i]) contacts += counts[j] ? 1 : 0;
    }
    return grains == 0 ? kNothing : static_cast<double>(contacts) / static_cast<double>(grains);
  };
  std::vector<char> counts(n, 1);
  const double all = mean(counts);
  // A grain that too few hold is a rattler; without it its neighbours may be too.
  const std::uint32_t least = static_cast<std::uint32_t>(s.dimensions) + 1;
  std::vector<std::uint32_t> loose;
  for (std::uint32_t i = 0; i < n; ++i)
    if (held[i] < least) loose.push_back(i), counts[i] = 0;
  while (!loose.empty()) {
    const std::uint32_t i = loose.back();
    loose.pop_back();
    for (const std::uint32_t j : partners[i])
      if (--held[j] < least && counts[j]) counts[j] = 0, loose.push_back(j);
  }
  double rattlers = 0, grains = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (is_in(m, p.place(i))) ++grains, rattlers += counts[i] ? 0 : 1;
  return {all, mean(counts), grains > 0 ? rattlers / grains : kNothing};
}

std::vector<double> fabric(const Simulation& s, const Case::Measure& m) {
  Tensor t;
  double n = 0;
  for (std::size_t r = 0; r < s.contacts.size(); ++r) {
    const std::uint32_t i = s.pairs.a[s.contacts.pair[r]];
    if (!is_in(m, wrapped(s.particles.domain, s.particles.position[i] + s.contacts.point[r]))) continue;
    add_outer(t, s.contacts.normal[r], s.contacts.normal[r], 1), ++n;
  }
  std::vector<double> v;
  for (const ExactSum& c : t) v.push_back(n > 0 ? c.value() / n : kNothing);
  if (s.dimensions == 2) return {v[0], v[1], v[3]};
  return v;
}

/// What has crossed so far, and the mass that crosses per time just now: grains taken as spheres of their volume,
/// density times normal velocity over the disc in which the plane cuts each.
std::vector<double> flow(const Simulation& s, const Case::Measure& m) {
  const Flows& w = s.flows;
  ExactSum sum;
  for (std::size_t i = 0; i < s.particles.own_rows(); ++i) {
    const double d = dot(m.normal, nearest_image(s.particles.domain, s.particles.place(i) - m.point)),
                 r = equivalent_radius(s, i);
    if (std::abs(d) >= r) continue;
    const double half = std::sqrt(r * r - d * d),
                 section = s.dimensions == 2 ? 2 * half * s.thickness : M_PI * half * half;
    sum += s.materials[s.particles.material[i]].density * section * dot(m.normal, s.particles.velocity[i]);
  }
  const double rate = sum.value();
  for (std::size_t k = 0; k < w.planes.size(); ++k)
    if (w.planes[k].name == m.name) return {static_cast<double>(w.crossed[k]), w.crossed_mass[k], rate};
  return {kNothing, kNothing, rate};
}

/// Lacey's index, from 0 (apart) to 1 (as a random mixture), the cells weighted by their grains.
std::vector<double> mixing(const Simulation& s, const Case::Measure& m) {
  const Region& region = *m.inside;
  std::map<std::array<std::uint32_t, 3>, std::array<double, 2>> cells;  // grains, and those of the material
  double n = 0, marked = 0;
  for (std::size_t i = 0; i < s.particles.own_rows(); ++i) {
    const Vec3 x = s.particles.place(i);
    if (!region.contains(x)) continue;
    std::array<std::uint32_t, 3> at{};
    for (std::size_t k = 0; k < 3; ++k) {
      const double side = region.max[k] - region.min[k];
      const double share = side > 0 ? (x[k] - region.min[k]) / side * m.cells[k] : 0;
      at[k] = std::min(static_cast<std::uint32_t>(share), m.cells[k] - 1);
    }
    const double is_marked = s.particles.material[i] == static_cast<std::uint32_t>(m.material) ? 1 : 0;
    auto& cell = cells[at];
    ++cell[0], cell[1] += is_marked, ++n, marked += is_marked;
  }
  const double p = marked / n;
  if (!(n > 0) || !(p > 0) || !(p < 1)) return {kNothing};
  double variance = 0;
  for (const auto& [at, cell] : cells) variance += cell[0] / n * (cell[1] / cell[0] - p) * (cell[1] / cell[0] - p);
  const double apart = p * (1 - p), mixed = apart * static_cast<double>(cells.size()) / n;
  return {apart > mixed ? (apart - variance) / (apart - mixed) : kNothing};
}

struct Ring {
  double distance = 0, height = 0;
};

/// Slope of the straight line through the rings (least squares).
double slope_of(const std::vector<Ring>& rings) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(rings.size());
  for (const Ring& r : rings) x += r.distance / n, y += r.height / n;
  for (const Ring& r : rings) xx += (r.distance - x) * (r.distance - x), xy += (r.distance - x) * (r.height - y);
  return xy / xx;
}

/// Rings about the axis, as wide as two mean grains, divided into sectors of that width: the height of a ring is the
/// mean, over its sectors, of the highest top in each. The angle is that of the line through the rings between 20 % and
/// 80 % of the heap's height.
std::vector<double> repose(const Simulation& s, const Case::Measure& m) {
  const Particles& p = s.particles;
  const bool flat = s.dimensions == 2;
  const Vec3 up = norm2(s.gravity) > 0 ? -1.0 * normalized(s.gravity) : (flat ? Vec3{0, 1, 0} : Vec3{0, 0, 1});
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < p.own_rows(); ++i)
    if (is_in(m, p.place(i))) rows.push_back(i);
  if (rows.empty()) return {kNothing, kNothing};
  ExactVec places;
  ExactSum radii;
  double floor = std::numeric_limits<double>::infinity();
  for (const std::uint32_t i : rows) {
    const double r = equivalent_radius(s, i);
    places += p.place(i), radii += r;
    floor = std::min(floor, dot(up, p.place(i)) - r);
  }
  const auto grains = static_cast<double>(rows.size());
  const double width = kRing * 2 * radii.value() / grains;
  const Vec3 centre = m.centre ? *m.centre : places.value() / grains;
  const Vec3 u = flat ? Vec3{up.y, -up.x, 0} : any_perpendicular(up), v = cross(up, u);
  std::map<std::pair<std::uint64_t, std::uint64_t>, double> top;  // of (ring, sector)
  double summit = floor;
  const auto sectors = [&](std::uint64_t ring) {
    return flat ? 2
                : std::max<std::uint64_t>(1, static_cast<std::uint64_t>(2 * M_PI * (static_cast<double>(ring) + 0.5)));
  };
  for (const std::uint32_t i : rows) {
    const Vec3 x = p.place(i), d = x - centre;
    const double a = dot(d, u), b = dot(d, v), rho = flat ? std::abs(a) : std::hypot(a, b);
    const auto ring = static_cast<std::uint64_t>(std::min(rho / width, 1e9));
    const double turn = flat ? (a > 0 ? 0.75 : 0.25) : std::atan2(b, a) / (2 * M_PI) + 0.5;
    const std::uint64_t n = sectors(ring),
                        sector = std::min(static_cast<std::uint64_t>(turn * static_cast<double>(n)), n - 1);
    const double height = dot(up, x) + equivalent_radius(s, i);
    auto [at, fresh] = top.try_emplace({ring, sector}, height);
    if (!fresh) at->second = std::max(at->second, height);
    summit = std::max(summit, height);
  }
  std::map<std::uint64_t, double> sum;  // of heights above the floor; a sector without grains is at the floor
  for (const auto& [key, height] : top) sum[key.first] += height - floor;
  std::vector<Ring> all;
  for (const auto& [ring, heights] : sum)
    all.push_back({(static_cast<double>(ring) + 0.5) * width, heights / static_cast<double>(sectors(ring))});
  double highest = 0;
  for (const Ring& r : all) highest = std::max(highest, r.height);
  std::vector<Ring> slope;
  bool outside = false;  // beyond the foot of the heap lie single grains
  for (const Ring& r : all) {
    outside |= r.height < kFoot * highest;
    if (!outside && r.height <= kTop * highest) slope.push_back(r);
  }
  const double angle = slope.size() < 3 ? kNothing : std::atan(-slope_of(slope)) * 180 / M_PI;
  return {angle, summit - floor};
}

struct Sized {
  double size = 0, mass = 0;  ///< m, kg
};

/// Grains whose centroid is inside, by the size that they were given.
std::vector<Sized> sized_grains(const Simulation& s, const Case::Measure& m) {
  std::vector<Sized> all;
  for (std::size_t i = 0; i < s.particles.own_rows(); ++i)
    if (is_in(m, s.particles.place(i))) all.push_back({s.particles.size[i], s.particles.mass[i]});
  return all;
}

/// Of the grains in `rows`, about the first of them: their centre of mass, and the sphere of their volume, in two
/// dimensions the circle of their area.
std::pair<Vec3, Sized> fragment_of(const Simulation& s, std::span<const std::uint32_t> rows) {
  const Particles& p = s.particles;
  const Vec3 first = p.place(rows[0]);
  ExactVec moment;
  ExactSum mass, volume;
  for (const std::uint32_t i : rows) {
    moment += p.mass[i] * nearest_image(p.domain, p.place(i) - first);
    mass += p.mass[i], volume += solid_volume(s, i);
  }
  const double v = volume.value(), all = mass.value();
  return {wrapped(p.domain, first + moment.value() / all),
          {s.dimensions == 2 ? std::sqrt(4 * v / M_PI) : std::cbrt(6 * v / M_PI), all}};
}

/// Fragments whose centre of mass is inside.
std::vector<Sized> sized_fragments(const Simulation& s, const Case::Measure& m) {
  const std::vector<std::uint32_t>&id = s.particles.id, name = fragments_of(s);
  std::vector<std::uint32_t> rows(s.particles.own_rows());
  std::iota(rows.begin(), rows.end(), 0u);
  std::ranges::sort(rows, {}, [&](std::uint32_t i) { return std::pair(name[i], id[i] != name[i]); });
  std::vector<Sized> all;
  for (auto begin = rows.begin(); begin != rows.end();) {
    const auto end = std::find_if(begin, rows.end(), [&](std::uint32_t i) { return name[i] != name[*begin]; });
    const auto [centre, sized] = fragment_of(s, {begin, end});
    if (is_in(m, centre)) all.push_back(sized);
    begin = end;
  }
  return all;
}

/// The sizes that 10, 50 and 90 % of the mass do not exceed: each is one that is there.
std::vector<double> size_distribution(const Simulation& s, const Case::Measure& m) {
  std::vector<Sized> all = m.of_fragments ? sized_fragments(s, m) : sized_grains(s, m);
  if (all.empty()) return {kNothing, kNothing, kNothing};
  std::ranges::sort(all, {}, &Sized::size);
  ExactSum sum, below;
  for (const Sized& one : all) sum += one.mass;
  const double whole = sum.value();
  std::vector<double> d;
  for (std::size_t k = 0; k < all.size() && d.size() < kShares.size(); ++k) {
    below += all[k].mass;
    if (k + 1 < all.size() && all[k + 1].size == all[k].size) continue;
    // A share that is reached to rounding is reached.
    const double reached = below.value() + kShareRounding * whole;
    while (d.size() < kShares.size() && reached >= kShares[d.size()] * whole) d.push_back(all[k].size);
  }
  return d;
}

std::vector<double> tracked(const Simulation& s, const Case::Measure& m) {
  const Particles& p = s.particles;
  std::vector<double> v;
  for (const std::uint32_t id : m.ids) {
    const auto at = std::find(p.id.begin(), p.id.end(), id);
    for (const bool speed : {false, true}) {
      const auto i = static_cast<std::size_t>(at - p.id.begin());
      const Vec3 x = at == p.id.end() ? Vec3{kNothing, kNothing, kNothing} : (speed ? p.velocity[i] : p.place(i));
      v.insert(v.end(), {x.x, x.y, x.z});
    }
  }
  return v;
}

}  // namespace

std::vector<std::string> columns_of(const Case::Measure& m, int dimensions) {
  std::vector<std::string> c;
  const std::vector<const char*> parts =
      dimensions == 2 ? std::vector{"xx", "yy", "xy"} : std::vector{"xx", "yy", "zz", "xy", "xz", "yz"};
  const auto add = [&](const std::string& what) { c.push_back(m.name + " " + what); };
  switch (m.kind) {
    case Kind::solid_fraction:
      add("solid_fraction [1]"), add("void_ratio [1]");
      break;
    case Kind::stress:
      for (const char* part : parts) add(std::string("stress_") + part + " [Pa]");
      add("pressure [Pa]");
      break;
    case Kind::coordination:
      add("coordination [1]"), add("coordination_without_rattlers [1]"), add("rattlers [1]");
      break;
    case Kind::fabric:
      for (const char* part : parts) add(std::string("fabric_") + part + " [1]");
      break;
    case Kind::flow:
      add("grains [1]"), add("mass [kg]"), add("mass_flow [kg/s]");
      break;
    case Kind::mixing:
      add("mixing_index [1]");
      break;
    case Kind::repose:
      add("angle [degree]"), add("height [m]");
      break;
    case Kind::track:
      for (const std::uint32_t id : m.ids)
        for (const char* what : {"x [m]", "y [m]", "z [m]", "vx [m/s]", "vy [m/s]", "vz [m/s]"})
          add(std::to_string(id) + " " + what);
      break;
    case Kind::size_distribution:
      add("d10 [m]"), add("d50 [m]"), add("d90 [m]");
      break;
  }
  return c;
}

std::vector<double> measure(const Simulation& s, const Case::Measure& m) {
  switch (m.kind) {
    case Kind::solid_fraction:
      return solid_fraction(s, m);
    case Kind::stress:
      return stress(s, m);
    case Kind::coordination:
      return coordination(s, m);
    case Kind::fabric:
      return fabric(s, m);
    case Kind::flow:
      return flow(s, m);
    case Kind::mixing:
      return mixing(s, m);
    case Kind::repose:
      return repose(s, m);
    case Kind::track:
      return tracked(s, m);
    case Kind::size_distribution:
      return size_distribution(s, m);
  }
  return {};
}

}  // namespace scree
