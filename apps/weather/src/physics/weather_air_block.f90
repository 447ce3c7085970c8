! SPDX-License-Identifier: BSD-3-Clause
! Columns of air as radiation sees them, a block of them side by side, so that loops over the
! columns vectorise. Every column is computed for itself: results do not depend on which share a
! block.
module weather_air_block
  use weather_constants, only: wp
  implicit none (type, external)
  private
  public :: air_t, make_air, attenuate

  integer, parameter, public :: block = 16          !! columns side by side

  !> Layers 1:n from the ground up, faces 1:n+1, of `block` columns.
  type :: air_t
    integer :: n = 0
    real(wp), allocatable, dimension(:, :) :: &
      p, dp, &                    !! pressure of layers and across them [Pa]
      t, &                        !! temperature [K]
      q, &                        !! specific humidity [kg kg-1]
      ozone, &                    !! amount in a layer [cm at 0 C and 1013 hPa]
      cloud, rain, &              !! water in a layer [g m-2]
      t_face                      !! temperature of faces [K]
    real(wp) :: ground(block) = 288.0_wp       !! temperature of the ground [K]
    real(wp) :: albedo(block) = 0.0_wp         !! of the ground, for sunshine
    real(wp) :: sun(block) = 1.0_wp            !! sine of the sun's height, above 0
  end type air_t

contains

  pure subroutine make_air(air, n)
    type(air_t), intent(out) :: air
    integer, intent(in) :: n
    air%n = n
    allocate (air%p(block, n), air%dp(block, n), air%t(block, n), air%q(block, n), &
      air%ozone(block, n), air%cloud(block, n), air%rain(block, n), air%t_face(block, n + 1), &
      source=0.0_wp)
  end subroutine make_air

  !> exp(-x) for x >= 0 to 1e-12 of 1: the series for x/64, squared six times, which vectorises.
  pure subroutine attenuate(x, t)
    real(wp), intent(in) :: x(block)
    real(wp), intent(out) :: t(block)
    real(wp) :: y, e
    integer :: m
    do m = 1, block
      y = min(x(m), 64.0_wp)*0.015625_wp
      e = 1.0_wp - y*(1.0_wp - y*(1.0_wp/2.0_wp)*(1.0_wp - y*(1.0_wp/3.0_wp)*(1.0_wp &
        - y*(1.0_wp/4.0_wp)*(1.0_wp - y*(1.0_wp/5.0_wp)*(1.0_wp - y*(1.0_wp/6.0_wp))))))
      e = e*e
      e = e*e
      e = e*e
      e = e*e
      e = e*e
      t(m) = e*e
    end do
  end subroutine attenuate
end module weather_air_block
