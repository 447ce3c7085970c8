! SPDX-License-Identifier: BSD-3-Clause
! Files of distributed arrays under the names of 2DECOMP&FFT: a file holds whole arrays one after
! the other, in Fortran's order, without headers. The calls of releases 2.0 (files by names of an
! IO and a folder) and 2.1 (files by objects) are both here; arrays are real or complex of both
! precisions, integer or logical. All are collective; what cannot be done ends all ranks.
module decomp_2d_io
  use decomp_2d, only: decomp_info, decomp_main, transpose_x_to_y, transpose_y_to_x, &
    transpose_y_to_z, transpose_z_to_y
  use decomp_2d_io_object_mpi
  use decomp_2d_mpi
  use m_coarse
  use m_file_box, only: file_box, pencil_box, transfer_box, transfer_values
  use m_named_files
  implicit none
  private
  public :: decomp_2d_io_init, decomp_2d_io_finalise, decomp_2d_io_fin
  public :: decomp_2d_write_one, decomp_2d_read_one, decomp_2d_write_var, decomp_2d_read_var, &
    decomp_2d_write_scalar, decomp_2d_read_scalar, decomp_2d_write_plane, decomp_2d_read_plane, &
    decomp_2d_write_every, decomp_2d_write_subdomain, decomp_2d_write_outflow, &
    decomp_2d_read_inflow
  public :: decomp_2d_init_io, decomp_2d_register_variable, decomp_2d_open_io, &
    decomp_2d_close_io, decomp_2d_start_io, decomp_2d_end_io, gen_iodir_name
  public :: decomp_2d_write_mode, decomp_2d_read_mode, decomp_2d_append_mode

  !> write_one(ipencil, var, filename, [decomp or options]): a file of its own; (ipencil, var,
  !> dirname, varname, icoarse, io_name): the array or a coarse mesh (1: S, 2: V) of it that is in
  !> var, to the open file of that name, or else to dirname/varname; (ipencil, var, filename,
  !> nlength): probes over time.
  interface decomp_2d_write_one
    module procedure write_file, write_file_of, write_coarse, write_probe
  end interface decomp_2d_write_one

  interface decomp_2d_read_one
    module procedure read_file, read_file_of, read_named
  end interface decomp_2d_read_one

  !> write_var(io or fh and disp, …): behind what the open file has.
  interface decomp_2d_write_var
    module procedure write_var_io, write_var_fh
  end interface decomp_2d_write_var

  interface decomp_2d_read_var
    module procedure read_var_io, read_var_fh
  end interface decomp_2d_read_var

  !> n numbers that all ranks have.
  interface decomp_2d_write_scalar
    module procedure write_scalar_io, write_scalar_fh
  end interface decomp_2d_write_scalar

  interface decomp_2d_read_scalar
    module procedure read_scalar_io, read_scalar_fh
  end interface decomp_2d_read_scalar

  !> write_plane(ipencil, var, iplane, n, dirname, varname, io_name): plane n across the axis
  !> iplane, the mean of all where n < 1; (ipencil, var, varname, [opt_nplanes], [opt_iplane]):
  !> planes across the pencil, all that var has, or one.
  interface decomp_2d_write_plane
    module procedure write_plane_real, write_plane_complex, write_planes
  end interface decomp_2d_write_plane

  interface decomp_2d_read_plane
    module procedure read_planes
  end interface decomp_2d_read_plane

