# SPDX-License-Identifier: BSD-3-Clause
"""How each MPI is launched on the nodes: which mpirun, with which arguments and environment."""
import os
import re
import shutil
import subprocess

from .state import EXIT_SKIP, SUBNET, TMPDIR, TOOLS, die, host_name, path

LAUNCHERS = {"openmpi": ["mpirun.openmpi", "mpirun"], "mpich": ["mpirun.mpich", "mpiexec.hydra", "mpirun"],
             "impi": ["mpiexec.hydra"]}


def candidates(which):
    if "/" in which and os.path.isdir(which):
        return [os.path.join(which, "bin", name) for name in ("mpirun", "mpiexec")]
    if "/" in which:
        return [which]
    return [shutil.which(name) for name in LAUNCHERS.get(which, [which])]


def identify(mpirun):
    """-> (mpirun, family, major version), or None for an unknown MPI"""
    environment = dict(os.environ)
    if os.path.exists(os.path.join(os.path.dirname(mpirun), "impi_info")):
        mpirun = os.path.join(os.path.dirname(mpirun), "mpiexec.hydra")
        environment["I_MPI_ROOT"] = os.path.dirname(os.path.dirname(os.path.realpath(mpirun)))
    text = subprocess.run([mpirun, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=environment).stdout
    match = (re.search(r"\((?:Open ?MPI|OpenRTE)\) (\d+)", text, re.I) or re.search(r"Open MPI\D*(\d+)\.\d", text))
    if match:
        return mpirun, "openmpi", int(match.group(1))
    if "Intel" in text:
        return mpirun, "impi", 2021
    if re.search(r"HYDRA|MPICH", text):
        match = re.search(r"Version:\s*(\d+)", text)
        return mpirun, "mpich", int(match.group(1)) if match else 0
    die("%s: of an unknown MPI:\n%s" % (mpirun, text[:300]), EXIT_SKIP)


def find_mpi(which):
    for candidate in candidates(which):
        if candidate and os.path.exists(candidate):
            return identify(candidate)
    die("MPI '%s' is not installed" % which, EXIT_SKIP)


# ---- which rank on which node ----

def ranks_per_node(options, nodes):
    if options.layout:
        if not re.fullmatch(r"\d+(,\d+)*", options.layout):
            die("'%s' is not a layout: it looks like 3,1,2" % options.layout)
        counts = [int(count) for count in options.layout.split(",")]
        if options.n and options.n != sum(counts):
            die("--layout has %d ranks, -n says %d" % (sum(counts), options.n))
    else:
        each = options.per_node or -(-options.n // nodes)
        counts, left = [], options.n
        while left > 0:
            counts.append(min(each, left))
            left -= counts[-1]
    if len(counts) > nodes:
        die("%d nodes needed, the cluster has %d" % (len(counts), nodes))
    return counts


def placed(counts, mapping):
    """[(node, ranks)] in rank order."""
    if mapping == "block":
        return [(i, count) for i, count in enumerate(counts) if count]
    left, order = list(counts), []
    while any(left):
        for i, count in enumerate(left):
            if count:
                order.append((i, 1))
                left[i] -= 1
    return order


def cyclic_once(order):
    """MPICH goes round a list of hosts again when ranks are left; only such layouts can be had."""
    numbers = [i for i, _ in order]
    hosts = list(dict.fromkeys(numbers))
    if numbers != [hosts[k % len(hosts)] for k in range(len(numbers))]:
        die("MPICH cannot place ranks cyclically over nodes this uneven (use --map block, or Open MPI)", EXIT_SKIP)
    return [(i, 1) for i in hosts]


# ---- settings that make more ranks than cores bearable ----

def yield_shim():
    """Builds the preloaded shim once per cluster; '' if there is no compiler."""
    library = path("nf-yield.so")
    if not os.path.exists(library):
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", "-o", library,
                        os.path.join(TOOLS, "nf-yield.c"), "-ldl"], check=False)
    return library if os.path.exists(library) else ""


def yield_environment(family, major, ranks):
    return {**mpi_yield_environment(family, major), **nearfar_yield_environment(ranks)}


