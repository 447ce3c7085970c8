# SPDX-License-Identifier: BSD-3-Clause
"""A job whose ranks speak into a pipe of ours and not to the launcher, which may lose the last words of a job that it
ends."""

import os
import re
import select
import subprocess
import tempfile
import threading
import time

# Open MPI gives the other ranks of a failed job a second to end by themselves.
NO_GRACE = {"OMPI_MCA_odls_base_sigkill_timeout": "0"}
HANG_S = 300  # for hangs only, before ctest ends the test


class SpeakingJob:
    """launch: the launcher's words, program: those of each rank. The pipe's end tells that all ranks are over, whatever
    the launcher does."""

    def __init__(self, launch, program, environment=None, hang_s=HANG_S):
        self.output, self.hang_s = "", hang_s
        self.folder = tempfile.TemporaryDirectory(prefix="nearfar-words.")
        pipe = os.path.join(self.folder.name, "words")
        os.mkfifo(pipe)
        self.words = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.our_end, self.lock = os.open(pipe, os.O_WRONLY), threading.Lock()
        self.launcher_says = open(os.path.join(self.folder.name, "launcher"), "w+", errors="replace")
        self.launcher = subprocess.Popen(
            [*launch, "sh", "-c", 'exec "$@" >"$0" 2>&1', pipe, *program],
            env={**NO_GRACE, **(environment or os.environ)},
            stdin=subprocess.DEVNULL,
            stdout=self.launcher_says,
            stderr=subprocess.STDOUT,
        )
        threading.Thread(target=self._follow_launcher, daemon=True).start()

    def _follow_launcher(self):
        self.launcher.wait()
        self.all_run()

    def all_run(self):
        """Every rank that there will be holds the pipe: from now on it ends with the last of them."""
        with self.lock:
            ours, self.our_end = self.our_end, None
        if ours is not None:
            os.close(ours)

    def must(self, truth, what):
        if not truth:
            self.launcher_says.seek(0)
            raise AssertionError(
                f"{what}\nranks:\n{self.output}\n"
                f"launcher (exit code {self.launcher.poll()}):\n{self.launcher_says.read()}"
            )
        return self

    def _read(self, until):
        self.must(
            select.select([self.words], [], [], max(0, until - time.monotonic()))[0],
            f"it hangs: no more words in {self.hang_s} s",
        )
        piece = os.read(self.words, 65536).decode(errors="replace")
        self.output += piece
        return piece != ""

    def count(self, pattern):
        return len(re.findall(pattern, self.output, re.M))

    def wait_for(self, pattern, times=1):
        until = time.monotonic() + self.hang_s
        while self.count(pattern) < times:
            self.must(
                self._read(until),
                f"the job ended before it said '{pattern}'" + (f" {times} times" if times > 1 else ""),
            )
        return self

    def wait_for_ranks(self):
        """Until none is left."""
        until = time.monotonic() + self.hang_s
        while self._read(until):
            pass
        return self

    def end(self):
        """Until the launcher is over, too."""
        self.wait_for_ranks()
        try:
            self.launcher.wait(self.hang_s)
        except subprocess.TimeoutExpired:
            self.must(False, f"the launcher hangs: its ranks are over since {self.hang_s} s")
        return self
