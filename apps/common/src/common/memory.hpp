// SPDX-License-Identifier: BSD-3-Clause
// How much memory there is for a program to take, and whether it suffices.
#pragma once

#include <nearfar/team.hpp>
#include <string>

namespace apps {

/// Bytes that processes of this machine, and of this control group, may still have. Local; infinite where nothing says.
double free_bytes();

/// "23.4 GB", "1.2 TB".
std::string gigabytes(double bytes);

/// That all nodes have the memory that their ranks are going to take.
/// @param what      needs it: "a grid of 64 x 64 x 64 points needs"
/// @param of_rank   bytes of each rank, without those of the process and the MPI library, which are added
/// @param remedy    "take more nodes or fewer points"
/// Collective. @throws nearfar::resource_error  on every rank, with both numbers of the first node that has too little
void check_memory(const nearfar::team& team, const std::string& what, double of_rank, const std::string& remedy);

}  // namespace apps
