! SPDX-License-Identifier: BSD-3-Clause
! Is the air of a start one that a model can begin with? Unstable layers overturn and excess water
! condenses in the first steps, with shocks that spoil what follows, so both are refused.
module weather_soundness
  use weather_constants, only: wp, max_text, kappa, p_reference, virtual, r_dry
  use weather_config, only: config_t
  use weather_errors, only: agree, text_of, fixed
  use weather_grid, only: grid_t
  use weather_moist, only: saturation_ratio
  use weather_state, only: state_t, vapour, cloud
  implicit none (type, external)
  private
  public :: fault_of_column, relative_humidity, check_start

contains

  pure elemental real(wp) function relative_humidity(p, t, q)
    real(wp), intent(in) :: p, t, q
    relative_humidity = q/((1.0_wp - q)*saturation_ratio(p, t))
  end function relative_humidity

  !> What is wrong with a column of pressure levels above the ground: virtual potential temperature
  !> that falls by more than `unstable` K below what it is anywhere lower down (in the lowest 500 m,
  !> which the sun heats, five times as much), or relative humidity above 1 + `excess`. Empty where
  !> nothing is wrong. Levels are counted from the file's first.
  pure function fault_of_column(pressure, height, temperature, humidity, ground, unstable, excess) &
    result(text)
    real(wp), dimension(:), intent(in) :: pressure, height, temperature, humidity
    real(wp), intent(in) :: ground, unstable, excess
    character(max_text) :: text
    real(wp), parameter :: surface_layer = 500.0_wp, share = 5.0_wp
    real(wp) :: theta, highest, highest_above, wet
    integer :: k

    text = ''
    highest = 0.0_wp
    highest_above = 0.0_wp
    do k = 1, size(pressure)
      if (height(k) < ground) cycle
      theta = temperature(k)*(1.0_wp + virtual*max(humidity(k), 0.0_wp)) &
        *(p_reference/pressure(k))**kappa
      if (theta < highest_above - unstable) then
        text = superadiabatic(highest_above, unstable, '')
      else if (theta < highest - share*unstable) then
        text = superadiabatic(highest, share*unstable, text_of(share)//' times ')
      end if
      wet = relative_humidity(pressure(k), temperature(k), humidity(k))
      if (wet > 1.0_wp + excess .and. text == '') text = 'its air is supersaturated at '// &
        place()//': relative humidity '//fixed(wet, 3)//', more than 1 + supersaturated = '// &
        fixed(1.0_wp + excess, 3)//'; correct the file, or raise supersaturated in '// &
        '&model_sound (what is too much is then left out)'
      if (text /= '') return
      highest = max(highest, theta)
      if (height(k) >= ground + surface_layer) highest_above = max(highest_above, theta)
    end do
  contains
    pure function place() result(where_)
      character(:), allocatable :: where_
      where_ = 'level '//text_of(k)//' ('//fixed(0.01_wp*pressure(k), 1)//' hPa, '// &
        fixed(height(k), 0)//' m)'
    end function place
    pure function superadiabatic(below, limit, times) result(what)
      real(wp), intent(in) :: below, limit
      character(*), intent(in) :: times
      character(:), allocatable :: what
      what = 'its air is superadiabatic at '//place()//': virtual potential temperature '// &
        fixed(theta, 2)//' K lies '//fixed(below - theta, 2)//' K under '//fixed(below, 2)// &
        ' K lower down, more than '//times//'superadiabatic = '//fixed(limit, 2)// &
        ' K; correct the file, or raise superadiabatic in &model_sound'
    end function superadiabatic
  end function fault_of_column

  !> Collective: refuses an idealised start whose water would condense at once. (Its stratification
  !> is sound, because no key takes an unstable one; bubbles are meant to be unstable.)
  subroutine check_start(g, c, s)
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    type(state_t), intent(in) :: s
    character(max_text) :: message
    real(wp) :: p, t, q, wet
    integer :: i, j, k

    message = ''
    if (s%tracers >= cloud) then
      do j = g%own%j1, g%own%j2
        do i = g%own%i1, g%own%i2
          do k = 1, g%nz
            if (message /= '') cycle
            q = s%tracer(vapour)%q(k, i, j)
            p = s%p_base(k, i, j)*(s%rth(k, i, j)/s%rth_base(k, i, j))**1.4_wp
            t = p*g%jac(i, j)/(r_dry*(s%rho_base(k, i, j) + s%rho(k, i, j))*(1.0_wp + virtual*q &
              - s%tracer(cloud)%q(k, i, j)))
            wet = relative_humidity(p, t, q/(1.0_wp - s%tracer(cloud)%q(k, i, j)))
            if (wet > 1.0_wp + c%supersaturated) message = 'the start is supersaturated in '// &
              'column '//text_of(i)//', '//text_of(j)//', level '//text_of(k)//' ('// &
              fixed(g%height(k, i, j), 0)//' m): relative humidity '//fixed(wet, 3)// &
              ', more than 1 + supersaturated = '//fixed(1.0_wp + c%supersaturated, 3)// &
              '; take less water (tracer_blob), a bubble that is not so cold, or raise '// &
              'supersaturated'
          end do
        end do
      end do
    end if
    call agree(message)
  end subroutine check_start
end module weather_soundness
