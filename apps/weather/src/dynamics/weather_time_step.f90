! SPDX-License-Identifier: BSD-3-Clause
! One long step with the time scheme of the namelist.
module weather_time_step
  use weather_config, only: config_t
  use weather_grid, only: grid_t
  use weather_state, only: state_t
  use weather_dynamics, only: dynamics_t, slow_tendencies, diagnose
  use weather_physics, only: warm_ground
  use weather_runge_kutta, only: runge_kutta_step
  use weather_leapfrog, only: leapfrog_begin, leapfrog_step
  implicit none (type, external)
  private
  public :: ghosts_of, begin_stepping, go_on_stepping, long_step

contains

  !> Ghost columns that the time scheme needs.
  pure integer function ghosts_of(c)
    type(config_t), intent(in) :: c
    ghosts_of = merge(1, 3, c%time_scheme == 'leapfrog')
  end function ghosts_of

  !> Diagnoses the start, ghosts included. Collective.
  subroutine begin_stepping(d, g, s)
    type(dynamics_t), intent(inout) :: d
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    if (d%leapfrog) then
      call leapfrog_begin(d, g, s)
    else
      call diagnose(g, s, departs=.false., ends=.true.)
      call slow_tendencies(d, g, s)      ! for what the first output shows of the ground
    end if
  end subroutine begin_stepping

  !> The same for a state that a history held, which has an older time too. Collective.
  subroutine go_on_stepping(d, g, s)
    type(dynamics_t), intent(inout) :: d
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    d%first = .false.
    call diagnose(g, s, departs=d%leapfrog, ends=.true.)
  end subroutine go_on_stepping

  !> Steps the state by dt. Collective.
  subroutine long_step(d, g, s)
    type(dynamics_t), intent(inout) :: d
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    if (d%leapfrog) then
      call leapfrog_step(d, g, s)
    else
      call runge_kutta_step(d, g, s)
    end if
    call warm_ground(d%physics, g, s, d%dt)
  end subroutine long_step
end module weather_time_step