contains

  subroutine decomp_2d_io_init(file_open_info, file_set_view_info, adios_xml)
    integer, intent(in), optional :: file_open_info, file_set_view_info
    character(*), intent(in), optional :: adios_xml
    if (present(adios_xml)) continue
    call decomp_2d_io_object_mpi_init(file_open_info, file_set_view_info)
  end subroutine decomp_2d_io_init

  subroutine decomp_2d_io_fin()
    call decomp_2d_io_object_mpi_fin()
  end subroutine decomp_2d_io_fin

  subroutine decomp_2d_io_finalise()
    call decomp_2d_io_fin()
  end subroutine decomp_2d_io_finalise

  ! ---- files of one array ----

  function box_of(pencil, opt_decomp, planes) result(box)
    integer, intent(in) :: pencil
    type(decomp_info), intent(in), optional :: opt_decomp
    integer, intent(in), optional :: planes
    type(file_box) :: box

    if (present(opt_decomp)) then
      box = pencil_box(pencil, opt_decomp, planes)
    else
      box = pencil_box(pencil, decomp_main, planes)
    end if
  end function box_of

  subroutine write_file(ipencil, var, varname, opt_dirname, opt_mpi_file_open_info, &
    opt_mpi_file_set_view_info, opt_reduce_prec, opt_decomp, opt_nb_req, opt_io)
    integer, intent(in) :: ipencil
    class(*), intent(in) :: var(:,:,:)
    character(*), intent(in) :: varname
    character(*), intent(in), optional :: opt_dirname
    integer, intent(in), optional :: opt_mpi_file_open_info, opt_mpi_file_set_view_info
    logical, intent(in), optional :: opt_reduce_prec
    type(decomp_info), intent(in), optional :: opt_decomp
    integer, intent(inout), optional :: opt_nb_req
    type(d2d_io_mpi), intent(inout), optional :: opt_io
    call whole_file(.false., box_of(ipencil, opt_decomp), var, varname, opt_dirname, &
      opt_mpi_file_open_info, opt_mpi_file_set_view_info, opt_reduce_prec, opt_nb_req, opt_io)
  end subroutine write_file

  ! Release 2.0 has the decomp_info in the place where 2.1 has the folder.
  subroutine write_file_of(ipencil, var, filename, decomp)
    integer, intent(in) :: ipencil
    class(*), intent(in) :: var(:,:,:)
    character(*), intent(in) :: filename
    type(decomp_info), intent(in) :: decomp
    call whole_file(.false., pencil_box(ipencil, decomp), var, filename)
  end subroutine write_file_of

  subroutine read_file(ipencil, var, varname, opt_dirname, opt_mpi_file_open_info, &
    opt_mpi_file_set_view_info, opt_reduce_prec, opt_decomp, opt_nb_req, opt_io)
    integer, intent(in) :: ipencil
    class(*), intent(inout) :: var(:,:,:)
    character(*), intent(in) :: varname
    character(*), intent(in), optional :: opt_dirname
    integer, intent(in), optional :: opt_mpi_file_open_info, opt_mpi_file_set_view_info
    logical, intent(in), optional :: opt_reduce_prec
    type(decomp_info), intent(in), optional :: opt_decomp
    integer, intent(inout), optional :: opt_nb_req
    type(d2d_io_mpi), intent(inout), optional :: opt_io
    call whole_file(.true., box_of(ipencil, opt_decomp), var, varname, opt_dirname, &
      opt_mpi_file_open_info, opt_mpi_file_set_view_info, opt_reduce_prec, opt_nb_req, opt_io)
  end subroutine read_file

  subroutine read_file_of(ipencil, var, filename, decomp)
    integer, intent(in) :: ipencil
    class(*), intent(inout) :: var(:,:,:)
    character(*), intent(in) :: filename
    type(decomp_info), intent(in) :: decomp
    call whole_file(.true., pencil_box(ipencil, decomp), var, filename)
  end subroutine read_file_of

  !> Probes: points of the mesh P, nlength numbers each.
  subroutine write_probe(ipencil, var, filename, nlength)
    integer, intent(in) :: ipencil, nlength
    real(mytype), contiguous, intent(in), target :: var(:,:,:,:)
    character(*), intent(in) :: filename
    real(mytype), pointer, contiguous :: cube(:,:,:)
    type(file_box) :: box
    type(d2d_io_mpi) :: io
    integer :: k

    box = coarse_box(ipencil, 3)
    call io%open(filename, decomp_2d_write_mode)
    do k = 1, nlength
      cube => var(:, :, :, k)
      call transfer_box(.false., io, box, cube, .false.)
    end do
    call io%close()
  end subroutine write_probe

  !> The points n1:n2 of each axis of the main grid.
  subroutine decomp_2d_write_subdomain(ipencil, var, is, ie, js, je, ks, ke, filename)
    integer, intent(in) :: ipencil, is, ie, js, je, ks, ke
    class(*), intent(in) :: var(:,:,:)
    character(*), intent(in) :: filename
    type(file_box) :: box
    integer :: first(3), last(3), from(3), to(3)

    box = pencil_box(ipencil, decomp_main)
    first = [is, js, ks]
    last = [ie, je, ke]
    if (any(first < 1) .or. any(last > box%whole) .or. any(last < first)) call decomp_2d_abort(1, &
      'decomp_2d_write_subdomain: the points are no part of the grid')
    from = max(first, box%start + 1)
    to = min(last, box%start + box%part)
    box%first = from - box%start
    box%part = max(0, to - from + 1)
    box%start = from - first
    box%whole = last - first + 1
    call whole_file(.false., box, var, filename)
  end subroutine decomp_2d_write_subdomain

  !> Every iskip-th point and so on: 1, 1 + iskip … (from1), else iskip, 2 iskip …
  subroutine decomp_2d_write_every(ipencil, var, iskip, jskip, kskip, filename, from1)
    integer, intent(in) :: ipencil, iskip, jskip, kskip
    class(*), intent(in) :: var(:,:,:)
    character(*), intent(in) :: filename
    logical, intent(in) :: from1
    type(file_box) :: box, fine
    integer, dimension(3) :: first, last, none, skip

    fine = pencil_box(ipencil, decomp_main)
    skip = [iskip, jskip, kskip]
    if (any(skip < 1)) call decomp_2d_abort(minval(skip), &
      'decomp_2d_write_every: the points between those of a mesh are 1 or more')
    call coarse_points(fine%start + 1, fine%start + fine%part, skip, from1, first, last)
    call coarse_points([1, 1, 1], fine%whole, skip, from1, none, box%whole)
    box%start = first - 1
    box%part = max(0, last - first + 1)
    box%first = merge((first - 1) * skip + 1, first * skip, from1) - fine%start
    box%every = skip
    call whole_file(.false., box, var, filename)
  end subroutine decomp_2d_write_every

  ! ---- open files ----

  subroutine write_var_io(io, ipencil, var, opt_reduce_prec, opt_decomp, opt_nb_req)
    type(d2d_io_mpi), intent(inout) :: io
    integer, intent(in) :: ipencil
    class(*), intent(in) :: var(:,:,:)
    logical, intent(in), optional :: opt_reduce_prec
    type(decomp_info), intent(in), optional :: opt_decomp
    integer, intent(inout), optional :: opt_nb_req
    call transfer_box(.false., io, box_of(ipencil, opt_decomp), var, is_reduced(opt_reduce_prec), &
      opt_nb_req)
  end subroutine write_var_io

  subroutine read_var_io(io, ipencil, var, opt_reduce_prec, opt_decomp, opt_nb_req)
    type(d2d_io_mpi), intent(inout) :: io
    integer, intent(in) :: ipencil
    class(*), intent(inout) :: var(:,:,:)
    logical, intent(in), optional :: opt_reduce_prec
    type(decomp_info), intent(in), optional :: opt_decomp
    integer, intent(inout), optional :: opt_nb_req
    call transfer_box(.true., io, box_of(ipencil, opt_decomp), var, is_reduced(opt_reduce_prec), &
      opt_nb_req)
  end subroutine read_var_io

  ! A file that the program has opened with MPI.
  function foreign_file(fh, disp) result(io)
    integer, intent(in) :: fh
    integer(MPI_OFFSET_KIND), intent(in) :: disp
    type(d2d_io_mpi) :: io
    io%label = "of the program's own"
    io%fh = fh
    io%disp = disp
  end function foreign_file

  subroutine write_var_fh(fh, disp, ipencil, var, opt_decomp)
    integer, intent(in) :: fh, ipencil
    integer(MPI_OFFSET_KIND), intent(inout) :: disp
    class(*), intent(in) :: var(:,:,:)
    type(decomp_info), intent(in), optional :: opt_decomp
    type(d2d_io_mpi) :: io
    io = foreign_file(fh, disp)
    call transfer_box(.false., io, box_of(ipencil, opt_decomp), var, .false.)
    disp = io%disp
  end subroutine write_var_fh

  subroutine read_var_fh(fh, disp, ipencil, var, opt_decomp)
    integer, intent(in) :: fh, ipencil
    integer(MPI_OFFSET_KIND), intent(inout) :: disp
    class(*), intent(inout) :: var(:,:,:)
    type(decomp_info), intent(in), optional :: opt_decomp
    type(d2d_io_mpi) :: io
    io = foreign_file(fh, disp)
    call transfer_box(.true., io, box_of(ipencil, opt_decomp), var, .false.)
    disp = io%disp
  end subroutine read_var_fh

  subroutine write_scalar_io(io, n, var)
    type(d2d_io_mpi), intent(inout) :: io
    integer, intent(in) :: n
    class(*), intent(in) :: var(:)
    call transfer_values(.false., io, n, var)
  end subroutine write_scalar_io

  subroutine read_scalar_io(io, n, var)
    type(d2d_io_mpi), intent(inout) :: io
    integer, intent(in) :: n
    class(*), intent(inout) :: var(:)
    call transfer_values(.true., io, n, var)
  end subroutine read_scalar_io

  subroutine write_scalar_fh(fh, disp, n, var)
    integer, intent(in) :: fh, n
    integer(MPI_OFFSET_KIND), intent(inout) :: disp
    class(*), intent(in) :: var(:)
    type(d2d_io_mpi) :: io
    io = foreign_file(fh, disp)
    call transfer_values(.false., io, n, var)
    disp = io%disp
  end subroutine write_scalar_fh

  subroutine read_scalar_fh(fh, disp, n, var)
    integer, intent(in) :: fh, n
    integer(MPI_OFFSET_KIND), intent(inout) :: disp
    class(*), intent(inout) :: var(:)
    type(d2d_io_mpi) :: io
    io = foreign_file(fh, disp)
    call transfer_values(.true., io, n, var)
    disp = io%disp
  end subroutine read_scalar_fh

  ! ---- files by the names of an IO and a folder ----

  ! icoarse: 0 the grid, 1, 2, 3 the meshes S, V, P.
  function coarse_box(pencil, icoarse, opt_decomp) result(box)
    integer, intent(in) :: pencil, icoarse
    type(decomp_info), intent(in), optional :: opt_decomp
    type(file_box) :: box
    type(decomp_info) :: mesh

    select case (icoarse)
    case (0)
      box = box_of(pencil, opt_decomp)
      return
    case (1)
      mesh = decomp_info(xst=xstS, xsz=xszS, yst=ystS, ysz=yszS, zst=zstS, zsz=zszS)
    case (2)
      mesh = decomp_info(xst=xstV, xsz=xszV, yst=ystV, ysz=yszV, zst=zstV, zsz=zszV)
    case (3)
      mesh = decomp_info(xst=xstP, xsz=xszP, yst=ystP, ysz=yszP, zst=zstP, zsz=zszP)
    case default
      call decomp_2d_abort(icoarse, 'decomp_2d_io: icoarse is 0 (all points), 1 (S) or 2 (V)')
    end select
    box = pencil_box(pencil, mesh)
  end function coarse_box

  subroutine write_coarse(ipencil, var, dirname, varname, icoarse, io_name, opt_decomp, &
    reduce_prec, opt_deferred_writes)
    integer, intent(in) :: ipencil, icoarse
    class(*), intent(in) :: var(:,:,:)
    character(*), intent(in) :: dirname, varname, io_name
    type(decomp_info), intent(in), optional :: opt_decomp
    logical, intent(in), optional :: reduce_prec, opt_deferred_writes
    if (present(reduce_prec) .or. present(opt_deferred_writes)) continue
    call transfer_named(.false., coarse_box(ipencil, icoarse, opt_decomp), var, dirname, varname, &
      io_name)
  end subroutine write_coarse

  subroutine read_named(ipencil, var, dirname, varname, io_name, opt_decomp, reduce_prec)
    integer, intent(in) :: ipencil
    class(*), intent(inout) :: var(:,:,:)
    character(*), intent(in) :: dirname, varname, io_name
    type(decomp_info), intent(in), optional :: opt_decomp
    logical, intent(in), optional :: reduce_prec
    if (present(reduce_prec)) continue
    call transfer_named(.true., box_of(ipencil, opt_decomp), var, dirname, varname, io_name)
  end subroutine read_named

  ! x pencils of ntimesteps planes in the place of the x axis.
  function flow_box(ntimesteps, opt_decomp) result(box)
    integer, intent(in) :: ntimesteps
    type(decomp_info), intent(in), optional :: opt_decomp
    type(file_box) :: box
    box = box_of(1, opt_decomp, ntimesteps)
  end function flow_box

  subroutine decomp_2d_write_outflow(dirname, varname, ntimesteps, var, io_name, opt_decomp)
    character(*), intent(in) :: dirname, varname, io_name
    integer, intent(in) :: ntimesteps
    class(*), intent(in) :: var(:,:,:)
    type(decomp_info), intent(in), optional :: opt_decomp
    call transfer_named(.false., flow_box(ntimesteps, opt_decomp), var, dirname, varname, io_name)
  end subroutine decomp_2d_write_outflow

  subroutine decomp_2d_read_inflow(dirname, varname, ntimesteps, var, io_name, opt_decomp)
    character(*), intent(in) :: dirname, varname, io_name
    integer, intent(in) :: ntimesteps
    class(*), intent(inout) :: var(:,:,:)
    type(decomp_info), intent(in), optional :: opt_decomp
    call transfer_named(.true., flow_box(ntimesteps, opt_decomp), var, dirname, varname, io_name)
  end subroutine decomp_2d_read_inflow

  ! ---- planes ----

  subroutine write_planes(ipencil, var, varname, opt_nplanes, opt_iplane, opt_dirname, &
    opt_mpi_file_open_info, opt_mpi_file_set_view_info, opt_reduce_prec, opt_decomp, opt_nb_req, &
    opt_io)
    integer, intent(in) :: ipencil
    class(*), intent(in) :: var(:,:,:)
    character(*), intent(in) :: varname
    integer, intent(in), optional :: opt_nplanes, opt_iplane
    character(*), intent(in), optional :: opt_dirname
    integer, intent(in), optional :: opt_mpi_file_open_info, opt_mpi_file_set_view_info
    logical, intent(in), optional :: opt_reduce_prec
    type(decomp_info), intent(in), optional :: opt_decomp
    integer, intent(inout), optional :: opt_nb_req
    type(d2d_io_mpi), intent(inout), optional :: opt_io
    type(file_box) :: box
    integer :: planes

    planes = 1
    if (present(opt_nplanes)) planes = opt_nplanes
    box = box_of(ipencil, opt_decomp, planes)
    if (present(opt_iplane) .and. planes == 1) box%first(ipencil) = max(1, opt_iplane)
    call whole_file(.false., box, var, varname, opt_dirname, opt_mpi_file_open_info, &
      opt_mpi_file_set_view_info, opt_reduce_prec, opt_nb_req, opt_io)
  end subroutine write_planes

  subroutine read_planes(ipencil, var, varname, nplanes, opt_dirname, opt_mpi_file_open_info, &
    opt_mpi_file_set_view_info, opt_reduce_prec, opt_decomp, opt_nb_req, opt_io)
    integer, intent(in) :: ipencil, nplanes
    class(*), intent(inout) :: var(:,:,:)
    character(*), intent(in) :: varname
    character(*), intent(in), optional :: opt_dirname
    integer, intent(in), optional :: opt_mpi_file_open_info, opt_mpi_file_set_view_info
    logical, intent(in), optional :: opt_reduce_prec
    type(decomp_info), intent(in), optional :: opt_decomp
    integer, intent(inout), optional :: opt_nb_req
    type(d2d_io_mpi), intent(inout), optional :: opt_io
    call whole_file(.true., box_of(ipencil, opt_decomp, nplanes), var, varname, opt_dirname, &
      opt_mpi_file_open_info, opt_mpi_file_set_view_info, opt_reduce_prec, opt_nb_req, opt_io)
  end subroutine read_planes

  subroutine write_plane_real(ipencil, var, iplane, n, dirname, varname, io_name, opt_decomp)
    real(mytype), contiguous, intent(in) :: var(:,:,:)
    real(mytype), allocatable :: there(:,:,:), between(:,:,:), plane(:,:,:)
    include 'write_plane.inc'
  end subroutine write_plane_real

  subroutine write_plane_complex(ipencil, var, iplane, n, dirname, varname, io_name, opt_decomp)
    complex(mytype), contiguous, intent(in) :: var(:,:,:)
    complex(mytype), allocatable :: there(:,:,:), between(:,:,:), plane(:,:,:)
    include 'write_plane.inc'
  end subroutine write_plane_complex

end module decomp_2d_io
