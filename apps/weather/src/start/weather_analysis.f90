! SPDX-License-Identifier: BSD-3-Clause
! Start from an analysis: reads this rank's part of the file and makes a balanced state of it.
! The file (made by prepare/) holds pressure levels on the model's own columns: height, temperature,
! specific_humidity, u, v (level, y, x) from the bottom up, pressure(level), terrain, latitude,
! longitude, coriolis (y, x), and the attributes dx, dy, valid_time. It may hold what the air stands
! on: ground_temperature, roughness_length, ground_wetness, land_fraction, soil_temperature and
! deep_soil_temperature (of land) (y, x). A file of several times has the fields of the air as
! (time, level, y, x), and the times as words of the attribute valid_times.
module weather_analysis
  use netcdf, only: nf90_open, nf90_close, nf90_nowrite, nf90_noerr, nf90_inq_dimid, &
    nf90_inquire_dimension, nf90_inq_varid, nf90_inquire_variable, nf90_get_var, nf90_get_att, &
    nf90_inquire_attribute, nf90_global, nf90_strerror, nf90_max_var_dims
  use mpi_f08, only: MPI_COMM_WORLD, MPI_Allreduce, MPI_Comm_rank, MPI_INTEGER, MPI_SUM
  use, intrinsic :: iso_fortran_env, only: output_unit
  use weather_constants, only: wp, max_text, p_reference, virtual
  use weather_config, only: config_t
  use weather_grid, only: grid_t
  use weather_state, only: state_t, vapour
  use weather_initial, only: balance_column
  use weather_moist, only: saturation_ratio
  use weather_soundness, only: fault_of_column
  use weather_thermo, only: density, exner
  use weather_errors, only: agree, text_of
  use weather_text, only: word_of, count_words
  implicit none (type, external)
  private
  public :: analysis_t, analysis_times, analysis_open, analysis_geography, analysis_start, &
    analysis_close

  type :: analysis_t
    integer :: file = -1, levels = 0
    integer :: record = 0                    !! which time; 0: the file has no dimension time
    real(wp) :: superadiabatic = 0.0_wp, supersaturated = 0.0_wp  !! limits of weather_soundness
    character(32) :: valid_time = ''
    character(:), allocatable :: path
    real(wp), allocatable :: pressure(:)
  end type analysis_t

