! SPDX-License-Identifier: BSD-3-Clause
! Teams: the ranks that work together, and which of them are near (same node) or far.
module nearfar_teams
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr
  use mpi_f08, only: MPI_Comm
  use nearfar_c, only: c_team_options, nearfar_team_create_fint, nearfar_team_describe, &
    nearfar_team_free, nearfar_team_near_rank, nearfar_team_near_size, nearfar_team_node, &
    nearfar_team_nodes, nearfar_team_rank, nearfar_team_size
  use nearfar_faults, only: description_of, settle
  use nearfar_objects, only: freeable, hold, live, nearfar_object, release
  implicit none (type, external)
  private
  public :: nearfar_team

  !> Copies of an object of this type mean the same team.
  type, extends(nearfar_object) :: nearfar_team
  contains
    procedure, private :: create_team, create_team_integer
    generic :: create => create_team, create_team_integer
    procedure :: rank => team_rank            !! this rank in the team, from 0; -1 before create
    procedure :: size => team_size            !! ranks in the team
    procedure :: node => team_node            !! number of this rank's node, from 0
    procedure :: nodes => team_nodes          !! nodes in the team
    procedure :: near_rank => team_near_rank  !! this rank among those of its node, from 0
    procedure :: near_size => team_near_size  !! ranks on this node
    procedure :: describe => team_describe
    procedure :: free => team_free            !! collective; and everything that was made from it
  end type nearfar_team

contains

  !> Finds out who is near. Collective over `comm`, which is duplicated. `node_size` cuts nodes into
  !> pretend nodes of that many ranks (default: NEARFAR_NODE_SIZE, or the real nodes).
  subroutine create_team(self, comm, node_size, stat, errmsg)
    class(nearfar_team), intent(out) :: self
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in), optional :: node_size
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call create_team_integer(self, comm%MPI_VAL, node_size, stat, errmsg)
  end subroutine create_team

  !> For programs that `use mpi`, where communicators are integers.
  subroutine create_team_integer(self, comm, node_size, stat, errmsg)
    class(nearfar_team), intent(out) :: self
    integer, intent(in) :: comm
    integer, intent(in), optional :: node_size
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_team_options) :: options
    integer(c_int) :: status

    if (present(node_size)) options%node_size = int(node_size, c_int)
    status = nearfar_team_create_fint(int(comm, c_int), options, self%handle)
    call hold(self, status)
    call settle(status, 'team%create', stat, errmsg)
  end subroutine create_team_integer

  pure integer function team_rank(self)
    class(nearfar_team), intent(in) :: self
    team_rank = int(nearfar_team_rank(live(self)))
  end function team_rank

  pure integer function team_size(self)
    class(nearfar_team), intent(in) :: self
    team_size = int(nearfar_team_size(live(self)))
  end function team_size

  pure integer function team_node(self)
    class(nearfar_team), intent(in) :: self
    team_node = int(nearfar_team_node(live(self)))
  end function team_node

  pure integer function team_nodes(self)
    class(nearfar_team), intent(in) :: self
    team_nodes = int(nearfar_team_nodes(live(self)))
  end function team_nodes

  pure integer function team_near_rank(self)
    class(nearfar_team), intent(in) :: self
    team_near_rank = int(nearfar_team_near_rank(live(self)))
  end function team_near_rank

  pure integer function team_near_size(self)
    class(nearfar_team), intent(in) :: self
    team_near_size = int(nearfar_team_near_size(live(self)))
  end function team_near_size
  include 'generated/team_object.inc'

end module nearfar_teams
