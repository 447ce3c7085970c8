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
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
name=demo
namelist=forecast.nml
ranks=4
per_node=2
limit_s=${NEARFAR_DEMO_TIMEOUT:-900}
hours=${NEARFAR_DEMO_HOURS:-}
source "$root/apps/weather/demo/parts.sh"

main() {
  case ${1:-} in -h | --help) usage && exit 0 ;; esac
  folders "$root/out" "$@"
  find_program nearfar-weather
  find_python numpy netCDF4 matplotlib
  prepare
  nodes=pretend
  if [[ ${NEARFAR_DEMO_NODES:-} == pretend ]]; then
    say "nodes: $((ranks / per_node)) pretend nodes, as asked"
  else
    bring_up_nodes
  fi
  forecast
  leave
  maps
  summary
  if [[ -s $out/compare.md ]]; then
    printf '  %-46s %s\n\n' "$out/compare.md" "the ways to exchange ghost zones, compared:"
    cat "$out/compare.md"
  fi
}

main "$@"
