// SPDX-License-Identifier: BSD-3-Clause
// The distribution given by lists: a directory of owners, in blocks over the ranks.
#pragma once

#include <vector>

#include "block_distributions.hpp"

namespace nearfar::irregular {

/// Collective. @throws usage_error on every rank: an index out of range, owned twice or by nobody
std::shared_ptr<const distribution_state> make_directory(const team& t, index_t elements,
                                                         std::span<const index_t> owned);

}  // namespace nearfar::irregular
