! SPDX-License-Identifier: BSD-3-Clause
! The namelist of the model: every key with its meaning, default and allowed values.
module weather_config
  use weather_constants, only: wp
  use weather_errors, only: text_of
  use weather_keys, only: registry_t, read_keys, assign_key, print_template, line_of, name_length
  implicit none (type, external)
  private
  public :: config_t, parse_config, print_keys, name_length

  !> Values of all keys; what they mean is in `register_keys`.
  type :: config_t
    character(name_length) :: expnme, timeunit
    real(wp) :: timmax, dtlong, deltax, deltay, deltaz, dzrat, dzmax
    integer :: nnxp, nnyp, nnzp, nacoust
    character(name_length) :: case, terrain, analysis_file, side_files
    real(wp) :: ts, brunt, brunt_start, us, vs, terrain_height, terrain_width, tracer_blob
    character(name_length) :: hodograph
    real(wp) :: frame_u, frame_v, bubble_theta, superadiabatic, supersaturated
    character(name_length) :: boundary_x, boundary_y
    integer :: davies_width, order_v
    real(wp) :: davies_time, sponge_depth, sponge_rate
    logical :: coriolis
    character(name_length) :: time_scheme, moisture, turbulence, surface, radiation
    real(wp) :: csx, csz, akmin, prandtl, roughness, ground_temperature, ground_wetness
    real(wp) :: albedo, thermal_inertia, deep_warmer, radiation_interval, co2
    logical :: isotropic
    real(wp) :: raw_filter, raw_alpha
    real(wp) :: coriolis_parameter, diffusion, diff_6th_factor, offcentre, divergence_damping, &
      cfl_limit
    character(name_length) :: output_file, fields, pressure_levels, institution, output_policy
    character(name_length) :: runtype, history_file, stations
    real(wp) :: centlat, centlon
    real(wp) :: frqanl, frqhis, frqsta, log_seconds
    integer :: poison_step, poison_k, poison_i, poison_j
    integer :: output_writers, log_steps
    character(name_length) :: method, report
    integer :: px, py, compare_block, compare_skip
  end type config_t

