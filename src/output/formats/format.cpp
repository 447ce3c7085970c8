// SPDX-License-Identifier: BSD-3-Clause
// The list of formats, and what they share.
#include "formats/format.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "formats/adios2.hpp"
#include "formats/hdf5_formats.hpp"
#include "formats/rsf.hpp"
#include "formats/zarr.hpp"

namespace nearfar::output {

namespace {

std::vector<const format*> all_formats() {
  std::vector<const format*> all{&rsf_format(), &zarr_format()};
#ifdef NEARFAR_HAVE_HDF5
  all.insert(all.end(), {&netcdf_format(), &hdf5_format(), &vtkhdf_format()});
#endif
  all.push_back(&adios2_format());
  return all;
}

/// What a build lacks for a format that it could have.
std::string missing_for(const std::string& name) {
  if (name == "netcdf" || name == "hdf5" || name == "vtkhdf")
    return " (it needs HDF5 when the library is built; Debian: libhdf5-dev)";
  return "";
}

std::vector<std::string> names_of_formats() {
  std::vector<std::string> names;
  for (const format* f : all_formats()) names.emplace_back(f->name());
  return names;
}

/// Letters to insert, remove or change.
std::size_t changes(const std::string& from, const std::string& to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t corner = row[0]++;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t changed = corner + (from[i] == to[j] ? 0 : 1);
      corner = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string most_alike(const std::string& asked, const std::vector<std::string>& names) {
  return *std::min_element(names.begin(), names.end(),
                           [&](const auto& a, const auto& b) { return changes(asked, a) < changes(asked, b); });
}

const format* find_format(const std::string& name) {
  for (const format* f : all_formats())
    if (f->name() == name) return f;
  return nullptr;
}

bool is_file_of_step(std::string behind, const std::string& ending) {
  const std::string part = ".part";
  if (behind.ends_with(part)) behind.resize(behind.size() - part.size());
  if (!behind.ends_with(ending)) return false;
  behind.resize(behind.size() - ending.size());
  return behind.size() > 6 && behind[0] == '.' && behind.find_first_not_of("0123456789", 1) == std::string::npos;
}

const format& format_of(const std::string& name) {
  if (const format* f = find_format(name)) return *f;
  const auto names = names_of_formats();
  std::string list;
  for (const auto& n : names) list += (list.empty() ? "" : ", ") + n;
  throw usage_error(text("there is no output format '", name, "' in this build", missing_for(name), "; did you mean '",
                         most_alike(name, names), "'? There are: ", list));
}

std::vector<output_array> arrays_of_step(const format_request& r, const step_request& step) {
  std::vector<output_array> arrays = r.arrays;
  std::size_t v = 0;
  for (output_array& a : arrays) {
    if (!a.is_varying) continue;
    a.extents[0] = 0;
    for (const auto& of_rank : step.rows) a.extents[0] += of_rank[v];
    ++v;
  }
  return arrays;
}

index_t frame_bytes_of(const output_array& a) {
  return std::accumulate(a.extents.begin(), a.extents.end(), bytes_of(a.type), std::multiplies<>());
}

dimension_table::dimension_table(const std::vector<output_array>& arrays, const std::vector<output_axis>& axes) {
  for (const output_array& a : arrays) {
    if (!a.dimensions.empty() && a.dimensions.size() != a.extents.size())
      throw usage_error(text("array ", a.name, " has ", a.extents.size(), " extents and ", a.dimensions.size(),
                             " names of dimensions; none or as many are possible"));
    std::vector<std::size_t> own;
    for (std::size_t d = 0; d < a.extents.size(); ++d) {
      own.push_back(find_or_add(a, d));
      if (std::count(own.begin(), own.end(), own.back()) > 1)
        throw usage_error(text("array ", a.name, " has the dimension '", all[own.back()].name, "' twice"));
    }
    of_array.push_back(std::move(own));
  }
  give_axes(axes);
}

std::size_t dimension_table::find_or_add(const output_array& a, std::size_t d) {
  const char* usual[] = {"w", "z", "y", "x"};
  const bool is_named = !a.dimensions.empty();
  std::string name = is_named ? a.dimensions[d] : usual[max_dimensions - a.extents.size() + d];
  require_name(text("the name of a dimension of array ", a.name), name);
  if (name == "time") throw usage_error(text("array ", a.name, " has a dimension 'time'; steps have it already"));
  for (bool is_again = false;; is_again = true) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const dimension& x) { return x.name == name; });
    if (found == all.end()) {
      all.push_back({name, a.extents[d]});
      return all.size() - 1;
    }
    if (found->extent == a.extents[d]) return static_cast<std::size_t>(found - all.begin());
    if (is_named || is_again)
      throw usage_error(text("dimension '", name, "' of array ", a.name, " has extent ", a.extents[d], ", and ",
                             found->extent, " in another array"));
    name += "_" + a.name;
  }
}

