// SPDX-License-Identifier: BSD-3-Clause
// Moves between distributions of arrays in GPU memory: down to near memory of the host, by a transposition there, and up again.
#include <base/text.hpp>
#include <device/device.hpp>
#include <near/arena.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>

#include "lines.hpp"
#include "stage.hpp"

namespace nearfar::fft {
namespace {

/// This rank's part of all fields in near memory, without padding, and the rows that it has in common with the GPU's array.
class landing {
 public:
  landing(const transpose_side& on_device, index_t fields, index_t element_bytes)
      : device_side_(on_device),
        host_side_{on_device.parts, order_of(on_device)},
        fields_(fields),
        element_bytes_(element_bytes) {
    const box& own = on_device.parts.own();
    host_side_.field_stride = std::max<index_t>(own.cells(), 1);
    const index_t bytes = host_side_.field_stride * fields * element_bytes;
    agree(own_team(), [&] { memory_ = near::arena::of(own_team()).allocate(bytes); });
    pinned_ = device::pinned(memory_.data(), bytes);
    find_rows();
  }

  const transpose_side& side() const { return host_side_; }
  transpose_arrays arrays() const { return {memory_.data(), -1, as_size(element_bytes_)}; }
  bool is_pinned() const { return pinned_.is_pinned(); }

  void copy_down(const transpose_arrays& from) const { copy_fields(from, device::direction::to_host); }
  void copy_up(const transpose_arrays& to) const { copy_fields(to, device::direction::to_device); }

 private:
  const team& own_team() const { return device_side_.parts.members(); }

  /// The loops over rows; `in` is the GPU's array, `out` the host's.
  void find_rows() {
    const box& own = device_side_.parts.own();
    if (own.is_empty()) return;
    const array_shape from = shape_of(device_side_), to = shape_of(host_side_);
    begin_ = from.offset(own.lower);
    for (int d = 0; d < own.dimensions; ++d) loops_.push_back({own.extent(d), from.strides[at(d)], to.strides[at(d)]});
    loops_ = joined(loops_);
    if (!loops_.empty() && loops_[0].in_stride == 1 && loops_[0].out_stride == 1) {
      row_ = loops_[0].count;
      loops_.erase(loops_.begin());
    }
  }

  void copy_fields(const transpose_arrays& gpu, device::direction where) const {
    if (device_side_.parts.own().is_empty()) return;
    for (index_t f = 0; f < fields_; ++f)
      copy_loops(loops_.size(), static_cast<std::byte*>(field_of(device_side_, gpu, f)) + begin_ * element_bytes_,
                 memory_.data() + f * host_side_.field_stride * element_bytes_, where);
  }

  void copy_loops(std::size_t level, std::byte* gpu, std::byte* host, device::direction where) const {
    if (level > 1) {
      const fourier::loop& l = loops_[level - 1];
      for (index_t i = 0; i < l.count; ++i)
        copy_loops(level - 1, gpu + i * l.in_stride * element_bytes_, host + i * l.out_stride * element_bytes_, where);
      return;
    }
    const fourier::loop l = loops_.empty() ? fourier::loop{1, row_, row_} : loops_[0];
    const index_t on_gpu = l.in_stride * element_bytes_, on_host = l.out_stride * element_bytes_;
    if (where == device::direction::to_host)
      device::copy(host, gpu, {l.count, row_ * element_bytes_, on_gpu, on_host}, where);
    else
      device::copy(gpu, host, {l.count, row_ * element_bytes_, on_host, on_gpu}, where);
  }

  transpose_side device_side_, host_side_;
  index_t fields_, element_bytes_;
  near::block memory_;
  device::pinned pinned_;
  index_t begin_ = 0, row_ = 1;
  std::vector<fourier::loop> loops_;
};

class device_move_stage : public stage {
 public:
  device_move_stage(const stage_context& context, const step& what, index_t element_bytes, double budget_s)
      : in_(what.from.side, context.options.fields, element_bytes),
        out_(what.to.side, context.options.fields, element_bytes),
        through_host_(make_move(context, {{in_.side(), what.from.is_complex}, {out_.side(), what.to.is_complex}},
                                in_.arrays(), out_.arrays(), {budget_s})) {}

  void start(const transpose_arrays& in, const transpose_arrays& out) override {
    in_.copy_down(in);
    targets_.clear();
    for (std::size_t i = 0; i < out.count(); ++i) targets_.push_back(out[i]);
    through_host_->start(in_.arrays(), out_.arrays());
  }
  bool test() override { return through_host_->test(); }
  void finish() override {
    through_host_->finish();
    out_.copy_up({targets_.data(), nullptr, targets_.size(), out_.arrays().element_bytes()});
  }
  std::string method() const override { return through_host_->method(); }
  double tuned_seconds() const override { return through_host_->tuned_seconds(); }
  std::string describe() const override {
    return text(through_host_->describe(), ", from and to GPU memory by ",
                in_.is_pinned() && out_.is_pinned() ? "pinned" : "pageable", " near memory");
  }

 private:
  landing in_, out_;
  std::unique_ptr<stage> through_host_;
  std::vector<void*> targets_;  ///< of the operation in flight
};

}  // namespace

std::unique_ptr<stage> make_device_move(const stage_context& context, const step& what, index_t element_bytes,
                                        double budget_s) {
  return std::make_unique<device_move_stage>(context, what, element_bytes, budget_s);
}

}  // namespace nearfar::fft
