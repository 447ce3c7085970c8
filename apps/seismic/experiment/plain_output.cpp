// SPDX-License-Identifier: BSD-3-Clause
// The methods to write snapshots that the experiment compares with ours, around the same propagator:
//
//   buffered  the mini-app's: one fwrite of the whole volume, through the page cache
//   send      Machado, Lorenzon and Navaux: MPI_Send of the whole volume to a rank that fwrites it
//   isend     theirs: the volume is copied and sent by MPI_Isend, to a rank that fwrites it
//
// The file is synchronised at its end, and its header written, as ours are. One rank computes.
#include <unistd.h>
#include <app/run.hpp>
#include <cerrno>
#include <chrono>
#include <common/agreement.hpp>
#include <common/own_file.hpp>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <locale>
#include <memory/huge_array.hpp>
#include <nearfar/error.hpp>
#include <optional>
#include <thread>

#include <app/run.hpp>
#include <cerrno>
#include <chrono>
#include <common/agreement.hpp>
#include <common/own_file.hpp>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory/huge_array.hpp>
#include <nearfar/error.hpp>
#include <optional>
#include <thread>

namespace {

using namespace seismic;

constexpr int writer = 1, tag = 7;

/// What the one who writes has to know. As bytes in a message.
struct file_facts {
  char path[1024];
  nearfar::index_t floats;  ///< of a frame
  double throttle_bytes_per_s;
};

/// The mini-app's file, with errors looked at. A throttled disk takes at least its time for each frame.
class buffered_file {
 public:
  explicit buffered_file(const file_facts& facts) : facts_(facts), file_(std::fopen(facts.path, "wb")) {
    if (file_ == nullptr) fail();
  }
  ~buffered_file() {
    if (file_ != nullptr) std::fclose(file_);
  }
  buffered_file(const buffered_file&) = delete;
  buffered_file& operator=(const buffered_file&) = delete;

  void write(const float* frame) {
    const auto begin = std::chrono::steady_clock::now();
    const auto floats = static_cast<std::size_t>(facts_.floats);
    if (std::fwrite(frame, sizeof(float), floats, file_) != floats) fail();
    if (facts_.throttle_bytes_per_s <= 0) return;
    const double seconds = sizeof(float) * static_cast<double>(floats) / facts_.throttle_bytes_per_s;
    std::this_thread::sleep_until(begin + std::chrono::duration<double>(seconds));
  }
  void close() {
    if (std::fflush(file_) != 0 || fsync(fileno(file_)) != 0) fail();
    if (std::fclose(std::exchange(file_, nullptr)) != 0) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw nearfar::io_error(std::string(facts_.path) + " cannot be written: " + std::strerror(errno));
  }
  file_facts facts_;
  std::FILE* file_;
};

/// On the rank that computes: a frame in one piece, which stands for the copy out of a GPU. (The mini-app on a CPU
/// writes its field, which is in one piece.)
class plain_sink : public frame_sink {
 public:
  plain_sink(const std::string& path, const nearfar::output_array& array, const nearfar::output_options& options)
      : path_(path + '.' + array.name), array_(array) {
    if (options.format != "rsf" || !options.compression.empty())
      throw nearfar::usage_error("this program writes snapshots.format = 'rsf' without compression alone");
    const std::string raw = path_ + ".raw";
    if (raw.size() >= sizeof facts_.path) throw nearfar::usage_error(raw + ": the path is too long");
    std::copy(raw.begin(), raw.end(), facts_.path);
    facts_.floats = array.own.cells(), facts_.throttle_bytes_per_s = options.throttle_bytes_per_s;
    frame_ = huge_array(facts_.floats, 0);
  }
  nearfar::output_slot begin(double time) override {
    const auto row = static_cast<nearfar::index_t>(sizeof(float)) * array_.extents[2];
    times_.push_back(time);
    return {frame_.data(), {row * array_.extents[1], row, sizeof(float)}};
  }
  void flush() override {}
  void close() override { write_header(); }

 protected:
  const file_facts& facts() const { return facts_; }
  float* frame() { return frame_.data(); }

 private:
  void write_header() const {
    std::string words =
        "in=\"" + std::filesystem::absolute(path_ + ".raw").string() + "\"\ndata_format=\"native_float\" esize=4\n";
    for (std::size_t d = 0; d < 3; ++d)
      words += "n" + std::to_string(3 - d) + "=" + std::to_string(array_.extents[d]) + "\n";
    words += "n4=" + std::to_string(times_.size()) + "\n";
    if (times_.size() > 1) words += "d4=" + std::to_string(times_[1] - times_[0]) + "\n";
    for (const auto& [key, value] : array_.attributes) words += key + "=\"" + value + "\"\n";
    apps::write_whole(path_ + ".rsf", words);
  }

