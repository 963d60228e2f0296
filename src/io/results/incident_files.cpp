#include "io/results/incident_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/results/frame.h"
#include "io/text/files.h"
#include "sim/row_order.h"

namespace scree::io {

namespace {

constexpr double kReach = 4;  ///< bounding radii of the largest particle that the fault names

bool is_finite(Quat q) { return std::isfinite(q.w) && std::isfinite(q.x) && std::isfinite(q.y) && std::isfinite(q.z); }

bool is_named(const Fault& f, std::uint32_t id) { return std::find(f.ids.begin(), f.ids.end(), id) != f.ids.end(); }

/// Puts particles without a finite pose back to where the last rebuild saw them; what is lost there too goes to the
/// fault's place.
void mend_poses(Frame& f, const Simulation& s, const RowOrder& ids, const Fault& fault) {
  for (std::size_t i = 0; i < f.position.size(); ++i) {
    if (!scree::is_finite(f.position[i]))
      f.position[i] = s.list_is_valid ? s.particles.listed_at[ids.row(ids.particle, i)] : fault.place;
    if (!scree::is_finite(f.position[i])) f.position[i] = {};
    if (!is_finite(f.orientation[i])) f.orientation[i] = {};
  }
}

}  // namespace

Result<Neighbourhood> write_neighbourhood(const std::filesystem::path& folder, const Simulation& s,
                                          const Fault& fault) {
  if (Status made = make_folder(folder); !made) return made.error();
  Frame f = make_frame(s, true);
  const RowOrder ids = id_order(s);
  mend_poses(f, s, ids, fault);
  const std::vector<double> radii = by_id(s.particles.radius, ids);
  double radius = 0;
  Vec3 place = fault.place;
  for (std::size_t i = 0; i < f.id.size(); ++i) {
    if (!is_named(fault, f.id[i])) continue;
    radius = std::max(radius, radii[i]);
    if (!scree::is_finite(place)) place = f.position[i];
  }
  Neighbourhood near{folder / "neighbourhood.vtkhdf", {}};
  std::vector<char> keep(f.id.size());
  for (std::size_t i = 0; i < f.id.size(); ++i) {
    keep[i] = is_named(fault, f.id[i]) || norm(f.position[i] - place) <= kReach * radius + radii[i];
    if (keep[i]) near.ids.push_back(f.id[i]);
  }
  if (Status written = write_frame(near.file, part_of(f, keep)); !written) return written.error();
  return near;
}

Status write_history(const std::filesystem::path& folder, const std::vector<IncidentRow>& rows) {
  std::string text =
      "step [1],time [s],overlap [1],approach [m/s],approach of the wall [m/s],force [N],energy [J],largest overlap "
      "[1],largest speed [m/s],energy of all [J],energy from nothing [J]\n";
  for (const IncidentRow& r : rows) {
    text += fmt::format("{},{},", r.step, r.time);
    text += r.both_are_there ? fmt::format("{},{},{},{},{},", r.overlap, r.approach, r.wall_approach, r.force, r.energy)
                             : std::string(",,,,,");
    text += fmt::format("{},{},{},{}\n", r.max_overlap, r.max_speed, r.lively, r.unclosed);
  }
  return write_file(folder / "history.csv", text);
}

namespace {

constexpr std::pair<const char*, std::string IncidentRecord::*> kTexts[] = {
    {"message", &IncidentRecord::message},
    {"cause", &IncidentRecord::cause},
    {"text", &IncidentRecord::text},
    {"advice", &IncidentRecord::advice},
    {"looked_back", &IncidentRecord::looked_back},
    {"checkpoint", &IncidentRecord::checkpoint}};

}  // namespace

Status write_incident_record(const std::filesystem::path& folder, const IncidentRecord& r) {
  nlohmann::json j{{"step", r.step}, {"time", r.time}};
  for (const auto& [name, member] : kTexts) j[name] = r.*member;
  return write_file(folder / "fault.json", j.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

Result<IncidentRecord> read_incident_record(const std::filesystem::path& folder) {
  const auto bytes = read_file(folder / "fault.json", std::size_t{1} << 20);
  if (!bytes) return bytes.error();
  const char* const begin = reinterpret_cast<const char*>(bytes->data());
  const nlohmann::json j = nlohmann::json::parse(begin, begin + bytes->size(), nullptr, false);
  IncidentRecord r;
  bool sound = j.is_object() && j.contains("step") && j["step"].is_number_unsigned() && j.contains("time") &&
               j["time"].is_number();
  for (const auto& [name, member] : kTexts) sound = sound && j.contains(name) && j[name].is_string();
  if (!sound) return Error{(folder / "fault.json").string() + " is damaged"};
  r.step = j["step"], r.time = j["time"];
  for (const auto& [name, member] : kTexts) r.*member = j[name].get<std::string>();
  return r;
}

}  // namespace scree::io
