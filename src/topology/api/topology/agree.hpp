// SPDX-License-Identifier: BSD-3-Clause
// Collective verdicts: creating a plan fails on every rank with the same error, or on none.
#pragma once

#include <cstdint>
#include <functional>
#include <nearfar/error.hpp>
#include <nearfar/team.hpp>
#include <span>

namespace nearfar {

/// Runs `step` on this rank and agrees on the outcome. If it threw a nearfar::error on any rank, every rank throws that
/// class with the message of the lowest failing rank and the list of the ranks that failed. Collective.
/// `step` must not communicate with ranks that may have failed in it.
void agree(const team& members, const std::function<void()>& step);

/// Throws usage_error on every rank unless `values` are the same everywhere; the message names `what`, both values and a
/// rank of each. Collective.
void require_same(const team& members, const char* what, std::span<const std::int64_t> values);

}  // namespace nearfar
