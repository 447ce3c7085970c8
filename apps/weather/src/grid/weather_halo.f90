! SPDX-License-Identifier: BSD-3-Clause
! All communication of ghost cells: the only module that talks to Nearfar.
!
! An exchange set is one plan: a list of fields with the ghost widths that this moment of the step
! needs. In comparison mode every set exists once per method and `halo_use` switches between them.
module weather_halo
  use mpi_f08, only: MPI_COMM_WORLD, MPI_Wtime
  use nearfar, only: nearfar_team, nearfar_grid, nearfar_halo_plan
  use weather_constants, only: wp, max_text
  use weather_errors, only: agree, stop_alone
  implicit none (type, external)
  private
  public :: halo_open, halo_close, halo_field, halo_set, halo_fill, halo_start, halo_finish, &
    halo_use, halo_describe, halo_team, ghost_width
  public :: set_stage, set_u, set_v, set_pressure, set_density, set_limiter, set_mixing, &
    set_count, set_names
  public :: halo_methods, halo_seconds, halo_calls, field_ref

  integer, save, protected :: ghost_width = 3      !! reach of the widest stencil of the time scheme

  ! The moments of a long step at which ghost cells are filled.
  integer, parameter :: set_stage = 1        !! after each stage or long step, all fields at once
  integer, parameter :: set_u = 2            !! acoustic step: mass flux u, east side only
  integer, parameter :: set_v = 3            !! acoustic step: mass flux v, north side only
  integer, parameter :: set_pressure = 4     !! acoustic step: pressure, west and south sides only
  integer, parameter :: set_density = 5      !! last acoustic step of a stage: density, same sides
  integer, parameter :: set_limiter = 6      !! once per long step: outflow factors of the tracers
  integer, parameter :: set_mixing = 7       !! once per long step: coefficients of mixing
  integer, parameter :: set_count = 7
  character(8), parameter :: set_names(set_count) = &
    [character(8) :: 'stage', 'u', 'v', 'pressure', 'density', 'limiter', 'mixing']

  !> A field with the ghost widths [west, east, south, north] that a set fills.
  type :: field_ref
    real(wp), pointer, contiguous :: values(:, :, :) => null()
    integer :: sides(4) = 0
  end type field_ref

  integer, parameter :: max_methods = 3
  type(nearfar_team), save, target :: team
  type(nearfar_grid), save :: grid
  type(nearfar_halo_plan), save :: plans(set_count, max_methods)
  logical, save :: planned(set_count, max_methods) = .false.
  character(32), allocatable, save, protected :: halo_methods(:)
  integer, save :: current = 1
  logical, save :: has_y = .true.
  real(wp), save, protected :: halo_seconds(set_count) = 0.0_wp
  integer, save, protected :: halo_calls(set_count) = 0

