! Written by tools/bindings.py from include/nearfar and bindings/fortran/descriptors.h.
! SPDX-License-Identifier: BSD-3-Clause
! The C interface, for the modules of the Fortran interface: functions under their C names,
! structs as c_NAME. Optional arguments are NULL in C where they are absent.
module nearfar_c
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_funptr, c_int, c_int32_t, &
    c_int64_t, c_null_char, c_null_funptr, c_null_ptr, c_ptr, c_size_t
  use nearfar_constants, only: nearfar_max_dimensions
  implicit none (type, external)
  private :: c_char, c_double, c_funptr, c_int, c_int32_t, c_int64_t, c_null_char, &
    c_null_funptr, c_null_ptr, c_ptr, c_size_t, nearfar_max_dimensions
  public

  !> Cells lower[d] <= i < upper[d], global indices from 0, slowest dimension first.
  type, bind(C) :: c_box
    !> First cell, and the one behind the last, along each dimension.
    integer(c_int64_t) :: lower(nearfar_max_dimensions) = 0
    integer(c_int64_t) :: upper(nearfar_max_dimensions) = 0
  end type c_box

  !> How a team looks at its machine. All zero is the default.
  type, bind(C) :: c_team_options
    !> sizeof this struct, as NEARFAR_OPTIONS sets it
    integer(c_size_t) :: size = 16
    !> nodes are cut into pretend nodes of so many ranks; 0: NEARFAR_NODE_SIZE, or the real nodes
    integer(c_int) :: node_size = 0
  end type c_team_options

  !> How a grid is cut; the same on all ranks. All zero is the default.
  type, bind(C) :: c_grid_options
    !> sizeof this struct, as NEARFAR_OPTIONS sets it
    integer(c_size_t) :: size = 48
    !> a flag per dimension; NULL: none is
    type(c_ptr) :: periodic = c_null_ptr
    !> ranks per dimension, 0: chosen, 1: not cut; NULL: all chosen
    type(c_ptr) :: process_grid = c_null_ptr
    !> sizes of the tiles per dimension, for uneven cuts; NULL entries: even
    type(c_ptr) :: tile_extents = c_null_ptr
    !> how many tile_extents each dimension has
    type(c_ptr) :: tile_counts = c_null_ptr
    !> which rank gets which tile
    integer(c_int) :: placement = 0
    !> allow more ranks than cells: some ranks then own none
    integer(c_int) :: allow_idle = 0
  end type c_grid_options

  !> How a field is laid out in memory.
  type, bind(C) :: c_field_options
    !> sizeof this struct, as NEARFAR_OPTIONS sets it
    integer(c_size_t) :: size = 40
    !> ghost layers on all sides, where `ghosts` is NULL
    integer(c_int) :: width = 0
    !> {low, high} layers per dimension; NULL: `width` on all sides
    type(c_ptr) :: ghosts = c_null_ptr
    !> dimensions from slowest to fastest; NULL: C order
    type(c_ptr) :: memory_order = c_null_ptr
    !> of elements of no type (0): 1 to 65536
    integer(c_size_t) :: element_bytes = 0
  end type c_field_options

  !> The options of all plans begin with these, with the same meaning; collective plans take no
  !> others.
  type, bind(C) :: c_plan_options
    !> sizeof this struct, as NEARFAR_OPTIONS sets it
    integer(c_size_t) :: size = 48
    !> shown in reports and errors, compared across ranks; NULL: the front's or the kind's
    type(c_ptr) :: name = c_null_ptr
    !> NULL or "": NEARFAR_METHOD, or tuned; else one of nearfar_methods(), or NEAR+FAR
    type(c_ptr) :: method = c_null_ptr
    !> methods that the tuner leaves out, with commas; NULL: none
    type(c_ptr) :: without = c_null_ptr
    !> seconds for tuning; 0: NEARFAR_BUDGET or 0.1; negative: NEARFAR_NO_TUNING
    real(c_double) :: budget_s = 0
    !> What the elements are, in words ("float64"), where a plan sees bytes: compared across the
    !> ranks that say it. NULL or "": unknown.
    type(c_ptr) :: type_name = c_null_ptr
  end type c_plan_options

  !> A named way to carry out what a front does.
  type, bind(C) :: c_method_info
    !> what `method` and NEARFAR_METHOD call it, and a line of words about it
    type(c_ptr) :: name = c_null_ptr
    type(c_ptr) :: description = c_null_ptr
    !> which kind of peer it can serve
    integer(c_int) :: near = 0
    integer(c_int) :: far = 0
    !> tried by the tuner; others must be asked for, or are taken for what they need
    integer(c_int) :: is_candidate = 0
  end type c_method_info

  !> How a halo plan is made; the same on all ranks. All zero is the default.
  type, bind(C) :: c_halo_options
    !> sizeof this struct, as NEARFAR_OPTIONS sets it
    integer(c_size_t) :: size = 56
    !> as in nearfar_plan_options, and the next four
    type(c_ptr) :: name = c_null_ptr
    !> as in nearfar_plan_options
    type(c_ptr) :: method = c_null_ptr
    !> as in nearfar_plan_options
    type(c_ptr) :: without = c_null_ptr
    !> as in nearfar_plan_options
    real(c_double) :: budget_s = 0
    !> as in nearfar_plan_options
    type(c_ptr) :: type_name = c_null_ptr
    !> which ghost cells are filled
    integer(c_int) :: stencil = 0
  end type c_halo_options

  !> The caller's own array: dimensions as its grid's, ghost cells included.
  type, bind(C) :: c_array
    !> the first element; NULL only on a rank without cells
    type(c_ptr) :: data = c_null_ptr
    !> bytes of one element, which is copied as it is
    integer(c_size_t) :: element_bytes = 0
    !> elements per dimension
    type(c_ptr) :: extents = c_null_ptr
    !> NULL: contiguous, last dimension fastest
    type(c_ptr) :: strides_bytes = c_null_ptr
  end type c_array

  !> A program's own way of distributing: functions that are called in bulk, with `context`, by one
  !> thread at a time. They must not communicate, and stay valid until the distribution and its
  !> plans are freed. They return 0, or anything else for a failure, which becomes a usage error.
  !> Each rank's elements have the offsets 0, 1, 2 … there.
  type, bind(C) :: c_distribution_rule
    !> of the whole array; the same on every rank
    integer(c_int64_t) :: elements = 0
    !> of this rank
    integer(c_int64_t) :: own_elements = 0
    !> owners[i], offsets[i] = place of the element indices[i]; indices in any order, with
    !> repetitions.
    type(c_funptr) :: locate = c_null_funptr
    !> indices[i] = the element at offsets[i] of `rank`.
    type(c_funptr) :: globals = c_null_funptr
    !> handed to the functions as it is
    type(c_ptr) :: context = c_null_ptr
    !> called when nothing needs the rule any more; NULL: nothing to do
    type(c_funptr) :: release = c_null_funptr
  end type c_distribution_rule

  !> How an irregular plan is made; the same on all ranks, but for `threads`. All zero is the
  !> default.
  type, bind(C) :: c_irregular_options
    !> sizeof this struct, as NEARFAR_OPTIONS sets it
    integer(c_size_t) :: size = 72
    !> as in nearfar_plan_options, and the next four
    type(c_ptr) :: name = c_null_ptr
    !> as in nearfar_plan_options
    type(c_ptr) :: method = c_null_ptr
    !> as in nearfar_plan_options
    type(c_ptr) :: without = c_null_ptr
    !> as in nearfar_plan_options
    real(c_double) :: budget_s = 0
    !> as in nearfar_plan_options
    type(c_ptr) :: type_name = c_null_ptr
    !> of contributions to one element
    integer(c_int) :: order = 0
    !> what the tuning is for; 0: 8
    integer(c_size_t) :: element_bytes = 0
    !> OpenMP threads of this rank for loops over references and ghosts; 0: 1
    integer(c_int) :: threads = 0
  end type c_irregular_options

  !> An array by address and length: `elements` of `components` values each, which lie together.
  type, bind(C) :: c_irregular_array
    !> where the first element begins
    type(c_ptr) :: data = c_null_ptr
    !> on this rank
    integer(c_int64_t) :: elements = 0
    !> 0: 1
    integer(c_int) :: components = 0
    !> 0: anything of value_bytes bytes, for gather, NEARFAR_REDUCE_REPLACE and custom operations
    integer(c_int) :: type = 0
    !> where type is 0
    integer(c_size_t) :: value_bytes = 0
    !> Not 0: `data` is not written (only its pointer's type says otherwise). An operation that
    !> writes there is refused, and NEARFAR_IRREGULAR_GATHER keeps the ghosts of such an x in the
    !> plan.
    integer(c_int) :: is_const = 0
  end type c_irregular_array

  !> to[i] = to[i] op from[i], `values` of them; with the identity as `to` the result is `from`, bit
  !> for bit. It need not commute: the order of application is the plan's.
  type, bind(C) :: c_custom_op
    !> of one value
    integer(c_size_t) :: value_bytes = 0
    !> one value, with which `combine` gives `from` unchanged
    type(c_ptr) :: identity = c_null_ptr
    !> Called in bulk, by several threads at once where the plan has threads; must not communicate.
    type(c_funptr) :: combine = c_null_funptr
    !> handed to combine as it is
    type(c_ptr) :: context = c_null_ptr
  end type c_custom_op

  !> One operation on one or more arrays. Zeros are the defaults.
  type, bind(C) :: c_irregular_call
    !> which operation
    integer(c_int) :: kind = 0
    !> of scatter and assemble
    integer(c_int) :: op = 0
    !> instead of op; NULL: none. It and its identity live until the call is finished.
    type(c_ptr) :: custom = c_null_ptr
    !> of arrays in x and values, whichever the kind needs
    integer(c_int) :: count = 0
    !> `count` of each; NULL where the kind does not use it
    type(c_ptr) :: x = c_null_ptr
    type(c_ptr) :: values = c_null_ptr
  end type c_irregular_call

  !> Who owns what, and how a rank's part lies in the array of a field. The axis that memory_order
  !> names last is contiguous. Zeros but for `parts` are the defaults.
  type, bind(C) :: c_transpose_side
    !> who owns what; lives at least as long as the side is used
    type(c_ptr) :: parts = c_null_ptr
    !> axes from slowest to fastest; NULL: 0, 1, 2 …, so that the last axis is contiguous
    type(c_ptr) :: memory_order = c_null_ptr
    !> {below, above} per axis: elements that are in the array and never touched; NULL: none
    type(c_ptr) :: padding = c_null_ptr
    !> elements from one field to the next in one array; 0: each field has an array of its own
    integer(c_int64_t) :: field_stride = 0
  end type c_transpose_side

  !> The array of one field on this rank: own part and padding. A rank that owns nothing has no
  !> elements.
  type, bind(C) :: c_array_shape
    !> global indices, padding included
    type(c_box) :: held
    !> in elements, per axis
    integer(c_int64_t) :: strides(nearfar_max_dimensions) = 0
    !> of the whole array; 0 on a rank that owns nothing
    integer(c_int64_t) :: elements = 0
  end type c_array_shape

  !> How a transposition is planned; the same on all ranks. All zero is the default.
  type, bind(C) :: c_transpose_options
    !> sizeof this struct, as NEARFAR_OPTIONS sets it
    integer(c_size_t) :: size = 64
    !> as in nearfar_plan_options, and the next four
    type(c_ptr) :: name = c_null_ptr
    !> as in nearfar_plan_options
    type(c_ptr) :: method = c_null_ptr
    !> as in nearfar_plan_options
    type(c_ptr) :: without = c_null_ptr
    !> as in nearfar_plan_options
    real(c_double) :: budget_s = 0
    !> as in nearfar_plan_options
    type(c_ptr) :: type_name = c_null_ptr
    !> that move together, in one message per peer; 0: 1
    integer(c_int64_t) :: fields = 0
    !> Tuning counts the time in which `in` is taken back from the caches of ranks that have read
    !> it: what a program pays that writes `in` anew before each operation. On by default; off: `in`
    !> stays as it is between operations.
    integer(c_int) :: counts_rewriting = 0
  end type c_transpose_options

  !> The physical grid, slowest axis first. Where modes[d] is smaller than extents[d], only so many
  !> modes of the axis exist on the spectral side: forward drops the others, backward takes them for
  !> zero; neither moves nor stores them. include/nearfar/fft.hpp says which.
  type, bind(C) :: c_fft_shape
    !> 1 to 4
    integer(c_int) :: dimensions = 0
    !> of the physical grid
    type(c_ptr) :: extents = c_null_ptr
    !> NULL: c2c along all axes
    type(c_ptr) :: kinds = c_null_ptr
    !> NULL, or 0 for an axis: all of them
    type(c_ptr) :: modes = c_null_ptr
  end type c_fft_shape

  !> What a layout is told about its sides. All zero is the default: both are chosen.
  type, bind(C) :: c_fft_layout_options
    !> sizeof this struct, as NEARFAR_OPTIONS sets it
    integer(c_size_t) :: size = 40
    !> any sides of these extents; NULL: chosen
    type(c_ptr) :: physical = c_null_ptr
    type(c_ptr) :: spectral = c_null_ptr
    !> parts of the axes that a chosen physical side cuts; NULL: chosen
    type(c_ptr) :: process_grid = c_null_ptr
    !> 1: slabs, 2: pencils
    integer(c_int) :: process_grid_count = 0
  end type c_fft_layout_options

  !> How a plan of transforms is made; the same on all ranks. All zero is the default.
  type, bind(C) :: c_fft_options
    !> sizeof this struct, as NEARFAR_OPTIONS sets it
    integer(c_size_t) :: size = 80
    !> as in nearfar_plan_options, and the next four
    type(c_ptr) :: name = c_null_ptr
    !> as in nearfar_plan_options
    type(c_ptr) :: method = c_null_ptr
    !> as in nearfar_plan_options
    type(c_ptr) :: without = c_null_ptr
    !> as in nearfar_plan_options
    real(c_double) :: budget_s = 0
    !> as in nearfar_plan_options
    type(c_ptr) :: type_name = c_null_ptr
    !> that are transformed together; 0: 1
    integer(c_int64_t) :: fields = 0
    !> who divides by the roundtrip factor
    integer(c_int) :: scaling = 0
    !> what becomes of the mode m/2 where modes are left out
    integer(c_int) :: nyquist = 0
    !> serial engines to choose from, with commas; NULL: NEARFAR_FFT_ENGINES or "own"
    type(c_ptr) :: engines = c_null_ptr
    !> transpositions and transforms in one pass, or one after the other
    integer(c_int) :: fusion = 0
  end type c_fft_options

  !> All zero is the default.
  type, bind(C) :: c_output_writers_options
    !> sizeof this struct, as NEARFAR_OPTIONS sets it
    integer(c_size_t) :: size = 24
    !> where the writers are
    integer(c_int) :: placement = 0
    !> near: ranks that a node must have for its last one to become a writer; 0: 2
    integer(c_int) :: ranks_to_spare = 0
    !> far: how many; 0: 1
    integer(c_int) :: far_writers = 0
  end type c_output_writers_options

  !> A word about an array, an axis or the whole stream.
  type, bind(C) :: c_output_attribute
    !> "units", "m/s"; words that are a number, or "38, 42", are written as such
    type(c_ptr) :: key = c_null_ptr
    type(c_ptr) :: value = c_null_ptr
  end type c_output_attribute

  !> One of the arrays that each step consists of. What is zero is the default.
  type, bind(C) :: c_output_array
    !> letters, digits, `_` and `-`: part of the file's name
    type(c_ptr) :: name = c_null_ptr
    !> of its elements
    integer(c_int) :: type = 0
    !> 1 to 4
    integer(c_int) :: dimensions = 0
    !> of the global array, slowest first
    type(c_ptr) :: extents = c_null_ptr
    !> of this rank; zeros: none. The boxes of all ranks cover the array exactly once
    type(c_box) :: own
    !> {low, high} per dimension, around the own box in the arrays given to put; NULL: none
    type(c_ptr) :: padding = c_null_ptr
    !> how many attributes
    integer(c_int) :: attribute_count = 0
    !> may be NULL where there are none
    type(c_ptr) :: attributes = c_null_ptr
    !> slowest first; NULL: ..., "z", "y", "x"
    type(c_ptr) :: dimension_names = c_null_ptr
    !> as in the options, where it is to be another; NULL or "": theirs
    type(c_ptr) :: compression = c_null_ptr
    !> 1: the first extent is another one in each step, and nearfar_output_begin_varying_step() says
    !> how many rows this rank has, which lie behind those of the ranks before. `own` is then from 0
    !> to the most that this rank may have; extents[0] counts for nothing. For "hdf5" and "vtkhdf"
    !> with a file per step.
    integer(c_int) :: is_varying = 0
    !> what "vtkhdf" takes it for; other formats do not look at it
    integer(c_int) :: part = 0
    !> 1: the same in all steps, put with the stream's first step only; no dimension of time. "rsf",
    !> "zarr"; "netcdf" and "hdf5" with expected_steps.
    integer(c_int) :: is_constant = 0
  end type c_output_array

  !> Where the elements of a dimension are; one value of a name that no dimension has makes a
  !> scalar.
  type, bind(C) :: c_output_axis
    !> of a dimension
    type(c_ptr) :: name = c_null_ptr
    !> how many values
    integer(c_int64_t) :: count = 0
    !> one per element
    type(c_ptr) :: values = c_null_ptr
    !> how many attributes
    integer(c_int) :: attribute_count = 0
    !> of the axis; may be NULL where there are none
    type(c_ptr) :: attributes = c_null_ptr
  end type c_output_axis

  !> A format of this build.
  type, bind(C) :: c_output_format
    !> what options call it, and a line of words about it
    type(c_ptr) :: name = c_null_ptr
    type(c_ptr) :: description = c_null_ptr
  end type c_output_format

  !> All zero is the default.
  type, bind(C) :: c_output_options
    !> sizeof this struct, as NEARFAR_OPTIONS sets it
    integer(c_size_t) :: size = 152
    !> who writes
    integer(c_int) :: policy = 0
    !> steps that may be under way; 0: 2
    integer(c_int) :: depth = 0
    !> of all frames of a ring; 0: no limit
    integer(c_int64_t) :: most_bytes = 0
    !> 0: 1, or what the automatic policy finds best of 1, 2, 4, 8
    integer(c_int) :: writers_per_node = 0
    !> what is safe when a step has been written
    integer(c_int) :: durability = 0
    !> what becomes of what is there
    integer(c_int) :: opening = 0
    !> room for so many is reserved at once, so that a full disk is an error of create; 0: none
    integer(c_int64_t) :: expected_steps = 0
    !> past the page cache where the file system can and parts are in one piece; on by default
    integer(c_int) :: direct = 0
    !> CRC-32C of the data in the journal; on by default
    integer(c_int) :: checksum = 0
    !> for tests and measurements: a slower disk; 0: none
    real(c_double) :: throttle_bytes_per_s = 0
    !> that free without close waits for what is under way; 0: 10, negative: not at all
    real(c_double) :: linger_s = 0
    !> whose computing() is the team; needed for NEARFAR_OUTPUT_POLICY_WRITER
    type(c_ptr) :: writers = c_null_ptr
    !> one of nearfar_output_formats(); NULL or "": "rsf"
    type(c_ptr) :: format = c_null_ptr
    !> of all: "title", "Conventions"
    integer(c_int) :: attribute_count = 0
    !> may be NULL where there are none
    type(c_ptr) :: attributes = c_null_ptr
    !> how many axes
    integer(c_int) :: axis_count = 0
    !> positions along dimensions, and scalars; may be NULL where there are none
    type(c_ptr) :: axes = c_null_ptr
    !> Of all arrays, by who writes, in the format "zarr": "zstd", "zstd:9", "blosc" ("blosc:zstd"),
    !> each lossless, or "zfp:1e-3", off by up to that fraction of the largest value that the writer
    !> has of the array in the step ("zfp:abs=0.01": by up to that). NULL or "": none.
    type(c_ptr) :: compression = c_null_ptr
    !> NEARFAR_OUTPUT_OPENING_APPEND: steps of this time or later are forgotten, as when a program
    !> begins again from an earlier state; NULL: none.
    type(c_ptr) :: append_before = c_null_ptr
    !> 1: NEARFAR_OUTPUT_OPENING_APPEND forgets steps from the first one on whose data has not the
    !> journal's sums
    integer(c_int) :: verify = 0
    !> 1: frames are locked in memory from the start, for a GPU that copies into slots; put does so
    !> by itself
    integer(c_int) :: is_pinned = 0
    !> NEARFAR_OUTPUT_OPENING_TAKE_TURNS: a stream that is not replaced though it is the older one;
    !> NULL or "": none
    type(c_ptr) :: kept = c_null_ptr
  end type c_output_options

  !> Where this rank's box lies in the frame of the step under way.
  type, bind(C) :: c_output_slot
    !> the first element of the box; NULL for an empty box
    type(c_ptr) :: data = c_null_ptr
    !> between neighbours along each dimension
    integer(c_int64_t) :: strides_bytes(nearfar_max_dimensions) = 0
  end type c_output_slot

  !> A step that a journal says is whole.
  type, bind(C) :: c_output_step
    !> its number, from 0
    integer(c_int64_t) :: step = 0
    !> as begin_step was given
    real(c_double) :: time = 0
  end type c_output_step

  !> What reading the data of a step has shown.
  type, bind(C) :: c_output_report
    !> its number, from 0
    integer(c_int64_t) :: step = 0
    !> as begin_step was given
    real(c_double) :: time = 0
    !> the verdict
    integer(c_int) :: state = 0
    !> why it is not sound: the writer or the file; empty if it is; cut where it is longer
    character(kind=c_char) :: reason(256) = c_null_char
  end type c_output_report

  !> All zero is the default.
  type, bind(C) :: c_output_reader_options
    !> sizeof this struct, as NEARFAR_OPTIONS sets it
    integer(c_size_t) :: size = 40
    !> After step s the program will ask for s + stride, s + 2 stride and so on, -1: backwards; 0: 1
    integer(c_int64_t) :: stride = 0
    !> on by default; off: each step is read when it is asked for
    integer(c_int) :: reads_ahead = 0
    !> steps that are in memory at most, the one that the program has among them; 0: 2
    integer(c_int) :: depth = 0
    !> of all these steps on this rank; lessens the depth; 0: no limit
    integer(c_int64_t) :: most_bytes = 0
    !> the data are compared with the journal's sums; on by default
    integer(c_int) :: checksum = 0
  end type c_output_reader_options

  !> What this rank wants of an array in each step.
  type, bind(C) :: c_output_selection
    !> of the array, as it was written
    type(c_ptr) :: name = c_null_ptr
    !> global indices, any box inside the array; zeros: none
    type(c_box) :: wanted
    !> {low, high} per dimension, around the box in the arrays given to get; NULL: none
    type(c_ptr) :: padding = c_null_ptr
  end type c_output_selection

  !> How an array lies in memory.
  type, bind(C) :: c_array_layout
    integer(c_int) :: dimensions = 0
    integer(c_size_t) :: element_bytes = 0
    integer(c_int64_t) :: extents(nearfar_max_dimensions) = 0
    integer(c_int64_t) :: strides(nearfar_max_dimensions) = 0
  end type c_array_layout

  !> What a collective call is, besides its arrays.
  type, bind(C) :: c_wish
    integer(c_int) :: kind = 0
    integer(c_int) :: root = 0
    !> of the names in nearfar_collectives.f90; -1: op_handle; -2: none
    integer(c_int) :: op_number = 0
    !> an MPI_Op
    integer(c_int) :: op_handle = 0
    type(c_ptr) :: send_counts = c_null_ptr
    type(c_ptr) :: send_displs = c_null_ptr
    type(c_ptr) :: receive_counts = c_null_ptr
    type(c_ptr) :: receive_displs = c_null_ptr
  end type c_wish

  !> What an array of a transposition or transform must look like.
  type, bind(C) :: c_expected_array
    integer(c_int) :: dimensions = 0
    !> as the array has them, fastest first
    integer(c_int64_t) :: extents(nearfar_max_dimensions) = 0
    !> of one field
    integer(c_int64_t) :: elements = 0
    integer(c_int64_t) :: fields = 0
  end type c_expected_array

  !> What an array that is put or got must look like, fastest first.
  type, bind(C) :: c_output_shape
    integer(c_int) :: type = 0
    integer(c_int) :: dimensions = 0
    integer(c_int64_t) :: own(nearfar_max_dimensions) = 0
    integer(c_int64_t) :: low(nearfar_max_dimensions) = 0
    integer(c_int64_t) :: high(nearfar_max_dimensions) = 0
  end type c_output_shape

  interface
    !> Why the last failing call of this thread failed; "" if none did. Valid until the next failing
    !> call.
    function nearfar_last_error() bind(C) result(outcome)
      import
      type(c_ptr) :: outcome
    end function nearfar_last_error

    !> Ends all ranks of MPI_COMM_WORLD with MPI_Abort, half a second after C's streams are flushed,
    !> so that the launcher passes on what this rank has printed. Local; does not return. Without
    !> MPI it ends this process alone.
    subroutine nearfar_end_job(code) bind(C)
      import
      integer(c_int), value :: code
    end subroutine nearfar_end_job

    !> Where in the program this thread's plans are made from now on: messages name it; NULL:
    !> unknown. NEARFAR_TRY says it for its call. `file` is not copied. Local.
    subroutine nearfar_set_place(file, line) bind(C)
      import
      character(kind=c_char), intent(in) :: file(*)
      integer(c_int), value :: line
    end subroutine nearfar_set_place

    !> Prints the failed call, this rank and nearfar_last_error(), then ends all ranks:
    !> nearfar_end_job().
    subroutine nearfar_abort(file, line, call, status) bind(C)
      import
      character(kind=c_char), intent(in) :: file(*)
      integer(c_int), value :: line
      character(kind=c_char), intent(in) :: call(*)
      integer(c_int), value :: status
    end subroutine nearfar_abort

    !> Frees the team and every grid, field and halo made from it; their handles may only be freed
    !> after that. Collective; sets *team to NULL. All free functions accept NULL handles.
    function nearfar_team_free(team) bind(C) result(outcome)
      import
      type(c_ptr), intent(inout) :: team
      integer(c_int) :: outcome
    end function nearfar_team_free

    !> This rank, from 0; -1 for a NULL team. Local, as the next five.
    pure function nearfar_team_rank(team) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: team
      integer(c_int) :: outcome
    end function nearfar_team_rank

    !> ranks in the team
    pure function nearfar_team_size(team) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: team
      integer(c_int) :: outcome
    end function nearfar_team_size

    !> number of this rank's node, from 0
    pure function nearfar_team_node(team) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: team
      integer(c_int) :: outcome
    end function nearfar_team_node

    !> nodes in the team
    pure function nearfar_team_nodes(team) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: team
      integer(c_int) :: outcome
    end function nearfar_team_nodes

    !> this rank among those of its node, from 0
    pure function nearfar_team_near_rank(team) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: team
      integer(c_int) :: outcome
    end function nearfar_team_near_rank

    !> ranks on this node
    pure function nearfar_team_near_size(team) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: team
      integer(c_int) :: outcome
    end function nearfar_team_near_size

    !> A line per fact. Text from the describe functions is valid until the next call on the same
    !> object; local. All functions that return a pointer return NULL after an error.
    function nearfar_team_describe(team) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      type(c_ptr) :: outcome
    end function nearfar_team_describe

    !> Cuts `extents` (1 to 4 dimensions, slowest first) into tiles as equal as possible, or as the
    !> options say, which may be NULL. Collective over the team, the same arguments on all ranks.
    !> Errors, on every rank: extents below 1, a process grid that does not multiply to the ranks,
    !> more ranks than cells unless allow_idle.
    function nearfar_grid_create(team, dimensions, extents, options, grid) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      integer(c_int), value :: dimensions
      integer(c_int64_t), intent(in), optional :: extents(*)
      type(c_grid_options), intent(in), optional :: options
      type(c_ptr), intent(inout) :: grid
      integer(c_int) :: outcome
    end function nearfar_grid_create

    !> A grid whose tiles are given by their ranks: they must cover `extents` without overlap.
    !> Collective.
    function nearfar_grid_from_tiles(team, dimensions, extents, lower, upper, periodic, &
      grid) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      integer(c_int), value :: dimensions
      integer(c_int64_t), intent(in), optional :: extents(*)
      integer(c_int64_t), intent(in), optional :: lower(*)
      integer(c_int64_t), intent(in), optional :: upper(*)
      integer(c_int), intent(in), optional :: periodic(*)
      type(c_ptr), intent(inout) :: grid
      integer(c_int) :: outcome
    end function nearfar_grid_from_tiles

    !> Frees the grid and its fields. Local. Halos made from them keep working. Sets *grid to NULL.
    function nearfar_grid_free(grid) bind(C) result(outcome)
      import
      type(c_ptr), intent(inout) :: grid
      integer(c_int) :: outcome
    end function nearfar_grid_free

    !> 1 to 4; -1 for a NULL grid. Local, as the next four.
    pure function nearfar_grid_dimensions(grid) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: grid
      integer(c_int) :: outcome
    end function nearfar_grid_dimensions

    !> Cells of the whole grid per dimension, slowest first.
    function nearfar_grid_extents(grid) bind(C) result(outcome)
      import
      type(c_ptr), value :: grid
      type(c_ptr) :: outcome
    end function nearfar_grid_extents

    !> First own cell per dimension; 0 where this rank owns none.
    function nearfar_grid_lower(grid) bind(C) result(outcome)
      import
      type(c_ptr), value :: grid
      type(c_ptr) :: outcome
    end function nearfar_grid_lower

    !> Behind the last own cell per dimension; 0 where this rank owns none.
    function nearfar_grid_upper(grid) bind(C) result(outcome)
      import
      type(c_ptr), value :: grid
      type(c_ptr) :: outcome
    end function nearfar_grid_upper

    !> The team that it was made over; NULL after an error. Local.
    function nearfar_grid_team(grid) bind(C) result(outcome)
      import
      type(c_ptr), value :: grid
      type(c_ptr) :: outcome
    end function nearfar_grid_team

    !> Tiles, process grid, placement and far faces.
    function nearfar_grid_describe(grid) bind(C) result(outcome)
      import
      type(c_ptr), value :: grid
      type(c_ptr) :: outcome
    end function nearfar_grid_describe

    !> Allocates (own cells + ghosts) elements and sets them to zero. `type` 0: of any type of
    !> options->element_bytes. `options` may be NULL: no ghosts, the last dimension contiguous.
    !> Collective. Errors, on every rank: NEARFAR_USAGE_ERROR for negative ghosts and for sizes that
    !> cannot be or are not the type's, NEARFAR_RESOURCE_ERROR with the bytes asked for where memory
    !> does not suffice.
    function nearfar_field_create(grid, type, options, field) bind(C) result(outcome)
      import
      type(c_ptr), value :: grid
      integer(c_int), value :: type
      type(c_field_options), intent(in), optional :: options
      type(c_ptr), intent(inout) :: field
      integer(c_int) :: outcome
    end function nearfar_field_create

    !> Local; the memory stays until the last halo that uses it is freed too. Sets *field to NULL.
    function nearfar_field_free(field) bind(C) result(outcome)
      import
      type(c_ptr), intent(inout) :: field
      integer(c_int) :: outcome
    end function nearfar_field_free

    !> First element, ghost cells included; NULL on a rank without cells. Element i, j, k of global
    !> indices lies (i - lower[0]) strides[0] + (j - lower[1]) strides[1] + … bytes behind it:
    !> nearfar_field_lower(), _strides(). Local. The typed forms return NULL if the field has
    !> another element type.
    function nearfar_field_data(field) bind(C) result(outcome)
      import
      type(c_ptr), value :: field
      type(c_ptr) :: outcome
    end function nearfar_field_data

    !> NULL unless the elements are NEARFAR_ELEMENT_INT32.
    function nearfar_field_data_i32(field) bind(C) result(outcome)
      import
      type(c_ptr), value :: field
      type(c_ptr) :: outcome
    end function nearfar_field_data_i32

    !> NULL unless the elements are NEARFAR_ELEMENT_INT64.
    function nearfar_field_data_i64(field) bind(C) result(outcome)
      import
      type(c_ptr), value :: field
      type(c_ptr) :: outcome
    end function nearfar_field_data_i64

    !> NULL unless the elements are NEARFAR_ELEMENT_FLOAT32.
    function nearfar_field_data_f32(field) bind(C) result(outcome)
      import
      type(c_ptr), value :: field
      type(c_ptr) :: outcome
    end function nearfar_field_data_f32

    !> NULL unless the elements are NEARFAR_ELEMENT_FLOAT64.
    function nearfar_field_data_f64(field) bind(C) result(outcome)
      import
      type(c_ptr), value :: field
      type(c_ptr) :: outcome
    end function nearfar_field_data_f64

    !> Bytes of one element; 0 for a NULL field.
    pure function nearfar_field_element_bytes(field) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: field
      integer(c_size_t) :: outcome
    end function nearfar_field_element_bytes

    !> global index of the first element
    function nearfar_field_lower(field) bind(C) result(outcome)
      import
      type(c_ptr), value :: field
      type(c_ptr) :: outcome
    end function nearfar_field_lower

    !> elements, ghost cells included
    function nearfar_field_extents(field) bind(C) result(outcome)
      import
      type(c_ptr), value :: field
      type(c_ptr) :: outcome
    end function nearfar_field_extents

    !> bytes between neighbours
    function nearfar_field_strides(field) bind(C) result(outcome)
      import
      type(c_ptr), value :: field
      type(c_ptr) :: outcome
    end function nearfar_field_strides

    !> The team that it was made over; NULL after an error. Local.
    function nearfar_field_team(field) bind(C) result(outcome)
      import
      type(c_ptr), value :: field
      type(c_ptr) :: outcome
    end function nearfar_field_team

    !> The grid that it was made on; NULL after an error. Local.
    function nearfar_field_grid(field) bind(C) result(outcome)
      import
      type(c_ptr), value :: field
      type(c_ptr) :: outcome
    end function nearfar_field_grid

    !> Own cells that need no ghost (core) and the others (edge), as disjoint boxes. Local.
    function nearfar_field_core(field, boxes, count) bind(C) result(outcome)
      import
      type(c_ptr), value :: field
      type(c_box), intent(inout), optional :: boxes(*)
      integer(c_int), intent(inout) :: count
      integer(c_int) :: outcome
    end function nearfar_field_core

    !> The other own cells. Local.
    function nearfar_field_edge(field, boxes, count) bind(C) result(outcome)
      import
      type(c_ptr), value :: field
      type(c_box), intent(inout), optional :: boxes(*)
      integer(c_int), intent(inout) :: count
      integer(c_int) :: outcome
    end function nearfar_field_edge

    !> The field of `team` whose memory begins at `data`, or whose handle `data` is. Local.
    function nearfar_team_find_field(team, data, field) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      type(c_ptr), value :: data
      type(c_ptr), intent(inout) :: field
      integer(c_int) :: outcome
    end function nearfar_team_find_field

    !> The methods of a front: "halo", "transpose", "fft", "irregular", "collective.KIND". The table
    !> lives as long as the program; NULL, with an error, where there is no such front. Local.
    function nearfar_methods(front, count) bind(C) result(outcome)
      import
      character(kind=c_char), intent(in) :: front(*)
      integer(c_int), intent(inout) :: count
      type(c_ptr) :: outcome
    end function nearfar_methods

    !> nearfar_team_create() for a communicator as Fortran has it. Collective.
    function nearfar_team_create_fint(comm, options, team) bind(C) result(outcome)
      import
      integer(c_int), value :: comm
      type(c_team_options), intent(in), optional :: options
      type(c_ptr), intent(inout) :: team
      integer(c_int) :: outcome
    end function nearfar_team_create_fint

    !> Text as nearfar_last_error() or a describe function has returned it, with axes numbered from
    !> 1, fastest first, in place of from 0, slowest first; as long valid; "" for NULL. Local.
    function nearfar_from_one(text) bind(C) result(outcome)
      import
      character(kind=c_char), intent(in) :: text(*)
      type(c_ptr) :: outcome
    end function nearfar_from_one

    !> Fails on every rank if `complaint` is not NULL or empty on any. Collective.
    function nearfar_agree(team, complaint) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      character(kind=c_char), intent(in) :: complaint(*)
      integer(c_int) :: outcome
    end function nearfar_agree

    !> A plan for all ghost cells of `count` fields, tuned; `options` may be NULL. Collective over
    !> their team, in one order on all ranks.
    function nearfar_halo_plan_create(count, fields, options, halo) bind(C) result(outcome)
      import
      integer(c_int), value :: count
      type(c_ptr), intent(in), optional :: fields(*)
      type(c_halo_options), intent(in), optional :: options
      type(c_ptr), intent(inout) :: halo
      integer(c_int) :: outcome
    end function nearfar_halo_plan_create

    !> The same in steps: begin (local), add … (local), commit (collective). `options` may be NULL;
    !> commit checks them.
    function nearfar_halo_plan_begin(team, options, halo) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      type(c_halo_options), intent(in), optional :: options
      type(c_ptr), intent(inout) :: halo
      integer(c_int) :: outcome
    end function nearfar_halo_plan_begin

    !> Adds a field; `fill` ({low, high} per dimension, at most its ghosts; NULL: all) are the
    !> layers to fill. What is wrong with an argument is remembered and returned by commit, on every
    !> rank.
    function nearfar_halo_plan_add_field(halo, field, fill) bind(C) result(outcome)
      import
      type(c_ptr), value :: halo
      type(c_ptr), value :: field
      integer(c_int), intent(in), optional :: fill(2, *)
      integer(c_int) :: outcome
    end function nearfar_halo_plan_add_field

    !> Adds an array of the caller's that has `ghosts` around this rank's tile; near ranks pay a
    !> copy for it.
    function nearfar_halo_plan_add_array(halo, grid, array, ghosts, fill) bind(C) result(outcome)
      import
      type(c_ptr), value :: halo
      type(c_ptr), value :: grid
      type(c_array), intent(in), optional :: array
      integer(c_int), intent(in), optional :: ghosts(2, *)
      integer(c_int), intent(in), optional :: fill(2, *)
      integer(c_int) :: outcome
    end function nearfar_halo_plan_add_array

    !> Makes and tunes the plan. Collective over the team.
    function nearfar_halo_plan_commit(halo) bind(C) result(outcome)
      import
      type(c_ptr), value :: halo
      integer(c_int) :: outcome
    end function nearfar_halo_plan_commit

    !> Collective over the team. Sets *halo to NULL.
    function nearfar_halo_plan_free(halo) bind(C) result(outcome)
      import
      type(c_ptr), intent(inout) :: halo
      integer(c_int) :: outcome
    end function nearfar_halo_plan_free

    !> Starts to fill the ghost cells; until finish, own cells next to them must not be written,
    !> ghosts not read.
    function nearfar_halo_plan_start(halo) bind(C) result(outcome)
      import
      type(c_ptr), value :: halo
      integer(c_int) :: outcome
    end function nearfar_halo_plan_start

    !> The same on other arrays of the same extents and strides, one per part: where each begins.
    !> They must be near memory, or GPU memory, where the plan's were. The plan keeps to them; the
    !> caller keeps them alive.
    function nearfar_halo_plan_start_on(halo, count, data) bind(C) result(outcome)
      import
      type(c_ptr), value :: halo
      integer(c_int), value :: count
      type(c_ptr), intent(inout) :: data
      integer(c_int) :: outcome
    end function nearfar_halo_plan_start_on

    !> done: finish would not wait
    function nearfar_halo_plan_test(halo, done) bind(C) result(outcome)
      import
      type(c_ptr), value :: halo
      integer(c_int), intent(inout) :: done
      integer(c_int) :: outcome
    end function nearfar_halo_plan_test

    !> Waits until all ghosts are filled and the arrays are the caller's again. Errors are this
    !> rank's own.
    function nearfar_halo_plan_finish(halo) bind(C) result(outcome)
      import
      type(c_ptr), value :: halo
      integer(c_int) :: outcome
    end function nearfar_halo_plan_finish

    !> start and finish
    function nearfar_halo_plan_run(halo) bind(C) result(outcome)
      import
      type(c_ptr), value :: halo
      integer(c_int) :: outcome
    end function nearfar_halo_plan_run

    !> Start_on and finish.
    function nearfar_halo_plan_run_on(halo, count, data) bind(C) result(outcome)
      import
      type(c_ptr), value :: halo
      integer(c_int), value :: count
      type(c_ptr), intent(inout) :: data
      integer(c_int) :: outcome
    end function nearfar_halo_plan_run_on

    !> The team that it was made over; NULL after an error. Local.
    function nearfar_halo_plan_team(halo) bind(C) result(outcome)
      import
      type(c_ptr), value :: halo
      type(c_ptr) :: outcome
    end function nearfar_halo_plan_team

    !> what was chosen
    function nearfar_halo_plan_method(halo) bind(C) result(outcome)
      import
      type(c_ptr), value :: halo
      type(c_ptr) :: outcome
    end function nearfar_halo_plan_method

    !> What was tried and chosen, bytes, messages, times. Local.
    function nearfar_halo_plan_describe(halo) bind(C) result(outcome)
      import
      type(c_ptr), value :: halo
      type(c_ptr) :: outcome
    end function nearfar_halo_plan_describe

    !> What was tried and chosen, as JSON (C++'s describe_json()). Local.
    function nearfar_halo_plan_describe_json(halo) bind(C) result(outcome)
      import
      type(c_ptr), value :: halo
      type(c_ptr) :: outcome
    end function nearfar_halo_plan_describe_json

    !> of one exchange; 0 if unknown
    pure function nearfar_halo_plan_tuned_seconds(halo) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: halo
      real(c_double) :: outcome
    end function nearfar_halo_plan_tuned_seconds

    !> Remembers `complaint` for commit, as the add functions do. Local.
    function nearfar_halo_plan_refuse(halo, complaint) bind(C) result(outcome)
      import
      type(c_ptr), value :: halo
      character(kind=c_char), intent(in) :: complaint(*)
      integer(c_int) :: outcome
    end function nearfar_halo_plan_refuse

    !> What the elements of the part that was added last are, in words, which is not empty. Said of
    !> each part, it is the option `type_name` of the plan. Local.
    function nearfar_halo_plan_name_type(halo, type_name) bind(C) result(outcome)
      import
      type(c_ptr), value :: halo
      character(kind=c_char), intent(in) :: type_name(*)
      integer(c_int) :: outcome
    end function nearfar_halo_plan_name_type

    !> Returns when every rank has called it.
    function nearfar_barrier(team) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      integer(c_int) :: outcome
    end function nearfar_barrier

    !> What the calls made so far came to, a line per kind and size; valid until the next call on
    !> the team. Local.
    function nearfar_collectives_describe(team) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      type(c_ptr) :: outcome
    end function nearfar_collectives_describe

    !> Zeroed memory of this rank; `bytes` may differ between ranks. Collective over the team.
    function nearfar_allocate(team, bytes, data) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      integer(c_int64_t), value :: bytes
      type(c_ptr), intent(inout) :: data
      integer(c_int) :: outcome
    end function nearfar_allocate

    !> Local; no call on the memory may be under way on any rank. Sets *data to NULL. The team frees
    !> what is left.
    function nearfar_free(team, data) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      type(c_ptr), intent(inout) :: data
      integer(c_int) :: outcome
    end function nearfar_free

    !> A plan of nearfar_barrier(). Returns when every rank has called it.
    function nearfar_collective_plan_barrier(team, options, plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      type(c_plan_options), intent(in), optional :: options
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: outcome
    end function nearfar_collective_plan_barrier

    !> Carries the call out. Collective over the team.
    function nearfar_collective_plan_run(plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      integer(c_int) :: outcome
    end function nearfar_collective_plan_run

    !> Starts; until finish the buffers belong to the plan. Plans may be started and finished in any
    !> order.
    function nearfar_collective_plan_start(plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      integer(c_int) :: outcome
    end function nearfar_collective_plan_start

    !> done: finish would not wait
    function nearfar_collective_plan_test(plan, done) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      integer(c_int), intent(inout) :: done
      integer(c_int) :: outcome
    end function nearfar_collective_plan_test

    !> Waits until this rank's result is there and its buffers are the caller's again.
    function nearfar_collective_plan_finish(plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      integer(c_int) :: outcome
    end function nearfar_collective_plan_finish

    !> Local. Sets *plan to NULL.
    function nearfar_collective_plan_free(plan) bind(C) result(outcome)
      import
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: outcome
    end function nearfar_collective_plan_free

    !> The team that it was made over; NULL after an error. Local.
    function nearfar_collective_plan_team(plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr) :: outcome
    end function nearfar_collective_plan_team

    !> of run
    function nearfar_collective_plan_method(plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr) :: outcome
    end function nearfar_collective_plan_method

    !> of start and finish
    function nearfar_collective_plan_start_method(plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr) :: outcome
    end function nearfar_collective_plan_start_method

    !> What was tried and chosen, with times. Local.
    function nearfar_collective_plan_describe(plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr) :: outcome
    end function nearfar_collective_plan_describe

    !> What was tried and chosen, as JSON (C++'s describe_json()). Local.
    function nearfar_collective_plan_describe_json(plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr) :: outcome
    end function nearfar_collective_plan_describe_json

    !> of run; 0 if unknown
    pure function nearfar_collective_plan_tuned_seconds(plan) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: plan
      real(c_double) :: outcome
    end function nearfar_collective_plan_tuned_seconds

    !> Contiguous blocks in rank order; the first elements % ranks ranks have one element more.
    function nearfar_distribution_block(team, elements, distribution) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      integer(c_int64_t), value :: elements
      type(c_ptr), intent(inout) :: distribution
      integer(c_int) :: outcome
    end function nearfar_distribution_block

    !> Contiguous blocks in rank order, of the sizes that the ranks name.
    function nearfar_distribution_block_sizes(team, own_elements, distribution) bind(C) &
      result(outcome)
      import
      type(c_ptr), value :: team
      integer(c_int64_t), value :: own_elements
      type(c_ptr), intent(inout) :: distribution
      integer(c_int) :: outcome
    end function nearfar_distribution_block_sizes

    !> Element g belongs to rank g % ranks.
    function nearfar_distribution_cyclic(team, elements, distribution) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      integer(c_int64_t), value :: elements
      type(c_ptr), intent(inout) :: distribution
      integer(c_int) :: outcome
    end function nearfar_distribution_cyclic

    !> Blocks of `block_elements` elements, dealt out in turn.
    function nearfar_distribution_block_cyclic(team, elements, block_elements, &
      distribution) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      integer(c_int64_t), value :: elements
      integer(c_int64_t), value :: block_elements
      type(c_ptr), intent(inout) :: distribution
      integer(c_int) :: outcome
    end function nearfar_distribution_block_cyclic

    !> Elements [0, first_elements) and the others, each in blocks: rank r has block r of both, the
    !> first part's lower.
    function nearfar_distribution_two_block(team, elements, first_elements, distribution) &
      bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      integer(c_int64_t), value :: elements
      integer(c_int64_t), value :: first_elements
      type(c_ptr), intent(inout) :: distribution
      integer(c_int) :: outcome
    end function nearfar_distribution_two_block

    !> The same with the second part's blocks in reverse order of ranks.
    function nearfar_distribution_reversed_two_block(team, elements, first_elements, &
      distribution) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      integer(c_int64_t), value :: elements
      integer(c_int64_t), value :: first_elements
      type(c_ptr), intent(inout) :: distribution
      integer(c_int) :: outcome
    end function nearfar_distribution_reversed_two_block

    !> Each rank lists the `count` indices that it owns, in the order of its offsets; together 0 …
    !> N-1, each once.
    function nearfar_distribution_from_owned(team, count, owned, distribution) bind(C) &
      result(outcome)
      import
      type(c_ptr), value :: team
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in), optional :: owned(*)
      type(c_ptr), intent(inout) :: distribution
      integer(c_int) :: outcome
    end function nearfar_distribution_from_owned

    !> The program's own distribution; the rule is copied, its context lives until it is released.
    !> Collective.
    function nearfar_distribution_from_rule(team, rule, distribution) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      type(c_distribution_rule), intent(in), optional :: rule
      type(c_ptr), intent(inout) :: distribution
      integer(c_int) :: outcome
    end function nearfar_distribution_from_rule

    !> Local; plans made with it keep working. Sets *distribution to NULL.
    function nearfar_distribution_free(distribution) bind(C) result(outcome)
      import
      type(c_ptr), intent(inout) :: distribution
      integer(c_int) :: outcome
    end function nearfar_distribution_free

    !> Of the whole array.
    pure function nearfar_distribution_elements(distribution) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: distribution
      integer(c_int64_t) :: outcome
    end function nearfar_distribution_elements

    !> elements of this rank
    pure function nearfar_distribution_owned(distribution) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: distribution
      integer(c_int64_t) :: outcome
    end function nearfar_distribution_owned

    !> The team that it was made over; NULL after an error. Local.
    function nearfar_distribution_team(distribution) bind(C) result(outcome)
      import
      type(c_ptr), value :: distribution
      type(c_ptr) :: outcome
    end function nearfar_distribution_team

    !> One line: kind, elements, elements here.
    function nearfar_distribution_describe(distribution) bind(C) result(outcome)
      import
      type(c_ptr), value :: distribution
      type(c_ptr) :: outcome
    end function nearfar_distribution_describe

    !> owners[i], offsets[i] = place of the element indices[i]. Local; of
    !> nearfar_distribution_from_owned() collective.
    function nearfar_distribution_locate(distribution, count, indices, owners, offsets) &
      bind(C) result(outcome)
      import
      type(c_ptr), value :: distribution
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in), optional :: indices(*)
      integer(c_int), intent(inout), optional :: owners(*)
      integer(c_int64_t), intent(inout), optional :: offsets(*)
      integer(c_int) :: outcome
    end function nearfar_distribution_locate

    !> indices[i] = the element at offsets[i] of this rank. Local.
    function nearfar_distribution_globals(distribution, count, offsets, indices) bind(C) &
      result(outcome)
      import
      type(c_ptr), value :: distribution
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in), optional :: offsets(*)
      integer(c_int64_t), intent(inout), optional :: indices(*)
      integer(c_int) :: outcome
    end function nearfar_distribution_globals

    !> Tests that sizes add up, and that own elements (at most `sample`; 0: all) are located where
    !> they are. Collective.
    function nearfar_distribution_check(distribution, sample) bind(C) result(outcome)
      import
      type(c_ptr), value :: distribution
      integer(c_int64_t), value :: sample
      integer(c_int) :: outcome
    end function nearfar_distribution_check

    !> Inspects `count` references. Collective over the team; fails on every rank or on none.
    !> `options` may be NULL.
    function nearfar_irregular_plan_create(distribution, count, indices, options, plan) &
      bind(C) result(outcome)
      import
      type(c_ptr), value :: distribution
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in), optional :: indices(*)
      type(c_irregular_options), intent(in), optional :: options
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: outcome
    end function nearfar_irregular_plan_create

    !> The same for 32-bit indices.
    function nearfar_irregular_plan_create_i32(distribution, count, indices, options, plan) &
      bind(C) result(outcome)
      import
      type(c_ptr), value :: distribution
      integer(c_int64_t), value :: count
      integer(c_int32_t), intent(in), optional :: indices(*)
      type(c_irregular_options), intent(in), optional :: options
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: outcome
    end function nearfar_irregular_plan_create_i32

    !> The same for other references, and another distribution unless that is NULL: what a new plan
    !> would be, but shared memory, signals and decisions are kept. Collective; after an error the
    !> plan is as it was.
    function nearfar_irregular_plan_update(plan, distribution, count, indices) bind(C) &
      result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr), value :: distribution
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in), optional :: indices(*)
      integer(c_int) :: outcome
    end function nearfar_irregular_plan_update

    !> The same for 32-bit indices.
    function nearfar_irregular_plan_update_i32(plan, distribution, count, indices) bind(C) &
      result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr), value :: distribution
      integer(c_int64_t), value :: count
      integer(c_int32_t), intent(in), optional :: indices(*)
      integer(c_int) :: outcome
    end function nearfar_irregular_plan_update_i32

    !> Collective; finishes what is in flight. Sets *plan to NULL.
    function nearfar_irregular_plan_free(plan) bind(C) result(outcome)
      import
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: outcome
    end function nearfar_irregular_plan_free

    !> Own elements of the distribution on this rank; -1 for a NULL plan. Local, as the next four.
    pure function nearfar_irregular_plan_owned(plan) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: plan
      integer(c_int64_t) :: outcome
    end function nearfar_irregular_plan_owned

    !> remote elements referred to
    pure function nearfar_irregular_plan_ghosts(plan) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: plan
      integer(c_int64_t) :: outcome
    end function nearfar_irregular_plan_ghosts

    !> Number of indices that this rank gave.
    pure function nearfar_irregular_plan_references(plan) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: plan
      integer(c_int64_t) :: outcome
    end function nearfar_irregular_plan_references

    !> out[k] = x[local_indices[k]] after nearfar_irregular_plan_gather_ghosts(). Valid until update
    !> or free.
    function nearfar_irregular_plan_local_indices(plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr) :: outcome
    end function nearfar_irregular_plan_local_indices

    !> indices[i] = global index of ghost i.
    function nearfar_irregular_plan_ghost_indices(plan, indices) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      integer(c_int64_t), intent(inout), optional :: indices(*)
      integer(c_int) :: outcome
    end function nearfar_irregular_plan_ghost_indices

    !> The team that it was made over; NULL after an error. Local.
    function nearfar_irregular_plan_team(plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr) :: outcome
    end function nearfar_irregular_plan_team

    !> what is in use now
    function nearfar_irregular_plan_method(plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr) :: outcome
    end function nearfar_irregular_plan_method

    !> Sizes, traffic, what was tried and chosen; local.
    function nearfar_irregular_plan_describe(plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr) :: outcome
    end function nearfar_irregular_plan_describe

    !> What was tried and chosen, as JSON (C++'s describe_json()). Local.
    function nearfar_irregular_plan_describe_json(plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr) :: outcome
    end function nearfar_irregular_plan_describe_json

    !> 0 if unknown
    pure function nearfar_irregular_plan_tuned_seconds(plan) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: plan
      real(c_double) :: outcome
    end function nearfar_irregular_plan_tuned_seconds

    !> Zeroed near memory for own elements and ghosts: near ranks read it in place. Free it with
    !> nearfar_free(). Collective.
    function nearfar_irregular_plan_allocate(plan, type, components, x) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      integer(c_int), value :: type
      integer(c_int), value :: components
      type(c_ptr), intent(inout) :: x
      integer(c_int) :: outcome
    end function nearfar_irregular_plan_allocate

    !> The ghosts of x = the owners' elements.
    function nearfar_irregular_plan_gather_ghosts(plan, x, x_elements, type, components) &
      bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr), value :: x
      integer(c_int64_t), value :: x_elements
      integer(c_int), value :: type
      integer(c_int), value :: components
      integer(c_int) :: outcome
    end function nearfar_irregular_plan_gather_ghosts

    !> Own elements of x = op(own element, the ghost of each rank that has one).
    function nearfar_irregular_plan_scatter_ghosts(plan, x, x_elements, type, components, &
      op) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr), value :: x
      integer(c_int64_t), value :: x_elements
      integer(c_int), value :: type
      integer(c_int), value :: components
      integer(c_int), value :: op
      integer(c_int) :: outcome
    end function nearfar_irregular_plan_scatter_ghosts

    !> scatter_ghosts, then gather_ghosts: the same bits in every copy.
    function nearfar_irregular_plan_assemble_ghosts(plan, x, x_elements, type, components, &
      op) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr), value :: x
      integer(c_int64_t), value :: x_elements
      integer(c_int), value :: type
      integer(c_int), value :: components
      integer(c_int), value :: op
      integer(c_int) :: outcome
    end function nearfar_irregular_plan_assemble_ghosts

    !> out[k] = x[indices[k]]. Ghosts of x, if it has any, are filled as well.
    function nearfar_irregular_plan_gather(plan, x, x_elements, out, type, components) &
      bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr), value :: x
      integer(c_int64_t), value :: x_elements
      type(c_ptr), value :: out
      integer(c_int), value :: type
      integer(c_int), value :: components
      integer(c_int) :: outcome
    end function nearfar_irregular_plan_gather

    !> The same for an x that is only read: its ghosts, if it has any, stay as they are.
    function nearfar_irregular_plan_gather_const(plan, x, x_elements, out, type, &
      components) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr), value :: x
      integer(c_int64_t), value :: x_elements
      type(c_ptr), value :: out
      integer(c_int), value :: type
      integer(c_int), value :: components
      integer(c_int) :: outcome
    end function nearfar_irregular_plan_gather_const

    !> x[indices[k]] = op(x[indices[k]], in[k]) for all references of all ranks. Ghosts of x, if it
    !> has any, are scratch.
    function nearfar_irregular_plan_scatter(plan, in, x, x_elements, type, components, op) &
      bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr), value :: in
      type(c_ptr), value :: x
      integer(c_int64_t), value :: x_elements
      integer(c_int), value :: type
      integer(c_int), value :: components
      integer(c_int), value :: op
      integer(c_int) :: outcome
    end function nearfar_irregular_plan_scatter

    !> values[k] = op over the values of all references to the same element, the same bits wherever
    !> it is referred to.
    function nearfar_irregular_plan_assemble(plan, values, type, components, op) bind(C) &
      result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr), value :: values
      integer(c_int), value :: type
      integer(c_int), value :: components
      integer(c_int), value :: op
      integer(c_int) :: outcome
    end function nearfar_irregular_plan_assemble

    !> Start and finish. Collective over the team.
    function nearfar_irregular_plan_run(plan, call) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_irregular_call), intent(in), optional :: call
      integer(c_int) :: outcome
    end function nearfar_irregular_plan_run

    !> Until nearfar_irregular_plan_finish() the arrays must not be touched, and no other call of
    !> this plan be made.
    function nearfar_irregular_plan_start(plan, call) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_irregular_call), intent(in), optional :: call
      integer(c_int) :: outcome
    end function nearfar_irregular_plan_start

    !> done: finish would not wait
    function nearfar_irregular_plan_test(plan, done) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      integer(c_int), intent(inout) :: done
      integer(c_int) :: outcome
    end function nearfar_irregular_plan_test

    !> Waits until all arrays are the caller's again.
    function nearfar_irregular_plan_finish(plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      integer(c_int) :: outcome
    end function nearfar_irregular_plan_finish

    !> process_grid[d] parts along axis d, ranks numbered along the last axis first.
    function nearfar_decomposition_blocks(team, dimensions, extents, process_grid, parts) &
      bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      integer(c_int), value :: dimensions
      integer(c_int64_t), intent(in), optional :: extents(*)
      integer(c_int), intent(in), optional :: process_grid(*)
      type(c_ptr), intent(in), optional :: parts(*)
      integer(c_int) :: outcome
    end function nearfar_decomposition_blocks

    !> One axis cut over all ranks.
    function nearfar_decomposition_slab(team, dimensions, extents, cut_axis, parts) &
      bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      integer(c_int), value :: dimensions
      integer(c_int64_t), intent(in), optional :: extents(*)
      integer(c_int), value :: cut_axis
      type(c_ptr), intent(in), optional :: parts(*)
      integer(c_int) :: outcome
    end function nearfar_decomposition_slab

    !> One axis whole; the others, in their order, are cut as process_grid (dimensions - 1 numbers)
    !> says; NULL: as square as can be.
    function nearfar_decomposition_pencil(team, dimensions, extents, whole_axis, process_grid, &
      parts) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      integer(c_int), value :: dimensions
      integer(c_int64_t), intent(in), optional :: extents(*)
      integer(c_int), value :: whole_axis
      integer(c_int), intent(in), optional :: process_grid(*)
      type(c_ptr), intent(in), optional :: parts(*)
      integer(c_int) :: outcome
    end function nearfar_decomposition_pencil

    !> The box lower[d] <= i < upper[d] on this rank, which may be empty; together each element must
    !> have exactly one owner.
    function nearfar_decomposition_from_boxes(team, dimensions, extents, own, parts) &
      bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      integer(c_int), value :: dimensions
      integer(c_int64_t), intent(in), optional :: extents(*)
      type(c_box), intent(in), optional :: own
      type(c_ptr), intent(in), optional :: parts(*)
      integer(c_int) :: outcome
    end function nearfar_decomposition_from_boxes

    !> Local; plans and arrays made with it keep working. Sets *parts to NULL.
    function nearfar_decomposition_free(parts) bind(C) result(outcome)
      import
      type(c_ptr), intent(in), optional :: parts(*)
      integer(c_int) :: outcome
    end function nearfar_decomposition_free

    !> 1 to 4; -1 for a NULL decomposition. Local.
    pure function nearfar_decomposition_dimensions(parts) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: parts
      integer(c_int) :: outcome
    end function nearfar_decomposition_dimensions

    !> Elements per axis, slowest first; NULL for a NULL decomposition. Local.
    function nearfar_decomposition_extents(parts) bind(C) result(outcome)
      import
      type(c_ptr), value :: parts
      type(c_ptr) :: outcome
    end function nearfar_decomposition_extents

    !> Parts per axis; NULL for nearfar_decomposition_from_boxes().
    function nearfar_decomposition_process_grid(parts) bind(C) result(outcome)
      import
      type(c_ptr), value :: parts
      type(c_ptr) :: outcome
    end function nearfar_decomposition_process_grid

    !> The box of any rank; all zero if it owns nothing.
    function nearfar_decomposition_box(parts, rank, box) bind(C) result(outcome)
      import
      type(c_ptr), value :: parts
      integer(c_int), value :: rank
      type(c_box), intent(inout) :: box
      integer(c_int) :: outcome
    end function nearfar_decomposition_box

    !> The team that it was made over; NULL after an error. Local.
    function nearfar_decomposition_team(parts) bind(C) result(outcome)
      import
      type(c_ptr), value :: parts
      type(c_ptr) :: outcome
    end function nearfar_decomposition_team

    !> Extents, process grid and this rank's box, in a line. Local.
    function nearfar_decomposition_describe(parts) bind(C) result(outcome)
      import
      type(c_ptr), value :: parts
      type(c_ptr) :: outcome
    end function nearfar_decomposition_describe

    !> Local.
    function nearfar_transpose_shape(side, shape) bind(C) result(outcome)
      import
      type(c_transpose_side), intent(in), optional :: side
      type(c_array_shape), intent(inout) :: shape
      integer(c_int) :: outcome
    end function nearfar_transpose_shape

    !> Zeroed arrays for `fields` fields, large enough for each of `count` sides (several where a
    !> plan works in place). Collective.
    function nearfar_transpose_array_create(count, sides, fields, element_bytes, array) &
      bind(C) result(outcome)
      import
      integer(c_int), value :: count
      type(c_transpose_side), intent(in), optional :: sides(*)
      integer(c_int64_t), value :: fields
      integer(c_size_t), value :: element_bytes
      type(c_ptr), intent(inout) :: array
      integer(c_int) :: outcome
    end function nearfar_transpose_array_create

    !> The array of a field, numbered from 0; NULL where this rank owns nothing. Local.
    function nearfar_transpose_array_data(array, field) bind(C) result(outcome)
      import
      type(c_ptr), value :: array
      integer(c_int64_t), value :: field
      type(c_ptr) :: outcome
    end function nearfar_transpose_array_data

    !> Elements of the array of a field (of all where the side has a field_stride); -1 for a NULL
    !> array. Local.
    pure function nearfar_transpose_array_elements(array) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: array
      integer(c_int64_t) :: outcome
    end function nearfar_transpose_array_elements

    !> Local; plans may not be run on it any more. Sets *array to NULL.
    function nearfar_transpose_array_free(array) bind(C) result(outcome)
      import
      type(c_ptr), intent(inout) :: array
      integer(c_int) :: outcome
    end function nearfar_transpose_array_free

    !> A plan for arrays of one field, or of fields one after the other as the sides' field_stride
    !> says, with the elements that each array has: more than are needed will do, fewer are refused.
    !> It is made and tuned on these very arrays; `out` has its contents back afterwards. The same
    !> address for both is in place: that costs a copy of the part. Ranks that own nothing may pass
    !> NULL. `options` may be NULL. Collective over the team, plans in one order on all ranks.
    !> Errors, on every rank: sides, orders, fields or sizes that are wrong or differ between ranks,
    !> arrays that are too short or overlap, unknown methods.
    function nearfar_transpose_plan_create(from, to, element_bytes, in, in_elements, out, &
      out_elements, options, plan) bind(C) result(outcome)
      import
      type(c_transpose_side), intent(in), optional :: from
      type(c_transpose_side), intent(in), optional :: to
      integer(c_size_t), value :: element_bytes
      type(c_ptr), value :: in
      integer(c_int64_t), value :: in_elements
      type(c_ptr), value :: out
      integer(c_int64_t), value :: out_elements
      type(c_transpose_options), intent(in), optional :: options
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: outcome
    end function nearfar_transpose_plan_create

    !> The same with `in_count` and `out_count` arrays: one per field, or one for all on a side that
    !> has a field_stride.
    function nearfar_transpose_plan_create_each(from, to, element_bytes, in_count, in, &
      in_elements, out_count, out, out_elements, options, plan) bind(C) result(outcome)
      import
      type(c_transpose_side), intent(in), optional :: from
      type(c_transpose_side), intent(in), optional :: to
      integer(c_size_t), value :: element_bytes
      integer(c_int64_t), value :: in_count
      type(c_ptr), intent(in), optional :: in(*)
      integer(c_int64_t), intent(in), optional :: in_elements(*)
      integer(c_int64_t), value :: out_count
      type(c_ptr), intent(inout) :: out
      integer(c_int64_t), intent(in), optional :: out_elements(*)
      type(c_transpose_options), intent(in), optional :: options
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: outcome
    end function nearfar_transpose_plan_create_each

    !> Collective over the team. Sets *plan to NULL.
    function nearfar_transpose_plan_free(plan) bind(C) result(outcome)
      import
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: outcome
    end function nearfar_transpose_plan_free

    !> Starts to move the elements of the plan's arrays: those it was made with, or last started on.
    !> Until finish, `in` must not be written and `out` not be touched. Collective; errors are this
    !> rank's own.
    function nearfar_transpose_plan_start(plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      integer(c_int) :: outcome
    end function nearfar_transpose_plan_start

    !> The same on these arrays: near memory if the plan was made on some, else any.
    function nearfar_transpose_plan_start_on(plan, in, in_elements, out, out_elements) &
      bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr), value :: in
      integer(c_int64_t), value :: in_elements
      type(c_ptr), value :: out
      integer(c_int64_t), value :: out_elements
      integer(c_int) :: outcome
    end function nearfar_transpose_plan_start_on

    !> The same with lists of arrays, one per field (one for all on a side that has a field_stride),
    !> as the plan was made with.
    function nearfar_transpose_plan_start_on_each(plan, in, in_elements, out, out_elements) &
      bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr), intent(in), optional :: in(*)
      integer(c_int64_t), intent(in), optional :: in_elements(*)
      type(c_ptr), intent(inout) :: out
      integer(c_int64_t), intent(in), optional :: out_elements(*)
      integer(c_int) :: outcome
    end function nearfar_transpose_plan_start_on_each

    !> done: finish would not wait
    function nearfar_transpose_plan_test(plan, done) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      integer(c_int), intent(inout) :: done
      integer(c_int) :: outcome
    end function nearfar_transpose_plan_test

    !> Waits until `out` is complete and both arrays are the caller's again. Errors are this rank's
    !> own.
    function nearfar_transpose_plan_finish(plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      integer(c_int) :: outcome
    end function nearfar_transpose_plan_finish

    !> start and finish
    function nearfar_transpose_plan_run(plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      integer(c_int) :: outcome
    end function nearfar_transpose_plan_run

    !> Start_on and finish.
    function nearfar_transpose_plan_run_on(plan, in, in_elements, out, out_elements) &
      bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr), value :: in
      integer(c_int64_t), value :: in_elements
      type(c_ptr), value :: out
      integer(c_int64_t), value :: out_elements
      integer(c_int) :: outcome
    end function nearfar_transpose_plan_run_on

    !> The team that it was made over; NULL after an error. Local.
    function nearfar_transpose_plan_team(plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr) :: outcome
    end function nearfar_transpose_plan_team

    !> what was chosen
    function nearfar_transpose_plan_method(plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr) :: outcome
    end function nearfar_transpose_plan_method

    !> Sides, bytes, method, times, fraction of the speed of memcpy (measured now, some
    !> milliseconds).
    function nearfar_transpose_plan_describe(plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr) :: outcome
    end function nearfar_transpose_plan_describe

    !> What was tried and chosen, as JSON (C++'s describe_json()). Local.
    function nearfar_transpose_plan_describe_json(plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr) :: outcome
    end function nearfar_transpose_plan_describe_json

    !> of one run; 0 if unknown
    pure function nearfar_transpose_plan_tuned_seconds(plan) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: plan
      real(c_double) :: outcome
    end function nearfar_transpose_plan_tuned_seconds

    !> The array of `team` whose first field begins at `data`, or whose handle `data` is. Local.
    function nearfar_team_find_array(team, data, array) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      type(c_ptr), value :: data
      type(c_ptr), intent(inout) :: array
      integer(c_int) :: outcome
    end function nearfar_team_find_array

    !> Extents of the spectral grid, one per axis: the modes, m/2 + 1 of them along an axis of kind
    !> r2c. Local.
    function nearfar_fft_spectral_extents(shape, extents) bind(C) result(outcome)
      import
      type(c_fft_shape), intent(in), optional :: shape
      integer(c_int64_t), intent(inout), optional :: extents(*)
      integer(c_int) :: outcome
    end function nearfar_fft_spectral_extents

    !> What forward followed by backward multiplies by where nothing is scaled; 0 after an error.
    pure function nearfar_fft_roundtrip_factor(shape) bind(C) result(outcome)
      import
      type(c_fft_shape), intent(in), optional :: shape
      real(c_double) :: outcome
    end function nearfar_fft_roundtrip_factor

    !> The grid of `factor` (>= 1) times as many points with the modes of the given one: 1.5 is the
    !> 3/2 rule.
    function nearfar_fft_padded(shape, factor, extents, modes) bind(C) result(outcome)
      import
      type(c_fft_shape), intent(in), optional :: shape
      real(c_double), value :: factor
      integer(c_int64_t), intent(inout), optional :: extents(*)
      integer(c_int64_t), intent(inout), optional :: modes(*)
      integer(c_int) :: outcome
    end function nearfar_fft_padded

    !> The same grid with `factor` (in (0, 1]) times as many modes: 2.0 / 3 is the 2/3 rule.
    function nearfar_fft_truncated(shape, factor, modes) bind(C) result(outcome)
      import
      type(c_fft_shape), intent(in), optional :: shape
      real(c_double), value :: factor
      integer(c_int64_t), intent(inout), optional :: modes(*)
      integer(c_int) :: outcome
    end function nearfar_fft_truncated

    !> `options` may be NULL. Collective over the team; what is wrong is an error on every rank.
    function nearfar_fft_layout_create(team, shape, options, layout) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      type(c_fft_shape), intent(in), optional :: shape
      type(c_fft_layout_options), intent(in), optional :: options
      type(c_ptr), intent(inout) :: layout
      integer(c_int) :: outcome
    end function nearfar_fft_layout_create

    !> Local; plans keep working, sides of it do not. Sets *layout to NULL.
    function nearfar_fft_layout_free(layout) bind(C) result(outcome)
      import
      type(c_ptr), intent(inout) :: layout
      integer(c_int) :: outcome
    end function nearfar_fft_layout_free

    !> The side of the physical grid, NULL for a NULL layout; what it refers to lives as long as the
    !> layout. Local.
    function nearfar_fft_layout_physical(layout) bind(C) result(outcome)
      import
      type(c_ptr), value :: layout
      type(c_ptr) :: outcome
    end function nearfar_fft_layout_physical

    !> The side of the coefficients, likewise. Local.
    function nearfar_fft_layout_spectral(layout) bind(C) result(outcome)
      import
      type(c_ptr), value :: layout
      type(c_ptr) :: outcome
    end function nearfar_fft_layout_spectral

    !> 1: pairs of reals, 0: reals, -1 for a NULL layout. Local.
    pure function nearfar_fft_layout_is_physical_complex(layout) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: layout
      integer(c_int) :: outcome
    end function nearfar_fft_layout_is_physical_complex

    !> 1: pairs of reals, 0: reals, -1 for a NULL layout. Local.
    pure function nearfar_fft_layout_is_spectral_complex(layout) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: layout
      integer(c_int) :: outcome
    end function nearfar_fft_layout_is_spectral_complex

    !> The team that it was made over; NULL after an error. Local.
    function nearfar_fft_layout_team(layout) bind(C) result(outcome)
      import
      type(c_ptr), value :: layout
      type(c_ptr) :: outcome
    end function nearfar_fft_layout_team

    !> Both sides, the axes that each cuts, the steps between them. Local.
    function nearfar_fft_layout_describe(layout) bind(C) result(outcome)
      import
      type(c_ptr), value :: layout
      type(c_ptr) :: outcome
    end function nearfar_fft_layout_describe

    !> Transforms in NEARFAR_ELEMENT_FLOAT32 or NEARFAR_ELEMENT_FLOAT64 (`precision`); elements are
    !> real or pairs of reals, as the layout says. Made and tuned on these very arrays, whose
    !> contents stay: one per side, or fields one after the other as its field_stride says, with the
    !> elements that each has (fewer than are needed are refused). The same address for both is in
    !> place; any other input is preserved. Ranks that own nothing may pass NULL. Where all ranks
    !> pass NULL and 0 elements for both sides, the plan makes its arrays: near memory, all zero,
    !> one per field, which nearfar_fft_plan_physical and _spectral give. Collective over the team.
    function nearfar_fft_plan_create(layout, precision, physical, physical_elements, spectral, &
      spectral_elements, options, plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: layout
      integer(c_int), value :: precision
      type(c_ptr), value :: physical
      integer(c_int64_t), value :: physical_elements
      type(c_ptr), value :: spectral
      integer(c_int64_t), value :: spectral_elements
      type(c_fft_options), intent(in), optional :: options
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: outcome
    end function nearfar_fft_plan_create

    !> The same with lists of arrays: one per field, or one for all on a side that has a
    !> field_stride. For arrays of the plan's own they are lists of one NULL and one 0.
    function nearfar_fft_plan_create_each(layout, precision, physical_count, physical, &
      physical_elements, spectral_count, spectral, spectral_elements, options, plan) &
      bind(C) result(outcome)
      import
      type(c_ptr), value :: layout
      integer(c_int), value :: precision
      integer(c_int64_t), value :: physical_count
      type(c_ptr), intent(inout) :: physical
      integer(c_int64_t), intent(in), optional :: physical_elements(*)
      integer(c_int64_t), value :: spectral_count
      type(c_ptr), intent(inout) :: spectral
      integer(c_int64_t), intent(in), optional :: spectral_elements(*)
      type(c_fft_options), intent(in), optional :: options
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: outcome
    end function nearfar_fft_plan_create_each

    !> Collective over the team; frees the plan's own arrays, too. Sets *plan to NULL.
    function nearfar_fft_plan_free(plan) bind(C) result(outcome)
      import
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: outcome
    end function nearfar_fft_plan_free

    !> Where a field's array on the physical side begins that the plan has made; NULL after an
    !> error, as for plans that were made on the caller's arrays, and on a rank that owns nothing. A
    !> field: 0 … fields - 1 (0 alone on a side that has a field_stride). Lives as long as the plan.
    !> Local.
    function nearfar_fft_plan_physical(plan, field) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      integer(c_int64_t), value :: field
      type(c_ptr) :: outcome
    end function nearfar_fft_plan_physical

    !> The same for the coefficients. Local.
    function nearfar_fft_plan_spectral(plan, field) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      integer(c_int64_t), value :: field
      type(c_ptr) :: outcome
    end function nearfar_fft_plan_spectral

    !> The plan's own arrays of the physical side as an object, which keeps their memory until it is
    !> freed, too. Local.
    function nearfar_fft_plan_physical_array(plan, array) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr), intent(inout) :: array
      integer(c_int) :: outcome
    end function nearfar_fft_plan_physical_array

    !> The same for the coefficients. Local.
    function nearfar_fft_plan_spectral_array(plan, array) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr), intent(inout) :: array
      integer(c_int) :: outcome
    end function nearfar_fft_plan_spectral_array

    !> Where the elements of both grids lie: a layout that belongs to the plan and is freed with it;
    !> NULL after an error. Local.
    function nearfar_fft_plan_layout(plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr) :: outcome
    end function nearfar_fft_plan_layout

    !> Starts a transform of the plan's arrays: those it was made with, or last started on. Until
    !> finish, the input must not be written and the output not be touched. Collective; errors are
    !> this rank's own.
    function nearfar_fft_plan_start(plan, direction) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      integer(c_int), value :: direction
      integer(c_int) :: outcome
    end function nearfar_fft_plan_start

    !> The same on these arrays, in place if the plan was made in place; the input first, whichever
    !> side it is.
    function nearfar_fft_plan_start_on(plan, direction, in, in_elements, out, out_elements) &
      bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      integer(c_int), value :: direction
      type(c_ptr), value :: in
      integer(c_int64_t), value :: in_elements
      type(c_ptr), value :: out
      integer(c_int64_t), value :: out_elements
      integer(c_int) :: outcome
    end function nearfar_fft_plan_start_on

    !> The same with lists of arrays, one per field (one for all on a side that has a field_stride),
    !> as the plan was made with.
    function nearfar_fft_plan_start_on_each(plan, direction, in, in_elements, out, &
      out_elements) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      integer(c_int), value :: direction
      type(c_ptr), intent(in), optional :: in(*)
      integer(c_int64_t), intent(in), optional :: in_elements(*)
      type(c_ptr), intent(inout) :: out
      integer(c_int64_t), intent(in), optional :: out_elements(*)
      integer(c_int) :: outcome
    end function nearfar_fft_plan_start_on_each

    !> makes progress
    function nearfar_fft_plan_test(plan, done) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      integer(c_int), intent(inout) :: done
      integer(c_int) :: outcome
    end function nearfar_fft_plan_test

    !> Waits until the output is complete and both arrays are the caller's again. Errors are this
    !> rank's own.
    function nearfar_fft_plan_finish(plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      integer(c_int) :: outcome
    end function nearfar_fft_plan_finish

    !> start and finish
    function nearfar_fft_plan_run(plan, direction) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      integer(c_int), value :: direction
      integer(c_int) :: outcome
    end function nearfar_fft_plan_run

    !> Start_on and finish.
    function nearfar_fft_plan_run_on(plan, direction, in, in_elements, out, out_elements) &
      bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      integer(c_int), value :: direction
      type(c_ptr), value :: in
      integer(c_int64_t), value :: in_elements
      type(c_ptr), value :: out
      integer(c_int64_t), value :: out_elements
      integer(c_int) :: outcome
    end function nearfar_fft_plan_run_on

    !> The team that it was made over; NULL after an error. Local.
    function nearfar_fft_plan_team(plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr) :: outcome
    end function nearfar_fft_plan_team

    !> of the moves of a forward transform
    function nearfar_fft_plan_method(plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr) :: outcome
    end function nearfar_fft_plan_method

    !> of these moves; 0 if unknown
    pure function nearfar_fft_plan_tuned_seconds(plan) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: plan
      real(c_double) :: outcome
    end function nearfar_fft_plan_tuned_seconds

    !> of work arrays on this rank; -1 for NULL
    pure function nearfar_fft_plan_work_bytes(plan) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: plan
      integer(c_int64_t) :: outcome
    end function nearfar_fft_plan_work_bytes

    !> stages, engines, methods, times; local
    function nearfar_fft_plan_describe(plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr) :: outcome
    end function nearfar_fft_plan_describe

    !> What was tried and chosen, as JSON (C++'s describe_json()). Local.
    function nearfar_fft_plan_describe_json(plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_ptr) :: outcome
    end function nearfar_fft_plan_describe_json

    !> Writers call serve(), the others make streams over computing() with
    !> nearfar_output_options::writers. `options` may be NULL. Collective over `all`.
    function nearfar_output_writers_create(all, options, writers) bind(C) result(outcome)
      import
      type(c_ptr), value :: all
      type(c_output_writers_options), intent(in), optional :: options
      type(c_ptr), intent(in), optional :: writers(*)
      integer(c_int) :: outcome
    end function nearfar_output_writers_create

    !> 1 on a rank that calls serve, 0 on one that computes, -1 for NULL. Local, as the next one.
    pure function nearfar_output_writers_is_writer(writers) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: writers
      integer(c_int) :: outcome
    end function nearfar_output_writers_is_writer

    !> in `all`
    pure function nearfar_output_writers_count(writers) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: writers
      integer(c_int) :: outcome
    end function nearfar_output_writers_count

    !> The ranks that compute, as a team that is freed with these writers and not before; NULL, with
    !> an error, on a writer. Local.
    function nearfar_output_writers_computing(writers) bind(C) result(outcome)
      import
      type(c_ptr), value :: writers
      type(c_ptr) :: outcome
    end function nearfar_output_writers_computing

    !> On a writer: writes until the computing ranks (near: of the node) have freed their writers
    !> object and streams, or died. A near writer makes no MPI calls. Errors go to the ranks whose
    !> stream it is.
    function nearfar_output_writers_serve(writers) bind(C) result(outcome)
      import
      type(c_ptr), value :: writers
      integer(c_int) :: outcome
    end function nearfar_output_writers_serve

    !> Frees the computing team and all that was made from it; lets serve() return when the last
    !> computing rank of the node does. Local; streams should be closed before. Sets *writers to
    !> NULL.
    function nearfar_output_writers_free(writers) bind(C) result(outcome)
      import
      type(c_ptr), intent(in), optional :: writers(*)
      integer(c_int) :: outcome
    end function nearfar_output_writers_free

    !> The formats of this build; the table lives as long as the program.
    function nearfar_output_formats(count) bind(C) result(outcome)
      import
      integer(c_int), intent(inout) :: count
      type(c_ptr) :: outcome
    end function nearfar_output_formats

    !> A stream in files that begin with `path` (docs/output.md). `options` may be NULL. Collective
    !> over the team. Errors, on every rank: arrays, boxes or options that cannot be, files that
    !> cannot be made or are being written by another program, a full disk, no memory for one frame.
    function nearfar_output_create(team, path, count, arrays, options, stream) bind(C) &
      result(outcome)
      import
      type(c_ptr), value :: team
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: count
      type(c_output_array), intent(in), optional :: arrays(*)
      type(c_output_options), intent(in), optional :: options
      type(c_ptr), intent(inout) :: stream
      integer(c_int) :: outcome
    end function nearfar_output_create

    !> Waits until a frame is free. *step (`step` may be NULL): its number, from 0. Collective;
    !> errors of steps before are told here, on all ranks, with step and file.
    function nearfar_output_begin_step(stream, time, step) bind(C) result(outcome)
      import
      type(c_ptr), value :: stream
      real(c_double), value :: time
      integer(c_int64_t), intent(inout) :: step
      integer(c_int) :: outcome
    end function nearfar_output_begin_step

    !> The same for a stream with varying arrays: this rank's rows of each of them, `count` in all,
    !> in their order. Errors, on every rank: another number of arrays, more rows than `own` had
    !> room for, fewer than 0, or a grid that cannot be; no step has begun then. Costs an allgather
    !> and a message of the root's more.
    function nearfar_output_begin_varying_step(stream, time, count, rows, step) bind(C) &
      result(outcome)
      import
      type(c_ptr), value :: stream
      real(c_double), value :: time
      integer(c_int), value :: count
      integer(c_int64_t), intent(in), optional :: rows(*)
      integer(c_int64_t), intent(inout) :: step
      integer(c_int) :: outcome
    end function nearfar_output_begin_varying_step

    !> Copies the own box out of an array with `padding` around it, in C order; `data` is the first
    !> element, padding included. The caller may overwrite the array when it returns. Local.
    function nearfar_output_put(stream, name, data) bind(C) result(outcome)
      import
      type(c_ptr), value :: stream
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), value :: data
      integer(c_int) :: outcome
    end function nearfar_output_put

    !> The same from an array of any strides; `data` is the first element of the own box. Local.
    function nearfar_output_put_strided(stream, name, data, strides_bytes) bind(C) result(outcome)
      import
      type(c_ptr), value :: stream
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), value :: data
      integer(c_int64_t), intent(in), optional :: strides_bytes(*)
      integer(c_int) :: outcome
    end function nearfar_output_put_strided

    !> The memory that the step is written from: fill it instead of calling put. Valid until
    !> end_step. An array's part of a frame begins at a multiple of 64 bytes, other ranks' boxes in
    !> it are aligned for the type. Local.
    function nearfar_output_slot_of(stream, name, slot) bind(C) result(outcome)
      import
      type(c_ptr), value :: stream
      character(kind=c_char), intent(in) :: name(*)
      type(c_output_slot), intent(inout) :: slot
      integer(c_int) :: outcome
    end function nearfar_output_slot_of

    !> Hands the step over. Local, but for NEARFAR_OUTPUT_POLICY_SYNCHRONOUS, which waits until it
    !> is written.
    function nearfar_output_end_step(stream) bind(C) result(outcome)
      import
      type(c_ptr), value :: stream
      integer(c_int) :: outcome
    end function nearfar_output_end_step

    !> Returns when all steps are durable. Collective.
    function nearfar_output_flush(stream) bind(C) result(outcome)
      import
      type(c_ptr), value :: stream
      integer(c_int) :: outcome
    end function nearfar_output_flush

    !> Flush, and the end of the stream; a second call does nothing. Collective.
    function nearfar_output_close(stream) bind(C) result(outcome)
      import
      type(c_ptr), value :: stream
      integer(c_int) :: outcome
    end function nearfar_output_close

    !> Local, makes no MPI calls (but for a far writer, point to point). Of a stream that was not
    !> closed, what is whole is written for up to `linger_s`. Sets *stream to NULL.
    function nearfar_output_free(stream) bind(C) result(outcome)
      import
      type(c_ptr), intent(inout) :: stream
      integer(c_int) :: outcome
    end function nearfar_output_free

    !> that end_step accepted, or append found
    pure function nearfar_output_steps(stream) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: stream
      integer(c_int64_t) :: outcome
    end function nearfar_output_steps

    !> of these in the journal, by this rank's writer
    pure function nearfar_output_written_steps(stream) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: stream
      integer(c_int64_t) :: outcome
    end function nearfar_output_written_steps

    !> The team that it was made over; NULL after an error. Local.
    function nearfar_output_team(stream) bind(C) result(outcome)
      import
      type(c_ptr), value :: stream
      type(c_ptr) :: outcome
    end function nearfar_output_team

    !> Policy and why, depth, bytes, waiting and copying per step, throughput. Local.
    function nearfar_output_describe(stream) bind(C) result(outcome)
      import
      type(c_ptr), value :: stream
      type(c_ptr) :: outcome
    end function nearfar_output_describe

    !> The steps that the journal at `path` says are whole, also of a stream that was killed: *count
    !> is their number, and the first `capacity` of them are stored in `steps`, which may be NULL
    !> for 0. Changes nothing. Local.
    function nearfar_output_steps_at(path, capacity, steps, count) bind(C) result(outcome)
      import
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int64_t), value :: capacity
      type(c_output_step), intent(inout), optional :: steps(*)
      integer(c_int64_t), intent(inout) :: count
      integer(c_int) :: outcome
    end function nearfar_output_steps_at

    !> The same steps, with what comparing all their data with the journal's sums says of each.
    !> Changes nothing. Local. NEARFAR_IO_ERROR: there is no journal, or what says which writer
    !> wrote what cannot be understood.
    function nearfar_output_verify(path, capacity, reports, count) bind(C) result(outcome)
      import
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int64_t), value :: capacity
      type(c_output_report), intent(inout), optional :: reports(*)
      integer(c_int64_t), intent(inout) :: count
      integer(c_int) :: outcome
    end function nearfar_output_verify

    !> A reader of the steps that the journal at `path` says are whole, written by whatever number
    !> of ranks; of all formats but "adios2", of arrays that do not vary. `options` may be NULL.
    !> Takes no memory for data yet. Collective over the team. Errors, on every rank: no journal,
    !> descriptions that cannot be understood, a stream that cannot be read back.
    function nearfar_output_reader_create(team, path, options, reader) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      character(kind=c_char), intent(in) :: path(*)
      type(c_output_reader_options), intent(in), optional :: options
      type(c_ptr), intent(inout) :: reader
      integer(c_int) :: outcome
    end function nearfar_output_reader_create

    !> The steps, numbered from 0: as nearfar_output_steps_at(). Local.
    function nearfar_output_reader_steps(reader, capacity, steps, count) bind(C) result(outcome)
      import
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: capacity
      type(c_output_step), intent(inout), optional :: steps(*)
      integer(c_int64_t), intent(inout) :: count
      integer(c_int) :: outcome
    end function nearfar_output_reader_steps

    !> how many; -1: NULL. Local
    pure function nearfar_output_reader_arrays(reader) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: reader
      integer(c_int) :: outcome
    end function nearfar_output_reader_arrays

    !> Array number `number` as it was written; `own` is empty, and what is pointed to lives as long
    !> as the reader. Local.
    function nearfar_output_reader_array(reader, number, array) bind(C) result(outcome)
      import
      type(c_ptr), value :: reader
      integer(c_int), value :: number
      type(c_output_array), intent(inout) :: array
      integer(c_int) :: outcome
    end function nearfar_output_reader_array

    !> What begin_step reads from now on: `count` boxes, each of another array; ranks may want
    !> different ones. Takes the memory for them, `depth` times, and reads the arrays that are
    !> constant. Collective, between steps. Errors, on every rank: unknown names, boxes outside of
    !> their arrays, no memory, damage.
    function nearfar_output_reader_select(reader, count, selections) bind(C) result(outcome)
      import
      type(c_ptr), value :: reader
      integer(c_int), value :: count
      type(c_output_selection), intent(in), optional :: selections(*)
      integer(c_int) :: outcome
    end function nearfar_output_reader_select

    !> Waits until the boxes of the step are here; the same step on all ranks. *time (`time` may be
    !> NULL): its time. Collective. NEARFAR_IO_ERROR, on every rank: a file of the step is damaged,
    !> missing or too short; the message names both, and no step is under way.
    function nearfar_output_reader_begin_step(reader, step, time) bind(C) result(outcome)
      import
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: step
      real(c_double), intent(inout) :: time
      integer(c_int) :: outcome
    end function nearfar_output_reader_begin_step

    !> Copies the box into an array with `padding` around it, in C order; `data` is the first
    !> element, padding included. Local.
    function nearfar_output_reader_get(reader, name, data) bind(C) result(outcome)
      import
      type(c_ptr), value :: reader
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), value :: data
      integer(c_int) :: outcome
    end function nearfar_output_reader_get

    !> The same into an array of any strides; `data` is the first element of the box. Local.
    function nearfar_output_reader_get_strided(reader, name, data, strides_bytes) bind(C) &
      result(outcome)
      import
      type(c_ptr), value :: reader
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), value :: data
      integer(c_int64_t), intent(in), optional :: strides_bytes(*)
      integer(c_int) :: outcome
    end function nearfar_output_reader_get_strided

    !> The team that it was made over; NULL after an error. Local.
    function nearfar_output_reader_team(reader) bind(C) result(outcome)
      import
      type(c_ptr), value :: reader
      type(c_ptr) :: outcome
    end function nearfar_output_reader_team

    !> The box in the reader's buffer, instead of a copy. Valid until end_step. Local.
    function nearfar_output_reader_slot_of(reader, name, slot) bind(C) result(outcome)
      import
      type(c_ptr), value :: reader
      character(kind=c_char), intent(in) :: name(*)
      type(c_output_slot), intent(inout) :: slot
      integer(c_int) :: outcome
    end function nearfar_output_reader_slot_of

    !> local
    function nearfar_output_reader_end_step(reader) bind(C) result(outcome)
      import
      type(c_ptr), value :: reader
      integer(c_int) :: outcome
    end function nearfar_output_reader_end_step

    !> local
    function nearfar_output_reader_describe(reader) bind(C) result(outcome)
      import
      type(c_ptr), value :: reader
      type(c_ptr) :: outcome
    end function nearfar_output_reader_describe

    !> local; *reader: NULL
    function nearfar_output_reader_free(reader) bind(C) result(outcome)
      import
      type(c_ptr), intent(inout) :: reader
      integer(c_int) :: outcome
    end function nearfar_output_reader_free

    !> sum = the sum of all elements of the arrays of all ranks: exact, rounded once to nearest,
    !> ties to even. The same bits for any number of ranks and any distribution and order of the
    !> elements. Counts may differ between ranks. Collective. Cost: a pass over the array and one
    !> allreduce of 568 bytes.
    function nearfar_reproducible_sum(team, local, count, type, sum) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      type(c_ptr), value :: local
      integer(c_int64_t), value :: count
      integer(c_int), value :: type
      type(c_ptr), value :: sum
      integer(c_int) :: outcome
    end function nearfar_reproducible_sum

    !> The same for the sum of a[i] b[i]; one allreduce of 1096 bytes.
    function nearfar_reproducible_dot(team, a, b, count, type, dot) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      type(c_ptr), value :: a
      type(c_ptr), value :: b
      integer(c_int64_t), value :: count
      integer(c_int), value :: type
      type(c_ptr), value :: dot
      integer(c_int) :: outcome
    end function nearfar_reproducible_dot

    !> Each of `count` values becomes the sum of those of all ranks, exact and rounded once.
    !> Collective, one count for all ranks. Cost: messages as of a reduce-scatter and an allgather.
    function nearfar_reproducible_allreduce(team, values, count, type) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      type(c_ptr), value :: values
      integer(c_int64_t), value :: count
      integer(c_int), value :: type
      integer(c_int) :: outcome
    end function nearfar_reproducible_allreduce

    !> zero
    function nearfar_exact_sum_create(sum) bind(C) result(outcome)
      import
      type(c_ptr), intent(inout) :: sum
      integer(c_int) :: outcome
    end function nearfar_exact_sum_create

    !> sets *sum to NULL
    function nearfar_exact_sum_free(sum) bind(C) result(outcome)
      import
      type(c_ptr), intent(inout) :: sum
      integer(c_int) :: outcome
    end function nearfar_exact_sum_free

    !> Adds `count` numbers. Local, one thread at a time.
    function nearfar_exact_sum_add(sum, values, count, type) bind(C) result(outcome)
      import
      type(c_ptr), value :: sum
      type(c_ptr), value :: values
      integer(c_int64_t), value :: count
      integer(c_int), value :: type
      integer(c_int) :: outcome
    end function nearfar_exact_sum_add

    !> Adds the sum of `other`, which stays. Local.
    function nearfar_exact_sum_merge(sum, other) bind(C) result(outcome)
      import
      type(c_ptr), value :: sum
      type(c_ptr), value :: other
      integer(c_int) :: outcome
    end function nearfar_exact_sum_merge

    !> value = all that was added, rounded once. Local.
    function nearfar_exact_sum_value(sum, type, value) bind(C) result(outcome)
      import
      type(c_ptr), value :: sum
      integer(c_int), value :: type
      type(c_ptr), value :: value
      integer(c_int) :: outcome
    end function nearfar_exact_sum_value

    !> zero
    function nearfar_exact_dot_create(dot) bind(C) result(outcome)
      import
      type(c_ptr), intent(inout) :: dot
      integer(c_int) :: outcome
    end function nearfar_exact_dot_create

    !> sets *dot to NULL
    function nearfar_exact_dot_free(dot) bind(C) result(outcome)
      import
      type(c_ptr), intent(inout) :: dot
      integer(c_int) :: outcome
    end function nearfar_exact_dot_free

    !> Adds a[i] b[i], `count` exact products. Local, one thread at a time.
    function nearfar_exact_dot_add(dot, a, b, count, type) bind(C) result(outcome)
      import
      type(c_ptr), value :: dot
      type(c_ptr), value :: a
      type(c_ptr), value :: b
      integer(c_int64_t), value :: count
      integer(c_int), value :: type
      integer(c_int) :: outcome
    end function nearfar_exact_dot_add

    !> Adds the sum of `other`, which stays. Local.
    function nearfar_exact_dot_merge(dot, other) bind(C) result(outcome)
      import
      type(c_ptr), value :: dot
      type(c_ptr), value :: other
      integer(c_int) :: outcome
    end function nearfar_exact_dot_merge

    !> value = all that was added, rounded once. Local.
    function nearfar_exact_dot_value(dot, type, value) bind(C) result(outcome)
      import
      type(c_ptr), value :: dot
      integer(c_int), value :: type
      type(c_ptr), value :: value
      integer(c_int) :: outcome
    end function nearfar_exact_dot_value

    !> sums[k] = what locals[k] of all ranks come to together; the accumulators stay as they are.
    !> Collective.
    function nearfar_reproducible_sums(team, number, locals, type, sums) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      integer(c_int), value :: number
      type(c_ptr), intent(in), optional :: locals(*)
      integer(c_int), value :: type
      type(c_ptr), value :: sums
      integer(c_int) :: outcome
    end function nearfar_reproducible_sums

    !> The same for dot products. Collective.
    function nearfar_reproducible_dots(team, number, locals, type, dots) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      integer(c_int), value :: number
      type(c_ptr), intent(in), optional :: locals(*)
      integer(c_int), value :: type
      type(c_ptr), value :: dots
      integer(c_int) :: outcome
    end function nearfar_reproducible_dots

    !> Returns a usage error whose message is `complaint`. Local.
    function nearfar_refuse(complaint) bind(C) result(outcome)
      import
      character(kind=c_char), intent(in) :: complaint(*)
      integer(c_int) :: outcome
    end function nearfar_refuse

    !> Made by one thread of each rank, which has `threads` threads. Collective over the team, which
    !> lives on until this is freed.
    function nearfar_thread_team_create(team, threads, all) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      integer(c_int), value :: threads
      type(c_ptr), intent(inout) :: all
      integer(c_int) :: outcome
    end function nearfar_thread_team_create

    !> By one thread of each rank, when the others have left their last call. Collective. Sets *all
    !> to NULL.
    function nearfar_thread_team_free(all) bind(C) result(outcome)
      import
      type(c_ptr), intent(inout) :: all
      integer(c_int) :: outcome
    end function nearfar_thread_team_free

    !> of this rank
    pure function nearfar_thread_team_threads(all) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: all
      integer(c_int) :: outcome
    end function nearfar_thread_team_threads

    !> threads of all ranks
    pure function nearfar_thread_team_size(all) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: all
      integer(c_int64_t) :: outcome
    end function nearfar_thread_team_size

    !> number of its thread 0
    pure function nearfar_thread_team_first_of(all, rank) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: all
      integer(c_int), value, intent(in) :: rank
      integer(c_int64_t) :: outcome
    end function nearfar_thread_team_first_of

    !> A line per fact; valid until the next call of this function.
    function nearfar_thread_team_describe(all) bind(C) result(outcome)
      import
      type(c_ptr), value :: all
      type(c_ptr) :: outcome
    end function nearfar_thread_team_describe

    !> Returns when all threads of all ranks have called it.
    function nearfar_thread_barrier(all, thread) bind(C) result(outcome)
      import
      type(c_ptr), value :: all
      integer(c_int), value :: thread
      integer(c_int) :: outcome
    end function nearfar_thread_barrier

    !> This thread takes part no more: the others' calls return an error instead of waiting for it.
    function nearfar_thread_abandon(all, thread) bind(C) result(outcome)
      import
      type(c_ptr), value :: all
      integer(c_int), value :: thread
      integer(c_int) :: outcome
    end function nearfar_thread_abandon

    !> nearfar_thread_allreduce().
    function nearfar_thread_allreduce_fint(all, thread, in, out, count, type, op) bind(C) &
      result(outcome)
      import
      type(c_ptr), value :: all
      integer(c_int), value :: thread
      type(c_ptr), value :: in
      type(c_ptr), value :: out
      integer(c_int64_t), value :: count
      integer(c_int), value :: type
      integer(c_int), value :: op
      integer(c_int) :: outcome
    end function nearfar_thread_allreduce_fint

    !> nearfar_thread_reduce().
    function nearfar_thread_reduce_fint(all, thread, in, out, count, type, op, root_rank, &
      root_thread) bind(C) result(outcome)
      import
      type(c_ptr), value :: all
      integer(c_int), value :: thread
      type(c_ptr), value :: in
      type(c_ptr), value :: out
      integer(c_int64_t), value :: count
      integer(c_int), value :: type
      integer(c_int), value :: op
      integer(c_int), value :: root_rank
      integer(c_int), value :: root_thread
      integer(c_int) :: outcome
    end function nearfar_thread_reduce_fint

    !> nearfar_thread_reduce_scatter_block().
    function nearfar_thread_reduce_scatter_block_fint(all, thread, in, out, count, type, &
      op) bind(C) result(outcome)
      import
      type(c_ptr), value :: all
      integer(c_int), value :: thread
      type(c_ptr), value :: in
      type(c_ptr), value :: out
      integer(c_int64_t), value :: count
      integer(c_int), value :: type
      integer(c_int), value :: op
      integer(c_int) :: outcome
    end function nearfar_thread_reduce_scatter_block_fint

    !> nearfar_thread_bcast().
    function nearfar_thread_bcast_fint(all, thread, data, count, type, root_rank, &
      root_thread) bind(C) result(outcome)
      import
      type(c_ptr), value :: all
      integer(c_int), value :: thread
      type(c_ptr), value :: data
      integer(c_int64_t), value :: count
      integer(c_int), value :: type
      integer(c_int), value :: root_rank
      integer(c_int), value :: root_thread
      integer(c_int) :: outcome
    end function nearfar_thread_bcast_fint

    !> nearfar_thread_allgather().
    function nearfar_thread_allgather_fint(all, thread, in, out, count, type) bind(C) &
      result(outcome)
      import
      type(c_ptr), value :: all
      integer(c_int), value :: thread
      type(c_ptr), value :: in
      type(c_ptr), value :: out
      integer(c_int64_t), value :: count
      integer(c_int), value :: type
      integer(c_int) :: outcome
    end function nearfar_thread_allgather_fint

    !> Begins an object's life: something that all copies keep, with *birth.
    function nearfar_fortran_hold(birth) bind(C) result(outcome)
      import
      integer(c_int64_t), intent(inout) :: birth
      type(c_ptr) :: outcome
    end function nearfar_fortran_hold

    !> Ends it: no copy is live any more.
    subroutine nearfar_fortran_release(life, birth) bind(C)
      import
      type(c_ptr), value :: life
      integer(c_int64_t), value :: birth
    end subroutine nearfar_fortran_release

    pure function nearfar_fortran_is_live(life, birth) bind(C) result(outcome)
      import
      type(c_ptr), value, intent(in) :: life
      integer(c_int64_t), value, intent(in) :: birth
      integer(c_int) :: outcome
    end function nearfar_fortran_is_live

    !> The field of the team that the array is.
    function nearfar_fortran_find(team, array, field) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      type(*), dimension(..), intent(in), target, optional :: array
      type(c_ptr), intent(inout) :: field
      integer(c_int) :: outcome
    end function nearfar_fortran_find

    !> Adds a field, or an array of the caller's where `ghosts` is given.
    function nearfar_fortran_add(halo, grid, array, ghosts, fill) bind(C) result(outcome)
      import
      type(c_ptr), value :: halo
      type(c_ptr), value :: grid
      type(*), dimension(..), intent(in), target, optional :: array
      integer(c_int), intent(in), optional :: ghosts(2, *)
      integer(c_int), intent(in), optional :: fill(2, *)
      integer(c_int) :: outcome
    end function nearfar_fortran_add

    subroutine nearfar_fortran_layout_of(array, layout) bind(C)
      import
      type(*), dimension(..), intent(in), target, optional :: array
      type(c_array_layout), intent(inout) :: layout
    end subroutine nearfar_fortran_layout_of

    !> address = where the array begins, which must lie as array `number` of the plan does.
    function nearfar_fortran_address_of(array, wanted, number, address) bind(C) result(outcome)
      import
      type(*), dimension(..), intent(in), target, optional :: array
      type(c_array_layout), intent(in), optional :: wanted
      integer(c_int), value :: number
      type(c_ptr), intent(in), optional :: address(*)
      integer(c_int) :: outcome
    end function nearfar_fortran_address_of

    !> Carries the call out, or makes *plan of it unless `options` is NULL. Without `out` it works
    !> in place.
    function nearfar_fortran_collective(team, wish, in, out, options, plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      type(c_wish), intent(in), optional :: wish
      type(*), dimension(..), intent(inout), target, optional :: in
      type(*), dimension(..), intent(inout), target, optional :: out
      type(c_plan_options), intent(in), optional :: options
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: outcome
    end function nearfar_fortran_collective

    function nearfar_fortran_irregular(plan, kind, op, is_start, is_x_const, x, values) &
      bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      integer(c_int), value :: kind
      integer(c_int), value :: op
      integer(c_int), value :: is_start
      integer(c_int), value :: is_x_const
      type(*), dimension(..), intent(inout), target, optional :: x
      type(*), dimension(..), intent(inout), target, optional :: values
      integer(c_int) :: outcome
    end function nearfar_fortran_irregular

    !> The near memory of the team that the array is.
    function nearfar_fortran_find_array(team, array, handle) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      type(*), dimension(..), intent(in), target, optional :: array
      type(c_ptr), intent(inout) :: handle
      integer(c_int) :: outcome
    end function nearfar_fortran_find_array

    !> Without `out` both sides are in `in`.
    function nearfar_fortran_transpose_create(from, to, expect_from, expect_to, in, out, options, &
      element_bytes, plan) bind(C) result(outcome)
      import
      type(c_transpose_side), intent(in), optional :: from
      type(c_transpose_side), intent(in), optional :: to
      type(c_expected_array), intent(in), optional :: expect_from
      type(c_expected_array), intent(in), optional :: expect_to
      type(*), dimension(..), intent(inout), target, optional :: in
      type(*), dimension(..), intent(inout), target, optional :: out
      type(c_transpose_options), intent(in), optional :: options
      integer(c_size_t), intent(inout) :: element_bytes
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: outcome
    end function nearfar_fortran_transpose_create

    !> Without `in` on the plan's own arrays.
    function nearfar_fortran_transpose_start(plan, expect_from, expect_to, element_bytes, in, &
      out) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      type(c_expected_array), intent(in), optional :: expect_from
      type(c_expected_array), intent(in), optional :: expect_to
      integer(c_size_t), value :: element_bytes
      type(*), dimension(..), intent(inout), target, optional :: in
      type(*), dimension(..), intent(inout), target, optional :: out
      integer(c_int) :: outcome
    end function nearfar_fortran_transpose_start

    function nearfar_fortran_fft_create(layout, expect_physical, expect_spectral, physical, &
      spectral, options, precision, plan) bind(C) result(outcome)
      import
      type(c_ptr), value :: layout
      type(c_expected_array), intent(in), optional :: expect_physical
      type(c_expected_array), intent(in), optional :: expect_spectral
      type(*), dimension(..), intent(inout), target, optional :: physical
      type(*), dimension(..), intent(inout), target, optional :: spectral
      type(c_fft_options), intent(in), optional :: options
      integer(c_int), intent(inout) :: precision
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: outcome
    end function nearfar_fortran_fft_create

    !> `in_parts`, `out_parts`: 2 where elements are complex, else 1. Without `in` on the plan's own
    !> arrays.
    function nearfar_fortran_fft_start(plan, direction, precision, expect_in, in_parts, &
      expect_out, out_parts, in, out) bind(C) result(outcome)
      import
      type(c_ptr), value :: plan
      integer(c_int), value :: direction
      integer(c_int), value :: precision
      type(c_expected_array), intent(in), optional :: expect_in
      integer(c_int), value :: in_parts
      type(c_expected_array), intent(in), optional :: expect_out
      integer(c_int), value :: out_parts
      type(*), dimension(..), intent(in), target, optional :: in
      type(*), dimension(..), intent(inout), target, optional :: out
      integer(c_int) :: outcome
    end function nearfar_fortran_fft_start

    !> The nearfar_element_type of the elements; 0: none of them.
    pure function nearfar_fortran_type_of(array) bind(C) result(outcome)
      import
      type(*), dimension(..), intent(in), target, optional :: array
      integer(c_int) :: outcome
    end function nearfar_fortran_type_of

    function nearfar_fortran_output_put(stream, name, want, array) bind(C) result(outcome)
      import
      type(c_ptr), value :: stream
      character(kind=c_char), intent(in) :: name(*)
      type(c_output_shape), intent(in), optional :: want
      type(*), dimension(..), intent(in), target, optional :: array
      integer(c_int) :: outcome
    end function nearfar_fortran_output_put

    function nearfar_fortran_output_get(reader, name, want, array) bind(C) result(outcome)
      import
      type(c_ptr), value :: reader
      character(kind=c_char), intent(in) :: name(*)
      type(c_output_shape), intent(in), optional :: want
      type(*), dimension(..), intent(inout), target, optional :: array
      integer(c_int) :: outcome
    end function nearfar_fortran_output_get

    function nearfar_fortran_exact_sum_add(sum, array, element) bind(C) result(outcome)
      import
      type(c_ptr), intent(inout) :: sum
      type(*), dimension(..), intent(in), target, optional :: array
      integer(c_int), value :: element
      integer(c_int) :: outcome
    end function nearfar_fortran_exact_sum_add

    function nearfar_fortran_exact_sum_merge(sum, other) bind(C) result(outcome)
      import
      type(c_ptr), intent(inout) :: sum
      type(c_ptr), value :: other
      integer(c_int) :: outcome
    end function nearfar_fortran_exact_sum_merge

    function nearfar_fortran_reproducible_sum(team, array, element, total) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      type(*), dimension(..), intent(in), target, optional :: array
      integer(c_int), value :: element
      type(c_ptr), value :: total
      integer(c_int) :: outcome
    end function nearfar_fortran_reproducible_sum

    function nearfar_fortran_reproducible_dot(team, a, b, element, total) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      type(*), dimension(..), intent(in), target, optional :: a
      type(*), dimension(..), intent(in), target, optional :: b
      integer(c_int), value :: element
      type(c_ptr), value :: total
      integer(c_int) :: outcome
    end function nearfar_fortran_reproducible_dot

    !> totals[k] = what locals[k] of all ranks come to; sums that are NULL are zero, and made.
    function nearfar_fortran_reproducible_sums(team, number, locals, element, totals) &
      bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      integer(c_int), value :: number
      type(c_ptr), intent(in), optional :: locals(*)
      integer(c_int), value :: element
      real(c_double), intent(inout), optional :: totals(*)
      integer(c_int) :: outcome
    end function nearfar_fortran_reproducible_sums

    function nearfar_fortran_reproducible_allreduce(team, array, element) bind(C) result(outcome)
      import
      type(c_ptr), value :: team
      type(*), dimension(..), intent(inout), target, optional :: array
      integer(c_int), value :: element
      integer(c_int) :: outcome
    end function nearfar_fortran_reproducible_allreduce
  end interface
end module nearfar_c
