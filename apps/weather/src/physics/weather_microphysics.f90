! SPDX-License-Identifier: BSD-3-Clause
! Warm rain of Kessler (1969) with the constants of Klemp and Wilhelmson (1978): condensation and
! evaporation of cloud, growth of rain from cloud, evaporation and fall of rain. Column by column.
!
! Variables of a cell: d = jac rho of all that is in the air, the coupled waters rv, rc, rr, and
! rth = d theta_rho. Since theta_rho = theta (1 + 0.608 qv - qc - qr) with contents per total mass,
!   rth = theta (dry + 1.608 rv),    dry = d - rv - rc - rr,
! in which condensate does not occur. Hence
! - rain that falls takes d with it and leaves rth, pressure and temperature as they are;
! - what condenses leaves d as it is and changes rth through theta and through 1.608 rv.
! A phase change keeps cp T + L qv at the pressure of the moment. To first order in what condenses
! this gives the same rth as a change at constant volume that keeps internal energy (both are
! d ln rth = (L/(cp T) - 1.608/(1 + 0.608 qv - qc - qr)) dq), so no energy is lost in the pressure
! that rises; the acoustic steps let the air expand, to the state that saturation was asked for.
! Total water and dry mass change by rounding only. Neglected: heat capacity and momentum of water.
module weather_microphysics
  use weather_constants, only: wp, cp_dry, r_dry, p_reference
  use weather_grid, only: grid_t, shape_t, box_t
  use weather_moist, only: latent_heat, vapour_ratio, saturation_ratio, saturation_slope
  use weather_state, only: state_t, vapour, cloud, rain
  use weather_thermo, only: power_seven_fifths
  implicit none (type, external)
  private
  public :: microphysics, warm_rain, phase_changes, rain_fall, fall_speed

  real(wp), parameter :: heating = latent_heat/cp_dry            !! K per kg/kg
  real(wp), parameter :: fall_density = p_reference/(r_dry*300.0_wp)  !! near the ground [kg m-3]

