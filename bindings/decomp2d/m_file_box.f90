! SPDX-License-Identifier: BSD-3-Clause
! Boxes of a distributed array in a file: each rank moves its own with MPI-IO, the file holds the
! whole array in Fortran's order.
module m_file_box
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int8_t, c_loc
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use decomp_2d_io_object_mpi, only: d2d_io_mpi
  use decomp_2d_mpi
  use m_info, only: decomp_info
  implicit none
  private
  public :: file_box, pencil_box, transfer_box, transfer_values

  !> This rank's part of the array in the file: extents of the whole, first element of the part from
  !> 0, extents of the part, in which `every`-th elements of the array in memory are meant from the
  !> element `first` (from 1) on.
  type :: file_box
    integer :: whole(3) = 0, start(3) = 0, part(3) = 0
    integer :: first(3) = 1, every(3) = 1
  end type file_box

contains

  !> A pencil of the whole grid; with `planes`, so many planes across the pencil instead.
  function pencil_box(pencil, decomp, planes) result(box)
    integer, intent(in) :: pencil
    type(decomp_info), intent(in) :: decomp
    integer, intent(in), optional :: planes
    type(file_box) :: box

    box%whole = [decomp%xsz(1), decomp%ysz(2), decomp%zsz(3)]
    select case (pencil)
    case (1)
      box%start = decomp%xst - 1
      box%part = decomp%xsz
    case (2)
      box%start = decomp%yst - 1
      box%part = decomp%ysz
    case (3)
      box%start = decomp%zst - 1
      box%part = decomp%zsz
    case default
      call decomp_2d_abort(pencil, 'decomp_2d_io: a pencil is 1, 2 or 3')
    end select
    if (.not. present(planes)) return
    if (planes < 1) call decomp_2d_abort(planes, 'decomp_2d_io: the planes are 1 or more')
    box%whole(pencil) = planes
    box%part(pencil) = planes
  end function pencil_box

  !> Writes or reads `var`, of real, complex, integer or logical elements, and moves io on behind
  !> the whole array. is_reduced: double precision as single in the file. request: begun only,
  !> unless the array has gaps or becomes single; var must stay until it is over. Collective.
  subroutine transfer_box(is_read, io, box, var, is_reduced, request)
    logical, intent(in) :: is_read
    type(d2d_io_mpi), intent(inout) :: io
    type(file_box), intent(in) :: box
    class(*) :: var(:,:,:)  ! written: not changed
    logical, intent(in) :: is_reduced
    integer, intent(inout), optional :: request
    real(real32), allocatable :: singles(:,:,:)
    real(real64), allocatable :: doubles(:,:,:)
    complex(real32), allocatable :: single_pairs(:,:,:)
    complex(real64), allocatable :: double_pairs(:,:,:)
    integer, allocatable :: integers(:,:,:)
    logical, allocatable :: logicals(:,:,:)

    select type (var)
    type is (real(real32))
      if (is_contiguous(var)) then
        call move(is_read, io, box, var, MPI_REAL, 4, request)
      else
        singles = var
        call move(is_read, io, box, singles, MPI_REAL, 4)
        if (is_read) var = singles
      end if
    type is (real(real64))
      if (is_contiguous(var) .and. .not. is_reduced) then
        call move(is_read, io, box, var, MPI_DOUBLE_PRECISION, 8, request)
      else if (is_reduced) then
        singles = real(var, real32)
        call move(is_read, io, box, singles, MPI_REAL, 4)
        if (is_read) var = singles
      else
        doubles = var
        call move(is_read, io, box, doubles, MPI_DOUBLE_PRECISION, 8)
        if (is_read) var = doubles
      end if
    type is (complex(real32))
      if (is_contiguous(var)) then
        call move(is_read, io, box, var, MPI_COMPLEX, 8, request)
      else
        single_pairs = var
        call move(is_read, io, box, single_pairs, MPI_COMPLEX, 8)
        if (is_read) var = single_pairs
      end if
    type is (complex(real64))
      if (is_contiguous(var) .and. .not. is_reduced) then
        call move(is_read, io, box, var, MPI_DOUBLE_COMPLEX, 16, request)
      else if (is_reduced) then
        single_pairs = cmplx(var, kind=real32)
        call move(is_read, io, box, single_pairs, MPI_COMPLEX, 8)
        if (is_read) var = single_pairs
      else
        double_pairs = var
        call move(is_read, io, box, double_pairs, MPI_DOUBLE_COMPLEX, 16)
        if (is_read) var = double_pairs
      end if
    type is (integer)
      if (is_contiguous(var)) then
        call move(is_read, io, box, var, MPI_INTEGER, storage_size(0) / 8, request)
      else
        integers = var
        call move(is_read, io, box, integers, MPI_INTEGER, storage_size(0) / 8)
        if (is_read) var = integers
      end if
    type is (logical)
      if (is_contiguous(var)) then
        call move(is_read, io, box, var, MPI_LOGICAL, storage_size(.true.) / 8, request)
      else
        logicals = var
        call move(is_read, io, box, logicals, MPI_LOGICAL, storage_size(.true.) / 8)
        if (is_read) var = logicals
      end if
    class default
      call decomp_2d_abort(1, 'decomp_2d_io: arrays are real, complex, integer or logical')
    end select
  end subroutine transfer_box

  ! The bytes of an array in one piece, packed where not all of its elements are meant.
  subroutine move(is_read, io, box, var, type, bytes, request)
    logical, intent(in) :: is_read
    type(d2d_io_mpi), intent(inout) :: io
    type(file_box), intent(in) :: box
    type(*), target :: var(:,:,:)
    integer, intent(in) :: type, bytes
    integer, intent(inout), optional :: request
    integer(c_int8_t), pointer, contiguous :: elements(:,:,:,:)
    integer(c_int8_t), allocatable :: some(:,:,:,:)
    integer :: f(3), l(3), e(3)

    f = box%first
    e = box%every
    l = f + (box%part - 1) * e
    if (all(box%part > 0) .and. any(l > shape(var))) call decomp_2d_abort(1, &
      'decomp_2d_io: an array is smaller than its part of the file ' // io%label)
    call c_f_pointer(c_loc(var), elements, [bytes, shape(var)])
    if (all(e == 1) .and. all(shape(var) == box%part)) then
      call move_bytes(is_read, io, box, elements, type, bytes, request)
    else
      some = elements(:, f(1):l(1):e(1), f(2):l(2):e(2), f(3):l(3):e(3))
      call move_bytes(is_read, io, box, some, type, bytes)
      if (is_read) elements(:, f(1):l(1):e(1), f(2):l(2):e(2), f(3):l(3):e(3)) = some
    end if
  end subroutine move

  subroutine move_bytes(is_read, io, box, values, type, bytes, request)
    logical, intent(in) :: is_read
    type(d2d_io_mpi), intent(inout) :: io
    type(file_box), intent(in) :: box
    integer(c_int8_t), contiguous, intent(inout) :: values(:,:,:,:)
    integer, intent(in) :: type, bytes
    integer, intent(inout), optional :: request
    integer :: ierror, layout, elements

    elements = elements_of(box, io)
    layout = type
    if (elements > 0) then
      call MPI_Type_create_subarray(3, box%whole, box%part, box%start, MPI_ORDER_FORTRAN, type, &
        layout, ierror)
      call MPI_Type_commit(layout, ierror)
    end if
    call MPI_File_set_view(io%fh, io%disp, type, layout, 'native', io%mpi_file_set_view_info, &
      ierror)
    if (layout /= type) call MPI_Type_free(layout, ierror)
    if (present(request) .and. is_read) then
      call MPI_File_iread_all(io%fh, values, elements, type, request, ierror)
    else if (present(request)) then
      call MPI_File_iwrite_all(io%fh, values, elements, type, request, ierror)
    else if (is_read) then
      call MPI_File_read_all(io%fh, values, elements, type, MPI_STATUS_IGNORE, ierror)
    else
      call MPI_File_write_all(io%fh, values, elements, type, MPI_STATUS_IGNORE, ierror)
    end if
    if (ierror /= MPI_SUCCESS) &
      call decomp_2d_abort(ierror, 'decomp_2d_io: no transfer_box with the file ' // io%label)
    io%disp = io%disp + product(int(box%whole, MPI_OFFSET_KIND)) * bytes
  end subroutine move_bytes

  integer function elements_of(box, io)
    type(file_box), intent(in) :: box
    type(d2d_io_mpi), intent(in) :: io

    if (product(int(box%part, int64)) > huge(1)) call decomp_2d_abort(1, &
      'decomp_2d_io: more than 2^31 - 1 elements of a rank are for the file ' // io%label)
    elements_of = product(box%part)
  end function elements_of

  !> n numbers that all ranks have alike: the first rank writes them, all read them. Collective.
  subroutine transfer_values(is_read, io, n, var)
    logical, intent(in) :: is_read
    type(d2d_io_mpi), intent(inout) :: io
    integer, intent(in) :: n
    class(*), target :: var(:)
    class(*), pointer :: cube(:,:,:)
    type(file_box) :: box

    box%whole = [n, 1, 1]
    if (is_read .or. nrank == 0) box%part = box%whole
    cube(1:size(var), 1:1, 1:1) => var
    call transfer_box(is_read, io, box, cube, .false.)
  end subroutine transfer_values

end module m_file_box
