! SPDX-License-Identifier: BSD-3-Clause
! Longwave fluxes of cloudy air over a ground: the k-distributions of Chou, Suarez, Liang and Yan
! (2001, NASA Technical Memorandum 104606, vol. 19) for nine bands, water vapour (lines and
! continuum), CO2, ozone, N2O and CH4; equation and table numbers below are theirs.
!
! Their terms are taken as monochromatic: each has an absorption that is a sum over gases, the
! terms of gases in a band are independent of each other (the products of their weights), and each
! is solved down and up through the column. So the heat that all layers gain is exactly what the
! fluxes at the ends lose. Coefficients are those of diffuse radiation (diffusivity 1.66 included).
! The Planck function is linear in the optical depth of a layer, by the approximation of Clough,
! Iacono and Moncet (1992, J. Geophys. Res. 97, 15761-15785).
! Left out: scattering, CFCs, the weak bands of CO2 in the window, terms below 0.2 % of a band.
! For ozone their table of transmittances (250 K) is replaced by a sum of six exponentials of our
! own fit, which differs from it by 0.016 (rms; 4 to 1000 hPa).
! Clouds absorb like grey bodies: 0.144 m2 g-1, between the 0.130 (up) and 0.158 (down) of Stephens
! (1978, J. Atmos. Sci. 35, 2123-2132), rain 0.33e-3 m2 g-1, both as Dudhia (1989, J. Atmos. Sci.
! 46, 3077-3107).
module weather_longwave
  use weather_constants, only: wp, stefan_boltzmann
  use weather_air_block, only: air_t, block, attenuate
  use weather_ground_heat, only: emissivity
  implicit none (type, external)
  private
  public :: longwave, gases_t, band_emission, longwave_terms

  integer, parameter, public :: bands = 9

  !> Well-mixed gases, parts of the volume.
  type :: gases_t
    real(wp) :: co2 = 4.0e-4_wp, n2o = 3.27e-7_wp, ch4 = 1.83e-6_wp
  end type gases_t

  !> One monochromatic term: its share of the band's energy, and coefficients of the scaled amounts
  !> of vapour lines, vapour continuum and up to two other absorbers.
  type :: term_t
    integer :: band = 0, other(2) = 1
    real(wp) :: weight = 0.0_wp, line = 0.0_wp, continuum = 0.0_wp, coefficient(2) = 0.0_wp
  end type term_t

  ! absorbers, by their scaled amounts: 1 to 9 vapour lines of each band, then
  integer, parameter :: of_continuum = 10, of_wings = 11, of_centre = 12, of_ozone = 13, &
    of_n2o_6 = 14, of_ch4_6 = 15, of_n2o_7 = 16, of_ch4_7 = 17, absorbers = 17

  ! Vapour lines: first coefficient [cm2 g-1], ratio to the next (table 4), temperature and pressure
  ! scaling (table 3), weights (table 4); continuum (table 9, CKD 2.3).
  real(wp), parameter :: first(bands) = [29.55_wp, 4.167e-1_wp, 1.328e-2_wp, 5.250e-4_wp, &
    5.25e-4_wp, 9.369e-3_wp, 4.719e-2_wp, 1.320_wp, 5.250e-4_wp]
  real(wp), parameter :: ratio(bands) = [6.0_wp, 6.0_wp, 8.0_wp, 6.0_wp, 6.0_wp, 8.0_wp, 9.0_wp, &
    6.0_wp, 16.0_wp]
  real(wp), parameter :: warm(bands) = [0.0021_wp, 0.0140_wp, 0.0167_wp, 0.0302_wp, 0.0307_wp, &
    0.0195_wp, 0.0152_wp, 0.0008_wp, 0.0096_wp]
  real(wp), parameter :: warm2(bands) = [-1.01e-5_wp, 5.57e-5_wp, 8.54e-5_wp, 2.96e-4_wp, &
    2.86e-4_wp, 1.108e-4_wp, 7.608e-5_wp, -3.52e-6_wp, 1.64e-5_wp]
  real(wp), parameter :: pressure_power(bands) = [1.0_wp, 1.0_wp, 1.0_wp, 1.0_wp, 1.0_wp, &
    0.77_wp, 0.5_wp, 1.0_wp, 1.0_wp]
  real(wp), parameter :: continuum_of(bands) = [0.0_wp, 271.0_wp, 25.0_wp, 16.8_wp, 8.31_wp, &
    6.52_wp, 12.7_wp, 0.0_wp, 0.0_wp]
  real(wp), parameter :: share(6, bands) = reshape([ &
    0.2747_wp, 0.2717_wp, 0.2752_wp, 0.1177_wp, 0.0352_wp, 0.0255_wp, &
    0.1521_wp, 0.3974_wp, 0.1778_wp, 0.1826_wp, 0.0374_wp, 0.0527_wp, &
    0.0_wp, 0.0_wp, 0.0_wp, 0.0_wp, 0.0_wp, 0.0_wp, &
    0.4654_wp, 0.2991_wp, 0.1343_wp, 0.0646_wp, 0.0226_wp, 0.0140_wp, &
    0.5543_wp, 0.2723_wp, 0.1131_wp, 0.0443_wp, 0.0160_wp, 0.0_wp, &
    0.5955_wp, 0.2693_wp, 0.0953_wp, 0.0335_wp, 0.0064_wp, 0.0_wp, &
    0.1958_wp, 0.3469_wp, 0.3147_wp, 0.1013_wp, 0.0365_wp, 0.0048_wp, &
    0.0740_wp, 0.1636_wp, 0.4174_wp, 0.1783_wp, 0.1101_wp, 0.0566_wp, &
    0.1437_wp, 0.2197_wp, 0.3185_wp, 0.2351_wp, 0.0647_wp, 0.0183_wp], [6, bands])

  ! Band 3 in three parts (800-720, 720-620, 620-540 cm-1, table 10): weights of vapour lines, of
  ! CO2 in the wings (first and last part) and in the centre.
  real(wp), parameter :: part(6, 3) = reshape([ &
    0.1782_wp, 0.0593_wp, 0.0215_wp, 0.0068_wp, 0.0022_wp, 0.0_wp, &
    0.0923_wp, 0.1675_wp, 0.0923_wp, 0.0187_wp, 0.0178_wp, 0.0_wp, &
    0.0_wp, 0.1083_wp, 0.1581_wp, 0.0455_wp, 0.0274_wp, 0.0041_wp], [6, 3])
  real(wp), parameter :: wings(6) = [0.1395_wp, 0.1407_wp, 0.1549_wp, 0.1357_wp, 0.0182_wp, &
    0.0220_wp]/0.611_wp
  real(wp), parameter :: centre(6) = [0.0766_wp, 0.1372_wp, 0.1189_wp, 0.0335_wp, 0.0169_wp, &
    0.0059_wp]/0.389_wp

  ! Ozone in band 5: weights and coefficients [cm-1] of our fit.
  real(wp), parameter :: ozone_share(6) = [0.234565_wp, 0.42408_wp, 0.177315_wp, 0.137318_wp, &
    0.02379_wp, 0.002932_wp]
  real(wp), parameter :: ozone_of(6) = [0.0_wp, 0.7628_wp, 1.84765_wp, 10.633_wp, 79.75_wp, &
    898.0_wp]

  ! N2O and CH4 in bands 6 and 7 (table 5).
  real(wp), parameter :: n2o_share_6(2) = [0.940414_wp, 0.059586_wp]
  real(wp), parameter :: n2o_share_7(4) = [0.561961_wp, 0.138707_wp, 0.240670_wp, 0.058662_wp]
  real(wp), parameter :: ch4_share_7(4) = [0.610650_wp, 0.280212_wp, 0.107349_wp, 0.001789_wp]

  ! Planck's function of each band, a polynomial in the temperature (table 2; 160 to 345 K).
  real(wp), parameter :: planck_of(6, bands) = reshape([ &
    5.3443_wp, -2.0617e-1_wp, 2.5333e-3_wp, -6.8633e-6_wp, 1.0115e-8_wp, -6.2672e-12_wp, &
    2.7148e+1_wp, -5.4038e-1_wp, 2.9501e-3_wp, 2.7228e-7_wp, -9.3384e-9_wp, 9.9677e-12_wp, &
    -3.4860e+1_wp, 1.1132_wp, -1.3006e-2_wp, 6.4955e-5_wp, -1.1815e-7_wp, 8.0424e-11_wp, &
    -6.0513e+1_wp, 1.4087_wp, -1.2077e-2_wp, 4.4050e-5_wp, -5.6735e-8_wp, 2.5660e-11_wp, &
    -2.6689e+1_wp, 5.2828e-1_wp, -3.4453e-3_wp, 6.0715e-6_wp, 1.2523e-8_wp, -2.1550e-11_wp, &
    -6.7274_wp, 4.2256e-2_wp, 1.0441e-3_wp, -1.2917e-5_wp, 4.7396e-8_wp, -4.4855e-11_wp, &
    1.8786e+1_wp, -5.8359e-1_wp, 6.9674e-3_wp, -3.9391e-5_wp, 1.0120e-7_wp, -8.2301e-11_wp, &
    1.0344e+2_wp, -2.5134_wp, 2.3748e-2_wp, -1.0692e-4_wp, 2.1841e-7_wp, -1.3704e-10_wp, &
    -1.0482e+1_wp, 3.8213e-1_wp, -5.2267e-3_wp, 3.4412e-5_wp, -1.1075e-7_wp, 1.4092e-10_wp], &
    [6, bands])

  real(wp), parameter :: least_weight = 0.002_wp
  real(wp), parameter :: cloud_absorption = 0.144_wp, rain_absorption = 0.33e-3_wp   !! m2 g-1
  type(term_t), allocatable, save :: terms(:)

