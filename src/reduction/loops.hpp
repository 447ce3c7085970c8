// SPDX-License-Identifier: BSD-3-Clause
// The loops of all kernels. Each file in variants/ includes this once and compiles it for another instruction set.
//
// Everything here has internal linkage and uses nothing inline of the standard library: the linker keeps one copy of an
// inline function, and that copy might be the one for the newest processor.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel.hpp"

namespace nearfar::reduction {
namespace {

// Memory as the caller has it: of any alignment, and possibly known to the compiler by another integer type.
template <class T>
struct loose {
  typedef T type __attribute__((aligned(1), may_alias));
};

template <class T>
typename loose<T>::type* at(std::byte* bytes) {
  return reinterpret_cast<typename loose<T>::type*>(bytes);
}
template <class T>
const typename loose<T>::type* at(const std::byte* bytes) {
  return reinterpret_cast<const typename loose<T>::type*>(bytes);
}

// clang-format off
struct sum  { template <class T> static T of(T a, T b) { return static_cast<T>(a + b); } };
// 1u: the product of two 16-bit numbers would overflow an int.
struct prod { template <class T> static T of(T a, T b) { return static_cast<T>(1u * a * b); } };
struct times { template <class T> static T of(T a, T b) { return a * b; } };
struct min  { template <class T> static T of(T a, T b) { return b < a ? b : a; } };
struct max  { template <class T> static T of(T a, T b) { return b > a ? b : a; } };
struct land { template <class T> static T of(T a, T b) { return static_cast<T>((a != 0) & (b != 0)); } };
struct lor  { template <class T> static T of(T a, T b) { return static_cast<T>((a != 0) | (b != 0)); } };
struct lxor { template <class T> static T of(T a, T b) { return static_cast<T>((a != 0) ^ (b != 0)); } };
struct band { template <class T> static T of(T a, T b) { return static_cast<T>(a & b); } };
struct bor  { template <class T> static T of(T a, T b) { return static_cast<T>(a | b); } };
struct bxor { template <class T> static T of(T a, T b) { return static_cast<T>(a ^ b); } };
// clang-format on

// out = first op rest[0] op … op rest[more-1]. Element i depends on elements i only, so that `out` may be an operand.
template <class T, class Op, int more>
void stage(std::byte* out, const std::byte* first, const std::byte* const* rest, index_t count) {
  auto* o = at<T>(out);
  const auto* a = at<T>(first);
  const auto* b = at<T>(rest[0]);
  const auto* c = at<T>(rest[more > 1 ? 1 : 0]);
  const auto* d = at<T>(rest[more > 2 ? 2 : 0]);
#pragma omp simd
  for (index_t i = 0; i < count; ++i) {
    T value = Op::template of<T>(a[i], b[i]);
    if constexpr (more > 1) value = Op::template of<T>(value, c[i]);
    if constexpr (more > 2) value = Op::template of<T>(value, d[i]);
    o[i] = value;
  }
}

// A value and where it is. Of equal values the lower location counts. Padding is not written.
template <class T, class Place>
struct located {
  T value;
  Place place;
};

struct less_value {
  template <class T>
  static bool is_first(T a, T b) {
    return a < b;
  }
};
struct more_value {
  template <class T>
  static bool is_first(T a, T b) {
    return a > b;
  }
};

template <class Located>
Located load(const std::byte* from) {
  Located element;
  __builtin_memcpy(&element, from, sizeof element);
  return element;
}

template <class Located, class Better>
Located better(const Located& a, const Located& b) {
  const bool is_tie = a.value == b.value;
  const bool is_left = is_tie ? a.place < b.place : Better::is_first(a.value, b.value);
  return is_left ? a : b;
}

template <class Located, class Better, int more>
void locate(std::byte* out, const std::byte* first, const std::byte* const* rest, index_t count) {
  for (index_t skip = 0; skip < count * static_cast<index_t>(sizeof(Located)); skip += sizeof(Located)) {
    auto best = load<Located>(first + skip);
    for (int k = 0; k < more; ++k) best = better<Located, Better>(best, load<Located>(rest[k] + skip));
    __builtin_memcpy(out + skip + offsetof(Located, value), &best.value, sizeof best.value);
    __builtin_memcpy(out + skip + offsetof(Located, place), &best.place, sizeof best.place);
  }
}

template <class T, class Op>
struct numbers {
  using type = T;
  template <int more>
  static void run(std::byte* out, const std::byte* first, const std::byte* const* rest, index_t count) {
    stage<T, Op, more>(out, first, rest, count);
  }
};

template <class Located, class Better>
struct locations {
  using type = Located;
  template <int more>
  static void run(std::byte* out, const std::byte* first, const std::byte* const* rest, index_t count) {
    locate<Located, Better, more>(out, first, rest, count);
  }
};

template <class Loop>
void two(std::byte* out, const std::byte* left, const std::byte* right, index_t count) {
  Loop::template run<1>(out, left, &right, count);
}

template <class Loop>
void up_to_four(std::byte* out, const std::byte* first, const std::byte* const* rest, int more, index_t count) {
  if (more == 1)
    Loop::template run<1>(out, first, rest, count);
  else if (more == 2)
    Loop::template run<2>(out, first, rest, count);
  else
    Loop::template run<3>(out, first, rest, count);
}

// Small enough to stay in the first-level cache beside four streams.
constexpr index_t block_bytes = 4096;

// `out` may be any of the inputs, so partial results are held here until all inputs of the block are read.
template <class Loop>
void fold_block(std::byte* out, const std::byte* const* in, int n, index_t skip, index_t count) {
  alignas(64) std::byte held[block_bytes];
  const std::byte* first = in[0] + skip;
  const std::byte* rest[3];
  int done = 1;
  for (;;) {
    const int more = n - done < 3 ? n - done : 3;
    for (int k = 0; k < more; ++k) rest[k] = in[done + k] + skip;
    done += more;
    if (done == n) return up_to_four<Loop>(out, first, rest, more, count);
    Loop::template run<3>(held, first, rest, count);
    first = held;
  }
}

template <class Loop>
void fold(std::byte* out, std::byte* second, const std::byte* const* in, int n, index_t count) {
  constexpr index_t size = sizeof(typename Loop::type);
  if (n <= 4 && second == nullptr) return up_to_four<Loop>(out, in[0], in + 1, n - 1, count);
  for (index_t start = 0; start < count; start += block_bytes / size) {
    const index_t left = count - start, many = left < block_bytes / size ? left : block_bytes / size;
    fold_block<Loop>(out + start * size, in, n, start * size, many);
    if (second) __builtin_memcpy(second + start * size, out + start * size, static_cast<std::size_t>(many * size));
  }
}

template <class Loop>
const kernel* kernel_of() {
  static constexpr kernel instance{&two<Loop>, &fold<Loop>};
  return &instance;
}

// What does not depend on the sign of integers.
template <class T>
const kernel* find_bits(operation op) {
  switch (op) {
    case operation::sum:
      return kernel_of<numbers<T, sum>>();
    case operation::prod:
      return kernel_of<numbers<T, prod>>();
    case operation::land:
      return kernel_of<numbers<T, land>>();
    case operation::lor:
      return kernel_of<numbers<T, lor>>();
    case operation::lxor:
      return kernel_of<numbers<T, lxor>>();
    case operation::band:
      return kernel_of<numbers<T, band>>();
    case operation::bor:
      return kernel_of<numbers<T, bor>>();
    case operation::bxor:
      return kernel_of<numbers<T, bxor>>();
    default:
      return nullptr;
  }
}

template <class T>
const kernel* find_order(operation op) {
  if (op == operation::min) return kernel_of<numbers<T, min>>();
  if (op == operation::max) return kernel_of<numbers<T, max>>();
  return nullptr;
}

template <class T, class Unsigned>
const kernel* find_integer(operation op) {
  const kernel* found = find_order<T>(op);
  return found ? found : find_bits<Unsigned>(op);
}

template <class T>
const kernel* find_floating(operation op) {
  if (op == operation::sum) return kernel_of<numbers<T, sum>>();
  if (op == operation::prod) return kernel_of<numbers<T, times>>();
  return find_order<T>(op);
}

template <class T, class Place>
const kernel* find_located(operation op) {
  if (op == operation::minloc) return kernel_of<locations<located<T, Place>, less_value>>();
  if (op == operation::maxloc) return kernel_of<locations<located<T, Place>, more_value>>();
  return nullptr;
}

const kernel* find_loop(element type, operation op) {
  switch (type) {
    case element::none:
      return nullptr;
    case element::i8:
      return find_integer<std::int8_t, std::uint8_t>(op);
    case element::i16:
      return find_integer<std::int16_t, std::uint16_t>(op);
    case element::i32:
      return find_integer<std::int32_t, std::uint32_t>(op);
    case element::i64:
      return find_integer<std::int64_t, std::uint64_t>(op);
    case element::u8:
      return find_integer<std::uint8_t, std::uint8_t>(op);
    case element::u16:
      return find_integer<std::uint16_t, std::uint16_t>(op);
    case element::u32:
      return find_integer<std::uint32_t, std::uint32_t>(op);
    case element::u64:
      return find_integer<std::uint64_t, std::uint64_t>(op);
    case element::f32:
      return find_floating<float>(op);
    case element::f64:
      return find_floating<double>(op);
    case element::f32_i32:
      return find_located<float, std::int32_t>(op);
    case element::f64_i32:
      return find_located<double, std::int32_t>(op);
    case element::i64_i32:
      return find_located<std::int64_t, std::int32_t>(op);
    case element::i32_i32:
      return find_located<std::int32_t, std::int32_t>(op);
    case element::i16_i32:
      return find_located<std::int16_t, std::int32_t>(op);
    case element::f32_f32:
      return find_located<float, float>(op);
    case element::f64_f64:
      return find_located<double, double>(op);
  }
  return nullptr;
}

}  // namespace
}  // namespace nearfar::reduction
