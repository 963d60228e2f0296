#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <vector>

#include "base/vec.h"
#include "io/case/digest.h"
#include "io/text/yaml_tree.h"

namespace scree::io {

class Reading;

/// How a value becomes a member.
struct As {
  enum class Rule {
    value,
    placed,     ///< a vector of the world: in two dimensions it lies in the plane
    spin,       ///< an angular velocity: in two dimensions about z
    direction,  ///< scaled to a unit vector; of [0, 0, 0], a mistake, nothing is taken
    flat,       ///< the same, in two dimensions in the plane
  } rule = Rule::value;
  double (*made)(double) = nullptr;   ///< of the value in SI units
  double (*given)(double) = nullptr;  ///< its inverse
};
inline constexpr As kPlaced{As::Rule::placed}, kSpin{As::Rule::spin}, kDirection{As::Rule::direction},
    kFlatDirection{As::Rule::flat};

/// The member of a struct that a key sets, whatever its type.
struct Member {
  std::type_index owner;
  /// The value, which fits the key's form, into the owner; its own mistakes go to the reading.
  std::function<void(const Node&, const std::string& path, Reading&, void* owner)> take;
  /// The owner's member as a value of a case file, lists in brackets; bare numbers, in SI units. Empty: none is given.
  std::function<std::vector<std::string>(const void* owner)> text;
  bool is_list = false;  ///< text has brackets around it
  std::function<void(const void* owner, Digest&)> hash;
  std::function<std::shared_ptr<void>()> make;  ///< an owner as it is by default
  std::size_t size = 0;                         ///< of the member (bytes)
  std::size_t offset = 0;                       ///< of the member in its owner (bytes)
};

/// Writes 17 digits, which read back to the same bits.
std::string exact(double v);

namespace taking {

/// The vector that the rule makes of the list n; nothing: none, and told.
std::optional<Vec3> vector(const Node& n, const std::string& path, As::Rule rule, Reading& in);

inline void value(const Node& n, double& into) { into = n.si; }
inline void value(const Node& n, std::string& into) { into = n.text; }
inline void value(const Node& n, bool& into) { into = n.text == "true"; }
template <class T>
requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) void value(const Node& n, T& into) {
  into = static_cast<T>(n.integer);
}
template <class T>
void value(const Node& n, std::vector<T>& into) {
  if (n.kind == Node::Kind::scalar) value(n, into.emplace_back());
  for (const Node& item : n.items) value(item, into.emplace_back());
}
template <class T, std::size_t N>
void value(const Node& n, std::array<T, N>& into) {
  for (std::size_t k = 0; k < N; ++k) value(n.items[k], into[k]);
}
/// Whether n is a number: of a key that may be a word instead, the word leaves the member as it is.
bool is_number(const Node& n);

inline void texts(std::vector<std::string>& t, double v) { t.push_back(exact(v)); }
inline void texts(std::vector<std::string>& t, const std::string& v) { t.push_back(v); }
inline void texts(std::vector<std::string>& t, bool v) { t.emplace_back(v ? "true" : "false"); }
inline void texts(std::vector<std::string>& t, const Vec3& v) { texts(t, v.x), texts(t, v.y), texts(t, v.z); }
template <class T>
requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) void texts(std::vector<std::string>& t, T v) {
  t.push_back(std::to_string(v));
}
template <class T>
void texts(std::vector<std::string>& t, const std::vector<T>& list) {
  for (const T& v : list) texts(t, v);
}
template <class T, std::size_t N>
void texts(std::vector<std::string>& t, const std::array<T, N>& list) {
  for (const T& v : list) texts(t, v);
}
template <class T>
void texts(std::vector<std::string>& t, const std::optional<T>& v) {
  if (v) texts(t, *v);
}

template <class M>
struct Inner {
  using type = M;
};
template <class M>
struct Inner<std::optional<M>> {
  using type = M;
};

}  // namespace taking

template <class T, class M>
Member bare_member(M T::*member) {
  static const T sample{};
  Member m{std::type_index(typeid(T)), {}, {}, false, {}, [] {
             return std::shared_ptr<void>(std::make_shared<T>()); }};
  m.hash = [member](const void* owner, Digest& d) { d.add(static_cast<const T*>(owner)->*member); };
  m.size = sizeof(M);
  m.offset = static_cast<std::size_t>(reinterpret_cast<const char*>(&(sample.*member)) -
                                      reinterpret_cast<const char*>(&sample));
  return m;
}

template <class T, class M>
Member member_of(M T::*member, As as) {
  using Value = typename taking::Inner<M>::type;
  Member m = bare_member(member);
  m.is_list = std::is_same_v<Value, Vec3> || (!std::is_arithmetic_v<Value> && !std::is_same_v<Value, std::string>);
  m.text = [member, as](const void* owner) {
    std::vector<std::string> t;
    static_cast<void>(as);  // of numbers alone
    if constexpr (std::is_same_v<Value, double>) {
      if (const std::optional<double> v = static_cast<const T*>(owner)->*member)
        taking::texts(t, as.given ? as.given(*v) : *v);
    } else {
      taking::texts(t, static_cast<const T*>(owner)->*member);
    }
    return t;
  };
  m.take = [member, as](const Node& n, const std::string& path, Reading& in, void* owner) {
    M& into = static_cast<T*>(owner)->*member;
    static_cast<void>(as);  // of vectors and numbers alone
    if constexpr (std::is_same_v<Value, Vec3>) {
      if (const std::optional<Vec3> v = taking::vector(n, path, as.rule, in)) into = *v;
    } else if constexpr (std::is_same_v<Value, double>) {
      if (taking::is_number(n)) into = as.made ? as.made(n.si) : n.si;
    } else {
      Value v{};
      taking::value(n, v);
      into = std::move(v);
    }
  };
  return m;
}

template <class T, class M>
Member choice_of(M T::*member, std::vector<std::pair<std::string, M>> values) {
  Member m = bare_member(member);
  m.take = [member, values](const Node& n, const std::string&, Reading&, void* owner) {
    for (const auto& [word, value] : values)
      if (word == n.text) static_cast<T*>(owner)->*member = value;
  };
  m.text = [member, values](const void* owner) -> std::vector<std::string> {
    for (const auto& [word, value] : values)
      if (static_cast<const T*>(owner)->*member == value) return {word};
    return {};
  };
  return m;
}

}  // namespace scree::io
