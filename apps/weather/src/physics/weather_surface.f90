! SPDX-License-Identifier: BSD-3-Clause
! Exchange of momentum, heat and vapour with the ground: logarithmic wind at a given roughness, with
! the stability functions of Louis (1979, Boundary-Layer Meteorology 17, 187-202) of the bulk
! Richardson number between the ground and the lowest level. With von Karman's constant 0.4 heat has
! the neutral coefficient of momentum. Screen values: Geleyn (1988, Tellus 40A).
module weather_surface
  use weather_constants, only: wp, gravity, r_dry, cp_dry, virtual
  use weather_moist, only: saturation_ratio
  use weather_thermo, only: exner
  implicit none (type, external)
  private
  public :: surface_t, exchange_t, neutral_coefficient, louis_momentum, louis_heat, &
    bulk_richardson, screen_share, exchange_of_column

  real(wp), parameter :: von_karman = 0.4_wp
  real(wp), parameter :: least_wind = 0.1_wp       !! m s-1: calm air still exchanges heat

  !> What the air stands on, per column.
  type :: surface_t
    logical :: on = .false.
    real(wp), allocatable, dimension(:, :) :: &
      temperature, &       !! of the ground [K]
      wetness, &           !! evaporation over that of open water
      roughness            !! roughness length [m]
  end type surface_t

  !> Exchange of one column: coefficients times density and wind [kg m-2 s-1], and the values at the
  !> ground that they pull to.
  type :: exchange_t
    real(wp) :: drag = 0.0_wp, heat = 0.0_wp, vapour = 0.0_wp
    real(wp) :: theta = 0.0_wp, content = 0.0_wp       !! density potential temperature; vapour
    real(wp) :: stress = 0.0_wp                        !! N m-2
    real(wp) :: wind_10m = 0.0_wp, temperature_2m = 0.0_wp
  end type exchange_t

contains

  !> (kappa/ln(z/z0))^2.
  pure elemental real(wp) function neutral_coefficient(z_over_z0)
    real(wp), intent(in) :: z_over_z0
    neutral_coefficient = (von_karman/log(z_over_z0))**2
  end function neutral_coefficient

  !> Louis's F_m: what stability makes of the neutral coefficient of momentum.
  pure elemental real(wp) function louis_momentum(richardson, z_over_z0)
    real(wp), intent(in) :: richardson, z_over_z0
    louis_momentum = louis(richardson, z_over_z0, 7.4_wp)
  end function louis_momentum

  !> Louis's F_h, for heat and vapour.
  pure elemental real(wp) function louis_heat(richardson, z_over_z0)
    real(wp), intent(in) :: richardson, z_over_z0
    louis_heat = louis(richardson, z_over_z0, 5.3_wp)
  end function louis_heat

  !> Equations 14 and 15 of Louis (1979), b = 9.4 and b' = 4.7.
  pure elemental real(wp) function louis(richardson, z_over_z0, c_star)
    real(wp), intent(in) :: richardson, z_over_z0, c_star
    real(wp), parameter :: b = 9.4_wp
    real(wp) :: c
    if (richardson >= 0.0_wp) then
      louis = 1.0_wp/(1.0_wp + 0.5_wp*b*richardson)**2
    else
      c = c_star*neutral_coefficient(z_over_z0)*b*sqrt(z_over_z0)
      louis = 1.0_wp - b*richardson/(1.0_wp + c*sqrt(-richardson))
    end if
  end function louis

  pure elemental real(wp) function bulk_richardson(z, theta, theta_ground, wind)
    real(wp), intent(in) :: z, theta, theta_ground, wind
    bulk_richardson = 2.0_wp*gravity*z*(theta - theta_ground)/((theta + theta_ground)*wind**2)
  end function bulk_richardson

  !> Share of the difference between ground and height z1 that is reached at `share` z1, for a
  !> neutral profile value bn = ln(z1/z0) and an actual one b.
  pure elemental real(wp) function screen_share(share, bn, b, stable)
    real(wp), intent(in) :: share, bn, b
    logical, intent(in) :: stable
    screen_share = log(1.0_wp + share*(exp(bn) - 1.0_wp))
    if (stable) then
      screen_share = screen_share - share*(bn - b)
    else
      screen_share = screen_share - log(1.0_wp + share*(exp(bn - b) - 1.0_wp))
    end if
    screen_share = screen_share/b
  end function screen_share

  !> Exchange of a column whose lowest level, z above the ground, has the given pressure, density
  !> potential temperature, vapour content and wind.
  pure function exchange_of_column(z, roughness, temperature, wetness, p, theta, content, speed) &
    result(x)
    real(wp), intent(in) :: z, roughness, temperature, wetness, p, theta, content, speed
    type(exchange_t) :: x
    real(wp) :: p_ground, wind, rho, ratio, saturated, richardson, c_m, c_h, bn, part, dry
    logical :: stable

    wind = max(speed, least_wind)
    rho = p/(r_dry*theta*exner(p))
    p_ground = p + gravity*rho*z
    ratio = saturation_ratio(p_ground, temperature)
    saturated = ratio/(1.0_wp + ratio)
    x%content = content + wetness*(saturated - content)
    x%theta = temperature/exner(p_ground)*(1.0_wp + virtual*x%content)
    richardson = bulk_richardson(z, theta, x%theta, wind)
    stable = richardson >= 0.0_wp
    c_m = neutral_coefficient(z/roughness)*louis_momentum(richardson, z/roughness)
    c_h = neutral_coefficient(z/roughness)*louis_heat(richardson, z/roughness)
    x%drag = rho*c_m*wind
    x%heat = rho*c_h*wind
    x%vapour = x%heat
    x%stress = x%drag*speed
    bn = log(z/roughness)
    x%wind_10m = speed*screen_share(min(10.0_wp/z, 1.0_wp), bn, von_karman/sqrt(c_m), stable)
    part = screen_share(min(2.0_wp/z, 1.0_wp), bn, von_karman*sqrt(c_m)/c_h, stable)
    dry = (x%theta + part*(theta - x%theta)) &
      /(1.0_wp + virtual*(x%content + part*(content - x%content)))
    x%temperature_2m = dry*exner(p_ground) - gravity*min(2.0_wp, z)/cp_dry
  end function exchange_of_column
end module weather_surface
