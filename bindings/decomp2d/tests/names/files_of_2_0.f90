! SPDX-License-Identifier: BSD-3-Clause
! Calls of files as release 2.0 has them.
program files_of_2_0
  use decomp_2d, only: decomp_main
  use decomp_2d_constants, only: mytype, real_type
  use decomp_2d_io, only: decomp_2d_append_mode, decomp_2d_close_io, decomp_2d_end_io, &
    decomp_2d_init_io, decomp_2d_io_finalise, decomp_2d_io_init, decomp_2d_open_io, &
    decomp_2d_read_inflow, decomp_2d_read_one, decomp_2d_read_scalar, decomp_2d_read_var, &
    decomp_2d_register_variable, decomp_2d_start_io, decomp_2d_write_every, &
    decomp_2d_write_mode, decomp_2d_write_one, decomp_2d_write_outflow, decomp_2d_write_plane, &
    decomp_2d_write_scalar, decomp_2d_write_subdomain, decomp_2d_write_var, gen_iodir_name
  use mpi, only: MPI_OFFSET_KIND
  implicit none
  real(mytype), allocatable :: u(:,:,:), probes(:,:,:,:)
  complex(mytype), allocatable :: v(:,:,:)
  real(mytype) :: x(3)
  integer(MPI_OFFSET_KIND) :: disp
  integer :: fh
  call decomp_2d_io_init()
  call decomp_2d_init_io('io')
  call decomp_2d_register_variable('io', 'u', 1, 0, 0, real_type, opt_decomp=decomp_main)
  call decomp_2d_open_io('io', gen_iodir_name('data', 'io'), decomp_2d_write_mode)
  call decomp_2d_start_io('io', 'data')
  call decomp_2d_write_one(1, u, 'data', 'u', 0, 'io', reduce_prec=.true.)
  call decomp_2d_write_one(1, u, 'data', 'u', 1, 'io', opt_decomp=decomp_main)
  call decomp_2d_write_one(1, u, 'u.dat')
  call decomp_2d_write_one(1, v, 'v.dat', decomp_main)
  call decomp_2d_write_one(1, v, 'v.dat', opt_decomp=decomp_main)
  call decomp_2d_write_one(1, probes, 'probes.dat', 4)
  call decomp_2d_read_one(1, u, 'data', 'u', 'io', reduce_prec=.false.)
  call decomp_2d_read_one(1, v, 'v.dat', decomp_main)
  call decomp_2d_write_var(fh, disp, 1, u)
  call decomp_2d_read_var(fh, disp, 1, v, decomp_main)
  call decomp_2d_write_scalar(fh, disp, 3, x)
  call decomp_2d_read_scalar(fh, disp, 3, x)
  call decomp_2d_write_plane(1, u, 2, 7, 'data', 'plane', 'io')
  call decomp_2d_write_plane(1, v, 2, -1, 'data', 'plane', 'io', opt_decomp=decomp_main)
  call decomp_2d_write_every(1, u, 2, 2, 2, 'every.dat', .true.)
  call decomp_2d_write_subdomain(1, u, 1, 4, 2, 5, 3, 6, 'part.dat')
  call decomp_2d_write_outflow('out', 'u', 8, u, 'io')
  call decomp_2d_read_inflow('out', 'u', 8, u, 'io')
  call decomp_2d_end_io('io', 'data')
  call decomp_2d_close_io('io', 'data')
  call decomp_2d_io_finalise()
  print *, decomp_2d_append_mode
end program files_of_2_0
