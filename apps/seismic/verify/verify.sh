#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The longer proofs of seismic, one after the other:  verify.sh BUILD [PART…]
#
# Prints tables of what was measured, the bound and whether it holds. Exit status 1 if one does not.
set -uo pipefail
build=${1:?usage: verify.sh BUILD [PART…]}
here=$(dirname "$0")
# One rank without a launcher: Open MPI starts no daemon for it.
export OMPI_MCA_ess_singleton_isolated=1 OMP_NUM_THREADS=1
status=0

"$build/apps/seismic/seismic-verify" "${@:2}" || status=1
if (($# == 1)); then
  # Debian's own Python has Debian's packages even where another one comes first in the path.
  python=/usr/bin/python3
  [[ -x $python ]] || python=python3
  printf '\nPoints per wave at equal dispersion error\n\n'
  "$python" "$here/dispersion.py" || status=1
fi
if ((status == 0)); then echo "verify-seismic: all holds"; else echo "verify-seismic: something does not hold" >&2; fi
exit $status
