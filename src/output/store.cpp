// SPDX-License-Identifier: BSD-3-Clause
// Making files, recovering them, truncating them to complete steps.
#include "store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <base/log.hpp>
#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>

#include "formats/format.hpp"
#include "leftovers.hpp"
#include "missing_files.hpp"
#include "part_sums.hpp"
#include "turns.hpp"

namespace nearfar::output {

namespace {

void cut(const std::string& path, index_t bytes) {
  int code = 0;
  do {
    code = truncate(path.c_str(), bytes) == 0 ? 0 : errno;
  } while (code == EINTR);
  if (code != 0) refuse_file(path, text("cut or made ", bytes, " bytes long").c_str(), code);
}

void keep_others_out(const descriptor& journal, const std::string& path) {
  int code = 0;
  do {
    code = flock(journal.get(), LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
  } while (code == EINTR);
  // Some file systems have no locks.
  if (code == 0 || code == ENOSYS || code == EOPNOTSUPP || code == ENOLCK) return;
  if (code == EWOULDBLOCK) throw io_error(text(path, " is being written by another program or stream"));
  refuse_file(path, "locked", code);
}

index_t size_for(const writer_plan& plan, std::size_t file, index_t steps) {
  index_t bytes = plan.files.files[file].bytes;
  for (std::size_t a = 0; a < plan.files.places.size() && bytes == 0; ++a)
    if (const array_place& p = plan.files.places[a]; p.file == static_cast<int>(file))
      bytes = p.offset + steps * p.stride;
  return bytes;
}

/// The stream's own files of steps from `steps` on disappear, those before get their names.
void settle_files_of_steps(const stream_file& f, index_t steps, const own_files& own) {
  const auto folder = std::filesystem::path(f.before).parent_path();
  std::vector<std::filesystem::path> behind;
  std::vector<index_t> nameless;
  for (const auto& entry : std::filesystem::directory_iterator(folder.empty() ? "." : folder)) {
    const auto path = (folder / entry.path().filename()).lexically_normal();
    const index_t step = step_of(f, path);
    if (step >= steps && own.has(path)) behind.push_back(path);
    if (step >= 0 && step < steps && path.extension() == ".part") nameless.push_back(step);
  }
  for (const auto& path : behind) std::filesystem::remove(path);
  for (const index_t step : nameless) give_name(f, step);
}

/// Times and counts; those of the times first, since whoever reads beside this believes them.
void settle_times(const stream_file& f, const std::vector<double>& times) {
  const data_file file(f.path(0), false);
  const auto put = [&](const void* from, index_t bytes, index_t at) {
    if (const int code = bytes > 0 ? file.write(from, bytes, at) : 0; code != 0)
      refuse_file(f.path(0), "given the times of its steps", code);
  };
  put(times.data(), as_index(times.size() * sizeof(double)), f.time_at);
  for (auto c = f.counts.rbegin(); c != f.counts.rend(); ++c) {
    const auto [place, count] = c->of(as_index(times.size()));
    put(&count.value, sizeof count.value, count.at);
    put(&place.value, sizeof place.value, place.at);
  }
}

void settle_all(const writer_plan& plan, const journal_contents& whole, const own_files& own) {
  for (std::size_t f = 0; f < plan.files.files.size(); ++f) {
    const stream_file& file = plan.files.files[f];
    if (file.is_per_step)
      settle_files_of_steps(file, whole.steps(), own);
    else
      cut(file.path(0), size_for(plan, f, whole.steps()));
    if (!file.is_per_step && file.time_at >= 0) settle_times(file, whole.times);
  }
  cut(plan.journal, whole.end());
}

void reserve_expected(const writer_plan& plan, index_t steps) {
  if (plan.files.files.empty()) return;  // a library makes its own
  for (std::size_t a = 0; a < plan.files.places.size(); ++a) {
    const array_place& p = plan.files.places[a];
    const stream_file& file = plan.files.files[as_size(p.file)];
    const bool is_constant = plan.layout.arrays[a].is_constant && plan.first_step == 0;
    if (steps <= plan.first_step || file.is_per_step || (p.stride == 0 && !is_constant)) continue;
    const index_t bytes = plan.layout.arrays[a].frame_bytes();
    const data_file f(file.path(0), false);
    const index_t rest = steps - plan.first_step;
    if (const int code = f.reserve(p.offset + plan.first_step * p.stride, (rest - 1) * p.stride + bytes); code != 0)
      refuse_file(f.path(), text("given room for ", steps, " steps of ", readable_bytes(bytes)).c_str(), code);
  }
}

/// The beginning comes last: before, no reader takes the file for one of its format.
void make_file(const stream_file& f) {
  open_file(f.path(0), O_WRONLY | O_CREAT | O_TRUNC);
  cut(f.path(0), f.bytes);
  if (f.time_at >= 0) settle_times(f, {});
  const data_file file(f.path(0), false);
  for (auto p = f.pieces.rbegin(); p != f.pieces.rend(); ++p)
    if (const int code = file.write(p->bytes.data(), as_index(p->bytes.size()), p->offset); code != 0)
      refuse_file(f.path(0), "made", code);
}

/// Bytes besides the data say where the data is: with others the steps that are there would be lost.
void require_same(const stream_file& f) {
  const std::string path = f.is_per_step && size_of(f.path(0)) < 0 ? f.part(0) : f.path(0);
  const descriptor file = open_file(path, O_RDWR);
  bool is_same = f.bytes == 0 || size_of(path) == f.bytes;
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

[[noreturn]] void refuse_others_steps(const std::string& what) {
  throw io_error(what + "; append needs the same, and output_opening::create replaces the stream");
}

bool is_alike(const stream_file& a, const stream_file& b) noexcept {
  return a.before == b.before && a.after == b.after && a.digits == b.digits && a.is_per_step == b.is_per_step;
}

void require_same_place(const std::string& path, const noted_parts& before, const writer_plan& plan, std::size_t a) {
  const array_place &old = before.plan.files.places[a], &now = plan.files.places[a];
  const std::string array = text("array ", before.arrays[a].name, " of ", path);
  const std::size_t dimensions = plan.layout.arrays[a].extents.size();
  // Compressed parts have files of their own: with others the steps that are there would not be found.
  if (old.chunk != now.chunk)
    refuse_others_steps(text("array ", before.arrays[a].name, " is compressed in parts of ", in_words(old, dimensions),
                             " elements in ", path, ", and they would be of ", in_words(now, dimensions), " now"));
  if (old.file != now.file || old.offset != now.offset || old.stride != now.stride)
    refuse_others_steps(text(array, " lies at byte ", old.offset, ", ", old.stride, " from step to step, and would at ",
                             now.offset, ", ", now.stride, " now: attributes, axes or expected_steps are others"));
}

/// What headers of zarr say besides the number of steps; the axes are files of their own.
void require_same_headers(const writer_plan& plan) {
  for (const header_file& h : plan.files.headers)
    if (std::filesystem::exists(h.path) && !is_same_header(h))
      refuse_others_steps(h.path + " was made with other attributes or axes");
}

void require_same_words(const std::string& path, const output_array& old, const output_array& now) {
  const std::string array = text("array ", now.name, " of ", path, " has ");
  if (old.dimensions != now.dimensions)
    refuse_others_steps(array + "other names of dimensions in the steps that are there");
  const auto differ =
      std::mismatch(old.attributes.begin(), old.attributes.end(), now.attributes.begin(), now.attributes.end());
  if (differ.first == old.attributes.end() && differ.second == now.attributes.end()) return;
  const auto words = [](auto at, auto end) { return at == end ? "none" : text(at->first, " = '", at->second, "'"); };
  refuse_others_steps(text(array, "the attribute ", words(differ.first, old.attributes.end()), " in the steps that ",
                           "are there, and ", words(differ.second, now.attributes.end()), " now"));
}

/// Where the stream's steps lie: with another layout they would not be found.
void require_same_layout(const std::string& path, const noted_parts& before, const writer_plan& plan) {
  for (std::size_t a = 0; a < std::min(before.arrays.size(), plan.files.places.size()); ++a)
    require_same_place(path, before, plan, a);
  const auto &old = before.plan.files.files, &now = plan.files.files;
  const auto first_of = [](const std::vector<stream_file>& files) { return files.empty() ? "none" : files[0].path(0); };
  if (!std::equal(old.begin(), old.end(), now.begin(), now.end(), is_alike))
    refuse_others_steps(text("the steps of ", path, " are in ", old.size(), " files such as ", first_of(old),
                             ", and would be in ", now.size(), " such as ", first_of(now),
                             " now: expected_steps, arrays or format are others"));
}

/// What is said of the steps: with other words they would be taken for something else.
void require_same_meaning(const std::string& path, const noted_parts& before, const writer_plan& plan,
                          const std::vector<output_array>& arrays) {
  require_same_headers(plan);
  for (std::size_t a = 0; before.has_types && a < std::min(before.arrays.size(), arrays.size()); ++a)
    require_same_words(path, before.arrays[a], arrays[a]);
}

/// Of a stream that goes on, the first step's file shows what all of them have besides their data.
void require_same_files(const writer_plan& plan, index_t steps) {
  for (const stream_file& f : plan.files.files)
    if (!f.is_per_step || (!f.pieces.empty() && steps > 0)) require_same(f);
}

void make_files(const writer_plan& plan) {
  for (const stream_file& f : plan.files.files)
    if (!f.is_per_step) make_file(f);
}

std::set<std::filesystem::path> folders_of(const writer_plan& plan) {
  std::set<std::filesystem::path> folders;
  for (const stream_file& f : plan.files.files) folders.insert(std::filesystem::path(f.before).parent_path());
  for (const header_file& h : plan.files.headers) folders.insert(std::filesystem::path(h.path).parent_path());
  return folders;
}

/// The files that were made, the folders that they are in, and the journal get names that last.
void sync_folders(const writer_plan& plan) {
  const auto top = std::filesystem::path(plan.journal).parent_path();
  std::set<std::filesystem::path> all{top};
  for (const auto& folder : folders_of(plan))
    if (folder != top) all.insert({folder, folder.parent_path()});
  for (const auto& folder : all) sync_folder_of(folder / "any");
}

void make_folders(const writer_plan& plan) {
  for (const auto& folder : folders_of(plan)) {
    std::error_code problem;
    if (!folder.empty() && !std::filesystem::create_directories(folder, problem) && problem)
      refuse_file(folder.string(), "made", problem.value());
  }
}

/// The stream that is there makes room for a new one. The journal first: at no time does it speak of data that is not
/// there.
void replace_stream(const std::string& path, const writer_plan& plan, const std::string& format, const own_files& own) {
  refuse_others(path, format, plan, own, true);
  cut(plan.journal, 0);
  const index_t removed = remove_stream(path, plan, own);
  if (removed > 0 && own.format() != format)
    log::warning("output: ", path, " was a stream of format ", own.format(), " and becomes one of ", format, ": its ",
                 removed, removed == 1 ? " file has" : " files have",
                 " been removed (output_opening::create replaces a stream)");
  note_files(path, plan);
}

/// Who has made no stream leaves nothing: an empty journal would be taken for one, and what is begun fills a disk.
void remove_begun(const std::string& path, const std::string& journal) {
  try {
    const writer_plan none;
    remove_stream(path, none, own_files(path, none, {}));
    unlink(parts_path(path).c_str());
  } catch (const error&) {  // what was wrong first is told
  }
  unlink(journal.c_str());
}

/// Those before the first that is damaged. What cannot be compared is taken as the journal says.
index_t sound_steps(const std::string& path, const journal_contents& whole) {
  const auto reports = compare_steps(path, whole);
  const auto is_damaged = [](const output_report& r) { return r.state == output_soundness::damaged; };
  return std::find_if(reports.begin(), reports.end(), is_damaged) - reports.begin();
}

}  // namespace

journal_contents whole_steps(const writer_plan& plan) {
  journal_contents c = read_journal(plan.journal, true);
  keep_whole_steps(plan, c);
  return c;
}

store::store(const std::string& path, writer_plan& plan, const std::vector<output_array>& arrays,
             const output_options& options)
    : path_(path) {
  const bool is_first = !std::filesystem::exists(plan.journal);
  if (!is_first) read_journal(plan.journal, true);  // or it is a file of another kind
  journal_ = open_file(plan.journal, O_RDWR | O_CREAT);
  keep_others_out(journal_, plan.journal);
  try {
    make(path, plan, arrays, options);
  } catch (const error&) {
    if (is_first) remove_begun(path, plan.journal);
    throw;
  }
}

void store::make(const std::string& path, writer_plan& plan, const std::vector<output_array>& arrays,
                 const output_options& options) {
  const journal_contents told = read_journal(plan.journal, true);
  const bool is_append = options.opening == output_opening::append;
  if (is_append && !options.verify) require_undamaged(plan.journal, told);
  const own_files own(path, plan, told);
  journal_contents whole = told;
  if (is_append && told.steps() > 0) {
    if (told.signature != plan.signature)
      throw io_error(text(plan.journal, " belongs to arrays of other names, extents or types, or to another format; ",
                          "output_opening::create replaces them"));
    const auto before = read_parts(path);
    if (before) require_same_layout(path, *before, plan);
    refuse_others(path, options.format, plan, own, false);
    const auto is_late = [&](double time) { return options.append_before && time >= *options.append_before; };
    whole.keep(std::find_if(whole.times.begin(), whole.times.end(), is_late) - whole.times.begin());
    const std::string missing = keep_whole_steps(plan, whole);
    if (!missing.empty() && !options.verify)
      throw io_error(text("the journal ", plan.journal, " has ", told.steps(), " steps, but ", missing,
                          "; put it back, or let output_options::verify go on before that step"));
    if (before) require_same_meaning(path, *before, plan, arrays);
    require_same_files(plan, whole.steps());
    if (options.verify) whole.keep(sound_steps(path, whole));
    make_folders(plan);
  } else {
    replace_stream(path, plan, options.format, own);
    whole = {};
    make_folders(plan);
    make_files(plan);
  }
  remove_unfinished(path, plan);
  settle_all(plan, whole, own);
  plan.first_step = settled_ = whole.steps();
  plan.journal_from = whole.end();
  times_ = whole.times;
  reserve_expected(plan, options.expected_steps);
  write_headers(plan.files.headers, times_, true, plan.is_synced);
  write_indexes(plan.files.headers, times_, plan.is_synced);
  if (plan.is_synced) sync_folders(plan);
}

void store::settle(const writer_plan& plan) {
  for (; settled_ < as_index(times_.size()); ++settled_)
    for (const stream_file& f : plan.files.files)
      if (f.is_per_step) give_name(f, settled_);
  write_headers(plan.files.headers, times_, false, plan.is_synced);
  write_indexes(plan.files.headers, times_, plan.is_synced);
}

index_t store::finish(const writer_plan& plan) const {
  const journal_contents told = read_journal(plan.journal, true);
  journal_contents whole = told;
  if (const std::string missing = keep_whole_steps(plan, whole); !missing.empty())
    throw io_error(text("the journal ", plan.journal, " has ", told.steps(), " steps, but ", missing));
  settle_all(plan, whole, own_files(path_, plan, whole));
  write_headers(plan.files.headers, whole.times, false, plan.is_synced);
  write_indexes(plan.files.headers, whole.times, plan.is_synced);
  return whole.steps();
}

// Writers of several nodes that end alone do this at the same time. Each records its steps first and looks at the
// journal again at the end, so that whoever writes last has told of all steps.
void store::finish_headers(const writer_plan& plan) const {
  auto times = read_journal(plan.journal, true).times;
  std::size_t told = 0;
  do {
    told = times.size();
    write_headers(plan.files.headers, times, false, plan.is_synced);
    write_indexes(plan.files.headers, times, plan.is_synced);
    times = read_journal(plan.journal, true).times;
  } while (times.size() != told);
}

}  // namespace nearfar::output

namespace nearfar {

std::vector<output_step> output_steps_at(const std::string& path) {
  const std::string journal = output::journal_path(output::stream_at(path).path);
  const auto c = output::read_journal(journal, true);
  output::require_undamaged(journal, c);
  std::vector<output_step> steps;
  for (index_t s = 0; s < c.steps(); ++s) steps.push_back({s, c.times[as_size(s)]});
  return steps;
}

}  // namespace nearfar
