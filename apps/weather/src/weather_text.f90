! SPDX-License-Identifier: BSD-3-Clause
! Small operations on text for the reader of namelists.
module weather_text
  implicit none (type, external)
  private
  public :: edit_distance, lower, without_comment

contains

  !> Fewest insertions, deletions and replacements of a letter that turn a into b.
  pure function edit_distance(a, b) result(distance)
    character(*), intent(in) :: a, b
    integer :: distance, row(0:len(b)), previous(0:len(b)), i, j
    row = [(j, j = 0, len(b))]
    do i = 1, len(a)
      previous = row
      row(0) = i
      do j = 1, len(b)
        row(j) = min(previous(j) + 1, row(j - 1) + 1, &
          previous(j - 1) + merge(0, 1, a(i:i) == b(j:j)))
      end do
    end do
    distance = row(len(b))
  end function edit_distance

  pure function lower(text) result(small)
    character(*), intent(in) :: text
    character(len(text)) :: small
    integer :: k, code
    do k = 1, len(text)
      code = iachar(text(k:k))
      if (code >= iachar('A') .and. code <= iachar('Z')) code = code + 32
      small(k:k) = achar(code)
    end do
  end function lower

  !> The line without leading blanks, tabs, carriage return and what follows a ! outside quotes.
  pure function without_comment(line) result(text)
    character(*), intent(in) :: line
    character(:), allocatable :: text
    character :: quote
    integer :: k

    text = line
    quote = ' '
    do k = 1, len(text)
      if (text(k:k) == achar(9) .or. text(k:k) == achar(13)) text(k:k) = ' '
      if (quote /= ' ') then
        if (text(k:k) == quote) quote = ' '
      else if (text(k:k) == '"' .or. text(k:k) == '''') then
        quote = text(k:k)
      else if (text(k:k) == '!') then
        text = text(:k - 1)
        exit
      end if
    end do
    text = trim(adjustl(text))
  end function without_comment
end module weather_text
