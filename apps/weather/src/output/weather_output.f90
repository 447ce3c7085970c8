! SPDX-License-Identifier: BSD-3-Clause
! NetCDF-4 output by CF: fields are gathered on rank 0 in slabs of levels, so that memory is
! bounded.
!
! The file is written as NAME.part and takes its name only when complete and closed. Every status is
! checked, and all ranks learn of a failure before the run goes on.
module weather_output
  use netcdf, only: nf90_unlimited, nf90_open, nf90_close, nf90_nowrite, &
    nf90_inq_varid, nf90_copy_att, nf90_inq_attname, nf90_inquire_variable, &
    nf90_inquire_attribute, nf90_get_att
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use weather_constants, only: wp, long, max_text
  use weather_config, only: config_t
  use weather_grid, only: grid_t
  use weather_state, only: state_t
  use weather_fields, only: field_t, choose_fields, field_values
  use weather_gather, only: gather_t, gather_open, gather_close, gather_slab, levels_per_slab
  use weather_grads, only: view_t, write_descriptor
  use weather_halo, only: halo_node
  use weather_netcdf, only: written_t, refuse_existing
  use weather_places, only: has_places, latitude_of, longitude_of, radius
  use weather_errors, only: agree
  implicit none (type, external)
  private
  public :: output_t, output_open, output_write, output_close, time_origin

  character(*), parameter :: what = 'the output'

  type :: output_t
    type(written_t) :: file
    type(gather_t) :: gather
    type(view_t) :: view                              !! what the descriptor for GrADS needs
    type(field_t), allocatable :: fields(:)
    integer, allocatable :: ids(:)                    !! variables of the fields
    integer :: time_id = -1, bounds_id = -1, frames = 0
    logical :: is_open = .false.
    character(8) :: mapping = ''                      !! its projection: lambert, plane or none
    real(real32), allocatable :: slab(:, :, :)
    real(real64), allocatable :: precise(:, :, :)
  end type output_t

