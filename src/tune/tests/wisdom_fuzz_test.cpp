// SPDX-License-Identifier: BSD-3-Clause
// Wisdom files damaged in any way, each from a number: nothing but entries is lost, and what is found stands there.
//
// NEARFAR_FUZZ_INPUTS says how many are tried.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <base/text.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <wisdom_file.hpp>

namespace nearfar::tune::detail {
namespace {

namespace fs = std::filesystem;

using entries = std::map<std::string, wisdom_entry>;

const std::array<std::string, 4> keys{"halo of 8 x 8", "transpose", "gather, \"quoted\"", "choice"};

std::string whole_file() {
  std::string lines = R"({"key":"halo of 8 x 8","method":"near-direct","seconds":1.5e-6,"version":)" +
                      std::to_string(wisdom_version) + "}\n";
  for (const char* key : {R"(transpose)", R"(gather, \"quoted\")", R"(choice)"})
    lines += text(R"({"key":")", key, R"(","method":"isend","seconds":0.25,"version":)", wisdom_version, "}\n");
  return lines + R"({"key":"of tomorrow","means":[1],"version":999})" + "\n";
}

const std::array<std::string, 14> odd{"",     "null", "-1", "1e999", "nan", "{\"key\":", "[[[[[[[[",
                                      "\xff", "}",    "\n", "\"\"",  "999", "true",      "99999999999999999999"};

/// One to four changes: a bit, bytes left out, written twice or replaced, an end.
std::string damaged(std::string file, unsigned seed) {
  std::mt19937 chance(seed);
  const auto below = [&](std::size_t n) { return chance() % std::max<std::size_t>(n, 1); };
  for (std::size_t changes = 1 + below(4); changes > 0 && !file.empty(); --changes) {
    const std::size_t at = below(file.size()), length = 1 + below(20);
    switch (below(6)) {
      case 0:
        file[at] = static_cast<char>(file[at] ^ (1 << below(8)));
        break;
      case 1:
        file.erase(at, length);
        break;
      case 2:
        file.insert(at, file.substr(below(file.size()), length));
        break;
      case 3:
        file.resize(at);
        break;
      case 4:
        file[at] = static_cast<char>(chance());
        break;
      default:
        file.replace(at, below(8), odd[below(odd.size())]);
    }
  }
  return file;
}

std::string unescaped(std::string json) {
  std::erase(json, '\\');
  return json;
}

class WisdomFuzz : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "nearfar-wisdom-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder = name, path = (folder / "wisdom.jsonl").string();
  }
  void TearDown() override { fs::remove_all(folder); }
  std::string contents() const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  entries found() const {
    entries all;
    for (const std::string& key : keys)
      if (const auto entry = find_in_file(path, key)) all[key] = *entry;
    return all;
  }
  fs::path folder;
  std::string path;
};

TEST_F(WisdomFuzz, damage_costs_entries_and_no_more) {
  const char* wanted = std::getenv("NEARFAR_FUZZ_INPUTS");
  const unsigned inputs = wanted != nullptr ? static_cast<unsigned>(std::atoi(wanted)) : 60;
  unsigned with_entries = 0, kept = 0;
  for (unsigned seed = 0; seed < inputs; ++seed) {
    SCOPED_TRACE(text("input ", seed));
    const std::string file = damaged(whole_file(), seed);
    std::ofstream(path, std::ios::binary) << file;
    const entries before = found();
    with_entries += before.empty() ? 0 : 1;
    for (const auto& [key, entry] : before) {
      EXPECT_THAT(unescaped(file), testing::HasSubstr(unescaped(entry.method))) << key;
      EXPECT_TRUE(std::isfinite(entry.seconds) && entry.seconds >= 0 && !entry.method.empty()) << key;
    }
    EXPECT_EQ(contents(), file) << "reading changes nothing";
    if (!keep_in_file(path, "new", {"lanes", 0.125})) {
      EXPECT_EQ(contents(), file) << "a file of others stays as it is";
      continue;
    }
    ++kept;
    const auto now = find_in_file(path, "new");
    EXPECT_TRUE(now && now->method == "lanes" && now->seconds == 0.125);
    const entries after = found();
    EXPECT_EQ(after.size(), before.size());
    for (const auto& [key, entry] : before)
      EXPECT_TRUE(after.contains(key) && after.at(key).method == entry.method && after.at(key).seconds == entry.seconds)
          << key;
  }
  EXPECT_GT(with_entries, inputs / 4) << "some of the files are damaged a little";
  EXPECT_GT(kept, inputs / 4);
}

}  // namespace
}  // namespace nearfar::tune::detail
