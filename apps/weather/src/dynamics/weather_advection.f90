! SPDX-License-Identifier: BSD-3-Clause
! Flux-form advection. With three ghost columns: fifth order in the horizontal, third or fifth order
! in the vertical, all upwind (Wicker and Skamarock 2002, equations 4 and 5), for Runge-Kutta steps.
! With one: second order, centred, which is what leapfrog steps are stable with. All kernels run
! over whole columns, level fastest, so that a result never depends on the shape of the tile.
module weather_advection
  use weather_constants, only: wp
  use weather_grid, only: shape_t, box_t
  implicit none (type, external)
  private
  public :: advect_levels, advect_base, advect_w, mass_tendency
  public :: flux_x, flux_y, flux_vertical

contains

  !> f = m q at the place between the columns (i-1, j) and (i, j).
  pure subroutine flux_x(b, m, q, i, j, f)
    type(shape_t), intent(in) :: b
    real(wp), intent(in) :: m(b%nz)
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: q
    integer, intent(in) :: i, j
    real(wp), intent(out) :: f(b%nz)
    if (b%ghosts == 3) then
      call flux5(b%nz, m, q(1, i - 3, j), q(1, i - 2, j), q(1, i - 1, j), q(1, i, j), &
        q(1, i + 1, j), q(1, i + 2, j), f)
    else
      call flux2(b%nz, m, q(1, i - 1, j), q(1, i, j), f)
    end if
  end subroutine flux_x

  !> f = m q at the place between the columns (i, j-1) and (i, j).
  pure subroutine flux_y(b, m, q, i, j, f)
    type(shape_t), intent(in) :: b
    real(wp), intent(in) :: m(b%nz)
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: q
    integer, intent(in) :: i, j
    real(wp), intent(out) :: f(b%nz)
    if (b%ghosts == 3) then
      call flux5(b%nz, m, q(1, i, j - 3), q(1, i, j - 2), q(1, i, j - 1), q(1, i, j), &
        q(1, i, j + 1), q(1, i, j + 2), f)
    else
      call flux2(b%nz, m, q(1, i, j - 1), q(1, i, j), f)
    end if
  end subroutine flux_y

  pure subroutine flux2(n, m, low, high, f)
    integer, intent(in) :: n
    real(wp), intent(in) :: m(n), low(n), high(n)
    real(wp), intent(out) :: f(n)
    integer :: k
    do k = 1, n
      f(k) = m(k)*(0.5_wp*(low(k) + high(k)))
    end do
  end subroutine flux2

  !> f = m (value of q between q3 and q4), fifth-order upwind; q1..q6 lie along the flow direction.
  pure subroutine flux5(n, m, q1, q2, q3, q4, q5, q6, f)
    integer, intent(in) :: n
    real(wp), intent(in) :: m(n), q1(n), q2(n), q3(n), q4(n), q5(n), q6(n)
    real(wp), intent(out) :: f(n)
    integer :: k
    do k = 1, n
      f(k) = upwind5(m(k), q1(k), q2(k), q3(k), q4(k), q5(k), q6(k))
    end do
  end subroutine flux5

  pure elemental real(wp) function upwind3(m, q1, q2, q3, q4)
    real(wp), intent(in) :: m, q1, q2, q3, q4
    real(wp), parameter :: c = 1.0_wp/12.0_wp
    upwind3 = c*(m*(7.0_wp*(q2 + q3) - (q1 + q4)) + abs(m)*((q4 - q1) - 3.0_wp*(q3 - q2)))
  end function upwind3

  pure elemental real(wp) function upwind5(m, q1, q2, q3, q4, q5, q6)
    real(wp), intent(in) :: m, q1, q2, q3, q4, q5, q6
    real(wp), parameter :: c = 1.0_wp/60.0_wp
    upwind5 = c*(m*((37.0_wp*(q3 + q4) - 8.0_wp*(q2 + q5)) + (q1 + q6)) &
      - abs(m)*(((q6 - q1) - 5.0_wp*(q5 - q2)) + 10.0_wp*(q4 - q3)))
  end function upwind5

  !> Vertical flux of level values q(1:n) through faces 1:n+1; m(1) is not used. The order falls
  !> towards ground and top.
  pure subroutine flux_vertical(b, m, q, f)
    type(shape_t), intent(in) :: b
    real(wp), intent(in) :: m(b%nz), q(b%nz)
    real(wp), intent(out) :: f(b%nz + 1)
    integer :: n, k
    n = b%nz
    f(1) = 0.0_wp
    f(n + 1) = 0.0_wp
    if (b%ghosts == 3) then
      f(2) = m(2)*(0.5_wp*(q(1) + q(2)))
      do k = 3, n - 1
        f(k) = upwind3(m(k), q(k - 2), q(k - 1), q(k), q(k + 1))
      end do
      f(n) = m(n)*(0.5_wp*(q(n - 1) + q(n)))
      if (b%order_v < 5) return
      do k = 4, n - 2
        f(k) = upwind5(m(k), q(k - 3), q(k - 2), q(k - 1), q(k), q(k + 1), q(k + 2))
      end do
    else
      do k = 2, n
        f(k) = m(k)*(0.5_wp*(q(k - 1) + q(k)))
      end do
    end if
  end subroutine flux_vertical

  !> tend = -div(m q) of a q at levels; mass fluxes ru, rv at faces, om at lower faces. The place of
  !> q: cells for di = dj = 0, u faces for di = 1, v faces for dj = 1; mass fluxes are brought there
  !> as means of two neighbours (of the same one for cells, which changes no bit).
  subroutine advect_levels(b, r, di, dj, rdx, rdy, rdz, q, ru, rv, om, tend)
    type(shape_t), intent(in) :: b
    type(box_t), intent(in) :: r
    integer, intent(in) :: di, dj
    real(wp), intent(in) :: rdx, rdy, rdz(b%nz)
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: q, ru, rv, om
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: tend
    real(wp) :: west(b%nz), east(b%nz), north(b%nz), south(b%nz, r%i1:r%i2), fz(b%nz + 1), m(b%nz)
    integer :: n, i, j, k

    n = b%nz
    do j = r%j1, r%j2
      if (r%i1 > r%i2) exit
      if (j == r%j1 .and. .not. b%two_d) then
        do i = r%i1, r%i2
          call mean(n, rv(1, i - di, j - dj), rv(1, i, j), m)
          call flux_y(b, m, q, i, j, south(1, i))
        end do
      end if
      i = r%i1
      call mean(n, ru(1, i - di, j - dj), ru(1, i, j), m)
      call flux_x(b, m, q, i, j, west)
      do i = r%i1, r%i2
        call mean(n, ru(1, i + 1 - di, j - dj), ru(1, i + 1, j), m)
        call flux_x(b, m, q, i + 1, j, east)
        call mean(n, om(1, i - di, j - dj), om(1, i, j), m)
        call flux_vertical(b, m, q(1, i, j), fz)
        do k = 1, n
          tend(k, i, j) = -(rdx*(east(k) - west(k)) + rdz(k)*(fz(k + 1) - fz(k)))
          west(k) = east(k)
        end do
        if (b%two_d) cycle
        call mean(n, rv(1, i - di, j + 1 - dj), rv(1, i, j + 1), m)
        call flux_y(b, m, q, i, j + 1, north)
        do k = 1, n
          tend(k, i, j) = tend(k, i, j) - rdy*(north(k) - south(k, i))
          south(k, i) = north(k)
        end do
      end do
    end do
  end subroutine advect_levels

  pure subroutine mean(n, low, high, m)
    integer, intent(in) :: n
    real(wp), intent(in) :: low(n), high(n)
    real(wp), intent(out) :: m(n)
    integer :: k
    do k = 1, n
      m(k) = 0.5_wp*(low(k) + high(k))
    end do
  end subroutine mean

  !> tend -= div(m base) of a base that depends on height only, second order. Over sloping levels
  !> the horizontal and the vertical part must cancel up to w d base/dz: they do if their order is
  !> that of the slopes in the vertical mass flux, while fluxes of higher order make waves of the
  !> scale of the terrain that are not there (Schaer et al. 2002; Klemp, Skamarock, Fuhrer 2003).
  subroutine advect_base(b, r, rdx, rdy, rdz, fzm, fzp, base, ru, rv, om, tend)
    type(shape_t), intent(in) :: b
    type(box_t), intent(in) :: r
    real(wp), intent(in) :: rdx, rdy, rdz(b%nz), fzm(b%nz), fzp(b%nz)
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: base, ru, rv, om
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: tend
    real(wp) :: fz(b%nz + 1), hx, hy
    integer :: n, i, j, k

    n = b%nz
    hx = 0.5_wp*rdx
    hy = 0.5_wp*rdy
    fz(1) = 0.0_wp
    fz(n + 1) = 0.0_wp
    do j = r%j1, r%j2
      do i = r%i1, r%i2
        do k = 2, n
          fz(k) = om(k, i, j)*(fzm(k)*base(k, i, j) + fzp(k)*base(k - 1, i, j))
        end do
        do k = 1, n
          tend(k, i, j) = tend(k, i, j) - (rdz(k)*(fz(k + 1) - fz(k)) &
            + hx*(ru(k, i + 1, j)*(base(k, i, j) + base(k, i + 1, j)) &
            - ru(k, i, j)*(base(k, i - 1, j) + base(k, i, j))))
        end do
        if (b%two_d) cycle
        do k = 1, n
          tend(k, i, j) = tend(k, i, j) - hy*(rv(k, i, j + 1)*(base(k, i, j) + base(k, i, j + 1)) &
            - rv(k, i, j)*(base(k, i, j - 1) + base(k, i, j)))
        end do
      end do
    end do
  end subroutine advect_base

  !> tend = -div(m w) at the lower faces 2:nz; fzm and fzp interpolate mass fluxes to faces.
  subroutine advect_w(b, r, rdx, rdy, rdzf, fzm, fzp, w, ru, rv, om, tend)
    type(shape_t), intent(in) :: b
    type(box_t), intent(in) :: r
    real(wp), intent(in) :: rdx, rdy, rdzf(b%nz + 1), fzm(b%nz), fzp(b%nz)
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: w, ru, rv, om
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: tend
    real(wp) :: west(b%nz), east(b%nz), north(b%nz), south(b%nz, r%i1:r%i2), fz(b%nz), m(b%nz)
    integer :: n, i, j, k

    n = b%nz
    do j = r%j1, r%j2
      if (j == r%j1 .and. .not. b%two_d) then
        do i = r%i1, r%i2
          call at_faces(n, fzm, fzp, rv(1, i, j), m)
          call flux_y(b, m, w, i, j, south(1, i))
        end do
      end if
      i = r%i1
      call at_faces(n, fzm, fzp, ru(1, i, j), m)
      call flux_x(b, m, w, i, j, west)
      do i = r%i1, r%i2
        call at_faces(n, fzm, fzp, ru(1, i + 1, j), m)
        call flux_x(b, m, w, i + 1, j, east)
        call flux_at_levels(b, om(1, i, j), w(1, i, j), fz)
        tend(1, i, j) = 0.0_wp
        do k = 2, n
          tend(k, i, j) = -(rdx*(east(k) - west(k)) + rdzf(k)*(fz(k) - fz(k - 1)))
        end do
        west = east
        if (b%two_d) cycle
        call at_faces(n, fzm, fzp, rv(1, i, j + 1), m)
        call flux_y(b, m, w, i, j + 1, north)
        do k = 2, n
          tend(k, i, j) = tend(k, i, j) - rdy*(north(k) - south(k, i))
        end do
        south(:, i) = north
      end do
    end do
  end subroutine advect_w

  pure subroutine at_faces(n, fzm, fzp, q, f)
    integer, intent(in) :: n
    real(wp), intent(in) :: fzm(n), fzp(n), q(n)
    real(wp), intent(out) :: f(n)
    integer :: k
    f(1) = q(1)
    do k = 2, n
      f(k) = fzm(k)*q(k) + fzp(k)*q(k - 1)
    end do
  end subroutine at_faces

  !> Vertical flux of face values w(1:n), w(n+1) = 0, through the level centres 1:n.
  pure subroutine flux_at_levels(b, om, w, f)
    type(shape_t), intent(in) :: b
    real(wp), intent(in) :: om(b%nz), w(b%nz)
    real(wp), intent(out) :: f(b%nz)
    integer :: n, k
    n = b%nz
    f(1) = (0.5_wp*(om(1) + om(2)))*(0.5_wp*(w(1) + w(2)))
    f(n) = 0.25_wp*om(n)*w(n)
    if (b%ghosts == 3) then
      do k = 2, n - 2
        f(k) = upwind3(0.5_wp*(om(k) + om(k + 1)), w(k - 1), w(k), w(k + 1), w(k + 2))
      end do
      f(n - 1) = upwind3(0.5_wp*(om(n - 1) + om(n)), w(n - 2), w(n - 1), w(n), 0.0_wp)
      if (b%order_v < 5) return
      do k = 3, n - 3
        f(k) = upwind5(0.5_wp*(om(k) + om(k + 1)), w(k - 2), w(k - 1), w(k), w(k + 1), w(k + 2), &
          w(k + 3))
      end do
    else
      do k = 2, n - 1
        f(k) = (0.5_wp*(om(k) + om(k + 1)))*(0.5_wp*(w(k) + w(k + 1)))
      end do
    end if
  end subroutine flux_at_levels

  !> tend = -div(m): what the density gains.
  subroutine mass_tendency(b, r, rdx, rdy, rdz, ru, rv, om, tend)
    type(shape_t), intent(in) :: b
    type(box_t), intent(in) :: r
    real(wp), intent(in) :: rdx, rdy, rdz(b%nz)
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: ru, rv, om
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: tend
    integer :: n, i, j, k

    n = b%nz
    do j = r%j1, r%j2
      do i = r%i1, r%i2
        do k = 1, n - 1
          tend(k, i, j) = -(rdx*(ru(k, i + 1, j) - ru(k, i, j)) + rdz(k)*(om(k + 1, i, j) - &
            om(k, i, j)))
        end do
        tend(n, i, j) = -(rdx*(ru(n, i + 1, j) - ru(n, i, j)) - rdz(n)*om(n, i, j))
        if (b%two_d) cycle
        do k = 1, n
          tend(k, i, j) = tend(k, i, j) - rdy*(rv(k, i, j + 1) - rv(k, i, j))
        end do
      end do
    end do
  end subroutine mass_tendency
end module weather_advection
