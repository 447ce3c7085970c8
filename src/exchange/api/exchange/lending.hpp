// SPDX-License-Identifier: BSD-3-Clause
// Lending: data of near ranks is not copied but shown in place to a reader, such as the fused transform.
#pragma once

#include <base/numbers.hpp>
#include <cstddef>
#include <span>

namespace nearfar::exchange {

/// Where the elements of one receive are to be read: in the peer's memory, in this rank's own source, or, where the
/// method brought them there, in their region of the pattern. Dimensions as in the boxes of the pattern, which are the
/// same at both ends.
struct lent_box {
  const std::byte* first = nullptr;
  const index_t* strides_bytes = nullptr;
};

/// Given to an exchange (exchange_options::reader), it is called once in each epoch, by test() or finish() or any other
/// wait of this process, when all that this rank receives can be read. Peers may change their sources after it has
/// returned.
class box_reader {
 public:
  virtual ~box_reader() = default;
  /// `boxes` are in the order of the pattern's receives. Must not wait for peers, nor throw.
  virtual void read(std::span<const lent_box> boxes) = 0;
};

}  // namespace nearfar::exchange
