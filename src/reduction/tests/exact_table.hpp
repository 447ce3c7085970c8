// SPDX-License-Identifier: BSD-3-Clause
// Sums and dot products of known numbers, worked out by make_exact_table.py with fractions.
#pragma once

#include <cmath>

namespace nearfar::test {

struct exact_row {
  const char* family;
  unsigned seed;
  int count;
  double sum, dot;
  float float_sum, float_dot;
};

// clang-format off
inline const exact_row exact_table[] = {
    {"even", 1, 1, 0x110a2dec890258p-56, -0x1a18a79dde9769p-58, 0x88516fp-27f, -0xd0c53cp-29f},
    {"even", 2, 2, 0x15c81efb8a24dap-54, 0x13b20f090aa672p-56, 0xae40f8p-25f, 0x9d9078p-27f},
    {"even", 3, 3, -0x12c292e9d92bf8p-56, 0x13140e74837ba4p-55, -0x961497p-27f, 0x98a073p-26f},
    {"even", 24, 24, 0x1dc41b653462cep-54, -0x1f02678b4ad39dp-57, 0xee20dcp-25f, -0xf81335p-28f},
    {"even", 1008, 1008, 0x17e2ff38a924dbp-49, -0x14be61e2c71b50p-51, 0xbf17fbp-20f, -0xa5f30fp-22f},
    {"even", 1009, 1009, 0x1780eea1f8dba2p-54, -0x19dd6cec0a88e3p-53, 0xbc076fp-25f, -0xceeb67p-24f},
    {"even", 4100, 4100, -0x1d83ab45693e21p-49, 0x14b7c485539de3p-53, -0xec1d5ap-20f, 0xa5be25p-24f},
    {"any", 101, 1, -0x124a5fad64d717p221, 0x1150aacb9d874ep219, -0x800000p-23f, 0xf25907p-26f},
    {"any", 102, 2, -0x1b810659c5a8bcp-682, -0x167fddb9c9edb8p-683, 0x0p0f, 0x0p0f},
    {"any", 103, 3, 0x171512fa5629a6p-229, 0x1f862328ddd3a1p-234, 0x0p0f, 0x0p0f},
    {"any", 124, 24, 0x1ff7f0e23a541ap950, 0x1a270c33ddfc99p949, 0xe4f72cp90f, -0xa1f56bp87f},
    {"any", 1108, 1008, 0x19470e6534850ep970, 0x14ab58f3641cf6p970, 0xe8c49cp104f, -0xcedb48p102f},
    {"any", 1109, 1009, -0x124b664bbb317dp970, -0x110fcff1117188p971, -0xd66d36p102f, -0xb5d9ddp100f},
    {"any", 4200, 4100, 0x11b59d4f87c180p970, 0x1149bb5c2aca79p969, INFINITY, 0x9aef96p104f},
    {"cancelling", 201, 1, -0x16d3b21ecb97ecp-441, 0x199fa32933db7cp-1043, 0x0p0f, 0x0p0f},
    {"cancelling", 202, 2, 0x0p0, INFINITY, 0x0p0f, 0x800000p-23f},
    {"cancelling", 203, 3, -0x14c60053de7fa2p-937, -0x1741055d7b0085p372, 0x0p0f, 0x0p0f},
    {"cancelling", 224, 24, 0x0p0, INFINITY, 0x0p0f, -0x87aa1fp-10f},
    {"cancelling", 1208, 1008, -0x1676aace9bd6afp675, INFINITY, -0xc00000p-22f, -0xde5abbp97f},
    {"cancelling", 1209, 1009, -0x13276d96c05ae6p327, -INFINITY, -0xd324efp69f, -0xd4bc0cp99f},
    {"cancelling", 4300, 4100, -0x1f41445f9ec016p705, INFINITY, 0xf1e60fp93f, 0xb7de59p104f},
    {"huge", 301, 1, 0x1d94974a8ec801p971, 0x18ad979e4f890ap-53, 0x800000p-23f, 0x0p0f},
    {"huge", 302, 2, 0x158981cc3facb0p967, -0x17d8190fc3d88dp-53, 0x0p0f, 0x0p0f},
    {"huge", 303, 3, 0x1ba0a0bb9dd42fp971, -0x1e10ae0c62cd1ep-53, 0x800000p-23f, 0x0p0f},
    {"huge", 324, 24, INFINITY, -0x1c8c88bc8bc43cp-51, 0x800000p-20f, 0x0p0f},
    {"huge", 1308, 1008, INFINITY, -0x15060c7feab956p-48, 0xa80000p-15f, 0x0p0f},
    {"huge", 1309, 1009, INFINITY, 0x18c652baaa5e7dp-57, 0xa88000p-15f, 0x0p0f},
    {"huge", 4400, 4100, INFINITY, 0x156ed62ab92756p-47, 0xaac000p-13f, 0x0p0f},
    {"ties", 401, 1, 0x10000000000000p-157, 0x0p0, 0x800000p-128f, 0x0p0f},
    {"ties", 402, 2, 0x10000000000000p-52, 0x10000000000000p-105, 0x800000p-23f, 0x800000p-76f},
    {"ties", 403, 3, 0x10000000000000p-104, 0x10000000000000p-105, 0x800000p-75f, 0x800000p-76f},
    {"ties", 424, 24, 0x18000000000003p-51, 0x10000000000002p-52, 0xc00000p-22f, 0x800000p-23f},
    {"ties", 1408, 1008, 0x16600000000001p-45, 0x13000000000002p-47, 0xb30000p-16f, 0x980000p-18f},
    {"ties", 1409, 1009, 0x14600000000001p-45, 0x16000000000004p-48, 0xa30000p-16f, 0xb00000p-19f},
    {"ties", 4500, 4100, 0x17080000000001p-43, 0x1e400000000004p-46, 0xb84000p-14f, 0xf20000p-17f},
    {"tiny", 501, 1, -0x210c9a2c009c3p-1074, -0x1d6dcf09940d62p-54, 0x0p0f, 0x0p0f},
    {"tiny", 502, 2, 0x1988aa0440626p-1074, 0x1e77c7bc524edfp-53, 0x0p0f, 0x0p0f},
    {"tiny", 503, 3, -0x371d8988cf229p-1074, 0x16b0de6e83b2bfp-54, 0x0p0f, 0x0p0f},
    {"tiny", 524, 24, -0xad00537f9d373p-1074, -0x17fb8f345282f2p-53, 0x0p0f, 0x0p0f},
    {"tiny", 1508, 1008, -0x1267ba681e931ep-1071, -0x162a944cf5cba6p-49, 0x0p0f, 0x0p0f},
    {"tiny", 1509, 1009, -0x12d766c7ed1c53p-1072, -0x1f609cef7f3c37p-48, 0x0p0f, 0x0p0f},
    {"tiny", 4600, 4100, -0x1ba9dad39cf6b0p-1073, -0x14e2ea67348085p-47, 0x0p0f, 0x0p0f},
    {"two_scales", 601, 1, -0x1c2fb82eb55828p545, 0x1570b3a4afa2e1p232, -0x800000p-23f, 0x0p0f},
    {"two_scales", 602, 2, -0x1613616ee2eb50p546, 0x18f564fea492b4p379, -0x800000p-23f, 0x0p0f},
    {"two_scales", 603, 3, -0x1e2784d9c5f3a8p546, -0x1389006c18a037p-271, -0x800000p-23f, 0x0p0f},
    {"two_scales", 624, 24, -0x17d2350a3f252fp548, -INFINITY, -0xc00000p-21f, 0xc00000p-22f},
    {"two_scales", 1608, 1008, -0x1d4e4d83ae9cfep549, INFINITY, 0xa00000p-20f, -0xaf6183p103f},
    {"two_scales", 1609, 1009, 0x11b9bb0a760358p548, INFINITY, 0xc00000p-20f, 0x9168c0p99f},
    {"two_scales", 4700, 4100, -0x1340637c47aa41p552, -INFINITY, -0x960000p-17f, -0x8b24cbp101f},
};
// clang-format on

}  // namespace nearfar::test
