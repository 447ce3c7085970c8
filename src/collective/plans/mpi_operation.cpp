// SPDX-License-Identifier: BSD-3-Clause
// One request, or several if the counts are too large for one call.
#include "mpi_operation.hpp"
#include "../plain_call.hpp"

#include <optional>
#include <topology/team_state.hpp>
#include <vector>

#include "../sent_copy.hpp"
#include "borrowed_comm.hpp"

namespace nearfar::collective {

namespace {

class mpi_operation : public operation {
 public:
  mpi_operation(const call& c, const team& members, bool fits)
      : call_(c), fits_(fits), comm_(borrow_comm(members, span_of_comm::team)) {
    if (is_exchanged_wrongly(c)) sent_.emplace(c, members.size());
  }

  ~mpi_operation() override {
    if (is_complete_) return;
    static_cast<void>(
        new auto(std::move(comm_)));  // calls that will never complete: nobody else may use their communicator
  }

  void start() override {
    requests_.clear();
    is_complete_ = false;
    if (sent_) call_ = sent_->renew();
    check_mpi(start_plainly(call_, comm_->comm(), fits_, requests_), "MPI's nonblocking collective");
  }

  bool test() override {
    if (is_complete_) return true;
    int is_complete = 0;
    check_mpi(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &is_complete, MPI_STATUSES_IGNORE),
              "MPI_Testall");
    is_complete_ = is_complete != 0;
    return is_complete_;
  }

  std::string awaited() const override { return "other ranks"; }
  bool calls_mpi() const noexcept override { return true; }
  bool is_independent() const noexcept override { return true; }

 private:
  call call_;
  bool fits_;
  std::optional<sent_copy> sent_;
  far::lease_pool<borrowed_comm>::lease comm_;
  std::vector<MPI_Request> requests_;
  bool is_complete_ = true;
};

}  // namespace

std::unique_ptr<operation> make_mpi_operation(const call& c, const team& members, bool fits) {
  return std::make_unique<mpi_operation>(c, members, fits);
}

}  // namespace nearfar::collective
