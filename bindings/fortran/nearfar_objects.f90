! SPDX-License-Identifier: BSD-3-Clause
! What all types that stand for an object of the C interface extend. Assignment copies the handle;
! the copies mean the same object, and all of them know when one of them has freed it.
module nearfar_objects
  use, intrinsic :: iso_c_binding, only: c_associated, c_int, c_int64_t, c_null_ptr, c_ptr
  use nearfar_c, only: nearfar_fortran_hold, nearfar_fortran_is_live, nearfar_fortran_release, &
    nearfar_refuse
  use nearfar_faults, only: c_text
  implicit none (type, external)
  private
  public :: nearfar_object, borrow, freeable, hold, live, release

  type, abstract :: nearfar_object
    type(c_ptr) :: handle = c_null_ptr  !! the pointer of the C interface
    type(c_ptr), private :: life = c_null_ptr
    integer(c_int64_t), private :: birth = 0
    logical, private :: is_borrowed = .false.
  end type nearfar_object

contains

  !> After a call with this status has set self%handle: the object's life begins.
  subroutine hold(self, status)
    class(nearfar_object), intent(inout) :: self
    integer(c_int), intent(in) :: status

    if (status /= 0) return
    self%life = c_null_ptr
    self%is_borrowed = .false.
    if (c_associated(self%handle)) self%life = nearfar_fortran_hold(self%birth)
  end subroutine hold

  !> The object at `handle` belongs to `owner` and lives as long.
  subroutine borrow(self, handle, owner)
    class(nearfar_object), intent(inout) :: self
    type(c_ptr), intent(in) :: handle
    class(nearfar_object), intent(in) :: owner

    self%handle = handle
    self%life = owner%life
    self%birth = owner%birth
    self%is_borrowed = .true.
  end subroutine borrow

  !> 0 unless the object belongs to another one.
  integer(c_int) function freeable(self) result(status)
    class(nearfar_object), intent(in) :: self
    status = 0
    if (self%is_borrowed) status = nearfar_refuse(c_text('it belongs to the object that gave it, ' &
      // 'and is freed with that'))
  end function freeable

  !> The handle; null after the object is freed, which the C interface refuses.
  pure function live(self) result(handle)
    class(nearfar_object), intent(in) :: self
    type(c_ptr) :: handle

    handle = c_null_ptr
    if (nearfar_fortran_is_live(self%life, self%birth) /= 0) handle = self%handle
  end function live

  !> The object is freed: its life ends, for all copies.
  subroutine release(self)
    class(nearfar_object), intent(inout) :: self

    if (nearfar_fortran_is_live(self%life, self%birth) /= 0) &
      call nearfar_fortran_release(self%life, self%birth)
    self%handle = c_null_ptr
    self%life = c_null_ptr
  end subroutine release

end module nearfar_objects
