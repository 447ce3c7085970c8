! SPDX-License-Identifier: BSD-3-Clause
! What the run tells while it goes: extremes of the state, Courant numbers, rate and time left.
! Reductions here never enter the dynamics. Extremes and the checksum do not depend on the number of
! ranks; the mass does, in the last digits.
module weather_progress
  use mpi_f08, only: MPI_COMM_WORLD, MPI_Comm_rank, MPI_Allreduce, MPI_Reduce, MPI_IN_PLACE, &
    MPI_MAX, MPI_MIN, MPI_SUM, MPI_DOUBLE_PRECISION, MPI_INTEGER8, MPI_Wtime
  use nearfar, only: nearfar_allreduce
  use, intrinsic :: iso_fortran_env, only: output_unit
  use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_quiet_nan
  use weather_constants, only: wp, long, max_text
  use weather_config, only: config_t
  use weather_grid, only: grid_t
  use weather_state, only: state_t, content_of, vapour
  use weather_errors, only: agree, stop_all, stop_alone, text_of, fixed
  use weather_halo, only: halo_team
  use weather_history, only: history_finish, last_history
  use weather_system, only: is_on_terminal
  implicit none (type, external)
  private
  public :: health_t, check_health, progress_open, progress_line, summary_of_state, poison, &
    column_extremes

  !> Extremes over all ranks at the end of a step.
  type :: health_t
    real(wp) :: cfl_horizontal = 0.0_wp, cfl_vertical = 0.0_wp, w = 0.0_wp
    logical :: told = .false.                !! a line is due; then the place of the fastest w:
    integer :: k = 0, i = 0, j = 0
  end type health_t

  real(wp), save :: started = 0.0_wp, last_line = -1.0e30_wp   !! wall clock
  integer, save :: first_step = 1, last_step = 0, step_before = 0  !! step_before: of the last line
  logical, save :: on_terminal = .false.
  integer, save :: rank = 0
  real(wp), save :: cfl_before = 0.0_wp      !! Courant number of the last good step

