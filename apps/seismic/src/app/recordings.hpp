// SPDX-License-Identifier: BSD-3-Clause
// Traces of a run: what each receiver records, and the file that it goes to.
#pragma once

#include <settings/settings.hpp>

namespace seismic {

/// A trace. A velocity's is of the derivative of the pressure, until it is written.
struct recording {
  quantity of = quantity::pressure;
  std::size_t receiver = 0;
  double density_kg_m3 = 0;
};

/// All traces: quantity after quantity, the receivers of each in the order of the settings.
std::vector<recording> recordings_of(const settings& what);

/// gathers.file, or "shot_vx.sgy" beside "shot.sgy".
std::string gather_file(const settings& what, quantity of);
/// Of all quantities that are recorded; none without gathers.file.
std::vector<std::string> gather_files(const settings& what);

bool records_pressure_alone(const settings& what);
bool records_velocities(const settings& what);
/// Ghosts of the fields that receivers read.
int receiver_ghosts(const settings& what);

/// With the number of receivers: "pressure of 41, vx of 3".
std::string words_of_recordings(const settings& what);

}  // namespace seismic
