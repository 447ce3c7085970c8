! SPDX-License-Identifier: BSD-3-Clause
! nearfar-weather NAMELIST: a non-hydrostatic regional weather model on Nearfar's halo exchange.
! Exit status: 0; 2 with one sentence after an error; 3 where a peer does not answer.
program nearfar_weather
  use mpi_f08, only: MPI_Init_thread, MPI_THREAD_FUNNELED, MPI_Finalize, MPI_COMM_WORLD, &
    MPI_Comm_rank, MPI_Comm_size, MPI_Bcast, MPI_Wtime, MPI_INTEGER, MPI_CHARACTER
  use, intrinsic :: iso_fortran_env, only: output_unit
  use weather_constants, only: wp, max_text, model_version
  use weather_config, only: config_t, parse_config, print_keys
  use weather_options, only: options_t, parse_options, usage
  use weather_errors, only: agree, before_leaving, stop_all, text_of, fixed
  use weather_grid, only: grid_t, make_levels, make_tile, make_metric, idealised_terrain
  use weather_state, only: state_t, make_state, make_mixing, make_radiation
  use weather_physics, only: wants_mixing
  use weather_halo, only: halo_open, halo_close, halo_seconds, halo_describe
  use weather_initial, only: make_reference, idealised_start, couple_winds, keep_sides
  use weather_soundness, only: check_start
  use weather_analysis, only: analysis_t, analysis_open, analysis_geography, analysis_start, &
    analysis_close
  use weather_mass_balance, only: balance_mass
  use weather_sides, only: sides_t, sides_keep, sides_at
  use weather_side_files, only: side_files_read
  use weather_dynamics, only: dynamics_t, prepare_dynamics
  use weather_time_step, only: ghosts_of, begin_stepping, go_on_stepping, long_step
  use weather_history, only: history_t, history_open, history_read, history_write, history_finish, &
    history_leave
  use weather_output, only: output_t, output_open, output_write, output_close, output_leave, &
    time_origin
  use weather_station, only: stations_t, stations_open, stations_write, stations_close, &
    stations_leave
  use weather_physics, only: refresh_ground, start_ground, soil_origin
  use weather_text, only: seconds_of_date
  use weather_progress, only: health_t, check_health, progress_open, progress_line, &
    summary_of_state, poison
  use weather_clock, only: clock_start, clock_stop, clock_report, in_step, in_sides, in_checks, &
    in_output, in_stations, in_history
  use weather_compare, only: compare_t, compare_open, compare_turn, compare_note, compare_report, &
    print_phases
  implicit none (type, external)

  include 'version_text.inc'
  type(config_t) :: c
  type(grid_t) :: g
  type(state_t) :: s
  type(dynamics_t) :: d
  type(analysis_t) :: a
  type(output_t) :: o
  type(sides_t) :: sides
  type(history_t) :: h
  type(stations_t) :: stations
  character(:), allocatable :: namelist_text
  integer :: rank, ranks, threads, steps_done = 0

  call MPI_Init_thread(MPI_THREAD_FUNNELED, threads)    ! a thread may write, and calls no MPI
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call read_namelist()
  call make_grid()
  call make_start()
  call forecast()
  call halo_close()
  call MPI_Finalize()

