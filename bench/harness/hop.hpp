// SPDX-License-Identifier: BSD-3-Clause
// How far apart the cores of the first two ranks are: on virtual machines that may change from one moment to the next.
#pragma once

#include "measure.hpp"

namespace bench {

/// A contender called `hop`: the time in which a store of one of these ranks is seen by the other, who polls. Some 40
/// ns where the cores share a last-level cache, 200 and more where they do not. Measured among the others, so that it
/// tells what they met. Collective over `comm`; only where all ranks have one node, and a core each.
contender make_hop(MPI_Comm comm);

}  // namespace bench
