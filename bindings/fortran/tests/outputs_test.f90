! SPDX-License-Identifier: BSD-3-Clause
! Output from Fortran: every element of every step must be in the file where its global index says,
! whichever kind, rank and way of giving it.
program outputs_test
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use mpi_f08, only: MPI_Barrier
  use nearfar, only: nearfar_io_error, nearfar_output, nearfar_output_writers, &
    nearfar_output_reader, nearfar_output_report, nearfar_output_soundness_sound, &
    nearfar_output_steps_at, nearfar_output_soundness_unknown, nearfar_output_verify, &
    nearfar_team, nearfar_usage_error
  use nearfar_testing, only: check, check_error, everyone, file_has, remove_scratch, &
    scratch_path, testing_begin, testing_end, testing_next_shape, world_rank, world_size
  implicit none (type, external)
  integer, parameter :: nx = 7, ny = 6, nz = 5, nt = 2
  type(nearfar_team) :: team
  character(:), allocatable :: path
  character(1000) :: message
  integer :: stat

  call testing_begin()
  do while (testing_next_shape())
    call team%create(everyone)
    path = scratch_path('nearfar_outputs')
    call test_kinds_and_ranks(team)
    call check_files(3, without_sums=3)
    call test_append()
    call check_files(5, without_sums=3)
    call test_reading(1)
    call test_reading(-1)
    call test_reading(0)
    call test_reading_errors()
    call test_writers()
    call check_files(3, without_sums=0)
    call test_metadata()
    call test_errors()
    call remove_scratch(path)
    call team%free()
  end do
  call testing_end()

