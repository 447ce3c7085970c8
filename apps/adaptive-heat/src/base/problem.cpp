// SPDX-License-Identifier: BSD-3-Clause
// Looks up a problem class.
#include <base/problem.hpp>
#include <nearfar/error.hpp>
#include <string>

namespace adaptive_heat {

const problem& problem_class(std::string_view name) {
  for (const problem& p : problem_classes)
    if (name.size() == 1 && name[0] == p.name) return p;
  throw nearfar::usage_error("there is no problem class '" + std::string(name) + "'; the classes are S W A B C D E");
}

}  // namespace adaptive_heat
