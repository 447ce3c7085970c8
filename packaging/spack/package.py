# SPDX-License-Identifier: BSD-3-Clause
"""Spack's recipe of Nearfar: packages/nearfar/package.py of a repository."""

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Nearfar(CMakePackage):
    """Node-aware communication plans for scientific MPI programs: halo exchange, gather and scatter, transpositions,
    transforms, collective calls and output, tuned by measuring, in memory that ranks of a node share."""

    homepage = "https://example.org/nearfar"
    git = "https://example.org/nearfar.git"

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("shared", default=True, description="Shared library")
    variant("fortran", default=True, description="Fortran interface")
    variant("hwloc", default=True, description="Cores and caches as hwloc knows them")
    variant("hdf5", default=True, description="Output as NetCDF-4, HDF5 and VTKHDF")
    variant("compression", default=True, description="Compressed output: zstd, blosc, zfp")
    variant("python", default=False, description="Python package in the build tree")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("nlohmann-json@3.10:", type="build")
    depends_on("mpi@3:")  # of 3.1, which is needed, Spack's Open MPI says only that it has 3.0
    depends_on("hwloc@2:", when="+hwloc")
    depends_on("hdf5+hl~mpi", when="+hdf5")
    with when("+compression"):
        depends_on("zstd")
        depends_on("c-blosc")
        depends_on("zfp")
    with when("+python"):
        extends("python@3.10:")
        depends_on("py-nanobind@2.4:", type="build")
        depends_on("py-mpi4py", type=("build", "run"))
        depends_on("py-numpy", type=("build", "run"))

    def cmake_args(self):
        spec, args = self.spec, [self.define("MPI_C_COMPILER", self.spec["mpi"].mpicc)]
        args.append(self.define_from_variant("BUILD_SHARED_LIBS", "shared"))
        for option in ("fortran", "hwloc", "hdf5", "python"):
            args.append(self.define_from_variant(f"NEARFAR_{option.upper()}", option))
        for option in ("ZSTD", "BLOSC", "ZFP"):
            args.append(self.define(f"NEARFAR_{option}", "+compression" in spec))
        return args
