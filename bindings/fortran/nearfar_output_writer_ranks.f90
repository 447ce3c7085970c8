! SPDX-License-Identifier: BSD-3-Clause
! Ranks that write, and the team of those that compute.
module nearfar_output_writer_ranks
  use, intrinsic :: iso_c_binding, only: c_associated, c_int, c_ptr
  use nearfar_c, only: c_output_writers_options, nearfar_agree, nearfar_output_writers_computing, &
    nearfar_output_writers_create, nearfar_output_writers_free, nearfar_output_writers_is_writer, &
    nearfar_output_writers_serve, nearfar_output_writers_count
  use nearfar_faults, only: c_text, settle
  use nearfar_objects, only: borrow, hold, live, nearfar_object, release
  use nearfar_plan_options, only: choice
  use nearfar_teams, only: nearfar_team
  use nearfar_words, only: output_placement_words
  implicit none (type, external)
  private
  public :: nearfar_output_writers

  !> Ranks that write, and the team of those that compute. Copies mean the same object.
  type, extends(nearfar_object) :: nearfar_output_writers
  contains
    procedure :: create => writers_create
    procedure :: is_writer => writers_is_writer  !! this rank calls serve, the others create streams
    procedure :: count => writers_count          !! in the whole team
    procedure :: computing => writers_computing  !! the ranks that compute; freed with the object
    procedure :: serve => writers_serve
    procedure :: free => writers_free            !! local; lets the writer of the node return
  end type nearfar_output_writers

contains

  !> placement 'near' (default): the last rank of each node with at least `ranks_to_spare` ranks
  !> (default 2) writes; 'far': the last `far_writers` ranks (default 1) of the team. Collective
  !> over `all`.
  subroutine writers_create(self, all, placement, ranks_to_spare, far_writers, stat, errmsg)
    class(nearfar_output_writers), intent(out) :: self
    type(nearfar_team), intent(in) :: all
    character(*), intent(in), optional :: placement
    integer, intent(in), optional :: ranks_to_spare, far_writers
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_output_writers_options) :: options
    character(:), allocatable :: complaint
    integer(c_int) :: status

    complaint = ''
    options = c_output_writers_options()
    options%placement = choice(output_placement_words, 'placement', placement, complaint)
    if (present(ranks_to_spare)) options%ranks_to_spare = int(ranks_to_spare, c_int)
    if (present(far_writers)) options%far_writers = int(far_writers, c_int)
    status = nearfar_agree(live(all), c_text(complaint))
    if (status == 0) status = nearfar_output_writers_create(live(all), options, self%handle)
    call hold(self, status)
    call settle(status, 'output_writers%create', stat, errmsg)
  end subroutine writers_create

  pure logical function writers_is_writer(self)
    class(nearfar_output_writers), intent(in) :: self
    writers_is_writer = nearfar_output_writers_is_writer(live(self)) == 1
  end function writers_is_writer

  pure integer function writers_count(self)
    class(nearfar_output_writers), intent(in) :: self
    writers_count = int(nearfar_output_writers_count(live(self)))
  end function writers_count

  function writers_computing(self) result(team)
    class(nearfar_output_writers), intent(in) :: self
    type(nearfar_team) :: team
    call borrow(team, nearfar_output_writers_computing(live(self)), self)
    if (.not. c_associated(team%handle)) call settle(1_c_int, 'output_writers%computing')
  end function writers_computing

  !> On a writer: writes until the computing ranks of the node have freed their object, or died.
  subroutine writers_serve(self, stat, errmsg)
    class(nearfar_output_writers), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_output_writers_serve(live(self)), 'output_writers%serve', stat, errmsg)
  end subroutine writers_serve

  subroutine writers_free(self, stat, errmsg)
    class(nearfar_output_writers), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int) :: status

    handle = live(self)
    status = nearfar_output_writers_free(handle)
    if (status == 0) call release(self)
    call settle(status, 'output_writers%free', stat, errmsg)
  end subroutine writers_free

end module nearfar_output_writer_ranks
