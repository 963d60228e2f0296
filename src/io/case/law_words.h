#pragma once
#include <string>
#include <typeindex>
#include <vector>

#include "contact/laws.h"

namespace scree::io {

/// Words of the key `law`, in the order of Law's alternatives; a new law adds
/// its own.
inline constexpr const char* kLawWords[] = {"bloks3d", "linear", "hertz_mindlin", "energy"};
static_assert(std::size(kLawWords) == std::variant_size_v<Law>);

/// The word of a law's struct; empty: it is none.
std::string law_word(std::type_index law);
/// All of them.
std::vector<std::string> law_words();

}  // namespace scree::io
