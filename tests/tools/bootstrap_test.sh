#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What tools/bootstrap says where it may not install: a made-up dpkg and a user without rights.
set -u
bootstrap=$(dirname "$(readlink -f "$0")")/../../tools/bootstrap
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
equal() { # WHAT GOT WANTED
  [[ $2 == "$3" ]] && return
  failures=$((failures + 1))
  echo "FAILED $1: got '$2', wanted '$3'"
}

# A PATH with only what the script itself calls; the packages' commands are absent.
mkdir "$work/bin"
for tool in bash sed tr sort head grep mktemp; do ln -s "$(command -v $tool)" "$work/bin/$tool"; done
printf '#!/bin/bash\nexit 1\n' >"$work/bin/dpkg-query"
chmod +x "$work/bin/dpkg-query"

output=$(PATH=$work/bin bash "$bootstrap" build 2>&1)
equal "exit code where there is no apt" "$?" 3
equal "says that this is not Debian" "$(grep -c 'not Debian' <<<"$output")" 1
equal "names a missing package" "$(grep -c '^  libopenmpi-dev$' <<<"$output")" 1

output=$(PATH=$work/bin bash "$bootstrap" library 2>&1)
equal "the library needs an MPI" "$(grep -c '^  libopenmpi-dev$' <<<"$output")" 1
equal "the library needs no tests, programs or second MPI" \
  "$(grep -cE '^  (libgtest-dev|libnetcdf-dev|python3|ninja-build|libmpich-dev)$' <<<"$output")" 0
output=$(PATH=$work/bin bash "$bootstrap" library build 2>&1)
equal "names each package once" "$(grep '^  ' <<<"$output" | sort | uniq -d)" ""
ln -s /bin/true "$work/bin/mpicc"
output=$(PATH=$work/bin bash "$bootstrap" library 2>&1)
equal "any MPI will do for the library" "$(grep -c '^  libopenmpi-dev$' <<<"$output")" 0
rm "$work/bin/mpicc"

# Packages that dpkg reports are not missing.
cat >"$work/bin/dpkg-query" <<'END'
#!/bin/bash
while [[ $1 == -* ]]; do [[ $1 == -f ]] && shift; shift; done
for package; do [[ $package == libhwloc-dev ]] || echo "$package installed"; done
END
output=$(PATH=$work/bin bash "$bootstrap" build 2>&1)
equal "exit code with one missing" "$?" 3
equal "names just that one" "$(grep '^  ' <<<"$output")" "  libhwloc-dev"
output=$(PATH=$work/bin bash "$bootstrap" library 2>&1)
equal "and so for the library" "$(grep '^  ' <<<"$output")" "  libhwloc-dev"

bash "$bootstrap" nonsense 2>/dev/null
equal "exit code for an unknown set" "$?" 2
((failures == 0)) && echo "all well"
