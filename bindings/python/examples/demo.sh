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
"$folder/env/bin/pip" install -v "$root[examples]" >"$folder/install.log" 2>&1 ||
  { tail -n 20 "$folder/install.log"; exit 1; }

flags=()
if mpirun --version 2>/dev/null | grep -q "Open MPI"; then
  flags=(--oversubscribe)
  if ((EUID == 0)); then flags+=(--allow-run-as-root); fi
fi
for program in "heat" "shallow_water" "poisson" "taylor_green" "pagerank lesmis" "output_xarray"; do
  read -r name arguments <<<"$program "
  echo "demo: $name.py on four ranks, two to a pretend node"
  # shellcheck disable=SC2086
  NEARFAR_NODE_SIZE=2 mpirun "${flags[@]}" -n 4 "$folder/env/bin/python" "$root/bindings/python/examples/$name.py" \
    ${arguments:+$arguments} --picture "$folder/$name.png"
done
echo "demo: plain.py, which knows nothing of Nearfar, under nearfar-run"
NEARFAR_REPORT=1 mpirun "${flags[@]}" -n 4 "$folder/env/bin/nearfar-run" "$folder/env/bin/python" \
  "$root/bindings/python/examples/plain.py"
