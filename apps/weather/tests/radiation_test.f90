! SPDX-License-Identifier: BSD-3-Clause
! Radiation in columns: the limits that physics gives (isothermal air, thin air, grey equilibrium,
! layers that keep all light, thick clouds), heights and distance of the sun, and the atmospheres on
! which schemes are compared against RRTMGP (Pincus, Mlawer and Delamere 2019, J. Adv. Model. Earth
! Syst. 11, 3074-3089), whose fluxes line-by-line models confirm to 1 W m-2. Its fluxes here were
! computed with jax-rrtmgp 0.5.0 (256 and 224 terms) on the same levels and gases, for an emissivity
! of 0.95, an albedo of 0.2 and a sun of 1361 W m-2.
program radiation_test
  use checks, only: check, near, finish, seed_with, uniform
  use weather_constants, only: wp, pi, stefan_boltzmann
  use weather_air_block, only: air_t, block, make_air, attenuate
  use weather_longwave, only: longwave, gases_t, band_emission, longwave_terms
  use weather_shortwave, only: shortwave, delta_eddington, layer_t, water_albedo, solar_constant
  use weather_radiation, only: finish_air, layers_above, ozone_above, standard_height, &
    standard_temperature
  use weather_sun, only: sun_height, sun_strength
  use standard_atmospheres, only: standard_air, names
  implicit none (type, external)

  type(gases_t), parameter :: none = gases_t(co2=0.0_wp, n2o=0.0_wp, ch4=0.0_wp)
  real(wp), parameter :: degree = pi/180.0_wp

  call attenuation()
  call emission()
  call isothermal()
  call thin_air()
  call grey_equilibrium()
  call layers()
  call clouds()
  call neighbours()
  call above_the_lid()
  call sun()
  call standard()
  call finish()

