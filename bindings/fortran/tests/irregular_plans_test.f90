! SPDX-License-Identifier: BSD-3-Clause
! Distributions and irregular gather and scatter against arithmetic on global indices.
module backwards_rules
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use nearfar, only: nearfar_distribution_rule
  implicit none (type, external)
  private
  public :: backwards_rule

  ! The last element is the first of rank 0, the one before it the first of rank 1, and so on.
  type, extends(nearfar_distribution_rule) :: backwards_rule
    integer(int64) :: elements = 0
    integer :: ranks = 1
  contains
    procedure :: locate
    procedure :: globals
  end type backwards_rule

contains

  subroutine locate(self, indices, owners, offsets)
    class(backwards_rule), intent(in) :: self
    integer(int64), intent(in) :: indices(:)
    integer(int32), intent(out) :: owners(:)
    integer(int64), intent(out) :: offsets(:)

    owners = int(mod(self%elements - indices, int(self%ranks, int64)), int32)
    offsets = (self%elements - indices) / self%ranks + 1
  end subroutine locate

  subroutine globals(self, rank, offsets, indices)
    class(backwards_rule), intent(in) :: self
    integer, intent(in) :: rank
    integer(int64), intent(in) :: offsets(:)
    integer(int64), intent(out) :: indices(:)
    indices = self%elements - ((offsets - 1) * self%ranks + rank)
  end subroutine globals

end module backwards_rules

program irregular_plans_test
  use, intrinsic :: iso_fortran_env, only: int8, int32, int64, real32, real64
  use backwards_rules, only: backwards_rule
  use nearfar
  use nearfar_testing, only: check, check_error, everyone, testing_begin, testing_end, &
    testing_next_shape, world_rank, world_size
  implicit none (type, external)
  integer(int64), parameter :: elements = 47
  integer, parameter :: references = 120
  type :: marked
    integer(int8) :: bytes(3)
  end type marked
  type(nearfar_team) :: team
  integer :: stat, k
  character(1000) :: message
  integer :: indices(references)

  call testing_begin()
  do while (testing_next_shape())
    call team%create(everyone)
    indices = [(reference(world_rank, k), k=1, references)]
    call test_distributions()
    call test_values()
    call test_ghosts()
    call test_update()
    call test_constants()
  call test_errors()
    call team%free()
  end do
  call testing_end()

