! SPDX-License-Identifier: BSD-3-Clause
! NetCDF-4 output by CF-1.10: fields are gathered on rank 0 in slabs of levels, so that memory is
! bounded.
!
! The file is written as NAME.part and takes its name only when complete and closed. Every status is
! checked, and all ranks learn of a failure before the run goes on.
module weather_output
  use mpi_f08, only: MPI_COMM_WORLD, MPI_Comm_rank, MPI_Comm_size, MPI_Gather, MPI_Gatherv, &
    MPI_INTEGER, MPI_REAL
  use netcdf, only: nf90_create, nf90_def_dim, nf90_def_var, nf90_put_att, nf90_put_var, &
    nf90_enddef, &
    nf90_sync, nf90_close, nf90_strerror, nf90_noerr, nf90_netcdf4, nf90_float, nf90_double, &
    nf90_int, nf90_unlimited, nf90_global, nf90_open, nf90_nowrite, nf90_inq_varid, nf90_copy_att, &
    nf90_inq_attname, nf90_inquire_variable
  use, intrinsic :: iso_fortran_env, only: real32
  use weather_constants, only: wp, long, max_text, model_version
  use weather_config, only: config_t
  use weather_grid, only: grid_t
  use weather_state, only: state_t
  use weather_fields, only: field_count, field_names, units_of, standard_name_of, long_name_of, &
    field_values, surface_pressure
  use weather_errors, only: agree, text_of
  use weather_system, only: free_bytes, is_renamed, remove_file
  implicit none (type, external)
  private
  public :: output_t, output_open, output_write, output_close

  integer, parameter :: slab_values = 4*1024*1024     !! values gathered at a time on rank 0

  type :: output_t
    integer :: file = -1, time_id = -1, frames = 0, fields(field_count) = -1, surface_id = -1
    integer :: rank = 0, ranks = 1
    logical :: is_open = .false., projected = .false.
    character(:), allocatable :: name, part
    integer, allocatable :: tiles(:, :)               !! is, ie, js, je of every rank; on rank 0
    real(real32), allocatable :: mine(:), all(:), slab(:, :, :)
  end type output_t

