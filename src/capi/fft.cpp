// SPDX-License-Identifier: BSD-3-Clause
// The C interface to transforms of distributed grids: shapes, layouts, plans of either precision.
#include <algorithm>
#include <complex>
#include <memory>
#include <topology/agree.hpp>

#include "transpose.hpp"

using namespace nearfar::capi;
using nearfar::index_t;
using nearfar::text;
using nearfar::transpose_arrays;
using nearfar::writable_transpose_arrays;

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

void write(const std::vector<index_t>& from, std::size_t dimensions, int64_t* to, const char* name) {
  require_result(to, name);
  std::fill_n(to, dimensions, 0);
  std::copy(from.begin(), from.end(), to);
}

nearfar::fft_layout_options options_of(const nearfar_fft_layout_options* options) {
  nearfar::fft_layout_options o;
  const nearfar_fft_layout_options known = read_options(options), *const from = &known;
  if (from->physical) o.physical = side_of(from->physical, "physical");
  if (from->spectral) o.spectral = side_of(from->spectral, "spectral");
  require(from->process_grid_count >= 0, text("the process grid has ", from->process_grid_count, " numbers"));
  if (from->process_grid) o.process_grid.assign(from->process_grid, from->process_grid + from->process_grid_count);
  return o;
}

nearfar::fft_options options_of(const nearfar_fft_options* options) {
  nearfar::fft_options o;
  const nearfar_fft_options from = read_options(options);
  read_plan_options(from, o);
  require(from.scaling >= NEARFAR_FFT_SCALING_NONE && from.scaling <= NEARFAR_FFT_SCALING_ORTHONORMAL,
          text("there is no scaling ", static_cast<int>(from.scaling), "; there are 0 … 3"));
  require(from.nyquist == NEARFAR_FFT_NYQUIST_SHARED || from.nyquist == NEARFAR_FFT_NYQUIST_ZERO,
          text("there is no nyquist ", static_cast<int>(from.nyquist), "; there are 0 (shared), 1 (zero)"));
  if (from.fields != 0) o.fields = from.fields;
  o.scaling = static_cast<nearfar::fft_scaling>(from.scaling);
  o.nyquist = static_cast<nearfar::fft_nyquist>(from.nyquist);
  require(from.fusion >= NEARFAR_FFT_FUSION_RACED && from.fusion <= NEARFAR_FFT_FUSION_ALWAYS,
          text("there is no fusion ", static_cast<int>(from.fusion), "; there are 0 … 2"));
  o.fusion = static_cast<nearfar::fft_fusion>(from.fusion);
  if (from.engines) o.engines = words_of(from.engines);
  return o;
}

/// A side that C programs can read: what it points to is kept by the layout's handle.
void publish(const nearfar::transpose_side& from, nearfar_team* team, nearfar_fft_layout::public_side& to) {
  auto parts = std::make_unique<nearfar_decomposition>();
  parts->value = from.parts;
  give(team, std::move(parts), &to.parts);
  const int dimensions = from.parts.dimensions();
  to.order = from.memory_order;
  for (int d = 0; from.memory_order.empty() && d < dimensions; ++d) to.order.push_back(d);
  for (int d = 0; d < dimensions; ++d) {
    const auto at = static_cast<std::size_t>(d);
    to.padding[at][0] = from.padding.low(d), to.padding[at][1] = from.padding.high(d);
  }
  to.side = {to.parts, to.order.data(), to.padding, from.field_stride};
}

void fill(nearfar_fft_layout& handle, const nearfar::fft_layout& value, nearfar_team* team) {
  handle.value.emplace(value);
  publish(value.physical(), team, handle.physical);
  publish(value.spectral(), team, handle.spectral);
}

bool has_any(void* const* list, const int64_t* elements, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (list[i] != nullptr || elements[i] > 0) return true;
  return false;
}

/// Arrays that a plan has made, without their type.
struct untyped_arrays {
  std::shared_ptr<void> memory;
  std::vector<void*> fields;
  int64_t elements;
};

