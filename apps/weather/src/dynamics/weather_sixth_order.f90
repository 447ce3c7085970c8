! SPDX-License-Identifier: BSD-3-Clause
! A scale-selective filter: sixth-order diffusion along the model's levels, made monotone.
!
!   tend_i += share (D_i+1 d_i+1/2 - D_i d_i-1/2)
!
! with D_i the fifth difference of q across the face i-1/2 and d the density there (Xue 2000, Mon.
! Wea. Rev. 128, 2853-2864; with a factor per step: Knievel, Bryan and Hacker 2007, Mon. Wea. Rev.
! 135, 3808-3824, WRF's diff_6th_opt = 2). In each step a wave of wavelength L along one direction
! loses factor sin^6(pi dx / L) of its amplitude: `factor` at 2 dx, an eighth of it at 4 dx, 0.3 %
! of it at 8 dx. Where D goes up the gradient it is left out, as by Xue. It is held to a quarter
! of the difference across the face, so that a new value is a mean of old ones, and no extremum
! appears or grows; no plane wave reaches that.
module weather_sixth_order
  use weather_constants, only: wp
  use weather_grid, only: shape_t, box_t
  implicit none (type, external)
  private
  public :: density_at, sixth_order

contains

  !> Density at the points of a field: cells (di = dj = 0), u faces (di = 1), v faces (dj = 1), or w
  !> faces (`fzm`, `fzp` given), on the box and one column around it.
  subroutine density_at(b, r, di, dj, d_base, rho, d, fzm, fzp)
    type(shape_t), intent(in) :: b
    type(box_t), intent(in) :: r
    integer, intent(in) :: di, dj
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: d_base, rho
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: d
    real(wp), intent(in), optional :: fzm(b%nz), fzp(b%nz)
    real(wp) :: here(b%nz)
    integer :: i, j, k, more

    more = merge(0, 1, b%two_d)
    do j = r%j1 - more, r%j2 + more
      do i = r%i1 - 1, r%i2 + 1
        here = 0.5_wp*((d_base(:, i - di, j - dj) + rho(:, i - di, j - dj)) + (d_base(:, i, j) &
          + rho(:, i, j)))
        d(:, i, j) = here
        if (.not. present(fzm)) cycle
        do k = 2, b%nz
          d(k, i, j) = fzm(k)*here(k) + fzp(k)*here(k - 1)
        end do
      end do
    end do
  end subroutine density_at

  !> tend += the filter's tendency of d q. `factor`: share of a wave of 2 dx that a step of dt takes
  !> away. Needs three columns of q and one of the density d around the box.
  subroutine sixth_order(b, r, factor, dt, d, q, tend)
    type(shape_t), intent(in) :: b
    type(box_t), intent(in) :: r
    real(wp), intent(in) :: factor, dt
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: d, q
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: tend
    real(wp) :: flux(b%nz), share, most
    integer :: i, j

    share = factor/(64.0_wp*dt)
    most = 0.25_wp/dt
    do j = r%j1, r%j2
      do i = r%i1, r%i2 + 1
        call face_flux(b%nz, share, most, q(1, i - 3, j), q(1, i - 2, j), q(1, i - 1, j), &
          q(1, i, j), q(1, i + 1, j), q(1, i + 2, j), d(1, i - 1, j), d(1, i, j), flux)
        if (i <= r%i2) tend(:, i, j) = tend(:, i, j) - flux
        if (i > r%i1) tend(:, i - 1, j) = tend(:, i - 1, j) + flux
      end do
    end do
    if (b%two_d) return
    do j = r%j1, r%j2 + 1
      do i = r%i1, r%i2
        call face_flux(b%nz, share, most, q(1, i, j - 3), q(1, i, j - 2), q(1, i, j - 1), &
          q(1, i, j), q(1, i, j + 1), q(1, i, j + 2), d(1, i, j - 1), d(1, i, j), flux)
        if (j <= r%j2) tend(:, i, j) = tend(:, i, j) - flux
        if (j > r%j1) tend(:, i, j - 1) = tend(:, i, j - 1) + flux
      end do
    end do
  end subroutine sixth_order

  !> What flows from point 4 to point 3 of six points in a row, per second.
  pure subroutine face_flux(nz, share, most, q1, q2, q3, q4, q5, q6, d3, d4, flux)
    integer, intent(in) :: nz
    real(wp), intent(in) :: share, most
    real(wp), dimension(nz), intent(in) :: q1, q2, q3, q4, q5, q6, d3, d4
    real(wp), intent(out) :: flux(nz)
    real(wp) :: fifth, rise
    integer :: k

    do k = 1, nz
      rise = q4(k) - q3(k)
      fifth = share*(((q6(k) - q1(k)) - 5.0_wp*(q5(k) - q2(k))) + 10.0_wp*rise)
      flux(k) = 0.0_wp
      if (fifth*rise > 0.0_wp) flux(k) = min(d3(k), d4(k))*sign(min(abs(fifth), &
        most*abs(rise)), rise)
    end do
  end subroutine face_flux
end module weather_sixth_order
