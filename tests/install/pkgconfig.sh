#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds a C and a C++ program with what pkg-config says, and runs them:  pkgconfig.sh PREFIX C_SOURCE CPP_SOURCE WORK LAUNCH...
set -euo pipefail
prefix=$1 c_source=$2 cpp_source=$3 work=$4
shift 4
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name nearfar.pc)")
export PKG_CONFIG_PATH
read -ra flags <<<"$(pkg-config --cflags --libs nearfar)"
library=$(pkg-config --variable=libdir nearfar)
build() {  # WRAPPER STANDARD SOURCE PROGRAM
  "$(pkg-config "--variable=$1" nearfar)" "-std=$2" -Wall -Wextra -Werror "$3" -o "$4" "${flags[@]}" "-Wl,-rpath,$library"
}
build mpicc c11 "$c_source" "$work/pkgconfig_consumer_c"
build mpicxx c++20 "$cpp_source" "$work/pkgconfig_consumer_cpp"
"$@" "$work/pkgconfig_consumer_c"
"$@" "$work/pkgconfig_consumer_cpp"
