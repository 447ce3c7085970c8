#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A job of a program under the preloaded library: its output, its exit code and what the library's report says."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "faults"))
from words import HANG_S, SpeakingJob  # noqa: E402

SKIP = 77
# Open MPI by itself dies of a full /dev/shm, so its own part goes elsewhere.
ELSEWHERE = {"OMPI_MCA_btl_vader_backing_directory": "/tmp"}


def small_folder():
    """What to put before a command that shall have a /dev/shm of 96 MB."""
    namespace = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs -o size=96m tmpfs /dev/shm && exec "$@"', "sh"]
    if not shutil.which("unshare") or subprocess.run(namespace + ["true"], stderr=subprocess.DEVNULL).returncode != 0:
        sys.exit(SKIP)
    return namespace


class Job(SpeakingJob):
    """One run: its output, its exit code and the report, as {kind: sums}. `conduct` is called with the job while it
    runs."""

    def __init__(
        self,
        setup,
        ranks,
        *command,
        preload=True,
        before="",
        after="",
        hang_s=HANG_S,
        prefix=(),
        launch_flags="",
        report=True,
        conduct=None,
        **environment,
    ):
        self.report, self.methods, self.code = {}, {}, None
        self.seconds, self.saved = 0, []  # of the run; by row of the report, None where it is not known
        libraries = [setup.options.shim] if setup.options.mpi == "mpich" and ranks > 2 else []
        if preload:
            libraries = [name for name in (before, setup.options.library, after) if name] + libraries
        with tempfile.TemporaryDirectory() as folder:
            report_file = os.path.join(folder, "report.json")
            words = ["LD_PRELOAD=" + ":".join(libraries)] if libraries else []
            words += ["%s=%s" % pair for pair in environment.items()]
            words += ["NEARFAR_REPORT=" + report_file] if report else []
            launcher, *count = setup.options.launch.split()
            launch = [*prefix, launcher, *launch_flags.split(), *count, str(ranks), *setup.options.flags.split()]
            super().__init__(launch, ["env", *words, *command], hang_s=hang_s)
            if conduct:
                conduct(self)
            self.code = self.end().launcher.returncode
            self.launcher_says.seek(0)
            self.output += self.launcher_says.read()
            if os.path.exists(report_file):
                self.read(report_file)

    def read(self, report_file):
        with open(report_file) as lines:
            for line in map(json.loads, lines):
                self.seconds = line.get("seconds", 0) if "ranks" in line else self.seconds
                self.saved += [line["saved_s"]] if "call" in line else []
                for kind in ("all", line["call"]) if "call" in line else ():
                    sums = self.report.setdefault(kind, {"calls": 0, "accelerated": 0, "bytes": 0, "seconds": 0})
                    for name in sums:
                        sums[name] += line[name]
                    self.methods.setdefault(kind, set()).update(line["methods"].split(", "))

    def accelerated(self, kind="all"):
        return self.report.get(kind, {}).get("accelerated", 0)

    def must(self, truth, what):
        return super().must(truth, f"{what}\nexit code {self.code}, report {self.report}")

    def must_say(self, pattern, times=None):
        found = self.count(pattern)
        return self.must(found > 0 if times is None else found == times, f"'{pattern}' was found {found} times")

    def must_end_well(self):
        return self.must(self.code == 0, "it failed").must("WRONG" not in self.output, "it was wrong")

    def must_have_accelerated(self, *kinds):
        for kind in kinds or ("all",):
            self.must(self.accelerated(kind) > 0, f"no {kind} was carried out by Nearfar")
        return self


class Setup:
    def __init__(self, options):
        self.options = options

    def run(self, ranks, program, *arguments, **settings):
        return Job(self, ranks, os.path.join(self.options.programs, program), *arguments, **settings)
