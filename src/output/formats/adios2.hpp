// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace nearfar::output {

class format;
const format& adios2_format();

}  // namespace nearfar::output
