! SPDX-License-Identifier: BSD-3-Clause
! Reproducible sums from Fortran: both kinds, any rank, sections, accumulators, errors.
program reproducible_test
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use nearfar, only: nearfar_exact_sum, nearfar_reproducible_allreduce, nearfar_reproducible_dot, &
    nearfar_reproducible_sum, nearfar_team, nearfar_usage_error
  use nearfar_testing, only: check, check_error, everyone, testing_begin, testing_end, &
    testing_next_shape, world_rank, world_size
  implicit none (type, external)
  type(nearfar_team) :: team

  call testing_begin()
  do while (testing_next_shape())
    call team%create(everyone)
    call test_sums()
    call test_sections()
    call test_accumulators()
    call test_dots()
    call test_elements()
    call test_errors()
    call team%free()
  end do
  call testing_end()

contains

  ! 120 numbers that cancel, dealt to the ranks in turn (0 elsewhere); their sum is 30 * 0.25 = 7.5.
  pure function share(large) result(x)
    real(real64), intent(in) :: large
    real(real64) :: x(0:119)
    integer :: i

    x = 0
    do i = world_rank, 119, world_size
      select case (mod(i, 4))
      case (0)
        x(i) = large
      case (1)
        x(i) = 0.25_real64
      case (2)
        x(i) = -large
      end select
    end do
  end function share

  pure logical function same_64(a, b)
    real(real64), intent(in) :: a, b
    same_64 = transfer(a, 0_int64) == transfer(b, 0_int64)
  end function same_64

  pure logical function same_32(a, b)
    real(real32), intent(in) :: a, b
    same_32 = transfer(a, 0_int32) == transfer(b, 0_int32)
  end function same_32

  subroutine test_sums()
    real(real64) :: total
    real(real32) :: narrow
    real(real64) :: x(120)

    x = share(1e300_real64)
    call nearfar_reproducible_sum(team, x, total)
    call check(same_64(total, 7.5_real64), 'a sum of real64')
    x = share(1e30_real64)
    call nearfar_reproducible_sum(team, real(x, real32), narrow)
    call check(same_32(narrow, 7.5_real32), 'a sum of real32')
    call nearfar_reproducible_sum(team, 0.5_real64, total)
    call check(same_64(total, 0.5_real64 * world_size), 'a sum of scalars')
    call nearfar_reproducible_sum(team, x(1:0), total)
    call check(same_64(total, 0.0_real64), 'a sum of nothing')
  end subroutine test_sums

  subroutine test_sections()
    real(real64) :: total, field(0:6, 0:7, 0:5)
    integer :: i, j, k

    field = 1e18_real64
    do concurrent (i = 1:5, j = 1:6, k = 1:4)
      field(i, j, k) = i + 10 * j + 100 * k
    end do
    call nearfar_reproducible_sum(team, field(1:5, 1:6, 1:4), total)
    call check(same_64(total, world_size * sum(field(1:5, 1:6, 1:4))), 'a section')
    call nearfar_reproducible_sum(team, field(5:1:-2, 2, 1:4:3), total)
    call check(same_64(total, world_size * sum(field(5:1:-2, 2, 1:4:3))), 'strides of both signs')
    call nearfar_reproducible_dot(team, field(1:5, 1:6, 2), field(5:1:-1, 1:6, 1), total)
    call check(same_64(total, world_size * sum(field(1:5, 1:6, 2) * field(5:1:-1, 1:6, 1))), &
      'a dot product of sections')
  end subroutine test_sections

  subroutine test_accumulators()
    type(nearfar_exact_sum) :: whole, parts(3)
    real(real64) :: total, totals(3)
    real(real64) :: x(120)
    integer :: k

    x = share(1e300_real64)
    do k = 1, 3
      call parts(k)%add(x(k::3))
    end do
    call nearfar_reproducible_sum(team, parts, totals)
    do k = 1, 3
      call whole%merge(parts(k))
    end do
    call nearfar_reproducible_sum(team, whole, total)
    call check(same_64(total, 7.5_real64), 'merged accumulators')
    call check(all(.not. abs(totals) > 1e303_real64), 'several sums')
    call whole%free()
    call check(same_64(whole%value(), 0.0_real64), 'a freed accumulator is zero')
    call whole%add([0.25_real32, 0.5_real32])
    call check(same_64(whole%value(), 0.75_real64), 'its value')
    call whole%merge(whole)
    call check(same_64(whole%value(), 1.5_real64), 'merged with itself')
    call whole%free()
    do k = 1, 3
      call parts(k)%free()
    end do
    call nearfar_reproducible_sum(team, whole, total)
    call check(same_64(total, 0.0_real64), 'accumulators begin as zero')
    call whole%free()
  end subroutine test_accumulators

  subroutine test_dots()
    real(real64) :: total, a(3), b(3)
    real(real32) :: narrow

    a = [1e200_real64, 3.0_real64, 1e200_real64]
    b = [1e200_real64, 0.5_real64, -1e200_real64]
    call nearfar_reproducible_dot(team, a, b, total)
    call check(same_64(total, 1.5_real64 * world_size), 'products beyond the largest number')
    call nearfar_reproducible_dot(team, [1e30_real32, 2.0_real32, 1e30_real32], &
      [1e30_real32, 0.5_real32, -1e30_real32], narrow)
    call check(same_32(narrow, 1.0_real32 * world_size), 'the same in real32')
  end subroutine test_dots

  subroutine test_elements()
    real(real64) :: wide(2, 3)
    real(real32) :: narrow(4)

    wide = 0.5_real64
    if (world_rank == 0) wide(1, 2) = 1e300_real64
    if (world_rank == world_size - 1) wide(1, 2) = wide(1, 2) - 1e300_real64
    call nearfar_reproducible_allreduce(team, wide)
    call check(same_64(wide(2, 3), 0.5_real64 * world_size), 'elements of real64')
    narrow = [1.0_real32, 2.0_real32, 3.0_real32, 4.0_real32]
    call nearfar_reproducible_allreduce(team, narrow(1:4:2))
    call check(same_32(narrow(3), 3.0_real32 * world_size) .and. same_32(narrow(2), 2.0_real32), &
      'a section of real32')
  end subroutine test_elements

  subroutine test_errors()
    type(nearfar_team) :: none
    real(real64) :: total, x(3), y(2, 2)
    integer :: stat
    character(200) :: message

    x = 1
    y = 1
    call nearfar_reproducible_sum(none, x, total, stat, message)
    call check_error(stat, nearfar_usage_error, message, 'team', 'no team')
    call nearfar_reproducible_dot(team, x, y, total, stat, message)
    call check_error(stat, nearfar_usage_error, message, 'one shape', 'shapes that differ')
    call nearfar_reproducible_sum(team, x, total, stat)
    call check(stat == 0 .and. same_64(total, 3.0_real64 * world_size), 'after an error')
  end subroutine test_errors

end program reproducible_test
