// SPDX-License-Identifier: BSD-3-Clause
// The C interface to transforms of distributed grids: shapes, layouts, plans of either precision.
#include <algorithm>
#include <memory>
#include <topology/agree.hpp>

#include "transpose.hpp"

namespace nearfar::capi {

const fft_layout& value_of(const nearfar_fft_layout* handle) {
  if (handle && handle->value) return *handle->value;
  require(handle != nullptr, "the layout is NULL: it was not created, or is freed already");
  throw usage_error("the layout was freed with its team");
}

nearfar_fft::plans& value_of(nearfar_fft* handle) {
  if (handle && handle->value) return *handle->value;
  require(handle != nullptr, "the transform's plan is NULL: it was not created, or is freed already");
  throw usage_error("the transform's plan was freed with its team");
}

}  // namespace nearfar::capi

using namespace nearfar::capi;
using nearfar::index;
using nearfar::text;
using nearfar::transpose_arrays;

namespace {

nearfar::fft_shape shape_of(const nearfar_fft_shape* from) {
  require(from != nullptr, "the shape is NULL");
  require(from->dimensions >= 1 && from->dimensions <= NEARFAR_MAX_DIMENSIONS,
          text("a transform has 1 to ", NEARFAR_MAX_DIMENSIONS, " axes, not ", from->dimensions));
  require(from->extents != nullptr, "the list of extents is NULL");
  nearfar::fft_shape shape{{from->extents, from->extents + from->dimensions}};
  if (from->modes) shape.modes.assign(from->modes, from->modes + from->dimensions);
  for (int d = 0; from->kinds && d < from->dimensions; ++d) {
    require(from->kinds[d] >= NEARFAR_FFT_NONE && from->kinds[d] <= NEARFAR_FFT_DST4,
            text("there is no kind ", static_cast<int>(from->kinds[d]), " of transform; there are 0 … ",
                 static_cast<int>(NEARFAR_FFT_DST4)));
    shape.kinds.push_back(static_cast<nearfar::fft_kind>(from->kinds[d]));
  }
  return shape;
}

void write(const std::vector<index>& from, int dimensions, int64_t* to, const char* name) {
  require_result(to, name);
  std::fill_n(to, dimensions, 0);
  std::copy(from.begin(), from.end(), to);
}

nearfar::fft_layout_options options_of(const nearfar_fft_layout_options* from) {
  nearfar::fft_layout_options o;
  if (from == nullptr) return o;
  if (from->physical) o.physical = side_of(from->physical, "physical");
  if (from->spectral) o.spectral = side_of(from->spectral, "spectral");
  require(from->process_grid_count >= 0, text("the process grid has ", from->process_grid_count, " numbers"));
  if (from->process_grid) o.process_grid.assign(from->process_grid, from->process_grid + from->process_grid_count);
  return o;
}

std::vector<std::string> words_of(const char* list) {
  std::vector<std::string> words;
  for (std::string rest = list ? list : ""; !rest.empty();) {
    const auto comma = rest.find(',');
    words.push_back(rest.substr(0, comma));
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
  }
  return words;
}

nearfar::fft_options options_of(const nearfar_fft_options* from) {
  nearfar::fft_options o;
  if (from == nullptr) return o;
  require(from->scaling >= NEARFAR_FFT_UNSCALED && from->scaling <= NEARFAR_FFT_ORTHONORMAL,
          text("there is no scaling ", static_cast<int>(from->scaling), "; there are 0 … 3"));
  require(from->nyquist == NEARFAR_FFT_NYQUIST_SHARED || from->nyquist == NEARFAR_FFT_NYQUIST_ZERO,
          text("there is no nyquist ", static_cast<int>(from->nyquist), "; there are 0 (shared), 1 (zero)"));
  if (from->name && *from->name) o.name = from->name;
  if (from->fields != 0) o.fields = from->fields;
  o.scaling = static_cast<nearfar::fft_scaling>(from->scaling);
  o.nyquist = static_cast<nearfar::fft_nyquist>(from->nyquist);
  o.engines = words_of(from->engines);
  if (from->method) o.method = from->method;
  o.without = names_of(from->without, from->without_count);
  if (from->budget_s != 0) o.budget_s = std::max(from->budget_s, 0.0);
  return o;
}

/// A side that C programs can read: what it points to is kept by the layout's handle.
void publish(const nearfar::transpose_side& from, nearfar_team* team, nearfar_fft_layout::public_side& to) {
  to.parts = new nearfar_decomposition{team, from.parts, {}};
  team->decompositions.push_back(to.parts);
  const int dimensions = from.parts.dimensions();
  to.order = from.memory_order;
  for (int d = 0; from.memory_order.empty() && d < dimensions; ++d) to.order.push_back(d);
  for (int d = 0; d < dimensions; ++d) {
    const auto at = static_cast<std::size_t>(d);
    to.padding[at][0] = from.padding.low(d), to.padding[at][1] = from.padding.high(d);
  }
  to.side = {to.parts, to.order.data(), to.padding, from.field_stride};
}

template <class Step>
void with(nearfar_fft* plan, const Step& step) {
  std::visit(step, value_of(plan));
}

transpose_arrays physical_of(const nearfar_fft* plan, const void* const* list) {
  return arrays_of(list, plan->physical_count, plan->physical_bytes);
}
transpose_arrays spectral_of(const nearfar_fft* plan, const void* const* list) {
  return arrays_of(list, plan->spectral_count, plan->spectral_bytes);
}

}  // namespace

