! SPDX-License-Identifier: BSD-3-Clause
! Files as 2DECOMP&FFT writes them: whole arrays in Fortran's order, read here by a single rank.
program files_test
  use, intrinsic :: iso_fortran_env, only: real32
  use decomp_2d
  use decomp_2d_constants
  use decomp_2d_io
  use decomp_2d_io_object_mpi
  use decomp_2d_mpi
  use mpi
  use nearfar_testing, only: check, testing_begin, testing_end
  implicit none  ! MPICH's module mpi declares few of its procedures
  integer, parameter :: nx = 7, ny = 6, nz = 9, other(3) = [5, 8, 4]
  character(40) :: place
  character(:), allocatable :: folder  ! of this run: others may be under way
  type(decomp_info) :: small
  integer :: p_row = 0, p_col = 0, ierror, pencil

  call testing_begin()
  call decomp_2d_init(nx, ny, nz, p_row, p_col)
  call decomp_info_init(other(1), other(2), other(3), small)
  call decomp_2d_io_init()
  write (place, '(a,i0,a,i0)') 'decomp_2d_files_', nproc, '_', mytype
  folder = trim(place)
  if (nrank == 0) call execute_command_line('mkdir -p ' // folder)
  call MPI_Barrier(decomp_2d_comm, ierror)
  do pencil = 1, 3
    call test_one(pencil)
    call test_var(pencil)
    call test_parts(pencil)
    call test_planes(pencil)
  end do
  call test_kinds()
  call test_named()
  call test_meshes()
  call test_request()
  call MPI_Barrier(decomp_2d_comm, ierror)
  if (nrank == 0) call execute_command_line('rm -r ' // folder)
  call decomp_2d_io_fin()
  call decomp_info_finalize(small)
  call decomp_2d_finalize()
  call testing_end()

contains

  ! The number of a point of the grid.
  pure elemental real(mytype) function at(i, j, k)
    integer, intent(in) :: i, j, k
    at = i + 100 * j + 10000 * k
  end function at

  function filled(first, last) result(u)
    integer, intent(in) :: first(3), last(3)
    real(mytype), allocatable :: u(:,:,:)
    integer :: i, j, k
    allocate (u(first(1):last(1), first(2):last(2), first(3):last(3)))
    do k = first(3), last(3)
      do j = first(2), last(2)
        do i = first(1), last(1)
          u(i, j, k) = at(i, j, k)
        end do
      end do
    end do
  end function filled

  function pencil_of(pencil, decomp) result(u)
    integer, intent(in) :: pencil
    type(decomp_info), intent(in) :: decomp
    real(mytype), allocatable :: u(:,:,:)
    if (pencil == 1) u = filled(decomp%xst, decomp%xen)
    if (pencil == 2) u = filled(decomp%yst, decomp%yen)
    if (pencil == 3) u = filled(decomp%zst, decomp%zen)
  end function pencil_of

  ! The file holds these values after `before` bytes, and no more if it is to end there.
  subroutine check_file(name, values, before, what)
    character(*), intent(in) :: name, what
    real(mytype), intent(in) :: values(:)
    integer, intent(in) :: before
    real(mytype) :: found(size(values))
    integer :: unit, bytes, status
    logical :: is_right

    call MPI_Barrier(decomp_2d_comm, ierror)
    is_right = .true.
    if (nrank == 0) then
      open (newunit=unit, file=name, access='stream', form='unformatted', status='old', &
        action='read', iostat=status)
      is_right = status == 0
      if (is_right) then
        read (unit, pos=before + 1, iostat=status) found
        inquire (unit, size=bytes)
        is_right = status == 0 .and. all(abs(found - values) <= 0) .and. &
          bytes >= before + size(values) * mytype_bytes
        close (unit)
      end if
    end if
    call check(is_right, what)
  end subroutine check_file

  function whole(first, last, step) result(values)
    integer, intent(in) :: first(3), last(3), step(3)
    real(mytype), allocatable :: values(:), u(:,:,:)
    u = filled([1, 1, 1], last)
    values = reshape(u(first(1)::step(1), first(2)::step(2), first(3)::step(3)), &
      [product((last - first) / step + 1)])
  end function whole

  subroutine test_one(pencil)
    integer, intent(in) :: pencil
    real(mytype), allocatable :: u(:,:,:), v(:,:,:)

    u = pencil_of(pencil, decomp_main)
    call decomp_2d_write_one(pencil, u, folder // '/one')
    call check_file(folder // '/one', whole([1, 1, 1], [nx, ny, nz], [1, 1, 1]), 0, 'write_one')
    v = -u
    call decomp_2d_read_one(pencil, v, 'one', opt_dirname=folder)
    call check(all(abs(u - v) <= 0), 'read_one')
    call decomp_2d_write_one(pencil, pencil_of(pencil, small), folder // '/small', small)
    call check_file(folder // '/small', whole([1, 1, 1], other, [1, 1, 1]), 0, &
      'write_one of another grid')
  end subroutine test_one

  subroutine test_kinds()
    real(mytype), allocatable :: u(:,:,:), v(:,:,:)
    complex(mytype), allocatable :: c(:,:,:), d(:,:,:)
    integer, allocatable :: i(:,:,:), j(:,:,:)
    logical, allocatable :: l(:,:,:), m(:,:,:)
    real(real32), allocatable :: s(:,:,:)

    u = pencil_of(1, decomp_main)
    c = cmplx(u, -u, mytype)
    d = 0 * c
    call decomp_2d_write_one(1, c, folder // '/complex')
    call decomp_2d_read_one(1, d, folder // '/complex')
    call check(all(abs(c - d) <= 0), 'complex')
    i = int(u)
    j = 0 * i
    call decomp_2d_write_one(1, i, 'integers', opt_dirname=folder)
    call decomp_2d_read_one(1, j, 'integers', opt_dirname=folder)
    call check(all(i == j), 'integers')
    l = mod(i, 3) == 0
    m = .not. l
    call decomp_2d_write_one(1, l, 'logicals', opt_dirname=folder)
    call decomp_2d_read_one(1, m, 'logicals', opt_dirname=folder)
    call check(all(l .eqv. m), 'logicals')
    call decomp_2d_write_one(1, u, 'single', opt_dirname=folder, opt_reduce_prec=.true.)
    s = 0 * real(u, real32)
    call decomp_2d_read_one(1, s, 'single', opt_dirname=folder)
    call check(all(abs(s - real(u, real32)) <= 0), 'single precision')
    ! An array with gaps.
    call decomp_2d_write_one(1, reversed(u), folder // '/reversed')
    v = 0 * u
    call decomp_2d_read_one(1, v(size(v, 1):1:-1, :, :), folder // '/reversed')
    call check(all(abs(v - u) <= 0), 'sections of arrays')
  end subroutine test_kinds

  function reversed(u) result(v)
    real(mytype), intent(in) :: u(:,:,:)
    real(mytype), allocatable :: v(:,:,:)
    v = u(size(u, 1):1:-1, :, :)
  end function reversed

  ! Several arrays and numbers in one file, by both kinds of handles.
  subroutine test_var(pencil)
    integer, intent(in) :: pencil
    type(d2d_io_mpi) :: io
    real(mytype), allocatable :: u(:,:,:), v(:,:,:), w(:,:,:)
    integer(MPI_OFFSET_KIND) :: disp
    integer :: numbers(3), fh

    u = pencil_of(pencil, decomp_main)
    w = pencil_of(pencil, small)
    call io%open('vars', decomp_2d_write_mode, opt_dirname=folder)
    call decomp_2d_write_var(io, pencil, u)
    call decomp_2d_write_scalar(io, 3, [4, 5, nproc])
    call decomp_2d_write_var(io, pencil, w, opt_decomp=small)
    call io%close()
    call check_file(folder // '/vars', whole([1, 1, 1], [nx, ny, nz], [1, 1, 1]), 0, 'first of all')
    call check_file(folder // '/vars', whole([1, 1, 1], other, [1, 1, 1]), &
      nx * ny * nz * mytype_bytes + 12, 'last of all')
    v = 0 * u
    call MPI_File_open(decomp_2d_comm, folder // '/vars', MPI_MODE_RDONLY, MPI_INFO_NULL, fh, &
      ierror)
    disp = 0
    call decomp_2d_read_var(fh, disp, pencil, v)
    numbers = 0
    call decomp_2d_read_scalar(fh, disp, 3, numbers)
    call check(all(abs(u - v) <= 0) .and. all(numbers == [4, 5, nproc]), &
      'read by a file of its own')
    v = 0 * w
    call decomp_2d_read_var(fh, disp, pencil, v, small)
    call check(all(abs(w - v) <= 0), 'read of another grid')
    call check(disp == (nx * ny * nz + product(other)) * mytype_bytes + 12, 'place in the file')
    call MPI_File_close(fh, ierror)
  end subroutine test_var

  subroutine test_parts(pencil)
    integer, intent(in) :: pencil
    real(mytype), allocatable :: u(:,:,:)
    logical :: from1
    integer :: step

    u = pencil_of(pencil, decomp_main)
    call decomp_2d_write_subdomain(pencil, u, 2, 5, 3, 3, 1, nz, folder // '/part')
    call check_file(folder // '/part', &
      reshape(whole_box([2, 3, 1], [5, 3, nz]), [4 * nz]), 0, 'write_subdomain')
    do step = 0, 1
      from1 = step == 0
      call decomp_2d_write_every(pencil, u, 2, 3, 4, folder // '/every', from1)
      call check_file(folder // '/every', whole(merge([1, 1, 1], [2, 3, 4], from1), [nx, ny, nz], &
        [2, 3, 4]), 0, 'write_every')
    end do
  end subroutine test_parts

  function whole_box(first, last) result(u)
    integer, intent(in) :: first(3), last(3)
    real(mytype), allocatable :: u(:,:,:)
    u = filled(first, last)
  end function whole_box

  ! Planes across each axis, from each pencil; means; planes of the pencil.
  subroutine test_planes(pencil)
    integer, intent(in) :: pencil
    real(mytype), allocatable :: u(:,:,:), two(:,:,:), back(:,:,:)
    integer :: axis, first(3), last(3), part(3)

    u = pencil_of(pencil, decomp_main)
    do axis = 1, 3
      first = 1
      last = [nx, ny, nz]
      first(axis) = 4
      last(axis) = 4
      call decomp_2d_write_plane(pencil, u, axis, 4, folder, 'plane', 'planes')
      call check_file(folder // '/plane', reshape(whole_box(first, last), &
        [product(last - first + 1)]), 0, 'write_plane')
      call decomp_2d_write_plane(pencil, cmplx(u, 1, mytype), axis, 4, folder, 'plane', 'planes')
    end do
    call decomp_2d_write_plane(pencil, 0 * u + 3, 1, 0, folder, 'mean', 'planes')
    call check_file(folder // '/mean', spread(3.0_mytype, 1, ny * nz), 0, 'mean')
    first = 1
    last = [nx, ny, nz]
    first(pencil) = 2
    last(pencil) = 2
    call decomp_2d_write_plane(pencil, u, 'own', opt_iplane=2, opt_dirname=folder)
    call check_file(folder // '/own', reshape(whole_box(first, last), &
      [product(last - first + 1)]), 0, 'plane of the pencil')
    part = shape(u)
    part(pencil) = 2
    two = reshape(spread(1.0_mytype * nrank, 1, product(part)), part)
    back = 0 * two - 1
    call decomp_2d_write_plane(pencil, two, 'two', opt_nplanes=2, opt_dirname=folder)
    call decomp_2d_read_plane(pencil, back, 'two', 2, opt_dirname=folder)
    call check(all(abs(two - back) <= 0), 'two planes')
  end subroutine test_planes

  ! Open under a name, two arrays one after the other; not open, a file in a folder; flows.
  subroutine test_named()
    real(mytype), allocatable :: u(:,:,:), v(:,:,:), flow(:,:,:)
    integer :: k

    u = pencil_of(1, decomp_main)
    call decomp_2d_init_io('io')
    call decomp_2d_open_io('io', folder // '/both', decomp_2d_write_mode)
    call decomp_2d_write_one(1, u, folder // '/both', 'u', 0, 'io')
    call decomp_2d_write_one(1, 2 * u, folder // '/both', 'v', 0, 'io')
    call decomp_2d_close_io('io', folder // '/both')
    call check_file(folder // '/both', 2 * whole([1, 1, 1], [nx, ny, nz], [1, 1, 1]), &
      nx * ny * nz * mytype_bytes, 'second array')
    v = 0 * u
    call decomp_2d_open_io('io', folder // '/both', decomp_2d_read_mode)
    call decomp_2d_read_one(1, v, folder // '/both', 'u', 'io')
    call decomp_2d_read_one(1, v, folder // '/both', 'v', 'io')
    call decomp_2d_close_io('io', folder // '/both')
    call check(all(abs(v - 2 * u) <= 0), 'read under names')
    call decomp_2d_write_one(1, u, folder // '/new', 'u', 0, 'io')
    v = 0 * u
    call decomp_2d_read_one(1, v, folder // '/new', 'u', 'io')
    call check(all(abs(v - u) <= 0), 'a folder of its own')
    allocate (flow(3, xsize(2), xsize(3)))
    do k = 1, 3
      flow(k, :, :) = k + u(1, :, :)
    end do
    call decomp_2d_open_io('io', folder // '/flow', decomp_2d_write_mode)
    call decomp_2d_write_outflow(folder // '/flow', 'u', 3, flow, 'io')
    call decomp_2d_close_io('io', folder // '/flow')
    v = 0 * flow
    call decomp_2d_open_io('io', folder // '/flow', decomp_2d_read_mode)
    call decomp_2d_read_inflow(folder // '/flow', 'u', 3, v, 'io')
    call decomp_2d_close_io('io', folder // '/flow')
    call check(all(abs(v - flow) <= 0), 'flows')
  end subroutine test_named

  subroutine test_meshes()
    real(mytype), allocatable :: u(:,:,:), coarse(:,:,:), probes(:,:,:,:)
    integer :: step

    u = pencil_of(2, decomp_main)
    do step = 0, 1
      call init_coarser_mesh_statS(3, 2, 4, step == 0)
      allocate (coarse(ystS(1):yenS(1), ystS(2):yenS(2), ystS(3):yenS(3)))
      call check(all(shape(coarse) == yszS), 'sizes of a coarse mesh')
      call fine_to_coarseS(2, u, coarse)
      call decomp_2d_write_one(2, coarse, folder, 'coarse', 1, 'io')
      call check_file(folder // '/coarse', whole(merge([1, 1, 1], [3, 2, 4], step == 0), &
        [nx, ny, nz], [3, 2, 4]), 0, 'coarse mesh')
      deallocate (coarse)
    end do
    call init_coarser_mesh_statP(2, 2, 2, .true.)
    allocate (coarse(xszP(1), xszP(2), xszP(3)), probes(xszP(1), xszP(2), xszP(3), 2))
    u = pencil_of(1, decomp_main)
    call fine_to_coarseP(1, u, coarse)
    probes(:, :, :, 1) = coarse
    probes(:, :, :, 2) = -coarse
    call decomp_2d_write_one(1, probes, folder // '/probes', 2)
    call check_file(folder // '/probes', [whole([1, 1, 1], [nx, ny, nz], [2, 2, 2]), &
      -whole([1, 1, 1], [nx, ny, nz], [2, 2, 2])], 0, 'probes')
  end subroutine test_meshes

  subroutine test_request()
    type(d2d_io_mpi) :: io
    real(mytype), allocatable :: u(:,:,:), v(:,:,:)
    integer :: request

    u = pencil_of(1, decomp_main)
    v = 0 * u
    request = MPI_REQUEST_NULL
    call decomp_2d_write_one(1, u, 'later', opt_dirname=folder, opt_nb_req=request, opt_io=io)
    call decomp_2d_mpi_wait(request)
    call io%close()
    call decomp_2d_read_one(1, v, 'later', opt_dirname=folder, opt_nb_req=request, opt_io=io)
    call decomp_2d_mpi_wait(request)
    call io%close()
    call check(all(abs(u - v) <= 0) .and. request == MPI_REQUEST_NULL, 'with a request')
  end subroutine test_request

end program files_test
