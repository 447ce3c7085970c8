// SPDX-License-Identifier: BSD-3-Clause
// The steps of a reader: waiting for one, comparing its checksums, delivering it.
#include <algorithm>
#include <base/clock.hpp>
#include <device/device.hpp>
#include <topology/agree.hpp>
#include <topology/alive.hpp>
#include <topology/team_state.hpp>

#include "box_copy.hpp"
#include "reader_state.hpp"

namespace nearfar {

using namespace output;

namespace {

/// Sums of the ranks' shares become those of the step: the order of ranks counts.
class sum_addition {
 public:
  sum_addition() {
    check_mpi(MPI_Type_contiguous(sizeof(byte_sum), MPI_BYTE, &type_), "MPI_Type_contiguous");
    check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
    check_mpi(MPI_Op_create(&add, 0, &op_), "MPI_Op_create");
  }
  sum_addition(const sum_addition&) = delete;
  sum_addition& operator=(const sum_addition&) = delete;
  ~sum_addition() { MPI_Op_free(&op_), MPI_Type_free(&type_); }
  void over(MPI_Comm comm, std::vector<byte_sum>& sums) const {
    const int count = checked_int(as_index(sums.size()), "writers of a step");
    watched_mpi("MPI_Allreduce", [&] { return MPI_Allreduce(MPI_IN_PLACE, sums.data(), count, type_, op_, comm); });
  }

