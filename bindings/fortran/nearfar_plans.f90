! SPDX-License-Identifier: BSD-3-Clause
! Plans of collective calls: made by the subroutines of nearfar_collectives, then run, or started
! and finished.
module nearfar_plans
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  use nearfar_faults, only: settle, text_of
  implicit none (type, external)
  private
  public :: nearfar_plan

  !> A call made once for given arrays and carried out many times. Copies mean the same plan.
  !> The arrays must be contiguous targets and stay where they are. Set the options before the call.
  type :: nearfar_plan
    type(c_ptr) :: handle = c_null_ptr  !! the nearfar_plan * of the C interface
    character(64) :: name = ''          !! shown in reports; '': the kind of the call
    character(64) :: wanted = ''        !! '': tuned; else 'mpi', 'plan-slots' or an algorithm
    real(real64) :: budget_s = 0        !! seconds for tuning; 0: the library's choice; < 0: none
  contains
    procedure :: run => plan_run              !! collective over the team
    procedure :: start => plan_start          !! until finish the arrays belong to the plan
    procedure :: test => plan_test            !! true when finish would not wait
    procedure :: finish => plan_finish
    procedure :: method => plan_method        !! of run
    procedure :: start_method => plan_start_method
    procedure :: describe => plan_describe
    procedure :: tuned_seconds => plan_tuned_seconds
    procedure :: free => plan_free            !! local
  end type nearfar_plan

  interface
    function nearfar_plan_run(plan) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int) :: status
    end function nearfar_plan_run

    function nearfar_plan_start(plan) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int) :: status
    end function nearfar_plan_start

    function nearfar_plan_test(plan, done) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int), intent(out) :: done
      integer(c_int) :: status
    end function nearfar_plan_test

    function nearfar_plan_finish(plan) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int) :: status
    end function nearfar_plan_finish

    function nearfar_plan_free(plan) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: status
    end function nearfar_plan_free

    function nearfar_plan_method(plan) bind(C) result(text)
      import :: c_ptr
      type(c_ptr), value :: plan
      type(c_ptr) :: text
    end function nearfar_plan_method

    function nearfar_plan_start_method(plan) bind(C) result(text)
      import :: c_ptr
      type(c_ptr), value :: plan
      type(c_ptr) :: text
    end function nearfar_plan_start_method

    function nearfar_plan_describe(plan) bind(C) result(text)
      import :: c_ptr
      type(c_ptr), value :: plan
      type(c_ptr) :: text
    end function nearfar_plan_describe

    function nearfar_plan_tuned_seconds(plan) bind(C) result(seconds)
      import :: c_double, c_ptr
      type(c_ptr), value :: plan
      real(c_double) :: seconds
    end function nearfar_plan_tuned_seconds
  end interface

contains

  subroutine plan_run(self, stat, errmsg)
    class(nearfar_plan), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_plan_run(self%handle), 'plan%run', stat, errmsg)
  end subroutine plan_run

  subroutine plan_start(self, stat, errmsg)
    class(nearfar_plan), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_plan_start(self%handle), 'plan%start', stat, errmsg)
  end subroutine plan_start

  logical function plan_test(self)
    class(nearfar_plan), intent(in) :: self
    integer(c_int) :: done
    call settle(nearfar_plan_test(self%handle, done), 'plan%test')
    plan_test = done /= 0
  end function plan_test

  subroutine plan_finish(self, stat, errmsg)
    class(nearfar_plan), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_plan_finish(self%handle), 'plan%finish', stat, errmsg)
  end subroutine plan_finish

  subroutine plan_free(self, stat, errmsg)
    class(nearfar_plan), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_plan_free(self%handle), 'plan%free', stat, errmsg)
  end subroutine plan_free

  function plan_method(self) result(text)
    class(nearfar_plan), intent(in) :: self
    character(:), allocatable :: text
    text = text_of(nearfar_plan_method(self%handle))
  end function plan_method

  function plan_start_method(self) result(text)
    class(nearfar_plan), intent(in) :: self
    character(:), allocatable :: text
    text = text_of(nearfar_plan_start_method(self%handle))
  end function plan_start_method

  function plan_describe(self) result(text)
    class(nearfar_plan), intent(in) :: self
    character(:), allocatable :: text
    text = text_of(nearfar_plan_describe(self%handle))
  end function plan_describe

  real(real64) function plan_tuned_seconds(self)
    class(nearfar_plan), intent(in) :: self
    plan_tuned_seconds = real(nearfar_plan_tuned_seconds(self%handle), real64)
  end function plan_tuned_seconds

end module nearfar_plans
