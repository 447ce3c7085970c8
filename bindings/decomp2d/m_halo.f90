! SPDX-License-Identifier: BSD-3-Clause
! Halo cells around pencils: a copy of the pencil with layers along the two axes that are cut.
module m_halo
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int8_t, c_loc, c_ptr
  use decomp_2d_mpi
  use m_info, only: decomp_info, decomp_main
  use m_process_grid
  implicit none
  private
  public :: update_halo, halo_exchange, halo_extents_t

  type :: halo_extents_t
    integer :: xs = 1, xe = 0, ys = 1, ye = 0, zs = 1, ze = 0
  end type halo_extents_t

  interface halo_extents_t
    module procedure extents_with_halo
  end interface halo_extents_t

  !> update_halo(in, out, level, [decomp], [opt_global], [opt_pencil]): out becomes `in` with
  !> `level` layers around it along the axes that are cut, filled by the neighbours. Layers
  !> beyond the ends of an axis that is not periodic hold nothing. Collective.
  interface update_halo
    module procedure update_real32, update_real64, update_complex32, update_complex64, &
      update_main_real32, update_main_real64, update_main_complex32, update_main_complex64
  end interface update_halo

  !> halo_exchange(arr, pencil, extents, level, sizes): the same in an array that has the layers.
  interface halo_exchange
    module procedure exchange_real32, exchange_real64, exchange_complex32, exchange_complex64
  end interface halo_exchange

