! SPDX-License-Identifier: BSD-3-Clause
! Thread teams: collectives called by all threads of all ranks, each thread with arrays of its own.
module nearfar_thread_teams
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi_f08, only: MPI_Datatype, MPI_Op
  use nearfar_c, only: nearfar_thread_allgather_fint, nearfar_thread_allreduce_fint, &
    nearfar_thread_barrier, nearfar_thread_bcast_fint, nearfar_thread_reduce_fint, &
    nearfar_thread_reduce_scatter_block_fint, nearfar_thread_team_create, &
    nearfar_thread_team_describe, nearfar_thread_team_first_of, nearfar_thread_team_free, &
    nearfar_thread_team_size, nearfar_thread_team_threads
  use nearfar_faults, only: description_of, settle
  use nearfar_objects, only: freeable, hold, live, nearfar_object, release
  use nearfar_teams, only: nearfar_team
  implicit none (type, external)
  private
  public :: nearfar_thread_team

  !> Copies of an object of this type mean the same thread team.
  !>
  !> All threads of all ranks call the same procedures in the same order, with their own number in
  !> the rank, `thread`, from 0 on (omp_get_thread_num()). Thread 0 calls MPI for all: the main one,
  !> if MPI was initialised with MPI_THREAD_FUNNELED. Every thread gets the same bits.
  type, extends(nearfar_object) :: nearfar_thread_team
  contains
    procedure :: create => thread_team_create
    procedure :: threads => thread_team_threads    !! of this rank; -1 before create
    procedure :: size => thread_team_size          !! threads of all ranks
    procedure :: first_of => thread_team_first_of  !! number of a rank's thread 0 among all, from 0
    procedure :: describe => thread_team_describe
    procedure :: barrier => thread_team_barrier    !! returns when all threads have called it
    procedure :: allreduce => thread_team_allreduce
    !> allreduce whose input is where the result goes.
    procedure :: allreduce_in_place => thread_team_allreduce_in_place
    procedure :: reduce => thread_team_reduce
    procedure :: reduce_scatter_block => thread_team_reduce_scatter_block
    procedure :: bcast => thread_team_bcast
    procedure :: allgather => thread_team_allgather
    procedure :: free => thread_team_free          !! collective, by one thread of each rank
  end type nearfar_thread_team

