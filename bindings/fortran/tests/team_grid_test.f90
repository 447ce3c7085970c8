! SPDX-License-Identifier: BSD-3-Clause
! Teams and grids from Fortran: numbers, bounds, index order, and what is wrong with arguments.
program team_grid_test
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi_f08, only: MPI_COMM_NULL
  use nearfar, only: nearfar_grid, nearfar_ok, nearfar_team, nearfar_usage_error
  use nearfar_testing, only: check, check_error, everyone, testing_begin, testing_end, &
    testing_next_shape, world_rank, world_size
  implicit none (type, external)
  type(nearfar_team) :: team
  integer :: stat
  character(1000) :: message

  call testing_begin()
  do while (testing_next_shape())
    call team%create(everyone, stat=stat, errmsg=message)
    call check(stat == nearfar_ok, 'team%create')
    call test_team()
    call test_cut_along_last()
    call test_uneven()
    call test_tiles()
    call test_idle()
    call test_bad_team()
    call test_bad_grid()
    call team%free(stat=stat)
    call check(stat == nearfar_ok, 'team%free')
    call team%free(stat=stat)
    call check(stat == nearfar_ok, 'team%free twice')
  end do
  call testing_end()

contains

  subroutine test_team()
    type(nearfar_team) :: other

    call check(team%rank() == world_rank .and. team%size() == world_size, 'rank and size')
    call check(team%nodes() >= 1 .and. team%node() < team%nodes(), 'nodes')
    call check(team%near_rank() < team%near_size() .and. team%near_size() <= world_size, &
      'near ranks')
    call check(len(team%describe()) > 0, 'team%describe')
    call other%create(everyone%MPI_VAL, node_size=1)
    call check(other%nodes() == world_size .and. other%near_size() == 1, &
      'node_size=1 makes all far')
    call other%free()
    call check(other%rank() == -1, 'a freed team has no rank')
    call check(other%describe() == '', 'nor a description')
  end subroutine test_team

  ! Fortran's last dimension is the slowest: process_grid and bounds must not be swapped.
  subroutine test_cut_along_last()
    type(nearfar_grid) :: grid
    integer(int64) :: lower(3), upper(3)

    call grid%create(team, extents=[5, 7, 4 * world_size], periodic=[.false., .true., .false.], &
      process_grid=[1, 1, 0])
    lower = grid%lower()
    upper = grid%upper()
    call check(grid%dimensions() == 3, 'dimensions')
    call check(all(grid%extents() == [5, 7, 4 * world_size]), 'extents')
    call check(all(lower == [1, 1, 4 * world_rank + 1]), 'lower')
    call check(all(upper == [5, 7, 4 * world_rank + 4]), 'upper')
    call check(len(grid%describe()) > 0, 'grid%describe')
    call grid%free()
    call check(size(grid%lower()) == 0, 'a freed grid has no bounds')
    call check(grid%describe() == '', 'nor a description')
  end subroutine test_cut_along_last

  subroutine test_uneven()
    type(nearfar_grid) :: grid
    integer :: sizes(world_size, 2), r
    integer(int64) :: lower(2), upper(2)

    sizes = 0
    sizes(1, 1) = 3
    sizes(:, 2) = [(r, r=1, world_size)]
    call grid%create(team, extents=[3, sum(sizes(:, 2))], process_grid=[1, world_size], &
      tile_extents=sizes)
    lower = grid%lower()
    upper = grid%upper()
    call check(upper(2) - lower(2) + 1 == world_rank + 1, 'tile_extents')
    call check(lower(2) == 1 + world_rank * (world_rank + 1) / 2, 'tile_extents: lower')
    call grid%free()
    call grid%create(team, extents=[int(8, int64), int(8, int64) * world_size], &
      placement='node_tiles')
    call check(all(grid%upper() >= grid%lower()), 'node_tiles')
    call grid%free()
  end subroutine test_uneven

  subroutine test_tiles()
    type(nearfar_grid) :: grid
    integer(int64) :: first, n

    n = world_size
    first = 2 * (n - 1 - world_rank) + 1  ! ranks in reverse order
    call grid%create_from_tiles(team, [int(4, int64), 2 * n], [1_int64, first], &
      [4_int64, first + 1], periodic=[.false., .true.])
    call check(all(grid%lower() == [1_int64, first]), 'create_from_tiles')
    call grid%free()
    call grid%create_from_tiles(team, [int(4, int64), 2 * n], [1_int64, 1_int64], &
      [4_int64, 2_int64], stat=stat, errmsg=message)
    if (world_size > 1) call check(stat == nearfar_usage_error, 'tiles that overlap')
    call grid%free()
    call grid%create_from_tiles(team, [4_int64], [1_int64, 1_int64], [4_int64], stat=stat, &
      errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'lower has 2', 'sizes of the bounds')
  end subroutine test_tiles

  subroutine test_idle()
    type(nearfar_grid) :: grid
    integer(int64) :: cells

    call grid%create(team, extents=[1], allow_idle=.true.)
    cells = sum(grid%upper() - grid%lower() + 1)
    call check(cells == merge(1, 0, world_rank == 0) .or. world_size > 1, 'one cell')
    call check(cells == 0 .or. cells == 1, 'none or one cell')
    call grid%free()
    call grid%create(team, extents=[1], stat=stat, errmsg=message)
    call check(stat == merge(nearfar_ok, nearfar_usage_error, world_size == 1), &
      'more ranks than cells')
    call grid%free()
  end subroutine test_idle

  subroutine test_bad_team()
    type(nearfar_team) :: other
    type(nearfar_grid) :: grid

    call grid%create(other, extents=[4], stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'team is NULL', 'grid without a team')
    call other%create(everyone, node_size=-2, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, '-2', 'negative node size')
    call other%create(MPI_COMM_NULL, stat=stat, errmsg=message)
    call check(stat == nearfar_usage_error, 'null communicator')
  end subroutine test_bad_team

  ! An argument that is wrong on one rank alone is an error on all, with the rank in its message.
  subroutine test_bad_grid()
    type(nearfar_grid) :: grid
    logical :: flags(merge(3, 2, world_rank == world_size - 1))

    flags = .false.
    call grid%create(team, extents=[8, 8], periodic=flags, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'periodic has 3 elements', 'periodic')
    call grid%create(team, extents=[8, 8], process_grid=[1], stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'process_grid has 1', 'process_grid')
    call grid%create(team, extents=[8, -5], stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, &
      'dimension 2 of the grid has -5', 'negative extent')
    call grid%create(team, extents=[2, 2, 2, 2, 2], stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, '5', 'five dimensions')
    call grid%create(team, extents=[8], placement='nodes', stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'node_tiles', 'placement')
    call grid%create(team, extents=[64 + world_rank, 8], stat=stat, errmsg=message)
    if (world_size > 1) call check(stat == nearfar_usage_error, 'extents that differ')
    call grid%free()
  end subroutine test_bad_grid

end program team_grid_test
