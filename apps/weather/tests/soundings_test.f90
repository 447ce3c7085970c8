! SPDX-License-Identifier: BSD-3-Clause
! The analytic sounding against figures that were computed independently of this code, against
! hydrostatic balance, and its winds.
program soundings_test
  use checks, only: check, finish
  use weather_config, only: config_t
  use weather_constants, only: wp, r_dry, gravity, kappa, p_reference, virtual
  use weather_soundings, only: sounding_t, make_sounding, sounding_at, sounding_wind
  use weather_thermo, only: density
  implicit none (type, external)

  type(sounding_t) :: air

  call make_sounding(air, 20000.0_wp)
  call table()
  call balance()
  call winds()
  call finish()

contains

  !> Temperature [K], pressure [hPa] and mixing ratio [g/kg] at heights in km. The table holds for
  !> g = 9.81 and cp = 1004: 0.10 K and 0.15 hPa at 12 km.
  subroutine table()
    real(wp), parameter :: known(4, 7) = reshape([ &
      1.0_wp, 292.20_wp, 891.8_wp, 14.00_wp, 2.0_wp, 285.03_wp, 792.9_wp, 10.21_wp, &
      3.0_wp, 278.09_wp, 702.7_wp, 6.75_wp, 5.0_wp, 264.52_wp, 546.5_wp, 2.74_wp, &
      8.0_wp, 244.37_wp, 365.3_wp, 0.535_wp, 10.0_wp, 230.84_wp, 273.9_wp, 0.136_wp, &
      12.0_wp, 217.09_wp, 201.9_wp, 0.024_wp], [4, 7])
    real(wp) :: theta, p, qv, t, worst(3)
    integer :: n

    worst = 0.0_wp
    do n = 1, size(known, 2)
      call sounding_at(air, 1000.0_wp*known(1, n), theta, p, qv)
      t = theta/(1.0_wp + virtual*qv)*(p/p_reference)**kappa
      worst(1) = max(worst(1), abs(t - known(2, n)))
      worst(2) = max(worst(2), abs(0.01_wp*p - known(3, n)))
      worst(3) = max(worst(3), abs(1000.0_wp*qv/(1.0_wp - qv)/known(4, n) - 1.0_wp))
    end do
    call check(worst(1) < 0.12_wp, 'temperature, departure from the table [K]', worst(1))
    call check(worst(2) < 0.25_wp, 'pressure, departure from the table [hPa]', worst(2))
    call check(worst(3) < 0.02_wp, 'mixing ratio, relative departure from the table', worst(3))
  end subroutine table

  !> dp/dz = -g rho, from values that lie off the nodes of the table.
  subroutine balance()
    real(wp), parameter :: dz = 1.0_wp
    real(wp) :: theta, low, high, p, qv, z, worst
    integer :: n

    worst = 0.0_wp
    do n = 0, 198
      z = 17.0_wp + 100.0_wp*n
      call sounding_at(air, z - dz, theta, low, qv)
      call sounding_at(air, z + dz, theta, high, qv)
      call sounding_at(air, z, theta, p, qv)
      worst = max(worst, abs((high - low)/(-2.0_wp*dz*gravity*density(p, theta)) - 1.0_wp))
    end do
    call check(worst < 1.0e-5_wp, 'relative departure from hydrostatic balance', worst)
    call sounding_at(air, 0.0_wp, theta, p, qv)
    call check(abs(p - p_reference) < 1.0e-9_wp, 'pressure at the ground [Pa]', p)
    call check(abs(density(p, theta) - p/(r_dry*300.0_wp*(1.0_wp + virtual*qv))) < 1.0e-12_wp, &
      'density at the ground [kg m-3]', density(p, theta))
  end subroutine balance

  subroutine winds()
    type(config_t) :: c
    real(wp) :: u, v

    c%us = 30.0_wp
    c%frame_u = 15.0_wp
    c%frame_v = 0.0_wp
    c%hodograph = 'straight'
    call sounding_wind(c, 3000.0_wp, u, v)
    call check(abs(u - (30.0_wp*tanh(1.0_wp) - 15.0_wp)) < 1.0e-12_wp .and. abs(v) <= 0.0_wp, &
      'straight shear at 3 km [m/s]', u)
    c%hodograph = 'quarter'
    c%frame_v = 2.0_wp
    call sounding_wind(c, 2000.0_wp, u, v)
    call check(abs(u + 8.0_wp) < 1.0e-12_wp .and. abs(v - 5.0_wp) < 1.0e-12_wp, &
      'quarter circle at 2 km [m/s]', u)
    call sounding_wind(c, 9000.0_wp, u, v)
    call check(abs(u - 15.0_wp) < 1.0e-12_wp .and. abs(v - 5.0_wp) < 1.0e-12_wp, &
      'quarter circle above the shear [m/s]', u)
  end subroutine winds
end program soundings_test