template <class T>
untyped_arrays untyped(const nearfar::transpose_array<T>& from) {
  untyped_arrays to{std::make_shared<nearfar::transpose_array<T>>(from), {}, from.elements()};
  for (std::size_t i = 0; i < from.fields(); ++i) to.fields.push_back(from.data(i));
  return to;
}

template <class Real>
untyped_arrays own_physical(const nearfar::fft_plan<Real>& p) {
  const bool is_complex = nearfar::is_physical_complex(p.layout().shape());
  return is_complex ? untyped(p.template physical<std::complex<Real>>()) : untyped(p.template physical<Real>());
}
template <class Real>
untyped_arrays own_spectral(const nearfar::fft_plan<Real>& p) {
  const bool is_complex = nearfar::is_spectral_complex(p.layout().shape());
  return is_complex ? untyped(p.template spectral<std::complex<Real>>()) : untyped(p.template spectral<Real>());
}

void* address_in(const untyped_arrays& own, int64_t field) {
  require(field >= 0 && field < std::ssize(own.fields),
          text("there is no field ", field, "; fields are 0 to ", std::ssize(own.fields) - 1));
  return own.fields[static_cast<std::size_t>(field)];
}

void hand_out(untyped_arrays own, nearfar_team* team, nearfar_transpose_array** array) {
  require_result(array, "array");
  auto fresh = std::make_unique<nearfar_transpose_array>();
  fresh->value = std::move(own.memory), fresh->fields = std::move(own.fields), fresh->elements = own.elements;
  give(team, std::move(fresh), array);
}

/// The plan of an element type, by the arguments of its constructor.
template <class... Arguments>
void make_plan(nearfar_fft_plan& made, nearfar_element_type precision, const Arguments&... arguments) {
  if (precision == NEARFAR_ELEMENT_FLOAT32)
    made.value.emplace(nearfar::fft_plan<float>(arguments...));
  else
    made.value.emplace(nearfar::fft_plan<double>(arguments...));
}

/// The arrays of one call, by side.
struct arrays_of_sides {
  std::size_t in_count, out_count, in_bytes, out_bytes;
  arrays_of_sides(const nearfar_fft_plan& p, nearfar_fft_direction direction)
      : in_count(p.physical_count),
        out_count(p.spectral_count),
        in_bytes(p.physical_bytes),
        out_bytes(p.spectral_bytes) {
    require(
        direction == NEARFAR_FFT_FORWARD || direction == NEARFAR_FFT_BACKWARD,
        text("the direction is ", static_cast<int>(direction), "; it is NEARFAR_FFT_FORWARD or NEARFAR_FFT_BACKWARD"));
    if (direction == NEARFAR_FFT_BACKWARD) std::swap(in_count, out_count), std::swap(in_bytes, out_bytes);
  }
};

nearfar::fft_direction direction_of(nearfar_fft_direction direction) {
  return direction == NEARFAR_FFT_FORWARD ? nearfar::fft_direction::forward : nearfar::fft_direction::backward;
}

template <class Real>
void start(nearfar::fft_plan<Real>& p, nearfar_fft_direction direction, const transpose_arrays& in,
           const writable_transpose_arrays& out) {
  direction == NEARFAR_FFT_FORWARD ? p.start_forward(in, out) : p.start_backward(in, out);
}

}  // namespace

