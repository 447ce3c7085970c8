! SPDX-License-Identifier: BSD-3-Clause
! All tracers through a long step: predictions in its first stages, then the move with the mean mass
! fluxes of its last acoustic steps. One message to each neighbour carries the limiters of all.
module weather_transport
  use weather_constants, only: wp
  use weather_grid, only: grid_t
  use weather_state, only: state_t, tracer_t
  use weather_halo, only: halo_fill, set_limiter
  use weather_dynamics, only: dynamics_t
  use weather_tracer, only: tracer_predict, tracer_fluxes, tracer_outflow, tracer_move
  implicit none (type, external)
  private
  public :: predict_tracers, move_tracers

contains

  !> Contents q at the end of a stage of length dts, ghosts not yet filled.
  subroutine predict_tracers(g, s, dts)
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    real(wp), intent(in) :: dts
    integer :: n

    do n = 1, s%tracers
      associate (t => s%tracer(n))
        call tracer_predict(g%shape, g%own, dts, s%rho_base, s%rho_old, t%r_old, t%tend, t%f, &
          s%t_rho, t%q)
      end associate
    end do
  end subroutine predict_tracers

  !> Moves all tracers over dts, from r_old to r, with the mean fluxes ru_mean, rv_mean, om_mean.
  subroutine move_tracers(d, g, s, dts)
    type(dynamics_t), intent(in) :: d
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    real(wp), intent(in) :: dts
    integer :: n

    if (s%tracers == 0) return
    associate (b => g%shape, r => g%own)
      do n = 1, s%tracers
        associate (t => s%tracer(n))
          if (d%slow) call gain_first(g, dts, t)
          call tracer_fluxes(b, r, t%q, s%ru_mean, s%rv_mean, s%om_mean, t%fx, t%fy, t%fz)
          call tracer_outflow(b, r, dts, d%rdx, d%rdy, g%rdz, t%r_old, t%fx, t%fy, t%fz, t%out)
        end associate
      end do
      call halo_fill(set_limiter)
      do n = 1, s%tracers
        associate (t => s%tracer(n))
          call tracer_move(b, r, dts, d%rdx, d%rdy, g%rdz, t%r_old, t%fx, t%fy, t%fz, t%out, t%r)
          if (d%sides) call relax_tracer(d, g, dts, t)
        end associate
      end do
    end associate
  end subroutine move_tracers

  !> What the slow tendencies add over dts, before the move, which then keeps the sign.
  subroutine gain_first(g, dts, t)
    type(grid_t), intent(in) :: g
    real(wp), intent(in) :: dts
    type(tracer_t), intent(inout) :: t
    integer :: i, j
    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        t%r_old(:, i, j) = max(t%r_old(:, i, j) + dts*t%f(:, i, j), 0.0_wp)
      end do
    end do
  end subroutine gain_first

  !> Implicit, so that it keeps the sign.
  subroutine relax_tracer(d, g, dts, t)
    type(dynamics_t), intent(in) :: d
    type(grid_t), intent(in) :: g
    real(wp), intent(in) :: dts
    type(tracer_t), intent(inout) :: t
    real(wp) :: a
    integer :: i, j
    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        a = dts*d%side_rate(i, j)
        if (a > 0.0_wp) t%r(:, i, j) = (t%r(:, i, j) + a*t%side(:, i, j))/(1.0_wp + a)
      end do
    end do
  end subroutine relax_tracer
end module weather_transport
