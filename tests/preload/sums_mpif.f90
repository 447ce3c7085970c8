! SPDX-License-Identifier: BSD-3-Clause
! Collectives of a Fortran program with mpif.h.
program sums_mpif
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  include 'mpif.h'
  integer :: code, rank, ranks, i
  real(real64) :: mine(2), total(2), wanted
  include 'sums_body.inc'
end program sums_mpif
