// Materials, the law of each pair of them, and changes of friction.
#include "io/case/read_contacts.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/case/law_words.h"
#include "io/case/read_laws.h"
#include "io/library/materials.h"
#include "io/text/nearest.h"
#include "io/text/short_text.h"

namespace scree::io {

namespace {

constexpr int kAny = -1;  ///< in place of a material: all of them
constexpr const char* kAnyName = "any";

bool is_elastic(const std::string& law) {
  const std::vector<std::string> laws = law_words(true);
  return std::find(laws.begin(), laws.end(), law) != laws.end();
}

/// Nothing: there is none, and said so.
std::optional<LibraryMaterial> library_material(const Node& n, const std::string& path, Reading& in) {
  const std::vector<std::string> names = material_names();
  if (std::find(names.begin(), names.end(), n.text) == names.end()) {
    const std::string near = did_you_mean(n.text, names);
    in.report(n, path,
              fmt::format("no material {} in the library{} `scree materials` lists what there is", short_text(n.text),
                          near.empty() ? ";" : near));
    return std::nullopt;
  }
  Result<LibraryMaterial> m = load_material(n.text, in.units);
  if (m) return std::move(*m);
  in.report(n, path, fmt::format("the material {} cannot be used: {}", n.text, m.error().message));
  return std::nullopt;
}

void take_values(const LibraryMaterial& from, Case::Material& m) {
  m.density = from.density.si;
  if (from.young_modulus) m.young_modulus = from.young_modulus->si;
  if (from.poisson_ratio) m.poisson_ratio = from.poisson_ratio->si;
  if (from.restitution) m.restitution = from.restitution->si;
}

std::pair<int, int> ordered(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

}  // namespace

void read_materials(Reading& in) {
  const Node* n = map_at(in.root, "materials");
  if (!n) return;
  in.materials_known = true;
  for (std::size_t i = 0; i < n->items.size(); ++i) {
    const Node& item = n->items[i];
    Case::Material m{n->keys[i].name, 1};
    const bool is_map = item.kind == Node::Kind::map;  // else its mistake is told already
    bool gives_young = is_map && item.find("young_modulus"), gives_poisson = is_map && item.find("poisson_ratio");
    if (const Node* from = is_map ? item.find("from") : nullptr) {
      std::optional<LibraryMaterial> entry;  // none: its mistake is told, and what it would have given is not missed
      if (from->valid) entry = library_material(*from, "materials." + m.name + ".from", in);
      if (entry) take_values(*entry, m);
      gives_young |= !entry || entry->young_modulus, gives_poisson |= !entry || entry->poisson_ratio;
    }
    if (is_map) in.take(item, "materials." + m.name, m);
    in.elastic.push_back(!is_map || (gives_young && gives_poisson));
    if (m.name == kAnyName)
      in.report(item, "materials.any", "a material cannot be called any, which stands for all of them in `between`");
    in.material_names.push_back(m.name);
    in.c.materials.push_back(std::move(m));
  }
}

bool Contacts::between(const Node& map, const std::string& path, int& a, int& b) {
  const Node* n = get(map, "between");
  if (!n || !in_.materials_known) return false;
  const auto one = [&](std::size_t k, int& m) {
    m = kAny;
    if (n->items[k].text == kAnyName) return true;
    m = in_.resolve(n->items[k], fmt::format("{}.between[{}]", path, k), in_.material_names, "material");
    return m >= 0;
  };
  const bool first = one(0, a), second = one(1, b);
  return first && second;
}

void Contacts::read() {
  const Node* list = in_.root.find("contacts");
  if (!list || list->kind != Node::Kind::list) return;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const Node& n = list->items[i];
    if (n.kind != Node::Kind::map) continue;
    const std::string path = fmt::format("contacts[{}]", i);
    int a = 0, b = 0;
    if (!between(n, path, a, b)) continue;
    const auto [at, fresh] = laws_.try_emplace(ordered(a, b), i);
    if (!fresh) {
      in_.report(*n.find("between"), path + ".between",
                 fmt::format("this pair has its law in contacts[{}] already", at->second));
      continue;
    }
    if (a != kAny && b != kAny) {
      contact(n, path, a, b);
    } else if (const Node* name = get(n, "law"); name && !is_elastic(name->text) && !in_.c.materials.empty()) {
      // Its own mistakes are told whether a pair needs it or not; an elastic law hangs on the pair's materials.
      const std::size_t mistakes = in_.out.size();
      Case::Contact unused;
      read_law(n, path, in_, unused);
      if (in_.out.size() > mistakes) spoiled_.insert(i);
    }
  }
}

void Contacts::contact(const Node& n, const std::string& path, int a, int b) {
  Case::Contact c;
  c.material_a = a, c.material_b = b;
  if (read_law(n, path, in_, c)) in_.c.contacts.push_back(c);
}

bool Contacts::has_law(int a, int b) {
  if (laws_.contains(ordered(a, b))) return true;
  auto at = laws_.find(ordered(kAny, a));
  const auto other = laws_.find(ordered(kAny, b));
  if (at != laws_.end() && other != laws_.end() && at != other) {
    in_.report(
        *in_.root.find("contacts"), "contacts",
        fmt::format(
            "contacts[{}] and contacts[{}] both give a law between {} and {}; add an entry with between: [{}, {}]",
            std::min(at->second, other->second), std::max(at->second, other->second), in_.named(a), in_.named(b),
            in_.named(a), in_.named(b)));
    laws_[ordered(a, b)] = at->second;
    return true;
  }
  if (at == laws_.end()) at = other;
  if (at == laws_.end()) at = laws_.find(ordered(kAny, kAny));
  if (at == laws_.end()) return false;
  const std::size_t entry = at->second;
  laws_[ordered(a, b)] = entry;
  if (spoiled_.contains(entry)) return true;
  const std::size_t mistakes = in_.out.size();
  contact(in_.root.find("contacts")->items[entry], fmt::format("contacts[{}]", entry), a, b);
  if (in_.out.size() > mistakes) spoiled_.insert(entry);
  return true;
}

void Contacts::complete() {
  std::map<int, std::uint64_t> grains;
  std::map<int, std::string> group_of, wall_of;
  in_.c.for_each_group([&](const Case::Group& g) {
    grains[g.material] += in_.c.particles_of(g), group_of.try_emplace(g.material, g.name);
  });
  auto take_walls = [&](const std::vector<Case::Wall>& list) {
    for (const auto& w : list) wall_of.try_emplace(w.material, w.name);
  };
  take_walls(in_.c.walls);
  for (const auto& s : in_.c.stages) take_walls(s.add);
  auto need = [&](int a, int b, const std::string& who) {
    if (has_law(a, b)) return;
    const Node* list = in_.root.find("contacts");
    const std::string &x = in_.named(a), &y = in_.named(b);
    in_.report(list ? *list : in_.root, "contacts",
               fmt::format("no law between {} and {} ({}); add an entry with between: [{}, {}]", x, y, who, x, y));
    laws_[ordered(a, b)] = 0;
  };
  for (const auto& [a, na] : grains) {
    has_law(a, a);  // so that one for any is taken for a single grain too
    for (const auto& [b, nb] : grains)
      if (a < b || (a == b && na > 1))
        need(a, b, a == b ? "grains of " + group_of[a] : "grains of " + group_of[a] + " and of " + group_of[b]);
    for (const auto& [b, wall] : wall_of) need(a, b, "grains of " + group_of[a] + " and the wall " + wall);
  }
}

void Contacts::friction(const Node& n, const std::string& path, Case::Stage& s) {
  const Node* list = n.find("friction");
  if (!list || list->kind != Node::Kind::list) return;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const Node& f = list->items[i];
    if (f.kind != Node::Kind::map) continue;
    const std::string at = fmt::format("{}.friction[{}]", path, i);
    Case::FrictionChange c;
    if (!between(f, at, c.material_a, c.material_b)) continue;
    c.friction_angle = read_friction_angle(f, at, in_);
    const bool all = c.material_a == kAny || c.material_b == kAny;
    if (!all && !has_law(c.material_a, c.material_b))
      in_.report(*f.find("between"), at + ".between", "this pair has no law in contacts");
    s.friction.push_back(c);
  }
}

