! SPDX-License-Identifier: BSD-3-Clause
! Pencils and transpositions under the names of 2DECOMP&FFT, carried out by Nearfar: a program of
! that library is linked with this one instead. README.md beside it says what there is.
module decomp_2d
  use decomp_2d_mpi
  use decomp_2d_profiler
  use m_coarse
  use m_halo, only: halo_exchange, halo_extents_t, update_halo
  use m_info
  use m_process_grid
  use nearfar, only: nearfar_transpose_side
  use, intrinsic :: iso_fortran_env, only: int64, output_unit
  implicit none
  private
  public :: decomp_2d_init, decomp_2d_finalize, decomp_info, decomp_main, decomp_info_init, &
    decomp_info_finalize, decomp_info_print, get_decomp_info, get_decomp_dims, partition
  public :: transpose_x_to_y, transpose_y_to_z, transpose_z_to_y, transpose_y_to_x
  public :: alloc_x, alloc_y, alloc_z, update_halo, halo_exchange, halo_extents_t
  public :: nearfar_side
  ! Programs of the first version know these from here.
  public :: mytype, real_type, complex_type, mytype_bytes, nrank, nproc, decomp_2d_comm, &
    decomp_2d_abort, decomp_2d_warning
  public :: DECOMP_2D_COMM_CART_X, DECOMP_2D_COMM_CART_Y, DECOMP_2D_COMM_CART_Z
  public :: init_coarser_mesh_statS, init_coarser_mesh_statV, init_coarser_mesh_statP, &
    fine_to_coarseS, fine_to_coarseV, fine_to_coarseP
  public :: xstS, xenS, xszS, ystS, yenS, yszS, zstS, zenS, zszS
  public :: xstV, xenV, xszV, ystV, yenV, yszV, zstV, zenV, zszV
  public :: xstP, xenP, xszP, ystP, yenP, yszP, zstP, zenP, zszP
  public :: decomp_profiler, decomp_profiler_transpose, decomp_profiler_io, decomp_profiler_fft, &
    decomp_profiler_d2d, decomp_profiler_prep, decomp_profiler_start, decomp_profiler_end
  public :: d2d_log_is_active, d2d_log_get_unit, d2d_log_close_unit, d2d_listing_get_unit, &
    d2d_listing_close_unit

  !> For programs that want more than one grid.
  type(decomp_info), save, public :: phG, ph1, ph2, ph3, ph4

  integer, save, public :: nx_global = 0, ny_global = 0, nz_global = 0
  integer, dimension(3), save, public :: xstart = 1, xend = 0, xsize = 0, ystart = 1, yend = 0, &
    ysize = 0, zstart = 1, zend = 0, zsize = 0
  integer, save, public :: decomp_log = D2D_LOG_QUIET  !! D2D_LOG_STDOUT: the first rank tells
  integer, save, public :: decomp_debug = D2D_DEBUG_LEVEL_OFF

  !> transpose_x_to_y(src, dst, [decomp]): the elements of x pencils as y pencils. Collective.
  interface transpose_x_to_y
    module procedure x_to_y_real32, x_to_y_real64, x_to_y_complex32, x_to_y_complex64
  end interface transpose_x_to_y

  interface transpose_y_to_z
    module procedure y_to_z_real32, y_to_z_real64, y_to_z_complex32, y_to_z_complex64
  end interface transpose_y_to_z

  interface transpose_z_to_y
    module procedure z_to_y_real32, z_to_y_real64, z_to_y_complex32, z_to_y_complex64
  end interface transpose_z_to_y

  interface transpose_y_to_x
    module procedure y_to_x_real32, y_to_x_real64, y_to_x_complex32, y_to_x_complex64
  end interface transpose_y_to_x

  !> alloc_x(var, [decomp], [opt_global], [opt_levels]): allocates an x pencil; opt_global: with
  !> global indices, else from 1; opt_levels: with so many layers on both sides of each axis.
  interface alloc_x
    module procedure alloc_x_real32, alloc_main_x_real32, alloc_x_real64, alloc_main_x_real64, &
      alloc_x_complex32, alloc_main_x_complex32, alloc_x_complex64, alloc_main_x_complex64, &
      alloc_x_integer, alloc_main_x_integer, alloc_x_logical, alloc_main_x_logical
  end interface alloc_x

  interface alloc_y
    module procedure alloc_y_real32, alloc_main_y_real32, alloc_y_real64, alloc_main_y_real64, &
      alloc_y_complex32, alloc_main_y_complex32, alloc_y_complex64, alloc_main_y_complex64, &
      alloc_y_integer, alloc_main_y_integer, alloc_y_logical, alloc_main_y_logical
  end interface alloc_y

  interface alloc_z
    module procedure alloc_z_real32, alloc_main_z_real32, alloc_z_real64, alloc_main_z_real64, &
      alloc_z_complex32, alloc_main_z_complex32, alloc_z_complex64, alloc_main_z_complex64, &
      alloc_z_integer, alloc_main_z_integer, alloc_z_logical, alloc_main_z_logical
  end interface alloc_z

