! SPDX-License-Identifier: BSD-3-Clause
! Sunshine through cloudy air over a ground: the k-distributions of Chou and Suarez (1999, NASA
! Technical Memorandum 104606, vol. 15) for ozone and vapour, Rayleigh scattering, and clouds of
! Slingo (1989, J. Atmos. Sci. 46, 1419-1427), in delta-Eddington layers (Joseph, Wiscombe and
! Weinman 1976; Meador and Weaver 1980, J. Atmos. Sci. 37, 630-643) that are added together.
!
! Five bands of ultraviolet and visible light (coefficients of the version in NASA's GEOS model) and
! ten terms of near-infrared: those of the three near-infrared bands share their coefficients, so
! one term carries all three, with clouds and Rayleigh scattering averaged by their weights.
! Oxygen takes a share of the downward flux that depends on the path of the direct beam (their
! equation 3.18). Left out: CO2, aerosols, ice.
module weather_shortwave
  use weather_constants, only: wp
  use weather_air_block, only: air_t, block, attenuate
  implicit none (type, external)
  private
  public :: shortwave, delta_eddington, water_albedo, layer_t

  real(wp), parameter, public :: solar_constant = 1361.0_wp  !! W m-2: Kopp and Lean (2011)
  real(wp), parameter, public :: droplet = 10.0_wp           !! effective radius [micrometres]
  real(wp), parameter :: drop = 500.0_wp                     !! that of rain

  integer, parameter :: visible = 5, infrared = 10, terms = visible + infrared

  ! Weights, ozone [cm-1], vapour [cm2 g-1] and Rayleigh scattering [hPa-1] of the visible bands.
  real(wp), parameter :: share_v(visible) = [0.00530_wp, 0.00505_wp, 0.01109_wp, 0.05849_wp, &
    0.39081_wp]
  real(wp), parameter :: ozone_v(visible) = [192.8_wp, 26.70_wp, 1.99_wp, 0.0345_wp, 0.0572_wp]
  real(wp), parameter :: vapour_v(visible) = [0.0_wp, 0.0_wp, 0.0_wp, 0.0_wp, 0.00075_wp]
  real(wp), parameter :: rayleigh_v(visible) = [0.00188_wp, 0.00158_wp, 0.00095_wp, 0.00055_wp, &
    0.00012_wp]

  ! Vapour [cm2 g-1] and weights of the three near-infrared bands (0.70-1.22-2.27-10 micrometres).
  real(wp), parameter :: vapour_i(infrared) = [0.0010_wp, 0.0133_wp, 0.0422_wp, 0.1334_wp, &
    0.4217_wp, 1.334_wp, 5.623_wp, 31.62_wp, 177.8_wp, 1000.0_wp]
  real(wp), parameter :: share_i(3, infrared) = reshape([ &
    0.20673_wp, 0.08236_wp, 0.01074_wp, 0.03497_wp, 0.01157_wp, 0.00360_wp, &
    0.03011_wp, 0.01133_wp, 0.00411_wp, 0.02260_wp, 0.01143_wp, 0.00421_wp, &
    0.01336_wp, 0.01240_wp, 0.00389_wp, 0.00696_wp, 0.01258_wp, 0.00326_wp, &
    0.00441_wp, 0.01381_wp, 0.00499_wp, 0.00115_wp, 0.00650_wp, 0.00465_wp, &
    0.00026_wp, 0.00244_wp, 0.00245_wp, 0.00000_wp, 0.00094_wp, 0.00145_wp], [3, infrared])
  real(wp), parameter :: rayleigh_i(3) = [0.0000156_wp, 0.0000018_wp, 0.0_wp]

  ! Slingo's clouds in his four bands, the first for visible light: optical depth of a path
  ! a + b/r [m2 g-1], absorbed share of what is taken out c + d r, asymmetry e + f r.
  real(wp), parameter :: cloud_a(4) = [2.817e-2_wp, 2.682e-2_wp, 2.264e-2_wp, 1.281e-2_wp]
  real(wp), parameter :: cloud_b(4) = [1.305_wp, 1.346_wp, 1.454_wp, 1.641_wp]
  real(wp), parameter :: cloud_c(4) = [-5.62e-8_wp, -6.94e-6_wp, 4.64e-4_wp, 2.01e-1_wp]
  real(wp), parameter :: cloud_d(4) = [1.63e-7_wp, 2.35e-5_wp, 1.24e-3_wp, 7.56e-3_wp]
  real(wp), parameter :: cloud_e(4) = [0.829_wp, 0.794_wp, 0.754_wp, 0.826_wp]
  real(wp), parameter :: cloud_f(4) = [2.482e-3_wp, 4.226e-3_wp, 6.560e-3_wp, 4.353e-3_wp]

  !> Optical properties of one term.
  type :: term_t
    real(wp) :: weight = 0.0_wp, ozone = 0.0_wp, vapour = 0.0_wp, rayleigh = 0.0_wp
    real(wp) :: cloud = 0.0_wp, absorbed = 0.0_wp, asymmetry = 0.0_wp    !! of cloud water
  end type term_t

  !> What a layer does: to diffuse light (reflected, passed), and to the beam (reflected, passed as
  !> diffuse light, passed untouched).
  type :: layer_t
    real(wp), dimension(block) :: back = 0.0_wp, through = 0.0_wp, back_beam = 0.0_wp, &
      through_beam = 0.0_wp, beam = 1.0_wp
  end type layer_t

contains

  !> Fluxes at the faces, for a beam that brings 1 through a level surface; all columns sunlit.
  pure subroutine shortwave(air, up, down)
    type(air_t), intent(in) :: air
    real(wp), dimension(block, air%n + 1), intent(out) :: up, down
    real(wp), dimension(block, air%n) :: water, vapour
    type(term_t) :: each(terms)
    integer :: n, k

    each = all_terms()
    water = air%cloud + droplet/drop*air%rain           ! per area of the drops
    do k = 1, air%n                                     ! equation 3.5 [g cm-2]
      vapour(:, k) = 1.02_wp*air%q(:, k)*0.01_wp*air%dp(:, k)*(air%p(:, k)/3.0e4_wp)**0.8_wp &
        *(1.0_wp + 0.00135_wp*(air%t(:, k) - 240.0_wp))
    end do
    up = 0.0_wp
    down = 0.0_wp
    do n = 1, terms
      call solve_term(air, each(n), vapour, water, up, down)
    end do
    call take_oxygen(air, up, down)
  end subroutine shortwave

  pure function all_terms() result(t)
    type(term_t) :: t(terms)
    real(wp) :: depth(4), absorbed(4), asymmetry(4), part(3)
    integer :: n

    depth = cloud_a + cloud_b/droplet
    absorbed = cloud_c + cloud_d*droplet
    asymmetry = cloud_e + cloud_f*droplet
    do n = 1, visible
      t(n) = term_t(share_v(n), ozone_v(n), vapour_v(n), rayleigh_v(n), depth(1), absorbed(1), &
        asymmetry(1))
    end do
    do n = 1, infrared
      part = share_i(:, n)/sum(share_i(:, n))
      t(visible + n) = term_t(sum(share_i(:, n)), 0.0_wp, vapour_i(n), sum(part*rayleigh_i), &
        sum(part*depth(2:)), sum(part*absorbed(2:)), sum(part*asymmetry(2:)))
    end do
  end function all_terms

  !> Adds what one term contributes: layers are added from the ground up, then the light comes down.
  pure subroutine solve_term(air, term, vapour, water, up, down)
    type(air_t), intent(in) :: air
    type(term_t), intent(in) :: term
    real(wp), dimension(block, air%n), intent(in) :: vapour, water
    real(wp), dimension(block, air%n + 1), intent(inout) :: up, down
    type(layer_t) :: layer(air%n)
    ! of all below a face: light that comes back of 1 of diffuse light, and of the beam
    real(wp), dimension(block, air%n + 1) :: below, source, beam
    real(wp), dimension(block) :: depth, scattered, asymmetry, s, bounce, flux
    integer :: k, m

    beam(:, air%n + 1) = 1.0_wp
    do k = air%n, 1, -1
      do m = 1, block
        s(m) = term%rayleigh*0.01_wp*air%dp(m, k)
        depth(m) = s(m) + term%ozone*air%ozone(m, k) + term%vapour*vapour(m, k) &
          + term%cloud*water(m, k) + 1.0e-12_wp
        asymmetry(m) = term%cloud*(1.0_wp - term%absorbed)*water(m, k)
        s(m) = s(m) + asymmetry(m)
        asymmetry(m) = term%asymmetry*asymmetry(m)/max(s(m), 1.0e-12_wp)
        scattered(m) = s(m)/depth(m)
      end do
      call delta_eddington(depth, scattered, asymmetry, air%sun, layer(k))
      beam(:, k) = beam(:, k + 1)*layer(k)%beam
    end do
    below(:, 1) = air%albedo
    source(:, 1) = air%albedo*beam(:, 1)
    do k = 1, air%n
      associate (l => layer(k))
        do m = 1, block
          bounce(m) = 1.0_wp/(1.0_wp - l%back(m)*below(m, k))
          below(m, k + 1) = l%back(m) + l%through(m)**2*below(m, k)*bounce(m)
          source(m, k + 1) = l%back_beam(m)*beam(m, k + 1) + l%through(m)*bounce(m)*(source(m, k) &
            + below(m, k)*l%through_beam(m)*beam(m, k + 1))
        end do
      end associate
    end do
    flux = 0.0_wp
    up(:, air%n + 1) = up(:, air%n + 1) + term%weight*source(:, air%n + 1)
    down(:, air%n + 1) = down(:, air%n + 1) + term%weight
    do k = air%n, 1, -1
      associate (l => layer(k))
        do m = 1, block
          flux(m) = (l%through(m)*flux(m) + l%back(m)*source(m, k) &
            + l%through_beam(m)*beam(m, k + 1))/(1.0_wp - l%back(m)*below(m, k))
          down(m, k) = down(m, k) + term%weight*(flux(m) + beam(m, k))
          up(m, k) = up(m, k) + term%weight*(below(m, k)*flux(m) + source(m, k))
        end do
      end associate
    end do
  end subroutine solve_term

  !> A layer of an optical depth, single-scattering albedo and asymmetry in a beam from the sine sun
  !> of its height: table 2 (Eddington) and equations 14, 15, 25, 26 of Meador and Weaver (1980).
  pure subroutine delta_eddington(depth, scattered, asymmetry, sun, layer)
    real(wp), dimension(block), intent(in) :: depth, scattered, asymmetry, sun
    type(layer_t), intent(out) :: layer
    real(wp), parameter :: most = 1.0_wp - 1.0e-6_wp, apart = 1.0e-4_wp
    real(wp), dimension(block) :: tau, w, g, k, sine, e, beam, f
    real(wp) :: g1, g2, g3, g4, a1, a2, ks, e2, d, scale
    integer :: m

    do m = 1, block
      f(m) = asymmetry(m)**2
      w(m) = min(scattered(m), most)
      tau(m) = (1.0_wp - w(m)*f(m))*depth(m)
      w(m) = (1.0_wp - f(m))*w(m)/(1.0_wp - w(m)*f(m))
      g(m) = asymmetry(m)/(1.0_wp + asymmetry(m))
      g1 = 0.25_wp*(7.0_wp - w(m)*(4.0_wp + 3.0_wp*g(m)))
      g2 = -0.25_wp*(1.0_wp - w(m)*(4.0_wp - 3.0_wp*g(m)))
      k(m) = sqrt((g1 - g2)*(g1 + g2))
      sine(m) = sun(m)                                   ! away from the resonance k sun = 1
      if (abs(1.0_wp - k(m)*sine(m)) < apart) sine(m) = (1.0_wp - apart)/k(m)
      f(m) = tau(m)/sine(m)
    end do
    call attenuate(f, beam)
    f = k*tau
    call attenuate(f, e)
    do m = 1, block
      g1 = 0.25_wp*(7.0_wp - w(m)*(4.0_wp + 3.0_wp*g(m)))
      g2 = -0.25_wp*(1.0_wp - w(m)*(4.0_wp - 3.0_wp*g(m)))
      g3 = 0.25_wp*(2.0_wp - 3.0_wp*g(m)*sine(m))
      g4 = 1.0_wp - g3
      a1 = g1*g4 + g2*g3
      a2 = g1*g3 + g2*g4
      ks = k(m)*sine(m)
      e2 = e(m)*e(m)
      d = 1.0_wp/((k(m) + g1) + (k(m) - g1)*e2)
      layer%back(m) = g2*(1.0_wp - e2)*d
      layer%through(m) = 2.0_wp*k(m)*e(m)*d
      layer%beam(m) = beam(m)
      scale = w(m)*d/((1.0_wp - ks)*(1.0_wp + ks))
      layer%back_beam(m) = scale*((1.0_wp - ks)*(a2 + k(m)*g3) - (1.0_wp + ks)*(a2 - k(m)*g3)*e2 &
        - 2.0_wp*(k(m)*g3 - a2*ks)*e(m)*beam(m))
      layer%through_beam(m) = -scale*((1.0_wp + ks)*(a1 + k(m)*g4)*beam(m) &
        - (1.0_wp - ks)*(a1 - k(m)*g4)*e2*beam(m) - 2.0_wp*(k(m)*g4 + a1*ks)*e(m))
      ! a low sun on thin layers of strong absorption gives small negative values
      layer%back_beam(m) = min(max(layer%back_beam(m), 0.0_wp), 1.0_wp - beam(m))
      layer%through_beam(m) = min(max(layer%through_beam(m), 0.0_wp), &
        1.0_wp - beam(m) - layer%back_beam(m))
      layer%back(m) = max(layer%back(m), 0.0_wp)
    end do
  end subroutine delta_eddington

  !> Equation 3.18: 6.33 % of the sun's energy lie in the bands of oxygen.
  pure subroutine take_oxygen(air, up, down)
    type(air_t), intent(in) :: air
    real(wp), dimension(block, air%n + 1), intent(inout) :: up, down
    real(wp) :: amount(block), left(block)
    integer :: k

    amount = 0.0_wp
    left = 1.0_wp
    do k = air%n, 1, -1
      amount = amount + 165.22_wp*0.01_wp*air%dp(:, k)*(air%p(:, k)/3.0e4_wp)**0.8_wp
      left = 1.0_wp - 0.0633_wp*(1.0_wp - exp(-0.000145_wp*sqrt(amount/air%sun)))
      down(:, k) = down(:, k)*left
    end do
    do k = 1, air%n + 1
      up(:, k) = up(:, k)*left
    end do
  end subroutine take_oxygen

  !> Albedo of water in a beam from the sine sun of its height: Briegleb, Minnis, Ramanathan and
  !> Harrison (1986, J. Climate Appl. Meteor. 25, 214-226).
  pure elemental real(wp) function water_albedo(sun)
    real(wp), intent(in) :: sun
    water_albedo = 0.026_wp/(1.1_wp*sun**1.7_wp + 0.065_wp) + 0.15_wp*(sun - 0.1_wp) &
      *(sun - 0.5_wp)*(sun - 1.0_wp)
  end function water_albedo
end module weather_shortwave
