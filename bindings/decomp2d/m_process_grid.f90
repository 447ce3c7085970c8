! SPDX-License-Identifier: BSD-3-Clause
! The process grid, which 2DECOMP&FFT's releases keep to themselves: programs have variables of
! these names.
module m_process_grid
  implicit none
  public

  !> The process grid p_row x p_col, and this rank's place in it, from 0.
  integer, save :: dims(2) = 0, coord(2) = 0
  logical, save :: periodic_x = .false., periodic_y = .false., periodic_z = .false.
end module m_process_grid
