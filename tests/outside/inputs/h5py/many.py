# SPDX-License-Identifier: BSD-3-Clause
"""All ranks write rows of one dataset by MPI-IO, and read what their neighbour wrote."""
import h5py
import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
with h5py.File("rows.h5", "w", driver="mpio", comm=comm) as file:
    data = file.create_dataset("rows", (ranks, 5000), dtype="f8")
    with data.collective:
        data[rank] = numpy.sqrt(numpy.arange(5000) + 7 * rank)
with h5py.File("rows.h5", "r", driver="mpio", comm=comm) as file:
    read = float(file["rows"][(rank + 1) % ranks].sum())
sums = comm.gather(read)
if rank == 0:
    print("sums", *("%.12e" % value for value in sums))
