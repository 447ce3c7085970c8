! SPDX-License-Identifier: BSD-3-Clause
! Three-dimensional transforms under the names of 2DECOMP&FFT: physical space in x or z pencils,
! spectral space in the other ones. Nothing is scaled.
module decomp_2d_fft
  use decomp_2d, only: decomp_info_finalize, decomp_info_init, nx_global, ny_global, nz_global
  use decomp_2d_mpi
  use m_info, only: decomp_info, decomp_main, is_near_memory, pencils_side, pencils_team
  use nearfar, only: nearfar_fft_backward, nearfar_fft_forward, nearfar_fft_layout, nearfar_fft_plan
  implicit none
  private
  public :: decomp_2d_fft_init, decomp_2d_fft_3d, decomp_2d_fft_finalize, decomp_2d_fft_get_size, &
    decomp_2d_fft_get_ph, decomp_2d_fft_get_sp, decomp_2d_fft_get_ngrid, &
    decomp_2d_fft_set_ngrid, decomp_2d_fft_use_grid, decomp_2d_fft_engine, &
    decomp_2d_fft_get_engine, decomp_2d_fft_get_format, decomp_2d_fft_get_inplace, &
    decomp_2d_fft_get_inplace_r2c, decomp_2d_fft_get_inplace_c2r
  ! Programs of the first version know these from here.
  public :: DECOMP_2D_FFT_FORWARD, DECOMP_2D_FFT_BACKWARD, PHYSICAL_IN_X, PHYSICAL_IN_Z

  integer, parameter, public :: D2D_FFT_BACKEND = D2D_FFT_BACKEND_GENERIC
  integer, parameter :: complex_input = 1, real_input = 2

  !> One grid. Plans are made when arrays of their kind come for the first time: complex or real
  !> input, precision, and which of both arrays lie in near memory.
  type :: decomp_2d_fft_engine
    type(decomp_info), pointer :: ph => null(), sp => null()  !! physical, spectral (of real input)
    integer, private :: format = 0, extents(3) = 0
    logical, private :: is_ready = .false., is_inplace = .false., is_skipped(3) = .false.
    type(nearfar_fft_layout), private :: layouts(2)
    type(nearfar_fft_plan), private :: plans(2, 2, 0:3)
    logical, private :: has_layout(2) = .false., has_plan(2, 2, 0:3) = .false.
  contains
    procedure :: init => engine_init
    procedure :: fin => engine_fin
    procedure :: use_it => engine_use_it
    procedure, private :: engine_c2c, engine_r2c, engine_c2r
    generic :: fft => engine_c2c, engine_r2c, engine_c2r
  end type decomp_2d_fft_engine

  interface decomp_2d_fft_init
    module procedure init_plain, init_pencil, init_grid, init_numbered
  end interface decomp_2d_fft_init

  !> decomp_2d_fft_3d(in, out, sign): complex; (in, out): real to complex and complex to real.
  !> `in` keeps its contents. Collective.
  interface decomp_2d_fft_3d
    module procedure c2c_32, c2c_64, r2c_32, r2c_64, c2r_32, c2r_64
  end interface decomp_2d_fft_3d

  type(decomp_2d_fft_engine), allocatable, target, save :: grids(:)
  class(decomp_2d_fft_engine), pointer, save :: now => null()

