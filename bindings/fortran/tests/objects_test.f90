! SPDX-License-Identifier: BSD-3-Clause
! What holds for objects of all types: copies share them, and know when they are freed; plans refuse
! arrays that are copies of the compiler's, or of another type on some ranks. The structs of
! options.
module objects_checks
  use nearfar, only: nearfar_usage_error
  use nearfar_testing, only: check, check_error, world_size
  implicit none (type, external)
  private
  public :: check_copy, check_freed, check_types, message, stat

  integer :: stat
  character(1000) :: message

contains

  !> The call just made must have said that its object is freed.
  subroutine check_freed(what)
    character(*), intent(in) :: what
    call check_error(stat, nearfar_usage_error, message, 'freed', what)
  end subroutine check_freed

  !> The call just made must have refused a component.
  subroutine check_copy(what)
    character(*), intent(in) :: what
    call check_error(stat, nearfar_usage_error, message, 'copy that the compiler made', what)
  end subroutine check_copy

  !> The call just made must have named both types, where there is another rank.
  subroutine check_types(what)
    character(*), intent(in) :: what
    if (world_size == 1) then
      call check(stat == 0, what)
    else
      call check_error(stat, nearfar_usage_error, message, 'of float64', what)
      call check_error(stat, nearfar_usage_error, message, 'of int64', what)
    end if
  end subroutine check_types

end module objects_checks

program objects_test
  use, intrinsic :: iso_c_binding, only: c_sizeof
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use nearfar
  use nearfar_c, only: c_fft_layout_options, c_fft_options, c_field_options, c_irregular_options, &
    c_grid_options, c_halo_options, c_output_writers_options, c_output_options, &
    c_output_reader_options, c_plan_options, c_transpose_options
  use nearfar_testing, only: check, everyone, remove_scratch, scratch_path, testing_begin, &
    testing_end, testing_next_shape, world_size
  use objects_checks, only: check_copy, check_freed, check_types, message, stat
  implicit none (type, external)
  real(real64), parameter :: quick = nearfar_no_tuning
  type :: cell
    real(real64) :: p, q
    complex(real64) :: z
  end type cell
  type(nearfar_team) :: team

  call testing_begin()
  call test_structs()
  do while (testing_next_shape())
    call team%create(everyone)
    call test_halo_plans()
    call test_transpose_plans()
    call test_fft_plans()
    call test_irregular_plans()
    call test_collective_plans()
    call test_types_on_ranks()
    call test_streams()
    call test_teams()
    call test_teams_of_objects()
    call team%free()
  end do
  call testing_end()