contains

  !> What all ranks together put in a step: a number of its own for each element.
  pure function numbers(step) result(all)
    integer, intent(in) :: step
    integer :: all(nx, ny, nz, nt), i
    all = reshape([(10000 * step + i, i=1, size(all))], shape(all))
  end function numbers

  !> This rank's planes; with more ranks than planes some have none.
  subroutine own_planes(members, k1, k2)
    type(nearfar_team), intent(in) :: members
    integer, intent(out) :: k1, k2
    k1 = nz * members%rank() / members%size() + 1
    k2 = nz * (members%rank() + 1) / members%size()
  end subroutine own_planes

  subroutine describe_arrays(out, members)
    type(nearfar_output), intent(inout) :: out
    type(nearfar_team), intent(in) :: members
    integer :: k1, k2
    call own_planes(members, k1, k2)
    call out%add('a', 0, [nz], [k1], [k2])
    call out%add('b', 0.0_real32, [nx, nz], [1, k1], [nx, k2])
    call out%add('c', 0.0_real64, [nx, ny, nz], [1, 1, k1], [nx, ny, k2], &
      ghosts=reshape([1, 2, 0, 0, 2, 1], [2, 3]), attributes=['d1=12.5 ', 'unit1=m '])
    call out%add('d', (0.0_real64, 0.0_real64), [nx, ny, nz, nt], [1, 1, k1, 1], [nx, ny, k2, nt])
    call out%add('e', 0.0_real32, int([nx, ny, nz], int64), int([1, 1, k1], int64), &
      int([nx, ny, k2], int64))
  end subroutine describe_arrays

  !> a: put; b: a section of a larger array; c: with ghost cells, bounds global; d and e: slots.
  subroutine put_step(out, step, k1, k2)
    type(nearfar_output), intent(in) :: out
    integer, intent(in) :: step, k1, k2
    integer :: a(k1:k2), n(nx, ny, nz, nt)
    real(real32) :: b(2 * nx, nz)
    real(real64) :: c(0:nx + 2, ny, k1 - 2:k2 + 1)
    complex(real64), pointer :: d(:,:,:,:)
    real(real32), pointer :: e(:,:,:)

    n = numbers(step)
    b = -1
    c = -1
    call out%slot('d', d)
    call out%slot('e', e)
    a = n(1, 1, k1:k2, 1)
    b(2::2, k1:k2) = real(n(:, 1, k1:k2, 1), real32)
    c(1:nx, :, k1:k2) = n(:, :, k1:k2, 1)
    d(:, :, k1:k2, :) = cmplx(n(:, :, k1:k2, :), -step, real64)
    e(:, :, k1:k2) = real(n(:, :, k1:k2, 1), real32)
    call out%put('a', a)
    call out%put('b', b(2::2, k1:k2))
    call out%put('c', c)
  end subroutine put_step

  subroutine write_steps(out, members, first, last)
    type(nearfar_output), intent(in) :: out
    type(nearfar_team), intent(in) :: members
    integer, intent(in) :: first, last
    integer :: step, k1, k2

    call own_planes(members, k1, k2)
    do step = first, last
      call out%begin_step(0.5_real64 * step)
      call put_step(out, step, k1, k2)
      call out%end_step()
    end do
  end subroutine write_steps

  subroutine test_kinds_and_ranks(members)
    type(nearfar_team), intent(in) :: members
    type(nearfar_output) :: out
    call describe_arrays(out, members)
    call out%create(members, path, policy='thread', depth=3, most_bytes=1000000_int64, &
      durability='none', expected_steps=9, direct=.false., checksum=.false., linger_s=0.0_real64)
    call write_steps(out, members, 1, 3)
    call out%flush()
    call check(out%steps() == 3, 'all steps are accepted')
    call check(out%written_steps() == 3, 'all steps are written')
    call check(index(out%describe(), path) > 0, 'describe')
    call out%close()
    call out%free()
    call check(out%steps() == -1, 'freed')
  end subroutine test_kinds_and_ranks

  subroutine test_append()
    type(nearfar_output) :: out
    call describe_arrays(out, team)
    call out%create(team, path, policy='synchronous', opening='append', verify=.true., &
      is_pinned=.true.)
    call check(out%steps() == 3, 'append finds what is there')
    call write_steps(out, team, 4, 5)
    call out%close()
    call out%free()
  end subroutine test_append

  subroutine test_writers()
    type(nearfar_output_writers) :: writers
    type(nearfar_output) :: out
    type(nearfar_team) :: computing

    call writers%create(team, placement='below', stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'one of near, far', 'placement')
    call writers%create(team)
    call check(writers%count() >= 0 .and. writers%count() < world_size, 'writers')
    if (writers%is_writer()) then
      call writers%serve()
    else
      computing = writers%computing()
      call describe_arrays(out, computing)
      call out%create(computing, path, policy='writer', writers=writers)
      call write_steps(out, computing, 1, 3)
      call out%close()
      call out%free()
    end if
    call writers%free()
    call MPI_Barrier(everyone)
  end subroutine test_writers

  !> Reads the files as a Fortran program does: streams without records.
  subroutine check_files(steps, without_sums)
    integer, intent(in) :: steps, without_sums
    integer :: a(nz, steps), n(nx, ny, nz, nt), units(5), i, s, wrong
    real(real32) :: b(nx, nz, steps), e(nx, ny, nz, steps)
    real(real64) :: c(nx, ny, nz, steps)
    complex(real64) :: d(nx, ny, nz, nt, steps)
    real(real64), allocatable :: times(:)
    type(nearfar_output_report), allocatable :: reports(:)

    call MPI_Barrier(everyone)
    wrong = 0
    if (world_rank == 0) then
      call nearfar_output_steps_at(path, times)
      call nearfar_output_verify(path, reports)
      if (size(reports) /= steps) wrong = 1
      if (any(reports(:without_sums)%state /= nearfar_output_soundness_unknown)) wrong = wrong + 1
      if (any(reports(without_sums + 1:)%state /= nearfar_output_soundness_sound)) wrong = wrong + 1
      if (any(abs(reports%time - times) > 0)) wrong = wrong + 1
      if (size(times) /= steps) wrong = 1
      if (any(abs(times - [(0.5_real64 * s, s=1, size(times))]) > 0)) wrong = wrong + 1
      do i = 1, 5
        open (newunit=units(i), file=path // '.' // 'abcde'(i:i) // '.raw', access='stream', &
          status='old')
      end do
      read (units(1)) a
      read (units(2)) b
      read (units(3)) c
      read (units(4)) d
      read (units(5)) e
      do i = 1, 5
        close (units(i))
      end do
      do s = 1, steps
        n = numbers(s)
        wrong = wrong + count(a(:, s) /= n(1, 1, :, 1)) + count(nint(b(:, :, s)) /= n(:, 1, :, 1))
        wrong = wrong + count(nint(c(:, :, :, s)) /= n(:, :, :, 1))
        wrong = wrong + count(nint(real(d(:, :, :, :, s))) /= n)
        wrong = wrong + count(nint(aimag(d(:, :, :, :, s))) /= -s)
        wrong = wrong + count(nint(e(:, :, :, s)) /= n(:, :, :, 1))
      end do
    end if
    call check(wrong == 0, 'the files')
    call MPI_Barrier(everyone)
  end subroutine check_files

  !> Columns in y, which the writers did not have, with those of a neighbour on the last rank.
  subroutine own_columns(j1, j2)
    integer, intent(out) :: j1, j2
    j1 = ny * team%rank() / team%size() + 1
    j2 = ny * (team%rank() + 1) / team%size()
    if (team%rank() > 0 .and. team%rank() == team%size() - 1) j1 = j1 - 1
  end subroutine own_columns

  subroutine add_columns(in)
    type(nearfar_output_reader), intent(inout) :: in
    integer :: j1, j2
    call own_columns(j1, j2)
    call in%add('d', (0.0_real64, 0.0_real64), [2, j1, 1, 1], [nx, j2, nz, nt])
    call in%add('c', 0.0_real64, int([2, j1, 1], int64), int([nx, j2, nz], int64), &
      ghosts=reshape([1, 2, 0, 1, 2, 1], [2, 3]))
    call in%add('b', 0.0_real32, [1, 1], [nx, nz])
    call in%add('a', 0, [1], [0])
  end subroutine add_columns

  !> a: of nothing; b: into a section of a larger array; c: with ghost cells; d: all its elements.
  integer function faults_in_step(in, step) result(wrong)
    type(nearfar_output_reader), intent(in) :: in
    integer, intent(in) :: step
    integer :: n(nx, ny, nz, nt), a(0), j1, j2
    real(real32) :: b(2 * nx, nz)
    real(real64), allocatable :: c(:,:,:)
    complex(real64), allocatable :: d(:,:,:,:)

    call own_columns(j1, j2)
    n = numbers(step + 1)
    allocate (c(1:nx + 2, j1:j2 + 1, -1:nz + 1), d(2:nx, j1:j2, nz, nt))
    b = -1
    c = -1
    call in%get('a', a)
    call in%get('b', b(2::2, :))
    call in%get('c', c)
    call in%get('d', d)
    wrong = count(nint(b(2::2, :)) /= n(:, 1, :, 1)) + count(nint(b(1::2, :)) /= -1)
    wrong = wrong + count(nint(c(2:nx, j1:j2, 1:nz)) /= n(2:, j1:j2, :, 1))
    wrong = wrong + count(nint(c) == -1) - size(c) + (nx - 1) * (j2 - j1 + 1) * nz
    wrong = wrong + count(nint(real(d)) /= n(2:, j1:j2, :, :))
    wrong = wrong + count(nint(aimag(d)) /= -step - 1)
    call in%get('c', c(2:nx, j1:j2, 1:nz))
    wrong = wrong + count(nint(c(2:nx, j1:j2, 1:nz)) /= n(2:, j1:j2, :, 1))
  end function faults_in_step

  subroutine test_reading(stride)
    integer, intent(in) :: stride
    type(nearfar_output_reader) :: in
    real(real64), allocatable :: times(:)
    real(real64) :: time
    integer :: step, i, wrong

    call in%create(team, path, stride=stride, depth=3, most_bytes=1000000_int64, &
      checksum=stride /= 0)
    call in%times(times)
    call check(in%steps() == 5 .and. size(times) == 5 .and. in%arrays() == 5, 'what there is')
    call check(in%name(3) == 'c' .and. in%name(6) == '', 'names of arrays')
    call check(in%element_type('c') == 'float64' .and. in%element_type('z') == '', 'types')
    call check(all(in%extents('d') == [nx, ny, nz, nt]) .and. size(in%extents('z')) == 0, 'extents')
    call check(in%attribute('c', 'unit1') == 'm' .and. in%attribute('c', 'unit2') == '', 'units')
    call add_columns(in)
    call in%select()
    wrong = 0
    do i = 0, 4
      step = merge(i, 4 - i, stride >= 0)
      call in%begin_step(step, time)
      if (abs(time - times(step + 1)) > 0) wrong = wrong + 1
      wrong = wrong + faults_in_step(in, step)
      call in%end_step()
    end do
    call check(wrong == 0, 'what is read back')
    call check(index(in%describe(), path) > 0, 'describe a reader')
    call in%free()
    call check(in%steps() == -1 .and. in%arrays() == -1, 'a reader that is freed')
  end subroutine test_reading

  subroutine test_reading_errors()
    type(nearfar_output_reader) :: in
    real(real64) :: c(1)
    real(real64), allocatable :: times(:)

    call in%create(team, '/nowhere/at/all', stat=stat, errmsg=message)
    call check_error(stat, nearfar_io_error, message, '/nowhere/at/all', 'reading')
    call in%begin_step(0, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'reader is NULL', 'reading')
    call in%times(times, stat, message)
    call check_error(stat, nearfar_usage_error, message, 'reader is NULL', 'reading')
    call in%select(stat, message)
    call check_error(stat, nearfar_usage_error, message, 'reader is NULL', 'reading')
    call in%create(team, path, depth=2000, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, '1 to 1024', 'reading')
    call in%create(team, path)
    call in%add('z', 0, [1], [1])
    call in%select(stat, message)
    call check_error(stat, nearfar_usage_error, message, 'it has a, b, c, d, e', 'reading')
    call in%add('c', 0, [1, 1, 1], [nx, ny, nz])
    call in%select(stat, message)
    call check_error(stat, nearfar_usage_error, message, 'elements are float64, not int32', &
      'reading')
    call in%add('c', 0.0_real64, [1, 1], [nx, ny])
    call in%select(stat, message)
    call check_error(stat, nearfar_usage_error, message, 'number of dimensions', 'reading')
    call in%add('c', 0.0_real64, [1, 1, 1], [nx, ny, nz + 1])
    call in%select(stat, message)
    call check_error(stat, nearfar_usage_error, message, 'are possible', 'reading')
    call add_columns(in)
    call in%select()
    call in%end_step(stat, message)
    call check_error(stat, nearfar_usage_error, message, 'outside', 'reading')
    call in%begin_step(5, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, '0 to 4', 'reading')
    call in%begin_step(4_int64)
    call in%get('e', c, stat, message)
    call check_error(stat, nearfar_usage_error, message, 'not selected', 'reading')
    call in%get('c', c, stat, message)
    call check_error(stat, nearfar_usage_error, message, 'rank 1', 'reading')
    call in%free()
  end subroutine test_reading_errors

  !> What other formats keep besides the elements.
  subroutine test_metadata()
    type(nearfar_output) :: out
    integer :: k1, k2, i

    call own_planes(team, k1, k2)
    call out%add('h', 0.0_real32, [nx, nz], [1, k1], [nx, k2], attributes=['units=m'], &
      dimensions=['east ', 'level'])
    call out%add_axis('level', [(10.0_real64 * i, i=1, nz)], ['units=m'])
    call out%create(team, path, format='zarr', attributes=['title=a test'], policy='thread')
    call out%begin_step(0.0_real64)
    call out%put('h', reshape([(1.0_real32, i=1, nx * (k2 - k1 + 1))], [nx, k2 - k1 + 1]))
    call out%end_step()
    call out%close()
    call out%free()
    call check(file_has(path // '.zarr/zarr.json', 'a test'), 'the title')
    call check(file_has(path // '.zarr/h/zarr.json', 'east'), 'the names of dimensions')
  end subroutine test_metadata

  !> The stream cannot be made, and is free again.
  subroutine check_refusal(out, named, format, compression)
    type(nearfar_output), intent(inout) :: out
    character(*), intent(in) :: named
    character(*), intent(in), optional :: format, compression

    call out%create(team, path, format=format, compression=compression, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, named, 'errors')
    call out%free()
  end subroutine check_refusal

  subroutine test_errors()
    type(nearfar_output) :: out
    real(real64), allocatable :: times(:)
    type(nearfar_output_report), allocatable :: reports(:)
    real(real32), pointer :: e(:,:,:)
    integer :: k1, k2
    logical :: fits

    call own_planes(team, k1, k2)
    call out%add('x', 0.0_real64, [nx, ny], [1], [nx])
    call check_refusal(out, "'x': extents has 2")
    call out%add('x', .true., [nz], [k1], [k2])
    call check_refusal(out, 'integer, real or complex')
    call out%add('x', 0, [nz], [k1], [k2], attributes=['d1'])
    call check_refusal(out, 'key=value')
    call out%add_varying('x', 0.0_real64, 5, part='edges')
    call check_refusal(out, "'x': part is 'edges'; it is one of point_data, c")
    call out%add_varying('x', 0.0_real64, 5, row=[1, 2, 3, 4])
    call check_refusal(out, '1 to 4 dimensions, not 5')
    call out%add_varying('x', 0.0_real64, 5)
    call check_refusal(out, 'hdf5 and vtkhdf have it')
    call out%add('x', 0, [nz], [k1], [k2])
    call check_refusal(out, "'zip'", format='zarr', compression='zip')
    call describe_arrays(out, team)
    call out%create(team, path, policy='faster', stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, "'faster'", 'errors')
    call out%create(team, '/nowhere/at/all', stat=stat, errmsg=message)
    call check_error(stat, nearfar_io_error, message, '/nowhere/at/all', 'errors')
    call nearfar_output_steps_at('/nowhere/at/all', times, stat, message)
    call check_error(stat, nearfar_io_error, message, '/nowhere/at/all', 'errors')
    call nearfar_output_verify('/nowhere/at/all', reports, stat, message)
    call check_error(stat, nearfar_io_error, message, '/nowhere/at/all', 'errors')
    call check(size(reports) == 0, 'reports of nothing')
    call out%begin_step(0.0_real64, stat, message)
    call check_error(stat, nearfar_usage_error, message, 'NULL', 'errors')
    call out%create(team, path, policy='thread')
    call out%end_step(stat, message)
    call check_error(stat, nearfar_usage_error, message, 'outside', 'errors')
    call out%begin_step(0.0_real64)
    call out%put('z', 0, stat, message)
    call check_error(stat, nearfar_usage_error, message, 'a, b, c, d, e', 'errors')
    call out%slot('c', e, stat, message)
    call check_error(stat, nearfar_usage_error, message, 'another rank, type or kind', 'errors')
    fits = k2 < k1
    if (.not. fits) then
      call out%put('a', [0.0_real64], stat, message)
      fits = stat == nearfar_usage_error .and. index(message, 'type or kind') > 0
      call out%put('a', spread(1, 1, nz + 1), stat, message)
      fits = fits .and. stat == nearfar_usage_error .and. index(message, 'shape (6); this') > 0
      call out%put('a', reshape([1], [1, 1]), stat, message)
      fits = fits .and. stat == nearfar_usage_error .and. index(message, 'rank 2') > 0
    end if
    call check(fits, 'arrays that do not fit: ' // trim(message))
    call out%free()
  end subroutine test_errors
end program outputs_test
