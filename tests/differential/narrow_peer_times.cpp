// LIBS: scree_witnesses nlohmann_json::nlohmann_json
// Our exact plane and other people's distance and penetration on the same pairs, timed in one run. A test takes a few
// pairs and holds the answers together; SCREE_TURNS=15 in the environment makes it the measurement that
// docs/measured/common-plane.md quotes, SCREE_JSON=FILE writes its rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "narrow/plane_method.h"
#include "oracle/larger.h"
#include "oracle/witnesses.h"
#include "scenes/posed_pairs.h"

namespace scree {
namespace {

using oracle::PosedPair;
using scenes::PosedPairs;
namespace witness = oracle::witness;

/// A pair as each code wants it. Corners stand in A's frame, turned already: no code has to transform any.
struct Prepared {
  witness::Points a, b;
  std::unique_ptr<fcl::CollisionObject<double>> fcl_a, fcl_b;
  std::unique_ptr<witness::BulletPair> bullet;
  explicit Prepared(const PosedPair& p) : a(witness::points(p.a(), {})), b(witness::points(p.b(), p.d())) {
    fcl_a = std::make_unique<fcl::CollisionObject<double>>(witness::fcl_convex(a));
    fcl_b = std::make_unique<fcl::CollisionObject<double>>(witness::fcl_convex(b));
    bullet = std::make_unique<witness::BulletPair>(p);
  }
};

void farthest(const void* object, const ccd_vec3_t* dir, ccd_vec3_t* out) {
  const auto& vertex = static_cast<const witness::Points*>(object)->vertex;
  const Vec3 n{dir->v[0], dir->v[1], dir->v[2]};
  const Vec3* best = vertex.data();
  double most = dot(n, *best);
  for (const Vec3& v : vertex) {
    if (const double h = dot(n, v); h > most) most = h, best = &v;
  }
  ccdVec3Set(out, best->x, best->y, best->z);
}

double by_ccd(Prepared& p) {
  ccd_t ccd;
  CCD_INIT(&ccd);
  ccd.support1 = ccd.support2 = farthest;
  ccd.max_iterations = 500;
  ccd_real_t depth = 0;
  ccd_vec3_t dir, at;
  return ccdGJKPenetration(&p.a, &p.b, &ccd, &depth, &dir, &at) == 0 ? -depth : NAN;
}
double by_fcl(Prepared& p, bool apart) {
  try {
    if (apart) {
      fcl::DistanceRequest<double> request;
      request.gjk_solver_type = fcl::GST_INDEP;
      fcl::DistanceResult<double> result;
      const double distance = fcl::distance(p.fcl_a.get(), p.fcl_b.get(), request, result);
      return distance > 0 ? distance : NAN;
    }
    fcl::CollisionRequest<double> request(1, true);
    request.gjk_solver_type = fcl::GST_LIBCCD;  // its own search gives depths of either sign, most of them wrong
    fcl::CollisionResult<double> result;
    const bool meet = fcl::collide(p.fcl_a.get(), p.fcl_b.get(), request, result) > 0;
    return meet ? -result.getContact(0).penetration_depth : NAN;
  } catch (const std::exception&) {
    return NAN;
  }
}
double by_bullet(Prepared& p, bool apart) {
  witness::BulletPair& b = *p.bullet;
  btGjkEpaSolver2::sResults result;
  if (apart) {
    return btGjkEpaSolver2::Distance(&b.a, b.at, &b.b, b.at, b.guess(), result) ? result.distance : NAN;
  }
  const bool found = btGjkEpaSolver2::Penetration(&b.a, b.at, &b.b, b.at, b.guess(), result);
  return found && result.status == btGjkEpaSolver2::sResults::Penetrating ? -std::abs(result.distance) : NAN;
}

struct Code {
  const char* name;
  bool ours;
  std::function<double(std::size_t)> gap;
};

struct Row {
  std::string code, shape, state;
  double ns = 0, worst = 0;
  int failed = 0, wrong = 0, pairs = 0;
};

struct State {
  const char* name;
  double gap;
};

double timed(const Code& code, std::size_t pairs) {
  double sum = 0;
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t k = 0; k < pairs; ++k) sum += code.gap(k);
  const double ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
  volatile double keep = sum;
  static_cast<void>(keep);
  return ns / static_cast<double>(pairs);
}

/// The codes take turns, so that a drift of the machine meets all of them; medians.
std::vector<Row> compare(const std::shared_ptr<const Shape>& shape, const State& state, int turns, std::size_t pairs) {
  const PosedPairs posed = scenes::random_pairs(shape, pairs, state.gap, 5);
  std::vector<Prepared> prepared;
  for (std::size_t k = 0; k < pairs; ++k) {
    prepared.emplace_back(
        PosedPair(shape, shape, {1, posed.orientation_a(k), {}}, {1, posed.orientation_b(k), posed.d(k)}));
  }
  const bool apart = state.gap > 0;
  const auto ours = [&](narrow::PlaneMethod method) {
    return [&posed, method](std::size_t k) {
      narrow::SearchCounters counters;
      narrow::PlaneSettings settings;
      settings.method = method;
      return find_plane(settings, posed.a(k), posed.b(k), posed.d(k), nullptr, counters).gap;
    };
  };
  std::vector<Code> codes = {{"auto", true, ours(narrow::PlaneMethod::automatic)},
                             {"gjk", true, ours(narrow::PlaneMethod::gjk)},
                             {"FCL", false, [&](std::size_t k) { return by_fcl(prepared[k], apart); }},
                             {"Bullet", false, [&](std::size_t k) { return by_bullet(prepared[k], apart); }}};
  if (!apart) codes.push_back({"libccd", false, [&](std::size_t k) { return by_ccd(prepared[k]); }});
  std::vector<Row> rows;
  std::vector<std::vector<double>> ns(codes.size());
  for (int turn = 0; turn <= turns; ++turn) {
    for (std::size_t c = 0; c < codes.size(); ++c) {
      const double t = timed(codes[c], pairs);
      if (turn > 0) ns[c].push_back(t);
    }
  }
  for (std::size_t c = 0; c < codes.size(); ++c) {
    std::sort(ns[c].begin(), ns[c].end());
    Row row{codes[c].name, shape->name, state.name, ns[c][ns[c].size() / 2]};
    for (std::size_t k = 0; k < pairs; ++k) {
      const double error = std::abs(codes[c].gap(k) - state.gap);
      ++row.pairs;
      if (std::isnan(error)) {
        ++row.failed;
        continue;
      }
      row.wrong += error > 1e-6, row.worst = oracle::larger(row.worst, error);
    }
    if (codes[c].ours) {
      EXPECT_EQ(row.failed + row.wrong, 0) << row.code << ' ' << row.shape << ' ' << row.state;
      EXPECT_LT(row.worst, 1e-9) << row.code << ' ' << row.shape << ' ' << row.state;
    }
    rows.push_back(row);
  }
  return rows;
}

/// A row per code, a column per shape and state, as Markdown.
void print(const char* title, const std::vector<Row>& rows, double (*value)(const Row&)) {
  std::vector<std::string> columns, codes;
  std::map<std::string, std::string> cell;
  const auto note = [](std::vector<std::string>& seen, const std::string& name) {
    if (std::find(seen.begin(), seen.end(), name) == seen.end()) seen.push_back(name);
  };
  for (const Row& r : rows) {
    const std::string column = r.shape + ", " + r.state;
    note(columns, column), note(codes, r.code);
    char text[32];
    std::snprintf(text, sizeof text, "%.0f", value(r));
    cell[r.code + '|' + column] = text;
  }
  std::printf("\n%s\n\n| code |", title);
  for (const std::string& c : columns) std::printf(" %s |", c.c_str());
  std::printf("\n|---|");
  for (std::size_t i = 0; i < columns.size(); ++i) std::printf("---:|");
  for (const std::string& code : codes) {
    std::printf("\n| %s |", code.c_str());
    for (const std::string& c : columns) std::printf(" %s |", cell[code + '|' + c].c_str());
  }
  std::printf("\n\n");
}

/// Several codes that share nothing with ours find the gap that the pairs were made to have.
TEST(PeerTimes, AnswersAgreeOnThePairsThatAreTimed) {
  const char* asked = std::getenv("SCREE_TURNS");
  const int turns = asked != nullptr ? std::max(std::atoi(asked), 1) : 1;
  const std::size_t pairs = asked != nullptr ? 64 : 16;
  std::vector<std::shared_ptr<const Shape>> shapes = {oracle::shape("cube"), oracle::shape("grain14"),
                                                      scenes::boulder32()};
  std::vector<Row> rows;
  for (const auto& shape : shapes) {
    for (const State& state : {State{"apart 5 %", 0.05}, {"overlap 0.1 %", -0.001}, {"overlap 1 %", -0.01}}) {
      for (const Row& r : compare(shape, state, turns, pairs)) rows.push_back(r);
    }
  }
  print("Other codes on the same pairs, cold, ns per call", rows, [](const Row& r) { return r.ns; });
  print("Other codes on the same pairs: gave up or off by more than 1e-6 sizes, per cent", rows,
        [](const Row& r) { return 100.0 * (r.failed + r.wrong) / r.pairs; });
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  int close = 0, answers = 0;
  for (const Row& r : rows) {
    json.push_back({{"strategy", r.code},
                    {"shape", r.shape},
                    {"state", r.state},
                    {"start", "cold"},
                    {"ns", r.ns},
                    {"failed", r.failed},
                    {"wrong", r.wrong},
                    {"worst_error", r.worst},
                    {"pairs", r.pairs}});
    answers += r.pairs, close += r.pairs - r.failed - r.wrong;
  }
  // Others stop at tolerances of their own, and libccd errs now and then.
  EXPECT_GT(close, 0.8 * answers);
  if (const char* file = std::getenv("SCREE_JSON")) std::ofstream(file) << json.dump(2) << '\n';
}

}  // namespace
}  // namespace scree
