! SPDX-License-Identifier: BSD-3-Clause
! Kernels of the acoustic steps: forward-backward in the horizontal, implicit along each column.
! Departures du, dv, dw, dom, drho, dth from the latest Runge-Kutta state obey equations linearised
! about that state (Klemp, Skamarock, Dudhia 2007), with pressure departure stiff*dth,
! stiff = dp/d(rth):
!   du/dt   = t_u   - jac dp/dx + metric
!   drho/dt = t_rho - div(du, dv, dom),    dth/dt = t_th - div(theta (du, dv, dom))
!   dw/dt   = t_w   - dp/dzeta - g drho - sponge (w + dw),    dw = jac dom + slopes . (du, dv)
module weather_acoustic
  use weather_constants, only: wp, gravity
  use weather_grid, only: shape_t, box_t
  use weather_slopes, only: metric_gradient, slope_flux
  implicit none (type, external)
  private
  public :: acoustic_wind, acoustic_factor, acoustic_column, add_flux

  integer, parameter :: simd_lanes = 4      !! columns whose tridiagonal systems are solved at once

contains

  !> The mass flux at u faces (di = 1, dj = 0) or v faces (di = 0, dj = 1) gains
  !> dtau (tend - pressure gradient). rdx, jac and steep are those of the faces; `fall` = 1 - zeta/H
  !> at levels; `slope`: see weather_grid.
  subroutine acoustic_wind(b, r, di, dj, dtau, rdx, flat, fall, slope, jac, steep, pd, tend, flux)
    type(shape_t), intent(in) :: b
    type(box_t), intent(in) :: r
    integer, intent(in) :: di, dj
    real(wp), intent(in) :: dtau, rdx, fall(b%nz), slope(3, b%nz)
    logical, intent(in) :: flat
    real(wp), dimension(b%il:b%ih, b%jl:b%jh), intent(in) :: jac, steep
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: pd, tend
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: flux
    real(wp) :: metric(b%nz)
    integer :: i, j

    do j = r%j1, r%j2
      do i = r%i1, r%i2
        if (flat) then
          call push(b%nz, dtau, rdx, pd(1, i - di, j - dj), pd(1, i, j), tend(1, i, j), &
            flux(1, i, j))
        else
          call metric_gradient(b%nz, steep(i, j), fall, slope, pd(1, i - di, j - dj), pd(1, i, j), &
            metric)
          call push_metric(b%nz, dtau, rdx*jac(i, j), pd(1, i - di, j - dj), pd(1, i, j), metric, &
            tend(1, i, j), flux(1, i, j))
        end if
      end do
    end do
  end subroutine acoustic_wind

  pure subroutine push(n, dtau, rdx, low, high, tend, flux)
    integer, intent(in) :: n
    real(wp), intent(in) :: dtau, rdx, low(n), high(n), tend(n)
    real(wp), intent(inout) :: flux(n)
    integer :: k
    do k = 1, n
      flux(k) = flux(k) + dtau*(tend(k) - rdx*(high(k) - low(k)))
    end do
  end subroutine push

  pure subroutine push_metric(n, dtau, rdx, low, high, metric, tend, flux)
    integer, intent(in) :: n
    real(wp), intent(in) :: dtau, rdx, low(n), high(n), metric(n), tend(n)
    real(wp), intent(inout) :: flux(n)
    integer :: k
    do k = 1, n
      flux(k) = flux(k) + dtau*((tend(k) - rdx*(high(k) - low(k))) + metric(k))
    end do
  end subroutine push_metric

  !> LU factors of the column's tridiagonal matrix for dom(2:nz), for one dtau and one state.
  subroutine acoustic_factor(b, r, dtau, beta, rdz, rdzf, fzm, fzp, sponge, jac, theta, stiff, &
      lower, upper, pivot)
    type(shape_t), intent(in) :: b
    type(box_t), intent(in) :: r
    real(wp), intent(in) :: dtau, beta
    real(wp), intent(in) :: rdz(b%nz), rdzf(b%nz + 1), fzm(b%nz), fzp(b%nz), sponge(b%nz)
    real(wp), intent(in) :: jac(b%il:b%ih, b%jl:b%jh)
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: theta, stiff
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: lower, upper, pivot
    real(wp), dimension(b%nz, simd_lanes) :: diagonal, below, above
    real(wp) :: th(b%nz + 1), cr(b%nz), b2, before(simd_lanes), inverse
    integer :: n, i, j, k, c, first, active, at(2, simd_lanes)

    n = b%nz
    b2 = (dtau*beta)**2
    th(1) = 0.0_wp
    th(n + 1) = 0.0_wp
    do first = 1, columns_of(r), simd_lanes
      call next_columns(r, first, active, at)
      do c = 1, active
        i = at(1, c)
        j = at(2, c)
        do k = 2, n
          th(k) = fzm(k)*theta(k, i, j) + fzp(k)*theta(k - 1, i, j)
        end do
        do k = 1, n
          cr(k) = stiff(k, i, j)*rdz(k)
        end do
        do k = 2, n
          below(k, c) = b2*(gravity*fzp(k)*rdz(k - 1) - rdzf(k)*cr(k - 1)*th(k - 1))
          above(k, c) = -b2*(gravity*fzm(k)*rdz(k) + rdzf(k)*cr(k)*th(k + 1))
          diagonal(k, c) = jac(i, j)*(1.0_wp + dtau*sponge(k)) + b2*(rdzf(k)*th(k)*(cr(k) &
            + cr(k - 1)) + gravity*(fzm(k)*rdz(k) - fzp(k)*rdz(k - 1)))
        end do
        upper(1, i, j) = 0.0_wp
      end do
      before = 0.0_wp
      do k = 2, n                          ! see solve_columns
        do c = 1, active
          i = at(1, c)
          j = at(2, c)
          inverse = 1.0_wp/(diagonal(k, c) - below(k, c)*before(c))
          before(c) = above(k, c)*inverse
          pivot(k, i, j) = inverse
          upper(k, i, j) = before(c)
          lower(k, i, j) = below(k, c)*inverse
        end do
      end do
    end do
  end subroutine acoustic_factor

  !> One acoustic step of density, theta, vertical mass flux and pressure of the columns in r.
  !> om_mean, where `mean` > 0, collects mean * (time-weighted dom) for the tracer.
  subroutine acoustic_column(b, r, dtau, beta, forward, flat, mean, rdx, rdy, rdz, rdzf, fzm, fzp, &
      fall_f, sponge, jac, sx, sy, theta, stiff, lower, upper, pivot, du, dv, t_w, t_rho, t_th, &
      dw, dom, drho, dth, pd, om_mean)
    type(shape_t), intent(in) :: b
    type(box_t), intent(in) :: r
    real(wp), intent(in) :: dtau, beta, forward, mean, rdx, rdy
    logical, intent(in) :: flat
    real(wp), intent(in) :: rdz(b%nz), rdzf(b%nz + 1), fzm(b%nz), fzp(b%nz), fall_f(b%nz + 1), &
      sponge(b%nz)
    real(wp), dimension(b%il:b%ih, b%jl:b%jh), intent(in) :: jac, sx, sy
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: theta, stiff, lower, upper, &
      pivot, du, dv, t_w, t_rho, t_th
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: dw, dom, drho, dth, pd, &
      om_mean
    real(wp), dimension(b%nz, simd_lanes) :: rs, ts, along, rhs
    real(wp), dimension(b%nz + 1, simd_lanes) :: th, old, new
    real(wp) :: rb(b%nz), pb(b%nz), fnew(b%nz + 1), rest, hx, hy, db
    integer :: n, i, j, k, c, first, active, at(2, simd_lanes)

    n = b%nz
    rest = 1.0_wp - beta
    hx = 0.5_wp*rdx
    hy = 0.5_wp*rdy
    db = dtau*beta
    th = 0.0_wp
    old = 0.0_wp
    new = 0.0_wp
    along = 0.0_wp
    rhs = 0.0_wp
    do first = 1, columns_of(r), simd_lanes
      call next_columns(r, first, active, at)
      do c = 1, active
        i = at(1, c)
        j = at(2, c)
        do k = 1, n
          rs(k, c) = t_rho(k, i, j) - rdx*(du(k, i + 1, j) - du(k, i, j))
          ts(k, c) = t_th(k, i, j) - hx*(du(k, i + 1, j)*(theta(k, i, j) + theta(k, i + 1, j)) &
            - du(k, i, j)*(theta(k, i - 1, j) + theta(k, i, j)))
        end do
        do k = 2, n
          old(k, c) = dom(k, i, j)
        end do
        if (.not. b%two_d) then
          do k = 1, n
            rs(k, c) = rs(k, c) - rdy*(dv(k, i, j + 1) - dv(k, i, j))
            ts(k, c) = ts(k, c) - hy*(dv(k, i, j + 1)*(theta(k, i, j) + theta(k, i, j + 1)) &
              - dv(k, i, j)*(theta(k, i, j - 1) + theta(k, i, j)))
          end do
        end if
        do k = 2, n
          th(k, c) = fzm(k)*theta(k, i, j) + fzp(k)*theta(k - 1, i, j)
        end do
        do k = 1, n
          rs(k, c) = drho(k, i, j) + dtau*(rs(k, c) - rest*rdz(k)*(old(k + 1, c) - old(k, c)))
          ts(k, c) = dth(k, i, j) + dtau*(ts(k, c) - rest*rdz(k)*(th(k + 1, c)*old(k + 1, c) &
            - th(k, c)*old(k, c)))
          rb(k) = beta*rs(k, c) + rest*drho(k, i, j)
          pb(k) = stiff(k, i, j)*(beta*ts(k, c) + rest*dth(k, i, j))
        end do
        if (.not. flat) then
          along(:, c) = 0.0_wp
          call slope_flux(n, fzm, fzp, fall_f, sx(i, j), sx(i + 1, j), du(1, i, j), &
            du(1, i + 1, j), along(1, c))
          if (.not. b%two_d) call slope_flux(n, fzm, fzp, fall_f, sy(i, j), sy(i, j + 1), &
            dv(1, i, j), dv(1, i, j + 1), along(1, c))
        end if
        do k = 2, n
          rhs(k, c) = (dw(k, i, j) + dtau*(t_w(k, i, j) - (rdzf(k)*(pb(k) - pb(k - 1)) &
            + gravity*(fzm(k)*rb(k) + fzp(k)*rb(k - 1)))) - (1.0_wp + dtau*sponge(k)) &
            *along(k, c))*pivot(k, i, j)
        end do
      end do
      call solve_columns(b, at, lower, upper, rhs, new)
      do c = 1, active
        i = at(1, c)
        j = at(2, c)
        do k = 1, n + 1
          fnew(k) = th(k, c)*new(k, c)
        end do
        do k = 1, n
          drho(k, i, j) = rs(k, c) - db*rdz(k)*(new(k + 1, c) - new(k, c))
          ts(k, c) = ts(k, c) - db*rdz(k)*(fnew(k + 1) - fnew(k))
          pd(k, i, j) = stiff(k, i, j)*(ts(k, c) + forward*(ts(k, c) - dth(k, i, j)))
          dth(k, i, j) = ts(k, c)
          dom(k, i, j) = new(k, c)
          dw(k, i, j) = jac(i, j)*new(k, c) + along(k, c)
        end do
        if (mean > 0.0_wp) then
          do k = 1, n
            om_mean(k, i, j) = om_mean(k, i, j) + mean*(beta*new(k, c) + rest*old(k, c))
          end do
        end if
      end do
    end do
  end subroutine acoustic_column

  !> Columns of a box.
  pure integer function columns_of(r)
    type(box_t), intent(in) :: r
    columns_of = max(r%i2 - r%i1 + 1, 0)*max(r%j2 - r%j1 + 1, 0)
  end function columns_of

  !> The places (i, j) of the columns of a box from number `first` on, row by row: as many as fit
  !> into the SIMD lanes; the others repeat the first one.
  pure subroutine next_columns(r, first, active, at)
    type(box_t), intent(in) :: r
    integer, intent(in) :: first
    integer, intent(out) :: active, at(2, simd_lanes)
    integer :: c, number, width

    width = r%i2 - r%i1 + 1
    active = min(simd_lanes, columns_of(r) - first + 1)
    do c = 1, simd_lanes
      number = first - 1
      if (c <= active) number = number + c - 1
      at(:, c) = [r%i1 + mod(number, width), r%j1 + number/width]
    end do
  end subroutine next_columns

  !> Substitutes forwards and backwards in several columns at once: each one's chain of operations
  !> waits for itself, so that the processor works on the others meanwhile.
  pure subroutine solve_columns(b, at, lower, upper, rhs, x)
    type(shape_t), intent(in) :: b
    integer, intent(in) :: at(2, simd_lanes)
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: lower, upper
    real(wp), intent(in) :: rhs(b%nz, simd_lanes)
    real(wp), intent(inout) :: x(b%nz + 1, simd_lanes)
    real(wp) :: x1, x2, x3, x4
    integer :: k

    x1 = 0.0_wp
    x2 = 0.0_wp
    x3 = 0.0_wp
    x4 = 0.0_wp
    do k = 2, b%nz
      x1 = rhs(k, 1) - lower(k, at(1, 1), at(2, 1))*x1
      x2 = rhs(k, 2) - lower(k, at(1, 2), at(2, 2))*x2
      x3 = rhs(k, 3) - lower(k, at(1, 3), at(2, 3))*x3
      x4 = rhs(k, 4) - lower(k, at(1, 4), at(2, 4))*x4
      x(k, 1) = x1
      x(k, 2) = x2
      x(k, 3) = x3
      x(k, 4) = x4
    end do
    do k = b%nz - 1, 2, -1
      x1 = x(k, 1) - upper(k, at(1, 1), at(2, 1))*x1
      x2 = x(k, 2) - upper(k, at(1, 2), at(2, 2))*x2
      x3 = x(k, 3) - upper(k, at(1, 3), at(2, 3))*x3
      x4 = x(k, 4) - upper(k, at(1, 4), at(2, 4))*x4
      x(k, 1) = x1
      x(k, 2) = x2
      x(k, 3) = x3
      x(k, 4) = x4
    end do
  end subroutine solve_columns

  !> sum += weight * flux.
  subroutine add_flux(b, r, weight, flux, sum)
    type(shape_t), intent(in) :: b
    type(box_t), intent(in) :: r
    real(wp), intent(in) :: weight
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: flux
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: sum
    integer :: i, j
    do j = r%j1, r%j2
      do i = r%i1, r%i2
        sum(:, i, j) = sum(:, i, j) + weight*flux(:, i, j)
      end do
    end do
  end subroutine add_flux
end module weather_acoustic
