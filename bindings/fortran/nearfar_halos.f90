! SPDX-License-Identifier: BSD-3-Clause
! Halo plans: filling the ghost cells of fields from the ranks that own those cells.
module nearfar_halos
  use, intrinsic :: iso_c_binding, only: c_int, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  use nearfar_c, only: nearfar_halo_plan_team, &
    c_array_layout, c_halo_options, nearfar_fortran_add, &
    nearfar_fortran_address_of, nearfar_fortran_layout_of, nearfar_grid_team, &
    nearfar_halo_plan_begin, nearfar_halo_plan_commit, nearfar_halo_plan_describe, &
    nearfar_halo_plan_describe_json, &
    nearfar_halo_plan_finish, nearfar_halo_plan_free, nearfar_halo_plan_method, &
    nearfar_halo_plan_refuse, nearfar_halo_plan_start, &
    nearfar_halo_plan_start_on, nearfar_refuse, &
    nearfar_halo_plan_test, nearfar_halo_plan_tuned_seconds
  use nearfar_constants, only: nearfar_max_dimensions
  use nearfar_faults, only: c_text, description_of, read_ghosts, settle, text_of
  use nearfar_grids, only: nearfar_grid
  use nearfar_objects, only: borrow, freeable, hold, live, nearfar_object, release
  use nearfar_plan_options, only: any_copy, choice, copy_complaint, kept_texts, tell
  use nearfar_words, only: stencil_words
  use nearfar_teams, only: nearfar_team
  implicit none (type, external)
  private
  public :: nearfar_halo_plan

  integer, parameter :: most_arrays = 8  ! that start and run take

  !> Copies of an object of this type mean the same plan.
  type, extends(nearfar_object) :: nearfar_halo_plan
    type(nearfar_grid), private :: grid
    type(c_array_layout), private :: layouts(most_arrays)  ! of the first arrays that were added
    integer, private :: arrays = 0
  contains
    procedure :: create => halo_plan_create
    procedure :: begin => halo_plan_begin
    procedure :: add => halo_plan_add
    procedure :: commit => halo_plan_commit
    include 'generated/halo_plan_bindings.inc'
  end type nearfar_halo_plan

