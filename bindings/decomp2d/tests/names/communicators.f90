! SPDX-License-Identifier: BSD-3-Clause
! Communicators of the process grid: in decomp_2d of 2.0 and 2.1, in decomp_2d_mpi of 2.2.
program communicators
  use decomp_2d, only: DECOMP_2D_COMM_CART_X, DECOMP_2D_COMM_CART_Y, DECOMP_2D_COMM_CART_Z
  use decomp_2d_mpi, only: of_mpi => DECOMP_2D_COMM_CART_X
  implicit none
  print *, DECOMP_2D_COMM_CART_X, DECOMP_2D_COMM_CART_Y, DECOMP_2D_COMM_CART_Z, of_mpi
end program communicators