contains

  !> Collective: makes the file with everything that does not change in time.
  subroutine output_open(o, g, c, namelist_text, valid_time)
    type(output_t), intent(inout) :: o
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    character(*), intent(in) :: namelist_text, valid_time
    character(max_text) :: message
    integer :: own(4)

    call MPI_Comm_rank(MPI_COMM_WORLD, o%rank)
    call MPI_Comm_size(MPI_COMM_WORLD, o%ranks)
    o%name = trim(c%output_file)
    o%part = o%name//'.part'
    o%projected = allocated(g%latitude)
    allocate (o%tiles(4, merge(o%ranks, 1, o%rank == 0)))
    own = [g%own%i1, g%own%i2, g%own%j1, g%own%j2]
    call MPI_Gather(own, 4, MPI_INTEGER, o%tiles, 4, MPI_INTEGER, 0, MPI_COMM_WORLD)
    message = ''
    if (o%rank == 0) then
      call check_space(o, g, message)
      if (message == '') call define_file(o, g, c, namelist_text, valid_time, message)
    end if
    call settle(o, message)
    o%is_open = .true.
    call write_static(o, g, message)
    call settle(o, message)
  end subroutine output_open

  !> All ranks go on, or none: a failed file is removed before the run ends.
  subroutine settle(o, message)
    type(output_t), intent(inout) :: o
    character(*), intent(in) :: message
    integer :: ignored

    if (o%rank == 0 .and. message /= '') then
      if (o%file >= 0) ignored = nf90_close(o%file)
      call remove_file(o%part)
    end if
    call agree(message)
  end subroutine settle

  !> Refuses to begin a frame that may not fit.
  subroutine check_space(o, g, message)
    type(output_t), intent(in) :: o
    type(grid_t), intent(in) :: g
    character(*), intent(out) :: message
    integer(long) :: wanted, free

    message = ''
    free = free_bytes(o%part)
    if (free < 0) then
      message = 'the folder of output_file = '''//o%name//''' does not exist or cannot be read'
      return
    end if
    wanted = int(g%nx, long)*g%ny*g%nz*4_long*(field_count + 1)
    if (free < wanted) message = 'no space for the output '''//o%name//''': one time may need '// &
      megabytes(wanted)//', '//megabytes(free)//' are free'
  end subroutine check_space

  pure function megabytes(bytes) result(text)
    integer(long), intent(in) :: bytes
    character(:), allocatable :: text
    text = text_of(real(bytes, wp)*1.0e-6_wp)//' MB'
  end function megabytes

  subroutine define_file(o, g, c, namelist_text, valid_time, message)
    type(output_t), intent(inout) :: o
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    character(*), intent(in) :: namelist_text, valid_time
    character(*), intent(inout) :: message
    integer :: dim_t, dim_z, dim_y, dim_x, id, f
    character(19) :: origin

    call check(o, nf90_create(o%part, nf90_netcdf4, o%file), 'create', message)
    if (message /= '') then
      o%file = -1
      return
    end if
    call check(o, nf90_def_dim(o%file, 'time', nf90_unlimited, dim_t), 'define', message)
    call check(o, nf90_def_dim(o%file, 'level', g%nz, dim_z), 'define', message)
    call check(o, nf90_def_dim(o%file, 'y', g%ny, dim_y), 'define', message)
    call check(o, nf90_def_dim(o%file, 'x', g%nx, dim_x), 'define', message)
    call text_attribute(nf90_global, 'Conventions', 'CF-1.10')
    call text_attribute(nf90_global, 'title', trim(c%expnme))
    call text_attribute(nf90_global, 'source', model_version)
    call text_attribute(nf90_global, 'history', 'written by '//model_version)
    call text_attribute(nf90_global, 'namelist', namelist_text)

    origin = '2000-01-01 00:00:00'
    if (len_trim(valid_time) >= 19) origin = valid_time(1:10)//' '//valid_time(12:19)
    call define('time', nf90_double, [dim_t], 'seconds since '//origin, 'time', 'time', o%time_id)
    call text_attribute(o%time_id, 'calendar', 'standard')
    call text_attribute(o%time_id, 'axis', 'T')
    call define('level', nf90_double, [dim_z], 'm', '', &
      'height of level centres over flat ground', id)
    call text_attribute(id, 'axis', 'Z')
    call text_attribute(id, 'positive', 'up')
    call define('y', nf90_double, [dim_y], 'm', 'projection_y_coordinate', &
      'y of column centres', id)
    call text_attribute(id, 'axis', 'Y')
    call define('x', nf90_double, [dim_x], 'm', 'projection_x_coordinate', &
      'x of column centres', id)
    call text_attribute(id, 'axis', 'X')
    if (o%projected) call define_mapping(o, c, dim_x, dim_y, message)
    call define('height', nf90_float, [dim_x, dim_y, dim_z], 'm', 'altitude', &
      'height of cell centres above sea level', id)
    call text_attribute(id, 'positive', 'up')
    call define('terrain', nf90_float, [dim_x, dim_y], 'm', 'surface_altitude', &
      'height of the ground', id)
    do f = 1, field_count
      call define(trim(field_names(f)), nf90_float, [dim_x, dim_y, dim_z, dim_t], units_of(f), &
        standard_name_of(f), long_name_of(f), o%fields(f))
    end do
    call define('surface_pressure', nf90_float, [dim_x, dim_y, dim_t], 'Pa', &
      'surface_air_pressure', 'pressure at the ground', o%surface_id)
    call check(o, nf90_enddef(o%file), 'define', message)
  contains
    subroutine text_attribute(variable, name, value)
      integer, intent(in) :: variable
      character(*), intent(in) :: name, value
      if (value /= '') call check(o, nf90_put_att(o%file, variable, name, value), 'write', message)
    end subroutine text_attribute

    subroutine define(name, kind_of, dims, units, standard, meaning, variable)
      character(*), intent(in) :: name, units, standard, meaning
      integer, intent(in) :: kind_of, dims(:)
      integer, intent(out) :: variable
      character(:), allocatable :: where_

      variable = -1
      if (size(dims) > 2 .and. c%deflate > 0) then
        call check(o, nf90_def_var(o%file, name, kind_of, dims, variable, shuffle=.true., &
          deflate_level=c%deflate), 'define', message)
      else
        call check(o, nf90_def_var(o%file, name, kind_of, dims, variable), 'define', message)
      end if
      call text_attribute(variable, 'units', units)
      call text_attribute(variable, 'standard_name', standard)
      call text_attribute(variable, 'long_name', meaning)
      if (size(dims) < 2) return
      where_ = ''
      if (size(dims) == 4) where_ = 'height'
      if (o%projected) where_ = trim(adjustl(where_//' latitude longitude'))
      call text_attribute(variable, 'coordinates', where_)
      if (o%projected) call text_attribute(variable, 'grid_mapping', 'lambert')
      if (size(dims) == 4) call text_attribute(variable, 'cell_methods', 'time: point')
    end subroutine define
  end subroutine define_file

  !> latitude, longitude and the projection, copied from the analysis file.
  subroutine define_mapping(o, c, dim_x, dim_y, message)
    type(output_t), intent(inout) :: o
    type(config_t), intent(in) :: c
    integer, intent(in) :: dim_x, dim_y
    character(*), intent(inout) :: message
    character(64) :: name
    integer :: source, from, to, n, a, v
    character(9), parameter :: names(3) = [character(9) :: 'latitude', 'longitude', 'lambert']

    call check(o, nf90_open(trim(c%analysis_file), nf90_nowrite, source), &
      'copy from the analysis to', message)
    if (message /= '') return
    do v = 1, 3
      call check(o, nf90_inq_varid(source, trim(names(v)), from), 'copy from the analysis to', &
        message)
      if (v < 3) then
        call check(o, nf90_def_var(o%file, trim(names(v)), nf90_double, [dim_x, dim_y], to), &
          'define', message)
      else
        call check(o, nf90_def_var(o%file, trim(names(v)), nf90_int, to), 'define', message)
      end if
      if (message /= '') exit
      call check(o, nf90_inquire_variable(source, from, natts=n), 'copy from the analysis to', &
        message)
      do a = 1, n
        call check(o, nf90_inq_attname(source, from, a, name), 'copy from the analysis to', message)
        if (name == '_FillValue') cycle
        call check(o, nf90_copy_att(source, from, trim(name), o%file, to), &
          'copy from the analysis to', message)
      end do
    end do
    n = nf90_close(source)
  end subroutine define_mapping

  !> Coordinates, terrain and height.
  subroutine write_static(o, g, message)
    type(output_t), intent(inout) :: o
    type(grid_t), intent(in) :: g
    character(*), intent(inout) :: message
    real(wp), allocatable :: values(:, :, :)
    integer :: i, j, k

    message = ''
    if (o%rank == 0) then
      call put_line('level', g%zc)
      call put_line('x', [((real(2*i - 1 - g%nx, wp)*0.5_wp)*g%dx, i=1, g%nx)])
      call put_line('y', [((real(2*j - 1 - g%ny, wp)*0.5_wp)*g%dy, j=1, g%ny)])
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
      call put_named('height', values)
      values(1, :, :) = g%zs(r%i1:r%i2, r%j1:r%j2)
      call put_named('terrain', values(1:1, :, :))
      if (o%projected) then
        values(1, :, :) = g%latitude(r%i1:r%i2, r%j1:r%j2)
        call put_named('latitude', values(1:1, :, :))
        values(1, :, :) = g%longitude(r%i1:r%i2, r%j1:r%j2)
        call put_named('longitude', values(1:1, :, :))
      end if
    end associate
  contains
    subroutine put_line(name, line)
      character(*), intent(in) :: name
      real(wp), intent(in) :: line(:)
      integer :: id
      call check(o, nf90_inq_varid(o%file, name, id), 'write', message)
      if (message == '') call check(o, nf90_put_var(o%file, id, line), 'write', message)
    end subroutine put_line
    subroutine put_named(name, field)
      character(*), intent(in) :: name
      real(wp), intent(in) :: field(:, :, :)
      integer :: id
      id = -1
      if (o%rank == 0) call check(o, nf90_inq_varid(o%file, name, id), 'write', message)
      call put_field(o, g, id, field, 0, message)
    end subroutine put_named
  end subroutine write_static

  !> Collective: appends the state at `seconds` after the start.
  subroutine output_write(o, g, s, seconds)
    type(output_t), intent(inout) :: o
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    real(wp), intent(in) :: seconds
    real(wp), allocatable :: values(:, :, :)
    character(max_text) :: message
    integer :: f

    o%frames = o%frames + 1
    message = ''
    if (o%rank == 0) then
      call check_space(o, g, message)
      if (message == '') call check(o, nf90_put_var(o%file, o%time_id, [seconds], &
        start=[o%frames], count=[1]), 'write', message)
    end if
    call settle(o, message)
    allocate (values(g%nz, g%own%i1:g%own%i2, g%own%j1:g%own%j2))
    do f = 1, field_count
      call field_values(g, s, f, values)
      call put_field(o, g, o%fields(f), values, o%frames, message)
    end do
    call surface_pressure(g, s, values)
    call put_field(o, g, o%surface_id, values(1:1, :, :), o%frames, message)
    if (o%rank == 0 .and. message == '') call check(o, nf90_sync(o%file), 'write', message)
    call settle(o, message)
  end subroutine output_write

  !> Gathers own values (level, i, j) of all ranks and writes them; frame 0: a variable without
  !> time.
  subroutine put_field(o, g, id, values, frame, message)
    type(output_t), intent(inout) :: o
    type(grid_t), intent(in) :: g
    integer, intent(in) :: id, frame
    real(wp), intent(in) :: values(:, :, :)
    character(*), intent(inout) :: message
    integer :: levels, per_slab, k1, k2

    levels = size(values, 1)
    per_slab = max(1, min(levels, slab_values/(g%nx*g%ny)))
    do k1 = 1, levels, per_slab
      k2 = min(levels, k1 + per_slab - 1)
      call gather_slab(o, g, values, k1, k2)
      if (o%rank /= 0 .or. message /= '') cycle
      if (levels > 1 .and. frame > 0) then
        call check(o, nf90_put_var(o%file, id, o%slab, start=[1, 1, k1, frame], &
          count=[g%nx, g%ny, k2 - k1 + 1, 1]), 'write', message)
      else if (levels > 1) then
        call check(o, nf90_put_var(o%file, id, o%slab, start=[1, 1, k1]), 'write', message)
      else if (frame > 0) then
        call check(o, nf90_put_var(o%file, id, o%slab(:, :, 1), start=[1, 1, frame], &
          count=[g%nx, g%ny, 1]), 'write', message)
      else
        call check(o, nf90_put_var(o%file, id, o%slab(:, :, 1)), 'write', message)
      end if
    end do
  end subroutine put_field

  !> o%slab(i, j, k1:k2) on rank 0 from all tiles.
  subroutine gather_slab(o, g, values, k1, k2)
    type(output_t), intent(inout) :: o
    type(grid_t), intent(in) :: g
    real(wp), intent(in) :: values(:, :, :)
    integer, intent(in) :: k1, k2
    integer, allocatable :: counts(:), places(:)
    integer :: i, j, k, n, r

    n = size(values, 2)*size(values, 3)*(k2 - k1 + 1)
    call grow(o%mine, n)
    n = 0
    do k = k1, k2
      do j = 1, size(values, 3)
        do i = 1, size(values, 2)
          n = n + 1
          o%mine(n) = real(values(k, i, j), real32)
        end do
      end do
    end do
    allocate (counts(size(o%tiles, 2)), places(size(o%tiles, 2)))
    counts = 0
    places = 0
    if (o%rank == 0) then
      counts = (o%tiles(2, :) - o%tiles(1, :) + 1)*(o%tiles(4, :) - o%tiles(3, :) + 1)*(k2 - k1 + 1)
      do r = 2, o%ranks
        places(r) = places(r - 1) + counts(r - 1)
      end do
      call grow(o%all, g%nx*g%ny*(k2 - k1 + 1))
    else
      call grow(o%all, 1)
    end if
    call MPI_Gatherv(o%mine, n, MPI_REAL, o%all, counts, places, MPI_REAL, 0, MPI_COMM_WORLD)
    if (o%rank /= 0) return
    if (allocated(o%slab)) deallocate (o%slab)
    allocate (o%slab(g%nx, g%ny, k2 - k1 + 1))
    n = 0
    do r = 1, o%ranks
      do k = 1, k2 - k1 + 1
        do j = o%tiles(3, r), o%tiles(4, r)
          do i = o%tiles(1, r), o%tiles(2, r)
            n = n + 1
            o%slab(i, j, k) = o%all(n)
          end do
        end do
      end do
    end do
  end subroutine gather_slab

  subroutine grow(buffer, n)
    real(real32), allocatable, intent(inout) :: buffer(:)
    integer, intent(in) :: n
    if (allocated(buffer)) then
      if (size(buffer) >= n) return
      deallocate (buffer)
    end if
    allocate (buffer(n))
  end subroutine grow

  !> Collective: closes the file and gives it its name.
  subroutine output_close(o)
    type(output_t), intent(inout) :: o
    character(max_text) :: message

    message = ''
    if (o%rank == 0) then
      call check(o, nf90_close(o%file), 'close', message)
      o%file = -1
      if (message == '') then
        if (.not. is_renamed(o%part, o%name)) &
          message = 'cannot rename '''//o%part//''' to '''//o%name//''''
      end if
    end if
    call settle(o, message)
    o%is_open = .false.
  end subroutine output_close

  !> Keeps the first failure.
  subroutine check(o, status, act, message)
    type(output_t), intent(in) :: o
    integer, intent(in) :: status
    character(*), intent(in) :: act
    character(*), intent(inout) :: message

    if (status == nf90_noerr .or. message /= '') return
    message = 'cannot '//act//' the output '''//o%part//''': '//trim(nf90_strerror(status))// &
      ' ('// megabytes(free_bytes(o%part))//' are free there)'
  end subroutine check
end module weather_output
