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

namespace {

/// "[N]", with the bracket; empty: a number of things.
std::string_view unit_of(std::string_view column) {
  column.remove_prefix(without_unit(column).size());
  return column == " [1]" ? std::string_view() : column;
}

/// The columns of series.csv by what a case may call them.
class ColumnNames {
 public:
  explicit ColumnNames(Reading& in) : in_(in), columns_(series_columns(in.c)) {
    for (const std::string& c : columns_) names_.emplace_back(without_unit(c));
  }

  /// Those that a name means; none, with a diagnostic, where there is none.
  std::vector<std::string> meant(const Node& name, const std::string& at) const {
    std::vector<std::string> all;
    for (const std::size_t k : columns_meant(name.text, columns_)) all.push_back(columns_[k]);
    if (all.empty())
      in_.report(
          name, at,
          fmt::format("series.csv has no column {}{}", short_text(name.text), in_.hint(name.text, names_, "column")));
    return all;
  }

 private:
  Reading& in_;
  std::vector<std::string> columns_, names_;
};

void read_plot(const Node& n, const std::string& path, const ColumnNames& columns, Reading& in) {
  Case::Plot plot;
  in.take(n, path, plot);
  if (const Node* over = get(n, "over")) {
    const std::vector<std::string> meant = columns.meant(*over, path + ".over");
    if (meant.size() > 1)
      in.report(*over, path + ".over",
                fmt::format("{} means {} columns, as {}; a plot stands over one", short_text(over->text), meant.size(),
                            without_unit(meant[0])));
  }
  std::string first;
  if (const Node* of = get(n, "of"))
    Reading::each(*of, path + ".of", [&](const Node& name, const std::string& at) {
      for (const std::string& column : columns.meant(name, at)) {
        if (column == "time [s]") {
          in.report(name, at, "time is no column to draw; it belongs in `over`");
          break;
        }
        if (first.empty()) first = column;
        if (unit_of(column) != unit_of(first)) {
          in.report(name, at, fmt::format("{} and {} have different units; give each unit its plot", first, column));
          break;
        }
      }
      plot.of.push_back(name.text);
    });
  in.c.output.plots.push_back(std::move(plot));
}

}  // namespace

void read_named_columns(Reading& in) {
  const ColumnNames columns(in);
  for (std::size_t i = 0; i < in.c.stages.size(); ++i) {
    const Node* n = in.root.find("stages")->items[i].find("measure");
    if (!n) continue;
    Reading::each(*n, fmt::format("stages[{}].measure", i), [&](const Node& name, const std::string& at) {
      columns.meant(name, at);
      in.c.stages[i].measure.push_back(name.text);
    });
  }
  const Node* output = map_at(in.root, "output");
  const Node* plots = output ? get(*output, "plots") : nullptr;
  for (std::size_t i = 0; plots && i < plots->items.size(); ++i)
    read_plot(plots->items[i], fmt::format("output.plots[{}]", i), columns, in);
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
