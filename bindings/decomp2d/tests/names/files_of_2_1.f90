! SPDX-License-Identifier: BSD-3-Clause
! Calls of files as release 2.1 has them.
program files_of_2_1
  use decomp_2d, only: decomp_main
  use decomp_2d_constants, only: decomp_2d_write_mode, mytype
  use decomp_2d_io
  use decomp_2d_io_object_mpi
  use decomp_2d_mpi, only: decomp_2d_mpi_wait
  use mpi, only: MPI_INFO_NULL
  implicit none
  type(d2d_io_mpi) :: io
  real(mytype), allocatable :: u(:,:,:)
  integer, allocatable :: i(:,:,:)
  logical, allocatable :: l(:,:,:)
  integer :: request, numbers(4)
  call decomp_2d_io_init(MPI_INFO_NULL, MPI_INFO_NULL)
  call decomp_2d_write_one(1, u, 'u', opt_dirname='data', opt_reduce_prec=.true.)
  call decomp_2d_write_one(2, i, 'i', opt_decomp=decomp_main)
  call decomp_2d_write_one(3, l, 'l', opt_nb_req=request, opt_io=io)
  call decomp_2d_mpi_wait(request)
  call io%close()
  call decomp_2d_read_one(1, u, 'u', opt_mpi_file_open_info=MPI_INFO_NULL)
  call io%open('all', decomp_2d_write_mode, opt_dirname='data')
  call decomp_2d_write_var(io, 1, u, opt_decomp=decomp_main)
  call decomp_2d_read_var(io, 1, l, opt_nb_req=request)
  call decomp_2d_write_scalar(io, 4, numbers)
  call decomp_2d_read_scalar(io, 4, numbers)
  call decomp_2d_write_plane(1, u, 'plane', opt_iplane=3)
  call decomp_2d_write_plane(1, u, 'planes', opt_nplanes=2, opt_dirname='data')
  call decomp_2d_read_plane(1, u, 'planes', 2)
  call io%log()
  call decomp_2d_io_fin()
end program files_of_2_1
