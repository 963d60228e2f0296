#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "io/case/key.h"
#include "io/case/reading.h"
#include "io/case/schema.h"

/// Values of the keys of case files, drawn from the table of keys.
namespace scree::oracle {

using io::exact;
using io::Form;
using io::Key;
using io::Member;

inline const io::Units& units() {
  static const io::Units u = *io::Units::load();
  return u;
}

/// Reads one value into a default-made owner of the member.
class OneValue {
 public:
  /// What is wrong with the text; empty: nothing, and `owner` has it.
  std::string take(const Key& key, const Member& m, const std::string& text) {
    owner = m.make();
    std::vector<Diagnostic> out;
    io::Node root;
    if (!io::parse_yaml("k: " + text, "x.yaml", root, out)) return format(out[0]);
    io::Node& value = root.items[0];
    if (std::string wrong = io::check_value(value, key, units()); !wrong.empty()) return wrong;
    const std::vector<std::string> files{"x.yaml"};
    Case c;
    io::Reading in(units(), files, out, root, c);
    m.take(value, "k", in, owner.get());
    return out.empty() ? std::string() : format(out[0]);
  }
  std::shared_ptr<void> owner;
};

inline std::string yaml(const std::vector<std::string>& texts, bool is_list) {
  std::string s;
  for (const std::string& t : texts) s += (s.empty() ? "" : ", ") + t;
  return is_list ? "[" + s + "]" : s;
}

/// A random value of a form as a case file may have it, and as the member tells it.
struct Sample {
  std::vector<std::string> given, told;
};
inline void sample(const Form& f, Random& r, Sample& s) {
  const auto number = [&] {
    const double low = std::max(f.range.low, -1e3), high = std::min(f.range.high, std::max(1e3, 2 * low));
    return low + (high - low) * r.uniform(0.01, 0.99);
  };
  switch (f.kind) {
    case Form::Kind::words: {
      const std::string& word = f.words[r.below(f.words.size())];
      s.given.push_back(word), s.told.push_back(word);
      break;
    }
    case Form::Kind::flag:
      s.given.emplace_back(r.uniform() < 0.5 ? "true" : "false"), s.told.push_back(s.given.back());
      break;
    case Form::Kind::text:
    case Form::Kind::name:
      s.given.push_back("n" + std::to_string(r.below(1000))), s.told.push_back(s.given.back());
      break;
    case Form::Kind::integer: {
      const double low = f.range.low, high = std::min(f.range.high, low + 1e6);
      s.given.push_back(
          std::to_string(static_cast<std::uint64_t>(low) + r.below(static_cast<std::uint64_t>(high - low) + 1)));
      s.told.push_back(s.given.back());
      break;
    }
    case Form::Kind::number:
    case Form::Kind::quantity: {
      const std::string v = exact(number());
      s.told.push_back(v);
      s.given.push_back(f.kind == Form::Kind::quantity && r.uniform() < 0.5 ? v + " " + f.dimension.unit : v);
      break;
    }
    case Form::Kind::list:
      for (std::size_t n = f.least == f.most ? f.least : f.least + 1 + r.below(3); n > 0; --n) sample(f.item[0], r, s);
      break;
    default:
      FAIL() << "no value of one member";
  }
}

/// The form that a bound value of the key has; null: it is a map, whose keys are bound, or its unit hangs on another
/// key.
inline const Form* bound_form(const Key& key, Random& r) {
  std::vector<const Form*> forms;
  for (const Form& f : key.forms)
    if (f.kind != Form::Kind::map && f.kind != Form::Kind::names && f.kind != Form::Kind::power_stiffness)
      forms.push_back(&f);
  // A word beside a quantity stands for no value.
  if (forms.size() > 1 && forms[0]->kind == Form::Kind::words) forms.erase(forms.begin());
  return forms.empty() ? nullptr : forms[r.below(forms.size())];
}

}  // namespace scree::oracle