contains

  !> Makes the table of terms, once.
  subroutine prepare_longwave()
    type(term_t) :: every(512)
    real(wp) :: whole
    integer :: count, b, n

    if (allocated(terms)) return
    count = 0
    do b = 1, bands
      if (b /= 3) call add_band(b)
    end do
    call add_parts()
    terms = pack(every(:count), every(:count)%weight >= least_weight)
    do b = 1, bands
      whole = sum(terms%weight, mask=terms%band == b)
      do n = 1, size(terms)
        if (terms(n)%band == b) terms(n)%weight = terms(n)%weight/whole
      end do
    end do
  contains
    subroutine add(band, weight, line, continuum, other, coefficient)
      integer, intent(in) :: band, other(2)
      real(wp), intent(in) :: weight, line, continuum, coefficient(2)
      count = count + 1
      every(count) = term_t(band, other, weight, line, continuum, coefficient)
    end subroutine add

    !> Vapour with ozone (5), N2O and CH4 (6 and 7) or alone.
    subroutine add_band(b)
      integer, intent(in) :: b
      real(wp) :: line
      integer :: n, i, j

      do n = 1, 6
        line = first(b)*ratio(b)**(n - 1)
        select case (b)
        case (5)
          do i = 1, 6
            call add(b, share(n, b)*ozone_share(i), line, continuum_of(b), [of_ozone, 1], &
              [ozone_of(i), 0.0_wp])
          end do
        case (6)
          do i = 1, 2
            call add(b, share(n, b)*n2o_share_6(i), line, continuum_of(b), [of_n2o_6, of_ch4_6], &
              [6.31582e-2_wp*21.0_wp**(i - 1), 5.80708e-3_wp])
          end do
        case (7)
          do i = 1, 4
            do j = 1, 4
              call add(b, share(n, b)*n2o_share_7(i)*ch4_share_7(j), line, continuum_of(b), &
                [of_n2o_7, of_ch4_7], [5.35779e-2_wp*8.0_wp**(i - 1), &
                6.29247e-2_wp*12.0_wp**(j - 1)])
            end do
          end do
        case default
          call add(b, share(n, b), line, continuum_of(b), [1, 1], [0.0_wp, 0.0_wp])
        end select
      end do
    end subroutine add_band

    !> Vapour with CO2 in band 3, whose continuum doubles from part to part.
    subroutine add_parts()
      real(wp) :: line, weak
      integer :: n, i, s
      do s = 1, 3
        weak = continuum_of(3)*2.0_wp**(s - 1)
        do n = 1, 6
          line = first(3)*ratio(3)**(n - 1)
          do i = 1, 6
            if (s == 2) then
              call add(3, part(n, s)*centre(i), line, weak, [of_centre, 1], &
                [2.656e-3_wp*8.0_wp**(i - 1), 0.0_wp])
            else
              call add(3, part(n, s)*wings(i), line, weak, [of_wings, 1], &
                [2.656e-5_wp*8.0_wp**(i - 1), 0.0_wp])
            end if
          end do
        end do
      end do
    end subroutine add_parts
  end subroutine prepare_longwave

  integer function longwave_terms()
    call prepare_longwave()
    longwave_terms = size(terms)
  end function longwave_terms

  !> Fluxes at the faces [W m-2], diffuse, upward and downward. No radiation comes from space; the
  !> ground emits with its emissivity and reflects the rest.
  subroutine longwave(air, gases, up, down)
    type(air_t), intent(in) :: air
    type(gases_t), intent(in) :: gases
    real(wp), dimension(block, air%n + 1), intent(out) :: up, down
    real(wp) :: x(block, air%n, absorbers), grey(block, air%n)
    real(wp) :: b(block, air%n, bands), b_face(block, air%n + 1, bands), b_ground(block, bands)
    integer :: n, k

    call prepare_longwave()
    call amounts(air, gases, x)
    grey = cloud_absorption*air%cloud + rain_absorption*air%rain
    do k = 1, air%n
      call emission_of_block(air%t(:, k), b(:, k, :))
    end do
    do k = 1, air%n + 1
      call emission_of_block(air%t_face(:, k), b_face(:, k, :))
    end do
    call emission_of_block(air%ground, b_ground)
    up = 0.0_wp
    down = 0.0_wp
    do n = 1, size(terms)
      associate (t => terms(n), band => terms(n)%band)
        call solve_term(air%n, t, x(:, :, band), x(:, :, of_continuum), x(:, :, t%other(1)), &
          x(:, :, t%other(2)), grey, b(:, :, band), b_face(:, :, band), b_ground(:, band), up, down)
      end associate
    end do
  end subroutine longwave

  !> Adds what one term contributes.
  pure subroutine solve_term(n, term, line, continuum, one, two, grey, b, b_face, b_ground, up, &
    down)
    integer, intent(in) :: n
    type(term_t), intent(in) :: term
    real(wp), dimension(block, n), intent(in) :: line, continuum, one, two, grey, b
    real(wp), intent(in) :: b_face(block, n + 1), b_ground(block)
    real(wp), dimension(block, n + 1), intent(inout) :: up, down
    real(wp), parameter :: clough = 0.278_wp        !! weight of the face's Planck function
    real(wp) :: t(block, n), c(block, n), depth(block), flux(block)
    integer :: k, m

    do k = 1, n
      do m = 1, block
        depth(m) = term%line*line(m, k) + term%continuum*continuum(m, k) + grey(m, k) &
          + term%coefficient(1)*one(m, k) + term%coefficient(2)*two(m, k)
        c(m, k) = clough*depth(m)/(1.0_wp + clough*depth(m))
      end do
      call attenuate(depth, t(:, k))
    end do
    flux = 0.0_wp
    do k = n, 1, -1
      do m = 1, block
        flux(m) = flux(m)*t(m, k) + (1.0_wp - t(m, k))*(b(m, k) &
          + (b_face(m, k) - b(m, k))*c(m, k))
        down(m, k) = down(m, k) + term%weight*flux(m)
      end do
    end do
    do m = 1, block
      flux(m) = emissivity*b_ground(m) + (1.0_wp - emissivity)*flux(m)
      up(m, 1) = up(m, 1) + term%weight*flux(m)
    end do
    do k = 1, n
      do m = 1, block
        flux(m) = flux(m)*t(m, k) + (1.0_wp - t(m, k))*(b(m, k) &
          + (b_face(m, k + 1) - b(m, k))*c(m, k))
        up(m, k + 1) = up(m, k + 1) + term%weight*flux(m)
      end do
    end do
  end subroutine solve_term

  !> Scaled amounts of all absorbers: equations 4.1 to 4.4, 4.21; vapour in g cm-2, gases in cm at
  !> 0 C and 1013 hPa, pressures in hPa.
  pure subroutine amounts(air, gases, x)
    type(air_t), intent(in) :: air
    type(gases_t), intent(in) :: gases
    real(wp), intent(out) :: x(block, air%n, absorbers)
    real(wp), parameter :: to_cm = 789.0_wp, to_g = 1.02_wp
    real(wp) :: p, dp, d, h, co2, n2o, ch4, scale
    integer :: k, m, b

    do k = 1, air%n
      do m = 1, block
        p = 0.01_wp*air%p(m, k)
        dp = 0.01_wp*air%dp(m, k)
        d = air%t(m, k) - 250.0_wp
        h = to_g*air%q(m, k)*dp
        do b = 1, bands
          scale = p/500.0_wp
          if (pressure_power(b) < 1.0_wp) scale = scale**pressure_power(b)
          x(m, k, b) = h*scale*(1.0_wp + (warm(b) + warm2(b)*d)*d)
        end do
        x(m, k, of_continuum) = p*0.001618_wp*air%q(m, k)**2*dp*exp(1800.0_wp/air%t(m, k) &
          - 6.081_wp)
        co2 = to_cm*gases%co2*dp
        x(m, k, of_wings) = co2*sqrt(p/300.0_wp)*(1.0_wp + (0.0182_wp + 1.07e-4_wp*d)*d)
        x(m, k, of_centre) = co2*(p/30.0_wp)**0.85_wp*(1.0_wp + (0.0042_wp + 2.0e-5_wp*d)*d)
        x(m, k, of_ozone) = air%ozone(m, k)*(p/30.0_wp)**0.39_wp
        n2o = to_cm*gases%n2o*dp
        ch4 = to_cm*gases%ch4*dp
        x(m, k, of_n2o_6) = n2o*(1.0_wp + (1.9297e-3_wp + 4.3750e-6_wp*d)*d)
        x(m, k, of_ch4_6) = ch4*(1.0_wp + (1.7007e-2_wp + 1.5826e-4_wp*d)*d)
        x(m, k, of_n2o_7) = n2o*(p/500.0_wp)**0.48_wp*(1.0_wp + (1.3804e-3_wp + 7.4838e-6_wp*d)*d)
        x(m, k, of_ch4_7) = ch4*(p/500.0_wp)**0.65_wp*(1.0_wp + (5.9590e-4_wp - 2.2931e-6_wp*d)*d)
      end do
    end do
  end subroutine amounts

  !> What a black body of temperature t emits in each band [W m-2]; together sigma t**4, which the
  !> polynomials miss by less than 1 %.
  pure function band_emission(t) result(b)
    real(wp), intent(in) :: t
    real(wp) :: b(bands)
    real(wp) :: whole(block), each(block, bands)
    whole = t
    call emission_of_block(whole, each)
    b = each(1, :)
  end function band_emission

  pure subroutine emission_of_block(temperature, b)
    real(wp), intent(in) :: temperature(block)
    real(wp), intent(out) :: b(block, bands)
    real(wp) :: t(block), whole(block)
    integer :: n, m

    t = min(max(temperature, 160.0_wp), 345.0_wp)
    whole = 0.0_wp
    do n = 1, bands
      associate (a => planck_of(:, n))
        do m = 1, block
          b(m, n) = a(1) + t(m)*(a(2) + t(m)*(a(3) + t(m)*(a(4) + t(m)*(a(5) + t(m)*a(6)))))
          whole(m) = whole(m) + b(m, n)
        end do
      end associate
    end do
    do n = 1, bands
      do m = 1, block
        b(m, n) = b(m, n)*(stefan_boltzmann*temperature(m)**4/whole(m))
      end do
    end do
  end subroutine emission_of_block
end module weather_longwave
