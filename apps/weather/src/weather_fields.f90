! SPDX-License-Identifier: BSD-3-Clause
! The fields that the model writes: their names and units, and their values at the centres of cells.
module weather_fields
  use weather_constants, only: wp, virtual, gravity, r_dry
  use weather_grid, only: grid_t
  use weather_state, only: state_t, content_of, vapour, cloud, rain
  use weather_thermo, only: exner
  implicit none (type, external)
  private
  public :: field_count, field_names, units_of, standard_name_of, long_name_of
  public :: field_values, surface_pressure

  integer, parameter :: field_count = 7
  character(12), parameter :: field_names(field_count) = [character(12) :: 'u', 'v', 'w', 'theta', &
    'temperature', 'pressure', 'qv']

contains

  pure function units_of(f) result(text)
    integer, intent(in) :: f
    character(:), allocatable :: text
    character(8), parameter :: all_(field_count) = [character(8) :: 'm s-1', 'm s-1', 'm s-1', &
      'K', 'K', 'Pa', 'kg kg-1']
    text = trim(all_(f))
  end function units_of

  pure function standard_name_of(f) result(text)
    integer, intent(in) :: f
    character(:), allocatable :: text
    character(32), parameter :: all_(field_count) = [character(32) :: 'x_wind', 'y_wind', &
      'upward_air_velocity', 'air_potential_temperature', 'air_temperature', 'air_pressure', &
      'specific_humidity']
    text = trim(all_(f))
  end function standard_name_of

  pure function long_name_of(f) result(text)
    integer, intent(in) :: f
    character(:), allocatable :: text
    character(40), &
      parameter :: all_(field_count) = [character(40) :: 'wind along x at cell centres', &
      'wind along y at cell centres', 'vertical wind at cell centres', 'potential temperature', &
      'temperature', 'pressure', 'specific humidity']
    text = trim(all_(f))
  end function long_name_of

  !> Field number f at the centres of the own cells.
  subroutine field_values(g, s, f, values)
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    integer, intent(in) :: f
    real(wp), intent(out) :: values(g%nz, g%own%i1:g%own%i2, g%own%j1:g%own%j2)
    real(wp) :: p(g%nz), dry(g%nz)
    integer :: i, j, n

    n = g%nz
    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        p = s%p_base(:, i, j) + s%pp(:, i, j)
        dry = s%theta(:, i, j)/(1.0_wp + virtual*content_of(s, vapour, i, j) &
          - content_of(s, cloud, i, j) - content_of(s, rain, i, j))
        select case (f)
        case (1)
          values(:, i, j) = 0.5_wp*(s%u(:, i, j) + s%u(:, i + 1, j))
        case (2)
          if (g%shape%two_d) then
            values(:, i, j) = 0.0_wp
          else
            values(:, i, j) = 0.5_wp*(s%v(:, i, j) + s%v(:, i, j + 1))
          end if
        case (3)
          values(:n - 1, i, j) = 0.5_wp*(s%w(:n - 1, i, j) + s%w(2:, i, j))
          values(n, i, j) = 0.5_wp*s%w(n, i, j)
        case (4)
          values(:, i, j) = dry
        case (5)
          values(:, i, j) = dry*exner(p)
        case (6)
          values(:, i, j) = p
        case default
          values(:, i, j) = content_of(s, vapour, i, j)
        end select
      end do
    end do
  end subroutine field_values

  !> Pressure at the ground: hydrostatic from the lowest level, into values(1,:,:).
  subroutine surface_pressure(g, s, values)
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    real(wp), intent(inout) :: values(g%nz, g%own%i1:g%own%i2, g%own%j1:g%own%j2)
    real(wp) :: p, t
    integer :: i, j
    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        p = s%p_base(1, i, j) + s%pp(1, i, j)
        t = s%theta(1, i, j)*exner(p)
        values(1, i, j) = p*exp(gravity*g%zc(1)*g%jac(i, j)/(r_dry*t))
      end do
    end do
  end subroutine surface_pressure

end module weather_fields
