! SPDX-License-Identifier: BSD-3-Clause
! Water in the air: constants and saturation, for microphysics, surface and starts.
module weather_moist
  use weather_constants, only: wp, virtual
  implicit none (type, external)
  private
  public :: saturation_pressure, saturation_ratio, saturation_slope

  real(wp), parameter, public :: latent_heat = 2.5e6_wp          !! of condensation [J kg-1]
  real(wp), parameter, public :: vapour_ratio = 1.0_wp + virtual !! gas constants, vapour over dry
  real(wp), parameter, public :: melting = 273.15_wp             !! K

contains

  !> Saturation vapour pressure over water [Pa] (Bolton 1980, equation 10).
  pure elemental real(wp) function saturation_pressure(t)
    real(wp), intent(in) :: t
    saturation_pressure = 611.2_wp*exp(17.67_wp*(t - melting)/(t - 29.65_wp))
  end function saturation_pressure

  !> Mass of vapour per mass of dry air in saturated air of pressure p [Pa] and temperature t [K].
  !> In thin, warm air, which can hold any amount, vapour is held to half of the pressure.
  pure elemental real(wp) function saturation_ratio(p, t)
    real(wp), intent(in) :: p, t
    real(wp) :: e
    e = min(saturation_pressure(t), 0.5_wp*p)
    saturation_ratio = e/(vapour_ratio*(p - e))
  end function saturation_ratio

  !> d(ratio)/dt at constant pressure, given the ratio itself.
  pure elemental real(wp) function saturation_slope(t, ratio)
    real(wp), intent(in) :: t, ratio
    saturation_slope = ratio*(1.0_wp + vapour_ratio*ratio)*(17.67_wp*243.5_wp/(t - 29.65_wp)**2)
  end function saturation_slope
end module weather_moist
