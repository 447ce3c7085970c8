! SPDX-License-Identifier: BSD-3-Clause
! Heat spreads through a box, in Fortran: the exchange overlaps with the cells that need no ghost.
module physics
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08, only: MPI_Allreduce, MPI_COMM_WORLD, MPI_DOUBLE_PRECISION, MPI_SUM
  use nearfar, only: nearfar_box
  implicit none (type, external)
  private
  public :: diffuse, checksum

contains

  ! Calls the kernel for each box. The kernel gets explicit shapes: pointers would keep it from
  ! being fast.
  subroutine diffuse(t, change, boxes)
    real(real64), pointer, contiguous, intent(in) :: t(:,:,:), change(:,:,:)
    type(nearfar_box), intent(in) :: boxes(:)
    integer :: b

    do b = 1, size(boxes)
      call diffuse_box(t, change, lbound(t), ubound(t), boxes(b)%lower, boxes(b)%upper)
    end do
  end subroutine diffuse

  ! change = (sum of the six neighbours - 6 t) / 8
  subroutine diffuse_box(t, change, first, last, lower, upper)
    integer, intent(in) :: first(3), last(3)
    real(real64), intent(in) :: t(first(1):last(1), first(2):last(2), first(3):last(3))
    real(real64), intent(inout) :: change(first(1) + 1:last(1) - 1, first(2) + 1:last(2) - 1, &
      first(3) + 1:last(3) - 1)
    integer(int64), intent(in) :: lower(3), upper(3)
    integer(int64) :: i, j, k

    do k = lower(3), upper(3)
      do j = lower(2), upper(2)
        do i = lower(1), upper(1)
          change(i, j, k) = (t(i, j, k - 1) + t(i, j, k + 1) + t(i, j - 1, k) + t(i, j + 1, k) &
            + t(i - 1, j, k) + t(i + 1, j, k) - 6 * t(i, j, k)) / 8
        end do
      end do
    end do
  end subroutine diffuse_box

  ! A number that depends on every own cell: exact, since all values are multiples of 8**(-8).
  integer(int64) function checksum(t, lower, upper)
    real(real64), pointer, contiguous, intent(in) :: t(:,:,:)
    integer(int64), intent(in) :: lower(3), upper(3)
    real(real64) :: mine, all
    integer(int64) :: i, j, k

    mine = 0
    do k = lower(3), upper(3)
      do j = lower(2), upper(2)
        do i = lower(1), upper(1)
          mine = mine + t(i, j, k) * (modulo(k - 1 + 2 * (j - 1) + 3 * (i - 1), 5_int64) + 1)
        end do
      end do
    end do
    call MPI_Allreduce(mine, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    checksum = int(all * 2.0_real64**24, int64)
  end function checksum

end module physics

! [program]
program heat
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08, only: MPI_COMM_WORLD, MPI_Finalize, MPI_Init
  use nearfar, only: nearfar_grid, nearfar_halo_plan, nearfar_team
  use physics, only: checksum, diffuse
  implicit none (type, external)
  type(nearfar_team) :: team
  type(nearfar_grid) :: grid
  type(nearfar_halo_plan) :: halo
  real(real64), pointer, contiguous :: t(:,:,:), change(:,:,:)     ! bounds are global indices
  integer(int64) :: lower(3), upper(3), i, j, k, total
  integer :: step

  call MPI_Init()
  call team%create(MPI_COMM_WORLD)                                 ! who is near, who is far
  call grid%create(team, extents=[64, 64, 16], periodic=[.true., .true., .false.])
  call grid%new_field(t, ghosts=1)                                 ! in memory that near ranks share
  call grid%new_field(change)
  call halo%create(grid, t)                                        ! plan and tune once
  lower = grid%lower()
  upper = grid%upper()
  do concurrent (k=lower(3):upper(3), j=lower(2):upper(2), i=lower(1):upper(1))
    t(i, j, k) = modulo(7 * (k - 1) + 13 * (j - 1) + 17 * (i - 1), 101_int64)
  end do
  associate (own => t(lower(1):upper(1), lower(2):upper(2), lower(3):upper(3)))
    do step = 1, 8
      call halo%start()
      call diffuse(t, change, grid%core(t))                        ! needs no ghost: overlaps
      call halo%finish()
      call diffuse(t, change, grid%edge(t))
      own = own + change
    end do
  end associate
  total = checksum(t, lower, upper)
  if (team%rank() == 0) print '(2a,a,i0)', halo%describe(), new_line('a'), 'heat: checksum ', total
  call team%free()                                                 ! frees everything made from it
  call MPI_Finalize()
end program heat
! [program]
