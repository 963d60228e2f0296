#pragma once
#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scree::io {

/// Edits (insert, delete, replace, swap of neighbours; ASCII case ignored) that turn a into b: the restricted
/// Damerau-Levenshtein distance. O(|a||b|).
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  auto low = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  std::vector<std::size_t> two(b.size() + 1), one(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) one[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = low(a[i - 1]) == low(b[j - 1]);
      row[j] = std::min({one[j] + 1, row[j - 1] + 1, one[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && low(a[i - 1]) == low(b[j - 2]) && low(a[i - 2]) == low(b[j - 1]))
        row[j] = std::min(row[j], two[j - 2] + 1);
    }
    two.swap(one), one.swap(row);
  }
  return one[b.size()];
}

/// The candidate that `text` most likely meant: at most a third of its letters (at least one) apart; empty: none.
/// Ties go to the first.
inline std::string nearest(std::string_view text, std::span<const std::string> candidates) {
  if (text.empty() || text.size() > 100) return {};
  std::string best;
  std::size_t best_distance = 0;
  for (const std::string& c : candidates) {
    const std::size_t limit = std::max<std::size_t>(1, std::max(text.size(), c.size()) / 3);
    const std::size_t d = edit_distance(text, c);
    if (d <= limit && d < std::max(text.size(), c.size()) && (best.empty() || d < best_distance))
      best = c, best_distance = d;
  }
  return best;
}

/// "; did you mean gravity?", or nothing when nothing is near.
inline std::string did_you_mean(std::string_view text, std::span<const std::string> candidates) {
  const std::string n = nearest(text, candidates);
  return n.empty() ? std::string() : "; did you mean " + n + "?";
}

}  // namespace scree::io
