#include "io/case/law_words.h"

#include <algorithm>
#include <utility>

namespace scree::io {

namespace {

template <std::size_t... I>
std::string word_among(std::type_index law, std::index_sequence<I...>) {
  std::string word;
  ((law == typeid(std::variant_alternative_t<I, Law>) ? void(word = kLawWords[I]) : void()), ...);
  return word;
}

}  // namespace

std::string law_word(std::type_index law) {
  return word_among(law, std::make_index_sequence<std::variant_size_v<Law>>());
}

std::vector<std::string> law_words() { return {std::begin(kLawWords), std::end(kLawWords)}; }

}  // namespace scree::io
