! SPDX-License-Identifier: BSD-3-Clause
! Winds of an analysis whose columns lose or gain as much mass as the analyses say.
!
! Interpolated winds converge by several hPa an hour in single columns, and bring tenths of that
! through all sides together. As the start they make external waves; as what the sides are relaxed
! to they bring mass for ever, which the relaxation of density has to take away. So a wind that is
! the same at all levels of a column is added, the gradient of a potential over the column's mass:
!   div(column flux) - laplace(chi) = -tendency of the column's mass,    chi = 0 beyond the sides
! as Trenberth (1991, J. Climate 4, 707-722) corrects the mass budget of analyses. The equation is
! that of five points on the model's own faces, so what is left is rounding. All ranks solve it
! alike, by sine transforms: the source is a sum in which each column has one contribution, so any
! ranks give the same bits.
module weather_mass_balance
  use mpi_f08, only: MPI_COMM_WORLD, MPI_Allreduce, MPI_IN_PLACE, MPI_DOUBLE_PRECISION, MPI_SUM, &
    MPI_MAX, MPI_Comm_rank
  use, intrinsic :: iso_fortran_env, only: output_unit
  use weather_constants, only: wp, pi, gravity
  use weather_errors, only: fixed
  use weather_grid, only: grid_t
  use weather_state, only: state_t
  implicit none (type, external)
  private
  public :: column_mass, balance_mass, solve_potential

