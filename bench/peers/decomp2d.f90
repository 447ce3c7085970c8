! SPDX-License-Identifier: BSD-3-Clause
! 2DECOMP&FFT for programs in C++: grids of double precision numbers, one open at a time. Its x is
! the axis that is contiguous; physical grids have x whole, spectral ones z.
module bench_decomp2d
  use, intrinsic :: iso_c_binding, only: c_int, c_double, c_double_complex
  use decomp_2d, only: decomp_2d_init, decomp_2d_finalize, decomp_log, transpose_x_to_y, &
    transpose_y_to_z, xstart, xend, xsize, ystart, yend, ysize, zstart, zend, zsize
  use decomp_2d_constants, only: D2D_LOG_QUIET, DECOMP_2D_FFT_FORWARD, DECOMP_2D_FFT_BACKWARD
  use decomp_2d_fft, only: decomp_2d_fft_init, decomp_2d_fft_finalize, decomp_2d_fft_3d, &
    decomp_2d_fft_get_size
  implicit none (type, external)
  private
  integer :: spectral_size(3) = 0 !< of this rank, for a real grid

contains

  !> Collective over MPI_COMM_WORLD. y (x, once transposed) is cut into `rows` parts, z (y) into
  !> `columns`; rows * columns ranks.
  subroutine open_grid(extents, rows, columns) bind(C, name="bench_decomp2d_open")
    integer(c_int), intent(in) :: extents(3)
    integer(c_int), value :: rows, columns
    integer :: p_row, p_col

    p_row = int(rows)
    p_col = int(columns)
    decomp_log = D2D_LOG_QUIET
    call decomp_2d_init(extents(1), extents(2), extents(3), p_row, p_col, complex_pool=.true.)
  end subroutine open_grid

  subroutine close_grid() bind(C, name="bench_decomp2d_close")
    call decomp_2d_finalize()
  end subroutine close_grid

  !> Plans the transforms of the open grid, which is one of complex numbers for both kinds.
  subroutine open_fft() bind(C, name="bench_decomp2d_open_fft")
    integer :: first(3), last(3)

    call decomp_2d_fft_init()
    call decomp_2d_fft_get_size(first, last, spectral_size)
  end subroutine open_fft

  subroutine close_fft() bind(C, name="bench_decomp2d_close_fft")
    call decomp_2d_fft_finalize()
  end subroutine close_fft

  !> Complex numbers of this rank's part of the spectrum of a real grid.
  integer(c_int) function real_spectrum_size() bind(C, name="bench_decomp2d_real_spectrum_size")
    real_spectrum_size = int(product(spectral_size), c_int)
  end function real_spectrum_size

  !> Both arrays may be overwritten.
  subroutine complex_fft(physical, spectral, is_backward) bind(C, name="bench_decomp2d_complex_fft")
    complex(c_double_complex), intent(inout) :: physical(xsize(1), xsize(2), xsize(3))
    complex(c_double_complex), intent(inout) :: spectral(zsize(1), zsize(2), zsize(3))
    integer(c_int), value :: is_backward

    if (is_backward == 0) then
      call decomp_2d_fft_3d(physical, spectral, DECOMP_2D_FFT_FORWARD)
    else
      call decomp_2d_fft_3d(spectral, physical, DECOMP_2D_FFT_BACKWARD)
    end if
  end subroutine complex_fft

  !> Both arrays may be overwritten.
  subroutine real_fft(physical, spectral, is_backward) bind(C, name="bench_decomp2d_real_fft")
    real(c_double), intent(inout) :: physical(xsize(1), xsize(2), xsize(3))
    complex(c_double_complex), intent(inout) :: &
      spectral(spectral_size(1), spectral_size(2), spectral_size(3))
    integer(c_int), value :: is_backward

    if (is_backward == 0) then
      call decomp_2d_fft_3d(physical, spectral)
    else
      call decomp_2d_fft_3d(spectral, physical)
    end if
  end subroutine real_fft

  !> First and last index, from 1, of this rank's part with x (1), y (2) or z (3) whole.
  subroutine part(whole, first, last) bind(C, name="bench_decomp2d_part")
    integer(c_int), value :: whole
    integer(c_int), intent(out) :: first(3), last(3)

    select case (whole)
    case (1)
      first = xstart
      last = xend
    case (2)
      first = ystart
      last = yend
    case default
      first = zstart
      last = zend
    end select
  end subroutine part

  subroutine x_to_y(from, to) bind(C, name="bench_decomp2d_x_to_y")
    complex(c_double_complex), intent(in) :: from(xsize(1), xsize(2), xsize(3))
    complex(c_double_complex), intent(out) :: to(ysize(1), ysize(2), ysize(3))

    call transpose_x_to_y(from, to)
  end subroutine x_to_y

  subroutine y_to_z(from, to) bind(C, name="bench_decomp2d_y_to_z")
    complex(c_double_complex), intent(in) :: from(ysize(1), ysize(2), ysize(3))
    complex(c_double_complex), intent(out) :: to(zsize(1), zsize(2), zsize(3))

    call transpose_y_to_z(from, to)
  end subroutine y_to_z
end module bench_decomp2d
