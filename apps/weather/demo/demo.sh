#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A weather forecast from real data on two separate nodes of two ranks each: start, run, maps, comparison.
#
#   demo.sh [BUILD [OUT]]
#
# BUILD  tree with the program nearfar-weather (default build/release-openmpi)
# OUT    folder for everything that is made (default out)
#
# The nodes are emulated by tools/cluster (namespaces with a network of their own). Where this machine
# does not allow that, NEARFAR_NODE_SIZE=2 makes two pretend nodes of the four ranks.
#
# NEARFAR_DEMO_NODES=pretend  skips the emulated nodes      NEARFAR_DEMO_HOURS=N  length of the forecast
# NEARFAR_DEMO_TIMEOUT=N      seconds for the run (900)     PYTHON=FILE           Python that has the packages
#
# Exit status: 0 done, 1 a stage failed, 2 wrong arguments or something is missing.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
weather=$root/apps/weather
cluster=$root/tools/cluster
ranks=4
per_node=2
limit_s=${NEARFAR_DEMO_TIMEOUT:-900}
export NEARFAR_CLUSTER=demo$$

case ${1:-} in
  -h | --help)
    sed -n '3,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
    exit 0
    ;;
esac

say() { printf '[%6.1f s] %s\n' "$(elapsed)" "$*"; }
elapsed() { awk -v now="$(date +%s.%N)" -v then="$started" 'BEGIN { print now - then }'; }
stop() { # STATUS MESSAGE...
  local status=$1
  shift
  printf 'demo: error: %s\n' "$*" >&2
  exit "$status"
}

# Ends the forecast and the emulated nodes on every way out, a signal included.
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

find_program() {
  [[ -d $build ]] || stop 2 "the build folder '$build' does not exist; run 'make build' or give another one"
  program=$(find "$build" -type f -name nearfar-weather -perm -u+x -print -quit)
  [[ -n $program ]] || stop 2 "no program nearfar-weather in '$build'; was it configured with NEARFAR_APPS?"
  program=$(realpath "$program")
  mpi=openmpi
  if ldd "$program" 2>/dev/null | grep -q libmpich; then mpi=mpich; fi
}

find_python() {
  local candidate
  for candidate in ${PYTHON:+"$PYTHON"} /usr/bin/python3 python3; do
    if "$candidate" -c 'import numpy, netCDF4, matplotlib' 2>/dev/null; then
      python=$candidate
      return
    fi
  done
  stop 2 "no Python with numpy, netCDF4 and matplotlib found; install the Debian packages python3-numpy," \
    "python3-netcdf4 and python3-matplotlib, or name a Python in the variable PYTHON"
}

prepare() {
  say "start: NCEP analysis of 24 January 2007 12 UTC over real terrain"
  "$python" "$weather/prepare/prepare.py" --output "$out/analysis.nc" || stop 1 "the start could not be prepared"
  cp "$here/forecast.nml" "$out/forecast.nml"
  if [[ -n ${NEARFAR_DEMO_HOURS:-} ]]; then
    [[ $NEARFAR_DEMO_HOURS =~ ^[0-9]+([.][0-9]+)?$ ]] ||
      stop 2 "NEARFAR_DEMO_HOURS='$NEARFAR_DEMO_HOURS' is no number of hours"
    sed -i "s/^\( *timmax *= *\)[0-9.]*/\1$NEARFAR_DEMO_HOURS/" "$out/forecast.nml"
  fi
}

# Sets nodes to what the forecast will run on.
bring_up_nodes() {
  nodes=pretend
  if [[ ${NEARFAR_DEMO_NODES:-} == pretend ]]; then
    say "nodes: $((ranks / per_node)) pretend nodes, as asked"
    return
  fi
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
      say "nodes: this machine allows no namespaces, so $((ranks / per_node)) pretend nodes ($(tail -n 1 "$out/cluster.log"))"
      ;;
    *)
      cat "$out/cluster.log" >&2
      stop 1 "the emulated nodes did not come up (status $status)"
      ;;
  esac
}

# The two ways to run replace the background shell that calls them, so that a signal reaches the launcher.
run_on_emulated() {
  # shellcheck disable=SC2016  # the inner shell expands these
  exec "$cluster" run -n $ranks --per-node $per_node --mpi $mpi --timeout "$limit_s" -- \
    sh -c 'cd "$0" && exec "$1" forecast.nml' "$out" "$program"
}

run_on_pretend() {
  local launcher=(mpiexec."$mpi") options=()
  command -v "${launcher[0]}" >/dev/null || launcher=(mpiexec)
  if [[ $mpi == openmpi ]]; then
    options=(--oversubscribe)
    if [[ $(id -u) == 0 ]]; then options+=(--allow-run-as-root); fi
    if (($(nproc) < ranks)); then options+=(--mca mpi_yield_when_idle 1); fi
  fi
  cd "$out"
  NEARFAR_NODE_SIZE=$per_node exec timeout "$limit_s" "${launcher[@]}" "${options[@]}" -n $ranks "$program" forecast.nml
}

forecast() {
  local status=0
  rm -f "$out/forecast.nc" "$out/compare.md" "$out/compare.json"
  say "forecast: $ranks ranks, $per_node to a node; the log is kept in $out/forecast.log"
  local log tee
  exec {log}> >(exec tee "$out/forecast.log")
  tee=$!
  "run_on_$nodes" >&"$log" 2>&1 &
  running=$!
  exec {log}>&-
  wait "$running" || status=$?
  running=
  if ((status == 0)); then wait "$tee" || true; fi # all lines of the log are out before the next stage speaks
  if ((status == 124)); then
    stop 1 "the forecast did not end within $limit_s s (NEARFAR_DEMO_TIMEOUT sets the limit)"
  elif ((status != 0)); then
    stop 1 "the forecast ended with status $status; see $out/forecast.log"
  fi
  [[ -s $out/forecast.nc ]] || stop 1 "the forecast ended without its output $out/forecast.nc"
}

maps() {
  say "maps"
  "$python" "$weather/maps/maps.py" "$out/forecast.nc" --output "$out/maps" >/dev/null || stop 1 "no maps were drawn"
}

summary() {
  say "done"
  printf '\n'
  printf '  %-46s %s\n' "$out/maps/forecast.png" "the forecast in one picture" \
    "$out/maps/" "single maps, cross section, start against end" \
    "$out/forecast.nc" "the forecast: NetCDF-4, CF conventions" \
    "$out/analysis.nc" "what it started from"
  if [[ -s $out/compare.md ]]; then
    printf '  %-46s %s\n\n' "$out/compare.md" "the ways to exchange ghost zones, compared:"
    cat "$out/compare.md"
  fi
}

main() {
  (($# <= 2)) || stop 2 "at most two arguments, BUILD and OUT; '$3' is too many"
  started=$(date +%s.%N)
  build=${1:-$root/build/release-openmpi}
  mkdir -p "${2:-$root/out}" 2>/dev/null || stop 2 "the folder '${2:-$root/out}' cannot be made"
  out=$(realpath "${2:-$root/out}")
  find_program
  find_python
  prepare
  bring_up_nodes
  forecast
  leave
  maps
  summary
}

main "$@"
