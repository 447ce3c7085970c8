#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What a program hears that meets another kind of MPI than its Nearfar:  other_mpi.sh PREFIX OTHER_MPICC C_SOURCE WORK
set -uo pipefail
prefix=$1 other=$2 source=$3 program=$4/other_mpi_consumer
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name nearfar.pc)")
export PKG_CONFIG_PATH
read -ra flags <<<"$(pkg-config --cflags --libs nearfar-gslib)"
library=$(pkg-config --variable=libdir nearfar)
must_say() {  # CODE SENTENCE OUTPUT
  if (($1 != 0)) && grep -q "$2" <<<"$3"; then return; fi
  printf 'exit code %s, and not "%s":\n%s\n' "$1" "$2" "$3"
  exit 1
}

output=$("$other" -c "$source" "${flags[@]}" -o "$program.o" 2>&1)
must_say $? "this Nearfar was built with .* another MPI's" "$output"

# The right headers, and a library of the other MPI in front, as of a second library in the program.
read -ra theirs <<<"$("$other" -show | tr ' ' '\n' | grep -E '^-(L|l|Wl,-rpath)' | tr '\n' ' ')"
"$(pkg-config --variable=mpicc nearfar)" -std=c11 "$source" -o "$program" \
  -Wl,--no-as-needed "${theirs[@]}" "${flags[@]}" \
  "-Wl,-rpath,$library" || exit 1
output=$("$program" 2>&1)
must_say $? "this Nearfar was built with .* answers its calls" "$output"
