// SPDX-License-Identifier: BSD-3-Clause
// A program that writes steps until a bad thing is done to it.
//
//   output_victim PATH FORMAT POLICY STEPS     POLICY: synchronous, thread, writer (the node's last rank), far (the last rank of all)
//
// Every rank says which process it is and what it does; those that are told of an error say so.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <nearfar/nearfar.hpp>
#include <optional>
#include <thread>
#include <vector>

namespace {

using nearfar::index;
using nearfar::output_array;
using nearfar::output_policy;
using nearfar::team;

struct order {
  std::string path, format, policy;
  index steps = 0;
};

/// The first extent is cut among the ranks.
output_array array_of(const team& t, const char* name, nearfar::element_type type, std::vector<index> extents) {
  output_array a{.name = name, .extents = std::move(extents), .type = type};
  a.own.dimensions = static_cast<int>(a.extents.size());
  for (std::size_t d = 0; d < a.extents.size(); ++d) a.own.upper[d] = a.extents[d];
  a.own.lower[0] = a.extents[0] * t.rank() / t.size(), a.own.upper[0] = a.extents[0] * (t.rank() + 1) / t.size();
  return a;
}

void say(const team& all, const char* what) {
  std::printf("rank %d process %d %s\n", all.rank(), static_cast<int>(getpid()), what);
  std::fflush(stdout);
}

void write_steps(const team& t, const nearfar::output_crew* crew, const order& o) {
  const std::vector<output_array> arrays{array_of(t, "p", nearfar::element_type::float32, {8, 16, 24}),
                                         array_of(t, "q", nearfar::element_type::float64, {6, 40})};
  nearfar::output_options options{.format = o.format, .expected_steps = o.steps, .crew = crew};
  options.policy = o.policy == "synchronous" ? output_policy::synchronous
                   : o.policy == "thread"    ? output_policy::thread
                                             : output_policy::writer;
  nearfar::output_stream out(t, o.path, arrays, options);
  const std::vector<float> p(static_cast<std::size_t>(arrays[0].own.cells()), 1.5F);
  const std::vector<double> q(static_cast<std::size_t>(arrays[1].own.cells()), -2.25);
  for (index s = 0; s < o.steps; ++s) {
    out.begin_step(static_cast<double>(s));
    out.put("p", p.data()), out.put("q", q.data());
    out.end_step();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  out.close();
}

void write_with_crew(const team& all, const order& o) {
  nearfar::output_crew crew(
      all, {.placement = o.policy == "far" ? nearfar::output_placement::far : nearfar::output_placement::near});
  say(all, crew.is_writer() ? "writes" : "computes");
  if (crew.is_writer())
    crew.serve();
  else
    write_steps(crew.computing(), &crew, o);
}

}  // namespace

int main(int argc, char** argv) {
  nearfar::runtime mpi(argc, argv);
  const team all = mpi.world();
  if (argc < 5) return 2;
  const order o{argv[1], argv[2], argv[3], std::atol(argv[4])};
  try {
    if (o.policy == "writer" || o.policy == "far") {
      write_with_crew(all, o);
    } else {
      say(all, all.is_root() ? "writes" : "computes");
      write_steps(all, nullptr, o);
    }
  } catch (const nearfar::error& e) {
    std::printf("rank %d caught class %d: %s\n", all.rank(), static_cast<int>(e.code()), e.what());
    std::fflush(stdout);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // the launcher passes the words on
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  say(all, "ended well");
  return 0;
}
