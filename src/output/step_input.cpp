// SPDX-License-Identifier: BSD-3-Clause
// Runs of a box, joined where little lies between them, through memory that fits into the caches.
#include "step_input.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace nearfar::output {

namespace {

constexpr index_t most_at_once = 1 << 20;
constexpr index_t widest_gap = page_bytes;  // the disk reads whole pages anyway

bool is_chunk(const writer_plan& plan, const brick& b) {
  const auto& extents = plan.layout.arrays[as_size(b.array)].extents;
  const auto& chunk = plan.files.places[as_size(b.array)].chunk;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const index_t lower = b.where.lower.at(d);
    if (lower >= extents[d] || lower % chunk.at(d) != 0) return false;
    if (b.where.upper.at(d) != std::min(lower + chunk.at(d), extents[d])) return false;
  }
  return true;
}

}  // namespace

step_input::step_input(const writer_plan& plan, index_t step, const std::atomic<bool>* is_called_off)
    : plan_(plan), step_(step), is_called_off_(is_called_off), in_(plan.layout_of(step, nullptr)) {}

std::string step_input::path_of(const brick& b) const {
  const stream_file& f = plan_.files.files.at(as_size(plan_.file_of(b)));
  return std::filesystem::exists(f.path(step_)) || !f.is_per_step ? f.path(step_) : f.part(step_);
}

void step_input::open(const brick& b) {
  if (plan_.is_compressed(b) && !is_chunk(plan_, b)) throw io_error("a part of an array is no chunk of it");
  std::string path = path_of(b);
  if (path == path_) return;
  path_.clear();  // which it stays where that fails
  file_ = open_file(path, O_RDONLY);
  path_ = std::move(path);
}

index_t step_input::bytes_of_chunk(const brick& b) {
  open(b);
  const off_t end = lseek(file_.get(), 0, SEEK_END);
  if (end < 0) refuse_file(path_, "read", errno);
  return end;
}

void step_input::read_chunk(const brick& b, const taking& take) {
  const index_t bytes = bytes_of_chunk(b);
  for (index_t at = 0; at < bytes; at += most_at_once) {
    const index_t n = std::min(most_at_once, bytes - at);
    read_at(at, n);
    take(memory_.data(), n, at);
  }
}

void step_input::read_box(const brick& b, index_t begin, index_t end, const taking& take) {
  open(b);
  const array_shape& a = plan_.layout.arrays[as_size(b.array)];
  const index_t array_begin = in_.begins[as_size(b.array)];
  runs_.clear();
  for_each_run(a, b.where, [&](index_t in_array, index_t in_box, index_t elements) {
    const index_t at = in_box * a.element_bytes;
    const index_t from = std::max(at, begin), to = std::min(at + elements * a.element_bytes, end);
    if (from < to) add({array_begin + in_array * a.element_bytes + from - at, to - from, from}, take);
  });
  flush(take);
}

void step_input::add(run r, const taking& take) {
  if (!runs_.empty() && (r.offset - end_ > widest_gap || r.offset - first_ >= most_at_once)) flush(take);
  while (r.bytes > 0) {
    if (runs_.empty()) first_ = r.offset;
    const run now{r.offset, std::min(r.bytes, first_ + most_at_once - r.offset), r.at};
    runs_.push_back(now);
    end_ = now.offset + now.bytes;
    r = {end_, r.bytes - now.bytes, r.at + now.bytes};
    if (r.bytes > 0) flush(take);
  }
}

void step_input::flush(const taking& take) {
  if (runs_.empty()) return;
  read_at(first_, end_ - first_);
  for (const run& r : runs_) take(memory_.data() + (r.offset - first_), r.bytes, r.at);
  runs_.clear();
}

void step_input::read_at(index_t offset, index_t bytes) {
  if (is_called_off_ != nullptr && is_called_off_->load(std::memory_order_relaxed)) throw called_off();
  if (as_index(memory_.size()) < bytes) memory_.resize(as_size(bytes));
  for (index_t done = 0; done < bytes;) {
    const ssize_t n = pread(file_.get(), memory_.data() + done, as_size(bytes - done), offset + done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw io_error(text(path_, " cannot be read: ", n < 0 ? std::strerror(errno) : "it is too short"));
    done += n;
  }
}

}  // namespace nearfar::output
