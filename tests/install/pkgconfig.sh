#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds a program of each language with what pkg-config says, and runs them:  pkgconfig.sh PREFIX SOURCES WORK
# LANGUAGES LAUNCH...
set -euo pipefail
prefix=$1 sources=$2 work=$3 languages=$4
shift 4
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name nearfar.pc)")
export PKG_CONFIG_PATH
library=$(pkg-config --variable=libdir nearfar)
static=()
[[ -e $library/libnearfar.so ]] || static=(--static)
build_and_run() {  # PACKAGE WRAPPER SOURCE OPTION...
  local package=$1 wrapper=$2 source=$3 program flags
  shift 3
  program=$work/pkgconfig_consumer_${wrapper}
  read -ra flags <<<"$(pkg-config --cflags --libs ${static[@]+"${static[@]}"} "$package")"
  "$(pkg-config "--variable=$wrapper" "$package")" "$@" "$sources/$source" -o "$program" \
    "${flags[@]}" "-Wl,-rpath,$library"
  "${launch[@]}" "$program"
}
launch=("$@")
for language in ${languages//;/ }; do
  case $language in
    c) build_and_run nearfar-gslib mpicc c/main.c -std=c11 -Wall -Wextra -Werror ;;
    cpp) build_and_run nearfar mpicxx cpp/main.cpp -std=c++20 -Wall -Wextra -Werror ;;
    fortran) build_and_run nearfar-fortran mpifort fortran/main.f90 -std=f2018 ;;
  esac
done
