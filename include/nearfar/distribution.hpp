// SPDX-License-Identifier: BSD-3-Clause
// A distribution: which rank owns each element of a global array, and where the element lies among that rank's own.
#pragma once

#include <cstdint>
#include <memory>
#include <nearfar/api.hpp>
#include <nearfar/index.hpp>
#include <nearfar/team.hpp>
#include <span>
#include <string>

namespace nearfar {

/// A program's own way of distributing. Called in bulk, never per element; called from one thread at a time, and must
/// not communicate.
///
/// Every element has one owner, and each rank's elements have the offsets 0, 1, 2 … there: what `locate` says of an
/// index that `globals` gave for (rank, offset) must be that rank and offset. distribution::check_round_trip() tests
/// it.
class NEARFAR_API distribution_rule {
 public:
  virtual ~distribution_rule() = default;
  virtual index_t elements() const = 0;          ///< of the whole array; the same on every rank
  virtual index_t owned_by(int rank) const = 0;  ///< elements of one rank; asked for this rank only
  /// owners[i], offsets[i] = place of the element indices[i]. Indices are in range, in any order, with repetitions.
  virtual void locate(std::span<const index_t> indices, std::span<int> owners, std::span<index_t> offsets) const = 0;
  /// indices[i] = the element at offsets[i] of `rank`.
  virtual void globals(int rank, std::span<const index_t> offsets, std::span<index_t> indices) const = 0;
};

struct distribution_state;  // internal

/// Copies share one state. Every factory is collective over the team; sizes that disagree or are negative are a
/// usage_error on every rank. A rank may own nothing, and there may be more ranks than elements.
class NEARFAR_API distribution {
 public:
  /// Contiguous blocks in rank order; the first elements % ranks ranks have one element more.
  static distribution block(const nearfar::team& members, index_t elements);
  /// Contiguous blocks in rank order, of the sizes that the ranks name, below 2^63 in all.
  /// @cost 8 bytes per rank of the team
  static distribution block_sizes(const nearfar::team& members, index_t own_elements);
  /// The same where every rank knows all sizes, which must be the same on all of them: nothing is sent, and nothing is
  /// compared.
  /// @throws usage_error on this rank: another number of sizes than ranks, a negative size, sizes that add up to 2^63
  static distribution block_sizes(const nearfar::team& members, std::span<const index_t> of_ranks);
  /// Element g belongs to rank g % ranks.
  static distribution cyclic(const nearfar::team& members, index_t elements);
  /// Blocks of `block_elements` elements, dealt out in turn.
  static distribution block_cyclic(const nearfar::team& members, index_t elements, index_t block_elements);
  /// Two arrays after one another, elements [0, first_elements) and the others, each in blocks: rank r has block r of
  /// both, the first part's elements at the lower offsets. @source Korzh's "two-block" for the mortar points of NPB UA
  static distribution two_block(const nearfar::team& members, index_t elements, index_t first_elements);
  /// The same with the second part's blocks in reverse order of ranks, which evens out what the first part leaves
  /// uneven.
  static distribution reversed_two_block(const nearfar::team& members, index_t elements, index_t first_elements);
  /// Each rank lists the global indices that it owns, in the order of its offsets; together 0 … N-1, each once.
  /// @throws usage_error  on every rank: an index out of range, owned twice or by nobody
  /// @cost   a directory of 16 bytes per element, in equal parts on all ranks; locate() is collective and asks it
  static distribution from_owned(const nearfar::team& members, std::span<const index_t> owned);
  /// The program's own. @throws usage_error on every rank if sizes do not add up to elements(). An irregular plan
  /// refuses places that `locate` names behind a rank's elements. @cost 8 bytes per rank of the team
  static distribution from_rule(const nearfar::team& members, std::shared_ptr<const distribution_rule> rule);

  index_t elements() const noexcept { return elements_; }  ///< of the whole array
  index_t owned() const noexcept { return owned_; }        ///< of this rank

  /// owners[i], offsets[i] = place of the element indices[i]. Local; of a distribution made by from_owned() collective
  /// over the team.
  /// @throws usage_error an index out of range (on every rank where it is collective), or spans of different lengths
  void locate(std::span<const index_t> indices, std::span<int> owners, std::span<index_t> offsets) const;
  /// Whether locate() must be called by all ranks: true of from_owned() alone.
  bool is_locating_collective() const noexcept;

  /// indices[i] = the element at offsets[i] of this rank. Local. @throws usage_error an offset out of range
  void globals(std::span<const index_t> offsets, std::span<index_t> indices) const;

  /// Tests that sizes add up, and that every own element (at most `sample` of them, spread evenly; 0: all) is located
  /// where it is. Collective. @throws usage_error on every rank, naming the element
  void check_round_trip(index_t sample = 0) const;

  const nearfar::team& team() const noexcept;  ///< the team that the elements are spread over
  std::string describe() const;                ///< one line: "block, 63169 elements, 31585 here"

 private:
  friend struct internals;
  explicit distribution(std::shared_ptr<const distribution_state> state) noexcept;
  std::shared_ptr<const distribution_state> state_;
  index_t elements_, owned_;  ///< the state's: loops ask for them
};

}  // namespace nearfar
