! SPDX-License-Identifier: BSD-3-Clause
! Forces on the wind against what they are: the Coriolis force turns a uniform wind to the right
! north of the equator, to the left south of it, does no work, and brings it back after 2 pi/f.
program forces_test
  use checks, only: check, near, finish
  use weather_constants, only: wp, pi
  use weather_grid, only: shape_t, box_t
  use weather_forces, only: force_u, force_v
  implicit none (type, external)

  integer, parameter :: n = 4, nz = 3
  type(shape_t), parameter :: b = shape_t(nz=nz, il=0, ih=n + 1, jl=0, jh=n + 1)
  type(box_t), parameter :: own = box_t(1, n, 1, n)
  real(wp), dimension(0:n + 1, 0:n + 1) :: coriolis, unit
  real(wp), dimension(nz, 0:n + 1, 0:n + 1) :: ru, rv, pressure, tend_u, tend_v
  real(wp) :: fall(nz), slope(3, nz)

  fall = 0.0_wp
  slope = 0.0_wp
  unit = 1.0_wp
  pressure = 0.0_wp
  call turning(1.0e-4_wp)
  call turning(-1.0e-4_wp)
  call sheared()
  call pressure_gradient()
  call finish()

contains

  subroutine forces(u, v)
    real(wp), intent(in) :: u, v
    ru = u
    rv = v
    call forces_of_wind()
  end subroutine forces

  subroutine forces_of_wind()
    tend_u = 0.0_wp
    tend_v = 0.0_wp
    call force_u(b, own, 0.001_wp, .true., fall, slope, unit, unit, coriolis, pressure, rv, tend_u)
    call force_v(b, own, 0.001_wp, .true., fall, slope, unit, unit, coriolis, pressure, ru, tend_v)
  end subroutine forces_of_wind

  !> du/dt = f v, dv/dt = -f u of a uniform wind, and its inertial circle by small steps.
  subroutine turning(f)
    real(wp), intent(in) :: f
    integer, parameter :: steps = 2000
    real(wp) :: u, v, middle(2), dt
    integer :: k

    coriolis = f
    call forces(3.0_wp, -5.0_wp)
    call near(tend_u(2, 2, 2), -5.0_wp*f, 1.0e-12_wp, 'f v')
    call near(tend_v(2, 2, 2), -3.0_wp*f, 1.0e-12_wp, '-f u')
    call check(abs(3.0_wp*tend_u(1, 3, 3) - 5.0_wp*tend_v(1, 3, 3)) < 1.0e-18_wp, &
      'the Coriolis force does no work', 3.0_wp*tend_u(1, 3, 3) - 5.0_wp*tend_v(1, 3, 3))
    u = 10.0_wp
    v = 0.0_wp
    dt = 0.5_wp*pi/abs(f)/steps
    do k = 1, steps                     ! a quarter of the circle, by the midpoint rule
      call forces(u, v)
      middle = [u + 0.5_wp*dt*tend_u(1, 2, 2), v + 0.5_wp*dt*tend_v(1, 2, 2)]
      call forces(middle(1), middle(2))
      u = u + dt*tend_u(1, 2, 2)
      v = v + dt*tend_v(1, 2, 2)
    end do
    call near(v, -sign(10.0_wp, f), 1.0e-3_wp, 'a wind from the west has turned by a right angle')
  end subroutine turning

  !> Each face has the wind and the Coriolis parameter of its own place, exact where they grow
  !> linearly: u lies half a column west of the centres, v half a column south of them.
  subroutine sheared()
    integer :: i, j

    do j = 0, n + 1
      do i = 0, n + 1
        coriolis(i, j) = 1.0e-4_wp*(1.0_wp + 0.1_wp*i + 0.2_wp*j)
        ru(:, i, j) = 2.0_wp*(i - 0.5_wp) + 3.0_wp*j
        rv(:, i, j) = 5.0_wp*i + 7.0_wp*(j - 0.5_wp)
      end do
    end do
    call forces_of_wind()
    call near(tend_u(2, 3, 2), 1.0e-4_wp*(1.0_wp + 0.25_wp + 0.4_wp)*(12.5_wp + 14.0_wp), &
      1.0e-12_wp, 'f v of a sheared wind')
    call near(tend_v(2, 3, 2), -1.0e-4_wp*(1.0_wp + 0.3_wp + 0.3_wp)*(6.0_wp + 4.5_wp), &
      1.0e-12_wp, '-f u of a sheared wind')
  end subroutine sheared

  !> Air is pushed from high to low pressure.
  subroutine pressure_gradient()
    integer :: i

    coriolis = 0.0_wp
    do i = 0, n + 1
      pressure(:, i, :) = 100.0_wp*i
    end do
    call forces(0.0_wp, 0.0_wp)
    call near(tend_u(2, 2, 2), -0.1_wp, 1.0e-12_wp, '-dp/dx')
    call check(abs(tend_v(2, 2, 2)) < 1.0e-15_wp, 'nothing across it', tend_v(2, 2, 2))
    pressure = 0.0_wp
  end subroutine pressure_gradient
end program forces_test
