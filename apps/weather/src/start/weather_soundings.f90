! SPDX-License-Identifier: BSD-3-Clause
! Analytic soundings, and the storm that starts from them: the air of Weisman and Klemp (1982).
!
! Potential temperature and relative humidity are given as functions of height, so pressure and
! vapour follow from hydrostatic balance, d(exner)/dz = -g/(cp theta_v), integrated upwards from
! 1000 hPa at z = 0 with the classical Runge-Kutta scheme. The reference state of the model is this
! column, so that nothing but the bubble departs from it.
module weather_soundings
  use weather_constants, only: wp, pi, gravity, cp_dry, kappa, p_reference, virtual
  use weather_config, only: config_t
  use weather_grid, only: grid_t
  use weather_moist, only: saturation_ratio
  use weather_state, only: state_t, vapour
  use weather_thermo, only: density
  implicit none (type, external)
  private
  public :: sounding_t, make_sounding, sounding_at, sounding_wind, supercell_start

  real(wp), parameter :: spacing = 50.0_wp               !! of the table [m]
  real(wp), parameter :: tropopause = 12000.0_wp         !! m
  real(wp), parameter :: wettest = 0.014_wp              !! largest mixing ratio [kg kg-1]

  !> Exner function at the heights 0, 50 m, 100 m, ... up to the model's top.
  type :: sounding_t
    real(wp), allocatable :: exner(:)
  end type sounding_t

contains

  pure subroutine make_sounding(s, top)
    type(sounding_t), intent(out) :: s
    real(wp), intent(in) :: top
    integer :: k, n

    n = int(top/spacing) + 2
    allocate (s%exner(0:n))
    s%exner(0) = 1.0_wp
    do k = 1, n
      s%exner(k) = s%exner(k - 1) + rise(spacing*(k - 1), s%exner(k - 1), spacing)
    end do
  end subroutine make_sounding

  !> Density potential temperature, pressure and specific humidity at height z.
  pure subroutine sounding_at(s, z, theta_rho, p, qv)
    type(sounding_t), intent(in) :: s
    real(wp), intent(in) :: z
    real(wp), intent(out) :: theta_rho, p, qv
    real(wp) :: exner, low
    integer :: k

    k = min(max(int(z/spacing), 0), ubound(s%exner, 1))
    low = spacing*k
    exner = s%exner(k) + rise(low, s%exner(k), z - low)
    p = p_reference*exner**(1.0_wp/kappa)
    qv = humidity(z, exner)
    theta_rho = theta_of(z)*(1.0_wp + virtual*qv)
  end subroutine sounding_at

  !> Change of the Exner function from z to z + dz.
  pure real(wp) function rise(z, exner, dz)
    real(wp), intent(in) :: z, exner, dz
    real(wp) :: a, b, c, d
    a = gradient(z, exner)
    b = gradient(z + 0.5_wp*dz, exner + 0.5_wp*dz*a)
    c = gradient(z + 0.5_wp*dz, exner + 0.5_wp*dz*b)
    d = gradient(z + dz, exner + dz*c)
    rise = dz/6.0_wp*((a + d) + 2.0_wp*(b + c))
  end function rise

  pure real(wp) function gradient(z, exner)
    real(wp), intent(in) :: z, exner
    gradient = -gravity/(cp_dry*theta_of(z)*(1.0_wp + virtual*humidity(z, exner)))
  end function gradient

  !> Potential temperature [K]: Weisman and Klemp (1982), equation 1.
  pure real(wp) function theta_of(z)
    real(wp), intent(in) :: z
    real(wp), parameter :: ground = 300.0_wp, there = 343.0_wp, warm = 213.0_wp
    if (z <= tropopause) then
      theta_of = ground + (there - ground)*(max(z, 0.0_wp)/tropopause)**1.25_wp
    else
      theta_of = there*exp(gravity*(z - tropopause)/(cp_dry*warm))
    end if
  end function theta_of

  !> Specific humidity: relative humidity of their equation 2, mixing ratio at most 14 g/kg.
  pure real(wp) function humidity(z, exner)
    real(wp), intent(in) :: z, exner
    real(wp) :: ratio, relative
    relative = 1.0_wp - 0.75_wp*(min(max(z, 0.0_wp), tropopause)/tropopause)**1.25_wp
    ratio = relative*saturation_ratio(p_reference*exner**(1.0_wp/kappa), theta_of(z)*exner)
    ratio = min(ratio, wettest)
    humidity = ratio/(1.0_wp + ratio)
  end function humidity

  !> Wind of the storm's surroundings, less the motion of the frame. Straight shear:
  !> us tanh(z/3 km). Quarter circle: the wind turns with a radius of 7 m/s up to 2 km, then u grows
  !> to us at 6 km.
  pure subroutine sounding_wind(c, z, u, v)
    type(config_t), intent(in) :: c
    real(wp), intent(in) :: z
    real(wp), intent(out) :: u, v
    real(wp), parameter :: radius = 7.0_wp, turned = 2000.0_wp, straight = 6000.0_wp
    real(wp) :: angle

    if (c%hodograph == 'quarter') then
      angle = 0.5_wp*pi*min(z/turned, 1.0_wp)
      u = radius*(1.0_wp - cos(angle))
      v = radius*sin(angle)
      if (z > turned) u = radius + (c%us - radius)*min((z - turned)/(straight - turned), 1.0_wp)
    else
      u = c%us*tanh(z/3000.0_wp)
      v = 0.0_wp
    end if
    u = u - c%frame_u
    v = v - c%frame_v
  end subroutine sounding_wind

  !> The sounding everywhere, ghosts included, and a warm bubble of 10 km radius at 1.4 km height.
  subroutine supercell_start(g, c, s)
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    type(state_t), intent(inout) :: s
    type(sounding_t) :: air
    real(wp) :: z, theta, p, qv, l, warmer
    integer :: i, j, k

    call make_sounding(air, g%top)
    do j = g%shape%jl, g%shape%jh
      do i = g%shape%il, g%shape%ih
        do k = 1, g%nz
          z = g%height(k, i, j)
          call sounding_at(air, z, theta, p, qv)
          call sounding_wind(c, z, s%u(k, i, j), s%v(k, i, j))
          if (s%tracers >= vapour) s%tracer(vapour)%q(k, i, j) = qv
          l = sqrt((g%x_of(i)/1.0e4_wp)**2 + (g%y_of(j)/1.0e4_wp)**2 &
            + ((z - 1400.0_wp)/1400.0_wp)**2)
          s%rho(k, i, j) = 0.0_wp
          s%rth(k, i, j) = s%rth_base(k, i, j)
          if (l >= 1.0_wp) cycle
          warmer = c%bubble_theta*cos(0.5_wp*pi*l)**2*(1.0_wp + virtual*qv)
          s%rho(k, i, j) = g%jac(i, j)*density(p, theta + warmer) - s%rho_base(k, i, j)
          s%rth(k, i, j) = (s%rho_base(k, i, j) + s%rho(k, i, j))*(theta + warmer)
        end do
      end do
    end do
  end subroutine supercell_start
end module weather_soundings
