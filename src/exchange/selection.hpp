// SPDX-License-Identifier: BSD-3-Clause
// Chooses the methods of an exchange: pinned, remembered, or raced.
#pragma once

#include <exchange/exchange.hpp>
#include <tune/tuner.hpp>

#include "runner.hpp"

namespace nearfar::exchange {

struct selection {
  std::unique_ptr<runner> winner;
  std::string how;                  ///< "pinned", "from wisdom", "tuned in 212 ms", "nothing to exchange"
  double seconds = 0;               ///< measured median of the winner, 0 if unknown
  std::vector<tune::timing> tried;  ///< of the races, in order
};

/// Whether an exchange with these options is made without communication.
bool is_made_locally(const exchange_options& options);

/// Collective over the team, but where is_made_locally. Receiving regions are as before afterwards.
selection choose(context& c, const exchange_options& options);

}  // namespace nearfar::exchange
