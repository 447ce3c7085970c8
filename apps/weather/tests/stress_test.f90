! SPDX-License-Identifier: BSD-3-Clause
! Deformation and turbulent stress over a hill against formulas: what each component of the wind
! adds to each part of the deformation and to the change of each component, and mixing of a scalar
! along and up, away from ground and top; and there, where one face or level alone has a value.
program stress_test
  use checks, only: check, near, finish
  use manufactured, only: wave_t, value, gradient, make_grid, place, above_sea, fill, make_field, &
    converges
  use weather_constants, only: wp
  use weather_grid, only: grid_t, box_t
  use weather_deformation, only: deform_cells, deform_corners, deform_edges_x, deform_edges_y
  use weather_turbulence, only: total_deformation
  use weather_mixing, only: mix_along, mix_up, mix_wind_u, mix_wind_v, mix_wind_w
  implicit none (type, external)

  character(*), parameter :: names(4) = [character(4) :: 'u', 'v', 'w', 'all']
  integer, parameter :: places(3, 3) = reshape([1, 0, 0, 0, 1, 0, 0, 0, 1], [3, 3])
  real(wp), parameter :: dt = 1.0e-6_wp, factor = 3.0_wp
  type(wave_t), parameter :: flat_wave = wave_t(mean=90.0_wp, size=12.0_wp, phase=[2.5_wp, 1.0_wp, &
    0.1_wp]), up_wave = wave_t(mean=50.0_wp, size=9.0_wp, phase=[0.5_wp, 3.0_wp, 1.1_wp])
  type :: fields_t
    real(wp), allocatable, dimension(:, :, :) :: u, v, w, h, z, centre, base, none, d11, d22, d33, &
      d12, d13, d23, t11, t22
  end type fields_t
  type(wave_t) :: wind(3)
  type(grid_t) :: g
  type(fields_t) :: f
  integer :: only

  do only = 1, 4
    call momentum()
  end do
  call scalar()
  call squares()
  call ends()
  call sides()
  call finish()

