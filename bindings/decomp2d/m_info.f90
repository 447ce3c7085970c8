! SPDX-License-Identifier: BSD-3-Clause
! decomp_info: the three pencils of a grid, and behind its number the sides and plans of Nearfar.
module m_info
  use nearfar, only: nearfar_c_handle, nearfar_decomposition, nearfar_team, &
    nearfar_transpose_plan, nearfar_transpose_side
  use, intrinsic :: iso_c_binding, only: c_int, c_loc, c_ptr
  use decomp_2d_mpi
  implicit none (type, external)
  private
  public :: decomp_info, decomp_main, pencils_start, pencils_stop, pencils_make, pencils_drop, &
    pencils_side, pencils_move, pencils_team, is_near_memory, block_start, block_size
  public :: x_to_y, y_to_z, z_to_y, y_to_x

  !> A grid of some global size as x, y and z pencils: first and last index, and how many, per axis.
  type :: decomp_info
    integer :: xst(3) = 1, xen(3) = 0, xsz(3) = 0
    integer :: yst(3) = 1, yen(3) = 0, ysz(3) = 0
    integer :: zst(3) = 1, zen(3) = 0, zsz(3) = 0
    !> How many planes each rank of a row or column has; elements for it, and before it.
    integer, allocatable :: x1dist(:), y1dist(:), y2dist(:), z2dist(:)
    integer, allocatable :: x1cnts(:), y1cnts(:), y2cnts(:), z2cnts(:)
    integer, allocatable :: x1disp(:), y1disp(:), y2disp(:), z2disp(:)
    integer :: xlevel(3) = 0, ylevel(3) = 0, zlevel(3) = 0  !! layers that alloc adds
    integer :: nearfar_number = 0                           !! copies mean the same plans
  end type decomp_info

  type(decomp_info), target, save :: decomp_main

  interface
    ! Of the C interface.
    function nearfar_team_find_array(team, data, array) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: team, data
      type(c_ptr), intent(out) :: array
      integer(c_int) :: status
    end function nearfar_team_find_array
  end interface

  integer, parameter :: x_to_y = 1, y_to_z = 2, z_to_y = 3, y_to_x = 4
  integer, parameter :: from_pencil(4) = [1, 2, 3, 2], to_pencil(4) = [2, 3, 2, 1]
  character(*), parameter :: names(4) = ['transpose_x_to_y', 'transpose_y_to_z', &
    'transpose_z_to_y', 'transpose_y_to_x']
  integer, parameter :: sizes(3) = [4, 8, 16]  ! bytes of elements

  !> Plans are made when arrays of their kind come for the first time: per direction, size of
  !> elements, and whether what is read lies in near memory.
  type :: pencil_set
    logical :: is_used = .false.
    type(nearfar_decomposition) :: parts(3)
    type(nearfar_transpose_side) :: sides(3)
    type(nearfar_transpose_plan) :: plans(4, size(sizes), 0:1)
    logical :: is_made(4, size(sizes), 0:1) = .false.
  end type pencil_set

  type(nearfar_team), save :: team
  type(pencil_set), allocatable, save :: sets(:)

