! SPDX-License-Identifier: BSD-3-Clause
! The sixth-order filter: what a step takes from waves of each length, along each direction and on
! fields of each kind of point; that noise gets no new extremum, nothing is lost, long waves stay.
program sixth_order_test
  use checks, only: check, near, finish, seed_with, uniform
  use weather_constants, only: wp, pi
  use weather_grid, only: shape_t, box_t
  use weather_sixth_order, only: density_at, sixth_order
  implicit none (type, external)

  integer, parameter :: n = 24
  real(wp), parameter :: dt = 90.0_wp
  type(shape_t), parameter :: b = shape_t(nz=3, il=-2, ih=n + 3, jl=-2, jh=n + 3)
  type(shape_t), parameter :: line = shape_t(nz=3, il=-2, ih=n + 3, jl=1, jh=1, two_d=.true.)
  type(box_t), parameter :: own = box_t(1, n, 1, n)
  real(wp), dimension(3, -2:n + 3, -2:n + 3) :: q, d, tend
  integer :: length

  do length = 2, 8, 2
    call wave(length, 0.12_wp)
  end do
  call wave(24, 0.12_wp)
  call wave(2, 1.0_wp)
  call noise(0.12_wp)
  call noise(1.0_wp)
  call plane()
  call densities()
  call finish()

