// SPDX-License-Identifier: BSD-3-Clause
// Numbers of elements, mortar points and vertices of NPB UA's meshes after each adaptation: steps 0, 5, 10 ….
// They come from an implementation of its own, checked against the printed output of NPB 3.4 and against p4est.
#pragma once

#include <base/problem.hpp>
#include <mesh/ball.hpp>
#include <vector>

namespace adaptive_heat::test {

inline const std::vector<int> elements_s{141, 134, 246, 190, 120, 204, 204, 120, 190, 246};
inline const std::vector<int> mortars_s{6990, 6631, 11559, 9291, 6013, 9761, 9761, 6013, 9295, 11559};
inline const std::vector<int> vertices_s{270, 256, 420, 351, 235, 362, 362, 235, 352, 420};
inline const std::vector<int> elements_w{561, 568, 526, 561, 477, 477, 589, 554, 484, 589,
                                         540, 512, 498, 575, 533, 505, 568, 505, 358, 526};
inline const std::vector<int> mortars_w{25474, 25685, 24131, 25570, 22078, 22078, 26606, 25119, 22185, 26558,
                                        24601, 23421, 22903, 26088, 24294, 23258, 25829, 23210, 16695, 23887};
inline const std::vector<int> elements_a{2003, 1695, 1786, 1912, 1933, 2066, 2066, 2129, 1989, 2052,
                                         2094, 1947, 2115, 2024, 1968, 1765, 1751, 1898, 1786, 2150,
                                         2171, 1996, 2087, 2136, 2122, 2150, 2045, 2066, 1716, 1779,
                                         1856, 1765, 2066, 2094, 2073, 1975, 1961, 2052, 1905, 2038};
inline const std::vector<int> mortars_a{85456, 72308, 76403, 81749, 82478, 88663, 87983, 90798, 84594, 87461,
                                        89211, 83044, 90572, 86233, 83969, 75482, 74720, 81035, 76259, 92063,
                                        92644, 85097, 89192, 91105, 90539, 92159, 87206, 88371, 73181, 76048,
                                        79385, 75386, 88467, 89211, 88290, 84272, 83510, 87461, 81294, 87335};
inline const std::vector<int> elements_b{8093, 8121, 7701, 8170, 8135, 7946, 7589, 8121, 8121, 7855,
                                         8177, 8268, 7813, 8170, 8142, 8030, 8030, 8219, 8079, 7610,
                                         8114, 8233, 7911, 8268, 8198, 8086, 7897, 8212, 8086, 7680,
                                         8072, 8121, 7421, 8058, 8107, 8079, 8093, 8254, 8219, 7841};
inline const std::vector<int> mortars_b{327498, 328582, 310906, 330687, 329536, 321675};
inline const std::vector<int> elements_c{31942, 32103, 32033, 31795, 31760, 31613, 31984, 32180, 32215, 31914,
                                         31732, 31382, 31501, 31921, 32145, 31942, 31998, 31921, 31928, 31998,
                                         32054, 32138, 32187, 32033, 31886, 31739, 31886, 32201, 32278, 31998,
                                         31872, 31732, 31935, 32054, 32180, 32040, 32005, 31676, 31669, 31641};
inline const std::vector<int> mortars_c{1249159, 1255204, 1252378, 1242504, 1240425, 1234506};
inline const std::vector<int> elements_d{
    505835, 505464, 506311, 505856, 505450, 505975, 505891, 505737, 505947, 506570, 505786, 505422, 506087,
    505709, 505436, 505338, 505226, 504680, 505128, 505555, 504946, 504953, 505779, 505359, 505114, 505765,
    505730, 505352, 505534, 506136, 505520, 505282, 505912, 505506, 505583, 505975, 505779, 505149, 505492,
    505947, 505394, 504792, 505618, 505142, 504743, 505261, 505170, 505401, 505653, 506297};

/// After each fifth adaptation, the initial mesh being the first.
inline const std::vector<int> mortars_d{19106072, 19111292, 19103627, 19084419, 19069103,
                                        19103082, 19091845, 19110508, 19087619, 19082154};

/// The ball after that many adaptations, the first of which makes the initial mesh.
inline ball ball_at(const problem& p, std::size_t adaptation) {
  return moving_ball{.radius = p.radius}.at(static_cast<double>(adaptation * steps_between_adaptations) *
                                            p.time_step());
}

}  // namespace adaptive_heat::test
