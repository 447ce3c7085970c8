// SPDX-License-Identifier: BSD-3-Clause
// The end of a stream: collective in close(), local and without MPI in the destructor.
#include <base/log.hpp>
#include <exception>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>

#include "stream_state.hpp"

namespace nearfar {

using namespace output;

void output_state::leave() noexcept {
  pinning_.release();
  group_.leave();
}

void output_state::close() {
  if (is_closed_) return;
  agree(members_, [&] {
    if (is_in_step_) throw usage_error(text("close() of the stream ", path_, " within a step"));
  });
  std::exception_ptr problem;
  try {
    group_.wait_until_durable();
  } catch (const error&) {
    problem = std::current_exception();
    group_.end_as(ending::abandon);
  }
  is_closed_ = true;
  leave();
  agree(members_, [&] {
    group_.end_as(ending::finish);
    if (group_.is_leader() && !group_.end_writer()) throw io_error(text("the writer rank does not let go of ", path_));
  });
  agree(members_, [&] {
    try {
      if (store_.is_open()) store_.finish(layout_.plan());
    } catch (const io_error& e) {
      if (!problem) throw;  // else the disk is known to be full, or worse
      log::warning("output: ", path_, ": ", e.what(), "; opening it to append makes up for that");
    }
    store_ = {};
  });
  // An error that was thrown before is not thrown twice.
  agree(members_, [&] {
    if (problem && !was_told_) std::rethrow_exception(problem);
  });
}

// Writers elsewhere may still be at it: only one that is alone may be followed by a cut.
void output_state::end_store(bool is_quiet) {
  if (!store_.is_open()) return;
  if (is_quiet && layout_.plan().writers == 1)
    store_.finish(layout_.plan());
  else
    store_.finish_headers(layout_.plan());
  store_ = {};
}

void output_state::end_alone() {
  leave();
  if (group_.is_leader()) end_store(group_.end_alone(was_told_));
}

output_state::~output_state() {
  try {
    if (group_.frames().is_set() && !is_closed_) end_alone();
  } catch (const std::exception& e) {
    log::warning("output: ", path_, ": ", e.what());
  }
}

}  // namespace nearfar
