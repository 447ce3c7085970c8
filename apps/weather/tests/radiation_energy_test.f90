! SPDX-License-Identifier: BSD-3-Clause
! Energy through the whole step of radiation: what the levels and the air above the lid gain and the
! ground keeps is what comes in at the top less what leaves, for long wave and sunshine each, under
! clear, overcast and partly cloudy skies; and each level's temperature changes by the divergence of
! the flux over rho cp dz. The fluxes are those of columns that are put together here from what
! the state was made of; sunshine is a day less the night after it, of the same air.
program radiation_energy_test
  use checks, only: check, finish
  use weather_constants, only: wp, gravity, cp_dry, r_dry, kappa, p_reference, virtual
  use weather_config, only: config_t
  use weather_grid, only: grid_t, make_levels, make_tile, make_metric
  use weather_state, only: state_t, make_radiation, vapour, cloud, rain
  use weather_derived, only: relative_humidity, cloud_share, cloud_cover
  use weather_moist, only: saturation_pressure
  use weather_air_block, only: air_t, block, make_air
  use weather_longwave, only: longwave
  use weather_shortwave, only: shortwave, solar_constant, water_albedo
  use weather_radiation, only: radiation_t, prepare_radiation, radiate, finish_air, layers_above
  use weather_physics, only: physics_t, add_heating, refresh_ground
  use weather_sun, only: sun_height, sun_strength
  implicit none (type, external)

  integer, parameter :: nx = 4, ny = 3, levels = 24
  character(*), parameter :: skies(nx) = [character(22) :: 'clear', 'overcast, rain', &
    'cloudy by its humidity', 'two kinds of cloud']
  real(wp), parameter :: dt = 900.0_wp, noon = 200.5_wp, rounding = 1.0e-9_wp
  !> Of one column at one time [W m-2]: net downward flux at each face of the model, and at the top.
  type :: net_t
    real(wp) :: face(levels + 1) = 0.0_wp, top = 0.0_wp
  end type net_t

  type(grid_t) :: g
  type(state_t) :: s
  type(physics_t) :: p
  real(wp), dimension(levels, nx, ny) :: temperature, q, qc, qr
  real(wp) :: worst_level(2, nx), worst_sum(2, nx), worst_ground(2, nx), least(2, nx)

  call make_ground()
  call make_state_of_air()
  call compare()
  call finish()