void Contacts::friction_of_any() {
  const auto fits = [](const Case::FrictionChange& f, int a, int b) {
    const auto one = [](int wanted, int m) { return wanted == kAny || wanted == m; };
    return (one(f.material_a, a) && one(f.material_b, b)) || (one(f.material_a, b) && one(f.material_b, a));
  };
  const auto anys = [](const Case::FrictionChange& f) { return (f.material_a == kAny) + (f.material_b == kAny); };
  for (std::size_t k = 0; k < in_.c.stages.size(); ++k) {
    Case::Stage& s = in_.c.stages[k];
    if (std::none_of(s.friction.begin(), s.friction.end(), [&](const auto& f) { return anys(f) > 0; })) continue;
    for (std::size_t i = 0; i < s.friction.size(); ++i) {
      const bool fits_one = std::any_of(in_.c.contacts.begin(), in_.c.contacts.end(), [&](const Case::Contact& c) {
        return fits(s.friction[i], c.material_a, c.material_b);
      });
      const Node& n = in_.root.find("stages")->items[k].find("friction")->items[i];
      const auto same = [&](const Case::FrictionChange& f) {
        return std::minmax(f.material_a, f.material_b) ==
               std::minmax(s.friction[i].material_a, s.friction[i].material_b);
      };
      if (anys(s.friction[i]) > 0 &&
          std::any_of(s.friction.begin(), s.friction.begin() + static_cast<std::ptrdiff_t>(i), same))
        in_.report(*n.find("between"), fmt::format("stages[{}].friction[{}].between", k, i),
                   "these have a friction in this stage already");
      if (!fits_one)
        in_.report(*n.find("between"), fmt::format("stages[{}].friction[{}].between", k, i),
                   "no pair that meets has these");
    }
    std::vector<Case::FrictionChange> all;
    for (const Case::Contact& c : in_.c.contacts) {
      const Case::FrictionChange* closest = nullptr;  // of several for the pair itself the last, as without any
      for (const Case::FrictionChange& f : s.friction) {
        if (!fits(f, c.material_a, c.material_b) || (closest && anys(f) > anys(*closest))) continue;
        if (closest && anys(f) == 1 && anys(*closest) == 1)
          in_.report(
              *in_.root.find("stages")->items[k].find("friction"), fmt::format("stages[{}].friction", k),
              fmt::format("two entries with any fit {} and {}; add one with between: [{}, {}]", in_.named(c.material_a),
                          in_.named(c.material_b), in_.named(c.material_a), in_.named(c.material_b)));
        closest = &f;
      }
      if (closest) all.push_back({c.material_a, c.material_b, closest->friction_angle});
    }
    s.friction = all;
  }
}

}  // namespace scree::io
