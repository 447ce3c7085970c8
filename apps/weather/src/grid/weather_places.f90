! SPDX-License-Identifier: BSD-3-Clause
! Where columns are on the globe. An analysis says it of its own columns. Idealised runs get a plane
! that touches the sphere at (centlat, centlon): the azimuthal equidistant projection (Snyder 1987),
! so that tools which need positions can show them.
module weather_places
  use weather_constants, only: wp, pi
  use weather_config, only: config_t
  use weather_grid, only: grid_t
  implicit none (type, external)
  private
  public :: latitude_of, longitude_of, distance, has_places, radius

  real(wp), parameter :: radius = 6371229.0_wp        !! of the earth [m]
  real(wp), parameter :: degree = pi/180.0_wp

contains

  !> False where an idealised domain does not fit on the sphere.
  pure logical function has_places(g)
    type(grid_t), intent(in) :: g
    has_places = allocated(g%latitude) .or. hypot(g%nx*g%dx, g%ny*g%dy) < 4.0_wp*radius
  end function has_places

  pure real(wp) function latitude_of(g, c, i, j) result(latitude)
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    integer, intent(in) :: i, j
    real(wp) :: arc, away
    if (allocated(g%latitude)) then
      latitude = g%latitude(i, j)
    else
      away = max(hypot(g%x_of(i), g%y_of(j)), 1.0e-6_wp)
      arc = away/radius
      latitude = asin(cos(arc)*sin(c%centlat*degree) + g%y_of(j)/away*sin(arc)* &
        cos(c%centlat*degree))/degree
    end if
  end function latitude_of

  pure real(wp) function longitude_of(g, c, i, j) result(longitude)
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    integer, intent(in) :: i, j
    real(wp) :: arc, away
    if (allocated(g%longitude)) then
      longitude = g%longitude(i, j)
    else
      away = max(hypot(g%x_of(i), g%y_of(j)), 1.0e-6_wp)
      arc = away/radius
      longitude = c%centlon + atan2(g%x_of(i)*sin(arc), away*cos(c%centlat*degree)*cos(arc) &
        - g%y_of(j)*sin(c%centlat*degree)*sin(arc))/degree
      longitude = modulo(longitude + 180.0_wp, 360.0_wp) - 180.0_wp
    end if
  end function longitude_of

  !> Along the great circle [m].
  pure real(wp) function distance(lat1, lon1, lat2, lon2)
    real(wp), intent(in) :: lat1, lon1, lat2, lon2
    real(wp) :: a
    a = sin(0.5_wp*(lat2 - lat1)*degree)**2 + cos(lat1*degree)*cos(lat2*degree)* &
      sin(0.5_wp*(lon2 - lon1)*degree)**2
    distance = 2.0_wp*radius*asin(min(1.0_wp, sqrt(a)))
  end function distance
end module weather_places
