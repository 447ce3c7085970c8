#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs programs that do not know of Nearfar under the preloaded library, and looks at what they and its report say.

    preload.py SCENARIO --mpi openmpi|mpich --launch 'COMMAND -n' --flags '…' --library FILE --shim FILE \
        --programs FOLDER

Exit code 77 where the machine cannot do it.  A pass proves nothing unless calls were carried out by Nearfar, so that
nearly every scenario asserts how many were.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from preload_job import ELSEWHERE, HANG_S, SKIP, Job, Setup, small_folder  # noqa: E402
from reports import gains, report_in_words  # noqa: E402, F401
from surroundings import changed_process, children, linked_tool  # noqa: E402, F401

# What the library carries out on one node; more kinds than these do no harm.
EXPECTED = {"reduce", "allreduce"}


def output_of(*command, **environment):
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.run(command, check=True, env={**os.environ, **environment}, **streams).stdout


def symbols(setup):
    """No MPI is needed, nothing but MPI names is given, and programs without MPI do not notice it."""
    library = setup.options.library
    needed = re.findall(r"NEEDED.*\[(.*)\]", output_of("readelf", "-d", library))
    assert not [name for name in needed if re.search(r"mpi|mpl|open-pal|hwloc|stdc\+\+", name)], needed
    undefined = output_of("nm", "-D", "--undefined-only", library)
    assert not re.search(r"\bP?MPI_|\bompi_", undefined), undefined
    given = [line.split()[-1].split("@")[0] for line in output_of("nm", "-D", "--defined-only", library).splitlines()]
    assert all(name.startswith(("MPI_", "PMPI_")) for name in given), given
    kinds = (
        "Barrier Bcast Reduce Allreduce Gather Gatherv Scatter Scatterv Allgather Allgatherv Reduce_scatter "
        "Reduce_scatter_block Alltoall Alltoallv Alltoallw Scan Exscan"
    ).split()
    for kind in kinds:
        names = ["MPI_" + kind] + (["MPI_" + kind + "_c"] if setup.options.mpi == "mpich" and kind != "Barrier" else [])
        assert not set(names + ["P" + name for name in names]) - set(given), kind
    for command in (
        ["bash", "-c", "true | cat; echo fine"],
        [sys.executable, "-c", "import subprocess; print('fine')"],
    ):
        assert output_of(*command, LD_PRELOAD=library) == "fine\n"
    launch = setup.options.launch.split() + ["1"] + setup.options.flags.split()
    assert "fine" in output_of(*launch, "echo", "fine", LD_PRELOAD=library)


def every_call(setup):
    """Right with all ranks near, all far, and mixed."""
    for ranks in (2, 3, 4):
        job = setup.run(ranks, "preload_every_call").must_end_well().must_say("every call is right")
        job.must_have_accelerated(*EXPECTED)
    for ranks, size in ((1, 0), (3, 1), (4, 2), (5, 2)):
        setup.run(ranks, "preload_every_call", "12", NEARFAR_NODE_SIZE=str(size)).must_end_well().must_say(
            "every call is right"
        )


def every_algorithm_early(setup):
    """The first call of every communicator makes an engine, and the races of all sizes run."""
    job = setup.run(2, "preload_every_call", "20", NEARFAR_PRELOAD_AFTER="1", NEARFAR_TUNE_AFTER="2")
    job.must_end_well().must_say("every call is right").must_have_accelerated(*EXPECTED)


def fortran(setup):
    for interface in ("mpif", "mpi", "mpi_f08"):
        for ranks in (2, 3):
            job = setup.run(ranks, "preload_sums_" + interface).must_end_well().must_say("Fortran sums are right")
            job.must(job.report["allreduce"]["calls"] == 200 * ranks, "each call counts once").must_have_accelerated(
                "allreduce"
            )


