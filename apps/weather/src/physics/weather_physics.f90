! SPDX-License-Identifier: BSD-3-Clause
! Turbulence, radiation and exchange with the ground: their tendencies, once per long step, from the
! latest state with one ghost column.
module weather_physics
  use weather_constants, only: wp, max_text, cp_dry, virtual
  use weather_config, only: config_t
  use weather_errors, only: agree, text_of
  use weather_grid, only: grid_t, shape_t, box_t
  use weather_halo, only: halo_fill, set_mixing
  use weather_state, only: state_t, content_of, vapour, cloud, rain
  use weather_thermo, only: exner
  use weather_deformation, only: deform_cells, deform_corners, deform_edges_x, deform_edges_y
  use weather_turbulence, only: turbulence_t, mixing_coefficients, least_mixing
  use weather_mixing, only: mix_along, mix_up, mix_wind_u, mix_wind_v, mix_wind_w
  use weather_surface, only: surface_t, exchange_t, exchange_of_column
  use weather_ground_heat, only: soil_t, sunshine, sky_radiation, emitted, emission_slope, restored
  use weather_radiation, only: radiation_t, prepare_radiation, radiate
  use weather_sun, only: sun_height
  use weather_clock, only: clock_start, clock_stop, in_radiation
  use weather_derived, only: cloud_cover, relative_humidity, vapour_pressure
  use weather_moist, only: latent_heat
  use weather_places, only: latitude_of, longitude_of
  implicit none (type, external)
  private
  public :: physics_t, prepare_physics, start_ground, physics_tendencies, wants_mixing, &
    refresh_ground, warm_ground, soil_origin, add_heating

  type :: physics_t
    logical :: on = .false., turbulent = .false.
    real(wp) :: dt = 0.0_wp            !! time over which a tendency acts [s]
    type(turbulence_t) :: turbulence
    type(surface_t) :: surface
    type(soil_t) :: soil
    type(radiation_t) :: radiation
    real(wp), allocatable, dimension(:, :) :: land, latitude, longitude   !! share; degrees
  end type physics_t

