// SPDX-License-Identifier: BSD-3-Clause
// Arrays in GPU memory: the same files as from the host's, frames that are pinned once and let go. On a GPU, or on
// stand-ins for CUDA's libraries.
#include <optional>
#include <take_gpu.hpp>

#include "output_fixture.hpp"

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2, 4}, .node_sizes = {0}, .on_cluster = false}};

using ::testing::HasSubstr;

/// Of the stand-in, which alone tells.
std::optional<std::size_t> pinned_bytes() {
  auto* const count = of_stand_in<std::size_t()>("mock_cuda_pinned_bytes");
  if (!count) return {};
  return count();
}
std::size_t pageable_bytes() {
  auto* const bytes = of_stand_in<std::size_t>("mock_cuda_pageable_bytes");
  return bytes ? *bytes : 0;
}

class OutputGpu : public on_gpu<OutputTest> {
 protected:
  /// From an array of the GPU with padding, whose rows run backwards where `is_odd`, with gaps between the elements.
  template <class T>
  static void put_from_gpu(output_stream& out, const output_array& a, std::size_t which, index_t step, bool is_odd) {
    if (a.own.is_empty()) return out.put(a.name, nullptr);
    const ghosts& w = a.padding;
    const index_t gap = is_odd ? 3 : 1;
    index_t n[3];
    for (int d = 0; d < 3; ++d) n[d] = a.own.extent(d) + w.low(d) + w.high(d);
    twin<T> array(n[0] * n[1] * n[2] * gap);
    const auto at = [&](index_t z, index_t y, index_t x) {
      const index_t column = w.low(2) + (is_odd ? a.own.extent(2) - 1 - x : x);
      return (((z + w.low(0)) * n[1] + y + w.low(1)) * n[2] + column) * gap;
    };
    for_each_of(a.extents, a.own, [&](index_t place, index_t z, index_t y, index_t x) {
      array.host[as_size(at(z, y, x))] = static_cast<T>(number_of(step, which, place));
    });
    array.up();
    if (!is_odd) return out.put(a.name, array.gpu());
    const auto bytes = static_cast<index_t>(sizeof(T)) * gap;
    out.put(a.name, array.gpu() + at(0, 0, 0), {n[1] * n[2] * bytes, n[2] * bytes, -bytes});
    // The array goes here: put() is done with it.
  }
  std::string write(const team& t, const std::array<int, 2>& parts, const output_options& options) {
    empty();
    const auto list = numbered_arrays(t, parts);
    output_stream out(t, path, list, options);
    for (index_t s = 0; s < 4; ++s) {
      out.begin_step(0.25 * static_cast<double>(s));
      put_from_gpu<float>(out, list[0], 0, s, s % 2 == 1), put_from_gpu<double>(out, list[1], 1, s, false);
      out.end_step();
    }
    const std::string words = out.describe();
    EXPECT_EQ(pinned_bytes().value_or(1) > 0, words.find("pinned for the GPU") != std::string::npos);
    out.close();
    MPI_Barrier(comm());
    if (rank() == 0) {
      EXPECT_EQ(fault_in<float>(path + ".p.raw", {13, 17, 29}, 0, 4), "");
      EXPECT_EQ(fault_in<double>(path + ".q.raw", {5, 40, 100}, 1, 4), "");
    }
    return words;
  }
};

TEST_F(OutputGpu, arrays_of_the_gpu_give_the_same_files_by_pinned_frames) {
  const team t(nearfar::test::everyone());
  const int half = t.size() % 2 == 0 ? 2 : 1;
  for (const auto policy : {output_policy::synchronous, output_policy::thread})
    for (const auto& parts : {std::array{t.size(), 1}, std::array{t.size() / half, half}})
      for (const int writers : {1, 2}) {
        const std::size_t before = pageable_bytes();
        const std::string words = write(t, parts, {.policy = policy, .depth = 3, .writers_per_node = writers});
        EXPECT_THAT(words, HasSubstr("pinned for the GPU"));
        EXPECT_EQ(pageable_bytes(), before) << "every copy goes to pinned memory";
        EXPECT_EQ(pinned_bytes().value_or(0), 0U) << "the stream is closed";
      }
}

TEST_F(OutputGpu, frames_that_cannot_be_pinned_are_copied_to_all_the_same) {
  const team t(nearfar::test::everyone());
  int* const refuses = of_stand_in<int>("mock_cuda_refuses_pins");
  if (refuses == nullptr) GTEST_SKIP() << "a GPU does not refuse";
  *refuses = 1;
  EXPECT_THAT(write(t, {t.size(), 1}, {.policy = output_policy::thread}), HasSubstr("which CUDA does not pin"));
}

TEST_F(OutputGpu, frames_are_pinned_from_the_start_where_asked_for) {
  const team t(nearfar::test::everyone());
  const auto list = numbered_arrays(t, {t.size(), 1});
  for (const bool is_pinned : {false, true}) {
    output_stream out(t, path, list, {.policy = output_policy::thread, .is_pinned = is_pinned});
    EXPECT_EQ(out.describe().find("pinned for the GPU") != std::string::npos, is_pinned);
    out.begin_step(0);
    for (std::size_t a = 0; a < list.size(); ++a)
      a == 0 ? fill_numbers<float>(out, list[a], a, 0) : fill_numbers<double>(out, list[a], a, 0);
    out.end_step();
    out.close();
    MPI_Barrier(comm());
    EXPECT_EQ(rank() == 0 ? fault_in<float>(path + ".p.raw", {13, 17, 29}, 0, 1) : "", "");
    MPI_Barrier(comm());
  }
}

}  // namespace
}  // namespace nearfar::test