contains

  !> Cuts the domain over all ranks and returns the own columns [is, ie] x [js, je]. Fields get
  !> `ghosts` ghost columns on every side.
  !> `method`: empty (tuned), 'compare', or a method's name.
  subroutine halo_open(nz, nx, ny, periodic_x, periodic_y, px, py, ghosts, method, is, ie, &
      js, je)
    integer, intent(in) :: nz, nx, ny, px, py, ghosts
    logical, intent(in) :: periodic_x, periodic_y
    character(*), intent(in) :: method
    integer, intent(out) :: is, ie, js, je
    character(max_text) :: message
    integer :: stat, first(3), last(3)

    has_y = ny > 1
    ghost_width = ghosts
    if (method == 'compare') then
      halo_methods = [character(32) :: 'isend', 'node-barrier', '']
    else
      halo_methods = [character(32) :: method]
    end if
    message = ''
    call team%create(MPI_COMM_WORLD, stat=stat, errmsg=message)
    if (stat == 0) message = ''
    call agree(message)
    call grid%create(team, extents=[nz, nx, ny], periodic=[.false., periodic_x, &
      periodic_y .and. has_y], process_grid=[1, px, merge(py, 1, has_y)], stat=stat, errmsg=message)
    if (stat == 0) message = ''
    call agree(message)
    first = int(grid%lower())
    last = int(grid%upper())
    is = first(2)
    ie = last(2)
    js = first(3)
    je = last(3)
  end subroutine halo_open

  !> A field of the own cells and their ghosts, in memory that near ranks share; zero at first.
  subroutine halo_field(field)
    real(wp), pointer, contiguous, intent(out) :: field(:, :, :)
    character(max_text) :: message
    integer :: stat, ghosts(2, 3)

    message = ''
    ghosts = widths([1, 1, 1, 1]*ghost_width)
    call grid%new_field(field, ghosts=ghosts, stat=stat, errmsg=message)
    if (stat == 0) message = ''
    call agree(message)
    field = 0.0_wp
  end subroutine halo_field

  !> Makes the plan of a set, once for every method in use.
  subroutine halo_set(set, fields)
    integer, intent(in) :: set
    type(field_ref), intent(in) :: fields(:)
    character(max_text) :: message
    integer :: m, f, stat, ghosts(2, 3)

    do m = 1, size(halo_methods)
      message = ''
      call plans(set, m)%begin(grid, name=trim(set_names(set)), method=trim(halo_methods(m)), &
        stat=stat, errmsg=message)
      do f = 1, size(fields)
        ghosts = widths(fields(f)%sides)
        if (stat == 0) call plans(set, m)%add(fields(f)%values, ghosts=ghosts, stat=stat, &
          errmsg=message)
      end do
      if (stat == 0) message = ''
      call agree(message)
      call plans(set, m)%commit(stat=stat, errmsg=message)
      if (stat == 0) message = ''
      call agree(message)
      planned(set, m) = .true.
    end do
  end subroutine halo_set

  subroutine halo_start(set)
    integer, intent(in) :: set
    character(max_text) :: message
    real(wp) :: begin
    integer :: stat
    begin = MPI_Wtime()
    call plans(set, current)%start(stat=stat, errmsg=message)
    if (stat /= 0) call stop_alone(message)
    halo_seconds(set) = halo_seconds(set) + (MPI_Wtime() - begin)
  end subroutine halo_start

  subroutine halo_finish(set)
    integer, intent(in) :: set
    character(max_text) :: message
    real(wp) :: begin
    integer :: stat
    begin = MPI_Wtime()
    call plans(set, current)%finish(stat=stat, errmsg=message)
    if (stat /= 0) call stop_alone(message)
    halo_seconds(set) = halo_seconds(set) + (MPI_Wtime() - begin)
    halo_calls(set) = halo_calls(set) + 1
  end subroutine halo_finish

  subroutine halo_fill(set)
    integer, intent(in) :: set
    call halo_start(set)
    call halo_finish(set)
  end subroutine halo_fill

  !> Takes method number m of halo_methods from now on; no exchange may be in flight.
  subroutine halo_use(m)
    integer, intent(in) :: m
    current = m
  end subroutine halo_use

  !> For other plans of all ranks.
  function halo_team() result(all_ranks)
    type(nearfar_team), pointer :: all_ranks
    all_ranks => team
  end function halo_team

  !> One line: which method each set got.
  function halo_describe() result(text)
    character(:), allocatable :: text
    integer :: set, m
    text = 'halo:'
    do m = 1, size(halo_methods)
      if (m > 1) text = text//' |'
      do set = 1, set_count
        if (planned(set, m)) text = text//' '//trim(set_names(set))//' '//plans(set, m)%method()
      end do
    end do
  end function halo_describe

  subroutine halo_close()
    integer :: set, m
    do m = 1, max_methods
      do set = 1, set_count
        if (planned(set, m)) call plans(set, m)%free()
        planned(set, m) = .false.
      end do
    end do
    call grid%free()
    call team%free()
  end subroutine halo_close

  !> Ghost widths per dimension of a (k, i, j) field; none in y of a two-dimensional run.
  pure function widths(sides) result(ghosts)
    integer, intent(in) :: sides(4)
    integer :: ghosts(2, 3)
    ghosts = 0
    ghosts(:, 2) = sides(1:2)
    if (has_y) ghosts(:, 3) = sides(3:4)
  end function widths
end module weather_halo
