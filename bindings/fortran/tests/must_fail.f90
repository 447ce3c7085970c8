! SPDX-License-Identifier: BSD-3-Clause
! Runs that must fail: an error without stat=, and a check that is false on one rank.
program must_fail
  use, intrinsic :: iso_fortran_env, only: real32
  use mpi_f08, only: MPI_COMM_WORLD
  use nearfar, only: nearfar_grid, nearfar_team
  use nearfar_testing, only: check, testing_begin, testing_end, world_rank
  implicit none (type, external)
  character(20) :: which

  call testing_begin()
  call get_command_argument(1, which)
  if (which == 'check') then
    call check(world_rank /= 1, 'rank 1 fails')
  else
    call stop_without_stat()
  end if
  call testing_end()

contains

  subroutine stop_without_stat()
    type(nearfar_team) :: team
    type(nearfar_grid) :: grid
    real(real32), pointer, contiguous :: u(:)

    call team%create(MPI_COMM_WORLD)
    call grid%create(team, extents=[8])
    call grid%new_field(u, ghosts=-3)
    print '(a)', 'no rank may come here'
  end subroutine stop_without_stat

end program must_fail
