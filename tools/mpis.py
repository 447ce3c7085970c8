# SPDX-License-Identifier: BSD-3-Clause
"""The MPIs of this machine, Debian's and those of Python wheels: launchers, settings for many ranks on few cores."""
import os

from cluster_lib.launch import find_mpi

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
DEBIAN_MPICH = "/usr/lib/x86_64-linux-gnu/libmpich.so.12"


class Mpi:
    """One MPI: 'openmpi' or 'mpich' (Debian's), or the prefix of another one, such as a virtual environment."""

    def __init__(self, which, work):
        self.launcher, self.kind, self.major = find_mpi(os.path.abspath(which) if "/" in which else which)
        self.prefix = os.path.abspath(which) if "/" in which else None
        self.family = "openmpi" if self.kind == "openmpi" else "mpich"  # whose binary interface it has
        self.name = "%s%d" % (self.kind, self.major)
        self.work = work

    def build(self):
        """The build tree whose programs and preloaded library fit this MPI."""
        return os.path.join(ROOT, os.environ.get("BUILD", "build/release") + "-" + self.family)

    def library(self):
        return os.path.join(self.build(), "interpose/libnearfar_mpi.so")

    def _libraries(self):
        if self.prefix:
            return os.path.join(self.prefix, "lib")
        if self.family == "openmpi":
            return None
        # Programs built with another MPICH ask for libmpi.so.12, as everybody but Debian calls it.
        folder = os.path.join(self.work, "mpich-by-its-own-name")
        os.makedirs(folder, exist_ok=True)
        if not os.path.lexists(os.path.join(folder, "libmpi.so.12")):
            os.symlink(DEBIAN_MPICH, os.path.join(folder, "libmpi.so.12"))
        return folder

    def environment(self, ranks):
        settings = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "PRTE_ALLOW_RUN_AS_ROOT": "1",
                    "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "MPI4PY_MPIABI": self.family}
        libraries = self._libraries()
        if libraries:
            before = os.environ.get("LD_LIBRARY_PATH")
            settings["LD_LIBRARY_PATH"] = libraries + (":" + before if before else "")
        if self.kind == "impi":
            settings.update(I_MPI_ROOT=self.prefix, FI_PROVIDER_PATH=os.path.join(self.prefix, "lib"))
        elif self.kind == "openmpi" and self.prefix:
            settings["OPAL_PREFIX"] = self.prefix
        if ranks > os.cpu_count():
            settings.update(self._yielding())
        return settings

    def _yielding(self):
        if self.kind == "openmpi":
            return {"OMPI_MCA_mpi_yield_when_idle": "1"}
        if self.kind == "impi":
            return {"I_MPI_THREAD_YIELD": "3"}
        return {"MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1"} if self.major >= 5 else {}

    def shims(self, ranks):
        """Libraries to preload so that many ranks on few cores make progress: MPICH over UCX spins."""
        shim = os.path.join(self.build(), "tests/mpi_test/nf-yield.so")
        return [shim] if self.kind == "mpich" and ranks > os.cpu_count() and os.path.exists(shim) else []

    def command(self, ranks, program, preload=(), pinned=False, environment=None):
        """-> (command line, environment); the program alone sees the preloaded libraries."""
        pinned = pinned and ranks <= os.cpu_count()
        if self.kind == "openmpi":
            line = [self.launcher, "-n", str(ranks), "--bind-to", "core" if pinned else "none"]
            line += ["--map-by", ":OVERSUBSCRIBE"] if self.major >= 5 else ["--oversubscribe"]
        else:
            line = [self.launcher, "-n", str(ranks)]
            line += ["-bind-to", "core" if pinned else "none"] if self.kind == "mpich" else []
        libraries = self.shims(ranks) + list(preload)
        if libraries:
            line += ["env", "LD_PRELOAD=" + ":".join(libraries)]
        return line + list(program), {**os.environ, **self.environment(ranks), **(environment or {})}
