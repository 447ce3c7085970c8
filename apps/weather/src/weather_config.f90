! SPDX-License-Identifier: BSD-3-Clause
! The namelist of the model: every key with its meaning, default and allowed values, and its reader.
! The reader is our own because a Fortran namelist READ cannot say which line holds an unknown key.
module weather_config
  use weather_constants, only: wp, max_text
  use weather_errors, only: text_of
  use weather_text, only: edit_distance, lower, without_comment
  implicit none (type, external)
  private
  public :: config_t, parse_config, print_keys, name_length

  integer, parameter :: name_length = 128

  !> Values of all keys; what they mean is in `register_keys`.
  type :: config_t
    character(name_length) :: expnme, timeunit
    real(wp) :: timmax, dtlong, deltax, deltay, deltaz, dzrat, dzmax
    integer :: nnxp, nnyp, nnzp, nacoust
    character(name_length) :: case, terrain, analysis_file
    real(wp) :: ts, brunt, brunt_start, us, vs, terrain_height, terrain_width, tracer_blob
    character(name_length) :: boundary_x, boundary_y
    integer :: davies_width
    real(wp) :: davies_time, sponge_depth, sponge_rate
    logical :: coriolis, tracer
    real(wp) :: coriolis_parameter, diffusion, offcentre, divergence_damping, cfl_limit
    character(name_length) :: output_file
    real(wp) :: frqanl, log_seconds
    integer :: deflate, log_steps
    character(name_length) :: method, report
    integer :: px, py, compare_block, compare_skip
  end type config_t

  type :: key_t
    character(16) :: group = '', name = ''
    character(120) :: meaning = ''
    integer, pointer :: whole => null()
    real(wp), pointer :: number => null()
    logical, pointer :: claim => null()
    character(name_length), pointer :: words => null()
    real(wp) :: low = 0.0_wp, high = 0.0_wp
    character(64) :: choices = ''      !! allowed words, separated by blanks; empty: any
    integer :: line = 0                !! where it was set
  end type key_t

  type :: registry_t
    type(key_t) :: keys(64)
    integer :: count = 0
    character(16) :: group = ''
  contains
    procedure :: whole => register_whole
    procedure :: number => register_number
    procedure :: claim => register_claim
    procedure :: words => register_words
  end type registry_t

