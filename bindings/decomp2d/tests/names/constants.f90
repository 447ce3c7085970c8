! SPDX-License-Identifier: BSD-3-Clause
! Constants of 2.0 and 2.1.
program constants
  use decomp_2d_constants, only: complex_type, decomp_2d_io_mpi, decomp_2d_read_mode, &
    decomp_profiler_none, default_opt_reduce_prec, mytype, real2_type, real_type
  implicit none
  print *, mytype, real_type, real2_type, complex_type, decomp_2d_io_mpi, decomp_2d_read_mode, &
    decomp_profiler_none, default_opt_reduce_prec
end program constants
