! SPDX-License-Identifier: BSD-3-Clause
! Heat along rods of a plate, every tenth state of it on disk while the next ones are computed; then
! the file is read and summed.
program plate
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08, only: MPI_Bcast, MPI_COMM_WORLD, MPI_Finalize, MPI_Init, MPI_INTEGER8
  use nearfar, only: nearfar_output, nearfar_output_steps_at, nearfar_team
  implicit none (type, external)
  integer, parameter :: ny = 48, nx = 64, snapshots = 6, steps_between = 10
  type(nearfar_team) :: team
  type(nearfar_output) :: out
  integer(int64), allocatable :: t(:,:)
  integer(int64) :: x, y
  character(:), allocatable :: path
  integer :: first, last, snapshot, step

  call MPI_Init()
  call team%create(MPI_COMM_WORLD)
  path = temporary_path()
  first = ny * team%rank() / team%size() + 1
  last = ny * (team%rank() + 1) / team%size()
  allocate (t(nx, first:last))
  do y = first, last
    t(:, y) = [(mod((x - 1)**2 * 7919 + (y - 1) * 104729, 1000003_int64), x=1, nx)]
  end do

  ! [stream]
  call out%add('heat', t, [nx, ny], [1, first], [nx, last], attributes=['label1=x', 'label2=y'])
  call out%create(team, path)
  do snapshot = 1, snapshots
    do step = 1, steps_between
      call warm(t)
    end do
    call out%begin_step(0.01_real64 * (snapshot - 1))  ! waits only if the disk is far behind
    call out%put('heat', t)                            ! copied: t may change again
    call out%end_step()
  end do
  call out%close()                                     ! all is on disk
  call out%free()
  ! [stream]

  if (team%rank() == 0) call sum_and_remove()
  call team%free()
  call MPI_Finalize()

contains

  function temporary_path() result(path)
    character(:), allocatable :: path
    character(200) :: folder, text
    integer(int64) :: clock

    call get_environment_variable('TMPDIR', folder)
    if (folder == '') folder = '/tmp'
    call system_clock(clock)  ! of 64 bits it counts nanoseconds
    call MPI_Bcast(clock, 1, MPI_INTEGER8, 0, MPI_COMM_WORLD)
    write (text, '(2a,i0)') trim(folder), '/nearfar_plate.', clock
    path = trim(text)
  end function temporary_path

  ! One step of each rod (a column, contiguous), whose ends keep their values.
  subroutine warm(t)
    integer(int64), contiguous, intent(inout) :: t(:,:)
    integer(int64) :: before, here
    integer :: rod, i

    do rod = 1, size(t, 2)
      before = t(1, rod)
      do i = 2, size(t, 1) - 1
        here = t(i, rod)
        t(i, rod) = (before + 2 * here + t(i + 1, rod)) / 4
        before = here
      end do
    end do
  end subroutine warm

  subroutine sum_and_remove()
    integer(int64), allocatable :: all(:)
    real(real64), allocatable :: times(:)
    character(10), parameter :: endings(4) = [character(10) :: 'heat.raw', 'heat.rsf', 'journal', &
      'parts.json']
    integer :: unit, i

    allocate (all(nx * ny * snapshots))
    open (newunit=unit, file=path // '.heat.raw', access='stream', status='old')
    read (unit) all
    close (unit)
    call nearfar_output_steps_at(path, times)
    print '(a,i0,a,i0)', 'plate: ', size(times), ' steps, checksum ', &
      sum([(int(1 + mod(i - 1, 97), int64) * all(i), i=1, size(all))])
    do i = 1, size(endings)
      open (newunit=unit, file=path // '.' // trim(endings(i)))
      close (unit, status='delete')
    end do
  end subroutine sum_and_remove
end program plate
