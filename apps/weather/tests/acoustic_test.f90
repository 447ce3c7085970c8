! SPDX-License-Identifier: BSD-3-Clause
! An acoustic step: what the winds gain, against pressure gradients over a hill; and each equation
! of a column, put in once more with the values at its end, which the solver of the implicit system
! has never seen in this form. Coefficients, spacings and fields are all different.
program acoustic_test
  use checks, only: check, near, finish, seed_with, uniform
  use manufactured, only: wave_t, value, gradient, make_grid, place, above_sea, fill, make_field, &
    converges
  use weather_constants, only: wp, gravity
  use weather_grid, only: grid_t, box_t
  use weather_acoustic, only: acoustic_wind, acoustic_factor, acoustic_column, add_flux
  implicit none (type, external)

  real(wp), parameter :: beta = 0.7_wp, forward = 0.1_wp, mean = 0.25_wp
  type :: fields_t
    real(wp), allocatable, dimension(:, :, :) :: theta, stiff, lower, upper, pivot, du, dv, t_w, &
      t_rho, t_th, dw, dom, drho, dth, pd, om_mean
  end type fields_t
  type(grid_t) :: g
  type(fields_t) :: old, new
  real(wp), allocatable :: sponge(:)
  real(wp) :: dtau
  integer :: n

  call seed_with(20071105)
  call winds(.false.)
  call winds(.true.)
  dtau = 2.0_wp
  call column(.false., box_t(1, 7, 1, 5))
  call column(.true., box_t(2, 6, 3, 3))
  dtau = 40.0_wp                       ! far beyond what an explicit step along z could do
  call column(.true., box_t(1, 7, 1, 5))
  call column(.true., box_t(4, 4, 2, 2))
  call sums()
  call finish()