void dimension_table::give_axes(const std::vector<output_axis>& axes) {
  for (const output_axis& x : axes) {
    require_name("the name of an axis", x.name);
    if (x.name == "time") {
      if (!x.values.empty())
        throw usage_error("the axis 'time' gets its values from begin_step(); give attributes only");
      time = &x;
      continue;
    }
    std::vector<std::string> names{"time"};
    for (dimension& d : all) {
      names.push_back(d.name);
      if (d.name == x.name) d.axis = &x;
    }
    const auto found = std::find_if(all.begin(), all.end(), [&](const dimension& d) { return d.axis == &x; });
    if (found == all.end() && x.values.size() == 1) {
      scalars.push_back(&x);
      continue;
    }
    if (found == all.end())
      throw usage_error(text("no array has a dimension '", x.name, "', which is an axis of ", x.values.size(),
                             " values (1 would make a scalar); did you mean '", most_alike(x.name, names), "'?"));
    if (as_index(x.values.size()) != found->extent)
      throw usage_error(
          text("axis '", x.name, "' has ", x.values.size(), " values; its dimension has ", found->extent));
  }
}

void dimension_table::part_from_arrays(const std::vector<output_array>& arrays) {
  const auto is_dimension = [&](const std::string& name) {
    return std::any_of(all.begin(), all.end(), [&](const dimension& d) { return d.name == name; });
  };
  const auto is_array = [&](const std::string& name) {
    return std::any_of(arrays.begin(), arrays.end(), [&](const output_array& a) { return a.name == name; });
  };
  for (const output_array& a : arrays) {
    const bool is_scalar =
        std::any_of(scalars.begin(), scalars.end(), [&](const output_axis* s) { return s->name == a.name; });
    if (a.name == "time" || is_scalar)
      throw usage_error(
          text("array ", a.name, " has the name of an axis; files of this format keep both in one place"));
  }
  for (std::size_t d = 0; d < all.size(); ++d) {
    const auto a =
        std::find_if(arrays.begin(), arrays.end(), [&](const output_array& x) { return x.name == all[d].name; });
    if (a == arrays.end()) continue;
    if (all[d].axis != nullptr)
      throw usage_error(text("array ", a->name, " has the name of an axis that has values; give one of both"));
    const auto& own = of_array[static_cast<std::size_t>(a - arrays.begin())];
    all[d].is_array = a->is_constant && own == std::vector<std::size_t>{d};
    std::string name = all[d].name;
    while (!all[d].is_array && (is_dimension(name) || is_array(name))) name += "_dim";
    all[d].name = name;
  }
}

}  // namespace nearfar::output

namespace nearfar {

std::vector<std::pair<std::string, std::string>> output_formats() {
  std::vector<std::pair<std::string, std::string>> list;
  for (const output::format* f : output::all_formats()) list.emplace_back(f->name(), f->words());
  return list;
}

}  // namespace nearfar
