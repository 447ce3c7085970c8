// SPDX-License-Identifier: BSD-3-Clause
// Collective verdicts: creating a plan fails on every rank with the same error, or on none.
#pragma once

#include <cstdint>
#include <functional>
#include <nearfar/error.hpp>
#include <nearfar/team.hpp>
#include <span>
#include <string>
#include <vector>

namespace nearfar {

/// @throws usage_error  MPI is not there, or no team can be made of `comm`. Local.
void require_usable(MPI_Comm comm);

/// Runs `step` on this rank and agrees on the outcome. If it threw a nearfar::error on any rank, every rank throws that
/// class with the message of the lowest failing rank and the list of the ranks that failed. Collective. Memory that
/// runs out counts as resource_error; of other exceptions of the standard library, logic_error counts as usage_error,
/// file errors as io_error and the rest as resource_error. `step` must not communicate with ranks that may have failed
/// in it. A modelled team (topology/modelled_team.hpp) has nobody to agree with: `step` is run, and what it throws goes
/// on.
/// @cost  one allreduce of an int when nothing failed
void agree(const team& members, const std::function<void()>& step);
void agree(MPI_Comm comm, const std::function<void()>& step);  ///< the same before there is a team
/// The same; and `maxima`, as `step` leaves them, become the largest of all ranks' in the same reduction.
void agree(const team& members, const std::function<void()>& step, std::span<std::int64_t> maxima);

/// Throws usage_error on every rank unless `values` are the same everywhere; the message names `what`, both values and
/// a rank of each. The number of values may differ, which is a difference. Collective.
/// @cost  one allreduce of 32 bytes when all is the same
void require_same(const team& members, const char* what, std::span<const std::int64_t> values);
void require_same(MPI_Comm comm, const char* what, std::span<const std::int64_t> values);

/// What must be the same on every rank, and its name.
struct shared_values {
  std::string what;
  std::vector<std::int64_t> values;
  bool is_per_axis = false;                         ///< slowest first; a message lists them as its reader lists axes
  std::string (*in_words)(std::int64_t) = nullptr;  ///< what a value stands for, where that is no number
};

/// The same for several at once; the message names the first that differs. Where ranks may have more or fewer of them,
/// an earlier one says so.
/// @return  a hash of all values and of how many there are of each, the same on every rank
/// @cost  one allreduce of 32 bytes when all is the same
std::uint64_t require_same(const team& members, const std::vector<shared_values>& all);

}  // namespace nearfar
