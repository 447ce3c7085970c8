// SPDX-License-Identifier: BSD-3-Clause
// Sizes of caches in Linux's words.
#include <gtest/gtest.h>

#include <filesystem>
#include <topology/cache_size.hpp>

namespace nearfar {
namespace {

TEST(CacheSize, words_of_linux_are_read) {
  EXPECT_EQ(cache_bytes_from("32768K"), 33554432);
  EXPECT_EQ(cache_bytes_from("2M\n"), 2097152);
  EXPECT_EQ(cache_bytes_from("4096"), 4096);
  EXPECT_EQ(cache_bytes_from(""), 0);
  EXPECT_EQ(cache_bytes_from("K"), 0);
  EXPECT_EQ(cache_bytes_from("-1K"), 0);
  EXPECT_EQ(cache_bytes_from("3X"), 0);
}

TEST(CacheSize, this_processor_has_a_cache_that_some_processor_could_have) {
  if (!std::filesystem::exists("/sys/devices/system/cpu/cpu0/cache/index0")) GTEST_SKIP() << "Linux does not say";
  EXPECT_GE(last_level_cache_bytes(), 16 << 10);
  EXPECT_LE(last_level_cache_bytes(), index_t{16} << 30);
  EXPECT_GE(core_cache_bytes(), 16 << 10);
  EXPECT_LE(core_cache_bytes(), last_level_cache_bytes());
}

}  // namespace
}  // namespace nearfar
