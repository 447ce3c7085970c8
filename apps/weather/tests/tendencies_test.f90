! SPDX-License-Identifier: BSD-3-Clause
! The whole right-hand side over a hill against the sum of its terms, all of one size, so that none
! can be left out, exchanged or counted twice: Runge-Kutta's, and leapfrog's, whose damping looks at
! the older time. Then the rates of damping, and the Courant numbers of each component of the wind.
program tendencies_test
  use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_quiet_nan
  use checks, only: check, near, finish
  use manufactured, only: wave_t, value, gradient, curvature, make_grid, place, above_sea, fill, &
    make_field, converges
  use weather_constants, only: wp, gravity, pi
  use weather_config, only: config_t
  use weather_grid, only: grid_t, box_t, make_tile
  use weather_state, only: state_t
  use weather_dynamics, only: dynamics_t, tendencies
  use weather_boundary, only: side_rates, sponge_rates
  use weather_physics, only: physics_t, refresh_ground
  use weather_progress, only: column_extremes
  implicit none (type, external)

  real(wp), parameter :: turning = 1.0e-3_wp, rate = 1.0e-3_wp, sponge = 2.0e-3_wp, &
    diffusion = 3000.0_wp
  real(wp), parameter :: slow(4) = [4.0e-3_wp, -5.0e-3_wp, 6.0e-3_wp, 7.0e-3_wp]  !! u, v, w, theta
  character(*), parameter :: names(6) = [character(12) :: 'u', 'v', 'w', 'theta', 'mass', &
    'a tracer']
  integer, parameter :: places(3, 6) = reshape([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, &
    0, 0, 0], [3, 6])
  !> What is carried: u, v, w, theta, 1 and a tracer; and the fluxes that carry it.
  type(wave_t), parameter :: carried(6) = [ &
    wave_t(mean=10.0_wp, size=2.0_wp, phase=[0.2_wp, 0.9_wp, 0.4_wp]), &
    wave_t(mean=-7.0_wp, size=3.0_wp, phase=[2.2_wp, 0.1_wp, 1.4_wp]), &
    wave_t(mean=3.0_wp, size=2.0_wp, phase=[1.2_wp, 1.9_wp, 2.4_wp]), &
    wave_t(mean=5.0_wp, size=2.0_wp, phase=[0.7_wp, 2.9_wp, 1.0_wp]), &
    wave_t(mean=1.0_wp, size=0.0_wp), &
    wave_t(mean=4.0_wp, size=2.0_wp, phase=[1.7_wp, 0.8_wp, 0.1_wp])]
  type(wave_t), parameter :: fluxes(3) = [ &
    wave_t(mean=9.0_wp, size=2.0_wp, phase=[0.1_wp, 0.6_wp, 1.0_wp]), &
    wave_t(mean=-7.0_wp, size=3.0_wp, phase=[2.1_wp, 1.6_wp, 0.5_wp]), &
    wave_t(mean=2.0_wp, size=1.0_wp, phase=[1.1_wp, 2.6_wp, 0.2_wp], closed=.true.)]
  type(wave_t), parameter :: base_theta = wave_t(mean=2.0_wp, phase=[2.0_wp, 1.0_wp, 0.6_wp]), &
    base_density = wave_t(mean=9.0_wp, phase=[0.0_wp, 1.0_wp, 0.2_wp]), &
    density = wave_t(mean=1.0e-3_wp, size=1.0e-3_wp, phase=[1.4_wp, 0.4_wp, 0.9_wp]), &
    pressure = wave_t(size=20.0_wp), lift = wave_t(size=3.0_wp, phase=[2.8_wp, 0.3_wp, 0.9_wp]), &
    side = wave_t(mean=3.0_wp, size=2.0_wp, phase=[0.9_wp, 2.2_wp, 0.3_wp]), &
    heat = wave_t(mean=8.0_wp, size=3.0_wp), old = wave_t(mean=-5.0_wp, size=4.0_wp)
  type(grid_t) :: g
  type(state_t) :: s
  type(dynamics_t) :: d

  call sum_of_terms(.false.)
  call sum_of_terms(.true.)
  call sides()
  call top()
  call courant()
  call ground()
  call finish()

