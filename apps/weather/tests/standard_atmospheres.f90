! SPDX-License-Identifier: BSD-3-Clause
! The atmospheres of McClatchey, Fenn, Selby, Volz and Garing (1972, Optical Properties of the
! Atmosphere, AFCRL-72-0497) on which radiation schemes are compared: tropical, mid-latitude summer,
! subarctic winter; levels from the ground up to 70 km (their last, at 100 km, is left out).
module standard_atmospheres
  use weather_constants, only: wp, r_dry, gravity
  use weather_air_block, only: air_t, make_air
  implicit none (type, external)
  private
  public :: standard_air, names

  integer, parameter :: levels = 32, parts = 2             !! layers of the table, cut in two
  character(8), parameter :: names(3) = ['tropical', 'summer  ', 'winter  ']

  ! pressure [hPa], temperature [K], densities of vapour and ozone [g m-3]
  real(wp), parameter :: pressures(levels, 3) = reshape([ &
    1013.0_wp, 904.0_wp, 805.0_wp, 713.0_wp, 633.0_wp, 559.0_wp, 492.0_wp, &
    432.0_wp, 378.0_wp, 329.0_wp, 286.0_wp, 247.0_wp, 213.0_wp, 182.0_wp, &
    156.0_wp, 132.0_wp, 111.0_wp, 93.7_wp, 78.9_wp, 66.6_wp, 56.5_wp, &
    48.0_wp, 40.9_wp, 35.0_wp, 30.0_wp, 25.7_wp, 12.2_wp, 6.0_wp, &
    3.05_wp, 1.59_wp, 0.854_wp, 0.0579_wp, 1013.0_wp, 902.0_wp, 802.0_wp, &
    710.0_wp, 628.0_wp, 554.0_wp, 487.0_wp, 426.0_wp, 372.0_wp, 324.0_wp, &
    281.0_wp, 243.0_wp, 209.0_wp, 179.0_wp, 153.0_wp, 130.0_wp, 111.0_wp, &
    95.0_wp, 81.2_wp, 69.5_wp, 59.5_wp, 51.0_wp, 43.7_wp, 37.6_wp, &
    32.2_wp, 27.7_wp, 13.2_wp, 6.52_wp, 3.33_wp, 1.76_wp, 0.951_wp, &
    0.0671_wp, 1013.0_wp, 887.8_wp, 777.5_wp, 679.8_wp, 593.2_wp, 515.8_wp, &
    446.7_wp, 385.3_wp, 330.8_wp, 282.9_wp, 241.8_wp, 206.7_wp, 176.6_wp, &
    151.0_wp, 129.1_wp, 110.3_wp, 94.31_wp, 80.58_wp, 68.82_wp, 58.75_wp, &
    50.14_wp, 42.77_wp, 36.47_wp, 31.09_wp, 26.49_wp, 22.56_wp, 10.2_wp, &
    4.701_wp, 2.243_wp, 1.113_wp, 0.5719_wp, 0.04016_wp], &
    [levels, 3])
  real(wp), parameter :: temperatures(levels, 3) = reshape([ &
    300.0_wp, 294.0_wp, 288.0_wp, 284.0_wp, 277.0_wp, 270.0_wp, 264.0_wp, &
    257.0_wp, 250.0_wp, 244.0_wp, 237.0_wp, 230.0_wp, 224.0_wp, 217.0_wp, &
    210.0_wp, 204.0_wp, 197.0_wp, 195.0_wp, 199.0_wp, 203.0_wp, 207.0_wp, &
    211.0_wp, 215.0_wp, 217.0_wp, 219.0_wp, 221.0_wp, 232.0_wp, 243.0_wp, &
    254.0_wp, 265.0_wp, 270.0_wp, 219.0_wp, 294.0_wp, 290.0_wp, 285.0_wp, &
    279.0_wp, 273.0_wp, 267.0_wp, 261.0_wp, 255.0_wp, 248.0_wp, 242.0_wp, &
    235.0_wp, 229.0_wp, 222.0_wp, 216.0_wp, 216.0_wp, 216.0_wp, 216.0_wp, &
    216.0_wp, 216.0_wp, 217.0_wp, 218.0_wp, 219.0_wp, 220.0_wp, 222.0_wp, &
    223.0_wp, 224.0_wp, 234.0_wp, 245.0_wp, 258.0_wp, 270.0_wp, 276.0_wp, &
    218.0_wp, 257.1_wp, 259.1_wp, 255.9_wp, 252.7_wp, 247.7_wp, 240.9_wp, &
    234.1_wp, 227.3_wp, 220.6_wp, 217.2_wp, 217.2_wp, 217.2_wp, 217.2_wp, &
    217.2_wp, 217.2_wp, 217.2_wp, 216.6_wp, 216.0_wp, 215.4_wp, 214.8_wp, &
    214.1_wp, 213.6_wp, 213.0_wp, 212.4_wp, 211.8_wp, 211.2_wp, 216.0_wp, &
    222.2_wp, 234.7_wp, 247.0_wp, 259.3_wp, 245.7_wp], &
    [levels, 3])
  real(wp), parameter :: vapours(levels, 3) = reshape([ &
    19.0_wp, 13.0_wp, 9.3_wp, 4.7_wp, 2.2_wp, 1.5_wp, 0.85_wp, &
    0.47_wp, 0.25_wp, 0.12_wp, 0.05_wp, 0.017_wp, 0.006_wp, 0.0018_wp, &
    0.001_wp, 0.00076_wp, 0.00064_wp, 0.00056_wp, 0.0005_wp, 0.00049_wp, 0.00045_wp, &
    0.00051_wp, 0.00051_wp, 0.00054_wp, 0.0006_wp, 0.00067_wp, 0.00036_wp, 0.00011_wp, &
    4.3e-05_wp, 1.9e-05_wp, 6.3e-06_wp, 1.4e-07_wp, 14.0_wp, 9.3_wp, 5.9_wp, &
    3.3_wp, 1.9_wp, 1.0_wp, 0.61_wp, 0.37_wp, 0.21_wp, 0.12_wp, &
    0.064_wp, 0.022_wp, 0.006_wp, 0.0018_wp, 0.001_wp, 0.00076_wp, 0.00064_wp, &
    0.00056_wp, 0.0005_wp, 0.00049_wp, 0.00045_wp, 0.00051_wp, 0.00051_wp, 0.00054_wp, &
    0.0006_wp, 0.00067_wp, 0.00036_wp, 0.00011_wp, 4.3e-05_wp, 1.9e-05_wp, 6.3e-06_wp, &
    1.4e-07_wp, 1.2_wp, 1.2_wp, 0.94_wp, 0.68_wp, 0.41_wp, 0.2_wp, &
    0.098_wp, 0.054_wp, 0.011_wp, 0.0084_wp, 0.0055_wp, 0.0038_wp, 0.0026_wp, &
    0.001_wp, 0.001_wp, 0.00076_wp, 0.00064_wp, 0.00056_wp, 0.0005_wp, 0.00049_wp, &
    0.00045_wp, 0.00051_wp, 0.00051_wp, 0.00054_wp, 0.0006_wp, 0.00067_wp, 0.00036_wp, &
    0.00011_wp, 4.3e-05_wp, 1.9e-05_wp, 6.3e-06_wp, 1.4e-07_wp], &
    [levels, 3])
  real(wp), parameter :: ozones(levels, 3) = reshape([ &
    5.6e-05_wp, 5.6e-05_wp, 5.4e-05_wp, 5.1e-05_wp, 4.7e-05_wp, 4.5e-05_wp, 4.3e-05_wp, &
    4.1e-05_wp, 3.9e-05_wp, 3.9e-05_wp, 3.9e-05_wp, 4.1e-05_wp, 4.3e-05_wp, 4.5e-05_wp, &
    4.5e-05_wp, 4.7e-05_wp, 4.7e-05_wp, 6.9e-05_wp, 9e-05_wp, 0.00014_wp, 0.00019_wp, &
    0.00024_wp, 0.00028_wp, 0.00032_wp, 0.00034_wp, 0.00034_wp, 0.00024_wp, 9.2e-05_wp, &
    4.1e-05_wp, 1.3e-05_wp, 4.3e-06_wp, 8.6e-08_wp, 6e-05_wp, 6e-05_wp, 6e-05_wp, &
    6.2e-05_wp, 6.4e-05_wp, 6.6e-05_wp, 6.9e-05_wp, 7.5e-05_wp, 7.9e-05_wp, 8.6e-05_wp, &
    9e-05_wp, 0.00011_wp, 0.00012_wp, 0.00015_wp, 0.00018_wp, 0.00019_wp, 0.00021_wp, &
    0.00024_wp, 0.00028_wp, 0.00032_wp, 0.00034_wp, 0.00036_wp, 0.00036_wp, 0.00034_wp, &
    0.00032_wp, 0.0003_wp, 0.0002_wp, 9.2e-05_wp, 4.1e-05_wp, 1.3e-05_wp, 4.3e-06_wp, &
    8.6e-08_wp, 4.1e-05_wp, 4.1e-05_wp, 4.1e-05_wp, 4.3e-05_wp, 4.5e-05_wp, 4.7e-05_wp, &
    4.9e-05_wp, 7.1e-05_wp, 9e-05_wp, 0.00015_wp, 0.00024_wp, 0.00032_wp, 0.00043_wp, &
    0.00047_wp, 0.00049_wp, 0.00056_wp, 0.00062_wp, 0.00062_wp, 0.00062_wp, 0.0006_wp, &
    0.00056_wp, 0.00051_wp, 0.00047_wp, 0.00043_wp, 0.00036_wp, 0.00032_wp, 0.00015_wp, &
    9.2e-05_wp, 4.1e-05_wp, 1.3e-05_wp, 4.3e-06_wp, 8.6e-08_wp], &
    [levels, 3])

