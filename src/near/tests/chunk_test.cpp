// SPDX-License-Identifier: BSD-3-Clause
// Chunks hand out zeroed pages, join what comes back, and refuse what the machine does not have.
#include "chunk.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nearfar/error.hpp>
#include <random>
#include <vector>

namespace nearfar::near {
namespace {

bool is_zero(const std::byte* p, index_t bytes) {
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
      index_t bytes;
    };
    std::vector<run> held;
    for (int i = 0; i < 2000; ++i) {
      if (random() % 2 == 0 || held.empty()) {
        const index_t bytes = 1 + static_cast<index_t>(random() % (8 * page_bytes));
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
  const auto free = static_cast<index_t>(std::filesystem::space("/dev/shm").available);
  try {
    const chunk c(free + (index_t{1} << 40), backing::shared_memory_folder, pages::reserved, "node7");
    FAIL() << "a terabyte more than there is was granted";
  } catch (const resource_error& e) {
    const std::string words = e.what();
    EXPECT_NE(words.find("node7"), std::string::npos) << words;
    EXPECT_NE(words.find("/dev/shm has"), std::string::npos) << words;
  }
}

/// A limit of this process, lowered as long as it lives.
class lowered {
 public:
  lowered(__rlimit_resource_t what, rlim_t to) : what_(what) {
    getrlimit(what_, &before_);
    const rlimit low{to, before_.rlim_max};
    setrlimit(what_, &low);
  }
  ~lowered() { setrlimit(what_, &before_); }
  lowered(const lowered&) = delete;
  lowered& operator=(const lowered&) = delete;

 private:
  __rlimit_resource_t what_;
  rlimit before_{};
};

rlim_t next_descriptor() {
  const int file = dup(0);
  close(file);
  return static_cast<rlim_t>(file);
}

std::unique_ptr<chunk> new_chunk(index_t bytes, backing from = backing::shared_memory_folder) {
  return std::make_unique<chunk>(bytes, from, pages::reserved, "node7");
}

std::string refusal_of(index_t bytes) {
  try {
    new_chunk(bytes);
  } catch (const resource_error& e) {
    return e.what();
  }
  return "nothing was refused";
}

index_t bytes_in_use(const chunk& c, const std::byte* at) {
  struct stat s {};
  EXPECT_EQ(fstat(c.handle_at(at).file, &s), 0);
  return static_cast<index_t>(s.st_blocks) * 512;
}

TEST(chunks, share_one_descriptor) {
  for (const backing from : {backing::shared_memory_folder, backing::memory_file}) {
    const lowered descriptors(RLIMIT_NOFILE, next_descriptor() + 1);
    std::vector<std::unique_ptr<chunk>> all;
    for (int i = 0; i < 1000; ++i) all.push_back(new_chunk(page_bytes, from));
    for (std::size_t i = 0; i < all.size(); ++i) std::memcpy(all[i]->take(sizeof i), &i, sizeof i);
  }
}

TEST(chunks, name_the_limit_that_was_hit) {
  {
    const rlim_t limit = next_descriptor();
    const lowered descriptors(RLIMIT_NOFILE, limit);
    const std::string words = refusal_of(page_bytes);
    EXPECT_NE(words.find("as it may, " + std::to_string(limit) + "; raise the limit (ulimit -n)"), std::string::npos)
        << words;
    EXPECT_EQ(words.find("/dev/shm"), std::string::npos) << words;
  }
  {
    const lowered size(RLIMIT_FSIZE, 4 * page_bytes);
    const std::string words = refusal_of(5 * page_bytes);
    EXPECT_NE(words.find("ulimit -f"), std::string::npos) << words;
  }
}

TEST(chunks, begin_another_file_where_the_size_of_files_is_limited) {
  const lowered size(RLIMIT_FSIZE, 4 * page_bytes);
  std::vector<std::unique_ptr<chunk>> all;
  for (int i = 0; i < 10; ++i) all.push_back(new_chunk(3 * page_bytes));
  for (const auto& c : all) EXPECT_NE(c->take(3 * page_bytes), nullptr);
}

TEST(chunks, begin_another_file_where_the_size_comes_to_be_limited) {
  std::vector<std::unique_ptr<chunk>> all;
  for (int i = 0; i < 3; ++i) all.push_back(new_chunk(3 * page_bytes));
  const lowered size(RLIMIT_FSIZE, 8 * page_bytes);
  for (int i = 0; i < 3; ++i) all.push_back(new_chunk(3 * page_bytes));
  for (const auto& c : all) EXPECT_NE(c->take(3 * page_bytes), nullptr);
  const std::string words = refusal_of(9 * page_bytes);
  EXPECT_NE(words.find("ulimit -f"), std::string::npos) << words;
}

TEST(chunks, give_their_pages_back_also_where_others_have_them_mapped) {
  const auto stays = new_chunk(page_bytes);
  const std::byte* const kept = stays->take(page_bytes);
  const index_t before = bytes_in_use(*stays, kept);
  auto goes = new_chunk(9 * page_bytes);
  std::byte* const at = goes->take(9 * page_bytes);
  std::memset(at, 1, 9 * page_bytes);
  const handle h = goes->handle_at(at);
  auto* seen = mmap(nullptr, 9 * page_bytes, PROT_READ, MAP_SHARED, h.file, h.chunk_at());
  EXPECT_EQ(std::memcmp(seen, at, 9 * page_bytes), 0);
  goes.reset();
  EXPECT_EQ(bytes_in_use(*stays, kept), before);
  goes = new_chunk(9 * page_bytes);
  EXPECT_TRUE(is_zero(goes->take(9 * page_bytes), 9 * page_bytes)) << "the place is used again";
  munmap(seen, 9 * page_bytes);
}

TEST(chunks, that_are_large_may_have_huge_pages) {
  constexpr index_t huge = index_t{2} << 20;
  const auto first = new_chunk(page_bytes);  // the next one begins at no huge page
  for (const index_t bytes : {2 * huge, 5 * huge + 3 * page_bytes}) {
    const auto large = new_chunk(bytes);
    std::byte* const at = large->take(bytes);
    const handle h = large->handle_at(at);
    EXPECT_EQ(static_cast<index_t>(reinterpret_cast<std::uintptr_t>(at) % huge), (h.chunk_at() + h.offset) % huge);
    std::memset(at, 1, static_cast<std::size_t>(bytes));
  }
}

TEST(chunks, of_a_parent_outlive_its_child) {
  auto c = new_chunk(3 * page_bytes);
  std::byte* const at = c->take(page_bytes);
  *at = std::byte{7};
  const pid_t child = fork();
  if (child == 0) {
    if (c->take(page_bytes) != nullptr) _exit(1);  // its parent does not know what it takes
    const auto own = new_chunk(page_bytes);
    *own->take(page_bytes) = std::byte{8};
    c.reset();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(*at, std::byte{7});
  const auto later = new_chunk(page_bytes);
  EXPECT_TRUE(is_zero(later->take(page_bytes), page_bytes)) << "a child's chunk must not take its parent's place";
}

}  // namespace
}  // namespace nearfar::near
