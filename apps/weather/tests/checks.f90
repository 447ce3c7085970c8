! SPDX-License-Identifier: BSD-3-Clause
! What the serial unit tests share: checks that are counted, and random numbers that are the same on
! every machine.
module checks
  use, intrinsic :: iso_fortran_env, only: output_unit
  use weather_constants, only: wp, long
  implicit none (type, external)
  private
  public :: check, near, finish, seed_with, uniform

  integer, save :: failed = 0
  integer(long), save :: seed = 1

contains

  !> Prints a line about `what` and its value, and remembers a failure.
  subroutine check(holds, what, value)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    real(wp), intent(in) :: value
    write (output_unit, '(2a,es12.4)') merge('ok      ', 'FAILED  ', holds), what//': ', value
    if (.not. holds) failed = failed + 1
  end subroutine check

  !> value within a share `tolerance` of `wanted`.
  subroutine near(value, wanted, tolerance, what)
    real(wp), intent(in) :: value, wanted, tolerance
    character(*), intent(in) :: what
    call check(abs(value - wanted) <= tolerance*abs(wanted), what, value)
  end subroutine near

  !> Ends the program; with an error if a check failed.
  subroutine finish()
    if (failed > 0) error stop 1
  end subroutine finish

  subroutine seed_with(number)
    integer, intent(in) :: number
    seed = number
  end subroutine seed_with

  !> Uniform in (0, 1): Lehmer's generator.
  real(wp) function uniform()
    seed = mod(seed*48271_long, 2147483647_long)
    uniform = real(seed, wp)/2147483647.0_wp
  end function uniform
end module checks