contains

  !> Start of the first run as CF wants it; idealised runs begin at the start of the year 2000.
  pure function time_origin(valid_time) result(origin)
    character(*), intent(in) :: valid_time
    character(19) :: origin
    origin = '2000-01-01 00:00:00'
    if (len_trim(valid_time) >= 19) origin = valid_time(1:10)//' '//valid_time(12:19)
  end function time_origin

  !> Collective: makes the file with everything that does not change in time.
  subroutine output_open(o, g, c, s, namelist_text, valid_time)
    type(output_t), intent(inout) :: o
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    type(state_t), intent(in) :: s
    character(*), intent(in) :: namelist_text, valid_time
    character(max_text) :: message

    message = ''
    call choose_fields(s, c%fields, o%fields, message)
    if (message == '' .and. c%runtype == 'history') call refuse_existing( &
      trim(c%output_file), what, message)
    call agree(message)
    if (has_places(g)) o%mapping = merge('lambert', 'plane  ', allocated(g%latitude))
    call gather_open(o%gather, g%nx, g%ny, g%own, halo_node())
    allocate (o%ids(size(o%fields)), source=-1)
    if (o%gather%writes) then
      call o%file%wants(trim(c%output_file), what, frame_bytes(o, g))
      if (o%file%message == '') call o%file%create(trim(c%output_file), what)
      if (o%file%message == '') call define_file(o, g, c, namelist_text, time_origin(valid_time))
    end if
    call settle(o)
    o%is_open = .true.
    call write_static(o, g, c)
    call settle(o)
  end subroutine output_open

  !> All ranks go on, or none: a failed file is removed before the run ends.
  subroutine settle(o)
    type(output_t), intent(inout) :: o
    if (o%file%message /= '') call o%file%discard()
    call agree(o%file%message)
  end subroutine settle

  pure integer(long) function frame_bytes(o, g)
    type(output_t), intent(in) :: o
    type(grid_t), intent(in) :: g
    frame_bytes = int(g%nx, long)*g%ny*4_long* &
      (int(g%nz, long)*(1 + count(o%fields%levels)) + size(o%fields))
  end function frame_bytes

  !> Levels are read one by one for maps; chunks hold some 64000 values at least.
  pure integer function levels_per_chunk(g)
    type(grid_t), intent(in) :: g
    levels_per_chunk = max(1, min(g%nz, 65536/(g%nx*g%ny)))
  end function levels_per_chunk

  subroutine define_file(o, g, c, namelist_text, origin)
    type(output_t), intent(inout) :: o
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    character(*), intent(in) :: namelist_text, origin
    integer :: dim_t, dim_z, dim_y, dim_x, dim_b, id, f

    associate (file => o%file)
      dim_t = file%define('time', nf90_unlimited)
      dim_z = file%define('level', g%nz)
      dim_y = file%define('y', g%ny)
      dim_x = file%define('x', g%nx)
      dim_b = file%define('bounds', 2)
      call file%describe(trim(c%expnme), trim(c%institution), namelist_text)
      o%time_id = file%new_time(dim_t, origin, 'time_bounds')
      o%bounds_id = file%new_variable('time_bounds', 'double', [dim_b, dim_t])
      call define_levels(file, dim_z)
      call define_axis('y', dim_y)
      call define_axis('x', dim_x)
      if (o%mapping /= '') call define_positions(o, c, dim_x, dim_y)
      id = file%new_variable('height', 'float', [dim_x, dim_y, dim_z], 'm', 'altitude', &
        'height of cell centres above sea level', c%deflate)
      call file%text(id, 'positive', 'up')
      call place(id, '')
      id = file%new_variable('terrain', 'float', [dim_x, dim_y], 'm', 'surface_altitude', &
        'height of the ground')
      call place(id, '')
      call define_near_ground('height_2m')
      call define_near_ground('height_10m')
      do f = 1, size(o%fields)
        associate (field => o%fields(f))
          if (field%levels) then
            id = file%new_variable(trim(field%name), 'float', [dim_x, dim_y, dim_z, dim_t], &
              trim(field%units), trim(field%standard), trim(field%meaning), c%deflate, &
              chunks=[g%nx, g%ny, levels_per_chunk(g), 1])
            call place(id, 'height')
          else
            id = file%new_variable(trim(field%name), 'float', [dim_x, dim_y, dim_t], &
              trim(field%units), trim(field%standard), trim(field%meaning), c%deflate)
            call place(id, trim(field%at))
          end if
          call file%text(id, 'cell_methods', trim(field%method))
          o%ids(f) = id
        end associate
      end do
      call file%finish_head()
    end associate
  contains
    subroutine define_axis(name, dim)
      character(1), intent(in) :: name
      integer, intent(in) :: dim
      integer :: variable
      if (o%mapping /= '') then
        variable = o%file%new_variable(name, 'double', [dim], 'm', &
          'projection_'//name//'_coordinate', name//' of column centres')
      else
        variable = o%file%new_variable(name, 'double', [dim], 'm', &
          meaning=name//' of column centres')
      end if
      call o%file%text(variable, 'axis', merge('X', 'Y', name == 'x'))
      call o%file%text(variable, 'bounds', name//'_bounds')
      variable = o%file%new_variable(name//'_bounds', 'double', [dim_b, dim])
    end subroutine define_axis

    !> The coordinates of a variable beside its dimensions.
    subroutine place(variable, others)
      integer, intent(in) :: variable
      character(*), intent(in) :: others
      if (o%mapping /= '') then
        call o%file%text(variable, 'coordinates', trim(adjustl(others//' latitude longitude')))
      else
        call o%file%text(variable, 'coordinates', others)
      end if
      call o%file%text(variable, 'grid_mapping', trim(o%mapping))
    end subroutine place

    subroutine define_near_ground(name)
      character(*), intent(in) :: name
      integer :: variable
      if (.not. any(o%fields%at == name)) return
      variable = o%file%new_variable(name, 'double', [integer ::], 'm', 'height', &
        'height above the ground')
      call o%file%text(variable, 'positive', 'up')
      call o%file%text(variable, 'axis', 'Z')
    end subroutine define_near_ground
  end subroutine define_file

  !> The terrain-following levels as CF's hybrid height: altitude = a + b * terrain.
  subroutine define_levels(file, dim_z)
    type(written_t), intent(inout) :: file
    integer, intent(in) :: dim_z
    integer :: id

    id = file%new_variable('level', 'double', [dim_z], 'm', 'atmosphere_hybrid_height_coordinate', &
      'height of level centres over flat ground')
    call file%text(id, 'axis', 'Z')
    call file%text(id, 'positive', 'up')
    call file%text(id, 'formula_terms', 'a: level b: level_share orog: terrain')
    call file%text(id, 'computed_standard_name', 'altitude')
    id = file%new_variable('level_share', 'double', [dim_z], '1', &
      meaning='share of the terrain in the height of level centres')
    id = file%new_variable('level_thickness', 'double', [dim_z], 'm', 'cell_thickness', &
      'thickness of levels over flat ground')
  end subroutine define_levels

  subroutine define_positions(o, c, dim_x, dim_y)
    type(output_t), intent(inout) :: o
    type(config_t), intent(in) :: c
    integer, intent(in) :: dim_x, dim_y
    integer :: id

    id = o%file%new_variable('latitude', 'double', [dim_x, dim_y], 'degrees_north', &
      'latitude', 'latitude of column centres')
    id = o%file%new_variable('longitude', 'double', [dim_x, dim_y], 'degrees_east', &
      'longitude', 'longitude of column centres')
    id = o%file%new_variable(trim(o%mapping), 'int', [integer ::])
    if (o%mapping == 'lambert') then
      call copy_mapping(o, c, id)
    else
      call o%file%text(id, 'grid_mapping_name', 'azimuthal_equidistant')
      call o%file%number(id, 'latitude_of_projection_origin', c%centlat)
      call o%file%number(id, 'longitude_of_projection_origin', c%centlon)
      call o%file%number(id, 'false_easting', 0.0_wp)
      call o%file%number(id, 'false_northing', 0.0_wp)
      call o%file%number(id, 'earth_radius', radius)
      call o%file%text(id, 'comment', 'The plane of this idealised run, laid on the sphere '// &
        'around centlat, centlon; the model itself knows no sphere here.')
    end if
  end subroutine define_positions

  !> The projection of an analysis has the attributes that the analysis file gives it.
  subroutine copy_mapping(o, c, id)
    type(output_t), intent(inout) :: o
    type(config_t), intent(in) :: c
    integer, intent(in) :: id
    character(*), parameter :: act = 'copy the projection of the analysis to'
    character(64) :: name
    integer :: source, from, n, a

    if (o%file%message /= '') return
    call o%file%check(nf90_open(trim(c%analysis_file), nf90_nowrite, source), act)
    if (o%file%message /= '') return
    call o%file%check(nf90_inq_varid(source, 'lambert', from), act)
    n = 0
    if (o%file%message == '') &
      call o%file%check(nf90_inquire_variable(source, from, natts=n), act)
    do a = 1, n
      call o%file%check(nf90_inq_attname(source, from, a, name), act)
      if (name == '_FillValue' .or. o%file%message /= '') cycle
      call o%file%check(nf90_copy_att(source, from, trim(name), o%file%id, id), act)
    end do
    if (o%file%message == '') call read_parallels(o%view, source, from)
    n = nf90_close(source)
  end subroutine copy_mapping

  !> Of the projection, for the descriptor; one parallel stands for two.
  subroutine read_parallels(view, source, from)
    type(view_t), intent(inout) :: view
    integer, intent(in) :: source, from
    integer :: stat, n

    n = 0
    stat = nf90_inquire_attribute(source, from, 'standard_parallel', len=n)
    if (n > 2 .or. n < 1) return
    stat = nf90_get_att(source, from, 'standard_parallel', view%parallels(:n))
    if (n == 1) view%parallels(2) = view%parallels(1)
    stat = nf90_get_att(source, from, 'longitude_of_central_meridian', view%central)
  end subroutine read_parallels

  !> Coordinates, terrain and height.
  subroutine write_static(o, g, c)
    type(output_t), intent(inout) :: o
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    real(wp), allocatable :: values(:, :, :)
    integer :: i, j, k

    if (o%gather%writes) then
      call o%file%put(id_of(o, 'level'), g%zc, [1], [g%nz])
      call o%file%put(id_of(o, 'level_share'), g%fall_c, [1], [g%nz])
      call o%file%put(id_of(o, 'level_thickness'), 1.0_wp/g%rdz, [1], [g%nz])
      call put_axis('x', g%nx, g%dx)
      call put_axis('y', g%ny, g%dy)
      if (any(o%fields%at == 'height_2m')) &
        call o%file%put(id_of(o, 'height_2m'), [2.0_wp], [1], [1])
      if (any(o%fields%at == 'height_10m')) &
        call o%file%put(id_of(o, 'height_10m'), [10.0_wp], [1], [1])
    end if
    associate (r => g%own)
      allocate (values(g%nz, r%i1:r%i2, r%j1:r%j2))
      do j = r%j1, r%j2
        do i = r%i1, r%i2
          do k = 1, g%nz
            values(k, i, j) = g%height(k, i, j)
          end do
        end do
      end do
      call put_field(o, id_of(o, 'height'), values, 0)
      values(1, :, :) = g%zs(r%i1:r%i2, r%j1:r%j2)
      call put_field(o, id_of(o, 'terrain'), values(1:1, :, :), 0)
      if (o%mapping /= '') then
        do j = r%j1, r%j2
          do i = r%i1, r%i2
            values(1, i, j) = latitude_of(g, c, i, j)
            values(2, i, j) = longitude_of(g, c, i, j)
          end do
        end do
        call put_position('latitude', values(1:1, :, :), o%view%latitude)
        call put_position('longitude', values(2:2, :, :), o%view%longitude)
      end if
    end associate
  contains
    !> Centres of columns and, two per column, their bounds.
    subroutine put_axis(name, n, spacing)
      character(1), intent(in) :: name
      integer, intent(in) :: n
      real(wp), intent(in) :: spacing
      integer :: m
      call o%file%put(id_of(o, name), [(real(2*m - 1 - n, wp)*0.5_wp*spacing, m=1, n)], [1], [n])
      call o%file%put(id_of(o, name//'_bounds'), [(real(2*(m/2) - n, wp)*0.5_wp*spacing, m=1, &
        2*n)], [1, 1], [2, n])
    end subroutine put_axis

    !> In full precision; keeps its range and corner for the descriptor.
    subroutine put_position(name, places, range)
      character(*), intent(in) :: name
      real(wp), intent(in) :: places(:, :, :)
      real(wp), intent(inout) :: range(3)
      call gather_slab(o%gather, places, 1, 1, o%precise)
      if (.not. o%gather%writes) return
      range = [o%precise(1, 1, 1), minval(o%precise), maxval(o%precise)]
      call o%file%put(id_of(o, name), o%precise, [1, 1], [g%nx, g%ny])
    end subroutine put_position
  end subroutine write_static

  !> A variable's id on the writer.
  integer function id_of(o, name) result(id)
    type(output_t), intent(inout) :: o
    character(*), intent(in) :: name
    id = -1
    if (o%gather%writes .and. o%file%message == '') &
      call o%file%check(nf90_inq_varid(o%file%id, name, id), 'write')
  end function id_of

  !> Collective: appends the state at `seconds` after the start.
  subroutine output_write(o, g, s, seconds)
    type(output_t), intent(inout) :: o
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    real(wp), intent(in) :: seconds
    real(wp), allocatable :: values(:, :, :)
    integer :: f

    o%frames = o%frames + 1
    if (o%gather%writes) then
      call o%file%wants(o%file%part, what, frame_bytes(o, g))
      call o%file%put(o%time_id, [seconds], [o%frames], [1])
      call o%file%put(o%bounds_id, [0.0_wp, seconds], [1, o%frames], [2, 1])
    end if
    call settle(o)
    allocate (values(g%nz, g%own%i1:g%own%i2, g%own%j1:g%own%j2), source=0.0_wp)
    do f = 1, size(o%fields)
      call field_values(g, s, trim(o%fields(f)%name), values)
      if (o%fields(f)%levels) then
        call put_field(o, o%ids(f), values, o%frames)
      else
        call put_field(o, o%ids(f), values(1:1, :, :), o%frames)
      end if
    end do
    if (o%gather%writes) call o%file%sync()
    call settle(o)
    if (o%frames <= 2) o%view%times(o%frames) = seconds
  end subroutine output_write

  !> Gathers own values (level, i, j) of all ranks and writes them; frame 0: a variable without
  !> time.
  subroutine put_field(o, id, values, frame)
    type(output_t), intent(inout) :: o
    integer, intent(in) :: id, frame
    real(wp), intent(in) :: values(:, :, :)
    integer, allocatable :: start(:), count(:)
    integer :: levels, per_slab, k1, k2

    levels = size(values, 1)
    per_slab = levels_per_slab(o%gather, levels)
    do k1 = 1, levels, per_slab
      k2 = min(levels, k1 + per_slab - 1)
      call gather_slab(o%gather, values, k1, k2, o%slab)
      if (.not. o%gather%writes) cycle
      start = [1, 1]
      count = [o%gather%nx, o%gather%ny]
      if (levels > 1) then
        start = [start, k1]
        count = [count, k2 - k1 + 1]
      end if
      if (frame > 0) then
        start = [start, frame]
        count = [count, 1]
      end if
      call o%file%put(id, o%slab, start, count)
    end do
  end subroutine put_field

  !> Collective: closes the file and gives it its name; writes the descriptor for GrADS beside it.
  subroutine output_close(o, g, c, valid_time)
    type(output_t), intent(inout) :: o
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    character(*), intent(in) :: valid_time

    if (o%gather%writes) then
      call o%file%close_file()
      if (o%file%message == '') call write_descriptor(o%file%name, g, c, o%fields, o%view, &
        o%frames, time_origin(valid_time), o%mapping == 'lambert', o%file%message)
    end if
    call agree(o%file%message)
    call gather_close(o%gather)
    o%is_open = .false.
  end subroutine output_close
end module weather_output
