#pragma once
#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace scree {

/// What went wrong, as a sentence for the user; no trailing full stop, no "error:" prefix.
struct Error {
  std::string message;
  std::string key = {};  ///< of a case file that it is about: "time_step", "stages[0].insert[1]"; empty: of none
};

/// A value or the reason why there is none. User input and the file system fail through this, never through exceptions.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)
  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() & {
    assert(*this);
    return std::get<0>(state_);
  }
  const T& operator*() const& {
    assert(*this);
    return std::get<0>(state_);
  }
  /// By value, so that `for (x : *f())` does not outlive what it runs over.
  T operator*() && {
    assert(*this);
    return std::get<0>(std::move(state_));
  }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }
  const Error& error() const {
    assert(!*this);
    return std::get<1>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

/// Success, or the reason why not.
using Status = Result<std::monostate>;
inline Status ok() { return std::monostate{}; }

}  // namespace scree
