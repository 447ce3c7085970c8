// SPDX-License-Identifier: BSD-3-Clause
// Moves between distributions: transposition plans.
#include <base/axis_names.hpp>
#include <base/text.hpp>
#include <tune/methods.hpp>

#include "stage.hpp"

namespace nearfar::fft {
namespace {

/// Races of moves do not count the time of the transforms after them, which read what has been moved from the caches,
/// or from memory.
std::vector<std::string> without_streaming(const fft_options& options) {
  std::vector<std::string> names = options.without;
  names.emplace_back("near-direct-streamed");
  return names;
}

class move_stage : public stage {
 public:
  move_stage(const stage_context& context, const step& what, const transpose_arrays& in, const transpose_arrays& out,
             const race_terms& terms)
      : bytes_(what.from.side.parts.own().cells() * as_index(in.element_bytes()) * context.options.fields),
        parts_(description_of(what.to.side.parts)),
        plan_(what.from.side, what.to.side, in, writable_transpose_arrays(out),
              {.name = context.options.name,
               .method = context.options.method,
               .without = without_streaming(context.options),
               .budget_s = tune::as_option(terms.budget_s),
               .fields = context.options.fields,
               .rewrite = terms.rewrite ? borrowed_call(terms.rewrite) : borrowed_call()}) {}

  void check(const transpose_arrays& in, const transpose_arrays& out) const override {
    check_start(plan_, in, writable_transpose_arrays(out));
  }
  void start(const transpose_arrays& in, const transpose_arrays& out) override {
    plan_.start(in, writable_transpose_arrays(out));
  }
  bool test() override { return plan_.test(); }
  void finish() override { plan_.finish(); }
  std::string method() const override { return plan_.method(); }
  double tuned_seconds() const override { return plan_.tuned_seconds(); }
  std::string describe_json() const override { return plan_.describe_json(); }
  std::string describe() const override {
    return text("move to ", parts_, ", ", plan_.method(), ", ", readable_bytes(bytes_));
  }

 private:
  index_t bytes_;
  std::string parts_;
  transpose_plan plan_;
};

}  // namespace

std::unique_ptr<stage> make_move(const stage_context& context, const step& what, const transpose_arrays& in,
                                 const transpose_arrays& out, const race_terms& terms) {
  return std::make_unique<move_stage>(context, what, in, out, terms);
}

}  // namespace nearfar::fft
