# SPDX-License-Identifier: BSD-3-Clause
"""The suites: each module has tests(mpi, options), and says in HELP where its files come from."""
from . import espresso, hpcc, imb, mpi4py, mpich, programs

ALL = {"mpich": mpich, "mpi4py": mpi4py, "imb": imb, "hpcc": hpcc, "espresso": espresso,
       "programs": programs}
