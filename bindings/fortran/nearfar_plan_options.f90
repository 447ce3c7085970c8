! SPDX-License-Identifier: BSD-3-Clause
! What options say, as C takes it; what every plan can be told; and which arrays a plan cannot have.
module nearfar_plan_options
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_f_pointer, c_int, c_loc, c_null_char, &
    c_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  use nearfar_c, only: c_method_info, c_plan_options, c_methods => nearfar_methods
  use nearfar_constants, only: nearfar_switch_off, nearfar_switch_on
  use nearfar_faults, only: c_text, settle, text_of
  implicit none (type, external)
  private
  public :: any_copy, choice, copy_complaint, given, kept_texts, methods_of, switch_of, tell

  !> Texts for as long as the call that reads them.
  type :: kept_texts
    character(kind=c_char), allocatable :: name(:), method(:), without(:)
  end type kept_texts

  interface
    ! Not of the C interface: it looks at the descriptor that the compiler itself uses.
    integer function nearfar_fortran_is_copy(array)
      type(*), dimension(..), intent(in), target :: array
    end function nearfar_fortran_is_copy
  end interface

contains

  !> Writes the options that all plans have into the struct at `options`, which begins with them.
  subroutine tell(options, kept, name, method, without, budget_s)
    type(c_ptr), intent(in) :: options
    type(kept_texts), intent(inout), target :: kept
    character(*), intent(in), optional :: name, method, without
    real(real64), intent(in), optional :: budget_s
    type(c_plan_options), pointer :: common

    call c_f_pointer(options, common)
    call keep(kept%name, common%name, name)
    call keep(kept%method, common%method, method)
    call keep(kept%without, common%without, without)
    if (present(budget_s)) common%budget_s = real(budget_s, c_double)
  end subroutine tell

  subroutine keep(kept, address, text)
    character(kind=c_char), allocatable, target, intent(inout) :: kept(:)
    type(c_ptr), intent(inout) :: address
    character(*), intent(in), optional :: text

    if (.not. present(text)) return
    kept = c_text(text)
    address = c_loc(kept)
  end subroutine keep

  !> The number of a word among those of an option (nearfar_words), 0 where none is given.
  integer(c_int) function choice(words, option, word, complaint)
    character(*), intent(in) :: words(0:), option
    character(*), intent(in), optional :: word
    character(:), allocatable, intent(inout) :: complaint
    character(:), allocatable :: list
    integer :: i

    choice = 0
    if (.not. present(word)) return
    if (word /= '') choice = int(findloc(words, word, 1) - 1, c_int)
    if (choice >= 0 .and. word /= '') return
    choice = 0
    list = trim(words(0))
    do i = 1, ubound(words, 1)
      list = list // trim(merge(', ', '  ', list /= '')) // ' ' // trim(words(i))
    end do
    if (complaint == '') complaint = option // " is '" // word // "'; it is one of " // &
      trim(adjustl(list))
  end function choice

  pure integer(c_int) function switch_of(is_on)
    logical, intent(in) :: is_on
    switch_of = merge(nearfar_switch_on, nearfar_switch_off, is_on)
  end function switch_of

  !> '' where nothing is given.
  pure function given(text) result(bytes)
    character(*), intent(in), optional :: text
    character(kind=c_char), allocatable :: bytes(:)

    if (present(text)) then
      bytes = c_text(text)
    else
      bytes = [c_null_char]
    end if
  end function given

  !> What is wrong with an array that is to be kept by a plan: a copy that the compiler made for the
  !> call (copies.c) is gone when the plan is started. '' for one that is where the caller has it.
  function copy_complaint(array, name) result(complaint)
    type(*), dimension(..), intent(in), target, optional :: array
    character(*), intent(in) :: name
    character(:), allocatable :: complaint

    complaint = ''
    if (any_copy(array)) complaint = "'" // name &
      // "' is a copy that the compiler made: " &
      // 'of a component of an array of derived type, or of an expression; give an array'
  end function copy_complaint

  !> Whether one of the arrays is such a copy. Allocates nothing: plans are started with this.
  logical function any_copy(a, b)
    type(*), dimension(..), intent(in), target, optional :: a, b

    any_copy = .false.
    if (present(a)) any_copy = is_copy(a)
    if (present(b)) then
      if (is_copy(b)) any_copy = .true.
    end if
  end function any_copy

  ! Asks only where descriptors tell: an array of the caller's that begins at 0 must not look like a
  ! copy, which is tried once.
  logical function is_copy(array)
    type(*), dimension(..), intent(in), target :: array
    integer, allocatable, target :: own(:)
    logical, save :: is_tried = .false., tells = .false.

    if (.not. is_tried) then
      allocate (own(0:0))
      tells = nearfar_fortran_is_copy(own) == 0
      is_tried = .true.
    end if
    is_copy = .false.
    if (tells) is_copy = nearfar_fortran_is_copy(array) /= 0
  end function is_copy

  !> The names that method= of the plans of `front` takes, separated by commas: 'halo', 'transpose',
  !> 'fft', 'irregular' or 'collective.KIND' ('collective.allreduce'). Local.
  function methods_of(front, stat, errmsg) result(names)
    character(*), intent(in) :: front
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: names
    type(c_method_info), pointer :: table(:)
    type(c_ptr) :: address
    integer(c_int) :: count
    integer :: i

    names = ''
    count = -1
    address = c_methods(c_text(front), count)
    call settle(merge(0_c_int, 1_c_int, count >= 0), 'nearfar_methods', stat, errmsg)
    if (count < 1) return
    call c_f_pointer(address, table, [count])
    do i = 1, int(count)
      if (i > 1) names = names // ', '
      names = names // text_of(table(i)%name)
    end do
  end function methods_of

end module nearfar_plan_options
