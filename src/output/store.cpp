// SPDX-License-Identifier: BSD-3-Clause
// Making files, recovering them, cutting them to their whole steps.
#include "store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

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

std::vector<index> frame_bytes_of(const agent_plan& plan) {
  std::vector<index> bytes;
  for (const array_shape& a : plan.layout.arrays) bytes.push_back(a.frame_bytes());
  return bytes;
}

std::vector<std::string> data_paths_of(const agent_plan& plan) {
  std::vector<std::string> paths;
  for (const array_files& f : plan.files) paths.push_back(f.data);
  return paths;
}

journal_contents whole_steps_of(const agent_plan& plan) {
  return whole_steps(plan.journal, data_paths_of(plan), frame_bytes_of(plan), true);
}

void cut_all(const agent_plan& plan, const journal_contents& whole) {
  for (std::size_t a = 0; a < plan.files.size(); ++a)
    cut(plan.files[a].data, whole.steps() * plan.layout.arrays[a].frame_bytes());
  cut(plan.journal, whole.end());
}

void reserve_expected(const agent_plan& plan, index steps) {
  for (std::size_t a = 0; a < plan.files.size(); ++a) {
    const index bytes = plan.layout.arrays[a].frame_bytes();
    if (steps <= plan.first_step) continue;
    const data_file f(plan.files[a].data, false);
    if (const int code = f.reserve(plan.first_step * bytes, (steps - plan.first_step) * bytes); code != 0)
      refuse_file(f.path(), text("given room for ", steps, " steps of ", readable_bytes(bytes)).c_str(), code);
  }
}

}  // namespace

step_axis axis_of(const journal_contents& c) {
  step_axis axis;
  for (index s = 0; s < c.steps(); ++s) axis.note(s, c.times[as_size(s)]);
  return axis;
}

journal_contents whole_steps(const std::string& journal, const std::vector<std::string>& data_paths,
                             const std::vector<index>& frame_bytes, bool must_exist) {
  journal_contents c = read_journal(journal, must_exist);
  for (std::size_t a = 0; a < data_paths.size(); ++a) {
    std::error_code missing;
    const auto size = std::filesystem::file_size(data_paths[a], missing);
    const index frames = missing ? 0 : static_cast<index>(size) / frame_bytes[a];
    if (frames < c.steps()) c.keep(frames);
  }
  return c;
}

store::store(agent_plan& plan, const output_options& options) {
  const bool is_new = options.opening == output_opening::create;
  journal_ = open_file(plan.journal, O_RDWR | O_CREAT);
  keep_others_out(journal_, plan.journal);
  // The journal first: at no time does it speak of data that is not there.
  if (is_new) cut(plan.journal, 0);
  const journal_contents told = read_journal(plan.journal, true);
  if (told.steps() > 0 && told.signature != plan.signature)
    throw io_error(text(plan.journal, " belongs to arrays of other names, extents or types; output_opening::create ",
                        "replaces them"));
  // A file that is missing altogether was not torn: it is not made up for by forgetting all steps.
  for (const array_files& f : plan.files) open_file(f.data, told.steps() > 0 ? O_WRONLY : O_WRONLY | O_CREAT | O_TRUNC);
  const journal_contents whole = whole_steps_of(plan);
  cut_all(plan, whole);
  plan.first_step = whole.steps();
  plan.journal_from = whole.end();
  plan.axis = axis_of(whole);
  reserve_expected(plan, options.expected_steps);
  write_headers(plan, plan.axis, plan.is_synced);
  if (plan.is_synced) sync_folder_of(plan.journal);
}

index store::finish(const agent_plan& plan) const {
  const journal_contents whole = whole_steps_of(plan);
  cut_all(plan, whole);
  write_headers(plan, axis_of(whole), plan.is_synced);
  return whole.steps();
}

void store::finish_headers(const agent_plan& plan) const {
  write_headers(plan, axis_of(whole_steps_of(plan)), plan.is_synced);
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
