#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/describe.h"
#include "app/estimate.h"
#include "app/progress.h"
#include "app/reading.h"
#include "geometry/surface.h"
#include "io/checkpoint/checkpoint.h"
#include "io/library/library.h"
#include "io/mesh/mesh.h"
#include "io/results/folder_lock.h"
#include "io/results/frame.h"
#include "io/results/incident_files.h"
#include "io/text/files.h"
#include "io/text/yaml_tree.h"

namespace scree::app {

namespace {

namespace fs = std::filesystem;

int refuse_file(const fs::path& file, const std::string& message) {
  std::fflush(stdout);
  const bool is_named = message.find(file.string()) != std::string::npos;
  return refuse("info", is_named ? message : file.string() + ": " + message);
}

// -- a case or a shape
// ---------------------------------------------------------------------------------------------------

int case_info(const fs::path& file) {
  const io::ReadCase read = read_case("info", file.string());
  const Case& c = read.value;
  print_diagnostics(read.diagnostics);
  if (has_errors(read.diagnostics)) return kBadInput;
  fmt::print("{}: a case{}{}\n", file.string(), c.title.empty() ? "" : ": ", c.title);
  for (const Case::Group& g : c.particles)
    print_row("particles", fmt::format("{} {}: {}", g.count, g.name, fmt::join(g.shapes, ", ")));
  for (const Case::Material& m : c.materials) print_row("material", fmt::format("{}, {:g} kg/m^3", m.name, m.density));
  print_walls_and_stages(c);
  fmt::print("`scree check {}` says what it takes to run\n", file.string());
  return kDone;
}

int shape_info(const fs::path& file) {
  const Result<Shape> read = io::read_shape(file);
  if (!read) {
    fmt::print(stderr, "{}\n", read.error().message);
    return kBadInput;
  }
  const Shape& s = *read;
  fmt::print("{}: a shape: {}{}{}\n", file.string(), s.name, s.description.empty() ? "" : ", ", s.description);
  switch (s.kind) {
    case ShapeKind::polyhedron:
      print_row("polyhedron", fmt::format("{} vertices, {} faces, {} edges", s.body.vertices.size(),
                                          s.body.face_normals.size(), s.body.edges.size()));
      break;
    case ShapeKind::sphere:
      print_row("sphere", "size is the diameter");
      break;
    case ShapeKind::disc:
      print_row("disc", "size is the diameter; for two dimensions");
      break;
    case ShapeKind::clump:
      print_row("clump", fmt::format("{} parts, held rigidly", s.parts.size()));
      break;
    case ShapeKind::polygon:
      print_row("polygon", fmt::format("{} corners; for two dimensions", s.outline.size()));
      break;
  }
  print_row(is_planar(s.kind) ? "area" : "volume", fmt::format("{:.6g} at size 1", s.volume));
  print_row("radii", fmt::format("{:.6g} inner, {:.6g} outer", s.inner_radius(), s.outer_radius()));
  return kDone;
}

/// A YAML file with a list of vertices, an outline, parts or a kind is a shape, any other one a case.
int yaml_info(const fs::path& file) {
  const Result<std::vector<std::byte>> bytes = io::read_file(file, io::kMaxFileBytes);
  if (!bytes) return refuse_file(file, bytes.error().message);
  std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  std::vector<Diagnostic> ignored;
  io::Node root;
  const bool shape = io::normalise_text(text, file.string(), ignored) &&
                     io::parse_yaml(text, file.string(), root, ignored) &&
                     (root.find("vertices") != nullptr || root.find("outline") != nullptr ||
                      root.find("parts") != nullptr || (root.find("kind") != nullptr && root.find("name") != nullptr));
  return shape ? shape_info(file) : case_info(file);
}

// -- results
// -------------------------------------------------------------------------------------------------------------

/// The value at a JSON pointer as text; empty: not there.
std::string text_at(const nlohmann::json& j, const std::string& pointer) {
  const nlohmann::json::json_pointer p(pointer);
  if (!j.contains(p) || j.at(p).is_null()) return {};
  const nlohmann::json& v = j.at(p);
  if (v.is_string()) return v.get<std::string>();
  return v.is_number_float() ? fmt::format("{:.6g}", v.get<double>()) : v.dump();
}

int results_info(const fs::path& folder) {
  const Result<std::vector<std::byte>> bytes = io::read_file(folder / "run.json", std::size_t{64} << 20);
  if (!bytes) return refuse_file(folder, "a folder without a readable run.json, so it holds no results of a run");
  const nlohmann::json j =
      nlohmann::json::parse(reinterpret_cast<const char*>(bytes->data()),
                            reinterpret_cast<const char*>(bytes->data()) + bytes->size(), nullptr, false);
  if (!j.is_object()) return refuse_file(folder, "its run.json is damaged");
  const std::string title = text_at(j, "/title");
  fmt::print("{}: results{}{}\n", folder.string(), title.empty() ? "" : ": ", title);
  const std::pair<const char*, const char*> rows[] = {{"verdict", "/verdict/status"},
                                                      {"", "/verdict/reason"},
                                                      {"energy", "/energy/text"},
                                                      {"version", "/version"},
                                                      {"case", "/case_file"},
                                                      {"time (s)", "/time"},
                                                      {"step", "/steps"},
                                                      {"particles", "/particles"},
                                                      {"threads", "/threads"},
                                                      {"started", "/started"},
                                                      {"seconds", "/seconds"},
                                                      {"p-steps/s", "/particle_steps_per_second"},
                                                      {"memory (B)", "/peak_memory_bytes"},
                                                      {"state hash", "/state_hash"}};
  for (const auto& [name, pointer] : rows)
    if (const std::string v = text_at(j, pointer); !v.empty()) print_row(name, v);
  if (text_at(j, "/verdict/status") == "running") {
    const std::string writer = io::FolderLock::taken_by(folder);
    print_row("written by", !writer.empty() ? writer
                                            : "nobody any more: the run was killed, or its machine has stopped; `scree "
                                              "run` with --resume goes on from its last checkpoint");
  }
  std::error_code e;
  print_row("frames", fmt::format("{}", io::frame_files(folder).size()));
  const auto checkpoints = io::list_checkpoints(folder / "checkpoint");
  print_row("checkpoint", checkpoints.empty() ? "none" : checkpoints.front().filename().string());
  if (fs::exists(folder / "fault" / "fault.json", e))
    print_row("fault", fmt::format("`scree info {}` says why", (folder / "fault").string()));
  print_row("report", fs::exists(folder / "report.html", e)
                          ? (folder / "report.html").string()
                          : fmt::format("none yet; `scree view {}` makes it", folder.string()));
  return kDone;
}

/// The folder fault/ of a run that has failed.
int incident_info(const fs::path& folder) {
  const Result<io::IncidentRecord> read = io::read_incident_record(folder);
  if (!read) return refuse_file(folder, read.error().message);
  const io::IncidentRecord& r = *read;
  fmt::print("{}: why a run failed at {}, step {}\n", folder.string(), metric(r.time, "s"), r.step);
  print_row("fault", r.message);
  print_row("likely cause", r.cause + (r.text.empty() ? "" : ": " + r.text));
  if (!r.advice.empty()) print_row("what helps", r.advice);
  if (!r.looked_back.empty()) print_row("steps before", r.looked_back);
  std::error_code e;
  for (const auto& [name, file] : {std::pair<const char*, std::string>{"checkpoint", r.checkpoint},
                                   {"history", "history.csv"},
                                   {"neighbourhood", "neighbourhood.vtkhdf"},
                                   {"report", "report.html"}})
    if (!file.empty() && fs::exists(folder / file, e)) print_row(name, (folder / file).string());
  return kDone;
}

int frame_info(const fs::path& file) {
  const Result<io::Frame> f = io::read_frame(file);
  if (!f) return refuse_file(file, f.error().message);
  fmt::print("{}: a frame at {}, step {}\n", file.string(), metric(f->time, "s"), f->step);
  print_row("particles", fmt::format("{}", f->id.size()));
  std::vector<std::size_t> of_shape(f->shapes.size());
  for (const std::uint32_t s : f->shape) of_shape[s] += 1;
  for (std::size_t k = 0; k < of_shape.size(); ++k)
    print_row("", fmt::format("{:>8} {}", of_shape[k], f->shapes[k].name));
  print_row("contacts", fmt::format("{}", f->contact_point.size()));
  std::vector<std::string> walls;
  for (const auto& w : f->walls) walls.push_back(w.name);
  print_row("walls", walls.empty() ? "none" : fmt::format("{}", fmt::join(walls, ", ")));
  return kDone;
}

int checkpoint_info(const fs::path& file) {
  const Result<io::CheckpointInfo> c = io::checkpoint_info(file);
  if (!c) return refuse_file(file, c.error().message);
  fmt::print("{}: a checkpoint at {}, step {}\n", file.string(), metric(c->time, "s"), c->step);
  print_row("stage", fmt::format("{}", c->stage + 1));
  print_row("particles", fmt::format("{}", c->particles));
  print_row("walls", fmt::format("{}", c->walls));
  print_row("contacts", fmt::format("{}", c->contacts));
  print_row("state hash", fmt::format("{:016x}", c->hash));
  return kDone;
}

// -- a mesh
// --------------------------------------------------------------------------------------------------------------

int mesh_info(const fs::path& file) {
  const Result<Surface> surface = io::read_mesh(file);
  if (!surface) return refuse_file(file, surface.error().message);
  fmt::print("{}: a mesh\n", file.string());
  print_row("triangles", fmt::format("{}", surface->triangles.size()));
  print_row("longest side", fmt::format("{:.6g} in the file's unit", extent(*surface)));
  const Result<io::ImportedShape> shape = io::shape_of(*surface);
  if (!shape) {
    print_row("as a shape", "no: " + shape.error().message);
    return kDone;
  }
  print_row("as a shape", fmt::format("yes: convex, {} vertices, {} faces", shape->body.vertices.size(),
                                      shape->body.face_normals.size()));
  for (const std::string& note : shape->notes) print_row("", note);
  return kDone;
}

int info(const fs::path& file) {
  std::error_code e;
  const fs::file_status status = fs::status(file, e);
  if (status.type() == fs::file_type::directory)
    return fs::exists(file / "fault.json", e) ? incident_info(file) : results_info(file);
  if (status.type() == fs::file_type::not_found)
    return refuse_file(file, "no such file or folder; searched in " + fs::absolute(file, e).parent_path().string());
  if (e) return refuse_file(file, e.message());
  std::string kind = file.extension().string();
  std::transform(kind.begin(), kind.end(), kind.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (kind == ".yaml" || kind == ".yml") return yaml_info(file);
  if (kind == ".h5") return checkpoint_info(file);
  if (kind == ".vtkhdf") return frame_info(file);
  if (kind == ".stl" || kind == ".obj" || kind == ".ply" || kind == ".off") return mesh_info(file);
  if (file.filename() == "run.json") return results_info(file.has_parent_path() ? file.parent_path() : fs::path("."));
  return refuse_file(
      file,
      "not a file that Scree knows: a case or shape (.yaml), a results folder, a checkpoint (.h5), a frame "
      "(.vtkhdf) or a "
      "mesh (.stl, .obj, .ply, .off)");
}

}  // namespace

void add_info(CLI::App& app, int& exit_code) {
  auto file = std::make_shared<std::string>();
  CLI::App* c =
      app.add_subcommand("info", "Say what is in a case, a results folder, a checkpoint, a frame, a mesh or a shape");
  c->add_option("FILE", *file, "File or results folder")->required();
  c->footer(
      "Examples:\n  scree info examples/box_fill.yaml\n  scree info results/box_fill\n"
      "  scree info results/box_fill/frames/frame_000010.vtkhdf\n  scree info stone.stl");
  c->callback([file, &exit_code] { exit_code = info(*file); });
}

}  // namespace scree::app
