! SPDX-License-Identifier: BSD-3-Clause
! The time filter of the leapfrog scheme on dx/dt = i w x, which has two solutions: each step turns
! the physical one and makes the computational one change its sign. With nu, the strength, alpha,
! Williams's share, and a = w dt, steps multiply them by the roots of
!   l**2 - (nu + i a (2 - (1 - alpha) nu)) l - (1 - nu) + i a alpha nu = 0,
! which follows from the filter as Williams (2009) defines it.
program filter_test
  use checks, only: check, near, finish
  use weather_constants, only: wp
  use weather_grid, only: shape_t, box_t
  use weather_leapfrog, only: advance_field, kept_of, filtered
  implicit none (type, external)

  type(shape_t), parameter :: b = shape_t(nz=2, il=0, ih=4, jl=0, jh=3)
  type(box_t), parameter :: own = box_t(1, 3, 1, 2)
  real(wp), parameter :: strengths(3) = [0.05_wp, 0.2_wp, 1.0_wp]
  real(wp), parameter :: shares(3) = [0.5_wp, 0.53_wp, 1.0_wp]
  logical :: are_alike = .true., are_others_kept = .true.
  integer :: m, n

  do m = 1, size(strengths)
    do n = 1, size(shares)
      call alternation(strengths(m), shares(n))
      call oscillation(strengths(m), shares(n))
    end do
    call tracer(strengths(m))
  end do
  call damping()
  call check(are_alike, 'all cells are filtered alike', 1.0_wp)
  call check(are_others_kept, 'no other cells are touched', 1.0_wp)
  call finish()

contains

  !> From (old, now) to (now, new) by the model's kernel; rate: what the field changes by in a step.
  subroutine step(strength, share, rate, old, now)
    real(wp), intent(in) :: strength, share, rate
    real(wp), intent(inout) :: old, now
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh) :: departures, olds, nows
    departures = -1.0e30_wp
    olds = 1.0e30_wp
    nows = 1.0e30_wp
    departures(:, 1:3, 1:2) = old + 2.0_wp*rate - now
    olds(:, 1:3, 1:2) = old
    nows(:, 1:3, 1:2) = now
    call advance_field(b, own, 0.5_wp*strength, share, departures, olds, nows)
    are_alike = are_alike .and. all(abs(olds(:, 1:3, 1:2) - olds(1, 1, 1)) <= 0.0_wp) &
      .and. all(abs(nows(:, 1:3, 1:2) - nows(1, 1, 1)) <= 0.0_wp)
    are_others_kept = are_others_kept .and. all(olds(:, [0, 4], :) > 1.0e29_wp) &
      .and. all(nows(:, :, [0, 3]) > 1.0e29_wp)
    old = olds(1, 1, 1)
    now = nows(1, 1, 1)
  end subroutine step

  !> An alternation of sign, which nothing drives, shrinks by 1 - nu in each step, and the mean of
  !> the three times is kept where both get the same share.
  subroutine alternation(strength, share)
    real(wp), intent(in) :: strength, share
    real(wp) :: old, now, before(2)
    integer :: k
    old = 7.0_wp
    now = -5.0_wp
    do k = 1, 4
      before = [old, now]
      call step(strength, share, 0.0_wp, old, now)
      call check(abs(old - now + (1.0_wp - strength)*(before(1) - before(2))) < 1.0e-13_wp, &
        'the alternation shrinks by 1 - nu and changes its sign', old - now)
      call check(abs(share - 0.5_wp) > 0.0_wp .or. abs(old + now - sum(before)) < 1.0e-13_wp, &
        'equal shares keep the mean', old + now)
    end do
  end subroutine alternation

  !> Physical, computational factor.
  function factors(strength, share, angle) result(roots)
    real(wp), intent(in) :: strength, share, angle
    complex(wp) :: roots(2), half, product
    half = 0.5_wp*cmplx(strength, angle*(2.0_wp - (1.0_wp - share)*strength), wp)
    product = cmplx(strength - 1.0_wp, angle*share*strength, wp)
    roots = half + [1.0_wp, -1.0_wp]*sqrt(half**2 - product)
  end function factors

  !> Each solution, real part and imaginary part as two fields, is multiplied by its factor.
  subroutine oscillation(strength, share)
    real(wp), intent(in) :: strength, share
    real(wp), parameter :: angle = 0.2_wp
    complex(wp) :: roots(2), old, now, first
    real(wp) :: olds(2), nows(2), rates(2)
    integer :: root, k
    roots = factors(strength, share, angle)
    do root = 1, 2
      ! Of which the older time becomes the root times itself.
      first = (roots(root) - share*strength) &
        /cmplx(1.0_wp - share*strength, angle*share*strength, wp)
      old = (1.0_wp, 0.0_wp)
      now = first
      do k = 1, 10
        olds = [real(old), aimag(old)]
        nows = [real(now), aimag(now)]
        rates = angle*[-nows(2), nows(1)]
        call step(strength, share, rates(1), olds(1), nows(1))
        call step(strength, share, rates(2), olds(2), nows(2))
        old = cmplx(olds(1), olds(2), wp)
        now = cmplx(nows(1), nows(2), wp)
      end do
      call check(max(abs(old - roots(root)**10), abs(now - first*roots(root)**10)) < 1.0e-12_wp, &
        merge('the physical solution     ', 'the computational solution', root == 1), abs(now))
    end do
  end subroutine oscillation

  !> Tracers are filtered by alpha = 1 in two parts, and remain positive.
  subroutine tracer(strength)
    real(wp), intent(in) :: strength
    real(wp), parameter :: cases(3, 3) = reshape([1.0_wp, 0.0_wp, 0.0_wp, 0.0_wp, 2.0_wp, 0.0_wp, &
      0.5_wp, 0.0_wp, 3.0_wp], [3, 3])
    real(wp) :: old, now, got
    integer :: k
    do k = 1, 3
      old = cases(1, k)
      now = cases(2, k)
      got = filtered(0.5_wp*strength, kept_of(0.5_wp*strength, old, now), cases(3, k))
      call step(strength, 1.0_wp, 0.5_wp*(cases(3, k) - old), old, now)
      call check(abs(got - old) < 1.0e-15_wp, 'a tracer is filtered like a field', got)
      call check(got >= 0.0_wp, 'none becomes negative', got)
    end do
  end subroutine tracer

  !> Williams's shares nearly keep the amplitude that Robert and Asselin's filter takes.
  subroutine damping()
    complex(wp) :: roots(2)
    real(wp) :: loss(2)
    integer :: k
    do k = 1, 2
      roots = factors(0.2_wp, merge(0.53_wp, 1.0_wp, k == 1), 0.2_wp)
      loss(k) = 1.0_wp - abs(roots(1))
    end do
    call near(loss(2), 0.2_wp/(2.0_wp*(2.0_wp - 0.2_wp))*0.2_wp**2, 0.1_wp, &
      'loss by Robert and Asselin')
    call check(abs(loss(1)) < 0.1_wp*loss(2), 'loss with shares of 0.53', loss(1))
  end subroutine damping
end program filter_test