extern "C" {

nearfar_status nearfar_fft_spectral_extents(const nearfar_fft_shape* shape, int64_t* extents) {
  return guarded([&] {
    const nearfar::fft_shape read = shape_of(shape);
    write(nearfar::spectral_extents(read), read.extents.size(), extents, "extents");
  });
}

double nearfar_fft_roundtrip_factor(const nearfar_fft_shape* shape) {
  return guarded_value(0.0, [&] { return nearfar::roundtrip_factor(shape_of(shape)); });
}

nearfar_status nearfar_fft_padded(const nearfar_fft_shape* shape, double factor, int64_t* extents, int64_t* modes) {
  return guarded([&] {
    const nearfar::fft_shape found = nearfar::padded(shape_of(shape), factor);
    write(found.extents, found.extents.size(), extents, "extents");
    write(found.modes, found.extents.size(), modes, "modes");
  });
}

nearfar_status nearfar_fft_truncated(const nearfar_fft_shape* shape, double factor, int64_t* modes) {
  return guarded([&] {
    const nearfar::fft_shape found = nearfar::truncated(shape_of(shape), factor);
    write(found.modes, found.extents.size(), modes, "modes");
  });
}

nearfar_status nearfar_fft_layout_create(nearfar_team* team, const nearfar_fft_shape* shape,
                                         const nearfar_fft_layout_options* options, nearfar_fft_layout** layout) {
  return making(layout, [&] {
    nearfar::fft_shape wanted;
    nearfar::fft_layout_options with_options;
    make_over(
        team, layout, "layout", [&] { wanted = shape_of(shape), with_options = options_of(options); },
        [&](nearfar_fft_layout& made) { fill(made, nearfar::fft_layout(team->value, wanted, with_options), team); });
  });
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

nearfar_status nearfar_fft_plan_create_each(const nearfar_fft_layout* layout, nearfar_element_type precision,
                                            int64_t physical_count, void* const* physical,
                                            const int64_t* physical_elements, int64_t spectral_count,
                                            void* const* spectral, const int64_t* spectral_elements,
                                            const nearfar_fft_options* options, nearfar_fft_plan** plan) {
  return making(plan, [&] {
    const nearfar::fft_layout& where = value_of(layout);
    std::size_t physicals = 0, spectrals = 0;
    std::int64_t has_arrays = 0;  // any rank
    nearfar::fft_options wanted;
    const auto read = [&] {
      require(precision == NEARFAR_ELEMENT_FLOAT32 || precision == NEARFAR_ELEMENT_FLOAT64,
              text("the precision is ", static_cast<int>(precision),
                   "; it is NEARFAR_ELEMENT_FLOAT32 or NEARFAR_ELEMENT_FLOAT64"));
      physicals = count_of(physical_count, physical, "physical");
      spectrals = count_of(spectral_count, spectral, "spectral");
      check_lengths(physical, physical_elements, physicals, "physical");
      check_lengths(spectral, spectral_elements, spectrals, "spectral");
      has_arrays =
          has_any(physical, physical_elements, physicals) || has_any(spectral, spectral_elements, spectrals) ? 1 : 0;
      wanted = options_of(options);
    };
    const auto make = [&](nearfar_fft_plan& made) {
      made.physical_count = physicals, made.spectral_count = spectrals;
      const std::size_t real = bytes_of(precision);
      made.physical_bytes = nearfar::is_physical_complex(where.shape()) ? 2 * real : real;
      made.spectral_bytes = nearfar::is_spectral_complex(where.shape()) ? 2 * real : real;
      if (has_arrays != 0)
        return make_plan(made, precision, where, arrays_of(physical, physical_elements, physicals, made.physical_bytes),
                         arrays_of(spectral, spectral_elements, spectrals, made.spectral_bytes), wanted);
      make_plan(made, precision, where, wanted);
      std::visit(
          [&](auto& p) {
            made.physical_count = own_physical(p).fields.size(), made.spectral_count = own_spectral(p).fields.size();
          },
          *made.value);
    };
    make_over(layout->owner, plan, "plan", read, make, {&has_arrays, 1});
  });
}

nearfar_status nearfar_fft_plan_create(const nearfar_fft_layout* layout, nearfar_element_type precision, void* physical,
                                       int64_t physical_elements, void* spectral, int64_t spectral_elements,
                                       const nearfar_fft_options* options, nearfar_fft_plan** plan) {
  return nearfar_fft_plan_create_each(layout, precision, 1, &physical, &physical_elements, 1, &spectral,
                                      &spectral_elements, options, plan);
}

void* nearfar_fft_plan_physical(const nearfar_fft_plan* plan, int64_t field) {
  return guarded_value<void*>(
      nullptr, [&] { return with_plan(plan, [&](const auto& p) { return address_in(own_physical(p), field); }); });
}

void* nearfar_fft_plan_spectral(const nearfar_fft_plan* plan, int64_t field) {
  return guarded_value<void*>(
      nullptr, [&] { return with_plan(plan, [&](const auto& p) { return address_in(own_spectral(p), field); }); });
}

nearfar_status nearfar_fft_plan_physical_array(const nearfar_fft_plan* plan, nearfar_transpose_array** array) {
  return making(array, [&] { with_plan(plan, [&](const auto& p) { hand_out(own_physical(p), plan->owner, array); }); });
}

nearfar_status nearfar_fft_plan_spectral_array(const nearfar_fft_plan* plan, nearfar_transpose_array** array) {
  return making(array, [&] { with_plan(plan, [&](const auto& p) { hand_out(own_spectral(p), plan->owner, array); }); });
}

const nearfar_fft_layout* nearfar_fft_plan_layout(nearfar_fft_plan* plan) {
  return guarded_value<const nearfar_fft_layout*>(nullptr, [&] {
    const nearfar::fft_layout& where = with_plan(
        plan, [](auto& p) -> auto& { return p.layout(); });
    if (plan->layout == nullptr) {
      auto fresh = std::make_unique<nearfar_fft_layout>();
      fill(*fresh, where, plan->owner);
      give(plan->owner, std::move(fresh), &plan->layout);
    }
    return plan->layout;
  });
}

nearfar_status nearfar_fft_plan_start_on_each(nearfar_fft_plan* plan, nearfar_fft_direction direction,
                                              const void* const* in, const int64_t* in_elements, void* const* out,
                                              const int64_t* out_elements) {
  return guarded([&] {
    with_plan(plan, [&](auto& p) {
      const arrays_of_sides sides(*plan, direction);
      check_lengths(in, in_elements, sides.in_count, "in");
      check_lengths(out, out_elements, sides.out_count, "out");
      start(p, direction, arrays_of(in, in_elements, sides.in_count, sides.in_bytes),
            arrays_of(out, out_elements, sides.out_count, sides.out_bytes));
    });
  });
}

nearfar_status nearfar_fft_plan_start_on(nearfar_fft_plan* plan, nearfar_fft_direction direction, const void* in,
                                         int64_t in_elements, void* out, int64_t out_elements) {
  return guarded([&] {
    with_plan(plan, [&](auto& p) {
      const arrays_of_sides sides(*plan, direction);
      check_lengths(&in, &in_elements, 1, "in");
      check_lengths(&out, &out_elements, 1, "out");
      start(p, direction, {in, in_elements, sides.in_bytes}, {out, out_elements, sides.out_bytes});
    });
  });
}

nearfar_status nearfar_fft_plan_start(nearfar_fft_plan* plan, nearfar_fft_direction direction) {
  return guarded([&] {
    with_plan(plan, [&](auto& p) {
      const arrays_of_sides checked(*plan, direction);
      p.start(direction_of(direction));
    });
  });
}

nearfar_status nearfar_fft_plan_run(nearfar_fft_plan* plan, nearfar_fft_direction direction) {
  const nearfar_status started = nearfar_fft_plan_start(plan, direction);
  return started == NEARFAR_OK ? nearfar_fft_plan_finish(plan) : started;
}

nearfar_status nearfar_fft_plan_run_on(nearfar_fft_plan* plan, nearfar_fft_direction direction, const void* in,
                                       int64_t in_elements, void* out, int64_t out_elements) {
  const nearfar_status started = nearfar_fft_plan_start_on(plan, direction, in, in_elements, out, out_elements);
  return started == NEARFAR_OK ? nearfar_fft_plan_finish(plan) : started;
}

int64_t nearfar_fft_plan_work_bytes(const nearfar_fft_plan* plan) {
  return guarded_value<int64_t>(-1, [&] { return with_plan(plan, [](auto& p) { return p.work_bytes(); }); });
}

}  // extern "C"
