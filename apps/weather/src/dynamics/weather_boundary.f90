! SPDX-License-Identifier: BSD-3-Clause
! The sides and the top: Davies relaxation towards side values and the sponge that damps w.
! Where a side is not periodic, ghost cells and the normal mass flux through the outermost face have
! the side values, and the outermost columns are relaxed to theirs (Davies 1976, Quart. J. Roy.
! Meteor. Soc. 102, 405-418), all fields at the same rate, so that it reflects waves as
! little as it can:
!   rate(n) = (exp(-5 n/width) - exp(-5)) / (1 - exp(-5)) / davies_time,    n = 0 at the outermost
! Rates that fall from column to column by a constant share suit waves of very different speeds
! (Lehmann 1993, Meteor. Atmos. Phys. 52, 1-14; Marbaix and others 2003, Mon. Wea. Rev. 131,
! 461-479): the outermost columns stop external waves, which need about c/dx, the inner ones slow
! waves, which a steep change would reflect. A rate that is large for the time step does as much
! in it as the exact solution of dq/dt = -rate q.
module weather_boundary
  use weather_constants, only: wp, pi
  use weather_config, only: config_t
  use weather_grid, only: grid_t, shape_t, box_t
  implicit none (type, external)
  private
  public :: side_rates, relax, sponge_rates

contains

  !> Relaxation rate of each column [s-1], from its global place only: 1/davies_time at the
  !> outermost column, falling exponentially to 0 at davies_width columns from the side.
  subroutine side_rates(g, c, rate)
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    real(wp), allocatable, intent(out) :: rate(:, :)
    real(wp), parameter :: fall = 5.0_wp, fast = 300.0_wp     ! m s-1, an external wave
    real(wp) :: outermost, span
    integer :: i, j, away

    outermost = c%davies_time
    if (outermost <= 0.0_wp) outermost = min(g%dx, g%dy)/fast
    span = merge(2.0_wp, 1.0_wp, c%time_scheme == 'leapfrog')*c%dtlong
    associate (b => g%shape)
      allocate (rate(b%il:b%ih, b%jl:b%jh), source=0.0_wp)
      do j = g%own%j1, g%own%j2
        do i = g%own%i1, g%own%i2
          away = huge(away)
          if (.not. g%periodic_x) away = min(away, i - 1, g%nx - i)
          if (.not. g%periodic_y) away = min(away, j - 1, g%ny - j)
          if (away >= c%davies_width) cycle
          rate(i, j) = (exp(-fall*away/c%davies_width) - exp(-fall))/(1.0_wp - exp(-fall))/outermost
          rate(i, j) = (1.0_wp - exp(-rate(i, j)*span))/span
        end do
      end do
    end associate
  end subroutine side_rates

  !> tend -= rate (q - side) in the columns where rate > 0.
  subroutine relax(b, r, rate, q, side, tend)
    type(shape_t), intent(in) :: b
    type(box_t), intent(in) :: r
    real(wp), intent(in) :: rate(b%il:b%ih, b%jl:b%jh)
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: q, side
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: tend
    integer :: i, j
    do j = r%j1, r%j2
      do i = r%i1, r%i2
        if (rate(i, j) <= 0.0_wp) cycle
        tend(:, i, j) = tend(:, i, j) - rate(i, j)*(q(:, i, j) - side(:, i, j))
      end do
    end do
  end subroutine relax

  !> Damping rate of w at the lower faces [s-1]: sponge_rate at the top, falling as sin^2 to 0 at
  !> sponge_depth below (the form of Klemp, Dudhia, Hassiotis 2008).
  subroutine sponge_rates(g, c, rate)
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    real(wp), allocatable, intent(out) :: rate(:)
    real(wp) :: depth
    integer :: k

    allocate (rate(g%nz), source=0.0_wp)
    do k = 1, g%nz
      depth = g%zf(k) - (g%top - c%sponge_depth)
      if (depth > 0.0_wp .and. c%sponge_depth > 0.0_wp) &
        rate(k) = c%sponge_rate*sin(0.5_wp*pi*depth/c%sponge_depth)**2
    end do
  end subroutine sponge_rates
end module weather_boundary
