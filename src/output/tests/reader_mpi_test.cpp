// SPDX-License-Identifier: BSD-3-Clause
// What a stream has written comes back onto any boxes, in any order of the steps, in every format; what is damaged is
// told on all ranks.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <journal.hpp>
#include <nearfar/output_reader.hpp>

#include "output_fixture.hpp"

namespace nearfar::test {
namespace {

const nearfar::test::shapes_of_file in_shapes{__FILE__, {.ranks = {1, 2, 3}, .node_sizes = {0}, .on_cluster = false}};

using ::testing::AllOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

const std::vector<index_t> extents{7, 9, 11};
constexpr index_t steps = 5, cells = 7 * 9 * 11;

std::string bytes_of_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void set_file(const fs::path& file, const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; }

/// Elements of a box in C order with widths around it: what belongs there, and what is said to be around.
template <class T>
std::vector<T> expected_in(const box& b, const ghosts& padding, index_t step, std::size_t which, T around) {
  std::array<index_t, 3> n{};
  for (int d = 0; d < 3; ++d) n[static_cast<std::size_t>(d)] = b.extent(d) + padding.low(d) + padding.high(d);
  std::vector<T> all(static_cast<std::size_t>(n[0] * n[1] * n[2]), around);
  for_each_of(extents, b, [&](index_t place, index_t z, index_t y, index_t x) {
    const index_t at = ((z + padding.low(0)) * n[1] + y + padding.low(1)) * n[2] + x + padding.low(2);
    all[static_cast<std::size_t>(at)] = static_cast<T>(number_of(step, which, place));
  });
  return all;
}

class OutputReader : public OutputTest {
 protected:
  static std::vector<output_array> arrays(const team& t, bool has_constant, std::array<int, 2> parts) {
    std::vector<output_array> list(has_constant ? 3 : 2);
    list[0] = {.name = "p", .extents = extents, .attributes = {{"units", "Pa"}, {"level", "2.5"}}};
    list[1] = {.name = "q", .extents = extents, .type = element_type::float64, .dimensions = {"a", "b", "c"}};
    if (has_constant) list[2] = {.name = "h", .extents = extents, .type = element_type::int32, .is_constant = true};
    for (output_array& a : list) a.own = cut(extents, parts, t.rank());
    return list;
  }
  static void put_all(output_stream& out, const std::vector<output_array>& list, index_t step) {
    out.begin_step(0.25 * static_cast<double>(step));
    put_numbers<float>(out, list[0], 0, step);
    put_numbers<double>(out, list[1], 1, step);
    if (list.size() > 2) put_numbers<std::int32_t>(out, list[2], 2, 0);
    out.end_step();
  }
  void write(const team& t, const output_options& o, bool has_constant = false, index_t until = steps,
             bool is_reversed = false) const {
    const auto parts = is_reversed ? std::array<int, 2>{1, t.size()} : std::array<int, 2>{t.size(), 1};
    const auto list = arrays(t, has_constant, parts);
    output_stream out(t, path, list, o);
    for (index_t s = out.steps(); s < until; ++s) put_all(out, list, s);
    out.close();
    MPI_Barrier(comm());
  }
  static output_options plain(const std::string& format) {
    output_options o{.format = format, .policy = output_policy::synchronous};
    o.durability = output_durability::none;
    return o;
  }
  /// A box that meets those of other ranks and several writers; of rank 1 none.
  static box mixed_box(int rank) {
    if (rank == 1) return {};
    return {3, {rank, 1, 2}, {7, 9 - rank, 10}};
  }

