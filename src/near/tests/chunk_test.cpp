// SPDX-License-Identifier: BSD-3-Clause
// Chunks hand out zeroed pages, join what comes back, and refuse what the machine does not have.
#include "chunk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <nearfar/error.hpp>
#include <random>

namespace nearfar::near {
namespace {

bool is_zero(const std::byte* p, index bytes) {
  return std::all_of(p, p + bytes, [](std::byte b) { return b == std::byte{0}; });
}

TEST(chunks, hand_out_disjoint_zeroed_runs_and_join_them_again) {
  for (const auto& [from, when] :
       {std::pair{backing::shared_memory_folder, pages::reserved}, std::pair{backing::memory_file, pages::reserved},
        std::pair{backing::memory_file, pages::on_touch}}) {
    chunk c(64 * page_bytes, from, when, "here");
    std::mt19937 random(1);
    struct run {
      std::byte* at;
      index bytes;
    };
    std::vector<run> held;
    for (int i = 0; i < 2000; ++i) {
      if (random() % 2 == 0 || held.empty()) {
        const index bytes = 1 + static_cast<index>(random() % (8 * page_bytes));
        std::byte* at = c.take(bytes);
        if (at == nullptr) continue;
        EXPECT_TRUE(is_zero(at, bytes));
        for (const run& r : held) EXPECT_TRUE(at + bytes <= r.at || r.at + r.bytes <= at);
        std::memset(at, 0xab, as_size(bytes));
        held.push_back({at, bytes});
      } else {
        const std::size_t k = random() % held.size();
        c.give_back(held[k].at, held[k].bytes);
        held.erase(held.begin() + static_cast<std::ptrdiff_t>(k));
      }
    }
    for (const run& r : held) c.give_back(r.at, r.bytes);
    EXPECT_NE(c.take(64 * page_bytes), nullptr) << "after all came back the whole chunk must be free in one piece";
  }
}

TEST(chunks, have_no_name_that_could_be_left_behind) {
  const auto names = [] {
    std::vector<std::string> list;
    for (const auto& e : std::filesystem::directory_iterator("/dev/shm")) list.push_back(e.path());
    return list.size();
  };
  const auto before = names();
  const chunk c(page_bytes, backing::shared_memory_folder, pages::reserved, "here");
  EXPECT_EQ(names(), before);
}

TEST(chunks, refuse_more_than_there_is_and_say_how_much_there_is) {
  const auto free = static_cast<index>(std::filesystem::space("/dev/shm").available);
  try {
    const chunk c(free + (index{1} << 40), backing::shared_memory_folder, pages::reserved, "node7");
    FAIL() << "a terabyte more than there is was granted";
  } catch (const resource_error& e) {
    const std::string words = e.what();
    EXPECT_NE(words.find("node7"), std::string::npos) << words;
    EXPECT_NE(words.find("/dev/shm has"), std::string::npos) << words;
  }
}

}  // namespace
}  // namespace nearfar::near
