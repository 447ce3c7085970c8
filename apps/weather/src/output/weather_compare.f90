! SPDX-License-Identifier: BSD-3-Clause
! Times every long step, and compares halo methods that took turns during one run.
module weather_compare
  use mpi_f08, only: MPI_COMM_WORLD, MPI_Comm_rank, MPI_Comm_size, MPI_Reduce, MPI_MAX, MPI_SUM, &
    MPI_DOUBLE_PRECISION
  use, intrinsic :: iso_fortran_env, only: output_unit
  use weather_constants, only: wp, max_text
  use weather_config, only: config_t
  use weather_grid, only: grid_t
  use weather_halo, only: halo_methods, halo_use, halo_seconds, halo_calls, set_count, set_names
  use weather_errors, only: agree, text_of, fixed
  implicit none (type, external)
  private
  public :: compare_t, compare_open, compare_turn, compare_note, compare_report, print_phases

  type :: compare_t
    integer :: steps = 0, block = 1, skip = 0
    real(wp), allocatable :: step_seconds(:), halo(:)   !! of this rank, per long step
    integer, allocatable :: method(:)                   !! 0: not counted
  end type compare_t

  type :: row_t
    character(32) :: name = ''
    integer :: steps = 0
    real(wp) :: step = 0.0_wp, halo = 0.0_wp
  end type row_t

