# SPDX-License-Identifier: BSD-3-Clause
"""Power iteration with rows of a matrix on each rank, objects by pickle, and a transposition by alltoall."""
import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
N = 240
rows = numpy.arange(rank * N // ranks, (rank + 1) * N // ranks)
A = 1.0 / (1.0 + rows[:, None] + numpy.arange(N)[None, :])
x = numpy.ones(N)
for _ in range(200):
    part = A @ x
    x = numpy.concatenate(comm.allgather(part))
    norm = numpy.sqrt(comm.allreduce(float(part @ part)))
    x /= norm
block = A.reshape(len(rows), ranks, N // ranks).transpose(1, 0, 2).copy()
turned = numpy.empty_like(block)
comm.Alltoall(block, turned)
everything = comm.gather({"rank": rank, "sum": float(turned.sum())})
row_comm = comm.Split(rank % 2, rank)
half = row_comm.allreduce(float(part.sum()))
if rank == 0:
    print("eigenvalue %.12e" % norm, "sums", *("%.9e" % e["sum"] for e in everything), "half %.9e" % half)
