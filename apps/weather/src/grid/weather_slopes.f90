! SPDX-License-Identifier: BSD-3-Clause
! What the slope of the levels over terrain adds: to gradients along them, and to the vertical mass
! flux through them.
module weather_slopes
  use weather_constants, only: wp
  implicit none (type, external)
  private
  public :: metric_gradient, slope_flux

contains

  !> metric = (dz/dx) d/dzeta of the mean of two columns of pressure: what the coordinate's slope
  !> adds to the gradient along levels.
  pure subroutine metric_gradient(n, steepness, fall, slope, low, high, metric)
    integer, intent(in) :: n
    real(wp), intent(in) :: steepness, fall(n), slope(3, n), low(n), high(n)
    real(wp), intent(out) :: metric(n)
    real(wp) :: both(n), half
    integer :: k

    half = 0.5_wp*steepness
    both = low + high
    metric(1) = slope(1, 1)*both(1) + slope(2, 1)*both(2) + slope(3, 1)*both(3)
    do k = 2, n - 1
      metric(k) = slope(1, k)*both(k - 1) + slope(2, k)*both(k) + slope(3, k)*both(k + 1)
    end do
    metric(n) = slope(1, n)*both(n - 2) + slope(2, n)*both(n - 1) + slope(3, n)*both(n)
    metric = half*fall*metric
  end subroutine metric_gradient

  !> dw - jac dom at the lower faces: the vertical mass flux along sloping levels.
  pure subroutine slope_flux(n, fzm, fzp, fall_f, sw, se, ww, ee, f)
    integer, intent(in) :: n
    real(wp), intent(in) :: fzm(n), fzp(n), fall_f(n), sw, se, ww(n), ee(n)
    real(wp), intent(inout) :: f(n)
    integer :: k
    f(1) = f(1) + 0.5_wp*fall_f(1)*(sw*ww(1) + se*ee(1))
    do k = 2, n
      f(k) = f(k) + 0.5_wp*fall_f(k)* &
        (sw*(fzm(k)*ww(k) + fzp(k)*ww(k - 1)) + se*(fzm(k)*ee(k) + fzp(k)*ee(k - 1)))
    end do
  end subroutine slope_flux
end module weather_slopes
