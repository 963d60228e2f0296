#include "io/case/schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numbers>

#include "io/text/nearest.h"
#include "io/text/short_text.h"

namespace scree::io {

namespace {

using Kind = Form::Kind;

/// Angles are shown in degrees, as users write them.
std::string range_text(Range r, std::string unit) {
  if (unit == "rad") r.low *= 180 / std::numbers::pi, r.high *= 180 / std::numbers::pi, unit = "degree";
  const bool low = std::isfinite(r.low), high = std::isfinite(r.high);
  auto value = [&](double v) {
    return unit.empty() || v == 0 ? fmt::format("{:.6g}", v) : fmt::format("{:.6g} {}", v, unit);
  };
  auto whole = [&](double v) {
    return v == std::floor(v) && std::abs(v) < 1e15
               ? fmt::format("{:.0f}", v) + (unit.empty() || v == 0 ? "" : " " + unit)
               : value(v);
  };
  if (low && high)
    return fmt::format(" {} {} {} {}", r.above ? "above" : "from", whole(r.low), r.below ? "to below" : "to",
                       whole(r.high));
  if (low) return fmt::format(" {} {}", r.above ? "above" : "from", whole(r.low)) + (r.above ? "" : " up");
  if (high) return fmt::format(" {} {}", r.below ? "below" : "up to", whole(r.high));
  return {};
}

std::string plural(const Form& f) {
  switch (f.kind) {
    case Kind::text:
      return "texts";
    case Kind::name:
      return "names";
    case Kind::flag:
      return "true or false";
    case Kind::words:
      return fmt::format("words (one of {})", fmt::join(f.words, ", "));
    case Kind::integer:
      return "integers" + range_text(f.range, {});
    case Kind::number:
      return "numbers" + range_text(f.range, {});
    case Kind::quantity:
      return (f.dimension.name.ends_with('y') ? f.dimension.name.substr(0, f.dimension.name.size() - 1) + "ies"
                                              : f.dimension.name + "s") +
             range_text(f.range, f.dimension.unit);
    case Kind::power_stiffness:
      return "stiffnesses";
    case Kind::list:
      return "lists of " + (f.least == f.most ? std::to_string(f.least) + " " : "") + plural(f.item[0]);
    case Kind::map:
    case Kind::names:
      return "maps";
  }
  return {};
}

std::string describe(const Form& f, const Entry& e, bool with_range = true) {
  switch (f.kind) {
    case Kind::text:
      return "a text";
    case Kind::name:
      return "a name";
    case Kind::flag:
      return "true or false";
    case Kind::words:
      return f.words.size() == 1 ? f.words[0] : fmt::format("one of {}", fmt::join(f.words, ", "));
    case Kind::integer:
      return "an integer" + range_text(f.range, {});
    case Kind::number:
      return "a number" + (with_range ? range_text(f.range, {}) : std::string());
    case Kind::quantity:
      return with_article(f.dimension.name) + (with_range ? range_text(f.range, f.dimension.unit) : std::string());
    case Kind::power_stiffness:
      return "a stiffness from 0 up in N/m^exponent";
    case Kind::list:
      if (f.least == f.most) return fmt::format("a list of {} {}", f.least, plural(f.item[0]));
      if (f.most < kMaxNodes) return fmt::format("a list of {} to {} {}", f.least, f.most, plural(f.item[0]));
      return fmt::format("a list of {}{}", f.least > 0 ? "at least " + std::to_string(f.least) + " of " : "",
                         plural(f.item[0]));
    case Kind::map: {
      std::vector<std::string> keys;
      for (const Entry& k : e.keys)
        if (k.required() || k.one_of()) keys.push_back(k.name);
      if (keys.empty())
        for (const Entry& k : e.keys) keys.push_back(k.name);
      if (keys.size() > 4) keys.resize(4), keys.emplace_back("...");
      return fmt::format("a map with {}", fmt::join(keys, ", "));
    }
    case Kind::names:
      return "a map of names";
  }
  return {};
}

std::string found(const Node& n) {
  switch (n.kind) {
    case Node::Kind::nothing:
      return "nothing";
    case Node::Kind::scalar:
      return n.text.empty() ? "an empty text" : short_text(n.text);
    case Node::Kind::list:
      return n.items.size() == 1 ? "a list of 1" : fmt::format("a list of {}", n.items.size());
    case Node::Kind::map:
      return "a map";
  }
  return {};
}

bool is_name(const std::string& s) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !s.empty() && s.size() <= 64 && letter(s[0]) &&
         std::all_of(s.begin(), s.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-'; });
}

/// Every place of the table whose last key is `name`, for keys that stand in the wrong map.
std::vector<std::string> places_of(const std::string& name) {
  std::vector<std::string> places;
  for (const Key& k : case_keys()) {
    if (k.name() != name) continue;
    const std::size_t dot = k.path.rfind('.');
    places.push_back(dot == std::string::npos ? "the top level" : k.path.substr(0, dot));
  }
  return places;
}

/// The text of `law`, where the map has one that is known.
std::string law_of(const Node& n, const Entry& e) {
  const Node* law = n.find("law");
  for (const Entry& k : e.keys) {
    if (!law || k.name != "law" || k.key->forms[0].kind != Kind::words) continue;
    const auto& words = k.key->forms[0].words;
    if (std::find(words.begin(), words.end(), law->text) != words.end()) return law->text;
  }
  return {};
}

class Checker {
 public:
  Checker(const Units& units, const std::vector<std::string>& files, std::vector<Diagnostic>& out)
      : units_(units), files_(files), out_(out) {}

