// SPDX-License-Identifier: BSD-3-Clause
// The wisdom file of one process and of several: damage, foreign files, places that cannot be written.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <base/text.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>
#include <wisdom_file.hpp>

namespace nearfar::tune::detail {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class WisdomFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "nearfar-wisdom-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path() const { return (folder_ / "wisdom.jsonl").string(); }
  void write(const std::string& contents) const { std::ofstream(path()) << contents; }
  std::string contents() const {
    std::ifstream file(path());
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string method_of(const std::string& key) const {
    const auto entry = find_in_file(path(), key);
    return entry ? entry->method : "none";
  }

  fs::path folder_;
};

std::string line(const std::string& key, const std::string& method, int version = wisdom_version) {
  return text(R"({"key":")", key, R"(","method":")", method, R"(","seconds":0.5,"version":)", version, "}\n");
}

TEST_F(WisdomFile, keeps_and_finds) {
  EXPECT_EQ(method_of("a"), "none");
  EXPECT_TRUE(keep_in_file(path(), "a", {"isend", 1.25e-6}));
  EXPECT_TRUE(keep_in_file(path(), "b \"quoted\" ü\n", {"near-bounce+isend", 0}));
  const auto a = find_in_file(path(), "a");
  ASSERT_TRUE(a);
  EXPECT_EQ(a->method, "isend");
  EXPECT_EQ(a->seconds, 1.25e-6);
  EXPECT_EQ(method_of("b \"quoted\" ü\n"), "near-bounce+isend");
  EXPECT_EQ(method_of("c"), "none");
}

TEST_F(WisdomFile, writes_what_the_tests_below_take_for_a_line) {
  keep_in_file(path(), "a", {"isend", 0.5});
  EXPECT_EQ(contents(), line("a", "isend"));
}

TEST_F(WisdomFile, knows_the_plain_time_or_says_that_it_does_not) {
  keep_in_file(path(), "a", {"near-lines", 0.5, 0.75});
  keep_in_file(path(), "b", {"near-lines", 0.5});
  EXPECT_EQ(find_in_file(path(), "a")->plain_seconds, 0.75);
  EXPECT_EQ(find_in_file(path(), "b")->plain_seconds, 0);
}

TEST_F(WisdomFile, replaces_an_entry_and_leaves_the_others) {
  for (const char* key : {"a", "b", "a"}) EXPECT_TRUE(keep_in_file(path(), key, {text("for-", key), 0.5}));
  EXPECT_TRUE(keep_in_file(path(), "a", {"last", 0.5}));
  EXPECT_EQ(contents(), line("b", "for-b") + line("a", "last"));
}

TEST_F(WisdomFile, the_last_of_several_lines_counts) {
  write(line("a", "first") + line("a", "second"));
  EXPECT_EQ(method_of("a"), "second");
}

TEST_F(WisdomFile, makes_folders) {
  const std::string deep = (folder_ / "x" / "y" / "w.jsonl").string();
  EXPECT_TRUE(keep_in_file(deep, "a", {"isend", 0}));
  EXPECT_TRUE(find_in_file(deep, "a"));
}

TEST_F(WisdomFile, skips_damaged_lines_with_one_warning) {
  write(line("a", "isend") + "{\"key\":\"b\",\"met\n" + "\n" + std::string(3, '\0') + "\n[1]\n" + line("c", "rma") +
        "{\"key\":\"d\",\"method\":3,\"seconds\":1,\"version\":2}\n" +
        "{\"key\":\"e\",\"method\":\"x\",\"seconds\":-1,\"version\":2}\n{\"key\":\"f\",\"method\":\"x\",\"version\":2}"
        "\n" +
        "{\"key\":\"g\",\"method\":\"\",\"seconds\":1,\"version\":2}\n" +
        R"({"key":"h","method":"x","plain_seconds":"1","seconds":1,"version":2})");
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(method_of("a"), "isend");
  EXPECT_EQ(method_of("c"), "rma");
  for (const char* key : {"b", "d", "e", "f", "g", "h"}) EXPECT_EQ(method_of(key), "none") << key;
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("skipped 8"));
  EXPECT_THAT(log, HasSubstr("line 2"));
  EXPECT_EQ(log.find("warning"), log.rfind("warning")) << log;
  EXPECT_TRUE(keep_in_file(path(), "b", {"new", 0.5}));
  EXPECT_EQ(contents(), line("a", "isend") + line("c", "rma") + line("b", "new"));
}

TEST_F(WisdomFile, ignores_other_versions_but_leaves_them) {
  write(line("a", "future", 99));
  EXPECT_EQ(method_of("a"), "none");
  EXPECT_TRUE(keep_in_file(path(), "a", {"now", 0.5}));
  EXPECT_EQ(contents(), line("a", "future", 99) + line("a", "now"));
}

