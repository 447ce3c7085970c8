! SPDX-License-Identifier: BSD-3-Clause
! Collective calls on a team, and plans of them, for arrays of any kind and rank.
!
! Numbers are combined, anything else is moved as it lies. Without `out` a call works in place.
! Roots count from 0, as in MPI. Where an array is not used it may have no elements. With plan= the
! call is not carried out but made a plan.
module nearfar_collectives
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int64_t, c_loc, &
    c_null_ptr, c_ptr
  use nearfar_faults, only: c_text, settle
  use nearfar_plans, only: nearfar_plan
  use nearfar_teams, only: nearfar_team
  implicit none (type, external)
  private
  public :: nearfar_barrier, nearfar_bcast, nearfar_reduce, nearfar_allreduce, &
    nearfar_scan, nearfar_exscan, nearfar_reduce_scatter, nearfar_reduce_scatter_block, &
    nearfar_gather, nearfar_gatherv, nearfar_scatter, nearfar_scatterv, nearfar_allgather, &
    nearfar_allgatherv, nearfar_alltoall, nearfar_alltoallv

  type, bind(C) :: c_wish  ! what the call is, besides its arrays: collective.c
    integer(c_int) :: kind, root, op_number, op_handle
    type(c_ptr) :: send_counts, send_places, receive_counts, receive_places
  end type c_wish

  type, bind(C) :: c_plan_options
    type(c_ptr) :: name, method
    real(c_double) :: budget_s
  end type c_plan_options

  character(*), parameter :: operations(0:9) = [character(7) :: 'sum', 'product', 'min', 'max', &
    'and', 'or', 'xor', 'bit_and', 'bit_or', 'bit_xor']

  interface
    function nearfar_fortran_collective(team, wish, in, out, options, plan) &
      bind(C) result(status)
      import :: c_int, c_plan_options, c_ptr, c_wish
      type(c_ptr), value :: team
      type(c_wish), intent(in) :: wish
      type(*), optional :: in(..), out(..)
      type(c_plan_options), intent(in), optional :: options
      type(c_ptr), intent(inout), optional :: plan
      integer(c_int) :: status
    end function nearfar_fortran_collective

    function nearfar_barrier_plan(team, options, plan) bind(C) result(status)
      import :: c_int, c_plan_options, c_ptr
      type(c_ptr), value :: team
      type(c_plan_options), intent(in) :: options
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: status
    end function nearfar_barrier_plan

    function c_barrier(team) bind(C, name='nearfar_barrier') result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: team
      integer(c_int) :: status
    end function c_barrier
  end interface

