// SPDX-License-Identifier: BSD-3-Clause
// Runs of the program on a GPU: the snapshots of the processor, to rounding, whoever writes; checkpoints that one goes on from the other's.
#include <cmath>
#include <cstring>

#include "checkpoint_runs.hpp"
#include "gpu_fixture.hpp"

namespace seismic::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2}, .node_sizes = {0}, .on_cluster = false}};

class gpu_runs : public with_gpu<checkpoints> {
 protected:
  using keys = std::vector<std::string>;

  static keys on(const char* device, keys more = {}) {
    more.push_back("run.device='" + std::string(device) + "'");
    return more;
  }

  static std::vector<float> floats_of(const std::string& path) {
    const std::string bytes = bytes_of(path);
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
    return values;
  }

  /// On the root.
  void expect_close(const std::string& path, const std::string& to) const {
    const std::vector<float> is = floats_of(path), should = floats_of(to);
    EXPECT_EQ(is.size(), should.size()) << path;
    double most = 0, off = 0;
    for (std::size_t n = 0; n < std::min(is.size(), should.size()); ++n) {
      most = std::max(most, std::abs(static_cast<double>(should[n])));
      off = std::max(off, std::abs(static_cast<double>(is[n]) - static_cast<double>(should[n])));
    }
    EXPECT_GT(most, 0) << to;
    EXPECT_LE(off, 1e-5 * most) << path;
  }
  void expect_close_runs(const std::string& one, const std::string& other) const {
    if (rank() != 0) return;
    expect_close(in_folder(one + ".film.p.raw"), in_folder(other + ".film.p.raw"));
    for (const char* array : {".p_now.raw", ".p_before.raw"})
      expect_close(newest(in_folder(one + ".state")) + array, newest(in_folder(other + ".state")) + array);
  }
};

TEST_F(gpu_runs, write_what_the_processor_writes) {
  for (const keys& more : {keys{"sides.kind='cpml'"}, keys{"sides.kind='random'", "snapshots.stride=[2, 1, 3]"},
                           keys{"medium.kind='tti'", "model.epsilon=0.2", "model.delta=0.1", "model.tilt=30",
                                "snapshots.policy='thread'", "snapshots.interval=0.001"}}) {
    SCOPED_TRACE(more.front());
    EXPECT_EQ(run(size(), "cpu", on("cpu", more)), "");
    EXPECT_EQ(run(size(), "gpu", on("gpu", more)), "");
    expect_close_runs("gpu", "cpu");
    make_empty();
  }
}

TEST_F(gpu_runs, go_on_where_the_other_has_stopped) {
  const keys sides{"sides.kind='cpml'"};
  keys half = sides;
  half.push_back("time.end=0.006");
  EXPECT_EQ(run(size(), "whole", on("cpu", sides)), "");
  for (const auto& [first, second] : {std::pair{"gpu", "cpu"}, {"cpu", "gpu"}}) {
    EXPECT_EQ(run(size(), "parts", on(first, half)), "");
    EXPECT_EQ(run(size(), "parts", on(second, sides), "parts.state"), "");
    expect_close_runs("parts", "whole");
  }
}

TEST_F(gpu_runs, are_on_the_processor_where_the_driver_has_no_device) {
  auto* const devices = of_stand_in<int>("mock_cuda_devices");
  if (devices == nullptr) return;
  *devices = rank() == size() - 1 ? 0 : 1;  // on one rank: all take the processor
  EXPECT_EQ(run(size(), "auto", on("auto")), "");
  EXPECT_THAT(run(size(), "gpu", on("gpu")), ::testing::HasSubstr("the driver of CUDA finds no GPU"));
  *devices = 1;
  EXPECT_EQ(run(size(), "cpu", on("cpu")), "");
  expect_same_files("auto", "cpu");
}

}  // namespace
}  // namespace seismic::test