contains

  !> The warm rain of the own columns over dt, the time that the step has spanned. A leapfrog step
  !> spans two dt and each of its two times rains, so that only a share counts as rain at the
  !> ground.
  subroutine microphysics(g, s, dt, share)
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    real(wp), intent(in) :: dt, share

    if (s%tracers == cloud) call condense(g%shape, g%own, g%jac, s%rho_base, s%p_base, &
      s%rth_base, s%rho, s%rth, s%tracer(vapour)%r, s%tracer(cloud)%r)
    if (s%tracers >= rain) call warm_rain(g%shape, g%own, dt, share, g%rdz, g%jac, s%rho_base, &
      s%p_base, s%rth_base, s%rho, s%rth, s%tracer(vapour)%r, s%tracer(cloud)%r, &
      s%tracer(rain)%r, s%rain)
  end subroutine microphysics

  !> One step of all processes on the columns of r. `fallen` collects `share` of the rain
  !> that reaches the ground [kg m-2].
  subroutine warm_rain(b, r, dt, share, rdz, jac, d_base, p_base, rth_base, rho, rth, rv, rc, rr, &
    fallen)
    type(shape_t), intent(in) :: b
    type(box_t), intent(in) :: r
    real(wp), intent(in) :: dt, share, rdz(b%nz), jac(b%il:b%ih, b%jl:b%jh)
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: d_base, p_base, rth_base
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: rho, rth, rv, rc, rr
    real(wp), intent(inout) :: fallen(b%il:b%ih, b%jl:b%jh)
    real(wp), dimension(b%nz) :: d, p, change
    real(wp) :: ground
    integer :: i, j, k

    do j = r%j1, r%j2
      do i = r%i1, r%i2
        call pressure_of(b%nz, d_base(1, i, j), p_base(1, i, j), rth_base(1, i, j), rho(1, i, j), &
          rth(1, i, j), d, p)
        call phase_changes(b%nz, dt, jac(i, j), p, d, rth(1, i, j), rv(1, i, j), rc(1, i, j), &
          rr(1, i, j))
        if (maxval(rr(:, i, j)) <= 0.0_wp) cycle
        ground = 0.0_wp
        call rain_fall(b%nz, dt, rdz, jac(i, j), d, rr(1, i, j), change, ground)
        fallen(i, j) = fallen(i, j) + share*ground
        do k = 1, b%nz
          rho(k, i, j) = rho(k, i, j) + change(k)
        end do
      end do
    end do
  end subroutine warm_rain

  !> Saturation adjustment alone, of air that carries cloud but makes no rain of it.
  subroutine condense(b, r, jac, d_base, p_base, rth_base, rho, rth, rv, rc)
    type(shape_t), intent(in) :: b
    type(box_t), intent(in) :: r
    real(wp), intent(in) :: jac(b%il:b%ih, b%jl:b%jh)
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(in) :: d_base, p_base, rth_base, rho
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: rth, rv, rc
    real(wp), dimension(b%nz) :: d, p, no_rain
    integer :: i, j

    do j = r%j1, r%j2
      do i = r%i1, r%i2
        call pressure_of(b%nz, d_base(1, i, j), p_base(1, i, j), rth_base(1, i, j), rho(1, i, j), &
          rth(1, i, j), d, p)
        no_rain = 0.0_wp
        call phase_changes(b%nz, 0.0_wp, jac(i, j), p, d, rth(1, i, j), rv(1, i, j), rc(1, i, j), &
          no_rain)
      end do
    end do
  end subroutine condense

  !> Coupled density and pressure of a column.
  pure subroutine pressure_of(n, d_base, p_base, rth_base, rho, rth, d, p)
    integer, intent(in) :: n
    real(wp), dimension(n), intent(in) :: d_base, p_base, rth_base, rho, rth
    real(wp), dimension(n), intent(out) :: d, p
    real(wp) :: ratio(n)
    integer :: k

    do k = 1, n
      d(k) = d_base(k) + rho(k)
      ratio(k) = rth(k)/rth_base(k)
    end do
    call power_seven_fifths(n, ratio, p)
    do k = 1, n
      p(k) = p(k)*p_base(k)
    end do
  end subroutine pressure_of

  !> Growth of rain from cloud, saturation adjustment and evaporation of rain in each cell.
  pure subroutine phase_changes(n, dt, jac, p, d, rth, rv, rc, rr)
    integer, intent(in) :: n
    real(wp), intent(in) :: dt, jac, p(n), d(n)
    real(wp), intent(inout) :: rth(n), rv(n), rc(n), rr(n)
    real(wp) :: dry, t, t_new, qv, qvs, moved, gas
    integer :: k

    do k = 1, n
      if (rv(k) + rc(k) + rr(k) <= 0.0_wp) cycle
      dry = d(k) - ((rv(k) + rc(k)) + rr(k))
      gas = dry + vapour_ratio*rv(k)
      t = p(k)*jac/(r_dry*gas)
      t_new = t
      if (rc(k) > 0.0_wp) then
        moved = min(d(k)*collected(dt, rc(k)/d(k), rr(k)/d(k)), rc(k))
        rc(k) = rc(k) - moved
        rr(k) = rr(k) + moved
      end if
      qv = rv(k)/d(k)
      qvs = saturation_ratio(p(k), t)*dry/d(k)
      if (qv > qvs .or. rc(k) > 0.0_wp) then
        moved = d(k)*condensed(p(k), t, qv, dry/d(k), qvs)
        moved = max(-rc(k), min(moved, rv(k)))
        rv(k) = rv(k) - moved
        rc(k) = rc(k) + moved
        t_new = t + heating*moved/d(k)
        qv = rv(k)/d(k)
        if (rr(k) > 0.0_wp) qvs = saturation_ratio(p(k), t_new)*dry/d(k)
      end if
      if (rr(k) > 0.0_wp .and. qv < qvs) then
        moved = d(k)*evaporated(dt, p(k), t_new, d(k)/jac, qv, dry/d(k), qvs, rr(k)/d(k))
        moved = min(moved, rr(k))
        rr(k) = rr(k) - moved
        rv(k) = rv(k) + moved
        t_new = t_new - heating*moved/d(k)
      end if
      rth(k) = rth(k)*(t_new/t)*((dry + vapour_ratio*rv(k))/gas)
    end do
  end subroutine phase_changes

  !> Cloud that becomes rain within dt: autoconversion above 1 g/kg and accretion, both implicit in
  !> the cloud that is left, which therefore stays positive.
  pure real(wp) function collected(dt, qc, qr)
    real(wp), intent(in) :: dt, qc, qr
    real(wp), parameter :: rate = 1.0e-3_wp, threshold = 1.0e-3_wp, accretion = 2.2_wp
    real(wp) :: left, gathered

    left = qc
    if (qc > threshold) left = (qc + dt*rate*threshold)/(1.0_wp + dt*rate)
    gathered = 0.0_wp
    if (qr > 0.0_wp) gathered = dt*accretion*qr**0.875_wp
    collected = qc - left/(1.0_wp + gathered)
  end function collected

  !> Vapour that condenses (negative: cloud that evaporates, without regard to how much there is) so
  !> that the air is just saturated: Newton's iteration on qv - qvs(T) with T = t + heating dq.
  pure real(wp) function condensed(p, t, qv, dry_share, first) result(total)
    real(wp), intent(in) :: p, t, qv, dry_share
    real(wp), intent(in) :: first         !! qvs(t), already known
    real(wp), parameter :: precise = 1.0e-15_wp
    real(wp) :: qvs, t_now, slope, step
    integer :: pass

    total = 0.0_wp
    qvs = first
    t_now = t
    do pass = 1, 8
      slope = dry_share*saturation_slope(t_now, qvs/dry_share)
      step = ((qv - total) - qvs)/(1.0_wp + heating*slope)
      total = total + step
      if (abs(step) < precise) exit
      t_now = t + heating*total
      qvs = dry_share*saturation_ratio(p, t_now)
    end do
  end function condensed

  !> Rain that evaporates within dt into air below saturation (Klemp and Wilhelmson, equation 2.14;
  !> they measure density in g cm-3 and pressure in hPa), never more than saturates the air.
  pure real(wp) function evaporated(dt, p, t, density, qv, dry_share, qvs, qr)
    real(wp), intent(in) :: dt, p, t, density, qv, dry_share, qvs, qr
    real(wp) :: dense, water, ventilation, rate, slope

    dense = 1.0e-3_wp*density
    water = dense*qr
    ventilation = 1.6_wp + 124.9_wp*water**0.2046_wp
    rate = (1.0_wp - qv/qvs)*ventilation*water**0.525_wp &
      /(dense*(5.4e5_wp + 2.55e6_wp/(0.01_wp*p*qvs)))
    slope = dry_share*saturation_slope(t, qvs/dry_share)
    evaporated = min(dt*rate, (qvs - qv)/(1.0_wp + heating*slope))
  end function evaporated

  !> Speed of falling rain [m s-1]; water = mass of rain per volume [kg m-3] (Klemp and Wilhelmson,
  !> equation 2.15).
  pure elemental real(wp) function fall_speed(water, density)
    real(wp), intent(in) :: water, density
    fall_speed = 0.0_wp
    if (water > 0.0_wp) fall_speed = 36.34_wp*(1.0e-3_wp*water)**0.1346_wp &
      *sqrt(fall_density/density)
  end function fall_speed

  !> Rain falls through the column: upwind fluxes in as many steps as the fastest rain needs to
  !> cross no more than a level in each. `change` is what each cell gains, `fallen` grows by what
  !> reaches the ground.
  pure subroutine rain_fall(n, dt, rdz, jac, d, rr, change, fallen)
    integer, intent(in) :: n
    real(wp), intent(in) :: dt, rdz(n), jac, d(n)
    real(wp), intent(inout) :: rr(n), fallen
    real(wp), intent(out) :: change(n)
    real(wp), parameter :: courant = 0.9_wp
    real(wp) :: flux(n + 1), start(n), fastest, part
    integer :: k, m, steps

    start = rr
    fastest = 0.0_wp
    do k = 1, n
      fastest = max(fastest, fall_speed(rr(k)/jac, d(k)/jac)*rdz(k)/jac)
    end do
    steps = max(1, ceiling(dt*fastest/courant))
    part = dt/real(steps, wp)
    flux(n + 1) = 0.0_wp
    do m = 1, steps
      do k = 1, n       ! mass per area and step; no cell gives more than it holds
        flux(k) = min(part*(rr(k)/jac)*fall_speed(rr(k)/jac, d(k)/jac), rr(k)/rdz(k))
      end do
      do k = 1, n
        rr(k) = max(rr(k) + rdz(k)*(flux(k + 1) - flux(k)), 0.0_wp)
      end do
      fallen = fallen + flux(1)
    end do
    change = rr - start
  end subroutine rain_fall
end module weather_microphysics
