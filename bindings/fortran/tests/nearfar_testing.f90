! SPDX-License-Identifier: BSD-3-Clause
! Checks for Fortran MPI tests: collective, so that all ranks agree on the verdict and the exit
! code.
module nearfar_testing
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: error_unit, int64
  use mpi_f08, only: MPI_Allreduce, MPI_Bcast, MPI_Comm, MPI_Comm_dup, MPI_Comm_free, &
    MPI_Comm_rank, MPI_Comm_size, MPI_COMM_WORLD, MPI_Finalize, MPI_Init, MPI_INTEGER, MPI_SUM
  implicit none (type, external)
  private
  public :: testing_begin, testing_next_shape, testing_end, check, check_error, file_has, &
    scratch_path, remove_scratch, everyone, world_rank, world_size, is_last_rank, long, pick, word

  type(MPI_Comm) :: verdicts  ! no test can reach it, so a diverged rank cannot pair with its calls
  type(MPI_Comm), protected :: everyone  ! the ranks of the present shape
  integer :: failures = 0
  integer, protected :: world_rank = 0, world_size = 1

  interface
    ! Ends a shape and starts the next (tests/mpi_test/shapes.h).
    integer(c_int) function next_shape(members) bind(c, name='nearfar_test_next_shape_fint')
      import :: c_int
      implicit none (type, external)
      integer, intent(out) :: members
    end function next_shape
  end interface

contains

  subroutine testing_begin()
    call MPI_Init()
    call begin_checks_of(MPI_COMM_WORLD)
  end subroutine testing_begin

  ! Around all checks, `do while (testing_next_shape())`: once in each shape that this rank has a
  ! part in. Collective over all ranks that were launched.
  logical function testing_next_shape() result(is_there)
    integer :: members

    call MPI_Comm_free(verdicts)
    is_there = next_shape(members) /= 0
    if (is_there) then
      call begin_checks_of(MPI_Comm(members))
    else
      call begin_checks_of(MPI_COMM_WORLD)
    end if
  end function testing_next_shape

  subroutine begin_checks_of(ranks)
    type(MPI_Comm), intent(in) :: ranks

    everyone = ranks
    call MPI_Comm_dup(ranks, verdicts)
    call MPI_Comm_rank(verdicts, world_rank)
    call MPI_Comm_size(verdicts, world_size)
  end subroutine begin_checks_of

  ! Collective. The exit code is not 0 if any check failed on any rank.
  subroutine testing_end()
    integer :: mine

    mine = failures
    call MPI_Allreduce(mine, failures, 1, MPI_INTEGER, MPI_SUM, verdicts)
    if (world_rank == 0 .and. failures == 0) print '(a)', 'all checks passed'
    call MPI_Finalize()
    if (failures > 0) error stop 1
  end subroutine testing_end

  ! Collective: `ok` must be true on every rank.
  subroutine check(ok, what)
    logical, intent(in) :: ok
    character(*), intent(in) :: what
    integer :: mine, failed

    mine = merge(0, 1, ok)
    call MPI_Allreduce(mine, failed, 1, MPI_INTEGER, MPI_SUM, verdicts)
    if (failed == 0) return
    failures = failures + 1
    if (.not. ok) write (error_unit, '(a,i0,a,i0,a,i0,2a)') '[rank ', world_rank, '] failed on ', &
      failed, ' of ', world_size, ' ranks: ', what
  end subroutine check

  ! Collective: the call must have failed everywhere with `wanted`, and its message name `named`
  ! and have no marks left of axes for other readers.
  subroutine check_error(stat, wanted, errmsg, named, what)
    integer, intent(in) :: stat, wanted
    character(*), intent(in) :: errmsg, named, what

    call check(stat == wanted, what // ': stat')
    call check(scan(errmsg, achar(1) // achar(2) // achar(3)) == 0, what // ': marks are left')
    call check(index(errmsg, named) > 0, what // ": '" // named // "' in '" // trim(errmsg) // "'")
  end subroutine check_error

  pure logical function is_last_rank()
    is_last_rank = world_rank == world_size - 1
  end function is_last_rank

  ! `right`, but `wrong` on the last rank; so the next two.
  pure integer function pick(right, wrong)
    integer, intent(in) :: right, wrong
    pick = merge(wrong, right, is_last_rank())
  end function pick

  pure integer(int64) function long(right, wrong)
    integer, intent(in) :: right, wrong
    long = pick(right, wrong)
  end function long

  pure function word(right, wrong)
    character(*), intent(in) :: right, wrong
    character(:), allocatable :: word
    word = right
    if (is_last_rank()) word = wrong
  end function word

  ! Collective: where this run may make files, the same on all ranks.
  function scratch_path(name) result(path)
    character(*), intent(in) :: name
    character(:), allocatable :: path
    character(300) :: folder, text
    integer(c_int) :: process
    interface
      integer(c_int) function getpid() bind(C)
        import :: c_int
      end function getpid
    end interface

    call get_environment_variable('TMPDIR', folder)
    if (folder == '') folder = '/tmp'
    process = getpid()
    call MPI_Bcast(process, 1, MPI_INTEGER, 0, verdicts)
    write (text, '(4a,i0)') trim(folder), '/', name, '.', process
    path = trim(text)
  end function scratch_path

  ! Collective: a line of the file, up to 1000 letters of it, has `word`.
  logical function file_has(name, word)
    character(*), intent(in) :: name, word
    character(1000) :: line
    integer :: unit, status

    call check(.true., 'files to read')
    file_has = world_rank /= 0
    if (file_has) return
    open (newunit=unit, file=name, status='old', iostat=status)
    if (status /= 0) return
    do while (status == 0 .and. .not. file_has)
      read (unit, '(a)', iostat=status) line
      file_has = status == 0 .and. index(line, word) > 0
    end do
    close (unit)
  end function file_has

  ! Collective: all that begins with `path` and a dot, once every rank has come here.
  subroutine remove_scratch(path)
    character(*), intent(in) :: path

    call check(len_trim(path) > 0, 'files to remove')
    if (world_rank == 0) call execute_command_line('rm -r ' // path // '.*')
  end subroutine remove_scratch

end module nearfar_testing
