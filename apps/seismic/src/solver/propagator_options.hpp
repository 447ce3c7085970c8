// SPDX-License-Identifier: BSD-3-Clause
// How waves are to be computed.
#pragma once

#include <grid/sides.hpp>
#include <kernels/kernels.hpp>
#include <string>

namespace seismic {

/// What makes the steps.
enum class device_kind { cpu, gpu };

struct propagator_options {
  system_kind system = system_kind::isotropic;
  int order = 8;    ///< in space: 4, 8 or 12
  double dt_s = 0;  ///< 0: 0.9 of the largest that is stable, a little less so that times are even: see even_step()
  double divided_s = 0;                ///< with dt_s = 0: a time that is to be a multiple of the step; 0: none
  side_kind sides = side_kind::rigid;  ///< random: as rigid; the velocities are the medium's business
  int absorbing_cells = 0;             ///< of sponge or cpml
  double frequency_hz = 10;            ///< of the waves, for cpml
  /// cpml: layers are the transposed ones. Driven by the reversed traces at receivers and read at sources, backwards,
  /// the propagator is then the transpose of the usual one. Those with other sides are their own, but Fletcher's.
  bool is_transposed = false;
  bool has_free_surface =
      false;              ///< at z = 0, where the field is zero and beyond which it has the other sign; isotropic media
  int threads = 0;        ///< 0: what OpenMP says
  std::string kernels{};  ///< a name of usable_kernels(); "": the fastest
  std::string halo_method{};              ///< "": tuned
  int rows_per_block = 0;                 ///< of a thread's work; 0: measured on large grids, and kept as wisdom
  int ghosts = 0;                         ///< at least so many, for who reads before(); the stencil's radius at least
  device_kind device = device_kind::cpu;  ///< gpu: one that gpu::fault_of() has nothing against, on every rank

  bool is_on_gpu() const noexcept { return device == device_kind::gpu; }
};

}  // namespace seismic
