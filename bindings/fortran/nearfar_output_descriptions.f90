! SPDX-License-Identifier: BSD-3-Clause
! What a stream consists of, as Fortran was told and as C takes it.
module nearfar_output_descriptions
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int64_t, c_loc, c_null_ptr, &
    c_ptr
  use nearfar_c, only: c_box, max_dimensions
  use nearfar_faults, only: c_text
  use nearfar_outputs_c
  implicit none (type, external)
  private
  public :: address_list, described_array, described_axis, text_list
  public :: addresses_of, append, c_array_of, c_axis_of, pairs_in, read_attributes, shape_of

  ! Texts for C, one after the other, each with its null: keys and values in turn, or names.
  type :: text_list
    character(kind=c_char), allocatable :: letters(:)
    integer, allocatable :: places(:)  ! where they begin
  end type text_list

  ! Addresses of such texts, as C takes them.
  type :: address_list
    type(c_ptr), allocatable :: addresses(:)
  end type address_list

  ! An array of the stream as add() was told of it, in C's order.
  type :: described_array
    character(kind=c_char), allocatable :: name(:)
    type(text_list) :: pairs, dimension_names
    integer(c_int) :: type = 0, dimensions = 0
    integer(c_int64_t) :: extents(max_dimensions) = 0
    integer(c_int) :: padding(2, max_dimensions) = 0
    type(c_box) :: own = c_box(0, 0)
  end type described_array

  type :: described_axis
    character(kind=c_char), allocatable :: name(:)
    real(c_double), allocatable :: values(:)
    type(text_list) :: pairs
  end type described_axis

contains

  subroutine append(list, text)
    type(text_list), intent(inout) :: list
    character(*), intent(in) :: text

    if (.not. allocated(list%places)) allocate (list%letters(0), list%places(0))
    list%places = [list%places, size(list%letters) + 1]
    list%letters = [list%letters, c_text(text)]
  end subroutine append

  ! Lines key=value as keys and values in turn.
  subroutine read_attributes(pairs, complaint, lines)
    type(text_list), intent(inout) :: pairs
    character(:), allocatable, intent(inout) :: complaint
    character(*), intent(in), optional :: lines(:)
    integer :: i, equals

    if (.not. present(lines)) return
    do i = 1, size(lines)
      equals = index(lines(i), '=')
      if (equals < 2) then
        if (complaint == '') complaint = "the attribute '" // trim(lines(i)) // "' is not key=value"
        return
      end if
      call append(pairs, lines(i)(:equals - 1))
      call append(pairs, lines(i)(equals + 1:))
    end do
  end subroutine read_attributes

  ! Where C finds the texts; null if there are none.
  function addresses_of(list, kept) result(address)
    type(text_list), intent(in), target :: list
    type(address_list), intent(inout), target :: kept
    type(c_ptr) :: address
    integer :: i

    address = c_null_ptr
    if (.not. allocated(list%places)) return
    allocate (kept%addresses(size(list%places)))
    do i = 1, size(list%places)
      kept%addresses(i) = c_loc(list%letters(list%places(i)))
    end do
    address = c_loc(kept%addresses)
  end function addresses_of

  pure integer(c_int) function pairs_in(list)
    type(text_list), intent(in) :: list
    pairs_in = 0
    if (allocated(list%places)) pairs_in = int(size(list%places) / 2, c_int)
  end function pairs_in

  ! The array as C takes it; `kept` holds what it points to.
  function c_array_of(array, kept) result(c)
    type(described_array), intent(in), target :: array
    type(address_list), intent(inout) :: kept(2)
    type(c_output_array) :: c

    c = c_output_array(c_loc(array%name), array%type, array%dimensions, c_loc(array%extents), &
      array%own, c_loc(array%padding), pairs_in(array%pairs), addresses_of(array%pairs, kept(1)), &
      addresses_of(array%dimension_names, kept(2)))
  end function c_array_of

  function c_axis_of(axis, kept) result(c)
    type(described_axis), intent(in), target :: axis
    type(address_list), intent(inout) :: kept
    type(c_output_axis) :: c

    c = c_output_axis(c_loc(axis%name), size(axis%values, kind=c_int64_t), c_null_ptr, &
      pairs_in(axis%pairs), addresses_of(axis%pairs, kept))
    if (size(axis%values) > 0) c%values = c_loc(axis%values)
  end function c_axis_of

  pure type(c_output_shape) function shape_of(array) result(shape)
    type(described_array), intent(in) :: array
    integer :: n

    n = int(array%dimensions)
    shape%type = array%type
    shape%dimensions = array%dimensions
    shape%own(:n) = array%own%upper(n:1:-1) - array%own%lower(n:1:-1)
    shape%low(:n) = array%padding(1, n:1:-1)
    shape%high(:n) = array%padding(2, n:1:-1)
  end function shape_of

end module nearfar_output_descriptions
