! SPDX-License-Identifier: BSD-3-Clause
! Everything that is made collectively, with each argument wrong on the last rank alone: all ranks
! get the same stat and message, and go on.
program one_rank_test
  use, intrinsic :: ieee_arithmetic, only: ieee_quiet_nan, ieee_value
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use mpi_f08, only: MPI_Allreduce, MPI_INTEGER, MPI_MAX, MPI_MIN
  use nearfar
  use nearfar_testing, only: check, everyone, is_last_rank, long, pick, remove_scratch, &
    scratch_path, testing_begin, testing_end, testing_next_shape, word, world_rank, world_size
  implicit none (type, external)
  real(real64), parameter :: quick = nearfar_no_tuning
  type(nearfar_team) :: team
  type(nearfar_grid) :: grid
  integer :: stat, told
  character(1000) :: message

  call testing_begin()
  do while (testing_next_shape())
    call team%create(everyone)
    call grid%create(team, [9, 6], periodic=[.true., .true.])
    told = 0
    call test_teams_and_grids()
    call test_halos()
    call test_distributions()
    call test_gathers()
    call test_decompositions()
    call test_transposes()
    call test_ffts()
    call test_collectives()
    call test_outputs()
    call check(told > 90, 'all have been tried')
    call grid%free()
    call team%free()
  end do
  call testing_end()