def mpi_yield_environment(family, major):
    if family == "openmpi":
        settings = {"OMPI_MCA_mpi_yield_when_idle": "1"}  # not automatic: each node has "enough" slots
        if major >= 5:
            settings.update({"OMPI_MCA_threads_pthreads_yield_strategy": "nanosleep",
                             "OMPI_MCA_threads_pthreads_nanosleep_time": "1000"})
        return settings
    if family == "mpich" and major >= 5:
        return {"MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1", "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "1"}
    if family == "mpich":  # 4.x has no setting that works
        shim = yield_shim()
        return {"LD_PRELOAD": shim} if shim else {}
    return {}  # Intel MPI yields by itself if a node has more ranks than cores


def nearfar_yield_environment(ranks):
    """Each node believes that it has all the cores."""
    is_short = ranks > len(os.sched_getaffinity(0))
    return {"NEARFAR_SPINS": "0"} if is_short and "NEARFAR_SPINS" not in os.environ else {}


# ---- command lines ----

def openmpi_command(options, mpirun, major, order):
    counts = {}
    for i, count in order:
        counts[i] = counts.get(i, 0) + count
    hosts = ",".join("%s:%d" % (host_name(i), count) for i, count in counts.items())
    network = SUBNET + ".0/24"
    environment = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl_tcp_if_include": network, "OMPI_MCA_orte_tmpdir_base": TMPDIR}
    mapping = "slot" if options.map == "block" else "node"
    command = [mpirun, "--allow-run-as-root", "-np", str(options.n), "--host", hosts, "--bind-to", "none", "--map-by"]
    # Nodes cannot enter each other's PID namespaces, so that daemons are not started as a tree.
    if major < 5:
        command += [mapping, "--oversubscribe", "--mca", "plm_rsh_agent", path("ssh"),
                    "--mca", "plm_rsh_no_tree_spawn", "1", "--mca", "oob_tcp_if_include", network]
        environment["OMPI_MCA_btl"] = "tcp,vader,self"
    else:
        command += [mapping + ":OVERSUBSCRIBE", "--prtemca", "plm", "ssh", "--prtemca", "plm_ssh_agent", path("ssh"),
                    "--prtemca", "plm_ssh_no_tree_spawn", "1", "--prtemca", "prte_if_include", network]
        environment.update({"OMPI_MCA_btl": "tcp,sm,self", "OMPI_MCA_osc": "^ucx"})
    prefix = os.path.dirname(os.path.dirname(mpirun))
    if prefix not in ("/usr", "/usr/local", "/", ""):
        environment["OPAL_PREFIX"] = prefix
    for assignment in options.x:
        command += ["-x", assignment]
    return command, environment


def hydra_command(options, mpirun, family, major, order, latency):
    # Intel's hydra ignores the counts of -hosts, but honours those of a machine file.
    machine_file = path("machines.%d" % os.getpid())
    if family == "mpich" and options.map == "cyclic":  # a host named twice would be two nodes to MPICH
        order = cyclic_once(order)
    with open(machine_file, "w") as file:
        file.writelines("%s:%d\n" % (host_name(i), count) for i, count in order)
    options.temporary.append(machine_file)
    interface = "eth0" if latency else "br0"
    command = [mpirun, "-n", str(options.n), "-machinefile" if family == "impi" else "-f", machine_file,
               "-launcher", "ssh", "-launcher-exec", path("ssh"), "-iface", interface]
    if family == "mpich":
        command += ["-bind-to", "none"] if major >= 4 else []
        environment = {"UCX_NET_DEVICES": "eth0", "UCX_TLS": "tcp,sm,self", "UCX_WARN_UNUSED_ENV_VARS": "n",
                       "FI_TCP_IFACE": "eth0"}
        for assignment in options.x:
            name, _, value = assignment.partition("=")
            command += ["-genv", name, value or os.environ.get(name, "")]
        return command, environment
    root = os.path.dirname(os.path.dirname(os.path.realpath(mpirun)))
    return command, {"I_MPI_ROOT": root, "I_MPI_FABRICS": "shm:ofi", "I_MPI_PIN": "0", "I_MPI_HYDRA_IFACE": interface,
                     "FI_PROVIDER": "tcp", "FI_TCP_IFACE": "eth0", "FI_PROVIDER_PATH": root + "/lib",
                     "LD_LIBRARY_PATH": root + "/lib:" + os.environ.get("LD_LIBRARY_PATH", "")}


def command_for(options, state):
    """-> (command line for the head, environment, number of nodes used); sets options.n"""
    mpirun, family, major = find_mpi(options.mpi)
    counts = ranks_per_node(options, len(state["nodes"]))
    options.n = sum(counts)
    order = placed(counts, options.map)
    if family == "openmpi":
        command, environment = openmpi_command(options, mpirun, major, order)
    else:
        command, environment = hydra_command(options, mpirun, family, major, order, state["latency"])
    environment["TMPDIR"] = TMPDIR
    if not options.spin:
        environment.update(yield_environment(family, major, options.n))
    used = max(i for i, _ in order) + 1
    return command + options.mpi_arg + options.command, environment, used
