! SPDX-License-Identifier: BSD-3-Clause
! Diffusion with a constant coefficient along the model's coordinate surfaces and columns.
module weather_diffusion
  use weather_constants, only: wp
  use weather_grid, only: shape_t, box_t
  implicit none (type, external)
  private
  public :: diffuse_levels, diffuse_faces

contains

  !> tend += density * coefficient * laplacian(q) for a q at levels; no flux through ground and top.
  !> The density is the mean of the cells (i - di, j - dj) and (i, j): di = 1 for u, dj = 1 for v.
  subroutine diffuse_levels(b, r, coefficient, rdx, rdy, rdz, rdzf, jac, di, dj, d_base, rho, q, &
    tend)
    type(shape_t), intent(in) :: b
    type(box_t), intent(in) :: r
    real(wp), intent(in) :: coefficient, rdx, rdy, rdz(b%nz), rdzf(b%nz + 1)
    real(wp), intent(in) :: jac(b%il:b%ih, b%jl:b%jh)
    integer, intent(in) :: di, dj
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: d_base, rho, q
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: tend
    real(wp) :: up(b%nz + 1), lap(b%nz)
    integer :: n, i, j, k

    n = b%nz
    do j = r%j1, r%j2
      do i = r%i1, r%i2
        up(1) = 0.0_wp
        do k = 2, n
          up(k) = rdzf(k)*(q(k, i, j) - q(k - 1, i, j))/jac(i, j)**2
        end do
        up(n + 1) = 0.0_wp
        do k = 1, n
          lap(k) = rdz(k)*(up(k + 1) - up(k))
        end do
        call add_horizontal(b, i, j, rdx, rdy, q, lap)
        do k = 1, n
          tend(k, i, j) = tend(k, i, j) + (0.5_wp*coefficient)*lap(k) &
            *((d_base(k, i - di, j - dj) + rho(k, i - di, j - dj)) + (d_base(k, i, j) + rho(k, &
            i, j)))
        end do
      end do
    end do
  end subroutine diffuse_levels

  !> The same for w at the lower faces 2:nz, with w(1) given and no w at the top.
  subroutine diffuse_faces(b, r, coefficient, rdx, rdy, rdz, rdzf, fzm, fzp, jac, d_base, rho, &
    w, tend)
    type(shape_t), intent(in) :: b
    type(box_t), intent(in) :: r
    real(wp), intent(in) :: coefficient, rdx, rdy, rdz(b%nz), rdzf(b%nz + 1), fzm(b%nz), fzp(b%nz)
    real(wp), intent(in) :: jac(b%il:b%ih, b%jl:b%jh)
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: d_base, rho, w
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: tend
    real(wp) :: up(b%nz), lap(b%nz), d(b%nz)
    integer :: n, i, j, k

    n = b%nz
    do j = r%j1, r%j2
      do i = r%i1, r%i2
        do k = 1, n - 1
          up(k) = rdz(k)*(w(k + 1, i, j) - w(k, i, j))/jac(i, j)**2
        end do
        up(n) = -rdz(n)*w(n, i, j)/jac(i, j)**2
        lap(1) = 0.0_wp
        do k = 2, n
          lap(k) = rdzf(k)*(up(k) - up(k - 1))
        end do
        call add_horizontal(b, i, j, rdx, rdy, w, lap)
        d = d_base(:, i, j) + rho(:, i, j)
        do k = 2, n
          tend(k, i, j) = tend(k, i, j) + coefficient*lap(k)*(fzm(k)*d(k) + fzp(k)*d(k - 1))
        end do
      end do
    end do
  end subroutine diffuse_faces

  subroutine add_horizontal(b, i, j, rdx, rdy, q, lap)
    type(shape_t), intent(in) :: b
    integer, intent(in) :: i, j
    real(wp), intent(in) :: rdx, rdy
    real(wp), intent(in) :: q(b%nz, b%il:b%ih, b%jl:b%jh)
    real(wp), intent(inout) :: lap(b%nz)
    integer :: k
    do k = 1, b%nz
      lap(k) = lap(k) + rdx**2*((q(k, i + 1, j) + q(k, i - 1, j)) - 2.0_wp*q(k, i, j))
    end do
    if (b%two_d) return
    do k = 1, b%nz
      lap(k) = lap(k) + rdy**2*((q(k, i, j + 1) + q(k, i, j - 1)) - 2.0_wp*q(k, i, j))
    end do
  end subroutine add_horizontal
end module weather_diffusion
