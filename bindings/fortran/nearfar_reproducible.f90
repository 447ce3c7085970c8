! SPDX-License-Identifier: BSD-3-Clause
! Sums over the ranks of a team whose bits do not depend on how many ranks there are.
!
! Arrays are of real(real32) or real(real64) and any rank; sections, such as the cells of a field
! without its ghosts, are read where they lie. The C interface tells the promise in full.
module nearfar_reproducible
  use, intrinsic :: iso_c_binding, only: c_associated, c_double, c_float, c_int, c_int64_t, c_loc, &
    c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use nearfar_faults, only: settle
  use nearfar_teams, only: nearfar_team
  implicit none (type, external)
  private
  public :: nearfar_exact_sum, nearfar_reproducible_sum, nearfar_reproducible_dot, &
    nearfar_reproducible_allreduce

  integer(c_int), parameter :: float32 = 5, float64 = 6  ! nearfar_type of the C interface

  !> The exact sum of the numbers added to it: for threads, one each, merged at the end; and for
  !> several sums in one message. Begins as zero. Copies of an object mean the same sum. Local.
  type :: nearfar_exact_sum
    type(c_ptr) :: handle = c_null_ptr  !! the nearfar_exact_sum * of the C interface
  contains
    procedure, private :: add_32, add_64
    generic :: add => add_32, add_64
    procedure :: merge => merge_sum
    procedure :: value => value_of_sum  !! rounded once
    procedure :: free => free_sum
  end type nearfar_exact_sum

  !> call nearfar_reproducible_sum(team, local, total): the sum of all elements of the arrays of all
  !> ranks, exact and rounded once. `local` may also be a nearfar_exact_sum, or several of them with
  !> as many totals. Collective.
  interface nearfar_reproducible_sum
    procedure sum_32, sum_64, sum_added, sums_added
  end interface nearfar_reproducible_sum

  !> call nearfar_reproducible_dot(team, a, b, total): the sum of a * b over all elements of all
  !> ranks. Collective.
  interface nearfar_reproducible_dot
    procedure dot_32, dot_64
  end interface nearfar_reproducible_dot

  !> call nearfar_reproducible_allreduce(team, values): each value becomes the sum of those of all
  !> ranks, exact and rounded once. Collective, the same shape on all ranks.
  interface nearfar_reproducible_allreduce
    procedure allreduce_32, allreduce_64
  end interface nearfar_reproducible_allreduce

  interface
    function c_sum_array(team, array, element, total) &
      bind(C, name='nearfar_fortran_reproducible_sum') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: team, total
      type(*), intent(in) :: array(..)
      integer(c_int), value :: element
      integer(c_int) :: status
    end function c_sum_array

    function c_dot_arrays(team, a, b, element, total) &
      bind(C, name='nearfar_fortran_reproducible_dot') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: team, total
      type(*), intent(in) :: a(..), b(..)
      integer(c_int), value :: element
      integer(c_int) :: status
    end function c_dot_arrays

    function c_allreduce(team, array, element) &
      bind(C, name='nearfar_fortran_reproducible_allreduce') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: team
      type(*), intent(inout) :: array(..)
      integer(c_int), value :: element
      integer(c_int) :: status
    end function c_allreduce

    function c_add(sum, array, element) bind(C, name='nearfar_fortran_exact_sum_add') result(status)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: sum
      type(*), intent(in) :: array(..)
      integer(c_int), value :: element
      integer(c_int) :: status
    end function c_add

    function c_merge(sum, other) bind(C, name='nearfar_fortran_exact_sum_merge') result(status)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: sum
      type(c_ptr), value :: other
      integer(c_int) :: status
    end function c_merge

    function c_value(sum, element, value) bind(C, name='nearfar_exact_sum_value') result(status)
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: sum
      integer(c_int), value :: element
      real(c_double), intent(out) :: value
      integer(c_int) :: status
    end function c_value

    function c_free(sum) bind(C, name='nearfar_exact_sum_free') result(status)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: sum
      integer(c_int) :: status
    end function c_free

    function c_sums(team, number, locals, element, totals) &
      bind(C, name='nearfar_fortran_reproducible_sums') result(status)
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: team
      integer(c_int), value :: number, element
      type(c_ptr), intent(inout) :: locals(*)
      real(c_double), intent(inout) :: totals(*)
      integer(c_int) :: status
    end function c_sums
  end interface

