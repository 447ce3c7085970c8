! SPDX-License-Identifier: BSD-3-Clause
! Plans of collective calls: made by the subroutines of nearfar_collectives, then run, or started
! and finished.
module nearfar_plans
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  use nearfar_c, only: nearfar_collective_plan_team, &
    nearfar_collective_plan_describe, &
    nearfar_collective_plan_describe_json, nearfar_collective_plan_finish, &
    nearfar_collective_plan_free, nearfar_collective_plan_method, nearfar_collective_plan_run, &
    nearfar_collective_plan_start, nearfar_collective_plan_start_method, &
    nearfar_collective_plan_test, nearfar_collective_plan_tuned_seconds
  use nearfar_faults, only: description_of, settle, text_of
  use nearfar_objects, only: borrow, freeable, live, nearfar_object, release
  use nearfar_teams, only: nearfar_team
  implicit none (type, external)
  private
  public :: nearfar_collective_plan

  !> A call made once for given arrays and carried out many times. Copies mean the same plan.
  !> The arrays must be contiguous targets and stay where they are.
  type, extends(nearfar_object) :: nearfar_collective_plan
  contains
    include 'generated/collective_plan_bindings.inc'
    procedure :: start_method => collective_plan_start_method  !! of start; method is of run
  end type nearfar_collective_plan

contains

  subroutine collective_plan_start(self, stat, errmsg)
    class(nearfar_collective_plan), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_collective_plan_start(live(self)), 'collective_plan%start', stat, errmsg)
  end subroutine collective_plan_start

  !> Collective over the team.
  subroutine collective_plan_run(self, stat, errmsg)
    class(nearfar_collective_plan), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_collective_plan_run(live(self)), 'collective_plan%run', stat, errmsg)
  end subroutine collective_plan_run

  function collective_plan_start_method(self) result(text)
    class(nearfar_collective_plan), intent(in) :: self
    character(:), allocatable :: text
    text = text_of(nearfar_collective_plan_start_method(live(self)))
  end function collective_plan_start_method

  include 'generated/collective_plan_object.inc'
  include 'generated/collective_plan_of_team.inc'
  include 'generated/collective_plan_verbs.inc'

end module nearfar_plans
