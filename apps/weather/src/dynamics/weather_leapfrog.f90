! SPDX-License-Identifier: BSD-3-Clause
! A long step of the leapfrog scheme, as in BRAMS: from the older time over the present one to the
! new, second order in space, so that one ghost column is enough. The filter of Robert, Asselin and
! Williams (Williams 2009) keeps the two times together: with e = filter/2 (new - 2 now + old),
! now gains alpha e and new loses (1 - alpha) e, which conserves the mean of the three.
module weather_leapfrog
  use weather_constants, only: wp
  use weather_clock, only: clock_start, clock_stop, in_microphysics
  use weather_grid, only: grid_t, shape_t, box_t
  use weather_state, only: state_t, cloud
  use weather_dynamics, only: dynamics_t, tendencies, slow_tendencies, diagnose
  use weather_acoustic_steps, only: start_departures, acoustic_steps
  use weather_microphysics, only: microphysics
  use weather_transport, only: move_tracers
  implicit none (type, external)
  private
  public :: leapfrog_begin, leapfrog_step, advance_field, kept_of, filtered

contains

  !> Before the first step the older time is the present one.
  subroutine leapfrog_begin(d, g, s)
    type(dynamics_t), intent(inout) :: d
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    integer :: n

    s%ru_old = s%ru
    s%rv_old = s%rv
    s%rw_old = s%rw
    s%om_old = s%om
    s%rho_old = s%rho
    s%rth_old = s%rth
    do n = 1, s%tracers
      s%tracer(n)%r_old = s%tracer(n)%r
    end do
    d%first = .true.
    call diagnose(g, s, departs=.true., ends=.true.)
    call slow_tendencies(d, g, s)
  end subroutine leapfrog_begin

  subroutine leapfrog_step(d, g, s)
    type(dynamics_t), intent(inout) :: d
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    real(wp) :: span

    span = merge(1.0_wp, 2.0_wp, d%first)*d%dt
    call tendencies(d, g, s)
    call start_departures(g, s)
    call acoustic_steps(d, g, s, span/real(d%substeps, wp), d%substeps, .true.)
    call step_tracers(d, g, s, span)
    if (d%slow) call slow_tendencies(d, g, s)      ! of the present state, for the next step
    call clock_start(in_microphysics)
    call rain_in_new_time(d, g, s, span)
    call clock_stop(in_microphysics)
    call advance(d, g, s)
    call filter_tracers(d, g, s)
    d%first = .false.
    call diagnose(g, s, departs=.true., ends=.true.)
  end subroutine leapfrog_step

  !> New times and filter of all fields but the tracers.
  subroutine advance(d, g, s)
    type(dynamics_t), intent(in) :: d
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    real(wp) :: e
    associate (b => g%shape, r => g%own)
      e = filter_of(d)
      call advance_field(b, g%own_u, e, d%alpha, s%du, s%ru_old, s%ru)
      call advance_field(b, g%own_v, e, d%alpha, s%dv, s%rv_old, s%rv)
      call advance_field(b, r, e, d%alpha, s%dw, s%rw_old, s%rw)
      call advance_field(b, r, e, d%alpha, s%dom, s%om_old, s%om)
      call advance_field(b, r, e, d%alpha, s%drho, s%rho_old, s%rho)
      call advance_field(b, r, e, d%alpha, s%dth, s%rth_old, s%rth)
    end associate
  end subroutine advance

  !> From (old, now) and the departure new - now to (now, new), filtered.
  subroutine advance_field(b, r, half_filter, alpha, departure, old, now)
    type(shape_t), intent(in) :: b
    type(box_t), intent(in) :: r
    real(wp), intent(in) :: half_filter, alpha
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: departure
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: old, now
    real(wp) :: e, present
    integer :: i, j, k

    do j = r%j1, r%j2
      do i = r%i1, r%i2
        do k = 1, b%nz
          present = now(k, i, j)
          e = half_filter*(departure(k, i, j) - (present - old(k, i, j)))
          old(k, i, j) = present + alpha*e
          now(k, i, j) = present + (departure(k, i, j) - (1.0_wp - alpha)*e)
        end do
      end do
    end do
  end subroutine advance_field

  !> Moves tracers over the whole span. Their filter has alpha = 1, which never makes one negative:
  !> `tend` keeps all of it but the new time, which the microphysics has still to change.
  subroutine step_tracers(d, g, s, span)
    type(dynamics_t), intent(in) :: d
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    real(wp), intent(in) :: span
    real(wp) :: e
    integer :: n

    e = filter_of(d)
    do n = 1, s%tracers
      associate (t => s%tracer(n))
        t%tend = kept_of(e, t%r_old, t%r)
      end associate
    end do
    call move_tracers(d, g, s, span)
  end subroutine step_tracers

  subroutine filter_tracers(d, g, s)
    type(dynamics_t), intent(in) :: d
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    real(wp) :: e
    integer :: n, i, j

    e = filter_of(d)
    do n = 1, s%tracers
      associate (t => s%tracer(n))
        do j = g%own%j1, g%own%j2
          do i = g%own%i1, g%own%i2
            t%r_old(:, i, j) = filtered(e, t%tend(:, i, j), t%r(:, i, j))
          end do
        end do
      end associate
    end do
  end subroutine filter_tracers

  !> What the present time of a tracer becomes, but for the new time.
  elemental real(wp) function kept_of(half_filter, old, now)
    real(wp), intent(in) :: half_filter, old, now
    kept_of = (1.0_wp - 2.0_wp*half_filter)*now + half_filter*old
  end function kept_of

  elemental real(wp) function filtered(half_filter, kept, new)
    real(wp), intent(in) :: half_filter, kept, new
    filtered = kept + half_filter*new
  end function filtered

  !> Warm rain in the new time. Density and rho theta of the present one wait in the tendencies,
  !> which are used up, until the departures hold what the rain has changed too: the filter must
  !> see it, or it would give a part of it back.
  subroutine rain_in_new_time(d, g, s, span)
    type(dynamics_t), intent(in) :: d
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    real(wp), intent(in) :: span
    integer :: i, j

    if (s%tracers < cloud) return
    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        s%t_rho(:, i, j) = s%rho(:, i, j)
        s%t_th(:, i, j) = s%rth(:, i, j)
        s%rho(:, i, j) = s%rho(:, i, j) + s%drho(:, i, j)
        s%rth(:, i, j) = s%rth(:, i, j) + s%dth(:, i, j)
      end do
    end do
    call microphysics(g, s, span, d%dt/span)
    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        s%drho(:, i, j) = s%rho(:, i, j) - s%t_rho(:, i, j)
        s%dth(:, i, j) = s%rth(:, i, j) - s%t_th(:, i, j)
        s%rho(:, i, j) = s%t_rho(:, i, j)
        s%rth(:, i, j) = s%t_th(:, i, j)
      end do
    end do
  end subroutine rain_in_new_time

  !> Half the strength of the filter; none while there is only one time.
  pure real(wp) function filter_of(d)
    type(dynamics_t), intent(in) :: d
    filter_of = merge(0.0_wp, 0.5_wp*d%filter, d%first)
  end function filter_of
end module weather_leapfrog