contains

  !> `done`: steps that lie behind; `steps`: the last one to come.
  subroutine progress_open(done, steps)
    integer, intent(in) :: done, steps
    first_step = done + 1
    last_step = steps
    step_before = done
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    last_line = MPI_Wtime()
    started = last_line
    on_terminal = is_on_terminal()
  end subroutine progress_open

  !> Collective: extremes of this step; stops the run where a number is not finite or a Courant
  !> number is beyond the limit, naming the cell and the largest stable dt.
  subroutine check_health(g, c, s, step, health)
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    type(state_t), intent(in) :: s
    integer, intent(in) :: step
    type(health_t), intent(out) :: health
    character(max_text) :: message
    real(wp) :: worst(5), bad
    integer :: i, j, n, stat
    logical :: due

    worst = 0.0_wp
    due = is_due(c, step)
    if (rank == 0 .and. due) worst(5) = 1.0_wp
    associate (r => g%own)
      do j = r%j1, r%j2
        do i = r%i1, r%i2
          call column_extremes(g%nz, c%dtlong/g%dx, c%dtlong/g%dy, c%dtlong, g%rdz, s%u(:, i, j), &
            s%v(:, i, j), s%w(:, i, j), s%om(:, i, j), s%rho_base(:, i, j), s%rho(:, i, j), &
            s%theta(:, i, j), worst(:4))
          do n = 1, s%tracers          ! sums stay 0 unless a number is infinite or NaN
            if (.not. (sum(0.0_wp*s%tracer(n)%q(:, i, j)) <= 0.0_wp)) worst(4) = 1.0_wp
          end do
        end do
      end do
    end associate
    ! Nearfar's, not MPI's: every step comes here, and the watchdog speaks of a node that is gone.
    call nearfar_allreduce(halo_team(), worst, op='max', stat=stat, errmsg=message)
    if (stat /= 0) call stop_alone(message)
    health = health_t(worst(1), worst(2), worst(3), worst(5) > 0.0_wp)
    bad = max(worst(1), worst(2))
    if (worst(4) > 0.0_wp .or. bad > c%cfl_limit) call stop_unstable(g, c, s, step, worst(:4))
    cfl_before = bad
    if (health%told) call find_fastest(g, s, health)
  end subroutine check_health

  !> Where w is fastest: the first such cell. Collective.
  subroutine find_fastest(g, s, health)
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    type(health_t), intent(inout) :: health
    integer(long) :: cell
    integer :: i, j, k

    cell = huge(cell)
    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        do k = 1, g%nz
          if (abs(s%w(k, i, j)) < health%w) cycle
          cell = min(cell, k - 1 + int(g%nz, long)*(i - 1 + int(g%nx, long)*(j - 1)))
        end do
      end do
    end do
    call MPI_Allreduce(MPI_IN_PLACE, cell, 1, MPI_INTEGER8, MPI_MIN, MPI_COMM_WORLD)
    if (cell == huge(cell)) return
    health%k = int(mod(cell, int(g%nz, long))) + 1
    health%i = int(mod(cell/g%nz, int(g%nx, long))) + 1
    health%j = int(cell/g%nz/g%nx) + 1
  end subroutine find_fastest

  !> Whether a line is due: every log_steps, or every log_seconds; always for the first and last
  !> step. Rank 0 decides.
  logical function is_due(c, step)
    type(config_t), intent(in) :: c
    integer, intent(in) :: step
    if (c%log_steps > 0) then
      is_due = mod(step, c%log_steps) == 0
    else
      is_due = MPI_Wtime() - last_line > merge(0.1_wp, c%log_seconds, on_terminal)
    end if
    is_due = is_due .or. step == first_step .or. step == last_step
  end function is_due

  !> Makes a number of the state NaN, so that tests can see the run stop.
  subroutine poison(g, c, s)
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    type(state_t), intent(inout) :: s
    associate (k => c%poison_k, i => c%poison_i, j => c%poison_j)
      if (i < g%own%i1 .or. i > g%own%i2 .or. j < g%own%j1 .or. j > g%own%j2 .or. k > g%nz) return
      s%rth(k, i, j) = ieee_value(s%rth(k, i, j), ieee_quiet_nan)
      s%theta(k, i, j) = s%rth(k, i, j)
    end associate
  end subroutine poison

  !> worst = max of (horizontal CFL, vertical CFL, |w|, 1 where a number is not finite).
  pure subroutine column_extremes(n, rx, ry, dt, rdz, u, v, w, om, d_base, rho, theta, worst)
    integer, intent(in) :: n
    real(wp), intent(in) :: rx, ry, dt
    real(wp), dimension(n), intent(in) :: rdz, u, v, w, om, d_base, rho, theta
    real(wp), intent(inout) :: worst(4)
    real(wp) :: h, z, a, broken
    integer :: k

    broken = 0.0_wp
    do k = 1, n
      h = rx*abs(u(k)) + ry*abs(v(k))
      z = dt*rdz(k)*abs(om(k))/(d_base(k) + rho(k))
      a = abs(w(k))
      if (h > worst(1)) worst(1) = h
      if (z > worst(2)) worst(2) = z
      if (a > worst(3)) worst(3) = a
      broken = broken + 0.0_wp*(h + z + a + theta(k))    ! stays 0 unless one is infinite or NaN
    end do
    if (.not. (broken <= 0.0_wp)) worst(4) = 1.0_wp
  end subroutine column_extremes

  !> Names the first bad cell of the lowest rank that has one, and ends the run on every rank.
  subroutine stop_unstable(g, c, s, step, worst)
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    type(state_t), intent(in) :: s
    integer, intent(in) :: step
    real(wp), intent(in) :: worst(4)
    character(:), allocatable :: text
    real(wp) :: here(4)
    integer :: i, j, k, n

    call history_finish()
    text = ''
    associate (r => g%own)
      search: do j = r%j1, r%j2
        do i = r%i1, r%i2
          do k = 1, g%nz
            here = 0.0_wp
            call column_extremes(1, c%dtlong/g%dx, c%dtlong/g%dy, c%dtlong, g%rdz(k:k), s%u(k:k, &
              i, j), &
              s%v(k:k, i, j), s%w(k:k, i, j), s%om(k:k, i, j), s%rho_base(k:k, i, j), s%rho(k:k, &
              i, j), s%theta(k:k, i, j), here)
            do n = 1, s%tracers
              if (.not. (abs(s%tracer(n)%q(k, i, j)) <= huge(1.0_wp))) here(4) = 1.0_wp
            end do
            if (worst(4) > 0.0_wp .and. here(4) <= 0.0_wp) cycle
            if (worst(4) <= 0.0_wp .and. max(here(1), here(2)) < max(worst(1), worst(2))) cycle
            text = 'step '//text_of(step)//' broke at level '//text_of(k)//', column ('// &
              text_of(i)// ', '//text_of(j)//'), '//text_of(g%height(k, i, j))//' m: '
            if (step == 0) text = 'the start cannot be stepped: at level '//text_of(k)// &
              ', column ('// text_of(i)//', '//text_of(j)//'): '
            text = text//cause(c, step, worst(4) > 0.0_wp, max(here(1), here(2)))
            if (step > 0) text = text//good_history()
            exit search
          end do
        end do
      end do search
    end associate
    call agree(text)
    call stop_all('step '//text_of(step)//' broke')
  end subroutine stop_unstable

  !> From where the run can go on.
  function good_history() result(text)
    character(:), allocatable :: text
    text = last_history()
    if (text == '') then
      text = '; there is no history to go on from (frqhis)'
    else
      text = '; the last good history: '//text
    end if
  end function good_history

  !> Why a step broke, and which dt would not have. A Courant number that leaps within one step is
  !> not the wind's but an instability's, and says nothing about dt: the last good step's does.
  function cause(c, step, not_finite, courant) result(text)
    type(config_t), intent(in) :: c
    integer, intent(in) :: step
    logical, intent(in) :: not_finite
    real(wp), intent(in) :: courant
    character(:), allocatable :: text

    if (not_finite) then
      text = 'a number there is not finite'
    else
      text = 'Courant number '//text_of(courant)//' is beyond cfl_limit = '//text_of(c%cfl_limit)
    end if
    if (step == 0 .and. not_finite) return
    if (step > 0 .and. (not_finite .or. courant > 1.5_wp*cfl_before)) then
      text = text//'; the step before had '//text_of(cfl_before)// &
        ', for which the largest stable dt is '// &
        text_of(c%dtlong*min(0.5_wp, c%cfl_limit/max(cfl_before, 1.0e-9_wp)))//' s'
    else
      text = text//'; the largest stable dt for this flow is '// &
        text_of(c%dtlong*c%cfl_limit/courant)//' s'
    end if
  end function cause

  !> One line about a step, if it is due: rewritten in place on a terminal.
  subroutine progress_line(c, step, health)
    type(config_t), intent(in) :: c
    integer, intent(in) :: step
    type(health_t), intent(in) :: health
    character(200) :: line
    real(wp) :: now, per_step, left

    if (step == first_step) started = MPI_Wtime()    ! the rate leaves the first step out
    if (rank /= 0 .or. .not. health%told) return
    now = MPI_Wtime()
    per_step = (now - last_line)/real(max(step - step_before, 1), wp)
    left = real(last_step - step, wp)*(now - started)/real(max(step - first_step, 1), wp)
    if (step == first_step) left = real(last_step - step, wp)*per_step
    last_line = now
    step_before = step
    write (line, '(18a)') 'step ', text_of(step), '/', text_of(last_step), '  t ', &
      fixed(step*c%dtlong, 1)//' s', '  dt ', text_of(c%dtlong)//' s', '  CFL ', &
      fixed(health%cfl_horizontal, 3)//'/'//fixed(health%cfl_vertical, 3), '  max w ', &
      fixed(health%w, 3)//' m/s at ('//text_of(health%i)//', '//text_of(health%j)//', level '// &
      text_of(health%k)//')', '  wall ', fixed(1000.0_wp*per_step, 2)//' ms/step', '  left ', &
      clock_text(left)
    if (on_terminal .and. c%log_steps == 0) then
      write (output_unit, '(3a)', advance=merge('yes', 'no ', step == last_step)) achar(13), &
        trim(line), achar(27)//'[K'
    else
      write (output_unit, '(a)') trim(line)
    end if
    flush (output_unit)
  end subroutine progress_line

  pure function clock_text(seconds) result(text)
    real(wp), intent(in) :: seconds
    character(8) :: text
    integer :: whole
    whole = nint(min(seconds, 359999.0_wp))
    write (text, '(i2.2,a,i2.2,a,i2.2)') whole/3600, ':', mod(whole/60, 60), ':', mod(whole, 60)
  end function clock_text

  !> Collective: prints on rank 0 a line that tests read: extremes, mass, mass of water and a
  !> checksum of the bits of all prognostic fields, which is exact and does not depend on the order
  !> of the cells' owners.
  subroutine summary_of_state(g, s, label)
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    character(*), intent(in) :: label
    integer(long) :: bits(2)
    real(wp) :: high(4), low(4), mass(3), area, q(g%nz), water(g%nz)
    integer :: i, j, k, n

    bits = 0_long
    high = -huge(1.0_wp)
    low = huge(1.0_wp)
    mass = 0.0_wp
    area = g%dx*g%dy
    associate (r => g%own)
      do j = r%j1, r%j2
        do i = r%i1, r%i2
          call add_bits(s%ru(:, i, j), 1_long, bits)
          call add_bits(s%rv(:, i, j), 3_long, bits)
          call add_bits(s%rw(:, i, j), 5_long, bits)
          call add_bits(s%rho(:, i, j), 7_long, bits)
          call add_bits(s%rth(:, i, j), 11_long, bits)
          do n = 1, s%tracers
            call add_bits(s%tracer(n)%r(:, i, j), 11_long + 2_long*n, bits)
          end do
          water = 0.0_wp
          do n = 1, s%tracers
            water = water + s%tracer(n)%r(:, i, j)
          end do
          q = content_of(s, vapour, i, j)
          do k = 1, g%nz
            call widen(1, s%theta(k, i, j) - s%theta_base(k, i, j))
            call widen(2, s%u(k, i, j))
            call widen(3, s%w(k, i, j))
            call widen(4, q(k))
            mass(:2) = mass(:2) + area/g%rdz(k)*[s%rho(k, i, j) + s%rho_base(k, i, j), water(k)]
          end do
          call add_bits(s%rain(i:i, j), 19_long, bits)
          mass(3) = mass(3) + area*s%rain(i, j)
        end do
      end do
    end associate
    call MPI_Allreduce(MPI_IN_PLACE, bits, 2, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Allreduce(MPI_IN_PLACE, high, 4, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    call MPI_Allreduce(MPI_IN_PLACE, low, 4, MPI_DOUBLE_PRECISION, MPI_MIN, MPI_COMM_WORLD)
    call MPI_Allreduce(MPI_IN_PLACE, mass, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    if (rank /= 0) return
    write (output_unit, &
      '(2a,2(a,es16.9),a,2(1x,es22.15),2(a,es16.9),2(a,es16.9),a,2z16.16)') 'state ', &
      label, ' theta', low(1), ' ', high(1), ' mass', mass(:2), ' u', low(2), ' ', high(2), ' w', &
      low(3), ' ', high(3), ' checksum ', bits
    write (output_unit, '(2a,2(a,es16.9),a,es22.15)') 'tracer ', label, ' q', low(4), ' ', &
      high(4), ' ground', mass(3)
    flush (output_unit)
  contains
    subroutine widen(m, value)
      integer, intent(in) :: m
      real(wp), intent(in) :: value
      high(m) = max(high(m), value)
      low(m) = min(low(m), value)
    end subroutine widen
  end subroutine summary_of_state

  !> Adds the two halves of each value's bits, multiplied by `factor`; sums stay far from overflow.
  pure subroutine add_bits(values, factor, bits)
    real(wp), intent(in) :: values(:)
    integer(long), intent(in) :: factor
    integer(long), intent(inout) :: bits(2)
    integer(long) :: word
    integer :: k
    do k = 1, size(values)
      word = transfer(values(k), word)
      bits(1) = bits(1) + factor*iand(word, int(z'FFFFFFFF', long))
      bits(2) = bits(2) + factor*iand(ishft(word, -32), int(z'FFFFFFFF', long))
    end do
  end subroutine add_bits
end module weather_progress