def c_program(setup):
    job = setup.run(2, "preload_sums").must_end_well().must_say("sums are right")
    job.must(job.report["allreduce"]["calls"] == 200, "each call counts once")
    job.must(job.report["allreduce"]["bytes"] == 1600, "the bytes are those of the calls")
    job.must(job.accelerated("allreduce") >= 190, "all calls but the first are carried out by Nearfar")
    job.must(job.methods["allreduce"] - {"mpi"}, f"the methods are {job.methods}")
    own = [float(seconds) for seconds in re.findall(r"at most ([0-9.]+) s", job.output)]
    most = 1.00001 * max(own)  # the report has six digits
    job.must(len(own) == 2 and job.report["allreduce"]["seconds"] <= most, "the time is that of the slowest rank")
    job = setup.run(2, "preload_sums", "gathers").must_end_well().must_say("sums are right")
    job.must(job.report["gather"]["bytes"] == 1600, "the bytes of the root in place are those of its block")


def large_counts(setup):
    if setup.options.mpi == "openmpi":
        sys.exit(SKIP)  # Open MPI has them from version 6 on
    job = setup.run(2, "preload_sums", "large").must_end_well().must_say("sums are right")
    job.must(job.report["allreduce"]["calls"] == 200, "each call counts once").must_have_accelerated("allreduce")


def linked_first(setup):
    """The library before the MPI on the link line does the same without LD_PRELOAD."""
    job = setup.run(2, "preload_sums_linked", preload=False).must_end_well().must_say("sums are right")
    job.must_have_accelerated("allreduce")


def private_mpi(setup):
    module = os.path.join(setup.options.programs, "preload_private.so")
    job = setup.run(2, "preload_private_main", module).must_end_well().must_say("private sums are right")
    job.must_have_accelerated("allreduce")


def tool(setup):
    """A profiling tool sees every call, whichever side of it the library is on."""
    profiler = os.path.join(setup.options.programs, "preload_tool.so")
    for place in ({"before": profiler}, {"after": profiler}):
        job = setup.run(2, "preload_sums", **place).must_end_well().must_have_accelerated("allreduce")
        job.must_say("the tool saw 100 calls", 2)


