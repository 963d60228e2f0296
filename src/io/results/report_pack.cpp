#include "io/results/report_pack.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>

#include "exec/parallel.h"
#include "io/results/report_encode.h"

namespace scree::io {

namespace {

/// Smallest three: the component of largest magnitude is made positive and left out (its row in the top two bits of the
/// first word); the others lie in [-1/sqrt 2, 1/sqrt 2] and take 12 bits each, an error of at most 0.07 degree.
constexpr int kOrientationBits = 12;

std::array<std::uint16_t, 3> smallest_three(Quat q) {
  const double c[4] = {q.w, q.x, q.y, q.z};
  std::size_t largest = 0;
  for (std::size_t i = 1; i < 4; ++i) {
    if (std::abs(c[i]) > std::abs(c[largest])) largest = i;
  }
  const double sign = c[largest] < 0 ? -1 : 1, scale = (1 << kOrientationBits) - 1;
  std::array<std::uint16_t, 3> word{};
  for (std::size_t i = 0, k = 0; i < 4; ++i) {
    if (i == largest) continue;
    const double unit = std::clamp((sign * c[i] * M_SQRT2 + 1) / 2, 0.0, 1.0);
    word[k++] = static_cast<std::uint16_t>(std::lround(unit * scale));
  }
  word[0] = static_cast<std::uint16_t>(word[0] | largest << 14);
  return word;
}

/// Octahedral map of a direction to two bytes (Meyer et al. 2010).
std::array<std::uint32_t, 2> octahedral(Vec3 d) {
  const double sum = std::abs(d.x) + std::abs(d.y) + std::abs(d.z);
  if (!(sum > 0)) return {127, 127};
  double u = d.x / sum, v = d.y / sum;
  if (d.z < 0) {
    const double fu = (1 - std::abs(v)) * (u < 0 ? -1 : 1), fv = (1 - std::abs(u)) * (v < 0 ? -1 : 1);
    u = fu, v = fv;
  }
  const auto byte = [](double x) {
    return static_cast<std::uint32_t>(std::lround((std::clamp(x, -1.0, 1.0) + 1) * 127));
  };
  return {byte(u), byte(v)};
}

/// value in [0, top] to [0, steps], finer near zero.
std::uint32_t root_scaled(double value, double top, double steps) {
  if (!(top > 0) || !(value > 0)) return 0;
  return static_cast<std::uint32_t>(std::lround(std::sqrt(std::min(value / top, 1.0)) * steps));
}

std::uint32_t zigzag(std::int32_t d) { return (static_cast<std::uint32_t>(d) << 1) ^ (d < 0 ? 0xffffffffU : 0U); }

/// now - before modulo 2^bits, as the zigzag of the nearest representative.
std::uint32_t delta(std::uint32_t now, std::uint32_t before, int bits) {
  const int shift = 32 - bits;
  const auto d = static_cast<std::int32_t>((now - before) << shift) >> shift;
  return zigzag(d) & (0xffffffffU >> shift);
}

std::vector<std::uint32_t> deltas(const std::vector<std::uint32_t>& now, const std::vector<std::uint32_t>* before,
                                  int bits) {
  if (!before) return now;
  std::vector<std::uint32_t> d(now.size());
  for (std::size_t i = 0; i < now.size(); ++i) d[i] = delta(now[i], (*before)[i], bits);
  return d;
}

nlohmann::json to_json(Vec3 v) { return {v.x, v.y, v.z}; }

bool consistent(const Frame& f) {
  const std::size_t n = f.id.size(), c = f.contact_ids.size();
  return f.shape.size() == n && f.material.size() == n && f.size.size() == n && f.position.size() == n &&
         f.velocity.size() == n && f.orientation.size() == n && f.contact_point.size() == c &&
         f.contact_force.size() == c;
}

double radius_at_size_one(const Frame::ShapeRow& s) {
  double r2 = s.radius * s.radius;
  for (const Vec3& v : s.vertices) r2 = std::max(r2, norm2(v));
  double r = std::sqrt(r2);
  for (const Frame::ShapeRow& part : s.parts) r = std::max(r, norm(part.centre) + radius_at_size_one(part));
  return r;
}

nlohmann::json to_json(const Frame::ShapeRow& s) {
  nlohmann::json vertices = nlohmann::json::array();
  for (const Vec3& x : s.vertices) vertices.push_back(to_json(x));
  nlohmann::json row = {{"name", s.name}, {"vertices", std::move(vertices)}, {"faces", s.faces}, {"radius", s.radius}};
  if (s.parts.empty()) return row;
  row["parts"] = nlohmann::json::array();
  for (const Frame::ShapeRow& part : s.parts) {
    row["parts"].push_back(to_json(part));
    row["parts"].back()["centre"] = to_json(part.centre);
  }
  return row;
}

/// The value that this share of all values stays at or below; 0 of none.
template <class T>
double top_of(std::vector<T>& values, double share) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return static_cast<double>(*at);
}

}  // namespace

