// SPDX-License-Identifier: BSD-3-Clause
// Combining by MPI_Reduce_local, which computes right = left op right and so destroys its right operand.
#include <algorithm>
#include <base/clock.hpp>
#include <cstring>
#include <limits>
#include <reduction/reducer.hpp>
#include <topology/team_state.hpp>
#include <vector>

namespace nearfar::reduction {
namespace {

// Elements per step: few enough for a copy of them to stay in the cache, at least one.
index_t block_of(index_t element_bytes) {
  return std::max<index_t>(1, 8192 / std::max<index_t>(1, std::abs(element_bytes)));
}

// Room for elements of any type, addressed as MPI does: by the place where displacement 0 is.
class scratch {
 public:
  scratch(MPI_Datatype type, index_t extent, index_t count) {
    MPI_Count lower = 0, span = 0;
    MPI_Type_get_true_extent_x(type, &lower, &span);
    const index_t between = extent * (count - 1);
    const index_t first = lower + std::min<index_t>(0, between);
    bytes_.resize(as_size(span + std::abs(between)) + alignment);
    std::byte* start = bytes_.data();
    // The elements get the alignment that the caller's have if displacement 0 is aligned there.
    const auto misfit = (reinterpret_cast<std::uintptr_t>(start) - static_cast<std::uintptr_t>(first)) % alignment;
    origin_ = start + (misfit ? alignment - misfit : 0) - first;
  }
  std::byte* origin() { return origin_; }

 private:
  static constexpr std::size_t alignment = alignof(std::max_align_t);
  std::vector<std::byte> bytes_;
  std::byte* origin_ = nullptr;
};

}  // namespace

void reducer::reduce_local(const std::byte* left, std::byte* right, index_t count) const {
  constexpr index_t most = std::numeric_limits<int>::max();
  const double begin = cost_ != nullptr ? seconds_now() : 0;
  for (index_t done = 0; done < count; done += most) {
    const int many = static_cast<int>(std::min(most, count - done));
    check_mpi(MPI_Reduce_local(left + done * extent_, right + done * extent_, many, type_, op_), "MPI_Reduce_local");
  }
  if (cost_ == nullptr) return;
  cost_->seconds += seconds_now() - begin;
  ++cost_->number;
  cost_->elements += count;
}

void reducer::copy(std::byte* out, const std::byte* in, index_t count) const {
  if (out == in || count == 0) return;
  if (is_dense_) {
    std::memcpy(out, in, as_size(count * extent_));
    return;
  }
  const index_t block = block_of(extent_);
  std::vector<char> packed;
  for (index_t start = 0; start < count; start += block) {
    const int many = static_cast<int>(std::min(block, count - start));
    int bytes = 0, filled = 0, read = 0;
    check_mpi(MPI_Pack_size(many, type_, MPI_COMM_SELF, &bytes), "MPI_Pack_size");
    packed.resize(as_size(bytes));
    check_mpi(MPI_Pack(in + start * extent_, many, type_, packed.data(), bytes, &filled, MPI_COMM_SELF), "MPI_Pack");
    check_mpi(MPI_Unpack(packed.data(), filled, &read, out + start * extent_, many, type_, MPI_COMM_SELF),
              "MPI_Unpack");
  }
}

void reducer::combine_by_mpi(std::byte* out, const std::byte* left, const std::byte* right, index_t count) const {
  if (out == right) return reduce_local(left, out, count);
  const std::byte* const both[] = {left, right};
  combine_all_by_mpi(out, nullptr, both, 2, count);
}

// Partial results move between two scratch blocks; `out` may be an input, so it is written when all of a block is read.
void reducer::combine_all_by_mpi(std::byte* out, std::byte* second, const std::byte* const* in, int n,
                                 index_t count) const {
  const index_t block = std::min(count, block_of(extent_));
  if (block == 0) return;
  scratch one(type_, extent_, block), other(type_, extent_, block);
  for (index_t start = 0; start < count; start += block) {
    const index_t many = std::min(block, count - start), skip = start * extent_;
    const std::byte* held = in[0] + skip;
    std::byte* next = one.origin();
    for (int k = 1; k < n; ++k) {
      copy(next, in[k] + skip, many);
      reduce_local(held, next, many);
      held = next;
      next = next == one.origin() ? other.origin() : one.origin();
    }
    copy(out + skip, held, many);
    if (second) copy(second + skip, held, many);
  }
}

}  // namespace nearfar::reduction
