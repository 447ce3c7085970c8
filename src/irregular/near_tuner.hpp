// SPDX-License-Identifier: BSD-3-Clause
// Online tuning of the methods between near ranks, among a plan's own calls.
#pragma once

#include <tune/online_tuning.hpp>
#include <vector>

#include "choice.hpp"
#include "notification_table.hpp"

namespace nearfar::irregular {

enum class movement_kind : std::uint8_t {
  gather,     ///< own elements to ghosts
  scatter,    ///< ghosts combined with own elements
  canonical,  ///< values of references combined with own elements
};

/// Senders decide how near ranks read (decision 9), so that a rank may change its method without asking anybody. Each
/// kind of movement has races of its own (tune/online_tuning.hpp): ranks time their packing and their reading in a few
/// calls, never their waiting, tell each other over the notification table, and take what needs the least, packing and
/// reading of the slowest ranks together. All decide alike, from the same figures, and none waits for another.
class near_tuner {
 public:
  /// What a movement is, the same on all ranks.
  struct movement_class {
    movement_kind kind{};
    bool is_packed = false;  ///< in any case: in place is no choice
    index_t element_bytes = 0;
    friend bool operator==(const movement_class&, const movement_class&) = default;
  };

  /// Ranks make theirs in the same order. Local.
  near_tuner(notification_table& b, near_method gathers, near_method scatters);

  /// Counts a movement and says how it should go. Local; at the first movement of a class memory is allocated.
  near_method next(const movement_class& what);
  /// The movement of the latest next() is to be measured.
  bool is_timed() const noexcept { return current_ != nullptr && current_->races.is_timed(); }
  /// The method that the class of the latest next() uses outside of races.
  near_method in_use() const noexcept;
  /// What it took to post it, packing included, and to read what came.
  void note(near_method method, double out_s, double in_s) noexcept;

  /// What a read in place counts for. Lines that a peer has read come back when they are written anew, which the
  /// program pays for and no call shows: whole iterations take 1.5 to 9 times the call of a gather, 1.1 to 5.5 times
  /// that of a scatter, and with these weights the same method wins by calls and by whole iterations (figures:
  /// bench/report.py --show notes-irregular).
  static constexpr double in_place_weight(movement_kind kind) { return kind == movement_kind::gather ? 2.5 : 1.75; }

  near_method gathers() const noexcept { return gathers_; }                   ///< chosen last
  near_method scatters() const noexcept { return scatters_; }                 ///< the same
  bool has_changed() noexcept { return std::exchange(has_changed_, false); }  ///< since it was last asked
  int races() const noexcept;                                                 ///< decided, of all classes together

 private:
  struct entry {
    movement_class what;
    std::size_t number;                ///< in the table
    std::vector<near_method> methods;  ///< by candidate
    tune::online_tuning races;
    std::uint64_t stamp;  ///< of what this rank told last
    tune::online_tuning::figures all{};
    int heard = 0;  ///< near ranks whose figures are in `all`
  };
  entry* entry_of(const movement_class& what);
  void adopt(const entry& e);
  near_method& chosen(movement_kind kind) { return kind == movement_kind::gather ? gathers_ : scatters_; }
  void tend(entry& e);
  bool has_heard_all(entry& e) const;

  notification_table& notifications_;
  std::uint64_t session_;
  near_method gathers_, scatters_;
  std::vector<entry> entries_;
  entry* current_ = nullptr;
  bool has_changed_ = false;
};

}  // namespace nearfar::irregular
