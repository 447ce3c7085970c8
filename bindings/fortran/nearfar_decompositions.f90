! SPDX-License-Identifier: BSD-3-Clause
! Decompositions: which rank owns which box of a global grid of 1 to 4 axes. Axes are listed fastest
! first and numbered from 1, indices start at 1, ranks at 0.
module nearfar_decompositions
  use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer, c_int, c_int64_t, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use nearfar_c, only: nearfar_decomposition_team, &
    c_box, nearfar_agree, nearfar_decomposition_blocks, &
    nearfar_decomposition_box, nearfar_decomposition_describe, nearfar_decomposition_dimensions, &
    nearfar_decomposition_extents, nearfar_decomposition_free, nearfar_decomposition_from_boxes, &
    nearfar_decomposition_pencil, nearfar_decomposition_process_grid, nearfar_decomposition_slab
  use nearfar_constants, only: nearfar_max_dimensions
  use nearfar_faults, only: c_text, description_of, settle, text_of_number
  use nearfar_objects, only: borrow, freeable, hold, live, nearfar_object, release
  use nearfar_teams, only: nearfar_team
  implicit none (type, external)
  private
  public :: nearfar_decomposition

  !> Copies of an object of this type mean the same decomposition. All that makes one is collective
  !> over the team. Axes are cut into blocks as equal as possible, the larger ones first.
  type, extends(nearfar_object) :: nearfar_decomposition
    type(nearfar_team) :: members
  contains
    procedure, private :: make_blocks_32, make_blocks_64, make_slab_32, make_slab_64, &
      make_pencil_32, make_pencil_64, make_from_boxes_32, make_from_boxes_64
    generic :: blocks => make_blocks_32, make_blocks_64
    generic :: slab => make_slab_32, make_slab_64
    generic :: pencil => make_pencil_32, make_pencil_64
    generic :: from_boxes => make_from_boxes_32, make_from_boxes_64
    procedure :: dimensions => decomposition_dimensions  !! axes; 0 before it is made
    procedure :: extents => decomposition_extents        !! of the whole grid
    procedure :: process_grid => decomposition_grid      !! empty for from_boxes
    procedure :: lower => decomposition_lower            !! first own index per axis; of `rank`
    procedure :: upper => decomposition_upper            !! last one; 0 if the rank owns nothing
    procedure :: team => decomposition_team              !! whose ranks it works for; local
    procedure :: describe => decomposition_describe
    procedure :: free => decomposition_free  !! local; plans and arrays made with it keep working
  end type nearfar_decomposition

