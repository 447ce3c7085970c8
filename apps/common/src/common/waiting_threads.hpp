// SPDX-License-Identifier: BSD-3-Clause
// How long OpenMP's threads spin before they sleep, which OpenMP reads from the environment before main begins.
#pragma once

namespace apps {

/// Has threads of OpenMP sleep after some ten microseconds of waiting, unless OMP_WAIT_POLICY, GOMP_SPINCOUNT or
/// KMP_BLOCKTIME say how long: by default they spin for milliseconds, and where another process wants their core
/// (a second rank, a busy machine) that is what each parallel region takes. Runs the program anew with the variables
/// set, before MPI begins; returns where there is nothing to set, no OpenMP, or no way to do so.
void shorten_spinning(char** argv);

}  // namespace apps
