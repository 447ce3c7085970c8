! SPDX-License-Identifier: BSD-3-Clause
! NetCDF-4 output by CF, as a stream of Nearfar's: every rank stores its part of a frame, and a
! thread writes it while the next steps are computed.
!
! A frame is whole in the file or absent, whenever the run ends.
module weather_output
    use, intrinsic :: iso_fortran_env, only: int64, output_unit, real32, real64
  use nearfar, only: nearfar_output
  use weather_constants, only: wp, max_text
  use weather_config, only: config_t
  use weather_grid, only: grid_t
  use weather_state, only: state_t
  use weather_attributes, only: attributes_t, fill_value, describe_run, describe_time, &
    describe_mapping
  use weather_fields, only: field_t, choose_fields, field_values, read_pressures
  use weather_grads, only: view_t, range_of, write_descriptor
  use weather_halo, only: halo_team
  use weather_places, only: has_places, latitude_of, longitude_of
  use weather_streams, only: is_root, add_of_root, refuse_existing
  use weather_text, only: stem
  use weather_errors, only: agree, settle
  implicit none (type, external)
  private
  public :: output_t, output_open, output_write, output_close, output_leave, time_origin

  character(*), parameter :: what = 'the output'

  type :: output_t
    type(view_t) :: view                              !! what the descriptor for GrADS needs
    type(field_t), allocatable :: fields(:)
    integer :: frames = 0
    character(8) :: mapping = ''                      !! its projection: lambert, plane or none
    real(wp), allocatable :: values(:, :, :)          !! of a field, level first
    real(wp), allocatable :: pressures(:)             !! of the surfaces of constant pressure [Pa]
  end type output_t

  type(nearfar_output), save :: stream

