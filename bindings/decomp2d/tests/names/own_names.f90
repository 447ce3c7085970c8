! SPDX-License-Identifier: BSD-3-Clause
! Names that programs give to variables of their own, beside all of the modules.
program own_names
  use decomp_2d
  use decomp_2d_constants
  use decomp_2d_fft
  use decomp_2d_io
  use decomp_2d_mpi
  implicit none
  integer :: dims(2), coord(2), team, skip(3)
  logical :: periodic_x
  dims = 1
  coord = 0
  team = 0
  skip = 1
  periodic_x = .true.
  print *, dims, coord, team, skip, periodic_x
end program own_names
