// SPDX-License-Identifier: BSD-3-Clause
// Choosing an engine: what fails on one rank fails on all.
#include "../engines.hpp"

#include <mpi_test.hpp>
#include <nearfar/error.hpp>

namespace nearfar::fft::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2, 3}, .node_sizes = {0}, .on_cluster = false}};

using ::testing::HasSubstr;

/// A library that finds no memory to plan in when the first arrays come.
class unplanned : public stage {
 public:
  explicit unplanned(bool fails) : fails_(fails) {}
  void start(const transpose_arrays&, const transpose_arrays&) override {
    if (fails_) throw resource_error("no memory to measure transforms on");
  }
  std::string describe() const override { return "unplanned"; }

 private:
  bool fails_;
};

class FftEngines : public nearfar::test::MpiTest {};

TEST_F(FftEngines, a_library_that_fails_on_one_rank_before_the_race_fails_on_all) {
  const team all(comm());
  std::vector<double> numbers(1);
  const transpose_arrays arrays(numbers);
  const auto make = [this](const std::string&) { return std::make_unique<unplanned>(rank() == size() - 1); };
  std::string message;
  try {
    fastest(all, {"first", "second"}, "of nothing", make, arrays, arrays, 0.001);
  } catch (const resource_error& e) {
    message = e.what();
  }
  EXPECT_THAT(message, HasSubstr("no memory to measure"));
}

}  // namespace
}  // namespace nearfar::fft::test
