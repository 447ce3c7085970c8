// SPDX-License-Identifier: BSD-3-Clause
// The state of a stream, from making its files to its last step.
#pragma once

#include <memory>
#include <nearfar/output.hpp>
#include <optional>

#include "frame_pinning.hpp"
#include "policy_tuner.hpp"
#include "store.hpp"
#include "stream_layout.hpp"
#include "writer_group.hpp"

namespace nearfar {

/// What a stream keeps when it is opened again with another number of writers.
struct earlier_steps {
  std::uint64_t steps = 0;
  double waited_s = 0, longest_wait_s = 0, copied_s = 0;
  std::optional<output::policy_tuner> tuner = std::nullopt;  // none: the stream is new
};

struct output_state {
  output_state(const team& members, std::string path, std::vector<output_array> arrays, output_options options,
               earlier_steps earlier = {});
  ~output_state();
  output_state(const output_state&) = delete;
  output_state& operator=(const output_state&) = delete;

  /// begin_step() in two parts. Returns when there is a frame; the tuner may then want another number of writers.
  void await_step(const std::vector<index_t>& rows);
  index_t begin_step(double time, const std::vector<index_t>& rows);
  bool has_wanted_writers() const noexcept { return wanted_writers_ == writers_per_node_; }
  /// Collective; between steps, with all that is accepted on disk.
  static std::unique_ptr<output_state> reopened(std::unique_ptr<output_state> before);
  void put(const std::string& name, const void* data);
  void put(const std::string& name, const void* data, const std::array<index_t, max_dimensions>& strides_bytes);
  output_slot slot(const std::string& name);
  void end_step();
  void flush();
  void close();
  std::string describe() const;

  const team& members() const noexcept { return members_; }
  index_t steps() const noexcept { return group_.steps(); }
  index_t written_steps() const noexcept { return group_.written_steps(); }

 private:
  // stream_making.cpp
  void take_turn();
  void open_store();
  std::vector<std::vector<output::brick>> parts_of_writers() const;
  void share_files();
  output::taker first_taker();

  // stream_reopening.cpp
  std::vector<int> numbers_of_writers() const;

  // stream_steps.cpp
  void require_open(const char* call) const;
  void require_step(const char* call) const;
  void require_capacity() const;
  template <class Copy>
  void copy(const void* data, Copy what);
  void note_wait(double since) noexcept;
  void follow_tuner();

  // stream_ending.cpp
  void leave() noexcept;
  void end_store(bool is_quiet);
  void end_alone();

  team members_;
  std::string path_;
  output_options options_;
  output::stream_layout layout_{members_, path_, options_};
  output::writer_group group_{members_, path_, options_, layout_};
  output::store store_;  // the root's
  output::frame_pinning pinning_;
  earlier_steps earlier_;
  output::policy_tuner tuner_;
  int writers_per_node_ = 1, wanted_writers_ = 1;
  bool is_in_step_ = false, is_closed_ = false, was_told_ = false;
  double time_ = 0, waited_s_ = 0, longest_wait_s_ = 0, copied_s_ = 0;
};

}  // namespace nearfar
