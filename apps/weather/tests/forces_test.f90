! SPDX-License-Identifier: BSD-3-Clause
! Forces on the wind against what they are: the Coriolis force turns a uniform wind to the right
! north of the equator, to the left south of it, does no work, and brings it back after 2 pi/f;
! pressure, weight and sponge over a hill, one by one; what is diagnosed from the state.
program forces_test
  use checks, only: check, near, finish
  use weather_constants, only: wp, pi
  use weather_grid, only: grid_t, shape_t, box_t
  use weather_forces, only: force_u, force_v, force_w, diagnose_cells, diagnose_wind
  use manufactured, only: wave_t, value, gradient, make_grid, place, above_sea, fill, make_field, &
    converges
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
  call over_hill()
  call vertical()
  call diagnoses()
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
    call check(maxval(abs(tend_u(:, 1:n, 1:n) + 5.0_wp*f)) < 1.0e-18_wp .and. &
      maxval(abs(tend_v(:, 1:n, 1:n) + 3.0_wp*f)) < 1.0e-18_wp, 'in all cells', tend_u(1, n, n))
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

  !> -jac dp/dx and -jac dp/dy at constant height over a hill, against the sloping levels.
  subroutine over_hill()
    type(wave_t), parameter :: p_wave = wave_t(mean=7.0_wp, size=100.0_wp)
    type(grid_t) :: g
    real(wp), allocatable, dimension(:, :, :) :: p, none, t_u, t_v
    real(wp) :: errors(2, 2)
    integer :: m
    do m = 1, 2
      call make_grid(g, m, .true.)
      call make_field(g, p)
      call make_field(g, none)
      call make_field(g, t_u)
      call make_field(g, t_v)
      call fill(g, p_wave, [0, 0, 0], p, lifted=.true.)
      call force_u(g%shape, g%own, 1.0_wp/g%dx, g%flat, g%fall_c, g%slope, g%jac_u, g%sx, &
        g%coriolis, p, none, t_u)
      call force_v(g%shape, g%own, 1.0_wp/g%dy, g%flat, g%fall_c, g%slope, g%jac_v, g%sy, &
        g%coriolis, p, none, t_v)
      errors(m, 1) = error_along(g, p_wave, 1, t_u)
      errors(m, 2) = error_along(g, p_wave, 2, t_v)
    end do
    call converges(errors(:, 1), 2, '-dp/dx over a hill')
    call converges(errors(:, 2), 2, '-dp/dy over a hill')
  end subroutine over_hill

  !> Of -jac dp/dx (d = 1) or -jac dp/dy (d = 2), as a share of the largest.
  real(wp) function error_along(g, w, d, tend)
    type(grid_t), intent(in) :: g
    type(wave_t), intent(in) :: w
    integer, intent(in) :: d
    real(wp), intent(in) :: tend(g%nz, g%shape%il:g%shape%ih, g%shape%jl:g%shape%jh)
    real(wp) :: slopes(3), wanted, jac, largest
    integer :: at(3), i, j, k
    at = 0
    at(d) = 1
    largest = 0.0_wp
    error_along = 0.0_wp
    do j = 1, g%ny
      do i = 1, g%nx
        jac = merge(g%jac_u(i, j), g%jac_v(i, j), d == 1)
        do k = 1, g%nz
          slopes = gradient(w, above_sea(place(g, k, i, j, at)))
          wanted = -jac*slopes(d)
          largest = max(largest, abs(wanted))
          error_along = max(error_along, abs(tend(k, i, j) - wanted))
        end do
      end do
    end do
    error_along = error_along/largest
  end function error_along

  !> -dp/dzeta, the weight of what is denser than the reference, and the sponge, each alone.
  subroutine vertical()
    type(wave_t), parameter :: w = wave_t(mean=2.0_wp)
    type(grid_t) :: g
    real(wp), allocatable :: parts(:, :, :, :), tend(:, :, :)
    real(wp) :: errors(2, 3), sponge_rate, wanted, slopes(3), x(3)
    real(wp), allocatable :: sponge(:)
    integer :: m, part, i, j, k
    do m = 1, 2
      call make_grid(g, m, .false.)
      do part = 1, 3
        allocate (parts(g%nz, g%shape%il:g%shape%ih, g%shape%jl:g%shape%jh, 3), source=0.0_wp)
        allocate (sponge(g%nz), source=0.0_wp)
        sponge_rate = merge(0.3_wp, 0.0_wp, part == 3)
        sponge = sponge_rate
        call make_field(g, tend)
        call fill(g, w, merge([0, 0, 1], [0, 0, 0], part == 3), parts(:, :, :, part))
        tend = 1.0_wp
        call force_w(g%shape, g%own, g%rdzf, g%fzm, g%fzp, sponge, parts(:, :, :, 1), &
          parts(:, :, :, 2), parts(:, :, :, 3), tend)
        errors(m, part) = 0.0_wp
        do j = 1, g%ny
          do i = 1, g%nx
            do k = 2, g%nz
              x = place(g, k, i, j, [0, 0, 1])
              slopes = gradient(w, x)
              wanted = -slopes(3)
              if (part == 2) wanted = -9.80665_wp*value(w, x)
              if (part == 3) wanted = -sponge_rate*value(w, x)
              errors(m, part) = max(errors(m, part), abs(tend(k, i, j) - 1.0_wp - wanted))
            end do
          end do
        end do
        deallocate (parts, sponge)
      end do
    end do
    call converges(errors(:, 1)*1.0e3_wp, 2, '-dp/dzeta')
    call converges(errors(:, 2)/9.8_wp, 2, 'weight')
    call check(errors(2, 3) < 1.0e-12_wp, 'sponge', errors(2, 3))
  end subroutine vertical

  !> theta, pressure and its derivative, w and wind of one column of known air.
  subroutine diagnoses()
    type(grid_t) :: g
    real(wp), allocatable, dimension(:, :, :) :: d, rho, rth, rth_base, p_base, rw, theta, pp, &
      stiff, w, more, wind, other
    integer :: i, j, k
    call make_grid(g, 1, .false.)
    call make_field(g, d)
    call make_field(g, rho)
    call make_field(g, rth)
    call make_field(g, rth_base)
    call make_field(g, p_base)
    call make_field(g, rw)
    call make_field(g, theta)
    call make_field(g, pp)
    call make_field(g, stiff)
    call make_field(g, w)
    call make_field(g, more)
    call make_field(g, wind)
    call make_field(g, other)
    do j = g%shape%jl, g%shape%jh
      do i = g%shape%il, g%shape%ih
        do k = 1, g%nz
          d(k, i, j) = 1.0_wp + 1.0e-5_wp*g%zc(k) + 0.01_wp*i + 0.003_wp*j
          rho(k, i, j) = 0.1_wp
        end do
      end do
    end do
    rth_base = 300.0_wp
    rth = 330.0_wp
    p_base = 8.0e4_wp
    rw = 2.0_wp
    call diagnose_cells(g%shape, g%own, g%fzm, g%fzp, d, rth_base, p_base, rho, rth, rw, theta, &
      pp, stiff, w)
    call near(theta(2, 3, 4), 330.0_wp/(d(2, 3, 4) + 0.1_wp), 1.0e-12_wp, 'theta')
    associate (ni => g%nx, nj => g%ny, nk => g%nz)
      call check(maxval(abs(theta(:, 1:ni, 1:nj)*(d(:, 1:ni, 1:nj) + 0.1_wp) - 330.0_wp)) < &
        1.0e-9_wp .and. maxval(abs(pp(:, 1:ni, 1:nj) - pp(2, 3, 4))) < 1.0e-6_wp .and. &
        maxval(abs(stiff(:, 1:ni, 1:nj) - stiff(2, 3, 4))) < 1.0e-9_wp, 'in all cells', &
        theta(nk, ni, nj))
      do k = 2, nk
        call near(w(k, ni, nj), 2.0_wp/(1.1_wp + 1.0e-5_wp*g%zf(k) + 0.01_wp*ni + 0.003_wp*nj), &
          1.0e-12_wp, 'w of all levels')
      end do
    end associate
    call near(pp(2, 3, 4), 8.0e4_wp*(1.1_wp**1.4_wp - 1.0_wp), 1.0e-12_wp, 'pressure')
    call near(stiff(2, 3, 4), 1.4_wp*8.0e4_wp*1.1_wp**1.4_wp/330.0_wp, 1.0e-12_wp, &
      'what pressure gains by rho theta')
    call near(w(1, 3, 4), 2.0_wp/(d(1, 3, 4) + 0.1_wp), 1.0e-12_wp, 'w at the ground')
    call near(w(5, 3, 4), 2.0_wp/(1.1_wp + 1.0e-5_wp*g%zf(5) + 0.042_wp), 1.0e-12_wp, &
      'w between levels')
    more = 3.0_wp
    call diagnose_wind(g%shape, g%own, 1, 0, d, rho, more, wind)
    call near(wind(2, 3, 4), 3.0_wp/(d(2, 3, 4) + 0.1_wp - 0.005_wp), 1.0e-12_wp, 'u')
    call diagnose_wind(g%shape, g%own, 0, 1, d, rho, more, other)
    call near(other(2, 3, 4), 3.0_wp/(d(2, 3, 4) + 0.1_wp - 0.0015_wp), 1.0e-12_wp, 'v')
  end subroutine diagnoses
end program forces_test