  /// What is wrong with a step that this rank has read; "" if nothing.
  static std::string fault_in_step(output_reader& in, index_t step, const box& p, const box& q, double off) {
    const ghosts padding{{1, 0}, {0, 2}, {3, 1}};
    const auto p_wanted = expected_in<float>(p, padding, step, 0, -1);
    std::vector<float> p_found(p_wanted.size(), -1);
    in.get("p", p_found.data());
    for (std::size_t i = 0; i < p_found.size(); ++i)
      if (!(std::abs(p_found[i] - p_wanted[i]) <= (p_wanted[i] < 0 ? 0 : off)))
        return "p of step " + std::to_string(step) + " at " + std::to_string(i) + " is " + std::to_string(p_found[i]);
    // Turned around: q[x][y][z], and from the buffer.
    const auto q_wanted = expected_in<double>(q, 0, step, 1, -1);
    std::vector<double> q_found(q_wanted.size() + 1, -1);
    const index_t nz = q.extent(0), ny = q.extent(1), nx = q.extent(2);
    in.get("q", q_found.data(), {8, 8 * nz, 8 * nz * ny});
    const output_slot slot = in.slot("q");
    for (index_t z = 0; z < nz; ++z)
      for (index_t y = 0; y < ny; ++y)
        for (index_t x = 0; x < nx; ++x) {
          const double wanted = q_wanted[static_cast<std::size_t>((z * ny + y) * nx + x)];
          const auto* at = static_cast<const std::byte*>(slot.data) + z * slot.strides_bytes[0] +
                           y * slot.strides_bytes[1] + x * slot.strides_bytes[2];
          if (q_found[static_cast<std::size_t>((x * ny + y) * nz + z)] != wanted ||
              *reinterpret_cast<const double*>(at) != wanted)
            return "q of step " + std::to_string(step);
        }
    if (nz * ny * nx == 0 && slot.data != nullptr) return "a slot of nothing";
    return "";
  }
  /// These steps, in this order, by a reader of its own.
  std::string fault_of_steps(const team& t, output_reader_options o, const std::vector<index_t>& order,
                             double off = 0) {
    output_reader in(t, path, o);
    const box p = mixed_box(t.rank()), q = cut(extents, {1, t.size()}, t.rank());
    in.select({{.name = "q", .wanted = q}, {.name = "p", .wanted = p, .padding = {{1, 0}, {0, 2}, {3, 1}}}});
    std::string fault;
    for (const index_t s : order) {
      if (in.begin_step(s) != 0.25 * static_cast<double>(s)) fault += "time";
      if (fault.empty()) fault = fault_in_step(in, s, p, q, off);
      in.end_step();
    }
    return fault;
  }
  void expect_all_orders(const team& t, double off = 0) {
    EXPECT_EQ(fault_of_steps(t, {}, {0, 1, 2, 3, 4}, off), "");
    EXPECT_EQ(fault_of_steps(t, {.stride = -1, .depth = 3}, {4, 3, 2, 1, 0}, off), "");
    EXPECT_EQ(fault_of_steps(t, {.stride = 2, .depth = 1}, {1, 3, 0, 2, 4, 4}, off), "");
    EXPECT_EQ(fault_of_steps(t, {.reads_ahead = false, .checksum = false}, {3, 3, 0}, off), "");
  }
  /// On all ranks the same words, by an error of the class.
  template <class Error, class Step>
  void expect_error(Step step, const std::string& words, const std::string& more = "") {
    std::string told;
    try {
      step();
    } catch (const Error& e) {
      told = e.what();
    } catch (const error& e) {
      told = std::string("another class: ") + e.what();
    }
    EXPECT_THAT(told, AllOf(HasSubstr(words), HasSubstr(more)));
    MPI_Barrier(comm());
  }
  void on_root(const std::function<void()>& what) {
    MPI_Barrier(comm());
    if (rank() == 0) what();
    MPI_Barrier(comm());
  }
};

TEST_F(OutputReader, any_boxes_and_orders_in_every_format) {
  const team t(nearfar::test::everyone());
  for (const char* format : {"rsf", "zarr", "netcdf", "hdf5", "vtkhdf"}) {
    SCOPED_TRACE(format);
    if (!has_format(format)) continue;
    empty();
    write(t, plain(format));
    expect_all_orders(t);
  }
  if (!has_format("netcdf")) return;
  empty();
  output_options one_file = plain("netcdf");
  one_file.expected_steps = steps + 2;
  write(t, one_file);
  expect_all_orders(t);
}

TEST_F(OutputReader, compressed_parts) {
  const team t(nearfar::test::everyone());
  for (const char* how : {"zstd", "blosc", "zfp:abs=0.25"}) {
    SCOPED_TRACE(how);
    empty();
    output_options o = plain("zarr");
    auto list = arrays(t, false, {1, 1});
    const index_t planes = (extents[0] + t.size() - 1) / t.size();
    for (output_array& a : list) {
      a.own = {3, {planes * t.rank(), 0, 0}, {std::min(planes * (t.rank() + 1), extents[0]), 9, 11}};
      a.compression = a.name == "p" || std::string(how) != "zfp:abs=0.25" ? how : "";
    }
    try {
      output_stream out(t, path, list, o);
      for (index_t s = 0; s < steps; ++s) put_all(out, list, s);
      out.close();
    } catch (const usage_error& e) {
      EXPECT_THAT(e.what(), HasSubstr("is not in this build"));
      continue;
    }
    MPI_Barrier(comm());
    expect_all_orders(t, std::string(how) == "zfp:abs=0.25" ? 0.25 : 0);
    // A part that no codec made; without sums the codec itself has to find it.
    const fs::path chunk = folder / "s.zarr" / "p" / "c.1.0.0.0";
    const std::string before = bytes_of_file(chunk);
    for (const std::size_t place : {std::size_t{0}, before.size() / 2})
      for (const bool is_summed : {true, false}) {
        on_root([&] {
          std::string bytes = before;
          bytes[place] = static_cast<char>(bytes[place] ^ 0x55);
          set_file(chunk, bytes);
        });
        output_reader in(t, path, {.checksum = is_summed});
        in.select({{.name = "p", .wanted = {3, {0, 0, 0}, {7, 9, 11}}}});
        const std::string told = refusal([&] { in.begin_step(1), in.end_step(); });
        if (is_summed) {
          EXPECT_THAT(told, AllOf(HasSubstr("step 1 of "), HasSubstr("c.1.0.0.0")));
        }
        EXPECT_EQ(refusal([&] { in.begin_step(0); }), "");
      }
    on_root([&] { set_file(chunk, before.substr(0, before.size() / 2)); });
    expect_error<io_error>([&] { fault_of_steps(t, {.checksum = false}, {1}); }, "c.1.0.0.0");
  }
}

TEST_F(OutputReader, constant_arrays_come_with_every_step) {
  const team t(nearfar::test::everyone());
  for (const char* format : {"rsf", "zarr", "hdf5"}) {
    SCOPED_TRACE(format);
    if (!has_format(format)) continue;
    empty();
    output_options o = plain(format);
    o.expected_steps = std::string(format) == "hdf5" ? steps : 0;
    write(t, o, true);
    output_reader in(t, path);
    const box wanted = mixed_box(t.rank());
    in.select({{.name = "h", .wanted = wanted, .padding = 1}});
    for (const index_t s : {3, 0}) {
      in.begin_step(s);
      const auto h = expected_in<std::int32_t>(wanted, 1, 0, 2, -1);
      std::vector<std::int32_t> found(h.size(), -1);
      in.get("h", found.data());
      EXPECT_EQ(found, h);
      in.end_step();
    }
    in.select({});  // others know no arrays any more
    in.begin_step(1);
    EXPECT_THAT(refusal([&] { in.slot("h"); }), HasSubstr("was not selected; nothing was"));
  }
  // Damage to it is found when it is selected, though a later step is asked for.
  empty();
  write(t, plain("rsf"), true);
  on_root([&] {
    std::string bytes = bytes_of_file(path + ".h.raw");
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    set_file(path + ".h.raw", bytes);
  });
  output_reader in(t, path);
  expect_error<io_error>([&] { in.select({{.name = "h", .wanted = mixed_box(t.rank())}}); }, "step 0 of ", ".h.raw");
  in.select({{.name = "p", .wanted = mixed_box(t.rank())}});
  EXPECT_EQ(in.begin_step(1), 0.25);
}

TEST_F(OutputReader, says_what_there_is) {
  const team t(nearfar::test::everyone());
  output_options o = plain("zarr");
  write(t, o, true);
  const output_reader in(t, path);
  EXPECT_EQ(in.format(), "zarr");
  EXPECT_EQ(in.steps().size(), static_cast<std::size_t>(steps));
  EXPECT_EQ(in.steps()[3].step, 3);
  EXPECT_EQ(in.steps()[3].time, 0.75);
  EXPECT_EQ(in.arrays().size(), 3U);
  const output_array &p = in.arrays()[0], &q = in.arrays()[1], &h = in.arrays()[2];
  EXPECT_EQ(p.name + q.name + h.name, "pqh");
  EXPECT_EQ(p.extents, extents);
  EXPECT_EQ(p.attributes, (std::vector<std::pair<std::string, std::string>>{{"units", "Pa"}, {"level", "2.5"}}));
  EXPECT_EQ(q.dimensions, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(p.type == element_type::float32 && q.type == element_type::float64 && h.type == element_type::int32);
  EXPECT_TRUE(!p.is_constant && h.is_constant && p.own.is_empty());
}

// Steps of one stream whose writers and parts differ.
TEST_F(OutputReader, streams_that_were_gone_on_with) {
  const team t(nearfar::test::everyone());
  output_options o = plain("rsf");
  o.writers_per_node = 2;
  write(t, o, false, 3, true);
  o.opening = output_opening::append, o.writers_per_node = 1, o.checksum = false;
  write(t, o);
  expect_all_orders(t);
}

// Earlier steps would no longer be what the description of the arrays says.
TEST_F(OutputReader, compressed_parts_stay_as_they_are_when_a_stream_is_gone_on_with) {
  const team t(nearfar::test::everyone());
  output_options o = plain("zarr");
  const auto list_of = [&](std::size_t axis) {
    auto list = arrays(t, false, {1, 1});
    for (output_array& a : list) {
      a.own = {3, {0, 0, 0}, {7, 9, 11}}, a.compression = "zstd";
      const index_t part = (extents[axis] + t.size() - 1) / t.size();
      a.own.lower.at(axis) = part * t.rank(), a.own.upper.at(axis) = std::min(part * (t.rank() + 1), extents[axis]);
    }
    return list;
  };
  o.writers_per_node = t.size();
  try {
    output_stream out(t, path, list_of(0), o);
    for (index_t s = 0; s < 3; ++s) put_all(out, list_of(0), s);
    out.close();
  } catch (const usage_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("is not in this build"));
    return;
  }
  MPI_Barrier(comm());
  o.opening = output_opening::append;
  if (t.size() > 1)
    expect_error<io_error>([&] { output_stream(t, path, list_of(1), o); }, "array p is compressed in parts of",
                           "append needs the same");
  {
    output_stream out(t, path, list_of(0), o);
    for (index_t s = 3; s < steps; ++s) put_all(out, list_of(0), s);
    out.close();
  }
  MPI_Barrier(comm());
  expect_all_orders(t);
}

// The journal of a program that was killed ends in the middle of a step, and the data behind it is not whole.
TEST_F(OutputReader, killed_runs_have_their_whole_steps) {
  const team t(nearfar::test::everyone());
  write(t, plain("rsf"));
  on_root([&] {
    fs::resize_file(path + ".journal", fs::file_size(path + ".journal") - 1);
    fs::resize_file(path + ".q.raw", static_cast<std::uintmax_t>((steps - 1) * cells * 8 + 100));
  });
  output_reader in(t, path, {.depth = 3});
  EXPECT_EQ(in.steps().size(), static_cast<std::size_t>(steps - 1));
  in.select({{.name = "p", .wanted = mixed_box(t.rank())}});
  expect_error<usage_error>([&] { in.begin_step(steps - 1); }, "there is no step 4", "there are 0 to 3");
  EXPECT_EQ(in.begin_step(steps - 2), 0.75);
  in.end_step();
  EXPECT_EQ(fault_of_steps(t, {.stride = -1}, {3, 2, 1, 0}), "");
  on_root([&] { fs::resize_file(path + ".journal", 0); });
  output_reader none(t, path);
  none.select({{.name = "p", .wanted = mixed_box(t.rank())}});
  expect_error<usage_error>([&] { none.begin_step(0); }, "none yet");
}

TEST_F(OutputReader, a_flipped_bit_is_told_on_all_ranks) {
  const team t(nearfar::test::everyone());
  write(t, plain("rsf"));
  on_root([&] {
    std::string bytes = bytes_of_file(path + ".q.raw");
    char& one = bytes[static_cast<std::size_t>((2 * cells + cells / 2) * 8)];
    one = static_cast<char>(one ^ 8);
    set_file(path + ".q.raw", bytes);
  });
  output_reader in(t, path);
  // Nobody reads the damaged array itself.
  in.select({{.name = "p", .wanted = mixed_box(t.rank())}});
  for (const index_t s : {0, 1}) in.begin_step(s), in.end_step();
  expect_error<io_error>([&] { in.begin_step(2); }, "step 2 of " + path + " is damaged", ".q.raw");
  expect_error<io_error>([&] { in.begin_step(2); }, "another sum than when it was written");
  EXPECT_EQ(in.begin_step(3), 0.75);
  in.end_step();
  EXPECT_EQ(fault_of_steps(t, {.checksum = false}, {4, 3, 1}), "");
  output_reader without(t, path, {.checksum = false});
  without.select({{.name = "p", .wanted = mixed_box(t.rank())}});
  EXPECT_EQ(without.begin_step(2), 0.5);
}

TEST_F(OutputReader, files_that_are_too_short_or_missing) {
  const team t(nearfar::test::everyone());
  write(t, plain("zarr"));
  const fs::path chunk = folder / "s.zarr" / "q" / "c.2.0.0.0";
  const std::string whole = bytes_of_file(chunk);
  for (const bool is_summed : {true, false}) {
    const output_reader_options o{.stride = -1, .checksum = is_summed};
    on_root([&] { fs::resize_file(chunk, 100); });
    expect_error<io_error>(
        [&] {
          fault_of_steps(t, o, {3, 2});
        },
        "step 2 of ", "c.2.0.0.0 cannot be read: it is too short");
    on_root([&] { fs::remove(chunk); });
    expect_error<io_error>([&] { fault_of_steps(t, o, {3, 2}); }, "step 2 of ", "c.2.0.0.0");
    on_root([&] { set_file(chunk, whole); });
    EXPECT_EQ(fault_of_steps(t, o, {3, 2}), "");
  }
}

TEST_F(OutputReader, mistakes_are_told_on_all_ranks) {
  const team t(nearfar::test::everyone());
  expect_error<io_error>([&] { output_reader(t, path + "x"); }, "x.journal");
  expect_error<usage_error>([&] { output_reader(t, ""); }, "path");
  expect_error<usage_error>([&] { output_reader(t, path, {.depth = 0}); }, "1 to 1024");
  write(t, plain("rsf"));
  const bool is_last = t.rank() == t.size() - 1;
  const box whole{3, {0, 0, 0}, {7, 9, 11}};
  output_reader in(t, path, {.most_bytes = cells * 4});
  expect_error<usage_error>([&] { in.begin_step(0); }, "before select()");
  in.select({{.name = "p", .wanted = whole}});
  expect_error<usage_error>([&] { in.select({{.name = is_last ? "r" : "p"}}); }, "no array 'r'", "it has p, q");
  expect_error<usage_error>(
      [&] {
        in.select({{.name = "p", .wanted = {3, {0, 0, 0}, {7, is_last ? 10 : 9, 11}}}});
      },
      "from 0 to 10 in dimension 1", "0 to 9 are possible");
  expect_error<usage_error>([&] { in.select({{.name = "p", .wanted = {2, {0, 0}, {7, 9}}}}); }, "2 dimensions");
  expect_error<usage_error>([&] { in.select({{.name = "p"}, {.name = "p"}}); }, "twice");
  expect_error<usage_error>([&] { in.begin_step(is_last ? 7 : 1); }, "no step 7", "0 to 4");
  if (t.size() > 1) expect_error<usage_error>([&] { in.begin_step(is_last ? 2 : 1); }, "different steps", "1 and 2");
  EXPECT_THAT(refusal([&] { in.get("p", nullptr); }), HasSubstr("outside"));
  in.begin_step(0);  // of what was selected at first
  EXPECT_THAT(refusal([&] { in.get("p", nullptr); }), HasSubstr("null"));
  EXPECT_THAT(refusal([&] { in.slot("q"); }), HasSubstr("was not selected; p was"));
  expect_error<usage_error>([&] { in.begin_step(1); }, "within a step");
  expect_error<usage_error>([&] { in.select({}); }, "within a step");
  EXPECT_THAT(in.describe(), AllOf(HasSubstr("; 1 buffers of "), HasSubstr(path)));
  in.end_step();
  expect_error<resource_error>([&] { in.select({{.name = "q", .wanted = whole}}); }, "most_bytes");
  expect_error<usage_error>([&] { in.begin_step(1); }, "before select()");
}

TEST_F(OutputReader, what_cannot_be_read_back_is_refused) {
  const team t(nearfar::test::everyone());
  if (has_format("hdf5")) {
    output_array v{.name = "v", .extents = {0}, .own = {1, {0}, {5}}, .is_varying = true};
    output_stream out(t, path, {v}, plain("hdf5"));
    out.begin_step(0, {0}), out.end_step(), out.close();
    expect_error<usage_error>([&] { output_reader(t, path); }, "arrays that vary",
                              "rsf, zarr, netcdf, hdf5 and vtkhdf can");
  }
  empty();
  on_root([&] {
    output::journal_record r;
    r.format = output::label_of("adios2");
    r.seal();
    set_file(path + ".journal", std::string(reinterpret_cast<const char*>(&r), sizeof r));
  });
  expect_error<usage_error>([&] { output_reader(t, path); }, "its format is adios2");
}

// Whatever becomes of P.parts.json: the steps as they were, or an error on all ranks.
TEST_F(OutputReader, a_damaged_description_is_an_error) {
  const team t(nearfar::test::everyone());
  write(t, plain("rsf"));
  const std::string file = path + ".parts.json", whole = bytes_of_file(file);
  const auto told_of = [&](const std::string& words) {
    on_root([&] { set_file(file, words); });
    std::string fault;
    const std::string told = refusal([&] { fault = fault_of_steps(t, {}, {0, 4}); });
    EXPECT_EQ(fault, "");
    return told;
  };
  EXPECT_EQ(told_of(whole), "");
  for (const char* part : {"half", "", "{}", "[]", "1"})
    EXPECT_NE(told_of(part == std::string("half") ? whole.substr(0, whole.size() / 2) : part), "");
  for (const auto& [what, instead] :
       std::vector<std::pair<std::string, std::string>>{{"[7,9,11]", "[7,9,-11]"},
                                                        {"[7,9,11]", "[7,9,12]"},
                                                        {"[7,9,11]", "[1e18,9,11]"},
                                                        {"[7,9,11]", "[7,9,11,1,1]"},
                                                        {"float32", "float33"},
                                                        {"float32", "int32"},
                                                        {"\"file\":0", "\"file\":-1"},
                                                        {"\"file\":1", "\"file\":2"},
                                                        {"\"digits\":0", "\"digits\":2000000000"},
                                                        {"\"offset\":0", "\"offset\":-8"},
                                                        {"\"offset\":0", "\"offset\":4"},
                                                        {"\"stride\":", "\"stride\":1"},
                                                        {"\"array\":1", "\"array\":2"},
                                                        {"\"lower\":[0", "\"lower\":[-1"},
                                                        {"\"name\":\"p\"", "\"name\":\"r\""}}) {
    SCOPED_TRACE(what + " becomes " + instead);
    std::string words = whole;
    const auto at = words.find(what);
    EXPECT_NE(at, std::string::npos);
    EXPECT_NE(told_of(words.replace(std::min(at, words.size()), what.size(), instead)), "");
  }
  on_root([&] { fs::remove(file); });
  expect_error<usage_error>([&] { output_reader(t, path); }, "parts.json");
}

}  // namespace
}  // namespace nearfar::test
