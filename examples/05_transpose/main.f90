! SPDX-License-Identifier: BSD-3-Clause
! A table of sums over all boxes that begin at the origin: running sums along x, y and z, each where
! that axis is whole and contiguous. Indices are counted from 0 in the formulas, as in the other
! languages.
program sums
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi_f08, only: MPI_COMM_WORLD, MPI_Finalize, MPI_Init
  use nearfar, only: nearfar_allreduce, nearfar_decomposition, nearfar_team, &
    nearfar_transpose_plan, nearfar_transpose_side
  implicit none (type, external)
  integer, parameter :: nx = 48, ny = 40, nz = 36
  type(nearfar_team) :: team
  type(nearfar_decomposition) :: x_parts, y_parts, z_parts
  type(nearfar_transpose_side) :: x, y, z
  type(nearfar_transpose_plan) :: x_to_y, y_to_z
  integer(int64), pointer, contiguous :: a(:,:,:), b(:,:,:), c(:,:,:)
  integer(int64) :: checksum
  integer :: i, j, k

  call MPI_Init()
  call team%create(MPI_COMM_WORLD)

  ! [sides]
  call x_parts%pencil(team, [nx, ny, nz], 1)             ! fastest axis first; axis 1 whole
  call y_parts%pencil(team, [nx, ny, nz], 2)
  call z_parts%pencil(team, [nx, ny, nz], 3)
  call x%create(x_parts)
  call y%create(y_parts, memory_order=[2, 1, 3])         ! y contiguous
  call z%create(z_parts, memory_order=[3, 1, 2])
  call x%new_array(a)                                    ! a(x, y, z), global bounds, near memory
  call y%new_array(b)                                    ! b(y, x, z)
  call z%new_array(c)                                    ! c(z, x, y)
  ! [sides]
  do k = lbound(a, 3), ubound(a, 3)
    do j = lbound(a, 2), ubound(a, 2)
      a(:, j, k) = [(mod(7 * (i - 1)**2 + 13 * (j - 1) + 29 * (k - 1), 101), i=1, nx)]
    end do
  end do

  ! [plans]
  call x_to_y%create(x, y, a, b, name='x to y')
  call y_to_z%create(y, z, b, c, name='y to z')
  call add_up(a)
  call x_to_y%run(a, b)
  call add_up(b)
  call y_to_z%run(b, c)
  call add_up(c)
  ! [plans]

  checksum = 0
  do j = lbound(c, 3), ubound(c, 3)
    do i = lbound(c, 2), ubound(c, 2)
      do k = 1, nz
        checksum = checksum + (1 + mod((i - 1) + 2 * (j - 1) + 3 * (k - 1), 97)) * c(k, i, j)
      end do
    end do
  end do
  call nearfar_allreduce(team, checksum, op='sum')
  if (team%rank() == 0) print '(a,i0)', 'sums: checksum ', checksum
  call team%free()                                       ! and all that was made from it
  call MPI_Finalize()

contains

  ! Running sums along the first dimension.
  subroutine add_up(t)
    integer(int64), contiguous, intent(inout) :: t(:,:,:)
    integer :: line
    do line = 2, size(t, 1)
      t(line, :, :) = t(line, :, :) + t(line - 1, :, :)
    end do
  end subroutine add_up

end program sums
