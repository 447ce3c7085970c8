! SPDX-License-Identifier: BSD-3-Clause
! What the run spends its time with: seconds per phase, without the halo exchanges inside of it.
module weather_clock
  use mpi_f08, only: MPI_COMM_WORLD, MPI_Comm_rank, MPI_Comm_size, MPI_Reduce, MPI_MAX, MPI_SUM, &
    MPI_DOUBLE_PRECISION, MPI_Wtime
  use, intrinsic :: iso_fortran_env, only: output_unit
  use weather_constants, only: wp
  use weather_errors, only: fixed
  use weather_halo, only: halo_seconds
  implicit none (type, external)
  private
  public :: clock_start, clock_stop, clock_report
  public :: in_step, in_microphysics, in_mixing, in_sides, in_checks, in_output, in_stations, &
    in_history, in_radiation

  integer, parameter :: in_step = 1, in_microphysics = 2, in_mixing = 3, in_sides = 4, &
    in_checks = 5, in_output = 6, in_stations = 7, in_history = 8, &
    in_radiation = 9, phases = 9
  character(24), parameter :: names(phases) = [character(24) :: 'dynamics', 'microphysics', &
    'turbulence and ground', 'side values', 'checks and log', 'output', 'stations', 'histories', &
    'radiation']

  real(wp), save :: seconds(phases) = 0.0_wp, begun(phases) = 0.0_wp, halo_then(phases) = 0.0_wp

contains

  subroutine clock_start(phase)
    integer, intent(in) :: phase
    begun(phase) = MPI_Wtime()
    halo_then(phase) = sum(halo_seconds)
  end subroutine clock_start

  subroutine clock_stop(phase)
    integer, intent(in) :: phase
    seconds(phase) = seconds(phase) + (MPI_Wtime() - begun(phase)) &
      - (sum(halo_seconds) - halo_then(phase))
  end subroutine clock_stop

  !> Collective: the table of phases, mean and slowest rank.
  subroutine clock_report()
    real(wp) :: own(phases + 1), mean(phases + 1), most(phases + 1)
    integer :: rank, ranks, n

    own(:phases) = seconds
    own(in_step) = own(in_step) - own(in_microphysics) - own(in_mixing)  ! they are parts of a step
    own(in_mixing) = own(in_mixing) - own(in_radiation)                   ! and that of this
    own(phases + 1) = sum(halo_seconds)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    call MPI_Reduce(own, mean, phases + 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
    call MPI_Reduce(own, most, phases + 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD)
    if (rank /= 0) return
    mean = mean/real(ranks, wp)
    write (output_unit, '(a)') '', 'phase                    mean of ranks  slowest rank  share'
    call line('halo exchange', phases + 1)
    do n = 1, phases
      if (most(n) >= 0.0005_wp) call line(names(n), n)
    end do
    write (output_unit, '(a)') ''
  contains
    subroutine line(name, n)
      character(*), intent(in) :: name
      integer, intent(in) :: n
      character(24) :: text
      text = name
      write (output_unit, '(a,f12.3,a,f12.3,a,f7.1,a)') text, mean(n), ' s', most(n), ' s', &
        100.0_wp*mean(n)/max(sum(mean), 1.0e-9_wp), ' %'
    end subroutine line
  end subroutine clock_report
end module weather_clock
