// Keys of a case: contact laws. Those of a law are made from its own list (contact/law.h).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "io/case/given.h"
#include "io/case/keys.h"
#include "io/case/law_words.h"
#include "sim/case.h"

namespace scree::io {

namespace {

/// A key of `contacts`, as the laws that take it tell of it.
struct LawKey {
  std::string name;
  contact::Unit unit;
  contact::Bounds bounds;  ///< of all of them
  std::vector<std::string> laws, fallbacks, sentences, words;
  std::string needs;
};

Form form_of(const LawKey& k) {
  using contact::Unit;
  const Range range{k.bounds.low, k.bounds.high, k.bounds.above, k.bounds.below};
  switch (k.unit) {
    case Unit::stiffness:
      return forms::quantity(dimension::stiffness, range);
    case Unit::power_stiffness:
      return {.kind = Form::Kind::power_stiffness, .range = range};
    case Unit::pressure:
      return forms::quantity(dimension::pressure, range);
    case Unit::angle:
      return forms::quantity(dimension::angle, range);
    case Unit::speed:
      return forms::quantity(dimension::velocity, range);
    case Unit::word:
      return forms::words(k.words);
    case Unit::map:
      return forms::map();
    case Unit::one:
      break;
  }
  return forms::number(range);
}

/// What holds without the parameter, in words: of the law as it is made, and as the map around the key leaves it.
template <class L>
std::string fallback_of(const contact::Parameter<L>& p) {
  if (!p.fallback.empty()) return std::string(p.fallback);
  L law;
  for (const contact::Parameter<L>& map : L::parameters())
    if (map.unit == contact::Unit::map && p.key.starts_with(std::string(map.key) + ".")) map.apply(law, 0);
  return fmt::format("{:.6g}", law.*p.member);
}

/// One text where all laws have the same, else each with the laws that it is of: before it `open`, behind it `close`.
std::string merged(const LawKey& k, const std::vector<std::string>& texts, const char* open, const char* close,
                   const char* between) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (std::find(texts.begin(), texts.end(), texts[i]) - texts.begin() != static_cast<std::ptrdiff_t>(i)) continue;
    std::vector<std::string> of;
    for (std::size_t j = i; j < texts.size(); ++j)
      if (texts[j] == texts[i]) of.push_back(k.laws[j]);
    if (of.size() == texts.size()) return texts[0];
    parts.push_back(fmt::format("{}{}{}{}", open, fmt::join(of, ", "), close, texts[i]));
  }
  return fmt::format("{}", fmt::join(parts, between));
}

/// A key that several laws take is one row.
std::vector<Key> law_keys() {
  std::vector<LawKey> found;
  Laws::for_each([&]<class L>() {
    for (const contact::Parameter<L>& p : L::parameters()) {
      auto at = std::find_if(found.begin(), found.end(), [&](const LawKey& k) { return k.name == p.key; });
      if (at == found.end())
        at = found.insert(found.end(), {std::string(p.key), p.unit, p.bounds, {}, {}, {}, {}, std::string(p.needs)});
      at->laws.emplace_back(L::kName), at->fallbacks.push_back(fallback_of(p)), at->sentences.emplace_back(p.what);
      at->words.assign(p.words.begin(), p.words.end());
      if (p.bounds.low < at->bounds.low || (p.bounds.low == at->bounds.low && !p.bounds.above))
        at->bounds.low = p.bounds.low, at->bounds.above = p.bounds.above;
      at->bounds.high = std::max(at->bounds.high, p.bounds.high);
    }
  });
  std::vector<Key> keys;
  for (const LawKey& k : found) {
    Key key{"contacts[]." + k.name,
            {form_of(k)},
            merged(k, k.fallbacks, "", ": ", "; "),
            merged(k, k.sentences, "(", ") ", " ")};
    key.needs = k.needs;
    // What stands in a map goes with the laws that take the map.
    if (k.laws.size() < law_words().size() && k.name.find('.') == std::string::npos) key.laws = k.laws;
    for (std::size_t i = 0; key.absent != kRequired && i < k.laws.size(); ++i)
      if (k.fallbacks[i] == kRequired) key.required_for.push_back(k.laws[i]);
    keys.push_back(std::move(key));
  }
  return keys;
}

}  // namespace

std::vector<Key> contacts_keys() {
  using dimension::surface_energy;
  using namespace forms;
  std::vector<Key> keys{
      Key{"contacts",
          {list_of(map(), 0, kMaxMaps)},
          "[]",
          "How two materials act on each other: one entry for each pair that can meet."},
      Key{"contacts[].between",
          {list_of(name(), 2, 2)},
          kRequired,
          "The two materials, in any order; `any` stands for all of them."},
      Key{"contacts[].law",
          {words(law_words())},
          kRequired,
          "Contact law; see docs/laws/. A mark such as (linear) before a key's meaning says which laws take it."},
      Key{"contacts[].rolling",
          {map()},
          "none",
          "Resistance to rolling and twisting, beside any law; docs/laws/rolling.md."},
      Key{"contacts[].rolling.model",
          {},
          kRequired,
          "constant: the limit while the pair rolls; spring: elastic-plastic spring and dashpot (Ai et al. 2011)."}
          .choice(&given::Rolling::model,
                  {{"constant", contact::Rolling::Model::constant}, {"spring", contact::Rolling::Model::spring}}),
      Key{"contacts[].rolling.friction",
          {number(kFromZero)},
          kRequired,
          "Coefficient of rolling friction: limit of the moment over R* times the pressing force."}
          .to(&given::Rolling::friction),
      Key{"contacts[].rolling.twisting", {number(kFromZero)}, kOfMember, "The same about the normal."}.to(
          &given::Rolling::twisting),
      Key{"contacts[].rolling.damping_ratio",
          {number(kFromZero)},
          kOfMember,
          "Share of critical damping below the limit."}
          .to(&given::Rolling::damping_ratio),
      Key{"contacts[].cohesion",
          {map()},
          "none",
          "Attraction of touching bodies, beside any law; docs/laws/cohesion.md."},
      Key{"contacts[].cohesion.model",
          {},
          kRequired,
          "dmt: a constant pull 2 pi w R*; jkr: Johnson, Kendall and Roberts, spheres with law: hertz_mindlin."}
          .choice(&given::Cohesion::is_jkr, {{"dmt", false}, {"jkr", true}}),
      Key{"contacts[].cohesion.work_of_adhesion",
          {quantity(surface_energy, kAboveZero)},
          kRequired,
          "Energy w that it takes to part a unit of area."}
          .to(&given::Cohesion::work_of_adhesion),
  };
  std::vector<Key> of_laws = law_keys();
  const auto behind_law =
      std::find_if(keys.begin(), keys.end(), [](const Key& k) { return k.path == "contacts[].law"; });
  keys.insert(behind_law + 1, std::move_iterator(of_laws.begin()), std::move_iterator(of_laws.end()));
  return keys;
}

}  // namespace scree::io
