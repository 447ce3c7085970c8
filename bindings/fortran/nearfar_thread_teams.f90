! SPDX-License-Identifier: BSD-3-Clause
! Thread teams: collectives called by all threads of all ranks, each thread with arrays of its own.
module nearfar_thread_teams
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi_f08, only: MPI_Datatype, MPI_Op
  use nearfar_faults, only: settle, text_of
  use nearfar_teams, only: nearfar_team
  implicit none (type, external)
  private
  public :: nearfar_thread_team

  !> Copies of an object of this type mean the same thread team.
  !>
  !> All threads of all ranks call the same procedures in the same order, with their own number in
  !> the rank, `thread`, from 0 on (omp_get_thread_num()). Thread 0 calls MPI for all: the main one,
  !> if MPI was initialised with MPI_THREAD_FUNNELED. Every thread gets the same bits.
  type :: nearfar_thread_team
    type(c_ptr) :: handle = c_null_ptr  !! the nearfar_thread_team * of the C interface
  contains
    procedure :: create => thread_team_create
    procedure :: threads => thread_team_threads    !! of this rank; -1 before create
    procedure :: size => thread_team_size          !! threads of all ranks
    procedure :: first_of => thread_team_first_of  !! number of a rank's thread 0 among all, from 0
    procedure :: describe => thread_team_describe
    procedure :: barrier => thread_team_barrier
    procedure :: allreduce => thread_team_allreduce
    procedure :: allreduce_in_place => thread_team_allreduce_in_place
    procedure :: reduce => thread_team_reduce
    procedure :: reduce_scatter_block => thread_team_reduce_scatter_block
    procedure :: bcast => thread_team_bcast
    procedure :: allgather => thread_team_allgather
    procedure :: free => thread_team_free
  end type nearfar_thread_team

  interface
    function nearfar_thread_team_create(team, threads, all) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: team
      integer(c_int), value :: threads
      type(c_ptr), intent(out) :: all
      integer(c_int) :: status
    end function nearfar_thread_team_create

    function nearfar_thread_team_free(all) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: all
      integer(c_int) :: status
    end function nearfar_thread_team_free

    pure function nearfar_thread_team_threads(all) bind(C) result(number)
      import :: c_int, c_ptr
      type(c_ptr), value, intent(in) :: all
      integer(c_int) :: number
    end function nearfar_thread_team_threads

    pure function nearfar_thread_team_size(all) bind(C) result(number)
      import :: c_int64_t, c_ptr
      type(c_ptr), value, intent(in) :: all
      integer(c_int64_t) :: number
    end function nearfar_thread_team_size

    pure function nearfar_thread_team_first_of(all, rank) bind(C) result(number)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value, intent(in) :: all
      integer(c_int), value, intent(in) :: rank
      integer(c_int64_t) :: number
    end function nearfar_thread_team_first_of

    function nearfar_thread_team_describe(all) bind(C) result(text)
      import :: c_ptr
      type(c_ptr), value :: all
      type(c_ptr) :: text
    end function nearfar_thread_team_describe

    function nearfar_thread_barrier(all, thread) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: all
      integer(c_int), value :: thread
      integer(c_int) :: status
    end function nearfar_thread_barrier

    function nearfar_thread_allreduce_fint(all, thread, send, recv, count, datatype, op) bind(C) &
      result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: all, send, recv
      integer(c_int), value :: thread, datatype, op
      integer(c_int64_t), value :: count
      integer(c_int) :: status
    end function nearfar_thread_allreduce_fint

    function nearfar_thread_reduce_fint(all, thread, send, recv, count, datatype, op, root_rank, &
      root_thread) bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: all, send, recv
      integer(c_int), value :: thread, datatype, op, root_rank, root_thread
      integer(c_int64_t), value :: count
      integer(c_int) :: status
    end function nearfar_thread_reduce_fint

    function nearfar_thread_reduce_scatter_block_fint(all, thread, send, recv, count, datatype, &
      op) bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: all, send, recv
      integer(c_int), value :: thread, datatype, op
      integer(c_int64_t), value :: count
      integer(c_int) :: status
    end function nearfar_thread_reduce_scatter_block_fint

    function nearfar_thread_bcast_fint(all, thread, data, count, datatype, root_rank, &
      root_thread) bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: all, data
      integer(c_int), value :: thread, datatype, root_rank, root_thread
      integer(c_int64_t), value :: count
      integer(c_int) :: status
    end function nearfar_thread_bcast_fint

    function nearfar_thread_allgather_fint(all, thread, send, recv, count, datatype) bind(C) &
      result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: all, send, recv
      integer(c_int), value :: thread, datatype
      integer(c_int64_t), value :: count
      integer(c_int) :: status
    end function nearfar_thread_allgather_fint
  end interface

contains

  !> Made by one thread of each rank, which has `threads` threads. Collective over `team`.
  subroutine thread_team_create(self, team, threads, stat, errmsg)
    class(nearfar_thread_team), intent(out) :: self
    type(nearfar_team), intent(in) :: team
    integer, intent(in) :: threads
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(nearfar_thread_team_create(team%handle, int(threads, c_int), self%handle), &
      'thread_team%create', stat, errmsg)
  end subroutine thread_team_create

  pure integer function thread_team_threads(self)
    class(nearfar_thread_team), intent(in) :: self
    thread_team_threads = int(nearfar_thread_team_threads(self%handle))
  end function thread_team_threads

  pure integer(int64) function thread_team_size(self)
    class(nearfar_thread_team), intent(in) :: self
    thread_team_size = nearfar_thread_team_size(self%handle)
  end function thread_team_size

  pure integer(int64) function thread_team_first_of(self, rank)
    class(nearfar_thread_team), intent(in) :: self
    integer, intent(in) :: rank
    thread_team_first_of = nearfar_thread_team_first_of(self%handle, int(rank, c_int))
  end function thread_team_first_of

  !> A line per fact; '' before create.
  function thread_team_describe(self) result(text)
    class(nearfar_thread_team), intent(in) :: self
    character(:), allocatable :: text
    text = text_of(nearfar_thread_team_describe(self%handle))
  end function thread_team_describe

  subroutine thread_team_barrier(self, thread, stat, errmsg)
    class(nearfar_thread_team), intent(in) :: self
    integer, intent(in) :: thread
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_thread_barrier(self%handle, int(thread, c_int)), 'thread_team%barrier', &
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

    call settle(nearfar_thread_allreduce_fint(self%handle, int(thread, c_int), c_loc(send), &
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

    call settle(nearfar_thread_allreduce_fint(self%handle, int(thread, c_int), c_null_ptr, &
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

    call settle(nearfar_thread_reduce_fint(self%handle, int(thread, c_int), c_loc(send), &
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

    call settle(nearfar_thread_reduce_scatter_block_fint(self%handle, int(thread, c_int), &
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

    call settle(nearfar_thread_bcast_fint(self%handle, int(thread, c_int), c_loc(data), &
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

    call settle(nearfar_thread_allgather_fint(self%handle, int(thread, c_int), c_loc(send), &
      c_loc(recv), int(count, c_int64_t), datatype%MPI_VAL), 'thread_team%allgather', stat, errmsg)
  end subroutine thread_team_allgather

  !> By one thread of each rank, when the others have left their last call. Collective.
  subroutine thread_team_free(self, stat, errmsg)
    class(nearfar_thread_team), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_thread_team_free(self%handle), 'thread_team%free', stat, errmsg)
  end subroutine thread_team_free

end module nearfar_thread_teams
