! SPDX-License-Identifier: BSD-3-Clause
! Distributions: which rank owns each element of a global array, and where it lies there. Global
! indices and offsets start at 1 unless base= says otherwise; ranks start at 0.
module nearfar_distributions
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_funloc, c_int, c_int64_t, c_loc, &
    c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use nearfar_c, only: nearfar_distribution_team, &
    c_distribution_rule, nearfar_distribution_block, &
    nearfar_distribution_block_cyclic, nearfar_distribution_block_sizes, &
    nearfar_distribution_check, nearfar_distribution_cyclic, nearfar_distribution_describe, &
    nearfar_distribution_elements, nearfar_distribution_free, nearfar_distribution_from_owned, &
    nearfar_distribution_from_rule, nearfar_distribution_globals, nearfar_distribution_locate, &
    nearfar_distribution_owned, nearfar_distribution_reversed_two_block, &
    nearfar_distribution_two_block
  use nearfar_faults, only: description_of, settle
  use nearfar_objects, only: borrow, freeable, hold, live, nearfar_object, release
  use nearfar_teams, only: nearfar_team
  implicit none (type, external)
  private
  public :: nearfar_distribution, nearfar_distribution_rule

  !> A program's own way of distributing: a type that extends this one. Called in bulk, by one
  !> thread at a time; must not communicate. Each rank's elements have the offsets 1, 2, 3 …
  type, abstract :: nearfar_distribution_rule
  contains
    procedure(rule_locate), deferred :: locate
    procedure(rule_globals), deferred :: globals
  end type nearfar_distribution_rule

  abstract interface
    !> owners(i), offsets(i) = place of the element indices(i); any order, with repetitions.
    subroutine rule_locate(self, indices, owners, offsets)
      import :: c_int, int64, nearfar_distribution_rule
      class(nearfar_distribution_rule), intent(in) :: self
      integer(int64), intent(in) :: indices(:)
      integer(c_int), intent(out) :: owners(:)
      integer(int64), intent(out) :: offsets(:)
    end subroutine rule_locate

    !> indices(i) = the element at offsets(i) of `rank`.
    subroutine rule_globals(self, rank, offsets, indices)
      import :: int64, nearfar_distribution_rule
      class(nearfar_distribution_rule), intent(in) :: self
      integer, intent(in) :: rank
      integer(int64), intent(in) :: offsets(:)
      integer(int64), intent(out) :: indices(:)
    end subroutine rule_globals
  end interface

  !> Copies of an object of this type mean the same distribution. Sizes are integer(int64);
  !> all that makes one is collective over the team.
  type, extends(nearfar_object) :: nearfar_distribution
    type(nearfar_team) :: members
  contains
    procedure :: block => make_block
    procedure :: block_sizes => make_block_sizes
    procedure :: cyclic => make_cyclic
    procedure :: block_cyclic => make_block_cyclic
    procedure :: two_block => make_two_block
    procedure :: reversed_two_block => make_reversed_two_block
    procedure :: from_owned => make_from_owned
    procedure :: from_rule => make_from_rule
    procedure :: elements => distribution_elements  !! of the whole array; -1 before it is made
    procedure :: owned => distribution_owned        !! of this rank
    procedure :: globals => distribution_globals
    procedure :: locate => distribution_locate
    procedure :: check => distribution_check
    procedure :: team => distribution_team              !! whose ranks it works for; local
    procedure :: describe => distribution_describe
    procedure :: free => distribution_free          !! local; plans made with it keep working
  end type nearfar_distribution

  type :: rule_holder
    class(nearfar_distribution_rule), allocatable :: rule
  end type rule_holder

