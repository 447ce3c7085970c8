// SPDX-License-Identifier: BSD-3-Clause
// Reads between lists of pieces that are longer than the kernel takes at once and end at different bytes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <near/process_reads.hpp>
#include <nearfar/error.hpp>
#include <numeric>
#include <vector>

namespace nearfar::near {
namespace {

std::vector<iovec> pieces_of(std::vector<char>& bytes, std::size_t piece_bytes) {
  std::vector<iovec> pieces;
  for (std::size_t at = 0; at < bytes.size(); at += piece_bytes) pieces.push_back({bytes.data() + at, piece_bytes});
  return pieces;
}

class process_reads : public ::testing::Test {
 protected:
  void SetUp() override {
    std::vector<char> word(8), seen(8);
    auto local = pieces_of(seen, 8), remote = pieces_of(word, 8);
    if (process_vm_readv(getpid(), local.data(), 1, remote.data(), 1, 0) != 8)
      GTEST_SKIP() << "the kernel does not let processes be read here";
  }
};

TEST_F(process_reads, go_on_in_the_middle_of_pieces) {
  constexpr std::size_t bytes = 35 * 3000;
  std::vector<char> from(bytes), to(bytes);
  std::iota(from.begin(), from.end(), '\0');
  for (const auto& [here, there] : {std::pair{7U, 5U}, std::pair{5U, 7U}, std::pair{35U, 5U}, std::pair{7U, 35U}}) {
    std::fill(to.begin(), to.end(), '\0');
    auto local = pieces_of(to, here), remote = pieces_of(from, there);
    read_process(getpid(), local, remote);
    EXPECT_EQ(to, from) << "pieces of " << here << " bytes from pieces of " << there;
  }
}

TEST_F(process_reads, refuse_what_is_no_memory_of_the_process) {
  std::vector<char> to(8);
  auto local = pieces_of(to, 8);
  std::vector<iovec> remote{{nullptr, 8}};
  EXPECT_THROW(read_process(getpid(), local, remote), transport_error);
}

}  // namespace
}  // namespace nearfar::near
