! SPDX-License-Identifier: BSD-3-Clause
! Smooth fields whose derivatives are known, on two grids of which one is twice as fine: a term of
! the equations that lacks a factor, a sign or a direction does not come closer to its formula when
! the grid becomes finer. All spacings and wavenumbers differ, so that no two directions can be
! exchanged; levels are stretched, and a hill makes them slope.
module manufactured
  use checks, only: check
  use weather_constants, only: wp, pi
  use weather_config, only: config_t
  use weather_grid, only: grid_t, make_levels, make_tile, make_metric
  implicit none (type, external)
  private
  public :: wave_t, value, gradient, curvature, make_grid, place, above_sea, fill, make_field
  public :: converges, along_all

  integer, parameter :: along_all = 0
  real(wp), parameter :: length_x = 16.0e3_wp, length_y = 21.0e3_wp
  real(wp), parameter :: thickness = 500.0_wp, stretch = 1.06_wp
  integer, parameter :: levels = 12
  real(wp), parameter :: top = thickness*(stretch**levels - 1.0_wp)/(stretch - 1.0_wp)
  real(wp), parameter :: k(3) = [2.0_wp*pi/length_x, 2.0_wp*pi/length_y, 1.4_wp*pi/top]

  !> mean + size (s1 + s2 + s3 + s1 s2 s3), s = sin(k x + phase); or one of the s alone.
  type :: wave_t
    real(wp) :: mean = 0.0_wp, size = 1.0_wp, phase(3) = [0.3_wp, 1.1_wp, 0.7_wp]
    integer :: along = along_all
    logical :: closed = .false.        !! times sin(pi zeta/top): nothing at ground and top
  end type wave_t

