# SPDX-License-Identifier: BSD-3-Clause
# What demonstrations of the applications share; sourced by them. They set: root (of the sources), name (of the command,
# for messages), ranks, per_node and limit_s before they call these functions.
cluster=$root/tools/cluster
export NEARFAR_CLUSTER=$name$$
started=$(date +%s.%N)

# The comment at the head of the calling script.
usage() { sed -n '3,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; }
say() { printf '[%6.1f s] %s\n' "$(elapsed)" "$*"; }
elapsed() { awk -v now="$(date +%s.%N)" -v then="$started" 'BEGIN { print now - then }'; }
stop() { # STATUS MESSAGE...
  local status=$1
  shift
  printf '%s: error: %s\n' "$name" "$*" >&2
  exit "$status"
}

# Ends the run and the emulated nodes on every way out, a signal included.
up=no
running=
leave() {
  if [[ -n $running ]]; then
    kill "$running" 2>/dev/null || true
    running=
  fi
  if [[ $up == yes ]]; then
    "$cluster" down >/dev/null 2>&1 || true
    up=no
  fi
}
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Sets build and out from the command's two arguments.
folders() { # DEFAULT_OUT [BUILD [OUT]]
  local default=$1
  shift
  (($# <= 2)) || stop 2 "at most two arguments, BUILD and OUT; '$3' is too many"
  build=${1:-$root/build/release-openmpi}
  mkdir -p "${2:-$default}" 2>/dev/null || stop 2 "the folder '${2:-$default}' cannot be made"
  out=$(realpath "${2:-$default}")
}

# Sets program to that of the build, and mpi to what it was built with.
find_program() { # NAME
  [[ -d $build ]] ||
    stop 2 "the build folder '$build' does not exist; run 'make build PRESET=release-openmpi' or give another one"
  program=$(find "$build" -type f -name "$1" -perm -u+x -print -quit)
  [[ -n $program ]] || stop 2 "no program $1 in '$build'; was it configured with NEARFAR_APPS?"
  program=$(realpath "$program")
  mpi=openmpi
  if ldd "$program" 2>/dev/null | grep -q libmpich; then mpi=mpich; fi
}

# Sets python to one that has these modules.
find_python() { # MODULE...
  local candidate modules
  modules=$(printf '%s, ' "$@")
  for candidate in ${PYTHON:+"$PYTHON"} /usr/bin/python3 python3; do
    if "$candidate" -c "import ${modules%, }" 2>/dev/null; then
      python=$candidate
      return
    fi
  done
  stop 2 "no Python with ${modules%, } found;" \
    "install Debian's packages of these ($(printf 'python3-%s ' "${@,,}")) or" \
    "name a Python in the variable PYTHON"
}

# Sets nodes to what the program will run on.
bring_up_nodes() {
  nodes=pretend
  local status=0
  up=yes
  "$cluster" up $((ranks / per_node)) --shm 512m >"$out/cluster.log" 2>&1 || status=$?
  case $status in
    0)
      nodes=emulated
      say "nodes: $((ranks / per_node)) emulated nodes with a network between them"
      ;;
    77)
      up=no
      say "nodes: this machine allows no namespaces," \
        "so $((ranks / per_node)) pretend nodes ($(tail -n 1 "$out/cluster.log"))"
      ;;
    *)
      cat "$out/cluster.log" >&2
      stop 1 "the emulated nodes did not come up (status $status)"
      ;;
  esac
}

# The ways to run replace the background shell that calls them, so that a signal reaches the launcher.
run_on_emulated() {
  # shellcheck disable=SC2016  # the inner shell expands these
  exec "$cluster" run -n "$ranks" --per-node "$per_node" --mpi "$mpi" --timeout "$limit_s" -- \
    sh -c 'cd "$0" && exec "$@"' "$out" "$program" "$@"
}

run_on_pretend() {
  export NEARFAR_NODE_SIZE=$per_node
  run_on_one "$@"
}

run_on_one() {
  local launcher=(mpiexec."$mpi") options=()
  command -v "${launcher[0]}" >/dev/null || launcher=(mpiexec)
  if [[ $mpi == openmpi ]]; then
    options=(--oversubscribe)
    if [[ $(id -u) == 0 ]]; then options+=(--allow-run-as-root); fi
    if (($(nproc) < ranks)); then options+=(--mca mpi_yield_when_idle 1); fi
  fi
  cd "$out"
  exec timeout "$limit_s" "${launcher[@]}" "${options[@]}" -n "$ranks" "$program" "$@"
}

# Runs the program with these arguments in the folder out, and shows what it says; returns its status.
run_program() { # LOG ARGUMENT...
  local status=0 log tee
  exec {log}> >(exec tee "$1")
  tee=$!
  "run_on_$nodes" "${@:2}" >&"$log" 2>&1 &
  running=$!
  exec {log}>&-
  wait "$running" || status=$?
  running=
  if ((status == 0)); then wait "$tee" || true; fi # all lines of the log are out before the next stage speaks
  if ((status == 124)); then
    stop 1 "the run did not end within $limit_s s (the time limit can be set: $name.sh --help)"
  elif ((status != 0)); then
    stop 1 "the run ended with status $status; see $1"
  fi
}
