! SPDX-License-Identifier: BSD-3-Clause
! The engine behind the namelist: a registry of keys, the reader of namelist text, and the printer.
! The reader is our own because a Fortran namelist READ cannot say which line holds an unknown key.
module weather_keys
  use weather_constants, only: wp
  use weather_errors, only: text_of
  use weather_text, only: edit_distance, lower, without_comment
  implicit none (type, external)
  private
  public :: registry_t, read_keys, assign_key, print_template, line_of, name_length

  integer, parameter :: name_length = 1024, most_keys = 160


  type :: key_t
    character(16) :: group = ''
    character(32) :: name = ''
    character(120) :: meaning = ''
    integer, pointer :: whole => null()
    real(wp), pointer :: number => null()
    logical, pointer :: claim => null()
    character(name_length), pointer :: words => null()
    real(wp) :: low = 0.0_wp, high = 0.0_wp
    character(160) :: choices = ''      !! allowed words, separated by blanks; empty: any
    integer :: line = 0                !! where it was set
  end type key_t

  type :: registry_t
    type(key_t) :: keys(most_keys)
    integer :: count = 0
    character(16) :: group = ''
  contains
    procedure :: whole => register_whole
    procedure :: number => register_number
    procedure :: claim => register_claim
    procedure :: words => register_words
  end type registry_t

