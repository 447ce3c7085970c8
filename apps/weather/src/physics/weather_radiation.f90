! SPDX-License-Identifier: BSD-3-Clause
! Radiation in the model's columns: heating of the air and fluxes at the ground and above the air,
! every `radiation_interval`; what was found is kept until the next time, histories included.
!
! A column is the model's levels, with the mass of their air, and six layers above the lid, where
! the temperature goes over to that of the U.S. Standard Atmosphere (1976). Ozone is a fixed profile
! (Lacis and Hansen 1974, J. Atmos. Sci. 31, 118-133, their equation for its amount above a height).
! A column that clouds cover in part is two, a clear one and a cloudy one, which holds all the cloud
! water. Water is the model's; where only the relative humidity tells of clouds, it is that of the
! CCM3 (Hack 1998, J. Climate 11, 1497-1515): 0.21 g m-3 exp(-z/h), h = 700 m ln(1 + vapour in the
! column [kg m-2]). The sun is that of the middle of the interval.
module weather_radiation
  use weather_constants, only: wp, gravity, cp_dry, virtual
  use weather_config, only: config_t
  use weather_grid, only: grid_t
  use weather_state, only: state_t, content_of, vapour, cloud, rain
  use weather_thermo, only: exner
  use weather_derived, only: cloud_share, cloud_cover, relative_humidity, cloudy
  use weather_air_block, only: air_t, block, make_air
  use weather_longwave, only: longwave, gases_t
  use weather_shortwave, only: shortwave, solar_constant, water_albedo
  use weather_sun, only: sun_height, sun_strength
  implicit none (type, external)
  private
  public :: radiation_t, prepare_radiation, radiate, standard_height, standard_temperature, &
    ozone_above, finish_air, layers_above

  integer, parameter :: layers_above = 6
  real(wp), parameter :: lid_shares(layers_above) = [0.6_wp, 0.35_wp, 0.2_wp, 0.1_wp, 0.03_wp, &
    0.0_wp]                                     !! pressure of the faces above over that of the lid
  real(wp), parameter :: ozone_column = 0.3_wp  !! cm at 0 C and 1013 hPa
  real(wp), parameter :: dry_above = 3.0e-6_wp  !! specific humidity of the stratosphere
  real(wp), parameter :: day = 86400.0_wp, low_sun = 0.01_wp

  type :: radiation_t
    logical :: on = .false.
    integer :: every = 1                        !! steps
    real(wp) :: dt = 0.0_wp, albedo = 0.2_wp    !! step of the model [s]; of land
    type(gases_t) :: gases
  end type radiation_t

  !> A column or the part of one that has clouds or none.
  type :: piece_t
    integer :: i = 0, j = 0
    real(wp) :: share = 1.0_wp                  !! of the column
    logical :: cloudy = .false.
  end type piece_t

