! SPDX-License-Identifier: BSD-3-Clause
! Teams: the ranks that work together, and which of them are near (same node) or far.
module nearfar_teams
  use, intrinsic :: iso_c_binding, only: c_int, c_null_ptr, c_ptr
  use mpi_f08, only: MPI_Comm
  use nearfar_c, only: nearfar_team_create_fint, nearfar_team_describe, nearfar_team_free, &
    nearfar_team_near_rank, nearfar_team_near_size, nearfar_team_node, nearfar_team_nodes, &
    nearfar_team_rank, nearfar_team_size
  use nearfar_faults, only: settle, text_of
  implicit none (type, external)
  private
  public :: nearfar_team

  !> Copies of an object of this type mean the same team.
  type :: nearfar_team
    type(c_ptr) :: handle = c_null_ptr  !! the nearfar_team * of the C interface
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
    procedure :: free => team_free
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
    integer(c_int) :: ranks_per_node

    ranks_per_node = 0
    if (present(node_size)) ranks_per_node = int(node_size, c_int)
    call settle(nearfar_team_create_fint(int(comm, c_int), ranks_per_node, self%handle), &
      'team%create', stat, errmsg)
  end subroutine create_team_integer

  pure integer function team_rank(self)
    class(nearfar_team), intent(in) :: self
    team_rank = int(nearfar_team_rank(self%handle))
  end function team_rank

  pure integer function team_size(self)
    class(nearfar_team), intent(in) :: self
    team_size = int(nearfar_team_size(self%handle))
  end function team_size

  pure integer function team_node(self)
    class(nearfar_team), intent(in) :: self
    team_node = int(nearfar_team_node(self%handle))
  end function team_node

  pure integer function team_nodes(self)
    class(nearfar_team), intent(in) :: self
    team_nodes = int(nearfar_team_nodes(self%handle))
  end function team_nodes

  pure integer function team_near_rank(self)
    class(nearfar_team), intent(in) :: self
    team_near_rank = int(nearfar_team_near_rank(self%handle))
  end function team_near_rank

  pure integer function team_near_size(self)
    class(nearfar_team), intent(in) :: self
    team_near_size = int(nearfar_team_near_size(self%handle))
  end function team_near_size

  !> A line per fact: nodes, ranks, cores, MPI. Local; '' before create.
  function team_describe(self) result(text)
    class(nearfar_team), intent(in) :: self
    character(:), allocatable :: text
    text = text_of(nearfar_team_describe(self%handle))
  end function team_describe

  !> Frees the team and everything made from it: pointers to its fields must not be used any more.
  !> Collective.
  subroutine team_free(self, stat, errmsg)
    class(nearfar_team), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_team_free(self%handle), 'team%free', stat, errmsg)
  end subroutine team_free

end module nearfar_teams