contains

  !> Made by one thread of each rank, which has `threads` threads. Collective over `team`.
  subroutine thread_team_create(self, team, threads, stat, errmsg)
    class(nearfar_thread_team), intent(out) :: self
    type(nearfar_team), intent(in) :: team
    integer, intent(in) :: threads
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status

    status = nearfar_thread_team_create(live(team), int(threads, c_int), self%handle)
    call hold(self, status)
    call settle(status, 'thread_team%create', stat, errmsg)
  end subroutine thread_team_create

  pure integer function thread_team_threads(self)
    class(nearfar_thread_team), intent(in) :: self
    thread_team_threads = int(nearfar_thread_team_threads(live(self)))
  end function thread_team_threads

  pure integer(int64) function thread_team_size(self)
    class(nearfar_thread_team), intent(in) :: self
    thread_team_size = nearfar_thread_team_size(live(self))
  end function thread_team_size

  pure integer(int64) function thread_team_first_of(self, rank)
    class(nearfar_thread_team), intent(in) :: self
    integer, intent(in) :: rank
    thread_team_first_of = nearfar_thread_team_first_of(live(self), int(rank, c_int))
  end function thread_team_first_of

  subroutine thread_team_barrier(self, thread, stat, errmsg)
    class(nearfar_thread_team), intent(in) :: self
    integer, intent(in) :: thread
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_thread_barrier(live(self), int(thread, c_int)), 'thread_team%barrier', &
      stat, errmsg)
  end subroutine thread_team_barrier

  !> recv = the `op` of the `send` of all threads, `count` elements.
  subroutine thread_team_allreduce(self, thread, send, recv, count, datatype, op, stat, errmsg)
    class(nearfar_thread_team), intent(in) :: self
    integer, intent(in) :: thread, count
    type(*), dimension(*), intent(in), target :: send
    type(*), dimension(*), target :: recv
    type(MPI_Datatype), intent(in) :: datatype
    type(MPI_Op), intent(in) :: op
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(nearfar_thread_allreduce_fint(live(self), int(thread, c_int), c_loc(send), &
      c_loc(recv), int(count, c_int64_t), datatype%MPI_VAL, op%MPI_VAL), 'thread_team%allreduce', &
      stat, errmsg)
  end subroutine thread_team_allreduce

  subroutine thread_team_allreduce_in_place(self, thread, data, count, datatype, op, stat, errmsg)
    class(nearfar_thread_team), intent(in) :: self
    integer, intent(in) :: thread, count
    type(*), dimension(*), target :: data
    type(MPI_Datatype), intent(in) :: datatype
    type(MPI_Op), intent(in) :: op
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(nearfar_thread_allreduce_fint(live(self), int(thread, c_int), c_null_ptr, &
      c_loc(data), int(count, c_int64_t), datatype%MPI_VAL, op%MPI_VAL), &
      'thread_team%allreduce_in_place', stat, errmsg)
  end subroutine thread_team_allreduce_in_place

  !> The same with the result on one thread alone; `recv` counts only there.
  subroutine thread_team_reduce(self, thread, send, recv, count, datatype, op, root_rank, &
    root_thread, stat, errmsg)
    class(nearfar_thread_team), intent(in) :: self
    integer, intent(in) :: thread, count, root_rank, root_thread
    type(*), dimension(*), intent(in), target :: send
    type(*), dimension(*), target :: recv
    type(MPI_Datatype), intent(in) :: datatype
    type(MPI_Op), intent(in) :: op
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(nearfar_thread_reduce_fint(live(self), int(thread, c_int), c_loc(send), &
      c_loc(recv), int(count, c_int64_t), datatype%MPI_VAL, op%MPI_VAL, int(root_rank, c_int), &
      int(root_thread, c_int)), 'thread_team%reduce', stat, errmsg)
  end subroutine thread_team_reduce

  !> Each thread gets its `count` elements of the result of `send`, which has size() * count.
  subroutine thread_team_reduce_scatter_block(self, thread, send, recv, count, datatype, op, stat, &
    errmsg)
    class(nearfar_thread_team), intent(in) :: self
    integer, intent(in) :: thread, count
    type(*), dimension(*), intent(in), target :: send
    type(*), dimension(*), target :: recv
    type(MPI_Datatype), intent(in) :: datatype
    type(MPI_Op), intent(in) :: op
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(nearfar_thread_reduce_scatter_block_fint(live(self), int(thread, c_int), &
      c_loc(send), c_loc(recv), int(count, c_int64_t), datatype%MPI_VAL, op%MPI_VAL), &
      'thread_team%reduce_scatter_block', stat, errmsg)
  end subroutine thread_team_reduce_scatter_block

  !> Copies `data` of one thread to all others.
  subroutine thread_team_bcast(self, thread, data, count, datatype, root_rank, root_thread, stat, &
    errmsg)
    class(nearfar_thread_team), intent(in) :: self
    integer, intent(in) :: thread, count, root_rank, root_thread
    type(*), dimension(*), target :: data
    type(MPI_Datatype), intent(in) :: datatype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(nearfar_thread_bcast_fint(live(self), int(thread, c_int), c_loc(data), &
      int(count, c_int64_t), datatype%MPI_VAL, int(root_rank, c_int), int(root_thread, c_int)), &
      'thread_team%bcast', stat, errmsg)
  end subroutine thread_team_bcast

  !> recv = the `send` of all threads one after the other, `count` elements each.
  subroutine thread_team_allgather(self, thread, send, recv, count, datatype, stat, errmsg)
    class(nearfar_thread_team), intent(in) :: self
    integer, intent(in) :: thread, count
    type(*), dimension(*), intent(in), target :: send
    type(*), dimension(*), target :: recv
    type(MPI_Datatype), intent(in) :: datatype
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(nearfar_thread_allgather_fint(live(self), int(thread, c_int), c_loc(send), &
      c_loc(recv), int(count, c_int64_t), datatype%MPI_VAL), 'thread_team%allgather', stat, errmsg)
  end subroutine thread_team_allgather

  include 'generated/thread_team_object.inc'

end module nearfar_thread_teams
