! SPDX-License-Identifier: BSD-3-Clause
! What is in the files of a stream, also of one that was killed.
module nearfar_output_files
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_null_char
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use nearfar_c, only: c_output_report, c_output_step, &
    c_output_steps_at => nearfar_output_steps_at, c_output_verify => nearfar_output_verify
  use nearfar_constants, only: nearfar_output_soundness_damaged, nearfar_output_soundness_sound, &
    nearfar_output_soundness_unknown
  use nearfar_faults, only: c_text, settle
  implicit none (type, external)
  private
  public :: steps_at, verify, nearfar_output_report, &
    nearfar_output_soundness_sound, nearfar_output_soundness_damaged, &
    nearfar_output_soundness_unknown

  !> state: what comparing the step's data with its sums says: all bytes are as they were written
  !> (nearfar_output_soundness_sound); some are not, or are missing (…_damaged); there is nothing to
  !> compare with (…_unknown). step: as the journal counts, from 0. reason: why it is not sound; ''
  !> if it is.
  type :: nearfar_output_report
    integer(int64) :: step = 0
    real(real64) :: time = 0
    integer :: state = nearfar_output_soundness_unknown
    character(:), allocatable :: reason
  end type nearfar_output_report

contains

  !> Times of the steps that the journal at `path` says are whole, also of a stream that was killed.
  !> Local.
  subroutine steps_at(path, times, stat, errmsg)
    character(*), intent(in) :: path
    real(real64), allocatable, intent(out) :: times(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_output_step), allocatable :: steps(:)
    integer(c_int64_t) :: count
    integer(c_int) :: status

    allocate (steps(1))
    status = c_output_steps_at(c_text(path), 1_c_int64_t, steps, count)
    if (status == 0 .and. count > 1) then
      deallocate (steps)
      allocate (steps(count))
      status = c_output_steps_at(c_text(path), size(steps, kind=c_int64_t), steps, count)
    end if
    times = real(steps(:min(count, size(steps, kind=c_int64_t)))%time, real64)
    call settle(status, 'nearfar_output_steps_at', stat, errmsg)
  end subroutine steps_at

  !> The same steps, with what comparing all their data with the journal's sums says of each. Local.
  subroutine verify(path, reports, stat, errmsg)
    character(*), intent(in) :: path
    type(nearfar_output_report), allocatable, intent(out) :: reports(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_output_step) :: first(1)
    type(c_output_report), allocatable :: found(:)
    integer(c_int64_t) :: count, i
    integer(c_int) :: status

    status = c_output_steps_at(c_text(path), 1_c_int64_t, first, count)
    allocate (found(max(count, 1_c_int64_t)))
    if (status == 0) &
      status = c_output_verify(c_text(path), size(found, kind=c_int64_t), found, count)
    allocate (reports(merge(min(count, size(found, kind=c_int64_t)), 0_c_int64_t, status == 0)))
    do i = 1, size(reports)
      associate (f => found(i), r => reports(i))
        r%step = f%step
        r%time = f%time
        r%state = f%state
        r%reason = transfer(f%reason(:findloc(f%reason, c_null_char, 1) - 1), &
          repeat(' ', findloc(f%reason, c_null_char, 1) - 1))
      end associate
    end do
    call settle(status, 'nearfar_output_verify', stat, errmsg)
  end subroutine verify
end module nearfar_output_files
