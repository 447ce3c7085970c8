! SPDX-License-Identifier: BSD-3-Clause
! The heat budget of the ground: radiation at the ground, and a soil that stores heat by force and
! restore.
!
!   dT/dt = G / C - w (T - T_deep),    C = inertia / sqrt(2 w),    w = 2 pi / day
!   G = (1 - albedo) S + emissivity (L - sigma T**4) - sensible heat - latent heat
!
! (Bhumralkar 1975, J. Appl. Meteor. 14, 1246-1258; Blackadar 1976; Deardorff 1978, J. Geophys. Res.
! 83, 1889-1903), which for a flux of daily period has the solution of a deep uniform soil,
! amplitude and lag included. inertia: sqrt(conductivity x heat capacity).
! Without radiation in the air (weather_radiation) the sunshine S is that of Burridge and Gadd
! (1974), as Stull (1988, section 7.3.1) gives it, and longwave L from the sky that of Brunt (1932,
! Quart. J. Roy. Meteor. Soc. 58, 389-420), 1 + 0.22 cover**2 times that below clouds.
module weather_ground_heat
  use weather_constants, only: wp, pi, stefan_boltzmann
  implicit none (type, external)
  private
  public :: soil_t, sunshine, sky_radiation, emitted, emission_slope, restored

  real(wp), parameter :: day = 86400.0_wp                        !! s
  real(wp), parameter :: solar_constant = 1370.0_wp              !! W m-2, Stull's
  real(wp), parameter, public :: emissivity = 0.95_wp            !! of the ground

  type :: soil_t
    logical :: on = .false.
    real(wp) :: albedo = 0.2_wp
    real(wp) :: inertia = 1500.0_wp                              !! J m-2 K-1 s-1/2
    real(wp), allocatable :: deep(:, :)                          !! temperature below [K]
  end type soil_t

contains

  !> On flat ground [W m-2], under shares of the sky with low, middle and high clouds.
  pure elemental real(wp) function sunshine(height, low, middle, high)
    real(wp), intent(in) :: height, low, middle, high
    sunshine = 0.0_wp
    if (height > 0.0_wp) sunshine = solar_constant*height*(0.6_wp + 0.2_wp*height) &
      *(1.0_wp - 0.4_wp*high)*(1.0_wp - 0.7_wp*middle)*(1.0_wp - 0.4_wp*low)
  end function sunshine

  !> From the sky [W m-2], for the air's temperature [K] and vapour pressure [Pa].
  pure elemental real(wp) function sky_radiation(temperature, vapour, cover)
    real(wp), intent(in) :: temperature, vapour, cover
    sky_radiation = min((0.52_wp + 0.065_wp*sqrt(0.01_wp*vapour))*(1.0_wp + 0.22_wp*cover**2), &
      1.0_wp)*stefan_boltzmann*temperature**4
  end function sky_radiation

  !> What the ground keeps of radiation from the sky less what it sends there [W m-2].
  pure elemental real(wp) function emitted(sky, temperature)
    real(wp), intent(in) :: sky, temperature
    emitted = emissivity*(sky - stefan_boltzmann*temperature**4)
  end function emitted

  !> By how much that falls with the temperature [W m-2 K-1].
  pure elemental real(wp) function emission_slope(temperature)
    real(wp), intent(in) :: temperature
    emission_slope = 4.0_wp*emissivity*stefan_boltzmann*temperature**3
  end function emission_slope

  !> The temperature after dt, with a flux into the ground [W m-2] that falls with the temperature
  !> by `stiffness` [W m-2 K-1]. The changes are centred in the step, and any step is stable.
  pure elemental real(wp) function restored(temperature, deep, flux, stiffness, inertia, dt)
    real(wp), intent(in) :: temperature, deep, flux, stiffness, inertia, dt
    real(wp) :: capacity, w
    w = 2.0_wp*pi/day
    capacity = inertia/sqrt(2.0_wp*w)
    restored = temperature + dt*(flux/capacity - w*(temperature - deep)) &
      /(1.0_wp + 0.5_wp*dt*(w + stiffness/capacity))
  end function restored
end module weather_ground_heat
