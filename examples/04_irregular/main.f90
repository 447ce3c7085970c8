! SPDX-License-Identifier: BSD-3-Clause
! Heat on a graph whose edges know the numbers of their two points and nothing else: gather, compute
! on edges, scatter-add. Points are numbered from 0 here, as in the other languages.
program graph
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use mpi_f08, only: MPI_COMM_WORLD, MPI_Finalize, MPI_Init
  use nearfar, only: nearfar_allreduce, nearfar_distribution, nearfar_irregular_plan, nearfar_team
  implicit none (type, external)
  integer(int64), parameter :: points = 5000, edges = 12000
  type(nearfar_team) :: team
  type(nearfar_distribution) :: where
  type(nearfar_irregular_plan) :: plan
  integer(int64), allocatable :: ends(:), own(:), at_ends(:)
  integer(int32), allocatable :: local(:)
  integer(int64), pointer, contiguous :: heat(:), change(:)
  integer(int64) :: first, last, e, k, flow, checksum
  integer :: step

  call MPI_Init()
  call team%create(MPI_COMM_WORLD)
  first = edges * team%rank() / team%size()
  last = edges * (team%rank() + 1) / team%size() - 1
  allocate (ends(2 * (last - first + 1)), at_ends(2 * (last - first + 1)))
  do e = first, last                            ! two points per edge of this rank
    ends(2 * (e - first) + 1) = mod(e * 7, points)
    ends(2 * (e - first) + 2) = mod(e * 131 + e / 9 * 17 + 3, points)
  end do

  ! [plan]
  call where%block(team, points)
  call plan%create(where, ends, base=0, name='edges')
  call plan%new_array(heat)                     ! own points and ghosts, near ranks read in place
  call plan%new_array(change)
  ! [plan]
  allocate (own, source=where%globals(base=0))
  allocate (local, source=plan%local_indices())
  heat(:size(own)) = mod(own**2, 1000003_int64)

  do step = 1, 20
    ! [step]
    call plan%gather_ghosts(heat)
    change = 0
    do k = 1, size(local), 2
      flow = (heat(local(k)) - heat(local(k + 1))) / 16
      change(local(k)) = change(local(k)) - flow
      change(local(k + 1)) = change(local(k + 1)) + flow
    end do
    call plan%scatter_ghosts(change)            ! what other ranks found for our points
    ! [step]
    heat(:size(own)) = heat(:size(own)) + change(:size(own))
  end do
  call plan%gather(heat, at_ends)               ! the same in one call: a value per reference
  checksum = sum((mod(ends, 97_int64) + 1) * at_ends)
  call nearfar_allreduce(team, checksum, op='sum')
  if (team%rank() == 0) print '(a,i0)', 'graph: checksum ', checksum

  call plan%free_array(heat)
  call plan%free_array(change)
  call plan%free()
  call where%free()
  call team%free()
  call MPI_Finalize()
end program graph
