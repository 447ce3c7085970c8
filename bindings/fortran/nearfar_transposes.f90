! SPDX-License-Identifier: BSD-3-Clause
! Transpositions: a global grid moves from one distribution over the ranks, and order in memory, to
! another. Axes are listed fastest first and numbered from 1, indices start at 1.
!
! Arrays are contiguous and of any type but character. On a side of n axes an array has rank n, its
! dimensions in the order of the side's memory, padding included; or rank 1 and at least as many
! elements. Several fields of one plan are one array with one dimension more, the last.
module nearfar_transposes
  use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer, c_int, c_int64_t, c_loc, &
    c_null_ptr, c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use nearfar_c, only: nearfar_transpose_plan_team, &
    c_array_shape, c_expected_array, c_transpose_options, c_transpose_side, &
    nearfar_agree, nearfar_fortran_find_array, nearfar_fortran_transpose_create, &
    nearfar_fortran_transpose_start, nearfar_refuse, nearfar_transpose_array_create, &
    nearfar_transpose_array_data, nearfar_transpose_array_free, nearfar_transpose_plan_describe, &
    nearfar_transpose_plan_describe_json, &
    nearfar_transpose_plan_finish, nearfar_transpose_plan_free, nearfar_transpose_plan_method, &
    nearfar_transpose_plan_test, nearfar_transpose_plan_tuned_seconds, nearfar_transpose_shape
  use nearfar_constants, only: nearfar_max_dimensions
  use nearfar_decompositions, only: nearfar_decomposition
  use nearfar_faults, only: c_text, description_of, read_ghosts, settle, text_of, &
    text_of_number
  use nearfar_objects, only: borrow, freeable, hold, live, nearfar_object, release
  use nearfar_plan_options, only: any_copy, copy_complaint, kept_texts, switch_of, tell
  use nearfar_teams, only: nearfar_team
  implicit none (type, external)
  private
  public :: nearfar_transpose_plan, nearfar_transpose_side
  public :: c_side_of, c_side_read, expected, rank_complaint, shape_array  ! for transforms

  !> Who owns what, and how a rank's part lies in its array.
  type :: nearfar_transpose_side
    type(nearfar_decomposition) :: parts
    integer, private :: order(nearfar_max_dimensions) = [1, 2, 3, 4]  ! axes from fastest to slowest
    integer(c_int), private :: padding(2, nearfar_max_dimensions) = 0      ! as in C
  contains
    procedure :: create => side_create
    procedure :: lower => side_lower        !! lower bounds of an array of this side
    procedure :: upper => side_upper        !! its upper bounds
    procedure :: elements => side_elements  !! of one field on this rank, padding included
    include 'generated/transpose_array_bindings.inc'
  end type nearfar_transpose_side

  !> Copies of an object of this type mean the same plan. Between start and finish arrays must not
  !> be touched, and must be targets (or pointers).
  type, extends(nearfar_object) :: nearfar_transpose_plan
    type(c_expected_array), private :: from, to
    integer(c_size_t), private :: element_bytes = 0
  contains
    procedure :: create => plan_create
    include 'generated/transpose_plan_bindings.inc'
  end type nearfar_transpose_plan

