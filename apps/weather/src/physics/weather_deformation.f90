! SPDX-License-Identifier: BSD-3-Clause
! The rate of deformation D_ij = du_i/dx_j + du_j/dx_i on the C grid, with the slopes of the
! terrain-following levels: horizontal derivatives are those at constant height,
!   d/dx at constant z = d/dx along a level - (dz/dx) (d/dzeta)/jac.
! Diagonal parts (only du/dx, not twice it) sit at the centres of cells, d12 at the vertical edges
! through the south-west corners, d13 and d23 at the west and south edges of the lower faces.
module weather_deformation
  use weather_constants, only: wp
  use weather_grid, only: grid_t, shape_t, box_t
  use weather_slopes, only: metric_gradient
  implicit none (type, external)
  private
  public :: deform_cells, deform_corners, deform_edges_x, deform_edges_y, along_level

contains

  !> du/dx, dv/dy and dw/dz of the cells in r.
  subroutine deform_cells(b, g, r, u, v, w, d11, d22, d33)
    type(shape_t), intent(in) :: b
    type(grid_t), intent(in) :: g
    type(box_t), intent(in) :: r
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: u, v, w
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: d11, d22, d33
    real(wp) :: above(b%nz), steep
    integer :: i, j, k

    do j = r%j1, r%j2
      do i = r%i1, r%i2
        steep = 0.5_wp*(g%sx(i, j) + g%sx(i + 1, j))
        call along_level(g, 1.0_wp/g%dx, steep, g%jac(i, j), u(1, i, j), u(1, i + 1, j), &
          d11(1, i, j))
        if (.not. b%two_d) then
          steep = 0.5_wp*(g%sy(i, j) + g%sy(i, j + 1))
          call along_level(g, 1.0_wp/g%dy, steep, g%jac(i, j), v(1, i, j), v(1, i, j + 1), &
            d22(1, i, j))
        end if
        above(:b%nz - 1) = w(2:, i, j)
        above(b%nz) = 0.0_wp
        do k = 1, b%nz
          d33(k, i, j) = g%rdz(k)*(above(k) - w(k, i, j))/g%jac(i, j)
        end do
      end do
    end do
  end subroutine deform_cells

  !> du/dy + dv/dx at the south-west corners of the cells in r.
  subroutine deform_corners(b, g, r, u, v, d12)
    type(shape_t), intent(in) :: b
    type(grid_t), intent(in) :: g
    type(box_t), intent(in) :: r
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: u, v
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: d12
    real(wp) :: one(b%nz), other(b%nz), jac, steep
    integer :: i, j, k

    do j = r%j1, r%j2
      do i = r%i1, r%i2
        jac = 0.5_wp*(g%jac_u(i, j - 1) + g%jac_u(i, j))
        steep = 0.5_wp*(g%sy(i - 1, j) + g%sy(i, j))
        call along_level(g, 1.0_wp/g%dy, steep, jac, u(1, i, j - 1), u(1, i, j), one)
        steep = 0.5_wp*(g%sx(i, j - 1) + g%sx(i, j))
        call along_level(g, 1.0_wp/g%dx, steep, jac, v(1, i - 1, j), v(1, i, j), other)
        do k = 1, b%nz
          d12(k, i, j) = one(k) + other(k)
        end do
      end do
    end do
  end subroutine deform_corners

  !> du/dz + dw/dx at the west edges of the lower faces 2:nz of the cells in r; 0 at the ground,
  !> where the surface scheme knows the stress.
  subroutine deform_edges_x(b, g, r, u, w, d13)
    type(shape_t), intent(in) :: b
    type(grid_t), intent(in) :: g
    type(box_t), intent(in) :: r
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: u, w
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: d13
    integer :: i, j
    do j = r%j1, r%j2
      do i = r%i1, r%i2
        call edge_column(g, b%nz, 1.0_wp/g%dx, g%sx(i, j), g%jac_u(i, j), u(1, i, j), &
          w(1, i - 1, j), w(1, i, j), d13(1, i, j))
      end do
    end do
  end subroutine deform_edges_x

  !> dv/dz + dw/dy at the south edges.
  subroutine deform_edges_y(b, g, r, v, w, d23)
    type(shape_t), intent(in) :: b
    type(grid_t), intent(in) :: g
    type(box_t), intent(in) :: r
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: v, w
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: d23
    integer :: i, j
    do j = r%j1, r%j2
      do i = r%i1, r%i2
        call edge_column(g, b%nz, 1.0_wp/g%dy, g%sy(i, j), g%jac_v(i, j), v(1, i, j), &
          w(1, i, j - 1), w(1, i, j), d23(1, i, j))
      end do
    end do
  end subroutine deform_edges_y

  subroutine edge_column(g, n, rdx, steep, jac, u, low, high, d)
    type(grid_t), intent(in) :: g
    integer, intent(in) :: n
    real(wp), intent(in) :: rdx, steep, jac, u(n), low(n), high(n)
    real(wp), intent(out) :: d(n)
    real(wp) :: both(n + 1)
    integer :: k

    d(1) = 0.0_wp
    do k = 2, n
      d(k) = g%rdzf(k)*(u(k) - u(k - 1))/jac + rdx*(high(k) - low(k))
    end do
    if (g%flat) return
    both(:n) = 0.5_wp*(low + high)
    both(n + 1) = 0.0_wp
    do k = 2, n
      d(k) = d(k) - steep*g%fall_f(k)*(both(k + 1) - both(k - 1))/((g%zf(k + 1) - g%zf(k - 1))*jac)
    end do
  end subroutine edge_column

  !> Horizontal derivative between two neighbouring columns of a quantity at levels.
  subroutine along_level(g, rdx, steep, jac, low, high, d)
    type(grid_t), intent(in) :: g
    real(wp), intent(in) :: rdx, steep, jac, low(g%nz), high(g%nz)
    real(wp), intent(out) :: d(g%nz)
    real(wp) :: metric(g%nz)
    integer :: k

    do k = 1, g%nz
      d(k) = rdx*(high(k) - low(k))
    end do
    if (g%flat) return
    call metric_gradient(g%nz, steep, g%fall_c, g%slope, low, high, metric)
    do k = 1, g%nz
      d(k) = d(k) - metric(k)/jac
    end do
  end subroutine along_level
end module weather_deformation
