// SPDX-License-Identifier: BSD-3-Clause
// Sums over the ranks of a team whose bits do not depend on how many ranks there are.
#pragma once

#include <nearfar/exact_sum.hpp>
#include <nearfar/team.hpp>
#include <span>

namespace nearfar {

/// The sum of all elements of the `local` arrays of all ranks: the exact sum, rounded once to nearest, ties to even.
///
/// So all ranks get the same bits, and so does every other run: with any number of ranks, the elements spread over them
/// and ordered in any way, added by any number of threads, with any MPI, on any processor with IEEE arithmetic. The
/// arrays may have different lengths, and be empty. Special values and arithmetic modes: see exact_sum.
///
/// Collective over the team. @throws transport_error if MPI fails
/// @cost a pass over the array, and one allreduce of 568 bytes
/// @source see exact_sum; accumulators without carries in flight are added over the ranks as plain integers, ours
NEARFAR_API double reproducible_sum(const team& members, std::span<const double> local);
/// The same for floats: summed exactly and rounded once, not by way of double. @throws transport_error  if MPI fails.
NEARFAR_API float reproducible_sum(const team& members, std::span<const float> local);

/// The same for numbers that this rank has added up already: by several threads, or not lying in an array.
NEARFAR_API double reproducible_sum(const team& members, exact_sum local);

/// The sum of a[i] b[i] over all elements of all ranks; exact and rounded once as reproducible_sum().
/// @throws usage_error  here, before anything is communicated, if this rank's arrays differ in length
/// @cost   a pass over both arrays, and one allreduce of 1096 bytes
NEARFAR_API double reproducible_dot(const team& members, std::span<const double> a, std::span<const double> b);
/// The same for floats. @throws usage_error  as above.
NEARFAR_API float reproducible_dot(const team& members, std::span<const float> a, std::span<const float> b);
/// The same for products that this rank has added up already. Collective.
NEARFAR_API double reproducible_dot(const team& members, exact_dot local);

/// sums[k] = reproducible_sum of arrays[k], all with one message. As many sums as arrays, the same number on all ranks.
/// @throws usage_error  here, before anything is communicated, if the numbers of sums and arrays differ
NEARFAR_API void reproducible_sums(const team& members, std::span<const std::span<const double>> arrays,
                                   std::span<double> sums);
/// The same for floats.
NEARFAR_API void reproducible_sums(const team& members, std::span<const std::span<const float>> arrays,
                                   std::span<float> sums);

/// The same for sums and dot products that this rank has added up already. As many results as accumulators.
NEARFAR_API void reproducible_sums(const team& members, std::span<const exact_sum> locals, std::span<double> sums);
/// The same, rounded to float.
NEARFAR_API void reproducible_sums(const team& members, std::span<const exact_sum> locals, std::span<float> sums);
/// Dots[k] = the dot product that all locals[k] come to. @throws usage_error  as reproducible_sums().
NEARFAR_API void reproducible_dots(const team& members, std::span<const exact_dot> locals, std::span<double> dots);
/// The same, rounded to float.
NEARFAR_API void reproducible_dots(const team& members, std::span<const exact_dot> locals, std::span<float> dots);

/// values[i] = the sum of values[i] over the ranks, exact and rounded once, element by element: an allreduce whose bits
/// do not depend on the order of the ranks, on nodes, algorithms or message sizes. Of two ranks it gives what a plain
/// sum gives.
///
/// Collective; the same length on all ranks.
/// @cost messages as of a reduce-scatter and an allgather over all ranks (an allgather alone up to 32 KiB from all
///         ranks together), about 12 operations per element and rank; scratch of at most 16 MiB, or 8 bytes per rank
/// @source columns are added with the errors of all additions (D. E. Knuth, TAOCP 2, 4.2.2), and by an exact_sum where
///         those do not settle the last bit; ours
NEARFAR_API void reproducible_allreduce(const team& members, std::span<double> values);
NEARFAR_API void reproducible_allreduce(const team& members, std::span<float> values);  ///< The same for floats

}  // namespace nearfar
