// SPDX-License-Identifier: BSD-3-Clause
// Layouts and plans of Fourier, cosine and sine transforms.
#include "transposes.hpp"

namespace nearfar_python {
namespace {

using numbers = std::vector<std::int64_t>;

/// Extents, kinds and modes per axis.
using shape = std::tuple<numbers, std::vector<int>, std::optional<numbers>>;

/// A nearfar_fft_shape and what it refers to.
class held_shape {
 public:
  explicit held_shape(const shape& from) {
    for (const int kind : std::get<1>(from)) kinds_.push_back(static_cast<nearfar_fft_kind>(kind));
    value_ = {static_cast<int>(std::get<0>(from).size()), std::get<0>(from).data(), kinds_.data(),
              data_or_null(std::get<2>(from))};
  }
  const nearfar_fft_shape* get() const { return &value_; }

 private:
  std::vector<nearfar_fft_kind> kinds_;
  nearfar_fft_shape value_{};
};

address create_layout(address team, const shape& of, const std::optional<side>& physical,
                      const std::optional<side>& spectral, const std::vector<int>& process_grid) {
  const held_shape wanted(of);
  nearfar_fft_layout_options options{};
  options.size = sizeof options;
  nearfar_transpose_side sides[2];
  if (physical) sides[0] = side_of(*physical), options.physical = &sides[0];
  if (spectral) sides[1] = side_of(*spectral), options.spectral = &sides[1];
  options.process_grid = process_grid.empty() ? nullptr : process_grid.data();
  options.process_grid_count = static_cast<int>(process_grid.size());
  nearfar_fft_layout* layout = nullptr;
  nb::gil_scoped_release others_may_run;
  check(nearfar_fft_layout_create(object<nearfar_team>(team), wanted.get(), &options, &layout));
  return address_of(layout);
}

template <auto Of>
side side_of_layout(address layout) {
  const nearfar_transpose_side* found = Of(object<nearfar_fft_layout>(layout));
  if (found == nullptr) throw failure{NEARFAR_USAGE_ERROR, "the FFT layout is freed already"};
  const int dimensions = nearfar_decomposition_dimensions(found->parts);
  side to{address_of(found->parts), {}, {}, found->field_stride};
  if (found->memory_order) std::get<1>(to).emplace(found->memory_order, found->memory_order + dimensions);
  if (found->padding) {
    auto& padding = std::get<2>(to).emplace();
    for (int d = 0; d < dimensions; ++d) padding.push_back({found->padding[d][0], found->padding[d][1]});
  }
  return to;
}

address create_plan(address layout, int precision, const arrays& physical, const arrays& spectral,
                    const plan_options& common, std::int64_t fields, int scaling, int nyquist, int fusion,
                    const std::optional<std::string>& engines) {
  auto options = with_plan_options<nearfar_fft_options>(common);
  options.fields = fields;
  options.scaling = static_cast<nearfar_fft_scaling>(scaling);
  options.nyquist = static_cast<nearfar_fft_nyquist>(nyquist);
  options.fusion = static_cast<nearfar_fft_fusion>(fusion);
  options.engines = text_or_null(engines);
  nearfar_fft_plan* plan = nullptr;
  nb::gil_scoped_release others_may_run;
  check(nearfar_fft_plan_create_each(object<nearfar_fft_layout>(layout), static_cast<nearfar_element_type>(precision),
                                     count_of(physical), data_of(physical), physical.second.data(), count_of(spectral),
                                     data_of(spectral), spectral.second.data(), &options, &plan));
  return address_of(plan);
}

void start_on(address plan, int direction, const arrays& in, const arrays& out) {
  nb::gil_scoped_release others_may_run;
  check(nearfar_fft_plan_start_on_each(object<nearfar_fft_plan>(plan), static_cast<nearfar_fft_direction>(direction),
                                       data_of(in), in.second.data(), data_of(out), out.second.data()));
}

}  // namespace

void define_ffts(nb::module_& m) {
  m.def("fft_spectral_extents", [](const shape& of) {
    const held_shape from(of);
    numbers extents(std::get<0>(of).size());
    check(nearfar_fft_spectral_extents(from.get(), extents.data()));
    return extents;
  });
  m.def("fft_roundtrip_factor", [](const shape& of) {
    const double factor = nearfar_fft_roundtrip_factor(held_shape(of).get());
    if (!(factor > 0)) throw failure{NEARFAR_USAGE_ERROR, nearfar_last_error()};
    return factor;
  });
  m.def("fft_padded", [](const shape& of, double factor) {
    const std::size_t count = std::get<0>(of).size();
    numbers extents(count), modes(count);
    check(nearfar_fft_padded(held_shape(of).get(), factor, extents.data(), modes.data()));
    return std::pair(extents, modes);
  });
  m.def("fft_truncated", [](const shape& of, double factor) {
    numbers modes(std::get<0>(of).size());
    check(nearfar_fft_truncated(held_shape(of).get(), factor, modes.data()));
    return modes;
  });
  m.def("fft_layout_create", create_layout, nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg());
  define_free(m, "fft_layout_free", nearfar_fft_layout_free);
  m.def("fft_layout_physical", side_of_layout<nearfar_fft_layout_physical>);
  m.def("fft_layout_spectral", side_of_layout<nearfar_fft_layout_spectral>);
  define(m, "fft_layout_is_physical_complex", nearfar_fft_layout_is_physical_complex);
  define(m, "fft_layout_is_spectral_complex", nearfar_fft_layout_is_spectral_complex);
  define(m, "fft_layout_describe", nearfar_fft_layout_describe);
  m.def("fft_create", create_plan, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg(), nb::arg(), nb::arg().none());
  define_free(m, "fft_free", nearfar_fft_plan_free);
  define(m, "fft_start", nearfar_fft_plan_start);
  m.def("fft_start_on", start_on);
  define_result(m, "fft_test", nearfar_fft_plan_test);
  define(m, "fft_finish", nearfar_fft_plan_finish);
  define(m, "fft_run", nearfar_fft_plan_run);
  define(m, "fft_method", nearfar_fft_plan_method);
  define(m, "fft_describe", nearfar_fft_plan_describe);
  define(m, "fft_describe_json", nearfar_fft_plan_describe_json);
  define(m, "fft_tuned_seconds", nearfar_fft_plan_tuned_seconds);
  define(m, "fft_work_bytes", nearfar_fft_plan_work_bytes);
  define_result(m, "fft_physical_array", nearfar_fft_plan_physical_array);
  define_result(m, "fft_spectral_array", nearfar_fft_plan_spectral_array);
}

}  // namespace nearfar_python
