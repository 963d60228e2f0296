#pragma once

namespace scree::oracle {

/// The larger of the two, NaN where one is: what is held to a bound must not lose its NaN, as std::max does.
template <class T>
T larger(T a, T b) {
  return b > a || b != b ? b : a;
}

}  // namespace scree::oracle