contains

  !> Reads the file on rank 0 and its keys on every rank; what is only to be printed ends here.
  subroutine read_namelist()
    character(max_text) :: message
    type(options_t) :: options

    call parse_options(options, message)
    if (message /= '') call stop_all(trim(message))
    if (rank == 0) call print_wishes(options)
    if (options%wants_help .or. options%wants_version .or. options%wants_template) then
      call MPI_Finalize()
      stop
    end if
    call read_text(trim(options%namelist_file), message)
    call agree(message)
    call parse_config(namelist_text, options%assignments, c, message)
    if (message /= '') call stop_all(trim(options%namelist_file)//', '//trim(message))
  end subroutine read_namelist

  subroutine print_wishes(options)
    type(options_t), intent(in) :: options

    if (options%wants_help) then
      write (output_unit, '(a)') model_version//': '//usage
    else if (options%wants_version) then
      write (output_unit, '(a)') 'nearfar-weather '//version_text
    else if (options%wants_template) then
      write (output_unit, '(a)') '! '//model_version// &
        '. Keys that are left out are as here; nnxp, nnyp and deltax, or an analysis, are needed.'
      call print_keys(output_unit)
    end if
  end subroutine print_wishes

  subroutine read_text(path, message)
    character(*), intent(in) :: path
    character(*), intent(out) :: message
    integer :: unit, stat, length

    message = ''
    length = 0
    if (rank == 0) then
      open (newunit=unit, file=path, access='stream', form='unformatted', status='old', &
        action='read', iostat=stat)
      if (stat == 0) inquire (unit=unit, size=length, iostat=stat)
      if (stat == 0 .and. length > 1000000) stat = 1
      if (stat == 0) then
        allocate (character(max(length, 0)) :: namelist_text)
        read (unit, iostat=stat) namelist_text
        close (unit)
      end if
      if (stat /= 0) message = 'cannot read the namelist file '''//path//''''
      if (stat /= 0) length = 0
    end if
    call MPI_Bcast(length, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
    if (rank /= 0) allocate (character(max(length, 0)) :: namelist_text)
    if (length > 0) call MPI_Bcast(namelist_text, length, MPI_CHARACTER, 0, MPI_COMM_WORLD)
  end subroutine read_text

  subroutine make_grid()
    integer :: is, ie, js, je

    g%periodic_x = c%boundary_x == 'periodic'
    g%periodic_y = c%boundary_y == 'periodic'
    if (c%case == 'analysis') then
      call analysis_open(a, g, c)
    else
      g%nx = c%nnxp
      g%ny = c%nnyp
      g%dx = c%deltax
      g%dy = c%deltay
    end if
    call make_levels(g, c)
    call halo_open(g%nz, g%nx, g%ny, g%periodic_x, g%periodic_y, c%px, c%py, ghosts_of(c), &
      trim(c%method), is, ie, js, je)
    call make_tile(g, is, ie, js, je, ghosts_of(c), c%order_v)
    if (c%case == 'analysis') then
      call analysis_geography(a, g, c%coriolis)
      call make_metric(g, .true.)
    else
      if (c%coriolis) g%coriolis = c%coriolis_parameter
      call idealised_terrain(g, c)
      call make_metric(g, c%terrain /= 'flat')
    end if
  end subroutine make_grid

  subroutine make_start()
    real(wp), allocatable :: gain(:, :)      ! of the columns' mass, from analysis to analysis

    call make_state(s, g, trim(c%moisture), c%diff_6th_factor > 0.0_wp)
    if (wants_mixing(c)) call make_mixing(s, g, c%surface /= 'none')
    if (c%radiation /= 'none') call make_radiation(s, g)
    call make_reference(g, c, s)
    call prepare_dynamics(d, g, c)
    call start_ground(d%physics, s)
    s%days = days_at(0)
    if (c%case == 'analysis') then
      allocate (gain(g%shape%il:g%shape%ih, g%shape%jl:g%shape%jh), source=0.0_wp)
      if (c%side_files /= '') call side_files_read(sides, c, g, s, a, d%side_rate, gain)
      call analysis_start(a, g, s)
      call analysis_close(a)
      call balance_mass(g, s, gain, a%path)
    else
      call idealised_start(g, c, s)
      call check_start(g, c, s)
    end if
    call couple_winds(g, s)
    call keep_sides(s)
    call sides_keep(sides, g, s, 1)
    call history_open(h, g, c, s)
    if (c%runtype == 'history') then
      call history_read(h, g, c, d, s, steps_done)
      call sides_at(sides, g, s, steps_done*c%dtlong)
      call go_on_stepping(d, g, s)
    else
      call clock_start(in_step)              ! the parts of a step are measured in here, too
      call begin_stepping(d, g, s)
      call clock_stop(in_step)
    end if
  end subroutine make_start

  subroutine forecast()
    type(compare_t) :: times
    type(health_t) :: health
    real(wp) :: begin, halo_before, started
    integer :: step, steps

    steps = nint(c%timmax*unit_s()/c%dtlong)
    if (steps_done > steps) call stop_all('the history '''//h%path//''' was written after step '// &
      text_of(steps_done)//', beyond the end of this run at step '//text_of(steps)// &
      ': raise timmax')
    call progress_open(steps_done, steps)
    if (rank == 0) call print_start(steps)
    call check_health(g, c, s, 0, health)
    call summary_of_state(g, s, 'start')
    if (c%output_file /= '') then
      call output_open(o, g, c, s, namelist_text, a%valid_time, frames_until(steps))
    end if
    if (c%stations /= '') &
      call stations_open(stations, g, c, s, time_origin(a%valid_time), namelist_text, &
      times_until(steps))
    before_leaving => leave_streams
    call write_due(steps_done, .true., .true.)
    call compare_open(times, c, steps)
    started = MPI_Wtime()
    do step = steps_done + 1, steps
      call compare_turn(times, step)
      halo_before = sum(halo_seconds)
      begin = MPI_Wtime()
      call clock_start(in_sides)
      call sides_at(sides, g, s, step*c%dtlong)
      s%days = days_at(step)
      s%step = step
      call clock_stop(in_sides)
      call clock_start(in_step)
      call long_step(d, g, s)
      call clock_stop(in_step)
      if (step == c%poison_step) call poison(g, c, s)
      call compare_note(times, step, MPI_Wtime() - begin, sum(halo_seconds) - halo_before)
      call clock_start(in_checks)
      call check_health(g, c, s, step, health)
      call progress_line(c, step, health)
      call clock_stop(in_checks)
      call write_due(step, is_frame(step, steps), is_time(step, steps))
      call clock_start(in_history)
      if (c%frqhis > 0.0_wp .and. (step == steps .or. is_due(step, c%frqhis*unit_s()))) &
        call history_write(h, g, c, d, s, step, namelist_text)
      call clock_stop(in_history)
    end do
    call history_finish()
    if (c%stations /= '') call stations_close()
    if (c%output_file /= '') call output_close(o, g, c, a%valid_time)
    if (rank == 0) write (output_unit, '(a)') 'done in '//fixed(MPI_Wtime() - started, 2)// &
      ' s, '// &
      fixed(1.0e6_wp*sum(times%step_seconds)*ranks/ &
      max(1.0_wp, real(steps - steps_done, wp)*g%nx*g%ny*g%nz), 3)// ' us per cell, step and rank'
    call summary_of_state(g, s, 'end')
    call clock_report()
    call print_phases()
    call compare_report(times, g, c)
  end subroutine forecast

  !> Whether the state after a step is written; that of the start always is.
  logical function is_frame(step, steps)
    integer, intent(in) :: step, steps
    is_frame = step == steps .or. is_due(step, c%frqanl*unit_s())
  end function is_frame

  !> The same of the series at stations.
  logical function is_time(step, steps)
    integer, intent(in) :: step, steps
    is_time = step == steps .or. c%frqsta <= 0.0_wp .or. is_due(step, c%frqsta*unit_s())
  end function is_time

  !> Days since the year of the start began.
  real(wp) function days_at(step)
    integer, intent(in) :: step
    character(19) :: origin
    origin = time_origin(a%valid_time)
    days_at = (seconds_of_date(origin) - seconds_of_date(origin(1:4)//'-01-01 00:00:00') &
      + step*c%dtlong)/86400.0_wp
  end function days_at

  !> Seconds of the namelist's unit of time.
  pure real(wp) function unit_s()
    unit_s = merge(3600.0_wp, merge(60.0_wp, 1.0_wp, c%timeunit == 'm'), c%timeunit == 'h')
  end function unit_s

  integer function frames_until(steps) result(frames)
    integer, intent(in) :: steps
    integer :: step
    frames = 1 + count([(is_frame(step, steps), step=steps_done + 1, steps)])
  end function frames_until

  integer function times_until(steps) result(times)
    integer, intent(in) :: steps
    integer :: step
    times = 1 + count([(is_time(step, steps), step=steps_done + 1, steps)])
  end function times_until

  !> Output and series of the stations, where they are due and wanted.
  subroutine write_due(step, output, series)
    integer, intent(in) :: step
    logical, intent(in) :: output, series
    call clock_start(in_output)
    if (output .or. series) call refresh_ground(d%physics, g, s)
    if (output .and. c%output_file /= '') call output_write(o, g, c, s, step*c%dtlong)
    call clock_stop(in_output)
    call clock_start(in_stations)
    if (series .and. c%stations /= '') call stations_write(stations, g, s, step*c%dtlong)
    call clock_stop(in_stations)
  end subroutine write_due

  !> Whether a multiple of the interval lies nearest to this step; 0: never.
  logical function is_due(step, every)
    integer, intent(in) :: step
    real(wp), intent(in) :: every
    is_due = .false.
    if (every > 0.0_wp) is_due = floor((step + 0.5_wp)*c%dtlong/every) > &
      floor((step - 0.5_wp)*c%dtlong/every)
  end function is_due

  !> Of a run that ends with an error: what was handed over is still written. Local.
  subroutine leave_streams()
    call output_leave()
    call stations_leave()
    call history_leave()
  end subroutine leave_streams

  subroutine print_start(steps)
    integer, intent(in) :: steps
    write (output_unit, '(a)') model_version//': '//trim(c%expnme)
    write (output_unit, '(a)') text_of(g%nx)//' x '//text_of(g%ny)//' columns of '// &
      text_of(g%dx)//' m, '// &
      text_of(g%nz)//' levels to '//text_of(g%top)//' m, '//text_of(steps)//' steps of '// &
      text_of(c%dtlong)//' s, '//text_of(ranks)//' ranks'
    write (output_unit, '(a)') halo_describe()
    if (d%physics%soil%on) write (output_unit, '(a)') soil_origin(d%physics, g)
    flush (output_unit)
  end subroutine print_start
end program nearfar_weather
