// Dimensions, gravity, periodic axes, detection, time step and output.
#include "io/case/read_world.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "io/case/given.h"
#include "io/text/short_text.h"

namespace scree::io {

namespace {

void read_periods(const Node& n, Reading& in) {
  given::Periods given;
  in.take(n, "periodic", given);
  const std::vector<double>* ends[3] = {&given.x, &given.y, &given.z};
  for (std::size_t a = 0; a < 3; ++a) {
    if (ends[a]->empty()) continue;
    const std::string axis(1, "xyz"[a]), path = "periodic." + axis;
    const Node& v = *n.find(axis);
    const double low = (*ends[a])[0], high = (*ends[a])[1];
    if (a == 2 && in.c.dimensions == 2) {
      in.report(v, path, "is for three dimensions; this case has two");
    } else if (!(low < high)) {
      in.report(v.items[1], path + "[1]",
                fmt::format("expected more than the lower end, {}, got {}", short_text(v.items[0].text),
                            short_text(v.items[1].text)));
    } else if (!(std::max(std::abs(low), std::abs(high)) < 1e9) || !(high - low > 1e-9 * std::max(-low, high))) {
      in.report(v, path, "expected ends within 1e9 m of the origin, and not so near each other");
    } else {
      in.c.periodic.low[a] = low, in.c.periodic.high[a] = high, in.c.periodic.periodic[a] = true;
    }
  }
}

std::string told(const Node& n) {
  return n.kind == Node::Kind::map ? "a map" : n.kind == Node::Kind::list ? "a list" : short_text(n.text);
}

/// What there is in two dimensions: fewer searches, and one way to measure overlaps.
void only_planar(const Node& n, Reading& in) {
  const auto only = [&](const char* key, const std::vector<std::string_view>& words, const char* those) {
    const Node* v = n.find(key);
    if (!v || std::find(words.begin(), words.end(), v->text) != words.end()) return;
    const std::string path = std::string("detection.") + key;
    // What the schema has said of it names words of three dimensions.
    std::erase_if(in.out, [&](const Diagnostic& d) { return d.key == path; });
    in.report(*v, path,
              fmt::format("expected {}, {} in two dimensions, got {}", fmt::join(words, ", "), those, told(*v)));
  };
  only("common_plane", {"auto", "separating_axis", "fast", "common_plane"}, "the searches there are");
  only("contact_geometry", {"overlap"}, "the one there is");
  for (const char* key : {"fast", "shortest_link"})
    if (const Node* v = n.find(key)) in.report(*v, std::string("detection.") + key, "has no use in two dimensions");
  const Node *cundall = n.find("cundall"), *method = n.find("common_plane");
  if (!cundall) return;
  if (!method || (method->valid && method->text != "common_plane"))
    in.report(*cundall, "detection.cundall", "has no use without common_plane: common_plane");
  if (const Node* v = cundall->find("axes")) in.report(*v, "detection.cundall.axes", "has no use in two dimensions");
}

}  // namespace

void read_world(Reading& in) {
  const Node& root = in.root;
  in.dimensions_known = !root.find("dimensions") || get(root, "dimensions");
  in.take(root, "", in.c);
  if (const Node* n = map_at(root, "damping")) in.take(*n, "damping", in.c.damping);
  if (in.c.dimensions == 2 && !root.find("gravity")) in.c.gravity = {0, in.c.gravity.z, 0};
  if (const Node* n = get(root, "thickness"); n && in.c.dimensions != 2 && in.dimensions_known)
    in.report(*n, "thickness", "is that of the grains of two dimensions; it needs dimensions: 2 beside it");
  if (const Node* n = map_at(root, "periodic")) read_periods(*n, in);
}

namespace {

/// Settings of searches that are not taken: they cannot act.
void only_with_method(const Node& n, Reading& in) {
  const Node* word = n.find("common_plane");
  if (word && !word->valid) return;  // told already
  const auto taken = [&](const char* method) { return word && word->text == method; };
  for (const auto& [map, method] :
       {std::pair{"cundall", "common_plane"}, std::pair{"fast", "fast"}, std::pair{"shortest_link", "shortest_link"}})
    if (const Node* v = n.find(map); v && !taken(method))
      in.report(*v, std::string("detection.") + map, fmt::format("has no use without common_plane: {}", method));
  const Node* fast = map_at(n, "fast");
  if (!fast || !taken("fast")) return;
  const Node* mode = fast->find("mode");
  if (mode && (!mode->valid || mode->text == "paper")) return;
  for (const char* key : {"approximation", "tolerance", "pad"})
    if (const Node* v = fast->find(key))
      in.report(*v, std::string("detection.fast.") + key, "has no use without mode: paper");
}

}  // namespace

void read_detection(Reading& in) {
  const Node* n = map_at(in.root, "detection");
  if (!n) return;
  Case::Detection& d = in.c.detection;
  in.take(*n, "detection", d);
  if (const Node* m = map_at(*n, "two_level")) {
    in.take(*m, "detection.two_level", d.two_level);
    if (d.neighbours != neighbour::Method::two_level)
      in.report(*m, "detection.two_level", "has no use without neighbours: two_level");
  }
  if (const Node* v = get(*n, "points"); v && d.contact_geometry != Case::ContactGeometry::contact_zone)
    in.report(*v, "detection.points", "has no use without contact_geometry: contact_zone");
  narrow::PlaneSettings& p = d.common_plane;
  in.take(*n, "detection", p);
  if (const Node* m = map_at(*n, "cundall")) {
    in.take(*m, "detection.cundall", p.cundall);
    if (p.cundall.smallest > p.cundall.largest)
      in.report(*m, "detection.cundall.smallest_step", "must not be above largest_step");
  }
  if (const Node* m = map_at(*n, "fast")) in.take(*m, "detection.fast", p.fast);
  if (const Node* m = map_at(*n, "shortest_link")) in.take(*m, "detection.shortest_link", p.shortest_link);
  in.c.dimensions == 2 ? only_planar(*n, in) : only_with_method(*n, in);
}

void read_time_step_and_output(Reading& in) {
  in.take(in.root, "", in.c.time_step);
  if (const Node* n = map_at(in.root, "time_step")) in.take(*n, "time_step", in.c.time_step);
  if (const Node* n = map_at(in.root, "output")) in.take(*n, "output", in.c.output);
}

void check_counting_planes(Reading& in) {
  for (const Case::Measure& m : in.c.measures) {
    if (m.kind != Case::Measure::Kind::flow) continue;
    for (std::size_t a = 0; a < 3; ++a) {
      if (!in.c.periodic.periodic[a] || m.normal[a] == 0 || std::abs(m.normal[a]) > 1 - 1e-12) continue;
      in.report(
          *in.root.find("measure"), "measure." + m.name,
          fmt::format("its plane is tilted against the periodic axis {}; its normal has to be along it or across it",
                      "xyz"[a]));
      break;
    }
  }
}

}  // namespace scree::io
