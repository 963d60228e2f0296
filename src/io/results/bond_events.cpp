#include "io/results/bond_events.h"

#include <fmt/format.h>

namespace scree::io {

std::string bond_event_header() {
  return "time [s],cluster,id_a,id_b,mode,stress [Pa],strength [Pa],x [m],y [m],z [m]\n";
}

std::string bond_event_rows(const std::vector<bond::Event>& events) {
  std::string rows;
  for (const bond::Event& e : events) {
    rows += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", e.time, e.cluster, e.id_a, e.id_b, bond::name(e.mode),
                        e.stress, e.strength, e.place.x, e.place.y, e.place.z);
  }
  return rows;
}

}  // namespace scree::io