std::size_t ReportBudget::frames_kept(std::size_t available, std::size_t particles) const {
  const std::size_t affordable = particle_frames / std::max<std::size_t>(particles, 1);
  return std::min(available, std::clamp<std::size_t>(affordable, 2, frames));
}

std::size_t ReportBudget::contacts_kept(std::size_t frames_kept) const {
  return std::clamp<std::size_t>(contacts / std::max<std::size_t>(frames_kept, 1), 300, contacts_per_frame);
}

std::size_t ReportBudget::bonds_kept(std::size_t frames_kept) const {
  return bonds / std::max<std::size_t>(frames_kept, 1);
}

std::vector<std::size_t> thin(std::size_t n, std::size_t k) {
  k = std::min(k, n);
  std::vector<std::size_t> rows(k);
  for (std::size_t i = 0; i < k; ++i) rows[i] = k == 1 ? n - 1 : (i * (n - 1) + (k - 1) / 2) / (k - 1);
  return rows;
}

std::size_t ReportPack::Blocks::bytes() const {
  std::size_t n = header.size() + particles.size();
  for (const std::string& f : frames) n += f.size();
  return n;
}

std::uint32_t ReportPack::particle_row(const Frame& f, std::size_t i) {
  const auto [at, is_new] = row_of_.try_emplace(f.id[i], static_cast<std::uint32_t>(particles_.size()));
  if (is_new) {
    particles_.push_back({f.id[i], f.shape[i], f.material[i], static_cast<float>(f.size[i])});
    const double r = radius_at_size_one(shapes_[f.shape[i]]) * f.size[i];
    if (r > 0 && std::isfinite(r)) {
      largest_radius_ = std::max(largest_radius_, r);
      smallest_radius_ = smallest_radius_ > 0 ? std::min(smallest_radius_, r) : r;
    }
  }
  return at->second;
}

std::size_t ReportPack::wall_row(std::uint32_t id, const std::string& name) {
  for (std::size_t i = 0; i < walls_.size(); ++i) {
    if (walls_[i].id == id) return i;
  }
  walls_.push_back({id, name, {}, {}});
  return walls_.size() - 1;
}

void ReportPack::add_particles(const Frame& f, Packed& p) {
  std::vector<std::pair<std::uint32_t, std::size_t>> order;  // row of the table, row of the frame
  order.reserve(f.id.size());
  for (std::size_t i = 0; i < f.id.size(); ++i) {
    const bool drawable = is_finite(f.position[i]) && norm(f.position[i]) < 1e30 && f.shape[i] < shapes_.size() &&
                          norm2(f.orientation[i]) > 0 && std::isfinite(norm2(f.orientation[i]));
    if (!drawable) ++not_finite_;
    if (drawable) order.emplace_back(particle_row(f, i), i);
  }
  if (!std::is_sorted(order.begin(), order.end())) std::sort(order.begin(), order.end());
  order.erase(std::unique(order.begin(), order.end(), [](auto& a, auto& b) { return a.first == b.first; }),
              order.end());
  const std::size_t n = order.size();
  p.row.resize(n), p.position.resize(n), p.speed.resize(n);
  for (auto& word : p.orientation) word.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    const auto [row, i] = order[k];
    p.row[k] = row;
    p.position[k] = {static_cast<float>(f.position[i].x), static_cast<float>(f.position[i].y),
                     static_cast<float>(f.position[i].z)};
    const double speed = norm(f.velocity[i]);
    p.speed[k] = std::isfinite(speed) ? static_cast<float>(speed) : 0.0F;
    const auto word = smallest_three(normalized(f.orientation[i]));
    for (std::size_t w = 0; w < 3; ++w) p.orientation[w][k] = word[w];
  }
}

