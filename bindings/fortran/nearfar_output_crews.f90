! SPDX-License-Identifier: BSD-3-Clause
! Crews: ranks that write, and the team of those that compute.
module nearfar_output_crews
  use, intrinsic :: iso_c_binding, only: c_associated, c_int, c_ptr
  use nearfar_c, only: c_output_crew_options, nearfar_agree, nearfar_output_crew_computing, &
    nearfar_output_crew_create, nearfar_output_crew_free, nearfar_output_crew_is_writer, &
    nearfar_output_crew_serve, nearfar_output_crew_writers
  use nearfar_constants, only: nearfar_output_far, nearfar_output_near
  use nearfar_faults, only: c_text, settle
  use nearfar_objects, only: borrow, hold, live, nearfar_object, release
  use nearfar_teams, only: nearfar_team
  implicit none (type, external)
  private
  public :: nearfar_output_crew

  !> Ranks that write, and the team of those that compute. Copies mean the same crew.
  type, extends(nearfar_object) :: nearfar_output_crew
  contains
    procedure :: create => crew_create
    procedure :: is_writer => crew_is_writer  !! this rank calls serve, the others create streams
    procedure :: writers => crew_writers      !! in the whole team
    procedure :: computing => crew_computing  !! the team of those that compute; freed with the crew
    procedure :: serve => crew_serve
    procedure :: free => crew_free            !! local; lets the writer of the node return
  end type nearfar_output_crew

contains

  !> placement 'near' (default): the last rank of each node with at least `ranks_to_spare` ranks
  !> (default 2) writes; 'far': the last `far_writers` ranks (default 1) of the team. Collective
  !> over `all`.
  subroutine crew_create(self, all, placement, ranks_to_spare, far_writers, stat, errmsg)
    class(nearfar_output_crew), intent(out) :: self
    type(nearfar_team), intent(in) :: all
    character(*), intent(in), optional :: placement
    integer, intent(in), optional :: ranks_to_spare, far_writers
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_output_crew_options) :: options
    character(:), allocatable :: complaint
    integer(c_int) :: status

    complaint = ''
    options = c_output_crew_options()
    if (present(placement)) then
      options%placement = merge(nearfar_output_far, nearfar_output_near, placement == 'far')
      if (placement /= 'far' .and. placement /= 'near') &
        complaint = "placement is '" // placement // "'; it is near or far"
    end if
    if (present(ranks_to_spare)) options%ranks_to_spare = int(ranks_to_spare, c_int)
    if (present(far_writers)) options%far_writers = int(far_writers, c_int)
    status = nearfar_agree(live(all), c_text(complaint))
    if (status == 0) status = nearfar_output_crew_create(live(all), options, self%handle)
    call hold(self, status)
    call settle(status, 'output_crew%create', stat, errmsg)
  end subroutine crew_create

  pure logical function crew_is_writer(self)
    class(nearfar_output_crew), intent(in) :: self
    crew_is_writer = nearfar_output_crew_is_writer(live(self)) == 1
  end function crew_is_writer

  pure integer function crew_writers(self)
    class(nearfar_output_crew), intent(in) :: self
    crew_writers = int(nearfar_output_crew_writers(live(self)))
  end function crew_writers

  function crew_computing(self) result(team)
    class(nearfar_output_crew), intent(in) :: self
    type(nearfar_team) :: team
    call borrow(team, nearfar_output_crew_computing(live(self)), self)
    if (.not. c_associated(team%handle)) call settle(1_c_int, 'output_crew%computing')
  end function crew_computing

  !> On a writer: writes until the computing ranks of the node have freed their crew, or died.
  subroutine crew_serve(self, stat, errmsg)
    class(nearfar_output_crew), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_output_crew_serve(live(self)), 'output_crew%serve', stat, errmsg)
  end subroutine crew_serve

  subroutine crew_free(self, stat, errmsg)
    class(nearfar_output_crew), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int) :: status

    handle = live(self)
    status = nearfar_output_crew_free(handle)
    if (status == 0) call release(self)
    call settle(status, 'output_crew%free', stat, errmsg)
  end subroutine crew_free

end module nearfar_output_crews