contains

  pure real(wp) function value(w, x)
    type(wave_t), intent(in) :: w
    real(wp), intent(in) :: x(3)
    real(wp) :: s(3)
    s = sin(k*x + w%phase)
    if (w%along == along_all) then
      value = w%mean + w%size*(sum(s) + product(s))
    else
      value = w%mean + w%size*s(w%along)
    end if
    if (w%closed) value = value*sin(pi*x(3)/top)
  end function value

  pure function gradient(w, x) result(d)
    type(wave_t), intent(in) :: w
    real(wp), intent(in) :: x(3)
    type(wave_t) :: open
    real(wp) :: d(3), s(3), c(3)
    s = sin(k*x + w%phase)
    c = k*cos(k*x + w%phase)
    if (w%along == along_all) then
      d = w%size*c*(1.0_wp + [s(2)*s(3), s(1)*s(3), s(1)*s(2)])
    else
      d = 0.0_wp
      d(w%along) = w%size*c(w%along)
    end if
    if (.not. w%closed) return
    open = w
    open%closed = .false.
    d = d*sin(pi*x(3)/top)
    d(3) = d(3) + value(open, x)*(pi/top)*cos(pi*x(3)/top)
  end function gradient

  !> Second derivatives along x, y and zeta of a wave that is not closed.
  pure function curvature(w, x) result(d)
    type(wave_t), intent(in) :: w
    real(wp), intent(in) :: x(3)
    real(wp) :: d(3), s(3)
    s = sin(k*x + w%phase)
    if (w%along == along_all) then
      d = -w%size*k**2*(s + product(s))
    else
      d = 0.0_wp
      d(w%along) = -w%size*k(w%along)**2*s(w%along)
    end if
  end function curvature

  !> Height of the ground, and its slopes along x and y.
  pure function hill_at(x) result(h)
    real(wp), intent(in) :: x(3)
    real(wp) :: h(3)
    real(wp), parameter :: high = 400.0_wp
    h(1) = high*(2.0_wp + sin(k(1)*x(1)) + sin(k(2)*x(2) + 0.4_wp))
    h(2) = high*k(1)*cos(k(1)*x(1))
    h(3) = high*k(2)*cos(k(2)*x(2) + 0.4_wp)
  end function hill_at

  !> m = 1, or 2: twice as fine.
  subroutine make_grid(g, m, hilly, ghosts, order_v, even)
    type(grid_t), intent(out) :: g
    integer, intent(in) :: m
    logical, intent(in) :: hilly
    integer, intent(in), optional :: ghosts, order_v
    logical, intent(in), optional :: even      !! levels of one thickness
    type(config_t) :: c
    real(wp) :: x(3), h(3)
    integer :: i, j, wide, order

    wide = 3
    if (present(ghosts)) wide = ghosts
    order = 3
    if (present(order_v)) order = order_v
    g%nx = 16*m
    g%ny = 14*m
    g%dx = length_x/real(g%nx, wp)
    g%dy = length_y/real(g%ny, wp)
    c%nnzp = levels*m
    c%dzrat = stretch**(1.0_wp/real(m, wp))
    c%deltaz = thickness*(c%dzrat - 1.0_wp)/(stretch - 1.0_wp)
    c%dzmax = 1.0e9_wp
    if (present(even)) then
      c%dzrat = 1.0_wp
      c%deltaz = top/real(c%nnzp, wp)
    end if
    call make_levels(g, c)
    call make_tile(g, 1, g%nx, 1, g%ny, wide, order)
    do j = g%shape%jl, g%shape%jh
      do i = g%shape%il, g%shape%ih
        x = place(g, 1, i, j, [0, 0, 0])
        h = hill_at(x)
        if (hilly) g%zs(i, j) = h(1)
      end do
    end do
    call make_metric(g, hilly)
  end subroutine make_grid

  !> x, y and zeta of a cell's centre; with at = [1, 0, 0] of its u face, [0, 1, 0] v face,
  !> [0, 0, 1] lower face.
  pure function place(g, k, i, j, at) result(x)
    type(grid_t), intent(in) :: g
    integer, intent(in) :: k, i, j, at(3)
    real(wp) :: x(3)
    x(1) = (real(i, wp) - 0.5_wp*real(1 + at(1), wp))*g%dx
    x(2) = (real(j, wp) - 0.5_wp*real(1 + at(2), wp))*g%dy
    x(3) = merge(g%zf(k), g%zc(k), at(3) == 1)
  end function place

  !> The place x, y, z of a place x, y, zeta over the hill.
  pure function above_sea(x) result(p)
    real(wp), intent(in) :: x(3)
    real(wp) :: p(3), h(3)
    h = hill_at(x)
    p = [x(1), x(2), x(3) + h(1)*(1.0_wp - x(3)/top)]
  end function above_sea

  subroutine make_field(g, field)
    type(grid_t), intent(in) :: g
    real(wp), allocatable, intent(out) :: field(:, :, :)
    allocate (field(g%shape%nz, g%shape%il:g%shape%ih, g%shape%jl:g%shape%jh), source=0.0_wp)
  end subroutine make_field

  !> The wave at all cells, ghosts too; `lifted`: a function of the height above sea level.
  pure subroutine fill(g, w, at, field, lifted)
    type(grid_t), intent(in) :: g
    type(wave_t), intent(in) :: w
    integer, intent(in) :: at(3)
    real(wp), intent(inout) :: field(g%nz, g%shape%il:g%shape%ih, g%shape%jl:g%shape%jh)
    logical, intent(in), optional :: lifted
    integer :: n, i, j
    do j = g%shape%jl, g%shape%jh
      do i = g%shape%il, g%shape%ih
        do n = 1, g%nz
          if (present(lifted)) then
            field(n, i, j) = value(w, above_sea(place(g, n, i, j, at)))
          else
            field(n, i, j) = value(w, place(g, n, i, j, at))
          end if
        end do
      end do
    end do
  end subroutine fill

  !> errors: shares of the largest value, on the grid and on that twice as fine.
  subroutine converges(errors, order, what)
    real(wp), intent(in) :: errors(2)
    integer, intent(in) :: order
    character(*), intent(in) :: what
    call check(errors(1) > 0.0_wp .and. errors(2) < errors(1)/(0.6_wp*2.0_wp**order) &
      .and. errors(2) < 0.05_wp, what, errors(2))
  end subroutine converges
end module manufactured
