#pragma once
#include <string>
#include <utility>
#include <vector>

#include "io/case/key.h"

namespace scree::io {

/// The table, section by section; case_keys() puts them behind each other.
std::vector<Key> world_keys();
std::vector<Key> contacts_keys();
std::vector<Key> bonds_keys();
std::vector<Key> detection_keys();
std::vector<Key> walls_keys();
std::vector<Key> grains_keys();
std::vector<Key> measure_keys();
std::vector<Key> stages_keys();

/// Forms, as the table writes them.
namespace forms {

// Far beyond any real case, and few enough that looking names up one by one
// takes no time.
inline constexpr std::size_t kMaxNames = 1000, kMaxMaps = 10000;
inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr Range kAny{}, kAboveZero{0, kInf, true, false}, kFromZero{0, kInf, false, false};

inline Form text() { return {}; }
inline Form name() { return {.kind = Form::Kind::name}; }
inline Form flag() { return {.kind = Form::Kind::flag}; }
inline Form words(std::vector<std::string> w) { return {.kind = Form::Kind::words, .words = std::move(w)}; }
inline Form integer(Range r) { return {.kind = Form::Kind::integer, .range = r}; }
inline Form number(Range r) { return {.kind = Form::Kind::number, .range = r}; }
inline Form quantity(const Dimension& d, Range r = kAny) {
  return {.kind = Form::Kind::quantity, .dimension = d, .range = r};
}
inline Form list_of(Form item, std::size_t least = 0, std::size_t most = kMaxNodes) {
  return {.kind = Form::Kind::list, .item = {std::move(item)}, .least = least, .most = most};
}
inline Form vector(const Dimension& d) { return list_of(quantity(d), 3, 3); }
inline Form map() { return {.kind = Form::Kind::map}; }
inline Form names(std::size_t least = 0) { return {.kind = Form::Kind::names, .least = least, .most = kMaxNames}; }
inline Form references() { return {.kind = Form::Kind::names, .most = kMaxNames, .references = true}; }

}  // namespace forms
}  // namespace scree::io
