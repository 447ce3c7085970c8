! SPDX-License-Identifier: BSD-3-Clause
! Irregular gather and scatter: out(k) = x(indices(k)) and x(indices(k)) = x(indices(k)) + in(k) on
! an array that is spread over ranks.
!
! Arrays are contiguous and of any type but character (gfortran passes the lengths of those
! wrongly): rank 1, an element each; or rank 2, components first: x(:, i) is element i. (Of any
! higher rank the last dimension counts elements.) An array called x has own elements, then ghosts:
! plan%owned() + plan%ghosts() of them; gather and scatter also take one of own elements only.
! Ghosts of an x that gather is given are filled; gather_const writes nothing there, so that x may
! be intent(in). op is 'sum' (if absent), 'product', 'min', 'max', 'replace' or, of integers,
! 'bit_and', 'bit_or' or 'bit_xor'.
module nearfar_irregular_plans
  use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer, c_int, c_int32_t, c_loc, &
    c_null_ptr, c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use nearfar_c, only: nearfar_irregular_plan_team, &
    c_irregular_options, nearfar_agree, nearfar_allocate, &
    nearfar_fortran_irregular, nearfar_free, create_from_32 => nearfar_irregular_plan_create_i32, &
    create_from_64 => nearfar_irregular_plan_create, nearfar_irregular_plan_describe, &
    nearfar_irregular_plan_describe_json, &
    nearfar_irregular_plan_finish, nearfar_irregular_plan_free, &
    nearfar_irregular_plan_ghost_indices, nearfar_irregular_plan_ghosts, &
    nearfar_irregular_plan_local_indices, nearfar_irregular_plan_method, &
    nearfar_irregular_plan_owned, nearfar_irregular_plan_references, nearfar_irregular_plan_test, &
    nearfar_irregular_plan_tuned_seconds, nearfar_refuse, &
    update_from_32 => nearfar_irregular_plan_update_i32, &
    update_from_64 => nearfar_irregular_plan_update
  use nearfar_constants, only: nearfar_irregular_gather, nearfar_reduce_sum
  use nearfar_distributions, only: nearfar_distribution
  use nearfar_faults, only: c_text, description_of, settle, text_of
  use nearfar_objects, only: borrow, freeable, hold, live, nearfar_object, release
  use nearfar_plan_options, only: any_copy, copy_complaint, kept_texts, tell
  use nearfar_teams, only: nearfar_team
  use nearfar_words, only: irregular_kind_words, reduce_op_words, scatter_order_words
  implicit none (type, external)
  private
  public :: nearfar_irregular_plan

  !> Copies of an object of this type mean the same plan. All operations are collective over the
  !> team. Between start_… and finish arrays must not be touched, and must be targets (or pointers).
  type, extends(nearfar_object) :: nearfar_irregular_plan
    type(nearfar_team), private :: members
    type(nearfar_distribution), private :: where
  contains
    include 'generated/irregular_indices_bindings.inc'
    include 'generated/irregular_plan_bindings.inc'
    procedure :: gather => run_gather  !! out(k) = x(indices(k))
    procedure :: gather_const => run_gather_const  !! the same, where x is only read
    procedure :: scatter => run_scatter  !! x(indices(k)) = x(indices(k)) op in(k)
    procedure :: assemble => run_assemble  !! all values of an element combined
    procedure :: gather_ghosts => run_gather_ghosts  !! ghosts = the owners' elements
    procedure :: scatter_ghosts => run_scatter_ghosts  !! own elements op others' ghosts
    procedure :: assemble_ghosts => run_assemble_ghosts  !! scatter_ghosts, then gather_ghosts
    procedure :: start_gather           !! as gather, to be finished with finish
    procedure :: start_gather_const     !! as gather_const, to be finished with finish
    procedure :: start_scatter          !! as scatter, to be finished with finish
    procedure :: start_assemble         !! as assemble, to be finished with finish
    procedure :: start_gather_ghosts    !! as gather_ghosts, to be finished with finish
    procedure :: start_scatter_ghosts   !! as scatter_ghosts, to be finished with finish
    procedure :: start_assemble_ghosts  !! as assemble_ghosts, to be finished with finish
    procedure :: owned => plan_owned                      !! own elements of an x; local
    procedure :: ghosts => plan_ghosts                    !! remote elements that are referred to
    procedure :: references => plan_references            !! indices that this rank gave; local
    procedure :: local_indices => plan_local_indices
    procedure :: ghost_indices => plan_ghost_indices
    include 'generated/irregular_array_bindings.inc'
    include 'generated/irregular_components_bindings.inc'
  end type nearfar_irregular_plan

