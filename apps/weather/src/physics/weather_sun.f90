! SPDX-License-Identifier: BSD-3-Clause
! Where the sun stands: Spencer (1971, Search 2, 172): declination, equation of time and distance as
! Fourier series of the day of the year.
module weather_sun
  use weather_constants, only: wp, pi
  implicit none (type, external)
  private
  public :: sun_height, sun_strength

contains

  !> Sine of the sun's height. `days`: since the beginning of the year, in UTC; latitude and
  !> longitude in degrees.
  pure elemental real(wp) function sun_height(days, latitude, longitude)
    real(wp), intent(in) :: days, latitude, longitude
    real(wp) :: a, declination, lag, lat, hour_angle

    a = angle_of(days)
    declination = 0.006918_wp - 0.399912_wp*cos(a) + 0.070257_wp*sin(a) &
      - 0.006758_wp*cos(2.0_wp*a) + 0.000907_wp*sin(2.0_wp*a) &
      - 0.002697_wp*cos(3.0_wp*a) + 0.001480_wp*sin(3.0_wp*a)
    lag = 0.000075_wp + 0.001868_wp*cos(a) - 0.032077_wp*sin(a) &
      - 0.014615_wp*cos(2.0_wp*a) - 0.040849_wp*sin(2.0_wp*a)        ! equation of time, an angle
    lat = latitude*pi/180.0_wp
    hour_angle = 2.0_wp*pi*modulo(days, 1.0_wp) + longitude*pi/180.0_wp + lag - pi
    sun_height = sin(lat)*sin(declination) + cos(lat)*cos(declination)*cos(hour_angle)
  end function sun_height

  !> Sunshine above the air over its mean of the year: the square of mean over present distance.
  pure elemental real(wp) function sun_strength(days)
    real(wp), intent(in) :: days
    real(wp) :: a
    a = angle_of(days)
    sun_strength = 1.000110_wp + 0.034221_wp*cos(a) + 0.001280_wp*sin(a) &
      + 0.000719_wp*cos(2.0_wp*a) + 0.000077_wp*sin(2.0_wp*a)
  end function sun_strength

  pure elemental real(wp) function angle_of(days)
    real(wp), intent(in) :: days
    angle_of = 2.0_wp*pi*real(floor(days), wp)/365.0_wp
  end function angle_of
end module weather_sun
