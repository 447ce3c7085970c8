// SPDX-License-Identifier: BSD-3-Clause
// One method by which a plan can be started and finished.
#pragma once

#include <near/past_caches.hpp>
#include <string>

namespace nearfar::collective {

class operation {
 public:
  operation() = default;
  virtual ~operation() = default;
  operation(const operation&) = delete;
  operation& operator=(const operation&) = delete;

  /// How what peers will read is written, until said otherwise. Local.
  virtual void write_by(near::stores) {}
  /// Waits for nobody who follows the order of MPI's calls. Local.
  virtual void start() = 0;
  /// Makes progress; true once the call is complete. Local.
  virtual bool test() = 0;
  /// Who keeps test() from being true, for complaints.
  virtual std::string awaited() const = 0;
  virtual bool calls_mpi() const noexcept = 0;
  /// Peers can finish when this rank has started, whatever it does then. Else they may need its test() or finish(), of
  /// any plan.
  virtual bool is_independent() const noexcept = 0;
};

}  // namespace nearfar::collective
