! SPDX-License-Identifier: BSD-3-Clause
! A long step in three Runge-Kutta stages (dt/3, dt/2, dt), each with its acoustic steps: Wicker and
! Skamarock (2002).
module weather_runge_kutta
  use weather_constants, only: wp
  use weather_clock, only: clock_start, clock_stop, in_microphysics
  use weather_grid, only: grid_t, shape_t, box_t
  use weather_state, only: state_t
  use weather_dynamics, only: dynamics_t, tendencies, slow_tendencies, diagnose
  use weather_acoustic_steps, only: acoustic_steps
  use weather_microphysics, only: microphysics
  use weather_transport, only: predict_tracers, move_tracers
  implicit none (type, external)
  private
  public :: runge_kutta_step

contains

  subroutine runge_kutta_step(d, g, s)
    type(dynamics_t), intent(in) :: d
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    integer :: stage, n
    real(wp) :: dts

    call keep_old(g, s)
    call slow_tendencies(d, g, s)
    do stage = 1, 3
      dts = d%dt/real(4 - stage, wp)
      n = merge(1, d%substeps/(4 - stage), stage == 1)
      call tendencies(d, g, s)
      call acoustic_steps(d, g, s, dts/real(n, wp), n, stage == 3)
      call apply_departures(g, s, another=stage < 3)
      if (stage < 3) then
        call predict_tracers(g, s, dts)
      else
        call move_tracers(d, g, s, dts)
        call clock_start(in_microphysics)
        call microphysics(g, s, dts, 1.0_wp)
        call clock_stop(in_microphysics)
      end if
      call diagnose(g, s, departs=stage < 3, ends=stage == 3)
    end do
  end subroutine runge_kutta_step

  !> The step begins: the old state is the present one, from which nothing departs yet.
  subroutine keep_old(g, s)
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    integer :: n
    associate (b => g%shape, r => g%own)
      call keep_field(b, r, s%ru, s%ru_old, s%du)
      call keep_field(b, r, s%rv, s%rv_old, s%dv)
      call keep_field(b, r, s%rw, s%rw_old, s%dw)
      call keep_field(b, r, s%om, s%om_old, s%dom)
      call keep_field(b, r, s%rho, s%rho_old, s%drho)
      call keep_field(b, r, s%rth, s%rth_old, s%dth)
      do n = 1, s%tracers
        s%tracer(n)%r_old = s%tracer(n)%r
      end do
    end associate
  end subroutine keep_old

  subroutine keep_field(b, r, now, old, departure)
    type(shape_t), intent(in) :: b
    type(box_t), intent(in) :: r
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: now
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: old, departure
    integer :: i, j
    do j = r%j1, r%j2
      do i = r%i1, r%i2
        old(:, i, j) = now(:, i, j)
        departure(:, i, j) = 0.0_wp
      end do
    end do
  end subroutine keep_field

  !> A stage ends: the departures make the new state. Where another stage follows, they become those
  !> of the old state from the new one.
  subroutine apply_departures(g, s, another)
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    logical, intent(in) :: another
    associate (b => g%shape, r => g%own)
      call apply_field(b, r, another, s%ru_old, s%ru, s%du)
      call apply_field(b, r, another, s%rv_old, s%rv, s%dv)
      call apply_field(b, r, another, s%rw_old, s%rw, s%dw)
      call apply_field(b, r, another, s%om_old, s%om, s%dom)
      call apply_field(b, r, another, s%rho_old, s%rho, s%drho)
      call apply_field(b, r, another, s%rth_old, s%rth, s%dth)
    end associate
  end subroutine apply_departures

  subroutine apply_field(b, r, another, old, now, departure)
    type(shape_t), intent(in) :: b
    type(box_t), intent(in) :: r
    logical, intent(in) :: another
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: old
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: now, departure
    integer :: i, j
    do j = r%j1, r%j2
      do i = r%i1, r%i2
        now(:, i, j) = now(:, i, j) + departure(:, i, j)
        if (another) departure(:, i, j) = old(:, i, j) - now(:, i, j)
      end do
    end do
  end subroutine apply_field
end module weather_runge_kutta
