// SPDX-License-Identifier: BSD-3-Clause
// Opening and naming files, and their contents besides data.
#include "step_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "step_writer.hpp"

namespace nearfar::output {

void refuse_step(index_t frame, const std::string& path, int code) {
  throw step_error(text("step ", frame, " of ", path, " cannot be written: ", std::strerror(code), "; the ", frame,
                        " steps before it are whole"));
}

std::string words_about_step(index_t frame, const std::exception& why) {
  if (dynamic_cast<const step_error*>(&why) != nullptr) return why.what();
  return text("step ", frame, " cannot be written: ", why.what(), "; the ", frame, " steps before it are whole");
}

void give_name(const stream_file& file, index_t step) {
  const std::string name = file.path(step), part = file.part(step);
  if (std::rename(part.c_str(), name.c_str()) == 0) return;
  const int code = errno;
  if (code != ENOENT || access(name.c_str(), F_OK) != 0) refuse_file(part, "renamed", code);
}

step_files::step_files(const writer_plan& plan) : plan_(plan), open_(plan.files.files.size()) {
  for (std::size_t f = 0; f < open_.size(); ++f)
    if (const stream_file& file = plan_.files.files[f]; !file.is_per_step)
      open_[f] = data_file(file.path(0), plan_.is_direct);
}

// Of files per step it is known when there is one.
bool step_files::is_direct() const noexcept {
  return std::all_of(open_.begin(), open_.end(), [](const data_file& f) { return !f.is_open() || f.is_direct(); });
}

bool step_files::is_mine(std::size_t file) const {
  const auto& bricks = plan_.layout.bricks;
  const bool has_data = std::any_of(bricks.begin(), bricks.end(),
                                    [&](const brick& b) { return plan_.file_of(b) == static_cast<int>(file); });
  return has_data || (plan_.writer == 0 && (!plan_.files.files[file].pieces.empty() || plan_.layout.table_bytes > 0));
}

void step_files::begin(index_t frame, const step_layout& in) {
  for (std::size_t f = 0; f < open_.size(); ++f) {
    const stream_file& file = plan_.files.files[f];
    if (!file.is_per_step || !is_mine(f)) continue;
    const bool is_alone = file.is_of_one_writer || plan_.writers == 1;
    open_[f] = data_file(file.part(frame), plan_.is_direct, is_alone ? O_CREAT | O_TRUNC : O_CREAT);
    const index_t bytes = in.file_bytes > 0 ? in.file_bytes : file.bytes;
    if (bytes == 0) continue;
    if (const int code = open_[f].reserve(0, bytes); code != 0) refuse_step(frame, open_[f].path(), code);
  }
  for (std::size_t a = 0; a < plan_.files.places.size(); ++a) {
    const array_place& p = plan_.files.places[a];
    if (p.stride == 0 || plan_.files.files[as_size(p.file)].bytes > 0) continue;
    const data_file& file = open_[as_size(p.file)];
    const int code = file.reserve(p.offset + frame * p.stride, plan_.layout.arrays[a].frame_bytes());
    if (code != 0) refuse_step(frame, file.path(), code);
  }
}

const data_file& step_files::of(const brick& b) const { return open_[as_size(plan_.file_of(b))]; }

void step_files::write_small(std::size_t file, index_t frame, const void* from, index_t bytes, index_t offset) const {
  if (const int code = open_[file].write(from, bytes, offset); code != 0) refuse_step(frame, open_[file].path(), code);
}

void step_files::write_fixed(index_t frame, double time, const step_layout& in) const {
  for (std::size_t f = 0; f < open_.size() && plan_.writer == 0; ++f) {
    const stream_file& file = plan_.files.files[f];
    if (!file.is_per_step || !open_[f].is_open()) continue;
    for (const auto* pieces : {&file.pieces, &in.pieces})
      for (const fixed_piece& p : *pieces) write_small(f, frame, p.bytes.data(), as_index(p.bytes.size()), p.offset);
    if (file.time_at >= 0) write_small(f, frame, &time, sizeof time, file.time_at);
  }
}

void step_files::sync(index_t frame) const {
  for (const data_file& f : open_)
    if (const int code = plan_.is_synced && f.is_open() ? f.sync() : 0; code != 0) refuse_step(frame, f.path(), code);
}

void step_files::name_own(index_t frame) {
  for (std::size_t f = 0; f < open_.size(); ++f) {
    const stream_file& file = plan_.files.files[f];
    if (!file.is_per_step || !open_[f].is_open()) continue;
    if (!is_shared(file)) give_name(file, frame);
  }
  if (plan_.is_synced) sync_folders([this](std::size_t f) { return open_[f].is_open(); });
}

void step_files::commit(index_t frame, double time) const {
  for (std::size_t f = 0; f < open_.size(); ++f) {
    const stream_file& file = plan_.files.files[f];
    if (file.is_per_step && is_shared(file)) give_name(file, frame);
    if (!file.is_per_step && file.time_at >= 0)
      write_small(f, frame, &time, sizeof time, file.time_at + frame * as_index(sizeof time));
    for (const step_count& c : file.counts)
      for (const number_in_file& n : c.of(frame + 1)) write_small(f, frame, &n.value, sizeof n.value, n.at);
  }
}

bool step_files::make_last() const {
  if (!plan_.is_synced) return false;
  bool is_any = false;
  for (std::size_t f = 0; f < open_.size(); ++f) {
    if (plan_.files.files[f].is_per_step || plan_.files.files[f].time_at < 0) continue;
    is_any = true;
    if (const int code = open_[f].sync(); code != 0) refuse_file(open_[f].path(), "synchronised", code);
  }
  // Another thread may open the next step's files meanwhile.
  return sync_folders([this](std::size_t f) { return is_shared(plan_.files.files[f]); }) || is_any;
}

template <class Which>
bool step_files::sync_folders(Which is_wanted) const {
  std::string latest;
  for (std::size_t f = 0; f < open_.size(); ++f) {
    const stream_file& file = plan_.files.files[f];
    if (!file.is_per_step || file.before == latest || !is_wanted(f)) continue;
    sync_folder_of(file.path(0));
    latest = file.before;
  }
  return !latest.empty();
}

bool step_files::is_shared(const stream_file& f) const noexcept { return !f.is_of_one_writer && plan_.writers > 1; }

std::string step_files::path_of(const write_failure& failure) const {
  for (const data_file& f : open_)
    if (f.owns(failure.plain_file)) return f.path();
  return plan_.journal;
}

}  // namespace nearfar::output
