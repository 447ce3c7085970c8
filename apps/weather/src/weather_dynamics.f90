! SPDX-License-Identifier: BSD-3-Clause
! One long step: three Runge-Kutta stages (dt/3, dt/2, dt), each with its acoustic steps and
! exchanges.
!
! Source of the time scheme: Wicker and Skamarock (2002). Exchanges follow the pattern of BRAMS: one
! direction for each mass flux, the other for pressure, and all fields at once after a stage.
module weather_dynamics
  use weather_constants, only: wp
  use weather_config, only: config_t
  use weather_errors, only: stop_all, text_of, fixed
  use weather_grid, only: grid_t, box_t
  use weather_state, only: state_t
  use weather_halo, only: halo_start, halo_finish, halo_fill, set_stage, set_u, set_v, &
    set_pressure, set_density, set_limiter
  use weather_advection, only: advect_scalar, advect_u, advect_v, advect_w, mass_tendency
  use weather_acoustic, only: acoustic_u, acoustic_v, acoustic_factor, acoustic_column, add_flux
  use weather_forces, only: force_u, force_v, force_w, diagnose_cells, diagnose_u, diagnose_v
  use weather_diffusion, only: diffuse_levels, diffuse_faces
  use weather_tracer, only: tracer_predict, tracer_fluxes, tracer_outflow, tracer_move
  use weather_boundary, only: relax, side_rates, sponge_rates
  implicit none (type, external)
  private
  public :: dynamics_t, prepare_dynamics, long_step, diagnose

  type :: dynamics_t
    real(wp) :: dt = 0.0_wp, beta = 0.0_wp, forward = 0.0_wp, diffusion = 0.0_wp
    real(wp) :: rdx = 0.0_wp, rdy = 0.0_wp
    integer :: substeps = 0
    logical :: tracer = .false., sides = .false.
    real(wp), allocatable :: sponge(:), side_rate(:, :)
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
    d%tracer = c%tracer
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
    real(wp) :: rate
    integer :: wanted

    rate = sound/g%dx
    if (.not. g%shape%two_d) rate = sound*sqrt(1.0_wp/g%dx**2 + 1.0_wp/g%dy**2)
    if (rate*c%dtlong/real(c%nacoust, wp) <= 1.0_wp) return
    wanted = ceiling(rate*c%dtlong)
    wanted = wanted + mod(wanted, 2)
    call stop_all('sound crosses '//fixed(rate*c%dtlong/real(c%nacoust, wp), 2)// &
      ' columns in one acoustic '// &
      'step of dtlong/nacoust = '//text_of(c%dtlong/real(c%nacoust, wp))//' s: take nacoust = '// &
      text_of(wanted)//' or dtlong up to '//text_of(real(c%nacoust, wp)/rate)//' s')
  end subroutine check_sound

  subroutine long_step(d, g, s)
    type(dynamics_t), intent(in) :: d
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    integer :: stage, n
    real(wp) :: dts

    call keep_old(g, s)
    do stage = 1, 3
      dts = d%dt/real(4 - stage, wp)
      n = merge(1, d%substeps/(4 - stage), stage == 1)
      call tendencies(d, g, s)
      call start_departures(g, s)
      call acoustic_loop(d, g, s, dts/real(n, wp), n, stage)
      call apply_departures(g, s)
      if (d%tracer) call step_tracer(d, g, s, dts, stage)
      call diagnose(g, s, stage == 3, d%tracer)
    end do
  end subroutine long_step

  subroutine keep_old(g, s)
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    integer :: i, j
    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        s%ru_old(:, i, j) = s%ru(:, i, j)
        s%rv_old(:, i, j) = s%rv(:, i, j)
        s%rw_old(:, i, j) = s%rw(:, i, j)
        s%om_old(:, i, j) = s%om(:, i, j)
        s%rho_old(:, i, j) = s%rho(:, i, j)
        s%rth_old(:, i, j) = s%rth(:, i, j)
        s%rq_old(:, i, j) = s%rq(:, i, j)
      end do
    end do
  end subroutine keep_old

  !> All slow tendencies of a stage, from the latest state.
  subroutine tendencies(d, g, s)
    type(dynamics_t), intent(in) :: d
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s

    associate (b => g%shape, r => g%own, rx => d%rdx, ry => d%rdy)
      call mass_tendency(b, r, rx, ry, g%rdz, s%ru, s%rv, s%om, s%t_rho)
      call advect_scalar(b, r, rx, ry, g%rdz, s%theta, s%ru, s%rv, s%om, s%t_th)
      if (d%tracer) call advect_scalar(b, r, rx, ry, g%rdz, s%q, s%ru, s%rv, s%om, s%t_q)
      call advect_w(b, r, rx, ry, g%rdzf, g%fzm, g%fzp, s%w, s%ru, s%rv, s%om, s%t_w)
      call force_w(b, r, g%rdzf, g%fzm, g%fzp, d%sponge, s%pp, s%rho, s%rw, s%t_w)
      call advect_u(b, g%own_u, rx, ry, g%rdz, s%u, s%ru, s%rv, s%om, s%t_u)
      call force_u(b, g%own_u, rx, g%flat, g%fall_c, g%slope, g%jac_u, g%sx, g%coriolis, s%pp, &
        s%rv, s%t_u)
      if (.not. b%two_d) then
        call advect_v(b, g%own_v, rx, ry, g%rdz, s%v, s%ru, s%rv, s%om, s%t_v)
        call force_v(b, g%own_v, ry, g%flat, g%fall_c, g%slope, g%jac_v, g%sy, g%coriolis, s%pp, &
          s%ru, s%t_v)
      end if
    end associate
    if (d%diffusion > 0.0_wp) call diffuse_all(d, g, s)
    if (d%sides) call relax_all(d, g, s)
  end subroutine tendencies

  subroutine diffuse_all(d, g, s)
    type(dynamics_t), intent(in) :: d
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s

    s%ru_mean = s%theta - s%theta_base     ! scratch until the last stage collects fluxes in it
    associate (b => g%shape, k => d%diffusion, rx => d%rdx, ry => d%rdy)
      call diffuse_levels(b, g%own, k, rx, ry, g%rdz, g%rdzf, g%jac, 0, 0, s%rho_base, s%rho, &
        s%ru_mean, s%t_th)
      call diffuse_levels(b, g%own_u, k, rx, ry, g%rdz, g%rdzf, g%jac_u, 1, 0, s%rho_base, s%rho, &
        s%u, s%t_u)
      call diffuse_levels(b, g%own_v, k, rx, ry, g%rdz, g%rdzf, g%jac_v, 0, 1, s%rho_base, s%rho, &
        s%v, s%t_v)
      call diffuse_faces(b, g%own, k, rx, ry, g%rdz, g%rdzf, g%fzm, g%fzp, g%jac, s%rho_base, &
        s%rho, s%w, s%t_w)
    end associate
  end subroutine diffuse_all

  subroutine relax_all(d, g, s)
    type(dynamics_t), intent(in) :: d
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    associate (b => g%shape)
      call relax(b, g%own, d%side_rate, s%rho, s%rho_side, s%t_rho)
      call relax(b, g%own, d%side_rate, s%rth, s%rth_side, s%t_th)
      call relax(b, g%own_u, d%side_rate, s%ru, s%ru_side, s%t_u)
      call relax(b, g%own_v, d%side_rate, s%rv, s%rv_side, s%t_v)
    end associate
  end subroutine relax_all

  !> Departures of the state at the start of the step from the latest one.
  subroutine start_departures(g, s)
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    integer :: i, j
    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        s%dw(:, i, j) = s%rw_old(:, i, j) - s%rw(:, i, j)
        s%dom(:, i, j) = s%om_old(:, i, j) - s%om(:, i, j)
        s%drho(:, i, j) = s%rho_old(:, i, j) - s%rho(:, i, j)
        s%dth(:, i, j) = s%rth_old(:, i, j) - s%rth(:, i, j)
      end do
    end do
    do j = g%own_u%j1, g%own_u%j2
      do i = g%own_u%i1, g%own_u%i2
        s%du(:, i, j) = s%ru_old(:, i, j) - s%ru(:, i, j)
      end do
    end do
    do j = g%own_v%j1, g%own_v%j2
      do i = g%own_v%i1, g%own_v%i2
        s%dv(:, i, j) = s%rv_old(:, i, j) - s%rv(:, i, j)
      end do
    end do
  end subroutine start_departures

  !> n acoustic steps. Ghosts of pd are known when it begins. While pressure travels, the faces that
  !> need none of it are computed; while u and v travel, the columns that need none of them.
  subroutine acoustic_loop(d, g, s, dtau, n, stage)
    type(dynamics_t), intent(in) :: d
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    real(wp), intent(in) :: dtau
    integer, intent(in) :: n, stage
    type(box_t) :: inner, east, north, first, rest
    real(wp) :: mean
    integer :: m

    mean = merge(1.0_wp/real(n, wp), 0.0_wp, stage == 3 .and. d%tracer)
    if (mean > 0.0_wp) call start_means(g, s)
    call acoustic_factor(g%shape, g%own, dtau, d%beta, g%rdz, g%rdzf, g%fzm, g%fzp, d%sponge, &
      g%jac, s%theta, s%stiff, s%lower, s%upper, s%pivot)
    associate (o => g%own)
      inner = box_t(o%i1, o%i2 - 1, o%j1, o%j2 - 1)
      if (g%shape%two_d) inner%j2 = o%j2
      east = box_t(o%i2, o%i2, o%j1, inner%j2)
      north = box_t(o%i1, o%i2, inner%j2 + 1, o%j2)
    end associate
    first = g%own_u
    first%i2 = min(first%i1, first%i2)
    rest = g%own_u
    rest%i1 = first%i2 + 1
    do m = 1, n
      call push_u(rest)
      if (m > 1) call halo_finish(set_pressure)
      call push_u(first)
      call halo_start(set_u)
      if (.not. g%shape%two_d) then
        call acoustic_v(g%shape, g%own_v, dtau, d%rdy, g%flat, g%fall_c, g%slope, g%jac_v, g%sy, &
          s%pd, s%t_v, s%dv)
        call halo_start(set_v)
      end if
      call columns(inner)
      call halo_finish(set_u)
      if (.not. g%shape%two_d) call halo_finish(set_v)
      call columns(east)
      call columns(north)
      if (m < n) call halo_start(set_pressure)
      if (mean > 0.0_wp) call collect_means()
    end do
  contains
    subroutine push_u(r)
      type(box_t), intent(in) :: r
      call acoustic_u(g%shape, r, dtau, d%rdx, g%flat, g%fall_c, g%slope, g%jac_u, g%sx, s%pd, &
        s%t_u, s%du)
    end subroutine push_u
    subroutine columns(r)
      type(box_t), intent(in) :: r
      call acoustic_column(g%shape, r, dtau, d%beta, d%forward, g%flat, mean, d%rdx, d%rdy, g%rdz, &
        g%rdzf, g%fzm, g%fzp, g%fall_f, d%sponge, g%jac, g%sx, g%sy, s%theta, s%stiff, s%lower, &
        s%upper, s%pivot, s%du, s%dv, s%t_w, s%t_rho, s%t_th, s%dw, s%dom, s%drho, s%dth, s%pd, &
        s%om_mean)
    end subroutine columns
    subroutine collect_means()
      type(box_t) :: wide
      wide = g%own
      wide%i2 = wide%i2 + 1
      call add_flux(g%shape, wide, mean, s%du, s%ru_mean)
      if (g%shape%two_d) return
      wide = g%own
      wide%j2 = wide%j2 + 1
      call add_flux(g%shape, wide, mean, s%dv, s%rv_mean)
    end subroutine collect_means
  end subroutine acoustic_loop

  !> The mean fluxes begin as those of the state that the departures are counted from.
  subroutine start_means(g, s)
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    integer :: i, j
    do j = g%own%j1, g%own%j2 + merge(0, 1, g%shape%two_d)
      do i = g%own%i1, g%own%i2 + 1
        s%ru_mean(:, i, j) = s%ru(:, i, j)
        s%rv_mean(:, i, j) = s%rv(:, i, j)
        s%om_mean(:, i, j) = s%om(:, i, j)
      end do
    end do
  end subroutine start_means

  subroutine apply_departures(g, s)
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    integer :: i, j
    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        s%ru(:, i, j) = s%ru(:, i, j) + s%du(:, i, j)
        s%rv(:, i, j) = s%rv(:, i, j) + s%dv(:, i, j)
        s%rw(:, i, j) = s%rw(:, i, j) + s%dw(:, i, j)
        s%om(:, i, j) = s%om(:, i, j) + s%dom(:, i, j)
        s%rho(:, i, j) = s%rho(:, i, j) + s%drho(:, i, j)
        s%rth(:, i, j) = s%rth(:, i, j) + s%dth(:, i, j)
      end do
    end do
  end subroutine apply_departures

  subroutine step_tracer(d, g, s, dts, stage)
    type(dynamics_t), intent(in) :: d
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    real(wp), intent(in) :: dts
    integer, intent(in) :: stage

    associate (b => g%shape, r => g%own)
      if (stage < 3) then
        call tracer_predict(b, r, dts, s%rho_base, s%rho_old, s%rq_old, s%t_q, s%t_rho, s%q)
        return
      end if
      ! the velocity tendencies are used up: their arrays hold the tracer's fluxes
      call tracer_fluxes(b, r, s%q, s%ru_mean, s%rv_mean, s%om_mean, s%t_u, s%t_v, s%t_w)
      call tracer_outflow(b, r, dts, d%rdx, d%rdy, g%rdz, s%rq_old, s%t_u, s%t_v, s%t_w, s%out)
      call halo_fill(set_limiter)
      call tracer_move(b, r, dts, d%rdx, d%rdy, g%rdz, s%rq_old, s%t_u, s%t_v, s%t_w, s%out, s%rq)
      if (d%sides) call relax_tracer(d, g, s)
    end associate
  end subroutine step_tracer

  !> Implicit, so that it keeps the sign.
  subroutine relax_tracer(d, g, s)
    type(dynamics_t), intent(in) :: d
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    real(wp) :: a
    integer :: i, j
    do j = g%own%j1, g%own%j2
      do i = g%own%i1, g%own%i2
        a = d%dt*d%side_rate(i, j)
        if (a > 0.0_wp) s%rq(:, i, j) = (s%rq(:, i, j) + a*s%rq_side(:, i, j))/(1.0_wp + a)
      end do
    end do
  end subroutine relax_tracer

  !> Everything that follows from the prognostic fields, and all ghosts. `last`: the state is that
  !> at the end of a long step, from which the next one starts.
  subroutine diagnose(g, s, last, tracer)
    type(grid_t), intent(in) :: g
    type(state_t), intent(inout) :: s
    logical, intent(in) :: last, tracer
    integer :: i, j

    call halo_start(set_density)
    associate (b => g%shape, r => g%own)
      call diagnose_cells(b, r, g%fzm, g%fzp, s%rho_base, s%rth_base, s%p_base, s%rho, s%rth, &
        s%rw, s%theta, s%pp, s%stiff, s%w)
      do j = r%j1, r%j2
        do i = r%i1, r%i2
          if (last) then
            s%pd(:, i, j) = 0.0_wp
            if (tracer) s%q(:, i, j) = s%rq(:, i, j)/(s%rho_base(:, i, j) + s%rho(:, i, j))
          else
            s%pd(:, i, j) = s%stiff(:, i, j)*(s%rth_old(:, i, j) - s%rth(:, i, j))
          end if
        end do
      end do
      call halo_finish(set_density)
      call diagnose_u(b, g%own_u, s%rho_base, s%rho, s%ru, s%u)
      call diagnose_v(b, g%own_v, s%rho_base, s%rho, s%rv, s%v)
    end associate
    call halo_fill(set_stage)
  end subroutine diagnose
end module weather_dynamics
