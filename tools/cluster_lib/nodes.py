# SPDX-License-Identifier: BSD-3-Clause
"""Making nodes and their network, breaking them on purpose, and taking them away."""
import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import time

from .state import (EXIT_SKIP, HEAD_IP, NAME, ROOTLESS, STATE, TMPDIR, TOOLS, address, alive, die, host_name,
                    in_network_of, kill, load, log_tail, need, node_number, path, save, shell, start_time)

MAX_NODES = 250
PORT_FORWARDING, PORT_DISABLED = 3, 0

FALLBACK = """\
  Without namespaces, still possible on one node:
  - any MPI:  NEARFAR_NODE_SIZE=K splits the ranks into pretend nodes of K
  - MPICH:    mpiexec -launcher fork -hosts a:2,b:2 -n 4 PROG   (2 virtual nodes, no privilege needed)"""

# PID 1 of a node: sets up the mounts, tells that it is ready, then reaps orphans.
INIT = r'''
set -e
hostname "$1"
mount --make-rprivate /
mount -t tmpfs -o mode=1777,$2 nfshm /dev/shm
mount -t sysfs -o ro nfsys /sys 2>/dev/null || :
mkdir -p "$3/mnt" && mount -t tmpfs -o mode=1777 nftmp "$3/mnt"
[ -s "$3/hosts" ] && mount --bind "$3/hosts" /etc/hosts
ip link set lo up
{ echo cubic || echo reno; } 2>/dev/null > /proc/sys/net/ipv4/tcp_congestion_control || :
trap 'exit 0' TERM
echo ready
exec </dev/null >/dev/null 2>&1
while :; do sleep 86400 & wait $! || :; done
'''

# The 'ssh' that launchers are given: SSH [options] HOST COMMAND...
SSH_HEAD = """\
#!/bin/sh
# stands in for ssh: enters a node's namespaces
while :; do case $1 in -[bcDEeFIiJLlmOopQRSWw]) shift 2;; -*) shift;; *) break;; esac; done
host=${1#*@}; shift
case $host in
"""
SSH_TAIL = """\
*) echo "cluster: no node '$host'" >&2; exit 255;;
esac
[ -d /proc/$p ] || { echo "cluster: node $host is down" >&2; exit 255; }
export TMPDIR=%s NF_CWD="$PWD"
exec ${c:+taskset -c $c} nsenter -t $p -n -u -i -m -p -- sh -c 'cd "$NF_CWD" 2>/dev/null; unset NF_CWD; eval "$*"' sh "$@"
"""


def microseconds(text):
    """'50us' -> 50.0"""
    if not text:
        return 0
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(us|ms|s)?", text)
    if not match:
        die("'%s' is not a time: it looks like 50us or 1ms" % text)
    return float(match.group(1)) * {"us": 1, None: 1, "ms": 1e3, "s": 1e6}[match.group(2)]


def megabits(rate):
    """'1gbit' -> 1000.0"""
    match = re.fullmatch(r"([\d.]+)([kmg]?)bit", rate or "0mbit")
    return float(match.group(1)) * {"": 1e-6, "k": 1e-3, "m": 1, "g": 1e3}[match.group(2)]


def check_machine():
    for tool in ("unshare", "nsenter", "ip", "mount", "bash"):
        if not shutil.which(tool):
            die("'%s' is missing (Debian: apt-get install util-linux iproute2)\n%s" % (tool, FALLBACK), EXIT_SKIP)
    probe = ["unshare", "--net", "--uts", "--ipc", "--mount", "--pid", "--fork", "--mount-proc"]
    if ROOTLESS:
        probe += ["--user", "--map-root-user"]
    result = subprocess.run(probe + ["true"], stderr=subprocess.PIPE, text=True)
    if result.returncode:
        who = "not root" if ROOTLESS else "root, but without CAP_SYS_ADMIN,"
        die("%s and this machine does not allow it new namespaces (%s)\n%s" % (who, result.stderr.strip(), FALLBACK),
            EXIT_SKIP)


def holder(name, shm, pidns, parent=None):
    """Starts a process that holds new namespaces open."""
    command = []
    if parent:  # rootless: a child of the head's user namespace
        command += ["nsenter", "-t", str(parent["pid"]), "-U", "--preserve-credentials", "--"]
    command += ["unshare", "--net", "--uts", "--ipc", "--mount"]
    if ROOTLESS and not parent:
        command += ["--user", "--map-root-user"]
    if pidns:
        command += ["--pid", "--fork", "--mount-proc", "--kill-child"]
    command += ["--", "bash", "-c", INIT, "nf-init-" + name, name, "size=" + shm, STATE]
    environment = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "LANG")}
    with open(path("log"), "a") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True,
                                   start_new_session=True, env=environment)
    if process.stdout.readline().strip() != "ready":
        process.kill()
        raise RuntimeError("cannot make the namespaces of %s: %s" % (name, log_tail()))
    pid = process.pid
    if pidns:  # the namespace's init is unshare's only child
        with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
            pid = int(file.read().split()[0])
    return {"name": name, "pid": pid, "start": start_time(pid), "outer": process.pid,
            "outer_start": start_time(process.pid), "pidns": pidns}


