#include "io/results/run_record.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "io/results/build_info.h"
#include "io/results/machine.h"
#include "io/results/series.h"
#include "io/text/files.h"

namespace scree::io {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

namespace {

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

OrderedJson detection(const Counters& c) {
  const auto as_double = [](std::uint64_t v) { return static_cast<double>(v); };
  const double searches = as_double(c.planes_solved + c.planes_cold);
  const double looked_at = as_double(c.planes_cached) + searches;
  const double all = looked_at + as_double(c.planes_skipped);
  OrderedJson d;
  d["rebuilds"] = c.rebuilds;
  d["planes_skipped"] = c.planes_skipped;
  d["planes_cached"] = c.planes_cached;
  d["planes_solved"] = c.planes_solved;
  d["planes_cold"] = c.planes_cold;
  d["share_skipped"] = ratio(as_double(c.planes_skipped), all);
  d["share_cached"] = ratio(as_double(c.planes_cached), looked_at);
  d["planes_searched"] = c.planes_searched;
  d["iterations_mean"] = ratio(as_double(c.iterations), as_double(c.planes_searched));
  d["iterations_max"] = c.iterations_max;
  d["evaluations_mean"] = ratio(as_double(c.evaluations), searches);
  return d;
}

OrderedJson search(const Simulation& s) {
  const neighbour::Choice c = search_choice(s);
  return {{"method", neighbour::name(c.method)},
          {"asked", neighbour::name(s.detection.neighbours)},
          {"why", c.why},
          {"bytes", s.counters.search_bytes}};
}

OrderedJson skin(const Simulation& s) {
  const Counters& c = s.counters;
  OrderedJson j{{"asked", s.detection.skin ? "length" : "auto"},
                {"length", s.skin},
                {"steps_per_rebuild", ratio(static_cast<double>(c.listed_steps), static_cast<double>(c.rebuilds))}};
  j["history"] = OrderedJson::array();
  for (const Counters::Skin& k : c.skins)
    j["history"].push_back({{"step", k.step}, {"length", k.skin}, {"pairs", k.pairs}});
  return j;
}

OrderedJson phases(const Counters& c) {
  return {{"neighbours", c.seconds_neighbours},
          {"planes", c.seconds_planes},
          {"points", c.seconds_points},
          {"forces", c.seconds_forces},
          {"integrate", c.seconds_integrate}};
}

OrderedJson spread(const RunRecord::Session::Spread& s) {
  const auto of_ranks = [](const Shares::OfRanks& of) {
    return OrderedJson{{"least", of.least}, {"mean", of.mean}, {"most", of.most}};
  };
  return {{"grains", of_ranks(s.shares.grains)},  {"copies", of_ranks(s.shares.copies)},
          {"pairs", of_ranks(s.shares.pairs)},    {"pairs_twice", s.shares.twice},
          {"divisions", s.shares.divisions},      {"imbalance", s.shares.imbalance},
          {"messages_per_step", s.messages},      {"bytes_per_step", s.bytes},
          {"seconds_waiting_per_step", s.waiting}};
}

RunRecord::Session::Spread spread_of(const OrderedJson& j) {
  const auto of_ranks = [](const OrderedJson& of) {
    return Shares::OfRanks{of.at("least"), of.at("most"), of.at("mean")};
  };
  return {{of_ranks(j.at("grains")), of_ranks(j.at("copies")), of_ranks(j.at("pairs")), j.at("pairs_twice"),
           j.at("divisions"), j.at("imbalance")},
          j.at("messages_per_step"),
          j.at("bytes_per_step"),
          j.at("seconds_waiting_per_step")};
}

OrderedJson sessions(const RunRecord& r) {
  OrderedJson list = OrderedJson::array();
  for (const RunRecord::Session& s : r.sessions) {
    list.push_back({{"started", s.started},
                    {"from_step", s.from_step},
                    {"to_step", s.to_step},
                    {"threads", s.threads},
                    {"seconds", s.seconds},
                    {"stepping_seconds", s.stepping_seconds},
                    {"particle_steps", s.particle_steps}});
    if (s.ranks > 1) list.back()["ranks"] = s.ranks;
    if (s.spread) list.back()["spread"] = spread(*s.spread);
  }
  return list;
}

OrderedJson measured(const StageValue& v) {
  OrderedJson j{{"column", v.column}, {"instants", v.instants}};
  if (v.instants > 0) j.update({{"mean", v.mean}, {"smallest", v.smallest}, {"largest", v.largest}, {"last", v.last}});
  return j;
}

OrderedJson stages(const RunRecord& r) {
  OrderedJson list = OrderedJson::array();
  for (const RunRecord::StageSpan& s : r.stages) {
    OrderedJson span{{"name", s.name}, {"begin", s.begin}, {"end", nullptr}, {"begin_step", s.begin_step}};
    if (s.end) span["end"] = *s.end, span["end_step"] = s.end_step;
    if (s.how)
      span["ended"] = {{"by", s.how->by_rest ? "rest" : "duration"},
                       {"text", s.how->text},
                       {"kinetic_energy_per_grain", s.how->energy},
                       {"rotation_of_it", s.how->rotation},
                       {"spin_of_spheres_per_grain", s.how->sphere_spin}};
    for (const StageValue& v : s.measured) span["measured"].push_back(measured(v));
    list.push_back(span);
  }
  return list;
}

OrderedJson energy(const RunRecord& r, const Totals& t) {
  return {{"text", r.energy},
          {"kinetic", t.kinetic_translation + t.kinetic_rotation},
          {"potential", t.potential},
          {"elastic", t.elastic},
          {"bonds_elastic", t.bonds_elastic},
          {"lost_normal", t.lost_normal},
          {"lost_tangential", t.lost_tangential},
          {"lost_friction", t.lost_friction},
          {"lost_bonds", t.lost_bonds},
          {"lost_global", t.lost_global},
          {"work_of_walls", t.work_of_walls},
          {"work_of_gravity", t.work_of_gravity},
          {"work_of_outside", t.work_of_outside},
          {"exchanged", t.exchanged},
          {"unclosed", t.unclosed}};
}

OrderedJson verdict(const RunRecord& r) {
  OrderedJson v{{"status", name_of(r.verdict)}, {"reason", r.reason}};
  if (!r.fault_ids.empty()) v["particles"] = r.fault_ids;
  if (!r.warnings.empty()) v["warnings"] = r.warnings;
  return v;
}

}  // namespace

std::vector<Case::Plot> plots_of(const Case& c) {
  const std::vector<std::string> columns = series_columns(c);
  const auto named = [&](const std::string& name, std::vector<std::string>& all) {
    for (const std::size_t k : columns_meant(name, columns))
      if (std::ranges::find(all, without_unit(columns[k])) == all.end()) all.emplace_back(without_unit(columns[k]));
  };
  std::vector<Case::Plot> plots;
  for (const Case::Plot& p : c.output.plots) {
    Case::Plot& plot = plots.emplace_back();
    std::vector<std::string> over;
    named(p.over, over);
    for (const std::string& name : p.of) named(name, plot.of);
    plot.title = p.title, plot.over = over.empty() ? p.over : over[0];
  }
  return plots;
}

RunRecord record_of(const Case& c, std::uint64_t hash, int threads) {
  RunRecord r;
  r.title = c.title;
  r.plots = plots_of(c);
  r.case_file = c.source_path;
  r.case_hash = hash;
  r.threads = threads;
  return r;
}

void begin_session(RunRecord& r, const Simulation& s, int threads, int ranks) {
  r.sessions.push_back({timestamp(), s.step, s.step, threads, 0, 0, 0, ranks});
}

void begin_span(RunRecord& r, const Simulation& s, const Case& c) {
  const std::string name = s.stage < c.stages.size() ? c.stages[s.stage].name : std::string("run");
  r.stages.push_back({name, s.stage_started, {}, s.step, 0, {}, {}});
}

void end_span(RunRecord& r, const Simulation& s, double time) {
  if (!r.stages.empty()) r.stages.back().end = time, r.stages.back().end_step = s.step;
}

void take_up(RunRecord& r, const fs::path& folder, const Simulation& s, const Case& c, int threads, int ranks) {
  RunRecord history = read_run_history(folder);
  r.sessions = std::move(history.sessions);
  r.stages = std::move(history.stages);
  std::erase_if(r.stages, [&](const RunRecord::StageSpan& span) { return span.begin > s.stage_started; });
  if (!r.stages.empty()) r.stages.back().end.reset(), r.stages.back().how.reset();
  if (r.stages.empty()) begin_span(r, s, c);
  begin_session(r, s, threads, ranks);
}

Status measure_stages(RunRecord& r, const Simulation& s, const Case& c, const fs::path& folder) {
  std::vector<StageWish> wishes;
  for (std::size_t k = 0; k < r.stages.size(); ++k) {
    const RunRecord::StageSpan& span = r.stages[k];
    wishes.push_back({span.begin_step, span.end ? span.end_step : s.step, {}});
    const std::size_t back = r.stages.size() - 1 - k;  // the last one is that of the state
    if (back <= s.stage && s.stage - back < c.stages.size()) wishes.back().names = c.stages[s.stage - back].measure;
  }
  if (std::all_of(wishes.begin(), wishes.end(), [](const auto& w) { return w.names.empty(); })) return ok();
  auto values = stage_values(folder / "series.csv", wishes);
  if (!values) return values.error();
  for (std::size_t k = 0; k < r.stages.size(); ++k) r.stages[k].measured = std::move((*values)[k]);
  return ok();
}

const char* name_of(RunRecord::Verdict v) {
  switch (v) {
    case RunRecord::Verdict::running:
      return "running";
    case RunRecord::Verdict::finished:
      return "finished";
    case RunRecord::Verdict::stopped:
      return "stopped";
    case RunRecord::Verdict::interrupted:
      return "interrupted";
    case RunRecord::Verdict::failed:
      return "failed";
  }
  return "running";
}

std::string timestamp() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

std::uint64_t peak_memory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

Status write_run_record(const fs::path& folder, const RunRecord& r, const Simulation& s) {
  RunRecord::Session all;
  for (const RunRecord::Session& session : r.sessions) {
    all.seconds += session.seconds;
    all.stepping_seconds += session.stepping_seconds;
    all.particle_steps += session.particle_steps;
  }
  OrderedJson j;
  j["title"] = r.title;
  j["version"] = kBuildInfo.version;
  j["commit"] = kBuildInfo.commit;
  j["compiler"] = kBuildInfo.compiler;
  j["compiler_flags"] = kBuildInfo.flags;
  j["case_file"] = r.case_file;
  j["case_hash"] = to_hex(r.case_hash);
  j["machine"] = machine_json();
  j["threads"] = r.threads;
  j["started"] = r.sessions.empty() ? timestamp() : r.sessions.front().started;
  j["time"] = s.time;
  j["steps"] = s.step;
  j["dt"] = s.dt;
  j["critical_time_step"] = r.critical_time_step;
  j["fraction"] = ratio(s.dt, r.critical_time_step);
  j["particles"] = s.particles.size_rows();
  j["seconds"] = all.seconds;
  j["stepping_seconds"] = all.stepping_seconds;
  j["particle_steps_per_second"] = ratio(all.particle_steps, all.stepping_seconds);
  j["peak_memory_bytes"] = peak_memory();
  j["state_bytes"] = s.bytes();
  j["state_hash"] = to_hex(state_hash(s));
  j["verdict"] = verdict(r);
  j["energy"] = energy(r, totals(s));
  j["stages"] = stages(r);
  for (const Case::Plot& p : r.plots) j["plots"].push_back({{"title", p.title}, {"over", p.over}, {"of", p.of}});
  j["detection"] = detection(s.counters);
  j["detection"]["skin"] = skin(s);
  j["detection"]["neighbours"] = search(s);
  j["detection"]["memory_order"] = {{"asked", s.detection.memory_order == Case::MemoryOrder::id ? "id" : "spatial"},
                                    {"sorts", s.counters.spatial_sorts}};
  j["seconds_per_phase"] = phases(s.counters);
  j["sessions"] = sessions(r);
  return write_file(folder / "run.json", j.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n");
}

RunRecord read_run_history(const fs::path& folder) try {
  RunRecord r;
  const auto bytes = read_file(folder / "run.json", std::size_t{1} << 28);
  if (!bytes) return r;
  const std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  const OrderedJson j = OrderedJson::parse(text);
  for (const OrderedJson& s : j.at("sessions")) {
    r.sessions.push_back({s.at("started"), s.at("from_step"), s.at("to_step"), s.at("threads"), s.at("seconds"),
                          s.at("stepping_seconds"), s.at("particle_steps"), s.value("ranks", 1)});
    if (s.contains("spread")) r.sessions.back().spread = spread_of(s.at("spread"));
  }
  for (const OrderedJson& s : j.at("stages")) {
    RunRecord::StageSpan span;
    span.name = s.at("name"), span.begin = s.at("begin"), span.begin_step = s.value("begin_step", std::uint64_t{0});
    if (s.at("end").is_number())
      span.end = s.at("end").get<double>(), span.end_step = s.value("end_step", std::uint64_t{0});
    if (const auto how = s.find("ended"); how != s.end()) {
      span.how = StageEnd{how->at("by") == "rest",   how->at("kinetic_energy_per_grain"),
                          how->at("rotation_of_it"), how->at("spin_of_spheres_per_grain"),
                          how->at("text"),           {}};
    }
    r.stages.push_back(span);
  }
  return r;
} catch (const std::exception&) {
  return {};
}

}  // namespace scree::io
