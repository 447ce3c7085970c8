! SPDX-License-Identifier: BSD-3-Clause
! Errors in Fortran's manner: stat= and errmsg= where given, else a message and error stop. Text to
! and from C.
module nearfar_faults
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_int, c_null_char, &
    c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi_f08, only: MPI_Comm_rank, MPI_COMM_WORLD, MPI_Finalized, MPI_Initialized
  use nearfar_c, only: nearfar_last_error
  use nearfar_constants, only: nearfar_max_dimensions
  implicit none (type, external)
  private
  public :: settle, description_of, text_of, c_text, text_of_number, read_ghosts

  interface
    function strlen(text) bind(C) result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function strlen
    ! As C returned it, not a copy: the text for Fortran stands behind it.
    function nearfar_from_one(text) bind(C) result(numbered)
      import :: c_ptr
      type(c_ptr), value :: text
      type(c_ptr) :: numbered
    end function nearfar_from_one
  end interface

contains

  ! Gives the outcome to the caller, or ends the program. `call` names what was called.
  subroutine settle(status, call, stat, errmsg)
    integer(c_int), intent(in) :: status
    character(*), intent(in) :: call
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: message

    if (present(stat)) stat = int(status)
    if (status == 0) return
    message = call // ': ' // description_of(nearfar_last_error())
    if (present(errmsg)) errmsg = message
    if (present(stat)) return
    write (error_unit, '(5a)') 'nearfar: rank ', text_of_number(world_rank()), ': ', message
    flush (error_unit)
    error stop 1, quiet=.true.
  end subroutine settle

  function world_rank() result(rank)
    integer :: rank
    logical :: is_initialized, is_finalized

    rank = -1
    call MPI_Initialized(is_initialized)
    call MPI_Finalized(is_finalized)
    if (is_initialized .and. .not. is_finalized) call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  end function world_rank

  ! A description or message of the library, with axes numbered as Fortran does.
  function description_of(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(:), allocatable :: text
    text = text_of(nearfar_from_one(pointer))
  end function description_of

  function text_of(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(:), allocatable :: text
    character(kind=c_char), pointer :: bytes(:)
    integer :: i

    if (.not. c_associated(pointer)) then
      text = ''
      return
    end if
    call c_f_pointer(pointer, bytes, [strlen(pointer)])
    allocate (character(size(bytes)) :: text)
    do i = 1, size(bytes)
      text(i:i) = bytes(i)
    end do
  end function text_of

  pure function c_text(text) result(bytes)
    character(*), intent(in) :: text
    character(kind=c_char) :: bytes(len_trim(text) + 1)
    integer :: i

    do i = 1, len_trim(text)
      bytes(i) = text(i:i)
    end do
    bytes(len_trim(text) + 1) = c_null_char
  end function c_text

  pure function text_of_number(number) result(text)
    integer, intent(in) :: number
    character(:), allocatable :: text
    character(12) :: digits

    write (digits, '(i0)') number
    text = trim(digits)
  end function text_of_number

  ! Ghost widths as people give them (one number; one per dimension; low and high per dimension;
  ! fastest first) as the C interface takes them (low and high per dimension, slowest first).
  ! `complaint` is '' if they are fine.
  subroutine read_ghosts(dimensions, widths, complaint, ghosts)
    integer, intent(in) :: dimensions
    integer(c_int), intent(out) :: widths(2, nearfar_max_dimensions)
    character(:), allocatable, intent(out) :: complaint
    integer, intent(in), optional :: ghosts(..)

    complaint = ''
    widths = 0
    if (.not. present(ghosts)) return
    ! Reversed by its own bounds: gfortran 12 gives an expression's value the lower bound 0 here.
    select rank (ghosts)
    rank (0)
      widths(:, 1:dimensions) = ghosts
    rank (1)
      if (size(ghosts) == dimensions) then
        widths(:, 1:dimensions) = spread(ghosts(ubound(ghosts, 1):lbound(ghosts, 1):-1), 1, 2)
      else
        complaint = wrong_shape('(' // text_of_number(size(ghosts)) // ')', dimensions)
      end if
    rank (2)
      if (size(ghosts, 1) == 2 .and. size(ghosts, 2) == dimensions) then
        widths(:, 1:dimensions) = ghosts(:, ubound(ghosts, 2):lbound(ghosts, 2):-1)
      else
        complaint = wrong_shape('(' // text_of_number(size(ghosts, 1)) // ',' // &
          text_of_number(size(ghosts, 2)) // ')', dimensions)
      end if
    rank default
      complaint = wrong_shape('of rank ' // text_of_number(rank(ghosts)), dimensions)
    end select
    if (any(widths < 0)) complaint = 'a ghost width is ' // text_of_number(int(minval(widths))) // &
      '; widths must not be negative'
  end subroutine read_ghosts

  pure function wrong_shape(found, dimensions) result(complaint)
    character(*), intent(in) :: found
    integer, intent(in) :: dimensions
    character(:), allocatable :: complaint

    complaint = 'ghost widths have shape ' // found // '; in ' // text_of_number(dimensions) // &
      ' dimensions they are one number, ' // text_of_number(dimensions) // &
      ' numbers, or have shape (2,' // text_of_number(dimensions) // ')'
  end function wrong_shape

end module nearfar_faults