contains

  !> Along x, along y and along both, on uniform density; nothing else is touched.
  subroutine wave(length, factor)
    integer, intent(in) :: length
    real(wp), intent(in) :: factor
    real(wp), parameter :: before = 0.5_wp
    real(wp) :: wanted, x, y
    integer :: i, j, along
    character(2), parameter :: names(3) = ['x ', 'y ', 'xy']

    wanted = -factor*sin(pi/length)**6/dt
    do along = 1, 3
      do j = -2, n + 3
        do i = -2, n + 3
          x = cos(2.0_wp*pi*i/length)
          y = cos(2.0_wp*pi*j/length)
          q(:, i, j) = merge(x, merge(y, x*y, along == 2), along == 1)
        end do
      end do
      d = 3.0_wp
      tend = before
      call sixth_order(b, own, factor, dt, d, q, tend)
      call near((tend(2, length, length) - before)/3.0_wp, merge(2, 1, along == 3)*wanted, &
        1.0e-6_wp, 'a wave of '//char(48 + length/10)//char(48 + mod(length, 10))// &
        ' columns along '//names(along)//' is damped by the factor')
      call check(maxval(abs((tend(:, 1:n, 1:n) - before)/3.0_wp - merge(2, 1, along == 3)*wanted &
        *q(:, 1:n, 1:n))) < 1.0e-15_wp, 'everywhere', wanted)
      call check(all(abs(tend(:, [-2, -1, 0, n + 1], :) - before) <= 0.0_wp) .and. &
        all(abs(tend(:, :, [-2, -1, 0, n + 1]) - before) <= 0.0_wp), 'other columns stay', before)
    end do
    tend = 0.0_wp
    call sixth_order(line, own_line(), factor, dt, d(:, :, 1:1), cosines(length), tend(:, :, 1:1))
    call near(tend(1, length, 1)/3.0_wp, wanted, 1.0e-6_wp, 'in two dimensions too')
  end subroutine wave

  type(box_t) function own_line()
    own_line = box_t(1, n, 1, 1)
  end function own_line

  function cosines(length) result(values)
    integer, intent(in) :: length
    real(wp) :: values(3, -2:n + 3, 1)
    integer :: i
    do i = -2, n + 3
      values(:, i, 1) = cos(2.0_wp*pi*i/length)
    end do
  end function cosines

  !> Noise in air of any density, some cells equal: against the filter face by face, and bounds.
  subroutine noise(factor)
    real(wp), intent(in) :: factor
    real(wp) :: new, low, high, worst, error, lost
    integer :: i, j

    call seed_with(7)
    q = 1.0_wp
    do j = 3, n - 3
      do i = 3, n - 3
        q(2, i, j) = uniform()**3
        if (uniform() < 0.2_wp) q(2, i, j) = q(2, i - 1, j)
      end do
    end do
    do j = -2, n + 3
      do i = -2, n + 3
        d(:, i, j) = 1.0_wp + uniform()
      end do
    end do
    tend = 0.0_wp
    call sixth_order(b, own, factor, dt, d, q, tend)
    worst = 0.0_wp
    error = 0.0_wp
    do j = 1, n
      do i = 1, n
        new = q(2, i, j) + dt*tend(2, i, j)/d(2, i, j)
        low = min(q(2, i, j), minval(q(2, i - 1:i + 1, j)), minval(q(2, i, j - 1:j + 1)))
        high = max(q(2, i, j), maxval(q(2, i - 1:i + 1, j)), maxval(q(2, i, j - 1:j + 1)))
        worst = max(worst, low - new, new - high)
        error = max(error, abs(dt*tend(2, i, j) - gain(factor, i, j)))
      end do
    end do
    lost = sum(tend(2, 1:n, 1:n))*dt
    call check(worst < 1.0e-14_wp, 'no value leaves the range of its neighbours', worst)
    call check(error < 1.0e-13_wp, 'each face gives what the formula says', error)
    call check(abs(lost) < 1.0e-12_wp, 'nothing is lost', lost)
    call check(maxval(abs(tend(2, 1:n, 1:n))) > 1.0e-4_wp, 'and something is filtered', &
      maxval(abs(tend(2, 1:n, 1:n))))
  end subroutine noise

  !> What the four faces of a cell bring in a step.
  real(wp) function gain(factor, i, j)
    real(wp), intent(in) :: factor
    integer, intent(in) :: i, j
    gain = arrives(factor, q(2, i - 3:i + 2, j), d(2, i - 1:i, j)) &
      + arrives(factor, q(2, i + 3:i - 2:-1, j), d(2, i + 1:i:-1, j)) &
      + arrives(factor, q(2, i, j - 3:j + 2), d(2, i, j - 1:j)) &
      + arrives(factor, q(2, i, j + 3:j - 2:-1), d(2, i, j + 1:j:-1))
  end function gain

  !> From a neighbour: values on the line through it and the cell, the cell being the fourth.
  real(wp) function arrives(factor, values, densities)
    real(wp), intent(in) :: factor, values(6), densities(2)
    real(wp), parameter :: fifth(6) = [-1.0_wp, 5.0_wp, -10.0_wp, 10.0_wp, -5.0_wp, 1.0_wp]
    real(wp) :: down, wanted
    down = values(3) - values(4)
    wanted = -factor/64.0_wp*sum(fifth*values)
    if (down > 0.0_wp) arrives = min(max(wanted, 0.0_wp), 0.25_wp*down)
    if (down <= 0.0_wp) arrives = max(min(wanted, 0.0_wp), 0.25_wp*down)
    arrives = arrives*minval(densities)
  end function arrives

  !> A slope is no wave, nor is a parabola.
  subroutine plane()
    integer :: i, j
    do j = -2, n + 3
      do i = -2, n + 3
        q(:, i, j) = 2.0_wp*i - 3.0_wp*j + 0.5_wp*i**2 + 0.25_wp*j**2
      end do
    end do
    d = 1.5_wp
    tend = 0.0_wp
    call sixth_order(b, own, 0.5_wp, dt, d, q, tend)
    call check(maxval(abs(tend)) < 1.0e-12_wp, 'slopes and parabolas stay', maxval(abs(tend)))
  end subroutine plane

  !> At cells, u faces, v faces and w faces, from densities that are linear in all directions.
  subroutine densities()
    real(wp), parameter :: fzm(3) = 0.25_wp, fzp(3) = 0.75_wp
    real(wp), dimension(3, -2:n + 3, -2:n + 3) :: base, rho
    integer :: i, j, k
    do j = -2, n + 3
      do i = -2, n + 3
        do k = 1, 3
          base(k, i, j) = 100.0_wp + i
          rho(k, i, j) = 10.0_wp*j + 1000.0_wp*k
        end do
      end do
    end do
    call density_at(b, own, 0, 0, base, rho, d)
    call near(d(2, n + 1, 0), 100.0_wp + n + 1 + 2000.0_wp, 1.0e-14_wp, 'density of a cell')
    call density_at(b, own, 1, 0, base, rho, d)
    call near(d(2, 0, n + 1), 99.5_wp + 10*(n + 1) + 2000.0_wp, 1.0e-14_wp, 'at a u face')
    call density_at(b, own, 0, 1, base, rho, d)
    call near(d(2, 5, 0), 105.0_wp - 5.0_wp + 2000.0_wp, 1.0e-14_wp, 'at a v face')
    call density_at(b, own, 0, 0, base, rho, d, fzm, fzp)
    call near(d(3, 5, 2), 125.0_wp + 2250.0_wp, 1.0e-14_wp, 'at a w face')
  end subroutine densities
end program sixth_order_test