contains

  !> One component of the wind alone, or all (4), on grid m.
  subroutine set_up(m)
    integer, intent(in) :: m
    type(box_t) :: wide
    integer :: c
    wind = [wave_t(phase=[0.1_wp, 0.6_wp, 1.0_wp]), wave_t(phase=[2.1_wp, 1.6_wp, 0.5_wp]), &
      wave_t(phase=[1.1_wp, 2.6_wp, 0.2_wp])]
    do c = 1, 3
      if (only /= c .and. only /= 4) wind(c)%size = 0.0_wp
    end do
    call make_grid(g, m, .true.)
    wide = box_t(0, g%nx + 1, 0, g%ny + 1)
    call make_field(g, f%u)
    call make_field(g, f%v)
    call make_field(g, f%w)
    call make_field(g, f%h)
    call make_field(g, f%z)
    call make_field(g, f%centre)
    call make_field(g, f%base)
    call make_field(g, f%none)
    call make_field(g, f%d11)
    call make_field(g, f%d22)
    call make_field(g, f%d33)
    call make_field(g, f%d12)
    call make_field(g, f%d13)
    call make_field(g, f%d23)
    call fill(g, wind(1), places(:, 1), f%u, lifted=.true.)
    call fill(g, wind(2), places(:, 2), f%v, lifted=.true.)
    call fill(g, wind(3), places(:, 3), f%w, lifted=.true.)
    call fill(g, flat_wave, [0, 0, 0], f%h, lifted=.true.)
    call fill(g, up_wave, [0, 0, 1], f%z, lifted=.true.)
    call fill(g, up_wave, [0, 0, 0], f%centre, lifted=.true.)
    call times_jacobian(f%h)
    call times_jacobian(f%z)
    call times_jacobian(f%centre)
    f%base = 1.0_wp
    call deform_cells(g%shape, g, wide, f%u, f%v, f%w, f%d11, f%d22, f%d33)
    call deform_edges_x(g%shape, g, wide, f%u, f%w, f%d13)
    call deform_edges_y(g%shape, g, wide, f%v, f%w, f%d23)
    call deform_corners(g%shape, g, wide, f%u, f%v, f%d12)
    f%t11 = 2.0_wp*f%h*f%d11
    f%t22 = 2.0_wp*f%h*f%d22
  end subroutine set_up

  subroutine times_jacobian(field)
    real(wp), intent(inout) :: field(g%nz, g%shape%il:g%shape%ih, g%shape%jl:g%shape%jh)
    integer :: k
    do k = 1, g%nz
      field(k, :, :) = field(k, :, :)*g%jac
    end do
  end subroutine times_jacobian

  subroutine momentum()
    real(wp), allocatable :: tend(:, :, :)
    real(wp) :: errors(2, 9)
    integer :: m, n
    do m = 1, 2
      call set_up(m)
      errors(m, 1) = deformation_error(1, 1, f%d11)
      errors(m, 2) = deformation_error(2, 2, f%d22)
      errors(m, 3) = deformation_error(3, 3, f%d33)
      errors(m, 4) = deformation_error(1, 2, f%d12)
      errors(m, 5) = deformation_error(1, 3, f%d13)
      errors(m, 6) = deformation_error(2, 3, f%d23)
      call make_field(g, tend)
      call mix_wind_u(g%shape, g, dt, f%base, f%none, f%h, f%z, f%t11, f%d12, f%d13, f%u, tend)
      errors(m, 7) = stress_error(1, tend)
      call make_field(g, tend)
      call mix_wind_v(g%shape, g, dt, f%base, f%none, f%h, f%z, f%t22, f%d12, f%d23, f%v, tend)
      errors(m, 8) = stress_error(2, tend)
      call make_field(g, tend)
      call mix_wind_w(g%shape, g, dt, f%base, f%none, f%z, f%centre, f%d13, f%d23, f%w, tend)
      errors(m, 9) = stress_error(3, tend)
    end do
    do n = 1, 6
      if (errors(2, n) >= 0.0_wp) call converges(errors(:, n), 2, 'deformation by ' &
        //trim(names(only)))
    end do
    do n = 7, 9
      call converges(errors(:, n), 2, 'change of '//trim(names(n - 6))//' by '//trim(names(only)))
    end do
  end subroutine momentum

  !> du_a/dx_b + du_b/dx_a; on the diagonal du_a/dx_a.
  real(wp) function deformation(a, b, p)
    integer, intent(in) :: a, b
    real(wp), intent(in) :: p(3)
    real(wp) :: of_a(3), of_b(3)
    of_a = gradient(wind(a), p)
    of_b = gradient(wind(b), p)
    deformation = of_a(b)
    if (a /= b) deformation = deformation + of_b(a)
  end function deformation

  !> Negative where the wind has no such deformation; then there must be none.
  real(wp) function deformation_error(a, b, d)
    integer, intent(in) :: a, b
    real(wp), intent(in) :: d(g%nz, g%shape%il:g%shape%ih, g%shape%jl:g%shape%jh)
    real(wp) :: wanted, largest
    integer :: at(3), i, j, k
    at = 0
    if (a /= b) at = places(:, a) + places(:, b)
    deformation_error = 0.0_wp
    largest = 0.0_wp
    do j = 1, g%ny
      do i = 1, g%nx
        do k = 3, g%nz - 2
          wanted = deformation(a, b, above_sea(place(g, k, i, j, at)))
          largest = max(largest, abs(wanted))
          deformation_error = max(deformation_error, abs(d(k, i, j) - wanted))
        end do
      end do
    end do
    if (largest > 0.0_wp) then
      deformation_error = deformation_error/largest
    else
      call check(deformation_error < 1.0e-18_wp, 'no deformation', deformation_error)
      deformation_error = -1.0_wp
    end if
  end function deformation_error

  !> Coefficient times deformation, twice that on the diagonal.
  real(wp) function stress(a, b, p)
    integer, intent(in) :: a, b
    real(wp), intent(in) :: p(3)
    stress = merge(2.0_wp, 1.0_wp, a == b)*deformation(a, b, p)
    stress = stress*merge(value(up_wave, p), value(flat_wave, p), max(a, b) == 3)
  end function stress

  !> Of jac times the divergence of the stress.
  real(wp) function stress_error(a, tend)
    integer, intent(in) :: a
    real(wp), intent(in) :: tend(g%nz, g%shape%il:g%shape%ih, g%shape%jl:g%shape%jh)
    real(wp), parameter :: small = 1.0_wp
    real(wp) :: wanted, largest, p(3), step(3), jac
    integer :: b, i, j, k
    stress_error = 0.0_wp
    largest = 0.0_wp
    do j = 1, g%ny
      do i = 1, g%nx
        jac = g%jac(i, j)
        if (a == 1) jac = g%jac_u(i, j)
        if (a == 2) jac = g%jac_v(i, j)
        do k = 4, g%nz - 3
          p = above_sea(place(g, k, i, j, places(:, a)))
          wanted = 0.0_wp
          do b = 1, 3
            step = small*places(:, b)
            wanted = wanted + jac*(stress(a, b, p + step) - stress(a, b, p - step))/(2.0_wp*small)
          end do
          largest = max(largest, abs(wanted))
          stress_error = max(stress_error, abs(tend(k, i, j) - wanted))
        end do
      end do
    end do
    stress_error = stress_error/largest
  end function stress_error

  !> A scalar is mixed `factor` times as much as momentum.
  subroutine scalar()
    type(wave_t), parameter :: q_wave = wave_t(mean=5.0_wp)
    real(wp), allocatable, dimension(:, :, :) :: q, along, up
    real(wp), allocatable, dimension(:, :) :: ground, flux
    real(wp) :: errors(2, 2)
    integer :: m
    only = 4
    do m = 1, 2
      call set_up(m)
      call make_field(g, q)
      call make_field(g, along)
      call make_field(g, up)
      ground = g%jac*0.0_wp
      flux = ground
      call fill(g, q_wave, [0, 0, 0], q, lifted=.true.)
      call mix_along(g%shape, g, factor, f%h, q, along)
      call mix_up(g%shape, g, dt, factor, f%base, f%none, f%z, ground, ground, q, up, flux)
      errors(m, 1) = scalar_error(q_wave, 1, 2, along)
      errors(m, 2) = scalar_error(q_wave, 3, 3, up)
    end do
    call converges(errors(:, 1), 2, 'mixing of a scalar along x and y')
    call converges(errors(:, 2), 2, 'mixing of a scalar along z')
  end subroutine scalar

  !> Of jac factor times the sum of d(K dq/dx_b)/dx_b.
  real(wp) function scalar_error(w, first, last, tend)
    type(wave_t), intent(in) :: w
    integer, intent(in) :: first, last
    real(wp), intent(in) :: tend(g%nz, g%shape%il:g%shape%ih, g%shape%jl:g%shape%jh)
    real(wp), parameter :: small = 1.0_wp
    real(wp) :: wanted, largest, p(3), low(3), high(3)
    integer :: b, i, j, k
    scalar_error = 0.0_wp
    largest = 0.0_wp
    do j = 1, g%ny
      do i = 1, g%nx
        do k = 3, g%nz - 2
          p = above_sea(place(g, k, i, j, [0, 0, 0]))
          wanted = 0.0_wp
          do b = first, last
            low = flux_of(w, p - small*places(:, b))
            high = flux_of(w, p + small*places(:, b))
            wanted = wanted + factor*g%jac(i, j)*(high(b) - low(b))/(2.0_wp*small)
          end do
          largest = max(largest, abs(wanted))
          scalar_error = max(scalar_error, abs(tend(k, i, j) - wanted))
        end do
      end do
    end do
    scalar_error = scalar_error/largest
  end function scalar_error

  function flux_of(w, p) result(flux)
    type(wave_t), intent(in) :: w
    real(wp), intent(in) :: p(3)
    real(wp) :: flux(3)
    flux = gradient(w, p)*[value(flat_wave, p), value(flat_wave, p), value(up_wave, p)]
  end function flux_of

  !> Each part of the deformation alone in the squares that make the coefficients.
  subroutine squares()
    only = 4
    call set_up(1)
    call empty()
    f%d11(:, 3, 3) = 2.0_wp
    call squares_are(4.0_wp, 8.0_wp, 'du/dx')
    f%d22(:, 3, 3) = 5.0_wp
    call squares_are(9.0_wp, 2.0_wp*(4.0_wp + 25.0_wp), 'du/dx and dv/dy')
    call empty()
    f%d33(:, 3, 3) = 3.0_wp
    call squares_are(0.0_wp, 18.0_wp, 'dw/dz')
    call empty()
    f%d12(:, 3, 3) = 1.0_wp
    f%d12(:, 4, 3) = 2.0_wp
    f%d12(:, 3, 4) = 3.0_wp
    f%d12(:, 4, 4) = 4.0_wp
    call squares_are(7.5_wp, 7.5_wp, 'the four corners')
    call empty()
    f%d13(:, 3, 3) = 1.0_wp
    f%d13(:, 4, 3) = 3.0_wp
    call squares_are(0.0_wp, 5.0_wp, 'the edges along x')
    call empty()
    f%d23(:, 3, 3) = 2.0_wp
    f%d23(:, 3, 4) = 4.0_wp
    call squares_are(0.0_wp, 10.0_wp, 'the edges along y')
  end subroutine squares

  subroutine empty()
    f%d11 = 0.0_wp
    f%d22 = 0.0_wp
    f%d33 = 0.0_wp
    f%d12 = 0.0_wp
    f%d13 = 0.0_wp
    f%d23 = 0.0_wp
  end subroutine empty

  subroutine squares_are(flat, total, what)
    real(wp), intent(in) :: flat, total
    character(*), intent(in) :: what
    real(wp) :: flat2(12), total2(12)
    call total_deformation(g%shape, 3, 3, f%d11, f%d22, f%d33, f%d12, f%d13, f%d23, flat2, total2)
    call check(maxval(abs(flat2 - flat)) < 1.0e-12_wp, 'horizontal square of '//what, flat2(6))
    call check(maxval(abs(total2 - total)) < 1.0e-12_wp, 'square of '//what, total2(6))
  end subroutine squares_are

  !> Over flat ground, with one coefficient: what the lowest and the highest face and level do to
  !> those beside them, through which nothing else goes.
  subroutine ends()
    real(wp), parameter :: k_z = 7.0_wp
    real(wp), allocatable, dimension(:, :, :) :: tend_u, tend_v, tend_w
    integer :: face, top, part
    call make_grid(g, 1, .false.)
    top = g%nz
    do part = 1, 2
      face = merge(2, top, part == 1)
      call still(k_z)
      f%d13(face, :, :) = 1.0_wp
      f%d23(face, :, :) = 2.0_wp
      call mix_all(tend_u, tend_v, tend_w)
      call near(tend_u(face - 1, 3, 3), k_z*g%rdz(face - 1), 1.0e-9_wp, 'u below a sheared face')
      call near(tend_u(face, 3, 3), -k_z*g%rdz(face), 1.0e-9_wp, 'u above it')
      call near(tend_v(face - 1, 3, 3), 2.0_wp*k_z*g%rdz(face - 1), 1.0e-9_wp, 'v below it')
      call near(tend_v(face, 3, 3), -2.0_wp*k_z*g%rdz(face), 1.0e-9_wp, 'v above it')
      call still(k_z)
      f%d13(face, 4, 3) = 1.0_wp                   ! the east and the north side of one column
      f%d23(face, 3, 4) = 2.0_wp
      call mix_all(tend_u, tend_v, tend_w)
      call near(tend_w(face, 3, 3), k_z*(1.0_wp/g%dx + 2.0_wp/g%dy), 1.0e-9_wp, 'w at a face')
    end do
    call still(k_z)
    f%w(1, :, :) = 1.0_wp
    call mix_all(tend_u, tend_v, tend_w)
    call near(tend_w(2, 3, 3), 2.0_wp*k_z*g%rdz(1)*g%rdzf(2), 1.0e-6_wp, 'w above the ground''s')
    call check(.not. any(abs(tend_w([1, 3], 3, 3)) > 1.0e-9_wp), 'and no other', tend_w(3, 3, 3))
    call still(k_z)
    f%w(top, :, :) = 1.0_wp
    call mix_all(tend_u, tend_v, tend_w)
    call near(tend_w(top, 3, 3), -2.0_wp*k_z*g%rdzf(top)*(g%rdz(top) + g%rdz(top - 1)), 1.0e-6_wp, &
      'w below the top, where there is none')
    call still(k_z)
    f%w(2, :, :) = 1.0_wp
    call mix_all(tend_u, tend_v, tend_w)
    call near(tend_w(2, 3, 3), -2.0_wp*k_z*g%rdzf(2)*(g%rdz(2) + g%rdz(1)), 1.0e-6_wp, &
      'w above the ground, where there is none')
  end subroutine ends

  !> Over a hill a stress along x on either side of a face does the same through sloping levels, and
  !> the opposite along them; so does one along y.
  subroutine sides()
    real(wp), allocatable, dimension(:, :, :) :: low_u, low_v, high_u, high_v, a, b
    real(wp) :: levels(12)
    integer :: k
    levels = [(1.0_wp + 0.3_wp*k, k=1, 12)]
    call make_grid(g, 1, .true.)
    call still(7.0_wp)
    f%t11(:, 2, 3) = levels
    call mix_all(low_u, a, b)
    call still(7.0_wp)
    f%t11(:, 3, 3) = levels
    call mix_all(high_u, a, b)
    call still(7.0_wp)
    f%t11(:, 3, 2) = levels
    call mix_all(a, low_v, b)
    call still(7.0_wp)
    f%t11(:, 3, 3) = levels
    call mix_all(a, high_v, b)
    call check(maxval(abs(high_u(:, 3, 3) - low_u(:, 3, 3) - 2.0_wp*levels/g%dx)) &
      < 1.0e-14_wp .and. &
      maxval(abs(high_u(:, 3, 3) + low_u(:, 3, 3))) > 1.0e-6_wp, 'stress on both sides of u', &
      high_u(1, 3, 3))
    call check(maxval(abs(high_v(:, 3, 3) - low_v(:, 3, 3) - 2.0_wp*levels/g%dy)) &
      < 1.0e-14_wp .and. &
      maxval(abs(high_v(:, 3, 3) + low_v(:, 3, 3))) > 1.0e-6_wp, 'stress on both sides of v', &
      high_v(1, 3, 3))
  end subroutine sides

  !> No wind and no deformation, one coefficient.
  subroutine still(k_z)
    real(wp), intent(in) :: k_z
    call make_field(g, f%u)
    call make_field(g, f%v)
    call make_field(g, f%w)
    call make_field(g, f%h)
    call make_field(g, f%z)
    call make_field(g, f%centre)
    call make_field(g, f%base)
    call make_field(g, f%none)
    call make_field(g, f%t11)
    call make_field(g, f%d12)
    call make_field(g, f%d13)
    call make_field(g, f%d23)
    f%base = 1.0_wp
    f%z = k_z
    f%z(1, :, :) = 0.0_wp
    f%centre = k_z
  end subroutine still

  subroutine mix_all(tend_u, tend_v, tend_w)
    real(wp), allocatable, dimension(:, :, :), intent(out) :: tend_u, tend_v, tend_w
    call make_field(g, tend_u)
    call make_field(g, tend_v)
    call make_field(g, tend_w)
    call mix_wind_u(g%shape, g, dt, f%base, f%none, f%h, f%z, f%t11, f%d12, f%d13, f%u, tend_u)
    call mix_wind_v(g%shape, g, dt, f%base, f%none, f%h, f%z, f%t11, f%d12, f%d23, f%v, tend_v)
    call mix_wind_w(g%shape, g, dt, f%base, f%none, f%z, f%centre, f%d13, f%d23, f%w, tend_w)
  end subroutine mix_all
end program stress_test
