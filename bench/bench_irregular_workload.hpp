// SPDX-License-Identifier: BSD-3-Clause
// The irregular access patterns of the gather benchmark: a mesh with hanging faces, its larger brother, and random
// indices.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

using id_type = std::int64_t;

/// An array of `size` elements, and who refers to which of them. Every rank makes all of it, the same on each.
struct pattern {
  id_type size = 0;
  std::vector<std::vector<id_type>> references;  ///< of each rank, in its own order, with repetitions
};

/// Cubes (`roots` along each side of a cube, in Morton order), those within 0.4 of the side from the centre cut into
/// eight; each element refers to the points of its 6 faces (the 4 smaller faces where the neighbour is cut), 12 edges
/// and 8 corners, 5 along each edge. Points are numbered as they are met first; references are split evenly.
pattern mesh_pattern(int roots, int ranks);

/// 60,000 elements; each rank refers to 30,000 different ones, six times each, in random order.
pattern random_pattern(int ranks);

/// What one rank has of a pattern with elements owned in blocks, and the truth about it.
struct share {
  struct peer {
    int rank;
    std::vector<int> elements;  ///< own elements that the peer has as ghosts, ascending; or ghosts owned by the peer
  };

  share(const pattern& all, int rank);

  int rank, ranks;
  id_type size, begin, end;         ///< own elements: begin … end
  std::vector<id_type> references;  ///< global
  std::vector<int> local;           ///< the same as places in own | ghost
  std::vector<id_type> ghosts;      ///< what others own, ascending
  std::vector<peer> readers;        ///< who has own elements as ghosts
  std::vector<peer> owners;         ///< whose elements the ghosts are: consecutive places among the ghosts

  /// An own element that others have as a ghost.
  struct shared_element {
    int place, readers, sum_of_ranks;
  };
  std::vector<shared_element> shared;

  /// Of all references of all ranks to each own element: how many there are, and the sum of ref_weight().
  std::vector<int> uses;
  std::vector<double> weights;
  id_type first_reference = 0;  ///< references of the ranks before this one

  int owned() const { return static_cast<int>(end - begin); }
};

/// A small whole number that differs between neighbouring references; `place` counts through all ranks.
inline double ref_weight(id_type place) { return static_cast<double>(place & 63); }

/// "166776 references and 1373 … of the first rank": a line for --list.
std::string describe(const pattern& all);

}  // namespace bench
