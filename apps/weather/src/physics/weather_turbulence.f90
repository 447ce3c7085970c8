! SPDX-License-Identifier: BSD-3-Clause
! Coefficients of turbulent mixing: Smagorinsky (1963) with the correction of Lilly (1962) for
! stratification, K = l^2 sqrt(max(0, D^2 - N^2/Pr)).
!
! Grids of weather forecasts are far wider than high, so that by default both directions have their
! own length, as in RAMS: csx sqrt(dx dy) with the horizontal deformation, and csz dz with the whole
! deformation and the stratification. `isotropic` takes one length csx (dx dy dz)^(1/3) for both,
! for grids that resolve large eddies.
module weather_turbulence
  use weather_constants, only: wp, gravity
  use weather_grid, only: grid_t, shape_t, box_t
  implicit none (type, external)
  private
  public :: turbulence_t, mixing_coefficients, total_deformation, lilly_rate, least_mixing

  type :: turbulence_t
    real(wp) :: dt = 1.0_wp            !! time over which a tendency acts [s]
    real(wp) :: csx = 0.2_wp, csz = 0.2_wp
    real(wp) :: prandtl = 1.0_wp/3.0_wp
    real(wp) :: least = 0.0_wp         !! smallest horizontal K [m2 s-1]
    logical :: isotropic = .false.
  end type turbulence_t

  !> The explicit horizontal mixing over dt removes at most this share of a wave of two columns,
  !> four times over.
  real(wp), parameter :: share = 0.25_wp

