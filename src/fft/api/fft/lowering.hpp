// SPDX-License-Identifier: BSD-3-Clause
// A transform for a modelled machine: what a rank sends and receives in each move, by the code of running plans.
#pragma once

#include <exchange/lowering.hpp>
#include <nearfar/fft.hpp>

namespace nearfar {

/// The moves of a forward transform of one field, in their order. Local where the layout's team is a modelled one.
std::vector<exchange::rank_flows> fft_flows(const fft_layout& layout, index_t real_bytes);

}  // namespace nearfar
