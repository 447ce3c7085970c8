// SPDX-License-Identifier: BSD-3-Clause
// What describe() of layouts and FFT plans says, with marks (base/axis_names.hpp).
#pragma once

#include <nearfar/fft.hpp>
#include <string>

namespace nearfar {

std::string description_of(const fft_layout& layout);
template <class Real>
std::string description_of(const fft_plan<Real>& plan);

}  // namespace nearfar
