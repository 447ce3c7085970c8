// SPDX-License-Identifier: BSD-3-Clause
// What files of models say of their own grid: noticed where it is another one, and taken where that is wanted.
#include <model/file_property.hpp>
#include <settings/settings.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <hdf5_hl.h>

#include <array>
#include <functional>
#include <vector>

#include "model_bytes.hpp"
#include "own_folder.hpp"

namespace seismic {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const grid ground{{3, 4, 5}, {5, 25, 12.5}, {60, 200, 100}};

std::string said_of(const std::string& file, const grid& g = ground) {
  return file_property(open_array(file), file_order::depth_slowest, g, 0)->caveat();
}

grid taken_from(const std::string& file, const std::string& more = "") {
  const std::vector<std::string> keys{"grid.points=model", "model.vp=" + file};
  return settings_in(more, "own.toml", keys).space;
}

std::string refusal_to_take(const std::string& file) {
  return refusal_of<nearfar::usage_error>([&] { taken_from(file); });
}

/// Headers of the ground above, big endian, with coordinates in decimetres.
class segy_file {
 public:
  segy_file() {
    set_all<std::int16_t>(70, -10), set_all<std::int16_t>(108, 60), set_binary<std::uint16_t>(16, 5000);
    for (index_t j = 0; j < 4; ++j)
      for (index_t i = 0; i < 5; ++i)
        place(j, i, 180, static_cast<std::int32_t>(1000 + 125 * i), static_cast<std::int32_t>(2000 + 250 * j));
  }
  template <class T>
  void set_binary(std::size_t at, T value) {
    put(bytes_, 3200 + at, value, true);
  }
  template <class T>
  void set(std::size_t trace, std::size_t at, T value) {
    put(bytes_, 3600 + 252 * trace + at, value, true);
  }
  template <class T>
  void set_all(std::size_t at, T value) {
    for (std::size_t t = 0; t < 20; ++t) set(t, at, value);
  }
  void place(index_t j, index_t i, std::size_t at, std::int32_t along_x, std::int32_t along_y) {
    const auto trace = static_cast<std::size_t>(5 * j + i);
    set(trace, at, along_x), set(trace, at + 4, along_y);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_ = segy_of({});
};

class SegyHeaders : public testing::Test {
 protected:
  own_folder folder;
  segy_file file;

