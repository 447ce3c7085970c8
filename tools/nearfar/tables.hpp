// SPDX-License-Identifier: BSD-3-Clause
// Tables of docs/model.md.
#pragma once

#include <model/machine.hpp>

#include "arguments.hpp"

namespace nearfar::command {

/// nearfar model --table brams|decomp2d|fletcher|ua|allreduce|memory
int print_table(const arguments& a, const model::machine& m);

}  // namespace nearfar::command
