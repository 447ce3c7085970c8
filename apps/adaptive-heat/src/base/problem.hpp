// SPDX-License-Identifier: BSD-3-Clause
// The problem classes of NPB UA: how fine the mesh is, how many steps there are, and what must come out.
#pragma once

#include <array>
#include <string_view>

namespace adaptive_heat {

constexpr int steps_between_adaptations = 5;

struct problem {
  char name = 'U';
  int levels = 0;       ///< finest level of the mesh
  int steps = 0;        ///< time steps
  int iterations = 10;  ///< of the conjugate gradients in each step
  double radius = 0;    ///< of the ball
  double integral = 0;  ///< reference value of the heat at the end; 0: there is none

  /// Time step: 0.04 sides of the smallest element.
  constexpr double time_step() const noexcept { return 0.04 / (1LL << levels); }
};

/// @source NPB 3.4, UA: npbparams of setparams, verify; class E has no reference value
constexpr std::array<problem, 7> problem_classes{{
    {'S', 4, 50, 10, 0.040, 0.1890013110962e-02},
    {'W', 5, 100, 10, 0.060, 0.2569794837076e-04},
    {'A', 6, 200, 10, 0.076, 0.8939996281443e-04},
    {'B', 7, 200, 10, 0.076, 0.4507561922901e-04},
    {'C', 8, 200, 10, 0.067, 0.1544736587100e-04},
    {'D', 10, 250, 10, 0.046, 0.1577586272355e-05},
    {'E', 12, 250, 10, 0.0294, 0},
}};

/// The class of that name, S W A B C D or E. @throws nearfar::usage_error for any other
const problem& problem_class(std::string_view name);

}  // namespace adaptive_heat
