! SPDX-License-Identifier: BSD-3-Clause
! Transforms of single waves, whose coefficients are known, and back.
program ffts_test
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use nearfar, only: nearfar_decomposition, nearfar_fft_backward, nearfar_fft_forward, &
    nearfar_fft_layout, nearfar_fft_padded_extents, nearfar_fft_plan, &
      nearfar_fft_truncated_modes, nearfar_team, &
    nearfar_transpose_side, nearfar_usage_error
  use nearfar_testing, only: check, check_error, everyone, is_last_rank, pick, testing_begin, &
    testing_end, testing_next_shape, word, world_size
  implicit none (type, external)
  integer, parameter :: nx = 10, ny = 6, nz = 7, n = nx * ny * nz
  real(real64), parameter :: quick = 0.005_real64, pi = acos(-1.0_real64), close = 1e-10_real64
  type(nearfar_team) :: team
  integer :: stat
  character(1000) :: message

  call testing_begin()
  do while (testing_next_shape())
    call team%create(everyone)
    call test_complex()
    call test_real_with_own_sides()
    call test_fields_and_fewer_modes()
    call test_cosines()
    call test_own_arrays()
    call test_own_arrays_of_other_kinds()
    call test_errors()
    call test_errors_of_own_arrays()
    call test_own_arrays_wrong_on_one_rank()
    call team%free()
  end do
  call testing_end()