contains

  subroutine sum_32(team, local, total, stat, errmsg)
    type(nearfar_team), intent(in) :: team
    real(real32), intent(in) :: local(..)
    real(real32), intent(out), target :: total
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(c_sum_array(team%handle, local, float32, c_loc(total)), &
      'nearfar_reproducible_sum', stat, errmsg)
  end subroutine sum_32

  subroutine sum_64(team, local, total, stat, errmsg)
    type(nearfar_team), intent(in) :: team
    real(real64), intent(in) :: local(..)
    real(real64), intent(out), target :: total
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(c_sum_array(team%handle, local, float64, c_loc(total)), &
      'nearfar_reproducible_sum', stat, errmsg)
  end subroutine sum_64

  subroutine sum_added(team, local, total, stat, errmsg)
    type(nearfar_team), intent(in) :: team
    type(nearfar_exact_sum), intent(inout) :: local
    real(real64), intent(out) :: total
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handles(1)
    real(c_double) :: totals(1)

    handles(1) = local%handle
    call settle(c_sums(team%handle, 1_c_int, handles, float64, totals), &
      'nearfar_reproducible_sum', stat, errmsg)
    local%handle = handles(1)
    total = totals(1)
  end subroutine sum_added

  subroutine sums_added(team, local, total, stat, errmsg)
    type(nearfar_team), intent(in) :: team
    type(nearfar_exact_sum), intent(inout) :: local(:)
    real(real64), intent(inout) :: total(size(local))
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handles(size(local))

    handles = local%handle
    call settle(c_sums(team%handle, size(local, kind=c_int), handles, float64, total), &
      'nearfar_reproducible_sum', stat, errmsg)
    local%handle = handles
  end subroutine sums_added

  subroutine dot_32(team, a, b, total, stat, errmsg)
    type(nearfar_team), intent(in) :: team
    real(real32), intent(in) :: a(..), b(..)
    real(real32), intent(out), target :: total
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(c_dot_arrays(team%handle, a, b, float32, c_loc(total)), &
      'nearfar_reproducible_dot', stat, errmsg)
  end subroutine dot_32

  subroutine dot_64(team, a, b, total, stat, errmsg)
    type(nearfar_team), intent(in) :: team
    real(real64), intent(in) :: a(..), b(..)
    real(real64), intent(out), target :: total
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(c_dot_arrays(team%handle, a, b, float64, c_loc(total)), &
      'nearfar_reproducible_dot', stat, errmsg)
  end subroutine dot_64

  subroutine allreduce_32(team, values, stat, errmsg)
    type(nearfar_team), intent(in) :: team
    real(real32), intent(inout), contiguous :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(c_allreduce(team%handle, values, float32), 'nearfar_reproducible_allreduce', stat, &
      errmsg)
  end subroutine allreduce_32

  subroutine allreduce_64(team, values, stat, errmsg)
    type(nearfar_team), intent(in) :: team
    real(real64), intent(inout), contiguous :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(c_allreduce(team%handle, values, float64), 'nearfar_reproducible_allreduce', stat, &
      errmsg)
  end subroutine allreduce_64

  subroutine add_32(self, values, stat, errmsg)
    class(nearfar_exact_sum), intent(inout) :: self
    real(real32), intent(in) :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(c_add(self%handle, values, float32), 'exact_sum%add', stat, errmsg)
  end subroutine add_32

  subroutine add_64(self, values, stat, errmsg)
    class(nearfar_exact_sum), intent(inout) :: self
    real(real64), intent(in) :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(c_add(self%handle, values, float64), 'exact_sum%add', stat, errmsg)
  end subroutine add_64

  subroutine merge_sum(self, other, stat, errmsg)
    class(nearfar_exact_sum), intent(inout) :: self
    type(nearfar_exact_sum), intent(in) :: other
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (.not. c_associated(other%handle)) then
      if (present(stat)) stat = 0
      return
    end if
    call settle(c_merge(self%handle, other%handle), 'exact_sum%merge', stat, errmsg)
  end subroutine merge_sum

  real(real64) function value_of_sum(self)
    class(nearfar_exact_sum), intent(in) :: self
    value_of_sum = 0
    if (c_associated(self%handle)) &
      call settle(c_value(self%handle, float64, value_of_sum), 'exact_sum%value')
  end function value_of_sum

  !> Frees the memory; the sum is zero again.
  subroutine free_sum(self)
    class(nearfar_exact_sum), intent(inout) :: self
    call settle(c_free(self%handle), 'exact_sum%free')
  end subroutine free_sum

end module nearfar_reproducible