contains

  !> Times in a file; 0 if it has no dimension time. Collective.
  integer function analysis_times(path) result(times)
    character(*), intent(in) :: path
    type(analysis_t) :: a
    character(max_text) :: message
    integer :: id

    times = 0
    message = ''
    a%path = path
    call check(a, nf90_open(path, nf90_nowrite, a%file), 'it cannot be opened', message)
    call agree(message)
    if (nf90_inq_dimid(a%file, 'time', id) == nf90_noerr) &
      call check(a, nf90_inquire_dimension(a%file, id, len=times), 'time cannot be read', message)
    call analysis_close(a)
    call agree(message)
  end function analysis_times

  !> Collective: opens the file on every rank, checks it against the namelist and gives the grid its
  !> size and spacing.
  subroutine analysis_open(a, g, c)
    type(analysis_t), intent(inout) :: a
    type(grid_t), intent(inout) :: g
    type(config_t), intent(in) :: c
    character(max_text) :: message
    character(20), parameter :: three_d(5) = [character(20) :: 'height', 'temperature', &
      'specific_humidity', 'u', 'v']
    character(20), parameter :: two_d(4) = [character(20) :: 'terrain', 'latitude', 'longitude', &
      'coriolis']
    integer :: v

    a%path = trim(c%analysis_file)
    a%superadiabatic = c%superadiabatic
    a%supersaturated = c%supersaturated
    message = ''
    call check(a, nf90_open(a%path, nf90_nowrite, a%file), 'it cannot be opened', message)
    call agree(message)
    a%levels = extent(a, 'level', message)
    g%nx = extent(a, 'x', message)
    g%ny = extent(a, 'y', message)
    call read_spacing(a, 'dx', g%dx, message)
    call read_spacing(a, 'dy', g%dy, message)
    call agree(message)
    call read_valid_time(a, message)
    do v = 1, size(three_d)
      if (a%record > 0) then
        call check_variable(a, trim(three_d(v)), [g%nx, g%ny, a%levels, &
          extent(a, 'time', message)], message)
      else
        call check_variable(a, trim(three_d(v)), [g%nx, g%ny, a%levels], message)
      end if
    end do
    do v = 1, size(two_d)
      call check_variable(a, trim(two_d(v)), [g%nx, g%ny], message)
    end do
    call check_variable(a, 'pressure', [a%levels], message)
    if (message == '' .and. a%levels < 2) message = refuse(a, 'it has fewer than 2 levels')
    call agree(message)
    call compare_size('nnxp', c%nnxp, g%nx)
    call compare_size('nnyp', c%nnyp, g%ny)
    call compare_spacing('deltax', c%deltax, g%dx)
    call compare_spacing('deltay', c%deltay, g%dy)
    if (message == '' .and. min(g%nx, g%ny) < 4) message = refuse(a, &
      'it has fewer than 4 columns on a side')
    call agree(message)
    allocate (a%pressure(a%levels))
    call read_values(a, 'pressure', [1], [a%levels], a%pressure, message)
    if (message == '' .and. any(a%pressure(2:) >= a%pressure(:a%levels - 1))) &
      message = refuse(a, 'its pressures do not fall from level to level')
    call agree(message)
  contains
    subroutine compare_size(key, wanted, found)
      character(*), intent(in) :: key
      integer, intent(in) :: wanted, found
      if (wanted > 0 .and. wanted /= found .and. message == '') message = refuse(a, &
        'it has '//text_of(found)//' columns, the namelist says '//key//' = '//text_of(wanted)// &
        ' (0 takes the file''s)')
    end subroutine compare_size
    subroutine compare_spacing(key, wanted, found)
      character(*), intent(in) :: key
      real(wp), intent(in) :: wanted, found
      if (wanted > 0.0_wp .and. abs(wanted - found) > 1.0e-6_wp*found .and. message == &
        '') message = &
        refuse(a, 'its spacing is '//text_of(found)//' m, the namelist says '//key//' = '// &
        text_of(wanted)//' (0 takes the file''s)')
    end subroutine compare_spacing
  end subroutine analysis_open

  !> The attribute valid_time, or of several times its word of valid_times.
  subroutine read_valid_time(a, message)
    type(analysis_t), intent(inout) :: a
    character(*), intent(inout) :: message
    character(:), allocatable :: times
    integer :: length

    if (a%record == 0) then
      call check(a, nf90_get_att(a%file, nf90_global, 'valid_time', a%valid_time), &
        'the attribute valid_time is missing', message)
      return
    end if
    length = 0
    call check(a, nf90_inquire_attribute(a%file, nf90_global, 'valid_times', len=length), &
      'the attribute valid_times is missing', message)
    allocate (character(length) :: times)
    call check(a, nf90_get_att(a%file, nf90_global, 'valid_times', times), &
      'the attribute valid_times cannot be read', message)
    if (message /= '') return
    if (count_words(times) /= extent(a, 'time', message)) message = refuse(a, 'it has '// &
      text_of(extent(a, 'time', message))//' times, valid_times names '// &
      text_of(count_words(times)))
    if (message == '') a%valid_time = word_of(times, a%record)
  end subroutine read_valid_time

  subroutine read_spacing(a, name, value, message)
    type(analysis_t), intent(in) :: a
    character(*), intent(in) :: name
    real(wp), intent(out) :: value
    character(*), intent(inout) :: message
    value = 0.0_wp
    if (message /= '') return
    call check(a, nf90_get_att(a%file, nf90_global, name, value), 'the attribute '//name// &
      ' is missing', message)
    if (message == '' .and. .not. (value > 0.0_wp .and. value < 1.0e7_wp)) &
      message = refuse(a, 'the attribute '//name//' = '//text_of(value)//' is no spacing in metres')
  end subroutine read_spacing

  integer function extent(a, name, message)
    type(analysis_t), intent(in) :: a
    character(*), intent(in) :: name
    character(*), intent(inout) :: message
    integer :: id
    extent = 0
    if (message /= '') return
    call check(a, nf90_inq_dimid(a%file, name, id), 'the dimension '//name//' is missing', message)
    if (message == '') call check(a, nf90_inquire_dimension(a%file, id, len=extent), &
      'the dimension '//name//' cannot be read', message)
  end function extent

  subroutine check_variable(a, name, shape_wanted, message)
    type(analysis_t), intent(in) :: a
    character(*), intent(in) :: name
    integer, intent(in) :: shape_wanted(:)
    character(*), intent(inout) :: message
    integer :: id, n, d, ids(nf90_max_var_dims), length

    if (message /= '') return
    call check(a, nf90_inq_varid(a%file, name, id), 'the variable '//name//' is missing', message)
    if (message /= '') return
    call check(a, nf90_inquire_variable(a%file, id, ndims=n, dimids=ids), name// &
      ' cannot be read', message)
    if (message /= '') return
    if (n /= size(shape_wanted)) message = refuse(a, name//' has '//text_of(n)//' dimensions, '// &
      text_of(size(shape_wanted))//' are expected')
    do d = 1, n
      if (message /= '') return
      call check(a, nf90_inquire_dimension(a%file, ids(d), len=length), name//' cannot be read', &
        message)
      if (message == '' .and. length /= shape_wanted(d)) message = refuse(a, name// &
        ' has the wrong shape: the order level, y, x is expected')
    end do
  end subroutine check_variable

  subroutine read_values(a, name, start, count, values, message)
    type(analysis_t), intent(in) :: a
    character(*), intent(in) :: name
    integer, intent(in) :: start(:), count(:)
    real(wp), intent(out) :: values(*)
    character(*), intent(inout) :: message
    integer :: id, n

    n = product(count)
    values(1:n) = 0.0_wp
    if (message /= '') return
    call check(a, nf90_inq_varid(a%file, name, id), 'the variable '//name//' is missing', message)
    if (message /= '') return
    block
      real(wp) :: line(n)
      select case (size(count))
      case (1)
        call check(a, nf90_get_var(a%file, id, line, start, count), name//' cannot be read', &
          message)
        values(1:n) = line
      case default
        call read_block(a, id, name, start, count, n, line, message)
        values(1:n) = line
      end select
    end block
    if (message == '' .and. .not. all(abs(values(1:n)) < 1.0e30_wp)) &
      message = refuse(a, name//' holds values that are not finite')
  end subroutine read_values

  subroutine read_block(a, id, name, start, count, n, line, message)
    type(analysis_t), intent(in) :: a
    integer, intent(in) :: id, start(:), count(:), n
    character(*), intent(in) :: name
    real(wp), intent(out) :: line(n)
    character(*), intent(inout) :: message
    call check(a, nf90_get_var(a%file, id, line, start, count), name//' cannot be read', message)
  end subroutine read_block

  !> The box of file columns behind this rank's tile: ghosts beyond the domain repeat its rim.
  pure subroutine file_box(g, i1, i2, j1, j2)
    type(grid_t), intent(in) :: g
    integer, intent(out) :: i1, i2, j1, j2
    i1 = max(1, g%shape%il)
    i2 = min(g%nx, g%shape%ih)
    j1 = max(1, g%shape%jl)
    j2 = min(g%ny, g%shape%jh)
  end subroutine file_box

  !> Terrain, positions and Coriolis parameter of the tile and its ghosts. Collective.
  subroutine analysis_geography(a, g, coriolis)
    type(analysis_t), intent(in) :: a
    type(grid_t), intent(inout) :: g
    logical, intent(in) :: coriolis
    character(max_text) :: message
    real(wp), allocatable :: values(:, :)
    integer :: i1, i2, j1, j2

    call file_box(g, i1, i2, j1, j2)
    message = ''
    allocate (values(i1:i2, j1:j2))
    associate (s => g%shape)
      allocate (g%latitude(s%il:s%ih, s%jl:s%jh), g%longitude(s%il:s%ih, s%jl:s%jh))
    end associate
    call get('terrain', g%zs)
    call get('latitude', g%latitude)
    call get('longitude', g%longitude)
    if (coriolis) call get('coriolis', g%coriolis)
    call get_if_there('ground_temperature', g%ground_temperature)
    call get_if_there('roughness_length', g%roughness)
    call get_if_there('ground_wetness', g%ground_wetness)
    call get_if_there('land_fraction', g%land)
    call get_if_there('soil_temperature', g%soil_temperature)
    call get_if_there('deep_soil_temperature', g%deep_temperature)
    if (message == '' .and. maxval(g%zs) > 0.8_wp*g%top) message = refuse(a, 'its terrain of '// &
      text_of(maxval(g%zs))//' m is too high for a model top of '//text_of(g%top)//' m')
    if (message == '' .and. minval(g%zs) < -500.0_wp) message = refuse(a, 'its terrain of '// &
      text_of(minval(g%zs))//' m lies below any land')
    call agree(message)
  contains
    subroutine get(name, field)
      character(*), intent(in) :: name
      real(wp), intent(inout) :: field(g%shape%il:, g%shape%jl:)
      integer :: i, j
      call read_values(a, name, [i1, j1], [i2 - i1 + 1, j2 - j1 + 1], values, message)
      do j = g%shape%jl, g%shape%jh
        do i = g%shape%il, g%shape%ih
          field(i, j) = values(min(max(i, i1), i2), min(max(j, j1), j2))
        end do
      end do
    end subroutine get
    subroutine get_if_there(name, field)
      character(*), intent(in) :: name
      real(wp), allocatable, intent(out) :: field(:, :)
      integer :: id
      if (nf90_inq_varid(a%file, name, id) /= nf90_noerr) return
      call check_variable(a, name, [g%nx, g%ny], message)
      allocate (field(g%shape%il:g%shape%ih, g%shape%jl:g%shape%jh), source=0.0_wp)
      call get(name, field)
    end subroutine get_if_there
  end subroutine analysis_geography

  !> Interpolates to the model's levels and balances each column. Collective.
  subroutine analysis_start(a, g, s)
    type(analysis_t), intent(in) :: a
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    character(max_text) :: message
    real(wp), allocatable, dimension(:, :, :) :: height, temperature, humidity, u, v
    integer :: i1, i2, j1, j2, i, j, held(2), cells

    call file_box(g, i1, i2, j1, j2)
    message = ''
    held = 0
    allocate (height(i1:i2, j1:j2, a%levels), temperature(i1:i2, j1:j2, a%levels), &
      humidity(i1:i2, j1:j2, a%levels), u(i1:i2, j1:j2, a%levels), v(i1:i2, j1:j2, a%levels))
    call get('height', height)
    call get('temperature', temperature)
    call get('specific_humidity', humidity)
    call get('u', u)
    call get('v', v)
    if (message == '') then
      if (any(height(:, :, 2:) <= height(:, :, :a%levels - 1))) then
        message = refuse(a, 'its heights do not rise from level to level')
      else if (minval(temperature) < 120.0_wp .or. maxval(temperature) > 350.0_wp) then
        message = refuse(a, 'its temperatures reach from '//text_of(minval(temperature))//' to '// &
          text_of(maxval(temperature))//' K')
      else if (maxval(abs(u)) > 200.0_wp .or. maxval(abs(v)) > 200.0_wp) then
        message = refuse(a, 'its winds are faster than 200 m/s')
      end if
    end if
    do j = j1, j2
      do i = i1, i2
        if (message /= '') cycle
        message = fault_of_column(a%pressure, height(i, j, :), temperature(i, j, :), &
          humidity(i, j, :), g%zs(i, j), a%superadiabatic, a%supersaturated)
        if (message /= '') message = refuse(a, 'column '//text_of(i)//', '//text_of(j)//': '// &
          message)
      end do
    end do
    call agree(message)
    do j = g%shape%jl, g%shape%jh
      do i = g%shape%il, g%shape%ih
        call start_column(a, g, s, i, j, height(near_i(i), near_j(j), :), &
          temperature(near_i(i), near_j(j), :), max(humidity(near_i(i), near_j(j), :), 0.0_wp), &
          u(near_i(i), near_j(j), :), v(near_i(i), near_j(j), :), cells)
        if (cells > 0 .and. i >= g%own%i1 .and. i <= g%own%i2 .and. j >= g%own%j1 .and. &
          j <= g%own%j2) held = held + [1, cells]
      end do
    end do
    call report_held(a, held)
    call to_faces(g, s)
  contains
    subroutine get(name, field)
      character(*), intent(in) :: name
      real(wp), intent(inout) :: field(:, :, :)
      integer :: one(merge(1, 0, a%record > 0))
      one = 1
      call read_values(a, name, [i1, j1, 1, one*a%record], [i2 - i1 + 1, j2 - j1 + 1, a%levels, &
        one], field, message)
    end subroutine get
    pure integer function near_i(i)
      integer, intent(in) :: i
      near_i = min(max(i, i1), i2)
    end function near_i
    pure integer function near_j(j)
      integer, intent(in) :: j
      near_j = min(max(j, j1), j2)
    end function near_j
  end subroutine analysis_start

  subroutine analysis_close(a)
    type(analysis_t), intent(inout) :: a
    integer :: stat
    stat = nf90_close(a%file)
    a%file = -1
  end subroutine analysis_close

  !> Collective: says how many columns and cells were held to saturation.
  subroutine report_held(a, held)
    type(analysis_t), intent(in) :: a
    integer, intent(in) :: held(2)
    integer :: total(2), rank
    call MPI_Allreduce(held, total, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    if (rank == 0 .and. total(1) > 0) write (output_unit, '(a)') 'start from '''//a%path// &
      ''': vapour above saturation left out in '//text_of(total(1))//' columns ('// &
      text_of(total(2))//' cells)'
  end subroutine report_held

  !> One column from its analysis levels; the balance keeps the analysed pressure near 5 km. `held`
  !> counts cells whose humidity, interpolated between levels that differ in temperature, came out
  !> above saturation and was taken down to it.
  subroutine start_column(a, g, s, i, j, height, temperature, humidity, u, v, held)
    type(analysis_t), intent(in) :: a
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    integer, intent(in) :: i, j
    real(wp), dimension(a%levels), intent(in) :: height, temperature, humidity, u, v
    integer, intent(out) :: held
    real(wp), parameter :: fixed_height = 5000.0_wp
    real(wp) :: theta(g%nz), p(g%nz), z, t, q, weight, wet
    integer :: k, m, fixed

    fixed = 1
    held = 0
    do k = 1, g%nz
      z = g%height(k, i, j)
      if (z < fixed_height) fixed = k
      m = 1
      do while (m < a%levels - 1 .and. z > height(m + 1))
        m = m + 1
      end do
      weight = (z - height(m))/(height(m + 1) - height(m))
      p(k) = exp((1.0_wp - weight)*log(a%pressure(m)) + weight*log(a%pressure(m + 1)))
      weight = min(max(weight, 0.0_wp), 1.0_wp)       ! constant beyond the lowest and highest level
      t = mixed(temperature)
      q = mixed(humidity)
      wet = saturation_ratio(p(k), t)
      if (q > wet/(1.0_wp + wet)) then
        q = wet/(1.0_wp + wet)
        held = held + 1
      end if
      if (s%tracers >= vapour) s%tracer(vapour)%q(k, i, j) = q
      s%u(k, i, j) = mixed(u)
      s%v(k, i, j) = mixed(v)
      theta(k) = t*(1.0_wp + virtual*q)/exner(p(k))
    end do
    call balance_column(g, s, i, j, fixed, theta, p)
    do k = 1, g%nz
      s%rho(k, i, j) = g%jac(i, j)*density(p(k), theta(k)) - s%rho_base(k, i, j)
      s%rth(k, i, j) = (s%rho_base(k, i, j) + s%rho(k, i, j))*theta(k)
    end do
  contains
    pure real(wp) function mixed(values)
      real(wp), intent(in) :: values(:)
      mixed = (1.0_wp - weight)*values(m) + weight*values(m + 1)
    end function mixed
  end subroutine start_column

  !> Moves u and v from centres to the west and south faces, in place.
  subroutine to_faces(g, s)
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    integer :: i, j
    do j = g%shape%jl, g%shape%jh
      do i = g%shape%ih, g%shape%il + 1, -1
        s%u(:, i, j) = 0.5_wp*(s%u(:, i - 1, j) + s%u(:, i, j))
      end do
    end do
    do j = g%shape%jh, g%shape%jl + 1, -1
      do i = g%shape%il, g%shape%ih
        s%v(:, i, j) = 0.5_wp*(s%v(:, i, j - 1) + s%v(:, i, j))
      end do
    end do
  end subroutine to_faces

  function refuse(a, what) result(text)
    type(analysis_t), intent(in) :: a
    character(*), intent(in) :: what
    character(:), allocatable :: text
    text = 'the analysis file '''//a%path//''' is refused: '//what
  end function refuse

  subroutine check(a, status, what, message)
    type(analysis_t), intent(in) :: a
    integer, intent(in) :: status
    character(*), intent(in) :: what
    character(*), intent(inout) :: message
    if (status /= nf90_noerr .and. message == '') &
      message = refuse(a, what//' ('//trim(nf90_strerror(status))//')')
  end subroutine check
end module weather_analysis