contains

  include 'generated/halo_specifics.inc'

  function extents_with_halo(ipencil, sizes, decomp, level, global) result(extents)
    integer, intent(in) :: ipencil, sizes(3), level
    type(decomp_info), intent(in) :: decomp
    logical, intent(in) :: global
    type(halo_extents_t) :: extents
    integer :: first(3), last(3)

    first = 1
    if (global) then
      select case (ipencil)
      case (1)
        first = decomp%xst
      case (2)
        first = decomp%yst
      case (3)
        first = decomp%zst
      end select
    end if
    last = first + sizes - 1
    where ([1, 2, 3] /= ipencil)
      first = first - level
      last = last + level
    end where
    extents%xs = first(1)
    extents%xe = last(1)
    extents%ys = first(2)
    extents%ye = last(2)
    extents%zs = first(3)
    extents%ze = last(3)
  end function extents_with_halo

  ! Whether an array of these sizes can be the x, y or z pencil.
  pure function pencils_of(sizes, decomp) result(fits)
    integer, intent(in) :: sizes(3)
    type(decomp_info), intent(in) :: decomp
    logical :: fits(3)

    fits = [all(sizes == decomp%xsz), all(sizes == decomp%ysz), all(sizes == decomp%zsz)]
  end function pencils_of

  pure function cut_axes(pencil) result(axes)
    integer, intent(in) :: pencil
    integer :: axes(2)
    axes = pack([1, 2, 3], [1, 2, 3] /= pencil)
  end function cut_axes

  ! The pencil: 1, 2 or 3 where it was asked for, else the first of those that the arrays of all
  ! ranks fit. Ends all ranks, with one message, unless all give the same pencil and level, arrays
  ! that fit, and as many planes as their neighbours want. Collective.
  integer function agreed_pencil(asked, level, sizes, do_fit, fits) result(pencil)
    integer, intent(in) :: asked, level, sizes(3)
    logical, intent(in) :: do_fit, fits(3)
    integer :: mine(11), most(11), other, ierror

    mine = [asked, -asked, level, -level, merge(0, 1, do_fit), merge(0, 1, fits), &
      (planes_missing(other, level, sizes), other=1, 3)]
    call MPI_Allreduce(mine, most, size(mine), MPI_INTEGER, MPI_MAX, decomp_2d_comm, ierror)
    pencil = most(1)
    if (pencil == 0) pencil = findloc(most(6:8), 0, 1)
    if (most(1) /= -most(2)) then
      call refuse(2, 'pencils differ between ranks:', -most(2), most(1))
    else if (pencil < 1 .or. pencil > 3) then
      call refuse(1, 'an array has the size of no pencil, or opt_pencil is not 1, 2 or 3:', &
        pencil)
    else if (most(3) /= -most(4)) then
      call refuse(3, 'level differs between ranks:', -most(4), most(3))
    else if (level < 0) then
      call refuse(4, 'level must not be negative:', level)
    else if (most(5) > 0) then
      call refuse(5, 'sizes and extents of an array do not fit; level is', level)
    else if (most(8 + pencil) > 0) then
      call refuse(6, 'neighbours want more layers than the planes that a rank has:', level, &
        level - most(8 + pencil))
    end if
    if (asked == 0) call warn_once(count(most(6:8) == 0), pencil)
  end function agreed_pencil

  ! For arrays that have the layers.
  subroutine require_alike(pencil, level, sizes, held)
    integer, intent(in) :: pencil, level, sizes(3), held(3)
    integer :: agreed
    agreed = agreed_pencil(merge(pencil, -1, pencil /= 0), level, sizes, &
      all(sizes + 2 * level * merge(0, 1, [1, 2, 3] == pencil) == held), &
      [.false., .false., .false.])
  end subroutine require_alike

  ! Pencils of equal sizes differ in the axes that get layers.
  subroutine warn_once(candidates, taken)
    integer, intent(in) :: candidates, taken
    character, parameter :: axis(3) = ['x', 'y', 'z']
    logical, save :: is_told = .false.

    if (candidates < 2 .or. nproc < 2 .or. is_told) return
    is_told = .true.
    call decomp_2d_warning(taken, 'update_halo: on this process grid two kinds of pencils ' // &
      'have the same size; the array is taken for ' // axis(taken) // &
      ' pencils unless opt_pencil says which it is')
  end subroutine warn_once

  ! By how many the layers outnumber the planes of this rank.
  pure integer function planes_missing(pencil, level, sizes)
    integer, intent(in) :: pencil, level, sizes(3)
    integer :: axes(2), step
    logical :: is_periodic(3)

    is_periodic = [periodic_x, periodic_y, periodic_z]
    axes = cut_axes(pencil)
    planes_missing = 0
    do step = 1, 2
      if (dims(step) > 1 .or. is_periodic(axes(step))) &
        planes_missing = max(planes_missing, level - sizes(axes(step)))
    end do
  end function planes_missing

  subroutine refuse(code, message, first, second)
    integer, intent(in) :: code, first
    character(*), intent(in) :: message
    integer, intent(in), optional :: second
    character(24) :: numbers

    write (numbers, '(i0)') first
    if (present(second)) write (numbers, '(i0,a,i0)') first, ' and ', second
    call decomp_2d_abort_together(code, 'update_halo: ' // message // ' ' // trim(numbers))
  end subroutine refuse

  ! Layers along the first cut axis, then along the second with those of the first, so that corners
  ! come along. `address`: bytes x n2 x n3, n1 elements to a row.
  subroutine exchange_bytes(address, element_bytes, held, pencil, level)
    type(c_ptr), intent(in) :: address
    integer, intent(in) :: element_bytes, held(3), pencil, level
    integer(c_int8_t), pointer, contiguous :: bytes(:,:,:)
    integer :: comm, cut(2), step, axis, shape(3)

    if (level < 1) return
    cut = cut_axes(pencil)
    comm = merge(DECOMP_2D_COMM_CART_X, merge(DECOMP_2D_COMM_CART_Y, DECOMP_2D_COMM_CART_Z, &
      pencil == 2), pencil == 1)
    shape = held
    shape(1) = shape(1) * element_bytes
    call c_f_pointer(address, bytes, shape)
    do step = 1, 2
      axis = cut(step)
      call exchange_axis(bytes, axis, level * merge(element_bytes, 1, axis == 1), comm, step - 1)
    end do
  end subroutine exchange_bytes

  subroutine exchange_axis(bytes, axis, depth, comm, dimension)
    integer(c_int8_t), contiguous, intent(inout) :: bytes(:,:,:)
    integer, intent(in) :: axis, depth, comm, dimension
    integer :: below, above, ierror, n

    n = size(bytes, axis)
    call MPI_Cart_shift(comm, dimension, 1, below, above, ierror)
    call exchange_layer(bytes, axis, depth, n - 2 * depth, above, 0, below, comm)
    call exchange_layer(bytes, axis, depth, depth, below, n - depth, above, comm)
  end subroutine exchange_axis

  ! Sends the layers after `first` to `to`, puts those from `from` after `into`.
  subroutine exchange_layer(bytes, axis, depth, first, to, into, from, comm)
    integer(c_int8_t), contiguous, intent(inout) :: bytes(:,:,:)
    integer, intent(in) :: axis, depth, first, to, into, from, comm
    integer :: out, in, ierror

    out = layer_type(shape(bytes), axis, depth, first)
    in = layer_type(shape(bytes), axis, depth, into)
    call MPI_Sendrecv(bytes, 1, out, to, 7, bytes, 1, in, from, 7, comm, MPI_STATUS_IGNORE, ierror)
    call MPI_Type_free(out, ierror)
    call MPI_Type_free(in, ierror)
  end subroutine exchange_layer

  ! `depth` planes of an array after `first` others: one element to MPI, so that its bytes may be
  ! more than a count can say.
  integer function layer_type(held, axis, depth, first) result(layer)
    integer, intent(in) :: held(3), axis, depth, first
    integer :: part(3), starts(3), ierror

    part = held
    part(axis) = depth
    starts = 0
    starts(axis) = first
    call MPI_Type_create_subarray(3, held, part, starts, MPI_ORDER_FORTRAN, MPI_BYTE, layer, ierror)
    call MPI_Type_commit(layer, ierror)
  end function layer_type

end module m_halo
