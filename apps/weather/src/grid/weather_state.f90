! SPDX-License-Identifier: BSD-3-Clause
! All fields of the model on this rank.
!
! Prognostic fields are coupled with density and with the Jacobian of the coordinate (jac rho = d):
!   ru = d u, rv = d v, rw = d w, rho = d - d_base, rth = d theta, tracer: r = d q
! so that the divergence of ru, rv, om conserves mass to rounding (Klemp, Skamarock, Dudhia 2007).
! Density is that of all that is in the air, water and rain included, and theta the density
! potential temperature, theta_rho = theta_dry (1 + 0.608 qv - qc - qr): then p depends on rth
! alone, and the weight of water needs no further term.
module weather_state
  use weather_constants, only: wp
  use weather_grid, only: grid_t
  use weather_halo, only: halo_field, halo_set, field_ref, set_stage, set_u, set_v, set_pressure, &
    set_density, set_limiter, set_mixing
  implicit none (type, external)
  private
  public :: state_t, tracer_t, make_state, make_mixing, make_radiation, content_of, vapour, &
    cloud, rain, most_tracers

  ! The tracers, in the order in which they are switched on.
  integer, parameter :: vapour = 1, cloud = 2, rain = 3, most_tracers = 3

  !> A constituent of the air that moves with it; q is its mass in a unit mass of all air.
  type :: tracer_t
    real(wp), pointer, contiguous, dimension(:, :, :) :: &
      q => null(), &                                   !! specific content [kg kg-1]; exchanged
      out => null()                                    !! outflow factor of the limiter; exchanged
    real(wp), allocatable, dimension(:, :, :) :: &
      r, r_old, &                                      !! d q, now and at the start of the step
      tend, &                                          !! tendency of a stage
      fx, fy, fz, &                                    !! fluxes of the last stage
      f, &                                             !! tendency that is the same in all stages
      side                                             !! what r is relaxed to at the sides
  end type tracer_t

  !> What turbulent mixing needs; with coefficients times coupled density [kg m-1 s-1].
  type :: mixing_t
    real(wp), pointer, contiguous, dimension(:, :, :) :: &
      h => null(), &                                   !! horizontal, at centres; exchanged
      z => null(), &                                   !! vertical, at lower faces; drag at k = 1
      t11 => null(), t22 => null()                     !! stress along x and along y at centres
    real(wp), allocatable, dimension(:, :, :) :: &
      centre, &                                        !! vertical, at centres
      d33, d12, d13, d23, &                            !! deformation: see weather_deformation
      work
  end type mixing_t

  !> Exchange with the ground per column; zero where there is none.
  type :: ground_t
    logical :: on = .false., has_budget = .false.
    real(wp), allocatable, dimension(:, :) :: &
      heat, vapour, &                                  !! coefficients [kg m-2 s-1]
      theta, content, &                                !! values at the ground [K, kg kg-1]
      theta_flux, vapour_flux, heat_flux, stress, &    !! K kg m-2 s-1, kg m-2 s-1, W m-2, N m-2
      wind_10m, temperature_2m, &                      !! m s-1, K
      temperature, &                                   !! of the ground [K]
      sun, sky, &                                      !! radiation that it keeps [W m-2]
      none, work
  end type ground_t

  !> Radiation of the last time it was due: see weather_radiation.
  type :: radiation_state_t
    logical :: on = .false.
    real(wp), allocatable :: heating(:, :, :)          !! of density potential temperature [K s-1]
    real(wp), allocatable, dimension(:, :) :: &
      sw_down, sw_up, lw_down, lw_up, &                !! at the ground, short and long wave [W m-2]
      toa_down, toa_up, olr                            !! above the air: sunshine, long wave
  end type radiation_state_t

  type :: state_t
    ! exchanged, in shared memory
    real(wp), pointer, contiguous, dimension(:, :, :) :: &
      u => null(), v => null(), w => null(), theta => null(), & !! m s-1, K
      ru => null(), rv => null(), rho => null(), om => null(), &  !! kg m-2 s-1, kg m-3
      pp => null(), &                                  !! pressure minus reference [Pa]
      pd => null(), &                                  !! acoustic pressure with forward weight [Pa]
      du => null(), dv => null()                       !! acoustic departures of ru, rv
    ! own
    real(wp), allocatable, dimension(:, :, :) :: &
      rw, rth, &
      ru_old, rv_old, rw_old, om_old, rho_old, rth_old, &  !! at the start of the long step
      dw, dom, drho, dth, &                            !! acoustic departures of rw, om, rho, rth
      t_u, t_v, t_w, t_rho, t_th, &                    !! tendencies of a stage
      f_u, f_v, f_w, f_th, &                           !! those that are the same in all stages
      ru_mean, rv_mean, om_mean, &                     !! mean mass fluxes of the last stage
      stiff, &                                         !! d pressure / d rth
      lower, upper, pivot, &                           !! factors of the acoustic tridiagonal matrix
      rho_base, rth_base, p_base, theta_base, &        !! reference state, function of height only
      ru_side, rv_side, rho_side, rth_side             !! what the sides are relaxed to
    type(tracer_t) :: tracer(most_tracers)
    integer :: tracers = 0                             !! how many of them there are
    real(wp), allocatable :: rain(:, :)                !! rain at the ground so far [kg m-2]
    real(wp) :: days = 0.0_wp                          !! since the year began, UTC
    integer :: step = 0                                !! the one that is made; 0: before the first
    type(mixing_t) :: mixing                           !! only where something mixes
    type(ground_t) :: ground
    type(radiation_state_t) :: radiation
  end type state_t

