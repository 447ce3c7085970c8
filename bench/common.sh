# SPDX-License-Identifier: BSD-3-Clause
# What the scripts that run benchmarks share; sourced by them.
mpis=${MPIS:-openmpi mpich}
after_runs=  # a function to be called before tables are written
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

# run_near_ranks FRONT [PROGRAM]: 2 ranks on this node with each MPI.
run_near_ranks() {
  local mpi record
  for mpi in $mpis; do
    find_program "$mpi" "${2:-bench_$1}" || continue
    record=$results/$1-near-$mpi.jsonl
    "mpiexec.$mpi" -n 2 $(bind_flags "$mpi") "$program" --json "$record" "${options[@]}" || note_failure $? "$mpi"
    records+=("$record")
  done
}

# run_far_ranks FRONT PART WORDS: 1 and 2 ranks on each of two emulated nodes with each MPI; WORDS for `cluster up`.
run_far_ranks() {
  local mpi record per_node
  export NEARFAR_CLUSTER=${NEARFAR_CLUSTER:-nfbench}
  trap 'tools/cluster down >/dev/null 2>&1 || true' EXIT
  # shellcheck disable=SC2086  # words
  tools/cluster up 2 $3
  for mpi in $mpis; do
    find_program "$mpi" "bench_$1" || continue
    for per_node in ${PER_NODE:-1 2}; do
      record=$results/$1-$2-$mpi-2x$per_node.jsonl
      tools/cluster run -n $((2 * per_node)) --per-node "$per_node" --mpi "$mpi" --timeout "${TIMEOUT:-900}" -- \
        "$program" --json "$record" "${options[@]}" || note_failure $? "$mpi 2x$per_node"
      records+=("$record")
    done
  done
}

# run_near_or_far FRONT PAGE near|far …: what run_gather, run_transpose and run_fft do.
run_near_or_far() {
  local front=$1 page=$2 where=${3:-}
  if [[ $where != near && $where != far ]]; then
    echo "usage: bench/run_$front near|far [--into-docs] [options of bench_$front]" >&2
    exit 64
  fi
  local part=$where${LABEL:+-$LABEL}
  read_arguments "${@:4}"
  if [[ $where == near ]]; then run_near_ranks "$front"; else run_far_ranks "$front" "$part" "${CLUSTER_UP:---own-processors}"; fi
  $after_runs
  write_tables "$front-$part" "$page"
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