contains

  ! The sizes that tools/bindings.py found are those that compilers have.
  subroutine test_structs()
    type(c_plan_options) :: plan
    type(c_grid_options) :: grid
    type(c_field_options) :: field
    type(c_halo_options) :: halo
    type(c_transpose_options) :: transpose
    type(c_fft_options) :: fft
    type(c_fft_layout_options) :: layout
    type(c_irregular_options) :: gather
    type(c_output_options) :: output
    type(c_output_writers_options) :: writers
    type(c_output_reader_options) :: reader

    call check(all([c_sizeof(plan), c_sizeof(grid), c_sizeof(field), c_sizeof(halo), &
      c_sizeof(transpose), c_sizeof(fft), c_sizeof(layout), c_sizeof(gather), c_sizeof(output), &
      c_sizeof(writers), c_sizeof(reader)] == [plan%size, grid%size, field%size, halo%size, &
      transpose%size, fft%size, layout%size, gather%size, output%size, writers%size, &
      reader%size]), 'sizes of structs')
  end subroutine test_structs

  ! What works for a team says which; what it gives cannot be freed, and ends with the object.
  subroutine test_teams_of_objects()
    type(nearfar_team) :: of_grid, of_plan
    type(nearfar_grid) :: grid
    type(nearfar_halo_plan) :: halo
    type(nearfar_decomposition) :: parts
    type(nearfar_distribution) :: where
    type(nearfar_irregular_plan) :: refers
    real(real64), pointer, contiguous :: f(:,:)
    integer :: found(5)

    call grid%create(team, [16, 12])
    call grid%new_field(f, ghosts=1)
    call halo%create(grid, f, budget_s=quick)
    call parts%slab(team, [8, 8], 1)
    call where%block(team, 40_int64)
    call refers%create(where, [1, 40], budget_s=quick)
    of_grid = grid%team()
    of_plan = halo%team()
    found(1:2) = [of_grid%size(), of_plan%size()]
    of_grid = parts%team()
    found(3) = of_grid%size()
    of_grid = where%team()
    found(4) = of_grid%size()
    of_grid = refers%team()
    found(5) = of_grid%rank() - team%rank() + team%size()
    call check(all(found == team%size()), 'teams of objects')
    call of_plan%free(stat=stat, errmsg=message)
    call check(stat == nearfar_usage_error .and. index(message, 'belongs') > 0, 'not to be freed')
    call halo%free()
    call check(of_plan%rank() == -1, 'the team of a freed plan')
  end subroutine test_teams_of_objects

  subroutine test_halo_plans()
    type(nearfar_grid) :: grid, grid_copy
    type(nearfar_halo_plan) :: halo, copy, of_component
    type(cell), allocatable, target :: cells(:,:)
    real(real64), pointer :: component(:,:)
    real(real64), pointer, contiguous :: f(:,:), g(:,:)
    integer(int64) :: lower(2), upper(2)

    call grid%create(team, [16, 12], periodic=[.true., .true.])
    lower = grid%lower()
    upper = grid%upper()
    allocate (cells(lower(1) - 1:upper(1) + 1, lower(2) - 1:upper(2) + 1))
    component => cells%q
    call of_component%begin(grid, budget_s=quick)
    call of_component%add(cells%p, ghosts=1)
    call of_component%commit(stat=stat, errmsg=message)
    call check_copy('halo plan of a component')
    call of_component%free()
    call of_component%begin(grid, budget_s=quick)
    call of_component%add(component, ghosts=1)
    call of_component%commit(stat=stat, errmsg=message)
    call check_copy('halo plan of a pointer to a component')
    call of_component%free()

    call grid%new_field(f, ghosts=1)
    call halo%create(grid, f, budget_s=quick)
    copy = halo
    grid_copy = grid
    call grid%new_field(g, ghosts=1)
    g = team%rank()
    call halo%run(g)
    call check(nint(g(lbound(g, 1), lbound(g, 2) + 1)) >= 0, 'on another field')
    call halo%run(f)
    call halo%run(g(:, lbound(g, 2) + 1:), stat=stat, errmsg=message)
    call check(stat == nearfar_usage_error .and. index(message, 'extents') > 0, 'on a section')
    call halo%run(cells%p, stat=stat, errmsg=message)
    call check_copy('on a component')
    call copy%run()
    call halo%free()
    call copy%run(stat=stat, errmsg=message)
    call check_freed('run of a freed halo plan')
    call copy%start(stat=stat, errmsg=message)
    call check_freed('start of a freed halo plan')
    call copy%finish(stat=stat, errmsg=message)
    call check_freed('finish of a freed halo plan')
    call check(.not. copy%test(stat, message) .or. stat /= 0, 'test of a freed halo plan')
    call check(copy%method() == '', 'method of a freed plan')
    call check(copy%describe() == '', 'description of a freed plan')
    call copy%free(stat=stat)
    call check(stat == nearfar_ok, 'a freed plan is freed again')
    call halo%create(grid, f, budget_s=quick)
    call copy%run(stat=stat, errmsg=message)
    call check_freed('the copy of a plan before')
    call halo%run()
    call halo%free()
    call grid%free()
    call grid_copy%new_field(f, stat=stat, errmsg=message)
    call check_freed('field of a freed grid')
    call check(size(grid_copy%lower()) == 0 .and. grid_copy%dimensions() == 0, 'a freed grid')
  end subroutine test_halo_plans

  subroutine test_transpose_plans()
    type(nearfar_decomposition) :: parts, parts_copy
    type(nearfar_transpose_side) :: side, turned
    type(nearfar_transpose_plan) :: plan, copy
    type(cell), allocatable, target :: cells(:,:)
    real(real64), allocatable, target :: a(:,:), b(:,:)

    call parts%slab(team, [6, 4 * world_size], 2)
    call side%create(parts)
    call turned%create(parts, memory_order=[2, 1])
    allocate (cells(6, 4), a(6, 4), b(4, 6))
    cells%p = 1
    call plan%create(side, turned, cells%p, b, stat=stat, errmsg=message)
    call check_copy('transpose plan of a component')
    call plan%create(side, turned, a, b, budget_s=quick)
    a = 2
    call plan%start()
    call plan%finish()
    call check(all(nint(b) == 2), 'on its own arrays')
    call plan%start(cells%p, b, stat=stat, errmsg=message)
    call check_copy('transposition of a component')
    call plan%run(a, transpose_of(cells), stat=stat, errmsg=message)
    call check(stat /= 0, 'into a component')
    copy = plan
    parts_copy = parts
    call plan%free()
    call copy%run(a, b, stat=stat, errmsg=message)
    call check_freed('run of a freed transpose plan')
    call copy%start(stat=stat, errmsg=message)
    call check_freed('start of a freed transpose plan')
    call parts%free()
    call side%create(parts_copy, stat=stat, errmsg=message)
    call check_freed('side of a freed decomposition')
    call check(parts_copy%dimensions() == 0, 'a freed decomposition')
  end subroutine test_transpose_plans

  ! A pointer to a component, turned so that its shape is right.
  function transpose_of(cells) result(q)
    type(cell), intent(in), target :: cells(:,:)
    real(real64), pointer :: q(:,:)
    type(cell), pointer :: turned(:,:)
    allocate (turned(size(cells, 2), size(cells, 1)))
    q => turned%q
  end function transpose_of

  subroutine test_fft_plans()
    type(nearfar_fft_layout) :: layout, layout_copy
    type(nearfar_fft_plan) :: plan, copy
    type(cell), allocatable, target :: cells(:,:)
    complex(real64), allocatable, target :: u(:,:), v(:,:)
    real(real64), allocatable, target :: small(:,:)
    type(nearfar_transpose_side) :: physical, spectral

    call layout%create(team, [8, 4 * world_size])
    physical = layout%physical()
    spectral = layout%spectral()
    associate (l => physical%lower(), u1 => physical%upper(), m => spectral%lower(), &
      u2 => spectral%upper())
      allocate (u(l(1):u1(1), l(2):u1(2)), cells(l(1):u1(1), l(2):u1(2)), v(m(1):u2(1), m(2):u2(2)))
    end associate
    cells%z = 1
    u = 1
    call plan%create(layout, cells%z, v, stat=stat, errmsg=message)
    call check_copy('fft plan of a component')
    call plan%create(layout, u, v, budget_s=quick, scaling='backward')
    call plan%run(nearfar_fft_forward)
    call plan%run(nearfar_fft_backward, v, u)
    call check(all(nint(real(u)) == 1), 'there and back, on its own arrays and on given ones')
    call plan%run(nearfar_fft_forward, cells%z, v, stat=stat, errmsg=message)
    call check_copy('transform of a component')
    call plan%run(nearfar_fft_forward, u, stat=stat, errmsg=message)
    call check(stat == nearfar_usage_error .and. index(message, 'both') > 0, 'one array of two')
    copy = plan
    layout_copy = layout
    call plan%free()
    call copy%run(nearfar_fft_forward, stat=stat, errmsg=message)
    call check_freed('run of a freed fft plan')
    call check(copy%work_bytes() == -1, 'work of a freed plan')
    call layout_copy%free()
    call layout%create(team, [16, 16 * world_size], kinds=['r2c', 'c2c'])
    allocate (small(4, 4))
    call plan%create(layout, small, v, stat=stat, errmsg=message)
    call check(stat == nearfar_usage_error .and. index(message, ' 4 elements') > 0 .and. &
      index(message, '16') > 0, 'an array that is too small names both sizes')
    call layout%free()
    call layout_copy%free()
    layout_copy = layout
    call plan%create(layout_copy, u, v, stat=stat, errmsg=message)
    call check_freed('fft plan of a freed layout')
    call check(physical%parts%dimensions() == 0, 'the side of a freed layout')
    call physical%parts%free(stat=stat, errmsg=message)
    call check(stat == nearfar_usage_error, 'a side is freed with its layout')
  end subroutine test_fft_plans

  subroutine test_irregular_plans()
    type(nearfar_distribution) :: where, where_copy
    type(nearfar_irregular_plan) :: plan, copy
    type(cell), allocatable, target :: cells(:)
    real(real64), allocatable, target :: x(:), out(:)

    call where%block(team, int(4 * world_size, int64))
    call plan%create(where, [1, 2 * world_size, 4 * world_size], budget_s=quick)
    allocate (x(plan%owned() + plan%ghosts()), cells(plan%owned() + plan%ghosts()), out(3))
    x = 3
    cells%p = 4
    call plan%start('gather', x, out)
    call plan%finish()
    call check(all(nint(out) == 3), 'started by name')
    call plan%run('gather', cells%p, out)
    call check(all(nint(out) == 4), 'a component, while it is run')
    call plan%start_gather(cells%p, out, stat=stat, errmsg=message)
    call check_copy('started on a component')
    copy = plan
    where_copy = where
    call plan%free()
    call copy%gather(x, out, stat=stat, errmsg=message)
    call check_freed('gather of a freed plan')
    call check(copy%owned() == -1, 'own elements of a freed plan')
    call check(size(copy%local_indices()) == 0, 'indices of a freed plan')
    call where%free()
    call plan%create(where_copy, [1], stat=stat, errmsg=message)
    call check(stat /= 0, 'irregular plan of a freed distribution')
    call where_copy%check(stat=stat, errmsg=message)
    call check_freed('a freed distribution')
    call check(where_copy%elements() == -1, 'elements of a freed distribution')
  end subroutine test_irregular_plans

  subroutine test_collective_plans()
    type(nearfar_collective_plan) :: plan, copy
    type(nearfar_exact_sum) :: sum, sum_copy
    type(cell), target :: cells(5)
    real(real64), target :: x(5)

    cells%p = 1
    call nearfar_allreduce(team, cells%p, op='sum')
    call check(all(nint(cells%p) == world_size), 'a component, while it is reduced')
    call nearfar_allreduce(team, cells%p, op='sum', plan=plan, stat=stat, errmsg=message)
    call check_copy('collective plan of a component')
    call nearfar_allreduce(team, x, op='sum', plan=plan, name='five', without='swift', &
      budget_s=quick, &
      stat=stat, errmsg=message)
    call check(index(message, 'swift') > 0 .or. stat == 0, 'without is passed on')
    if (stat /= 0) call nearfar_allreduce(team, x, op='sum', plan=plan, name='five', budget_s=quick)
    call check(index(plan%describe(), 'five') > 0, 'name')
    copy = plan
    call plan%free()
    call copy%run(stat=stat, errmsg=message)
    call check_freed('run of a freed collective plan')
    call check(copy%start_method() == '', 'method of a freed plan')
    call sum%add(x)
    sum_copy = sum
    call sum%free()
    call sum_copy%add(x, stat=stat, errmsg=message)
    call check_freed('a freed sum')
    call check(abs(sum%value()) <= 0, 'a sum that has freed itself is zero')
    call check(nearfar_methods('halo') /= '', 'methods of a front')
    call check(nearfar_methods('collective.allreduce') /= '', 'methods of a kind of call')
    call check(nearfar_methods('hallo', stat, message) == '' .and. stat == nearfar_usage_error &
      .and. index(message, 'hallo') > 0, 'methods of no front')
  end subroutine test_collective_plans

  subroutine test_types_on_ranks()
    type(nearfar_grid) :: grid
    type(nearfar_halo_plan) :: halo
    type(nearfar_decomposition) :: parts
    type(nearfar_transpose_side) :: side
    type(nearfar_transpose_plan) :: transposition
    type(nearfar_collective_plan) :: sum
    real(real64), pointer, contiguous :: f(:,:)
    integer(int64), allocatable, target :: n(:,:)
    real(real64), target :: x(6,4)
    integer(int64), target :: k(6,4)
    logical :: is_first

    is_first = team%rank() == 0
    call grid%create(team, [16, 12], periodic=[.true., .true.])
    call grid%new_field(f, ghosts=1)
    allocate (n(size(f, 1), size(f, 2)))
    call halo%begin(grid, budget_s=quick)
    if (is_first) call halo%add(f)
    if (.not. is_first) call halo%add(n, ghosts=1)
    call halo%commit(stat=stat, errmsg=message)
    call check_types('types of a halo plan')
    call halo%free()
    call grid%free()

    call parts%slab(team, [6, 4 * world_size], 2)
    call side%create(parts)
    if (is_first) call transposition%create(side, side, x, budget_s=quick, stat=stat, &
      errmsg=message)
    if (.not. is_first) call transposition%create(side, side, k, budget_s=quick, stat=stat, &
      errmsg=message)
    call check_types('types of a transpose plan')
    call transposition%free()

    if (is_first) call nearfar_allreduce(team, x, op='sum', plan=sum, budget_s=quick, stat=stat, &
      errmsg=message)
    if (.not. is_first) call nearfar_allreduce(team, k, op='sum', plan=sum, budget_s=quick, &
      stat=stat, errmsg=message)
    call check_types('types of a collective plan')
    call sum%free()
  end subroutine test_types_on_ranks

  subroutine test_streams()
    type(nearfar_output) :: out, copy
    type(nearfar_output_reader) :: in, in_copy
    real(real64) :: x(4)
    integer :: first
    character(:), allocatable :: path

    path = scratch_path('nearfar_objects')
    first = 4 * team%rank() + 1
    x = first
    call out%add('x', x, [4 * world_size], [first], [first + 3])
    call out%create(team, path, policy='synchronous')
    copy = out
    call copy%begin_step(0.0_real64)
    call copy%put('x', x)
    call copy%end_step()
    call out%close()
    call out%free()
    call copy%begin_step(1.0_real64, stat=stat, errmsg=message)
    call check_freed('a step of a freed stream')
    call copy%put('x', x, stat=stat, errmsg=message)
    call check_freed('put into a freed stream')
    call check(copy%steps() == -1, 'steps of a freed stream')
    call in%create(team, path)
    in_copy = in
    call check(in_copy%steps() == 1, 'steps of a copied reader')
    call in%free()
    call in_copy%begin_step(0, stat=stat, errmsg=message)
    call check_freed('a freed reader')
    call remove_scratch(path)
  end subroutine test_streams

  subroutine test_teams()
    type(nearfar_team) :: own, copy, computing
    type(nearfar_thread_team) :: threads, threads_copy
    type(nearfar_output_writers) :: writers, writers_copy
    type(nearfar_grid) :: grid
    real(real64) :: x(3)

    call own%create(everyone)
    copy = own
    call threads%create(own, 1)
    threads_copy = threads
    call threads%free()
    call threads_copy%barrier(0, stat=stat, errmsg=message)
    call check_freed('a freed thread team')
    call check(threads_copy%threads() == -1, 'threads of a freed thread team')
    call writers%create(own, ranks_to_spare=1000)
    writers_copy = writers
    computing = writers%computing()
    call check(computing%size() == own%size(), 'the computing ranks')
    call computing%free(stat=stat, errmsg=message)
    call check(stat == nearfar_usage_error, 'the computing team is freed with its writers')
    call writers%free()
    call check(computing%size() == -1, 'the computing team of freed writers')
    call writers_copy%serve(stat=stat, errmsg=message)
    call check_freed('freed writers')
    call own%free()
    call check(copy%rank() == -1 .and. copy%size() == -1, 'a freed team')
    call check(copy%describe() == '', 'description of a freed team')
    call grid%create(copy, [8], stat=stat, errmsg=message)
    call check_freed('grid of a freed team')
    x = 1
    call nearfar_allreduce(copy, x, op='sum', stat=stat, errmsg=message)
    call check_freed('allreduce of a freed team')
    call nearfar_barrier(copy, stat=stat, errmsg=message)
    call check_freed('barrier of a freed team')
  end subroutine test_teams

end program objects_test