  void root(Node& n) {
    static const Form map_form{.kind = Kind::map};
    if (n.kind == Node::Kind::map) {
      n.valid = check_keys(n, case_root(), {});
      n.form = &map_form;
    } else {
      report(n, {}, "expected a map with materials, stages, ..., got " + found(n));
    }
  }

  void value(Node& n, const Entry& e) { check_value(n, e.key->forms, e, e.name); }

 private:
  void report(const Node& n, const std::string& path, std::string message) {
    report_at(n.source, n.line, n.column, path, std::move(message));
  }
  void report_at(int source, int line, int column, const std::string& path, std::string message) {
    if (out_.size() < kMaxDiagnostics)
      out_.push_back({Diagnostic::Severity::error, files_[static_cast<std::size_t>(source)], line, column, path,
                      std::move(message)});
  }
  static std::string join(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + "." + key;
  }

  bool check_keys(Node& n, const Entry& e, const std::string& path) {
    bool good = true;
    const std::string law = law_of(n, e);
    for (std::size_t i = 0; i < n.keys.size(); ++i) {
      const auto k =
          std::find_if(e.keys.begin(), e.keys.end(), [&](const Entry& c) { return c.name == n.keys[i].name; });
      if (k == e.keys.end()) {
        unknown_key(n, i, e, path);
        good = false;
      } else {
        good &= check_value(n.items[i], k->key->forms, *k, join(path, k->name));
        if (!law.empty() && !k->goes_with(law)) {
          foreign_key(n, i, *k, e, law, join(path, k->name));
          good = false;
        }
      }
    }
    for (const Entry& k : e.keys)
      if (k.required_with(law) && !n.find(k.name) && (k.key->given_by.empty() || !n.find(k.key->given_by))) {
        report(
            n, join(path, k.name),
            "missing; expected " + expected(k, k.key->forms) +
                (k.key->given_by.empty() ? std::string() : fmt::format(", or the key {} beside it", k.key->given_by)));
        good = false;
      }
    return check_one_of(n, e, path) && check_needs(n, e, path) && good;
  }

  void unknown_key(const Node& n, std::size_t i, const Entry& e, const std::string& path) {
    const Node::Key& key = n.keys[i];
    std::vector<std::string> valid;
    for (const Entry& k : e.keys) valid.push_back(k.name);
    std::string hint = did_you_mean(key.name, valid);
    if (hint.empty())
      if (const auto places = places_of(key.name); !places.empty())
        hint = fmt::format("; it belongs in {}", fmt::join(places, " or "));
    if (hint.empty() && key.name == "<<") hint = "; YAML's merge key is not supported";
    if (hint.empty()) hint = fmt::format("; known here: {}", fmt::join(valid, ", "));
    report_at(key.line > 0 ? n.source : n.items[i].source, key.line, key.column, join(path, short_text(key.name)),
              "unknown key" + hint);
  }

  /// A key of another law than that of the map.
  void foreign_key(const Node& n, std::size_t i, const Entry& k, const Entry& e, const std::string& law,
                   const std::string& path) {
    const Node::Key& key = n.keys[i];
    std::vector<std::string> own;
    for (const Entry& other : e.keys)
      if (!other.key->laws.empty() && other.goes_with(law)) own.push_back(other.name);
    report_at(key.line > 0 ? n.source : n.items[i].source, key.line, key.column, path,
              fmt::format("no parameter of law: {}, but of {}; {} takes {}", law, fmt::join(k.key->laws, ", "), law,
                          fmt::join(own, ", ")));
  }

