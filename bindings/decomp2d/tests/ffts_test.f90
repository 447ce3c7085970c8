! SPDX-License-Identifier: BSD-3-Clause
! The names of 2DECOMP&FFT: transforms of single waves, whose coefficients are known, and back.
program ffts_test
  use decomp_2d
  use decomp_2d_constants
  use decomp_2d_fft
  use nearfar_testing, only: check, testing_begin, testing_end
  implicit none (type, external)
  integer, parameter :: nx = 10, ny = 9, nz = 7
  real(mytype), parameter :: pi = acos(-1.0_mytype), close = 100 * nx * ny * nz * epsilon(pi)
  integer :: p_row = 0, p_col = 0

  call testing_begin()
  call decomp_2d_init(nx, ny, nz, p_row, p_col)
  call test_complex(PHYSICAL_IN_X, [nx, ny, nz])
  call test_complex(PHYSICAL_IN_Z, [nx, ny, nz])
  call test_complex(PHYSICAL_IN_X, [6, 8, 5])
  call test_real(PHYSICAL_IN_X)
  call test_real(PHYSICAL_IN_Z)
  call test_skipped()
  call test_engines()
  call decomp_2d_finalize()
  call testing_end()

contains

  ! exp(2 pi i (k . x / n)), of which one coefficient is not 0: that of mode k, with the value of n
  ! points.
  pure complex(mytype) function wave(k, at, n)
    integer, intent(in) :: k(3), at(3), n(3)
    real(mytype) :: phase
    phase = 2 * pi * sum(real(k * (at - 1), mytype) / n)
    wave = cmplx(cos(phase), sin(phase), mytype)
  end function wave

  subroutine fill(u, first, k, n)
    complex(mytype), intent(inout) :: u(:,:,:)
    integer, intent(in) :: first(3), k(3), n(3)
    integer :: x, y, z
    do z = 1, size(u, 3)
      do y = 1, size(u, 2)
        do x = 1, size(u, 1)
          u(x, y, z) = wave(k, [x, y, z] + first - 1, n)
        end do
      end do
    end do
  end subroutine fill

  ! The largest difference from a field that is `value` at the global index `at`, and 0 elsewhere.
  pure real(mytype) function off(u, first, at, value)
    complex(mytype), intent(in) :: u(:,:,:)
    integer, intent(in) :: first(3), at(3)
    real(mytype), intent(in) :: value
    integer :: x, y, z
    off = 0
    do z = 1, size(u, 3)
      do y = 1, size(u, 2)
        do x = 1, size(u, 1)
          off = max(off, abs(u(x, y, z) - merge(value, 0.0_mytype, &
            all([x, y, z] + first - 1 == at))))
        end do
      end do
    end do
  end function off

  subroutine test_complex(pencil, n)
    integer, intent(in) :: pencil, n(3)
    integer, parameter :: k(3) = [4, 2, 3]
    type(decomp_info), pointer :: ph
    complex(mytype), allocatable :: u(:,:,:), v(:,:,:), was(:,:,:)
    integer :: first(3), first_out(3), round

    if (all(n == [nx, ny, nz])) then
      call decomp_2d_fft_init(pencil)
    else
      call decomp_2d_fft_init(pencil, n(1), n(2), n(3))
    end if
    call check(decomp_2d_fft_get_format() == pencil, 'format')
    ph => decomp_2d_fft_get_ph()
    if (pencil == PHYSICAL_IN_X) then
      call alloc_x(u, ph)
      call alloc_z(v, ph)
      first = ph%xst
      first_out = ph%zst
    else
      call alloc_z(u, ph)
      call alloc_x(v, ph)
      first = ph%zst
      first_out = ph%xst
    end if
    do round = 1, 2
      call fill(u, first, k, n)
      was = u
      call decomp_2d_fft_3d(u, v, DECOMP_2D_FFT_FORWARD)
      call check(off(v, first_out, k + 1, real(product(n), mytype)) < close, 'one mode')
      call check(all(abs(u - was) <= 0), 'input is preserved')
      u = 0
      call decomp_2d_fft_3d(v, u, DECOMP_2D_FFT_BACKWARD)
      call check(all(abs(u / product(n) - was) < close), 'and back')
    end do
    call decomp_2d_fft_finalize()
  end subroutine test_complex

  ! cos(2 pi k . x / n): half of the points at mode k, the other half at -k, which the axis that
  ! is halved has no room for.
  subroutine test_real(pencil)
    integer, intent(in) :: pencil
    integer, parameter :: k(3) = [3, 2, 1], n(3) = [nx, ny, nz]
    type(decomp_info), pointer :: ph
    real(mytype), allocatable :: u(:,:,:), was(:,:,:)
    complex(mytype), allocatable :: v(:,:,:), w(:,:,:)
    integer :: istart(3), iend(3), isize(3), first(3), extents(3)

    call decomp_2d_fft_init(pencil)
    ph => decomp_2d_fft_get_ph()
    call decomp_2d_fft_get_size(istart, iend, isize)
    extents = n
    extents(pencil) = n(pencil) / 2 + 1
    if (pencil == PHYSICAL_IN_X) then
      call alloc_x(u, ph)
      call alloc_z(v, decomp_2d_fft_get_sp())
      first = ph%xst
      call check(isize(3) == nz .and. all(iend <= extents), 'size of z pencils')
    else
      call alloc_z(u, ph)
      call alloc_x(v, decomp_2d_fft_get_sp())
      first = ph%zst
      call check(isize(1) == nx .and. all(iend <= extents), 'size of x pencils')
    end if
    call check(all(shape(v) == isize), 'decomp_2d_fft_get_size')
    allocate (w(size(u, 1), size(u, 2), size(u, 3)))
    call fill(w, first, k, n)
    u = real(w, mytype)
    was = u
    call decomp_2d_fft_3d(u, v)
    call check(off(v, istart, k + 1, 0.5_mytype * product(n)) < close, 'half of a mode')
    u = 0
    call decomp_2d_fft_3d(v, u)
    call check(all(abs(u / product(n) - was) < close), 'real and back')
    call decomp_2d_fft_finalize()
  end subroutine test_real

  ! Without the transform along y: the wave stays in y.
  subroutine test_skipped()
    complex(mytype), allocatable :: u(:,:,:), v(:,:,:)
    integer :: y
    real(mytype) :: worst

    call decomp_2d_fft_init(PHYSICAL_IN_X, opt_skip_XYZ_c2c=[.false., .true., .false.])
    call alloc_x(u)
    call alloc_z(v)
    call fill(u, xstart, [4, 2, 3], [nx, ny, nz])
    call decomp_2d_fft_3d(u, v, DECOMP_2D_FFT_FORWARD)
    worst = 0
    do y = 1, size(v, 2)
      v(:, y, :) = v(:, y, :) / wave([0, 2, 0], [1, y + zstart(2) - 1, 1], [nx, ny, nz])
      worst = max(worst, off(v(:, y:y, :), [zstart(1), y, zstart(3)], [5, y, 4], &
        real(nx * nz, mytype)))
    end do
    call check(worst < close, 'y is not transformed')
    call decomp_2d_fft_finalize()
  end subroutine test_skipped

  ! An engine that is initialised again has none of the options that it had.
  subroutine test_options_end(engine)
    type(decomp_2d_fft_engine), target, intent(inout) :: engine
    integer, parameter :: n(3) = [6, 5, 4]
    complex(mytype), allocatable :: u(:,:,:), v(:,:,:)
    integer :: round

    do round = 1, 2
      if (round == 1) then
        call engine%init(PHYSICAL_IN_X, n(1), n(2), n(3), opt_inplace=.true., &
          opt_skip_XYZ_c2c=[.true., .true., .false.])
      else
        call engine%init(PHYSICAL_IN_X, n(1), n(2), n(3))
      end if
      call engine%use_it()
      call check(decomp_2d_fft_get_inplace() .eqv. round == 1, 'in place')
      call alloc_x(u, engine%ph)
      call alloc_z(v, engine%ph)
      u = 1
      call engine%fft(u, v, DECOMP_2D_FFT_FORWARD)
      call check(all(abs(v(:, :, 1) - 4) < close) .or. round == 2, 'z alone')
      if (round == 2) call check(off(v, engine%ph%zst, [1, 1, 1], real(product(n), mytype)) &
        < close, 'all axes again')
      call engine%fin()
    end do
  end subroutine test_options_end

  subroutine test_engines()
    type(decomp_2d_fft_engine), target :: mine
    type(decomp_2d_fft_engine), pointer :: first
    complex(mytype), allocatable :: u(:,:,:), v(:,:,:)

    call decomp_2d_fft_set_ngrid(2)
    call decomp_2d_fft_init(PHYSICAL_IN_X, nx, ny, nz, 1)
    call decomp_2d_fft_init(PHYSICAL_IN_Z, 6, 5, 4, 2)
    call check(decomp_2d_fft_get_ngrid() == 2, 'two grids')
    call check(decomp_2d_fft_get_format() == PHYSICAL_IN_Z, 'the second is in use')
    call decomp_2d_fft_use_grid(1)
    call check(decomp_2d_fft_get_format() == PHYSICAL_IN_X, 'the first is in use')
    first => decomp_2d_fft_get_engine()
    call mine%init(PHYSICAL_IN_Z, 6, 5, 4)
    call alloc_z(u, mine%ph)
    call alloc_x(v, mine%ph)
    call fill(u, mine%ph%zst, [1, 2, 3], [6, 5, 4])
    call mine%fft(u, v, DECOMP_2D_FFT_FORWARD)
    call check(off(v, mine%ph%xst, [2, 3, 4], 120.0_mytype) < close, 'an engine of its own')
    call mine%fin()
    call test_options_end(mine)
    call alloc_x(u)
    call alloc_z(v)
    call fill(u, xstart, [0, 0, 0], [nx, ny, nz])
    call first%fft(u, v, DECOMP_2D_FFT_FORWARD)
    call check(off(v, zstart, [1, 1, 1], real(nx * ny * nz, mytype)) < close, 'the mean')
    call decomp_2d_fft_finalize()
    call check(decomp_2d_fft_get_ngrid() == 0, 'no grids')
  end subroutine test_engines

end program ffts_test
