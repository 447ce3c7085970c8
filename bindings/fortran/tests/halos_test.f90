! SPDX-License-Identifier: BSD-3-Clause
! Halo plans of fields from Fortran: every call, several fields, one side only, stencils, and
! errors.
program halos_test
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use nearfar, only: nearfar_grid, nearfar_halo_plan, nearfar_methods, nearfar_ok, nearfar_team, &
    nearfar_usage_error
  use nearfar_testing, only: check, check_error, everyone, testing_begin, testing_end, &
    testing_next_shape, world_size
  implicit none (type, external)
  real(real64), parameter :: budget = 0.01_real64
  integer, parameter :: nx = 6
  type(nearfar_team) :: team
  type(nearfar_grid) :: grid
  integer :: stat, ny
  character(1000) :: message

  call testing_begin()
  do while (testing_next_shape())
    ny = 4 * world_size
    call team%create(everyone)
    call grid%create(team, extents=[nx, ny], periodic=[.true., .true.], process_grid=[1, 0])
    call test_one_field()
    call test_eight_fields()
    call test_sides()
    call test_pinned()
    call test_errors()
    call test_order_of_calls()
    call team%free()
  end do
  call testing_end()

contains

  ! Every cell has its own number: 1000 x + y, with indices wrapped around.
  pure integer function cell(i, j)
    integer, intent(in) :: i, j
    cell = 1000 * (modulo(i - 1, nx) + 1) + modulo(j - 1, ny) + 1
  end function cell

  subroutine number_own_cells(u)
    real(real64), pointer, contiguous, intent(in) :: u(:,:)
    integer(int64) :: lower(2), upper(2)
    integer :: i, j

    lower = grid%lower()
    upper = grid%upper()
    u = -1
    do j = int(lower(2)), int(upper(2))
      do i = int(lower(1)), int(upper(1))
        u(i, j) = cell(i, j)
      end do
    end do
  end subroutine number_own_cells

  ! Cells of u in the box of bounds `first` to `last` that do not hold their own number.
  integer function wrong_cells(u, first, last) result(wrong)
    real(real64), pointer, contiguous, intent(in) :: u(:,:)
    integer, intent(in) :: first(2), last(2)
    integer :: i, j

    wrong = 0
    do j = first(2), last(2)
      do i = first(1), last(1)
        if (nint(u(i, j)) /= cell(i, j)) wrong = wrong + 1
      end do
    end do
  end function wrong_cells

  subroutine test_one_field()
    type(nearfar_halo_plan) :: halo
    real(real64), pointer, contiguous :: u(:,:)
    logical :: done

    call grid%new_field(u, ghosts=2)
    call number_own_cells(u)
    call halo%create(grid, u, name='one', budget_s=budget, stat=stat, errmsg=message)
    call check(stat == nearfar_ok, 'halo%create: ' // trim(message))
    call halo%start()
    done = halo%test()
    call halo%finish(stat=stat)
    call check(stat == nearfar_ok, 'halo%finish')
    call check(wrong_cells(u, lbound(u), ubound(u)) == 0, 'ghosts and corners')
    call check(index(halo%describe(), 'one') > 0, 'halo%describe names the plan')
    call check(len(halo%method()) > 0, 'halo%method')
    call check(halo%tuned_seconds() > 0 .or. world_size == 1, 'halo%tuned_seconds')
    call grid%free_field(u)  ! the plan keeps the memory
    call halo%run(stat=stat)
    call check(stat == nearfar_ok, 'a plan outlives its field')
    call halo%free()
    call check(halo%describe() == '', 'a freed plan')
  end subroutine test_one_field

  subroutine test_eight_fields()
    type(nearfar_halo_plan) :: halo
    integer(int32), pointer, contiguous :: a(:,:), b(:,:)
    integer(int64), pointer, contiguous :: c(:,:), d(:,:)
    real(real32), pointer, contiguous :: e(:,:), f(:,:)
    real(real64), pointer, contiguous :: g(:,:), h(:,:)
    integer(int64) :: lower(2), upper(2)
    integer :: k

    call grid%new_field(a, ghosts=1)
    call grid%new_field(b, ghosts=2)
    call grid%new_field(c, ghosts=1)
    call grid%new_field(d, ghosts=[1, 2])
    call grid%new_field(e, ghosts=1)
    call grid%new_field(f, ghosts=1)
    call grid%new_field(g, ghosts=1)
    call grid%new_field(h, ghosts=2)
    call halo%create(grid, a, b, c, d, e, f, g, h, budget_s=budget)
    lower = grid%lower()
    upper = grid%upper()
    a = 0
    f = 0
    a(lower(1):upper(1), lower(2):upper(2)) = 11
    f(lower(1):upper(1), lower(2):upper(2)) = 2.5
    call number_own_cells(g)
    call number_own_cells(h)
    do k = 1, 3
      call halo%run()
    end do
    call check(all(a == 11) .and. all(nint(2 * f) == 5), 'constant fields')
    call check(all(b == 0) .and. all(c == 0) .and. all(d == 0) .and. all(nint(e) == 0), &
      'zero fields')
    call check(wrong_cells(g, lbound(g), ubound(g)) == 0, 'the seventh of eight fields')
    call check(wrong_cells(h, lbound(h), ubound(h)) == 0, 'the eighth of eight fields')
    call halo%free()
  end subroutine test_eight_fields

  ! Only the low side of the slower dimension: other ghosts must stay as they are.
  subroutine test_sides()
    type(nearfar_halo_plan) :: halo, star
    real(real64), pointer, contiguous :: u(:,:)
    integer :: first(2), last(2)

    call grid%new_field(u, ghosts=2)
    first = lbound(u) + 2
    last = ubound(u) - 2
    ! [south]
    call halo%begin(grid, name='south', method='')
    call halo%add(u, ghosts=reshape([0, 0, 1, 0], [2, 2]))
    call halo%commit(stat=stat, errmsg=message)
    ! [south]
    call check(stat == nearfar_ok, 'halo%commit: ' // trim(message))
    call number_own_cells(u)
    call halo%run()
    call check(wrong_cells(u, [first(1), first(2) - 1], last) == 0, 'the layer that was asked for')
    call check(all(nint(u(:, first(2) - 2)) == -1) .and. all(nint(u(:, last(2) + 1:)) == -1) &
      .and. all(nint(u(first(1) - 1, :)) == -1), 'no other layer')
    call halo%free()

    call star%create(grid, u, stencil='star', budget_s=budget)
    call number_own_cells(u)
    call star%run()
    call check(wrong_cells(u, [first(1) - 2, first(2)], [last(1) + 2, last(2)]) == 0 &
      .and. wrong_cells(u, [first(1), first(2) - 2], [last(1), last(2) + 2]) == 0, 'star: faces')
    call check(all(nint(u(:first(1) - 1, :first(2) - 1)) == -1), 'star: no corners')
    call star%free()
  end subroutine test_sides

  subroutine test_pinned()
    type(nearfar_halo_plan) :: halo
    real(real64), pointer, contiguous :: u(:,:)

    call check(index(nearfar_methods('halo'), 'isend') > 0, 'isend is a method')
    call grid%new_field(u, ghosts=1)
    call number_own_cells(u)
    call halo%create(grid, u, method='isend')
    call check(index(halo%method(), 'isend') > 0, 'pinned method')
    call halo%run()
    call check(wrong_cells(u, lbound(u), ubound(u)) == 0, 'pinned exchange')
    call halo%free()
  end subroutine test_pinned

  subroutine test_errors()
    type(nearfar_halo_plan) :: halo
    type(nearfar_grid) :: nothing
    real(real64), pointer, contiguous :: u(:,:)
    real(real64), target :: mine(4, 4)

    call grid%new_field(u, ghosts=2)
    call halo%create(nothing, u, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'NULL', 'no grid')
    call halo%create(grid, u, mine, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'part 2: the array is not a field', &
      'not a field')
    call halo%create(grid, u(:, lbound(u, 2):lbound(u, 2) + 3), stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'dimension 2 of the array has 4', &
      'section of a field')
    call halo%create(grid, u, method='carrier-pigeon', stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'carrier-pigeon', 'unknown method')
    call halo%create(grid, u, stencil='cross', stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'one of box, star', 'unknown stencil')
    call halo%begin(grid)
    call halo%add(u, ghosts=5)
    call halo%commit(stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, &
      'part 1 is to fill (5, 5) ghost layers in dimension 2', 'wider than the field has')
    call halo%free()
    call halo%begin(grid)
    call halo%add(u, ghosts=[1, 1, 1])
    call halo%commit(stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'shape (3)', 'shape of the widths')
    call halo%free()
    call halo%begin(grid)
    call halo%commit(stat=stat, errmsg=message)
    call check(stat == nearfar_usage_error, 'a plan of nothing')
    call halo%free()
  end subroutine test_errors

  subroutine test_order_of_calls()
    type(nearfar_halo_plan) :: halo
    real(real64), pointer, contiguous :: u(:,:)

    call halo%start(stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'NULL', 'start before create')
    call grid%new_field(u, ghosts=1)
    call halo%begin(grid, name='order', budget_s=budget)
    call halo%add(u)
    call halo%start(stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'not committed', 'start before commit')
    call halo%commit()
    call halo%add(u, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'is committed', 'add after commit')
    call halo%start()
    call halo%start(stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'order', 'start twice')
    call halo%finish()
    call halo%finish(stat=stat, errmsg=message)
    call check(stat == nearfar_usage_error, 'finish twice')
  end subroutine test_order_of_calls

end program halos_test
