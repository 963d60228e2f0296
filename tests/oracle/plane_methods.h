#pragma once
#include <vector>

#include "narrow/plane_method.h"
#include "oracle/posed_pair.h"

/// The methods of the common plane as tests run them: cold, with what each promises.
namespace scree::oracle {

struct Method {
  const char* name;
  narrow::Plane (*find)(const PosedPair&, narrow::SearchCounters&);
  bool overlap, apart;  ///< the best gap where the bodies overlap, where they do not; else a lower bound of it
  double slack = 0;     ///< share of the pair's size by which it may fall short of that, besides rounding
};

inline const std::vector<Method>& methods() {
  using narrow::Plane;
  using narrow::SearchCounters;
  static const std::vector<Method> list = {
    {"common_plane",
     [](const PosedPair& p, SearchCounters& c) {
       return narrow::cundall_common_plane({}, p.a(), p.b(), p.d(), nullptr, c);
     },
     false, false},
    {"fast",
     [](const PosedPair& p, SearchCounters& c) { return narrow::fast_common_plane(p.a(), p.b(), p.d(), nullptr, c); },
     false, false},
    {"separating_axis",
     [](const PosedPair& p, SearchCounters&) { return narrow::separating_axis(p.a(), p.b(), p.d()); }, true, false,
     1e-9},  // normals of edges that cross at angles near 1e-9 rad have no more digits
    {"gjk", [](const PosedPair& p, SearchCounters& c) { return narrow::gjk_plane(p.a(), p.b(), p.d(), nullptr, c); },
     true, true},
#if __has_include("narrow/shortest_link.cpp")
    {"shortest_link",
     [](const PosedPair& p, SearchCounters& c) { return narrow::shortest_link({}, p.a(), p.b(), p.d(), nullptr, c); },
     false, false},
#endif
#if __has_include("narrow/find_plane.cpp")
    {"exact",
     [](const PosedPair& p, SearchCounters& c) { return narrow::exact_plane(p.a(), p.b(), p.d(), nullptr, c); }, true,
     true},
    {"auto",
     [](const PosedPair& p, SearchCounters& c) { return narrow::find_plane({}, p.a(), p.b(), p.d(), nullptr, c); },
     true, true},
#endif
  };
  return list;
}

}  // namespace scree::oracle
