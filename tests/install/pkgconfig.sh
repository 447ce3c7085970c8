#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds a C program with what pkg-config says, and runs it:  pkgconfig.sh PREFIX SOURCE WORK LAUNCH...
set -euo pipefail
prefix=$1 source=$2 work=$3
shift 3
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name nearfar.pc)")
export PKG_CONFIG_PATH
read -ra flags <<<"$(pkg-config --cflags --libs nearfar)"
library=$(pkg-config --variable=libdir nearfar)
"$(pkg-config --variable=mpicc nearfar)" -std=c11 -Wall -Wextra -Werror "$source" -o "$work/pkgconfig_consumer" \
  "${flags[@]}" "-Wl,-rpath,$library"
"$@" "$work/pkgconfig_consumer"
