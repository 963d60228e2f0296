#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "io/results/export.h"
#include "io/results/report_encode.h"

namespace scree::io {

namespace {

/// At size 1, from the centroid to the point farthest from it.
double outer_radius(const Frame::ShapeRow& s) {
  double r = s.radius > 0 ? norm(s.centre) + s.radius : 0;
  for (const Vec3& v : s.vertices) r = std::max(r, norm(s.centre + v));
  for (const Frame::ShapeRow& part : s.parts) r = std::max(r, outer_radius(part));
  return r;
}

/// Of each grain: of its sphere or disc, else of the sphere around it (m).
std::vector<double> radii(const Frame& f) {
  std::vector<double> of_shape, r;
  for (const Frame::ShapeRow& s : f.shapes) of_shape.push_back(outer_radius(s));
  for (std::size_t i = 0; i < f.id.size(); ++i) r.push_back(f.size[i] * of_shape[f.shape[i]]);
  return r;
}

/// The periodic domain; along other axes what holds all grains (m).
Domain box_of(const Frame& f, const std::vector<double>& r) {
  Domain box = f.domain;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (box.periodic[axis]) continue;
    double low = std::numeric_limits<double>::max(), high = -low;
    for (std::size_t i = 0; i < f.id.size(); ++i) {
      if (!std::isfinite(f.position[i][axis])) continue;
      low = std::min(low, f.position[i][axis] - r[i]), high = std::max(high, f.position[i][axis] + r[i]);
    }
    box.low[axis] = low <= high ? low : 0, box.high[axis] = low < high ? high : 1;  // without grains any box will do
  }
  return box;
}

std::string material_name(const Frame& f, std::size_t i) {
  return f.materials.empty() ? fmt::format("material_{}", f.material[i]) : f.materials[f.material[i]];
}

}  // namespace

std::string csv_text(const Frame& f) {
  std::string text =
      "id,shape,material,size [m],mass [kg],x [m],y [m],z [m],vx [m/s],vy [m/s],vz [m/s],wx [rad/s],wy [rad/s],"
      "wz [rad/s],qw,qx,qy,qz";
  text += f.fragment.empty() ? "\n" : ",fragment\n";
  auto out = std::back_inserter(text);
  for (std::size_t i = 0; i < f.id.size(); ++i) {
    const Vec3 x = f.position[i], v = f.velocity[i], w = f.angular_velocity[i];
    const Quat q = f.orientation[i];
    fmt::format_to(out, "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", f.id[i], f.shapes[f.shape[i]].name,
                   material_name(f, i), f.size[i], f.mass[i], x.x, x.y, x.z, v.x, v.y, v.z, w.x, w.y, w.z, q.w, q.x,
                   q.y, q.z);
    if (!f.fragment.empty()) fmt::format_to(out, ",{}", f.fragment[i]);
    text += '\n';
  }
  return text;
}

std::string xyz_text(const Frame& f) {
  const std::vector<double> r = radii(f);
  std::string text = fmt::format("{}\n", f.id.size());
  auto out = std::back_inserter(text);
  if (f.domain.any()) {
    const Domain box = box_of(f, r);
    const auto flag = [&](std::size_t axis) { return box.periodic[axis] ? 'T' : 'F'; };
    fmt::format_to(out, "Lattice=\"{} 0 0 0 {} 0 0 0 {}\" Origin=\"{} {} {}\" pbc=\"{} {} {}\" ", box.period(0),
                   box.period(1), box.period(2), box.low.x, box.low.y, box.low.z, flag(0), flag(1), flag(2));
  }
  fmt::format_to(out,
                 "Properties=species:S:1:id:I:1:pos:R:3:radius:R:1:mass:R:1:velo:R:3:angular_velocity:R:3:"
                 "orientation:R:4:shape:I:1:size:R:1 Time={} Timestep={} shapes=\"",
                 f.time, f.step);
  for (std::size_t k = 0; k < f.shapes.size(); ++k) fmt::format_to(out, "{}{}", k > 0 ? " " : "", f.shapes[k].name);
  text += "\"\n";
  for (std::size_t i = 0; i < f.id.size(); ++i) {
    const Vec3 x = f.position[i], v = f.velocity[i], w = f.angular_velocity[i];
    const Quat q = f.orientation[i];
    fmt::format_to(out, "{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}\n", material_name(f, i), f.id[i], x.x,
                   x.y, x.z, r[i], f.mass[i], v.x, v.y, v.z, w.x, w.y, w.z, q.x, q.y, q.z, q.w, f.shape[i], f.size[i]);
  }
  return text;
}

std::string lammps_text(const Frame& f) {
  const std::vector<double> r = radii(f);
  const Domain box = box_of(f, r);
  std::string text = fmt::format("ITEM: UNITS\nsi\nITEM: TIME\n{}\nITEM: TIMESTEP\n{}\nITEM: NUMBER OF ATOMS\n{}\n",
                                 f.time, f.step, f.id.size());
  auto out = std::back_inserter(text);
  const auto word = [&](std::size_t axis) { return box.periodic[axis] ? "pp" : "ff"; };
  fmt::format_to(out, "ITEM: BOX BOUNDS {} {} {}\n", word(0), word(1), word(2));
  for (std::size_t axis = 0; axis < 3; ++axis) fmt::format_to(out, "{} {}\n", box.low[axis], box.high[axis]);
  text += "ITEM: ATOMS id type x y z vx vy vz omegax omegay omegaz radius mass quatw quati quatj quatk shape size\n";
  for (std::size_t i = 0; i < f.id.size(); ++i) {
    const Vec3 x = f.position[i], v = f.velocity[i], w = f.angular_velocity[i];
    const Quat q = f.orientation[i];
    fmt::format_to(out, "{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}\n", std::uint64_t{f.id[i]} + 1,
                   std::uint64_t{f.material[i]} + 1, x.x, x.y, x.z, v.x, v.y, v.z, w.x, w.y, w.z, r[i], f.mass[i], q.w,
                   q.x, q.y, q.z, std::uint64_t{f.shape[i]} + 1, f.size[i]);
  }
  return text;
}

std::string pvd_text(const std::vector<SeriesEntry>& files) {
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
      "<Collection>\n";
  for (const SeriesEntry& e : files)
    text += fmt::format("<DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", e.time, escape_html(e.file));
  return text + "</Collection>\n</VTKFile>\n";
}

}  // namespace scree::io
