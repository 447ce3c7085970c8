# SPDX-License-Identifier: BSD-3-Clause
"""What the experiments in this folder share: options, runs with progress, records, tables and plots.

An experiment is an executable file here without an ending. It defines TITLE, VARIANTS (method: words), `steps(run)` (a
list of (words, function that returns records)), `tables(records)` (a dictionary of lines of cells, the heading first)
and `draw(records, figure)`. Its records are kept as bench/results/paper-NAME.jsonl.xz.
"""
import argparse
import importlib.machinery
import importlib.util
import json
import os
import re
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tools"), os.path.join(ROOT, "bench")]
import figures  # noqa: E402
from command import InputError, command  # noqa: E402
from mpis import Mpi  # noqa: E402

NAMES = ("brams", "decomp2d", "fletcher", "ua", "allreduce")
CLUSTER = os.path.join(ROOT, "tools/cluster")
NO_NAMESPACES = 77
LOOK = os.path.join(ROOT, "apps/pictures.mplstyle")
PLAIN, THEIRS, OURS = "#4477aa", "#ee6677", "#228833"  # colours of plain MPI, the paper's method, Nearfar
OTHERS = ("#ccbb44", "#66ccee", "#aa3377", "#bbbbbb", "#222255", "#997700")


class NoNodes(Exception):
    """Nodes cannot be emulated on this machine."""


