#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A shot over a body of salt in tilted layers: run, pictures, and a table of the methods to write snapshots.
#
#   demo.sh [BUILD [OUT]]
#
# BUILD  tree with the program nearfar-seismic (default build/release-openmpi)
# OUT    folder for everything that is made, about 220 MB (default out/seismic)
#
# One rank with a thread per core does the shot. The table is of a shorter one, whose disk is throttled so that writing
# a snapshot takes six tenths of what computing to the next one takes.
#
# NEARFAR_DEMO_TABLE=no   leaves the table out          NEARFAR_DEMO_SETTINGS=FILE  another shot
# NEARFAR_DEMO_TIMEOUT=N  seconds for each run (600)    PYTHON=FILE                 Python that has the packages
#
# Exit status: 0 done, 1 a stage failed, 2 wrong arguments or something is missing.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
name=demo
nodes=alone
limit_s=${NEARFAR_DEMO_TIMEOUT:-600}
shot=$(realpath "${NEARFAR_DEMO_SETTINGS:-$root/apps/seismic/settings/demo.toml}")
source "$root/tools/demo_parts.sh"

# A single rank needs no launcher, which would bind it to one core.
run_on_alone() {
  cd "$out"
  OMPI_MCA_ess_singleton_isolated=1 OMP_NUM_THREADS=$(nproc) exec timeout "$limit_s" "$program" "$@"
}

ground() {
  say "ground: generated, written as files"
  rm -f "$out"/ground_*.rsf* "$out"/demo.*
  run_program "$out/ground.log" "$shot" --write-model=ground
}

run() {
  say "run: 1 rank, $(nproc) threads; the log is kept in $out/demo.log"
  run_program "$out/demo.log" "$shot"
  [[ -s $out/demo.p.rsf && -s $out/demo.sgy ]] || stop 1 "the run ended without $out/demo.p.rsf or $out/demo.sgy"
}

pictures() {
  say "pictures"
  "$python" "$root/apps/seismic/pictures/pictures.py" "$out/demo.p.rsf" "$out/ground" "$out/demo.sgy" --output "$out" ||
    stop 1 "no pictures were drawn"
}

table() {
  say "methods to write snapshots: the same short shot in several runs"
  PROGRAM=$program MPI=$mpi "$python" "$root/apps/seismic/demo/methods.py" --settings "$shot" --output "$out" ||
    stop 1 "there is no table"
}

summary() {
  say "done"
  printf '\n'
  printf '  %-46s %s\n' "$out/seismic.png" "the ground, waves over it, the gather" \
    "$out/gather.png" "the gather, larger" \
    "$out/seismic.gif" "the whole method" \
    "$out/demo.sgy" "the gather, SEG-Y" \
    "$out/demo.p.rsf" "snapshots, RSF" \
    "$out/ground_vp.rsf" "the ground, RSF (with the other ground_*.rsf)"
  if [[ -s $out/methods.md ]]; then
    printf '  %-46s %s\n\n' "$out/methods.md" "the methods to write snapshots, compared:"
    cat "$out/methods.md"
  fi
}

main() {
  case ${1:-} in -h | --help) usage && exit 0 ;; esac
  folders "$root/out/seismic" "$@"
  find_program nearfar-seismic
  find_python numpy matplotlib
  ground
  run
  pictures
  [[ ${NEARFAR_DEMO_TABLE:-} == no ]] || table
  summary
}

main "$@"
