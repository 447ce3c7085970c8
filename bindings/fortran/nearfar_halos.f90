! SPDX-License-Identifier: BSD-3-Clause
! Halo plans: filling the ghost cells of fields from the ranks that own those cells.
module nearfar_halos
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_int, &
    c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  use nearfar_c, only: c_halo_options, c_method_info, max_dimensions, nearfar_fortran_add, &
    nearfar_grid_team, nearfar_halo_begin, nearfar_halo_commit, nearfar_halo_describe, &
    nearfar_halo_exchange, nearfar_halo_finish, nearfar_halo_free, nearfar_halo_method, &
    nearfar_halo_refuse, nearfar_halo_start, nearfar_halo_test, nearfar_halo_tuned_seconds, &
    nearfar_methods
  use nearfar_faults, only: axes_from_one, c_text, description_of, read_ghosts, settle, text_of
  use nearfar_grids, only: nearfar_grid
  implicit none (type, external)
  private
  public :: nearfar_halo, nearfar_method_names

  !> Copies of an object of this type mean the same plan.
  type :: nearfar_halo
    type(c_ptr) :: handle = c_null_ptr  !! the nearfar_halo * of the C interface
    type(nearfar_grid), private :: grid
  contains
    procedure :: create => halo_create
    procedure :: begin => halo_begin
    procedure :: add => halo_add
    procedure :: commit => halo_commit
    procedure :: start => halo_start
    procedure :: test => halo_test
    procedure :: finish => halo_finish
    procedure :: exchange => halo_exchange
    procedure :: method => halo_method
    procedure :: describe => halo_describe
    procedure :: tuned_seconds => halo_tuned_seconds
    procedure :: free => halo_free
  end type nearfar_halo