class Run:
    """How programs are run: the MPI, the sizes, the emulated nodes that are up."""

    def __init__(self, given, folder):
        self.is_short, self.seconds, self.folder = given.short, given.timeout, folder
        self.mpi = Mpi(given.mpi, folder)
        self.up = None  # settings of the nodes that are up
        os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        os.environ.setdefault("NEARFAR_CLUSTER", "paper%d" % os.getpid())

    def size(self, whole, short):
        return short if self.is_short else whole

    def mpi_words(self):
        said = subprocess.run([self.mpi.launcher, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False).stdout
        version = re.search(r"(\d+\.\d+(\.\d+)?)", said)
        family = "Open MPI" if self.mpi.family == "openmpi" else "MPICH"
        return family + (" " + version.group(1) if version else "")

    def program(self, path):
        """A program of the build tree that fits the MPI."""
        found = os.path.join(self.mpi.build(), path)
        if not os.access(found, os.X_OK):
            raise InputError("no %s; build it: tools/build release-%s %d %s" % (
                found, self.mpi.family, os.cpu_count(), os.path.basename(path)))
        return found

    def call(self, line, environment=None):
        """Runs a command line to its end. -> what it said on stdout"""
        try:
            done = subprocess.run([str(word) for word in line], env=environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, timeout=self.seconds,
                                  check=False)
        except subprocess.TimeoutExpired as error:
            raise InputError("%s did not end within %g s (--timeout)" % (line[0], self.seconds)) from error
        if done.returncode == NO_NAMESPACES and os.path.basename(str(line[0])) == "cluster":
            raise NoNodes
        if done.returncode != 0:
            said = [text.strip() for text in (done.stdout + done.stderr).splitlines() if text.strip()]
            telling = [text for text in said if "error" in text.lower()] or said or ["it said nothing"]
            raise InputError("%s ended with status %d: %s" % (line[0], done.returncode, telling[-1]))
        return done.stdout

    def job(self, ranks, program, nodes=1, rate="", latency="", settings=None, pinned=True):
        """Runs an MPI program on this machine, or on emulated nodes with that link between them. -> stdout"""
        settings = settings or {}
        if nodes == 1:
            return self.call(*self.mpi.command(ranks, program, pinned=pinned, environment=settings))
        self.bring_up(nodes, rate, latency)
        words = ["env"] + ["%s=%s" % pair for pair in settings.items()] if settings else []
        return self.call([CLUSTER, "run", "-n", ranks, "--per-node", ranks // nodes, "--mpi", self.mpi.kind,
                          "--timeout", self.seconds, "--"] + words + list(program))

    def bench(self, name, ranks, options, **where):
        """Runs a program of bench/. -> its records"""
        path = os.path.join(self.folder, "records.jsonl")
        if os.path.exists(path):
            os.unlink(path)
        self.job(ranks, [self.program("bench/" + name), "--json", path] + options, **where)
        return figures.read(path)

    def bring_up(self, nodes, rate="", latency=""):
        if self.up == (nodes, rate, latency):
            return
        self.take_down()
        options = (["--rate", rate] if rate else []) + (["--latency", latency] if latency else [])
        self.call([CLUSTER, "up", nodes, "--own-processors", "--shm", "512m"] + options)
        self.up = (nodes, rate, latency)

    def take_down(self):
        if self.up:
            subprocess.run([CLUSTER, "down"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        self.up = None


# ---- records and cells ----

def middle(records):
    """Of each method of each case the record whose median is in the middle of all rounds."""
    groups = {}
    for record in records:
        key = tuple(record[word] for word in ("front", "case", "method", "ranks", "nodes"))
        groups.setdefault(key, []).append(record)
    return [dict(sorted(group, key=lambda r: r["median_us"])[(len(group) - 1) // 2], rounds=len(group))
            for group in groups.values()]


def cases(records, **keys):
    """The records with these keys, by case and then by method, in the order of the records."""
    found = {}
    for record in records:
        if all(record.get(key) == value for key, value in keys.items()):
            found.setdefault(record["case"], {})[record["method"]] = record
    return found


def ratio(of, method, over):
    """How many times as fast `method` is as `over`, or none."""
    return of[over]["median_us"] / of[method]["median_us"] if {method, over} <= of.keys() else None


def cell(value, form="%.2f"):
    return "–" if value is None else form % value


def size_words(count):
    for unit in ("B", "KiB"):
        if count < 1024:
            return "%d %s" % (count, unit)
        count //= 1024
    return "%d MiB" % count


def seconds(records):
    return statistics.fsum(r["median_us"] for r in records) / 1e6


# ---- experiments by name ----

def load(name):
    """The module of an experiment."""
    path = os.path.join(ROOT, "bench/papers", name)
    if name not in NAMES or not os.path.exists(path):
        raise InputError("there is no experiment '%s'; there are %s" % (name, ", ".join(NAMES)))
    loader = importlib.machinery.SourceFileLoader("paper_" + name, path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def record_name(name):
    return "paper-" + name


def table_lines(experiment, records):
    """Markdown of all tables."""
    for name, lines in experiment.tables(records).items():
        lines = list(lines)
        yield "### " + name + "\n"
        yield from figures.as_table(lines, figures.word_columns(lines))
        yield ""


def plot(experiment, records, path):
    """Draws into a file. -> nothing, or why there is none"""
    try:
        import matplotlib
    except ImportError:
        return "no plot: this Python has no matplotlib (Debian: python3-matplotlib)"
    matplotlib.use("Agg")
    from matplotlib.figure import Figure
    matplotlib.rcParams.update(matplotlib.rc_params_from_file(LOOK, use_default_template=False))
    matplotlib.rcParams.update({"svg.hashsalt": "nearfar", "svg.fonttype": "none"})
    figure = Figure(figsize=(8.4, 3.6), layout="constrained")
    experiment.draw(records, figure)
    figure.savefig(path, dpi=130, metadata={"Date": None} if path.endswith(".svg") else None)
    return ""


def picture(name):
    return os.path.join(ROOT, "docs/images/paper-%s.svg" % name)


# ---- the command ----

def parse(name, experiment):
    parser = argparse.ArgumentParser(prog="bench/papers/" + name, description=experiment.__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="small sizes, a look in two minutes or less")
    parser.add_argument("--rounds", type=int, default=1, metavar="N", help="how often all is measured; medians (1)")
    parser.add_argument("--mpi", default="openmpi", choices=("openmpi", "mpich"), help="whose build tree (openmpi)")
    parser.add_argument("--output", default="out/papers", metavar="FOLDER", help="for tables and plots (out/papers)")
    parser.add_argument("--timeout", type=float, default=1800, metavar="S", help="for one step (1800)")
    parser.add_argument("--keep", action="store_true",
                        help="replace bench/results/%s.jsonl.xz; the page and its plot follow" % record_name(name))
    parser.add_argument("--kept", action="store_true", help="measure nothing: tables and plot of what is kept")
    given = parser.parse_args()
    if given.rounds < 1:
        parser.error("--rounds %d: at least 1" % given.rounds)
    if given.kept and given.keep:
        parser.error("--kept and --keep exclude each other")
    return given


def measure(name, experiment, given, folder):
    run, records, begin, load = Run(given, folder), [], time.monotonic(), 0
    steps = experiment.steps(run) * given.rounds
    try:
        for number, (words, step) in enumerate(steps, 1):
            before = time.monotonic()
            sys.stderr.write("%s, step %d of %d: %s ..." % (name, number, len(steps), words))
            sys.stderr.flush()
            try:
                records += step()
                load = max(load, os.getloadavg()[0])
                sys.stderr.write(" %.0f s\n" % (time.monotonic() - before))
            except NoNodes:
                sys.stderr.write(" left out: this machine allows no network namespaces\n")
    finally:
        run.take_down()
    if not records:
        raise InputError("nothing could be measured here")
    sys.stderr.write("%s: done in %.0f s\n" % (name, time.monotonic() - begin))
    return [dict(record, load=round(load)) for record in middle(records)]


def write(name, experiment, records, folder):
    """Tables, records and plot; says where they are."""
    text = "\n".join(table_lines(experiment, records))
    print("## %s\n\n%s" % (experiment.TITLE, text))
    base = os.path.join(folder, name)
    with open(base + ".md", "w", encoding="utf-8") as page:
        page.write("## %s\n\n%s\n" % (experiment.TITLE, text))
    with open(base + ".jsonl", "w", encoding="utf-8") as lines:
        lines.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    missing = plot(experiment, records, base + ".png")
    print("Tables: %s.md, records: %s.jsonl, %s" % (base, base, missing or "plot: " + base + ".png"), flush=True)


def main(experiment):
    """What each experiment's file calls as a program. -> exit status"""
    name = os.path.basename(sys.argv[0])

    @command(name, status=1)
    def run():
        given = parse(name, experiment)
        folder = os.path.abspath(given.output)
        os.makedirs(folder, exist_ok=True)
        records = figures.kept(record_name(name)) if given.kept else measure(name, experiment, given, folder)
        write(name, experiment, records, folder)
        if given.kept:
            plot(experiment, records, picture(name))
        if given.keep:
            words = " ".join(["bench/papers/" + name] + [word for word in sys.argv[1:] if word != "--keep"])
            print("kept in", figures.keep(record_name(name), records, words))
            print(plot(experiment, records, picture(name)) or "drawn: " + os.path.relpath(picture(name), ROOT))
            import pages
            return pages.write(False)
        return 0

    return run()
