! SPDX-License-Identifier: BSD-3-Clause
! The command line: a namelist file, replaced keys, and what is printed in place of a run. The same
! words as in the other programs: --set NAME VALUE and --set=VALUE are alike.
module weather_options
  use weather_constants, only: max_text
  implicit none (type, external)
  private
  public :: options_t, parse_options, usage

  type :: options_t
    character(max_text) :: namelist_file = ''              !! empty: there is none
    character(max_text), allocatable :: assignments(:)     !! group.key=value or key=value
    logical :: wants_help = .false., wants_version = .false., wants_template = .false.
  end type options_t

  character(*), parameter :: usage = &
    'usage: nearfar-weather NAMELIST [--set group.key=value] ...'//new_line('a')// &
    '  --set group.key=value  replaces a key of the file: --set model_grids.timmax=3600'// &
    new_line('a')// &
    '  --write-template       prints a file with all keys and their meaning (also: --keys)'// &
    new_line('a')//'  --help (-h), --version'

contains

  !> Local: what is wrong is wrong on all ranks. `message` is empty if nothing is.
  subroutine parse_options(o, message)
    type(options_t), intent(out) :: o
    character(*), intent(out) :: message
    character(max_text) :: argument
    integer :: n

    message = ''
    allocate (o%assignments(0))
    if (command_argument_count() == 0) message = 'nothing to do is named. '// &
      '''nearfar-weather NAMELIST'' runs a namelist file, ''nearfar-weather --write-template'' '// &
      'prints one to begin with, ''nearfar-weather --help'' lists what there is'
    n = 0
    do while (n < command_argument_count() .and. message == '')
      n = n + 1
      call get_command_argument(n, argument)
      select case (argument)
      case ('--help', '-h')
        o%wants_help = .true.
      case ('--version')
        o%wants_version = .true.
      case ('--write-template', '--keys')
        o%wants_template = .true.
      case ('--set')
        n = n + 1
        call get_command_argument(n, argument)
        call add_assignment(o, argument, message)
      case default
        if (argument(1:6) == '--set=') then
          call add_assignment(o, argument(7:), message)
        else if (argument(1:1) == '-') then
          message = 'there is no option '''//trim(argument)//'''; --help lists what there is'
        else if (o%namelist_file /= '') then
          message = trim(o%namelist_file)//' and '//trim(argument)// &
            ' are two namelist files; give one of them'
        else
          o%namelist_file = argument
        end if
      end select
    end do
    if (message == '' .and. o%namelist_file == '' .and. .not. (o%wants_help .or. &
      o%wants_version .or. o%wants_template)) &
      message = '--set replaces keys of a namelist file: name one'
  end subroutine parse_options

  subroutine add_assignment(o, argument, message)
    type(options_t), intent(inout) :: o
    character(*), intent(in) :: argument
    character(*), intent(inout) :: message

    if (index(argument, '=') < 2) then
      message = '--set needs group.key=value'
    else
      o%assignments = [character(max_text) :: o%assignments, argument]
    end if
  end subroutine add_assignment
end module weather_options
