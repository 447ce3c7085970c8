! SPDX-License-Identifier: BSD-3-Clause
! NetCDF files as a history is read: every rank opens the file and takes its own columns. The first
! failure is kept, and later calls do nothing.
module weather_netcdf_read
  use netcdf, only: nf90_open, nf90_close, nf90_nowrite, nf90_noerr, nf90_strerror, nf90_global, &
    nf90_inq_dimid, nf90_inquire_dimension, nf90_inq_varid, nf90_inquire_variable, nf90_get_var, &
    nf90_get_att, nf90_inquire_attribute, nf90_max_var_dims
  use weather_constants, only: wp, max_text
  use weather_errors, only: text_of
  implicit none (type, external)
  private
  public :: read_t

  type :: read_t
    integer :: id = -1
    character(:), allocatable :: path, what
    character(max_text) :: message = ''
  contains
    procedure :: open_file, close_file, length, number, text, get_line, get_tile, refuse, check
  end type read_t

contains

  subroutine open_file(f, path, what)
    class(read_t), intent(inout) :: f
    character(*), intent(in) :: path, what
    logical :: there
    f%path = path
    f%what = what
    f%message = ''
    inquire (file=path, exist=there)
    if (there) then
      call f%check(nf90_open(path, nf90_nowrite, f%id), 'it cannot be opened')
      if (f%message /= '') f%id = -1
    else
      call f%refuse('it is not there')
    end if
  end subroutine open_file

  subroutine close_file(f)
    class(read_t), intent(inout) :: f
    integer :: ignored
    if (f%id >= 0) ignored = nf90_close(f%id)
    f%id = -1
  end subroutine close_file

  !> Length of a dimension; 0 after a failure.
  integer function length(f, name)
    class(read_t), intent(inout) :: f
    character(*), intent(in) :: name
    integer :: dim
    length = 0
    if (f%message /= '') return
    call f%check(nf90_inq_dimid(f%id, name, dim), 'the dimension '//name//' is missing')
    if (f%message == '') call f%check(nf90_inquire_dimension(f%id, dim, len=length), &
      'the dimension '//name//' cannot be read')
  end function length

  !> A global attribute; 0 after a failure.
  real(wp) function number(f, name)
    class(read_t), intent(inout) :: f
    character(*), intent(in) :: name
    number = 0.0_wp
    if (f%message == '') call f%check(nf90_get_att(f%id, nf90_global, name, number), &
      'the attribute '//name//' is missing')
  end function number

  !> An attribute, global or of a variable.
  function text(f, name, variable) result(value)
    class(read_t), intent(inout) :: f
    character(*), intent(in) :: name
    character(*), intent(in), optional :: variable
    character(:), allocatable :: value
    integer :: n, id
    value = ''
    if (f%message /= '') return
    n = 0
    id = nf90_global
    if (present(variable)) call f%check(nf90_inq_varid(f%id, variable, id), &
      'the variable '//variable//' is missing')
    if (f%message == '') call f%check(nf90_inquire_attribute(f%id, id, name, len=n), &
      'the attribute '//name//' is missing')
    if (f%message /= '' .or. n < 1 .or. n > max_text) return
    deallocate (value)
    allocate (character(n) :: value)
    call f%check(nf90_get_att(f%id, id, name, value), 'the attribute '//name// &
      ' cannot be read')
  end function text

  !> A whole one-dimensional variable of n values.
  subroutine get_line(f, name, n, values)
    class(read_t), intent(inout) :: f
    character(*), intent(in) :: name
    integer, intent(in) :: n
    real(wp), allocatable, intent(out) :: values(:)
    integer :: id
    allocate (values(n), source=0.0_wp)
    call find(f, name, [n], id)
    if (f%message == '') call f%check(nf90_get_var(f%id, id, values), name//' cannot be read')
  end subroutine get_line

  !> values(i, j, k): `count` columns from `start` on of a variable of the whole shape (x, y,
  !> level); 1 level: the variable has no levels.
  subroutine get_tile(f, name, whole, start, count, values)
    class(read_t), intent(inout) :: f
    character(*), intent(in) :: name
    integer, intent(in) :: whole(3), start(2), count(2)
    real(wp), allocatable, intent(out) :: values(:, :, :)
    integer :: id

    allocate (values(count(1), count(2), whole(3)), source=0.0_wp)
    call find(f, name, whole(:merge(2, 3, whole(3) == 1)), id)
    if (f%message /= '') return
    if (whole(3) == 1) then
      call f%check(nf90_get_var(f%id, id, values, start, count), name//' cannot be read')
    else
      call f%check(nf90_get_var(f%id, id, values, [start, 1], [count, whole(3)]), &
        name//' cannot be read')
    end if
    if (f%message == '' .and. .not. all(abs(values) <= huge(1.0_wp))) &
      call f%refuse(name//' holds values that are not finite')
  end subroutine get_tile

  !> The variable of that name, which must have that shape.
  subroutine find(f, name, whole, id)
    class(read_t), intent(inout) :: f
    character(*), intent(in) :: name
    integer, intent(in) :: whole(:)
    integer, intent(out) :: id
    integer :: n, d, dims(nf90_max_var_dims), extent

    id = -1
    if (f%message /= '') return
    call f%check(nf90_inq_varid(f%id, name, id), 'the variable '//name//' is missing')
    if (f%message /= '') return
    call f%check(nf90_inquire_variable(f%id, id, ndims=n, dimids=dims), name//' cannot be read')
    if (f%message == '' .and. n /= size(whole)) call f%refuse(name//' has '//text_of(n)// &
      ' dimensions, '//text_of(size(whole))//' are expected')
    do d = 1, size(whole)
      if (f%message /= '') return
      call f%check(nf90_inquire_dimension(f%id, dims(d), len=extent), name//' cannot be read')
      if (f%message == '' .and. extent /= whole(d)) call f%refuse(name//' has the wrong shape')
    end do
  end subroutine find

  subroutine refuse(f, reason)
    class(read_t), intent(inout) :: f
    character(*), intent(in) :: reason
    if (f%message == '') f%message = f%what//' '''//f%path//''' is refused: '//reason
  end subroutine refuse

  subroutine check(f, status, reason)
    class(read_t), intent(inout) :: f
    integer, intent(in) :: status
    character(*), intent(in) :: reason
    if (status /= nf90_noerr) call f%refuse(reason//' ('//trim(nf90_strerror(status))//')')
  end subroutine check
end module weather_netcdf_read