contains

  subroutine pencils_start()
    call team%create(decomp_2d_comm)
    if (allocated(sets)) deallocate (sets)
    allocate (sets(0))
  end subroutine pencils_start

  subroutine pencils_stop()
    integer :: i
    do i = 1, size(sets)
      call pencils_drop(i)
    end do
    call team%free()
    deallocate (sets)
  end subroutine pencils_stop

  function pencils_team() result(all)
    type(nearfar_team) :: all
    all = team
  end function pencils_team

  !> The first index of part `i` (from 0) of n points on `parts`: the last ones are the larger ones.
  pure integer function block_start(n, parts, i)
    integer, intent(in) :: n, parts, i
    block_start = 1 + i * (n / parts) + max(0, i - (parts - mod(n, parts)))
  end function block_start

  pure integer function block_size(n, parts, i)
    integer, intent(in) :: n, parts, i
    block_size = block_start(n, parts, i + 1) - block_start(n, parts, i)
  end function block_size

  !> Collective. The number under which info finds its sides and plans.
  integer function pencils_make(extents, info) result(number)
    integer, intent(in) :: extents(3)
    type(decomp_info), intent(in) :: info
    type(pencil_set), allocatable :: more(:)
    integer :: pencil

    do number = 1, size(sets)
      if (.not. sets(number)%is_used) exit
    end do
    if (number > size(sets)) then
      allocate (more(number))
      more(:number - 1) = sets
      call move_alloc(more, sets)
    end if
    associate (set => sets(number))
      set%is_used = .true.
      set%is_made = .false.
      call set%parts(1)%from_boxes(team, extents, info%xst, info%xen)
      call set%parts(2)%from_boxes(team, extents, info%yst, info%yen)
      call set%parts(3)%from_boxes(team, extents, info%zst, info%zen)
      do pencil = 1, 3
        call set%sides(pencil)%create(set%parts(pencil))
      end do
    end associate
  end function pencils_make

  subroutine pencils_drop(number)
    integer, intent(in) :: number
    integer :: direction, kind, near, pencil

    if (.not. allocated(sets)) return  ! after decomp_2d_finalize
    if (number < 1 .or. number > size(sets)) return
    if (.not. sets(number)%is_used) return
    associate (set => sets(number))
      do near = 0, 1
        do kind = 1, size(sizes)
          do direction = 1, 4
            if (set%is_made(direction, kind, near)) call set%plans(direction, kind, near)%free()
          end do
        end do
      end do
      do pencil = 1, 3
        call set%parts(pencil)%free()
      end do
      set%is_used = .false.
    end associate
  end subroutine pencils_drop

  function pencils_side(info, pencil) result(side)
    type(decomp_info), intent(in) :: info
    integer, intent(in) :: pencil
    type(nearfar_transpose_side) :: side

    call require_known(info, 'this decomp_info')
    side = sets(info%nearfar_number)%sides(pencil)
  end function pencils_side

  subroutine require_known(info, what)
    type(decomp_info), intent(in) :: info
    character(*), intent(in) :: what

    if (.not. allocated(sets)) call decomp_2d_abort(1, what // ': call decomp_2d_init first')
    if (info%nearfar_number < 1 .or. info%nearfar_number > size(sets)) &
      call decomp_2d_abort(1, what // ': the decomp_info is not initialised')
    if (.not. sets(info%nearfar_number)%is_used) &
      call decomp_2d_abort(1, what // ': the decomp_info is finalised')
  end subroutine require_known

  !> Moves all elements, of `bytes` bytes each. Collective.
  subroutine pencils_move(direction, info, bytes, src, dst)
    integer, intent(in) :: direction, bytes
    type(decomp_info), intent(in) :: info
    type(*), dimension(..), intent(in), target :: src
    type(*), dimension(..), intent(inout), target :: dst
    integer :: kind, near

    call require_known(info, trim(names(direction)))
    kind = findloc(sizes, bytes, 1)
    near = merge(1, 0, is_near_memory(src))
    associate (set => sets(info%nearfar_number))
      if (.not. set%is_made(direction, kind, near)) then
        call set%plans(direction, kind, near)%create(set%sides(from_pencil(direction)), &
          set%sides(to_pencil(direction)), src, dst, name=trim(names(direction)))
        set%is_made(direction, kind, near) = .true.
      end if
      call set%plans(direction, kind, near)%run(src, dst)
    end associate
  end subroutine pencils_move

  logical function is_near_memory(array)
    type(*), dimension(..), intent(in), target :: array
    type(c_ptr) :: handle

    is_near_memory = nearfar_team_find_array(nearfar_c_handle(team), c_loc(array), handle) == 0
  end function is_near_memory

end module m_info
