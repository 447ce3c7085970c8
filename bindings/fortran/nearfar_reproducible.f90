! SPDX-License-Identifier: BSD-3-Clause
! Sums over the ranks of a team whose bits do not depend on how many ranks there are.
!
! Arrays are of real(real32) or real(real64) and any rank; sections, such as the cells of a field
! without its ghosts, are read where they lie. The C interface tells the promise in full.
module nearfar_reproducible
  use, intrinsic :: iso_c_binding, only: c_associated, c_double, c_int, c_loc, c_ptr
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use nearfar_c, only: nearfar_exact_sum_free, nearfar_exact_sum_value, &
    nearfar_fortran_exact_sum_add, nearfar_fortran_exact_sum_merge, &
    nearfar_fortran_reproducible_allreduce, nearfar_fortran_reproducible_dot, &
    nearfar_fortran_reproducible_sum, nearfar_fortran_reproducible_sums, nearfar_refuse
  use nearfar_constants, only: nearfar_element_float32, nearfar_element_float64
  use nearfar_faults, only: c_text, settle
  use nearfar_objects, only: hold, live, nearfar_object, release
  use nearfar_teams, only: nearfar_team
  implicit none (type, external)
  private
  public :: nearfar_exact_sum, nearfar_reproducible_sum, nearfar_reproducible_dot, &
    nearfar_reproducible_allreduce

  !> The exact sum of the numbers added to it: for threads, one each, merged at the end; and for
  !> several sums in one message. Begins as zero. Copies of an object mean the same sum. Local.
  type, extends(nearfar_object) :: nearfar_exact_sum
  contains
    include 'generated/reproducible_bindings.inc'
    procedure :: merge => merge_sum     !! adds the sum of another one, which stays; local
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

contains

  include 'generated/reproducible_specifics.inc'

  subroutine sum_added(team, local, total, stat, errmsg)
    type(nearfar_team), intent(in) :: team
    type(nearfar_exact_sum), intent(inout) :: local
    real(real64), intent(out) :: total
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nearfar_exact_sum) :: locals(1)
    real(real64) :: totals(1)

    locals(1) = local
    totals = 0
    call sums_added(team, locals, totals, stat, errmsg)
    local = locals(1)
    total = totals(1)
  end subroutine sum_added

  subroutine sums_added(team, local, total, stat, errmsg)
    type(nearfar_team), intent(in) :: team
    type(nearfar_exact_sum), intent(inout) :: local(:)
    real(real64), intent(inout) :: total(size(local))
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handles(size(local))
    integer(c_int) :: status
    integer :: i

    do i = 1, size(local)
      handles(i) = live(local(i))
    end do
    status = nearfar_fortran_reproducible_sums(live(team), size(local, kind=c_int), handles, &
      nearfar_element_float64, total)
    do i = 1, size(local)
      call keep(local(i), handles(i))
    end do
    call settle(status, 'nearfar_reproducible_sum', stat, errmsg)
  end subroutine sums_added

  ! Sums begin without a call: the one at `handle` may have been made just now.
  subroutine keep(self, handle)
    class(nearfar_exact_sum), intent(inout) :: self
    type(c_ptr), intent(in) :: handle

    if (c_associated(live(self), handle) .or. .not. c_associated(handle)) return
    self%handle = handle
    call hold(self, 0_c_int)
  end subroutine keep

  subroutine merge_sum(self, other, stat, errmsg)
    class(nearfar_exact_sum), intent(inout) :: self
    type(nearfar_exact_sum), intent(in) :: other
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int) :: status

    handle = live(self)
    status = 0
    if (is_freed(self) .or. is_freed(other)) then
      status = nearfar_refuse(c_text('the sum, or its copy, is freed already'))
    else if (c_associated(live(other))) then
      status = nearfar_fortran_exact_sum_merge(handle, live(other))
      call keep(self, handle)
    end if
    call settle(status, 'exact_sum%merge', stat, errmsg)
  end subroutine merge_sum

  real(real64) function value_of_sum(self, stat, errmsg) result(value)
    class(nearfar_exact_sum), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(c_double), target :: found
    integer(c_int) :: status

    found = 0
    status = 0
    if (is_freed(self)) then
      status = nearfar_refuse(c_text('the sum, or its copy, is freed already'))
    else if (c_associated(live(self))) then
      status = nearfar_exact_sum_value(live(self), nearfar_element_float64, c_loc(found))
    end if
    value = found
    call settle(status, 'exact_sum%value', stat, errmsg)
  end function value_of_sum

  ! By another copy; a sum that has freed itself is zero again.
  pure logical function is_freed(self)
    class(nearfar_exact_sum), intent(in) :: self
    is_freed = c_associated(self%handle) .and. .not. c_associated(live(self))
  end function is_freed

  !> Frees the memory; the sum is zero again, copies of it may not be used.
  subroutine free_sum(self)
    class(nearfar_exact_sum), intent(inout) :: self
    type(c_ptr) :: handle

    handle = live(self)
    call settle(nearfar_exact_sum_free(handle), 'exact_sum%free')
    call release(self)
  end subroutine free_sum

end module nearfar_reproducible
