// SPDX-License-Identifier: BSD-3-Clause
// A transposition for a modelled machine: what a rank sends and receives, by the code of running plans.
#pragma once

#include <exchange/lowering.hpp>
#include <nearfar/transpose.hpp>

namespace nearfar {

/// One run of the plan from one side to the other, whose decompositions are of a modelled team of this rank (or of a
/// real one). Local; O(ranks that it has boxes in common with).
exchange::rank_flows transpose_flows(const transpose_side& from, const transpose_side& to, index_t fields,
                                     index_t element_bytes);

}  // namespace nearfar
