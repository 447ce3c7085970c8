! SPDX-License-Identifier: BSD-3-Clause
! All fields of the model on this rank.
!
! Prognostic fields are coupled with density and with the Jacobian of the coordinate (jac rho = d):
!   ru = d u, rv = d v, rw = d w, rho = d - d_base, rth = d theta, rq = d qv
! so that the divergence of ru, rv, om conserves mass to rounding (Klemp, Skamarock, Dudhia 2007).
! theta is the virtual potential temperature: vapour acts on pressure, and on nothing else.
module weather_state
  use weather_constants, only: wp
  use weather_grid, only: grid_t
  use weather_halo, only: halo_field, halo_set, field_ref, set_stage, set_u, set_v, set_pressure, &
    set_density, set_limiter
  implicit none (type, external)
  private
  public :: state_t, make_state

  type :: state_t
    ! exchanged, in shared memory
    real(wp), pointer, contiguous, dimension(:, :, :) :: &
      u => null(), v => null(), w => null(), theta => null(), q => null(), & !! m s-1, K, kg kg-1
      ru => null(), rv => null(), rho => null(), om => null(), &  !! kg m-2 s-1, kg m-3
      pp => null(), &                                  !! pressure minus reference [Pa]
      pd => null(), &                                  !! acoustic pressure with forward weight [Pa]
      du => null(), dv => null(), &                    !! acoustic departures of ru, rv
      out => null()                                    !! outflow factor of the tracer
    ! own
    real(wp), allocatable, dimension(:, :, :) :: &
      rw, rth, rq, &
      ru_old, rv_old, rw_old, om_old, rho_old, rth_old, rq_old, &  !! at the start of the long step
      dw, dom, drho, dth, &                            !! acoustic departures of rw, om, rho, rth
      t_u, t_v, t_w, t_rho, t_th, t_q, &               !! tendencies of a stage
      ru_mean, rv_mean, om_mean, &                     !! mean mass fluxes of the last stage
      stiff, &                                         !! d pressure / d rth
      lower, upper, pivot, &                           !! factors of the acoustic tridiagonal matrix
      rho_base, rth_base, p_base, theta_base, &        !! reference state, function of height only
      ru_side, rv_side, rho_side, rth_side, rq_side    !! what the sides are relaxed to
  end type state_t

contains

  subroutine make_state(s, g)
    type(state_t), intent(inout) :: s
    type(grid_t), intent(in) :: g

    call halo_field(s%u)
    call halo_field(s%v)
    call halo_field(s%w)
    call halo_field(s%theta)
    call halo_field(s%q)
    call halo_field(s%ru)
    call halo_field(s%rv)
    call halo_field(s%rho)
    call halo_field(s%om)
    call halo_field(s%pp)
    call halo_field(s%pd)
    call halo_field(s%du)
    call halo_field(s%dv)
    call halo_field(s%out)
    call make_own(s%rw)
    call make_own(s%rth)
    call make_own(s%rq)
    call make_own(s%ru_old)
    call make_own(s%rv_old)
    call make_own(s%rw_old)
    call make_own(s%om_old)
    call make_own(s%rho_old)
    call make_own(s%rth_old)
    call make_own(s%rq_old)
    call make_own(s%dw)
    call make_own(s%dom)
    call make_own(s%drho)
    call make_own(s%dth)
    call make_own(s%t_u)
    call make_own(s%t_v)
    call make_own(s%t_w)
    call make_own(s%t_rho)
    call make_own(s%t_th)
    call make_own(s%t_q)
    call make_own(s%ru_mean)
    call make_own(s%rv_mean)
    call make_own(s%om_mean)
    call make_own(s%stiff)
    call make_own(s%lower)
    call make_own(s%upper)
    call make_own(s%pivot)
    call make_own(s%rho_base)
    call make_own(s%rth_base)
    call make_own(s%p_base)
    call make_own(s%theta_base)
    call make_own(s%ru_side)
    call make_own(s%rv_side)
    call make_own(s%rho_side)
    call make_own(s%rth_side)
    call make_own(s%rq_side)
    call make_sets(s)
  contains
    subroutine make_own(field)
      real(wp), allocatable, intent(out) :: field(:, :, :)
      associate (b => g%shape)
        allocate (field(b%nz, b%il:b%ih, b%jl:b%jh), source=0.0_wp)
      end associate
    end subroutine make_own
  end subroutine make_state

  !> Which ghosts are filled when: sides are [west, east, south, north].
  subroutine make_sets(s)
    type(state_t), intent(inout) :: s
    integer, parameter :: all3(4) = 3, all1(4) = 1, low(4) = [1, 0, 1, 0]

    call halo_set(set_stage, [field_ref(s%u, all3), field_ref(s%v, all3), field_ref(s%w, all3), &
      field_ref(s%theta, all3), field_ref(s%q, all3), field_ref(s%ru, all1), field_ref(s%rv, &
      all1), field_ref(s%om, low), field_ref(s%pp, low), field_ref(s%pd, low)])
    call halo_set(set_u, [field_ref(s%du, [0, 1, 0, 0])])
    call halo_set(set_v, [field_ref(s%dv, [0, 0, 0, 1])])
    call halo_set(set_pressure, [field_ref(s%pd, low)])
    call halo_set(set_density, [field_ref(s%rho, low)])
    call halo_set(set_limiter, [field_ref(s%out, all1)])
  end subroutine make_sets
end module weather_state
