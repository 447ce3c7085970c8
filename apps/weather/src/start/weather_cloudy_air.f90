! SPDX-License-Identifier: BSD-3-Clause
! The moist bubble of Bryan and Fritsch (2002): cloudy air of 20 g water per kg dry air, neutral to
! the model's own reversible condensation, and a bubble as buoyant as that of the dry case.
!
! Theirs is neutral by a constant wet equivalent potential temperature of 320 K, with the heat
! capacities of water; here d ln(theta) = -L/(cp T) dqv along the column, which is what the model's
! phase changes keep (see weather_microphysics), from the same air at the ground.
module weather_cloudy_air
  use weather_config, only: config_t
  use weather_constants, only: wp, pi, gravity, cp_dry, kappa, p_reference, virtual
  use weather_grid, only: grid_t
  use weather_moist, only: latent_heat, vapour_ratio, saturation_ratio, saturation_slope
  use weather_state, only: state_t, vapour, cloud
  use weather_thermo, only: density
  implicit none (type, external)
  private
  public :: cloudy_t, make_cloudy, cloudy_at, moist_bubble_start

  real(wp), parameter :: spacing = 25.0_wp                 !! of the table [m]
  real(wp), parameter :: dry_share = 1.0_wp/1.02_wp        !! of dry air in the mass of all air
  real(wp), parameter :: water = 1.0_wp - dry_share
  real(wp), parameter :: ground = 289.84_wp                !! temperature at 1000 hPa [K]

  !> Exner function and logarithm of theta at the heights 0, 25 m, 50 m, ... up to the model's top.
  type :: cloudy_t
    real(wp), allocatable :: air(:, :)
  end type cloudy_t

contains

  pure subroutine make_cloudy(s, top)
    type(cloudy_t), intent(out) :: s
    real(wp), intent(in) :: top
    integer :: k, n

    n = int(top/spacing) + 2
    allocate (s%air(2, 0:n))
    s%air(:, 0) = [1.0_wp, log(ground)]
    do k = 1, n
      s%air(:, k) = s%air(:, k - 1) + rise(s%air(:, k - 1), spacing)
    end do
  end subroutine make_cloudy

  !> Density potential temperature, pressure and vapour at height z; the rest of the water is cloud.
  pure subroutine cloudy_at(s, z, theta_rho, p, qv)
    type(cloudy_t), intent(in) :: s
    real(wp), intent(in) :: z
    real(wp), intent(out) :: theta_rho, p, qv
    real(wp) :: air(2)
    integer :: k

    k = min(max(int(z/spacing), 0), ubound(s%air, 2))
    air = s%air(:, k) + rise(s%air(:, k), z - spacing*k)
    p = p_reference*air(1)**(1.0_wp/kappa)
    qv = dry_share*saturation_ratio(p, exp(air(2))*air(1))
    theta_rho = exp(air(2))*loaded(qv)
  end subroutine cloudy_at

  pure real(wp) function loaded(qv)
    real(wp), intent(in) :: qv
    loaded = 1.0_wp + virtual*qv - (water - qv)
  end function loaded

  !> Change from a height to dz above it, by the classical Runge-Kutta scheme.
  pure function rise(air, dz) result(change)
    real(wp), intent(in) :: air(2), dz
    real(wp) :: change(2), a(2), b(2), c(2), d(2)
    a = gradient(air)
    b = gradient(air + 0.5_wp*dz*a)
    c = gradient(air + 0.5_wp*dz*b)
    d = gradient(air + dz*c)
    change = dz/6.0_wp*((a + d) + 2.0_wp*(b + c))
  end function rise

  !> d/dz of the Exner function (hydrostatic) and of ln(theta), where with vapour qs(p, T) saturated
  !> d ln(theta) (1 + L/cp qs_T) = -L/(cp T) (qs_T theta dexner + qs_p dp).
  pure function gradient(air) result(slope)
    real(wp), intent(in) :: air(2)
    real(wp) :: slope(2), p, t, ratio, qv, by_t, by_p
    p = p_reference*air(1)**(1.0_wp/kappa)
    t = exp(air(2))*air(1)
    ratio = saturation_ratio(p, t)
    qv = dry_share*ratio
    by_t = dry_share*saturation_slope(t, ratio)
    by_p = -qv*(1.0_wp + vapour_ratio*ratio)/p
    slope(1) = -gravity/(cp_dry*exp(air(2))*loaded(qv))
    slope(2) = -latent_heat/(cp_dry*t)*slope(1)*(by_t*exp(air(2)) + by_p*p/(kappa*air(1))) &
      /(1.0_wp + latent_heat/cp_dry*by_t)
  end function gradient

  !> The cloudy air everywhere, ghosts included. The bubble leaves pressure and total water; its
  !> theta_rho grows by the share by which theta does in the dry case.
  subroutine moist_bubble_start(g, c, s)
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    type(state_t), intent(inout) :: s
    type(cloudy_t) :: air
    real(wp) :: z, theta, p, qv, l
    integer :: i, j, k, pass

    call make_cloudy(air, g%top)
    do j = g%shape%jl, g%shape%jh
      do i = g%shape%il, g%shape%ih
        do k = 1, g%nz
          z = g%height(k, i, j)
          call cloudy_at(air, z, theta, p, qv)
          s%rho(k, i, j) = 0.0_wp
          s%rth(k, i, j) = s%rth_base(k, i, j)
          l = sqrt((g%x_of(i)/2000.0_wp)**2 + ((z - 2000.0_wp)/2000.0_wp)**2)
          if (l < 1.0_wp) then
            theta = theta*(1.0_wp + c%bubble_theta/300.0_wp*cos(0.5_wp*pi*l)**2)
            do pass = 1, 40      ! converges by a factor of about two in each pass
              qv = 0.5_wp*(qv + dry_share*saturation_ratio(p, &
                theta/loaded(qv)*(p/p_reference)**kappa))
            end do
            s%rho(k, i, j) = g%jac(i, j)*density(p, theta) - s%rho_base(k, i, j)
            s%rth(k, i, j) = (s%rho_base(k, i, j) + s%rho(k, i, j))*theta
          end if
          s%tracer(vapour)%q(k, i, j) = qv
          s%tracer(cloud)%q(k, i, j) = water - qv
        end do
        s%u(:, i, j) = c%us
      end do
    end do
  end subroutine moist_bubble_start
end module weather_cloudy_air