 private:
  static void add(void* before, void* behind, int* count, MPI_Datatype* /*type*/) {
    const auto* first = static_cast<const byte_sum*>(before);
    auto* second = static_cast<byte_sum*>(behind);
    for (int i = 0; i < *count; ++i) {
      byte_sum both = first[i];
      both.add(second[i]);
      second[i] = both;
    }
  }
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op op_ = MPI_OP_NULL;
};

}  // namespace

bool reader_state::is_summed(index_t step) const {
  return options_.checksum && why_not_summed(noted.of_step(step), whole_, step).empty();
}

void reader_state::read(box_reader& by, const std::vector<box_place>& boxes, index_t step, read_frame& into,
                        const std::atomic<bool>* is_called_off) const {
  try {
    if (is_summed(step)) {
      const auto& parts = *noted.of_step(step);
      require_writers(parts, whole_, step);
      into.sums = sums_in(noted.plan, parts, step, {members_.rank(), members_.size()}, is_called_off);
    }
    by.read(step, boxes, into.memory.data(), is_called_off);
  } catch (const io_error& e) {
    throw io_error(text("step ", step, " of ", path_, ": ", e.what(), other_words()));
  }
}

std::string reader_state::other_words() const {
  return older_.empty() ? "" : text("; there is an older one, ", older_);
}

// All ranks have the same sums afterwards, and so the same opinion.
void reader_state::compare(index_t step, std::vector<byte_sum> sums) const {
  if (!is_summed(step)) return;
  sum_addition().over(members_.comm(), sums);
  const std::string fault = fault_of(noted.plan, *noted.of_step(step), whole_, step, sums);
  if (!fault.empty()) throw io_error(text("step ", step, " of ", path_, " is damaged: ", fault, other_words()));
}

void reader_state::require_range(index_t step) const {
  if (step >= 0 && step < whole_.steps()) return;
  throw usage_error(whole_.steps() == 0
                        ? text("there is no step ", step, " of ", path_, ", which has none yet")
                        : text("there is no step ", step, " of ", path_, "; there are 0 to ", whole_.steps() - 1));
}

/// Steps from one on that the program will ask for, as far as there are buffers.
std::vector<index_t> reader_state::foreseen(index_t from) const {
  std::vector<index_t> list;
  for (index_t s = from; s >= 0 && s < whole_.steps() && as_index(list.size()) < depth_; s += options_.stride) {
    list.push_back(s);
    if (!options_.reads_ahead) break;
  }
  return list;
}

double reader_state::begin_step(index_t step) {
  const double began = seconds_now();
  std::array<index_t, 2> asked{step, ~step};
  read_frame* frame = nullptr;
  try {
    agree(
        members_,
        [&] {
          if (now_ != nullptr) throw usage_error(text("begin_step() of the reader of ", path_, " within a step"));
          if (!ahead_) throw usage_error(text("begin_step() of the reader of ", path_, " before select()"));
          require_range(step);
          foreseen_ += ahead_->has(step) ? 1 : 0;
          ahead_->want(foreseen(step));
          frame = &ahead_->await(step);
          if (frame->problem) std::rethrow_exception(frame->problem);
        },
        asked);
    if (asked[0] != ~asked[1])
      throw usage_error(
          text("ranks ask for different steps of ", path_, ": ", ~asked[1], " and ", asked[0], " are among them"));
    compare(step, frame->sums);
  } catch (const error&) {
    if (ahead_ && now_ == nullptr) ahead_->want({});
    throw;
  }
  now_ = frame, step_ = step, ++begun_;
  waited_s_ += seconds_now() - began;
  return whole_.times[as_size(step)];
}

void reader_state::require_step(const char* call) const {
  if (now_ == nullptr) throw usage_error(text(call, " of the reader of ", path_, " outside begin_step() … end_step()"));
}

const box_place& reader_state::selected(const std::string& name) const {
  const int array = static_cast<int>(find(name));
  std::string names;
  for (const auto* places : {&constant_, &changing_})
    for (const box_place& p : *places) {
      if (p.array == array) return p;
      names += text(names.empty() ? "" : ", ", noted.arrays[as_size(p.array)].name);
    }
  throw usage_error(text("array '", name, "' of ", path_, " was not selected; ", names.empty() ? "nothing" : names,
                         names.find(',') == std::string::npos ? " was" : " were"));
}

std::byte* reader_state::address(const box_place& p) {
  const bool is_constant = noted.arrays[as_size(p.array)].is_constant;
  return (is_constant ? constants_.memory : now_->memory).data() + p.offset;
}

void reader_state::get(const std::string& name, void* data) {
  require_step("get()");
  const box_place& p = selected(name);
  auto around = extents_of(p.where);
  for (int d = 0; d < p.where.dimensions; ++d) around[as_size(d)] += p.padding.low(d) + p.padding.high(d);
  const index_t element_bytes = noted.plan.layout.arrays[as_size(p.array)].element_bytes;
  const auto strides = packed_strides(around, p.where.dimensions, element_bytes);
  index_t first = 0;
  for (int d = 0; d < p.where.dimensions; ++d) first += p.padding.low(d) * strides[as_size(d)];
  get(name, data == nullptr ? nullptr : static_cast<std::byte*>(data) + first, strides);
}

void reader_state::get(const std::string& name, void* data, const std::array<index_t, max_dimensions>& strides_bytes) {
  require_step("get()");
  const box_place& p = selected(name);
  if (p.where.is_empty()) return;
  if (data == nullptr) throw usage_error(text("get() of array ", name, " of ", path_, " with null"));
  if (device::is_device_memory(data))
    throw usage_error(
        text("get() of array ", name, " of ", path_, " into GPU memory; slot() gives what can be copied"));
  const double began = seconds_now();
  const index_t element_bytes = noted.plan.layout.arrays[as_size(p.array)].element_bytes;
  const auto extents = extents_of(p.where);
  copy_box({p.where.dimensions, element_bytes, extents, packed_strides(extents, p.where.dimensions, element_bytes),
            strides_bytes},
           static_cast<std::byte*>(data), address(p), near::stores::ordinary);
  copied_s_ += seconds_now() - began;
}

output_slot reader_state::slot(const std::string& name) {
  require_step("slot()");
  const box_place& p = selected(name);
  if (p.where.is_empty()) return {};
  const index_t element_bytes = noted.plan.layout.arrays[as_size(p.array)].element_bytes;
  return {address(p), packed_strides(extents_of(p.where), p.where.dimensions, element_bytes)};
}

void reader_state::end_step() {
  require_step("end_step()");
  now_ = nullptr;
  ahead_->want(options_.reads_ahead ? foreseen(step_ + options_.stride) : std::vector<index_t>());
}

std::string reader_state::describe() const {
  const double count = static_cast<double>(std::max<index_t>(begun_, 1));
  std::string words = text("reading ", path_, " (", noted.format, "): ", whole_.steps(), " steps; ", depth_,
                           " buffers of ", readable_bytes(frame_bytes_),
                           options_.reads_ahead ? text(", stride ", options_.stride) : std::string(", not ahead"),
                           options_.checksum ? "" : ", without sums");
  words += text("; ", begun_, " steps, ", foreseen_, " of them here already; per step ",
                readable_time(waited_s_ / count), " waiting, ", readable_time(copied_s_ / count), " copying");
  if (ahead_ && ahead_->read_steps() > 0)
    words += text(", ", readable_time(ahead_->busy_s() / static_cast<double>(ahead_->read_steps())), " reading");
  return words;
}

namespace {
reader_state& alive(const std::unique_ptr<reader_state>& state) {
  require_running_mpi();
  if (!state) throw usage_error("the output reader was moved from");
  return *state;
}
}  // namespace

output_reader::output_reader(const nearfar::team& members, std::string path, output_reader_options options)
    : state_(std::make_unique<reader_state>(members, std::move(path), options)) {}
output_reader::~output_reader() = default;
output_reader::output_reader(output_reader&&) noexcept = default;
output_reader& output_reader::operator=(output_reader&&) noexcept = default;

const std::vector<output_step>& output_reader::steps() const { return alive(state_).steps; }
const std::vector<output_array>& output_reader::arrays() const { return alive(state_).noted.arrays; }
const std::string& output_reader::path() const { return alive(state_).path(); }
const std::string& output_reader::format() const { return alive(state_).noted.format; }
const nearfar::team& output_reader::team() const { return alive(state_).members(); }
void output_reader::select(std::vector<output_selection> wanted) { alive(state_).select(wanted); }
double output_reader::begin_step(index_t step) { return alive(state_).begin_step(step); }
void output_reader::get(const std::string& name, void* data) { alive(state_).get(name, data); }
void output_reader::get(const std::string& name, void* data, const std::array<index_t, max_dimensions>& strides_bytes) {
  alive(state_).get(name, data, strides_bytes);
}
output_slot output_reader::slot(const std::string& name) { return alive(state_).slot(name); }
void output_reader::end_step() { alive(state_).end_step(); }
std::string output_reader::describe() const { return alive(state_).describe(); }

}  // namespace nearfar
