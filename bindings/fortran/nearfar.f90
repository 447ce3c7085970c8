! SPDX-License-Identifier: BSD-3-Clause
! All of the Fortran interface: teams, grids with their fields, halo plans,
! collective calls and plans, irregular gather and scatter, reproducible sums,
! transpositions and Fourier transforms of distributed grids, output of time steps and
! reading them back. Indices start at 1, fastest first: the first index of an array is contiguous.
!
! Every subroutine takes stat= and errmsg=, as allocate does; without stat= an error ends the
! program with a message.
module nearfar
  use, intrinsic :: iso_fortran_env, only: int64
  use nearfar_collectives, only: nearfar_allgather, nearfar_allgatherv, nearfar_allreduce, &
    nearfar_alltoall, nearfar_alltoallv, nearfar_barrier => barrier, nearfar_bcast, &
      nearfar_exscan, &
    nearfar_gather, nearfar_gatherv, nearfar_reduce, nearfar_reduce_scatter, &
    nearfar_reduce_scatter_block, nearfar_scan, nearfar_scatter, nearfar_scatterv
  use nearfar_constants, only: nearfar_fft_backward, nearfar_fft_forward, nearfar_io_error, &
    nearfar_no_tuning, nearfar_ok, nearfar_resource_error, nearfar_transport_error, &
    nearfar_usage_error
  use nearfar_decompositions, only: nearfar_decomposition
  use nearfar_distributions, only: nearfar_distribution, nearfar_distribution_rule
  use nearfar_ffts, only: nearfar_fft_plan, nearfar_fft_layout, nearfar_fft_padded_extents, &
    nearfar_fft_truncated_modes
  use nearfar_irregular_plans, only: nearfar_irregular_plan
  use nearfar_grids, only: nearfar_box, nearfar_grid
  use nearfar_halos, only: nearfar_halo_plan
  use nearfar_objects, only: nearfar_c_handle => live
  use nearfar_output_writer_ranks, only: nearfar_output_writers
  use nearfar_output_files, only: nearfar_output_soundness_damaged, nearfar_output_report, &
    nearfar_output_soundness_sound, nearfar_output_steps_at => steps_at, &
    nearfar_output_soundness_unknown, nearfar_output_verify => verify
  use nearfar_output_readers, only: nearfar_output_reader
  use nearfar_outputs, only: nearfar_output
  use nearfar_plan_options, only: nearfar_methods => methods_of
  use nearfar_plans, only: nearfar_collective_plan
  use nearfar_reproducible, only: nearfar_exact_sum, nearfar_reproducible_allreduce, &
    nearfar_reproducible_dot, nearfar_reproducible_sum
  use nearfar_teams, only: nearfar_team
  use nearfar_thread_teams, only: nearfar_thread_team
  use nearfar_transposes, only: nearfar_transpose_plan, nearfar_transpose_side
  implicit none (type, external)
  private
  public :: nearfar_allgather, nearfar_allgatherv, nearfar_allreduce, nearfar_alltoall, &
    nearfar_alltoallv, nearfar_barrier, nearfar_bcast, nearfar_exscan, nearfar_gather, &
    nearfar_gatherv, nearfar_collective_plan, nearfar_reduce, nearfar_reduce_scatter, &
    nearfar_reduce_scatter_block, nearfar_scan, nearfar_scatter, nearfar_scatterv
  public :: nearfar_team, nearfar_grid, nearfar_box, nearfar_halo_plan, nearfar_methods
  public :: nearfar_exact_sum, nearfar_reproducible_sum, nearfar_reproducible_dot, &
    nearfar_reproducible_allreduce
  public :: nearfar_distribution, nearfar_distribution_rule, nearfar_irregular_plan
  public :: nearfar_thread_team
  public :: nearfar_decomposition, nearfar_transpose_plan, nearfar_transpose_side
  public :: nearfar_fft_plan, nearfar_fft_layout, nearfar_fft_padded_extents, &
    nearfar_fft_truncated_modes
  public :: nearfar_output, nearfar_output_writers, nearfar_output_steps_at, nearfar_output_verify
  public :: nearfar_output_reader, nearfar_output_report, nearfar_output_soundness_sound, &
    nearfar_output_soundness_damaged, nearfar_output_soundness_unknown

  public :: nearfar_fft_forward, nearfar_fft_backward, nearfar_no_tuning
  !> Handle of an object, for calls of the C interface; null after free.
  public :: nearfar_c_handle
  !> Values of stat=.
  public :: nearfar_ok, nearfar_usage_error, nearfar_resource_error, nearfar_transport_error, &
    nearfar_io_error

  !> Sizes and indices; default integers are taken too.
  integer, parameter, public :: nearfar_index_kind = int64
end module nearfar