contains

  !> Start of the first run as CF wants it; idealised runs begin at the start of the year 2000.
  pure function time_origin(valid_time) result(origin)
    character(*), intent(in) :: valid_time
    character(19) :: origin
    origin = '2000-01-01 00:00:00'
    if (len_trim(valid_time) >= 19) origin = valid_time(1:10)//' '//valid_time(12:19)
  end function time_origin

  !> Collective: makes the file for so many frames.
  subroutine output_open(o, g, c, s, namelist_text, valid_time, frames)
    type(output_t), intent(inout) :: o
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    type(state_t), intent(in) :: s
    character(*), intent(in) :: namelist_text, valid_time
    integer, intent(in) :: frames
    type(attributes_t) :: run
    character(:), allocatable :: name
    character(max_text) :: message
    integer :: stat

    name = trim(c%output_file)
    message = ''
    call read_pressures(trim(c%pressure_levels), g%nz, o%pressures, message)
    call choose_fields(s, size(o%pressures) > 0, c%fields, o%fields, message)
    if (message == '' .and. stem(name)//'.nc' /= name) message = 'output_file is '''//name// &
      '''; its name must end in .nc'
    if (message == '' .and. c%runtype == 'history') call refuse_existing(name, what, message)
    call agree(message)
    if (has_places(g)) o%mapping = merge('lambert', 'plane  ', allocated(g%latitude))
    allocate (o%values(g%nz, g%own%i1:g%own%i2, g%own%j1:g%own%j2), source=0.0_wp)
    call add_coordinates(o, g, c, time_origin(valid_time), message)
    call add_static(o, g)
    call add_fields(o, g)
    call describe_run(run, trim(c%expnme), trim(c%institution), namelist_text)
    call agree(message)
    call stream%create(halo_team(), stem(name), format='netcdf', attributes=run%lines, &
      policy=trim(c%output_policy), writers_per_node=c%output_writers, expected_steps=frames, &
      stat=stat, errmsg=message)
    call settle(stat, message)
  end subroutine output_open

  !> Of the run's last moment, local: frames that were handed over are still written.
  subroutine output_leave()
    integer :: stat
    character(max_text) :: message
    call stream%free(stat, message)
  end subroutine output_leave

  ! ---- what the file consists of ----

  subroutine add_coordinates(o, g, c, origin, message)
    type(output_t), intent(inout) :: o
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    character(*), intent(in) :: origin
    character(*), intent(inout) :: message
    type(attributes_t) :: a

    call describe_time(a, origin, 'time_bounds')
    call stream%add_axis('time', [real(real64) ::], a%lines)
    call add_of_root(stream, 'time_bounds', 0.0_real64, ['bounds'], [2], .false.)
    call a%named('m', 'atmosphere_hybrid_height_coordinate', &
      'height of level centres over flat ground')
    call a%add('axis', 'Z')
    call a%add('positive', 'up')
    call a%add('formula_terms', 'a: level b: level_share orog: terrain')
    call a%add('computed_standard_name', 'altitude')
    call stream%add_axis('level', g%zc, a%lines)
    call a%named('1', '', 'share of the terrain in the height of level centres')
    call add_of_root(stream, 'level_share', 0.0_real64, ['level'], [g%nz], .true., a%lines)
    call a%named('m', 'cell_thickness', 'thickness of levels over flat ground')
    call add_of_root(stream, 'level_thickness', 0.0_real64, ['level'], [g%nz], .true., a%lines)
    if (any(o%fields%axis == 'plev')) then
      call a%named('Pa', 'air_pressure', 'pressure of surfaces')
      call a%add('axis', 'Z')
      call a%add('positive', 'down')
      call stream%add_axis('plev', o%pressures, a%lines)
    end if
    call add_axis('y', g%ny, g%dy)
    call add_axis('x', g%nx, g%dx)
    call add_near_ground('height_2m', 2.0_real64)
    call add_near_ground('height_10m', 10.0_real64)
    if (o%mapping == '') return
    call describe_mapping(a, trim(o%mapping), c, o%view, message)
    call stream%add_axis(trim(o%mapping), [0.0_real64], a%lines)
  contains
    !> Centres of columns, and their bounds.
    subroutine add_axis(name, n, spacing)
      character(1), intent(in) :: name
      integer, intent(in) :: n
      real(wp), intent(in) :: spacing
      integer :: m
      if (o%mapping == '') then
        call a%named('m', '', name//' of column centres')
      else
        call a%named('m', 'projection_'//name//'_coordinate', name//' of column centres')
      end if
      call a%add('axis', merge('X', 'Y', name == 'x'))
      call a%add('bounds', name//'_bounds')
      call stream%add_axis(name, [(real(2*m - 1 - n, wp)*0.5_wp*spacing, m=1, n)], a%lines)
      call add_of_root(stream, name//'_bounds', 0.0_real64, ['bounds', name//'     '], [2, n], &
        .true.)
    end subroutine add_axis

    !> A scalar height for fields near the ground.
    subroutine add_near_ground(name, metres)
      character(*), intent(in) :: name
      real(real64), intent(in) :: metres
      if (.not. any(o%fields%at == name)) return
      call a%named('m', 'height', 'height above the ground')
      call a%add('positive', 'up')
      call a%add('axis', 'Z')
      call stream%add_axis(name, [metres], a%lines)
    end subroutine add_near_ground
  end subroutine add_coordinates

  !> Heights and positions, which do not change in time.
  subroutine add_static(o, g)
    type(output_t), intent(in) :: o
    type(grid_t), intent(in) :: g
    type(attributes_t) :: a

    call a%named('m', 'altitude', 'height of cell centres above sea level')
    call a%add('positive', 'up')
    call place(o, a, '')
    call a%add_line(fill_value)
    call add_columns(g, 'height', 0.0_real32, 'level', g%nz, .true., a%lines)
    call a%named('m', 'surface_altitude', 'height of the ground')
    call place(o, a, '')
    call a%add_line(fill_value)
    call add_columns(g, 'terrain', 0.0_real32, '', 1, .true., a%lines)
    if (o%mapping == '') return
    call a%named('degrees_north', 'latitude', 'latitude of column centres')
    call add_columns(g, 'latitude', 0.0_real64, '', 1, .true., a%lines)
    call a%named('degrees_east', 'longitude', 'longitude of column centres')
    call add_columns(g, 'longitude', 0.0_real64, '', 1, .true., a%lines)
  end subroutine add_static

  subroutine add_fields(o, g)
    type(output_t), intent(in) :: o
    type(grid_t), intent(in) :: g
    type(attributes_t) :: a
    integer :: f

    do f = 1, size(o%fields)
      associate (field => o%fields(f))
        call a%named(trim(field%units), trim(field%standard), trim(field%meaning))
        if (field%axis == 'level') then
          call place(o, a, 'height')
        else
          call place(o, a, field%at)
        end if
        call a%add('cell_methods', trim(field%method))
        call a%add_line(fill_value)
        call add_columns(g, trim(field%name), 0.0_real32, trim(field%axis), &
          merge(size(o%pressures), g%nz, field%axis == 'plev'), .false., a%lines)
      end associate
    end do
  end subroutine add_fields

  !> The coordinates of a variable beside its dimensions.
  subroutine place(o, a, others)
    type(output_t), intent(in) :: o
    type(attributes_t), intent(inout) :: a
    character(*), intent(in) :: others
    if (o%mapping == '') then
      call a%add('coordinates', trim(others))
    else
      call a%add('coordinates', trim(adjustl(trim(others)//' latitude longitude')))
    end if
    call a%add('grid_mapping', trim(o%mapping))
  end subroutine place

  !> An array of all columns, with an axis of so many levels or, without one, of the ground.
  subroutine add_columns(g, name, like, axis, levels, is_constant, attributes)
    type(grid_t), intent(in) :: g
    character(*), intent(in) :: name, axis, attributes(:)
    type(*), dimension(..), intent(in) :: like
    integer, intent(in) :: levels
    logical, intent(in) :: is_constant
    character(5) :: dimensions(3)
    integer :: n
    dimensions = ['x    ', 'y    ', axis//repeat(' ', 5 - len(axis))]
    n = merge(2, 3, axis == '')
    associate (r => g%own, extents => [g%nx, g%ny, levels], first => [1, 1, 1])
      call stream%add(name, like, extents(:n), [r%i1, r%j1, first(3:n)], &
        [r%i2, r%j2, extents(3:n)], attributes=attributes, dimensions=dimensions(:n), &
        is_constant=is_constant)
    end associate
  end subroutine add_columns

  ! ---- frames ----

  !> Collective: appends the state at `seconds` after the start.
  subroutine output_write(o, g, c, s, seconds)
    type(output_t), intent(inout) :: o
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    type(state_t), intent(in) :: s
    real(wp), intent(in) :: seconds
    real(real64), pointer :: bounds(:)
    character(max_text) :: message
    integer :: f, stat

    call stream%begin_step(seconds, stat, message)
    call settle(stat, message)
    o%frames = o%frames + 1
    if (o%frames == 1) call store_static(o, g, c)
    call stream%slot('time_bounds', bounds)
    if (is_root()) bounds = [0.0_wp, seconds]
    do f = 1, size(o%fields)
      call field_values(g, s, o%fields(f), o%pressures, o%values)
      call store_columns(o, trim(o%fields(f)%name), o%fields(f)%axis /= '')
    end do
    call stream%end_step(stat, message)
    call settle(stat, message)
    if (o%frames <= 2) o%view%times(o%frames) = seconds
  end subroutine output_write

  !> o%values, of which the first level is the ground's, into the frame.
  subroutine store_columns(o, name, has_levels)
    type(output_t), intent(in) :: o
    character(*), intent(in) :: name
    logical, intent(in) :: has_levels
    real(real32), pointer :: levels(:, :, :), ground(:, :)
    integer :: i, j, k

    if (.not. has_levels) then
      call stream%slot(name, ground)
      ground = real(o%values(1, :, :), real32)
      return
    end if
    call stream%slot(name, levels)
    do j = lbound(levels, 2), ubound(levels, 2)
      do k = 1, ubound(levels, 3)
        do i = lbound(levels, 1), ubound(levels, 1)
          levels(i, j, k) = real(o%values(k, i, j), real32)
        end do
      end do
    end do
  end subroutine store_columns

  !> Coordinates, terrain and height: part of the first frame. Collective.
  subroutine store_static(o, g, c)
    type(output_t), intent(inout) :: o
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    real(real64), pointer :: line(:)
    integer :: i, j, k

    call stream%slot('level_share', line)
    if (is_root()) line = g%fall_c
    call stream%slot('level_thickness', line)
    if (is_root()) line = 1.0_wp/g%rdz
    call store_bounds('y', g%ny, g%dy)
    call store_bounds('x', g%nx, g%dx)
    associate (r => g%own)
      do j = r%j1, r%j2
        do i = r%i1, r%i2
          do k = 1, g%nz
            o%values(k, i, j) = g%height(k, i, j)
          end do
        end do
      end do
      call store_columns(o, 'height', .true.)
      o%values(1, :, :) = g%zs(r%i1:r%i2, r%j1:r%j2)
      call store_columns(o, 'terrain', .false.)
    end associate
    if (o%mapping == '') return
    call store_positions('latitude', o%view%latitude)
    call store_positions('longitude', o%view%longitude)
  contains
    subroutine store_bounds(name, n, spacing)
      character(1), intent(in) :: name
      integer, intent(in) :: n
      real(wp), intent(in) :: spacing
      real(real64), pointer :: bounds(:, :)
      integer :: m
      call stream%slot(name//'_bounds', bounds)
      if (.not. is_root()) return
      bounds = reshape([(real(2*(m/2) - n, wp)*0.5_wp*spacing, m=1, 2*n)], [2, n])
    end subroutine store_bounds

    !> In full precision; keeps range and corner for the descriptor.
    subroutine store_positions(name, range)
      character(*), intent(in) :: name
      real(wp), intent(inout) :: range(3)
      real(real64), pointer :: places(:, :)
      integer :: i, j
      call stream%slot(name, places)
      do j = lbound(places, 2), ubound(places, 2)
        do i = lbound(places, 1), ubound(places, 1)
          if (name == 'latitude') then
            places(i, j) = latitude_of(g, c, i, j)
          else
            places(i, j) = longitude_of(g, c, i, j)
          end if
        end do
      end do
      range = range_of(places, g%own%i1 == 1 .and. g%own%j1 == 1)
    end subroutine store_positions
  end subroutine store_static

  !> Collective: ends the file, packs it where that is asked for, and writes the descriptor for
  !> GrADS beside it.
  subroutine output_close(o, g, c, valid_time)
    type(output_t), intent(inout) :: o
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    character(*), intent(in) :: valid_time
    character(max_text) :: message
    integer :: stat

    message = ''
    call stream%close(stat, message)
    call settle(stat, message)
    if (is_root()) write (output_unit, '(a)') stream%describe()
    call stream%free()
    if (is_root()) call write_descriptor(trim(c%output_file), g, c, o%fields, &
      o%view, o%frames, time_origin(valid_time), o%mapping == 'lambert', message)
    call agree(message)
  end subroutine output_close
end module weather_output
