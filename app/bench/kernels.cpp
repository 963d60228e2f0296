#include "app/bench/kernels.h"

#include <fmt/format.h>

#include <functional>

#include "app/bench/table.h"
#include "base/timer.h"
#include "narrow/plane_method.h"
#include "scenes/posed_pairs.h"

namespace scree::app {

namespace {

using narrow::ContactGeometry;
using narrow::PlaneMethod;
using scenes::PosedPairs;

constexpr std::size_t kPairs = 64, kTimes = 8;  ///< bodies that stay in cache, met so often in one call

/// Rows of a pair table through the step's own search, again and again from the same state.
class Loop {
 public:
  enum class Part { planes, points };
  Loop(PosedPairs pairs, PlaneMethod method, ContactGeometry geometry, Part part)
      : pairs_(std::move(pairs)), geometry_(geometry), part_(part) {
    settings_.method = method;
    table_ = pairs_.table(kTimes, narrow::keeps_track(settings_));
    ns();
    // From now on every pair has its feature, and is known to touch where it does.
    for (const narrow::FoundPoint& p : out_.points) table_.count[p.pair] = 1;
  }
  double ns() {
    out_.clear();
    narrow::find_body_contacts(pairs_.particles(), pairs_.bodies(), table_, 0, table_.size(), settings_, geometry_,
                               out_);
    const double seconds = part_ == Part::planes ? out_.seconds_planes : out_.seconds_points;
    return 1e9 * seconds / static_cast<double>(table_.size());
  }

 private:
  PosedPairs pairs_;
  narrow::PlaneSettings settings_;
  ContactGeometry geometry_;
  Part part_;
  PairTable table_;
  narrow::FoundPoints out_;
};

/// The mean time of `one(k)` over the pairs, in ns.
template <class One>
double mean_ns(std::size_t pairs, One&& one) {
  double sum = 0;
  const Stopwatch watch;
  for (std::size_t round = 0; round < kTimes; ++round) {
    for (std::size_t k = 0; k < pairs; ++k) sum += one(k);
  }
  const double ns = 1e9 * watch.seconds() / static_cast<double>(kTimes * pairs);
  volatile double keep = sum;
  static_cast<void>(keep);
  return ns;
}

/// One search per pair; `tracked`: from the exact plane.
double search_ns(const PosedPairs& pairs, PlaneMethod method, bool tracked) {
  narrow::PlaneSettings settings;
  settings.method = method;
  narrow::SearchCounters counters;
  std::vector<narrow::Plane> last;
  for (std::size_t k = 0; k < pairs.size(); ++k)
    last.push_back(narrow::exact_plane(pairs.a(k), pairs.b(k), pairs.d(k), nullptr, counters));
  return mean_ns(pairs.size(), [&](std::size_t k) {
    const narrow::Plane* previous = tracked ? &last[k] : nullptr;
    return method == PlaneMethod::separating_axis
               ? narrow::separating_axis(pairs.a(k), pairs.b(k), pairs.d(k), previous, counters).gap
               : narrow::find_plane(settings, pairs.a(k), pairs.b(k), pairs.d(k), previous, counters).gap;
  });
}

/// The contact geometry of pairs whose plane is known, alone.
struct Geometry {
  std::shared_ptr<const PosedPairs> pairs;
  std::vector<narrow::Plane> planes;