contains

  ! ---- grids ----

  subroutine init_plain()
    call decomp_2d_fft_init(PHYSICAL_IN_X)
  end subroutine init_plain

  subroutine init_pencil(pencil, opt_skip_XYZ_c2c)
    integer, intent(in) :: pencil
    logical, intent(in), optional :: opt_skip_XYZ_c2c(3)
    call decomp_2d_fft_init(pencil, nx_global, ny_global, nz_global, &
      opt_skip_XYZ_c2c=opt_skip_XYZ_c2c)
  end subroutine init_pencil

  subroutine init_grid(pencil, nx, ny, nz, opt_inplace, opt_inplace_r2c, opt_inplace_c2r, &
    opt_skip_XYZ_c2c)
    integer, intent(in) :: pencil, nx, ny, nz
    logical, intent(in), optional :: opt_inplace, opt_inplace_r2c, opt_inplace_c2r
    logical, intent(in), optional :: opt_skip_XYZ_c2c(3)
    call decomp_2d_fft_set_ngrid(1)
    call decomp_2d_fft_init(pencil, nx, ny, nz, 1, opt_inplace, opt_inplace_r2c, &
      opt_inplace_c2r, opt_skip_XYZ_c2c)
  end subroutine init_grid

  subroutine init_numbered(pencil, nx, ny, nz, igrid, opt_inplace, opt_inplace_r2c, &
    opt_inplace_c2r, opt_skip_XYZ_c2c)
    integer, intent(in) :: pencil, nx, ny, nz, igrid
    logical, intent(in), optional :: opt_inplace, opt_inplace_r2c, opt_inplace_c2r
    logical, intent(in), optional :: opt_skip_XYZ_c2c(3)
    call require_grid(igrid)
    call grids(igrid)%init(pencil, nx, ny, nz, opt_inplace, opt_inplace_r2c, opt_inplace_c2r, &
      opt_skip_XYZ_c2c)
  end subroutine init_numbered

  subroutine require_grid(igrid)
    integer, intent(in) :: igrid
    if (igrid < 1 .or. igrid > decomp_2d_fft_get_ngrid()) call decomp_2d_abort(igrid, &
      'decomp_2d_fft: there is no grid of this number')
  end subroutine require_grid

  !> Frees the plans of all numbered grids. Collective.
  subroutine decomp_2d_fft_finalize()
    integer :: i

    do i = 1, decomp_2d_fft_get_ngrid()
      if (grids(i)%is_ready) call grids(i)%fin()
    end do
    if (allocated(grids)) deallocate (grids)
    now => null()
  end subroutine decomp_2d_fft_finalize

  !> Grids beyond the new number are finalised. Collective.
  subroutine decomp_2d_fft_set_ngrid(ngrd)
    integer, intent(in) :: ngrd
    type(decomp_2d_fft_engine), allocatable :: others(:)
    integer :: kept, i

    if (ngrd < 1) call decomp_2d_abort(ngrd, 'decomp_2d_fft_set_ngrid: 1 or more')
    allocate (others(ngrd))
    kept = min(ngrd, decomp_2d_fft_get_ngrid())
    do i = kept + 1, decomp_2d_fft_get_ngrid()
      if (grids(i)%is_ready) call grids(i)%fin()
    end do
    if (kept > 0) others(:kept) = grids(:kept)
    now => null()
    call move_alloc(others, grids)
  end subroutine decomp_2d_fft_set_ngrid

  integer function decomp_2d_fft_get_ngrid()
    decomp_2d_fft_get_ngrid = 0
    if (allocated(grids)) decomp_2d_fft_get_ngrid = size(grids)
  end function decomp_2d_fft_get_ngrid

  subroutine decomp_2d_fft_use_grid(igrid)
    integer, intent(in), optional :: igrid
    integer :: which

    which = 1
    if (present(igrid)) which = igrid
    call require_grid(which)
    call grids(which)%use_it()
  end subroutine decomp_2d_fft_use_grid

  function decomp_2d_fft_get_engine(igrid) result(engine)
    integer, intent(in), optional :: igrid
    type(decomp_2d_fft_engine), pointer :: engine
    integer :: which

    which = 1
    if (present(igrid)) which = igrid
    call require_grid(which)
    engine => grids(which)
  end function decomp_2d_fft_get_engine

  ! ---- the grid in use ----

  subroutine require_ready()
    if (.not. associated(now)) &
      call decomp_2d_abort(1, 'decomp_2d_fft: call decomp_2d_fft_init first')
  end subroutine require_ready

  !> First and last index and size of the spectral array of real input.
  subroutine decomp_2d_fft_get_size(istart, iend, isize)
    integer, intent(out) :: istart(3), iend(3), isize(3)

    call require_ready()
    if (now%format == PHYSICAL_IN_X) then
      istart = now%sp%zst
      iend = now%sp%zen
      isize = now%sp%zsz
    else
      istart = now%sp%xst
      iend = now%sp%xen
      isize = now%sp%xsz
    end if
  end subroutine decomp_2d_fft_get_size

  function decomp_2d_fft_get_ph() result(info)
    type(decomp_info), pointer :: info
    call require_ready()
    info => now%ph
  end function decomp_2d_fft_get_ph

  function decomp_2d_fft_get_sp() result(info)
    type(decomp_info), pointer :: info
    call require_ready()
    info => now%sp
  end function decomp_2d_fft_get_sp

  integer function decomp_2d_fft_get_format()
    call require_ready()
    decomp_2d_fft_get_format = now%format
  end function decomp_2d_fft_get_format

  logical function decomp_2d_fft_get_inplace()
    call require_ready()
    decomp_2d_fft_get_inplace = now%is_inplace
  end function decomp_2d_fft_get_inplace

  logical function decomp_2d_fft_get_inplace_r2c()
    decomp_2d_fft_get_inplace_r2c = .false.
  end function decomp_2d_fft_get_inplace_r2c

  logical function decomp_2d_fft_get_inplace_c2r()
    decomp_2d_fft_get_inplace_c2r = .false.
  end function decomp_2d_fft_get_inplace_c2r

  ! ---- engines ----

  !> opt_inplace allows to overwrite complex input; that is never done here. Collective.
  subroutine engine_init(engine, pencil, nx, ny, nz, opt_inplace, opt_inplace_r2c, &
    opt_inplace_c2r, opt_skip_XYZ_c2c)
    class(decomp_2d_fft_engine), intent(inout), target :: engine
    integer, intent(in) :: pencil, nx, ny, nz
    logical, intent(in), optional :: opt_inplace, opt_inplace_r2c, opt_inplace_c2r
    logical, intent(in), optional :: opt_skip_XYZ_c2c(3)
    integer :: half(3)

    if (engine%is_ready) call decomp_2d_abort(4, 'decomp_2d_fft: this engine is initialised')
    if (pencil /= PHYSICAL_IN_X .and. pencil /= PHYSICAL_IN_Z) call decomp_2d_abort(pencil, &
      'decomp_2d_fft: pencil is PHYSICAL_IN_X or PHYSICAL_IN_Z')
    if (min(nx, ny, nz) < 1) call decomp_2d_abort(min(nx, ny, nz), &
      'decomp_2d_fft: extents are 1 or more')
    if (present(opt_inplace_r2c) .or. present(opt_inplace_c2r)) call decomp_2d_warning(1, &
      'decomp_2d_fft: real transforms are not done in place')
    engine%format = pencil
    engine%extents = [nx, ny, nz]
    engine%is_inplace = .false.  ! what an earlier init asked for is over
    engine%is_skipped = .false.
    if (present(opt_inplace)) engine%is_inplace = opt_inplace
    if (present(opt_skip_XYZ_c2c)) engine%is_skipped = opt_skip_XYZ_c2c
    engine%ph => decomp_main
    if (any(engine%extents /= [nx_global, ny_global, nz_global])) then
      allocate (engine%ph)
      call decomp_info_init(nx, ny, nz, engine%ph)
    end if
    half = engine%extents
    half(pencil) = half(pencil) / 2 + 1
    allocate (engine%sp)
    call decomp_info_init(half(1), half(2), half(3), engine%sp)
    engine%is_ready = .true.
    call engine%use_it()
  end subroutine engine_init

  !> Collective.
  subroutine engine_fin(engine)
    class(decomp_2d_fft_engine), intent(inout), target :: engine
    integer :: input, precision, near

    do near = 0, 3
      do precision = 1, 2
        do input = 1, 2
          if (engine%has_plan(input, precision, near)) &
            call engine%plans(input, precision, near)%free()
        end do
      end do
    end do
    do input = 1, 2
      if (engine%has_layout(input)) call engine%layouts(input)%free()
    end do
    engine%has_plan = .false.
    engine%has_layout = .false.
    if (associated(engine%sp)) then
      call decomp_info_finalize(engine%sp)
      deallocate (engine%sp)
    end if
    if (associated(engine%ph) .and. .not. associated(engine%ph, decomp_main)) then
      call decomp_info_finalize(engine%ph)
      deallocate (engine%ph)
    end if
    engine%ph => null()
    engine%is_ready = .false.
    if (associated(now, engine)) now => null()
  end subroutine engine_fin

  subroutine engine_use_it(engine, opt_force)
    class(decomp_2d_fft_engine), intent(in), target :: engine
    logical, intent(in), optional :: opt_force
    logical :: is_forced

    is_forced = .false.
    if (present(opt_force)) is_forced = opt_force
    if (.not. (engine%is_ready .or. is_forced)) &
      call decomp_2d_abort(1, 'decomp_2d_fft: this engine is not initialised')
    now => engine
  end subroutine engine_use_it

  subroutine make_layout(engine, input)
    class(decomp_2d_fft_engine), intent(inout) :: engine
    integer, intent(in) :: input
    character(4) :: kinds(3)
    integer :: other

    kinds = merge('none', 'c2c ', engine%is_skipped)
    other = PHYSICAL_IN_X + PHYSICAL_IN_Z - engine%format
    if (input == real_input) then
      if (engine%is_skipped(engine%format)) call decomp_2d_warning(1, &
        'decomp_2d_fft: the transform of reals cannot be skipped')
      kinds(engine%format) = 'r2c'
      call engine%layouts(input)%create(pencils_team(), engine%extents, kinds=kinds, &
        physical=pencils_side(engine%ph, engine%format), spectral=pencils_side(engine%sp, other))
    else
      if (all(engine%is_skipped)) call decomp_2d_abort(1, &
        'decomp_2d_fft: all axes are to be skipped')
      call engine%layouts(input)%create(pencils_team(), engine%extents, kinds=kinds, &
        physical=pencils_side(engine%ph, engine%format), spectral=pencils_side(engine%ph, other))
    end if
    engine%has_layout(input) = .true.
  end subroutine make_layout

  subroutine run(engine, input, precision, is_forward, physical, spectral)
    class(decomp_2d_fft_engine), intent(inout) :: engine
    integer, intent(in) :: input, precision
    logical, intent(in) :: is_forward
    type(*), dimension(..), target :: physical, spectral
    integer :: near

    if (.not. engine%has_layout(input)) call make_layout(engine, input)
    near = merge(2, 0, is_near_memory(physical)) + merge(1, 0, is_near_memory(spectral))
    associate (plan => engine%plans(input, precision, near))
      if (.not. engine%has_plan(input, precision, near)) then
        call plan%create(engine%layouts(input), physical, spectral, name='decomp_2d_fft_3d')
        engine%has_plan(input, precision, near) = .true.
      end if
      if (is_forward) then
        call plan%run(nearfar_fft_forward, physical, spectral)
      else
        call plan%run(nearfar_fft_backward, spectral, physical)
      end if
    end associate
  end subroutine run

  subroutine run_complex(precision, in, out, isign)
    integer, intent(in) :: precision, isign
    type(*), dimension(..), intent(inout), target :: in, out

    call require_ready()
    if (isign == DECOMP_2D_FFT_FORWARD) then
      call run(now, complex_input, precision, .true., in, out)
    else if (isign == DECOMP_2D_FFT_BACKWARD) then
      call run(now, complex_input, precision, .false., out, in)
    else
      call decomp_2d_abort(isign, 'decomp_2d_fft_3d: the sign is -1 (forward) or 1 (backward)')
    end if
  end subroutine run_complex

  subroutine c2c_32(in, out, isign)
    complex(real32), contiguous, intent(inout), target :: in(:,:,:), out(:,:,:)
    integer, intent(in) :: isign
    call run_complex(1, in, out, isign)
  end subroutine c2c_32

  subroutine c2c_64(in, out, isign)
    complex(real64), contiguous, intent(inout), target :: in(:,:,:), out(:,:,:)
    integer, intent(in) :: isign
    call run_complex(2, in, out, isign)
  end subroutine c2c_64

  subroutine r2c_32(in_r, out_c)
    real(real32), contiguous, intent(in), target :: in_r(:,:,:)
    complex(real32), contiguous, intent(inout), target :: out_c(:,:,:)
    call require_ready()
    call run(now, real_input, 1, .true., in_r, out_c)
  end subroutine r2c_32

  subroutine r2c_64(in_r, out_c)
    real(real64), contiguous, intent(in), target :: in_r(:,:,:)
    complex(real64), contiguous, intent(inout), target :: out_c(:,:,:)
    call require_ready()
    call run(now, real_input, 2, .true., in_r, out_c)
  end subroutine r2c_64

  subroutine c2r_32(in_c, out_r)
    complex(real32), contiguous, intent(inout), target :: in_c(:,:,:)
    real(real32), contiguous, intent(inout), target :: out_r(:,:,:)
    call require_ready()
    call run(now, real_input, 1, .false., out_r, in_c)
  end subroutine c2r_32

  subroutine c2r_64(in_c, out_r)
    complex(real64), contiguous, intent(inout), target :: in_c(:,:,:)
    real(real64), contiguous, intent(inout), target :: out_r(:,:,:)
    call require_ready()
    call run(now, real_input, 2, .false., out_r, in_c)
  end subroutine c2r_64

  subroutine engine_c2c(engine, in, out, isign)
    class(decomp_2d_fft_engine), intent(in), target :: engine
    complex(mytype), contiguous, intent(inout), target :: in(:,:,:), out(:,:,:)
    integer, intent(in) :: isign
    call engine%use_it()
    call decomp_2d_fft_3d(in, out, isign)
  end subroutine engine_c2c

  subroutine engine_r2c(engine, in, out)
    class(decomp_2d_fft_engine), intent(in), target :: engine
    real(mytype), contiguous, intent(inout), target :: in(:,:,:)
    complex(mytype), contiguous, intent(inout), target :: out(:,:,:)
    call engine%use_it()
    call decomp_2d_fft_3d(in, out)
  end subroutine engine_r2c

  subroutine engine_c2r(engine, in, out)
    class(decomp_2d_fft_engine), intent(in), target :: engine
    complex(mytype), contiguous, intent(inout), target :: in(:,:,:)
    real(mytype), contiguous, intent(inout), target :: out(:,:,:)
    call engine%use_it()
    call decomp_2d_fft_3d(in, out)
  end subroutine engine_c2r

end module decomp_2d_fft
