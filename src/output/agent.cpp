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

agent::agent(agent_plan plan, const ring& from)
    : plan_(std::move(plan)), ring_(from), files_(plan_), pool_(pool_threads) {
  journal_ = open_file(plan_.journal, O_RDWR);
  for (const brick& b : plan_.layout.bricks) {
    const array_place& p = plan_.files.places[as_size(b.array)];
    compressors_.emplace_back();
    if (plan_.is_compressed(b))
      compressors_.back().emplace(plan_.codecs[as_size(b.array)],
                                  std::vector<index>(p.chunk.begin(), p.chunk.begin() + b.where.dimensions),
                                  plan_.layout.arrays[as_size(b.array)].element_bytes);
  }
  ring_.head().is_direct = plan_.is_direct && files_.is_direct() ? 1 : 0;
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
  files_.make_names_last();
  if (plan_.is_synced && fdatasync(journal_.get()) != 0)
    return ring_.fail(written, text(plan_.journal, ": ", std::strerror(errno)));
  h.durable.store(written, std::memory_order_release);
  h.for_members.ring();
}

void agent::write_step(std::uint64_t step) {
  ring_head& h = ring_.head();
  const double began = seconds_now();
  const std::int64_t frame = plan_.first_step + static_cast<std::int64_t>(step);
  const double time = ring_.time_of(step);
  const step_layout in = plan_.layout_of(frame, ring_.frame(step));
  files_.begin(frame, in);
  const written data = write_data(step, frame, in);
  files_.write_fixed(frame, time, in);
  files_.sync(frame);
  throttle(began, data.bytes);
  files_.name_own(frame);
  write_record(step, frame, data);
  if (is_whole(step)) files_.commit(frame, time);
  note_header(frame, time);
  add(h.busy_s, seconds_now() - began);
  h.written.store(step + 1, std::memory_order_release);
  h.for_members.ring();
}

// The memory stays as it is until the next step.
std::span<const std::byte> agent::data_of(std::size_t brick, std::uint64_t step, const step_layout& in) {
  const output::brick& b = in.bricks[brick];
  const std::byte* data = ring_.frame(step) + b.base + plan_.shift(in, b);
  if (plan_.is_compressed(b)) return compressors_[brick]->compress(data, b.where);
  return {data, as_size(plan_.layout.bytes_of(b))};
}

agent::written agent::write_data(std::uint64_t step, std::int64_t frame, const step_layout& in) {
  const frame_layout& l = plan_.layout;
  std::vector<block> blocks;
  std::vector<std::span<const std::byte>> parts;
  for (std::size_t i = 0; i < in.bricks.size(); ++i) {
    const brick& b = in.bricks[i];
    if (!l.has(b, frame)) continue;
    const array_shape& a = l.arrays[as_size(b.array)];
    const auto data = data_of(i, step, in);
    parts.push_back(data);
    if (plan_.is_compressed(b)) {
      files_.of(b).add_blocks(blocks, data.data(), as_index(data.size()), 0);
      continue;
    }
    const index begin = in.begins[as_size(b.array)];
    for_each_run(a, b.where, [&](index in_array, index in_brick, index elements) {
      files_.of(b).add_blocks(blocks, data.data() + in_brick * a.element_bytes, elements * a.element_bytes,
                              begin + in_array * a.element_bytes);
    });
  }
  pool_.start(std::move(blocks), &ring_.head().progress);
  written w;
  for (const auto& part : parts) {
    if (plan_.is_summed) w.crc = crc32c(w.crc, part.data(), part.size());
    w.bytes += as_index(part.size());
  }
  if (const write_failure failure = pool_.finish(); failure.code != 0)
    refuse_step(frame, files_.path_of(failure), failure.code);
  if (pool_.was_direct_refused() || !files_.is_direct()) ring_.head().is_direct = 0;
  return w;
}

void agent::write_record(std::uint64_t step, std::int64_t frame, const written& data) {
  journal_record r;
  r.writer = static_cast<std::uint32_t>(plan_.writer), r.writers = static_cast<std::uint32_t>(plan_.writers);
  r.step = frame, r.time = ring_.time_of(step);
  r.bytes = data.bytes, r.data_crc = data.crc, r.signature = plan_.signature, r.format = plan_.format;
  r.flags = (plan_.is_summed ? journal_record::has_crc : 0U) | (plan_.is_synced ? journal_record::was_synced : 0U);
  r.seal();
  const ssize_t n = pwrite(journal_.get(), &r, sizeof r, record_place(step, plan_.writer));
  if (n != static_cast<ssize_t>(sizeof r)) refuse_step(frame, plan_.journal, n < 0 ? errno : ENOSPC);
}

// Each writer has its place for each step: no two write the same bytes, whatever file system lies below.
std::int64_t agent::record_place(std::uint64_t step, int writer) const noexcept {
  return plan_.journal_from +
         (static_cast<index>(step) * plan_.writers + writer) * static_cast<index>(sizeof(journal_record));
}

// The last of several writers sees the records of all.
bool agent::is_whole(std::uint64_t step) const {
  for (int w = 0; w < plan_.writers; ++w) {
    journal_record r;
    if (w == plan_.writer) continue;
    if (pread(journal_.get(), &r, sizeof r, record_place(step, w)) != static_cast<ssize_t>(sizeof r)) return false;
    if (!r.is_sound() || r.step != plan_.first_step + static_cast<index>(step)) return false;
  }
  return true;
}

// Of several writers none knows of the others: there the headers wait for flush().
void agent::note_header(std::int64_t frame, double time) {
  // Where another has taken the steps before, the journal knows of them.
  if (as_index(times_.size()) != frame) times_ = read_journal(plan_.journal, true).times;
  times_.resize(as_size(frame));
  times_.push_back(time);
  const double now = seconds_now();
  if (plan_.writers > 1 || now - header_written_s_ < seconds_between_headers) return;
  write_headers(plan_.files.headers, times_, false, false);
  header_written_s_ = now;
}

void agent::throttle(double since, index bytes) const {
  if (plan_.throttle_bytes_per_s <= 0) return;
  const double wanted = static_cast<double>(bytes) / plan_.throttle_bytes_per_s;
  const double left = wanted - (seconds_now() - since);
  if (left > 0) std::this_thread::sleep_for(std::chrono::duration<double>(left));
}

}  // namespace nearfar::output
