#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A ball of heat through a cube on two separate nodes of two ranks each: run, verification, pictures.
#
#   demo.sh [BUILD [OUT]]
#
# BUILD  tree with the program nearfar-adaptive-heat (default build/release-openmpi)
# OUT    folder for everything that is made, about 400 MB (default out/heat)
#
# The nodes are emulated by tools/cluster (namespaces with a network of their own). Where this machine
# does not allow that, NEARFAR_NODE_SIZE=2 makes two pretend nodes of the four ranks.
#
# NEARFAR_DEMO_NODES=pretend  skips the emulated nodes      NEARFAR_DEMO_CLASS=S|W|A|B  the problem (A)
# NEARFAR_DEMO_TIMEOUT=N      seconds for the run (600)     PYTHON=FILE                 Python that has the packages
#
# Exit status: 0 done, 1 a stage failed, 2 wrong arguments or something is missing.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
name=demo
ranks=4
per_node=2
limit_s=${NEARFAR_DEMO_TIMEOUT:-600}
class=${NEARFAR_DEMO_CLASS:-A}
source "$root/tools/demo_parts.sh"

run() {
  say "run: class $class, $ranks ranks, $per_node to a node; the log is kept in $out/heat.log"
  rm -f "$out"/heat*.vtkhdf "$out"/heat.journal "$out"/heat.vtkhdf.series "$out"/heat.json
  run_program "$out/heat.log" "--class=$class" --output=heat.vtkhdf --output-every=10 --json=heat.json
  [[ -s $out/heat.vtkhdf ]] || stop 1 "the run ended without its output $out/heat.vtkhdf"
}

pictures() {
  say "pictures"
  "$python" "$root/apps/adaptive-heat/pictures/pictures.py" "$out/heat.vtkhdf" --output "$out" ||
    stop 1 "no pictures were drawn"
}

summary() {
  say "done"
  printf '\n'
  printf '  %-46s %s\n' "$out/heat.png" "levels of the mesh, ranks, temperature" \
    "$out/frames.png" "the ball on its method" \
    "$out/heat.gif" "the whole method" \
    "$out/heat.json" "times, sizes, traffic" \
    "$out/heat.vtkhdf" "mesh and temperature for ParaView (with the other heat.*.vtkhdf)"
}

main() {
  case ${1:-} in -h | --help) usage && exit 0 ;; esac
  folders "$root/out/heat" "$@"
  find_program nearfar-adaptive-heat
  find_python numpy h5py matplotlib
  nodes=pretend
  if [[ ${NEARFAR_DEMO_NODES:-} == pretend ]]; then
    say "nodes: $((ranks / per_node)) pretend nodes, as asked"
  else
    bring_up_nodes
  fi
  run
  leave
  pictures
  summary
}

main "$@"
