! SPDX-License-Identifier: BSD-3-Clause
! gslib's calls as Fortran programs of gslib make them, with implicit interfaces.
program fortran_test
  use mpi
  implicit none
  external :: fgslib_gs_setup, fgslib_gs_op, fgslib_gs_op_many, fgslib_gs_op_fields
  external :: fgslib_igs_op, fgslib_gs_op_wait, fgslib_gs_free, fgslib_gs_unique
  external :: fgslib_crystal_setup, fgslib_crystal_tuple_transfer, fgslib_crystal_tuple_sort
  external :: fgslib_crystal_ituple_transfer, fgslib_crystal_ituple_sort, fgslib_crystal_free
  integer, parameter :: most = 40
  integer :: handle, wait, ranks, me, ierror, wrong, all_wrong, i, n
  integer(8) :: id(2), long(1, most)
  real(8) :: u(2), v(2), w(2), fields(2, 3), reals(1, most)
  integer :: counts(2), tuple(2, most)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  wrong = 0

  id = [7_8, 100_8 + me]
  call fgslib_gs_setup(handle, id, 2, MPI_COMM_WORLD, ranks)
  u = [1, 2]
  call fgslib_gs_op(handle, u, 1, 1, 0)
  call expect(all(u == [real(8) :: ranks, 2]))
  counts = [me, me]
  call fgslib_gs_op(handle, counts, 2, 4, 0)
  call expect(all(counts == [ranks - 1, me]))
  u = 2
  v = 3
  w = 4
  call fgslib_gs_op_many(handle, u, v, w, w, w, w, 3, 1, 3, 0)
  call expect(u(1) == 2 .and. v(1) == 3 .and. w(1) == 4)
  fields = 1
  call fgslib_gs_op_fields(handle, fields, 2, 3, 1, 1, 0)
  call expect(all(fields(1, :) == ranks) .and. all(fields(2, :) == 1))
  u = 1
  call fgslib_igs_op(handle, u, 1, 1, 0, wait)
  call fgslib_gs_op_wait(wait)
  call expect(u(1) == ranks)
  call fgslib_gs_free(handle)
  call fgslib_gs_unique(id, 2, MPI_COMM_WORLD, ranks)
  call expect(id(1) == merge(7, -7, me == 0) .and. id(2) == 100 + me)

  ! One column for each rank: to there, sorted by where it came from.
  call fgslib_crystal_setup(handle, MPI_COMM_WORLD, ranks)
  n = ranks
  do i = 1, n
    tuple(:, i) = [i - 1, 10 * me + i]
    long(1, i) = 2_8**40 + me
    reals(1, i) = me + 0.5d0
  end do
  call fgslib_crystal_tuple_transfer(handle, n, most, tuple, 2, long, 1, reals, 1, 1)
  call expect(n == ranks)
  call fgslib_crystal_tuple_sort(handle, n, tuple, 2, long, 1, reals, 1, [3, 1], 2)
  do i = 1, n
    call expect(tuple(1, i) == i - 1 .and. tuple(2, i) == 10 * (i - 1) + me + 1)
    call expect(long(1, i) == 2_8**40 + i - 1 .and. reals(1, i) == i - 0.5d0)
  end do
  call fgslib_crystal_ituple_transfer(handle, tuple, 2, n, most, 1)
  call fgslib_crystal_ituple_sort(handle, tuple, 2, n, [2], 1)
  call expect(n == ranks .and. all(tuple(2, 1:n) == [(10 * me + i, i=1, n)]))
  call fgslib_crystal_free(handle)

  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (me == 0 .and. all_wrong == 0) print '(a)', 'all checks passed'
  call MPI_Finalize(ierror)
  if (all_wrong > 0) error stop

contains

  subroutine expect(is_so)
    logical, intent(in) :: is_so
    if (is_so) return
    wrong = wrong + 1
    print '(a,i0,a,i0)', 'rank ', me, ': wrong is number ', wrong
  end subroutine expect

end program fortran_test