def node_holder(state, i):
    return holder(host_name(i), state["shm"], True, state["head"] if ROOTLESS else None)


# ---- the network: a bridge in the head's namespace, or the relay where latency is wanted ----

def bucket(device, rate):
    # The burst must hold one 64 KiB GSO frame; a deep queue, as a NIC has, drops nothing.
    return "tc qdisc replace dev %s root tbf rate %s burst 70kb limit 8mb\n" % (device, rate) if rate else ""


def add_address(node, ip, mtu):
    shell(node, "ip addr add %s/24 dev eth0\nip link set eth0 mtu %d up" % (ip, mtu))


def make_bridge(state):
    shell(state["head"],
          "ip link add br0 mtu %d type bridge stp_state 0 forward_delay 0 mcast_snooping 0\n"
          "ip addr add %s/24 dev br0\nip link set br0 up\n" % (state["mtu"], HEAD_IP))


def plug(state, i):
    """Wires node i to the bridge."""
    node, mtu = state["nodes"][i], state["mtu"]
    shell(state["head"],
          "ip link add p%d mtu %d type veth peer name eth0 address 02:6e:66:00:00:%02x mtu %d netns /proc/%d/ns/net\n"
          "ip link set p%d master br0 up\n" % (i, mtu, i, mtu, node["pid"], i) + bucket("p%d" % i, state["rate"]))
    add_address(node, address(i), mtu)
    if state["rate"]:
        shell(node, bucket("eth0", state["rate"]))


def start_relay(state):
    """The user-space switch, since many kernels lack netem."""
    if not os.path.exists("/dev/net/tun"):
        raise RuntimeError("--latency needs /dev/net/tun")
    compiled = subprocess.run([os.environ.get("CC", "cc"), "-O2", "-o", path("nf-relay"),
                               os.path.join(TOOLS, "nf-relay.c")], stderr=subprocess.PIPE, text=True)
    if compiled.returncode:
        raise RuntimeError("cannot compile nf-relay.c:\n" + compiled.stderr)
    command = [path("nf-relay"), path("relay.sock"), str(state["latency"]), str(megabits(state["rate"]))]
    command += [str(node["pid"]) for node in state["nodes"] + [state["head"]]]
    if ROOTLESS:
        command = ["nsenter", "-t", str(state["head"]["pid"]), "-U", "--preserve-credentials", "--"] + command
    with open(path("log"), "a") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                                   start_new_session=True, text=True)
    if process.stdout.readline().strip() != "ready":
        raise RuntimeError(log_tail())
    state["relay"] = {"name": "relay", "pid": process.pid, "start": start_time(process.pid)}


def tell_relay(message):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as control:
        control.connect(path("relay.sock"))
        control.send(message.encode())


def set_link(state, i, on):
    if state["latency"]:
        tell_relay("%s %d" % ("heal" if on else "cut", i))
    else:
        # On the switch's side: the node keeps its address and sees silence, as with a dead cable.
        # A port taken down would tell the node 'no carrier', so it is blocked instead.
        shell(state["head"], "bridge link set dev p%d state %d" % (i, PORT_FORWARDING if on else PORT_DISABLED))
    if on and i in state["cut"]:
        # Whoever still looks for the address of the other side would soon give up, and tell new connections so:
        # "No route to host".
        for node, device in [(state["head"], "br0"), *((node, "eth0") for node in state["nodes"] if alive(node))]:
            shell(node, "ip neigh flush dev %s || :" % device, check=False)
    state["cut"] = sorted(set(state["cut"]) - {i} | (set() if on else {i}))
    save(state)


