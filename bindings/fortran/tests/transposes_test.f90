! SPDX-License-Identifier: BSD-3-Clause
! Transpositions of arrays of each kind and rank: every element must arrive where its global index
! says.
program transposes_test
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use nearfar, only: nearfar_decomposition, nearfar_team, nearfar_transpose_plan, &
    nearfar_transpose_side, nearfar_usage_error
  use nearfar_testing, only: check, check_error, everyone, testing_begin, testing_end, &
    testing_next_shape, world_rank, world_size
  implicit none (type, external)
  integer, parameter :: nx = 7, ny = 6, nz = 5
  real(real64), parameter :: quick = 0.005_real64
  type(nearfar_team) :: team
  integer :: stat
  character(1000) :: message

  call testing_begin()
  do while (testing_next_shape())
    call team%create(everyone)
    call test_decompositions()
    call test_pencils_of_three_axes()
    call test_orders_and_padding()
    call test_fields_and_in_place()
    call test_ranks_of_arrays()
    call test_errors()
    call team%free()
  end do
  call testing_end()

contains

  pure integer function number(x, y, z)
    integer, intent(in) :: x, y, z
    number = x + nx * (y - 1 + ny * (z - 1))
  end function number

  subroutine test_decompositions()
    type(nearfar_decomposition) :: parts
    integer(int64) :: lower(3), upper(3)
    integer :: first, last, r
    integer(int64) :: owned

    call parts%pencil(team, [nx, ny, nz], 1)
    call check(parts%dimensions() == 3, 'dimensions')
    call check(all(parts%extents() == [nx, ny, nz]), 'extents')
    lower = parts%lower()
    upper = parts%upper()
    call check(lower(1) == 1 .and. upper(1) == nx, 'the first axis of a pencil along it is whole')
    call check(product(parts%process_grid()) == world_size, 'process grid')
    owned = 0
    do r = 0, world_size - 1
      owned = owned + product(max(parts%upper(r) - parts%lower(r) + 1, 0_int64))
    end do
    call check(owned == nx * ny * nz, 'all parts together')
    call parts%free()
    call check(parts%dimensions() == 0, 'freed')
    call parts%pencil(team, [nx, ny, nz], 2, process_grid=[world_size, 1])
    call check(all(parts%process_grid() == [world_size, 1, 1]), 'the cut axes in their order')
    call parts%free()

    call parts%slab(team, int([nx, ny, nz], int64), 2)
    lower = parts%lower()
    upper = parts%upper()
    first = (ny / world_size) * world_rank + min(world_rank, mod(ny, world_size))
    call check(all(lower == [1, first + 1, 1]) .and. upper(3) == nz, 'slab of axis 2')
    call parts%free()

    ! Ranks are numbered along axis 1 first.
    call parts%blocks(team, [nx, ny, nz], [world_size, 1, 1])
    lower = parts%lower(world_size - 1)
    upper = parts%upper(world_size - 1)
    call check(upper(1) == nx .and. (world_size == 1 .or. lower(1) > 1), 'blocks')
    call check(index(parts%describe(), '7 x 6 x 5 in blocks of ') == 1, 'describe')
    call parts%free()

    first = nz * (world_size - 1 - world_rank) / world_size + 1
    last = nz * (world_size - world_rank) / world_size
    call parts%from_boxes(team, [nx, ny, nz], [1, 1, first], [nx, ny, last])
    lower = parts%lower()
    call check(last < first .or. all(lower == [1, 1, first]), 'boxes')
    call check(size(parts%process_grid()) == 0, 'boxes have no process grid')
    call parts%free()
  end subroutine test_decompositions

  subroutine test_pencils_of_three_axes()
    type(nearfar_decomposition) :: x_parts, y_parts
    type(nearfar_transpose_side) :: x, y
    type(nearfar_transpose_plan) :: plan
    real(real64), pointer, contiguous :: a(:,:,:), b(:,:,:)
    complex(real32), pointer, contiguous :: c(:,:,:)
    complex(real32), allocatable :: d(:,:,:)
    integer :: i, j, k, wrong

    call x_parts%pencil(team, [nx, ny, nz], 1)
    call y_parts%pencil(team, [nx, ny, nz], 2)
    call x%create(x_parts)
    call y%create(y_parts)
    call x%new_array(a)
    call y%new_array(b)
    call check(all(lbound(a) == x%lower()), 'lower bounds')
    call check(all(ubound(a) == x%upper()), 'upper bounds')
    call check(lbound(a, 1) == 1 .and. ubound(a, 1) == nx, 'bounds of axis 1')
    call check(size(a) == x%elements() .and. all(abs(a) <= 0), 'zeros')
    call plan%create(x, y, a, b, name='x to y', budget_s=quick)
    do k = lbound(a, 3), ubound(a, 3)
      do j = lbound(a, 2), ubound(a, 2)
        do i = 1, nx
          a(i, j, k) = number(i, j, k)
        end do
      end do
    end do
    call plan%run(a, b)
    wrong = 0
    do k = lbound(b, 3), ubound(b, 3)
      do j = 1, ny
        do i = lbound(b, 1), ubound(b, 1)
          if (nint(b(i, j, k)) /= number(i, j, k)) wrong = wrong + 1
        end do
      end do
    end do
    call check(wrong == 0, 'x to y')
    b = 0
    call plan%start()
    do while (.not. plan%test())
    end do
    call plan%finish()
    call check(sum(b) > 0 .or. size(b) == 0, 'again')
    call check(index(plan%describe(), 'x to y') > 0, 'describe')
    call check(plan%method() /= '', 'method')
    call check(abs(plan%tuned_seconds()) < 60, 'tuned_seconds is a time')
    call plan%free()
    call x%free_array(a)
    call y%free_array(b)
    call check(.not. associated(a), 'free_array')

    ! Into memory of the program's own, of another kind.
    call x%new_array(c)
    associate (l => y%lower(), u => y%upper())
      allocate (d(l(1):u(1), l(2):u(2), l(3):u(3)))
    end associate
    call plan%create(x, y, c, d, method='isend')
    do k = lbound(c, 3), ubound(c, 3)
      do j = lbound(c, 2), ubound(c, 2)
        c(:, j, k) = [(cmplx(number(i, j, k), -i, real32), i=1, nx)]
      end do
    end do
    call plan%start(c, d)
    call plan%finish()
    wrong = 0
    do k = lbound(d, 3), ubound(d, 3)
      do i = lbound(d, 1), ubound(d, 1)
        wrong = wrong + count(nint(real(d(i, :, k))) /= [(number(i, j, k), j=1, ny)] &
          .or. nint(aimag(d(i, :, k))) /= -i)
      end do
    end do
    call check(wrong == 0, 'complex numbers')
    call plan%free()
    call x%free_array(c)
    call x_parts%free()
    call y_parts%free()
  end subroutine test_pencils_of_three_axes

  ! z contiguous, then x, with elements around that nobody touches.
  subroutine test_orders_and_padding()
    type(nearfar_decomposition) :: x_parts, z_parts
    type(nearfar_transpose_side) :: x, z
    type(nearfar_transpose_plan) :: plan
    integer(int32), pointer, contiguous :: a(:,:,:), b(:,:,:)
    integer(int64) :: lower(3), upper(3)
    integer :: i, j, k, wrong, wanted
    logical :: is_own

    call x_parts%pencil(team, [nx, ny, nz], 1)
    call z_parts%pencil(team, [nx, ny, nz], 3)
    call x%create(x_parts)
    call z%create(z_parts, memory_order=[3, 1, 2], padding=reshape([1, 0, 0, 2, 3, 1], [2, 3]))
    call x%new_array(a)
    call z%new_array(b)
    lower = z_parts%lower()
    upper = z_parts%upper()
    call check(size(b) == 0 .or. all(lbound(b) == [lower(3) - 3, lower(1) - 1, lower(2)]) .and. &
      all(ubound(b) == [upper(3) + 1, upper(1), upper(2) + 2]), 'padded bounds')
    call plan%create(x, z, a, b, budget_s=quick)
    do k = lbound(a, 3), ubound(a, 3)
      do j = lbound(a, 2), ubound(a, 2)
        a(:, j, k) = [(number(i, j, k), i=1, nx)]
      end do
    end do
    b = -1
    call plan%run(a, b)
    wrong = 0
    do j = lbound(b, 3), ubound(b, 3)
      do i = lbound(b, 2), ubound(b, 2)
        do k = lbound(b, 1), ubound(b, 1)
          is_own = all([i, j, k] >= lower .and. [i, j, k] <= upper)
          wanted = merge(number(i, j, k), -1, is_own)
          if (b(k, i, j) /= wanted) wrong = wrong + 1
        end do
      end do
    end do
    call check(wrong == 0, 'z first, padded')
    call plan%free()
    call x%free_array(a)
    call z%free_array(b)
    call x_parts%free()
    call z_parts%free()
  end subroutine test_orders_and_padding

  subroutine test_fields_and_in_place()
    type(nearfar_decomposition) :: x_parts, y_parts
    type(nearfar_transpose_side) :: x, y
    type(nearfar_transpose_plan) :: plan
    real(real32), pointer, contiguous :: a(:,:,:,:), b(:,:,:,:)
    integer(int64), pointer, contiguous :: flat(:)
    integer :: i, j, k, f, wrong
    integer(int64) :: n

    call x_parts%pencil(team, [nx, ny, nz], 1)
    call y_parts%pencil(team, [nx, ny, nz], 2)
    call x%create(x_parts)
    call y%create(y_parts, memory_order=[2, 1, 3])
    call x%new_array(a, fields=3)
    call y%new_array(b, fields=3)
    call check(size(a, 4) == 3, 'fields come last')
    call plan%create(x, y, a, b, fields=3, without='near-direct,rma', budget_s=quick)
    do f = 1, 3
      do k = lbound(a, 3), ubound(a, 3)
        do j = lbound(a, 2), ubound(a, 2)
          a(:, j, k, f) = real([(number(i, j, k) + 1000 * f, i=1, nx)], real32)
        end do
      end do
    end do
    call plan%run(a, b)
    wrong = 0
    do f = 1, 3
      do k = lbound(b, 3), ubound(b, 3)
        do i = lbound(b, 2), ubound(b, 2)
          wrong = wrong + count(nint(b(:, i, k, f)) /= [(number(i, j, k) + 1000 * f, j=1, ny)])
        end do
      end do
    end do
    call check(wrong == 0, 'three fields')
    call plan%free()
    call x%free_array(a)
    call y%free_array(b)

    ! In place, in a flat array that is long enough for both sides.
    call x%new_array(flat, also=y)
    call check(size(flat) == max(x%elements(), y%elements()), 'flat')
    call plan%create(x, y, flat, budget_s=quick)
    associate (l => x%lower(), u => x%upper())
      n = 0
      do k = int(l(3)), int(u(3))
        do j = int(l(2)), int(u(2))
          do i = 1, nx
            n = n + 1
            flat(n) = number(i, j, k)
          end do
        end do
      end do
    end associate
    call plan%run(flat)
    wrong = 0
    associate (l => y%lower(), u => y%upper())
      n = 0
      do k = int(l(3)), int(u(3))
        do i = int(l(2)), int(u(2))
          do j = 1, ny
            n = n + 1
            if (flat(n) /= number(i, j, k)) wrong = wrong + 1
          end do
        end do
      end do
    end associate
    call check(wrong == 0, 'in place')
    call plan%free()
    call x%free_array(flat)
    call x_parts%free()
    call y_parts%free()
  end subroutine test_fields_and_in_place

  ! 1, 2 and 4 axes.
  subroutine test_ranks_of_arrays()
    type(nearfar_decomposition) :: parts, others
    type(nearfar_transpose_side) :: from, to
    type(nearfar_transpose_plan) :: plan
    integer(int64), pointer, contiguous :: row(:), same(:)
    complex(real64), pointer, contiguous :: a(:,:), b(:,:)
    real(real64), pointer, contiguous :: c(:,:,:,:), d(:,:,:,:)
    integer :: i, j, k, wrong

    call parts%slab(team, [nx], 1)
    call others%from_boxes(team, [nx], [merge(1, nx + 1, world_rank == world_size - 1)], [nx])
    call from%create(parts)
    call to%create(others)
    call from%new_array(row)
    call to%new_array(same)
    call plan%create(from, to, row, same, budget_s=quick)
    row = [(int(10 * i, int64), i=lbound(row, 1), ubound(row, 1))]
    call plan%run(row, same)
    call check(all(same == [(10 * i, i=lbound(same, 1), ubound(same, 1))]), '1 axis: to the last')
    call plan%free()

    call parts%slab(team, [nx, ny], 1)
    call others%slab(team, [nx, ny], 2)
    call from%create(parts)
    call to%create(others, memory_order=[2, 1])
    call from%new_array(a)
    call to%new_array(b)
    call plan%create(from, to, a, b, budget_s=quick)
    do j = lbound(a, 2), ubound(a, 2)
      a(:, j) = [(cmplx(i, j, real64), i=lbound(a, 1), ubound(a, 1))]
    end do
    call plan%run(a, b)
    wrong = 0
    do i = lbound(b, 2), ubound(b, 2)
      wrong = wrong + count(nint(real(b(:, i))) /= i .or. &
        nint(aimag(b(:, i))) /= [(j, j=lbound(b, 1), ubound(b, 1))])
    end do
    call check(wrong == 0, '2 axes')
    call plan%free()

    call parts%slab(team, [nx, ny, nz, 2], 2)
    call others%slab(team, [nx, ny, nz, 2], 3)
    call from%create(parts)
    call to%create(others)
    call from%new_array(c)
    call to%new_array(d)
    call plan%create(from, to, c, d, budget_s=quick)
    do k = 1, nz
      do j = lbound(c, 2), ubound(c, 2)
        c(:, j, k, 1) = [(number(i, j, k), i=1, nx)]
        c(:, j, k, 2) = -c(:, j, k, 1)
      end do
    end do
    call plan%run(c, d)
    wrong = 0
    do k = lbound(d, 3), ubound(d, 3)
      do j = 1, ny
        wrong = wrong + count(nint(d(:, j, k, 1)) /= [(number(i, j, k), i=1, nx)]) + &
          count(nint(d(:, j, k, 2)) /= [(-number(i, j, k), i=1, nx)])
      end do
    end do
    call check(wrong == 0, '4 axes')
    call plan%free()
  end subroutine test_ranks_of_arrays

  subroutine test_errors()
    type(nearfar_decomposition) :: parts, others
    type(nearfar_transpose_side) :: from, to, none
    type(nearfar_transpose_plan) :: plan
    real(real64) :: a(nx, ny, nz), b(nx, ny, nz), small(nx), row(2 * nx * ny * nz)
    real(real32) :: single(nx, ny, nz)
    real(real64), pointer, contiguous :: x(:,:), y(:,:,:)

    call parts%slab(team, [nx, 0], 1, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'axis 2 of the grid 7 x 0', 'extent 0')
    call parts%slab(team, [nx, ny], 3, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'axes are 1 to 2', 'axis')
    call parts%pencil(team, [nx, ny], 1, [1, 1], stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'process_grid has 2', 'process grid')
    call parts%blocks(team, [nx, ny], [world_size, 2], stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, ' x 2 does not multiply', &
      'product of the process grid')
    call parts%from_boxes(team, [nx], [1, 1], [nx], stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'lower has 2', 'box')
    call parts%from_boxes(team, [nx, ny], [1, 1], merge(1, 0, world_rank == 0) * [nx, ny - 1], &
      stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'element (1, 6) of the grid 7 x 6', &
      'no owner')
    call parts%from_boxes(team, [nx, ny], [1, 2], merge(1, 0, world_rank == 0) * [nx, ny + 1], &
      stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, &
      'rank 0 owns 1:7x2:7, which reaches outside axis 2 of the grid: 1:6', 'outside')
    call from%create(parts, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'NULL', 'side without a decomposition')

    ! Rank 0 owns all, so that the others may pass anything.
    call parts%from_boxes(team, [nx, ny, nz], [1, 1, 1], &
      merge(1, 0, world_rank == 0) * [nx, ny, nz])
    call others%from_boxes(team, [nx, ny, nz], [1, 1, 1], &
      merge(1, 0, world_rank == 0) * [nx, ny, nz])
    call from%create(parts, memory_order=[1, 1, 2], stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'axis 1 2 times', 'memory order')
    call from%create(parts, padding=[1, 2], stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, '3 dimensions', 'padding')
    call from%create(parts)
    call to%create(others)
    call from%new_array(x, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'rank 2', 'rank of a pointer')
    call from%new_array(y, fields=0, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'fields is 0', 'no fields')
    y => null()
    call plan%create(from, to, small, b, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, "'in' has 7 elements", 'flat, too short')
    call plan%create(from, to, a(:, :, 1), b, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, "'in' has rank 2", 'rank')
    call plan%create(from, to, a, b(:, :, 2:), stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, "dimension 3 of 'out'", 'extent')
    call plan%create(from, to, a, single, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, '4 bytes', 'kinds')
    call plan%create(from, to, y, b, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'associated', 'no array')
    call plan%create(from, to, row(::2), b, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'contiguous', 'section')
    call plan%create(from, to, a, b, method='swift', stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'swift', 'method')
    call plan%create(from, none, a, b, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'NULL', 'no side')
    call plan%create(from, to, a, b, budget_s=quick)
    call plan%finish(stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'without start', 'finish')
    if (world_rank == 0) then
      call plan%start(single, b, stat=stat, errmsg=message)
      if (stat == 0 .or. index(message, '4 bytes') == 0) error stop 'start with another kind'
    end if
    a = 1
    call plan%run(a, b)
    call check(world_rank > 0 .or. all(abs(b - 1) <= 0), 'what was refused did no harm')
    call plan%free()
    call plan%start(stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'NULL', 'freed')
    call parts%free()
    call others%free()
  end subroutine test_errors

end program transposes_test
