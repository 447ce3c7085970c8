// SPDX-License-Identifier: BSD-3-Clause
// Where a rank's mortar points lie in its mortar vectors, and how its elements refer to them.
#pragma once

#include <array>
#include <cstdint>
#include <element/entities.hpp>
#include <memory>
#include <mesh/octant.hpp>
#include <mortar/leaf_shape.hpp>
#include <mortar/sharers.hpp>
#include <mortar/trace_list.hpp>
#include <nearfar/team.hpp>
#include <span>
#include <vector>

namespace adaptive_heat {

using index_t = std::int64_t;

/// A mortar vector: [own private | own shared | ghosts | padding to 8 | traces of edges | traces of faces | unused
/// zeros].
///
/// Shared points are those that other ranks refer to. Ghosts are sorted by owner, then by the owner's order. Points of
/// one entity are next to each other wherever they are.
struct mortar_layout {
  point_counts counts;  ///< of the elements
  index_t own_private = 0, own_shared = 0, ghosts = 0;
  index_t traces_begin = 0, size = 0;
  index_t own() const noexcept { return own_private + own_shared; }
  index_t total() const noexcept { return own() + ghosts; }  ///< of real points
  /// Where SIMD lanes without element point.
  index_t unused() const noexcept { return size - counts.of_dimension(2); }

  /// First values of each element's 26 entities; where a split edge or face has none, of its trace.
  std::vector<std::array<std::int32_t, entities>> places;
  trace_list edge_traces, face_traces;  ///< those with shared points or ghosts first
  index_t shared_edge_traces = 0, shared_face_traces = 0;
  std::vector<std::uint8_t> is_boundary;  ///< per element: refers to a point that is shared or a ghost

  std::vector<std::uint8_t> entity_dimensions;  ///< of each entity, as they lie in mortar vectors
  int points_of_entity(std::size_t n) const noexcept { return counts.of_dimension(entity_dimensions[n]); }
  std::size_t private_entities = 0;           ///< of those the first
  sharer_lists sharers;                       ///< of all others
  std::vector<std::int32_t> surface;          ///< points on the surface of the cube
  std::vector<std::int64_t> ghost_index;      ///< global index of each ghost among the shared points of all ranks
  std::vector<std::int64_t> ghost_index_all;  ///< and among all points of all ranks
  std::vector<std::int64_t> shared_sizes;     ///< own_shared of all ranks
  std::vector<std::int64_t> own_sizes;        ///< own() of all ranks
  std::vector<std::int64_t> copy_sizes;       ///< own_shared + ghosts of all ranks
  index_t largest = 0;                        ///< no rank's size is larger
  index_t own_vertices = 0;                   ///< entities that are vertices, among own()
};

struct layout_request {
  std::span<const octant> leaves;      ///< of this rank, sorted
  std::span<const leaf_shape> shapes;  ///< of those
  std::span<const std::uint64_t>
      first_key;                  ///< per rank the key of the first cell that is its own, and the end: P + 1 of them
  std::span<const int> partners;  ///< ranks that have leaves which touch leaves of this one, or more; mutual
  bool has_own_traces = false;    ///< each element has traces of its own, not shared with others
  int order = usual_order;        ///< of the elements
};

/// Numbers mortar points, again and again: elements that are as they were in the mesh before are not looked at anew,
/// and the result is what it would be for the mesh alone.
class layout_maker {
 public:
  explicit layout_maker(const nearfar::team& members);
  ~layout_maker();
  /// Collective over the team.
  /// @cost a message to each partner, an answer to those that ask for something, and an allgather of four numbers
  void make(const layout_request& request, mortar_layout& out);

 private:
  class work;
  std::unique_ptr<work> work_;
};

}  // namespace adaptive_heat
