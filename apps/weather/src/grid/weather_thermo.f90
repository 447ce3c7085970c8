! SPDX-License-Identifier: BSD-3-Clause
! The equation of state, written so that it vectorises.
module weather_thermo
  use weather_constants, only: wp, p_reference, r_dry, kappa
  implicit none (type, external)
  private
  public :: power_seven_fifths, exner, density

contains

  !> p = x**(7/5) for x near 1 (0.5 .. 2): pressure over its reference from rho theta over its
  !> reference, because cp/cv is 7/5. Newton's iteration for the fifth root; exact at x = 1, so
  !> that air at rest feels no pressure force. Precise to rounding in that range, and much faster
  !> than `**`.
  pure subroutine power_seven_fifths(n, x, p)
    integer, intent(in) :: n
    real(wp), intent(in) :: x(n)
    real(wp), intent(out) :: p(n)
    real(wp) :: y, y4
    integer :: k

    do k = 1, n
      y = 1.0_wp + 0.2_wp*(x(k) - 1.0_wp)*(1.0_wp - 0.4_wp*(x(k) - 1.0_wp))
      y4 = (y*y)*(y*y)
      y = y - 0.2_wp*((y4*y - x(k))/y4)
      y4 = (y*y)*(y*y)
      y = y - 0.2_wp*((y4*y - x(k))/y4)
      y4 = (y*y)*(y*y)
      y = y - 0.2_wp*((y4*y - x(k))/y4)
      y4 = (y*y)*(y*y)
      y = y - 0.2_wp*((y4*y - x(k))/y4)
      p(k) = x(k)*(y*y)
    end do
  end subroutine power_seven_fifths

  !> (p/p0)**(R/cp).
  pure elemental real(wp) function exner(p)
    real(wp), intent(in) :: p
    exner = (p/p_reference)**kappa
  end function exner

  !> Density of air [kg m-3] of pressure p [Pa] and (virtual) potential temperature theta [K].
  pure elemental real(wp) function density(p, theta)
    real(wp), intent(in) :: p, theta
    density = p/(r_dry*theta*exner(p))
  end function density
end module weather_thermo