void ReportPack::add_contacts(const Frame& f, Packed& p) {
  struct Sum {
    std::uint32_t a;
    std::int64_t b;
    Vec3 point, force;
    double weight;
  };
  std::unordered_map<std::int64_t, std::int64_t> wall_of;  // wall id -> -1 - row of the wall table
  for (const auto& w : f.walls) wall_of[w.id] = -1 - static_cast<std::int64_t>(wall_row(w.id, w.name));
  std::vector<Sum> all;
  all.reserve(f.contact_ids.size());
  for (std::size_t i = 0; i < f.contact_ids.size(); ++i) {
    auto [a, b] = f.contact_ids[i];
    Vec3 force = f.contact_force[i];
    if (a < 0 && b >= 0) std::swap(a, b), force = -force;
    if (a < 0 || a > std::numeric_limits<std::uint32_t>::max() || !is_finite(force) || !is_finite(f.contact_point[i]))
      continue;
    const auto row_a = row_of_.find(static_cast<std::uint32_t>(a));
    if (row_a == row_of_.end()) continue;
    std::int64_t code = 0;
    if (b < 0) {
      const auto wall = wall_of.find(-1 - b);
      if (wall == wall_of.end()) continue;
      code = wall->second;
    } else {
      const auto row_b = row_of_.find(static_cast<std::uint32_t>(b));
      if (b > std::numeric_limits<std::uint32_t>::max() || row_b == row_of_.end()) continue;
      code = row_b->second;
    }
    const double weight = std::max(norm(force), 1e-300);
    all.push_back({row_a->second, code, weight * f.contact_point[i], force, weight});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Sum& l, const Sum& r) { return l.a != r.a ? l.a < r.a : l.b < r.b; });
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (pairs > 0 && all[pairs - 1].a == all[i].a && all[pairs - 1].b == all[i].b) {
      Sum& s = all[pairs - 1];
      s.point += all[i].point, s.force += all[i].force, s.weight += all[i].weight;
    } else {
      all[pairs++] = all[i];
    }
  }
  all.resize(pairs);
  p.contacts_total = pairs;
  if (pairs > contacts_cap_) {
    contacts_left_out_ = std::max(contacts_left_out_, pairs - contacts_cap_);
    std::vector<double> strength(pairs);
    std::transform(all.begin(), all.end(), strength.begin(), [](const Sum& s) { return norm2(s.force); });
    std::nth_element(strength.begin(), strength.begin() + static_cast<std::ptrdiff_t>(contacts_cap_), strength.end(),
                     std::greater<>());
    const double limit = strength[contacts_cap_];
    std::erase_if(all, [&](const Sum& s) { return norm2(s.force) <= limit; });
  }
  p.contacts.reserve(all.size());
  const auto small = [](Vec3 v) {
    return Position{static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
  };
  for (const Sum& s : all) p.contacts.push_back({s.a, s.b, small(s.point / s.weight), small(s.force)});
}

void ReportPack::add_walls(const Frame& f, Packed& p) {
  for (const auto& w : f.walls) {
    const std::size_t row = wall_row(w.id, w.name);
    p.walls.push_back({row, w.point, w.normal, w.force, w.outline, w.orientation});
    if (walls_[row].triangles.empty()) walls_[row].vertices = w.vertices, walls_[row].triangles = w.triangles;
  }
}

