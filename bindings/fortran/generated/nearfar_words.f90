! Written by tools/bindings.py from include/nearfar.
! SPDX-License-Identifier: BSD-3-Clause
! The words that options take, at the numbers that they have in C.
module nearfar_words
  implicit none (type, external)
  public

  character(10), parameter :: element_type_words(0:10) = [character(10) :: '', 'int8', 'int16', &
    'int32', 'int64', 'float32', 'float64', 'complex64', 'complex128', 'uint32', 'uint64']
  character(10), parameter :: placement_words(0:1) = [character(10) :: 'rank_order', 'node_tiles']
  character(4), parameter :: stencil_words(0:1) = [character(4) :: 'box', 'star']
  character(11), parameter :: reduce_op_words(0:10) = [character(11) :: 'sum', 'product', 'min', &
    'max', 'logical_and', 'logical_or', 'logical_xor', 'bit_and', 'bit_or', 'bit_xor', 'replace']
  character(9), parameter :: scatter_order_words(0:1) = [character(9) :: 'plan', 'canonical']
  character(15), parameter :: irregular_kind_words(0:5) = [character(15) :: 'gather_ghosts', &
    'scatter_ghosts', 'assemble_ghosts', 'gather', 'scatter', 'assemble']
  character(4), parameter :: fft_kind_words(0:10) = [character(4) :: 'none', 'c2c', 'r2c', &
    'dct1', 'dct2', 'dct3', 'dct4', 'dst1', 'dst2', 'dst3', 'dst4']
  character(11), parameter :: fft_scaling_words(0:3) = [character(11) :: 'none', 'forward', &
    'backward', 'orthonormal']
  character(6), parameter :: fft_nyquist_words(0:1) = [character(6) :: 'shared', 'zero']
  character(6), parameter :: fft_fusion_words(0:2) = [character(6) :: 'raced', 'never', 'always']
  character(8), parameter :: fft_direction_words(0:1) = [character(8) :: 'forward', 'backward']
  character(4), parameter :: output_placement_words(0:1) = [character(4) :: 'near', 'far']
  character(11), parameter :: output_policy_words(0:3) = [character(11) :: 'automatic', &
    'synchronous', 'thread', 'writer']
  character(4), parameter :: output_durability_words(0:1) = [character(4) :: 'step', 'none']
  character(10), parameter :: output_opening_words(0:2) = [character(10) :: 'create', 'append', &
    'take_turns']
  character(12), parameter :: output_part_words(0:6) = [character(12) :: 'point_data', &
    'cell_data', 'field_data', 'points', 'connectivity', 'offsets', 'types']
  character(7), parameter :: output_soundness_words(0:2) = [character(7) :: 'sound', 'damaged', &
    'unknown']
  character(20), parameter :: call_kind_words(0:16) = [character(20) :: 'barrier', 'bcast', &
    'reduce', 'allreduce', 'gather', 'gatherv', 'scatter', 'scatterv', 'allgather', 'allgatherv', &
    'reduce_scatter', 'reduce_scatter_block', 'alltoall', 'alltoallv', 'alltoallw', 'scan', &
    'exscan']
end module nearfar_words
