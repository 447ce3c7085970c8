// SPDX-License-Identifier: BSD-3-Clause
// ADIOS2's BP5 with and without its own thread, by its C interface, found at run time. It is the serial interface: each
// computing rank has a file of its own. Synchronised once, after closing, which is less than what our streams promise.
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <formats/adios2_library.hpp>
#include <stdexcept>

#include "bench_output.hpp"

namespace bench {
namespace {

namespace library = nearfar::output;

std::string path_of(const output_experiment& e) { return e.path() + "." + std::to_string(e.who.rank) + ".bp"; }

void check(bool is_fine, const char* call) {
  if (!is_fine) throw std::runtime_error(std::string("ADIOS2's ") + call + " fails");
}

/// One rank's file, open for so many steps.
class bp5_file {
 public:
  bp5_file(const output_experiment& e, bool is_async) {
    const output_part part = e.own_part();
    check(adios_ = calls_.init(), "init");
    void* io = calls_.declare_io(adios_, "bench");
    check(io, "declare_io");
    check(calls_.set_engine(io, "BP5") == 0, "set_engine");
    check(calls_.set_parameter(io, "AsyncWrite", is_async ? "On" : "Off") == 0, "set_parameter");
    const auto n = [](nearfar::index_t i) { return static_cast<std::size_t>(i); };
    const std::array<std::size_t, 3> shape{n(part.planes), n(e.grid[1]), n(e.grid[2])}, none{};
    const int type = library::adios2_type(nearfar::element_type::float32);
    check(variable_ = calls_.define_variable(io, "p", type, 3, shape.data(), none.data(), shape.data(), 1),
          "define_variable");
    check(engine_ = calls_.open(io, path_of(e).c_str(), library::adios2_mode_write), "open");
  }

  void write_step(const float* data) {
    int status = 0;
    check(calls_.begin_step(engine_, library::adios2_step_append, -1, &status) == 0, "begin_step");
    check(calls_.put(engine_, variable_, data, library::adios2_mode_deferred) == 0, "put");
    check(calls_.end_step(engine_) == 0, "end_step");
  }

  void close() {
    check(calls_.close(engine_) == 0, "close");
    check(calls_.finalize(adios_) == 0, "finalize");
  }

 private:
  const library::adios2_calls& calls_ = library::adios2_found();
  void *adios_ = nullptr, *engine_ = nullptr, *variable_ = nullptr;
};

/// A BP file is a folder.
void synchronise(const std::string& path) {
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    const int file = open(entry.path().c_str(), O_RDONLY);
    fdatasync(file);
    close(file);
  }
}

output_result run(const output_experiment& e, bool is_async) {
  if (e.who.is_writer()) return {};
  std::vector<float> mine(static_cast<std::size_t>(e.own_part().elements));
  bp5_file file(e, is_async);
  output_result r;
  MPI_Barrier(e.who.comm);
  const double began = clock_s();
  for (int step = 0; step < e.frames; ++step) {
    compute_step(e, step, mine.data());
    const double from = clock_s();
    file.write_step(mine.data());
    r.stall_s += clock_s() - from;
  }
  file.close();
  synchronise(path_of(e));
  r.seconds = clock_s() - began;
  return r;
}

}  // namespace

std::vector<output_method> adios2_output_methods() {
  if (!library::adios2_found().is_whole) return {};
  const auto method = [](const char* name, bool is_async) {
    return output_method{name, [is_async](const auto& e) { return run(e, is_async); },
                         [](const auto& e) { return have_files(e, ".bp", e.frames * e.bytes()); }};
  };
  return {method("adios2-sync", false), method("adios2-async", true)};
}

}  // namespace bench
