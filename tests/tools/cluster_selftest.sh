#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks the emulated cluster with one MPI:  cluster_selftest.sh openmpi|mpich HELLO-PROGRAM
set -u
mpi=${1:?openmpi or mpich}
hello=${2:?the hello program built with it}
cluster=$(dirname "$(readlink -f "$0")")/../../tools/cluster
export NEARFAR_CLUSTER=self$$
checks=0 failures=0

equal() { # WHAT GOT WANTED
  checks=$((checks + 1))
  [[ $2 == "$3" ]] && return
  failures=$((failures + 1))
  echo "FAILED $1: got '$2', wanted '$3'"
}
# A closed port of a reachable node refuses at once; a cut or dead node leaves us waiting.
answers() { # NODE PEER
  "$cluster" exec "$1" -- timeout 1 bash -c ": </dev/tcp/$2/9" 2>/dev/null
  (($? == 124)) && echo no || echo yes
}
trap '"$cluster" down >/dev/null' EXIT

links=$(ip -br link | wc -l)
check_mode() { # up's options
  local output code
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
  equal "nodes see each other" "$(answers 0 "${NEARFAR_CLUSTER}1")" yes
  "$cluster" cut 1
  equal "cut" "$(answers 0 "${NEARFAR_CLUSTER}1")" no
  "$cluster" heal 1
  equal "heal" "$(answers 0 "${NEARFAR_CLUSTER}1")" yes
  "$cluster" kill-node 1
  equal "kill-node" "$(answers 0 "${NEARFAR_CLUSTER}1")" no
  "$cluster" boot 1
  equal "boot" "$(answers 0 "${NEARFAR_CLUSTER}1")" yes
  output=$("$cluster" run --layout 2,1,1 --mpi "$mpi" --timeout 40 --leaks -- "$hello")
  equal "exit code of an uneven run $*" "$?" 0
  equal "ranks on their nodes $*" "$(grep -a ': ok$' <<<"$output" | awk '{print $4, $6}' | sort | uniq -c | tr -s ' \n' ' ')" \
    " 2 ${NEARFAR_CLUSTER}0 2 1 ${NEARFAR_CLUSTER}1 1 1 ${NEARFAR_CLUSTER}2 1 "
  "$cluster" run -n 2 --per-node 1 --mpi "$mpi" --timeout 30 -- sh -c 'exit 5' >/dev/null 2>&1
  equal "a program's exit code comes back" "$?" 5
  "$cluster" run -n 2 --per-node 1 --mpi "$mpi" --timeout 2 -- sleep 60 >/dev/null 2>&1
  equal "timeout" "$?" 124
  equal "nothing is left" "$("$cluster" leaks | wc -l)" 0
  "$cluster" down >/dev/null
}

check_mode
check_mode --rate 1gbit
if [[ -w /dev/net/tun && $EUID == 0 ]]; then check_mode --latency 100us; fi
equal "down leaves nothing" "$(pgrep -fc "nf-init-$NEARFAR_CLUSTER")" 0
echo "$checks checks, $failures failed"
((failures == 0))