void ReportPack::add_bonds(const Frame& f, Packed& p) {
  if (f.fragment.size() != f.id.size() || f.bond_damage.size() != f.bond_rows.size()) return;
  has_fragments_ = true;
  std::unordered_map<std::uint32_t, std::uint32_t> name_of;  // row of the table -> of the one that names its fragment
  for (std::size_t i = 0; i < f.id.size(); ++i) {
    const auto row = row_of_.find(f.id[i]), name = row_of_.find(f.fragment[i]);
    if (row != row_of_.end()) name_of[row->second] = name == row_of_.end() ? row->second : name->second;
  }
  for (const std::uint32_t row : p.row) p.fragment.push_back(name_of.at(row));
  if (f.bond_rows.size() > bonds_cap_) {
    bonds_left_out_ = std::max(bonds_left_out_, f.bond_rows.size());
    return;
  }
  for (std::size_t k = 0; k < f.bond_rows.size(); ++k) {
    const auto [i, j] = f.bond_rows[k];
    if (i >= f.id.size() || j >= f.id.size()) continue;
    const auto a = row_of_.find(f.id[i]), b = row_of_.find(f.id[j]);
    if (a == row_of_.end() || b == row_of_.end()) continue;
    const double damage = std::clamp(f.bond_damage[k], 0.0, 1.0);
    p.bonds.push_back({std::min(a->second, b->second), std::max(a->second, b->second),
                       static_cast<std::uint8_t>(std::lround(255 * (damage > 0 ? damage : 0)))});
  }
  std::sort(p.bonds.begin(), p.bonds.end());
}

void ReportPack::add(const Frame& f) {
  if (!consistent(f)) return;
  dimensions_ = f.dimensions, domain_ = f.domain;
  if (f.shapes.size() > shapes_.size()) shapes_ = f.shapes;
  Packed p;
  p.time = f.time, p.step = f.step;
  add_particles(f, p);
  add_walls(f, p);
  add_contacts(f, p);
  add_bonds(f, p);
  frames_.push_back(std::move(p));
}

void ReportPack::keep(const std::vector<std::size_t>& rows) {
  std::vector<Packed> kept;
  for (const std::size_t r : rows) kept.push_back(std::move(frames_[r]));
  frames_ = std::move(kept);
}

void ReportPack::told() {
  frames_.clear();
  told_ = {particles_.size(), shapes_.size(), walls_.size()};
}

std::size_t ReportPack::poses() const {
  return std::accumulate(frames_.begin(), frames_.end(), std::size_t{0},
                         [](std::size_t n, const Packed& p) { return n + p.row.size(); });
}

ReportPack::Scales ReportPack::scales() const {
  Scales s;
  Vec3 high;
  bool first = true;
  std::vector<double> forces;
  std::vector<float> speeds;
  for (const Packed& p : frames_) {
    for (std::size_t i = 0; i < p.position.size(); ++i) {
      const Vec3 x{p.position[i].x, p.position[i].y, p.position[i].z};
      if (first) s.low = high = x;
      first = false;
      for (std::size_t k = 0; k < 3; ++k) s.low[k] = std::min(s.low[k], x[k]), high[k] = std::max(high[k], x[k]);
    }
    speeds.insert(speeds.end(), p.speed.begin(), p.speed.end());
    for (const Contact& c : p.contacts) {
      forces.push_back(norm({c.force.x, c.force.y, c.force.z}));
      const auto at = std::lower_bound(p.row.begin(), p.row.end(), c.a);
      if (at == p.row.end() || *at != c.a) continue;
      const Position& x = p.position[static_cast<std::size_t>(at - p.row.begin())];
      for (const float d : {c.point.x - x.x, c.point.y - x.y, c.point.z - x.z})
        s.reach = std::max(s.reach, std::abs(static_cast<double>(d)));
    }
  }
  s.reach = std::min(s.reach, 2 * largest_radius_);
  s.speed = top_of(speeds, 1), s.speed_typical = top_of(speeds, 0.995);
  s.force = top_of(forces, 1), s.force_typical = top_of(forces, 0.98);
  // A 500th of the smallest grain's radius is below a pixel when that grain fills a tenth of the screen.
  const Vec3 size = high - s.low;
  const double longest = std::max({size.x, size.y, size.z, 1e-30});
  if (longest / 65535 > smallest_radius_ / 500) s.position_bytes = 3;
  const double steps = s.position_bytes == 2 ? 65535.0 : 16777215.0;
  for (std::size_t k = 0; k < 3; ++k) s.step[k] = std::max(size[k], 1e-9 * longest) / steps;
  return s;
}

ReportPack::Quantised ReportPack::quantise(const Packed& p, const Scales& s) const {
  Quantised q;
  const std::size_t n = p.row.size();
  const double steps = s.position_bytes == 2 ? 65535.0 : 16777215.0;
  for (auto& axis : q.position) axis.resize(n);
  for (std::size_t w = 0; w < 3; ++w) q.orientation[w].assign(p.orientation[w].begin(), p.orientation[w].end());
  q.speed.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3 x{p.position[i].x, p.position[i].y, p.position[i].z};
    for (std::size_t k = 0; k < 3; ++k) {
      q.position[k][i] = static_cast<std::uint32_t>(std::lround(std::clamp((x[k] - s.low[k]) / s.step[k], 0.0, steps)));
    }
    q.speed[i] = root_scaled(p.speed[i], s.speed, 255);
  }
  return q;
}