contains

  subroutine prepare_radiation(r, c)
    type(radiation_t), intent(out) :: r
    type(config_t), intent(in) :: c
    r%on = c%radiation == 'column'
    if (.not. r%on) return
    r%every = max(1, nint(c%radiation_interval/c%dtlong))
    r%dt = c%dtlong
    r%albedo = c%albedo
    r%gases%co2 = 1.0e-6_wp*c%co2
  end subroutine prepare_radiation

  !> Fluxes and heating of all own columns, if they are due in the step that begins. `land`: share
  !> of the column; places in degrees.
  subroutine radiate(r, g, s, land, latitude, longitude)
    type(radiation_t), intent(in) :: r
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    real(wp), intent(in) :: land(g%shape%il:, g%shape%jl:)
    real(wp), dimension(g%own%i1:, g%own%j1:), intent(in) :: latitude, longitude
    type(piece_t), allocatable :: pieces(:)
    real(wp), allocatable, dimension(:, :) :: up, down, sun_up, sun_down
    type(air_t) :: air
    real(wp) :: middle, sun
    integer :: n, m, count

    if (.not. r%on .or. mod(max(s%step - 1, 0), r%every) /= 0) return
    middle = s%days + (0.5_wp*r%every - merge(1.0_wp, 0.0_wp, s%step > 0))*r%dt/day
    call list_pieces(g, s, pieces, count)
    call clear_fluxes(g, s)
    call make_air(air, g%nz + layers_above)
    allocate (up(block, air%n + 1), down(block, air%n + 1), sun_up(block, air%n + 1), &
      sun_down(block, air%n + 1))
    do n = 1, count, block
      do m = 1, block
        associate (piece => pieces(min(n + m - 1, count)))
          sun = sun_height(middle, latitude(piece%i, piece%j), longitude(piece%i, piece%j))
          air%sun(m) = max(sun, low_sun)
          air%albedo(m) = land(piece%i, piece%j)*r%albedo + (1.0_wp - land(piece%i, piece%j)) &
            *water_albedo(air%sun(m))
          call fill_column(g, s, piece, air, m)
        end associate
      end do
      call longwave(air, r%gases, up, down)
      if (any(air%sun > low_sun)) call shortwave(air, sun_up, sun_down)
      ! Piece by piece: the two of a column may be in two blocks, and heat is added in one order.
      do m = 1, min(block, count - n + 1)
        call add_longwave(g, s, pieces(n + m - 1), up(m, :), down(m, :))
        if (air%sun(m) > low_sun) call add_shortwave(g, s, pieces(n + m - 1), &
          solar_constant*sun_strength(middle)*air%sun(m), sun_up(m, :), sun_down(m, :))
      end do
    end do
    call heat_to_theta(g, s)
  end subroutine radiate

  !> One piece for a column that is clear or overcast, two for another.
  subroutine list_pieces(g, s, pieces, count)
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    type(piece_t), allocatable, intent(out) :: pieces(:)
    integer, intent(out) :: count
    real(wp), parameter :: little = 0.01_wp
    real(wp), dimension(g%nz) :: t, q, qc, share
    real(wp) :: cover
    integer :: i, j

    count = 0
    associate (r => g%own)
      allocate (pieces(2*(r%i2 - r%i1 + 1)*(r%j2 - r%j1 + 1)))
      do j = r%j1, r%j2
        do i = r%i1, r%i2
          call look_at(g, s, i, j, t, q, qc, share, cover)
          if (cover < 1.0_wp - little) then
            count = count + 1
            pieces(count) = piece_t(i, j, merge(1.0_wp, 1.0_wp - cover, cover < little), .false.)
          end if
          if (cover >= little) then
            count = count + 1
            pieces(count) = piece_t(i, j, merge(cover, 1.0_wp, cover < 1.0_wp - little), .true.)
          end if
        end do
      end do
    end associate
  end subroutine list_pieces

  !> Temperature, vapour and cloud water of a column, share of each level and of the sky that clouds
  !> cover.
  pure subroutine look_at(g, s, i, j, t, q, qc, share, cover)
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    integer, intent(in) :: i, j
    real(wp), dimension(g%nz), intent(out) :: t, q, qc, share
    real(wp), intent(out) :: cover
    real(wp) :: p(g%nz), rh(g%nz)

    p = s%p_base(:, i, j) + s%pp(:, i, j)
    q = max(content_of(s, vapour, i, j), 0.0_wp)
    qc = max(content_of(s, cloud, i, j), 0.0_wp)
    t = s%theta(:, i, j)/(1.0_wp + virtual*q - qc - content_of(s, rain, i, j))*exner(p)
    rh = relative_humidity(p, t, q)
    share = cloud_share(rh, qc)
    cover = cloud_cover(rh, qc)
  end subroutine look_at

  !> Puts a piece into place m of the block.
  subroutine fill_column(g, s, piece, air, m)
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    type(piece_t), intent(in) :: piece
    type(air_t), intent(inout) :: air
    integer, intent(in) :: m
    real(wp), dimension(g%nz) :: t, q, qc, share
    real(wp) :: cover, mass, depth
    integer :: k

    call look_at(g, s, piece%i, piece%j, t, q, qc, share, cover)
    associate (i => piece%i, j => piece%j)
      depth = 0.0_wp
      do k = 1, g%nz
        mass = mass_of(g, s, k, i, j)
        air%dp(m, k) = gravity*mass
        depth = depth + q(k)*mass
        air%rain(m, k) = 0.0_wp
        if (s%tracers >= rain) air%rain(m, k) = 1000.0_wp*mass*max(s%tracer(rain)%q(k, i, j), &
          0.0_wp)
      end do
      depth = 700.0_wp*log(1.0_wp + depth)
      do k = 1, g%nz
        air%t(m, k) = t(k)
        air%q(m, k) = q(k)
        air%cloud(m, k) = 0.0_wp
        if (.not. piece%cloudy) cycle
        if (qc(k) > cloudy) then
          air%cloud(m, k) = 1000.0_wp*qc(k)*air%dp(m, k)/gravity
        else if (share(k) > 0.0_wp) then
          air%cloud(m, k) = share(k)*0.21_wp*exp(-g%zc(k)*g%jac(i, j)/depth)*g%jac(i, j)/g%rdz(k)
        end if
        air%cloud(m, k) = air%cloud(m, k)/piece%share
      end do
      air%ground(m) = s%ground%temperature(i, j)
      k = g%nz
      call finish_air(air, m, k, max(s%p_base(k, i, j) + s%pp(k, i, j) - 0.5_wp*air%dp(m, k), &
        0.1_wp*s%p_base(k, i, j)))
    end associate
  end subroutine fill_column

  !> Of the air in a level of a column [kg m-2].
  pure real(wp) function mass_of(g, s, k, i, j)
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    integer, intent(in) :: k, i, j
    mass_of = (s%rho_base(k, i, j) + s%rho(k, i, j))/g%rdz(k)
  end function mass_of

  !> What follows from dp, t, q and water of the nz lowest layers and the pressure of the lid:
  !> pressures, ozone, the layers above, temperatures of faces.
  pure subroutine finish_air(air, m, nz, lid)
    type(air_t), intent(inout) :: air
    integer, intent(in) :: m, nz
    real(wp), intent(in) :: lid
    real(wp) :: face(air%n + 1), off, a
    integer :: k

    face(nz + 1) = lid
    do k = nz, 1, -1
      face(k) = face(k + 1) + air%dp(m, k)
    end do
    do k = nz + 1, air%n
      face(k + 1) = lid*lid_shares(k - nz + layers_above - (air%n - nz))
    end do
    air%p(m, :) = 0.5_wp*(face(:air%n) + face(2:))
    air%dp(m, nz + 1:) = face(nz + 1:air%n) - face(nz + 2:)
    off = air%t(m, nz) - standard_temperature(air%p(m, nz))
    do k = nz + 1, air%n
      a = air%p(m, k)/air%p(m, nz)
      air%t(m, k) = max(standard_temperature(air%p(m, k)) + off*a, 150.0_wp)
      air%q(m, k) = min(air%q(m, nz), max(air%q(m, nz)*a**3, dry_above))
      air%cloud(m, k) = 0.0_wp
      air%rain(m, k) = 0.0_wp
    end do
    do k = 1, air%n
      air%ozone(m, k) = ozone_above(face(k)) - ozone_above(face(k + 1))
    end do
    associate (t => air%t(m, :), dp => air%dp(m, :), n => air%n)
      do k = 2, n
        air%t_face(m, k) = (t(k - 1)*dp(k) + t(k)*dp(k - 1))/(dp(k - 1) + dp(k))
      end do
      air%t_face(m, 1) = t(1) + (t(1) - t(2))*dp(1)/(dp(1) + dp(2))
      air%t_face(m, n + 1) = t(n)
    end associate
  end subroutine finish_air

  !> Of ozone above a pressure [cm at 0 C and 1013 hPa]: Lacis and Hansen (1974), b = 20 km and
  !> c = 5 km, at the height that the pressure has in the standard atmosphere.
  pure real(wp) function ozone_above(p)
    real(wp), intent(in) :: p
    real(wp), parameter :: b = 20.0_wp, c = 5.0_wp
    ozone_above = 0.0_wp
    if (p > 0.0_wp) ozone_above = ozone_column*(1.0_wp + exp(-b/c)) &
      /(1.0_wp + exp((0.001_wp*standard_height(p) - b)/c))
  end function ozone_above

  !> Height of a pressure in the U.S. Standard Atmosphere up to 20 km, isothermal above [m].
  pure real(wp) function standard_height(p)
    real(wp), intent(in) :: p
    if (p > 22632.0_wp) then
      standard_height = 288.15_wp/0.0065_wp*(1.0_wp - (p/101325.0_wp)**0.190263_wp)
    else
      standard_height = 11000.0_wp + 6341.6_wp*log(22632.0_wp/p)
    end if
  end function standard_height

  !> Temperature at a pressure [Pa] in the U.S. Standard Atmosphere up to 51 km [K].
  pure real(wp) function standard_temperature(p) result(t)
    real(wp), intent(in) :: p
    if (p > 22632.0_wp) then
      t = 288.15_wp*(p/101325.0_wp)**0.190263_wp
    else if (p > 5474.9_wp) then
      t = 216.65_wp
    else if (p > 868.02_wp) then
      t = 216.65_wp*(p/5474.9_wp)**(-0.029271_wp)
    else if (p > 110.91_wp) then
      t = 228.65_wp*(p/868.02_wp)**(-0.081959_wp)
    else
      t = 270.65_wp
    end if
  end function standard_temperature

  subroutine clear_fluxes(g, s)
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    integer :: i, j
    associate (x => s%radiation)
      do j = g%own%j1, g%own%j2
        do i = g%own%i1, g%own%i2
          x%heating(:, i, j) = 0.0_wp
          x%sw_down(i, j) = 0.0_wp
          x%sw_up(i, j) = 0.0_wp
          x%lw_down(i, j) = 0.0_wp
          x%lw_up(i, j) = 0.0_wp
          x%olr(i, j) = 0.0_wp
          x%toa_down(i, j) = 0.0_wp
          x%toa_up(i, j) = 0.0_wp
        end do
      end do
    end associate
  end subroutine clear_fluxes

  subroutine add_longwave(g, s, piece, up, down)
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    type(piece_t), intent(in) :: piece
    real(wp), intent(in) :: up(:), down(:)
    associate (x => s%radiation, i => piece%i, j => piece%j, a => piece%share)
      x%lw_down(i, j) = x%lw_down(i, j) + a*down(1)
      x%lw_up(i, j) = x%lw_up(i, j) + a*up(1)
      x%olr(i, j) = x%olr(i, j) + a*up(size(up))
    end associate
    call add_heat(g, s, piece, 1.0_wp, up, down)
  end subroutine add_longwave

  !> `beam`: what the sun brings to a level surface above the air [W m-2].
  subroutine add_shortwave(g, s, piece, beam, up, down)
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    type(piece_t), intent(in) :: piece
    real(wp), intent(in) :: beam, up(:), down(:)
    associate (x => s%radiation, i => piece%i, j => piece%j, a => piece%share*beam)
      x%sw_down(i, j) = x%sw_down(i, j) + a*down(1)
      x%sw_up(i, j) = x%sw_up(i, j) + a*up(1)
      x%toa_down(i, j) = x%toa_down(i, j) + a*down(size(down))
      x%toa_up(i, j) = x%toa_up(i, j) + a*up(size(up))
    end associate
    call add_heat(g, s, piece, beam, up, down)
  end subroutine add_shortwave

  !> What the levels gain of the fluxes [W m-2].
  subroutine add_heat(g, s, piece, beam, up, down)
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    type(piece_t), intent(in) :: piece
    real(wp), intent(in) :: beam, up(:), down(:)
    integer :: k
    associate (heat => s%radiation%heating, i => piece%i, j => piece%j)
      do k = 1, g%nz
        heat(k, i, j) = heat(k, i, j) + piece%share*beam*((up(k) - up(k + 1)) &
          + (down(k + 1) - down(k)))
      end do
    end associate
  end subroutine add_heat

  !> From the heat of levels [W m-2] to the change of density potential temperature [K s-1].
  subroutine heat_to_theta(g, s)
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    real(wp) :: t(g%nz), q(g%nz), qc(g%nz), share(g%nz), cover
    integer :: i, j, k
    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        call look_at(g, s, i, j, t, q, qc, share, cover)
        do k = 1, g%nz
          s%radiation%heating(k, i, j) = s%radiation%heating(k, i, j)*s%theta(k, i, j) &
            /(t(k)*cp_dry*mass_of(g, s, k, i, j))
        end do
      end do
    end do
  end subroutine heat_to_theta
end module weather_radiation
