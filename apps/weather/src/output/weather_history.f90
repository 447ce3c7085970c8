! SPDX-License-Identifier: BSD-3-Clause
! Histories: all that a run needs to go on as if it had never stopped, bit for bit and on any number
! of ranks. Streams of Nearfar's that take turns at a path, of one step each: a thread writes one
! while the run goes on, and the one before stays until it is whole.
!
! A history holds the prognostic fields of all own cells. What else there is (reference state,
! sides, ghost cells beyond the domain) is made anew from the namelist, as at the first start; the
! text `run` says what must be the same, and has checksums of these. `list_saved` lists the fields
! to be saved, once.
module weather_history
  use mpi_f08, only: MPI_COMM_WORLD, MPI_Allreduce, MPI_IN_PLACE, MPI_INTEGER8, MPI_SUM
  use, intrinsic :: iso_fortran_env, only: int8, output_unit
  use nearfar, only: nearfar_output, nearfar_output_reader
  use weather_attributes, only: attributes_t, describe_run
  use weather_constants, only: wp, long, max_text
  use weather_config, only: config_t
  use weather_dynamics, only: dynamics_t
  use weather_errors, only: agree, settle, text_of, fixed
  use weather_grid, only: grid_t
  use weather_halo, only: halo_team
  use weather_state, only: state_t
  use weather_streams, only: is_root, add_of_root
  use weather_text, only: stem
  implicit none (type, external)
  private
  public :: history_t, history_open, history_write, history_read, history_finish, history_leave, &
    last_history

  character(*), parameter :: first_line = 'nearfar-weather history 4', newline = new_line('a')

  type :: history_t
    character(:), allocatable :: path                 !! without -a or -b
    character(:), allocatable :: run                  !! lines: key = value that runs must share
  end type history_t

  !> A field to be saved, (k, i, j); one of the ground has one level.
  type :: saved_t
    character(24) :: name = ''
    real(wp), pointer :: values(:, :, :) => null()
  end type saved_t

  integer, parameter :: most_saved = 64
  type(nearfar_output), save :: stream
  character(max_text), save :: last_good = '', in_progress = ''     !! for messages; '': none

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
    if (d%physics%soil%on) call add_flat('ground_temperature', s%ground%temperature)
    if (s%radiation%on) then                          ! kept from call to call
      call add('heating', s%radiation%heating)
      call add_flat('sw_down', s%radiation%sw_down)
      call add_flat('sw_up', s%radiation%sw_up)
      call add_flat('lw_down', s%radiation%lw_down)
      call add_flat('lw_up', s%radiation%lw_up)
      call add_flat('toa_down', s%radiation%toa_down)
      call add_flat('toa_up', s%radiation%toa_up)
      call add_flat('olr', s%radiation%olr)
    end if
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
      real(wp), target, contiguous, intent(in) :: field(g%shape%il:, g%shape%jl:)
      count = count + 1
      every(count)%name = name
      every(count)%values(1:1, g%shape%il:ubound(field, 1), g%shape%jl:ubound(field, 2)) => field
    end subroutine add_flat
  end subroutine list_saved

  !> Collective, once the start is made: before the first step, and before a history is read.
  subroutine history_open(h, g, c, s)
    type(history_t), intent(inout) :: h
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    type(state_t), intent(in) :: s
    integer(long) :: bits(2)
    integer :: i, j, k

    h%path = stem(trim(c%history_file))
    if (h%path == '') h%path = stem(trim(c%output_file))//'.history'
    bits = 0_long
    associate (r => g%own)
      do j = r%j1, r%j2
        do i = r%i1, r%i2
          bits(1) = bits(1) + folded(g%zs(i:i, j), 1_long + mod(i + int(g%nx, long)*j, 8191_long))
          bits(2) = bits(2) + folded(s%rho_base(:, i, j), 3_long) &
            + folded(s%theta_base(:, i, j), 5_long)
          if (g%periodic_x .and. g%periodic_y) cycle
          bits(2) = bits(2) + folded(s%ru_side(:, i, j), 7_long) &
            + folded(s%rv_side(:, i, j), 11_long) + folded(s%rho_side(:, i, j), 13_long) &
            + folded(s%rth_side(:, i, j), 17_long)
        end do
      end do
    end associate
    call MPI_Allreduce(MPI_IN_PLACE, bits, 2, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
    h%run = first_line//newline
    call add('nnzp', text_of(g%nz))
    call add('nnxp', text_of(g%nx))
    call add('nnyp', text_of(g%ny))
    call add('deltax', in_full(g%dx))
    call add('deltay', in_full(g%dy))
    call add('dtlong', in_full(c%dtlong))
    call add('boundary_x', trim(c%boundary_x))
    call add('boundary_y', trim(c%boundary_y))
    call add('time_scheme', trim(c%time_scheme))
    call add('moisture', trim(c%moisture))
    call add('radiation', trim(c%radiation))
    do k = 1, g%nz + 1
      call add('height of face '//text_of(k)//' of the levels', in_full(g%zf(k)))
    end do
    call add('checksum of the terrain', in_hex(bits(1)))
    call add('checksum of the reference state and the sides', in_hex(bits(2)))
  contains
    subroutine add(key, value)
      character(*), intent(in) :: key, value
      h%run = h%run//key//' = '//value//newline
    end subroutine add
  end subroutine history_open

  pure function in_full(value) result(words)
    real(wp), intent(in) :: value
    character(:), allocatable :: words
    character(32) :: digits
    write (digits, '(g0)') value
    words = trim(adjustl(digits))
  end function in_full

  pure function in_hex(word) result(words)
    integer(long), intent(in) :: word
    character(16) :: words
    write (words, '(z16.16)') word
  end function in_hex

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

  ! ---- writing ----

  !> Collective: the state after `step` steps. Returns when it has been copied; what is wrong with
  !> the disk is told here, or by the next call.
  subroutine history_write(h, g, c, d, s, step, namelist_text)
    type(history_t), intent(in) :: h
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    type(dynamics_t), intent(in) :: d
    type(state_t), target, intent(inout) :: s
    integer, intent(in) :: step
    character(*), intent(in) :: namelist_text
    type(saved_t), allocatable :: list(:)
    type(attributes_t) :: about
    character(max_text) :: message
    integer :: stat, n, k

    call history_finish()
    call list_saved(g, d, s, list)
    call add_of_root(stream, 'run', 0_int8, ['letters'], [len(h%run)], .false.)
    associate (r => g%own)
      do n = 1, size(list)
        k = size(list(n)%values, 1)
        call stream%add(trim(list(n)%name), 0.0_wp, [k, g%nx, g%ny], [1, r%i1, r%j1], &
          [k, r%i2, r%j2], dimensions=[merge('ground', 'level ', k == 1), 'x     ', 'y     '])
      end do
      call describe_run(about, trim(c%expnme), trim(c%institution), namelist_text)
      call stream%create(halo_team(), h%path, format='netcdf', attributes=about%lines, &
        policy=merge('synchronous', 'thread     ', c%output_policy == 'synchronous'), depth=1, &
        writers_per_node=c%output_writers, expected_steps=1, opening='take_turns', stat=stat, &
        errmsg=message)
      call settle(stat, message)
      call stream%begin_step(step*c%dtlong, stat, message)
      call settle(stat, message)
      call stream%put('run', transfer(h%run, [0_int8]))
      do n = 1, size(list)
        call stream%put(trim(list(n)%name), list(n)%values(:, r%i1:r%i2, r%j1:r%j2))
      end do
    end associate
    call stream%end_step(stat, message)
    call settle(stat, message)
    in_progress = words_of(h, step, c)
  end subroutine history_write

  !> Collective: the history that is under way is on the disk.
  subroutine history_finish()
    character(max_text) :: message
    integer :: stat
    if (in_progress == '') return
    call stream%close(stat, message)
    call settle(stat, message)
    call stream%free()
    last_good = in_progress
    in_progress = ''
    if (is_root()) write (output_unit, '(a)') 'history written: '//trim(last_good)
  end subroutine history_finish

  !> Of the run's last moment, local: what was handed over is still written.
  subroutine history_leave()
    integer :: stat
    character(max_text) :: message
    call stream%free(stat, message)
  end subroutine history_leave

  ! ---- reading ----

  !> Collective: the state and the number of steps done from the newest history; refuses one of
  !> another grid, scheme or start.
  subroutine history_read(h, g, c, d, s, step)
    type(history_t), intent(in) :: h
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    type(dynamics_t), intent(in) :: d
    type(state_t), target, intent(inout) :: s
    integer, intent(out) :: step
    type(saved_t), allocatable :: list(:)
    type(nearfar_output_reader) :: in
    character(:), allocatable :: found
    character(max_text) :: message
    real(wp) :: seconds
    integer :: stat, n

    call in%create(halo_team(), h%path, reads_ahead=.false., depth=1, stat=stat, errmsg=message)
    call settle(stat, message)
    message = ''
    if (in%steps() /= 1) message = 'no step of it is whole, or it has several'
    if (in%element_type('run') /= 'int8') message = 'it is no history of this model'
    call refuse()
    call in%add('run', 0_int8, [1_long], in%extents('run'))
    call take_step()
    found = letters(in%extents('run'))
    call in%end_step()
    message = difference_of(found, h%run)
    call refuse()
    call list_saved(g, d, s, list)
    associate (r => g%own)
      do n = 1, size(list)
        call in%add(trim(list(n)%name), 0.0_wp, [1, r%i1, r%j1], &
          [size(list(n)%values, 1), r%i2, r%j2])
      end do
      call take_step()
      do n = 1, size(list)
        call in%get(trim(list(n)%name), list(n)%values(:, r%i1:r%i2, r%j1:r%j2))
      end do
    end associate
    call in%end_step()
    call in%free()
    step = nint(seconds/c%dtlong)
    last_good = words_of(h, step, c)
    if (is_root()) write (output_unit, '(a)') 'history read: '//trim(last_good)
  contains
    subroutine take_step()
      call in%select(stat, message)
      call settle(stat, message)
      call in%begin_step(0, seconds, stat, message)
      call settle(stat, message)
    end subroutine take_step

    subroutine refuse()
      if (message /= '') message = 'the history '''//h%path//''' is refused: '//message
      call agree(message)
    end subroutine refuse

    function letters(count) result(text)
      integer(long), intent(in) :: count(:)
      character(:), allocatable :: text
      integer(int8) :: bytes(count(1))
      call in%get('run', bytes)
      allocate (character(count(1)) :: text)
      text = transfer(bytes, text)
    end function letters
  end subroutine history_read

  !> The first line in which two texts differ, in words; '' if none does.
  pure function difference_of(there, here) result(words)
    character(*), intent(in) :: there, here
    character(:), allocatable :: words
    integer :: first, n

    words = ''
    if (there == here) return
    first = 1
    do n = 1, min(len(there), len(here))
      if (there(n:n) /= here(n:n)) exit
      if (here(n:n) == newline) first = n + 1
    end do
    words = 'it has '//line_at(there)//', this run has '//line_at(here)
  contains
    pure function line_at(text) result(line)
      character(*), intent(in) :: text
      character(:), allocatable :: line
      line = text(min(first, len(text) + 1):)
      line = line(:index(line//newline, newline) - 1)
    end function line_at
  end function difference_of

  !> What messages say of a history.
  function words_of(h, step, c) result(words)
    type(history_t), intent(in) :: h
    integer, intent(in) :: step
    type(config_t), intent(in) :: c
    character(:), allocatable :: words
    words = h%path//', step '//text_of(step)//', '//fixed(step*c%dtlong, 1)//' s'
  end function words_of

  !> The history from which a run that breaks can go on; '' if there is none.
  function last_history() result(text)
    character(:), allocatable :: text
    text = trim(last_good)
  end function last_history
end module weather_history
