! SPDX-License-Identifier: BSD-3-Clause
! The reference state, idealised starts, and the hydrostatic balance that every start goes through.
module weather_initial
  use weather_constants, only: wp, pi, gravity, cp_dry, r_dry, kappa, p_reference
  use weather_config, only: config_t
  use weather_grid, only: grid_t
  use weather_state, only: state_t, vapour
  use weather_slopes, only: slope_flux
  use weather_cloudy_air, only: cloudy_t, make_cloudy, cloudy_at, moist_bubble_start
  use weather_soundings, only: sounding_t, make_sounding, sounding_at, supercell_start
  use weather_thermo, only: density, exner
  implicit none (type, external)
  private
  public :: make_reference, idealised_start, balance_column, couple_winds, keep_sides

contains

  !> Reference theta and pressure at height z: constant Brunt-Vaisala frequency; for real data the
  !> standard atmosphere (6.5 K/km to 11 km, isothermal above); for the moist cases
  !> their own air.
  pure subroutine reference_at(c, air, cloudy, z, theta, p)
    type(config_t), intent(in) :: c
    type(sounding_t), intent(in) :: air
    type(cloudy_t), intent(in) :: cloudy
    real(wp), intent(in) :: z
    real(wp), intent(out) :: theta, p
    real(wp), parameter :: t0 = 288.15_wp, lapse = 6.5e-3_wp, tropopause = 11000.0_wp
    real(wp), parameter :: p_sea = 101325.0_wp, t1 = t0 - lapse*tropopause
    real(wp) :: t, qv

    if (c%case == 'analysis') then
      t = t0 - lapse*min(z, tropopause)
      p = p_sea*(t/t0)**(gravity/(r_dry*lapse))
      if (z > tropopause) p = p*exp(-gravity*(z - tropopause)/(r_dry*t1))
      theta = t/exner(p)
    else if (c%case == 'supercell') then
      call sounding_at(air, z, theta, p, qv)
    else if (c%case == 'moist_bubble') then
      call cloudy_at(cloudy, z, theta, p, qv)
    else
      call stratified(c%ts, c%brunt, z, theta, p)
    end if
  end subroutine reference_at

  !> theta and pressure of an atmosphere of constant Brunt-Vaisala frequency; 1000 hPa at z = 0.
  pure subroutine stratified(surface, brunt, z, theta, p)
    real(wp), intent(in) :: surface, brunt, z
    real(wp), intent(out) :: theta, p
    real(wp) :: s, ex

    s = brunt**2/gravity
    theta = surface*exp(s*z)
    if (s > 0.0_wp) then
      ex = 1.0_wp + gravity/(cp_dry*s*surface)*(exp(-s*z) - 1.0_wp)
    else
      ex = 1.0_wp - gravity*z/(cp_dry*surface)
    end if
    p = p_reference*ex**(1.0_wp/kappa)
  end subroutine stratified

  !> Fills the reference fields, ghosts included.
  subroutine make_reference(g, c, s)
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    type(state_t), intent(inout) :: s
    type(sounding_t) :: air
    type(cloudy_t) :: cloudy
    real(wp) :: theta, p
    integer :: i, j, k

    if (c%case == 'supercell') call make_sounding(air, g%top)
    if (c%case == 'moist_bubble') call make_cloudy(cloudy, g%top)
    do j = g%shape%jl, g%shape%jh
      do i = g%shape%il, g%shape%ih
        do k = 1, g%nz
          call reference_at(c, air, cloudy, g%height(k, i, j), theta, p)
          s%theta_base(k, i, j) = theta
          s%p_base(k, i, j) = p
          s%rho_base(k, i, j) = g%jac(i, j)*density(p, theta)
          s%rth_base(k, i, j) = s%rho_base(k, i, j)*theta
        end do
      end do
    end do
  end subroutine make_reference

  !> Start of the idealised cases, ghosts included.
  subroutine idealised_start(g, c, s)
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    type(state_t), intent(inout) :: s
    real(wp) :: theta(g%nz), p(g%nz), z
    integer :: i, j, k

    if (c%case == 'supercell') then
      call supercell_start(g, c, s)
      return
    else if (c%case == 'moist_bubble') then
      call moist_bubble_start(g, c, s)
      return
    end if
    do j = g%shape%jl, g%shape%jh
      do i = g%shape%il, g%shape%ih
        theta = s%theta_base(:, i, j)
        p = s%p_base(:, i, j)
        if (c%brunt_start >= 0.0_wp) then
          do k = g%nz, 1, -1
            call stratified(c%ts, c%brunt_start, g%height(k, i, j), theta(k), p(k))
          end do
          call balance_column(g, s, i, j, 1, theta, p)
        end if
        do k = 1, g%nz
          z = g%height(k, i, j)
          theta(k) = theta(k) + departure(c, g%x_of(i), z, p(k), g%top)
          s%rho(k, i, j) = g%jac(i, j)*density(p(k), theta(k)) - s%rho_base(k, i, j)
          if (theta(k) <= s%theta_base(k, i, j) .and. theta(k) >= s%theta_base(k, i, j) .and. &
            c%brunt_start < 0.0_wp) s%rho(k, i, j) = 0.0_wp
          s%rth(k, i, j) = (s%rho_base(k, i, j) + s%rho(k, i, j))*theta(k)
          if (s%tracers >= vapour) s%tracer(vapour)%q(k, i, j) = merge(c%tracer_blob, 0.0_wp, &
            abs(g%x_of(i)) < 0.125_wp*g%nx*g%dx .and. z < 0.5_wp*g%top)
        end do
        s%u(:, i, j) = c%us
        s%v(:, i, j) = merge(0.0_wp, c%vs, g%shape%two_d)
      end do
    end do
  end subroutine idealised_start

  !> Departure of theta from the reference at distance x from the middle and height z, below a
  !> model top at `top` [K].
  pure real(wp) function departure(c, x, z, p, top)
    type(config_t), intent(in) :: c
    real(wp), intent(in) :: x, z, p, top
    real(wp) :: l

    departure = 0.0_wp
    select case (c%case)
    case ('straka')      ! Straka et al. 1993: a departure of temperature
      l = sqrt((x/4000.0_wp)**2 + ((z - 3000.0_wp)/2000.0_wp)**2)
      if (l <= 1.0_wp) departure = -7.5_wp*(1.0_wp + cos(pi*l))/exner(p)
    case ('bubble')      ! Bryan and Fritsch 2002, dry
      l = sqrt((x/2000.0_wp)**2 + ((z - 2000.0_wp)/2000.0_wp)**2)
      if (l <= 1.0_wp) departure = c%bubble_theta*cos(0.5_wp*pi*l)**2
    case ('gravity_wave')  ! Baldauf and Brdar 2013, of temperature, in isothermal air of ts kelvin
      departure = 0.01_wp*exp(0.5_wp*gravity/(r_dry*c%ts)*z - (x/5000.0_wp)**2) &
        *sin(pi*z/top)/exner(p)
    end select
  end function departure

  !> Changes p(:) to the pressure that balances theta(:) in the model's own discrete sense, keeping
  !> it at level k_fixed. Fixed-point iteration: each pass gains more than one digit.
  subroutine balance_column(g, s, i, j, k_fixed, theta, p)
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    integer, intent(in) :: i, j, k_fixed
    real(wp), intent(in) :: theta(g%nz)
    real(wp), intent(inout) :: p(g%nz)
    real(wp), parameter :: tolerance = 1.0e-15_wp
    real(wp) :: here, there
    integer :: k, pass

    do k = k_fixed + 1, g%nz
      there = excess(k - 1)
      do pass = 1, 25
        here = excess(k)
        p(k) = s%p_base(k, i, j) + (p(k - 1) - s%p_base(k - 1, i, j)) &
          - gravity*(g%fzm(k)*here + g%fzp(k)*there)/g%rdzf(k)
        if (abs(excess(k) - here) <= tolerance*s%rho_base(k, i, j)) exit
      end do
    end do
    do k = k_fixed - 1, 1, -1
      there = excess(k + 1)
      do pass = 1, 25
        here = excess(k)
        p(k) = s%p_base(k, i, j) + (p(k + 1) - s%p_base(k + 1, i, j)) &
          + gravity*(g%fzm(k + 1)*there + g%fzp(k + 1)*here)/g%rdzf(k + 1)
        if (abs(excess(k) - here) <= tolerance*s%rho_base(k, i, j)) exit
      end do
    end do
  contains
    real(wp) function excess(level)
      integer, intent(in) :: level
      excess = g%jac(i, j)*density(p(level), theta(level)) - s%rho_base(level, i, j)
    end function excess
  end subroutine balance_column

  !> Mass fluxes from u, v (at faces, ghosts included) and density; the flow follows the terrain.
  subroutine couple_winds(g, s)
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    real(wp) :: along(g%nz)
    integer :: i, j, n

    associate (b => g%shape)
      do j = b%jl, b%jh
        do i = b%il + 1, b%ih
          s%ru(:, i, j) = s%u(:, i, j)*0.5_wp*((s%rho_base(:, i - 1, j) + s%rho(:, i - 1, j)) &
            + (s%rho_base(:, i, j) + s%rho(:, i, j)))
        end do
      end do
      do j = b%jl + 1, b%jh
        do i = b%il, b%ih
          s%rv(:, i, j) = s%v(:, i, j)*0.5_wp*((s%rho_base(:, i, j - 1) + s%rho(:, i, j - 1)) &
            + (s%rho_base(:, i, j) + s%rho(:, i, j)))
        end do
      end do
      do n = 1, s%tracers
        s%tracer(n)%r = s%tracer(n)%q*(s%rho_base + s%rho)
      end do
      do j = g%own%j1, g%own%j2
        do i = g%own%i1, g%own%i2
          along = 0.0_wp
          call slope_flux(g%nz, g%fzm, g%fzp, g%fall_f, g%sx(i, j), g%sx(i + 1, j), s%ru(:, i, j), &
            s%ru(:, i + 1, j), along)
          if (.not. b%two_d) call slope_flux(g%nz, g%fzm, g%fzp, g%fall_f, g%sy(i, j), &
            g%sy(i, j + 1), s%rv(:, i, j), s%rv(:, i, j + 1), along)
          s%rw(:, i, j) = along
        end do
      end do
    end associate
  end subroutine couple_winds

  !> What the sides are relaxed to: the start.
  subroutine keep_sides(s)
    type(state_t), intent(inout) :: s
    integer :: n
    s%ru_side = s%ru
    s%rv_side = s%rv
    s%rho_side = s%rho
    s%rth_side = s%rth
    s%theta = s%rth/(s%rho_base + s%rho)
    do n = 1, s%tracers
      s%tracer(n)%side = s%tracer(n)%r
      s%tracer(n)%out = 1.0_wp
    end do
  end subroutine keep_sides
end module weather_initial
