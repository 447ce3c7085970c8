// SPDX-License-Identifier: BSD-3-Clause
// An irregular plan for a modelled machine: from which ranks a rank gets its ghosts, by the inspector of running plans.
#pragma once

#include <exchange/lowering.hpp>
#include <functional>
#include <nearfar/distribution.hpp>
#include <span>
#include <vector>

namespace nearfar {

/// What the rank of the distribution's team receives in one gather of elements of so many bytes, each ghost once;
/// nothing is said of what it sends, which others' references decide. Local where the team is a modelled one.
/// @throws usage_error  a reference to an element that is not there
exchange::rank_flows gather_flows(const distribution& where, std::span<const index_t> references,
                                  index_t element_bytes);

/// The same of all ranks of a machine, whose elements lie in blocks, with what they send. O(all references) time.
exchange::flows_by_rank gather_flows(const node_shape& shape, index_t elements,
                                     const std::function<std::vector<index_t>(int rank)>& references_of,
                                     index_t element_bytes);

}  // namespace nearfar
