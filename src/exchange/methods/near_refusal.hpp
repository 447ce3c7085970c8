// SPDX-License-Identifier: BSD-3-Clause
// Messages in place of memory that a near rank is to read where it lies, and cannot read or map any more: its owner has
// changed its user or been made unreadable, or no descriptor is left.
//
//   in the sender's block   refused: epoch n cannot be read    reader writes, sender reads
//
//   epoch n   reader: cannot read: refused = n, receives a message, unpacks it, taken = n
//             sender: waits for taken = n, as for all that is read in place; sees refused = n: packs, sends once
//
// Nothing is kept from one epoch to the next: the reader tries again, since reading may be allowed again.
#pragma once

#include <far/single_message.hpp>
#include <near/signal.hpp>
#include <vector>

#include "../flow.hpp"

namespace nearfar::exchange {

class refused_sender {
 public:
  void connect(const near::signal* refused, const far::envelope& to) { refused_ = refused, to_ = to; }
  /// Sends the flow if epoch n was refused and it has not been sent. @return false while a message is in flight
  bool answer(const flow& f, std::uint64_t epoch);
  bool is_refused(std::uint64_t epoch) const noexcept { return refused_ != nullptr && refused_->has_reached(epoch); }
  bool is_in_flight() const noexcept { return message_.is_in_flight(); }

 private:
  const near::signal* refused_ = nullptr;  ///< in this rank's block
  far::envelope to_{};
  std::uint64_t answered_ = 0;
  std::vector<std::byte> packed_;
  far::single_message message_;
};

class refused_receiver {
 public:
  void connect(near::signal* refused, const far::envelope& from) { refused_ = refused, from_ = from; }
  void refuse(const flow& f, std::uint64_t epoch);
  bool is_in_flight() const noexcept { return message_.is_in_flight(); }
  /// Unpacks what has come. @return false while it is in flight
  bool take(const flow& f);

 private:
  near::signal* refused_ = nullptr;  ///< in the sender's block
  far::envelope from_{};
  std::vector<std::byte> packed_;
  far::single_message message_;
};

}  // namespace nearfar::exchange
