! SPDX-License-Identifier: BSD-3-Clause
! A name that both modules have is one thing, and may be used.
program both_modules
  use decomp_2d
  use decomp_2d_constants
  use decomp_2d_io
  use decomp_2d_mpi
  use decomp_2d_profiler
  implicit none
  print *, DECOMP_2D_COMM_CART_X, nrank, mytype, decomp_profiler_io, decomp_2d_write_mode
end program both_modules