contains

  include 'generated/irregular_indices_specifics.inc'

  ! ---- operations ----

  !> Starts an operation by its name: 'gather' and so on. Arrays that it does not use are not given.
  subroutine irregular_plan_start(self, kind, x, values, op, stat, errmsg)
    class(nearfar_irregular_plan), intent(in) :: self
    character(*), intent(in) :: kind
    type(*), dimension(..), target, optional :: x, values
    character(*), intent(in), optional :: op
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status

    if (any_copy(x, values)) then
      status = nearfar_refuse(c_text(copy_complaint(x, 'x') // copy_complaint(values, 'values')))
    else
      status = called(self, kind, 1_c_int, x, values, op)
    end if
    call settle(status, 'irregular_plan%start', stat, errmsg)
  end subroutine irregular_plan_start

  !> The same, finished when it returns.
  subroutine irregular_plan_run(self, kind, x, values, op, stat, errmsg)
    class(nearfar_irregular_plan), intent(in) :: self
    character(*), intent(in) :: kind
    type(*), dimension(..), target, optional :: x, values
    character(*), intent(in), optional :: op
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(called(self, kind, 0_c_int, x, values, op), 'irregular_plan%run', stat, errmsg)
  end subroutine irregular_plan_run

  integer(c_int) function called(self, kind, is_start, x, values, op) result(status)
    class(nearfar_irregular_plan), intent(in) :: self
    character(*), intent(in) :: kind
    integer(c_int), intent(in) :: is_start
    type(*), dimension(..), target, optional :: x, values
    character(*), intent(in), optional :: op
    integer(c_int) :: number
    integer :: place
    logical :: is_x_const

    number = nearfar_reduce_sum
    if (present(op)) number = int(findloc(reduce_op_words, op, 1) - 1, c_int)  ! -1: C refuses it
    is_x_const = kind == 'gather_const'
    place = findloc(irregular_kind_words, kind, 1) - 1
    if (is_x_const) place = nearfar_irregular_gather
    status = nearfar_fortran_irregular(live(self), int(place, c_int), number, is_start, &
      merge(1_c_int, 0_c_int, is_x_const), x, values)
  end function called

  include 'generated/irregular_operation.inc'
  include 'generated/irregular_plan_object.inc'
  include 'generated/irregular_plan_of_team.inc'
  include 'generated/irregular_plan_verbs.inc'

  ! ---- questions; local ----

  pure integer(int64) function plan_owned(self)
    class(nearfar_irregular_plan), intent(in) :: self
    plan_owned = nearfar_irregular_plan_owned(live(self))
  end function plan_owned

  pure integer(int64) function plan_ghosts(self)
    class(nearfar_irregular_plan), intent(in) :: self
    plan_ghosts = nearfar_irregular_plan_ghosts(live(self))
  end function plan_ghosts

  pure integer(int64) function plan_references(self)
    class(nearfar_irregular_plan), intent(in) :: self
    plan_references = nearfar_irregular_plan_references(live(self))
  end function plan_references

  !> out(k) = x(local(k)) after gather_ghosts, where x has the lower bound `base` (1).
  function plan_local_indices(self, base) result(local)
    class(nearfar_irregular_plan), intent(in) :: self
    integer, intent(in), optional :: base
    integer(c_int32_t), allocatable :: local(:)
    integer(c_int32_t), pointer :: inside(:)
    type(c_ptr) :: address

    allocate (local(max(0_int64, self%references())))
    address = nearfar_irregular_plan_local_indices(live(self))
    if (size(local) == 0 .or. .not. c_associated(address)) return
    call c_f_pointer(address, inside, [size(local)])
    local = inside + int(base_of(base), c_int32_t)
  end function plan_local_indices

  !> Global indices of the ghosts, in their order; the first element has the index `base` (1).
  function plan_ghost_indices(self, base) result(indices)
    class(nearfar_irregular_plan), intent(in) :: self
    integer, intent(in), optional :: base
    integer(int64), allocatable :: indices(:)

    allocate (indices(max(0_int64, self%ghosts())))
    call settle(nearfar_irregular_plan_ghost_indices(live(self), indices), &
      'irregular_plan%ghost_indices')
    indices = indices + base_of(base)
  end function plan_ghost_indices

  ! ---- names ----

  pure integer(c_int) function order_of(name)
    character(*), intent(in) :: name
    order_of = int(findloc(scatter_order_words, name, 1) - 1, c_int)  ! -1: C refuses it
  end function order_of

  pure integer(int64) function base_of(base)
    integer, intent(in), optional :: base
    base_of = 1
    if (present(base)) base_of = base
  end function base_of

  ! ---- near memory ----

  ! Zeroed room for own elements and ghosts, of `components` values each.
  subroutine make_array(self, value_bytes, components, total, address, stat, errmsg)
    class(nearfar_irregular_plan), intent(in) :: self
    integer, intent(in) :: value_bytes, components
    integer(int64), intent(out) :: total
    type(c_ptr), intent(out) :: address
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    address = c_null_ptr
    total = self%owned() + self%ghosts()
    call settle(nearfar_allocate(live(self%members), total * components * value_bytes, address), &
      'irregular_plan%new_array', stat, errmsg)
  end subroutine make_array

  include 'generated/irregular_array_specifics.inc'
  include 'generated/irregular_components_specifics.inc'

end module nearfar_irregular_plans
