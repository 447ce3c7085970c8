# SPDX-License-Identifier: BSD-3-Clause
# What demo.sh and forecast.sh share; sourced by them. They set: name (of the command, for messages), namelist,
# ranks, per_node, limit_s and hours (empty: as in the namelist) before they call these functions.
weather=$root/apps/weather
source "$root/tools/demo_parts.sh"
maps_options=()

# The start, and the namelist with the length that was asked for.
prepare() {
  say "start: NCEP's 12-hour forecast for 24 January 2007 12 UTC over real terrain"
  "$python" "$weather/prepare/prepare.py" --output "$out/analysis.nc" || stop 1 "the start could not be prepared"
  cp "$weather/demo/$namelist" "$out/forecast.nml"
  if [[ -n $hours ]]; then
    [[ $hours =~ ^[0-9]+([.][0-9]+)?$ ]] || stop 2 "'$hours' is no number of hours"
    sed -i "s/^\( *timmax *= *\)[0-9.]*/\1$hours/" "$out/forecast.nml"
  fi
}

forecast() {
  rm -f "$out"/forecast.nc "$out"/forecast.stations.nc "$out"/compare.md "$out"/compare.json
  say "forecast: $ranks ranks, $per_node to a node; the log is kept in $out/forecast.log"
  run_program "$out/forecast.log" forecast.nml
  [[ -s $out/forecast.nc ]] || stop 1 "the forecast ended without its output $out/forecast.nc"
}

maps() {
  say "maps"
  "$python" "$weather/maps/maps.py" "$out/forecast.nc" --analysis "$out/analysis.nc" --output "$out/maps" \
    "${maps_options[@]}" >/dev/null || stop 1 "no maps were drawn"
}

summary() {
  say "done"
  printf '\n'
  printf '  %-46s %s\n' "$out/maps/forecast.png" "the forecast in one picture"
  if [[ -s $out/maps/meteogram.png ]]; then
    printf '  %-46s %s\n' "$out/maps/meteogram.png" "temperature, wind, pressure and rain at stations"
  fi
  printf '  %-46s %s\n' "$out/maps/" "single maps: rain, pressure levels, cross section, start against end" \
    "$out/forecast.nc" "the forecast: NetCDF-4, CF conventions" \
    "$out/analysis.nc" "what it started from"
}