contains

  !> RAMS's floor of the horizontal coefficient: akmin 0.075 (dx dy)^(2/3), lengths in metres.
  pure real(wp) function least_mixing(akmin, dx, dy)
    real(wp), intent(in) :: akmin, dx, dy
    least_mixing = akmin*0.075_wp*(dx*dy)**(2.0_wp/3.0_wp)
  end function least_mixing

  !> sqrt(max(0, D^2 - N^2/Pr)): D sqrt(1 - Ri/Pr), with a meaning for D = 0.
  pure elemental real(wp) function lilly_rate(deformation2, brunt2, prandtl)
    real(wp), intent(in) :: deformation2, brunt2, prandtl
    lilly_rate = sqrt(max(0.0_wp, deformation2 - brunt2/prandtl))
  end function lilly_rate

  !> Coefficients times coupled density of the own cells: mix_h at centres for horizontal mixing,
  !> centre at centres and mix_z at the lower faces 2:nz for vertical mixing.
  subroutine mixing_coefficients(b, g, t, d_base, rho, theta, d11, d22, d33, d12, d13, d23, mix_h, &
    centre, mix_z)
    type(shape_t), intent(in) :: b
    type(grid_t), intent(in) :: g
    type(turbulence_t), intent(in) :: t
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: d_base, rho, theta, d11, d22, &
      d33, d12, d13, d23
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: mix_h, centre, mix_z
    real(wp), dimension(b%nz) :: flat2, total2, brunt2, k_h, k_z
    integer :: i, j, k

    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        call total_deformation(b, i, j, d11, d22, d33, d12, d13, d23, flat2, total2)
        call stratification(g, i, j, theta(1, i, j), brunt2)
        call coefficients(g, t, i, j, flat2, total2, brunt2, k_h, k_z)
        do k = 1, b%nz
          mix_h(k, i, j) = (d_base(k, i, j) + rho(k, i, j))*k_h(k)
          centre(k, i, j) = (d_base(k, i, j) + rho(k, i, j))*k_z(k)
        end do
        mix_z(1, i, j) = 0.0_wp
        do k = 2, b%nz
          mix_z(k, i, j) = g%fzm(k)*centre(k, i, j) + g%fzp(k)*centre(k - 1, i, j)
        end do
      end do
    end do
  end subroutine mixing_coefficients

  !> Squares of the horizontal and of the whole deformation at the centres of a column; what sits
  !> at edges is squared there and then averaged.
  pure subroutine total_deformation(b, i, j, d11, d22, d33, d12, d13, d23, flat2, total2)
    type(shape_t), intent(in) :: b
    integer, intent(in) :: i, j
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: d11, d22, d33, d12, d13, d23
    real(wp), intent(out) :: flat2(b%nz), total2(b%nz)
    real(wp) :: corner, edges(b%nz + 1)
    integer :: n, k

    n = b%nz
    edges = 0.0_wp
    do k = 2, n
      edges(k) = 0.5_wp*(d13(k, i, j)**2 + d13(k, i + 1, j)**2)
    end do
    if (.not. b%two_d) then
      do k = 2, n
        edges(k) = edges(k) + 0.5_wp*(d23(k, i, j)**2 + d23(k, i, j + 1)**2)
      end do
    end if
    edges(1) = edges(2)            ! no shear is resolved beyond the outermost levels
    edges(n + 1) = edges(n)
    do k = 1, n
      flat2(k) = (d11(k, i, j) - d22(k, i, j))**2
      total2(k) = 2.0_wp*((d11(k, i, j)**2 + d22(k, i, j)**2) + d33(k, i, j)**2) &
        + 0.5_wp*(edges(k) + edges(k + 1))
    end do
    if (b%two_d) return
    do k = 1, n
      corner = 0.25_wp*((d12(k, i, j)**2 + d12(k, i + 1, j)**2) + (d12(k, i, j + 1)**2 &
        + d12(k, i + 1, j + 1)**2))
      flat2(k) = flat2(k) + corner
      total2(k) = total2(k) + corner
    end do
  end subroutine total_deformation

  !> N^2 at the centres of a column, from those at the faces on both sides of it.
  pure subroutine stratification(g, i, j, theta, brunt2)
    type(grid_t), intent(in) :: g
    integer, intent(in) :: i, j
    real(wp), intent(in) :: theta(g%nz)
    real(wp), intent(out) :: brunt2(g%nz)
    real(wp) :: face(g%nz + 1)
    integer :: k

    do k = 2, g%nz
      face(k) = 2.0_wp*gravity*(g%rdzf(k)/g%jac(i, j))*(theta(k) - theta(k - 1)) &
        /(theta(k) + theta(k - 1))
    end do
    face(1) = face(2)
    face(g%nz + 1) = face(g%nz)
    do k = 1, g%nz
      brunt2(k) = 0.5_wp*(face(k) + face(k + 1))
    end do
  end subroutine stratification

  !> K of momentum of a column [m2 s-1]. The horizontal one is bounded by what an explicit step can
  !> mix along sloping levels; the vertical one only by what it does to horizontal gradients of w.
  pure subroutine coefficients(g, t, i, j, flat2, total2, brunt2, k_h, k_z)
    type(grid_t), intent(in) :: g
    type(turbulence_t), intent(in) :: t
    integer, intent(in) :: i, j
    real(wp), dimension(g%nz), intent(in) :: flat2, total2, brunt2
    real(wp), dimension(g%nz), intent(out) :: k_h, k_z
    real(wp) :: area, waves, dz, steep2, bound, rate
    integer :: k

    area = g%dx*g%dy
    waves = 1.0_wp/g%dx**2 + 1.0_wp/g%dy**2
    if (g%shape%two_d) then
      area = g%dx**2
      waves = 1.0_wp/g%dx**2
    end if
    steep2 = max(abs(g%sx(i, j)), abs(g%sx(i + 1, j)))**2
    if (.not. g%shape%two_d) steep2 = steep2 + max(abs(g%sy(i, j)), abs(g%sy(i, j + 1)))**2
    bound = share/(t%dt*max(2.0_wp, 1.0_wp/t%prandtl))
    do k = 1, g%nz
      dz = g%jac(i, j)/g%rdz(k)
      rate = lilly_rate(total2(k), brunt2(k), t%prandtl)
      if (t%isotropic) then
        k_z(k) = t%csx**2*volume_length2()*rate
        k_h(k) = k_z(k)
      else
        k_z(k) = (t%csz*dz)**2*rate
        k_h(k) = t%csx**2*area*sqrt(flat2(k))
      end if
      k_h(k) = min(max(k_h(k), t%least), bound/(waves + steep2*(g%fall_c(k)/dz)**2))
      k_z(k) = min(k_z(k), bound/waves)
    end do
  contains
    pure real(wp) function volume_length2()
      if (g%shape%two_d) then
        volume_length2 = g%dx*dz
      else
        volume_length2 = (area*dz)**(2.0_wp/3.0_wp)
      end if
    end function volume_length2
  end subroutine coefficients
end module weather_turbulence
