// SPDX-License-Identifier: BSD-3-Clause
// A gather plan for a modelled machine: from which ranks a rank gets its ghosts, by the inspector of running plans.
#pragma once

#include <exchange/lowering.hpp>
#include <nearfar/distribution.hpp>
#include <span>

namespace nearfar {

/// What the rank of the distribution's team receives in one gather of elements of so many bytes, each ghost once;
/// nothing is said of what it sends, which others' references decide. Local where the team is a modelled one.
/// @throws usage_error  a reference to an element that is not there
exchange::rank_flows gather_flows(const distribution& where, std::span<const index_t> references,
                                  index_t element_bytes);

}  // namespace nearfar
