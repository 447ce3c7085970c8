! SPDX-License-Identifier: BSD-3-Clause
! Side values that change in time: what lies beyond the sides, and what the columns near them are
! relaxed to, interpolated linearly between the times of the analysis (Davies 1976).
!
! Only the columns that need them are kept: ghosts beyond the domain, the outermost rows and those
! with a relaxation rate. All of it is local: each rank keeps its own columns and their ghosts.
module weather_sides
  use weather_constants, only: wp
  use weather_grid, only: grid_t
  use weather_state, only: state_t
  implicit none (type, external)
  private
  public :: sides_t, sides_open, sides_keep, sides_at

  ! The fields kept, and after them the tracers: r of the domain's columns, q of those beyond.
  integer, parameter :: of_u = 1, of_v = 2, of_ru = 3, of_rv = 4, of_rho = 5, of_rth = 6

  type :: sides_t
    real(wp), allocatable :: seconds(:)            !! times after the start, increasing
    integer, allocatable :: i(:), j(:)             !! the columns
    real(wp), allocatable :: values(:, :, :, :)    !! (level, column, field, time)
  end type sides_t

contains

  !> Room for side values at the times `seconds`; with fewer than two times nothing is kept.
  !> `rate`: relaxation rate of each column.
  subroutine sides_open(sides, g, s, seconds, rate)
    type(sides_t), intent(out) :: sides
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    real(wp), intent(in) :: seconds(:), rate(g%shape%il:, g%shape%jl:)
    integer :: i, j

    allocate (sides%seconds, source=seconds)
    allocate (sides%i(0), sides%j(0))
    if (size(seconds) < 2) return
    do j = g%shape%jl, g%shape%jh
      do i = g%shape%il, g%shape%ih
        if (.not. (is_beyond(g, i, j) .or. is_rim(g, i, j) .or. rate(i, j) > 0.0_wp)) cycle
        sides%i = [sides%i, i]
        sides%j = [sides%j, j]
      end do
    end do
    allocate (sides%values(g%nz, size(sides%i), of_rth + s%tracers, size(seconds)))
  end subroutine sides_open

  !> Keeps the state, ghosts included, as the side values of time number `time`.
  subroutine sides_keep(sides, g, s, time)
    type(sides_t), intent(inout) :: sides
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    integer, intent(in) :: time
    integer :: m, n

    if (.not. allocated(sides%values)) return
    do m = 1, size(sides%i)
      associate (i => sides%i(m), j => sides%j(m), v => sides%values(:, m, :, time))
        v(:, of_u) = s%u(:, i, j)
        v(:, of_v) = s%v(:, i, j)
        v(:, of_ru) = s%ru(:, i, j)
        v(:, of_rv) = s%rv(:, i, j)
        v(:, of_rho) = s%rho(:, i, j)
        v(:, of_rth) = s%rth(:, i, j)
        do n = 1, s%tracers
          v(:, of_rth + n) = s%tracer(n)%r(:, i, j)
          if (is_beyond(g, i, j)) v(:, of_rth + n) = s%tracer(n)%q(:, i, j)
        end do
      end associate
    end do
  end subroutine sides_keep

  !> Sets the side values to those of `seconds` after the start; before the first and after the last
  !> time they are constant.
  subroutine sides_at(sides, g, s, seconds)
    type(sides_t), intent(in) :: sides
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    real(wp), intent(in) :: seconds
    real(wp) :: now(g%nz, of_rth + s%tracers), weight
    integer :: m, t

    if (.not. allocated(sides%values)) return
    t = 1
    do while (t < size(sides%seconds) - 1 .and. seconds > sides%seconds(t + 1))
      t = t + 1
    end do
    weight = (seconds - sides%seconds(t))/(sides%seconds(t + 1) - sides%seconds(t))
    weight = min(max(weight, 0.0_wp), 1.0_wp)
    do m = 1, size(sides%i)
      now = sides%values(:, m, :, t) + weight*(sides%values(:, m, :, t + 1) &
        - sides%values(:, m, :, t))
      if (is_beyond(g, sides%i(m), sides%j(m))) then
        call set_beyond(s, sides%i(m), sides%j(m), now)
      else
        call set_target(g, s, sides%i(m), sides%j(m), now)
      end if
    end do
  end subroutine sides_at

  !> A ghost column beyond the domain: all that stencils read there.
  subroutine set_beyond(s, i, j, now)
    type(state_t), intent(inout) :: s
    integer, intent(in) :: i, j
    real(wp), intent(in) :: now(:, :)
    integer :: n

    s%u(:, i, j) = now(:, of_u)
    s%v(:, i, j) = now(:, of_v)
    s%ru(:, i, j) = now(:, of_ru)
    s%rv(:, i, j) = now(:, of_rv)
    s%rho(:, i, j) = now(:, of_rho)
    s%rth(:, i, j) = now(:, of_rth)
    s%theta(:, i, j) = now(:, of_rth)/(s%rho_base(:, i, j) + now(:, of_rho))
    do n = 1, s%tracers
      s%tracer(n)%q(:, i, j) = now(:, of_rth + n)
    end do
  end subroutine set_beyond

  !> A column of the domain: what it is relaxed to, and the fluxes through the outermost faces.
  subroutine set_target(g, s, i, j, now)
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    integer, intent(in) :: i, j
    real(wp), intent(in) :: now(:, :)
    integer :: n

    s%ru_side(:, i, j) = now(:, of_ru)
    s%rv_side(:, i, j) = now(:, of_rv)
    s%rho_side(:, i, j) = now(:, of_rho)
    s%rth_side(:, i, j) = now(:, of_rth)
    do n = 1, s%tracers
      s%tracer(n)%side(:, i, j) = now(:, of_rth + n)
    end do
    if (i == 1 .and. .not. g%periodic_x) then
      s%u(:, i, j) = now(:, of_u)
      s%ru(:, i, j) = now(:, of_ru)
    end if
    if (j == 1 .and. .not. g%periodic_y) then
      s%v(:, i, j) = now(:, of_v)
      s%rv(:, i, j) = now(:, of_rv)
    end if
  end subroutine set_target

  !> Beyond the sides of a domain that is not periodic there.
  pure logical function is_beyond(g, i, j)
    type(grid_t), intent(in) :: g
    integer, intent(in) :: i, j
    is_beyond = .not. g%periodic_x .and. (i < 1 .or. i > g%nx)
    is_beyond = is_beyond .or. (.not. g%periodic_y .and. (j < 1 .or. j > g%ny))
  end function is_beyond

  !> In the westernmost or southernmost row, whose outer faces belong to it.
  pure logical function is_rim(g, i, j)
    type(grid_t), intent(in) :: g
    integer, intent(in) :: i, j
    is_rim = (.not. g%periodic_x .and. i == 1) .or. (.not. g%periodic_y .and. j == 1)
  end function is_rim
end module weather_sides
