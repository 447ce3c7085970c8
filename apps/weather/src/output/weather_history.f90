! SPDX-License-Identifier: BSD-3-Clause
! Histories: NetCDF-4 files with all that a run needs to go on as if it had never stopped, bit for
! bit and on any number of ranks.
!
! A history holds the prognostic fields of all own cells. What else there is (reference state,
! sides, ghost cells beyond the domain) is made anew from the namelist, as at the first start; a
! checksum tells whether it is what it was then. `list_saved` lists the fields to be saved, once.
module weather_history
  use mpi_f08, only: MPI_COMM_WORLD, MPI_Allreduce, MPI_IN_PLACE, MPI_INTEGER8, MPI_SUM
  use netcdf, only: nf90_global
  use, intrinsic :: iso_fortran_env, only: real64, output_unit
  use weather_constants, only: wp, long, max_text
  use weather_config, only: config_t
  use weather_dynamics, only: dynamics_t
  use weather_errors, only: agree, text_of, fixed
  use weather_gather, only: gather_t, gather_open, gather_close, gather_slab, levels_per_slab
  use weather_grid, only: grid_t
  use weather_halo, only: halo_node
  use weather_netcdf, only: written_t
  use weather_netcdf_read, only: read_t
  use weather_state, only: state_t
  use weather_text, only: stem
  implicit none (type, external)
  private
  public :: history_t, history_open, history_write, history_read, history_close, last_history

  character(*), parameter :: what = 'the history', format_name = 'nearfar-weather history 2'

  type :: history_t
    character(:), allocatable :: path
    type(gather_t) :: gather
    character(32) :: start = ''                       !! checksum of what is not saved
    real(real64), allocatable :: slab(:, :, :)
  end type history_t

  !> A field to be saved, with levels (k, i, j) or without (i, j).
  type :: saved_t
    character(24) :: name = ''
    real(wp), pointer :: values(:, :, :) => null()
    real(wp), pointer :: flat(:, :) => null()
  end type saved_t

  integer, parameter :: most_saved = 64
  integer(long), parameter :: sum_prime = 1099511627689_long   !! the largest below 2**40
  character(max_text), save :: last_good = ''         !! for the message of a run that breaks

