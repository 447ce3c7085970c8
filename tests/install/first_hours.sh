#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The first hours of a user: a clone, `make install`, and the tutorial's programs in all languages against what was
# installed, with what pkg-config says:  first_hours.sh FOLDER
#
# Nothing of this checkout helps but its commit. The sums that programs must print are those of examples/CMakeLists.txt.
set -euo pipefail
folder=$(mkdir -p "${1:?usage: first_hours.sh FOLDER}" && cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
rm -rf "$folder/clone" "$folder/prefix" "$folder/programs"
mkdir -p "$folder/programs"
git clone --quiet "file://$root" "$folder/clone"
make -C "$folder/clone" install PREFIX="$folder/prefix"
PKG_CONFIG_PATH=$(dirname "$(find "$folder/prefix" -name nearfar.pc)")
export PKG_CONFIG_PATH
library=$(pkg-config --variable=libdir nearfar)
launcher=$(dirname "$(pkg-config --variable=mpicxx nearfar)")/mpiexec
[[ -x $launcher ]] || launcher=mpiexec
flags=()
if "$launcher" --version 2>/dev/null | grep -q 'Open MPI\|OpenRTE'; then
  flags=(--oversubscribe)
  if ((EUID == 0)); then flags+=(--allow-run-as-root); fi
fi

failed=0 count=0
for source in "$folder"/clone/examples/*/main.{cpp,c,f90}; do
  [[ -e $source ]] || continue
  name=$(basename "$(dirname "$source")")
  case $source in
    *.cpp) package=nearfar wrapper=mpicxx standard=-std=c++20 ;;
    *.c) package=nearfar wrapper=mpicc standard=-std=c11 ;;
    *.f90) package=nearfar-fortran wrapper=mpifort standard=-std=f2018 ;;
  esac
  if ! pkg-config --exists "$package"; then
    printf 'first hours: %s %s is left out: there is no %s.pc\n' "$name" "$wrapper" "$package"
    continue
  fi
  program=$folder/programs/${name}_$wrapper
  wanted=$(sed -nE "s/^nearfar_example\($name \"([^\"]*)\".*/\1/p" "$folder/clone/examples/CMakeLists.txt")
  read -ra words <<<"$(pkg-config --cflags --libs "$package")"
  (cd "$folder/programs" && "$(pkg-config "--variable=$wrapper" "$package")" "$standard" -O2 "$source" -o "$program" \
    "${words[@]}" -lm "-Wl,-rpath,$library")
  count=$((count + 1))
  if (cd "$folder/programs" && "$launcher" "${flags[@]}" -n 2 "$program") | grep -qE "^ *$wanted\$"; then
    printf 'first hours: %s by %s: as it should be\n' "$name" "$wrapper"
  else
    printf 'first hours: %s by %s does not print "%s"\n' "$name" "$wrapper" "$wanted" >&2
    failed=1
  fi
done
((count > 0)) || failed=1
exit "$failed"
