! SPDX-License-Identifier: BSD-3-Clause
! Time series at stations: the columns nearest to them, written as a CF discrete sampling geometry
! (featureType timeSeries) to NAME.stations.nc beside the output, a stream of Nearfar's whose steps
! are the times.
module weather_station
  use mpi_f08, only: MPI_COMM_WORLD, MPI_Allreduce, MPI_Reduce, MPI_MIN, MPI_SUM, MPI_IN_PLACE, &
    MPI_DOUBLE_PRECISION, MPI_INTEGER
  use, intrinsic :: iso_fortran_env, only: int8, real32, real64
  use nearfar, only: nearfar_output
  use weather_attributes, only: attributes_t, fill_value, describe_run, describe_time
  use weather_constants, only: wp, pi, max_text
  use weather_config, only: config_t
  use weather_errors, only: agree, settle, text_of
  use weather_derived, only: sea_level_pressure, dew_point, relative_humidity, cloud_cover
  use weather_fields, only: dry_theta, virtual_temperature, surface_pressure_of, humidity_of
  use weather_grid, only: grid_t
  use weather_halo, only: halo_team
  use weather_places, only: latitude_of, longitude_of, distance
  use weather_state, only: state_t, content_of, vapour, cloud
  use weather_streams, only: is_root, add_of_root, refuse_existing
  use weather_text, only: stem, count_words, word_of
  use weather_thermo, only: exner
  implicit none (type, external)
  private
  public :: stations_t, stations_open, stations_write, stations_close, stations_leave

  integer, parameter :: name_size = 32, most_stations = 64
  ! the series, in this order
  integer, parameter :: of_temperature = 1, of_speed = 2, of_direction = 3, of_pressure = 4, &
    of_humidity = 5, of_rain = 6, of_dew_point = 7, of_sea_level = 8, of_clouds = 9, series = 9
  character(18), parameter :: series_names(series) = [character(18) :: 'temperature_2m', &
    'wind_speed', 'wind_direction', 'pressure', 'humidity', 'rain', 'dew_point_2m', &
    'sea_level_pressure', 'cloud_cover']
  character(11), parameter :: place_names(5) = ['latitude   ', 'longitude  ', 'altitude   ', &
    'height     ', 'wind_height']

  type :: stations_t
    integer :: count = 0
    character(name_size), allocatable :: names(:)
    integer, allocatable :: i(:), j(:)                !! their columns
    real(wp), allocatable :: places(:, :)             !! on rank 0, until they are written
  end type stations_t

  type(nearfar_output), save :: stream