contains

  subroutine register_keys(r, c)
    type(registry_t), intent(inout) :: r
    type(config_t), target, intent(inout) :: c

    r%group = 'model_grids'
    call r%words('expnme', c%expnme, 'experiment', 'name of the run, written to the output')
    call r%words('timeunit', c%timeunit, 's', 'unit of timmax and frqanl', 's m h')
    call r%number('timmax', c%timmax, 900.0_wp, 0.0_wp, 1.0e9_wp, 'length of the run [timeunit]')
    call r%number('dtlong', c%dtlong, 1.0_wp, 1.0e-6_wp, 3600.0_wp, 'long time step [s]')
    call r%whole('nacoust', c%nacoust, 6, 2, 100, 'acoustic steps per long step (even)')
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

    r%group = 'model_sound'
    call r%words('case', c%case, 'rest', 'what the run starts from', 'rest straka bubble analysis')
    call r%words('analysis_file', c%analysis_file, '', 'NetCDF analysis on the model columns')
    call r%number('ts', c%ts, 300.0_wp, 150.0_wp, 400.0_wp, &
      'potential temperature of the reference at sea level [K]')
    call r%number('brunt', c%brunt, 0.0_wp, 0.0_wp, 0.05_wp, 'Brunt-Vaisala frequency of it [s-1]')
    call r%number('brunt_start', c%brunt_start, -1.0_wp, -1.0_wp, 0.05_wp, &
      'Brunt-Vaisala frequency of the start where it differs from the reference; -1: it does not')
    call r%number('us', c%us, 0.0_wp, -150.0_wp, 150.0_wp, 'eastward wind of the start [m s-1]')
    call r%number('vs', c%vs, 0.0_wp, -150.0_wp, 150.0_wp, 'northward wind of the start [m s-1]')
    call r%words('terrain', c%terrain, 'flat', 'idealised terrain', 'flat bell schaer')
    call r%number('terrain_height', c%terrain_height, 0.0_wp, 0.0_wp, 8000.0_wp, 'its top [m]')
    call r%number('terrain_width', c%terrain_width, 1.0e4_wp, 1.0_wp, 1.0e6_wp, 'half width [m]')
    call r%number('tracer_blob', c%tracer_blob, 0.0_wp, 0.0_wp, 0.05_wp, &
      'specific humidity of a block put into idealised starts [kg kg-1]')

    r%group = 'model_options'
    call r%words('boundary_x', c%boundary_x, 'periodic', 'west and east sides', 'periodic davies')
    call r%words('boundary_y', c%boundary_y, 'periodic', 'south and north sides', 'periodic davies')
    call r%whole('davies_width', c%davies_width, 8, 1, 100, 'columns of relaxation at each side')
    call r%number('davies_time', c%davies_time, 600.0_wp, 1.0_wp, 1.0e6_wp, &
      'relaxation time of the outermost column [s]')
    call r%number('sponge_depth', c%sponge_depth, 0.0_wp, 0.0_wp, 5.0e4_wp, &
      'depth of the layer below the top that damps w [m]')
    call r%number('sponge_rate', c%sponge_rate, 0.2_wp, 0.0_wp, 10.0_wp, &
      'its rate at the top [s-1]')
    call r%claim('coriolis', c%coriolis, .false., 'turn the Coriolis force on')
    call r%number('coriolis_parameter', c%coriolis_parameter, 1.0e-4_wp, -1.5e-4_wp, 1.5e-4_wp, &
      'f of idealised runs [s-1]')
    call r%claim('tracer', c%tracer, .true., 'carry specific humidity')
    call r%number('diffusion', c%diffusion, 0.0_wp, 0.0_wp, 1.0e6_wp, &
      'constant K of u, v, w and the departure of theta from the reference [m2 s-1]')
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
    call r%whole('deflate', c%deflate, 1, 0, 9, 'compression level of the output')
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
  end subroutine register_keys

  !> Reads the text of a namelist file into c. On error `message` says what is wrong and in which
  !> line.
  subroutine parse_config(text, c, message)
    character(*), intent(in) :: text
    type(config_t), target, intent(inout) :: c
    character(*), intent(out) :: message
    type(registry_t) :: r
    character(:), allocatable :: line
    character(16) :: group
    integer :: first, last, number

    call register_keys(r, c)
    message = ''
    group = ''
    number = 0
    first = 1
    do while (first <= len(text) .and. message == '')
      last = index(text(first:), new_line('a'))
      last = merge(len(text), first + last - 2, last == 0)
      number = number + 1
      line = without_comment(text(first:last))
      call parse_line(r, line, number, group, message)
      first = last + 2
    end do
    if (message == '' .and. group /= '') message = 'the group &'//trim(group)// &
      ' is not closed: put a line with / at its end'
    if (message == '') call check_together(r, c, message)
  end subroutine parse_config

  subroutine parse_line(r, line, number, group, message)
    type(registry_t), intent(inout) :: r
    character(*), intent(in) :: line
    integer, intent(in) :: number
    character(16), intent(inout) :: group
    character(*), intent(out) :: message
    character(:), allocatable :: name, where_
    integer :: equal, k

    message = ''
    where_ = 'line '//text_of(number)//': '
    if (len_trim(line) == 0) return
    if (line(1:1) == '&') then
      name = lower(trim(adjustl(line(2:))))
      if (group /= '') then
        message = where_//'&'//name//' begins before &'//trim(group)//' has ended with /'
      else if (.not. any(r%keys(:r%count)%group == name)) then
        message = where_//'there is no group &'//name//'; groups: '//groups(r)
      else
        group = name
      end if
    else if (trim(line) == '/') then
      if (group == '') message = where_//'/ without a group'
      group = ''
    else
      equal = index(line, '=')
      if (group == '') then
        message = where_//'"'//trim(line)//'" is outside of any group'
      else if (equal == 0) then
        message = where_//'"'//trim(line)//'" is not of the form key = value'
      else
        name = lower(trim(line(:equal - 1)))
        do k = 1, r%count
          if (r%keys(k)%name == name .and. r%keys(k)%group == group) exit
        end do
        if (k > r%count) then
          message = where_//unknown_key(r, name, group)
        else if (r%keys(k)%line > 0) then
          message = where_//'key '//name//' was already set in line '//text_of(r%keys(k)%line)
        else
          r%keys(k)%line = number
          call set_value(r%keys(k), trim(adjustl(line(equal + 1:))), message)
          if (message /= '') message = where_//trim(message)
        end if
      end if
    end if
  end subroutine parse_line

  subroutine set_value(key, given, message)
    type(key_t), intent(inout) :: key
    character(*), intent(in) :: given
    character(*), intent(out) :: message
    character(:), allocatable :: value
    integer :: stat, length

    message = ''
    length = len_trim(given)
    if (length > 0) then
      if (given(length:length) == ',') length = length - 1
    end if
    value = trim(given(:length))
    stat = merge(0, 1, len(value) > 0)
    if (associated(key%words)) then
      call set_words(key, value, message)
      return
    else if (stat == 0 .and. associated(key%whole)) then
      if (verify(value, '+-0123456789') > 0) stat = 1
      if (stat == 0) read (value, *, iostat=stat) key%whole
      if (stat == 0) then
        if (key%whole < nint(key%low) .or. key%whole > nint(key%high)) stat = 1
      end if
    else if (stat == 0 .and. associated(key%number)) then
      if (verify(value, '+-.0123456789eEdD') > 0) stat = 1
      if (stat == 0) read (value, *, iostat=stat) key%number
      if (stat == 0) then
        if (.not. (key%number >= key%low .and. key%number <= key%high)) stat = 1
      end if
    else if (stat == 0) then
      select case (lower(value))
      case ('.true.', 't', 'true')
        key%claim = .true.
      case ('.false.', 'f', 'false')
        key%claim = .false.
      case default
        stat = 1
      end select
    end if
    if (stat /= 0) message = trim(key%name)//' = '//value//' is impossible: it takes '//allowed(key)
  end subroutine set_value

  subroutine set_words(key, value, message)
    type(key_t), intent(inout) :: key
    character(*), intent(in) :: value
    character(*), intent(out) :: message
    integer :: n

    message = ''
    n = len(value)
    if (n < 2) then
      message = trim(key%name)//' = '//value//' is impossible: put the text into quotes'
    else if (value(1:1) /= value(n:n) .or. scan(value(1:1), '"''') == 0) then
      message = trim(key%name)//' = '//value//' is impossible: put the text into quotes'
    else if (n - 2 > name_length) then
      message = trim(key%name)//' is longer than '//text_of(name_length)//' characters'
    else
      key%words = value(2:n - 1)
      if (key%choices /= '') then
        if (index(' '//trim(key%choices)//' ', ' '//trim(key%words)//' ') == 0) &
          message = trim(key%name)//' = '//value//' is impossible: it takes '//allowed(key)
      end if
    end if
  end subroutine set_words

  !> Rules that bind several keys.
  subroutine check_together(r, c, message)
    type(registry_t), intent(in) :: r
    type(config_t), intent(inout) :: c
    character(*), intent(out) :: message

    message = ''
    if (mod(c%nacoust, 2) /= 0) then
      message = place('nacoust')//'nacoust = '//text_of(c%nacoust)//' is odd: the second stage '// &
        'makes nacoust/2 acoustic steps; try '//text_of(c%nacoust + 1)
    else if (c%case == 'analysis' .and. c%analysis_file == '') then
      message = place('case')//'case = ''analysis'' needs analysis_file'
    else if (c%case /= 'analysis' .and. c%analysis_file /= '') then
      message = place('analysis_file')//'analysis_file is only read with case = ''analysis'''
    else if (c%case /= 'analysis' .and. (c%nnxp < 1 .or. c%nnyp < 1)) then
      message = place('nnxp')//'nnxp and nnyp must be given (at least 1) for case = '''// &
        trim(c%case)//''''
    else if (c%case /= 'analysis' .and. c%deltax <= 0.0_wp) then
      message = place('deltax')//'deltax must be given for case = '''//trim(c%case)//''''
    else if (c%case == 'analysis' .and. (c%boundary_x /= 'davies' .or. &
      c%boundary_y /= 'davies')) then
      message = place('boundary_x')// &
        'case = ''analysis'' needs boundary_x and boundary_y = ''davies'''
    else if (c%nnyp == 1 .and. c%boundary_y == 'davies') then
      message = place('boundary_y')// &
        'nnyp = 1 is two-dimensional and needs boundary_y = ''periodic'''
    else if (c%dzmax < c%deltaz .and. c%dzrat > 1.0_wp) then
      message = place('dzmax')//'dzmax is smaller than deltaz'
    else if (c%method == 'compare' .and. c%compare_skip >= c%compare_block) then
      message = place('compare_skip')//'compare_skip must be smaller than compare_block'
    end if
    if (c%deltay <= 0.0_wp) c%deltay = c%deltax
  contains
    function place(name) result(text)
      character(*), intent(in) :: name
      character(:), allocatable :: text
      integer :: k
      text = ''
      do k = 1, r%count
        if (r%keys(k)%name == name .and. r%keys(k)%line > 0) &
          text = 'line '//text_of(r%keys(k)%line)//': '
      end do
    end function place
  end subroutine check_together

  !> Prints every key with group, default, allowed values and meaning (the option --keys).
  subroutine print_keys(unit)
    integer, intent(in) :: unit
    type(config_t), target :: c
    type(registry_t) :: r
    character(16) :: group
    integer :: k

    call register_keys(r, c)
    group = ''
    do k = 1, r%count
      associate (key => r%keys(k))
        if (key%group /= group) write (unit, '(a)') '&'//trim(key%group)
        group = key%group
        write (unit, '(2x,a)') trim(key%name)//' = '//shown(key)
        write (unit, '(6x,a)') trim(key%meaning)
        write (unit, '(6x,a)') 'takes '//allowed(key)
      end associate
    end do
  end subroutine print_keys

  function shown(key) result(text)
    type(key_t), intent(in) :: key
    character(:), allocatable :: text
    if (associated(key%words)) then
      text = ''''//trim(key%words)//''''
    else if (associated(key%whole)) then
      text = text_of(key%whole)
    else if (associated(key%number)) then
      text = text_of(key%number)
    else
      text = trim(merge('.true. ', '.false.', key%claim))
    end if
  end function shown

  function allowed(key) result(text)
    type(key_t), intent(in) :: key
    character(:), allocatable :: text
    if (associated(key%words)) then
      text = 'a text in quotes'
      if (key%choices /= '') text = 'one of: '//trim(key%choices)
    else if (associated(key%whole)) then
      text = 'a whole number from '//text_of(nint(key%low))//' to '//text_of(nint(key%high))
    else if (associated(key%number)) then
      text = 'a number from '//text_of(key%low)//' to '//text_of(key%high)
    else
      text = '.true. or .false.'
    end if
  end function allowed

  function unknown_key(r, name, group) result(text)
    type(registry_t), intent(in) :: r
    character(*), intent(in) :: name, group
    character(:), allocatable :: text
    integer :: k, best, distance

    best = huge(best)
    text = 'there is no key '//name//' in &'//trim(group)
    do k = 1, r%count
      if (r%keys(k)%name == name) then
        text = 'key '//name//' belongs to group &'//trim(r%keys(k)%group)//', not &'//trim(group)
        return
      end if
    end do
    do k = 1, r%count
      if (r%keys(k)%group /= group) cycle
      distance = edit_distance(name, trim(r%keys(k)%name))
      if (distance >= best) cycle
      best = distance
      text = 'there is no key '//name//' in &'//trim(group)//'; the nearest is '// &
        trim(r%keys(k)%name)
    end do
  end function unknown_key

  function groups(r) result(text)
    type(registry_t), intent(in) :: r
    character(:), allocatable :: text
    integer :: k
    text = '&'//trim(r%keys(1)%group)
    do k = 2, r%count
      if (r%keys(k)%group /= r%keys(k - 1)%group) text = text//' &'//trim(r%keys(k)%group)
    end do
  end function groups

  subroutine append(r, name, meaning)
    class(registry_t), intent(inout) :: r
    character(*), intent(in) :: name, meaning
    r%count = r%count + 1
    r%keys(r%count)%group = r%group
    r%keys(r%count)%name = name
    r%keys(r%count)%meaning = meaning
  end subroutine append

  subroutine register_whole(r, name, value, default, low, high, meaning)
    class(registry_t), intent(inout) :: r
    character(*), intent(in) :: name, meaning
    integer, target, intent(inout) :: value
    integer, intent(in) :: default, low, high
    call append(r, name, meaning)
    value = default
    r%keys(r%count)%whole => value
    r%keys(r%count)%low = low
    r%keys(r%count)%high = high
  end subroutine register_whole

  subroutine register_number(r, name, value, default, low, high, meaning)
    class(registry_t), intent(inout) :: r
    character(*), intent(in) :: name, meaning
    real(wp), target, intent(inout) :: value
    real(wp), intent(in) :: default, low, high
    call append(r, name, meaning)
    value = default
    r%keys(r%count)%number => value
    r%keys(r%count)%low = low
    r%keys(r%count)%high = high
  end subroutine register_number

  subroutine register_claim(r, name, value, default, meaning)
    class(registry_t), intent(inout) :: r
    character(*), intent(in) :: name, meaning
    logical, target, intent(inout) :: value
    logical, intent(in) :: default
    call append(r, name, meaning)
    value = default
    r%keys(r%count)%claim => value
  end subroutine register_claim

  subroutine register_words(r, name, value, default, meaning, choices)
    class(registry_t), intent(inout) :: r
    character(*), intent(in) :: name, default, meaning
    character(name_length), target, intent(inout) :: value
    character(*), intent(in), optional :: choices
    call append(r, name, meaning)
    value = default
    r%keys(r%count)%words => value
    if (present(choices)) r%keys(r%count)%choices = choices
  end subroutine register_words
end module weather_config