extern "C" {

nearfar_status nearfar_fft_spectral_extents(const nearfar_fft_shape* shape, int64_t* extents) {
  return guarded([&] { write(nearfar::spectral_extents(shape_of(shape)), shape->dimensions, extents, "extents"); });
}

double nearfar_fft_roundtrip_factor(const nearfar_fft_shape* shape) {
  return guarded_value(0.0, [&] { return nearfar::roundtrip_factor(shape_of(shape)); });
}

nearfar_status nearfar_fft_padded(const nearfar_fft_shape* shape, double factor, int64_t* extents, int64_t* modes) {
  return guarded([&] {
    const nearfar::fft_shape found = nearfar::padded(shape_of(shape), factor);
    write(found.extents, shape->dimensions, extents, "extents");
    write(found.modes, shape->dimensions, modes, "modes");
  });
}

nearfar_status nearfar_fft_truncated(const nearfar_fft_shape* shape, double factor, int64_t* modes) {
  return guarded([&] { write(nearfar::truncated(shape_of(shape), factor).modes, shape->dimensions, modes, "modes"); });
}

nearfar_status nearfar_fft_layout_create(nearfar_team* team, const nearfar_fft_shape* shape,
                                         const nearfar_fft_layout_options* options, nearfar_fft_layout** layout) {
  if (layout) *layout = nullptr;
  return guarded([&] {
    value_of(team);
    nearfar::fft_shape wanted;
    nearfar::fft_layout_options with_options;
    nearfar::agree(team->value, [&] {
      require_result(layout, "layout");
      wanted = shape_of(shape);
      with_options = options_of(options);
    });
    auto handle = std::make_unique<nearfar_fft_layout>();
    handle->value.emplace(team->value, wanted, with_options);
    handle->owner = team;
    publish(handle->value->physical(), team, handle->physical);
    publish(handle->value->spectral(), team, handle->spectral);
    team->layouts.push_back(handle.get());
    *layout = handle.release();
  });
}

nearfar_status nearfar_fft_layout_free(nearfar_fft_layout** layout) {
  if (layout == nullptr || *layout == nullptr) return NEARFAR_OK;
  release(*layout);
  *layout = nullptr;
  return NEARFAR_OK;
}

const nearfar_transpose_side* nearfar_fft_layout_physical(const nearfar_fft_layout* layout) {
  return guarded_value<const nearfar_transpose_side*>(nullptr,
                                                      [&] { return value_of(layout), &layout->physical.side; });
}

const nearfar_transpose_side* nearfar_fft_layout_spectral(const nearfar_fft_layout* layout) {
  return guarded_value<const nearfar_transpose_side*>(nullptr,
                                                      [&] { return value_of(layout), &layout->spectral.side; });
}

int nearfar_fft_layout_is_physical_complex(const nearfar_fft_layout* layout) {
  return guarded_value(-1, [&] { return nearfar::is_physical_complex(value_of(layout).shape()) ? 1 : 0; });
}

int nearfar_fft_layout_is_spectral_complex(const nearfar_fft_layout* layout) {
  return guarded_value(-1, [&] { return nearfar::is_spectral_complex(value_of(layout).shape()) ? 1 : 0; });
}

const char* nearfar_fft_layout_describe(nearfar_fft_layout* layout) {
  return guarded_value<const char*>(nullptr, [&] {
    layout->text = value_of(layout).describe();
    return layout->text.c_str();
  });
}

nearfar_team* nearfar_fft_layout_team(const nearfar_fft_layout* layout) {
  return guarded_value<nearfar_team*>(nullptr, [&] { return value_of(layout), layout->owner; });
}

nearfar_status nearfar_fft_create_each(const nearfar_fft_layout* layout, nearfar_type precision, int64_t physical_count,
                                       void* const* physical, int64_t spectral_count, void* const* spectral,
                                       const nearfar_fft_options* options, nearfar_fft** plan) {
  if (plan) *plan = nullptr;
  return guarded([&] {
    const nearfar::fft_layout& where = value_of(layout);
    nearfar_team* const team = layout->owner;
    auto handle = std::make_unique<nearfar_fft>();
    nearfar::fft_options wanted;
    nearfar::agree(team->value, [&] {
      require_result(plan, "plan");
      require(precision == NEARFAR_FLOAT32 || precision == NEARFAR_FLOAT64,
              text("the precision is ", static_cast<int>(precision), "; it is NEARFAR_FLOAT32 or NEARFAR_FLOAT64"));
      handle->physical_count = count_of(physical_count, physical, "physical");
      handle->spectral_count = count_of(spectral_count, spectral, "spectral");
      wanted = options_of(options);
    });
    const std::size_t real = bytes_of(precision);
    handle->physical_bytes = nearfar::is_physical_complex(where.shape()) ? 2 * real : real;
    handle->spectral_bytes = nearfar::is_spectral_complex(where.shape()) ? 2 * real : real;
    const auto a = physical_of(handle.get(), physical), b = spectral_of(handle.get(), spectral);
    if (precision == NEARFAR_FLOAT32)
      handle->value.emplace(nearfar::fft_plan<float>(where, a, b, wanted));
    else
      handle->value.emplace(nearfar::fft_plan<double>(where, a, b, wanted));
    handle->owner = team;
    team->ffts.push_back(handle.get());
    *plan = handle.release();
  });
}

nearfar_status nearfar_fft_create(const nearfar_fft_layout* layout, nearfar_type precision, void* physical,
                                  void* spectral, const nearfar_fft_options* options, nearfar_fft** plan) {
  return nearfar_fft_create_each(layout, precision, 1, &physical, 1, &spectral, options, plan);
}

nearfar_status nearfar_fft_free(nearfar_fft** plan) {
  if (plan == nullptr || *plan == nullptr) return NEARFAR_OK;
  release(*plan);
  *plan = nullptr;
  return NEARFAR_OK;
}

nearfar_status nearfar_fft_start_forward_each(nearfar_fft* plan, const void* const* physical, void* const* spectral) {
  return guarded([&] {
    with(plan, [&](auto& p) {
      require(physical != nullptr && spectral != nullptr, "a list of arrays is NULL");
      p.start_forward(physical_of(plan, physical), spectral_of(plan, spectral));
    });
  });
}

nearfar_status nearfar_fft_start_backward_each(nearfar_fft* plan, const void* const* spectral, void* const* physical) {
  return guarded([&] {
    with(plan, [&](auto& p) {
      require(physical != nullptr && spectral != nullptr, "a list of arrays is NULL");
      p.start_backward(spectral_of(plan, spectral), physical_of(plan, physical));
    });
  });
}

nearfar_status nearfar_fft_start_forward(nearfar_fft* plan, const void* physical, void* spectral) {
  return guarded([&] {
    with(plan, [&](auto& p) {
      p.start_forward({const_cast<void*>(physical), plan->physical_bytes}, {spectral, plan->spectral_bytes});
    });
  });
}

nearfar_status nearfar_fft_start_backward(nearfar_fft* plan, const void* spectral, void* physical) {
  return guarded([&] {
    with(plan, [&](auto& p) {
      p.start_backward({const_cast<void*>(spectral), plan->spectral_bytes}, {physical, plan->physical_bytes});
    });
  });
}

nearfar_status nearfar_fft_test(nearfar_fft* plan, int* done) {
  return guarded([&] {
    require_result(done, "done");
    with(plan, [&](auto& p) { *done = p.test() ? 1 : 0; });
  });
}

nearfar_status nearfar_fft_finish(nearfar_fft* plan) {
  return guarded([&] { with(plan, [](auto& p) { p.finish(); }); });
}

nearfar_status nearfar_fft_forward(nearfar_fft* plan, const void* physical, void* spectral) {
  const nearfar_status started = nearfar_fft_start_forward(plan, physical, spectral);
  return started == NEARFAR_OK ? nearfar_fft_finish(plan) : started;
}

nearfar_status nearfar_fft_backward(nearfar_fft* plan, const void* spectral, void* physical) {
  const nearfar_status started = nearfar_fft_start_backward(plan, spectral, physical);
  return started == NEARFAR_OK ? nearfar_fft_finish(plan) : started;
}

int64_t nearfar_fft_work_bytes(const nearfar_fft* plan) {
  int64_t bytes = -1;
  guarded([&] { with(const_cast<nearfar_fft*>(plan), [&](const auto& p) { bytes = p.work_bytes(); }); });
  return bytes;
}

const char* nearfar_fft_describe(nearfar_fft* plan) {
  return guarded_value<const char*>(nullptr, [&] {
    with(plan, [&](const auto& p) { plan->text = p.describe(); });
    return plan->text.c_str();
  });
}

}  // extern "C"
