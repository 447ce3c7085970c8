// SPDX-License-Identifier: BSD-3-Clause
// Objects that only a collective call can make (communicators, windows) are made once per team and lent to plans: codes
// that make plans after each mesh change would run out of them otherwise.
#pragma once

#include <base/internals.hpp>
#include <functional>
#include <memory>
#include <nearfar/team.hpp>
#include <topology/team_state.hpp>
#include <vector>

namespace nearfar::far {

/// All ranks hold the same number of entries in the same order, since entries are only added collectively. Plans may
/// give entries back at different moments on different ranks; an entry is lent again only when it is free everywhere.
template <class Thing>
class lease_pool {
  struct entry {
    std::unique_ptr<Thing> thing;
    bool is_lent = false;
  };

 public:
  /// Gives the thing back when it is destroyed. Movable.
  class lease {
   public:
    lease() = default;
    explicit lease(std::shared_ptr<entry> e) : entry_(std::move(e)) { entry_->is_lent = true; }
    lease(lease&&) noexcept = default;
    lease& operator=(lease&& other) noexcept {
      give_back();
      entry_ = std::move(other.entry_);
      return *this;
    }
    ~lease() { give_back(); }
    Thing& operator*() const noexcept { return *entry_->thing; }
    Thing* operator->() const noexcept { return entry_->thing.get(); }

   private:
    void give_back() noexcept {
      if (entry_) entry_->is_lent = false;
    }
    std::shared_ptr<entry> entry_;
  };

  static lease_pool& of(const team& members) {
    return state_of(members).template attachment<lease_pool>([] { return new lease_pool; });
  }

  /// The first thing that is free and fits on every rank, else a new one. Collective over the team.
  lease borrow(const team& members, const std::function<bool(const Thing&)>& fits,
               const std::function<std::unique_ptr<Thing>()>& make) {
    std::vector<signed char> mine(entries_.size() + 1, 1), everywhere(mine.size());
    for (std::size_t i = 0; i < entries_.size(); ++i)
      mine[i] = !entries_[i]->is_lent && fits(*entries_[i]->thing) ? 1 : 0;
    watched_mpi("MPI_Allreduce", [&] {
      return MPI_Allreduce(mine.data(), everywhere.data(), static_cast<int>(mine.size()), MPI_SIGNED_CHAR, MPI_MIN,
                           members.comm());
    });
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (everywhere[i] != 0) return lease(entries_[i]);
    entries_.push_back(std::make_shared<entry>());
    entries_.back()->thing = make();
    return lease(entries_.back());
  }

 private:
  std::vector<std::shared_ptr<entry>> entries_;
};

}  // namespace nearfar::far
