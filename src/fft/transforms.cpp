// SPDX-License-Identifier: BSD-3-Clause
// Steps of transforms on this rank: block by block, axis by axis.
#include <base/axis_names.hpp>
#include <base/text.hpp>
#include <cstdlib>
#include <device/device.hpp>
#include <near/past_caches.hpp>

#include "block_plan.hpp"

namespace nearfar::fft {
namespace {

/// Memory that holds a block between two axes, on the host or the GPU.
class scratch {
 public:
  scratch() = default;
  scratch(index_t bytes, bool is_on_device) {
    constexpr std::size_t alignment = 4096;
    if (is_on_device) {
      device_ = device::memory(bytes);
    } else if (bytes > 0) {
      host_.reset(std::aligned_alloc(alignment, (as_size(bytes) + alignment - 1) / alignment * alignment));
      if (!host_) throw resource_error(text("fft: no memory for ", bytes, " bytes of scratch of a plane"));
    }
  }
  void* data() const { return host_ ? host_.get() : device_.data(); }

 private:
  struct free_memory {
    void operator()(void* p) const noexcept { std::free(p); }
  };
  std::unique_ptr<void, free_memory> host_;
  device::memory device_;
};

/// Multiplies the reals of `loops` (in_stride) by a factor.
template <class Real>
void scale(Real* from, const std::vector<fourier::loop>& loops, std::size_t level, Real factor, bool is_on_device) {
  const fourier::loop& l = loops[level];
  if (level > 0)
    for (index_t i = 0; i < l.count; ++i) scale(from + i * l.in_stride, loops, level - 1, factor, is_on_device);
  else if (is_on_device)
    device::scale(from, l.count, factor);
  else if (l.in_stride == 1)
    for (index_t i = 0; i < l.count; ++i) from[i] *= factor;
  else
    for (index_t i = 0; i < l.count; ++i) from[i * l.in_stride] *= factor;
}

/// Rows of bytes by nested loops, the innermost over the bytes of a row.
void copy_rows(near::stores how, std::byte* to, const std::byte* from, const std::vector<fourier::loop>& loops,
               std::size_t level) {
  const fourier::loop& l = loops[level];
  if (level == 0) return near::copy(how, to, from, l.count);
  for (index_t i = 0; i < l.count; ++i) copy_rows(how, to + i * l.out_stride, from + i * l.in_stride, loops, level - 1);
}

/// What engines other than the own one store, and what is multiplied once more, goes through a scratch.
block_stores stores_of(const stage_context& context, const step& what, const std::string& engine) {
  if (!context.past_caches) return block_stores::ordinary;
  const axis_facts last = facts_of(context.shape, what.axes.back());
  const bool is_direct = engine == "own" && context.factor == 1 && last.modes == last.length &&
                         !(is_real_to_real(last.kind) && what.to.is_complex);
  return is_direct ? block_stores::past_caches : block_stores::copied_past_caches;
}

template <class Real>
class transforms_stage : public stage {
 public:
  transforms_stage(const stage_context& context, const step& what, const std::string& engine)
      : from_(what.from.side),
        to_(what.to.side),
        fields_(context.options.fields),
        plan_(context, what, as_index(sizeof(Real)), stores_of(context, what, engine)),
        factor_(static_cast<Real>(context.factor)),
        is_on_device_(context.is_on_device),
        engine_(engine) {
    if (plan_.is_empty()) return;
    if (is_on_device_ && factor_ != 1 && !device::can_scale())
      throw usage_error("fft: scaling in GPU memory is cuBLAS's work (libcublas), which was not found here");
    for (int i = 0; i < 2; ++i) scratch_[i] = scratch(plan_.scratch_bytes[at(i)], is_on_device_);
    whole_ = block_of(plan_.thickness);
    const index_t left = plan_.total % plan_.thickness;
    if (left > 0) last_ = block_of(left);
  }

  void start(const transpose_arrays& in, const transpose_arrays& out) override {
    if (plan_.is_empty()) return;
    for (index_t f = 0; f < fields_; ++f) run_field(field_of(from_, in, f), field_of(to_, out, f));
    if (is_on_device_) device::synchronize();
    if (plan_.stores != block_stores::ordinary) near::finish_past_caches();
  }

  std::string describe() const override {
    std::string words = "transform along";
    for (const int d : plan_.axes) words += " " + axis_number(d, plan_.dimensions);
    return text(words, ", ", whole_.axes.empty() ? engine_ : whole_.axes.back()->describe());
  }