contains

  subroutine register_keys(r, c)
    type(registry_t), intent(inout) :: r
    type(config_t), target, intent(inout) :: c

    r%group = 'model_grids'
    call r%words('expnme', c%expnme, 'experiment', 'name of the run, written to the output')
    call r%words('timeunit', c%timeunit, 's', 'unit of timmax, frqanl, frqhis, frqsta', 's m h')
    call r%words('runtype', c%runtype, 'initial', &
      'initial: from the start; history: go on from history_file, up to timmax', 'initial history')
    call r%number('timmax', c%timmax, 900.0_wp, 0.0_wp, 1.0e9_wp, 'length of the run [timeunit]')
    call r%number('dtlong', c%dtlong, 1.0_wp, 1.0e-6_wp, 3600.0_wp, 'long time step [s]')
    call r%whole('nacoust', c%nacoust, 6, 2, 100, &
      'acoustic steps per dtlong (rk3: even), or per 2 dtlong (leapfrog)')
    call r%whole('nnxp', c%nnxp, 0, 0, 100000, 'columns west to east; 0: from the analysis file')
    call r%whole('nnyp', c%nnyp, 0, 0, 100000, &
      'columns south to north; 1: two-dimensional; 0: from the analysis file')
    call r%whole('nnzp', c%nnzp, 40, 6, 1000, 'levels')
    call r%number('deltax', c%deltax, 0.0_wp, 0.0_wp, 1.0e6_wp, &
      'column spacing [m]; 0: from the analysis file')
    call r%number('deltay', c%deltay, 0.0_wp, 0.0_wp, 1.0e6_wp, 'same in y; 0: as deltax')
    call r%number('deltaz', c%deltaz, 100.0_wp, 0.1_wp, 1.0e4_wp, &
      'thickness of the lowest level [m]')
    call r%number('dzrat', c%dzrat, 1.0_wp, 1.0_wp, 2.0_wp, 'ratio of neighbouring thicknesses')
    call r%number('dzmax', c%dzmax, 1.0e4_wp, 0.1_wp, 1.0e4_wp, 'largest thickness [m]')

    call r%number('centlat', c%centlat, 0.0_wp, -89.0_wp, 89.0_wp, &
      'latitude of the middle of idealised domains, for the output only [degrees north]')
    call r%number('centlon', c%centlon, 0.0_wp, -180.0_wp, 180.0_wp, 'its longitude [degrees east]')

    r%group = 'model_sound'
    call r%words('case', c%case, 'rest', 'what the run starts from', &
      'rest straka bubble moist_bubble gravity_wave supercell analysis')
    call r%words('analysis_file', c%analysis_file, '', 'NetCDF analysis on the model columns')
    call r%words('side_files', c%side_files, '', &
      'files of later times for the sides, separated by blanks; empty: sides do not change')
    call r%number('ts', c%ts, 300.0_wp, 150.0_wp, 400.0_wp, &
      'potential temperature of the reference at sea level [K]')
    call r%number('brunt', c%brunt, 0.0_wp, 0.0_wp, 0.05_wp, 'Brunt-Vaisala frequency of it [s-1]')
    call r%number('brunt_start', c%brunt_start, -1.0_wp, -1.0_wp, 0.05_wp, &
      'Brunt-Vaisala frequency of the start where it differs from the reference; -1: it does not')
    call r%number('us', c%us, 0.0_wp, -150.0_wp, 150.0_wp, &
      'eastward wind of the start [m s-1]; supercell: that high above the shear')
    call r%number('vs', c%vs, 0.0_wp, -150.0_wp, 150.0_wp, 'northward wind of the start [m s-1]')
    call r%number('superadiabatic', c%superadiabatic, 2.0_wp, 0.0_wp, 100.0_wp, &
      'most by which theta_v of an analysis may fall with height [K]; 5 times that below 500 m')
    call r%number('supersaturated', c%supersaturated, 0.02_wp, 0.0_wp, 1.0_wp, &
      'most by which the relative humidity of a start may exceed 1')
    call r%words('hodograph', c%hodograph, 'straight', &
      'shear of the supercell: us tanh(z/3 km), or a quarter circle of 7 m/s up to 2 km', &
      'straight quarter')
    call r%number('frame_u', c%frame_u, 0.0_wp, -100.0_wp, 100.0_wp, &
      'eastward speed of the frame that moves with the supercell [m s-1]')
    call r%number('frame_v', c%frame_v, 0.0_wp, -100.0_wp, 100.0_wp, 'same northward [m s-1]')
    call r%number('bubble_theta', c%bubble_theta, 2.0_wp, -20.0_wp, 20.0_wp, &
      'warmth of the bubble that starts the supercell or a bubble case [K]')
    call r%words('terrain', c%terrain, 'flat', 'idealised terrain', 'flat bell schaer')
    call r%number('terrain_height', c%terrain_height, 0.0_wp, 0.0_wp, 8000.0_wp, 'its top [m]')
    call r%number('terrain_width', c%terrain_width, 1.0e4_wp, 1.0_wp, 1.0e6_wp, 'half width [m]')
    call r%number('tracer_blob', c%tracer_blob, 0.0_wp, 0.0_wp, 0.05_wp, &
      'specific humidity of a block put into idealised starts [kg kg-1]')

    r%group = 'model_options'
    call r%words('time_scheme', c%time_scheme, 'rk3', &
      'rk3: Runge-Kutta, fifth-order advection, 3 ghosts; leapfrog: second order, 1 ghost', &
      'rk3 leapfrog')
    call r%whole('order_v', c%order_v, 3, 3, 5, &
      'order of the vertical advection of rk3 (odd)')
    call r%number('raw_filter', c%raw_filter, 0.1_wp, 0.0_wp, 1.0_wp, &
      'strength of the time filter of the leapfrog scheme')
    call r%number('raw_alpha', c%raw_alpha, 0.53_wp, 0.5_wp, 1.0_wp, &
      'Williams''s share of the filter for the older time; 1: Robert and Asselin''s filter')
    call r%words('boundary_x', c%boundary_x, 'periodic', 'west and east sides', 'periodic davies')
    call r%words('boundary_y', c%boundary_y, 'periodic', 'south and north sides', 'periodic davies')
    call r%whole('davies_width', c%davies_width, 10, 1, 100, 'columns of relaxation at each side')
    call r%number('davies_time', c%davies_time, 0.0_wp, 0.0_wp, 1.0e6_wp, &
      'relaxation time of the outermost column [s]; 0: a wave of 300 m/s crosses the column in it')
    call r%number('sponge_depth', c%sponge_depth, 0.0_wp, 0.0_wp, 5.0e4_wp, &
      'depth of the layer below the top that damps w [m]')
    call r%number('sponge_rate', c%sponge_rate, 0.2_wp, 0.0_wp, 10.0_wp, &
      'its rate at the top [s-1]')
    call r%claim('coriolis', c%coriolis, .false., 'turn the Coriolis force on')
    call r%number('coriolis_parameter', c%coriolis_parameter, 1.0e-4_wp, -1.5e-4_wp, 1.5e-4_wp, &
      'f of idealised runs [s-1]')
    call r%words('moisture', c%moisture, 'vapour', &
      'water in the air: none, vapour that only moves, cloud without rain, Kessler''s warm rain', &
      'none vapour cloud kessler')
    call r%number('diffusion', c%diffusion, 0.0_wp, 0.0_wp, 1.0e6_wp, &
      'constant K of u, v, w and the departure of theta from the reference [m2 s-1]')
    call r%number('diff_6th_factor', c%diff_6th_factor, 0.0_wp, 0.0_wp, 1.0_wp, &
      'share of waves of 2 columns that the sixth-order filter removes in each step; 0: none')
    call r%words('turbulence', c%turbulence, 'none', &
      'mixing with a coefficient after Smagorinsky and Lilly, in addition to diffusion', &
      'none smagorinsky')
    call r%number('csx', c%csx, 0.2_wp, 0.0_wp, 1.0_wp, &
      'horizontal mixing length over the column spacing')
    call r%number('csz', c%csz, 0.2_wp, 0.0_wp, 1.0_wp, &
      'vertical mixing length over the thickness of the level')
    call r%claim('isotropic', c%isotropic, .false., &
      'one mixing length csx (dx dy dz)^(1/3) for both directions: for grids of large eddies')
    call r%number('akmin', c%akmin, 0.0_wp, 0.0_wp, 10.0_wp, &
      'least horizontal coefficient over 0.075 (dx dy)^(2/3), as in RAMS')
    call r%number('prandtl', c%prandtl, 1.0_wp/3.0_wp, 0.1_wp, 10.0_wp, &
      'coefficient of momentum over that of heat and tracers')
    call r%words('surface', c%surface, 'none', &
      'bulk: exchange of momentum, heat and vapour with a ground of constant temperature; '// &
      'budget: the land''s temperature follows from its heat budget; none: free slip', &
      'none bulk budget')
    call r%words('radiation', c%radiation, 'none', &
      'column: sunshine and longwave radiation heat and cool the air, and reach the ground; '// &
      'none: only a ground with a budget has radiation, by simple formulas', 'none column')
    call r%number('radiation_interval', c%radiation_interval, 900.0_wp, 0.0_wp, 21600.0_wp, &
      'time between calls of it, rounded to steps; their heating is kept [s]; 0: every step')
    call r%number('co2', c%co2, 400.0_wp, 0.0_wp, 10000.0_wp, &
      'carbon dioxide in a million parts of air, for radiation')
    call r%number('albedo', c%albedo, 0.2_wp, 0.0_wp, 0.95_wp, 'of the land')
    call r%number('thermal_inertia', c%thermal_inertia, 1500.0_wp, 100.0_wp, 1.0e4_wp, &
      'root of the soil''s conductivity times heat capacity [J m-2 K-1 s-1/2]')
    call r%number('deep_warmer', c%deep_warmer, 0.0_wp, -50.0_wp, 50.0_wp, &
      'what is added to the temperature of the soil below, that of the analysis or, where it '// &
      'has none, of the ground at the start [K]')
    call r%number('roughness', c%roughness, 0.1_wp, 1.0e-6_wp, 10.0_wp, &
      'roughness length where the analysis gives none [m]')
    call r%number('ground_temperature', c%ground_temperature, 288.0_wp, 180.0_wp, 350.0_wp, &
      'temperature of the ground where the analysis gives none [K]')
    call r%number('ground_wetness', c%ground_wetness, 0.0_wp, 0.0_wp, 1.0_wp, &
      'evaporation over that of open water, where the analysis gives none')
    call r%number('offcentre', c%offcentre, 0.55_wp, 0.5_wp, 1.0_wp, &
      'weight of the new time level in the vertical acoustic solve')
    call r%number('divergence_damping', c%divergence_damping, 0.1_wp, 0.0_wp, 0.5_wp, &
      'forward weight of pressure in the horizontal acoustic step')
    call r%number('cfl_limit', c%cfl_limit, 1.2_wp, 0.1_wp, 2.0_wp, &
      'Courant number that stops the run')

    r%group = 'model_file_info'
    call r%words('output_file', c%output_file, '', 'NetCDF-4 file to write; empty: none')
    call r%number('frqanl', c%frqanl, 0.0_wp, 0.0_wp, 1.0e9_wp, &
      'time between outputs [timeunit]; 0: only start and end')
    call r%words('fields', c%fields, '', &
      'fields to write, with blanks between them; empty: all that the run has')
    call r%words('pressure_levels', c%pressure_levels, '', &
      'surfaces of pressure [hPa] to write fields on, from the ground up; empty: none')
    call r%words('institution', c%institution, 'not stated', &
      'who makes the run, for the attribute of that name')
    call r%words('history_file', c%history_file, '', &
      'path of two streams, PATH-a and PATH-b, that runs can go on from; empty: NAME.history')
    call r%number('frqhis', c%frqhis, 0.0_wp, 0.0_wp, 1.0e9_wp, &
      'time between histories [timeunit], the end included; 0: none')
    call r%words('stations', c%stations, '', &
      'NAME LATITUDE LONGITUDE; ... (idealised: NAME I J; ...): time series in *.stations.nc')
    call r%number('frqsta', c%frqsta, 0.0_wp, 0.0_wp, 1.0e9_wp, &
      'time between values at stations [timeunit]; 0: every step')
    call r%words('output_policy', c%output_policy, 'automatic', &
      'who writes: a thread of each node, or its ranks while they wait', &
      'automatic thread synchronous')
    call r%whole('output_writers', c%output_writers, 0, 0, 1000, &
      'ranks of a node that write, each a part of it; 0: 1, or what automatic finds best')
    call r%whole('log_steps', c%log_steps, 0, 0, 1000000000, &
      'steps between log lines; 0: by time, see log_seconds')
    call r%number('log_seconds', c%log_seconds, 5.0_wp, 0.1_wp, 3600.0_wp, &
      'seconds between log lines when the output is no terminal')

    r%group = 'exchange'
    call r%words('method', c%method, '', &
      'halo method of Nearfar; empty: tuned; compare: isend, node-barrier and tuned by turns')
    call r%whole('px', c%px, 0, 0, 1000000, 'ranks west to east; 0: the library chooses')
    call r%whole('py', c%py, 0, 0, 1000000, 'ranks south to north; 0: the library chooses')
    call r%whole('compare_block', c%compare_block, 5, 2, 1000, 'steps between changes of method')
    call r%whole('compare_skip', c%compare_skip, 1, 0, 100, 'steps not counted after a change')
    call r%words('report', c%report, '', &
      'path without ending of the comparison (.json, .md); empty: next to the output')

    r%group = 'debug'
    call r%whole('poison_step', c%poison_step, 0, 0, 1000000000, &
      'makes one number NaN at the end of this step, to see the run stop; 0: never')
    call r%whole('poison_k', c%poison_k, 1, 1, 1000, 'its level')
    call r%whole('poison_i', c%poison_i, 1, 1, 100000, 'its column, west to east')
    call r%whole('poison_j', c%poison_j, 1, 1, 100000, 'its column, south to north')
  end subroutine register_keys

  !> Reads the text of a namelist file into c, then what replaces its keys. On error `message` says
  !> what is wrong and in which line.
  subroutine parse_config(text, assignments, c, message)
    character(*), intent(in) :: text, assignments(:)
    type(config_t), target, intent(inout) :: c
    character(*), intent(out) :: message
    type(registry_t) :: r
    integer :: n

    call register_keys(r, c)
    call read_keys(r, text, message)
    do n = 1, size(assignments)
      if (message == '') call assign_key(r, trim(assignments(n)), message)
    end do
    if (message == '') call check_together(r, c, message)
  end subroutine parse_config

  !> Rules that bind several keys.
  subroutine check_together(r, c, message)
    type(registry_t), intent(in) :: r
    type(config_t), intent(inout) :: c
    character(*), intent(out) :: message

    message = ''
    if (mod(c%order_v, 2) == 0) then
      message = line_of(r, 'order_v')//'order_v = '//text_of(c%order_v)//' is even: take 3 or 5'
    else if (mod(c%nacoust, 2) /= 0 .and. c%time_scheme == 'rk3') then
      message = line_of(r, 'nacoust')//'nacoust = '//text_of(c%nacoust)//' is odd: the second '// &
        'stage makes nacoust/2 acoustic steps; try '//text_of(c%nacoust + 1)
    else if (c%diff_6th_factor > 0.0_wp .and. c%time_scheme /= 'rk3') then
      message = line_of(r, 'diff_6th_factor')//'diff_6th_factor = '//text_of(c%diff_6th_factor)// &
        ' needs the 3 ghost columns of time_scheme = ''rk3''; with ''leapfrog'' it must be 0'
    else if (c%radiation /= 'none' .and. c%surface == 'none') then
      message = line_of(r, 'radiation')//'radiation = '''//trim(c%radiation)//''' needs a '// &
        'ground with a temperature: surface = ''bulk'' or ''budget'', not ''none'''
    else if (c%case == 'analysis' .and. c%analysis_file == '') then
      message = line_of(r, 'case')//'case = ''analysis'' needs analysis_file'
    else if (c%case /= 'analysis' .and. c%analysis_file /= '') then
      message = line_of(r, 'analysis_file')//'analysis_file is only read with case = ''analysis'''
    else if (c%case /= 'analysis' .and. c%side_files /= '') then
      message = line_of(r, 'side_files')//'side_files are only read with case = ''analysis'''
    else if (c%case /= 'analysis' .and. (c%nnxp < 1 .or. c%nnyp < 1)) then
      message = line_of(r, 'nnxp')//'nnxp and nnyp must be given (at least 1) for case = '''// &
        trim(c%case)//''''
    else if (c%case == 'moist_bubble' .and. c%moisture /= 'cloud') then
      message = line_of(r, 'case')//'case = ''moist_bubble'' needs moisture = ''cloud'''
    else if (c%case == 'supercell' .and. c%moisture == 'none') then
      message = line_of(r, 'case')//'case = ''supercell'' needs water: moisture = ''kessler'''
    else if (c%case /= 'analysis' .and. c%deltax <= 0.0_wp) then
      message = line_of(r, 'deltax')//'deltax must be given for case = '''//trim(c%case)//''''
    else if (c%case == 'analysis' .and. (c%boundary_x /= 'davies' .or. &
      c%boundary_y /= 'davies')) then
      message = line_of(r, 'boundary_x')// &
        'case = ''analysis'' needs boundary_x and boundary_y = ''davies'''
    else if (c%nnyp == 1 .and. c%boundary_y == 'davies') then
      message = line_of(r, 'boundary_y')// &
        'nnyp = 1 is two-dimensional and needs boundary_y = ''periodic'''
    else if (c%dzmax < c%deltaz .and. c%dzrat > 1.0_wp) then
      message = line_of(r, 'dzmax')//'dzmax is smaller than deltaz'
    else if (c%output_file == '' .and. c%history_file == '' .and. (c%frqhis > 0.0_wp .or. &
      c%runtype == 'history')) then
      message = line_of(r, 'frqhis')//'a history needs history_file or output_file'
    else if (c%output_file == '' .and. c%stations /= '') then
      message = line_of(r, 'stations')//'stations need output_file, from which their file has '// &
        'its name'
    else if (c%method == 'compare' .and. c%compare_skip >= c%compare_block) then
      message = line_of(r, 'compare_skip')//'compare_skip must be smaller than compare_block'
    end if
    if (c%deltay <= 0.0_wp) c%deltay = c%deltax
  end subroutine check_together

  !> Prints a namelist file with every key, its default, its meaning and what it may be.
  subroutine print_keys(unit)
    integer, intent(in) :: unit
    type(config_t), target :: c
    type(registry_t) :: r

    call register_keys(r, c)
    call print_template(r, unit)
  end subroutine print_keys
end module weather_config
