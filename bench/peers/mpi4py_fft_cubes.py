#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Transforms of cubes by mpi4py-fft, forward and backward, for the cases of a record of bench_fft; appends its own to
the record.

    mpiexec -n 2 python mpi4py_fft_cubes.py RECORD.jsonl

A run of its own, not interleaved with the others: medians of the maximum over ranks, FFTW planned by measuring, slabs.
"""

import json
import sys
import time

import numpy
from mpi4py import MPI
from mpi4py_fft import PFFT, newDistArray

SECONDS, LEAST = 1.0, 5


def samples(plan, real, spectral):
    """Sorted seconds of forward and backward, maximum over ranks; whether the numbers came back."""
    kept = real.copy()
    comm, taken, begin = MPI.COMM_WORLD, [], time.perf_counter()
    more = True
    while more:
        real[:] = kept
        comm.Barrier()
        start = time.perf_counter()
        plan.forward(real, spectral, normalize=False)
        plan.backward(spectral, real, normalize=False)
        taken.append(comm.allreduce(time.perf_counter() - start, MPI.MAX))
        more = comm.bcast(len(taken) < LEAST + 1 or time.perf_counter() - begin < SECONDS)
    is_right = numpy.allclose(real / numpy.prod(plan.global_shape(False), dtype=float), kept, atol=1e-10)
    return sorted(taken[1:]), comm.allreduce(bool(is_right), MPI.LAND)


def measure(case):
    kind, points = case.split("-")
    setup = time.perf_counter()
    plan = PFFT(MPI.COMM_WORLD, [int(points)] * 3, dtype=float if kind == "r2c" else complex, grid=(-1,))
    setup = time.perf_counter() - setup
    real, spectral = newDistArray(plan, False), newDistArray(plan, True)
    real[:] = numpy.random.default_rng(1).random(real.shape)
    seconds, is_right = samples(plan, real, spectral)
    at = {q: 1e6 * float(numpy.quantile(seconds, q)) for q in (0.1, 0.5, 0.9)}
    return {
        "median_us": at[0.5],
        "p10_us": at[0.1],
        "p90_us": at[0.9],
        "samples": len(seconds),
        "ok": is_right,
        "setup_ms": 1e3 * setup,
    }


def main():
    with open(sys.argv[1], encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    first = {}
    for record in records:
        first.setdefault(record["case"], record)
    added = [
        {**record, "method": "peer-mpi4py-fft", "chosen": False, **measure(case)} for case, record in first.items()
    ]
    if MPI.COMM_WORLD.rank == 0:
        with open(sys.argv[1], "a", encoding="utf-8") as record:
            for a in added:
                a.pop("choice", None)
                record.write(json.dumps(a) + "\n")


if __name__ == "__main__":
    main()
