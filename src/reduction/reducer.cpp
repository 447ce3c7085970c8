// SPDX-License-Identifier: BSD-3-Clause
// Selects a kernel or the MPI's operation for a pair of operation and type.
#include <atomic>
#include <cstring>
#include <memory>
#include <reduction/reducer.hpp>

#include "predefined.hpp"

namespace nearfar::reduction {

namespace {

// Answers for predefined handles, at places that depend on both. Filled once per place and never changed, so that a
// copy may be made while others look; where all places for a pair are taken by others, it is looked up anew each time.
class answers {
 public:
  static constexpr std::size_t places = 1024, tries = 4;

  static std::size_t first_place(MPI_Op op, MPI_Datatype type) noexcept {
    std::uint64_t of_op = 0, of_type = 0;
    std::memcpy(&of_op, &op, sizeof op);
    std::memcpy(&of_type, &type, sizeof type);
    return static_cast<std::size_t>((of_op * 0x9e3779b97f4a7c15ULL + of_type) * 0xbf58476d1ce4e5b9ULL >> 54);
  }
  static std::atomic<const reducer*>& at(std::size_t place) noexcept { return list[place % places]; }

  static void keep(std::size_t first, const reducer& answer) {
    auto copy = std::make_unique<reducer>(answer);
    for (std::size_t t = 0; t < tries; ++t) {
      const reducer* empty = nullptr;
      // Release pairs with the acquire in of(): who sees the pointer sees the answer.
      if (at(first + t).compare_exchange_strong(empty, copy.get(), std::memory_order_release)) {
        (void)copy.release();  // lives as long as the process
        return;
      }
    }
  }

 private:
  static inline constinit std::atomic<const reducer*> list[places] = {};
};

}  // namespace

reducer reducer::of(MPI_Op op, MPI_Datatype type) {
  const std::size_t first = answers::first_place(op, type);
  for (std::size_t t = 0; t < answers::tries; ++t) {
    const reducer* known = answers::at(first + t).load(std::memory_order_acquire);
    if (known == nullptr) break;
    if (known->op_ == op && known->type_ == type) return *known;
  }
  const reducer answer = look_up(op, type);
  if (answer.is_predefined_) answers::keep(first, answer);
  return answer;
}

reducer reducer::look_up(MPI_Op op, MPI_Datatype type) {
  reducer result;
  result.op_ = op;
  result.type_ = type;
  predefined_type* known_type = find_type(type);
  if (const predefined_op* known_op = find_op(op)) {
    if (known_type == nullptr) return result;
    const pairing& pair = known_type->pairings[static_cast<int>(known_op->what)];
    auto verdict = pair.verdict.load(std::memory_order_acquire);  // pairs with the store in decide(): loops are set
    if (verdict == pairing::state::unknown) verdict = decide(*known_type, *known_op);
    if (verdict == pairing::state::invalid) return result;
    if (verdict == pairing::state::by_kernel) result.kernel_ = pair.loops.load(std::memory_order_relaxed);
    result.is_commutative_ = result.is_predefined_ = true;
  } else {
    if (is_for_windows_only(op) || type == MPI_DATATYPE_NULL) return result;
    int is_commutative = 0;
    MPI_Op_commutative(op, &is_commutative);
    result.is_commutative_ = is_commutative != 0;
  }
  result.is_valid_ = true;
  if (known_type) {
    result.extent_ = known_type->extent;
    result.parts_ = known_type->parts;
    result.is_dense_ = known_type->is_dense;
  } else {
    result.measure_type();
  }
  return result;
}

void reducer::measure_type() {
  MPI_Count size = 0, lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  MPI_Type_size_x(type_, &size);
  MPI_Type_get_extent_x(type_, &lower, &extent);
  MPI_Type_get_true_extent_x(type_, &true_lower, &true_extent);
  extent_ = extent;
  is_dense_ = size == extent && size == true_extent && true_lower == 0;
}

void reducer::combine(std::byte* out, const std::byte* left, const std::byte* right, index_t count) const {
  if (kernel_) return kernel_->two(out, left, right, count * parts_);
  combine_by_mpi(out, left, right, count);
}

void reducer::combine_all(std::byte* out, std::byte* second, const std::byte* const* in, int n, index_t count) const {
  if (n == 1) {
    copy(out, in[0], count);
    if (second) copy(second, in[0], count);
  } else if (kernel_) {
    kernel_->fold(out, second, in, n, count * parts_);
  } else {
    combine_all_by_mpi(out, second, in, n, count);
  }
}

}  // namespace nearfar::reduction