contains

  !> Collective: finds the columns and makes the file for so many times.
  subroutine stations_open(t, g, c, s, origin, namelist_text, times)
    type(stations_t), intent(inout) :: t
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    type(state_t), intent(in) :: s
    character(*), intent(in) :: origin, namelist_text
    integer, intent(in) :: times
    type(attributes_t) :: run
    character(max_text) :: message
    character(:), allocatable :: path
    integer :: stat

    call find_stations(t, g, c, message)
    call agree(message)
    path = stem(trim(c%output_file))//'.stations'
    if (c%runtype == 'history') call refuse_existing(path//'.nc', 'the stations'' file', message)
    call agree(message)
    t%places = places_of(t, g, c, s)
    call describe(t, origin)
    call describe_run(run, trim(c%expnme)//': time series at stations', trim(c%institution), &
      namelist_text)
    call run%add('featureType', 'timeSeries')
    call stream%create(halo_team(), path, format='netcdf', attributes=run%lines, &
      policy=merge('synchronous', 'thread     ', c%output_policy == 'synchronous'), &
      writers_per_node=1, durability='none', expected_steps=times, stat=stat, errmsg=message)
    call settle(stat, message)
  end subroutine stations_open

  !> Splits the key `stations` and finds the column of each. Collective.
  subroutine find_stations(t, g, c, message)
    type(stations_t), intent(inout) :: t
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    character(*), intent(out) :: message
    character(:), allocatable :: entry, before, behind
    real(wp) :: numbers(2)
    integer :: first, last, words, stat(2)

    message = ''
    allocate (t%names(most_stations), t%i(most_stations), t%j(most_stations))
    first = 1
    do while (first <= len_trim(c%stations) .and. message == '')
      last = first - 2 + index(trim(c%stations(first:))//';', ';')
      entry = trim(adjustl(c%stations(first:last)))
      first = last + 2
      words = count_words(entry)
      if (words == 0) cycle
      stat = 1
      if (words > 2) then
        before = word_of(entry, words - 1)
        behind = word_of(entry, words)
        read (before, *, iostat=stat(1)) numbers(1)
        read (behind, *, iostat=stat(2)) numbers(2)
      end if
      if (any(stat /= 0)) then
        message = 'stations: '''//entry//''' is not of the form NAME NUMBER NUMBER'
      else if (t%count == most_stations) then
        message = 'stations: there may be '//text_of(most_stations)//' of them'
      else
        t%count = t%count + 1
        t%names(t%count) = entry(:index(entry, ' '//before) - 1)
        call find_column(g, trim(t%names(t%count)), numbers, t%i(t%count), t%j(t%count), message)
      end if
    end do
    if (message == '' .and. t%count == 0) message = 'stations: there is none in it'
  end subroutine find_stations

  !> The column nearest to a latitude and longitude, the first of several equally near; in an
  !> idealised run the numbers are its indices. Collective.
  subroutine find_column(g, name, numbers, i_found, j_found, message)
    type(grid_t), intent(in) :: g
    character(*), intent(in) :: name
    real(wp), intent(in) :: numbers(2)
    integer, intent(out) :: i_found, j_found
    character(*), intent(inout) :: message
    real(wp) :: away, nearest, least
    integer :: i, j, cell, first

    i_found = nint(numbers(1))
    j_found = nint(numbers(2))
    if (.not. allocated(g%latitude)) then
      if (i_found < 1 .or. i_found > g%nx .or. j_found < 1 .or. j_found > g%ny .or. &
        any(abs(numbers - nint(numbers)) > 0.0_wp)) message = 'stations: '//name//' at column '// &
        text_of(numbers(1))//' '//text_of(numbers(2))//': this idealised run has columns 1 to '// &
        text_of(g%nx)//', 1 to '//text_of(g%ny)
      return
    end if
    least = huge(least)
    first = 1
    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        away = distance(g%latitude(i, j), g%longitude(i, j), numbers(1), numbers(2))
        if (away < least) first = i + g%nx*(j - 1)
        least = min(least, away)
      end do
    end do
    call MPI_Allreduce(least, nearest, 1, MPI_DOUBLE_PRECISION, MPI_MIN, MPI_COMM_WORLD)
    if (least > nearest) first = huge(first)
    call MPI_Allreduce(first, cell, 1, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD)
    i_found = mod(cell - 1, g%nx) + 1
    j_found = (cell - 1)/g%nx + 1
    if (nearest > 0.75_wp*hypot(g%dx, g%dy)) message = 'stations: '//name//' at '// &
      text_of(numbers(1))//' '//text_of(numbers(2))//' lies outside of the domain: the nearest '// &
      'column is '//text_of(0.001_wp*nearest)//' km away'
  end subroutine find_column

  pure logical function is_mine(g, i, j)
    type(grid_t), intent(in) :: g
    integer, intent(in) :: i, j
    is_mine = i >= g%own%i1 .and. i <= g%own%i2 .and. j >= g%own%j1 .and. j <= g%own%j2
  end function is_mine

  !> latitude, longitude, altitude of the columns, heights of temperature and wind; on rank 0.
  !> Collective.
  function places_of(t, g, c, s) result(places)
    type(stations_t), intent(in) :: t
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    type(state_t), intent(in) :: s
    real(wp), allocatable :: places(:, :)
    integer :: n

    allocate (places(t%count, 5), source=0.0_wp)
    do n = 1, t%count
      associate (i => t%i(n), j => t%j(n))
        if (.not. is_mine(g, i, j)) cycle
        places(n, :) = [latitude_of(g, c, i, j), longitude_of(g, c, i, j), g%zs(i, j), 2.0_wp, &
          10.0_wp]
        if (.not. s%ground%on) places(n, 4:) = g%zc(1)*g%jac(i, j)
      end associate
    end do
    call sum_on_root(places)
  end function places_of

  !> Each value comes from one rank, all others hold 0: the sum is exact.
  subroutine sum_on_root(values)
    real(wp), intent(inout) :: values(:, :)
    real(wp) :: own(size(values, 1), size(values, 2))
    own = values
    call MPI_Reduce(own, values, size(values), MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
  end subroutine sum_on_root

  subroutine describe(t, origin)
    type(stations_t), intent(in) :: t
    character(*), intent(in) :: origin
    character(*), parameter :: here = 'latitude longitude altitude'
    type(attributes_t) :: a

    call describe_time(a, origin, 'time_bounds')
    call stream%add_axis('time', [real(real64) ::], a%lines)
    call add_of_root(stream, 'time_bounds', 0.0_real64, ['bounds'], [2], .false.)
    call a%named('', '', 'station')
    call a%add('cf_role', 'timeseries_id')
    call a%add('_Encoding', 'utf-8')
    call add_of_root(stream, 'station_name', 0_int8, ['name_length', 'station    '], &
      [name_size, t%count], .true., a%lines)
    call add_place(1, 'degrees_north', 'latitude', 'latitude of the model''s column')
    call add_place(2, 'degrees_east', 'longitude', 'longitude of the model''s column')
    call add_place(3, 'm', 'surface_altitude', 'height of the model''s ground')
    ! No attribute positive: cdo takes such heights of stations for levels, and the file for none.
    call add_place(4, 'm', 'height', 'height of the thermometer above the ground')
    call add_place(5, 'm', 'height', 'height of the anemometer above the ground')
    call add_series(of_temperature, 'K', 'air_temperature', &
      'temperature at 2 m, or of the lowest level', here//' height', 'time: point')
    call add_series(of_speed, 'm s-1', 'wind_speed', &
      'wind speed at 10 m, or of the lowest level', here//' wind_height', 'time: point')
    call add_series(of_direction, 'degree', 'wind_from_direction', &
      'direction from which the wind blows', here//' wind_height', 'time: point')
    call add_series(of_pressure, 'Pa', 'surface_air_pressure', 'pressure at the ground', here, &
      'time: point')
    call add_series(of_humidity, '1', 'relative_humidity', 'relative humidity over water', &
      here//' height', 'time: point')
    call add_series(of_dew_point, 'K', 'dew_point_temperature', &
      'dew point at 2 m, or of the lowest level', here//' height', 'time: point')
    call add_series(of_sea_level, 'Pa', 'air_pressure_at_mean_sea_level', &
      'pressure reduced to sea level', here, 'time: point')
    call add_series(of_clouds, '1', 'cloud_area_fraction', 'share of the sky that clouds cover', &
      here, 'time: point')
    call add_series(of_rain, 'kg m-2', 'rainfall_amount', 'rain since the start', here, &
      'time: sum')
  contains
    subroutine add_place(number, units, standard, meaning)
      integer, intent(in) :: number
      character(*), intent(in) :: units, standard, meaning
      call a%named(units, standard, meaning)
      call add_of_root(stream, trim(place_names(number)), 0.0_real64, ['station'], [t%count], &
        .true., a%lines)
    end subroutine add_place

    subroutine add_series(number, units, standard, meaning, coordinates, method)
      integer, intent(in) :: number
      character(*), intent(in) :: units, standard, meaning, coordinates, method
      call a%named(units, standard, meaning)
      call a%add('coordinates', coordinates)
      call a%add('cell_methods', method)
      call a%add_line(fill_value)
      call add_of_root(stream, trim(series_names(number)), 0.0_real32, ['station'], [t%count], &
        .false., a%lines)
    end subroutine add_series
  end subroutine describe

  !> Collective: appends the state at `seconds` after the start.
  subroutine stations_write(t, g, s, seconds)
    type(stations_t), intent(inout) :: t
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    real(wp), intent(in) :: seconds
    real(real32), pointer :: line(:)
    real(real64), pointer :: bounds(:)
    real(wp) :: values(t%count, series)
    character(max_text) :: message
    integer :: n, stat

    values = 0.0_wp
    do n = 1, t%count
      if (is_mine(g, t%i(n), t%j(n))) values(n, :) = series_of(g, s, t%i(n), t%j(n))
    end do
    call sum_on_root(values)
    call stream%begin_step(seconds, stat, message)
    call settle(stat, message)
    if (allocated(t%places)) call store_places(t)
    call stream%slot('time_bounds', bounds)
    if (is_root()) bounds = [0.0_wp, seconds]
    do n = 1, series
      call stream%slot(trim(series_names(n)), line)
      if (is_root()) line = real(values(:, n), real32)
    end do
    call stream%end_step(stat, message)
    call settle(stat, message)
  end subroutine stations_write

  !> Names and places: part of the first time.
  subroutine store_places(t)
    type(stations_t), intent(inout) :: t
    real(real64), pointer :: line(:)
    integer :: n

    call stream%put('station_name', &
      reshape(transfer(t%names(:t%count), [0_int8]), [name_size, t%count]))
    do n = 1, size(place_names)
      call stream%slot(trim(place_names(n)), line)
      if (is_root()) line = t%places(:, n)
    end do
    deallocate (t%places)
  end subroutine store_places

  !> All series of an own column.
  function series_of(g, s, i, j) result(values)
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    integer, intent(in) :: i, j
    real(wp) :: values(series), theta(g%nz), q(g%nz), p, t, u, v, p_ground
    integer :: k

    theta = dry_theta(s, i, j, g%nz)
    q = content_of(s, vapour, i, j)
    p = s%p_base(1, i, j) + s%pp(1, i, j)
    t = theta(1)*exner(p)
    p_ground = surface_pressure_of(g, s, i, j)
    u = 0.5_wp*(s%u(1, i, j) + s%u(1, i + 1, j))
    v = s%v(1, i, j)
    if (.not. g%shape%two_d) v = 0.5_wp*(s%v(1, i, j) + s%v(1, i, j + 1))
    values(of_speed) = hypot(u, v)
    if (s%ground%on) then
      t = s%ground%temperature_2m(i, j)
      p = p_ground
      values(of_speed) = s%ground%wind_10m(i, j)
    end if
    values(of_temperature) = t
    values(of_direction) = 0.0_wp
    if (hypot(u, v) > 0.0_wp) values(of_direction) = modulo(atan2(-u, -v)*180.0_wp/pi &
      - turn_of(g, i, j), 360.0_wp)
    values(of_pressure) = p_ground
    values(of_humidity) = relative_humidity(p, t, q(1))
    values(of_dew_point) = dew_point(p, t, q(1))
    values(of_sea_level) = sea_level_pressure(g%zs(i, j), [(g%height(k, i, j), k=1, g%nz)], &
      s%p_base(:, i, j) + s%pp(:, i, j), virtual_temperature(s, i, j, g%nz))
    values(of_clouds) = cloud_cover(humidity_of(s, i, j, g%nz), content_of(s, cloud, i, j))
    values(of_rain) = s%rain(i, j)
  end function series_of

  !> Angle from east to the grid's x axis, against the clock [degrees].
  pure real(wp) function turn_of(g, i, j)
    type(grid_t), intent(in) :: g
    integer, intent(in) :: i, j
    real(wp) :: east
    integer :: i1, i2
    turn_of = 0.0_wp
    if (.not. allocated(g%latitude)) return
    i1 = max(i - 1, 1)
    i2 = min(i + 1, g%nx)
    east = modulo(g%longitude(i2, j) - g%longitude(i1, j) + 180.0_wp, 360.0_wp) - 180.0_wp
    turn_of = atan2(g%latitude(i2, j) - g%latitude(i1, j), east*cos(g%latitude(i, j)*pi/180.0_wp)) &
      *180.0_wp/pi
  end function turn_of

  !> Collective.
  subroutine stations_close()
    character(max_text) :: message
    integer :: stat
    call stream%close(stat, message)
    call settle(stat, message)
    call stream%free()
  end subroutine stations_close

  !> Of the run's last moment, local: times that were handed over are still written.
  subroutine stations_leave()
    integer :: stat
    character(max_text) :: message
    call stream%free(stat, message)
  end subroutine stations_leave
end module weather_station
