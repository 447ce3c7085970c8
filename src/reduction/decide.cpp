// SPDX-License-Identifier: BSD-3-Clause
// Whether a kernel may replace the MPI's operation: both combine critical test numbers, and the bits are compared.
#include <algorithm>
#include <array>
#include <base/own_fp_environment.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <vector>

#include "predefined.hpp"

namespace nearfar::reduction {
namespace {

using bytes = std::vector<std::byte>;

// Operands that tell implementations apart; all pairs of them are tried.
template <class T>
std::vector<T> telling_numbers() {
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>) {
    const T tenth = T(1) / T(10);
    return {T(0),
            -T(0),
            T(1),
            T(-1),
            tenth,
            T(1) / T(3),
            T(-2.5),
            T(3e10),
            limits::max(),
            limits::lowest(),
            limits::min(),
            limits::denorm_min(),
            T(1e-30),
            T(16777217),
            limits::infinity(),
            -limits::infinity(),
            limits::quiet_NaN(),
            T(0.75)};
  } else {
    return {T(0),
            T(1),
            T(2),
            T(3),
            T(7),
            T(10),
            static_cast<T>(-1),
            static_cast<T>(-2),
            static_cast<T>(-100),
            limits::max(),
            limits::min(),
            static_cast<T>(limits::max() - 1),
            static_cast<T>(limits::min() + 1),
            static_cast<T>(limits::max() / 3),
            static_cast<T>(limits::max() / 3 * 2),
            static_cast<T>(limits::max() / 2),
            static_cast<T>(0x5a),
            T(100)};
  }
}

struct operands {
  bytes left, right;
  index_t count = 0;  ///< kernel elements
};

// All pairs of numbers, some twice with the operands exchanged, and never in the order of SIMD lanes.
template <class T>
operands all_pairs(const std::vector<T>& numbers) {
  operands all;
  const auto put = [](bytes& to, T value) {
    const auto* p = reinterpret_cast<const std::byte*>(&value);
    to.insert(to.end(), p, p + sizeof value);
  };
  for (const T a : numbers)
    for (const T b : numbers) {
      put(all.left, a), put(all.right, b);
      ++all.count;
    }
  return all;
}

template <class T, class Place>
operands all_located() {
  struct pair {
    T value;
    Place place;
  };
  operands all;
  const auto numbers = telling_numbers<T>();
  const auto put = [](bytes& to, T value, int place) {
    const std::size_t at = to.size();
    to.resize(at + sizeof(pair));  // padding is zero on both sides
    const Place typed = static_cast<Place>(place);
    std::memcpy(to.data() + at + offsetof(pair, value), &value, sizeof value);
    std::memcpy(to.data() + at + offsetof(pair, place), &typed, sizeof typed);
  };
  for (const T a : numbers)
    for (const T b : numbers) {
      put(all.left, a, static_cast<int>(all.count % 5)), put(all.right, b, static_cast<int>(all.count % 3));
      ++all.count;
    }
  return all;
}

operands operands_for(element kind, group member_of) {
  if (member_of == group::logical)  // values that a compiler stores; one byte for C, a Fortran integer else
    return kind == element::u8
               ? all_pairs<std::uint8_t>(std::vector<std::uint8_t>{0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0, 1})
           : kind == element::u32 ? all_pairs<std::int32_t>({0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0, 1})
                                  : all_pairs<std::int64_t>({0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0, 1});
  switch (kind) {
    case element::i8:
      return all_pairs(telling_numbers<std::int8_t>());
    case element::i16:
      return all_pairs(telling_numbers<std::int16_t>());
    case element::i32:
      return all_pairs(telling_numbers<std::int32_t>());
    case element::i64:
      return all_pairs(telling_numbers<std::int64_t>());
    case element::u8:
      return all_pairs(telling_numbers<std::uint8_t>());
    case element::u16:
      return all_pairs(telling_numbers<std::uint16_t>());
    case element::u32:
      return all_pairs(telling_numbers<std::uint32_t>());
    case element::u64:
      return all_pairs(telling_numbers<std::uint64_t>());
    case element::f32:
      return all_pairs(telling_numbers<float>());
    case element::f64:
      return all_pairs(telling_numbers<double>());
    case element::f32_i32:
      return all_located<float, std::int32_t>();
    case element::f64_i32:
      return all_located<double, std::int32_t>();
    case element::i64_i32:
      return all_located<std::int64_t, std::int32_t>();
    case element::i32_i32:
      return all_located<std::int32_t, std::int32_t>();
    case element::i16_i32:
      return all_located<std::int16_t, std::int32_t>();
    case element::f32_f32:
      return all_located<float, float>();
    case element::f64_f64:
      return all_located<double, double>();
    case element::none:
      break;
  }
  return {};
}

// Errors of MPI_Reduce_local go to the handler of the world (MPI 3) or of the process itself (MPI 4), which ends the
// program unless told otherwise.
class errors_return {
 public:
  errors_return() {
    for (std::size_t k = 0; k < comms_.size(); ++k) {
      MPI_Comm_get_errhandler(comms_[k], &before_[k]);
      MPI_Comm_set_errhandler(comms_[k], MPI_ERRORS_RETURN);
    }
  }
  ~errors_return() {
    for (std::size_t k = 0; k < comms_.size(); ++k) {
      MPI_Comm_set_errhandler(comms_[k], before_[k]);
      MPI_Errhandler_free(&before_[k]);
    }
  }
  errors_return(const errors_return&) = delete;
  errors_return& operator=(const errors_return&) = delete;