contains

  !> A plan for all ghost cells of 1 to 8 fields. Collective over the grid's team, in one order on
  !> all ranks.
  subroutine halo_plan_create(self, grid, f1, f2, f3, f4, f5, f6, f7, f8, name, method, &
    without, budget_s, stencil, stat, errmsg)
    class(nearfar_halo_plan), intent(inout) :: self
    type(nearfar_grid), intent(in) :: grid
    type(*), dimension(..), intent(inout), target :: f1
    type(*), dimension(..), intent(inout), target, optional :: f2, f3, f4, f5, f6, f7, f8
    character(*), intent(in), optional :: name, method, without, stencil
    real(real64), intent(in), optional :: budget_s
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status

    status = begun(self, grid, name, method, without, budget_s, stencil)
    if (status == 0) status = added(self, f1)
    if (present(f2) .and. status == 0) status = added(self, f2)
    if (present(f3) .and. status == 0) status = added(self, f3)
    if (present(f4) .and. status == 0) status = added(self, f4)
    if (present(f5) .and. status == 0) status = added(self, f5)
    if (present(f6) .and. status == 0) status = added(self, f6)
    if (present(f7) .and. status == 0) status = added(self, f7)
    if (present(f8) .and. status == 0) status = added(self, f8)
    if (status == 0) status = nearfar_halo_plan_commit(live(self))
    if (status /= 0) call drop(self)
    call settle(status, 'halo_plan%create', stat, errmsg)
  end subroutine halo_plan_create

  !> The same in steps: begin, add …, commit. Local.
  !> name: shown in reports. method: '' is tuned, else one of nearfar_methods('halo').
  !> without: methods that the tuner leaves out, with commas. budget_s: seconds for tuning; 0: the
  !> library's choice, negative: nearfar_no_tuning. stencil: 'box'
  !> (corners too) or 'star' (faces only).
  subroutine halo_plan_begin(self, grid, name, method, without, budget_s, stencil, stat, &
    errmsg)
    class(nearfar_halo_plan), intent(inout) :: self
    type(nearfar_grid), intent(in) :: grid
    character(*), intent(in), optional :: name, method, without, stencil
    real(real64), intent(in), optional :: budget_s
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(begun(self, grid, name, method, without, budget_s, stencil), 'halo_plan%begin', &
      stat, errmsg)
  end subroutine halo_plan_begin

  !> Adds a field, or an array of the caller's, for which ghosts= must be given. Local.
  !> Field: ghosts= are the layers to fill (default: all that it has), so that one side alone can be
  !> exchanged. Own array: ghosts= are the layers that it has around this rank's tile, fill= those
  !> to fill (default: all); grid= its grid, if it is not the one given to begin. It must be a
  !> target, contiguous or a section of an array, and must not move until the plan is freed.
  !> Components of an array of derived type (cells%pressure) are refused where the compiler passes a
  !> copy of them. What is wrong with an argument is reported by commit, on every rank.
  subroutine halo_plan_add(self, array, ghosts, fill, grid, stat, errmsg)
    class(nearfar_halo_plan), intent(inout) :: self
    type(*), dimension(..), intent(inout), target :: array
    integer, intent(in), optional :: ghosts(..), fill(..)
    type(nearfar_grid), intent(in), optional :: grid
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(added(self, array, ghosts, fill, grid), 'halo_plan%add', stat, errmsg)
  end subroutine halo_plan_add

  !> Makes and tunes the plan. Collective over the team.
  subroutine halo_plan_commit(self, stat, errmsg)
    class(nearfar_halo_plan), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_halo_plan_commit(live(self)), 'halo_plan%commit', stat, errmsg)
  end subroutine halo_plan_commit

  !> Starts to fill the ghost cells of the plan's arrays: those it was made with, or last started
  !> on; or of these, which lie in memory as the plan's do, in their order. Until finish, own cells
  !> next to ghosts must not be written and ghosts not read.
  subroutine halo_plan_start(self, f1, f2, f3, f4, f5, f6, f7, f8, stat, errmsg)
    class(nearfar_halo_plan), intent(in) :: self
    type(*), dimension(..), intent(inout), target, optional :: f1, f2, f3, f4, f5, f6, f7, f8
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(started(self, f1, f2, f3, f4, f5, f6, f7, f8), 'halo_plan%start', stat, errmsg)
  end subroutine halo_plan_start

  subroutine halo_plan_run(self, f1, f2, f3, f4, f5, f6, f7, f8, stat, errmsg)
    class(nearfar_halo_plan), intent(in) :: self
    type(*), dimension(..), intent(inout), target, optional :: f1, f2, f3, f4, f5, f6, f7, f8
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status

    status = started(self, f1, f2, f3, f4, f5, f6, f7, f8)
    if (status == 0) status = nearfar_halo_plan_finish(live(self))
    call settle(status, 'halo_plan%run', stat, errmsg)
  end subroutine halo_plan_run

  integer(c_int) function started(self, f1, f2, f3, f4, f5, f6, f7, f8) result(status)
    class(nearfar_halo_plan), intent(in) :: self
    type(*), dimension(..), intent(inout), target, optional :: f1, f2, f3, f4, f5, f6, f7, f8
    type(c_ptr) :: addresses(most_arrays)
    integer :: given

    status = 0
    given = 0
    call take(self, f1, addresses, given, status)
    call take(self, f2, addresses, given, status)
    call take(self, f3, addresses, given, status)
    call take(self, f4, addresses, given, status)
    call take(self, f5, addresses, given, status)
    call take(self, f6, addresses, given, status)
    call take(self, f7, addresses, given, status)
    call take(self, f8, addresses, given, status)
    if (status /= 0) return
    if (given == 0) then
      status = nearfar_halo_plan_start(live(self))
    else
      status = nearfar_halo_plan_start_on(live(self), int(given, c_int), addresses)
    end if
  end function started

  ! The address of one more array, if it is there and can be taken.
  subroutine take(self, array, addresses, given, status)
    class(nearfar_halo_plan), intent(in) :: self
    type(*), dimension(..), intent(inout), target, optional :: array
    type(c_ptr), intent(inout) :: addresses(most_arrays)
    integer, intent(inout) :: given
    integer(c_int), intent(inout) :: status

    if (.not. present(array) .or. status /= 0) return
    given = given + 1
    if (any_copy(array)) then
      status = nearfar_refuse(c_text(copy_complaint(array, 'array')))
    else
      status = nearfar_fortran_address_of(array, self%layouts(given), int(given, c_int), &
        addresses(given))
    end if
  end subroutine take

  include 'generated/halo_plan_object.inc'
  include 'generated/halo_plan_of_team.inc'
  include 'generated/halo_plan_verbs.inc'

  ! Frees a plan that could not be made; the message of the failure stays.
  subroutine drop(self)
    class(nearfar_halo_plan), intent(inout) :: self
    integer(c_int) :: status
    status = nearfar_halo_plan_free(self%handle)
    call release(self)
  end subroutine drop

  integer(c_int) function begun(self, grid, name, method, without, budget_s, stencil) result(status)
    class(nearfar_halo_plan), intent(inout) :: self
    type(nearfar_grid), intent(in) :: grid
    character(*), intent(in), optional :: name, method, without, stencil
    real(real64), intent(in), optional :: budget_s
    type(c_halo_options), target :: options
    type(kept_texts) :: kept
    character(:), allocatable :: complaint

    complaint = ''
    call tell(c_loc(options), kept, name, method, without, budget_s)
    options%stencil = choice(stencil_words, 'stencil', stencil, complaint)
    self%handle = c_null_ptr
    self%grid = grid
    self%arrays = 0
    status = nearfar_halo_plan_begin(nearfar_grid_team(live(grid)), options, self%handle)
    call hold(self, status)
    if (status == 0 .and. complaint /= '') status = nearfar_halo_plan_refuse(live(self), &
      c_text(complaint))
  end function begun

  integer(c_int) function added(self, array, ghosts, fill, grid) result(status)
    class(nearfar_halo_plan), intent(inout) :: self
    type(*), dimension(..), intent(inout), target :: array
    integer, intent(in), optional :: ghosts(..), fill(..)
    type(nearfar_grid), intent(in), optional :: grid
    integer(c_int), target :: widths(2, nearfar_max_dimensions), fill_widths(2, &
      nearfar_max_dimensions)
    character(:), allocatable :: complaint, fill_complaint
    type(nearfar_grid) :: home

    home = self%grid
    if (present(grid)) home = grid
    call read_ghosts(rank(array), widths, complaint, ghosts)
    call read_ghosts(rank(array), fill_widths, fill_complaint, fill)
    if (complaint == '') complaint = fill_complaint
    if (complaint == '') complaint = copy_complaint(array, 'array')
    if (complaint /= '') then
      status = nearfar_halo_plan_refuse(live(self), c_text(complaint))
      return
    end if
    self%arrays = self%arrays + 1
    if (self%arrays <= most_arrays) &
      call nearfar_fortran_layout_of(array, self%layouts(self%arrays))
    status = nearfar_fortran_add(live(self), live(home), array, only_if(present(ghosts), widths), &
      only_if(present(fill), fill_widths))
  end function added

  ! Nothing, which is NULL in C, if the widths are not to be told.
  function only_if(is_there, widths) result(told)
    logical, intent(in) :: is_there
    integer(c_int), intent(in), target :: widths(:,:)
    integer(c_int), pointer :: told(:,:)
    told => null()
    if (is_there) told => widths
  end function only_if

end module nearfar_halos
