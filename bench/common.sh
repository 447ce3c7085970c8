# SPDX-License-Identifier: BSD-3-Clause
# What run_near, run_far and run_gather share; sourced by them.
options=()
records=()
into_docs=no
failures=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
results=${OUT:-out}/bench
mkdir -p "$results"
results=$(cd "$results" && pwd)

read_arguments() {
  for word in "$@"; do
    if [[ $word == --into-docs ]]; then into_docs=yes; else options+=("$word"); fi
  done
}

# find_program MPI [NAME]: sets `program` to the absolute path of NAME (bench_halo) for this MPI; false if it has not been built.
find_program() {
  program=${BUILD:-build/release}-$1/bench/${2:-bench_halo}
  if [[ ! -x $program ]]; then
    echo "bench: no $program (build it with: tools/build release-$1)" >&2
    return 1
  fi
  program=$(realpath "$program")
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

# write_tables PART [PAGE]
write_tables() {
  local page=${2:-docs/performance.md}
  if ((${#records[@]} == 0)); then exit 1; fi
  if [[ $into_docs == yes ]]; then
    bench/report.py --write "$page" --part "$1" "${records[@]}"
    echo "bench: $page, part $1, is written"
  else
    bench/report.py "${records[@]}"
  fi
  exit $((failures > 0))
}
