#pragma once
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "io/case/member.h"
#include "io/text/units.h"
#include "io/text/yaml_tree.h"

namespace scree::io {

/// Allowed numbers, in SI units.
struct Range {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  bool above = false;  ///< low itself is refused
  bool below = false;  ///< high itself is refused
  bool holds(double v) const { return (above ? v > low : v >= low) && (below ? v < high : v <= high); }
};

/// One of the forms that a value may have.
struct Form {
  enum class Kind {
    text,             ///< any text
    name,             ///< a text that names something of the case or of the shape library
    flag,             ///< true or false
    words,            ///< one of `words`
    integer,          ///< within range
    number,           ///< plain, within range
    quantity,         ///< of `dimension`, within range
    power_stiffness,  ///< N/m^exponent, exponent from its sibling key; read by the second pass
    list,             ///< of `item`, least to most
    map,              ///< with the keys below this one in the table
    names,            ///< map with names that the user chooses, each holding the keys below this one
  };
  Kind kind = Kind::text;
  Dimension dimension = {};
  Range range = {};
  std::vector<std::string> words = {};
  std::vector<Form> item = {};
  std::size_t least = 0, most = kMaxNodes;
  bool references = false;  ///< names: they refer to things that are there (dots allowed), they make no new ones
};

/// Whether a value decides the future of a run that is resumed, and so belongs to the hash of its part of the case
/// (case_hash.h).
enum class HashRule {
  decides,   ///< yes
  if_given,  ///< where it is not the default: cases from before the key keep their hash
  begun,     ///< as the end of a stage, once that stage is over
  free,      ///< no: it may be edited before the run is resumed
};

inline const char* const kRequired = "required";
inline const char* const kOneOf = "one of these";  ///< exactly one key of a run of such siblings
inline const char* const kOfMember = "";           ///< what the member has when its struct is made

/// One key of the case file. The table of these is all that reader, schema, documentation, did-you-mean and hash know.
struct Key {
  std::string path;  ///< "particles[].size": [] for the items of a list, * for names that the user chooses
  std::vector<Form> forms;
  std::string absent;                          ///< kRequired, kOneOf, kOfMember, or in words what holds without it
  std::string what;                            ///< one sentence
  std::string same_as = {};                    ///< path of the key whose keys this one takes over
  std::string needs = {};                      ///< sibling that has to be given along with this one
  std::string given_by = {};                   ///< sibling that brings a value, so that this one is not required
  std::string shown = {};                      ///< unit in which the default is told; empty: SI
  std::vector<std::string> laws = {};          ///< words of the sibling `law` with which the key may stand; empty: any
  std::vector<std::string> required_for = {};  ///< of those, with which it has to
  HashRule hash = HashRule::decides;
  int hash_number = 0;               ///< if given: which of its part of the case it is; 0: there is only the one
  std::vector<Member> members = {};  ///< that it sets, one for each struct that has it (a law's parameter: several)

  Key& keys_of(const char* other) { return same_as = other, *this; }
  Key& beside(const char* sibling) { return needs = sibling, *this; }
  Key& or_by(const char* sibling) { return given_by = sibling, *this; }
  Key& in(const char* unit) { return shown = unit, *this; }
  Key& of(std::vector<std::string> words) { return laws = std::move(words), *this; }
  Key& required_with(std::vector<std::string> words) { return required_for = std::move(words), *this; }
  Key& hashed(HashRule rule, int number = 0) { return hash = rule, hash_number = number, *this; }
  template <class T, class M>
  Key& to(M T::*member, As as = {}) {
    return members.push_back(member_of(member, as)), *this;
  }
  /// A word for each value of the member; the words become the first of the forms.
  template <class T, class M>
  Key& choice(M T::*member, std::vector<std::pair<std::string, M>> values) {
    if (members.empty()) {
      Form words{.kind = Form::Kind::words};
      for (const auto& v : values) words.words.push_back(v.first);
      forms.insert(forms.begin(), std::move(words));
    }
    return members.push_back(choice_of(member, std::move(values))), *this;
  }

  /// The name without the way to it.
  std::string name() const;
  const Member* member_in(std::type_index owner) const;
};
const std::vector<Key>& case_keys();

/// The keys that set members of a struct, in the order of the table. Where two places of a case have the same key for
/// it (a wall and its new motion), the first stands for both.
struct Bound {
  const Key* key;
  const Member* member;
  std::string name;
};
const std::vector<Bound>& bound_to(std::type_index owner);

/// What holds without the key, as documentation tells it: `absent`, or the member's own default.
std::string default_of(const Key& key, const Units& units);

/// The table as a tree.
struct Entry {
  const Key* key = nullptr;
  std::string name;
  std::vector<Entry> keys;
  bool required() const { return key && key->absent == kRequired; }
  bool required_with(const std::string& law) const;
  /// Whether the key goes with this law; an empty one stands for a law that is not known.
  bool goes_with(const std::string& law) const;
  bool one_of() const { return key && key->absent == kOneOf; }
};
const Entry& case_root();

}  // namespace scree::io
