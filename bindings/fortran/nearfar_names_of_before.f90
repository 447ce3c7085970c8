! SPDX-License-Identifier: BSD-3-Clause
! Names of plans and calls as they were before version 1.0: the types and verbs that nearfar has
! now, and these words for them.
module nearfar_names_of_before
  use nearfar_constants, only: nearfar_fft_backward, nearfar_fft_forward
  use nearfar_ffts, only: nearfar_fft_plan
  use nearfar_gathers, only: nearfar_gather_plan
  use nearfar_halos, only: nearfar_halo_plan
  use nearfar_plan_options, only: methods_of
  use nearfar_plans, only: nearfar_plan
  use nearfar_transposes, only: nearfar_transpose_plan
  implicit none (type, external)
  private
  public :: nearfar_fft, nearfar_halo, nearfar_index_plan, nearfar_method_names, nearfar_plan, &
    nearfar_transpose

  !> nearfar_halo_plan.
  type, extends(nearfar_halo_plan) :: nearfar_halo
  contains
    procedure :: exchange  !! run
  end type nearfar_halo

  !> nearfar_fft_plan.
  type, extends(nearfar_fft_plan) :: nearfar_fft
  contains
    procedure :: forward         !! run(nearfar_fft_forward, …)
    procedure :: backward        !! run(nearfar_fft_backward, …)
    procedure :: start_forward   !! start(nearfar_fft_forward, …)
    procedure :: start_backward  !! start(nearfar_fft_backward, …)
  end type nearfar_fft

  !> nearfar_transpose_plan.
  type, extends(nearfar_transpose_plan) :: nearfar_transpose
  contains
    procedure :: start_again  !! start without arrays
  end type nearfar_transpose

  !> nearfar_gather_plan.
  type, extends(nearfar_gather_plan) :: nearfar_index_plan
  end type nearfar_index_plan

contains

  !> nearfar_methods('halo').
  function nearfar_method_names() result(names)
    character(:), allocatable :: names
    names = methods_of('halo')
  end function nearfar_method_names

  subroutine exchange(self, stat, errmsg)
    class(nearfar_halo), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call self%run(stat=stat, errmsg=errmsg)
  end subroutine exchange

  subroutine start_again(self, stat, errmsg)
    class(nearfar_transpose), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call self%start(stat=stat, errmsg=errmsg)
  end subroutine start_again

  subroutine forward(self, physical, spectral, stat, errmsg)
    class(nearfar_fft), intent(in) :: self
    type(*), dimension(..), intent(in), target :: physical
    type(*), dimension(..), intent(inout), target :: spectral
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call self%run(nearfar_fft_forward, physical, spectral, stat, errmsg)
  end subroutine forward

  subroutine backward(self, spectral, physical, stat, errmsg)
    class(nearfar_fft), intent(in) :: self
    type(*), dimension(..), intent(in), target :: spectral
    type(*), dimension(..), intent(inout), target :: physical
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call self%run(nearfar_fft_backward, spectral, physical, stat, errmsg)
  end subroutine backward

  subroutine start_forward(self, physical, spectral, stat, errmsg)
    class(nearfar_fft), intent(in) :: self
    type(*), dimension(..), intent(in), target :: physical
    type(*), dimension(..), intent(inout), target :: spectral
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call self%start(nearfar_fft_forward, physical, spectral, stat, errmsg)
  end subroutine start_forward

  subroutine start_backward(self, spectral, physical, stat, errmsg)
    class(nearfar_fft), intent(in) :: self
    type(*), dimension(..), intent(in), target :: spectral
    type(*), dimension(..), intent(inout), target :: physical
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call self%start(nearfar_fft_backward, spectral, physical, stat, errmsg)
  end subroutine start_backward

end module nearfar_names_of_before
