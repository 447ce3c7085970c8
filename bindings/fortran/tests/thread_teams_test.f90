! SPDX-License-Identifier: BSD-3-Clause
! Thread teams from Fortran inside OpenMP parallel regions.
program thread_teams_test
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08, only: MPI_DOUBLE_PRECISION, MPI_INTEGER, MPI_MAX, MPI_SUM
  use nearfar, only: nearfar_ok, nearfar_team, nearfar_thread_team, nearfar_usage_error
  use nearfar_testing, only: check, check_error, everyone, testing_begin, testing_end, &
    testing_next_shape, world_rank, world_size
  use omp_lib, only: omp_get_num_threads, omp_get_thread_num, omp_set_dynamic
  implicit none (type, external)
  integer, parameter :: threads = 3, n = 200
  type(nearfar_team) :: team
  type(nearfar_thread_team) :: all
  integer :: wrong, stat
  character(1000) :: message

  call testing_begin()
  do while (testing_next_shape())
    call omp_set_dynamic(.false.)
    call team%create(everyone)
    call check(all%threads() == -1, 'no threads before create')
    call all%create(team, threads)
    call check(all%threads() == threads .and. all%size() == int(threads, int64) * world_size, &
      'threads and size')
    call check(all%first_of(world_rank) == int(threads, int64) * world_rank, 'first_of')
    call check(len(all%describe()) > 0, 'describe')
    wrong = 0
    !$omp parallel num_threads(threads) reduction(+:wrong) default(none) shared(all, world_rank)
    wrong = wrong + wrong_on_this_thread(omp_get_thread_num())
    !$omp end parallel
    call check(wrong == 0, 'all threads have right results')
    call all%barrier(threads, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'no thread 3', 'a thread too many')
    call all%free(stat=stat)
    call check(stat == nearfar_ok, 'free')
    call all%create(team, 0, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, '0 threads', 'no threads')
    call team%free()
  end do
  call testing_end()

contains

  integer function wrong_on_this_thread(me) result(count)
    integer, intent(in) :: me
    real(real64) :: send(n), recv(n), total
    real(real64), allocatable :: many(:, :)
    integer :: largest(2), number, size, t, i

    count = 0
    size = int(all%size())
    number = int(all%first_of(world_rank)) + me
    total = size * (size + 1) / 2
    allocate (many(4, size))
    if (omp_get_num_threads() /= threads) count = count + 1
    do i = 1, n
      send(i) = i * (number + 1)
    end do
    call all%barrier(me)
    call all%allreduce(me, send, recv, n, MPI_DOUBLE_PRECISION, MPI_SUM)
    if (any(abs(recv - [(i * total, i=1, n)]) > 0)) count = count + 1
    largest = [number, -number]
    call all%allreduce_in_place(me, largest, 2, MPI_INTEGER, MPI_MAX)
    if (any(largest /= [size - 1, 0])) count = count + 1
    recv = -1
    call all%reduce(me, send, recv, n, MPI_DOUBLE_PRECISION, MPI_SUM, 0, 1)
    if (number == 1 .neqv. abs(recv(1) - total) < 0.5_real64) count = count + 1
    recv = number
    call all%bcast(me, recv, n, MPI_DOUBLE_PRECISION, 0, 2)
    if (any(abs(recv - 2) > 0)) count = count + 1
    call all%allgather(me, send, many, 4, MPI_DOUBLE_PRECISION)
    do t = 1, size
      if (any(abs(many(:, t) - [(i * t, i=1, 4)]) > 0)) count = count + 1
    end do
    many = number + 1
    call all%reduce_scatter_block(me, many, recv, 4, MPI_DOUBLE_PRECISION, MPI_SUM)
    if (any(abs(recv(:4) - total) > 0)) count = count + 1
  end function wrong_on_this_thread

end program thread_teams_test
