// SPDX-License-Identifier: BSD-3-Clause
// Streams in any format that are written by all ranks and read back by a reader that is not ours.
#pragma once

#include <sstream>

#include "output_fixture.hpp"
#include "python_reader.hpp"

namespace nearfar::test {

class FormatsTest : public OutputTest {
 protected:
  static std::vector<output_array> arrays(const team& t) {
    std::vector<output_array> list = numbered_arrays(t, {t.size(), 1});
    list[0].attributes = {{"units", "Pa"}, {"standard_name", "air_pressure"}, {"level", "2.5"}};
    return list;
  }
  static output_options options(const std::string& format, output_policy policy) {
    output_options o{.format = format, .policy = policy};
    o.attributes = {{"Conventions", "CF-1.8"}, {"title", "numbers"}};
    o.axes = {{"time", {}, {{"units", "seconds since 2000-01-01"}}}, {"z", {}, {{"units", "m"}, {"axis", "Z"}}}};
    for (int z = 0; z < 13; ++z) o.axes[1].values.push_back(0.5 * z);
    return o;
  }
  void write(const team& t, const std::vector<output_array>& list, const output_options& o, index_t steps) const {
    output_stream out(t, path, list, o);
    for (index_t s = out.steps(); s < steps; ++s) put_step(out, list, s);
    out.close();
  }
  static void put_step(output_stream& out, const std::vector<output_array>& list, index_t s) {
    out.begin_step(0.25 * static_cast<double>(s));
    put_numbers<float>(out, list[0], 0, s);
    fill_numbers<double>(out, list[1], 1, s);
    // What is put of a constant array in a later step counts for nothing, and it need not be put.
    if (list.size() > 2 && s < 2) put_numbers<float>(out, list[2], 2, s);
    out.end_step();
  }
  /// By the root; others wait.
  void read_back(const std::string& reader, const std::string& end, index_t steps,
                 const std::string& tolerance_of_p = "", const std::string& extents_of_q = "5x40x100",
                 const std::string& more = "") {
    std::ostringstream command;
    command << NEARFAR_READ_BACK << " " << reader << " " << path << end << " " << steps << " p:f4:13x17x29"
            << tolerance_of_p << " q:f8:" << extents_of_q << more;
    read_in_python(comm(), command.str(), "not read back by all of " + reader + ", since not all is installed");
  }
};

}  // namespace nearfar::test
