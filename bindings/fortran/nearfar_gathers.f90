! SPDX-License-Identifier: BSD-3-Clause
! Irregular gather and scatter: out(k) = x(indices(k)) and x(indices(k)) = x(indices(k)) + in(k) on
! an array that is spread over ranks.
!
! Arrays are contiguous and of any type but character (gfortran passes the lengths of those
! wrongly): rank 1, an element each; or rank 2, components first: x(:, i) is element i. (Of any
! higher rank the last dimension counts elements.) An array called x has own elements, then ghosts:
! plan%owned() + plan%ghosts() of them; gather and scatter also take one of own elements only. op is
! 'sum' (if absent), 'product', 'min', 'max' or 'replace'.
module nearfar_gathers
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_int, &
    c_int32_t, c_int64_t, c_loc, c_null_ptr, c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use nearfar_distributions, only: nearfar_distribution
  use nearfar_distributions_c
  use nearfar_faults, only: c_text, settle, text_of
  use nearfar_teams, only: nearfar_team
  implicit none (type, external)
  private
  public :: nearfar_gather_plan

  integer(c_int), parameter :: gather_ghosts = 0, scatter_ghosts = 1, assemble_ghosts = 2, &
    gather = 3, scatter = 4, assemble = 5
  character(7), parameter :: operations(0:4) = [character(7) :: 'sum', 'min', 'max', 'product', &
    'replace']

  !> Copies of an object of this type mean the same plan. All operations are collective over the
  !> team. Between start_… and finish arrays must not be touched, and must be targets (or pointers).
  type :: nearfar_gather_plan
    type(c_ptr) :: handle = c_null_ptr  !! the nearfar_index_plan * of the C interface
    type(nearfar_team), private :: team
    type(nearfar_distribution), private :: where
  contains
    procedure, private :: create_int32, create_int64, update_int32, update_int64
    generic :: create => create_int32, create_int64
    generic :: update => update_int32, update_int64
    procedure :: gather => plan_gather                    !! out(k) = x(indices(k))
    procedure :: scatter => plan_scatter                  !! x(indices(k)) = x(indices(k)) op in(k)
    procedure :: assemble => plan_assemble                !! all values of an element combined
    procedure :: gather_ghosts => plan_gather_ghosts      !! ghosts = the owners' elements
    procedure :: scatter_ghosts => plan_scatter_ghosts    !! own elements op others' ghosts
    procedure :: assemble_ghosts => plan_assemble_ghosts  !! scatter_ghosts, then gather_ghosts
    procedure :: start_gather => plan_start_gather
    procedure :: start_scatter => plan_start_scatter
    procedure :: start_gather_ghosts => plan_start_gather_ghosts
    procedure :: start_scatter_ghosts => plan_start_scatter_ghosts
    procedure :: start_assemble => plan_start_assemble
    procedure :: start_assemble_ghosts => plan_start_assemble_ghosts
    procedure :: test => plan_test                        !! true when finish would not wait
    procedure :: finish => plan_finish
    procedure :: owned => plan_owned                      !! own elements of an x; local
    procedure :: ghosts => plan_ghosts                    !! remote elements that are referred to
    procedure :: references => plan_references
    procedure :: local_indices => plan_local_indices
    procedure :: ghost_indices => plan_ghost_indices
    procedure :: method => plan_method
    procedure :: describe => plan_describe
    procedure :: tuned_seconds => plan_tuned_seconds
    procedure :: free => plan_free                        !! collective
    procedure, private :: new_int32_1, new_int32_2, new_int64_1, new_int64_2, new_real32_1, &
      new_real32_2, new_real64_1, new_real64_2
    generic :: new_array => new_int32_1, new_int32_2, new_int64_1, new_int64_2, new_real32_1, &
      new_real32_2, new_real64_1, new_real64_2
    procedure, private :: free_int32_1, free_int32_2, free_int64_1, free_int64_2, free_real32_1, &
      free_real32_2, free_real64_1, free_real64_2
    generic :: free_array => free_int32_1, free_int32_2, free_int64_1, free_int64_2, &
      free_real32_1, free_real32_2, free_real64_1, free_real64_2
  end type nearfar_gather_plan

