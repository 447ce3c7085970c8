// SPDX-License-Identifier: BSD-3-Clause
// The public functions of streams.
#include <nearfar/output.hpp>
#include <topology/alive.hpp>

#include "stream_state.hpp"

namespace nearfar {

namespace {
output_state& alive(const std::unique_ptr<output_state>& state) {
  require_running_mpi();
  if (!state) throw usage_error("the output stream was moved from, or ended when it was opened again after an error");
  return *state;
}
}  // namespace

output_stream::output_stream(const nearfar::team& members, std::string path, std::vector<output_array> arrays,
                             output_options options)
    : state_(std::make_unique<output_state>(members, std::move(path), std::move(arrays), options)) {}
output_stream::~output_stream() = default;
output_stream::output_stream(output_stream&&) noexcept = default;
output_stream& output_stream::operator=(output_stream&&) noexcept = default;

index_t output_stream::begin_step(double time) { return begin_step(time, {}); }
index_t output_stream::begin_step(double time, const std::vector<index_t>& rows) {
  alive(state_).await_step(rows);
  if (!state_->has_wanted_writers()) state_ = output_state::reopened(std::move(state_));
  return state_->begin_step(time, rows);
}
void output_stream::put(const std::string& name, const void* data) { alive(state_).put(name, data); }
void output_stream::put(const std::string& name, const void* data,
                        const std::array<index_t, max_dimensions>& strides_bytes) {
  alive(state_).put(name, data, strides_bytes);
}
output_slot output_stream::slot(const std::string& name) { return alive(state_).slot(name); }
void output_stream::end_step() { alive(state_).end_step(); }
void output_stream::flush() { alive(state_).flush(); }
void output_stream::close() {
  if (state_) state_->close();
}
index_t output_stream::steps() const noexcept { return state_ ? state_->steps() : 0; }
index_t output_stream::written_steps() const noexcept { return state_ ? state_->written_steps() : 0; }
const nearfar::team& output_stream::team() const { return alive(state_).members(); }
std::string output_stream::describe() const { return alive(state_).describe(); }

}  // namespace nearfar