  std::string written() const { return folder.written("v.sgy", file.bytes()); }
  std::string said(const grid& g = ground) const { return said_of(written(), g); }
};

TEST_F(SegyHeaders, of_the_same_grid_are_not_spoken_of) {
  EXPECT_EQ(said(), "");
  EXPECT_EQ(taken_from(written()), ground);
}

TEST_F(SegyHeaders, of_another_grid_are_named) {
  grid other{{3, 4, 5}, {10, 20, 12.5}, {60, 200, 0}};
  EXPECT_THAT(said(other), AllOf(HasSubstr("v.sgy says of itself"), HasSubstr("along x, an origin of 100 m, not 0"),
                                 HasSubstr("along y, a spacing of 25 m, not 20"),
                                 HasSubstr("along z, a spacing of 5 m, not 10"), HasSubstr("the grid is what")));
}

TEST_F(SegyHeaders, of_zeros_say_nothing) {
  const std::string plain = folder.written("plain.sgy", segy_of({}));
  EXPECT_EQ(said_of(plain), "");
  EXPECT_THAT(refusal_to_take(plain), AllOf(HasSubstr("grid.points"), HasSubstr("grid.spacing")));
  EXPECT_EQ(taken_from(plain, "[grid]\nspacing = [20, 20, 20]\n"), (grid{{3, 4, 5}, {20, 20, 20}, {0, 0, 0}}));
}

/// A field of microseconds: below 500 metres, then thousandths of them; that of the first trace where the binary header
/// has none.
TEST_F(SegyHeaders, have_depths_in_metres_or_thousandths) {
  for (const auto& [number, metres] :
       {std::pair<int, double>{5, 5}, {499, 499}, {500, 0.5}, {1250, 1.25}, {50000, 50}}) {
    file.set_binary(16, static_cast<std::uint16_t>(number));
    EXPECT_EQ(taken_from(written()).spacing_m[z], metres) << number;
  }
  file.set_binary<std::uint16_t>(16, 0), file.set<std::uint16_t>(0, 116, 10);
  EXPECT_EQ(taken_from(written()).spacing_m[z], 10);
  file.set_binary<std::uint16_t>(16, 4000);
  EXPECT_THAT(said(), HasSubstr("a sample interval of 4000 in its binary header and of 10 in its first trace, which "
                                "cannot be compared"));
}

TEST_F(SegyHeaders, have_places_of_sources_where_those_of_the_cdp_are_zeros) {
  for (index_t j = 0; j < 4; ++j)
    for (index_t i = 0; i < 5; ++i) {
      file.place(j, i, 180, 0, 0);
      file.place(j, i, 72, static_cast<std::int32_t>(1 + 2 * i), static_cast<std::int32_t>(4 * j));
    }
  file.set_all<std::int16_t>(70, 10);
  const grid taken = taken_from(written());
  EXPECT_EQ(taken.spacing_m, (std::array<double, 3>{5, 40, 20}));
  EXPECT_EQ(taken.origin_m, (std::array<double, 3>{60, 0, 10}));
}

TEST_F(SegyHeaders, that_cannot_be_compared_are_said_to_be_so) {
  segy_file uneven = file, turned = file, back = file, degrees = file, feet = file, delays = file;
  uneven.place(0, 3, 180, 1300, 2000);
  EXPECT_THAT(said_of(folder.written("u.sgy", uneven.bytes())),
              HasSubstr("u.sgy has along x, CDP coordinates that are not evenly spaced, which cannot be compared"));
  for (index_t i = 0; i < 5; ++i)
    turned.place(0, i, 180, static_cast<std::int32_t>(1000 + 75 * i), static_cast<std::int32_t>(2000 + 100 * i));
  for (index_t j = 0; j < 4; ++j)
    for (index_t i = 0; i < 5; ++i)
      back.place(j, i, 180, static_cast<std::int32_t>(1500 - 125 * i), static_cast<std::int32_t>(2000 + 250 * j));
  for (const segy_file& f : {turned, back})  // as far from trace to trace, but the origin is another one
    EXPECT_EQ(said_of(folder.written("t.sgy", f.bytes())),
              folder / "t.sgy" +
                  " has along x, CDP coordinates in another direction, which cannot be compared with "
                  "the grid");
  degrees.set_all<std::int16_t>(88, 3);
  EXPECT_THAT(
      said_of(folder.written("d.sgy", degrees.bytes())),
      AllOf(HasSubstr("along y, CDP coordinates in degrees"), HasSubstr("along x, CDP coordinates in degrees")));
  delays.set<std::int16_t>(3, 108, 61);
  EXPECT_THAT(said_of(folder.written("e.sgy", delays.bytes())), HasSubstr("delays that differ"));
  feet.set_binary<std::int16_t>(54, 2);
  EXPECT_THAT(said_of(folder.written("f.sgy", feet.bytes())), HasSubstr("along z, the unit ft, not m"));
  EXPECT_THAT(refusal_to_take(folder / "f.sgy"), HasSubstr("ft"));
}

/// 1.25 m in whole metres: 0, 1, 3, 4, 5.
TEST_F(SegyHeaders, have_rounded_coordinates) {
  constexpr std::array<std::int32_t, 5> rounded{0, 1, 3, 4, 5};
  for (index_t j = 0; j < 4; ++j)
    for (index_t i = 0; i < 5; ++i)
      file.place(j, i, 180, rounded[static_cast<std::size_t>(i)], static_cast<std::int32_t>(25 * j));
  file.set_all<std::int16_t>(70, 0);
  EXPECT_EQ(taken_from(written()).spacing_m[x], 1.25);
}

class Hdf5Headers : public testing::Test {
 protected:
  own_folder folder;