/// Key frames stand alone; the others hold differences to the frame before. A key frame every 12 bounds what a jump
/// along the scrub bar has to decode.
bool ReportPack::is_key(std::size_t k) const {
  return k % 12 == 0 || frames_[k].row != frames_[k - 1].row ||
         frames_[k].fragment.size() != frames_[k - 1].fragment.size();
}

Result<std::string> ReportPack::frame_block(std::size_t k, const Scales& s, const Quantised& now,
                                            const Quantised* before) const {
  const Packed& p = frames_[k];
  Bytes out;
  if (is_key(k)) {
    std::vector<std::uint32_t> gaps(p.row.size());
    for (std::size_t i = 0; i < p.row.size(); ++i) gaps[i] = i == 0 ? p.row[0] : p.row[i] - p.row[i - 1] - 1;
    out.planes(gaps, 4);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    out.planes(deltas(now.position[i], before ? &before->position[i] : nullptr, 8 * s.position_bytes),
               s.position_bytes);
  }
  for (std::size_t i = 0; i < 3; ++i)
    out.planes(deltas(now.orientation[i], before ? &before->orientation[i] : nullptr, 16), 2);
  out.planes(deltas(now.speed, before ? &before->speed : nullptr, 8), 1);

  const std::size_t n = p.contacts.size();
  std::vector<std::uint32_t> a(n), b(n), offset[3], direction[2], magnitude(n);
  for (auto* v : {&offset[0], &offset[1], &offset[2], &direction[0], &direction[1]}) v->resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Contact& c = p.contacts[i];
    a[i] = i == 0 ? c.a : c.a - p.contacts[i - 1].a;
    b[i] = static_cast<std::uint32_t>(c.b < 0 ? -1 - c.b : c.b + static_cast<std::int64_t>(walls_.size()));
    const auto at = std::lower_bound(p.row.begin(), p.row.end(), c.a);
    const Position x =
        at != p.row.end() && *at == c.a ? p.position[static_cast<std::size_t>(at - p.row.begin())] : c.point;
    const Vec3 d = nearest_image(domain_, {c.point.x - x.x, c.point.y - x.y, c.point.z - x.z});
    for (std::size_t j = 0; j < 3; ++j) {
      const double unit = s.reach > 0 ? std::clamp(d[j] / s.reach, -1.0, 1.0) : 0;
      offset[j][i] = static_cast<std::uint32_t>(std::lround(127 * unit) + 127);
    }
    const Vec3 force{c.force.x, c.force.y, c.force.z};
    const auto oct = octahedral(force);
    direction[0][i] = oct[0], direction[1][i] = oct[1];
    magnitude[i] = root_scaled(norm(force), s.force, 65535);
  }
  out.planes(a, 4);
  out.planes(b, 4);
  for (const auto& axis : offset) out.planes(axis, 1);
  for (const auto& axis : direction) out.planes(axis, 1);
  out.planes(magnitude, 2);
  if (!p.fragment.empty()) out.planes(deltas(p.fragment, before ? &frames_[k - 1].fragment : nullptr, 32), 4);
  const std::size_t bonds = p.bonds.size();
  std::vector<std::uint32_t> from(bonds), to(bonds), damage(bonds);
  for (std::size_t i = 0; i < bonds; ++i) {
    from[i] = i == 0 ? p.bonds[0].a : p.bonds[i].a - p.bonds[i - 1].a;
    to[i] = p.bonds[i].b - p.bonds[i].a;
    damage[i] = p.bonds[i].damage;
  }
  out.planes(from, 4);
  out.planes(to, 4);
  out.planes(damage, 1);
  return deflate_base64(out.view());
}

