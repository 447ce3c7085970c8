// SPDX-License-Identifier: BSD-3-Clause
// A move and the transforms after it as one stage, which reads near ranks' memory straight into the transforms.
#include <base/axis_names.hpp>
#include <base/text.hpp>
#include <fused/stage.hpp>
#include <tune/methods.hpp>

#include "fusion.hpp"

namespace nearfar::fft {
namespace {

template <class Real>
class fused_stage : public stage {
 public:
  fused_stage(const stage_context& context, const step& move, const step& transforms, const transpose_arrays& in,
              const transpose_arrays& out, const race_terms& terms)
      : parts_(description_of(move.to.side.parts)),
        axes_(transforms.axes),
        dimensions_(move.to.side.parts.dimensions()),
        stage_(shape_of_stage(context, move, transforms), in, out,
               {.name = context.options.name,
                .method = context.options.method,
                .without = context.options.without,
                .budget_s = tune::as_option(terms.budget_s),
                .rewrite = terms.rewrite}) {}

  void check(const transpose_arrays& in, const transpose_arrays& out) const override { stage_.check(in, out); }
  void start(const transpose_arrays& in, const transpose_arrays& out) override { stage_.start(in, out); }
  bool test() override { return stage_.test(); }
  void finish() override { stage_.finish(); }
  std::string method() const override { return stage_.method(); }
  double tuned_seconds() const override { return stage_.tuned_seconds(); }
  std::string describe_json() const override { return stage_.describe_json(); }
  std::string describe() const override {
    std::string words = text("move to ", parts_, " and in the same pass transform along");
    for (const int d : axes_) words += " " + axis_number(d, dimensions_);
    return text(words, ", own, ", stage_.method());
  }

 private:
  static fused::stage_shape shape_of_stage(const stage_context& context, const step& move, const step& transforms) {
    fused::stage_shape s{move.from.side, move.to.side.parts, transforms.to.side, {}, context.options.fields};
    for (const int d : transforms.axes) {
      const fft_kind kind = context.shape.kinds[at(d)];
      s.steps.push_back({context.is_backward ? backward_of(kind) : forward_of(kind), d});
    }
    return s;
  }

  std::string parts_;
  std::vector<int> axes_;
  int dimensions_;
  fused::stage<Real> stage_;
};

}  // namespace

bool can_fuse(const stage_context& context, const step& move, const step& transforms) {
  if (!move.is_move() || transforms.is_move() || transforms.axes.size() > 2 || context.factor != 1) return false;
  bool is_complex = transforms.from.is_complex;
  for (const int d : transforms.axes) {
    const axis_facts f = facts_of(context.shape, d);
    if (f.modes != f.length || (is_real_to_real(f.kind) && is_complex)) return false;
    if (f.kind == fft_kind::r2c) is_complex = !context.is_backward;
  }
  return true;
}

template <class Real>
std::unique_ptr<stage> make_fused(const stage_context& context, const step& move, const step& transforms,
                                  const transpose_arrays& in, const transpose_arrays& out, const race_terms& terms) {
  return std::make_unique<fused_stage<Real>>(context, move, transforms, in, out, terms);
}
template std::unique_ptr<stage> make_fused<float>(const stage_context&, const step&, const step&,
                                                  const transpose_arrays&, const transpose_arrays&, const race_terms&);
template std::unique_ptr<stage> make_fused<double>(const stage_context&, const step&, const step&,
                                                   const transpose_arrays&, const transpose_arrays&, const race_terms&);

}  // namespace nearfar::fft
