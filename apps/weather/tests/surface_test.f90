! SPDX-License-Identifier: BSD-3-Clause
! Exchange with the ground: the logarithmic law, Louis's functions, screen values and signs.
program surface_test
  use checks, only: check, near, finish
  use weather_constants, only: wp, p_reference
  use weather_surface, only: exchange_t, neutral_coefficient, louis_momentum, louis_heat, &
    bulk_richardson, screen_share, exchange_of_column
  implicit none (type, external)


  call louis()
  call screen()
  call columns()
  call finish()

contains

  !> Numbers worked out from the constants of the paper: b = 9.4, b' = 4.7, C* = 7.4 and 5.3.
  subroutine louis()
    real(wp) :: ri, slope, m(200), h(200)
    integer :: k

    call near(neutral_coefficient(1000.0_wp), (0.4_wp/log(1000.0_wp))**2, 1.0e-14_wp, &
      'neutral coefficient at z/z0 = 1000')
    call near(louis_momentum(0.0_wp, 500.0_wp), 1.0_wp, 1.0e-14_wp, 'neutral F_m')
    call near(louis_heat(0.0_wp, 500.0_wp), 1.0_wp, 1.0e-14_wp, 'neutral F_h')
    call near(louis_momentum(0.2_wp, 1000.0_wp), 0.265703_wp, 1.0e-5_wp, 'F_m at Ri = 0.2')
    call near(louis_heat(1.0_wp, 1000.0_wp), 0.0307787_wp, 1.0e-5_wp, 'F_h at Ri = 1')
    call near(louis_momentum(-1.0_wp, 1000.0_wp), 2.12229_wp, 1.0e-4_wp, 'F_m at Ri = -1')
    call near(louis_heat(-1.0_wp, 1000.0_wp), 2.49619_wp, 1.0e-4_wp, 'F_h at Ri = -1')
    do k = 1, 200
      ri = 0.05_wp*(k - 100)
      m(k) = louis_momentum(ri, 200.0_wp)
      h(k) = louis_heat(ri, 200.0_wp)
    end do
    call check(all(m(2:) < m(:199)) .and. all(h(2:) < h(:199)), 'stability weakens exchange', &
      h(200))
    call check(all(m > 0.0_wp) .and. all(h > 0.0_wp), 'coefficients stay positive', minval(m))
    call check(all(h(:99) > m(:99)), 'unstable air moves heat better than momentum', h(1)/m(1))
    slope = (louis_heat(1.0e-9_wp, 300.0_wp) - 1.0_wp)/1.0e-9_wp
    call near(slope, -9.4_wp, 1.0e-3_wp, 'slope on the stable side of neutral')
    slope = (1.0_wp - louis_heat(-1.0e-9_wp, 300.0_wp))/1.0e-9_wp
    call near(slope, -9.4_wp, 1.0e-3_wp, 'slope on the unstable side of neutral')
    call near(0.001_wp*louis_heat(-1.0e8_wp, 300.0_wp), 0.01_wp*louis_heat(-1.0e6_wp, 300.0_wp), &
      1.0e-2_wp, 'wind times F_h of free convection depends on no wind')
    call near(bulk_richardson(10.0_wp, 301.0_wp, 299.0_wp, 2.0_wp), 9.80665_wp*10.0_wp*2.0_wp &
      /(300.0_wp*4.0_wp), 1.0e-14_wp, 'bulk Richardson number')
  end subroutine louis

  subroutine screen()
    real(wp), parameter :: bn = log(1000.0_wp)
    real(wp) :: neutral, stable, unstable

    neutral = screen_share(0.1_wp, bn, bn, .true.)
    stable = screen_share(0.1_wp, bn, 1.5_wp*bn, .true.)
    unstable = screen_share(0.1_wp, bn, 0.7_wp*bn, .false.)
    call near(neutral, log(100.0_wp)/bn, 0.01_wp, 'neutral wind at a tenth of the height')
    call near(screen_share(1.0_wp, bn, 1.5_wp*bn, .true.), 1.0_wp, 1.0e-12_wp, &
      'stable: the lowest level keeps its value')
    call near(screen_share(1.0_wp, bn, 0.7_wp*bn, .false.), 1.0_wp, 1.0e-12_wp, &
      'unstable: the lowest level keeps its value')
    call check(stable < neutral .and. neutral < unstable, 'mixed air is steeper at the ground', &
      unstable - stable)
  end subroutine screen

  subroutine columns()
    type(exchange_t) :: cold, warm, wet, calm, neutral
    real(wp), parameter :: p = 0.99_wp*p_reference
    real(wp) :: neutral_density, ground

    cold = exchange_of_column(50.0_wp, 0.1_wp, 280.0_wp, 0.0_wp, p, 290.0_wp, 0.005_wp, 8.0_wp)
    warm = exchange_of_column(50.0_wp, 0.1_wp, 300.0_wp, 0.0_wp, p, 290.0_wp, 0.005_wp, 8.0_wp)
    wet = exchange_of_column(50.0_wp, 0.1_wp, 300.0_wp, 1.0_wp, p, 290.0_wp, 0.005_wp, 8.0_wp)
    calm = exchange_of_column(50.0_wp, 0.1_wp, 300.0_wp, 0.5_wp, p, 290.0_wp, 0.005_wp, 0.0_wp)
    ! Dry air over ground of the same potential temperature: p at the ground is 50 m of air higher.
    neutral_density = p/(287.0_wp*290.0_wp*(p/p_reference)**(2.0_wp/7.0_wp))
    ground = 290.0_wp*((p + 9.80665_wp*neutral_density*50.0_wp)/p_reference)**(2.0_wp/7.0_wp)
    neutral = exchange_of_column(50.0_wp, 0.1_wp, ground, 0.0_wp, p, 290.0_wp, 0.0_wp, 6.0_wp)
    call check(cold%theta < 290.0_wp .and. warm%theta > 290.0_wp, &
      'the ground pulls to its warmth', warm%theta)
    call check(warm%heat > cold%heat .and. warm%drag > cold%drag, 'warm ground exchanges more', &
      warm%heat/cold%heat)
    call check(cold%temperature_2m > 280.0_wp .and. cold%temperature_2m < 290.0_wp, &
      'temperature at 2 m between ground and air, cold ground', cold%temperature_2m)
    call check(warm%temperature_2m < 300.0_wp .and. warm%temperature_2m > 288.0_wp, &
      'temperature at 2 m between ground and air, warm ground', warm%temperature_2m)
    call check(cold%wind_10m < warm%wind_10m .and. warm%wind_10m < 8.0_wp, &
      'wind at 10 m below that aloft', warm%wind_10m)
    call near(warm%content, 0.005_wp, 1.0e-14_wp, 'dry ground gives no vapour')
    call near(wet%content, 0.0223_wp, 0.02_wp, 'water at 300 K gives saturated air')
    call check(wet%theta > warm%theta, 'vapour makes air lighter', wet%theta - warm%theta)
    call near(wet%vapour, wet%heat, 1.0e-14_wp, 'vapour is exchanged as heat is')
    call near(neutral%vapour, neutral_density*6.0_wp*(0.4_wp/log(500.0_wp))**2, 1.0e-3_wp, &
      'evaporation of neutral air: rho U (k/ln z/z0)**2')
    call near(neutral%heat, neutral%drag, 1.0e-3_wp, 'heat and momentum of neutral air')
    call check(calm%heat > 0.0_wp .and. .not. calm%stress > 0.0_wp, &
      'calm air exchanges heat only', calm%heat)
  end subroutine columns
end program surface_test
