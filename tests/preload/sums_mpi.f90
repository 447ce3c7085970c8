! SPDX-License-Identifier: BSD-3-Clause
! Collectives of a Fortran program with the module mpi.
program sums_mpi
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi
  implicit none
  integer :: code, rank, ranks, i
  real(real64) :: mine(2), total(2), wanted
  include 'sums_body.inc'
end program sums_mpi
