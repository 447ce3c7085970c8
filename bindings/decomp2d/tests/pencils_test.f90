! SPDX-License-Identifier: BSD-3-Clause
! The names of 2DECOMP&FFT: pencils, transpositions by global index, halo cells.
program pencils_test
  use decomp_2d
  use decomp_2d_constants
  use decomp_2d_mpi, only: decomp_2d_comm_cart_x
  use m_process_grid, only: coord, dims
  use nearfar, only: nearfar_transpose_side
  use nearfar_testing, only: check, testing_begin, testing_end, world_rank, world_size
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none (type, external)
  integer, parameter :: nx = 11, ny = 10, nz = 9
  integer :: p_row = 0, p_col = 0

  call testing_begin()
  call decomp_2d_init(nx, ny, nz, p_row, p_col, periodic_bc=[.true., .true., .false.])
  call check(nproc == world_size .and. nrank == world_rank, 'ranks')
  call check(p_row * p_col == world_size .and. p_row <= p_col, 'the most square grid')
  call check(all(get_decomp_dims() == [p_row, p_col]), 'get_decomp_dims')
  call test_parts()
  call test_real()
  call test_kinds()
  call test_other_extents()
  call test_sections_and_near_memory()
  call test_halo()
  call decomp_2d_finalize()
  call check(nrank == -1, 'finalised')

  ! Once more, all ranks in one row, and in one column.
  p_row = 1
  p_col = world_size
  call decomp_2d_init(nx, ny, nz, p_row, p_col, periodic_bc=[.true., .true., .false.])
  call check(ysize(1) == nx, 'slabs')
  call test_real()
  call test_sizes_tell_the_pencil([1, 3])
  call decomp_2d_finalize()
  call decomp_2d_init(nx, ny, nz, p_col, p_row, periodic_bc=[.true., .true., .false.])
  call test_sizes_tell_the_pencil([1, 2])
  call decomp_2d_finalize()

  call test_large_grid(1, world_size)
  call test_large_grid(world_size, 1)
  call testing_end()

