# SPDX-License-Identifier: BSD-3-Clause
"""One test of a suite, and running it: plain, or through the preloaded library in one of several ways."""
import collections
import contextlib
import dataclasses
import json
import os
import signal
import subprocess
import tempfile
import time
import typing

PASS, FAIL, TIMEOUT, MISSING = "pass", "fail", "time out", "not run"
SECONDS_TO_DIE = 5


@dataclasses.dataclass
class Test:
    """A program to start on some ranks. `judge(output, code, folder)` tells the verdict of each of its parts."""
    name: str
    ranks: int
    program: typing.List[str]
    judge: typing.Callable
    limit_s: float = 60
    folder: typing.Optional[str] = None  # where it runs; None: a fresh folder
    files: typing.Dict[str, str] = dataclasses.field(default_factory=dict)  # put into the fresh folder first
    environment: typing.Dict[str, str] = dataclasses.field(default_factory=dict)
    prepare: str = ""  # a shell command in the fresh folder, before the program, by one process and without the library


@dataclasses.dataclass
class Way:
    """How tests are run: plain where `library` is None, else with that library preloaded and these settings."""
    name: str
    library: typing.Optional[str] = None
    environment: typing.Dict[str, str] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Outcome:
    verdicts: typing.Dict[str, str]
    output: str
    seconds: float
    calls: collections.Counter        # of collectives that the library saw, by kind
    accelerated: collections.Counter  # of these, those that it carried out itself


def passed_if(text):
    """Judges a program of one part, which prints `text` when it has found nothing wrong."""
    return lambda output, code, folder: {"": PASS if code == 0 and text in output else FAIL}


def _wait(process, limit_s):
    """-> exit code, or None after the limit; what was started is gone in any case."""
    try:
        return process.wait(limit_s)
    except subprocess.TimeoutExpired:
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(OSError):
                os.killpg(process.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(SECONDS_TO_DIE)
        return None


def counted(report):
    """(calls, accelerated calls) by kind of a report of the preloaded library: lines of JSON."""
    calls, accelerated = collections.Counter(), collections.Counter()
    with contextlib.suppress(OSError), open(report) as lines:
        for record in map(json.loads, lines):
            if "call" in record:
                calls[record["call"]] += record["calls"]
                accelerated[record["call"]] += record["accelerated"]
    return calls, accelerated


def run(mpi, test, way, pinned=False):
    """Runs one test in one way."""
    with tempfile.TemporaryDirectory(dir=mpi.work) as fresh:
        for name, text in test.files.items():
            os.makedirs(os.path.dirname(os.path.join(fresh, name)), exist_ok=True)
            with open(os.path.join(fresh, name), "w") as file:
                file.write(text)
        if test.prepare:
            subprocess.run(["sh", "-c", test.prepare], cwd=fresh, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, timeout=test.limit_s,
                           env={**os.environ, **mpi.environment(1), **test.environment})
        report = os.path.join(fresh, "report.jsonl")
        environment = {"NEARFAR_WISDOM": "off", **test.environment, **way.environment}
        if way.library:
            environment["NEARFAR_REPORT"] = report
        line, environment = mpi.command(test.ranks, test.program, [way.library] if way.library else [], pinned,
                                        environment)
        log = os.path.join(fresh, "output.txt")
        begin = time.monotonic()
        with open(log, "wb") as sink:
            process = subprocess.Popen(line, env=environment, cwd=test.folder or fresh, stdin=subprocess.DEVNULL,
                                       stdout=sink, stderr=subprocess.STDOUT, start_new_session=True)
            code = _wait(process, test.limit_s)
        seconds = time.monotonic() - begin
        with open(log, errors="replace") as source:
            output = source.read()
        verdicts = {"": TIMEOUT} if code is None else test.judge(output, code, fresh)
        named = {test.name + (": " + part if part else ""): verdict for part, verdict in verdicts.items()}
        return Outcome(named, output, seconds, *counted(report))
