// SPDX-License-Identifier: BSD-3-Clause
// Flagged entries and those without an id are packed around an assembly.
#include "gslib_calls.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace nearfar::capi {

/// Copies of the entries that take part, in which those that do not contribute have the identity.
class gs_call::packed_values {
 public:
  packed_values(const nearfar_gs_data& g, const gs_request& r, const combiner& how, const gather_array& sample)
      : g_(g),
        r_(r),
        element_bytes_(sample.element_bytes()),
        data_(g.entries.size() * element_bytes_ * r.arrays.size()) {
    std::byte* to = data_.data();
    for (void* u : r.arrays)
      for (const auto& e : g.entries) {
        if (e.is_flagged && !r.is_transposed)
          how.fill(how.operand(), to, sample.components);
        else
          std::memcpy(to, place(u, e), element_bytes_);
        to += element_bytes_;
      }
  }
  std::byte* array(std::size_t k) { return data_.data() + k * g_.entries.size() * element_bytes_; }
  void unpack() const {
    const std::byte* from = data_.data();
    for (void* u : r_.arrays)
      for (const auto& e : g_.entries) {
        if (!e.is_flagged || !r_.is_transposed) std::memcpy(place(u, e), from, element_bytes_);
        from += element_bytes_;
      }
  }

 private:
  std::byte* place(void* u, const nearfar_gs_data::entry& e) const {
    return static_cast<std::byte*>(u) + static_cast<std::size_t>(e.at) * element_bytes_;
  }
  const nearfar_gs_data& g_;
  const gs_request& r_;
  std::size_t element_bytes_;
  std::vector<std::byte> data_;
};

gather_plan& plan_of(nearfar_gs_data* g) {
  require(g != nullptr, "the gslib handle is NULL: it was not created, or is freed already");
  require(g->value.has_value(), "the gslib handle was freed with its team");
  return *g->value;
}

namespace {

void check(nearfar_gs_data* g, const gs_request& r) {
  plan_of(g);
  require(r.components >= 1, text("an element has ", r.components, " components; it has 1 or more"));
  require(
      r.op >= NEARFAR_PLUS && r.op <= NEARFAR_MULTIPLY,
      text("operation ", static_cast<int>(r.op), " cannot be had here; there are plus, minimum, maximum, multiply"));
  for (const void* u : r.arrays) require(u != nullptr || g->n == 0, "an array is NULL");
}

}  // namespace

// ---- one call ----

gs_call::gs_call(nearfar_gs_data* g, gs_request r) : g_(g), r_(std::move(r)) {
  check(g, r_);
  const index entries = plan_of(g).references();
  nearfar_gather_array values = described(r_.arrays.front(), entries, r_.type, r_.components);
  if (entries == 0) values.data = nullptr;
  sample_ = array_of(values, r_.op == NEARFAR_PLUS, "u");
  how_ = combiner_of_call({NEARFAR_ASSEMBLE, r_.op, nullptr, 1, nullptr, nullptr}, sample_);
}

gs_call::~gs_call() = default;

template <class Step>
void gs_call::attempt(Step step) noexcept {
  try {
    step();
  } catch (...) {
    error_ = std::current_exception();
    flight_.reset();
    state_ = state::over;
  }
}

void gs_call::start() noexcept {
  if (state_ != state::waiting) return;
  attempt([&] {
    if (!g_->entries.empty()) packed_ = std::make_unique<packed_values>(*g_, r_, how_, sample_);
    start_arrays(0);
    state_ = state::in_flight;
  });
}

void gs_call::start_arrays(std::size_t first) {
  std::array<gather_array, gather_plan::max_arrays> some;
  const std::size_t count = std::min(some.size(), r_.arrays.size() - first);
  for (std::size_t k = 0; k < count; ++k) {
    some[k] = sample_;
    some[k].data = packed_ ? packed_->array(first + k) : r_.arrays[first + k];
  }
  flight_.emplace(plan_of(g_).start_assemble_of({some.data(), count}, how_));
  end_ = first + count;
}

void gs_call::finish() noexcept {
  start();
  if (is_over()) return;
  attempt([&] {
    flight_->finish();
    while (end_ < r_.arrays.size()) {
      start_arrays(end_);
      flight_->finish();
    }
    if (packed_) packed_->unpack();
    packed_.reset();
    flight_.reset();
    state_ = state::over;
  });
}

void gs_call::abandon() noexcept {
  flight_.reset();
  state_ = state::over;
  error_ = std::make_exception_ptr(usage_error("the gslib handle of this call was freed before nearfar_gs_wait()"));
}

void gs_call::result() const {
  if (error_) std::rethrow_exception(error_);
}

// ---- the calls of a handle ----

gs_queue::~gs_queue() {
  for (const auto& c : calls_) c->abandon();
}

std::shared_ptr<gs_call> gs_queue::post(nearfar_gs_data* g, gs_request r) {
  auto c = std::make_shared<gs_call>(g, std::move(r));
  if (calls_.empty()) {
    c->start();
    c->result();
  }
  calls_.push_back(c);
  return c;
}

void gs_queue::complete(const gs_call& c) {
  while (!c.is_over()) {
    calls_.front()->finish();
    calls_.pop_front();
    if (!calls_.empty()) calls_.front()->start();
  }
  c.result();
}

}  // namespace nearfar::capi
