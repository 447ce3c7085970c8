! SPDX-License-Identifier: BSD-3-Clause
! Halo plans of arrays that the caller owns: allocatable, sections, derived types, grids of fewer
! dimensions.
program own_arrays_test
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use nearfar, only: nearfar_grid, nearfar_halo_plan, nearfar_ok, nearfar_team, nearfar_usage_error
  use nearfar_testing, only: check, check_error, everyone, testing_begin, testing_end, &
    testing_next_shape, world_rank, world_size
  implicit none (type, external)
  integer, parameter :: nz = 3, nx = 5
  type :: cell_values
    real(real64) :: pressure
    integer :: kind
  end type cell_values
  type(nearfar_team) :: team
  type(nearfar_grid) :: space, plane
  integer :: ny, first, last, stat
  character(1000) :: message

  call testing_begin()
  do while (testing_next_shape())
    ny = 4 * world_size
    first = 4 * world_rank + 1
    last = first + 3
    call team%create(everyone)
    call space%create(team, extents=[nz, nx, ny], periodic=[.false., .true., .true.], &
      process_grid=[1, 1, 0])
    call plane%create(team, extents=[nx, ny], periodic=[.true., .true.], process_grid=[1, 0])
    call test_allocatable()
    call test_section()
    call test_derived_type()
    call test_two_grids()
    call test_errors()
    call team%free()
  end do
  call testing_end()

contains

  pure integer function cell(k, i, j)
    integer, intent(in) :: k, i, j
    cell = 10000 * k + 100 * (modulo(i - 1, nx) + 1) + modulo(j - 1, ny) + 1
  end function cell

  ! Cells of (nz, 0:nx+1, first-1:last+1) that do not hold their number.
  integer function wrong_cells(u) result(wrong)
    real(real32), intent(in) :: u(:, 0:, first - 1:)
    integer :: i, j, k

    wrong = 0
    do j = first - 1, last + 1
      do i = 0, nx + 1
        do k = 1, nz
          if (nint(u(k, i, j)) /= cell(k, i, j)) wrong = wrong + 1
        end do
      end do
    end do
  end function wrong_cells

  subroutine number_own_cells(u)
    real(real32), intent(inout) :: u(:, 0:, first - 1:)
    integer :: i, j, k

    u = -1
    do j = first, last
      do i = 1, nx
        do k = 1, nz
          u(k, i, j) = cell(k, i, j)
        end do
      end do
    end do
  end subroutine number_own_cells

  subroutine test_allocatable()
    type(nearfar_halo_plan) :: halo
    real(real32), allocatable, target :: u(:,:,:)

    allocate (u(nz, 0:nx + 1, first - 1:last + 1))
    call number_own_cells(u)
    call halo%begin(space, name='own')
    call halo%add(u, ghosts=[0, 1, 1])
    call halo%commit(stat=stat, errmsg=message)
    call check(stat == nearfar_ok, 'own array: ' // trim(message))
    call halo%run()
    call check(wrong_cells(u) == 0, 'ghosts of an own array')
    call halo%free()

    call number_own_cells(u)
    call halo%begin(space)
    call halo%add(u, ghosts=[0, 1, 1], fill=reshape([0, 0, 1, 0, 0, 0], [2, 3]))
    call halo%commit()
    call halo%run()
    call check(all(nint(u(:, 0, first:last)) == nint(u(:, nx, first:last))), &
      'fill: the low side of x')
    call check(all(nint(u(:, nx + 1, :)) == -1) .and. all(nint(u(:, :, first - 1)) == -1), &
      'fill: nothing else')
    call halo%free()
  end subroutine test_allocatable

  ! Every other plane of a larger array: the elements between must stay as they are.
  subroutine test_section()
    type(nearfar_halo_plan) :: halo
    real(real32), target :: large(2 * nz, nx + 2, 6)

    large = -5
    call number_own_cells(large(1::2, :, :))
    call halo%begin(space)
    call halo%add(large(1::2, :, :), ghosts=[0, 1, 1])
    call halo%commit()
    call halo%run()
    call check(wrong_cells(large(1::2, :, :)) == 0, 'ghosts of a section')
    call check(all(nint(large(2::2, :, :)) == -5), 'the elements between')
    call halo%start(large(:nz, :, :), stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'strides', 'a section of other strides')
    call halo%free()
  end subroutine test_section

  subroutine test_derived_type()
    type(nearfar_halo_plan) :: halo
    type(cell_values), allocatable, target :: cells(:,:)

    allocate (cells(0:nx + 1, first - 1:last + 1))
    cells = cell_values(-1, -1)
    cells(1:nx, first:last) = cell_values(2.5_real64, 7)
    call halo%begin(plane)
    call halo%add(cells, ghosts=1)
    call halo%commit()
    call halo%run()
    call check(all(abs(cells%pressure - 2.5_real64) < 1e-12) .and. all(cells%kind == 7), &
      'whole elements')
    call halo%free()
  end subroutine test_derived_type

  ! A field of (k,i,j), an own array of (i,j) and a field of another grid in one plan.
  subroutine test_two_grids()
    type(nearfar_halo_plan) :: halo
    real(real32), pointer, contiguous :: u(:,:,:)
    real(real64), pointer, contiguous :: ground(:,:)
    real(real64), allocatable, target :: terrain(:,:)

    call space%new_field(u, ghosts=[0, 1, 1])
    call plane%new_field(ground, ghosts=1)
    allocate (terrain(0:nx + 1, first - 1:last + 1))
    call number_own_cells(u)
    ground = 0
    ground(1:nx, first:last) = 3
    terrain = 0
    terrain(1:nx, first:last) = 4
    call halo%begin(space, name='both')
    call halo%add(u)
    call halo%add(terrain, ghosts=1, grid=plane)
    call halo%add(ground)
    call halo%commit(stat=stat, errmsg=message)
    call check(stat == nearfar_ok, 'two grids: ' // trim(message))
    call halo%run()
    call check(wrong_cells(u) == 0, 'two grids: the field')
    call check(all(nint(terrain) == 4) .and. all(nint(ground) == 3), 'two grids: fewer dimensions')
    call halo%free()
    call plane%free_field(ground)
    call space%free_field(u)
  end subroutine test_two_grids

  subroutine test_errors()
    type(nearfar_halo_plan) :: halo
    real(real32), allocatable, target :: u(:,:,:), none(:,:,:)
    real(real32), pointer, contiguous :: f(:,:,:)

    allocate (u(nz, 0:nx + merge(2, 1, world_rank == world_size - 1), first - 1:last + 1))
    call halo%begin(space, name='misfit')
    call halo%add(u, ghosts=[0, 1, 1])
    call halo%commit(stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, '8', &
      'an array that does not fit on one rank')
    call halo%free()
    call halo%begin(plane)
    call halo%add(u, ghosts=1)
    call halo%commit(stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'rank 3, the grid 2', 'rank')
    call halo%free()
    call space%new_field(f, ghosts=[0, 1, 1])
    call halo%begin(space)
    call halo%add(f, ghosts=[0, 1, 1], fill=0)
    call halo%commit(stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'not both', 'ghosts and fill for a field')
    call halo%free()
    allocate (none(0, 0, 0))
    call halo%begin(space)
    call halo%add(none, ghosts=0)
    call halo%commit(stat=stat, errmsg=message)
    call check(stat == nearfar_usage_error, 'an empty array')
    call halo%free()
    call space%free_field(f)
  end subroutine test_errors

end program own_arrays_test
