// SPDX-License-Identifier: BSD-3-Clause
// Ranks that come with different calls must hear of it: no wait for ever, and nobody takes the data of another call for
// its own.
#include <mpi_test.hpp>
#include <nearfar/nearfar.hpp>
#include <string>
#include <vector>

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {2, 3}, .node_sizes = {0}, .on_cluster = false}};

class mismatch : public MpiTest {
 protected:
  bool is_wrong() const { return rank() == size() - 1; }

  // What the ranks were told in the wrong call, or in the right ones after it: a sender that waits for nobody may not
  // notice.
  template <class Wrong, class Right>
  void expect_complaint(Wrong wrong, Right right, const std::string& words) {
    const std::string said = complaint_of(wrong);
    const std::string later = said.empty() ? complaint_of(right) : said;
    const int mine = later.find(words) != std::string::npos ? 1 : 0;
    int any = 0;
    MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, comm());
    EXPECT_EQ(1, any) << "rank " << rank() << " was told: " << (later.empty() ? "nothing" : later);
  }

 private:
  template <class Call>
  static std::string complaint_of(Call call) {
    try {
      call();
    } catch (const error& e) {
      return e.what();
    }
    return "";
  }
};

TEST_F(mismatch, sizes_of_small_data) {
  const team t(comm());
  std::vector<double> data(is_wrong() ? 2 : 1, 1.0);
  expect_complaint([&] { allreduce(t, data, reduce_op::sum); }, [&] { barrier(t); },
                   "kinds, roots and sizes must agree");
}

TEST_F(mismatch, sizes_of_large_data) {
  const team t(comm());
  std::vector<double> data(is_wrong() ? 2048 : 4096, 1.0);
  expect_complaint([&] { bcast(t, data, 0); }, [&] { barrier(t); }, "bcast of 32768 B with root 0");
}

TEST_F(mismatch, kinds) {
  const team t(comm());
  std::vector<double> data(1, 1.0);
  const auto wrong = [&] { is_wrong() ? bcast(t, data, 0) : allreduce(t, data, reduce_op::sum); };
  expect_complaint(
      wrong, [&] { barrier(t); }, "allreduce of 8 B");
}

TEST_F(mismatch, lengths_that_only_two_ranks_know) {
  for (const int count : {4, 2000, 20000}) {
    SCOPED_TRACE(count);
    const team t(comm());
    const auto n = static_cast<std::size_t>(count);
    const std::vector<int> counts(static_cast<std::size_t>(size()), count);
    std::vector<int> places;
    for (int r = 0; r < size(); ++r) places.push_back(r * count);
    const std::vector<double> in(n * static_cast<std::size_t>(size()), 1.0);
    std::vector<double> out(is_wrong() ? n / 2 : n);
    const auto wrong = [&] { scatterv(t, in, counts, places, out, 0); };
    expect_complaint(
        wrong, [&] { barrier(t); }, "that this rank expects");
  }
}

// Right calls of all sizes one after the other, on rings that wrap round, are nobody's mistake.
TEST_F(mismatch, none_where_all_is_right) {
  const team t(comm());
  for (int i = 0; i < 300; ++i) {
    std::vector<int> data(static_cast<std::size_t>(1 + i * 97 % 5000), rank() == i % size() ? i : -1);
    bcast(t, data, i % size());
    EXPECT_EQ(std::vector<int>(data.size(), i), data);
    std::vector<int> sum(1, 1);
    allreduce(t, sum, reduce_op::sum);
    EXPECT_EQ(size(), sum[0]);
  }
}

}  // namespace
}  // namespace nearfar::test