contains

  pure integer function reference(rank, k)
    integer, intent(in) :: rank, k
    reference = 1 + mod(5 * k * k + 11 * rank + k, int(elements))
  end function reference

  ! How often all ranks together refer to g.
  pure integer function times(g)
    integer, intent(in) :: g
    integer :: r, i
    times = 0
    do r = 0, world_size - 1
      times = times + count([(reference(r, i) == g, i=1, references)])
    end do
  end function times

  subroutine test_distributions()
    type(nearfar_distribution) :: d
    integer(int64), allocatable :: own(:)
    integer(int64) :: g, size_here

    call d%block(team, elements)
    call check_distribution(d, 'block')
    size_here = merge(elements - world_size + 1, 1_int64, world_rank == 0)
    call d%block_sizes(team, size_here)
    call check(d%owned() == size_here, 'block_sizes: owned')
    call check_distribution(d, 'block_sizes')
    call d%cyclic(team, elements)
    call check_distribution(d, 'cyclic')
    call d%block_cyclic(team, elements, 4_int64)
    call check_distribution(d, 'block_cyclic')
    call d%two_block(team, elements, 20_int64)
    call check_distribution(d, 'two_block')
    call d%reversed_two_block(team, elements, 20_int64)
    call check_distribution(d, 'reversed_two_block')
    allocate (own(0))
    do g = 1, elements
      if (mod(g / 3, int(world_size, int64)) == world_rank) own = [own, g]
    end do
    call d%from_owned(team, own)
    call check(all(d%globals() == own), 'from_owned: globals')
    call check_distribution(d, 'from_owned')
    call d%from_owned(team, own - 1, base=0)
    call check(all(d%globals() == own), 'from_owned with base 0: globals')
    call check_distribution(d, 'from_owned with base 0')
    call d%from_rule(team, elements, (elements + world_size - 1 - world_rank) / world_size, &
      backwards_rule(elements, world_size))
    call check_distribution(d, 'from_rule')
  end subroutine test_distributions

  ! Each element is where it is said to be, and a plan finds it there.
  subroutine check_distribution(d, name)
    type(nearfar_distribution), intent(inout) :: d
    character(*), intent(in) :: name
    type(nearfar_irregular_plan) :: plan
    integer(int32), allocatable :: owners(:)
    integer(int64), allocatable :: offsets(:), own(:)
    integer(int64) :: g
    integer :: out(references)
    integer, allocatable :: x(:)

    call check(d%elements() == elements, name // ': elements')
    call check(d%describe() /= '', name // ': describe')
    call d%check()
    allocate (own, source=d%globals())
    call d%locate([(g, g=1, elements)], owners, offsets)
    call check(count(owners == world_rank) == d%owned(), name // ': owners')
    call check(all([(offsets(own(g)) == g, g=1, d%owned())]), name // ': offsets')
    call plan%create(d, indices, budget_s=0.01_real64)
    allocate (x, source=int(own))
    call plan%gather(x, out)
    call check(all(out == indices), name // ': gather')
    call plan%free()
    call d%free()
    call check(d%elements() == -1_int64, name // ': free')
  end subroutine check_distribution

  subroutine test_values()
    type(nearfar_distribution) :: d
    type(nearfar_irregular_plan) :: plan
    integer(int32) :: sums(references)
    integer(int64), allocatable :: own(:), x(:,:)
    real(real64), pointer, contiguous :: in_near_memory(:)
    integer(int64) :: pairs(2, references)
    real(real32) :: products(references)
    real(real64) :: values(references)
    complex(real64) :: turned(references)
    type(marked) :: words(references)
    integer :: i

    call d%block_cyclic(team, elements, 3_int64)
    call plan%create(d, indices - 1, base=0, name='values', order='canonical', budget_s=0.01_real64)
    allocate (own, source=d%globals())
    call check(plan%references() == references .and. plan%owned() == d%owned(), 'sizes')
    call check(index(plan%describe(), 'values') > 0, 'describe')
    call check(plan%method() /= '', 'method')

    call plan%new_array(in_near_memory)
    call check(all(abs(in_near_memory) <= 0), 'new_array: zeros')
    call check(size(in_near_memory) == plan%owned() + plan%ghosts(), 'new_array: size')
    in_near_memory(:d%owned()) = real(own, real64)
    call plan%start_gather(in_near_memory, values)
    do while (.not. plan%test())
    end do
    call plan%finish()
    call check(all(nint(values) == indices), 'start_gather')
    call plan%start_scatter(values, in_near_memory, op='sum')
    call plan%finish()
    call check(all([(nint(in_near_memory(i)) == own(i) * (1 + times(int(own(i)))), &
      i=1, size(own))]), &
      'start_scatter')
    call plan%free_array(in_near_memory)

    allocate (x(2, size(own)))
    x(1, :) = own
    x(2, :) = -own
    call plan%gather(x, pairs)
    call check(all(pairs(1, :) == indices .and. pairs(2, :) == -indices), 'rank 2')
    pairs(1, :) = 1
    call plan%scatter(pairs, x)
    call check(all([(x(1, i) == own(i) + times(int(own(i))), i=1, size(own))]), 'scatter of rank 2')
    call plan%scatter(pairs * 0 + 100 * world_rank, x, op='max')
    call check(all(x <= max(100 * (world_size - 1), 1000)), 'max')

    sums = 1
    call plan%assemble(sums)
    call check(all(sums == [(times(indices(i)), i=1, references)]), 'assemble')
    sums = 1
    call plan%start_assemble(sums)
    call plan%finish()
    call check(all(sums == [(times(indices(i)), i=1, references)]), 'start_assemble')
    products = real(merge(2, 1, indices == 1 .and. [(i == last_of(1), i=1, references)]), real32)
    call plan%assemble(products, op='product')
    call check(all(nint(products) == merge(2**ranks_with(1), 1, indices == 1)), 'product')
    turned = cmplx(1, world_rank, real64)
    call plan%assemble(turned, op='sum')
    call check(all(nint(real(turned)) == sums), 'complex numbers')
    words = marked([1_int8, 2_int8, int(world_rank, int8)])
    call plan%assemble(words, op='replace')
    call check(all([(words(i)%bytes(3) == last_rank_with(indices(i)), i=1, references)]), &
      'replace: the last in the order of ranks')
    call plan%free()
    call d%free()
  end subroutine test_values

  pure integer function last_of(g)
    integer, intent(in) :: g
    integer :: i
    last_of = 0
    do i = 1, references
      if (indices(i) == g) last_of = i
    end do
  end function last_of

  pure integer function ranks_with(g)
    integer, intent(in) :: g
    integer :: r, i
    ranks_with = count([(any([(reference(r, i) == g, i=1, references)]), r=0, world_size - 1)])
  end function ranks_with

  pure integer function last_rank_with(g)
    integer, intent(in) :: g
    integer :: r, i
    last_rank_with = -1
    do r = 0, world_size - 1
      if (any([(reference(r, i) == g, i=1, references)])) last_rank_with = r
    end do
  end function last_rank_with

  subroutine test_ghosts()
    type(nearfar_distribution) :: d
    type(nearfar_irregular_plan) :: plan
    real(real32), pointer, contiguous :: x(:,:)
    integer(int32), allocatable :: y(:), local(:)
    integer(int64), allocatable :: ghosts(:), own(:)
    integer :: i, users, wrong

    call d%cyclic(team, elements)
    call plan%create(d, int(indices, int64), budget_s=0.01_real64)
    allocate (own, source=d%globals())
    allocate (ghosts, source=plan%ghost_indices())
    allocate (local, source=plan%local_indices())
    call check(all(plan%local_indices(base=0) == local - 1), 'base of local indices')
    call check(size(ghosts) == plan%ghosts(), 'ghost_indices')
    call plan%new_array(x, 3)
    call check(size(x, 1) == 3, 'new_array of rank 2')
    x = -1
    x(2, :size(own)) = real(own, real32)
    call plan%gather_ghosts(x)
    call check(all(nint(x(2, local)) == indices) .and. all(nint(x(2, size(own) + 1:)) == ghosts), &
      'gather_ghosts')
    call check(all(nint(x(1, :)) == -1), 'other components')
    call plan%start_gather_ghosts(x)
    call plan%finish()
    call plan%free_array(x)
    call check(.not. associated(x), 'free_array')

    allocate (y(plan%owned() + plan%ghosts()), source=1)
    call plan%scatter_ghosts(y)
    wrong = 0
    do i = 1, size(own)
      users = ranks_with(int(own(i)))
      if (.not. any(indices == own(i))) users = users + 1  ! the owner, who does not refer to it
      if (y(i) /= users) wrong = wrong + 1
    end do
    call check(wrong == 0, 'scatter_ghosts')
    y = world_rank
    call plan%assemble_ghosts(y, op='max')
    call check(all([(y(local(i)) == max(last_rank_with(indices(i)), &
      int(mod(indices(i) - 1, world_size))), i=1, references)]), 'assemble_ghosts')
    call plan%start_scatter_ghosts(y, op='min')
    call plan%finish()
    call plan%free()
    call d%free()
  end subroutine test_ghosts

  subroutine test_update()
    type(nearfar_distribution) :: d, other
    type(nearfar_irregular_plan) :: plan
    integer :: out(2)
    integer, allocatable :: x(:)

    call d%block(team, elements)
    call other%cyclic(team, elements)
    call plan%create(d, indices, budget_s=0.01_real64, threads=2)
    call plan%update([1, int(elements)])
    allocate (x, source=int(d%globals()))
    call plan%gather(x, out)
    call check(all(out == [1, int(elements)]), 'update')
    call plan%update([int(elements, int64) - 1, 0_int64], base=0, where=other)
    deallocate (x)
    allocate (x, source=int(other%globals()))
    call plan%gather(x, out)
    call check(all(out == [int(elements), 1]), 'update with another distribution')
    call plan%free()
    call d%free()
    call other%free()
  end subroutine test_update

  !> What is intent(in) keeps its ghosts.
  subroutine test_constants()
    type(nearfar_distribution) :: d
    type(nearfar_irregular_plan) :: plan
    real(real64), allocatable, target :: x(:)
    integer :: i, ghost

    call d%block(team, elements)
    call plan%create(d, [1, int(elements)], budget_s=0.01_real64)
    allocate (x, source=[real(real64) :: real(d%globals(), real64), &
      (-1.0_real64, ghost = 1, int(plan%ghosts()))])
    call gather_only(plan, x)
    i = int(plan%owned())
    call check(all(x(:i) == d%globals()) .and. all(x(i + 1:) < 0), 'x that is only read')
    call plan%free()
    call d%free()
  end subroutine test_constants

  subroutine gather_only(plan, x)
    type(nearfar_irregular_plan), intent(in) :: plan
    real(real64), intent(in), target, contiguous :: x(:)
    real(real64), target :: out(2)

    out = -1
    call plan%gather_const(x, out)
    call check(all(out == [1, int(elements)]), 'gather of x that is only read')
    out = -1
    call plan%start_gather_const(x, out)
    call plan%finish()
    call check(all(out == [1, int(elements)]), 'gather of x that is only read, started')
  end subroutine gather_only

  subroutine test_errors()
    type(nearfar_distribution) :: d
    type(nearfar_irregular_plan) :: plan
    real(real64) :: x(elements, 2), out(references)
    integer(int32) :: small(references)

    call d%block(team, -2_int64, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, '-2', 'negative size')
    call plan%create(d, indices, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'NULL', 'no distribution')
    call d%block(team, elements)
    call plan%create(d, [merge(48, 1, world_rank == 0)], stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, &
      'index 48 is out of range; indices are 1 … 47', 'index out of range')
    call plan%create(d, [merge(0, 1, world_rank == world_size - 1)], stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'index 0', 'index below range')
    call plan%create(d, indices, method='swift', stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'swift', 'method')
    call plan%create(d, indices, order='any', stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'order', 'order')
    call plan%create(d, indices, threads=-3, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, '-3 threads', 'threads')
    call plan%create(d, indices, budget_s=0.01_real64)
    x = 0
    out = 0
    call plan%gather(x(1:d%owned(), 1), out)
    call plan%gather(x(1:d%owned() - 1, 1), out, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'own elements', 'length of x')
    call plan%gather(x(1:d%owned(), 1), out(2:), stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'references', 'length of out')
    call plan%gather(x(1, :), out, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'contiguous', 'section')
    call plan%gather(x(1:d%owned(), 1), small, stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, &
      'x is of float64, the values of references are of int32', 'types')
    call plan%scatter(out, x(1:d%owned(), 1), op='divide', stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'operation', 'operation')
    call plan%gather_ghosts(x(1, 1), stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'scalar', 'scalar')
    call plan%finish(stat=stat, errmsg=message)
    call check_error(stat, nearfar_usage_error, message, 'without a start', 'finish alone')
    call plan%free()
    call d%free()
  end subroutine test_errors

end program irregular_plans_test
