#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The Taylor-Green vortex at Re = 1600: run, comparison with the reference, pictures.
#
#   demo.sh [BUILD [OUT]]
#
# BUILD  tree with the program nearfar-turbulence (default build/release-openmpi)
# OUT    folder for everything that is made, about 50 MB (default out/turbulence)
#
# NEARFAR_DEMO_SETTINGS=FILE  another run      NEARFAR_DEMO_TIMEOUT=N  seconds for the run (600)
# PYTHON=FILE                 Python that has the packages
#
# Exit status: 0 done, 1 a stage failed, 2 wrong arguments or something is missing.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
name=demo
nodes=one
ranks=$(nproc)
per_node=$ranks
limit_s=${NEARFAR_DEMO_TIMEOUT:-600}
settings=$(realpath "${NEARFAR_DEMO_SETTINGS:-$root/apps/turbulence/settings/demo.toml}")
source "$root/tools/demo_parts.sh"

run() {
  say "run: $ranks ranks; the log is kept in $out/demo.log"
  rm -f "$out"/demo.*
  run_program "$out/demo.log" "$settings"
  [[ -s $out/demo.series && -s $out/demo.spectra ]] || stop 1 "the run ended without $out/demo.series or $out/demo.spectra"
}

compare() {
  say "comparison with the reference of 512 points along each axis"
  OMPI_MCA_ess_singleton_isolated=1 "$program" compare "$out/demo.series" | tee "$out/comparison.txt" ||
    stop 1 "there is no comparison"
}

pictures() {
  say "pictures"
  "$python" "$root/apps/turbulence/pictures/pictures.py" "$out/demo" --output "$out" || stop 1 "no pictures were drawn"
}

main() {
  case ${1:-} in -h | --help) usage && exit 0 ;; esac
  folders "$root/out/turbulence" "$@"
  find_program nearfar-turbulence
  find_python numpy matplotlib h5py
  run
  compare
  pictures
  say "done"
  printf '\n'
  printf '  %-46s %s\n' "$out/turbulence.png" "dissipation over the reference, spectra, the vorticity's magnitude" \
    "$out/comparison.txt" "deviations from the reference" "$out/demo.vtkhdf.series" "snapshots for ParaView" \
    "$out/demo.series" "numbers over time"
}

main "$@"