def processors_of(state, i):
    """The i-th part of the processors that this program may use, as taskset wants it; '' where nodes share them all."""
    if not state["own_processors"]:
        return ""
    usable, count = sorted(os.sched_getaffinity(0)), len(state["nodes"])
    each = max(1, len(usable) // count)
    first = i * each % len(usable)
    return ",".join(str(processor) for processor in usable[first:first + each])


def write_ssh(state):
    cases = "".join("%s|%s) p=%d c=%s;;\n" % (host_name(i), address(i), node["pid"], processors_of(state, i))
                    for i, node in enumerate(state["nodes"]))
    with open(path("ssh.tmp"), "w") as file:
        file.write(SSH_HEAD + cases + SSH_TAIL % TMPDIR)
    os.chmod(path("ssh.tmp"), 0o755)
    os.replace(path("ssh.tmp"), path("ssh"))


def write_hosts(count):
    with open(path("hosts"), "w") as file:
        file.write("127.0.0.1 localhost\n%s head\n" % HEAD_IP)
        file.writelines("%s %s\n" % (address(i), host_name(i)) for i in range(count))


# ---- commands ----

def is_as_wanted(state, count, wanted):
    return (len(state["nodes"]) == count and all(state.get(key) == value for key, value in wanted.items())
            and all(alive(node) for node in state["nodes"]))


def build(state, count):
    state["head"] = holder("head", "1g", False)
    save(state)
    if not state["latency"]:
        make_bridge(state)
    for i in range(count):
        state["nodes"].append(node_holder(state, i))
        save(state)
    write_ssh(state)
    if state["latency"]:
        start_relay(state)
        for i, node in enumerate(state["nodes"]):
            add_address(node, address(i), state["mtu"])
        add_address(state["head"], HEAD_IP, state["mtu"])
    else:
        for i in range(count):
            plug(state, i)
    save(state)


def up(options):
    count = options.N
    if not 1 <= count <= MAX_NODES:
        die("the number of nodes must be 1..%d" % MAX_NODES)
    if options.rate and not re.fullmatch(r"\d+(\.\d+)?[kmg]?bit", options.rate):
        die("'%s' is not a rate: it looks like 1gbit, 100mbit, 2500mbit" % options.rate)
    wanted = {"rate": options.rate, "latency": microseconds(options.latency), "mtu": options.mtu, "shm": options.shm,
              "own_processors": options.own_processors}
    state = load()
    if state and alive(state["head"]):
        if is_as_wanted(state, count, wanted):
            for i in range(count):
                set_link(state, i, True)
            print("cluster '%s' is already up: %d nodes" % (NAME, count))
            return
        tear_down(state)
    check_machine()
    shutil.rmtree(STATE, ignore_errors=True)
    os.makedirs(TMPDIR, mode=0o755)
    write_hosts(count)
    state = dict(wanted, name=NAME, nodes=[], head=None, relay=None, cut=[])
    try:
        build(state, count)
    except (RuntimeError, OSError) as error:
        tear_down(state)
        die("up failed: %s" % error)
    print("cluster '%s' up: %d nodes %s..%s, %s-%d%s%s" % (
        NAME, count, host_name(0), host_name(count - 1), address(0), count,
        ", rate " + options.rate if options.rate else "",
        ", latency %gus" % wanted["latency"] if wanted["latency"] else ""))


def tear_down(state):
    if state:
        everything = [p for p in state.get("nodes", []) + [state.get("head"), state.get("relay")] if p]
        for node in state.get("nodes", []):
            kill(node)
        if alive(state.get("head")):
            for pid in in_network_of(state["head"]):
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
        kill(state.get("relay"))
        kill(state.get("head"))
        for _ in range(1000):  # wait until they are gone
            if not any(alive(process) for process in everything):
                break
            time.sleep(0.02)
    shutil.rmtree(STATE, ignore_errors=True)


def down(_):
    tear_down(load())
    print("cluster '%s' is down" % NAME)


def cut(options):
    state = need()
    set_link(state, node_number(state, options.node), False)


def heal(options):
    state = need()
    set_link(state, node_number(state, options.node), True)


def kill_node(options):
    state = need()
    i = node_number(state, options.node)
    if alive(state["nodes"][i]):
        if not options.rst:
            set_link(state, i, False)
        kill(state["nodes"][i])


def boot(options):
    state = need()
    i = node_number(state, options.node)
    if alive(state["nodes"][i]):
        print("node %d is already up" % i)
        return
    try:
        state["nodes"][i] = node_holder(state, i)
        state["cut"] = [c for c in state["cut"] if c != i]
        if state["latency"]:
            tell_relay("plug %d %d" % (i, state["nodes"][i]["pid"]))
            for _ in range(1000):
                if "eth0" in shell(state["nodes"][i], "ip -br link"):
                    break
                time.sleep(0.02)
            add_address(state["nodes"][i], address(i), state["mtu"])
        else:
            shell(state["head"], "ip link del p%d 2>/dev/null || :" % i)
            plug(state, i)
    except (RuntimeError, OSError) as error:
        die("boot failed: %s" % error)
    save(state)
    write_ssh(state)


def status(_):
    state = load()
    if not state or not alive(state["head"]):
        print("down")
        raise SystemExit(1)
    for i, node in enumerate(state["nodes"]):
        print("%s %s %s%s" % (node["name"], address(i), "up" if alive(node) else "dead",
                              " cut" if i in state["cut"] else ""))
