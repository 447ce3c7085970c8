! SPDX-License-Identifier: BSD-3-Clause
! Fourier, cosine and sine transforms along the axes of a distributed grid. Axes are listed fastest
! first and numbered from 1. Definitions are FFTW's; forward has exp(-2 pi i jk/n).
!
! kinds names what is done along each axis: 'c2c', 'r2c' (at most one), 'none', 'dct1' to 'dct4',
! 'dst1' to 'dst4'. modes: how many modes of an axis there are on the spectral side, 0 for all.
module nearfar_ffts
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_int, &
    c_int64_t, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use nearfar_c, only: nearfar_fft_plan_team, &
    nearfar_fft_layout_team, &
    c_expected_array, c_fft_layout_options, c_fft_options, c_fft_shape, &
    c_transpose_side, nearfar_agree, nearfar_fft_layout_create, nearfar_fft_layout_describe, &
    nearfar_fft_layout_free, nearfar_fft_layout_is_physical_complex, &
    nearfar_fft_layout_is_spectral_complex, nearfar_fft_layout_physical, &
    nearfar_fft_layout_spectral, nearfar_fft_padded, nearfar_fft_plan_create, &
    nearfar_fft_plan_describe, nearfar_fft_plan_describe_json, nearfar_fft_plan_finish, &
    nearfar_fft_plan_free, nearfar_fft_plan_layout, nearfar_fft_plan_method, &
    nearfar_fft_plan_physical, nearfar_fft_plan_spectral, nearfar_fft_plan_test, &
    nearfar_fft_plan_tuned_seconds, nearfar_fft_plan_work_bytes, nearfar_fft_truncated, &
    nearfar_fortran_fft_create, nearfar_fortran_fft_start, nearfar_refuse
  use nearfar_constants, only: nearfar_element_float32, nearfar_element_float64, nearfar_fft_c2c, &
    nearfar_fft_forward, nearfar_max_dimensions
  use nearfar_decompositions, only: nearfar_decomposition
  use nearfar_faults, only: c_text, description_of, settle, text_of, text_of_number
  use nearfar_objects, only: borrow, freeable, hold, live, nearfar_object, release
  use nearfar_plan_options, only: any_copy, choice, copy_complaint, given, kept_texts, tell
  use nearfar_teams, only: nearfar_team
  use nearfar_words, only: fft_fusion_words, fft_kind_words, fft_nyquist_words, fft_scaling_words
  use nearfar_transposes, only: c_side_of, c_side_read, expected, nearfar_transpose_side, &
    rank_complaint, shape_array
  implicit none (type, external)
  private
  public :: nearfar_fft_plan, nearfar_fft_layout, nearfar_fft_padded_extents, &
    nearfar_fft_truncated_modes

  !> Where the elements of the physical and the spectral grid lie. Copies mean the same layout.
  type, extends(nearfar_object) :: nearfar_fft_layout
    type(nearfar_team), private :: members
  contains
    procedure, private :: layout_create_32, layout_create_64
    generic :: create => layout_create_32, layout_create_64
    procedure :: physical => layout_physical  !! sides, whose new_array allocates arrays
    procedure :: spectral => layout_spectral  !! the side of the coefficients; local
    procedure :: team => fft_layout_team              !! whose ranks it works for; local
    procedure :: describe => fft_layout_describe
    procedure :: free => fft_layout_free          !! local; plans keep working, its sides do not
  end type nearfar_fft_layout

  !> Transforms between arrays of both sides, real or complex as the layout says, in the precision
  !> of those that the plan was made with. Between start_… and finish arrays must not be touched,
  !> and must be targets (or pointers). Input is preserved unless both arrays are the same memory.
  type, extends(nearfar_object) :: nearfar_fft_plan
    type(nearfar_team), private :: members
    type(c_expected_array), private :: physical, spectral
    integer(c_int), private :: physical_parts = 1, spectral_parts = 1, precision = 0
  contains
    procedure, private :: plan_create
    generic :: create => plan_create
    include 'generated/fft_of_own_bindings.inc'
    procedure :: layout => plan_layout          !! of its sides; belongs to the plan; local
    procedure :: work_bytes => plan_work_bytes
    include 'generated/fft_plan_bindings.inc'
  end type nearfar_fft_plan

  ! What options point to, for as long as the call that reads them.
  type :: kept_options
    type(kept_texts) :: common
    character(kind=c_char), allocatable :: engines(:)
  end type kept_options

  ! An array that a plan makes, for a pointer of this rank and type.
  type :: own_array
    integer :: rank
    character(15) :: of_type
    type(c_ptr) :: address = c_null_ptr  ! null after an error
    integer(int64) :: first(nearfar_max_dimensions) = 1, extents(nearfar_max_dimensions) = 0
  end type own_array

