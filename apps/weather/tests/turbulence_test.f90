! SPDX-License-Identifier: BSD-3-Clause
! Turbulent mixing against formulas: deformation and coefficients of linear flows over flat ground
! and over terrain, decay of waves, conservation, and what must not be mixed at all.
program turbulence_test
  use checks, only: check, near, finish, seed_with, uniform
  use weather_constants, only: wp, pi, gravity
  use weather_config, only: config_t
  use weather_grid, only: grid_t, box_t, make_levels, make_tile, make_metric
  use weather_deformation, only: deform_cells, deform_corners, deform_edges_x, deform_edges_y
  use weather_turbulence, only: turbulence_t, mixing_coefficients, lilly_rate, least_mixing
  use weather_mixing, only: mix_along, mix_up, mix_wind_u, mix_wind_v, mix_wind_w, solve_column
  implicit none (type, external)

  integer, parameter :: nx = 12, ny = 10, nz = 8
  real(wp), parameter :: dx = 2000.0_wp, dy = 2500.0_wp, dt = 10.0_wp
  type :: fields_t
    real(wp), allocatable, dimension(:, :, :) :: u, v, w, theta, base, rho, h, z, centre, q, &
      tend, other, d11, d22, d33, d12, d13, d23
    real(wp), allocatable, dimension(:, :) :: ground, value, flux
  end type fields_t
  type(grid_t) :: g
  type(fields_t) :: f

  call seed_with(19631962)
  call rates()
  call column_decay()
  call set_up(0.0_wp)
  call linear_flow(1.0e-12_wp)
  call bounds()
  call waves()
  call set_up(600.0_wp)
  call linear_flow(0.02_wp)
  call sloping_levels()
  call conservation()
  call nothing_to_mix()
  call finish()

