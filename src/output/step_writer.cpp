// SPDX-License-Identifier: BSD-3-Clause
// From a full frame to a record in the journal.
#include "step_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <base/clock.hpp>
#include <base/log.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "crc32c.hpp"
#include "journal.hpp"
#include "store.hpp"

namespace nearfar::output {

namespace {

constexpr int pool_threads = 4;            // blocks at a time
constexpr int most_steps_in_progress = 2;  // one that is synchronised, and the next
constexpr double seconds_between_headers = 1;

void add(std::atomic<double>& sum, double more) noexcept {
  sum.store(sum.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);  // one writer
}

std::list<step_in_progress> places_for(const writer_plan& plan, int depth) {
  std::list<step_in_progress> places;
  for (int i = 0; i < std::min(depth, most_steps_in_progress); ++i) places.emplace_back(plan);
  return places;
}

}  // namespace

step_in_progress::step_in_progress(const writer_plan& plan) : files(plan) {
  for (const brick& b : plan.layout.bricks) {
    const array_place& p = plan.files.places[as_size(b.array)];
    compressors.emplace_back();
    if (plan.is_compressed(b))
      compressors.back().emplace(plan.codecs[as_size(b.array)],
                                 std::vector<index_t>(p.chunk.begin(), p.chunk.begin() + b.where.dimensions),
                                 plan.layout.arrays[as_size(b.array)].element_bytes);
  }
}

step_writer::step_writer(writer_plan plan, const ring& from)
    : plan_(std::move(plan)), ring_(from), places_(places_for(plan_, from.depth())), pool_(pool_threads) {
  journal_ = open_file(plan_.journal, O_RDWR);
  if (!plan_.files.adios2.empty()) library_file_.emplace(plan_.files.adios2);
  for (step_in_progress& s : places_) free_.push_back(&s);
  ring_.head().is_direct = plan_.is_direct && places_.front().files.is_direct() ? 1 : 0;
  completing_ = quiet_thread([](void* self) { static_cast<step_writer*>(self)->complete_all(); }, this);
}

step_writer::~step_writer() {
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
  }
  news_.notify_all();
  completing_.join();
}

void step_writer::begin(step_in_progress& s) noexcept {
  s.began_s = seconds_now();
  s.problem.clear();
  try {
    s.step = next();
    s.frame = plan_.first_step + static_cast<index_t>(s.step);
    s.time = ring_.time_of(s.step);
    s.in = plan_.layout_of(s.frame, ring_.frame(s.step));
    s.files.begin(s.frame, s.in);
    start_blocks(s);
  } catch (const std::exception& e) {
    s.problem = words_about_step(s.frame, e);
  }
  begun_.store(s.step + 1);
}

// The memory stays as it is until this place's next step.
std::span<const std::byte> step_writer::data_of(std::size_t brick, step_in_progress& s) {
  const output::brick& b = s.in.bricks[brick];
  const std::byte* data = ring_.frame(s.step) + b.base + plan_.shift(s.in, b);
  if (plan_.is_compressed(b)) return s.compressors[brick]->compress(data, b.where);
  return {data, as_size(plan_.layout.bytes_of(b))};
}

void step_writer::start_blocks(step_in_progress& s) {
  const frame_layout& l = plan_.layout;
  std::vector<block> blocks;
  std::vector<std::span<const std::byte>> parts;
  if (library_file_) library_file_->begin(s.frame, s.time);
  for (std::size_t i = 0; i < s.in.bricks.size(); ++i) {
    const brick& b = s.in.bricks[i];
    if (!l.has(b, s.frame)) continue;
    const array_shape& a = l.arrays[as_size(b.array)];
    const auto data = data_of(i, s);
    parts.push_back(data);
    if (library_file_) {
      library_file_->put(b, data.data());
      continue;
    }
    if (plan_.is_compressed(b)) {
      s.files.of(b).add_blocks(blocks, data.data(), as_index(data.size()), 0);
      continue;
    }
    const index_t begin = s.in.begins[as_size(b.array)];
    for_each_run(a, b.where, [&](index_t in_array, index_t in_brick, index_t elements) {
      s.files.of(b).add_blocks(blocks, data.data() + in_brick * a.element_bytes, elements * a.element_bytes,
                               begin + in_array * a.element_bytes);
    });
  }
  if (library_file_) library_file_->end(plan_.is_synced);
  pool_.start(s.blocks, std::move(blocks), &ring_.head().progress);
  s.bytes = 0, s.crc = 0;
  for (const auto& part : parts) {
    if (plan_.is_summed) s.crc = crc32c(s.crc, part.data(), part.size());
    s.bytes += as_index(part.size());
  }
}

