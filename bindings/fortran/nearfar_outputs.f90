! SPDX-License-Identifier: BSD-3-Clause
! Output of time steps that hides behind computing: each step is whole on disk or absent. Dimensions
! are listed fastest first, indices start at 1.
!
!   call out%add('t', t, [nx, ny, nz], lower, upper, ghosts=1)   ! for each array of the stream
!   call out%create(team, 'run/heat')
!   …
!   call out%begin_step(time); call out%put('t', t); call out%end_step()
!   …
!   call out%close(); call out%free()
module nearfar_outputs
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_int, &
    c_int64_t, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use nearfar_c, only: nearfar_output_team, &
    c_output_array, c_output_axis, c_output_options, c_output_slot, &
    nearfar_agree, nearfar_fortran_output_put, nearfar_fortran_type_of, &
    nearfar_output_begin_step, nearfar_output_begin_varying_step, nearfar_output_close, &
    nearfar_output_create, nearfar_output_describe, nearfar_output_end_step, nearfar_output_flush, &
    nearfar_output_free, nearfar_output_put, nearfar_output_slot_of, nearfar_output_steps, &
    nearfar_output_written_steps, nearfar_refuse
  use nearfar_faults, only: c_text, description_of, settle
  use nearfar_objects, only: borrow, freeable, hold, live, nearfar_object, release
  use nearfar_plan_options, only: choice, given, switch_of
  use nearfar_output_writer_ranks, only: nearfar_output_writers
  use nearfar_output_descriptions, only: address_list, addresses_of, c_array_of, c_axis_of, &
    describe_array, described_array, described_axis, pairs_in, place_of, read_attributes, &
    shape_of, take_rows, text_list
  use nearfar_teams, only: nearfar_team
  use nearfar_words, only: output_durability_words, output_opening_words, output_policy_words
  implicit none (type, external)
  private
  public :: nearfar_output

  !> A stream of steps. Not to be copied once it is created.
  type, extends(nearfar_object) :: nearfar_output
    type(described_array), allocatable, private :: arrays(:)
    type(described_axis), allocatable, private :: axes(:)
    character(:), allocatable, private :: complaint  ! the first thing that was wrong with add()
  contains
    procedure, private :: add_32, add_64
    generic :: add => add_32, add_64
    procedure, private :: add_varying_32, add_varying_64
    generic :: add_varying => add_varying_32, add_varying_64
    procedure :: add_axis => stream_add_axis
    procedure :: create => stream_create
    procedure, private :: begin_step_alone, begin_step_32, begin_step_64
    generic :: begin_step => begin_step_alone, begin_step_32, begin_step_64
    procedure :: put => stream_put
    procedure :: end_step => stream_end_step
    procedure :: flush => stream_flush           !! returns when all steps are durable; collective
    procedure :: close => stream_close           !! flush, and the end of the stream; collective
    procedure :: free => stream_free
    procedure :: steps => stream_steps           !! that end_step accepted, or append found
    procedure :: written_steps => stream_written !! of these in the journal, as known here
    procedure :: team => output_team              !! whose ranks it works for; local
    procedure :: describe => output_describe     !! policy and why, waiting, copying, throughput
    include 'generated/output_slot_bindings.inc'
  end type nearfar_output

