! SPDX-License-Identifier: BSD-3-Clause
! Sea-level pressure, dew point, cloud cover and surfaces of constant pressure, against atmospheres
! whose solution is known, published values, and cases small enough for counting.
program derived_test
  use checks, only: check, near, finish
  use weather_constants, only: wp, gravity, r_dry
  use weather_derived, only: sea_level_pressure, dew_point, relative_humidity, cloud_cover, &
    on_pressure
  implicit none (type, external)

  integer, parameter :: n = 20
  real(wp), parameter :: none = 1.0e36_wp, no_cloud(5) = 0.0_wp, thick(5) = [0.0_wp, 0.0_wp, &
    1.0e-4_wp, 0.0_wp, 0.0_wp]
  real(wp) :: z(n), p(n), t(n)
  integer :: k

  ! 288.15 K and 1013.25 hPa at sea level, 6.5 K/km: seen from any ground.
  do k = 1, 3
    call standard_atmosphere(1500.0_wp*(k - 1))
    call near(sea_level_pressure(1500.0_wp*(k - 1), z, p, t), 101325.0_wp, 1.0e-12_wp, &
      'pressure of the standard atmosphere at sea level')
  end do
  ! A pool of cold air in the lowest 500 m changes nothing but the pressure it makes itself.
  call standard_atmosphere(1000.0_wp)
  t(1:2) = t(1:2) - 20.0_wp
  call near(sea_level_pressure(1000.0_wp, z, p, t), 101325.0_wp, 1.0e-12_wp, &
    'the same under a pool of cold air')

  ! Vapour pressures of saturated air after Goff and Gratch: 6.11 hPa at 0 C, 23.37 hPa at 20 C.
  call check(abs(dew_point(1.0e5_wp, 300.0_wp, content(611.0_wp)) - 273.15_wp) < 0.05_wp, &
    'dew point of 6.11 hPa [K]', dew_point(1.0e5_wp, 300.0_wp, content(611.0_wp)))
  call check(abs(dew_point(1.0e5_wp, 300.0_wp, content(2337.0_wp)) - 293.15_wp) < 0.05_wp, &
    'dew point of 23.37 hPa [K]', dew_point(1.0e5_wp, 300.0_wp, content(2337.0_wp)))
  call near(dew_point(1.0e5_wp, 280.0_wp, content(2337.0_wp)), 280.0_wp, 1.0e-15_wp, &
    'not above the temperature')
  call check(dew_point(1.0e5_wp, 280.0_wp, 0.0_wp) > 150.0_wp, 'dry air has one', &
    dew_point(1.0e5_wp, 280.0_wp, 0.0_wp))
  call near(relative_humidity(1.0e5_wp, 293.15_wp, content(1168.5_wp)), 0.5_wp, 2.0e-3_wp, &
    'half of 23.37 hPa at 20 C')

  ! 0.95 gives 1 - sqrt(0.05/0.2) = 1/2.
  call near(cover_of([0.95_wp, 0.5_wp, 0.5_wp, 0.5_wp, 0.5_wp], no_cloud), 0.5_wp, 1.0e-12_wp, &
    'cover of one level')
  call near(cover_of([0.95_wp, 0.95_wp, 0.5_wp, 0.5_wp, 0.5_wp], no_cloud), 0.5_wp, 1.0e-12_wp, &
    'of two that touch')
  call near(cover_of([0.95_wp, 0.5_wp, 0.95_wp, 0.5_wp, 0.95_wp], no_cloud), 0.875_wp, 1.0e-12_wp, &
    'of three that do not')
  call check(abs(cover_of([0.8_wp, 0.5_wp, 0.1_wp, 0.5_wp, 0.79_wp], no_cloud)) < 1.0e-12_wp, &
    'of a clear sky', 0.0_wp)
  call near(cover_of([0.9_wp, 1.0_wp, 1.0_wp, 1.02_wp, 0.9_wp], no_cloud), 1.0_wp, 1.0e-12_wp, &
    'of saturated air')
  call near(cover_of([0.95_wp, 0.5_wp, 0.5_wp, 0.5_wp, 0.5_wp], thick), 1.0_wp, 1.0e-12_wp, &
    'of cloud water')

  ! Isothermal air: heights are linear in the logarithm of pressure.
  do k = 1, n
    z(k) = 100.0_wp + 500.0_wp*(k - 1)
    p(k) = 1.0e5_wp*exp(-gravity*z(k)/(r_dry*250.0_wp))
  end do
  call near(on_pressure(p, z, 7.0e4_wp, none), -r_dry*250.0_wp/gravity*log(0.7_wp), 1.0e-12_wp, &
    'height of 700 hPa')
  call near(on_pressure(p, z, p(7), none), z(7), 1.0e-12_wp, 'height of a level')
  call near(on_pressure(p, z, 1.0001_wp*p(1), none), none, 1.0e-15_wp, 'none below the ground')
  call near(on_pressure(p, z, 0.9999_wp*p(n), none), none, 1.0e-15_wp, 'nor above the top')
  call finish()

contains

  !> Levels of 250 m above a ground.
  subroutine standard_atmosphere(ground)
    real(wp), intent(in) :: ground
    integer :: k
    do k = 1, n
      z(k) = ground + 250.0_wp*k - 125.0_wp
      t(k) = 288.15_wp - 6.5e-3_wp*z(k)
      p(k) = 101325.0_wp*(t(k)/288.15_wp)**(gravity/(r_dry*6.5e-3_wp))
    end do
  end subroutine standard_atmosphere

  !> Specific humidity of air of 1000 hPa with a vapour pressure.
  pure real(wp) function content(vapour)
    real(wp), intent(in) :: vapour
    content = vapour/(1.608_wp*(1.0e5_wp - vapour) + vapour)
  end function content

  !> The same with the levels turned over.
  real(wp) function cover_of(rh, qc) result(cover)
    real(wp), intent(in) :: rh(5), qc(5)
    cover = cloud_cover(rh, qc)
    call near(1.0_wp + cloud_cover(rh(5:1:-1), qc(5:1:-1)), 1.0_wp + cover, 1.0e-12_wp, &
      'the same from above')
  end function cover_of
end program derived_test
