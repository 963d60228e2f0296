// What bench/mutants puts into the sources that it breaks: every change is there, and SCREE_MUTANT says which one acts.
// With SCREE_MUTANTS_SEEN=FILE none acts, and byte K of the file becomes 1 where change K would have given another
// value.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

namespace scree_mutants {

inline constexpr std::size_t kMost = 4096;  ///< length of the file

/// Shared with the processes that a test starts, whatever their end.
inline unsigned char* map_seen() {
  const char* path = std::getenv("SCREE_MUTANTS_SEEN");
  if (path == nullptr) return nullptr;
  const int file = open(path, O_RDWR);
  void* bytes = mmap(nullptr, kMost, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (bytes == MAP_FAILED) std::abort();
  close(file);
  return static_cast<unsigned char*>(bytes);
}
inline unsigned char* seen = map_seen();
/// Which change acts; 0: none; -1: none, and what would differ is noted.
inline int active = seen != nullptr                          ? -1
                    : std::getenv("SCREE_MUTANT") != nullptr ? std::atoi(std::getenv("SCREE_MUTANT"))
                                                             : 0;

/// Whether change K acts, where it cannot be told what it would come to.
template <int K>
bool on() {
  if (active < 0) seen[K] = 1;
  return active == K;
}

template <int K, class T>
T number(T was, T other) {
  return on<K>() ? other : was;
}

/// `a < b` is written `a < At<K, Op::kLessEqual>{} < b`: what binds as the operator did needs no parser.
enum class Op { kLess, kLessEqual, kMore, kMoreEqual, kEqual, kUnequal, kPlus, kMinus, kTimes, kOver };
template <int K, Op other>
struct At {};
template <int K, Op other, class A>
struct Left {
  const A& a;
};

template <Op op, class A, class B>
auto apply(const A& a, const B& b) {
  if constexpr (op == Op::kLess) return a < b;
  if constexpr (op == Op::kLessEqual) return a <= b;
  if constexpr (op == Op::kMore) return a > b;
  if constexpr (op == Op::kMoreEqual) return a >= b;
  if constexpr (op == Op::kEqual) return a == b;
  if constexpr (op == Op::kUnequal) return a != b;
  if constexpr (op == Op::kPlus) return a + b;
  if constexpr (op == Op::kMinus) return a - b;
  if constexpr (op == Op::kTimes) return a * b;
  if constexpr (op == Op::kOver) return a / b;
}

template <class T>
bool differ(const T& a, const T& b) {
  if constexpr (std::is_trivially_copyable_v<T>) return std::memcmp(&a, &b, sizeof(T)) != 0;
  return true;
}

template <int K, Op was, Op other, class A, class B>
auto choose(const A& a, const B& b) {
  const auto value = apply<was>(a, b);
  using Value = std::remove_const_t<decltype(value)>;
  if (active != 0) [[unlikely]] {
    if (active == K) return static_cast<Value>(apply<other>(a, b));
    if (active < 0 && seen[K] == 0) {
      bool differs = false;
      if constexpr (other == Op::kOver && std::is_integral_v<B>) differs = b == 0;
      if (differs || differ<Value>(value, static_cast<Value>(apply<other>(a, b)))) seen[K] = 1;
    }
  }
  return static_cast<Value>(value);
}

#define SCREE_MUTANTS_BINARY(sign, op)                        \
  template <int K, Op other, class A>                         \
  Left<K, other, A> operator sign(const A& a, At<K, other>) { \
    return {a};                                               \
  }                                                           \
  template <int K, Op other, class A, class B>                \
  auto operator sign(Left<K, other, A> left, const B& b) {    \
    return choose<K, Op::op, other>(left.a, b);               \
  }
SCREE_MUTANTS_BINARY(<, kLess)
SCREE_MUTANTS_BINARY(<=, kLessEqual)
SCREE_MUTANTS_BINARY(>, kMore)
SCREE_MUTANTS_BINARY(>=, kMoreEqual)
SCREE_MUTANTS_BINARY(==, kEqual)
SCREE_MUTANTS_BINARY(!=, kUnequal)
SCREE_MUTANTS_BINARY(+, kPlus)
SCREE_MUTANTS_BINARY(-, kMinus)
SCREE_MUTANTS_BINARY(*, kTimes)
SCREE_MUTANTS_BINARY(/, kOver)
#undef SCREE_MUTANTS_BINARY

/// `a += b` is written `a += At<K, ...>{} += b`, which binds from the right: the other sign is that of b.
template <int K, Op other, class B>
B other_sign(const B& b) {
  if (active != 0) [[unlikely]] {
    if (active == K) return static_cast<B>(-b);
    if (active < 0 && differ<B>(b, static_cast<B>(-b))) seen[K] = 1;
  }
  return b;
}
template <int K, Op other, class B>
B operator+=(At<K, other>, const B& b) {
  return other_sign<K, other>(b);
}
template <int K, Op other, class B>
B operator-=(At<K, other>, const B& b) {
  return other_sign<K, other>(b);
}

}  // namespace scree_mutants
