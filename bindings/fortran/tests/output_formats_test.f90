! SPDX-License-Identifier: BSD-3-Clause
! Output from Fortran in the formats that other programs read: axes, attributes, names, compression,
! parts and extents that vary, read back by the readers that are not ours which the C++ side is
! tested with too.
program output_formats_test
  use, intrinsic :: iso_fortran_env, only: int8, int64, real32, real64
  use nearfar, only: nearfar_output, nearfar_team, nearfar_usage_error
  use nearfar_testing, only: check, check_error, everyone, file_has, remove_scratch, &
    scratch_path, testing_begin, testing_end, testing_next_shape, world_rank, world_size
  implicit none (type, external)
  integer, parameter :: nx = 29, ny = 17, nz = 13, not_installed = 77, most_cells = 3000
  type(nearfar_team) :: team
  character(:), allocatable :: path
  character(1000) :: message
  logical :: is_built
  integer :: stat

  call testing_begin()
  do while (testing_next_shape())
    call team%create(everyone)
    path = scratch_path('nearfar_output_formats')
    call write_numbers(is_built, 3, format='netcdf', expected_steps=3)
    if (is_built) call read_back('read_back.py', 'netCDF4 ' // path // '.nc', &
      '3 p:f4:13x17x29 q:f8:13x17x29')
    call write_numbers(is_built, 3, format='zarr', compression='zstd:3', &
      compression_of_p='zfp:1e-4')
    ! Of numbers up to 17 million a ten thousandth.
    if (is_built) then
      call check(file_has(path // '.zarr/p/zarr.json', 'zfpy'), 'compression of an array')
      call check(file_has(path // '.zarr/q/zarr.json', '"zstd"'), 'compression of the stream')
      call read_back('read_back.py', 'json,zarr ' // path // '.zarr', '3 p:f4:13x17x29:1700 ' // &
        'q:f8:13x17x29')
    end if
    call write_numbers(is_built, 3, format='zarr', compression='zstd')
    ! Steps are 0.25 apart; those from 0.5 on are written once more.
    call write_numbers(is_built, 4, format='zarr', compression='zstd', append_before=0.5_real64)
    if (is_built) call read_back('read_back.py', 'json,zarr ' // path // '.zarr', '4 ' // &
      'p:f4:13x17x29 q:f8:13x17x29')
    call test_varying_grid()
    call remove_scratch(path)
    call team%free()
  end do
  call testing_end()

contains

  !> By one rank, after all have written.
  subroutine read_back(reader, files, what)
    character(*), intent(in) :: reader, files, what
    character(200) :: python, folder
    integer :: code

    call get_environment_variable('NEARFAR_READER_PYTHON', python)
    call get_command_argument(2, folder)
    if (python == '') call get_command_argument(1, python)
    code = 0
    call check(.true., 'all have written')
    if (world_rank == 0) call execute_command_line(trim(python) // ' ' // trim(folder) // '/' // &
      reader // ' ' // files // ' ' // what, exitstat=code)
    if (code == not_installed) print '(a)', 'not read back: not all that reads ' // files // &
      ' is installed'
    call check(code == 0 .or. code == not_installed, reader // ' ' // files // ' ' // what)
  end subroutine read_back

  ! ---- p and q, whose elements are numbered as read_back.py knows ----

  pure integer(int64) function number(step, which, x, y, z)
    integer, intent(in) :: step, which, x, y, z
    number = (8 * step + which) * 1000000_int64 + x - 1 + nx * (y - 1 + ny * (z - 1))
  end function number

  !> Slabs of equal thickness, the last excepted, as compressed parts must be.
  !> is_built: the format and the compression are.
  subroutine write_numbers(is_built, steps, format, expected_steps, compression, compression_of_p, &
    append_before)
    logical, intent(out) :: is_built
    integer, intent(in) :: steps
    character(*), intent(in) :: format
    integer, intent(in), optional :: expected_steps
    character(*), intent(in), optional :: compression, compression_of_p
    real(real64), intent(in), optional :: append_before
    type(nearfar_output) :: out
    integer :: planes, k1, k2, i, step

    planes = (nz + world_size - 1) / world_size
    k1 = min(nz, planes * world_rank) + 1
    k2 = min(nz, planes * (world_rank + 1))
    call out%add('p', 0.0_real32, [nx, ny, nz], [1, 1, k1], [nx, ny, k2], &
      attributes=[character(30) :: 'units=Pa', 'standard_name=air_pressure', 'level=2.5'], &
      dimensions=['x', 'y', 'z'], compression=compression_of_p)
    call out%add('q', 0.0_real64, [nx, ny, nz], [1, 1, k1], [nx, ny, k2])
    call out%add_axis('time', [real(real64) ::], ['units=seconds since 2000-01-01'])
    call out%add_axis('z', [(0.5_real64 * i, i=0, nz - 1)], [character(10) :: 'units=m', 'axis=Z'])
    call out%create(team, path, format=format, expected_steps=expected_steps, &
      attributes=[character(20) :: 'Conventions=CF-1.8', 'title=numbers'], &
      compression=compression, opening=merge('append', 'create', present(append_before)), &
      append_before=append_before, stat=stat, errmsg=message)
    is_built = stat == 0
    call check(is_built .or. is_missing(message), 'create: ' // trim(message))
    if (.not. is_built) return
    if (present(append_before)) call check(out%steps() == 2, 'steps before are kept')
    do step = int(out%steps()), steps - 1
      call put_numbers(out, step, k1, k2)
    end do
    call out%close()
    call out%free()
  end subroutine write_numbers

  pure logical function is_missing(message)
    character(*), intent(in) :: message
    is_missing = index(message, 'not in this build') > 0 .or. index(message, 'no format') > 0
  end function is_missing

  subroutine put_numbers(out, step, k1, k2)
    type(nearfar_output), intent(in) :: out
    integer, intent(in) :: step, k1, k2
    real(real32) :: p(nx, ny, k1:k2)
    real(real64) :: q(nx, ny, k1:k2)
    integer :: i, j, k

    do k = k1, k2
      do j = 1, ny
        do i = 1, nx
          p(i, j, k) = real(number(step, 0, i, j, k), real32)
          q(i, j, k) = real(number(step, 1, i, j, k), real64)
        end do
      end do
    end do
    call out%begin_step(0.25_real64 * step)
    call out%put('p', p)
    call out%put('q', q)
    call out%end_step()
  end subroutine put_numbers

  ! ---- a grid that changes, as read_varying.py knows it ----

  !> Lines from point to point, two points each.
  pure integer function cells_of(step, rank)
    integer, intent(in) :: step, rank
    cells_of = merge(0, 100 * (step + 2) + rank, mod(step + rank, 3) == 0)
  end function cells_of

  subroutine describe_grid(out)
    type(nearfar_output), intent(inout) :: out
    integer :: numbers

    call out%add_varying('points', 0.0_real64, 2 * most_cells, row=[3], part='points')
    call out%add_varying('connectivity', 0_int64, 2 * most_cells, part='connectivity')
    call out%add_varying('offsets', 0_int64, most_cells + 1_int64, part='offsets')
    call out%add_varying('types', 0_int8, most_cells, part='types')
    call out%add_varying('p', 0.0_real32, 2 * most_cells, part='point_data')
    call out%add_varying('c', 0_int64, most_cells, part='cell_data')
    numbers = merge(2, 0, world_rank == 0)
    call out%add('number', 0_int64, [2], [1], [numbers], part='field_data')
  end subroutine describe_grid

  !> Values are numbers of points and cells in the file, and thousands of the step.
  subroutine put_grid(out, step)
    type(nearfar_output), intent(inout) :: out
    integer, intent(in) :: step
    integer(int64), pointer :: offsets(:), c(:)
    real(real64), allocatable :: points(:,:)
    integer :: cells, before, i, r

    cells = cells_of(step, world_rank)
    before = sum([(cells_of(step, r), r=0, world_rank - 1)])
    call out%begin_step(0.5_real64 * step, [2 * cells, 2 * cells, merge(cells + 1, 0, cells > 0), &
      cells, 2 * cells, cells])
    points = reshape([(real([2 * before + i, step, 0], real64), i=0, 2 * cells - 1)], &
      [3, 2 * cells])
    call out%put('points', points)
    call out%put('connectivity', [(int(i, int64), i=0, 2 * cells - 1)])
    call out%put('types', [(3_int8, i=1, cells)])  ! VTK_LINE
    call out%put('p', [(real(2 * before + i + 100000 * step, real32), i=0, 2 * cells - 1)])
    call out%put('number', [int(step, int64), 7_int64])
    call out%slot('offsets', offsets)
    call out%slot('c', c)
    call check(size(c) == cells .and. size(offsets) == merge(cells + 1, 0, cells > 0), 'slots')
    offsets(:) = [(2_int64 * i, i=0, size(offsets) - 1)]
    c(:) = [(int(before + i - 1 + 100000 * step, int64), i=1, cells)]
    call out%end_step()
  end subroutine put_grid

  subroutine test_varying_grid()
    type(nearfar_output) :: out
    character(20) :: ranks
    integer :: step

    call describe_grid(out)
    call out%create(team, path, format='vtkhdf', stat=stat, errmsg=message)
    call check(stat == 0 .or. is_missing(message), 'create a grid: ' // trim(message))
    if (stat /= 0) return
    call out%begin_step(0.0_real64, [1, 2], stat, message)
    call check_error(stat, nearfar_usage_error, message, &
      'rows of 2 arrays; those that vary are 6', 'rows')
    do step = 0, 2
      call put_grid(out, step)
    end do
    call out%begin_step(0.0_real64, [2, 2, 2, 1, 2, 1])
    call out%put('types', [1_int8, 1_int8], stat, message)
    call check_error(stat, nearfar_usage_error, message, 'shape (2); this', 'more than the rows')
    call out%free()
    write (ranks, '(i0)') world_size
    call read_back('read_varying.py', 'vtkhdf ' // path, '3 ' // ranks)
  end subroutine test_varying_grid
end program output_formats_test
