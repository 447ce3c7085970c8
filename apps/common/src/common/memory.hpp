// SPDX-License-Identifier: BSD-3-Clause
// How much memory there is for a program to take.
#pragma once

#include <string>

namespace apps {

/// Bytes that processes of this machine, and of this control group, may still have. Local; infinite where nothing says.
double free_bytes();

/// "23.4 GB", "1.2 TB".
std::string gigabytes(double bytes);

}  // namespace apps