std::string ReportPack::header(const Scales& s) const {
  nlohmann::json h;
  h["particles"] = particles_.size() - told_.particles, h["dimensions"] = dimensions_;
  if (domain_.any()) {
    Vec3 period{};
    for (std::size_t a = 0; a < 3; ++a) period[a] = domain_.periodic[a] ? domain_.period(a) : 0;
    h["period"] = to_json(period);
  }
  h["fragments"] = has_fragments_;
  h["shapes"] = nlohmann::json::array();
  for (const auto& shape : std::span(shapes_).subspan(told_.shapes)) h["shapes"].push_back(to_json(shape));
  h["walls"] = nlohmann::json::array();
  for (const WallTable& w : std::span(walls_).subspan(told_.walls)) {
    nlohmann::json row{{"id", w.id}, {"name", w.name}, {"mesh", nullptr}};
    if (!w.triangles.empty()) {
      nlohmann::json vertices = nlohmann::json::array();
      for (const Vec3& v : w.vertices)
        for (const double x : {v.x, v.y, v.z}) vertices.push_back(static_cast<float>(x));
      row["mesh"] = {{"vertices", std::move(vertices)}, {"triangles", w.triangles}};
    }
    h["walls"].push_back(std::move(row));
  }
  h["low"] = to_json(s.low), h["step"] = to_json(s.step);
  h["position_bytes"] = s.position_bytes, h["orientation_bits"] = kOrientationBits;
  h["speed"] = s.speed, h["speed_typical"] = s.speed_typical, h["force"] = s.force,
  h["force_typical"] = s.force_typical, h["reach"] = s.reach;
  h["frames"] = nlohmann::json::array();
  for (std::size_t k = 0; k < frames_.size(); ++k) {
    const Packed& p = frames_[k];
    nlohmann::json walls = nlohmann::json::array();
    for (const Wall& w : p.walls) {
      nlohmann::json row{{"wall", w.wall}, {"force", to_json(w.force)}};
      const auto same = [&](const Wall& o) {
        return o.wall == w.wall && o.point == w.point && o.normal == w.normal && o.outline == w.outline &&
               o.orientation == w.orientation;
      };
      if (k == 0 || std::none_of(frames_[k - 1].walls.begin(), frames_[k - 1].walls.end(), same)) {
        row["point"] = to_json(w.point), row["normal"] = to_json(w.normal);
        row["outline"] = nullptr;
        if (!walls_[w.wall].triangles.empty())
          row["orientation"] = {w.orientation.x, w.orientation.y, w.orientation.z, w.orientation.w};
        if (w.outline)
          row["outline"] = {to_json((*w.outline)[0]), to_json((*w.outline)[1]), to_json((*w.outline)[2]),
                            to_json((*w.outline)[3])};
      }
      walls.push_back(std::move(row));
    }
    h["frames"].push_back({{"time", p.time},
                           {"step", p.step},
                           {"n", p.row.size()},
                           {"key", is_key(k)},
                           {"contacts", p.contacts.size()},
                           {"contacts_total", p.contacts_total},
                           {"fragments", !p.fragment.empty()},
                           {"bonds", p.bonds.size()},
                           {"walls", std::move(walls)}});
  }
  return h.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<ReportPack::Blocks> ReportPack::blocks() const {
  Blocks b;
  const Scales s = scales();
  std::vector<Quantised> q(frames_.size());
  exec::parallel_for(frames_.size(), 1, [&](std::size_t k) { q[k] = quantise(frames_[k], s); });
  std::vector<Result<std::string>> done(frames_.size(), Error{});
  exec::parallel_for(frames_.size(), 1,
                     [&](std::size_t k) { done[k] = frame_block(k, s, q[k], is_key(k) ? nullptr : &q[k - 1]); });
  for (auto& d : done) {
    if (!d) return d.error();
    b.frames.push_back(std::move(*d));
  }
  Bytes table;
  const auto rows = std::span(particles_).subspan(told_.particles);
  for (const ParticleRow& p : rows) table.u32(p.id);
  for (const ParticleRow& p : rows) table.u16(static_cast<std::uint16_t>(p.shape));
  for (const ParticleRow& p : rows) table.u16(static_cast<std::uint16_t>(p.material));
  for (const ParticleRow& p : rows) table.f32(p.size);
  Result<std::string> particles = deflate_base64(table.view());
  if (!particles) return particles.error();
  b.particles = std::move(*particles);
  b.header = header(s);
  return b;
}

}  // namespace scree::io
