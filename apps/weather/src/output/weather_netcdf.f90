! SPDX-License-Identifier: BSD-3-Clause
! NetCDF-4 files as the model writes them: NAME.part until complete, and the first failure kept, so
! that callers make their calls one after the other and look at `message` once.
module weather_netcdf
  use netcdf, only: nf90_create, nf90_open, nf90_close, nf90_sync, nf90_enddef, nf90_def_dim, &
    nf90_def_var, nf90_put_att, nf90_put_var, nf90_strerror, nf90_noerr, nf90_netcdf4, &
    nf90_float, nf90_double, nf90_char, nf90_fill_float, nf90_def_var_fill, nf90_global
  use, intrinsic :: iso_fortran_env, only: real64
  use weather_attributes, only: attributes_t, describe_run, describe_time
  use weather_constants, only: wp, long, max_text
  use weather_errors, only: text_of
  use weather_system, only: free_bytes, is_renamed, remove_file
  implicit none (type, external)
  private
  public :: written_t, refuse_existing, require_space

  type :: written_t
    integer :: id = -1                                !! of the NetCDF library; -1: not open
    character(:), allocatable :: name, part, what     !! final path, path until closed, 'the output'
    character(max_text) :: message = ''               !! the first failure
  contains
    procedure :: create, define, text, texts, number, finish_head, sync, close_file, discard, check
    procedure :: wants => check_space
    procedure :: new_variable, new_time, describe
    procedure, private :: put_double, put_line, put_letters
    generic :: put => put_double, put_line, put_letters
  end type written_t

