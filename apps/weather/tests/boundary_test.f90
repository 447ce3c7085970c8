! SPDX-License-Identifier: BSD-3-Clause
! The relaxation of the sides: its rates, and what it sends back of waves. Those of speed c obey
!   dp/dt = -c du/dx - rate p,    du/dt = -c dp/dx - rate u
! on staggered points, with u = 0 at the outermost face. A wave of one frequency is followed from
! there, cell by cell, to where nothing is relaxed, and split into what comes in and what goes
! out (the reflection of Davies 1976, section 4, of all lengths and speeds and any rates).
program boundary_test
  use checks, only: check, near, finish
  use weather_constants, only: wp, pi
  use weather_config, only: config_t
  use weather_grid, only: grid_t, make_tile
  use weather_boundary, only: side_rates
  implicit none (type, external)

  integer, parameter :: width = 15
  real(wp), parameter :: dx = 20.0e3_wp
  type(config_t) :: c
  type(grid_t) :: g
  real(wp), allocatable :: rate(:, :)
  integer :: n

  g%nx = 60
  g%ny = 50
  g%dx = dx
  g%dy = 2.0_wp*dx
  g%periodic_x = .false.
  g%periodic_y = .false.
  call make_tile(g, 1, g%nx, 1, g%ny, 3, 3)
  c%davies_width = width
  c%davies_time = 0.0_wp
  c%time_scheme = 'rk3'
  c%dtlong = 1.0e-3_wp
  call side_rates(g, c, rate)
  call near(rate(1, 25), 300.0_wp/dx, 1.0e-4_wp, 'the outermost rate, of 300 m/s')
  call near(rate(2, 25)/rate(1, 25), (exp(-1.0_wp/3.0_wp) - exp(-5.0_wp))/(1.0_wp - exp(-5.0_wp)), &
    1.0e-4_wp, 'falls by a constant share')
  call check(rate(width, 25) > 0.0_wp .and. rate(width + 1, 25) <= 0.0_wp, 'to the width', &
    rate(width, 25))
  call check(maxval(abs(rate(1:g%nx, 25) - rate(g%nx:1:-1, 25))) <= 0.0_wp .and. &
    maxval(abs(rate(30, 1:g%ny) - rate(30, g%ny:1:-1))) <= 0.0_wp, 'alike at opposite sides', &
    rate(g%nx, 25))
  call near(rate(4, 3), rate(30, 3), 1.0e-12_wp, 'the nearest side counts')

  call check(reflected(330.0_wp, 20.0_wp) < 0.03_wp, 'share of an external wave of 20 columns', &
    reflected(330.0_wp, 20.0_wp))
  do n = 1, 4
    call slow_wave(10.0_wp**(0.5_wp*n + 0.5_wp))
  end do

  c%dtlong = 120.0_wp
  call side_rates(g, c, rate)
  call near(1.0_wp - rate(1, 25)*c%dtlong, exp(-c%dtlong*300.0_wp/dx), 1.0e-12_wp, &
    'a long step does what the exact solution does')
  c%time_scheme = 'leapfrog'
  call side_rates(g, c, rate)
  call near(1.0_wp - rate(1, 25)*2.0_wp*c%dtlong, exp(-2.0_wp*c%dtlong*300.0_wp/dx), 1.0e-12_wp, &
    'and the double one of leapfrog')
  c%davies_time = 500.0_wp
  c%dtlong = 1.0e-3_wp
  call side_rates(g, c, rate)
  call near(rate(1, 25), 2.0e-3_wp, 1.0e-4_wp, 'davies_time, where it is given')
  g%periodic_y = .true.
  call side_rates(g, c, rate)
  call check(maxval(rate(width + 1:g%nx - width, :)) <= 0.0_wp .and. rate(30, 1) <= 0.0_wp, &
    'periodic sides have none', maxval(rate(30, :)))
  call finish()

contains

  subroutine slow_wave(speed)
    real(wp), intent(in) :: speed
    real(wp) :: share
    share = reflected(speed, 20.0_wp)
    call check(share < 0.07_wp, 'share of an internal wave of 20 columns', share)
    share = reflected(speed, 8.0_wp)
    call check(share < 0.07_wp, 'and of 8 columns', share)
  end subroutine slow_wave

  !> Amplitude that comes back from the west side over what arrives, for a length in columns.
  real(wp) function reflected(speed, columns)
    real(wp), intent(in) :: speed, columns
    complex(wp), parameter :: imaginary = (0.0_wp, 1.0_wp)
    complex(wp) :: p(g%nx), u(0:g%nx), turn, in, back
    real(wp) :: k, frequency
    integer :: i

    k = 2.0_wp*pi/(columns*dx)
    frequency = 2.0_wp*speed/dx*sin(0.5_wp*k*dx)
    u(0) = 0.0_wp
    p(1) = 1.0_wp
    do i = 1, g%nx/2
      u(i) = u(i - 1) - dx/speed*(-imaginary*frequency + rate(i, 25))*p(i)
      p(i + 1) = p(i) - dx/speed*(-imaginary*frequency + rate(i + 1, 25))*u(i)
    end do
    ! p(i) = in exp(-i k x) + back exp(i k x), from two neighbours
    i = g%nx/2
    turn = exp(imaginary*k*dx)
    in = (turn*p(i) - p(i + 1))/(turn - 1.0_wp/turn)
    back = (p(i + 1) - p(i)/turn)/(turn - 1.0_wp/turn)
    reflected = abs(back/in)
  end function reflected
end program boundary_test
