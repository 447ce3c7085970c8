! SPDX-License-Identifier: BSD-3-Clause
! The fields that the model writes: their names and units, and their values at the centres of cells,
! at the ground and on surfaces of constant pressure.
module weather_fields
  use weather_constants, only: wp, virtual, gravity, r_dry
  use weather_grid, only: grid_t
  use weather_state, only: state_t, content_of, vapour, cloud, rain
  use weather_derived, only: sea_level_pressure, dew_point, relative_humidity, cloud_cover, &
    on_pressure
  use weather_text, only: count_words, word_of
  use weather_errors, only: text_of
  use weather_thermo, only: exner
  implicit none (type, external)
  private
  public :: field_t, choose_fields, field_values, dry_theta, virtual_temperature, read_pressures, &
    surface_pressure_of, humidity_of

  real(wp), parameter, public :: missing = 9.96920996838687e36_wp    !! netCDF's own

  integer, parameter :: most_fields = 48

  !> A field of the output as CF describes it.
  type :: field_t
    character(18) :: name = ''
    character(12) :: units = ''
    character(56) :: standard = ''
    character(44) :: meaning = ''
    character(12) :: method = 'time: point'  !! cell_methods
    character(5) :: axis = 'level'           !! its levels: level, plev, or none: of the ground
    character(12) :: at = ''                 !! its scalar height coordinate
  end type field_t

