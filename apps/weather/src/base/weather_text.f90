! SPDX-License-Identifier: BSD-3-Clause
! Small operations on text: for the reader of namelists, lists of words, dates.
module weather_text
  use weather_constants, only: wp
  implicit none (type, external)
  private
  public :: edit_distance, lower, without_comment, stem, count_words, word_of, seconds_of_date

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

  !> The name of a NetCDF file without its ending .nc.
  pure function stem(name) result(short)
    character(*), intent(in) :: name
    character(:), allocatable :: short
    short = name
    if (len(name) > 3) then
      if (name(len(name) - 2:) == '.nc') short = name(:len(name) - 3)
    end if
  end function stem

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

  !> Words of a text, separated by blanks.
  pure integer function count_words(text)
    character(*), intent(in) :: text
    integer :: k
    count_words = 0
    do k = 1, len(text)
      if (text(k:k) == ' ') cycle
      if (k > 1) then
        if (text(k - 1:k - 1) /= ' ') cycle
      end if
      count_words = count_words + 1
    end do
  end function count_words

  !> Word number n of a text, from 1; empty where there is none.
  pure function word_of(text, n) result(word)
    character(*), intent(in) :: text
    integer, intent(in) :: n
    character(:), allocatable :: word
    integer :: m, length

    word = trim(adjustl(text))
    do m = 1, n - 1
      length = index(word//' ', ' ')
      word = trim(adjustl(word(min(length, len(word) + 1):)))
    end do
    word = word(:index(word//' ', ' ') - 1)
  end function word_of

  !> Seconds from the beginning of the year 0 (Gregorian) to a date YYYY-MM-DDTHH:MM:SS; not a
  !> number where the text is no such date.
  pure real(wp) function seconds_of_date(text)
    use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_quiet_nan
    character(*), intent(in) :: text
    integer, parameter :: before(12) = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]
    integer :: year, month, day, hour, minute, second, stat, days, whole

    seconds_of_date = ieee_value(0.0_wp, ieee_quiet_nan)
    read (text, '(i4,5(1x,i2))', iostat=stat) year, month, day, hour, minute, second
    if (stat /= 0) return
    if (month < 1 .or. month > 12) return
    whole = year - merge(1, 0, month < 3)      ! years whose leap day has passed
    days = 365*year + whole/4 - whole/100 + whole/400 + before(month) + day
    seconds_of_date = 86400.0_wp*days + 3600.0_wp*hour + 60.0_wp*minute + second
  end function seconds_of_date
end module weather_text