contains

  !> Returns when every rank has called it.
  subroutine nearfar_barrier(team, plan, stat, errmsg)
    type(nearfar_team), intent(in) :: team
    type(nearfar_plan), intent(inout), optional :: plan
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char), allocatable, target :: name(:), method(:)
    integer(c_int) :: status

    if (present(plan)) then
      allocate (name, source=c_text(plan%name))
      allocate (method, source=c_text(plan%wanted))
      status = nearfar_barrier_plan(team%handle, c_plan_options(c_loc(name), c_loc(method), &
        real(plan%budget_s, c_double)), plan%handle)
    else
      status = c_barrier(team%handle)
    end if
    call settle(status, 'nearfar_barrier', stat, errmsg)
  end subroutine nearfar_barrier

  !> The root's array on every rank.
  subroutine nearfar_bcast(team, array, root, plan, stat, errmsg)
    type(nearfar_team), intent(in) :: team
    type(*), target :: array(..)
    integer, intent(in) :: root
    type(nearfar_plan), intent(inout), optional :: plan
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_wish) :: wish

    wish = wish_of(1, root=root)
    call carry_out(team, wish, 'bcast', array, plan=plan, stat=stat, errmsg=errmsg)
  end subroutine nearfar_bcast

  !> The arrays of all ranks combined, on the root; `out` of others is not used.
  !> op: 'sum', 'product', 'min', 'max', 'and', 'or', 'xor', 'bit_and', 'bit_or' or 'bit_xor'; or
  !> mpi_op: any MPI_Op, as an integer (%MPI_VAL).
  subroutine nearfar_reduce(team, in, out, op, root, mpi_op, plan, stat, errmsg)
    type(nearfar_team), intent(in) :: team
    type(*), target :: in(..)
    type(*), target, optional :: out(..)
    character(*), intent(in), optional :: op
    integer, intent(in) :: root
    integer, intent(in), optional :: mpi_op
    type(nearfar_plan), intent(inout), optional :: plan
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_wish) :: wish

    wish = wish_of(2, root=root, op=op, mpi_op=mpi_op)
    call carry_out(team, wish, 'reduce', in, out, plan, stat, errmsg)
  end subroutine nearfar_reduce

  !> The arrays of all ranks combined, on every rank. op, mpi_op: as for reduce.
  subroutine nearfar_allreduce(team, in, out, op, mpi_op, plan, stat, errmsg)
    type(nearfar_team), intent(in) :: team
    type(*), target :: in(..)
    type(*), target, optional :: out(..)
    character(*), intent(in), optional :: op
    integer, intent(in), optional :: mpi_op
    type(nearfar_plan), intent(inout), optional :: plan
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_wish) :: wish

    wish = wish_of(3, op=op, mpi_op=mpi_op)
    call carry_out(team, wish, 'allreduce', in, out, plan, stat, errmsg)
  end subroutine nearfar_allreduce

  !> The arrays of ranks up to this one combined.
  subroutine nearfar_scan(team, in, out, op, mpi_op, plan, stat, errmsg)
    type(nearfar_team), intent(in) :: team
    type(*), target :: in(..)
    type(*), target, optional :: out(..)
    character(*), intent(in), optional :: op
    integer, intent(in), optional :: mpi_op
    type(nearfar_plan), intent(inout), optional :: plan
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_wish) :: wish

    wish = wish_of(15, op=op, mpi_op=mpi_op)
    call carry_out(team, wish, 'scan', in, out, plan, stat, errmsg)
  end subroutine nearfar_scan

  !> The arrays of ranks below this one combined; not defined on rank 0.
  subroutine nearfar_exscan(team, in, out, op, mpi_op, plan, stat, errmsg)
    type(nearfar_team), intent(in) :: team
    type(*), target :: in(..)
    type(*), target, optional :: out(..)
    character(*), intent(in), optional :: op
    integer, intent(in), optional :: mpi_op
    type(nearfar_plan), intent(inout), optional :: plan
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_wish) :: wish

    wish = wish_of(16, op=op, mpi_op=mpi_op)
    call carry_out(team, wish, 'exscan', in, out, plan, stat, errmsg)
  end subroutine nearfar_exscan

  !> All arrays combined; rank r gets counts(r + 1) elements.
  subroutine nearfar_reduce_scatter(team, in, out, op, counts, mpi_op, plan, stat, errmsg)
    type(nearfar_team), intent(in) :: team
    type(*), target :: in(..)
    type(*), target, optional :: out(..)
    character(*), intent(in), optional :: op
    integer, intent(in) :: counts(:)
    integer, intent(in), optional :: mpi_op
    type(nearfar_plan), intent(inout), optional :: plan
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_wish) :: wish
    integer(c_int64_t), allocatable, target :: c_counts(:)

    wish = wish_of(10, op=op, mpi_op=mpi_op)
    allocate (c_counts, source=int(counts, c_int64_t))
    wish%receive_counts = c_loc(c_counts)
    call carry_out(team, wish, 'reduce_scatter', in, out, plan, stat, errmsg)
  end subroutine nearfar_reduce_scatter

  !> All arrays combined; every rank gets as many elements as `out` has.
  subroutine nearfar_reduce_scatter_block(team, in, out, op, mpi_op, plan, stat, errmsg)
    type(nearfar_team), intent(in) :: team
    type(*), target :: in(..)
    type(*), target, optional :: out(..)
    character(*), intent(in), optional :: op
    integer, intent(in), optional :: mpi_op
    type(nearfar_plan), intent(inout), optional :: plan
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_wish) :: wish

    wish = wish_of(11, op=op, mpi_op=mpi_op)
    call carry_out(team, wish, 'reduce_scatter_block', in, out, plan, stat, errmsg)
  end subroutine nearfar_reduce_scatter_block

  !> Everybody's array, on the root; `out` of others is not used.
  subroutine nearfar_gather(team, in, out, root, plan, stat, errmsg)
    type(nearfar_team), intent(in) :: team
    type(*), target :: in(..)
    type(*), target :: out(..)
    integer, intent(in) :: root
    type(nearfar_plan), intent(inout), optional :: plan
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_wish) :: wish

    wish = wish_of(4, root=root)
    call carry_out(team, wish, 'gather', in, out, plan, stat, errmsg)
  end subroutine nearfar_gather

  !> The same with arrays of different sizes. places: where they begin, from 0; default: one
  !> after the other.
  subroutine nearfar_gatherv(team, in, out, counts, root, places, plan, stat, errmsg)
    type(nearfar_team), intent(in) :: team
    type(*), target :: in(..)
    type(*), target :: out(..)
    integer, intent(in) :: counts(:)
    integer, intent(in), optional :: places(:)
    integer, intent(in) :: root
    type(nearfar_plan), intent(inout), optional :: plan
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_wish) :: wish
    integer(c_int64_t), allocatable, target :: c_counts(:)
    integer(c_int64_t), allocatable, target :: c_places(:)

    wish = wish_of(5, root=root)
    allocate (c_counts, source=int(counts, c_int64_t))
    wish%receive_counts = c_loc(c_counts)
    allocate (c_places, source=places_of(counts, places))
    wish%receive_places = c_loc(c_places)
    call carry_out(team, wish, 'gatherv', in, out, plan, stat, errmsg)
  end subroutine nearfar_gatherv

  !> An equal part of the root's array for each rank; `in` of others is not used.
  subroutine nearfar_scatter(team, in, out, root, plan, stat, errmsg)
    type(nearfar_team), intent(in) :: team
    type(*), target :: in(..)
    type(*), target :: out(..)
    integer, intent(in) :: root
    type(nearfar_plan), intent(inout), optional :: plan
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_wish) :: wish

    wish = wish_of(6, root=root)
    call carry_out(team, wish, 'scatter', in, out, plan, stat, errmsg)
  end subroutine nearfar_scatter

  !> The same with parts of different sizes.
  subroutine nearfar_scatterv(team, in, out, counts, root, places, plan, stat, errmsg)
    type(nearfar_team), intent(in) :: team
    type(*), target :: in(..)
    type(*), target :: out(..)
    integer, intent(in) :: counts(:)
    integer, intent(in), optional :: places(:)
    integer, intent(in) :: root
    type(nearfar_plan), intent(inout), optional :: plan
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_wish) :: wish
    integer(c_int64_t), allocatable, target :: c_counts(:)
    integer(c_int64_t), allocatable, target :: c_places(:)

    wish = wish_of(7, root=root)
    allocate (c_counts, source=int(counts, c_int64_t))
    wish%send_counts = c_loc(c_counts)
    allocate (c_places, source=places_of(counts, places))
    wish%send_places = c_loc(c_places)
    call carry_out(team, wish, 'scatterv', in, out, plan, stat, errmsg)
  end subroutine nearfar_scatterv

  !> Everybody's array, on every rank.
  subroutine nearfar_allgather(team, in, out, plan, stat, errmsg)
    type(nearfar_team), intent(in) :: team
    type(*), target :: in(..)
    type(*), target, optional :: out(..)
    type(nearfar_plan), intent(inout), optional :: plan
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_wish) :: wish

    wish = wish_of(8)
    call carry_out(team, wish, 'allgather', in, out, plan, stat, errmsg)
  end subroutine nearfar_allgather

  !> The same with arrays of different sizes.
  subroutine nearfar_allgatherv(team, in, out, counts, places, plan, stat, errmsg)
    type(nearfar_team), intent(in) :: team
    type(*), target :: in(..)
    type(*), target, optional :: out(..)
    integer, intent(in) :: counts(:)
    integer, intent(in), optional :: places(:)
    type(nearfar_plan), intent(inout), optional :: plan
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_wish) :: wish
    integer(c_int64_t), allocatable, target :: c_counts(:)
    integer(c_int64_t), allocatable, target :: c_places(:)

    wish = wish_of(9)
    allocate (c_counts, source=int(counts, c_int64_t))
    wish%receive_counts = c_loc(c_counts)
    allocate (c_places, source=places_of(counts, places))
    wish%receive_places = c_loc(c_places)
    call carry_out(team, wish, 'allgatherv', in, out, plan, stat, errmsg)
  end subroutine nearfar_allgatherv

  !> An equal part of every array for each rank.
  subroutine nearfar_alltoall(team, in, out, plan, stat, errmsg)
    type(nearfar_team), intent(in) :: team
    type(*), target :: in(..)
    type(*), target, optional :: out(..)
    type(nearfar_plan), intent(inout), optional :: plan
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_wish) :: wish

    wish = wish_of(12)
    call carry_out(team, wish, 'alltoall', in, out, plan, stat, errmsg)
  end subroutine nearfar_alltoall

  !> The same with parts of different sizes.
  subroutine nearfar_alltoallv(team, in, out, send_counts, receive_counts, send_places, &
    receive_places, plan, stat, errmsg)
    type(nearfar_team), intent(in) :: team
    type(*), target :: in(..)
    type(*), target :: out(..)
    integer, intent(in) :: send_counts(:)
    integer, intent(in) :: receive_counts(:)
    integer, intent(in), optional :: send_places(:)
    integer, intent(in), optional :: receive_places(:)
    type(nearfar_plan), intent(inout), optional :: plan
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_wish) :: wish
    integer(c_int64_t), allocatable, target :: c_send_counts(:)
    integer(c_int64_t), allocatable, target :: c_receive_counts(:)
    integer(c_int64_t), allocatable, target :: c_send_places(:)
    integer(c_int64_t), allocatable, target :: c_receive_places(:)

    wish = wish_of(13)
    allocate (c_send_counts, source=int(send_counts, c_int64_t))
    wish%send_counts = c_loc(c_send_counts)
    allocate (c_receive_counts, source=int(receive_counts, c_int64_t))
    wish%receive_counts = c_loc(c_receive_counts)
    allocate (c_send_places, source=places_of(send_counts, send_places))
    wish%send_places = c_loc(c_send_places)
    allocate (c_receive_places, source=places_of(receive_counts, receive_places))
    wish%receive_places = c_loc(c_receive_places)
    call carry_out(team, wish, 'alltoallv', in, out, plan, stat, errmsg)
  end subroutine nearfar_alltoallv

  ! The numbers of kinds are those of nearfar_call in the C interface.
  pure type(c_wish) function wish_of(kind, root, op, mpi_op) result(wish)
    integer, intent(in) :: kind
    integer, intent(in), optional :: root, mpi_op
    character(*), intent(in), optional :: op
    integer :: i

    wish = c_wish(int(kind, c_int), 0_c_int, -2_c_int, 0_c_int, c_null_ptr, c_null_ptr, &
      c_null_ptr, c_null_ptr)
    if (present(root)) wish%root = int(root, c_int)
    if (present(mpi_op)) then
      wish%op_number = -1_c_int
      wish%op_handle = int(mpi_op, c_int)
    end if
    if (.not. present(op)) return
    do i = lbound(operations, 1), ubound(operations, 1)
      if (operations(i) == op) wish%op_number = int(i, c_int)
    end do
  end function wish_of

  pure function places_of(counts, places) result(all)
    integer, intent(in) :: counts(:)
    integer, intent(in), optional :: places(:)
    integer(c_int64_t), allocatable :: all(:)
    integer :: i

    if (present(places)) then
      all = int(places, c_int64_t)
      return
    end if
    allocate (all(size(counts)))
    if (size(counts) > 0) all(1) = 0
    do i = 2, size(counts)
      all(i) = all(i - 1) + counts(i - 1)
    end do
  end function places_of

  subroutine carry_out(team, wish, name, in, out, plan, stat, errmsg)
    type(nearfar_team), intent(in) :: team
    type(c_wish), intent(in) :: wish
    character(*), intent(in) :: name
    type(*), target :: in(..)
    type(*), target, optional :: out(..)
    type(nearfar_plan), intent(inout), optional :: plan
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char), allocatable, target :: plan_name(:), method(:)
    type(c_plan_options) :: options
    integer(c_int) :: status

    if (present(plan)) then
      allocate (plan_name, source=c_text(plan%name))
      allocate (method, source=c_text(plan%wanted))
      options = c_plan_options(c_loc(plan_name), c_loc(method), real(plan%budget_s, c_double))
      status = nearfar_fortran_collective(team%handle, wish, in, out, options, plan%handle)
    else
      status = nearfar_fortran_collective(team%handle, wish, in, out)
    end if
    call settle(status, 'nearfar_' // name, stat, errmsg)
  end subroutine carry_out

end module nearfar_collectives
