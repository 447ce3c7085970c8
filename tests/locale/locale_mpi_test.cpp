// SPDX-License-Identifier: BSD-3-Clause
// Where the program's locale writes 1.234,5: files, keys and near memory are as elsewhere.
#include <mpi_test.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nearfar/field.hpp>
#include <nearfar/halo.hpp>
#include <nearfar/output.hpp>
#include <own_wisdom.hpp>
#include <sstream>

namespace nearfar {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class LocaleTest : public test::OwnWisdomTest {
 protected:
  std::string words_of(const std::string& file) const {
    std::ifstream in(folder_ / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

// Without this the others prove nothing.
TEST_F(LocaleTest, the_locale_is_another_one) {
  std::ostringstream out;
  out << 1234567 << ' ' << 0.5;
  EXPECT_EQ(out.str(), "1.234.567 0,5");
#ifdef NEARFAR_TEST_C_LOCALE
  char words[8];
  std::snprintf(words, sizeof words, "%.1f", 0.5);
  EXPECT_STREQ(words, "0,5");
#endif
}

// Near ranks open /proc/1234/fd/..., and a plan's key has the bits of a hash and the extents.
TEST_F(LocaleTest, near_memory_is_mapped_and_wisdom_found) {
  const team t(comm());
  const grid g(t, {16, 16, 1200}, {});
  const field<double> f(g, {.ghosts = 1});
  const halo_plan first(f), second(f);
  if (size() > 1) {
    EXPECT_THAT(first.describe(), HasSubstr("near-"));
    EXPECT_THAT(second.describe(), HasSubstr("wisdom"));
  }
  EXPECT_THAT(first.describe(), Not(HasSubstr("1.200")));
  NEARFAR_ASSERT_ALL(rank() != 0 || words_of("wisdom.jsonl").find(",\"version\":2") != std::string::npos);
}

TEST_F(LocaleTest, headers_and_journals_are_read_again) {
  const team t(comm());
  const index_t n = 2048, first = n * rank() / size(), last = n * (rank() + 1) / size();
  const std::vector<double> x(static_cast<std::size_t>(last - first), 1.5);
  const output_array heat{.name = "heat", .extents = {n}, .own = {1, {first}, {last}}, .type = element_type::float64};
  for (const char* format : {"rsf", "vtkhdf", "zarr"}) {
    const std::string path = (folder_ / format).string();
    output_options how{.format = format};
    for (int session = 0; session < 2; ++session, how.opening = output_opening::append) {
      output_stream out(t, path, {heat}, how);
      out.begin_step(0.25 + session), out.put("heat", x.data()), out.end_step(), out.close();
    }
    EXPECT_THAT(output_steps_at(path), ::testing::SizeIs(2)) << format;
  }
  if (rank() != 0) return;
  EXPECT_THAT(words_of("rsf.heat.rsf"), AllOf(HasSubstr("n1=2048\n"), HasSubstr("=0.25\n")));
  EXPECT_THAT(words_of("vtkhdf.vtkhdf.series"), HasSubstr("1.25"));
}

}  // namespace
}  // namespace nearfar
