! SPDX-License-Identifier: BSD-3-Clause
! What a stream consists of, as Fortran was told and as C takes it.
module nearfar_output_descriptions
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int64_t, c_loc, c_null_ptr, &
    c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use nearfar_c, only: c_box, c_output_array, c_output_axis, c_output_shape, &
    nearfar_fortran_type_of
  use nearfar_constants, only: nearfar_max_dimensions
  use nearfar_faults, only: c_text, read_ghosts, text_of_number
  use nearfar_plan_options, only: choice
  use nearfar_words, only: output_part_words
  implicit none (type, external)
  private
  public :: address_list, described_array, described_axis, text_list
  public :: addresses_of, c_array_of, c_axis_of, describe_array, pairs_in, place_of, &
    read_attributes, shape_of, take_rows

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
    character(kind=c_char), allocatable :: name(:), compression(:)
    type(text_list) :: pairs, dimension_names
    integer(c_int) :: type = 0, dimensions = 0, is_varying = 0, part = 0, &
      is_constant = 0
    integer(c_int64_t) :: extents(nearfar_max_dimensions) = 0
    integer(c_int) :: padding(2, nearfar_max_dimensions) = 0
    type(c_box) :: own = c_box(0, 0)  ! of a varying array the rows of the step under way
  end type described_array

  type :: described_axis
    character(kind=c_char), allocatable :: name(:)
    real(c_double), allocatable :: values(:)
    type(text_list) :: pairs
  end type described_axis

contains

  ! What add() was told; complaint: what is wrong with it, '' if nothing is.
  subroutine describe_array(array, complaint, name, like, extents, lower, upper, ghosts, &
    attributes, dimensions, compression, part)
    type(described_array), intent(out) :: array
    character(:), allocatable, intent(out) :: complaint
    character(*), intent(in) :: name
    type(*), dimension(..), intent(in) :: like
    integer(int64), intent(in) :: extents(:), lower(:), upper(:)
    integer, intent(in), optional :: ghosts(..)
    character(*), intent(in), optional :: attributes(:), dimensions(:), compression, part
    integer :: n

    n = size(extents)
    complaint = ''
    allocate (array%name, source=c_text(name))
    array%type = nearfar_fortran_type_of(like)
    if (array%type == 0) complaint = 'elements are integer, real or complex'
    if (size(lower) /= n .or. size(upper) /= n) complaint = 'extents has ' // text_of_number(n) // &
      ' elements, lower ' // text_of_number(size(lower)) // ', upper ' // &
      text_of_number(size(upper))
    if (n < 1 .or. n > nearfar_max_dimensions) complaint = &
      'an array has 1 to 4 dimensions, not ' // text_of_number(n)
    if (present(compression)) then
      allocate (array%compression, source=c_text(compression))
    else
      allocate (array%compression, source=c_text(''))
    end if
    if (present(part)) call read_part(array, complaint, part)
    if (complaint /= '') return
    array%dimensions = int(n, c_int)
    array%extents(:n) = extents(n:1:-1)
    if (all(upper >= lower)) then
      array%own%lower(:n) = lower(n:1:-1) - 1
      array%own%upper(:n) = upper(n:1:-1)
    end if
    call read_ghosts(n, array%padding, complaint, ghosts)
    call read_attributes(array%pairs, complaint, attributes)
    if (present(dimensions)) call read_dimensions(array, complaint, dimensions)
  end subroutine describe_array

  subroutine read_part(array, complaint, part)
    type(described_array), intent(inout) :: array
    character(:), allocatable, intent(inout) :: complaint
    character(*), intent(in) :: part

    array%part = choice(output_part_words, 'part', part, complaint)
  end subroutine read_part

  subroutine read_dimensions(array, complaint, names)
    type(described_array), intent(inout) :: array
    character(:), allocatable, intent(inout) :: complaint
    character(*), intent(in) :: names(:)
    integer :: d

    if (size(names) /= array%dimensions) complaint = 'dimensions has ' // &
      text_of_number(size(names)) // ' names, extents ' // &
      text_of_number(int(array%dimensions)) // ' elements'
    do d = size(names), 1, -1
      call append(array%dimension_names, names(d))
    end do
  end subroutine read_dimensions

  ! The varying arrays have so many rows, in their order, in the step that begins.
  pure subroutine take_rows(arrays, rows)
    type(described_array), intent(inout) :: arrays(:)
    integer(c_int64_t), intent(in) :: rows(:)
    integer :: i, v

    v = 0
    do i = 1, size(arrays)
      if (arrays(i)%is_varying == 0) cycle
      v = v + 1
      arrays(i)%own%upper(1) = rows(v)
    end do
  end subroutine take_rows

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
      addresses_of(array%dimension_names, kept(2)), c_loc(array%compression), array%is_varying, &
      array%part, array%is_constant)
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

  ! Among the arrays; 0: there is none of that name, or there are no arrays.
  pure integer function place_of(name, arrays) result(place)
    character(*), intent(in) :: name
    type(described_array), intent(in), optional :: arrays(:)
    integer :: i

    place = 0
    if (.not. present(arrays)) return
    do i = 1, size(arrays)
      if (size(arrays(i)%name) /= len_trim(name) + 1) cycle
      if (all(arrays(i)%name == c_text(name))) place = i
    end do
  end function place_of

end module nearfar_output_descriptions
