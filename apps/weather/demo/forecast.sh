#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The full forecast from real data: 24 hours on 100 x 100 columns, with history, maps and meteogram.
#
#   forecast.sh [BUILD [OUT]]
#
# BUILD  tree with the program nearfar-weather (default build/release-openmpi)
# OUT    folder for everything that is made (default out/forecast)
#
# NEARFAR_FORECAST_RANKS=N    ranks, all on this machine (2)   NEARFAR_FORECAST_HOURS=N  length of the forecast (24)
# NEARFAR_FORECAST_TIMEOUT=N  seconds for the run (7200)       PYTHON=FILE               Python that has the packages
#
# Exit status: 0 done, 1 a stage failed, 2 wrong arguments or something is missing.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
name=forecast
namelist=day.nml
ranks=${NEARFAR_FORECAST_RANKS:-2}
per_node=$ranks
limit_s=${NEARFAR_FORECAST_TIMEOUT:-7200}
hours=${NEARFAR_FORECAST_HOURS:-}
source "$root/apps/weather/demo/parts.sh"

main() {
  case ${1:-} in -h | --help) usage && exit 0 ;; esac
  [[ $ranks =~ ^[1-9][0-9]*$ ]] || stop 2 "NEARFAR_FORECAST_RANKS='$ranks' is no number of ranks"
  folders "$root/out/forecast" "$@"
  find_program nearfar-weather
  find_python numpy netCDF4 matplotlib
  prepare
  nodes=one
  forecast
  maps
  summary
  if [[ -s $out/forecast.history-a.nc ]]; then
    printf '  %-46s %s\n' "$out/forecast.history" "from which a run can go on (runtype = 'history')"
  fi
}

main "$@"
