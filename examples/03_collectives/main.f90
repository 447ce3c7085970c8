! SPDX-License-Identifier: BSD-3-Clause
! Sums, sums of squares and maxima of numbers that all ranks share out: a plan that overlaps with
! work, and one-shot calls.
program collectives
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08, only: MPI_COMM_WORLD, MPI_Finalize, MPI_Init
  use nearfar, only: nearfar_allreduce, nearfar_bcast, nearfar_collective_plan, nearfar_team
  implicit none (type, external)
  integer, parameter :: count = 4800
  type(nearfar_team) :: team
  type(nearfar_collective_plan) :: sums
  real(real64), target :: moments(2)
  real(real64) :: top, checksum
  real(real64), allocatable :: x(:)
  integer :: first, last, scale, step, i

  call MPI_Init()
  call team%create(MPI_COMM_WORLD)
  first = count * team%rank() / team%size()
  last = count * (team%rank() + 1) / team%size() - 1
  allocate (x(first:last))

  ! [plan]
  call nearfar_allreduce(team, moments, op='sum', plan=sums, name='moments')
  ! [plan]
  checksum = 0
  do step = 1, 10
    scale = merge(31 * step, 0, team%rank() == 0)
    call nearfar_bcast(team, scale, root=0)
    x = [(real(mod(int(i, int64)**2 + scale, 97_int64), real64), i=first, last)]
    moments = [sum(x), sum(x**2)]
    ! [overlap]
    call sums%start()
    top = maxval(x)                             ! work that does not need the sums
    call sums%finish()
    call nearfar_allreduce(team, top, op='max')
    ! [overlap]
    checksum = checksum + moments(1) + 3 * moments(2) + 7 * top
  end do
  if (team%rank() == 0) print '(a,i0)', 'moments: checksum ', int(checksum, int64)
  call sums%free()
  call team%free()
  call MPI_Finalize()
end program collectives
