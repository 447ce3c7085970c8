! SPDX-License-Identifier: BSD-3-Clause
! Packs a NetCDF-4 file by deflate, when nothing is written into it any more.
module weather_packing
  use netcdf, only: nf90_open, nf90_close, nf90_nowrite, nf90_noerr, nf90_inquire, &
    nf90_inquire_dimension, nf90_inquire_variable, nf90_inq_attname, nf90_copy_att, nf90_global, &
    nf90_float, nf90_def_var, nf90_get_var, nf90_put_var, nf90_max_var_dims
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use weather_netcdf, only: written_t
  implicit none (type, external)
  private
  public :: pack_file

  integer, parameter :: least_values = 65536          !! of a chunk, where a field has as many

  type :: variable_t
    integer :: kind = 0, dimensions = 0
    integer, allocatable :: extents(:)                !! fastest first
  end type variable_t

contains

  !> Local: `name` becomes its packed self, whole or not at all. Same dimensions, variables,
  !> attributes and values.
  subroutine pack_file(name, what, level, message)
    character(*), intent(in) :: name, what
    integer, intent(in) :: level
    character(*), intent(inout) :: message
    type(written_t) :: to
    type(variable_t), allocatable :: all(:)
    integer :: from, dimensions, variables, attributes, v, ignored

    call to%create(name, what)
    if (to%message == '') call to%check(nf90_open(name, nf90_nowrite, from), 'open again')
    if (to%message /= '') then
      call to%discard()
      message = to%message
      return
    end if
    call to%check(nf90_inquire(from, dimensions, variables, attributes), 'read')
    call copy_dimensions(from, to, dimensions)
    allocate (all(variables))
    do v = 1, variables
      call copy_head(from, to, v, level, all(v))
    end do
    call copy_attributes(from, to, nf90_global, attributes)
    call to%finish_head()
    do v = 1, variables
      call copy_values(from, to, v, all(v))
    end do
    ignored = nf90_close(from)
    call to%close_file()
    message = to%message
  end subroutine pack_file

  subroutine copy_dimensions(from, to, dimensions)
    integer, intent(in) :: from, dimensions
    type(written_t), intent(inout) :: to
    character(64) :: name
    integer :: d, length, id

    do d = 1, dimensions
      length = 0
      call to%check(nf90_inquire_dimension(from, d, name, length), 'read')
      id = to%define(trim(name), length)
      if (id /= d .and. to%message == '') &
        to%message = 'cannot pack: the dimensions of the file are not in order'
    end do
  end subroutine copy_dimensions

  subroutine copy_attributes(from, to, variable, count)
    integer, intent(in) :: from, variable, count
    type(written_t), intent(inout) :: to
    character(64) :: name
    integer :: a

    do a = 1, count
      if (to%message == '') call to%check(nf90_inq_attname(from, variable, a, name), 'read')
      if (to%message == '') call to%check(nf90_copy_att(from, variable, trim(name), to%id, &
        variable), 'write')
    end do
  end subroutine copy_attributes

  subroutine copy_head(from, to, v, level, is)
    integer, intent(in) :: from, v, level
    type(written_t), intent(inout) :: to
    type(variable_t), intent(inout) :: is
    character(64) :: name
    integer :: ids(nf90_max_var_dims), attributes, d, id

    if (to%message /= '') return
    call to%check(nf90_inquire_variable(from, v, name, is%kind, is%dimensions, ids, attributes), &
      'read')
    allocate (is%extents(is%dimensions), source=1)
    do d = 1, is%dimensions
      call to%check(nf90_inquire_dimension(from, ids(d), len=is%extents(d)), 'read')
    end do
    if (is%dimensions > 1) then
      call to%check(nf90_def_var(to%id, trim(name), is%kind, ids(:is%dimensions), id, &
        chunksizes=chunks_of(is%extents), shuffle=.true., deflate_level=level), 'define')
    else
      call to%check(nf90_def_var(to%id, trim(name), is%kind, ids(:is%dimensions), id), 'define')
    end if
    call copy_attributes(from, to, v, attributes)
  end subroutine copy_head

  !> Levels are read one by one for maps: a chunk has few of them, and one time.
  pure function chunks_of(extents) result(chunks)
    integer, intent(in) :: extents(:)
    integer :: chunks(size(extents)), n
    chunks = extents
    n = size(extents)
    if (n > 2) chunks(3) = max(1, min(extents(3), least_values/max(1, extents(1)*extents(2))))
    if (n > 3) chunks(4) = 1
  end function chunks_of

  !> Plane by plane.
  subroutine copy_values(from, to, v, is)
    integer, intent(in) :: from, v
    type(written_t), intent(inout) :: to
    type(variable_t), intent(in) :: is
    real(real32), allocatable :: singles(:)
    real(real64), allocatable :: doubles(:)
    integer :: start(is%dimensions), count(is%dimensions), n, planes, plane, rest, d
    logical :: is_single

    if (to%message /= '') return
    start = 1
    count = is%extents
    count(3:) = 1
    n = product(count)
    planes = product(is%extents(3:))
    is_single = is%kind == nf90_float
    allocate (singles(merge(n, 0, is_single)), doubles(merge(0, n, is_single)))
    do plane = 0, planes - 1
      rest = plane
      do d = 3, is%dimensions
        start(d) = 1 + modulo(rest, is%extents(d))
        rest = rest/is%extents(d)
      end do
      if (is_single) then
        call to%check(nf90_get_var(from, v, singles, start, count), 'read')
        if (to%message == '') call to%check(nf90_put_var(to%id, v, singles, start, count), 'write')
      else
        call to%check(nf90_get_var(from, v, doubles, start, count), 'read')
        if (to%message == '') call to%check(nf90_put_var(to%id, v, doubles, start, count), 'write')
      end if
      if (to%message /= '') return
    end do
  end subroutine copy_values
end module weather_packing
