#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every program says its name and the project's version, and what it is for:  versions.sh VERSION PYTHON_PACKAGE
# PROGRAM…
#
# In a checkout a commit follows in brackets: that of the sources when the program was built, which others may have left
# behind.
set -uo pipefail
version=$1 package=$2
shift 2
status=0
must_say() {  # WORDS COMMAND…: --version prints WORDS, and --help speaks of the program
  local words=$1 name=${1%% *} said
  shift
  said=$("$@" --version 2>&1) && [[ $said == "$words" || $said == "$words ("?*")" ]] ||
    { printf '%s --version says "%s", not "%s"\n' "$*" "$said" "$words"; status=1; }
  said=$("$@" --help 2>&1) && [[ $said == *${name//-/?}* ]] ||
    { printf '%s --help says nothing of it: "%s"\n' "$*" "$said"; status=1; }
}
for program; do
  must_say "$(basename "$program") $version" "$program"
done
# Debian's own Python has Debian's packages even where another one comes first in the path.
for python in python3 /usr/bin/python3; do
  "$python" -c "import numpy" 2>/dev/null || continue
  must_say "nearfar-output $version" env PYTHONPATH="$package" "$python" -m nearfar_output
  break
done
exit $status
