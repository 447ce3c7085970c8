#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks the emulated cluster with one MPI:  cluster_selftest.sh openmpi|mpich HELLO-PROGRAM
#
# Three clusters, each with another network, are checked beside each other.
set -u
mpi=${1:?openmpi or mpich}
hello=${2:?the hello program built with it}
cluster=$(dirname "$(readlink -f "$0")")/../../tools/cluster
# Open MPI gives the other ranks of a failed job a second to end by themselves.
export OMPI_MCA_odls_base_sigkill_timeout=0
folder=$(mktemp -d)
names=self$$
checks=0 failures=0

equal() { # WHAT GOT WANTED
  checks=$((checks + 1))
  [[ $2 == "$3" ]] && return
  failures=$((failures + 1))
  echo "FAILED $1: got '$2', wanted '$3'"
}
# A closed port of a reachable node refuses at once, however slow the machine; a cut or dead node leaves us waiting.
answers() { # NODE PEER SECONDS
  "$cluster" exec "$1" -- timeout "$3" bash -c ": </dev/tcp/$2/9" 2>/dev/null
  (($? == 124)) && echo no || echo yes
}
take_down() {
  wait
  for mode in bridge rate relay; do NEARFAR_CLUSTER=$names$mode "$cluster" down >/dev/null; done
  rm -rf "$folder"
}
trap take_down EXIT

links=$(ip -br link | wc -l)
check_mode() { # NAME, up's options
  local output code
  export NEARFAR_CLUSTER=$names$1
  shift
  output=$("$cluster" up 3 "$@" 2>&1)
  code=$?
  if ((code == 77)); then
    echo "$output"
    exit 77
  fi
  equal "up $*" "$code" 0
  ((code == 0)) || { echo "$output"; return; }
  equal "the host's network is untouched" "$(ip -br link | wc -l)" "$links"
  equal "up is idempotent" "$("$cluster" up 3 "$@" | grep -c already)" 1
  equal "no way out" "$("$cluster" exec 0 -- ip route | grep -c default)" 0
  equal "nodes see each other" "$(answers 0 "${NEARFAR_CLUSTER}1" 30)" yes
  "$cluster" cut 1
  equal "cut" "$(answers 0 "${NEARFAR_CLUSTER}1" 1)" no
  "$cluster" heal 1
  equal "heal" "$(answers 0 "${NEARFAR_CLUSTER}1" 30)" yes
  "$cluster" kill-node 1
  equal "kill-node" "$(answers 0 "${NEARFAR_CLUSTER}1" 1)" no
  "$cluster" boot 1
  equal "boot" "$(answers 0 "${NEARFAR_CLUSTER}1" 30)" yes
  output=$("$cluster" run --layout 2,1,1 --mpi "$mpi" --timeout 300 --leaks -- "$hello")
  equal "exit code of an uneven run $*" "$?" 0
  equal "ranks on their nodes $*" \
    "$(grep -a ': ok$' <<<"$output" | awk '{print $4, $6}' | sort | uniq -c | tr -s ' \n' ' ')" \
    " 2 ${NEARFAR_CLUSTER}0 2 1 ${NEARFAR_CLUSTER}1 1 1 ${NEARFAR_CLUSTER}2 1 "
  "$cluster" run -n 2 --per-node 1 --mpi "$mpi" --timeout 300 -- sh -c 'exit 5' >/dev/null 2>&1
  equal "a program's exit code comes back" "$?" 5
  "$cluster" run -n 2 --per-node 1 --mpi "$mpi" --timeout 1 -- sleep 1000 >/dev/null 2>&1
  equal "timeout" "$?" 124
  equal "nothing is left" "$("$cluster" leaks | wc -l)" 0
  "$cluster" down >/dev/null
}

in_background() { # NAME, up's options
  {
    check_mode "$@"
    echo "$checks $failures" >"$folder/$1"
  } &
  jobs+=($!)
}

jobs=()
in_background bridge
in_background rate --rate 1gbit
if [[ -w /dev/net/tun && $EUID == 0 ]]; then in_background relay --latency 100us; fi
for job in "${jobs[@]}"; do
  wait "$job"
  (($? == 77)) && exit 77
done
for counts in "$folder"/*; do
  read -r more failed <"$counts"
  checks=$((checks + more)) failures=$((failures + failed))
done
equal "every network was checked" "$(find "$folder" -type f | wc -l)" "${#jobs[@]}"
equal "down leaves nothing" "$(pgrep -fc "nf-init-$names")" 0
echo "$checks checks, $failures failed"
((failures == 0))
