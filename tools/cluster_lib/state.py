# SPDX-License-Identifier: BSD-3-Clause
"""What is known about a running cluster: its state file, its processes, and how to enter a node."""
import contextlib
import json
import os
import signal
import subprocess
import sys

SUBNET = "10.98.0"
HEAD_IP = SUBNET + ".254"
NAME = os.environ.get("NEARFAR_CLUSTER", "nf")
TOOLS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
ROOTLESS = os.geteuid() != 0
RUNTIME = os.environ.get("XDG_RUNTIME_DIR") or "/tmp" if ROOTLESS else "/run"
STATE = os.path.join(RUNTIME, "nearfar-cluster-%s-%d" % (NAME, os.geteuid()))
TMPDIR = os.path.join(STATE, "mnt")     # the mount point of each node's own temporary files

EXIT_SKIP = 77          # this machine cannot do it: tests should skip
EXIT_NO_MARKER = 97
EXIT_DEAD_NODE = 98
EXIT_LEAK = 99
EXIT_TIMEOUT = 124


def die(message, code=1):
    sys.stderr.write("cluster: %s\n" % message)
    sys.exit(code)


def path(name):
    return os.path.join(STATE, name)


def load():
    """The state of the cluster, or None if there is none."""
    try:
        with open(path("state.json")) as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def save(state):
    with open(path("state.json.tmp"), "w") as file:
        json.dump(state, file, indent=1)
    os.replace(path("state.json.tmp"), path("state.json"))


def need():
    """The state of a cluster that is up."""
    state = load()
    if not state or not alive(state["head"]):
        die("no cluster '%s' is up (run: cluster up N)" % NAME)
    return state


def log_tail():
    with open(path("log")) as file:
        return file.read().strip()[-500:]


def host_name(i):
    return "%s%d" % (NAME, i)


def address(i):
    return "%s.%d" % (SUBNET, i + 1)


def node_number(state, text):
    """'1' or 'nf1' -> 1"""
    text = str(text)
    digits = text[len(NAME):] if text.startswith(NAME) else text
    if not digits.isdigit() or int(digits) >= len(state["nodes"]):
        die("no node '%s' (there are %d, from 0)" % (text, len(state["nodes"])))
    return int(digits)


# ---- processes: a process id may be used again, so that a start time goes with it ----

def start_time(pid):
    """Start time of a process that lives, else None."""
    try:
        with open("/proc/%d/stat" % pid) as file:
            fields = file.read().rpartition(")")[2].split()
        return None if fields[0] in "ZX" else int(fields[19])
    except (OSError, IndexError):
        return None


def alive(process):
    return bool(process) and bool(process.get("pid")) and start_time(process["pid"]) == process["start"]


def kill(process):
    if not process:
        return
    for pid, start in ((process["pid"], process["start"]), (process.get("outer"), process.get("outer_start"))):
        if pid and start is not None and start_time(pid) == start:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)


def in_network_of(process):
    """Process ids, as this machine counts them, that live in the network namespace of `process`."""
    try:
        wanted = os.readlink("/proc/%d/ns/net" % process["pid"])
    except OSError:
        return []
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) not in (process["pid"], process.get("outer")):
            with contextlib.suppress(OSError):
                if os.readlink("/proc/%s/ns/net" % entry) == wanted:
                    found.append(int(entry))
    return found


# ---- entering a node ----

IN_CWD = 'cd "$NF_CWD" 2>/dev/null; unset NF_CWD; exec "$@"'


def enter(node, *command):
    """The command line that runs `command` inside a node's namespaces."""
    line = ["nsenter", "-t", str(node["pid"]), "-n", "-u", "-i", "-m"]
    if ROOTLESS:
        line += ["-U", "--preserve-credentials"]
    if node.get("pidns"):
        line += ["-p"]
    return line + ["--"] + list(command)


def enter_here(node, command):
    """The same in this directory; the environment must hold NF_CWD."""
    return enter(node, "sh", "-c", IN_CWD, "sh", *command)


def shell(node, script, check=True):
    result = subprocess.run(enter(node, "sh", "-ec", script), stdin=subprocess.DEVNULL, capture_output=True,
                            text=True)
    if check and result.returncode:
        raise RuntimeError("in %s: %s\n%s" % (node["name"], result.stderr.strip(), script))
    return result.stdout