contains

  !> A plan for all ghost cells of 1 to 8 fields. Collective over the grid's team, in one order on
  !> all ranks.
  subroutine halo_create(self, grid, f1, f2, f3, f4, f5, f6, f7, f8, name, method, stencil, &
    budget_s, stat, errmsg)
    class(nearfar_halo), intent(inout) :: self
    type(nearfar_grid), intent(in) :: grid
    type(*), dimension(..), intent(inout), target :: f1
    type(*), dimension(..), intent(inout), target, optional :: f2, f3, f4, f5, f6, f7, f8
    character(*), intent(in), optional :: name, method, stencil
    real(real64), intent(in), optional :: budget_s
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status

    call axes_from_one()
    status = begun(self, grid, name, method, stencil, budget_s)
    if (status == 0) status = added(self, f1)
    if (present(f2) .and. status == 0) status = added(self, f2)
    if (present(f3) .and. status == 0) status = added(self, f3)
    if (present(f4) .and. status == 0) status = added(self, f4)
    if (present(f5) .and. status == 0) status = added(self, f5)
    if (present(f6) .and. status == 0) status = added(self, f6)
    if (present(f7) .and. status == 0) status = added(self, f7)
    if (present(f8) .and. status == 0) status = added(self, f8)
    if (status == 0) status = nearfar_halo_commit(self%handle)
    if (status /= 0) call drop(self)
    call settle(status, 'halo%create', stat, errmsg)
  end subroutine halo_create

  !> The same in steps: begin, add …, commit. Local.
  !> name: shown in reports. method: '' is tuned, else one of nearfar_method_names(). stencil: 'box'
  !> (corners too) or 'star' (faces only). budget_s: seconds for tuning.
  subroutine halo_begin(self, grid, name, method, stencil, budget_s, stat, errmsg)
    class(nearfar_halo), intent(inout) :: self
    type(nearfar_grid), intent(in) :: grid
    character(*), intent(in), optional :: name, method, stencil
    real(real64), intent(in), optional :: budget_s
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call axes_from_one()
    call settle(begun(self, grid, name, method, stencil, budget_s), 'halo%begin', stat, errmsg)
  end subroutine halo_begin

  !> Adds a field, or an array of the caller's, for which ghosts= must be given. Local.
  !> Field: ghosts= are the layers to fill (default: all that it has), so that one side alone can be
  !> exchanged. Own array: ghosts= are the layers that it has around this rank's tile, fill= those
  !> to fill (default: all); grid= its grid, if it is not the one given to begin. It must be a
  !> target, contiguous or a section of an array, and must not move until the plan is freed.
  !> Components of an array of derived type (cells%pressure) cannot be given, since compilers pass a
  !> copy. What is wrong with an argument is reported by commit, on every rank.
  subroutine halo_add(self, array, ghosts, fill, grid, stat, errmsg)
    class(nearfar_halo), intent(in) :: self
    type(*), dimension(..), intent(inout), target :: array
    integer, intent(in), optional :: ghosts(..), fill(..)
    type(nearfar_grid), intent(in), optional :: grid
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call axes_from_one()
    call settle(added(self, array, ghosts, fill, grid), 'halo%add', stat, errmsg)
  end subroutine halo_add

  !> Makes and tunes the plan. Collective over the team.
  subroutine halo_commit(self, stat, errmsg)
    class(nearfar_halo), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call axes_from_one()
    call settle(nearfar_halo_commit(self%handle), 'halo%commit', stat, errmsg)
  end subroutine halo_commit

  !> Starts to fill the ghost cells. Until finish, own cells next to them must not be written and
  !> ghosts not read.
  subroutine halo_start(self, stat, errmsg)
    class(nearfar_halo), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_halo_start(self%handle), 'halo%start', stat, errmsg)
  end subroutine halo_start

  !> True when finish would not wait; makes progress.
  logical function halo_test(self)
    class(nearfar_halo), intent(in) :: self
    integer(c_int) :: done
    call settle(nearfar_halo_test(self%handle, done), 'halo%test')
    halo_test = done /= 0
  end function halo_test

  !> Waits until all ghost cells are filled.
  subroutine halo_finish(self, stat, errmsg)
    class(nearfar_halo), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_halo_finish(self%handle), 'halo%finish', stat, errmsg)
  end subroutine halo_finish

  !> start and finish.
  subroutine halo_exchange(self, stat, errmsg)
    class(nearfar_halo), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_halo_exchange(self%handle), 'halo%exchange', stat, errmsg)
  end subroutine halo_exchange

  !> The method that was chosen; '' before commit.
  function halo_method(self) result(text)
    class(nearfar_halo), intent(in) :: self
    character(:), allocatable :: text
    text = text_of(nearfar_halo_method(self%handle))
  end function halo_method

  !> What was tried and chosen, in bytes, messages and times. Local; '' before commit.
  function halo_describe(self) result(text)
    class(nearfar_halo), intent(in) :: self
    character(:), allocatable :: text
    call axes_from_one()
    text = description_of(nearfar_halo_describe(self%handle))
  end function halo_describe

  !> Seconds of one exchange as measured by the tuner; 0 if unknown.
  real(real64) function halo_tuned_seconds(self)
    class(nearfar_halo), intent(in) :: self
    halo_tuned_seconds = real(nearfar_halo_tuned_seconds(self%handle), real64)
  end function halo_tuned_seconds

  !> Collective over the team.
  subroutine halo_free(self, stat, errmsg)
    class(nearfar_halo), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_halo_free(self%handle), 'halo%free', stat, errmsg)
  end subroutine halo_free

  !> The names of all methods that method= takes, separated by commas.
  function nearfar_method_names() result(names)
    character(:), allocatable :: names
    type(c_method_info), pointer :: table(:)
    type(c_ptr) :: address
    integer(c_int) :: count
    integer :: i

    names = ''
    address = nearfar_methods(count)
    call c_f_pointer(address, table, [count])
    do i = 1, int(count)
      if (i > 1) names = names // ', '
      names = names // text_of(table(i)%name)
    end do
  end function nearfar_method_names

  ! Frees a plan that could not be made; the message of the failure stays.
  subroutine drop(self)
    class(nearfar_halo), intent(inout) :: self
    integer(c_int) :: status
    status = nearfar_halo_free(self%handle)
  end subroutine drop

  integer(c_int) function begun(self, grid, name, method, stencil, budget_s) result(status)
    class(nearfar_halo), intent(inout) :: self
    type(nearfar_grid), intent(in) :: grid
    character(*), intent(in), optional :: name, method, stencil
    real(real64), intent(in), optional :: budget_s
    type(c_halo_options) :: options
    character(kind=c_char), allocatable, target :: c_name(:), c_method(:)
    character(:), allocatable :: complaint

    complaint = ''
    options = c_halo_options(c_null_ptr, c_null_ptr, 0_c_int, 0.0_c_double)
    if (present(name)) then
      c_name = c_text(name)
      options%name = c_loc(c_name)
    end if
    if (present(method)) then
      c_method = c_text(method)
      options%method = c_loc(c_method)
    end if
    if (present(stencil)) then
      options%stencil = merge(1_c_int, 0_c_int, stencil == 'star')
      if (stencil /= 'star' .and. stencil /= 'box') complaint = "stencil is '" // stencil // &
        "'; it can be 'box' or 'star'"
    end if
    if (present(budget_s)) options%budget_s = real(budget_s, c_double)
    self%handle = c_null_ptr
    self%grid = grid
    status = nearfar_halo_begin(nearfar_grid_team(grid%handle), options, self%handle)
    if (status == 0 .and. complaint /= '') status = nearfar_halo_refuse(self%handle, &
      c_text(complaint))
  end function begun

  integer(c_int) function added(self, array, ghosts, fill, grid) result(status)
    class(nearfar_halo), intent(in) :: self
    type(*), dimension(..), intent(inout), target :: array
    integer, intent(in), optional :: ghosts(..), fill(..)
    type(nearfar_grid), intent(in), optional :: grid
    integer(c_int), target :: widths(2, max_dimensions), fill_widths(2, max_dimensions)
    character(:), allocatable :: complaint, fill_complaint
    type(c_ptr) :: has, fills
    type(nearfar_grid) :: home

    home = self%grid
    if (present(grid)) home = grid
    call read_ghosts(rank(array), widths, complaint, ghosts)
    call read_ghosts(rank(array), fill_widths, fill_complaint, fill)
    if (complaint == '') complaint = fill_complaint
    if (complaint /= '') then
      status = nearfar_halo_refuse(self%handle, c_text(complaint))
      return
    end if
    has = c_null_ptr
    fills = c_null_ptr
    if (present(ghosts)) has = c_loc(widths)
    if (present(fill)) fills = c_loc(fill_widths)
    status = nearfar_fortran_add(self%handle, home%handle, array, has, fills)
  end function added

end module nearfar_halos
