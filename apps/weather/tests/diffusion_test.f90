! SPDX-License-Identifier: BSD-3-Clause
! Diffusion against density times coefficient times second derivatives: each direction alone and all
! at once, at centres and at each kind of face; and ground and top, through which nothing goes.
program diffusion_test
  use checks, only: check, near, finish
  use manufactured, only: wave_t, value, curvature, make_grid, place, fill, make_field, converges, &
    along_all
  use weather_constants, only: wp
  use weather_grid, only: grid_t
  use weather_diffusion, only: diffuse_levels, diffuse_faces
  implicit none (type, external)

  real(wp), parameter :: coefficient = 40.0_wp, jac = 0.8_wp
  character(*), parameter :: names(0:3) = [character(10) :: 'everything', 'x', 'y', 'z']
  type(wave_t), parameter :: d_wave = wave_t(mean=9.0_wp, size=0.3_wp), rho_wave = &
    wave_t(mean=0.2_wp, size=0.1_wp, phase=[2.0_wp, 0.1_wp, 1.4_wp])
  type(grid_t) :: g
  real(wp), allocatable, dimension(:, :, :) :: q, d, rho, tend
  integer :: along

  do along = along_all, 3
    call diffusion(along, [0, 0, 0])
    call diffusion(along, [1, 0, 0])
    call diffusion(along, [0, 1, 0])
    call diffusion(along, [0, 0, 1])
  end do
  call ends()
  call finish()

contains

  subroutine set_up(m)
    integer, intent(in) :: m
    call make_grid(g, m, .false.)
    g%jac = jac
    call make_field(g, q)
    call make_field(g, d)
    call make_field(g, rho)
    call make_field(g, tend)
    call fill(g, d_wave, [0, 0, 0], d)
    call fill(g, rho_wave, [0, 0, 0], rho)
  end subroutine set_up

  subroutine diffuse(at)
    integer, intent(in) :: at(3)
    if (at(3) == 0) then
      call diffuse_levels(g%shape, g%own, coefficient, 1.0_wp/g%dx, 1.0_wp/g%dy, g%rdz, g%rdzf, &
        g%jac, at(1), at(2), d, rho, q, tend)
    else
      call diffuse_faces(g%shape, g%own, coefficient, 1.0_wp/g%dx, 1.0_wp/g%dy, g%rdz, g%rdzf, &
        g%fzm, g%fzp, g%jac, d, rho, q, tend)
    end if
  end subroutine diffuse

  !> Away from ground and top; tendencies that were there are added to.
  subroutine diffusion(along, at)
    integer, intent(in) :: along, at(3)
    real(wp), parameter :: before = 0.25_wp
    type(wave_t) :: w
    real(wp) :: errors(2), wanted, largest, x(3)
    integer :: m, i, j, n
    w = wave_t(along=along)
    do m = 1, 2
      call set_up(m)
      call fill(g, w, at, q)
      tend = before
      call diffuse(at)
      errors(m) = 0.0_wp
      largest = 0.0_wp
      do j = 1, g%ny
        do i = 1, g%nx
          do n = 2 + at(3), g%nz - 1
            x = place(g, n, i, j, at)
            wanted = coefficient*(value(d_wave, x) + value(rho_wave, x)) &
              *sum(curvature(w, x)/[1.0_wp, 1.0_wp, jac**2])
            largest = max(largest, abs(wanted))
            errors(m) = max(errors(m), abs(tend(n, i, j) - before - wanted))
          end do
        end do
      end do
      errors(m) = errors(m)/largest
    end do
    call converges(errors, 2, 'diffusion along '//trim(names(along)))
  end subroutine diffusion

  !> A field that is linear in zeta has one flux through all faces but ground and top; w is held by
  !> its value at the ground and by none at the top.
  subroutine ends()
    real(wp), parameter :: slope = 0.01_wp
    integer :: n
    real(wp) :: wanted
    call set_up(1)
    d = 3.0_wp
    rho = 1.0_wp
    do n = 1, g%nz
      q(n, :, :) = slope*g%zc(n)
    end do
    call diffuse([0, 0, 0])
    wanted = coefficient*4.0_wp*slope/jac**2
    call near(tend(1, 3, 3), wanted*g%rdz(1), 1.0e-12_wp, 'the lowest cell gains')
    call near(tend(g%nz, 3, 3), -wanted*g%rdz(g%nz), 1.0e-12_wp, 'the highest cell loses')
    call check(maxval(abs(tend(2:g%nz - 1, 3, 3))) < 1.0e-14_wp, 'the others do not change', &
      maxval(abs(tend(2:g%nz - 1, 3, 3))))
    tend = 0.0_wp
    do n = 1, g%nz
      q(n, :, :) = slope*(g%zf(n) - g%top)
    end do
    call diffuse([0, 0, 1])
    call check(maxval(abs(tend(:, 3, 3))) < 1.0e-14_wp, 'nor does w that is linear', &
      maxval(abs(tend(:, 3, 3))))
  end subroutine ends
end program diffusion_test
