// SPDX-License-Identifier: BSD-3-Clause
// Tests of messages, byte counts and times for people, and of hashes and checked narrowing.
#include <gtest/gtest.h>

#include <base/numbers.hpp>
#include <base/text.hpp>
#include <limits>
#include <locale>
#include <sstream>

namespace nearfar {
namespace {

TEST(Text, joins_values) { EXPECT_EQ(text("rank ", 3, " of ", 4L, " at ", 0.5), "rank 3 of 4 at 0.5"); }

TEST(Text, knows_no_locale) {
  struct grouped : std::numpunct<char> {
    char do_thousands_sep() const override { return '.'; }
    char do_decimal_point() const override { return ','; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale(), new grouped));
  std::ostringstream other;
  other << 1234567 << ' ' << 0.5;
  const std::string words = text(1234567, " ", 0.5), seconds = readable_time(1.25);
  double read = 0;
  text_reader("1234.5") >> read;
  std::locale::global(before);
  EXPECT_EQ(other.str(), "1.234.567 0,5");
  EXPECT_EQ(words, "1234567 0.5");
  EXPECT_EQ(seconds, "1.25 s");
  EXPECT_EQ(read, 1234.5);
}

TEST(Text, prints_bytes) {
  EXPECT_EQ(readable_bytes(0), "0 B");
  EXPECT_EQ(readable_bytes(999), "999 B");
  EXPECT_EQ(readable_bytes(1000), "1.0 kB");
  EXPECT_EQ(readable_bytes(1849), "1.8 kB");
  EXPECT_EQ(readable_bytes(9951), "10 kB");
  EXPECT_EQ(readable_bytes(152000), "152 kB");
  EXPECT_EQ(readable_bytes(999'499), "999 kB");
  EXPECT_EQ(readable_bytes(999'500), "1.0 MB");
  EXPECT_EQ(readable_bytes(-2'400'000'000), "-2.4 GB");
  EXPECT_EQ(readable_bytes(std::numeric_limits<std::int64_t>::max()), "9.2 EB");
}

TEST(Text, prints_times) {
  EXPECT_EQ(readable_time(0), "0.00 ns");
  EXPECT_EQ(readable_time(1.24e-6), "1.24 us");
  EXPECT_EQ(readable_time(3.1e-3), "3.10 ms");
  EXPECT_EQ(readable_time(12), "12.0 s");
  EXPECT_EQ(readable_time(0.9996), "1.00 s");
  EXPECT_EQ(readable_time(9.996e-6), "10.0 us");
  EXPECT_EQ(readable_time(-0.25), "-250 ms");
  EXPECT_EQ(readable_time(5000), "5000 s");
}

TEST(Numbers, narrows_only_what_fits) {
  EXPECT_EQ(checked_int(2147483647, "count"), 2147483647);
  EXPECT_THROW(checked_int(2147483648, "count"), usage_error);
  EXPECT_THROW(checked_int(-1, "count"), usage_error);
}

TEST(Numbers, hash_tells_where_strings_end) {
  EXPECT_EQ(hash64().add("plan").add(7).value(), hash64().add("plan").add(7).value());
  EXPECT_NE(hash64().add("ab").add("c").value(), hash64().add("a").add("bc").value());
  EXPECT_NE(hash64().add(1).add(2).value(), hash64().add(2).add(1).value());
}

}  // namespace
}  // namespace nearfar
