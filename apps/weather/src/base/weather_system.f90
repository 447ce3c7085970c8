! SPDX-License-Identifier: BSD-3-Clause
! What the model asks of the operating system and Fortran cannot say.
module weather_system
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char, c_size_t
  implicit none (type, external)
  private
  public :: is_on_terminal, leave

  interface
    integer(c_int) function c_isatty(descriptor) bind(c, name='isatty')
      import :: c_int
      integer(c_int), value :: descriptor
    end function c_isatty
    integer(c_int) function c_getppid() bind(c, name='getppid')
      import :: c_int
    end function c_getppid
    integer(c_size_t) function c_readlink(path, target_path, length) bind(c, name='readlink')
      import :: c_char, c_size_t
      character(kind=c_char), intent(in) :: path(*)
      character(kind=c_char), intent(out) :: target_path(*)
      integer(c_size_t), value :: length
    end function c_readlink
    subroutine c_exit(status) bind(c, name='_exit')
      import :: c_int
      integer(c_int), value :: status
    end subroutine c_exit
  end interface

contains

  !> Whether what is printed appears on a terminal at once.
  logical function is_on_terminal()
    is_on_terminal = c_isatty(1_c_int) == 1
    if (is_on_terminal) is_on_terminal = launcher_on_terminal()
  end function is_on_terminal

  !> False if a launcher of MPI started this rank and writes to something else than a terminal:
  !> Open MPI gives its ranks a pseudo-terminal even then. Without launcher or /proc: true.
  logical function launcher_on_terminal()
    character(kind=c_char) :: place(64)
    character(16) :: variable
    integer(c_size_t) :: length
    character(12) :: parent
    integer :: stat

    launcher_on_terminal = .true.
    call get_environment_variable('OMPI_COMM_WORLD_RANK', variable, status=stat)
    if (stat == 1) return
    write (parent, '(i0)') c_getppid()
    length = c_readlink('/proc/'//trim(parent)//'/fd/1'//c_null_char, place, &
      int(size(place), c_size_t))
    if (length < 5) return
    launcher_on_terminal = place(6) == 'p' .and. place(7) == 't' .or. place(6) == 't' .and. &
      place(7) == 't'
  end function launcher_on_terminal

  !> Ends this process at once; no clean-up of libraries runs.
  subroutine leave(status)
    integer, intent(in) :: status
    call c_exit(int(status, c_int))
  end subroutine leave
end module weather_system