contains

  !> All columns of the block get atmosphere `which`. The ground has the temperature of the air on
  !> it. Between levels temperature and the logarithms of vapour and ozone per mass of air are
  !> linear in the logarithm of pressure.
  subroutine standard_air(air, which)
    type(air_t), intent(out) :: air
    integer, intent(in) :: which
    real(wp), parameter :: ozone_cm = 46.7_wp     !! of 1 kg m-2, at 0 C and 1013 hPa
    real(wp), dimension(levels) :: x, vapour, ozone
    real(wp) :: low, high
    integer :: k, n, part

    x = log(100.0_wp*pressures(:, which))
    vapour = log(1.0e-3_wp*vapours(:, which)*r_dry*temperatures(:, which)/exp(x))
    ozone = log(1.0e-3_wp*ozones(:, which)*r_dry*temperatures(:, which)/exp(x))
    call make_air(air, parts*(levels - 1))
    do n = 1, levels - 1
      do part = 1, parts
        k = parts*(n - 1) + part
        low = exp(between(x, n, real(part - 1, wp)/parts))
        high = exp(between(x, n, real(part, wp)/parts))
        air%p(:, k) = 0.5_wp*(low + high)
        air%dp(:, k) = low - high
        air%t(:, k) = between(temperatures(:, which), n, (part - 0.5_wp)/parts)
        air%t_face(:, k) = between(temperatures(:, which), n, real(part - 1, wp)/parts)
        air%q(:, k) = exp(between(vapour, n, (part - 0.5_wp)/parts))
        air%ozone(:, k) = exp(between(ozone, n, (part - 0.5_wp)/parts))*air%dp(:, k)/gravity &
          *ozone_cm
      end do
    end do
    air%t_face(:, air%n + 1) = temperatures(levels, which)
    air%ground = temperatures(1, which)
  end subroutine standard_air

  pure real(wp) function between(y, n, share)
    real(wp), intent(in) :: y(levels), share
    integer, intent(in) :: n
    between = (1.0_wp - share)*y(n) + share*y(n + 1)
  end function between
end module standard_atmospheres
