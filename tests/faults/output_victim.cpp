// SPDX-License-Identifier: BSD-3-Clause
// A program that writes steps until a bad thing is done to it.
//
//   output_victim PATH FORMAT POLICY STEPS [WORD …]
//     POLICY  synchronous, thread, writer (the node's last rank), far (the last rank of all), two (threads of two
//     writers on the node) WORD    append           goes on after the steps that are there, having compared them with
//     their sums
//             in-one-file      of formats that have both, room for STEPS steps instead of a file each
//             rate=BYTES/S     of a slow disk
//             pause=MS         between steps; 1
//             waits-at=STEP    with the steps before it written, ranks that compute say so and wait for SIGUSR1
//             goes-on          an error of the disk does not end the program
//             stays            after the last step it waits to be ended
//
// Every rank says which process it is and what it does; those that are told of an error say so, and the first that
// computes says each time how many steps its writer has written since. Each that computes leaves in PATH.told.RANK how
// many steps it was told its writer has written: what a killed program knew. Element i (C order) of step s is 1000 s +
// i mod 977 in p, s + i / 1024 in q.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <nearfar/nearfar.hpp>
#include <string>
#include <thread>
#include <vector>

namespace {

using nearfar::index_t;
using nearfar::output_array;
using nearfar::output_policy;
using nearfar::team;

struct order {
  std::string path, format, policy;
  index_t steps = 0, waits_at = -1;
  bool is_append = false, is_one_file = false, goes_on = false, stays = false;
  double rate = 0;
  std::chrono::milliseconds pause{1};
};

order order_of(int argc, char** argv) {
  order o{.path = argv[1], .format = argv[2], .policy = argv[3], .steps = std::atol(argv[4])};
  for (int i = 5; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&] { return std::atof(word.substr(word.find('=') + 1).c_str()); };
    if (word == "append")
      o.is_append = true;
    else if (word == "in-one-file")
      o.is_one_file = true;
    else if (word == "goes-on")
      o.goes_on = true;
    else if (word == "stays")
      o.stays = true;
    else if (word.starts_with("rate="))
      o.rate = value();
    else if (word.starts_with("pause="))
      o.pause = std::chrono::milliseconds(static_cast<int>(value()));
    else if (word.starts_with("waits-at="))
      o.waits_at = static_cast<index_t>(value());
    else
      throw nearfar::usage_error("there is no word '" + word + "'");
  }
  return o;
}

/// The first extent is cut among the ranks.
output_array array_of(const team& t, const char* name, nearfar::element_type type) {
  output_array a{.name = name, .extents = {8, 32, 64}, .type = type};
  a.own = {.dimensions = 3, .lower = {}, .upper = {8, 32, 64}};
  a.own.lower[0] = a.extents[0] * t.rank() / t.size(), a.own.upper[0] = a.extents[0] * (t.rank() + 1) / t.size();
  return a;
}

template <class T, class Of>
void put(nearfar::output_stream& out, const output_array& a, Of value) {
  const index_t first = a.own.lower[0] * a.extents[1] * a.extents[2];
  std::vector<T> values(static_cast<std::size_t>(a.own.cells()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(value(first + static_cast<index_t>(i)));
  out.put(a.name, values.data());
}

void say(const team& all, const std::string& what) {
  std::printf("rank %d process %d %s\n", all.rank(), static_cast<int>(getpid()), what.c_str());
  std::fflush(stdout);
}

void leave_word(int file, index_t steps) {
  if (pwrite(file, &steps, sizeof steps, 0) < 0) std::perror("told");
}

void say_written(const team& t, index_t steps) {
  static index_t said = 0;
  if (t.is_root() && steps > said) say(t, "has seen " + std::to_string(said = steps) + " steps written");
}

sigset_t signal_to_go_on() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  return set;
}

/// With nothing in flight. The signal is blocked in all threads, so that one that comes early is not lost.
void wait_for_signal(const team& t, nearfar::output_stream& out) {
  out.flush();
  say(t, "waits at step " + std::to_string(out.steps()));
  const sigset_t set = signal_to_go_on();
  int came = 0;
  sigwait(&set, &came);
}

/// Steps that may be accepted and not in the journal: more would be memory that nobody has agreed to.
index_t most_ahead(const order& o, int depth) { return o.policy == "far" ? 2 * depth : depth + 1; }

void write_steps(const team& t, const nearfar::output_writers* writers, const order& o) {
  const std::vector<output_array> arrays{array_of(t, "p", nearfar::element_type::float32),
                                         array_of(t, "q", nearfar::element_type::float64)};
  nearfar::output_options options{
      .format = o.format, .expected_steps = o.is_one_file ? o.steps : 0, .writers = writers};
  options.policy = o.policy == "synchronous"                   ? output_policy::synchronous
                   : o.policy == "thread" || o.policy == "two" ? output_policy::thread
                                                               : output_policy::writer;
  options.writers_per_node = o.policy == "two" ? 2 : 1;
  options.opening = o.is_append ? nearfar::output_opening::append : nearfar::output_opening::create;
  options.verify = o.is_append;
  options.throttle_bytes_per_s = o.rate;
  const int told = open((o.path + ".told." + std::to_string(t.rank())).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  nearfar::output_stream out(t, o.path, arrays, options);
  if (t.is_root()) say(t, "begins at step " + std::to_string(out.steps()));
  try {
    while (out.steps() < o.steps) {
      if (out.steps() == o.waits_at) wait_for_signal(t, out);
      const index_t s = out.begin_step(static_cast<double>(out.steps()));
      leave_word(told, out.written_steps());
      say_written(t, out.written_steps());
      if (s + 1 - out.written_steps() > most_ahead(o, options.depth)) throw nearfar::usage_error("it is too far ahead");
      put<float>(out, arrays[0], [&](index_t i) { return 1000 * s + i % 977; });
      put<double>(out, arrays[1], [&](index_t i) { return static_cast<double>(s) + static_cast<double>(i) / 1024; });
      out.end_step();
      std::this_thread::sleep_for(o.pause);
    }
    out.flush();
    say_written(t, out.written_steps());
    while (o.stays) ::pause();
  } catch (const nearfar::io_error& e) {
    if (!o.goes_on) throw;
    say(t, std::string("goes on without the disk: ") + e.what());
  }
  out.close();
  leave_word(told, out.written_steps());
  if (t.is_root()) say(t, out.describe());
}

void write_with_writers(const team& all, const order& o) {
  nearfar::output_writers writers(
      all, {.placement = o.policy == "far" ? nearfar::output_placement::far : nearfar::output_placement::near});
  say(all, writers.is_writer() ? "writes" : "computes");
  if (writers.is_writer())
    writers.serve();
  else
    write_steps(writers.computing(), &writers, o);
}

}  // namespace

int main(int argc, char** argv) {
  const sigset_t set = signal_to_go_on();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);  // before there are threads, which take this from their maker
  nearfar::runtime mpi(argc, argv);
  const team all = mpi.world();
  if (argc < 5) return 2;
  try {
    const order o = order_of(argc, argv);
    if (o.policy == "writer" || o.policy == "far") {
      write_with_writers(all, o);
    } else {
      say(all, all.is_root() || o.policy == "two" ? "writes" : "computes");
      write_steps(all, nullptr, o);
    }
  } catch (const nearfar::error& e) {
    std::printf("rank %d caught class %d: %s\n", all.rank(), static_cast<int>(e.code()), e.what());
    std::fflush(stdout);
    nearfar::end_job(3);
  }
  say(all, "ended well");
  return 0;
}
