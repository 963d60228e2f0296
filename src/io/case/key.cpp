#include "io/case/key.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "io/case/keys.h"

namespace scree::io {

std::string exact(double v) { return fmt::format("{}", v); }

std::string Key::name() const {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? path : path.substr(dot + 1);
}

const Member* Key::member_in(std::type_index owner) const {
  const auto m = std::find_if(members.begin(), members.end(), [&](const Member& k) { return k.owner == owner; });
  return m == members.end() ? nullptr : &*m;
}

const std::vector<Key>& case_keys() {
  static const std::vector<Key> all = [] {
    std::vector<Key> keys;
    for (const auto& section :
         {world_keys, contacts_keys, bonds_keys, detection_keys, walls_keys, grains_keys, measure_keys, stages_keys}) {
      std::vector<Key> more = section();
      std::move(more.begin(), more.end(), std::back_inserter(keys));
    }
    return keys;
  }();
  return all;
}

const std::vector<Bound>& bound_to(std::type_index owner) {
  static const std::map<std::type_index, std::vector<Bound>> all = [] {
    std::map<std::type_index, std::vector<Bound>> made;
    for (const Key& k : case_keys())
      for (const Member& m : k.members) {
        std::vector<Bound>& list = made[m.owner];
        const std::string name = k.name();
        if (std::none_of(list.begin(), list.end(), [&](const Bound& b) { return b.name == name; }))
          list.push_back({&k, &m, name});
      }
    return made;
  }();
  return all.at(owner);
}

namespace {

/// The member of a struct as it is by default: "5 degree", "[0, 0, -9.81 m/s^2]".
std::string default_text(const Key& key, const Member& member, const Units& units) {
  const Form* form = &key.forms.back();
  while (form->kind == Form::Kind::list) form = &form->item[0];
  std::vector<std::string> texts = member.text(member.make().get());
  if (form->kind == Form::Kind::quantity) {
    const std::string unit = key.shown.empty() ? form->dimension.unit : key.shown;
    const Result<double> scale = units.to_si("1 " + unit, form->dimension);
    for (std::string& t : texts)
      if (const double v = std::stod(t) / (scale ? *scale : 1); v != 0 || !member.is_list)
        t = fmt::format("{:.6g} {}", v, unit);
  } else if (form->kind == Form::Kind::number) {
    for (std::string& t : texts) t = fmt::format("{:.6g}", std::stod(t));
  }
  const std::string text = fmt::format("{}", fmt::join(texts, ", "));
  return member.is_list ? "[" + text + "]" : text;
}

}  // namespace

std::string default_of(const Key& key, const Units& units) {
  return key.absent == kOfMember && !key.members.empty() ? default_text(key, key.members[0], units) : key.absent;
}

namespace {

/// "particles[].size" -> {particles, size}; the marks of lists and of names only serve the reader of the table.
std::vector<std::string> segments(const std::string& path) {
  std::vector<std::string> s{{}};
  for (const char c : path) {
    if (c == '.') {
      s.emplace_back();
    } else if (c != '[' && c != ']' && c != '*') {
      s.back() += c;
    }
  }
  std::erase(s, std::string());
  return s;
}

Entry* descend(Entry& from, const std::vector<std::string>& path, std::size_t depth) {
  Entry* e = &from;
  for (std::size_t i = 0; i < depth; ++i) {
    Entry* next = nullptr;
    for (Entry& k : e->keys)
      if (k.name == path[i]) next = &k;
    if (!next) return nullptr;
    e = next;
  }
  return e;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

const Entry& case_root() {
  static const Entry root = [] {
    Entry r;
    for (const Key& key : case_keys()) {
      const auto path = segments(key.path);
      Entry* parent = descend(r, path, path.size() - 1);
      Entry entry{&key, path.back(), {}};
      if (!key.same_as.empty()) entry.keys = descend(r, segments(key.same_as), segments(key.same_as).size())->keys;
      parent->keys.push_back(std::move(entry));
    }
    return r;
  }();
  return root;
}

bool Entry::goes_with(const std::string& law) const {
  return !key || key->laws.empty() || (!law.empty() && has(key->laws, law));
}

bool Entry::required_with(const std::string& law) const {
  return (required() && goes_with(law)) || (key && !law.empty() && has(key->required_for, law));
}

}  // namespace scree::io
