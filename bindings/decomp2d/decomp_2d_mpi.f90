! SPDX-License-Identifier: BSD-3-Clause
! Ranks, communicators and errors under the names of 2DECOMP&FFT.
module decomp_2d_mpi
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: error_unit
  use decomp_2d_constants
  implicit none
  public
  private :: c_int, complain, end_all, error_unit

  integer, save :: mytype_bytes = storage_size(0.0_mytype) / 8
  integer, save :: nrank = -1, nproc = -1
  integer, save :: decomp_2d_comm = MPI_COMM_NULL
  integer, save :: DECOMP_2D_COMM_CART_X = MPI_COMM_NULL, DECOMP_2D_COMM_CART_Y = MPI_COMM_NULL, &
    DECOMP_2D_COMM_CART_Z = MPI_COMM_NULL, DECOMP_2D_COMM_ROW = MPI_COMM_NULL, &
    DECOMP_2D_COMM_COL = MPI_COMM_NULL

  interface decomp_2d_abort
    module procedure abort_basic, abort_at
  end interface decomp_2d_abort

  interface decomp_2d_warning
    module procedure warn_basic, warn_at
  end interface decomp_2d_warning

contains

  subroutine decomp_2d_mpi_init(comm)
    integer, intent(in), optional :: comm
    integer :: ierror

    decomp_2d_comm = MPI_COMM_WORLD
    if (present(comm)) decomp_2d_comm = comm
    if (nrank == -1) call MPI_Comm_rank(decomp_2d_comm, nrank, ierror)
    if (nproc == -1) call MPI_Comm_size(decomp_2d_comm, nproc, ierror)
  end subroutine decomp_2d_mpi_init

  subroutine decomp_2d_mpi_fin()
    nrank = -1
    nproc = -1
    decomp_2d_comm = MPI_COMM_NULL
  end subroutine decomp_2d_mpi_fin

  !> Frees a communicator unless it is MPI_COMM_NULL.
  subroutine decomp_2d_mpi_comm_free(comm)
    integer, intent(inout) :: comm
    integer :: ierror
    if (comm /= MPI_COMM_NULL) call MPI_Comm_free(comm, ierror)
  end subroutine decomp_2d_mpi_comm_free

  !> Waits for a request, which becomes MPI_REQUEST_NULL.
  subroutine decomp_2d_mpi_wait(req)
    integer, intent(inout) :: req
    integer :: ierror
    call MPI_Wait(req, MPI_STATUS_IGNORE, ierror)
  end subroutine decomp_2d_mpi_wait

  ! The first rank speaks; without a rank yet, all do.
  subroutine complain(what, code, message, file, line)
    character(*), intent(in) :: what, message
    integer, intent(in) :: code
    character(*), intent(in), optional :: file
    integer, intent(in), optional :: line

    if (nrank > 0) return
    write (error_unit, '(3a,i0,2a)') 'decomp_2d ', what, ' ', code, ': ', message
    if (present(file) .and. present(line)) &
      write (error_unit, '(3a,i0)') '  in ', file, ', line ', line
    flush (error_unit)
  end subroutine complain

  ! All of MPI_COMM_WORLD: who is not in decomp_2d_comm may wait for those who are.
  subroutine end_all(code)
    integer, intent(in) :: code
    interface
      subroutine nearfar_end_job(code) bind(C)  ! of the C interface
        import :: c_int
        integer(c_int), value :: code
      end subroutine nearfar_end_job
    end interface
    call nearfar_end_job(int(merge(1, code, code == 0), c_int))
  end subroutine end_all

  !> Says why and ends all ranks.
  subroutine abort_basic(errorcode, msg)
    integer, intent(in) :: errorcode
    character(*), intent(in) :: msg
    call complain('error', errorcode, msg)
    call end_all(errorcode)
  end subroutine abort_basic

  !> The same, for errors that all ranks have found: none ends before the first has spoken.
  !> Collective.
  subroutine decomp_2d_abort_together(errorcode, msg)
    integer, intent(in) :: errorcode
    character(*), intent(in) :: msg
    integer :: ierror
    call complain('error', errorcode, msg)
    call MPI_Barrier(decomp_2d_comm, ierror)
    call end_all(errorcode)
  end subroutine decomp_2d_abort_together

  subroutine abort_at(file, line, errorcode, msg)
    character(*), intent(in) :: file, msg
    integer, intent(in) :: line, errorcode
    call complain('error', errorcode, msg, file, line)
    call end_all(errorcode)
  end subroutine abort_at

  subroutine warn_basic(errorcode, msg)
    integer, intent(in) :: errorcode
    character(*), intent(in) :: msg
    call complain('warning', errorcode, msg)
  end subroutine warn_basic

  subroutine warn_at(file, line, errorcode, msg)
    character(*), intent(in) :: file, msg
    integer, intent(in) :: line, errorcode
    call complain('warning', errorcode, msg, file, line)
  end subroutine warn_at

end module decomp_2d_mpi