contains

  include 'generated/ffts_32.inc'

  ! ---- shapes ----

  ! The shape in C's order; what it points to is in the other arguments. '' if it is fine.
  subroutine read_shape(extents, c_extents, c_kinds, c_modes, shape, complaint, kinds, modes)
    integer(int64), intent(in) :: extents(:)
    integer(c_int64_t), intent(out), target :: c_extents(nearfar_max_dimensions), &
      c_modes(nearfar_max_dimensions)
    integer(c_int), intent(out), target :: c_kinds(nearfar_max_dimensions)
    type(c_fft_shape), intent(out) :: shape
    character(:), allocatable, intent(out) :: complaint
    character(*), intent(in), optional :: kinds(:)
    integer, intent(in), optional :: modes(:)
    integer :: n, d

    complaint = ''
    n = size(extents)
    c_extents = 0
    c_modes = 0
    c_kinds = nearfar_fft_c2c
    shape = c_fft_shape(int(n, c_int), c_loc(c_extents), c_loc(c_kinds), c_loc(c_modes))
    if (n < 1 .or. n > nearfar_max_dimensions) then
      complaint = 'a transform has 1 to 4 axes, not ' // text_of_number(n)
      return
    end if
    c_extents(:n) = extents(n:1:-1)
    if (present(modes)) then
      complaint = size_complaint('modes', size(modes), n)
      if (complaint /= '') return
      c_modes(:n) = modes(n:1:-1)
    end if
    if (.not. present(kinds)) return
    complaint = size_complaint('kinds', size(kinds), n)
    if (complaint /= '') return
    do d = 1, n
      c_kinds(n + 1 - d) = choice(fft_kind_words, 'kind', trim(kinds(d)), complaint)
    end do
  end subroutine read_shape

  pure function size_complaint(name, found, wanted) result(complaint)
    character(*), intent(in) :: name
    integer, intent(in) :: found, wanted
    character(:), allocatable :: complaint

    complaint = ''
    if (found /= wanted) complaint = name // ' has ' // text_of_number(found) // &
      ' elements, extents has ' // text_of_number(wanted)
  end function size_complaint

  !> Extents of the grid with `factor` times as many points along the transformed axes:
  !> 1.5 for the 3/2 rule. A layout of them with modes=extents has the given grid's modes. Local.
  function nearfar_fft_padded_extents(extents, factor, kinds) result(more)
    integer, intent(in) :: extents(:)
    real(real64), intent(in) :: factor
    character(*), intent(in), optional :: kinds(:)
    integer :: more(size(extents))
    more = resized('fft_padded_extents', extents, factor, kinds)
  end function nearfar_fft_padded_extents

  !> As many modes along the transformed axes as `factor` leaves of them: 2/3 for that rule.
  function nearfar_fft_truncated_modes(extents, factor, kinds) result(modes)
    integer, intent(in) :: extents(:)
    real(real64), intent(in) :: factor
    character(*), intent(in), optional :: kinds(:)
    integer :: modes(size(extents))
    modes = resized('fft_truncated_modes', extents, factor, kinds)
  end function nearfar_fft_truncated_modes

  function resized(name, extents, factor, kinds) result(sizes)
    character(*), intent(in) :: name
    integer, intent(in) :: extents(:)
    real(real64), intent(in) :: factor
    character(*), intent(in), optional :: kinds(:)
    integer :: sizes(size(extents))
    integer(c_int64_t), target :: c_extents(nearfar_max_dimensions), c_modes(nearfar_max_dimensions)
    integer(c_int64_t) :: found(nearfar_max_dimensions), modes(nearfar_max_dimensions)
    integer(c_int), target :: c_kinds(nearfar_max_dimensions)
    integer(c_int) :: status
    character(:), allocatable :: complaint
    type(c_fft_shape) :: shape

    call read_shape(int(extents, int64), c_extents, c_kinds, c_modes, shape, complaint, kinds)
    if (complaint /= '') then
      status = nearfar_refuse(c_text(complaint))
    else if (name == 'fft_padded_extents') then
      status = nearfar_fft_padded(shape, real(factor, c_double), found, modes)
    else
      status = nearfar_fft_truncated(shape, real(factor, c_double), found)
    end if
    call settle(status, name)
    sizes = int(found(size(extents):1:-1))
  end function resized

  ! ---- layouts ----

  !> kinds: absent: c2c along all axes. physical, spectral: any sides of these extents; absent:
  !> chosen. process_grid: parts of the axes that a chosen physical side cuts, one for slabs, two
  !> for pencils. Collective over the team.
  subroutine layout_create_64(self, team, extents, kinds, modes, physical, spectral, &
    process_grid, stat, errmsg)
    class(nearfar_fft_layout), intent(inout) :: self
    type(nearfar_team), intent(in) :: team
    integer(int64), intent(in) :: extents(:)
    character(*), intent(in), optional :: kinds(:)
    integer, intent(in), optional :: modes(:), process_grid(:)
    type(nearfar_transpose_side), intent(in), optional, target :: physical, spectral
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t), target :: c_extents(nearfar_max_dimensions), c_modes(nearfar_max_dimensions)
    integer(c_int), target :: c_kinds(nearfar_max_dimensions), orders(nearfar_max_dimensions, 2)
    integer(c_int), allocatable, target :: grid(:)
    type(c_transpose_side), target :: sides(2)
    character(:), allocatable :: complaint
    type(c_fft_layout_options) :: options
    type(c_fft_shape) :: shape
    integer(c_int) :: status

    self%members = team
    call read_shape(extents, c_extents, c_kinds, c_modes, shape, complaint, kinds, modes)
    status = nearfar_agree(live(team), c_text(complaint))
    options = c_fft_layout_options()
    if (present(physical)) then
      sides(1) = c_side_of(physical, orders(:, 1), 0_int64)
      options%physical = c_loc(sides(1))
    end if
    if (present(spectral)) then
      sides(2) = c_side_of(spectral, orders(:, 2), 0_int64)
      options%spectral = c_loc(sides(2))
    end if
    if (present(process_grid)) then
      allocate (grid, source=int(process_grid(size(process_grid):1:-1), c_int))
      options%process_grid = c_loc(grid)
      options%process_grid_count = int(size(grid), c_int)
    end if
    if (status == 0) status = nearfar_fft_layout_create(live(team), shape, options, self%handle)
    call hold(self, status)
    call settle(status, 'fft_layout%create', stat, errmsg)
  end subroutine layout_create_64

  function layout_physical(self) result(side)
    class(nearfar_fft_layout), intent(in) :: self
    type(nearfar_transpose_side) :: side
    call read_side(self, nearfar_fft_layout_physical(live(self)), side)
  end function layout_physical

  function layout_spectral(self) result(side)
    class(nearfar_fft_layout), intent(in) :: self
    type(nearfar_transpose_side) :: side
    call read_side(self, nearfar_fft_layout_spectral(live(self)), side)
  end function layout_spectral

  subroutine read_side(self, address, side)
    class(nearfar_fft_layout), intent(in) :: self
    type(c_ptr), intent(in) :: address
    type(nearfar_transpose_side), intent(out) :: side
    type(c_transpose_side), pointer :: found
    type(nearfar_decomposition) :: parts

    call c_f_pointer(address, found)
    if (.not. associated(found)) call settle(nearfar_refuse(c_text('the layout is not created')), &
      'fft_layout')
    call borrow(parts, found%parts, self)
    parts%members = self%members
    call c_side_read(found, parts, side)
  end subroutine read_side

  ! ---- plans ----

  !> A plan for `fields` fields (arrays with one dimension more), made and tuned on these arrays,
  !> whose contents stay. scaling: 'none', 'forward', 'backward' or 'orthonormal', who divides by
  !> the roundtrip factor. nyquist: 'shared' or 'zero', the mode m/2 where an even number m of fewer
  !> than all modes is kept. engines: names with commas, such as 'own,fftw'. fusion: 'raced',
  !> 'never' or 'always', transpositions and transforms in one pass. method, without, budget_s: as
  !> for other plans. Collective.
  subroutine plan_create(self, layout, physical, spectral, name, method, without, &
    budget_s, fields, scaling, nyquist, engines, fusion, stat, errmsg)
    class(nearfar_fft_plan), intent(inout) :: self
    type(nearfar_fft_layout), intent(in) :: layout
    type(*), dimension(..), intent(inout), target :: physical, spectral
    integer, intent(in), optional :: fields
    character(*), intent(in), optional :: name, method, without, scaling, nyquist, &
      engines, fusion
    real(real64), intent(in), optional :: budget_s
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_fft_options), target :: options
    type(kept_options) :: kept
    character(:), allocatable :: complaint
    integer(c_int) :: status

    call read_options(options, kept, complaint, name, method, without, budget_s, scaling, nyquist, &
      engines, fusion)
    options%fields = 1
    if (complaint == '') complaint = copy_complaint(physical, 'physical')
    if (complaint == '') complaint = copy_complaint(spectral, 'spectral')
    if (present(fields)) options%fields = fields
    status = nearfar_refuse(c_text('the layout is not created, or is freed already'))
    if (nearfar_fft_layout_is_physical_complex(live(layout)) >= 0) &
      status = nearfar_agree(live(layout%members), c_text(complaint))
    if (status == 0) then
      call expect_sides(self, layout, options%fields)
      status = nearfar_fortran_fft_create(live(layout), self%physical, self%spectral, physical, &
        spectral, options, self%precision, self%handle)
      call hold(self, status)
    end if
    call settle(status, 'fft_plan%create', stat, errmsg)
  end subroutine plan_create

  ! '' in `complaint` if the options are fine. `kept` has to live as long as `options`.
  subroutine read_options(options, kept, complaint, name, method, without, budget_s, scaling, &
    nyquist, engines, fusion)
    type(c_fft_options), intent(out), target :: options
    type(kept_options), intent(inout), target :: kept
    character(:), allocatable, intent(out) :: complaint
    character(*), intent(in), optional :: name, method, without, scaling, nyquist, &
      engines, fusion
    real(real64), intent(in), optional :: budget_s

    complaint = ''
    call tell(c_loc(options), kept%common, name, method, without, budget_s)
    options%scaling = choice(fft_scaling_words, 'scaling', scaling, complaint)
    options%nyquist = choice(fft_nyquist_words, 'nyquist', nyquist, complaint)
    options%fusion = choice(fft_fusion_words, 'fusion', fusion, complaint)
    allocate (kept%engines, source=given(engines))
    if (present(engines)) options%engines = c_loc(kept%engines)
  end subroutine read_options

  ! What later starts are to give.
  subroutine expect_sides(self, layout, fields)
    class(nearfar_fft_plan), intent(inout) :: self
    type(nearfar_fft_layout), intent(in) :: layout
    integer(c_int64_t), intent(in) :: fields

    self%members = layout%members
    self%physical = expected(layout%physical(), fields)
    self%spectral = expected(layout%spectral(), fields)
    self%physical_parts = 1 + nearfar_fft_layout_is_physical_complex(live(layout))
    self%spectral_parts = 1 + nearfar_fft_layout_is_spectral_complex(live(layout))
  end subroutine expect_sides

  ! ---- plans that make their arrays ----

  ! The chosen layout, but for the axes of the spectral side in memory, which are in their order, so
  ! that a program knows what the dimensions of its array are.
  subroutine create_ordered(layout, team, extents, kinds, modes, process_grid, stat)
    type(nearfar_fft_layout), intent(inout) :: layout
    type(nearfar_team), intent(in) :: team
    integer(int64), intent(in) :: extents(:)
    character(*), intent(in), optional :: kinds(:)
    integer, intent(in), optional :: modes(:), process_grid(:)
    integer, intent(out) :: stat
    type(nearfar_fft_layout) :: chosen
    type(nearfar_transpose_side) :: spectral, ordered

    call chosen%create(team, extents, kinds, modes, process_grid=process_grid, stat=stat)
    if (stat /= 0) return
    spectral = chosen%spectral()
    call ordered%create(spectral%parts)
    call layout%create(team, extents, kinds, modes, chosen%physical(), ordered, stat=stat)
    call chosen%free()
  end subroutine create_ordered

  subroutine create_of_own(self, team, extents, x, k, kinds, modes, process_grid, name, method, &
    without, budget_s, scaling, nyquist, engines, fusion, stat, errmsg)
    class(nearfar_fft_plan), intent(inout) :: self
    integer(int64), intent(in) :: extents(:)
    type(own_array), intent(inout) :: x, k
    include 'fft_of_own_options.inc'
    type(nearfar_fft_layout) :: layout
    type(c_fft_options), target :: options
    type(kept_options) :: kept
    character(:), allocatable :: complaint
    integer :: status

    call read_options(options, kept, complaint, name, method, without, budget_s, scaling, nyquist, &
      engines, fusion)
    call create_ordered(layout, team, extents, kinds, modes, process_grid, status)
    if (status == 0) then
      call expect_sides(self, layout, 1_c_int64_t)
      self%precision = merge(nearfar_element_float32, nearfar_element_float64, &
        index(x%of_type, '32') > 0)
      if (complaint == '') complaint = own_complaint(x, layout%physical(), self%physical_parts, &
        'physical')
      if (complaint == '') complaint = own_complaint(k, layout%spectral(), self%spectral_parts, &
        'spectral')
      status = nearfar_agree(live(team), c_text(complaint))
      if (status == 0) status = nearfar_fft_plan_create(live(layout), self%precision, c_null_ptr, &
        0_c_int64_t, c_null_ptr, 0_c_int64_t, options, self%handle)
      call hold(self, status)
      if (status == 0) then
        call place(x, layout%physical(), nearfar_fft_plan_physical(live(self), 0_c_int64_t), self)
        call place(k, layout%spectral(), nearfar_fft_plan_spectral(live(self), 0_c_int64_t), self)
      end if
      call layout%free()
    end if
    call settle(status, 'fft_plan%create', stat, errmsg)
  end subroutine create_of_own

  function own_complaint(array, side, parts, name) result(complaint)
    type(own_array), intent(in) :: array
    type(nearfar_transpose_side), intent(in) :: side
    integer(c_int), intent(in) :: parts
    character(*), intent(in) :: name
    character(:), allocatable :: complaint
    character(:), allocatable :: wanted
    integer :: kind_at

    complaint = rank_complaint(side, array%rank, 1)
    if (complaint /= '') complaint = "'" // name // "': " // complaint
    kind_at = index(array%of_type, '(')
    wanted = trim(merge('complex', 'real   ', parts == 2)) // trim(array%of_type(kind_at:))
    if (array%of_type /= wanted) complaint = "'" // name // "' is " // trim(array%of_type) // &
      ', and must be ' // wanted // ' here'
  end function own_complaint

  ! An array without elements needs an address, too.
  subroutine place(array, side, address, plan)
    type(own_array), intent(inout) :: array
    type(nearfar_transpose_side), intent(in) :: side
    type(c_ptr), intent(in) :: address
    class(nearfar_fft_plan), intent(in) :: plan

    call shape_array(side, side%elements(), 1, array%first(:array%rank), &
      array%extents(:array%rank))
    array%address = address
    if (.not. c_associated(address)) array%address = plan%handle
  end subroutine place

  include 'generated/fft_of_own_specifics.inc'

  ! ---- all plans ----

  function plan_layout(self) result(layout)
    class(nearfar_fft_plan), intent(in) :: self
    type(nearfar_fft_layout) :: layout
    type(c_ptr) :: address

    address = nearfar_fft_plan_layout(live(self))
    if (.not. c_associated(address)) &
      call settle(nearfar_refuse(c_text('the plan is not created')), 'fft_plan%layout')
    call borrow(layout, address, self)
    layout%members = self%members
  end function plan_layout

  !> Bytes of the work arrays on this rank.
  integer(int64) function plan_work_bytes(self)
    class(nearfar_fft_plan), intent(in) :: self
    plan_work_bytes = nearfar_fft_plan_work_bytes(live(self))
  end function plan_work_bytes

  !> Starts a transform of the plan's arrays: those it was made with, or last started on; or of
  !> these, in place if it was made in place. direction: nearfar_fft_forward, from the physical to
  !> the spectral side, or nearfar_fft_backward. Collective.
  subroutine fft_plan_start(self, direction, in, out, stat, errmsg)
    class(nearfar_fft_plan), intent(in) :: self
    integer, intent(in) :: direction
    type(*), dimension(..), intent(in), target, optional :: in
    type(*), dimension(..), intent(inout), target, optional :: out
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(started(self, direction, in, out), 'fft_plan%start', stat, errmsg)
  end subroutine fft_plan_start

  subroutine fft_plan_run(self, direction, in, out, stat, errmsg)
    class(nearfar_fft_plan), intent(in) :: self
    integer, intent(in) :: direction
    type(*), dimension(..), intent(in), target, optional :: in
    type(*), dimension(..), intent(inout), target, optional :: out
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status

    status = started(self, direction, in, out)
    if (status == 0) status = nearfar_fft_plan_finish(live(self))
    call settle(status, 'fft_plan%run', stat, errmsg)
  end subroutine fft_plan_run

  integer(c_int) function started(self, direction, in, out) result(status)
    class(nearfar_fft_plan), intent(in) :: self
    integer, intent(in) :: direction
    type(*), dimension(..), intent(in), target, optional :: in
    type(*), dimension(..), intent(inout), target, optional :: out

    if (any_copy(in, out)) then
      status = nearfar_refuse(c_text(copy_complaint(in, 'in') // copy_complaint(out, 'out')))
    else if (direction == nearfar_fft_forward) then
      status = nearfar_fortran_fft_start(live(self), int(direction, c_int), self%precision, &
        self%physical, self%physical_parts, self%spectral, self%spectral_parts, in, out)
    else
      status = nearfar_fortran_fft_start(live(self), int(direction, c_int), self%precision, &
        self%spectral, self%spectral_parts, self%physical, self%physical_parts, in, out)
    end if
  end function started

  include 'generated/fft_layout_object.inc'
  include 'generated/fft_layout_of_team.inc'
  include 'generated/fft_plan_object.inc'
  include 'generated/fft_plan_of_team.inc'
  include 'generated/fft_plan_verbs.inc'

end module nearfar_ffts