contains

  ! Not a number on the last rank.
  real(real64) function budget()
    budget = quick
    if (is_last_rank()) budget = ieee_value(budget, ieee_quiet_nan)
  end function budget

  ! Collective: all have an error, of one stat.
  subroutine is_told(what)
    character(*), intent(in) :: what
    integer :: mine(2), lowest(2), highest(2), letter

    mine = [stat, 0]
    do letter = 1, len_trim(message)
      mine(2) = mod(31 * mine(2) + ichar(message(letter:letter)), 1000003)
    end do
    call MPI_Allreduce(mine, lowest, 2, MPI_INTEGER, MPI_MIN, everyone)
    call MPI_Allreduce(mine, highest, 2, MPI_INTEGER, MPI_MAX, everyone)
    call check(lowest(1) /= nearfar_ok .and. all(lowest == highest), what // ': ' // trim(message))
    told = told + 1
    message = ''
  end subroutine is_told

  subroutine test_teams_and_grids()
    type(nearfar_team) :: members
    type(nearfar_thread_team) :: threads
    type(nearfar_grid) :: cells
    real(real64), pointer, contiguous :: t(:,:)
    logical :: flags(2)
    integer :: sizes(1, 2)

    flags = .true.
    sizes = reshape([9, 6], [1, 2])
    call members%create(everyone, node_size=pick(0, -1), stat=stat, errmsg=message)
    call is_told('node_size')
    call threads%create(team, pick(1, -1), stat=stat, errmsg=message)
    call is_told('threads')
    call cells%create(team, [9, pick(6, -6)], stat=stat, errmsg=message)
    call is_told('extents')
    call cells%create(team, [9_int64, long(6, 7)], stat=stat, errmsg=message)
    call is_told('other extents')
    call cells%create(team, [9, 6], periodic=flags(:pick(2, 1)), stat=stat, errmsg=message)
    call is_told('periodic')
    call cells%create(team, [9, 6], process_grid=[pick(0, 99), 0], stat=stat, errmsg=message)
    call is_told('process_grid')
    call cells%create(team, [9, 6], tile_extents=sizes(:, :pick(2, 1)), stat=stat, errmsg=message)
    call is_told('tile_extents')
    call cells%create(team, [9, 6], placement=word('rank_order', 'blob'), stat=stat, errmsg=message)
    call is_told('placement')
    call cells%create_from_tiles(team, [9_int64], [long(1, -5)], [long(9, 99)], stat=stat, &
      errmsg=message)
    call is_told('tiles')
    call cells%create_from_tiles(team, [9_int64, 6_int64], grid%lower(), [9_int64, long(6, 5)], &
      flags(:pick(2, 1)), stat=stat, errmsg=message)
    call is_told('periodic of tiles')
    call grid%new_field(t, ghosts=pick(1, -1), stat=stat, errmsg=message)
    call is_told('ghosts')
    call grid%new_field(t, ghosts=[1, pick(1, -1)], stat=stat, errmsg=message)
    call is_told('ghosts per dimension')
  end subroutine test_teams_and_grids

  subroutine test_halos()
    type(nearfar_halo_plan) :: halo
    real(real64), pointer, contiguous :: t(:,:)
    real(real64), allocatable, target :: own(:,:), other(:,:)

    call grid%new_field(t, ghosts=1)
    allocate (own, source=t * 0)
    allocate (other(3, 3), source=0.0_real64)
    call halo%create(grid, t, stencil=word('box', 'blob'), budget_s=quick, stat=stat, &
      errmsg=message)
    call is_told('stencil')
    call halo%create(grid, t, stencil=word('box', 'star'), budget_s=quick, stat=stat, &
      errmsg=message)
    call is_told('another stencil')
    call halo%create(grid, t, method=word('', 'blob'), budget_s=quick, stat=stat, errmsg=message)
    call is_told('method')
    call halo%create(grid, t, without=word('', 'blob'), budget_s=quick, stat=stat, errmsg=message)
    call is_told('without')
    call halo%create(grid, t, name=word('a', 'b'), budget_s=quick, stat=stat, errmsg=message)
    call is_told('name')
    call halo%create(grid, t, budget_s=budget(), stat=stat, errmsg=message)
    call is_told('budget_s')
    if (is_last_rank()) then
      call halo%create(grid, other, budget_s=quick, stat=stat, errmsg=message)
    else
      call halo%create(grid, t, budget_s=quick, stat=stat, errmsg=message)
    end if
    call is_told('array')
    call halo%begin(grid, budget_s=quick)
    call halo%add(own, ghosts=pick(1, 2))
    call halo%commit(stat=stat, errmsg=message)
    call is_told('ghosts of an own array')
    call halo%begin(grid, budget_s=quick)
    call halo%add(own, ghosts=1, fill=pick(1, 2))
    call halo%commit(stat=stat, errmsg=message)
    call is_told('fill')
    call halo%begin(grid, budget_s=quick)
    if (.not. is_last_rank()) call halo%add(t)
    call halo%commit(stat=stat, errmsg=message)
    call is_told('no array')
    call halo%create(grid, t, budget_s=quick)
    call halo%free()
    call grid%free_field(t)
  end subroutine test_halos

  subroutine test_distributions()
    type(nearfar_distribution) :: d

    call d%block(team, long(40, -5), stat=stat, errmsg=message)
    call is_told('block')
    call d%block_sizes(team, long(4, -5), stat=stat, errmsg=message)
    call is_told('block_sizes')
    call d%cyclic(team, long(40, -5), stat=stat, errmsg=message)
    call is_told('cyclic')
    call d%block_cyclic(team, 40_int64, long(2, 0), stat=stat, errmsg=message)
    call is_told('block_cyclic')
    call d%two_block(team, 40_int64, long(2, 99), stat=stat, errmsg=message)
    call is_told('two_block')
    call d%reversed_two_block(team, 40_int64, long(2, -1), stat=stat, errmsg=message)
    call is_told('reversed_two_block')
    call d%from_owned(team, [long(world_rank + 1, -3)], stat=stat, errmsg=message)
    call is_told('owned')
    call d%from_owned(team, [int(world_rank + 1, int64)], base=pick(1, 5), stat=stat, &
      errmsg=message)
    call is_told('base of owned')
  end subroutine test_distributions

  subroutine test_gathers()
    type(nearfar_distribution) :: d, unmade, other
    type(nearfar_irregular_plan) :: plan
    real(real64), pointer, contiguous :: x(:,:)

    call d%block(team, 40_int64)
    call plan%create(d, [pick(1, 41)], budget_s=quick, stat=stat, errmsg=message)
    call is_told('indices')
    call plan%create(d, [1], base=pick(1, 2), budget_s=quick, stat=stat, errmsg=message)
    call is_told('base')
    call plan%create(d, [1], method=word('', 'blob'), budget_s=quick, stat=stat, errmsg=message)
    call is_told('method of an irregular plan')
    call plan%create(d, [1], without=word('', 'blob'), budget_s=quick, stat=stat, errmsg=message)
    call is_told('without of an irregular plan')
    call plan%create(d, [1], budget_s=budget(), stat=stat, errmsg=message)
    call is_told('budget_s of an irregular plan')
    call plan%create(d, [1], order=word('plan', 'blob'), budget_s=quick, stat=stat, errmsg=message)
    call is_told('order')
    call plan%create(d, [1], element_bytes=pick(8, -1), budget_s=quick, stat=stat, errmsg=message)
    call is_told('element_bytes')
    call plan%create(d, [1], threads=pick(1, -1), budget_s=quick, stat=stat, errmsg=message)
    call is_told('threads of an irregular plan')
    call plan%create(d, [1], budget_s=quick)
    call plan%update([pick(1, -1)], stat=stat, errmsg=message)
    call is_told('indices of an update')
    if (is_last_rank()) then
      other = unmade
    else
      other = d
    end if
    call plan%update([1], where=other, stat=stat, errmsg=message)
    call is_told('distribution of an update')
    call plan%new_array(x, pick(2, -2), stat=stat, errmsg=message)
    call is_told('components')
    call plan%free()
    call d%free()
  end subroutine test_gathers

  subroutine test_decompositions()
    type(nearfar_decomposition) :: parts
    integer :: cuts(2)

    cuts = [1, world_size]
    call parts%blocks(team, [9, 6], cuts(:pick(2, 1)), stat=stat, errmsg=message)
    call is_told('process_grid of blocks')
    call parts%blocks(team, [9, pick(6, -6)], cuts, stat=stat, errmsg=message)
    call is_told('extents of blocks')
    call parts%slab(team, [9, 6], pick(1, 3), stat=stat, errmsg=message)
    call is_told('cut_axis')
    call parts%slab(team, [9, pick(6, -6)], 1, stat=stat, errmsg=message)
    call is_told('extents of slabs')
    call parts%pencil(team, [9, 6, 4], pick(1, 0), stat=stat, errmsg=message)
    call is_told('whole_axis')
    call parts%pencil(team, [9, 6, 4], 1, [pick(1, 99), world_size], stat=stat, errmsg=message)
    call is_told('process_grid of pencils')
    call parts%from_boxes(team, [9], [pick(9 * world_rank / world_size + 1, -5)], &
      [9 * (world_rank + 1) / world_size], stat=stat, errmsg=message)
    call is_told('lower of boxes')
    call parts%from_boxes(team, [9], [9 * world_rank / world_size + 1], [pick(9 * (world_rank &
      + 1) / world_size, 99)], stat=stat, errmsg=message)
    call is_told('upper of boxes')
  end subroutine test_decompositions

  subroutine test_transposes()
    type(nearfar_decomposition) :: rows, columns
    type(nearfar_transpose_side) :: from, to, unmade, other
    type(nearfar_transpose_plan) :: plan
    real(real64), pointer, contiguous :: a(:,:), b(:,:), fields(:,:,:)
    real(real64), target :: few(1)

    call rows%slab(team, [9, 6], 2)
    call columns%slab(team, [9, 6], 1)
    call from%create(rows)
    call to%create(columns)
    call from%new_array(a)
    call to%new_array(b)
    few = 0
    call from%new_array(fields, fields=pick(2, -2), stat=stat, errmsg=message)
    call is_told('fields of an array')
    if (is_last_rank()) then
      other = unmade
    else
      other = to
    end if
    call from%new_array(fields, fields=2, also=other, stat=stat, errmsg=message)
    call is_told('also')
    call plan%create(from, other, a, b, budget_s=quick, stat=stat, errmsg=message)
    call is_told('to')
    if (is_last_rank()) then
      call plan%create(from, to, few, b, budget_s=quick, stat=stat, errmsg=message)
    else
      call plan%create(from, to, a, b, budget_s=quick, stat=stat, errmsg=message)
    end if
    call is_told('in')
    if (is_last_rank()) then
      call plan%create(from, to, a, few, budget_s=quick, stat=stat, errmsg=message)
    else
      call plan%create(from, to, a, b, budget_s=quick, stat=stat, errmsg=message)
    end if
    call is_told('out')
    call plan%create(from, to, a, b, method=word('', 'blob'), budget_s=quick, stat=stat, &
      errmsg=message)
    call is_told('method of a transpose plan')
    call plan%create(from, to, a, b, without=word('', 'blob'), budget_s=quick, stat=stat, &
      errmsg=message)
    call is_told('without of a transpose plan')
    call plan%create(from, to, a, b, budget_s=budget(), stat=stat, errmsg=message)
    call is_told('budget_s of a transpose plan')
    call plan%create(from, to, a, b, fields=pick(1, -1), budget_s=quick, stat=stat, errmsg=message)
    call is_told('fields')
    call from%free_array(a)
    call to%free_array(b)
    call rows%free()
    call columns%free()
  end subroutine test_transposes

  subroutine test_ffts()
    type(nearfar_fft_layout) :: layout
    type(nearfar_fft_plan) :: plan
    type(nearfar_transpose_side) :: unmade, physical, spectral
    complex(real64), pointer, contiguous :: u(:,:), v(:,:)
    character(4) :: kinds(2)
    integer :: modes(2)

    kinds = 'c2c'
    modes = [8, 6]
    call layout%create(team, [8, pick(6, -6)], stat=stat, errmsg=message)
    call is_told('extents of a layout')
    call layout%create(team, [8, 6], kinds=kinds(:pick(2, 1)), stat=stat, errmsg=message)
    call is_told('kinds')
    if (is_last_rank()) kinds(2) = 'blob'
    call layout%create(team, [8, 6], kinds=kinds, stat=stat, errmsg=message)
    call is_told('a kind')
    call layout%create(team, [8, 6], modes=modes(:pick(2, 1)), stat=stat, errmsg=message)
    call is_told('modes')
    call layout%create(team, [8, 6], modes=[8, pick(6, 99)], stat=stat, errmsg=message)
    call is_told('a mode')
    call layout%create(team, [8, 6], process_grid=[pick(world_size, 99)], stat=stat, errmsg=message)
    call is_told('process_grid of a layout')
    call layout%create(team, [8, 6])
    physical = layout%physical()
    spectral = layout%spectral()
    call physical%new_array(u)
    call spectral%new_array(v)
    if (is_last_rank()) physical = unmade
    call layout%create(team, [8, 6], physical=physical, stat=stat, errmsg=message)
    call is_told('physical')
    if (is_last_rank()) spectral = unmade
    call layout%create(team, [8, 6], spectral=spectral, stat=stat, errmsg=message)
    call is_told('spectral')
    call layout%create(team, [8, 6])
    call make_ffts(plan, layout, u, v)
    call layout%free()
  end subroutine test_ffts

  subroutine make_ffts(plan, layout, u, v)
    type(nearfar_fft_plan), intent(inout) :: plan
    type(nearfar_fft_layout), intent(in) :: layout
    complex(real64), intent(inout), target :: u(:,:), v(:,:)
    real(real32), target :: few(1)

    few = 0
    if (is_last_rank()) then
      call plan%create(layout, few, v, budget_s=quick, stat=stat, errmsg=message)
    else
      call plan%create(layout, u, v, budget_s=quick, stat=stat, errmsg=message)
    end if
    call is_told('physical array')
    if (is_last_rank()) then
      call plan%create(layout, u, few, budget_s=quick, stat=stat, errmsg=message)
    else
      call plan%create(layout, u, v, budget_s=quick, stat=stat, errmsg=message)
    end if
    call is_told('spectral array')
    call plan%create(layout, u, v, method=word('', 'blob'), budget_s=quick, stat=stat, &
      errmsg=message)
    call is_told('method of an FFT plan')
    call plan%create(layout, u, v, without=word('', 'blob'), budget_s=quick, stat=stat, &
      errmsg=message)
    call is_told('without of an FFT plan')
    call plan%create(layout, u, v, budget_s=budget(), stat=stat, errmsg=message)
    call is_told('budget_s of an FFT plan')
    call plan%create(layout, u, v, scaling=word('none', 'blob'), budget_s=quick, stat=stat, &
      errmsg=message)
    call is_told('scaling')
    call plan%create(layout, u, v, nyquist=word('shared', 'blob'), budget_s=quick, stat=stat, &
      errmsg=message)
    call is_told('nyquist')
    call plan%create(layout, u, v, engines=word('own', 'blob'), budget_s=quick, stat=stat, &
      errmsg=message)
    call is_told('engines')
    call plan%create(layout, u, v, fields=pick(1, -1), budget_s=quick, stat=stat, errmsg=message)
    call is_told('fields of an FFT plan')
  end subroutine make_ffts

  subroutine test_collectives()
    type(nearfar_collective_plan) :: plan
    real(real64), target :: a(6), b(6)
    integer :: counts(6)

    a = 0
    b = 0
    counts = 6 / world_size
    call nearfar_barrier(team, plan, method=word('', 'blob'), budget_s=quick, stat=stat, &
      errmsg=message)
    call is_told('method of a barrier')
    call nearfar_bcast(team, a, pick(0, 99), plan, budget_s=quick, stat=stat, errmsg=message)
    call is_told('root of bcast')
    call nearfar_bcast(team, a(:pick(6, 5)), 0, plan, budget_s=quick, stat=stat, errmsg=message)
    call is_told('array of bcast')
    call nearfar_reduce(team, a, b, 'sum', pick(0, -1), plan=plan, budget_s=quick, stat=stat, &
      errmsg=message)
    call is_told('root of reduce')
    call nearfar_allreduce(team, a, b, word('sum', 'blob'), plan=plan, budget_s=quick, stat=stat, &
      errmsg=message)
    call is_told('op')
    call nearfar_allreduce(team, a(:pick(6, 5)), b, 'sum', plan=plan, budget_s=quick, stat=stat, &
      errmsg=message)
    call is_told('in of allreduce')
    call nearfar_allreduce(team, a, b(:pick(6, 5)), 'sum', plan=plan, budget_s=quick, stat=stat, &
      errmsg=message)
    call is_told('out of allreduce')
    call nearfar_allreduce(team, a, b, 'sum', plan=plan, without=word('', 'blob'), budget_s=quick, &
      stat=stat, errmsg=message)
    call is_told('without of allreduce')
    call nearfar_allreduce(team, a, b, 'sum', plan=plan, budget_s=budget(), stat=stat, &
      errmsg=message)
    call is_told('budget_s of allreduce')
    call nearfar_scan(team, a, b, word('sum', 'blob'), plan=plan, budget_s=quick, stat=stat, &
      errmsg=message)
    call is_told('op of scan')
    call nearfar_exscan(team, a, b, word('sum', 'blob'), plan=plan, budget_s=quick, stat=stat, &
      errmsg=message)
    call is_told('op of exscan')
    call nearfar_gather(team, a(:1), b(:world_size), pick(0, 99), plan, budget_s=quick, stat=stat, &
      errmsg=message)
    call is_told('root of gather')
    call nearfar_scatter(team, a(:world_size), b(:1), pick(0, 99), plan, budget_s=quick, &
      stat=stat, errmsg=message)
    call is_told('root of scatter')
    call nearfar_allgatherv(team, a(:counts(1)), b, counts(:pick(world_size, 0)), plan=plan, &
      budget_s=quick, stat=stat, errmsg=message)
    call is_told('counts')
    call nearfar_reduce_scatter(team, a, b(:counts(1)), 'sum', counts(:pick(world_size, 0)), &
      plan=plan, budget_s=quick, stat=stat, errmsg=message)
    call is_told('counts of reduce_scatter')
    if (is_last_rank()) counts(1) = -1
    call nearfar_allgatherv(team, a(:6 / world_size), b, counts(:world_size), plan=plan, &
      budget_s=quick, stat=stat, errmsg=message)
    call is_told('a count')
  end subroutine test_collectives

  subroutine test_outputs()
    type(nearfar_output) :: out, fresh
    type(nearfar_output_reader) :: in
    type(nearfar_output_writers) :: writers
    character(:), allocatable :: path

    path = scratch_path('nearfar_one_rank')
    call described(out, 'p')
    call out%create(team, path)
    call out%close()
    call out%free()
    call described(out, word('p', 'a b'))
    call out%create(team, path, stat=stat, errmsg=message)
    call is_told('name of an array')
    call described(out, 'p')
    call out%create(team, word(path, '/nowhere/at/all'), stat=stat, errmsg=message)
    call is_told('path')
    call described(out, 'p')
    call out%create(team, path, format=word('rsf', 'blob'), stat=stat, errmsg=message)
    call is_told('format')
    call described(out, 'p')
    call out%create(team, path, policy=word('thread', 'blob'), stat=stat, errmsg=message)
    call is_told('policy')
    call described(out, 'p')
    call out%create(team, path, compression=word('', 'blob'), stat=stat, errmsg=message)
    call is_told('compression')
    call described(out, 'p')
    call out%create(team, path, depth=pick(2, -1), stat=stat, errmsg=message)
    call is_told('depth')
    call described(out, 'p')
    call out%create(team, path, most_bytes=long(0, -1), stat=stat, errmsg=message)
    call is_told('most_bytes')
    call described(out, 'p')
    call out%create(team, path, writers_per_node=pick(1, -1), stat=stat, errmsg=message)
    call is_told('writers_per_node')
    call described(out, 'p')
    call out%create(team, path, expected_steps=pick(1, -1), stat=stat, errmsg=message)
    call is_told('expected_steps')
    out = fresh
    if (.not. is_last_rank()) call described(out, 'p')
    call out%create(team, path, stat=stat, errmsg=message)
    call is_told('no array')
    call described(out, 'p')
    if (is_last_rank()) then
      call out%create(team, path, writers=writers, stat=stat, errmsg=message)
    else
      call out%create(team, path, stat=stat, errmsg=message)
    end if
    call is_told('writers')
    call writers%create(team, placement=word('far', 'blob'), stat=stat, errmsg=message)
    call is_told('placement of writers')
    call writers%create(team, ranks_to_spare=pick(0, -1), stat=stat, errmsg=message)
    call is_told('ranks_to_spare')
    call writers%create(team, placement='far', far_writers=pick(1, -1), stat=stat, errmsg=message)
    call is_told('far_writers')
    call in%create(team, word(path, '/nowhere/at/all'), stat=stat, errmsg=message)
    call is_told('path of a reader')
    call in%create(team, path, depth=pick(2, -1), stat=stat, errmsg=message)
    call is_told('depth of a reader')
    call in%create(team, path, most_bytes=long(0, -1), stat=stat, errmsg=message)
    call is_told('most_bytes of a reader')
    call in%create(team, path)
    call in%add(word('p', 'q'), 0.0_real64, grid%lower(), grid%upper())
    call in%select(stat=stat, errmsg=message)
    call is_told('name of a selection')
    call in%add('p', 0.0_real64, grid%lower(), [9_int64, long(6, 99)])
    call in%select(stat=stat, errmsg=message)
    call is_told('box of a selection')
    call in%free()
    call remove_scratch(path)
  end subroutine test_outputs

  subroutine described(out, name)
    type(nearfar_output), intent(inout) :: out
    character(*), intent(in) :: name
    type(nearfar_output) :: fresh

    out = fresh
    call out%add(name, 0.0_real64, [9_int64, 6_int64], grid%lower(), grid%upper())
  end subroutine described

end program one_rank_test
