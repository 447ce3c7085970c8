// SPDX-License-Identifier: BSD-3-Clause
// All of the C++ interface.
#pragma once

#include <nearfar/box.hpp>
#include <nearfar/choice.hpp>
#include <nearfar/collective.hpp>
#include <nearfar/collective_plan.hpp>
#include <nearfar/detail/combiner.hpp>
#include <nearfar/distribution.hpp>
#include <nearfar/error.hpp>
#include <nearfar/fft.hpp>
#include <nearfar/field.hpp>
#include <nearfar/for_each.hpp>
#include <nearfar/grid.hpp>
#include <nearfar/halo.hpp>
#include <nearfar/index.hpp>
#include <nearfar/index_map.hpp>
#include <nearfar/irregular_array.hpp>
#include <nearfar/irregular_plan.hpp>
#include <nearfar/irregular_vector.hpp>
#include <nearfar/mpi_watch.hpp>
#include <nearfar/output.hpp>
#include <nearfar/output_reader.hpp>
#include <nearfar/plan_options.hpp>
#include <nearfar/process_grid.hpp>
#include <nearfar/reproducible.hpp>
#include <nearfar/sparse_exchange.hpp>
#include <nearfar/team.hpp>
#include <nearfar/thread_team.hpp>
#include <nearfar/transpose.hpp>
#include <nearfar/transpose_arrays.hpp>