  explicit Geometry(std::shared_ptr<const PosedPairs> p) : pairs(std::move(p)) {
    for (std::size_t k = 0; k < pairs->size(); ++k)
      planes.push_back(narrow::separating_axis(pairs->a(k), pairs->b(k), pairs->d(k)));
  }
  double overlap_ns(bool from_edges) const {
    std::vector<narrow::Plane> seeds = planes;
    // A seed without a feature has its overlap found from all edges.
    for (narrow::Plane& s : seeds) s.feature = from_edges ? PlaneFeature{} : s.feature;
    return mean_ns(pairs->size(), [&](std::size_t k) {
      return narrow::exact_overlap(pairs->a(k), pairs->b(k), pairs->d(k), seeds[k]).volume;
    });
  }
  double zone_ns() const {
    std::vector<narrow::FoundPoint> points;
    return mean_ns(pairs->size(), [&](std::size_t k) {
      narrow::contact_zone(pairs->a(k), pairs->b(k), pairs->d(k), planes[k], points);
      return static_cast<double>(points.size());
    });
  }
};

struct Kernel {
  KernelRow row;
  std::function<double()> ns;
};

void add_loop(std::vector<Kernel>& all, const char* name, const std::string& shape, double asked,
              const PosedPairs& pairs, PlaneMethod method, ContactGeometry geometry, Loop::Part part) {
  auto loop = std::make_shared<Loop>(pairs, method, geometry, part);
  all.push_back({{name, shape, 0, asked}, [loop] { return loop->ns(); }});
}

void add_search(std::vector<Kernel>& all, const char* name, const std::string& shape, double asked,
                const std::shared_ptr<const PosedPairs>& pairs, PlaneMethod method, bool tracked) {
  all.push_back({{name, shape, 0, asked}, [=] { return search_ns(*pairs, method, tracked); }});
}

std::vector<Kernel> kernels_of(const std::shared_ptr<const Shape>& shape) {
  using enum Loop::Part;
  const std::string& s = shape->name;
  const bool cube = s == "cube", grain = s == "grain14", boulder = s == "boulder32";
  const PosedPairs thin = scenes::random_pairs(shape, kPairs, -0.001, 8),
                   apart = scenes::random_pairs(shape, kPairs, 0.05, 8),
                   faces = scenes::face_to_face(shape, kPairs, 0.001, 9);
  const auto held = std::make_shared<const PosedPairs>(thin), held_apart = std::make_shared<const PosedPairs>(apart);
  std::vector<Kernel> all;
  add_loop(all, "pair skipped by the motion bound", s, 0, apart, PlaneMethod::automatic, ContactGeometry::overlap,
           planes);
  add_loop(all, "cached update, face on face", s, cube || grain ? 25 : 0, faces, PlaneMethod::automatic,
           ContactGeometry::overlap, planes);
  add_loop(all, "cached update, any contact", s, cube || grain ? 25 : 0, thin, PlaneMethod::automatic,
           ContactGeometry::overlap, planes);
  const double cold = cube ? 400 : grain ? 900 : boulder ? 2000 : 0;
  add_search(all, "exact cold solve, overlap 0.1 %", s, cold, held, PlaneMethod::automatic, false);
  add_search(all, "exact cold solve, apart 5 %", s, cold, held_apart, PlaneMethod::automatic, false);
  add_search(all, cube ? "two boxes, cold, overlap 0.1 %" : "separating axis, cold, overlap 0.1 %", s, 0, held,
             PlaneMethod::separating_axis, false);
  add_search(
      all, cube ? "two boxes from the last plane, overlap 0.1 %" : "separating axis from the last plane, overlap 0.1 %",
      s, 0, held, PlaneMethod::separating_axis, true);
  if (cube)
    add_loop(all, "two boxes in a step, overlap 0.1 %", s, 40, thin, PlaneMethod::separating_axis,
             ContactGeometry::overlap, planes);
  // A zone in a step lies about the best plane, which is found anew where the cached one is in doubt; with `fast` a
  // known contact goes from its plane to its zone.
  add_loop(all, "contact zone in a step with fast, face on face", s, 0, faces, PlaneMethod::fast,
           ContactGeometry::contact_zone, points);
  // A step finds pairs face on face by the vector; one alone pays for a vector of its own.
  const double overlap = cube ? 150 : grain ? 250 : 0;
  add_loop(all, "exact overlap in a step, face on face", s, overlap, faces, PlaneMethod::automatic,
           ContactGeometry::overlap, points);
  add_loop(all, "exact overlap in a step, any contact", s, 0, thin, PlaneMethod::automatic, ContactGeometry::overlap,
           points);
  const auto flat = std::make_shared<const Geometry>(std::make_shared<const PosedPairs>(faces)),
             any = std::make_shared<const Geometry>(held);
  const auto add = [&](const char* name, double asked, std::function<double()> ns) {
    all.push_back({{name, s, 0, asked}, std::move(ns)});
  };
  add("contact zone alone, face on face", cube || grain ? 60 : 0, [flat] { return flat->zone_ns(); });
  add("exact overlap alone, face on face", 0, [flat] { return flat->overlap_ns(false); });
  add("exact overlap alone, face on face, from all edges", 0, [flat] { return flat->overlap_ns(true); });
  add("exact overlap alone, any contact", 0, [any] { return any->overlap_ns(false); });
  return all;
}

}  // namespace

std::vector<KernelRow> measure_kernels(const std::vector<std::shared_ptr<const Shape>>& shapes, int turns) {
  std::vector<KernelRow> rows;
  for (const auto& shape : shapes) {
    std::vector<Kernel> all = kernels_of(shape);
    std::vector<std::vector<double>> ns(all.size());
    for (int turn = 0; turn <= turns; ++turn) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        const double t = all[i].ns();
        if (turn > 0) ns[i].push_back(t);
      }
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].row.ns = median(ns[i]);
      rows.push_back(all[i].row);
    }
  }
  return rows;
}

void print_kernels(const std::vector<KernelRow>& rows) {
  fmt::print("\nPieces of the step's contact search, ns per pair\n\n");
  Table table({"kernel", "shape", "ns", "aim"});
  for (const KernelRow& r : rows)
    table.add({r.kernel, r.shape, fmt::format("{:.1f}", r.ns), r.asked > 0 ? fmt::format("{:.0f}", r.asked) : ""});
  table.print();
}

nlohmann::ordered_json kernels_json(const std::vector<KernelRow>& rows) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const KernelRow& r : rows) {
    nlohmann::ordered_json row{{"kernel", r.kernel}, {"shape", r.shape}, {"ns", r.ns}};
    if (r.asked > 0) row["aim_ns"] = r.asked;
    out.push_back(row);
  }
  return out;
}

}  // namespace scree::app
