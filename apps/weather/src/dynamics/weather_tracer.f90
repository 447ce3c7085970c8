! SPDX-License-Identifier: BSD-3-Clause
! Transport of a tracer that never becomes negative, conserves its mass and keeps a constant
! constant.
!
! The first two Runge-Kutta stages predict the mixing ratio in advective form. The last one moves
! mass with the mean fluxes of its acoustic steps, each outgoing flux scaled down where a cell
! would give more than it holds (Skamarock 2006, the renormalisation without the monotone part).
module weather_tracer
  use weather_constants, only: wp
  use weather_grid, only: shape_t, box_t
  use weather_advection, only: flux_x, flux_y, flux_vertical
  implicit none (type, external)
  private
  public :: tracer_predict, tracer_fluxes, tracer_outflow, tracer_move

contains

  !> q = (rq_old + dt (t_q + f_q - q t_rho)) / d_old.
  subroutine tracer_predict(b, r, dt, d_base, rho_old, rq_old, t_q, f_q, t_rho, q)
    type(shape_t), intent(in) :: b
    type(box_t), intent(in) :: r
    real(wp), intent(in) :: dt
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: d_base, rho_old, rq_old, t_q, &
      f_q, t_rho
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: q
    integer :: i, j, k
    do j = r%j1, r%j2
      do i = r%i1, r%i2
        do k = 1, b%nz
          q(k, i, j) = (rq_old(k, i, j) + dt*((t_q(k, i, j) + f_q(k, i, j)) - q(k, i, j) &
            *t_rho(k, i, j))) &
            /(d_base(k, i, j) + rho_old(k, i, j))
        end do
      end do
    end do
  end subroutine tracer_predict

  !> Fluxes of q through the west, south and lower faces of the own cells and of their east and
  !> north neighbours.
  subroutine tracer_fluxes(b, r, q, ru, rv, om, fx, fy, fz)
    type(shape_t), intent(in) :: b
    type(box_t), intent(in) :: r
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: q, ru, rv, om
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: fx, fy, fz
    real(wp) :: column(b%nz + 1)
    integer :: i, j

    do j = r%j1, r%j2
      do i = r%i1, r%i2 + 1
        call flux_x(b, ru(1, i, j), q, i, j, fx(1, i, j))
      end do
      do i = r%i1, r%i2
        call flux_vertical(b, om(1, i, j), q(1, i, j), column)
        fz(:, i, j) = column(:b%nz)
      end do
    end do
    if (b%two_d) return
    do j = r%j1, r%j2 + 1
      do i = r%i1, r%i2
        call flux_y(b, rv(1, i, j), q, i, j, fy(1, i, j))
      end do
    end do
  end subroutine tracer_fluxes

  !> Share of the wanted outflow that each own cell can give within dt.
  subroutine tracer_outflow(b, r, dt, rdx, rdy, rdz, rq_old, fx, fy, fz, out)
    type(shape_t), intent(in) :: b
    type(box_t), intent(in) :: r
    real(wp), intent(in) :: dt, rdx, rdy, rdz(b%nz)
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: rq_old, fx, fy, fz
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: out
    real(wp), parameter :: tiny_flux = 1.0e-300_wp
    real(wp) :: wanted(b%nz), above(b%nz)
    integer :: i, j, k

    do j = r%j1, r%j2
      do i = r%i1, r%i2
        above(:b%nz - 1) = fz(2:, i, j)
        above(b%nz) = 0.0_wp
        do k = 1, b%nz
          wanted(k) = rdx*(max(fx(k, i + 1, j), 0.0_wp) - min(fx(k, i, j), 0.0_wp)) &
            + rdz(k)*(max(above(k), 0.0_wp) - min(fz(k, i, j), 0.0_wp))
        end do
        if (.not. b%two_d) then
          do k = 1, b%nz
            wanted(k) = wanted(k) + rdy*(max(fy(k, i, j + 1), 0.0_wp) - min(fy(k, i, j), 0.0_wp))
          end do
        end if
        do k = 1, b%nz
          out(k, i, j) = min(1.0_wp, rq_old(k, i, j)/(dt*wanted(k) + tiny_flux))
        end do
      end do
    end do
  end subroutine tracer_outflow

  !> rq = rq_old - dt div(limited fluxes); `out` must be known on the four neighbours.
  subroutine tracer_move(b, r, dt, rdx, rdy, rdz, rq_old, fx, fy, fz, out, rq)
    type(shape_t), intent(in) :: b
    type(box_t), intent(in) :: r
    real(wp), intent(in) :: dt, rdx, rdy, rdz(b%nz)
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: rq_old, fx, fy, fz, out
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: rq
    real(wp) :: up(b%nz + 1), gain(b%nz)
    integer :: n, i, j, k

    n = b%nz
    up(1) = 0.0_wp
    up(n + 1) = 0.0_wp
    do j = r%j1, r%j2
      do i = r%i1, r%i2
        do k = 2, n
          up(k) = limited(fz(k, i, j), out(k - 1, i, j), out(k, i, j))
        end do
        do k = 1, n
          gain(k) = rdx*(limited(fx(k, i + 1, j), out(k, i, j), out(k, i + 1, j)) &
            - limited(fx(k, i, j), out(k, i - 1, j), out(k, i, j))) + rdz(k)*(up(k + 1) - up(k))
        end do
        if (.not. b%two_d) then
          do k = 1, n
            gain(k) = gain(k) + rdy*(limited(fy(k, i, j + 1), out(k, i, j), out(k, i, j + 1)) &
              - limited(fy(k, i, j), out(k, i, j - 1), out(k, i, j)))
          end do
        end if
        do k = 1, n      ! max only removes what rounding leaves below zero
          rq(k, i, j) = max(rq_old(k, i, j) - dt*gain(k), 0.0_wp)
        end do
      end do
    end do
  end subroutine tracer_move

  pure elemental real(wp) function limited(flux, from_low, from_high)
    real(wp), intent(in) :: flux, from_low, from_high
    limited = max(flux, 0.0_wp)*from_low + min(flux, 0.0_wp)*from_high
  end function limited
end module weather_tracer
