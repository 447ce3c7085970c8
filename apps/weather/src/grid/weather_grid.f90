! SPDX-License-Identifier: BSD-3-Clause
! The model grid: own tile, levels, terrain and the metric terms of the terrain-following
! coordinate.
!
! Columns are indexed (k, i, j) with global i, j. The coordinate is Gal-Chen's:
!   z(zeta) = zeta + zs (1 - zeta/H),  dz/dzeta = 1 - zs/H = jac,
!   dz/dx at constant zeta = zs_x (1 - zeta/H).
! Arakawa C and Lorenz: u(k,i,j) sits on the west face of cell (i,j), v on the south face, w on the
! lower face of level k. The faces 1 (ground) and nz+1 (rigid top) carry no vertical mass flux.
module weather_grid
  use weather_constants, only: wp, pi, max_text
  use weather_errors, only: agree, text_of
  use weather_config, only: config_t
  implicit none (type, external)
  private
  public :: grid_t, shape_t, box_t, make_levels, make_tile, make_metric, idealised_terrain

  !> Bounds of every 3-D array of this rank; two_d: no neighbours in y.
  type :: shape_t
    integer :: nz = 0, il = 0, ih = 0, jl = 0, jh = 0
    integer :: ghosts = 3                    !! ghost columns: 3 for fifth order, 1 for second
    logical :: two_d = .false.
    integer :: order_v = 3                   !! of vertical advection with three ghost columns
  end type shape_t

  !> A rectangle of columns on which a kernel works.
  type :: box_t
    integer :: i1 = 1, i2 = 0, j1 = 1, j2 = 0
  end type box_t

  type :: grid_t
    integer :: nx = 0, ny = 0, nz = 0
    real(wp) :: dx = 0.0_wp, dy = 0.0_wp, top = 0.0_wp
    logical :: periodic_x = .true., periodic_y = .true., flat = .true.
    type(shape_t) :: shape
    type(box_t) :: own                       !! cells of this rank
    type(box_t) :: own_u, own_v              !! of its u and v faces, those that may change
    ! heights of faces 1:nz+1 and centres 1:nz over flat ground
    real(wp), allocatable :: zf(:), zc(:)
    ! 1/thickness of levels; 1/distance of centres at face k
    real(wp), allocatable :: rdz(:), rdzf(:)
    real(wp), allocatable :: fzm(:), fzp(:)  !! value at face k = fzm(k) q(k) + fzp(k) q(k-1)
    ! d/dzeta at level k from three levels: see make_levels
    real(wp), allocatable :: slope(:, :)
    real(wp), allocatable :: fall_c(:), fall_f(:)  !! 1 - zeta/H at centres and faces
    real(wp), allocatable :: zs(:, :)        !! terrain [m]
    real(wp), allocatable :: jac(:, :), jac_u(:, :), jac_v(:, :)
    real(wp), allocatable :: sx(:, :), sy(:, :)    !! terrain slope at u and v faces
    real(wp), allocatable :: coriolis(:, :)  !! f [s-1]
    real(wp), allocatable :: latitude(:, :), longitude(:, :)
    ! of the ground, where an analysis gives them: [m], [K], 0 to 1
    real(wp), allocatable, dimension(:, :) :: roughness, ground_temperature, ground_wetness, land, &
      soil_temperature, deep_temperature
  contains
    procedure :: x_of, y_of, height
  end type grid_t

