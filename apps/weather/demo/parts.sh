# SPDX-License-Identifier: BSD-3-Clause
# What demo.sh and forecast.sh share; sourced by them. They set: name (of the command, for messages), namelist,
# ranks, per_node, limit_s and hours (empty: as in the namelist) before they call these functions.
weather=$root/apps/weather
cluster=$root/tools/cluster
export NEARFAR_CLUSTER=$name$$
started=$(date +%s.%N)
maps_options=()

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

# The start, and the namelist with the length that was asked for.
prepare() {
  say "start: NCEP analysis of 24 January 2007 12 UTC over real terrain"
  "$python" "$weather/prepare/prepare.py" --output "$out/analysis.nc" || stop 1 "the start could not be prepared"
  cp "$weather/demo/$namelist" "$out/forecast.nml"
  if [[ -n $hours ]]; then
    [[ $hours =~ ^[0-9]+([.][0-9]+)?$ ]] || stop 2 "'$hours' is no number of hours"
    sed -i "s/^\( *timmax *= *\)[0-9.]*/\1$hours/" "$out/forecast.nml"
  fi
}

# Sets nodes to what the forecast will run on.
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
      say "nodes: this machine allows no namespaces, so $((ranks / per_node)) pretend nodes ($(tail -n 1 "$out/cluster.log"))"
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
    sh -c 'cd "$0" && exec "$1" forecast.nml' "$out" "$program"
}

run_on_pretend() {
  export NEARFAR_NODE_SIZE=$per_node
  run_on_one
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
  exec timeout "$limit_s" "${launcher[@]}" "${options[@]}" -n "$ranks" "$program" forecast.nml
}

forecast() {
  local status=0
  rm -f "$out"/forecast.nc "$out"/forecast.stations.nc "$out"/compare.md "$out"/compare.json
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
    stop 1 "the forecast did not end within $limit_s s (the time limit can be set: $name.sh --help)"
  elif ((status != 0)); then
    stop 1 "the forecast ended with status $status; see $out/forecast.log"
  fi
  [[ -s $out/forecast.nc ]] || stop 1 "the forecast ended without its output $out/forecast.nc"
}

maps() {
  say "maps"
  "$python" "$weather/maps/maps.py" "$out/forecast.nc" --analysis "$out/analysis.nc" --output "$out/maps" \
    "${maps_options[@]}" >/dev/null || stop 1 "no maps were drawn"
}

summary() {
  say "done"
  printf '\n'
  printf '  %-46s %s\n' "$out/maps/forecast.png" "the forecast in one picture"
  if [[ -s $out/maps/meteogram.png ]]; then
    printf '  %-46s %s\n' "$out/maps/meteogram.png" "temperature, wind, pressure and rain at stations"
  fi
  printf '  %-46s %s\n' "$out/maps/" "single maps: rain, pressure levels, cross section, start against end" \
    "$out/forecast.nc" "the forecast: NetCDF-4, CF conventions" \
    "$out/analysis.nc" "what it started from"
}