  bool check_one_of(const Node& n, const Entry& e, const std::string& path) {
    std::vector<std::string> names, given;
    for (const Entry& k : e.keys)
      if (k.one_of()) {
        names.push_back(k.name);
        if (n.find(k.name)) given.push_back(k.name);
      }
    if (names.empty() || given.size() == 1) return true;
    if (given.empty()) {
      report(n, path, fmt::format("missing; expected one of {}", fmt::join(names, ", ")));
    } else {
      report(*n.find(given[1]), path,
             fmt::format("expected only one of {}, got {}", fmt::join(names, ", "), fmt::join(given, " and ")));
    }
    return false;
  }

  bool check_needs(const Node& n, const Entry& e, const std::string& path) {
    for (const Entry& k : e.keys)
      if (!k.key->needs.empty() && n.find(k.name) && !n.find(k.key->needs)) {
        report(*n.find(k.name), join(path, k.name), fmt::format("needs {} beside it", k.key->needs));
        return false;
      }
    return true;
  }

  bool check_value(Node& n, const std::vector<Form>& forms, const Entry& e, const std::string& path) {
    std::string why;          // of the form that came nearest
    bool unreadable = false;  // no number or another dimension, so that ranges do not matter
    for (const Form& f : forms) {
      if (!may_be(f, n)) continue;
      n.form = &f;
      if (n.kind != Node::Kind::scalar) return n.valid = check_collection(n, f, e, path);
      std::string reason = read_scalar(n, f);
      if (reason.empty()) return n.valid = true;
      if (f.kind != Kind::words || forms.size() == 1) why = std::move(reason);
      unreadable = unreadable || why.ends_with(")");
    }
    n.form = nullptr;
    std::vector<Form> possible;  // a wrong dimension is not to be told about ranges, a text not about lists and maps
    for (const Form& f : forms)
      if (may_be(f, n)) possible.push_back(f);
    const std::string what = expected(e, possible.empty() ? forms : possible, !unreadable);
    report(n, path, fmt::format("expected {}, got {}{}", what, why.empty() ? found(n) : why, meant_word(n, forms)));
    return false;
  }

  static bool may_be(const Form& f, const Node& n) {
    switch (n.kind) {
      case Node::Kind::nothing:
        return false;
      case Node::Kind::scalar:
        return f.kind != Kind::list && f.kind != Kind::map && f.kind != Kind::names;
      case Node::Kind::list:
        return f.kind == Kind::list;
      case Node::Kind::map:
        return f.kind == Kind::map || f.kind == Kind::names;
    }
    return false;
  }

  static std::string meant_word(const Node& n, const std::vector<Form>& forms) {
    if (n.kind != Node::Kind::scalar) return {};
    for (const Form& f : forms)
      if (f.kind == Kind::words) return did_you_mean(n.text, f.words);
    return {};
  }

  bool check_collection(Node& n, const Form& f, const Entry& e, const std::string& path) {
    if (f.kind == Kind::map) return check_keys(n, e, path);
    if (f.kind == Kind::names) return check_names(n, f, e, path);
    if (n.items.size() < f.least || n.items.size() > f.most) {
      report(n, path, fmt::format("expected {}, got {}", describe(f, e), found(n)));
      return false;
    }
    bool good = true;
    for (std::size_t i = 0; i < n.items.size(); ++i)
      good &= check_value(n.items[i], f.item, e, fmt::format("{}[{}]", path, i));
    return good;
  }

  bool check_names(Node& n, const Form& f, const Entry& e, const std::string& path) {
    static const std::vector<Form> item{Form{.kind = Kind::map}};
    bool good = true;
    if (n.items.size() < f.least || n.items.size() > f.most) {
      report(n, path, fmt::format("expected {} to {} names, got {}", f.least, f.most, n.items.size()));
      return false;
    }
    for (std::size_t i = 0; i < n.items.size(); ++i) {
      const Node::Key& key = n.keys[i];
      if (!f.references && !is_name(key.name)) {
        report_at(key.line > 0 ? n.source : n.items[i].source, key.line, key.column, path,
                  fmt::format("expected a name of letters, digits, _ and - that begins with a letter, got {}",
                              short_text(key.name)));
        good = false;
      }
      good &= check_value(n.items[i], item, e, join(path, short_text(key.name)));
    }
    return good;
  }

