! Written by tools/bindings.py from include/nearfar and bindings/fortran/descriptors.h.
! SPDX-License-Identifier: BSD-3-Clause
! The enumerators and limits of the C interface, under their own names.
module nearfar_constants
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  implicit none (type, external)
  private :: c_double, c_int
  public

  !> Dimensions that a grid, an array or a box has at most.
  integer(c_int), parameter :: nearfar_max_dimensions = 4
  !> boxes that nearfar_field_core() and nearfar_field_edge() give at most
  integer(c_int), parameter :: nearfar_max_boxes = 8
  !> For budget_s: nothing is measured, what is known of methods and machines decides.
  real(c_double), parameter :: nearfar_no_tuning = -1.0_c_double

  !> What a call came to. Makers return one value on all ranks, but where what knows the ranks
  !> (team, grid) is NULL.
  integer(c_int), parameter :: nearfar_ok = 0
  !> asked for something that cannot be
  integer(c_int), parameter :: nearfar_usage_error = 1
  !> memory or other resources do not suffice
  integer(c_int), parameter :: nearfar_resource_error = 2
  !> MPI or a peer failed
  integer(c_int), parameter :: nearfar_transport_error = 3
  !> reading or writing a file failed
  integer(c_int), parameter :: nearfar_io_error = 4

  !> Types of elements, which are moved and stored as the machine has them.
  integer(c_int), parameter :: nearfar_element_int8 = 1
  integer(c_int), parameter :: nearfar_element_int16 = 2
  integer(c_int), parameter :: nearfar_element_int32 = 3
  integer(c_int), parameter :: nearfar_element_int64 = 4
  integer(c_int), parameter :: nearfar_element_float32 = 5
  integer(c_int), parameter :: nearfar_element_float64 = 6
  !> two 32-bit floats
  integer(c_int), parameter :: nearfar_element_complex64 = 7
  !> two 64-bit floats
  integer(c_int), parameter :: nearfar_element_complex128 = 8
  !> of irregular plans alone, as the next one
  integer(c_int), parameter :: nearfar_element_uint32 = 9
  integer(c_int), parameter :: nearfar_element_uint64 = 10

  !> Which rank gets which tile: in rank order as MPI_Cart_create does, or a compact block of tiles
  !> per node, so that fewer faces are far.
  integer(c_int), parameter :: nearfar_placement_rank_order = 0
  integer(c_int), parameter :: nearfar_placement_node_tiles = 1

  !> Yes or no, of an option whose zero is its default.
  !> as the option says
  integer(c_int), parameter :: nearfar_switch_default = 0
  integer(c_int), parameter :: nearfar_switch_on = 1
  integer(c_int), parameter :: nearfar_switch_off = -1

  !> Which ghost cells are filled: those across faces, edges and corners (box), or across faces
  !> alone (star).
  integer(c_int), parameter :: nearfar_stencil_box = 0
  integer(c_int), parameter :: nearfar_stencil_star = 1

  !> How contributions to one element are combined: sum, product, min and max of types of 4 and 8
  !> bytes (of complex types sum alone), those of bits of integers, replace of any type. Those of
  !> truth values are of no scatter.
  integer(c_int), parameter :: nearfar_reduce_sum = 0
  integer(c_int), parameter :: nearfar_reduce_product = 1
  integer(c_int), parameter :: nearfar_reduce_min = 2
  integer(c_int), parameter :: nearfar_reduce_max = 3
  integer(c_int), parameter :: nearfar_reduce_logical_and = 4
  integer(c_int), parameter :: nearfar_reduce_logical_or = 5
  integer(c_int), parameter :: nearfar_reduce_logical_xor = 6
  integer(c_int), parameter :: nearfar_reduce_bit_and = 7
  integer(c_int), parameter :: nearfar_reduce_bit_or = 8
  integer(c_int), parameter :: nearfar_reduce_bit_xor = 9
  !> the last one in the plan's order
  integer(c_int), parameter :: nearfar_reduce_replace = 10

  !> In which order they are combined, whatever arrives first.
  !> repeatable for a given number of ranks
  integer(c_int), parameter :: nearfar_scatter_order_plan = 0
  !> the order of a serial loop over all references; more travels
  integer(c_int), parameter :: nearfar_scatter_order_canonical = 1

  !> The operations, and which arrays they use.
  !> of x
  integer(c_int), parameter :: nearfar_irregular_gather_ghosts = 0
  !> of x
  integer(c_int), parameter :: nearfar_irregular_scatter_ghosts = 1
  !> of x
  integer(c_int), parameter :: nearfar_irregular_assemble_ghosts = 2
  !> x to values
  integer(c_int), parameter :: nearfar_irregular_gather = 3
  !> values to x
  integer(c_int), parameter :: nearfar_irregular_scatter = 4
  !> of values
  integer(c_int), parameter :: nearfar_irregular_assemble = 5

  !> What is done along one axis. Definitions are FFTW's, unnormalised; forward has exp(-2 pi i
  !> jk/n).
  !> the axis is not transformed
  integer(c_int), parameter :: nearfar_fft_none = 0
  !> complex to complex
  integer(c_int), parameter :: nearfar_fft_c2c = 1
  !> real to n/2 + 1 coefficients; at most one axis
  integer(c_int), parameter :: nearfar_fft_r2c = 2
  !> REDFT00 (backward: itself)
  integer(c_int), parameter :: nearfar_fft_dct1 = 3
  !> REDFT10 (backward: dct3)
  integer(c_int), parameter :: nearfar_fft_dct2 = 4
  !> REDFT01 (backward: dct2)
  integer(c_int), parameter :: nearfar_fft_dct3 = 5
  !> REDFT11 (backward: itself)
  integer(c_int), parameter :: nearfar_fft_dct4 = 6
  !> RODFT00 (backward: itself)
  integer(c_int), parameter :: nearfar_fft_dst1 = 7
  !> RODFT10 (backward: dst3)
  integer(c_int), parameter :: nearfar_fft_dst2 = 8
  !> RODFT01 (backward: dst2)
  integer(c_int), parameter :: nearfar_fft_dst3 = 9
  !> RODFT11 (backward: itself)
  integer(c_int), parameter :: nearfar_fft_dst4 = 10

  !> Who divides by the roundtrip factor.
  !> nobody: forward then backward multiplies by it
  integer(c_int), parameter :: nearfar_fft_scaling_none = 0
  integer(c_int), parameter :: nearfar_fft_scaling_forward = 1
  integer(c_int), parameter :: nearfar_fft_scaling_backward = 2
  !> both, by its square root
  integer(c_int), parameter :: nearfar_fft_scaling_orthonormal = 3

  !> The mode m/2 of an axis that keeps an even number m of fewer than all modes.
  integer(c_int), parameter :: nearfar_fft_nyquist_shared = 0
  integer(c_int), parameter :: nearfar_fft_nyquist_zero = 1

  !> Whether a transposition and the transforms after it are one stage, which reads near ranks'
  !> memory straight into the transforms.
  !> where that is faster than one after the other on these arrays
  integer(c_int), parameter :: nearfar_fft_fusion_raced = 0
  !> one after the other
  integer(c_int), parameter :: nearfar_fft_fusion_never = 1
  !> wherever that is possible
  integer(c_int), parameter :: nearfar_fft_fusion_always = 2

  !> Forward: from the physical grid to coefficients; backward: from coefficients to the physical
  !> grid.
  integer(c_int), parameter :: nearfar_fft_forward = 0
  integer(c_int), parameter :: nearfar_fft_backward = 1

  !> Where the writers are.
  !> the last rank of each node that has ranks to spare; takes steps from near memory
  integer(c_int), parameter :: nearfar_output_placement_near = 0
  !> the last ranks of the team, on nodes of their own as a rule; get steps by messages
  integer(c_int), parameter :: nearfar_output_placement_far = 1

  !> Who writes. With all of them the same bytes are written.
  !> whichever takes the least time per step among the first steps of the program
  integer(c_int), parameter :: nearfar_output_policy_automatic = 0
  !> the first rank of the node, in end_step(), while the others wait
  integer(c_int), parameter :: nearfar_output_policy_synchronous = 1
  !> a thread of that rank; it makes no MPI calls (MPI_THREAD_FUNNELED suffices)
  integer(c_int), parameter :: nearfar_output_policy_thread = 2
  !> a rank that does nothing else: needs writers
  integer(c_int), parameter :: nearfar_output_policy_writer = 3

  !> What end_step promises once the step has been written.
  !> survives the end of the machine, too: each step is synchronised to the disk before it counts
  integer(c_int), parameter :: nearfar_output_durability_step = 0
  !> survives the end of the program, killed or not; flush and close synchronise
  integer(c_int), parameter :: nearfar_output_durability_none = 1

  !> What a stream does with what is at its path already.
  !> replaces what is there
  integer(c_int), parameter :: nearfar_output_opening_create = 0
  !> goes on after the last whole step of what is there
  integer(c_int), parameter :: nearfar_output_opening_append = 1
  !> checkpoints: replaces that one of two streams, path-a and path-b, which is not the  newest
  !> whole one;  readers of `path` take the newest
  integer(c_int), parameter :: nearfar_output_opening_take_turns = 2

  !> What an array is of a grid, in formats that know grids ("vtkhdf").
  !> values at points, which are the elements of images
  integer(c_int), parameter :: nearfar_output_part_point_data = 0
  !> values of cells; images have one cell less than points in each dimension
  integer(c_int), parameter :: nearfar_output_part_cell_data = 1
  !> values of the whole: one dimension
  integer(c_int), parameter :: nearfar_output_part_field_data = 2
  !> of an unstructured grid: float32 or float64, {points, 3}
  integer(c_int), parameter :: nearfar_output_part_points = 3
  !> int64: the points of the cells, by numbers from 0 on within each rank
  integer(c_int), parameter :: nearfar_output_part_connectivity = 4
  !> int64: where each cell begins in the rank's connectivity, and where the last one ends; a rank
  !> without cells has none
  integer(c_int), parameter :: nearfar_output_part_offsets = 5
  !> int8: VTK's numbers of the kinds of cells
  integer(c_int), parameter :: nearfar_output_part_types = 6

  !> What comparing a step with its sums says: all bytes are as they were written; some are not, or
  !> are missing; nothing to compare with.
  integer(c_int), parameter :: nearfar_output_soundness_sound = 0
  integer(c_int), parameter :: nearfar_output_soundness_damaged = 1
  !> no sums were made, or there is nothing to compare with: arrays that vary, BP5
  integer(c_int), parameter :: nearfar_output_soundness_unknown = 2

  !> The numbers of nearfar_call::kind.
  integer(c_int), parameter :: nearfar_call_barrier = 0
  integer(c_int), parameter :: nearfar_call_bcast = 1
  integer(c_int), parameter :: nearfar_call_reduce = 2
  integer(c_int), parameter :: nearfar_call_allreduce = 3
  integer(c_int), parameter :: nearfar_call_gather = 4
  integer(c_int), parameter :: nearfar_call_gatherv = 5
  integer(c_int), parameter :: nearfar_call_scatter = 6
  integer(c_int), parameter :: nearfar_call_scatterv = 7
  integer(c_int), parameter :: nearfar_call_allgather = 8
  integer(c_int), parameter :: nearfar_call_allgatherv = 9
  integer(c_int), parameter :: nearfar_call_reduce_scatter = 10
  integer(c_int), parameter :: nearfar_call_reduce_scatter_block = 11
  integer(c_int), parameter :: nearfar_call_alltoall = 12
  integer(c_int), parameter :: nearfar_call_alltoallv = 13
  integer(c_int), parameter :: nearfar_call_alltoallw = 14
  integer(c_int), parameter :: nearfar_call_scan = 15
  integer(c_int), parameter :: nearfar_call_exscan = 16
end module nearfar_constants
