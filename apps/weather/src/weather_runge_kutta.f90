! SPDX-License-Identifier: BSD-3-Clause
! A long step in three Runge-Kutta stages (dt/3, dt/2, dt), each with its acoustic steps: Wicker and
! Skamarock (2002).
module weather_runge_kutta
  use weather_constants, only: wp
  use weather_grid, only: grid_t
  use weather_state, only: state_t
  use weather_dynamics, only: dynamics_t, tendencies, slow_tendencies, diagnose
  use weather_acoustic_steps, only: start_departures, acoustic_steps
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
      call start_departures(g, s)
      call acoustic_steps(d, g, s, dts/real(n, wp), n, stage == 3)
      call apply_departures(g, s)
      if (stage < 3) then
        call predict_tracers(g, s, dts)
      else
        call move_tracers(d, g, s, dts)
        call microphysics(g, s, dts, 1.0_wp)
      end if
      call diagnose(g, s, departs=stage < 3, ends=stage == 3)
    end do
  end subroutine runge_kutta_step

  subroutine keep_old(g, s)
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    integer :: i, j, n
    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        s%ru_old(:, i, j) = s%ru(:, i, j)
        s%rv_old(:, i, j) = s%rv(:, i, j)
        s%rw_old(:, i, j) = s%rw(:, i, j)
        s%om_old(:, i, j) = s%om(:, i, j)
        s%rho_old(:, i, j) = s%rho(:, i, j)
        s%rth_old(:, i, j) = s%rth(:, i, j)
        do n = 1, s%tracers
          s%tracer(n)%r_old(:, i, j) = s%tracer(n)%r(:, i, j)
        end do
      end do
    end do
  end subroutine keep_old

  subroutine apply_departures(g, s)
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    integer :: i, j
    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        s%ru(:, i, j) = s%ru(:, i, j) + s%du(:, i, j)
        s%rv(:, i, j) = s%rv(:, i, j) + s%dv(:, i, j)
        s%rw(:, i, j) = s%rw(:, i, j) + s%dw(:, i, j)
        s%om(:, i, j) = s%om(:, i, j) + s%dom(:, i, j)
        s%rho(:, i, j) = s%rho(:, i, j) + s%drho(:, i, j)
        s%rth(:, i, j) = s%rth(:, i, j) + s%dth(:, i, j)
      end do
    end do
  end subroutine apply_departures
end module weather_runge_kutta
