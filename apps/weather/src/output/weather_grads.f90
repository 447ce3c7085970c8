! SPDX-License-Identifier: BSD-3-Clause
! A descriptor for GrADS (NAME.ctl beside NAME.nc): GrADS reads the NetCDF file itself, but knows
! neither projected grids nor terrain-following levels from it. Idealised runs are put where GrADS
! can draw them: one degree for each 111.2 km around (centlat, centlon).
module weather_grads
  use mpi_f08, only: MPI_COMM_WORLD, MPI_Allreduce, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_SUM
  use weather_constants, only: wp
  use weather_config, only: config_t
  use weather_grid, only: grid_t
  use weather_fields, only: field_t
  use weather_errors, only: fixed, text_of
  use weather_text, only: stem
  implicit none (type, external)
  private
  public :: view_t, range_of, write_descriptor

  real(wp), parameter :: degree = 111200.0_wp         !! metres

  type :: view_t
    real(wp) :: latitude(3) = 0.0_wp, longitude(3) = 0.0_wp    !! of column (1, 1); least; largest
    real(wp) :: parallels(2) = 0.0_wp, central = 0.0_wp        !! of the Lambert projection
    real(wp) :: times(2) = 0.0_wp                              !! of the first two frames [s]
  end type view_t

contains

  !> Of column (1, 1), which `has_corner` says is this rank's first one; least; largest. Collective.
  function range_of(places, has_corner) result(range)
    real(wp), intent(in) :: places(:, :)
    logical, intent(in) :: has_corner
    real(wp) :: range(3), corner, ends(2), largest(2)
    corner = 0.0_wp
    if (has_corner) corner = places(1, 1)
    ends = [-minval(places), maxval(places)]
    call MPI_Allreduce(corner, range(1), 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Allreduce(ends, largest, 2, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    range(2:) = [-largest(1), largest(2)]
  end function range_of

  subroutine write_descriptor(name, g, c, fields, view, frames, origin, projected, message)
    character(*), intent(in) :: name, origin
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    type(field_t), intent(in) :: fields(:)
    type(view_t), intent(in) :: view
    integer, intent(in) :: frames
    logical, intent(in) :: projected
    character(*), intent(inout) :: message
    character(:), allocatable :: path
    real(wp) :: dx, dy
    integer :: unit, stat, f, minutes, nx, ny

    path = stem(name)//'.ctl'
    open (newunit=unit, file=path, status='replace', action='write', iostat=stat)
    if (stat /= 0) then
      message = 'cannot write the descriptor '''//path//''''
      return
    end if
    write (unit, '(a)') 'DSET ^'//name(index(name, '/', back=.true.) + 1:), 'DTYPE netcdf', &
      'TITLE '//trim(c%expnme), 'UNDEF 9.96921e+36', &
      'CACHESIZE '//text_of(max(1000000, min(100000000, 8*g%nx*g%ny*g%nz)))
    if (projected) then
      dy = g%dy/degree
      dx = dy/max(cos(0.5_wp*sum(view%latitude(2:))*acos(-1.0_wp)/180.0_wp), 0.1_wp)
      nx = ceiling((view%longitude(3) - view%longitude(2))/dx) + 1
      ny = ceiling((view%latitude(3) - view%latitude(2))/dy) + 1
      write (unit, '(a)') 'PDEF '//text_of(g%nx)//' '//text_of(g%ny)//' LCCR '// &
        fixed(view%latitude(1), 5)//' '//fixed(view%longitude(1), 5)//' 1 1 '// &
        fixed(minval(view%parallels), 5)//' '//fixed(maxval(view%parallels), 5)//' '// &
        fixed(view%central, 5)//' '//fixed(g%dx, 1)//' '//fixed(g%dy, 1)
      call line('XDEF', nx, view%longitude(2), dx)
      call line('YDEF', ny, view%latitude(2), dy)
    else
      dx = g%dx/(degree*cos(c%centlat*acos(-1.0_wp)/180.0_wp))
      dy = g%dy/degree
      call line('XDEF', g%nx, c%centlon + 0.5_wp*real(1 - g%nx, wp)*dx, dx)
      call line('YDEF', g%ny, c%centlat + 0.5_wp*real(1 - g%ny, wp)*dy, dy)
    end if
    write (unit, '(a)') 'ZDEF '//text_of(g%nz)//' LEVELS'
    write (unit, '(8f12.2)') g%zc
    minutes = 1                                       ! the shortest step that GrADS knows
    if (frames > 1) minutes = max(1, nint((view%times(2) - view%times(1))/60.0_wp))
    write (unit, '(a)') 'TDEF '//text_of(max(frames, 1))//' LINEAR '//date_of(origin)//' '// &
      text_of(minutes)//'mn'
    ! GrADS knows one vertical axis, so surfaces of constant pressure are left to other readers
    write (unit, '(a)') 'VARS '//text_of(count(fields%axis /= 'plev') + 2)
    do f = 1, size(fields)
      if (fields(f)%axis == 'plev') cycle
      if (fields(f)%axis == 'level') then
        write (unit, '(a)') trim(fields(f)%name)//'=>'//alias(fields(f)%name)//' '// &
          text_of(g%nz)//' t,z,y,x '//trim(fields(f)%meaning)//' ['//trim(fields(f)%units)//']'
      else
        write (unit, '(a)') trim(fields(f)%name)//'=>'//alias(fields(f)%name)//' 0 t,y,x '// &
          trim(fields(f)%meaning)//' ['//trim(fields(f)%units)//']'
      end if
    end do
    write (unit, '(a)') 'height=>height '//text_of(g%nz)//' z,y,x height above sea level [m]', &
      'terrain=>terrain 0 y,x height of the ground [m]'
    write (unit, '(a)', iostat=stat) 'ENDVARS'
    if (stat == 0) close (unit, iostat=stat)
    if (stat /= 0) message = 'cannot write the descriptor '''//path//''''
  contains
    subroutine line(name_of_axis, n, first, step)
      character(*), intent(in) :: name_of_axis
      integer, intent(in) :: n
      real(wp), intent(in) :: first, step
      write (unit, '(a,1x,i0,a,2(1x,es17.10))') name_of_axis, n, ' LINEAR', first, step
    end subroutine line
  end subroutine write_descriptor

  !> GrADS names have no underscore and 15 characters at most.
  pure function alias(name) result(short)
    character(*), intent(in) :: name
    character(:), allocatable :: short
    integer :: k
    short = ''
    do k = 1, len_trim(name)
      if (name(k:k) /= '_' .and. len(short) < 15) short = short//name(k:k)
    end do
  end function alias

  !> 2007-01-24 12:00:00 as GrADS writes it: 12:00Z24jan2007.
  pure function date_of(origin) result(date)
    character(*), intent(in) :: origin
    character(15) :: date
    character(3), parameter :: months(12) = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', &
      'aug', 'sep', 'oct', 'nov', 'dec']
    integer :: month, stat
    read (origin(6:7), '(i2)', iostat=stat) month
    if (stat /= 0 .or. month < 1 .or. month > 12) month = 1
    date = origin(12:16)//'Z'//origin(9:10)//months(month)//origin(1:4)
  end function date_of
end module weather_grads