 private:
  struct block {
    std::vector<std::unique_ptr<line_runner<Real>>> axes;
    std::vector<fourier::loop> reals;
    std::vector<fourier::loop> rows_in, rows_out;  ///< copied before and after; none if there is no copy
  };

  block block_of(index_t thickness) const {
    block b;
    for (std::size_t i = 0; i < plan_.axes.size(); ++i)
      b.axes.push_back(make_lines<Real>(plan_.job(i, thickness), engine_, fourier::effort::measure));
    b.reals = loops_over_reals(thickness);
    if (plan_.is_input_copied()) b.rows_in = plan_.rows_between(plan_.source, plan_.places.front(), thickness);
    if (plan_.stores == block_stores::copied_past_caches)
      b.rows_out = plan_.rows_between(plan_.places.back(), plan_.result, thickness);
    return b;
  }

  static index_t real_count(const block_place& p) { return p.is_complex ? 2 : 1; }
  Real* begin_of(const block_place& p, Real* in, Real* out) const {
    switch (p.where) {
      case block_place::memory::in:
        return in;
      case block_place::memory::out:
        return out;
      default:
        return static_cast<Real*>(scratch_[p.where == block_place::memory::second_scratch].data());
    }
  }

  void run_field(void* in, void* out) {
    const block_place &first = plan_.source, &last = plan_.result;
    const index_t in_step = plan_.cut < 0 ? 0 : first.strides[at(plan_.cut)] * real_count(first);
    const index_t out_step = plan_.cut < 0 ? 0 : last.strides[at(plan_.cut)] * real_count(last);
    Real* from = static_cast<Real*>(in) + plan_.in_begin * real_count(first);
    Real* to = static_cast<Real*>(out) + plan_.out_begin * real_count(last);
    for (index_t i = 0; i < plan_.total; i += plan_.thickness) {
      const index_t planes = std::min(plan_.thickness, plan_.total - i);
      run_block(planes == plan_.thickness ? whole_ : last_, from + i * in_step, to + i * out_step);
    }
  }

  void run_block(const block& b, Real* in, Real* out) {
    Real* const first = begin_of(plan_.places.front(), in, out);
    Real* const last = begin_of(plan_.places.back(), in, out);
    copy(near::stores::ordinary, first, in, b.rows_in);
    for (std::size_t i = 0; i < b.axes.size(); ++i)
      b.axes[i]->run(begin_of(plan_.places[i], in, out), begin_of(plan_.places[i + 1], in, out));
    if (factor_ != 1) scale(last, b.reals, b.reals.size() - 1, factor_, is_on_device_);
    copy(near::stores::past_caches, out, last, b.rows_out);
  }

  static void copy(near::stores how, Real* to, const Real* from, const std::vector<fourier::loop>& rows) {
    if (rows.empty()) return;
    copy_rows(how, reinterpret_cast<std::byte*>(to), reinterpret_cast<const std::byte*>(from), rows, rows.size() - 1);
  }

  /// Over the reals of a block after the last axis.
  std::vector<fourier::loop> loops_over_reals(index_t thickness) const {
    const block_place& p = plan_.places.back();
    std::vector<fourier::loop> loops;
    if (p.is_complex) loops.push_back({2, 1, 1});
    for (int d = 0; d < plan_.dimensions; ++d) {
      const index_t stride = p.strides[at(d)] * real_count(p);
      loops.push_back({d == plan_.cut ? thickness : p.extents[at(d)], stride, stride});
    }
    loops = joined(loops);
    if (loops.empty() || (is_on_device_ && loops[0].in_stride != 1)) loops.insert(loops.begin(), {1, 1, 1});
    return loops;
  }

  transpose_side from_, to_;
  index_t fields_;
  block_plan plan_;
  Real factor_;
  bool is_on_device_;
  std::string engine_;
  scratch scratch_[2];
  block whole_, last_;
};

}  // namespace

template <class Real>
std::unique_ptr<stage> make_transforms(const stage_context& context, const step& what, const std::string& engine) {
  return std::make_unique<transforms_stage<Real>>(context, what, engine);
}
template std::unique_ptr<stage> make_transforms<float>(const stage_context&, const step&, const std::string&);
template std::unique_ptr<stage> make_transforms<double>(const stage_context&, const step&, const std::string&);

}  // namespace nearfar::fft
