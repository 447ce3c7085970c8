// SPDX-License-Identifier: BSD-3-Clause
// Chooses the methods of an exchange: pinned, from an earlier plan or the wisdom file, or by a race.
#pragma once

#include <exchange/exchange.hpp>
#include <tune/selection.hpp>

#include "runner.hpp"

namespace nearfar::exchange {

struct chosen_runner {
  tune::selection why;
  std::unique_ptr<runner> winner;
};

/// Whether an exchange with these options is made without communication.
bool is_made_locally(const exchange_options& options);

/// Collective over the team, but where is_made_locally. Receiving regions are as before afterwards.
chosen_runner choose(context& c, const exchange_options& options);

}  // namespace nearfar::exchange
