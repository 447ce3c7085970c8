// SPDX-License-Identifier: BSD-3-Clause
// Models from files of each kind, gathers into files, and files that are none.
#include <app/properties.hpp>
#include <files/hdf5.hpp>
#include <files/npy.hpp>
#include <files/rsf.hpp>
#include <files/segy.hpp>
#include <files/segy_places.hpp>
#include <model/file_property.hpp>
#include <settings/settings.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <bit>
#include <cmath>
#include <numbers>
#include <sstream>
#include <vector>

#include "model_bytes.hpp"
#include "own_folder.hpp"

namespace seismic {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const grid ground{{3, 4, 5}, {10, 10, 10}, {0, 0, 0}};

/// The whole ground in one of the two orders.
std::vector<float> ground_values(file_order order) {
  std::vector<float> all;
  if (order == file_order::depth_slowest)
    for (index_t k = 0; k < 3; ++k)
      for (index_t j = 0; j < 4; ++j)
        for (index_t i = 0; i < 5; ++i) all.push_back(value_at(k, j, i));
  else
    for (index_t j = 0; j < 4; ++j)
      for (index_t i = 0; i < 5; ++i)
        for (index_t k = 0; k < 3; ++k) all.push_back(value_at(k, j, i));
  return all;
}

std::string npy_of(const std::string& type, const std::string& shape, const std::string& numbers, int version = 1,
                   const std::string& order = "False") {
  std::string header = "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': (" + shape + "), }";
  header.resize(117, ' ');
  header += '\n';
  std::string start = "\x93NUMPY";
  start += static_cast<char>(version);
  start += std::string(1, '\0') + static_cast<char>(header.size()) + std::string(version == 1 ? 1 : 3, '\0');
  return start + header + numbers;
}

void expect_ground(const property& p, const nearfar::box& where) {
  std::vector<float> values(static_cast<std::size_t>(where.cells()), -1);
  p.read(where, values);
  std::size_t n = 0;
  for (index_t k = where.lower[0]; k < where.upper[0]; ++k)
    for (index_t j = where.lower[1]; j < where.upper[1]; ++j)
      for (index_t i = where.lower[2]; i < where.upper[2]; ++i, ++n)
        EXPECT_EQ(values[n], value_at(k, j, i)) << k << ' ' << j << ' ' << i;
}

void expect_ground(const std::string& file, file_order order = file_order::depth_slowest) {
  const auto p = file_property(open_array(file), order, ground, 0);
  expect_ground(*p, ground.whole());
  expect_ground(*p, {3, {1, 1, 2}, {3, 4, 4}});
  expect_ground(*p, {3, {2, 0, 0}, {3, 1, 5}});
}

std::string refused(const std::string& file, const grid& g = ground) {
  return refusal_of<nearfar::error>([&] {
    const auto p = file_property(open_array(file), file_order::depth_slowest, g, 0);
    std::vector<float> values(static_cast<std::size_t>(g.size()));
    p->read(g.whole(), values);
  });
}

TEST(SeismicFiles, npy_of_all_kinds) {
  const own_folder folder;
  const std::vector<float> v = ground_values(file_order::depth_slowest);
  const std::vector<double> d(v.begin(), v.end());
  expect_ground(folder.written("a.npy", npy_of("<f4", "3, 4, 5", bytes_of(v))));
  expect_ground(folder.written("b.npy", npy_of(">f4", "3, 4, 5", bytes_of(v, true))));
  expect_ground(folder.written("c.npy", npy_of("<f8", "1, 3, 4, 5", bytes_of(d), 2)));
  expect_ground(folder.written("d.npy", npy_of("<f4", "4, 5, 3", bytes_of(ground_values(file_order::depth_fastest)))),
                file_order::depth_fastest);
}

TEST(SeismicFiles, wrong_npy_is_refused) {
  const own_folder folder;
  const std::string numbers = bytes_of(ground_values(file_order::depth_slowest));
  const auto is = [&](const std::string& bytes) { return refused(folder.written("w.npy", bytes)); };
  EXPECT_THAT(is(npy_of("<f4", "3, 4, 5", numbers.substr(1))),
              AllOf(HasSubstr("w.npy has 367 bytes"), HasSubstr("3 x 4 x 5"), HasSubstr("need 368")));
  EXPECT_THAT(is(npy_of("<i4", "3, 4, 5", numbers)), HasSubstr("'<i4'"));
  EXPECT_THAT(is(npy_of("<f4", "3, 4, 5", numbers, 1, "True")), HasSubstr("Fortran order"));
  EXPECT_THAT(is(npy_of("<f4", "3, 5, 4", numbers)),
              AllOf(HasSubstr("3 x 5 x 4"), HasSubstr("5 x 4 x 3 points along x, y and z")));
  EXPECT_THAT(is(npy_of("<f4", "3, -4, 5", numbers)), HasSubstr("at least 1"));
  EXPECT_THAT(is(npy_of("<f4", "99999999, 99999999, 99999999", numbers)), HasSubstr("at most 2^44"));
  EXPECT_THAT(is(npy_of("<f4", "", numbers)), HasSubstr("0 dimensions"));
  EXPECT_THAT(is("short"), HasSubstr("it has 5 bytes"));
  EXPECT_THAT(is("certainly not of NumPy"), HasSubstr("does not begin"));
  EXPECT_THAT(is(npy_of("<f4", "3", "").substr(0, 20)), HasSubstr("header"));
  EXPECT_THAT(refused(folder / "none.npy"), HasSubstr("none.npy"));
  EXPECT_THAT(refused("a.dat"), HasSubstr("*.rsf"));
}

TEST(SeismicFiles, rsf_with_a_history) {
  const own_folder folder;
  const std::vector<float> v = ground_values(file_order::depth_slowest);
  folder.written("v.raw", bytes_of(v)), folder.written("x.raw", bytes_of(v, true));
  expect_ground(folder.written("v.rsf",
                               "sfmath\tuser@host:\tMon Jan 1\n\tn1=99\n in=\"elsewhere\"\n n1=5 n2=4\n\tn3=3 "
                               "label1=\"x = 3 km\"\nin='v.raw' data_format=\"native_float\" esize=4\n"));
  expect_ground(folder.written("x.rsf", "n1=5 n2=4 n3=3 in=x.raw data_format=xdr_float\n"));
  expect_ground(folder.written("f.rsf", "n1=5 n2=4 n3=3 n4=1 in=" + (folder / "v.raw") + "\n"));
}

TEST(SeismicFiles, say_what_grid_they_are_of) {
  const own_folder folder;
  folder.written("v.raw", bytes_of(ground_values(file_order::depth_slowest)));
  const std::string whole = folder.written(
      "v.rsf", "n1=5 n2=4 n3=3 in=v.raw d1=12.5 d2=0.025 d3=5 o1=100 o2=0 o3=-10 unit1=m unit2=km unit3=m\n");
  const std::string points = folder.written("p.rsf", "n1=5 n2=4 n3=3 in=v.raw\n");
  const std::string other = folder.written("u.rsf", "n1=5 n2=4 n3=3 in=v.raw d1=1 unit1=ft\n");
  const auto of = [](const std::string& file, const std::string& more = "") {
    const std::vector<std::string> keys{"grid.points=model", "model.vp=" + file};
    return settings_in(more, "own.toml", keys).space;
  };
  const auto refused_keys = [&](const std::string& file) -> std::string {
    try {
      of(file);
    } catch (const nearfar::error& e) {
      return e.what();
    }
    return "none";
  };
  EXPECT_EQ(of(whole), (grid{{3, 4, 5}, {5, 25, 12.5}, {-10, 0, 100}}));
  EXPECT_EQ(of(whole, "[grid]\nspacing = [20, 20, 20]\n"), (grid{{3, 4, 5}, {20, 20, 20}, {-10, 0, 100}}));
  EXPECT_EQ(of(points, "[grid]\nspacing = [20, 20, 20]\n"), (grid{{3, 4, 5}, {20, 20, 20}, {0, 0, 0}}));
  EXPECT_EQ(of(whole, "[model]\nfile-order = \"zxy\"\n").points, (std::array<index_t, 3>{5, 3, 4}));
  EXPECT_THAT(refused_keys(points), AllOf(HasSubstr("grid.points"), HasSubstr("grid.spacing")));
  EXPECT_THAT(refused_keys(other), HasSubstr("unit along x is ft"));
  EXPECT_THAT(refused_keys("1500.0"), HasSubstr("model.vp is not a file"));
}

TEST(SeismicFiles, wrong_rsf_is_refused) {
  const own_folder folder;
  folder.written("v.raw", bytes_of(ground_values(file_order::depth_slowest)));
  const auto is = [&](const std::string& text) { return refused(folder.written("w.rsf", text)); };
  EXPECT_THAT(is("n1=5 n2=4 n3=4 in=v.raw"),
              AllOf(HasSubstr("v.raw has 240 bytes"), HasSubstr("4 x 4 x 5"), HasSubstr("320")));
  EXPECT_THAT(is("n1=5 n2=4 n3=x in=v.raw"), HasSubstr("n3=x"));
  EXPECT_THAT(is("n2=4 in=v.raw"), HasSubstr("no n1"));
  EXPECT_THAT(is("n1=5 n2=4 n3=3"), HasSubstr("no in="));
  EXPECT_THAT(is("n1=5 n2=4 n3=3 in=none.raw"), HasSubstr("none.raw"));
  EXPECT_THAT(is("n1=5 n2=4 n3=3 in=v.raw data_format=ascii_float"), HasSubstr("ascii_float"));
  EXPECT_THAT(is("n1=5 n2=4 n3=3 in=v.raw esize=8"), HasSubstr("esize=8"));
  EXPECT_THAT(is("n1=5 n2=4 n3=3 in=stdin"), HasSubstr("stdin"));
  EXPECT_THAT(is(std::string("n1=5\0n2", 7)), HasSubstr("not text"));
  EXPECT_THAT(is("n1=9000000000 n2=9000000000 n3=9000000000 in=v.raw"), HasSubstr("2^44"));
}

void write_hdf5(const std::string& path, const std::vector<std::string>& names) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const std::array<hsize_t, 3> sizes{3, 4, 5};
  const hid_t space = H5Screate_simple(3, sizes.data(), nullptr);
  const std::vector<float> v = ground_values(file_order::depth_slowest);
  for (const std::string& name : names) {
    const hid_t data = H5Dcreate2(file, name.c_str(), H5T_IEEE_F64BE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(data, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, v.data());
    H5Dclose(data);
  }
  H5Sclose(space), H5Fclose(file);
}

TEST(SeismicFiles, datasets_of_hdf5) {
  const own_folder folder;
  write_hdf5(folder / "one.h5", {"vp"}), write_hdf5(folder / "two.hdf5", {"vp", "rho"});
  expect_ground(folder / "one.h5");
  expect_ground(folder / "two.hdf5:/vp");
  EXPECT_THAT(refused(folder / "two.hdf5"), HasSubstr("2 datasets (rho, vp)"));
  EXPECT_THAT(refused(folder / "one.h5:/vs"), AllOf(HasSubstr("no dataset /vs"), HasSubstr("are vp")));
  EXPECT_THAT(refused(folder.written("not.h5", "text")), HasSubstr("not.h5 cannot be read as HDF5"));
  EXPECT_THAT(refused(folder / "none.h5"), HasSubstr("none.h5"));
}

TEST(SeismicFiles, ibm_floats_are_what_the_manual_says) {
  EXPECT_EQ(ibm_float(0xC276A000), -118.625F);
  EXPECT_EQ(ibm_float(0x42640000), 100);
  EXPECT_EQ(ibm_float(0), 0);
  EXPECT_EQ(ibm_float(0x7FFFFFFF), std::numeric_limits<float>::infinity());
  EXPECT_EQ(ibm_float(ibm_of(1234)), 1234);
}

TEST(SeismicFiles, segy_of_both_formats_and_byte_orders) {
  const own_folder folder;
  for (const bool is_big : {true, false})
    for (const bool is_ibm : {true, false}) expect_ground(folder.written("v.sgy", segy_of({is_big, is_ibm, true, 0})));
  expect_ground(folder.written("e.segy", segy_of({true, false, true, 2})));
}

/// Before revision 1 the bytes that number extended headers say nothing.
TEST(SeismicFiles, segy_of_revision_0_has_no_extended_headers) {
  const own_folder folder;
  std::string bytes = segy_of({});
  put(bytes, 3500, std::uint16_t{0}, true), put(bytes, 3504, std::int16_t{7}, true);
  expect_ground(folder.written("old.sgy", bytes));
}

/// Without line numbers all traces are one line: a model of two dimensions.
TEST(SeismicFiles, segy_without_lines_is_flat) {
  const own_folder folder;
  const grid flat{{3, 1, 20}, {10, 10, 10}, {0, 0, 0}};
  const auto p = file_property(open_array(folder.written("v.sgy", segy_of({.has_lines = false}))),
                               file_order::depth_slowest, flat, 0);
  std::vector<float> values(60);
  p->read(flat.whole(), values);
  EXPECT_EQ(values[20 + 7], value_at(1, 1, 2));
}

TEST(SeismicFiles, wrong_segy_is_refused) {
  const own_folder folder;
  const std::string sound = segy_of({});
  const auto is = [&](const std::string& bytes) { return refused(folder.written("w.sgy", bytes)); };
  const auto changed = [&](std::size_t at, auto value) {
    std::string bytes = sound;
    put(bytes, at, value, true);
    return is(bytes);
  };
  EXPECT_THAT(is(sound.substr(0, sound.size() - 1)),
              AllOf(HasSubstr("whole traces of 3 samples"), HasSubstr("truncated")));
  EXPECT_THAT(is("short"), HasSubstr("it has 5 bytes"));
  EXPECT_THAT(changed(3224, std::int16_t{3}),
              AllOf(HasSubstr("format 3"), HasSubstr("1 (IBM floats) and 5 (IEEE floats)")));
  EXPECT_THAT(changed(3224, std::int16_t{0}), HasSubstr("format 0"));
  EXPECT_THAT(changed(3220, std::int16_t{0}), HasSubstr("0 samples"));
  EXPECT_THAT(changed(3600 + 252 * 4 + 114, std::int16_t{2}), HasSubstr("trace 4 has 2 samples, the file says 3"));
  EXPECT_THAT(changed(3600 + 252 * 8 + 188, std::int32_t{3}), HasSubstr("trace 8 is of inline 3"));
  EXPECT_THAT(changed(3504, std::int16_t{2000}), HasSubstr("2000 extended"));
}

TEST(SeismicFiles, planes_are_extruded) {
  const own_folder folder;
  const std::string file = folder.written(
      "v.npy",
      npy_of("<f4", "3, 5", bytes_of(std::vector<float>{0, 1, 2, 3, 4, 10, 11, 12, 13, 14, 20, 21, 22, 23, 24})));
  const auto read = [&](double slope, const nearfar::box& where) {
    std::vector<float> values(static_cast<std::size_t>(where.cells()));
    file_property(open_array(file), file_order::depth_slowest, ground, slope)->read(where, values);
    return values;
  };
  const auto straight = read(0, ground.whole());
  for (std::size_t n = 0; n < straight.size(); ++n) EXPECT_EQ(straight[n], static_cast<float>(n / 20 * 10 + n % 5));
  // The middle along y is at 1.5: planes are shifted by -0.75, -0.25, 0.25 and 0.75 points.
  const auto slanted = read(0.5, ground.whole());
  EXPECT_EQ(std::vector<float>(slanted.begin(), slanted.begin() + 5),
            (std::vector<float>{0.75F, 1.75F, 2.75F, 3.75F, 4}));
  EXPECT_EQ(std::vector<float>(slanted.begin() + 15, slanted.begin() + 20),
            (std::vector<float>{0, 0.25F, 1.25F, 2.25F, 3.25F}));
  const auto part = read(0.5, {3, {1, 3, 2}, {2, 4, 5}});
  EXPECT_EQ(part, (std::vector<float>{11.25F, 12.25F, 13.25F}));
}

TEST(SeismicFiles, settings_name_files_and_their_units) {
  const own_folder folder;
  std::vector<float> km = ground_values(file_order::depth_fastest);
  for (float& v : km) v /= 1000;
  const std::string file = folder.written("v.npy", npy_of("<f4", "4, 5, 3", bytes_of(km)));
  const settings s = settings_in("[grid]\npoints = [5, 4, 3]\n[medium]\nkind = 'tti'\n[model]\nvp = '" + file +
                                     "'\nepsilon = 0.24\ndelta = [[0, 0.1], [10, 0.2]]\ntilt = 45\nvelocity-unit = "
                                     "'km/s'\nfile-order = 'zxy'\n[[sources]]\n",
                                 "own.toml");
  const auto medium = properties_of(s);
  std::vector<float> vp(60), vs(60), tilt(60);
  medium[0]->read(ground.whole(), vp), medium[1]->read(ground.whole(), vs), medium[4]->read(ground.whole(), tilt);
  EXPECT_FLOAT_EQ(vp[59], value_at(2, 3, 4));
  EXPECT_FLOAT_EQ(vs[0], value_at(0, 0, 0) * std::sqrt(0.14F / 0.75F));
  EXPECT_FLOAT_EQ(vs[59], value_at(2, 3, 4) * std::sqrt(0.04F / 0.75F));
  EXPECT_FLOAT_EQ(tilt[3], static_cast<float>(std::numbers::pi / 4));
  EXPECT_EQ(medium[0]->name(), file);
}

struct small_gather {
  std::vector<position> receivers{{8, 20, 100.25}, {8, 20, 112.5}, {9, 20, -125}};
  std::vector<float> values;
  small_gather() {
    for (int n = 0; n < 12; ++n) values.push_back(static_cast<float>(0.5 * n - 2));
  }
  shot_gather seen() const { return {7, {6, 20, 50}, receivers, 4, 0.002, 0.1, values, "a test"}; }
};

std::string bytes_in(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Big endian.
int two_at(const std::string& bytes, std::size_t at) {
  return (static_cast<unsigned char>(bytes[at]) << 8) + static_cast<unsigned char>(bytes[at + 1]);
}

std::int32_t four_at(const std::string& bytes, std::size_t at) {
  return static_cast<std::int32_t>((static_cast<std::uint32_t>(two_at(bytes, at)) << 16) +
                                   static_cast<std::uint32_t>(two_at(bytes, at + 2)));
}

TEST(SeismicFiles, gathers_as_segy) {
  const own_folder folder;
  write_segy_gather(folder / "shot.sgy", small_gather().seen());
  const auto file = open_segy(folder / "shot.sgy");
  EXPECT_EQ(file->extents(), (std::vector<index_t>{3, 4}));
  std::vector<float> values(12);
  file->read(std::array<index_t, 2>{0, 0}, std::array<index_t, 2>{3, 4}, values);
  EXPECT_EQ(values, small_gather().values);
  const std::string bytes = bytes_in(folder / "shot.sgy");
  const auto two = [&](std::size_t at) { return two_at(bytes, at); };
  const auto four = [&](std::size_t at) { return four_at(bytes, at); };
  EXPECT_EQ(bytes[0], '\xC3');
  EXPECT_EQ(two(3216), 2000);
  EXPECT_EQ(two(3220), 4);
  EXPECT_EQ(two(3224), 5);
  EXPECT_EQ(two(3500), 0x100);
  const std::size_t third = 3600 + 2 * (240 + 16);
  EXPECT_EQ(four(third), 3);
  EXPECT_EQ(four(third + 8), 7);
  EXPECT_EQ(four(third + 36), 175);
  EXPECT_EQ(four(third + 40), -900);
  EXPECT_EQ(four(third + 48), 600);
  EXPECT_EQ(static_cast<std::int16_t>(two(third + 70)), -100);
  EXPECT_EQ(four(third + 72), 5000);
  EXPECT_EQ(four(third + 80), -12500);
  EXPECT_EQ(four(third + 84), 2000);
  EXPECT_EQ(two(third + 108), 100);
  EXPECT_EQ(two(third + 114), 4);
  EXPECT_EQ(two(third + 116), 2000);
  EXPECT_FALSE(std::filesystem::exists(folder / "shot.sgy.partial"));
}

/// What was measured, by the codes of the standard: kind of sensor, unit of values, words.
TEST(SeismicFiles, segy_says_what_was_measured) {
  const own_folder folder;
  const small_gather own;
  for (const auto& [of, kind, unit] : {std::tuple{quantity::pressure, 11, 1},
                                       {quantity::dp_dx, 14, -1},
                                       {quantity::vx, 14, 6},
                                       {quantity::vy, 13, 6},
                                       {quantity::vz, 12, 6}}) {
    shot_gather gather = own.seen();
    gather.of = of;
    write_segy_gather(folder / "shot.sgy", gather);
    write_rsf_gather(folder / "shot.rsf", gather);
    const std::string bytes = bytes_in(folder / "shot.sgy");
    EXPECT_EQ(static_cast<std::int16_t>(two_at(bytes, 3600 + 28)), kind);
    EXPECT_EQ(static_cast<std::int16_t>(two_at(bytes, 3600 + 202)), unit);
    EXPECT_EQ(bytes[5 * 80 + 4], '\xE5');  // the sixth card: "Values"
    EXPECT_EQ(rsf_header_of(folder / "shot.rsf").at("label"), facts_of(of).words);
    EXPECT_EQ(rsf_header_of(folder / "shot.rsf").at("unit"), facts_of(of).unit);
  }
}

/// Metres, and the factor that has room for them in 32 bits: 21474836.47 is the last one in centimetres.
TEST(SeismicFiles, far_places_in_segy_are_as_fine_as_32_bits_allow) {
  const own_folder folder;
  for (const auto& [metres, factor] :
       {std::pair{21474836.0, 100}, {21474837.0, 10}, {214748364.0, 10}, {214748365.0, 1}}) {
    small_gather own;
    own.receivers[1][x] = metres;
    write_segy_gather(folder / "far.sgy", own.seen());
    const std::string bytes = bytes_in(folder / "far.sgy");
    const std::size_t second = 3600 + 240 + 16;
    for (const std::size_t scalar : {std::size_t{68}, std::size_t{70}})
      EXPECT_EQ(static_cast<std::int16_t>(two_at(bytes, second + scalar)), factor == 1 ? 1 : -factor) << metres;
    EXPECT_EQ(four_at(bytes, second + 80), factor * metres);
  }
}

TEST(SeismicFiles, gathers_as_rsf) {
  const own_folder folder;
  write_rsf_gather(folder / "shot.rsf", small_gather().seen());
  EXPECT_EQ(rsf_header_of(folder / "shot.rsf").at("d1"), "0.002");
  EXPECT_EQ(rsf_header_of(folder / "shot.rsf").at("label1"), "Time");
  const array_file file(rsf_layout(folder / "shot.rsf")), places(rsf_layout(folder / "shot_places.rsf"));
  EXPECT_EQ(file.extents(), (std::vector<index_t>{3, 4}));
  std::vector<float> values(12), where(18);
  file.read(std::array<index_t, 2>{0, 0}, std::array<index_t, 2>{3, 4}, values);
  EXPECT_EQ(values, small_gather().values);
  places.read(std::array<index_t, 2>{0, 0}, std::array<index_t, 2>{3, 6}, where);
  EXPECT_EQ(std::vector<float>(where.begin(), where.begin() + 6), (std::vector<float>{50, 20, 6, 100.25F, 20, 8}));
}

TEST(SeismicFiles, gathers_that_do_not_fit_are_refused) {
  const own_folder folder;
  const small_gather own;
  const auto refusal = [&](auto change) {
    shot_gather g = own.seen();
    change(g);
    return refusal_of<nearfar::usage_error>([&] { write_segy_gather(folder / "shot.sgy", g); });
  };
  EXPECT_THAT(refusal([](shot_gather& g) { g.samples = 5; }), HasSubstr("12 values for 3 traces of 5 samples"));
  EXPECT_THAT(refusal([](shot_gather& g) { g.interval_s = 0.0005005; }), HasSubstr("whole microseconds"));
  EXPECT_THAT(refusal([](shot_gather& g) { g.interval_s = 0; }), HasSubstr("above 0"));
  EXPECT_THAT(refusal([](shot_gather& g) { g.delay_s = 40; }), HasSubstr("32.767 s"));
  const std::vector<float> long_trace(3 * 32768);
  const auto refusal_of_samples = [&](index_t samples) {
    return refusal([&](shot_gather& g) {
      g.samples = samples, g.values = std::span(long_trace).first(static_cast<std::size_t>(3 * samples));
    });
  };
  EXPECT_EQ(refusal_of_samples(32767), "none");
  EXPECT_THAT(refusal_of_samples(32768), HasSubstr("32768 samples a trace: SEG-Y rev 1 has room for 32767"));
  EXPECT_THAT(refusal_of<nearfar::io_error>([&] { write_segy_gather(folder / "none/shot.sgy", own.seen()); }),
              HasSubstr("none/shot.sgy"));
}

}  // namespace
}  // namespace seismic
