# Written by tools/bindings.py from include/nearfar.
# SPDX-License-Identifier: BSD-3-Clause
"""The words that options take, at the numbers that they have in C."""

ELEMENT_TYPE = (
    "",
    "int8",
    "int16",
    "int32",
    "int64",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "uint32",
    "uint64",
)
PLACEMENT = ("rank_order", "node_tiles")
STENCIL = ("box", "star")
REDUCE_OP = (
    "sum",
    "product",
    "min",
    "max",
    "logical_and",
    "logical_or",
    "logical_xor",
    "bit_and",
    "bit_or",
    "bit_xor",
    "replace",
)
SCATTER_ORDER = ("plan", "canonical")
IRREGULAR_KIND = ("gather_ghosts", "scatter_ghosts", "assemble_ghosts", "gather", "scatter", "assemble")
FFT_KIND = ("none", "c2c", "r2c", "dct1", "dct2", "dct3", "dct4", "dst1", "dst2", "dst3", "dst4")
FFT_SCALING = ("none", "forward", "backward", "orthonormal")
FFT_NYQUIST = ("shared", "zero")
FFT_FUSION = ("raced", "never", "always")
FFT_DIRECTION = ("forward", "backward")
OUTPUT_PLACEMENT = ("near", "far")
OUTPUT_POLICY = ("automatic", "synchronous", "thread", "writer")
OUTPUT_DURABILITY = ("step", "none")
OUTPUT_OPENING = ("create", "append", "take_turns")
OUTPUT_PART = ("point_data", "cell_data", "field_data", "points", "connectivity", "offsets", "types")
OUTPUT_SOUNDNESS = ("sound", "damaged", "unknown")
CALL_KIND = (
    "barrier",
    "bcast",
    "reduce",
    "allreduce",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "allgather",
    "allgatherv",
    "reduce_scatter",
    "reduce_scatter_block",
    "alltoall",
    "alltoallv",
    "alltoallw",
    "scan",
    "exscan",
)
