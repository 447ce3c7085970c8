! SPDX-License-Identifier: BSD-3-Clause
! Stops the whole model with one message that every rank agrees on.
module weather_errors
  use mpi_f08, only: MPI_COMM_WORLD, MPI_Comm_rank, MPI_Comm_size, MPI_Allreduce, MPI_Bcast, &
    MPI_Finalize, MPI_INTEGER, MPI_CHARACTER, MPI_MIN
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit
  use weather_constants, only: wp, max_text
  use weather_system, only: leave
  implicit none (type, external)
  private
  public :: agree, settle, stop_all, stop_alone, text_of, fixed, before_leaving

  abstract interface
    subroutine farewell()
    end subroutine farewell
  end interface
  !> Called by stop_all on every rank, as long as it is associated: what must not get lost.
  procedure(farewell), pointer :: before_leaving => null()

  interface
    !> Of Nearfar's C interface: ends all ranks without losing what this one has printed.
    subroutine nearfar_end_job(code) bind(c)
      import :: c_int
      integer(c_int), value :: code
    end subroutine nearfar_end_job
  end interface

  interface text_of
    module procedure text_of_integer, text_of_real
  end interface

contains

  !> Collective over all ranks: returns if every rank passes an empty message; otherwise the lowest
  !> failing rank's message is printed and every rank ends with exit status 2.
  subroutine agree(message)
    character(*), intent(in) :: message
    character(max_text) :: shared
    integer :: rank, ranks, mine, guilty

    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    mine = merge(rank, ranks, len_trim(message) > 0)
    call MPI_Allreduce(mine, guilty, 1, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD)
    if (guilty == ranks) return
    shared = message
    call MPI_Bcast(shared, max_text, MPI_CHARACTER, guilty, MPI_COMM_WORLD)
    call stop_all(trim(shared)//' [rank '//text_of(guilty)//']')
  end subroutine agree

  !> The same of a collective call of Nearfar's, whose status and message all ranks have alike.
  subroutine settle(stat, message)
    integer, intent(in) :: stat
    character(*), intent(in) :: message
    if (stat == 0) then
      call agree('')
    else
      call agree(message)
    end if
  end subroutine settle

  !> Ends the run on every rank; each rank must call it with the same message. Rank 0 prints it,
  !> and if another rank is alone with the message `agree` is the routine to use.
  subroutine stop_all(message)
    character(*), intent(in) :: message
    integer :: rank

    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    if (rank == 0) then
      write (error_unit, '(a)') 'nearfar-weather: error: '//trim(message)
      flush (error_unit)
    end if
    flush (output_unit)
    if (associated(before_leaving)) call before_leaving()
    call MPI_Finalize()
    call leave(2)    ! not stop: after a failed write HDF5's own clean-up at exit may crash
  end subroutine stop_all

  !> Ends all ranks with the message of this one, which cannot reach all others any more: of a node
  !> that is gone. Local; returns where the message is empty.
  subroutine stop_alone(message)
    character(*), intent(in) :: message
    integer :: rank

    if (message == '') return
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    flush (output_unit)
    write (error_unit, '(a)') 'nearfar-weather: error: '//trim(message)//' [rank '// &
      text_of(rank)//']'
    flush (error_unit)
    call nearfar_end_job(3_c_int)
  end subroutine stop_alone

  pure function text_of_integer(value) result(text)
    integer, intent(in) :: value
    character(:), allocatable :: text
    character(16) :: buffer
    write (buffer, '(i0)') value
    text = trim(buffer)
  end function text_of_integer

  pure function text_of_real(value) result(text)
    real(wp), intent(in) :: value
    character(:), allocatable :: text
    character(24) :: buffer
    if (abs(value) <= 0.0_wp .or. (abs(value) >= 1.0e-2_wp .and. abs(value) < 1.0e6_wp)) then
      write (buffer, '(f0.4)') value
      buffer = trimmed_zeros(buffer)
    else
      write (buffer, '(es11.4)') value
    end if
    text = trim(adjustl(buffer))
    if (text(1:1) == '.') text = '0'//text
    if (index(text, '-.') == 1) text = '-0'//text(2:)
  end function text_of_real

  !> The value with so many decimals, and with a digit before the point.
  pure function fixed(value, decimals) result(text)
    real(wp), intent(in) :: value
    integer, intent(in) :: decimals
    character(:), allocatable :: text
    character(40) :: buffer
    character(8) :: form
    write (form, '(a,i0,a)') '(f40.', decimals, ')'
    write (buffer, form) value
    text = trim(adjustl(buffer))
  end function fixed

  pure function trimmed_zeros(number) result(short)
    character(*), intent(in) :: number
    character(len(number)) :: short
    integer :: last
    short = number
    last = len_trim(short)
    do while (last > 2 .and. short(last:last) == '0')
      if (short(last - 1:last - 1) == '.') exit
      short(last:last) = ' '
      last = last - 1
    end do
  end function trimmed_zeros
end module weather_errors