contains

  include 'generated/outputs_32.inc'

  ! ---- what a stream consists of ----

  !> An array of `extents` in all, of which this rank has the box lower(:):upper(:), which may be
  !> empty; together the boxes cover the array exactly once. like: any array or scalar of the
  !> elements' type: integer, real or complex. ghosts: cells around the box in arrays that are put:
  !> one number, one per dimension, or (2, dimensions). attributes: such as 'units=m s-1'.
  !> dimensions: their names; absent: x, y, z … compression: as for create, where it is to be
  !> another. part: what it is of a grid, in formats that know grids: 'point_data' (default),
  !> 'cell_data', 'field_data', 'points', 'connectivity', 'offsets', 'types'. is_constant: the same
  !> in all steps, put with the stream's first step only (rsf, zarr; netcdf and hdf5 with
  !> expected_steps). Local; what is wrong is an error of create, on every rank.
  subroutine add_64(self, name, like, extents, lower, upper, ghosts, attributes, dimensions, &
    compression, part, is_constant)
    class(nearfar_output), intent(inout) :: self
    character(*), intent(in) :: name
    type(*), dimension(..), intent(in) :: like
    integer(int64), intent(in) :: extents(:), lower(:), upper(:)
    integer, intent(in), optional :: ghosts(..)
    character(*), intent(in), optional :: attributes(:), dimensions(:), compression, part
    logical, intent(in), optional :: is_constant
    type(described_array) :: array
    character(:), allocatable :: complaint

    call describe_array(array, complaint, name, like, extents, lower, upper, ghosts, attributes, &
      dimensions, compression, part)
    if (present(is_constant)) array%is_constant = merge(1_c_int, 0_c_int, is_constant)
    call keep(self, name, array, complaint)
  end subroutine add_64

  !> An array whose last extent is another one in each step: begin_step says how many rows this rank
  !> has, which lie behind those of the ranks before it; `most` is what it may have at most. row:
  !> the extents of a row, fastest first; absent: one element. The rest as in add. For the formats
  !> hdf5 and vtkhdf with a file per step. Points of a grid are real and have rows of 3; its
  !> connectivity and offsets are integer(int64), from 0 on within each rank; its types
  !> integer(int8). Local, as add.
  subroutine add_varying_64(self, name, like, most, row, part, attributes, dimensions)
    class(nearfar_output), intent(inout) :: self
    character(*), intent(in) :: name
    type(*), dimension(..), intent(in) :: like
    integer(int64), intent(in) :: most
    integer, intent(in), optional :: row(:)
    character(*), intent(in), optional :: part, attributes(:), dimensions(:)
    type(described_array) :: array
    character(:), allocatable :: complaint
    integer(int64), allocatable :: extents(:)
    integer :: d

    allocate (extents(0))
    if (present(row)) extents = row
    extents = [extents, most]
    call describe_array(array, complaint, name, like, extents, [(1_int64, d=1, size(extents))], &
      extents, attributes=attributes, dimensions=dimensions, part=part)
    array%is_varying = 1
    call keep(self, name, array, complaint)
  end subroutine add_varying_64

  subroutine keep(self, name, array, complaint)
    class(nearfar_output), intent(inout) :: self
    character(*), intent(in) :: name, complaint
    type(described_array), intent(in) :: array

    if (.not. allocated(self%arrays)) allocate (self%arrays(0))
    self%arrays = [self%arrays, array]
    call complain(self, "array '" // name // "'", complaint)
  end subroutine keep

  ! Keeps the first complaint for create, the first call that all ranks make together.
  subroutine complain(self, what, complaint)
    class(nearfar_output), intent(inout) :: self
    character(*), intent(in) :: what, complaint
    character(:), allocatable :: first

    first = complaint
    if (c_associated(live(self))) first = 'the stream is created already'
    if (.not. allocated(self%complaint)) self%complaint = ''
    if (first /= '' .and. self%complaint == '') self%complaint = what // ': ' // first
  end subroutine complain

  !> Where the elements of the dimension `name` are, for formats that keep that; one value of a name
  !> that no dimension has makes a scalar. 'time': attributes only, no values. Local, as add.
  subroutine stream_add_axis(self, name, values, attributes)
    class(nearfar_output), intent(inout) :: self
    character(*), intent(in) :: name
    real(real64), intent(in) :: values(:)
    character(*), intent(in), optional :: attributes(:)
    type(described_axis) :: axis
    character(:), allocatable :: complaint

    complaint = ''
    allocate (axis%name, source=c_text(name))
    allocate (axis%values, source=real(values, c_double))
    call read_attributes(axis%pairs, complaint, attributes)
    if (.not. allocated(self%axes)) allocate (self%axes(0))
    self%axes = [self%axes, axis]
    call complain(self, "axis '" // name // "'", complaint)
  end subroutine stream_add_axis

  ! ---- streams ----

  !> Files that begin with `path`, of the arrays that were added. Collective over the team.
  !> format: 'rsf' or another of the library's. attributes: of all, such as 'title=a run'. policy:
  !> who writes: 'automatic', 'synchronous', 'thread', 'writer' (which needs writers=). depth: steps
  !> that may be under way. most_bytes: of all frames of a node's ring. writers_per_node: default 1,
  !> or what 'automatic' finds best of 1, 2, 4, 8. durability: 'step', each step is synchronised to
  !> the disk before it counts (default), or 'none', only flush and close are. opening: 'create'
  !> replaces what is there (default), 'append' goes on after its last whole step, 'take_turns', of
  !> checkpoints, replaces that one of the streams path-a and path-b which is not the newest whole
  !> one; readers of path take the newest. kept: with take_turns, a stream that is not replaced.
  !> expected_steps: room for so many is reserved at once. direct: past the page cache where
  !> possible (default). checksum: of the data, in the journal (default).
  !> throttle_bytes_per_s: a slower disk for tests. linger_s: that free
  !> without close waits. compression: of all arrays, by who writes, in the format zarr: 'zstd',
  !> 'zstd:9', 'blosc' ('blosc:zstd'), or 'zfp:1e-3', off by up to that fraction of the largest
  !> value that the writer has of the array in the step ('zfp:abs=0.01': by up to that).
  !> append_before: with append, steps of this time or later are forgotten. verify: with append,
  !> steps from the first one on whose data has not the journal's sums are forgotten. is_pinned:
  !> frames are locked in memory from the start, for a GPU that copies into slots; put does so by
  !> itself.
  subroutine stream_create(self, team, path, format, attributes, policy, depth, most_bytes, &
    writers_per_node, durability, opening, expected_steps, direct, checksum, &
    throttle_bytes_per_s, linger_s, writers, compression, append_before, verify, is_pinned, kept, &
    stat, errmsg)
    class(nearfar_output), intent(inout), target :: self
    type(nearfar_team), intent(in) :: team
    character(*), intent(in) :: path
    character(*), intent(in), optional :: format, attributes(:), policy, compression, durability, &
      opening, kept
    integer, intent(in), optional :: depth, writers_per_node, expected_steps
    integer(int64), intent(in), optional :: most_bytes
    logical, intent(in), optional :: direct, checksum, verify, is_pinned
    real(real64), intent(in), optional :: throttle_bytes_per_s, linger_s, append_before
    type(nearfar_output_writers), intent(in), optional :: writers
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char), allocatable, target :: c_format(:), c_compression(:), c_kept(:)
    real(c_double), target :: c_append_before
    type(text_list), target :: pairs
    type(address_list), target :: addresses
    type(c_output_options) :: options
    character(:), allocatable :: complaint
    integer(c_int) :: status

    complaint = ''
    if (allocated(self%complaint)) complaint = self%complaint
    options%policy = choice(output_policy_words, 'policy', policy, complaint)
    options%durability = choice(output_durability_words, 'durability', durability, complaint)
    options%opening = choice(output_opening_words, 'opening', opening, complaint)
    if (present(depth)) options%depth = int(depth, c_int)
    if (present(most_bytes)) options%most_bytes = most_bytes
    if (present(writers_per_node)) options%writers_per_node = int(writers_per_node, c_int)
    if (present(expected_steps)) options%expected_steps = int(expected_steps, c_int64_t)
    if (present(direct)) options%direct = switch_of(direct)
    if (present(checksum)) options%checksum = switch_of(checksum)
    if (present(verify)) options%verify = merge(1_c_int, 0_c_int, verify)
    if (present(is_pinned)) options%is_pinned = merge(1_c_int, 0_c_int, is_pinned)
    if (present(throttle_bytes_per_s)) options%throttle_bytes_per_s = throttle_bytes_per_s
    if (present(linger_s)) options%linger_s = merge(linger_s, -1.0_real64, linger_s > 0)
    if (present(writers)) then
      options%writers = live(writers)
      if (.not. c_associated(options%writers)) complaint = 'the writers are not made, or freed' // &
        ' already'
    end if
    allocate (c_format, source=given(format))
    options%format = c_loc(c_format)
    allocate (c_compression, source=given(compression))
    options%compression = c_loc(c_compression)
    allocate (c_kept, source=given(kept))
    options%kept = c_loc(c_kept)
    if (present(append_before)) then
      c_append_before = append_before
      options%append_before = c_loc(c_append_before)
    end if
    call read_attributes(pairs, complaint, attributes)
    options%attribute_count = pairs_in(pairs)
    options%attributes = addresses_of(pairs, addresses)
    status = nearfar_agree(live(team), c_text(complaint))
    if (status == 0) status = created(self, team, path, options)
    call settle(status, 'output%create', stat, errmsg)
  end subroutine stream_create

  integer(c_int) function created(self, team, path, options) result(status)
    class(nearfar_output), intent(inout), target :: self
    type(nearfar_team), intent(in) :: team
    character(*), intent(in) :: path
    type(c_output_options), intent(in) :: options
    type(c_output_options) :: all_options
    type(address_list), allocatable :: kept(:,:), kept_axes(:)
    type(c_output_array), allocatable :: arrays(:)
    type(c_output_axis), allocatable, target :: axes(:)
    integer :: i

    if (.not. allocated(self%arrays)) allocate (self%arrays(0))
    if (.not. allocated(self%axes)) allocate (self%axes(0))
    allocate (arrays(size(self%arrays)), kept(2, size(self%arrays)))
    allocate (axes(size(self%axes)), kept_axes(size(self%axes)))
    do i = 1, size(arrays)
      arrays(i) = c_array_of(self%arrays(i), kept(:, i))
    end do
    do i = 1, size(axes)
      axes(i) = c_axis_of(self%axes(i), kept_axes(i))
    end do
    all_options = options
    all_options%axis_count = int(size(axes), c_int)
    if (size(axes) > 0) all_options%axes = c_loc(axes)
    status = nearfar_output_create(live(team), c_text(path), int(size(arrays), c_int), arrays, &
      all_options, self%handle)
    call hold(self, status)
  end function created

  !> Waits until a frame is free. Collective; errors of steps before are told here, on all ranks.
  subroutine begin_step_alone(self, time, stat, errmsg)
    class(nearfar_output), intent(in) :: self
    real(real64), intent(in) :: time
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: step
    call settle(nearfar_output_begin_step(live(self), real(time, c_double), step), &
      'output%begin_step', stat, errmsg)
  end subroutine begin_step_alone

  !> The same of a stream with varying arrays: this rank's rows of each of them, in their order.
  subroutine begin_step_64(self, time, rows, stat, errmsg)
    class(nearfar_output), intent(inout) :: self
    real(real64), intent(in) :: time
    integer(int64), intent(in) :: rows(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: step
    integer(c_int) :: status

    status = nearfar_output_begin_varying_step(live(self), real(time, c_double), &
      int(size(rows), c_int), int(rows, c_int64_t), step)
    if (status == 0) call take_rows(self%arrays, int(rows, c_int64_t))
    call settle(status, 'output%begin_step', stat, errmsg)
  end subroutine begin_step_64

  !> Copies this rank's part out of `array`, which has its shape, or that with the ghost cells
  !> around; contiguous or a section. The caller may overwrite it afterwards. Local.
  subroutine stream_put(self, name, array, stat, errmsg)
    class(nearfar_output), intent(in) :: self
    character(*), intent(in) :: name
    type(*), dimension(..), intent(in) :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status
    integer :: a

    a = place_of(name, self%arrays)
    if (a == 0) then
      status = nearfar_output_put(live(self), c_text(name), c_null_ptr)
    else
      status = nearfar_fortran_output_put(live(self), c_text(name), shape_of(self%arrays(a)), &
        array)
    end if
    call settle(status, 'output%put', stat, errmsg)
  end subroutine stream_put

  !> Hands the step over. Local, but for the policy 'synchronous', which waits until it is written.
  subroutine stream_end_step(self, stat, errmsg)
    class(nearfar_output), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_output_end_step(live(self)), 'output%end_step', stat, errmsg)
  end subroutine stream_end_step

  subroutine stream_flush(self, stat, errmsg)
    class(nearfar_output), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_output_flush(live(self)), 'output%flush', stat, errmsg)
  end subroutine stream_flush

  subroutine stream_close(self, stat, errmsg)
    class(nearfar_output), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_output_close(live(self)), 'output%close', stat, errmsg)
  end subroutine stream_close

  !> Forgets the arrays too. Local, without MPI; what is whole of a stream that was not closed is
  !> written, for some seconds.
  subroutine stream_free(self, stat, errmsg)
    class(nearfar_output), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (allocated(self%arrays)) deallocate (self%arrays)
    if (allocated(self%axes)) deallocate (self%axes)
    if (allocated(self%complaint)) deallocate (self%complaint)
    call output_free(self, stat, errmsg)
  end subroutine stream_free

  integer(int64) function stream_steps(self)
    class(nearfar_output), intent(in) :: self
    stream_steps = nearfar_output_steps(live(self))
  end function stream_steps

  integer(int64) function stream_written(self)
    class(nearfar_output), intent(in) :: self
    stream_written = nearfar_output_written_steps(live(self))
  end function stream_written

  ! ---- slots ----

  ! Where the own part begins and what the array around it looks like, fastest first. `address` is
  ! null after an error.
  subroutine find_slot(self, name, type, first, own, whole, address, stat, errmsg)
    class(nearfar_output), intent(in) :: self
    character(*), intent(in) :: name
    integer(c_int), intent(in) :: type
    integer(int64), intent(out) :: first(:), own(:), whole(:)
    type(c_ptr), intent(out) :: address
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_output_slot) :: slot
    integer(c_int) :: status
    integer :: a, n, d

    address = c_null_ptr
    n = size(first)
    a = place_of(name, self%arrays)
    status = 0
    if (a > 0) then
      if (self%arrays(a)%dimensions /= n .or. self%arrays(a)%type /= type) status = &
        nearfar_refuse(c_text("the pointer for '" // name // &
        "' has another rank, type or kind than it was added with"))
    end if
    if (status == 0) status = nearfar_output_slot_of(live(self), c_text(name), slot)
    if (status == 0) then
      first = self%arrays(a)%own%lower(n:1:-1) + 1
      own = self%arrays(a)%own%upper(n:1:-1) - first + 1
      whole = own
      do d = 1, n - 1
        if (c_associated(slot%data)) whole(d) = slot%strides_bytes(n - d) / &
          slot%strides_bytes(n + 1 - d)
      end do
      address = slot%data
      ! A part without elements still needs an address for the pointer.
      if (.not. c_associated(address)) address = live(self)
    end if
    call settle(status, 'output%slot', stat, errmsg)
  end subroutine find_slot

  include 'generated/output_object.inc'
  include 'generated/output_of_team.inc'
  include 'generated/output_slot_specifics.inc'

end module nearfar_outputs
