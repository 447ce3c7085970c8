! SPDX-License-Identifier: BSD-3-Clause
! Smooths an allocatable array that the program owns already, with its halo around the tile.
program own_arrays
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08, only: MPI_Allreduce, MPI_COMM_WORLD, MPI_DOUBLE_PRECISION, MPI_Finalize, MPI_Init, &
    MPI_SUM
  use nearfar, only: nearfar_grid, nearfar_halo_plan, nearfar_team
  implicit none (type, external)
  type(nearfar_team) :: team
  type(nearfar_grid) :: grid
  type(nearfar_halo_plan) :: halo
  real(real64), allocatable, target :: a(:,:)
  real(real64), allocatable :: b(:,:)
  integer(int64) :: lower(2), upper(2), i, j
  real(real64) :: mine, all
  integer :: step

  call MPI_Init()
  call team%create(MPI_COMM_WORLD)
  call grid%create(team, extents=[60, 48], periodic=[.true., .true.])

  ! [add]
  lower = grid%lower()
  upper = grid%upper()
  allocate (a(lower(1) - 1:upper(1) + 1, lower(2) - 1:upper(2) + 1))   ! one ghost on every side
  call halo%begin(grid, name='smooth')
  call halo%add(a, &
    ghosts=1)                                           ! the widths that the array has
  call halo%commit()
  ! [add]

  allocate (b, mold=a)
  do j = lower(2), upper(2)
    do i = lower(1), upper(1)
      a(i, j) = modulo(5 * j + 3 * i, 64_int64)
    end do
  end do
  do step = 1, 8
    call halo%run()
    do j = lower(2), upper(2)
      do i = lower(1), upper(1)
        b(i, j) = (a(i - 1, j - 1) + a(i + 1, j - 1) + a(i - 1, j + 1) + a(i + 1, j + 1)) / 4
      end do
    end do
    a(lower(1):upper(1), lower(2):upper(2)) = b(lower(1):upper(1), lower(2):upper(2))
  end do
  mine = 0
  do j = lower(2), upper(2)
    do i = lower(1), upper(1)
      mine = mine + a(i, j) * modulo(j + 2 * i, 7_int64)
    end do
  end do
  call MPI_Allreduce(mine, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  if (team%rank() == 0) print '(a,i0)', 'smooth: checksum ', int(all * 2.0_real64**16, int64)
  call team%free()
  call MPI_Finalize()
end program own_arrays