TEST_F(WisdomFile, what_is_no_file_or_has_no_end_is_not_read) {
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  fs::create_directory(folder_ / "folder");
  { std::ofstream(folder_ / "long") << line("a", "isend"); }
  fs::resize_file(folder_ / "long", 1UL << 40);
  fs::create_symlink("/dev/zero", folder_ / "endless");
  fs::create_symlink(folder_ / "circle", folder_ / "circle");
  for (const char* name : {"wisdom.jsonl", "folder", "long", "endless", "circle"}) {
    const std::string file = (folder_ / name).string();
    EXPECT_FALSE(find_in_file(file, "a")) << name;
    EXPECT_FALSE(keep_in_file(file, "a", {"isend", 0})) << name;
  }
  EXPECT_TRUE(fs::is_fifo(path()));
  EXPECT_TRUE(fs::is_symlink(folder_ / "endless"));
  EXPECT_EQ(fs::file_size(folder_ / "long"), 1UL << 40);
}

TEST_F(WisdomFile, does_not_touch_a_file_of_another_kind) {
  const std::string precious = "&namelist dt=60 /\n";
  write(precious);
  EXPECT_EQ(method_of("a"), "none");
  EXPECT_FALSE(keep_in_file(path(), "a", {"isend", 0}));
  EXPECT_EQ(contents(), precious);
  EXPECT_FALSE(keep_in_file("/dev/null", "a", {"isend", 0}));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(WisdomFile, follows_symbolic_links) {
  const std::string link = (folder_ / "link").string();
  write(line("a", "isend"));
  fs::create_symlink(path(), link);
  EXPECT_TRUE(keep_in_file(link, "b", {"rma", 0.5}));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(contents(), line("a", "isend") + line("b", "rma"));
}

TEST_F(WisdomFile, places_that_cannot_be_written_are_no_error) {
  EXPECT_FALSE(keep_in_file("/proc/nowhere/wisdom.jsonl", "a", {"isend", 0}));
  EXPECT_FALSE(keep_in_file(folder_.string(), "a", {"isend", 0}));
  EXPECT_FALSE(find_in_file(folder_.string(), "a"));
  EXPECT_FALSE(keep_in_file("", "a", {"isend", 0}));
  EXPECT_FALSE(find_in_file("", "a"));
}

TEST_F(WisdomFile, a_full_disk_leaves_the_old_file) {
  write(line("a", "isend"));
  fs::create_symlink("/dev/full", path() + ".new");
  EXPECT_FALSE(keep_in_file(path(), "b", {"rma", 0}));
  EXPECT_EQ(contents(), line("a", "isend"));
  EXPECT_FALSE(fs::exists(fs::symlink_status(path() + ".new")));
}

TEST_F(WisdomFile, times_that_are_not_numbers_are_kept_as_unknown) {
  EXPECT_TRUE(keep_in_file(path(), "a", {"isend", std::nan("")}));
  const auto entry = find_in_file(path(), "a");
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->seconds, 0);
}

TEST_F(WisdomFile, processes_that_write_at_once_lose_nothing) {
  constexpr int writers = 4, entries = 10;
  const double usual_s = std::exchange(lock_patience_s, 1e9);  // what is tested is the lock, not who gets it first
  std::vector<::pid_t> children;
  for (int w = 0; w < writers; ++w) {
    const ::pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      bool ok = true;
      for (int e = 0; e < entries; ++e) ok = keep_in_file(path(), text("key ", w, " ", e), {"isend", 0}) && ok;
      ::_exit(ok ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const ::pid_t child : children) {
    int result = -1;
    ::waitpid(child, &result, 0);
    EXPECT_EQ(result, 0);
  }
  for (int w = 0; w < writers; ++w)
    for (int e = 0; e < entries; ++e) EXPECT_EQ(method_of(text("key ", w, " ", e)), "isend");
  lock_patience_s = usual_s;
}

TEST_F(WisdomFile, a_lock_that_is_not_given_back_costs_one_entry) {
  const int held = ::open((path() + ".lock").c_str(), O_RDWR | O_CREAT, 0644);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  const double usual_s = std::exchange(lock_patience_s, 0);
  EXPECT_FALSE(keep_in_file(path(), "a", {"isend", 0}));
  lock_patience_s = usual_s;
  ::close(held);
  EXPECT_TRUE(keep_in_file(path(), "a", {"isend", 0}));
}

TEST(WisdomPath, comes_from_the_environment) {
  ::setenv("HOME", "/h", 1);
  ::setenv("XDG_CACHE_HOME", "/c", 1);
  ::setenv("NEARFAR_WISDOM", "/w/file", 1);
  EXPECT_EQ(wisdom_path(), "/w/file");
  ::setenv("NEARFAR_WISDOM", "off", 1);
  EXPECT_EQ(wisdom_path(), "");
  ::unsetenv("NEARFAR_WISDOM");
  EXPECT_EQ(wisdom_path(), "/c/nearfar/wisdom.jsonl");
  ::unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(wisdom_path(), "/h/.cache/nearfar/wisdom.jsonl");
  ::unsetenv("HOME");
  EXPECT_EQ(wisdom_path(), "");
}

}  // namespace
}  // namespace nearfar::tune::detail