contains

  ! exp(2 pi i (3 x / nx + 2 y / ny + z / nz)) for x, y and z from 0
  pure complex(real64) function wave(x, y, z)
    integer, intent(in) :: x, y, z
    real(real64) :: phase
    phase = 2 * pi * (3 * x / real(nx, real64) + 2 * y / real(ny, real64) + z / real(nz, real64))
    wave = cmplx(cos(phase), sin(phase), real64)
  end function wave

  ! The largest difference from `value` at the mode (3, 2, 1) and 0 elsewhere. `order`: the axes of
  ! the array's dimensions.
  pure real(real64) function off(v, lower, order, value)
    complex(real64), intent(in) :: v(:,:,:)
    integer, intent(in) :: lower(3), order(3)
    real(real64), intent(in) :: value
    integer :: a, b, c, at(3)
    off = 0
    do c = 1, size(v, 3)
      do b = 1, size(v, 2)
        do a = 1, size(v, 1)
          at(order) = [a, b, c] + lower - 1
          off = max(off, abs(v(a, b, c) - merge(value, 0.0_real64, all(at == [4, 3, 2]))))
        end do
      end do
    end do
  end function off

  subroutine test_complex()
    type(nearfar_fft_layout) :: layout
    type(nearfar_transpose_side) :: x, k
    type(nearfar_fft_plan) :: plan
    type(nearfar_decomposition) :: spectral_parts
    complex(real64), pointer, contiguous :: u(:,:,:), v(:,:,:)
    integer :: i, j, l
    real(real64) :: worst

    ! All layouts have the axes of the spectral array in their order.
    call spectral_parts%slab(team, [nx, ny, nz], 2)
    call k%create(spectral_parts)
    call layout%create(team, [nx, ny, nz], spectral=k)
    call check(index(layout%describe(), '10 c2c x 6 c2c x 7 c2c') == 1 .and. &
      index(layout%describe(), 'fast to slow (1, 2, 3)') > 0, 'describe a layout')
    x = layout%physical()
    k = layout%spectral()
    call x%new_array(u)
    call k%new_array(v)
    call plan%create(layout, u, v, name='waves', budget_s=quick)
    do l = lbound(u, 3), ubound(u, 3)
      do j = lbound(u, 2), ubound(u, 2)
        do i = lbound(u, 1), ubound(u, 1)
          u(i, j, l) = wave(i - 1, j - 1, l - 1)
        end do
      end do
    end do
    call plan%run(nearfar_fft_forward, u, v)
    call check(off(v, lbound(v), [1, 2, 3], real(n, real64)) < close, 'one mode')
    u = 0
    call plan%start(nearfar_fft_backward, v, u)
    do while (.not. plan%test())
    end do
    call plan%finish()
    worst = 0
    do l = lbound(u, 3), ubound(u, 3)
      do j = lbound(u, 2), ubound(u, 2)
        do i = lbound(u, 1), ubound(u, 1)
          worst = max(worst, abs(u(i, j, l) - n * wave(i - 1, j - 1, l - 1)))
        end do
      end do
    end do
    call check(worst < close, 'and back')
    call check(index(plan%describe(), 'waves') > 0, 'describe a plan')
    call check(index(plan%describe_json(), '{"plan":"fft","name":"waves","forward":[') == 1, &
      'describe_json')
    call check(plan%work_bytes() > 0 .or. world_size == 1, 'work_bytes')
    call plan%free()
    call x%free_array(u)
    call k%free_array(v)
    call layout%free()
    call spectral_parts%free()
  end subroutine test_complex

  ! x pencils to z pencils with z contiguous, in memory of the program's own.
  subroutine test_real_with_own_sides()
    type(nearfar_decomposition) :: x_parts, z_parts
    type(nearfar_transpose_side) :: x, z
    type(nearfar_fft_layout) :: layout
    type(nearfar_fft_plan) :: plan
    real(real64), allocatable :: u(:,:,:)
    complex(real64), allocatable :: v(:,:,:)
    integer :: i, j, l, low(3), high(3)
    real(real64) :: worst

    call x_parts%pencil(team, [nx, ny, nz], 1)
    call z_parts%pencil(team, [nx / 2 + 1, ny, nz], 3)
    call x%create(x_parts)
    call z%create(z_parts, memory_order=[3, 1, 2])
    call layout%create(team, [nx, ny, nz], kinds=['r2c', 'c2c', 'c2c'], physical=x, spectral=z)
    low = int(x%lower())
    high = int(x%upper())
    allocate (u(low(1):high(1), low(2):high(2), low(3):high(3)))
    low = int(z%lower())
    high = int(z%upper())
    allocate (v(low(1):high(1), low(2):high(2), low(3):high(3)))
    call plan%create(layout, u, v, scaling='forward', engines='own', budget_s=quick)
    do l = lbound(u, 3), ubound(u, 3)
      do j = lbound(u, 2), ubound(u, 2)
        u(:, j, l) = [(real(wave(i - 1, j - 1, l - 1)), i=1, nx)]
      end do
    end do
    call plan%run(nearfar_fft_forward, u, v)
    call check(off(v, low, [3, 1, 2], 0.5_real64) < close, 'half of a mode')
    u = 0
    call plan%run(nearfar_fft_backward, v, u)
    worst = 0
    do l = lbound(u, 3), ubound(u, 3)
      do j = lbound(u, 2), ubound(u, 2)
        do i = 1, nx
          worst = max(worst, abs(u(i, j, l) - real(wave(i - 1, j - 1, l - 1))))
        end do
      end do
    end do
    call check(worst < close, 'real and back')
    call plan%free()
    call layout%free()
    call x_parts%free()
    call z_parts%free()
  end subroutine test_real_with_own_sides

  ! Two constant fields of single precision: all in the mode 0.
  subroutine test_fields_and_fewer_modes()
    type(nearfar_fft_layout) :: layout
    type(nearfar_transpose_side) :: x, k
    type(nearfar_fft_plan) :: plan
    complex(real32), pointer, contiguous :: u(:,:,:,:), v(:,:,:,:)

    call check(all(nearfar_fft_padded_extents([nx, ny, nz], 1.5_real64) == [15, 9, 10]), '3/2')
    call check(all(nearfar_fft_truncated_modes([nx, ny, nz], 2.0_real64 / 3) == [6, 4, 4]), '2/3')
    call layout%create(team, [nx, ny, nz], modes=[6, 4, 4])
    x = layout%physical()
    k = layout%spectral()
    call x%new_array(u, fields=2)
    call k%new_array(v, fields=2)
    call plan%create(layout, u, v, fields=2, nyquist='zero', budget_s=quick)
    u(:, :, :, 1) = 1
    u(:, :, :, 2) = (0, 2)
    call plan%run(nearfar_fft_forward, u, v)
    call check(count(abs(v(:, :, :, 1)) > 1e-3) <= 1 .and. count(abs(v(:, :, :, 2)) > 1e-3) <= 1, &
      'no other modes')
    call check(abs(sum(v(:, :, :, 2)) - (0, 2) * sum(v(:, :, :, 1))) < 1e-2, 'both fields')
    call check(abs(sum(v(:, :, :, 1))) < 1e-2 .or. abs(sum(v(:, :, :, 1)) - n) < 1e-2, 'mode 0')
    u = 0
    call plan%run(nearfar_fft_backward, v, u)
    call check(all(abs(u(:, :, :, 1) - n) < 1e-2), 'the first field and back')
    call check(all(abs(u(:, :, :, 2) - (0, 2) * n) < 1e-2), 'the second field and back')
    call plan%free()
    call x%free_array(u)
    call k%free_array(v)
    call layout%free()
  end subroutine test_fields_and_fewer_modes

  ! A cosine along the second axis alone: cos(pi (j + 1/2) 3 / ny) has one coefficient, ny.
  subroutine test_cosines()
    type(nearfar_decomposition) :: parts
    type(nearfar_transpose_side) :: side
    type(nearfar_fft_layout) :: layout
    type(nearfar_fft_plan) :: plan
    real(real64), pointer, contiguous :: u(:,:), v(:,:)
    integer :: j

    call parts%slab(team, [nx, ny], 1)
    call side%create(parts)
    call layout%create(team, [nx, ny], kinds=['none', 'dct2'], physical=side, spectral=side)
    call side%new_array(u)
    call side%new_array(v)
    call plan%create(layout, u, v, budget_s=quick)
    do j = 1, ny
      u(:, j) = cos(pi * (j - 0.5_real64) * 3 / ny)
    end do
    call plan%run(nearfar_fft_forward, u, v)
    v(:, 4) = v(:, 4) - ny
    call check(all(abs(v) < close), 'dct2')
    call plan%free()
    call side%free_array(u)
    call side%free_array(v)
    call layout%free()
    call parts%free()
  end subroutine test_cosines

  ! A plan that makes its arrays has the bits of one on those of the program.
  subroutine test_own_arrays()
    type(nearfar_fft_layout) :: layout
    type(nearfar_transpose_side) :: x, k
    type(nearfar_fft_plan) :: brief, full
    real(real64), pointer, contiguous :: u(:,:,:), v(:,:,:)
    complex(real64), pointer, contiguous :: uh(:,:,:), vh(:,:,:)
    integer :: i

    call brief%create(team, [nx, ny, nz], u, uh, kinds=['r2c', 'c2c', 'c2c'], name='brief', &
      scaling='backward', budget_s=quick)
    layout = brief%layout()
    x = layout%physical()
    k = layout%spectral()
    call check(index(layout%describe(), '10 r2c x 6 c2c x 7 c2c') == 1, 'layout of a plan')
    call check(index(layout%describe(), 'fast to slow (1, 2, 3)', back=.true.) > &
      index(layout%describe(), 'spectral'), 'axes of the modes in their order')
    call check(all([lbound(u), ubound(u)] == [x%lower(), x%upper()]), 'bounds of points')
    call check(all([lbound(uh), ubound(uh)] == [k%lower(), k%upper()]), 'bounds of modes')
    call check(.not. any(abs(u) > 0) .and. .not. any(abs(uh) > 0), 'zeros')
    call x%new_array(v)
    call k%new_array(vh)
    call full%create(layout, v, vh, scaling='backward', budget_s=quick)
    u = reshape([(real(mod(i * i, 11), real64), i=1, size(u))], shape(u))
    v = u
    call brief%run(nearfar_fft_forward)
    call full%run(nearfar_fft_forward)
    call check(.not. any(abs(uh - vh) > 0), 'the same bits forward')
    call brief%run(nearfar_fft_backward, uh, u)
    call full%run(nearfar_fft_backward)
    call check(.not. any(abs(u - v) > 0), 'the same bits backward')
    call layout%free(stat, message)
    call check_error(stat, nearfar_usage_error, message, 'belongs to', 'layout of a plan')
    call full%free()
    call x%free_array(v)
    call k%free_array(vh)
    call x%free_array(u, stat, message)
    call check_error(stat, nearfar_usage_error, message, 'no array', 'array of a plan')
    call brief%free()
    call check(layout%describe() == '', 'layout of a freed plan')
  end subroutine test_own_arrays

  subroutine test_own_arrays_of_other_kinds()
    type(nearfar_fft_plan) :: plan
    type(nearfar_fft_layout) :: layout
    type(nearfar_transpose_side) :: side
    complex(real32), pointer, contiguous :: c(:,:,:,:), ch(:,:,:,:)
    real(real64), pointer, contiguous :: r(:,:), rh(:,:), flat(:), flat_modes(:)

    call plan%create(team, [4_int64, 3_int64, 5_int64, 6_int64], c, ch, modes=[4, 3, 3, 4], &
      nyquist='zero', method=merge('isend', '     ', world_size > 1), budget_s=quick)
    c = (2, 1)
    call plan%run(nearfar_fft_forward)
    call check(count(abs(ch) > 1e-3) <= 1, 'one mode')
    call plan%run(nearfar_fft_backward)
    call check(all(abs(c - 360 * (2, 1)) < 1e-1), 'four axes and back')
    call plan%free()
    call plan%create(team, [nx, ny], r, rh, kinds=['dct2', 'none'], process_grid=[world_size], &
      scaling='forward', budget_s=quick)
    r = 1
    call plan%run(nearfar_fft_forward)
    call plan%run(nearfar_fft_backward)
    call check(all(abs(r - 1) < close), 'cosines and back')
    call plan%free()
    call plan%create(team, [nx, ny], flat, flat_modes, kinds=['dct2', 'none'], budget_s=quick)
    layout = plan%layout()
    side = layout%physical()
    call check(size(flat) == side%elements(), 'arrays of rank 1')
    call plan%free()
  end subroutine test_own_arrays_of_other_kinds

  subroutine test_errors_of_own_arrays()
    type(nearfar_fft_plan) :: plan
    type(nearfar_team) :: nobody
    complex(real64), pointer, contiguous :: c(:,:,:), ch(:,:,:), c2(:,:), ch2(:,:)
    real(real64), pointer, contiguous :: r(:,:,:)

    call plan%create(team, [nx, ny, nz], r, ch, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, "'physical' is real(real64), and must " &
      // "be complex(real64) here", 'type')
    call check(.not. associated(r) .and. .not. associated(ch), 'no arrays')
    call plan%create(team, [nx, ny, nz], c2, ch2, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'rank 2', 'rank')
    call plan%create(team, [nx, 0, nz], c, ch, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'axis 2 has 0 points', 'extent 0')
    call plan%create(team, [nx, ny, nz], c, ch, scaling='half', stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'half', 'scaling')
    call plan%create(team, [nx, ny, nz], c, ch, engines='abacus', stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'abacus', 'engine')
    call plan%create(nobody, [nx, ny, nz], c, ch, stat=stat, errmsg=message)
    call check(stat == nearfar_usage_error .and. index(message, 'team is NULL') > 0, 'no team')
  end subroutine test_errors_of_own_arrays

  ! All ranks have the error of the last one, and go on.
  subroutine test_own_arrays_wrong_on_one_rank()
    type(nearfar_fft_plan) :: plan
    complex(real64), pointer, contiguous :: c(:,:), ch(:,:)
    complex(real32), pointer, contiguous :: s(:,:), sh(:,:)
    real(real64), pointer, contiguous :: r(:,:)

    call plan%create(team, [nx, pick(ny, -6)], c, ch, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'axis 2 has -6 points', 'extents')
    call plan%create(team, [nx, ny], c, ch, modes=[nx, pick(ny, 99)], stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'axis 2 is to keep 99', 'modes')
    call plan%create(team, [nx, ny], c, ch, scaling=word('none', 'blob'), stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, "scaling is 'blob'", 'scaling')
    if (is_last_rank()) then
      call plan%create(team, [nx, ny], r, ch, stat=stat, errmsg=message)
    else
      call plan%create(team, [nx, ny], c, ch, stat=stat, errmsg=message)
    end if
    call check_error(stat, nearfar_usage_error, message, "'physical' is real(real64)", 'type')
    if (world_size > 1) then
      if (is_last_rank()) then
        call plan%create(team, [nx, ny], s, sh, stat=stat, errmsg=message)
      else
        call plan%create(team, [nx, ny], c, ch, stat=stat, errmsg=message)
      end if
      call check_error(stat, nearfar_usage_error, message, 'bytes of a real', 'precision')
    end if
  end subroutine test_own_arrays_wrong_on_one_rank

  subroutine test_errors()
    type(nearfar_fft_layout) :: layout
    type(nearfar_transpose_side) :: x, k
    type(nearfar_fft_plan) :: plan
    complex(real64), pointer, contiguous :: u(:,:,:), v(:,:,:)
    real(real64) :: reals(n), short(1)
    complex(real32) :: single(n)
    complex(real64) :: flat(n)

    call layout%create(team, [nx, ny, nz], kinds=['c2c ', 'dct5', 'c2c '], stat=stat, &
      errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'dct5', 'unknown kind')
    call layout%create(team, [nx, ny, nz], kinds=['c2c'], stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'kinds has 1', 'number of kinds')
    call layout%create(team, [nx, ny, nz], modes=[nx, ny], stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'modes has 2', 'number of modes')
    call layout%create(team, [nx, 0, nz], stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'axis 2 has 0 points', 'extent 0')
    call layout%create(team, [nx, ny, nz], modes=[nx + 1, ny, nz], stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'axis 1 is to keep', 'modes')
    call plan%create(layout, flat, flat, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'not created', 'no layout')
    call layout%create(team, [nx, ny, nz])
    x = layout%physical()
    k = layout%spectral()
    call plan%create(layout, reals, flat, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, "'physical' must be complex", 'real array')
    call plan%create(layout, flat, single, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, "'spectral' must be complex(real64)", &
      'precision')
    call plan%create(layout, flat, flat, scaling='half', stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'half', 'scaling')
    call plan%create(layout, flat, flat, engines='abacus', stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'abacus', 'engine')
    if (world_size > 1) then  ! on one rank nothing moves
      call plan%create(layout, flat, flat, method='swift', stat=stat, errmsg=message)
      call check_error(stat, nearfar_usage_error, message, 'swift', 'method')
    end if
    call x%new_array(u)
    call k%new_array(v)
    call plan%create(layout, u, v, budget_s=quick)
    if (size(u) > 1) then
      call plan%run(nearfar_fft_forward, short, v, stat=stat, errmsg=message)
      if (stat /= nearfar_usage_error) error stop 'a real array for a complex plan'
    end if
    call plan%finish(stat=stat)
    call check(stat == nearfar_usage_error, 'finish without start')
    u = 1
    call plan%run(nearfar_fft_forward, u, v)
    call plan%free()
    call x%free_array(u)
    call k%free_array(v)
    call layout%free()
  end subroutine test_errors

end program ffts_test
