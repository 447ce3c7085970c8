// SPDX-License-Identifier: BSD-3-Clause
// Moves between distributions of arrays in GPU memory: down to near memory of the host, by a transposition there, and
// up again.
#include <base/text.hpp>
#include <device/device.hpp>
#include <near/arena.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>

#include "lines.hpp"
#include "stage.hpp"

namespace nearfar::fft {
namespace {

/// This rank's part of all fields in near memory, without padding, and the rows that it has in common with the GPU's
/// array.
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
    find_loops();
  }

  const transpose_side& side() const { return host_side_; }
  transpose_arrays arrays() const { return {memory_.data(), -1, as_size(element_bytes_)}; }
  bool is_pinned() const { return pinned_.is_pinned(); }

  void copy_down(const transpose_arrays& from) const {
    for_fields(from, [this](const std::byte* gpu, std::byte* host) {
      device::copy_box(host, gpu, element_bytes_, down_, device::direction::to_host);
    });
  }
  void copy_up(const transpose_arrays& to) const {
    for_fields(to, [this](std::byte* gpu, const std::byte* host) {
      device::copy_box(gpu, host, element_bytes_, up_, device::direction::to_device);
    });
  }

 private:
  const team& own_team() const { return device_side_.parts.team(); }

  /// From the GPU's array to the host's, the slowest first.
  void find_loops() {
    const box& own = device_side_.parts.own();
    if (own.is_empty()) return;
    const array_shape from = shape_of(device_side_), to = shape_of(host_side_);
    begin_ = from.offset(own.lower);
    std::vector<fourier::loop> all;
    for (int d = 0; d < own.dimensions; ++d) all.push_back({own.extent(d), from.strides[at(d)], to.strides[at(d)]});
    all = joined(all);
    for (auto l = all.rbegin(); l != all.rend(); ++l)
      down_.push_back({l->count, l->in_stride * element_bytes_, l->out_stride * element_bytes_});
    up_ = down_;
    for (device::loop& l : up_) std::swap(l.from_stride, l.to_stride);
  }

  template <class Copy>
  void for_fields(const transpose_arrays& gpu, Copy copy) const {
    if (device_side_.parts.own().is_empty()) return;
    for (index_t f = 0; f < fields_; ++f)
      copy(static_cast<std::byte*>(field_of(device_side_, gpu, f)) + begin_ * element_bytes_,
           memory_.data() + f * host_side_.field_stride * element_bytes_);
  }

  transpose_side device_side_, host_side_;
  index_t fields_, element_bytes_;
  near::block memory_;
  device::pinned pinned_;
  index_t begin_ = 0;
  std::vector<device::loop> down_, up_;
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
  std::string describe_json() const override { return through_host_->describe_json(); }
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