contains

  !> Mass of each column, ghosts included [kg m-2].
  function column_mass(g, s) result(mass)
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    real(wp) :: mass(g%shape%il:g%shape%ih, g%shape%jl:g%shape%jh)
    integer :: i, j
    do j = g%shape%jl, g%shape%jh
      do i = g%shape%il, g%shape%ih
        mass(i, j) = sum((s%rho_base(:, i, j) + s%rho(:, i, j))/g%rdz)
      end do
    end do
  end function column_mass

  !> Adds the winds to u and v at all faces, ghosts included. `tendency`: what the columns' mass
  !> gains [kg m-2 s-1]. Collective; rank 0 says what was found, for the file `path`.
  subroutine balance_mass(g, s, tendency, path)
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    real(wp), intent(in) :: tendency(g%shape%il:, g%shape%jl:)
    character(*), intent(in) :: path
    real(wp), dimension(g%shape%il:g%shape%ih, g%shape%jl:g%shape%jh) :: east, north
    real(wp) :: source(g%nx, g%ny), chi(0:g%nx + 1, 0:g%ny + 1), fastest
    integer :: i, j

    call column_fluxes(g, s, east, north)
    source = 0.0_wp
    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        source(i, j) = (east(i + 1, j) - east(i, j))/g%dx + (north(i, j + 1) - north(i, j))/g%dy &
          + tendency(i, j)
      end do
    end do
    call MPI_Allreduce(MPI_IN_PLACE, source, size(source), MPI_DOUBLE_PRECISION, MPI_SUM, &
      MPI_COMM_WORLD)
    call solve_potential(g%dx, g%dy, source, chi)
    call add_winds(g, s, chi, fastest)
    call report(source, fastest, path)
  end subroutine balance_mass

  !> Mass that flows through the west and the south face of each column [kg m-1 s-1].
  subroutine column_fluxes(g, s, east, north)
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    real(wp), dimension(g%shape%il:, g%shape%jl:), intent(out) :: east, north
    integer :: i, j

    east = 0.0_wp
    north = 0.0_wp
    do j = g%shape%jl + 1, g%shape%jh
      do i = g%shape%il + 1, g%shape%ih
        associate (d => s%rho_base(:, i, j) + s%rho(:, i, j))
          east(i, j) = sum(s%u(:, i, j)*0.5_wp*(s%rho_base(:, i - 1, j) + s%rho(:, i - 1, j) + d) &
            /g%rdz)
          north(i, j) = sum(s%v(:, i, j)*0.5_wp*(s%rho_base(:, i, j - 1) + s%rho(:, i, j - 1) + d) &
            /g%rdz)
        end associate
      end do
    end do
  end subroutine column_fluxes

  !> Solves laplace(chi) = source, in differences, with chi = 0 in the cells around the domain.
  subroutine solve_potential(dx, dy, source, chi)
    real(wp), intent(in) :: dx, dy, source(:, :)
    real(wp), intent(out) :: chi(0:, 0:)
    real(wp) :: sx(size(source, 1), size(source, 1)), sy(size(source, 2), size(source, 2))
    real(wp) :: wave(size(source, 1), size(source, 2))
    integer :: i, j, nx, ny

    nx = size(source, 1)
    ny = size(source, 2)
    sx = sines(nx)
    sy = sines(ny)
    wave = matmul(matmul(sx, source), sy)
    do j = 1, ny
      do i = 1, nx
        wave(i, j) = -wave(i, j)/((2.0_wp*sin(0.5_wp*pi*i/(nx + 1))/dx)**2 &
          + (2.0_wp*sin(0.5_wp*pi*j/(ny + 1))/dy)**2)
      end do
    end do
    chi = 0.0_wp
    chi(1:nx, 1:ny) = matmul(matmul(sx, wave), sy)
  end subroutine solve_potential

  !> The sine transform, its own inverse.
  pure function sines(n) result(s)
    integer, intent(in) :: n
    real(wp) :: s(n, n)
    integer :: i, m
    do m = 1, n
      do i = 1, n
        s(i, m) = sqrt(2.0_wp/(n + 1))*sin(pi*mod(i*m, 2*(n + 1))/(n + 1))
      end do
    end do
  end function sines

  !> u and v lose the gradient of chi over the mass of the column at their face.
  subroutine add_winds(g, s, chi, fastest)
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    real(wp), intent(in) :: chi(0:, 0:)
    real(wp), intent(out) :: fastest
    real(wp), dimension(g%shape%il:g%shape%ih, g%shape%jl:g%shape%jh) :: mass
    real(wp) :: wind
    integer :: i, j

    mass = column_mass(g, s)
    fastest = 0.0_wp
    do j = g%shape%jl, g%shape%jh
      do i = g%shape%il + 1, g%shape%ih
        wind = -(at(i, j) - at(i - 1, j))/g%dx/(0.5_wp*(mass(i - 1, j) + mass(i, j)))
        s%u(:, i, j) = s%u(:, i, j) + wind
        fastest = max(fastest, abs(wind))
      end do
    end do
    do j = g%shape%jl + 1, g%shape%jh
      do i = g%shape%il, g%shape%ih
        wind = -(at(i, j) - at(i, j - 1))/g%dy/(0.5_wp*(mass(i, j - 1) + mass(i, j)))
        s%v(:, i, j) = s%v(:, i, j) + wind
        fastest = max(fastest, abs(wind))
      end do
    end do
  contains
    pure real(wp) function at(i, j)
      integer, intent(in) :: i, j
      at = chi(min(max(i, 0), g%nx + 1), min(max(j, 0), g%ny + 1))
    end function at
  end subroutine add_winds

  !> Collective: one line about what was taken out, in the unit of surface pressure.
  subroutine report(source, fastest, path)
    real(wp), intent(in) :: source(:, :), fastest
    character(*), intent(in) :: path
    real(wp), parameter :: hpa_per_hour = gravity*36.0_wp
    real(wp) :: most
    integer :: rank

    most = fastest
    call MPI_Allreduce(MPI_IN_PLACE, most, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    if (rank == 0) write (output_unit, '(a)') 'mass of '''//path//''': winds of up to '// &
      fixed(most, 3)//' m/s take out a convergence of '//fixed(-hpa_per_hour*sum(source) &
      /size(source), 3)//' hPa/h in the mean, '//fixed(hpa_per_hour*sqrt(sum(source**2) &
      /size(source)), 3)//' hPa/h rms'
  end subroutine report
end module weather_mass_balance
