// SPDX-License-Identifier: BSD-3-Clause
// What a plan reports as its method can be pinned, and is then what the plan reports: for each method of each front,
// and for what the tuner chooses.
#include <mpi_test.hpp>

#include <complex>
#include <functional>
#include <nearfar/nearfar.hpp>
#include <optional>
#include <sstream>
#include <vector>

namespace nearfar::test {
namespace {

constexpr double least_s = 0.001;

/// What a plan made with this method reports; nothing if the method does not serve these ranks.
using maker = std::function<std::string(const std::string& method)>;

class PinnedTest : public MpiTest {
 public:
  static constexpr bool on_cluster = false;

 protected:
  std::optional<std::string> reported(const maker& make, const std::string& method) {
    try {
      return make(method);
    } catch (const usage_error&) {
      return std::nullopt;
    }
  }
  /// A plan of several moves reports the method of each, with commas.
  static std::vector<std::string> parts_of(const std::string& report) {
    std::vector<std::string> parts;
    std::istringstream in(report);
    for (std::string part; std::getline(in, part, ',');) parts.push_back(part.substr(part.find_first_not_of(' ')));
    return parts;
  }
  void check(const std::string& front, const maker& make) {
    if (size() > 3) return;  // more ranks than cores tell nothing more of names
    int tried = 0;
    std::vector<std::string> names{""};  // the tuner's choice first
    for (const method_info& m : methods(front)) names.push_back(m.name);
    for (const std::string& name : names) {
      const auto said = reported(make, name);
      if (!said) continue;
      ++tried;
      for (const std::string& part : parts_of(*said)) {
        if (part == "local") continue;  // nothing moves: there is no method to pin
        // The one exception, until collectives have one selector: MPI's non-blocking call under start(), which no pin
        // names.
        if (part == "mpi-nonblocking") continue;
        const auto again = reported(make, part);
        ASSERT_TRUE(again.has_value()) << front << " reports '" << *said << "', which it refuses as a pin";
        for (const std::string& other : parts_of(*again))
          EXPECT_TRUE(other == part || other == "local" || other == "mpi-nonblocking")
              << front << ": '" << part << "' is pinned, '" << other << "' told";
      }
    }
    EXPECT_GE(tried, size() > 1 ? 2 : 1) << front;
  }

  team all{nearfar::test::everyone()};
};

TEST_F(PinnedTest, halo) {
  const grid cells(all, {16, 24}, {.periodic = {true, true}});
  const field<double> f(cells, {.ghosts = 1});
  check("halo", [&](const std::string& m) { return halo_plan(f, {.method = m, .budget_s = least_s}).method(); });
}

TEST_F(PinnedTest, transpose) {
  const transpose_side rows{decomposition::slab(all, {12, 12}, 0)}, columns{decomposition::slab(all, {12, 12}, 1)};
  const transpose_array<double> u(rows), v(columns);
  check("transpose", [&](const std::string& m) {
    return transpose_plan(rows, columns, u, v, {.method = m, .budget_s = least_s}).method();
  });
}

TEST_F(PinnedTest, fft) {
  const fft_layout layout(all, fft_shape::real({12, 12, 8}));
  const transpose_array<double> u(layout.physical());
  const transpose_array<std::complex<double>> uh(layout.spectral());
  check("fft", [&](const std::string& m) {
    return fft_plan<double>(layout, u, uh, {.method = m, .budget_s = least_s}).method();
  });
}

TEST_F(PinnedTest, irregular) {
  const distribution where = distribution::block(all, 40);
  const std::vector<index_t> references{0, 39, 20, 7};
  check("irregular", [&](const std::string& m) {
    return irregular_plan(where, references, {.method = m, .budget_s = least_s}).method();
  });
}

TEST_F(PinnedTest, collective) {
  const auto ranks = static_cast<std::size_t>(size());
  std::vector<double> one(4, rank()), out(4), all_of_them(4 * ranks), each(4 * ranks);
  const auto check_kind = [&](const std::string& kind, const auto& make) {
    check("collective." + kind,
          [&](const std::string& m) { return make(plan_options{.method = m, .budget_s = least_s}).method(); });
  };
  check_kind("barrier", [&](plan_options o) { return plans::barrier(all, o); });
  check_kind("bcast", [&](plan_options o) { return plans::bcast(all, one, 0, o); });
  check_kind("reduce", [&](plan_options o) { return plans::reduce(all, one, out, reduce_op::sum, 0, o); });
  check_kind("allreduce", [&](plan_options o) { return plans::allreduce(all, one, out, reduce_op::sum, o); });
  check_kind("scan", [&](plan_options o) { return plans::scan(all, one, out, reduce_op::sum, o); });
  check_kind("exscan", [&](plan_options o) { return plans::exscan(all, one, out, reduce_op::sum, o); });
  check_kind("allgather", [&](plan_options o) { return plans::allgather(all, one, all_of_them, o); });
  check_kind("alltoall", [&](plan_options o) { return plans::alltoall(all, each, all_of_them, o); });
}

}  // namespace
}  // namespace nearfar::test