contains

  !> All fields that this run has.
  subroutine fields_of(s, has_pressures, list)
    type(state_t), intent(in) :: s
    logical, intent(in) :: has_pressures
    type(field_t), allocatable, intent(out) :: list(:)
    type(field_t) :: every(most_fields)
    integer :: n

    n = 0
    call add('u', 'm s-1', 'x_wind', 'wind along x at cell centres')
    call add('v', 'm s-1', 'y_wind', 'wind along y at cell centres')
    call add('w', 'm s-1', 'upward_air_velocity', 'vertical wind at cell centres')
    call add('theta', 'K', 'air_potential_temperature', 'potential temperature')
    call add('temperature', 'K', 'air_temperature', 'temperature')
    call add('pressure', 'Pa', 'air_pressure', 'pressure')
    if (s%tracers >= vapour) call add('qv', 'kg kg-1', 'specific_humidity', 'specific humidity')
    if (s%tracers >= cloud) call add('qc', 'kg kg-1', &
      'mass_fraction_of_cloud_liquid_water_in_air', 'cloud water')
    if (s%tracers >= rain) then
      call add('qr', 'kg kg-1', 'mass_fraction_of_liquid_precipitation_in_air', 'rain water')
      call add('rain', 'kg m-2', 'rainfall_amount', 'rain at the ground since the start', &
        levels=.false., method='time: sum')
    end if
    call add('surface_pressure', 'Pa', 'surface_air_pressure', 'pressure at the ground', &
      levels=.false.)
    call add('sea_level_pressure', 'Pa', 'air_pressure_at_mean_sea_level', &
      'pressure reduced to sea level', levels=.false.)
    if (s%tracers >= vapour) call add('cloud_cover', '1', 'cloud_area_fraction', &
      'share of the sky that clouds cover', levels=.false.)
    if (s%ground%on) then
      call add('wind_10m', 'm s-1', 'wind_speed', 'wind speed at 10 m', levels=.false., &
        at='height_10m')
      call add('u_10m', 'm s-1', 'x_wind', 'wind along x at 10 m', levels=.false., &
        at='height_10m')
      call add('v_10m', 'm s-1', 'y_wind', 'wind along y at 10 m', levels=.false., &
        at='height_10m')
      call add('temperature_2m', 'K', 'air_temperature', 'air temperature at 2 m', &
        levels=.false., at='height_2m')
      if (s%tracers >= vapour) call add('dew_point_2m', 'K', 'dew_point_temperature', &
        'dew point at 2 m', levels=.false., at='height_2m')
      call add('heat_flux', 'W m-2', 'surface_upward_sensible_heat_flux', &
        'sensible heat from the ground', levels=.false.)
      call add('vapour_flux', 'kg m-2 s-1', 'surface_upward_water_vapor_flux_in_air', &
        'evaporation', levels=.false.)
      call add('ground_temperature', 'K', 'surface_temperature', &
        'temperature of the ground or the sea', levels=.false.)
      if (s%ground%has_budget) call add('sun_at_ground', 'W m-2', &
        'surface_net_downward_shortwave_flux', 'sunshine that the ground keeps', levels=.false.)
      if (s%ground%has_budget) call add('sky_at_ground', 'W m-2', &
        'surface_net_downward_longwave_flux', 'longwave radiation that the ground keeps', &
        levels=.false.)
      call add('stress', 'N m-2', 'magnitude_of_surface_downward_stress', &
        'stress of the wind on the ground', levels=.false.)
    end if
    if (s%radiation%on) call add_radiation()
    if (has_pressures) call add_pressures()
    list = every(:n)
  contains
    subroutine add_radiation()
      call add('sw_down', 'W m-2', 'surface_downwelling_shortwave_flux_in_air', &
        'sunshine that reaches the ground', levels=.false.)
      call add('sw_up', 'W m-2', 'surface_upwelling_shortwave_flux_in_air', &
        'sunshine that the ground reflects', levels=.false.)
      call add('lw_down', 'W m-2', 'surface_downwelling_longwave_flux_in_air', &
        'longwave radiation from the sky', levels=.false.)
      call add('lw_up', 'W m-2', 'surface_upwelling_longwave_flux_in_air', &
        'longwave radiation from the ground', levels=.false.)
      call add('toa_down', 'W m-2', 'toa_incoming_shortwave_flux', 'sunshine above the air', &
        levels=.false.)
      call add('toa_up', 'W m-2', 'toa_outgoing_shortwave_flux', 'sunshine that goes back', &
        levels=.false.)
      call add('olr', 'W m-2', 'toa_outgoing_longwave_flux', 'outgoing longwave radiation', &
        levels=.false.)
      call add('radiative_heating', 'K s-1', &
        'tendency_of_air_temperature_due_to_radiative_heating', 'heating of the air by radiation')
    end subroutine add_radiation
    !> On surfaces of constant pressure.
    subroutine add_pressures()
      integer :: first
      first = n + 1
      call add('height_plev', 'm', 'geopotential_height', 'height of surfaces of pressure')
      call add('temperature_plev', 'K', 'air_temperature', 'temperature')
      call add('u_plev', 'm s-1', 'x_wind', 'wind along x')
      call add('v_plev', 'm s-1', 'y_wind', 'wind along y')
      call add('w_plev', 'm s-1', 'upward_air_velocity', 'vertical wind')
      if (s%tracers >= vapour) call add('humidity_plev', '1', 'relative_humidity', &
        'relative humidity over water')
      every(first:n)%axis = 'plev'
    end subroutine add_pressures
    subroutine add(name, units, standard, meaning, levels, method, at)
      character(*), intent(in) :: name, units, standard, meaning
      logical, intent(in), optional :: levels
      character(*), intent(in), optional :: method, at
      n = n + 1
      every(n) = field_t(name, units, standard, meaning)
      if (present(levels)) every(n)%axis = merge('level', '     ', levels)
      if (present(method)) every(n)%method = method
      if (present(at)) every(n)%at = at
    end subroutine add
  end subroutine fields_of

  !> The fields named in `wanted` (blanks between them; empty: all), in the order of the list.
  subroutine choose_fields(s, has_pressures, wanted, list, message)
    type(state_t), intent(in) :: s
    logical, intent(in) :: has_pressures
    character(*), intent(in) :: wanted
    type(field_t), allocatable, intent(out) :: list(:)
    character(*), intent(inout) :: message
    type(field_t), allocatable :: every(:)
    character(:), allocatable :: names
    logical :: taken(most_fields)
    integer :: first, length, f

    call fields_of(s, has_pressures, every)
    names = ''
    do f = 1, size(every)
      names = names//' '//trim(every(f)%name)
    end do
    taken = wanted == ''
    first = 1
    do while (first <= len_trim(wanted))
      length = scan(wanted(first:)//' ', ' ,') - 1
      associate (name => wanted(first:first + length - 1))
        if (length > 0 .and. .not. any(every%name == name) .and. message == '') &
          message = 'fields: there is no field '''//name//''' in this run; it has'//names
        taken(:size(every)) = taken(:size(every)) .or. every%name == name
      end associate
      first = first + length + 1
    end do
    list = pack(every, taken(:size(every)))
  end subroutine choose_fields

  !> The pressures [Pa] that the key pressure_levels names in hPa, which must fall.
  subroutine read_pressures(words, nz, pressures, message)
    character(*), intent(in) :: words
    integer, intent(in) :: nz
    real(wp), allocatable, intent(out) :: pressures(:)
    character(*), intent(inout) :: message
    real(wp), parameter :: low = 1.0_wp, high = 1100.0_wp
    character(:), allocatable :: word
    integer :: k, stat

    allocate (pressures(count_words(words)), source=0.0_wp)
    if (size(pressures) > nz .and. message == '') message = 'pressure_levels names '// &
      text_of(size(pressures))//' levels, allowed are as many as the model has, '//text_of(nz)
    do k = 1, size(pressures)
      if (message /= '') return
      word = word_of(words, k)
      read (word, *, iostat=stat) pressures(k)
      if (stat /= 0) message = 'pressure_levels: '''//word//''' is no number'
      if (stat == 0 .and. .not. (pressures(k) >= low .and. pressures(k) <= high)) message = &
        'pressure_levels: '//word//' hPa is outside the allowed range 1 to 1100 hPa'
      pressures(k) = 100.0_wp*pressures(k)
      if (k == 1 .or. message /= '') cycle
      if (pressures(k) >= pressures(k - 1)) message = 'pressure_levels: '//word// &
        ' hPa is not below the level before it; they begin at the ground'
    end do
  end subroutine read_pressures

  !> A field of the own columns: at the centres of cells, in values(1, :, :) where it is of the
  !> ground, or in values(m, :, :) on the surface pressures(m), `missing` below the ground.
  subroutine field_values(g, s, field, pressures, values)
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    type(field_t), intent(in) :: field
    real(wp), intent(in) :: pressures(:)
    real(wp), intent(inout) :: values(g%nz, g%own%i1:g%own%i2, g%own%j1:g%own%j2)
    real(wp) :: column(g%nz)
    integer :: i, j, m

    if (field%axis /= 'plev') then
      call cell_values(g, s, trim(field%name), values)
      return
    end if
    call cell_values(g, s, field%name(:index(field%name, '_plev') - 1), values)
    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        column = values(:, i, j)
        do m = 1, size(pressures)
          values(m, i, j) = on_pressure(s%p_base(:, i, j) + s%pp(:, i, j), column, pressures(m), &
            missing)
        end do
      end do
    end do
  end subroutine field_values

  !> The field at the centres of the own cells; those of the ground in values(1, :, :).
  subroutine cell_values(g, s, name, values)
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    character(*), intent(in) :: name
    real(wp), intent(inout) :: values(g%nz, g%own%i1:g%own%i2, g%own%j1:g%own%j2)
    real(wp) :: p(g%nz)
    integer :: i, j, n

    n = g%nz
    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        p = s%p_base(:, i, j) + s%pp(:, i, j)
        select case (name)
        case ('u')
          values(:, i, j) = 0.5_wp*(s%u(:, i, j) + s%u(:, i + 1, j))
        case ('v')
          if (g%shape%two_d) then
            values(:, i, j) = s%v(:, i, j)
          else
            values(:, i, j) = 0.5_wp*(s%v(:, i, j) + s%v(:, i, j + 1))
          end if
        case ('w')
          values(:n - 1, i, j) = 0.5_wp*(s%w(:n - 1, i, j) + s%w(2:, i, j))
          values(n, i, j) = 0.5_wp*s%w(n, i, j)
        case ('theta')
          values(:, i, j) = dry_theta(s, i, j, n)
        case ('temperature')
          values(:, i, j) = dry_theta(s, i, j, n)*exner(p)
        case ('pressure')
          values(:, i, j) = p
        case ('qv')
          values(:, i, j) = content_of(s, vapour, i, j)
        case ('qc')
          values(:, i, j) = content_of(s, cloud, i, j)
        case ('qr')
          values(:, i, j) = content_of(s, rain, i, j)
        case ('rain')
          values(1, i, j) = s%rain(i, j)
        case ('surface_pressure')
          values(1, i, j) = surface_pressure_of(g, s, i, j)
        case ('sea_level_pressure')
          values(1, i, j) = sea_level_pressure(g%zs(i, j), heights(g, i, j), p, &
            virtual_temperature(s, i, j, n))
        case ('cloud_cover')
          values(1, i, j) = cloud_cover(humidity_of(s, i, j, n), content_of(s, cloud, i, j))
        case ('dew_point_2m')
          values(1:1, i, j) = dew_point(surface_pressure_of(g, s, i, j), &
            s%ground%temperature_2m(i, j), s%tracer(vapour)%q(1:1, i, j))
        case ('height')
          values(:, i, j) = heights(g, i, j)
        case ('humidity')
          values(:, i, j) = humidity_of(s, i, j, n)
        case ('wind_10m')
          values(1, i, j) = s%ground%wind_10m(i, j)
        case ('u_10m')
          values(1, i, j) = s%ground%wind_10m(i, j)*share_of(g, s, i, j, 1)
        case ('v_10m')
          values(1, i, j) = s%ground%wind_10m(i, j)*share_of(g, s, i, j, 2)
        case ('temperature_2m')
          values(1, i, j) = s%ground%temperature_2m(i, j)
        case ('heat_flux')
          values(1, i, j) = s%ground%heat_flux(i, j)
        case ('vapour_flux')
          values(1, i, j) = s%ground%vapour_flux(i, j)
        case ('ground_temperature')
          values(1, i, j) = s%ground%temperature(i, j)
        case ('sun_at_ground')
          values(1, i, j) = s%ground%sun(i, j)
        case ('sky_at_ground')
          values(1, i, j) = s%ground%sky(i, j)
        case ('sw_down')
          values(1, i, j) = s%radiation%sw_down(i, j)
        case ('sw_up')
          values(1, i, j) = s%radiation%sw_up(i, j)
        case ('lw_down')
          values(1, i, j) = s%radiation%lw_down(i, j)
        case ('lw_up')
          values(1, i, j) = s%radiation%lw_up(i, j)
        case ('toa_down')
          values(1, i, j) = s%radiation%toa_down(i, j)
        case ('toa_up')
          values(1, i, j) = s%radiation%toa_up(i, j)
        case ('olr')
          values(1, i, j) = s%radiation%olr(i, j)
        case ('radiative_heating')
          values(:, i, j) = s%radiation%heating(:, i, j)*dry_theta(s, i, j, n)*exner(p) &
            /s%theta(:, i, j)
        case ('stress')
          values(1, i, j) = s%ground%stress(i, j)
        case default
          error stop 'weather_fields: a field without values'
        end select
      end do
    end do
  end subroutine cell_values

  !> Hydrostatic from the lowest level [Pa].
  pure real(wp) function surface_pressure_of(g, s, i, j) result(p)
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    integer, intent(in) :: i, j
    p = s%p_base(1, i, j) + s%pp(1, i, j)
    p = p*exp(gravity*g%zc(1)*g%jac(i, j)/(r_dry*s%theta(1, i, j)*exner(p)))
  end function surface_pressure_of

  !> Of the centres of a column above the sea [m].
  pure function heights(g, i, j) result(z)
    type(grid_t), intent(in) :: g
    integer, intent(in) :: i, j
    real(wp) :: z(g%nz)
    z = g%zc + g%zs(i, j)*g%fall_c
  end function heights

  !> Density temperature of a column, virtual but for the weight of clouds and rain [K].
  pure function virtual_temperature(s, i, j, n) result(t)
    type(state_t), intent(in) :: s
    integer, intent(in) :: i, j, n
    real(wp) :: t(n)
    t = s%theta(:, i, j)*exner(s%p_base(:, i, j) + s%pp(:, i, j))
  end function virtual_temperature

  !> Relative humidity of a column, 1 at saturation.
  pure function humidity_of(s, i, j, n) result(rh)
    type(state_t), intent(in) :: s
    integer, intent(in) :: i, j, n
    real(wp) :: rh(n), p(n)
    p = s%p_base(:, i, j) + s%pp(:, i, j)
    rh = relative_humidity(p, dry_theta(s, i, j, n)*exner(p), content_of(s, vapour, i, j))
  end function humidity_of

  !> Cosine (1: x, 2: y) of the angle between the wind of the lowest level and an axis.
  pure real(wp) function share_of(g, s, i, j, axis)
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    integer, intent(in) :: i, j, axis
    real(wp) :: wind(2)
    wind = [0.5_wp*(s%u(1, i, j) + s%u(1, i + 1, j)), s%v(1, i, j)]
    if (.not. g%shape%two_d) wind(2) = 0.5_wp*(s%v(1, i, j) + s%v(1, i, j + 1))
    share_of = wind(axis)/max(norm2(wind), 1.0e-12_wp)
  end function share_of

  !> Potential temperature of a column, from that of density.
  pure function dry_theta(s, i, j, n) result(theta)
    type(state_t), intent(in) :: s
    integer, intent(in) :: i, j, n
    real(wp) :: theta(n)
    theta = s%theta(:, i, j)/(1.0_wp + virtual*content_of(s, vapour, i, j) &
      - content_of(s, cloud, i, j) - content_of(s, rain, i, j))
  end function dry_theta
end module weather_fields