contains

  !> Levels from deltaz, dzrat, dzmax as in RAMS.
  subroutine make_levels(g, c)
    type(grid_t), intent(inout) :: g
    type(config_t), intent(in) :: c
    real(wp) :: thickness
    integer :: k, nz

    nz = c%nnzp
    g%nz = nz
    allocate (g%zf(nz + 1), g%zc(nz), g%rdz(nz), g%rdzf(nz + 1), g%fzm(nz), g%fzp(nz), &
      g%slope(3, nz), g%fall_c(nz), g%fall_f(nz + 1), source=0.0_wp)
    g%zf(1) = 0.0_wp
    thickness = c%deltaz
    do k = 1, nz
      g%zf(k + 1) = g%zf(k) + thickness
      g%rdz(k) = 1.0_wp/thickness
      thickness = min(thickness*c%dzrat, c%dzmax)
    end do
    g%top = g%zf(nz + 1)
    g%zc = 0.5_wp*(g%zf(1:nz) + g%zf(2:))
    g%rdzf(1) = 2.0_wp*g%rdz(1)
    g%rdzf(nz + 1) = 2.0_wp*g%rdz(nz)
    g%fzm = 0.5_wp
    g%fzp = 0.5_wp
    do k = 2, nz
      g%rdzf(k) = 1.0_wp/(g%zc(k) - g%zc(k - 1))
      g%fzm(k) = (g%zf(k) - g%zc(k - 1))*g%rdzf(k)
      g%fzp(k) = (g%zc(k) - g%zf(k))*g%rdzf(k)
    end do
    g%fall_c = 1.0_wp - g%zc/g%top
    g%fall_f = 1.0_wp - g%zf/g%top
    call make_slope(g)
  end subroutine make_levels

  !> slope(1:3,k) gives dq/dzeta at level k from q(k-1:k+1), at the ends from the three outermost
  !> levels: the derivative of the parabola through them.
  subroutine make_slope(g)
    type(grid_t), intent(inout) :: g
    real(wp) :: a, b, c, z
    integer :: k, m

    do k = 1, g%nz
      m = min(max(k, 2), g%nz - 1)
      a = g%zc(m - 1)
      b = g%zc(m)
      c = g%zc(m + 1)
      z = g%zc(k)
      g%slope(1, k) = ((z - b) + (z - c))/((a - b)*(a - c))
      g%slope(2, k) = ((z - a) + (z - c))/((b - a)*(b - c))
      g%slope(3, k) = ((z - a) + (z - b))/((c - a)*(c - b))
    end do
  end subroutine make_slope

  !> Own tile and array bounds, given the decomposition.
  subroutine make_tile(g, is, ie, js, je, ghosts, order_v)
    type(grid_t), intent(inout) :: g
    integer, intent(in) :: is, ie, js, je, ghosts, order_v
    integer :: ghosts_y

    ghosts_y = merge(ghosts, 0, g%ny > 1)
    g%shape = shape_t(g%nz, is - ghosts, ie + ghosts, js - ghosts_y, je + ghosts_y, ghosts, &
      g%ny == 1, order_v)
    g%own = box_t(is, ie, js, je)
    g%own_u = g%own
    g%own_v = g%own
    if (.not. g%periodic_x) g%own_u%i1 = max(is, 2)
    if (.not. g%periodic_y) g%own_v%j1 = max(js, 2)
    if (g%shape%two_d) g%own_v = box_t(1, 0, 1, 0)
    associate (s => g%shape)
      allocate (g%zs(s%il:s%ih, s%jl:s%jh), g%jac(s%il:s%ih, s%jl:s%jh), &
        g%jac_u(s%il:s%ih, s%jl:s%jh), g%jac_v(s%il:s%ih, s%jl:s%jh), &
        g%sx(s%il:s%ih, s%jl:s%jh), g%sy(s%il:s%ih, s%jl:s%jh), &
        g%coriolis(s%il:s%ih, s%jl:s%jh), source=0.0_wp)
    end associate
  end subroutine make_tile

  !> Metric terms from the terrain, which must be set on the ghosts too. The outermost west and
  !> south faces have no cell on their other side; nothing reads them.
  subroutine make_metric(g, anything_but_flat)
    type(grid_t), intent(inout) :: g
    logical, intent(in) :: anything_but_flat
    integer :: i, j

    g%flat = .not. anything_but_flat
    g%jac = 1.0_wp - g%zs/g%top
    g%jac_u = g%jac
    g%jac_v = g%jac
    do j = g%shape%jl, g%shape%jh
      do i = g%shape%il + 1, g%shape%ih
        g%jac_u(i, j) = 0.5_wp*(g%jac(i - 1, j) + g%jac(i, j))
        g%sx(i, j) = (g%zs(i, j) - g%zs(i - 1, j))/g%dx
      end do
    end do
    do j = g%shape%jl + 1, g%shape%jh
      do i = g%shape%il, g%shape%ih
        g%jac_v(i, j) = 0.5_wp*(g%jac(i, j - 1) + g%jac(i, j))
        g%sy(i, j) = (g%zs(i, j) - g%zs(i, j - 1))/g%dy
      end do
    end do
  end subroutine make_metric

  !> Terrain of the idealised cases, centred in the domain; a ridge along y in two dimensions.
  subroutine idealised_terrain(g, c)
    type(grid_t), intent(inout) :: g
    type(config_t), intent(in) :: c
    character(max_text) :: message
    real(wp) :: r2, x, y
    integer :: i, j

    do j = g%shape%jl, g%shape%jh
      do i = g%shape%il, g%shape%ih
        x = g%x_of(i)
        y = g%y_of(j)
        r2 = (x/c%terrain_width)**2
        if (.not. g%shape%two_d) r2 = r2 + (y/c%terrain_width)**2
        select case (c%terrain)
        case ('bell')
          g%zs(i, j) = c%terrain_height/(1.0_wp + r2)
        case ('schaer')
          g%zs(i, j) = c%terrain_height*exp(-r2)*cos(pi*x/(0.8_wp*c%terrain_width))**2
        case default
          g%zs(i, j) = 0.0_wp
        end select
      end do
    end do
    message = ''
    if (c%terrain_height > 0.8_wp*g%top .and. c%terrain /= 'flat') message = &
      'terrain_height = '//text_of(c%terrain_height)//' m is too high for a model top of '// &
      text_of(g%top)//' m: raise nnzp, deltaz, dzrat or dzmax'
    call agree(message)
  end subroutine idealised_terrain

  !> Distance of the centre of column i from the middle of the domain [m]; a periodic ghost column
  !> has the place of the column it stands for.
  pure real(wp) function x_of(g, i)
    class(grid_t), intent(in) :: g
    integer, intent(in) :: i
    integer :: column
    column = i
    if (g%periodic_x) column = modulo(i - 1, g%nx) + 1
    x_of = (real(2*column - 1 - g%nx, wp)*0.5_wp)*g%dx
  end function x_of

  pure real(wp) function y_of(g, j)
    class(grid_t), intent(in) :: g
    integer, intent(in) :: j
    integer :: row
    row = j
    if (g%periodic_y) row = modulo(j - 1, g%ny) + 1
    y_of = (real(2*row - 1 - g%ny, wp)*0.5_wp)*g%dy
  end function y_of

  !> Height above sea level of the centre of cell (k, i, j) [m].
  pure real(wp) function height(g, k, i, j)
    class(grid_t), intent(in) :: g
    integer, intent(in) :: k, i, j
    height = g%zc(k) + g%zs(i, j)*g%fall_c(k)
  end function height
end module weather_grid