contains

  !> Contiguous blocks in rank order, as even as can be.
  subroutine make_block(self, team, elements, stat, errmsg)
    class(nearfar_distribution), intent(inout) :: self
    type(nearfar_team), intent(in) :: team
    integer(int64), intent(in) :: elements
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call made(self, team, nearfar_distribution_block(live(team), elements, self%handle), &
      'distribution%block', stat, errmsg)
  end subroutine make_block

  !> Contiguous blocks in rank order, of the sizes that the ranks name.
  subroutine make_block_sizes(self, team, own_elements, stat, errmsg)
    class(nearfar_distribution), intent(inout) :: self
    type(nearfar_team), intent(in) :: team
    integer(int64), intent(in) :: own_elements
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call made(self, team, nearfar_distribution_block_sizes(live(team), own_elements, self%handle), &
      'distribution%block_sizes', stat, errmsg)
  end subroutine make_block_sizes

  !> Elements are dealt out one by one.
  subroutine make_cyclic(self, team, elements, stat, errmsg)
    class(nearfar_distribution), intent(inout) :: self
    type(nearfar_team), intent(in) :: team
    integer(int64), intent(in) :: elements
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call made(self, team, nearfar_distribution_cyclic(live(team), elements, self%handle), &
      'distribution%cyclic', stat, errmsg)
  end subroutine make_cyclic

  !> Blocks of `block_elements` elements are dealt out in turn.
  subroutine make_block_cyclic(self, team, elements, block_elements, stat, errmsg)
    class(nearfar_distribution), intent(inout) :: self
    type(nearfar_team), intent(in) :: team
    integer(int64), intent(in) :: elements, block_elements
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call made(self, team, nearfar_distribution_block_cyclic(live(team), elements, &
      block_elements, self%handle), &
      'distribution%block_cyclic', stat, errmsg)
  end subroutine make_block_cyclic

  !> Two arrays after one another, the first of `first_elements`, each in blocks.
  subroutine make_two_block(self, team, elements, first_elements, stat, errmsg)
    class(nearfar_distribution), intent(inout) :: self
    type(nearfar_team), intent(in) :: team
    integer(int64), intent(in) :: elements, first_elements
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call made(self, team, nearfar_distribution_two_block(live(team), elements, first_elements, &
      self%handle), &
      'distribution%two_block', stat, errmsg)
  end subroutine make_two_block

  !> The same with the second part's blocks in reverse order of ranks.
  subroutine make_reversed_two_block(self, team, elements, first_elements, stat, errmsg)
    class(nearfar_distribution), intent(inout) :: self
    type(nearfar_team), intent(in) :: team
    integer(int64), intent(in) :: elements, first_elements
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call made(self, team, nearfar_distribution_reversed_two_block(live(team), elements, &
      first_elements, self%handle), &
      'distribution%reversed_two_block', stat, errmsg)
  end subroutine make_reversed_two_block

  !> Each rank lists the indices that it owns, in the order of its offsets; together all of them,
  !> each once.
  subroutine make_from_owned(self, team, owned, base, stat, errmsg)
    class(nearfar_distribution), intent(inout) :: self
    type(nearfar_team), intent(in) :: team
    integer(int64), intent(in) :: owned(:)
    integer, intent(in), optional :: base
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: from_zero(:)

    allocate (from_zero, source=owned - base_of(base))
    call made(self, team, nearfar_distribution_from_owned(live(team), size(from_zero, kind=int64), &
      from_zero, self%handle), &
      'distribution%from_owned', stat, errmsg)
  end subroutine make_from_owned

  !> The program's own; the rule is copied. `own_elements` are this rank's.
  subroutine make_from_rule(self, team, elements, own_elements, rule, stat, errmsg)
    class(nearfar_distribution), intent(inout) :: self
    type(nearfar_team), intent(in) :: team
    integer(int64), intent(in) :: elements, own_elements
    class(nearfar_distribution_rule), intent(in) :: rule
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(rule_holder), pointer :: holder

    allocate (holder)
    allocate (holder%rule, source=rule)
    call made(self, team, nearfar_distribution_from_rule(live(team), c_distribution_rule(elements, &
      own_elements, c_funloc(call_locate), c_funloc(call_globals), c_loc(holder), &
      c_funloc(release_rule)), self%handle), &
      'distribution%from_rule', stat, errmsg)
  end subroutine make_from_rule

  ! Settles what made the handle.
  subroutine made(self, team, status, call, stat, errmsg)
    class(nearfar_distribution), intent(inout) :: self
    type(nearfar_team), intent(in) :: team
    integer(c_int), intent(in) :: status
    character(*), intent(in) :: call
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    self%members = team
    call hold(self, status)
    call settle(status, call, stat, errmsg)
  end subroutine made

  function call_locate(context, count, indices, owners, offsets) bind(C) result(status)
    type(c_ptr), value :: context
    integer(c_int64_t), value :: count
    integer(c_int64_t), intent(in) :: indices(count)
    integer(c_int), intent(out) :: owners(count)
    integer(c_int64_t), intent(out) :: offsets(count)
    integer(c_int) :: status
    type(rule_holder), pointer :: holder

    call c_f_pointer(context, holder)
    call holder%rule%locate(indices + 1, owners, offsets)
    offsets = offsets - 1
    status = 0
  end function call_locate

  function call_globals(context, rank, count, offsets, indices) bind(C) result(status)
    type(c_ptr), value :: context
    integer(c_int), value :: rank
    integer(c_int64_t), value :: count
    integer(c_int64_t), intent(in) :: offsets(count)
    integer(c_int64_t), intent(out) :: indices(count)
    integer(c_int) :: status
    type(rule_holder), pointer :: holder

    call c_f_pointer(context, holder)
    call holder%rule%globals(int(rank), offsets + 1, indices)
    indices = indices - 1
    status = 0
  end function call_globals

  subroutine release_rule(context) bind(C)
    type(c_ptr), value :: context
    type(rule_holder), pointer :: holder

    call c_f_pointer(context, holder)
    deallocate (holder)
  end subroutine release_rule

  pure integer(int64) function distribution_elements(self)
    class(nearfar_distribution), intent(in) :: self
    distribution_elements = nearfar_distribution_elements(live(self))
  end function distribution_elements

  pure integer(int64) function distribution_owned(self)
    class(nearfar_distribution), intent(in) :: self
    distribution_owned = nearfar_distribution_owned(live(self))
  end function distribution_owned

  !> Global indices of this rank's elements, in their order. Local.
  function distribution_globals(self, base) result(indices)
    class(nearfar_distribution), intent(in) :: self
    integer, intent(in), optional :: base
    integer(int64), allocatable :: indices(:)
    integer(int64), allocatable :: offsets(:)
    integer(int64) :: i

    allocate (offsets, source=[(i, i=0, self%owned() - 1)])
    allocate (indices(size(offsets)))
    call settle(nearfar_distribution_globals(live(self), size(offsets, kind=int64), offsets, &
      indices), 'distribution%globals')
    indices = indices + base_of(base)
  end function distribution_globals

  !> owners(i), offsets(i) = place of the element indices(i). Local; of from_owned collective.
  subroutine distribution_locate(self, indices, owners, offsets, base, stat, errmsg)
    class(nearfar_distribution), intent(in) :: self
    integer(int64), intent(in) :: indices(:)
    integer(c_int), allocatable, intent(out) :: owners(:)
    integer(int64), allocatable, intent(out) :: offsets(:)
    integer, intent(in), optional :: base
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: from_zero(:)

    allocate (from_zero, source=indices - base_of(base))
    allocate (owners(size(indices)), offsets(size(indices)))
    call settle(nearfar_distribution_locate(live(self), size(indices, kind=int64), from_zero, &
      owners, offsets), 'distribution%locate', stat, errmsg)
    offsets = offsets + base_of(base)
  end subroutine distribution_locate

  !> Tests that sizes add up and that own elements (at most `sample`; absent: all) are located where
  !> they are. Collective.
  subroutine distribution_check(self, sample, stat, errmsg)
    class(nearfar_distribution), intent(in) :: self
    integer(int64), intent(in), optional :: sample
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: most

    most = 0
    if (present(sample)) most = sample
    call settle(nearfar_distribution_check(live(self), most), 'distribution%check', stat, errmsg)
  end subroutine distribution_check

  pure integer(int64) function base_of(base)
    integer, intent(in), optional :: base
    base_of = 1
    if (present(base)) base_of = base
  end function base_of

  include 'generated/distribution_object.inc'
  include 'generated/distribution_of_team.inc'

end module nearfar_distributions