  /// A data set of the ground, and what `more` puts beside it and onto it.
  std::string written(const std::function<void(hid_t file, hid_t data)>& more) const {
    const std::string path = folder / "v.h5";
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const std::array<hsize_t, 3> sizes{3, 4, 5};
    std::vector<float> values;
    for (index_t k = 0; k < 3; ++k)
      for (index_t j = 0; j < 4; ++j)
        for (index_t i = 0; i < 5; ++i) values.push_back(value_at(k, j, i));
    H5LTmake_dataset_float(file, "vp", 3, sizes.data(), values.data());
    const hid_t data = H5Dopen2(file, "vp", H5P_DEFAULT);
    more(file, data);
    H5Dclose(data), H5Fclose(file);
    return path + ":/vp";
  }
  static void attach(hid_t file, hid_t data, unsigned dimension, const std::vector<double>& places,
                     const char* units = nullptr) {
    const std::string name = "scale" + std::to_string(dimension);
    const hsize_t size = places.size();
    H5LTmake_dataset_double(file, name.c_str(), 1, &size, places.data());
    if (units != nullptr) H5LTset_attribute_string(file, name.c_str(), "units", units);
    const hid_t scale = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
    H5DSset_scale(scale, name.c_str()), H5DSattach_scale(data, scale, dimension);
    H5Dclose(scale);
  }
};

TEST_F(Hdf5Headers, without_places_say_nothing) {
  const std::string file = written([](hid_t, hid_t) {});
  EXPECT_EQ(said_of(file), "");
  EXPECT_THAT(refusal_to_take(file), HasSubstr("grid.spacing"));
}

TEST_F(Hdf5Headers, have_scales_of_dimensions) {
  const std::string file = written([](hid_t to, hid_t data) {
    attach(to, data, 0, {0.06, 0.065, 0.07}, "km"), attach(to, data, 1, {200, 225, 250, 275}, "m");
    attach(to, data, 2, {100, 112.5, 125, 137.5, 150});
  });
  EXPECT_EQ(said_of(file), "");
  const grid taken = taken_from(file);
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_NEAR(taken.spacing_m[d], ground.spacing_m[d], 1e-9);
    EXPECT_NEAR(taken.origin_m[d], ground.origin_m[d], 1e-9);
  }
  grid other = ground;
  other.spacing_m[y] = 20, other.origin_m[z] = 0;
  EXPECT_THAT(said_of(file, other),
              AllOf(HasSubstr("along y, a spacing of 25 m, not 20"), HasSubstr("along z, an origin of 60 m, not 0")));
}

TEST_F(Hdf5Headers, have_scales_that_cannot_be_compared) {
  EXPECT_THAT(said_of(written([](hid_t to, hid_t data) {
                attach(to, data, 1, {200, 225, 260, 275});
              })),
              HasSubstr("a scale of its dimension 2 that is not evenly spaced upwards, which cannot be compared"));
  EXPECT_THAT(said_of(written([](hid_t to, hid_t data) {
                attach(to, data, 1, {200, 225, 250, 275}, "degrees");
              })),
              HasSubstr("along y, the unit degrees, not m"));
}

TEST_F(Hdf5Headers, have_attributes_in_the_order_of_the_data_set_or_by_name) {
  const std::array<double, 3> spacing{5, 25, 12.5}, origin{60, 200, 100}, other{5, 20, 12.5};
  const auto set = [](hid_t at, const char* object, const char* name, const std::vector<double>& numbers) {
    H5LTset_attribute_double(at, object, name, numbers.data(), numbers.size());
  };
  const auto as_lists = [&](const char* object) {
    return [&, object](hid_t to, hid_t) {
      set(to, object, "spacing", {spacing.begin(), spacing.end()}), set(to, object, "origin", {60, 200, 100});
    };
  };
  for (const char* const object : {"vp", "/"}) EXPECT_EQ(taken_from(written(as_lists(object))), ground) << object;
  EXPECT_EQ(taken_from(written([&](hid_t to, hid_t) {
              for (std::size_t d = 0; d < 3; ++d) {
                const std::string letter(1, "zyx"[d]);
                set(to, "vp", ("d" + letter).c_str(), {spacing[d]});
                set(to, "/", (letter + "0").c_str(), {origin[d]});
              }
            })),
            ground);
  EXPECT_EQ(taken_from(written([&](hid_t to, hid_t) { set(to, "vp", "spacing", {20}); })),
            (grid{{3, 4, 5}, {20, 20, 20}, {0, 0, 0}}));
  EXPECT_THAT(said_of(written([&](hid_t to, hid_t) {
                set(to, "vp", "spacing", {other.begin(), other.end()});
              })),
              HasSubstr("along y, a spacing of 20 m, not 25"));
  EXPECT_THAT(said_of(written([&](hid_t to, hid_t) {
                set(to, "vp", "spacing", {1, 2});
              })),
              HasSubstr("an attribute spacing of 2 numbers, which cannot be compared"));
}

TEST(ModelHeaders, rsf_with_another_grid_is_named) {
  const own_folder folder;
  folder.written("v.raw", std::string(240, '\0'));
  const std::string file =
      folder.written("v.rsf", "n1=5 n2=4 n3=3 in=v.raw d1=12.5 d2=0.025 d3=10 o1=100 o2=0.2 unit2=km\n");
  EXPECT_EQ(said_of(file), folder / "v.raw" +
                               " says of itself, along z, a spacing of 10 m, not 5; the grid is what "
                               "the settings say");
}

}  // namespace
}  // namespace seismic
