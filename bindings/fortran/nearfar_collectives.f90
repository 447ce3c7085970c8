! SPDX-License-Identifier: BSD-3-Clause
! Collective calls on a team, and plans of them, for arrays of any kind and rank.
!
! Numbers are combined, anything else is moved as it lies. Without `out` a call works in place.
! Roots count from 0, as in MPI. Where an array is not used (`out` of ranks that are not the root,
! `in` of a scatter) it may have no elements. op: 'sum', 'product', 'min', 'max',
! 'logical_and', 'logical_or', 'logical_xor', 'bit_and', 'bit_or' or 'bit_xor'; or mpi_op: any
! MPI_Op, as an integer (%MPI_VAL). counts, displs: elements of each rank's part, and where it
! begins, from 0; without displs one part lies after the other. With plan= the call is not carried
! out but made a plan, with the options of plans: name, method, without and budget_s.
module nearfar_collectives
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  use nearfar_c, only: c_barrier => nearfar_barrier, c_plan_options, c_wish, nearfar_agree, &
    nearfar_collective_plan_barrier, nearfar_fortran_collective, nearfar_refuse
  use nearfar_constants, only: nearfar_call_bcast, nearfar_call_reduce, nearfar_call_allreduce, &
    nearfar_call_gather, nearfar_call_gatherv, nearfar_call_scatter, nearfar_call_scatterv, &
    nearfar_call_allgather, nearfar_call_allgatherv, nearfar_call_reduce_scatter, &
    nearfar_call_reduce_scatter_block, nearfar_call_alltoall, nearfar_call_alltoallv, &
    nearfar_call_scan, nearfar_call_exscan
  use nearfar_faults, only: c_text, settle, text_of_number
  use nearfar_objects, only: hold, live
  use nearfar_plan_options, only: copy_complaint, kept_texts, tell
  use nearfar_plans, only: nearfar_collective_plan
  use nearfar_teams, only: nearfar_team
  use nearfar_words, only: reduce_op_words
  implicit none (type, external)
  private
  public :: barrier, nearfar_bcast, nearfar_reduce, nearfar_allreduce, &
    nearfar_scan, nearfar_exscan, nearfar_reduce_scatter, nearfar_reduce_scatter_block, &
    nearfar_gather, nearfar_gatherv, nearfar_scatter, nearfar_scatterv, nearfar_allgather, &
    nearfar_allgatherv, nearfar_alltoall, nearfar_alltoallv

contains

  !> Returns when every rank has called it.
  subroutine barrier(team, plan, name, method, without, budget_s, stat, errmsg)
    type(nearfar_team), intent(in) :: team
    include 'call_options.inc'
    type(c_plan_options), target :: options
    type(kept_texts) :: kept
    integer(c_int) :: status

    if (present(plan)) then
      call tell(c_loc(options), kept, name, method, without, budget_s)
      status = nearfar_collective_plan_barrier(live(team), options, plan%handle)
      call hold(plan, status)
    else
      status = c_barrier(live(team))
    end if
    call settle(status, 'nearfar_barrier', stat, errmsg)
  end subroutine barrier

  include 'generated/collective_calls.inc'

  ! Carries the call `kind` out, or makes a plan of it.
  subroutine carry_out(kind, call, team, in, out, op, mpi_op, root, send_counts, send_displs, &
    receive_counts, receive_displs, plan, name, method, without, budget_s, stat, errmsg)
    integer(c_int), intent(in) :: kind
    character(*), intent(in) :: call
    type(nearfar_team), intent(in) :: team
    type(*), target :: in(..)
    type(*), target, optional :: out(..)
    character(*), intent(in), optional :: op
    integer, intent(in), optional :: mpi_op, root, send_counts(:), send_displs(:), &
      receive_counts(:), receive_displs(:)
    include 'call_options.inc'
    integer(c_int64_t), allocatable, target :: counts(:,:), displs(:,:)
    type(c_plan_options), target :: options
    type(kept_texts) :: kept
    type(c_wish) :: wish
    character(:), allocatable :: complaint
    type(c_ptr) :: no_plan
    integer(c_int) :: status

    no_plan = c_null_ptr
    wish = c_wish(kind=kind, op_number=number_of(op))
    if (present(root)) wish%root = int(root, c_int)
    if (present(mpi_op)) then
      wish%op_number = -1_c_int
      wish%op_handle = int(mpi_op, c_int)
    end if
    allocate (counts(max(1, team%size()), 2), displs(max(1, team%size()), 2))
    complaint = ''
    if (.not. present(root) .or. team%rank() == wish%root) complaint = lists_complaint( &
      team%size(), send_counts, send_displs) // lists_complaint(team%size(), receive_counts, &
      receive_displs)
    call list(send_counts, send_displs, counts(:, 1), displs(:, 1), wish%send_counts, &
      wish%send_displs)
    call list(receive_counts, receive_displs, counts(:, 2), displs(:, 2), wish%receive_counts, &
      wish%receive_displs)
    if (present(plan)) then
      call tell(c_loc(options), kept, name, method, without, budget_s)
      if (complaint == '') complaint = copy_complaint(in, 'in')
      if (complaint == '') complaint = copy_complaint(out, 'out')
      status = nearfar_agree(live(team), c_text(complaint))
      if (status == 0) status = nearfar_fortran_collective(live(team), wish, in, out, options, &
        plan%handle)
      call hold(plan, status)
    else if (complaint /= '') then
      status = nearfar_refuse(c_text(complaint))
    else
      status = nearfar_fortran_collective(live(team), wish, in, out, plan=no_plan)
    end if
    call settle(status, 'nearfar_' // call, stat, errmsg)
  end subroutine carry_out

  ! -2: none is given, or one that there is not.
  pure integer(c_int) function number_of(op)
    character(*), intent(in), optional :: op
    number_of = -2
    if (present(op)) number_of = int(findloc(reduce_op_words, op, 1), c_int) - 1
    if (number_of == -1) number_of = -2
  end function number_of

  ! '' if the lists that are there have an entry per rank.
  function lists_complaint(ranks, counts, displs) result(complaint)
    integer, intent(in) :: ranks
    integer, intent(in), optional :: counts(:), displs(:)
    character(:), allocatable :: complaint

    complaint = ''
    if (present(counts)) then
      if (size(counts) /= ranks) complaint = 'there are ' // text_of_number(size(counts)) // &
        ' counts for ' // text_of_number(ranks) // ' ranks'
    end if
    if (present(displs)) then
      if (size(displs) /= ranks) complaint = 'there are ' // text_of_number(size(displs)) // &
        ' displs for ' // text_of_number(ranks) // ' ranks'
    end if
  end function lists_complaint

  ! The lists as C takes them, if there are any: those of other lengths are refused, or the root's
  ! alone count.
  subroutine list(given, given_displs, counts, displs, c_counts, c_displs)
    integer, intent(in), optional :: given(:), given_displs(:)
    integer(c_int64_t), intent(inout), target, contiguous :: counts(:), displs(:)
    type(c_ptr), intent(inout) :: c_counts, c_displs
    integer :: i

    if (.not. present(given)) return
    if (size(given) /= size(counts)) return
    counts = given
    c_counts = c_loc(counts)
    displs = 0
    do i = 2, size(given)
      displs(i) = displs(i - 1) + given(i - 1)
    end do
    if (present(given_displs)) then
      if (size(given_displs) == size(displs)) displs = given_displs
    end if
    c_displs = c_loc(displs)
  end subroutine list

end module nearfar_collectives
