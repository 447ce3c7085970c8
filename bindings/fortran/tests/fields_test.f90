! SPDX-License-Identifier: BSD-3-Clause
! Fields from Fortran: every kind and rank, bounds that are global indices, ghost widths in all
! forms.
program fields_test
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use nearfar, only: nearfar_box, nearfar_grid, nearfar_ok, nearfar_team, nearfar_usage_error
  use nearfar_testing, only: check, check_error, everyone, testing_begin, testing_end, &
    testing_next_shape, world_rank, world_size
  implicit none (type, external)
  type(nearfar_team) :: team
  integer :: stat
  character(1000) :: message

  call testing_begin()
  do while (testing_next_shape())
    call team%create(everyone)
    call test_ranks_1_and_2()
    call test_ranks_3_and_4()
    call test_widths()
    call test_core_and_edge()
    call test_idle()
    call test_errors()
    call team%free()
  end do
  call testing_end()

contains

  subroutine test_ranks_1_and_2()
    type(nearfar_grid) :: line, plane
    integer(int32), pointer, contiguous :: a(:), c(:,:)
    integer(int64), pointer, contiguous :: b(:), d(:,:)
    real(real32), pointer, contiguous :: e(:), g(:,:)
    real(real64), pointer, contiguous :: f(:), h(:,:)

    call line%create(team, extents=[10 * world_size])
    call line%new_field(a, ghosts=1)
    call line%new_field(b, ghosts=1)
    call line%new_field(e, ghosts=1)
    call line%new_field(f, ghosts=1)
    call check(all(a == 0) .and. all(b == 0) .and. all(nint(e) == 0) .and. all(nint(f) == 0), &
      'zeros')
    call check(lbound(a, 1) == 10 * world_rank .and. ubound(a, 1) == 10 * world_rank + 11, 'bounds')
    call check(lbound(f, 1) == 10 * world_rank .and. size(f) == 12, 'bounds, real64')
    call plane%create(team, extents=[6, 10 * world_size], process_grid=[1, 0])
    call plane%new_field(c, ghosts=2)
    call plane%new_field(d, ghosts=2)
    call plane%new_field(g)
    call plane%new_field(h, ghosts=2)
    call check(all(lbound(c) == [-1, 10 * world_rank - 1]), 'lower bounds in two dimensions')
    call check(all(ubound(d) == [8, 10 * world_rank + 12]), 'upper bounds in two dimensions')
    call check(all(shape(g) == [6, 10]) .and. all(shape(h) == [10, 14]), 'shapes')
    h(7, 10 * world_rank + 11) = 5
    call check(nint(h(7, 10 * world_rank + 11)) == 5 .and. is_contiguous(h), 'an element')
    call line%free_field(a)
    call line%free_field(b)
    call line%free_field(e)
    call line%free_field(f)
    call plane%free_field(c)
    call plane%free_field(d)
    call plane%free_field(g)
    call check(.not. associated(a) .and. .not. associated(g), 'free_field nullifies')
    call line%free()
    call plane%free()
  end subroutine test_ranks_1_and_2

  subroutine test_ranks_3_and_4()
    type(nearfar_grid) :: space, four
    integer(int32), pointer, contiguous :: a(:,:,:), b(:,:,:,:)
    integer(int64), pointer, contiguous :: c(:,:,:), d(:,:,:,:)
    real(real32), pointer, contiguous :: e(:,:,:), f(:,:,:,:)
    real(real64), pointer, contiguous :: g(:,:,:), h(:,:,:,:)

    call space%create(team, extents=[4, 5, 6 * world_size], process_grid=[1, 1, 0])
    call space%new_field(a, ghosts=1)
    call space%new_field(c, ghosts=1)
    call space%new_field(e, ghosts=1)
    call space%new_field(g, ghosts=1)
    call check(all(lbound(g) == [0, 0, 6 * world_rank]), 'lower bounds in three dimensions')
    call check(all([shape(a) == [6, 7, 8], shape(c) == shape(e)]), 'shapes in three dimensions')
    call four%create(team, extents=[2, 3, 4, 5 * world_size], process_grid=[1, 1, 1, 0])
    call four%new_field(b, ghosts=1)
    call four%new_field(d, ghosts=1)
    call four%new_field(f, ghosts=1)
    call four%new_field(h, ghosts=1)
    call check(all(shape(b) == [4, 5, 6, 7]) .and. all(shape(f) == shape(d)), &
      'shapes in four dimensions')
    h(lbound(h, 1), lbound(h, 2), lbound(h, 3), 5 * world_rank) = 1
    call check(nint(h(0, 0, 0, 5 * world_rank)) == 1 .and. nint(sum(h)) == 1, &
      'an element in four dimensions')
    call space%free_field(a)
    call space%free_field(c)
    call space%free_field(e)
    call space%free_field(g)
    call four%free_field(b)
    call four%free_field(d)
    call four%free_field(f)
    call four%free_field(h)
    call check(.not. (associated(e) .or. associated(h)), 'free_field nullifies in more dimensions')
    call space%free()
    call four%free()
  end subroutine test_ranks_3_and_4

  ! One number per dimension, and low and high per dimension, fastest first.
  subroutine test_widths()
    type(nearfar_grid) :: grid
    real(real32), pointer, contiguous :: u(:,:,:), v(:,:,:)

    call grid%create(team, extents=[4, 8, 8 * world_size], process_grid=[1, 1, 0])
    call grid%new_field(u, ghosts=[0, 1, 3])
    call check(all(lbound(u) == [1, 0, 8 * world_rank - 2]), 'a number per dimension: lower')
    call check(all(ubound(u) == [4, 9, 8 * world_rank + 11]), 'a number per dimension: upper')
    call grid%new_field(v, ghosts=reshape([0, 0, 1, 2, 3, 0], [2, 3]))
    call check(all(lbound(v) == [1, 0, 8 * world_rank - 2]), 'low and high: lower')
    call check(all(ubound(v) == [4, 10, 8 * world_rank + 8]), 'low and high: upper')
    call grid%free_field(v)
    ! The value of a function comes with other bounds than a variable's.
    call grid%new_field(v, ghosts=last_two(1, 2))
    call check(all(lbound(v) == [1, 0, 8 * world_rank]), 'widths from a function: lower')
    call check(all(ubound(v) == [4, 10, 8 * world_rank + 10]), 'widths from a function: upper')
    call grid%free()
  end subroutine test_widths

  pure function last_two(low, high) result(ghosts)
    integer, intent(in) :: low, high
    integer :: ghosts(2, 3)

    ghosts = reshape([0, 0, low, high, low, high], [2, 3])
  end function last_two

  subroutine test_core_and_edge()
    type(nearfar_grid) :: grid
    real(real64), pointer, contiguous :: u(:,:)
    integer :: first

    first = 10 * world_rank + 1
    call grid%create(team, extents=[6, 10 * world_size], process_grid=[1, 0])
    call grid%new_field(u, ghosts=[1, 2])
    call add_one(u, grid%core(u))
    call check(nint(sum(u)) == 24 .and. all(nint(u(2:5, first + 2:first + 7)) == 1), 'core')
    call add_one(u, grid%edge(u))
    call check(nint(sum(u)) == 60 .and. all(nint(u(1:6, first:first + 9)) == 1), &
      'core and edge are the own cells, once each')
    call check(size(grid%core(u)) == 1, 'one core')
    call grid%free()
  end subroutine test_core_and_edge

  subroutine add_one(u, boxes)
    real(real64), pointer, contiguous, intent(in) :: u(:,:)
    type(nearfar_box), intent(in) :: boxes(:)
    integer :: i

    do i = 1, size(boxes)
      associate (lower => boxes(i)%lower, upper => boxes(i)%upper)
        u(lower(1):upper(1), lower(2):upper(2)) = u(lower(1):upper(1), lower(2):upper(2)) + 1
      end associate
    end do
  end subroutine add_one

  subroutine test_idle()
    type(nearfar_grid) :: grid
    real(real32), pointer, contiguous :: u(:), v(:)

    call grid%create(team, extents=[1], allow_idle=.true.)
    call grid%new_field(u, ghosts=0)
    call grid%new_field(v, ghosts=0)
    call check(associated(u) .and. associated(v), 'fields of ranks without cells are associated')
    call check(size(u) == size(grid%core(u)) .or. size(u) <= 1, 'and empty')
    call grid%free_field(u, stat=stat)
    call check(stat == nearfar_ok, 'free_field of an empty field')
    call grid%free_field(v, stat=stat)
    call check(stat == nearfar_ok, 'free_field of another empty field')
    call grid%free()
  end subroutine test_idle

  subroutine test_errors()
    type(nearfar_grid) :: grid, nothing
    real(real32), pointer, contiguous :: u(:,:), wrong(:)
    integer :: widths(merge(3, 2, world_rank == 0))

    call nothing%new_field(u, stat=stat, errmsg=message)
    call check(stat == nearfar_usage_error .and. .not. associated(u), 'no grid')
    call grid%create(team, extents=[8, 8 * world_size])
    call grid%new_field(u, ghosts=-7, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, '-7', 'negative ghosts')
    widths = 1
    call grid%new_field(u, ghosts=widths, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'shape (3)', 'widths of three dimensions')
    call grid%new_field(u, ghosts=reshape([1, 2, 3, 4, 5, 6], [2, 3]), stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'shape (2,3)', 'pairs of three dimensions')
    call grid%new_field(wrong, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'rank 1, the grid 2', &
      'rank of the pointer')
    allocate (u(2, 2))
    call grid%free_field(u, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'no field of this team', 'foreign memory')
    deallocate (u)
    call grid%free()
  end subroutine test_errors

end program fields_test
