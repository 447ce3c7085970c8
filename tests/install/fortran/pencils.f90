! SPDX-License-Identifier: BSD-3-Clause
! A program of 2DECOMP&FFT: x pencils to y pencils; the exit code says whether all arrived.
program pencils
  use decomp_2d
  use decomp_2d_mpi
  implicit none
  real(mytype), allocatable :: u(:,:,:), v(:,:,:)
  integer :: p_row = 0, p_col = 0, ierror, j
  logical :: right

  ! [pencils]
  call MPI_Init(ierror)
  call decomp_2d_init(6, 5, 4, p_row, p_col)
  call alloc_x(u, .true.)
  call alloc_y(v, .true.)
  do j = xstart(2), xend(2)
    u(:, j, :) = j
  end do
  call transpose_x_to_y(u, v)
  ! [pencils]
  right = all([(nint(v(:, j, :)) == j, j=1, 5)])
  call decomp_2d_finalize()
  call MPI_Finalize(ierror)
  if (.not. right) error stop 'wrong elements'
end program pencils