contains

  subroutine attenuation()
    real(wp) :: x(block), t(block), worst
    integer :: n, m
    worst = 0.0_wp
    do n = 0, 40
      x = [(0.1_wp*n*m**2, m=0, block - 1)]
      call attenuate(x, t)
      worst = max(worst, maxval(abs(t - exp(-x))))
    end do
    call check(worst < 1.0e-8_wp, 'exp(-x) of a block', worst)
    x = 1.0e-6_wp
    call attenuate(x, t)
    call near(1.0_wp - t(1), 1.0e-6_wp, 1.0e-6_wp, 'what a thin layer takes')
  end subroutine attenuation

  !> Planck's law, integrated over 340-540 cm-1, by the trapezoidal rule; all bands: sigma T**4.
  subroutine emission()
    real(wp), parameter :: h = 6.62607015e-34_wp, c = 2.99792458e8_wp, k = 1.380649e-23_wp
    real(wp) :: t, wave, whole, b(9)
    integer :: n
    t = 280.0_wp
    whole = 0.0_wp
    do n = 1, 2000
      wave = 100.0_wp*(340.0_wp + 200.0_wp*(n - 0.5_wp)/2000.0_wp)
      whole = whole + 10.0_wp*pi*2.0_wp*h*c**2*wave**3/(exp(h*c*wave/(k*t)) - 1.0_wp)
    end do
    b = band_emission(t)
    call near(b(2), whole, 5.0e-3_wp, 'emission of the band 340 to 540 cm-1')
    call near(sum(b), stefan_boltzmann*t**4, 1.0e-12_wp, 'emission of all bands')
    call check(longwave_terms() < 200, 'number of terms', real(longwave_terms(), wp))
  end subroutine emission

  !> Air of one temperature under which all is opaque: the flux upward is that of a black body
  !> everywhere, and layers only cool, to space.
  subroutine isothermal()
    type(air_t) :: air
    real(wp), allocatable :: up(:, :), down(:, :), heat(:)
    integer :: n
    call standard_air(air, 2)
    air%t = 260.0_wp
    air%t_face = 260.0_wp
    air%ground = 260.0_wp
    air%cloud(:, 1) = 1000.0_wp
    n = air%n
    allocate (up(block, n + 1), down(block, n + 1))
    call longwave(air, gases_t(), up, down)
    call near(maxval(up(1, 2:)), stefan_boltzmann*260.0_wp**4, 1.0e-10_wp, &
      'isothermal: most flux upward')
    call near(minval(up(1, 2:)), stefan_boltzmann*260.0_wp**4, 1.0e-10_wp, 'and least')
    heat = (up(1, :n) - up(1, 2:)) + (down(1, 2:) - down(1, :n))
    call check(maxval(heat) < 1.0e-9_wp, 'isothermal: no layer is heated', maxval(heat))
    call near(sum(heat), -up(1, n + 1) + up(1, 1) - down(1, 1), 1.0e-10_wp, &
      'all layers lose what goes to space')
  end subroutine isothermal

  !> Little vapour radiates in proportion to its amount.
  subroutine thin_air()
    type(air_t) :: air
    real(wp), allocatable :: up(:, :), once(:, :), twice(:, :)
    call standard_air(air, 2)
    air%ozone = 0.0_wp
    air%q = 1.0e-12_wp
    allocate (up(block, air%n + 1), once(block, air%n + 1), twice(block, air%n + 1))
    call longwave(air, none, up, once)
    air%q = 2.0e-12_wp
    call longwave(air, none, up, twice)
    call near(twice(1, 1)/once(1, 1), 2.0_wp, 1.0e-3_wp, 'thin air: twice the vapour')
    call near(up(1, air%n + 1), up(1, 1), 1.0e-4_wp, 'thin air: the ground shines to space')
  end subroutine thin_air

  !> Grey air in radiative equilibrium: sigma T**4 = F/2 (1 + depth above), depth of diffuse
  !> radiation, over a ground of F/2 (2 + depth), where it is black.
  subroutine grey_equilibrium()
    type(air_t) :: air
    real(wp), parameter :: flux = 240.0_wp, depth = 2.0_wp, emissivity = 0.95_wp
    real(wp), allocatable :: up(:, :), down(:, :), net(:)
    integer :: k, n
    n = 80
    call make_air(air, n)
    air%p = 5.0e4_wp
    air%dp = 1.0e5_wp/n
    air%cloud = depth/(0.144_wp*n)
    do k = 1, n + 1
      air%t_face(:, k) = warmth(flux, depth*(n + 1 - k)/n)
      if (k <= n) air%t(:, k) = warmth(flux, depth*(n + 0.5_wp - k)/n)
    end do
    ! a ground that is not black is warmer by what it lacks
    air%ground = ((0.5_wp*flux*(2.0_wp + depth) - (1.0_wp - emissivity)*0.5_wp*flux*depth) &
      /(emissivity*stefan_boltzmann))**0.25_wp
    allocate (up(block, n + 1), down(block, n + 1))
    call longwave(air, none, up, down)
    net = up(1, :) - down(1, :)
    call near(maxval(net), flux, 1.0e-3_wp, 'grey equilibrium: most net flux [W m-2]')
    call near(minval(net), flux, 1.0e-3_wp, 'and least')
  end subroutine grey_equilibrium

  pure real(wp) function warmth(flux, above)
    real(wp), intent(in) :: flux, above
    warmth = (0.5_wp*flux*(1.0_wp + above)/stefan_boltzmann)**0.25_wp
  end function warmth

  !> Layers that absorb nothing keep all light; layers that scatter nothing obey Beer's law; a thin
  !> layer scatters half of what it takes from an isotropic field, and any layer at most all.
  subroutine layers()
    type(layer_t) :: l
    real(wp), dimension(block) :: depth, one, zero, g, sun, whole
    integer :: m

    depth = [(0.01_wp*2.0_wp**m, m=1, block)]
    one = 1.0_wp
    zero = 0.0_wp
    g = 0.85_wp
    sun = 0.6_wp
    call delta_eddington(depth, one, g, sun, l)
    whole = l%back_beam + l%through_beam + l%beam
    call check(maxval(abs(whole - 1.0_wp)) < 2.0e-3_wp, 'a beam that nothing absorbs', &
      maxval(abs(whole - 1.0_wp)))
    whole = l%back + l%through
    call check(maxval(abs(whole - 1.0_wp)) < 2.0e-3_wp, 'nor diffuse light', &
      maxval(abs(whole - 1.0_wp)))
    call check(l%back(block) > 0.98_wp, 'a thick cloud sends all back', l%back(block))
    call delta_eddington(depth, zero, zero, sun, l)
    call check(maxval(abs(l%beam - exp(-depth/0.6_wp))) < 1.0e-8_wp, 'Beer''s law', l%beam(1))
    call check(maxval(l%back + l%back_beam + l%through_beam) < 1.0e-12_wp, 'nothing scattered', &
      maxval(l%back))
    depth = 1.0e-4_wp
    call delta_eddington(depth, one, zero, sun, l)
    call near(l%back_beam(1), 0.5_wp*1.0e-4_wp/0.6_wp, 1.0e-3_wp, 'Rayleigh: half of a thin layer')
    call seed_with(5)
    do m = 1, block
      depth(m) = 10.0_wp**(6.0_wp*uniform() - 4.0_wp)
      one(m) = uniform()
      sun(m) = 0.01_wp + 0.99_wp*uniform()
    end do
    call delta_eddington(depth, one, g, sun, l)
    call check(all(l%back_beam >= 0.0_wp .and. l%through_beam >= 0.0_wp .and. l%back_beam &
      + l%through_beam + l%beam <= 1.0_wp + 1.0e-12_wp), 'no layer makes light', 0.0_wp)
  end subroutine layers

  !> Under a thick low cloud it is dark, and the sky shines with the temperature of its base; above
  !> a cloud more light goes back.
  subroutine clouds()
    type(air_t) :: air
    real(wp), allocatable, dimension(:, :) :: up, down, clear_up, clear_down
    real(wp), allocatable :: net(:)
    call standard_air(air, 2)
    air%albedo = 0.2_wp
    air%sun = 0.5_wp
    allocate (up(block, air%n + 1), down(block, air%n + 1))
    allocate (clear_up, clear_down, mold=up)
    call shortwave(air, clear_up, clear_down)
    air%cloud(:, 3:4) = 75.0_wp
    call shortwave(air, up, down)
    ! 150 g m-2 of drops of 10 micrometres: an optical depth of 24, albedo near 0.7 of the visible
    call check(up(1, air%n + 1) > 0.5_wp .and. up(1, air%n + 1) < 0.7_wp, &
      'sunshine that goes back from a stratus', up(1, air%n + 1))
    call check(down(1, 1) < 0.4_wp*clear_down(1, 1), 'and what comes through', down(1, 1))
    net = down(1, :) - up(1, :)
    call check(minval(net(2:) - net(:air%n)) > -1.0e-12_wp, 'no layer loses sunshine', &
      minval(net(2:) - net(:air%n)))
    air%cloud(:, 3:4) = 1.0e4_wp
    call shortwave(air, up, down)
    call check(down(1, 1) < 0.01_wp, 'dark under a thick cloud', down(1, 1))
    call longwave(air, gases_t(), up, down)
    call near(down(1, 3), stefan_boltzmann*air%t_face(1, 3)**4, 0.01_wp, &
      'the base of a thick cloud shines like a black body')
    call check(water_albedo(1.0_wp) > 0.02_wp .and. water_albedo(1.0_wp) < 0.03_wp .and. &
      water_albedo(0.1_wp) > 0.2_wp, 'water mirrors a low sun', water_albedo(0.1_wp))
  end subroutine clouds

  !> A column has the same bits wherever it is in a block, whoever is next to it.
  subroutine neighbours()
    type(air_t) :: air, other
    real(wp), allocatable, dimension(:, :) :: up, down, up2, down2
    call standard_air(air, 1)
    call standard_air(other, 3)
    air%sun = 0.4_wp
    other%sun = 0.1_wp
    other%p(7, :) = air%p(1, :)
    other%dp(7, :) = air%dp(1, :)
    other%t(7, :) = air%t(1, :)
    other%q(7, :) = air%q(1, :)
    other%ozone(7, :) = air%ozone(1, :)
    other%t_face(7, :) = air%t_face(1, :)
    other%ground(7) = air%ground(1)
    other%sun(7) = 0.4_wp
    allocate (up(block, air%n + 1), down(block, air%n + 1), up2(block, air%n + 1), &
      down2(block, air%n + 1))
    call longwave(air, gases_t(), up, down)
    call longwave(other, gases_t(), up2, down2)
    call check(all(transfer(up(1, :), [0]) == transfer(up2(7, :), [0])), &
      'longwave: the same bits in any place', up2(7, 1))
    call shortwave(air, up, down)
    call shortwave(other, up2, down2)
    call check(all(transfer(down(1, :), [0]) == transfer(down2(7, :), [0])), 'sunshine, too', &
      down2(7, 1))
  end subroutine neighbours

  !> The standard atmosphere at its own levels; ozone; a lid at 100 hPa changes fluxes at the ground
  !> little.
  subroutine above_the_lid()
    type(air_t) :: air, cut
    real(wp), allocatable, dimension(:, :) :: up, down, up2, down2
    real(wp) :: lid
    integer :: n
    call near(standard_height(50000.0_wp), 5574.0_wp, 1.0e-3_wp, 'height of 500 hPa')
    call near(standard_height(10000.0_wp), 16180.0_wp, 1.0e-3_wp, 'of 100 hPa')
    call near(standard_temperature(50000.0_wp), 251.9_wp, 1.0e-3_wp, 'temperature of 500 hPa')
    call near(standard_temperature(1197.0_wp), 226.5_wp, 1.0e-3_wp, 'of 30 km')
    call near(ozone_above(101325.0_wp), 0.3_wp, 1.0e-12_wp, 'all ozone [cm]')
    call near(ozone_above(5474.9_wp), 0.15_wp*(1.0_wp + exp(-4.0_wp)), 2.0e-3_wp, &
      'half above 20 km')
    call standard_air(air, 2)
    n = 32                                       ! layers below 111 hPa
    lid = air%p(1, n) - 0.5_wp*air%dp(1, n)
    call make_air(cut, n + layers_above)
    cut%dp(:, :n) = air%dp(:, :n)
    cut%t(:, :n) = air%t(:, :n)
    cut%q(:, :n) = air%q(:, :n)
    cut%ground = air%ground
    cut%albedo = 0.2_wp
    air%albedo = 0.2_wp
    call finish_all(cut, n, lid)
    allocate (up(block, air%n + 1), down(block, air%n + 1), up2(block, cut%n + 1), &
      down2(block, cut%n + 1))
    call longwave(air, gases_t(), up, down)
    call longwave(cut, gases_t(), up2, down2)
    call check(abs(down2(1, 1) - down(1, 1)) < 1.0_wp, 'a lid at 111 hPa: the sky [W m-2]', &
      down2(1, 1) - down(1, 1))
    call check(abs(up2(1, cut%n + 1) - up(1, air%n + 1)) < 2.0_wp, 'and what goes to space', &
      up2(1, cut%n + 1) - up(1, air%n + 1))
    call shortwave(air, up, down)
    call shortwave(cut, up2, down2)
    call near(down2(1, 1), down(1, 1), 0.01_wp, 'and sunshine')
  end subroutine above_the_lid

  subroutine finish_all(air, n, lid)
    type(air_t), intent(inout) :: air
    integer, intent(in) :: n
    real(wp), intent(in) :: lid
    integer :: m
    do m = 1, block
      call finish_air(air, m, n, lid)
    end do
  end subroutine finish_all

  !> At noon the sun stands at 90 degrees less the latitude, plus or less 23.44 at the solstices. It
  !> is latest by 14.2 minutes in February and earliest by 16.4 in November, and 3.4 % stronger than
  !> in the mean in January.
  subroutine sun()
    call check(abs(asin(sun_height(171.5_wp, 40.0_wp, 0.0_wp))/degree - 73.44_wp) < 0.1_wp, &
      'height at noon of the summer solstice at 40 N', &
      asin(sun_height(171.5_wp, 40.0_wp, 0.0_wp))/degree)
    call check(abs(asin(sun_height(354.5_wp, 40.0_wp, 0.0_wp))/degree - 26.56_wp) < 0.1_wp, &
      'of the winter solstice', asin(sun_height(354.5_wp, 40.0_wp, 0.0_wp))/degree)
    call check(sun_height(354.5_wp, 70.0_wp, 0.0_wp) < 0.0_wp, 'the polar night', &
      sun_height(354.5_wp, 70.0_wp, 0.0_wp))
    call check(abs(noon(41) - 14.2_wp) < 0.5_wp, 'noon of 11 February, minutes late', noon(41))
    call check(abs(noon(306) + 16.4_wp) < 0.5_wp, 'of 3 November', noon(306))
    call near(sun_height(100.25_wp, 30.0_wp, 90.0_wp), sun_height(100.5_wp, 30.0_wp, 0.0_wp), &
      1.0e-12_wp, 'noon comes six hours earlier 90 degrees east')
    call near(sun_strength(3.0_wp), 1.035_wp, 2.0e-3_wp, 'strength when the Earth is near')
    call near(sun_strength(184.0_wp), 0.967_wp, 2.0e-3_wp, 'and when it is far')
  end subroutine sun

  !> Minutes after twelve at which the sun is highest at Greenwich.
  real(wp) function noon(days)
    integer, intent(in) :: days
    real(wp) :: heights(-120:120)
    integer :: n
    heights = [(sun_height(days + 0.5_wp + n/5760.0_wp, 0.0_wp, 0.0_wp), n=-120, 120)]
    noon = 0.25_wp*(maxloc(heights, 1) - 121)
  end function noon

  !> Fluxes of clear air against RRTMGP's [W m-2].
  subroutine standard()
    ! longwave at the ground and to space; sunshine at the ground and back to space, sun at 30 and
    ! at 90 degrees
    real(wp), parameter :: wanted(6, 3) = reshape([ &
      397.50_wp, 286.84_wp, 476.77_wp, 128.61_wp, 1052.72_wp, 230.72_wp, &
      349.06_wp, 277.72_wp, 486.28_wp, 130.02_wp, 1071.01_wp, 233.97_wp, &
      174.78_wp, 195.22_wp, 533.27_wp, 138.95_wp, 1156.48_wp, 252.46_wp], [6, 3])
    type(air_t) :: air
    real(wp), allocatable, dimension(:, :) :: up, down
    integer :: which, n

    do which = 1, 3
      call standard_air(air, which)
      n = air%n + 1
      if (.not. allocated(up)) allocate (up(block, n), down(block, n))
      air%albedo = 0.2_wp
      call longwave(air, gases_t(), up, down)
      associate (a => wanted(:, which), name => trim(names(which))//': ')
        call check(down(1, 1) - a(1) > -9.0_wp .and. down(1, 1) - a(1) < 0.0_wp, &
          name//'longwave from the sky, less RRTMGP''s', down(1, 1) - a(1))
        call check(up(1, n) - a(2) > 0.0_wp .and. up(1, n) - a(2) < 9.0_wp, &
          name//'to space', up(1, n) - a(2))
        call sunlit(air, 0.5_wp, a(3:4), trim(names(which))//', sun at 30 degrees')
        call sunlit(air, 1.0_wp, a(5:6), trim(names(which))//', in the zenith')
      end associate
    end do
  end subroutine standard

  !> The sun at a sine of its height: fluxes wanted at the ground and back to space.
  subroutine sunlit(air, height, wanted, name)
    type(air_t), intent(inout) :: air
    real(wp), intent(in) :: height, wanted(2)
    character(*), intent(in) :: name
    real(wp), dimension(block, air%n + 1) :: up, down
    air%sun = height
    call shortwave(air, up, down)
    up = up*solar_constant*height
    down = down*solar_constant*height
    call check(abs(down(1, 1)/wanted(1) - 1.02_wp) < 0.02_wp, &
      name//': sunshine at the ground over RRTMGP''s', down(1, 1)/wanted(1))
    call check(abs(up(1, air%n + 1)/wanted(2) - 1.0_wp) < 0.05_wp, name//': and back to space', &
      up(1, air%n + 1)/wanted(2))
  end subroutine sunlit
end program radiation_test
