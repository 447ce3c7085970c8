#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs the Python package into a fresh environment and runs examples with it:  demo.sh FOLDER
set -euo pipefail
folder=${1:?usage: demo.sh FOLDER}
root=$(cd "$(dirname "$0")/../../.." && pwd)
mkdir -p "$folder"
rm -rf "$folder/env"
python3 -m venv "$folder/env"
echo "demo: builds and installs the package (some minutes; the log is $folder/install.log)"
"$folder/env/bin/pip" install -v "$root" >"$folder/install.log" 2>&1 ||
  { tail -n 20 "$folder/install.log"; exit 1; }

flags=()
if mpirun --version 2>/dev/null | grep -q "Open MPI"; then
  flags=(--oversubscribe)
  if ((EUID == 0)); then flags+=(--allow-run-as-root); fi
fi
for program in examples/01_heat bindings/python/examples/poisson bindings/python/examples/pagerank; do
  file=$root/$program.py
  if [[ ! -e $file ]]; then file=$root/$program/main.py; fi
  echo "demo: ${file#"$root"/} on four ranks, two to a pretend node"
  NEARFAR_NODE_SIZE=2 mpirun "${flags[@]}" -n 4 "$folder/env/bin/python" "$file"
done
