// SPDX-License-Identifier: BSD-3-Clause
// The mark that makes a name visible outside the shared library.
#pragma once

#if defined(__GNUC__)
#define NEARFAR_API __attribute__((visibility("default")))
#else
#define NEARFAR_API
#endif
