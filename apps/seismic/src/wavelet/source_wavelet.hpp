// SPDX-License-Identifier: BSD-3-Clause
// The wavelet that settings mean.
#pragma once

#include <memory>
#include <settings/settings.hpp>
#include <wavelet/wavelet.hpp>

namespace seismic {

/// Without the source's amplitude. @throws nearfar::io_error, nearfar::usage_error  of its file
std::unique_ptr<wavelet> wavelet_of(const source_settings& source);

}  // namespace seismic
