#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The command nearfar on one process, where no launcher is needed:  command.sh NEARFAR MACHINE.toml
set -uo pipefail
nearfar=$1 machine=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
status=0
fail() { printf 'FAILED: %s\n' "$*"; status=1; }

# says STATUS WORDS COMMAND…: it ends with that status, and its output has the words
says() {
  local wanted=$1 words=$2 said code=0
  shift 2
  said=$("$@" 2>&1) || code=$?
  ((code == wanted)) || fail "$* ended with $code, not $wanted: $said"
  [[ $said == *"$words"* ]] || fail "$* does not say '$words' but: $said"
}

for sub in info doctor methods bench model; do says 0 "nearfar $sub" "$nearfar" "$sub" --help; done
says 2 'usage' "$nearfar"
says 2 'usage' "$nearfar" nothing
says 2 'no option --nothing' "$nearfar" info --nothing
says 0 'built_with' "$nearfar" info
"$nearfar" info --json | python3 -m json.tool >/dev/null || fail 'info --json is no JSON'
says 0 'near-mixed' "$nearfar" methods halo
says 2 'no front' "$nearfar" methods nothing
says 1 "NEARFAR_SHM is 'sometimes'" env NEARFAR_SHM=sometimes "$nearfar" doctor
says 1 'NEARFAR_METHOD' env NEARFAR_METHOD=halo:nothing "$nearfar" doctor
says 2 'mpirun' "$nearfar" bench

# 10 x 10 ranks of 10 x 10 columns, a row of them on each node: two far neighbours, and six with the corners.
halo=("$nearfar" model halo --grid 100x100 --ranks 100 --per-node 10 --element-bytes 10 --runs 3)
says 0 'far_messages       6' "${halo[@]}" --machine "$machine"
says 0 'far_messages       2' "${halo[@]}" --star
says 2 'there is no method' "${halo[@]}" --method nothing
says 2 'more than the 49 cells' "${halo[@]}" --grid 7x7
says 2 'not modelled' "${halo[@]}" --method rma
says 2 '--runs takes a number of 1 to 1048576' "${halo[@]}" --runs 9999999999999
says 2 '--process-grid takes a number' "${halo[@]}" --process-grid 99999999999x1
says 2 'more than 2^60 bytes' "${halo[@]}" --fields 900000000000000000
says 2 '--star takes no value' "${halo[@]}" --star=5
says 2 '--goal takes a value' "${halo[@]}" --goal ''
says 2 "'extra' is not understood" "$nearfar" info extra
says 2 '--grid takes 2 extents or more' "$nearfar" model fft --grid 8 --ranks 16 --per-node 4
says 2 'more messages than are modelled' "$nearfar" model allreduce --bytes 99999999999999 --ranks 64 --per-node 8
says 2 '--references takes a number' "$nearfar" model irregular --references 9999999999 --ranks 64 --per-node 8
says 0 'gather of 5952 points | 128-4-32' "$nearfar" model --table ua --runs 1
says 2 'there is no table' "$nearfar" model --table nothing
says 2 '--rows takes' "$nearfar" model --table brams --rows 5,13abc
says 0 'far_messages       10' "$nearfar" model allreduce --bytes 8 --ranks 4096 --per-node 4
says 2 'messages are not modelled' "$nearfar" model scan --bytes 8 --ranks 64 --per-node 8
says 0 'far_messages' "$nearfar" model transpose --grid 32x32x32 --ranks 16 --per-node 4 --runs 3
says 0 'far_messages' "$nearfar" model fft --grid 32x32x32 --ranks 16 --per-node 4 --runs 3
says 0 'far_messages' "$nearfar" model irregular --elements 1000 --references 50 --ranks 16 --per-node 4 --runs 3
says 0 'writers_us' "$nearfar" model output --bytes 1000 --ranks 16 --per-node 4
says 0 '' "${halo[@]}" --json --goal "$folder/halo.goal" --trace "$folder/halo.json"
[[ $(head -n 1 "$folder/halo.goal") == 'num_ranks 100' ]] || fail 'the GOAL file does not begin with its ranks'
(($(grep -c ' send ' "$folder/halo.goal") == $(grep -c ' recv ' "$folder/halo.goal"))) ||
  fail 'GOAL: sends without receives'
if "$nearfar" info | grep -q '^found_when_built .*OTF2'; then
  says 0 '' "${halo[@]}" --otf2 "$folder/halo.otf2"
  says 1 'of that name is there' "${halo[@]}" --otf2 "$folder/halo.otf2"
  if command -v otf2-print >/dev/null; then
    events=$(otf2-print "$folder/halo.otf2/traces.otf2")
    (($(grep -c '^MPI_SEND ' <<<"$events") == $(grep -c ' send ' "$folder/halo.goal"))) ||
      fail 'OTF2: sends are missing'
    (($(grep -c '^MPI_RECV ' <<<"$events") == $(grep -c ' recv ' "$folder/halo.goal"))) ||
      fail 'OTF2: receives are missing'
  fi
else
  says 2 'built without OTF2' "${halo[@]}" --otf2 "$folder/halo.otf2"
fi
"$nearfar" info >/dev/full 2>/dev/null && fail 'standard output that is full goes unnoticed'
python3 -m json.tool "$folder/halo.json" >/dev/null || fail 'the trace is no JSON'
exit $status