void step_writer::complete(step_in_progress& s) noexcept {
  try {
    if (!s.problem.empty()) throw step_error(s.problem);
    finish_blocks(s);
    // What comes behind a step that could not be written is not to be found.
    if (ring_.has_failed() && ring_.head().failed_step <= static_cast<std::int64_t>(s.step)) return;
    commit(s);
  } catch (const std::exception& e) {
    if (!ring_.has_failed()) ring_.fail(s.step, words_about_step(s.frame, e));
  }
}

void step_writer::finish_blocks(step_in_progress& s) {
  ring_head& h = ring_.head();
  const write_failure failure = pool_.finish(s.blocks);
  if (failure.code != 0) refuse_step(s.frame, s.files.path_of(failure), failure.code);
  if (pool_.was_direct_refused() || !s.files.is_direct()) h.is_direct = 0;
  throttle(s.began_s, s.bytes);
  h.released.store(s.step + 1, std::memory_order_release);
  h.for_members.ring();
}

void step_writer::commit(step_in_progress& s) {
  ring_head& h = ring_.head();
  s.files.write_fixed(s.frame, s.time, s.in);
  s.files.sync(s.frame);
  s.files.name_own(s.frame);
  // Who knows no journal must find the time of a step when its data are there, and so before it is in the journal.
  const bool is_last = have_others_written(s.step);
  if (is_last) s.files.commit(s.frame, s.time);
  write_record(s);
  // Another may have ended at the same time.
  if (!is_last && have_others_written(s.step)) s.files.commit(s.frame, s.time);
  note_header(s);
  const double now = seconds_now();
  add(h.busy_s, now - std::max(s.began_s, completed_s_));
  completed_s_ = now;
  h.written.store(s.step + 1, std::memory_order_release);
  h.for_members.ring();
}

void step_writer::write_record(const step_in_progress& s) {
  journal_record r;
  r.writer = static_cast<std::uint32_t>(plan_.writer), r.writers = static_cast<std::uint32_t>(plan_.writers);
  r.step = s.frame, r.time = s.time;
  r.bytes = s.bytes, r.data_crc = s.crc, r.signature = plan_.signature, r.format = plan_.format;
  r.flags = (plan_.is_summed ? journal_record::has_crc : 0U) | (plan_.is_synced ? journal_record::was_synced : 0U) |
            plan_.turn << journal_record::turn_shift;
  r.seal();
  const int code = write_all(journal_.get(), &r, as_index(sizeof r), record_place(s.step, plan_.writer));
  if (code != 0) refuse_step(s.frame, plan_.journal, code);
}

// Each writer has its place for each step: no two write the same bytes, whatever file system lies below.
std::int64_t step_writer::record_place(std::uint64_t step, int writer) const noexcept {
  return plan_.journal_from +
         (static_cast<index_t>(step) * plan_.writers + writer) * static_cast<index_t>(sizeof(journal_record));
}

// The last of several writers sees the records of all others.
bool step_writer::have_others_written(std::uint64_t step) const {
  for (int w = 0; w < plan_.writers; ++w) {
    journal_record r;
    if (w == plan_.writer) continue;
    if (pread(journal_.get(), &r, sizeof r, record_place(step, w)) != static_cast<ssize_t>(sizeof r)) return false;
    if (!r.is_sound() || r.step != plan_.first_step + static_cast<index_t>(step)) return false;
  }
  return true;
}

// Of several writers none knows of the others: there the headers wait for flush().
void step_writer::note_header(const step_in_progress& s) {
  // Where another has taken the steps before, the journal knows of them.
  if (as_index(times_.size()) != s.frame) times_ = read_journal(plan_.journal, true).times;
  times_.resize(as_size(s.frame));
  times_.push_back(s.time);
  const double now = seconds_now();
  if (plan_.writers > 1 || now - header_written_s_ < seconds_between_headers) return;
  header_written_s_ = now;
  try {
    write_headers(plan_.files.headers, times_, false, false);
  } catch (const io_error& e) {
    // The step is whole. flush() and close() write them again, and say what is against it.
    log::debug("output: headers behind step ", s.frame, ": ", e.what());
  }
}

// A disk that does one thing after the other.
void step_writer::throttle(double since, index_t bytes) {
  if (plan_.throttle_bytes_per_s <= 0) return;
  disk_free_s_ = std::max(disk_free_s_, since) + static_cast<double>(bytes) / plan_.throttle_bytes_per_s;
  const double left = disk_free_s_ - seconds_now();
  if (left > 0) std::this_thread::sleep_for(std::chrono::duration<double>(left));
}

}  // namespace nearfar::output
