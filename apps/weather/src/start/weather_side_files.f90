! SPDX-License-Identifier: BSD-3-Clause
! Reads side values from further analyses on the same columns as the start: one file for each time,
! as RAMS has its varfiles, or files of several times, as WRF's wrfbdy.
module weather_side_files
  use weather_constants, only: wp, max_text
  use weather_config, only: config_t
  use weather_grid, only: grid_t
  use weather_state, only: state_t
  use weather_analysis, only: analysis_t, analysis_times, analysis_open, analysis_geography, &
    analysis_start, analysis_close
  use weather_initial, only: couple_winds
  use weather_mass_balance, only: column_mass, balance_mass
  use weather_sides, only: sides_t, sides_open, sides_keep
  use weather_errors, only: agree, text_of, stop_all
  use weather_text, only: word_of, count_words, seconds_of_date
  implicit none (type, external)
  private
  public :: side_files_read

contains

  !> Reads all files of the key side_files into sides, which then waits for the start as time 1.
  !> Each one's columns gain mass as since the analysis before it. `gain`: that of the start, as up
  !> to the first file [kg m-2 s-1]. Uses the state s as scratch. Collective; refuses files of other
  !> columns and times out of order.
  subroutine side_files_read(sides, c, g, s, start, rate, gain)
    type(sides_t), intent(inout) :: sides
    type(config_t), intent(in) :: c
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    type(analysis_t), intent(in) :: start
    real(wp), intent(in) :: rate(:, :)
    real(wp), intent(out) :: gain(g%shape%il:, g%shape%jl:)
    type(analysis_t), allocatable :: files(:)
    real(wp), allocatable :: seconds(:)
    real(wp), dimension(g%shape%il:g%shape%ih, g%shape%jl:g%shape%jh) :: mass, before, tendency
    integer :: n, t

    call list_times(c, files)
    n = size(files)
    allocate (seconds(n + 1))
    seconds(1) = 0.0_wp
    do t = 1, n
      call open_one(files(t), c, g)
      seconds(t + 1) = seconds_of_date(files(t)%valid_time) &
        - seconds_of_date(start%valid_time)
      if (.not. seconds(t + 1) > seconds(t)) call stop_all('side_files: '''//files(t)%path// &
        ''' is valid at '//trim(files(t)%valid_time)// &
        ', which is not after the file before it (the start is valid at '// &
        trim(start%valid_time)//')')
    end do
    call sides_open(sides, g, s, seconds, rate)
    call analysis_start(start, g, s)
    before = column_mass(g, s)
    do t = 1, n
      call analysis_start(files(t), g, s)
      call analysis_close(files(t))
      mass = column_mass(g, s)
      tendency = (mass - before)/(seconds(t + 1) - seconds(t))
      if (t == 1) gain = tendency
      before = mass
      call balance_mass(g, s, tendency, files(t)%path)
      call couple_winds(g, s)
      call sides_keep(sides, g, s, t + 1)
    end do
  end subroutine side_files_read

  !> Path and record of each time. Collective.
  subroutine list_times(c, files)
    type(config_t), intent(in) :: c
    type(analysis_t), allocatable, intent(out) :: files(:)
    type(analysis_t) :: one
    integer :: word, record, records

    allocate (files(0))
    do word = 1, count_words(c%side_files)
      one%path = word_of(c%side_files, word)
      records = analysis_times(one%path)
      do record = min(1, records), records
        one%record = record
        files = [files, one]
      end do
    end do
  end subroutine list_times

  !> Opens the file of a time and checks that it has the columns and the ground of the start.
  subroutine open_one(a, c, g)
    type(analysis_t), intent(inout) :: a
    type(config_t), intent(in) :: c
    type(grid_t), intent(in) :: g
    real(wp), parameter :: tolerance = 0.01_wp      ! m
    type(config_t) :: wanted
    type(grid_t) :: other
    character(max_text) :: message

    wanted = c
    wanted%analysis_file = a%path
    wanted%nnxp = g%nx
    wanted%nnyp = g%ny
    wanted%deltax = g%dx
    wanted%deltay = g%dy
    other = g
    if (allocated(other%latitude)) deallocate (other%latitude, other%longitude)
    call analysis_open(a, other, wanted)
    call analysis_geography(a, other, .false.)
    message = ''
    if (any(abs(other%zs - g%zs) > tolerance)) message = 'side_files: the terrain in '''//a%path// &
      ''' differs from that of the start by up to '//text_of(maxval(abs(other%zs - g%zs)))//' m'
    call agree(message)
  end subroutine open_one
end module weather_side_files