contains

  !> Reads the text of a namelist file into the variables of the keys. On error `message` says what
  !> is wrong and in which line.
  subroutine read_keys(r, text, message)
    type(registry_t), intent(inout) :: r
    character(*), intent(in) :: text
    character(*), intent(out) :: message
    character(:), allocatable :: line
    character(16) :: group
    integer :: first, last, number

    message = ''
    group = ''
    number = 0
    first = 1
    do while (first <= len(text) .and. message == '')
      last = index(text(first:), new_line('a'))
      last = merge(len(text), first + last - 2, last == 0)
      number = number + 1
      line = without_comment(text(first:last))
      call parse_line(r, line, number, group, message)
      first = last + 2
    end do
    if (message == '' .and. group /= '') message = 'the group &'//trim(group)// &
      ' is not closed: put a line with / at its end'
  end subroutine read_keys

  subroutine parse_line(r, line, number, group, message)
    type(registry_t), intent(inout) :: r
    character(*), intent(in) :: line
    integer, intent(in) :: number
    character(16), intent(inout) :: group
    character(*), intent(out) :: message
    character(:), allocatable :: name, where_
    integer :: equal, k

    message = ''
    where_ = 'line '//text_of(number)//': '
    if (len_trim(line) == 0) return
    if (line(1:1) == '&') then
      name = lower(trim(adjustl(line(2:))))
      if (group /= '') then
        message = where_//'&'//name//' begins before &'//trim(group)//' has ended with /'
      else if (.not. any(r%keys(:r%count)%group == name)) then
        message = where_//'there is no group &'//name//'; groups: '//groups(r)
      else
        group = name
      end if
    else if (trim(line) == '/') then
      if (group == '') message = where_//'/ without a group'
      group = ''
    else
      equal = index(line, '=')
      if (group == '') then
        message = where_//'"'//trim(line)//'" is outside of any group'
      else if (equal == 0) then
        message = where_//'"'//trim(line)//'" is not of the form key = value'
      else
        name = lower(trim(line(:equal - 1)))
        do k = 1, r%count
          if (r%keys(k)%name == name .and. r%keys(k)%group == group) exit
        end do
        if (k > r%count) then
          message = where_//unknown_key(r, name, group)
        else if (r%keys(k)%line > 0) then
          message = where_//'key '//name//' was already set in line '//text_of(r%keys(k)%line)
        else
          r%keys(k)%line = number
          call set_value(r%keys(k), trim(adjustl(line(equal + 1:))), message)
          if (message /= '') message = where_//trim(message)
        end if
      end if
    end if
  end subroutine parse_line

  !> group.key=value or key=value, in place of what the file says. Texts need no quotes.
  subroutine assign_key(r, assignment, message)
    type(registry_t), intent(inout) :: r
    character(*), intent(in) :: assignment
    character(*), intent(out) :: message
    character(:), allocatable :: group, name, value
    integer :: equal, dot, k

    equal = index(assignment, '=')
    dot = index(assignment(:equal), '.')
    group = lower(trim(adjustl(assignment(:dot - 1))))
    name = lower(trim(adjustl(assignment(dot + 1:equal - 1))))
    value = trim(adjustl(assignment(equal + 1:)))
    do k = 1, r%count
      if (r%keys(k)%name == name .and. (dot == 0 .or. r%keys(k)%group == group)) exit
    end do
    message = ''
    if (k <= r%count) then
      if (associated(r%keys(k)%words) .and. scan(value(:min(1, len(value))), '"''') == 0) &
        value = ''''//value//''''
      call set_value(r%keys(k), value, message)
    else if (dot > 0 .and. .not. any(r%keys(:r%count)%group == group)) then
      message = 'there is no group &'//group//'; groups: '//groups(r)
    else
      message = unknown_key(r, name, group)
    end if
    if (message /= '') message = '--set '//trim(assignment)//': '//trim(message)
  end subroutine assign_key

  subroutine set_value(key, given, message)
    type(key_t), intent(inout) :: key
    character(*), intent(in) :: given
    character(*), intent(out) :: message
    character(:), allocatable :: value
    integer :: stat, length

    message = ''
    length = len_trim(given)
    if (length > 0) then
      if (given(length:length) == ',') length = length - 1
    end if
    value = trim(given(:length))
    stat = merge(0, 1, len(value) > 0)
    if (associated(key%words)) then
      call set_words(key, value, message)
      return
    else if (stat == 0 .and. associated(key%whole)) then
      if (verify(value, '+-0123456789') > 0) stat = 1
      if (stat == 0) read (value, *, iostat=stat) key%whole
      if (stat == 0) then
        if (key%whole < nint(key%low) .or. key%whole > nint(key%high)) stat = 1
      end if
    else if (stat == 0 .and. associated(key%number)) then
      if (verify(value, '+-.0123456789eEdD') > 0) stat = 1
      if (stat == 0) read (value, *, iostat=stat) key%number
      if (stat == 0) then
        if (.not. (key%number >= key%low .and. key%number <= key%high)) stat = 1
      end if
    else if (stat == 0) then
      select case (lower(value))
      case ('.true.', 't', 'true')
        key%claim = .true.
      case ('.false.', 'f', 'false')
        key%claim = .false.
      case default
        stat = 1
      end select
    end if
    if (stat /= 0) message = trim(key%name)//' = '//value//' is impossible: it takes '//allowed(key)
  end subroutine set_value

  subroutine set_words(key, value, message)
    type(key_t), intent(inout) :: key
    character(*), intent(in) :: value
    character(*), intent(out) :: message
    integer :: n

    message = ''
    n = len(value)
    if (n < 2) then
      message = trim(key%name)//' = '//value//' is impossible: put the text into quotes'
    else if (value(1:1) /= value(n:n) .or. scan(value(1:1), '"''') == 0) then
      message = trim(key%name)//' = '//value//' is impossible: put the text into quotes'
    else if (n - 2 > name_length) then
      message = trim(key%name)//' is longer than '//text_of(name_length)//' characters'
    else
      key%words = value(2:n - 1)
      if (key%choices /= '') then
        if (index(' '//trim(key%choices)//' ', ' '//trim(key%words)//' ') == 0) &
          message = trim(key%name)//' = '//value//' is impossible: it takes '//allowed(key)
      end if
    end if
  end subroutine set_words

  !> 'line N: ' where the key was set, else nothing.
  function line_of(r, name) result(text)
    type(registry_t), intent(in) :: r
    character(*), intent(in) :: name
    character(:), allocatable :: text
    integer :: k
    text = ''
    do k = 1, r%count
      if (r%keys(k)%name == name .and. r%keys(k)%line > 0) &
        text = 'line '//text_of(r%keys(k)%line)//': '
    end do
  end function line_of

  !> A namelist file with every key and its default, which says what they mean.
  subroutine print_template(r, unit)
    type(registry_t), intent(in) :: r
    integer, intent(in) :: unit
    character(16) :: group
    integer :: k

    group = ''
    do k = 1, r%count
      associate (key => r%keys(k))
        if (key%group /= group .and. group /= '') write (unit, '(a)') '/'
        if (key%group /= group) write (unit, '(a)') '&'//trim(key%group)
        group = key%group
        write (unit, '(2x,a)') '! '//trim(key%meaning)//'; '//allowed(key)
        write (unit, '(2x,a)') trim(key%name)//' = '//shown(key)
      end associate
    end do
    write (unit, '(a)') '/'
  end subroutine print_template

  function shown(key) result(text)
    type(key_t), intent(in) :: key
    character(:), allocatable :: text
    if (associated(key%words)) then
      text = ''''//trim(key%words)//''''
    else if (associated(key%whole)) then
      text = text_of(key%whole)
    else if (associated(key%number)) then
      text = text_of(key%number)
    else
      text = trim(merge('.true. ', '.false.', key%claim))
    end if
  end function shown

  function allowed(key) result(text)
    type(key_t), intent(in) :: key
    character(:), allocatable :: text
    if (associated(key%words)) then
      text = 'a text in quotes'
      if (key%choices /= '') text = 'one of: '//trim(key%choices)
    else if (associated(key%whole)) then
      text = 'a whole number from '//text_of(nint(key%low))//' to '//text_of(nint(key%high))
    else if (associated(key%number)) then
      text = 'a number from '//text_of(key%low)//' to '//text_of(key%high)
    else
      text = '.true. or .false.'
    end if
  end function allowed

  function unknown_key(r, name, group) result(text)
    type(registry_t), intent(in) :: r
    character(*), intent(in) :: name, group
    character(:), allocatable :: text
    integer :: k, best, distance

    best = huge(best)
    text = 'there is no key '//name//' in &'//trim(group)
    do k = 1, r%count
      if (r%keys(k)%name == name) then
        text = 'key '//name//' belongs to group &'//trim(r%keys(k)%group)//', not &'//trim(group)
        return
      end if
    end do
    do k = 1, r%count
      if (r%keys(k)%group /= group) cycle
      distance = edit_distance(name, trim(r%keys(k)%name))
      if (distance >= best) cycle
      best = distance
      text = 'there is no key '//name//' in &'//trim(group)//'; the nearest is '// &
        trim(r%keys(k)%name)
    end do
  end function unknown_key

  function groups(r) result(text)
    type(registry_t), intent(in) :: r
    character(:), allocatable :: text
    integer :: k
    text = '&'//trim(r%keys(1)%group)
    do k = 2, r%count
      if (r%keys(k)%group /= r%keys(k - 1)%group) text = text//' &'//trim(r%keys(k)%group)
    end do
  end function groups

  subroutine append(r, name, meaning)
    class(registry_t), intent(inout) :: r
    character(*), intent(in) :: name, meaning
    r%count = r%count + 1
    r%keys(r%count)%group = r%group
    r%keys(r%count)%name = name
    r%keys(r%count)%meaning = meaning
  end subroutine append

  subroutine register_whole(r, name, value, default, low, high, meaning)
    class(registry_t), intent(inout) :: r
    character(*), intent(in) :: name, meaning
    integer, target, intent(inout) :: value
    integer, intent(in) :: default, low, high
    call append(r, name, meaning)
    value = default
    r%keys(r%count)%whole => value
    r%keys(r%count)%low = low
    r%keys(r%count)%high = high
  end subroutine register_whole

  subroutine register_number(r, name, value, default, low, high, meaning)
    class(registry_t), intent(inout) :: r
    character(*), intent(in) :: name, meaning
    real(wp), target, intent(inout) :: value
    real(wp), intent(in) :: default, low, high
    call append(r, name, meaning)
    value = default
    r%keys(r%count)%number => value
    r%keys(r%count)%low = low
    r%keys(r%count)%high = high
  end subroutine register_number

  subroutine register_claim(r, name, value, default, meaning)
    class(registry_t), intent(inout) :: r
    character(*), intent(in) :: name, meaning
    logical, target, intent(inout) :: value
    logical, intent(in) :: default
    call append(r, name, meaning)
    value = default
    r%keys(r%count)%claim => value
  end subroutine register_claim

  subroutine register_words(r, name, value, default, meaning, choices)
    class(registry_t), intent(inout) :: r
    character(*), intent(in) :: name, default, meaning
    character(name_length), target, intent(inout) :: value
    character(*), intent(in), optional :: choices
    call append(r, name, meaning)
    value = default
    r%keys(r%count)%words => value
    if (present(choices)) r%keys(r%count)%choices = choices
  end subroutine register_words
end module weather_keys
