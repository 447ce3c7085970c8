! SPDX-License-Identifier: BSD-3-Clause
! One halo exchange of a periodic row of cells; the exit code says whether the ghosts are right.
program consumer
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08, only: MPI_COMM_WORLD, MPI_Finalize, MPI_Init
  use nearfar, only: nearfar_grid, nearfar_halo_plan, nearfar_team
  implicit none (type, external)
  integer, parameter :: cells = 16
  type(nearfar_team) :: team
  type(nearfar_grid) :: grid
  type(nearfar_halo_plan) :: halo
  real(real64), pointer, contiguous :: t(:)
  integer :: i, first, last
  logical :: right

  call MPI_Init()
  call team%create(MPI_COMM_WORLD)
  call grid%create(team, extents=[cells], periodic=[.true.])
  call grid%new_field(t, ghosts=1)
  call halo%create(grid, t)
  first = lbound(t, 1) + 1
  last = ubound(t, 1) - 1
  do i = first, last
    t(i) = real(i, real64)
  end do
  call halo%run()
  right = nint(t(first - 1)) == modulo(first - 2, cells) + 1 &
    .and. nint(t(last + 1)) == modulo(last, cells) + 1
  call team%free()
  call MPI_Finalize()
  if (.not. right) error stop 'wrong ghost cells'
end program consumer
