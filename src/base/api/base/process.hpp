// SPDX-License-Identifier: BSD-3-Clause
// Whether another process of this machine still runs.
#pragma once

namespace nearfar {

/// False once the process has ended, even while nobody has collected its exit status (a zombie, of which kill() knows
/// no difference). True for one that may not be looked at. Local; takes a few microseconds.
bool is_process_alive(int process) noexcept;

}  // namespace nearfar
