// SPDX-License-Identifier: BSD-3-Clause
// A folder of a test's own, gone at its end, and what an action is refused with.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nearfar/error.hpp>
#include <string>

namespace seismic {

class own_folder {
 public:
  own_folder() {
    const testing::TestInfo* const test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::temp_directory_path() /
            ("seismic_" + std::string(test->test_suite_name()) + '_' + test->name() + '_' + std::to_string(::getpid()));
    std::filesystem::create_directories(path_);
  }
  ~own_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  own_folder(const own_folder&) = delete;
  own_folder& operator=(const own_folder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string written(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return *this / name;
  }

 private:
  std::filesystem::path path_;
};

/// Error must be the class of the refusal; "none" if there is none.
template <class Error, class Act>
std::string refusal_of(const Act& act) {
  try {
    act();
  } catch (const Error& e) {
    return e.what();
  }
  return "none";
}

}  // namespace seismic