def nearfar_run(setup):
    """The library is loaded wherever it is installed and whatever is said before the program, or the run ends and says
    why."""
    built = os.path.join(os.path.dirname(setup.options.library), "nearfar-run")
    program = os.path.join(setup.options.programs, "preload_sums")

    def run(*words, **settings):
        return (
            Job(setup, 2, *words, preload=False, **settings)
            .must_end_well()
            .must_say("sums are right")
            .must_have_accelerated()
        )

    def must_refuse(status, pattern, *words, script=built):
        done = subprocess.run([script, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.returncode == status and re.search("^nearfar-run: error: .*" + pattern, done.stdout), (words, done)

    with tempfile.TemporaryDirectory(prefix="nearfar-run.") as folder:
        os.environ["TMPDIR"] = folder
        for name in ("plain", "with spaces", "with: colons", "$LIB"):
            prefix = os.path.join(folder, name)
            os.mkdir(prefix)
            for file in (built, setup.options.library):
                shutil.copy(file, prefix)
            run(os.path.join(prefix, "nearfar-run"), program)
        os.symlink(os.path.join(prefix, "nearfar-run"), os.path.join(folder, "linked"))
        run(os.path.join(folder, "linked"), program)
        run(os.path.relpath(os.path.join(folder, "with spaces", "nearfar-run")), program)
        alone = shutil.copy(built, os.path.join(folder, "alone"))
        must_refuse(125, "libnearfar_mpi.so is neither in", program, script=alone)
        open(os.path.join(folder, "libnearfar_mpi.so"), "w").write("no library")
        must_refuse(125, "the library cannot be loaded", program, script=alone)
        if os.geteuid() == 0:
            other = shutil.copy(program, folder)
            os.chown(other, 65534, 65534)
            os.chmod(other, 0o4755)
            must_refuse(125, "runs with the rights of another user", other)
    # LD_PRELOAD in any of the places where a user can set it, and what launchers set.
    tool_words = "LD_PRELOAD=" + os.path.join(setup.options.programs, "preload_tool.so")
    run(built, tool_words, program).must_say("the tool saw 100 calls", 2)
    run("env", tool_words, built, program).must_say("the tool saw 100 calls", 2)
    run("env", "LD_PRELOAD=" + setup.options.library, built, program)
    run(
        built,
        program,
        launch_flags={"openmpi": "-x NEARFAR_SHM=memfd", "mpich": "-env NEARFAR_SHM memfd"}[setup.options.mpi],
    )
    run(built, "sh", "-c", 'exec "$0"', program)
    sanitized = os.path.join(setup.options.programs, "preload_sums_address")
    if os.path.exists(sanitized):
        run(built, "ASAN_OPTIONS=detect_leaks=0", sanitized)
    static = os.path.join(setup.options.programs, "preload_no_library")
    if os.path.exists(static):
        must_refuse(125, "is linked statically", static)
    must_refuse(2, "there is no program to run", "NEARFAR_REPORT=1")
    must_refuse(2, "there is no option -n", "-n", "2", program)
    must_refuse(127, "No such file", program + "_that_is_not_there")
    must_refuse(127, "there is no program", "preload_that_is_not_there")
    must_refuse(126, "", os.path.dirname(program))


def no_shared_folder(setup):
    """In a container without /dev/shm near memory comes from elsewhere."""
    script = (
        "for name in null zero random urandom tty full pts; do "
        'if [ -d /dev/$name ]; then mkdir "$0/$name"; else touch "$0/$name"; fi; '
        'mount --rbind /dev/$name "$0/$name"; done; '
        'mount --rbind "$0" /dev && exec "$@"'
    )
    with tempfile.TemporaryDirectory() as folder:
        namespace = [
            "unshare",
            "-m",
            "sh",
            "-c",
            f'mount -t tmpfs tmpfs {folder} && exec sh -c "$0" {folder} "$@"',
            script,
        ]
        if (
            not shutil.which("unshare")
            or subprocess.run(namespace + ["true"], stderr=subprocess.DEVNULL).returncode != 0
        ):
            sys.exit(SKIP)
        job = setup.run(2, "preload_sums", prefix=namespace, **ELSEWHERE, UCX_LOG_LEVEL="fatal").must_end_well()
        job.must_say("sums are right").must_have_accelerated("allreduce")


def spawned(setup):
    """Processes that a program spawns may have the library or not: communicators with them are left to the MPI."""

    def run(**settings):
        return setup.run(
            2, "preload_spawn", launch_flags="--oversubscribe" if setup.options.mpi == "openmpi" else "", **settings
        )

    if run(preload=False).code != 0:
        sys.exit(SKIP)  # Debian's MPICH cannot spawn
    run(NEARFAR_PRELOAD_AFTER="1").must_end_well().must_say("sums of two jobs are right").must_have_accelerated(
        "allreduce"
    )


def switched_off(setup):
    for name in ("NEARFAR", "NEARFAR_PRELOAD"):
        job = setup.run(2, "preload_sums", **{name: "off"}).must_end_well()
        job.must(not job.report, "it reports although it is off")


def threads(setup):
    job = setup.run(2, "preload_threads")
    if job.code == SKIP or "has no threads" in job.output:
        sys.exit(SKIP)
    job.must_end_well().must_say("threads are right").must_have_accelerated("allreduce")
    setup.run(3, "preload_threads", NEARFAR_TUNE_AFTER="-1").must_end_well().must_say("threads are right")
    for ranks, size in ((2, "0"), (3, "2")):
        job = setup.run(ranks, "preload_threads", "making", NEARFAR_NODE_SIZE=size, NEARFAR_PRELOAD_ENGINES="1000")
        job.must_end_well().must_say("threads are right").must_have_accelerated("allreduce")


def lifecycle(setup):
    """Communicators by the ten thousand; the test by hand takes a hundred thousand."""
    many = setup.options.communicators
    job = setup.run(2, "preload_lifecycle", str(many), hang_s=3000).must_end_well().must_have_accelerated("allreduce")
    job.must_say("nothing is left behind")
    job = setup.run(2, "preload_lifecycle", "1000", NEARFAR_PRELOAD_AFTER="2", NEARFAR_TUNE_AFTER="-1").must_end_well()
    job.must_say("nothing is left behind").must_have_accelerated("allreduce")


def errors(setup):
    """Wrong arguments give the classes of plain MPI, by the communicator's handler."""
    plain = setup.run(2, "preload_errors", "arguments", preload=False)
    if "Assertion failed in file" in plain.output:
        sys.exit(SKIP)  # MPICH 5 as a Python wheel does not refuse a null datatype, but ends the program
    plain.must_end_well().must_say("survived")
    ours = setup.run(2, "preload_errors", "arguments").must_end_well().must_say("survived").must_have_accelerated()
    classes = [re.findall(r"^class \d+$", job.output, re.M) for job in (plain, ours)]
    ours.must(len(classes[0]) == 8 and classes[0] == classes[1], f"plain MPI has {classes[0]}")


def rules(setup):
    """What MPI lets a program do: trap floating-point exceptions, give no buffer where none counts, call in callbacks,
    duplicate communicators without waiting, leave a call by a jump."""
    for part in ("traps", "flags", "exscan", "dying", "jumping"):
        setup.run(2, "preload_rules", part).must_end_well().must_say("all is right").must_have_accelerated()
    for ranks, nodes in ((2, {}), (3, {}), (3, {"NEARFAR_NODE_SIZE": "2"}), (4, {"NEARFAR_NODE_SIZE": "2"})):
        job = setup.run(ranks, "preload_rules", "own", **nodes).must_end_well().must_say("all is right")
        job.must_have_accelerated(*EXPECTED)
    plain, ours = (setup.run(8, "preload_rules", "slow", preload=how).must_end_well() for how in (False, True))
    slow = [re.findall(r"^slow \w+: \d+ executions", job.output, re.M) for job in (plain, ours)]
    ours.must(len(slow[0]) == 3 and slow[0] == slow[1], f"plain MPI has {slow[0]}")
    ours.must_have_accelerated("allreduce", "reduce", "scan")
    job = setup.run(2, "preload_rules", "idup", NEARFAR_PRELOAD_AFTER="2").must_end_well().must_say("all is right")
    sums = job.report["allreduce"]
    job.must(sums["accelerated"] > 0.6 * sums["calls"], "communicators got no engine while others were duplicated")


def mismatches(setup):
    """Ranks that come with different calls, sizes or roots hear of it, whichever way the data goes; the job ends."""

    def make(mistake):
        return setup.run(2, "preload_mismatch", *mistake.split(), NEARFAR_PRELOAD_AFTER="1")

    for mistake in (
        "bcast shorter 8",
        "bcast longer 64",
        "allreduce shorter 4096",
        "allreduce kind 8",
        "gatherv sends-more 65536",
        "scatterv gets-less 4096",
        "alltoallv others-less 65536",
        "bcast nothing 8",
        "reduce nothing 8",
        "exscan nothing 8",
        "gather nothing 64",
        "allgather nothing 64",
    ):
        job = make(mistake).must_say(r"nearfar\[[01]\] error: MPI_\w+ on MPI_COMM_WORLD, rank")
        job.must(job.code != 0, mistake + " went on")
    # What the MPI refuses is refused by the MPI, which ends the job; messages may be shorter than their receivers
    # expect.
    for mistake in (
        "bcast root-high 8",
        "reduce type 8",
        "alltoallv sends-less 65536",
        "bcast null 4096",
        "allreduce null 8",
        "alltoall null 64",
    ):
        job = make(mistake)
        job.must(job.code != 0, mistake + " went on")
    make("gatherv sends-less 4096").must_end_well()


def late_rank(setup):
    def is_given_up(job):
        job.wait_for(r"^rank [01]: class other, handled 1 times", 2)
        tell("abort")

    def is_waited_for(job):
        job.wait_for("^all others come")
        time.sleep(2 * watchdog_s)
        tell("come")

    def tell(word):
        os.write(end, word.encode())

    watchdog_s = 1
    with tempfile.TemporaryDirectory() as folder:
        pipe = os.path.join(folder, "late")
        os.mkfifo(pipe)
        end = os.open(pipe, os.O_RDWR)
        job = setup.run(3, "preload_errors", "late", pipe, conduct=is_given_up, NEARFAR_WATCHDOG=str(watchdog_s))
        # Whoever waits longest gives up and tells the other, which may just be giving up, too.
        gives_up = rf".*no answer from .*rank 2.* within {watchdog_s}"
        failed = r"nearfar\[[01]\] error: MPI_Allreduce on .*, rank [01]: "
        job.must_say(failed + gives_up).must_say(f"{failed}({gives_up}|a collective call has failed on rank [01]$)", 2)
        job.must("rank 2 was late" not in job.output and job.code != 0, "it went on")
        patient = setup.run(3, "preload_errors", "late", pipe, conduct=is_waited_for).must_end_well()
        patient.must("error: MPI_Allreduce" not in patient.output, "without a watchdog a late rank is waited for")
        patient.must_say("rank 2 was late").must_say("survived")


def dead_rank(setup):
    """Where the launcher lets the others live, they hear of a dead near rank, also without a watchdog."""
    if setup.options.mpi == "mpich":
        sys.exit(SKIP)  # its launcher ends the others at once, whatever it is told
    job = setup.run(2, "preload_errors", "dead", launch_flags="--enable-recovery")
    job.must_say(r"^rank 0: class other", 1).must_say(r"error: MPI_Allreduce on .*, rank 0: ", 1)


def nodes(setup):
    """On nodes that are really separate, by the script that any launcher can start."""
    cluster = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "tools", "cluster")
    script = os.path.join(os.path.dirname(setup.options.library), "nearfar-run")
    program = os.path.join(setup.options.programs, "preload_every_call")
    os.environ["NEARFAR_CLUSTER"] = "preload-" + setup.options.mpi
    up = subprocess.run([cluster, "up", "2"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if up.returncode == SKIP:
        sys.exit(SKIP)
    assert up.returncode == 0, up.stdout
    try:
        for layout in ("2,2", "1,1", "3,1"):
            run = [cluster, "run", "--mpi", setup.options.mpi, "--layout", layout, "--timeout", str(HANG_S), "--"]
            done = subprocess.run(
                [*run, script, "NEARFAR_REPORT=1", program, "12"],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            assert done.returncode == 0 and "every call is right" in done.stdout, done.stdout
            ours = re.search(r"nearfar report: sum of .* calls, ([0-9.]+) % of them", done.stdout)
            assert ours and (layout == "1,1" or float(ours[1]) > 0), done.stdout
    finally:
        subprocess.run([cluster, "down"], stdout=subprocess.DEVNULL)


def full_memory(setup):
    """One line, and plain MPI from then on."""
    engines = {"NEARFAR_PRELOAD_AFTER": "2", "NEARFAR_PRELOAD_ENGINES": "1000"}
    job = setup.run(2, "preload_errors", "full", prefix=small_folder(), **engines, **ELSEWHERE).must_end_well()
    job.must_say("survived").must_have_accelerated("allreduce")
    job.must_say(r"nearfar.*warning: collective calls on .* are left to plain MPI: .*/dev/shm has .* free")


def space_for_the_mpi(setup):
    """Engines leave a part of /dev/shm to the MPI, which would be killed by the first page that it does not get."""
    engines = {"NEARFAR_PRELOAD_AFTER": "2", "NEARFAR_PRELOAD_ENGINES": "1000"}
    job = setup.run(2, "preload_errors", "many", prefix=small_folder(), **engines).must_end_well()
    job.must_say("survived").must_have_accelerated("allreduce")
    job.must_say(r"left to plain MPI: .*/dev/shm has .* free of .*, the last .* of which are left to the MPI")


def memory(setup):
    """MPI_Alloc_mem gives near memory, which peers map at the first call that uses it; switched off, it is the
    MPI's."""
    for ranks in (2, 3):
        job = (
            setup.run(ranks, "preload_memory", "near", NEARFAR_PRELOAD_AFTER="1")
            .must_end_well()
            .must_say("memory is right")
        )
        mapped = [int(count) for count in re.findall(r"maps (-?\d+) pieces more", job.output)]
        job.must(
            len(mapped) == 2 * ranks and all(count >= 2 * (ranks - 1) for count in mapped), f"pieces mapped: {mapped}"
        )
        job.must_have_accelerated("allreduce", "bcast", "alltoall")
    for off in ({"NEARFAR_PRELOAD_ALLOC": "off"}, {"NEARFAR_PRELOAD": "off"}, {"NEARFAR_SHM": "off"}):
        setup.run(2, "preload_memory", "own", **off).must_end_well().must_say("memory is right")


def short_memory(setup):
    """Where there is little shared memory, large requests are the MPI's."""
    job = (
        setup.run(2, "preload_memory", "short", prefix=small_folder(), **ELSEWHERE)
        .must_end_well()
        .must_say("memory is right")
    )
    job.must_have_accelerated("allreduce")


def random_programs(setup):
    """Calls of all kinds on random communicators give what they give plain; random/compare.py tries other seeds."""
    for ranks, first, last, settings in ((2, 1, 12, {}), (3, 13, 18, {"NEARFAR_NODE_SIZE": "2"})):
        program = ("preload_random", str(first), str(last), "100")
        plain = setup.run(ranks, *program, preload=False).must_end_well()
        ours = setup.run(ranks, *program, NEARFAR_PRELOAD_AFTER="1", **settings).must_end_well()
        ours.must_have_accelerated("allreduce")
        lines = [sorted(re.findall(r"seed \d+ rank \d+ digest \w+", job.output)) for job in (plain, ours)]
        plain.must(len(lines[0]) == ranks * (last - first + 1), "a seed is missing")
        ours.must(lines[0] == lines[1], "not what it is plain: %s" % sorted(set(lines[0]) ^ set(lines[1])))


def partly_preloaded(setup):
    """A rank without the library, or with other settings: a clear end, or plain MPI on all ranks, and never a wait for
    ever."""
    with_library = "LD_PRELOAD=" + setup.options.library
    script = 'rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; %s exec "$@"'

    def some_ranks(change, **settings):
        return Job(
            setup,
            2,
            "sh",
            "-c",
            script % change,
            "sh",
            os.path.join(setup.options.programs, "preload_every_call"),
            "9",
            preload=False,
            **settings,
        )

    lonely = some_ranks('[ "$rank" = 0 ] && export %s;' % with_library, NEARFAR_PRELOAD_HANDSHAKE="1")
    lonely.must(lonely.code != 0, "it went on").must("WRONG" not in lonely.output, "it was wrong")
    lonely.must_say(r"error: rank 0 waited 1 s after MPI_Init .*: not all of them do", 1)
    differ = "NEARFAR=off NEARFAR_METHOD=near-lines NEARFAR_PRELOAD_AFTER=7 NEARFAR_PRELOAD_ENGINES=1"
    for setting in f"{differ} NEARFAR_TUNE_AFTER=3 NEARFAR_TUNE_AGAIN=7 NEARFAR_REPRODUCIBLE=on".split():
        name = setting.split("=")[0]
        job = some_ranks(f'export {with_library}; [ "$rank" = 1 ] && export {setting};').must_end_well()
        job.must_say("every call is right").must_say(
            r"warning: collective calls are left to plain MPI: %s is not the same" % name, 1
        )
        job.must(job.accelerated() == 0, "ranks differ, and yet calls were carried out")
    for rank in (0, 1):
        change = f'export {with_library}; [ "$rank" = {rank} ] && export NEARFAR_REPORT=1;'
        job = some_ranks(change, report=False).must_end_well().must_say("every call is right")
        job.must_say("warning: there is no report: NEARFAR_REPORT is not set on all ranks", 1)


def is_scenario(f):
    code = getattr(f, "__code__", None)
    return code is not None and code.co_varnames[: code.co_argcount] == ("setup",)


SCENARIOS = {name: f for name, f in list(globals().items()) if is_scenario(f)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scenario", choices=SCENARIOS)
    for name in ("mpi", "launch", "flags", "library", "shim", "programs"):
        parser.add_argument("--" + name, default="")
    parser.add_argument("--communicators", type=int, default=10000)
    options = parser.parse_args()
    SCENARIOS[options.scenario](Setup(options))
    print(options.scenario + ": as it should be")


if __name__ == "__main__":
    main()
