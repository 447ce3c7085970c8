! SPDX-License-Identifier: BSD-3-Clause
! Attributes by CF as lines key=value, as Nearfar's streams take them.
module weather_attributes
  use netcdf, only: nf90_open, nf90_close, nf90_nowrite, nf90_noerr, nf90_strerror, nf90_char, &
    nf90_inq_varid, nf90_inq_attname, nf90_inquire_variable, nf90_inquire_attribute, nf90_get_att
  use weather_constants, only: wp, model_version
  use weather_config, only: config_t
  use weather_grads, only: view_t
  use weather_places, only: radius
  use weather_version, only: source_revision
  implicit none (type, external)
  private
  public :: attributes_t, fill_value, describe_run, describe_time, describe_mapping

  character(*), parameter :: fill_value = '_FillValue=9.96920996838687e+36'   !! netCDF's own

  type :: attributes_t
    character(:), allocatable :: lines(:)
  contains
    procedure :: add, add_line, named
  end type attributes_t

contains

  !> Empty words make no attribute.
  subroutine add(self, key, words)
    class(attributes_t), intent(inout) :: self
    character(*), intent(in) :: key, words
    if (words /= '') call self%add_line(key//'='//trim(words))
  end subroutine add

  subroutine add_line(self, line)
    class(attributes_t), intent(inout) :: self
    character(*), intent(in) :: line
    character(:), allocatable :: longer(:)
    integer :: n

    if (.not. allocated(self%lines)) allocate (character(1) :: self%lines(0))
    n = size(self%lines)
    allocate (character(max(len(self%lines), len(line))) :: longer(n + 1))
    longer(:n) = self%lines
    longer(n + 1) = line
    call move_alloc(longer, self%lines)
  end subroutine add_line

  !> Begins anew, with what every variable has.
  subroutine named(self, units, standard, meaning)
    class(attributes_t), intent(inout) :: self
    character(*), intent(in) :: units, standard, meaning
    if (allocated(self%lines)) deallocate (self%lines)
    call self%add('units', units)
    call self%add('standard_name', standard)
    call self%add('long_name', meaning)
  end subroutine named

  !> Of the file: what it is, who made it and from which namelist.
  subroutine describe_run(a, title, institution, namelist_text)
    type(attributes_t), intent(inout) :: a
    character(*), intent(in) :: title, institution, namelist_text
    character(8) :: day
    character(10) :: clock
    character(5) :: zone

    call date_and_time(day, clock, zone)
    if (allocated(a%lines)) deallocate (a%lines)
    call a%add('Conventions', 'CF-1.10 CF-1.8')
    call a%add('title', title)
    call a%add('institution', institution)
    call a%add('source', model_version//' ('//source_revision()//')')
    call a%add('history', day(1:4)//'-'//day(5:6)//'-'//day(7:8)//'T'//clock(1:2)//':'// &
      clock(3:4)//':'//clock(5:6)//zone(1:3)//':'//zone(4:5)//' written by '//model_version)
    call a%add('references', 'Equations: Klemp, Skamarock, Dudhia (2007), '// &
      'doi:10.1175/MWR3440.1; time stepping: Wicker, Skamarock (2002), '// &
      'doi:10.1175/1520-0493(2002)130<2088:TSMFEM>2.0.CO;2')
    call a%add('comment', 'The attribute namelist holds the settings of the run.')
    call a%add('namelist', namelist_text)
  end subroutine describe_run

  !> Of the coordinate `time`, in seconds since the start of the first run, with bounds where fields
  !> are sums over time.
  subroutine describe_time(a, origin, bounds)
    type(attributes_t), intent(inout) :: a
    character(*), intent(in) :: origin, bounds
    call a%named('seconds since '//origin, 'time', 'time')
    call a%add('calendar', 'standard')
    call a%add('axis', 'T')
    call a%add('bounds', bounds)
  end subroutine describe_time

  !> Of the projection: that of an analysis has the attributes that the analysis file gives it.
  subroutine describe_mapping(a, mapping, c, view, message)
    type(attributes_t), intent(inout) :: a
    character(*), intent(in) :: mapping
    type(config_t), intent(in) :: c
    type(view_t), intent(inout) :: view
    character(*), intent(inout) :: message

    if (allocated(a%lines)) deallocate (a%lines)
    if (mapping == 'lambert') then
      call copy_mapping(a, trim(c%analysis_file), view, message)
      return
    end if
    call a%add('grid_mapping_name', 'azimuthal_equidistant')
    call a%add('latitude_of_projection_origin', in_full([c%centlat]))
    call a%add('longitude_of_projection_origin', in_full([c%centlon]))
    call a%add('false_easting', '0')
    call a%add('false_northing', '0')
    call a%add('earth_radius', in_full([radius]))
    call a%add('comment', 'The plane of this idealised run, laid on the sphere '// &
      'around centlat, centlon; the model itself knows no sphere here.')
  end subroutine describe_mapping

  subroutine copy_mapping(a, path, view, message)
    type(attributes_t), intent(inout) :: a
    character(*), intent(in) :: path
    type(view_t), intent(inout) :: view
    character(*), intent(inout) :: message
    character(64) :: name
    character(:), allocatable :: words
    real(wp), allocatable :: numbers(:)
    integer :: stat, file, from, n, i, kind, length, ignored

    stat = nf90_open(path, nf90_nowrite, file)
    if (stat == nf90_noerr) then
      n = 0
      stat = nf90_inq_varid(file, 'lambert', from)
      if (stat == nf90_noerr) stat = nf90_inquire_variable(file, from, natts=n)
      do i = 1, n
        if (stat == nf90_noerr) stat = nf90_inq_attname(file, from, i, name)
        if (stat == nf90_noerr) stat = nf90_inquire_attribute(file, from, name, kind, length)
        if (stat /= nf90_noerr .or. name == '_FillValue') cycle
        if (kind == nf90_char) then
          if (allocated(words)) deallocate (words)
          allocate (character(length) :: words)
          stat = nf90_get_att(file, from, name, words)
          call a%add(trim(name), words)
        else
          if (allocated(numbers)) deallocate (numbers)
          allocate (numbers(length), source=0.0_wp)
          stat = nf90_get_att(file, from, name, numbers)
          call a%add(trim(name), in_full(numbers))
          call keep_for_descriptor(trim(name), numbers, view)
        end if
      end do
      ignored = nf90_close(file)
    end if
    if (stat /= nf90_noerr .and. message == '') message = 'cannot take the projection from '''// &
      path//''': '//trim(nf90_strerror(stat))
  end subroutine copy_mapping

  !> One parallel stands for two.
  subroutine keep_for_descriptor(name, numbers, view)
    character(*), intent(in) :: name
    real(wp), intent(in) :: numbers(:)
    type(view_t), intent(inout) :: view
    if (name == 'standard_parallel' .and. size(numbers) <= 2) &
      view%parallels = [numbers(1), numbers(size(numbers))]
    if (name == 'longitude_of_central_meridian') view%central = numbers(1)
  end subroutine keep_for_descriptor

  !> Numbers with commas between them, with all their digits.
  function in_full(numbers) result(words)
    real(wp), intent(in) :: numbers(:)
    character(:), allocatable :: words
    character(28) :: number
    integer :: n
    words = ''
    do n = 1, size(numbers)
      write (number, '(es24.16e3)') numbers(n)
      words = words//trim(adjustl(number))
      if (n < size(numbers)) words = words//', '
    end do
  end function in_full
end module weather_attributes
