// SPDX-License-Identifier: BSD-3-Clause
// The identity of a plan: ranks with different plans must not exchange data.
//
// Made in one order. Each plan begins with its identity: front and name are compared across the team, and the kinds of
// elements across the ranks that know them, so that plans that were made in another order on some rank, or of elements
// of another kind, are an error on every rank, with both names, kinds and the places in the source.
//
// Started in one order. Plans of one front, name and shape cannot be told apart when they are made. They form a family,
// numbered as made. The first start of each member sends its number to the ranks that it works with, and its finish
// receives theirs before it waits for data:
//
//   rank 0   start A -> 1 ... finish: rank 1 said 2, I said 1: error      rank 1   start B -> 2 ... finish: rank 0 said
//   1: error
//
// Messages of a family have a tag of their own, and both ends count the same starts, so that the n-th of one rank meets
// the n-th of the other. A family of one compares nothing. When the second member is made, all ranks agree whether the
// first has been started anywhere: if so it is never compared, else always. Later starts cost a branch.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <nearfar/error.hpp>
#include <nearfar/mpi.hpp>
#include <nearfar/team.hpp>
#include <source_location>
#include <string>
#include <vector>

namespace nearfar {

/// What the next plan that this thread makes was asked for by, where its constructor cannot know: calls of other
/// languages.
void set_caller_place(const char* file, unsigned line) noexcept;

struct plan_family;

class plan_identity {
 public:
  /// Of a plan with these options (those of all plans). Collective over the team.
  /// @throws usage_error  on every rank: another front, name or kind of elements on some rank
  template <class Options>
  plan_identity(const team& members, const char* front, const Options& options, const std::source_location& where)
      : plan_identity(members, front, options.name, options.type_name, where) {}
  ~plan_identity();
  plan_identity(const plan_identity&) = delete;
  plan_identity& operator=(const plan_identity&) = delete;

  /// Joins the plans of this shape (the same number on all ranks). `peers`: team ranks that it works with, in any
  /// order; of two ranks both have the other or none has. Collective.
  void join(std::uint64_t shape, std::vector<int> peers);
  /// The ranks before and after this one: for what all ranks take part in.
  static std::vector<int> neighbours(const team& members);

  /// Of the plan's start.
  void start() {
    if (is_new_) tell();
  }
  /// Of its test: false while finish() would wait.
  bool test() { return !mail_ || has_heard(); }
  /// Of its finish, before it waits for data. @throws usage_error  a peer has started another plan: data must not be
  /// waited for; transport_error  a peer does not answer
  void finish() {
    if (mail_) compare();
  }

 private:
  struct message {
    std::int64_t number;  ///< of the plan in its family, or a hash of what was compared
    std::array<char, 120> words;
  };
  plan_identity(const team& members, const char* front, const std::string& name, const std::string& elements,
                const std::source_location& where);
  /// What was sent to the peers and what comes from them, while the MPI may use it.
  struct mail {
    message mine;
    std::vector<message> theirs;
    std::vector<MPI_Request> requests;
  };
  void tell();
  bool has_heard();
  void compare();
  std::string late_ranks() const;

  team members_;
  std::string words_;  ///< front, name, elements, place
  std::uint64_t key_;
  plan_family* family_ = nullptr;
  std::int64_t number_ = 0;
  std::vector<int> peers_;
  std::unique_ptr<mail> mail_;  ///< between the first start and its finish
  bool is_new_ = true;
};

/// identity.finish() of a plan in flight. If peers have started another plan this one is given up, memory and all: the
/// MPI may still write to it, and waiting for its end would have none.
template <class State>
void finish_identity(std::unique_ptr<State>& plan) {
  try {
    plan->identity.finish();
  } catch (const usage_error&) {
    (void)plan.release();  // NOLINT: outlives the program on purpose
    throw;
  }
}

}  // namespace nearfar
