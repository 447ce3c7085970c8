! SPDX-License-Identifier: BSD-3-Clause
! Advection and the gain of mass against the divergence of known fluxes: each direction alone and
! all at once, for quantities at centres and at each kind of face, with three ghost columns and with
! one; and what upwind fluxes do to the shortest wave.
program advection_test
  use checks, only: check, near, finish
  use manufactured, only: wave_t, value, gradient, make_grid, place, fill, make_field, converges
  use weather_constants, only: wp
  use weather_grid, only: grid_t
  use weather_advection, only: advect_levels, advect_base, advect_w, mass_tendency
  use weather_tracer, only: tracer_predict, tracer_fluxes, tracer_outflow, tracer_move
  implicit none (type, external)

  character(*), parameter :: names(4) = [character(10) :: 'x', 'y', 'z', 'everything']
  integer, parameter :: centre(3) = 0
  type(wave_t), parameter :: q_wave = wave_t(mean=5.0_wp), base_wave = wave_t(mean=300.0_wp, &
    phase=[1.9_wp, 0.2_wp, 0.4_wp]), w_wave = wave_t(mean=3.0_wp, closed=.true.)
  type(wave_t) :: flux_waves(3)
  type(grid_t) :: g
  real(wp), allocatable, dimension(:, :, :) :: q, ru, rv, om, tend
  integer :: direction, d

  flux_waves = [wave_t(mean=9.0_wp, size=2.0_wp, phase=[0.1_wp, 0.6_wp, 1.0_wp]), &
    wave_t(mean=-7.0_wp, size=3.0_wp, phase=[2.1_wp, 1.6_wp, 0.5_wp]), &
    wave_t(mean=2.0_wp, size=1.0_wp, phase=[1.1_wp, 2.6_wp, 0.2_wp], closed=.true.)]
  do direction = 1, 4
    call levels(direction, [0, 0, 0], 3, 3)
    call levels(direction, [0, 0, 0], 3, 5)
    call levels(direction, [1, 0, 0], 3, 3)
    call levels(direction, [0, 1, 0], 3, 3)
    call levels(direction, [0, 0, 0], 1, 3)
    call faces(direction, 3, 3)
    call faces(direction, 3, 5)
    call faces(direction, 1, 3)
    call base(direction)
    call mass(direction)
    call tracer(direction)
  end do
  do d = 1, 2
    call orders(d, 3, 5, 5)
    call orders(d, 1, 2, 5)
  end do
  call orders(3, 3, 3, 3)
  call orders(3, 3, 5, 5)
  call orders(3, 1, 2, 5)
  call shortest_wave()
  call ends()
  call given_away()
  call prediction()
  call finish()

