// SPDX-License-Identifier: BSD-3-Clause
// NEARFAR_METHOD in a library that has all fronts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nearfar/error.hpp>
#include <tune/methods.hpp>

namespace nearfar::tune {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<method_info> some(const std::string&) { return {{"near-a", ""}, {"far-b", ""}}; }
const front_methods halo("halo", some), irregular("irregular", some);

class Methods : public ::testing::Test {
 protected:
  void TearDown() override { ::unsetenv("NEARFAR_METHOD"); }
  static std::vector<std::string> wanted(const char* words) {
    ::setenv("NEARFAR_METHOD", words, 1);
    return pinned_methods("halo");
  }
  static std::string refusal(const char* words) {
    try {
      wanted(words);
    } catch (const usage_error& e) {
      return e.what();
    }
    return "none";
  }
};

TEST_F(Methods, of_a_front_or_of_all) {
  EXPECT_THAT(wanted("far-b,halo:near-a"), ElementsAre("far-b", "near-a"));
  EXPECT_THAT(wanted("irregular:near-a"), IsEmpty());
  EXPECT_THAT(wanted(""), IsEmpty());
}

TEST_F(Methods, that_are_nowhere_are_refused) {
  EXPECT_THAT(refusal("halos:near-a"), AllOf(HasSubstr("no front 'halos'"), HasSubstr("irregular"), HasSubstr("halo")));
  EXPECT_THAT(refusal("halo:near-z"), HasSubstr("the front 'halo' has no method 'near-z'"));
  EXPECT_THAT(refusal("near-z"), HasSubstr("no front has a method 'near-z'"));
}

}  // namespace
}  // namespace nearfar::tune