contains

  !> `moisture`: the key of the namelist, which says how many tracers there are. `filtered`: the
  !> sixth-order filter reads density in more columns than the rest does.
  subroutine make_state(s, g, moisture, filtered)
    type(state_t), intent(inout) :: s
    type(grid_t), intent(in) :: g
    character(*), intent(in) :: moisture
    logical, intent(in) :: filtered
    integer :: n

    call halo_field(s%u)
    call halo_field(s%v)
    call halo_field(s%w)
    call halo_field(s%theta)
    call halo_field(s%ru)
    call halo_field(s%rv)
    call halo_field(s%rho)
    call halo_field(s%om)
    call halo_field(s%pp)
    call halo_field(s%pd)
    call halo_field(s%du)
    call halo_field(s%dv)
    call make_own(s%rw)
    call make_own(s%rth)
    call make_own(s%ru_old)
    call make_own(s%rv_old)
    call make_own(s%rw_old)
    call make_own(s%om_old)
    call make_own(s%rho_old)
    call make_own(s%rth_old)
    call make_own(s%dw)
    call make_own(s%dom)
    call make_own(s%drho)
    call make_own(s%dth)
    call make_own(s%t_u)
    call make_own(s%t_v)
    call make_own(s%t_w)
    call make_own(s%t_rho)
    call make_own(s%t_th)
    call make_own(s%f_u)
    call make_own(s%f_v)
    call make_own(s%f_w)
    call make_own(s%f_th)
    call make_own(s%ru_mean)
    call make_own(s%rv_mean)
    call make_own(s%om_mean)
    call make_own(s%stiff)
    call make_own(s%lower)
    call make_own(s%upper)
    call make_own(s%pivot)
    call make_own(s%rho_base)
    call make_own(s%rth_base)
    call make_own(s%p_base)
    call make_own(s%theta_base)
    call make_own(s%ru_side)
    call make_own(s%rv_side)
    call make_own(s%rho_side)
    call make_own(s%rth_side)
    select case (moisture)
    case ('vapour')
      s%tracers = vapour
    case ('cloud')
      s%tracers = cloud
    case ('kessler')
      s%tracers = rain
    case default
      s%tracers = 0
    end select
    do n = 1, s%tracers
      call make_tracer(s%tracer(n))
    end do
    associate (b => g%shape)
      allocate (s%rain(b%il:b%ih, b%jl:b%jh), source=0.0_wp)
    end associate
    call make_sets(s, g%shape%ghosts, filtered)
  contains
    subroutine make_tracer(t)
      type(tracer_t), intent(inout) :: t
      call halo_field(t%q)
      call halo_field(t%out)
      call make_own(t%r)
      call make_own(t%r_old)
      call make_own(t%tend)
      call make_own(t%fx)
      call make_own(t%fy)
      call make_own(t%fz)
      call make_own(t%f)
      call make_own(t%side)
    end subroutine make_tracer
    subroutine make_own(field)
      real(wp), allocatable, intent(out) :: field(:, :, :)
      associate (b => g%shape)
        allocate (field(b%nz, b%il:b%ih, b%jl:b%jh), source=0.0_wp)
      end associate
    end subroutine make_own
  end subroutine make_state

  !> Fields of turbulence and of the exchange with the ground, if there is any. Collective.
  subroutine make_mixing(s, g, exchanges)
    type(state_t), intent(inout) :: s
    type(grid_t), intent(in) :: g
    logical, intent(in) :: exchanges
    integer, parameter :: all1(4) = 1

    s%ground%on = exchanges
    call halo_field(s%mixing%h)
    call halo_field(s%mixing%z)
    call halo_field(s%mixing%t11)
    call halo_field(s%mixing%t22)
    call make_volume(g, s%mixing%centre)
    call make_volume(g, s%mixing%d33)
    call make_volume(g, s%mixing%d12)
    call make_volume(g, s%mixing%d13)
    call make_volume(g, s%mixing%d23)
    call make_volume(g, s%mixing%work)
    call make_area(g, s%ground%heat)
    call make_area(g, s%ground%vapour)
    call make_area(g, s%ground%theta)
    call make_area(g, s%ground%content)
    call make_area(g, s%ground%theta_flux)
    call make_area(g, s%ground%vapour_flux)
    call make_area(g, s%ground%heat_flux)
    call make_area(g, s%ground%stress)
    call make_area(g, s%ground%wind_10m)
    call make_area(g, s%ground%temperature_2m)
    call make_area(g, s%ground%temperature)
    call make_area(g, s%ground%sun)
    call make_area(g, s%ground%sky)
    call make_area(g, s%ground%none)
    call make_area(g, s%ground%work)
    associate (m => s%mixing)
      call halo_set(set_mixing, [field_ref(m%h, all1), field_ref(m%z, all1), &
        field_ref(m%t11, [1, 0, 0, 0]), field_ref(m%t22, [0, 0, 1, 0])])
    end associate
  end subroutine make_mixing

  !> What radiation leaves.
  subroutine make_radiation(s, g)
    type(state_t), intent(inout) :: s
    type(grid_t), intent(in) :: g

    s%radiation%on = .true.
    call make_volume(g, s%radiation%heating)
    call make_area(g, s%radiation%sw_down)
    call make_area(g, s%radiation%sw_up)
    call make_area(g, s%radiation%lw_down)
    call make_area(g, s%radiation%lw_up)
    call make_area(g, s%radiation%toa_down)
    call make_area(g, s%radiation%toa_up)
    call make_area(g, s%radiation%olr)
  end subroutine make_radiation

  subroutine make_volume(g, field)
    type(grid_t), intent(in) :: g
    real(wp), allocatable, intent(out) :: field(:, :, :)
    associate (b => g%shape)
      allocate (field(b%nz, b%il:b%ih, b%jl:b%jh), source=0.0_wp)
    end associate
  end subroutine make_volume

  subroutine make_area(g, field)
    type(grid_t), intent(in) :: g
    real(wp), allocatable, intent(out) :: field(:, :)
    associate (b => g%shape)
      allocate (field(b%il:b%ih, b%jl:b%jh), source=0.0_wp)
    end associate
  end subroutine make_area

  !> Which ghosts are filled when: sides are [west, east, south, north].
  subroutine make_sets(s, ghosts, filtered)
    type(state_t), intent(inout) :: s
    integer, intent(in) :: ghosts
    logical, intent(in) :: filtered
    integer, parameter :: all1(4) = 1, low(4) = [1, 0, 1, 0]
    integer :: wide(4), dense(4), n

    wide = ghosts
    dense = low
    if (filtered) dense = low + 1
    associate (t => s%tracer(:s%tracers))
      call halo_set(set_stage, [field_ref(s%u, wide), field_ref(s%v, wide), field_ref(s%w, wide), &
        field_ref(s%theta, wide), field_ref(s%ru, all1), field_ref(s%rv, all1), &
        field_ref(s%om, low), field_ref(s%pp, low), field_ref(s%pd, low), &
        (field_ref(t(n)%q, wide), n=1, s%tracers)])
      call halo_set(set_u, [field_ref(s%du, [0, 1, 0, 0])])
      call halo_set(set_v, [field_ref(s%dv, [0, 0, 0, 1])])
      call halo_set(set_pressure, [field_ref(s%pd, low)])
      call halo_set(set_density, [field_ref(s%rho, dense)])
      if (s%tracers > 0) call halo_set(set_limiter, [(field_ref(t(n)%out, all1), n=1, s%tracers)])
    end associate
  end subroutine make_sets

  !> Specific content of tracer n in the column (i, j); nothing where there is no such tracer.
  pure function content_of(s, n, i, j) result(q)
    type(state_t), intent(in) :: s
    integer, intent(in) :: n, i, j
    real(wp) :: q(size(s%rho, 1))
    q = 0.0_wp
    if (n <= s%tracers) q = s%tracer(n)%q(:, i, j)
  end function content_of
end module weather_state