 private:
  std::array<MPI_Comm, 2> comms_{MPI_COMM_WORLD, MPI_COMM_SELF};
  std::array<MPI_Errhandler, 2> before_{};
};

// right = left op right by the MPI, in vectors of `length` elements of the type; false where it refuses.
bool run_mpi(const predefined_type& type, MPI_Op op, const operands& data, index_t length, bytes& result) {
  result = data.right;
  const index_t count = data.count / type.parts;
  for (index_t start = 0; start < count; start += length) {
    const int many = static_cast<int>(std::min(length, count - start));
    const auto skip = as_size(start * type.extent);
    if (MPI_Reduce_local(data.left.data() + skip, result.data() + skip, many, type.handle, op) != MPI_SUCCESS)
      return false;
  }
  return true;
}

template <class T>
T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// One kernel element: the same bits, or one NaN for another.
template <class T>
bool same_number(const std::byte* ours, const std::byte* theirs) {
  return std::memcmp(ours, theirs, sizeof(T)) == 0 || (std::isnan(read<T>(ours)) && std::isnan(read<T>(theirs)));
}

bool same_element(element kind, const std::byte* ours, const std::byte* theirs, std::size_t size) {
  if (kind == element::f32) return same_number<float>(ours, theirs);
  if (kind == element::f64) return same_number<double>(ours, theirs);
  return std::memcmp(ours, theirs, size) == 0;
}

// A minimum or maximum of which the standard does not say which operand it is. The MPIs take the one or the other, in
// Open MPI depending on where in the vector it stands.
bool is_open(element kind, operation op, const std::byte* left, const std::byte* right) {
  if (op != operation::min && op != operation::max) return false;
  const auto open = [](auto a, auto b) { return std::isnan(a) || std::isnan(b) || a == b; };
  if (kind == element::f32) return open(read<float>(left), read<float>(right));
  return kind == element::f64 && open(read<double>(left), read<double>(right));
}

bool are_equal(const predefined_type& type, operation op, const operands& data, const bytes& ours,
               const bytes& theirs) {
  const std::size_t size = as_size(type.extent / type.parts);
  for (std::size_t at = 0; at < ours.size(); at += size) {
    const auto is_same = [&](const bytes& other) { return same_element(type.kind, &ours[at], &other[at], size); };
    if (is_open(type.kind, op, &data.left[at], &data.right[at]) ? !is_same(data.left) && !is_same(data.right)
                                                                : !is_same(theirs))
      return false;
  }
  return true;
}

pairing::state compare(const predefined_type& type, const predefined_op& op, const kernel& loops) {
  const own_fp_environment held;
  const operands data = operands_for(type.kind, type.member_of);
  bytes ours = data.right, theirs;
  loops.two(ours.data(), data.left.data(), ours.data(), data.count);
  const errors_return guard;
  for (const index_t length : {data.count, index_t{3}, index_t{1}}) {
    if (!run_mpi(type, op.handle, data, length, theirs)) return pairing::state::invalid;
    if (!are_equal(type, op.what, data, ours, theirs)) return pairing::state::by_mpi;
  }
  return pairing::state::by_kernel;
}

}  // namespace

pairing::state decide(predefined_type& type, const predefined_op& op) {
  // One thread at a time: two that set error handlers and set them back could leave the world with the wrong one.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  pairing& pair = type.pairings[static_cast<int>(op.what)];
  pairing::state verdict = pair.verdict.load(std::memory_order_relaxed);
  if (verdict != pairing::state::unknown) return verdict;
  verdict = pairing::state::invalid;
  if (is_defined(op.what, type.member_of)) {
    const kernel* loops = find_kernel(type.kind, op.what);
    // A product of complex numbers is not one of their parts.
    if (type.parts > 1 && op.what != operation::sum) loops = nullptr;
    verdict = loops ? compare(type, op, *loops) : pairing::state::by_mpi;
    pair.loops.store(loops, std::memory_order_relaxed);
  }
  pair.verdict.store(verdict, std::memory_order_release);
  return verdict;
}

}  // namespace nearfar::reduction
