! SPDX-License-Identifier: BSD-3-Clause
! What all time schemes share: the slow tendencies of a state, and what is diagnosed from it.
module weather_dynamics
  use weather_constants, only: wp
  use weather_clock, only: clock_start, clock_stop, in_mixing
  use weather_config, only: config_t
  use weather_errors, only: stop_all, text_of, fixed
  use weather_grid, only: grid_t, shape_t
  use weather_state, only: state_t
  use weather_halo, only: halo_start, halo_finish, halo_fill, set_stage, set_density
  use weather_advection, only: advect_levels, advect_base, advect_w, mass_tendency
  use weather_acoustic, only: add_flux
  use weather_forces, only: force_u, force_v, force_w, diagnose_cells, diagnose_wind
  use weather_diffusion, only: diffuse_levels, diffuse_faces
  use weather_sixth_order, only: density_at, sixth_order
  use weather_boundary, only: relax, side_rates, sponge_rates
  use weather_physics, only: physics_t, prepare_physics, physics_tendencies
  implicit none (type, external)
  private
  public :: dynamics_t, prepare_dynamics, tendencies, slow_tendencies, diagnose

  type :: dynamics_t
    real(wp) :: dt = 0.0_wp, beta = 0.0_wp, forward = 0.0_wp, diffusion = 0.0_wp
    real(wp) :: rdx = 0.0_wp, rdy = 0.0_wp
    real(wp) :: sixth = 0.0_wp                    !! factor of the sixth-order filter
    integer :: substeps = 0
    real(wp) :: filter = 0.0_wp, alpha = 1.0_wp   !! of the leapfrog scheme
    logical :: sides = .false.
    logical :: leapfrog = .false., first = .true. !! first: no older time is known yet
    logical :: slow = .false.                     !! there are tendencies that all stages share
    real(wp), allocatable :: sponge(:), side_rate(:, :)
    type(physics_t) :: physics
  end type dynamics_t

