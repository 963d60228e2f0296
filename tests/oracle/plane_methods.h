#pragma once
#include <vector>

#include "narrow/plane_method.h"
#include "oracle/posed_pair.h"

/// The methods of the common plane as tests run them, with what each promises. `previous`: null for a cold start.
namespace scree::oracle {

struct Method {
  const char* name;
  narrow::Plane (*find)(const PosedPair&, const narrow::Plane* previous, narrow::SearchCounters&);
  bool overlap, apart;  ///< the best gap where the bodies overlap, where they do not; else a lower bound of it
  double slack = 0;     ///< share of the pair's size by which it may fall short of that, besides rounding
  bool exact() const { return overlap && apart && slack == 0; }
};

inline const std::vector<Method>& methods() {
  using narrow::Plane;
  using Counters = narrow::SearchCounters;
  static const std::vector<Method> list = {
      {"common_plane",
       [](const PosedPair& p, const Plane* previous, Counters& c) {
         return narrow::cundall_common_plane({}, p.a(), p.b(), p.d(), previous, c);
       },
       false, false},
      {"fast",
       [](const PosedPair& p, const Plane* previous, Counters& c) {
         return narrow::fast_common_plane(p.a(), p.b(), p.d(), previous == nullptr ? nullptr : &previous->feature, c);
       },
       false, false},
      {"shortest_link",
       [](const PosedPair& p, const Plane* previous, Counters& c) {
         return narrow::shortest_link({}, p.a(), p.b(), p.d(), previous, c);
       },
       false, true, 1e-12},
      {"separating_axis",
       [](const PosedPair& p, const Plane*, Counters&) { return narrow::separating_axis(p.a(), p.b(), p.d()); }, true,
       false},
      {"gjk",
       [](const PosedPair& p, const Plane* previous, Counters& c) {
         return narrow::gjk_plane(p.a(), p.b(), p.d(), previous, c);
       },
       true, true},
      {"exact",
       [](const PosedPair& p, const Plane* previous, Counters& c) {
         return narrow::exact_plane(p.a(), p.b(), p.d(), previous, c);
       },
       true, true},
      {"auto",
       [](const PosedPair& p, const Plane* previous, Counters& c) {
         return narrow::find_plane({}, p.a(), p.b(), p.d(), previous, c);
       },
       true, true},
  };
  return list;
}

}  // namespace scree::oracle
