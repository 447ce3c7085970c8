! SPDX-License-Identifier: BSD-3-Clause
! Further grids that decomp_2d of 2.0 has for programs.
program grids
  use decomp_2d, only: decomp_info_init, ph1, ph2, ph3, ph4, phG
  implicit none
  call decomp_info_init(8, 8, 8, ph1)
  print *, ph1%xsz, ph2%xsz, ph3%xsz, ph4%xsz, phG%xsz
end program grids