contains

  subroutine create(f, name, what)
    class(written_t), intent(inout) :: f
    character(*), intent(in) :: name, what
    f%name = name
    f%part = name//'.part'
    f%what = what
    f%message = ''
    call f%check(nf90_create(f%part, nf90_netcdf4, f%id), 'create')
    if (f%message /= '') f%id = -1
  end subroutine create

  !> Refuses to go on where so many bytes may not fit; call it before `create` too.
  subroutine check_space(f, name, what, bytes)
    class(written_t), intent(inout) :: f
    character(*), intent(in) :: name, what
    integer(long), intent(in) :: bytes
    call require_space(name, what, bytes, f%message)
  end subroutine check_space

  !> The same for a file that others write.
  subroutine require_space(name, what, bytes, message)
    character(*), intent(in) :: name, what
    integer(long), intent(in) :: bytes
    character(*), intent(inout) :: message
    integer(long) :: free

    if (message /= '') return
    free = free_bytes(name)
    if (free < 0) then
      message = 'the folder of '//what//' '''//name//''' does not exist or cannot be read'
    else if (free < bytes) then
      message = 'no space for '//what//' '''//name//''': '//megabytes(bytes)// &
        ' may be needed, '//megabytes(free)//' are free'
    end if
  end subroutine require_space

  !> A run that goes on from a history writes files of its own, and never over one that is there.
  subroutine refuse_existing(name, what, message)
    character(*), intent(in) :: name, what
    character(*), intent(inout) :: message
    logical :: there(2)
    inquire (file=name, exist=there(1))
    inquire (file=name//'.part', exist=there(2))
    if (any(there) .and. message == '') message = what//' '''//name//''' or '''//name// &
      '.part'' is there already; a run with runtype = ''history'' writes a file of its own: '// &
      'give another output_file'
  end subroutine refuse_existing

  pure function megabytes(bytes) result(text)
    integer(long), intent(in) :: bytes
    character(:), allocatable :: text
    text = text_of(real(bytes, wp)*1.0e-6_wp)//' MB'
  end function megabytes

  !> A dimension; its id is 0 after a failure.
  integer function define(f, name, length) result(dim)
    class(written_t), intent(inout) :: f
    character(*), intent(in) :: name
    integer, intent(in) :: length
    dim = 0
    if (f%message == '') call f%check(nf90_def_dim(f%id, name, length, dim), 'define')
  end function define

  !> A variable of kind 'float' (with _FillValue), 'double' or 'char'; empty texts make no
  !> attribute.
  integer function new_variable(f, name, kind, dims, units, standard, meaning, chunks) &
    result(variable)
    class(written_t), intent(inout) :: f
    character(*), intent(in) :: name, kind
    integer, intent(in) :: dims(:)
    character(*), intent(in), optional :: units, standard, meaning
    integer, intent(in), optional :: chunks(:)

    variable = -1
    if (f%message /= '') return
    call f%check(nf90_def_var(f%id, name, kind_of(kind), dims, variable, chunksizes=chunks), &
      'define')
    if (f%message == '' .and. kind == 'float') &
      call f%check(nf90_def_var_fill(f%id, variable, 0, nf90_fill_float), 'define')
    if (present(units)) call f%text(variable, 'units', units)
    if (present(standard)) call f%text(variable, 'standard_name', standard)
    if (present(meaning)) call f%text(variable, 'long_name', meaning)
  end function new_variable

  pure integer function kind_of(kind)
    character(*), intent(in) :: kind
    select case (kind)
    case ('float')
      kind_of = nf90_float
    case ('double')
      kind_of = nf90_double
    case default
      kind_of = nf90_char
    end select
  end function kind_of

  subroutine text(f, variable, name, value)
    class(written_t), intent(inout) :: f
    integer, intent(in) :: variable
    character(*), intent(in) :: name, value
    if (f%message == '' .and. value /= '') &
      call f%check(nf90_put_att(f%id, variable, name, value), 'write')
  end subroutine text

  subroutine number(f, variable, name, value)
    class(written_t), intent(inout) :: f
    integer, intent(in) :: variable
    character(*), intent(in) :: name
    real(wp), intent(in) :: value
    if (f%message == '') call f%check(nf90_put_att(f%id, variable, name, value), 'write')
  end subroutine number

  !> The coordinate `time`.
  integer function new_time(f, dim, origin, bounds) result(variable)
    class(written_t), intent(inout) :: f
    integer, intent(in) :: dim
    character(*), intent(in) :: origin, bounds
    type(attributes_t) :: a
    variable = f%new_variable('time', 'double', [dim])
    call describe_time(a, origin, bounds)
    call f%texts(variable, a)
  end function new_time

  !> Global attributes.
  subroutine describe(f, title, institution, namelist_text)
    class(written_t), intent(inout) :: f
    character(*), intent(in) :: title, institution, namelist_text
    type(attributes_t) :: a
    call describe_run(a, title, institution, namelist_text)
    call f%texts(nf90_global, a)
  end subroutine describe

  subroutine texts(f, variable, a)
    class(written_t), intent(inout) :: f
    integer, intent(in) :: variable
    type(attributes_t), intent(in) :: a
    integer :: n, equals
    do n = 1, size(a%lines)
      equals = index(a%lines(n), '=')
      call f%text(variable, a%lines(n)(:equals - 1), trim(a%lines(n)(equals + 1:)))
    end do
  end subroutine texts

  subroutine finish_head(f)
    class(written_t), intent(inout) :: f
    if (f%message == '') call f%check(nf90_enddef(f%id), 'define')
  end subroutine finish_head

  !> `count` values from `start` on, whatever the shape of the variable.
  subroutine put_double(f, variable, values, start, count)
    class(written_t), intent(inout) :: f
    integer, intent(in) :: variable, start(:), count(:)
    real(real64), intent(in) :: values(:, :, :)
    if (f%message == '') call f%check(nf90_put_var(f%id, variable, values, start, count), 'write')
  end subroutine put_double

  subroutine put_line(f, variable, values, start, count)
    class(written_t), intent(inout) :: f
    integer, intent(in) :: variable, start(:), count(:)
    real(real64), intent(in) :: values(:)
    if (f%message == '') call f%check(nf90_put_var(f%id, variable, values, start, count), 'write')
  end subroutine put_line

  subroutine put_letters(f, variable, values, start, count)
    class(written_t), intent(inout) :: f
    integer, intent(in) :: variable, start(:), count(:)
    character(*), intent(in) :: values
    if (f%message == '') call f%check(nf90_put_var(f%id, variable, values, start, count), 'write')
  end subroutine put_letters

  subroutine sync(f)
    class(written_t), intent(inout) :: f
    if (f%message == '') call f%check(nf90_sync(f%id), 'write')
  end subroutine sync

  !> Closes the file and gives it its name; a file that failed is removed.
  subroutine close_file(f)
    class(written_t), intent(inout) :: f
    if (f%message == '') then
      call f%check(nf90_close(f%id), 'close')
      f%id = -1
    end if
    if (f%message == '') then
      if (.not. is_renamed(f%part, f%name)) &
        f%message = 'cannot rename '''//f%part//''' to '''//f%name//''''
    end if
    if (f%message /= '') call f%discard()
  end subroutine close_file

  !> Closes and removes what was written so far.
  subroutine discard(f)
    class(written_t), intent(inout) :: f
    integer :: ignored
    if (f%id >= 0) ignored = nf90_close(f%id)
    f%id = -1
    if (allocated(f%part)) call remove_file(f%part)
  end subroutine discard

  !> Keeps the first failure.
  subroutine check(f, status, act)
    class(written_t), intent(inout) :: f
    integer, intent(in) :: status
    character(*), intent(in) :: act
    if (status == nf90_noerr .or. f%message /= '') return
    f%message = 'cannot '//act//' '//f%what//' '''//f%part//''': '//trim(nf90_strerror(status))// &
      ' ('//megabytes(free_bytes(f%part))//' are free there)'
  end subroutine check
end module weather_netcdf
