#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "io/case/key.h"

namespace scree::oracle {

/// Where a key has more room than a case that has to run: from low to high (SI), and why.
struct Narrowed {
  const char* path;
  double low, high;
  const char* why;
};

/// Values of keys by the table of keys: forms, words, units and bounds. The keys that were given are added to `drawn`.
class KeyDraws {
 public:
  KeyDraws(std::uint64_t seed, std::uint64_t number, std::span<const Narrowed> narrowed, std::set<std::string>* drawn)
      : r(seed, number), narrowed_(narrowed), drawn_(drawn) {}

  Random r;
  bool planar = false;

  bool chance(double p) { return r.uniform() < p; }
  std::string one(const std::vector<std::string>& of) { return of[r.below(of.size())]; }

  static const io::Key& key(const std::string& path) {
    const auto k = std::find_if(io::case_keys().begin(), io::case_keys().end(),
                                [&](const io::Key& one) { return one.path == path; });
    if (k != io::case_keys().end()) return *k;
    ADD_FAILURE() << "no key " << path;
    std::abort();
  }
  void mark(const std::string& path) { drawn_->insert(key(path).path); }

  /// A value of one of the key's forms that are no map.
  std::string value(const std::string& path) {
    mark(path);
    std::vector<const io::Form*> forms;
    for (const io::Form& f : key(path).forms)
      if (f.kind != io::Form::Kind::map) forms.push_back(&f);
    return text(*forms[r.below(forms.size())], path);
  }
  /// A number within the key's bounds, and within what its row below narrows them to; the ends themselves now and then.
  double number(const std::string& path) {
    const io::Form* f = &key(path).forms.back();
    for (const io::Form& form : key(path).forms)
      if (form.kind == io::Form::Kind::quantity || form.kind == io::Form::Kind::number) f = &form;
    while (f->kind == io::Form::Kind::list) f = &f->item[0];
    return number(*f, path);
  }

 private:
  double number(const io::Form& f, const std::string& path) {
    double low = f.range.low, high = f.range.high;
    bool above = f.range.above, below = f.range.below;
    for (const Narrowed& n : narrowed_) {
      if (path != n.path) continue;
      EXPECT_TRUE(f.range.holds(n.low) && f.range.holds(n.high) && n.low < n.high) << path;
      low = n.low, high = n.high, above = below = false;
    }
    if (!std::isfinite(low) || !std::isfinite(high)) {
      ADD_FAILURE() << path << " has no bounds: narrow it";
      std::abort();
    }
    const double u = r.uniform();
    if (u < 0.1 && !above) return low;
    if (u > 0.9 && !below) return high;
    return r.uniform(low + 1e-6 * (high - low), high);
  }
  std::string text(const io::Form& f, const std::string& path) {
    using Kind = io::Form::Kind;
    switch (f.kind) {
      case Kind::words:
        return f.words[r.below(f.words.size())];
      case Kind::flag:
        return chance(0.5) ? "true" : "false";
      case Kind::integer:
        return std::to_string(static_cast<std::uint64_t>(std::floor(number(f, path))));
      case Kind::number:
        return io::exact(number(f, path));
      case Kind::quantity: {
        const std::string v = io::exact(number(f, path));
        return chance(0.7) ? v + " " + f.dimension.unit : v;
      }
      case Kind::list: {
        const bool is_flat = planar && f.item[0].kind != Kind::integer;
        std::string all;
        for (std::size_t n = f.least == f.most ? f.most : std::max<std::size_t>(f.least, 1) + r.below(3), k = 0; k < n;
             ++k)
          all += (k > 0 ? ", " : "") + (is_flat && n == 3 && k == 2 ? "0" : text(f.item[0], path));
        return "[" + all + "]";
      }
      default:
        return "t" + std::to_string(r.below(1000));
    }
  }

  std::span<const Narrowed> narrowed_;
  std::set<std::string>* drawn_;
};

/// A map of a case file on the way: names in their order, each with its text.
class MapText {
 public:
  /// `path`: of its keys in the table.
  MapText(KeyDraws& draws, std::string path) : draws_(draws), path_(std::move(path)) {}

  MapText& give(const std::string& name) { return text(name, draws_.value(at(name))); }
  MapText& maybe(const std::string& name, double p = 0.5) { return draws_.chance(p) ? give(name) : *this; }
  MapText& some(const std::vector<std::string>& names, double p = 0.5) {
    for (const std::string& n : names) maybe(n, p);
    return *this;
  }
  /// What hangs on the rest of the case.
  MapText& put(const std::string& name, const std::string& value) {
    draws_.mark(at(name));
    return text(name, value);
  }
  /// Under a name that a case chooses.
  MapText& named(const std::string& name, const std::string& value) { return text(name, value); }
  std::string str() const { return "{" + text_ + "}"; }
  bool has(const std::string& name) const { return names_.contains(name); }

 private:
  std::string at(const std::string& name) const { return path_.empty() ? name : path_ + "." + name; }
  MapText& text(const std::string& name, const std::string& value) {
    names_.insert(name);
    text_ += (text_.empty() ? "" : ", ") + name + ": " + value;
    return *this;
  }

  KeyDraws& draws_;
  std::string path_, text_;
  std::set<std::string> names_;
};

}  // namespace scree::oracle