  /// Empty: read into n; else the text after "got".
  std::string read_scalar(Node& n, const Form& f) {
    switch (f.kind) {
      case Kind::text:
        return controls(n.text) ? "control characters" : "";
      case Kind::name:
        return n.text.empty() ? found(n) : (controls(n.text) ? "control characters" : "");
      case Kind::flag:
        return n.text == "true" || n.text == "false" ? std::string() : found(n);
      case Kind::words:
        return std::find(f.words.begin(), f.words.end(), n.text) != f.words.end() ? std::string() : found(n);
      case Kind::integer:
        return read_integer(n, f);
      case Kind::number:
        return read_number(n, f);
      case Kind::quantity: {
        const Result<double> si = units_.to_si(n.text, f.dimension);
        if (!si) return si.error().message;
        n.si = *si;
        if (const std::string wild = untamed(*si, n.text); !wild.empty()) return wild;
        if (f.range.holds(*si)) return {};
        const bool bare_angle = f.dimension.unit == "rad" && number_prefix(n.text).length == n.text.size();
        return bare_angle ? fmt::format("{} rad; write {} degree for degrees", n.text, n.text) : short_text(n.text);
      }
      case Kind::power_stiffness:
        return {};  // its dimension hangs on the exponent: read_laws.cpp
      default:
        return found(n);
    }
  }

  static std::string read_integer(Node& n, const Form& f) {
    const auto [end, error] = std::from_chars(n.text.data(), n.text.data() + n.text.size(), n.integer);
    if (error != std::errc() || end != n.text.data() + n.text.size()) return found(n);
    n.si = static_cast<double>(n.integer);
    return f.range.holds(n.si) ? std::string() : found(n);
  }

  std::string read_number(Node& n, const Form& f) {
    const Result<double> v = units_.to_si(n.text, Dimension{"number", "1", {}});
    if (!v) return v.error().message;
    n.si = *v;
    if (const std::string wild = untamed(*v, n.text); !wild.empty()) return wild;
    return f.range.holds(n.si) ? std::string() : found(n);
  }

  /// Whether a terminal would obey some of it instead of showing it; a title may have several lines.
  static bool controls(const std::string& text) {
    return std::any_of(text.begin(), text.end(), [](char c) {
      return std::iscntrl(static_cast<unsigned char>(c)) != 0 && c != '\n' && c != '\t';
    });
  }

  const Units& units_;
  const std::vector<std::string>& files_;
  std::vector<Diagnostic>& out_;
};

}  // namespace

std::string untamed(double si, const std::string& text, std::string_view where) {
  constexpr double kLargest = 1e30;
  if (std::abs(si) > kLargest)
    return fmt::format("{} (above 1e30 in SI units{}, where products overflow)", short_text(text), where);
  if (si != 0 && std::abs(si) < 1 / kLargest)
    return fmt::format("{} (nearer to 0 than 1e-30 in SI units{}, where products vanish)", short_text(text), where);
  return {};
}

std::string expected(const Entry& e, const std::vector<Form>& forms, bool with_ranges) {
  std::string s;
  for (std::size_t i = forms.size(); i-- > 0;) {  // words, which stand first, read better last
    if (!s.empty()) s += forms.size() > 2 && i > 0 ? ", " : " or ";
    s += describe(forms[i], e, with_ranges);
  }
  return s;
}

void check(Node& root, const Units& units, const std::vector<std::string>& files,
           std::vector<Diagnostic>& diagnostics) {
  Checker(units, files, diagnostics).root(root);
}

void check_part(Node& value, const std::string& key, const Units& units, const std::vector<std::string>& files,
                std::vector<Diagnostic>& diagnostics) {
  const std::vector<Entry>& keys = case_root().keys;
  const auto at = std::find_if(keys.begin(), keys.end(), [&](const Entry& e) { return e.name == key; });
  Checker(units, files, diagnostics).value(value, *at);
}

std::string check_value(Node& value, const Key& key, const Units& units) {
  std::vector<Diagnostic> out;
  const Entry entry{&key, key.name(), {}};
  Checker(units, {std::string()}, out).value(value, entry);
  return out.empty() ? std::string() : out[0].message;
}

}  // namespace scree::io
