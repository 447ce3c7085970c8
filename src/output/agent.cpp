// SPDX-License-Identifier: BSD-3-Clause
// From a full frame to a record in the journal.
#include "agent.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <base/clock.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "crc32c.hpp"
#include "journal.hpp"
#include "store.hpp"

namespace nearfar::output {

namespace {

constexpr int pool_threads = 3;  // and the agent itself: four blocks at a time
constexpr double nap_s = 0.1;
constexpr double seconds_between_headers = 1;

void add(std::atomic<double>& sum, double more) noexcept {
  sum.store(sum.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);  // one writer
}

}  // namespace

agent::agent(agent_plan plan, const ring& from) : plan_(std::move(plan)), ring_(from), pool_(pool_threads) {
  for (const array_files& f : plan_.files) files_.emplace_back(f.data, plan_.is_direct);
  journal_ = open_file(plan_.journal, O_WRONLY);
  bool is_direct = !files_.empty();
  for (const data_file& f : files_) is_direct = is_direct && f.is_direct();
  ring_.head().is_direct = is_direct ? 1 : 0;
}

agent::~agent() = default;

bool agent::is_due(taker as) const noexcept {
  const ring_head& h = ring_.head();
  return h.who.load() == as && !ring_.has_failed() && ring_.is_full(h.written.load(std::memory_order_relaxed));
}

bool agent::is_over(taker as) const noexcept {
  const ring_head& h = ring_.head();
  const ending end = h.end.load();
  if (end == ending::no || is_due(as)) return false;
  return end == ending::abandon || ring_.has_failed() || ring_.is_hopeless(h.written.load());
}

// A step that a dead rank has not filled will never be full.
void agent::look_at_members() const noexcept {
  for (int m = 0; m < ring_.members(); ++m)
    if (!is_alive(ring_.desk(m).process.load()) && ring_.desk(m).has_closed.load() == 0)
      ring_.head().end = ending::abandon;
}

void agent::serve(taker as) noexcept {
  ring_head& h = ring_.head();
  while (!is_over(as)) {
    if (is_due(as)) {
      take_next();
      if (!is_due(as)) rest();
      continue;
    }
    h.for_taker.wait(
        nap_s, [&] { return is_due(as) || is_over(as); }, [&] { look_at_members(); });
  }
}

void agent::take_next() noexcept {
  const std::uint64_t step = ring_.head().written.load(std::memory_order_relaxed);
  try {
    write_step(step);
  } catch (const std::exception& e) {
    ring_.fail(step, e.what());
  }
}

void agent::rest() noexcept {
  ring_head& h = ring_.head();
  const std::uint64_t written = h.written.load(std::memory_order_relaxed);
  if (h.durable.load() == written || ring_.has_failed()) return;
  if (plan_.is_synced && fdatasync(journal_.get()) != 0)
    return ring_.fail(written, text(plan_.journal, ": ", std::strerror(errno)));
  h.durable.store(written, std::memory_order_release);
  h.for_members.ring();
}

void agent::write_step(std::uint64_t step) {
  ring_head& h = ring_.head();
  const double began = seconds_now();
  const std::int64_t frame = plan_.first_step + static_cast<std::int64_t>(step);
  std::uint32_t crc = 0;
  write_data(step, frame, crc);
  throttle(began);
  write_record(step, frame, crc);
  note_header(frame, ring_.time_of(step));
  add(h.busy_s, seconds_now() - began);
  h.written.store(step + 1, std::memory_order_release);
  h.for_members.ring();
}

void agent::write_data(std::uint64_t step, std::int64_t frame, std::uint32_t& crc) {
  const frame_layout& l = plan_.layout;
  std::vector<block> blocks;
  for (std::size_t a = 0; a < files_.size(); ++a) {
    const index bytes = l.arrays[a].frame_bytes();
    if (const int code = files_[a].reserve(frame * bytes, bytes); code != 0) give_up(frame, files_[a].path(), code);
  }
  for (const brick& b : l.bricks) {
    const array_shape& a = l.arrays[as_size(b.array)];
    const std::byte* data = ring_.frame(step) + b.base + l.shift(b, frame);
    for_each_run(a, b.where, [&](index in_array, index in_brick, index elements) {
      files_[as_size(b.array)].add_blocks(blocks, data + in_brick * a.element_bytes, elements * a.element_bytes,
                                          frame * a.frame_bytes() + in_array * a.element_bytes);
    });
  }
  pool_.start(std::move(blocks), &ring_.head().progress);
  for (const brick& b : l.bricks)
    if (plan_.is_summed) crc = crc32c(crc, ring_.frame(step) + b.base + l.shift(b, frame), as_size(l.bytes_of(b)));
  if (const write_failure failure = pool_.finish(); failure.code != 0) give_up(frame, path_of(failure), failure.code);
  if (pool_.was_direct_refused()) ring_.head().is_direct = 0;
  for (const data_file& f : files_)
    if (const int code = plan_.is_synced ? f.sync() : 0; code != 0) give_up(frame, f.path(), code);
}

void agent::write_record(std::uint64_t step, std::int64_t frame, std::uint32_t crc) {
  journal_record r;
  r.writer = static_cast<std::uint32_t>(plan_.writer), r.writers = static_cast<std::uint32_t>(plan_.writers);
  r.step = frame, r.time = ring_.time_of(step);
  r.bytes = plan_.layout.data_bytes(), r.data_crc = crc, r.signature = plan_.signature;
  r.flags = (plan_.is_summed ? journal_record::has_crc : 0U) | (plan_.is_synced ? journal_record::was_synced : 0U);
  r.seal();
  // Each writer has its place for each step: no two write the same bytes, whatever file system lies below.
  const auto place = static_cast<index>(step) * plan_.writers + plan_.writer;
  const ssize_t n = pwrite(journal_.get(), &r, sizeof r, plan_.journal_from + place * as_index(sizeof r));
  if (n != static_cast<ssize_t>(sizeof r)) give_up(frame, plan_.journal, n < 0 ? errno : ENOSPC);
}

// Of several writers none knows of the others: there the headers wait for flush().
void agent::note_header(std::int64_t frame, double time) {
  // Where another has taken the steps before, the journal knows of them.
  if (plan_.axis.steps != frame) plan_.axis = axis_of(read_journal(plan_.journal, true));
  plan_.axis.note(frame, time);
  const double now = seconds_now();
  if (plan_.writers > 1 || now - header_written_s_ < seconds_between_headers) return;
  write_headers(plan_, plan_.axis, false);
  header_written_s_ = now;
}

void agent::throttle(double since) const {
  if (plan_.throttle_bytes_per_s <= 0) return;
  const double wanted = static_cast<double>(plan_.layout.data_bytes()) / plan_.throttle_bytes_per_s;
  const double left = wanted - (seconds_now() - since);
  if (left > 0) std::this_thread::sleep_for(std::chrono::duration<double>(left));
}

std::string agent::path_of(const write_failure& failure) const {
  for (const data_file& f : files_)
    if (f.owns(failure.plain_file)) return f.path();
  return plan_.journal;
}

void agent::give_up(std::int64_t frame, const std::string& path, int code) const {
  throw io_error(text("step ", frame, " of ", path, " cannot be written: ", std::strerror(code), "; the ", frame,
                      " steps before it are whole"));
}

}  // namespace nearfar::output