contains

  subroutine set_up(m, leapfrog)
    integer, intent(in) :: m
    logical, intent(in) :: leapfrog
    call make_grid(g, m, .true.)
    g%coriolis = turning
    d = dynamics_t(rdx=1.0_wp/g%dx, rdy=1.0_wp/g%dy, diffusion=diffusion, sides=.true., &
      leapfrog=leapfrog, slow=.true.)
    allocate (d%sponge(g%nz), source=sponge)
    d%side_rate = g%jac
    d%side_rate = rate
    s = state_t()
    s%tracers = 1
    call pointed(carried(1), places(:, 1), s%u)
    call pointed(carried(2), places(:, 2), s%v)
    call pointed(carried(3), places(:, 3), s%w)
    call pointed(carried(4), places(:, 4), s%theta)
    call pointed(carried(6), places(:, 6), s%tracer(1)%q)
    call pointed(fluxes(1), places(:, 1), s%ru)
    call pointed(fluxes(2), places(:, 2), s%rv)
    call pointed(fluxes(3), places(:, 3), s%om)
    call pointed(density, places(:, 4), s%rho)
    call pointed(pressure, places(:, 4), s%pp)
    call fill(g, pressure, places(:, 4), s%pp, lifted=.true.)
    call made(lift, places(:, 3), s%rw)
    call made(heat, places(:, 4), s%rth)
    call made(base_density, places(:, 4), s%rho_base)
    call made(base_theta, places(:, 4), s%theta_base)
    call made(side, places(:, 1), s%ru_side)
    call made(side, places(:, 2), s%rv_side)
    call made(side, places(:, 4), s%rth_side)
    call made(side, places(:, 4), s%rho_side)
    call made(old, places(:, 1), s%ru_old)
    call made(old, places(:, 2), s%rv_old)
    call made(old, places(:, 4), s%rth_old)
    call made(old, places(:, 4), s%rho_old)
    call make_field(g, s%f_u)
    call make_field(g, s%f_v)
    call make_field(g, s%f_w)
    call make_field(g, s%f_th)
    s%f_u = slow(1)
    s%f_v = slow(2)
    s%f_w = slow(3)
    s%f_th = slow(4)
    call make_field(g, s%t_u)
    call make_field(g, s%t_v)
    call make_field(g, s%t_w)
    call make_field(g, s%t_th)
    call make_field(g, s%t_rho)
    call make_field(g, s%tracer(1)%tend)
    call make_field(g, s%ru_mean)
  end subroutine set_up

  subroutine made(w, at, field)
    type(wave_t), intent(in) :: w
    integer, intent(in) :: at(3)
    real(wp), allocatable, intent(out) :: field(:, :, :)
    call make_field(g, field)
    call fill(g, w, at, field)
  end subroutine made

  subroutine pointed(w, at, field)
    type(wave_t), intent(in) :: w
    integer, intent(in) :: at(3)
    real(wp), pointer, contiguous, intent(out) :: field(:, :, :)
    associate (b => g%shape)
      allocate (field(b%nz, b%il:b%ih, b%jl:b%jh))
    end associate
    call fill(g, w, at, field)
  end subroutine pointed

  subroutine released()
    deallocate (s%u, s%v, s%w, s%theta, s%ru, s%rv, s%om, s%rho, s%pp)
    deallocate (s%tracer(1)%q)
  end subroutine released

  subroutine sum_of_terms(leapfrog)
    logical, intent(in) :: leapfrog
    real(wp) :: errors(2, 6)
    integer :: m, n
    do m = 1, 2
      call set_up(m, leapfrog)
      call tendencies(d, g, s)
      errors(m, 1) = error_of(1, leapfrog, s%t_u)
      errors(m, 2) = error_of(2, leapfrog, s%t_v)
      errors(m, 3) = error_of(3, leapfrog, s%t_w)
      errors(m, 4) = error_of(4, leapfrog, s%t_th)
      errors(m, 5) = error_of(5, leapfrog, s%t_rho)
      errors(m, 6) = error_of(6, leapfrog, s%tracer(1)%tend)
      if (leapfrog) call check(.not. any(abs(s%tracer(1)%tend) > 0.0_wp), &
        'leapfrog predicts no tracer', maxval(abs(s%tracer(1)%tend)))
      call released()
    end do
    do n = 1, merge(5, 6, leapfrog)
      call converges(errors(:, n), 2, 'sum of the terms of '//trim(names(n)))
    end do
  end subroutine sum_of_terms

  !> Away from ground and top.
  real(wp) function error_of(n, leapfrog, tend)
    integer, intent(in) :: n
    logical, intent(in) :: leapfrog
    real(wp), intent(in) :: tend(g%nz, g%shape%il:g%shape%ih, g%shape%jl:g%shape%jh)
    real(wp) :: wanted, largest, x(3), jac
    integer :: i, j, k
    error_of = 0.0_wp
    largest = 0.0_wp
    do j = 1, g%ny
      do i = 1, g%nx
        jac = g%jac(i, j)
        if (n == 1) jac = g%jac_u(i, j)
        if (n == 2) jac = g%jac_v(i, j)
        do k = 3, g%nz - 2
          x = place(g, k, i, j, places(:, n))
          wanted = transport(n, x) + force(n, jac, x) + damping(n, leapfrog, x)
          if (n <= 4) wanted = wanted + slow(n)
          if (n <= 4 .and. .not. leapfrog) wanted = wanted + spread_out(n, jac, x)
          largest = max(largest, abs(wanted))
          error_of = max(error_of, abs(tend(k, i, j) - wanted))
        end do
      end do
    end do
    error_of = error_of/largest
  end function error_of

  !> Minus the divergence of what the fluxes carry.
  real(wp) function transport(n, x)
    integer, intent(in) :: n
    real(wp), intent(in) :: x(3)
    real(wp) :: of_q(3), of_flux(3)
    integer :: dim
    transport = 0.0_wp
    of_q = gradient(carried(n), x)
    do dim = 1, 3
      of_flux = gradient(fluxes(dim), x)
      transport = transport - (of_flux(dim)*value(carried(n), x) + value(fluxes(dim), x)*of_q(dim))
    end do
  end function transport

  !> Pressure, Coriolis force, weight.
  real(wp) function force(n, jac, x)
    integer, intent(in) :: n
    real(wp), intent(in) :: jac, x(3)
    real(wp) :: p(3)
    p = gradient(pressure, above_sea(x))
    force = 0.0_wp
    if (n == 1) force = -jac*p(1) + turning*value(fluxes(2), x)
    if (n == 2) force = -jac*p(2) - turning*value(fluxes(1), x)
    if (n == 3) force = -jac*p(3) - gravity*value(density, x)
  end function force

  !> Sponge and sides.
  real(wp) function damping(n, leapfrog, x)
    integer, intent(in) :: n
    logical, intent(in) :: leapfrog
    real(wp), intent(in) :: x(3)
    damping = 0.0_wp
    if (n == 3) damping = -sponge*value(lift, x)
    if (n == 3 .or. n == 6) return
    damping = rate*value(side, x)
    if (leapfrog) then
      damping = damping - rate*value(old, x)
    else if (n <= 2) then
      damping = damping - rate*value(fluxes(n), x)
    else
      damping = damping - rate*merge(value(heat, x), value(density, x), n == 4)
    end if
  end function damping

  !> Diffusion; of theta, that of its departure from the reference.
  real(wp) function spread_out(n, jac, x)
    integer, intent(in) :: n
    real(wp), intent(in) :: jac, x(3)
    real(wp) :: second(3)
    second = curvature(carried(n), x)
    if (n == 4) second = second - curvature(base_theta, x)
    spread_out = diffusion*(value(base_density, x) + value(density, x)) &
      *sum(second/[1.0_wp, 1.0_wp, jac**2])
  end function spread_out

  !> Relaxation counts columns from the nearest side that is not periodic. 1/50 s at the side falls
  !> exponentially to nothing, and does in a step of 10 s what the exact solution does.
  subroutine sides()
    type(config_t) :: c
    real(wp), allocatable :: rates(:, :)
    real(wp) :: wanted(0:3)
    integer :: n
    do n = 0, 3
      wanted(n) = 0.02_wp*(exp(-1.25_wp*n) - exp(-5.0_wp))/(1.0_wp - exp(-5.0_wp))
      wanted(n) = (1.0_wp - exp(-10.0_wp*wanted(n)))/10.0_wp
    end do
    c%davies_width = 4
    c%davies_time = 50.0_wp
    c%time_scheme = 'rk3'
    c%dtlong = 10.0_wp
    g = grid_t()
    g%nx = 12
    g%ny = 20
    g%periodic_x = .false.
    g%periodic_y = .false.
    call make_tile(g, 1, 12, 1, 20, 1, 3)
    call side_rates(g, c, rates)
    call near(rates(1, 10), wanted(0), 1.0e-12_wp, 'rate of the westernmost column')
    call near(rates(12, 10), wanted(0), 1.0e-12_wp, 'rate of the easternmost column')
    call near(rates(6, 1), wanted(0), 1.0e-12_wp, 'rate of the southernmost column')
    call near(rates(6, 20), wanted(0), 1.0e-12_wp, 'rate of the northernmost column')
    call near(rates(3, 10), wanted(2), 1.0e-12_wp, 'less of it two columns away')
    call near(rates(3, 2), wanted(1), 1.0e-12_wp, 'the nearer side counts')
    call check(.not. rates(5, 10) > 0.0_wp .and. .not. rates(6, 16) > 0.0_wp, 'none inside', &
      rates(5, 10))
    g%periodic_x = .true.
    call side_rates(g, c, rates)
    call check(.not. rates(1, 10) > 0.0_wp .and. rates(1, 2) > 0.0_wp, 'none at a periodic side', &
      rates(1, 10))
    g%periodic_y = .true.
    g%periodic_x = .false.
    call side_rates(g, c, rates)
    call check(.not. rates(6, 1) > 0.0_wp .and. rates(2, 1) > 0.0_wp, 'nor at the other', &
      rates(6, 1))
  end subroutine sides

  !> The sponge grows from its bottom to the top.
  subroutine top()
    type(config_t) :: c
    real(wp), allocatable :: rates(:)
    integer :: k
    call make_grid(g, 1, .false., even=.true.)
    c%sponge_depth = g%top/3.0_wp
    c%sponge_rate = 0.2_wp
    call sponge_rates(g, c, rates)
    do k = 1, g%nz
      if (g%zf(k) > 0.6667_wp*g%top) then
        call near(rates(k), 0.2_wp*sin(0.5_wp*pi*(3.0_wp*g%zf(k)/g%top - 2.0_wp))**2, 1.0e-9_wp, &
          'rate of the sponge')
      else
        call check(rates(k) < 1.0e-20_wp, 'no sponge', rates(k))
      end if
    end do
    c%sponge_depth = 0.0_wp
    call sponge_rates(g, c, rates)
    call check(.not. any(rates > 0.0_wp), 'no sponge without a depth', maxval(rates))
  end subroutine top

  !> Each component of the wind, and each kind of number that is not finite.
  subroutine courant()
    real(wp), parameter :: none(2) = 0.0_wp, rdz(2) = [0.1_wp, 0.2_wp]
    real(wp) :: worst(4)
    integer :: part
    worst = 0.0_wp
    call column_extremes(2, 0.5_wp, 0.25_wp, 3.0_wp, rdz, [4.0_wp, -8.0_wp], none, none, none, &
      [1.0_wp, 1.0_wp], none, none, worst)
    call check(all(abs(worst - [4.0_wp, 0.0_wp, 0.0_wp, 0.0_wp]) <= 0.0_wp), 'Courant number of &
      &u', worst(1))
    worst = 0.0_wp
    call column_extremes(2, 0.5_wp, 0.25_wp, 3.0_wp, rdz, none, [4.0_wp, -8.0_wp], none, none, &
      [1.0_wp, 1.0_wp], none, none, worst)
    call check(all(abs(worst - [2.0_wp, 0.0_wp, 0.0_wp, 0.0_wp]) <= 0.0_wp), 'Courant number of &
      &v', worst(1))
    worst = 0.0_wp
    call column_extremes(2, 0.5_wp, 0.25_wp, 3.0_wp, rdz, [4.0_wp, -8.0_wp], [-8.0_wp, 2.0_wp], &
      [1.0_wp, -2.0_wp], [6.0_wp, -5.0_wp], [1.0_wp, 0.5_wp], [0.2_wp, 0.3_wp], none, worst)
    call near(worst(1), 4.5_wp, 1.0e-14_wp, 'Courant number of both')
    call near(worst(2), 3.0_wp*0.2_wp*5.0_wp/0.8_wp, 1.0e-14_wp, 'along z')
    call near(worst(3), 2.0_wp, 1.0e-14_wp, 'fastest w')
    worst = [9.0_wp, 9.0_wp, 9.0_wp, 0.0_wp]
    call column_extremes(2, 0.5_wp, 0.25_wp, 3.0_wp, rdz, none, none, none, none, [1.0_wp, &
      1.0_wp], none, none, worst)
    call check(all(abs(worst - [9.0_wp, 9.0_wp, 9.0_wp, 0.0_wp]) <= 0.0_wp), 'only ever grows', &
      worst(1))
    do part = 1, 6
      worst = 0.0_wp
      call column_extremes(2, 0.5_wp, 0.25_wp, 3.0_wp, rdz, spoilt(1, part), spoilt(2, part), &
        spoilt(3, part), spoilt(4, part), [1.0_wp, 1.0_wp], spoilt(5, part), spoilt(6, part), worst)
      call near(worst(4), 1.0_wp, 1.0e-14_wp, 'a number that is not finite is seen')
    end do
  end subroutine courant

  !> Nothing, or for n = part a number that is not finite above nothing.
  function spoilt(n, part) result(values)
    integer, intent(in) :: n, part
    real(wp) :: values(2)
    values = 0.0_wp
    if (n == part) values(2) = ieee_value(0.0_wp, ieee_quiet_nan)
    if (n == 4 .and. part == 5) values = 1.0_wp     ! for the density to divide
  end function spoilt

  !> The ground feels the speed of the wind above it, from wherever it blows: u and v lie at faces.
  subroutine ground()
    real(wp), parameter :: winds(2, 2, 4) = reshape([3.0_wp, 7.0_wp, 0.0_wp, 0.0_wp, 0.0_wp, &
      0.0_wp, 3.0_wp, 7.0_wp, 2.0_wp, 4.0_wp, 3.0_wp, 5.0_wp, -5.0_wp, -1.0_wp, 1.0_wp, 7.0_wp], &
      [2, 2, 4])
    type(physics_t) :: p
    real(wp) :: felt(3, 4)
    integer :: n
    do n = 1, 4
      call make_grid(g, 1, .false.)
      s = state_t()
      call pointed(wave_t(size=0.0_wp), places(:, 1), s%u)
      call pointed(wave_t(size=0.0_wp), places(:, 2), s%v)
      call pointed(wave_t(mean=290.0_wp, size=0.0_wp), places(:, 4), s%theta)
      call pointed(wave_t(size=0.0_wp), places(:, 4), s%pp)
      call pointed(wave_t(size=0.0_wp), places(:, 4), s%rho)
      call pointed(wave_t(size=0.0_wp), places(:, 4), s%mixing%z)
      call made(wave_t(mean=9.0e4_wp, size=0.0_wp), places(:, 4), s%p_base)
      s%u(1, 3:4, 2) = winds(:, 1, n)              ! west and east, south and north of one column
      s%v(1, 3, 2:3) = winds(:, 2, n)
      s%ground%heat = g%jac
      s%ground%vapour = g%jac
      s%ground%theta = g%jac
      s%ground%content = g%jac
      s%ground%stress = g%jac
      s%ground%wind_10m = g%jac
      s%ground%temperature_2m = g%jac
      s%ground%temperature = g%jac
      s%ground%temperature(:, :) = 300.0_wp
      p%surface%on = .true.
      p%surface%temperature = g%jac                ! keeps the bounds; then the values
      p%surface%wetness = g%jac
      p%surface%roughness = g%jac
      p%surface%temperature(:, :) = 300.0_wp
      p%surface%wetness(:, :) = 0.0_wp
      p%surface%roughness(:, :) = 0.1_wp
      call refresh_ground(p, g, s)
      felt(:, n) = [s%ground%wind_10m(3, 2), s%ground%stress(3, 2), s%ground%heat(3, 2)]
      deallocate (s%u, s%v, s%theta, s%pp, s%rho, s%mixing%z)
    end do
    call check(felt(1, 1) > 1.0_wp .and. felt(1, 1) < 5.0_wp, 'wind of 5 m/s at 10 m', felt(1, 1))
    do n = 2, 4
      call check(all(abs(felt(:, n) - felt(:, 1)) < 1.0e-12_wp*abs(felt(:, 1))), &
        'the same from another direction', felt(1, n))
    end do
  end subroutine ground
end program tendencies_test