contains

  !> Inspects the references. The first element has the index `base` (1). method: absent is tuned.
  !> order: 'plan' or 'canonical', the order of a serial loop over all references.
  !> threads: OpenMP threads of this rank for loops over references and ghosts (1); results are the
  !> same bits. Collective.
  subroutine create_int64(self, where, indices, base, name, method, order, budget_s, threads, &
    stat, errmsg)
    class(nearfar_gather_plan), intent(inout) :: self
    type(nearfar_distribution), intent(in) :: where
    integer(int64), intent(in) :: indices(:)
    integer, intent(in), optional :: base
    character(*), intent(in), optional :: name, method, order
    real(real64), intent(in), optional :: budget_s
    integer, intent(in), optional :: threads
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char), allocatable, target :: c_name(:), c_method(:)
    type(c_gather_options) :: options
    integer(c_int) :: status

    self%team = where%team
    self%where = where
    options = c_gather_options(c_null_ptr, c_null_ptr, 0, 0.0_c_double, 0_c_size_t, 0_c_int)
    if (present(name)) then
      allocate (c_name, source=c_text(name))
      options%name = c_loc(c_name)
    end if
    if (present(method)) then
      allocate (c_method, source=c_text(method))
      options%method = c_loc(c_method)
    end if
    if (present(order)) options%order = order_of(order)
    if (present(budget_s)) options%budget_s = real(budget_s, c_double)
    if (present(threads)) options%threads = int(threads, c_int)
    status = agreed(self, indices, base_of(base))
    if (status == 0) status = nearfar_index_plan_create(where%handle, size(indices, kind=int64), &
      indices - base_of(base), options, self%handle)
    call settle(status, 'gather_plan%create', stat, errmsg)
  end subroutine create_int64

  subroutine create_int32(self, where, indices, base, name, method, order, budget_s, threads, &
    stat, errmsg)
    class(nearfar_gather_plan), intent(inout) :: self
    type(nearfar_distribution), intent(in) :: where
    integer(int32), intent(in) :: indices(:)
    integer, intent(in), optional :: base
    character(*), intent(in), optional :: name, method, order
    real(real64), intent(in), optional :: budget_s
    integer, intent(in), optional :: threads
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call create_int64(self, where, int(indices, int64), base, name, method, order, budget_s, &
      threads, stat, errmsg)
  end subroutine create_int32

  !> The same for other references, and another distribution if there is one: what a new plan would
  !> be, but memory, signals and decisions are kept. Collective; after an error the plan is
  !> as it was.
  subroutine update_int64(self, indices, base, where, stat, errmsg)
    class(nearfar_gather_plan), intent(inout) :: self
    integer(int64), intent(in) :: indices(:)
    integer, intent(in), optional :: base
    type(nearfar_distribution), intent(in), optional :: where
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nearfar_distribution) :: before
    type(c_ptr) :: other
    integer(c_int) :: status

    before = self%where
    other = c_null_ptr
    if (present(where)) then
      self%where = where
      other = where%handle
    end if
    status = agreed(self, indices, base_of(base))
    if (status == 0) status = nearfar_index_plan_update(self%handle, other, &
      size(indices, kind=int64), indices - base_of(base))
    if (status /= 0) self%where = before
    call settle(status, 'gather_plan%update', stat, errmsg)
  end subroutine update_int64

  subroutine update_int32(self, indices, base, where, stat, errmsg)
    class(nearfar_gather_plan), intent(inout) :: self
    integer(int32), intent(in) :: indices(:)
    integer, intent(in), optional :: base
    type(nearfar_distribution), intent(in), optional :: where
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call update_int64(self, int(indices, int64), base, where, stat, errmsg)
  end subroutine update_int32

  ! The C interface would name an index that is out of range as it counts, from 0.
  function agreed(self, indices, base) result(status)
    type(nearfar_gather_plan), intent(in) :: self
    integer(int64), intent(in) :: indices(:), base
    integer(c_int) :: status
    integer(int64) :: last
    integer :: i
    character(200) :: complaint

    complaint = ''
    last = self%where%elements() - 1 + base
    if (last >= base - 1) then
      do i = 1, size(indices)
        if (indices(i) >= base .and. indices(i) <= last) cycle
        write (complaint, '(3(a,i0))') 'index ', indices(i), ' is out of range; indices are ', &
          base, ' … ', last
        exit
      end do
    end if
    status = nearfar_agree(self%team%handle, c_text(complaint))
  end function agreed

  ! ---- operations ----

  subroutine plan_gather(self, x, out, stat, errmsg)
    class(nearfar_gather_plan), intent(in) :: self
    type(*), dimension(..), intent(inout) :: x, out
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_fortran_gather(self%handle, gather, 0, 0, x, out), &
      'gather_plan%gather', stat, errmsg)
  end subroutine plan_gather

  subroutine plan_scatter(self, in, x, op, stat, errmsg)
    class(nearfar_gather_plan), intent(in) :: self
    type(*), dimension(..), intent(in) :: in
    type(*), dimension(..), intent(inout) :: x
    character(*), intent(in), optional :: op
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_fortran_gather(self%handle, scatter, number_of(op), 0, x, in), &
      'gather_plan%scatter', stat, errmsg)
  end subroutine plan_scatter

  subroutine plan_assemble(self, values, op, stat, errmsg)
    class(nearfar_gather_plan), intent(in) :: self
    type(*), dimension(..), intent(inout) :: values
    character(*), intent(in), optional :: op
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_fortran_gather(self%handle, assemble, number_of(op), 0, values=values), &
      'gather_plan%assemble', stat, errmsg)
  end subroutine plan_assemble

  subroutine plan_gather_ghosts(self, x, stat, errmsg)
    class(nearfar_gather_plan), intent(in) :: self
    type(*), dimension(..), intent(inout) :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_fortran_gather(self%handle, gather_ghosts, 0, 0, x), &
      'gather_plan%gather_ghosts', stat, errmsg)
  end subroutine plan_gather_ghosts

  subroutine plan_scatter_ghosts(self, x, op, stat, errmsg)
    class(nearfar_gather_plan), intent(in) :: self
    type(*), dimension(..), intent(inout) :: x
    character(*), intent(in), optional :: op
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_fortran_gather(self%handle, scatter_ghosts, number_of(op), 0, x), &
      'gather_plan%scatter_ghosts', stat, errmsg)
  end subroutine plan_scatter_ghosts

  subroutine plan_assemble_ghosts(self, x, op, stat, errmsg)
    class(nearfar_gather_plan), intent(in) :: self
    type(*), dimension(..), intent(inout) :: x
    character(*), intent(in), optional :: op
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_fortran_gather(self%handle, assemble_ghosts, number_of(op), 0, x), &
      'gather_plan%assemble_ghosts', stat, errmsg)
  end subroutine plan_assemble_ghosts

  subroutine plan_start_gather(self, x, out, stat, errmsg)
    class(nearfar_gather_plan), intent(in) :: self
    type(*), dimension(..), intent(inout), target :: x, out
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_fortran_gather(self%handle, gather, 0, 1, x, out), &
      'gather_plan%start_gather', stat, errmsg)
  end subroutine plan_start_gather

  subroutine plan_start_scatter(self, in, x, op, stat, errmsg)
    class(nearfar_gather_plan), intent(in) :: self
    type(*), dimension(..), intent(in), target :: in
    type(*), dimension(..), intent(inout), target :: x
    character(*), intent(in), optional :: op
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_fortran_gather(self%handle, scatter, number_of(op), 1, x, in), &
      'gather_plan%start_scatter', stat, errmsg)
  end subroutine plan_start_scatter

  subroutine plan_start_gather_ghosts(self, x, stat, errmsg)
    class(nearfar_gather_plan), intent(in) :: self
    type(*), dimension(..), intent(inout), target :: x
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_fortran_gather(self%handle, gather_ghosts, 0, 1, x), &
      'gather_plan%start_gather_ghosts', stat, errmsg)
  end subroutine plan_start_gather_ghosts

  subroutine plan_start_scatter_ghosts(self, x, op, stat, errmsg)
    class(nearfar_gather_plan), intent(in) :: self
    type(*), dimension(..), intent(inout), target :: x
    character(*), intent(in), optional :: op
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_fortran_gather(self%handle, scatter_ghosts, number_of(op), 1, x), &
      'gather_plan%start_scatter_ghosts', stat, errmsg)
  end subroutine plan_start_scatter_ghosts

  subroutine plan_start_assemble(self, values, op, stat, errmsg)
    class(nearfar_gather_plan), intent(in) :: self
    type(*), dimension(..), intent(inout), target :: values
    character(*), intent(in), optional :: op
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_fortran_gather(self%handle, assemble, number_of(op), 1, values=values), &
      'gather_plan%start_assemble', stat, errmsg)
  end subroutine plan_start_assemble

  subroutine plan_start_assemble_ghosts(self, x, op, stat, errmsg)
    class(nearfar_gather_plan), intent(in) :: self
    type(*), dimension(..), intent(inout), target :: x
    character(*), intent(in), optional :: op
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_fortran_gather(self%handle, assemble_ghosts, number_of(op), 1, x), &
      'gather_plan%start_assemble_ghosts', stat, errmsg)
  end subroutine plan_start_assemble_ghosts

  logical function plan_test(self)
    class(nearfar_gather_plan), intent(in) :: self
    integer(c_int) :: done
    call settle(nearfar_index_plan_test(self%handle, done), 'gather_plan%test')
    plan_test = done /= 0
  end function plan_test

  subroutine plan_finish(self, stat, errmsg)
    class(nearfar_gather_plan), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_index_plan_finish(self%handle), 'gather_plan%finish', stat, errmsg)
  end subroutine plan_finish

  subroutine plan_free(self, stat, errmsg)
    class(nearfar_gather_plan), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_index_plan_free(self%handle), 'gather_plan%free', stat, errmsg)
  end subroutine plan_free

  ! ---- questions; local ----

  pure integer(int64) function plan_owned(self)
    class(nearfar_gather_plan), intent(in) :: self
    plan_owned = nearfar_index_plan_owned(self%handle)
  end function plan_owned

  pure integer(int64) function plan_ghosts(self)
    class(nearfar_gather_plan), intent(in) :: self
    plan_ghosts = nearfar_index_plan_ghosts(self%handle)
  end function plan_ghosts

  pure integer(int64) function plan_references(self)
    class(nearfar_gather_plan), intent(in) :: self
    plan_references = nearfar_index_plan_references(self%handle)
  end function plan_references

  !> out(k) = x(local(k)) after gather_ghosts, where x has the lower bound `base` (1).
  function plan_local_indices(self, base) result(local)
    class(nearfar_gather_plan), intent(in) :: self
    integer, intent(in), optional :: base
    integer(c_int32_t), allocatable :: local(:)
    integer(c_int32_t), pointer :: inside(:)
    type(c_ptr) :: address

    allocate (local(max(0_int64, self%references())))
    address = nearfar_index_plan_local_indices(self%handle)
    if (size(local) == 0 .or. .not. c_associated(address)) return
    call c_f_pointer(address, inside, [size(local)])
    local = inside + int(base_of(base), c_int32_t)
  end function plan_local_indices

  !> Global indices of the ghosts, in their order; the first element has the index `base` (1).
  function plan_ghost_indices(self, base) result(indices)
    class(nearfar_gather_plan), intent(in) :: self
    integer, intent(in), optional :: base
    integer(int64), allocatable :: indices(:)

    allocate (indices(max(0_int64, self%ghosts())))
    call settle(nearfar_index_plan_ghost_indices(self%handle, indices), 'gather_plan%ghost_indices')
    indices = indices + base_of(base)
  end function plan_ghost_indices

  function plan_method(self) result(text)
    class(nearfar_gather_plan), intent(in) :: self
    character(:), allocatable :: text
    text = text_of(nearfar_index_plan_method(self%handle))
  end function plan_method

  function plan_describe(self) result(text)
    class(nearfar_gather_plan), intent(in) :: self
    character(:), allocatable :: text
    text = text_of(nearfar_index_plan_describe(self%handle))
  end function plan_describe

  real(real64) function plan_tuned_seconds(self)
    class(nearfar_gather_plan), intent(in) :: self
    plan_tuned_seconds = real(nearfar_index_plan_tuned_seconds(self%handle), real64)
  end function plan_tuned_seconds

  ! ---- names ----

  ! 5, which does not exist, for a name that does not.
  pure integer(c_int) function number_of(op)
    character(*), intent(in), optional :: op
    number_of = 0
    if (.not. present(op)) return
    do number_of = 0, size(operations) - 1
      if (operations(number_of) == op) return
    end do
  end function number_of

  pure integer(c_int) function order_of(name)
    character(*), intent(in) :: name
    order_of = merge(0, merge(1, 2, name == 'canonical'), name == 'plan')
  end function order_of

  pure integer(int64) function base_of(base)
    integer, intent(in), optional :: base
    base_of = 1
    if (present(base)) base_of = base
  end function base_of

  ! ---- near memory ----

  ! Zeroed room for own elements and ghosts, of `components` values each.
  subroutine make_array(self, value_bytes, components, total, address, stat, errmsg)
    class(nearfar_gather_plan), intent(in) :: self
    integer, intent(in) :: value_bytes, components
    integer(int64), intent(out) :: total
    type(c_ptr), intent(out) :: address
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    address = c_null_ptr
    total = self%owned() + self%ghosts()
    call settle(nearfar_allocate(self%team%handle, total * components * value_bytes, address), &
      'gather_plan%new_array', stat, errmsg)
  end subroutine make_array

  include 'gather_array_specifics.inc'

end module nearfar_gathers
