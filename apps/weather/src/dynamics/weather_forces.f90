! SPDX-License-Identifier: BSD-3-Clause
! Pressure gradient, buoyancy, Coriolis force and sponge of one Runge-Kutta stage, and the
! diagnostic fields that follow from the prognostic ones.
module weather_forces
  use weather_constants, only: wp, gravity, gamma_air
  use weather_grid, only: shape_t, box_t
  use weather_slopes, only: metric_gradient
  use weather_thermo, only: power_seven_fifths
  implicit none (type, external)
  private
  public :: force_u, force_v, force_w, diagnose_cells, diagnose_wind

contains

  !> tend += -jac dp/dx + f v d at u faces.
  subroutine force_u(b, r, rdx, flat, fall, slope, jac_u, sx, coriolis, pp, rv, tend)
    type(shape_t), intent(in) :: b
    type(box_t), intent(in) :: r
    real(wp), intent(in) :: rdx, fall(b%nz), slope(3, b%nz)
    logical, intent(in) :: flat
    real(wp), dimension(b%il:b%ih, b%jl:b%jh), intent(in) :: jac_u, sx, coriolis
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: pp, rv
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: tend
    real(wp) :: metric(b%nz), f
    integer :: i, j, k

    do j = r%j1, r%j2
      do i = r%i1, r%i2
        do k = 1, b%nz
          tend(k, i, j) = tend(k, i, j) - rdx*jac_u(i, j)*(pp(k, i, j) - pp(k, i - 1, j))
        end do
        if (.not. flat) then
          call metric_gradient(b%nz, sx(i, j), fall, slope, pp(1, i - 1, j), pp(1, i, j), metric)
          tend(:, i, j) = tend(:, i, j) + metric
        end if
        if (b%two_d) cycle
        f = 0.125_wp*(coriolis(i - 1, j) + coriolis(i, j))
        do k = 1, b%nz
          tend(k, i, j) = tend(k, i, j) + f*((rv(k, i - 1, j) + rv(k, i, j)) &
            + (rv(k, i - 1, j + 1) + rv(k, i, j + 1)))
        end do
      end do
    end do
  end subroutine force_u

  !> tend += -jac dp/dy - f u d at v faces.
  subroutine force_v(b, r, rdy, flat, fall, slope, jac_v, sy, coriolis, pp, ru, tend)
    type(shape_t), intent(in) :: b
    type(box_t), intent(in) :: r
    real(wp), intent(in) :: rdy, fall(b%nz), slope(3, b%nz)
    logical, intent(in) :: flat
    real(wp), dimension(b%il:b%ih, b%jl:b%jh), intent(in) :: jac_v, sy, coriolis
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: pp, ru
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: tend
    real(wp) :: metric(b%nz), f
    integer :: i, j, k

    do j = r%j1, r%j2
      do i = r%i1, r%i2
        f = 0.125_wp*(coriolis(i, j - 1) + coriolis(i, j))
        do k = 1, b%nz
          tend(k, i, j) = tend(k, i, j) - rdy*jac_v(i, j)*(pp(k, i, j) - pp(k, i, j - 1)) &
            - f*((ru(k, i, j - 1) + ru(k, i + 1, j - 1)) + (ru(k, i, j) + ru(k, i + 1, j)))
        end do
        if (flat) cycle
        call metric_gradient(b%nz, sy(i, j), fall, slope, pp(1, i, j - 1), pp(1, i, j), metric)
        tend(:, i, j) = tend(:, i, j) + metric
      end do
    end do
  end subroutine force_v

  !> tend += -dp/dzeta - g rho - sponge rw at the lower faces 2:nz.
  subroutine force_w(b, r, rdzf, fzm, fzp, sponge, pp, rho, rw, tend)
    type(shape_t), intent(in) :: b
    type(box_t), intent(in) :: r
    real(wp), intent(in) :: rdzf(b%nz + 1), fzm(b%nz), fzp(b%nz), sponge(b%nz)
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: pp, rho, rw
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: tend
    integer :: i, j, k

    do j = r%j1, r%j2
      do i = r%i1, r%i2
        do k = 2, b%nz
          tend(k, i, j) = tend(k, i, j) - (rdzf(k)*(pp(k, i, j) - pp(k - 1, i, j)) &
            + gravity*(fzm(k)*rho(k, i, j) + fzp(k)*rho(k - 1, i, j))) - sponge(k)*rw(k, i, j)
        end do
      end do
    end do
  end subroutine force_w

  !> theta, pressure, its stiffness and w of the cells in r.
  subroutine diagnose_cells(b, r, fzm, fzp, d_base, rth_base, p_base, rho, rth, rw, theta, pp, &
    stiff, w)
    type(shape_t), intent(in) :: b
    type(box_t), intent(in) :: r
    real(wp), intent(in) :: fzm(b%nz), fzp(b%nz)
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: d_base, rth_base, p_base, &
      rho, rth, rw
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: theta, pp, stiff, w
    real(wp) :: d(b%nz), ratio(b%nz), ratio_rth(b%nz)
    integer :: i, j, k

    do j = r%j1, r%j2
      do i = r%i1, r%i2
        do k = 1, b%nz
          d(k) = d_base(k, i, j) + rho(k, i, j)
          theta(k, i, j) = rth(k, i, j)/d(k)
          ratio_rth(k) = rth(k, i, j)/rth_base(k, i, j)
        end do
        call power_seven_fifths(b%nz, ratio_rth, ratio)
        do k = 1, b%nz
          pp(k, i, j) = p_base(k, i, j)*(ratio(k) - 1.0_wp)
          stiff(k, i, j) = gamma_air*p_base(k, i, j)*ratio(k)/rth(k, i, j)
        end do
        w(1, i, j) = rw(1, i, j)/d(1)
        do k = 2, b%nz
          w(k, i, j) = rw(k, i, j)/(fzm(k)*d(k) + fzp(k)*d(k - 1))
        end do
      end do
    end do
  end subroutine diagnose_cells

  !> Wind from mass flux at u faces (di = 1, dj = 0) or v faces (di = 0, dj = 1).
  subroutine diagnose_wind(b, r, di, dj, d_base, rho, flux, wind)
    type(shape_t), intent(in) :: b
    type(box_t), intent(in) :: r
    integer, intent(in) :: di, dj
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: d_base, rho, flux
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: wind
    integer :: i, j, k
    do j = r%j1, r%j2
      do i = r%i1, r%i2
        do k = 1, b%nz
          wind(k, i, j) = flux(k, i, j)/(0.5_wp*((d_base(k, i - di, j - dj) &
            + rho(k, i - di, j - dj)) + (d_base(k, i, j) + rho(k, i, j))))
        end do
      end do
    end do
  end subroutine diagnose_wind
end module weather_forces