contains

  !> A periodic grid with hills of the given height, and empty fields.
  subroutine set_up(hills)
    real(wp), intent(in) :: hills
    type(config_t) :: c
    integer :: i, j

    g = grid_t()
    c%nnzp = nz
    c%deltaz = 200.0_wp
    c%dzrat = 1.0_wp
    c%dzmax = 1.0e4_wp
    if (hills > 0.0_wp) c%dzrat = 1.1_wp
    g%nx = nx
    g%ny = ny
    g%dx = dx
    g%dy = dy
    call make_levels(g, c)
    call make_tile(g, 1, nx, 1, ny, ghosts=1, order_v=3)
    do j = 0, ny + 1
      do i = 0, nx + 1
        g%zs(i, j) = hills*sin(2.0_wp*pi*i/nx)**2*cos(pi*j/ny)**2
      end do
    end do
    call make_metric(g, hills > 0.0_wp)
    f = fields_t()
    call make(f%u)
    call make(f%v)
    call make(f%w)
    call make(f%theta)
    call make(f%base)
    call make(f%rho)
    call make(f%d11)
    call make(f%d22)
    call make(f%d33)
    call make(f%d12)
    call make(f%d13)
    call make(f%d23)
    call make(f%h)
    call make(f%z)
    call make(f%centre)
    call make(f%q)
    call make(f%tend)
    call make(f%other)
    allocate (f%ground(0:nx + 1, 0:ny + 1), f%value(0:nx + 1, 0:ny + 1), &
      f%flux(0:nx + 1, 0:ny + 1), source=0.0_wp)
    do j = 0, ny + 1
      do i = 0, nx + 1
        f%base(:, i, j) = 1.2_wp*g%jac(i, j)
      end do
    end do
  end subroutine set_up

  subroutine make(field)
    real(wp), allocatable, intent(out) :: field(:, :, :)
    allocate (field(nz, 0:nx + 1, 0:ny + 1), source=0.0_wp)
  end subroutine make

  subroutine deform()
    call deform_cells(g%shape, g, g%own, f%u, f%v, f%w, f%d11, f%d22, f%d33)
    call deform_edges_x(g%shape, g, box_t(1, nx + 1, 1, ny), f%u, f%w, f%d13)
    call deform_edges_y(g%shape, g, box_t(1, nx, 1, ny + 1), f%v, f%w, f%d23)
    call deform_corners(g%shape, g, box_t(1, nx + 1, 1, ny + 1), f%u, f%v, f%d12)
  end subroutine deform

  subroutine rates()
    call near(lilly_rate(4.0e-4_wp, 0.0_wp, 0.5_wp), 2.0e-2_wp, 1.0e-14_wp, 'rate of neutral air')
    call near(lilly_rate(4.0e-4_wp, 1.0e-4_wp, 0.5_wp), 2.0e-2_wp*sqrt(1.0_wp - 0.25_wp/0.5_wp), &
      1.0e-14_wp, 'D sqrt(1 - Ri/Pr) at Ri = 1/4')
    call check(.not. lilly_rate(4.0e-4_wp, 4.0e-4_wp, 0.5_wp) > 0.0_wp, &
      'no mixing beyond Ri = Pr', lilly_rate(4.0e-4_wp, 4.0e-4_wp, 0.5_wp))
    call near(lilly_rate(0.0_wp, -1.0e-4_wp, 0.25_wp), 2.0e-2_wp, 1.0e-14_wp, &
      'unstable air mixes without shear')
    call near(least_mixing(1.0_wp, 1000.0_wp, 1000.0_wp), 750.0_wp, 1.0e-12_wp, &
      'least coefficient of 1 km')
  end subroutine rates

  !> A cosine between closed ends decays as exp(-K k^2 t); a stiff step is monotone and conserves.
  subroutine column_decay()
    integer, parameter :: n = 40, steps = 200
    real(wp), parameter :: dz = 25.0_wp, k_z = 20.0_wp, step = 15.0_wp, k = pi/(n*dz)
    real(wp) :: x(n), e(n + 1), weight(n), rthick(n), change(n)
    integer :: m

    x = [(cos(pi*(m - 0.5_wp)/n), m=1, n)]
    weight = 1.1_wp
    rthick = 1.0_wp/dz
    e = 1.1_wp*k_z/dz
    e([1, n + 1]) = 0.0_wp
    do m = 1, steps
      call solve_column(n, step, rthick, weight, e, 0.0_wp, 0.0_wp, x, change)
      x = x + change
    end do
    call near(x(1)/cos(0.5_wp*pi/n), exp(-k_z*k**2*step*steps), 5.0e-3_wp, &
      'decay of a cosine in a column')
    x = [(uniform(), m=1, n)]
    e = 1.0e6_wp                       ! some 10^7 times what an explicit step could do
    e([1, n + 1]) = 0.0_wp
    call solve_column(n, 100.0_wp, rthick, weight, e, 0.0_wp, 0.0_wp, x, change)
    call near(sum(x + change), sum(x), 1.0e-9_wp, 'a stiff column keeps its sum')
    call near(maxval(x + change), minval(x + change), 1.0e-3_wp, 'a stiff column becomes uniform')
    e = 0.0_wp
    e(1) = 1.0e12_wp
    call solve_column(n, 100.0_wp, rthick, weight, e, 5.0_wp, 0.0_wp, x, change)
    call near(x(1) + change(1), 5.0_wp, 1.0e-6_wp, 'strong exchange reaches the ground''s value')
    call check(.not. any(abs(change(2:)) > 0.0_wp), 'closed faces let nothing through', &
      maxval(abs(change(2:))))
  end subroutine column_decay

  !> u = a z + b y, v = c x + e z, theta of constant N: known deformation everywhere.
  subroutine linear_flow(tolerance)
    real(wp), intent(in) :: tolerance
    real(wp), parameter :: a = 0.01_wp, b = 2.0e-4_wp, c = 1.0e-4_wp, e = -0.004_wp, n2 = 1.0e-5_wp
    type(turbulence_t) :: t
    real(wp) :: deformation2, dz
    integer :: i, j, k

    do j = 0, ny + 1
      do i = 0, nx + 1
        do k = 1, nz
          f%u(k, i, j) = a*0.5_wp*(g%height(k, max(i - 1, 0), j) + g%height(k, i, j)) &
            + b*(j - 0.5_wp)*dy
          f%v(k, i, j) = c*(i - 0.5_wp)*dx + e*0.5_wp*(g%height(k, i, max(j - 1, 0)) &
            + g%height(k, i, j))
          f%theta(k, i, j) = 300.0_wp*exp(n2/gravity*g%height(k, i, j))
        end do
      end do
    end do
    call deform()
    call near(minval(f%d12(:, 1:nx + 1, 1:ny + 1)), b + c, 1.0e-10_wp, 'least d12 of a linear flow')
    call near(maxval(f%d12(:, 1:nx + 1, 1:ny + 1)), b + c, 1.0e-10_wp, 'largest d12')
    call near(minval(f%d13(2:, 1:nx + 1, 1:ny)), a, 1.0e-10_wp, 'least d13')
    call near(maxval(f%d13(2:, 1:nx + 1, 1:ny)), a, 1.0e-10_wp, 'largest d13')
    call near(maxval(f%d23(2:, 1:nx, 1:ny + 1)), e, 1.0e-10_wp, 'largest d23')
    call check(maxval(abs(f%d11)) <= tolerance*a, 'd11 of a flow without any', maxval(abs(f%d11)))
    t = turbulence_t(dt=1.0_wp, csx=0.2_wp, csz=0.25_wp, prandtl=0.5_wp)
    call mixing_coefficients(g%shape, g, t, f%base, f%rho, f%theta, f%d11, f%d22, f%d33, f%d12, &
      f%d13, f%d23, f%h, f%centre, f%z)
    deformation2 = a**2 + e**2 + (b + c)**2
    dz = g%jac(3, 4)/g%rdz(4)
    call near(f%h(4, 3, 4)/f%base(4, 3, 4), 0.2_wp**2*dx*dy*(b + c), max(tolerance, 1.0e-10_wp), &
      'horizontal coefficient of a linear flow')
    call near(f%centre(4, 3, 4)/f%base(4, 3, 4), (0.25_wp*dz)**2*sqrt(deformation2 - n2/0.5_wp), &
      1.0e-5_wp + 0.1_wp*tolerance, 'vertical coefficient of a linear flow')
    t%isotropic = .true.
    call mixing_coefficients(g%shape, g, t, f%base, f%rho, f%theta, f%d11, f%d22, f%d33, f%d12, &
      f%d13, f%d23, f%h, f%centre, f%z)
    call near(f%centre(4, 3, 4)/f%base(4, 3, 4), 0.2_wp**2*(dx*dy*dz)**(2.0_wp/3.0_wp)* &
      sqrt(deformation2 - n2/0.5_wp), 1.0e-5_wp + 0.1_wp*tolerance, 'isotropic coefficient')
    call check(.not. any(abs(f%h(:, 1:nx, 1:ny) - f%centre(:, 1:nx, 1:ny)) > 0.0_wp), &
      'isotropic: both coefficients are the same', maxval(f%h(:, 1:nx, 1:ny)))
  end subroutine linear_flow

  !> What an explicit step cannot mix is not asked of it; the floor holds below that.
  subroutine bounds()
    type(turbulence_t) :: t
    real(wp) :: most

    t = turbulence_t(dt=1.0e5_wp, prandtl=0.5_wp, least=3.0e4_wp)
    call mixing_coefficients(g%shape, g, t, f%base, f%rho, f%theta, f%d11, f%d22, f%d33, f%d12, &
      f%d13, f%d23, f%h, f%centre, f%z)
    most = maxval(f%h(:, 1:nx, 1:ny)/f%base(:, 1:nx, 1:ny))
    call check(2.0_wp*most*t%dt*(1.0_wp/dx**2 + 1.0_wp/dy**2) <= 0.2500001_wp, &
      'a long step bounds the coefficient', most)
    t%dt = 0.1_wp
    call mixing_coefficients(g%shape, g, t, f%base, f%rho, f%theta, f%d11, f%d22, f%d33, f%d12, &
      f%d13, f%d23, f%h, f%centre, f%z)
    call near(minval(f%h(:, 1:nx, 1:ny)/f%base(:, 1:nx, 1:ny)), 3.0e4_wp, 1.0e-12_wp, &
      'the least coefficient holds')
  end subroutine bounds

  !> Waves over flat ground under constant coefficients decay at their discrete analytic rates.
  subroutine waves()
    real(wp), parameter :: k_h = 500.0_wp
    real(wp) :: rate, row(nx), decay(ny)
    integer :: i, j

    f%h = f%base*k_h
    f%z = 0.0_wp
    rate = k_h*(2.0_wp/dx)**2*sin(pi/nx)**2
    do i = 0, nx + 1
      f%q(:, i, :) = cos(2.0_wp*pi*(i - 0.3_wp)/nx)
    end do
    call mix_along(g%shape, g, 2.0_wp, f%h, f%q, f%tend)
    row = f%tend(3, 1:nx, 4)/(f%base(3, 1:nx, 4)*f%q(3, 1:nx, 4))
    call near(maxval(row), -2.0_wp*rate, 1.0e-6_wp, 'slowest decay of a scalar along x')
    call near(minval(row), -2.0_wp*rate, 1.0e-6_wp, 'fastest decay of a scalar along x')
    f%u = 0.0_wp
    f%v = 0.0_wp
    f%w = 0.0_wp
    do j = 0, ny + 1
      f%u(:, :, j) = sin(2.0_wp*pi*(j - 0.3_wp)/ny)
    end do
    call deform()
    f%tend = 0.0_wp
    f%other = 0.0_wp
    call mix_wind_u(g%shape, g, dt, f%base, f%rho, f%h, f%z, f%other, f%d12, f%d13, f%u, f%tend)
    decay = [(f%tend(3, 4, j)/(f%base(3, 4, j)*f%u(3, 4, j)), j=1, ny)]
    rate = k_h*(2.0_wp/dy)**2*sin(pi/ny)**2
    call near(maxval(decay), -rate, 1.0e-6_wp, 'slowest decay of u along y')
    call near(minval(decay), -rate, 1.0e-6_wp, 'fastest decay of u along y')
    f%h = 0.0_wp
    f%z = f%base*k_h
    f%centre = 0.0_wp
    do i = 0, nx + 1
      f%w(2:, i, :) = cos(2.0_wp*pi*(i - 0.3_wp)/nx)
    end do
    f%u = 0.0_wp
    call deform()
    f%tend = 0.0_wp
    call mix_wind_w(g%shape, g, dt, f%base, f%rho, f%z, f%centre, f%d13, f%d23, f%w, f%tend)
    rate = k_h*(2.0_wp/dx)**2*sin(pi/nx)**2
    call near(f%tend(4, 5, 6)/(f%base(4, 5, 6)*f%w(4, 5, 6)), -rate, 1.0e-6_wp, &
      'decay of w along x')
  end subroutine waves

  !> q = x z has no horizontal divergence of its flux K z, though along levels it has: what goes
  !> through sloping levels makes up for it.
  subroutine sloping_levels()
    real(wp), parameter :: k_h = 500.0_wp
    real(wp) :: most, left, steep
    integer :: i, j, k

    f%h = 1.2_wp*k_h
    do j = 0, ny + 1
      do i = 0, nx + 1
        f%h(:, i, j) = 1.2_wp*k_h*g%jac(i, j)
        do k = 1, nz
          f%q(k, i, j) = i*dx*g%height(k, i, j)
        end do
      end do
    end do
    f%tend = 0.0_wp
    call mix_along(g%shape, g, 1.0_wp, f%h, f%q, f%tend)
    most = 0.0_wp
    left = 0.0_wp
    do j = 2, ny - 1
      do i = 2, nx - 1
        do k = 2, nz - 1
          steep = (g%height(k, i + 1, j) - g%height(k, i - 1, j))/(2.0_wp*dx)
          most = most + abs(1.2_wp*k_h*steep)
          left = left + abs(f%tend(k, i, j)/g%jac(i, j))
        end do
      end do
    end do
    call check(left < 0.3_wp*most, 'flux through sloping levels against that along them', left/most)
  end subroutine sloping_levels

  !> Over terrain, under random coefficients: a scalar changes by what the ground gives it, and
  !> momentum along x and y by the drag of the ground.
  subroutine conservation()
    real(wp) :: given, gained, scale

    call randomise(f%q)
    call randomise(f%u)
    call randomise(f%v)
    call randomise(f%w)
    call randomise(f%h)
    call randomise(f%z)
    f%h = 100.0_wp*f%h
    f%z(2:, :, :) = 1.0e4_wp*f%z(2:, :, :)      ! far beyond what an explicit step could do
    f%ground = 0.02_wp
    f%value = 3.0_wp
    f%tend = 0.0_wp
    call mix_along(g%shape, g, 3.0_wp, f%h, f%q, f%tend)
    scale = total(abs(f%tend))
    call check(abs(total(f%tend)) <= 1.0e-12_wp*scale, 'horizontal mixing over terrain conserves', &
      total(f%tend)/scale)
    f%tend = 0.0_wp
    call mix_up(g%shape, g, dt, 3.0_wp, f%base, f%rho, f%z, f%ground, f%value, f%q, f%tend, f%flux)
    given = sum(f%flux(1:nx, 1:ny))
    call near(total(f%tend), given, 1.0e-10_wp, 'vertical mixing gains what the ground gives')
    call check(given > 0.0_wp, 'the ground gives where it has more', given)
    call deform()
    f%d11 = 2.0_wp*f%h*f%d11
    f%d22 = 2.0_wp*f%h*f%d22
    call wrap(f%d11)
    call wrap(f%d22)
    f%z(1, :, :) = 0.0_wp
    f%tend = 0.0_wp
    call mix_wind_u(g%shape, g, dt, f%base, f%rho, f%h, f%z, f%d11, f%d12, f%d13, f%u, f%tend)
    scale = total(abs(f%tend))
    call check(abs(total(f%tend)) <= 1.0e-12_wp*scale, 'momentum along x over terrain', &
      total(f%tend)/scale)
    f%tend = 0.0_wp
    call mix_wind_v(g%shape, g, dt, f%base, f%rho, f%h, f%z, f%d22, f%d12, f%d23, f%v, f%tend)
    scale = total(abs(f%tend))
    call check(abs(total(f%tend)) <= 1.0e-12_wp*scale, 'momentum along y over terrain', &
      total(f%tend)/scale)
    f%z(1, :, :) = 0.02_wp
    f%u = 5.0_wp
    call deform()
    f%d11 = 0.0_wp
    f%h = 0.0_wp
    f%tend = 0.0_wp
    call mix_wind_u(g%shape, g, 1.0e-6_wp, f%base, f%rho, f%h, f%z, f%d11, f%d12, f%d13, f%u, &
      f%tend)
    gained = total(f%tend)
    call near(gained, -5.0_wp*0.02_wp*nx*ny, 1.0e-6_wp, 'drag takes what it should')
  end subroutine conservation

  !> Uniform fields feel nothing; what depends on height alone feels no horizontal mixing, whatever
  !> the slope of the levels.
  subroutine nothing_to_mix()
    integer :: i, j, k

    call randomise(f%h)
    call randomise(f%z)
    f%ground = 0.0_wp
    f%q = 7.0_wp
    f%tend = 0.0_wp
    call mix_along(g%shape, g, 3.0_wp, f%h, f%q, f%tend)
    call mix_up(g%shape, g, dt, 3.0_wp, f%base, f%rho, f%z, f%ground, f%value, f%q, f%tend, f%flux)
    call check(maxval(abs(f%tend)) < 1.0e-14_wp, 'a uniform field stays', maxval(abs(f%tend)))
    do j = 0, ny + 1
      do i = 0, nx + 1
        do k = 1, nz
          f%q(k, i, j) = 1.0e-3_wp*g%height(k, i, j)
        end do
      end do
    end do
    f%tend = 0.0_wp
    call mix_along(g%shape, g, 3.0_wp, f%h, f%q, f%tend)
    call check(maxval(abs(f%tend)) < 1.0e-14_wp, 'a field of height alone stays', &
      maxval(abs(f%tend)))
  end subroutine nothing_to_mix

  real(wp) function total(tend)
    real(wp), intent(in) :: tend(nz, 0:nx + 1, 0:ny + 1)
    integer :: i, j
    total = 0.0_wp
    do j = 1, ny
      do i = 1, nx
        total = total + sum(tend(:, i, j)/g%rdz)
      end do
    end do
  end function total

  subroutine randomise(field)
    real(wp), intent(inout) :: field(nz, 0:nx + 1, 0:ny + 1)
    integer :: i, j, k
    do j = 1, ny
      do i = 1, nx
        do k = 1, nz
          field(k, i, j) = uniform()
        end do
      end do
    end do
    call wrap(field)
  end subroutine randomise

  subroutine wrap(field)
    real(wp), intent(inout) :: field(nz, 0:nx + 1, 0:ny + 1)
    field(:, 0, :) = field(:, nx, :)
    field(:, nx + 1, :) = field(:, 1, :)
    field(:, :, 0) = field(:, :, ny)
    field(:, :, ny + 1) = field(:, :, 1)
  end subroutine wrap
end program turbulence_test