contains

  include 'generated/decompositions_32.inc'

  !> process_grid(d) parts along axis d, ranks numbered along axis 1 first.
  subroutine make_blocks_64(self, team, extents, process_grid, stat, errmsg)
    class(nearfar_decomposition), intent(inout) :: self
    type(nearfar_team), intent(in) :: team
    integer(int64), intent(in) :: extents(:)
    integer, intent(in) :: process_grid(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status

    self%members = team
    status = agree_sizes(team, size(extents), 'process_grid', size(process_grid), size(extents))
    if (status == 0) status = nearfar_decomposition_blocks(live(team), &
      int(size(extents), c_int), extents(size(extents):1:-1), &
      int(process_grid(size(extents):1:-1), c_int), self%handle)
    call hold(self, status)
    call settle(status, 'decomposition%blocks', stat, errmsg)
  end subroutine make_blocks_64

  !> One axis cut over all ranks.
  subroutine make_slab_64(self, team, extents, cut_axis, stat, errmsg)
    class(nearfar_decomposition), intent(inout) :: self
    type(nearfar_team), intent(in) :: team
    integer(int64), intent(in) :: extents(:)
    integer, intent(in) :: cut_axis
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status

    self%members = team
    status = agree_axis(team, size(extents), 'cut_axis', cut_axis)
    if (status == 0) status = nearfar_decomposition_slab(live(team), int(size(extents), c_int), &
      extents(size(extents):1:-1), int(size(extents) - cut_axis, c_int), self%handle)
    call hold(self, status)
    call settle(status, 'decomposition%slab', stat, errmsg)
  end subroutine make_slab_64

  !> One axis whole. The others, in their order, are cut as process_grid says; absent: as square as
  !> the ranks allow.
  subroutine make_pencil_64(self, team, extents, whole_axis, process_grid, stat, errmsg)
    class(nearfar_decomposition), intent(inout) :: self
    type(nearfar_team), intent(in) :: team
    integer(int64), intent(in) :: extents(:)
    integer, intent(in) :: whole_axis
    integer, intent(in), optional :: process_grid(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int), allocatable :: parts(:)
    integer(c_int) :: status
    integer :: n

    self%members = team
    n = size(extents)
    status = agree_axis(team, n, 'whole_axis', whole_axis)
    if (present(process_grid) .and. status == 0) then
      status = agree_sizes(team, n, 'process_grid', size(process_grid), n - 1)
      if (status == 0) parts = int(process_grid(n - 1:1:-1), c_int)
    end if
    if (status == 0) status = nearfar_decomposition_pencil(live(team), int(n, c_int), &
      extents(n:1:-1), int(n - whole_axis, c_int), parts, self%handle)
    call hold(self, status)
    call settle(status, 'decomposition%pencil', stat, errmsg)
  end subroutine make_pencil_64

  !> The box lower(:):upper(:) on this rank, which may be empty; together each element must have
  !> exactly one owner.
  subroutine make_from_boxes_64(self, team, extents, lower, upper, stat, errmsg)
    class(nearfar_decomposition), intent(inout) :: self
    type(nearfar_team), intent(in) :: team
    integer(int64), intent(in) :: extents(:), lower(:), upper(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_box) :: own
    integer(c_int) :: status
    integer :: n

    self%members = team
    n = size(extents)
    status = agree_sizes(team, n, 'lower', size(lower), n)
    if (status == 0) status = agree_sizes(team, n, 'upper', size(upper), n)
    if (status == 0) then
      own%lower = 0
      own%upper = 0
      own%lower(:n) = lower(n:1:-1) - 1
      own%upper(:n) = upper(n:1:-1)
      status = nearfar_decomposition_from_boxes(live(team), int(n, c_int), extents(n:1:-1), own, &
        self%handle)
    end if
    call hold(self, status)
    call settle(status, 'decomposition%from_boxes', stat, errmsg)
  end subroutine make_from_boxes_64

  ! The same verdict on all ranks: a list has `wanted` entries, a grid has 1 to 4 axes.
  integer(c_int) function agree_sizes(team, dimensions, name, found, wanted) result(status)
    type(nearfar_team), intent(in) :: team
    integer, intent(in) :: dimensions, found, wanted
    character(*), intent(in) :: name
    character(:), allocatable :: complaint

    complaint = ''
    if (found /= wanted) complaint = name // ' has ' // text_of_number(found) // &
      ' elements; it has ' // text_of_number(wanted) // ' where extents has ' // &
      text_of_number(dimensions)
    if (dimensions < 1 .or. dimensions > nearfar_max_dimensions) complaint = &
      'a decomposition has 1 to 4 axes, not ' // text_of_number(dimensions)
    status = nearfar_agree(live(team), c_text(complaint))
  end function agree_sizes

  integer(c_int) function agree_axis(team, dimensions, name, axis) result(status)
    type(nearfar_team), intent(in) :: team
    integer, intent(in) :: dimensions, axis
    character(*), intent(in) :: name
    character(:), allocatable :: complaint

    complaint = ''
    if (axis < 1 .or. axis > dimensions) complaint = name // ' is ' // text_of_number(axis) // &
      '; axes are 1 to ' // text_of_number(dimensions)
    status = nearfar_agree(live(team), c_text(complaint))
  end function agree_axis

  pure integer function decomposition_dimensions(self)
    class(nearfar_decomposition), intent(in) :: self
    decomposition_dimensions = max(0, int(nearfar_decomposition_dimensions(live(self))))
  end function decomposition_dimensions

  function decomposition_extents(self) result(extents)
    class(nearfar_decomposition), intent(in) :: self
    integer(int64), allocatable :: extents(:)
    integer(c_int64_t), pointer :: found(:)
    type(c_ptr) :: numbers

    allocate (extents(0))
    numbers = nearfar_decomposition_extents(live(self))
    if (.not. c_associated(numbers)) return
    call c_f_pointer(numbers, found, [self%dimensions()])
    extents = found(size(found):1:-1)
  end function decomposition_extents

  function decomposition_grid(self) result(grid)
    class(nearfar_decomposition), intent(in) :: self
    integer, allocatable :: grid(:)
    integer(c_int), pointer :: found(:)
    type(c_ptr) :: numbers

    allocate (grid(0))
    numbers = nearfar_decomposition_process_grid(live(self))
    if (.not. c_associated(numbers)) return
    call c_f_pointer(numbers, found, [self%dimensions()])
    grid = int(found(size(found):1:-1))
  end function decomposition_grid

  type(c_box) function box_of(self, rank) result(box)
    class(nearfar_decomposition), intent(in) :: self
    integer, intent(in), optional :: rank
    integer :: whose

    whose = self%members%rank()
    if (present(rank)) whose = rank
    box = c_box(0, 0)
    call settle(nearfar_decomposition_box(live(self), int(whose, c_int), box), 'decomposition%box')
  end function box_of

  function decomposition_lower(self, rank) result(lower)
    class(nearfar_decomposition), intent(in) :: self
    integer, intent(in), optional :: rank
    integer(int64), allocatable :: lower(:)
    type(c_box) :: box

    box = box_of(self, rank)
    lower = box%lower(self%dimensions():1:-1) + 1
  end function decomposition_lower

  function decomposition_upper(self, rank) result(upper)
    class(nearfar_decomposition), intent(in) :: self
    integer, intent(in), optional :: rank
    integer(int64), allocatable :: upper(:)
    type(c_box) :: box

    box = box_of(self, rank)
    upper = box%upper(self%dimensions():1:-1)
  end function decomposition_upper

  include 'generated/decomposition_object.inc'
  include 'generated/decomposition_of_team.inc'

end module nearfar_decompositions