contains

  !> flux += dtau (tend - jac dp/dx), and along y.
  subroutine winds(hilly)
    logical, intent(in) :: hilly
    type(wave_t), parameter :: p_wave = wave_t(mean=7.0_wp, size=100.0_wp)
    real(wp), parameter :: span = 4.0_wp, driven = 0.02_wp
    real(wp), allocatable, dimension(:, :, :) :: p, tend, u, v
    real(wp) :: errors(2, 2)
    integer :: m
    do m = 1, 2
      call make_grid(g, m, hilly)
      call make_field(g, p)
      call make_field(g, tend)
      call make_field(g, u)
      call make_field(g, v)
      tend = driven
      u = 3.0_wp
      v = 3.0_wp
      if (hilly) then
        call fill(g, p_wave, [0, 0, 0], p, lifted=.true.)
      else
        call fill(g, p_wave, [0, 0, 0], p)
      end if
      call acoustic_wind(g%shape, g%own, 1, 0, span, 1.0_wp/g%dx, g%flat, g%fall_c, g%slope, &
        g%jac_u, g%sx, p, tend, u)
      call acoustic_wind(g%shape, g%own, 0, 1, span, 1.0_wp/g%dy, g%flat, g%fall_c, g%slope, &
        g%jac_v, g%sy, p, tend, v)
      errors(m, 1) = error_of(1, hilly, p_wave, (u - 3.0_wp)/span - driven)
      errors(m, 2) = error_of(2, hilly, p_wave, (v - 3.0_wp)/span - driven)
    end do
    call converges(errors(:, 1), 2, 'wind along x')
    call converges(errors(:, 2), 2, 'wind along y')
  end subroutine winds

  real(wp) function error_of(d, hilly, w, gained)
    integer, intent(in) :: d
    logical, intent(in) :: hilly
    type(wave_t), intent(in) :: w
    real(wp), intent(in) :: gained(g%nz, g%shape%il:g%shape%ih, g%shape%jl:g%shape%jh)
    real(wp) :: slopes(3), x(3), wanted, largest
    integer :: at(3), i, j, k
    at = 0
    at(d) = 1
    error_of = 0.0_wp
    largest = 0.0_wp
    do j = 1, g%ny
      do i = 1, g%nx
        do k = 1, g%nz
          x = place(g, k, i, j, at)
          if (hilly) x = above_sea(x)
          slopes = gradient(w, x)
          wanted = -merge(g%jac_u(i, j), g%jac_v(i, j), d == 1)*slopes(d)
          largest = max(largest, abs(wanted))
          error_of = max(error_of, abs(gained(k, i, j) - wanted))
        end do
      end do
    end do
    error_of = error_of/largest
  end function error_of

  !> The step of all columns of a box; those outside it stay as they were.
  subroutine column(hilly, box)
    logical, intent(in) :: hilly
    type(box_t), intent(in) :: box
    integer :: i, j, k
    call make_grid(g, 1, hilly, ghosts=1)
    n = g%nz
    sponge = [(0.01_wp*k/dtau, k=1, n)]
    call random_field(old%theta, 290.0_wp, 310.0_wp)
    call random_field(old%stiff, 380.0_wp, 420.0_wp)
    call random_field(old%lower, 0.0_wp, 1.0_wp)
    call random_field(old%upper, 0.0_wp, 1.0_wp)
    call random_field(old%pivot, 0.0_wp, 1.0_wp)
    call random_field(old%du, -9.0_wp, 9.0_wp)
    call random_field(old%dv, -9.0_wp, 9.0_wp)
    call random_field(old%t_w, -1.0_wp, 1.0_wp)
    call random_field(old%t_rho, -1.0e-3_wp, 1.0e-3_wp)
    call random_field(old%t_th, -0.3_wp, 0.3_wp)
    call random_field(old%dw, -1.0_wp, 1.0_wp)
    call random_field(old%dom, -1.0_wp, 1.0_wp)
    call random_field(old%drho, -0.01_wp, 0.01_wp)
    call random_field(old%dth, -3.0_wp, 3.0_wp)
    call random_field(old%pd, -3.0_wp, 3.0_wp)
    call random_field(old%om_mean, -3.0_wp, 3.0_wp)
    old%dom(1, :, :) = 0.0_wp
    new = old
    call acoustic_factor(g%shape, box, dtau, beta, g%rdz, g%rdzf, g%fzm, g%fzp, sponge, g%jac, &
      new%theta, new%stiff, new%lower, new%upper, new%pivot)
    call acoustic_column(g%shape, box, dtau, beta, forward, g%flat, mean, 1.0_wp/g%dx, &
      1.0_wp/g%dy, g%rdz, g%rdzf, g%fzm, g%fzp, g%fall_f, sponge, g%jac, g%sx, g%sy, new%theta, &
      new%stiff, new%lower, new%upper, new%pivot, new%du, new%dv, new%t_w, new%t_rho, new%t_th, &
      new%dw, new%dom, new%drho, new%dth, new%pd, new%om_mean)
    call equations(box)
    do j = g%shape%jl, g%shape%jh
      do i = g%shape%il, g%shape%ih
        if (i >= box%i1 .and. i <= box%i2 .and. j >= box%j1 .and. j <= box%j2) cycle
        if (all(abs(new%dw(:, i, j) - old%dw(:, i, j)) <= 0.0_wp) .and. all(abs(new%drho(:, i, j) &
          - old%drho(:, i, j)) <= 0.0_wp) .and. all(abs(new%pd(:, i, j) - old%pd(:, i, j)) &
          <= 0.0_wp)) cycle
        call check(.false., 'another column is touched', real(i, wp))
      end do
    end do
  end subroutine column

  subroutine random_field(field, low, high)
    real(wp), allocatable, intent(out) :: field(:, :, :)
    real(wp), intent(in) :: low, high
    integer :: i, j, k
    call make_field(g, field)
    do j = g%shape%jl, g%shape%jh
      do i = g%shape%il, g%shape%ih
        do k = 1, g%nz
          field(k, i, j) = low + (high - low)*uniform()
        end do
      end do
    end do
  end subroutine random_field

  !> What each equation of the columns of a box leaves, as a share of its largest term.
  subroutine equations(box)
    type(box_t), intent(in) :: box
    real(wp) :: left(6), om(n + 1), rho(n), p(n)
    integer :: i, j
    left = 0.0_wp
    do j = box%j1, box%j2
      do i = box%i1, box%i2
        om = 0.0_wp
        om(2:n) = beta*new%dom(2:, i, j) + (1.0_wp - beta)*old%dom(2:, i, j)
        rho = beta*new%drho(:, i, j) + (1.0_wp - beta)*old%drho(:, i, j)
        p = new%stiff(:, i, j)*(beta*new%dth(:, i, j) + (1.0_wp - beta)*old%dth(:, i, j))
        left(1) = max(left(1), mass_left(i, j, om))
        left(2) = max(left(2), heat_left(i, j, om))
        left(3) = max(left(3), lift_left(i, j, rho, p))
        left(4) = max(left(4), levels_left(i, j))
        left(5) = max(left(5), maxval(abs(new%pd(:, i, j) - new%stiff(:, i, j)*(new%dth(:, i, j) &
          + forward*(new%dth(:, i, j) - old%dth(:, i, j)))))/maxval(abs(p)))
        left(6) = max(left(6), maxval(abs(new%om_mean(:, i, j) - old%om_mean(:, i, j) &
          - mean*om(:n))))
      end do
    end do
    call check(left(1) < 1.0e-11_wp, 'mass: what the fluxes bring', left(1))
    call check(left(2) < 1.0e-11_wp, 'rho theta: what the fluxes bring', left(2))
    call check(left(3) < 1.0e-11_wp, 'w: pressure, weight and sponge', left(3))
    call check(left(4) < 1.0e-11_wp, 'w: through the levels and along them', left(4))
    call check(left(5) < 1.0e-11_wp, 'pressure, ahead in time', left(5))
    call check(left(6) < 1.0e-11_wp, 'the mean flux through the levels', left(6))
  end subroutine equations

  real(wp) function mass_left(i, j, om)
    integer, intent(in) :: i, j
    real(wp), intent(in) :: om(n + 1)
    real(wp) :: rate
    integer :: k
    mass_left = 0.0_wp
    do k = 1, n
      rate = (new%drho(k, i, j) - old%drho(k, i, j))/dtau - old%t_rho(k, i, j)
      mass_left = max(mass_left, abs(rate + (old%du(k, i + 1, j) - old%du(k, i, j))/g%dx &
        + (old%dv(k, i, j + 1) - old%dv(k, i, j))/g%dy + (om(k + 1) - om(k))*g%rdz(k))*1.0e2_wp)
    end do
  end function mass_left

  real(wp) function heat_left(i, j, om)
    integer, intent(in) :: i, j
    real(wp), intent(in) :: om(n + 1)
    real(wp) :: rate, west, east, south, north, up(n + 1)
    integer :: k
    heat_left = 0.0_wp
    up = 0.0_wp
    associate (th => old%theta)
      do k = 2, n
        up(k) = om(k)*(g%fzm(k)*th(k, i, j) + g%fzp(k)*th(k - 1, i, j))
      end do
      do k = 1, n
        west = 0.5_wp*(th(k, i - 1, j) + th(k, i, j))*old%du(k, i, j)
        east = 0.5_wp*(th(k, i, j) + th(k, i + 1, j))*old%du(k, i + 1, j)
        south = 0.5_wp*(th(k, i, j - 1) + th(k, i, j))*old%dv(k, i, j)
        north = 0.5_wp*(th(k, i, j) + th(k, i, j + 1))*old%dv(k, i, j + 1)
        rate = (new%dth(k, i, j) - old%dth(k, i, j))/dtau - old%t_th(k, i, j)
        heat_left = max(heat_left, abs(rate + (east - west)/g%dx + (north - south)/g%dy &
          + (up(k + 1) - up(k))*g%rdz(k)))
      end do
    end associate
  end function heat_left

  real(wp) function lift_left(i, j, rho, p)
    integer, intent(in) :: i, j
    real(wp), intent(in) :: rho(n), p(n)
    real(wp) :: rate, largest
    integer :: k
    lift_left = 0.0_wp
    largest = 0.0_wp
    do k = 2, n
      rate = (new%dw(k, i, j) - old%dw(k, i, j))/dtau - old%t_w(k, i, j) + sponge(k)*new%dw(k, i, j)
      largest = max(largest, abs(rate))
      lift_left = max(lift_left, abs(rate + (p(k) - p(k - 1))*g%rdzf(k) + gravity*(g%fzm(k)*rho(k) &
        + g%fzp(k)*rho(k - 1))))
    end do
    lift_left = lift_left/largest
  end function lift_left

  !> dw = jac dom + (dz/dx du + dz/dy dv along the levels).
  real(wp) function levels_left(i, j)
    integer, intent(in) :: i, j
    real(wp) :: along, at_face(4)
    integer :: k, below
    levels_left = 0.0_wp
    do k = 1, n
      below = max(k - 1, 1)
      at_face(1) = g%fzm(k)*old%du(k, i, j) + g%fzp(k)*old%du(below, i, j)
      at_face(2) = g%fzm(k)*old%du(k, i + 1, j) + g%fzp(k)*old%du(below, i + 1, j)
      at_face(3) = g%fzm(k)*old%dv(k, i, j) + g%fzp(k)*old%dv(below, i, j)
      at_face(4) = g%fzm(k)*old%dv(k, i, j + 1) + g%fzp(k)*old%dv(below, i, j + 1)
      along = 0.5_wp*(1.0_wp - g%zf(k)/g%top)*(g%sx(i, j)*at_face(1) + g%sx(i + 1, j)*at_face(2) &
        + g%sy(i, j)*at_face(3) + g%sy(i, j + 1)*at_face(4))
      levels_left = max(levels_left, abs(new%dw(k, i, j) - g%jac(i, j)*new%dom(k, i, j) - along))
    end do
    levels_left = max(levels_left, abs(new%dom(1, i, j)))
  end function levels_left

  subroutine sums()
    real(wp), allocatable, dimension(:, :, :) :: flux, total
    call make_grid(g, 1, .false., ghosts=1)
    call random_field(flux, 1.0_wp, 2.0_wp)
    call random_field(total, 3.0_wp, 3.0_wp)
    call add_flux(g%shape, box_t(1, 2, 1, 1), 0.25_wp, flux, total)
    call near(total(3, 2, 1), 3.0_wp + 0.25_wp*flux(3, 2, 1), 1.0e-14_wp, 'a share of the flux')
    call near(total(3, 3, 1), 3.0_wp, 1.0e-14_wp, 'in the box alone')
  end subroutine sums
end program acoustic_test
