# SPDX-License-Identifier: BSD-3-Clause
# What run_near and run_far share; sourced by them.
options=()
records=()
into_docs=no
failures=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mkdir -p out/bench

read_arguments() {
  for word in "$@"; do
    if [[ $word == --into-docs ]]; then into_docs=yes; else options+=("$word"); fi
  done
}

has_program() {
  [[ -x $1 ]] && return 0
  echo "bench: no $1 (build it with: tools/build release-openmpi, tools/build release-mpich)" >&2
  return 1
}

# One rank per core: what a production run does, and what keeps the medians steady.
bind_flags() {
  if (($(nproc) < 2)); then return; fi
  if [[ $1 == openmpi ]]; then echo --bind-to core; else echo -bind-to core; fi
}

note_failure() {
  echo "bench: $2 ended with status $1" >&2
  failures=$((failures + 1))
}

write_tables() {
  if ((${#records[@]} == 0)); then exit 1; fi
  if [[ $into_docs == yes ]]; then
    bench/report.py --write docs/performance.md --part "$1" "${records[@]}"
    echo "bench: docs/performance.md, part $1, is written"
  else
    bench/report.py "${records[@]}"
  fi
  exit $((failures > 0))
}
