! SPDX-License-Identifier: BSD-3-Clause
! The fields that the model writes: their names and units, and their values at the centres of cells.
module weather_fields
  use weather_constants, only: wp, virtual, gravity, r_dry
  use weather_grid, only: grid_t
  use weather_state, only: state_t, content_of, vapour, cloud, rain
  use weather_thermo, only: exner
  implicit none (type, external)
  private
  public :: field_t, choose_fields, field_values, dry_theta

  integer, parameter :: most_fields = 32

  !> A field of the output as CF describes it.
  type :: field_t
    character(16) :: name = ''
    character(12) :: units = ''
    character(50) :: standard = ''
    character(44) :: meaning = ''
    character(12) :: method = 'time: point'  !! cell_methods
    logical :: levels = .true.               !! has levels, or is of the ground
    character(12) :: at = ''                 !! its scalar height coordinate
  end type field_t

contains

  !> All fields that this run has.
  subroutine fields_of(s, list)
    type(state_t), intent(in) :: s
    type(field_t), allocatable, intent(out) :: list(:)
    type(field_t) :: every(most_fields)
    integer :: n

    n = 0
    call add('u', 'm s-1', 'x_wind', 'wind along x at cell centres')
    call add('v', 'm s-1', 'y_wind', 'wind along y at cell centres')
    call add('w', 'm s-1', 'upward_air_velocity', 'vertical wind at cell centres')
    call add('theta', 'K', 'air_potential_temperature', 'potential temperature')
    call add('temperature', 'K', 'air_temperature', 'temperature')
    call add('pressure', 'Pa', 'air_pressure', 'pressure')
    if (s%tracers >= vapour) call add('qv', 'kg kg-1', 'specific_humidity', 'specific humidity')
    if (s%tracers >= cloud) call add('qc', 'kg kg-1', &
      'mass_fraction_of_cloud_liquid_water_in_air', 'cloud water')
    if (s%tracers >= rain) then
      call add('qr', 'kg kg-1', 'mass_fraction_of_liquid_precipitation_in_air', 'rain water')
      call add('rain', 'kg m-2', 'rainfall_amount', 'rain at the ground since the start', &
        levels=.false., method='time: sum')
    end if
    call add('surface_pressure', 'Pa', 'surface_air_pressure', 'pressure at the ground', &
      levels=.false.)
    if (s%ground%on) then
      call add('wind_10m', 'm s-1', 'wind_speed', 'wind speed at 10 m', levels=.false., &
        at='height_10m')
      call add('u_10m', 'm s-1', 'x_wind', 'wind along x at 10 m', levels=.false., &
        at='height_10m')
      call add('v_10m', 'm s-1', 'y_wind', 'wind along y at 10 m', levels=.false., &
        at='height_10m')
      call add('temperature_2m', 'K', 'air_temperature', 'air temperature at 2 m', &
        levels=.false., at='height_2m')
      call add('heat_flux', 'W m-2', 'surface_upward_sensible_heat_flux', &
        'sensible heat from the ground', levels=.false.)
      call add('vapour_flux', 'kg m-2 s-1', 'surface_upward_water_vapor_flux_in_air', &
        'evaporation', levels=.false.)
      call add('stress', 'N m-2', 'magnitude_of_surface_downward_stress', &
        'stress of the wind on the ground', levels=.false.)
    end if
    list = every(:n)
  contains
    subroutine add(name, units, standard, meaning, levels, method, at)
      character(*), intent(in) :: name, units, standard, meaning
      logical, intent(in), optional :: levels
      character(*), intent(in), optional :: method, at
      n = n + 1
      every(n) = field_t(name, units, standard, meaning)
      if (present(levels)) every(n)%levels = levels
      if (present(method)) every(n)%method = method
      if (present(at)) every(n)%at = at
    end subroutine add
  end subroutine fields_of

  !> The fields named in `wanted` (blanks between them; empty: all), in the order of the list.
  subroutine choose_fields(s, wanted, list, message)
    type(state_t), intent(in) :: s
    character(*), intent(in) :: wanted
    type(field_t), allocatable, intent(out) :: list(:)
    character(*), intent(inout) :: message
    type(field_t), allocatable :: every(:)
    character(:), allocatable :: names
    logical :: taken(most_fields)
    integer :: first, length, f

    call fields_of(s, every)
    names = ''
    do f = 1, size(every)
      names = names//' '//trim(every(f)%name)
    end do
    taken = wanted == ''
    first = 1
    do while (first <= len_trim(wanted))
      length = scan(wanted(first:)//' ', ' ,') - 1
      associate (name => wanted(first:first + length - 1))
        if (length > 0 .and. .not. any(every%name == name) .and. message == '') &
          message = 'fields: there is no field '''//name//''' in this run; it has'//names
        taken(:size(every)) = taken(:size(every)) .or. every%name == name
      end associate
      first = first + length + 1
    end do
    list = pack(every, taken(:size(every)))
  end subroutine choose_fields

  !> The field at the centres of the own cells; those of the ground in values(1, :, :).
  subroutine field_values(g, s, name, values)
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    character(*), intent(in) :: name
    real(wp), intent(inout) :: values(g%nz, g%own%i1:g%own%i2, g%own%j1:g%own%j2)
    real(wp) :: p(g%nz)
    integer :: i, j, n

    n = g%nz
    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        p = s%p_base(:, i, j) + s%pp(:, i, j)
        select case (name)
        case ('u')
          values(:, i, j) = 0.5_wp*(s%u(:, i, j) + s%u(:, i + 1, j))
        case ('v')
          if (g%shape%two_d) then
            values(:, i, j) = s%v(:, i, j)
          else
            values(:, i, j) = 0.5_wp*(s%v(:, i, j) + s%v(:, i, j + 1))
          end if
        case ('w')
          values(:n - 1, i, j) = 0.5_wp*(s%w(:n - 1, i, j) + s%w(2:, i, j))
          values(n, i, j) = 0.5_wp*s%w(n, i, j)
        case ('theta')
          values(:, i, j) = dry_theta(s, i, j, n)
        case ('temperature')
          values(:, i, j) = dry_theta(s, i, j, n)*exner(p)
        case ('pressure')
          values(:, i, j) = p
        case ('qv')
          values(:, i, j) = content_of(s, vapour, i, j)
        case ('qc')
          values(:, i, j) = content_of(s, cloud, i, j)
        case ('qr')
          values(:, i, j) = content_of(s, rain, i, j)
        case ('rain')
          values(1, i, j) = s%rain(i, j)
        case ('surface_pressure')
          ! hydrostatic from the lowest level
          values(1, i, j) = p(1)*exp(gravity*g%zc(1)*g%jac(i, j)/ &
            (r_dry*s%theta(1, i, j)*exner(p(1))))
        case ('wind_10m')
          values(1, i, j) = s%ground%wind_10m(i, j)
        case ('u_10m')
          values(1, i, j) = s%ground%wind_10m(i, j)*share_of(g, s, i, j, 1)
        case ('v_10m')
          values(1, i, j) = s%ground%wind_10m(i, j)*share_of(g, s, i, j, 2)
        case ('temperature_2m')
          values(1, i, j) = s%ground%temperature_2m(i, j)
        case ('heat_flux')
          values(1, i, j) = s%ground%heat_flux(i, j)
        case ('vapour_flux')
          values(1, i, j) = s%ground%vapour_flux(i, j)
        case ('stress')
          values(1, i, j) = s%ground%stress(i, j)
        case default
          error stop 'weather_fields: a field without values'
        end select
      end do
    end do
  end subroutine field_values

  !> Cosine (1: x, 2: y) of the angle between the wind of the lowest level and an axis.
  pure real(wp) function share_of(g, s, i, j, axis)
    type(grid_t), intent(in) :: g
    type(state_t), intent(in) :: s
    integer, intent(in) :: i, j, axis
    real(wp) :: wind(2)
    wind = [0.5_wp*(s%u(1, i, j) + s%u(1, i + 1, j)), s%v(1, i, j)]
    if (.not. g%shape%two_d) wind(2) = 0.5_wp*(s%v(1, i, j) + s%v(1, i, j + 1))
    share_of = wind(axis)/max(norm2(wind), 1.0e-12_wp)
  end function share_of

  !> Potential temperature of a column, from that of density.
  pure function dry_theta(s, i, j, n) result(theta)
    type(state_t), intent(in) :: s
    integer, intent(in) :: i, j, n
    real(wp) :: theta(n)
    theta = s%theta(:, i, j)/(1.0_wp + virtual*content_of(s, vapour, i, j) &
      - content_of(s, cloud, i, j) - content_of(s, rain, i, j))
  end function dry_theta
end module weather_fields
