! SPDX-License-Identifier: BSD-3-Clause
! Collective calls and plans from Fortran: every call, kinds and ranks of arrays, sections, errors.
program collectives_test
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use mpi_f08, only: MPI_MAX
  use nearfar
  use nearfar_testing, only: check, check_error, everyone, testing_begin, testing_end, &
    testing_next_shape, world_rank, world_size
  implicit none (type, external)
  type(nearfar_team) :: team
  integer :: stat
  character(1000) :: message

  call testing_begin()
  do while (testing_next_shape())
    call team%create(everyone)
    call test_kinds_and_ranks()
    call test_reductions()
    call test_movements()
    call test_lists()
    call test_sections()
    call test_plans()
    call test_errors()
    call team%free()
  end do
  call testing_end()

contains

  ! The sum over ranks 0 … last of (rank + 1) * factor.
  pure integer function sum_to(last, factor)
    integer, intent(in) :: last, factor
    sum_to = factor * (last + 1) * (last + 2) / 2
  end function sum_to

  subroutine test_kinds_and_ranks()
    integer(int32) :: i4
    integer(int64) :: i8(3)
    real(real32) :: r4(2, 2)
    real(real64) :: r8(2, 3, 2)
    complex(real32) :: c4(2)
    complex(real64) :: c8
    logical :: flag

    i4 = world_rank + 1
    call nearfar_allreduce(team, i4, op='sum')
    call check(i4 == sum_to(world_size - 1, 1), 'int32 scalar')
    i8 = world_rank
    call nearfar_allreduce(team, i8, op='max')
    call check(all(i8 == world_size - 1), 'int64 array')
    r4 = real(world_rank + 1, real32)
    call nearfar_allreduce(team, r4, op='sum')
    call check(all(nint(r4) == sum_to(world_size - 1, 1)), 'real32 matrix')
    r8 = real(-world_rank, real64)
    call nearfar_allreduce(team, r8, op='min')
    call check(all(nint(r8) == 1 - world_size), 'real64 of rank 3')
    c4 = cmplx(world_rank + 1, 2 * (world_rank + 1), real32)
    call nearfar_allreduce(team, c4, op='sum')
    call check(all(nint(aimag(c4)) == sum_to(world_size - 1, 2)), 'complex(real32)')
    c8 = cmplx(world_rank + 1, 3 * (world_rank + 1), real64)
    call nearfar_allreduce(team, c8, op='sum')
    call check(nint(aimag(c8)) == sum_to(world_size - 1, 3), 'complex(real64)')
    flag = world_rank == world_size - 1
    call nearfar_allreduce(team, flag, op='logical_or')
    call check(flag, 'logical')
    i4 = world_rank
    call nearfar_allreduce(team, i4, mpi_op=MPI_MAX%MPI_VAL)
    call check(i4 == world_size - 1, 'mpi_op')
  end subroutine test_kinds_and_ranks

  subroutine test_reductions()
    real(real64) :: x(400), y(400)
    integer :: parts(2 * world_size), mine(2), again(2)
    integer :: i

    x = world_rank + 1
    y = 0
    call nearfar_barrier(team)
    call nearfar_allreduce(team, x, y, op='sum')
    call check(all(nint(y) == sum_to(world_size - 1, 1)), 'allreduce')
    call nearfar_scan(team, x, y, op='sum')
    call check(all(nint(y) == sum_to(world_rank, 1)), 'scan')
    call nearfar_exscan(team, x, y, op='sum')
    call check(world_rank == 0 .or. all(nint(y) == sum_to(world_rank - 1, 1)), 'exscan')
    call nearfar_reduce(team, x, y, op='sum', root=world_size - 1)
    call check(world_rank < world_size - 1 .or. all(nint(y) == sum_to(world_size - 1, 1)), 'reduce')
    parts = [((world_rank + 1) * i, i=1, 2 * world_size)]
    call nearfar_reduce_scatter_block(team, parts, mine, op='sum')
    call nearfar_reduce_scatter(team, parts, again, op='sum', counts=[(2, i=1, world_size)])
    call check(mine(2) == sum_to(world_size - 1, 2 * world_rank + 2), 'reduce_scatter_block')
    call check(all(again == mine), 'reduce_scatter')
  end subroutine test_reductions

  subroutine test_movements()
    real(real32) :: mine(3), everything(3, world_size), back(3, world_size)
    integer :: r

    mine = real(world_rank, real32)
    call nearfar_allgather(team, mine, everything)
    call check(all([(nint(everything(3, r)) == r - 1, r=1, world_size)]), 'allgather')
    back = -1
    call nearfar_gather(team, mine, back, root=0)
    call check(world_rank > 0 .or. all(nint(back) == nint(everything)), 'gather')
    mine = -1
    call nearfar_scatter(team, everything, mine, root=world_size - 1)
    call check(all(nint(mine) == world_rank), 'scatter')
    call nearfar_bcast(team, mine, root=world_size - 1)
    call check(all(nint(mine) == world_size - 1), 'bcast')
    call nearfar_alltoall(team, everything, back)
    call check(all(nint(back) == world_rank), 'alltoall')
  end subroutine test_movements

  subroutine test_lists()
    integer :: counts(world_size), triangle(world_size * (world_size + 1) / 2)
    integer, allocatable :: mine(:), out(:)
    integer :: i, r

    counts = [(r, r=1, world_size)]
    allocate (mine(world_rank + 1), source=world_rank)
    call nearfar_allgatherv(team, mine, triangle, counts)
    call check(all(triangle == [((r - 1, i=1, r), r=1, world_size)]), 'allgatherv')
    triangle = -1
    call nearfar_gatherv(team, mine, triangle, counts, root=0)
    call check(world_rank > 0 .or. all(triangle == [((r - 1, i=1, r), r=1, world_size)]), 'gatherv')
    mine = -1
    call nearfar_scatterv(team, triangle, mine, counts, root=0)
    call check(all(mine == world_rank), 'scatterv')
    allocate (out(world_size * (world_rank + 1)), source=-1)
    triangle = [((100 * world_rank + r, i=1, r), r=1, world_size)]
    call nearfar_alltoallv(team, triangle, out, counts, [(world_rank + 1, r=1, world_size)])
    call check(all(out == [((100 * r + world_rank + 1, i=1, world_rank + 1), &
      r=0, world_size - 1)]), 'alltoallv')
  end subroutine test_lists

  subroutine test_sections()
    real(real64) :: u(4, 5)

    u = -1
    u(2, :) = world_rank + 1
    call nearfar_allreduce(team, u(2, :), op='sum')
    call check(all(nint(u(2, :)) == sum_to(world_size - 1, 1)) .and. all(nint(u(3, :)) == -1), &
      'a section is combined in place, its surroundings stay')
    call nearfar_bcast(team, u(1:3:2, 2:4), root=0)
    call check(all(nint(u(1, :)) == -1), 'a section of rank 2')
  end subroutine test_sections

  subroutine test_plans()
    type(nearfar_collective_plan) :: sums, news, meeting
    real(real64), target :: x(500), y(500)
    integer, target :: word(2)
    real(real64), target :: z(4, 3, 3)
    integer :: step

    z = -1
    z(:, 2, 3) = world_rank + 1
    call nearfar_allreduce(team, z(:, 2, 3:3), op='sum', plan=sums)
    call sums%run()
    call check(all(nint(z(:, 2, 3)) == sum_to(world_size - 1, 1)) .and. &
      all(nint(z(:, 3, 3)) == -1), 'a section without gaps in a plan')
    call sums%free()
    call nearfar_allreduce(team, x, y, op='sum', plan=sums, name='sums', budget_s=0.01_real64)
    call nearfar_bcast(team, word, root=0, plan=news, method='mpi')
    call nearfar_barrier(team, plan=meeting)
    do step = 1, 5
      x = step * (world_rank + 1)
      word = merge(step, -1, world_rank == 0)
      call sums%start()
      call news%start()
      do while (.not. sums%test())
      end do
      call news%finish()
      call sums%finish()
      call check(all(nint(y) == sum_to(world_size - 1, step)) .and. all(word == step), 'plans')
      call meeting%run()
    end do
    call check(index(sums%describe(), 'sums') > 0, 'describe')
    call check(sums%tuned_seconds() > 0, 'tuned_seconds')
    call check(sums%method() /= '', 'method')
    call check(news%start_method() == 'mpi', 'start_method')
    call sums%finish(stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'without start', 'finish alone')
    call sums%free()
    call sums%run(stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'freed', 'run after free')
    call news%free()
    call meeting%free()
  end subroutine test_plans

  subroutine test_errors()
    type(nearfar_collective_plan) :: plan
    real(real64), target :: x(4), y(5)
    real(real64) :: u(3, 3)

    x = 0
    y = 0
    u = 0
    call nearfar_allreduce(team, x, y, op='sum', stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, '4 elements', 'sizes')
    call nearfar_allreduce(team, x, op='summ', stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'operation', 'operation')
    call nearfar_bcast(team, x, root=world_size, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'root', 'root')
    call nearfar_allreduce(team, x, op='sum', plan=plan, method='swift', stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'swift', 'method')
    call nearfar_allreduce(team, u(2, :), op='sum', plan=plan, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'contiguous', 'section in a plan')
  end subroutine test_errors

end program collectives_test
