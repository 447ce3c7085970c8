// SPDX-License-Identifier: BSD-3-Clause
// A disk that is full: every rank gets the error at the same call, with step and file; what was whole stays readable.
#include <sys/resource.h>

#include <csignal>
#include <cstring>
#include <optional>

#include "output_fixture.hpp"

namespace {

/// The network changes a byte of each long message while this is set.
bool is_network_bad = false;
constexpr int long_bytes = 10000;

}  // namespace

// In place of the MPI's own: what is sent is a copy, which is changed.
extern "C" int MPI_Isend(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request* r) {
  if (!is_network_bad || type != MPI_BYTE || count < long_bytes) return PMPI_Isend(from, count, type, to, tag, comm, r);
  static std::vector<std::vector<std::byte>> sent;  // until the process ends: nobody says when the MPI has taken it
  const auto* bytes = static_cast<const std::byte*>(from);
  sent.emplace_back(bytes, bytes + count);
  sent.back()[long_bytes / 2] ^= std::byte{0x10};
  return PMPI_Isend(sent.back().data(), count, type, to, tag, comm, r);
}

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__,
                                              {.ranks = {1, 2, 4}, .node_sizes = {0, 2}, .on_cluster = false}};

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::vector<index_t> extents{16, 32, 64};
constexpr index_t frame_bytes = 16 * 32 * 64 * 4;
constexpr index_t capacity = 4;

/// No file of this process may grow beyond four and a half frames: what a full disk is, for a program that is not root.
class full_disk {
 public:
  full_disk() {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit low = before_;
    low.rlim_cur = static_cast<rlim_t>(capacity * frame_bytes + frame_bytes / 2);
    setrlimit(RLIMIT_FSIZE, &low);
  }
  ~full_disk() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

class OutputFailure : public OutputTest {
 protected:
  output_array array(const team& t) const {
    output_array a{.name = "p", .extents = extents};
    a.own = cut(extents, {t.size(), 1}, t.rank());
    return a;
  }
  struct outcome {
    index_t steps = 0;  // that began
    std::string words = "no error";
  };
  /// Ten steps, or as many as go.
  static outcome write(output_stream& out, const output_array& a) {
    outcome o;
    try {
      for (; o.steps < 10; ++o.steps) {
        out.begin_step(0);
        put_numbers<float>(out, a, 0, o.steps);
        out.end_step();
      }
      out.flush();
    } catch (const io_error& e) {
      o.words = e.what();
    }
    return o;
  }
  void check(const team& t, const outcome& o) {
    EXPECT_THAT(o.words, AllOf(HasSubstr("step 4 of " + path + ".p.raw"), HasSubstr("File too large")));
    EXPECT_GE(o.steps, capacity + 1);
    long steps = o.steps, least = 0, most = 0;
    MPI_Allreduce(&steps, &least, 1, MPI_LONG, MPI_MIN, t.comm());
    MPI_Allreduce(&steps, &most, 1, MPI_LONG, MPI_MAX, t.comm());
    EXPECT_EQ(least, most);
  }
  void check_files(bool is_exact) {
    MPI_Barrier(comm());
    if (rank() == 0) {
      EXPECT_EQ(output_steps_at(path).size(), static_cast<std::size_t>(capacity));
      EXPECT_EQ(fault_in<float>(path + ".p.raw", extents, 0, capacity, is_exact), "");
    }
    MPI_Barrier(comm());
  }
};

TEST_F(OutputFailure, full_disk_is_told_to_all_ranks_at_the_same_step) {
  const team t(nearfar::test::everyone());
  for (const auto policy : {output_policy::synchronous, output_policy::thread, output_policy::automatic}) {
    output_stream out(t, path, {array(t)}, {.policy = policy});
    {
      const full_disk small;
      check(t, write(out, array(t)));
      EXPECT_THROW(out.begin_step(0), io_error);
      out.close();  // told already
    }
    check_files(true);
  }
}

TEST_F(OutputFailure, full_disk_of_a_writer_rank) {
  const team all(nearfar::test::everyone());
  {
    const full_disk small;
    output_writers writers(all);
    if (writers.is_writer()) {
      writers.serve();
    } else {
      const team& t = writers.computing();
      output_stream out(t, path, {array(t)}, {.policy = output_policy::writer, .writers = &writers});
      check(t, write(out, array(t)));
    }
  }
  check_files(false);
}

TEST_F(OutputFailure, what_changes_in_transit_to_a_far_writer_is_told_and_not_written) {
  const team all(nearfar::test::everyone());
  if (all.size() < 2) return;
  std::string words = "no error";
  {
    output_writers writers(all, {.placement = output_placement::far});
    if (writers.is_writer()) {
      writers.serve();
    } else {
      const team& t = writers.computing();
      output_stream out(t, path, {array(t)}, {.policy = output_policy::writer, .writers = &writers});
      is_network_bad = true;
      words = write(out, array(t)).words;
      is_network_bad = false;
    }
  }
  if (rank() == 0) {
    EXPECT_THAT(words,
                AllOf(HasSubstr("step 0 of " + path), HasSubstr("is not the same behind the network (CRC-32C)")));
    EXPECT_TRUE(output_steps_at(path).empty());
  }
  MPI_Barrier(comm());
}

TEST_F(OutputFailure, destructor_and_close_with_an_error_that_nobody_has_heard_of) {
  const team t(nearfar::test::everyone());
  for (const bool is_closing : {false, true}) {
    output_stream out(t, path, {array(t)}, {.policy = output_policy::thread, .depth = 8, .linger_s = long_s});
    const full_disk small;
    for (index_t s = 0; s < capacity + 1; ++s) {
      out.begin_step(0);
      put_numbers<float>(out, array(t), 0, s);
      out.end_step();
    }
    if (is_closing) {
      EXPECT_THROW(out.close(), io_error);
    }
  }
  check_files(true);
}

TEST_F(OutputFailure, expected_steps_that_do_not_fit_are_an_error_at_once) {
  const team t(nearfar::test::everyone());
  const full_disk small;
  EXPECT_THROW(output_stream(t, path, {array(t)}, {.expected_steps = capacity + 1}), io_error);
  output_stream out(t, path, {array(t)}, {.expected_steps = capacity});
  out.close();
}

}  // namespace
}  // namespace nearfar::test
