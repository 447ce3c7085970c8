! SPDX-License-Identifier: BSD-3-Clause
! Kinds and physical constants of the weather model.
module weather_constants
  use, intrinsic :: iso_fortran_env, only: real64, int64
  implicit none (type, external)
  private

  integer, parameter, public :: wp = real64      !! kind of every field
  integer, parameter, public :: long = int64     !! kind of counts that may pass 2**31

  real(wp), parameter, public :: gravity = 9.80665_wp            !! m s-2
  real(wp), parameter, public :: r_dry = 287.0_wp                !! J kg-1 K-1
  real(wp), parameter, public :: cp_dry = 3.5_wp*r_dry           !! J kg-1 K-1
  real(wp), parameter, public :: cv_dry = cp_dry - r_dry         !! J kg-1 K-1
  real(wp), parameter, public :: kappa = r_dry/cp_dry            !! exactly 2/7
  real(wp), parameter, public :: gamma_air = cp_dry/cv_dry       !! exactly 7/5: see pressure_ratio
  real(wp), parameter, public :: p_reference = 1.0e5_wp          !! Pa
  real(wp), parameter, public :: virtual = 0.608_wp              !! Rv/Rd - 1
  real(wp), parameter, public :: stefan_boltzmann = 5.670374e-8_wp  !! W m-2 K-4
  real(wp), parameter, public :: pi = 3.14159265358979323846_wp

  integer, parameter, public :: max_text = 512                   !! longest message or path

  character(*), parameter, public :: model_version = 'nearfar-weather 0.1'
end module weather_constants
