// SPDX-License-Identifier: BSD-3-Clause
// Making files, recovering them, cutting them to their whole steps.
#include "store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <base/log.hpp>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <limits>
#include <optional>
#include <system_error>

#include "leftovers.hpp"
#include "part_sums.hpp"

namespace nearfar::output {

namespace {

void cut(const std::string& path, index bytes) {
  if (truncate(path.c_str(), bytes) != 0) refuse_file(path, text("cut to ", bytes, " bytes").c_str(), errno);
}

void keep_others_out(const descriptor& journal, const std::string& path) {
  if (flock(journal.get(), LOCK_EX | LOCK_NB) == 0 || errno == ENOSYS || errno == EOPNOTSUPP || errno == ENOLCK) return;
  if (errno == EWOULDBLOCK) throw io_error(text(path, " is being written by another program or stream"));
  refuse_file(path, "locked", errno);
}

index size_of(const std::string& path) {
  std::error_code missing;
  const auto size = std::filesystem::file_size(path, missing);
  return missing ? -1 : static_cast<index>(size);
}

bool is_there(const stream_file& f, index step) {
  const index least = std::max<index>(f.bytes, 1);
  return size_of(f.path(step)) >= least || size_of(f.part(step)) >= least;
}

/// Frames of an array for which a file of all steps is long enough.
index frames_in(const agent_plan& plan, std::size_t array) {
  const array_place& p = plan.files.places[array];
  const index behind = size_of(plan.files.files[as_size(p.file)].path(0)) - p.offset;
  const index bytes = plan.layout.arrays[array].frame_bytes();
  return behind < bytes ? 0 : (behind - bytes) / p.stride + 1;
}

index size_for(const agent_plan& plan, std::size_t file, index steps) {
  index bytes = plan.files.files[file].bytes;
  for (std::size_t a = 0; a < plan.files.places.size() && bytes == 0; ++a)
    if (const array_place& p = plan.files.places[a]; p.file == static_cast<int>(file))
      bytes = p.offset + steps * p.stride;
  return bytes;
}

/// The step that a file of a folder belongs to, whether it has its name yet or not.
std::optional<index> step_of(const stream_file& f, std::string name) {
  const std::string before = std::filesystem::path(f.before).filename().string(), part = ".part";
  if (name.ends_with(part)) name.resize(name.size() - part.size());
  if (name.size() <= before.size() + f.after.size() || !name.starts_with(before) || !name.ends_with(f.after)) return {};
  const char *first = name.data() + before.size(), *last = name.data() + name.size() - f.after.size();
  index step = 0;
  const auto [end, problem] = std::from_chars(first, last, step);
  if (problem != std::errc() || end != last || last - first < f.digits) return {};
  return step;
}

/// Files of steps from `steps` on disappear, those before get their names.
void settle_files_of_steps(const stream_file& f, index steps) {
  const auto folder = std::filesystem::path(f.before).parent_path();
  std::vector<std::filesystem::path> behind;
  std::vector<index> nameless;
  for (const auto& entry : std::filesystem::directory_iterator(folder.empty() ? "." : folder)) {
    const auto step = step_of(f, entry.path().filename().string());
    if (step && *step >= steps) behind.push_back(entry.path());
    if (step && *step < steps && entry.path().extension() == ".part") nameless.push_back(*step);
  }
  for (const auto& path : behind) std::filesystem::remove(path);
  for (const index step : nameless) give_name(f, step);
}

void settle_times(const stream_file& f, index most_steps, const std::vector<double>& times) {
  std::vector<double> all(as_size(most_steps), std::numeric_limits<double>::quiet_NaN());
  std::copy(times.begin(), times.end(), all.begin());
  const data_file file(f.path(0), false);
  if (const int code = file.write(all.data(), most_steps * as_index(sizeof(double)), f.time_at); code != 0)
    refuse_file(f.path(0), "given the times of its steps", code);
}

void settle_all(const agent_plan& plan, const journal_contents& whole) {
  for (std::size_t f = 0; f < plan.files.files.size(); ++f) {
    const stream_file& file = plan.files.files[f];
    if (file.is_per_step)
      settle_files_of_steps(file, whole.steps());
    else
      cut(file.path(0), size_for(plan, f, whole.steps()));
    if (!file.is_per_step && file.time_at >= 0) settle_times(file, plan.files.most_steps, whole.times);
  }
  cut(plan.journal, whole.end());
}

void reserve_expected(const agent_plan& plan, index steps) {
  if (plan.files.files.empty()) return;  // a library makes its own
  for (std::size_t a = 0; a < plan.files.places.size(); ++a) {
    const array_place& p = plan.files.places[a];
    const stream_file& file = plan.files.files[as_size(p.file)];
    const bool is_constant = plan.layout.arrays[a].is_constant && plan.first_step == 0;
    if (steps <= plan.first_step || file.is_per_step || (p.stride == 0 && !is_constant)) continue;
    const index bytes = plan.layout.arrays[a].frame_bytes();
    const data_file f(file.path(0), false);
    const index rest = steps - plan.first_step;
    if (const int code = f.reserve(p.offset + plan.first_step * p.stride, (rest - 1) * p.stride + bytes); code != 0)
      refuse_file(f.path(), text("given room for ", steps, " steps of ", readable_bytes(bytes)).c_str(), code);
  }
}

/// The beginning comes last: before, no reader takes the file for one of its format, with times that are not there.
void make_file(const stream_file& f, index most_steps) {
  open_file(f.path(0), O_WRONLY | O_CREAT | O_TRUNC);
  cut(f.path(0), f.bytes);
  if (f.time_at >= 0) settle_times(f, most_steps, {});
  const data_file file(f.path(0), false);
  for (auto p = f.pieces.rbegin(); p != f.pieces.rend(); ++p)
    if (const int code = file.write(p->bytes.data(), as_index(p->bytes.size()), p->offset); code != 0)
      refuse_file(f.path(0), "made", code);
}

/// Bytes besides the data say where the data is: with others the steps that are there would be lost.
void require_same(const stream_file& f) {
  const descriptor file = open_file(f.path(0), O_RDWR);
  bool is_same = f.bytes == 0 || size_of(f.path(0)) == f.bytes;
  for (const fixed_piece& p : f.pieces) {
    std::vector<std::byte> there(p.bytes.size());
    is_same = is_same && pread(file.get(), there.data(), there.size(), p.offset) == as_index(there.size()) &&
              there == p.bytes;
  }
  if (!is_same)
    throw io_error(text(f.path(0),
                        " was made with other attributes, axes or expected_steps; append needs the same, and ",
                        "output_opening::create replaces it"));
}

std::string in_words(const array_place& p, std::size_t dimensions) {
  std::string words;
  for (std::size_t d = 0; d < dimensions; ++d) words += text(d > 0 ? "x" : "", p.chunk.at(d));
  return words;
}

/// Compressed parts have files of their own: with others the steps that are there would not be found, and so be lost.
void require_same_chunks(const std::string& path, const agent_plan& plan) {
  const auto before = read_parts(path);
  for (std::size_t a = 0; before && a < std::min(before->arrays.size(), plan.files.places.size()); ++a) {
    const array_place &old = before->plan.files.places[a], &now = plan.files.places[a];
    const std::size_t dimensions = plan.layout.arrays[a].extents.size();
    if (old.chunk != now.chunk)
      throw io_error(text("array ", before->arrays[a].name, " is compressed in parts of ", in_words(old, dimensions),
                          " elements in ", path, ", and they would be of ", in_words(now, dimensions),
                          " now; append needs the same, and output_opening::create replaces the stream"));
  }
}

/// A file that is missing altogether was not torn: it is not made up for by forgetting all steps.
void make_files(const agent_plan& plan, bool are_there) {
  for (const stream_file& f : plan.files.files) {
    if (f.is_per_step) continue;
    if (are_there)
      require_same(f);
    else
      make_file(f, plan.files.most_steps);
  }
}

/// The stream that is there makes room for a new one. The journal first: at no time does it speak of data that is not
/// there.
void replace_stream(const std::string& path, const agent_plan& plan, const std::string& format) {
  const std::string before = format_at(path, read_journal(plan.journal, true));
  cut(plan.journal, 0);
  const index removed = before.empty() ? 0 : remove_stream(path, before, plan);
  if (removed > 0 && before != format)
    log::warning("output: ", path, " was a stream of format ", before, " and becomes one of ", format, ": its ",
                 removed, removed == 1 ? " file has" : " files have",
                 " been removed (output_opening::create replaces a stream)");
}

/// Those before the first that is damaged. What cannot be compared is taken as the journal says.
index sound_steps(const std::string& path, const journal_contents& whole) {
  const auto reports = compare_steps(path, whole);
  const auto is_damaged = [](const output_report& r) { return r.state == output_soundness::damaged; };
  return std::find_if(reports.begin(), reports.end(), is_damaged) - reports.begin();
}

}  // namespace

journal_contents whole_steps(const agent_plan& plan) {
  journal_contents c = read_journal(plan.journal, true);
  for (std::size_t a = 0; a < plan.files.places.size(); ++a)
    if (plan.files.places[a].stride > 0) c.keep(std::min(c.steps(), frames_in(plan, a)));
  for (const stream_file& f : plan.files.files) {
    index steps = 0;
    while (f.is_per_step && steps < c.steps() && is_there(f, steps)) ++steps;
    if (f.is_per_step) c.keep(steps);
  }
  return c;
}

store::store(const std::string& path, agent_plan& plan, const output_options& options) {
  const bool is_new = options.opening == output_opening::create;
  journal_ = open_file(plan.journal, O_RDWR | O_CREAT);
  keep_others_out(journal_, plan.journal);
  if (is_new) replace_stream(path, plan, options.format);
  remove_unfinished(path, options.format);
  const journal_contents told = read_journal(plan.journal, true);
  if (told.steps() > 0 && told.signature != plan.signature)
    throw io_error(text(plan.journal, " belongs to arrays of other names, extents or types, or to another format; ",
                        "output_opening::create replaces them"));
  if (told.steps() > 0) require_same_chunks(path, plan);
  make_files(plan, told.steps() > 0);
  journal_contents whole = whole_steps(plan);
  const auto is_late = [&](double time) { return options.append_before && time >= *options.append_before; };
  if (options.verify) whole.keep(sound_steps(path, whole));
  whole.keep(std::find_if(whole.times.begin(), whole.times.end(), is_late) - whole.times.begin());
  settle_all(plan, whole);
  plan.first_step = settled_ = whole.steps();
  plan.journal_from = whole.end();
  times_ = whole.times;
  reserve_expected(plan, options.expected_steps);
  write_headers(plan.files.headers, times_, true, plan.is_synced);
  write_indexes(plan.files.headers, times_, plan.is_synced);
  if (plan.is_synced) sync_folder_of(plan.journal);
}

void store::settle(const agent_plan& plan) {
  for (; settled_ < as_index(times_.size()); ++settled_)
    for (const stream_file& f : plan.files.files)
      if (f.is_per_step) give_name(f, settled_);
  write_headers(plan.files.headers, times_, false, plan.is_synced);
  write_indexes(plan.files.headers, times_, plan.is_synced);
}

index store::finish(const agent_plan& plan) const {
  const journal_contents whole = whole_steps(plan);
  settle_all(plan, whole);
  write_headers(plan.files.headers, whole.times, false, plan.is_synced);
  write_indexes(plan.files.headers, whole.times, plan.is_synced);
  return whole.steps();
}

void store::finish_headers(const agent_plan& plan) const {
  const auto times = whole_steps(plan).times;
  write_headers(plan.files.headers, times, false, plan.is_synced);
  write_indexes(plan.files.headers, times, plan.is_synced);
}

}  // namespace nearfar::output

namespace nearfar {

std::vector<output_step> output_steps_at(const std::string& path) {
  const auto c = output::read_journal(output::journal_path(path), true);
  std::vector<output_step> steps;
  for (index s = 0; s < c.steps(); ++s) steps.push_back({s, c.times[as_size(s)]});
  return steps;
}

}  // namespace nearfar
