! SPDX-License-Identifier: BSD-3-Clause
! Grids: a box of cells cut into one tile per rank, and the fields on it. Dimensions are listed
! fastest first.
module nearfar_grids
  use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer, c_int, c_int64_t, c_loc, &
    c_null_ptr, c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use nearfar_c, only: c_box, c_field_options, c_grid_options, nearfar_agree, nearfar_field_core, &
    nearfar_field_create, nearfar_field_data, nearfar_field_edge, nearfar_field_extents, &
    nearfar_field_free, nearfar_field_lower, nearfar_fortran_find, nearfar_grid_create, &
    nearfar_grid_describe, nearfar_grid_dimensions, nearfar_grid_extents, nearfar_grid_free, &
    nearfar_grid_from_tiles, nearfar_grid_lower, nearfar_grid_team, nearfar_grid_upper
  use nearfar_constants, only: nearfar_max_boxes, nearfar_max_dimensions
  use nearfar_faults, only: c_text, description_of, read_ghosts, settle, &
    text_of_number
  use nearfar_objects, only: borrow, freeable, hold, live, nearfar_object, release
  use nearfar_plan_options, only: choice
  use nearfar_teams, only: nearfar_team
  use nearfar_words, only: placement_words
  implicit none (type, external)
  private
  public :: nearfar_grid, nearfar_box

  !> Cells lower(d):upper(d), global indices from 1; dimensions that a grid lacks are 1:1.
  type :: nearfar_box
    integer(int64) :: lower(nearfar_max_dimensions) = 1, upper(nearfar_max_dimensions) = 1
  end type nearfar_box

  !> Copies of an object of this type mean the same grid.
  type, extends(nearfar_object) :: nearfar_grid
  contains
    procedure, private :: create_grid_32, create_grid_64
    generic :: create => create_grid_32, create_grid_64
    procedure :: create_from_tiles
    procedure :: dimensions => grid_dimensions  !! 1 to 4; -1 before create
    procedure :: extents => grid_extents  !! global extents
    procedure :: lower => grid_lower      !! global index of this rank's first own cell
    procedure :: upper => grid_upper      !! and of its last one
    procedure :: team => grid_team              !! whose ranks it works for; local
    procedure :: describe => grid_describe
    procedure :: free => grid_free        !! and its fields: pointers to them are dangling then
    procedure :: core => grid_core        !! own cells of a field that need no ghost
    procedure :: edge => grid_edge        !! the other own cells
    include 'generated/field_bindings.inc'
  end type nearfar_grid

