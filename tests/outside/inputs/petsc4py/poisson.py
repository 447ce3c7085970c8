# SPDX-License-Identifier: BSD-3-Clause
"""Poisson's equation on a grid by conjugate gradients, and the smallest eigenvalues by SLEPc where it is there."""
import sys

import petsc4py

petsc4py.init(sys.argv)
from petsc4py import PETSc  # noqa: E402

N = 60
grid = PETSc.DMDA().create([N, N], stencil_width=1)
A = grid.createMatrix()
(x0, x1), (y0, y1) = grid.getRanges()
row, column = PETSc.Mat.Stencil(), PETSc.Mat.Stencil()
for j in range(y0, y1):
    for i in range(x0, x1):
        row.index = (i, j)
        for di, dj, value in ((0, 0, 4.0), (1, 0, -1.0), (-1, 0, -1.0), (0, 1, -1.0), (0, -1, -1.0)):
            if 0 <= i + di < N and 0 <= j + dj < N:
                column.index = (i + di, j + dj)
                A.setValueStencil(row, column, value)
A.assemble()
b, x = A.createVecs()
b.set(1.0 / N**2)
solver = PETSc.KSP().create()
solver.setOperators(A)
solver.setType("cg")
solver.getPC().setType("jacobi")
solver.setTolerances(rtol=1e-10)
solver.solve(b, x)
norm, total, most = x.norm(), x.sum(), x.max()[1]
PETSc.Sys.Print("solution: norm %.9e sum %.9e most %.9e" % (norm, total, most))
try:
    from slepc4py import SLEPc
except ImportError:
    sys.exit()
eigen = SLEPc.EPS().create()
eigen.setOperators(A)
eigen.setProblemType(SLEPc.EPS.ProblemType.HEP)
eigen.setWhichEigenpairs(SLEPc.EPS.Which.LARGEST_REAL)
eigen.setDimensions(3)
eigen.solve()
PETSc.Sys.Print("eigenvalues: " + " ".join("%.8e" % eigen.getEigenvalue(i).real for i in range(3)))