contains

  include 'generated/transpose_specifics.inc'

  include 'generated/alloc_specifics.inc'

  !> Cuts the grid nx x ny x nz into pencils on p_row x p_col ranks; 0: chosen, and returned.
  !> periodic_bc: for update_halo. Collective over `comm` (MPI_COMM_WORLD).
  subroutine decomp_2d_init(nx, ny, nz, p_row, p_col, periodic_bc, comm, complex_pool)
    integer, intent(in) :: nx, ny, nz
    integer, intent(inout) :: p_row, p_col
    logical, intent(in), optional :: periodic_bc(3)
    integer, intent(in), optional :: comm
    logical, intent(in), optional :: complex_pool  ! of no use here
    logical :: is_periodic(3)

    if (present(complex_pool)) continue
    call decomp_2d_mpi_init(comm)
    if (min(nx, ny, nz) < 1) call decomp_2d_abort(min(nx, ny, nz), &
      'decomp_2d_init: extents are 1 or more')
    is_periodic = .false.
    if (present(periodic_bc)) is_periodic = periodic_bc
    periodic_x = is_periodic(1)
    periodic_y = is_periodic(2)
    periodic_z = is_periodic(3)
    call choose_grid(p_row, p_col)
    nx_global = nx
    ny_global = ny
    nz_global = nz
    dims = [p_row, p_col]
    call make_communicators()
    call pencils_start()
    call decomp_info_init(nx, ny, nz, decomp_main)
    call publish()
    if (decomp_log == D2D_LOG_STDOUT .and. nrank == 0) &
      call decomp_info_print(decomp_main, 6, 'main')
  end subroutine decomp_2d_init

  ! The most square grid, with the longer side across columns.
  subroutine choose_grid(p_row, p_col)
    integer, intent(inout) :: p_row, p_col

    if (p_row > 0 .and. p_col > 0) then
      if (p_row * p_col /= nproc) call decomp_2d_abort(1, &
        'decomp_2d_init: p_row x p_col is not the number of ranks')
      return
    end if
    p_row = int(sqrt(real(nproc)))
    do while (mod(nproc, p_row) /= 0)
      p_row = p_row - 1
    end do
    p_col = nproc / p_row
  end subroutine choose_grid

  subroutine make_communicators()
    integer :: ierror
    call MPI_Cart_create(decomp_2d_comm, 2, dims, [periodic_y, periodic_z], .false., &
      DECOMP_2D_COMM_CART_X, ierror)
    call MPI_Cart_create(decomp_2d_comm, 2, dims, [periodic_x, periodic_z], .false., &
      DECOMP_2D_COMM_CART_Y, ierror)
    call MPI_Cart_create(decomp_2d_comm, 2, dims, [periodic_x, periodic_y], .false., &
      DECOMP_2D_COMM_CART_Z, ierror)
    call MPI_Cart_coords(DECOMP_2D_COMM_CART_X, nrank, 2, coord, ierror)
    call MPI_Cart_sub(DECOMP_2D_COMM_CART_X, [.true., .false.], DECOMP_2D_COMM_COL, ierror)
    call MPI_Cart_sub(DECOMP_2D_COMM_CART_X, [.false., .true.], DECOMP_2D_COMM_ROW, ierror)
  end subroutine make_communicators

  subroutine publish()
    xstart = decomp_main%xst
    xend = decomp_main%xen
    xsize = decomp_main%xsz
    ystart = decomp_main%yst
    yend = decomp_main%yen
    ysize = decomp_main%ysz
    zstart = decomp_main%zst
    zend = decomp_main%zen
    zsize = decomp_main%zsz
  end subroutine publish

  !> Frees all plans, those of other decomp_infos too. Collective.
  subroutine decomp_2d_finalize()
    call decomp_info_finalize(decomp_main)
    call pencils_stop()
    call decomp_2d_mpi_comm_free(DECOMP_2D_COMM_ROW)
    call decomp_2d_mpi_comm_free(DECOMP_2D_COMM_COL)
    call decomp_2d_mpi_comm_free(DECOMP_2D_COMM_CART_X)
    call decomp_2d_mpi_comm_free(DECOMP_2D_COMM_CART_Y)
    call decomp_2d_mpi_comm_free(DECOMP_2D_COMM_CART_Z)
    call decomp_2d_mpi_fin()
  end subroutine decomp_2d_finalize

  !> Pencils of a grid of another size on the same ranks. Collective.
  subroutine decomp_info_init(nx, ny, nz, decomp)
    integer, intent(in) :: nx, ny, nz
    type(decomp_info), intent(inout) :: decomp

    call decomp_info_finalize(decomp)
    call partition(nx, ny, nz, [1, 2, 3], decomp%xst, decomp%xen, decomp%xsz)
    call partition(nx, ny, nz, [2, 1, 3], decomp%yst, decomp%yen, decomp%ysz)
    call partition(nx, ny, nz, [2, 3, 1], decomp%zst, decomp%zen, decomp%zsz)
    call spread_out(nx, dims(1), area(decomp%xsz(2), decomp%xsz(3)), decomp%x1dist, decomp%x1cnts, &
      decomp%x1disp)
    call spread_out(ny, dims(1), area(decomp%ysz(1), decomp%ysz(3)), decomp%y1dist, decomp%y1cnts, &
      decomp%y1disp)
    call spread_out(ny, dims(2), area(decomp%ysz(1), decomp%ysz(3)), decomp%y2dist, decomp%y2cnts, &
      decomp%y2disp)
    call spread_out(nz, dims(2), area(decomp%zsz(1), decomp%zsz(2)), decomp%z2dist, decomp%z2cnts, &
      decomp%z2disp)
    decomp%nearfar_number = pencils_make([nx, ny, nz], decomp)
  end subroutine decomp_info_init

  pure integer(int64) function area(width, height)
    integer, intent(in) :: width, height
    area = int(width, int64) * height
  end function area

  ! Planes of each part, their elements, and elements before them: for programs that move pencils
  ! themselves. What is more than an integer can say is huge(1), which no message can have.
  subroutine spread_out(n, parts, plane, planes, counts, before)
    integer, intent(in) :: n, parts
    integer(int64), intent(in) :: plane
    integer, allocatable, intent(out) :: planes(:), counts(:), before(:)
    integer :: i

    allocate (planes(0:parts - 1), counts(0:parts - 1), before(0:parts - 1))
    do i = 0, parts - 1
      planes(i) = block_size(n, parts, i)
      counts(i) = int(min(planes(i) * plane, int(huge(1), int64)))
      before(i) = int(min((block_start(n, parts, i) - 1) * plane, int(huge(1), int64)))
    end do
  end subroutine spread_out

  !> Frees the plans of this decomp_info, and of its copies. Collective.
  subroutine decomp_info_finalize(decomp)
    type(decomp_info), intent(inout) :: decomp
    integer :: number

    number = decomp%nearfar_number
    decomp = decomp_info()
    if (number > 0) call pencils_drop(number)
  end subroutine decomp_info_finalize

  subroutine decomp_info_print(d2d, io_unit, d2dname)
    type(decomp_info), intent(in) :: d2d
    integer, intent(in) :: io_unit
    character(*), intent(in) :: d2dname

    write (io_unit, '(2a)') 'decomp_info ', d2dname
    write (io_unit, '(a,3(1x,i0),a,3(1x,i0))') '  x pencil ', d2d%xst, ' to ', d2d%xen
    write (io_unit, '(a,3(1x,i0),a,3(1x,i0))') '  y pencil ', d2d%yst, ' to ', d2d%yen
    write (io_unit, '(a,3(1x,i0),a,3(1x,i0))') '  z pencil ', d2d%zst, ' to ', d2d%zen
  end subroutine decomp_info_print

  ! ---- the log, which is the standard output of the first rank ----

  logical function d2d_log_is_active()
    d2d_log_is_active = decomp_log /= D2D_LOG_QUIET .and. nrank == 0
  end function d2d_log_is_active

  integer function d2d_log_get_unit()
    d2d_log_get_unit = output_unit
  end function d2d_log_get_unit

  integer function d2d_listing_get_unit()
    d2d_listing_get_unit = output_unit
  end function d2d_listing_get_unit

  subroutine d2d_log_close_unit(io_unit)
    integer, intent(in) :: io_unit
    flush (io_unit)
  end subroutine d2d_log_close_unit

  subroutine d2d_listing_close_unit(io_unit)
    integer, intent(in) :: io_unit
    flush (io_unit)
  end subroutine d2d_listing_close_unit

  !> A copy of decomp_main.
  subroutine get_decomp_info(decomp)
    type(decomp_info), intent(out) :: decomp
    decomp = decomp_main
  end subroutine get_decomp_info

  !> p_row, p_col
  function get_decomp_dims() result(grid)
    integer :: grid(2)
    grid = dims
  end function get_decomp_dims

  !> The own part per axis: pdim is 1 where an axis is whole, 2 where it is cut across p_row, 3
  !> across p_col. The last parts are the larger ones.
  subroutine partition(nx, ny, nz, pdim, lstart, lend, lsize)
    integer, intent(in) :: nx, ny, nz, pdim(3)
    integer, intent(out) :: lstart(3), lend(3), lsize(3)
    integer :: n(3), d

    n = [nx, ny, nz]
    lstart = 1
    lsize = n
    do d = 1, 3
      if (pdim(d) == 1) cycle
      lstart(d) = block_start(n(d), dims(pdim(d) - 1), coord(pdim(d) - 1))
      lsize(d) = block_size(n(d), dims(pdim(d) - 1), coord(pdim(d) - 1))
    end do
    lend = lstart + lsize - 1
  end subroutine partition

  !> Of this library only: the side of a pencil (1, 2 or 3), whose new_array gives arrays in near
  !> memory. Those are read in place, if all ranks give such arrays to a call.
  function nearfar_side(pencil, decomp) result(side)
    integer, intent(in) :: pencil
    type(decomp_info), intent(in), optional :: decomp
    type(nearfar_transpose_side) :: side

    if (present(decomp)) then
      side = pencils_side(decomp, pencil)
    else
      side = pencils_side(decomp_main, pencil)
    end if
  end function nearfar_side

  subroutine move(direction, bytes, src, dst, decomp)
    integer, intent(in) :: direction, bytes
    type(*), dimension(..), intent(in), target :: src
    type(*), dimension(..), intent(inout), target :: dst
    type(decomp_info), intent(in), optional :: decomp

    if (present(decomp)) then
      call pencils_move(direction, decomp, bytes, src, dst)
    else
      call pencils_move(direction, decomp_main, bytes, src, dst)
    end if
  end subroutine move

  subroutine alloc_bounds(pencil, decomp, first, last, opt_global, opt_levels)
    integer, intent(in) :: pencil
    type(decomp_info), intent(in) :: decomp
    integer, intent(out) :: first(3), last(3)
    logical, intent(in), optional :: opt_global
    integer, intent(in), optional :: opt_levels(3)
    integer :: start(3), extent(3), levels(3)

    select case (pencil)
    case (1)
      start = decomp%xst
      extent = decomp%xsz
      levels = decomp%xlevel
    case (2)
      start = decomp%yst
      extent = decomp%ysz
      levels = decomp%ylevel
    case default
      start = decomp%zst
      extent = decomp%zsz
      levels = decomp%zlevel
    end select
    first = 1
    if (present(opt_global)) first = merge(start, 1, opt_global)
    if (present(opt_levels)) levels = opt_levels
    last = first + extent - 1 + levels
    first = first - levels
  end subroutine alloc_bounds

end module decomp_2d
