! SPDX-License-Identifier: BSD-3-Clause
! What users of forecasts expect beside the model's own fields, from one column at a time.
module weather_derived
  use weather_constants, only: wp, gravity, r_dry
  use weather_moist, only: saturation_pressure, vapour_ratio, melting
  implicit none (type, external)
  private
  public :: sea_level_pressure, dew_point, vapour_pressure, relative_humidity, cloud_share, &
    cloud_cover, on_pressure

  real(wp), parameter, public :: cloudy = 1.0e-6_wp       !! cloud water that covers all [kg kg-1]

  real(wp), parameter :: lapse = 6.5e-3_wp                !! of the standard atmosphere [K m-1]

contains

  !> Pressure reduced to sea level [Pa]. The temperature some 1500 m above the ground is brought
  !> down with 6.5 K/km, so that a shallow pool of cold air over high ground does not count as if it
  !> reached to sea level. z, p, t: height, pressure and virtual temperature of a column's levels.
  pure real(wp) function sea_level_pressure(ground, z, p, t) result(reduced)
    real(wp), intent(in) :: ground, z(:), p(:), t(:)
    real(wp), parameter :: free = 1500.0_wp
    real(wp) :: at, warmth
    integer :: n

    n = size(z)
    at = min(max(ground + free, z(1)), z(n - 1))
    warmth = interpolated(z, t, at) + lapse*at
    reduced = p(1)*(warmth/(warmth - lapse*z(1)))**(gravity/(r_dry*lapse))
  end function sea_level_pressure

  !> q at the place x, of points x(:) that increase; beyond the ends that of the end.
  pure real(wp) function interpolated(x, q, at)
    real(wp), intent(in) :: x(:), q(:), at
    real(wp) :: weight
    integer :: k
    k = 1
    do while (k < size(x) - 1 .and. at > x(k + 1))
      k = k + 1
    end do
    weight = min(max((at - x(k))/(x(k + 1) - x(k)), 0.0_wp), 1.0_wp)
    interpolated = (1.0_wp - weight)*q(k) + weight*q(k + 1)
  end function interpolated

  !> Vapour pressure [Pa] of air with specific humidity q.
  pure elemental real(wp) function vapour_pressure(p, q)
    real(wp), intent(in) :: p, q
    vapour_pressure = p*q*vapour_ratio/(1.0_wp + (vapour_ratio - 1.0_wp)*q)
  end function vapour_pressure

  !> Dew point over water [K], at most the temperature t: Bolton (1980), equation 11.
  pure elemental real(wp) function dew_point(p, t, q)
    real(wp), intent(in) :: p, t, q
    real(wp) :: log_ratio
    log_ratio = log(max(vapour_pressure(p, q), 0.01_wp)/611.2_wp)
    dew_point = min(melting + 243.5_wp*log_ratio/(17.67_wp - log_ratio), t)
  end function dew_point

  !> Over water, 1 at saturation.
  pure elemental real(wp) function relative_humidity(p, t, q)
    real(wp), intent(in) :: p, t, q
    relative_humidity = vapour_pressure(p, q)/saturation_pressure(t)
  end function relative_humidity

  !> Share of a level that clouds cover: 1 - sqrt((1 - rh)/(1 - 0.8)) above a relative humidity of
  !> 0.8 (Sundqvist, Berge and Kristjansson 1989, Mon. Wea. Rev. 117, 1641-1657), and 1 where it
  !> holds cloud water.
  pure elemental real(wp) function cloud_share(rh, qc) result(share)
    real(wp), intent(in) :: rh, qc
    real(wp), parameter :: least = 0.8_wp
    share = 1.0_wp - sqrt(min((1.0_wp - min(rh, 1.0_wp))/(1.0_wp - least), 1.0_wp))
    if (qc > cloudy) share = 1.0_wp
  end function cloud_share

  !> Share of the sky that clouds cover: levels next to each other cover as much of each other as
  !> they can, others do at random (Geleyn and Hollingsworth 1979).
  pure real(wp) function cloud_cover(rh, qc) result(cover)
    real(wp), intent(in) :: rh(:), qc(:)
    real(wp) :: share, below, clear
    integer :: k

    clear = 1.0_wp
    below = 0.0_wp
    do k = 1, size(rh)
      share = cloud_share(rh(k), qc(k))
      if (below < 1.0_wp) clear = clear*(1.0_wp - max(share, below))/(1.0_wp - below)
      below = share
    end do
    cover = 1.0_wp - clear
  end function cloud_cover

  !> q on a surface of constant pressure, linear in the logarithm of pressure; `missing` below the
  !> lowest level and above the highest.
  pure real(wp) function on_pressure(p, q, level, missing)
    real(wp), intent(in) :: p(:), q(:), level, missing
    on_pressure = missing
    if (level > p(1) .or. level < p(size(p))) return
    on_pressure = interpolated(-log(p), q, -log(level))
  end function on_pressure
end module weather_derived
