! SPDX-License-Identifier: BSD-3-Clause
! The heat budget of the ground: the soil's daily wave against the solution of the equation of heat
! in a deep uniform soil; radiation against its formulas' published cases and limits.
program ground_heat_test
  use checks, only: check, near, finish
  use weather_constants, only: wp, pi, stefan_boltzmann
  use weather_ground_heat, only: sunshine, sky_radiation, emitted, restored
  implicit none (type, external)

  real(wp), parameter :: inertia = 1500.0_wp, strength = 200.0_wp
  real(wp), parameter :: day = 86400.0_wp

  call daily_wave(10.0_wp)
  call daily_wave(120.0_wp)
  call balance()
  ! Stull's problem: no clouds, the sun in the zenith: 0.8 of the solar constant.
  call near(sunshine(1.0_wp, 0.0_wp, 0.0_wp, 0.0_wp), 0.8_wp*1370.0_wp, 1.0e-12_wp, 'zenith')
  call near(sunshine(0.5_wp, 1.0_wp, 1.0_wp, 1.0_wp), 1370.0_wp*0.5_wp*0.7_wp*0.108_wp, &
    1.0e-12_wp, 'under clouds of all heights')
  call check(sunshine(-0.1_wp, 0.0_wp, 0.0_wp, 0.0_wp) <= 0.0_wp, 'night', 0.0_wp)
  ! Brunt (1932): 0.52 and 0.065 for each root of a hectopascal.
  call near(sky_radiation(288.0_wp, 900.0_wp, 0.0_wp), 0.715_wp*stefan_boltzmann*288.0_wp**4, &
    1.0e-12_wp, 'a clear sky')
  call near(sky_radiation(288.0_wp, 900.0_wp, 0.5_wp), &
    0.715_wp*1.055_wp*stefan_boltzmann*288.0_wp**4, 1.0e-12_wp, 'a sky half of clouds')
  call check(sky_radiation(300.0_wp, 3500.0_wp, 1.0_wp) <= stefan_boltzmann*300.0_wp**4, &
    'no sky shines more than a black one', sky_radiation(300.0_wp, 3500.0_wp, 1.0_wp))
  call check(abs(emitted(stefan_boltzmann*280.0_wp**4, 280.0_wp)) < 1.0e-9_wp, &
    'nothing is exchanged with a sky of the same temperature', 0.0_wp)
  call finish()

contains

  !> A flux of 200 cos(w t): amplitude strength/(inertia sqrt(w)), an eighth of a day late.
  subroutine daily_wave(dt)
    real(wp), intent(in) :: dt
    real(wp) :: t, w, warmest, at, wanted
    integer :: n, steps
    w = 2.0_wp*pi/day
    steps = nint(10.0_wp*day/dt)
    t = 280.0_wp
    warmest = 0.0_wp
    at = 0.0_wp
    do n = 1, steps
      t = restored(t, 280.0_wp, strength*cos(w*(n - 0.5_wp)*dt), 0.0_wp, inertia, dt)
      if (n*dt > 9.0_wp*day .and. t > warmest) then
        warmest = t
        at = n*dt - 9.0_wp*day
      end if
    end do
    wanted = strength/(inertia*sqrt(w))
    call near(warmest - 280.0_wp, wanted, 2.0e-3_wp, 'amplitude of the daily wave [K]')
    call check(abs(at/day - 0.125_wp) < 0.002_wp, 'which is an eighth of a day late', at/day)
  end subroutine daily_wave

  !> A flux that falls with the temperature ends where all is in balance, with any step.
  subroutine balance()
    real(wp) :: t, w, wanted
    integer :: n
    w = 2.0_wp*pi/day
    t = 250.0_wp
    do n = 1, 400
      t = restored(t, 280.0_wp, 30.0_wp*(290.0_wp - t), 30.0_wp, inertia, 7200.0_wp)
    end do
    wanted = (30.0_wp*290.0_wp*sqrt(2.0_wp*w)/inertia + w*280.0_wp) &
      /(30.0_wp*sqrt(2.0_wp*w)/inertia + w)
    call near(t, wanted, 1.0e-12_wp, 'balance of a flux that falls with the temperature [K]')
  end subroutine balance
end program ground_heat_test