contains

  pure elemental integer function number(i, j, k)
    integer, intent(in) :: i, j, k
    number = i + 100 * j + 10000 * k
  end function number

  subroutine test_parts()
    integer :: first(3), last(3), extent(3), before, i

    ! The last ranks of a row have the larger parts: 10 rows on 3 ranks are 3, 3 and 4.
    call partition(nx, ny, nz, [1, 2, 3], first, last, extent)
    before = 0
    do i = 0, coord(1) - 1
      before = before + ny / dims(1) + merge(1, 0, i >= dims(1) - mod(ny, dims(1)))
    end do
    call check(first(2) == before + 1 .and. all(last - first + 1 == extent), 'partition')
    call check(all(first == xstart) .and. all(last == xend) .and. all(extent == xsize), 'x pencil')
    call check(sum(decomp_main%x1dist) == nx .and. sum(decomp_main%z2dist) == nz, 'distributions')
    call check(decomp_main%y1dist(coord(1)) == xsize(2), 'own part of a distribution')
    call check(xsize(1) == nx .and. ysize(2) == ny .and. zsize(3) == nz, 'whole axes')
    call check(decomp_2d_comm_cart_x /= MPI_COMM_NULL, 'communicators')
  end subroutine test_parts

  subroutine test_real()
    real(mytype), allocatable :: u1(:,:,:), u2(:,:,:), u3(:,:,:)
    integer :: i, j, k, round

    call alloc_x(u1, .true.)
    call alloc_y(u2, opt_global=.true.)
    call alloc_z(u3)
    call check(all(lbound(u1) == xstart) .and. all(ubound(u2) == yend), 'global bounds')
    call check(all(lbound(u3) == 1) .and. all(shape(u3) == zsize), 'local bounds')
    do round = 1, 2
      do k = xstart(3), xend(3)
        do j = xstart(2), xend(2)
          u1(:, j, k) = [(round * number(i, j, k), i=1, nx)]
        end do
      end do
      u2 = 0
      u3 = 0
      call transpose_x_to_y(u1, u2)
      call check(all([(((nint(u2(i, j, k)) == round * number(i, j, k), i=ystart(1), yend(1)), &
        j=1, ny), k=ystart(3), yend(3))]), 'x to y')
      call transpose_y_to_z(u2, u3)
      call check(all([(((nint(u3(i - zstart(1) + 1, j - zstart(2) + 1, k)) == round * &
        number(i, j, k), i=zstart(1), zend(1)), j=zstart(2), zend(2)), k=1, nz)]), 'y to z')
      u1 = 0
      u2 = 0
      call transpose_z_to_y(u3, u2)
      call transpose_y_to_x(u2, u1)
      call check(all([(((nint(u1(i, j, k)) == round * number(i, j, k), i=1, nx), &
        j=xstart(2), xend(2)), k=xstart(3), xend(3))]), 'z to y to x')
    end do
  end subroutine test_real

  ! The kind that is not mytype, and complex numbers of both.
  subroutine test_kinds()
    real(real32), allocatable :: a(:,:,:), b(:,:,:)
    complex(real32), allocatable :: c(:,:,:), d(:,:,:)
    complex(real64), allocatable :: e(:,:,:), f(:,:,:)
    integer, allocatable :: marks(:,:,:)
    logical, allocatable :: flags(:,:,:)
    integer :: i, j, k

    call alloc_x(a, .true.)
    call alloc_x(c, .true.)
    call alloc_x(e, .true.)
    call alloc_y(b, .true.)
    call alloc_y(d, .true.)
    call alloc_y(f, .true.)
    call alloc_x(marks, .true., [1, 0, 2])
    call check(all(lbound(marks) == xstart - [1, 0, 2]), 'opt_levels below')
    call check(all(ubound(marks) == xend + [1, 0, 2]), 'opt_levels above')
    call alloc_z(flags)
    call check(all(shape(flags) == zsize), 'logical')
    do k = xstart(3), xend(3)
      do j = xstart(2), xend(2)
        do i = 1, nx
          a(i, j, k) = real(number(i, j, k), real32)
          c(i, j, k) = cmplx(number(i, j, k), -1, real32)
          e(i, j, k) = cmplx(-2, number(i, j, k), real64)
        end do
      end do
    end do
    call transpose_x_to_y(a, b)
    call transpose_x_to_y(c, d)
    call transpose_x_to_y(e, f)
    call check(all([(((nint(b(i, j, k)) == number(i, j, k) .and. &
      nint(real(d(i, j, k))) == number(i, j, k) .and. nint(aimag(d(i, j, k))) == -1 .and. &
      nint(real(f(i, j, k))) == -2 .and. nint(aimag(f(i, j, k))) == number(i, j, k), &
      i=ystart(1), yend(1)), j=1, ny), k=ystart(3), yend(3))]), 'other kinds')
  end subroutine test_kinds

  ! A grid that is shorter than there are ranks along an axis.
  subroutine test_other_extents()
    type(decomp_info) :: info, copy
    complex(mytype), allocatable :: a(:,:,:), b(:,:,:), c(:,:,:)
    integer :: i, j, k

    call decomp_info_init(2, 3, 5, info)
    copy = info
    call alloc_x(a, info, .true.)
    call alloc_y(b, info, .true.)
    call alloc_z(c, info, .true.)
    call check(size(c, 3) == 5, 'z pencils of another grid')
    do k = info%xst(3), info%xen(3)
      do j = info%xst(2), info%xen(2)
        a(:, j, k) = [(cmplx(i, 10 * j + k, mytype), i=1, 2)]
      end do
    end do
    call transpose_x_to_y(a, b, info)
    call transpose_y_to_z(b, c, copy)
    call check(all([(((nint(real(c(i, j, k))) == i .and. nint(aimag(c(i, j, k))) == 10 * j + k, &
      i=info%zst(1), info%zen(1)), j=info%zst(2), info%zen(2)), k=1, 5)]), 'another grid')
    call decomp_info_finalize(info)
  end subroutine test_other_extents

  subroutine test_sections_and_near_memory()
    type(nearfar_transpose_side) :: x, y
    real(mytype), pointer, contiguous :: near_x(:,:,:), near_y(:,:,:)
    real(mytype), allocatable :: wide(:,:,:,:), b(:,:,:)
    integer :: i, j, k

    allocate (wide(xsize(1), xsize(2) + 2, xsize(3), 2))
    call alloc_y(b, .true.)
    x = nearfar_side(1)
    y = nearfar_side(2, decomp_main)
    call x%new_array(near_x)
    call y%new_array(near_y)
    do k = xstart(3), xend(3)
      do j = xstart(2), xend(2)
        near_x(:, j, k) = [(number(i, j, k), i=1, nx)]
        wide(:, j - xstart(2) + 2, k - xstart(3) + 1, 2) = near_x(:, j, k)
      end do
    end do
    call transpose_x_to_y(wide(:, 2:xsize(2) + 1, :, 2), b)
    call check(all([(((nint(b(i, j, k)) == number(i, j, k), i=ystart(1), yend(1)), j=1, ny), &
      k=ystart(3), yend(3))]), 'a section')
    call transpose_x_to_y(near_x, near_y)
    call check(all([(((nint(near_y(i, j, k)) == number(i, j, k), i=ystart(1), yend(1)), j=1, ny), &
      k=ystart(3), yend(3))]), 'near memory')
    call x%free_array(near_x)
    call y%free_array(near_y)
  end subroutine test_sections_and_near_memory

  ! Every pencil with every depth that all ranks have planes for, element by element: x and y are
  ! periodic, z is not.
  subroutine test_halo()
    integer :: least(3), level

    least = [minval(decomp_main%x1dist), minval(decomp_main%y1dist), minval(decomp_main%y2dist)]
    least(3) = min(least(3), minval(decomp_main%z2dist))
    do level = 0, min(3, minval(least))
      call test_layers(1, xstart, xend, level, any(dims == 1))
      call test_layers(2, ystart, yend, level, any(dims == 1))
      call test_layers(3, zstart, zend, level, any(dims == 1))
    end do
  end subroutine test_halo

  ! On slabs two pencils have the same sizes; the one that comes first is meant, and the third one
  ! is known.
  subroutine test_sizes_tell_the_pencil(known)
    integer, intent(in) :: known(2)
    integer :: pencil

    if (world_size == 1) return
    do pencil = 1, 3
      select case (pencil)
      case (1)
        call test_layers(pencil, xstart, xend, 1, .not. any(known == pencil))
      case (2)
        call test_layers(pencil, ystart, yend, 1, .not. any(known == pencil))
      case (3)
        call test_layers(pencil, zstart, zend, 1, .not. any(known == pencil))
      end select
    end do
  end subroutine test_sizes_tell_the_pencil

  ! Parts of more elements than an integer can count.
  subroutine test_large_grid(rows, columns)
    integer, intent(in) :: rows, columns
    integer :: p_row, p_col
    type(decomp_info) :: d

    p_row = rows
    p_col = columns
    call decomp_2d_init(2048 * rows, 2048, 1024 * columns, p_row, p_col)
    call get_decomp_info(d)
    call check(all([d%x1cnts, d%y1cnts, d%y2cnts, d%z2cnts] > 0), 'counts do not overflow')
    call check(all([d%x1disp, d%y1disp, d%y2disp, d%z2disp] >= 0), 'nor do displacements')
    call check(sum(d%x1dist) == 2048 * rows .and. sum(d%z2dist) == 1024 * columns, 'planes')
    call check(d%x1cnts(0) == min(2048_int64 * xsize(2) * xsize(3), int(huge(1), int64)), &
      'what is too large is huge(1)')
    call decomp_2d_finalize()
  end subroutine test_large_grid

  subroutine test_layers(pencil, first, last, level, must_be_told)
    integer, intent(in) :: pencil, first(3), last(3), level
    logical, intent(in) :: must_be_told
    real(mytype), allocatable :: u(:,:,:), h(:,:,:)
    complex(mytype), allocatable :: c(:,:,:), hc(:,:,:)
    type(halo_extents_t) :: e
    integer :: widths(3), i, j, k

    widths = merge(0, level, [1, 2, 3] == pencil)
    allocate (u(first(1):last(1), first(2):last(2), first(3):last(3)))
    do k = first(3), last(3)
      do j = first(2), last(2)
        u(:, j, k) = [(number(i, j, k), i=first(1), last(1))]
      end do
    end do
    c = cmplx(u, -u, mytype)
    if (must_be_told) then
      call update_halo(u, h, level, opt_global=.true., opt_pencil=pencil)
    else
      call update_halo(u, h, level, opt_global=.true.)
    end if
    call check(all(lbound(h) == first - widths), 'lower bounds with layers')
    call check(all(ubound(h) == last + widths), 'upper bounds with layers')
    call check(wrong(h, lbound(h)) == 0, 'layers')
    if (must_be_told) then
      call update_halo(c, hc, level, decomp_main, opt_pencil=pencil)
    else
      call update_halo(c, hc, level, decomp_main)
    end if
    call check(all(lbound(hc) == 1 - widths), 'local bounds with layers')
    call check(wrong(real(hc), lbound(h)) + wrong(-aimag(hc), lbound(h)) == 0, 'complex layers')

    e = halo_extents_t(pencil, shape(u), decomp_main, level, .true.)
    h = -1
    h(first(1):last(1), first(2):last(2), first(3):last(3)) = u
    call halo_exchange(h, pencil, e, level, shape(u))
    call check(wrong(h, lbound(h)) == 0, 'layers in an array that has them')
  end subroutine test_layers

  ! Elements that do not hold the number of their place; those beyond the ends of z may hold
  ! anything.
  pure integer function wrong(h, first)
    real(mytype), intent(in) :: h(:,:,:)
    integer, intent(in) :: first(3)
    integer :: i, j, k, z

    wrong = 0
    do k = 1, size(h, 3)
      z = first(3) + k - 1
      if (z < 1 .or. z > nz) cycle
      do j = 1, size(h, 2)
        do i = 1, size(h, 1)
          if (nint(h(i, j, k)) /= number(modulo(first(1) + i - 2, nx) + 1, &
            modulo(first(2) + j - 2, ny) + 1, z)) wrong = wrong + 1
        end do
      end do
    end do
  end function wrong

end program pencils_test
