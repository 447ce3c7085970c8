// SPDX-License-Identifier: BSD-3-Clause
// One of three.
#include <wavelet/source_wavelet.hpp>

namespace seismic {

std::unique_ptr<wavelet> wavelet_of(const source_settings& s) {
  switch (s.wavelet) {
    case wavelet_kind::fletcher:
      return fletcher_wavelet(s.frequency_hz);
    case wavelet_kind::file:
      return wavelet_of_file(s.file, s.interval_s, s.delay_s.value_or(0));
    default:
      return ricker_wavelet(s.frequency_hz, s.delay_s.value_or(usual_ricker_delay_s(s.frequency_hz)));
  }
}

}  // namespace seismic