contains

  subroutine prepare_dynamics(d, g, c)
    type(dynamics_t), intent(out) :: d
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    call check_sound(g, c)
    d%dt = c%dtlong
    d%beta = c%offcentre
    d%forward = c%divergence_damping
    d%diffusion = c%diffusion
    d%substeps = c%nacoust
    d%filter = c%raw_filter
    d%alpha = c%raw_alpha
    d%leapfrog = c%time_scheme == 'leapfrog'
    call prepare_physics(d%physics, g, c)
    d%sixth = c%diff_6th_factor
    d%slow = d%physics%on .or. d%sixth > 0.0_wp .or. d%leapfrog .and. d%diffusion > 0.0_wp
    d%rdx = 1.0_wp/g%dx
    d%rdy = 1.0_wp/g%dy
    d%sides = .not. (g%periodic_x .and. g%periodic_y)
    call sponge_rates(g, c, d%sponge)
    call side_rates(g, c, d%side_rate)
  end subroutine prepare_dynamics

  !> Refuses acoustic steps that sound outruns: the forward-backward step is stable up to 1.
  subroutine check_sound(g, c)
    type(grid_t), intent(in) :: g
    type(config_t), intent(in) :: c
    real(wp), parameter :: sound = 350.0_wp
    real(wp) :: rate, span
    integer :: wanted

    span = c%dtlong
    if (c%time_scheme == 'leapfrog') span = 2.0_wp*c%dtlong
    rate = sound/g%dx
    if (.not. g%shape%two_d) rate = sound*sqrt(1.0_wp/g%dx**2 + 1.0_wp/g%dy**2)
    if (rate*span/real(c%nacoust, wp) <= 1.0_wp) return
    wanted = ceiling(rate*span)
    wanted = wanted + mod(wanted, 2)
    call stop_all('sound crosses '//fixed(rate*span/real(c%nacoust, wp), 2)// &
      ' columns in one acoustic step of '//trim(merge('2 dtlong', 'dtlong  ', &
      c%time_scheme == 'leapfrog'))//'/nacoust = '//text_of(span/real(c%nacoust, wp))// &
      ' s: take nacoust = '//text_of(wanted)//' or dtlong up to '// &
      text_of(real(c%nacoust, wp)/rate*c%dtlong/span)//' s')
  end subroutine check_sound

  !> Tendencies of a stage or leapfrog step: those of the latest state and the slow ones.
  subroutine tendencies(d, g, s)
    type(dynamics_t), intent(in) :: d
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    integer :: n

    associate (b => g%shape, r => g%own, rx => d%rdx, ry => d%rdy)
      call mass_tendency(b, r, rx, ry, g%rdz, s%ru, s%rv, s%om, s%t_rho)
      if (g%flat) then
        call advect_levels(b, r, 0, 0, rx, ry, g%rdz, s%theta, s%ru, s%rv, s%om, s%t_th)
      else
        s%ru_mean = s%theta - s%theta_base   ! scratch until the last acoustic steps collect in it
        call advect_levels(b, r, 0, 0, rx, ry, g%rdz, s%ru_mean, s%ru, s%rv, s%om, s%t_th)
        call advect_base(b, r, rx, ry, g%rdz, g%fzm, g%fzp, s%theta_base, s%ru, s%rv, s%om, s%t_th)
      end if
      if (.not. d%leapfrog) then       ! its tracers need no predictor
        do n = 1, s%tracers
          call advect_levels(b, r, 0, 0, rx, ry, g%rdz, s%tracer(n)%q, s%ru, s%rv, &
            s%om, s%tracer(n)%tend)
        end do
      end if
      call advect_w(b, r, rx, ry, g%rdzf, g%fzm, g%fzp, s%w, s%ru, s%rv, s%om, s%t_w)
      call force_w(b, r, g%rdzf, g%fzm, g%fzp, d%sponge, s%pp, s%rho, s%rw, s%t_w)
      call advect_levels(b, g%own_u, 1, 0, rx, ry, g%rdz, s%u, s%ru, s%rv, s%om, s%t_u)
      call force_u(b, g%own_u, rx, g%flat, g%fall_c, g%slope, g%jac_u, g%sx, g%coriolis, s%pp, &
        s%rv, s%t_u)
      if (.not. b%two_d) then
        call advect_levels(b, g%own_v, 0, 1, rx, ry, g%rdz, s%v, s%ru, s%rv, s%om, s%t_v)
        call force_v(b, g%own_v, ry, g%flat, g%fall_c, g%slope, g%jac_v, g%sy, g%coriolis, s%pp, &
          s%ru, s%t_v)
      end if
    end associate
    if (d%diffusion > 0.0_wp .and. .not. d%leapfrog) &
      call diffuse_all(d, g, g%shape, s, s%t_u, s%t_v, s%t_w, s%t_th)
    if (d%sides) call relax_all(d, g, s)
    if (d%slow) call add_slow(g, s)
  end subroutine tendencies

  !> Tendencies that are computed once per long step, from the latest state: f_u, f_v, f_w, f_th and
  !> those of the tracers. A leapfrog step uses them one step late, because diffusion is unstable
  !> at the middle time.
  subroutine slow_tendencies(d, g, s)
    type(dynamics_t), intent(in) :: d
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    integer :: n

    if (.not. d%slow) return
    s%f_u = 0.0_wp
    s%f_v = 0.0_wp
    s%f_w = 0.0_wp
    s%f_th = 0.0_wp
    do n = 1, s%tracers
      s%tracer(n)%f = 0.0_wp
    end do
    if (d%diffusion > 0.0_wp .and. d%leapfrog) &
      call diffuse_all(d, g, g%shape, s, s%f_u, s%f_v, s%f_w, s%f_th)
    call clock_start(in_mixing)
    if (d%sixth > 0.0_wp) call filter_all(d, g, s)
    call physics_tendencies(d%physics, g, s)
    call clock_stop(in_mixing)
  end subroutine slow_tendencies

  subroutine add_slow(g, s)
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    call add_flux(g%shape, g%own_u, 1.0_wp, s%f_u, s%t_u)
    call add_flux(g%shape, g%own_v, 1.0_wp, s%f_v, s%t_v)
    call add_flux(g%shape, g%own, 1.0_wp, s%f_w, s%t_w)
    call add_flux(g%shape, g%own, 1.0_wp, s%f_th, s%t_th)
  end subroutine add_slow

  !> Diffusion with a constant coefficient, added to tend_u, tend_v, tend_w and tend_th.
  subroutine diffuse_all(d, g, b, s, tend_u, tend_v, tend_w, tend_th)
    type(dynamics_t), intent(in) :: d
    type(grid_t), intent(in) :: g
    type(shape_t), intent(in) :: b
    type(state_t), intent(inout) :: s
    real(wp), dimension(b%nz, b%il:b%ih, b%jl:b%jh), intent(inout) :: tend_u, tend_v, tend_w, &
      tend_th

    s%ru_mean = s%theta - s%theta_base     ! scratch until the last acoustic steps collect in it
    associate (k => d%diffusion, rx => d%rdx, ry => d%rdy)
      call diffuse_levels(b, g%own, k, rx, ry, g%rdz, g%rdzf, g%jac, 0, 0, s%rho_base, s%rho, &
        s%ru_mean, tend_th)
      call diffuse_levels(b, g%own_u, k, rx, ry, g%rdz, g%rdzf, g%jac_u, 1, 0, s%rho_base, s%rho, &
        s%u, tend_u)
      call diffuse_levels(b, g%own_v, k, rx, ry, g%rdz, g%rdzf, g%jac_v, 0, 1, s%rho_base, s%rho, &
        s%v, tend_v)
      call diffuse_faces(b, g%own, k, rx, ry, g%rdz, g%rdzf, g%fzm, g%fzp, g%jac, s%rho_base, &
        s%rho, s%w, tend_w)
    end associate
  end subroutine diffuse_all

  !> The sixth-order filter of all fields, of theta's departure from the reference.
  subroutine filter_all(d, g, s)
    type(dynamics_t), intent(in) :: d
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    integer :: n

    ! both are scratch until the last acoustic steps collect in them
    associate (b => g%shape, density => s%rv_mean, departure => s%ru_mean)
      departure = s%theta - s%theta_base
      call density_at(b, g%own, 0, 0, s%rho_base, s%rho, density)
      call sixth_order(b, g%own, d%sixth, d%dt, density, departure, s%f_th)
      do n = 1, s%tracers
        call sixth_order(b, g%own, d%sixth, d%dt, density, s%tracer(n)%q, s%tracer(n)%f)
      end do
      call density_at(b, g%own, 0, 0, s%rho_base, s%rho, density, g%fzm, g%fzp)
      call sixth_order(b, g%own, d%sixth, d%dt, density, s%w, s%f_w)
      call density_at(b, g%own_u, 1, 0, s%rho_base, s%rho, density)
      call sixth_order(b, g%own_u, d%sixth, d%dt, density, s%u, s%f_u)
      if (b%two_d) return
      call density_at(b, g%own_v, 0, 1, s%rho_base, s%rho, density)
      call sixth_order(b, g%own_v, d%sixth, d%dt, density, s%v, s%f_v)
    end associate
  end subroutine filter_all

  !> Relaxation of the sides; like all damping, from the older time in a leapfrog step.
  subroutine relax_all(d, g, s)
    type(dynamics_t), intent(in) :: d
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    associate (b => g%shape)
      if (d%leapfrog) then
        call relax(b, g%own, d%side_rate, s%rho_old, s%rho_side, s%t_rho)
        call relax(b, g%own, d%side_rate, s%rth_old, s%rth_side, s%t_th)
        call relax(b, g%own_u, d%side_rate, s%ru_old, s%ru_side, s%t_u)
        call relax(b, g%own_v, d%side_rate, s%rv_old, s%rv_side, s%t_v)
      else
        call relax(b, g%own, d%side_rate, s%rho, s%rho_side, s%t_rho)
        call relax(b, g%own, d%side_rate, s%rth, s%rth_side, s%t_th)
        call relax(b, g%own_u, d%side_rate, s%ru, s%ru_side, s%t_u)
        call relax(b, g%own_v, d%side_rate, s%rv, s%rv_side, s%t_v)
      end if
    end associate
  end subroutine relax_all

  !> Everything that follows from the prognostic fields, and all ghosts. `departs`: the next
  !> acoustic steps begin from the older time; `ends`: a long step ends here.
  subroutine diagnose(g, s, departs, ends)
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    logical, intent(in) :: departs, ends
    integer :: i, j, n

    call halo_start(set_density)
    associate (b => g%shape, r => g%own)
      call diagnose_cells(b, r, g%fzm, g%fzp, s%rho_base, s%rth_base, s%p_base, s%rho, s%rth, &
        s%rw, s%theta, s%pp, s%stiff, s%w)
      do j = r%j1, r%j2
        do i = r%i1, r%i2
          if (departs) then
            s%pd(:, i, j) = s%stiff(:, i, j)*(s%rth_old(:, i, j) - s%rth(:, i, j))
          else
            s%pd(:, i, j) = 0.0_wp
          end if
          if (.not. ends) cycle
          do n = 1, s%tracers
            s%tracer(n)%q(:, i, j) = s%tracer(n)%r(:, i, j)/(s%rho_base(:, i, j) + s%rho(:, i, j))
          end do
        end do
      end do
      call halo_finish(set_density)
      call diagnose_wind(b, g%own_u, 1, 0, s%rho_base, s%rho, s%ru, s%u)
      call diagnose_wind(b, g%own_v, 0, 1, s%rho_base, s%rho, s%rv, s%v)
    end associate
    call halo_fill(set_stage)
  end subroutine diagnose
end module weather_dynamics