contains

  include 'generated/grids_32.inc'

  !> Cuts `extents` cells (1 to 4 dimensions) into tiles. Collective over the team.
  !> process_grid: ranks per dimension; 0: the library chooses, 1: not cut. tile_extents(:,d): sizes
  !> of the tiles along dimension d, for uneven cuts (end with 0 where dimensions differ).
  !> placement: 'rank_order' or 'node_tiles'.
  subroutine create_grid_64(self, team, extents, periodic, process_grid, tile_extents, &
    placement, allow_idle, stat, errmsg)
    class(nearfar_grid), intent(out) :: self
    type(nearfar_team), intent(in) :: team
    integer(int64), intent(in) :: extents(:)
    logical, intent(in), optional :: periodic(:)
    integer, intent(in), optional :: process_grid(:), tile_extents(:,:)
    character(*), intent(in), optional :: placement
    logical, intent(in), optional :: allow_idle
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_grid_options) :: options
    integer(c_int), target :: flags(size(extents)), ranks(size(extents)), counts(size(extents))
    integer(c_int64_t), allocatable, target :: sizes(:,:)
    type(c_ptr), target :: tiles(size(extents))
    character(:), allocatable :: complaint
    integer(c_int) :: status

    options = c_grid_options()
    complaint = complaint_about(size(extents), periodic, process_grid, tile_extents)
    options%placement = choice(placement_words, 'placement', placement, complaint)
    status = nearfar_agree(live(team), c_text(complaint))
    if (status == 0) then
      if (present(periodic)) then
        flags = merge(1_c_int, 0_c_int, reversed(periodic))
        options%periodic = c_loc(flags)
      end if
      if (present(process_grid)) then
        ranks = int(process_grid(size(extents):1:-1), c_int)
        options%process_grid = c_loc(ranks)
      end if
      if (present(tile_extents)) then
        call read_tiles(tile_extents, sizes, counts, tiles)
        options%tile_extents = c_loc(tiles)
        options%tile_counts = c_loc(counts)
      end if
      if (present(allow_idle)) options%allow_idle = merge(1_c_int, 0_c_int, allow_idle)
      status = nearfar_grid_create(live(team), int(size(extents), c_int), &
        int(extents(size(extents):1:-1), c_int64_t), options, self%handle)
      call hold(self, status)
    end if
    call settle(status, 'grid%create', stat, errmsg)
  end subroutine create_grid_64

  pure function reversed(flags) result(backwards)
    logical, intent(in) :: flags(:)
    logical :: backwards(size(flags))
    backwards = flags(size(flags):1:-1)
  end function reversed

  ! '' if the arguments agree in their shapes.
  function complaint_about(dimensions, periodic, process_grid, tile_extents) result(complaint)
    integer, intent(in) :: dimensions
    logical, intent(in), optional :: periodic(:)
    integer, intent(in), optional :: process_grid(:), tile_extents(:,:)
    character(:), allocatable :: complaint

    complaint = ''
    if (present(periodic)) call compare('periodic', size(periodic))
    if (present(process_grid)) call compare('process_grid', size(process_grid))
    if (present(tile_extents)) call compare('tile_extents, in its second dimension,', &
      size(tile_extents, 2))
  contains
    subroutine compare(name, found)
      character(*), intent(in) :: name
      integer, intent(in) :: found
      if (found /= dimensions) complaint = name // ' has ' // text_of_number(found) // &
        ' elements, extents has ' // text_of_number(dimensions)
    end subroutine compare
  end function complaint_about

  ! Tile sizes in C's order of dimensions; each list ends before its first number that is not
  ! positive.
  subroutine read_tiles(tile_extents, sizes, counts, tiles)
    integer, intent(in) :: tile_extents(:,:)
    integer(c_int64_t), allocatable, target, intent(out) :: sizes(:,:)
    integer(c_int), intent(out) :: counts(:)
    type(c_ptr), intent(out) :: tiles(:)
    integer :: d, last

    allocate (sizes(max(1, size(tile_extents, 1)), size(tile_extents, 2)))
    sizes = 0
    last = size(tile_extents, 2)
    do d = 1, last
      sizes(:size(tile_extents, 1), d) = tile_extents(:, last + 1 - d)
      counts(d) = int(findloc([tile_extents(:, last + 1 - d) <= 0, .true.], .true., 1) - 1, c_int)
      tiles(d) = c_null_ptr
      if (counts(d) > 0) tiles(d) = c_loc(sizes(1, d))
    end do
  end subroutine read_tiles

  !> A grid whose tiles lower(:):upper(:) are given by their ranks; they must cover it without
  !> overlap. Collective.
  subroutine create_from_tiles(self, team, extents, lower, upper, periodic, stat, errmsg)
    class(nearfar_grid), intent(out) :: self
    type(nearfar_team), intent(in) :: team
    integer(int64), intent(in) :: extents(:), lower(:), upper(:)
    logical, intent(in), optional :: periodic(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: complaint
    integer(c_int) :: status, flags(size(extents))
    integer :: n

    n = size(extents)
    complaint = complaint_about(n, periodic)
    if (size(lower) /= n .or. size(upper) /= n) complaint = 'lower has ' // &
      text_of_number(size(lower)) // ' elements, upper ' // text_of_number(size(upper)) // &
      ', extents ' // text_of_number(n)
    status = nearfar_agree(live(team), c_text(complaint))
    flags = 0
    if (present(periodic) .and. status == 0) flags = merge(1_c_int, 0_c_int, reversed(periodic))
    if (status == 0) status = nearfar_grid_from_tiles(live(team), int(n, c_int), extents(n:1:-1), &
      lower(n:1:-1) - 1, upper(n:1:-1), flags, self%handle)
    call hold(self, status)
    call settle(status, 'grid%create_from_tiles', stat, errmsg)
  end subroutine create_from_tiles

  integer function grid_dimensions(self)
    class(nearfar_grid), intent(in) :: self
    grid_dimensions = max(0, int(nearfar_grid_dimensions(live(self))))
  end function grid_dimensions

  ! The numbers that the C interface keeps at `numbers`, fastest dimension first; none if there is
  ! no grid.
  function listed(self, numbers) result(list)
    class(nearfar_grid), intent(in) :: self
    type(c_ptr), intent(in) :: numbers
    integer(int64), allocatable :: list(:)
    integer(c_int64_t), pointer :: found(:)

    allocate (list(0))
    if (.not. c_associated(numbers)) return
    call c_f_pointer(numbers, found, [self%dimensions()])
    list = found(size(found):1:-1)
  end function listed

  function grid_extents(self) result(extents)
    class(nearfar_grid), intent(in) :: self
    integer(int64), allocatable :: extents(:)
    extents = listed(self, nearfar_grid_extents(live(self)))
  end function grid_extents

  function grid_lower(self) result(lower)
    class(nearfar_grid), intent(in) :: self
    integer(int64), allocatable :: lower(:)
    lower = listed(self, nearfar_grid_lower(live(self))) + 1
  end function grid_lower

  function grid_upper(self) result(upper)
    class(nearfar_grid), intent(in) :: self
    integer(int64), allocatable :: upper(:)
    upper = listed(self, nearfar_grid_upper(live(self)))
  end function grid_upper

  function grid_core(self, field) result(boxes)
    class(nearfar_grid), intent(in) :: self
    type(*), dimension(..), intent(in), target :: field
    type(nearfar_box), allocatable :: boxes(:)
    boxes = boxes_with(self, field, nearfar_field_core, 'grid%core')
  end function grid_core

  function grid_edge(self, field) result(boxes)
    class(nearfar_grid), intent(in) :: self
    type(*), dimension(..), intent(in), target :: field
    type(nearfar_box), allocatable :: boxes(:)
    boxes = boxes_with(self, field, nearfar_field_edge, 'grid%edge')
  end function grid_edge

  function boxes_with(self, field, found_by, call) result(boxes)
    class(nearfar_grid), intent(in) :: self
    type(*), dimension(..), intent(in), target :: field
    procedure(nearfar_field_core) :: found_by
    character(*), intent(in) :: call
    type(nearfar_box), allocatable :: boxes(:)
    type(c_box) :: found(nearfar_max_boxes)
    type(c_ptr) :: handle
    integer(c_int) :: count

    handle = c_null_ptr
    call settle(nearfar_fortran_find(nearfar_grid_team(live(self)), field, handle), call)
    call settle(found_by(handle, found, count), call)
    boxes = boxes_of(self%dimensions(), found(:count))
  end function boxes_with

  pure function boxes_of(dimensions, found) result(boxes)
    integer, intent(in) :: dimensions
    type(c_box), intent(in) :: found(:)
    type(nearfar_box) :: boxes(size(found))
    integer :: i

    do i = 1, size(found)
      boxes(i)%lower(:dimensions) = found(i)%lower(dimensions:1:-1) + 1
      boxes(i)%upper(:dimensions) = found(i)%upper(dimensions:1:-1)
    end do
  end function boxes_of

  ! Allocates a field. `first` and `extents` describe the array that begins at `address` (null after
  ! an error).
  subroutine make_field(self, element_bytes, first, extents, address, ghosts, stat, errmsg)
    class(nearfar_grid), intent(in) :: self
    integer, intent(in) :: element_bytes
    integer(int64), intent(out) :: first(:), extents(:)
    type(c_ptr), intent(out) :: address
    integer, intent(in), optional :: ghosts(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int), target :: widths(2, nearfar_max_dimensions)
    character(:), allocatable :: complaint
    integer(c_int) :: status
    type(c_ptr) :: field

    address = c_null_ptr
    call read_ghosts(size(first), widths, complaint, ghosts)
    if (size(first) /= self%dimensions()) complaint = 'the pointer has rank ' // &
      text_of_number(size(first)) // ', the grid ' // text_of_number(self%dimensions()) // &
      ' dimensions'
    status = nearfar_agree(nearfar_grid_team(live(self)), c_text(complaint))
    if (status == 0) status = nearfar_field_create(live(self), 0_c_int, &
      c_field_options(ghosts=c_loc(widths), element_bytes=int(element_bytes, c_size_t)), field)
    if (status == 0) then
      first = listed(self, nearfar_field_lower(field)) + 1
      extents = listed(self, nearfar_field_extents(field))
      address = nearfar_field_data(field)
      ! An array without elements still needs an address by which halo%add can find it.
      if (any(extents <= 0) .or. .not. c_associated(address)) address = field
    end if
    call settle(status, 'grid%new_field', stat, errmsg)
  end subroutine make_field

  integer(c_int) function dropped(self, array) result(status)
    class(nearfar_grid), intent(in) :: self
    type(*), dimension(..), intent(in), target :: array
    type(c_ptr) :: field

    field = c_null_ptr
    status = nearfar_fortran_find(nearfar_grid_team(live(self)), array, field)
    if (status == 0) status = nearfar_field_free(field)
  end function dropped

  include 'generated/grid_object.inc'
  include 'generated/grid_of_team.inc'
  include 'generated/field_specifics.inc'

end module nearfar_grids