contains

  !> Four columns of skies along x; along y heights, shares of land and latitudes.
  subroutine make_ground()
    type(config_t) :: c
    integer :: i, j

    g%nx = nx
    g%ny = ny
    g%dx = 1.0e4_wp
    g%dy = 1.0e4_wp
    c%nnzp = levels
    c%deltaz = 120.0_wp
    c%dzrat = 1.15_wp
    c%dzmax = 1500.0_wp
    c%radiation = 'column'
    c%radiation_interval = dt
    c%dtlong = dt
    c%albedo = 0.2_wp
    c%co2 = 400.0_wp
    call make_levels(g, c)
    call make_tile(g, 1, nx, 1, ny, 1, 3)
    do j = g%shape%jl, g%shape%jh
      g%zs(:, j) = 400.0_wp*real(j, wp)
    end do
    call make_metric(g, .true.)
    call prepare_radiation(p%radiation, c)
    p%soil%on = .true.
    allocate (p%land, mold=g%jac)
    allocate (p%latitude(nx, ny), p%longitude(nx, ny))
    do j = 1, ny
      do i = 1, nx
        p%land(i, j) = 0.5_wp*real(j - 1, wp)
        p%latitude(i, j) = 20.0_wp*real(j, wp)
        p%longitude(i, j) = 2.0_wp*real(i, wp)
      end do
    end do
  end subroutine make_ground

  !> Air with clouds, whose density is a little off that of balance, so that only the mass of levels
  !> can give their heating.
  subroutine make_state_of_air()
    real(wp) :: z, rh, loaded, air_pressure
    integer :: i, j, k, n

    call make_radiation(s, g)
    s%tracers = rain
    call new(s%theta)
    call new(s%rho)
    call new(s%pp)
    do n = vapour, rain
      call new(s%tracer(n)%q)
    end do
    allocate (s%p_base, s%theta_base, s%rho_base, s%f_th, mold=s%radiation%heating)
    s%f_th = 0.0_wp
    allocate (s%ground%temperature, s%ground%sun, s%ground%sky, mold=g%jac)
    do j = 1, ny
      do i = 1, nx
        s%ground%temperature(i, j) = 301.0_wp - 4.0_wp*real(j, wp)
        do k = 1, levels
          z = g%height(k, i, j)
          temperature(k, i, j) = max(296.0_wp - 6.3e-3_wp*z, 215.0_wp) &
            + 0.4_wp*sin(real(3*k + i, wp))
          air_pressure = 1.01e5_wp*exp(-z/7900.0_wp)
          rh = humidity(i, z)
          q(k, i, j) = 0.622_wp*rh*saturation_pressure(temperature(k, i, j))/air_pressure
          qc(k, i, j) = merge(4.0e-4_wp, 0.0_wp, i == 2 .and. z > 1500.0_wp .and. z < 3500.0_wp)
          qr(k, i, j) = merge(1.0e-4_wp, 0.0_wp, i == 2 .and. z < 2500.0_wp)
          loaded = 1.0_wp + virtual*q(k, i, j) - qc(k, i, j) - qr(k, i, j)
          s%p_base(k, i, j) = 0.98_wp*air_pressure
          s%pp(k, i, j) = 0.02_wp*air_pressure
          s%theta(k, i, j) = temperature(k, i, j)*(p_reference/air_pressure)**kappa*loaded
          s%rho_base(k, i, j) = g%jac(i, j)*air_pressure/(r_dry*temperature(k, i, j))
          s%rho(k, i, j) = 0.01_wp*sin(real(k + j, wp))*s%rho_base(k, i, j)
        end do
        s%tracer(vapour)%q(:, i, j) = q(:, i, j)
        s%tracer(cloud)%q(:, i, j) = qc(:, i, j)
        s%tracer(rain)%q(:, i, j) = qr(:, i, j)
      end do
    end do
  end subroutine make_state_of_air

  !> Relative humidity of the skies.
  pure real(wp) function humidity(sky, z) result(rh)
    integer, intent(in) :: sky
    real(wp), intent(in) :: z
    rh = 0.4_wp
    if (sky == 2 .and. z > 1500.0_wp .and. z < 3500.0_wp) rh = 1.0_wp
    if (sky >= 3 .and. z > 2000.0_wp .and. z < 4000.0_wp) rh = 0.9_wp
    if (sky == 4 .and. z > 8000.0_wp .and. z < 10000.0_wp) rh = 0.95_wp
  end function humidity

  subroutine new(field)
    real(wp), pointer, contiguous, intent(out) :: field(:, :, :)
    allocate (field(levels, g%shape%il:g%shape%ih, g%shape%jl:g%shape%jh), source=0.0_wp)
  end subroutine new

  !> A night of long wave, and the noon before it, whose sunshine is what it has more.
  subroutine compare()
    real(wp), dimension(levels, nx, ny) :: night, day
    real(wp), dimension(nx, ny) :: ground_night, top_night, ground_day, top_day
    integer :: i, j

    call heated_at(noon + 0.5_wp, night, ground_night, top_night)
    call check(maxval(s%radiation%toa_down) == 0.0_wp, 'no sun at night', &
      maxval(s%radiation%toa_down))
    call heated_at(noon, day, ground_day, top_day)
    worst_level = 0.0_wp
    worst_sum = 0.0_wp
    worst_ground = 0.0_wp
    least = huge(1.0_wp)
    do j = 1, ny
      do i = 1, nx
        call compare_column(1, i, j, night(:, i, j), ground_night(i, j), top_night(i, j))
        call compare_column(2, i, j, day(:, i, j) - night(:, i, j), &
          ground_day(i, j) - ground_night(i, j), top_day(i, j) - top_night(i, j))
      end do
    end do
    do i = 1, nx
      call say(1, i, 'long wave')
      call say(2, i, 'sunshine')
    end do
  end subroutine compare

  subroutine say(kind, i, name)
    integer, intent(in) :: kind, i
    character(*), intent(in) :: name
    associate (what => name//', '//trim(skies(i))//': ')
      call check(least(kind, i) > 1.0_wp, what//'least change of a column by it [W m-2]', &
        least(kind, i))
      call check(worst_level(kind, i) < rounding, what//'levels less the divergence [W m-2]', &
        worst_level(kind, i))
      call check(worst_ground(kind, i) < rounding, what//'ground and top less the fluxes', &
        worst_ground(kind, i))
      call check(worst_sum(kind, i) < rounding, what//'air and ground less what the top brings', &
        worst_sum(kind, i))
    end associate
  end subroutine say

  !> Heat that the levels gain, from the change of temperature at constant pressure that the
  !> tendency of a step means, what the ground's budget gets, and what comes in at the top [W m-2].
  subroutine heated_at(days, gain, ground, top)
    real(wp), intent(in) :: days
    real(wp), intent(out) :: gain(levels, nx, ny)
    real(wp), dimension(nx, ny), intent(out) :: ground, top
    real(wp) :: warmer, theta, mass, kept(nx, ny)
    integer :: i, j, k

    s%days = days
    s%f_th = 0.0_wp
    call radiate(p%radiation, g, s, p%land, p%latitude, p%longitude)
    call add_heating(g, s)
    call refresh_ground(p, g, s)
    do j = 1, ny
      do i = 1, nx
        do k = 1, levels
          mass = s%rho_base(k, i, j) + s%rho(k, i, j)
          theta = s%theta(k, i, j) + dt*s%f_th(k, i, j)/mass
          warmer = theta/(1.0_wp + virtual*q(k, i, j) - qc(k, i, j) - qr(k, i, j)) &
            *((s%p_base(k, i, j) + s%pp(k, i, j))/p_reference)**kappa - temperature(k, i, j)
          gain(k, i, j) = cp_dry*mass*(g%zf(k + 1) - g%zf(k))*warmer/dt
        end do
      end do
    end do
    associate (x => s%radiation)
      ground = s%ground%sun(1:nx, 1:ny) + s%ground%sky(1:nx, 1:ny)
      top = x%toa_down(1:nx, 1:ny) - x%toa_up(1:nx, 1:ny) - x%olr(1:nx, 1:ny)
      kept = x%sw_down(1:nx, 1:ny) - x%sw_up(1:nx, 1:ny) + x%lw_down(1:nx, 1:ny) &
        - x%lw_up(1:nx, 1:ny)
    end associate
    call check(maxval(abs(kept - ground)) < rounding, &
      'the ground''s budget less what columns bring it [W m-2]', maxval(abs(kept - ground)))
  end subroutine heated_at

  !> kind: 1 long wave, 2 sunshine.
  subroutine compare_column(kind, i, j, gain, ground, top)
    integer, intent(in) :: kind, i, j
    real(wp), intent(in) :: gain(levels), ground, top
    type(net_t) :: net
    real(wp) :: above

    net = fluxes(kind, i, j)
    above = net%top - net%face(levels + 1)
    worst_level(kind, i) = max(worst_level(kind, i), &
      maxval(abs(gain - (net%face(2:) - net%face(:levels)))))
    worst_ground(kind, i) = max(worst_ground(kind, i), abs(ground - net%face(1)), &
      abs(top - net%top))
    worst_sum(kind, i) = max(worst_sum(kind, i), abs(sum(gain) + above + ground - top))
    least(kind, i) = min(least(kind, i), abs(sum(gain)))
  end subroutine compare_column

  !> Of the column's clear and cloudy parts.
  function fluxes(kind, i, j) result(net)
    integer, intent(in) :: kind, i, j
    type(net_t) :: net
    real(wp) :: rh(levels), cover
    rh = relative_humidity(pressure(i, j), temperature(:, i, j), q(:, i, j))
    cover = cloud_cover(rh, qc(:, i, j))
    call add_part(kind, i, j, 1.0_wp - cover, 0.0_wp*rh, net)
    call add_part(kind, i, j, cover, cloud_share(rh, qc(:, i, j)), net)
  end function fluxes

  function pressure(i, j)
    integer, intent(in) :: i, j
    real(wp) :: pressure(levels)
    pressure = s%p_base(:, i, j) + s%pp(:, i, j)
  end function pressure

  subroutine add_part(kind, i, j, share, clouds, net)
    integer, intent(in) :: kind, i, j
    real(wp), intent(in) :: share, clouds(levels)
    type(net_t), intent(inout) :: net
    type(air_t) :: air
    real(wp), dimension(block, levels + layers_above + 1) :: up, down
    real(wp) :: time, brings

    if (share <= 0.0_wp) return
    call make_part(i, j, share, clouds, air)
    brings = 1.0_wp
    if (kind == 1) then
      call longwave(air, p%radiation%gases, up, down)
    else
      time = noon + 0.5_wp*dt/86400.0_wp                  ! the middle of the interval
      air%sun = sun_height(time, p%latitude(i, j), p%longitude(i, j))
      air%albedo = 0.2_wp*p%land(i, j) + (1.0_wp - p%land(i, j))*water_albedo(air%sun(1))
      brings = solar_constant*sun_strength(time)*air%sun(1)
      call shortwave(air, up, down)
    end if
    net%face = net%face + share*brings*(down(1, :levels + 1) - up(1, :levels + 1))
    net%top = net%top + share*brings*(down(1, air%n + 1) - up(1, air%n + 1))
  end subroutine add_part

  !> The air of a column with all its clouds in a part of it.
  subroutine make_part(i, j, share, clouds, air)
    integer, intent(in) :: i, j
    real(wp), intent(in) :: share, clouds(levels)
    type(air_t), intent(out) :: air
    real(wp) :: mass(levels), water(levels), thick(levels), all_vapour, lid, p_air(levels)
    integer :: m

    thick = g%zf(2:) - g%zf(:levels)
    mass = (s%rho_base(:, i, j) + s%rho(:, i, j))*thick
    all_vapour = sum(mass*q(:, i, j))
    water = 0.0_wp
    where (clouds > 0.0_wp) water = clouds*0.21_wp*exp(-g%zc*g%jac(i, j)/(700.0_wp*log(1.0_wp &
      + all_vapour)))*thick*g%jac(i, j)                    ! Hack (1998)
    where (clouds > 0.0_wp .and. qc(:, i, j) > 0.0_wp) water = 1000.0_wp*qc(:, i, j)*mass
    p_air = pressure(i, j)
    lid = p_air(levels) - 0.5_wp*gravity*mass(levels)
    call make_air(air, levels + layers_above)
    do m = 1, block
      air%dp(m, :levels) = gravity*mass
      air%t(m, :levels) = temperature(:, i, j)
      air%q(m, :levels) = q(:, i, j)
      air%cloud(m, :levels) = water/share
      air%rain(m, :levels) = 1000.0_wp*qr(:, i, j)*mass
      air%ground(m) = s%ground%temperature(i, j)
      call finish_air(air, m, levels, lid)
    end do
  end subroutine make_part
end program radiation_energy_test