contains

  !> Fluxes along one direction alone, or along all (4).
  subroutine set_up(m, along, ghosts, order_v)
    integer, intent(in) :: m, along, ghosts, order_v
    call make_grid(g, m, .false., ghosts, order_v)
    call make_field(g, q)
    call make_field(g, ru)
    call make_field(g, rv)
    call make_field(g, om)
    call make_field(g, tend)
    if (along == 1 .or. along == 4) call fill(g, flux_waves(1), [1, 0, 0], ru)
    if (along == 2 .or. along == 4) call fill(g, flux_waves(2), [0, 1, 0], rv)
    if (along == 3 .or. along == 4) call fill(g, flux_waves(3), [0, 0, 1], om)
  end subroutine set_up

  !> -div(m q) at x.
  real(wp) function expected(w, along, x)
    type(wave_t), intent(in) :: w
    integer, intent(in) :: along
    real(wp), intent(in) :: x(3)
    real(wp) :: of_q(3), of_flux(3)
    integer :: n
    expected = 0.0_wp
    of_q = gradient(w, x)
    do n = 1, 3
      if (along /= n .and. along /= 4) cycle
      of_flux = gradient(flux_waves(n), x)
      expected = expected - (of_flux(n)*value(w, x) + value(flux_waves(n), x)*of_q(n))
    end do
  end function expected

  real(wp) function error_of(w, along, at)
    type(wave_t), intent(in) :: w
    integer, intent(in) :: along, at(3)
    real(wp) :: most, largest, wanted
    integer :: n, i, j
    most = 0.0_wp
    largest = 0.0_wp
    do j = 1, g%ny
      do i = 1, g%nx
        do n = 1 + at(3), g%nz
          wanted = expected(w, along, place(g, n, i, j, at))
          largest = max(largest, abs(wanted))
          most = max(most, abs(tend(n, i, j) - wanted))
        end do
      end do
    end do
    error_of = most/largest
  end function error_of

  subroutine levels(along, at, ghosts, order_v)
    integer, intent(in) :: along, at(3), ghosts, order_v
    real(wp) :: errors(2)
    integer :: m
    do m = 1, 2
      call set_up(m, along, ghosts, order_v)
      call fill(g, q_wave, at, q)
      tend = 1.0e30_wp                             ! is set, not added to
      call advect_levels(g%shape, g%own, at(1), at(2), 1.0_wp/g%dx, 1.0_wp/g%dy, g%rdz, q, ru, &
        rv, om, tend)
      errors(m) = error_of(q_wave, along, at)
    end do
    call converges(errors, 2, 'advection along '//trim(names(along)))
  end subroutine levels

  subroutine faces(along, ghosts, order_v)
    integer, intent(in) :: along, ghosts, order_v
    real(wp) :: errors(2)
    integer :: m
    do m = 1, 2
      call set_up(m, along, ghosts, order_v)
      call fill(g, w_wave, [0, 0, 1], q)
      tend = 1.0e30_wp
      call advect_w(g%shape, g%own, 1.0_wp/g%dx, 1.0_wp/g%dy, g%rdzf, g%fzm, g%fzp, q, ru, rv, om, &
        tend)
      errors(m) = error_of(w_wave, along, [0, 0, 1])
      call check(.not. any(abs(tend(1, 1:g%nx, 1:g%ny)) > 0.0_wp), 'none of w at the ground', &
        tend(1, 1, 1))
    end do
    call converges(errors, 2, 'advection of w along '//trim(names(along)))
  end subroutine faces

  subroutine base(along)
    integer, intent(in) :: along
    real(wp) :: errors(2)
    integer :: m
    do m = 1, 2
      call set_up(m, along, 3, 3)
      call fill(g, base_wave, centre, q)
      call advect_base(g%shape, g%own, 1.0_wp/g%dx, 1.0_wp/g%dy, g%rdz, g%fzm, g%fzp, q, ru, rv, &
        om, tend)
      errors(m) = error_of(base_wave, along, centre)
    end do
    call converges(errors, 2, 'advection of the base along '//trim(names(along)))
  end subroutine base

  subroutine mass(along)
    integer, intent(in) :: along
    real(wp) :: errors(2)
    integer :: m
    do m = 1, 2
      call set_up(m, along, 3, 3)
      tend = 1.0e30_wp
      call mass_tendency(g%shape, g%own, 1.0_wp/g%dx, 1.0_wp/g%dy, g%rdz, ru, rv, om, tend)
      errors(m) = error_of(wave_t(mean=1.0_wp, size=0.0_wp), along, centre)
    end do
    call converges(errors, 2, 'gain of mass along '//trim(names(along)))
  end subroutine mass

  !> A tracer that every cell has enough of is moved by the same divergence.
  subroutine tracer(along)
    integer, intent(in) :: along
    real(wp), parameter :: dt = 0.01_wp
    real(wp), allocatable, dimension(:, :, :) :: fx, fy, fz, out, old, new
    real(wp) :: errors(2)
    integer :: m
    do m = 1, 2
      call set_up(m, along, 3, 3)
      call fill(g, q_wave, centre, q)
      call make_field(g, fx)
      call make_field(g, fy)
      call make_field(g, fz)
      call make_field(g, new)
      call make_field(g, old)
      call make_field(g, out)
      old = 100.0_wp
      call tracer_fluxes(g%shape, g%own, q, ru, rv, om, fx, fy, fz)
      call tracer_outflow(g%shape, g%own, dt, 1.0_wp/g%dx, 1.0_wp/g%dy, g%rdz, old, fx, fy, fz, out)
      call check(minval(out(:, 1:g%nx, 1:g%ny)) >= 1.0_wp, 'no cell is short of the tracer', &
        minval(out(:, 1:g%nx, 1:g%ny)))
      out = 1.0_wp
      call tracer_move(g%shape, g%own, dt, 1.0_wp/g%dx, 1.0_wp/g%dy, g%rdz, old, fx, fy, fz, out, &
        new)
      tend = (new - old)/dt
      errors(m) = error_of(q_wave, along, centre)
    end do
    call converges(errors, 2, 'transport of a tracer along '//trim(names(along)))
  end subroutine tracer

  !> The order of the scheme in a constant flux, away from ground and top; with one ghost column it
  !> is second, whatever is asked of the vertical.
  subroutine orders(along, ghosts, order, order_v)
    integer, intent(in) :: along, ghosts, order, order_v
    type(wave_t) :: w
    real(wp) :: errors(2), wanted(3)
    integer :: m, n, i, j, low, high, sign_of
    w = wave_t(along=along)
    do sign_of = -1, 1, 2
      errors = 0.0_wp
      do m = 1, 2
        call make_grid(g, m, .false., ghosts, order_v, even=.true.)
        call make_field(g, q)
        call make_field(g, ru)
        call make_field(g, rv)
        call make_field(g, om)
        call make_field(g, tend)
        if (along == 1) ru = sign_of
        if (along == 2) rv = sign_of
        if (along == 3) om = sign_of
        call fill(g, w, centre, q)
        call advect_levels(g%shape, g%own, 0, 0, 1.0_wp/g%dx, 1.0_wp/g%dy, g%rdz, q, ru, rv, om, &
          tend)
        low = 5*m
        high = g%nz + 1 - 5*m
        do i = 1, g%nx
          do n = low, high
            j = min(i, g%ny)
            wanted = -sign_of*gradient(w, place(g, n, i, j, centre))
            errors(m) = max(errors(m), abs(tend(n, i, j) - wanted(along)))
          end do
        end do
      end do
      call check(errors(1)/errors(2) > 0.6_wp*2.0_wp**order .and. errors(1)/errors(2) < &
        1.7_wp*2.0_wp**order, 'order along '//trim(names(along)), log(errors(1)/errors(2))/ &
        log(2.0_wp))
    end do
  end subroutine orders

  !> Upwind fluxes damp what changes its sign from cell to cell, whatever the wind's sign, at a rate
  !> that their formula gives; centred ones do nothing to it.
  subroutine shortest_wave()
    real(wp), parameter :: rates(3) = [64.0_wp/60.0_wp, 64.0_wp/60.0_wp, 16.0_wp/12.0_wp]
    real(wp) :: spacing(3), rate
    integer :: along, order_v, sign_of, i, j, n, place_of(3), at(3)
    do order_v = 3, 5, 2
      do along = 1, 3
        do sign_of = -1, 1, 2
          call make_grid(g, 1, .false., 3, order_v, even=.true.)
          call make_field(g, q)
          call make_field(g, ru)
          call make_field(g, rv)
          call make_field(g, om)
          call make_field(g, tend)
          do j = g%shape%jl, g%shape%jh
            do i = g%shape%il, g%shape%ih
              do n = 1, g%nz
                place_of = [i, j, n]
                q(n, i, j) = 1.0_wp - 2.0_wp*real(modulo(place_of(along), 2), wp)
              end do
            end do
          end do
          if (along == 1) ru = 2.0_wp*sign_of
          if (along == 2) rv = 2.0_wp*sign_of
          if (along == 3) om = 2.0_wp*sign_of
          spacing = [1.0_wp/g%dx, 1.0_wp/g%dy, g%rdz(6)]
          rate = -2.0_wp*rates(along)*spacing(along)
          if (along == 3 .and. order_v == 5) rate = -2.0_wp*64.0_wp/60.0_wp*g%rdz(6)
          at = [6, 5, 6]
          call advect_levels(g%shape, g%own, 0, 0, 1.0_wp/g%dx, 1.0_wp/g%dy, g%rdz, q, ru, rv, om, &
            tend)
          call near(tend(at(3), at(1), at(2))/q(at(3), at(1), at(2)), rate, 1.0e-12_wp, &
            'damping of the shortest wave along '//trim(names(along)))
          if (along /= 3) cycle
          call advect_w(g%shape, g%own, 1.0_wp/g%dx, 1.0_wp/g%dy, g%rdzf, g%fzm, g%fzp, q, ru, rv, &
            om, tend)
          call near(tend(at(3), at(1), at(2))/q(at(3), at(1), at(2)), rate, 1.0e-12_wp, &
            'damping of the shortest wave of w')
        end do
      end do
    end do
  end subroutine shortest_wave

  !> Where q grows by one from level to level, every scheme has its exact means at the faces, also
  !> next to ground and top, through which nothing goes.
  subroutine ends()
    integer :: order_v, ghosts, n
    real(wp) :: wanted(12)
    do ghosts = 1, 3, 2
      do order_v = 3, 5, 2
        call set_up(1, 0, ghosts, order_v)
        om = 2.0_wp
        do n = 1, g%nz
          q(n, :, :) = n
        end do
        call advect_levels(g%shape, g%own, 0, 0, 1.0_wp/g%dx, 1.0_wp/g%dy, g%rdz, q, ru, rv, om, &
          tend)
        wanted = -2.0_wp*g%rdz
        wanted(1) = -2.0_wp*1.5_wp*g%rdz(1)
        wanted(12) = 2.0_wp*11.5_wp*g%rdz(12)
        call check(maxval(abs(tend(:, 3, 3)/wanted - 1.0_wp)) < 1.0e-12_wp, &
          'linear in the levels', maxval(abs(tend(:, 3, 3)/wanted - 1.0_wp)))
        do n = 1, g%nz                             ! falls to nothing at the top's face
          q(n, :, :) = g%nz + 1 - n
        end do
        call advect_w(g%shape, g%own, 1.0_wp/g%dx, 1.0_wp/g%dy, g%rdzf, g%fzm, g%fzp, q, ru, rv, &
          om, tend)
        wanted = 2.0_wp*g%rdzf(:12)
        wanted(12) = (2.0_wp*1.5_wp - 1.0_wp*0.5_wp)*g%rdzf(12)
        call check(maxval(abs(tend(2:, 3, 3)/wanted(2:) - 1.0_wp)) < 1.0e-12_wp, &
          'w linear in the levels', maxval(abs(tend(2:, 3, 3)/wanted(2:) - 1.0_wp)))
      end do
    end do
  end subroutine ends

  !> A cell gives what it has and no more, through whichever face, and its neighbour gets it.
  subroutine given_away()
    real(wp), parameter :: dt = 10.0_wp
    real(wp), allocatable, dimension(:, :, :) :: fx, fy, fz, out, old, new
    real(wp) :: spacing(3), flux, share
    integer :: face, along, side, at(3), neighbour(3)
    do face = 1, 6
      along = (face + 1)/2
      side = modulo(face, 2)                       ! 1: the lower one
      call set_up(1, 0, 3, 3)
      call make_field(g, fx)
      call make_field(g, fy)
      call make_field(g, fz)
      call make_field(g, new)
      call make_field(g, old)
      call make_field(g, out)
      old(5, 4, 6) = 1.0_wp
      spacing = [1.0_wp/g%dx, 1.0_wp/g%dy, g%rdz(5)]
      flux = 4.0_wp/(dt*spacing(along))            ! four times what there is
      at = [5, 4, 6]
      neighbour = [4, 6, 5]
      neighbour(along) = neighbour(along) + merge(-1, 1, side == 1)
      if (side == 1) flux = -flux
      if (along == 1) fx(5, 4 + 1 - side, 6) = flux
      if (along == 2) fy(5, 4, 6 + 1 - side) = flux
      if (along == 3) fz(5 + 1 - side, 4, 6) = flux
      call tracer_outflow(g%shape, g%own, dt, 1.0_wp/g%dx, 1.0_wp/g%dy, g%rdz, old, fx, fy, fz, out)
      call near(out(5, 4, 6), 0.25_wp, 1.0e-12_wp, 'share of the outflow along '// &
        trim(names(along)))
      call tracer_move(g%shape, g%own, dt, 1.0_wp/g%dx, 1.0_wp/g%dy, g%rdz, old, fx, fy, fz, out, &
        new)
      call check(new(5, 4, 6) < 1.0e-12_wp .and. new(5, 4, 6) >= 0.0_wp, 'all is given', &
        new(5, 4, 6))
      share = 1.0_wp
      if (along == 3) share = g%rdz(neighbour(3))/g%rdz(5)
      call near(new(neighbour(3), neighbour(1), neighbour(2)), share, 1.0e-12_wp, &
        'the neighbour gets it')
    end do
  end subroutine given_away

  !> (rq_old + dt (t + f - q t_rho))/d, each part alone.
  subroutine prediction()
    real(wp), parameter :: wanted(4) = [0.5_wp, 1.0_wp, 1.5_wp, -4.0_wp]
    real(wp), allocatable, dimension(:, :, :) :: rq, t, f, t_rho, d, rho
    integer :: part
    do part = 1, 4
      call set_up(1, 0, 3, 3)
      call make_field(g, rq)
      call make_field(g, t)
      call make_field(g, f)
      call make_field(g, t_rho)
      call make_field(g, d)
      call make_field(g, rho)
      d = 1.5_wp
      rho = 0.5_wp
      q = 4.0_wp
      if (part == 1) rq = 1.0_wp
      if (part == 2) t = 1.0_wp
      if (part == 3) f = 1.5_wp
      if (part == 4) t_rho = 1.0_wp
      call tracer_predict(g%shape, g%own, 2.0_wp, d, rho, rq, t, f, t_rho, q)
      call check(maxval(abs(q(:, 1:g%nx, 1:g%ny) - wanted(part))) < 1.0e-12_wp, &
        'a part of the prediction', q(1, 2, 2))
    end do
  end subroutine prediction
end program advection_test
