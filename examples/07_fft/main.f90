! SPDX-License-Identifier: BSD-3-Clause
! A density in a periodic box is blurred with weights 1, 2, 1 along each axis: a product of
! coefficients and weights. Indices are counted from 0 in the formulas, as in the other languages.
program blur
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08, only: MPI_COMM_WORLD, MPI_Finalize, MPI_Init
  use nearfar, only: nearfar_allreduce, nearfar_fft_backward, nearfar_fft_forward, &
    nearfar_fft_plan, nearfar_team
  implicit none (type, external)
  integer, parameter :: nx = 48, ny = 40, nz = 36
  type(nearfar_team) :: team
  type(nearfar_fft_plan) :: plan
  real(real64), pointer, contiguous :: u(:,:,:)
  complex(real64), pointer, contiguous :: uh(:,:,:)
  integer(int64) :: checksum
  integer :: i, j, k

  call MPI_Init()
  call team%create(MPI_COMM_WORLD)

  ! [plan]
  call plan%create(team, [nx, ny, nz], u, uh, kinds=['r2c', 'c2c', 'c2c'], name='blur', &
    scaling='backward')                                  ! fastest axis first; global bounds
  ! [plan]
  do k = lbound(u, 3), ubound(u, 3)
    do j = lbound(u, 2), ubound(u, 2)
      u(:, j, k) = [(mod(7 * (i - 1)**2 + 13 * (j - 1) + 29 * (k - 1), 101), i=1, nx)]
    end do
  end do

  ! [transform]
  call plan%run(nearfar_fft_forward)
  do k = lbound(uh, 3), ubound(uh, 3)
    do j = lbound(uh, 2), ubound(uh, 2)
      do i = lbound(uh, 1), ubound(uh, 1)
        uh(i, j, k) = uh(i, j, k) * weight(i - 1, nx) * weight(j - 1, ny) * weight(k - 1, nz)
      end do
    end do
  end do
  call plan%run(nearfar_fft_backward)
  ! [transform]

  checksum = 0                                           ! of integers but for rounding
  do k = lbound(u, 3), ubound(u, 3)
    do j = lbound(u, 2), ubound(u, 2)
      do i = lbound(u, 1), ubound(u, 1)
        checksum = checksum + (1 + mod((i - 1) + 2 * (j - 1) + 3 * (k - 1), 97)) &
          * nint(u(i, j, k), int64)
      end do
    end do
  end do
  call nearfar_allreduce(team, checksum, op='sum')
  if (team%rank() == 0) print '(a,i0)', 'blur: checksum ', checksum
  call team%free()                                       ! and all that was made from it
  call MPI_Finalize()

contains

  ! What weights 1, 2, 1 do to mode k of an axis of n points.
  pure real(real64) function weight(k, n)
    integer, intent(in) :: k, n
    weight = 2 + 2 * cos(2 * acos(-1.0_real64) * k / n)
  end function weight
end program blur
