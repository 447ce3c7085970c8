! SPDX-License-Identifier: BSD-3-Clause
! Warm rain against independent results: saturation by bisection, conservation of water, mass and
! moist enthalpy, a falling shaft of rain against its analytic solution, no negative values.
program microphysics_test
  use checks, only: check, finish, seed_with, uniform
  use weather_constants, only: wp, cp_dry, r_dry, p_reference, kappa
  use weather_grid, only: shape_t, box_t
  use weather_microphysics, only: warm_rain, phase_changes, rain_fall, fall_speed
  implicit none (type, external)

  real(wp), parameter :: latent = 2.5e6_wp, ratio = 1.608_wp, jac = 0.8_wp

  call seed_with(20070124)
  call saturation()
  call random_cells()
  call growth_and_evaporation()
  call shaft()
  call whole_columns()
  call finish()

contains

  !> Bolton's formula, written down once more, and the specific humidity it allows.
  pure real(wp) function allowed(p, t, dry_share)
    real(wp), intent(in) :: p, t, dry_share
    real(wp) :: e
    e = 6.112_wp*exp(17.67_wp*(t - 273.15_wp)/((t - 273.15_wp) + 243.5_wp))*100.0_wp
    allowed = dry_share*(e/ratio)/(p - e)
  end function allowed

  !> Coupled variables of a cell of temperature t, pressure p and contents q.
  pure subroutine cell(p, t, q, d, rth, water)
    real(wp), intent(in) :: p, t, q(3)
    real(wp), intent(out) :: d, rth, water(3)
    real(wp) :: factor
    factor = 1.0_wp + (ratio - 1.0_wp)*q(1) - q(2) - q(3)
    d = jac*p/(r_dry*t*factor)
    rth = d*t*factor*(p_reference/p)**kappa
    water = d*q
  end subroutine cell

  pure real(wp) function temperature(p, d, rth, water)
    real(wp), intent(in) :: p, d, rth, water(3)
    temperature = rth/(d + (ratio - 1.0_wp)*water(1) - water(2) - water(3))*(p/p_reference)**kappa
  end function temperature

  !> Adjusted air lies on the curve that bisection finds, from above and from below saturation.
  subroutine saturation()
    real(wp) :: p, t, q(3), d(1), rth(1), w(3), low, high, middle, worst, dry_share
    real(wp) :: energy, now
    integer :: n

    worst = 0.0_wp
    energy = 0.0_wp
    do n = 1, 500
      p = 3.0e4_wp + 7.0e4_wp*uniform()
      t = 235.0_wp + 65.0_wp*(p - 3.0e4_wp)/7.0e4_wp + 5.0_wp*uniform()
      dry_share = 0.98_wp
      q = [allowed(p, t, dry_share)*(0.7_wp + 0.8_wp*uniform()), 5.0e-3_wp, 0.0_wp]
      dry_share = 1.0_wp - q(1) - q(2)
      call cell(p, t, q, d(1), rth(1), w)
      low = -q(2)
      high = q(1)
      do while (high - low > 1.0e-17_wp)
        middle = 0.5_wp*(low + high)
        if (middle <= low .or. middle >= high) exit
        if (q(1) - middle > allowed(p, t + latent/cp_dry*middle, dry_share)) then
          low = middle
        else
          high = middle
        end if
      end do
      call phase_changes(1, 0.0_wp, jac, [p], d, rth, w(1:1), w(2:2), w(3:3))
      worst = max(worst, abs((q(1) - w(1)/d(1)) - low))
      now = temperature(p, d(1), rth(1), w)
      energy = max(energy, abs(cp_dry*(now - t) + latent*(w(1)/d(1) - q(1)))/(cp_dry*t))
    end do
    call check(worst < 1.0e-14_wp, 'condensed water, departure from bisection [kg/kg]', worst)
    call check(energy < 1.0e-14_wp, 'relative drift of cp T + L qv', energy)
  end subroutine saturation

  !> Any cell: water and dry mass are kept to rounding, nothing is negative, no supersaturation is
  !> left, and rain that evaporates does not saturate the air beyond 1.
  subroutine random_cells()
    real(wp) :: p, t, t_new, q(3), d(1), rth(1), w(3), before, dt, water, energy, least
    real(wp) :: wettest, qvs
    integer :: n

    water = 0.0_wp
    energy = 0.0_wp
    least = 0.0_wp
    wettest = 0.0_wp
    do n = 1, 20000
      p = 5.0e3_wp + 9.8e4_wp*uniform()
      t = 190.0_wp + 120.0_wp*uniform()
      q = [0.03_wp, 0.01_wp, 0.02_wp]*[uniform(), uniform(), uniform()] &
        *nint([uniform(), uniform(), uniform()])
      q(1) = min(q(1), 2.0_wp*allowed(max(p, 2.0e4_wp), min(t, 300.0_wp), 1.0_wp))
      dt = 120.0_wp*uniform()
      call cell(p, t, q, d(1), rth(1), w)
      before = sum(w)
      call phase_changes(1, dt, jac, [p], d, rth, w(1:1), w(2:2), w(3:3))
      water = max(water, abs(sum(w) - before)/d(1))
      least = min(least, minval(w), rth(1))
      t_new = temperature(p, d(1), rth(1), w)
      energy = max(energy, abs(cp_dry*(t_new - t) + latent*(w(1)/d(1) - q(1)))/(cp_dry*t))
      if (p > 2.0e4_wp .and. t < 300.0_wp) then
        qvs = allowed(p, t_new, (d(1) - sum(w))/d(1))
        wettest = max(wettest, w(1)/d(1) - qvs)
      end if
    end do
    call check(water < 1.0e-16_wp, 'random cells: drift of total water [kg/kg]', water)
    call check(energy < 1.0e-13_wp, 'random cells: relative drift of cp T + L qv', energy)
    call check(least >= 0.0_wp, 'random cells: smallest value', least)
    call check(wettest < 1.0e-14_wp, 'random cells: supersaturation left [kg/kg]', wettest)
  end subroutine random_cells

  !> One second of growth and of evaporation against the rates of Klemp and Wilhelmson (1978).
  subroutine growth_and_evaporation()
    real(wp) :: p, t, q(3), d(1), rth(1), w(3), wanted, qvs, dense
    real(wp), parameter :: dt = 1.0e-3_wp

    p = 8.0e4_wp
    t = 285.0_wp
    q = [0.0_wp, 3.0e-3_wp, 1.0e-3_wp]
    q(1) = allowed(p, t, 1.0_wp - sum(q))
    q(1) = allowed(p, t, 1.0_wp - sum(q))
    call cell(p, t, q, d(1), rth(1), w)
    call phase_changes(1, dt, jac, [p], d, rth, w(1:1), w(2:2), w(3:3))
    wanted = 1.0e-3_wp*2.0e-3_wp + 2.2_wp*3.0e-3_wp*1.0e-3_wp**0.875_wp
    call check(abs((w(3)/d(1) - q(3))/(dt*wanted) - 1.0_wp) < 1.0e-4_wp, &
      'autoconversion and accretion over their rate', (w(3)/d(1) - q(3))/(dt*wanted))
    q = [4.0e-3_wp, 0.0_wp, 2.0e-3_wp]
    call cell(p, t, q, d(1), rth(1), w)
    call phase_changes(1, dt, jac, [p], d, rth, w(1:1), w(2:2), w(3:3))
    qvs = allowed(p, t, 1.0_wp - sum(q))
    dense = 1.0e-3_wp*d(1)/jac
    wanted = (1.0_wp - q(1)/qvs)*(1.6_wp + 124.9_wp*(dense*q(3))**0.2046_wp) &
      *(dense*q(3))**0.525_wp/(dense*(5.4e5_wp + 2.55e6_wp/(800.0_wp*qvs)))
    call check(abs((q(3) - w(3)/d(1))/(dt*wanted) - 1.0_wp) < 1.0e-4_wp, &
      'evaporation of rain over its rate', (q(3) - w(3)/d(1))/(dt*wanted))
    call check(wanted > 1.0e-7_wp .and. wanted < 1.0e-5_wp, 'evaporation of rain [s-1]', wanted)
    wanted = fall_speed(1.0e-3_wp, p_reference/(r_dry*300.0_wp))
    call check(abs(wanted - 5.66_wp) < 0.01_wp, 'fall speed of 1 g m-3 [m/s]', wanted)
  end subroutine growth_and_evaporation

  !> Uniform rain below 3 km in air of uniform density. Speed grows with content as q**0.1346, so
  !> what leaves the ground is constant until the characteristic of the shaft's top arrives, then
  !> that of a rarefaction: content q arrives at time H/(1.1346 V(q)).
  subroutine shaft()
    integer, parameter :: n = 600
    real(wp), parameter :: power = 0.1346_wp, height = 3000.0_wp, content = 2.0e-3_wp
    real(wp), parameter :: dense = 1.0_wp, dt = 5.0_wp
    real(wp) :: rdz(n), d(n), rr(n), change(n), before(n), fallen, speed, arrival, t, wanted, worst
    integer :: step

    rdz = jac*real(n, wp)/(2.0_wp*height)
    d = jac*dense
    rr = 0.0_wp
    rr(:n/2) = jac*content
    before = rr
    speed = fall_speed(content, dense)
    arrival = height/((1.0_wp + power)*speed)
    fallen = 0.0_wp
    worst = 0.0_wp
    do step = 1, 200
      call rain_fall(n, dt, rdz, jac, d, rr, change, fallen)
      call check_quietly(maxval(abs(change - (rr - before))))
      before = rr
      t = dt*step
      wanted = content*speed*min(t, arrival)
      if (t > arrival) wanted = wanted + content*height*power/(1.0_wp + power) &
        *(1.0_wp - (arrival/t)**(1.0_wp/power))
      worst = max(worst, abs(fallen - wanted)/(content*height))
      if (step == 20) call check(abs(fallen/wanted - 1.0_wp) < 1.0e-12_wp, &
        'rain at the ground after 100 s over content times speed', fallen/wanted)
    end do
    call check(worst < 0.01_wp, 'rain at the ground, departure from the characteristics', worst)
    call check(abs((fallen + sum(rr/rdz))/(content*height) - 1.0_wp) < 1.0e-12_wp, &
      'rain in the air and at the ground over rain at the start', &
      (fallen + sum(rr/rdz))/(content*height))
    call check(minval(rr) >= 0.0_wp .and. fallen/(content*height) > 0.99_wp, &
      'share that has fallen', fallen/(content*height))
  end subroutine shaft

  subroutine check_quietly(departure)
    real(wp), intent(in) :: departure
    if (departure > 1.0e-18_wp) call check(.false., 'change of the column', departure)
  end subroutine check_quietly

  !> Whole columns with thin levels and long steps: mass, dry mass and water of air and ground, and
  !> pressure that no falling rain changes.
  subroutine whole_columns()
    integer, parameter :: n = 40
    real(wp), parameter :: share = 0.25_wp     ! of the rain counts as fallen
    type(shape_t) :: b
    type(box_t) :: r
    real(wp), dimension(n, 2, 3) :: d_base, p_base, rth_base, rho, rth, rv, rc, rr, dry
    real(wp) :: rdz(n), jacobian(2, 3), fallen(2, 3), water, mass, p, t, w(3), q(3)
    integer :: i, j, k, step

    b = shape_t(nz=n, il=1, ih=2, jl=1, jh=3)
    r = box_t(1, 2, 1, 3)
    jacobian = jac
    fallen = 0.0_wp
    do k = 1, n
      rdz(k) = 1.0_wp/(20.0_wp + 15.0_wp*k)
      p = 1.0e5_wp*exp(-sum(1.0_wp/rdz(:k))/8000.0_wp)
      do j = 1, 3
        do i = 1, 2
          t = max(300.0_wp - 0.006_wp*sum(1.0_wp/rdz(:k)), 215.0_wp) + uniform()
          q = [allowed(p, t, 1.0_wp)*(0.4_wp + uniform()), 3.0e-3_wp*uniform(), 9.0e-3_wp*uniform()]
          call cell(p, t, q, rho(k, i, j), rth(k, i, j), w)
          call cell(p, t, [0.0_wp, 0.0_wp, 0.0_wp], d_base(k, i, j), rth_base(k, i, j), q)
          p_base(k, i, j) = p
          rho(k, i, j) = rho(k, i, j) - d_base(k, i, j)
          rv(k, i, j) = w(1)
          rc(k, i, j) = w(2)
          rr(k, i, j) = w(3)
        end do
      end do
    end do
    dry = d_base + rho - rv - rc - rr
    water = total(rdz, rv + rc + rr)
    mass = total(rdz, d_base + rho)
    do step = 1, 20
      call warm_rain(b, r, 60.0_wp, share, rdz, jacobian, d_base, p_base, rth_base, rho, rth, &
        rv, rc, rr, fallen)
    end do
    call check(maxval(abs(d_base + rho - rv - rc - rr - dry)) < 1.0e-14_wp, &
      'columns: drift of dry mass [kg m-3]', maxval(abs(d_base + rho - rv - rc - rr - dry)))
    call check(abs(total(rdz, rv + rc + rr) + sum(fallen)/share - water)/water < 1.0e-13_wp, &
      'columns: water in the air and at the ground over that at the start', &
      (total(rdz, rv + rc + rr) + sum(fallen)/share)/water)
    call check(abs(total(rdz, d_base + rho) + sum(fallen)/share - mass)/mass < 1.0e-14_wp, &
      'columns: mass in the air and at the ground over that at the start', &
      (total(rdz, d_base + rho) + sum(fallen)/share)/mass)
    call check(min(minval(rv), minval(rc), minval(rr)) >= 0.0_wp, 'columns: smallest water', &
      min(minval(rv), minval(rc), minval(rr)))
    call check(minval(fallen) > share, &
      'columns: least rain at the ground [kg m-2]', minval(fallen))
  end subroutine whole_columns

  !> Sum over cells of what a coupled field holds, per unit of area.
  pure real(wp) function total(rdz, field)
    real(wp), intent(in) :: rdz(:), field(:, :, :)
    integer :: level
    total = 0.0_wp
    do level = 1, size(rdz)
      total = total + sum(field(level, :, :))/rdz(level)
    end do
  end function total
end program microphysics_test
