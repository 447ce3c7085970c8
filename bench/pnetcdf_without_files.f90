! SPDX-License-Identifier: BSD-3-Clause
! Stands in for PnetCDF's Fortran module where miniWeather is built for timing: every call succeeds
! and writes nothing, so that the comparison needs no further library and times no disk.
module pnetcdf
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  private
  public :: nf90mpi_create, nf90mpi_close, nf90mpi_strerror, nfmpi_def_dim, nfmpi_def_var, &
    nfmpi_enddef, nfmpi_open, nfmpi_inq_varid, nfmpi_put_vara_double_all, nfmpi_put_vara_double, &
    nfmpi_begin_indep_data, nfmpi_end_indep_data
  integer, parameter, public :: nf_noerr = 0, nf90_clobber = 0, nf90_write = 1, nf90_double = 6
  integer(int64), parameter, public :: nf90_unlimited = 0

contains

  integer function nf90mpi_create(comm, path, mode, info, id)
    integer, intent(in) :: comm, mode, info
    character(*), intent(in) :: path
    integer, intent(out) :: id
    id = comm + mode + info + len(path)
    nf90mpi_create = nf_noerr
  end function nf90mpi_create

  integer function nfmpi_open(comm, path, mode, info, id)
    integer, intent(in) :: comm, mode, info
    character(*), intent(in) :: path
    integer, intent(out) :: id
    nfmpi_open = nf90mpi_create(comm, path, mode, info, id)
  end function nfmpi_open

  integer function nfmpi_def_dim(id, name, length, dim)
    integer, intent(in) :: id
    character(*), intent(in) :: name
    integer(int64), intent(in) :: length
    integer, intent(out) :: dim
    dim = id + len(name) + int(length)
    nfmpi_def_dim = nf_noerr
  end function nfmpi_def_dim

  integer function nfmpi_def_var(id, name, kind_of, rank, dims, variable)
    integer, intent(in) :: id, kind_of, rank, dims(*)
    character(*), intent(in) :: name
    integer, intent(out) :: variable
    variable = id + len(name) + kind_of + dims(rank)
    nfmpi_def_var = nf_noerr
  end function nfmpi_def_var

  integer function nfmpi_inq_varid(id, name, variable)
    integer, intent(in) :: id
    character(*), intent(in) :: name
    integer, intent(out) :: variable
    variable = id + len(name)
    nfmpi_inq_varid = nf_noerr
  end function nfmpi_inq_varid

  integer function nfmpi_put_vara_double_all(id, variable, start, count, values)
    integer, intent(in) :: id, variable
    integer(int64), intent(in) :: start(*), count(*)
    double precision, intent(in) :: values(*)
    nfmpi_put_vara_double_all = merge(nf_noerr, 1, id + variable + start(1) + count(1) /= -1 .and. &
      values(1) <= huge(values(1)))
  end function nfmpi_put_vara_double_all

  integer function nfmpi_put_vara_double(id, variable, start, count, values)
    integer, intent(in) :: id, variable
    integer(int64), intent(in) :: start(*), count(*)
    double precision, intent(in) :: values(*)
    nfmpi_put_vara_double = nfmpi_put_vara_double_all(id, variable, start, count, values)
  end function nfmpi_put_vara_double

  integer function nf90mpi_close(id)
    integer, intent(in) :: id
    nf90mpi_close = merge(nf_noerr, 1, id /= -huge(id))
  end function nf90mpi_close

  integer function nfmpi_enddef(id)
    integer, intent(in) :: id
    nfmpi_enddef = nf90mpi_close(id)
  end function nfmpi_enddef

  integer function nfmpi_begin_indep_data(id)
    integer, intent(in) :: id
    nfmpi_begin_indep_data = nf90mpi_close(id)
  end function nfmpi_begin_indep_data

  integer function nfmpi_end_indep_data(id)
    integer, intent(in) :: id
    nfmpi_end_indep_data = nf90mpi_close(id)
  end function nfmpi_end_indep_data

  function nf90mpi_strerror(error) result(text)
    integer, intent(in) :: error
    character(16) :: text
    write (text, '(a,i0)') 'error ', error
  end function nf90mpi_strerror
end module pnetcdf
