#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The longer proofs of turbulence, one after the other, on a rank per core:  verify.sh BUILD [PART…]
#
# Prints tables of what was measured, the bound and whether it holds. Exit status 1 if one does not.
set -euo pipefail
build=$(realpath "${1:?usage: verify.sh BUILD [PART…]}")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
name=verify
ranks=$(nproc)
limit_s=${NEARFAR_VERIFY_TIMEOUT:-3600}
out=$(pwd)
source "$root/tools/demo_parts.sh"
find_program turbulence-verify
run_on_one "${@:2}"
