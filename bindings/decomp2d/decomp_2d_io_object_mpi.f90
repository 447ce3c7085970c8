! SPDX-License-Identifier: BSD-3-Clause
! Files of MPI-IO that stay open, as 2DECOMP&FFT 2.1 has them.
module decomp_2d_io_object_mpi
  use decomp_2d_mpi
  implicit none
  private
  public :: decomp_2d_io_object_get_default_mpi_file_open_info, &
    decomp_2d_io_object_set_default_mpi_file_open_info, &
    decomp_2d_io_object_get_default_mpi_file_set_view_info, &
    decomp_2d_io_object_set_default_mpi_file_set_view_info, &
    decomp_2d_io_object_mpi_init, decomp_2d_io_object_mpi_fin

  type, public :: d2d_io_mpi
    character(:), allocatable :: label
    logical :: is_open = .false.
    integer :: fh = MPI_FILE_NULL
    integer(MPI_OFFSET_KIND) :: disp = 0  !! where the next array goes, in bytes
    integer :: mpi_file_open_info = MPI_INFO_NULL, mpi_file_set_view_info = MPI_INFO_NULL
  contains
    procedure :: open => io_open
    procedure :: close => io_close
    procedure :: log => io_log
  end type d2d_io_mpi

  integer, save :: open_info = MPI_INFO_NULL, set_view_info = MPI_INFO_NULL

contains

  !> Opens opt_dirname/filename, or filename; decomp_2d_write_mode empties it. Collective.
  subroutine io_open(writer, filename, mode, opt_dirname, opt_mpi_file_open_info, &
    opt_mpi_file_set_view_info)
    class(d2d_io_mpi), intent(inout) :: writer
    character(*), intent(in) :: filename
    integer, intent(in) :: mode
    character(*), intent(in), optional :: opt_dirname
    integer, intent(in), optional :: opt_mpi_file_open_info, opt_mpi_file_set_view_info
    integer :: ierror, access

    if (writer%is_open) &
      call decomp_2d_abort(1, 'a file is opened that was not closed: ' // writer%label)
    if (mode < decomp_2d_write_mode .or. mode > decomp_2d_append_mode) &
      call decomp_2d_abort(mode, 'the mode of a file is 1 (write), 2 (read) or 3 (append)')
    writer%mpi_file_open_info = open_info
    if (present(opt_mpi_file_open_info)) writer%mpi_file_open_info = opt_mpi_file_open_info
    writer%mpi_file_set_view_info = set_view_info
    if (present(opt_mpi_file_set_view_info)) &
      writer%mpi_file_set_view_info = opt_mpi_file_set_view_info
    writer%label = trim(filename)
    if (present(opt_dirname)) writer%label = trim(opt_dirname) // '/' // writer%label
    access = merge(MPI_MODE_RDONLY, MPI_MODE_CREATE + MPI_MODE_WRONLY, mode == decomp_2d_read_mode)
    call MPI_File_open(decomp_2d_comm, writer%label, access, writer%mpi_file_open_info, writer%fh, &
      ierror)
    if (ierror /= MPI_SUCCESS) &
      call decomp_2d_abort(ierror, 'cannot open the file ' // writer%label)
    writer%is_open = .true.
    writer%disp = 0
    if (mode == decomp_2d_write_mode) &
      call MPI_File_set_size(writer%fh, 0_MPI_OFFSET_KIND, ierror)
  end subroutine io_open

  !> Collective.
  subroutine io_close(writer)
    class(d2d_io_mpi), intent(inout) :: writer
    integer :: ierror

    if (.not. writer%is_open) then
      call decomp_2d_warning(1, 'a file is closed that is not open')
      return
    end if
    call MPI_File_close(writer%fh, ierror)
    if (ierror /= MPI_SUCCESS) &
      call decomp_2d_abort(ierror, 'cannot close the file ' // writer%label)
    deallocate (writer%label)
    writer%is_open = .false.
    writer%disp = 0
    writer%mpi_file_open_info = MPI_INFO_NULL
    writer%mpi_file_set_view_info = MPI_INFO_NULL
  end subroutine io_close

  subroutine io_log(writer, opt_iounit)
    class(d2d_io_mpi), intent(in) :: writer
    integer, intent(in), optional :: opt_iounit
    integer :: unit

    if (.not. present(opt_iounit) .and. nrank /= 0) return
    unit = 6
    if (present(opt_iounit)) unit = opt_iounit
    if (writer%is_open) then
      write (unit, '(3a,i0)') '  file ', writer%label, ', next byte ', writer%disp
    else
      write (unit, '(a)') '  file, not open'
    end if
  end subroutine io_log

  integer function decomp_2d_io_object_get_default_mpi_file_open_info()
    decomp_2d_io_object_get_default_mpi_file_open_info = open_info
  end function decomp_2d_io_object_get_default_mpi_file_open_info

  integer function decomp_2d_io_object_get_default_mpi_file_set_view_info()
    decomp_2d_io_object_get_default_mpi_file_set_view_info = set_view_info
  end function decomp_2d_io_object_get_default_mpi_file_set_view_info

  !> Hints for files that are opened from now on; absent: none.
  subroutine decomp_2d_io_object_set_default_mpi_file_open_info(file_open_info)
    integer, intent(in), optional :: file_open_info
    open_info = MPI_INFO_NULL
    if (present(file_open_info)) open_info = file_open_info
  end subroutine decomp_2d_io_object_set_default_mpi_file_open_info

  subroutine decomp_2d_io_object_set_default_mpi_file_set_view_info(file_set_view_info)
    integer, intent(in), optional :: file_set_view_info
    set_view_info = MPI_INFO_NULL
    if (present(file_set_view_info)) set_view_info = file_set_view_info
  end subroutine decomp_2d_io_object_set_default_mpi_file_set_view_info

  subroutine decomp_2d_io_object_mpi_init(file_open_info, file_set_view_info)
    integer, intent(in), optional :: file_open_info, file_set_view_info
    call decomp_2d_io_object_set_default_mpi_file_open_info(file_open_info)
    call decomp_2d_io_object_set_default_mpi_file_set_view_info(file_set_view_info)
  end subroutine decomp_2d_io_object_mpi_init

  subroutine decomp_2d_io_object_mpi_fin()
    open_info = MPI_INFO_NULL
    set_view_info = MPI_INFO_NULL
  end subroutine decomp_2d_io_object_mpi_fin

end module decomp_2d_io_object_mpi
