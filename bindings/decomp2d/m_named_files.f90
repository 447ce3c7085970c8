! SPDX-License-Identifier: BSD-3-Clause
! Files of one transfer, and files that stay open under the names of an IO and a folder.
module m_named_files
  use decomp_2d_io_object_mpi, only: d2d_io_mpi
  use decomp_2d_mpi
  use m_file_box, only: file_box, transfer_box
  use m_info, only: decomp_info
  implicit none
  private
  public :: whole_file, is_reduced, transfer_named
  public :: decomp_2d_init_io, decomp_2d_register_variable, decomp_2d_open_io, &
    decomp_2d_close_io, decomp_2d_start_io, decomp_2d_end_io, gen_iodir_name

  !> Files that are open under 'name of the IO::folder'.
  type :: named_file
    character(:), allocatable :: name
    type(d2d_io_mpi) :: io
  end type named_file
  type(named_file), allocatable, target, save :: named(:)

contains

  ! To or from a file of its own; with a request the file stays open in opt_io until that is over.
  subroutine whole_file(is_read, box, var, name, opt_dirname, opt_mpi_file_open_info, &
    opt_mpi_file_set_view_info, opt_reduce_prec, opt_nb_req, opt_io)
    logical, intent(in) :: is_read
    type(file_box), intent(in) :: box
    class(*) :: var(:,:,:)
    character(*), intent(in) :: name
    character(*), intent(in), optional :: opt_dirname
    integer, intent(in), optional :: opt_mpi_file_open_info, opt_mpi_file_set_view_info
    logical, intent(in), optional :: opt_reduce_prec
    integer, intent(inout), optional :: opt_nb_req
    type(d2d_io_mpi), intent(inout), optional :: opt_io
    type(d2d_io_mpi) :: io
    integer :: mode

    mode = merge(decomp_2d_read_mode, decomp_2d_write_mode, is_read)
    if (present(opt_nb_req) .and. present(opt_io)) then
      call opt_io%open(name, mode, opt_dirname, opt_mpi_file_open_info, opt_mpi_file_set_view_info)
      call transfer_box(is_read, opt_io, box, var, is_reduced(opt_reduce_prec), opt_nb_req)
    else
      call io%open(name, mode, opt_dirname, opt_mpi_file_open_info, opt_mpi_file_set_view_info)
      call transfer_box(is_read, io, box, var, is_reduced(opt_reduce_prec))
      call io%close()
    end if
  end subroutine whole_file

  logical function is_reduced(opt_reduce_prec)
    logical, intent(in), optional :: opt_reduce_prec
    is_reduced = default_opt_reduce_prec
    if (present(opt_reduce_prec)) is_reduced = opt_reduce_prec
  end function is_reduced

  subroutine decomp_2d_init_io(io_name)
    character(*), intent(in) :: io_name
    if (len(io_name) == 0) continue
  end subroutine decomp_2d_init_io

  subroutine decomp_2d_register_variable(io_name, varname, ipencil, icoarse, iplane, type, &
    opt_decomp, opt_nplanes)
    character(*), intent(in) :: io_name, varname
    integer, intent(in) :: ipencil, icoarse, iplane, type
    type(decomp_info), intent(in), optional :: opt_decomp
    integer, intent(in), optional :: opt_nplanes
    if (len(io_name) + len(varname) + ipencil + icoarse + iplane + type == 0) continue
    if (present(opt_decomp) .or. present(opt_nplanes)) continue
  end subroutine decomp_2d_register_variable

  subroutine decomp_2d_start_io(io_name, io_dir)
    character(*), intent(in) :: io_name, io_dir
    if (len(io_name) + len(io_dir) == 0) continue
  end subroutine decomp_2d_start_io

  subroutine decomp_2d_end_io(io_name, io_dir)
    character(*), intent(in) :: io_name, io_dir
    if (len(io_name) + len(io_dir) == 0) continue
  end subroutine decomp_2d_end_io

  function gen_iodir_name(io_dir, io_name) result(name)
    character(*), intent(in) :: io_dir, io_name
    character(len(io_dir) + 5) :: name
    if (len(io_name) == 0) continue
    name = io_dir
  end function gen_iodir_name

  ! The place of an open file in `named`, 0 where there is none.
  integer function place_of(io_name, io_dir) result(place)
    character(*), intent(in) :: io_name, io_dir

    if (.not. allocated(named)) allocate (named(0))
    do place = size(named), 1, -1
      if (named(place)%name == trim(io_name) // '::' // trim(io_dir)) return
    end do
  end function place_of

  !> Opens the file io_dir, to which everything goes that is written or read under these names.
  subroutine decomp_2d_open_io(io_name, io_dir, mode)
    character(*), intent(in) :: io_name, io_dir
    integer, intent(in) :: mode
    type(named_file) :: more

    if (place_of(io_name, io_dir) > 0) return
    more%name = trim(io_name) // '::' // trim(io_dir)
    call more%io%open(io_dir, mode)
    named = [named, more]
  end subroutine decomp_2d_open_io

  subroutine decomp_2d_close_io(io_name, io_dir)
    character(*), intent(in) :: io_name, io_dir
    integer :: place

    place = place_of(io_name, io_dir)
    if (place == 0) then
      call decomp_2d_warning(1, 'decomp_2d_close_io: not open: ' // io_name // ', ' // io_dir)
      return
    end if
    call named(place)%io%close()
    named = [named(:place - 1), named(place + 1:)]
  end subroutine decomp_2d_close_io

  ! To or from the open file of these names, or else the file dirname/varname.
  subroutine transfer_named(is_read, box, var, dirname, varname, io_name)
    logical, intent(in) :: is_read
    type(file_box), intent(in) :: box
    class(*) :: var(:,:,:)
    character(*), intent(in) :: dirname, varname, io_name
    integer :: place

    place = place_of(io_name, dirname)
    if (place > 0) then
      call transfer_box(is_read, named(place)%io, box, var, .false.)
      return
    end if
    if (.not. is_read) call make_folder(dirname)
    call whole_file(is_read, box, var, varname, trim(dirname))
  end subroutine transfer_named

  subroutine make_folder(name)
    character(*), intent(in) :: name
    logical :: exists

    if (nrank /= 0) return
    inquire (file=trim(name), exist=exists)
    if (.not. exists) call execute_command_line('mkdir -p "' // trim(name) // '"')
  end subroutine make_folder

end module m_named_files
