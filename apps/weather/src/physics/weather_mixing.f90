! SPDX-License-Identifier: BSD-3-Clause
! Turbulent fluxes and what they do to wind and scalars, in flux form: mixing along the horizontal
! is explicit, mixing along the column and the exchange with the ground are implicit, so that thin
! levels and strong exchange set no limit to the time step. Tendencies are those of coupled fields.
!
! With mix = jac rho K the flux of q through a vertical face is mix dq/dx, and that through a
! level's face is rho K dq/dz less what horizontal fluxes carry through it because it slopes.
module weather_mixing
  use weather_constants, only: wp
  use weather_grid, only: grid_t, shape_t, box_t
  use weather_slopes, only: slope_flux
  use weather_deformation, only: along_level
  implicit none (type, external)
  private
  public :: mix_along, mix_up, mix_wind_u, mix_wind_v, mix_wind_w, solve_column

contains

  !> Changes over dt of a column under implicit exchange between its n boxes:
  !>   weight change/dt = rthick (flux(k+1) - flux(k)),  flux(k) = e(k) (x(k) - x(k-1)) at the end,
  !> with x(0) = below and x(n+1) = above; e(1) = 0 or e(n+1) = 0 closes that end.
  pure subroutine solve_column(n, dt, rthick, weight, e, below, above, x, change)
    integer, intent(in) :: n
    real(wp), intent(in) :: dt, rthick(n), weight(n), e(n + 1), below, above, x(n)
    real(wp), intent(out) :: change(n)
    real(wp) :: flux(n + 1), ratio(n), left, inverse, a
    integer :: k

    flux(1) = e(1)*(x(1) - below)
    do k = 2, n
      flux(k) = e(k)*(x(k) - x(k - 1))
    end do
    flux(n + 1) = e(n + 1)*(above - x(n))
    do k = 1, n
      change(k) = dt*rthick(k)*(flux(k + 1) - flux(k))
    end do
    left = weight(1) + dt*rthick(1)*e(1)
    inverse = 1.0_wp/(left + dt*rthick(1)*e(2))
    ratio(1) = dt*rthick(1)*e(2)*inverse
    change(1) = change(1)*inverse
    do k = 2, n
      a = dt*rthick(k)
      left = weight(k) + a*e(k)*(left*inverse)      ! left*inverse = 1 - ratio(k - 1), all digits
      inverse = 1.0_wp/(left + a*e(k + 1))
      ratio(k) = a*e(k + 1)*inverse
      change(k) = (change(k) + a*e(k)*change(k - 1))*inverse
    end do
    do k = n - 1, 1, -1
      change(k) = change(k) + ratio(k)*change(k + 1)
    end do
  end subroutine solve_column

  !> tend += horizontal mixing of a scalar q in the own cells; `factor` = K of scalars over K of
  !> momentum.
  subroutine mix_along(b, g, factor, mix_h, q, tend)
    type(shape_t), intent(in) :: b
    type(grid_t), intent(in) :: g
    real(wp), intent(in) :: factor
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: mix_h, q
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: tend
    real(wp), dimension(b%nz) :: west, east, south, north, along
    integer :: i, j, k

    do j = g%own%j1, g%own%j2
      call flux_x(g%own%i1, east)
      do i = g%own%i1, g%own%i2
        west = east
        call flux_x(i + 1, east)
        do k = 1, b%nz
          tend(k, i, j) = tend(k, i, j) + (east(k) - west(k))/g%dx
        end do
        if (.not. b%two_d) then
          call flux_y(j, south)
          call flux_y(j + 1, north)
          do k = 1, b%nz
            tend(k, i, j) = tend(k, i, j) + (north(k) - south(k))/g%dy
          end do
        end if
        if (g%flat) cycle
        along = 0.0_wp
        call slope_flux(b%nz, g%fzm, g%fzp, g%fall_f, g%sx(i, j), g%sx(i + 1, j), west, east, along)
        if (.not. b%two_d) call slope_flux(b%nz, g%fzm, g%fzp, g%fall_f, g%sy(i, j), &
          g%sy(i, j + 1), south, north, along)
        call add_slope(b%nz, g%rdz, g%jac(i, j), along, tend(1, i, j))
      end do
    end do
  contains
    subroutine flux_x(face, flux)
      integer, intent(in) :: face
      real(wp), intent(out) :: flux(b%nz)
      call along_level(g, 1.0_wp/g%dx, g%sx(face, j), g%jac_u(face, j), q(1, face - 1, j), &
        q(1, face, j), flux)
      flux = (0.5_wp*factor)*(mix_h(:, face - 1, j) + mix_h(:, face, j))*flux
    end subroutine flux_x
    subroutine flux_y(face, flux)
      integer, intent(in) :: face
      real(wp), intent(out) :: flux(b%nz)
      call along_level(g, 1.0_wp/g%dy, g%sy(i, face), g%jac_v(i, face), q(1, i, face - 1), &
        q(1, i, face), flux)
      flux = (0.5_wp*factor)*(mix_h(:, i, face - 1) + mix_h(:, i, face))*flux
    end subroutine flux_y
  end subroutine mix_along

  !> What horizontal fluxes carry through sloping faces; none through ground and top.
  pure subroutine add_slope(n, rdz, jac, along, tend)
    integer, intent(in) :: n
    real(wp), intent(in) :: rdz(n), jac, along(n)
    real(wp), intent(inout) :: tend(n)
    real(wp) :: through(n + 1)
    integer :: k
    through(1) = 0.0_wp
    do k = 2, n
      through(k) = along(k)/jac
    end do
    through(n + 1) = 0.0_wp
    do k = 1, n
      tend(k) = tend(k) - rdz(k)*(through(k + 1) - through(k))
    end do
  end subroutine add_slope

  !> tend += vertical mixing of a scalar in the own cells and its exchange with the ground, whose
  !> coefficient [kg m-2 s-1] and value are given per column; flux: what rises from the ground.
  subroutine mix_up(b, g, dt, factor, d_base, rho, mix_z, ground, value, q, tend, flux)
    type(shape_t), intent(in) :: b
    type(grid_t), intent(in) :: g
    real(wp), intent(in) :: dt, factor
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: d_base, rho, mix_z, q
    real(wp), dimension(b%il:b%ih, b%jl:b%jh), intent(in) :: ground, value
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: tend
    real(wp), dimension(b%il:b%ih, b%jl:b%jh), intent(inout) :: flux
    real(wp) :: e(b%nz + 1), weight(b%nz), change(b%nz)
    integer :: i, j, k

    e(b%nz + 1) = 0.0_wp
    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        e(1) = ground(i, j)
        do k = 2, b%nz
          e(k) = factor*mix_z(k, i, j)*g%rdzf(k)/g%jac(i, j)**2
        end do
        weight = d_base(:, i, j) + rho(:, i, j)
        call solve_column(b%nz, dt, g%rdz, weight, e, value(i, j), 0.0_wp, q(1, i, j), change)
        do k = 1, b%nz
          tend(k, i, j) = tend(k, i, j) + weight(k)*change(k)/dt
        end do
        flux(i, j) = e(1)*(value(i, j) - (q(1, i, j) + change(1)))
      end do
    end do
  end subroutine mix_up

  !> tend_u += divergence of the stress at the own u faces. t11 = 2 mix du/dx at centres; mix_z(1)
  !> is the drag coefficient of the ground [kg m-2 s-1].
  subroutine mix_wind_u(b, g, dt, d_base, rho, mix_h, mix_z, t11, d12, d13, u, tend)
    type(shape_t), intent(in) :: b
    type(grid_t), intent(in) :: g
    real(wp), intent(in) :: dt
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: d_base, rho, mix_h, mix_z, t11, &
      d12, d13, u
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: tend
    real(wp), dimension(b%nz) :: south, north, along, weight, both
    integer :: i, j

    do j = g%own_u%j1, g%own_u%j2
      do i = g%own_u%i1, g%own_u%i2
        tend(:, i, j) = tend(:, i, j) + (t11(:, i, j) - t11(:, i - 1, j))/g%dx
        along = 0.0_wp
        if (.not. g%flat) call slope_flux(b%nz, g%fzm, g%fzp, g%fall_f, g%sx(i, j), g%sx(i, j), &
          t11(1, i - 1, j), t11(1, i, j), along)
        if (.not. b%two_d) then
          call corner_stress(b, mix_h, d12, i, j, south)
          call corner_stress(b, mix_h, d12, i, j + 1, north)
          tend(:, i, j) = tend(:, i, j) + (north - south)/g%dy
          if (.not. g%flat) call slope_flux(b%nz, g%fzm, g%fzp, g%fall_f, 0.5_wp*(g%sy(i - 1, j) &
            + g%sy(i, j)), 0.5_wp*(g%sy(i - 1, j + 1) + g%sy(i, j + 1)), south, north, along)
        end if
        weight = 0.5_wp*((d_base(:, i - 1, j) + rho(:, i - 1, j)) + (d_base(:, i, j) &
          + rho(:, i, j)))
        both = 0.5_wp*(mix_z(:, i - 1, j) + mix_z(:, i, j))
        call mix_wind_up(g, b%nz, dt, g%jac_u(i, j), weight, both, along, d13(1, i, j), &
          u(1, i, j), tend(1, i, j))
      end do
    end do
  end subroutine mix_wind_u

  !> The same at the own v faces.
  subroutine mix_wind_v(b, g, dt, d_base, rho, mix_h, mix_z, t22, d12, d23, v, tend)
    type(shape_t), intent(in) :: b
    type(grid_t), intent(in) :: g
    real(wp), intent(in) :: dt
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: d_base, rho, mix_h, mix_z, t22, &
      d12, d23, v
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: tend
    real(wp), dimension(b%nz) :: west, east, along, weight, both
    integer :: i, j

    do j = g%own_v%j1, g%own_v%j2
      do i = g%own_v%i1, g%own_v%i2
        call corner_stress(b, mix_h, d12, i, j, west)
        call corner_stress(b, mix_h, d12, i + 1, j, east)
        tend(:, i, j) = tend(:, i, j) + ((t22(:, i, j) - t22(:, i, j - 1))/g%dy &
          + (east - west)/g%dx)
        along = 0.0_wp
        if (.not. g%flat) then
          call slope_flux(b%nz, g%fzm, g%fzp, g%fall_f, g%sy(i, j), g%sy(i, j), t22(1, i, j - 1), &
            t22(1, i, j), along)
          call slope_flux(b%nz, g%fzm, g%fzp, g%fall_f, 0.5_wp*(g%sx(i, j - 1) + g%sx(i, j)), &
            0.5_wp*(g%sx(i + 1, j - 1) + g%sx(i + 1, j)), west, east, along)
        end if
        weight = 0.5_wp*((d_base(:, i, j - 1) + rho(:, i, j - 1)) + (d_base(:, i, j) &
          + rho(:, i, j)))
        both = 0.5_wp*(mix_z(:, i, j - 1) + mix_z(:, i, j))
        call mix_wind_up(g, b%nz, dt, g%jac_v(i, j), weight, both, along, d23(1, i, j), &
          v(1, i, j), tend(1, i, j))
      end do
    end do
  end subroutine mix_wind_v

  !> mix_h (du/dy + dv/dx) at the south-west corner of a cell.
  pure subroutine corner_stress(b, mix_h, d12, i, j, t)
    type(shape_t), intent(in) :: b
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: mix_h, d12
    integer, intent(in) :: i, j
    real(wp), intent(out) :: t(b%nz)
    integer :: k
    do k = 1, b%nz
      t(k) = 0.25_wp*((mix_h(k, i - 1, j - 1) + mix_h(k, i, j - 1)) + (mix_h(k, i - 1, j) &
        + mix_h(k, i, j)))*d12(k, i, j)
    end do
  end subroutine corner_stress

  !> Vertical part for one column of horizontal wind: the part from its own shear and from the
  !> ground implicitly, that from dw/dx and from sloping levels explicitly.
  pure subroutine mix_wind_up(g, n, dt, jac, weight, mix_z, along, d, u, tend)
    type(grid_t), intent(in) :: g
    integer, intent(in) :: n
    real(wp), intent(in) :: dt, jac, weight(n), mix_z(n), along(n), d(n), u(n)
    real(wp), intent(inout) :: tend(n)
    real(wp) :: e(n + 1), through(n + 1), change(n)
    integer :: k

    e(1) = mix_z(1)
    through(1) = 0.0_wp
    do k = 2, n
      e(k) = mix_z(k)*g%rdzf(k)/jac**2
      through(k) = (mix_z(k)*(d(k) - g%rdzf(k)*(u(k) - u(k - 1))/jac) - along(k))/jac
    end do
    e(n + 1) = 0.0_wp
    through(n + 1) = 0.0_wp
    call solve_column(n, dt, g%rdz, weight, e, 0.0_wp, 0.0_wp, u, change)
    do k = 1, n
      tend(k) = tend(k) + g%rdz(k)*(through(k + 1) - through(k)) + weight(k)*change(k)/dt
    end do
  end subroutine mix_wind_up

  !> tend_w += divergence of the stress at the lower faces 2:nz of the own cells; `centre` is the
  !> vertical coefficient at the centres.
  subroutine mix_wind_w(b, g, dt, d_base, rho, mix_z, centre, d13, d23, w, tend)
    type(shape_t), intent(in) :: b
    type(grid_t), intent(in) :: g
    real(wp), intent(in) :: dt
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: d_base, rho, mix_z, centre, &
      d13, d23, w
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: tend
    real(wp), dimension(b%nz) :: west, east, south, north, along, d, weight, e, change
    integer :: n, i, j, k

    n = b%nz
    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        west = 0.5_wp*(mix_z(:, i - 1, j) + mix_z(:, i, j))*d13(:, i, j)
        east = 0.5_wp*(mix_z(:, i, j) + mix_z(:, i + 1, j))*d13(:, i + 1, j)
        tend(2:, i, j) = tend(2:, i, j) + (east(2:) - west(2:))/g%dx
        along = 0.0_wp
        if (.not. g%flat) call add_to_centres(g%sx(i, j), g%sx(i + 1, j), west, east)
        if (.not. b%two_d) then
          south = 0.5_wp*(mix_z(:, i, j - 1) + mix_z(:, i, j))*d23(:, i, j)
          north = 0.5_wp*(mix_z(:, i, j) + mix_z(:, i, j + 1))*d23(:, i, j + 1)
          tend(2:, i, j) = tend(2:, i, j) + (north(2:) - south(2:))/g%dy
          if (.not. g%flat) call add_to_centres(g%sy(i, j), g%sy(i, j + 1), south, north)
        end if
        d = d_base(:, i, j) + rho(:, i, j)
        do k = 1, n
          e(k) = 2.0_wp*centre(k, i, j)*g%rdz(k)/g%jac(i, j)**2
        end do
        do k = 2, n
          weight(k) = g%fzm(k)*d(k) + g%fzp(k)*d(k - 1)
        end do
        call solve_column(n - 1, dt, g%rdzf(2:n), weight(2:), e, w(1, i, j), 0.0_wp, w(2:, i, j), &
          change(2:))
        do k = 2, n
          tend(k, i, j) = tend(k, i, j) - g%rdzf(k)*(along(k) - along(k - 1))/g%jac(i, j) &
            + weight(k)*change(k)/dt
        end do
      end do
    end do
  contains
    !> Slope times horizontal flux of w at the centres, from fluxes at the faces.
    subroutine add_to_centres(s_low, s_high, low, high)
      real(wp), intent(in) :: s_low, s_high, low(n), high(n)
      real(wp) :: both(n + 1)
      both(2:n) = 0.5_wp*(s_low*low(2:) + s_high*high(2:))
      both(1) = both(2)
      both(n + 1) = 0.0_wp
      along = along + g%fall_c*(0.5_wp*(both(:n) + both(2:)))
    end subroutine add_to_centres
  end subroutine mix_wind_w
end module weather_mixing
