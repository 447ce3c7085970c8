// SPDX-License-Identifier: BSD-3-Clause
// The thread reads the first wanted step that is in no frame into a frame whose step is not wanted.
#include "read_ahead.hpp"

#include <algorithm>
#include <base/clock.hpp>
#include <base/in_flight.hpp>
#include <chrono>

#include "block_pool.hpp"
#include "step_input.hpp"

namespace nearfar::output {

namespace {
constexpr std::chrono::milliseconds nap{2};  // peers may wait for an exchange of this rank
}  // namespace

read_ahead::read_ahead(int frames, index_t frame_bytes, reading read)
    : read_(std::move(read)), places_(as_size(frames)) {
  for (place& p : places_) p.frame.memory.resize(as_size(frame_bytes));
  thread_ = quiet_thread([](void* self) { static_cast<read_ahead*>(self)->serve(); }, this);
}

read_ahead::~read_ahead() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    for (place& p : places_) p.is_called_off = true;
  }
  for_thread_.notify_one();
  thread_.join();
}

void read_ahead::want(std::vector<index_t> steps) {
  {
    const std::lock_guard lock(mutex_);
    wanted_ = std::move(steps);
    if (wanted_.size() > places_.size()) wanted_.resize(places_.size());
    for (place& p : places_) {
      if (p.step < 0 || is_wanted(p.step)) continue;
      p.is_called_off = true;
      if (&p != reading_) p.step = -1;
    }
  }
  for_thread_.notify_one();
}

read_frame& read_ahead::await(index_t step) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (place* p = find(step); p != nullptr && p->is_read) return p->frame;
    for_caller_.wait_for(lock, nap);
    lock.unlock();
    move_on_in_flight();
    lock.lock();
  }
}

bool read_ahead::has(index_t step) {
  const std::lock_guard lock(mutex_);
  const place* p = find(step);
  return p != nullptr && p->is_read;
}

read_ahead::place* read_ahead::find(index_t step) {
  const auto found = std::find_if(places_.begin(), places_.end(),
                                  [step](const place& p) { return p.step == step && !p.is_called_off; });
  return found == places_.end() ? nullptr : &*found;
}

bool read_ahead::is_wanted(index_t step) const {
  return std::find(wanted_.begin(), wanted_.end(), step) != wanted_.end();
}

// While nothing is under way, a frame holds a step that is wanted, or none.
read_ahead::place* read_ahead::next_place(index_t& step) {
  for (const index_t s : wanted_) {
    if (find(s) != nullptr) continue;
    step = s;
    const auto empty = std::find_if(places_.begin(), places_.end(), [](const place& p) { return p.step < 0; });
    return empty == places_.end() ? nullptr : &*empty;
  }
  return nullptr;
}

void read_ahead::serve() {
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    index_t step = -1;
    place* p = next_place(step);
    if (p == nullptr) {
      for_thread_.wait(lock);
      continue;
    }
    p->step = step, p->is_read = false, p->is_called_off = false;
    reading_ = p;
    lock.unlock();
    read_into(*p);
    lock.lock();
    reading_ = nullptr;
    p->is_read = !p->is_called_off;
    if (p->is_called_off) p->step = -1;
    for_caller_.notify_one();
  }
}

void read_ahead::read_into(place& p) {
  const double began = seconds_now();
  p.frame.problem = nullptr;
  try {
    read_(p.step, p.frame, p.is_called_off);
    ++read_steps_;
  } catch (const called_off&) {  // which has been noted
  } catch (...) {
    p.frame.problem = std::current_exception();
  }
  busy_s_ = busy_s_ + seconds_now() - began;
}

}  // namespace nearfar::output