contains

  subroutine compare_open(t, c, steps)
    type(compare_t), intent(out) :: t
    type(config_t), intent(in) :: c
    integer, intent(in) :: steps
    t%steps = steps
    t%block = c%compare_block
    t%skip = c%compare_skip
    allocate (t%step_seconds(max(steps, 1)), t%halo(max(steps, 1)), source=0.0_wp)
    allocate (t%method(max(steps, 1)), source=0)
  end subroutine compare_open

  !> Chooses the method of a step: blocks of equal length by turns, so that what else the machine
  !> does meets all methods alike.
  subroutine compare_turn(t, step)
    type(compare_t), intent(inout) :: t
    integer, intent(in) :: step
    integer :: methods, m

    methods = size(halo_methods)
    m = 1
    if (methods > 1) m = modulo((step - 1)/t%block, methods) + 1
    call halo_use(m)
    t%method(step) = m
    if (methods > 1 .and. modulo(step - 1, t%block) < t%skip) t%method(step) = 0
  end subroutine compare_turn

  subroutine compare_note(t, step, seconds, halo)
    type(compare_t), intent(inout) :: t
    integer, intent(in) :: step
    real(wp), intent(in) :: seconds, halo
    t%step_seconds(step) = seconds
    t%halo(step) = halo
  end subroutine compare_note

  !> Collective: table on the terminal, and where methods were compared NAME.json and NAME.md.
  subroutine compare_report(t, g, c)
    type(compare_t), intent(in) :: t
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    type(row_t), allocatable :: rows(:)
    real(wp), allocatable :: step(:), halo(:)
    character(max_text) :: message
    integer :: rank, ranks, m

    if (t%steps == 0) return
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    allocate (step(t%steps), halo(t%steps))
    call MPI_Reduce(t%step_seconds, step, t%steps, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD)
    call MPI_Reduce(t%halo, halo, t%steps, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
    message = ''
    if (rank == 0) then
      halo = halo/real(ranks, wp)
      allocate (rows(size(halo_methods)))
      do m = 1, size(rows)
        rows(m)%name = halo_methods(m)
        if (rows(m)%name == '') rows(m)%name = 'nearfar (tuned)'
        rows(m)%steps = count(t%method == m)
        rows(m)%step = median(pack(step, t%method == m))
        rows(m)%halo = median(pack(halo, t%method == m))
      end do
      call write_table(output_unit, rows, g, ranks)
      if (size(rows) > 1) call write_files(rows, g, c, ranks, message)
    end if
    call agree(message)
  end subroutine compare_report

  subroutine write_table(unit, rows, g, ranks)
    integer, intent(in) :: unit, ranks
    type(row_t), intent(in) :: rows(:)
    type(grid_t), intent(in) :: g
    integer :: m

    write (unit, '(a)') ''
    write (unit, '(a)') text_of(g%nx)//' x '//text_of(g%ny)//' columns, '//text_of(g%nz)// &
      ' levels, '// &
      text_of(ranks)//' ranks; medians over long steps (step: slowest rank, halo: mean of ranks)'
    write (unit, '(a)') ''
    write (unit, &
      '(a)') '| halo exchange | steps | ms per step | ms in halo | step / isend | halo / isend |'
    write (unit, '(a)') '|---|---:|---:|---:|---:|---:|'
    do m = 1, size(rows)
      write (unit, '(a)') '| '//trim(rows(m)%name)//' | '//text_of(rows(m)%steps)//' | '// &
        fixed(1000.0_wp*rows(m)%step, 3)//' | '//fixed(1000.0_wp*rows(m)%halo, 3)//' | '// &
        fixed(ratio(rows(m)%step, rows(1)%step), 3)//' | '// &
        fixed(ratio(rows(m)%halo, rows(1)%halo), 3)//' |'
    end do
  end subroutine write_table

  pure real(wp) function ratio(a, b)
    real(wp), intent(in) :: a, b
    ratio = 1.0_wp
    if (b > 0.0_wp) ratio = a/b
  end function ratio

  subroutine write_files(rows, g, c, ranks, message)
    type(row_t), intent(in) :: rows(:)
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    integer, intent(in) :: ranks
    character(*), intent(inout) :: message
    character(:), allocatable :: base
    integer :: unit, stat, m

    base = trim(c%report)
    if (base == '') base = trim(c%output_file)
    if (base == '') base = 'nearfar-weather'
    m = index(base, '.nc', back=.true.)
    if (m > 1 .and. m == len(base) - 2) base = base(:m - 1)
    open (newunit=unit, file=base//'.md', status='replace', action='write', iostat=stat)
    if (stat == 0) then
      call write_table(unit, rows, g, ranks)
      close (unit, iostat=stat)
    end if
    if (stat == 0) open (newunit=unit, file=base//'.json', status='replace', action='write', &
      iostat=stat)
    if (stat == 0) then
      write (unit, '(a,5(a,i0),a)') '{"app": "weather", ', '"nx": ', g%nx, ', "ny": ', g%ny, &
        ', "nz": ', g%nz, ', "ranks": ', ranks, ', "block": ', c%compare_block, ', "methods": ['
      do m = 1, size(rows)
        write (unit, '(3a,i0,4(a,es12.6),2a)', iostat=stat) '  {"method": "', trim(rows(m)%name), &
          '", "steps": ', rows(m)%steps, ', "step_s": ', rows(m)%step, ', "halo_s": ', &
          rows(m)%halo, &
          ', "step_over_isend": ', ratio(rows(m)%step, rows(1)%step), ', "halo_over_isend": ', &
          ratio(rows(m)%halo, rows(1)%halo), '}', merge(',', ' ', m < size(rows))
      end do
      write (unit, '(a)', iostat=stat) ']}'
      close (unit)
    end if
    if (stat /= 0) message = 'cannot write the comparison '''//base//'.md'' or .json'
  end subroutine write_files

  !> Prints on rank 0 how often each set was exchanged and what it took there.
  subroutine print_phases()
    integer :: rank, n
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    if (rank /= 0) return
    do n = 1, set_count
      if (halo_calls(n) > 0) write (output_unit, '(a)') 'halo '//set_names(n)//' '// &
        text_of(halo_calls(n))//' exchanges, '//fixed(halo_seconds(n), 3)//' s on rank 0, '// &
        fixed(1.0e6_wp*halo_seconds(n)/real(halo_calls(n), wp), 2)//' us each'
    end do
  end subroutine print_phases

  pure real(wp) function median(values)
    real(wp), intent(in) :: values(:)
    real(wp) :: sorted(size(values)), next
    integer :: a, b, n

    n = size(values)
    median = 0.0_wp
    if (n == 0) return
    sorted = values
    do a = 2, n
      next = sorted(a)
      b = a - 1
      do while (b >= 1)
        if (sorted(b) <= next) exit
        sorted(b + 1) = sorted(b)
        b = b - 1
      end do
      sorted(b + 1) = next
    end do
    median = 0.5_wp*(sorted((n + 1)/2) + sorted(n/2 + 1))
  end function median
end module weather_compare
