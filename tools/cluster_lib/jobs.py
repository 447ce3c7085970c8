# SPDX-License-Identifier: BSD-3-Clause
"""Running a job on the nodes, under a time limit, and looking for what it leaves behind."""
import contextlib
import ctypes
import os
import platform
import shlex
import signal
import struct
import subprocess
import sys
import threading
import time

from .launch import command_for
from .state import (EXIT_DEAD_NODE, EXIT_LEAK, EXIT_NO_MARKER, EXIT_TIMEOUT, TMPDIR, alive, die, enter_here,
                    in_network_of, need, node_number, shell)

SCHED_SETATTR = {"x86_64": 314, "aarch64": 274}
SECONDS_TO_DIE = 3
SECONDS_TO_SETTLE = 20  # what is left after that was left behind; mostly a tenth is enough
SECONDS_TO_READ = 20

# Lines "F file size" and "P pid command line"; the node's own init and this script are not leftovers.
LIST_LEFTOVERS = r"""
cd /dev/shm; find . -mindepth 1 -printf 'F /dev/shm/%%P %%s\n'
cd %s; find . -mindepth 1 -type f -printf 'F TMPDIR/%%P %%s\n'
for p in /proc/[0-9]*; do
  p=${p#/proc/}; [ $p = 1 ] || [ $p = $$ ] && continue
  c=$(tr '\0' ' ' 2>/dev/null </proc/$p/cmdline) || continue
  case $c in ''|'sleep 86400 '|find*|tr*) ;; *) echo "P $p $c";; esac
done
"""


def ask_for_short_slices(us):
    """Asks for short time slices (Linux 6.12; inherited by what is started), which make yielding ten times more
    useful.  Harmless elsewhere."""
    number = SCHED_SETATTR.get(platform.machine())
    if number and us > 0:
        with contextlib.suppress(Exception):
            ctypes.CDLL(None).syscall(number, 0, struct.pack("IIQiIQQQ", 48, 0, 0, 0, 0, us * 1000, 0, 0), 0)


# ---- leftovers ----

def leftovers(state):
    """[(node, 'process …' or 'file …')]"""
    found = []
    for node in state["nodes"]:
        if alive(node):
            for line in shell(node, LIST_LEFTOVERS % TMPDIR, check=False).splitlines():
                found.append((node["name"], ("process " if line[0] == "P" else "file ") + line[2:100]))
    return found


def lasting(state, is_wanted=lambda what: True):
    """Leftovers that do not go away by themselves."""
    until = time.monotonic() + SECONDS_TO_SETTLE
    while True:
        found = [pair for pair in leftovers(state) if is_wanted(pair[1])]
        if not found or time.monotonic() > until:
            return found
        time.sleep(0.05)


def leaks(_):
    found = leftovers(need())
    for node, what in found:
        print("%s: %s" % (node, what))
    sys.exit(1 if found else 0)


def clean(_):
    state = need()
    for pid in in_network_of(state["head"]):  # launchers, which may hang
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    for node in state["nodes"]:
        if alive(node):  # kill -1 inside a PID namespace: everything but its init and the caller
            shell(node, "kill -9 -1 || :", check=False)
            shell(node, "find /dev/shm %s -mindepth 1 -delete; ipcrm --all 2>/dev/null || :" % TMPDIR, check=False)
    lasting(state, lambda what: what.startswith("process"))


# ---- running ----

def execute(options):
    state = need()
    node = state["head"] if options.node == "head" else state["nodes"][node_number(state, options.node)]
    if not alive(node):
        die("node %s is down" % options.node)
    os.environ.update(TMPDIR=TMPDIR, NF_CWD=os.getcwd())
    os.execvp("nsenter", enter_here(node, options.command))


class Job:
    """The launcher's process on the head, its output watched for a marker."""

    def __init__(self, head, command, environment, options):
        self.marker = options.marker.encode() if options.marker else None
        self.seen = False
        own = {name: value for name, value in environment.items() if name not in os.environ or name == "TMPDIR"}
        slices = None if options.spin or not options.slice else lambda: ask_for_short_slices(options.slice)
        self.process = subprocess.Popen(
            enter_here(head, command), env=dict(os.environ, NF_CWD=os.getcwd(), **own), start_new_session=True,
            stdout=subprocess.PIPE if self.marker else None, stdin=None if options.stdin else subprocess.DEVNULL,
            preexec_fn=slices)
        self.reader = threading.Thread(target=self._copy_output, daemon=True)
        if self.marker:
            self.reader.start()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda received, _: self._signal(received))

    def _copy_output(self):
        for line in self.process.stdout:
            sys.stdout.buffer.write(line)
            sys.stdout.flush()
            self.seen = self.seen or self.marker in line

    def _signal(self, number):
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, number)

    def wait(self, timeout_s):
        """The exit code as a shell tells it, or None after the time limit; the job is over in any case."""
        try:
            code = self.process.wait(timeout=timeout_s or None)
        except subprocess.TimeoutExpired:
            self._signal(signal.SIGTERM)
            try:
                self.process.wait(SECONDS_TO_DIE)
            except subprocess.TimeoutExpired:
                self._signal(signal.SIGKILL)
            return None
        if self.marker:
            self.reader.join(SECONDS_TO_READ)
        return code if code >= 0 else 128 - code


def verdict(code, job, options, dead):
    """Launchers' exit codes alone are not to be trusted: prterun 5.0 reports success when a node has died."""
    if code == 0 and job.marker and not job.seen:
        sys.stderr.write("cluster: '%s' was not printed\n" % options.marker)
        return EXIT_NO_MARKER
    if code == 0 and dead:
        sys.stderr.write("cluster: died during the run: %s\n" % " ".join(dead))
        return EXIT_DEAD_NODE
    return code


def run(options):
    state = need()
    if not options.command:
        die("run: no program given (cluster run -n 4 -- PROG)")
    if not options.n and not options.layout:
        die("run: give -n RANKS or --layout")
    options.temporary = []
    command, environment, used = command_for(options, state)
    if options.dry_run:
        print(" ".join("%s=%s" % item for item in environment.items()), " ".join(map(shlex.quote, command)))
        return
    for i, node in enumerate(state["nodes"][:used]):
        if not alive(node):
            die("node %d is down (cluster boot %d)" % (i, i))

    job = Job(state["head"], command, environment, options)
    code = job.wait(options.timeout)
    for name in options.temporary:
        with contextlib.suppress(OSError):
            os.unlink(name)
    if code is None:
        sys.stderr.write("cluster: timed out after %gs\n" % options.timeout)
        clean(options)
        code = EXIT_TIMEOUT
    dead = [node["name"] for node in state["nodes"][:used] if not alive(node)]
    code = verdict(code, job, options, dead)
    if options.leaks:
        found = lasting(state)
        for node, what in found:
            sys.stderr.write("cluster: leak on %s: %s\n" % (node, what))
        if found:
            clean(options)
            code = code or EXIT_LEAK
    sys.exit(code)
