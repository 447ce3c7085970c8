! SPDX-License-Identifier: BSD-3-Clause
! The potential that takes convergence out of an analysis: against Laplace's operator, put in again,
! and against a source whose solution is known; all spacings and extents differ.
program mass_balance_test
  use checks, only: check, near, finish, seed_with, uniform
  use weather_constants, only: wp, pi
  use weather_mass_balance, only: solve_potential
  implicit none (type, external)

  call any_source(17, 9)
  call any_source(1, 6)
  call one_wave(12, 31)
  call finish()

contains

  subroutine any_source(nx, ny)
    integer, intent(in) :: nx, ny
    real(wp), parameter :: dx = 3.0_wp, dy = 5.0_wp
    real(wp) :: source(nx, ny), chi(0:nx + 1, 0:ny + 1), worst
    integer :: i, j
    call seed_with(3)
    do j = 1, ny
      do i = 1, nx
        source(i, j) = uniform() - 0.3_wp
      end do
    end do
    call solve_potential(dx, dy, source, chi)
    worst = 0.0_wp
    do j = 1, ny
      do i = 1, nx
        worst = max(worst, abs((chi(i + 1, j) - 2.0_wp*chi(i, j) + chi(i - 1, j))/dx**2 &
          + (chi(i, j + 1) - 2.0_wp*chi(i, j) + chi(i, j - 1))/dy**2 - source(i, j)))
      end do
    end do
    call check(worst < 1.0e-13_wp, 'the differences of the potential are the source', worst)
    worst = max(maxval(abs(chi(0, :))), maxval(abs(chi(nx + 1, :))), maxval(abs(chi(:, 0))), &
      maxval(abs(chi(:, ny + 1))))
    call check(worst <= 0.0_wp, 'it is 0 beyond the sides', worst)
  end subroutine any_source

  !> A product of sines comes nearer to the solution of the differential equation as 1/n**2.
  subroutine one_wave(nx, ny)
    integer, intent(in) :: nx, ny
    real(wp), parameter :: length_x = 2.0e6_wp, length_y = 3.0e6_wp
    real(wp) :: source(nx, ny), chi(0:nx + 1, 0:ny + 1), k2
    integer :: i, j
    do j = 1, ny
      do i = 1, nx
        source(i, j) = sin(pi*i/(nx + 1))*sin(2.0_wp*pi*j/(ny + 1))
      end do
    end do
    k2 = (pi/length_x)**2 + (2.0_wp*pi/length_y)**2
    call solve_potential(length_x/(nx + 1), length_y/(ny + 1), source, chi)
    call near(chi(5, 7), -source(5, 7)/k2, 0.01_wp, 'the solution of a product of sines')
  end subroutine one_wave
end program mass_balance_test