contains

  !> Whether the namelist asks for anything that is done here.
  pure logical function wants_mixing(c)
    type(config_t), intent(in) :: c
    wants_mixing = c%turbulence /= 'none' .or. c%surface /= 'none'
  end function wants_mixing

  !> Collective. A leapfrog step spans two dtlong.
  subroutine prepare_physics(p, g, c)
    type(physics_t), intent(out) :: p
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    character(max_text) :: message

    p%on = wants_mixing(c)
    p%turbulent = c%turbulence == 'smagorinsky'
    p%dt = merge(2.0_wp, 1.0_wp, c%time_scheme == 'leapfrog')*c%dtlong
    p%turbulence = turbulence_t(dt=p%dt, csx=c%csx, csz=c%csz, prandtl=c%prandtl, &
      least=least_mixing(c%akmin, g%dx, merge(g%dx, g%dy, g%shape%two_d)), isotropic=c%isotropic)
    p%surface%on = c%surface /= 'none'
    message = ''
    if (p%surface%on) then
      call take(p%surface%temperature, g%ground_temperature, c%ground_temperature)
      call take(p%surface%wetness, g%ground_wetness, c%ground_wetness)
      call take(p%surface%roughness, g%roughness, c%roughness)
    end if
    call prepare_radiation(p%radiation, c)
    p%soil%on = c%surface == 'budget'
    if (p%soil%on .or. p%radiation%on) call find_places()
    if (p%soil%on) call prepare_soil()
    if (p%surface%on) message = fault_of(p%surface, g)
    if (p%soil%on .and. message == '') message = fault_of_deep(p%soil, g)
    call agree(message)
  contains
    !> Temperatures of the soil are those of an analysis that has them, which hold for the land's
    !> share of a column; the sea keeps its temperature.
    subroutine prepare_soil()
      p%soil%albedo = c%albedo
      p%soil%inertia = c%thermal_inertia
      if (allocated(g%soil_temperature)) p%surface%temperature = p%surface%temperature &
        + p%land*(g%soil_temperature - p%surface%temperature)
      allocate (p%soil%deep, source=p%surface%temperature)
      if (allocated(g%deep_temperature)) p%soil%deep(:, :) = g%deep_temperature
      p%soil%deep(:, :) = p%soil%deep + c%deep_warmer
    end subroutine prepare_soil

    subroutine find_places()
      integer :: i, j
      call take(p%land, g%land, 1.0_wp)
      associate (r => g%own)
        allocate (p%latitude(r%i1:r%i2, r%j1:r%j2), p%longitude(r%i1:r%i2, r%j1:r%j2))
        do j = r%j1, r%j2
          do i = r%i1, r%i2
            p%latitude(i, j) = latitude_of(g, c, i, j)
            p%longitude(i, j) = longitude_of(g, c, i, j)
          end do
        end do
      end associate
    end subroutine find_places

    !> The analysis' field where it has one, else the namelist's constant.
    subroutine take(field, given, constant)
      real(wp), allocatable, intent(out) :: field(:, :)
      real(wp), allocatable, intent(in) :: given(:, :)
      real(wp), intent(in) :: constant
      allocate (field(g%shape%il:g%shape%ih, g%shape%jl:g%shape%jh), source=constant)
      if (allocated(given)) field = given
    end subroutine take
  end subroutine prepare_physics

  !> The ground begins at the temperature of the start.
  subroutine start_ground(p, s)
    type(physics_t), intent(in) :: p
    type(state_t), intent(inout) :: s
    if (p%surface%on) s%ground%temperature = p%surface%temperature
    s%ground%has_budget = p%soil%on
  end subroutine start_ground

  !> What is wrong with the ground of the own columns; empty: nothing.
  function fault_of(surface, g) result(message)
    type(surface_t), intent(in) :: surface
    type(grid_t), intent(in) :: g
    character(max_text) :: message
    real(wp) :: z
    integer :: i, j

    message = ''
    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        z = g%zc(1)*g%jac(i, j)
        if (.not. (surface%roughness(i, j) > 0.0_wp .and. 2.0_wp*surface%roughness(i, j) < z)) then
          message = 'a roughness length of '//text_of(surface%roughness(i, j))//place(i, j)// &
            ': it must be positive and below half the height of the lowest level, '// &
            text_of(z)//' m'
        else if (.not. is_possible(surface%temperature(i, j))) then
          message = 'a ground temperature of '//text_of(surface%temperature(i, j))// &
            ' K'//place(i, j)//': 180 to 350 K are possible'
        else if (.not. (surface%wetness(i, j) >= 0.0_wp .and. surface%wetness(i, j) <= 1.0_wp)) &
          then
          message = 'a ground wetness of '//text_of(surface%wetness(i, j))//place(i, j)// &
            ': 0 to 1 are possible'
        end if
      end do
    end do
  end function fault_of

  !> The same of what lies below.
  function fault_of_deep(soil, g) result(message)
    type(soil_t), intent(in) :: soil
    type(grid_t), intent(in) :: g
    character(max_text) :: message
    integer :: i, j

    message = ''
    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        if (.not. is_possible(soil%deep(i, j))) message = 'a temperature below the ground of '// &
          text_of(soil%deep(i, j))//' K'//place(i, j)//': 180 to 350 K are possible'
      end do
    end do
  end function fault_of_deep

  pure logical function is_possible(temperature)
    real(wp), intent(in) :: temperature
    is_possible = temperature > 180.0_wp .and. temperature < 350.0_wp
  end function is_possible

  function place(i, j) result(text)
    integer, intent(in) :: i, j
    character(:), allocatable :: text
    text = ' in column '//text_of(i)//', '//text_of(j)
  end function place

  !> Where the soil's temperatures come from, for the log; empty without a heat budget.
  function soil_origin(p, g) result(text)
    type(physics_t), intent(in) :: p
    type(grid_t), intent(in) :: g
    character(:), allocatable :: text
    text = ''
    if (.not. p%soil%on) return
    text = 'soil: land begins at '
    if (allocated(g%soil_temperature)) then
      text = text//'the analysis'' soil_temperature; below it is '
    else
      text = text//'ground_temperature, as no soil_temperature is given; below it is '
    end if
    if (allocated(g%deep_temperature)) then
      text = text//'deep_soil_temperature'
    else
      text = text//'the same'
    end if
    text = text//' + deep_warmer'
  end function soil_origin

  !> Adds to s%f_u, f_v, f_w, f_th and the tracers' f. Collective.
  subroutine physics_tendencies(p, g, s)
    type(physics_t), intent(in) :: p
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s

    if (.not. p%on) return
    if (p%turbulent) call find_coefficients(p, g, s)
    if (p%surface%on) call meet_ground(p, g, s)
    call share_coefficients(g, s)
    call mix_winds(p, g, s)
    call mix_heat(p, g, s)
    call mix_tracers(p, g, s)
    if (p%surface%on) call note_fluxes(g, s)
    if (p%radiation%on) call heat_air(p, g, s)
  end subroutine physics_tendencies

  !> Adds the heating by radiation, which is found anew where it is due.
  subroutine heat_air(p, g, s)
    type(physics_t), intent(in) :: p
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s

    call clock_start(in_radiation)
    call radiate(p%radiation, g, s, p%land, p%latitude, p%longitude)
    call clock_stop(in_radiation)
    call add_heating(g, s)
  end subroutine heat_air

  !> Adds the heating of the last time to the tendency of temperature.
  subroutine add_heating(g, s)
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    integer :: i, j

    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        s%f_th(:, i, j) = s%f_th(:, i, j) + (s%rho_base(:, i, j) + s%rho(:, i, j)) &
          *s%radiation%heating(:, i, j)
      end do
    end do
  end subroutine add_heating

  subroutine find_coefficients(p, g, s)
    type(physics_t), intent(in) :: p
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    type(box_t) :: east, north, corners

    east = g%own
    east%i2 = east%i2 + 1
    north = g%own
    north%j2 = north%j2 + 1
    corners = box_t(east%i1, east%i2, north%j1, north%j2)
    associate (b => g%shape, m => s%mixing)
      call deform_cells(b, g, g%own, s%u, s%v, s%w, m%t11, m%t22, m%d33)
      call deform_edges_x(b, g, east, s%u, s%w, m%d13)
      if (.not. b%two_d) then
        call deform_edges_y(b, g, north, s%v, s%w, m%d23)
        call deform_corners(b, g, corners, s%u, s%v, m%d12)
      end if
      call mixing_coefficients(b, g, p%turbulence, s%rho_base, s%rho, s%theta, m%t11, m%t22, &
        m%d33, m%d12, m%d13, m%d23, m%h, m%centre, m%z)
    end associate
  end subroutine find_coefficients

  !> Values near the ground of the present state, for the output: a step leaves those of its start.
  !> Mixing computes anew what else this changes.
  subroutine refresh_ground(p, g, s)
    type(physics_t), intent(in) :: p
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    integer :: i, j
    if (p%surface%on) call meet_ground(p, g, s)
    if (.not. p%soil%on) return
    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        call shine(p, g, s, i, j)
      end do
    end do
  end subroutine refresh_ground

  !> Exchange with the ground of each own column.
  subroutine meet_ground(p, g, s)
    type(physics_t), intent(in) :: p
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    type(exchange_t) :: x
    real(wp) :: u, v, content(g%nz)
    integer :: i, j

    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        u = 0.5_wp*(s%u(1, i, j) + s%u(1, i + 1, j))
        v = 0.0_wp
        if (.not. g%shape%two_d) v = 0.5_wp*(s%v(1, i, j) + s%v(1, i, j + 1))
        content = content_of(s, vapour, i, j)
        x = exchange_of_column(g%zc(1)*g%jac(i, j), p%surface%roughness(i, j), &
          s%ground%temperature(i, j), p%surface%wetness(i, j), s%p_base(1, i, j) &
          + s%pp(1, i, j), s%theta(1, i, j), content(1), sqrt(u**2 + v**2))
        s%mixing%z(1, i, j) = x%drag
        s%ground%heat(i, j) = x%heat
        s%ground%vapour(i, j) = x%vapour
        s%ground%theta(i, j) = x%theta
        s%ground%content(i, j) = x%content
        s%ground%stress(i, j) = x%stress
        s%ground%wind_10m(i, j) = x%wind_10m
        s%ground%temperature_2m(i, j) = x%temperature_2m
      end do
    end do
  end subroutine meet_ground

  !> The ground's temperature after a step of dt, from the latest fluxes and the radiation of now.
  subroutine warm_ground(p, g, s, dt)
    type(physics_t), intent(in) :: p
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    real(wp), intent(in) :: dt
    real(wp) :: flux, stiffness, t
    integer :: i, j

    if (.not. p%soil%on) return
    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        call shine(p, g, s, i, j)
        t = s%ground%temperature(i, j)
        flux = s%ground%sun(i, j) + s%ground%sky(i, j) - s%ground%heat_flux(i, j) &
          - latent_heat*s%ground%vapour_flux(i, j)
        stiffness = emission_slope(t) + cp_dry*s%ground%heat(i, j)
        s%ground%temperature(i, j) = t + p%land(i, j)*(restored(t, p%soil%deep(i, j), flux, &
          stiffness, p%soil%inertia, dt) - t)
      end do
    end do
  end subroutine warm_ground

  !> What the ground of a column keeps of sunshine and of radiation from the sky [W m-2]: of the
  !> fluxes of the column where there is radiation, else under clouds that are low up to 2 km above
  !> the ground, and middle ones up to 6 km.
  subroutine shine(p, g, s, i, j)
    type(physics_t), intent(in) :: p
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    integer, intent(in) :: i, j
    real(wp), dimension(g%nz) :: p_air, t, q, qc, rh
    integer :: low, middle

    if (p%radiation%on) then
      s%ground%sun(i, j) = s%radiation%sw_down(i, j) - s%radiation%sw_up(i, j)
      s%ground%sky(i, j) = emitted(s%radiation%lw_down(i, j), s%ground%temperature(i, j))
      return
    end if
    p_air = s%p_base(:, i, j) + s%pp(:, i, j)
    q = content_of(s, vapour, i, j)
    qc = content_of(s, cloud, i, j)
    t = s%theta(:, i, j)/(1.0_wp + virtual*q - qc - content_of(s, rain, i, j))*exner(p_air)
    rh = relative_humidity(p_air, t, q)
    low = count(g%zc*g%jac(i, j) < 2000.0_wp)
    middle = count(g%zc*g%jac(i, j) < 6000.0_wp)
    s%ground%sun(i, j) = (1.0_wp - p%soil%albedo)*sunshine(sun_height(s%days, &
      p%latitude(i, j), p%longitude(i, j)), cloud_cover(rh(:low), qc(:low)), &
      cloud_cover(rh(low + 1:middle), qc(low + 1:middle)), cloud_cover(rh(middle + 1:), &
      qc(middle + 1:)))
    s%ground%sky(i, j) = emitted(sky_radiation(t(1), vapour_pressure(p_air(1), q(1)), &
      cloud_cover(rh, qc)), s%ground%temperature(i, j))
  end subroutine shine

  !> The coefficients on the ghosts, and the stresses that wind needs from its west and south.
  !> Beyond sides that are not periodic they are those of the outermost columns.
  subroutine share_coefficients(g, s)
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    integer :: i, j

    associate (m => s%mixing)
      do j = g%own%j1, g%own%j2
        do i = g%own%i1, g%own%i2
          m%t11(:, i, j) = 2.0_wp*m%h(:, i, j)*m%t11(:, i, j)
          m%t22(:, i, j) = 2.0_wp*m%h(:, i, j)*m%t22(:, i, j)
        end do
      end do
      call halo_fill(set_mixing)
      call copy_outward(g%shape, g, m%h)
      call copy_outward(g%shape, g, m%z)
    end associate
  end subroutine share_coefficients

  subroutine copy_outward(b, g, field)
    type(shape_t), intent(in) :: b
    type(grid_t), intent(in) :: g
    real(wp), intent(inout) :: field(b%nz, b%il:b%ih, b%jl:b%jh)
    if (.not. g%periodic_x) then
      if (g%own%i1 == 1) field(:, 0, :) = field(:, 1, :)
      if (g%own%i2 == g%nx) field(:, g%nx + 1, :) = field(:, g%nx, :)
    end if
    if (g%periodic_y .or. b%two_d) return
    if (g%own%j1 == 1) field(:, :, 0) = field(:, :, 1)
    if (g%own%j2 == g%ny) field(:, :, g%ny + 1) = field(:, :, g%ny)
  end subroutine copy_outward

  subroutine mix_winds(p, g, s)
    type(physics_t), intent(in) :: p
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    associate (b => g%shape, m => s%mixing)
      call mix_wind_u(b, g, p%dt, s%rho_base, s%rho, m%h, m%z, m%t11, m%d12, m%d13, s%u, s%f_u)
      call mix_wind_v(b, g, p%dt, s%rho_base, s%rho, m%h, m%z, m%t22, m%d12, m%d23, s%v, s%f_v)
      if (p%turbulent) call mix_wind_w(b, g, p%dt, s%rho_base, s%rho, m%z, m%centre, m%d13, &
        m%d23, s%w, s%f_w)
    end associate
  end subroutine mix_winds

  !> Along levels the departure from the reference is mixed, which changes less over slopes.
  subroutine mix_heat(p, g, s)
    type(physics_t), intent(in) :: p
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    associate (b => g%shape, m => s%mixing, factor => 1.0_wp/p%turbulence%prandtl)
      if (p%turbulent) then
        m%work = s%theta - s%theta_base
        call mix_along(b, g, factor, m%h, m%work, s%f_th)
      end if
      call mix_up(b, g, p%dt, factor, s%rho_base, s%rho, m%z, s%ground%heat, s%ground%theta, &
        s%theta, s%f_th, s%ground%theta_flux)
    end associate
  end subroutine mix_heat

  !> All tracers mix; only vapour is exchanged with the ground.
  subroutine mix_tracers(p, g, s)
    type(physics_t), intent(in) :: p
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    integer :: n

    associate (b => g%shape, m => s%mixing, factor => 1.0_wp/p%turbulence%prandtl)
      do n = 1, s%tracers
        associate (t => s%tracer(n))
          if (p%turbulent) call mix_along(b, g, factor, m%h, t%q, t%f)
          if (n == vapour) then
            call mix_up(b, g, p%dt, factor, s%rho_base, s%rho, m%z, s%ground%vapour, &
              s%ground%content, t%q, t%f, s%ground%vapour_flux)
          else
            call mix_up(b, g, p%dt, factor, s%rho_base, s%rho, m%z, s%ground%none, &
              s%ground%none, t%q, t%f, s%ground%work)
          end if
        end associate
      end do
    end associate
  end subroutine mix_tracers

  !> Sensible heat [W m-2] from the fluxes of density potential temperature and vapour.
  subroutine note_fluxes(g, s)
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    real(wp) :: q(g%nz), loaded, vapour_flux
    integer :: i, j

    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        q = virtual*content_of(s, vapour, i, j) - content_of(s, cloud, i, j) &
          - content_of(s, rain, i, j)
        loaded = 1.0_wp + q(1)
        vapour_flux = s%ground%vapour_flux(i, j)
        s%ground%heat_flux(i, j) = cp_dry*exner(s%p_base(1, i, j) + s%pp(1, i, j)) &
          *(s%ground%theta_flux(i, j) - virtual*s%theta(1, i, j)/loaded*vapour_flux)/loaded
      end do
    end do
  end subroutine note_fluxes
end module weather_physics