  std::string path_;
  nearfar::output_array array_;
  file_facts facts_{};
  huge_array frame_;
  std::vector<double> times_;
};

class buffered_sink final : public plain_sink {
 public:
  using plain_sink::plain_sink;
  void end() override {
    if (!file_) file_.emplace(facts());
    file_->write(frame());
  }
  void close() override {
    if (file_) file_->close();
    plain_sink::close();
  }
  std::string describe() const override { return "fwrite"; }

 private:
  std::optional<buffered_file> file_;
};

int count_of(const file_facts& facts) {
  if (facts.floats > INT32_MAX)
    throw nearfar::usage_error(std::to_string(facts.floats) + " floats are too many for one message; at most " +
                               std::to_string(INT32_MAX) + " are possible");
  return static_cast<int>(facts.floats);
}

/// Facts first; a message per frame; an empty one at the end, which is answered when all is on disk.
class sending_sink final : public plain_sink {
 public:
  sending_sink(const std::string& path, const nearfar::output_array& array, const nearfar::output_options& options,
               bool is_blocking)
      : plain_sink(path, array, options), count_(count_of(facts())), is_blocking_(is_blocking) {
    MPI_Send(&facts(), sizeof facts(), MPI_BYTE, writer, tag, MPI_COMM_WORLD);
    if (!is_blocking) copy_ = huge_array(facts().floats, 1);
  }
  void end() override {
    if (is_blocking_) {
      MPI_Send(frame(), count_, MPI_FLOAT, writer, tag, MPI_COMM_WORLD);
      return;
    }
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
    std::memcpy(copy_.data(), frame(), sizeof(float) * static_cast<std::size_t>(count_));
    MPI_Isend(copy_.data(), count_, MPI_FLOAT, writer, tag, MPI_COMM_WORLD, &request_);
  }
  void close() override {
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
    MPI_Send(nullptr, 0, MPI_FLOAT, writer, tag, MPI_COMM_WORLD);
    MPI_Recv(nullptr, 0, MPI_FLOAT, writer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    plain_sink::close();
  }
  std::string describe() const override { return is_blocking_ ? "MPI_Send and fwrite" : "MPI_Isend and fwrite"; }

 private:
  int count_;
  bool is_blocking_;
  huge_array copy_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

void serve() {
  file_facts facts;
  MPI_Recv(&facts, sizeof facts, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  huge_array frame(facts.floats, 0);
  buffered_file file(facts);
  for (;;) {
    MPI_Status status;
    int count = 0;
    MPI_Recv(frame.data(), count_of(facts), MPI_FLOAT, 0, tag, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_FLOAT, &count);
    if (count == 0) break;
    file.write(frame.data());
  }
  file.close();
  MPI_Send(nullptr, 0, MPI_FLOAT, 0, tag, MPI_COMM_WORLD);
}

sink_maker sinks_of(const std::string& method) {
  return [method](const nearfar::team&, const std::string& path, const nearfar::output_array& array,
                  const nearfar::output_options& options) -> std::unique_ptr<frame_sink> {
    if (method == "buffered") return std::make_unique<buffered_sink>(path, array, options);
    return std::make_unique<sending_sink>(path, array, options, method == "send");
  };
}

void run(const nearfar::team& team, std::span<const char* const> arguments) {
  const std::string method = arguments.empty() ? "" : arguments[0];
  if (method != "buffered" && method != "send" && method != "isend")
    throw nearfar::usage_error(
        "usage: seismic-plain-output buffered|send|isend FILE.toml [options of nearfar-seismic]");
  const int ranks = method == "buffered" ? 1 : 2;
  if (team.size() != ranks)
    throw nearfar::usage_error("the method '" + method + "' takes " + std::to_string(ranks) + " ranks, not " +
                               std::to_string(team.size()));
  const app_options options = parse_options(arguments.subspan(1));
  const auto [text, name] = apps::shared_settings(team, options);
  const settings what = settings_in(text, name, options.assignments);
  if (what.snapshots.path.empty()) throw nearfar::usage_error("there is nothing to write without snapshots.path");
  MPI_Comm alone = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, team.rank(), 0, &alone);
  if (team.rank() == writer) return serve();
  const nearfar::team computing(alone);
  run_shot(computing, what, options, sinks_of(method));
}

}  // namespace

int main(int argc, char** argv) {
  std::locale::global(std::locale::classic());  // also C's: numbers are read and written alike everywhere
  nearfar::runtime mpi(argc, argv);
  const nearfar::team team = mpi.world();
  try {
    run(team, {argv + 1, argv + argc});
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "seismic-plain-output: %s\n", e.what());
    if (team.size() > 1) nearfar::end_job(2);  // the other rank may wait for this one
    return 2;
  }
}
