// SPDX-License-Identifier: BSD-3-Clause
// The two ends of a message in place of what cannot be read.
#include "near_refusal.hpp"

namespace nearfar::exchange {

bool refused_sender::answer(const flow& f, std::uint64_t epoch) {
  if (!is_refused(epoch)) return true;
  if (answered_ != epoch) {
    answered_ = epoch;
    packed_.resize(as_size(f.bytes));
    f.pack_into(packed_.data());
    message_.send(packed_.data(), f.bytes, to_);
  }
  return !message_.is_in_flight() || message_.is_over();
}

void refused_receiver::refuse(const flow& f, std::uint64_t epoch) {
  packed_.resize(as_size(f.bytes));
  message_.receive(packed_.data(), f.bytes, from_);
  refused_->set(epoch);
}

bool refused_receiver::take(const flow& f) {
  if (!message_.is_over()) return false;
  f.unpack_from(packed_.data());
  return true;
}

}  // namespace nearfar::exchange
