// What is measured.
#include "io/case/read_measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/case/read_sources.h"
#include "io/results/series.h"
#include "io/results/stage_values.h"
#include "io/text/short_text.h"

namespace scree::io {

void read_measures(Reading& in) {
  using Kind = Case::Measure::Kind;
  static const std::pair<const char*, Kind> kKinds[] = {{"solid_fraction", Kind::solid_fraction},
                                                        {"stress", Kind::stress},
                                                        {"coordination", Kind::coordination},
                                                        {"fabric", Kind::fabric},
                                                        {"flow", Kind::flow},
                                                        {"mixing", Kind::mixing},
                                                        {"repose", Kind::repose},
                                                        {"track", Kind::track},
                                                        {"size_distribution", Kind::size_distribution}};
  const Node* n = map_at(in.root, "measure");
  for (std::size_t k = 0; n && k < n->items.size(); ++k) {
    for (const auto& [word, kind] : kKinds) {
      const Node* what = n->items[k].find(word);
      if (!what) continue;
      const std::string path = "measure." + n->keys[k].name + "." + word;
      Case::Measure m;
      m.kind = kind, m.name = n->keys[k].name;
      in.take(kind == Kind::track ? n->items[k] : *what, path, m);
      if (const Node* inside = map_at(*what, "inside")) m.inside = read_region(*inside, path + ".inside", in);
      if (get(*what, "material")) m.material = std::max(0, in.material(*what, path));
      if (kind == Kind::mixing && m.inside && m.inside->kind != Region::Kind::box)
        in.report(*what, path + ".inside", "expected a box, which can be divided into cells");
      in.c.measures.push_back(std::move(m));
    }
  }
}

void read_stage_measures(Reading& in) {
  const std::vector<std::string> columns = series_columns(in.c);
  std::vector<std::string> names;
  for (const std::string& c : columns) names.emplace_back(without_unit(c));
  for (std::size_t i = 0; i < in.c.stages.size(); ++i) {
    const Node* n = in.root.find("stages")->items[i].find("measure");
    if (!n) continue;
    Reading::each(*n, fmt::format("stages[{}].measure", i), [&](const Node& name, const std::string& at) {
      if (columns_meant(name.text, columns).empty())
        in.report(
            name, at,
            fmt::format("series.csv has no column {}{}", short_text(name.text), in.hint(name.text, names, "column")));
      in.c.stages[i].measure.push_back(name.text);
    });
  }
}

/// Grains have the ids 0, 1, ... in the order in which they come; none is given twice.
void check_tracked_grains(Reading& in) {
  const Node* n = map_at(in.root, "measure");
  if (!n || in.total == 0 || has_errors(in.out)) return;  // what is wrong elsewhere may be the reason
  for (std::size_t k = 0; k < n->items.size(); ++k) {
    const Node* ids = get(n->items[k], "track");
    for (std::size_t i = 0; ids && i < ids->items.size(); ++i) {
      const std::uint64_t id = ids->items[i].integer;
      if (id >= in.total)
        in.report(ids->items[i], fmt::format("measure.{}.track[{}]", n->keys[k].name, i),
                  fmt::format("no grain will ever have the id {}: {} come{} in all, with the id{} 0{}", id, in.total,
                              in.total == 1 ? "s" : "", in.total == 1 ? "" : "s",
                              in.total == 1 ? std::string() : fmt::format(" to {}", in.total - 1)));
    }
  }
}

}  // namespace scree::io
