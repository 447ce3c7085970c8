! SPDX-License-Identifier: BSD-3-Clause
! The acoustic steps of a stage or leapfrog step, with their exchanges in the pattern of BRAMS: one
! direction for each mass flux, the other for pressure.
module weather_acoustic_steps
  use weather_constants, only: wp
  use weather_grid, only: grid_t, box_t
  use weather_state, only: state_t
  use weather_halo, only: halo_start, halo_finish, set_u, set_v, set_pressure
  use weather_acoustic, only: acoustic_wind, acoustic_factor, acoustic_column, add_flux
  use weather_dynamics, only: dynamics_t
  implicit none (type, external)
  private
  public :: start_departures, acoustic_steps

contains

  !> Departures of the state at the start of the step from the latest one.
  subroutine start_departures(g, s)
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    integer :: i, j
    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        s%dw(:, i, j) = s%rw_old(:, i, j) - s%rw(:, i, j)
        s%dom(:, i, j) = s%om_old(:, i, j) - s%om(:, i, j)
        s%drho(:, i, j) = s%rho_old(:, i, j) - s%rho(:, i, j)
        s%dth(:, i, j) = s%rth_old(:, i, j) - s%rth(:, i, j)
      end do
    end do
    do j = g%own_u%j1, g%own_u%j2
      do i = g%own_u%i1, g%own_u%i2
        s%du(:, i, j) = s%ru_old(:, i, j) - s%ru(:, i, j)
      end do
    end do
    do j = g%own_v%j1, g%own_v%j2
      do i = g%own_v%i1, g%own_v%i2
        s%dv(:, i, j) = s%rv_old(:, i, j) - s%rv(:, i, j)
      end do
    end do
  end subroutine start_departures

  !> n acoustic steps of dtau. Ghosts of pd are known when it begins. `last`: mean mass fluxes are
  !> collected for the tracers. While pressure travels, the faces that
  !> need none of it are computed; while u and v travel, the columns that need none of them.
  subroutine acoustic_steps(d, g, s, dtau, n, last)
    type(dynamics_t), intent(in) :: d
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    real(wp), intent(in) :: dtau
    integer, intent(in) :: n
    logical, intent(in) :: last
    type(box_t) :: inner, east, north, first, rest
    real(wp) :: mean
    integer :: m

    mean = merge(1.0_wp/real(n, wp), 0.0_wp, last .and. s%tracers > 0)
    if (mean > 0.0_wp) call start_means(g, s)
    call acoustic_factor(g%shape, g%own, dtau, d%beta, g%rdz, g%rdzf, g%fzm, g%fzp, d%sponge, &
      g%jac, s%theta, s%stiff, s%lower, s%upper, s%pivot)
    associate (o => g%own)
      inner = box_t(o%i1, o%i2 - 1, o%j1, o%j2 - 1)
      if (g%shape%two_d) inner%j2 = o%j2
      east = box_t(o%i2, o%i2, o%j1, inner%j2)
      north = box_t(o%i1, o%i2, inner%j2 + 1, o%j2)
    end associate
    first = g%own_u
    first%i2 = min(first%i1, first%i2)
    rest = g%own_u
    rest%i1 = first%i2 + 1
    do m = 1, n
      call push_u(rest)
      if (m > 1) call halo_finish(set_pressure)
      call push_u(first)
      call halo_start(set_u)
      if (.not. g%shape%two_d) then
        call acoustic_wind(g%shape, g%own_v, 0, 1, dtau, d%rdy, g%flat, g%fall_c, g%slope, &
          g%jac_v, g%sy, s%pd, s%t_v, s%dv)
        call halo_start(set_v)
      end if
      call columns(inner)
      call halo_finish(set_u)
      if (.not. g%shape%two_d) call halo_finish(set_v)
      call columns(east)
      call columns(north)
      if (m < n) call halo_start(set_pressure)
      if (mean > 0.0_wp) call collect_means()
    end do
  contains
    subroutine push_u(r)
      type(box_t), intent(in) :: r
      call acoustic_wind(g%shape, r, 1, 0, dtau, d%rdx, g%flat, g%fall_c, g%slope, &
        g%jac_u, g%sx, s%pd, s%t_u, s%du)
    end subroutine push_u
    subroutine columns(r)
      type(box_t), intent(in) :: r
      call acoustic_column(g%shape, r, dtau, d%beta, d%forward, g%flat, mean, d%rdx, d%rdy, g%rdz, &
        g%rdzf, g%fzm, g%fzp, g%fall_f, d%sponge, g%jac, g%sx, g%sy, s%theta, s%stiff, s%lower, &
        s%upper, s%pivot, s%du, s%dv, s%t_w, s%t_rho, s%t_th, s%dw, s%dom, s%drho, s%dth, s%pd, &
        s%om_mean)
    end subroutine columns
    subroutine collect_means()
      type(box_t) :: wide
      wide = g%own
      wide%i2 = wide%i2 + 1
      call add_flux(g%shape, wide, mean, s%du, s%ru_mean)
      if (g%shape%two_d) return
      wide = g%own
      wide%j2 = wide%j2 + 1
      call add_flux(g%shape, wide, mean, s%dv, s%rv_mean)
    end subroutine collect_means
  end subroutine acoustic_steps

  !> The mean fluxes begin as those of the state that the departures are counted from.
  subroutine start_means(g, s)
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    integer :: i, j
    do j = g%own%j1, g%own%j2 + merge(0, 1, g%shape%two_d)
      do i = g%own%i1, g%own%i2 + 1
        s%ru_mean(:, i, j) = s%ru(:, i, j)
        s%rv_mean(:, i, j) = s%rv(:, i, j)
        s%om_mean(:, i, j) = s%om(:, i, j)
      end do
    end do
  end subroutine start_means
end module weather_acoustic_steps