contains

  !> Everything that a step changes and the next one needs. New prognostic fields are added here.
  subroutine list_saved(g, d, s, list)
    type(grid_t), intent(in) :: g
    type(dynamics_t), intent(in) :: d
    type(state_t), target, intent(inout) :: s
    type(saved_t), allocatable, intent(out) :: list(:)
    character(6), parameter :: water(3) = ['vapour', 'cloud ', 'rain  ']
    type(saved_t) :: every(most_saved)
    integer :: count, n

    count = 0
    call add('ru', s%ru)
    call add('rv', s%rv)
    call add('rw', s%rw)
    call add('om', s%om)
    call add('rho', s%rho)
    call add('rth', s%rth)
    do n = 1, s%tracers
      call add(trim(water(n)), s%tracer(n)%r)
    end do
    if (allocated(s%rain)) call add_flat('rain_at_ground', s%rain)
    if (d%leapfrog) then
      call add('ru_old', s%ru_old)
      call add('rv_old', s%rv_old)
      call add('rw_old', s%rw_old)
      call add('om_old', s%om_old)
      call add('rho_old', s%rho_old)
      call add('rth_old', s%rth_old)
      do n = 1, s%tracers
        call add(trim(water(n))//'_old', s%tracer(n)%r_old)
      end do
    end if
    if (d%leapfrog .and. d%slow) then                 ! used one step after they were computed
      call add('f_u', s%f_u)
      call add('f_v', s%f_v)
      call add('f_w', s%f_w)
      call add('f_th', s%f_th)
      do n = 1, s%tracers
        call add('f_'//trim(water(n)), s%tracer(n)%f)
      end do
    end if
    list = every(:count)
  contains
    subroutine add(name, field)
      character(*), intent(in) :: name
      real(wp), target, intent(in) :: field(:, g%shape%il:, g%shape%jl:)
      count = count + 1
      every(count)%name = name
      every(count)%values => field
    end subroutine add
    subroutine add_flat(name, field)
      character(*), intent(in) :: name
      real(wp), target, intent(in) :: field(g%shape%il:, g%shape%jl:)
      count = count + 1
      every(count)%name = name
      every(count)%flat => field
    end subroutine add_flat
  end subroutine list_saved

  !> Path of the histories of a run: history_file, which may lack the ending, or one beside the
  !> output.
  function path_of(c) result(path)
    type(config_t), intent(in) :: c
    character(:), allocatable :: path
    path = trim(c%history_file)
    if (path == '') path = stem(trim(c%output_file))
    if (stem(path) == path) path = path//'.history.nc'
  end function path_of

  !> Collective, once the start is made: before the first step, and before a history is read.
  subroutine history_open(h, g, c, s)
    type(history_t), intent(inout) :: h
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    type(state_t), intent(in) :: s
    integer(long) :: bits
    integer :: i, j

    h%path = path_of(c)
    if (c%frqhis > 0.0_wp .or. c%runtype == 'history') &
      call gather_open(h%gather, g%nx, g%ny, g%own, halo_node())
    bits = 0_long
    associate (r => g%own)
      do j = r%j1, r%j2
        do i = r%i1, r%i2
          bits = bits + folded(s%rho_base(:, i, j), 3_long) + folded(s%theta_base(:, i, j), 5_long)
          if (g%periodic_x .and. g%periodic_y) cycle
          bits = bits + folded(s%ru_side(:, i, j), 7_long) + folded(s%rv_side(:, i, j), 11_long) &
            + folded(s%rho_side(:, i, j), 13_long) + folded(s%rth_side(:, i, j), 17_long)
        end do
      end do
    end associate
    call MPI_Allreduce(MPI_IN_PLACE, bits, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
    write (h%start, '(z16.16)') bits
  end subroutine history_open

  !> The bits of all values as one number; sums of it over columns do not depend on their order and
  !> stay far from overflow.
  pure integer(long) function folded(values, factor)
    real(wp), intent(in) :: values(:)
    integer(long), intent(in) :: factor
    integer(long) :: word
    integer :: k
    folded = 0_long
    do k = 1, size(values)
      word = transfer(values(k), word)
      folded = folded + factor*(iand(word, int(z'FFFFFFFF', long)) &
        + 3_long*iand(ishft(word, -32), int(z'FFFFFFFF', long)))
    end do
  end function folded

  !> Collective: the state after `step` steps. The history before it is kept until this one is
  !> whole.
  subroutine history_write(h, g, c, d, s, step, namelist_text)
    type(history_t), intent(inout) :: h
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    type(dynamics_t), intent(in) :: d
    type(state_t), target, intent(inout) :: s
    integer, intent(in) :: step
    character(*), intent(in) :: namelist_text
    type(saved_t), allocatable :: list(:)
    type(written_t) :: file
    character(16), allocatable :: sums(:)
    integer, allocatable :: ids(:)
    integer :: terrain, n

    call list_saved(g, d, s, list)
    call sum_up(g, list, sums)
    allocate (ids(size(list)), source=-1)
    terrain = -1
    if (h%gather%writes) then
      call file%wants(h%path, what, 8_long*g%nx*g%ny*(int(g%nz, long)*size(list) + 1))
      if (file%message == '') call file%create(h%path, what)
      call define_history(h, file, g, c, list, sums, ids, terrain, step, namelist_text)
    end if
    call put(g%zs(g%own%i1:g%own%i2, g%own%j1:g%own%j2), terrain)
    do n = 1, size(list)
      if (associated(list(n)%flat)) then
        call put(list(n)%flat(g%own%i1:g%own%i2, g%own%j1:g%own%j2), ids(n))
      else
        call put_levels(list(n)%values(:, g%own%i1:g%own%i2, g%own%j1:g%own%j2), ids(n))
      end if
    end do
    if (h%gather%writes) call file%close_file()
    call agree(file%message)
    call note(h, step, c)
    if (h%gather%writes) write (output_unit, '(a)') 'history written: '//trim(last_good)
  contains
    subroutine put(flat, id)
      real(wp), intent(in) :: flat(:, :)
      integer, intent(in) :: id
      call put_levels(reshape(flat, [1, size(flat, 1), size(flat, 2)]), id)
    end subroutine put

    subroutine put_levels(values, id)
      real(wp), intent(in) :: values(:, :, :)
      integer, intent(in) :: id
      integer :: k1, k2, levels
      levels = size(values, 1)
      do k1 = 1, levels, levels_per_slab(h%gather, levels)
        k2 = min(levels, k1 + levels_per_slab(h%gather, levels) - 1)
        call gather_slab(h%gather, values, k1, k2, h%slab)
        if (.not. h%gather%writes) cycle
        if (levels == 1) then
          call file%put(id, h%slab, [1, 1], [g%nx, g%ny])
        else
          call file%put(id, h%slab, [1, 1, k1], [g%nx, g%ny, k2 - k1 + 1])
        end if
      end do
    end subroutine put_levels
  end subroutine history_write

  subroutine define_history(h, file, g, c, list, sums, ids, terrain, step, namelist_text)
    type(history_t), intent(in) :: h
    type(written_t), intent(inout) :: file
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    type(saved_t), intent(in) :: list(:)
    character(16), intent(in) :: sums(:)
    integer, intent(inout) :: ids(:), terrain
    integer, intent(in) :: step
    character(*), intent(in) :: namelist_text
    character(*), parameter :: what_it_is = 'field of the model''s state: '
    integer :: dim_x, dim_y, dim_z, dim_f, faces, n

    dim_z = file%define('level', g%nz)
    dim_f = file%define('face', g%nz + 1)
    dim_y = file%define('y', g%ny)
    dim_x = file%define('x', g%nx)
    call file%describe(trim(c%expnme), trim(c%institution), namelist_text)
    call file%text(nf90_global, 'format', format_name)
    call file%number(nf90_global, 'step', real(step, wp))
    call file%number(nf90_global, 'seconds', step*c%dtlong)
    call file%number(nf90_global, 'dtlong', c%dtlong)
    call file%number(nf90_global, 'dx', g%dx)
    call file%number(nf90_global, 'dy', g%dy)
    call file%text(nf90_global, 'boundary_x', trim(c%boundary_x))
    call file%text(nf90_global, 'boundary_y', trim(c%boundary_y))
    call file%text(nf90_global, 'time_scheme', trim(c%time_scheme))
    call file%text(nf90_global, 'moisture', trim(c%moisture))
    call file%text(nf90_global, 'start', trim(h%start))
    faces = file%new_variable('level_faces', 'double', [dim_f], 'm', &
      meaning='height of level faces over flat ground')
    terrain = file%new_variable('terrain', 'double', [dim_x, dim_y], 'm', 'surface_altitude')
    do n = 1, size(list)
      if (associated(list(n)%flat)) then
        ids(n) = file%new_variable(trim(list(n)%name), 'double', [dim_x, dim_y], &
          meaning=what_it_is//trim(list(n)%name))
      else
        ids(n) = file%new_variable(trim(list(n)%name), 'double', [dim_x, dim_y, dim_z], &
          meaning=what_it_is//trim(list(n)%name))
      end if
    end do
    do n = 1, size(list)
      call file%text(ids(n), 'sum', sums(n))
    end do
    call file%text(nf90_global, 'sum', head_sum(real(step, wp), step*c%dtlong, sums))
    call file%finish_head()
    call file%put(faces, g%zf, [1], [g%nz + 1])
  end subroutine define_history

  !> A sum over all cells of each field of the list, which changes with any bit of them. Collective.
  subroutine sum_up(g, list, sums)
    type(grid_t), intent(in) :: g
    type(saved_t), intent(in) :: list(:)
    character(16), allocatable, intent(out) :: sums(:)
    integer(long) :: words(size(list)), place
    integer :: n, i, j

    words = 0_long
    do n = 1, size(list)
      do j = g%own%j1, g%own%j2
        do i = g%own%i1, g%own%i2
          place = 1_long + mod(i + int(g%nx, long)*j, 8191_long)      ! columns cannot change places
          if (associated(list(n)%flat)) then
            words(n) = modulo(words(n) + folded(list(n)%flat(i:i, j), place), sum_prime)
          else
            words(n) = modulo(words(n) + folded(list(n)%values(:, i, j), place), sum_prime)
          end if
        end do
      end do
    end do
    call MPI_Allreduce(MPI_IN_PLACE, words, size(list), MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
    allocate (sums(size(list)))
    do n = 1, size(list)
      write (sums(n), '(z16.16)') modulo(words(n), sum_prime)
    end do
  end subroutine sum_up

  !> The same of the numbers of the head and of the sums.
  pure function head_sum(step, seconds, sums) result(text)
    real(wp), intent(in) :: step, seconds
    character(16), intent(in) :: sums(:)
    character(16) :: text
    integer(long) :: word, whole
    integer :: n

    whole = modulo(folded([step, seconds], 3_long), sum_prime)
    do n = 1, size(sums)
      read (sums(n), '(z16)') word
      whole = modulo(whole + modulo(word, sum_prime)*(n + 1), sum_prime)
    end do
    write (text, '(z16.16)') whole
  end function head_sum

  !> Collective: the state and the number of steps done from the history file; refuses one of
  !> another grid, scheme or start.
  subroutine history_read(h, g, c, d, s, step)
    type(history_t), intent(in) :: h
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    type(dynamics_t), intent(in) :: d
    type(state_t), target, intent(inout) :: s
    integer, intent(out) :: step
    type(saved_t), allocatable :: list(:)
    type(read_t) :: file
    real(wp), allocatable :: values(:, :, :)
    integer :: n, i, j, k

    step = 0
    call file%open_file(h%path, what)
    call check_head(file, g, c, h)
    call agree(file%message)
    call list_saved(g, d, s, list)
    associate (r => g%own)
      do n = 1, size(list)
        k = merge(1, g%nz, associated(list(n)%flat))
        call file%get_tile(trim(list(n)%name), [g%nx, g%ny, k], [r%i1, r%j1], &
          [r%i2 - r%i1 + 1, r%j2 - r%j1 + 1], values)
        if (file%message /= '') exit
        do j = r%j1, r%j2
          do i = r%i1, r%i2
            if (associated(list(n)%flat)) then
              list(n)%flat(i, j) = values(i - r%i1 + 1, j - r%j1 + 1, 1)
            else
              list(n)%values(:, i, j) = values(i - r%i1 + 1, j - r%j1 + 1, :)
            end if
          end do
        end do
      end do
    end associate
    call agree(file%message)
    call compare_sums()
    step = nint(file%number('step'))
    call file%close_file()
    call agree(file%message)
    call note(h, step, c)
    if (h%gather%writes) write (output_unit, '(a)') 'history read: '//trim(last_good)
  contains
    subroutine compare_sums()
      character(16), allocatable :: sums(:)
      integer :: field

      call sum_up(g, list, sums)
      do field = 1, size(list)
        if (file%text('sum', trim(list(field)%name)) /= sums(field)) call file%refuse( &
          trim(list(field)%name)//' is damaged: its values have another sum')
      end do
      if (file%text('sum') /= head_sum(file%number('step'), file%number('seconds'), sums)) &
        call file%refuse('it is damaged: its head has another sum')
    end subroutine compare_sums
  end subroutine history_read

  !> Whether the history fits the run.
  subroutine check_head(file, g, c, h)
    type(read_t), intent(inout) :: file
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    type(history_t), intent(in) :: h
    real(wp), allocatable :: faces(:), terrain(:, :, :)
    character(:), allocatable :: found
    integer :: i, j, k

    found = file%text('format')
    if (found /= format_name) call file%refuse('it is no history of this model '// &
      '(the attribute format is not '''// &
      format_name//''')')
    call same_whole('levels', file%length('level'), g%nz, 'nnzp')
    call same_whole('columns west to east', file%length('x'), g%nx, 'nnxp')
    call same_whole('columns south to north', file%length('y'), g%ny, 'nnyp')
    call same_number('column spacing in x', file%number('dx'), g%dx, 'm')
    call same_number('column spacing in y', file%number('dy'), g%dy, 'm')
    call same_number('dtlong', file%number('dtlong'), c%dtlong, 's')
    call same_words('boundary_x', file%text('boundary_x'), trim(c%boundary_x))
    call same_words('boundary_y', file%text('boundary_y'), trim(c%boundary_y))
    call same_words('time_scheme', file%text('time_scheme'), trim(c%time_scheme))
    call same_words('moisture', file%text('moisture'), trim(c%moisture))
    call file%get_line('level_faces', g%nz + 1, faces)
    if (file%message == '') then
      do k = 1, g%nz + 1
        call same_number('height of face '//text_of(k)//' of the levels', faces(k), g%zf(k), 'm')
      end do
    end if
    associate (r => g%own)
      call file%get_tile('terrain', [g%nx, g%ny, 1], [r%i1, r%j1], &
        [r%i2 - r%i1 + 1, r%j2 - r%j1 + 1], terrain)
      if (file%message /= '') return
      do j = r%j1, r%j2
        do i = r%i1, r%i2
          call same_number('terrain of column ('//text_of(i)//', '//text_of(j)//')', &
            terrain(i - r%i1 + 1, j - r%j1 + 1, 1), g%zs(i, j), 'm')
        end do
      end do
    end associate
    found = file%text('start')
    if (found /= trim(h%start)) call file%refuse('its reference state and sides (checksum '// &
      found//') are not those of this run ('//trim(h%start)//'): the start or the analysis is '// &
      'another one')
  contains
    subroutine same_whole(name, there, here, key)
      character(*), intent(in) :: name, key
      integer, intent(in) :: there, here
      if (file%message == '' .and. there /= here) call file%refuse('it has '//text_of(there)// &
        ' '//name//', this run has '//text_of(here)//' ('//key//')')
    end subroutine same_whole

    subroutine same_number(name, there, here, unit)
      character(*), intent(in) :: name, unit
      real(wp), intent(in) :: there, here
      if (file%message == '' .and. .not. (there >= here .and. there <= here)) &
        call file%refuse('its '//name//' is '//text_of(there)//' '//unit//', this run has '// &
        text_of(here)//' '//unit)
    end subroutine same_number

    subroutine same_words(name, there, here)
      character(*), intent(in) :: name, there, here
      if (file%message == '' .and. there /= here) call file%refuse('its '//name//' is '''// &
        there//''', this run has '''//here//'''')
    end subroutine same_words
  end subroutine check_head

  subroutine note(h, step, c)
    type(history_t), intent(in) :: h
    integer, intent(in) :: step
    type(config_t), intent(in) :: c
    last_good = h%path//', step '//text_of(step)//', '//fixed(step*c%dtlong, 1)//' s'
  end subroutine note

  !> The history from which a run that breaks can go on; '' if there is none.
  function last_history() result(text)
    character(:), allocatable :: text
    text = trim(last_good)
  end function last_history

  !> Collective.
  subroutine history_close(h)
    type(history_t), intent(inout) :: h
    call gather_close(h%gather)
  end subroutine history_close
end module weather_history
