// SPDX-License-Identifier: BSD-3-Clause
// One collective call with the arguments that MPI gives it.
#pragma once

#include <base/numbers.hpp>
#include <cstdint>
#include <nearfar/collective_types.hpp>
#include <nearfar/mpi.hpp>

namespace nearfar::collective {

using kind = nearfar::collective_kind;
using nearfar::name_of;
inline constexpr std::size_t kinds = static_cast<std::size_t>(kind::exscan) + 1;

/// The kinds whose blocks all have one length that every rank knows: algorithms may be chosen by it.
constexpr bool has_equal_blocks(kind what) noexcept {
  return what != kind::gatherv && what != kind::scatterv && what != kind::allgatherv && what != kind::alltoallv &&
         what != kind::alltoallw && what != kind::reduce_scatter;
}

constexpr bool is_rooted(kind what) noexcept {
  return what == kind::bcast || what == kind::reduce || what == kind::gather || what == kind::gatherv ||
         what == kind::scatter || what == kind::scatterv;
}

/// Kinds in which no rank is done before all have come: what all must be asked is best asked there. In the others ranks
/// may be far ahead, and are not stopped for a question until it is twice as old.
constexpr bool makes_all_wait(kind what) noexcept {
  return !is_rooted(what) && what != kind::scan && what != kind::exscan;
}
constexpr bool is_time_to_ask(kind what, std::int64_t now, std::int64_t due) noexcept {
  return now >= due && (makes_all_wait(what) || now / 2 >= due);
}

/// A list of counts or displacements as MPI passes them: int, or 64-bit in the large-count calls. Empty where a call
/// has none.
class number_list {
 public:
  number_list() = default;
  explicit number_list(const int* values) : narrow_(values) {}
  explicit number_list(const MPI_Count* values) : wide_(values) {}
  static number_list of_addresses(const MPI_Aint* values) {
    number_list made;
    made.addresses_ = values;
    return made;
  }
  /// The same list in memory, whatever it holds.
  friend bool operator==(const number_list&, const number_list&) = default;
  const int* narrow() const noexcept { return narrow_; }  ///< null unless the list is of int
  explicit operator bool() const noexcept { return narrow_ || wide_ || addresses_; }
  index_t operator[](int i) const noexcept {
    if (narrow_) return narrow_[i];
    return wide_ ? static_cast<index_t>(wide_[i]) : static_cast<index_t>(addresses_[i]);
  }

 private:
  const int* narrow_ = nullptr;
  const MPI_Count* wide_ = nullptr;
  const MPI_Aint* addresses_ = nullptr;
};

/// The send or the receive arguments. For equal blocks `count` is MPI's count (per block); lists serve the v and w
/// variants, and displacements count elements (bytes in alltoallw), as in MPI.
struct side {
  void* data = nullptr;  ///< may be MPI_IN_PLACE where MPI allows that
  index_t count = 0;
  MPI_Datatype type{};
  number_list counts{};
  number_list displs{};
  const MPI_Datatype* types = nullptr;
};

/// bcast: its buffer is `receive` on every rank. reduce_scatter: the receive counts are `receive.counts`;
/// reduce_scatter_block: `receive.count` per rank. Reductions: the type is in `receive.type` and the count in
/// `receive.count`, on every rank.
struct call {
  kind what = kind::barrier;
  side send{}, receive{};
  MPI_Op op{};
  int root = 0;
};

}  // namespace nearfar::collective
