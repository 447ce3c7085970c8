! SPDX-License-Identifier: BSD-3-Clause
! Halo cells around pencils: a copy of the pencil with layers along the two axes that are cut.
module m_halo
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int8_t, c_loc, c_ptr
  use decomp_2d_mpi
  use m_info, only: decomp_info, decomp_main
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

  include 'halo_specifics.inc'

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

  integer function pencil_of(sizes, decomp, opt_pencil) result(pencil)
    integer, intent(in) :: sizes(3)
    type(decomp_info), intent(in) :: decomp
    integer, intent(in), optional :: opt_pencil

    if (present(opt_pencil)) then
      pencil = opt_pencil
      if (pencil < 1 .or. pencil > 3) call decomp_2d_abort(pencil, &
        'update_halo: opt_pencil is 1, 2 or 3')
    else if (sizes(1) == decomp%xsz(1)) then
      pencil = 1
    else if (sizes(2) == decomp%ysz(2)) then
      pencil = 2
    else if (sizes(3) == decomp%zsz(3)) then
      pencil = 3
    else
      pencil = 0
      call decomp_2d_abort(1, 'update_halo: the array has the size of no pencil')
    end if
  end function pencil_of

  ! Layers along the first cut axis, then along the second with those of the first, so that corners
  ! come along. `address`: bytes x n2 x n3, n1 elements to a row.
  subroutine exchange_bytes(address, element_bytes, held, pencil, level)
    type(c_ptr), intent(in) :: address
    integer, intent(in) :: element_bytes, held(3), pencil, level
    integer(c_int8_t), pointer, contiguous :: bytes(:,:,:)
    integer :: comm, cut(2), step, axis, shape(3)

    if (level < 1 .or. any(held == 0)) return
    cut = pack([1, 2, 3], [1, 2, 3] /= pencil)
    comm = merge(DECOMP_2D_COMM_CART_X, merge(DECOMP_2D_COMM_CART_Y, DECOMP_2D_COMM_CART_Z, &
      pencil == 2), pencil == 1)
    shape = held
    shape(1) = shape(1) * element_bytes
    call c_f_pointer(address, bytes, shape)
    do step = 1, 2
      axis = cut(step)
      if (held(axis) < 3 * level .and. dims(step) > 1) call decomp_2d_abort(1, &
        'update_halo: a rank has fewer planes than the layers that its neighbours want')
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
    integer(c_int8_t), allocatable :: out(:,:,:), in(:,:,:)
    integer :: a(3), z(3), ierror

    a = 1
    z = shape(bytes)
    a(axis) = first + 1
    z(axis) = first + depth
    allocate (out, source=bytes(a(1):z(1), a(2):z(2), a(3):z(3)))
    allocate (in, mold=out)
    call MPI_Sendrecv(out, size(out), MPI_BYTE, to, 7, in, size(in), MPI_BYTE, from, 7, comm, &
      MPI_STATUS_IGNORE, ierror)
    if (from == MPI_PROC_NULL) return
    a(axis) = into + 1
    z(axis) = into + depth
    bytes(a(1):z(1), a(2):z(2), a(3):z(3)) = in
  end subroutine exchange_layer

end module m_halo
