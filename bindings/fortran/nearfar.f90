! SPDX-License-Identifier: BSD-3-Clause
! All of the Fortran interface: teams, grids with their fields, halo plans, reproducible sums.
! Indices start at 1, fastest first.
!
! Every subroutine takes stat= and errmsg=, as allocate does; without stat= an error ends the
! program with a message.
module nearfar
  use nearfar_grids, only: nearfar_box, nearfar_grid
  use nearfar_halos, only: nearfar_halo, nearfar_method_names
  use nearfar_reproducible, only: nearfar_exact_sum, nearfar_reproducible_allreduce, &
    nearfar_reproducible_dot, nearfar_reproducible_sum
  use nearfar_teams, only: nearfar_team
  use nearfar_thread_teams, only: nearfar_thread_team
  implicit none (type, external)
  private
  public :: nearfar_team, nearfar_grid, nearfar_box, nearfar_halo, nearfar_method_names
  public :: nearfar_exact_sum, nearfar_reproducible_sum, nearfar_reproducible_dot, &
    nearfar_reproducible_allreduce
  public :: nearfar_thread_team

  !> Values of stat=.
  integer, parameter, public :: nearfar_ok = 0, nearfar_usage_error = 1, &
    nearfar_resource_error = 2, nearfar_transport_error = 3, nearfar_io_error = 4
end module nearfar