contains

  ! ---- sides ----

  !> memory_order: the axes from fastest to slowest; absent: 1, 2, 3 …, axis 1 contiguous. padding:
  !> elements below and above the own part that are in the array and never touched: one number, one
  !> per axis, or (2, axes). Local.
  subroutine side_create(self, parts, memory_order, padding, stat, errmsg)
    class(nearfar_transpose_side), intent(out) :: self
    type(nearfar_decomposition), intent(in) :: parts
    integer, intent(in), optional :: memory_order(:)
    integer, intent(in), optional :: padding(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: complaint
    type(c_array_shape) :: shape
    integer(c_int) :: status

    self%parts = parts
    call read_ghosts(max(1, parts%dimensions()), self%padding, complaint, padding)
    if (present(memory_order)) then
      if (size(memory_order) /= parts%dimensions()) then
        complaint = 'memory_order has ' // text_of_number(size(memory_order)) // &
          ' axes, the decomposition ' // text_of_number(parts%dimensions())
      else
        self%order(:size(memory_order)) = memory_order
        complaint = order_complaint(memory_order, complaint)
      end if
    end if
    if (complaint == '') then
      status = shape_of(self, shape)
    else
      status = nearfar_refuse(c_text(complaint))
    end if
    call settle(status, 'transpose_side%create', stat, errmsg)
  end subroutine side_create

  pure function order_complaint(order, otherwise) result(complaint)
    integer, intent(in) :: order(:)
    character(*), intent(in) :: otherwise
    character(:), allocatable :: complaint
    integer :: d

    complaint = otherwise
    do d = 1, size(order)
      if (count(order == d) == 1) cycle
      complaint = 'memory_order names axis ' // text_of_number(d) // ' ' // &
        text_of_number(count(order == d)) // ' times; each axis has one place'
      return
    end do
  end function order_complaint

  ! Runs a function of the C interface with the side as it takes it: `order` keeps its list.
  function c_side_of(self, order, field_stride) result(side)
    class(nearfar_transpose_side), intent(in), target :: self
    integer(c_int), intent(out), target :: order(nearfar_max_dimensions)
    integer(int64), intent(in) :: field_stride
    type(c_transpose_side) :: side
    integer :: n

    n = self%parts%dimensions()
    order = 0
    order(:n) = int(n - self%order(n:1:-1), c_int)
    side = c_transpose_side(live(self%parts), c_loc(order), c_loc(self%padding), field_stride)
  end function c_side_of

  ! A side of Fortran's from one of the C interface.
  subroutine c_side_read(from, parts, side)
    type(c_transpose_side), intent(in) :: from
    type(nearfar_decomposition), intent(in) :: parts
    type(nearfar_transpose_side), intent(out) :: side
    integer(c_int), pointer :: order(:), padding(:,:)
    integer :: n

    n = parts%dimensions()
    side%parts = parts
    call c_f_pointer(from%memory_order, order, [n])
    call c_f_pointer(from%padding, padding, [2, n])
    side%order(:n) = int(n - order(n:1:-1))
    side%padding(:, :n) = padding
  end subroutine c_side_read

  integer(c_int) function shape_of(self, shape) result(status)
    class(nearfar_transpose_side), intent(in), target :: self
    type(c_array_shape), intent(out) :: shape
    integer(c_int), target :: order(nearfar_max_dimensions)

    shape%elements = 0
    shape%held%lower = 0
    shape%held%upper = 0
    status = nearfar_transpose_shape(c_side_of(self, order, 0_int64), shape)
  end function shape_of

  ! The bounds of an array, in the order of its dimensions.
  subroutine bounds_of(self, lower, upper, elements)
    class(nearfar_transpose_side), intent(in) :: self
    integer(int64), allocatable, intent(out) :: lower(:), upper(:)
    integer(int64), intent(out) :: elements
    type(c_array_shape) :: shape
    integer :: n, d

    n = self%parts%dimensions()
    allocate (lower(n), source=1_int64)
    allocate (upper(n), source=0_int64)
    elements = 0
    if (shape_of(self, shape) /= 0) return
    elements = shape%elements
    do d = 1, n
      lower(d) = shape%held%lower(n + 1 - self%order(d)) + 1
      upper(d) = shape%held%upper(n + 1 - self%order(d))
    end do
    if (elements == 0) upper = lower - 1
  end subroutine bounds_of

  function side_lower(self) result(lower)
    class(nearfar_transpose_side), intent(in) :: self
    integer(int64), allocatable :: lower(:), upper(:)
    integer(int64) :: elements
    call bounds_of(self, lower, upper, elements)
  end function side_lower

  function side_upper(self) result(upper)
    class(nearfar_transpose_side), intent(in) :: self
    integer(int64), allocatable :: lower(:), upper(:)
    integer(int64) :: elements
    call bounds_of(self, lower, upper, elements)
  end function side_upper

  integer(int64) function side_elements(self) result(elements)
    class(nearfar_transpose_side), intent(in) :: self
    integer(int64), allocatable :: lower(:), upper(:)
    call bounds_of(self, lower, upper, elements)
  end function side_elements

  ! ---- near memory ----

  ! Zeroed memory at `address` (null after an error) for an array of rank size(first).
  subroutine make_array(self, element_bytes, first, extents, address, fields, also, stat, errmsg)
    class(nearfar_transpose_side), intent(in), target :: self
    integer, intent(in) :: element_bytes
    integer(int64), intent(out) :: first(:), extents(:)
    type(c_ptr), intent(out) :: address
    integer, intent(in), optional :: fields
    type(nearfar_transpose_side), intent(in), optional, target :: also
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_transpose_side) :: sides(2)
    integer(c_int), target :: orders(nearfar_max_dimensions, 2)
    integer(int64) :: elements, total
    integer(c_int) :: status
    type(c_ptr) :: array
    integer :: count, sharing

    address = c_null_ptr
    count = 1
    if (present(fields)) count = fields
    status = nearfar_agree(live(self%parts%members), &
      c_text(rank_complaint(self, size(first), count)))
    if (status == 0) then
      elements = self%elements()
      sides(1) = c_side_of(self, orders(:, 1), merge(max(elements, 1_int64), 0_int64, count > 1))
      sharing = 1
      total = elements * count
      if (present(also)) then
        sharing = 2
        sides(2) = c_side_of(also, orders(:, 2), merge(max(also%elements(), 1_int64), 0_int64, &
          count > 1))
        total = max(total, also%elements() * count)
      end if
      status = nearfar_transpose_array_create(int(sharing, c_int), sides, int(count, c_int64_t), &
        int(element_bytes, c_size_t), array)
    end if
    if (status == 0) then
      call shape_array(self, total, count, first, extents)
      address = nearfar_transpose_array_data(array, 0_c_int64_t)
      ! An array without elements still needs an address by which free_array can find it.
      if (any(extents <= 0) .or. .not. c_associated(address)) address = array
    end if
    call settle(status, 'transpose_side%new_array', stat, errmsg)
  end subroutine make_array

  pure function rank_complaint(self, rank, fields) result(complaint)
    class(nearfar_transpose_side), intent(in) :: self
    integer, intent(in) :: rank, fields
    character(:), allocatable :: complaint
    integer :: wanted

    complaint = ''
    wanted = self%parts%dimensions() + merge(1, 0, fields > 1)
    if (rank /= wanted .and. rank /= 1) complaint = 'the pointer has rank ' // &
      text_of_number(rank) // '; for ' // text_of_number(fields) // ' field(s) of ' // &
      text_of_number(self%parts%dimensions()) // ' axes it has rank ' // text_of_number(wanted) // &
      ', or 1'
    if (fields < 1) complaint = 'fields is ' // text_of_number(fields) // '; it is 1 or more'
  end function rank_complaint

  subroutine shape_array(self, total, fields, first, extents)
    class(nearfar_transpose_side), intent(in) :: self
    integer(int64), intent(in) :: total
    integer, intent(in) :: fields
    integer(int64), intent(out) :: first(:), extents(:)
    integer(int64), allocatable :: lower(:), upper(:)
    integer(int64) :: elements
    integer :: n

    n = self%parts%dimensions()
    first = 1
    if (size(first) < n + merge(1, 0, fields > 1)) then
      extents = total
      return
    end if
    call bounds_of(self, lower, upper, elements)
    first(:n) = lower
    extents = fields
    extents(:n) = upper - lower + 1
  end subroutine shape_array

  integer(c_int) function dropped(self, array) result(status)
    class(nearfar_transpose_side), intent(in) :: self
    type(*), dimension(..), intent(in), target :: array
    type(c_ptr) :: handle

    handle = c_null_ptr
    status = nearfar_fortran_find_array(live(self%parts%members), array, handle)
    if (status == 0) status = nearfar_transpose_array_free(handle)
  end function dropped

  include 'generated/transpose_array_specifics.inc'

  ! ---- plans ----

  !> A plan that moves `fields` fields together, made and tuned on these very arrays; `out` has its
  !> contents back afterwards. Without `out` it works in place, on `in`, which costs a copy.
  !> method: absent is tuned; without: methods that the tuner leaves out, with commas. budget_s:
  !> seconds for tuning; 0: the library's choice, negative: none. counts_rewriting: tuning counts
  !> the time in which `in` is taken back from the caches of ranks that have read it (default): what
  !> a program pays that writes `in` anew before each operation. Collective.
  subroutine plan_create(self, from, to, in, out, name, method, without, budget_s, fields, &
    counts_rewriting, stat, errmsg)
    class(nearfar_transpose_plan), intent(inout) :: self
    type(nearfar_transpose_side), intent(in), target :: from, to
    type(*), dimension(..), target :: in  ! written where there is no `out`
    type(*), dimension(..), intent(inout), target, optional :: out
    integer, intent(in), optional :: fields
    character(*), intent(in), optional :: name, method, without
    real(real64), intent(in), optional :: budget_s
    logical, intent(in), optional :: counts_rewriting
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int), target :: order_from(nearfar_max_dimensions), order_to(nearfar_max_dimensions)
    type(c_transpose_options), target :: options
    type(kept_texts) :: kept
    integer(c_int) :: status

    call tell(c_loc(options), kept, name, method, without, budget_s)
    options%fields = 1
    if (present(fields)) options%fields = fields
    if (present(counts_rewriting)) options%counts_rewriting = switch_of(counts_rewriting)
    self%from = expected(from, options%fields)
    self%to = expected(to, options%fields)
    status = nearfar_agree(live(from%parts%members), c_text(copies_complaint(in, out)))
    if (status == 0) status = nearfar_fortran_transpose_create( &
      c_side_of(from, order_from, stride_of(self%from)), &
      c_side_of(to, order_to, stride_of(self%to)), &
      self%from, self%to, in, out, options, self%element_bytes, self%handle)
    call hold(self, status)
    call settle(status, 'transpose_plan%create', stat, errmsg)
  end subroutine plan_create

  function copies_complaint(in, out) result(complaint)
    type(*), dimension(..), intent(in), target, optional :: in, out
    character(:), allocatable :: complaint
    complaint = copy_complaint(in, 'in')
    if (complaint == '') complaint = copy_complaint(out, 'out')
  end function copies_complaint

  function expected(side, fields) result(array)
    type(nearfar_transpose_side), intent(in) :: side
    integer(c_int64_t), intent(in) :: fields
    type(c_expected_array) :: array
    integer(int64), allocatable :: lower(:), upper(:)

    call bounds_of(side, lower, upper, array%elements)
    array%dimensions = int(side%parts%dimensions(), c_int)
    array%extents(:size(lower)) = upper - lower + 1
    array%fields = fields
  end function expected

  ! Fields lie one after the other in one array.
  pure integer(int64) function stride_of(array)
    type(c_expected_array), intent(in) :: array
    stride_of = merge(max(array%elements, 1_c_int64_t), 0_c_int64_t, array%fields > 1)
  end function stride_of

  !> Starts to move the elements of the plan's arrays: those it was made with, or last started on;
  !> or of these: near memory if the plan was made on some, else any. `in` alone is written,
  !> in place; else it is only read. Collective.
  subroutine transpose_plan_start(self, in, out, stat, errmsg)
    class(nearfar_transpose_plan), intent(in) :: self
    type(*), dimension(..), target, optional :: in
    type(*), dimension(..), intent(inout), target, optional :: out
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(started(self, in, out), 'transpose_plan%start', stat, errmsg)
  end subroutine transpose_plan_start

  subroutine transpose_plan_run(self, in, out, stat, errmsg)
    class(nearfar_transpose_plan), intent(in) :: self
    type(*), dimension(..), target, optional :: in
    type(*), dimension(..), intent(inout), target, optional :: out
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status

    status = started(self, in, out)
    if (status == 0) status = nearfar_transpose_plan_finish(live(self))
    call settle(status, 'transpose_plan%run', stat, errmsg)
  end subroutine transpose_plan_run

  integer(c_int) function started(self, in, out) result(status)
    class(nearfar_transpose_plan), intent(in) :: self
    type(*), dimension(..), target, optional :: in
    type(*), dimension(..), intent(inout), target, optional :: out

    if (any_copy(in, out)) then
      status = nearfar_refuse(c_text(copies_complaint(in, out)))
    else
      status = nearfar_fortran_transpose_start(live(self), self%from, self%to, &
        self%element_bytes, in, out)
    end if
  end function started

  include 'generated/transpose_plan_object.inc'
  include 'generated/transpose_plan_of_team.inc'
  include 'generated/transpose_plan_verbs.inc'

end module nearfar_transposes
